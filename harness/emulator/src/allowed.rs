//! The set of allowed outcomes: runs a launch once for every assignment of the choices that matter to it.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{
    Allowed, Assignment, Choice, Launch, Observation, Outcome, Permitted, Semantics, State,
};
use warpdiff_semantics::printed::Printed;

use crate::launch::validation::LaunchError;
use crate::orders::{Runs, under_every_order};
use crate::outcome::run_to_memory;
use crate::program::Program;
use crate::{Options, Schedule, Unwritten};

/// Maximum number of assignments run; beyond it, bits in which the outcomes differ become undefined.
const ASSIGNMENTS: usize = 64;

/// Everything that `semantics` allow the launch to do, whatever is chosen where they leave a choice.
///
/// Runs the launch once per assignment of the choices that some run consulted, starting from the assignment of
/// `semantics`. What the specification fixes within a bound only is bounded so in the states; tolerances beside that are for a case
/// to state.
///
/// # Errors
/// If the launch cannot begin.
pub fn allowed(program: &Program, launch: &Launch, semantics: &Semantics) -> Result<Allowed, LaunchError> {
    allowed_within(program, launch, semantics, u64::MAX)
}

/// The same, where a run of more than `steps` thread-instructions counts as one that does not end.
///
/// # Errors
/// If the launch cannot begin.
pub fn allowed_within(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    steps: u64,
) -> Result<Allowed, LaunchError> {
    allowed_of_runs(program, launch, semantics, &mut Runs::within(steps))
}

/// What is [`allowed`] under the assignment of `semantics`, which is a part of it: where that is decided, and so is the rest, what conforms to
/// the part conforms.
///
/// # Errors
/// If the launch cannot begin.
pub fn allowed_by_its_assignment(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
) -> Result<Allowed, LaunchError> {
    let found = under_every_order(program, launch, semantics, &mut Runs::within(u64::MAX))?;
    Ok(Allowed { outcomes: found.outcomes, tolerances: Vec::new() })
}

/// What a target is compared with.
pub struct Reference {
    /// What is allowed.
    pub allowed: Allowed,
    /// The outcomes under further orders of warps and atomics, if they were wanted.
    pub orders: Vec<Outcome>,
    /// Thread-instructions of the longest run.
    pub steps: u64,
}

/// What is [`allowed`], and the outcomes under further orders of warps and atomics, if `wants_orders` says so of that; it may change it.
/// An order under which the launch ran already is not run again.
///
/// # Errors
/// If the launch cannot begin.
pub fn reference(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    orders: &[Schedule],
    wants_orders: impl FnOnce(&mut Allowed) -> bool,
) -> Result<Reference, LaunchError> {
    let mut runs = Runs::within(u64::MAX);
    let mut allowed = allowed_of_runs(program, launch, semantics, &mut runs)?;
    if !wants_orders(&mut allowed) {
        return Ok(Reference { allowed, orders: Vec::new(), steps: runs.steps });
    }
    let under = |order: &Schedule| runs.outcome(program, launch, semantics, *order);
    let orders: Result<_, _> = orders.iter().map(under).collect();
    Ok(Reference { allowed, orders: orders?, steps: runs.steps })
}

fn allowed_of_runs(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    runs: &mut Runs,
) -> Result<Allowed, LaunchError> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    let cut = each_outcome(
        (program, launch, semantics),
        runs,
        |choice| !choice.is_contained_in_first(),
        |outcome| {
            if !outcomes.iter().any(|known| same(known, &outcome)) {
                outcomes.push(outcome);
            }
        },
    )?;
    if cut {
        outcomes = merged(outcomes);
    }
    Ok(Allowed { outcomes, tolerances: Vec::new() })
}

/// Outcomes of the launch per assignment of the relevant choices, limited as in [`allowed_within`]. Each assignment has at least one
/// outcome; equal outcomes and alternatives contained in others are kept. This distinguishes the choices a target makes.
///
/// # Errors
/// If the launch cannot begin.
pub fn by_assignment(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    steps: u64,
) -> Result<Vec<Outcome>, LaunchError> {
    let mut outcomes = Vec::new();
    let of = (program, launch, semantics);
    each_outcome(of, &mut Runs::within(steps), |_| true, |outcome| outcomes.push(outcome))?;
    Ok(outcomes)
}

/// Runs the launch once per assignment of the choices that some run consulted and `matters` names, and hands on each outcome; answers
/// whether there were more assignments than are run. `runs` has those under the assignment of `semantics`.
fn each_outcome(
    (program, launch, semantics): (&Program, &Launch, &Semantics),
    runs: &mut Runs,
    matters: impl Fn(Choice) -> bool,
    mut take: impl FnMut(Outcome),
) -> Result<bool, LaunchError> {
    let mut consulted = ChoiceSet::default();
    let mut seen = vec![semantics.assignment];
    let mut next = 0;
    let mut cut = false;
    while next < seen.len() {
        let assignment = seen[next];
        next += 1;
        let mut own = runs.anew();
        let of = if next == 1 { &mut *runs } else { &mut own };
        let found = under_every_order(program, launch, &semantics.under(assignment), of)?;
        runs.steps = runs.steps.max(own.steps);
        let before = consulted;
        consulted.extend(found.consulted.only(&matters));
        found.outcomes.into_iter().for_each(&mut take);
        // Every assignment of the choices known before is there already.
        if consulted != before {
            cut |= !extend(&mut seen, consulted);
        }
    }
    Ok(cut)
}

/// Adds the assignments that differ in consulted choices; false when there are more than are run.
fn extend(seen: &mut Vec<Assignment>, consulted: ChoiceSet) -> bool {
    let mut index = 0;
    while index < seen.len() {
        for choice in consulted.iter() {
            for alternative in 0..choice.info().alternatives.len() as u8 {
                let candidate = seen[index].with(choice, alternative);
                if seen.contains(&candidate) {
                    continue;
                }
                if seen.len() == ASSIGNMENTS {
                    return false;
                }
                seen.push(candidate);
            }
        }
        index += 1;
    }
    true
}

fn same(a: &Outcome, b: &Outcome) -> bool {
    a.permitted == b.permitted && a.may == b.may
}

/// The outcomes with all completed states made one, in which bits that differ are undefined.
fn merged(outcomes: Vec<Outcome>) -> Vec<Outcome> {
    let mut result: Vec<Outcome> = Vec::new();
    for outcome in outcomes {
        let Permitted::Completed { state } = &outcome.permitted else {
            result.push(outcome);
            continue;
        };
        let target = result.iter_mut().find_map(|known| match &mut known.permitted {
            Permitted::Completed { state } => Some((state, &mut known.may)),
            _ => None,
        });
        match target {
            Some((target, may)) => {
                target.blur(state);
                may.extend(outcome.may.into_iter().filter(|fault| !may.contains(fault)).collect::<Vec<_>>());
            }
            None => result.push(outcome),
        }
    }
    result
}

/// The emulator as a target: its outcome under `semantics`, with a concrete value for every bit of memory.
///
/// # Errors
/// If the launch cannot begin.
pub fn observe(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
) -> Result<Observation, LaunchError> {
    Ok(observe_printing(program, launch, semantics)?.0)
}

/// The same, where a run of more than `steps` thread-instructions counts as one that does not end.
///
/// # Errors
/// If the launch cannot begin.
pub fn observe_within(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    steps: u64,
) -> Result<Observation, LaunchError> {
    let options = Options { tracked: false, steps, ..Options::default() };
    let (permitted, memory, _) = run_to_memory(program, launch, semantics, &options)?;
    Ok(observation(permitted, memory))
}

/// The same as [`observe`], with what the launch prints.
///
/// # Errors
/// If the launch cannot begin.
pub fn observe_printing(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
) -> Result<(Observation, Printed), LaunchError> {
    let options = Options { tracked: false, ..Options::default() };
    let (permitted, memory, printed) = run_to_memory(program, launch, semantics, &options)?;
    Ok((observation(permitted, memory), printed))
}

/// The same of a program whose undefined bits must not pass for values: they are inverted in the memory that it leaves.
///
/// # Errors
/// If the launch cannot begin.
pub fn observe_exposed(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
) -> Result<Observation, LaunchError> {
    let options = Options { exposes_undefined: true, ..Options::default() };
    let (permitted, memory, _) = run_to_memory(program, launch, semantics, &options)?;
    Ok(observation(permitted, memory))
}

/// The same as [`observe`], where the registers of machine code, and shared and local memory, hold `unwritten` before anything is
/// written there. An instruction that does not wait for what it needs finds it all the same.
///
/// # Errors
/// If the launch cannot begin.
pub fn observe_unwritten(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    unwritten: Unwritten,
) -> Result<Observation, LaunchError> {
    let options = Options { tracked: false, unwritten, ..Options::default() };
    let (permitted, memory, _) = run_to_memory(program, launch, semantics, &options)?;
    Ok(observation(permitted, memory))
}

fn observation(permitted: Permitted, memory: State) -> Observation {
    match permitted {
        Permitted::Completed { .. } => Observation::Completed { state: memory },
        Permitted::Faulted { faults } => {
            let first = faults.first();
            Observation::Faulted {
                class: first.map_or(warpdiff_model::FaultClass::Unspecified, |fault| fault.class),
                code: 0,
                thread: first.and_then(|fault| fault.thread),
                state: Some(memory),
                calls: warpdiff_model::Calls::default(),
            }
        }
        Permitted::TimedOut => Observation::timed_out(),
        Permitted::Indeterminate { place, origin } => {
            Observation::Unsupported { what: format!("{place}, {origin}") }
        }
    }
}
