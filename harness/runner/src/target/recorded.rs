//! A recording as a target: what another target did, judged again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use warpdiff_model::Observation;

use super::{Question, Target};
use crate::replay::folder::Recording;
use crate::replay::meaning::{meaning, part};
use crate::replay::observed::{Observed, restore};

/// A recording that is replayed.
pub struct RecordedTarget {
    name: String,
    /// By variant, part and meaning.
    observations: Result<BTreeMap<(String, String, String), Observed>, String>,
    variants: BTreeSet<String>,
}

impl RecordedTarget {
    /// The recording in that folder.
    pub fn open(root: &Path) -> Self {
        let name = format!("recording:{}", root.display());
        match Recording::read(root) {
            Err(error) => Self { name, observations: Err(error.to_string()), variants: BTreeSet::new() },
            Ok(recording) => {
                let entries = recording.chapters.into_values().flat_map(|chapter| chapter.observations);
                let observations: BTreeMap<_, _> =
                    entries.map(|e| ((e.variant, e.part, e.meaning), e.observed)).collect();
                let variants = observations.keys().map(|(variant, ..)| variant.clone()).collect();
                Self { name, observations: Ok(observations), variants }
            }
        }
    }

    /// The folder in the value of `--against`.
    pub fn folder(text: &str) -> Option<PathBuf> {
        text.strip_prefix("recording:").filter(|path| !path.is_empty()).map(PathBuf::from)
    }
}

impl Target for RecordedTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare(&self) -> Result<(), String> {
        self.observations.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        let absent = |why: &str| Observation::NotRun { why: why.into() };
        let Ok(observations) = &self.observations else { return absent("the recording cannot be read") };
        let planned = question.planned;
        let key = (question.variant.to_owned(), part(planned), meaning(planned));
        match observations.get(&key) {
            Some(kept) => restore(kept, &planned.launch)
                .unwrap_or_else(|why| absent(&format!("the recording does not fit the launch: {why}"))),
            None if self.variants.contains(question.variant) => {
                absent("the case is not the one that was recorded")
            }
            None => absent("the recording does not have this case"),
        }
    }
}
