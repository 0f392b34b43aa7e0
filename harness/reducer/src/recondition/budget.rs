//! What reconditioning a program may cost, in thread-instructions of the emulator: the same on every machine, and no clock is asked.

use warpdiff_model::Launch;

/// Thread-instructions that reconditioning a program may take: some seconds at most, and a hundred times what nearly all programs need.
pub(crate) const STEPS: u64 = 1 << 24;

/// What it costs to begin a run, of a launch with few instructions the most: that of as many instructions.
const BEGIN: u64 = 1 << 10;

/// Thread-instructions that are left.
pub(super) struct Budget {
    left: u64,
}

impl Budget {
    pub(super) fn of(steps: u64) -> Self {
        Self { left: steps }
    }

    /// A launch that ends where the budget does, at the latest.
    pub(super) fn within(&self, launch: &Launch) -> Launch {
        Launch { step_budget: launch.step_budget.min(self.left), ..launch.clone() }
    }

    /// Pays for compiling a launch: a byte costs about as much as an instruction. `None` if too little is left.
    pub(super) fn compile(&mut self, launch: &Launch) -> Option<()> {
        self.pay(launch.program.len() as u64)
    }

    /// Pays for so many runs of so many thread-instructions. `None` if too little is left.
    pub(super) fn run(&mut self, runs: usize, steps: u64) -> Option<()> {
        self.pay((BEGIN + steps).saturating_mul(runs as u64))
    }

    fn pay(&mut self, steps: u64) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn what_was_paid_is_gone() {
        let launch = Launch::new(Arc::from("1234567890"), "k");
        let mut budget = Budget::of(5000);
        assert_eq!(budget.compile(&launch), Some(()));
        assert_eq!(budget.within(&launch).step_budget, 4990);
        // 2 * (1024 + 500)
        assert_eq!(budget.run(2, 500), Some(()));
        assert_eq!(budget.within(&launch).step_budget, 1942);
        assert_eq!(budget.within(&Launch { step_budget: 7, ..launch.clone() }).step_budget, 7);
        assert_eq!(budget.run(1, 919), None);
        // What is too dear costs nothing.
        assert_eq!(budget.run(1, 918), Some(()));
        assert_eq!(budget.compile(&launch), None);
    }
}
