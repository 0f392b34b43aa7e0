//! The deviations that reproduce everything observed of one family of instructions: one, two together, or more.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use warpdiff_judge::finding::{Explanation, RefutedBy, RefutedDeviation};
use warpdiff_judge::narrower::{is_narrower, is_narrower_set};
use warpdiff_model::Deviation;

use crate::diagnosis::Nearest;
use crate::judged_run::JudgedRun;
use crate::judged_variant::{JudgedVariant, Standing};
use crate::pairs;

/// Most deviations that are tried together.
const TOGETHER: usize = 4;
/// Wrong variants of which pairs are looked for, if no deviation explains them.
const PAIRED: usize = 3;
/// Most pairs that are tried on everything observed.
const PAIRS: usize = 256;

/// What fits a family of instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct FamilyDiagnosis {
    /// Sets of deviations: the members of each together reproduce everything observed of the family. All are of the same size, the
    /// smallest that is enough. Empty if nothing does.
    pub(crate) sets: Vec<Vec<Deviation>>,
    /// Deviations that reproduce everything as well, and are not named.
    pub(crate) wider: Vec<Deviation>,
    /// Why `sets` were not checked against everything.
    pub(crate) unchecked: Option<String>,
    /// Whether they decide nothing of what is wrong in the family: they are known by other families.
    pub(crate) is_silent: bool,
    /// If there are no sets: the deviation that explains the most.
    pub(crate) nearest: Option<Nearest>,
}

impl<'r, 'a> JudgedRun<'r, 'a> {
    /// Diagnoses the variants that are wrong because of one family.
    pub(crate) fn diagnose_family(
        &self,
        family: Option<&str>,
        wrong: &[usize],
        room: &mut usize,
    ) -> FamilyDiagnosis {
        let mut counts: BTreeMap<Deviation, usize> = BTreeMap::new();
        for deviation in wrong.iter().flat_map(|index| self.explained(*index)) {
            *counts.entry(*deviation).or_default() += 1;
        }
        let mut candidates: Vec<Deviation> = counts.keys().copied().collect();
        candidates.sort_by_key(|deviation| Reverse(counts[deviation]));
        let right = self.right(family);
        let found = |sets, unchecked| FamilyDiagnosis { sets, unchecked, ..FamilyDiagnosis::default() };
        let alone: Vec<Vec<Deviation>> = candidates.iter().map(|deviation| vec![*deviation]).collect();
        let standing = self.standing(family, &alone, &right, room);
        let whole = |set: &Vec<Deviation>| set.iter().all(|one| counts[one] == wrong.len());
        let (sets, unchecked) = unrefuted(alone.iter().zip(&standing).filter(|(set, _)| whole(set)));
        if !sets.is_empty() {
            return found(sets, unchecked);
        }
        let (left, _) = unrefuted(alone.iter().zip(&standing));
        let left: Vec<Deviation> = left.into_iter().flatten().collect();
        let shown = left.iter().copied().filter(|deviation| 2 * counts[deviation] >= wrong.len());
        let shown: Vec<Vec<Deviation>> = shown.map(|deviation| vec![deviation]).collect();
        let (sets, unchecked) = self.silent_elsewhere(family, wrong, &shown, room);
        if !sets.is_empty() {
            return found(sets, unchecked);
        }
        let all = self.wrong_then_right(wrong, &right);
        // One variant may be wrong for another reason: then the next is asked.
        let of_one =
            self.unexplained(wrong).into_iter().map(|index| pairs::explaining(&self.judged[index], &left));
        let more = std::iter::once_with(|| self.pairs(wrong, &left))
            .chain(std::iter::once_with(|| self.covering(wrong, &left)));
        for mut sets in of_one.chain(more) {
            sets.truncate(PAIRS);
            let standing = self.standing(family, &sets, &all, room);
            let (sets, unchecked) = unrefuted(sets.iter().zip(&standing).filter(|(_, it)| !it.is_silent()));
            if !sets.is_empty() {
                return found(sets, unchecked);
            }
        }
        FamilyDiagnosis {
            nearest: self.nearest(family, wrong, &candidates, &standing),
            ..found(Vec::new(), None)
        }
    }

    /// Of deviations that explain some of these variants those that leave open what is wrong in the rest. An address that they give out, say, is
    /// another one on the target: what is wrong there is no evidence against them.
    fn silent_elsewhere(
        &self,
        family: Option<&str>,
        wrong: &[usize],
        shown: &[Vec<Deviation>],
        room: &mut usize,
    ) -> (Vec<Vec<Deviation>>, Option<String>) {
        let stands = |set: &Vec<Deviation>| {
            let explains = |index: &&usize| set.iter().all(|one| self.explained(**index).contains(one));
            let rest = wrong.iter().filter(|index| !explains(index));
            let rest: Vec<&JudgedVariant<'_, '_>> = rest.map(|index| &self.judged[*index]).collect();
            self.standing(family, std::slice::from_ref(set), &rest, room).remove(0)
        };
        let standing: Vec<Standing> = shown.iter().map(stands).collect();
        unrefuted(shown.iter().zip(&standing))
    }

    /// Diagnoses a family by what others are put down to: what the kernel around an author's instructions shows is looked for where an author
    /// wrote such an instruction, and makes every other case wrong as well.
    pub(crate) fn diagnose_by_others(
        &self,
        family: Option<&str>,
        wrong: &[usize],
        known: &[Deviation],
        room: &mut usize,
    ) -> Option<FamilyDiagnosis> {
        let sets: Vec<Vec<Deviation>> = known.iter().map(|deviation| vec![*deviation]).collect();
        let right = self.right(family);
        let standing = self.standing(family, &sets, &self.wrong_then_right(wrong, &right), room);
        let decided = sets.iter().zip(&standing).filter(|(_, standing)| !standing.is_silent());
        let (decided, unchecked) = unrefuted(decided);
        let found = FamilyDiagnosis { sets: decided, unchecked, ..FamilyDiagnosis::default() };
        if !found.sets.is_empty() {
            return Some(found);
        }
        // What the target is known to do by other families decides nothing here: then these variants tell nothing more.
        let (sets, unchecked) = unrefuted(sets.iter().zip(&standing));
        let is_silent = !sets.is_empty();
        is_silent.then(|| FamilyDiagnosis { sets, unchecked, is_silent, ..FamilyDiagnosis::default() })
    }

    /// The wrong variants, those of few rows first, and the right ones behind them: the order in which a set is refuted soonest.
    pub(crate) fn wrong_then_right<'s>(
        &'s self,
        wrong: &[usize],
        right: &[&'s JudgedVariant<'r, 'a>],
    ) -> Vec<&'s JudgedVariant<'r, 'a>> {
        let mut judged: Vec<_> = wrong.iter().map(|index| &self.judged[*index]).collect();
        judged.sort_by_key(|judged| judged.rows);
        judged.extend(right);
        judged
    }

    /// A few variants that nothing explains alone: small ones, of different cases if there are.
    fn unexplained(&self, wrong: &[usize]) -> Vec<usize> {
        let mut unexplained: Vec<usize> =
            wrong.iter().copied().filter(|index| self.explained(*index).is_empty()).collect();
        unexplained.sort_by_key(|index| self.judged[*index].rows);
        let mut cases = BTreeSet::new();
        let (mut few, others): (Vec<usize>, Vec<usize>) =
            unexplained.into_iter().partition(|index| cases.insert(&self.judged[*index].variant.title));
        few.extend(others);
        few.truncate(PAIRED);
        few
    }

    /// Pairs of which each variant is explained by one member or the other.
    fn pairs(&self, wrong: &[usize], left: &[Deviation]) -> Vec<Vec<Deviation>> {
        let mut sets: Vec<Vec<Deviation>> = Vec::new();
        for (place, first) in left.iter().enumerate() {
            for second in &left[place + 1..] {
                let has = |index: &usize| {
                    let explained = self.explained(*index);
                    explained.contains(first) || explained.contains(second)
                };
                if wrong.iter().all(has) {
                    sets.push(vec![*first, *second]);
                }
            }
        }
        sets
    }

    /// Sets of several deviations of which each variant is explained by one, and one set for each interchangeable member.
    fn covering(&self, wrong: &[usize], left: &[Deviation]) -> Vec<Vec<Deviation>> {
        let mut open: Vec<usize> = wrong.to_vec();
        let mut set: Vec<Deviation> = Vec::new();
        while set.len() < TOGETHER {
            let count =
                |d: &Deviation| open.iter().filter(|index| self.explained(**index).contains(d)).count();
            let best = left.iter().copied().rev().max_by_key(|d| count(d)).filter(|d| count(d) > 0);
            let Some(best) = best else { break };
            set.push(best);
            open.retain(|index| !self.explained(*index).contains(&best));
        }
        if set.len() < 2 {
            return Vec::new();
        }
        let mut sets = vec![set.clone()];
        for (place, member) in set.iter().enumerate() {
            let theirs = |index: &&usize| self.explained(**index).contains(member);
            let others = left.iter().filter(|other| !set.contains(other)).filter(|other| {
                wrong.iter().filter(theirs).all(|index| self.explained(*index).contains(other))
            });
            sets.extend(others.map(|other| {
                let mut swapped = set.clone();
                swapped[place] = *other;
                swapped
            }));
        }
        sets
    }

    /// The deviation that explains the most variants, or else the most rows of one, with what refutes it.
    fn nearest(
        &self,
        family: Option<&str>,
        wrong: &[usize],
        candidates: &[Deviation],
        standing: &[Standing],
    ) -> Option<Nearest> {
        if let Some(deviation) = candidates.first() {
            let explains = wrong.iter().filter(|index| self.explained(**index).contains(deviation)).count();
            let refuted = match &standing[0] {
                Standing::RefutedDeviation(refuted) | Standing::Silent(refuted) => Some(refuted.clone()),
                _ => {
                    let open = wrong.iter().filter(|index| !self.explained(**index).contains(deviation));
                    open.map(|index| &self.judged[*index])
                        .find_map(|judged| judged.refutation_of(family, *deviation))
                }
            }?;
            let RefutedBy::Variant { id, .. } = &refuted.by else { return None };
            return Some(Nearest { explains, variant: id.clone(), refuted });
        }
        let rows = |refuted: &RefutedBy| match refuted {
            RefutedBy::Rows(rows) => *rows,
            RefutedBy::Variant { .. } => usize::MAX,
        };
        let known = wrong.iter().filter_map(|index| {
            let judged = &self.judged[*index];
            Some((judged.nearest.as_ref()?, judged.variant))
        });
        let (refuted, variant) = known.min_by_key(|(refuted, _)| rows(&refuted.by))?;
        Some(Nearest { explains: 0, refuted: refuted.clone(), variant: variant.id.clone() })
    }

    /// The explanation of each wrong variant of a family, by what fits the whole family.
    pub(crate) fn explanations(
        &self,
        wrong: &[usize],
        diagnosis: &FamilyDiagnosis,
    ) -> Vec<(usize, Explanation)> {
        let FamilyDiagnosis { sets, unchecked, .. } = diagnosis;
        let members: BTreeSet<Deviation> = sets.iter().flatten().copied().collect();
        let explanation = |index: &usize| {
            let judged = &self.judged[*index];
            if sets.is_empty() {
                // What explains this variant, and is refuted elsewhere; or what explains some of its rows.
                let nearest = diagnosis.nearest.as_ref();
                let nearest = nearest.filter(|it| judged.explained.contains(&it.refuted.deviation));
                let refuted = nearest.map(|it| it.refuted.clone()).or_else(|| judged.nearest.clone());
                return (*index, Explanation { refuted, ..Explanation::default() });
            }
            let mut alone: Vec<Deviation> =
                judged.explained.iter().copied().filter(|deviation| members.contains(deviation)).collect();
            without_wider(&mut alone);
            alone.sort_by_key(|deviation| sets.iter().position(|set| set.contains(deviation)));
            let by_set = alone.is_empty();
            let mut deviations = if by_set { sets[0].clone() } else { alone };
            let together = by_set && deviations.len() > 1;
            if together {
                deviations.sort();
            }
            let unchecked = unchecked.clone();
            (*index, Explanation { deviations, together, unchecked, ..Explanation::default() })
        };
        wrong.iter().map(explanation).collect()
    }
}

impl FamilyDiagnosis {
    /// Takes back what fits so many variants: another variant, with instructions of several wrong families, refutes it.
    pub(crate) fn refute(&mut self, by: RefutedDeviation, explains: usize) {
        let Some(deviation) = std::mem::take(&mut self.sets).into_iter().flatten().next() else { return };
        self.wider.clear();
        let RefutedBy::Variant { id, .. } = &by.by else { return };
        let variant = id.clone();
        self.nearest = Some(Nearest { explains, refuted: RefutedDeviation { deviation, ..by }, variant });
    }

    /// Names the narrowest sets, first those that explain the most families: `score` is the number of families that a deviation explains
    /// alone.
    pub(crate) fn choose(&mut self, score: impl Fn(Deviation) -> usize) {
        let all = std::mem::take(&mut self.sets);
        let score = |set: &[Deviation]| score_of(set, &score);
        // One wide cause of several families is likelier than a narrow one of this family and others of the rest.
        let is_wide = |set: &Vec<Deviation>| {
            all.iter().any(|other| is_narrower_set(other, set) && score(other) >= score(set))
        };
        let (wide, mut named): (Vec<_>, Vec<_>) = all.iter().cloned().partition(is_wide);
        let members: BTreeSet<Deviation> = named.iter().flatten().copied().collect();
        let mut wider: Vec<Deviation> =
            wide.into_iter().flatten().filter(|deviation| !members.contains(deviation)).collect();
        wider.sort();
        wider.dedup();
        named.sort_by_key(|set| Reverse(score(set)));
        (self.sets, self.wider) = (named, wider);
    }

    /// Of several sets names those that leave the fewest variants of the run unpredicted, and of these what explains the most families; beside
    /// them what explains still more. `unpredicted` has the number of variants for each set.
    pub(crate) fn prefer(&mut self, unpredicted: &[usize], score: impl Fn(Deviation) -> usize) {
        let score = |set: &Vec<Deviation>| score_of(set, &score);
        let least = unpredicted.iter().min().copied().unwrap_or_default();
        let counted = self.sets.iter().zip(unpredicted);
        let best = counted.clone().filter(|(_, count)| **count == least).map(|(set, _)| score(set)).max();
        let mut left: Vec<(Vec<Deviation>, usize)> = counted
            .filter(|(set, count)| Some(score(set)) > best || **count == least && Some(score(set)) == best)
            .map(|(set, count)| (set.clone(), *count))
            .collect();
        left.sort_by_key(|(set, count)| (Reverse(score(set)), *count));
        self.sets = left.into_iter().map(|(set, _)| set).collect();
    }
}

/// The number of families that a set explains: of several deviations together it is not counted.
pub(crate) fn score_of(set: &[Deviation], score: impl Fn(Deviation) -> usize) -> usize {
    match set {
        [one] => score(*one),
        _ => 0,
    }
}

/// Leaves out deviations that others of the list are narrower than.
fn without_wider(deviations: &mut Vec<Deviation>) {
    let all = deviations.clone();
    deviations.retain(|deviation| !all.iter().any(|other| is_narrower(*other, *deviation)));
}

/// The sets that nothing refutes, and why one of them was not checked against everything.
pub(crate) fn unrefuted<'s>(
    sets: impl Iterator<Item = (&'s Vec<Deviation>, &'s Standing)>,
) -> (Vec<Vec<Deviation>>, Option<String>) {
    let mut unchecked = None;
    let left = sets.filter_map(|(set, standing)| match standing {
        Standing::Fits | Standing::Silent(_) => Some(set.clone()),
        Standing::Unchecked(why) => {
            unchecked = Some(why.clone());
            Some(set.clone())
        }
        Standing::RefutedDeviation(_) => None,
    });
    let left = left.collect();
    (left, unchecked)
}
