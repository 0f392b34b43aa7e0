//! The tolerance beside a contradicted value: how far the case lets a value be from the stated one, and which is the nearest that it allows.

use std::ops::Range;

use warpdiff_model::Tolerance;

use crate::judgement::covers;
use crate::stated_field::{Field, FieldBits};

/// "2 ulps allow 1.0000002 (0x3f800002) at the nearest", of the bytes of a value in a field, if the case states a tolerance for it; `words`
/// says what bytes mean.
pub(crate) fn nearest_allowed(
    stated: &[u8],
    bits: &FieldBits<'_>,
    field: &Field<'_>,
    tolerances: &[Tolerance],
    range: Range<usize>,
    words: impl Fn(&[u8]) -> Option<String>,
) -> Option<String> {
    let tolerance = tolerances.iter().find(|tolerance| {
        tolerance.region == bits.region
            && tolerance.size == range.len()
            && covers(tolerance, field.offset + range.start)
    })?;
    let (stated, own) = (number(stated.get(range.clone())?), number(bits.bytes.get(range.clone())?));
    let nearest =
        tolerance.nearest(stated, own).and_then(|nearest| words(&nearest.to_le_bytes()[..range.len()]));
    Some(match nearest {
        Some(nearest) => format!("the tolerance of {} allows {nearest} at the nearest", tolerance.unit),
        None => format!("the tolerance of {} allows a NaN beside a NaN alone", tolerance.unit),
    })
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
