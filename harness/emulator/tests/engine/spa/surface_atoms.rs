//! Machine code with atomics of surfaces, their results worked out by hand: `SUATOM`. No PTX instruction is compiled to it.

use warpdiff_model::{FaultClass, Geometry};

use super::kernel::{Spa, set, storing};
use super::surfaces::{image_after, shaped, with};
use crate::kernel::words;

/// The old value that an atomic on texel 1 returns, and the texel afterwards: an image of words, of which the second pair is `old`.
fn done(format: &str, instruction: &str, old: u64, data: [u64; 2], is_wide: bool) -> [u64; 2] {
    let low = |value: u64| value as u32;
    let high = |value: u64| (value >> 32) as u32;
    let [b, c] = data;
    // The data of a pair is in R12:R13, with the new value of a compare-and-swap behind it.
    let registers = match is_wide {
        true => [low(b), high(b), low(c), high(c)],
        false => [low(b), low(c), 0, 0],
    };
    let set_all: String =
        ["R12", "R13", "R14", "R15"].iter().zip(registers).map(|(name, value)| set(name, value)).collect();
    let x = if instruction.contains(".BA") { 8 } else { 2 };
    let body = set("R4", x)
        + &set_all
        + &set("R9", 0)
        + &format!("SUATOM.{instruction}.TRAP R8, [R4], R12, 0x52;\n")
        + &storing(&["R8", "R9"]);
    let mut texels = vec![11u32, 12, low(old), high(old), 15];
    let bytes = texels.iter().copied().flat_map(u32::to_le_bytes).collect();
    let spa = with(shaped(Geometry::D1, [5, 1, 1], 1, format, bytes), &body, 2);
    let found = spa.words();
    let after = words(&image_after(&spa));
    let changed = u64::from(after[2]) | u64::from(after[3]) << 32;
    (texels[2], texels[3]) = (after[2], after[3]);
    assert_eq!(after, texels, "{instruction}: only the location changes");
    [u64::from(found[0]) | u64::from(found[1]) << 32, changed]
}

#[test]
fn words_are_changed_and_the_old_value_returned() {
    let minus = u64::from(u32::MAX);
    let cases = [
        ("D.BA.1D.ADD", minus, 3, 2),
        ("D.1D.ADD", 5, 3, 8),
        ("D.BA.1D.MIN", 5, minus, 5),
        ("D.BA.1D.MIN.S32", 5, minus, minus),
        ("D.BA.1D.MAX", 5, minus, minus),
        ("D.BA.1D.MAX.S32", 5, minus, 5),
        // "(old >= b) ? 0 : old + 1", "(old == 0 || old > b) ? b : old - 1".
        ("D.BA.1D.INC", 5, 5, 0),
        ("D.BA.1D.INC", 4, 5, 5),
        ("D.BA.1D.DEC", 0, 5, 5),
        ("D.BA.1D.DEC", 4, 5, 3),
        ("D.BA.1D.AND", 0b1100, 0b1010, 0b1000),
        ("D.BA.1D.OR", 0b1100, 0b1010, 0b1110),
        ("D.BA.1D.XOR", 0b1100, 0b1010, 0b0110),
        ("D.BA.1D.EXCH", 0b1100, 0b1010, 0b1010),
        ("D.BA.1D.ADD.F32.FTZ.RN", 0x3F80_0000, 0x4000_0000, 0x4040_0000),
    ];
    for (instruction, old, data, new) in cases {
        assert_eq!(done("u32", instruction, old, [data, 0], false), [old, new], "{instruction}");
    }
}

#[test]
fn pairs_of_words_are_changed_and_both_returned() {
    let cases = [
        ("D.BA.1D.ADD.U64", 0xFFFF_FFFF, 1, 1 << 32),
        ("D.BA.1D.MIN.U64", 7, u64::MAX, 7),
        ("D.BA.1D.MIN.S64", 7, u64::MAX, u64::MAX),
        ("D.BA.1D.EXCH.U64", 0x1_0000_0002, 0x3_0000_0004, 0x3_0000_0004),
        ("D.BA.1D.AND.U64", 0x3_0000_0003, 0x6_0000_0006, 0x2_0000_0002),
    ];
    for (instruction, old, data, new) in cases {
        assert_eq!(done("u32", instruction, old, [data, 0], true), [old, new], "{instruction}");
    }
}

/// "compare in Rv, new value in Rv+1 (64-bit: pairs)".
#[test]
fn compare_and_swap_has_the_new_value_behind_what_it_compares_with() {
    assert_eq!(done("u32", "D.BA.1D.CAS", 5, [5, 9], false), [5, 9]);
    assert_eq!(done("u32", "D.BA.1D.CAS", 5, [9, 5], false), [5, 5]);
    let old = 0x1_0000_0002;
    assert_eq!(done("u32", "D.BA.1D.CAS.U64", old, [old, 7 << 32 | 8], true), [old, 7 << 32 | 8]);
    // Half of it is not enough.
    assert_eq!(done("u32", "D.BA.1D.CAS.U64", old, [2, 7 << 32 | 8], true), [old, old]);
}

/// `.SD32`: the sign is the format's.
#[test]
fn the_format_says_whether_sd32_is_signed() {
    let minus = u64::from(u32::MAX);
    assert_eq!(done("s32", "D.1D.MIN.SD32", 5, [minus, 0], false), [5, minus]);
    assert_eq!(done("u32", "D.1D.MIN.SD32", 5, [minus, 0], false), [5, 5]);
}

#[test]
fn outside_nothing_is_written_and_what_is_returned_is_open() {
    let of = |clamp: &str, handle: &str| {
        let body = [set("R4", 2), set("R12", 10), set("R8", 3)].concat()
            + &format!("SUATOM.D.1D.ADD{clamp} R8, [R4], R12, {handle};\n")
            + &storing(&["R8"]);
        with(shaped(Geometry::D1, [2, 1, 1], 1, "u32", vec![1, 0, 0, 0, 2, 0, 0, 0]), &body, 1)
    };
    for handle in ["0x52", "R240"] {
        let ignored = of(".IGN", handle);
        assert_eq!((words(&image_after(&ignored)), ignored.defined()), (vec![1, 2], vec![0]));
        let nearest = of("", handle);
        assert_eq!((words(&image_after(&nearest)), nearest.words()), (vec![1, 12], vec![2]));
        assert_eq!(of(".TRAP", handle).faults()[0].class, FaultClass::SurfaceTrap);
    }
}

/// 32 threads add to one texel: the sum is certain, and what each of them found is not.
#[test]
fn threads_contend_for_a_texel() {
    let mut spa = Spa::threads(
        &(set("R4", 0) + &set("R12", 1) + "SUATOM.D.1D.ADD.TRAP R8, [R4], R12, 0x52;\n" + &storing(&["R8"])),
        32,
        1,
    );
    spa.launch.surfaces.push(shaped(Geometry::D1, [1, 1, 1], 1, "u32", vec![0; 4]));
    spa.launch.arguments.push(warpdiff_model::Argument::Surface { index: 0 });
    assert_eq!(words(&image_after(&spa)), [32]);
    let state = spa.state();
    let out = &state.regions[0];
    assert!(out.unordered.iter().all(|mask| *mask == 0xFF), "{:?}", out.unordered);
    assert!(out.defined.iter().all(|mask| *mask == 0xFF), "{:?}", out.defined);
}

/// A lock in a texel, as `atom.cas` is used for it: each lane takes it in turn, and none starves the one that holds it.
#[test]
fn a_lock_in_a_texel_is_released() {
    let body = set("R4", 0)
        + &set("R5", 4)
        + &set("R12", 0)
        + &set("R13", 1)
        + "SSY `(.L_done);\n.L_try:\nSUATOM.D.BA.1D.CAS.TRAP R8, [R4], R12, 0x52;\n\
           ISETP.NE.AND P0, PT, R8, RZ, PT;\n@P0 BRA `(.L_try);\n\
           SULD.D.BA.1D.TRAP R9, [R5], 0x52;\nIADD R9, R9, 0x1;\nSUST.D.BA.1D.TRAP [R5], R9, 0x52;\n\
           SUATOM.D.BA.1D.EXCH.TRAP R8, [R4], RZ, 0x52;\nSYNC;\n.L_done:\n";
    let mut spa = Spa::threads(&body, 8, 1);
    spa.launch.surfaces.push(shaped(Geometry::D1, [2, 1, 1], 1, "u32", vec![0; 8]));
    spa.launch.arguments.push(warpdiff_model::Argument::Surface { index: 0 });
    let run = spa.run();
    assert!(
        matches!(run.outcome.permitted, warpdiff_model::Permitted::Completed { .. }),
        "{:?}",
        run.outcome.permitted
    );
}
