//! `process:COMMAND`: any program that speaks the worker protocol (`docs/protocol.md`).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use warpdiff_model::Observation;

use super::{Question, Target};
use crate::worker::command::CommandLine;
use crate::worker::limits::Limits;
use crate::worker::supervisor::{Asked, Supervisor};

/// Programs that speak the worker protocol. Processes are started when they are needed, one for each thread that asks.
pub struct ProcessTarget {
    name: String,
    workers: Supervisor,
    /// What workers said on their standard error when they failed, by variant.
    said: Mutex<HashMap<String, String>>,
}

impl ProcessTarget {
    /// The target that this command is; nothing is started yet.
    pub fn new(command: CommandLine, limits: Limits) -> Self {
        let name = format!("process:{command}");
        Self { name, workers: Supervisor::new(command, limits), said: Mutex::default() }
    }
}

impl Target for ProcessTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare(&self) -> Result<(), String> {
        self.workers.prepare().map(|_| ())
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        let asked = Asked { case: question.variant, launch: &question.planned.launch };
        let answers = self.workers.observe(&[asked]);
        let Some(answer) = answers.into_iter().next() else {
            return Observation::rejected("process", "no answer");
        };
        if let Some(words) = answer.said {
            let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            said.insert(question.variant.into(), words);
        }
        answer.observation
    }

    fn said(&self, variant: &str) -> Option<String> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).get(variant).cloned()
    }
}
