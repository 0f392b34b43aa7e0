//! Many generated programs, in parallel, with the same result whatever the number of threads; groups differences by cause.

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use warpdiff_model::Observation;

pub use super::culprit::Cause;
use super::culprit::Symptom;
use super::explainer::{Different, Explainer};
use super::explanations::explanations;
use super::options::Options;
use super::programs::Programs;
use super::progress::Progress;
use super::refute::{Checked, leave_out_refuted};
use super::trial::{CompiledTrial, PreparedTrial, Trial};
use super::without_text::WithoutText;
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_session::batches;
use warpdiff_targets::Target;
use warpdiff_worker::launch_answer::{PROCESS, PROTOCOL};
use warpdiff_worker::run_end::{self, RunEnd};

/// Programs in a chunk; `--stop`, `--time` and signals stop after a chunk.
const CHUNK: u64 = 1024;

/// Programs in a chunk of a campaign that a corpus guides: those of the next but one are made of what it keeps.
const GUIDED_CHUNK: u64 = 256;

/// Programs in the first chunk of a campaign that stops at a difference. Each later chunk has twice as many. If the first chunk were smaller, a deviation that is wider than
/// the mistake of the target could explain all programs in it.
const FIRST_CHUNK: u64 = 128;

/// Programs with one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// How many.
    pub programs: u64,
    /// The indices of the first programs, ascending: as many as will be written, and at least one.
    pub first: Vec<u64>,
}

/// The results of a campaign.
#[derive(Debug, Default)]
pub struct Campaign {
    /// Programs tried.
    pub programs: u64,
    /// The number of programs by status.
    pub statuses: BTreeMap<Raw, u64>,
    /// Reasons of programs without a verdict, with their numbers.
    pub without: BTreeMap<(Raw, String), u64>,
    /// The violating programs, by cause.
    pub groups: BTreeMap<Cause, Group>,
    /// The first program on which warpdiff itself failed, with the message.
    pub broken: Option<(u64, String)>,
    /// The indices of the programs that show a difference, ascending.
    pub different: Vec<u64>,
    /// Where it ended early, if it did.
    pub ended: Option<Ended>,
    /// Wall time.
    pub elapsed: Duration,
}

/// The end of a campaign before its last program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Why.
    pub by: RunEnd,
    /// The index of the first program that was not tried: `--first` goes on with it.
    pub before: u64,
}

/// The result of one program.
pub(super) enum TrialResult {
    Status(Raw),
    Without(Raw, String),
    Difference(Raw, Box<Different>),
    Broken(String),
}

/// A target while its programs are tried.
struct Trying<'a> {
    target: &'a dyn Target,
    without_text: Option<WithoutText<'a>>,
    explainer: Explainer,
    campaign: Campaign,
    symptoms: Vec<(u64, Symptom)>,
    /// Programs without a difference.
    right: Vec<u64>,
}

impl<'a> Trying<'a> {
    fn new(programs: Programs<'a>, target: &'a dyn Target) -> Self {
        let without_text = WithoutText::on(programs, target);
        let (symptoms, right) = (Vec::new(), Vec::new());
        let (explainer, campaign) = Default::default();
        Self { target, without_text, explainer, campaign, symptoms, right }
    }

    /// What it does with the programs of a chunk, given the reference's answers where it is asked for them.
    fn results(&mut self, programs: &Range<u64>, chunk: &Chunk) -> Vec<TrialResult> {
        let mut results = match &self.without_text {
            Some(without_text) => tried(without_text, programs.clone()),
            None => answers(chunk.clone(), seen(chunk, self.target), self.target),
        };
        self.explainer.explain(&mut results, self.target);
        results
    }

    /// Counts the results of a chunk.
    fn note(&mut self, programs: &Range<u64>, results: Vec<TrialResult>) {
        for (index, answer) in programs.clone().zip(results) {
            if matches!(answer, TrialResult::Status(raw) if raw.is_right()) {
                self.right.push(index);
            }
            self.campaign.note(index, answer, &mut self.symptoms);
        }
        if let Some(why) = self.target.broken() {
            let last = programs.end.saturating_sub(1);
            self.campaign.broken.get_or_insert((last, why));
        }
    }

    /// The campaign with its causes.
    fn finished(self, programs: Programs<'_>, begun: Instant, ended: Option<Ended>) -> Campaign {
        let options = programs.options;
        let Self { target, mut explainer, mut campaign, mut symptoms, right, .. } = self;
        // What an interrupted target answers refutes nothing.
        let interrupted = matches!(ended, Some(Ended { by: RunEnd::Interrupted, .. }));
        if campaign.broken.is_none() && !interrupted {
            let mut checked = Checked::default();
            let mut again = explainer.explain_again(&mut symptoms, &checked.refuted, programs, target);
            while again.is_ok() {
                leave_out_refuted(&mut symptoms, &mut checked, &right, programs, target);
                again = explainer.explain_again(&mut symptoms, &checked.refuted, programs, target);
                if again == Ok(false) {
                    break;
                }
            }
            campaign.broken = again.err();
        }
        campaign.groups = group(&symptoms, options.per_cause.max(1));
        campaign.different = symptoms.iter().map(|(index, _)| *index).collect();
        campaign.ended = ended;
        campaign.elapsed = begun.elapsed();
        campaign
    }
}

impl Campaign {
    /// Tries the programs on one target.
    pub fn run(options: &Options, target: &dyn Target) -> Self {
        Self::run_all(options, &[target]).pop().unwrap_or_default()
    }

    /// Tries each program on every target. The results are in the order of the targets; each is that of a campaign against that target
    /// alone, unless another one broke down, or `--stop` ended both.
    pub fn run_all(options: &Options, targets: &[&dyn Target]) -> Vec<Self> {
        Self::run_programs(Programs::of_seed(options), targets)
    }

    /// The same of programs that a corpus may guide.
    pub(super) fn run_programs(programs_of: Programs<'_>, targets: &[&dyn Target]) -> Vec<Self> {
        let options = programs_of.options;
        let begun = Instant::now();
        let mut progress = Progress::new(options, begun);
        let end = options.first.saturating_add(options.count);
        let mut next = options.first;
        let most = if programs_of.guide.is_some() { GUIDED_CHUNK } else { CHUNK };
        let mut size = if options.stop { FIRST_CHUNK } else { most };
        let mut take = || {
            let chunk = next..next.saturating_add(size).min(end);
            next = chunk.end;
            size = most.min(size * 2);
            programs_of.begin(chunk.start);
            chunk
        };
        let mut all: Vec<Trying<'_>> =
            targets.iter().map(|target| Trying::new(programs_of, *target)).collect();
        let asked = all.iter().any(|trying| trying.without_text.is_none());
        let prepare = |programs: &Range<u64>| {
            if asked { prepared(programs_of, programs.clone()) } else { Chunk::new() }
        };
        let mut programs = take();
        let mut chunk = prepare(&programs);
        let mut ended = None;
        while !programs.is_empty() {
            // A campaign tries some programs, however short its time.
            let over =
                options.ended(begun).filter(|by| *by != RunEnd::TimeUp || programs.start > options.first);
            ended = over.map(|by| Ended { by, before: programs.start });
            if ended.is_some() || options.stop && all.iter().any(|trying| !trying.symptoms.is_empty()) {
                break;
            }
            let following = take();
            // The reference works on the next chunk while the targets work on this one.
            let results =
                || all.iter_mut().map(|trying| trying.results(&programs, &chunk)).collect::<Vec<_>>();
            let (results, prepared) = rayon::join(results, || prepare(&following));
            // A target in a process that is interrupted has no answers any more: what it would say of this chunk is no result.
            if run_end::reached() == Some(RunEnd::Interrupted) {
                ended = Some(Ended { by: RunEnd::Interrupted, before: programs.start });
                break;
            }
            for (trying, results) in all.iter_mut().zip(results) {
                trying.note(&programs, results);
            }
            if !programs_of.tried(programs.end) {
                break;
            }
            progress.advance(programs.end, programs_of.covered(), || {
                all.iter().map(|trying| group(&trying.symptoms, 1)).collect::<Vec<_>>()
            });
            chunk = prepared;
            programs = following;
            if all.iter().any(|trying| trying.campaign.broken.is_some() && trying.target.broken().is_some()) {
                break;
            }
        }
        progress.finish();
        all.into_iter().map(|trying| trying.finished(programs_of, begun, ended)).collect()
    }

    fn note(&mut self, index: u64, answer: TrialResult, symptoms: &mut Vec<(u64, Symptom)>) {
        self.programs += 1;
        let raw = match answer {
            TrialResult::Status(raw) => raw,
            TrialResult::Without(raw, why) => {
                *self.without.entry((raw, why)).or_default() += 1;
                raw
            }
            TrialResult::Difference(raw, different) => {
                symptoms.push((index, different.symptom));
                raw
            }
            TrialResult::Broken(why) => {
                self.broken.get_or_insert((index, why));
                Raw::Broken
            }
        };
        *self.statuses.entry(raw).or_default() += 1;
    }

    /// The number of programs with that status.
    pub fn count(&self, raw: Raw) -> u64 {
        self.statuses.get(&raw).copied().unwrap_or(0)
    }

    /// The first program that shows a difference.
    pub fn first(&self) -> Option<u64> {
        self.groups.values().filter_map(|group| group.first.first().copied()).min()
    }

    /// The exit code. Indeterminate programs do not count: the generator avoids them, but cannot exclude them.
    pub fn exit(&self) -> Exit {
        if matches!(self.ended, Some(Ended { by: RunEnd::Interrupted, .. })) {
            Exit::Interrupted
        } else if self.broken.is_some() {
            Exit::Broken
        } else if !self.groups.is_empty() {
            Exit::Violates
        } else if self.programs > 0
            && [Raw::Conforms, Raw::Inconsistent, Raw::Characterised].iter().all(|raw| self.count(*raw) == 0)
        {
            Exit::Undecided
        } else {
            Exit::Conforms
        }
    }
}

/// Groups the symptoms by cause. They are in the order of their programs; each group keeps the first few.
fn group(symptoms: &[(u64, Symptom)], keep: usize) -> BTreeMap<Cause, Group> {
    let order = explanations(symptoms.iter().map(|(_, symptom)| &symptom.explained));
    let mut groups: BTreeMap<Cause, Group> = BTreeMap::new();
    for (index, symptom) in symptoms {
        let deviation = order.iter().copied().find(|deviation| symptom.explained.contains(deviation));
        let group =
            groups.entry(symptom.cause(deviation)).or_insert(Group { programs: 0, first: Vec::new() });
        group.programs += 1;
        if group.first.len() < keep {
            group.first.push(*index);
        }
    }
    groups
}

/// The results of programs, one program after another: what one needed is still at hand for the next.
fn tried(without_text: &WithoutText<'_>, programs: Range<u64>) -> Vec<TrialResult> {
    let of_one = |index| contained(|| without_text.result(index)).unwrap_or_else(TrialResult::Broken);
    programs.into_par_iter().map(of_one).collect()
}

/// Programs with the reference's answer, or why there is none.
type Chunk = Vec<Result<PreparedTrial, String>>;

/// Runs programs on the reference.
fn prepared(programs_of: Programs<'_>, programs: Range<u64>) -> Chunk {
    let prepare = |index| {
        let program = CompiledTrial::of_text(programs_of.specimen(index)?)?;
        programs_of.reached(index, &program)?;
        program.prepared()
    };
    programs.into_par_iter().map(|index| contained(|| prepare(index))).collect()
}

/// Runs the prepared programs of a chunk on the target.
fn seen(chunk: &Chunk, target: &dyn Target) -> Vec<Observation> {
    let questions: Vec<_> = chunk.iter().flatten().map(PreparedTrial::question).collect();
    let answers = batches::answers(&questions, target, &|_| {});
    answers.into_iter().map(|answer| answer.observation).collect()
}

/// The result of each program of a chunk.
fn answers(chunk: Chunk, seen: Vec<Observation>, target: &dyn Target) -> Vec<TrialResult> {
    let mut seen = seen.into_iter();
    let of_each = chunk.into_iter().map(|prepared| {
        let prepared = prepared?;
        Ok((prepared, seen.next().ok_or("warpdiff lost the answer")?))
    });
    let of_each: Vec<Result<(PreparedTrial, Observation), String>> = of_each.collect();
    let judge = |of_one: Result<(PreparedTrial, Observation), String>| {
        let (prepared, observation) = of_one?;
        contained(|| result_of(prepared.judged(observation), target))
    };
    of_each.into_par_iter().map(|of_one| judge(of_one).unwrap_or_else(TrialResult::Broken)).collect()
}

/// The result of one trial.
///
/// # Errors
/// If the target did not run at all.
pub(super) fn result_of(trial: Trial, target: &dyn Target) -> Result<TrialResult, String> {
    if let Observation::Rejected { stage, message, .. } = &trial.observation
        && matches!(stage.as_str(), PROCESS | PROTOCOL)
    {
        // The target does not run at all, so its semantics are unknown.
        return Err(format!("the target could not run it: {message}"));
    }
    Ok(match &trial.observation {
        Observation::NotRun { why } | Observation::Unsupported { what: why } => {
            TrialResult::Without(trial.raw, why.clone())
        }
        _ if trial.raw.is_failure() => {
            TrialResult::Difference(trial.status(target), Box::new(Different::unexplained(trial, target)))
        }
        _ => TrialResult::Status(trial.status(target)),
    })
}

/// Does the work for one program; a panic becomes an error.
pub(super) fn contained<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words =
            panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("warpdiff failed: {}", words.unwrap_or("no message")))
    })
}
