//! A variant with its verdicts as data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warpdiff_corpus::CorpusError;
use warpdiff_corpus::plan::Work;
use warpdiff_judge::reference_verdict::ReferenceVerdict;
use warpdiff_judge::surface_access::SurfaceAccess;
use warpdiff_judge::verdict_table::{Raw, Recorded, Settled, Specification};
use warpdiff_recordings::index::PartDrift;
use warpdiff_session::agreement::{Agreement, agreement};
use warpdiff_session::repeated::Repeated;
use warpdiff_session::session::Settling;
use warpdiff_session::verdict::{RecordedLaunches, TargetVerdict, Unanswered, Verdict};

use super::finding::{FindingLine, Place};

/// A variant with its verdicts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantLine {
    /// Unique: folder, file, title and matrix bindings.
    pub id: String,
    /// First folder under the corpus.
    pub subject: String,
    /// The place of the case.
    pub location: Place,
    /// Ids of the requirements it covers.
    pub covers: Vec<String>,
    /// Families of the instructions in its programs: `suld.b`, `atom.inc`.
    pub instructions: Vec<String>,
    /// The accesses to surfaces in its programs. Left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surface_accesses: Vec<SurfaceAccess>,
    /// Whether it is about the legality of a program, and has no launches. Left out if it has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub legality: bool,
    /// Rows of its table, or launches where it has none.
    pub rows: usize,
    /// The verdict of the reference.
    pub reference: ReferenceLine,
    /// The targets, in the order of the run.
    pub targets: Vec<TargetLine>,
    /// The agreement of several targets with each other and with the reference. Left out if fewer than two targets were judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<AgreementLine>,
    /// Time it took.
    pub seconds: f64,
}

/// The verdict of the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceLine {
    /// Its status.
    pub status: Raw,
    /// Its settled status.
    pub settled: Settled,
    /// Why it is not `conforms`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// Whether the case has no expectations, so that the reference alone decided. Left out if it has some.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decided_alone: bool,
}

/// An error of the corpus, or an undecided launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The message.
    pub message: String,
    /// The label of the caret.
    pub label: String,
    /// What stands below it, such as the elements of a file of values that are contradicted. Left out if there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The place.
    pub location: Place,
}

impl Problem {
    /// The data of an error.
    pub fn new(error: &CorpusError) -> Self {
        Self {
            message: error.message.clone(),
            label: error.label.clone(),
            notes: error.notes.clone(),
            location: Place::new(&error.location),
        }
    }
}

/// The verdict on one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetLine {
    /// Its name, as `--against` writes it.
    pub target: String,
    /// Its status: the worst of its launches.
    pub status: Raw,
    /// Its settled status, with expectations considered.
    pub settled: Settled,
    /// The axis of the specification, by `status`.
    pub specification: Specification,
    /// Whether the case is in a dialect that the target does not claim. Left out if it claims it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unclaimed: bool,
    /// The axis of the recording. Left out without a recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<Recorded>,
    /// The launches that the recording has and lacks. Left out without a recording.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub compared: RecordedLaunches,
    /// The launches that the target has and lacks, if it is a recording. Left out for any other.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub replayed: RecordedLaunches,
    /// The differences from the recording, launch by launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drifts: Vec<DriftLine>,
    /// Its launches without a verdict, where others decide the status. Left out if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<Unanswered>,
    /// The expectations that are about it, each with its place and what it expects, and the entries of the profile that show. They cover
    /// it if `settled` is `known-failure`, `known-flake`, `as-profiled` or `left-out`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<String>,
    /// What came of running it again. Left out if it was not to be run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated: Option<RepeatedLine>,
    /// Why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The findings, launch by launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingLine>,
}

impl TargetLine {
    /// Whether it differs from its recording in a way that counts.
    pub fn differs_from_recording(&self) -> bool {
        self.recording.is_some_and(|recorded| recorded.counts_beside(self.settled))
    }
}

/// What came of running a variant again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatedLine {
    /// How often it passed, and how the runs ended.
    #[serde(flatten)]
    pub runs: Repeated,
    /// The ends of the exact 95 % interval of the pass rate, from all these runs.
    pub interval: (f64, f64),
}

fn is_nothing(launches: &RecordedLaunches) -> bool {
    *launches == RecordedLaunches::default()
}

/// The agreement of several targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgreementLine {
    /// In one word.
    pub verdict: AgreementWord,
    /// For `odd-one-out`: the target that does something that is not allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odd_one_out: Option<String>,
    /// For `split`: the targets that do something that is not allowed, grouped by behaviour.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Vec<String>>,
}

/// The agreement in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgreementWord {
    /// Every target that was judged does what is allowed.
    All,
    /// One target does something that is not allowed; the others do not.
    OddOneOut,
    /// All do the same, it is not allowed, and they are more than one implementation: the reference is suspect.
    ReferenceSuspected,
    /// Several targets do something that is not allowed: not the same, or not all of them, or they are one implementation at several levels.
    Split,
}

/// The difference of one launch from the recording of a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriftLine {
    /// The rows of the launch: `row 3`, `rows 0 to 7`, `whole`.
    pub part: String,
    /// Whether the difference counts: `drifted`, or `alike` for undefined bits only.
    pub recording: Recorded,
    /// The difference in words.
    pub words: String,
}

impl VariantLine {
    /// The data of a verdict. `targets` are the names.
    pub fn new(verdict: &Verdict<'_>, targets: &[String], settling: &Settling) -> Self {
        let each = verdict.targets.iter().zip(targets);
        let sound = settling.reference(verdict) == Settled::Pass;
        Self {
            id: verdict.variant.id.clone(),
            subject: verdict.variant.subject.to_string(),
            location: Place::new(&verdict.variant.location),
            covers: verdict.variant.covers.to_vec(),
            instructions: verdict.instructions.iter().cloned().collect(),
            surface_accesses: verdict.surface_accesses.iter().cloned().collect(),
            legality: matches!(verdict.variant.work, Work::Legality(_)),
            rows: verdict.rows,
            reference: reference(verdict, settling.reference(verdict)),
            targets: each.map(|(t, name)| target(t, name, settling.target(verdict, t))).collect(),
            agreement: sound.then(|| agreement_line(agreement(verdict, targets), targets)).flatten(),
            seconds: verdict.elapsed.as_secs_f64(),
        }
    }
}

fn reference(verdict: &Verdict<'_>, settled: Settled) -> ReferenceLine {
    let ReferenceVerdict { raw, problems, .. } = &verdict.reference;
    ReferenceLine {
        status: *raw,
        settled,
        problems: problems.iter().map(Problem::new).collect(),
        decided_alone: verdict.variant.states_nothing(),
    }
}

fn target(verdict: &TargetVerdict, name: &str, settled: Settled) -> TargetLine {
    TargetLine {
        target: name.into(),
        status: verdict.raw,
        settled,
        specification: verdict.raw.specification(),
        unclaimed: verdict.unclaimed,
        recording: verdict.recorded,
        compared: verdict.compared,
        replayed: verdict.replayed,
        drifts: verdict.drifts.iter().map(drift).collect(),
        unanswered: verdict.unanswered.clone(),
        expectations: verdict
            .listed
            .iter()
            .flat_map(|listing| &listing.entries)
            .map(|(_, words)| words.clone())
            .collect(),
        repeated: verdict
            .repeated
            .as_ref()
            .map(|runs| RepeatedLine { interval: runs.runs().interval(), runs: runs.clone() }),
        why: verdict.why.clone(),
        findings: verdict.findings.iter().map(FindingLine::new).collect(),
    }
}

fn drift(found: &PartDrift) -> DriftLine {
    DriftLine { part: found.part.clone(), recording: found.drift.recorded, words: found.drift.words.clone() }
}

fn agreement_line(agreement: Agreement, targets: &[String]) -> Option<AgreementLine> {
    let name = |index: usize| targets.get(index).cloned();
    let of = |verdict| AgreementLine { verdict, odd_one_out: None, groups: Vec::new() };
    Some(match agreement {
        Agreement::Alone => return None,
        Agreement::All => of(AgreementWord::All),
        Agreement::OddOneOut(index) => {
            AgreementLine { odd_one_out: name(index), ..of(AgreementWord::OddOneOut) }
        }
        Agreement::ReferenceSuspected => of(AgreementWord::ReferenceSuspected),
        Agreement::Split(groups) => {
            let groups = groups.into_iter().map(|group| group.into_iter().filter_map(name).collect());
            AgreementLine { groups: groups.collect(), ..of(AgreementWord::Split) }
        }
    })
}
