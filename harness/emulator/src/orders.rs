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
}

impl Runs {
    /// None yet. A run of more than `limit` thread-instructions does not end.
    pub(crate) fn within(limit: u64) -> Self {
        Self { knowledge: Knowledge::default(), outcomes: Vec::new(), limit, weighs: false, steps: 0 }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use warpdiff_model::{Argument, Buffer, Permitted};

    use super::*;
    use crate::compile;

    /// A kernel over 33 threads and a buffer of 256 bytes at `%a`; `%t` is the number of the thread.
    fn launch(body: &str) -> (Program, Launch) {
        let text: Arc<str> = format!(
            ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry main(.param .u64 p)\n{{\n\
             .reg .u64 %a, %b;\n.reg .u32 %t, %old, %slot;\n.reg .pred %q, %r;\n\
             ld.param.u64 %a, [p];\nmov.u32 %t, %tid.x;\n{body}\nret;\n}}\n"
        )
        .into();
        let program = compile(&text).unwrap_or_else(|error| panic!("{error}")).program;
        let mut launch = Launch::new(text, "main");
        launch.block = [33, 1, 1];
        launch.buffers = vec![Buffer::new("m", vec![0; 256])];
        launch.arguments = vec![Argument::Buffer { index: 0, offset: 0 }];
        (program, launch)
    }

    /// What a run under one order has learned of contention changes nothing of what a run under another order gives.
    #[test]
    fn an_order_gives_the_same_after_others_as_alone() {
        let slots = "atom.global.add.u32 %slot, [%a], 1;";
        let own = "mul.wide.u32 %b, %slot, 4;\nadd.u64 %b, %b, %a;\nst.global.u32 [%b+16], %t;";
        let lock = "L: atom.global.cas.b32 %old, [%a+4], 0, 1;\nsetp.ne.u32 %q, %old, 0;\n@%q bra L;\n\
                    ld.volatile.global.u32 %old, [%a+8];\nadd.u32 %old, %old, %t;\nst.volatile.global.u32 [%a+8], %old;\n\
                    membar.gl;\natom.global.exch.b32 %old, [%a+4], 0;";
        // Whoever comes first, and thread 0: in order they are the same thread, and nobody contends there.
        let first = "setp.eq.u32 %q, %slot, 0;\nsetp.eq.u32 %r, %t, 0;\nor.pred %q, %q, %r;\n\
                     @%q atom.global.exch.b32 %old, [%a+8], %t;";
        // The last but one exchanges, all others add: only under some orders the final value is the same.
        let mixed = "setp.eq.u32 %q, %t, 31;\n@%q atom.global.exch.b32 %old, [%a+12], 5;\n\
                     @!%q red.global.add.u32 [%a+12], 1;";
        for body in [lock.to_owned(), format!("{slots}\n{own}"), format!("{slots}\n{first}\n{mixed}\n{own}")]
        {
            let (program, launch) = launch(&body);
            let semantics = Semantics::default();
            let mut runs = Runs::within(u64::MAX);
            let orders = [Schedule::InOrder, Schedule::Reversed, Schedule::Rotated(1), Schedule::Rotated(7)];
            for order in orders.into_iter().chain(orders) {
                let run = |runs: &mut Runs| runs.run(&program, &launch, &semantics, order).unwrap();
                let (after, alone) = (run(&mut runs), run(&mut Runs::within(u64::MAX)));
                assert_eq!(after.outcome, alone.outcome, "{order:?} of {body}");
                assert_eq!(after.order_dependent, alone.order_dependent, "{order:?} of {body}");
                assert!(
                    matches!(after.outcome.permitted, Permitted::Completed { .. }),
                    "{:?}",
                    after.outcome
                );
            }
            assert!(!runs.knowledge.is_empty(), "{body}");
        }
    }

    #[test]
    fn an_order_that_ran_is_not_run_again() {
        let (program, launch) = launch(
            "atom.global.add.u32 %slot, [%a], 1;\nsetp.eq.u32 %q, %slot, 0;\n@%q bra L;\nst.global.u32 [%a+4], 1;\nL:",
        );
        let semantics = Semantics::default();
        let mut runs = Runs::within(u64::MAX);
        under_every_order(&program, &launch, &semantics, &mut runs).unwrap();
        assert_eq!(runs.outcomes.len(), OTHERS.len());
        // Only what is kept can give this.
        let (order, kept) = &mut runs.outcomes[0];
        let (order, expected) = (*order, Outcome { permitted: Permitted::TimedOut, ..kept.clone() });
        *kept = expected.clone();
        assert_eq!(runs.outcome(&program, &launch, &semantics, order).unwrap(), expected);
    }

    /// A run beyond the limit does not end, and one that needs exactly that many thread-instructions does.
    #[test]
    fn a_run_has_as_many_thread_instructions_as_it_was_given() {
        // Of 33 threads, each: the parameter, its number, the sum, the store and the end.
        let (program, launch) = launch("add.u32 %t, %t, 1;\nst.global.u32 [%a], 1;");
        for (limit, ends) in [(33 * 5, true), (33 * 5 - 1, false)] {
            let mut runs = Runs::within(limit);
            let ended = runs.run(&program, &launch, &Semantics::default(), Schedule::InOrder).unwrap();
            assert_eq!(matches!(ended.outcome.permitted, Permitted::Completed { .. }), ends, "{limit}");
            assert_eq!(matches!(ended.outcome.permitted, Permitted::TimedOut), !ends, "{limit}");
        }
    }
}
