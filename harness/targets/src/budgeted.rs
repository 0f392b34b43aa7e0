//! A budget of faults, for targets on which they are dear, or not to be caused at all: launches that may fault are run as far as
//! it goes.

use std::collections::{BTreeSet, HashSet};

use warpdiff_model::Observation;
use warpdiff_recordings::meaning::part;

use super::Question;
use super::layered::Layer;
use crate::fault_budget::{self, Candidate, Key};

/// What faults mean to a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Faults of a run, unless a number is given; None for as many as there are.
    pub budget: Option<usize>,
    /// Why none should be caused, unless they are allowed.
    pub refusal: Option<String>,
}

/// The launches that may fault and are not run, and why not.
pub struct FaultBudget {
    /// By variant and part.
    left_out: HashSet<(String, String)>,
    why: String,
}

impl FaultBudget {
    /// The launches that may fault are run that the budget allows and that are not recorded yet.
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

    /// No launch is run that may fault.
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
