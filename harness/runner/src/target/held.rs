//! A target whose observations are held against a recording of it, beside what the specification says of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use warpdiff_model::Observation;

use super::{Answer, Effort, Exposure, Question, Target};
use crate::ptxas::assembler::Assembled;
use crate::replay::index::Index;

/// A target with a recording.
pub struct HeldTarget {
    inner: Box<dyn Target>,
    recording: Arc<Index>,
}

impl HeldTarget {
    /// The target, with a recording that several targets may share.
    pub fn new(inner: Box<dyn Target>, recording: Arc<Index>) -> Self {
        Self { inner, recording }
    }
}

impl Target for HeldTarget {
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
        self.inner.observe(question)
    }

    fn device(&self) -> BTreeMap<String, String> {
        self.inner.device()
    }

    fn exposure(&self) -> Exposure {
        self.inner.exposure()
    }

    fn assemble(&self, program: &str) -> Option<(String, Assembled)> {
        self.inner.assemble(program)
    }

    fn effort(&self) -> Option<Effort> {
        self.inner.effort()
    }

    fn batches(&self) -> bool {
        self.inner.batches()
    }

    fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        self.inner.observe_all(questions, answered);
    }

    fn recording(&self) -> Option<&Index> {
        Some(&self.recording)
    }
}
