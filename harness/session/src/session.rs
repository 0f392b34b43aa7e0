//! Runs many variants, with their verdicts in the order of the corpus, and determines the exit code.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::verdict_table::{Listed, Recorded, Settled, join, settle};
use warpdiff_model::Deviation;
use warpdiff_targets::Target;

use crate::batches;
use crate::diagnosis_of_run;
use crate::known_failures::KnownFailures;
use crate::prepared_variant::{contained, verdict};
use crate::verdict::Listing;
use crate::verdict::{TargetVerdict, Verdict};

/// A run of several variants.
pub struct Session<'a> {
    /// Names of the targets, in the order they were given.
    pub targets: Vec<String>,
    /// For each target the folder of the recording that it is compared with, if any.
    pub recordings: Vec<Option<String>>,
    /// For each target whether it is itself a recording.
    pub replays: Vec<bool>,
    /// The verdicts, in the order of the variants.
    pub verdicts: Vec<Verdict<'a>>,
    /// Wall time.
    pub elapsed: Duration,
}

/// Runs every variant on the reference and on every target. `done` is called after each, from any thread.
pub fn run<'a>(
    variants: &[&'a Variant],
    targets: &[Box<dyn Target>],
    done: &(dyn Fn() + Sync),
) -> Session<'a> {
    let begun = Instant::now();
    let mut verdicts = match targets.iter().any(|target| target.batches()) {
        true => batches::verdicts(variants, targets, done),
        false => directly(variants, targets, done),
    };
    for (index, target) in targets.iter().enumerate() {
        rank_explanations(&mut verdicts, index);
        diagnosis_of_run::settle(&mut verdicts, index, target.is_compiled());
        verdicts.iter_mut().for_each(|verdict| verdict.targets[index].kept = None);
    }
    for (index, target) in targets.iter().enumerate() {
        verdicts.par_iter_mut().for_each(|verdict| add_machine_code(verdict, index, target.as_ref()));
    }
    Session {
        targets: targets.iter().map(|t| t.name().to_string()).collect(),
        recordings: targets.iter().map(|t| Some(t.recording()?.root.display().to_string())).collect(),
        replays: targets.iter().map(|t| t.replays()).collect(),
        verdicts,
        elapsed: begun.elapsed(),
    }
}

/// Adds to the findings the machine words of their lines, if the target runs machine code.
fn add_machine_code(verdict: &mut Verdict<'_>, index: usize, target: &dyn Target) {
    let Work::Launches(launches) = &verdict.variant.work else { return };
    for finding in &mut verdict.targets[index].findings {
        let Some(site) = &finding.site else { continue };
        let launch = launches.iter().find(|planned| planned.launch.program == finding.program);
        finding.machine_code = launch
            .and_then(|planned| target.machine_code(&finding.program, &planned.launch.entry, site.line));
    }
}

impl Session<'_> {
    /// Whether a target drifted from its recording.
    pub fn drifted(&self) -> bool {
        let mut all = self.verdicts.iter().flat_map(|verdict| &verdict.targets);
        all.any(|target| target.recorded == Some(Recorded::Drifted))
    }
}

/// Sorts the deviations that explain a finding by the number of variants of this target that they explain: a common one is the
/// likelier cause.
fn rank_explanations(verdicts: &mut [Verdict<'_>], target: usize) {
    let mut counts: BTreeMap<Deviation, usize> = BTreeMap::new();
    for verdict in verdicts.iter() {
        let explained = verdict.targets[target].findings.iter().flat_map(|finding| &finding.explained);
        let distinct: BTreeSet<Deviation> = explained.copied().collect();
        distinct.into_iter().for_each(|deviation| *counts.entry(deviation).or_default() += 1);
    }
    for finding in verdicts.iter_mut().flat_map(|v| &mut v.targets[target].findings) {
        finding.explained.sort_by_key(|deviation| std::cmp::Reverse(counts.get(deviation).copied()));
    }
}

/// The verdicts for targets that do not take batches: variant by variant, in parallel.
fn directly<'a>(
    variants: &[&'a Variant],
    targets: &[Box<dyn Target>],
    done: &(dyn Fn() + Sync),
) -> Vec<Verdict<'a>> {
    let one = |variant: &&'a Variant| {
        let judged = contained(variant, targets, || verdict(variant, targets));
        done();
        judged.unwrap_or_else(|broken| *broken)
    };
    variants.par_iter().map(one).collect()
}

/// The settled statuses of a run.
#[derive(Clone, Debug, Default)]
pub struct Settling {
    /// Known failures that no longer occur: entries of the list, each with its place and cause.
    pub gone: Vec<String>,
}

impl Settling {
    /// Applies a list of known failures to the session. `ids` are those of the whole corpus.
    pub fn new(known: &KnownFailures, session: &mut Session<'_>, ids: &[&str]) -> Self {
        Self { gone: known.apply(session, ids) }
    }

    /// The status of the reference. Known failures do not apply to it.
    pub fn reference(&self, verdict: &Verdict<'_>) -> Settled {
        settle(verdict.reference.raw, Listed::No)
    }

    /// The status of a target. If the reference's status is an error or undecided, it is the target's, too.
    pub fn target(&self, verdict: &Verdict<'_>, target: &TargetVerdict) -> Settled {
        match self.reference(verdict) {
            Settled::Pass => settle(target.raw, Listing::listed(target.listed.as_ref())),
            other => other,
        }
    }

    /// The exit code of this session, without goldens. Every variant must be judged on the reference; `exit_of` decides for
    /// targets.
    pub fn exit(&self, session: &Session<'_>) -> Exit {
        let reference = session.verdicts.iter().map(|v| self.reference(v).exit());
        let targets = (0..session.targets.len()).map(|index| self.exit_of(session, index));
        let gone = if self.gone.is_empty() { Exit::Conforms } else { Exit::Outdated };
        reference.chain(targets).fold(gone, Exit::and)
    }

    /// The exit code of one target. A target that was judged on something need not answer legality cases, and need not run launches
    /// if it ran none (an assembler). An unjudged launch counts for a target that runs launches; for a target without any verdict
    /// everything counts. A target that answers launches of a dialect that it does not claim need not answer its other launches,
    /// nor legality cases.
    fn exit_of(&self, session: &Session<'_>, index: usize) -> Exit {
        let earned = session.verdicts.iter().map(|verdict| (verdict, &verdict.targets[index]));
        let answers: Vec<ExitFacts> = earned
            .map(|(verdict, target)| ExitFacts {
                launched: matches!(verdict.variant.work, Work::Launches(_)),
                unclaimed: target.unclaimed,
                settled: self.target(verdict, target),
                recorded: target.recorded,
            })
            .collect();
        let judged = answers.iter().any(|e| e.settled.is_judged());
        let runs = answers.iter().any(|e| e.launched && e.settled.is_judged());
        let characterised = answers.iter().any(|e| e.settled == Settled::Characterised);
        let excused = |e: &ExitFacts| match e.unclaimed {
            true => characterised || judged,
            false => judged && !(e.launched && runs) || characterised && !e.launched,
        };
        let counted = answers.iter().filter(|e| {
            let counts = e.settled.is_judged() || e.settled == Settled::Characterised;
            counts || e.recorded == Some(Recorded::Drifted) || !excused(e)
        });
        counted.map(|e| join(e.settled, e.recorded)).fold(Exit::Conforms, Exit::and)
    }
}

/// The facts of a target's verdict on a variant that decide the exit code.
struct ExitFacts {
    /// Whether the variant has launches.
    launched: bool,
    /// Whether it is in a dialect that the target does not claim.
    unclaimed: bool,
    settled: Settled,
    recorded: Option<Recorded>,
}
