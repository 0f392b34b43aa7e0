//! The layer that limits launches that may fault, for targets on which faults are expensive or must not happen.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, PoisonError};

use warpdiff_model::Observation;
use warpdiff_recordings::meaning::part;

use super::Question;
use super::layered::Layer;
use crate::fault_budget::{self, Candidate, Key};

/// How a target bears faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Default fault budget of a run; `None` for no limit.
    pub budget: Option<usize>,
    /// Why no launch that may fault is run without `--allow-faults`; `None` if nothing speaks against it.
    pub refusal: Option<String>,
}

/// Leaves out launches that may fault, with the reason.
pub struct FaultBudget {
    /// By variant and part.
    left_out: HashSet<(String, String)>,
    why: String,
    /// What the run leaves of the budget.
    rest: Mutex<usize>,
}

impl FaultBudget {
    /// Runs as many of the candidates that are not recorded yet as the budget allows.
    pub fn new(candidates: &[Candidate], recorded: &BTreeSet<Key>, budget: usize) -> Self {
        let chosen = fault_budget::select(candidates, recorded, budget);
        let left_out = candidates.iter().filter(|candidate| !chosen.contains(&candidate.key));
        let why = format!(
            "fault budget: {} of {} launches that may fault are run (--fault-budget N runs more)",
            chosen.len(),
            candidates.len()
        );
        let rest = Mutex::new(budget.saturating_sub(chosen.len()));
        Self { left_out: left_out.map(|candidate| name(&candidate.key)).collect(), why, rest }
    }

    /// Runs none of the candidates.
    pub fn refusing(candidates: &[Candidate], why: &str) -> Self {
        let left_out = candidates.iter().map(|candidate| name(&candidate.key)).collect();
        let why = format!("it may fault, and {why} (--allow-faults runs it)");
        Self { left_out, why, rest: Mutex::new(0) }
    }
}

fn name((variant, part, _): &Key) -> (String, String) {
    (variant.clone(), part.clone())
}

impl Layer for FaultBudget {
    fn instead(&self, question: &Question<'_>) -> Option<Observation> {
        if self.left_out.is_empty() {
            return None;
        }
        let name = (question.variant.to_owned(), part(question.planned));
        self.left_out.contains(&name).then(|| Observation::NotRun { why: self.why.clone() })
    }

    fn may_fault_again(&self) -> bool {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let any = *rest > 0;
        *rest = rest.saturating_sub(1);
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_run_leaves_of_the_budget_is_for_repetitions() {
        let candidate = |n: usize| Candidate {
            key: (format!("v{n}"), "whole".into(), String::new()),
            family: String::new(),
        };
        let candidates: Vec<_> = (0..3).map(candidate).collect();
        let allowed = |budget| {
            let layer = FaultBudget::new(&candidates, &BTreeSet::new(), budget);
            (0..10).filter(|_| layer.may_fault_again()).count()
        };
        assert_eq!([2, 3, 5].map(allowed), [0, 0, 2]);
        let refusing = FaultBudget::refusing(&candidates, "others use it");
        assert!(!refusing.may_fault_again());
    }
}
