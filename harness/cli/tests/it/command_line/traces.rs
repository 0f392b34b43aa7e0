//! `trace`: one thread's run, and where another run of it parts. The values are worked out by hand.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::workplace::{Ended, Workplace};

/// A corpus with a case about the borrow of a subtraction: 5 - 6 borrows, so that `addc` adds 1 to 10.
fn with_a_borrow() -> Workplace {
    let place = Workplace::new("cases");
    let case = "\
- case: borrow
  covers: []
  inputs: {a: b32, b: b32}
  outputs: {d: b32, e: b32}
  body: |
    sub.cc.u32 %d, %a, %b;
    addc.u32 %e, 10, 0;
  rows:
    - {a: 5, b: 6, d: 0xffffffff, e: 11}
    - {a: 6, b: 5, d: 1, e: 10}
";
    std::fs::write(place.path("cases/basic/borrow.yaml"), case).unwrap();
    place
}

/// The steps of a run whose instruction begins with a word.
fn steps<'j>(run: &'j Value, word: &str) -> Vec<&'j Value> {
    let begins = |step: &&Value| step["instruction"].as_str().unwrap().starts_with(word);
    run["steps"].as_array().unwrap().iter().filter(begins).collect()
}

#[test]
fn a_thread_is_printed_instruction_by_instruction() {
    let place = Workplace::new("cases");
    let out = place.run(&["trace", "basic/add/add wraps"]).with(0).out;
    assert!(out.starts_with("basic/add/add wraps\nlaunch 1 of 1, kernel "), "{out}");
    assert!(out.contains(", thread [0, 0, 0] of block [0, 0, 0], row 0\n"), "{out}");
    let line = out.lines().find(|line| line.contains("add.u32 %d, %a, %b ")).unwrap();
    assert!(line.ends_with(" %d = 0x00000003"), "{line}");
    assert!(out.contains("store buffer out+0x0: 0x00000003\n"), "{out}");
    assert!(out.contains(" exits\n") && out.ends_with(" steps; the launch completes\n"), "{out}");
    // The second row is the second thread: 0xffffffff + 1 is 0, and a row of the output has four bytes.
    let by_row = place.run(&["trace", "basic/add/add wraps", "--row", "1"]).with(0).out;
    assert!(by_row.contains(", thread [1, 0, 0] of block [0, 0, 0], row 1\n"), "{by_row}");
    assert!(by_row.contains("store buffer out+0x4: 0x00000000\n"), "{by_row}");
    for thread in ["1", "0,1", "0,0,0,1,0,0"] {
        let by_thread = place.run(&["trace", "basic/add/add wraps", "--thread", thread]).with(0).out;
        assert_eq!(by_thread, by_row, "{thread}");
    }
}

/// The lowest four bits of the register that is never written are undefined.
#[test]
fn undefined_digits_are_question_marks() {
    let out = Workplace::new("cases").run(&["trace", "an unwritten register"]).with(0).out;
    assert!(out.contains("%never = 0x0000000?\n") && out.contains("%d = 0x000000f?\n"), "{out}");
}

#[test]
fn a_long_trace_is_cut_and_says_so() {
    let place = Workplace::new("cases");
    let whole: Value = place.run(&["trace", "basic/add/add wraps", "--json"]).with(0).json();
    let taken = whole["reference"]["taken"].as_u64().unwrap();
    assert_eq!(whole["reference"]["steps"].as_array().unwrap().len() as u64, taken);
    let out = place.run(&["trace", "basic/add/add wraps", "--limit", "2"]).with(0).out;
    assert!(out.contains(&format!("… and {} more steps (--limit N prints more)\n", taken - 2)), "{out}");
    assert!(!out.contains("add.u32 %d"), "{out}");
}

#[test]
fn the_json_has_registers_and_accesses() {
    let json = Workplace::new("cases").run(&["trace", "basic/add/add wraps", "--json"]).with(0).json();
    assert_eq!((&json["row"], &json["target"]), (&Value::from(0), &Value::Null));
    let add = steps(&json["reference"], "add.u32 %d, %a, %b")[0];
    assert_eq!(add["writes"][0]["register"], "%d");
    assert_eq!(add["writes"][0]["value"], "0x00000003");
    assert_eq!(add["writes"][0]["undefined"], "0x00000000");
    let sources: Vec<_> = add["reads"].as_array().unwrap().iter().map(|read| &read["value"]).collect();
    assert_eq!(sources, ["0x00000001", "0x00000002"]);
    let stores = steps(&json["reference"], "st.global");
    assert_eq!((&stores[0]["accesses"][0]["kind"], stores.len()), (&Value::from("store"), 1));
    assert_eq!(stores[0]["accesses"][0]["place"], "buffer out+0x0");
    assert_eq!(stores[0]["accesses"][0]["bytes"], 4);
}

#[test]
fn runs_are_compared_up_to_where_they_part() {
    let place = with_a_borrow();
    let against = ["trace", "basic/borrow", "--against", "emulator+ptxas.borrow-inverted"];
    let out = place.run(&against).with(0).out;
    for words in [
        "they part here: reference: store buffer out+0x4: 0x0000000b (line ",
        "; emulator+ptxas.borrow-inverted: store buffer out+0x4: 0x0000000a (line ",
        "2 stores, ",
        "made the value:\n",
        "CC.CF = true\n",
        "CC.CF = false\n",
    ] {
        assert!(out.contains(words), "{words} is missing:\n{out}");
    }
    let json = place.run(&[&against[..], &["--json"]].concat()).with(0).json();
    assert_eq!((&json["parts"], &json["parting"]["kind"]), (&Value::from(true), &Value::from("store")));
    for side in ["reference", "target"] {
        let made_by: Vec<_> = json["parting"][side]["made_by"].as_array().unwrap().iter().collect();
        let names = made_by.iter().map(|number| {
            let step = &json[side]["steps"][number.as_u64().unwrap() as usize - 1];
            step["instruction"].as_str().unwrap().split(' ').next().unwrap()
        });
        let names: Vec<_> = names.collect();
        // What was loaded, both runs have.
        assert_eq!(names, ["ld.global.b32", "ld.global.b32", "sub.cc.u32", "addc.u32"], "{side}");
    }
}

#[test]
fn runs_with_the_same_effects_never_part() {
    let place = with_a_borrow();
    let out = place.run(&["trace", "basic/borrow", "--against", "emulator"]).with(0).out;
    assert!(out.contains("both runs have the same effects; they never part\n"), "{out}");
    assert_eq!(out.matches(" 2 stores, ").count(), 2, "{out}");
    // The second row subtracts without a borrow, so that the deviation inverts that.
    let second = ["trace", "basic/borrow", "--row", "1", "--against", "emulator+ptxas.borrow-inverted"];
    let out = place.run(&second).with(0).out;
    assert!(out.contains("reference: store buffer out+0xc: 0x0000000a"), "{out}");
    assert!(out.contains("borrow-inverted: store buffer out+0xc: 0x0000000b"), "{out}");
}

/// ptxas implements `sub.cc` by `IADD.CC` with a negated source, whose carry is the opposite of the borrow.
#[test]
fn machine_code_is_compared_with_the_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let case = "arithmetic/integer/addc adds the borrow of sub.cc[t=u32]";
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
    command.current_dir(root).args(["trace", case, "--against", "compiled", "--json"]);
    let json = Ended::of(command.output().unwrap()).with(0).json();
    assert_eq!((&json["parts"], &json["row"]), (&Value::from(true), &Value::from(0)));
    let words = json["parting"]["words"].as_str().unwrap();
    assert!(words.contains("reference: store buffer out+0x4: 0x0000000b"), "{words}");
    assert!(words.contains("compiled: store buffer out+0x4: 0x0000000a"), "{words}");
    let made_by = json["parting"]["target"]["made_by"].as_array().unwrap();
    let instructions: Vec<_> = made_by
        .iter()
        .map(|number| &json["target"]["steps"][number.as_u64().unwrap() as usize - 1]["instruction"])
        .collect();
    let last = instructions[instructions.len() - 2..].iter().map(|text| text.as_str().unwrap());
    let last: Vec<_> = last.collect();
    assert!(last[0].starts_with("IADD R") && last[0].contains(".CC, R"), "{last:?}");
    assert!(last[1].starts_with("IADD.X R"), "{last:?}");
}

#[test]
fn what_cannot_be_traced_is_named() {
    let place = Workplace::new("cases");
    let case = "\
- case: machine code
  covers: []
  sass: {registers: 16}
  inputs: {R4: u32}
  outputs: {R0: u32}
  body: IADD R0, R4, R4;
  rows:
    - {R4: 3, R0: 6}
";
    std::fs::write(place.path("cases/basic/spa.yaml"), case).unwrap();
    let says = |arguments: &[&str], code: i32, words: &str| {
        let ended = place.run(&[&["trace"], arguments].concat()).with(code);
        assert!(ended.err.contains(words), "{words} is missing:\n{}", ended.err);
    };
    says(&["the clamp modifier is mandatory"], 2, "it asks whether a program is legal, and launches nothing");
    says(&["no such case"], 2, "no variant matches `no such case`");
    says(&["add wraps", "--thread", "99999"], 2, "--thread: no such thread: the grid is [");
    says(&["add wraps", "--thread", "first"], 2, "expected one, two or six numbers");
    says(&["add wraps", "--row", "9"], 2, "--row: `add wraps` has no row 9");
    says(&["add wraps", "--launch", "2"], 2, "--launch: `add wraps` has 1 launches, none is number 2");
    says(
        &["add wraps", "--against", "ptxas"],
        2,
        "only `compiled` and `emulator` run instruction by instruction",
    );
    let why = "cannot run the program: unsupported: ptxas takes no SPA 5.0 programs";
    says(&["basic/spa", "--against", "compiled"], 4, why);
    // Alone, machine code has a trace as well: 3 + 3.
    let out = place.run(&["trace", "basic/spa"]).with(0).out;
    let line = out.lines().find(|line| line.contains("IADD R0, R4, R4 ")).unwrap();
    assert!(line.ends_with(" R0 = 0x00000006"), "{line}");
}
