//! Semantics as a value: an alternative for each point that the specification leaves open, and named departures from it.
//!
//! The empty value ([`Semantics::default`]) is the specification with the first alternative of every choice. A run notes
//! which choices it consulted; repeating it per assignment gives the set of what is allowed.

use crate::choice::Assignment;
use crate::deviation::Deviation;

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
    use crate::choice::{Choice, ChoiceSet};

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
