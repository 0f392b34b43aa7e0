//! A target whose observations are kept for a recording.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use warpdiff_model::Observation;

use super::{Answer, Effort, Exposure, Question, Target};
use crate::ptxas::assembler::Assembled;
use crate::replay::answer;
use crate::replay::archive::Archive;
use crate::replay::folder;
use crate::replay::index::{Index, Recalled};
use crate::replay::meaning::{meaning, part};
use crate::replay::observed::{Entry, keep};

/// What was observed of a launch.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The program that ran.
    pub program: Arc<str>,
    /// What was observed.
    pub entry: Entry,
}

/// What a target was heard to do.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    /// What was observed, by variant, in the order of parts and meanings.
    pub launches: BTreeMap<String, BTreeMap<(String, String), Taken>>,
    /// Memory that is large.
    pub memory: Archive,
    /// What an assembler made of programs, by their texts.
    pub answers: BTreeMap<String, folder::Answer>,
    /// Launches that were put to the target now, and those taken from an earlier recording.
    pub asked: usize,
    /// Those taken from an earlier recording.
    pub known: usize,
    /// Those left out, because the time was up.
    pub late: usize,
}

/// A target that is listened to. What an earlier recording of it has is taken from there, and not asked again.
pub struct Recorder {
    inner: Box<dyn Target>,
    earlier: Option<Index>,
    /// When to stop asking.
    end: Option<Instant>,
    tape: Arc<Mutex<Tape>>,
}

/// Launches that are put to the target at once where there is an end: it is looked for between two such lots.
const LOT: usize = 2048;

impl Recorder {
    /// Listens to a target; the tape fills while it is asked.
    pub fn new(inner: Box<dyn Target>, earlier: Option<Index>) -> (Self, Arc<Mutex<Tape>>) {
        let tape = Arc::default();
        (Self { inner, earlier, end: None, tape: Arc::clone(&tape) }, tape)
    }

    /// The same, but what is not observed by then is left out.
    #[must_use]
    pub fn until(self, end: Option<Instant>) -> Self {
        Self { end, ..self }
    }

    /// That a launch is left out, if the time is up.
    fn late(&self) -> Option<Observation> {
        if self.end.is_none_or(|end| Instant::now() < end) {
            return None;
        }
        self.tape.lock().unwrap_or_else(PoisonError::into_inner).late += 1;
        Some(Observation::NotRun { why: "the time was up".into() })
    }

    /// What an earlier recording has of a launch. What it could not do then is asked again: it may be able to now.
    fn known(&self, question: &Question<'_>) -> Option<Observation> {
        match self.earlier.as_ref()?.recall(question.variant, question.planned) {
            Recalled::Observation(Observation::Unsupported { .. }) => None,
            Recalled::Observation(observation) => Some(observation),
            Recalled::OtherLaunch | Recalled::Unknown | Recalled::Misfit(_) => None,
        }
    }

    fn listen(&self, question: &Question<'_>, observation: &Observation, known: bool) {
        let planned = question.planned;
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(entry) = keep(observation, &planned.launch, &mut tape.memory) else { return };
        *if known { &mut tape.known } else { &mut tape.asked } += 1;
        let key = (part(planned), meaning(planned));
        let entry = Entry { part: key.0.clone(), meaning: key.1.clone(), ..entry };
        let taken = Taken { program: Arc::clone(&planned.launch.program), entry };
        tape.launches.entry(question.variant.to_owned()).or_default().insert(key, taken);
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
        if let Some(known) = self.known(&question) {
            self.listen(&question, &known, true);
            return known;
        }
        if let Some(late) = self.late() {
            return late;
        }
        let observation = self.inner.observe(question);
        self.listen(&question, &observation, false);
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
                Some(known) => {
                    self.listen(question, &known, true);
                    answered(index, known.into());
                }
                None => open.push(index),
            }
        }
        let lot = if self.end.is_some() { LOT } else { open.len().max(1) };
        for open in open.chunks(lot) {
            let timely: Vec<usize> = open
                .iter()
                .copied()
                .filter(|index| self.late().map(|late| answered(*index, late.into())).is_none())
                .collect();
            let asked: Vec<Question<'_>> = timely.iter().map(|index| questions[*index]).collect();
            self.inner.observe_all(&asked, &|place, answer| {
                self.listen(&asked[place], &answer.observation, false);
                answered(timely[place], answer);
            });
        }
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
        let (dialect, assembled) = self.inner.assemble(program)?;
        if let Some(answer) = answer::keep(&dialect, &assembled) {
            let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
            tape.answers.insert(program.to_owned(), answer);
        }
        Some((dialect, assembled))
    }
}
