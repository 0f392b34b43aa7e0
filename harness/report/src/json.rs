//! The report of a run as JSON, for other programs.
//!
//! The structure is versioned by `format`: within a version fields are added, never removed or changed in meaning. Bytes
//! are lower-case hexadecimal without blanks; `defined` is the mask of the compared bits of `expected`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use warpdiff_corpus::bytes::kind_name;
use warpdiff_corpus::plan::Location;
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::finding::{Difference, Finding, RefutedBy, RefutedDeviation};
use warpdiff_judge::mismatch_class::class_name;
use warpdiff_judge::reference_verdict::ReferenceVerdict;
use warpdiff_judge::verdict_table::{Raw, Recorded, Settled, Specification};
use warpdiff_ptx::source::line_column;
use warpdiff_recordings::index::PartDrift;
use warpdiff_session::agreement::{Agreement, agreement};
use warpdiff_session::missing_recordings::{compared, replayed};
use warpdiff_session::session::{Session, Settling};
use warpdiff_session::verdict::{RecordedLaunches, TargetVerdict, Verdict};
use warpdiff_terminal::foreign;

use crate::golden::compare::EntryChange;
use crate::golden::store::Review;
use crate::reasons::{self, Reason, ReasonReport};

/// Version of the structure.
pub const FORMAT: u32 = 1;

/// The report of a run.
#[derive(Serialize, JsonSchema)]
pub struct Report<'a> {
    /// Version of the structure: [`FORMAT`].
    format: u32,
    /// Version of warpdiff.
    warpdiff: &'static str,
    /// The targets, in the order they were given; empty when only the reference was checked.
    targets: &'a [String],
    /// For each target the folder of the recording it was held against, or null.
    recordings: &'a [Option<String>],
    /// For each target what that recording has of the launches that were held against it, and of the programs that an assembler was
    /// asked; or null.
    recorded_launches: Vec<Option<RecordedLaunches>>,
    /// For each target that is itself a recording what that has of what it was asked; null for any other.
    replayed_launches: Vec<Option<RecordedLaunches>>,
    /// Each variant that ran, in the order of the corpus.
    variants: Vec<Variant<'a>>,
    /// Why there are variants without a verdict: each reason once, of each target the most frequent first.
    not_judged: Vec<ReasonReport<'a>>,
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

#[derive(Serialize, JsonSchema)]
struct Variant<'a> {
    /// Unique: folder, file, title and matrix bindings.
    id: &'a str,
    /// First folder under the corpus.
    subject: &'a str,
    /// Where the case begins.
    location: Place,
    /// Ids of the requirements it covers.
    covers: &'a [String],
    /// Rows of its table, or launches where it has none.
    rows: usize,
    /// The reference held against what was derived by hand.
    reference: Reference,
    /// The targets, in the order of `targets` of the report.
    targets: Vec<Target<'a>>,
    /// How several targets stand to each other, the reference among them. Left out where there is nothing to compare: fewer
    /// than two targets that were judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    agreement: Option<AgreementReport<'a>>,
    /// Time it took.
    seconds: f64,
}

#[derive(Serialize, JsonSchema)]
struct Reference {
    /// What it earned.
    status: Raw,
    /// What that counts as.
    settled: Settled,
    /// Why it is not `conforms`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    /// Whether the case states nothing of its whole program, so that the reference alone decided. Left out where it states something.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    decided_alone: bool,
}

#[derive(Serialize, JsonSchema)]
struct Problem {
    /// What is wrong.
    message: String,
    /// What stands at the caret.
    label: String,
    /// Where.
    location: Place,
}

#[derive(Serialize, JsonSchema)]
struct Target<'a> {
    /// Its name, as `--against` writes it.
    target: &'a str,
    /// What it earned: the worst of its launches.
    status: Raw,
    /// What that counts as, known failures considered.
    settled: Settled,
    /// The axis of the specification: what `status` says of it.
    specification: Specification,
    /// The axis of the recording: whether it did what is recorded of it. Left out where it was held against no recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<Recorded>,
    /// What differs from the recording, launch by launch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drifts: Vec<DriftReport<'a>>,
    /// What the list of known failures has of it: entries, each with its place and its cause. They excuse it where `settled` is
    /// `known-failure`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    known: &'a [String],
    /// Why there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    /// What is wrong, launch by launch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingReport<'a>>,
}

/// How several targets stand to each other.
#[derive(Serialize, JsonSchema)]
struct AgreementReport<'a> {
    /// In one word.
    verdict: AgreementWord,
    /// `odd-one-out`: the target that does what is not allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    odd_one_out: Option<&'a str>,
    /// `split`: the targets that do what is not allowed, those that do the same together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<Vec<&'a str>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum AgreementWord {
    /// Every target that was judged does what is allowed.
    All,
    /// One does not, and all the others do.
    OddOneOut,
    /// All do the same, which the reference does not allow: it is the reference that is suspected.
    ReferenceSuspected,
    /// Several differ, but not all, or not in the same way.
    Split,
}

/// What differs from the recording of a target in one launch.
#[derive(Serialize, JsonSchema)]
struct DriftReport<'a> {
    /// The rows of the launch: `row 3`, `rows 0 to 7`, `whole`.
    part: &'a str,
    /// Whether anybody relies on it.
    recording: Recorded,
    /// What differs.
    words: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct FindingReport<'a> {
    /// What the launch earned.
    status: Raw,
    /// Class of the mismatch: `clamp behaviour`, `alignment`, …
    class: &'static str,
    /// Deviations each of which does exactly the same: on every launch of the variant, right or wrong, and on everything that the run
    /// saw of the instruction.
    reproduced_by: Vec<&'static str>,
    /// Whether it takes all of `reproduced_by` together. Left out where each of them will do alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    together: bool,
    /// Why `reproduced_by` was not held against everything that the run saw of the instruction. Left out where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<&'a str>,
    /// Where `reproduced_by` is empty: the deviation that comes nearest. Left out where none explains anything of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest_deviation: Option<NearestDeviation<'a>>,
    /// The instruction it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<Instruction<'a>>,
    /// Where several outcomes are permitted: the one that `expected` is of, the nearest to what was observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<NearestReport<'a>>,
    /// The differences, first ones first.
    differences: Vec<DifferenceReport<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Instruction<'a> {
    /// Its text.
    text: &'a str,
    /// Its line in the program as `warpdiff show` prints it.
    program_line: u32,
    /// Where it stands in the corpus, if it was copied from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Place>,
}

#[derive(Serialize, JsonSchema)]
struct NearestReport<'a> {
    /// What it takes of the choices in which the permitted outcomes differ: `sust.p.integer-range=wrapped`.
    under: &'a [String],
    /// How many outcomes are permitted.
    of: usize,
}

/// A deviation that explains some of what was observed, and is refuted by the rest.
#[derive(Serialize, JsonSchema)]
struct NearestDeviation<'a> {
    /// Its name.
    name: &'static str,
    /// How many rows of the variant refute it. Left out where it fits this variant, and another one refutes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    refuting_rows: Option<usize>,
    /// Id of the variant that refutes it. Left out where it is this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    refuting_variant: Option<&'a str>,
    /// A row that refutes it: `expected` and `defined` are what the deviation predicts there.
    #[serde(skip_serializing_if = "Option::is_none")]
    refuted_by: Option<DifferenceReport<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct DifferenceReport<'a> {
    /// Row of the table, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<usize>,
    /// Its inputs: column and value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<(&'a str, &'a str)>,
    /// Where the row stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Place>,
    /// Region of memory: `buffer out`, `surface image`, `guard band of out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    /// Output column the difference begins in.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<&'a str>,
    /// Coordinates of a surface access.
    #[serde(skip_serializing_if = "Option::is_none")]
    coordinates: Option<&'a str>,
    /// First byte in the region.
    offset: usize,
    /// What is allowed there, in hexadecimal.
    expected: String,
    /// Mask of the compared bits of `expected`.
    defined: String,
    /// What was observed there.
    observed: String,
    /// In words.
    detail: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct Place {
    /// File, relative to the folder that holds the corpus.
    file: String,
    /// Line, from 1.
    line: u32,
    /// Column in characters, from 1.
    column: u32,
}

#[derive(Serialize, JsonSchema)]
struct Goldens<'a> {
    /// Whether there are goldens.
    recorded: bool,
    /// Variants as recorded.
    same: usize,
    /// Variants of which only undefined bits changed.
    drifted: Vec<&'a str>,
    /// Variants that differ.
    differing: Vec<&'a str>,
    /// Variants that are not recorded.
    missing: Vec<&'a str>,
    /// Goldens that belong to no variant.
    orphans: &'a [String],
    /// Goldens of variants that belong to another file.
    misplaced: &'a [String],
    /// What `--bless` removed, and why.
    removed: Vec<String>,
    /// Files that cannot be used, and why.
    damaged: Vec<String>,
}

/// The JSON Schema of a report.
pub fn schema() -> Schema {
    // Of what is written: a field that is left out when it is empty is not required.
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Report<'static>>()
}

/// What is printed instead of a report where there is none: `error` says why, without colours.
pub fn error(message: &str, exit: Exit) -> String {
    let value = serde_json::json!({
        "format": FORMAT,
        "warpdiff": env!("CARGO_PKG_VERSION"),
        "error": message,
        "exit": exit,
        "exit_code": exit.code(),
    });
    foreign::in_json(&format!("{value:#}\n"))
}

impl<'a> Report<'a> {
    /// The document.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn text(&self) -> serde_json::Result<String> {
        Ok(foreign::in_json(&(serde_json::to_string_pretty(self)? + "\n")))
    }

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
            recordings: &session.recordings,
            recorded_launches: (0..session.targets.len()).map(|target| compared(session, target)).collect(),
            replayed_launches: (0..session.targets.len()).map(|target| replayed(session, target)).collect(),
            variants: session.verdicts.iter().map(|v| variant(v, &session.targets, settling)).collect(),
            not_judged: reasons::of(session, settling).iter().map(Reason::report).collect(),
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
        reference: reference(verdict, settling.reference(verdict)),
        targets: each.map(|(t, name)| target(t, name, settling.target(verdict, t))).collect(),
        agreement: (settling.reference(verdict) == Settled::Pass)
            .then(|| agreement_report(agreement(verdict), targets))
            .flatten(),
        seconds: verdict.elapsed.as_secs_f64(),
    }
}

fn reference(verdict: &Verdict<'_>, settled: Settled) -> Reference {
    let ReferenceVerdict { raw, problems, .. } = &verdict.reference;
    let problem = |p: &warpdiff_corpus::CorpusError| Problem {
        message: p.message.clone(),
        label: p.label.clone(),
        location: place(&p.location),
    };
    Reference {
        status: *raw,
        settled,
        problems: problems.iter().map(problem).collect(),
        decided_alone: verdict.variant.states_nothing(),
    }
}

fn target<'a>(verdict: &'a TargetVerdict, name: &'a str, settled: Settled) -> Target<'a> {
    Target {
        target: name,
        status: verdict.raw,
        settled,
        specification: verdict.raw.specification(),
        recording: verdict.recorded,
        drifts: verdict.drifts.iter().map(drift).collect(),
        known: verdict.listed.as_ref().map_or(&[], |listing| &listing.entries),
        why: verdict.why.as_deref(),
        findings: verdict.findings.iter().map(finding).collect(),
    }
}

fn drift(found: &PartDrift) -> DriftReport<'_> {
    DriftReport { part: &found.part, recording: found.drift.recorded, words: &found.drift.words }
}

fn agreement_report(agreement: Agreement, targets: &[String]) -> Option<AgreementReport<'_>> {
    let name = |index: usize| targets.get(index).map(String::as_str);
    let of = |verdict| AgreementReport { verdict, odd_one_out: None, groups: Vec::new() };
    Some(match agreement {
        Agreement::Alone => return None,
        Agreement::All => of(AgreementWord::All),
        Agreement::OddOneOut(index) => {
            AgreementReport { odd_one_out: name(index), ..of(AgreementWord::OddOneOut) }
        }
        Agreement::ReferenceSuspected => of(AgreementWord::ReferenceSuspected),
        Agreement::Split(groups) => {
            let groups = groups.into_iter().map(|group| group.into_iter().filter_map(name).collect());
            AgreementReport { groups: groups.collect(), ..of(AgreementWord::Split) }
        }
    })
}

fn finding(finding: &Finding) -> FindingReport<'_> {
    FindingReport {
        status: finding.raw,
        class: class_name(finding.class()),
        reproduced_by: finding.explained.iter().map(|d| d.name()).collect(),
        together: finding.together,
        unchecked: finding.unchecked.as_deref(),
        nearest_deviation: finding.refuted.as_ref().map(nearest_deviation),
        instruction: finding.site.as_ref().map(|site| Instruction {
            text: &site.text,
            program_line: site.line,
            location: site.location.as_ref().map(place),
        }),
        nearest: finding.nearest.as_ref().map(|n| NearestReport { under: &n.under, of: n.of }),
        differences: finding.differences.iter().map(difference).collect(),
    }
}

fn nearest_deviation(refuted: &RefutedDeviation) -> NearestDeviation<'_> {
    let (refuting_rows, refuting_variant) = match &refuted.by {
        RefutedBy::Rows(rows) => (Some(*rows), None),
        RefutedBy::Variant { id, .. } => (None, Some(id.as_str())),
    };
    let refuted_by = refuted.example.as_deref().map(difference);
    NearestDeviation { name: refuted.deviation.name(), refuting_rows, refuting_variant, refuted_by }
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
    let of = |wanted: EntryChange| {
        review.changes.iter().filter(|c| c.comparison == wanted).map(|c| c.id.as_str()).collect()
    };
    Goldens {
        recorded: review.recorded,
        same: review.same,
        drifted: of(EntryChange::Drifted),
        differing: of(EntryChange::Differs),
        missing: of(EntryChange::Missing),
        orphans: &review.orphans,
        misplaced: &review.misplaced,
        removed: review.removed.iter().map(ToString::to_string).collect(),
        damaged: review.damaged.iter().map(|(path, error)| format!("{}: {error}", path.display())).collect(),
    }
}
