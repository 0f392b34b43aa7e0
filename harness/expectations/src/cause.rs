//! The cause of a failure: its class, and the deviations that reproduce it. An expectation excuses one cause; another bug at the same
//! place is new.

use std::fmt;

use warpdiff_judge::finding::Finding;
use warpdiff_judge::mismatch_class::class_name;
use warpdiff_model::{Deviation, MismatchClass};

/// The word for no deviation.
pub const NONE: &str = "none";

/// The cause that an entry expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The class of the mismatch.
    pub class: MismatchClass,
    /// The deviations; empty if none reproduces the failure.
    pub deviations: Vec<Deviation>,
}

/// The cause of an observed failure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Failure {
    /// The class of the mismatch.
    pub class: MismatchClass,
    /// The deviations that each reproduce it.
    pub deviations: Vec<Deviation>,
    /// Whether only all of them together reproduce it.
    pub together: bool,
}

impl Failure {
    /// The cause of a finding.
    pub fn of(finding: &Finding) -> Self {
        Self { class: finding.class(), deviations: finding.explained.clone(), together: finding.together }
    }

    /// The cause that an entry for it names. Of deviations that each reproduce it the first is named.
    pub fn cause(&self) -> Cause {
        let named = if self.together { self.deviations.len() } else { 1 };
        Cause { class: self.class, deviations: self.deviations.iter().take(named).copied().collect() }
    }
}

impl Cause {
    /// Whether a failure has this cause. Of several deviations that cannot be told apart one named here is enough; those that
    /// reproduce it only together must all be named.
    pub fn covers(&self, failure: &Failure) -> bool {
        match (self.deviations.as_slice(), failure.deviations.as_slice()) {
            ([], []) => failure.class == self.class,
            (named, explained) if failure.together => explained.iter().all(|d| named.contains(d)),
            (named, explained) => explained.iter().any(|d| named.contains(d) && d.class() == self.class),
        }
    }
}

impl fmt::Display for Cause {
    /// `clamp behaviour, reproduced by suld.clamp-as-zero`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.deviations.iter().map(|deviation| deviation.name()).collect();
        let by = if names.is_empty() { "no known deviation".into() } else { names.join(" or ") };
        write!(f, "{}, reproduced by {by}", class_name(self.class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Deviation {
        Deviation::from_name(name).unwrap()
    }

    fn failure(class: MismatchClass, deviations: &[Deviation], together: bool) -> Failure {
        Failure { class, deviations: deviations.to_vec(), together }
    }

    #[test]
    fn a_cause_covers_its_own_failures_alone() {
        let (zero, other) = (named("suld.clamp-as-zero"), named("sust.clamp-as-zero"));
        let by_name = Cause { class: zero.class(), deviations: vec![zero] };
        let by_none = Cause { class: zero.class(), deviations: Vec::new() };
        let of = |explained: &[Deviation]| failure(zero.class(), explained, false);
        assert!(by_name.covers(&of(&[zero])));
        // What cannot be told apart on this variant may be either.
        assert!(by_name.covers(&of(&[other, zero])));
        assert!(!by_name.covers(&of(&[other])) && !by_name.covers(&of(&[])));
        // What it takes both for is another failure than either.
        assert!(!by_name.covers(&failure(zero.class(), &[other, zero], true)));
        assert!(by_none.covers(&of(&[])) && !by_none.covers(&of(&[zero])));
        assert!(!by_none.covers(&failure(MismatchClass::Value, &[], false)));
    }

    /// Two deviations of two classes that a variant shows together have one entry; by themselves they are other failures.
    #[test]
    fn deviations_of_several_classes_are_expected_together() {
        let (zero, high) = (named("suld.clamp-as-zero"), named("mul.hi-unsigned"));
        let both = Cause { class: zero.class(), deviations: vec![zero, high] };
        assert!(both.covers(&failure(zero.class(), &[zero, high], true)));
        assert!(both.covers(&failure(zero.class(), &[zero], false)));
        assert!(
            !both.covers(&failure(high.class(), &[high], false)),
            "it is of another class than the entry"
        );
    }

    #[test]
    fn the_cause_of_a_failure_covers_it() {
        let (zero, high) = (named("suld.clamp-as-zero"), named("mul.hi-unsigned"));
        for of in [
            failure(zero.class(), &[zero], false),
            failure(zero.class(), &[zero, named("sust.clamp-as-zero")], false),
            failure(zero.class(), &[zero, high], true),
            failure(MismatchClass::Hang, &[], false),
        ] {
            assert!(of.cause().covers(&of), "{of:?}");
        }
    }
}
