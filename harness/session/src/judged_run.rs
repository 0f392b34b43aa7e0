//! The variants of a run that a target answered; the wrong ones by the family of instructions that is to blame.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use warpdiff_judge::finding::Explanation;
use warpdiff_model::Deviation;

use crate::judged_variant::{JudgedVariant, Standing};
use crate::replays::{Replay, Replays};
use crate::screening::screen;
use crate::verdict::Verdict;

/// Variants that are checked at a time. A deviation that one of them refutes is not checked further.
const AT_A_TIME: usize = 64;
/// Variants that are checked first: what is wrong is mostly refuted at once.
const FIRST: usize = 4;

/// Most rows of wrong variants, and of right ones, of which it is asked what predicts them.
const PREDICTED: usize = 4_000;

/// The variants of a run that a target answered.
pub(crate) struct JudgedRun<'r, 'a> {
    /// By their index among all variants.
    pub(crate) judged: Vec<JudgedVariant<'r, 'a>>,
    /// The wrong ones, by the family of the instruction that they are put down to, if that is known.
    pub(crate) wrong: BTreeMap<Option<String>, Vec<usize>>,
    /// The wrong ones with a doubtful site: no single deviation explains them, and their programs have instructions of several
    /// wrong families.
    pub(crate) mixed: Vec<(Option<String>, usize)>,
}

impl<'r, 'a> JudgedRun<'r, 'a> {
    /// The run, of whose wrong variants nothing is known yet: see [`JudgedRun::screen`].
    pub(crate) fn of(verdicts: &'r [Verdict<'a>], target: usize) -> Self {
        let replays = Arc::new(Replays::default());
        let judged = verdicts.iter().map(|verdict| {
            let earned = &verdict.targets[target];
            let Verdict { variant, rows, instructions, .. } = verdict;
            let kept = earned.kept.as_deref();
            JudgedVariant {
                variant,
                instructions,
                earned,
                kept,
                rows: *rows,
                explained: Vec::new(),
                family: None,
                nearest: None,
                replay: Replay::default(),
                replays: Arc::clone(&replays),
            }
        });
        Self { judged: judged.collect(), wrong: BTreeMap::new(), mixed: Vec::new() }
    }

    /// The variants that are wrong, crashes aside.
    pub(crate) fn telling(&self) -> Vec<usize> {
        (0..self.judged.len()).filter(|index| self.judged[*index].telling().is_some()).collect()
    }

    /// Finds out what explains each wrong variant by itself. `always` are tried on each.
    pub(crate) fn screen(&mut self, always: &[Deviation]) {
        let screened = screen(&self.judged, &self.telling(), always);
        let mut counts: BTreeMap<Deviation, usize> = BTreeMap::new();
        for deviation in screened.values().flat_map(|screened| screened.deviations()) {
            *counts.entry(deviation).or_default() += 1;
        }
        // One that explains many variants is the likelier cause.
        let rank = |deviation: Deviation| usize::MAX - counts.get(&deviation).copied().unwrap_or(0);
        for (index, mut screened) in screened {
            let judged = &mut self.judged[index];
            judged.nearest = screened.nearest.take();
            (judged.explained, judged.family) = screened.ranked(rank);
        }
        self.group(&BTreeMap::new());
    }

    /// Puts each wrong variant down to these deviations, which explain all of them.
    pub(crate) fn put_down_to(&mut self, deviations: &[Deviation]) {
        for index in self.telling() {
            let judged = &mut self.judged[index];
            judged.family = judged.blamed_family();
            judged.explained = deviations.to_vec();
        }
        self.group(&BTreeMap::new());
    }

    /// Puts the wrong variants into their families. Those in `explained` need no explanation any more.
    pub(crate) fn group(&mut self, explained: &BTreeMap<usize, Explanation>) {
        self.wrong.clear();
        self.mixed.clear();
        for (index, judged) in self.judged.iter().enumerate() {
            if judged.telling().is_some() && !explained.contains_key(&index) {
                self.wrong.entry(judged.family.clone()).or_default().push(index);
            }
        }
        let families: BTreeSet<String> = self.wrong.keys().flatten().cloned().collect();
        let (judged, mixed) = (&self.judged, &mut self.mixed);
        for (family, wrong) in &mut self.wrong {
            wrong.retain(|index| {
                let judged = &judged[*index];
                let mut others = judged.instructions.intersection(&families);
                let doubtful =
                    judged.explained.is_empty() && others.any(|other| Some(other) != family.as_ref());
                if doubtful {
                    mixed.push((family.clone(), *index));
                }
                !doubtful
            });
        }
        self.wrong.retain(|_, wrong| !wrong.is_empty());
    }

    /// The wrong variants, each with the family of its site.
    pub(crate) fn wrong_variants(&self) -> Vec<(usize, Option<String>)> {
        let of_families = self.wrong.iter();
        let wrong = of_families.flat_map(|(family, of)| of.iter().map(move |index| (*index, family.clone())));
        let mixed = self.mixed.iter().map(|(family, index)| (*index, family.clone()));
        wrong.chain(mixed).collect()
    }

    /// The deviations that explain the variant by itself.
    pub(crate) fn explained(&self, index: usize) -> &[Deviation] {
        &self.judged[index].explained
    }

    /// The variants that do the instructions of this family right: those that are right, and those that are wrong because of
    /// another family. If the family is unknown, all that are right. The smallest come first: they refute as well as large ones.
    pub(crate) fn right(&self, family: Option<&str>) -> Vec<&JudgedVariant<'r, 'a>> {
        let has =
            |judged: &JudgedVariant<'_, '_>| family.is_none_or(|family| judged.instructions.contains(family));
        let is_other = |of: &String| family.is_some_and(|family| of != family);
        let mut right: Vec<_> =
            self.judged.iter().filter(|judged| judged.does_right(is_other) && has(judged)).collect();
        right.sort_by_key(|judged| judged.rows);
        right
    }

    /// How many variants have an instruction of one of these families and are right, or wrong because of another family. If there are none, how many
    /// are right.
    pub(crate) fn right_beside(&self, families: &[String]) -> usize {
        let families: BTreeSet<&String> = families.iter().collect();
        let is_of = |family: &String| families.is_empty() || families.contains(family);
        let is_right = |judged: &&JudgedVariant<'_, '_>| {
            let has = families.is_empty() || judged.instructions.iter().any(is_of);
            has && judged.does_right(|family| !is_of(family))
        };
        self.judged.iter().filter(is_right).count()
    }

    /// How many variants each of several sets does not predict, of the wrong ones and of all right ones of the run that it may show in: those of
    /// other instructions, too, which it gets wrong or leaves open there. The smallest are looked at. Of a set that has more of them than
    /// the first set only so many are counted as show that; if the first set predicts everything, those of a lower score are not looked
    /// at, and have [`usize::MAX`].
    pub(crate) fn unpredicted(
        &self,
        wrong: &[usize],
        sets: &[Vec<Deviation>],
        score: impl Fn(&[Deviation]) -> usize,
    ) -> Vec<usize> {
        let all = self.asked(wrong, sets);
        let mut counts = vec![0; sets.len()];
        count_unpredicted(&all, sets, vec![0], usize::MAX, &mut counts);
        let least = counts[0];
        let (open, beaten): (Vec<usize>, Vec<usize>) =
            (1..sets.len()).partition(|set| least > 0 || score(&sets[*set]) >= score(&sets[0]));
        beaten.into_iter().for_each(|set| counts[set] = usize::MAX);
        count_unpredicted(&all, sets, open, least, &mut counts);
        counts
    }

    /// The wrong variants, and right ones that one of the sets may show in; few rows of both.
    fn asked(&self, wrong: &[usize], sets: &[Vec<Deviation>]) -> Vec<Asked<'_, 'r, 'a>> {
        let mut wrong: Vec<_> = wrong.iter().map(|index| &self.judged[*index]).collect();
        wrong.sort_by_key(|judged| judged.rows);
        let of_wrong = |judged| Asked { judged, shown: (0..sets.len()).collect() };
        let mut asked: Vec<Asked<'_, 'r, 'a>> = wrong.into_iter().map(of_wrong).collect();
        asked.truncate(of_few_rows(&asked));
        let tried: Vec<&[Deviation]> = sets.iter().map(Vec::as_slice).collect();
        let of_right = |judged: &&'_ JudgedVariant<'r, 'a>| {
            let is_authored = |set: &usize| judged.has_instruction_for(&sets[*set]);
            if !(0..sets.len()).any(|set| is_authored(&set)) {
                return Vec::new();
            }
            let shows = judged.show(&tried);
            let shown: Vec<usize> = (0..sets.len()).filter(|set| shows[*set]).collect();
            if shown.iter().any(is_authored) { shown } else { Vec::new() }
        };
        let mut right: Vec<Asked<'_, 'r, 'a>> = Vec::new();
        for some in self.right(None).chunks(AT_A_TIME) {
            let shown: Vec<Vec<usize>> = some.par_iter().map(of_right).collect();
            let each = some.iter().zip(shown).filter(|(_, shown)| !shown.is_empty());
            right.extend(each.map(|(judged, shown)| Asked { judged, shown }));
            let fits = of_few_rows(&right);
            if fits < right.len() {
                right.truncate(fits);
                break;
            }
        }
        asked.extend(right);
        asked
    }

    /// How each of several sets of deviations fits these variants.
    pub(crate) fn standing(
        &self,
        family: Option<&str>,
        sets: &[Vec<Deviation>],
        variants: &[&JudgedVariant<'r, 'a>],
        room: &mut usize,
    ) -> Vec<Standing> {
        let mut standing = vec![Standing::Fits; sets.len()];
        for some in growing_chunks(variants) {
            let is_open = |set: &usize| matches!(standing[*set], Standing::Fits | Standing::Silent(_));
            let open: Vec<usize> = (0..sets.len()).filter(is_open).collect();
            if open.is_empty() {
                break;
            }
            let rows: usize = some.iter().map(|judged| judged.rows).sum();
            let cost = rows * open.len();
            if cost > *room {
                let of = family.unwrap_or("the instruction");
                let why = format!("not checked against everything observed of {of}: too many rows");
                open.iter().for_each(|set| standing[*set] = Standing::Unchecked(why.clone()));
                return standing;
            }
            *room -= cost;
            let tried: Vec<&[Deviation]> = open.iter().map(|set| sets[*set].as_slice()).collect();
            let found: Vec<Vec<Standing>> =
                some.par_iter().map(|judged| judged.against(family, &tried)).collect();
            for found in found {
                for (set, found) in open.iter().zip(found) {
                    match (&standing[*set], &found) {
                        (Standing::Fits, _) => standing[*set] = found,
                        (Standing::Silent(_), Standing::RefutedDeviation(_) | Standing::Unchecked(_)) => {
                            standing[*set] = found;
                        }
                        _ => {}
                    }
                }
            }
        }
        standing
    }
}

/// The variants, a few first and then twice as many each time.
fn growing_chunks<T>(mut variants: &[T]) -> impl Iterator<Item = &[T]> {
    let mut at_a_time = FIRST;
    std::iter::from_fn(move || {
        let (some, rest) = variants.split_at(at_a_time.min(variants.len()));
        variants = rest;
        at_a_time = AT_A_TIME.min(2 * at_a_time);
        (!some.is_empty()).then_some(some)
    })
}

/// A variant of which it is asked what predicts it.
struct Asked<'s, 'r, 'a> {
    judged: &'s JudgedVariant<'r, 'a>,
    /// The sets that may show in it, by their indices.
    shown: Vec<usize>,
}

/// Counts for each of the sets in `open` the variants that it does not predict, until there are more than `limit`.
fn count_unpredicted(
    all: &[Asked<'_, '_, '_>],
    sets: &[Vec<Deviation>],
    mut open: Vec<usize>,
    limit: usize,
    counts: &mut [usize],
) {
    let missed = |asked: &Asked<'_, '_, '_>, open: &[usize]| {
        let tried: Vec<usize> = open.iter().copied().filter(|set| asked.shown.contains(set)).collect();
        let predicted = asked.judged.predicted_by(tried.iter().map(|set| sets[*set].as_slice()));
        tried.into_iter().zip(predicted).filter(|(_, predicted)| !predicted).map(|(set, _)| set).collect()
    };
    for some in all.chunks(AT_A_TIME) {
        if open.is_empty() {
            break;
        }
        let missed: Vec<Vec<usize>> = some.par_iter().map(|asked| missed(asked, &open)).collect();
        missed.into_iter().flatten().for_each(|set| counts[set] += 1);
        open.retain(|set| counts[*set] <= limit);
    }
}

/// How many of the first of these variants have few rows together.
fn of_few_rows(variants: &[Asked<'_, '_, '_>]) -> usize {
    let mut room = PREDICTED;
    let fits = |asked: &&Asked<'_, '_, '_>| {
        room = room.saturating_sub(asked.judged.rows.max(1));
        room > 0
    };
    variants.iter().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_variants_are_checked_in_their_order_few_of_them_first() {
        let variants: Vec<usize> = (0..150).collect();
        let sizes: Vec<usize> = growing_chunks(&variants).map(<[usize]>::len).collect();
        assert_eq!(sizes, [4, 8, 16, 32, 64, 26]);
        assert_eq!(growing_chunks(&variants).flatten().copied().collect::<Vec<_>>(), variants);
        assert_eq!(growing_chunks::<usize>(&[]).count(), 0);
    }
}
