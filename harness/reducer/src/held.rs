//! A target that is held to the signature of a mismatch.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;
use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_emulator::{CompileError, Compiled, Options, compile, run};
use warpdiff_judge::diagnose::{reproduces, reproducing};
use warpdiff_judge::finding::{Explanation, finding};
use warpdiff_judge::judgement;
use warpdiff_judge::reference::{PlannedOrSplit, Unit, may_stop};
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{
    Admission, Allowed, Buffer, Deviation, Launch, Mismatch, Observation, Permitted, RegionKind, Semantics,
};
use warpdiff_session::batches;
use warpdiff_targets::{Question, Target};
use warpdiff_worker::launch_answer::{PROCESS, PROTOCOL};

use crate::culprit::{culprit, opcode, parting};
use crate::persistence::Persistence;
use crate::recondition::recondition_with;
use crate::signature::Signature;
use crate::size::Size;
use crate::spa;

/// Candidates that a target gets together, if it is quicker with many.
const BATCH: usize = 24;

/// Why there is nothing to reduce.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreducible {
    /// The target does what the specification allows.
    #[error("the target conforms")]
    Conforms,
    /// The specification does not decide the launch.
    #[error("the specification does not decide it: {0}")]
    Indeterminate(String),
    /// The target has no answer.
    #[error("{0}")]
    NoAnswer(String),
    /// The reference has none.
    #[error("the reference cannot run it: {0}")]
    Reference(String),
}

/// A target that gets a launch wrong, and what is held fast while the launch shrinks.
pub struct Held<'t> {
    target: &'t dyn Target,
    signature: Signature,
    limits: Limits,
    /// The size of the last launch that showed the signature.
    size: Option<Size>,
    /// The thread that parts from the reference in the last launch of which that was sought.
    parted: u64,
    /// Candidates that were run.
    tried: u64,
    /// Of those that showed the signature, the ones that had to be reconditioned.
    reconditioned: u64,
}

/// What a candidate may not exceed.
struct Limits {
    /// How the reference may end.
    endings: BTreeSet<String>,
    /// Bits of memory that the specification leaves undefined.
    undefined: u64,
    /// Bytes of guard bands that the program changes: a buffer is not to shrink away from under an access.
    outside: usize,
    /// Whether an observation of the reference is found right: where the order of atomics decides what they return, a value that is undefined may leave that open.
    tells_right: bool,
    /// Wrong bytes beside right ones: of a mismatch that nothing explains, one of these must stay.
    wrong: Vec<Mismatch>,
}

/// A launch with what the reference allows.
struct Prepared {
    planned: PlannedLaunch,
    compiled: Arc<Compiled>,
    allowed: Allowed,
    is_reconditioned: bool,
}

impl Prepared {
    fn new(launch: Launch) -> Result<Self, Unreducible> {
        let compiled = compile(&launch.program).map_err(|error| match error {
            CompileError::Rejected(_) => Unreducible::Reference("its program is not legal".into()),
            CompileError::Unsupported(why) => Unreducible::Reference(why),
        })?;
        let allowed = warpdiff_emulator::allowed(&compiled.program, &launch, &Semantics::default())
            .map_err(|error| Unreducible::Reference(error.to_string()))?;
        let planned = PlannedLaunch::bare(launch, Arc::default());
        Ok(Self { planned, compiled: Arc::new(compiled), allowed, is_reconditioned: false })
    }

    fn question(&self) -> Question<'_> {
        let may_fault = may_stop(&self.allowed);
        let (program, allowed) = (Some(&self.compiled.program), Some(&self.allowed));
        Question { variant: "", planned: &self.planned, program, allowed, may_fault, again: false }
    }

    fn unit(&self) -> Unit<'_> {
        Unit {
            planned: PlannedOrSplit::Planned(&self.planned),
            compiled: Arc::clone(&self.compiled),
            allowed: self.allowed.clone(),
            orders: Vec::new(),
            memory_after_fault: None,
            steps: self.planned.launch.step_budget,
        }
    }

    /// The launch with a budget of steps that is small enough for candidates that never end, and large enough for others.
    fn within_steps(&self) -> Launch {
        let launch = &self.planned.launch;
        let run = run(&self.compiled.program, launch, &Semantics::default(), &Options::default());
        let steps = run.map_or(launch.step_budget, |run| run.steps.saturating_mul(4).saturating_add(1024));
        Launch { step_budget: launch.step_budget.min(steps), ..launch.clone() }
    }

    /// How the reference may end, in words.
    fn endings(&self) -> BTreeSet<String> {
        let outcomes = self.allowed.outcomes.iter();
        outcomes
            .flat_map(|outcome| {
                let ending = match &outcome.permitted {
                    Permitted::Completed { .. } => vec!["completes".to_owned()],
                    Permitted::Faulted { faults } => {
                        faults.iter().map(|fault| format!("faults: {}", fault.class)).collect()
                    }
                    Permitted::TimedOut => vec!["times out".to_owned()],
                    Permitted::Indeterminate { .. } => vec!["indeterminate".to_owned()],
                };
                let may = outcome.may.iter().map(|fault| format!("may fault: {}", fault.class));
                ending.into_iter().chain(may).collect::<Vec<_>>()
            })
            .collect()
    }

    /// The bits that the specification leaves undefined in memory that was defined before.
    fn undefined(&self) -> u64 {
        let of_outcome = |permitted: &Permitted| match permitted {
            Permitted::Completed { state } => {
                let masks = state.regions.iter().flat_map(|region| {
                    let values = |at: usize| region.value_at(at).is_some();
                    region.defined.iter().enumerate().filter(move |(at, _)| !values(*at))
                });
                masks.map(|(_, mask)| u64::from(mask.count_zeros())).sum()
            }
            _ => 0,
        };
        self.allowed.outcomes.iter().map(|outcome| of_outcome(&outcome.permitted)).max().unwrap_or(0)
    }

    /// The bytes of guard bands that it changes.
    fn outside(&self) -> usize {
        let of_outcome = |permitted: &Permitted| match permitted {
            Permitted::Completed { state } => {
                let guards = state.regions.iter().filter(|region| region.region.kind == RegionKind::Guard);
                let bytes = guards.flat_map(|region| &region.region.bytes);
                bytes.filter(|byte| **byte != Buffer::GUARD_BYTE).count()
            }
            _ => 0,
        };
        self.allowed.outcomes.iter().map(|outcome| of_outcome(&outcome.permitted)).max().unwrap_or(0)
    }

    /// Whether an observation of the reference is found right.
    fn tells_right(&self) -> bool {
        let observed =
            warpdiff_emulator::observe(&self.compiled.program, &self.planned.launch, &Semantics::default());
        observed.is_ok_and(|observed| matches!(self.allowed.admits(&observed), Admission::Conforms { .. }))
    }

    /// Why the specification does not decide it.
    fn indeterminate(&self) -> Option<String> {
        let unit = self.unit();
        judgement::indeterminate(&unit).map(|(place, origin)| format!("{place}: {origin}"))
    }
}

/// A mismatch of a launch.
struct Shown {
    prepared: Prepared,
    observation: Observation,
    raw: Raw,
    mismatches: Vec<Mismatch>,
}

impl Shown {
    /// `None` if the observation is allowed, or is no answer.
    fn new(prepared: Prepared, observation: Observation) -> Option<Self> {
        if is_no_answer(&observation).is_some() {
            return None;
        }
        let admission = prepared.allowed.admits(&observation);
        let raw = judgement::raw(&observation, &admission);
        if !raw.is_failure() {
            return None;
        }
        let mismatches = match admission {
            Admission::Violates { mismatches } => mismatches,
            _ => Vec::new(),
        };
        Some(Self { prepared, observation, raw, mismatches })
    }

    fn explained_by(&self, deviation: Deviation) -> bool {
        reproduces(&self.prepared.unit(), &self.observation, Semantics::default().with(deviation))
    }

    /// Its signature, with this cause.
    fn signature(&self, cause: Vec<Deviation>) -> Signature {
        let unit = self.prepared.unit();
        let explanation = Explanation { deviations: cause.clone(), ..Explanation::default() };
        let found = finding(&unit, &self.observation, self.raw, &self.mismatches, &explanation, false);
        let parted = cause.first().and_then(|deviation| culprit(&unit, *deviation));
        let instruction = parted.map(|(instruction, _)| instruction);
        let instruction =
            instruction.or_else(|| found.site.as_ref().map(|site| opcode(&site.text).to_owned()));
        Signature { instruction, class: found.class(), cause }
    }
}

/// Why an observation says nothing of the target's semantics.
fn is_no_answer(observation: &Observation) -> Option<String> {
    match observation {
        Observation::Unsupported { what } => Some(format!("the target does not support it: {what}")),
        Observation::NotRun { why } => Some(format!("the target did not run it: {why}")),
        Observation::Rejected { stage, message, .. } if matches!(stage.as_str(), PROCESS | PROTOCOL) => {
            Some(format!("the target could not run it: {message}"))
        }
        _ => None,
    }
}

impl<'t> Held<'t> {
    /// Runs the launch on the reference and on the target, and holds fast what is wrong. The launch comes back with a budget of steps that
    /// suits it, so that a candidate that never ends costs little.
    ///
    /// # Errors
    /// [`Unreducible`].
    pub fn to(target: &'t dyn Target, launch: Launch) -> Result<(Self, Launch), Unreducible> {
        // Candidates are printed, and the instruction of a signature is told by how it is written.
        let prepared = Prepared::new(spa::printed(launch))?;
        if let Some(why) = prepared.indeterminate() {
            return Err(Unreducible::Indeterminate(why));
        }
        let observation = target.observe(prepared.question());
        if let Some(why) = is_no_answer(&observation) {
            return Err(Unreducible::NoAnswer(why));
        }
        let shown = Shown::new(prepared, observation).ok_or(Unreducible::Conforms)?;
        let prepared = &shown.prepared;
        let cause = reproducing(&prepared.unit(), &shown.observation);
        let limits = Limits {
            endings: prepared.endings(),
            undefined: prepared.undefined(),
            outside: prepared.outside(),
            tells_right: prepared.tells_right(),
            wrong: shown.mismatches.clone(),
        };
        let launch = prepared.within_steps();
        let signature = shown.signature(cause);
        let size = Size::of(&launch, signature.instruction.as_deref());
        Ok((Self { target, signature, limits, size, parted: 0, tried: 0, reconditioned: 0 }, launch))
    }

    /// The signature. Deviations leave its cause when a smaller launch refutes them.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Holds it to this deviation alone, if that is a cause: to the instruction at which the launch parts under it, which may be another than
    /// that of the first cause.
    pub fn blame(&mut self, deviation: Deviation, launch: &Launch) {
        if !self.signature.cause.contains(&deviation) {
            return;
        }
        self.signature.cause = vec![deviation];
        let prepared = Prepared::new(launch.clone()).ok();
        if let Some((instruction, thread)) =
            prepared.and_then(|prepared| culprit(&prepared.unit(), deviation))
        {
            self.signature.instruction = Some(instruction);
            self.parted = thread;
        }
    }

    /// The rows of a table in which the first launch is wrong, as far as its mismatches tell.
    pub fn wrong_rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = self.limits.wrong.iter().filter_map(|mismatch| mismatch.row).collect();
        rows.dedup();
        rows
    }

    /// Candidates that were run on the target.
    pub fn tried(&self) -> u64 {
        self.tried
    }

    /// Of the candidates that showed the signature, how many were indeterminate and had to be reconditioned.
    pub fn reconditioned(&self) -> u64 {
        self.reconditioned
    }

    /// A launch that shows the signature with a budget of steps that suits it, and what is wrong with it; `None` if it does not show it.
    pub fn finished(&mut self, launch: Launch) -> Option<(Launch, Vec<Mismatch>)> {
        let prepared = self.decided(launch)?;
        let launch = prepared.within_steps();
        let prepared = self.decided(launch)?;
        let observation = self.target.observe(prepared.question());
        let shown = self.shown(prepared, observation)?;
        Some((shown.prepared.planned.launch, shown.mismatches))
    }

    /// The candidate with the reference's answer, reconditioned if that makes it one; `None` if the specification leaves open more than it did
    /// of the first launch, or ends it in another way.
    fn decided(&self, launch: Launch) -> Option<Prepared> {
        let mut prepared = Prepared::new(launch).ok()?;
        if prepared.indeterminate().is_some() {
            prepared = self.reconditioned_candidate(&prepared.planned.launch)?;
        }
        let ends = prepared.endings().is_subset(&self.limits.endings);
        let is_decided = prepared.indeterminate().is_none()
            && prepared.undefined() <= self.limits.undefined
            && prepared.outside() <= self.limits.outside;
        (ends && is_decided).then_some(prepared)
    }

    /// An indeterminate candidate with instructions around what is undefined: one that is smaller all the same than the last launch that showed
    /// the signature.
    fn reconditioned_candidate(&self, candidate: &Launch) -> Option<Prepared> {
        let size = self.size?;
        let culprit = self.signature.instruction.as_deref();
        let room = size.instructions.checked_sub(Size::of(candidate, culprit)?.instructions + 1)?;
        let launch = recondition_with(candidate, room.cast_signed())?;
        let smaller = Size::of(&launch, culprit)?;
        let is_smaller = smaller.instructions < size.instructions && smaller.beside_data <= size.beside_data;
        let mut prepared = is_smaller.then(|| Prepared::new(launch).ok()).flatten()?;
        prepared.is_reconditioned = true;
        Some(prepared)
    }

    /// Keeps how large a launch is that showed the signature.
    fn shrank_to(&mut self, prepared: &Prepared) {
        self.size = Size::of(&prepared.planned.launch, self.signature.instruction.as_deref());
        self.reconditioned += u64::from(prepared.is_reconditioned);
    }

    /// The mismatch of a candidate, if it has the signature.
    fn shown(&mut self, prepared: Prepared, observation: Observation) -> Option<Shown> {
        let shown = Shown::new(prepared, observation)?;
        if self.limits.tells_right && !shown.prepared.tells_right() {
            return None;
        }
        if self.signature.cause.is_empty() {
            let unexplained = || reproducing(&shown.prepared.unit(), &shown.observation).is_empty();
            let same = self.limits.wrong.is_empty() && shown.mismatches.is_empty()
                || shown
                    .mismatches
                    .iter()
                    .any(|wrong| self.limits.wrong.iter().any(|old| is_like(old, wrong)));
            return (same && unexplained()).then_some(shown);
        }
        let cause: Vec<Deviation> =
            self.signature.cause.iter().copied().filter(|deviation| shown.explained_by(*deviation)).collect();
        let first = cause.first()?;
        if !self.parts_as_before(&shown.prepared, *first) {
            return None;
        }
        self.signature.cause = cause;
        Some(shown)
    }

    /// Whether a candidate parts at the instruction of the signature under the deviation, if it parts at all. The thread that did before is asked
    /// first: to trace all that do not is most of the work where there are many.
    fn parts_as_before(&mut self, prepared: &Prepared, deviation: Deviation) -> bool {
        let Some(known) = &self.signature.instruction else { return true };
        let unit = prepared.unit();
        if parting(&unit, deviation, self.parted).as_ref() == Some(known) {
            return true;
        }
        let Some((instruction, thread)) = culprit(&unit, deviation) else { return true };
        self.parted = thread;
        instruction == *known
    }
}

/// Whether a mismatch shows the same wrong value as another, of which it may be a part.
fn is_like(old: &Mismatch, new: &Mismatch) -> bool {
    if old.class != new.class || old.expected.is_empty() != new.expected.is_empty() {
        return false;
    }
    let pairs = |mismatch: &Mismatch| -> Vec<(u8, u8)> {
        mismatch.expected.iter().copied().zip(mismatch.observed.iter().copied()).collect()
    };
    let (old, new) = (pairs(old), pairs(new));
    let (short, long) = if old.len() < new.len() { (&old, &new) } else { (&new, &old) };
    short.is_empty() || long.windows(short.len()).any(|part| part == short.as_slice())
}

impl Persistence for Held<'_> {
    fn first(&mut self, candidates: &mut dyn Iterator<Item = (usize, Launch)>) -> Option<(usize, Launch)> {
        let at_a_time = if self.target.batches() { BATCH } else { 1 };
        loop {
            let some: Vec<(usize, Launch)> = candidates.take(at_a_time).collect();
            if some.is_empty() {
                return None;
            }
            let prepare = |(number, launch)| self.decided(launch).map(|prepared| (number, prepared));
            let prepared: Vec<(usize, Prepared)> = some.into_par_iter().filter_map(prepare).collect();
            let observed: Vec<Observation> = {
                let questions: Vec<Question<'_>> = prepared.iter().map(|(_, of)| of.question()).collect();
                let answers = batches::answers(&questions, self.target, &|_| {});
                answers.into_iter().map(|answer| answer.observation).collect()
            };
            self.tried += prepared.len() as u64;
            for ((number, prepared), observation) in prepared.into_iter().zip(observed) {
                if let Some(shown) = self.shown(prepared, observation) {
                    self.shrank_to(&shown.prepared);
                    return Some((number, shown.prepared.planned.launch));
                }
            }
        }
    }
}
