//! Semantics as a value: the choices the specification leaves open, and named departures from it.
//!
//! The empty value ([`Semantics::default`]) is the specification with the first alternative of every choice. A run notes
//! which choices it consulted; repeating it per assignment gives the set of what is allowed.

use crate::MismatchClass;

/// A point the specification leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Choice {
    /// A misaligned surface access.
    SurfaceMisaligned,
    /// A surface access that begins inside the row and ends beyond it.
    SurfaceStraddle,
    /// A layer index that the surface array does not have, where the modifier is not `.clamp`. "The instruction first selects a surface
    /// layer […] using the index"; that an index of no layer is an out-of-bounds address, which the modifier handles, is not said.
    SurfaceLayer,
    /// Which place `.clamp` picks beyond the end of a row for an access whose size is not that of a texel, or does not divide the row.
    SurfaceClampPlace,
    /// A misaligned `ld`, `st`, `atom` or `red`.
    MemoryMisaligned,
    /// The result of `cvt` from NaN to an integer where the source is `.f64` or the destination is 64 bits wide. The
    /// manual of PTX ISA 9.x says `1 << (width - 1)`, older editions say zero; for every other pair both say zero.
    /// (Which NaN arithmetic returns is fixed by PTX only in part; what is open there is undefined bits, not a choice.)
    ConvertNanWide,
    /// Signed `div` and `rem` whose exact quotient is negative and no integer.
    DivideNegative,
    /// A surface access whose geometry is not that of the surface: the text says nothing of it.
    SurfaceGeometry,
    /// The unit of x of `sured.p` where the data size of its type is not the texel's: the text calls it "a sample offset"
    /// and in the same sentence "scaled by the data-size given by .ctype".
    SuredSampleUnit,
    /// `sured.p` `min` and `max` on a format that is neither UINT nor SINT, for which the text gives no signedness.
    SuredFormat,
    /// `sust.p` to a normalised format: the text asks for a conversion and does not say how it rounds. OpenCL 1.0, 8.3.1.1, whose formats
    /// these are, permits both neighbours that lie within 0.6 of a step. A target may take another one for each component, so that both are
    /// permitted by the first alternative; the others are ways to round that are told apart where a target is characterised.
    SustNormalised,
    /// `sust.p` of a number below -1 to an SNORM format.
    SustSnormBelow,
    /// `sust.p` of an integer beyond the range of the format.
    SustIntegerRange,
    /// `sust.p` of a number that is no binary16. OpenCL 1.0, 8.3.1.2, whose formats these are, permits both.
    SustHalfRounding,
    /// `sust.p` of a number below the least normal binary16. OpenCL 1.0, 8.3.1.2: a subnormal "may be flushed to zero"; whether the number
    /// is one before or after rounding neither text says.
    SustHalfSubnormal,
    /// `sust.p` of a subnormal binary32. OpenCL 1.0, 8.3.1.3: "denormals can be flushed to zero".
    SustSingleSubnormal,
    /// `suq` of a dimension that the surface does not have.
    SuqUnusedDimension,
    /// `suq.channel_data_type` and `.channel_order`: numbers of the source language, of which OpenCL alone defines any.
    SuqChannels,
    /// `suq.memory_layout`: how the implementation laid the surface out.
    SuqMemoryLayout,
    /// What local memory holds after `LDL.LU` has read a whole line of it.
    SpaLastUse,
    /// `LDL.CI` of what the thread has written itself.
    SpaInconsistent,
    /// `tex`: the product of a normalised coordinate and the extent, of which no text says in which arithmetic it is made.
    TextureScale,
    /// `tex` with linear filtering: the weights have "8 bits of fractional value" (CUDA programming guide, "Texture Fetching"),
    /// and how they are rounded to them is not said.
    TextureWeights,
    /// `tex` with linear filtering, border mode and coordinates within half a texel outside: each texel outside counts as
    /// border (what OpenGL's CLAMP_TO_BORDER does), or the whole result is the border ("texture fetches with out-of-range
    /// texture coordinates return zero", CUDA programming guide).
    TextureBorderBlend,
    /// `tex` outside of the image in wrap or mirror mode, which the CUDA programming guide has for normalised coordinates
    /// alone, where coordinates are in texels.
    TextureWrapTexels,
    /// `tex` of signed integers read as floats, "mapped to [-1.0, 1.0]": two of 2^n values are -1, or all are different.
    TextureSignedScale,
    /// `tex` with another `.dtype` than what the texels are read as.
    TextureType,
    /// `tex` with integer coordinates of a texture whose coordinates are normalised.
    TextureIntegerNormalised,
    /// `tex` with integer coordinates outside of the image.
    TextureIntegerOutside,
    /// A texture variable with sampler members in its initialiser, bound by the host to another sampler.
    TextureInitializer,
    /// `tex` with an index beyond the array of textures: "the index denotes a layer within the sequence" (CUDA programming guide,
    /// "Layered Textures"), and of others nothing is said.
    TextureLayer,
    /// Components of `tex` that texels do not have: "the instruction returns a four-element vector", and of what is not stored
    /// nothing is said.
    TextureComponents,
    /// `txq` of filter and address modes, "integer from enum { nearest, linear }" and the like.
    TxqModes,
    /// The parts of a store under `.clamp` that lie beyond the row where it is stored: the text gives one nearest location, and not what
    /// becomes of what does not fit there.
    SurfaceClampBeyond,
    /// A surface load of bytes that a surface store or reduction of the same launch wrote: "any texture fetch or surface read to an address
    /// that has been written to via a global write or a surface write in the same kernel call returns undefined data", by the same thread,
    /// too (CUDA programming guide, "Read/Write Coherency").
    SurfaceReadAfterWrite,
    /// A variable whose `.align` is below the natural alignment of its type.
    AlignBelowNatural,
}

/// What is known of a [`Choice`].
#[derive(Clone, Copy, Debug)]
pub struct ChoiceInfo {
    /// The choice.
    pub choice: Choice,
    /// Its name on the command line and in recordings.
    pub name: &'static str,
    /// The question, in a sentence.
    pub question: &'static str,
    /// The alternatives, as names; at least two. An assignment holds an index into this.
    pub alternatives: &'static [&'static str],
    /// The requirement that opens it.
    pub requirement: &'static str,
    /// The experiment that would settle it on a device, if one is described.
    pub experiment: Option<&'static str>,
}

impl Choice {
    /// Every choice, in the order of the enum.
    pub const ALL: &'static [ChoiceInfo] = &[
        ChoiceInfo {
            choice: Choice::SurfaceMisaligned,
            name: "surface.misaligned",
            question: "What does a surface access do whose byte address is not a multiple of its size?",
            alternatives: &["masked", "fault"],
            requirement: "surface.misaligned",
            experiment: Some("X7"),
        },
        ChoiceInfo {
            choice: Choice::SurfaceStraddle,
            name: "surface.straddle",
            question: "Is an access that begins inside a row and ends beyond it out of bounds as a whole, or only in the bytes beyond?",
            alternatives: &["whole", "bytes"],
            requirement: "surface.straddle",
            experiment: Some("X4"),
        },
        ChoiceInfo {
            choice: Choice::SurfaceLayer,
            name: "surface.layer",
            question: "Is a layer that the array does not have out of bounds under `.zero` and `.trap`, or is the last layer selected?",
            alternatives: &["out-of-bounds", "last-layer"],
            requirement: "surface.layer.bounds",
            experiment: Some("X5"),
        },
        ChoiceInfo {
            choice: Choice::SurfaceClampPlace,
            name: "surface.clamp-place",
            question: "Does `.clamp` move an access beyond the row to the last aligned place where all of it fits, to the first byte of the last texel, or to the last aligned place in the row, whether it fits or not?",
            alternatives: &["last-fitting", "last-texel", "last-aligned"],
            requirement: "surface.clamp.sized",
            experiment: Some("X3"),
        },
        ChoiceInfo {
            choice: Choice::MemoryMisaligned,
            name: "memory.misaligned",
            question: "What does an ld, st, atom or red do whose address is not a multiple of its size?",
            alternatives: &["fault", "masked"],
            requirement: "memory.misaligned",
            experiment: Some("X15"),
        },
        ChoiceInfo {
            choice: Choice::ConvertNanWide,
            name: "cvt.nan-wide",
            question: "What does cvt from a NaN to an integer give where the source is .f64 or the destination 64 bits wide?",
            alternatives: &["high-bit", "zero"],
            requirement: "cvt.nan",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::DivideNegative,
            name: "div.negative",
            question: "Which way do signed div and rem round a negative quotient that is no integer?",
            alternatives: &["toward-zero", "toward-negative-infinity"],
            requirement: "rem.negative",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::SurfaceGeometry,
            name: "surface.geometry",
            question: "What does a surface access do whose geometry is not that of the surface?",
            alternatives: &["fault", "undefined"],
            requirement: "surface.geometry",
            experiment: Some("X14"),
        },
        ChoiceInfo {
            choice: Choice::SuredSampleUnit,
            name: "sured.p.unit",
            question: "By what is the x of sured.p scaled where the size of its type is not that of the texel?",
            alternatives: &["ctype", "texel"],
            requirement: "sured.p.unit",
            experiment: Some("X10"),
        },
        ChoiceInfo {
            choice: Choice::SuredFormat,
            name: "sured.p.format",
            question: "What does sured.p do on a format that is neither UINT nor SINT?",
            alternatives: &["undefined", "fault"],
            requirement: "sured.p.other-formats",
            experiment: Some("X10"),
        },
        ChoiceInfo {
            choice: Choice::SustNormalised,
            name: "sust.p.normalised",
            question: "How does sust.p round the product of the source and 2^n - 1: otherwise within 0.6, the exact product to nearest even, the binary32 product to nearest even, or by adding 0.5 to that in binary32 and truncating?",
            alternatives: &["within-0.6", "nearest-even", "product-nearest-even", "product-add-half"],
            requirement: "sust.p.normalised",
            experiment: Some("X9"),
        },
        ChoiceInfo {
            choice: Choice::SustSnormBelow,
            name: "sust.p.snorm-below",
            question: "Does sust.p store a number below -1 in an SNORM component as -1 or as the least integer?",
            alternatives: &["minus-one", "least"],
            requirement: "sust.p.normalised.range",
            experiment: Some("X9"),
        },
        ChoiceInfo {
            choice: Choice::SustIntegerRange,
            name: "sust.p.integer-range",
            question: "What does sust.p store of an integer that the component cannot hold?",
            alternatives: &["saturated", "wrapped"],
            requirement: "sust.p.integer",
            experiment: Some("X9"),
        },
        ChoiceInfo {
            choice: Choice::SustHalfRounding,
            name: "sust.p.half-rounding",
            question: "How does sust.p round a number that is no binary16?",
            alternatives: &["nearest-even", "toward-zero"],
            requirement: "sust.p.half.rounding",
            experiment: Some("X9"),
        },
        ChoiceInfo {
            choice: Choice::SustHalfSubnormal,
            name: "sust.p.half-subnormal",
            question: "Does sust.p keep a subnormal binary16, or flush to a zero of its sign what is one after, or before, rounding?",
            alternatives: &["kept", "flushed", "flushed-before-rounding"],
            requirement: "sust.p.half.subnormal",
            experiment: Some("X9"),
        },
        ChoiceInfo {
            choice: Choice::SustSingleSubnormal,
            name: "sust.p.single-subnormal",
            question: "Does sust.p keep a subnormal binary32 or flush it to a zero of its sign?",
            alternatives: &["kept", "flushed"],
            requirement: "sust.p.single",
            experiment: Some("X9"),
        },
        ChoiceInfo {
            choice: Choice::SuqUnusedDimension,
            name: "suq.unused-dimension",
            question: "What does suq answer for a dimension that the surface does not have?",
            alternatives: &["one", "zero", "other"],
            requirement: "suq.unused-dimension",
            experiment: Some("X12"),
        },
        ChoiceInfo {
            choice: Choice::SuqChannels,
            name: "suq.channels",
            question: "Are the numbers of suq.channel_data_type and .channel_order those of OpenCL?",
            alternatives: &["opencl", "other"],
            requirement: "suq.channel-data-type",
            experiment: Some("X12"),
        },
        ChoiceInfo {
            choice: Choice::SuqMemoryLayout,
            name: "suq.memory-layout",
            question: "Does suq.memory_layout say that the surface is linear in memory?",
            alternatives: &["otherwise", "linear"],
            requirement: "suq.memory-layout",
            experiment: Some("X12"),
        },
        ChoiceInfo {
            choice: Choice::SpaLastUse,
            name: "spa.last-use",
            question: "Is a line of local memory lost after LDL.LU has read all of it?",
            alternatives: &["kept", "lost"],
            requirement: "spa.ldl.last-use",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::SpaInconsistent,
            name: "spa.inconsistent",
            question: "Does LDL.CI find what the thread has written before?",
            alternatives: &["found", "stale"],
            requirement: "spa.ldl.inconsistent",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureScale,
            name: "tex.scale",
            question: "Is the product of a normalised coordinate and the extent exact, or rounded to a binary32?",
            alternatives: &["exact", "rounded"],
            requirement: "tex.normalised",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureWeights,
            name: "tex.weights",
            question: "Are the weights of linear filtering rounded to the nearest of their 8 fractional bits, or truncated?",
            alternatives: &["nearest", "truncated"],
            requirement: "tex.linear.weights",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureBorderBlend,
            name: "tex.border-blend",
            question: "Does linear filtering half a texel outside of the image mix border and texel, or give the border alone?",
            alternatives: &["mixed", "border"],
            requirement: "tex.border.linear",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureWrapTexels,
            name: "tex.wrap-texels",
            question: "What does tex give outside of the image in wrap or mirror mode where coordinates are not normalised?",
            alternatives: &["edge", "undefined"],
            requirement: "tex.wrap.texels",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureSignedScale,
            name: "tex.signed-scale",
            question: "Is a signed integer of n bits read as a float divided by 2^(n-1) - 1 and limited to -1, or spread evenly?",
            alternatives: &["limited", "even"],
            requirement: "tex.read.normalised-float.signed",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureType,
            name: "tex.type",
            question: "What does tex give whose .dtype is another than what the texels are read as?",
            alternatives: &["bits", "undefined"],
            requirement: "tex.dtype",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureIntegerNormalised,
            name: "tex.integer-normalised",
            question: "Do integer coordinates count texels of a texture whose coordinates are normalised?",
            alternatives: &["texels", "undefined"],
            requirement: "tex.integer-coordinates",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureIntegerOutside,
            name: "tex.integer-outside",
            question: "Does the address mode apply to integer coordinates outside of the image, or do they give zero?",
            alternatives: &["address-mode", "zero"],
            requirement: "tex.integer-coordinates.outside",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureInitializer,
            name: "tex.initializer",
            question: "Which sampler has a texture variable whose initialiser says another than the host that binds it?",
            alternatives: &["host", "initializer"],
            requirement: "sampler.texref.initializer",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureLayer,
            name: "tex.layer",
            question: "Which texture of an array does tex select with an index that the array does not have?",
            alternatives: &["last-layer", "undefined"],
            requirement: "tex.array.outside",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureComponents,
            name: "tex.components",
            question: "Are the components of tex that texels do not have (0, 0, 0, 1), as read_image of OpenCL 1.0 has them?",
            alternatives: &["as-opencl", "undefined"],
            requirement: "tex.components",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TxqModes,
            name: "txq.modes",
            question: "Are the integers that txq gives for filter and address modes the places of the modes in the lists of Table 10?",
            alternatives: &["places", "undefined"],
            requirement: "txq.sampler-modes",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::SurfaceClampBeyond,
            name: "surface.clamp-beyond",
            question: "Are the parts of a clamped store that lie beyond the row dropped, or does each go to the nearest place in the row?",
            alternatives: &["dropped", "nearest"],
            requirement: "surface.clamp.beyond",
            experiment: Some("X4"),
        },
        ChoiceInfo {
            choice: Choice::SurfaceReadAfterWrite,
            name: "surface.read-after-write",
            question: "Does a surface load find what a surface store or reduction of the same launch wrote?",
            alternatives: &["coherent", "undefined"],
            requirement: "surface.read-after-write",
            experiment: Some("X20"),
        },
        ChoiceInfo {
            choice: Choice::AlignBelowNatural,
            name: "align.below-natural",
            question: "Does a variable whose .align is below the alignment that its type has by default keep the latter, or is .align taken literally?",
            alternatives: &["natural", "literal"],
            requirement: "align.below-natural",
            experiment: Some("X25"),
        },
    ];

    /// Number of choices.
    pub const COUNT: usize = Self::ALL.len();

    /// Whether the first alternative permits everything that the others do. What is allowed is then found without the others, which only
    /// tell apart what a target does.
    pub fn is_contained_in_first(self) -> bool {
        self == Self::SustNormalised
    }

    /// What is known of this choice.
    pub fn info(self) -> &'static ChoiceInfo {
        &Self::ALL[self as usize]
    }
}

/// For each choice the index of the alternative taken: by default the first of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Assignment([u8; Choice::COUNT]);

impl Default for Assignment {
    fn default() -> Self {
        Self([0; Choice::COUNT])
    }
}

impl Assignment {
    /// The alternative taken for `choice`.
    pub fn get(&self, choice: Choice) -> u8 {
        self.0[choice as usize]
    }

    /// This assignment with another alternative for `choice`.
    #[must_use]
    pub fn with(mut self, choice: Choice, alternative: u8) -> Self {
        debug_assert!(usize::from(alternative) < choice.info().alternatives.len());
        self.0[choice as usize] = alternative;
        self
    }
}

/// A set of choices, as a run notes the ones it consulted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChoiceSet(u64);

impl ChoiceSet {
    /// Adds a choice.
    pub fn insert(&mut self, choice: Choice) {
        self.0 |= 1 << choice as u8;
    }

    /// Whether it holds the choice.
    pub fn contains(self, choice: Choice) -> bool {
        self.0 >> (choice as u8) & 1 == 1
    }

    /// Adds every choice of `other`.
    pub fn extend(&mut self, other: ChoiceSet) {
        self.0 |= other.0;
    }

    /// Those of its choices that `wanted` names.
    #[must_use]
    pub fn only(self, wanted: impl Fn(Choice) -> bool) -> Self {
        let mut set = Self::default();
        self.iter().filter(|choice| wanted(*choice)).for_each(|choice| set.insert(choice));
        set
    }

    /// The choices it holds, in the order of [`Choice::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Choice> {
        Choice::ALL.iter().map(|info| info.choice).filter(move |c| self.contains(*c))
    }
}

macro_rules! deviations {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal is $class:ident,)+) => {
        /// A named departure from the specification: a mutant that measures the corpus, a diagnosis that explains a
        /// mismatch, or part of the profile of a known target.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Deviation { $($(#[doc = $doc])+ $variant,)+ }

        impl Deviation {
            /// Every deviation with its name on the command line and a sentence that says what it does.
            pub const ALL: &'static [(Deviation, &'static str, &'static str)] =
                &[$((Deviation::$variant, $name, concat!($($doc),+)),)+];

            /// What a mismatch that it explains is a matter of: the class of the cause, whatever the symptom.
            pub fn class(self) -> MismatchClass {
                match self {
                    $(Self::$variant => MismatchClass::$class,)+
                }
            }
        }
    };
}

deviations! {
    /// `suld` with `.clamp` loads zero out of bounds, as `.zero` does.
    SuldClampAsZero = "suld.clamp-as-zero" is Clamp,
    /// `sust` with `.clamp` drops stores out of bounds, as `.zero` does.
    SustClampAsZero = "sust.clamp-as-zero" is Clamp,
    /// Surface accesses take `.clamp` for `.trap` and the reverse.
    SurfaceClampTrapSwapped = "surface.clamp-trap-swapped" is Clamp,
    /// The x coordinate of `suld.b`, `sust.b` and `sured.b` counts texels instead of bytes.
    SurfaceXAsTexel = "surface.x-as-texel" is Addressing,
    /// A negative x coordinate of a surface access counts as a large unsigned one.
    SurfaceNegativeXUnsigned = "surface.negative-x-unsigned" is Addressing,
    /// Surface accesses check the bound of their first byte only.
    SurfaceBoundFirstByte = "surface.bound-first-byte" is OutOfBounds,
    /// The y coordinate of a surface access is not checked but wraps to the height.
    SurfaceYWraps = "surface.y-wraps" is OutOfBounds,
    /// `suld.b.b8` sign-extends into a wider register.
    SuldB8SignExtended = "suld.b8-sign-extended" is Conversion,
    /// `.v4.b8` and other vectors of a surface access are packed in reverse order.
    SurfaceVectorReversed = "surface.vector-reversed" is Layout,
    /// `atom.inc` wraps when the old value is greater than the bound, instead of greater or equal.
    AtomIncOffByOne = "atom.inc-off-by-one" is Atomicity,
    /// `atom.dec` ignores that the old value is greater than the bound.
    AtomDecIgnoresGreater = "atom.dec-ignores-greater" is Atomicity,
    /// `atom.cas` returns the new value instead of the old one.
    AtomCasReturnsNew = "atom.cas-returns-new" is Atomicity,
    /// `atom.min` and `atom.max` on signed types compare as unsigned.
    AtomMinMaxUnsigned = "atom.min-max-unsigned" is Atomicity,
    /// `ld` of `.s8` and `.s16` zero-extends.
    LdSignedZeroExtended = "ld.signed-zero-extended" is Conversion,
    /// `shl` and `shr` take the amount modulo the width instead of clamping it.
    ShiftAmountMasked = "shift.amount-masked" is Value,
    /// `mad.hi`, `mul.hi` on signed types multiply as unsigned.
    MulHiUnsigned = "mul.hi-unsigned" is Value,
    /// `cvt.rni` rounds halves away from zero.
    CvtRniHalfAway = "cvt.rni-half-away" is Conversion,
    /// `fma` rounds the product before it adds.
    FmaUnfused = "fma.unfused" is Conversion,
    /// `bfe.s32` zero-extends the field.
    BfeSignedZeroExtended = "bfe.signed-zero-extended" is Conversion,
    /// Predicated-off lanes of a warp execute `st` all the same.
    PredicateIgnoredBySt = "st.predicate-ignored" is Value,
    /// A misaligned surface address goes to the nearest aligned one instead of the one below.
    SurfaceMisalignedRounded = "surface.misaligned-rounded" is Alignment,
    /// The x coordinate of `sust.p` and `sured.p` counts bytes instead of samples.
    SurfaceSampleXAsByte = "surface.sample-x-as-byte" is Addressing,
    /// The layer index of a surface access is signed.
    SurfaceLayerSigned = "surface.layer-signed" is Addressing,
    /// The last of four surface coordinates is used: as z of 3d surfaces, as y of 2d arrays.
    SurfaceFourthCoordinate = "surface.fourth-coordinate" is Addressing,
    /// `sust.p` writes the components of a texel in reverse order.
    SustPReversed = "sust.p-reversed" is Layout,
    /// `sust.p` writes zero to the components that its source does not have.
    SustPMissingZeroed = "sust.p-missing-zeroed" is UnpredictableComponent,
    /// `sust.p` truncates to normalised formats instead of rounding to the nearest.
    SustPTruncates = "sust.p-truncates" is Conversion,
    /// `sured.p` takes data for unsigned whatever the format of the surface.
    SuredPSignFromOpcode = "sured.p-sign-from-opcode" is Conversion,
    /// `sured` on 64 bits is two reductions on 32 bits.
    SuredWideAsHalves = "sured.wide-as-halves" is Atomicity,
    /// `sured` with `.zero` reduces the nearest location out of bounds.
    SuredZeroWrites = "sured.zero-writes" is Clamp,
    /// The immediate offset of `LDL`, `LDS` and `ATOMS` is zero-extended beside a register, too.
    SpaOffsetZeroExtended = "spa.offset-zero-extended" is Addressing,
    /// The immediate of `LDL`, `LDS` and `ATOMS` is sign-extended without a register, too.
    SpaAbsoluteSignExtended = "spa.absolute-sign-extended" is Addressing,
    /// The sum of register and offset of `LDL`, `LDS` and `ATOMS` does not wrap at 32 bits.
    SpaAddressNotWrapped = "spa.address-not-wrapped" is Addressing,
    /// `LDL` and `LDS` read the bytes at a misaligned address.
    SpaMisalignedNotForced = "spa.misaligned-not-forced" is Alignment,
    /// `LDL` and `LDS` read zero outside of what is allocated, without an error.
    SpaOutOfBoundsSilent = "spa.out-of-bounds-silent" is OutOfBounds,
    /// `LDL` and `LDS` leave Rd as it was outside of what is allocated.
    SpaOutOfBoundsKept = "spa.out-of-bounds-kept" is OutOfBounds,
    /// `LDS.U` reads at the address of the first thread for all of them.
    SpaUniformFromFirstLane = "spa.uniform-from-first-lane" is Addressing,
    /// `LDL.LU` loses what it has read even where it covers no whole line.
    SpaLastUseAlwaysLost = "spa.last-use-always-lost" is Value,
    /// Loads of 64 and 128 bits put the word at the lowest address into the last register.
    SpaWideReversed = "spa.wide-reversed" is Layout,
    /// `ATOMS` forces a misaligned address to align, as loads do, without an error.
    SpaAtomsMisalignedMasked = "spa.atoms-misaligned-masked" is Alignment,
    /// `ATOMS.CAS` and `.CAST` compare with Rc and store Rb.
    SpaCasComparesRc = "spa.cas-compares-rc" is Atomicity,
    /// `ATOMS.CAST` returns the value it found.
    SpaCastReturnsOld = "spa.cast-returns-old" is Atomicity,
    /// `.SPIN` lets none of several contending threads attempt.
    SpaSpinNoneWins = "spa.spin-none-wins" is Atomicity,
    /// `.SPIN` lets every contending thread attempt.
    SpaSpinIgnored = "spa.spin-ignored" is Atomicity,
    /// The values of lists that are shorter than their dimension stand without gaps: what ptxas emits.
    PtxasPackedLists = "ptxas.packed-lists" is Layout,
    /// An address in a variable of 32 bits overwrites the four bytes behind it with its upper half: what ptxas emits.
    PtxasWideAddress = "ptxas.wide-address" is Layout,
    /// `%` in a constant expression is unsigned, and `?:` has the sign of the branch taken: what ptxas makes of them.
    PtxasExpressionSign = "ptxas.expression-sign" is Conversion,
    /// The address of a `.const` variable in an initialiser is its generic one.
    InitConstGeneric = "init.const-generic" is Layout,
    /// `generic()` in an initialiser changes nothing: the address is the offset in the variable's space.
    InitGenericIgnored = "init.generic-ignored" is Layout,
    /// `tex` with linear filtering takes the texel that the coordinates lie in and the next, not those half a texel around them.
    TexLinearOffset = "tex.linear-offset" is Addressing,
    /// `tex` with linear filtering weighs texels by all bits of the fraction.
    TexWeightsUnquantised = "tex.weights-unquantised" is Conversion,
    /// `tex` wraps in mirror mode.
    TexMirrorAsWrap = "tex.mirror-as-wrap" is Clamp,
    /// `tex` clamps to the edge in wrap mode.
    TexWrapAsClamp = "tex.wrap-as-clamp" is Clamp,
    /// `tex` clamps to the edge in border mode.
    TexBorderAsClamp = "tex.border-as-clamp" is Clamp,
    /// `tex` without filtering rounds coordinates to the nearest integer instead of down.
    TexNearestRounds = "tex.nearest-rounds" is Addressing,
    /// The layer of `tex` outside of the array wraps around: permitted, since no text says which layer it is.
    TexLayerWraps = "tex.layer-wraps" is Addressing,
    /// The fourth component of `tex`, where texels have none, is 0: permitted, since no text says what it is.
    TexMissingWZero = "tex.missing-w-zero" is UnpredictableComponent,
    /// `tex` takes normalised coordinates for coordinates in texels.
    TexNormalisedIgnored = "tex.normalised-ignored" is Addressing,
    /// The address mode of x holds for all dimensions of `tex`.
    TexAddressOfX = "tex.address-of-x" is Clamp,
    /// `tex` zero-extends signed texels.
    TexSignedZeroExtended = "tex.signed-zero-extended" is Conversion,
    /// `tex` does not look at `force_unnormalized_coords`.
    TexForceIgnored = "tex.force-ignored" is Addressing,
    /// x and y of an access to a 2d array are unsigned, so that `.clamp` moves negative ones to the last column and row: the code that
    /// ptxas 11.8 makes for Kepler (`SUCLAMP.U32`).
    KeplerA2dUnsigned = "kepler.a2d-unsigned" is Addressing,
    /// A surface access that begins inside a row and ends beyond it is in bounds, and goes on into whatever pads the row; `.clamp` moves
    /// one beyond the row to the last such place: the code that ptxas 11.8 makes for Kepler.
    KeplerStraddleInBounds = "kepler.straddle-in-bounds" is OutOfBounds,
    /// A misaligned surface access that begins above the last aligned place in a row is out of bounds, instead of masked or a
    /// fault: the code that ptxas 11.8 makes for Kepler (`SUCLAMP` compares with the bound before it looks at the alignment).
    KeplerMisalignedOutOfBounds = "kepler.misaligned-out-of-bounds" is Alignment,
    /// The y coordinate of a 3d surface access is held against the depth instead of the height.
    SurfaceYBoundFromDepth = "surface.y-bound-from-depth" is OutOfBounds,
    /// The z coordinate of a 3d surface access is held against the height instead of the depth.
    SurfaceZBoundFromHeight = "surface.z-bound-from-height" is OutOfBounds,
    /// `suld` with `.zero` leaves its destination as it was out of bounds.
    SuldZeroKeepsDestination = "suld.zero-keeps-destination" is Clamp,
    /// `suld` of a vector with `.zero` clears the first register of its destination only out of bounds.
    SuldZeroFirstElement = "suld.zero-first-element" is Clamp,
    /// `.clamp` moves an access narrower than a texel to the nearest texel and keeps its place within the texel.
    SurfaceClampKeepsOffset = "surface.clamp-keeps-offset" is Clamp,
    /// `sured.p` takes the data of SINT formats of 8 and 16 bits for unsigned.
    SuredPNarrowUnsigned = "sured.p-narrow-unsigned" is Conversion,
    /// Every `.surfref` variable, and every `.surfref` parameter, is the first that has a surface.
    SurfaceFirstReference = "surface.first-reference" is Addressing,
    /// `LDL` and `LDS` that begin inside of what is allocated and end outside raise no error.
    SpaWideBoundFirstByte = "spa.wide-bound-first-byte" is OutOfBounds,
    /// `ATOMS` sign-extends its immediate beside a register that the shader does not have.
    SpaAtomsMissingRegisterSigned = "spa.atoms-missing-register-signed" is Addressing,
    /// Of the lanes of a warp whose `ATOMS` meet in one location, each finds what was there before all of them, and the last one's
    /// result alone is kept.
    SpaAtomsLostUpdate = "spa.atoms-lost-update" is Atomicity,
    /// `mask()` of an address in a variable of 32 or 64 bits keeps the bits above the byte.
    InitMaskKeepsUpper = "init.mask-keeps-upper" is Layout,
    /// `min` and `max` of a signalling NaN and a number are a NaN.
    MinMaxSignallingNan = "min-max.signalling-nan" is Value,
    /// `cvt` to a narrower floating-point type drops the low bits of a NaN, so that one without others becomes an infinity.
    CvtNanToInfinity = "cvt.nan-to-infinity" is Conversion,
    /// CC.CF after `sub` is the carry of the sum with the complement, the opposite of the borrow, and `subc` takes it so: what ptxas makes
    /// of them (`IADD.CC`, `IADD3.X` with the source inverted).
    PtxasBorrowInverted = "ptxas.borrow-inverted" is Value,
    /// Before PTX 3.1 the address of a `.global` variable in an initialiser is its offset in global memory, which no access takes for a
    /// generic address.
    InitImplicitGenericIgnored = "init.implicit-generic-ignored" is Layout,
}

impl Deviation {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Whether the specification permits it all the same, so that a target with it conforms: what `sust.p` writes to
    /// components that its source does not have is unpredictable, zero like anything else; and nothing is said of layers that an
    /// array of textures, or of components that a texel does not have.
    pub fn is_permitted(self) -> bool {
        matches!(self, Self::SustPMissingZeroed | Self::TexLayerWraps | Self::TexMissingWZero)
    }

    /// Whether it is about initial values that generated programs do not have: addresses, and lists and expressions of which the
    /// assembler makes other bytes than the text.
    pub fn is_of_initial_values(self) -> bool {
        matches!(
            self,
            Self::PtxasPackedLists
                | Self::PtxasWideAddress
                | Self::PtxasExpressionSign
                | Self::InitConstGeneric
                | Self::InitGenericIgnored
                | Self::InitMaskKeepsUpper
                | Self::InitImplicitGenericIgnored
        )
    }

    /// The deviation of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, n, _)| *n == name).map(|(deviation, ..)| *deviation)
    }
}

/// What the emulator implements: an assignment of the choices, and departures from the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Semantics {
    /// The alternatives taken.
    pub assignment: Assignment,
    deviations: u128,
}

impl Semantics {
    /// Whether it departs in this way.
    pub fn has(&self, deviation: Deviation) -> bool {
        self.deviations >> (deviation as u8) & 1 == 1
    }

    /// Whether it departs in no way.
    pub fn is_specification(&self) -> bool {
        self.deviations == 0
    }

    /// These semantics with one more departure.
    #[must_use]
    pub fn with(mut self, deviation: Deviation) -> Self {
        self.deviations |= 1 << deviation as u8;
        self
    }

    /// These semantics under another assignment.
    #[must_use]
    pub fn under(mut self, assignment: Assignment) -> Self {
        self.assignment = assignment;
        self
    }

    /// The departures, in the order of the catalogue.
    pub fn deviations(&self) -> impl Iterator<Item = Deviation> {
        let set = *self;
        Deviation::ALL.iter().map(|(d, ..)| *d).filter(move |d| set.has(*d))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn catalogues_are_in_the_order_of_their_enums_and_fit_a_word() {
        assert!(Choice::ALL.iter().enumerate().all(|(index, info)| info.choice as usize == index));
        assert!(
            Deviation::ALL.iter().enumerate().all(|(index, (deviation, ..))| *deviation as usize == index)
        );
        assert!(Choice::COUNT <= 64 && Deviation::ALL.len() <= 128);
        assert!(Choice::ALL.iter().all(|info| info.alternatives.len() >= 2));
    }

    #[test]
    fn names_are_unique_and_found_again() {
        let names: HashSet<&str> = Deviation::ALL.iter().map(|(_, name, _)| *name).collect();
        assert_eq!(names.len(), Deviation::ALL.len());
        assert!(
            Deviation::ALL
                .iter()
                .all(|(d, name, _)| d.name() == *name && Deviation::from_name(name) == Some(*d))
        );
        assert_eq!(Deviation::from_name("suld.clamp-as-one"), None);
        let names: HashSet<&str> = Choice::ALL.iter().map(|info| info.name).collect();
        assert_eq!(names.len(), Choice::COUNT);
    }

    #[test]
    fn semantics_hold_what_was_put_in_and_nothing_else() {
        let empty = Semantics::default();
        assert!(empty.is_specification() && empty.deviations().next().is_none());
        let (a, b) = (Deviation::SurfaceYWraps, Deviation::PredicateIgnoredBySt);
        let both = empty.with(b).with(a).with(a);
        assert!(
            !both.is_specification() && both.has(a) && both.has(b) && !both.has(Deviation::SuldClampAsZero)
        );
        assert_eq!(both.deviations().collect::<Vec<_>>(), [a, b]);
        let assignment = Assignment::default().with(Choice::SurfaceStraddle, 1);
        assert_eq!(assignment.get(Choice::SurfaceStraddle), 1);
        assert_eq!(assignment.get(Choice::SurfaceMisaligned), 0);
        assert!(empty.under(assignment).is_specification(), "a choice is no deviation");
    }

    #[test]
    fn sets_of_choices() {
        let mut set = ChoiceSet::default();
        set.insert(Choice::MemoryMisaligned);
        let mut other = ChoiceSet::default();
        other.insert(Choice::SurfaceMisaligned);
        other.insert(Choice::MemoryMisaligned);
        set.extend(other);
        assert_eq!(set.iter().collect::<Vec<_>>(), [Choice::SurfaceMisaligned, Choice::MemoryMisaligned]);
        assert!(!set.contains(Choice::SurfaceStraddle));
    }
}
