//! The verdict on a target by its answers to the launches of a variant.

use std::sync::Arc;

use warpdiff_corpus::plan::Variant;
use warpdiff_judge::diagnose::{Diagnosis, ObservedLaunch, diagnose, is_comparable};
use warpdiff_judge::finding::{
    Explanation, Finding, LAUNCHES_SHOWN, RefutedBy, RefutedDeviation, counterexample, finding,
};
use warpdiff_judge::judgement;
use warpdiff_judge::reference::Unit;
use warpdiff_judge::verdict_table::{Raw, Recorded, Specification};
use warpdiff_model::{Admission, Mismatch, MismatchClass, Observation};
use warpdiff_recordings::index::RecordingVerdict;
use warpdiff_targets::{Answer, Target};
use warpdiff_worker::launch_answer::{PROCESS, PROTOCOL};

use crate::kept_observations::KeptObservations;
use crate::launch_answers::LaunchAnswers;
use crate::verdict::{TargetVerdict, Unanswered};

/// The verdict on the answers of a target. They are compared with a recording, if there is one, and judged by SPA 5.0 only if the
/// target claims it.
pub(crate) fn target_verdict(
    variant: &Variant,
    units: &[Unit<'_>],
    seen: &[LaunchAnswers],
    target: &dyn Target,
) -> TargetVerdict {
    let recording = target.recording();
    if units.len() != seen.len() {
        let why = format!("warpdiff failed: {} answers to {} launches", seen.len(), units.len());
        return TargetVerdict { why: Some(why), ..TargetVerdict::new(Raw::Broken) };
    }
    let is_spa = units.first().is_some_and(|unit| unit.compiled.program.is_spa());
    let unclaimed = is_spa && !target.claims_spa();
    let kept = KeptObservations::of(units, seen).map(Arc::new);
    let mut verdict = TargetVerdict { unclaimed, kept, ..TargetVerdict::new(Raw::Conforms) };
    let compare = |unit: &Unit<'_>, answer: &Answer| {
        recording.and_then(|index| {
            let admission = |observation: &Observation| judgement::admission(unit, observation);
            index.compare(&variant.id, &unit.planned, Some(&unit.allowed), admission, &answer.observation)
        })
    };
    let mut asked: Vec<(&Unit<'_>, &Answer)> = Vec::new();
    for (unit, seen) in units.iter().zip(seen) {
        verdict.add_comparison(compare(unit, &seen.whole));
        if target.replays() {
            verdict.replay(seen);
        }
        if seen.rows.is_empty() {
            asked.push((unit, &seen.whole));
        }
        for (row, answer) in &seen.rows {
            asked.push((row, answer));
            verdict.add_comparison(compare(row, answer));
        }
    }
    let earned: Vec<LaunchResult> = asked.iter().map(|(unit, answer)| verdict.judge(unit, answer)).collect();
    let has_hung =
        |(_, answer): &(&Unit<'_>, &Answer)| matches!(answer.observation, Observation::TimedOut { .. });
    verdict.only_hung = !asked.is_empty() && asked.iter().all(has_hung);
    let answered = earned.iter().filter(|earned| earned.is_judged).count();
    if earned.iter().any(|earned| earned.is_wrong) {
        // What was kept is explained when the run is over: what fits one variant is tried on the others.
        let mut wrong = asked.iter().zip(&earned).filter(|(_, earned)| earned.is_wrong);
        verdict.right_alone = wrong.all(|((_, answer), _)| answer.right_alone);
        let explanation = match verdict.kept {
            None if !verdict.right_alone => explanation(&asked),
            _ => Explanation::default(),
        };
        verdict.findings = findings(&asked, unclaimed, &explanation);
    }
    // Where they decide the status, it says all there is to say.
    if unclaimed || verdict.unanswered.as_ref().is_some_and(|unanswered| unanswered.status == verdict.raw) {
        verdict.unanswered = None;
    }
    if unclaimed {
        verdict.characterise(answered, asked.len());
    }
    verdict
}

/// The explanation of a variant by its own launches, of which too much was observed to keep it.
fn explanation(asked: &[(&Unit<'_>, &Answer)]) -> Explanation {
    let seen: Vec<_> = asked
        .iter()
        .map(|(unit, answer)| ObservedLaunch { unit, observation: &answer.observation })
        .collect();
    let Diagnosis { exact, nearest } = diagnose(&seen);
    let refuted = nearest.map(|nearest| {
        let ObservedLaunch { unit, observation } = seen[nearest.launch];
        RefutedDeviation {
            deviation: nearest.deviation,
            by: RefutedBy::Rows(nearest.rows),
            example: counterexample(unit, observation, &nearest.refutation),
        }
    });
    Explanation { deviations: exact, refuted, ..Explanation::default() }
}

/// The findings over the launches of a variant, all with the same explanation.
pub(crate) fn findings(
    asked: &[(&Unit<'_>, &Answer)],
    unclaimed: bool,
    explanation: &Explanation,
) -> Vec<Finding> {
    let mut shown = 0..LAUNCHES_SHOWN;
    let one = |(unit, answer): &(&Unit<'_>, &Answer)| {
        let observation = &answer.observation;
        let admission = judgement::admission(unit, observation);
        let earned = judgement::raw(observation, &admission);
        let raw = if unclaimed { earned.unclaimed() } else { earned };
        let Admission::Violates { mut mismatches } = admission else { return None };
        of_a_process(answer, &mut mismatches);
        // A crash shows no semantics.
        let explanation = match is_comparable(unit, observation) {
            true => explanation,
            false => &Explanation::default(),
        };
        Some(finding(unit, observation, raw, &mismatches, explanation, shown.next().is_some()))
    };
    let mut findings: Vec<Finding> = asked.iter().filter_map(one).collect();
    agree_on_class(&mut findings);
    findings
}

impl TargetVerdict {
    /// This verdict with the comparison of an answer with the recording.
    pub(crate) fn with_comparison(mut self, comparison: Option<RecordingVerdict>) -> Self {
        self.add_comparison(comparison);
        self
    }

    /// Adds the comparison of a launch with the recording.
    pub(crate) fn add_comparison(&mut self, comparison: Option<RecordingVerdict>) {
        if let Some(comparison) = comparison {
            self.compared.count(comparison.recorded != Recorded::Absent);
            self.recorded = self.recorded.max(Some(comparison.recorded));
            self.drifts.extend(comparison.drift);
        }
    }

    /// Counts the launches that a target which is a recording has.
    fn replay(&mut self, seen: &LaunchAnswers) {
        let answers = std::iter::once(&seen.whole).chain(seen.rows.iter().map(|(_, answer)| answer));
        // A recording has no launch that was not run, so a launch that is not run is not in it.
        let found = answers.map(|answer| !matches!(answer.observation, Observation::NotRun { .. }));
        found.for_each(|found| self.replayed.count(found));
    }

    /// Sets the status and the remark of a characterised variant: `answered` of `all` launches have an answer. Unanswered launches
    /// do not hide the others.
    fn characterise(&mut self, answered: usize, all: usize) {
        if answered == 0 {
            return;
        }
        let missing = match &self.why {
            Some(why) if answered < all => {
                format!("; {} of {all} launches have no answer: {why}", all - answered)
            }
            _ => String::new(),
        };
        if matches!(self.raw, Raw::NotRun | Raw::Unsupported) {
            self.raw = Raw::Characterised;
        }
        let differs = match self.findings.is_empty() {
            true => "the PTX translation behaves like SPA 5.0",
            false => "the PTX translation behaves differently from SPA 5.0",
        };
        self.why = Some(format!("{differs}{missing}"));
    }

    /// Adds one launch.
    fn judge(&mut self, unit: &Unit<'_>, answer: &Answer) -> LaunchResult {
        let observation = &answer.observation;
        let admission = judgement::admission(unit, observation);
        let earned = judgement::raw(observation, &admission);
        let raw = if self.unclaimed { earned.unclaimed() } else { earned };
        self.raw = self.raw.max(raw);
        let is_wrong = matches!(admission, Admission::Violates { .. });
        if let Admission::Indeterminate { why } | Admission::NotJudged { why } = admission {
            Unanswered::add(&mut self.unanswered, raw, &why);
            self.why = self.why.take().or(Some(why));
        }
        LaunchResult { is_judged: raw.specification() != Specification::NotJudged, is_wrong }
    }
}

/// The result of one launch.
struct LaunchResult {
    /// The target answered.
    is_judged: bool,
    /// The answer is not allowed.
    is_wrong: bool,
}

/// Adds facts about the target's process: that it crashed, how long it was waited for, and what it printed.
fn of_a_process(answer: &Answer, mismatches: &mut [Mismatch]) {
    let Answer { observation, said, limit, .. } = answer;
    let Some(first) = mismatches.first_mut() else { return };
    if let Observation::Rejected { stage, .. } = observation
        && matches!(stage.as_str(), PROCESS | PROTOCOL)
    {
        first.class = MismatchClass::Crash;
    }
    if let (Observation::TimedOut { .. }, Some(limit)) = (observation, limit) {
        first.detail = format!("it did not come back within {limit}");
    }
    if let Some(words) = said {
        first.detail.push_str("; the target said: ");
        first.detail.push_str(words);
    }
}

/// Takes the class of wrong accesses inside of a surface for those outside, too: a launch whose rows all lie outside, or are
/// misaligned, looks like a wrong border, but is not if accesses inside are wrong as well.
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
            // Wrong coordinates also make accesses fault that should not, or not fault that should, or change nothing.
            let follows = matches!(finding.symptom, MismatchClass::OutOfBounds | MismatchClass::Value);
            if follows || at_border(finding.symptom) {
                finding.symptom = MismatchClass::Addressing;
            }
        } else if let Some(other) = other.filter(|_| at_border(finding.symptom)) {
            finding.symptom = other;
        }
    }
}
