//! Many generated programs, in parallel, with the same result whatever the number of threads; groups differences by cause.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use warpdiff_model::{Deviation, Observation};

pub use super::culprit::Cause;
use super::culprit::Symptom;
use super::options::Options;
use super::refute::leave_out_refuted;
use super::trial::{PreparedTrial, Trial};
use super::without_text::WithoutText;
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_session::batches;
use warpdiff_targets::Target;
use warpdiff_worker::launch_answer::{PROCESS, PROTOCOL};

/// Programs in a chunk; `--stop` stops after a chunk.
const CHUNK: u64 = 1024;

/// How long to wait before a progress bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

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
    /// Wall time.
    pub elapsed: Duration,
}

/// The result of one program.
pub(super) enum TrialResult {
    Status(Raw),
    Without(Raw, String),
    Difference(Raw, Symptom),
    Broken(String),
}

impl Campaign {
    /// Tries the programs.
    pub fn run(options: &Options, target: &dyn Target) -> Self {
        let begun = Instant::now();
        let mut campaign = Self::default();
        let mut progress = None;
        let end = options.first.saturating_add(options.count);
        let mut next = options.first;
        let mut take = || {
            let chunk = next..next.saturating_add(CHUNK).min(end);
            next = chunk.end;
            chunk
        };
        let mut symptoms = Vec::new();
        let mut right = Vec::new();
        let without_text = WithoutText::on(options, target);
        let mut indices = take();
        let prepare = |indices: &Range<u64>| match without_text {
            None => prepared(options, indices.clone()),
            Some(_) => Chunk::new(),
        };
        let mut chunk = prepare(&indices);
        while !indices.is_empty() && (symptoms.is_empty() || !options.stop) {
            let following = take();
            let (tried, prepared) = match &without_text {
                Some(without_text) => (tried(without_text, indices.clone()), Chunk::new()),
                // The reference works on the next chunk while the target works on this one.
                None => {
                    let (seen, prepared) = rayon::join(|| seen(&chunk, target), || prepare(&following));
                    (answers(std::mem::take(&mut chunk), seen, target), prepared)
                }
            };
            chunk = prepared;
            advance(&mut progress, begun, options.count, indices.end - options.first);
            for (index, answer) in std::mem::replace(&mut indices, following).zip(tried) {
                if matches!(answer, TrialResult::Status(raw) if raw.is_right()) {
                    right.push(index);
                }
                campaign.note(index, answer, &mut symptoms);
            }
            if let Some(why) = target.broken() {
                let last = options.first + campaign.programs - 1;
                campaign.broken.get_or_insert((last, why));
                break;
            }
        }
        if let Some(bar) = progress {
            bar.finish_and_clear();
        }
        if campaign.broken.is_none() {
            leave_out_refuted(&mut symptoms, &right, options, target);
        }
        campaign.groups = group(&symptoms, options.per_cause.max(1));
        campaign.elapsed = begun.elapsed();
        campaign
    }

    fn note(&mut self, index: u64, answer: TrialResult, symptoms: &mut Vec<(u64, Symptom)>) {
        self.programs += 1;
        let raw = match answer {
            TrialResult::Status(raw) => raw,
            TrialResult::Without(raw, why) => {
                *self.without.entry((raw, why)).or_default() += 1;
                raw
            }
            TrialResult::Difference(raw, symptom) => {
                symptoms.push((index, symptom));
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
        if self.broken.is_some() {
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
    let order = explanations(symptoms);
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

/// Deviations in the order in which they explain programs: first the one that explains the most, then the one that explains the
/// most of the rest, and so on. A single program often has several explanations; few explain all programs.
pub(super) fn explanations(symptoms: &[(u64, Symptom)]) -> Vec<Deviation> {
    let mut order = Vec::new();
    let mut left: Vec<&Symptom> = symptoms.iter().map(|(_, symptom)| symptom).collect();
    loop {
        let explains =
            |deviation: &Deviation| left.iter().filter(|s| s.explained.contains(deviation)).count();
        // Of several with the same count, the first of the catalogue.
        let best = Deviation::all().map(|d| (explains(&d), std::cmp::Reverse(d))).max();
        match best {
            Some((count, std::cmp::Reverse(deviation))) if count > 0 => {
                order.push(deviation);
                left.retain(|symptom| !symptom.explained.contains(&deviation));
            }
            _ => return order,
        }
    }
}

/// The results of programs, one program after another: what one needed is still at hand for the next.
fn tried(without_text: &WithoutText<'_>, programs: Range<u64>) -> Vec<TrialResult> {
    let of_one = |index| contained(|| without_text.result(index)).unwrap_or_else(TrialResult::Broken);
    programs.into_par_iter().map(of_one).collect()
}

/// Programs with the reference's answer, or why there is none.
type Chunk = Vec<Result<PreparedTrial, String>>;

/// Runs programs on the reference.
fn prepared(options: &Options, programs: Range<u64>) -> Chunk {
    let prepare = |index| PreparedTrial::new(options.specimen(index)?);
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
            TrialResult::Difference(trial.status(target), Symptom::of(&trial, target))
        }
        _ => TrialResult::Status(trial.status(target)),
    })
}

/// Does the work for one program; a panic becomes an error.
fn contained<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words =
            panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("warpdiff failed: {}", words.unwrap_or("no message")))
    })
}

fn advance(progress: &mut Option<ProgressBar>, begun: Instant, total: u64, done: u64) {
    if progress.is_none() && begun.elapsed() >= PATIENCE && std::io::stderr().is_terminal() {
        let bar = ProgressBar::new(total);
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {pos}/{len} programs, {per_sec}, {eta} to go")
        {
            bar.set_style(style);
        }
        *progress = Some(bar);
    }
    if let Some(bar) = progress {
        bar.set_position(done);
    }
}
