//! What generated programs reach.

use std::collections::BTreeSet;

use warpdiff_emulator::compile;
use warpdiff_generator::{Mix, NEWEST_TARGET};
use warpdiff_rulings::{Ruling, combinations};

/// Programs that are looked at.
const PROGRAMS: u64 = 4000;
/// Rulings that so few programs need not reach: rare ones, and those of accesses and operands that the generator does not make. Examples reach all of them.
const BY_EXAMPLES_ALONE: &[Ruling] = &[
    Ruling::FaultOutOfBounds,
    Ruling::FaultMisaligned,
    Ruling::FaultOther,
    Ruling::FaultMay,
    Ruling::SurfaceGeometry,
    Ruling::TextureNan,
    Ruling::IntegerSaturates,
    Ruling::ShiftByZero,
    Ruling::VideoPart,
    Ruling::VideoMerges,
];

#[test]
fn generated_programs_reach_the_rulings() {
    let (mut reached, mut found) = (BTreeSet::new(), BTreeSet::new());
    for index in 0..PROGRAMS {
        let specimen = match index % 8 {
            0 => warpdiff_generator::specimen_of(1, index, NEWEST_TARGET, Mix::OneFault).unwrap(),
            1 => warpdiff_generator::spa_specimen(1, index).unwrap(),
            _ => warpdiff_generator::specimen(1, index).unwrap(),
        };
        let launch = specimen.write().launch;
        let compiled = compile(&launch.program).unwrap();
        for combination in combinations(&compiled, &launch).unwrap() {
            reached.extend(combination.rulings.iter());
            found.insert(combination);
        }
    }
    let is_missing = |ruling: &Ruling| !reached.contains(ruling) && !BY_EXAMPLES_ALONE.contains(ruling);
    let missing: Vec<Ruling> = Ruling::ALL.iter().map(|(ruling, _)| *ruling).filter(is_missing).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(found.len() > 5000, "{} combinations", found.len());
}

#[test]
fn each_ruling_has_an_example() {
    let examples = [
        include_str!("examples.rs"),
        include_str!("lanes.rs"),
        include_str!("machine.rs"),
        include_str!("memory.rs"),
        include_str!("opaque.rs"),
        include_str!("video.rs"),
    ];
    let words: BTreeSet<&str> =
        examples.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric())).collect();
    for (ruling, name) in Ruling::ALL {
        assert!(words.contains(format!("{ruling:?}").as_str()), "{name}: no example has it");
    }
}
