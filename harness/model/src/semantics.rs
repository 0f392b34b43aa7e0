//! Semantics as a value: the choices the specification leaves open, and named departures from it.
//!
//! The empty value ([`Semantics::default`]) is the specification with the first alternative of every choice. A run notes
//! which choices it consulted; repeating it per assignment gives the set of what is allowed.

/// A point the specification leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Choice {
    /// A misaligned surface access.
    SurfaceMisaligned,
    /// A surface access that begins inside the row and ends beyond it.
    SurfaceStraddle,
    /// Which bytes `.clamp` picks for an access that is wider than a texel.
    SurfaceClampWide,
    /// A misaligned `ld`, `st`, `atom` or `red`.
    MemoryMisaligned,
    /// The result of `cvt` from NaN to an integer where the source is `.f64` or the destination is 64 bits wide. The
    /// manual of PTX ISA 9.x says `1 << (width - 1)`, older editions say zero; for every other pair both say zero.
    /// (Which NaN arithmetic returns is fixed by PTX only in part; what is open there is undefined bits, not a choice.)
    ConvertNanWide,
    /// Signed `div` and `rem` whose exact quotient is negative and no integer.
    DivideNegative,
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
            choice: Choice::SurfaceClampWide,
            name: "surface.clamp-wide",
            question: "Does `.clamp` move an access wider than a texel to the last aligned place where it fits, or to the last texel?",
            alternatives: &["last-fitting", "last-texel"],
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
    ];

    /// Number of choices.
    pub const COUNT: usize = Self::ALL.len();

    /// What is known of this choice.
    pub fn info(self) -> &'static ChoiceInfo {
        &Self::ALL[self as usize]
    }
}

/// For each choice the index of the alternative taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Assignment([u8; Choice::COUNT]);

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

    /// The choices it holds, in the order of [`Choice::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Choice> {
        Choice::ALL.iter().map(|info| info.choice).filter(move |c| self.contains(*c))
    }
}

macro_rules! deviations {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// A named departure from the specification: a mutant that measures the corpus, a diagnosis that explains a
        /// mismatch, or part of the profile of a known target.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Deviation { $($(#[doc = $doc])+ $variant,)+ }

        impl Deviation {
            /// Every deviation with its name on the command line and a sentence that says what it does.
            pub const ALL: &'static [(Deviation, &'static str, &'static str)] =
                &[$((Deviation::$variant, $name, concat!($($doc),+)),)+];
        }
    };
}

deviations! {
    /// `suld` with `.clamp` loads zero out of bounds, as `.zero` does.
    SuldClampAsZero = "suld.clamp-as-zero",
    /// `sust` with `.clamp` drops stores out of bounds, as `.zero` does.
    SustClampAsZero = "sust.clamp-as-zero",
    /// Surface accesses take `.clamp` for `.trap` and the reverse.
    SurfaceClampTrapSwapped = "surface.clamp-trap-swapped",
    /// The x coordinate of `suld.b` and `sust.b` counts texels instead of bytes.
    SurfaceXAsTexel = "surface.x-as-texel",
    /// A negative x coordinate of a surface access counts as a large unsigned one.
    SurfaceNegativeXUnsigned = "surface.negative-x-unsigned",
    /// Surface accesses check the bound of their first byte only.
    SurfaceBoundFirstByte = "surface.bound-first-byte",
    /// The y coordinate of a surface access is not checked but wraps to the height.
    SurfaceYWraps = "surface.y-wraps",
    /// `suld.b.b8` sign-extends into a wider register.
    SuldB8SignExtended = "suld.b8-sign-extended",
    /// `.v4.b8` and other vectors of a surface access are packed in reverse order.
    SurfaceVectorReversed = "surface.vector-reversed",
    /// `atom.inc` wraps when the old value is greater than the bound, instead of greater or equal.
    AtomIncOffByOne = "atom.inc-off-by-one",
    /// `atom.dec` ignores that the old value is greater than the bound.
    AtomDecIgnoresGreater = "atom.dec-ignores-greater",
    /// `atom.cas` returns the new value instead of the old one.
    AtomCasReturnsNew = "atom.cas-returns-new",
    /// `atom.min` and `atom.max` on signed types compare as unsigned.
    AtomMinMaxUnsigned = "atom.min-max-unsigned",
    /// `ld` of `.s8` and `.s16` zero-extends.
    LdSignedZeroExtended = "ld.signed-zero-extended",
    /// `shl` and `shr` take the amount modulo the width instead of clamping it.
    ShiftAmountMasked = "shift.amount-masked",
    /// `mad.hi`, `mul.hi` on signed types multiply as unsigned.
    MulHiUnsigned = "mul.hi-unsigned",
    /// `cvt.rni` rounds halves away from zero.
    CvtRniHalfAway = "cvt.rni-half-away",
    /// `fma` rounds the product before it adds.
    FmaUnfused = "fma.unfused",
    /// `bfe.s32` zero-extends the field.
    BfeSignedZeroExtended = "bfe.signed-zero-extended",
    /// Predicated-off lanes of a warp execute `st` all the same.
    PredicateIgnoredBySt = "st.predicate-ignored",
}

impl Deviation {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
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
    deviations: u64,
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
        assert!(Choice::COUNT <= 64 && Deviation::ALL.len() <= 64);
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
