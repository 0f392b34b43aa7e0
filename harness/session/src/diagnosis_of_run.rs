//! Which explanation holds for a whole run: each is checked against everything observed of the instruction.
//!
//! A deviation may explain one case by accident, and another case of the same instruction refutes it. So it is named only if it
//! admits every launch of every variant of the run that has the instruction, the right ones and those that are wrong because of it.
//! A target may have several deviations, so several may explain the variants together.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_emulator::compile;
use warpdiff_judge::diagnose::{Refutation, is_comparable, refutation, spoiling};
use warpdiff_judge::finding::{Explanation, RefutedBy, RefutedDeviation, counterexample};
use warpdiff_judge::reference::Unit;
use warpdiff_judge::shown_by::may_show;
use warpdiff_model::{Deviation, Semantics};
use warpdiff_targets::Answer;

use crate::kept_observations::KeptObservations;
use crate::target_verdict::findings;
use crate::verdict::{TargetVerdict, Verdict};

/// Most rows that the emulator runs for one target of a run, counted once for each deviation: some seconds.
const ROWS: usize = 1_000_000;
/// Variants that are checked at a time. A deviation that one of them refutes is not checked further.
const AT_A_TIME: usize = 64;
/// Most deviations that are tried together.
const TOGETHER: usize = 4;
/// Most combinations of causes of several families that are tried on a variant.
const COMBINATIONS: usize = 64;

/// Decides the explanations of the variants that a target gets wrong; `is_compiled`: its programs went through ptxas.
pub(crate) fn settle(verdicts: &mut [Verdict<'_>], target: usize, is_compiled: bool) {
    settle_within(verdicts, target, is_compiled, ROWS);
}

fn settle_within(verdicts: &mut [Verdict<'_>], target: usize, is_compiled: bool, rows: usize) {
    let mut room = rows;
    let mut changed: BTreeMap<usize, Explanation> = BTreeMap::new();
    let mut run = JudgedRun::of(verdicts, target, &changed);
    if is_compiled {
        changed = run.explain_by_compiler(&mut room);
        run = JudgedRun::of(verdicts, target, &changed);
    }
    let mut causes: BTreeMap<Option<String>, Vec<Vec<Deviation>>> = BTreeMap::new();
    for (family, wrong) in &run.wrong {
        let settled = run.diagnose_family(family.as_deref(), wrong, &mut room);
        causes.insert(family.clone(), settled.causes);
        changed.extend(settled.changes);
    }
    for (family, index) in &run.mixed {
        changed.extend(run.diagnose_mixed(family, *index, &causes));
    }
    let changed: Vec<(usize, Explanation)> = changed.into_iter().collect();
    let fresh = |(index, explanation): &(usize, Explanation)| {
        let judged = &run.judged[*index];
        let launches = judged.launches()?;
        let asked: Vec<(&Unit<'_>, &Answer)> = launches.iter().map(|(unit, answer)| (unit, answer)).collect();
        Some(findings(&asked, judged.earned.unclaimed, explanation))
    };
    let fresh: Vec<_> = changed.par_iter().map(fresh).collect();
    for ((index, explanation), fresh) in changed.into_iter().zip(fresh) {
        let findings = &mut verdicts[index].targets[target].findings;
        match fresh {
            Some(fresh) => *findings = fresh,
            // The site is unchanged.
            None => findings.iter_mut().for_each(|finding| finding.set_explanation(&explanation)),
        }
    }
}

/// The variants of a run that a target answered.
pub(crate) struct JudgedRun<'r, 'a> {
    /// By their index among all variants.
    pub(crate) judged: Vec<JudgedVariant<'r, 'a>>,
    /// The wrong ones, by the family of their site, if that is known.
    wrong: BTreeMap<Option<String>, Vec<usize>>,
    /// The wrong ones with a doubtful site: no single deviation explains them, and their programs have instructions of several
    /// wrong families.
    mixed: Vec<(Option<String>, usize)>,
}

/// The diagnosis of a family of instructions.
#[derive(Default)]
struct FamilyDiagnosis {
    /// Sets of deviations: each explains the whole family, its members together. Empty without an explanation.
    causes: Vec<Vec<Deviation>>,
    /// Variants with an explanation other than their own, and that explanation.
    changes: Vec<(usize, Explanation)>,
}

#[derive(Clone, Copy)]
pub(crate) struct JudgedVariant<'r, 'a> {
    variant: &'a Variant,
    instructions: &'r BTreeSet<String>,
    earned: &'r TargetVerdict,
    kept: Option<&'r KeptObservations>,
    rows: usize,
}

impl<'a> JudgedVariant<'_, 'a> {
    /// Its launches with their answers. `None` if these were too large to keep.
    pub(crate) fn launches(&self) -> Option<Vec<(Unit<'a>, Answer)>> {
        self.kept?.replay(self.variant)
    }

    /// The deviations that explain the variant by itself.
    pub(crate) fn explained(&self) -> &[Deviation] {
        self.earned
            .findings
            .iter()
            .map(|f| f.explained.as_slice())
            .find(|e| !e.is_empty())
            .unwrap_or_default()
    }

    /// Whether the target answered it, and its program has an instruction of the family.
    pub(crate) fn answered_with(&self, family: &str) -> bool {
        let TargetVerdict { raw, findings, .. } = self.earned;
        self.kept.is_some() && (raw.is_right() || !findings.is_empty()) && self.instructions.contains(family)
    }

    /// How the variant fits each of these sets of deviations.
    fn against(&self, family: Option<&str>, sets: &[&[Deviation]]) -> Vec<Standing> {
        // A right variant stays right under deviations that cannot show in it.
        if self.earned.findings.is_empty() && sets.iter().all(|set| !self.may_show(set)) {
            return vec![Standing::Fits; sets.len()];
        }
        let Some(launches) = self.launches() else {
            let why =
                format!("not checked against {}: its observations were too large to keep", self.variant.id);
            return vec![Standing::Unchecked(why); sets.len()];
        };
        let of_set = |set: &&[Deviation]| {
            let semantics = set.iter().fold(Semantics::default(), |all, deviation| all.with(*deviation));
            let refuted = launches.iter().find_map(|(unit, answer)| {
                let speaks = is_comparable(unit, &answer.observation);
                let refutes = if self.is_wrong_otherwise(family) { spoiling } else { refutation };
                let refutation = speaks.then(|| refutes(unit, &answer.observation, &semantics)).flatten()?;
                Some(self.named(family, set[0], unit, answer, &refutation))
            });
            refuted.map_or(Standing::Fits, Standing::RefutedDeviation)
        };
        sets.iter().map(of_set).collect()
    }

    /// Whether the variant is wrong because of another family. Then its instructions of this family are right, and a deviation of
    /// the family must not make them wrong.
    fn is_wrong_otherwise(&self, family: Option<&str>) -> bool {
        let telling = self.earned.findings.iter().find(|finding| !finding.raw.is_of_a_process());
        let of = telling.and_then(|finding| finding.site.as_ref()).map(|site| site.family.as_str());
        family.is_some() && of.is_some() && of != family
    }

    /// Whether one of the deviations can show in its programs.
    fn may_show(&self, set: &[Deviation]) -> bool {
        let Work::Launches(launches) = &self.variant.work else { return false };
        let mut programs: Vec<_> = launches.iter().map(|planned| &planned.launch.program).collect();
        programs.dedup();
        programs
            .into_iter()
            .filter_map(|text| compile(text).ok())
            .any(|compiled| set.iter().any(|deviation| may_show(*deviation, &compiled.checked)))
    }

    /// The report that a launch of it refutes a deviation.
    fn named(
        &self,
        family: Option<&str>,
        deviation: Deviation,
        unit: &Unit<'_>,
        answer: &Answer,
        refutation: &Refutation,
    ) -> RefutedDeviation {
        RefutedDeviation {
            deviation,
            by: RefutedBy::Variant { id: self.variant.id.clone(), instruction: family.map(Into::into) },
            example: counterexample(unit, &answer.observation, refutation),
        }
    }
}

/// How deviations fit the observations.
#[derive(Clone)]
pub(crate) enum Standing {
    Fits,
    /// A variant refutes them.
    RefutedDeviation(RefutedDeviation),
    /// Not everything could be checked, for this reason.
    Unchecked(String),
}

impl<'r, 'a> JudgedRun<'r, 'a> {
    /// Those in `explained` need no explanation any more.
    fn of(verdicts: &'r [Verdict<'a>], target: usize, explained: &BTreeMap<usize, Explanation>) -> Self {
        let mut wrong: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
        let judged = verdicts.iter().enumerate().map(|(index, verdict)| {
            let earned = &verdict.targets[target];
            // A crash shows no semantics.
            let telling = earned.findings.iter().find(|f| !f.raw.is_of_a_process());
            let telling = telling.filter(|_| !explained.contains_key(&index));
            if let Some(finding) = telling {
                let family = finding.site.as_ref().map(|site| site.family.clone());
                wrong.entry(family).or_default().push(index);
            }
            let Verdict { variant, rows, instructions, .. } = verdict;
            JudgedVariant { variant, instructions, earned, kept: earned.kept.as_deref(), rows: *rows }
        });
        let judged: Vec<JudgedVariant<'r, 'a>> = judged.collect();
        let families: BTreeSet<String> = wrong.keys().flatten().cloned().collect();
        let mut mixed = Vec::new();
        for (family, wrong) in &mut wrong {
            wrong.retain(|index| {
                let judged = &judged[*index];
                let mut others = judged.instructions.intersection(&families);
                let doubtful =
                    judged.explained().is_empty() && others.any(|other| Some(other) != family.as_ref());
                if doubtful {
                    mixed.push((family.clone(), *index));
                }
                !doubtful
            });
        }
        wrong.retain(|_, wrong| !wrong.is_empty());
        Self { judged, wrong, mixed }
    }

    /// The wrong variants, each with the family of its site.
    pub(crate) fn wrong_variants(&self) -> Vec<(usize, Option<String>)> {
        let of_families = self.wrong.iter();
        let wrong = of_families.flat_map(|(family, of)| of.iter().map(move |index| (*index, family.clone())));
        let mixed = self.mixed.iter().map(|(family, index)| (*index, family.clone()));
        wrong.chain(mixed).collect()
    }

    fn explained(&self, index: usize) -> &[Deviation] {
        self.judged[index].explained()
    }

    /// The variants that do the instructions of this family right: those that are right, and those that are wrong because of
    /// another family. If the family is unknown, all that are right.
    pub(crate) fn right(&self, family: Option<&str>) -> Vec<&JudgedVariant<'r, 'a>> {
        let has =
            |judged: &JudgedVariant<'_, '_>| family.is_none_or(|family| judged.instructions.contains(family));
        let is_right = |judged: &JudgedVariant<'_, '_>| {
            let TargetVerdict { raw, findings, .. } = judged.earned;
            let launches = matches!(judged.variant.work, Work::Launches(_));
            launches && (raw.is_right() && findings.is_empty() || judged.is_wrong_otherwise(family))
        };
        self.judged.iter().filter(|judged| is_right(judged) && has(judged)).collect()
    }

    /// The explanation of a variant with instructions of several wrong families: the causes of all these families together. If
    /// these do not explain it, the variant refutes them. If one family has no cause, the variant is left alone.
    fn diagnose_mixed(
        &self,
        family: &Option<String>,
        index: usize,
        causes: &BTreeMap<Option<String>, Vec<Vec<Deviation>>>,
    ) -> Vec<(usize, Explanation)> {
        let judged = &self.judged[index];
        let has = |of: &Option<String>| of.as_ref().is_some_and(|of| judged.instructions.contains(of));
        let mut sets: Vec<Vec<Deviation>> = vec![Vec::new()];
        for (_, alternatives) in causes.iter().filter(|(of, _)| has(of)) {
            let with = |set: &Vec<Deviation>| {
                let set = set.clone();
                alternatives.iter().map(move |more| [set.as_slice(), more].concat())
            };
            sets = sets.iter().flat_map(with).take(COMBINATIONS).collect();
        }
        for set in &mut sets {
            set.sort();
            set.dedup();
            set.retain(|deviation| judged.may_show(&[*deviation]));
        }
        sets.dedup();
        // No set: one of the families is unexplained.
        if sets.iter().all(Vec::is_empty) {
            return Vec::new();
        }
        let tried: Vec<&[Deviation]> = sets.iter().map(Vec::as_slice).filter(|set| !set.is_empty()).collect();
        let standing = judged.against(family.as_deref(), &tried);
        let fits = standing.iter().position(|standing| matches!(standing, Standing::Fits));
        if let Some(fits) = fits {
            let deviations = tried[fits].to_vec();
            let together = deviations.len() > 1;
            return vec![(index, Explanation { deviations, together, ..Explanation::default() })];
        }
        match standing.into_iter().next() {
            Some(Standing::RefutedDeviation(by)) => {
                let of_family = self.wrong.get(family).into_iter().flatten();
                let refuted = |index: &usize| {
                    let refuted =
                        RefutedDeviation { deviation: *self.explained(*index).first()?, ..by.clone() };
                    Some((*index, Explanation { refuted: Some(refuted), ..Explanation::default() }))
                };
                of_family.filter_map(refuted).collect()
            }
            Some(Standing::Fits | Standing::Unchecked(_)) | None => Vec::new(),
        }
    }

    /// The diagnosis of the variants that are wrong because of one family.
    fn diagnose_family(&self, family: Option<&str>, wrong: &[usize], room: &mut usize) -> FamilyDiagnosis {
        let mut counts: BTreeMap<Deviation, usize> = BTreeMap::new();
        for deviation in wrong.iter().flat_map(|index| self.explained(*index)) {
            *counts.entry(*deviation).or_default() += 1;
        }
        let mut candidates: Vec<Deviation> = counts.keys().copied().collect();
        candidates.sort_by_key(|deviation| std::cmp::Reverse(counts[deviation]));
        if candidates.is_empty() {
            return FamilyDiagnosis::default();
        }
        let right = self.right(family);
        let alone: Vec<Vec<Deviation>> = candidates.iter().map(|deviation| vec![*deviation]).collect();
        let standing = self.standing(family, &alone, &right, room);
        let unrefuted = |index: &usize| !matches!(standing[*index], Standing::RefutedDeviation(_));
        let left: Vec<usize> = (0..candidates.len()).filter(unrefuted).collect();
        let unchecked = |deviation: Deviation| match &standing[position(&candidates, deviation)] {
            Standing::Unchecked(why) => Some(why.clone()),
            _ => None,
        };
        // Those that explain all variants alone; their counts are equal.
        let whole: Vec<Deviation> = left
            .iter()
            .map(|i| candidates[*i])
            .filter(|deviation| counts[deviation] == wrong.len())
            .collect();
        if !whole.is_empty() {
            let unchecked = whole.iter().find_map(|deviation| unchecked(*deviation));
            let causes = whole.iter().map(|deviation| vec![*deviation]).collect();
            let explanation = Explanation { deviations: whole, unchecked, ..Explanation::default() };
            let changes = self.changes(wrong.iter().map(|index| (*index, explanation.clone())));
            return FamilyDiagnosis { causes, changes };
        }
        let left: Vec<Deviation> = left.into_iter().map(|index| candidates[index]).collect();
        if let Some(sets) = self.together(family, wrong, &left, &right, room) {
            let changes = self.changes(wrong.iter().map(|index| {
                let explained = self.explained(*index);
                let mut alone: Vec<Deviation> = sets
                    .iter()
                    .flatten()
                    .copied()
                    .filter(|deviation| explained.contains(deviation))
                    .collect();
                alone.sort_by_key(|deviation| position(&candidates, *deviation));
                alone.dedup();
                let together = alone.is_empty();
                let mut deviations = if together { sets[0].clone() } else { alone };
                if together {
                    deviations.sort();
                }
                let unchecked = deviations.iter().find_map(|deviation| unchecked(*deviation));
                (*index, Explanation { deviations, together, unchecked, ..Explanation::default() })
            }));
            return FamilyDiagnosis { causes: sets, changes };
        }
        let without = wrong.iter().filter(|index| !self.explained(**index).is_empty()).map(|index| {
            let nearest = candidates.iter().copied().find(|d| self.explained(*index).contains(d));
            let refuted = nearest.and_then(|nearest| match &standing[position(&candidates, nearest)] {
                Standing::RefutedDeviation(refuted) => Some(refuted.clone()),
                _ => self.refuted_by_wrong(family, nearest, wrong),
            });
            (*index, Explanation { refuted, ..Explanation::default() })
        });
        FamilyDiagnosis { causes: Vec::new(), changes: self.changes(without) }
    }

    /// Leaves out unchanged explanations.
    fn changes(&self, explained: impl Iterator<Item = (usize, Explanation)>) -> Vec<(usize, Explanation)> {
        let differs = |(index, explanation): &(usize, Explanation)| {
            explanation.deviations.as_slice() != self.explained(*index) || explanation.unchecked.is_some()
        };
        explained.filter(differs).collect()
    }

    /// A refutation by a wrong variant of the family that the deviation does not explain.
    fn refuted_by_wrong(
        &self,
        family: Option<&str>,
        deviation: Deviation,
        wrong: &[usize],
    ) -> Option<RefutedDeviation> {
        let unexplained = wrong.iter().filter(|index| !self.explained(**index).contains(&deviation));
        unexplained.map(|index| &self.judged[*index]).find_map(|judged| {
            let semantics = Semantics::default().with(deviation);
            let comparable = |(unit, answer): &(Unit<'_>, Answer)| is_comparable(unit, &answer.observation);
            let launches = judged.launches()?.into_iter().filter(comparable);
            launches.into_iter().find_map(|(unit, answer)| {
                let refutation = refutation(&unit, &answer.observation, &semantics)?;
                Some(judged.named(family, deviation, &unit, &answer, &refutation))
            })
        })
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
        for some in variants.chunks(AT_A_TIME) {
            let open: Vec<usize> =
                (0..sets.len()).filter(|set| matches!(standing[*set], Standing::Fits)).collect();
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
                    if matches!(standing[*set], Standing::Fits) {
                        standing[*set] = found;
                    }
                }
            }
        }
        standing
    }

    /// Sets of deviations that together explain all variants, with a set for each interchangeable member. `None` if there is no
    /// such set.
    fn together(
        &self,
        family: Option<&str>,
        wrong: &[usize],
        left: &[Deviation],
        right: &[&JudgedVariant<'r, 'a>],
        room: &mut usize,
    ) -> Option<Vec<Vec<Deviation>>> {
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
        let judged: Vec<&JudgedVariant<'r, 'a>> =
            wrong.iter().map(|index| &self.judged[*index]).chain(right.iter().copied()).collect();
        if set.len() < 2 {
            return None;
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
        let standing = self.standing(family, &sets, &judged, room);
        let fits = |(_, standing): &(Vec<Deviation>, Standing)| matches!(standing, Standing::Fits);
        let sets: Vec<_> = sets.into_iter().zip(standing).filter(fits).map(|(set, _)| set).collect();
        (!sets.is_empty()).then_some(sets)
    }
}

fn position(candidates: &[Deviation], deviation: Deviation) -> usize {
    candidates.iter().position(|candidate| *candidate == deviation).unwrap_or(candidates.len())
}

#[cfg(test)]
mod tests {
    use warpdiff_corpus::Corpus;
    use warpdiff_model::Observation;
    use warpdiff_targets::{Question, Target};

    use super::*;
    use crate::causes::cause;
    use crate::prepared_variant::verdict;

    /// Clamps as `.zero` does in programs without `.ca`, and right in those with it.
    struct Whimsical;

    impl Target for Whimsical {
        fn name(&self) -> &str {
            "whimsical"
        }

        fn observe(&self, question: Question<'_>) -> Observation {
            let launch = &question.planned.launch;
            let semantics = match launch.program.contains(".ca.") {
                true => Semantics::default(),
                false => Semantics::default().with(Deviation::SuldClampAsZero),
            };
            warpdiff_emulator::observe(question.program.unwrap(), launch, &semantics).unwrap()
        }
    }

    fn corpus() -> Corpus {
        let top = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/data/cases");
        warpdiff_corpus::load(&top).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
    }

    /// The verdict on the one wrong variant, if at most this many rows are checked.
    fn settled(corpus: &Corpus, rows: usize) -> TargetVerdict {
        let targets: [Box<dyn Target>; 1] = [Box::new(Whimsical)];
        let mut verdicts: Vec<_> = corpus.variants.iter().map(|v| verdict(v, &targets)).collect();
        settle_within(&mut verdicts, 0, false, rows);
        let wrong = verdicts.into_iter().filter(|verdict| !verdict.targets[0].findings.is_empty());
        let mut wrong: Vec<_> = wrong.flat_map(|verdict| verdict.targets).collect();
        assert_eq!(wrong.len(), 1);
        wrong.remove(0)
    }

    #[test]
    fn a_variant_that_is_right_refutes_what_explains_another() {
        let wrong = settled(&corpus(), ROWS);
        assert_eq!(cause(&wrong).unwrap(), "clamp behaviour in suld.b, reproduced by no known deviation");
        let refuted = wrong.findings[0].refuted.as_ref().unwrap();
        let id = "basic/suld/suld clamps[cop=.ca]".to_string();
        assert_eq!(refuted.by, RefutedBy::Variant { id, instruction: Some("suld.b".into()) });
        // Texel (3, 2) of rows of four is 11; x = 16 is the first byte beyond, for which `.zero` loads zero.
        let example = refuted.example.as_ref().unwrap();
        assert_eq!(
            (example.expected.as_slice(), example.observed.as_slice()),
            (&[0; 4][..], &[11, 0, 0, 0][..])
        );
        assert_eq!(example.row.as_ref().unwrap().index, 1);
    }

    /// Clamps as `.zero` does, but in programs with `mul.hi`, where that is off by one instead.
    struct WrongTwice;

    impl Target for WrongTwice {
        fn name(&self) -> &str {
            "wrong-twice"
        }

        fn observe(&self, question: Question<'_>) -> Observation {
            let launch = &question.planned.launch;
            let multiplies = launch.program.contains("mul.hi");
            let semantics = match multiplies {
                true => Semantics::default(),
                false => Semantics::default().with(Deviation::SuldClampAsZero),
            };
            let mut observed =
                warpdiff_emulator::observe(question.program.unwrap(), launch, &semantics).unwrap();
            if let (true, Observation::Completed { state }) = (multiplies, &mut observed) {
                let out = state.regions.iter_mut().find(|region| region.name == "out").unwrap();
                // A row's record is what was loaded, and the product.
                out.bytes.chunks_mut(8).for_each(|record| record[4] ^= 1);
            }
            observed
        }
    }

    #[test]
    fn what_is_right_beside_another_mistake_refutes() {
        let text = "\
- case: one
  covers: []
  surfaces: {img: {geometry: 1d, extent: [4], format: u32, texels: sequence}}
  inputs: {x: s32}
  outputs: {d: b32}
  body: suld.b.1d.b32.clamp %d, [img, {%x}];
  rows: [{x: 16, d: 3}, {x: 4, d: 1}]
- case: two
  covers: []
  surfaces: {img: {geometry: 1d, extent: [4], format: u32, texels: sequence}}
  inputs: {x: s32, y: s32}
  outputs: {d: b32, h: s32}
  body: |
    suld.b.1d.b32.clamp %d, [img, {%x}];
    mul.hi.s32 %h, %y, %y;
  rows: [{x: 16, y: 65536, d: 3, h: 1}]
";
        let path = std::path::Path::new("cases/a/b.yaml");
        let folder = tempfile::tempdir().unwrap();
        let variants = warpdiff_corpus::load_text_as(path, text.into(), folder.path()).unwrap();
        let targets: [Box<dyn Target>; 1] = [Box::new(WrongTwice)];
        let mut verdicts: Vec<_> = variants.iter().map(|v| verdict(v, &targets)).collect();
        let explained = |verdict: &Verdict<'_>| verdict.targets[0].findings[0].explained.clone();
        assert!(explained(&verdicts[0]).contains(&Deviation::SuldClampAsZero), "by itself");
        settle(&mut verdicts, 0, false);
        // Texel 3 was loaded there for x = 16, as `.clamp` does and `.zero` does not.
        assert_eq!(explained(&verdicts[0]), []);
        let refuted = verdicts[0].targets[0].findings[0].refuted.as_ref().unwrap();
        let id = "cases/a/b/two".to_string();
        assert_eq!(refuted.by, RefutedBy::Variant { id, instruction: Some("suld.b".into()) });
        assert_eq!(explained(&verdicts[1]), []);
    }

    #[test]
    fn what_was_not_held_against_the_run_is_named_with_that_proviso() {
        let wrong = settled(&corpus(), 0);
        let said = cause(&wrong).unwrap();
        let words = "clamp behaviour, reproduced by suld.clamp-as-zero or surface.mode-ignored (not checked against everything observed of the instruction)";
        assert_eq!(said, words);
        let finding = &wrong.findings[0];
        assert_eq!(finding.explained, [Deviation::SuldClampAsZero, Deviation::SurfaceModeIgnored]);
        assert!(
            finding
                .explanation()
                .ends_with("(not checked against everything observed of suld.b: too many rows)")
        );
    }
}
