//! Launches whose control or addresses depend on the order of atomics.
//!
//! Any assignment of threads to the slots of `out[atom.add(n, 1)]` is correct, and so is any number of iterations of a
//! compare-and-swap loop. Since one run shows one order, such a launch is run under several orders; differences between them are
//! unordered and not compared. The orders are only a sample. To compensate for that, a difference spreads to the aligned eight
//! bytes around it, and values stored through an order-dependent address are unordered from the start (see the machine's stores).

use warpdiff_model::allowed::MaskedState;
use warpdiff_model::alternatives::Consulted;
use warpdiff_model::{Launch, Outcome, Semantics};

use crate::launch::validation::LaunchError;
use crate::outcome::{Ended, run_to_outcome};
use crate::program::Program;
use crate::{Options, Schedule};
use warpdiff_races::contention::Knowledge;

/// The orders that are tried beside [`Schedule::InOrder`].
const OTHERS: [Schedule; 4] =
    [Schedule::Reversed, Schedule::Rotated(1), Schedule::Rotated(3), Schedule::Rotated(13)];

/// The combined results of the runs under several orders.
pub(crate) struct Found {
    /// Distinct outcomes. The states of all orders that completed are one outcome.
    pub(crate) outcomes: Vec<Outcome>,
    /// What any of them consulted.
    pub(crate) consulted: Consulted,
}

/// Runs of one launch under the same semantics and several orders. No order is run twice.
pub(crate) struct Runs {
    /// What they learned of contention: under most orders it is the same.
    knowledge: Knowledge,
    /// The outcomes under other orders than the first.
    outcomes: Vec<(Schedule, Outcome)>,
    /// Thread-instructions after which a run counts as one that does not end.
    limit: u64,
    /// See [`Options::weighs`].
    pub(crate) weighs: bool,
    /// The most thread-instructions of a run.
    pub(crate) steps: u64,
    /// How many runs there were.
    pub(crate) count: usize,
}

impl Runs {
    /// None yet. A run of more than `limit` thread-instructions does not end.
    pub(crate) fn within(limit: u64) -> Self {
        Self {
            knowledge: Knowledge::default(),
            outcomes: Vec::new(),
            limit,
            weighs: false,
            steps: 0,
            count: 0,
        }
    }

    /// None yet, of the same launch, for which the same holds.
    pub(crate) fn anew(&self) -> Self {
        Self { weighs: self.weighs, ..Self::within(self.limit) }
    }

    fn run(
        &mut self,
        program: &Program,
        launch: &Launch,
        semantics: &Semantics,
        schedule: Schedule,
    ) -> Result<Ended, LaunchError> {
        let options = Options { schedule, steps: self.limit, weighs: self.weighs, ..Options::default() };
        let ended = run_to_outcome(program, launch, semantics, &options, &mut self.knowledge)?;
        self.steps = self.steps.max(ended.steps);
        self.count += 1;
        Ok(ended)
    }

    /// The outcome under an order.
    ///
    /// # Errors
    /// If the launch cannot begin.
    pub(crate) fn outcome(
        &mut self,
        program: &Program,
        launch: &Launch,
        semantics: &Semantics,
        schedule: Schedule,
    ) -> Result<Outcome, LaunchError> {
        match self.outcomes.iter().find(|(known, _)| *known == schedule) {
            Some((_, outcome)) => Ok(outcome.clone()),
            None => Ok(self.run(program, launch, semantics, schedule)?.outcome),
        }
    }
}

/// Runs a launch, and if that was not independent of the order of atomics, under other orders too.
///
/// # Errors
/// If the launch cannot begin.
pub(crate) fn under_every_order(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    runs: &mut Runs,
) -> Result<Found, LaunchError> {
    let first = runs.run(program, launch, semantics, Schedule::InOrder)?;
    let mut found = Found { outcomes: vec![first.outcome], consulted: first.consulted };
    if first.order_dependent {
        for schedule in OTHERS {
            let other = runs.run(program, launch, semantics, schedule)?;
            runs.outcomes.push((schedule, other.outcome.clone()));
            found.consulted.extend(other.consulted);
            found.add(other.outcome);
        }
    }
    Ok(found)
}

impl Found {
    fn add(&mut self, outcome: Outcome) {
        let joined = self.outcomes.iter_mut().any(|known| known.join(&outcome, MaskedState::disorder));
        if !joined && !self.outcomes.contains(&outcome) {
            self.outcomes.push(outcome);
        }
    }
}
