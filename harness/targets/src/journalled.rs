//! The layer that stores finished observations in a journal, and takes observations of earlier runs from it.

use std::sync::Arc;

use warpdiff_model::Observation;
use warpdiff_recordings::journal::Journal;

use super::layered::Layer;
use super::{Question, Target};

/// A journal, which several targets may share.
pub struct Journalled {
    /// Name of the target in the journal: its name and its facts, so that observations of another device under the same name are
    /// not taken for its own.
    target: String,
    journal: Arc<Journal>,
}

impl Journalled {
    /// The journal for this target.
    pub fn new(target: &dyn Target, journal: Arc<Journal>) -> Self {
        let facts: Vec<_> = target.device().iter().map(|(name, fact)| format!("{name} {fact}")).collect();
        let name = target.name();
        let target = if facts.is_empty() { name.into() } else { format!("{name} ({})", facts.join(", ")) };
        Self { target, journal }
    }
}

impl Layer for Journalled {
    fn instead(&self, question: &Question<'_>) -> Option<Observation> {
        match question.again {
            true => None,
            false => self.journal.known(&self.target, &question.planned.launch),
        }
    }

    fn hear(&self, question: &Question<'_>, observation: &Observation) {
        if question.again {
            return;
        }
        self.journal.keep(&self.target, &question.planned.launch, observation);
    }
}
