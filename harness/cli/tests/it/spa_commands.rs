//! `check`, `assemble` and `disassemble` of programs of SPA 5.0, as processes.

use std::io::Write;
use std::process::{Command, Stdio};

/// What the command says to that input, and how it ends.
fn warpdiff(arguments: &[&str], input: &str) -> (String, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ended");
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8(said).expect("text"), output.status.code().expect("a code"))
}

#[test]
fn check_says_where_the_text_forbids_a_program() {
    let (said, code) = warpdiff(&["check", "-"], ".spa 5.0\n.registers 8\nATOMS.INC.S32 R0, [R1+0x2], R3;\n");
    assert_eq!(code, 1, "{said}");
    assert!(said.starts_with("spec       rejects\n"), "{said}");
    assert!(said.contains("offset 2 has low bits that the encoding does not store\n --> -:3:19"), "{said}");
    let (said, code) = warpdiff(&["check", "-"], ".spa 5.0\nLDS R0, [R1]; EXIT;\n");
    assert_eq!((said.as_str(), code), ("spec       accepts\nencoder    accepts\n", 0));
    // The pages say nothing of alignment, and have no `.U` without a register.
    let (said, code) = warpdiff(&["check", "-"], ".spa 5.0\nLDS.64 R1, [R2]; EXIT;\n");
    assert!(said.starts_with("spec       accepts\nencoder    rejects\n") && code == 1, "{said}");
    let (said, code) = warpdiff(&["check", "-"], ".spa 5.0\nLDS.U R0, [0x8]; EXIT;\n");
    assert!(said.starts_with("spec       rejects\nencoder    accepts\n") && code == 1, "{said}");
    let (said, code) = warpdiff(&["check", "--as", "encoder", "-"], ".spa 5.0\nLDS.U R0, [0x8]; EXIT;\n");
    assert_eq!((said.as_str(), code), ("encoder    accepts\n", 0));
    let (said, code) = warpdiff(&["check", "--as", "ptxas-12.9", "-"], ".spa 5.0\nEXIT;\n");
    assert_eq!(code, 2, "{said}");
    let (said, code) = warpdiff(&["check", "--as", "encoder", "-"], ".version 8.0\n");
    assert_eq!(code, 2, "{said}");
}

#[test]
fn words_go_both_ways() {
    let text = "LDS.U R0, [R1+0x8] &wr=0 ?WAIT1; STS [R1], R0 &req={0} &rd=1 ?WAIT1; EXIT ?WAIT5;";
    let (words, code) = warpdiff(&["assemble", "-"], text);
    assert_eq!(code, 0, "{words}");
    // Built by hand: the fields of three instructions, 21 bits each, then the instructions.
    // LDS: stall 1, stay, write barrier 0, no read barrier. STS: none and 1, waits for 0. EXIT: stall 5.
    let slots = [0x711, 0x9f1, 0x7f5_u64];
    let control = slots[0] | slots[1] << 21 | slots[2] << 42;
    assert_eq!(words, format!("{control:#018x} 0xef4c100000870100 0xef5c000000070100 0xe30000000007000f\n"));
    let (said, code) = warpdiff(&["disassemble", "-"], &words);
    assert_eq!(code, 0, "{said}");
    let instructions: Vec<&str> = said.lines().skip(6).collect();
    assert_eq!(
        instructions,
        [
            "    LDS.U.32 R0, [R1+0x8] &wr=0 ?WAIT1;",
            "    STS [R1], R0 &req={0} &rd=1 ?WAIT1;",
            "    EXIT ?WAIT5;"
        ]
    );
    let two = ".spa 5.0\nEXIT;\n# other\n.spa 5.0\nMOV32I R0, 32@hi(table);\n";
    let (said, code) = warpdiff(&["assemble", "-"], two);
    assert_eq!(code, 0, "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        (lines[0], lines[2], lines[4]),
        ("# program 1", "# other", "# at 0x0008: zero for 32@hi(table)"),
        "{said}"
    );
    let (again, code) = warpdiff(&["disassemble", "-"], &said);
    assert!(again.contains("MOV32I R0, 0x0") && code == 0, "{again}");
    let (said, code) = warpdiff(&["assemble", "-"], "LDX R0;");
    assert!(said.contains("unknown opcode `LDX`") && code == 1, "{said}");
}

#[test]
fn words_that_are_no_instructions_are_told_apart() {
    let (said, code) = warpdiff(&["disassemble", "--single", "-"], "ef44000000070100 0xef47100000870102 0");
    assert_eq!(
        (said.as_str(), code),
        (
            "LDL R0, [R1]; /* 0xef44000000070100 */\n\
             # LDL.LU.INVALIDSIZE7 R2, [R1+0x8]; illegal: the size in bits 50:48 cannot be 7 /* 0xef47100000870102 */\n\
             # unsupported: not in the table of forms /* 0x0000000000000000 */\n",
            1
        )
    );
    let (said, code) = warpdiff(&["disassemble", "-"], "0x1 zero");
    assert!(said.contains("-:1: `zero` is not a machine word") && code == 2, "{said}");
    let (said, code) = warpdiff(&["disassemble", "-"], "1 2 3");
    assert!(said.contains("3 words do not make whole bundles of 4") && code == 2, "{said}");
    let (said, code) = warpdiff(&["disassemble", env!("CARGO_BIN_EXE_warpdiff")], "");
    assert!(said.ends_with(": an ELF file for another machine, not a cubin\n") && code == 2, "{said}");
}
