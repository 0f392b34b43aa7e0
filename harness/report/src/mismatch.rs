//! How one finding is shown on the terminal.

use std::fmt::Write;

use warpdiff_corpus::bytes::{hex, kind_name, masked_hex};
use warpdiff_judge::difference::Difference;
use warpdiff_judge::finding::Finding;
use warpdiff_judge::machine_code::MachineCode;
use warpdiff_judge::mismatch_class::class_name;
use warpdiff_model::Allowed;
use warpdiff_terminal::foreign;
use warpdiff_terminal::style::Style;

/// Differences shown of one launch.
const DIFFERENCES: usize = 3;
/// Machine words shown of an instruction.
const WORDS: usize = 6;
/// Bytes shown of one difference.
const BYTES: usize = 16;

/// The finding over a variant: what kind of difference, which instruction, and the first differing rows.
pub fn render(id: &str, target: &str, finding: &Finding, style: Style) -> String {
    let mut text = String::new();
    let title = style.bad_strong();
    let _ = writeln!(text, "{} {id}", title.paint(format!("{}:", finding.raw)));
    let class = class_name(finding.class());
    let explanation = finding.explanation();
    let _ = writeln!(
        text,
        "  {} {target}: {}{explanation}",
        style.faint().paint("against"),
        style.strong().paint(class)
    );
    if let Some(site) = &finding.site {
        let _ = writeln!(text, "  {} {}", style.faint().paint(format!("line {:>3} |", site.line)), site.text);
        if let Some(location) = &site.location {
            let _ = writeln!(text, "  {} {}", style.faint().paint("     -->"), location);
        }
    }
    if let Some(code) = &finding.machine_code {
        machine_code(&mut text, code, style);
    }
    if let Some(nearest) = &finding.nearest {
        let _ = writeln!(text, "  {} {nearest}:", style.faint().paint("expected,"));
    }
    for shown in finding.differences.iter().take(DIFFERENCES) {
        difference(&mut text, shown, "expected", style);
    }
    if let Some(more) = unlisted(finding.differences.len(), DIFFERENCES) {
        let _ = writeln!(text, "  {}", style.faint().paint(more));
    }
    if let Some(refuted) = &finding.refuted {
        let colon = if refuted.example.is_some() { ":" } else { "" };
        let _ = writeln!(text, "  {}{colon}", refuted.words());
        let example = refuted.example.iter();
        example.for_each(|example| {
            difference(&mut text, example, &format!("{} predicts", refuted.deviation.name()), style)
        });
    }
    text
}

/// How many differences of a finding are not shown, in words; `None` if all are. A finding has the first differences only, so if it
/// has as many as it can, there may be more.
pub(super) fn unlisted(found: usize, shown: usize) -> Option<String> {
    let more = found.checked_sub(shown).filter(|more| *more > 0)?;
    let least = if found >= Allowed::MISMATCH_LIMIT { "at least " } else { "" };
    Some(format!("… and {least}{more} more differences"))
}

/// The machine words of the instruction's line.
fn machine_code(text: &mut String, code: &MachineCode, style: Style) {
    let _ = writeln!(text, "  {}", style.faint().paint(of_the_line(code)));
    for word in code.words.iter().take(WORDS) {
        let bits = style.faint().paint(format!("/* {:#018x} */", word.word)).to_string();
        let address = style.faint().paint(format!("{:#7x} |", word.address)).to_string();
        let _ = writeln!(text, " {address} {:44} {bits}", word.text);
    }
    let more = code.words.len().saturating_sub(WORDS);
    if more > 0 {
        let _ = writeln!(text, "  {}", style.faint().paint(format!("… and {more} more machine words")));
    }
}

/// What stands above the machine words of a line, or in their place.
pub(super) fn of_the_line(code: &MachineCode) -> String {
    let compiler = &code.compiler;
    match code.words.as_slice() {
        [] => format!("no machine word of {compiler} is of this line: it is left out, or part of another"),
        [_] => format!("its machine word, by {compiler}:"),
        _ => format!("its machine words, by {compiler}:"),
    }
}

/// A difference of the observation from the expected bytes, or from a deviation's prediction.
fn difference(text: &mut String, difference: &Difference, expected_by: &str, style: Style) {
    if let Some(row) = &difference.row {
        let inputs: Vec<_> = row.inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let inputs = if inputs.is_empty() { String::new() } else { format!(": {}", inputs.join(", ")) };
        let at = style.faint().paint(format!("({})", row.location())).to_string();
        let _ = writeln!(text, "  row {}{inputs}  {at}", row.index);
    }
    if let Some(coordinates) = &difference.coordinates {
        let _ = writeln!(text, "    at {coordinates}");
    }
    let length = difference.expected.len().max(difference.observed.len());
    let Some((kind, name)) = difference.region.as_ref().filter(|_| length > 0) else {
        let region =
            difference.region.as_ref().map(|(kind, name)| format!("{} `{name}`: ", kind_name(*kind)));
        // The detail may contain text of the target.
        let detail = foreign::lines(&difference.detail, 6);
        let _ = writeln!(text, "    {}{detail}", region.unwrap_or_default());
        return;
    };
    let column = difference.column.as_ref().map(|c| format!("output `{}`, ", c.name)).unwrap_or_default();
    let end = if length > 1 { format!("..{}", difference.offset + length) } else { String::new() };
    let element = difference.element.as_ref().map(|e| format!(": {}", e.words())).unwrap_or_default();
    let stated = difference.element.as_ref().and_then(|element| element.stated_at.as_ref());
    let stated = stated.map(|at| style.faint().paint(format!("  (stated at {at})")).to_string());
    let _ = writeln!(
        text,
        "    {column}{} `{name}`, byte {}{end}{element}{}",
        kind_name(*kind),
        difference.offset,
        stated.unwrap_or_default()
    );
    let more = if length > BYTES { " …" } else { "" };
    let cut = |bytes: &[u8]| bytes[..bytes.len().min(BYTES)].to_vec();
    let (expected, defined, observed) =
        (cut(&difference.expected), cut(&difference.defined), cut(&difference.observed));
    let value = |number: Option<String>| number.map(|number| format!("  = {number}")).unwrap_or_default();
    let allowed = masked_hex(&expected, &defined);
    let width = expected_by.chars().count();
    let good = if expected_by == "expected" { style.good() } else { style.plain() };
    let _ = writeln!(
        text,
        "      {expected_by} {}{more}{}",
        good.paint(allowed),
        value(difference.expected_number())
    );
    let _ = writeln!(
        text,
        "      {:width$} {}{more}{}",
        "observed",
        style.bad().paint(hex(&observed)),
        value(difference.observed_number())
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_full_is_not_said_to_be_whole() {
        assert_eq!(unlisted(3, 3), None);
        assert_eq!(unlisted(5, 3).unwrap(), "… and 2 more differences");
        let full = Allowed::MISMATCH_LIMIT;
        assert_eq!(unlisted(full, 3).unwrap(), format!("… and at least {} more differences", full - 3));
    }
}
