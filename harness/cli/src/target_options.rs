//! The options of commands that run the corpus on targets: `--fault-budget`, `--allow-faults`, `--resume`, and those on processes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use warpdiff_corpus::plan::Variant;
use warpdiff_judge::exit_code::Exit;
use warpdiff_recordings::journal::Journal;
use warpdiff_targets::fault_budget::{Key, candidates};
use warpdiff_targets::{Exposure, FaultBudget, Journalled, Layered, Target, TargetName};
use warpdiff_terminal::stderr;
use warpdiff_worker::options::WorkerOptions;

use crate::failure::Failure;
use crate::shared_options::SharedOptions;

/// Prints the effort of a target on the standard error, because it differs from machine to machine.
pub(crate) fn effort(target: &dyn Target) {
    if let Some(effort) = target.effort().filter(|effort| effort.launches > 0) {
        stderr::line(format_args!("{}: {effort}", target.name()));
    }
}

/// Reports a target that broke down for good, and returns the exit code: the remaining launches were not judged.
pub(crate) fn breakdown(target: &dyn Target) -> Exit {
    broke_down(target.name(), target.broken().as_deref())
}

/// The same for a target that broke down for this reason, if there is one.
pub(crate) fn broke_down(target: &str, why: Option<&str>) -> Exit {
    let Some(why) = why else { return Exit::Conforms };
    stderr::line(format_args!("{target}: {why}"));
    Exit::Broken
}

/// Options of running targets.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TargetOptions {
    /// Keep the answers of targets in FILE and use those that it has, so that a killed command can go on
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Run at most N launches that may fault, one of every case before a second of any [default: 300 on hardware, where each costs
    /// a process; elsewhere all]
    #[arg(long, value_name = "N")]
    fault_budget: Option<usize>,
    /// Run launches that may fault even where they disturb others: under the multi-process service, on a device that is shared or
    /// has a display
    #[arg(long)]
    allow_faults: bool,
    #[command(flatten)]
    workers: WorkerOptions,
}

impl TargetOptions {
    /// Opens the target of that name for the corpora in use, and prints its remark.
    pub(crate) fn open(&self, name: &TargetName, shared: &SharedOptions) -> Result<Box<dyn Target>, Failure> {
        let target = name.open_beside(self.workers.limits(), shared.roots()?.folders());
        target.prepare().map_err(|why| Failure::broken(format!("{}: {why}", target.name())))?;
        if let Some(remark) = target.remark() {
            stderr::line(format_args!("{}: {remark}", target.name()));
        }
        Ok(target)
    }

    /// The journal for all targets of a command, with `--resume`.
    pub(crate) fn journal(&self) -> Result<Option<Arc<Journal>>, Failure> {
        let open = |path: &PathBuf| {
            let journal = Journal::open(path);
            journal.map(Arc::new).map_err(|e| Failure::broken(format!("{}: {e}", path.display())))
        };
        self.resume.as_ref().map(open).transpose()
    }

    /// How many answers the journal, if there is one, gave in place of targets. It is said: a target that has changed since was not asked.
    pub(crate) fn resumed(&self, journal: Option<&Arc<Journal>>) -> usize {
        let used = journal.map_or(0, |journal| journal.used());
        if used > 0 {
            let path = self.resume.as_deref().unwrap_or(Path::new("")).display();
            let noun = if used == 1 { "answer is" } else { "answers are" };
            stderr::line(format_args!("{path}: {used} {noun} of an earlier run, and not asked for again"));
        }
        used
    }

    /// Whether the journal, if there is one, kept every observation.
    pub(crate) fn kept(&self, journal: Option<&Arc<Journal>>) -> Result<(), Failure> {
        let path = self.resume.as_deref().unwrap_or(Path::new("")).display();
        match journal.and_then(|journal| journal.lost()) {
            Some(lost) => Err(Failure::broken(format!("{path}: {lost}"))),
            None => Ok(()),
        }
    }

    /// The target with a fault budget for the variants' launches, and with the journal, if there is one. `recorded` are launches
    /// that need not run again.
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
        // Translated launches that may fault are never sent.
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
