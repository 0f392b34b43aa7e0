//! A target whose finished observations are kept in a journal, and taken from it where an earlier run left them.

use std::collections::BTreeMap;
use std::sync::Arc;

use warpdiff_model::Observation;

use super::{Answer, Effort, Exposure, Question, Target};
use crate::notice;
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

    fn known(&self, question: &Question<'_>) -> Option<Observation> {
        self.journal.known(self.name(), &question.planned.launch)
    }

    fn keep(&self, question: &Question<'_>, observation: &Observation) {
        if let Err(error) = self.journal.keep(self.name(), &question.planned.launch, observation) {
            // The verdict stands; only a later run is the poorer for it.
            notice::line(format_args!("warning: an observation could not be kept: {error}"));
        }
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
        if let Some(known) = self.known(&question) {
            return known;
        }
        let observation = self.inner.observe(question);
        self.keep(&question, &observation);
        observation
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
            match self.known(question) {
                Some(known) => answered(index, known.into()),
                None => open.push(index),
            }
        }
        let asked: Vec<Question<'_>> = open.iter().map(|index| questions[*index]).collect();
        self.inner.observe_all(&asked, &|place, answer| {
            self.keep(&asked[place], &answer.observation);
            answered(open[place], answer);
        });
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
}
