//! Two deviations that together explain a variant which neither explains by itself.

use rayon::prelude::*;
use warpdiff_judge::diagnose::{ObservedLaunch, is_comparable, partial_fits, refutation};
use warpdiff_judge::shown_by::may_show_in_authored;
use warpdiff_model::{Deviation, Observation, Semantics};

use crate::judged_variant::JudgedVariant;

/// Deviations that explain some rows of a variant by themselves and of which pairs are tried: the best ones.
const MEMBERS: usize = 24;
/// Most rows of a variant on which pairs are tried.
const ROWS: usize = 512;
/// Most deviations that show in a variant and that are tried with each other one.
const VISIBLE: usize = 96;
/// Launches in which they are looked for.
const LAUNCHES: usize = 16;

/// Two deviations, in the order of the catalogue.
type Pair = [Deviation; 2];

/// The pairs that reproduce everything observed of a variant: first those whose own run it is, because two that show in every row explain none by
/// themselves; then those of `known` deviations and of those that explain some of its rows.
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
    let mut pairs = by_own_runs(&seen);
    let mut members: Vec<Deviation> = known.to_vec();
    for fit in partial_fits(&seen) {
        if members.len() < MEMBERS && !members.contains(&fit.deviation) {
            members.push(fit.deviation);
        }
    }
    let more: Vec<Pair> = pairs_of(&members).into_iter().filter(|pair| !pairs.contains(pair)).collect();
    pairs.extend(more);
    pairs.retain(|pair| explains(*pair, &mut seen));
    pairs.iter().map(|pair| pair.to_vec()).collect()
}

/// All pairs of these deviations.
fn pairs_of(members: &[Deviation]) -> Vec<Pair> {
    let mut members = members.to_vec();
    members.sort();
    let with_later = |(place, first): (usize, &Deviation)| {
        let first = *first;
        members[place + 1..].iter().map(move |second| [first, *second]).collect::<Vec<Pair>>()
    };
    members.iter().enumerate().flat_map(with_later).collect()
}

fn with(deviations: &[Deviation]) -> Semantics {
    deviations.iter().fold(Semantics::default(), |all, deviation| all.with(*deviation))
}

/// Whether the pair reproduces everything observed.
fn explains(pair: Pair, seen: &mut [ObservedLaunch<'_>]) -> bool {
    let both = with(&pair);
    let refutes = |seen: &ObservedLaunch<'_>| refutation(seen.unit, seen.observation, &both).is_some();
    let refuting = seen.iter().position(refutes);
    // What refuted one pair is likely to refute the next.
    refuting.inspect(|refuting| seen.swap(0, *refuting)).is_none()
}

/// The pairs whose own run is what was observed of the first launches: of all deviations that show in these, with all that an author wrote something
/// for, because one may show only by what another does. A run takes a small part of the time of finding out what both allow, and refutes nearly all
/// pairs.
fn by_own_runs(seen: &[ObservedLaunch<'_>]) -> Vec<Pair> {
    let seen = &seen[..seen.len().min(LAUNCHES)];
    let is_authored = |deviation: &Deviation| {
        let in_launch = |of: &ObservedLaunch<'_>| {
            may_show_in_authored(*deviation, &of.unit.compiled.checked, &of.unit.planned.map)
        };
        deviation.entry().runs && seen.iter().any(in_launch)
    };
    let authored: Vec<Deviation> = Deviation::all().filter(is_authored).collect();
    let visible = visible(seen, &authored);
    let leave_it = |pair: &Pair| {
        let both = with(pair);
        seen.iter().all(|of| own(of, &both).as_ref() == Some(of.observation))
    };
    let pairs = pairs_of(&authored).into_par_iter();
    pairs.filter(|pair| pair.iter().any(|one| visible.contains(one))).filter(leave_it).collect()
}

/// Those of these deviations whose own run of one of these launches is another than that of the specification.
fn visible(seen: &[ObservedLaunch<'_>], authored: &[Deviation]) -> Vec<Deviation> {
    let specified: Vec<_> = seen.iter().map(|of| own(of, &Semantics::default())).collect();
    let shows = |deviation: &Deviation| {
        let semantics = with(&[*deviation]);
        seen.iter().zip(&specified).any(|(of, specified)| own(of, &semantics) != *specified)
    };
    authored.iter().copied().filter(shows).take(VISIBLE).collect()
}

/// What the emulator does with a launch under these semantics.
fn own(seen: &ObservedLaunch<'_>, semantics: &Semantics) -> Option<Observation> {
    let (program, launch) = (&seen.unit.compiled.program, &seen.unit.planned.launch);
    warpdiff_emulator::observe_within(program, launch, semantics, seen.unit.most_steps()).ok()
}

#[cfg(test)]
mod tests {
    use warpdiff_targets::{EmulatorTarget, Target};

    use super::*;
    use crate::judged_run::JudgedRun;
    use crate::prepared_variant::verdict;

    /// Both of two deviations show in every row of a case, so that neither explains a row by itself: the elements of a vector that is stored in
    /// reverse order, by x that counts texels.
    const BOTH_IN_EVERY_ROW: &str = "\
- case: a store
  covers: []
  surfaces: {img: {geometry: 1d, extent: [8, 1, 1], format: u32, texels: sequence}}
  inputs: {x: s32, a: b32, b: b32}
  body: sust.b.1d.v2.b32.zero [img, {%x}], {%a, %b};
  rows:
    - {x: 8, a: 21, b: 22, image: {img: {2: 21, 3: 22}}}
    - {x: 16, a: 31, b: 32, image: {img: {4: 31, 5: 32}}}
";

    #[test]
    fn two_that_show_in_every_row_are_found() {
        let path = std::path::Path::new("cases/a/b.yaml");
        let folder = tempfile::tempdir().unwrap();
        let variants = warpdiff_corpus::load_text_as(path, BOTH_IN_EVERY_ROW.into(), folder.path())
            .unwrap_or_else(|errors| panic!("{errors:?}"));
        let pair = [Deviation::SurfaceXAsTexel, Deviation::SurfaceVectorReversed];
        let targets: [Box<dyn Target>; 1] = [Box::new(EmulatorTarget::new(with(&pair)))];
        let verdicts = [verdict(&variants[0], &targets)];
        let run = JudgedRun::of(&verdicts, 0);
        let found = explaining(&run.judged[0], &[]);
        let mut pair = pair.to_vec();
        pair.sort();
        assert!(found.contains(&pair), "{found:?}");
        // Neither alone, nor one with what does not show there.
        assert!(found.iter().all(|found| found.len() == 2 && !found.contains(&Deviation::SuldClampAsZero)));
    }
}
