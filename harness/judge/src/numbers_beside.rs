//! The numbers of floating-point values that `show` puts beside allowed bytes.

use std::ops::Range;

use warpdiff_corpus::bytes::{is_float, number};
use warpdiff_corpus::plan::{Column, PlannedLaunch};
use warpdiff_model::RegionKind;
use warpdiff_model::allowed::{MaskedRegion, Permits, Value};

/// Floating-point values in a line.
const IN_A_LINE: usize = 4;

/// Bytes in a line of a region whose elements are floating-point numbers; `None` for other regions.
pub(crate) fn line(planned: &PlannedLaunch, region: &MaskedRegion) -> Option<usize> {
    let elements = planned.elements(region.region.kind, &region.region.name)?;
    is_float(elements.ty).then_some(IN_A_LINE * elements.size)
}

/// The floating-point values in these bytes: of a row `  d = 1.5 (0x3fc00000)`, of elements `  = 1.5 (0x3fc00000), 2.0 (0x40000000)`. A value with a
/// bit that is not compared is left out of a row, and `?` among elements.
pub(crate) fn of_bytes(planned: &PlannedLaunch, region: &MaskedRegion, range: Range<usize>) -> String {
    let (kind, name) = (region.region.kind, &region.region.name);
    let mut numbers = Vec::new();
    let mut at = range.start;
    while let Some((value, ty)) = planned.value_around(kind, name, at).filter(|(it, _)| it.end <= range.end) {
        at = value.end;
        if is_float(ty) {
            numbers.push((value.start, compared(region, value).and_then(|bytes| number(bytes, ty))));
        }
    }
    if kind == RegionKind::Buffer && name == PlannedLaunch::OUTPUTS {
        let named = |(at, number)| Some(format!("{} = {}", column(planned, at)?.name, number?));
        let words: Vec<String> = numbers.into_iter().filter_map(named).collect();
        return if words.is_empty() { String::new() } else { format!("  {}", words.join(", ")) };
    }
    if numbers.iter().all(|(_, number)| number.is_none()) {
        return String::new();
    }
    // The beginning of a large region has more of them than a line.
    let more = if numbers.len() > IN_A_LINE { ", …" } else { "" };
    let first = numbers.into_iter().take(IN_A_LINE);
    let words: Vec<String> = first.map(|(_, number)| number.unwrap_or_else(|| "?".into())).collect();
    format!("  = {}{more}", words.join(", "))
}

/// The numbers of a value that may be one of two; the words for an interval have them.
pub(crate) fn of_value(planned: &PlannedLaunch, region: &MaskedRegion, value: &Value) -> String {
    let Permits::Either([a, b]) = value.permitted else { return String::new() };
    let ty = planned.type_at(region.region.kind, &region.region.name, value.range());
    let shown = |bits: u64| number(&bits.to_le_bytes()[..value.size], ty.filter(|ty| is_float(ty))?);
    let words = shown(a).zip(shown(b)).map(|(a, b)| format!("  = {a} or {b}"));
    words.unwrap_or_default()
}

/// The bytes of a value, if all of its bits are compared.
fn compared(region: &MaskedRegion, range: Range<usize>) -> Option<&[u8]> {
    let mut masks = region.defined[range.clone()].iter().zip(&region.unordered[range.clone()]);
    masks.all(|(defined, unordered)| defined & !unordered == 0xFF).then(|| &region.region.bytes[range])
}

/// The output that begins at a byte of the outputs.
fn column(planned: &PlannedLaunch, at: usize) -> Option<&Column> {
    let within = at.checked_rem(planned.record())?;
    planned.columns.iter().find(|column| column.offset as usize == within)
}
