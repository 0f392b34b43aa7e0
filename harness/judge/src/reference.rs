//! Runs planned launches on the reference: their allowed outcomes, and when rows are split into launches of their own.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use foldhash::fast::RandomState;
use warpdiff_corpus::plan::{Expected, PlannedLaunch};
use warpdiff_emulator::{CompileError, Compiled, Reference, Schedule, compile};
use warpdiff_model::allowed::{MaskedState, are_all};
use warpdiff_model::{Allowed, FaultClass, Outcome, Permitted, Semantics};

use crate::memory_after_fault;

/// Why the reference has no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReferenceError {
    /// It cannot run the program. Loading a corpus checks its programs, so this is rare.
    #[error(transparent)]
    Program(#[from] CompileError),
    /// The launch does not fit the program.
    #[error("{0}")]
    Launch(String),
}

/// What a program was compiled to.
type CompiledOrNot = Result<Arc<Compiled>, CompileError>;
/// Programs by their texts, which are long: how they are hashed is seen in the time of a run.
type ByText = HashMap<Arc<str>, CompiledOrNot, RandomState>;

/// The programs that were compiled last for any variant, by their texts: variants of a case often have the same.
#[derive(Default)]
pub struct RecentPrograms(Mutex<[ByText; 2]>);

impl RecentPrograms {
    /// Programs of a generation, for each thread that may ask. The generation before it is kept too. Variants that have a program in common mostly
    /// follow each other, and more programs would not fit into the nearest caches of a processor.
    const OF_A_THREAD: usize = 8;

    fn most() -> usize {
        static THREADS: LazyLock<usize> =
            LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
        Self::OF_A_THREAD * *THREADS
    }

    fn get(&self, text: &Arc<str>) -> CompiledOrNot {
        if let Some(known) = self.known(text) {
            return known;
        }
        // Two threads may compile one program: neither waits.
        let compiled = compile(text).map(Arc::new);
        self.remember(text, compiled.clone());
        compiled
    }

    fn known(&self, text: &Arc<str>) -> Option<CompiledOrNot> {
        let recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.iter().find_map(|programs| programs.get(text)).cloned()
    }

    fn remember(&self, text: &Arc<str>, compiled: CompiledOrNot) {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if recent[0].len() >= Self::most() {
            recent.swap(0, 1);
            recent[0].clear();
        }
        recent[0].insert(Arc::clone(text), compiled);
    }
}

/// The programs of a variant, each compiled once.
#[derive(Default)]
pub struct Programs<'r> {
    own: ByText,
    /// The program that was asked for last: rows that are launched apart have the same, and its text is long.
    last: Option<(Arc<str>, Arc<Compiled>)>,
    recent: Option<&'r RecentPrograms>,
}

impl<'r> Programs<'r> {
    /// Programs of a variant that were compiled for another are not compiled again.
    pub fn among(recent: &'r RecentPrograms) -> Self {
        Self { recent: Some(recent), ..Self::default() }
    }

    /// Takes what is run for a program from elsewhere: the machine code that a compiler made of its text.
    pub fn put(&mut self, compiled: Arc<Compiled>) {
        self.last = None;
        self.own.insert(Arc::clone(&compiled.text), Ok(compiled));
    }

    /// The program of that text.
    ///
    /// # Errors
    /// As [`compile`].
    pub fn get(&mut self, text: &Arc<str>) -> Result<Arc<Compiled>, CompileError> {
        if let Some((_, last)) = self.last.as_ref().filter(|(last, _)| Arc::ptr_eq(last, text)) {
            return Ok(Arc::clone(last));
        }
        let compiled = self.look_up(text);
        self.last = compiled.as_ref().ok().map(|compiled| (Arc::clone(text), Arc::clone(compiled)));
        compiled
    }

    fn look_up(&mut self, text: &Arc<str>) -> CompiledOrNot {
        if let Some(known) = self.own.get(text) {
            return known.clone();
        }
        let compiled = match self.recent {
            Some(recent) => recent.get(text),
            None => compile(text).map(Arc::new),
        };
        self.own.insert(Arc::clone(text), compiled.clone());
        compiled
    }
}

/// A planned launch, taken from the plan or split off it.
pub enum PlannedOrSplit<'a> {
    /// As planned.
    Planned(&'a PlannedLaunch),
    /// One row of a planned launch.
    Split(Box<PlannedLaunch>),
}

impl Deref for PlannedOrSplit<'_> {
    type Target = PlannedLaunch;

    fn deref(&self) -> &PlannedLaunch {
        match self {
            Self::Planned(planned) => planned,
            Self::Split(split) => split,
        }
    }
}

/// A launch that is judged by itself, with its allowed outcomes.
pub struct Unit<'a> {
    /// The launch.
    pub planned: PlannedOrSplit<'a>,
    /// Its program.
    pub compiled: Arc<Compiled>,
    /// The allowed outcomes, with tolerances.
    pub allowed: Allowed,
    /// The outcomes under further orders of warps and atomics, if expectations need them.
    pub orders: Vec<Outcome>,
    /// Memory after the demanded fault, if the case states it.
    pub memory_after_fault: Option<MaskedState>,
    /// Thread-instructions of the longest run of the reference; all that the launch may take if a run never ends.
    pub steps: u64,
}

impl Unit<'_> {
    /// Thread-instructions after which the launch counts as one that does not end under other semantics. Those that the reference can be
    /// mistaken for take a few times what it takes; a loop that they make endless would run to the limit of the launch otherwise, for each
    /// deviation that is tried.
    pub fn most_steps(&self) -> u64 {
        self.steps.saturating_mul(LONGER).saturating_add(SHORT)
    }

    /// Whether the specification permits another ending than completion.
    pub fn may_stop(&self) -> bool {
        may_stop(&self.allowed)
    }

    /// One unit per row.
    ///
    /// # Errors
    /// As [`units`].
    pub fn split(&self) -> Result<Vec<Unit<'static>>, ReferenceError> {
        let own = ByText::from_iter([(Arc::clone(&self.compiled.text), Ok(Arc::clone(&self.compiled)))]);
        let programs = &mut Programs { own, ..Programs::default() };
        self.planned.each_row().map(|row| unit(PlannedOrSplit::Split(Box::new(row)), programs)).collect()
    }
}

/// The units of a planned launch: one; or one per row, if its rows are launched apart, or if rows that share the launch could fault,
/// because a fault of one would end the others.
///
/// # Errors
/// If the reference cannot run the program or the launch.
pub fn units<'a>(
    planned: &'a PlannedLaunch,
    programs: &mut Programs<'_>,
) -> Result<Vec<Unit<'a>>, ReferenceError> {
    let mut units = Vec::new();
    each_unit(planned, programs, |unit| units.push(unit))?;
    Ok(units)
}

/// Hands on the units of a planned launch one after the other, as [`units`] has them. Each row that is launched apart has a copy of all
/// memory: where it is let go before the next is made, that one finds its room, which the processor has at hand.
///
/// # Errors
/// As [`units`]; some may have been handed on before.
pub fn each_unit<'a>(
    planned: &'a PlannedLaunch,
    programs: &mut Programs<'_>,
    mut take: impl FnMut(Unit<'a>),
) -> Result<(), ReferenceError> {
    if !planned.apart {
        let whole = unit(PlannedOrSplit::Planned(planned), programs)?;
        if !(planned.splittable && planned.rows.len() > 1 && whole.may_stop()) {
            take(whole);
            return Ok(());
        }
    }
    for row in planned.each_row() {
        take(unit(PlannedOrSplit::Split(Box::new(row)), programs)?);
    }
    Ok(())
}

fn unit<'a>(planned: PlannedOrSplit<'a>, programs: &mut Programs<'_>) -> Result<Unit<'a>, ReferenceError> {
    let compiled = programs.get(&planned.launch.program)?;
    let Reference { allowed, orders, steps, runs: _ } = warpdiff_emulator::reference(
        &compiled.program,
        &planned.launch,
        &Semantics::default(),
        &FURTHER_ORDERS,
        |allowed| {
            allowed.tolerate(&planned.tolerances);
            allowed.judge_logs(&planned.logs);
            allowed.judge_permutations(&planned.permutations());
            wants_orders(&planned, allowed)
        },
    )
    .map_err(|e| ReferenceError::Launch(e.to_string()))?;
    let memory_after_fault = memory_after_fault::of(&compiled.program, &planned, &Semantics::default());
    Ok(Unit { planned, compiled, allowed, orders, memory_after_fault, steps })
}

/// Whether the specification permits another ending than completion.
pub fn may_stop(allowed: &Allowed) -> bool {
    allowed.outcomes.iter().any(must_be_split)
}

/// Whether an outcome of a shared launch hides the other rows.
fn must_be_split(outcome: &Outcome) -> bool {
    !outcome.may.is_empty() || !matches!(outcome.permitted, Permitted::Completed { .. })
}

/// Whether expectations must be shown to hold under other orders: the case says so, or one of them concerns a value that
/// depends on the order.
fn wants_orders(planned: &PlannedLaunch, allowed: &Allowed) -> bool {
    planned.every_order
        || !planned.permutations().is_empty()
        || has_unordered_bits(allowed)
            && planned.expectations.iter().any(|e| allowed.outcomes.iter().any(|o| unordered(&e.what, o)))
}

/// Whether any bits depend on the order of atomics.
fn has_unordered_bits(allowed: &Allowed) -> bool {
    let has = |outcome: &Outcome| match &outcome.permitted {
        Permitted::Completed { state } => state.regions.iter().any(|region| !are_all(&region.unordered, 0)),
        _ => false,
    };
    allowed.outcomes.iter().any(has)
}

/// Whether the expectation concerns bits that depend on the order of atomics.
fn unordered(expected: &Expected, outcome: &Outcome) -> bool {
    let Expected::Bytes { region, name, offset, mask, .. } = expected else { return false };
    let Permitted::Completed { state } = &outcome.permitted else { return false };
    let Some(found) = state.regions.iter().find(|r| r.region.kind == *region && *r.region.name == **name)
    else {
        return false;
    };
    let bits = found.unordered.get(*offset..offset + mask.len());
    bits.is_some_and(|bits| bits.iter().zip(mask.iter()).any(|(u, m)| u & m != 0))
}

/// How many times the thread-instructions of the reference a launch may take under other semantics.
const LONGER: u64 = 8;
/// Thread-instructions that it may take beside that: the reference may have ended early, by a fault.
const SHORT: u64 = 1 << 16;

/// Further orders under which expectations must hold.
const FURTHER_ORDERS: [Schedule; 4] =
    [Schedule::Reversed, Schedule::Rotated(1), Schedule::Rotated(7), Schedule::Rotated(16)];

/// The classes of the faults that an outcome demands.
pub fn must_classes(outcome: &Outcome) -> Vec<FaultClass> {
    let Permitted::Faulted { faults } = &outcome.permitted else { return Vec::new() };
    faults.iter().filter(|f| f.kind == warpdiff_model::FaultKind::Must).map(|f| f.class).collect()
}

#[cfg(test)]
mod tests {
    use warpdiff_model::{Argument, Buffer, Launch};

    use super::*;

    /// That a launch does not finish is seen after a few hundred steps. A deviation under which it finishes may take many more.
    #[test]
    fn a_reference_that_does_not_finish_leaves_others_all_steps() {
        let text = ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 m)\n{\n.reg .u64 %m;\n.reg .u32 %r;\n\
                    .reg .pred %p;\nld.param.u64 %m, [m];\nspin:\nld.volatile.global.u32 %r, [%m];\nsetp.eq.u32 %p, %r, 0;\n\
                    @%p bra spin;\nret;\n}\n";
        let mut launch = Launch::new(Arc::from(text), "k");
        launch.arguments.push(Argument::Buffer { index: 0, offset: 0 });
        let steps = |first: u8| {
            let mut launch = launch.clone();
            launch.buffers.push(Buffer::new("m", vec![first, 0, 0, 0]));
            let planned = PlannedLaunch::bare(launch, Arc::default());
            let units = units(&planned, &mut Programs::default()).expect("an answer");
            (units[0].steps, units[0].most_steps())
        };
        // Five instructions, if it does not wait.
        assert_eq!(steps(1), (5, 5 * LONGER + SHORT));
        assert_eq!(steps(0).0, Launch::DEFAULT_STEP_BUDGET);
        assert!(steps(0).1 > Launch::DEFAULT_STEP_BUDGET);
    }
}
