//! The verdict over a variant: what the reference makes of it, and what each target earns.

use std::time::{Duration, Instant};

use warpdiff_model::{Admission, Mismatch, MismatchClass, Observation};

use crate::assembly;
use crate::corpus::CorpusError;
use crate::finding::{Finding, finding};
use crate::judge::{self, contradictions, indeterminate};
use crate::legality;
use crate::plan::{PlannedLaunch, Variant, Work};
use crate::recording;
use crate::reference::{Programs, ReferenceError, Unit, split, units};
use crate::replay::index::PartDrift;
use crate::status::{Raw, Recorded};
use crate::target::{Question, Target};
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

/// Runs a variant on the reference and on every target.
pub fn verdict<'a>(variant: &'a Variant, targets: &[Box<dyn Target>]) -> Verdict<'a> {
    let begun = Instant::now();
    let (rows, reference, targets) = match &variant.work {
        Work::Launches(launches) => launched(variant, launches, targets),
        Work::Legality(question) => {
            let asked = |target: &dyn Target| match target.assemble(&question.program) {
                Some((dialect, answer)) => assembly::verdict(question, &dialect, &answer),
                None => TargetVerdict::without("the target is no assembler"),
            };
            (1, legality::verdict(question), targets.iter().map(|t| asked(t.as_ref())).collect())
        }
    };
    Verdict { variant, rows, reference, targets, elapsed: begun.elapsed() }
}

impl TargetVerdict {
    /// A verdict with nothing more to say.
    pub fn new(raw: Raw) -> Self {
        Self { raw, findings: Vec::new(), why: None, recorded: None, drifts: Vec::new() }
    }

    /// Of a target that was not asked, and why.
    pub(crate) fn without(why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), ..Self::new(Raw::NotRun) }
    }

    /// Holds what was observed of a launch against what is recorded of the target, where there is a recording.
    fn hold(&mut self, variant: &Variant, unit: &Unit<'_>, target: &dyn Target, now: &Observation) {
        let Some(held) = target.recording().and_then(|index| index.hold(&variant.id, unit, now)) else {
            return;
        };
        self.recorded = self.recorded.max(Some(held.recorded));
        self.drifts.extend(held.drift);
    }
}

fn launched(
    variant: &Variant,
    launches: &[PlannedLaunch],
    targets: &[Box<dyn Target>],
) -> (usize, ReferenceVerdict, Vec<TargetVerdict>) {
    let rows = launches.iter().map(|l| l.rows.len().max(1)).sum();
    let mut programs = Programs::default();
    let asked: Result<Vec<_>, _> = launches.iter().map(|l| units(l, &mut programs)).collect();
    let units: Vec<Unit<'_>> = match asked {
        Ok(units) => units.into_iter().flatten().collect(),
        Err(error) => {
            let why = error.to_string();
            let none = || TargetVerdict::without(format!("no reference: {why}"));
            return (rows, unanswered(variant, &error), targets.iter().map(|_| none()).collect());
        }
    };
    let reference = referred(variant, &units);
    let judged = targets.iter().map(|t| target_verdict(variant, &units, t.as_ref(), &mut programs)).collect();
    (rows, reference, judged)
}

/// The verdict where the reference has no answer.
fn unanswered(variant: &Variant, error: &ReferenceError) -> ReferenceVerdict {
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
fn referred(variant: &Variant, units: &[Unit<'_>]) -> ReferenceVerdict {
    let mut raw = Raw::Conforms;
    let mut problems = Vec::new();
    for unit in units {
        if let Some((place, origin)) = indeterminate(unit) {
            raw = raw.max(Raw::Indeterminate);
            let location = unit.planned.rows.first().map_or(&variant.location, |row| &row.location).clone();
            let message = format!("the launch depends on undefined bits at {place}");
            problems.push(CorpusError::new(location, message).label(format!("undefined: {origin}")));
            continue;
        }
        for found in contradictions(unit) {
            raw = raw.max(Raw::Contradicted);
            let message = format!("the reference contradicts {}", found.expectation.subject);
            problems.push(CorpusError::new(found.expectation.location, message).label(found.instead));
        }
    }
    ReferenceVerdict { raw, problems, recording: recording::launches(units) }
}

fn target_verdict(
    variant: &Variant,
    units: &[Unit<'_>],
    target: &dyn Target,
    programs: &mut Programs,
) -> TargetVerdict {
    let mut verdict = TargetVerdict::new(Raw::Conforms);
    for unit in units {
        judge_unit(variant, unit, target, programs, &mut verdict);
    }
    agree(&mut verdict.findings);
    verdict
}

/// Asks the target about one launch. If rows share it and it does not complete, each row is asked by itself: the culprit
/// is found, and the innocent rest is judged after all.
fn judge_unit(
    variant: &Variant,
    unit: &Unit<'_>,
    target: &dyn Target,
    programs: &mut Programs,
    verdict: &mut TargetVerdict,
) {
    let question = Question { variant: &variant.id, planned: &unit.planned, program: &unit.compiled.program };
    let observation = target.observe(question);
    verdict.hold(variant, unit, target, &observation);
    let admission = unit.allowed.admits(&observation);
    let shared = unit.planned.splittable && unit.planned.rows.len() > 1;
    let stopped = !matches!(observation, Observation::Completed { .. });
    let violates = matches!(admission, Admission::Violates { .. });
    if shared
        && stopped
        && violates
        && let Ok(rows) = split(&unit.planned, programs)
    {
        rows.iter().for_each(|row| judge_unit(variant, row, target, programs, verdict));
        return;
    }
    let raw = judge::raw(&observation, &admission);
    verdict.raw = verdict.raw.max(raw);
    match admission {
        Admission::Violates { mut mismatches } => {
            let said = target.said(&variant.id).filter(|_| stopped);
            of_a_process(&observation, said, &mut mismatches);
            verdict.findings.push(finding(unit, &observation, raw, &mismatches))
        }
        Admission::Indeterminate { why } | Admission::NotJudged { why } => {
            verdict.why = verdict.why.take().or(Some(why))
        }
        Admission::Conforms { .. } => {}
    }
}

/// Adds what concerns the target's process rather than its semantics: that it broke down, and what it said.
fn of_a_process(observation: &Observation, said: Option<String>, mismatches: &mut [Mismatch]) {
    let Some(first) = mismatches.first_mut() else { return };
    if let Observation::Rejected { stage, .. } = observation
        && matches!(stage.as_str(), PROCESS | PROTOCOL)
    {
        first.class = MismatchClass::Crash;
    }
    if let Some(words) = said {
        first.detail.push_str("; the target said: ");
        first.detail.push_str(&words);
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
