//! Compares two observations of a launch: they are the same, alike (only unspecified details differ) or drifted.
//!
//! | then and now | alike if they differ only in | otherwise |
//! |---|---|---|
//! | completed | bits that no outcome of the reference compares: undefined and unordered ones | drifted |
//! | faulted, with the same code | thread and memory, in a launch of several threads: which one faults first is a race | drifted |
//! | rejected, at the same stage and with the same codes; unsupported | the message | drifted |
//! | timed out; crashed | – | drifted |
//! | of two kinds | – | drifted |

use std::ops::Range;

use warpdiff_corpus::bytes::{hex, is_float, kind_name, number};
use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_judge::verdict_table::Recorded;
use warpdiff_model::{Allowed, Mismatch, MismatchClass, Observation, Permitted, Region, State};

/// A difference between two observations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// [`Recorded::Alike`] or [`Recorded::Drifted`].
    pub recorded: Recorded,
    /// In words: `buffer out, byte 4: 00 -> 01`.
    pub words: String,
    /// The differing memory, with the recorded bytes as expected and the new bytes as observed, to find the instruction by. `None`
    /// where no memory differs.
    pub place: Option<Mismatch>,
}

/// Bytes shown of a difference.
const SHOWN: usize = 8;

/// The difference between the recorded and the new observation of a launch; `None` if they are the same. `allowed` tells which bits
/// are compared; without it all are.
pub fn between(
    then: &Observation,
    now: &Observation,
    planned: &PlannedLaunch,
    allowed: Option<&Allowed>,
) -> Option<Drift> {
    if then == now {
        return None;
    }
    let in_words = |recorded| {
        let words = match (title(then), title(now)) {
            (then, now) if then == now => {
                format!("{then}, but call results, faulting thread or memory differ")
            }
            (then, now) => format!("{then} -> {now}"),
        };
        Some(Drift { recorded, words, place: None })
    };
    match (then, now) {
        (Observation::Completed { state: then }, Observation::Completed { state: now }) => {
            Some(memory(then, now, planned, allowed))
        }
        (
            Observation::Faulted { class: a, code: b, calls: c, .. },
            Observation::Faulted { class: x, code: y, calls: z, .. },
        ) if (a, b, c) == (x, y, z) => {
            let several = planned.launch.grid.iter().chain(&planned.launch.block).any(|n| *n > 1);
            in_words(if several { Recorded::Alike } else { Recorded::Drifted })
        }
        (
            Observation::Rejected { stage: a, calls: b, .. },
            Observation::Rejected { stage: x, calls: y, .. },
        ) if (a, b) == (x, y) => in_words(Recorded::Alike),
        (Observation::Unsupported { .. }, Observation::Unsupported { .. }) => in_words(Recorded::Alike),
        _ => in_words(Recorded::Drifted),
    }
}

/// An observation in a few words.
pub fn title(observation: &Observation) -> String {
    match observation {
        Observation::Completed { .. } => "completed".into(),
        Observation::Faulted { class, code: 0, .. } => format!("faulted ({class})"),
        Observation::Faulted { class, code, .. } => format!("faulted ({class}, {code})"),
        Observation::Rejected { stage, message, .. } => format!("rejected at {stage} ({message})"),
        Observation::TimedOut { .. } => "timed out".into(),
        Observation::Crashed { signal } => format!("crashed (signal {signal})"),
        Observation::Unsupported { what } => format!("unsupported ({what})"),
        Observation::NotRun { why } => format!("not run ({why})"),
    }
}

/// The first difference in compared bits, or the first difference where there is none.
fn memory(then: &State, now: &State, planned: &PlannedLaunch, allowed: Option<&Allowed>) -> Drift {
    let mut open = None;
    for (index, before) in then.regions.iter().enumerate() {
        let same = |r: &&Region| (r.kind, &r.name) == (before.kind, &before.name);
        let after = now.regions.get(index).filter(same).or_else(|| now.region(before.kind, &before.name));
        let Some(after) = after.filter(|after| after.bytes.len() == before.bytes.len()) else {
            let words = format!("{} {}: missing, or its size differs", kind_name(before.kind), before.name);
            return Drift { recorded: Recorded::Drifted, words, place: None };
        };
        if before.bytes == after.bytes {
            continue;
        }
        let compared = allowed.and_then(|allowed| compared(allowed, before));
        let counts = |at: usize| compared.as_ref().is_none_or(|mask| mask[at] != 0);
        let differs = |at: usize| {
            let mask = compared.as_ref().map_or(0xFF, |mask| mask[at]);
            (before.bytes[at] ^ after.bytes[at]) & mask != 0
        };
        let all = 0..before.bytes.len();
        if let Some(at) = all.clone().find(|at| counts(*at) && differs(*at)) {
            return changed(Recorded::Drifted, before, after, at, planned);
        }
        let any = all.into_iter().find(|at| before.bytes[*at] != after.bytes[*at]);
        open = open.or(any.map(|at| changed(Recorded::Alike, before, after, at, planned)));
    }
    open.unwrap_or_else(|| Drift {
        recorded: Recorded::Drifted,
        words: "the memory regions differ".into(),
        place: None,
    })
}

/// For each byte of a region, the mask of bits that some outcome compares; `None` if no outcome completes with the region.
fn compared(allowed: &Allowed, region: &Region) -> Option<Vec<u8>> {
    let mut mask: Option<Vec<u8>> = None;
    for outcome in &allowed.outcomes {
        let Permitted::Completed { state } = &outcome.permitted else { continue };
        let is_it = |r: &&warpdiff_model::allowed::MaskedRegion| {
            (r.region.kind, &r.region.name, r.defined.len())
                == (region.kind, &region.name, region.bytes.len())
        };
        let Some(masked) = state.regions.iter().find(is_it) else { continue };
        let bits = masked.defined.iter().zip(&*masked.unordered).map(|(defined, order)| defined & !order);
        match &mut mask {
            Some(mask) => mask.iter_mut().zip(bits).for_each(|(all, bits)| *all |= bits),
            None => mask = Some(bits.collect()),
        }
    }
    mask
}

fn changed(recorded: Recorded, before: &Region, after: &Region, at: usize, planned: &PlannedLaunch) -> Drift {
    let end = before.bytes.len().min(at + SHOWN);
    let (then, now) = (&before.bytes[at..end], &after.bytes[at..end]);
    let name = format!("{} {}", kind_name(before.kind), before.name);
    let words = match numbers(before, after, at, planned) {
        Some((range, numbers)) => format!("{name}, byte {}..{}: {numbers}", range.start, range.end),
        None => format!("{name}, byte {at}: {} -> {}", hex(then), hex(now)),
    };
    let buffers = &planned.launch.buffers;
    let stride = buffers.iter().find(|b| b.name == before.name).map_or(0, |b| b.stride as usize);
    let place = Mismatch {
        class: MismatchClass::Value,
        region: Some((before.kind, before.name.clone())),
        offset: at,
        row: at.checked_div(stride),
        expected: then.to_vec(),
        defined: vec![0xFF; then.len()],
        observed: now.to_vec(),
        detail: words.clone(),
    };
    Drift { recorded, words, place: Some(place) }
}

/// The floating-point value that a differing byte belongs to, and what became of it: `00 00 80 3f = 1.0 (0x3f800000) -> …`. `None` if it belongs to
/// none.
fn numbers(
    before: &Region,
    after: &Region,
    at: usize,
    planned: &PlannedLaunch,
) -> Option<(Range<usize>, String)> {
    let (range, ty) = planned.value_around(before.kind, &before.name, at).filter(|(_, ty)| is_float(ty))?;
    let shown = |region: &Region| {
        let bytes = region.bytes.get(range.clone())?;
        Some(format!("{} = {}", hex(bytes), number(bytes, ty)?))
    };
    let words = format!("{} -> {}", shown(before)?, shown(after)?);
    Some((range, words))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use warpdiff_corpus::plan::{Column, RegionType};
    use warpdiff_model::allowed::{MaskedRegion, MaskedState};
    use warpdiff_model::{Assignment, Buffer, Calls, FaultClass, Launch, Outcome, RegionKind};

    use super::*;

    fn launched(block: [u32; 3]) -> PlannedLaunch {
        let launch = Launch { block, ..Launch::new("".into(), "k") };
        PlannedLaunch::bare(launch, Arc::default())
    }

    fn state(bytes: &[u8]) -> State {
        let region = Region { kind: RegionKind::Buffer, name: "out".into(), bytes: bytes.to_vec() };
        State { regions: vec![region] }
    }

    fn completed(bytes: &[u8]) -> Observation {
        Observation::Completed { state: state(bytes) }
    }

    fn outcome(defined: &[u8], unordered: &[u8]) -> Outcome {
        let region = state(&vec![0; defined.len()]).regions.remove(0);
        let masked = MaskedRegion {
            region,
            defined: defined.to_vec().into(),
            unordered: unordered.to_vec().into(),
            stride: 0,
            values: Vec::new(),
        };
        let state = MaskedState { regions: vec![masked], ..MaskedState::default() };
        Outcome {
            assignment: Assignment::default(),
            permitted: Permitted::Completed { state },
            may: Vec::new(),
        }
    }

    fn recorded(then: &Observation, now: &Observation, outcomes: Vec<Outcome>) -> Option<Recorded> {
        let allowed = Allowed { outcomes, tolerances: Vec::new() };
        between(then, now, &launched([1, 1, 1]), Some(&allowed)).map(|drift| drift.recorded)
    }

    #[test]
    fn bits_that_nobody_compares_are_drift_without_failure() {
        let (then, now) = (completed(&[0x00, 0x11]), completed(&[0x0F, 0x11]));
        assert_eq!(recorded(&then, &then, vec![outcome(&[0xFF, 0xFF], &[0, 0])]), None);
        // Undefined, or dependent on the order.
        assert_eq!(recorded(&then, &now, vec![outcome(&[0xF0, 0xFF], &[0, 0])]), Some(Recorded::Alike));
        assert_eq!(recorded(&then, &now, vec![outcome(&[0xFF, 0xFF], &[0x0F, 0])]), Some(Recorded::Alike));
        // One bit of it is defined, under one alternative at least.
        let one = outcome(&[0xF1, 0xFF], &[0, 0]);
        assert_eq!(
            recorded(&then, &now, vec![outcome(&[0xF0, 0xFF], &[0, 0]), one]),
            Some(Recorded::Drifted)
        );
        // A launch that must not complete has nothing undefined about its completing.
        assert_eq!(recorded(&then, &now, Vec::new()), Some(Recorded::Drifted));
    }

    #[test]
    fn the_difference_that_counts_is_told_first() {
        let allowed = Allowed { outcomes: vec![outcome(&[0, 0xFF], &[0, 0])], tolerances: Vec::new() };
        let drift =
            between(&completed(&[1, 2]), &completed(&[3, 4]), &launched([1, 1, 1]), Some(&allowed)).unwrap();
        assert_eq!(
            (drift.recorded, drift.words.as_str()),
            (Recorded::Drifted, "buffer out, byte 1: 02 -> 04")
        );
    }

    /// In binary32 `3f800000` is 1 and `3f000000` is 0.5, which differ in their upper half alone; in binary16 `3c00` is 1 and `bc00` is -1.
    #[test]
    fn a_floating_point_value_that_differs_is_shown_whole_with_its_numbers() {
        let column =
            |name: &str, ty: &str, offset, size| Column { name: name.into(), ty: ty.into(), offset, size };
        let mut table = launched([1, 1, 1]);
        table.launch.buffers = vec![Buffer { stride: 8, ..Buffer::new("out", vec![0; 16]) }];
        table.columns = vec![column("n", "u32", 0, 4), column("d", "f32", 4, 4)].into();
        let (mut then, mut now) = ([0; 16], [0; 16]);
        then[12..].copy_from_slice(&0x3F80_0000u32.to_le_bytes());
        now[12..].copy_from_slice(&0x3F00_0000u32.to_le_bytes());
        let drift = between(&completed(&then), &completed(&now), &table, None).unwrap();
        let words =
            "buffer out, byte 12..16: 00 00 80 3f = 1.0 (0x3f800000) -> 00 00 00 3f = 0.5 (0x3f000000)";
        assert_eq!(drift.words, words);
        let place = drift.place.unwrap();
        assert_eq!((place.offset, place.row), (14, Some(1)), "the byte that differs and its row, as ever");

        let mut typed = launched([1, 1, 1]);
        typed.types =
            [RegionType { kind: RegionKind::Buffer, name: "halves".into(), ty: "f16", size: 2 }].into();
        let halves = |high: u8| {
            let region =
                Region { kind: RegionKind::Buffer, name: "halves".into(), bytes: vec![0, 0, 0, high] };
            Observation::Completed { state: State { regions: vec![region] } }
        };
        let drift = between(&halves(0x3C), &halves(0xBC), &typed, None).unwrap();
        assert_eq!(drift.words, "buffer halves, byte 2..4: 00 3c = 1.0 (0x3c00) -> 00 bc = -1.0 (0xbc00)");
    }

    #[test]
    fn codes_are_compared_exactly_and_messages_are_not() {
        let fault = |code, thread| Observation::Faulted {
            class: FaultClass::Misaligned,
            code,
            thread,
            state: None,
            calls: Calls::default(),
        };
        assert_eq!(recorded(&fault(716, None), &fault(719, None), Vec::new()), Some(Recorded::Drifted));
        assert_eq!(recorded(&fault(716, None), &completed(&[]), Vec::new()), Some(Recorded::Drifted));
        // One thread has no race with itself.
        let elsewhere = fault(716, Some([0; 6]));
        assert_eq!(recorded(&fault(716, None), &elsewhere, Vec::new()), Some(Recorded::Drifted));
        let drift = between(&fault(716, None), &elsewhere, &launched([32, 1, 1]), None).unwrap();
        assert_eq!(drift.recorded, Recorded::Alike);
        let rejected = |stage: &str, message: &str| Observation::rejected(stage, message);
        let (a, b, c) = (rejected("load", "no"), rejected("load", "non"), rejected("launch", "no"));
        assert_eq!(recorded(&a, &b, Vec::new()), Some(Recorded::Alike));
        assert_eq!(recorded(&a, &c, Vec::new()), Some(Recorded::Drifted));
    }
}
