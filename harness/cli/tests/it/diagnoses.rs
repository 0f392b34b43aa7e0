//! What a run says that a target does instead: each deviation planted by itself is named first, two in one family are both named, and what is
//! in no catalogue is never put down to anything.
//!
//! A sample runs here, another one with each value of `WARPDIFF_SAMPLE`; `ci/deviations.sh` runs all of it.

use crate::cases::corpus;

use std::collections::BTreeSet;

use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::diagnose::reproduces;
use warpdiff_judge::instruction_family;
use warpdiff_judge::reference::{Programs, Unit, units};
use warpdiff_judge::shown_by::may_show_in_authored;
use warpdiff_model::{Deviation, Semantics};
use warpdiff_session::diagnosis::{Diagnosis, Reproduced, Told};
use warpdiff_session::session;
use warpdiff_targets::{EmulatorTarget, Target};

/// Deviations of the sample.
const PLANTED: usize = 8;
/// Pairs that are looked for in the whole corpus, and how many are tried on one variant.
const PAIRS: usize = 300;
const TRIES: usize = 40;
/// Most rows of a variant in these runs.
const ROWS: usize = 96;

fn sample() -> usize {
    std::env::var("WARPDIFF_SAMPLE").ok().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn rows(variant: &Variant) -> usize {
    match &variant.work {
        Work::Launches(launches) => launches.iter().map(|launch| launch.rows.len().max(1)).sum(),
        Work::Legality(_) | Work::Unsupported(_) => usize::MAX,
    }
}

fn with(deviations: &[Deviation]) -> Semantics {
    deviations.iter().fold(Semantics::default(), |all, deviation| all.with(*deviation))
}

fn diagnoses(variants: &[&Variant], target: Box<dyn Target>) -> Vec<Diagnosis> {
    session::run(variants, &[target], &|| ()).diagnoses.remove(0)
}

fn of_emulator(variants: &[&Variant], deviations: &[Deviation]) -> Vec<Diagnosis> {
    diagnoses(variants, Box::new(EmulatorTarget::new(with(deviations))))
}

/// What is told of the causes that are known.
fn told(diagnoses: &[Diagnosis]) -> impl Iterator<Item = &Reproduced> {
    diagnoses.iter().filter_map(|diagnosis| match &diagnosis.told {
        Told::Reproduced(told) => Some(told),
        Told::Unexplained(_) => None,
    })
}

/// Everything that is named.
fn named(diagnoses: &[Diagnosis]) -> BTreeSet<Deviation> {
    told(diagnoses).flat_map(|told| &told.by).flat_map(|by| &by.deviations).copied().collect()
}

/// Everything that is said to fit as well, and to claim more.
fn wider(diagnoses: &[Diagnosis]) -> BTreeSet<Deviation> {
    told(diagnoses).flat_map(|told| &told.wider).copied().collect()
}

/// Small variants of the requirements that a deviation breaks, some of each.
fn witnesses(deviation: Deviation) -> Vec<&'static Variant> {
    let mut found: Vec<&'static Variant> = Vec::new();
    for id in deviation.entry().breaks {
        let covers = |variant: &&Variant| variant.covers.iter().any(|covered| covered == id);
        let mut small: Vec<&'static Variant> =
            corpus().variants.iter().filter(|variant| rows(variant) != usize::MAX).filter(covers).collect();
        small.sort_by_key(|variant| rows(variant));
        let step = small.len().div_ceil(24).max(1);
        for variant in small.into_iter().step_by(step) {
            if found.iter().all(|known| known.id != variant.id) {
                found.push(variant);
            }
        }
    }
    found
}

/// A deviation planted by itself is among what is named, in a run of cases of what it breaks. (That the whole corpus tells it from all
/// others is a matter of minutes: `ci/deviations.sh` holds that it is named first there.)
#[test]
fn a_planted_deviation_is_named() {
    let all: Vec<Deviation> =
        Deviation::all().filter(|deviation| deviation.entry().runs && !deviation.is_permitted()).collect();
    let step = all.len().div_ceil(PLANTED);
    for deviation in all.iter().skip(sample() % step).step_by(step) {
        let variants = witnesses(*deviation);
        let found = of_emulator(&variants, &[*deviation]);
        assert!(named(&found).contains(deviation), "{deviation}: {:?}", found.first().map(|it| &it.told));
    }
}

/// What is said of a deviation that is planted by itself, in the variants whose ids begin so: of each diagnosis what is named.
fn said_of(deviation: Deviation, beginnings: &[&str]) -> Vec<Vec<Vec<Deviation>>> {
    let begins = |variant: &&Variant| beginnings.iter().any(|it| variant.id.starts_with(it));
    let variants: Vec<&Variant> =
        corpus().variants.iter().filter(begins).filter(|variant| rows(variant) <= 2 * ROWS).collect();
    let found = of_emulator(&variants, &[deviation]);
    let sets = |diagnosis: &Diagnosis| match &diagnosis.told {
        Told::Reproduced(told) => told.by.iter().map(|by| by.deviations.clone()).collect(),
        Told::Unexplained(_) => Vec::new(),
    };
    let said: Vec<_> = found.iter().map(sets).collect();
    assert!(!said.is_empty(), "{deviation} shows nowhere in {beginnings:?}");
    said
}

/// In every family that it shows in the planted one alone is named, whatever else fits there.
#[test]
fn what_fits_as_well_but_tells_less_is_not_named() {
    use Deviation as D;
    for (deviation, beginnings) in [
        // `spa.lds-as-sts` loses the results on their way out, so that they may be anything.
        (D::AtomIncOffByOne, &["spa/atoms/ATOMS.INC["][..]),
        // `slct.signed-missing` writes nothing, so that every result may be anything.
        (
            D::PtxasLeastSelects,
            &["compiler/miscompiled/a choice", "arithmetic/selections/slct", "compiler/choices/slct"],
        ),
        // Three others misplace dynamic shared memory in the same way, and would misplace other variables, too.
        (D::AlignDynamicPacked, &["declare/alignment/"]),
        (D::AlignArrayOne, &["declare/alignment/"]),
        // Of 128 bytes the one makes 256, the other 512.
        (D::SpaSizeRounded, &["spa/addresses/"]),
        (D::SpaSizeInWords, &["spa/addresses/"]),
        // `tex.layer-normalised` leaves the layers of a cube, which has none, alone.
        (D::TexCubeYExchanged, &["tex/cube/"]),
        // `spa.atoms-word-index` is narrower, and would do for some operations, but not for all.
        (D::SpaAtomsOffsetUnscaled, &["spa/atoms/", "spa/addresses/"]),
    ] {
        for sets in said_of(deviation, beginnings) {
            assert_eq!(sets, [[deviation]], "{deviation}");
        }
    }
}

/// The kernel around the author's instructions has a `cvta`: every case is wrong, and loads of surfaces, which have nothing to do with it, are put
/// down to it like the rest; so are those for which `mov.name-generic` would do, and those without an instruction to blame.
#[test]
fn what_the_kernel_around_every_case_shows_is_named_for_others() {
    let beginnings = ["memory/spaces/", "suld/bounds-1d/", "arithmetic/bits/"];
    let said = said_of(Deviation::GenericCut, &beginnings);
    assert_eq!(said, [[[Deviation::GenericCut]]], "one cause of all");
}

/// Every kernel ends threads beyond its rows by a guarded `exit`, and takes its buffers from its parameters: nothing else is said of any family, and
/// no variant is counted twice.
#[test]
fn what_every_kernel_shows_is_told_once() {
    let of = |variant: &&Variant| {
        ["memory/", "arithmetic/", "atomics/", "control/"].iter().any(|it| variant.id.starts_with(it))
    };
    let variants: Vec<&Variant> =
        corpus().variants.iter().filter(of).filter(|variant| rows(variant) <= ROWS).collect();
    for deviation in [Deviation::ExitPredicateIgnored, Deviation::OffsetScaled] {
        let found = of_emulator(&variants, &[deviation]);
        assert_eq!(found.len(), 1, "{deviation}: {found:?}");
        assert_eq!(named(&found), BTreeSet::from([deviation]));
        assert!(found[0].families.len() > 8 && found[0].wrong > found[0].right, "{deviation}");
        assert!(found[0].wrong + found[0].right <= variants.len(), "{deviation}: {found:?}");
    }
}

/// Variables that are not aligned have addresses of which the specification, misread so, says nothing: an access may be misaligned, as it is
/// in the target's own run.
#[test]
fn a_fault_at_an_address_that_is_left_open_is_put_down_to_what_leaves_it_open() {
    let beginnings = ["compiled/compiled/cas_shared", "declare/alignment/"];
    for sets in said_of(Deviation::AlignUnpadded, &beginnings) {
        assert_eq!(sets.first().map(Vec::as_slice), Some(&[Deviation::AlignUnpadded][..]));
    }
}

/// A pair within one instruction family, and the variants that it is tried on: each member shows by itself in the first of them, and both
/// together are neither.
fn pairs(most: usize, seed: usize) -> Vec<([Deviation; 2], Vec<&'static Variant>)> {
    let small: Vec<&'static Variant> =
        corpus().variants.iter().filter(|variant| (2..=ROWS).contains(&rows(variant))).collect();
    let mut found: Vec<([Deviation; 2], Vec<&'static Variant>)> = Vec::new();
    // Neighbours are of one case: a step that is prime to most numbers goes through all of them, far apart.
    let order = (0..small.len()).map(|turn| (turn * 1009 + seed) % small.len().max(1));
    for (turn, variant) in order.filter_map(|place| small.get(place)).enumerate() {
        if found.len() == most {
            break;
        }
        let Work::Launches(launches) = &variant.work else { continue };
        let mut programs = Programs::default();
        let all: Result<Vec<Vec<Unit<'_>>>, _> = launches.iter().map(|it| units(it, &mut programs)).collect();
        let Ok(units) = all else { continue };
        let units: Vec<Unit<'_>> = units.into_iter().flatten().collect();
        let Some(first) = units.first() else { continue };
        let families = instruction_family::all(&first.compiled, &first.planned.map);
        // One family, so that the two are within it.
        if families.len() != 1 {
            continue;
        }
        let shows = |deviation: &Deviation| {
            let entry = deviation.entry();
            // The kernel around what an author wrote is of no family.
            let is_of_family = may_show_in_authored(*deviation, &first.compiled.checked, &first.planned.map);
            entry.runs && !deviation.is_permitted() && is_of_family
        };
        // A run under these semantics is not what those allow.
        let parts = |seen: &[Deviation], by: &[Deviation]| {
            units.iter().any(|unit| {
                let observed =
                    warpdiff_emulator::observe(&unit.compiled.program, &unit.planned.launch, &with(seen));
                observed.is_ok_and(|observed| !reproduces(unit, &observed, with(by)))
            })
        };
        let visible: Vec<Deviation> =
            Deviation::all().filter(shows).filter(|it| parts(&[*it], &[])).collect();
        let count = visible.len();
        let all = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
        let mut tries: Vec<(Deviation, Deviation)> =
            all.map(|(one, other)| (visible[one], visible[other])).collect();
        // Not always the first of the catalogue.
        let middle = if tries.is_empty() { 0 } else { turn % tries.len() };
        tries.rotate_left(middle);
        tries.truncate(TRIES);
        let pair = tries.into_iter().find(|(a, b)| {
            a != b && parts(&[*a, *b], &[*a]) && parts(&[*a, *b], &[*b]) && parts(&[*a], &[*b])
        });
        let Some((a, b)) = pair else { continue };
        let file = variant.id.rsplit_once('/').map_or(variant.id.as_str(), |(file, _)| file);
        let others =
            small.iter().copied().filter(|other| other.id.starts_with(file) && other.id != variant.id);
        let mut run = vec![*variant];
        run.extend(others.take(12));
        found.push(([a, b], run));
    }
    found
}

/// Both of each pair are named in 95 of 100, or said to be wider than what is named.
fn both_are_named(most: usize) {
    let pairs = pairs(most, sample());
    assert!(2 * pairs.len() >= most, "only {} pairs", pairs.len());
    let mut missed = Vec::new();
    for ([a, b], variants) in &pairs {
        let found = of_emulator(variants, &[*a, *b]);
        let named: BTreeSet<Deviation> = &named(&found) | &wider(&found);
        if !(named.contains(a) && named.contains(b)) {
            missed.push(format!("{a} and {b} in {}: {named:?}", variants[0].id));
        }
    }
    println!("{} of {} pairs are named", pairs.len() - missed.len(), pairs.len());
    assert!(20 * missed.len() <= pairs.len(), "{} of {}:\n{}", missed.len(), pairs.len(), missed.join("\n"));
}

/// Zero for the nearest texel, and elements in reverse order, which show in the same variants: each alone in some rows, both in others.
#[test]
fn both_deviations_of_a_pair_are_named() {
    let files = ["suld/bounds-1d", "suld/bounds-2d"];
    let of = |variant: &&Variant| files.iter().any(|file| variant.id.starts_with(file));
    let variants: Vec<&Variant> = corpus().variants.iter().filter(of).step_by(5).collect();
    let pair = [Deviation::SuldClampAsZero, Deviation::SurfaceVectorReversed];
    let found = of_emulator(&variants, &pair);
    assert_eq!(found.len(), 1, "one cause, one diagnosis");
    assert_eq!(named(&found), BTreeSet::from(pair));
}

#[test]
#[ignore = "it takes minutes: ci/deviations.sh runs it"]
fn both_deviations_of_three_hundred_pairs_are_named() {
    both_are_named(PAIRS);
}
