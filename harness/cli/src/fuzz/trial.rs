//! One generated program, on the reference and on the target.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_emulator::{Checked, CompileError, Compiled, compile, decode_module};
use warpdiff_generator::write::SLOT;
use warpdiff_generator::{Places, Specimen, Written};
use warpdiff_judge::diagnose::{self, ObservedLaunch};
use warpdiff_judge::judgement;
use warpdiff_judge::reference::{self, PlannedOrSplit, Unit};
use warpdiff_judge::shown_by::may_show;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::allowed::MaskedRegion;
use warpdiff_model::{
    Admission, Allowed, Deviation, Launch, Mismatch, Observation, Permitted, RegionKind, Semantics,
};
use warpdiff_ptx::checked::Module;
use warpdiff_reducer::recondition::recondition;
use warpdiff_rulings::{Combination, combinations};
use warpdiff_targets::{Question, Target};

/// A compiled program that has not run yet.
#[derive(Clone)]
pub(super) struct CompiledTrial {
    specimen: Specimen,
    places: Places,
    planned: PlannedLaunch,
    compiled: Arc<Compiled>,
}

/// A program with its allowed outcomes.
#[derive(Clone)]
pub(super) struct PreparedTrial {
    pub(super) program: CompiledTrial,
    allowed: Allowed,
    is_reconditioned: bool,
}

/// A program with its allowed outcomes and the observation.
pub(super) struct Trial {
    program: CompiledTrial,
    pub(super) allowed: Allowed,
    pub(super) observation: Observation,
    pub(super) raw: Raw,
    /// The differences, if it violates.
    pub(super) mismatches: Vec<Mismatch>,
}

/// What a slot of `out` holds under the reference.
#[derive(PartialEq)]
pub(super) struct AllowedSlot {
    /// Its bytes; undefined bits are 0.
    pub(super) bytes: Vec<u8>,
    /// For each byte the bits that are defined.
    pub(super) defined: Vec<u8>,
}

impl CompiledTrial {
    /// Writes and parses a program.
    ///
    /// # Errors
    /// A message, if the reference refuses the program: the generator and the reference disagree about legality.
    pub(super) fn of_text(specimen: Specimen) -> Result<Self, String> {
        let written = specimen.write();
        Self::written(specimen, written)
    }

    fn written(specimen: Specimen, written: Written) -> Result<Self, String> {
        let launch = &written.launch;
        let compiled = compile(&launch.program).map_err(|error| refusal(error, launch))?;
        Ok(Self::of(specimen, written, compiled))
    }

    /// A program that was made without text.
    ///
    /// # Errors
    /// As [`CompiledTrial::of_text`].
    pub(super) fn of_module(specimen: Specimen, module: Module, written: Written) -> Result<Self, String> {
        let compiled = decode_module(module).map_err(|error| refusal(error, &written.launch))?;
        Ok(Self::of(specimen, written, compiled))
    }

    fn of(specimen: Specimen, written: Written, compiled: Compiled) -> Self {
        let Written { launch, places } = written;
        let planned = PlannedLaunch::bare(launch, Arc::default());
        Self { specimen, places, planned, compiled: Arc::new(compiled) }
    }

    /// Runs the reference. A program that the specification does not decide is reconditioned, and stays the program of its specimen.
    ///
    /// # Errors
    /// A message, if the reference has no answer.
    pub(super) fn prepared(self) -> Result<PreparedTrial, String> {
        let prepared = self.answered(false)?;
        if !prepared.is_indeterminate() {
            return Ok(prepared);
        }
        let program = &prepared.program;
        let Some(launch) = recondition(&program.planned.launch) else { return Ok(prepared) };
        // Its steps stand elsewhere in its text.
        let places = Places { steps: vec![0..0; program.places.steps.len()], ..prepared.program.places };
        Self::written(prepared.program.specimen, Written { launch, places })?.answered(true)
    }

    fn answered(self, is_reconditioned: bool) -> Result<PreparedTrial, String> {
        let Self { planned, compiled, .. } = &self;
        let allowed = warpdiff_emulator::allowed(&compiled.program, &planned.launch, &Semantics::default())
            .map_err(|error| error.to_string())?;
        Ok(PreparedTrial { program: self, allowed, is_reconditioned })
    }

    /// The status of a target that does what the reference allows under its own choices. `None` if the target does something else: then everything
    /// that is allowed has to be computed.
    pub(super) fn status_at_once(&self, target: &dyn Target) -> Option<Raw> {
        let Self { planned, compiled, .. } = self;
        let observation = target.observe(self.question(None));
        if !matches!(observation, Observation::Completed { .. } | Observation::Faulted { .. }) {
            return None;
        }
        let (program, launch) = (&compiled.program, &planned.launch);
        let allowed =
            warpdiff_emulator::allowed_by_its_assignment(program, launch, &Semantics::default()).ok()?;
        let raw = judgement::raw(&observation, &allowed.admits_listing(&observation, 0));
        (raw == Raw::Conforms).then(|| self.claimed(raw, target))
    }

    /// The status of a target. One that does not claim the dialect neither conforms nor violates.
    fn claimed(&self, raw: Raw, target: &dyn Target) -> Raw {
        let claimed = !self.compiled.program.is_spa() || target.claims_spa();
        if claimed { raw } else { raw.unclaimed() }
    }

    /// The question that asks a target to run the program. Without the allowed outcomes it says that the program may fault.
    fn question<'a>(&'a self, allowed: Option<&'a Allowed>) -> Question<'a> {
        let may_fault = allowed.is_none_or(reference::may_stop);
        let program = Some(&self.compiled.program);
        Question { variant: "", planned: &self.planned, program, allowed, may_fault, again: false }
    }

    /// The program, checked.
    pub(super) fn checked(&self) -> &Checked {
        &self.compiled.checked
    }

    /// What it was generated as.
    pub(super) fn specimen(&self) -> &Specimen {
        &self.specimen
    }

    /// The forms of its instructions with the rulings that decide them.
    ///
    /// # Errors
    /// A message, if the reference cannot run it.
    pub(super) fn combinations(&self) -> Result<BTreeSet<Combination>, String> {
        combinations(&self.compiled, &self.planned.launch).map_err(|error| error.to_string())
    }

    /// Whether a deviation can show in it.
    pub(super) fn may_show(&self, deviation: Deviation) -> bool {
        may_show(deviation, &self.compiled.checked)
    }
}

impl PreparedTrial {
    /// Writes, parses and runs a program, as [`CompiledTrial::of_text`] and [`CompiledTrial::prepared`] do.
    ///
    /// # Errors
    /// As theirs.
    pub(super) fn new(specimen: Specimen) -> Result<Self, String> {
        CompiledTrial::of_text(specimen)?.prepared()
    }

    /// Whether the specification does not decide it.
    pub(super) fn is_indeterminate(&self) -> bool {
        let mut outcomes = self.allowed.outcomes.iter();
        outcomes.any(|outcome| matches!(outcome.permitted, Permitted::Indeterminate { .. }))
    }

    /// Whether the specification did not decide it as it was generated.
    pub(super) fn is_reconditioned(&self) -> bool {
        self.is_reconditioned
    }

    /// What the results of a step are in a thread.
    pub(super) fn allowed_of_step(&self, step: usize, thread: u32) -> Option<Vec<AllowedSlot>> {
        let places = &self.program.places;
        let of_step = places.slots.iter().enumerate().filter(|(_, of)| **of == step);
        let first = thread as usize * places.slots.len();
        of_step.map(|(slot, _)| slot_of(&self.allowed, first + slot)).collect()
    }

    /// The program as a question to a target.
    pub(super) fn question(&self) -> Question<'_> {
        self.program.question(Some(&self.allowed))
    }

    /// Runs the program on a target.
    pub(super) fn tried(self, target: &dyn Target) -> Trial {
        let observation = target.observe(self.question());
        self.judged(observation)
    }

    /// Judges the observation.
    pub(super) fn judged(self, observation: Observation) -> Trial {
        let Self { program, allowed, .. } = self;
        let admission = allowed.admits(&observation);
        let raw = judgement::raw(&observation, &admission);
        let mismatches = match admission {
            Admission::Violates { mismatches } => mismatches,
            _ => Vec::new(),
        };
        Trial { program, allowed, observation, raw, mismatches }
    }
}

impl Trial {
    /// Runs a specimen on both.
    ///
    /// # Errors
    /// As [`PreparedTrial::new`].
    pub(super) fn new(specimen: Specimen, target: &dyn Target) -> Result<Self, String> {
        Ok(PreparedTrial::new(specimen)?.tried(target))
    }

    /// What the program was generated as.
    pub(super) fn specimen(&self) -> &Specimen {
        self.program.specimen()
    }

    /// Where its steps and results are.
    pub(super) fn places(&self) -> &Places {
        &self.program.places
    }

    /// The launch.
    pub(super) fn launch(&self) -> &Launch {
        &self.program.planned.launch
    }

    /// Whether it differs only in bits that the target's engine finds undefined, and the reference does not. What the machine happens to
    /// hold in them is right.
    pub(super) fn is_of_undefined_bits(&self, target: &dyn Target) -> bool {
        let held = target.observe_as_held(self.program.question(Some(&self.allowed)).again());
        held.is_some_and(|held| matches!(self.allowed.admits(&held), Admission::Conforms { .. }))
    }

    /// The status of the target.
    pub(super) fn status(&self, target: &dyn Target) -> Raw {
        self.program.claimed(self.raw, target)
    }

    /// The deviations that reproduce the observation.
    pub(super) fn explained(&self) -> Vec<Deviation> {
        diagnose::reproducing(&self.unit(), &self.observation)
    }

    /// Those of these deviations that reproduce the observation.
    pub(super) fn explained_among(&self, deviations: &[Deviation]) -> Vec<Deviation> {
        let (unit, observation) = (&self.unit(), &self.observation);
        diagnose::exact_among(&[ObservedLaunch { unit, observation }], deviations)
    }

    /// Two deviations of a compiler that reproduce the observation together: it may apply both in one program.
    pub(super) fn explained_together(&self) -> Option<[Deviation; 2]> {
        let is_candidate =
            |deviation: &Deviation| deviation.entry().is_of_a_compiler() && self.program.may_show(*deviation);
        let candidates: Vec<Deviation> = Deviation::all().filter(is_candidate).collect();
        let later = |place: usize| candidates.iter().skip(place + 1);
        let pairs =
            candidates.iter().enumerate().flat_map(|(place, one)| later(place).map(|other| [*one, *other]));
        let unit = self.unit();
        let together = |pair: &[Deviation; 2]| {
            let semantics = pair.iter().fold(Semantics::default(), |semantics, one| semantics.with(*one));
            diagnose::reproduces(&unit, &self.observation, semantics)
        };
        pairs.into_iter().find(together)
    }

    /// Whether that deviation reproduces the observation.
    pub(super) fn explained_by(&self, deviation: Deviation) -> bool {
        diagnose::reproduces(&self.unit(), &self.observation, Semantics::default().with(deviation))
    }

    fn unit(&self) -> Unit<'_> {
        Unit {
            planned: PlannedOrSplit::Planned(&self.program.planned),
            compiled: Arc::clone(&self.program.compiled),
            allowed: self.allowed.clone(),
            orders: Vec::new(),
            memory_after_fault: None,
            steps: self.program.planned.launch.step_budget,
        }
    }

    /// The slot of `out` that has the first wrong byte, and the thread whose record it is in.
    pub(super) fn first_wrong_slot(&self) -> Option<(usize, u32)> {
        let first = self.mismatches.first()?;
        let (kind, name) = first.region.as_ref()?;
        let record = self.places().slots.len() * SLOT;
        let is_result = *kind == RegionKind::Buffer && name == "out" && record > 0;
        is_result.then(|| (first.offset % record / SLOT, (first.offset / record) as u32))
    }

    /// What was observed in a slot of a thread.
    pub(super) fn result(&self, slot: usize, thread: u32) -> Option<&[u8]> {
        let Observation::Completed { state } = &self.observation else { return None };
        let out = state.regions.iter().find(|region| region.name == "out")?;
        let begin = (thread as usize * self.places().slots.len() + slot) * SLOT;
        out.bytes.get(begin..begin + SLOT)
    }

    /// The slots of a thread under the reference.
    pub(super) fn allowed_slots(&self, slots: Range<usize>, thread: u32) -> Option<Vec<AllowedSlot>> {
        let first = thread as usize * self.places().slots.len();
        slots.map(|slot| slot_of(&self.allowed, first + slot)).collect()
    }

    /// Whether what was observed in the slots of a thread has other defined bits than under the reference.
    pub(super) fn differs(&self, slots: Range<usize>, thread: u32) -> bool {
        let observed: Option<Vec<&[u8]>> = slots.clone().map(|slot| self.result(slot, thread)).collect();
        let (Some(observed), Some(allowed)) = (observed, self.allowed_slots(slots, thread)) else {
            return false;
        };
        let expected = allowed.iter().flat_map(|slot| slot.bytes.iter().zip(&slot.defined));
        let observed = observed.into_iter().flatten();
        observed.zip(expected).any(|(observed, (expected, defined))| (observed ^ expected) & defined != 0)
    }

    /// The results under the reference.
    fn allowed_results(&self) -> Option<&MaskedRegion> {
        results_of(&self.allowed)
    }

    /// The value that a register has in a thread under the reference, in the place of that thread, if all its bits are defined there.
    pub(super) fn reference_values_for(
        &self,
        register: warpdiff_generator::specimen::Register,
        thread: u32,
    ) -> Option<Vec<u64>> {
        let out = self.allowed_results()?;
        let value = warpdiff_generator::reduce::observed_value(
            self.specimen(),
            register,
            &out.region.bytes,
            &out.defined,
            thread,
        )?;
        let mut values = vec![0; self.specimen().threads as usize];
        values[thread as usize] = value;
        Some(values)
    }

    /// The values a register has in each thread under the reference, if all its bits are defined.
    pub(super) fn reference_values(
        &self,
        register: warpdiff_generator::specimen::Register,
    ) -> Option<Vec<u64>> {
        let out = self.allowed_results()?;
        warpdiff_generator::reduce::observed_values(
            self.specimen(),
            register,
            &out.region.bytes,
            &out.defined,
        )
    }
}

/// The results of a program under the reference.
fn results_of(allowed: &Allowed) -> Option<&MaskedRegion> {
    let Permitted::Completed { state } = &allowed.outcomes.first()?.permitted else { return None };
    state.regions.iter().find(|region| region.region.name == "out")
}

/// A slot under the reference, counted over all threads.
fn slot_of(allowed: &Allowed, slot: usize) -> Option<AllowedSlot> {
    let out = results_of(allowed)?;
    let range = slot * SLOT..(slot + 1) * SLOT;
    let defined = out.defined.get(range.clone())?.to_vec();
    let bytes = out.region.bytes.get(range)?.iter().zip(&defined).map(|(byte, mask)| byte & mask).collect();
    Some(AllowedSlot { bytes, defined })
}

/// Why the reference refuses a program.
fn refusal(error: CompileError, launch: &Launch) -> String {
    match error {
        CompileError::Rejected(diagnostics) => {
            warpdiff_ptx::render(&diagnostics, "generated.ptx", &launch.program, false)
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without its inputs a program reads registers that nothing wrote: as guards, conditions, coordinates.
    #[test]
    fn a_program_that_is_not_decided_is_reconditioned() {
        let mut reconditioned = 0;
        for index in 0..60 {
            let mut specimen = warpdiff_generator::specimen(3, index).expect("a specimen");
            specimen.inputs.clear();
            // A register that no input and no step gives a value has no declaration either.
            let Ok(prepared) = PreparedTrial::new(specimen.clone()) else { continue };
            assert!(!prepared.is_indeterminate(), "{}", prepared.program.planned.launch.program);
            let is_its_own = prepared.program.planned.launch.program == specimen.write().launch.program;
            assert_eq!(prepared.is_reconditioned(), !is_its_own);
            reconditioned += u32::from(prepared.is_reconditioned());
        }
        assert!(reconditioned > 5, "{reconditioned}");
    }
}
