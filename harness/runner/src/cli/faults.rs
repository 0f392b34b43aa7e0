//! Options on launches that may fault: how many of them, and whether at all.

use std::collections::BTreeSet;

use crate::budget::{Key, candidates};
use crate::notice;
use crate::plan::Variant;
use crate::target::{Budgeted, Exposure, Target};

/// Options of commands that put the corpus to a target.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct Faults {
    /// Launches that may fault, at most, of every case before a second one of any [default: 300 on hardware, where each costs a
    /// process; elsewhere all]
    #[arg(long, value_name = "N")]
    fault_budget: Option<usize>,
    /// Run launches that may fault also where others would suffer: under the multi-process service, on a device that is shared
    /// or has a display
    #[arg(long)]
    allow_faults: bool,
}

impl Faults {
    /// The target, with as many of the variants' launches that may fault as are to be run. `recorded` are launches that need
    /// not be run again.
    pub(super) fn limit(
        self,
        target: Box<dyn Target>,
        variants: &[&Variant],
        recorded: &BTreeSet<Key>,
    ) -> Box<dyn Target> {
        let Exposure { budget, refusal } = target.exposure();
        if let Some(why) = refusal.filter(|_| !self.allow_faults) {
            notice::line(format_args!(
                "{}: launches that may fault are not run: {why}; --allow-faults runs them",
                target.name()
            ));
            return Box::new(Budgeted::refusing(target, &candidates(variants), &why));
        }
        match self.fault_budget.or(budget) {
            Some(budget) => Box::new(Budgeted::new(target, &candidates(variants), recorded, budget)),
            None => target,
        }
    }
}
