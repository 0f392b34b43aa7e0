//! When memory after a fault is judged: only if a case states it and the target shows it. The specification does not
//! define it.

use warpdiff_corpus::plan::{Expected, PlannedLaunch};
use warpdiff_emulator::{Options, Program};
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Mismatch, MismatchClass, RegionKind, Semantics, State};

/// Bytes that a case states.
struct StatedBytes<'a> {
    region: RegionKind,
    name: &'a str,
    offset: usize,
    alternatives: &'a [Vec<u8>],
    mask: &'a [u8],
}

/// Whether the case states a fault and memory after it.
pub fn is_stated(planned: &PlannedLaunch) -> bool {
    let faults = planned.expectations.iter().any(|e| matches!(e.what, Expected::Fault(_)));
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
    stated(planned).filter_map(|stated| stated.mismatch(observed)).collect()
}

/// Whether `memory` agrees with what a target showed, in the bytes that the case states.
pub fn is_like(planned: &PlannedLaunch, memory: &MaskedState, observed: &State) -> bool {
    stated(planned).all(|stated| {
        let of = |r: &&warpdiff_model::allowed::MaskedRegion| {
            r.region.kind == stated.region && r.region.name == stated.name
        };
        let Some(shown) = stated.of(observed) else { return true };
        let range = stated.offset..stated.offset + stated.mask.len();
        let expected = memory.regions.iter().find(of).and_then(|r| r.region.bytes.get(range));
        expected.is_some_and(|expected| stated.agrees(expected, shown))
    })
}

fn stated(planned: &PlannedLaunch) -> impl Iterator<Item = StatedBytes<'_>> {
    planned.expectations.iter().filter_map(|expectation| match &expectation.what {
        // Bytes that may be undefined are not compared.
        Expected::Bytes { or_undefined: true, .. } => None,
        Expected::Bytes { region, name, offset, alternatives, mask, .. } => {
            Some(StatedBytes { region: *region, name, offset: *offset, alternatives, mask })
        }
        _ => None,
    })
}

impl StatedBytes<'_> {
    /// The bytes as they were observed.
    fn of<'o>(&self, observed: &'o State) -> Option<&'o [u8]> {
        let region = observed.region(self.region, self.name)?;
        region.bytes.get(self.offset..self.offset + self.mask.len())
    }

    fn agrees(&self, expected: &[u8], observed: &[u8]) -> bool {
        expected.iter().zip(observed).zip(self.mask).all(|((a, b), mask)| (a ^ b) & mask == 0)
    }

    fn mismatch(&self, observed: &State) -> Option<Mismatch> {
        let shown = self.of(observed)?;
        if self.alternatives.iter().any(|alternative| self.agrees(alternative, shown)) {
            return None;
        }
        Some(Mismatch {
            class: MismatchClass::Value,
            region: Some((self.region, self.name.into())),
            offset: self.offset,
            row: None,
            expected: self.alternatives.first().cloned().unwrap_or_default(),
            defined: self.mask.to_vec(),
            observed: shown.to_vec(),
            detail: "after the fault".into(),
        })
    }
}
