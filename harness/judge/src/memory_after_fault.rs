//! When memory after a fault is judged: only if a case states it and the target shows it. The specification does not
//! define it.

use warpdiff_corpus::plan::{Expected, PlannedLaunch};
use warpdiff_emulator::{Options, Program};
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Mismatch, Semantics, State};

use crate::stated_bytes::{self, stated};

/// Whether the case states a fault and memory after it.
pub fn is_stated(planned: &PlannedLaunch) -> bool {
    let faults = planned.expectations.others().any(|e| matches!(e.what, Expected::Fault(_)));
    faults && stated(planned).next().is_some()
}

/// Memory after the launch under these semantics, if the case states it.
pub fn of(program: &Program, planned: &PlannedLaunch, semantics: &Semantics) -> Option<MaskedState> {
    if !is_stated(planned) {
        return None;
    }
    let run = warpdiff_emulator::run(program, &planned.launch, semantics, &Options::default());
    run.ok().map(|run| run.memory)
}

/// The differences between the stated memory and the memory that a target showed after the fault. Memory that it did not show is
/// not compared.
pub fn mismatches(planned: &PlannedLaunch, observed: &State) -> Vec<Mismatch> {
    if !is_stated(planned) {
        return Vec::new();
    }
    stated_bytes::mismatches(planned, observed, "after the fault")
}

/// Whether `memory` agrees with what a target showed, in the bytes that the case states.
pub fn is_like(planned: &PlannedLaunch, memory: &MaskedState, observed: &State) -> bool {
    stated(planned).all(|stated| stated.is_like(memory, observed))
}
