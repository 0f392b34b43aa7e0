//! A launch as targets are asked it: with the answer of the reference, or, if the reference cannot run the program, with what its case states
//! alone.

use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_judge::reference::Unit;
use warpdiff_targets::{Answer, Question};

use crate::prepared_variant::rows_instead;

/// A launch of a variant.
#[derive(Clone, Copy)]
pub(crate) enum AskedLaunch<'p, 'a> {
    /// The reference has an answer to it.
    Answered(&'p Unit<'a>),
    /// It has none.
    Unsupported(&'a PlannedLaunch),
}

impl<'p> AskedLaunch<'p, '_> {
    /// The question for a target; `variant` is the id of its variant.
    pub(crate) fn question(self, variant: &'p str) -> Question<'p> {
        match self {
            Self::Answered(unit) => Question::of(unit, variant),
            Self::Unsupported(planned) => Question::of_unsupported(planned, variant),
        }
    }

    /// The rows to run one by one after this answer. A launch that the reference cannot run is asked as it is.
    pub(crate) fn rows_instead(self, answer: &Answer) -> Vec<Unit<'static>> {
        match self {
            Self::Answered(unit) => rows_instead(unit, answer),
            Self::Unsupported(_) => Vec::new(),
        }
    }
}
