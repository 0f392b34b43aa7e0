//! A target on which faults are dear, or not to be caused at all: launches that may fault are run as far as a budget goes.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use warpdiff_model::Observation;

use super::{Answer, Effort, Question, Target};
use crate::budget::{self, Candidate, Key};
use crate::ptxas::assembler::Assembled;
use crate::replay::index::Index;
use crate::replay::meaning::part;

/// What faults mean to a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Faults of a run, unless a number is given; None for as many as there are.
    pub budget: Option<usize>,
    /// Why none should be caused, unless they are allowed.
    pub refusal: Option<String>,
}

/// A target with a budget.
pub struct Budgeted {
    inner: Box<dyn Target>,
    /// Launches that may fault and are not run, by variant and part.
    left_out: HashSet<(String, String)>,
    /// Why not.
    why: String,
}

impl Budgeted {
    /// The target, on which the launches that may fault are run that the budget allows and that are not recorded yet.
    pub fn new(
        inner: Box<dyn Target>,
        candidates: &[Candidate],
        recorded: &BTreeSet<Key>,
        budget: usize,
    ) -> Self {
        let chosen = budget::select(candidates, recorded, budget);
        let left_out = candidates.iter().filter(|candidate| !chosen.contains(&candidate.key));
        let why = format!(
            "fault budget: {} of {} launches that may fault are run (--fault-budget N runs more)",
            chosen.len(),
            candidates.len()
        );
        Self { inner, left_out: left_out.map(|candidate| name(&candidate.key)).collect(), why }
    }

    /// The target, on which no launch is run that may fault.
    pub fn refusing(inner: Box<dyn Target>, candidates: &[Candidate], why: &str) -> Self {
        let left_out = candidates.iter().map(|candidate| name(&candidate.key)).collect();
        Self { inner, left_out, why: format!("it may fault, and {why} (--allow-faults runs it)") }
    }

    /// What becomes of a launch that is not run.
    fn refused(&self, question: &Question<'_>) -> Option<Observation> {
        if self.left_out.is_empty() {
            return None;
        }
        let name = (question.variant.to_owned(), part(question.planned));
        self.left_out.contains(&name).then(|| Observation::NotRun { why: self.why.clone() })
    }
}

fn name((variant, part, _): &Key) -> (String, String) {
    (variant.clone(), part.clone())
}

impl Target for Budgeted {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn prepare(&self) -> Result<(), String> {
        self.inner.prepare()
    }

    fn remark(&self) -> Option<String> {
        self.inner.remark()
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        self.refused(&question).unwrap_or_else(|| self.inner.observe(question))
    }

    fn assemble(&self, program: &str) -> Option<(String, Assembled)> {
        self.inner.assemble(program)
    }

    fn device(&self) -> BTreeMap<String, String> {
        self.inner.device()
    }

    fn exposure(&self) -> Exposure {
        self.inner.exposure()
    }

    fn effort(&self) -> Option<Effort> {
        self.inner.effort()
    }

    fn batches(&self) -> bool {
        self.inner.batches()
    }

    fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        let mut open = Vec::new();
        for (index, question) in questions.iter().enumerate() {
            match self.refused(question) {
                Some(refused) => answered(index, refused.into()),
                None => open.push(index),
            }
        }
        let asked: Vec<Question<'_>> = open.iter().map(|index| questions[*index]).collect();
        self.inner.observe_all(&asked, &|place, answer| answered(open[place], answer));
    }

    fn recording(&self) -> Option<&Index> {
        self.inner.recording()
    }
}
