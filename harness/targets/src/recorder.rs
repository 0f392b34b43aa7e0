//! What keeps the observations of a target for a recording.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use warpdiff_judge::assembled::Assembled;
use warpdiff_model::Observation;
use warpdiff_recordings::answer;
use warpdiff_recordings::archive::Archive;
use warpdiff_recordings::folder;
use warpdiff_recordings::index::{Index, Recalled};
use warpdiff_recordings::meaning::{meaning, part};
use warpdiff_recordings::observed::{Entry, keep};

use super::Question;
use super::layered::Layer;

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

/// Listens to a target. What an earlier recording of it has is taken from there, and not asked again.
pub struct Recorder {
    earlier: Option<Index>,
    /// When to stop asking.
    end: Option<Instant>,
    tape: Arc<Mutex<Tape>>,
}

/// Launches that are put to the target at once where there is an end: it is looked for between two such lots. Each of them may fault, and
/// so cost a process, which takes a device a good part of a second; and a lot still fills the modules of several workers.
const LOT: usize = 256;

impl Recorder {
    /// Listens, from now to the end, if there is one; what is not observed by then is left out. The tape fills while the target
    /// is asked.
    pub fn new(earlier: Option<Index>, end: Option<Instant>) -> (Self, Arc<Mutex<Tape>>) {
        let tape = Arc::default();
        (Self { earlier, end, tape: Arc::clone(&tape) }, tape)
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// That a launch is left out, if the time is up.
    fn late(&self) -> Option<Observation> {
        if self.end.is_none_or(|end| Instant::now() < end) {
            return None;
        }
        self.tape().late += 1;
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

    fn note(&self, question: &Question<'_>, observation: &Observation, known: bool) {
        let planned = question.planned;
        let mut tape = self.tape();
        let Some(entry) = keep(observation, &planned.launch, &mut tape.memory) else { return };
        *if known { &mut tape.known } else { &mut tape.asked } += 1;
        let key = (part(planned), meaning(planned));
        let entry = Entry { part: key.0.clone(), meaning: key.1.clone(), ..entry };
        let taken = Taken { program: Arc::clone(&planned.launch.program), entry };
        tape.launches.entry(question.variant.to_owned()).or_default().insert(key, taken);
    }
}

impl Layer for Recorder {
    fn instead(&self, question: &Question<'_>) -> Option<Observation> {
        match self.known(question) {
            Some(known) => {
                self.note(question, &known, true);
                Some(known)
            }
            None => self.late(),
        }
    }

    fn hear(&self, question: &Question<'_>, observation: &Observation) {
        self.note(question, observation, false);
    }

    fn hear_assembled(&self, program: &str, dialect: &str, assembled: &Assembled) {
        if let Some(answer) = answer::keep(dialect, assembled) {
            self.tape().answers.insert(program.to_owned(), answer);
        }
    }

    fn lot(&self) -> usize {
        if self.end.is_some() { LOT } else { usize::MAX }
    }
}
