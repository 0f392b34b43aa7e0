//! Explains the programs of a campaign that differ.
//!
//! Most programs of a campaign differ for the same few reasons. To try the whole catalogue on a program takes 20 to 40 times as long as to try the deviations that have explained
//! other programs. So the whole catalogue is tried on the first few programs of each operation. On a later program the deviations are tried that have explained an earlier one.
//! If none of them explains it, the whole catalogue is tried. A deviation that explains all programs of an operation is always found, because it explains the first few. At the
//! end of the campaign, the deviations that were found late are tried on the programs before.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use warpdiff_model::Deviation;
use warpdiff_targets::Target;
use warpdiff_worker::run_end::{self, RunEnd};

use super::campaign::{TrialResult, contained};
use super::culprit::{Symptom, Tried};
use super::programs::Programs;
use super::trial::{PreparedTrial, Trial};

/// The whole catalogue is tried on this many programs of each operation.
const PROBES: usize = 4;
/// Programs of a batch, at most. All programs of a batch are explained at the same time, with the deviations that were known before it. The size of a batch does not depend on
/// the number of threads, and so the explanations do not depend on it.
const AT_A_TIME: usize = 64;

/// A program that differs.
pub(super) struct Different {
    /// `None` once it is explained: trials are large.
    trial: Option<Trial>,
    pub(super) symptom: Symptom,
}

/// What the explained programs have taught so far.
pub(super) struct Explainer {
    /// The deviations that explain any of them, in the order in which they were found.
    known: Vec<Deviation>,
    /// How many programs differ at each operation.
    seen: BTreeMap<String, usize>,
    /// The whole catalogue is tried on this many programs of each operation.
    probes: usize,
    /// Programs of the next batch.
    at_a_time: usize,
}

impl Default for Explainer {
    fn default() -> Self {
        Self { known: Vec::new(), seen: BTreeMap::new(), probes: PROBES, at_a_time: PROBES }
    }
}

impl Different {
    /// A trial that violates, which nothing explains yet.
    pub(super) fn unexplained(trial: Trial, target: &dyn Target) -> Self {
        let symptom = Symptom::unexplained(&trial, target);
        Self { trial: Some(trial), symptom }
    }

    /// Tries the deviations `first`. If none of them explains the program, tries the whole catalogue.
    fn explain(&mut self, first: &[Deviation], target: &dyn Target) {
        let Self { trial, symptom } = self;
        let Some(trial) = trial.take() else { return };
        symptom.explained = trial.explained_among(first);
        symptom.tried = Tried::First(first.len());
        if symptom.explained.is_empty() {
            symptom.explain(&trial, target);
        }
    }
}

impl Explainer {
    /// Explains those results that are differences.
    pub(super) fn explain(&mut self, results: &mut [TrialResult], target: &dyn Target) {
        let is_difference = |result: &&mut TrialResult| matches!(result, TrialResult::Difference(..));
        let mut different: Vec<&mut TrialResult> = results.iter_mut().filter(is_difference).collect();
        if target.is_compiled() {
            // What a compiler does in one program says little of the next.
            return different.into_par_iter().for_each(|result| explain_one(result, &[], target));
        }
        let mut left = &mut different[..];
        while !left.is_empty() {
            let (batch, rest) = left.split_at_mut(self.at_a_time.min(left.len()));
            self.explain_batch(batch, target);
            self.at_a_time = AT_A_TIME.min(2 * self.at_a_time);
            left = rest;
        }
    }

    fn explain_batch(&mut self, batch: &mut [&mut TrialResult], target: &dyn Target) {
        let known = self.known.clone();
        let first = |result: &&mut TrialResult| if self.is_probe(result) { &[] } else { &known[..] };
        let first: Vec<&[Deviation]> = batch.iter().map(first).collect();
        batch.par_iter_mut().zip(first).for_each(|(result, first)| explain_one(result, first, target));
        for result in batch {
            if let TrialResult::Difference(_, different) = &**result {
                self.learn(&different.symptom);
            }
        }
    }

    /// Whether the program is one of the first of its operation.
    fn is_probe(&mut self, result: &TrialResult) -> bool {
        let TrialResult::Difference(_, different) = result else { return false };
        let seen = self.seen.entry(different.symptom.operation()).or_default();
        *seen += 1;
        *seen <= self.probes
    }

    fn learn(&mut self, symptom: &Symptom) {
        let news = symptom.explained.iter().filter(|deviation| !self.known.contains(deviation));
        let news: Vec<Deviation> = news.copied().collect();
        self.known.extend(news);
    }

    /// Call it after the last program. It tries on each program the deviations that were found later. If nothing explains the program any more, it tries the whole catalogue.
    /// Deviations that are `refuted` explain nothing. A program that no longer differs keeps its symptom, and so do all after an interrupt. Answers whether there was
    /// anything to try.
    ///
    /// # Errors
    /// The first program at which warpdiff itself failed, with the message.
    pub(super) fn explain_again(
        &mut self,
        symptoms: &mut [(u64, Symptom)],
        refuted: &BTreeSet<Deviation>,
        programs: Programs<'_>,
        target: &dyn Target,
    ) -> Result<bool, (u64, String)> {
        let known = &self.known;
        let again = |(index, symptom): &mut (u64, Symptom)| {
            let Tried::First(first) = symptom.tried else { return Ok(false) };
            let news = known[first..].iter().filter(|deviation| !refuted.contains(deviation));
            let news: Vec<Deviation> = news.copied().collect();
            let is_over = run_end::reached() == Some(RunEnd::Interrupted);
            if is_over || !symptom.explained.is_empty() && news.is_empty() {
                return Ok(false);
            }
            symptom.tried = Tried::First(known.len());
            let tried = contained(|| {
                let prepared = PreparedTrial::new(programs.specimen(*index)?)?;
                explain_by(symptom, prepared, news, target);
                Ok(true)
            });
            symptom.explained.retain(|deviation| !refuted.contains(deviation));
            tried.map_err(|why| (*index, why))
        };
        let tried: Vec<Result<bool, (u64, String)>> = symptoms.par_iter_mut().map(again).collect();
        symptoms.iter().for_each(|(_, symptom)| self.learn(symptom));
        tried.into_iter().try_fold(false, |any, tried| Ok(any | tried?))
    }
}

/// Explains a result that is a difference; a panic makes it a failure of warpdiff.
fn explain_one(result: &mut TrialResult, first: &[Deviation], target: &dyn Target) {
    let TrialResult::Difference(_, different) = &mut *result else { return };
    let explained = contained(|| {
        different.explain(first, target);
        Ok(())
    });
    if let Err(why) = explained {
        *result = TrialResult::Broken(why);
    }
}

/// Adds those of `news` that explain a program to what does; tries the whole catalogue if nothing does. The target is asked only if there is something to try.
fn explain_by(symptom: &mut Symptom, prepared: PreparedTrial, mut news: Vec<Deviation>, target: &dyn Target) {
    news.retain(|deviation| prepared.program.may_show(*deviation));
    if !symptom.explained.is_empty() && news.is_empty() {
        return;
    }
    let trial = prepared.tried(target);
    if !trial.raw.is_failure() {
        symptom.tried = Tried::All;
        return;
    }
    symptom.explained.extend(trial.explained_among(&news));
    symptom.explained.sort();
    if symptom.explained.is_empty() {
        symptom.explain(&trial, target);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use warpdiff_model::Semantics;
    use warpdiff_targets::EmulatorTarget;

    use super::super::explanations::explanations;
    use super::super::options::Options;
    use super::*;

    fn options() -> Options {
        Options::of("emulator".parse().unwrap(), 16, 1)
    }

    fn with(deviation: Deviation) -> EmulatorTarget {
        EmulatorTarget::new(Semantics::default().with(deviation))
    }

    /// The programs of this range that differ on a target with the deviation.
    fn different(deviation: Deviation, programs: Range<u64>) -> Vec<TrialResult> {
        let (options, target) = (options(), with(deviation));
        let try_one = |index| {
            let trial = Trial::new(options.specimen(index).unwrap(), &target).unwrap();
            let raw = trial.raw;
            raw.is_failure()
                .then(|| TrialResult::Difference(raw, Box::new(Different::unexplained(trial, &target))))
        };
        programs.into_par_iter().filter_map(try_one).collect()
    }

    fn symptoms(results: Vec<TrialResult>) -> Vec<Symptom> {
        let symptom = |result| match result {
            TrialResult::Difference(_, different) => different.symptom,
            _ => panic!("a difference"),
        };
        results.into_iter().map(symptom).collect()
    }

    /// The symptoms, and the deviation that each is put down to.
    fn explained(
        mut explainer: Explainer,
        mut results: Vec<TrialResult>,
    ) -> Vec<(Symptom, Option<Deviation>)> {
        explainer.explain(&mut results, &with(Deviation::SuldClampAsZero));
        let symptoms = symptoms(results);
        let order = explanations(symptoms.iter().map(|symptom| &symptom.explained));
        let first = |symptom: &Symptom| order.iter().copied().find(|one| symptom.explained.contains(one));
        symptoms.into_iter().map(|symptom| (symptom.clone(), first(&symptom))).collect()
    }

    #[test]
    fn the_whole_catalogue_is_tried_on_few_programs_and_explains_the_others_alike() {
        for (deviation, programs) in
            [(Deviation::SuldClampAsZero, 400), (Deviation::SurfaceVectorReversed, 400)]
        {
            let whole = Explainer { probes: usize::MAX, ..Explainer::default() };
            let of_all = explained(whole, different(deviation, 0..programs));
            let of_few = explained(Explainer::default(), different(deviation, 0..programs));
            let causes = |of: &[(Symptom, Option<Deviation>)]| -> Vec<_> {
                of.iter().map(|(symptom, deviation)| symptom.cause(*deviation)).collect()
            };
            assert_eq!(causes(&of_few), causes(&of_all), "{}", deviation.name());
            assert!(of_few.iter().all(|(_, named)| *named == Some(deviation)), "{}", deviation.name());
            let whole = of_few.iter().filter(|(symptom, _)| symptom.tried == Tried::All).count();
            assert!(whole >= PROBES && whole * 2 < of_few.len(), "{}: {whole}", deviation.name());
        }
    }

    /// Both are of `suld.b`. Nothing tells the second when the whole catalogue is tried on the first programs.
    #[test]
    fn a_second_mistake_in_an_operation_is_found_where_the_first_explains_nothing() {
        let (first, second) = (Deviation::SuldClampAsZero, Deviation::SuldB8SignExtended);
        let mut results = different(first, 0..200);
        let of_first = results.len();
        results.extend(different(second, 200..800));
        let found = explained(Explainer::default(), results);
        let (before, after) = found.split_at(of_first);
        assert!(before.len() > 10 && after.len() > 2, "{} {}", before.len(), after.len());
        assert!(before.iter().all(|(_, named)| *named == Some(first)));
        assert!(after.iter().all(|(_, named)| *named == Some(second)));
    }

    #[test]
    fn what_nothing_explains_any_more_is_tried_with_the_whole_catalogue_once() {
        let (deviation, options) = (Deviation::AtomIncOffByOne, options());
        let (target, programs) = (with(deviation), Programs::of_seed(&options));
        let index = (0..1000).find(|index| !different(deviation, *index..*index + 1).is_empty()).unwrap();
        let of_whole = Symptom::of(&Trial::new(programs.specimen(index).unwrap(), &target).unwrap(), &target);
        assert!(of_whole.explained.contains(&deviation));
        // As one that was explained by what was refuted since.
        let refuted = BTreeSet::from([Deviation::SuldClampAsZero]);
        let mut before = of_whole.clone();
        before.explained.clear();
        before.tried = Tried::First(1);
        let mut explainer =
            Explainer { known: vec![Deviation::SuldClampAsZero, deviation], ..Explainer::default() };
        let mut symptoms = [(index, before.clone())];
        assert!(explainer.explain_again(&mut symptoms, &refuted, programs, &target).unwrap());
        assert_eq!(symptoms[0].1.explained, [deviation], "what was found later is tried first");
        assert!(!explainer.explain_again(&mut symptoms, &refuted, programs, &target).unwrap());
        before.tried = Tried::First(2);
        symptoms[0].1 = before.clone();
        assert!(explainer.explain_again(&mut symptoms, &refuted, programs, &target).unwrap());
        assert_eq!(symptoms[0].1, of_whole);
        assert!(!explainer.explain_again(&mut symptoms, &refuted, programs, &target).unwrap());
        // What is refuted does not come back.
        symptoms[0].1 = before;
        let refuted = BTreeSet::from_iter(of_whole.explained.iter().copied());
        assert!(explainer.explain_again(&mut symptoms, &refuted, programs, &target).unwrap());
        assert_eq!((&symptoms[0].1.explained[..], symptoms[0].1.tried), (&[][..], Tried::All));
    }

    /// A program that was explained before a deviation was known is put down to it all the same.
    #[test]
    fn what_is_found_late_is_tried_on_the_programs_before() {
        let (deviation, options) = (Deviation::SuldClampAsZero, options());
        let (target, programs) = (with(deviation), Programs::of_seed(&options));
        let index = (0..1000).find(|index| !different(deviation, *index..*index + 1).is_empty()).unwrap();
        let mut symptom =
            Symptom::of(&Trial::new(programs.specimen(index).unwrap(), &target).unwrap(), &target);
        (symptom.explained, symptom.tried) = (vec![Deviation::AtomIncOffByOne], Tried::First(1));
        let known = vec![Deviation::AtomIncOffByOne, Deviation::SuldB8SignExtended, deviation];
        let mut explainer = Explainer { known, ..Explainer::default() };
        let mut symptoms = [(index, symptom)];
        assert!(explainer.explain_again(&mut symptoms, &BTreeSet::new(), programs, &target).unwrap());
        let mut expected = [deviation, Deviation::AtomIncOffByOne];
        expected.sort();
        assert_eq!(symptoms[0].1.explained, expected);
    }
}
