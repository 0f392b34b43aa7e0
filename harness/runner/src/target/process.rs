//! `process:COMMAND`: any program that speaks the worker protocol (`docs/protocol.md`).

use warpdiff_model::Observation;

use super::{Answer, Effort, Question, Target};
use crate::worker::command::CommandLine;
use crate::worker::limits::Limits;
use crate::worker::supervisor::{Asked, Supervisor};

/// Programs that speak the worker protocol. Processes are started when they are needed.
pub struct ProcessTarget {
    name: String,
    workers: Supervisor,
}

impl ProcessTarget {
    /// The target that this command is; nothing is started yet.
    pub fn new(command: CommandLine, limits: Limits) -> Self {
        let name = format!("process:{command}");
        Self { name, workers: Supervisor::new(command, limits) }
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
        self.workers.observe_one(asked(&question)).observation
    }

    fn effort(&self) -> Option<Effort> {
        Some(self.workers.effort())
    }

    fn broken(&self) -> Option<String> {
        self.workers.broken().map(str::to_owned)
    }

    fn batches(&self) -> bool {
        true
    }

    fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        self.workers.observe_all(&questions.iter().map(asked).collect::<Vec<_>>(), answered);
    }
}

/// A worker of this protocol says itself when it cannot go on after a fault, so that no launch need be alone.
fn asked<'a>(question: &Question<'a>) -> Asked<'a> {
    let Question { variant, planned, may_fault, .. } = *question;
    Asked { case: variant, launch: &planned.launch, may_fault, alone: false }
}
