//! A recording to be asked launch by launch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_judge::assembled::Assembled;
use warpdiff_judge::reference::Unit;
use warpdiff_judge::verdict_table::Recorded;
use warpdiff_model::Observation;

use super::archive::{Archive, digest};
use super::assembler_answer;
use super::drift::{self, Drift};
use super::folder::{AssemblerAnswer, FolderError, Manifest, Recording};
use super::meaning::{meaning, part};
use super::observed::{Entry, restore};

/// What a recording has of a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Recalled {
    /// This was observed.
    Observation(Observation),
    /// The variant is recorded, but not with this launch: the case was changed since, or the launch was left out.
    OtherLaunch,
    /// The variant is not recorded.
    Unknown,
    /// What is recorded does not fit the launch, and why.
    Misfit(String),
}

/// A recording by launch and by program.
pub struct Index {
    /// The folder of the recording.
    pub root: PathBuf,
    /// What was recorded.
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

    /// The recording that was read from a folder.
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

    /// What is recorded of a launch of a variant.
    pub fn recall(&self, variant: &str, planned: &PlannedLaunch) -> Recalled {
        let key = (variant.to_owned(), part(planned), meaning(planned));
        match self.observations.get(&key) {
            Some(kept) => restore(kept, &planned.launch, &self.memory)
                .map_or_else(Recalled::Misfit, Recalled::Observation),
            None if self.variants.contains(variant) => Recalled::OtherLaunch,
            None => Recalled::Unknown,
        }
    }

    /// What an assembler is recorded to have made of a program, with its dialect; `None` where it is not recorded.
    pub fn answer(&self, program: &str) -> Option<&AssemblerAnswer> {
        self.answers.get(&digest(program.as_bytes()))
    }

    /// Whether an assembler was recorded.
    pub fn has_answers(&self) -> bool {
        !self.answers.is_empty()
    }

    /// Holds what an assembler makes of a program against what is recorded; `None` where it made nothing of it.
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

    /// Holds an observation against what is recorded; `None` where nothing was observed.
    pub fn compare(&self, variant: &str, unit: &Unit<'_>, now: &Observation) -> Option<RecordingVerdict> {
        if matches!(now, Observation::NotRun { .. }) {
            return None;
        }
        let planned: &PlannedLaunch = &unit.planned;
        let found = match self.recall(variant, planned) {
            Recalled::Observation(then) => drift::between(&then, now, &planned.launch, Some(&unit.allowed)),
            Recalled::OtherLaunch | Recalled::Unknown | Recalled::Misfit(_) => {
                return Some(RecordingVerdict { recorded: Recorded::Absent, drift: None });
            }
        };
        let recorded = found.as_ref().map_or(Recorded::Same, |drift| drift.recorded);
        let drift = found.map(|drift| PartDrift { part: part(planned), drift });
        Some(RecordingVerdict { recorded, drift })
    }
}

/// An observation held against a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingVerdict {
    /// Whether it is what is recorded.
    pub recorded: Recorded,
    /// What differs.
    pub drift: Option<PartDrift>,
}

/// A difference from a recording, with the launch it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartDrift {
    /// The rows of the launch: `row 3`, `rows 0 to 7`, `whole`; `legality` for an assembler.
    pub part: String,
    /// What differs.
    pub drift: Drift,
}
