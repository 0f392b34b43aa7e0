//! The layer that captures the observations of a target for a recording.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use warpdiff_judge::assembled::Assembled;
use warpdiff_model::Observation;
use warpdiff_recordings::archive::Archive;
use warpdiff_recordings::assembler_answer;
use warpdiff_recordings::folder;
use warpdiff_recordings::index::{Index, Recalled};
use warpdiff_recordings::meaning::{meaning, part};
use warpdiff_recordings::observed::{Entry, keep};

use super::Question;
use super::layered::Layer;

/// A captured observation of a launch.
#[derive(Clone, Debug)]
pub struct CapturedLaunch {
    /// The program that ran.
    pub program: Arc<str>,
    /// The observation.
    pub entry: Entry,
}

/// The captured observations of a target.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    /// Observations by variant, ordered by part and meaning.
    pub launches: BTreeMap<String, BTreeMap<(String, String), CapturedLaunch>>,
    /// Large memory.
    pub memory: Archive,
    /// Answers of an assembler, by the text of the program.
    pub answers: BTreeMap<String, folder::AssemblerAnswer>,
    /// Number of launches run now.
    pub asked: usize,
    /// Number of launches taken from an earlier recording.
    pub known: usize,
    /// Number of launches left out because of the time limit.
    pub late: usize,
}

/// Captures the observations of a target. Launches of an earlier recording are taken from there and not run again.
pub struct Recorder {
    earlier: Option<Index>,
    /// When to stop running launches.
    end: Option<Instant>,
    captured: Arc<Mutex<Captured>>,
}

/// Launches that the target is given at a time where there is a time limit, which is checked between two such lots. A fault costs a
/// process, which takes a device a good part of a second, so a lot is small; it still fills the modules of several workers.
const LOT: usize = 256;

impl Recorder {
    /// Captures until `end`, if there is one; launches not run by then are left out. The returned observations fill during the run.
    pub fn new(earlier: Option<Index>, end: Option<Instant>) -> (Self, Arc<Mutex<Captured>>) {
        let captured = Arc::default();
        (Self { earlier, end, captured: Arc::clone(&captured) }, captured)
    }

    fn captured(&self) -> MutexGuard<'_, Captured> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to a launch that is left out, if the time limit is reached.
    fn late(&self) -> Option<Observation> {
        if self.end.is_none_or(|end| Instant::now() < end) {
            return None;
        }
        self.captured().late += 1;
        Some(Observation::NotRun { why: "the time limit was reached".into() })
    }

    /// The observation of an earlier recording. A launch that was unsupported then is run again.
    fn known(&self, question: &Question<'_>) -> Option<Observation> {
        match self.earlier.as_ref()?.recall(question.variant, question.planned) {
            Recalled::Observation(Observation::Unsupported { .. }) => None,
            Recalled::Observation(observation) => Some(observation),
            Recalled::OtherLaunch | Recalled::Unknown | Recalled::Misfit(_) => None,
        }
    }

    fn note(&self, question: &Question<'_>, observation: &Observation, known: bool) {
        let planned = question.planned;
        let mut captured = self.captured();
        let Some(entry) = keep(observation, &planned.launch, &mut captured.memory) else { return };
        *if known { &mut captured.known } else { &mut captured.asked } += 1;
        let key = (part(planned), meaning(planned));
        let entry = Entry { part: key.0.clone(), meaning: key.1.clone(), ..entry };
        let taken = CapturedLaunch { program: Arc::clone(&planned.launch.program), entry };
        captured.launches.entry(question.variant.to_owned()).or_default().insert(key, taken);
    }
}

impl Layer for Recorder {
    fn instead(&self, question: &Question<'_>) -> Option<Observation> {
        if question.again {
            return None;
        }
        match self.known(question) {
            Some(known) => {
                self.note(question, &known, true);
                Some(known)
            }
            None => self.late(),
        }
    }

    fn hear(&self, question: &Question<'_>, observation: &Observation) {
        if !question.again {
            self.note(question, observation, false);
        }
    }

    fn hear_assembled(&self, program: &str, dialect: &str, assembled: &Assembled) {
        if let Some(answer) = assembler_answer::keep(dialect, assembled) {
            self.captured().answers.insert(program.to_owned(), answer);
        }
    }

    fn lot(&self) -> usize {
        if self.end.is_some() { LOT } else { usize::MAX }
    }
}
