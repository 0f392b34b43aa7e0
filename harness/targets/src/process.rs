//! `process:COMMAND`: any program that speaks the worker protocol (`docs/protocol.md`).

use std::collections::BTreeMap;
use std::sync::OnceLock;

use warpdiff_model::Observation;
use warpdiff_worker::command::CommandLine;
use warpdiff_worker::launch_answer::WorkerLaunch;
use warpdiff_worker::limits::Limits;
use warpdiff_worker::protocol;
use warpdiff_worker::supervisor::Supervisor;

use super::recording::CLAIMS;
use super::{Answer, Effort, Question, Target};

/// A program that speaks the worker protocol. Its processes are started when needed.
pub struct ProcessTarget {
    name: String,
    workers: Supervisor,
    /// Whether its workers take SPA 5.0, once one has said `hello`.
    takes_spa: OnceLock<bool>,
}

impl ProcessTarget {
    /// The target for this command; starts no process.
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

    /// False if it cannot be started.
    fn takes_spa(&self) -> bool {
        *self.takes_spa.get_or_init(|| {
            let introduced = self.workers.prepare();
            introduced.is_ok_and(|introduction| introduction.takes_spa())
        })
    }

    fn device(&self) -> BTreeMap<String, String> {
        // A recording keeps the dialect that its target claims.
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

/// A worker announces that it cannot go on after a fault (`leaving`), so no launch has to run alone.
fn asked<'a>(question: &Question<'a>) -> WorkerLaunch<'a> {
    let Question { variant, planned, may_fault, allowed, .. } = *question;
    WorkerLaunch { case: variant, launch: &planned.launch, may_fault, alone: false, allowed }
}
