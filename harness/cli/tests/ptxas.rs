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
