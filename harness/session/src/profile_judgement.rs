//! Holds what a target did against its profile: which variants the known deviations reproduce, which known deviations do not show where they
//! would, and which choices were decided otherwise.
//!
//! A failing variant is known if the reference with some of the profile's deviations admits every launch of it, the right ones included: so
//! another bug at the same place is not known. A deviation is missed where a variant of the run refutes it, that is where an
//! implementation with it would have done something else.

use std::collections::BTreeSet;

use rayon::prelude::*;
use warpdiff_corpus::plan::Work;
use warpdiff_expectations::cause::Failure;
use warpdiff_expectations::profile::Profile;
use warpdiff_judge::diagnose::{is_comparable, refutation};
use warpdiff_judge::judgement;
use warpdiff_judge::reference::{RecentPrograms, Unit};
use warpdiff_judge::shown_by::may_show;
use warpdiff_model::choice::ChoiceInfo;
use warpdiff_model::{Admission, Deviation, Semantics};
use warpdiff_targets::Answer;

use crate::characterize::alternatives_taken;
use crate::profiled::Profiled;
use crate::verdict::{TargetVerdict, Verdict};

/// Most sets of known deviations that are tried on a variant.
const SETS: usize = 256;

/// Holds the verdicts of a target against its profile.
pub(crate) fn judge(verdicts: &mut [Verdict<'_>], target: usize, profile: &Profile) {
    let named: Vec<Deviation> = profile.deviations.iter().map(|known| known.deviation).collect();
    let judged =
        |verdict: &Verdict<'_>| verdict.reference.raw.is_right() && !verdict.targets[target].unclaimed;
    // Wrong variants first: where a compiler applied a deviation, nothing is asked of the programs that it left alone.
    verdicts.par_iter_mut().filter(|verdict| judged(verdict)).for_each(|verdict| {
        let earned = &verdict.targets[target];
        if earned.findings.is_empty() {
            return;
        }
        let profiled = Launches::of(verdict, target).map_or_else(
            || Profiled { shows: by_diagnosis(earned, &named), ..Profiled::default() },
            |launches| launches.failing(&named, profile),
        );
        verdict.targets[target].profiled = Some(profiled);
    });
    let shown: BTreeSet<Deviation> = verdicts
        .iter()
        .filter_map(|v| v.targets[target].profiled.as_ref())
        .flat_map(|p| p.shows.clone())
        .collect();
    let asked: Vec<Deviation> =
        named.into_iter().filter(|d| !d.entry().optional || !shown.contains(d)).collect();
    verdicts.par_iter_mut().filter(|verdict| judged(verdict)).for_each(|verdict| {
        let earned = &verdict.targets[target];
        if !earned.raw.is_right() || !earned.findings.is_empty() {
            return;
        }
        let launches = Launches::of(verdict, target);
        verdict.targets[target].profiled = launches.map(|launches| launches.right(&asked, profile));
    });
}

/// The known deviations that the diagnosis names, where the observations were too large to be kept and run against.
fn by_diagnosis(earned: &TargetVerdict, named: &[Deviation]) -> Vec<Deviation> {
    let mut all = BTreeSet::new();
    for finding in &earned.findings {
        let Failure { deviations, together, .. } = Failure::of(finding);
        let known = deviations.iter().filter(|deviation| named.contains(deviation));
        match together {
            true if deviations.iter().all(|deviation| named.contains(deviation)) => all.extend(known),
            false if deviations.iter().any(|deviation| named.contains(deviation)) => {
                all.extend(known.take(1))
            }
            _ => return Vec::new(),
        }
    }
    all.into_iter().collect()
}

/// The launches of a variant with their answers, those that show semantics.
struct Launches<'a>(Vec<(Unit<'a>, Answer)>);

impl<'a> Launches<'a> {
    /// `None` if there are none, or if they were too large to keep.
    fn of(verdict: &Verdict<'a>, target: usize) -> Option<Self> {
        let Work::Launches(_) = &verdict.variant.work else { return None };
        let mut launches =
            verdict.targets[target].kept.as_ref()?.replay(verdict.variant, &RecentPrograms::default())?;
        launches.retain(|(unit, answer)| is_comparable(unit, &answer.observation));
        Some(Self(launches))
    }

    /// Those of these deviations that can show in a program of the variant.
    fn visible(&self, deviations: &[Deviation]) -> Vec<Deviation> {
        let shows = |d: &Deviation| self.0.iter().any(|(unit, _)| may_show(*d, &unit.compiled.checked));
        deviations.iter().copied().filter(shows).collect()
    }

    /// Whether an implementation with these deviations may have done all of it.
    fn fit(&self, deviations: &[Deviation]) -> bool {
        let semantics = with(deviations);
        self.0.iter().all(|(unit, answer)| refutation(unit, &answer.observation, &semantics).is_none())
    }

    fn failing(&self, named: &[Deviation], profile: &Profile) -> Profiled {
        let is_wrong = |(unit, answer): &(Unit<'_>, Answer)| {
            matches!(judgement::admission(unit, &answer.observation), Admission::Violates { .. })
        };
        if !self.0.iter().any(is_wrong) {
            return Profiled::default();
        }
        let visible = self.visible(named);
        let shows = sets(&visible).find(|set| self.fit(set)).unwrap_or_default();
        if shows.is_empty() {
            return Profiled::default();
        }
        // What a compiler applies in some programs is not missed where another one shows.
        let rest = visible.iter().copied().filter(|d| !d.entry().optional).collect::<Vec<_>>();
        Profiled { misses: self.missed(&shows, &rest), others: self.others(&shows, profile), shows }
    }

    fn right(&self, asked: &[Deviation], profile: &Profile) -> Profiled {
        let misses = self.missed(&[], &self.visible(asked));
        Profiled { shows: Vec::new(), misses, others: self.others(&[], profile) }
    }

    /// Those of `asked` that the variant refutes besides those that show.
    fn missed(&self, shows: &[Deviation], asked: &[Deviation]) -> Vec<Deviation> {
        let missed = |d: &Deviation| !shows.contains(d) && !self.fit(&[shows, &[*d]].concat());
        asked.iter().copied().filter(missed).collect()
    }

    /// The choices that were decided otherwise than the profile says.
    fn others(&self, shows: &[Deviation], profile: &Profile) -> Vec<(&'static ChoiceInfo, Vec<u8>)> {
        let mut others: Vec<(&'static ChoiceInfo, Vec<u8>)> = Vec::new();
        if profile.choices.is_empty() {
            return others;
        }
        let (semantics, is_known) = (with(shows), |info: &ChoiceInfo| profile.choice(info.choice).is_some());
        let taken = self
            .0
            .iter()
            .flat_map(|(unit, answer)| alternatives_taken(unit, &answer.observation, semantics, is_known));
        for (info, taken) in taken {
            let Some(known) = profile.choice(info.choice) else { continue };
            if taken.is_empty() || taken.iter().any(|alternative| known.takes.contains(alternative)) {
                continue;
            }
            match others.iter_mut().find(|(other, _)| other.choice == info.choice) {
                Some((_, all)) => {
                    all.extend(taken.iter().filter(|one| !all.contains(one)).copied().collect::<Vec<_>>())
                }
                None => others.push((info, taken)),
            }
        }
        others
    }
}

fn with(deviations: &[Deviation]) -> Semantics {
    deviations.iter().fold(Semantics::default(), |all, deviation| all.with(*deviation))
}

/// Sets of these deviations, the smallest first, and each deviation before those that follow it. Beyond [`SETS`] only all of them together.
fn sets(of: &[Deviation]) -> impl Iterator<Item = Vec<Deviation>> {
    let mut sets: Vec<Vec<Deviation>> = Vec::new();
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    while !last.is_empty() && sets.len() < SETS {
        let grown = |set: &Vec<usize>| {
            let from = set.last().map_or(0, |last| last + 1);
            let set = set.clone();
            (from..of.len()).map(move |next| [set.as_slice(), &[next]].concat())
        };
        last = last.iter().flat_map(grown).take(SETS - sets.len()).collect();
        sets.extend(last.iter().map(|set| set.iter().map(|index| of[*index]).collect::<Vec<_>>()));
    }
    if !of.is_empty() && !sets.iter().any(|set| set.len() == of.len()) {
        sets.push(of.to_vec());
    }
    sets.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_grow_and_end_with_all() {
        let all: Vec<Deviation> = Deviation::all().take(3).collect();
        let sizes: Vec<usize> = sets(&all).map(|set| set.len()).collect();
        assert_eq!(sizes, [1, 1, 1, 2, 2, 2, 3]);
        assert_eq!(sets(&[]).count(), 0);
        let many: Vec<Deviation> = Deviation::all().take(30).collect();
        assert_eq!(sets(&many).count(), SETS + 1);
        assert_eq!(sets(&many).last(), Some(many.clone()));
        let distinct: BTreeSet<Vec<Deviation>> = sets(&many).collect();
        assert_eq!(distinct.len(), SETS + 1);
    }
}
