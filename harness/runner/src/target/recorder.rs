//! A target whose observations are kept for a recording.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use warpdiff_model::Observation;

use super::{Answer, Effort, Exposure, Question, Target};
use crate::ptxas::assembler::Assembled;
use crate::replay::meaning::{meaning, part};
use crate::replay::observed::{Observed, keep};

/// What was observed of a launch.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The program that ran.
    pub program: Arc<str>,
    /// What was observed.
    pub observed: Observed,
}

/// Observations by variant, part and meaning.
pub type Tape = BTreeMap<(String, String, String), Taken>;

/// A target that is listened to.
pub struct Recorder {
    inner: Box<dyn Target>,
    tape: Arc<Mutex<Tape>>,
}

impl Recorder {
    /// Listens to a target; the tape fills while it is asked.
    pub fn new(inner: Box<dyn Target>) -> (Self, Arc<Mutex<Tape>>) {
        let tape = Arc::default();
        (Self { inner, tape: Arc::clone(&tape) }, tape)
    }

    fn listen(&self, question: &Question<'_>, observation: &Observation) {
        let planned = question.planned;
        if let Some(observed) = keep(observation, &planned.launch) {
            let key = (question.variant.to_owned(), part(planned), meaning(planned));
            let taken = Taken { program: Arc::clone(&planned.launch.program), observed };
            self.tape.lock().unwrap_or_else(PoisonError::into_inner).insert(key, taken);
        }
    }
}

impl Target for Recorder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn prepare(&self) -> Result<(), String> {
        self.inner.prepare()
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        let observation = self.inner.observe(question);
        self.listen(&question, &observation);
        observation
    }

    fn effort(&self) -> Option<Effort> {
        self.inner.effort()
    }

    fn batches(&self) -> bool {
        self.inner.batches()
    }

    fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        self.inner.observe_all(questions, &|index, answer| {
            self.listen(&questions[index], &answer.observation);
            answered(index, answer);
        });
    }

    fn remark(&self) -> Option<String> {
        self.inner.remark()
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
