//! Checks explanations against programs without a difference: a deviation that would show in one of them is no cause.

use std::collections::BTreeSet;

use rayon::prelude::*;
use warpdiff_model::Deviation;
use warpdiff_targets::Target;

use super::culprit::Symptom;
use super::explanations::explanations;
use super::programs::Programs;
use super::trial::PreparedTrial;

/// Programs without a difference that each deviation is checked against. Few are needed.
const PROGRAMS: usize = 1024;

/// Which deviations were checked against the programs without a difference.
#[derive(Default)]
pub(super) struct Checked {
    /// None of the programs refutes these.
    stand: BTreeSet<Deviation>,
    /// One refutes each of these.
    pub(super) refuted: BTreeSet<Deviation>,
}

/// Removes from the symptoms the deviations that a program without a difference refutes. Where the target's programs went through a
/// compiler, what that does in some programs is no more refuted by others, and goes before deviations that are not a compiler's.
pub(super) fn leave_out_refuted(
    symptoms: &mut [(u64, Symptom)],
    Checked { stand, refuted }: &mut Checked,
    right: &[u64],
    programs: Programs<'_>,
    target: &dyn Target,
) {
    if target.is_compiled() {
        let is_of_compiler = |deviation: &Deviation| deviation.entry().is_of_a_compiler();
        let explained = symptoms.iter_mut().map(|(_, symptom)| &mut symptom.explained);
        explained.filter(|all| all.iter().any(is_of_compiler)).for_each(|all| all.retain(is_of_compiler));
    }
    let some = &right[..right.len().min(PROGRAMS)];
    loop {
        let explained = explanations(symptoms.iter().map(|(_, symptom)| &symptom.explained));
        let Some(deviation) = explained.into_iter().find(|deviation| !stand.contains(deviation)) else {
            break;
        };
        if is_refuted(deviation, some, programs, target) {
            refuted.insert(deviation);
            symptoms.iter_mut().for_each(|(_, symptom)| symptom.explained.retain(|d| *d != deviation));
        } else {
            stand.insert(deviation);
        }
    }
    let of_several: BTreeSet<Deviation> =
        symptoms.iter().flat_map(|(_, symptom)| &symptom.together).copied().collect();
    for deviation in of_several.difference(stand) {
        if is_refuted(*deviation, some, programs, target) {
            let wrong = symptoms.iter_mut().filter(|(_, symptom)| symptom.together.contains(deviation));
            wrong.for_each(|(_, symptom)| symptom.together.clear());
        }
    }
}

/// Whether one of these programs, which are right, refutes a deviation. What a compiler does in some programs no program refutes.
fn is_refuted(deviation: Deviation, right: &[u64], programs: Programs<'_>, target: &dyn Target) -> bool {
    let is_optional = target.is_compiled() && deviation.entry().optional;
    !is_optional && right.par_iter().any(|index| refutes(*index, deviation, programs, target))
}

/// Whether a program that is right refutes the deviation.
fn refutes(index: u64, deviation: Deviation, programs: Programs<'_>, target: &dyn Target) -> bool {
    let Ok(prepared) = programs.specimen(index).and_then(PreparedTrial::new) else {
        return false;
    };
    if !prepared.program.may_show(deviation) {
        return false;
    }
    let observation = target.observe(prepared.question());
    let trial = prepared.judged(observation);
    trial.raw.is_right() && !trial.explained_by(deviation)
}

#[cfg(test)]
mod tests {
    use warpdiff_model::{Observation, Semantics};
    use warpdiff_targets::Question;

    use super::super::campaign::Campaign;
    use super::super::options::Options;
    use super::*;

    /// Counts up to the bound wrongly in every second program that does so.
    struct EverySecond;

    impl Target for EverySecond {
        fn name(&self) -> &str {
            "every-second"
        }

        fn observe(&self, question: Question<'_>) -> Observation {
            let launch = &question.planned.launch;
            let semantics = match launch.program.len() % 2 {
                0 => Semantics::default(),
                _ => Semantics::default().with(Deviation::AtomIncOffByOne),
            };
            warpdiff_emulator::observe(question.program.unwrap(), launch, &semantics).unwrap()
        }
    }

    #[test]
    fn programs_that_are_right_refute_what_explains_others() {
        let options = Options::of("emulator".parse().unwrap(), 1, 2000);
        let found = Campaign::run(&options, &EverySecond);
        assert!(!found.groups.is_empty());
        let named: Vec<_> = found.groups.keys().filter(|cause| cause.deviation.is_some()).collect();
        assert!(named.is_empty(), "{named:?}");
        // Without the programs that are right it would be named: nothing else is wrong.
        let deviant = "emulator+atom.inc-off-by-one".parse::<warpdiff_targets::TargetName>().unwrap();
        let found = Campaign::run(&options, deviant.open().as_ref());
        let is_it = |deviation| deviation == Some(Deviation::AtomIncOffByOne);
        assert!(found.groups.keys().all(|cause| is_it(cause.deviation)), "{:?}", found.groups);
    }
}
