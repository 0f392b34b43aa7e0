//! Runs many variants, with their verdicts in the order of the corpus, and determines the exit code.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_expectations::day::Day;
use warpdiff_expectations::in_force::InForce;
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::exit_facts::exit_of_target;
use warpdiff_judge::reference::RecentPrograms;
use warpdiff_judge::verdict_table::{Listed, Settled, settle};
use warpdiff_targets::Target;
use warpdiff_worker::run_end::RunEnd;

use crate::batches;
use crate::diagnosis::Diagnosis;
use crate::diagnosis_of_run;
use crate::expected::{self, WholeCorpus};
use crate::notice::Notice;
use crate::prepared_variant::{PreparedVariant, contained};
use crate::profile_judgement;
use crate::repetition::{self, Repetitions};
use crate::verdict::Listing;
use crate::verdict::{TargetVerdict, Verdict};
use crate::watch::Watch;

/// Most variants that one thread takes at a time. Some take a thousand times as long as others: with more at a time, one thread would still have
/// some left while the others wait.
const AT_ONCE: usize = 8;

/// A run of several variants.
pub struct Session<'a> {
    /// Names of the targets, in the order they were given.
    pub targets: Vec<String>,
    /// For each target what it reports of itself.
    pub devices: Vec<BTreeMap<String, String>>,
    /// For each target the folder of the recording that it is compared with, if any.
    pub recordings: Vec<Option<String>>,
    /// For each target why it could not run all launches, if it broke down in the run itself; a target that only broke down when failing
    /// variants were run again was judged on everything.
    pub broken: Vec<Option<String>>,
    /// For each target whether it is itself a recording.
    pub replays: Vec<bool>,
    /// The verdicts, in the order of the variants.
    pub verdicts: Vec<Verdict<'a>>,
    /// For each target what it does instead of what the specification says, the causes of the most wrong variants first.
    pub diagnoses: Vec<Vec<Diagnosis>>,
    /// The variants that were not judged because the run was ended early.
    pub left_out: Vec<&'a Variant>,
    /// Why it was ended early, if variants were left out, or not run again as often as is needed.
    pub ended: Option<RunEnd>,
    /// Wall time.
    pub elapsed: Duration,
}

/// Runs every variant on the reference and on every target, until `watch` ends the run.
pub fn run<'a>(variants: &[&'a Variant], targets: &[Box<dyn Target>], watch: &dyn Watch) -> Session<'a> {
    run_expecting(variants, targets, &[], None, watch)
}

/// The same with the expectations of each target: variants that they leave out are not run. With `repetitions` failing variants are run
/// again on targets that may answer otherwise then.
pub fn run_expecting<'a>(
    variants: &[&'a Variant],
    targets: &[Box<dyn Target>],
    expected: &[InForce<'_>],
    repetitions: Option<Repetitions>,
    watch: &dyn Watch,
) -> Session<'a> {
    let begun = Instant::now();
    let verdicts: Vec<Option<Verdict<'a>>> = match targets.iter().any(|target| target.batches()) {
        true => batches::verdicts(variants, targets, expected, watch),
        false => directly(variants, targets, expected, watch),
    };
    let left_out = variants.iter().zip(&verdicts).filter(|(_, verdict)| verdict.is_none());
    let left_out: Vec<&'a Variant> = left_out.map(|(variant, _)| *variant).collect();
    let mut ended = watch.over().filter(|_| !left_out.is_empty());
    let mut verdicts: Vec<Verdict<'a>> = verdicts.into_iter().flatten().collect();
    let mut diagnoses = Vec::with_capacity(targets.len());
    for (index, target) in targets.iter().enumerate() {
        watch.turns_to(&format!("explains what differs in {}", target.name()));
        diagnoses.push(diagnosis_of_run::settle(&mut verdicts, index, target.is_compiled()));
        if let Some(profile) = expected.get(index).and_then(|expected| expected.profile.as_ref()) {
            watch.turns_to(&format!("holds {} against its profile", target.name()));
            profile_judgement::judge(&mut verdicts, index, profile);
        }
        verdicts.iter_mut().for_each(|verdict| verdict.targets[index].kept = None);
    }
    for (index, target) in targets.iter().enumerate() {
        verdicts.par_iter_mut().for_each(|verdict| add_machine_code(verdict, index, target.as_ref()));
    }
    let broken = targets.iter().map(|target| target.broken()).collect();
    if let Some(how) = repetitions
        && repetition::repeat(&mut verdicts, variants, targets, expected, how, watch)
    {
        ended = watch.over();
    }
    Session {
        targets: targets.iter().map(|t| t.name().to_string()).collect(),
        devices: targets.iter().map(|t| t.device()).collect(),
        recordings: targets.iter().map(|t| Some(t.recording()?.root.display().to_string())).collect(),
        broken,
        replays: targets.iter().map(|t| t.replays()).collect(),
        verdicts,
        diagnoses,
        left_out,
        ended,
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
    /// Why the run is partial, if it is: `interrupted`, or `interrupted while failing variants were run again`.
    pub fn partial(&self) -> Option<String> {
        let when = if self.left_out.is_empty() { " while failing variants were run again" } else { "" };
        self.ended.map(|end| format!("{end}{when}"))
    }

    /// Whether a target drifted from its recording, in another way than by failing as expected.
    pub fn drifted(&self, settling: &Settling) -> bool {
        let counts = |verdict: &Verdict<'_>, target: &TargetVerdict| {
            let settled = settling.target(verdict, target);
            target.recorded.is_some_and(|recorded| recorded.counts_beside(settled))
        };
        self.verdicts.iter().any(|verdict| verdict.targets.iter().any(|target| counts(verdict, target)))
    }
}

/// The verdicts for targets that do not take batches: variant by variant, in parallel. `None` for a variant that was left out.
fn directly<'a>(
    variants: &[&'a Variant],
    targets: &[Box<dyn Target>],
    expected: &[InForce<'_>],
    watch: &dyn Watch,
) -> Vec<Option<Verdict<'a>>> {
    let recent = RecentPrograms::default();
    let one = |variant: &&'a Variant| {
        if watch.over().is_some() {
            return None;
        }
        let judge = || {
            let prepared = match targets.is_empty() && !watch.reads_recordings() {
                true => PreparedVariant::without_launches(variant, &recent),
                false => PreparedVariant::new(variant, &recent, watch.reads_recordings()),
            };
            prepared.judged(targets, expected, Vec::new())
        };
        let judged = contained(variant, targets, judge).unwrap_or_else(|broken| *broken);
        if judged.is_cut_short() {
            return None;
        }
        watch.answered();
        watch.judged(&judged);
        Some(judged)
    };
    variants.par_iter().with_max_len(AT_ONCE).map(one).collect()
}

/// The settled statuses of a run.
#[derive(Clone, Debug, Default)]
pub struct Settling {
    /// What is out of date in the expectations.
    pub notices: Vec<Notice>,
}

impl Settling {
    /// Applies expectations to the session.
    pub fn new(
        expected: &[InForce<'_>],
        session: &mut Session<'_>,
        corpus: WholeCorpus<'_>,
        today: Day,
    ) -> Self {
        Self { notices: expected::apply(expected, session, corpus, today) }
    }

    /// The status of the reference. Expectations do not apply to it.
    pub fn reference(&self, verdict: &Verdict<'_>) -> Settled {
        settle(verdict.reference.raw, Listed::No)
    }

    /// The status of a target. If the reference's status is an error or undecided, it is the target's, too. What the reference cannot run is
    /// judged by what the case states.
    pub fn target(&self, verdict: &Verdict<'_>, target: &TargetVerdict) -> Settled {
        match self.reference(verdict) {
            Settled::Pass | Settled::Skip => settle(target.raw, Listing::listed(target.listed.as_ref())),
            other => other,
        }
    }

    /// The exit code of this session, without goldens. Every variant must be judged on the reference.
    pub fn exit(&self, session: &Session<'_>) -> Exit {
        let reference = session.verdicts.iter().map(|v| self.reference(v).exit());
        let targets = (0..session.targets.len()).map(|index| self.exit_of(session, index));
        let current = if self.notices.is_empty() { Exit::Conforms } else { Exit::Outdated };
        reference.chain(targets).fold(current, Exit::and)
    }

    /// The exit code of one target.
    fn exit_of(&self, session: &Session<'_>, index: usize) -> Exit {
        let earned = session.verdicts.iter().map(|verdict| (verdict, &verdict.targets[index]));
        let facts = earned.map(|(verdict, target)| {
            let launched = !matches!(verdict.variant.work, Work::Legality(_));
            target.exit_facts(launched, self.target(verdict, target))
        });
        exit_of_target(&facts.collect())
    }
}
