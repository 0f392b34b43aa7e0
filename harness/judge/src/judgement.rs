//! Whether an observation is allowed ([`raw`]), and when two numbers are near enough.

use warpdiff_model::{Admission, Interval, Observation, Outcome, Permitted, Tolerance, ToleranceUnit};

use crate::memory_after_fault;
use crate::reference::Unit;
use crate::verdict_table::Raw;

/// The place at which the specification does not decide the launch, if there is one, and the reason.
pub fn indeterminate<'a>(unit: &'a Unit<'_>) -> Option<(&'a str, &'a str)> {
    unit.allowed.outcomes.iter().find_map(|outcome| match &outcome.permitted {
        Permitted::Indeterminate { place, origin } => Some((place.as_str(), origin.as_str())),
        _ => None,
    })
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

/// Whether a value is in an interval. Like [`near`], it shares no code with the model's judge on purpose.
pub fn inside(interval: Interval, value: &[u8]) -> bool {
    let size = value.len();
    let [least, greatest] = [interval.least, interval.greatest].map(u64::to_le_bytes);
    is_between([&least[..size], &greatest[..size]], value)
}

/// Whether two floating-point values are the same number; both zeros are. A NaN is none.
pub fn is_same_number(a: &[u8], b: &[u8]) -> bool {
    is_between([a, b], b) && is_between([a, b], a) && is_between([b, a], a)
}

/// Whether a floating-point value is not below the first of two numbers and not above the second.
pub fn is_between([least, greatest]: [&[u8]; 2], value: &[u8]) -> bool {
    let place = |bytes: &[u8]| float_bits(bytes).filter(|float| !float.nan).map(|float| float.rank);
    let ends = (place(least), place(value), place(greatest));
    matches!(ends, (Some(least), Some(value), Some(greatest)) if least <= value && value <= greatest)
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
