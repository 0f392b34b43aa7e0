//! Options of the commands that put the corpus to targets: what their processes may take, which launches that may fault are run,
//! and where answers are kept for a run that goes on.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use warpdiff_corpus::plan::Variant;
use warpdiff_judge::exit_code::Exit;
use warpdiff_recordings::journal::Journal;
use warpdiff_targets::fault_budget::{Key, candidates};
use warpdiff_targets::{Exposure, FaultBudget, Journalled, Layered, Target, TargetName};
use warpdiff_terminal::stderr;
use warpdiff_worker::options::WorkerOptions;

use crate::failure::Failure;

/// Says what the launches of a target took, on the standard error: it is not the same on every machine.
pub(crate) fn effort(target: &dyn Target) {
    if let Some(effort) = target.effort().filter(|effort| effort.launches > 0) {
        stderr::line(format_args!("{}: {effort}", target.name()));
    }
}

/// Says that a target broke down for good, if it did, and how that is to end: what is left is not judged then, whatever was seen before.
pub(crate) fn breakdown(target: &dyn Target) -> Exit {
    let Some(why) = target.broken() else { return Exit::Conforms };
    stderr::line(format_args!("{}: {why}", target.name()));
    Exit::Broken
}

/// How the corpus is put to targets.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TargetOptions {
    /// Keep what targets answer in FILE, and do not ask again what stands there: a command that was killed goes on
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Launches that may fault, at most, of every case before a second one of any [default: 300 on hardware, where each costs a
    /// process; elsewhere all]
    #[arg(long, value_name = "N")]
    fault_budget: Option<usize>,
    /// Run launches that may fault also where others would suffer: under the multi-process service, on a device that is shared
    /// or has a display
    #[arg(long)]
    allow_faults: bool,
    #[command(flatten)]
    workers: WorkerOptions,
}

impl TargetOptions {
    /// The target of that name, ready to be asked. What there is to say of it is said.
    pub(crate) fn open(&self, name: &TargetName) -> Result<Box<dyn Target>, Failure> {
        let target = name.open_within(self.workers.limits());
        target.prepare().map_err(|why| Failure::broken(format!("{}: {why}", target.name())))?;
        if let Some(remark) = target.remark() {
            stderr::line(format_args!("{}: {remark}", target.name()));
        }
        Ok(target)
    }

    /// Where answers are kept, for all targets of a command, if they are.
    pub(crate) fn journal(&self) -> Result<Option<Arc<Journal>>, Failure> {
        let open = |path: &PathBuf| {
            let journal = Journal::open(path);
            journal.map(Arc::new).map_err(|e| Failure::broken(format!("{}: {e}", path.display())))
        };
        self.resume.as_ref().map(open).transpose()
    }

    /// The target, with as many of the variants' launches that may fault as are to be run, and with a journal, if there is one.
    /// `recorded` are launches that need not be run again.
    pub(crate) fn before(
        &self,
        target: Box<dyn Target>,
        variants: &[&Variant],
        recorded: &BTreeSet<Key>,
        journal: Option<&Arc<Journal>>,
    ) -> Box<dyn Target> {
        let target = self.budgeted(target, variants, recorded);
        match journal {
            Some(journal) => {
                let journal = Journalled::new(target.as_ref(), Arc::clone(journal));
                Box::new(Layered::new(target, journal))
            }
            None => target,
        }
    }

    fn budgeted(
        &self,
        target: Box<dyn Target>,
        variants: &[&Variant],
        recorded: &BTreeSet<Key>,
    ) -> Box<dyn Target> {
        let Exposure { budget, refusal } = target.exposure();
        // What is not put to it as it is, is not put to it where it may fault.
        let takes_spa = target.takes_spa();
        let variants: Vec<&Variant> =
            variants.iter().copied().filter(|variant| takes_spa || !variant.launches_spa()).collect();
        let variants = variants.as_slice();
        if let Some(why) = refusal.filter(|_| !self.allow_faults) {
            stderr::line(format_args!(
                "{}: launches that may fault are not run: {why}; --allow-faults runs them",
                target.name()
            ));
            return Box::new(Layered::new(target, FaultBudget::refusing(&candidates(variants), &why)));
        }
        match self.fault_budget.or(budget) {
            Some(budget) => {
                let budget = FaultBudget::new(&candidates(variants), recorded, budget);
                Box::new(Layered::new(target, budget))
            }
            None => target,
        }
    }
}
