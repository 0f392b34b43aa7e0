//! What a target does instead, over a whole run: which explanation holds for each family of instructions.
//!
//! A deviation may explain one case by accident, and another case of the same instruction refutes it. So it is named only if it
//! admits every launch of every variant of the run that has the instruction, the right ones and those that are wrong because of it.
//! A target may have several deviations, so several may explain the variants together.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use warpdiff_judge::finding::{Explanation, RefutedDeviation};
use warpdiff_judge::reference::Unit;
use warpdiff_model::Deviation;
use warpdiff_targets::Answer;

use crate::choices_taken;
use crate::diagnosis::{Diagnosis, Reproduced, Reproducing, Told, Unexplained};
use crate::family_diagnosis::{FamilyDiagnosis, score_of};
use crate::judged_run::JudgedRun;
use crate::judged_variant::{JudgedVariant, Standing};
use crate::one_cause;
use crate::pattern::pattern;
use crate::seen_rows;
use crate::target_verdict::findings;
use crate::verdict::Verdict;

/// Most rows that the emulator runs for one target of a run, counted once for each deviation: some seconds.
const ROWS: usize = 1_000_000;
/// Most combinations of causes of several families that are tried on a variant.
const COMBINATIONS: usize = 64;
/// Most families of which it is said what their wrong rows have in common: those with the most wrong variants.
const PATTERNS: usize = 24;

/// Most causes of families that are tried on the others: those of the most families.
const SHARED: usize = 12;

/// A family of instructions with its wrong variants and what fits them.
struct Solved {
    family: Option<String>,
    wrong: Vec<usize>,
    fits: FamilyDiagnosis,
}

/// What fits each family.
type Causes = BTreeMap<Option<String>, Vec<Vec<Deviation>>>;

/// What the causes of several families say of a variant with instructions of all of them.
enum Mixed {
    Explained(Explanation),
    /// They do not explain it.
    Refutes(RefutedDeviation),
    /// One family has no cause, or not everything could be checked.
    Open,
}

/// Decides the explanations of the variants that a target gets wrong, and says what it does instead; `is_compiled`: its programs went
/// through ptxas.
pub(crate) fn settle(verdicts: &mut [Verdict<'_>], target: usize, is_compiled: bool) -> Vec<Diagnosis> {
    settle_within(verdicts, target, is_compiled, ROWS)
}

fn settle_within(
    verdicts: &mut [Verdict<'_>],
    target: usize,
    is_compiled: bool,
    rows: usize,
) -> Vec<Diagnosis> {
    let mut room = rows;
    let mut run = JudgedRun::of(verdicts, target);
    let mut changed: BTreeMap<usize, Explanation> = BTreeMap::new();
    let mut diagnoses = Vec::new();
    // What a compiler does to a program differs from one to the next.
    let mut solved = if is_compiled { Vec::new() } else { run.solve_by_one(&mut room) };
    if solved.is_empty() {
        let of_compiler = |deviation: &Deviation| is_compiled && deviation.entry().is_of_a_compiler();
        let always: Vec<Deviation> = Deviation::all().filter(of_compiler).collect();
        run.screen(&always);
        if is_compiled {
            changed = run.explain_by_compiler(&mut room);
            diagnoses = run.diagnoses_of_compiler(&changed);
            run.group(&changed);
        }
        solved = run.solve(&mut room);
    }
    for one in &solved {
        changed.extend(run.explanations(&one.wrong, &one.fits));
    }
    let causes: Causes = solved.iter().map(|one| (one.family.clone(), one.fits.sets.clone())).collect();
    for (family, index) in &run.mixed {
        match run.diagnose_mixed(family, *index, &causes) {
            Mixed::Explained(explanation) => drop(changed.insert(*index, explanation)),
            Mixed::Refutes(by) => {
                let own = |one: &&mut Solved| one.family == *family && !one.fits.sets.is_empty();
                if let Some(one) = solved.iter_mut().find(own) {
                    one.fits.refute(by, one.wrong.len());
                    changed.extend(run.explanations(&one.wrong, &one.fits));
                }
            }
            Mixed::Open => {}
        }
    }
    let of_mixed = run.solve_mixed(&changed, &causes, &mut room);
    for one in of_mixed {
        changed.extend(run.explanations(&one.wrong, &one.fits));
        match solved.iter_mut().find(|known| known.family == one.family) {
            // What fits the others does not fit these.
            Some(known) => known.wrong.extend(one.wrong),
            None => solved.push(one),
        }
    }
    diagnoses.extend(run.told(solved, &changed));
    diagnoses.sort_by_key(|diagnosis| Reverse(diagnosis.wrong));
    let judged = &run.judged;
    let fresh = |(index, explanation): (&usize, &Explanation)| {
        let judged = &judged[*index];
        if judged.keeps_sites_with(&explanation.deviations) {
            return None;
        }
        let launches = judged.launches()?;
        let asked: Vec<(&Unit<'_>, &Answer)> = launches.iter().map(|(unit, answer)| (unit, answer)).collect();
        Some(findings(&asked, judged.earned.unclaimed, explanation))
    };
    let fresh: Vec<_> = changed.par_iter().map(fresh).collect();
    for ((index, explanation), fresh) in changed.into_iter().zip(fresh) {
        let findings = &mut verdicts[index].targets[target].findings;
        match fresh {
            Some(fresh) => *findings = fresh,
            // The site is unchanged. A crash shows no semantics.
            None => findings
                .iter_mut()
                .filter(|finding| !finding.raw.is_of_a_process())
                .for_each(|finding| finding.set_explanation(&explanation)),
        }
    }
    diagnoses
}

/// How many families each deviation explains alone.
fn families_of_causes<'f>(all: impl Iterator<Item = &'f FamilyDiagnosis>) -> BTreeMap<Deviation, usize> {
    let mut families: BTreeMap<Deviation, usize> = BTreeMap::new();
    for set in all.flat_map(|fits| &fits.sets) {
        if let [deviation] = set.as_slice() {
            *families.entry(*deviation).or_default() += 1;
        }
    }
    families
}

impl JudgedRun<'_, '_> {
    /// What fits each family, if one deviation explains all that is wrong in the run. Nothing otherwise.
    fn solve_by_one(&mut self, room: &mut usize) -> Vec<Solved> {
        let mut of_all = one_cause::of_everything(self, room);
        if of_all.sets.is_empty() {
            return Vec::new();
        }
        of_all.choose(|_| 0);
        if of_all.sets.len() > 1 {
            let unpredicted = self.unpredicted(&self.telling(), &of_all.sets, |_| 0);
            of_all.prefer(&unpredicted, |_| 0);
        }
        self.put_down_to(&of_all.sets.concat());
        let solve = |(family, wrong): (&Option<String>, &Vec<usize>)| Solved {
            family: family.clone(),
            wrong: wrong.clone(),
            fits: of_all.clone(),
        };
        self.wrong.iter().map(solve).collect()
    }

    /// What fits each family, the narrowest first, and of these what explains the most families.
    fn solve(&self, room: &mut usize) -> Vec<Solved> {
        let mut solved: Vec<Solved> = Vec::new();
        for (family, wrong) in &self.wrong {
            let fits = self.diagnose_family(family.as_deref(), wrong, room);
            solved.push(Solved { family: family.clone(), wrong: wrong.clone(), fits });
        }
        self.share_causes(&mut solved, room);
        let families = families_of_causes(solved.iter().map(|one| &one.fits));
        let score = |deviation: Deviation| families.get(&deviation).copied().unwrap_or(0);
        for one in &mut solved {
            one.fits.choose(score);
            if one.fits.sets.len() > 1 {
                let unpredicted = self.unpredicted(&one.wrong, &one.fits.sets, |set| score_of(set, score));
                one.fits.prefer(&unpredicted, score);
            }
        }
        solved
    }

    /// Tries on each family what fits others: one cause of many families is likelier than one for each.
    fn share_causes(&self, solved: &mut [Solved], room: &mut usize) {
        let families = families_of_causes(solved.iter().map(|one| &one.fits));
        let mut known: Vec<Deviation> = families.keys().copied().collect();
        known.sort_by_key(|deviation| Reverse(families[deviation]));
        known.truncate(SHARED);
        let mut shared: Vec<FamilyDiagnosis> = Vec::new();
        for one in &*solved {
            let is_new = |deviation: &&Deviation| !one.fits.sets.contains(&vec![**deviation]);
            let others: Vec<Deviation> = known.iter().filter(is_new).copied().collect();
            let found = self.diagnose_by_others(one.family.as_deref(), &one.wrong, &others, room);
            shared.push(found.unwrap_or_default());
        }
        let decided = shared.iter().filter(|fits| !fits.is_silent);
        let families = families_of_causes(solved.iter().map(|one| &one.fits).chain(decided));
        let score = |fits: &FamilyDiagnosis| {
            fits.sets.iter().flatten().map(|deviation| families.get(deviation).copied().unwrap_or(0)).max()
        };
        for (one, shared) in solved.iter_mut().zip(shared) {
            let is_better = match shared.is_silent {
                true => one.fits.sets.is_empty(),
                false => score(&shared) > score(&one.fits),
            };
            if is_better {
                one.fits = shared;
            }
        }
    }

    /// What fits the variants with instructions of several wrong families that the causes of these families do not explain.
    fn solve_mixed(
        &self,
        changed: &BTreeMap<usize, Explanation>,
        causes: &Causes,
        room: &mut usize,
    ) -> Vec<Solved> {
        let mut left: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
        for (family, index) in self.mixed.iter().filter(|(_, index)| !changed.contains_key(index)) {
            left.entry(family.clone()).or_default().push(*index);
        }
        let known: BTreeSet<Deviation> =
            causes.values().flatten().filter(|set| set.len() == 1).flatten().copied().collect();
        let known: Vec<Deviation> = known.into_iter().collect();
        let solve = |(family, wrong): (Option<String>, Vec<usize>)| {
            // One known cause is likelier than two together, and nothing else explains these alone.
            let by_one = self.diagnose_by_others(family.as_deref(), &wrong, &known, room).unwrap_or_default();
            let mut fits = match by_one.sets.is_empty() || by_one.is_silent {
                false => by_one.clone(),
                // Where the family has a diagnosis of its own, these variants are beside it.
                true if self.wrong.contains_key(&family) => FamilyDiagnosis::default(),
                true => self.diagnose_family(family.as_deref(), &wrong, room),
            };
            if fits.sets.is_empty() && by_one.is_silent {
                fits = by_one;
            }
            fits.choose(|_| 0);
            Solved { family, wrong, fits }
        };
        left.into_iter().map(solve).collect()
    }

    /// The explanation of a variant with instructions of several wrong families: the causes of all these families together. If
    /// these do not explain it, the variant refutes them. If one family has no cause, the variant is left alone.
    fn diagnose_mixed(&self, family: &Option<String>, index: usize, causes: &Causes) -> Mixed {
        let judged = &self.judged[index];
        let has = |of: &Option<String>| {
            of == family || of.as_ref().is_some_and(|of| judged.instructions.contains(of))
        };
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
            return Mixed::Open;
        }
        let tried: Vec<&[Deviation]> = sets.iter().map(Vec::as_slice).filter(|set| !set.is_empty()).collect();
        let standing = judged.against(family.as_deref(), &tried);
        let fits = standing.iter().position(|standing| matches!(standing, Standing::Fits));
        let fits = fits.or_else(|| standing.iter().position(Standing::is_silent));
        if let Some(fits) = fits {
            let deviations = tried[fits].to_vec();
            let together = deviations.len() > 1;
            return Mixed::Explained(Explanation { deviations, together, ..Explanation::default() });
        }
        match standing.into_iter().next() {
            Some(Standing::RefutedDeviation(by)) => Mixed::Refutes(by),
            Some(Standing::Fits | Standing::Silent(_) | Standing::Unchecked(_)) | None => Mixed::Open,
        }
    }

    /// The diagnoses in words: one for each cause.
    fn told(&self, solved: Vec<Solved>, changed: &BTreeMap<usize, Explanation>) -> Vec<Diagnosis> {
        let mut by_size: Vec<usize> = (0..solved.len()).collect();
        by_size.sort_by_key(|place| Reverse(solved[*place].wrong.len()));
        by_size.truncate(PATTERNS);
        let places: Vec<(usize, &Solved)> = solved.iter().enumerate().collect();
        let of_each: Vec<Diagnosis> =
            places.into_par_iter().map(|(place, one)| self.told_of(one, by_size.contains(&place))).collect();
        let mut told: Vec<Diagnosis> = Vec::new();
        for next in of_each {
            let same = |known: &&mut Diagnosis| match (&known.told, &next.told) {
                (Told::Reproduced(a), Told::Reproduced(b)) => {
                    a.by == b.by && a.wider == b.wider && a.unchecked == b.unchecked
                }
                _ => false,
            };
            match told.iter_mut().find(same) {
                Some(known) => {
                    known.families.extend(next.families);
                    known.wrong += next.wrong;
                }
                None => told.push(next),
            }
        }
        // Only now are the families of each together.
        for one in &mut told {
            one.right = self.right_beside(&one.families);
        }
        // Variants with instructions of several families are put down to the cause that they show.
        for (_, index) in &self.mixed {
            let Some(explanation) = changed.get(index).filter(|it| !it.deviations.is_empty()) else {
                continue;
            };
            let shows = |known: &&mut Diagnosis| {
                known.first().iter().any(|deviation| explanation.deviations.contains(deviation))
            };
            if let Some(known) = told.iter_mut().find(shows) {
                known.wrong += 1;
            }
        }
        told
    }

    /// The diagnosis of one family.
    fn told_of(&self, solved: &Solved, with_pattern: bool) -> Diagnosis {
        let Solved { family, wrong, fits } = solved;
        let mut judged: Vec<&JudgedVariant<'_, '_>> =
            wrong.iter().map(|index| &self.judged[*index]).collect();
        let example = judged.first().map(|first| first.variant.id.clone()).unwrap_or_default();
        judged.sort_by_key(|judged| judged.rows);
        let told = if fits.sets.is_empty() {
            let pattern = family
                .as_deref()
                .filter(|_| with_pattern)
                .and_then(|family| pattern(&seen_rows::rows(family, &judged, &self.right(Some(family)))));
            Told::Unexplained(Unexplained { nearest: fits.nearest.clone(), pattern })
        } else {
            let reproducing = |set: &Vec<Deviation>| {
                let choices = choices_taken::taken(judged.iter().copied(), set);
                Reproducing { deviations: set.clone(), choices }
            };
            Told::Reproduced(Reproduced {
                by: fits.sets.iter().map(reproducing).collect(),
                wider: fits.wider.clone(),
                unchecked: fits.unchecked.clone(),
                applied: None,
                told_apart: Vec::new(),
            })
        };
        Diagnosis { families: family.iter().cloned().collect(), wrong: wrong.len(), right: 0, example, told }
    }

    /// The diagnoses of what deviations of a compiler explain.
    fn diagnoses_of_compiler(&self, explained: &BTreeMap<usize, Explanation>) -> Vec<Diagnosis> {
        let mut told: Vec<Diagnosis> = Vec::new();
        for (index, explanation) in explained {
            let judged = &self.judged[*index];
            let sets: Vec<Vec<Deviation>> = match explanation.together {
                true => vec![explanation.deviations.clone()],
                false => explanation.deviations.iter().map(|deviation| vec![*deviation]).collect(),
            };
            let by: Vec<Reproducing> =
                sets.into_iter().map(|deviations| Reproducing { deviations, choices: Vec::new() }).collect();
            let same = |known: &&mut Diagnosis| matches!(&known.told, Told::Reproduced(of) if of.by == by && of.applied == explanation.applied);
            let families: BTreeSet<String> = judged.family.iter().cloned().collect();
            match told.iter_mut().find(same) {
                Some(known) => {
                    known.wrong += 1;
                    let new = families.into_iter().filter(|family| !known.families.contains(family));
                    let new: Vec<String> = new.collect();
                    known.families.extend(new);
                }
                None => told.push(Diagnosis {
                    families: families.into_iter().collect(),
                    wrong: 1,
                    right: 0,
                    example: judged.variant.id.clone(),
                    told: Told::Reproduced(Reproduced {
                        by,
                        wider: Vec::new(),
                        unchecked: explanation.unchecked.clone(),
                        applied: explanation.applied.clone(),
                        told_apart: Vec::new(),
                    }),
                }),
            }
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_corpus::Corpus;
    use warpdiff_judge::finding::RefutedBy;
    use warpdiff_model::{Observation, Semantics};
    use warpdiff_targets::{Question, Target};

    use super::*;
    use crate::causes::cause;
    use crate::prepared_variant::verdict;
    use crate::verdict::TargetVerdict;

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
                // A row's record is what was loaded, and the product, which becomes no half of a product.
                out.bytes.chunks_mut(8).for_each(|record| record[4] ^= 4);
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
        let mut alone = vec![verdict(&variants[0], &targets)];
        settle(&mut alone, 0, false);
        assert_eq!(explained(&alone[0]), [Deviation::SuldClampAsZero], "by itself");
        settle(&mut verdicts, 0, false);
        // Texel 3 was loaded there for x = 16, as `.clamp` does and `.zero` does not.
        assert_eq!(explained(&verdicts[0]), []);
        let refuted = verdicts[0].targets[0].findings[0].refuted.as_ref().unwrap();
        let id = "cases/a/b/two".to_string();
        assert_eq!(refuted.by, RefutedBy::Variant { id, instruction: Some("suld.b".into()) });
        assert_eq!(explained(&verdicts[1]), []);
    }

    /// Leaves out selections of signed numbers; where nothing was in their destination, it has something else there than the emulator.
    struct LeavesOut;

    impl Target for LeavesOut {
        fn name(&self) -> &str {
            "leaves-out"
        }

        fn observe(&self, question: Question<'_>) -> Observation {
            let launch = &question.planned.launch;
            let semantics = Semantics::default().with(Deviation::SlctSignedMissing);
            let mut observed =
                warpdiff_emulator::observe(question.program.unwrap(), launch, &semantics).unwrap();
            if let (false, Observation::Completed { state }) =
                (launch.program.contains(", 7;"), &mut observed)
            {
                let out = state.regions.iter_mut().find(|region| region.name == "out").unwrap();
                out.bytes[0] ^= 0x5A;
            }
            observed
        }
    }

    /// Where the destination has a value, the deviation leaves that; elsewhere it leaves open what is there. A deviation that only leaves open what is
    /// wrong explains nothing.
    #[test]
    fn what_leaves_open_what_is_wrong_is_named_by_what_it_decides_elsewhere() {
        let text = "\
- case: a destination with a value
  covers: []
  inputs: {a: s32, b: s32, c: s32}
  outputs: {d: s32}
  body: |
    mov.b32 %d, 7;
    slct.s32.s32 %d, %a, %b, %c;
  rows: [{a: 1, b: 2, c: 0, d: 1}, {a: 1, b: 2, c: -1, d: 2}]
- case: a destination without
  covers: []
  inputs: {a: s32, b: s32, c: s32}
  outputs: {d: s32}
  body: slct.s32.s32 %d, %a, %b, %c;
  rows: [{a: 1, b: 2, c: 0, d: 1}]
";
        let path = std::path::Path::new("cases/a/b.yaml");
        let folder = tempfile::tempdir().unwrap();
        let variants = warpdiff_corpus::load_text_as(path, text.into(), folder.path()).unwrap();
        let targets: [Box<dyn Target>; 1] = [Box::new(LeavesOut)];
        let explained = |verdict: &Verdict<'_>| verdict.targets[0].findings[0].explained.clone();
        let mut both: Vec<_> = variants.iter().map(|v| verdict(v, &targets)).collect();
        settle(&mut both, 0, false);
        assert_eq!(explained(&both[0])[..], [Deviation::SlctSignedMissing]);
        assert_eq!(explained(&both[1])[..], [Deviation::SlctSignedMissing]);
        let mut open = vec![verdict(&variants[1], &targets)];
        settle(&mut open, 0, false);
        assert!(!explained(&open[0]).contains(&Deviation::SlctSignedMissing), "by itself");
    }

    #[test]
    fn what_was_not_held_against_the_run_is_named_with_that_proviso() {
        let wrong = settled(&corpus(), 0);
        let said = cause(&wrong).unwrap();
        let words = "clamp behaviour, reproduced by suld.clamp-as-zero (not checked against everything observed of the instruction)";
        assert_eq!(said, words);
        let finding = &wrong.findings[0];
        assert_eq!(finding.explained, [Deviation::SuldClampAsZero]);
        assert!(
            finding
                .explanation()
                .ends_with("(not checked against everything observed of suld.b: too many rows)")
        );
    }
}
