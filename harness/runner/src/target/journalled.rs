//! A target whose finished observations are kept in a journal, and taken from it where an earlier run left them.

use std::collections::BTreeMap;
use std::sync::Arc;

use warpdiff_model::Observation;

use super::{Exposure, Question, Target};
use crate::ptxas::assembler::Assembled;
use crate::worker::journal::Journal;

/// A target with a journal.
pub struct Journalled {
    inner: Box<dyn Target>,
    journal: Arc<Journal>,
}

impl Journalled {
    /// The target, with a journal that several targets may share.
    pub fn new(inner: Box<dyn Target>, journal: Arc<Journal>) -> Self {
        Self { inner, journal }
    }
}

impl Target for Journalled {
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
        let launch = &question.planned.launch;
        if let Some(known) = self.journal.known(self.name(), launch) {
            return known;
        }
        let observation = self.inner.observe(question);
        if let Err(error) = self.journal.keep(self.name(), launch, &observation) {
            // The verdict stands; only a later run is the poorer for it.
            eprintln!("warning: an observation could not be kept: {error}");
        }
        observation
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

    fn said(&self, variant: &str) -> Option<String> {
        self.inner.said(variant)
    }
}
