//! A variant with the answer of the reference, ready to run on targets; which targets get its rows one by one.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use warpdiff_corpus::CorpusError;
use warpdiff_corpus::plan::{PlannedLaunch, Unsupported, Variant, Work};
use warpdiff_emulator::{CompileError, Compiled};
use warpdiff_expectations::entry::{Entry, Selected};
use warpdiff_expectations::in_force::InForce;
use warpdiff_judge::assembled::Assembled;
use warpdiff_judge::golden_text;
use warpdiff_judge::instruction_family;
use warpdiff_judge::legality;
use warpdiff_judge::reference::{Programs, RecentPrograms, ReferenceError, Unit, each_unit, units};
use warpdiff_judge::reference_verdict::{ReferenceVerdict, reference_verdict, unanswered, unsupported};
use warpdiff_judge::surface_access::{self, SurfaceAccess};
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{Admission, Observation};
use warpdiff_targets::{Answer, Question, Target};

use crate::asked_launch::AskedLaunch;
use crate::launch_answers::LaunchAnswers;
use crate::ptxas_verdicts;
use crate::target_verdict::target_verdict;
use crate::unsupported_verdict::unsupported_verdict;
use crate::verdict::{TargetVerdict, Verdict};

/// Runs a variant on the reference and on every target, launch by launch.
pub fn verdict<'a>(variant: &'a Variant, targets: &[Box<dyn Target>]) -> Verdict<'a> {
    PreparedVariant::new(variant, &RecentPrograms::default(), true).judged(targets, &[], Vec::new())
}

/// A variant with the verdict of the reference.
pub struct PreparedVariant<'a> {
    variant: &'a Variant,
    rows: usize,
    reference: ReferenceVerdict,
    units: Vec<Unit<'a>>,
    /// Its launches, if the reference cannot run them and a target may.
    unsupported: &'a [PlannedLaunch],
    /// Families of the instructions that its programs have.
    instructions: Arc<BTreeSet<String>>,
    /// The accesses to surfaces that its programs have.
    surface_accesses: Arc<BTreeSet<SurfaceAccess>>,
    /// Why the reference has no answer to its launches, if it has none.
    without: Option<String>,
    elapsed: Duration,
}

impl<'a> PreparedVariant<'a> {
    /// Runs the reference, and keeps what it allows as text if somebody reads that.
    pub(crate) fn new(variant: &'a Variant, recent: &RecentPrograms, is_read: bool) -> Self {
        let begun = Instant::now();
        let mut prepared = match &variant.work {
            Work::Launches(launches) => Self::of_launches(variant, launches, recent, is_read),
            Work::Legality(legality) => Self::of(variant, 1, legality::verdict(legality)),
            Work::Unsupported(Unsupported { problem, launches }) => {
                let without = Some(format!("the reference has no answer: {}", problem.message));
                Self {
                    without,
                    unsupported: launches,
                    ..Self::of(variant, rows(launches), unsupported(problem))
                }
            }
        };
        // Of a long text a run needs no more than a golden keeps: a corpus has ten times as much.
        prepared.reference.recording = golden_text::kept(prepared.reference.recording);
        prepared.elapsed = begun.elapsed();
        prepared
    }

    /// The verdict of the reference alone, for a run without targets: a launch is let go when it is judged. What is allowed is not kept as text.
    pub(crate) fn without_launches(variant: &'a Variant, recent: &RecentPrograms) -> Self {
        let Work::Launches(launches) = &variant.work else { return Self::new(variant, recent, false) };
        let begun = Instant::now();
        let mut programs = Programs::among(recent);
        let mut reference = ReferenceVerdict::of_no_launch();
        let mut authored = Authored::default();
        let judged = launches.iter().try_for_each(|launch| {
            each_unit(launch, &mut programs, |unit| {
                reference.add(variant, &unit);
                authored.add(&unit);
            })
        });
        let mut prepared = match judged {
            Ok(()) => Self::of(variant, rows(launches), reference).with(authored),
            Err(error) => Self::without_answer(variant, launches, &error),
        };
        prepared.elapsed = begun.elapsed();
        prepared
    }

    fn of(variant: &'a Variant, rows: usize, reference: ReferenceVerdict) -> Self {
        Self {
            variant,
            rows,
            reference,
            units: Vec::new(),
            unsupported: &[],
            instructions: Arc::default(),
            surface_accesses: Arc::default(),
            without: None,
            elapsed: Duration::ZERO,
        }
    }

    fn of_launches(
        variant: &'a Variant,
        launches: &'a [PlannedLaunch],
        recent: &RecentPrograms,
        is_read: bool,
    ) -> Self {
        let rows = rows(launches);
        let mut programs = Programs::among(recent);
        let asked: Result<Vec<_>, _> = launches.iter().map(|launch| units(launch, &mut programs)).collect();
        match asked {
            Ok(asked) => {
                let units: Vec<Unit<'_>> = asked.into_iter().flatten().collect();
                let mut reference = reference_verdict(variant, &units);
                if is_read {
                    reference.recording = golden_text::launches(&units);
                }
                let mut authored = Authored::default();
                units.iter().for_each(|unit| authored.add(unit));
                Self { units, ..Self::of(variant, rows, reference).with(authored) }
            }
            Err(error) => Self::without_answer(variant, launches, &error),
        }
    }

    /// A variant to whose launches the reference has no answer.
    fn without_answer(variant: &'a Variant, launches: &'a [PlannedLaunch], error: &ReferenceError) -> Self {
        let without = Some(format!("the reference has no answer: {error}"));
        let unsupported = match error {
            ReferenceError::Program(CompileError::Unsupported(_)) => launches,
            _ => &[],
        };
        Self { without, unsupported, ..Self::of(variant, rows(launches), unanswered(variant, error)) }
    }

    /// The same with what the author's code has.
    fn with(self, Authored { families, accesses, .. }: Authored) -> Self {
        let (instructions, surface_accesses) = (FAMILIES.shared(families), ACCESSES.shared(accesses));
        Self { instructions, surface_accesses, ..self }
    }

    /// The variant.
    pub fn variant(&self) -> &'a Variant {
        self.variant
    }

    /// Its launches, to run on targets.
    pub(crate) fn asked(&self) -> impl Iterator<Item = AskedLaunch<'_, 'a>> {
        let answered = self.units.iter().map(AskedLaunch::Answered);
        answered.chain(self.unsupported.iter().map(AskedLaunch::Unsupported))
    }

    /// Its launches that the reference has an answer to.
    pub fn units(&self) -> &[Unit<'a>] {
        &self.units
    }

    /// The entry of `skips` that leaves it out for a target with these expectations.
    pub fn left_out<'e>(&self, expected: Option<&InForce<'e>>) -> Option<&'e Entry> {
        let Variant { id, covers, .. } = self.variant;
        expected?.skips(&Selected { id, covers, instructions: Some(&self.instructions) })
    }

    /// The verdict. `expected` has the expectations of each target, and may be empty. `seen` has the answers of each target to each
    /// launch; a target without answers runs the launches now.
    pub fn judged(
        self,
        targets: &[Box<dyn Target>],
        expected: &[InForce<'_>],
        seen: Vec<Option<Vec<LaunchAnswers>>>,
    ) -> Verdict<'a> {
        let begun = Instant::now();
        let mut seen = seen.into_iter();
        let judge = |(index, target): (usize, &dyn Target)| {
            let seen = seen.next().flatten();
            match self.left_out(expected.get(index)) {
                Some(entry) => TargetVerdict::left_out(entry),
                None => self.judge(target, seen),
            }
        };
        let mut targets: Vec<TargetVerdict> =
            targets.iter().map(AsRef::as_ref).enumerate().map(judge).collect();
        share_equal(&mut targets);
        let Self { variant, rows, reference, instructions, surface_accesses, elapsed, .. } = self;
        let elapsed = elapsed + begun.elapsed();
        Verdict { variant, rows, reference, targets, instructions, surface_accesses, elapsed }
    }

    fn judge(&self, target: &dyn Target, seen: Option<Vec<LaunchAnswers>>) -> TargetVerdict {
        if let Work::Legality(legality) = &self.variant.work {
            return match target.assemble(&legality.program) {
                Some((dialect, answer)) => {
                    let comparison = target
                        .recording()
                        .and_then(|recording| recording.compare_answer(&legality.program, &dialect, &answer));
                    let mut verdict =
                        ptxas_verdicts::verdict(legality, &dialect, &answer).with_comparison(comparison);
                    if target.replays() {
                        // A recording has an assembler's verdicts only.
                        verdict.replayed.count(!matches!(answer, Assembled::NoVerdict { .. }));
                    }
                    verdict
                }
                None => TargetVerdict::without("the target does not assemble programs"),
            };
        }
        let asked = || self.asked().map(|launch| ask(&self.variant.id, launch, target)).collect();
        match &self.without {
            Some(why) if self.unsupported.is_empty() => TargetVerdict::without(why),
            Some(_) => {
                unsupported_verdict(self.variant, self.unsupported, &seen.unwrap_or_else(asked), target)
            }
            None => target_verdict(self.variant, &self.units, &seen.unwrap_or_else(asked), target),
        }
    }
}

/// What the author's code of programs has.
#[derive(Default)]
struct Authored {
    families: BTreeSet<String>,
    accesses: BTreeSet<SurfaceAccess>,
    /// The last program that was added: launches of a variant have mostly the same.
    last: Option<Arc<Compiled>>,
}

impl Authored {
    fn add(&mut self, unit: &Unit<'_>) {
        if self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, &unit.compiled)) {
            return;
        }
        self.families.extend(instruction_family::all(&unit.compiled, &unit.planned.map));
        self.accesses.extend(surface_access::all(&unit.compiled, &unit.planned.map));
        self.last = Some(Arc::clone(&unit.compiled));
    }
}

/// The rows of launches, or the launches that have none.
fn rows(launches: &[PlannedLaunch]) -> usize {
    launches.iter().map(|launch| launch.rows.len().max(1)).sum()
}

/// Has targets that answered the same keep their answers once: most of a run of several targets conforms.
fn share_equal(targets: &mut [TargetVerdict]) {
    for index in 1..targets.len() {
        let (before, rest) = targets.split_at_mut(index);
        let Some(own) = rest.first_mut().and_then(|target| target.kept.as_mut()) else { continue };
        let same = before.iter().filter_map(|target| target.kept.as_ref()).find(|kept| *kept == own);
        if let Some(same) = same {
            *own = Arc::clone(same);
        }
    }
}

/// Sets, each kept once: a corpus has few sets of families and of accesses, and many variants.
struct KnownSets<T>(LazyLock<Mutex<HashSet<Arc<BTreeSet<T>>>>>);

static FAMILIES: KnownSets<String> = KnownSets(LazyLock::new(Mutex::default));
static ACCESSES: KnownSets<SurfaceAccess> = KnownSets(LazyLock::new(Mutex::default));

impl<T: Eq + Hash> KnownSets<T> {
    /// The set, shared with every equal one.
    fn shared(&self, set: BTreeSet<T>) -> Arc<BTreeSet<T>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.get(&set) {
            return Arc::clone(same);
        }
        let new = Arc::new(set);
        known.insert(Arc::clone(&new));
        new
    }
}

/// Runs one launch on a target. If rows share it and it does not complete, each row runs by itself.
fn ask(variant: &str, launch: AskedLaunch<'_, '_>, target: &dyn Target) -> LaunchAnswers {
    let whole = Answer::from(target.observe(launch.question(variant)));
    let one = |row: Unit<'static>| {
        let answer = target.observe(Question::suspicion(&row, variant)).into();
        (row, answer)
    };
    let rows = launch.rows_instead(&whole).into_iter().map(one).collect();
    LaunchAnswers { whole, rows }
}

/// The rows to run one by one, if rows share a launch that stopped and should not have: this finds the row at fault, and the other
/// rows are still judged. Empty otherwise.
pub fn rows_instead(unit: &Unit<'_>, answer: &Answer) -> Vec<Unit<'static>> {
    let shared = unit.planned.splittable && unit.planned.rows.len() > 1;
    let stopped = !matches!(answer.observation, Observation::Completed { .. });
    if !shared
        || !stopped
        || answer.right_alone
        || !matches!(unit.allowed.admits(&answer.observation), Admission::Violates { .. })
    {
        return Vec::new();
    }
    unit.split().unwrap_or_default()
}

/// Does the work for a variant; if warpdiff panics, returns a verdict that says so, and the other variants go on.
pub(crate) fn contained<'a, T>(
    variant: &'a Variant,
    targets: &[Box<dyn Target>],
    work: impl FnOnce() -> T,
) -> Result<T, Box<Verdict<'a>>> {
    let begun = Instant::now();
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words =
            panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let why = format!("warpdiff failed: {}", words.unwrap_or("no message"));
        let problem = CorpusError::new(variant.location.clone(), why.clone());
        let broken = || TargetVerdict { why: Some(why.clone()), ..TargetVerdict::new(Raw::Broken) };
        Box::new(Verdict {
            variant,
            rows: 0,
            reference: ReferenceVerdict {
                raw: Raw::Broken,
                problems: vec![problem],
                recording: String::new(),
            },
            targets: targets.iter().map(|_| broken()).collect(),
            instructions: Arc::default(),
            surface_accesses: Arc::default(),
            elapsed: begun.elapsed(),
        })
    })
}
