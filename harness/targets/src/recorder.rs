//! What keeps the observations of a target for a recording.

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

/// What was observed of a launch.
#[derive(Clone, Debug)]
pub struct CapturedLaunch {
    /// The program that ran.
    pub program: Arc<str>,
    /// What was observed.
    pub entry: Entry,
}

/// What a target was heard to do.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    /// What was observed, by variant, in the order of parts and meanings.
    pub launches: BTreeMap<String, BTreeMap<(String, String), CapturedLaunch>>,
    /// Memory that is large.
    pub memory: Archive,
    /// What an assembler made of programs, by their texts.
    pub answers: BTreeMap<String, folder::AssemblerAnswer>,
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
    captured: Arc<Mutex<Captured>>,
}

/// Launches that are put to the target at once where there is an end: it is looked for between two such lots. Each of them may fault, and
/// so cost a process, which takes a device a good part of a second; and a lot still fills the modules of several workers.
const LOT: usize = 256;

impl Recorder {
    /// Listens, from now to the end, if there is one; what is not observed by then is left out. The captured fills while the target
    /// is asked.
    pub fn new(earlier: Option<Index>, end: Option<Instant>) -> (Self, Arc<Mutex<Captured>>) {
        let captured = Arc::default();
        (Self { earlier, end, captured: Arc::clone(&captured) }, captured)
    }

    fn captured(&self) -> MutexGuard<'_, Captured> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// That a launch is left out, if the time is up.
    fn late(&self) -> Option<Observation> {
        if self.end.is_none_or(|end| Instant::now() < end) {
            return None;
        }
        self.captured().late += 1;
        Some(Observation::NotRun { why: "the time limit was reached".into() })
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
        if let Some(answer) = assembler_answer::keep(dialect, assembled) {
            self.captured().answers.insert(program.to_owned(), answer);
        }
    }

    fn lot(&self) -> usize {
        if self.end.is_some() { LOT } else { usize::MAX }
    }
}
