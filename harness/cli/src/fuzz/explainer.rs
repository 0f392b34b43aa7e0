//! Explains the programs of a campaign that differ.
//!
//! To try the whole catalogue on a program takes a hundred times what the program takes otherwise, and most programs of a campaign differ for the same few reasons. The
//! catalogue is tried on the first few programs whose difference is put down to an operation. The others are tried with what has explained any program before, and with
//! the whole catalogue only if none of that explains them. So a deviation that explains all programs of an operation is found: it explains the first few.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use warpdiff_model::Deviation;
use warpdiff_targets::Target;

use super::campaign::{TrialResult, contained};
use super::culprit::Symptom;
use super::programs::Programs;
use super::trial::Trial;

/// Programs of an operation on which the whole catalogue is tried.
const PROBES: usize = 4;
/// Most programs that are explained at the same time, by what the programs before them taught. The first times there are fewer. It does not depend on the number of
/// threads, so that explanations do not either.
const AT_A_TIME: usize = 64;

/// A program that differs.
pub(super) struct Different {
    trial: Trial,
    pub(super) symptom: Symptom,
}

/// What the programs explained so far taught.
pub(super) struct Explainer {
    /// The deviations that explain any of them.
    known: BTreeSet<Deviation>,
    /// How many programs differ at each operation.
    seen: BTreeMap<String, usize>,
    /// Programs of an operation on which the whole catalogue is tried.
    probes: usize,
    /// Programs that are explained at the same time next.
    at_a_time: usize,
}

impl Default for Explainer {
    fn default() -> Self {
        Self { known: BTreeSet::new(), seen: BTreeMap::new(), probes: PROBES, at_a_time: PROBES }
    }
}

impl Different {
    /// A trial that violates, which nothing explains yet.
    pub(super) fn unexplained(trial: Trial, target: &dyn Target) -> Self {
        let symptom = Symptom::unexplained(&trial, target);
        Self { trial, symptom }
    }

    /// Tries these deviations first, and the whole catalogue if none of them explains the program.
    fn explain(&mut self, first: &[Deviation], target: &dyn Target) {
        let Self { trial, symptom } = self;
        let explained = trial.explained_among(first);
        match explained.is_empty() {
            true => symptom.explain(trial, target),
            false => symptom.explained = explained,
        }
    }
}

impl Explainer {
    /// Explains those results that are differences.
    pub(super) fn explain(&mut self, results: &mut [TrialResult], target: &dyn Target) {
        let is_difference = |result: &&mut TrialResult| matches!(result, TrialResult::Difference(..));
        let mut different: Vec<&mut TrialResult> = results.iter_mut().filter(is_difference).collect();
        let mut left = &mut different[..];
        while !left.is_empty() {
            let (batch, rest) = left.split_at_mut(self.at_a_time.min(left.len()));
            self.explain_batch(batch, target);
            self.at_a_time = AT_A_TIME.min(2 * self.at_a_time);
            left = rest;
        }
    }

    fn explain_batch(&mut self, batch: &mut [&mut TrialResult], target: &dyn Target) {
        let known: Vec<Deviation> = self.known.iter().copied().collect();
        let first = batch.iter().map(|result| match self.is_probe(result) {
            // What a compiler does in one program says little of the next.
            false if !target.is_compiled() => &known[..],
            _ => &[],
        });
        let first: Vec<&[Deviation]> = first.collect();
        batch.par_iter_mut().zip(first).for_each(|(result, first)| {
            let TrialResult::Difference(_, different) = &mut **result else { return };
            if let Err(why) = contained(|| Ok(different.explain(first, target))) {
                **result = TrialResult::Broken(why);
            }
        });
        for result in batch {
            if let TrialResult::Difference(_, different) = &**result
                && different.symptom.is_of_whole_catalogue
            {
                self.known.extend(&different.symptom.explained);
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
}

/// Tries the whole catalogue on the programs that were tried with a part of it, and that nothing explains any more. Answers whether there were any. One that does not
/// differ again stays as it is.
pub(super) fn explain_again(
    symptoms: &mut [(u64, Symptom)],
    programs: Programs<'_>,
    target: &dyn Target,
) -> bool {
    let is_left = |symptom: &Symptom| symptom.explained.is_empty() && !symptom.is_of_whole_catalogue;
    let mut left: Vec<_> = symptoms.iter_mut().filter(|(_, symptom)| is_left(symptom)).collect();
    left.par_iter_mut().for_each(|(index, symptom)| {
        symptom.is_of_whole_catalogue = true;
        let Ok(trial) = programs.specimen(*index).and_then(|specimen| Trial::new(specimen, target)) else {
            return;
        };
        if trial.raw.is_failure() {
            symptom.explain(&trial, target);
        }
    });
    !left.is_empty()
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
            let whole = of_few.iter().filter(|(symptom, _)| symptom.is_of_whole_catalogue).count();
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
        let mut refuted = of_whole.clone();
        refuted.explained.clear();
        refuted.is_of_whole_catalogue = false;
        let mut symptoms = [(index, refuted)];
        assert!(explain_again(&mut symptoms, programs, &target));
        assert_eq!(symptoms, [(index, of_whole)]);
        symptoms[0].1.explained.clear();
        assert!(!explain_again(&mut symptoms, programs, &target));
    }
}
