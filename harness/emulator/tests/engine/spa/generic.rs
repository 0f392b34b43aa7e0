//! `LD`, `ST`: generic addresses, of which two windows are shared and local memory. The windows begin at 0x01000000 and 0x02000000
//! here; programs read that from c[0x0][0x0] and c[0x0][0x4].

use super::kernel::{Spa, set, storing};

/// A generic address in `R2:R3`, from the window that this word of constant bank 0 names.
fn window(word: u32, offset: u32) -> String {
    format!("MOV R2, c[0x0][{word:#x}];\nIADD32I R2, R2, {offset:#x};\nMOV R3, RZ;\n")
}

#[test]
fn the_windows_are_shared_and_local_memory() {
    for (word, load, store) in [(0x0, "LDS", "STS"), (0x4, "LDL", "STL")] {
        let body = window(word, 0x10)
            + &set("R5", 0x1234_5678)
            + &set("R6", 0x9abc_def0)
            // Written generically, read in the window; and the other way round.
            + &format!("ST.E [R2+0x4], R5;\n{load} R7, [0x14];\n{store} [0x8], R6;\nLD.E R8, [R2+-0x8], P0;\n")
            + &storing(&["R7", "R8"]);
        assert_eq!(Spa::new(&body, 2).words(), [0x1234_5678, 0x9abc_def0], "{load}");
    }
}

#[test]
fn other_addresses_are_global() {
    // R252:R253 is an address in the output.
    let body = set("R5", 0x8765_4321)
        + "ST.E [R252], R5;\nLD.E.S16 R6, [R252+0x2];\nLD.E.U8 R7, [R252+0x1];\nST.E.U8 [R252+0x8], R7;\n"
        + "STG.E [R252+0x4], R6;\nSTG.E [R252+0xc], RZ;\nSTG.E.U8 [R252+0x9], RZ;\nSTG.E.U16 [R252+0xa], RZ;\n";
    assert_eq!(Spa::new(&body, 4).words(), [0x8765_4321, 0xffff_8765, 0x43, 0]);
}

#[test]
fn an_address_of_32_bits_is_extended_by_zeros() {
    // R3 would make it an address outside of every window.
    let body = window(0x0, 0x0)
        + &set("R3", 0xffff_ffff)
        + &set("R5", 7)
        + "ST [R2+0x8], R5;\nLDS R6, [0x8];\n"
        + &storing(&["R6"]);
    assert_eq!(Spa::new(&body, 1).words(), [7]);
}

#[test]
fn wide_generic_accesses_take_registers_in_a_row() {
    let body = window(0x0, 0x0)
        + &set("R8", 1)
        + &set("R9", 2)
        + &set("R10", 3)
        + &set("R11", 4)
        + "ST.E.128 [R2], R8;\nLD.E.64 R12, [R2+0x8];\nLD.E.128 R16, [R2];\n"
        + &storing(&["R12", "R13", "R16", "R19"]);
    assert_eq!(Spa::new(&body, 4).words(), [3, 4, 1, 4]);
}

#[test]
fn windows_end_with_the_memory_in_them() {
    // 64 bytes of shared memory, of which 256 may belong to the block; nothing lies at 4 KiB, in no window, and at 4 GiB.
    for (low, high) in [(0x0100_1000, 0), (0x0000_1000, 0), (0x0300_0000, 0), (0, 1), (0x0100_0000, 1)] {
        let body = set("R2", low) + &set("R3", high) + "LD.E R4, [R2];\n";
        let faults = Spa::new(&body, 1).faults();
        assert_eq!(faults.len(), 1, "{high:#x}:{low:#x}");
        assert_eq!(faults[0].class, warpdiff_model::FaultClass::OutOfBounds, "{high:#x}:{low:#x}");
    }
}

// Global accesses know no windows.
#[test]
fn global_accesses_reach_no_window() {
    for access in ["LDG.E R4, [R2];", "STG.E [R2], R4;", "ATOM.E.ADD R4, [R2], R4;", "LDG R4, [R2];"] {
        let body = window(0x0, 0x0) + &set("R4", 1) + access + "\n";
        let faults = Spa::new(&body, 1).faults();
        assert_eq!(faults.len(), 1, "{access}");
        assert_eq!(faults[0].class, warpdiff_model::FaultClass::OutOfBounds, "{access}");
    }
}

// As ptxas 12.9 compiles `atom.add.u32` of a generic address: `LEA.HI.X` tells by a predicate whether it is one of global memory.
#[test]
fn an_atomic_of_a_generic_address_branches_on_its_space() {
    let atom = "LEA RZ.CC, R2, RZ;\nLEA.HI.X P0, RZ, R2, RZ, R3;\nSSY join;\n@!P0 BRA shared;\nATOM.E.ADD R5, [R2+0x4], R4;\nSYNC;\n\
                shared:\nIADD32I R6, R2, 0x4;\nLOP32I.AND R6, R6, 0xffffff;\nATOMS.ADD R5, [R6], R4;\nSYNC;\njoin:\n";
    let shared = window(0x0, 0x8)
        + &set("R4", 3)
        + "STS [0xc], R4;\n"
        + atom
        + "LDS R7, [0xc];\n"
        + &storing(&["R5", "R7"]);
    assert_eq!(Spa::new(&shared, 2).words(), [3, 6]);
    let global = "MOV R2, R252;\nMOV R3, R253;\n".to_owned()
        + &set("R4", 3)
        + "STG.E [R252+0x4], R4;\n"
        + atom
        + &storing(&["R5"]);
    assert_eq!(Spa::new(&global, 2).words(), [3, 6]);
}

/// ptxas compiles vector loads at -O1 to a size of its own, which loads the same four words.
#[test]
fn a_load_of_four_words_has_two_sizes() {
    for size in [".128", ".U.128"] {
        let words: String = (0..4).map(|n| set(&format!("R{}", 4 + n), 0x8000_0001 + n)).collect();
        let body = words
            + &storing(&["R4", "R5", "R6", "R7"])
            + &format!("LDG.E{size} R8, [R252];\n")
            + &storing(&["R11", "R10", "R9", "R8"]);
        let expected = [0x8000_0004, 0x8000_0003, 0x8000_0002, 0x8000_0001];
        assert_eq!(Spa::new(&body, 4).words(), expected, "{size}");
    }
}
