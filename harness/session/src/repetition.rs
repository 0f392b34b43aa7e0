//! Runs failing variants again: one of each cause, and all that are expected to be flaky, until it passes or has failed often enough; what passes then is flaky, or depends on
//! what runs beside it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use warpdiff_corpus::plan::Variant;
use warpdiff_expectations::entry::{Entry, Expected};
use warpdiff_expectations::in_force::InForce;
use warpdiff_judge::judgement;
use warpdiff_judge::reference::{RecentPrograms, Unit};
use warpdiff_judge::verdict_table::{Listed, Raw};
use warpdiff_model::{Admission, MismatchClass, Observation};
use warpdiff_targets::{Answer, Question, Target};
use warpdiff_worker::launch_answer::{PROCESS, PROTOCOL};

use crate::batches;
use crate::causes;
use crate::expected::{listing, selected};
use crate::launch_answers::LaunchAnswers;
use crate::pass_rate::{Runs, runs_to_refute};
use crate::prepared_variant::{PreparedVariant, contained, rows_instead};
use crate::repeated::Repeated;
use crate::verdict::{TargetVerdict, Verdict};
use crate::watch::Watch;

/// How often failing variants are run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetitions {
    /// At most so often, until one passes.
    pub times: usize,
}

impl Repetitions {
    /// So often that a launch that passes in 1 % of runs has passed once, with 99 % confidence.
    pub const USUAL: usize = 459;
}

/// Repetitions of a launch that faults or ends its worker: each costs a process.
const FAULTS: usize = 20;
/// Repetitions of a launch that does not end: each costs the whole time limit.
const HANGS: usize = 3;
/// Runs alone, and as many among the others, that show whether the order matters. If all of the first pass and all of the others fail,
/// chance alone would do that in fewer than 1 of 65,536 cases: at any pass rate p it is p^8 (1-p)^8, at most 2^-16.
const IN_ORDER: usize = 8;
/// Time for the repetitions of one cause.
const CAUSE_TIME: Duration = Duration::from_secs(60);
/// Time for all repetitions on a target.
const TARGET_TIME: Duration = Duration::from_secs(300);

/// Runs one variant of each cause again on every target that may answer otherwise, and notes what came of it in the verdicts. Failures
/// that an entry of `fails` expects are not run again. Returns whether `watch` ended the run before all of them had been run as often
/// as is needed.
pub(crate) fn repeat(
    verdicts: &mut [Verdict<'_>],
    variants: &[&Variant],
    targets: &[Box<dyn Target>],
    expected: &[InForce<'_>],
    how: Repetitions,
    watch: &dyn Watch,
) -> bool {
    let mut cut_short = false;
    for (index, target) in targets.iter().enumerate().filter(|(_, target)| !target.is_deterministic()) {
        let end = Instant::now() + TARGET_TIME;
        for (at, times) in chosen(verdicts, index, expected.get(index), how) {
            let verdict = &verdicts[at];
            let repetition = Repetition {
                target: target.as_ref(),
                verdict,
                earned: &verdict.targets[index],
                times,
                end: end.min(Instant::now() + CAUSE_TIME),
                watch,
            };
            let repeated = repetition.run(variants, expected.get(index));
            cut_short |= repeated.stopped.is_some() && watch.over().is_some();
            let earned = &mut verdicts[at].targets[index];
            if repeated.passed() {
                earned.raw = Raw::Flaky;
                earned.why = Some(repeated.to_string());
            }
            earned.repeated = Some(repeated);
        }
    }
    cut_short
}

/// The variants to run again on a target, each with the number of times: of each cause the one with the fewest rows, and all that entries of
/// `flakes` cover.
fn chosen(
    verdicts: &[Verdict<'_>],
    target: usize,
    expected: Option<&InForce<'_>>,
    how: Repetitions,
) -> Vec<(usize, usize)> {
    let mut of_cause: BTreeMap<(String, Option<(usize, usize)>), usize> = BTreeMap::new();
    for (at, verdict) in verdicts.iter().enumerate() {
        let earned = &verdict.targets[target];
        let fails = earned.raw.is_failure() && !earned.findings.is_empty();
        if !fails || earned.unclaimed || verdict.reference.raw != Raw::Conforms {
            continue;
        }
        let about = expected.map(|expected| expected.about(&selected(verdict))).unwrap_or_default();
        let flakes = match listing(&about, earned).how {
            Listed::Fails if !about.is_empty() => continue,
            // The profile says that it fails always.
            Listed::Profiled | Listed::OtherChoice => continue,
            // Each of them: that one passes at times does not excuse another that never passes.
            Listed::Flakes if !about.is_empty() => Some((runs_for(&about), at)),
            _ => None,
        };
        let key = (causes::cause(earned).unwrap_or_default(), flakes);
        let best = of_cause.entry(key).or_insert(at);
        if verdict.rows < verdicts[*best].rows {
            *best = at;
        }
    }
    let mut chosen: Vec<(usize, usize)> = of_cause
        .into_iter()
        .map(|((_, flakes), at)| (at, flakes.map_or(how.times, |(runs, _)| runs)))
        .collect();
    chosen.sort_unstable();
    chosen
}

/// How many failures in a row refute what entries of `flakes` state.
fn runs_for(about: &[&Entry]) -> usize {
    let stated = about.iter().filter_map(|entry| match entry.expected {
        Expected::Flakes { passes, .. } => Some(runs_to_refute(passes)),
        _ => None,
    });
    stated.max().unwrap_or(Repetitions::USUAL)
}

/// A failing variant that is run again on a target.
struct Repetition<'r, 'a> {
    target: &'r dyn Target,
    verdict: &'r Verdict<'a>,
    earned: &'r TargetVerdict,
    times: usize,
    end: Instant,
    watch: &'r dyn Watch,
}

/// What one more run did.
enum Once {
    Passed,
    Failed,
    /// It failed with a fault or a crash.
    Faulted,
    /// It did not end.
    Hung,
    /// It could not be run, and why.
    Nothing(String),
}

impl Repetition<'_, '_> {
    fn run(&self, variants: &[&Variant], expected: Option<&InForce<'_>>) -> Repeated {
        let mut repeated = Repeated::default();
        let variant = self.verdict.variant;
        let recent = RecentPrograms::default();
        let Ok(prepared) = contained(variant, &[], || PreparedVariant::new(variant, &recent, false)) else {
            return Repeated { stopped: Some("the reference has no answer".into()), ..repeated };
        };
        if prepared.units().is_empty() {
            return Repeated { stopped: Some("it has no launch".into()), ..repeated };
        }
        let may_stop = prepared.units().iter().any(Unit::may_stop);
        let mut kind = self.kind(may_stop);
        let enough = |kind: &Once| match kind {
            Once::Hung => HANGS.min(self.times),
            Once::Faulted => FAULTS.min(self.times),
            _ => self.times,
        };
        // Alone, until it passes.
        while repeated.alone.of < enough(&kind) && repeated.alone.passed == 0 {
            repeated.stopped = self.cannot_go_on(&kind);
            if repeated.stopped.is_some() {
                return repeated;
            }
            let (run, of) = (repeated.alone.of + 1, enough(&kind));
            self.watch.turns_to(&format!("again {run} of {of}: {}", variant.id));
            match self.once(&prepared) {
                Once::Nothing(why) => {
                    return Repeated { stopped: Some(self.over().unwrap_or(why)), ..repeated };
                }
                Once::Passed => repeated.alone.count(true),
                Once::Failed => repeated.alone.count(false),
                once => {
                    repeated.alone.count(false);
                    kind = once;
                }
            }
        }
        // It passed at once: perhaps it fails only among others. A launch that may fault ran alone before, too.
        if repeated.alone == (Runs { passed: 1, of: 1 }) && !may_stop && matches!(kind, Once::Failed) {
            self.in_order(&prepared, variants, expected, &mut repeated);
        }
        repeated
    }

    /// How it failed in the run.
    fn kind(&self, may_stop: bool) -> Once {
        let of_class = |class| self.earned.findings.iter().any(|finding| finding.class() == class);
        match self.earned.raw {
            Raw::Hung => Once::Hung,
            Raw::Crashed => Once::Faulted,
            _ if may_stop || of_class(MismatchClass::OutOfBounds) || of_class(MismatchClass::Crash) => {
                Once::Faulted
            }
            _ => Once::Failed,
        }
    }

    /// That the run is over, if it is: a launch in work has no answer then.
    fn over(&self) -> Option<String> {
        self.watch.over().map(|end| format!("stopped: {end}"))
    }

    /// Why no more can be run.
    fn cannot_go_on(&self, kind: &Once) -> Option<String> {
        if let Some(over) = self.over() {
            return Some(over);
        }
        if self.target.broken().is_some() {
            return Some("stopped: the target is broken".into());
        }
        if Instant::now() >= self.end {
            return Some("stopped: the time for repetitions is over".into());
        }
        let costs = matches!(kind, Once::Faulted | Once::Hung);
        (costs && !self.target.may_fault_again())
            .then(|| "stopped: it faults, and nothing is left of the fault budget (--fault-budget N)".into())
    }

    /// Runs it by itself once more.
    fn once(&self, prepared: &PreparedVariant<'_>) -> Once {
        let id = prepared.variant().id.as_str();
        let ask = |question: Question<'_>| -> Answer { self.target.observe(question.again()).into() };
        let seen: Vec<LaunchAnswers> = prepared
            .units()
            .iter()
            .map(|unit| {
                let whole = ask(Question::of(unit, id));
                let rows = rows_instead(unit, &whole).into_iter();
                let one = |row: Unit<'static>| {
                    let answer = ask(Question::suspicion(&row, id));
                    (row, answer)
                };
                LaunchAnswers { rows: rows.map(one).collect(), whole }
            })
            .collect();
        once_of(prepared.units(), &seen)
    }

    /// Finds out whether it depends on what runs beside it: some more runs alone, and as many among the variants that it ran with.
    fn in_order(
        &self,
        prepared: &PreparedVariant<'_>,
        variants: &[&Variant],
        expected: Option<&InForce<'_>>,
        repeated: &mut Repeated,
    ) {
        while repeated.alone.of < IN_ORDER.min(self.times) && repeated.alone.passed == repeated.alone.of {
            repeated.stopped = self.cannot_go_on(&Once::Failed);
            if repeated.stopped.is_some() {
                return;
            }
            match self.once(prepared) {
                Once::Passed => repeated.alone.count(true),
                Once::Nothing(why) => {
                    repeated.stopped = Some(self.over().unwrap_or(why));
                    return;
                }
                _ => repeated.alone.count(false),
            }
        }
        if repeated.alone.passed < repeated.alone.of {
            return;
        }
        let id = prepared.variant().id.as_str();
        let own = |chunk: &&&[&Variant]| chunk.iter().any(|variant| variant.id == id);
        let chunks = batches::chunks(variants);
        let Some(chunk) = chunks.iter().find(own) else { return };
        let recent = RecentPrograms::default();
        let others: Vec<PreparedVariant<'_>> = chunk
            .par_iter()
            .filter_map(|variant| {
                contained(variant, &[], || PreparedVariant::new(variant, &recent, false)).ok()
            })
            .filter(|prepared| prepared.left_out(expected).is_none())
            .collect();
        // Launches that may fault run alone, so they run beside nothing.
        let asked: Vec<(&str, &Unit<'_>)> = others
            .iter()
            .flat_map(|of| of.units().iter().map(|unit| (of.variant().id.as_str(), unit)))
            .filter(|(_, unit)| !unit.may_stop())
            .collect();
        let questions: Vec<Question<'_>> =
            asked.iter().map(|(id, unit)| Question::of(unit, id).again()).collect();
        let mut in_batch = Runs::default();
        while in_batch.of < IN_ORDER.min(self.times) {
            if let Some(why) = self.cannot_go_on(&Once::Failed) {
                repeated.stopped = Some(why);
                break;
            }
            let answers = match self.target.batches() {
                true => batches::answers(&questions, self.target, &|_| {}),
                false => questions.iter().map(|question| self.target.observe(*question).into()).collect(),
            };
            let own = asked.iter().zip(answers).filter(|((of, _), _)| *of == id);
            let own: Vec<(&Unit<'_>, Answer)> = own.map(|((_, unit), answer)| (*unit, answer)).collect();
            // A launch without an answer did not pass.
            let unanswered = own.iter().find_map(|(_, answer)| match &answer.observation {
                Observation::NotRun { why } => Some(why.clone()),
                _ => None,
            });
            if let Some(why) = unanswered {
                repeated.stopped = Some(self.over().unwrap_or(why));
                break;
            }
            in_batch.count(!own.iter().any(|(unit, answer)| violates(unit, answer)));
        }
        repeated.depends_on_order =
            in_batch.of == IN_ORDER && in_batch.passed == 0 && repeated.alone.of == IN_ORDER;
        repeated.in_batch = (in_batch.of > 0).then_some(in_batch);
    }
}

fn violates(unit: &Unit<'_>, answer: &Answer) -> bool {
    matches!(judgement::admission(unit, &answer.observation), Admission::Violates { .. })
}

/// What the launches of a variant did together.
fn once_of(units: &[Unit<'_>], seen: &[LaunchAnswers]) -> Once {
    let mut answered = false;
    let mut why = None;
    let mut worst = Once::Passed;
    for (unit, seen) in units.iter().zip(seen) {
        let rows = seen.rows.iter().map(|(row, answer)| (row, answer));
        let whole = seen.rows.is_empty().then_some((unit, &seen.whole));
        for (unit, answer) in rows.chain(whole) {
            match &answer.observation {
                // Left out by a budget, as in the run.
                Observation::NotRun { why: said } => {
                    why.get_or_insert_with(|| said.clone());
                    continue;
                }
                Observation::Unsupported { what } => {
                    why.get_or_insert_with(|| what.clone());
                    continue;
                }
                _ => answered = true,
            }
            if violates(unit, answer) {
                worst = match &answer.observation {
                    Observation::TimedOut { .. } => Once::Hung,
                    _ if matches!(worst, Once::Hung) => worst,
                    Observation::Crashed { .. } | Observation::Faulted { .. } => Once::Faulted,
                    Observation::Rejected { stage, .. } if matches!(stage.as_str(), PROCESS | PROTOCOL) => {
                        Once::Faulted
                    }
                    _ if matches!(worst, Once::Faulted) => worst,
                    _ => Once::Failed,
                };
            }
        }
    }
    match answered {
        true => worst,
        false => Once::Nothing(why.unwrap_or_else(|| "the target did not answer".into())),
    }
}
