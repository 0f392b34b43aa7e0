//! `LDL`, `LDS`, `STL`, `STS`: addresses, sizes, errors, cache operators.

use warpdiff_model::{Choice, Deviation, FaultClass};

use super::kernel::{Spa, set, storing};

/// Shared and local memory that hold at byte n (up to 16) the value 0x81 + n, through `STS.128` and `STL.128`.
fn filled() -> String {
    let mut body = String::new();
    for (register, value) in
        [("R20", 0x8483_8281), ("R21", 0x8887_8685), ("R22", 0x8c8b_8a89), ("R23", 0x908f_8e8d)]
    {
        body += &set(register, value);
    }
    body + "STS.128 [RZ], R20;\nSTL.128 [RZ], R20;\n"
}

/// What a load leaves in `R0` to `R3`, which hold 0x11111111 and so on before.
fn loaded(instruction: &str, address: u32) -> Spa {
    let mut body = filled() + &set("R4", address);
    for n in 0..4 {
        body += &set(&format!("R{n}"), 0x1111_1111 * (n + 1));
    }
    Spa::new(&(body + instruction + "\n" + &storing(&["R0", "R1", "R2", "R3"])), 4)
}

// ".sz: Bit size in memory, unsigned or sign-extended"; "little-endian" is said of ATOMS, and two words of ours agree with it.
#[test]
fn sizes_and_their_extension() {
    for opcode in ["LDS", "LDL", "LDS.U"] {
        let words = |size: &str, address| loaded(&format!("{opcode}{size} R0, [R4];"), address).words();
        let others = [0x2222_2222, 0x3333_3333, 0x4444_4444];
        assert_eq!(words(".U8", 1), [&[0x82], &others[..]].concat());
        assert_eq!(words(".S8", 1), [&[0xffff_ff82], &others[..]].concat());
        assert_eq!(words(".U16", 2), [&[0x8483], &others[..]].concat());
        assert_eq!(words(".S16", 2), [&[0xffff_8483], &others[..]].concat());
        assert_eq!(words(".32", 4), [&[0x8887_8685], &others[..]].concat());
        assert_eq!(words(".64", 8), [0x8c8b_8a89, 0x908f_8e8d, 0x3333_3333, 0x4444_4444]);
        assert_eq!(words(".128", 0), [0x8483_8281, 0x8887_8685, 0x8c8b_8a89, 0x908f_8e8d]);
    }
    assert_eq!(loaded("LDS R0, [R4];", 4).words()[0], 0x8887_8685, ".32 is the default");
}

// "the effective address is equal to the sum of register Ra and the signed-extended signed immediate offset"; without Ra, or with
// RZ, it is "the zero-extended absolute unsigned immediate offset".
#[test]
fn offsets() {
    assert_eq!(loaded("LDS.U8 R0, [R4 - 0x3];", 4).words()[0], 0x82);
    assert_eq!(loaded("LDS.U8 R0, [R4 + -3];", 4).words()[0], 0x82);
    assert_eq!(loaded("LDL R0, [R4 + 4];", 4).words()[0], 0x8c8b_8a89);
    assert_eq!(loaded("LDS R0, [12];", 4).words()[0], 0x908f_8e8d);
    assert_eq!(loaded("LDL R0, [RZ + 12];", 4).words()[0], 0x908f_8e8d);
}

// 0xfffffff8 + 0x10 = 0x8 modulo 2^32: "the 32-bit addition".
#[test]
fn addresses_wrap_at_32_bits() {
    assert_eq!(loaded("LDS R0, [R4 + 0x10];", 0xffff_fff8).words()[0], 0x8c8b_8a89);
    let deviant = loaded("LDS R0, [R4 + 0x10];", 0xffff_fff8).deviation(Deviation::SpaAddressNotWrapped);
    assert_eq!(deviant.faults()[0].class, FaultClass::OutOfBounds);
}

// A register that the shader does not have is no register: of [R100 + 4] the offset remains; and of a negative offset its 24 bits,
// unsigned: [R100 - 8] is 0xfffff8, the last eight bytes of a window that is wholly allocated.
#[test]
fn registers_beyond_those_of_the_shader() {
    let body = "MOV32I R2, 0x77;\nSTL [0xfffff8], R2;\nLDL R0, [R9 - 0x8];\nSTL [0x4], RZ;\nLDL R1, [R9 + 0x4];\n\
                MOV R3, c[0x0][0x144];\nMOV R2, c[0x0][0x140];\nSTG.E.64 [R2], R0;\n";
    let mut spa = Spa::new("", 2).local(16 << 20);
    spa.header.registers = 4;
    let words = spa.with_whole_text(&format!("{body}EXIT;\n")).words();
    assert_eq!(words, [0x77, 0]);
}

// 0x800000 would be negative if it were signed: the middle of a window of 16 MB that is wholly allocated.
#[test]
fn absolute_addresses_are_unsigned() {
    let body = set("R1", 0x1234) + "STL [0x800000], R1;\nLDL R0, [RZ + 0x800000];\n" + &storing(&["R0"]);
    assert_eq!(Spa::new(&body, 1).local(16 << 20).words(), [0x1234]);
    let deviant = Spa::new(&body, 1).local(16 << 20).deviation(Deviation::SpaAbsoluteSignExtended);
    assert_eq!(deviant.faults()[0].class, FaultClass::OutOfBounds);
}

// "Misaligned addresses are forced to align to access size and can optionally raise an error."
#[test]
fn misaligned_loads_are_forced() {
    for (instruction, address, expected) in [
        ("LDS R0, [R4];", 7, 0x8887_8685),
        ("LDL R0, [R4];", 6, 0x8887_8685),
        ("LDS.U16 R0, [R4];", 3, 0x8483),
        ("LDS.64 R0, [R4];", 12, 0x8c8b_8a89),
        ("LDS.128 R0, [R4];", 4, 0x8483_8281),
        ("LDL R0, [R4 + 1];", 4, 0x8887_8685),
    ] {
        let spa = loaded(instruction, address);
        assert_eq!(spa.words()[0], expected, "{instruction}");
        let may = spa.run().outcome.may;
        assert!(may.iter().all(|fault| fault.class == FaultClass::Misaligned) && may.len() == 1, "{may:?}");
    }
    assert!(loaded("LDS.U8 R0, [R4];", 7).run().outcome.may.is_empty(), "a byte is never misaligned");
    let deviant = loaded("LDS R0, [R4];", 7).deviation(Deviation::SpaMisalignedNotForced);
    assert_eq!(deviant.words()[0], 0x8b8a_8988);
}

// "An address outside the window or outside the allocated memory within the window sets Rd to 0 and causes an error."
#[test]
fn loads_outside_read_zero_and_cause_an_error() {
    for (instruction, address) in [
        ("LDS R0, [R4];", 64),
        ("LDL R0, [R4];", 64),
        ("LDS.64 R0, [R4 - 8];", 72),
        ("LDS R0, [R4];", 0x0100_0000),
        ("LDL R0, [R4];", 0xffff_fffc),
        ("LDS R0, [0xfffffc];", 0),
    ] {
        let spa = loaded(instruction, address);
        let faults = spa.faults();
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].class, FaultClass::OutOfBounds, "{instruction}");
        assert_eq!(spa.words_left()[0], 0, "{instruction}");
    }
    assert_eq!(loaded("LDS.64 R0, [R4];", 64).words_left()[..2], [0, 0], "all of Rd");
    assert_eq!(loaded("LDS R0, [R4];", 60).run().outcome.may, [], "the last word is inside");
    let deviant = loaded("LDS R0, [R4];", 64).deviation(Deviation::SpaOutOfBoundsSilent);
    assert_eq!(deviant.words()[0], 0);
}

// "An address […] outside the allocated memory within the window […] causes an error", however little of the access is outside.
#[test]
fn wide_loads_that_begin_inside_and_end_outside() {
    for (instruction, address) in
        [("LDS.64 R0, [R4];", 56), ("LDL.128 R0, [R4];", 48), ("LDS.U.128 R0, [R4];", 48)]
    {
        let spa = || loaded(instruction, address).shared(60).local(60);
        assert_eq!(spa().faults()[0].class, FaultClass::OutOfBounds, "{instruction}");
        let deviant = spa().deviation(Deviation::SpaWideBoundFirstByte);
        assert_eq!(deviant.words()[..2], [0, 0], "{instruction}");
    }
    let outside = loaded("LDS.64 R0, [R4];", 64).deviation(Deviation::SpaWideBoundFirstByte);
    assert_eq!(outside.faults()[0].class, FaultClass::OutOfBounds);
}

// No page says of a store what becomes of a misaligned address: one or the other.
#[test]
fn misaligned_stores_are_open() {
    let body = "STS [RZ], RZ;\nSTS [0x4], RZ;\n".to_owned()
        + &set("R1", 0x5)
        + "STS [R1], R1;\nLDS R0, [0x4];\n"
        + &storing(&["R0"]);
    assert_eq!(Spa::new(&body, 1).faults()[0].class, FaultClass::Misaligned);
    assert_eq!(Spa::new(&body, 1).choosing(Choice::MemoryMisaligned, 1).words(), [5]);
}

// Memory that nobody has written is undefined, and so is what is loaded from it.
#[test]
fn memory_is_undefined_at_first() {
    let body = "STS.U8 [0x1], RZ;\nLDS R0, [RZ];\nLDL R1, [0x20];\n".to_owned() + &storing(&["R0", "R1"]);
    assert_eq!(Spa::new(&body, 2).defined(), [0xff00, 0]);
}

// ".U: uniform hint": it changes no value, though the addresses of two threads differ.
#[test]
fn uniform_is_a_hint() {
    let body = "SHL R1, R249, 0x2;\nSTS [R1], R249;\nBAR.SYNC 0x0;\nLDS.U.32 R0, [R1];\n".to_owned()
        + &storing(&["R0"]);
    assert_eq!(Spa::threads(&body, 4, 1).words(), [0, 1, 2, 3]);
    let deviant = Spa::threads(&body, 4, 1).deviation(Deviation::SpaUniformFromFirstLane);
    assert_eq!(deviant.words(), [0, 0, 0, 0]);
}

/// Two reads of the same word of local memory by so many threads, the first with a cache operator.
fn read_twice(operator: &str, threads: u32) -> Spa {
    let body =
        format!("STL [0x4], R249;\nLDL{operator} R0, [0x4];\nLDL R1, [0x4];\n") + &storing(&["R0", "R1"]);
    Spa::threads(&body, threads, 2)
}

// ".LU Last use, if Local address and line is fully covered, load, then invalidate line, otherwise evict first": a line of 128 bytes
// is the same word of 32 threads.
#[test]
fn last_use_of_a_whole_line_keeps_or_loses_it() {
    let spa = read_twice(".LU", 32);
    assert!(spa.run().consulted.contains(Choice::SpaLastUse));
    assert_eq!(spa.words()[2..6], [1, 1, 2, 2], "kept");
    let lost = read_twice(".LU", 32).choosing(Choice::SpaLastUse, 1);
    assert_eq!(lost.defined()[..4], [0xffff_ffff, 0, 0xffff_ffff, 0], "the load itself is as ever");
}

#[test]
fn last_use_of_less_than_a_line_keeps_it() {
    assert!(!read_twice(".LU", 31).run().consulted.contains(Choice::SpaLastUse));
    let spa = read_twice(".LU", 31).choosing(Choice::SpaLastUse, 1);
    assert_eq!(spa.words()[2..6], [1, 1, 2, 2]);
    let bytes = read_twice(".LU.U8", 32).choosing(Choice::SpaLastUse, 1);
    assert_eq!(bytes.words()[2..6], [1, 1, 2, 2], "a byte is no whole word");
    let deviant = read_twice(".LU", 31).deviation(Deviation::SpaLastUseAlwaysLost);
    assert_eq!(deviant.defined()[..2], [0xffff_ffff, 0]);
}

// ".CI Cache as inconsistent data (expected to be used only with invariant data)."
#[test]
fn inconsistent_data_may_be_stale() {
    let spa = read_twice(".CI", 2);
    assert!(spa.run().consulted.contains(Choice::SpaInconsistent));
    assert_eq!(spa.words(), [0, 0, 1, 1]);
    let stale = read_twice(".CI", 2).choosing(Choice::SpaInconsistent, 1);
    assert_eq!(stale.defined(), [0, 0xffff_ffff, 0, 0xffff_ffff]);
}

#[test]
fn other_cache_operators_change_nothing() {
    for operator in [".CA", ".CS", ".CV"] {
        let spa = read_twice(operator, 32);
        assert_eq!(spa.words()[2..6], [1, 1, 2, 2], "{operator}");
        assert_eq!(spa.run().consulted, Default::default(), "{operator}");
    }
}

// The examples of the page, on memory whose word at byte n is n.
#[test]
fn examples_of_the_page() {
    let mut body = set("R1", 40);
    for byte in [36u32, 424, 464] {
        body += &(set("R2", byte) + &format!("STS [{byte:#x}], R2;\nSTL [{byte:#x}], R2;\n"));
    }
    body += "LDL.32 R0, [R1 - 0x004];\nLDS.32 R3, [R1 + 424];\nLDS.32 R4, [424]; // absolute address 424 within Shared window\n";
    let spa = Spa::new(&(body + &storing(&["R0", "R3", "R4", "RZ"])), 4).shared(512).local(512);
    assert_eq!(spa.words(), [36, 464, 424, 0]);
}

#[test]
fn wide_ranges_begin_with_the_lowest_address() {
    let deviant = loaded("LDS.64 R0, [R4];", 8).deviation(Deviation::SpaWideReversed);
    assert_eq!(deviant.words()[..2], [0x908f_8e8d, 0x8c8b_8a89]);
}

#[test]
fn deviations_of_wide_loads() {
    let deviant = loaded("LDS.64 R0, [R4];", 4).deviation(Deviation::SpaWideForcedToWord);
    assert_eq!(deviant.words()[..2], [0x8887_8685, 0x8c8b_8a89]);
    // The word at 8 is 0: the one behind it comes from 0 + 4.
    let over_base = || loaded("STS [0x8], RZ;\nMOV R0, R4;\nLDS.64 R0, [R0];", 8);
    assert_eq!(over_base().words()[..2], [0, 0x908f_8e8d]);
    let deviant = over_base().deviation(Deviation::SpaWideBaseOverwritten);
    assert_eq!(deviant.words()[..2], [0, 0x8887_8685]);
}

#[test]
fn rz_takes_nothing_and_stores_zero() {
    let body = filled()
        + "LDS RZ, [RZ];\nSTS.64 [0x8], RZ;\nLDS.64 R0, [0x8];\n"
        + &storing(&["R0", "R1", "RZ", "RZ"]);
    assert_eq!(Spa::new(&body, 4).words(), [0, 0, 0, 0]);
}
