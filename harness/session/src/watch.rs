//! What a caller learns of a run while it goes on, and when it ends the run early.

use warpdiff_worker::run_end::RunEnd;

use crate::verdict::Verdict;

/// Follows a run. All functions are called from any thread.
pub trait Watch: Sync {
    /// A variant has all of its answers.
    fn answered(&self) {}

    /// A variant has its verdict. Causes of findings are still those of the variant alone: the diagnosis of the run comes last.
    fn judged(&self, _verdict: &Verdict<'_>) {}

    /// The variants have their answers, and this is done now: it may take minutes.
    fn turns_to(&self, _what: &str) {}

    /// Whether somebody reads what the reference allows as text, as goldens have it. Otherwise it is not made.
    fn reads_recordings(&self) -> bool {
        true
    }

    /// Why the run is over, if it is: no more variants are begun, and those in work are left out if their launches were cut short.
    fn over(&self) -> Option<RunEnd> {
        None
    }
}

/// Nobody follows the run, and only its verdicts are read.
pub struct VerdictsAlone;

impl Watch for VerdictsAlone {
    fn reads_recordings(&self) -> bool {
        false
    }
}

/// A function that counts the answered variants.
impl<F: Fn() + Sync> Watch for F {
    fn answered(&self) {
        self();
    }
}
