//! `cuda…` as a target: worker processes of this program, each with a context on the device.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use warpdiff_model::Observation;
use warpdiff_worker::command::CommandLine;
use warpdiff_worker::launch_answer::WorkerLaunch;
use warpdiff_worker::limits::Limits;
use warpdiff_worker::supervisor::Supervisor;

use super::driver::output::NO_WORKERS;
use super::serve::SPA;
use super::{CudaName, exposure};
use crate::fault_budget;
use crate::fit::{Taker, fit};
use crate::{Answer, Effort, Exposure, Question, Target};

/// Time for a worker to open the library and make a context, which takes several seconds on a large machine.
const START: Duration = Duration::from_secs(120);

/// A device, or a drop-in driver library.
pub struct CudaTarget {
    name: String,
    /// Whether the name has a library.
    named: bool,
    workers: Result<Supervisor, String>,
    /// Result of the first search.
    presence: OnceLock<Presence>,
    /// Facts about the device, from that search.
    facts: OnceLock<BTreeMap<String, String>>,
}

/// The description of the device, or why there is none.
pub type Presence = Result<String, String>;

/// Looks for a device, in a worker process.
pub fn presence(name: &CudaName) -> Presence {
    CudaTarget::new(name, Limits::default()).presence().clone()
}

impl CudaTarget {
    /// The target with this name, served by processes of the running program.
    pub fn new(name: &CudaName, limits: Limits) -> Self {
        let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"));
        Self::served_by(name, limits, program.as_deref().map_err(Clone::clone))
    }

    /// The target with this name, served by processes of `program`, a `warpdiff`.
    pub fn served_by(name: &CudaName, limits: Limits, program: Result<&Path, String>) -> Self {
        // A driver reserves address ranges far larger than any memory; only the time is bounded.
        let limits = Limits { address_space: None, processor: None, hello: START, ..limits };
        let command = program.and_then(|program| {
            if let Some(why) = NO_WORKERS {
                return Err(why.into());
            }
            let words = [&program.display().to_string(), "worker", &name.to_string()].map(quoted).join(" ");
            // A wrong module must be refused when it is loaded, not when a kernel of it is looked up.
            Ok(words.parse::<CommandLine>()?.with_variable("CUDA_MODULE_LOADING", "EAGER").of_warpdiff())
        });
        Self {
            name: name.to_string(),
            named: name.library.is_some(),
            workers: command.map(|command| Supervisor::new(command, limits)),
            presence: OnceLock::new(),
            facts: OnceLock::new(),
        }
    }

    /// Whether there is a device. Searches once.
    pub fn presence(&self) -> &Presence {
        self.presence.get_or_init(|| match &self.workers {
            Ok(workers) => workers.prepare().map(|introduction| {
                if let Some(taker) = Taker::of_facts(&introduction.device) {
                    workers
                        .share_fitted(Box::new(move |text| fit(text, taker).ok().map(|fitted| fitted.text)));
                }
                self.facts.get_or_init(|| introduction.device);
                introduction.name
            }),
            Err(why) => Err(why.clone()),
        })
    }

    /// The workers, if there is a device.
    fn present(&self) -> Result<&Supervisor, &str> {
        match (&self.workers, self.presence()) {
            (Ok(workers), Ok(_)) => Ok(workers),
            (Err(why), _) | (_, Err(why)) => Err(why),
        }
    }
}

impl Target for CudaTarget {
    fn name(&self) -> &str {
        &self.name
    }

    /// A named library must exist and have a device. Without a name and without an installed library all launches are skipped.
    fn prepare(&self) -> Result<(), String> {
        match self.presence() {
            Err(why) if self.named => Err(why.clone()),
            _ => Ok(()),
        }
    }

    fn remark(&self) -> Option<String> {
        Some(match self.presence() {
            Ok(device) => device.clone(),
            Err(why) => format!("skipped: {why}"),
        })
    }

    /// A device of compute capability 5.x is given the machine words of programs of SPA 5.0, and judged by it.
    fn takes_spa(&self) -> bool {
        self.device().contains_key(SPA)
    }

    /// The installed driver contains ptxas; what a drop-in library compiles with is not known.
    fn newest_architecture(&self) -> Option<u32> {
        self.facts.get().and_then(Taker::of_facts).map(|taker| taker.target)
    }

    fn is_compiled(&self) -> bool {
        !self.named
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        match self.present() {
            Ok(workers) => workers.observe_one(asked(&question)).observation,
            Err(why) => Observation::NotRun { why: why.into() },
        }
    }

    fn device(&self) -> BTreeMap<String, String> {
        let _ = self.presence();
        self.facts.get().cloned().unwrap_or_default()
    }

    fn exposure(&self) -> Exposure {
        let facts = self.device();
        let budget = exposure::is_hardware(&facts).then_some(fault_budget::USUAL);
        // Without a device nothing is run.
        match self.presence() {
            Ok(_) => Exposure { budget, refusal: exposure::refusal(&facts) },
            Err(_) => Exposure::default(),
        }
    }

    fn effort(&self) -> Option<Effort> {
        self.workers.as_ref().ok().map(Supervisor::effort)
    }

    fn broken(&self) -> Option<String> {
        self.workers.as_ref().ok()?.broken().map(str::to_owned)
    }

    fn batches(&self) -> bool {
        true
    }

    fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        match self.present() {
            Ok(workers) => {
                let is_hardware = exposure::is_hardware(&self.device());
                // Of hardware no launch is put again here: a fault costs it a process, which the fault budget has to allow.
                let forget = |launch| WorkerLaunch { allowed: None, ..launch };
                let mut launches: Vec<WorkerLaunch<'_>> = questions.iter().map(asked).collect();
                if is_hardware {
                    launches = launches.into_iter().map(forget).collect();
                }
                workers.observe_all(&launches, answered);
            }
            Err(why) => {
                let skipped = || Observation::NotRun { why: why.into() }.into();
                (0..questions.len()).for_each(|index| answered(index, skipped()));
            }
        }
    }
}

/// A launch that may fault runs alone: a fault destroys its context, and on hardware its process.
fn asked<'a>(question: &Question<'a>) -> WorkerLaunch<'a> {
    let Question { variant, planned, may_fault, allowed, .. } = *question;
    WorkerLaunch { case: variant, launch: &planned.launch, may_fault, alone: may_fault, allowed }
}

/// A word in quotes for a command line.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_blanks_and_quotes_stays_one_word() {
        let text = quoted("/opt/it's here/warpdiff");
        assert_eq!(text.parse::<CommandLine>().unwrap().words(), ["/opt/it's here/warpdiff"]);
    }
}
