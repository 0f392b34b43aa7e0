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
use warpdiff_judge::finding::{Applied, Difference, Finding, RefutedBy, RefutedDeviation};
use warpdiff_judge::machine_code::{MachineCode, MachineWord};
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
    /// For each target the folder of the recording that it was compared with, or null.
    recordings: &'a [Option<String>],
    /// For each target the number of launches, and of programs for an assembler, that this recording has and lacks; or null.
    recorded_launches: Vec<Option<RecordedLaunches>>,
    /// For each target that is a recording the number of launches and programs that it has and lacks; null for any other.
    replayed_launches: Vec<Option<RecordedLaunches>>,
    /// Each variant that ran, in the order of the corpus.
    variants: Vec<Variant<'a>>,
    /// Reasons of variants without a verdict: each once, the most frequent of each target first.
    not_judged: Vec<ReasonReport<'a>>,
    /// The comparison with the goldens, unless it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    goldens: Option<Goldens<'a>>,
    /// Wall time in seconds.
    seconds: f64,
    /// The exit code, in words.
    exit: Exit,
    /// The exit code.
    exit_code: u8,
}

#[derive(Serialize, JsonSchema)]
struct Variant<'a> {
    /// Unique: folder, file, title and matrix bindings.
    id: &'a str,
    /// First folder under the corpus.
    subject: &'a str,
    /// The place of the case.
    location: Place,
    /// Ids of the requirements it covers.
    covers: &'a [String],
    /// Rows of its table, or launches where it has none.
    rows: usize,
    /// The verdict of the reference.
    reference: Reference,
    /// The targets, in the order of `targets` of the report.
    targets: Vec<Target<'a>>,
    /// The agreement of several targets with each other and with the reference. Left out if fewer than two targets were judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    agreement: Option<AgreementReport<'a>>,
    /// Time it took.
    seconds: f64,
}

#[derive(Serialize, JsonSchema)]
struct Reference {
    /// Its status.
    status: Raw,
    /// Its settled status.
    settled: Settled,
    /// Why it is not `conforms`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    /// Whether the case has no expectations, so that the reference alone decided. Left out if it has some.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    decided_alone: bool,
}

#[derive(Serialize, JsonSchema)]
struct Problem {
    /// The message.
    message: String,
    /// The label of the caret.
    label: String,
    /// The place.
    location: Place,
}

#[derive(Serialize, JsonSchema)]
struct Target<'a> {
    /// Its name, as `--against` writes it.
    target: &'a str,
    /// Its status: the worst of its launches.
    status: Raw,
    /// Its settled status, with known failures considered.
    settled: Settled,
    /// The axis of the specification, by `status`.
    specification: Specification,
    /// The axis of the recording. Left out without a recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<Recorded>,
    /// The differences from the recording, launch by launch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drifts: Vec<DriftReport<'a>>,
    /// Entries of the list of known failures, each with its place and its cause. They excuse it if `settled` is `known-failure`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    known: &'a [String],
    /// Why there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    /// The findings, launch by launch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingReport<'a>>,
}

/// The agreement of several targets.
#[derive(Serialize, JsonSchema)]
struct AgreementReport<'a> {
    /// In one word.
    verdict: AgreementWord,
    /// For `odd-one-out`: the target that does something that is not allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    odd_one_out: Option<&'a str>,
    /// For `split`: the targets that do something that is not allowed, grouped by behaviour.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<Vec<&'a str>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum AgreementWord {
    /// Every target that was judged does what is allowed.
    All,
    /// One target does something that is not allowed; the others do not.
    OddOneOut,
    /// All do the same, and it is not allowed: the reference is suspect.
    ReferenceSuspected,
    /// Several targets, but not all, do something that is not allowed, or they do different things.
    Split,
}

/// The difference of one launch from the recording of a target.
#[derive(Serialize, JsonSchema)]
struct DriftReport<'a> {
    /// The rows of the launch: `row 3`, `rows 0 to 7`, `whole`.
    part: &'a str,
    /// Whether the difference counts: `drifted`, or `alike` for undefined bits only.
    recording: Recorded,
    /// The difference in words.
    words: &'a str,
}

/// In how many programs a compiler did what it does in some.
#[derive(Serialize, JsonSchema)]
struct AppliedReport<'a> {
    /// The variants of the run in which it did.
    variants: usize,
    /// All variants of the run with the instruction that the target answered.
    of: usize,
    /// The family of the instruction: `ld`.
    instruction: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct FindingReport<'a> {
    /// The status of the launch.
    status: Raw,
    /// Class of the mismatch: `clamp behaviour`, `alignment`, …
    class: &'static str,
    /// Deviations that each reproduce everything observed: of every launch of the variant, right or wrong, and of the instruction
    /// in the run.
    reproduced_by: Vec<&'static str>,
    /// Whether only all of `reproduced_by` together reproduce it. Left out if each does alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    together: bool,
    /// Why `reproduced_by` was not checked against everything observed of the instruction. Left out if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<&'a str>,
    /// Of deviations that a compiler applies in some programs: in how many. Left out for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    applied: Option<AppliedReport<'a>>,
    /// The nearest deviation, if `reproduced_by` is empty. Left out if none explains any of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest_deviation: Option<NearestDeviation<'a>>,
    /// The instruction it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<Instruction<'a>>,
    /// The machine words that the target's compiler made of the instruction's line. Left out for targets that run no machine code,
    /// and where there is no line table.
    #[serde(skip_serializing_if = "Option::is_none")]
    machine_code: Option<MachineCodeReport<'a>>,
    /// The nearest outcome, which `expected` belongs to, if several are permitted.
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
    /// Its place in the corpus, if it was copied from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Place>,
}

/// What a compiler made of a line of PTX.
#[derive(Serialize, JsonSchema)]
struct MachineCodeReport<'a> {
    /// The compiler with its level: `ptxas V12.9.86 at -O3`.
    compiler: &'a str,
    /// The words, by address. Empty if the compiler left the line out, or made it part of another line's words.
    words: Vec<MachineWordReport<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct MachineWordReport<'a> {
    /// Address in bytes from the beginning of the kernel's code.
    address: u32,
    /// The word, 16 digits in hexadecimal.
    word: String,
    /// Its text, as assembler of SPA 5.0.
    text: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct NearestReport<'a> {
    /// Its alternatives of the choices in which the permitted outcomes differ: `sust.p.integer-range=wrapped`.
    under: &'a [String],
    /// How many outcomes are permitted.
    of: usize,
}

/// A deviation that explains some of the mismatches, and what refutes it.
#[derive(Serialize, JsonSchema)]
struct NearestDeviation<'a> {
    /// Its name.
    name: &'static str,
    /// How many rows of the variant refute it. Left out if another variant refutes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    refuting_rows: Option<usize>,
    /// Id of the variant that refutes it. Left out if it is this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    refuting_variant: Option<&'a str>,
    /// A difference that refutes it: `expected` and `defined` are the deviation's prediction.
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
    /// The place of the row.
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
    /// The allowed bytes, in hexadecimal.
    expected: String,
    /// Mask of the compared bits of `expected`.
    defined: String,
    /// The observed bytes.
    observed: String,
    /// The difference in words.
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
    /// Variants in which only undefined bits changed.
    drifted: Vec<&'a str>,
    /// Variants that differ.
    differing: Vec<&'a str>,
    /// Variants that are not recorded.
    missing: Vec<&'a str>,
    /// Goldens that belong to no variant.
    orphans: &'a [String],
    /// Goldens of variants that belong to another file.
    misplaced: &'a [String],
    /// Contents that `--bless` removed, and why.
    removed: Vec<String>,
    /// Files that cannot be used, and why.
    damaged: Vec<String>,
}

/// The JSON Schema of a report.
pub fn schema() -> Schema {
    // The schema of output: fields that are left out when empty are not required.
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Report<'static>>()
}

/// The document in place of a report after a failure: `error` says why, without colours.
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

fn applied(applied: &Applied) -> AppliedReport<'_> {
    let Applied { variants, of, instruction } = applied;
    AppliedReport { variants: *variants, of: *of, instruction }
}

fn finding(finding: &Finding) -> FindingReport<'_> {
    FindingReport {
        status: finding.raw,
        class: class_name(finding.class()),
        reproduced_by: finding.explained.iter().map(|d| d.name()).collect(),
        together: finding.together,
        unchecked: finding.unchecked.as_deref(),
        applied: finding.applied.as_ref().map(applied),
        nearest_deviation: finding.refuted.as_ref().map(nearest_deviation),
        instruction: finding.site.as_ref().map(|site| Instruction {
            text: &site.text,
            program_line: site.line,
            location: site.location.as_ref().map(place),
        }),
        machine_code: finding.machine_code.as_ref().map(machine_code),
        nearest: finding.nearest.as_ref().map(|n| NearestReport { under: &n.under, of: n.of }),
        differences: finding.differences.iter().map(difference).collect(),
    }
}

fn machine_code(code: &MachineCode) -> MachineCodeReport<'_> {
    let word = |word: &'_ MachineWord| format!("{:016x}", word.word);
    let words =
        code.words.iter().map(|it| MachineWordReport { address: it.address, word: word(it), text: &it.text });
    MachineCodeReport { compiler: &code.compiler, words: words.collect() }
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
