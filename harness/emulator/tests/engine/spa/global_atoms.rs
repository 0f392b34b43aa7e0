//! `ATOM`, `RED`: operations on global memory.

use super::kernel::{Spa, set, storing};

/// What an operation returns and leaves, of a location with `old` and the operand `b`.
fn atom(operation: &str, old: u32, b: u32) -> [u32; 2] {
    let body = set("R4", old)
        + &set("R5", b)
        + "STG.E [R252+0x4], R4;\n"
        + &format!("ATOM.E.{operation} R6, [R252+0x4], R5;\n")
        + &storing(&["R6"]);
    let words = Spa::new(&body, 2).words();
    let reduction = set("R4", old)
        + &set("R5", b)
        + "STG.E [R252+0x4], R4;\n"
        + &format!("RED.E.{operation} [R252+0x4], R5;\nSTG.E [R252], RZ;\n");
    if !operation.starts_with("EXCH") {
        assert_eq!(Spa::new(&reduction, 2).words()[1], words[1], "RED.E.{operation}");
    }
    [words[0], words[1]]
}

#[test]
fn words() {
    assert_eq!(atom("ADD", 0xffff_ffff, 2), [0xffff_ffff, 1]);
    assert_eq!(atom("ADD.S32", 5, 0xffff_ffff), [5, 4]);
    assert_eq!(atom("MIN", 0xffff_ffff, 2), [0xffff_ffff, 2]);
    assert_eq!(atom("MIN.S32", 0xffff_ffff, 2), [0xffff_ffff, 0xffff_ffff]);
    assert_eq!(atom("MAX", 0xffff_ffff, 2), [0xffff_ffff, 0xffff_ffff]);
    assert_eq!(atom("MAX.S32", 0xffff_ffff, 2), [0xffff_ffff, 2]);
    // old >= b ? 0 : old + 1; and old == 0 || old > b ? b : old - 1.
    assert_eq!(atom("INC", 7, 7), [7, 0]);
    assert_eq!(atom("INC", 6, 7), [6, 7]);
    assert_eq!(atom("DEC", 0, 7), [0, 7]);
    assert_eq!(atom("DEC", 8, 7), [8, 7]);
    assert_eq!(atom("DEC", 7, 7), [7, 6]);
    assert_eq!(atom("AND", 0b1100, 0b1010), [0b1100, 0b1000]);
    assert_eq!(atom("OR", 0b1100, 0b1010), [0b1100, 0b1110]);
    assert_eq!(atom("XOR", 0b1100, 0b1010), [0b1100, 0b0110]);
    assert_eq!(atom("EXCH", 1, 2), [1, 2]);
    // 1.5 + 2.25 = 3.75. A subnormal operand is flushed: 1.0 stays.
    assert_eq!(atom("ADD.F32.FTZ.RN", 0x3fc0_0000, 0x4010_0000), [0x3fc0_0000, 0x4070_0000]);
    assert_eq!(atom("ADD.F32.FTZ.RN", 0x0000_0001, 0x0000_0001)[1], 0);
}

// {R8:R9} and {R10:R11} are 64-bit data.
#[test]
fn pairs_of_registers() {
    let wide = |operation: &str, old: [u32; 2], b: [u32; 2]| {
        let body = set("R8", old[0])
            + &set("R9", old[1])
            + &set("R10", b[0])
            + &set("R11", b[1])
            + "STG.E.64 [R252+0x8], R8;\n"
            + &format!("ATOM.E.{operation} R12, [R252+0x8], R10;\n")
            + &storing(&["R12", "R13"]);
        Spa::new(&body, 4).words()
    };
    // −1 as the old value: signed it is less than 1, unsigned it is more.
    let (minus_one, one) = ([0xffff_ffff; 2], [1, 0]);
    assert_eq!(wide("MIN.S64", minus_one, one), [0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff]);
    assert_eq!(wide("MAX.S64", minus_one, one), [0xffff_ffff, 0xffff_ffff, 1, 0]);
    assert_eq!(wide("MIN.U64", minus_one, one), [0xffff_ffff, 0xffff_ffff, 1, 0]);
    assert_eq!(wide("ADD.U64", [0xffff_ffff, 0], one), [0xffff_ffff, 0, 0, 1]);
    assert_eq!(wide("EXCH.U64", [1, 2], [3, 4]), [1, 2, 3, 4]);
}

// Rb is compared, Rc behind it is stored.
#[test]
fn compare_and_swap() {
    let swap = |old: u32| {
        let body = set("R4", old)
            + &set("R6", 5)
            + &set("R7", 9)
            + "STG.E [R252+0x4], R4;\nATOM.E.CAS R8, [R252+0x4], R6, R7;\n"
            + &storing(&["R8"]);
        Spa::new(&body, 2).words()
    };
    assert_eq!(swap(5), [5, 9]);
    assert_eq!(swap(6), [6, 6]);
    let wide = |old: u32| {
        let body = set("R4", 5)
            + &set("R5", old)
            + &set("R8", 5)
            + &set("R9", 6)
            + &set("R10", 7)
            + &set("R11", 8)
            + "STG.E.64 [R252+0x8], R4;\nATOM.E.CAS.64 R12, [R252+0x8], R8, R10;\n"
            + &storing(&["R12", "R13"]);
        Spa::new(&body, 4).words()
    };
    assert_eq!(wide(6), [5, 6, 7, 8]);
    assert_eq!(wide(7), [5, 7, 5, 7]);
}

#[test]
fn sizes_that_an_operation_has_not_are_unsupported() {
    for text in [
        "ATOM.E.INC.S32 R4, [R2], R5;",
        "ATOM.E.MIN.F32.FTZ.RN R4, [R2], R5;",
        "RED.E.ADD.U128 [R2], R5;",
        "ATOM.E.SAFEADD R4, [R2], R5;",
    ] {
        assert!(!Spa::new(text, 1).unsupported().is_empty(), "{text}");
    }
}
