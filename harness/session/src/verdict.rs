//! The verdict over a variant: what the reference makes of it, and what each target earns.

use std::collections::BTreeSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use warpdiff_corpus::CorpusError;
use warpdiff_corpus::plan::Variant;
use warpdiff_emulator::CompileError;
use warpdiff_judge::diagnose::{Diagnosis, Seen, diagnose, is_comparable};
use warpdiff_judge::finding::{Against, Explanation, Finding, Refuted, counterexample, finding};
use warpdiff_judge::golden_text;
use warpdiff_judge::hazards;
use warpdiff_judge::judgement::{self, contradictions, indeterminate};
use warpdiff_judge::reference::{ReferenceError, ReferenceVerdict, Unit};
use warpdiff_judge::status::{Raw, Recorded, Specification};
use warpdiff_model::{Admission, Mismatch, MismatchClass, Observation, Outcome, Permitted};
use warpdiff_recordings::index::{Held, PartDrift};
use warpdiff_targets::{Answer, Target};
use warpdiff_worker::supervisor::{PROCESS, PROTOCOL};

use crate::kept_observations::Kept;
use crate::known_failures::Listing;
use crate::prepared_variant::{self, Inquiry};

/// What a target earns on a variant.
#[derive(Clone, Debug)]
pub struct TargetVerdict {
    /// Its status: the worst of its launches.
    pub raw: Raw,
    /// What is wrong, launch by launch.
    pub findings: Vec<Finding>,
    /// Why there is no verdict, where there is none.
    pub why: Option<String>,
    /// Whether it did what is recorded of it: the worst of its launches. `None` where nothing was held against a recording.
    pub recorded: Option<Recorded>,
    /// What differs from the recording, launch by launch.
    pub drifts: Vec<PartDrift>,
    /// Whether the case is in a dialect that the target does not claim: what it did is characterised, not judged.
    pub unclaimed: bool,
    /// What a recording that it is held against has of its launches.
    pub held: RecordedLaunches,
    /// Of a target that is a recording: what that has of the launches.
    pub replayed: RecordedLaunches,
    /// What a list of known failures says of it.
    pub listed: Option<Listing>,
    /// What it did, until the run is over. `None` where it was not asked, or did too much to be kept.
    pub(crate) kept: Option<Kept>,
}

/// How many launches, or programs put to an assembler, a recording has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecordedLaunches {
    /// It has these.
    pub found: usize,
    /// These it lacks: or it has another launch under their names.
    pub absent: usize,
}

impl RecordedLaunches {
    /// Counts one more.
    pub fn count(&mut self, found: bool) {
        *if found { &mut self.found } else { &mut self.absent } += 1;
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { found: self.found + other.found, absent: self.absent + other.absent }
    }
}

/// The verdict over a variant.
pub struct Verdict<'a> {
    /// The variant.
    pub variant: &'a Variant,
    /// Rows of its table, or launches where it has none; 1 for a question of legality.
    pub rows: usize,
    /// What the reference makes of it.
    pub reference: ReferenceVerdict,
    /// What each target earns, in the order they were given.
    pub targets: Vec<TargetVerdict>,
    /// Families of the instructions that its programs have: `suld.b`, `atom.inc`.
    pub instructions: BTreeSet<String>,
    /// How long it took.
    pub elapsed: Duration,
}

/// Runs a variant on the reference and on every target, launch by launch.
pub fn verdict<'a>(variant: &'a Variant, targets: &[Box<dyn Target>]) -> Verdict<'a> {
    Inquiry::new(variant).judged(targets, Vec::new())
}

impl TargetVerdict {
    /// A verdict with nothing more to say.
    pub fn new(raw: Raw) -> Self {
        Self {
            raw,
            findings: Vec::new(),
            why: None,
            recorded: None,
            drifts: Vec::new(),
            unclaimed: false,
            held: RecordedLaunches::default(),
            replayed: RecordedLaunches::default(),
            listed: None,
            kept: None,
        }
    }

    /// Of a target that was not asked, and why.
    pub(crate) fn without(why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), ..Self::new(Raw::NotRun) }
    }
}

/// The verdict where the reference has no answer.
pub(crate) fn unanswered(variant: &Variant, error: &ReferenceError) -> ReferenceVerdict {
    let (raw, message) = match error {
        ReferenceError::Program(CompileError::Rejected(diagnostics)) => {
            let words: Vec<_> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            (Raw::Contradicted, format!("the program is rejected: {}", words.join("; ")))
        }
        ReferenceError::Program(CompileError::Unsupported(what)) => (Raw::Unsupported, what.clone()),
        ReferenceError::Launch(what) => {
            (Raw::Contradicted, format!("the launch does not fit the program: {what}"))
        }
    };
    let problem = CorpusError::new(variant.location.clone(), message);
    let recording = format!("  unanswered: {error}\n");
    ReferenceVerdict { raw, problems: vec![problem], recording }
}

/// What the reference makes of the launches: expectations it contradicts, and launches it cannot decide.
pub(crate) fn referred(variant: &Variant, units: &[Unit<'_>]) -> ReferenceVerdict {
    let mut raw = Raw::Conforms;
    let mut problems = Vec::new();
    for unit in units {
        if let Some((place, origin)) = indeterminate(unit) {
            raw = raw.max(Raw::Indeterminate);
            let location = unit.planned.rows.first().map_or(&variant.location, |row| &row.location).clone();
            let message = format!("the specification does not decide the launch: {place}, {origin}");
            problems.push(CorpusError::new(location, message));
            continue;
        }
        if let Some(stop) = unstated_stop(unit) {
            raw = raw.max(Raw::Contradicted);
            let message = "a whole program that states no `expect` has to complete";
            problems.push(CorpusError::new(variant.location.clone(), message).label(stop));
            continue;
        }
        let contradictions = contradictions(unit);
        let hazards = if contradictions.is_empty() { Vec::new() } else { hazards::of(unit) };
        for found in contradictions {
            raw = raw.max(Raw::Contradicted);
            let message = format!("the reference contradicts {}", found.expectation.subject);
            let problem = CorpusError::new(found.expectation.location, message).label(found.instead);
            // What is undefined where a value is stated is mostly so because of one of these.
            problems.push(hazards.iter().fold(problem, |problem, hazard| problem.note(hazard.to_string())));
        }
    }
    ReferenceVerdict { raw, problems, recording: golden_text::launches(units) }
}

/// How the reference ends a launch of which nothing is stated, where it cannot complete. Such a case would pass whatever the author
/// meant, most likely because `expect` was forgotten.
fn unstated_stop(unit: &Unit<'_>) -> Option<String> {
    let outcomes = &unit.allowed.outcomes;
    let completes = |outcome: &Outcome| matches!(outcome.permitted, Permitted::Completed { .. });
    if !unit.planned.states_nothing() || outcomes.iter().any(completes) {
        return None;
    }
    Some(format!("the reference {}", judgement::describe(outcomes.first()?)))
}

/// What a target earns that did this with the launches of a variant. It is held against what is recorded of it, where there is a
/// recording, and against SPA 5.0 where it claims that.
pub(crate) fn earned(
    variant: &Variant,
    units: &[Unit<'_>],
    seen: &[prepared_variant::Seen],
    target: &dyn Target,
) -> TargetVerdict {
    let recording = target.recording();
    if units.len() != seen.len() {
        let why = format!("warpdiff failed: {} answers to {} launches", seen.len(), units.len());
        return TargetVerdict { why: Some(why), ..TargetVerdict::new(Raw::Broken) };
    }
    let is_spa = units.first().is_some_and(|unit| unit.compiled.program.is_spa());
    let unclaimed = is_spa && !target.claims_spa();
    let mut verdict = TargetVerdict { unclaimed, ..TargetVerdict::new(Raw::Conforms) };
    let hold = |unit: &Unit<'_>, answer: &Answer| {
        recording.and_then(|index| index.hold(&variant.id, unit, &answer.observation))
    };
    let mut asked: Vec<(&Unit<'_>, &Answer)> = Vec::new();
    for (unit, seen) in units.iter().zip(seen) {
        verdict.hold(hold(unit, &seen.whole));
        if target.replays() {
            verdict.replay(seen);
        }
        if seen.rows.is_empty() {
            asked.push((unit, &seen.whole));
        }
        for (row, answer) in &seen.rows {
            asked.push((row, answer));
            verdict.hold(hold(row, answer));
        }
    }
    let earned: Vec<Earned> = asked.iter().map(|(unit, answer)| verdict.judge(unit, answer)).collect();
    let answered = earned.iter().filter(|earned| earned.is_judged).count();
    if earned.iter().any(|earned| earned.is_wrong) {
        verdict.findings = findings(&asked, unclaimed, &explanation(&asked));
    }
    if unclaimed {
        verdict.characterise(answered, asked.len());
    }
    verdict.kept = Kept::of(units, seen);
    verdict
}

/// What explains a variant, as far as its own launches tell.
fn explanation(asked: &[(&Unit<'_>, &Answer)]) -> Explanation {
    let seen: Vec<_> =
        asked.iter().map(|(unit, answer)| Seen { unit, observation: &answer.observation }).collect();
    let Diagnosis { exact, nearest } = diagnose(&seen);
    let refuted = nearest.map(|nearest| {
        let Seen { unit, observation } = seen[nearest.launch];
        Refuted {
            deviation: nearest.deviation,
            by: Against::Rows(nearest.rows),
            example: counterexample(unit, observation, &nearest.refutation),
        }
    });
    Explanation { deviations: exact, refuted, ..Explanation::default() }
}

/// The findings over the launches of a variant that are not as they should be, all put down to the same.
pub(crate) fn findings(
    asked: &[(&Unit<'_>, &Answer)],
    unclaimed: bool,
    explanation: &Explanation,
) -> Vec<Finding> {
    let one = |(unit, answer): &(&Unit<'_>, &Answer)| {
        let observation = &answer.observation;
        let admission = judgement::admission(unit, observation);
        let earned = judgement::raw(observation, &admission);
        let raw = if unclaimed { earned.unclaimed() } else { earned };
        let Admission::Violates { mut mismatches } = admission else { return None };
        of_a_process(observation, answer.said.as_deref(), &mut mismatches);
        // A process that died says nothing of semantics.
        let explanation = match is_comparable(unit, observation) {
            true => explanation,
            false => &Explanation::default(),
        };
        Some(finding(unit, observation, raw, &mismatches, explanation))
    };
    let mut findings: Vec<Finding> = asked.iter().filter_map(one).collect();
    agree_on_class(&mut findings);
    findings
}

impl TargetVerdict {
    /// This verdict with how an answer was held against the recording.
    pub(crate) fn held(mut self, held: Option<Held>) -> Self {
        self.hold(held);
        self
    }

    /// Adds how a launch was held against the recording.
    fn hold(&mut self, held: Option<Held>) {
        if let Some(held) = held {
            self.held.count(held.recorded != Recorded::Absent);
            self.recorded = self.recorded.max(Some(held.recorded));
            self.drifts.extend(held.drift);
        }
    }

    /// Counts what a target that is a recording had of a launch.
    fn replay(&mut self, seen: &prepared_variant::Seen) {
        let answers = std::iter::once(&seen.whole).chain(seen.rows.iter().map(|(_, answer)| answer));
        // A recording keeps no launch that was not run: what is not run of it is not there.
        let found = answers.map(|answer| !matches!(answer.observation, Observation::NotRun { .. }));
        found.for_each(|found| self.replayed.count(found));
    }

    /// Says what is characterised: of so many of all launches there is something to say. Those that could not be put to the target
    /// hide none of the others.
    fn characterise(&mut self, answered: usize, all: usize) {
        if answered == 0 {
            return;
        }
        let missing = match &self.why {
            Some(why) if answered < all => format!("; of {} of {all} launches: {why}", all - answered),
            _ => String::new(),
        };
        if matches!(self.raw, Raw::NotRun | Raw::Unsupported) {
            self.raw = Raw::Characterised;
        }
        let differs = match self.findings.is_empty() {
            true => "PTX in its place does what SPA 5.0 says",
            false => "PTX in its place does something else than SPA 5.0 says",
        };
        self.why = Some(format!("{differs}{missing}"));
    }

    /// Adds one launch.
    fn judge(&mut self, unit: &Unit<'_>, answer: &Answer) -> Earned {
        let observation = &answer.observation;
        let admission = judgement::admission(unit, observation);
        let earned = judgement::raw(observation, &admission);
        let raw = if self.unclaimed { earned.unclaimed() } else { earned };
        self.raw = self.raw.max(raw);
        let is_wrong = matches!(admission, Admission::Violates { .. });
        if let Admission::Indeterminate { why } | Admission::NotJudged { why } = admission {
            self.why = self.why.take().or(Some(why));
        }
        Earned { is_judged: raw.specification() != Specification::NotJudged, is_wrong }
    }
}

/// What one launch earned.
struct Earned {
    /// The target had an answer to it.
    is_judged: bool,
    /// The answer is not allowed.
    is_wrong: bool,
}

/// Adds what concerns the target's process rather than its semantics: that it broke down, and what it said.
fn of_a_process(observation: &Observation, said: Option<&str>, mismatches: &mut [Mismatch]) {
    let Some(first) = mismatches.first_mut() else { return };
    if let Observation::Rejected { stage, .. } = observation
        && matches!(stage.as_str(), PROCESS | PROTOCOL)
    {
        first.class = MismatchClass::Crash;
    }
    if let Some(words) = said {
        first.detail.push_str("; the target said: ");
        first.detail.push_str(words);
    }
}

/// What an instruction gets wrong inside of a surface tells what is wrong with it outside, too: a launch whose rows all lie outside, or
/// are misaligned, looks like a question of the border, and is none where the others are wrong as well.
fn agree_on_class(findings: &mut [Finding]) {
    let line = |finding: &Finding| finding.site.as_ref().map(|site| site.line);
    let at_border = |class| matches!(class, MismatchClass::Clamp | MismatchClass::Alignment);
    let told: Vec<(Option<u32>, MismatchClass)> = findings
        .iter()
        .filter(|f| f.site.as_ref().is_some_and(|site| site.surface_mode.is_some()))
        .map(|f| (line(f), f.symptom))
        .filter(|(_, class)| !at_border(*class) && *class != MismatchClass::OutOfBounds)
        .collect();
    for finding in findings.iter_mut() {
        let of_same = || told.iter().filter(|(at, _)| *at == line(finding)).map(|(_, class)| *class);
        let other = of_same().find(|class| *class != MismatchClass::Value);
        if of_same().any(|class| class == MismatchClass::Addressing) {
            // Wrong coordinates are also why some accesses fault that should not, why some do not that should, and why some
            // change nothing.
            let follows = matches!(finding.symptom, MismatchClass::OutOfBounds | MismatchClass::Value);
            if follows || at_border(finding.symptom) {
                finding.symptom = MismatchClass::Addressing;
            }
        } else if let Some(other) = other.filter(|_| at_border(finding.symptom)) {
            finding.symptom = other;
        }
    }
}
