//! A recording to be asked launch by launch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use warpdiff_model::Observation;

use super::drift::{self, Drift};
use super::folder::{FolderError, Manifest, Recording};
use super::meaning::{meaning, part};
use super::observed::{Observed, restore};
use crate::plan::PlannedLaunch;
use crate::reference::Unit;
use crate::status::Recorded;

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

/// Observations by variant, part and meaning.
pub struct Index {
    /// The folder of the recording.
    pub root: PathBuf,
    /// What was recorded.
    pub manifest: Manifest,
    observations: BTreeMap<(String, String, String), Observed>,
    variants: BTreeSet<String>,
}

impl Index {
    /// Reads the recording in a folder.
    ///
    /// # Errors
    /// As [`Recording::read`].
    pub fn read(root: &Path) -> Result<Self, FolderError> {
        let Recording { manifest, chapters } = Recording::read(root)?;
        let entries = chapters.into_values().flat_map(|chapter| chapter.observations);
        let observations: BTreeMap<_, _> =
            entries.map(|e| ((e.variant, e.part, e.meaning), e.observed)).collect();
        let variants = observations.keys().map(|(variant, ..)| variant.clone()).collect();
        Ok(Self { root: root.to_path_buf(), manifest, observations, variants })
    }

    /// What is recorded of a launch of a variant.
    pub fn recall(&self, variant: &str, planned: &PlannedLaunch) -> Recalled {
        let key = (variant.to_owned(), part(planned), meaning(planned));
        match self.observations.get(&key) {
            Some(kept) => restore(kept, &planned.launch).map_or_else(Recalled::Misfit, Recalled::Observation),
            None if self.variants.contains(variant) => Recalled::OtherLaunch,
            None => Recalled::Unknown,
        }
    }

    /// Holds an observation against what is recorded; `None` where nothing was observed.
    pub fn hold(&self, variant: &str, unit: &Unit<'_>, now: &Observation) -> Option<Held> {
        if matches!(now, Observation::NotRun { .. }) {
            return None;
        }
        let planned: &PlannedLaunch = &unit.planned;
        let found = match self.recall(variant, planned) {
            Recalled::Observation(then) => drift::between(&then, now, &planned.launch, Some(&unit.allowed)),
            Recalled::OtherLaunch | Recalled::Unknown | Recalled::Misfit(_) => {
                return Some(Held { recorded: Recorded::Absent, drift: None });
            }
        };
        let recorded = found.as_ref().map_or(Recorded::Same, |drift| drift.recorded);
        let drift = found.map(|drift| PartDrift { part: part(planned), drift });
        Some(Held { recorded, drift })
    }
}

/// An observation held against a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Whether it is what is recorded.
    pub recorded: Recorded,
    /// What differs.
    pub drift: Option<PartDrift>,
}

/// A difference from a recording, with the rows it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartDrift {
    /// The rows of the launch: `row 3`, `rows 0 to 7`, `whole`.
    pub part: String,
    /// What differs.
    pub drift: Drift,
}
