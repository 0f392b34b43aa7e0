//! The layer that limits launches that may fault, for targets on which faults are expensive or must not happen.

use std::collections::{BTreeSet, HashSet};

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
        Self { left_out: left_out.map(|candidate| name(&candidate.key)).collect(), why }
    }

    /// Runs none of the candidates.
    pub fn refusing(candidates: &[Candidate], why: &str) -> Self {
        let left_out = candidates.iter().map(|candidate| name(&candidate.key)).collect();
        Self { left_out, why: format!("it may fault, and {why} (--allow-faults runs it)") }
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
}
