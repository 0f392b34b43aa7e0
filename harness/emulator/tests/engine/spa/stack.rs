//! The stack of machine code: calls, and where `SYNC`, `BRK`, `CONT` and `RET` go.

use warpdiff_model::Permitted;

use super::kernel::{Spa, set, storing};

/// A body followed by functions.
fn with_functions(body: &str, functions: &str) -> String {
    format!("{body}EXIT;\n{functions}")
}

// f(x) = 2x + 1, called twice: f(f(5)) = 23.
#[test]
fn a_call_returns_behind_itself() {
    let body = set("R4", 5) + "CAL double;\nCAL double;\n" + &storing(&["R4"]);
    let functions = "double:\nIADD R4, R4, R4;\nIADD R4, R4, 0x1;\nRET;\n";
    assert_eq!(Spa::new(&with_functions(&body, functions), 1).words(), [23]);
}

// `JCAL` names the address of the word. The body is behind six instructions; JCAL is instruction 6, STG 7, EXIT 8, the function 9:
// three bundles of 32 bytes, and 8 for the control word.
#[test]
fn an_absolute_call_goes_to_an_address() {
    let body = "JCAL 0x68;\n".to_owned() + &storing(&["R4"]);
    let functions = "MOV32I R4, 0x7;\nRET;\n";
    assert_eq!(Spa::new(&with_functions(&body, functions), 1).words(), [7]);
}

// The factorial as ptxas compiles it: the argument is kept in local memory while the function calls itself. Threads recurse to
// different depths: 0! = 1, 1! = 1, 2! = 2, 3! = 6, 4! = 24.
#[test]
fn recursion() {
    let body = set("R1", 64) + "MOV R4, R249;\nCAL factorial;\n" + &storing(&["R4"]);
    let functions = "factorial:\nIADD32I R1, R1, -0x8;\nSTL [R1], R2;\nMOV R2, R4;\nISETP.GE.U32.AND P0, PT, R2, 0x2, PT;\n\
        @!P0 BRA one;\nIADD32I R4, R2, -0x1;\nCAL factorial;\nIMUL R4, R4, R2;\nBRA done;\none:\nMOV32I R4, 0x1;\ndone:\n\
        LDL R2, [R1];\nIADD32I R1, R1, 0x8;\nRET;\n";
    assert_eq!(Spa::threads(&with_functions(&body, functions), 5, 1).words(), [1, 1, 2, 6, 24]);
}

#[test]
fn endless_recursion_runs_out_of_stack() {
    let spa = Spa::new("", 1).with_whole_text("again:\nCAL again;\nEXIT;");
    assert!(!matches!(spa.run().outcome.permitted, Permitted::Completed { .. }));
}

// Odd threads return early: those that go on must not return with them.
#[test]
fn some_lanes_return_before_others() {
    let body = "CAL f;\nIADD R4, R4, 0x64;\n".to_owned() + &storing(&["R4"]);
    let functions = "f:\nMOV R4, RZ;\nLOP.AND R5, R249, 0x1;\nISETP.NE.AND P0, PT, R5, RZ, PT;\n@P0 RET;\nMOV32I R4, 0x2;\nRET;\n";
    assert_eq!(Spa::threads(&with_functions(&body, functions), 4, 1).words(), [102, 100, 102, 100]);
}

// `RET` discards what the function has pushed and not taken back; the entry of the caller is still there for its `SYNC`.
#[test]
fn entries_belong_to_the_call_that_they_were_pushed_in() {
    let body = "MOV R4, RZ;\nSSY meet;\nCAL f;\nIADD R4, R4, 0x1;\nSYNC;\nIADD R4, R4, 0x10;\nmeet:\nIADD R4, R4, 0x100;\n"
        .to_owned()
        + &storing(&["R4"]);
    let functions = "f:\nPBK nowhere;\nSSY nowhere;\nRET;\nnowhere:\nIADD R4, R4, 0x1000;\nEXIT;\n";
    assert_eq!(Spa::new(&with_functions(&body, functions), 1).words(), [0x101]);
    // The caller's entry is none of the function's.
    let spa = Spa::new("", 1).with_whole_text("SSY meet;\nCAL f;\nmeet:\nEXIT;\nf:\nSYNC;\n");
    let Permitted::Indeterminate { place, origin, .. } = spa.run().outcome.permitted else { panic!() };
    assert!(place.contains("SYNC") && origin.contains("nothing has pushed it"), "{place}: {origin}");
}

// A `BRK` within an `SSY` leaves both. Thread n breaks in round n: with 0x10 for each round that it finished.
#[test]
fn a_break_leaves_what_was_pushed_after_its_entry() {
    let body = "MOV R4, RZ;\nMOV R5, RZ;\nPBK out;\nagain:\nSSY join;\nISETP.EQ.AND P0, PT, R5, R249, PT;\n@P0 BRK;\n\
                IADD R4, R4, 0x10;\nSYNC;\njoin:\nIADD R5, R5, 0x1;\nBRA again;\nout:\nIADD R4, R4, 0x1;\n"
        .to_owned()
        + &storing(&["R4"]);
    assert_eq!(Spa::threads(&body, 4, 1).words(), [0x01, 0x11, 0x21, 0x31]);
}

// One `SYNC` after two `SSY`: even threads come by the one, odd threads by the other, so that it goes to two places.
#[test]
fn one_sync_may_go_to_several_places() {
    let body = "LOP.AND R5, R249, 0x1;\nISETP.NE.AND P0, PT, R5, RZ, PT;\n@P0 BRA odd;\nSSY even_end;\nBRA shared;\nodd:\nSSY odd_end;\n\
                shared:\nMOV32I R4, 0x5;\nSYNC;\neven_end:\nIADD R4, R4, 0x10;\nBRA done;\nodd_end:\nIADD R4, R4, 0x20;\ndone:\n"
        .to_owned()
        + &storing(&["R4"]);
    assert_eq!(Spa::threads(&body, 4, 1).words(), [0x15, 0x25, 0x15, 0x25]);
}

// `CONT` goes to the target of `PCNT`, where the loop pushes it again: odd rounds skip the second sum. Of rounds 0 to 4, three are
// even: 5 × 0x10 + 3 × 0x1.
#[test]
fn continues() {
    let body = "MOV R4, RZ;\nMOV R5, RZ;\nagain:\nISETP.GE.AND P1, PT, R5, 0x5, PT;\n@P1 BRA done;\nPCNT next;\nIADD R4, R4, 0x10;\n\
                LOP.AND R6, R5, 0x1;\nISETP.NE.AND P0, PT, R6, RZ, PT;\n@P0 CONT;\nIADD R4, R4, 0x1;\nCONT;\nnext:\nIADD R5, R5, 0x1;\n\
                BRA again;\ndone:\n"
        .to_owned()
        + &storing(&["R4"]);
    assert_eq!(Spa::new(&body, 1).words(), [0x53]);
}

// BRX is instruction 9 of the program, at 9 / 3 * 32 + 8 = 0x68; the next address is 0x70, so `-0x70` makes the register an
// address from the beginning. Instruction 10 lies at 0x70, 12 at 0x88. Lanes go to different places.
#[test]
fn an_indirect_branch_goes_to_the_address_in_the_register() {
    let body = "ISETP.EQ.AND P0, PT, R249, RZ, PT;\nMOV32I R3, 0x88;\n@P0 MOV32I R3, 0x70;\nBRX R3 -0x70;\nMOV32I R4, 0x1;\nBRA done;\n\
                MOV32I R4, 0x2;\ndone:\n"
        .to_owned()
        + &storing(&["R4"]);
    assert_eq!(Spa::threads(&body, 2, 1).words(), [1, 2]);
    // `JMX` counts from the beginning: 0x68 + 0x8 and 0x80 + 0x8.
    let body = "ISETP.EQ.AND P0, PT, R249, RZ, PT;\nMOV32I R3, 0x80;\n@P0 MOV32I R3, 0x68;\nJMX R3 0x8;\nMOV32I R4, 0x1;\nBRA done;\n\
                MOV32I R4, 0x2;\ndone:\n"
        .to_owned()
        + &storing(&["R4"]);
    assert_eq!(Spa::threads(&body, 2, 1).words(), [1, 2]);
}

// A call through a register, as ptxas compiles it: the return address is pushed, then control goes to the function. BRX is
// instruction 8 at 0x58, the next address 0x60; the function is instruction 11, at 0x78.
#[test]
fn a_pushed_return_address_makes_a_call_of_a_branch() {
    let body = "MOV32I R3, 0x78;\nPRET back;\nBRX R3 -0x60;\nback:\n".to_owned() + &storing(&["R4"]);
    let functions = "MOV32I R4, 0x9;\nRET;\n";
    assert_eq!(Spa::new(&with_functions(&body, functions), 1).words(), [9]);
}

#[test]
fn an_indirect_branch_elsewhere_is_an_illegal_instruction() {
    let spa = Spa::new("", 1).with_whole_text("MOV32I R3, 0x1000;\nJMX R3;\nEXIT;");
    let faults = spa.faults();
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].class, warpdiff_model::FaultClass::IllegalInstruction);
    let undefined = Spa::new("", 1).with_whole_text("JMX R3;\nEXIT;");
    assert!(matches!(undefined.run().outcome.permitted, Permitted::Indeterminate { .. }));
}

// `IADD RZ.CC, R249, -0x2` carries where R249 >= 2, and is zero where it is 2. The tests are those of Maxwell's condition codes:
// HS = C, LO = ¬C, HI = C ∧ ¬Z, LS = ¬C ∨ Z, EQU = Z, NE = ¬Z.
#[test]
fn a_branch_may_test_the_condition_codes() {
    let taken = |test: &str| {
        let body = set("R5", 2)
            + &format!(
                "MOV R4, RZ;\nIADD RZ.CC, R249, -R5;\nBRA CC.{test}, there;\nBRA done;\nthere:\nMOV32I R4, 0x1;\ndone:\n"
            )
            + &storing(&["R4"]);
        Spa::threads(&body, 4, 1).words()
    };
    assert_eq!(taken("HS"), [0, 0, 1, 1]);
    assert_eq!(taken("LO"), [1, 1, 0, 0]);
    assert_eq!(taken("HI"), [0, 0, 0, 1]);
    assert_eq!(taken("LS"), [1, 1, 1, 0]);
    assert_eq!(taken("EQU"), [0, 0, 1, 0]);
    assert_eq!(taken("NE"), [1, 1, 0, 1]);
    assert_eq!(taken("F"), [0, 0, 0, 0]);
    // Besides the guard, which may be negated.
    let body = set("R5", 2)
        + "MOV R4, RZ;\nISETP.EQ.AND P0, PT, R249, 0x3, PT;\nIADD RZ.CC, R249, -R5;\n@!P0 EXIT CC.HS;\nMOV32I R4, 0x1;\n"
        + &storing(&["R4"]);
    assert_eq!(Spa::threads(&body, 4, 1).words(), [1, 1, 0, 1]);
}

#[test]
fn a_trap_is_a_fault_of_the_lanes_that_reach_it() {
    let body = "ISETP.NE.AND P0, PT, R249, 0x1, PT;\n@P0 BRA on;\nBPT.TRAP 0x1;\non:\n".to_owned()
        + &storing(&["R249"]);
    let faults = Spa::threads(&body, 3, 1).faults();
    assert_eq!(
        faults.iter().map(|fault| fault.class).collect::<Vec<_>>(),
        [warpdiff_model::FaultClass::Trap]
    );
    assert_eq!(faults[0].thread, Some([0, 0, 0, 1, 0, 0]));
}

// Threads loop 60 times their number, then all vote: those that have left the loop wait for the others at the target of `SSY`,
// however long that takes. Thread 0 loops once.
#[test]
fn lanes_that_took_an_entry_back_wait_for_the_others() {
    let body = set("R4", 60)
        + "IMUL R5, R249, R4;\nMOV R6, RZ;\nSSY join;\nagain:\nLDG.E R7, [R250];\nIADD R6, R6, 0x1;\nISETP.GE.AND P0, PT, R6, R5, PT;\n\
           @P0 SYNC;\nBRA again;\njoin:\nVOTE.ANY R8, PT, P0;\n"
        + &storing(&["R8"]);
    let spa = Spa::threads(&body, 32, 1);
    assert_eq!(spa.words_left(), [u32::MAX; 32]);
}
