//! A journal of what a target answered: finished observations are kept in it, and taken from it where an earlier run left them.

use std::sync::Arc;

use warpdiff_model::Observation;
use warpdiff_recordings::journal::Journal;
use warpdiff_terminal::stderr;

use super::layered::Layer;
use super::{Question, Target};

/// A journal, which several targets may share.
pub struct Journalled {
    /// What the journal calls the target: its name, and what it says of its device, so that what another device answered under
    /// the same name is not taken for its answers.
    target: String,
    journal: Arc<Journal>,
}

impl Journalled {
    /// The journal, for that target.
    pub fn new(target: &dyn Target, journal: Arc<Journal>) -> Self {
        let facts: Vec<_> = target.device().iter().map(|(name, fact)| format!("{name} {fact}")).collect();
        let name = target.name();
        let target = if facts.is_empty() { name.into() } else { format!("{name} ({})", facts.join(", ")) };
        Self { target, journal }
    }
}

impl Layer for Journalled {
    fn instead(&self, question: &Question<'_>) -> Option<Observation> {
        self.journal.known(&self.target, &question.planned.launch)
    }

    fn hear(&self, question: &Question<'_>, observation: &Observation) {
        if let Err(error) = self.journal.keep(&self.target, &question.planned.launch, observation) {
            // The verdict stands; only a later run is the poorer for it.
            stderr::line(format_args!("warning: cannot write an observation to the journal: {error}"));
        }
    }
}
