//! The bytes that a case states of memory, compared with what a target showed, without the reference.

use std::sync::Arc;

use warpdiff_corpus::byte_strings::{ByteStrings, EcoBytes};
use warpdiff_corpus::plan::{Expected, PlannedLaunch};
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Allowed, Mismatch, MismatchClass, RegionKind, State};

use crate::judgement::{covers, near};

/// Bytes that a case states.
pub(crate) struct StatedBytes<'a> {
    planned: &'a PlannedLaunch,
    region: RegionKind,
    name: Arc<str>,
    offset: usize,
    alternatives: ByteStrings,
    mask: EcoBytes,
}

/// All bytes that the case states of a launch. Bytes that may be undefined are not among them: nothing can be compared there.
pub(crate) fn stated(planned: &PlannedLaunch) -> impl Iterator<Item = StatedBytes<'_>> {
    planned.expectations.iter().filter_map(move |expectation| match &expectation.what {
        Expected::Bytes { or_undefined: true, .. } => None,
        Expected::Bytes { region, name, offset, alternatives, mask, .. } => {
            let (name, alternatives, mask) = (Arc::clone(name), alternatives.clone(), mask.clone());
            Some(StatedBytes { planned, region: *region, name, offset: *offset, alternatives, mask })
        }
        _ => None,
    })
}

/// The elements that differ, at most as many as a verdict lists; `detail` says of what they are.
pub(crate) fn mismatches(planned: &PlannedLaunch, observed: &State, detail: &str) -> Vec<Mismatch> {
    let all = stated(planned).flat_map(|stated| stated.mismatches(observed, detail));
    all.take(Allowed::MISMATCH_LIMIT).collect()
}

impl StatedBytes<'_> {
    /// The bytes as they were observed.
    fn of<'o>(&self, observed: &'o State) -> Option<&'o [u8]> {
        let region = observed.region(self.region, &self.name)?;
        region.bytes.get(self.offset..self.offset + self.mask.len())
    }

    /// Whether a target showed them.
    pub(crate) fn is_shown(&self, observed: &State) -> bool {
        self.of(observed).is_some()
    }

    /// Whether `memory` agrees with what a target showed; it does where the target showed nothing.
    pub(crate) fn is_like(&self, memory: &MaskedState, observed: &State) -> bool {
        let Some(shown) = self.of(observed) else { return true };
        let range = self.offset..self.offset + self.mask.len();
        let own = |r: &&warpdiff_model::allowed::MaskedRegion| {
            r.region.kind == self.region && *r.region.name == *self.name
        };
        let expected = memory.regions.iter().find(own).and_then(|r| r.region.bytes.get(range));
        expected.is_some_and(|expected| agrees(expected, shown, &self.mask))
    }

    fn mismatches(&self, observed: &State, detail: &str) -> Vec<Mismatch> {
        let Some(shown) = self.of(observed) else { return Vec::new() };
        let size = self.element();
        if self.mask.len() <= size || self.alternatives.len() != 1 {
            let right =
                self.alternatives.iter().any(|alternative| self.admits(alternative, shown, self.offset));
            return match (right, self.alternatives.first()) {
                (false, Some(first)) => vec![self.mismatch(0, first, &self.mask, shown, detail)],
                _ => Vec::new(),
            };
        }
        let chunks = self.alternatives[0].chunks(size).zip(self.mask.chunks(size)).zip(shown.chunks(size));
        let wrong = chunks.enumerate().filter_map(|(index, ((expected, mask), shown))| {
            if agrees(expected, shown, mask) || self.admits(expected, shown, self.offset + index * size) {
                return None;
            }
            Some(self.mismatch(index * size, expected, mask, shown, detail))
        });
        wrong.take(Allowed::MISMATCH_LIMIT).collect()
    }

    /// Bytes of an element of the region; all stated bytes where the case gives it no type.
    fn element(&self) -> usize {
        let elements = self.planned.elements(self.region, &self.name);
        elements.map_or(self.mask.len(), |elements| elements.size)
    }

    /// Whether a value is the stated one, or within the case's tolerance of it.
    fn admits(&self, expected: &[u8], shown: &[u8], offset: usize) -> bool {
        let buffers = &self.planned.launch.buffers;
        let place = buffers.iter().position(|b| self.region == RegionKind::Buffer && *b.name == *self.name);
        let begin = offset - self.offset;
        let mask = self.mask.get(begin..begin + expected.len()).unwrap_or(&self.mask);
        agrees(expected, shown, mask)
            || self.planned.tolerances.iter().any(|tolerance| {
                Some(tolerance.region) == place
                    && tolerance.size == expected.len()
                    && covers(tolerance, offset)
                    && near(tolerance.unit, expected, shown)
            })
    }

    fn mismatch(&self, at: usize, expected: &[u8], mask: &[u8], shown: &[u8], detail: &str) -> Mismatch {
        let offset = self.offset + at;
        let buffers = &self.planned.launch.buffers;
        let stride = buffers.iter().find(|b| self.region == RegionKind::Buffer && *b.name == *self.name);
        Mismatch {
            class: MismatchClass::Value,
            region: Some((self.region, self.name.to_string())),
            offset,
            row: stride.and_then(|buffer| offset.checked_div(buffer.stride as usize)),
            expected: expected.to_vec(),
            defined: mask.to_vec(),
            observed: shown.to_vec(),
            detail: detail.into(),
        }
    }
}

fn agrees(expected: &[u8], observed: &[u8], mask: &[u8]) -> bool {
    expected.iter().zip(observed).zip(mask).all(|((a, b), mask)| (a ^ b) & mask == 0)
}
