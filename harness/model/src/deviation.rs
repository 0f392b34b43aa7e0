//! Named departures from the specification: the catalogue.

use crate::MismatchClass;

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
