//! Which part of a state a damage is judged in: the 64 bytes around it, its region, or the whole state.

use std::collections::HashSet;
use std::ops::Range;

use warpdiff_model::allowed::{MaskedRegion, MaskedState, Value};
use warpdiff_model::{Admission, Allowed, Observation, Outcome, Permitted, Region, State, Tolerance};

use super::damage::Bit;
use super::examine::JudgeUnderTest;

/// How much of a state damages are judged with. The verdicts are the same: a state is allowed exactly if each of its parts is and its
/// atomics serialise, and bytes without atomics do not change the latter. Judging a part takes less time, judging the whole state shows that
/// a difference is found wherever it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedWith {
    /// The [`BLOCK`] bytes around each damage; the whole state for the first byte of every [`WHOLE_EVERY`] of a region, and for bytes that show
    /// atomics.
    ItsBlock,
    /// The whole state, for every damage. Only where the atomics have too many orders to list are damages of other bytes judged with their region:
    /// each verdict over the whole state is a search for an order.
    TheWholeState,
}

/// Bytes that a damage is judged with, or a few more: no row, value or tolerated number is cut.
pub const BLOCK: usize = 64;

/// The interval, in bytes, at which the whole state is judged; not for launches that need a search for an order.
pub const WHOLE_EVERY: usize = 64;

/// Judges damages of one state.
pub(super) struct Parts<'a> {
    allowed: &'a Allowed,
    base: &'a State,
    with: JudgedWith,
    /// Whether the orders of all atomics can be listed.
    lists_orders: bool,
    /// What each outcome permits; `None` unless all complete in the same shape: then there are no parts that can be judged alone.
    states: Option<Vec<(&'a Outcome, &'a MaskedState)>>,
    /// Bytes that show atomics, by region and offset.
    tied: HashSet<(usize, usize)>,
    /// The whole state, without damage between two verdicts.
    whole: Observation,
    /// The part that was judged last.
    last: Option<Part>,
}

/// A range of a region, judged by itself.
struct Part {
    region: usize,
    range: Range<usize>,
    allowed: Allowed,
    observation: Observation,
}

impl<'a> Parts<'a> {
    pub(super) fn new(allowed: &'a Allowed, base: &'a State, with: JudgedWith, lists_orders: bool) -> Self {
        let whole = Observation::Completed { state: base.clone() };
        let (states, tied) = (completed_alike(allowed), tied(allowed));
        Self { allowed, base, with, lists_orders, states, tied, whole, last: None }
    }

    /// Whether the byte shows an atomic.
    pub(super) fn is_tied(&self, bit: Bit) -> bool {
        self.tied.contains(&(bit.region, bit.at))
    }

    /// The verdict over the base state with this byte in the place of the damaged one, and whether it is one over the whole state. `judge` judges whole
    /// states, `judge_part` parts of them.
    pub(super) fn judge(
        &mut self,
        (judge, judge_part): (JudgeUnderTest<'_>, JudgeUnderTest<'_>),
        bit: Bit,
        byte: u8,
    ) -> (Admission, bool) {
        match self.range(bit) {
            Some(range) => {
                let part = self.part(bit, range);
                let at = bit.at - part.range.start;
                (damaged(&mut part.observation, 0, at, byte, |o| judge_part(&part.allowed, o)), false)
            }
            None => (damaged(&mut self.whole, bit.region, bit.at, byte, |o| judge(self.allowed, o)), true),
        }
    }

    /// The bytes of its region that a damage is judged with; `None` for the whole state.
    fn range(&self, bit: Bit) -> Option<Range<usize>> {
        let states = self.states.as_ref()?;
        let length = self.base.regions[bit.region].bytes.len();
        if self.is_tied(bit) {
            return None;
        }
        match self.with {
            JudgedWith::TheWholeState if self.lists_orders => None,
            JudgedWith::TheWholeState => Some(0..length),
            JudgedWith::ItsBlock if self.tied.is_empty() && bit.at.is_multiple_of(WHOLE_EVERY) => None,
            JudgedWith::ItsBlock => {
                if let Some(last) = self.last.as_ref().filter(|last| last.holds(bit)) {
                    return Some(last.range.clone());
                }
                let is_cut = |at: &usize| self.is_cut(states, bit.region, *at);
                let start = bit.at - bit.at % BLOCK;
                let first = (0..=start).rev().find(is_cut).unwrap_or(0);
                let end = (start + BLOCK..length).find(is_cut).unwrap_or(length);
                Some(first..end)
            }
        }
    }

    /// Whether a region may be divided before this byte: it begins a row, unless there is one outcome only, and is inside no value that is judged as
    /// a whole.
    fn is_cut(&self, states: &[(&Outcome, &MaskedState)], region: usize, at: usize) -> bool {
        // Rows may be of different outcomes, parts of a row may not.
        let begins_row =
            |masked: &MaskedRegion| masked.stride != 0 && at.is_multiple_of(masked.stride as usize);
        let is_inside = |masked: &MaskedRegion| masked.value_at(at).is_some_and(|value| value.offset < at);
        let whole_rows = states.len() == 1 || begins_row(&states[0].1.regions[region]);
        let tolerances = self.allowed.tolerances.iter().filter(|tolerance| tolerance.region == region);
        whole_rows
            && !states.iter().any(|(_, state)| is_inside(&state.regions[region]))
            && !tolerances.into_iter().any(|tolerance| is_inside_field(tolerance, at))
    }

    /// The part of these bytes, made anew unless the last damage was in it.
    fn part(&mut self, bit: Bit, range: Range<usize>) -> &mut Part {
        let known = self.last.take().filter(|last| last.region == bit.region && last.range == range);
        let made = || {
            let states = self.states.as_deref().unwrap_or_default();
            Part::new(self.allowed, states, self.base, bit.region, range)
        };
        let part = known.unwrap_or_else(made);
        self.last.insert(part)
    }
}

impl Part {
    fn new(
        allowed: &Allowed,
        states: &[(&Outcome, &MaskedState)],
        base: &State,
        region: usize,
        range: Range<usize>,
    ) -> Self {
        let outcome = |(outcome, state): &(&Outcome, &MaskedState)| Outcome {
            assignment: outcome.assignment,
            permitted: Permitted::Completed {
                state: MaskedState {
                    regions: vec![cut_out(&state.regions[region], &range)],
                    ..MaskedState::default()
                },
            },
            may: outcome.may.clone(),
        };
        let tolerances = allowed.tolerances.iter().filter(|tolerance| tolerance.region == region);
        let allowed = Allowed {
            outcomes: states.iter().map(outcome).collect(),
            tolerances: tolerances.filter_map(|tolerance| from_here_on(tolerance, &range)).collect(),
        };
        let whole = &base.regions[region];
        let bytes = whole.bytes[range.clone()].to_vec();
        let regions = vec![Region { kind: whole.kind, name: whole.name.clone(), bytes }];
        Self { region, range, allowed, observation: Observation::Completed { state: State { regions } } }
    }

    fn holds(&self, bit: Bit) -> bool {
        self.region == bit.region && self.range.contains(&bit.at)
    }
}

/// What `judge` says of a completed state with one byte replaced; the state is as before afterwards.
fn damaged(
    observation: &mut Observation,
    region: usize,
    at: usize,
    byte: u8,
    judge: impl FnOnce(&Observation) -> Admission,
) -> Admission {
    let replace = |observation: &mut Observation, byte: u8| match observation {
        Observation::Completed { state } => std::mem::replace(&mut state.regions[region].bytes[at], byte),
        _ => byte,
    };
    let before = replace(observation, byte);
    let admission = judge(observation);
    replace(observation, before);
    admission
}

/// The states of all outcomes, if each completes, and all with the same regions in the same rows.
fn completed_alike(allowed: &Allowed) -> Option<Vec<(&Outcome, &MaskedState)>> {
    let state = |outcome| match outcome {
        outcome @ &Outcome { permitted: Permitted::Completed { ref state }, .. } => Some((outcome, state)),
        _ => None,
    };
    let states: Vec<_> = allowed.outcomes.iter().map(state).collect::<Option<_>>()?;
    let shape = |state: &MaskedState| -> Vec<_> {
        let region =
            |m: &MaskedRegion| (m.region.kind, m.region.name.clone(), m.region.bytes.len(), m.stride);
        state.regions.iter().map(region).collect()
    };
    let first = shape(states.first()?.1);
    states[1..].iter().all(|(_, state)| shape(state) == first).then_some(states)
}

/// The bytes that show atomics: returned values and final values.
fn tied(allowed: &Allowed) -> HashSet<(usize, usize)> {
    let mut tied = HashSet::new();
    for outcome in &allowed.outcomes {
        let Permitted::Completed { state } = &outcome.permitted else { continue };
        for location in &state.serial {
            let returned = location.operations.iter().filter_map(|o| o.returned);
            for place in returned.chain(location.last) {
                tied.extend((0..usize::from(location.width)).map(|i| (place.region, place.offset + i)));
            }
        }
        if state.permutations.is_empty() {
            continue;
        }
        for (index, region) in state.regions.iter().enumerate() {
            let bytes = (0..region.region.bytes.len()).filter(|at| state.is_permuted(index, *at));
            tied.extend(bytes.map(|at| (index, at)));
        }
    }
    tied
}

/// Whether a byte is inside a number with a tolerance, other than its first byte.
fn is_inside_field(tolerance: &Tolerance, at: usize) -> bool {
    let within = at
        .checked_sub(tolerance.offset)
        .map(|distance| distance.checked_rem(tolerance.stride).unwrap_or(distance));
    within.is_some_and(|within| (1..tolerance.size).contains(&within))
}

/// The tolerance for the fields of a range, counted from its beginning; `None` if there are none.
fn from_here_on(tolerance: &Tolerance, range: &Range<usize>) -> Option<Tolerance> {
    let before = range.start.saturating_sub(tolerance.offset);
    let skipped = match tolerance.stride {
        0 if before > 0 => return None,
        0 => 0,
        stride => before.div_ceil(stride) * stride,
    };
    let first = tolerance.offset + skipped;
    range.contains(&first).then(|| Tolerance { region: 0, offset: first - range.start, ..tolerance.clone() })
}

/// A range of a region as a region of its own.
fn cut_out(masked: &MaskedRegion, range: &Range<usize>) -> MaskedRegion {
    let bytes = masked.region.bytes[range.clone()].to_vec();
    let values = masked.values_in(range.clone()).iter();
    MaskedRegion {
        region: Region { kind: masked.region.kind, name: masked.region.name.clone(), bytes },
        defined: masked.defined[range.clone()].to_vec().into(),
        unordered: masked.unordered[range.clone()].to_vec().into(),
        stride: masked.stride,
        values: values.map(|value| Value { offset: value.offset - range.start, ..*value }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_model::allowed::Permits;
    use warpdiff_model::{Assignment, RegionKind, ToleranceUnit};

    use super::super::damage::{DamageExtent, bits};
    use super::*;

    fn region(bytes: Vec<u8>, stride: u32) -> MaskedRegion {
        let len = bytes.len();
        MaskedRegion {
            region: Region { kind: RegionKind::Buffer, name: "b".into(), bytes },
            defined: vec![0xFF; len].into(),
            unordered: vec![0; len].into(),
            stride,
            values: Vec::new(),
        }
    }

    fn allowed(outcomes: Vec<MaskedRegion>, tolerances: Vec<Tolerance>) -> Allowed {
        let outcome = |region| Outcome {
            assignment: Assignment::default(),
            permitted: Permitted::Completed {
                state: MaskedState { regions: vec![region], ..MaskedState::default() },
            },
            may: Vec::new(),
        };
        Allowed { outcomes: outcomes.into_iter().map(outcome).collect(), tolerances }
    }

    /// The state of the first outcome.
    fn base(allowed: &Allowed) -> State {
        let Permitted::Completed { state } = &allowed.outcomes[0].permitted else { unreachable!() };
        State { regions: state.regions.iter().map(|masked| masked.region.clone()).collect() }
    }

    /// The bytes with which a damage of byte `at` is judged.
    fn block(allowed: &Allowed, at: usize) -> Option<Range<usize>> {
        let base = base(allowed);
        let parts = Parts::new(allowed, &base, JudgedWith::ItsBlock, true);
        parts.range(Bit { region: 0, at, bit: 0, kind: super::super::tally::DamageKind::Buffer })
    }

    #[test]
    fn a_block_is_64_bytes_and_the_first_byte_of_each_is_judged_with_the_whole_state() {
        let allowed = allowed(vec![region(vec![0; 150], 0)], Vec::new());
        assert_eq!(
            [1, 63, 70, 149].map(|at| block(&allowed, at)),
            [0..64, 0..64, 64..128, 128..150].map(Some)
        );
        assert_eq!([0, 64, 128].map(|at| block(&allowed, at)), [const { None }; 3]);
    }

    #[test]
    fn a_block_cuts_neither_values_nor_numbers_with_a_tolerance() {
        let mut bytes = region(vec![0; 200], 0);
        bytes.values = vec![Value { offset: 62, size: 4, permitted: Permits::Nan(0x7FC0_0000) }];
        // Numbers of six bytes at 3, 11, …, 59, 67, …, 123, 131, …
        let tolerance = Tolerance { region: 0, offset: 3, stride: 8, size: 6, unit: ToleranceUnit::Ulps(1) };
        let allowed_values = allowed(vec![bytes.clone()], Vec::new());
        assert_eq!([10, 70].map(|at| block(&allowed_values, at)), [0..66, 62..128].map(Some));
        // Those at 59 and 123 end before 65 and 129, and 65 is inside of the value.
        let both = allowed(vec![bytes], vec![tolerance]);
        assert_eq!([10, 70].map(|at| block(&both, at)), [0..66, 59..129].map(Some));
    }

    #[test]
    fn with_several_outcomes_a_block_has_whole_rows() {
        let rows = allowed(vec![region(vec![0; 192], 48), region(vec![1; 192], 48)], Vec::new());
        assert_eq!([10, 70, 150].map(|at| block(&rows, at)), [0..96, 48..144, 96..192].map(Some));
        // What is not divided is one row.
        let one = allowed(vec![region(vec![0; 192], 0), region(vec![1; 192], 0)], Vec::new());
        assert_eq!(block(&one, 70), Some(0..192));
    }

    #[test]
    fn outcomes_of_different_shapes_have_no_parts() {
        let strides = allowed(vec![region(vec![0; 192], 48), region(vec![1; 192], 32)], Vec::new());
        assert_eq!(block(&strides, 70), None);
    }

    #[test]
    fn a_tolerance_is_counted_from_the_beginning_of_the_block() {
        // Fields at 4, 16, 28, 40, 52, 64, 76, …
        let tolerance = Tolerance { region: 3, offset: 4, stride: 12, size: 4, unit: ToleranceUnit::Ulps(1) };
        let first = |range| from_here_on(&tolerance, &range).map(|t| (t.region, t.offset));
        assert_eq!(first(64..128), Some((0, 0)));
        assert_eq!(first(65..128), Some((0, 11)));
        assert_eq!(first(0..64), Some((0, 4)));
        assert_eq!(first(68..76), None);
        let only = Tolerance { stride: 0, ..tolerance.clone() };
        assert_eq!(from_here_on(&only, &(0..64)).map(|t| t.offset), Some(4));
        assert_eq!(from_here_on(&only, &(64..128)), None);
    }

    /// The claim on which the sample rests: of states with undefined bits, tolerances, values and rows of several outcomes, each damage is
    /// judged alike with its block and with the whole state.
    #[test]
    fn the_verdict_with_the_block_is_that_with_the_whole_state() {
        // A linear congruential generator; the constants are those of Knuth's MMIX.
        let mut seed = 16_u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut seen = [0_u32; 2];
        for _ in 0..60 {
            let (len, stride) = (130 + draw(120) as usize, [0, 8, 24, 80][draw(4) as usize]);
            let first: Vec<u8> = (0..len).map(|_| draw(256) as u8).collect();
            let tolerances = (0..draw(2))
                .map(|_| Tolerance {
                    region: 0,
                    offset: draw(9) as usize,
                    stride: 8,
                    size: 4,
                    unit: ToleranceUnit::Ulps(1 << draw(9)),
                })
                .collect();
            let outcomes = (0..=draw(3))
                .map(|number| {
                    let mut masked = region(first.clone(), stride);
                    for at in 0..len {
                        // One bit of some bytes, so that one damage leads from a row of one outcome to that of another.
                        if number > 0 && draw(12) == 0 {
                            masked.region.bytes[at] ^= 1 << draw(8);
                        }
                        if draw(10) == 0 {
                            masked.defined.to_mut()[at] = draw(256) as u8;
                        }
                    }
                    if draw(2) == 0 {
                        let offset = draw(len as u64 - 4) as usize;
                        let held = u64::from(masked.region.bytes[offset]);
                        let permitted = Permits::Either([held, held ^ 1]);
                        masked.values = vec![Value { offset, size: 1, permitted }];
                    }
                    masked
                })
                .collect();
            let allowed = allowed(outcomes, tolerances);
            let base = base(&allowed);
            let Permitted::Completed { state } = &allowed.outcomes[0].permitted else { unreachable!() };
            let launch = warpdiff_model::Launch::new("".into(), "k");
            let mut in_block = Parts::new(&allowed, &base, JudgedWith::ItsBlock, true);
            let mut in_whole = Parts::new(&allowed, &base, JudgedWith::TheWholeState, true);
            let judges: (JudgeUnderTest<'_>, JudgeUnderTest<'_>) = (&Allowed::admits, &Allowed::admits);
            for bit in bits(state, &launch, DamageExtent::EveryBit) {
                let byte = base.regions[0].bytes[bit.at] ^ 1 << bit.bit;
                let (block, _) = in_block.judge(judges, bit, byte);
                let (whole, is_whole) = in_whole.judge(judges, bit, byte);
                assert!(is_whole);
                let conforms = |admission: &Admission| matches!(admission, Admission::Conforms { .. });
                assert_eq!(conforms(&block), conforms(&whole), "{bit:?}: {block:?}, but {whole:?}");
                seen[usize::from(conforms(&whole))] += 1;
            }
        }
        assert!(seen.iter().all(|count| *count > 1000), "{seen:?}");
    }
}
