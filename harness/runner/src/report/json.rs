//! The report of a run as JSON, for other programs.
//!
//! The structure is versioned by `format`: within a version fields are added, never removed or changed in meaning. Bytes
//! are lower-case hexadecimal without blanks; `defined` is the mask of the compared bits of `expected`.

use serde::Serialize;
use warpdiff_ptx::source::line_column;

use crate::bytes::kind_name;
use crate::cause::class_name;
use crate::finding::{Difference, Finding};
use crate::golden::compare::Comparison;
use crate::golden::store::Review;
use crate::plan::Location;
use crate::session::{Session, Settling};
use crate::status::{Exit, Raw, Settled};
use crate::verdict::{ReferenceVerdict, TargetVerdict, Verdict};

/// Version of the structure.
pub const FORMAT: u32 = 1;

/// The report of a run.
#[derive(Serialize)]
pub struct Report<'a> {
    /// Version of the structure: [`FORMAT`].
    format: u32,
    /// Version of warpdiff.
    warpdiff: &'static str,
    /// The targets, in the order they were given; empty when only the reference was checked.
    targets: &'a [String],
    /// Each variant that ran, in the order of the corpus.
    variants: Vec<Variant<'a>>,
    /// The goldens, unless they were not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    goldens: Option<Goldens<'a>>,
    /// Wall time in seconds.
    seconds: f64,
    /// How the process ends.
    exit: Exit,
    /// The number it ends with.
    exit_code: u8,
}

#[derive(Serialize)]
struct Variant<'a> {
    id: &'a str,
    subject: &'a str,
    location: Place,
    covers: &'a [String],
    rows: usize,
    reference: Reference,
    targets: Vec<Target<'a>>,
    seconds: f64,
}

#[derive(Serialize)]
struct Reference {
    status: Raw,
    settled: Settled,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
}

#[derive(Serialize)]
struct Problem {
    message: String,
    label: String,
    location: Place,
}

#[derive(Serialize)]
struct Target<'a> {
    target: &'a str,
    status: Raw,
    settled: Settled,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingReport<'a>>,
}

#[derive(Serialize)]
struct FindingReport<'a> {
    status: Raw,
    class: &'static str,
    reproduced_by: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<Instruction<'a>>,
    differences: Vec<DifferenceReport<'a>>,
}

#[derive(Serialize)]
struct Instruction<'a> {
    text: &'a str,
    program_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Place>,
}

#[derive(Serialize)]
struct DifferenceReport<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<(&'a str, &'a str)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coordinates: Option<&'a str>,
    offset: usize,
    expected: String,
    defined: String,
    observed: String,
    detail: &'a str,
}

#[derive(Serialize)]
struct Place {
    file: String,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Goldens<'a> {
    recorded: bool,
    same: usize,
    drifted: Vec<&'a str>,
    differing: Vec<&'a str>,
    missing: Vec<&'a str>,
    orphans: &'a [String],
    damaged: Vec<String>,
}

impl<'a> Report<'a> {
    /// The report of a session.
    pub fn new(
        session: &'a Session<'a>,
        goldens: Option<&'a Review>,
        settling: &Settling,
        exit: Exit,
    ) -> Self {
        Self {
            format: FORMAT,
            warpdiff: env!("CARGO_PKG_VERSION"),
            targets: &session.targets,
            variants: session.verdicts.iter().map(|v| variant(v, &session.targets, settling)).collect(),
            goldens: goldens.map(goldens_report),
            seconds: session.elapsed.as_secs_f64(),
            exit,
            exit_code: exit.code(),
        }
    }
}

fn variant<'a>(verdict: &'a Verdict<'a>, targets: &'a [String], settling: &Settling) -> Variant<'a> {
    let each = verdict.targets.iter().zip(targets);
    Variant {
        id: &verdict.variant.id,
        subject: &verdict.variant.subject,
        location: place(&verdict.variant.location),
        covers: &verdict.variant.covers,
        rows: verdict.rows,
        reference: reference(&verdict.reference, settling.reference(verdict)),
        targets: each.map(|(t, name)| target(t, name, settling.target(verdict, t))).collect(),
        seconds: verdict.elapsed.as_secs_f64(),
    }
}

fn reference(verdict: &ReferenceVerdict, settled: Settled) -> Reference {
    let problem = |p: &crate::corpus::CorpusError| Problem {
        message: p.message.clone(),
        label: p.label.clone(),
        location: place(&p.location),
    };
    Reference { status: verdict.raw, settled, problems: verdict.problems.iter().map(problem).collect() }
}

fn target<'a>(verdict: &'a TargetVerdict, name: &'a str, settled: Settled) -> Target<'a> {
    Target {
        target: name,
        status: verdict.raw,
        settled,
        why: verdict.why.as_deref(),
        findings: verdict.findings.iter().map(finding).collect(),
    }
}

fn finding(finding: &Finding) -> FindingReport<'_> {
    FindingReport {
        status: finding.raw,
        class: class_name(finding.class),
        reproduced_by: finding.explained.iter().map(|d| d.name()).collect(),
        instruction: finding.site.as_ref().map(|site| Instruction {
            text: &site.text,
            program_line: site.line,
            location: site.location.as_ref().map(place),
        }),
        differences: finding.differences.iter().map(difference).collect(),
    }
}

fn difference(difference: &Difference) -> DifferenceReport<'_> {
    let inputs = difference.row.iter().flat_map(|row| &row.inputs);
    DifferenceReport {
        row: difference.row.as_ref().map(|row| row.index),
        inputs: inputs.map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        location: difference.location().map(place),
        region: difference.region.as_ref().map(|(kind, name)| format!("{} {name}", kind_name(*kind))),
        column: difference.column.as_ref().map(|c| c.name.as_str()),
        coordinates: difference.coordinates.as_deref(),
        offset: difference.offset,
        expected: hex(&difference.expected),
        defined: hex(&difference.defined),
        observed: hex(&difference.observed),
        detail: &difference.detail,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn place(location: &Location) -> Place {
    let at = line_column(&location.file.text, u32::try_from(location.range.start).unwrap_or(u32::MAX));
    Place { file: location.file.path.display().to_string(), line: at.line, column: at.column }
}

fn goldens_report(review: &Review) -> Goldens<'_> {
    let of = |wanted: Comparison| {
        review.changes.iter().filter(|c| c.comparison == wanted).map(|c| c.id.as_str()).collect()
    };
    Goldens {
        recorded: review.recorded,
        same: review.same,
        drifted: of(Comparison::Drifted),
        differing: of(Comparison::Differs),
        missing: of(Comparison::Missing),
        orphans: &review.orphans,
        damaged: review.damaged.iter().map(|(path, error)| format!("{}: {error}", path.display())).collect(),
    }
}
