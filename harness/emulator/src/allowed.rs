//! The set of allowed outcomes: runs a launch once for every assignment of the choices that matter to it.

use warpdiff_model::alternatives::{Alternatives, Consulted};
use warpdiff_model::{Allowed, Assignment, Launch, Observation, Outcome, Permitted, Semantics, State};
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
/// Runs the launch once per assignment of the alternatives that would have changed something in some run, starting from the assignment of
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

/// What the launch may do under the assignment of `semantics` alone. What conforms to this conforms to what is [`allowed`], if the launch is not
/// indeterminate under another assignment.
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
    /// How often the launch was run under an order and an assignment. A run that had to begin again counts once.
    pub runs: usize,
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
        return Ok(Reference { allowed, orders: Vec::new(), steps: runs.steps, runs: runs.count });
    }
    let under = |order: &Schedule| runs.outcome(program, launch, semantics, *order);
    let orders: Result<_, _> = orders.iter().map(under).collect();
    Ok(Reference { allowed, orders: orders?, steps: runs.steps, runs: runs.count })
}

fn allowed_of_runs(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    runs: &mut Runs,
) -> Result<Allowed, LaunchError> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    let cut = each_outcome((program, launch, semantics), runs, Wanted::Outcomes, |outcome| {
        if !outcomes.iter().any(|known| known.permits_the_same(&outcome)) {
            outcomes.push(outcome);
        }
    })?;
    if cut {
        outcomes = Outcome::merged(outcomes);
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
    each_outcome(of, &mut Runs::within(steps), Wanted::Assignments, |outcome| outcomes.push(outcome))?;
    Ok(outcomes)
}

/// Which assignments a launch is run under, of those of the choices that some run consulted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Those that may have outcomes of their own, which other assignments do not permit.
    Outcomes,
    /// All, even if their outcomes are the same.
    Assignments,
}

impl Wanted {
    /// The alternatives that runs are wanted under, by what one of them consulted.
    fn among(self, consulted: Consulted) -> Alternatives {
        match self {
            Self::Outcomes => consulted.differing.only(|choice| !choice.is_contained_in_first()),
            Self::Assignments => Alternatives::of_all(consulted.choices),
        }
    }
}

/// Runs the launch once per wanted assignment, and hands on each outcome; answers whether there were more assignments than are run. `runs` has
/// those under the assignment of `semantics`.
fn each_outcome(
    (program, launch, semantics): (&Program, &Launch, &Semantics),
    runs: &mut Runs,
    wanted: Wanted,
    mut take: impl FnMut(Outcome),
) -> Result<bool, LaunchError> {
    runs.weighs = wanted == Wanted::Outcomes;
    let mut known = Alternatives::default();
    let mut seen = vec![semantics.assignment];
    // For each of the assignments seen the alternatives that would have changed its run.
    let mut differing: Vec<Alternatives> = Vec::new();
    let mut cut = false;
    while let Some(assignment) = seen.get(differing.len()).copied() {
        let mut earlier = seen.iter().zip(&differing);
        let is_alike = |(run, its): &(&Assignment, &Alternatives)| its.leave_alike(**run, assignment);
        if wanted == Wanted::Outcomes
            && let Some((_, its)) = earlier.find(is_alike)
        {
            // The same would have changed a run under this one.
            differing.push(*its);
            continue;
        }
        let mut own = runs.anew();
        let of = if differing.is_empty() { &mut *runs } else { &mut own };
        let found = under_every_order(program, launch, &semantics.under(assignment), of)?;
        runs.steps = runs.steps.max(own.steps);
        runs.count += own.count;
        let before = known;
        let alternatives = wanted.among(found.consulted);
        differing.push(alternatives);
        known.extend(alternatives);
        found.outcomes.into_iter().for_each(&mut take);
        // Every assignment of the alternatives known before is there already.
        if known != before {
            cut |= !known.widen(&mut seen, ASSIGNMENTS);
        }
    }
    Ok(cut)
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
