//! The branches of rules, and sets of them.

use warpdiff_model::Choice;
use warpdiff_model::choice::ChoiceSet;

macro_rules! rulings {
    ($($(#[$meta:meta])* $name:ident = $text:literal,)+) => {
        /// A branch of a rule that decided what an instruction did.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Ruling { $($(#[$meta])* $name,)+ }

        impl Ruling {
            /// Every ruling with its name.
            pub const ALL: &'static [(Ruling, &'static str)] = &[$((Ruling::$name, $text),)+];
        }
    };
}

rulings! {
    /// The guard kept all lanes that are there from executing the instruction.
    GuardOff = "guard off",
    /// The guard kept some of them from it.
    GuardParts = "guard on in some lanes",
    /// Lanes of the warp that have not ended are elsewhere.
    PartOfWarp = "part of the warp",
    /// Lanes that were apart execute it together.
    Reconverges = "lanes joined",
    /// All lanes take the branch.
    BranchTaken = "branch taken",
    /// No lane takes it.
    BranchNotTaken = "branch not taken",
    /// Some lanes take it.
    BranchDiverges = "branch diverges",
    /// Some lane goes back to an earlier instruction.
    BranchBack = "branch back",
    /// Lanes wait for others.
    Waits = "waits",
    /// Bits of a result are undefined.
    Undefined = "undefined bits",
    /// It must report a surface trap.
    FaultSurfaceTrap = "fault: surface trap",
    /// It must report an access out of bounds.
    FaultOutOfBounds = "fault: out of bounds",
    /// It must report a misaligned access.
    FaultMisaligned = "fault: misaligned",
    /// It must report another fault.
    FaultOther = "fault: another",
    /// It may report a fault.
    FaultMay = "possible fault",
    /// The address is one of global memory.
    MemoryGlobal = "global memory",
    /// The address is one of shared memory.
    MemoryShared = "shared memory",
    /// The address is one of local memory.
    MemoryLocal = "local memory",
    /// The address is one of constant memory or of the parameters.
    MemoryConstant = "constant memory",
    /// The atomic changes the value that is there.
    AtomicChanges = "atomic changes",
    /// The atomic leaves the value that is there.
    AtomicKeeps = "atomic keeps",
    /// `.cas`: the value is that which is compared with.
    CompareMatches = "compare matches",
    /// `.cas`: it is another one.
    CompareFails = "compare fails",
    /// `.inc`: "(old >= b) ? 0".
    IncrementWraps = "increment wraps",
    /// `.dec`: "(old == 0 || old > b) ? b".
    DecrementWraps = "decrement wraps",
    /// `.add` of integers: the sum does not fit.
    AtomicCarries = "atomic sum carries",
    /// Several lanes of the warp change one place.
    AtomicContended = "atomic contended",
    /// All coordinates are in the surface.
    SurfaceInside = "surface inside",
    /// x is negative.
    SurfaceXLow = "surface x low",
    /// The access begins behind the row.
    SurfaceXHigh = "surface x high",
    /// The access begins in the row and ends behind it.
    SurfaceStraddles = "surface straddle",
    /// y is negative.
    SurfaceYLow = "surface y low",
    /// y is beyond the last row.
    SurfaceYHigh = "surface y high",
    /// z is negative.
    SurfaceZLow = "surface z low",
    /// z is beyond the last slice.
    SurfaceZHigh = "surface z high",
    /// There is no such layer.
    SurfaceLayerOut = "surface layer out",
    /// x is no multiple of the size of the access.
    SurfaceMisaligned = "surface misaligned",
    /// Out of bounds under `.clamp`.
    SurfaceClamped = "surface clamped",
    /// Out of bounds under `.zero`.
    SurfaceZeroed = "surface zeroed",
    /// Out of bounds under `.trap`.
    SurfaceTrapped = "surface trapped",
    /// The geometry is not that of the surface.
    SurfaceGeometry = "surface of another geometry",
    /// A component that `sust.p` stores is below the range of the format.
    TexelLow = "texel saturated low",
    /// A component is above its range.
    TexelHigh = "texel saturated high",
    /// A component is NaN.
    TexelNan = "texel NaN",
    /// A component is rounded.
    TexelRounded = "texel rounded",
    /// A component is subnormal in the format.
    TexelSubnormal = "texel subnormal",
    /// All coordinates are in the texture.
    TextureInside = "texture inside",
    /// A coordinate is outside, and the image repeats.
    TextureWraps = "texture wraps",
    /// A coordinate is outside, and the image is mirrored.
    TextureMirrors = "texture mirrors",
    /// A coordinate is outside, and is clamped.
    TextureClamps = "texture clamps",
    /// A coordinate is outside, where the border colour is.
    TextureBorder = "texture border",
    /// A coordinate is NaN.
    TextureNan = "texture NaN",
    /// There is no such layer.
    TextureLayerOut = "texture layer out",
    /// Texels are filtered.
    TextureFiltered = "texture filtered",
    /// A coordinate is multiplied by the extent.
    TextureNormalised = "texture normalised",
    /// The result does not fit its type.
    IntegerOverflows = "integer overflow",
    /// `.sat`: the result is clamped.
    IntegerSaturates = "integer saturated",
    /// A sum or difference of words without a sign goes beyond a word.
    IntegerCarries = "integer carry",
    /// A signed factor is negative.
    FactorNegative = "factor negative",
    /// The upper word of a product has more than its sign.
    ProductUpper = "product beyond a word",
    /// The result is zero.
    IntegerZero = "integer zero",
    /// The divisor is zero.
    DivisionByZero = "division by zero",
    /// The quotient is no integer.
    DivisionInexact = "division inexact",
    /// Dividend and divisor have different signs.
    DivisionNegative = "division negative",
    /// The shift is by zero.
    ShiftByZero = "shift by zero",
    /// The shift is by the width of the type or more.
    ShiftOver = "shift over width",
    /// `.wrap`: the shift is by more than the width of the type, and is taken modulo that.
    ShiftWraps = "shift wraps",
    /// A source is a part of a word.
    VideoPart = "video part",
    /// A signed source of a video instruction is negative.
    VideoNegative = "video source negative",
    /// The result goes into a part of a word.
    VideoMerges = "video merges",
    /// The third source is the lesser or greater one.
    VideoThirdTaken = "video third source taken",
    /// The absolute value of a difference is its negative.
    DifferenceNegated = "difference negated",
    /// Bits are lost by which a sum is shifted.
    ScaledInexact = "scaled inexactly",
    /// The bit field has no bits.
    FieldEmpty = "bit field empty",
    /// The bit field goes beyond the register.
    FieldBeyond = "bit field beyond",
    /// An operand is NaN.
    FloatNan = "float NaN",
    /// An operand is infinite.
    FloatInfinite = "float infinite",
    /// An operand is zero.
    FloatZero = "float zero",
    /// An operand is subnormal.
    FloatSubnormal = "float subnormal",
    /// A subnormal operand counts as zero.
    FloatFlushedIn = "float operand flushed",
    /// A subnormal result is zero.
    FloatFlushedOut = "float result flushed",
    /// The result is the exact one.
    FloatExact = "float exact",
    /// The result is less than the exact one.
    FloatRoundedDown = "float rounded down",
    /// The result is greater than the exact one.
    FloatRoundedUp = "float rounded up",
    /// The exact result lies in the middle between two numbers.
    FloatTie = "float tie",
    /// The exact result is finite and beyond the greatest number.
    FloatOverflows = "float overflow",
    /// The result is subnormal.
    FloatUnderflows = "float result subnormal",
    /// The result is NaN, and no operand is.
    FloatInvalid = "float invalid",
    /// `.sat`: the result is clamped.
    FloatSaturates = "float saturated",
    /// The result of a sum of other numbers than zero is zero.
    FloatCancels = "float cancels",
    /// The source is NaN.
    ConvertNan = "convert NaN",
    /// The source is below the range of the destination.
    ConvertLow = "convert low",
    /// The source is above the range of the destination.
    ConvertHigh = "convert high",
    /// The destination has the value of the source.
    ConvertExact = "convert exact",
    /// The destination is less than the source.
    ConvertDown = "convert down",
    /// The destination is greater than the source.
    ConvertUp = "convert up",
    /// A comparison holds.
    CompareTrue = "comparison true",
    /// A comparison does not hold.
    CompareFalse = "comparison false",
    /// The operands are equal.
    CompareEqual = "operands equal",
    /// An operand of a comparison is NaN.
    CompareUnordered = "operands unordered",
    /// The lane that a shuffle names is in its segment.
    ShuffleInside = "shuffle inside",
    /// It is outside, and the lane reads itself.
    ShuffleOutside = "shuffle outside",
    /// All lanes bring the same.
    LanesAgree = "lanes agree",
    /// Lanes bring different values.
    LanesDiffer = "lanes differ",
}

impl Ruling {
    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A set of rulings, with the choices that were consulted beside them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rulings {
    decided: u128,
    /// The choices that the specification leaves open there.
    pub chosen: ChoiceSet,
}

const _: () = assert!(Ruling::ALL.len() <= u128::BITS as usize, "a set has a bit for each ruling");

impl Rulings {
    /// Adds one.
    pub fn insert(&mut self, ruling: Ruling) {
        self.decided |= 1 << ruling as u8;
    }

    /// Adds one if something holds.
    pub fn when(&mut self, holds: bool, ruling: Ruling) {
        self.decided |= u128::from(holds) << ruling as u8;
    }

    /// Adds all of another set.
    pub fn extend(&mut self, other: Self) {
        self.decided |= other.decided;
        self.chosen.extend(other.chosen);
    }

    /// Whether it holds that one.
    pub fn contains(self, ruling: Ruling) -> bool {
        self.decided >> (ruling as u8) & 1 == 1
    }

    /// Whether there is none, and no choice.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Its rulings, in the order of [`Ruling::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Ruling> {
        Ruling::ALL.iter().map(|(ruling, _)| *ruling).filter(move |ruling| self.contains(*ruling))
    }

    /// Its choices, by their names.
    pub fn choices(self) -> impl Iterator<Item = Choice> {
        self.chosen.iter()
    }
}

impl FromIterator<Ruling> for Rulings {
    fn from_iter<I: IntoIterator<Item = Ruling>>(rulings: I) -> Self {
        let mut set = Self::default();
        rulings.into_iter().for_each(|ruling| set.insert(ruling));
        set
    }
}
