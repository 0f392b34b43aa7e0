//! Launches whose control or addresses depend on the order of atomics.
//!
//! Any assignment of threads to the slots of `out[atom.add(n, 1)]` is correct, and so is any number of iterations of a
//! compare-and-swap loop. Since one run shows one order, such a launch is run under several orders; differences between them are
//! unordered and not compared. The orders are only a sample. To compensate for that, a difference spreads to the aligned eight
//! bytes around it, and values stored through an order-dependent address are unordered from the start (see the machine's stores).

use warpdiff_model::allowed::{MaskedRegion, MaskedState};
use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::serial::{Location, Operation};
use warpdiff_model::{Launch, Outcome, Permitted, Semantics};

use crate::launch::validation::LaunchError;
use crate::outcome::run_to_outcome;
use crate::program::Program;
use crate::{Options, Schedule};

/// The orders that are tried beside [`Schedule::InOrder`].
const OTHERS: [Schedule; 4] =
    [Schedule::Reversed, Schedule::Rotated(1), Schedule::Rotated(3), Schedule::Rotated(13)];

/// Bytes to which a difference spreads: the maximum size of a scalar access.
const SPREAD: usize = 8;

/// The combined results of the runs under several orders.
pub(crate) struct Found {
    /// Distinct outcomes. The states of all orders that completed are one outcome.
    pub(crate) outcomes: Vec<Outcome>,
    /// The choices that any of them consulted.
    pub(crate) consulted: ChoiceSet,
}

/// Runs a launch, and if that was not independent of the order of atomics, under other orders too.
///
/// # Errors
/// If the launch cannot begin.
pub(crate) fn under_every_order(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
) -> Result<Found, LaunchError> {
    let first = run_to_outcome(program, launch, semantics, &Options::default())?;
    let mut found = Found { outcomes: vec![first.outcome], consulted: first.consulted };
    if first.order_dependent {
        for schedule in OTHERS {
            let other =
                run_to_outcome(program, launch, semantics, &Options { schedule, ..Options::default() })?;
            found.consulted.extend(other.consulted);
            found.add(other.outcome);
        }
    }
    Ok(found)
}

impl Found {
    fn add(&mut self, outcome: Outcome) {
        if let Permitted::Completed { state } = &outcome.permitted {
            for known in &mut self.outcomes {
                if let Permitted::Completed { state: known_state } = &mut known.permitted {
                    disorder(known_state, state);
                    known.may.extend(
                        outcome
                            .may
                            .into_iter()
                            .filter(|fault| !known.may.contains(fault))
                            .collect::<Vec<_>>(),
                    );
                    return;
                }
            }
        }
        if !self.outcomes.contains(&outcome) {
            self.outcomes.push(outcome);
        }
    }
}

/// Makes unordered what differs between the states of two orders, and drops what serialises in only one of them.
fn disorder(state: &mut MaskedState, other: &MaskedState) {
    state.keep_derived_of(other);
    for (region, other) in state.regions.iter_mut().zip(&other.regions) {
        disorder_region(region, other);
    }
    state.serial.retain(|location| other.serial.iter().any(|other| same_operations(location, other)));
}

fn disorder_region(region: &mut MaskedRegion, other: &MaskedRegion) {
    let len = region.defined.len();
    for start in (0..len).step_by(SPREAD) {
        let range = start..len.min(start + SPREAD);
        let differs = range.clone().any(|index| {
            let both = region.defined[index] & other.defined[index];
            let ordered = both & !region.unordered[index] & !other.unordered[index];
            (region.region.bytes[index] ^ other.region.bytes[index]) & ordered != 0
        });
        for index in range {
            let defined = region.defined[index] & other.defined[index];
            let unordered = if differs { u8::MAX } else { region.unordered[index] | other.unordered[index] };
            region.defined[index] = defined;
            region.region.bytes[index] &= defined;
            region.unordered[index] = unordered & defined;
        }
    }
    region.keep_values_of(other);
}

/// Whether the same operations were done on the same location, whatever the order of the threads.
fn same_operations(a: &Location, b: &Location) -> bool {
    let by_thread = |location: &Location| {
        let mut operations: Vec<Operation> = location.operations.clone();
        operations.sort_by_key(|operation| operation.thread);
        operations
    };
    (&a.name, a.width, a.initial, a.last) == (&b.name, b.width, b.initial, b.last)
        && a.operations.len() == b.operations.len()
        && by_thread(a) == by_thread(b)
}
