//! Documented bounds in cases: a target that is off by as much as the manual lets it be conforms on the corpus, one that is off by more
//! violates, and the self-check agrees.

use std::path::Path;

use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_judge::reference::{Programs, Unit, units};
use warpdiff_judge::selfcheck::damage::DamageExtent;
use warpdiff_judge::selfcheck::examine::{Thoroughness, examine};
use warpdiff_judge::selfcheck::parts::JudgedWith;
use warpdiff_model::allowed::Permits;
use warpdiff_model::{Admission, Observation, Permitted, State};

/// The variants of a file of the corpus.
fn variants(file: &str) -> Vec<Variant> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let path = root.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    warpdiff_corpus::load_text_as(&path, text, path.parent().unwrap())
        .unwrap_or_else(|errors| panic!("{}", errors.render(false)))
}

/// Does something with every launch of the variants.
fn each_unit(variants: &[Variant], mut does: impl FnMut(&Variant, &Unit<'_>)) {
    for variant in variants {
        let Work::Launches(launches) = &variant.work else { continue };
        let mut programs = Programs::default();
        for planned in launches {
            for unit in units(planned, &mut programs).unwrap() {
                does(variant, &unit);
            }
        }
    }
}

/// The state of the first outcome with every value of an interval replaced: by what `other` makes of the ends of the interval and the
/// number of the reference, each as bits. Answers how many there were.
fn replaced(unit: &Unit<'_>, other: impl Fn([u32; 3]) -> u32) -> (State, usize) {
    let Permitted::Completed { state } = &unit.allowed.outcomes[0].permitted else { panic!("it completes") };
    let mut count = 0;
    let regions = state.regions.iter().map(|masked| {
        let mut region = masked.region.clone();
        for value in &masked.values {
            let Permits::Between(interval) = value.permitted else { continue };
            let bits = other([interval.least as u32, interval.reference as u32, interval.greatest as u32]);
            region.bytes[value.range()].copy_from_slice(&bits.to_le_bytes());
            count += 1;
        }
        region
    });
    let regions = regions.collect();
    (State { regions }, count)
}

fn conforms(unit: &Unit<'_>, state: State) -> bool {
    matches!(unit.allowed.admits(&Observation::Completed { state }), Admission::Conforms { .. })
}

#[test]
fn a_target_whose_approximations_are_off_within_their_bounds_conforms_on_the_corpus() {
    let mut changed = 0;
    for file in ["arithmetic/float.yaml", "tex/linear.yaml"] {
        each_unit(&variants(file), |variant, unit| {
            let (least, count) = replaced(unit, |[least, ..]| least);
            let (greatest, _) = replaced(unit, |[.., greatest]| greatest);
            // One step up, as far as the interval goes: a sine that is off by an ulp.
            let step = |[_, reference, greatest]: [u32; 3]| {
                if reference == greatest || reference >> 31 == 1 { reference } else { reference + 1 }
            };
            let (by_an_ulp, _) = replaced(unit, step);
            assert!(conforms(unit, least), "{}", variant.id);
            assert!(conforms(unit, greatest), "{}", variant.id);
            assert!(conforms(unit, by_an_ulp), "{}", variant.id);
            if count > 0 {
                let (beyond, _) =
                    replaced(
                        unit,
                        |[.., greatest]| {
                            if greatest >> 31 == 1 { greatest - 1 } else { greatest + 1 }
                        },
                    );
                assert!(!conforms(unit, beyond), "{}", variant.id);
            }
            changed += count;
        });
    }
    assert!(changed > 60, "{changed} values have bounds");
}

#[test]
fn the_self_check_knows_the_bounds() {
    each_unit(&variants("arithmetic/float.yaml"), |variant, unit| {
        for with in [JudgedWith::ItsBlock, JudgedWith::TheWholeState] {
            let thoroughness = Thoroughness { extent: DamageExtent::EveryBit, with };
            let tally = examine(&variant.id, &unit.allowed, &unit.planned.launch, thoroughness);
            assert_eq!(tally.total_wrong_verdicts(), 0, "{}: {:?}", variant.id, tally.wrong_verdicts);
        }
    });
}
