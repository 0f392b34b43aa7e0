//! Every form that the reference runs occurs in generated programs, and none is starved.

use warpdiff_generator::census::{Census, Counted};

/// Programs that are drawn: as many as the command promises it of.
const PROGRAMS: u64 = 100_000;

#[test]
fn every_form_occurs_in_a_hundred_thousand_programs() {
    let mut census = Census::default();
    for index in 0..PROGRAMS {
        census.count(&warpdiff_generator::specimen(1, index).expect("a specimen"));
    }
    let strangers: Vec<_> = census.strangers().collect();
    assert!(strangers.is_empty(), "no form of the tables: {strangers:?}");
    let names = |which: &dyn Fn(Counted) -> bool| -> Vec<&str> {
        census.forms().filter(|(_, counted)| which(*counted)).map(|(name, _)| name).collect()
    };
    let missing = names(&|counted| counted.steps == 0 && counted.left_out.is_none());
    assert!(
        missing.is_empty(),
        "{} forms occur nowhere: {:?}",
        missing.len(),
        &missing[..missing.len().min(20)]
    );
    let starved = census.starved(PROGRAMS);
    assert!(starved.is_empty(), "{starved:?}");
    let excused = names(&|counted| counted.steps > 0 && counted.left_out.is_some());
    assert!(excused.is_empty(), "these are said to be left out, and occur: {excused:?}");
    assert!(
        names(&|counted| counted.steps > 0).len() > 12_000,
        "{}",
        names(&|counted| counted.steps > 0).len()
    );
}

/// A second choice of words of one row, and the same words in another order, are counted where they belong.
#[test]
fn steps_are_counted_by_words_and_types() {
    let census = Census::default();
    let has = |name: &str| census.forms().any(|(known, _)| known == name);
    for name in [
        "cvt.rni.sat.u8.f32",
        "suld.2d.b.clamp.v2.b16",
        "suld.ca",
        "atom.add.cluster.global.relaxed.f32",
        "setp.and.ltu.f64",
        "ld.L2::256B",
        "vmad.sat.shr7.s32.u32.s32",
        "vadd d.b3",
        "vset a.h1",
        "vshl b.b0",
        "vmad -c",
    ] {
        assert!(has(name), "{name}");
    }
    // Unsupported, refused by the assembler, without a place in the tables.
    for name in [
        "add.bf16",
        "suld.a1d.b.b32",
        "atom.exch.b128",
        "suld.2d.b.ca.clamp.v2.b16",
        "vote.ballot.b32",
        "vmad d.b0",
        "vadd -a",
    ] {
        assert!(!has(name), "{name}");
    }
}
