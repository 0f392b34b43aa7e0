//! Many trials, in parallel, with the same result whatever the number of threads.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use warpdiff_model::{Deviation, Observation};

pub use super::culprit::Cause;
use super::culprit::Symptom;
use super::options::Options;
use super::trial::Trial;
use crate::status::{Exit, Raw};
use crate::target::Target;
use crate::worker::supervisor::{PROCESS, PROTOCOL};

/// Programs that are tried at a time: the unit in which `--stop` stops.
const CHUNK: u64 = 1024;

/// How long to wait before a progress bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// Programs with one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// How many.
    pub programs: u64,
    /// The indices of the first ones, ascending: as many as are to be written, and at least one.
    pub first: Vec<u64>,
}

/// What a campaign found.
#[derive(Debug, Default)]
pub struct Campaign {
    /// Programs tried.
    pub programs: u64,
    /// How many earned each status.
    pub statuses: BTreeMap<Raw, u64>,
    /// Those that violate, by cause.
    pub groups: BTreeMap<Cause, Group>,
    /// The first program on which the harness itself failed, with what it said.
    pub broken: Option<(u64, String)>,
    /// Wall time.
    pub elapsed: Duration,
}

/// What one program showed.
enum Answer {
    Status(Raw),
    Violation(Raw, Symptom),
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
        let mut symptoms = Vec::new();
        while next < end && (symptoms.is_empty() || !options.stop) {
            let chunk = next..next.saturating_add(CHUNK).min(end);
            next = chunk.end;
            let answers: Vec<_> =
                chunk.clone().into_par_iter().map(|index| answer(options, index, target)).collect();
            for (index, answer) in chunk.zip(answers) {
                campaign.note(index, answer, &mut symptoms);
            }
            advance(&mut progress, begun, options.count, next - options.first);
        }
        if let Some(bar) = progress {
            bar.finish_and_clear();
        }
        campaign.groups = group(&symptoms, options.per_cause.max(1));
        campaign.elapsed = begun.elapsed();
        campaign
    }

    fn note(&mut self, index: u64, answer: Answer, symptoms: &mut Vec<(u64, Symptom)>) {
        self.programs += 1;
        let raw = match answer {
            Answer::Status(raw) => raw,
            Answer::Violation(raw, symptom) => {
                symptoms.push((index, symptom));
                raw
            }
            Answer::Broken(why) => {
                self.broken.get_or_insert((index, why));
                Raw::Broken
            }
        };
        *self.statuses.entry(raw).or_default() += 1;
    }

    /// How many programs earned that status.
    pub fn count(&self, raw: Raw) -> u64 {
        self.statuses.get(&raw).copied().unwrap_or(0)
    }

    /// The first program that shows a difference.
    pub fn first(&self) -> Option<u64> {
        self.groups.values().filter_map(|group| group.first.first().copied()).min()
    }

    /// How the process is to end. Programs that the specification does not decide are no news: the generator avoids them, but cannot
    /// exclude them.
    pub fn exit(&self) -> Exit {
        if self.broken.is_some() {
            Exit::Broken
        } else if !self.groups.is_empty() {
            Exit::Violates
        } else if self.programs > 0 && self.count(Raw::Conforms) + self.count(Raw::Inconsistent) == 0 {
            Exit::Undecided
        } else {
            Exit::Conforms
        }
    }
}

/// Groups what was seen by cause; `symptoms` are in the order of their programs, of which each group keeps the first few.
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

/// Deviations in the order in which to put programs down to them: first the one that explains the most, then the one that explains
/// the most of the rest, and so on. A program alone often has several explanations; few explain all programs.
fn explanations(symptoms: &[(u64, Symptom)]) -> Vec<Deviation> {
    let mut order = Vec::new();
    let mut left: Vec<&Symptom> = symptoms.iter().map(|(_, symptom)| symptom).collect();
    loop {
        let explains =
            |deviation: &Deviation| left.iter().filter(|s| s.explained.contains(deviation)).count();
        let all = Deviation::ALL.iter().map(|(deviation, ..)| *deviation);
        // Of several that explain as many, the first of the catalogue.
        let best = all.map(|d| (explains(&d), std::cmp::Reverse(d))).max();
        match best {
            Some((count, std::cmp::Reverse(deviation))) if count > 0 => {
                order.push(deviation);
                left.retain(|symptom| !symptom.explained.contains(&deviation));
            }
            _ => return order,
        }
    }
}

/// Tries one program; a panic of the harness is an answer, too.
fn answer(options: &Options, index: u64, target: &dyn Target) -> Answer {
    let tried = catch_unwind(AssertUnwindSafe(|| {
        let specimen =
            warpdiff_generator::specimen(options.seed, index).map_err(|error| error.to_string())?;
        let trial = Trial::new(specimen, target)?;
        if let Observation::Rejected { stage, message, .. } = &trial.observation
            && matches!(stage.as_str(), PROCESS | PROTOCOL)
        {
            // Nothing is known of the target's semantics: there is none that answers.
            return Err(format!("the target could not run it: {message}"));
        }
        Ok(if trial.raw.is_failure() {
            Answer::Violation(trial.raw, Symptom::of(&trial, target))
        } else {
            Answer::Status(trial.raw)
        })
    }));
    match tried {
        Ok(Ok(answer)) => answer,
        Ok(Err(why)) => Answer::Broken(why),
        Err(panic) => {
            let words =
                panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Answer::Broken(format!("warpdiff failed: {}", words.unwrap_or("no words")))
        }
    }
}

fn advance(progress: &mut Option<ProgressBar>, begun: Instant, total: u64, done: u64) {
    if progress.is_none() && begun.elapsed() >= PATIENCE && std::io::stderr().is_terminal() {
        let bar = ProgressBar::new(total);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} programs, {eta} to go") {
            bar.set_style(style);
        }
        *progress = Some(bar);
    }
    if let Some(bar) = progress {
        bar.set_position(done);
    }
}
