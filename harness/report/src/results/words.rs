//! A finding in a few lines of plain text, for reports of other programs: JUnit, annotations, a step's summary.

use std::fmt::Write;

use warpdiff_judge::mismatch_class::class_name;
use warpdiff_model::MismatchClass;
use warpdiff_terminal::foreign;

use super::finding::{DifferenceLine, FindingLine};
use crate::mismatch::unlisted;

/// Differences that are written out.
const DIFFERENCES: usize = 3;
/// Hexadecimal digits of one difference.
const DIGITS: usize = 64;

/// The instruction, its place and the first differences.
pub fn plain(finding: &FindingLine) -> String {
    let mut text = String::new();
    // A launch that hangs or crashes points to no instruction.
    let whole = is_of_launch(finding);
    if let Some(instruction) = finding.instruction.as_ref().filter(|_| !whole) {
        let _ = writeln!(text, "{}", instruction.text);
        if let Some(place) = &instruction.location {
            let _ = writeln!(text, "  at {}:{}:{}", place.file, place.line, place.column);
        }
    }
    if let Some(nearest) = &finding.nearest {
        let under = nearest.under.join(", ");
        let _ = writeln!(text, "expected, if {under} (the nearest of {} permitted outcomes):", nearest.of);
    }
    finding.differences.iter().take(DIFFERENCES).for_each(|one| difference(&mut text, one));
    if let Some(more) = unlisted(finding.differences.len(), DIFFERENCES) {
        let _ = writeln!(text, "{more}");
    }
    text
}

/// Whether a finding is of a launch as a whole, and its instruction is just the first.
pub fn is_of_launch(finding: &FindingLine) -> bool {
    [MismatchClass::Hang, MismatchClass::Crash].iter().any(|class| finding.class == class_name(*class))
}

fn difference(text: &mut String, difference: &DifferenceLine) {
    if let Some(row) = difference.row {
        let inputs: Vec<String> =
            difference.inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = writeln!(text, "row {row}: {}", inputs.join(", "));
    }
    if let Some(at) = &difference.coordinates {
        let _ = writeln!(text, "  at {at}");
    }
    let region = difference.region.as_deref().unwrap_or("the launch");
    if difference.expected.is_empty() && difference.observed.is_empty() {
        let _ = writeln!(text, "  {region}: {}", foreign::lines(&difference.detail, 4));
        return;
    }
    let column = difference.column.iter().map(|name| format!("output {name}, ")).collect::<String>();
    let element = difference.element.iter().map(|e| format!(": {}", e.words)).collect::<String>();
    let stated = difference.element.iter().filter_map(|element| element.stated_at.as_ref());
    let stated: String = stated.map(|at| format!(" (stated at {at})")).collect();
    let _ = writeln!(text, "  {column}{region}, byte {}, in hexadecimal{element}{stated}", difference.offset);
    let cut = |digits: &str| match digits.get(..DIGITS) {
        Some(first) if digits.len() > DIGITS => format!("{first}…"),
        _ => digits.to_owned(),
    };
    let defined = if difference.defined.bytes().all(|digit| digit == b'f') {
        String::new()
    } else {
        format!(" (compared bits: {})", cut(&difference.defined))
    };
    let equal =
        |number: &Option<String>| number.iter().map(|number| format!(" = {number}")).collect::<String>();
    let expected = equal(&difference.expected_value);
    let _ = writeln!(text, "    expected {}{expected}{defined}", cut(&difference.expected));
    let _ = writeln!(text, "    observed {}{}", cut(&difference.observed), equal(&difference.observed_value));
}
