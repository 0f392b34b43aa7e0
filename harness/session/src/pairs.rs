//! Two deviations that together explain a variant which neither explains by itself.

use warpdiff_judge::diagnose::{ObservedLaunch, is_comparable, partial_fits, refutation};
use warpdiff_model::{Deviation, Semantics};

use crate::judged_variant::JudgedVariant;

/// Deviations that explain some rows of a variant by themselves and of which pairs are tried: the best ones.
const MEMBERS: usize = 24;
/// Most rows of a variant on which pairs are tried.
const ROWS: usize = 512;

/// The pairs that reproduce everything observed of a variant, of `known` deviations and of those that explain some of its rows. The
/// members of each are in the order of the catalogue.
pub(crate) fn explaining(judged: &JudgedVariant<'_, '_>, known: &[Deviation]) -> Vec<Vec<Deviation>> {
    if judged.rows > ROWS {
        return Vec::new();
    }
    let Some(launches) = judged.launches() else { return Vec::new() };
    let mut seen: Vec<ObservedLaunch<'_>> = launches
        .iter()
        .map(|(unit, answer)| ObservedLaunch { unit, observation: &answer.observation })
        .filter(|seen| is_comparable(seen.unit, seen.observation))
        .collect();
    let mut members: Vec<Deviation> = known.to_vec();
    for fit in partial_fits(&seen) {
        if members.len() < MEMBERS && !members.contains(&fit.deviation) {
            members.push(fit.deviation);
        }
    }
    let mut found = Vec::new();
    for (place, first) in members.iter().enumerate() {
        for second in &members[place + 1..] {
            let both = Semantics::default().with(*first).with(*second);
            let refutes =
                |seen: &ObservedLaunch<'_>| refutation(seen.unit, seen.observation, &both).is_some();
            match seen.iter().position(refutes) {
                // What refuted one pair is likely to refute the next.
                Some(refuting) => seen.swap(0, refuting),
                None => {
                    let mut pair = vec![*first, *second];
                    pair.sort();
                    found.push(pair);
                }
            }
        }
    }
    found
}
