//! Explains mismatches: finds the known deviations that, applied to the reference, reproduce everything observed.
//!
//! A deviation explains a variant if the reference with it admits every launch of the variant, the wrong ones and the right ones.
//! The session then checks the explanation against the other variants of the run.

use std::collections::BTreeSet;
use std::ops::Range;

use warpdiff_model::allowed::{MaskedRegion, MaskedState, Outcome};
use warpdiff_model::{Admission, Allowed, Deviation, Mismatch, Observation, Permitted, Semantics, State};

use crate::judgement;
use crate::memory_after_fault;
use crate::reference::Unit;
use crate::shown_by::{may_show, may_show_in_authored};

/// A launch with what a target did.
#[derive(Clone, Copy)]
pub struct ObservedLaunch<'a> {
    /// The launch, with what the specification allows.
    pub unit: &'a Unit<'a>,
    /// What the target did.
    pub observation: &'a Observation,
}

/// How the known deviations explain a variant that a target gets wrong.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// Every deviation under which everything observed of the variant is allowed, in the catalogue's order.
    pub exact: Vec<Deviation>,
    /// If there is none: the deviation that explains some of the mismatches and that the fewest rows refute.
    pub nearest: Option<NearestDeviation>,
}

/// A deviation that explains some of the mismatches, and that others refute.
#[derive(Clone, Debug)]
pub struct NearestDeviation {
    /// The deviation.
    pub deviation: Deviation,
    /// Rows that refute it, in all launches of the variant. A launch that is not divided into rows counts as one.
    pub rows: usize,
    /// Index of the first launch that refutes it.
    pub launch: usize,
    /// What the deviation allows for that launch, and what was observed.
    pub refutation: Refutation,
}

/// How a launch refutes a set of deviations.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// What the deviations allow.
    pub allowed: Allowed,
    /// The differences from it; empty if the emulator cannot run the launch under the deviations.
    pub mismatches: Vec<Mismatch>,
    /// Whether the deviations admit what was observed because they leave open all of what is wrong. Then it speaks for them as little as against
    /// them.
    pub is_silent: bool,
    /// The rows that differ, by their position in the launch.
    rows: BTreeSet<usize>,
}

/// Diagnoses a variant from all its launches. Observations without semantics (a crash, a rejection, a launch that was not run)
/// count neither for a deviation nor against it.
pub fn diagnose(seen: &[ObservedLaunch<'_>]) -> Diagnosis {
    let judged = wrong_first(seen);
    let mut found = Diagnosis::default();
    for deviation in Deviation::all().filter(|deviation| is_authored(*deviation, &judged)) {
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

/// Of these deviations those under which everything observed of the variant is allowed.
pub fn exact_among(seen: &[ObservedLaunch<'_>], deviations: &[Deviation]) -> Vec<Deviation> {
    let judged = wrong_first(seen);
    let authored = deviations.iter().copied().filter(|deviation| is_authored(*deviation, &judged));
    authored
        .filter(|deviation| matches!(deviation_fit(*deviation, &judged, 1), DeviationFit::Exact))
        .collect()
}

/// Whether something is wrong that the deviation may explain. What only the kernel around the author's instructions shows would be wrong in
/// every case alike: it is named where an author wrote such an instruction.
fn is_authored(deviation: Deviation, judged: &[JudgedLaunch<'_, '_>]) -> bool {
    let is_wrong = judged.first().is_some_and(|(.., wrong)| !wrong.is_empty());
    let in_launch = |seen: &ObservedLaunch<'_>| {
        may_show_in_authored(deviation, &seen.unit.compiled.checked, &seen.unit.planned.map)
    };
    is_wrong && judged.iter().any(|(_, seen, _)| in_launch(seen))
}

/// A launch with its place among those of the variant, and the rows that are wrong.
type JudgedLaunch<'s, 'a> = (usize, &'s ObservedLaunch<'a>, BTreeSet<usize>);

/// The launches that show semantics, wrong ones first: these refute most deviations at once.
fn wrong_first<'s, 'a>(seen: &'s [ObservedLaunch<'a>]) -> Vec<JudgedLaunch<'s, 'a>> {
    let comparable = seen.iter().enumerate().filter(|(_, seen)| is_comparable(seen.unit, seen.observation));
    let mut judged: Vec<_> =
        comparable.map(|(place, seen)| (place, seen, wrong_rows(seen.unit, seen.observation))).collect();
    judged.sort_by_key(|(place, _, wrong)| (wrong.is_empty(), *place));
    judged
}

/// A deviation that alone explains some of the wrong rows of a variant, and not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartialFit {
    /// The deviation.
    pub deviation: Deviation,
    /// Wrong rows that it explains, at least one. A launch that is not divided into rows counts as one.
    pub explains: usize,
    /// Rows of wrong launches that are right, and would be wrong with it.
    pub spoils: usize,
}

/// The deviations that alone explain some of the wrong rows of a variant, those that explain most first: of two mistakes in one variant
/// each does, if there are rows that show it alone.
pub fn partial_fits(seen: &[ObservedLaunch<'_>]) -> Vec<PartialFit> {
    let mut judged = wrong_first(seen);
    judged.retain(|(.., wrong)| !wrong.is_empty());
    let fit = |deviation: Deviation| {
        let mut fit = PartialFit { deviation, explains: 0, spoils: 0 };
        let semantics = Semantics::default().with(deviation);
        for (_, seen, wrong) in &judged {
            if !may_show_in_authored(deviation, &seen.unit.compiled.checked, &seen.unit.planned.map) {
                continue;
            }
            let left = refutation(seen.unit, seen.observation, &semantics);
            let left = left.map(|refutation| refutation.rows).unwrap_or_default();
            fit.explains += wrong.difference(&left).count();
            fit.spoils += left.difference(wrong).count();
        }
        fit
    };
    let mut fits: Vec<PartialFit> = Deviation::all().map(fit).filter(|fit| fit.explains > 0).collect();
    fits.sort_by_key(|fit| (std::cmp::Reverse(fit.explains), fit.spoils));
    fits
}

/// The rows of a launch that are wrong by the specification, by their position in the launch; one beyond all of them stands for the
/// launch as a whole, or for memory that is not divided into rows.
pub fn wrong_rows(unit: &Unit<'_>, observation: &Observation) -> BTreeSet<usize> {
    match judgement::admission(unit, observation) {
        Admission::Violates { .. } => rows_that_differ(unit, &unit.allowed, observation),
        _ => BTreeSet::new(),
    }
}

/// How well a deviation fits the launches of a variant.
enum DeviationFit {
    /// It admits them all.
    Exact,
    /// It explains some mismatches, and fewer rows than the limit refute it.
    Refuted(NearestDeviation),
    /// It explains nothing, or at least as many rows as the limit refute it.
    Useless,
}

fn deviation_fit(deviation: Deviation, judged: &[JudgedLaunch<'_, '_>], limit: usize) -> DeviationFit {
    let semantics = Semantics::default().with(deviation);
    let (mut rows, mut first, mut explains) = (0, None, false);
    for (place, seen, wrong) in judged {
        // Behind the wrong launches: a deviation that explained none of them is useless.
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

/// Whether an observation shows semantics that the specification decides.
pub fn is_comparable(unit: &Unit<'_>, observation: &Observation) -> bool {
    let answered = matches!(
        observation,
        Observation::Completed { .. } | Observation::Faulted { .. } | Observation::TimedOut { .. }
    );
    answered && !matches!(judgement::admission(unit, observation), Admission::Indeterminate { .. })
}

/// Every deviation under which the observation of a single launch is allowed, in the catalogue's order.
///
/// The deviation applies to the whole reference, choices and masks included, and the observation is judged by the result. So an
/// undefined bit cannot hide an explanation, and a partial explanation does not count.
pub fn reproducing(unit: &Unit<'_>, observation: &Observation) -> Vec<Deviation> {
    diagnose(&[ObservedLaunch { unit, observation }]).exact
}

/// Whether the observation is allowed under these semantics.
pub fn reproduces(unit: &Unit<'_>, observation: &Observation, semantics: Semantics) -> bool {
    refutation(unit, observation, &semantics).is_none()
}

/// How the observation refutes these semantics; `None` if they admit it.
pub fn refutation(unit: &Unit<'_>, observation: &Observation, semantics: &Semantics) -> Option<Refutation> {
    admitted(unit, observation, semantics).err()
}

/// What these semantics allow, if they admit the observation; nothing where that is what the specification allows. The error is how it refutes
/// them.
fn admitted(
    unit: &Unit<'_>,
    observation: &Observation,
    semantics: &Semantics,
) -> Result<Option<Allowed>, Refutation> {
    let about = semantics.deviations().any(|deviation| may_show(deviation, &unit.compiled.checked));
    if !about {
        // They behave like the specification for this program.
        return match judgement::admission(unit, observation) {
            Admission::Conforms { .. } => Ok(None),
            admission => Err(refuted(unit, observation, unit.allowed.clone(), admission)),
        };
    }
    let launch = &unit.planned.launch;
    let steps = unit.most_steps();
    let Ok(mut allowed) = warpdiff_emulator::allowed_within(&unit.compiled.program, launch, semantics, steps)
    else {
        let allowed = Allowed { outcomes: Vec::new(), tolerances: Vec::new() };
        let admission = Admission::Violates { mismatches: Vec::new() };
        return Err(refuted(unit, observation, allowed, admission));
    };
    allowed.tolerate(&unit.planned.tolerances);
    // Held to the values that these semantics give, in any order.
    allowed.judge_permutations(&unit.planned.permutations());
    let mut admission = allowed.admits(observation);
    if !matches!(admission, Admission::Conforms { .. }) && !unit.planned.logs.is_empty() {
        // Logs of attempts are judged as histories; a deviation of the atomics themselves shows in their bytes.
        let mut logged = allowed.clone();
        logged.judge_logs(&unit.planned.logs);
        if matches!(logged.admits(observation), Admission::Conforms { .. }) {
            return Ok(Some(allowed));
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
        Admission::Conforms { .. } if predicts_what_is_wrong(&unit.allowed, &allowed, observation) => {
            Ok(Some(allowed))
        }
        Admission::Indeterminate { .. } if ends_alike(unit, observation, semantics) => Ok(Some(allowed)),
        _ if speaks_for_itself(unit, observation, semantics, &allowed) => Ok(Some(allowed)),
        admission => Err(refuted(unit, observation, allowed, admission)),
    }
}

/// Whether what semantics allow says anything of the bits in which an observation differs from the specification. Semantics that leave all of
/// those undefined admit whatever is there, and explain nothing. `true` if no bit differs, or if there is more than one outcome.
fn predicts_what_is_wrong(specified: &Allowed, allowed: &Allowed, observation: &Observation) -> bool {
    fn only(allowed: &Allowed) -> Option<&[MaskedRegion]> {
        match allowed.outcomes.as_slice() {
            [Outcome { permitted: Permitted::Completed { state }, .. }] => Some(&state.regions),
            _ => None,
        }
    }
    let Observation::Completed { state: seen } = observation else { return true };
    let (Some(specified), Some(allowed)) = (only(specified), only(allowed)) else { return true };
    let mut differs = false;
    for ((specified, allowed), seen) in specified.iter().zip(allowed).zip(&seen.regions) {
        // Most regions are right in every bit.
        if specified.region.bytes == seen.bytes {
            continue;
        }
        for (place, byte) in seen.bytes.iter().enumerate() {
            let of = |bytes: &[u8]| bytes.get(place).copied().unwrap_or_default();
            let fixed = of(&specified.defined) & !of(&specified.unordered);
            let wrong = (byte ^ of(&specified.region.bytes)) & fixed;
            differs |= wrong != 0;
            if wrong & (of(&allowed.defined) | of(&allowed.unordered)) != 0
                || wrong != 0 && allowed.values.iter().any(|value| value.range().contains(&place))
            {
                return true;
            }
        }
    }
    !differs
}

/// Whether an observation fits these semantics although they do not admit it. A deviation may make a launch race, or break the
/// histories of its atomics, so that it does not admit its own run either. Then an identical observation fits it, and an
/// observation that the specification allows does not refute it where the specification allows the deviation's own run as well: the
/// deviation does not show there. Where its own run is wrong, an observation that is right is of a target without it.
fn speaks_for_itself(
    unit: &Unit<'_>,
    observation: &Observation,
    semantics: &Semantics,
    allowed: &Allowed,
) -> bool {
    let Observation::Completed { state } = observation else { return false };
    // Its own run does not end.
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
    let is_right =
        |observed: &Observation| matches!(judgement::admission(unit, observed), Admission::Conforms { .. });
    is_right(observation) && is_right(&own) && !admits(allowed) && !admits(&logged)
}

/// Whether these semantics, which decide nothing about the launch, end it in the same way in their own run: an address of which they leave
/// some bits open, say, is misaligned there; or of a barrier that they decide nothing of threads wait for ever.
fn ends_alike(unit: &Unit<'_>, observation: &Observation, semantics: &Semantics) -> bool {
    if matches!(observation, Observation::Completed { .. }) {
        return false;
    }
    let own = warpdiff_emulator::observe(&unit.compiled.program, &unit.planned.launch, semantics);
    match (own, observation) {
        (Ok(Observation::Faulted { class: own, .. }), Observation::Faulted { class, .. }) => own == *class,
        (Ok(Observation::TimedOut { .. }), Observation::TimedOut { .. }) => true,
        _ => false,
    }
}

/// Whether these semantics predict an observation: they admit it, and leave no bit open that the specification fixes. What leaves bits open
/// admits any value of them, the right one and a wrong one.
pub fn predicts(unit: &Unit<'_>, observation: &Observation, semantics: &Semantics) -> bool {
    let allowed = match admitted(unit, observation, semantics) {
        Ok(Some(allowed)) => allowed,
        as_specified => return as_specified.is_ok(),
    };
    let (these, fixed) = (completed(&allowed), completed(&unit.allowed));
    // Without a state on one side there is a fault, which says all.
    these.is_empty()
        || fixed.first().is_none_or(|first| {
            let regions = 0..first.regions.len();
            regions.into_iter().all(|region| are_fixed(&these, &fixed, region))
        })
}

/// Whether one of these states fixes each bit of a region that all the others fix.
fn are_fixed(these: &[&MaskedState], all: &[&MaskedState], region: usize) -> bool {
    let compared = |state: &MaskedState, at: usize| {
        let region = state.regions.get(region)?;
        Some(region.defined.get(at)? & !region.unordered.get(at)?)
    };
    let len = all.first().map_or(0, |state| state.regions[region].defined.len());
    (0..len).all(|at| {
        let by_all = all.iter().filter_map(|state| compared(state, at)).fold(0xFF, |bits, its| bits & its);
        let by_these = these.iter().filter_map(|state| compared(state, at)).fold(0, |bits, its| bits | its);
        by_all & !by_these == 0
    })
}

fn completed(allowed: &Allowed) -> Vec<&MaskedState> {
    let states = allowed.outcomes.iter().filter_map(|outcome| match &outcome.permitted {
        Permitted::Completed { state } => Some(state),
        _ => None,
    });
    states.collect()
}

/// How an observation with other mismatches refutes these semantics: by a byte that agrees with the specification and not with
/// them. `None` if there is no such byte.
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
    let is_silent = matches!(admission, Admission::Conforms { .. });
    let mismatches = match admission {
        Admission::Violates { mismatches } => mismatches,
        _ => Vec::new(),
    };
    Refutation { allowed, mismatches, is_silent, rows }
}

/// Stands among the rows of a launch for the launch as a whole, or for memory that is not divided into rows.
const WHOLE: usize = usize::MAX;

/// The rows in which an observation differs from the nearest allowed outcome, by their position in the launch.
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
