//! One mismatch on the page: the instruction, the rows with their inputs and outputs, and the memory concerned.

use maud::{Markup, html};
use warpdiff_corpus::bytes::{hex, kind_name, masked_hex};
use warpdiff_corpus::plan::{PlannedLaunch, Variant};
use warpdiff_judge::difference::Difference;
use warpdiff_judge::evidence::view::View;
use warpdiff_judge::finding::{Finding, LAUNCHES_SHOWN};
use warpdiff_judge::machine_code::{MachineCode, MachineWord};
use warpdiff_model::{Allowed, Deviation, RegionKind};
use warpdiff_session::verdict::TargetVerdict;
use warpdiff_terminal::foreign;

use super::picture::picture;
use crate::mismatch::of_the_line;

/// Machine words of an instruction that are shown at once.
const WORDS: usize = 12;
/// Most bytes that are shown of a difference outside of columns.
const BYTES: usize = 16;

/// A mismatch in full, without its headline.
pub(super) fn full(variant: &Variant, earned: &TargetVerdict) -> Markup {
    let findings = &earned.findings;
    html! {
        p.where {
            "in " code { (variant.location) }
            @if !variant.covers.is_empty() { ", covers " @for id in variant.covers.iter() { code { (id) } " " } }
        }
        @if let Some(repeated) = &earned.repeated {
            p.words { (capitalised(&foreign::line(&repeated.to_string()).to_string())) "." }
        }
        @for (_, entry) in earned.listed.iter().flat_map(|listing| &listing.entries) {
            p.words { "Expected of it: " (entry) }
        }
        @for (index, finding) in findings.iter().take(LAUNCHES_SHOWN).enumerate() {
            div.launch {
                @if findings.len() > 1 { h3 { "Launch " (index + 1) " of " (findings.len()) " that differ" } }
                @else if !finding.evidence.views.is_empty() { h3 { "The launch that differs" } }
                (one_launch(finding, index.checked_sub(1).map(|before| &findings[before])))
            }
        }
        @if findings.len() > LAUNCHES_SHOWN {
            p.note { (findings.len() - LAUNCHES_SHOWN) " more launches of this case differ and are not shown." }
        }
    }
}

/// A launch; parts that equal those of the launch before are left out.
fn one_launch(finding: &Finding, before: Option<&Finding>) -> Markup {
    let line = |f: &Finding| f.site.as_ref().map(|site| (site.line, site.text.clone()));
    let same_program = before.is_some_and(|b| b.program == finding.program);
    let same_cause = same_program
        && before.is_some_and(|b| line(b) == line(finding) && b.explanation() == finding.explanation());
    let outputs = |view: &&View| view.kind == RegionKind::Buffer && view.name == PlannedLaunch::OUTPUTS;
    // The table of differences shows the outputs, value by value.
    let tabled = finding.differences.iter().any(|d| d.column.is_some());
    let (outputs, regions): (Vec<&View>, Vec<&View>) =
        finding.evidence.views.iter().partition(|view| tabled && outputs(view));
    html! {
        @if !same_cause {
            @if let Some(site) = &finding.site {
                pre.instruction { code { (site.text) } }
                p.where {
                    "line " (site.line) " of the program"
                    @if let Some(location) = &site.location { ", from " code { (location) } }
                }
            }
            @if let Some(code) = &finding.machine_code { (machine_code(code)) }
            (diagnosis(finding))
        }
        @if let Some(nearest) = &finding.nearest { p.note { "Expected, " (nearest) ":" } }
        (table(&finding.differences, "What differs", "expected"))
        @for view in regions { (picture(view)) }
        @if finding.evidence.left_out > 0 {
            p.note { (finding.evidence.left_out) " more regions of memory differ and are not shown." }
        }
        @for view in outputs { details.outputs { summary { "The outputs as bytes" } (picture(view)) } }
        @if !same_program { (program(finding)) }
    }
}

/// The machine words of the instruction's line: the first ones, the others on demand.
fn machine_code(code: &MachineCode) -> Markup {
    let (first, rest) = code.words.split_at(code.words.len().min(WORDS));
    let lines = |words: &[MachineWord]| {
        let line = |word: &MachineWord| {
            format!("/*{:04x}*/ {:44} /* {:#018x} */\n", word.address, word.text, word.word)
        };
        words.iter().map(line).collect::<String>()
    };
    html! {
        p.where { (capitalised(&of_the_line(code))) }
        @if !first.is_empty() { pre.machine { code { (lines(first)) } } }
        @if !rest.is_empty() {
            details.machine { summary { "… and " (rest.len()) " more machine words" } pre.machine { code { (lines(rest)) } } }
        }
    }
}

/// The diagnosis, in words.
fn diagnosis(finding: &Finding) -> Markup {
    let sentence = |deviation: Deviation| deviation.entry().sentence;
    html! {
        p.diagnosis {
            @match finding.explained.as_slice() {
                [] => {
                    @match &finding.refuted {
                        Some(refuted) => {
                            (capitalised(&refuted.words())) ". It is: " (prose(sentence(refuted.deviation)))
                        }
                        None => { "No known deviation reproduces it." }
                    }
                }
                [only] => { "Reproduced exactly by " code { (only.name()) } ": " (prose(sentence(*only))) }
                several => {
                    @if finding.together { "Reproduced exactly by all of these together:" }
                    @else { "Reproduced exactly by each of these:" }
                    @for deviation in several { " " code { (deviation.name()) } ": " (prose(sentence(*deviation))) }
                }
            }
            @if let Some(applied) = &finding.applied { " (" (applied.words()) ")." }
            @if let Some(why) = &finding.unchecked { " This was " (why) "." }
        }
        @for example in finding.refuted.iter().filter_map(|refuted| refuted.example.as_deref()) {
            (table(std::slice::from_ref(example), "What refutes it", "predicted"))
        }
    }
}

pub(super) fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A sentence with code between backquotes.
pub(super) fn prose(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn table(differences: &[Difference], caption: &str, expected: &str) -> Markup {
    let (values, words): (Vec<_>, Vec<_>) = differences
        .iter()
        .partition(|d| d.region.is_some() && !(d.expected.is_empty() && d.observed.is_empty()));
    let any = |has: fn(&Difference) -> bool| values.iter().any(|d| has(d));
    let (rows, addressed) = (any(|d| d.row.is_some()), any(|d| d.coordinates.is_some()));
    html! {
        @for difference in &words { (in_words(difference)) }
        @if !values.is_empty() {
            div.scroll { table.differences {
                caption { (caption) }
                thead { tr {
                    @if rows { th scope="col" { "row" } th scope="col" { "inputs" } }
                    @if addressed { th scope="col" { "addressed" } }
                    th scope="col" { "where" }
                    th scope="col" { (expected) }
                    th scope="col" { "observed" }
                    th scope="col" { "bits that differ" }
                } }
                tbody { @for difference in &values { (line_of(difference, rows, addressed)) } }
            } }
        }
        @if differences.len() >= Allowed::MISMATCH_LIMIT {
            p.note { "These are the first differences; there may be more." }
        }
    }
}

/// A difference of the launch as a whole, in words.
fn in_words(difference: &Difference) -> Markup {
    // The detail of a surface fault has the coordinates already.
    let addressed = difference.coordinates.iter().filter(|_| !difference.detail.contains(" of surface `"));
    html! {
        p.words {
            @if let Some(row) = &difference.row {
                "Row " (row.index) @if row.inputs.is_empty() { ": " } @else { ", " (inputs(difference)) ": " }
            }
            @if let Some((kind, name)) = &difference.region { (kind_name(*kind)) " " code { (name) } ": " }
            strong { (prose(&foreign::lines(&difference.detail, 0).to_string())) }
            @for coordinates in addressed { ". Addressed: " (prose(coordinates)) }
        }
    }
}

fn inputs(difference: &Difference) -> Markup {
    let inputs = difference.row.iter().flat_map(|row| row.inputs.iter());
    html! {
        @for (index, (name, value)) in inputs.enumerate() {
            @if index > 0 { ", " }
            code.input { (name) " = " (value) }
        }
    }
}

fn line_of(difference: &Difference, rows: bool, addressed: bool) -> Markup {
    let length = difference.expected.len().max(difference.observed.len());
    let differing: Vec<u8> = difference
        .expected
        .iter()
        .zip(&difference.observed)
        .zip(&difference.defined)
        .map(|((expected, observed), mask)| (expected ^ observed) & mask)
        .collect();
    let more = if length > BYTES { " …" } else { "" };
    let cut = |bytes: &'_ [u8]| bytes[..bytes.len().min(BYTES)].to_vec();
    let equal = |number: Option<String>| number.map(|number| format!("  = {number}")).unwrap_or_default();
    html! {
        tr {
            @if rows {
                td { @if let Some(row) = &difference.row { (row.index) } }
                td { (inputs(difference)) }
            }
            @if addressed { td { @if let Some(words) = &difference.coordinates { (prose(without_shape(words))) } } }
            td { (whereabouts(difference, length)) }
            td.expected { code { (masked_hex(&cut(&difference.expected), &cut(&difference.defined))) (more) } (equal(difference.expected_number())) }
            td.observed { code { (hex(&cut(&difference.observed))) (more) } (equal(difference.observed_number())) }
            td { code { (hex(&cut(&differing))) (more) } }
        }
    }
}

/// Coordinates without the size of the surface, which its picture shows.
fn without_shape(coordinates: &str) -> &str {
    coordinates.rsplit_once(" (").map_or(coordinates, |(before, _)| before)
}

fn whereabouts(difference: &Difference, length: usize) -> Markup {
    let last = difference.offset + length.max(1) - 1;
    html! {
        @if let Some(column) = &difference.column { "output " code { (column.name) } br; }
        span.bytes {
            @if let Some((kind, name)) = &difference.region { (kind_name(*kind)) " " code { (name) } ", " }
            @if length > 1 { "bytes " (difference.offset) "–" (last) } @else { "byte " (difference.offset) }
        }
        @if let Some(element) = &difference.element {
            br; (element.words())
            @if let Some(at) = &element.stated_at { br; span.bytes { "stated at " (at) } }
        }
    }
}

/// The whole program, with the site marked.
fn program(finding: &Finding) -> Markup {
    let marked = finding.site.as_ref().map(|site| site.line as usize);
    html! {
        @if !finding.program.trim().is_empty() {
            details.program {
                summary { "The program" }
                pre { code {
                    @for (index, text) in finding.program.lines().enumerate() {
                        @if marked == Some(index + 1) { mark { (format!("{:>4} ", index + 1)) (text) } }
                        @else { (format!("{:>4} ", index + 1)) (text) }
                        "\n"
                    }
                } }
            }
        }
    }
}
