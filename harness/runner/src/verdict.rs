//! The verdict over a variant: what the reference makes of it, and what each target earns.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use warpdiff_model::{Admission, Mismatch, MismatchClass, Observation, Outcome, Permitted};

use crate::corpus::CorpusError;
use crate::diagnose::Diagnosis;
use crate::finding::{Finding, finding};
use crate::hazards;
use crate::inquiry::{Inquiry, Seen};
use crate::judge::{self, contradictions, indeterminate};
use crate::known::Listing;
use crate::plan::Variant;
use crate::recording;
use crate::reference::{ReferenceError, Unit};
use crate::replay::index::{Held, PartDrift};
use crate::status::{Raw, Recorded, Specification};
use crate::target::{Answer, Target};
use crate::worker::supervisor::{PROCESS, PROTOCOL};

/// What the reference makes of a variant.
#[derive(Clone, Debug)]
pub struct ReferenceVerdict {
    /// Its status.
    pub raw: Raw,
    /// Why it is not [`Raw::Conforms`].
    pub problems: Vec<CorpusError>,
    /// Everything that is allowed, as the golden records it.
    pub recording: String,
}

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
    pub held: Kept,
    /// Of a target that is a recording: what that has of the launches.
    pub replayed: Kept,
    /// What a list of known failures says of it.
    pub listed: Option<Listing>,
}

/// How many launches, or programs put to an assembler, a recording has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Kept {
    /// It has these.
    pub found: usize,
    /// These it lacks: or it has another launch under their names.
    pub absent: usize,
}

impl Kept {
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
            held: Kept::default(),
            replayed: Kept::default(),
            listed: None,
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
        ReferenceError::Rejected(diagnostics) => {
            let words: Vec<_> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            (Raw::Contradicted, format!("the program is rejected: {}", words.join("; ")))
        }
        ReferenceError::Unsupported(what) => (Raw::Unsupported, what.clone()),
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
    ReferenceVerdict { raw, problems, recording: recording::launches(units) }
}

/// How the reference ends a launch of which nothing is stated, where it cannot complete. Such a case would pass whatever the author
/// meant, most likely because `expect` was forgotten.
fn unstated_stop(unit: &Unit<'_>) -> Option<String> {
    let outcomes = &unit.allowed.outcomes;
    let completes = |outcome: &Outcome| matches!(outcome.permitted, Permitted::Completed { .. });
    if !unit.planned.states_nothing() || outcomes.iter().any(completes) {
        return None;
    }
    Some(format!("the reference {}", judge::describe(outcomes.first()?)))
}

/// What a target earns that did this with the launches of a variant. It is held against what is recorded of it, where there is a
/// recording, and against SPA 5.0 where it claims that.
pub(crate) fn earned(
    variant: &Variant,
    units: &[Unit<'_>],
    seen: &[Seen],
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
    let (mut answered, mut all) = (0, 0);
    let mut diagnosis = Diagnosis::default();
    let hold = |unit: &Unit<'_>, answer: &Answer| {
        recording.and_then(|index| index.hold(&variant.id, unit, &answer.observation))
    };
    for (unit, seen) in units.iter().zip(seen) {
        verdict.hold(hold(unit, &seen.whole));
        if target.replays() {
            verdict.replay(seen);
        }
        let mut judge = |unit: &Unit<'_>, answer: &Answer| {
            answered += usize::from(verdict.judge(unit, answer, &mut diagnosis));
            all += 1;
        };
        if seen.rows.is_empty() {
            judge(unit, &seen.whole);
        }
        for (row, answer) in &seen.rows {
            judge(row, answer);
        }
        seen.rows.iter().for_each(|(row, answer)| verdict.hold(hold(row, answer)));
    }
    agree(&mut verdict.findings);
    if unclaimed {
        verdict.characterise(answered, all);
    }
    verdict
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
    fn replay(&mut self, seen: &Seen) {
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

    /// Adds one launch. Whether the target had an answer to it.
    fn judge(&mut self, unit: &Unit<'_>, answer: &Answer, diagnosis: &mut Diagnosis) -> bool {
        let observation = &answer.observation;
        let admission = judge::admission(unit, observation);
        let earned = judge::raw(observation, &admission);
        let raw = if self.unclaimed { earned.unclaimed() } else { earned };
        self.raw = self.raw.max(raw);
        match admission {
            Admission::Violates { mut mismatches } => {
                of_a_process(observation, answer.said.as_deref(), &mut mismatches);
                let explained = diagnosis.explain(unit, observation);
                self.findings.push(finding(unit, observation, raw, &mismatches, explained));
            }
            Admission::Indeterminate { why } | Admission::NotJudged { why } => {
                self.why = self.why.take().or(Some(why));
            }
            Admission::Conforms { .. } => {}
        }
        raw.specification() != Specification::NotJudged
    }
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

/// Where some deviation explains every launch that differs, only such deviations stay: what several rows have in common
/// says more than what fits one of them.
fn agree(findings: &mut [Finding]) {
    let Some((first, rest)) = findings.split_first() else { return };
    let mut common = first.explained.clone();
    common.retain(|deviation| rest.iter().all(|f| f.explained.contains(deviation)));
    if !common.is_empty() {
        findings.iter_mut().for_each(|f| f.explained.clone_from(&common));
    }
}
