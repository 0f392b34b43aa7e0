//! A recording by launch: replays observations and compares new ones with them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_files::digest;
use warpdiff_judge::assembled::Assembled;
use warpdiff_judge::verdict_table::Recorded;
use warpdiff_model::{Admission, Allowed, Observation};

use super::archive::Archive;
use super::assembler_answer;
use super::drift::{self, Drift};
use super::folder::{AssemblerAnswer, FolderError, Manifest, Recording};
use super::meaning::{meaning, part};
use super::observed::{Entry, restore};

/// The recorded observation of a launch, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum Recalled {
    /// The recorded observation.
    Observation(Observation),
    /// The variant is recorded without this launch: the case was changed, or the launch was left out.
    OtherLaunch,
    /// The variant is not recorded.
    Unknown,
    /// The recorded observation does not fit the launch, for this reason.
    Misfit(String),
}

/// A recording, indexed by launch and by program.
pub struct Index {
    /// The folder of the recording.
    pub root: PathBuf,
    /// The description of the recording.
    pub manifest: Manifest,
    /// By variant, part and meaning.
    observations: BTreeMap<(String, String, String), Entry>,
    variants: BTreeSet<String>,
    memory: Archive,
    /// By the digest of the program.
    answers: BTreeMap<String, AssemblerAnswer>,
}

impl Index {
    /// Reads the recording in a folder.
    ///
    /// # Errors
    /// As [`Recording::read`].
    pub fn read(root: &Path) -> Result<Self, FolderError> {
        Recording::read(root).map(|recording| Self::new(recording, root))
    }

    /// The index of a recording that was read from `root`.
    pub fn new(recording: Recording, root: &Path) -> Self {
        let Recording { manifest, sections, memory, .. } = recording;
        let root = root.to_path_buf();
        let (observations, variants, answers) = <(BTreeMap<_, _>, BTreeSet<_>, BTreeMap<_, _>)>::default();
        let mut index = Self { root, manifest, observations, variants, memory, answers };
        for section in sections {
            if let Some(answer) = section.answer {
                index.answers.insert(section.program, answer);
            }
            if !section.launches.is_empty() {
                index.variants.insert(section.variant.clone());
            }
            for entry in section.launches {
                let key = (section.variant.clone(), entry.part.clone(), entry.meaning.clone());
                index.observations.insert(key, entry);
            }
        }
        index
    }

    /// The recorded observation of a launch of a variant.
    pub fn recall(&self, variant: &str, planned: &PlannedLaunch) -> Recalled {
        let key = (variant.to_owned(), part(planned), meaning(planned));
        match self.observations.get(&key) {
            Some(kept) => restore(kept, &planned.launch, &self.memory)
                .map_or_else(Recalled::Misfit, Recalled::Observation),
            None if self.variants.contains(variant) => Recalled::OtherLaunch,
            None => Recalled::Unknown,
        }
    }

    /// The recorded answer of an assembler to a program, with its dialect; `None` where the program is not recorded.
    pub fn answer(&self, program: &str) -> Option<&AssemblerAnswer> {
        self.answers.get(&digest::of(program.as_bytes()))
    }

    /// Whether an assembler was recorded.
    pub fn has_answers(&self) -> bool {
        !self.answers.is_empty()
    }

    /// Compares an assembler's answer to a program with the recorded one; `None` where it gave no verdict.
    pub fn compare_answer(&self, program: &str, dialect: &str, now: &Assembled) -> Option<RecordingVerdict> {
        let now = assembler_answer::keep(dialect, now)?;
        let Some(then) = self.answer(program) else {
            return Some(RecordingVerdict { recorded: Recorded::Absent, drift: None });
        };
        let (recorded, words) = match assembler_answer::difference(then, &now) {
            Some(words) => (Recorded::Drifted, words),
            None if *then != now => (Recorded::Alike, "the assembler's message differs".into()),
            None => return Some(RecordingVerdict { recorded: Recorded::Same, drift: None }),
        };
        let drift = Drift { recorded, words, place: None };
        Some(RecordingVerdict { recorded, drift: Some(PartDrift { part: "legality".into(), drift }) })
    }

    /// Compares an observation with the recorded one; `None` where the launch was not run. `allowed` tells which bits are undefined; without
    /// it all count as defined. `admission` judges an observation, whether a difference is one from right to wrong.
    pub fn compare(
        &self,
        variant: &str,
        planned: &PlannedLaunch,
        allowed: Option<&Allowed>,
        admission: impl Fn(&Observation) -> Admission,
        now: &Observation,
    ) -> Option<RecordingVerdict> {
        if matches!(now, Observation::NotRun { .. }) {
            return None;
        }
        let then = match self.recall(variant, planned) {
            Recalled::Observation(then) => then,
            Recalled::OtherLaunch | Recalled::Unknown | Recalled::Misfit(_) => {
                return Some(RecordingVerdict { recorded: Recorded::Absent, drift: None });
            }
        };
        let found = drift::between(&then, now, planned, allowed);
        let has_turned_wrong = || {
            let was_right = matches!(admission(&then), Admission::Conforms { .. });
            was_right && matches!(admission(now), Admission::Violates { .. })
        };
        let recorded = match found.as_ref().map_or(Recorded::Same, |drift| drift.recorded) {
            Recorded::Drifted if has_turned_wrong() => Recorded::TurnedWrong,
            other => other,
        };
        let drift = found.map(|drift| PartDrift { part: part(planned), drift });
        Some(RecordingVerdict { recorded, drift })
    }
}

/// Result of a comparison with a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingVerdict {
    /// Same, alike, absent, turned wrong or drifted.
    pub recorded: Recorded,
    /// The difference, if there is one.
    pub drift: Option<PartDrift>,
}

/// A difference from a recording, with the launch it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartDrift {
    /// The rows of the launch: `row 3`, `rows 0 to 7`, `whole`; `legality` for an assembler.
    pub part: String,
    /// The difference.
    pub drift: Drift,
}
