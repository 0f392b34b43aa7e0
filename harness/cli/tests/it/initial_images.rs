//! One wrong bit anywhere in what a variable holds at first is one failure: of the assembler whose bytes are read from its object, of
//! the reference, which the case's own bytes hold, and of a target that read the variable back.

use crate::cases::corpus;

use warpdiff_corpus::plan::{Expected, Legality, Variant, Work};
use warpdiff_judge::assembled::Assembled;
use warpdiff_judge::assembled::InitialBytes;
use warpdiff_judge::contradictions::contradictions;
use warpdiff_judge::judgement::admission;
use warpdiff_judge::reference::{Programs, units};
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{Admission, Observation, Permitted, Region, State};
use warpdiff_session::ptxas_verdicts;

/// Bytes of an image that are damaged at most: a larger one is zero nearly everywhere.
const IMAGE: usize = 256;

fn declarations() -> Vec<&'static Variant> {
    corpus().variants.iter().filter(|variant| variant.id.starts_with("declare/")).collect()
}

/// Every question whose bytes an assembler is held to.
fn questions(variants: &[&'static Variant]) -> impl Iterator<Item = (&'static str, &'static Legality)> {
    variants.iter().filter_map(|variant| match &variant.work {
        Work::Legality(question) if !question.bytes.is_empty() && question.reject.is_empty() => {
            Some((variant.id.as_str(), question))
        }
        _ => None,
    })
}

/// What an assembler earns that emits these bytes, and the variables that its verdict names.
fn earned(question: &Legality, bytes: InitialBytes) -> (Raw, Vec<String>) {
    let verdict = ptxas_verdicts::verdict(question, "ptxas-12.9", &Assembled::Accepted { bytes });
    let differences = verdict.findings.iter().flat_map(|finding| &finding.differences);
    let named =
        differences.filter_map(|difference| difference.region.clone()).map(|(_, name)| name).collect();
    (verdict.raw, named)
}

#[test]
fn every_bit_that_an_assembler_emits_counts() {
    let variants = declarations();
    let (mut images, mut bits) = (0, 0);
    for (id, question) in questions(&variants) {
        let right = question.bytes.clone();
        assert_eq!(earned(question, right.clone()).0, Raw::Conforms, "{id}");
        for (name, stated) in &question.bytes {
            images += 1;
            for (offset, byte) in stated.iter().enumerate().take(IMAGE) {
                for bit in 0..8 {
                    let mut wrong = right.clone();
                    let image = wrong.get_mut(name).unwrap();
                    image[offset] = Some(byte.unwrap_or(0) ^ 1 << bit);
                    // Where the case has part of an address, any number will do.
                    let due = match byte {
                        Some(_) => (Raw::Violates, vec![name.clone()]),
                        None => (Raw::Conforms, Vec::new()),
                    };
                    assert_eq!(earned(question, wrong), due, "{id}: {name}+{offset}");
                    bits += 1;
                }
            }
            for length in [stated.len().saturating_sub(1), stated.len() + 1] {
                let mut wrong = right.clone();
                wrong.get_mut(name).unwrap().resize(length, Some(0));
                let differs = length != stated.len();
                assert_eq!(
                    earned(question, wrong).0 == Raw::Violates,
                    differs,
                    "{id}: {name} of {length} bytes"
                );
            }
            let mut missing = right.clone();
            missing.remove(name);
            assert_eq!(earned(question, missing).0, Raw::Violates, "{id}: no {name}");
        }
    }
    assert!(images >= 100 && bits >= 8000, "{images} images, {bits} bits");
}

/// The regions of a launch that completes, as a target would show them.
fn shown(
    regions: &[warpdiff_model::allowed::MaskedRegion],
    damaged: Option<(usize, usize, u8)>,
) -> Observation {
    let mut regions: Vec<Region> = regions.iter().map(|masked| masked.region.clone()).collect();
    if let Some((region, offset, bit)) = damaged {
        regions[region].bytes[offset] ^= 1 << bit;
    }
    Observation::Completed { state: State { regions } }
}

#[test]
fn every_bit_that_is_read_back_counts() {
    let variants = declarations();
    let (mut launches, mut bits) = (0, 0);
    let read_back = variants.iter().filter(|variant| variant.id.contains(", read back"));
    for variant in read_back {
        let Work::Launches(planned) = &variant.work else { panic!("{}", variant.id) };
        let mut programs = Programs::default();
        for mut unit in planned.iter().flat_map(|planned| units(planned, &mut programs).unwrap()) {
            launches += 1;
            let Permitted::Completed { state } = &unit.allowed.outcomes[0].permitted else {
                panic!("{}", variant.id)
            };
            let regions = state.regions.clone();
            let right = admission(&unit, &shown(&regions, None));
            assert!(matches!(right, Admission::Conforms { .. }), "{}: {right:?}", variant.id);
            assert!(contradictions(&unit).is_empty(), "{}", variant.id);
            // What the case states, byte by byte, is seen by the target's verdict and by the reference's.
            let expected: Vec<_> = unit.planned.expectations.iter().map(|e| e.what.clone()).collect();
            for what in &expected {
                let Expected::Bytes { region, name, offset, mask, .. } = what else { continue };
                let place = regions.iter().position(|r| r.region.kind == *region && *r.region.name == **name);
                let place = place.unwrap();
                let stated = mask.iter().enumerate().take(IMAGE).filter(|(_, mask)| **mask != 0);
                for (at, bit) in stated.flat_map(|(n, _)| (0..8).map(move |bit| (offset + n, bit))) {
                    let wrong = admission(&unit, &shown(&regions, Some((place, at, bit))));
                    assert!(matches!(wrong, Admission::Violates { .. }), "{}: {name}+{at}", variant.id);
                    let Permitted::Completed { state } = &mut unit.allowed.outcomes[0].permitted else {
                        unreachable!("it completed above")
                    };
                    state.regions[place].region.bytes[at] ^= 1 << bit;
                    assert!(!contradictions(&unit).is_empty(), "{}: {name}+{at}", variant.id);
                    let Permitted::Completed { state } = &mut unit.allowed.outcomes[0].permitted else {
                        unreachable!("it completed above")
                    };
                    state.regions[place].region.bytes[at] ^= 1 << bit;
                    bits += 1;
                }
            }
        }
    }
    assert!(launches >= 30 && bits >= 4000, "{launches} launches, {bits} bits");
}
