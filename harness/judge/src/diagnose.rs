//! Explains mismatches: which known deviation, applied to the reference, does everything that was observed?
//!
//! A deviation explains a variant if the reference with it admits every launch of the variant: those that are wrong by the
//! specification, and those that are right, which many a deviation that happens to fit a wrong one would break. What holds of
//! the whole run besides is for `throughout`.

use std::collections::BTreeSet;
use std::ops::Range;

use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Admission, Allowed, Deviation, Mismatch, Observation, Permitted, Semantics, State};

use crate::judgement;
use crate::memory_after_fault;
use crate::reference::Unit;
use crate::shown_by::may_show;

/// A launch as it was put to a target, with what the target did.
#[derive(Clone, Copy)]
pub struct ObservedLaunch<'a> {
    /// The launch, with what the specification allows.
    pub unit: &'a Unit<'a>,
    /// What the target did.
    pub observation: &'a Observation,
}

/// What the catalogue has to say of a variant that a target gets wrong.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// Every deviation under which all that was observed of the variant would be right, in the catalogue's order.
    pub exact: Vec<Deviation>,
    /// Where there is none: the deviation that comes nearest, of those that explain some of what is wrong.
    pub nearest: Option<NearestDeviation>,
}

/// A deviation that explains part of what is wrong, and is refuted by the rest.
#[derive(Clone, Debug)]
pub struct NearestDeviation {
    /// The deviation.
    pub deviation: Deviation,
    /// Rows that refute it, in all launches of the variant. A launch that is not divided into rows counts as one.
    pub rows: usize,
    /// Place of the first launch that refutes it, among those that were seen.
    pub launch: usize,
    /// What it says of that launch, and what was observed instead.
    pub refutation: Refutation,
}

/// How a launch refutes deviations.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// What the deviations allow.
    pub allowed: Allowed,
    /// The differences of the observation from that; there may be none where it cannot be told what the deviations allow.
    pub mismatches: Vec<Mismatch>,
    /// The rows in which it differs, by their place in the launch.
    rows: BTreeSet<usize>,
}

/// Diagnoses a variant from all its launches. What says nothing of semantics (a process that died, a refusal, a launch that was
/// not run) neither speaks for a deviation nor against one.
pub fn diagnose(seen: &[ObservedLaunch<'_>]) -> Diagnosis {
    let wrong_rows = |seen: &ObservedLaunch<'_>| match judgement::admission(seen.unit, seen.observation) {
        Admission::Violates { .. } => rows_that_differ(seen.unit, &seen.unit.allowed, seen.observation),
        _ => BTreeSet::new(),
    };
    let mut judged: Vec<(usize, &ObservedLaunch<'_>, BTreeSet<usize>)> = seen
        .iter()
        .enumerate()
        .filter(|(_, seen)| is_comparable(seen.unit, seen.observation))
        .map(|(place, seen)| (place, seen, wrong_rows(seen)))
        .collect();
    // What is wrong refutes most deviations at once.
    judged.sort_by_key(|(place, _, wrong)| (wrong.is_empty(), *place));
    if judged.first().is_none_or(|(.., wrong)| wrong.is_empty()) {
        return Diagnosis::default();
    }
    let mut found = Diagnosis::default();
    for deviation in Deviation::all() {
        // One that is about no instruction of a program changes nothing of what is allowed, and the observation is not.
        if !judged.iter().any(|(_, seen, _)| may_show(deviation, &seen.unit.compiled.checked)) {
            continue;
        }
        let limit = match (&found.exact[..], &found.nearest) {
            ([], None) => usize::MAX,
            ([], Some(nearest)) => nearest.rows,
            _ => 1,
        };
        match deviation_fit(deviation, &judged, limit) {
            DeviationFit::Exact => {
                found.exact.push(deviation);
                found.nearest = None;
            }
            DeviationFit::Refuted(nearest) if found.exact.is_empty() => found.nearest = Some(nearest),
            DeviationFit::Refuted(_) | DeviationFit::Useless => {}
        }
    }
    found
}

/// How a deviation stands to the launches of a variant.
enum DeviationFit {
    /// It admits them all.
    Exact,
    /// It explains some of what is wrong, and fewer rows than the limit refute it.
    Refuted(NearestDeviation),
    /// It explains nothing, or is refuted by as many rows as the limit.
    Useless,
}

fn deviation_fit(
    deviation: Deviation,
    judged: &[(usize, &ObservedLaunch<'_>, BTreeSet<usize>)],
    limit: usize,
) -> DeviationFit {
    let semantics = Semantics::default().with(deviation);
    let (mut rows, mut first, mut explains) = (0, None, false);
    for (place, seen, wrong) in judged {
        // Past what is wrong, what explains nothing of it never will.
        if wrong.is_empty() && !explains {
            return DeviationFit::Useless;
        }
        match refutation(seen.unit, seen.observation, &semantics) {
            None => explains = true,
            Some(refutation) => {
                explains |= wrong.iter().any(|row| !refutation.rows.contains(row));
                rows += refutation.rows.len().max(1);
                first.get_or_insert((*place, refutation));
            }
        }
        if rows >= limit {
            return DeviationFit::Useless;
        }
    }
    match first {
        None => DeviationFit::Exact,
        Some((launch, refutation)) if explains => {
            DeviationFit::Refuted(NearestDeviation { deviation, rows, launch, refutation })
        }
        Some(_) => DeviationFit::Useless,
    }
}

/// Whether an observation says anything of semantics, and the specification of it.
pub fn is_comparable(unit: &Unit<'_>, observation: &Observation) -> bool {
    let answered = matches!(
        observation,
        Observation::Completed { .. } | Observation::Faulted { .. } | Observation::TimedOut { .. }
    );
    answered && !matches!(judgement::admission(unit, observation), Admission::Indeterminate { .. })
}

/// Every deviation under which the observation of a single launch would be right, in the catalogue's order.
///
/// The deviation is applied to the whole reference, choices and masks included, and the observation is judged against
/// the result: so an undefined bit does not hide an explanation, and a partial one does not count.
pub fn reproducing(unit: &Unit<'_>, observation: &Observation) -> Vec<Deviation> {
    diagnose(&[ObservedLaunch { unit, observation }]).exact
}

/// Whether the observation is allowed under these semantics.
pub fn reproduces(unit: &Unit<'_>, observation: &Observation, semantics: Semantics) -> bool {
    refutation(unit, observation, &semantics).is_none()
}

/// How the observation refutes these semantics; `None` where they admit it.
pub fn refutation(unit: &Unit<'_>, observation: &Observation, semantics: &Semantics) -> Option<Refutation> {
    let about = semantics.deviations().any(|deviation| may_show(deviation, &unit.compiled.checked));
    if !about {
        // They say what the specification says.
        return match judgement::admission(unit, observation) {
            Admission::Conforms { .. } => None,
            admission => Some(refuted(unit, observation, unit.allowed.clone(), admission)),
        };
    }
    let launch = &unit.planned.launch;
    let Ok(mut allowed) = warpdiff_emulator::allowed(&unit.compiled.program, launch, semantics) else {
        let allowed = Allowed { outcomes: Vec::new(), tolerances: Vec::new() };
        let admission = Admission::Violates { mismatches: Vec::new() };
        return Some(refuted(unit, observation, allowed, admission));
    };
    allowed.tolerate(&unit.planned.tolerances);
    let mut admission = allowed.admits(observation);
    if !matches!(admission, Admission::Conforms { .. }) && !unit.planned.logs.is_empty() {
        // Logs of attempts are judged by what they say; a deviation of the atomics themselves shows in the bytes alone.
        let mut logged = allowed.clone();
        logged.judge_logs(&unit.planned.logs);
        if matches!(logged.admits(observation), Admission::Conforms { .. }) {
            return None;
        }
    }
    if let (Admission::Conforms { .. }, Observation::Faulted { state: Some(state), .. }) =
        (&admission, observation)
    {
        let after = memory_after_fault::of(&unit.compiled.program, &unit.planned, semantics);
        if after.is_some_and(|memory| !memory_after_fault::is_like(&unit.planned, &memory, state)) {
            admission =
                Admission::Violates { mismatches: memory_after_fault::mismatches(&unit.planned, state) };
        }
    }
    match admission {
        Admission::Conforms { .. } => None,
        _ if speaks_for_itself(unit, observation, semantics, &allowed) => None,
        admission => Some(refuted(unit, observation, allowed, admission)),
    }
}

/// Whether an observation that these semantics do not admit is none against them all the same. A deviation may make a launch race, or
/// break the histories of its atomics, so that its own run is not admitted either: then what does exactly the same fits it, and what is
/// right by the specification says nothing of it.
fn speaks_for_itself(
    unit: &Unit<'_>,
    observation: &Observation,
    semantics: &Semantics,
    allowed: &Allowed,
) -> bool {
    let Observation::Completed { state } = observation else { return false };
    // Its own run would not end either.
    if allowed.outcomes.iter().any(|outcome| outcome.permitted == Permitted::TimedOut) {
        return false;
    }
    let own = warpdiff_emulator::observe(&unit.compiled.program, &unit.planned.launch, semantics);
    let Ok(own @ Observation::Completed { .. }) = own else { return false };
    if matches!(&own, Observation::Completed { state: same } if same == state) {
        return true;
    }
    let mut logged = allowed.clone();
    logged.judge_logs(&unit.planned.logs);
    let admits = |allowed: &Allowed| matches!(allowed.admits(&own), Admission::Conforms { .. });
    let is_right = matches!(judgement::admission(unit, observation), Admission::Conforms { .. });
    is_right && !admits(allowed) && !admits(&logged)
}

/// How the observation refutes these semantics although something else is wrong in it, too: by a byte that is as the specification has it
/// and not as they do. `None` where there is no such byte.
pub fn spoiling(unit: &Unit<'_>, observation: &Observation, semantics: &Semantics) -> Option<Refutation> {
    let Observation::Completed { state } = observation else { return None };
    let refutation = refutation(unit, observation, semantics)?;
    let wrong = |allowed: &Allowed| {
        let of_outcome = |outcome: &warpdiff_model::Outcome| match &outcome.permitted {
            Permitted::Completed { state: permitted } => {
                Some(permitted.differing(state, &allowed.tolerances))
            }
            _ => None,
        };
        let bytes = |runs: &Vec<Vec<Range<usize>>>| runs.iter().flatten().map(Range::len).sum::<usize>();
        allowed.outcomes.iter().filter_map(of_outcome).min_by_key(bytes)
    };
    let (by_specification, by_these) = (wrong(&unit.allowed)?, wrong(&refutation.allowed)?);
    let spoils = |(these, specification): (&Vec<Range<usize>>, &Vec<Range<usize>>)| {
        let mut bytes = these.iter().cloned().flatten();
        bytes.any(|byte| !specification.iter().any(|run| run.contains(&byte)))
    };
    by_these.iter().zip(&by_specification).any(spoils).then_some(refutation)
}

fn refuted(unit: &Unit<'_>, observation: &Observation, allowed: Allowed, admission: Admission) -> Refutation {
    let rows = rows_that_differ(unit, &allowed, observation);
    let mismatches = match admission {
        Admission::Violates { mismatches } => mismatches,
        _ => Vec::new(),
    };
    Refutation { allowed, mismatches, rows }
}

/// Stands for a launch as a whole among its rows: what is wrong with it, or with memory that is not divided into rows.
const WHOLE: usize = usize::MAX;

/// The rows of a launch in which an observation differs from the nearest outcome that is allowed, by their place in the launch.
fn rows_that_differ(unit: &Unit<'_>, allowed: &Allowed, observation: &Observation) -> BTreeSet<usize> {
    let whole = || BTreeSet::from([WHOLE]);
    let Observation::Completed { state } = observation else { return whole() };
    if unit.planned.rows.len() <= 1 {
        return whole();
    }
    let of_outcome = |outcome: &warpdiff_model::Outcome| match &outcome.permitted {
        Permitted::Completed { state: permitted } => Some(differing_rows(permitted, state, allowed)),
        _ => None,
    };
    let nearest = allowed.outcomes.iter().filter_map(of_outcome).min_by_key(BTreeSet::len);
    nearest.filter(|rows| !rows.is_empty()).unwrap_or_else(whole)
}

fn differing_rows(permitted: &MaskedState, observed: &State, allowed: &Allowed) -> BTreeSet<usize> {
    let runs = permitted.differing(observed, &allowed.tolerances);
    let row = |stride: u32, start: usize| start.checked_div(stride as usize).unwrap_or(WHOLE);
    let each = permitted.regions.iter().zip(runs);
    each.flat_map(|(region, runs)| runs.into_iter().map(move |run| row(region.stride, run.start))).collect()
}
