//! The assembler of this machine, where there is one, against what the corpus says of it.

use std::path::Path;
use std::process::Command;

use warpdiff_judge::assembled::Assembled;
use warpdiff_targets::ptxas::assembler::Assembler;

/// Where each byte and address is that the layout has, in modules that were generated.
#[test]
fn generated_declarations_are_laid_out_as_the_assembler_emits_them() {
    if let Err(why) = Assembler::find(None) {
        return eprintln!("skipped: {why}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
        .args(["layout", "--random", "60", "--seed", "20", "--json"])
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{out}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["programs"], 60);
    assert!(report["variables"].as_u64() > Some(200), "{out}");
}

#[test]
fn the_assembler_says_what_the_corpus_says_of_it() {
    let assembler = match Assembler::find(None) {
        Ok(assembler) => assembler,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let program = ".version 8.0\n.target sm_50\n.address_size 64\n.global .u32 a[2] = {1, 2};\n";
    let Assembled::Accepted { bytes } = assembler.assemble(program, false) else { panic!("rejected") };
    assert_eq!(bytes["a"], [1, 0, 0, 0, 2, 0, 0, 0].map(Some));
    assert!(matches!(assembler.assemble(".version 8.0\nnonsense\n", false), Assembled::Rejected { .. }));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
        .args(["run", "--no-golden", "--show", "1000", "--against", "ptxas", "--corpus"])
        .arg(root.join("cases"))
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{out}");
    assert!(!out.contains("violates") && !out.contains("rejected"), "{out}");
    // What it emits instead of what the text specifies has a name.
    assert!(out.contains("ptxas.packed-lists"), "{out}");
}

/// "vadd4 […] performs four lanes of 8-bit addition" (PTX manual, SIMD video instructions): 0x01020304 + 0x10203040 is 0x11223344. The
/// reference does not know it; ptxas does, and what it makes of it for sm_50 runs.
#[test]
fn an_instruction_that_the_reference_does_not_know_is_judged_as_ptxas_compiles_it() {
    if let Err(why) = Assembler::find(None) {
        return eprintln!("skipped: {why}");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("cases/a")).unwrap();
    std::fs::write(folder.path().join("cases/requirements.yaml"), "[]\n").unwrap();
    let judged = |stated: &str| {
        let case = format!(
            "- case: video\n  why: lane by lane\n  inputs: {{a: b32, b: b32}}\n  outputs: {{d: b32}}\n  registers: .reg .b32 %z;\n  body: |\n    mov.b32 %z, 0;\n    vadd4.u32.u32.u32 %d, %a, %b, %z;\n  rows:\n    - {{a: 0x01020304, b: 0x10203040, d: {stated}}}\n"
        );
        std::fs::write(folder.path().join("cases/a/a.yaml"), case).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
            .current_dir(folder.path())
            .args(["run", "--no-golden", "--against", "compiled"])
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, out) = judged("0x11223344");
    // The reference has no answer, so the run is no clean pass.
    assert!(code == Some(5) && !out.contains("violates") && !out.contains("undecided"), "{out}");
    let (code, out) = judged("0x11223345");
    assert!(code == Some(1) && out.contains("observed 44 33 22 11  = 0x11223344"), "{out}");
}
