//! Every form that the reference runs occurs in generated programs, and none is starved.

use warpdiff_generator::Specimen;
use warpdiff_generator::census::{Census, Counted};

/// Programs that are drawn: as many as the command promises it of.
const PROGRAMS: u64 = 100_000;

#[test]
fn every_form_occurs_in_a_hundred_thousand_programs() {
    every_form_occurs(Census::default(), 12_000, |index| warpdiff_generator::specimen(1, index));
}

#[test]
fn every_form_of_spa_occurs_in_a_hundred_thousand_programs() {
    every_form_occurs(Census::of_spa(), 1_600, |index| warpdiff_generator::spa_specimen(1, index));
}

/// Counts the forms of programs, of which there are more than `least`.
fn every_form_occurs(mut census: Census, least: usize, drawn: impl Fn(u64) -> arbitrary::Result<Specimen>) {
    for index in 0..PROGRAMS {
        census.count(&drawn(index).expect("a specimen"));
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
        names(&|counted| counted.steps > 0).len() > least,
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

/// A row of the table by its operands, a value of a modifier, a mark; and what no program has, with the reason.
#[test]
fn forms_of_spa_are_rows_modifiers_and_marks() {
    let census = Census::of_spa();
    let counted = |name: &str| census.forms().find(|(known, _)| *known == name).map(|(_, counted)| counted);
    for name in [
        "IADD R, R, c[]",
        "IADD.PO R, R, number",
        "XMAD, treatment of the summand: CSFU",
        "FADD, operand 3: absolute",
        "LDS.U R, [R]",
        "ATOMS.CAST.SPIN R, [R], R, RZ",
        "SULD.D R, [R], R",
        "TEXS.LL R, R, R, R, number, 2D, word",
        "TEX, word: ARRAY_2D",
        "S2R, register: SR_TID.X",
        "BRX test, target R",
        "DEPBAR.LE SB, number, SB",
    ] {
        let counted = counted(name).unwrap_or_else(|| panic!("no form {name}"));
        assert_eq!(counted.left_out, None, "{name}");
    }
    for name in [
        "TEX, word: CUBE",
        "ATOMS.CAS R, [R], RZ, R",
        "DADD, operand 1: with condition codes",
        "SUATOM.P R, [R], R, R",
    ] {
        let counted = counted(name).unwrap_or_else(|| panic!("no form {name}"));
        assert!(counted.left_out.is_some(), "{name}");
    }
}
