//! Compares an observed state with a permitted one, byte by byte: defined bits, bounds, tolerances.

use std::ops::Range;

use crate::allowed::{MaskedRegion, MaskedState, Mismatch, MismatchClass, Value};
use crate::serialise::{Serialisation, check_all};
use crate::{Region, RegionKind, State, Tolerance};

/// What one permitted state and an observed one differ in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    /// For each region the bytes that differ, as runs that end at a row's end; ascending.
    pub(crate) runs: Vec<Vec<Range<usize>>>,
    /// Regions that are missing, surplus or of the wrong size.
    pub(crate) malformed: Vec<Mismatch>,
    /// Atomics that do not serialise.
    pub(crate) serial: Vec<Mismatch>,
    /// Atomics of which it could not be decided.
    pub(crate) undecided: Option<String>,
}

impl Comparison {
    /// Compares; `tolerances` say where values need not be exact.
    pub(crate) fn new(allowed: &MaskedState, observed: &State, tolerances: &[Tolerance]) -> Self {
        let runs = Vec::with_capacity(allowed.regions.len());
        let mut comparison = Self { runs, malformed: surplus(allowed, observed), ..Self::default() };
        for (index, masked) in allowed.regions.iter().enumerate() {
            let runs = match find(observed, index, masked) {
                Ok(bytes) => differing(index, masked, bytes, tolerances),
                Err(mismatch) => {
                    comparison.malformed.push(*mismatch);
                    Vec::new()
                }
            };
            comparison.runs.push(runs);
        }
        if !allowed.serial.is_empty() {
            comparison.check_serial(allowed, observed);
        }
        comparison.check_logs(allowed, observed);
        comparison.check_permutations(allowed, observed);
        comparison
    }

    /// Whether every byte that is compared is as permitted, whatever the atomics say.
    pub(crate) fn bytes_agree(&self) -> bool {
        self.malformed.is_empty() && self.runs.iter().all(Vec::is_empty)
    }

    /// How much differs: bytes, with what concerns no byte weighing more than any.
    pub(crate) fn distance(&self) -> usize {
        let bytes: usize = self.runs.iter().flatten().map(ExactSizeIterator::len).sum();
        bytes.saturating_add((self.malformed.len() + self.serial.len()).saturating_mul(1 << 32))
    }

    fn check_serial(&mut self, allowed: &MaskedState, observed: &State) {
        let read = |place: crate::serial::Place, width: u8| {
            let masked = allowed.regions.get(place.region)?;
            let bytes = find(observed, place.region, masked).ok()?;
            value_at(bytes, place.offset, usize::from(width))
        };
        for (location, answer) in allowed.serial.iter().zip(check_all(&allowed.serial, read)) {
            self.note_serial(&location.name, answer);
        }
    }

    /// What the logs say of the atomics that were attempted.
    fn check_logs(&mut self, allowed: &MaskedState, observed: &State) {
        let bytes = |region: usize| find(observed, region, allowed.regions.get(region)?).ok();
        for log in &allowed.logs {
            // A region that is missing is a mismatch already.
            let Some(logged) = bytes(log.region) else { continue };
            let last =
                log.last.map(|place| value_at(bytes(place.region)?, place.offset, usize::from(log.width)));
            let answer = match (last, log.read(logged, last.flatten())) {
                (Some(None), _) => continue,
                (_, Ok(history)) => log.check(&history),
                (_, Err(why)) => Serialisation::Violates { why: why.to_string() },
            };
            self.note_serial(&format!("log `{}`", log.name), answer);
        }
    }

    /// Whether the values that may be in any order are all there.
    fn check_permutations(&mut self, allowed: &MaskedState, observed: &State) {
        for one in &allowed.permutations {
            // A region that is missing is a mismatch already.
            let Some(region) = observed.region(RegionKind::Buffer, &one.buffer) else { continue };
            if let Some(why) = one.check(allowed, &region.bytes) {
                self.note_serial(&one.subject, Serialisation::Violates { why });
            }
        }
    }

    fn note_serial(&mut self, name: &str, answer: Serialisation) {
        match answer {
            Serialisation::Serialises => {}
            Serialisation::Violates { why } => {
                self.serial.push(wordy(MismatchClass::Atomicity, format!("{name}: {why}")));
            }
            Serialisation::Undecided { why } => {
                self.undecided.get_or_insert(format!("undecided: {name}: {why}"));
            }
        }
    }

    /// The differences in words and bytes, those of bytes first, at most `limit`.
    pub(crate) fn mismatches(&self, allowed: &MaskedState, observed: &State, limit: usize) -> Vec<Mismatch> {
        let runs =
            self.runs.iter().enumerate().flat_map(|(index, runs)| runs.iter().map(move |run| (index, run)));
        let bytes = runs.filter_map(|(index, run)| {
            let masked = &allowed.regions[index];
            Some(differing_bytes(masked, find(observed, index, masked).ok()?, run.clone()))
        });
        self.malformed.iter().cloned().chain(bytes).chain(self.serial.iter().cloned()).take(limit).collect()
    }
}

impl MaskedState {
    /// For each region of this state the bytes in which an observed state is not as permitted, as runs that end at a row's
    /// end. It lists all of them, [`crate::Allowed::admits`] only the first. A region that the observation lacks, or has in
    /// another size, has none.
    pub fn differing(&self, observed: &State, tolerances: &[Tolerance]) -> Vec<Vec<Range<usize>>> {
        Comparison::new(self, observed, tolerances).runs
    }
}

/// A mismatch that concerns no particular byte.
pub(crate) fn wordy(class: MismatchClass, detail: String) -> Mismatch {
    let none = Vec::new;
    Mismatch {
        class,
        region: None,
        offset: 0,
        row: None,
        expected: none(),
        defined: none(),
        observed: none(),
        detail,
    }
}

/// The observed bytes of the permitted region number `index`. Regions go by kind and name; their order is usually that
/// of the permitted ones, so the same index is looked at first.
fn find<'a>(observed: &'a State, index: usize, masked: &MaskedRegion) -> Result<&'a [u8], Box<Mismatch>> {
    let (kind, name) = (masked.region.kind, &masked.region.name);
    let is_it = |region: &&Region| region.kind == kind && region.name == *name;
    let region = observed.regions.get(index).filter(is_it).or_else(|| observed.region(kind, name));
    let len = masked.region.bytes.len();
    let detail = match region {
        Some(region) if region.bytes.len() == len => return Ok(&region.bytes),
        Some(region) => format!("the observation has {} bytes of it instead of {len}", region.bytes.len()),
        None => "the observation lacks it".into(),
    };
    let class = MismatchClass::Value;
    Err(Box::new(Mismatch { region: Some((kind, name.clone())), ..wordy(class, detail) }))
}

/// Regions of the observation that the permitted state does not have, or that it has once but the observation twice.
fn surplus(allowed: &MaskedState, observed: &State) -> Vec<Mismatch> {
    if observed.regions.len() == allowed.regions.len() && aligned(allowed, observed) {
        return Vec::new();
    }
    let known = |region: &Region| {
        allowed.regions.iter().any(|m| m.region.kind == region.kind && m.region.name == region.name)
    };
    let repeated = |index: usize, region: &Region| {
        observed.regions[..index].iter().any(|r| r.kind == region.kind && r.name == region.name)
    };
    let surplus =
        observed.regions.iter().enumerate().filter(|(i, region)| !known(region) || repeated(*i, region));
    surplus
        .map(|(_, region)| Mismatch {
            region: Some((region.kind, region.name.clone())),
            ..wordy(MismatchClass::Value, "the observation has a region that the launch does not".into())
        })
        .collect()
}

fn aligned(allowed: &MaskedState, observed: &State) -> bool {
    let pairs = allowed.regions.iter().zip(&observed.regions);
    pairs
        .into_iter()
        .all(|(masked, region)| masked.region.kind == region.kind && masked.region.name == region.name)
}

/// The mask of compared bits of a byte.
pub(crate) fn compared(masked: &MaskedRegion, offset: usize) -> u8 {
    masked.defined[offset] & !masked.unordered[offset]
}

/// The bytes that differ where they are compared, as runs.
fn differing(
    index: usize,
    masked: &MaskedRegion,
    observed: &[u8],
    tolerances: &[Tolerance],
) -> Vec<Range<usize>> {
    let mut offsets = offsets_that_differ(masked, observed);
    let refused = masked.values.iter().filter(|value| !value.admits(observed));
    let among_bits = offsets.len();
    offsets.extend(refused.flat_map(|value| value.range()));
    if offsets.len() > among_bits {
        offsets.sort_unstable();
        offsets.dedup();
    }
    if offsets.is_empty() {
        return Vec::new();
    }
    for tolerance in tolerances.iter().filter(|t| t.region == index) {
        tolerate(tolerance, masked, observed, &mut offsets);
    }
    runs(&offsets, masked.stride as usize)
}

/// Bytes that are looked at together: most are as expected, and which one is not matters only in those that are not.
const BLOCK: usize = 64;

/// The bytes with a compared bit that differs, ascending.
fn offsets_that_differ(masked: &MaskedRegion, observed: &[u8]) -> Vec<usize> {
    let len = masked.region.bytes.len();
    let mut offsets = Vec::new();
    for start in (0..len).step_by(BLOCK) {
        let block = start..len.min(start + BLOCK);
        let bytes = masked.region.bytes[block.clone()].iter().zip(&observed[block.clone()]);
        let masks = masked.defined[block.clone()].iter().zip(&masked.unordered[block.clone()]);
        let differing = bytes.zip(masks).map(|((e, o), (d, u))| (e ^ o) & d & !u);
        // Without a branch for each byte, so that the processor compares many at once.
        if differing.clone().fold(0, |any, bits| any | bits) != 0 {
            offsets.extend(block.zip(differing).filter(|(_, bits)| *bits != 0).map(|(offset, _)| offset));
        }
    }
    offsets
}

/// Takes the values that lie within `tolerance` out of a sorted list of differing bytes.
fn tolerate(tolerance: &Tolerance, masked: &MaskedRegion, observed: &[u8], offsets: &mut Vec<usize>) {
    let mut kept = Vec::with_capacity(offsets.len());
    let mut rest = &offsets[..];
    for field in tolerance.fields(observed.len()) {
        let bytes = field..field + tolerance.size;
        let before = rest.partition_point(|offset| *offset < bytes.start);
        let inside = rest[before..].partition_point(|offset| *offset < bytes.end);
        kept.extend_from_slice(&rest[..before]);
        if inside > 0 && !is_covered(tolerance, masked, observed, bytes) {
            kept.extend_from_slice(&rest[before..before + inside]);
        }
        rest = &rest[before + inside..];
        if rest.is_empty() {
            break;
        }
    }
    kept.extend_from_slice(rest);
    *offsets = kept;
}

/// Whether a value lies within the tolerance. One of which some bits are undefined has no distance from another.
fn is_covered(tolerance: &Tolerance, masked: &MaskedRegion, observed: &[u8], bytes: Range<usize>) -> bool {
    if bytes.clone().any(|offset| compared(masked, offset) != 0xff) {
        return false;
    }
    let value = |from: &[u8]| value_at(from, bytes.start, bytes.len());
    match (value(&masked.region.bytes), value(observed)) {
        (Some(expected), Some(observed)) => tolerance.covers(expected, observed),
        _ => false,
    }
}

/// The little-endian value of up to 8 bytes.
fn value_at(bytes: &[u8], offset: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(offset..offset.checked_add(size)?)?;
    (size <= 8).then(|| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

/// Sorted offsets as runs that do not go beyond a row.
fn runs(offsets: &[usize], stride: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for &offset in offsets {
        match runs.last_mut() {
            Some(run) if run.end == offset && (stride == 0 || offset % stride != 0) => run.end += 1,
            _ => runs.push(offset..offset + 1),
        }
    }
    runs
}

/// The mismatch of a run of bytes.
fn differing_bytes(masked: &MaskedRegion, observed: &[u8], run: Range<usize>) -> Mismatch {
    let region = &masked.region;
    let stride = masked.stride as usize;
    let (class, detail) = if region.kind == RegionKind::Guard {
        let half = region.bytes.len() / 2;
        let side = if run.start < half { "before" } else { "after" };
        (MismatchClass::OutOfBounds, format!("the guard band {side} `{}` was written to", region.name))
    } else {
        let plural = if run.len() == 1 { "byte differs" } else { "bytes differ" };
        (MismatchClass::Value, format!("{} {plural} at offset {} of `{}`", run.len(), run.start, region.name))
    };
    let mut defined: Vec<u8> = run.clone().map(|offset| compared(masked, offset)).collect();
    let mut detail = detail;
    let refused = |value: &&Value| !value.admits(observed);
    for value in masked.values_in(run.clone()).iter().filter(refused) {
        // It is compared as a whole.
        for offset in value.range().filter(|offset| run.contains(offset)) {
            defined[offset - run.start] = 0xFF;
        }
        detail = format!("{detail}; at {} is permitted {}", value.offset, value.words());
    }
    Mismatch {
        class,
        region: Some((region.kind, region.name.clone())),
        offset: run.start,
        row: run.start.checked_div(stride),
        expected: region.bytes[run.clone()].to_vec(),
        defined,
        observed: observed[run].to_vec(),
        detail,
    }
}
