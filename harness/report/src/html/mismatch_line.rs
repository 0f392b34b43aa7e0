//! One mismatch on the page as a file of results has it: the instruction and the values that differ, without pictures of memory.

use maud::{Markup, html};
use warpdiff_corpus::bytes::{hex, masked_hex};
use warpdiff_judge::finding::LAUNCHES_SHOWN;
use warpdiff_model::Deviation;
use warpdiff_terminal::foreign;

use super::mismatch::{capitalised, prose};
use crate::results::finding::{DifferenceLine, FindingLine, Place};
use crate::results::summary;
use crate::results::variant::{TargetLine, VariantLine};

/// Most bytes of a difference that are shown.
const BYTES: usize = 16;

/// A mismatch in full, without its headline.
pub(super) fn full(line: &VariantLine, target: &TargetLine) -> Markup {
    html! {
        p.where {
            "in " code { (place(&line.location)) }
            @if !line.covers.is_empty() { ", covers " @for id in &line.covers { code { (id) } " " } }
        }
        @if let Some(repeated) = &target.repeated { p.words { (capitalised(&foreign::line(&repeated.runs.to_string()).to_string())) "." } }
        @for entry in &target.expectations { p.words { "Expected of it: " (entry) } }
        @for (index, finding) in target.findings.iter().take(LAUNCHES_SHOWN).enumerate() {
            div.launch {
                @if target.findings.len() > 1 { h3 { "Launch " (index + 1) " of " (target.findings.len()) " that differ" } }
                (one_launch(finding))
            }
        }
        @if target.findings.len() > LAUNCHES_SHOWN {
            p.note { (target.findings.len() - LAUNCHES_SHOWN) " more launches of this case differ and are not shown." }
        }
    }
}

fn place(place: &Place) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

fn one_launch(finding: &FindingLine) -> Markup {
    let (words, values): (Vec<&DifferenceLine>, Vec<&DifferenceLine>) =
        finding.differences.iter().partition(|one| one.expected.is_empty() && one.observed.is_empty());
    html! {
        @if let Some(instruction) = &finding.instruction {
            pre.instruction { code { (instruction.text) } }
            p.where {
                "line " (instruction.program_line) " of the program"
                @if let Some(location) = &instruction.location { ", from " code { (place(location)) } }
            }
        }
        @if let Some(code) = &finding.machine_code {
            p.where { "Machine words by " (code.compiler) ":" }
            pre.machine { code { @for word in &code.words { (format!("/*{:04x}*/ {:44} /* 0x{} */\n", word.address, word.text, word.word)) } } }
        }
        p.diagnosis {
            (capitalised(&summary::words(finding))) "."
            @for deviation in finding.reproduced_by.iter().filter_map(|name| Deviation::from_name(name)) {
                " " code { (deviation.name()) } ": " (prose(deviation.entry().sentence))
            }
        }
        @if let Some(nearest) = &finding.nearest {
            p.note { "Expected, if " (nearest.under.join(", ")) " (the nearest of " (nearest.of) " permitted outcomes):" }
        }
        @for difference in words {
            p.words {
                @if let Some(row) = difference.row { "Row " (row) ", " (inputs(difference)) ": " }
                @if let Some(region) = &difference.region { (region) ": " }
                strong { (prose(&foreign::lines(&difference.detail, 0).to_string())) }
            }
        }
        @if !values.is_empty() {
            div.scroll { table.differences {
                caption { "What differs" }
                thead { tr {
                    th scope="col" { "row" } th scope="col" { "inputs" } th scope="col" { "where" }
                    th scope="col" { "expected" } th scope="col" { "observed" }
                } }
                tbody { @for difference in values { tr {
                    td { @if let Some(row) = difference.row { (row) } }
                    td { (inputs(difference)) @if let Some(at) = &difference.coordinates { br; (prose(at)) } }
                    td {
                        @if let Some(column) = &difference.column { "output " code { (column) } br; }
                        span.bytes { (difference.region.as_deref().unwrap_or_default()) ", byte " (difference.offset) }
                        @if let Some(element) = &difference.element {
                            br; (element.words)
                            @if let Some(at) = &element.stated_at { br; span.bytes { "stated at " (at) } }
                        }
                    }
                    td.expected { code { (masked_hex(&bytes(&difference.expected), &bytes(&difference.defined))) (more(&difference.expected)) } (equal(&difference.expected_value)) }
                    td.observed { code { (hex(&bytes(&difference.observed))) (more(&difference.observed)) } (equal(&difference.observed_value)) }
                } } }
            } }
        }
        p.note { "Results have no pictures of memory. " code { "warpdiff run --html" } " draws them." }
    }
}

fn inputs(difference: &DifferenceLine) -> Markup {
    html! {
        @for (index, (name, value)) in difference.inputs.iter().enumerate() {
            @if index > 0 { ", " }
            code.input { (name) " = " (value) }
        }
    }
}

fn equal(number: &Option<String>) -> String {
    number.iter().map(|number| format!("  = {number}")).collect()
}

/// The first bytes of hexadecimal text.
fn bytes(digits: &str) -> Vec<u8> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.as_bytes().chunks(2).take(BYTES).map_while(byte).collect()
}

fn more(digits: &str) -> &'static str {
    if digits.len() > 2 * BYTES { " …" } else { "" }
}
