//! `process:COMMAND`: any program that speaks the worker protocol (`docs/protocol.md`).

use std::collections::BTreeMap;
use std::sync::OnceLock;

use warpdiff_model::Observation;
use warpdiff_worker::command::CommandLine;
use warpdiff_worker::launch_answer::WorkerLaunch;
use warpdiff_worker::limits::Limits;
use warpdiff_worker::protocol;
use warpdiff_worker::supervisor::Supervisor;

use super::recorded::CLAIMS;
use super::{Answer, Effort, Question, Target};

/// Programs that speak the worker protocol. Processes are started when they are needed.
pub struct ProcessTarget {
    name: String,
    workers: Supervisor,
    /// Whether its workers say that they take SPA 5.0, once one has been asked.
    takes_spa: OnceLock<bool>,
}

impl ProcessTarget {
    /// The target that this command is; nothing is started yet.
    pub fn new(command: CommandLine, limits: Limits) -> Self {
        let name = format!("process:{command}");
        Self { name, workers: Supervisor::new(command, limits), takes_spa: OnceLock::new() }
    }
}

impl Target for ProcessTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare(&self) -> Result<(), String> {
        self.workers.prepare().map(|_| ())
    }

    /// One that cannot be started takes nothing.
    fn takes_spa(&self) -> bool {
        *self.takes_spa.get_or_init(|| {
            let introduced = self.workers.prepare();
            introduced.is_ok_and(|introduction| introduction.takes_spa())
        })
    }

    fn device(&self) -> BTreeMap<String, String> {
        // A recording has to tell what its target claimed.
        let claimed = self.takes_spa().then(|| (CLAIMS.to_owned(), protocol::SPA.to_owned()));
        claimed.into_iter().collect()
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
fn asked<'a>(question: &Question<'a>) -> WorkerLaunch<'a> {
    let Question { variant, planned, may_fault, .. } = *question;
    WorkerLaunch { case: variant, launch: &planned.launch, may_fault, alone: false }
}
