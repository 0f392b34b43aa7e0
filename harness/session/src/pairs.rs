//! Two deviations that together explain a variant which neither explains by itself.

use warpdiff_judge::diagnose::{ObservedLaunch, is_comparable, partial_fits, refutation};
use warpdiff_judge::shown_by::may_show_in_authored;
use warpdiff_model::{Deviation, Observation, Semantics};

use crate::judged_variant::JudgedVariant;

/// Deviations that explain some rows of a variant by themselves and of which pairs are tried: the best ones.
const MEMBERS: usize = 24;
/// Most rows of a variant on which pairs are tried.
const ROWS: usize = 512;
/// Deviations that show in a variant and of which all pairs are tried, if none explains a row by itself.
const VISIBLE: usize = 64;
/// Launches in which they are looked for.
const LAUNCHES: usize = 16;

/// The pairs that reproduce everything observed of a variant, of `known` deviations and of those that explain some of its rows; if there are none, of
/// all that show in it, because two that show in every row explain none by themselves. The members of each are in the order of the catalogue.
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
    let found = among(&members, &mut seen, |_| true);
    if !found.is_empty() {
        return found;
    }
    let looked_at: Vec<ObservedLaunch<'_>> = seen.iter().take(LAUNCHES).copied().collect();
    // Far cheaper than what both allow, and refutes nearly all pairs.
    let leave_it =
        |both: &Semantics| looked_at.iter().all(|of| own(of, both).as_ref() == Some(of.observation));
    among(&visible(&looked_at), &mut seen, leave_it)
}

/// The pairs of these that may be tried and reproduce everything observed.
fn among(
    members: &[Deviation],
    seen: &mut [ObservedLaunch<'_>],
    may_be_tried: impl Fn(&Semantics) -> bool,
) -> Vec<Vec<Deviation>> {
    let mut found = Vec::new();
    for (place, first) in members.iter().enumerate() {
        for second in &members[place + 1..] {
            let both = Semantics::default().with(*first).with(*second);
            if !may_be_tried(&both) {
                continue;
            }
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

/// The deviations whose own run of one of these launches is another than that of the specification, where an author wrote what can show them.
fn visible(seen: &[ObservedLaunch<'_>]) -> Vec<Deviation> {
    let specified: Vec<_> = seen.iter().map(|of| own(of, &Semantics::default())).collect();
    let shows = |deviation: &Deviation| {
        let semantics = Semantics::default().with(*deviation);
        seen.iter().zip(&specified).any(|(of, specified)| {
            may_show_in_authored(*deviation, &of.unit.compiled.checked, &of.unit.planned.map)
                && own(of, &semantics) != *specified
        })
    };
    Deviation::all().filter(|deviation| deviation.entry().runs).filter(shows).take(VISIBLE).collect()
}

/// What the emulator does with a launch under these semantics.
fn own(seen: &ObservedLaunch<'_>, semantics: &Semantics) -> Option<Observation> {
    let (program, launch) = (&seen.unit.compiled.program, &seen.unit.planned.launch);
    warpdiff_emulator::observe_within(program, launch, semantics, seen.unit.most_steps()).ok()
}
