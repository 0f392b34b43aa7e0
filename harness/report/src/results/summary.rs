//! The summary of results: counts, causes, reasons and the exit code, from the lines of the variants alone, so that a run and the
//! joined shards of one have the same summary.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::exit_facts::{ExitFacts, exit_of_target};
use warpdiff_judge::verdict_table::{Raw, Settled};
use warpdiff_session::causes;
use warpdiff_session::notice::Notice;
use warpdiff_session::verdict::{RecordedLaunches, Unanswered};

use super::diagnosis::DiagnosisLine;
use super::finding::{FindingLine, Place};
use super::variant::{TargetLine, VariantLine};
use crate::golden::compare::EntryChange;
use crate::golden::store::Review;
use crate::reasons::{self, REFERENCE};

/// The last line of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryLine {
    /// Why the run was ended before all variants were judged. Left out if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// The number of variants that were judged.
    pub variants: usize,
    /// Rows of their tables.
    pub rows: usize,
    /// The ids of the variants that were left out because the run was ended early.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// What else kept the run from its end: targets that broke down, recordings that lack launches. Each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
    /// The number of variants by the settled status of the reference.
    pub reference: BTreeMap<Settled, usize>,
    /// The targets, in the order of the run.
    pub targets: Vec<TargetSummary>,
    /// Reasons of variants without a verdict: each once, the most frequent of each target first.
    pub not_judged: Vec<ReasonLine>,
    /// What is out of date in the expectations and profiles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<NoticeLine>,
    /// The comparison with the goldens. Left out if it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goldens: Option<GoldensLine>,
    /// How many answers are of earlier runs (`run --resume`): the targets were not asked for them in this one. Left out if none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub resumed: usize,
    /// Wall time in seconds.
    pub seconds: f64,
    /// The exit code, in words.
    pub exit: Exit,
    /// The exit code.
    pub exit_code: u8,
}

/// The counts and causes of one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetSummary {
    /// Its name.
    pub target: String,
    /// The number of variants by settled status.
    pub counts: BTreeMap<Settled, usize>,
    /// The causes of its mismatches, the most frequent first.
    pub causes: Vec<CauseLine>,
    /// What it does instead, over the whole run: one for each cause. Of joined shards, what was found in each. Left out if there is nothing to
    /// explain, and by earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnoses: Vec<DiagnosisLine>,
    /// The launches, and programs for an assembler, that the recording which it is compared with has and lacks.
    pub compared: RecordedLaunches,
    /// Those that it has and lacks itself, if it is a recording.
    pub replayed: RecordedLaunches,
}

/// A cause of mismatches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CauseLine {
    /// In words: `clamp behaviour, reproduced by suld.clamp-as-zero`.
    pub words: String,
    /// Class of the mismatch.
    pub class: String,
    /// The deviations that reproduce it.
    pub deviations: Vec<String>,
    /// The ids of the variants, in the order of their lines.
    pub variants: Vec<String>,
    /// How many of them the expectations cover, or the profile knows. Left out if none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub expected: usize,
}

/// A reason of variants without a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReasonLine {
    /// The target that has no verdict, or `reference`.
    pub target: String,
    /// The status.
    pub status: Raw,
    /// The reason.
    pub why: String,
    /// The number of variants.
    pub variants: usize,
}

/// What is out of date in the expectations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoticeLine {
    /// `unexpected pass`, `stale expectation`, `expectation that matches nothing` or `expired expectation`; of profiles `stale in the
    /// profile` or `other choice than in the profile`.
    pub kind: String,
    /// The place of the entry, what it expects, and what is the matter.
    pub words: String,
    /// The place of the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Place>,
}

impl NoticeLine {
    /// The data of a notice.
    pub fn new(notice: &Notice) -> Self {
        Self {
            kind: notice.kind.to_string(),
            words: notice.words.clone(),
            location: Some(Place::new(&notice.location)),
        }
    }
}

/// The comparison with the goldens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GoldensLine {
    /// Whether there are goldens.
    pub recorded: bool,
    /// Variants as recorded.
    pub same: usize,
    /// Variants in which only undefined bits changed.
    pub drifted: Vec<String>,
    /// Variants that differ.
    pub differing: Vec<String>,
    /// Variants that are not recorded.
    pub missing: Vec<String>,
    /// Goldens that belong to no variant.
    pub orphans: Vec<String>,
    /// Goldens of variants that belong to another file.
    pub misplaced: Vec<String>,
    /// Contents that `--bless` removed, and why.
    pub removed: Vec<String>,
    /// Files that cannot be used, and why.
    pub damaged: Vec<String>,
}

/// What is known when the run is over, besides the lines of the variants.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// Why the run was ended early, if it was.
    pub partial: Option<String>,
    /// The ids of the variants that were left out.
    pub left_out: Vec<String>,
    /// Targets that broke down and recordings that lack launches, with the reasons.
    pub broken: Vec<String>,
    /// What is out of date in the expectations.
    pub expectations: Vec<NoticeLine>,
    /// The comparison with the goldens.
    pub goldens: Option<GoldensLine>,
    /// How many answers are of earlier runs.
    pub resumed: usize,
    /// What each target does instead, by its place in the run.
    pub diagnoses: Vec<Vec<DiagnosisLine>>,
    /// Wall time in seconds.
    pub seconds: f64,
}

impl Ending {
    /// Adds what a part of the run found of each target.
    pub(super) fn add_diagnoses(&mut self, targets: &[TargetSummary]) {
        self.diagnoses.resize(self.diagnoses.len().max(targets.len()), Vec::new());
        for (known, target) in self.diagnoses.iter_mut().zip(targets) {
            for diagnosis in &target.diagnoses {
                if !known.iter_mut().any(|one| one.add(diagnosis)) {
                    known.push(diagnosis.clone());
                }
            }
            known.sort_by_key(|diagnosis| Reverse(diagnosis.wrong));
        }
    }
}

/// Counts lines of variants.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    variants: usize,
    rows: usize,
    reference: BTreeMap<Settled, usize>,
    /// By the target's place in the run.
    targets: Vec<TargetTally>,
    /// By the target's place, none for the reference.
    reasons: BTreeMap<(Option<usize>, Raw, String), usize>,
}

/// Counts lines about one target.
#[derive(Clone, Debug, Default)]
struct TargetTally {
    name: String,
    counts: BTreeMap<Settled, usize>,
    causes: BTreeMap<String, CauseLine>,
    compared: RecordedLaunches,
    replayed: RecordedLaunches,
    facts: BTreeSet<ExitFacts>,
}

impl Tally {
    /// Nothing yet of these targets.
    pub fn new<'n>(targets: impl IntoIterator<Item = &'n str>) -> Self {
        let of = |name: &str| TargetTally { name: name.into(), ..TargetTally::default() };
        Self { targets: targets.into_iter().map(of).collect(), ..Self::default() }
    }

    /// Counts a variant.
    pub fn add(&mut self, line: &VariantLine) {
        self.variants += 1;
        self.rows += line.rows;
        let reference = line.reference.settled;
        *self.reference.entry(reference).or_default() += 1;
        if reference == Settled::Skip {
            let why = line.reference.problems.first().map_or("", |problem| problem.message.as_str());
            *self.reasons.entry((None, line.reference.status, why.into())).or_default() += 1;
        }
        for (place, (tally, target)) in self.targets.iter_mut().zip(&line.targets).enumerate() {
            tally.add(line, target);
            let unanswered = matches!(
                target.settled,
                Settled::Skip | Settled::Undecided | Settled::Error | Settled::Characterised
            );
            let counts = matches!(reference, Settled::Pass | Settled::Skip);
            if counts && unanswered && reasons::is_own(reference, target.settled, target.status) {
                let why = target.why.clone().unwrap_or_default();
                *self.reasons.entry((Some(place), target.status, why)).or_default() += 1;
            } else if let Some(Unanswered { status, why, .. }) = &target.unanswered
                && reference == Settled::Pass
            {
                *self.reasons.entry((Some(place), *status, why.clone())).or_default() += 1;
            }
        }
    }

    /// The exit code by the lines alone, without goldens and lists.
    pub fn exit(&self) -> Exit {
        let reference = self.reference.keys().map(|settled| settled.exit());
        let targets = self.targets.iter().map(|target| exit_of_target(&target.facts));
        reference.chain(targets).fold(Exit::Conforms, Exit::and)
    }

    /// The summary.
    pub fn summary(self, ending: Ending, exit: Exit) -> SummaryLine {
        let names: Vec<String> = self.targets.iter().map(|target| target.name.clone()).collect();
        let mut reasons: Vec<_> = self.reasons.into_iter().collect();
        reasons.sort_by_key(|((place, ..), count)| (*place, Reverse(*count)));
        let of = |place: Option<usize>| place.map_or(REFERENCE, |place| names[place].as_str()).to_owned();
        let reason =
            |((place, status, why), variants)| ReasonLine { target: of(place), status, why, variants };
        SummaryLine {
            partial: ending.partial,
            variants: self.variants,
            rows: self.rows,
            left_out: ending.left_out,
            broken: ending.broken,
            reference: self.reference,
            not_judged: reasons.into_iter().map(reason).collect(),
            targets: self
                .targets
                .into_iter()
                .zip(ending.diagnoses.into_iter().chain(std::iter::repeat(Vec::new())))
                .map(|(target, diagnoses)| TargetSummary { diagnoses, ..target.summary() })
                .collect(),
            expectations: ending.expectations,
            goldens: ending.goldens,
            resumed: ending.resumed,
            seconds: ending.seconds,
            exit,
            exit_code: exit.code(),
        }
    }
}

impl TargetTally {
    fn add(&mut self, line: &VariantLine, target: &TargetLine) {
        *self.counts.entry(target.settled).or_default() += 1;
        self.compared = self.compared.and(target.compared);
        self.replayed = self.replayed.and(target.replayed);
        self.facts.insert(ExitFacts {
            launched: !line.legality,
            unclaimed: target.unclaimed,
            settled: target.settled,
            recorded: target.recording,
            unanswered: target.unanswered.is_some(),
        });
        if let Some(finding) = cause(&target.findings) {
            let words = words(finding);
            let new = || CauseLine {
                words: words.clone(),
                class: finding.class.clone(),
                deviations: finding.reproduced_by.clone(),
                variants: Vec::new(),
                expected: 0,
            };
            let cause = self.causes.entry(words.clone()).or_insert_with(new);
            cause.variants.push(line.id.clone());
            let covered =
                matches!(target.settled, Settled::KnownFailure | Settled::KnownFlake | Settled::AsProfiled);
            cause.expected += usize::from(covered);
        }
    }

    fn summary(self) -> TargetSummary {
        let mut causes: Vec<CauseLine> = self.causes.into_values().collect();
        causes.sort_by_key(|cause| Reverse(cause.variants.len()));
        TargetSummary {
            target: self.name,
            counts: self.counts,
            causes,
            diagnoses: Vec::new(),
            compared: self.compared,
            replayed: self.replayed,
        }
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The finding that shows the cause of a variant's mismatches: the first that deviations explain, or the first.
pub fn cause(findings: &[FindingLine]) -> Option<&FindingLine> {
    findings.iter().find(|finding| !finding.reproduced_by.is_empty()).or(findings.first())
}

/// The cause of a finding in words.
pub fn words(finding: &FindingLine) -> String {
    let names: Vec<&str> = finding.reproduced_by.iter().map(String::as_str).collect();
    let family = finding.instruction.as_ref().map(|instruction| instruction.family.as_str());
    let family = family.filter(|family| !family.is_empty());
    causes::words(&finding.class, family, &names, finding.together, finding.unchecked.is_some())
}

impl GoldensLine {
    /// The data of a comparison.
    pub fn new(review: &Review) -> Self {
        let of = |wanted: EntryChange| {
            review.changes.iter().filter(|c| c.comparison == wanted).map(|c| c.id.clone()).collect()
        };
        Self {
            recorded: review.recorded,
            same: review.same,
            drifted: of(EntryChange::Drifted),
            differing: of(EntryChange::Differs),
            missing: of(EntryChange::Missing),
            orphans: review.orphans.clone(),
            misplaced: review.misplaced.clone(),
            removed: review.removed.iter().map(ToString::to_string).collect(),
            damaged: review
                .damaged
                .iter()
                .map(|(path, error)| format!("{}: {error}", path.display()))
                .collect(),
        }
    }
}
