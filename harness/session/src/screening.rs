//! Which deviations explain each wrong variant by itself.
//!
//! The whole catalogue is tried on a few small variants of each family of instructions. What fits one of them is tried on the rest, those
//! first that have fitted everything so far. What nothing explains so is tried with the whole catalogue again, a few variants at a time,
//! until that finds nothing new. So a deviation that fits all variants of a family is always found: it fits the first few. Deviations that
//! may explain one variant and leave the next alone, as those of a compiler, are tried on each.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use warpdiff_judge::diagnose::{Diagnosis, ObservedLaunch, diagnose, exact_among, is_comparable};
use warpdiff_judge::finding::{RefutedBy, RefutedDeviation, counterexample};
use warpdiff_judge::judgement;
use warpdiff_judge::reference::Unit;
use warpdiff_judge::site;
use warpdiff_model::{Admission, Deviation};
use warpdiff_targets::Answer;

use crate::judged_variant::JudgedVariant;

/// Variants on which the whole catalogue is tried at a time.
const PROBES: usize = 4;
/// Most rows of one of these, if there are smaller ones.
const PROBE_ROWS: usize = 512;
/// Most times that the whole catalogue is tried, for a target with many mistakes in one family.
const ROUNDS: usize = 16;
/// Variants that are tried with what explains others at a time.
const AT_A_TIME: usize = 64;

/// What is known of a wrong variant by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Screened {
    /// The deviations that reproduce everything observed of it, with the family of the instruction that each puts it down to.
    explained: Vec<(Deviation, Option<String>)>,
    /// The family of the instruction that it is put down to without a deviation.
    family: Option<String>,
    /// Without an explanation, if the whole catalogue was tried: the deviation that explains most of it.
    pub(crate) nearest: Option<RefutedDeviation>,
}

impl Screened {
    /// What the findings say.
    fn of_findings(judged: &JudgedVariant<'_, '_>) -> Self {
        let family = judged.blamed_family();
        let finding = judged.telling();
        let explained = finding.map(|finding| finding.explained.clone()).unwrap_or_default();
        Self {
            explained: explained.into_iter().map(|deviation| (deviation, family.clone())).collect(),
            family,
            nearest: finding.and_then(|finding| finding.refuted.clone()),
        }
    }

    /// The deviations that explain it, the first of `rank` first, and the family of the instruction that the first puts it down to.
    pub(crate) fn ranked(self, rank: impl Fn(Deviation) -> usize) -> (Vec<Deviation>, Option<String>) {
        let mut explained = self.explained;
        explained.sort_by_key(|(deviation, _)| rank(*deviation));
        let family = explained.first().map_or(self.family, |(_, family)| family.clone());
        (explained.into_iter().map(|(deviation, _)| deviation).collect(), family)
    }

    /// The deviations that explain it.
    pub(crate) fn deviations(&self) -> impl Iterator<Item = Deviation> {
        self.explained.iter().map(|(deviation, _)| *deviation)
    }
}

/// Screens the wrong variants among these: by their indices. `always` are tried on each of them.
pub(crate) fn screen(
    judged: &[JudgedVariant<'_, '_>],
    wrong: &[usize],
    always: &[Deviation],
) -> BTreeMap<usize, Screened> {
    let mut groups: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
    for index in wrong {
        groups.entry(judged[*index].blamed_family()).or_default().push(*index);
    }
    let groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.into_par_iter().flat_map_iter(|group| screen_group(judged, group, always)).collect()
}

/// Deviations that explain some variants of a group.
struct Candidates {
    /// Those that have fitted every variant so far.
    whole: Vec<Deviation>,
    /// Those that are tried on each variant, whatever else explains it.
    always: Vec<Deviation>,
    /// The others.
    broken: Vec<Deviation>,
}

impl Candidates {
    fn know(&self, deviation: Deviation) -> bool {
        [&self.whole, &self.always, &self.broken].into_iter().any(|list| list.contains(&deviation))
    }

    /// What each variant is tried with first, in the order of the catalogue.
    fn first(&self) -> Vec<Deviation> {
        let mut first: Vec<Deviation> = self.whole.iter().chain(&self.always).copied().collect();
        first.sort();
        first.dedup();
        first
    }

    /// Moves those that do not explain a variant.
    fn note(&mut self, screened: &Screened) {
        let explained: BTreeSet<Deviation> = screened.deviations().collect();
        self.broken.extend(self.whole.iter().filter(|deviation| !explained.contains(deviation)));
        self.whole.retain(|deviation| explained.contains(deviation));
    }
}

fn screen_group(
    judged: &[JudgedVariant<'_, '_>],
    mut open: Vec<usize>,
    always: &[Deviation],
) -> Vec<(usize, Screened)> {
    open.sort_by_key(|index| (judged[*index].rows, *index));
    let mut found: Vec<(usize, Screened)> = Vec::new();
    let mut candidates = Candidates { whole: Vec::new(), always: always.to_vec(), broken: Vec::new() };
    for round in 0..ROUNDS {
        let probes = probes(judged, &open);
        open.retain(|index| !probes.contains(index));
        let screened: Vec<Screened> = probes.par_iter().map(|index| examine(&judged[*index], None)).collect();
        let mut news = Vec::new();
        for deviation in screened.iter().flat_map(Screened::deviations) {
            if !candidates.know(deviation) {
                news.push(deviation);
                // What is new in a later round does not explain an earlier variant.
                let list = if round == 0 { &mut candidates.whole } else { &mut candidates.broken };
                list.push(deviation);
            }
        }
        screened.iter().for_each(|screened| candidates.note(screened));
        found.extend(probes.into_iter().zip(screened));
        if round == 0 {
            open = try_candidates(judged, &open, &mut candidates, &mut found);
        } else if !news.is_empty() {
            open = try_news(judged, &open, news.clone(), &mut found);
        }
        if open.is_empty() || news.is_empty() && round > 0 {
            break;
        }
    }
    found.extend(open.into_iter().map(|index| (index, Screened::of_findings(&judged[index]))));
    found
}

/// Tries what explains others on the variants, and returns those that it does not explain.
fn try_candidates(
    judged: &[JudgedVariant<'_, '_>],
    open: &[usize],
    candidates: &mut Candidates,
    found: &mut Vec<(usize, Screened)>,
) -> Vec<usize> {
    if candidates.first().is_empty() && candidates.broken.is_empty() {
        return open.to_vec();
    }
    let mut left = Vec::new();
    for some in open.chunks(AT_A_TIME) {
        let (before, broken) = (candidates.first(), &candidates.broken);
        let try_each = |index: &usize| {
            let first = (!before.is_empty()).then(|| examine(&judged[*index], Some(&before)));
            match first {
                Some(first) if !first.explained.is_empty() || broken.is_empty() => first,
                _ => examine(&judged[*index], Some(broken)),
            }
        };
        let screened: Vec<Screened> = some.par_iter().map(try_each).collect();
        for (index, screened) in some.iter().zip(screened) {
            candidates.note(&screened);
            match screened.explained.is_empty() {
                true => left.push(*index),
                false => found.push((*index, screened)),
            }
        }
    }
    left
}

/// Tries deviations that no earlier round knew on the variants that nothing known so far explains, and returns those that they do not explain
/// either.
fn try_news(
    judged: &[JudgedVariant<'_, '_>],
    open: &[usize],
    mut news: Vec<Deviation>,
    found: &mut Vec<(usize, Screened)>,
) -> Vec<usize> {
    news.sort();
    let screened: Vec<Screened> =
        open.par_iter().map(|index| examine(&judged[*index], Some(&news))).collect();
    let mut left = Vec::new();
    for (index, screened) in open.iter().zip(screened) {
        match screened.explained.is_empty() {
            true => left.push(*index),
            false => found.push((*index, screened)),
        }
    }
    left
}

/// A few of the variants to try the whole catalogue on: small ones, of different cases if there are, and the first of the corpus, which
/// reports show.
fn probes(judged: &[JudgedVariant<'_, '_>], open: &[usize]) -> Vec<usize> {
    let case = |index: usize| judged[index].variant.title.as_ref();
    let mut probes: Vec<usize> = open.iter().min().copied().into_iter().collect();
    probes.retain(|index| judged[*index].rows <= PROBE_ROWS);
    let small = || open.iter().filter(|index| judged[**index].rows <= PROBE_ROWS);
    for index in small() {
        if probes.len() < PROBES && probes.iter().all(|known| case(*known) != case(*index)) {
            probes.push(*index);
        }
    }
    for index in small() {
        if probes.len() < PROBES && !probes.contains(index) {
            probes.push(*index);
        }
    }
    if probes.is_empty() {
        probes.extend(open.first());
    }
    probes
}

/// What explains a variant, of these deviations or of the whole catalogue.
fn examine(judged: &JudgedVariant<'_, '_>, among: Option<&[Deviation]>) -> Screened {
    if let Some(screened) = among.and_then(|deviations| by_own_runs(judged, deviations)) {
        return screened;
    }
    let Some(launches) = judged.launches() else { return Screened::of_findings(judged) };
    let seen: Vec<ObservedLaunch<'_>> = launches
        .iter()
        .map(|(unit, answer)| ObservedLaunch { unit, observation: &answer.observation })
        .collect();
    let Diagnosis { exact, nearest } = match among {
        None => diagnose(&seen),
        Some(deviations) => Diagnosis { exact: exact_among(&seen, deviations), nearest: None },
    };
    let of_each = |deviation: Deviation| (deviation, family(&launches, Some(deviation)));
    let nearest = nearest.map(|nearest| {
        let ObservedLaunch { unit, observation } = seen[nearest.launch];
        RefutedDeviation {
            deviation: nearest.deviation,
            by: RefutedBy::Rows(nearest.rows),
            example: counterexample(unit, observation, &nearest.refutation),
        }
    });
    let explained = exact.into_iter().map(of_each).collect();
    Screened { explained, family: judged.blamed_family(), nearest }
}

/// What explains a variant, if the own run of each of these deviations that can explain it is what was observed, and puts it down to the same
/// instructions. `None` if it takes more to find out.
fn by_own_runs(judged: &JudgedVariant<'_, '_>, deviations: &[Deviation]) -> Option<Screened> {
    let family = judged.blamed_family();
    let mut explained = Vec::new();
    for deviation in deviations.iter().filter(|deviation| judged.is_authored(**deviation)) {
        let set = [*deviation];
        if !judged.is_own_run_of(&set) || !judged.keeps_sites_with(&set) {
            return None;
        }
        explained.push((*deviation, family.clone()));
    }
    Some(Screened { explained, family, nearest: None })
}

/// The family of the instruction that a variant is put down to.
fn family(launches: &[(Unit<'_>, Answer)], explained: Option<Deviation>) -> Option<String> {
    launches.iter().find_map(|(unit, answer)| {
        let observation = &answer.observation;
        let admission = judgement::admission(unit, observation);
        let raw = judgement::raw(observation, &admission);
        let Admission::Violates { mismatches } = admission else { return None };
        if raw.is_of_a_process() || !is_comparable(unit, observation) {
            return None;
        }
        let first = mismatches.first();
        Some(
            first.and_then(|it| site::find(&unit.compiled, &unit.planned, it, explained)).map(|it| it.family),
        )
    })?
}
