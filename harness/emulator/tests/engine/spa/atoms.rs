//! `ATOMS`: each operation and size, errors, contention.

use warpdiff_model::{Admission, Deviation, FaultClass, Observation};

use super::kernel::{Spa, set, storing};

/// What an instruction returns in `R0` (and `R1`), and what it leaves at byte 8 of shared memory, where it finds `found` (and zero
/// behind): `R4` and `R5` hold `b` and `c`, `R1` the address 8.
fn on_word(instruction: &str, found: u32, b: u32, c: u32) -> Spa {
    let body = set("R2", found)
        + "STS [0x8], R2;\nSTS [0xc], RZ;\n"
        + &set("R4", b)
        + &set("R5", c)
        + &set("R0", 0x5555_5555)
        + &set("R1", 8)
        + instruction
        + "\nLDS R3, [0x8];\n"
        + &storing(&["R0", "R3"]);
    Spa::new(&body, 2)
}

fn result(instruction: &str, found: u32, b: u32) -> [u32; 2] {
    let words = on_word(instruction, found, b, 0).words();
    [words[0], words[1]]
}

const MINUS_ONE: u32 = 0xffff_ffff;

// ".ADD Rd = M; M = M + Rb; .MIN … .XOR, .EXCH Rd = M; M = Rb", for .U32 and .S32.
#[test]
fn operations_of_32_bits() {
    for size in ["", ".U32", ".S32", ".32"] {
        let of = |op: &str, found, b| result(&format!("ATOMS.{op}{size} R0, [R1], R4;"), found, b);
        assert_eq!(of("ADD", MINUS_ONE, 3), [MINUS_ONE, 2], "{size}");
        assert_eq!(of("AND", 0b1100, 0b1010), [0b1100, 0b1000]);
        assert_eq!(of("OR", 0b1100, 0b1010), [0b1100, 0b1110]);
        assert_eq!(of("XOR", 0b1100, 0b1010), [0b1100, 0b0110]);
        assert_eq!(of("EXCH", 7, 9), [7, 9]);
    }
}

#[test]
fn minima_and_maxima_have_a_sign() {
    assert_eq!(result("ATOMS.MIN R0, [R1], R4;", MINUS_ONE, 1), [MINUS_ONE, 1]);
    assert_eq!(result("ATOMS.MIN.S32 R0, [R1], R4;", MINUS_ONE, 1), [MINUS_ONE, MINUS_ONE]);
    assert_eq!(result("ATOMS.MAX R0, [R1], R4;", 1, MINUS_ONE), [1, MINUS_ONE]);
    assert_eq!(result("ATOMS.MAX.S32 R0, [R1], R4;", 1, MINUS_ONE), [1, 1]);
    let deviant =
        on_word("ATOMS.MIN.S32 R0, [R1], R4;", MINUS_ONE, 1, 0).deviation(Deviation::AtomMinMaxUnsigned);
    assert_eq!(deviant.words(), [MINUS_ONE, 1]);
}

// ".INC M = (M >= Rb) ? 0 : (M + 1)", ".DEC M = (M == 0 || M > Rb) ? Rb : M - 1".
#[test]
fn inc_and_dec() {
    let inc = |found| result("ATOMS.INC R0, [R1], R4;", found, 5);
    assert_eq!([inc(4), inc(5), inc(6), inc(0)], [[4, 5], [5, 0], [6, 0], [0, 1]]);
    let dec = |found| result("ATOMS.DEC R0, [R1], R4;", found, 5);
    assert_eq!([dec(0), dec(1), dec(5), dec(6)], [[0, 5], [1, 0], [5, 4], [6, 5]]);
    let deviant = on_word("ATOMS.INC R0, [R1], R4;", 5, 5, 0).deviation(Deviation::AtomIncOffByOne);
    assert_eq!(deviant.words(), [5, 6]);
    let deviant = on_word("ATOMS.DEC R0, [R1], R4;", 6, 5, 0).deviation(Deviation::AtomDecIgnoresGreater);
    assert_eq!(deviant.words(), [6, 5]);
}

// ".CAS Rd = M; if (M == Rb) M = Rc;" ".CAST if (M == Rb) { M = Rc; Rd = 1; } else { Rd = 0 }"
#[test]
fn compare_and_swap() {
    let of = |op: &str, found| on_word(&format!("ATOMS.{op} R0, [R1], R4, R5;"), found, 7, 9).words();
    assert_eq!(of("CAS", 7), [7, 9]);
    assert_eq!(of("CAS", 8), [8, 8]);
    for op in ["CAST", "CAST.SPIN", "CAST.S32"] {
        assert_eq!(of(op, 7), [1, 9], "{op}");
        assert_eq!(of(op, 8), [0, 8], "{op}");
    }
    let rz = |op: &str| on_word(&format!("ATOMS.{op} R0, [R1], R4, RZ;"), 7, 7, 9).words();
    assert_eq!(rz("CAS"), [7, 0]);
    assert_eq!(rz("CAST"), [1, 0]);
    let deviant = on_word("ATOMS.CAS R0, [R1], R4, R5;", 7, 7, 9).deviation(Deviation::SpaCasComparesRc);
    assert_eq!(deviant.words(), [7, 7]);
    let deviant = on_word("ATOMS.CAST R0, [R1], R4, R5;", 7, 7, 9).deviation(Deviation::SpaCastReturnsOld);
    assert_eq!(deviant.words(), [7, 9]);
}

// 64 bits: M is at 8 (and 12), Rb in R4:R5, Rc in R6:R7.
#[test]
fn operations_of_64_bits() {
    let of = |instruction: &str| {
        let body = "STS [0x8], R10;\nSTS [0xc], R11;\n";
        let sets = [
            ("R10", 1),
            ("R11", 2),
            ("R4", 1),
            ("R5", 2),
            ("R6", 3),
            ("R7", 4),
            ("R8", 1),
            ("R9", 3),
            ("R0", 99),
            ("R1", 8),
        ];
        let sets: String = sets.iter().map(|(register, value)| set(register, *value)).collect();
        let body =
            sets + body + instruction + "\nLDS.64 R2, [0x8];\n" + &storing(&["R14", "R15", "R2", "R3"]);
        Spa::new(&body, 4)
    };
    assert_eq!(of("ATOMS.EXCH.U64 R14, [R1], R6;").words(), [1, 2, 3, 4]);
    assert_eq!(of("ATOMS.EXCH.64 R14, [R1], RZ;").words(), [1, 2, 0, 0]);
    assert_eq!(of("ATOMS.CAS.U64 R14, [R1], R4, R6;").words(), [1, 2, 3, 4]);
    assert_eq!(of("ATOMS.CAS.64 R14, [R1], R8, R10;").words(), [1, 2, 1, 2], "the upper halves differ");
    // ".sz: Typed bit size of memory and Rd": a truth of 64 bits, 1:0 or 0:0, whatever the registers held.
    let stored = of("MOV R15, 0x7;\nATOMS.CAST.SPIN.64 R14, [R1], R4, R6;");
    assert_eq!(stored.words(), [1, 0, 3, 4]);
    assert_eq!(of("MOV R15, 0x7;\nATOMS.CAST.64 R14, [R1], R8, R10;").words(), [0, 0, 1, 2]);
}

// "Misaligned addresses cause a misaligned address error. An address outside an allocated memory region causes an address
// out-of-range error." "The byte address is computed as the 32-bit addition of register Ra plus the immediate offset".
#[test]
fn addresses_of_atomics() {
    let at = |address: u32, operand: &str| {
        Spa::new(
            &(set("R1", address)
                + "STS [0x8], RZ;\n"
                + &format!("ATOMS.ADD R0, {operand}, R1;\n")
                + &storing(&["R0"])),
            1,
        )
    };
    assert_eq!(at(0, "[0x8]").words(), [0]);
    assert_eq!(at(16, "[R1 - 8]").words(), [0]);
    assert_eq!(at(0xffff_fff8, "[R1 + 0x10]").words(), [0], "it wraps");
    let class = |spa: Spa| spa.faults()[0].class;
    assert_eq!(class(at(9, "[R1]")), FaultClass::Misaligned);
    assert_eq!(class(at(64, "[R1]")), FaultClass::OutOfBounds);
    assert_eq!(class(at(8, "[R1 - 0x10]")), FaultClass::OutOfBounds);
    assert_eq!(class(at(0, "[0xfffffc]")), FaultClass::OutOfBounds);
    let masked = at(9, "[R1]").deviation(Deviation::SpaAtomsMisalignedMasked);
    assert_eq!(masked.words(), [0]);
    let zero_extended = at(16, "[R1 - 8]").deviation(Deviation::SpaOffsetZeroExtended);
    assert_eq!(class(zero_extended), FaultClass::OutOfBounds);
}

// Without R9 the address is 0xfffff8 of a window of 16 MB, all of which is there.
#[test]
fn negative_offset_beside_a_register_that_is_not_there() {
    let body = "MOV R0, RZ;\nSTS [0xfffff8], R0;\nATOMS.INC R0, [R9 - 0x8], RZ;\nMOV R3, c[0x0][0x144];\n\
                MOV R2, c[0x0][0x140];\nSTG.E [R2], R0;\nEXIT;\n";
    let missing = || {
        let mut spa = Spa::new("", 1).shared(16 << 20).with_whole_text(body);
        spa.header.registers = 4;
        spa
    };
    assert_eq!(missing().words(), [0]);
    let signed = missing().deviation(Deviation::SpaAtomsMissingRegisterSigned);
    assert_eq!(signed.faults()[0].class, FaultClass::OutOfBounds);
}

/// Word 0 of shared memory is zero, stored by one thread for all.
const ZERO: &str = "ISETP.EQ.AND P0, PT, R249, RZ, PT;\n@P0 STS.64 [RZ], RZ;\nBAR.SYNC 0x0;\n";

fn verdict(spa: &Spa, observation: &Observation) -> bool {
    match spa.allowed().admits(observation) {
        Admission::Conforms { .. } => true,
        Admission::Violates { .. } => false,
        other => panic!("{other:?}"),
    }
}

/// What another machine does with the same launch.
fn deviant(spa: fn() -> Spa, deviation: Deviation) -> Observation {
    spa().deviation(deviation).observed()
}

/// An observation in which these words were returned.
fn returned(words: &[u32], spa: &Spa) -> Observation {
    let Observation::Completed { mut state } = spa.observed() else { panic!("it completes") };
    state.regions[0].bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Observation::Completed { state }
}

/// 32 lanes add to one word.
fn adding() -> Spa {
    let body = ZERO.to_owned() + "MOV32I R1, 0x1;\nATOMS.ADD R0, [RZ], R1;\n" + &storing(&["R0"]);
    Spa::threads(&body, 64, 1)
}

/// 64 lanes add 1 to word 0, and read what is there afterwards.
fn added() -> Spa {
    let body = ZERO.to_owned()
        + "MOV32I R1, 0x1;\nATOMS.ADD RZ, [RZ], R1;\nBAR.SYNC 0x0;\nLDS R0, [RZ];\n"
        + &storing(&["R0"]);
    Spa::threads(&body, 64, 1)
}

#[test]
fn no_addition_is_lost() {
    assert_eq!(added().words(), [64; 64]);
    // Each of the two warps adds 1 once.
    assert_eq!(added().deviation(Deviation::SpaAtomsLostUpdate).words(), [2; 64]);
}

#[test]
fn contended_additions_serialise() {
    let spa = adding();
    assert!(verdict(&spa, &spa.observed()));
    let mut values: Vec<u32> = (0..64).rev().collect();
    assert!(verdict(&spa, &returned(&values, &spa)), "any order is right");
    values[3] = values[4];
    assert!(!verdict(&spa, &returned(&values, &spa)), "two find the same value");
}

/// Four threads compare word 0 with 0 and store their number plus 1, under `.SPIN`.
fn one_lock() -> Spa {
    let body = ZERO.to_owned()
        + "MOV R4, RZ;\nIADD R5, R249, 0x1;\nATOMS.CAST.SPIN R0, [RZ], R4, R5;\n"
        + &storing(&["R0"]);
    Spa::threads(&body, 4, 1)
}

// "One thread from each group is selected to do its ATOMS.CAST (compare & store); all other threads from that bank will immediately
// 'fail'": one of the four stores, whichever.
#[test]
fn one_of_the_contenders_is_selected() {
    let spa = one_lock();
    assert!(verdict(&spa, &spa.observed()));
    for winner in 0..4 {
        let mut flags = [0; 4];
        flags[winner] = 1;
        assert!(verdict(&spa, &returned(&flags, &spa)));
    }
    assert!(!verdict(&spa, &returned(&[0; 4], &spa)), "the one that is selected finds 0 and stores");
    assert!(!verdict(&spa, &returned(&[1, 1, 0, 0], &spa)), "two are not selected");
    assert!(!verdict(&spa, &returned(&[2, 0, 0, 0], &spa)), "2 is no answer");
    assert!(!verdict(&spa, &deviant(one_lock, Deviation::SpaSpinNoneWins)));
}

/// Two threads on words 0 and 32, which are in the same bank; each would store.
fn one_bank() -> Spa {
    let body = "SHL R1, R249, 0x7;\nSTS [R1], RZ;\nBAR.SYNC 0x0;\nMOV R4, RZ;\nMOV32I R5, 0x1;\nATOMS.CAST.SPIN R0, [R1], R4, R5;\n"
        .to_owned()
        + &storing(&["R0"]);
    Spa::threads(&body, 2, 1).shared(256)
}

/// The same two, which do something else with their own word before or behind.
fn one_bank_and(before: &str, behind: &str) -> Spa {
    let body =
        "SHL R1, R249, 0x7;\nSTS.64 [R1], RZ;\nBAR.SYNC 0x0;\nMOV R4, RZ;\nMOV32I R5, 0x1;\nMOV32I R6, 0x9;\nMOV R7, RZ;\n"
            .to_owned()
            + before
            + "ATOMS.CAST.SPIN R0, [R1], R4, R5;\n"
            + behind
            + &storing(&["R0", "R8"]);
    Spa::threads(&body, 2, 2).shared(256)
}

// "R0 = 1" of one of the two. Nobody but the thread itself touches its word: what it stores there it finds there, whether it was
// selected or not.
#[test]
fn contenders_may_store_to_what_is_their_own() {
    let own = [
        ("", "STS [R1], R6;\nATOMS.ADD R8, [R1], R5;\n", 9),
        ("", "STS.64 [R1], R6;\nATOMS.ADD R8, [R1], R5;\n", 9),
        ("", "ATOMS.EXCH.64 R10, [R1], R6;\nATOMS.ADD R8, [R1], R5;\n", 9),
        ("ATOMS.ADD R8, [R1], R6;\nSTS [R1], RZ;\n", "", 0),
    ];
    for (before, behind, found) in own {
        let spa = one_bank_and(before, behind);
        for flags in [[1, 0], [0, 1]] {
            let words = [flags[0], found, flags[1], found];
            assert!(verdict(&spa, &returned(&words, &spa)), "{before}{behind}{flags:?}");
        }
    }
    // What is stored behind all of them hides nothing.
    let spa = one_bank_and("MOV R8, RZ;\n", "STS [R1], R6;\n");
    assert!(verdict(&spa, &returned(&[0, 0, 1, 0], &spa)));
    assert!(!verdict(&spa, &returned(&[1, 0, 1, 0], &spa)));
    assert!(!verdict(&spa, &returned(&[0, 0, 0, 0], &spa)));
}

// "Threads are put into groups, based on the shared memory bank which contains the address they are trying to update."
#[test]
fn contenders_are_those_of_a_bank() {
    let spa = one_bank();
    assert!(verdict(&spa, &returned(&[1, 0], &spa)));
    assert!(verdict(&spa, &returned(&[0, 1], &spa)));
    assert!(!verdict(&spa, &returned(&[1, 1], &spa)));
    assert!(!verdict(&spa, &returned(&[0, 0], &spa)));
    assert!(!verdict(&spa, &deviant(one_bank, Deviation::SpaSpinIgnored)));
}

/// Two threads on words 0 and 1: two banks, nobody contends.
#[test]
fn a_lone_lane_does_not_fail() {
    let body = "SHL R1, R249, 0x2;\nSTS [R1], RZ;\nBAR.SYNC 0x0;\nMOV R4, RZ;\nMOV32I R5, 0x1;\nATOMS.CAST.SPIN R0, [R1], R4, R5;\n"
        .to_owned()
        + &storing(&["R0"]);
    let spa = Spa::threads(&body, 2, 1);
    assert_eq!(spa.words(), [1, 1]);
    assert!(!verdict(&spa, &returned(&[1, 0], &spa)));
}

/// Threads 0 to 3 compare word 0 with their number and store the next one: without `.SPIN`.
fn staircase() -> Spa {
    let body = ZERO.to_owned()
        + "MOV R4, R249;\nIADD R5, R249, 0x1;\nATOMS.CAST R0, [RZ], R4, R5;\n"
        + &storing(&["R0"]);
    Spa::threads(&body, 4, 1)
}

#[test]
fn contended_compare_and_store_serialises() {
    let spa = staircase();
    for flags in [[1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 1]] {
        // Thread n stores only after thread n - 1 has; whoever comes too early fails.
        let right = !flags.windows(2).any(|pair| pair == [0, 1]);
        assert_eq!(verdict(&spa, &returned(&flags, &spa)), right, "{flags:?}");
    }
    assert!(!verdict(&spa, &returned(&[0, 1, 1, 1], &spa)), "thread 0 finds 0 unless someone else stored");
}

// Each thread exchanges 64 bits, both halves its number plus 1: every number is returned once but the last.
#[test]
fn contended_exchanges_of_64_bits_serialise() {
    let body = ZERO.to_owned()
        + "IADD R4, R249, 0x1;\nMOV R5, R4;\nATOMS.EXCH.U64 R0, [RZ], R4;\n"
        + &storing(&["R0", "R1"]);
    let spa = Spa::threads(&body, 4, 2);
    assert!(verdict(&spa, &spa.observed()));
    assert!(verdict(&spa, &returned(&[2, 2, 3, 3, 4, 4, 0, 0], &spa)));
    assert!(!verdict(&spa, &returned(&[2, 3, 3, 2, 4, 4, 0, 0], &spa)), "halves of different values");
}
