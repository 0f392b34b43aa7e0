//! Which alternatives of choices a target takes where it is wrong as a set of deviations is.
//!
//! What a deviation leaves open the target decides. Of each wrong launch the alternatives count with which the deviations reproduce what
//! was observed; a choice is named if one alternative alone is left of it in all launches, and it is not the first, which the emulator with
//! the deviations takes by itself.

use std::collections::{BTreeMap, BTreeSet};

use warpdiff_judge::diagnose::{is_comparable, wrong_rows};
use warpdiff_judge::reference::Unit;
use warpdiff_model::{Admission, Allowed, Choice, Deviation, Observation, Outcome, Semantics};

use crate::judged_variant::JudgedVariant;

/// Most rows of the variants that are looked at.
const ROWS: usize = 2_000;

/// The alternatives that the wrong variants show under the deviations. Not all variants may be looked at: the smallest come first.
pub(crate) fn taken<'v, 'r: 'v, 'a: 'v>(
    wrong: impl IntoIterator<Item = &'v JudgedVariant<'r, 'a>>,
    deviations: &[Deviation],
) -> Vec<(Choice, u8)> {
    let semantics = deviations.iter().fold(Semantics::default(), |all, deviation| all.with(*deviation));
    let mut room = ROWS;
    let mut left: BTreeMap<Choice, BTreeSet<u8>> = BTreeMap::new();
    for judged in wrong {
        if judged.rows > room {
            break;
        }
        room -= judged.rows;
        for (unit, answer) in judged.launches().iter().flat_map(|launches| launches.iter()) {
            let observation = &answer.observation;
            if !is_comparable(unit, observation) || wrong_rows(unit, observation).is_empty() {
                continue;
            }
            for (choice, alternatives) in possible(unit, observation, &semantics) {
                match left.get_mut(&choice) {
                    Some(known) => known.retain(|one| alternatives.contains(one)),
                    None => drop(left.insert(choice, alternatives)),
                }
            }
        }
    }
    let one = |(choice, alternatives): (Choice, BTreeSet<u8>)| match alternatives.len() {
        // With the first alternative of each the deviations need no further word.
        1 => alternatives.first().filter(|one| **one != 0).map(|one| (choice, *one)),
        _ => None,
    };
    left.into_iter().filter_map(one).collect()
}

/// The alternatives with which the semantics admit an observation, of each choice in which their outcomes differ.
fn possible(
    unit: &Unit<'_>,
    observation: &Observation,
    semantics: &Semantics,
) -> BTreeMap<Choice, BTreeSet<u8>> {
    let (program, planned) = (&unit.compiled.program, &unit.planned);
    let outcomes = warpdiff_emulator::by_assignment(program, &planned.launch, semantics, unit.most_steps())
        .unwrap_or_default();
    if outcomes.len() < 2 {
        return BTreeMap::new();
    }
    let admits = |outcome: &Outcome| {
        let mut alone = Allowed { outcomes: vec![outcome.clone()], tolerances: Vec::new() };
        alone.tolerate(&planned.tolerances);
        alone.judge_logs(&planned.logs);
        alone.judge_permutations(&planned.permutations());
        matches!(alone.admits(observation), Admission::Conforms { .. })
    };
    let fitting: Vec<&Outcome> = outcomes.iter().filter(|outcome| admits(outcome)).collect();
    let of = |outcomes: &[&Outcome], choice: Choice| -> BTreeSet<u8> {
        outcomes.iter().map(|outcome| outcome.assignment.get(choice)).collect()
    };
    let all: Vec<&Outcome> = outcomes.iter().collect();
    let differing = Choice::ALL.iter().map(|info| info.choice).filter(|choice| of(&all, *choice).len() > 1);
    // Where nothing fits by itself, as where a launch races, nothing is known.
    differing.map(|choice| (choice, of(&fitting, choice))).filter(|(_, taken)| !taken.is_empty()).collect()
}
