//! Semantics as a value: an alternative for each choice, and deviations from the specification.
//!
//! The empty value ([`Semantics::default`]) is the specification with the first alternative of every choice. A run notes
//! which choices it consulted; repeating it per assignment gives the set of what is allowed.

use crate::catalogue::deviation::Deviation;
use crate::choice::Assignment;

/// The behaviour that the emulator implements: an assignment of the choices, and deviations from the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Semantics {
    /// The alternatives taken.
    pub assignment: Assignment,
    deviations: DeviationSet,
}

/// A set of deviations, a bit each.
///
/// Rules ask for deviations that they name, so that the word and the bit are constants: a question is one load and one test, however many
/// deviations there are. A rule that asks for many asks first whether there is any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct DeviationSet {
    /// Whether `words` has a bit.
    is_any: bool,
    words: [u64; DeviationSet::CAPACITY / 64],
}

impl DeviationSet {
    /// The number of deviations that fit.
    const CAPACITY: usize = 512;
}

const _: () = assert!(Deviation::COUNT <= DeviationSet::CAPACITY, "the catalogue has outgrown the set");

impl Semantics {
    /// Whether it has this deviation.
    #[inline]
    pub fn has(&self, deviation: Deviation) -> bool {
        self.deviations.words[deviation.index() / 64] >> (deviation.index() % 64) & 1 == 1
    }

    /// Whether it has no deviation.
    #[inline]
    pub fn is_specification(&self) -> bool {
        !self.deviations.is_any
    }

    /// These semantics with one more deviation.
    #[must_use]
    pub fn with(mut self, deviation: Deviation) -> Self {
        self.deviations.is_any = true;
        self.deviations.words[deviation.index() / 64] |= 1 << (deviation.index() % 64);
        self
    }

    /// These semantics under another assignment.
    #[must_use]
    pub fn under(mut self, assignment: Assignment) -> Self {
        self.assignment = assignment;
        self
    }

    /// The deviations, in the order of the catalogue.
    pub fn deviations(&self) -> impl Iterator<Item = Deviation> {
        let set = *self;
        Deviation::all().filter(move |deviation| set.has(*deviation))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::choice::{Choice, ChoiceSet};

    #[test]
    fn choices_are_in_the_order_of_their_enum_have_a_name_each_and_fit_a_word() {
        assert!(Choice::ALL.iter().enumerate().all(|(index, info)| info.choice as usize == index));
        assert!(Choice::COUNT <= 64 && Choice::ALL.iter().all(|info| info.alternatives.len() >= 2));
        let names: HashSet<&str> = Choice::ALL.iter().map(|info| info.name).collect();
        assert_eq!(names.len(), Choice::COUNT);
    }

    #[test]
    fn each_deviation_is_a_bit_of_its_own() {
        for (one, other) in Deviation::all().flat_map(|one| Deviation::all().map(move |other| (one, other))) {
            assert_eq!(Semantics::default().with(one).has(other), one == other, "{one} {other}");
        }
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
