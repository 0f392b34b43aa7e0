//! Points that the specification leaves open, with their alternatives by name.

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
    /// `tex` with integer coordinates and a separate sampler that filters: the reads of OpenCL that take integer coordinates "must use a
    /// sampler with filter mode set to CLK_FILTER_NEAREST" (1.0, 6.11.8), and of others nothing is said. ptxas takes a texel in some
    /// instructions, and filters in the others.
    TextureIntegerSampler,
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
    /// becomes of what does not fit there. Loads have the same freedom. Where all of the access fits, as before the row, "the nearest surface
    /// location" is that of the whole access, and an element that is clamped by itself violates.
    SurfaceClampBeyond,
    /// A surface load of bytes that a surface store or reduction of the same launch wrote: "any texture fetch or surface read to an address
    /// that has been written to via a global write or a surface write in the same kernel call returns undefined data", by the same thread,
    /// too (CUDA programming guide, "Read/Write Coherency").
    SurfaceReadAfterWrite,
    /// A variable whose `.align` is below the natural alignment of its type.
    AlignBelowNatural,
    /// `tex.level` with a level that the texture does not have, and `tex.grad` with derivatives that are not all 0: "the LOD to fetch from",
    /// of which no text says how many there are, nor how derivatives make one.
    TextureLevel,
    /// `tld4`: "counter-clockwise order starting at lower left", and whether the lower row is that of the greater or of the smaller y is not
    /// said.
    TextureGatherOrder,
    /// `tex.cube`, where "the coordinate of the largest magnitude" is not one, but two or all three.
    TextureCubeTie,
    /// `tld4` in mirror mode. The guide mirrors the coordinate ("x is replaced by 1 - frac(x)" in the periods that are mirrored), so that the
    /// texels are taken around the mirrored one, the left one of the image at left; OpenGL 4.6 (8.14.2, 8.14.3) and Vulkan, whose
    /// gathers have the order of `tld4`, take them around the coordinate itself and mirror each, so that left is the right one of the image.
    TextureGatherMirror,
}

/// The facts about a [`Choice`].
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
            choice: Choice::TextureIntegerSampler,
            name: "tex.integer-sampler",
            question: "Do integer coordinates name a texel where a separate sampler filters, or is the texture filtered there, as at other numbers, or does that depend on the instruction?",
            alternatives: &["texels", "filtered", "by-instruction"],
            requirement: "tex.integer-coordinates.sampler",
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
        ChoiceInfo {
            choice: Choice::TextureLevel,
            name: "tex.level",
            question: "What does tex give of a level that the texture does not have: the nearest one that it has, or anything?",
            alternatives: &["nearest-level", "undefined"],
            requirement: "tex.level.another",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureGatherOrder,
            name: "tld4.order",
            question: "Is the lower left of the four texels of tld4 that of the greater y, as OpenGL and Direct3D gather, or that of the smaller?",
            alternatives: &["greater-y", "smaller-y"],
            requirement: "tld4.order",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureCubeTie,
            name: "tex.cube-tie",
            question: "Of coordinates of the same magnitude, which one selects the face of a cube: that which comes first in which order?",
            alternatives: &["x-y-z", "x-z-y", "y-x-z", "y-z-x", "z-x-y", "z-y-x"],
            requirement: "tex.cube.tie",
            experiment: None,
        },
        ChoiceInfo {
            choice: Choice::TextureGatherMirror,
            name: "tld4.mirror",
            question: "In mirror mode, is the coordinate of tld4 mirrored before its texels are taken, or is each texel, as OpenGL and Vulkan do?",
            alternatives: &["coordinate", "texels"],
            requirement: "tld4.mirror",
            experiment: None,
        },
    ];

    /// Number of choices.
    pub const COUNT: usize = Self::ALL.len();

    /// Whether the first alternative permits everything that the others do. The permitted set is then found without the others,
    /// which only distinguish targets.
    pub fn is_contained_in_first(self) -> bool {
        self == Self::SustNormalised
    }

    /// The facts about this choice.
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

    /// The choice in which another assignment differs from this one, if it is one alone.
    pub fn only_change(&self, other: Self) -> Option<Choice> {
        let mut changed = (0..Choice::COUNT).filter(|place| self.0[*place] != other.0[*place]);
        let first = changed.next()?;
        changed.next().is_none().then(|| Choice::ALL[first].choice)
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

    /// Its choices that `wanted` selects.
    #[must_use]
    pub fn only(self, wanted: impl Fn(Choice) -> bool) -> Self {
        let mut set = Self::default();
        self.iter().filter(|choice| wanted(*choice)).for_each(|choice| set.insert(choice));
        set
    }

    /// The choices it holds, in the order of [`Choice::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Choice> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let info = Choice::ALL.get(left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(info.choice)
        })
    }
}
