//! The layer that keeps launches from a target, so that only what another layer knows of them is left.

use warpdiff_model::Observation;

use super::Question;
use super::layered::Layer;

/// Answers every launch with "not run".
pub struct NothingRuns;

impl Layer for NothingRuns {
    fn instead(&self, _question: &Question<'_>) -> Option<Observation> {
        Some(Observation::NotRun { why: "only what is kept is recorded".into() })
    }

    fn may_fault_again(&self) -> bool {
        false
    }
}
