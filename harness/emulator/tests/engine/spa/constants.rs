//! Machine code that goes where a constant says, or loads from a bank that a register names: `JMP`, `BRA`, `JCAL`, `JMX` and `BRX` through
//! constants, and the indexing modes of `LDC`. ptxas 12.9 compiles nothing to these.

use warpdiff_model::{Argument, FaultClass, Permitted};

use super::kernel::{Spa, set, storing};

/// A body with words in `c[0x0][0x148]` and behind it. Its first instruction is the sixth of the program; a bundle of three takes 0x20 bytes, the
/// first 8 of which are the control word.
fn with(body: &str, threads: u32, constants: &[u32]) -> Spa {
    let mut spa = Spa::threads(body, threads, 1);
    spa.launch.arguments.extend(constants.iter().map(|word| Argument::Value(word.to_le_bytes().to_vec())));
    spa
}

#[test]
fn a_jump_goes_to_the_address_in_a_constant() {
    // Instruction 9 is at 0x68.
    let body = "MOV32I R4, 0x7;\nJMP c[0x0][0x148];\nMOV32I R4, 0x1;\n".to_owned() + &storing(&["R4"]);
    assert_eq!(with(&body, 1, &[0x68]).words(), [7]);
    // An address of no instruction.
    assert_eq!(with(&body, 1, &[0x61]).faults()[0].class, FaultClass::IllegalInstruction);
    // Under a test that does not hold it goes on.
    let body = body.replace("JMP", "@!PT JMP");
    assert_eq!(with(&body, 1, &[0x68]).words(), [1]);
}

#[test]
fn a_call_goes_to_the_address_in_a_constant_and_returns() {
    let body = "JCAL c[0x0][0x148];\nIADD R4, R4, 0x1;\n".to_owned()
        + &storing(&["R4"])
        + "EXIT;\nMOV32I R4, 0x10;\nRET;\n";
    // Instruction 10 is at 0x70.
    assert_eq!(with(&body, 1, &[0x70]).words(), [0x11]);
}

#[test]
fn a_table_of_constants_leads_each_thread_elsewhere() {
    let body = "SHL R3, R249, 0x2;\nMOV32I R4, 0x7;\nJMX c[0x0][R3+0x148];\nMOV32I R4, 0x1;\n".to_owned()
        + &storing(&["R4"]);
    assert_eq!(with(&body, 3, &[0x70, 0x68, 0x70]).words(), [7, 1, 7]);
}

/// yuzu adds the constant to the address of the word behind the instruction.
#[test]
fn distances_in_constants_count_from_the_next_word() {
    // Instruction 9 is at 0x68, the branch at 0x50.
    let body = "MOV32I R4, 0x7;\nBRA c[0x0][0x148];\nMOV32I R4, 0x1;\n".to_owned() + &storing(&["R4"]);
    assert_eq!(with(&body, 1, &[0x68 - 0x58]).words(), [7]);
    assert_eq!(with(&body.replace("BRA", "@!PT BRA"), 1, &[0x10]).words(), [1]);
    assert_eq!(with(&body, 1, &[0x11]).faults()[0].class, FaultClass::IllegalInstruction);
    // The branch is at 0x58, the instructions behind it at 0x68 and 0x70.
    let body = "SHL R3, R249, 0x2;\nMOV32I R4, 0x7;\nBRX c[0x0][R3+0x148];\nMOV32I R4, 0x1;\n".to_owned()
        + &storing(&["R4"]);
    assert_eq!(with(&body, 3, &[0x10, 0x8, 0x10]).words(), [7, 1, 7]);
}

/// "bank += reg[31:16], address = reg[15:0] + imm".
#[test]
fn a_register_may_name_the_bank() {
    let loading = |mode: &str, register: u32| {
        let body = set("R3", register) + &format!("LDC{mode} R8, c[0x0][R3+0x148];\n") + &storing(&["R8"]);
        with(&body, 1, &[5, 6])
    };
    for mode in ["", ".IL", ".IS", ".ISL"] {
        assert_eq!(loading(mode, 4).words(), [6], "{mode}");
    }
    // Bank 1 is none of the program's: under `.ISL` nothing says what is there.
    assert_eq!(loading(".IS", 0x0001_0004).faults().len(), 1);
    for (mode, register) in [(".ISL", 0x0001_0004), (".IL", 0x0002_0004)] {
        let run = loading(mode, register).run();
        assert!(matches!(run.outcome.permitted, Permitted::Indeterminate { .. }), "{:?}", run.outcome);
    }
}
