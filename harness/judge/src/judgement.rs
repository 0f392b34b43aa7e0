//! Whether the reference agrees with the expectations ([`contradictions`]), and whether an observation is allowed ([`raw`]).

use std::borrow::Cow;

use warpdiff_corpus::bytes;
use warpdiff_corpus::plan::{Column, Expectation, Expected, PlannedLaunch};
use warpdiff_model::allowed::{MaskedState, Permits, Value};
use warpdiff_model::{
    Admission, FaultClass, Interval, Observation, Outcome, Permitted, Permutation, RegionKind, Tolerance,
    ToleranceUnit,
};

use crate::memory_after_fault;
use crate::reference::{Unit, must_classes};
use crate::verdict_table::Raw;

/// An expectation that the reference contradicts.
#[derive(Clone, Debug)]
pub struct Contradiction {
    /// The expectation.
    pub expectation: Expectation,
    /// The reference's value or ending, as a lowercase fragment.
    pub instead: String,
}

/// Every expectation of the launch that the reference contradicts. If the launch does not complete, and so has no memory, only the
/// first expectation is listed.
pub fn contradictions(unit: &Unit<'_>) -> Vec<Contradiction> {
    let stopped = unit.allowed.outcomes.iter().any(|o| !matches!(o.permitted, Permitted::Completed { .. }));
    let valued = OutcomesWithValues::of(unit);
    let mut found: Vec<Contradiction> = Vec::new();
    for expectation in &unit.planned.expectations {
        let Some(instead) = contradiction(unit, &valued, expectation) else { continue };
        if !(stopped && found.iter().any(|known| known.instead == instead)) {
            found.push(Contradiction { expectation: expectation.clone(), instead });
        }
    }
    found
}

/// The place at which the specification does not decide the launch, if there is one, and the reason.
pub fn indeterminate<'a>(unit: &'a Unit<'_>) -> Option<(&'a str, &'a str)> {
    unit.allowed.outcomes.iter().find_map(|outcome| match &outcome.permitted {
        Permitted::Indeterminate { place, origin } => Some((place.as_str(), origin.as_str())),
        _ => None,
    })
}

fn contradiction(
    unit: &Unit<'_>,
    valued: &OutcomesWithValues<'_>,
    expectation: &Expectation,
) -> Option<String> {
    let outcomes = &unit.allowed.outcomes;
    match &expectation.what {
        Expected::Bytes { region, name, offset, alternatives, mask, or_undefined } => {
            let field = Field { region: *region, name, offset: *offset, mask };
            let stated = Alternatives { values: alternatives, or_undefined: *or_undefined };
            if let Some(memory) = &unit.memory_after_fault {
                return after_fault_contradiction(unit, &field, memory, &stated);
            }
            bytes_contradiction(unit, valued, &field, &stated)
        }
        Expected::Undefined { region, name, range } => {
            let mask = vec![0xFF; range.len()];
            let field = Field { region: *region, name, offset: range.start, mask: &mask };
            undefined_contradiction(valued, &field)
        }
        Expected::Nan { region, name, range } => {
            let mask = vec![0xFF; range.len()];
            let field = Field { region: *region, name, offset: range.start, mask: &mask };
            nan_contradiction(valued, &field)
        }
        Expected::Permutation(one) => permutation_contradiction(unit, valued, one),
        Expected::Fault(class) => {
            let other = outcomes.iter().find(|o| !must_classes(o).contains(class))?;
            Some(format!("the reference {}", describe(other)))
        }
        Expected::MayFault(class) => {
            let permits =
                |o: &Outcome| must_classes(o).contains(class) || o.may.iter().any(|f| f.class == *class);
            if outcomes.iter().any(permits) {
                return None;
            }
            Some(format!("the reference {} and permits no such fault", describe(outcomes.first()?)))
        }
        Expected::TimedOut => {
            let other = outcomes.iter().find(|o| o.permitted != Permitted::TimedOut)?;
            Some(format!("the reference {}", describe(other)))
        }
    }
}

/// What an outcome does, in words to follow "the reference".
pub fn describe(outcome: &Outcome) -> String {
    match &outcome.permitted {
        Permitted::Completed { .. } => "completes".into(),
        Permitted::Faulted { faults } => {
            let first = faults.first();
            let what =
                first.map_or_else(|| "faults".into(), |f| format!("faults with {}: {}", f.class, f.detail));
            let line =
                first.and_then(|f| f.line).map(|line| format!(" (program line {line})")).unwrap_or_default();
            what + &line
        }
        Permitted::TimedOut => "does not finish within the step budget".into(),
        Permitted::Indeterminate { place, origin } => format!("is indeterminate at {place}: {origin}"),
    }
}

/// The bytes of a region that an expectation states.
struct Field<'a> {
    region: RegionKind,
    name: &'a str,
    offset: usize,
    mask: &'a [u8],
}

/// The stated values of a field.
struct Alternatives<'a> {
    values: &'a [Vec<u8>],
    /// Undefined bits are an alternative too.
    or_undefined: bool,
}

/// The bits of an outcome in a field.
#[derive(Clone)]
struct FieldBits<'a> {
    bytes: Cow<'a, [u8]>,
    defined: Cow<'a, [u8]>,
    /// Index of the region in the state.
    region: usize,
    state: &'a MaskedState,
}

/// Most combinations of values of a field that are tried.
const READINGS: usize = 64;

impl FieldBits<'_> {
    /// All bits that the field may have, if some of its values have two permitted ones. Offsets of `values` are in the region; the
    /// field begins at `offset`.
    fn readings(self, values: &[Value], offset: usize) -> Vec<Self> {
        let end = offset + self.bytes.len();
        let inside = values.iter().filter(|value| offset <= value.offset && value.offset + value.size <= end);
        let mut readings = vec![self];
        for value in inside {
            let either = match value.permitted {
                Permits::Either(either) => either,
                // One number stands for the interval.
                Permits::Between(interval) => [interval.reference; 2],
                Permits::Nan(_) => continue,
            };
            let numbers = if either[0] == either[1] { &either[..1] } else { &either[..] };
            if readings.len() * numbers.len() > READINGS {
                break;
            }
            let range = value.offset - offset..value.offset - offset + value.size;
            let with = |bits: &Self, number: u64| {
                let mut bits = bits.clone();
                bits.bytes.to_mut()[range.clone()].copy_from_slice(&number.to_le_bytes()[..value.size]);
                bits.defined.to_mut()[range.clone()].fill(0xFF);
                bits
            };
            readings =
                readings.iter().flat_map(|bits| numbers.iter().map(|number| with(bits, *number))).collect();
        }
        readings
    }
}

impl Field<'_> {
    /// The bytes as a number, if the field is an output column.
    fn number(&self, unit: &Unit<'_>, bits: &FieldBits<'_>) -> String {
        let stride =
            unit.planned.launch.buffers.iter().find(|b| b.name == self.name).map_or(0, |b| b.stride as usize);
        let within = self.offset.checked_rem(stride).unwrap_or(self.offset);
        let is_it = |c: &&Column| c.offset as usize == within && c.size as usize == bits.bytes.len();
        let column = unit.planned.columns.iter().find(is_it).filter(|_| self.name == PlannedLaunch::OUTPUTS);
        let number = column.and_then(|column| bytes::number(&bits.bytes, &column.ty));
        number.map(|number| format!(", {number}")).unwrap_or_default()
    }

    /// The bits of the outcome there; `Err` says why there are none.
    fn of<'o>(&self, outcome: &'o Outcome) -> Result<FieldBits<'o>, String> {
        match &outcome.permitted {
            Permitted::Completed { state } => self.within(state),
            _ => Err(format!("the reference {}", describe(outcome))),
        }
    }

    /// All bits that the outcome permits there; `Err` says why there are none.
    fn readings<'o>(&self, outcome: &'o Outcome) -> Result<Vec<FieldBits<'o>>, String> {
        let bits = self.of(outcome)?;
        Ok(match self.values(outcome, bits.region) {
            [] => vec![bits],
            values => bits.readings(values, self.offset),
        })
    }

    /// The values with a set of permitted values, in the region of the field.
    fn values<'o>(&self, outcome: &'o Outcome, region: usize) -> &'o [Value] {
        match &outcome.permitted {
            Permitted::Completed { state } => &state.regions[region].values,
            _ => &[],
        }
    }

    /// The bits of a state there; `Err` says why there are none.
    fn within<'o>(&self, state: &'o MaskedState) -> Result<FieldBits<'o>, String> {
        let same = |r: &warpdiff_model::allowed::MaskedRegion| {
            r.region.kind == self.region && r.region.name == self.name
        };
        let Some(region) = state.regions.iter().position(same) else {
            return Err(format!("the launch has no {} `{}`", bytes::kind_name(self.region), self.name));
        };
        let found = &state.regions[region];
        let range = self.offset..self.offset + self.mask.len();
        match (found.region.bytes.get(range.clone()), found.defined.get(range)) {
            (Some(bytes), Some(defined)) => {
                Ok(FieldBits { bytes: bytes.into(), defined: defined.into(), region, state })
            }
            _ => Err(format!("`{}` has only {} bytes", self.name, found.region.bytes.len())),
        }
    }
}

/// "After the fault one of the alternatives", all bits of the mask defined.
fn after_fault_contradiction(
    unit: &Unit<'_>,
    field: &Field<'_>,
    memory: &MaskedState,
    stated: &Alternatives<'_>,
) -> Option<String> {
    let bits = match field.within(memory) {
        Ok(bits) => bits,
        Err(why) => return Some(why),
    };
    if let Some(why) = undefined_bits(&bits, field.mask) {
        return (!stated.or_undefined).then_some(why);
    }
    let found = stated.values.iter().any(|a| agrees(a, &bits, field, &unit.allowed.tolerances));
    (!found).then(|| format!("the reference has {} after the fault", bytes::hex(&bits.bytes)))
}

/// "In every outcome one of the alternatives, and each alternative in some outcome", all bits of the mask defined or undefined
/// bits an alternative.
fn bytes_contradiction(
    unit: &Unit<'_>,
    valued: &OutcomesWithValues<'_>,
    field: &Field<'_>,
    stated: &Alternatives<'_>,
) -> Option<String> {
    let alternatives = stated.values;
    let mut seen = vec![false; alternatives.len()];
    let mut seen_undefined = false;
    for outcome in valued.outcomes.iter().chain(&valued.orders) {
        let readings = match field.readings(outcome) {
            Ok(readings) => readings,
            Err(why) => return Some(why),
        };
        for bits in readings {
            if let Some(why) = undefined_bits(&bits, field.mask) {
                if !stated.or_undefined {
                    return Some(why + derived(&bits, field));
                }
                seen_undefined = true;
                continue;
            }
            // An exact alternative counts before one within the tolerance.
            let index = alternatives.iter().position(|a| is_exact(a, &bits, field)).or_else(|| {
                alternatives.iter().position(|a| agrees(a, &bits, field, &unit.allowed.tolerances))
            });
            match index {
                // Alternatives that differ elsewhere may agree here, such as on the upper half of a narrow load.
                Some(index) => {
                    let shown = alternatives.iter().map(|a| *a == alternatives[index]);
                    seen.iter_mut().zip(shown).for_each(|(seen, shown)| *seen |= shown);
                }
                None => {
                    return Some(format!(
                        "the reference has {}{}",
                        bytes::hex(&bits.bytes),
                        field.number(unit, &bits)
                    ));
                }
            }
        }
    }
    if valued.outcomes.is_empty() && valued.orders.is_empty() {
        let first = unit.allowed.outcomes.first()?;
        return Some(format!("the reference {} under every choice", describe(first)));
    }
    if stated.or_undefined && !seen_undefined {
        return Some("no alternative of the reference leaves bits undefined there".into());
    }
    let missing = seen.iter().position(|seen| !seen)?;
    let never = bytes::hex(&alternatives[missing]);
    (alternatives.len() > 1 || stated.or_undefined)
        .then(|| format!("no alternative of the reference gives {never}"))
}

/// "Under every order the numbers from 0 on, each once."
fn permutation_contradiction(
    unit: &Unit<'_>,
    valued: &OutcomesWithValues<'_>,
    one: &Permutation,
) -> Option<String> {
    if valued.outcomes.is_empty() {
        let first = unit.allowed.outcomes.first()?;
        return Some(format!("the reference {} under every choice", describe(first)));
    }
    valued.outcomes.iter().chain(&valued.orders).find_map(|outcome| {
        let Permitted::Completed { state } = &outcome.permitted else {
            return Some(format!("the reference {}", describe(outcome)));
        };
        match one.permitted(state) {
            Ok(found) => {
                let why = one.difference(state, &one.stated(), &found)?;
                Some(format!("in the reference {why}"))
            }
            Err(why) => Some(format!("in the reference {why}")),
        }
    })
}

/// The outcomes that must have the stated values: an outcome with a fault that the case permits is excused. Computed once for all
/// expectations of a launch.
struct OutcomesWithValues<'a> {
    outcomes: Vec<&'a Outcome>,
    orders: Vec<&'a Outcome>,
}

impl<'a> OutcomesWithValues<'a> {
    fn of(unit: &'a Unit<'_>) -> Self {
        let permitted: Vec<FaultClass> = unit
            .planned
            .expectations
            .iter()
            .filter_map(|expectation| match expectation.what {
                Expected::MayFault(class) => Some(class),
                _ => None,
            })
            .collect();
        let demanded =
            |outcome: &&Outcome| !must_classes(outcome).iter().any(|class| permitted.contains(class));
        Self {
            outcomes: unit.allowed.outcomes.iter().filter(demanded).collect(),
            orders: unit.orders.iter().filter(demanded).collect(),
        }
    }
}

fn undefined_bits(bits: &FieldBits<'_>, mask: &[u8]) -> Option<String> {
    let undefined = bits.defined.iter().zip(mask).any(|(defined, mask)| !defined & mask != 0);
    undefined.then(|| {
        format!(
            "the reference leaves bits undefined there: {}",
            bytes::masked_hex(&bits.bytes, &bits.defined)
        )
    })
}

/// Advice about undefined bits that come from approximations.
fn derived(bits: &FieldBits<'_>, field: &Field<'_>) -> &'static str {
    let bytes = field.offset..field.offset + bits.bytes.len();
    let overlaps = bits.state.derived.iter().any(|derived| {
        let end = derived.offset + derived.bytes.len();
        derived.region == bits.region && derived.offset < bytes.end && bytes.start < end
    });
    match overlaps {
        true => {
            " (they are computed from an approximate result, which has a range of values: state a `tolerance:`)"
        }
        false => "",
    }
}

/// Whether the field has this alternative, in the bits of the mask.
fn is_exact(alternative: &[u8], bits: &FieldBits<'_>, field: &Field<'_>) -> bool {
    alternative.iter().zip(bits.bytes.iter()).zip(field.mask).all(|((a, b), m)| (a ^ b) & m == 0)
}

/// Whether the field has this alternative: exactly in the bits of the mask, within its tolerance, or within the documented bounds
/// of its values.
fn agrees(alternative: &[u8], bits: &FieldBits<'_>, field: &Field<'_>, tolerances: &[Tolerance]) -> bool {
    is_exact(alternative, bits, field)
        || tolerances
            .iter()
            .any(|t| t.region == bits.region && within(t, alternative, &bits.bytes, field.offset))
        || within_bounds(alternative, bits, field)
}

/// Whether every byte of the alternative is that of the reference, or belongs to a value that lies wholly in the field and within its
/// documented bound.
fn within_bounds(alternative: &[u8], bits: &FieldBits<'_>, field: &Field<'_>) -> bool {
    let differs = |i: &usize| (alternative[*i] ^ bits.bytes[*i]) & field.mask[*i] != 0;
    (0..bits.bytes.len().min(alternative.len())).filter(differs).all(|i| {
        let Some(value) = bits.state.regions[bits.region].value_at(field.offset + i) else { return false };
        let Permits::Between(interval) = value.permitted else { return false };
        let start = value.offset.checked_sub(field.offset);
        let stated = start.and_then(|start| alternative.get(start..start + value.size));
        stated.is_some_and(|stated| inside(interval, stated))
    })
}

/// Whether a value is in an interval. Like [`near`], it shares no code with the model's judge on purpose.
pub fn inside(interval: Interval, value: &[u8]) -> bool {
    let size = value.len();
    let bytes = |bits: u64| bits.to_le_bytes()[..size].to_vec();
    let place = |bytes: &[u8]| float_bits(bytes).filter(|float| !float.nan).map(|float| float.rank);
    let ends = (place(&bytes(interval.least)), place(value), place(&bytes(interval.greatest)));
    matches!(ends, (Some(least), Some(value), Some(greatest)) if least <= value && value <= greatest)
}

/// Whether every value of the field lies within the tolerance; the field must consist of whole values of its kind.
fn within(tolerance: &Tolerance, expected: &[u8], bits: &[u8], offset: usize) -> bool {
    let whole =
        expected.len() == bits.len() && expected.len().is_multiple_of(tolerance.size) && !expected.is_empty();
    let values = expected.chunks(tolerance.size).zip(bits.chunks(tolerance.size));
    whole
        && values.enumerate().all(|(i, (a, b))| {
            let at = offset + i * tolerance.size;
            a == b || (covers(tolerance, at) && near(tolerance.unit, a, b))
        })
}

/// Whether the tolerance applies to the value at this offset.
pub fn covers(tolerance: &Tolerance, offset: usize) -> bool {
    match offset.checked_sub(tolerance.offset) {
        Some(0) => true,
        Some(distance) => tolerance.stride != 0 && distance % tolerance.stride == 0,
        None => false,
    }
}

/// Whether two floating-point values of 2, 4 or 8 bytes are within the tolerance. It shares no code with the model's judge on
/// purpose: expectations and self-check apply the rule independently.
pub fn near(unit: ToleranceUnit, a: &[u8], b: &[u8]) -> bool {
    let (Some(x), Some(y)) = (float_bits(a), float_bits(b)) else { return false };
    if x.nan || y.nan {
        return x.nan && y.nan;
    }
    match unit {
        ToleranceUnit::Ulps(limit) => x.rank.abs_diff(y.rank) <= limit,
        ToleranceUnit::Absolute(limit) => x.value == y.value || (x.value - y.value).abs() <= limit,
    }
}

/// A floating-point value with its rank among the values of its type: consecutive values have consecutive ranks, and both
/// zeros have rank 0.
struct Ranked {
    rank: i64,
    value: f64,
    nan: bool,
}

fn float_bits(bytes: &[u8]) -> Option<Ranked> {
    let (value, magnitude, negative) = match *bytes {
        [a, b] => {
            let bits = u16::from_le_bytes([a, b]);
            (half_value(bits), i64::from(bits & 0x7FFF), bits >> 15 == 1)
        }
        [a, b, c, d] => {
            let bits = u32::from_le_bytes([a, b, c, d]);
            (f64::from(f32::from_bits(bits)), i64::from(bits & 0x7FFF_FFFF), bits >> 31 == 1)
        }
        [a, b, c, d, e, f, g, h] => {
            let bits = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
            (f64::from_bits(bits), (bits & (u64::MAX >> 1)) as i64, bits >> 63 == 1)
        }
        _ => return None,
    };
    Some(Ranked { rank: if negative { -magnitude } else { magnitude }, value, nan: value.is_nan() })
}

/// The value of a binary16.
fn half_value(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3FF);
    let magnitude = match bits >> 10 & 0x1F {
        0 => fraction * 2f64.powi(-24),
        0x1F if fraction == 0.0 => f64::INFINITY,
        0x1F => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// "Some bit of the field is undefined, or differs between outcomes", of those that have values.
fn undefined_contradiction(valued: &OutcomesWithValues<'_>, field: &Field<'_>) -> Option<String> {
    let mut first: Option<FieldBits<'_>> = None;
    for outcome in &valued.outcomes {
        let readings = match field.readings(outcome) {
            Ok(readings) => readings,
            Err(why) => return Some(why),
        };
        if let [_, _, ..] = &readings[..] {
            let all: Vec<_> = readings.iter().map(|bits| bytes::hex(&bits.bytes)).collect();
            return Some(format!("the reference permits only {} there", all.join(" or ")));
        }
        for bits in readings {
            if bits.defined.iter().any(|defined| *defined != 0xFF) {
                return None;
            }
            match &first {
                Some(first) if first.bytes != bits.bytes => return None,
                Some(_) => {}
                None => first = Some(bits),
            }
        }
    }
    let bytes = first.map(|bits| bytes::hex(&bits.bytes)).unwrap_or_default();
    Some(format!("the reference defines every bit there: {bytes}"))
}

/// "A NaN, quiet or signalling, in every outcome".
fn nan_contradiction(valued: &OutcomesWithValues<'_>, field: &Field<'_>) -> Option<String> {
    for outcome in &valued.outcomes {
        let bits = match field.of(outcome) {
            Ok(bits) => bits,
            Err(why) => return Some(why),
        };
        let range = field.offset..field.offset + field.mask.len();
        let values = field.values(outcome, bits.region);
        let certain = values.iter().any(|v| v.range() == range && matches!(v.permitted, Permits::Nan(_)));
        let fixed: Vec<u8> =
            bits.bytes.iter().zip(bits.defined.iter()).map(|(byte, mask)| byte & mask).collect();
        if !certain && !is_nan(&fixed) {
            let masked = bytes::masked_hex(&bits.bytes, &bits.defined);
            return Some(format!("the reference has {masked}, which need not be a NaN"));
        }
    }
    None
}

/// Whether these are the bytes of a NaN, of a binary16, binary32 or binary64.
pub fn is_nan(bytes: &[u8]) -> bool {
    float_bits(bytes).is_some_and(|float| float.nan)
}

/// Whether an observation is allowed, by the specification and by what the case states of memory after a fault.
pub fn admission(unit: &Unit<'_>, observation: &Observation) -> Admission {
    let admission = unit.allowed.admits(observation);
    let (Admission::Conforms { .. }, Observation::Faulted { state: Some(state), .. }) =
        (&admission, observation)
    else {
        return admission;
    };
    let mismatches = memory_after_fault::mismatches(&unit.planned, state);
    if mismatches.is_empty() { admission } else { Admission::Violates { mismatches } }
}

/// The raw status of an observation, given its admission.
pub fn raw(observation: &Observation, admission: &Admission) -> Raw {
    match (admission, observation) {
        (Admission::Conforms { inconsistent: false, .. }, _) => Raw::Conforms,
        (Admission::Conforms { inconsistent: true, .. }, _) => Raw::Inconsistent,
        (Admission::Indeterminate { .. }, _) => Raw::Indeterminate,
        (Admission::NotJudged { .. }, Observation::Unsupported { .. }) => Raw::Unsupported,
        (Admission::NotJudged { .. }, _) => Raw::NotRun,
        (Admission::Violates { .. }, Observation::Rejected { .. }) => Raw::Rejected,
        (Admission::Violates { .. }, Observation::TimedOut { .. }) => Raw::Hung,
        (Admission::Violates { .. }, Observation::Crashed { .. }) => Raw::Crashed,
        (Admission::Violates { .. }, _) => Raw::Violates,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulps(n: u64, a: f32, b: f32) -> bool {
        near(ToleranceUnit::Ulps(n), &a.to_le_bytes(), &b.to_le_bytes())
    }

    #[test]
    fn the_two_zeros_are_no_distance_apart_and_their_neighbours_two() {
        let least = f32::from_bits(1);
        assert!(ulps(0, 0.0, -0.0));
        assert!(ulps(2, least, -least));
        assert!(!ulps(1, least, -least));
    }

    #[test]
    fn a_nan_is_near_a_nan_only() {
        assert!(ulps(0, f32::NAN, f32::from_bits(0x7fff_ffff)));
        assert!(!ulps(u64::MAX, f32::NAN, f32::INFINITY));
    }

    #[test]
    fn binary16_values_are_those_of_ieee_754() {
        // 0x3C00 = 1.0, 0x0001 = 2^-24, 0x7BFF = 65504 (largest finite), 0xC000 = -2.0
        assert_eq!(half_value(0x3C00), 1.0);
        assert_eq!(half_value(0x0001), 2f64.powi(-24));
        assert_eq!(half_value(0x7BFF), 65504.0);
        assert_eq!(half_value(0xC000), -2.0);
        assert!(half_value(0x7E00).is_nan());
    }

    #[test]
    fn a_tolerance_covers_its_offset_and_its_stride() {
        let t = Tolerance { region: 0, offset: 4, stride: 12, size: 4, unit: ToleranceUnit::Ulps(1) };
        assert!(covers(&t, 4) && covers(&t, 28) && !covers(&t, 8) && !covers(&t, 0));
        let single = Tolerance { stride: 0, ..t };
        assert!(covers(&single, 4) && !covers(&single, 16));
    }
}
