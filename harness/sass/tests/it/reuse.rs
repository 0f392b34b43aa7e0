//! `.reuse`: the registers that are kept for the next instruction, a field of the control word, in every form and both ways.

use std::path::{Path, PathBuf};
use std::process::Command;

use warpdiff_sass::form::{Form, OperandField};
use warpdiff_sass::mnemonic::Subject;
use warpdiff_sass::table::FORMS;
use warpdiff_sass::{Control, ControlWord, Decoded, Program, decode, parse};

const NOP: u64 = 0x50b0_0000_0007_0f00;

/// One bundle whose first instruction runs under a field that keeps registers: a bit each.
fn bundle(word: u64, reuse: u8) -> [u64; 4] {
    let first = Control { stall: 15, stay: true, reuse, ..Control::default() };
    let slots = [first, Control::default(), Control::default()];
    [ControlWord { slots, top: false }.encode(), word, NOP, NOP]
}

/// The first statement of a program's text, without its annotations.
fn first_statement(program: &Program) -> String {
    let text = program.to_string();
    let line = text.lines().find(|line| line.contains('?')).expect("a statement with a schedule");
    let end = line.find(['&', '?']).expect("annotations");
    format!("{};", line[..end].trim())
}

#[test]
fn every_bit_of_every_form_comes_back_from_its_text() {
    let mut tried = 0;
    for form in FORMS.iter() {
        for filler in [0, 0x0123_4567_89ab_cdef, 0x9e37_79b9_7f4a_7c15, 0x5a5a_0ff0_a5a5_3c01, u64::MAX] {
            let word = form.bits | filler & !form.mask & !form.ignored();
            match decode(word) {
                // One spelling stands for every NaN.
                Decoded::Legal(instruction) if !instruction.to_string().contains("QNAN") => {}
                _ => continue,
            }
            for reuse in 0..16 {
                let words = bundle(word, reuse);
                let program = Program::from_words(&words).unwrap();
                let text = program.to_string();
                let again = parse(&text).unwrap_or_else(|errors| panic!("{text}{errors:?}"));
                assert_eq!(again.words(), words, "{text}");
                tried += 1;
            }
        }
        assert!(tried > 0);
    }
    assert!(tried > 10_000, "{tried}");
}

#[test]
fn nvdisasm_shows_the_same_registers_and_its_text_keeps_them() {
    let mut shown = 0;
    for row in include_str!("../nvdisasm/reuse.tsv").lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let word = u64::from_str_radix(cells[0].trim_start_matches("0x"), 16).unwrap();
        let reuse: u8 = cells[1].parse().unwrap();
        agrees(word, reuse, cells[2]);
        shown += cells[2].matches(".reuse").count();
    }
    assert!(shown > 400, "{shown}");
}

/// Our text of a word under a field is the disassembler's, and its text is read as the word with all bits that it shows.
fn agrees(word: u64, reuse: u8, theirs: &str) {
    let program = Program::from_words(&bundle(word, reuse)).unwrap();
    // Where control goes is an address in its text.
    let has_target = program.statements[0].instruction.form.operands.contains(&OperandField::Target);
    if !has_target {
        // The disassembler writes no bits of a NaN.
        let ours = dense(&first_statement(&program));
        let ours = match ours.split_once("NAN.0x") {
            Some((front, rest)) => {
                let rest = rest.trim_start_matches(|c: char| c.is_ascii_hexdigit());
                format!("{front}NAN{rest}")
            }
            None => ours,
        };
        assert_eq!(ours, dense(theirs), "{word:#018x} {reuse}");
    }
    let read = parse(theirs).unwrap_or_else(|errors| panic!("{theirs} {errors:?}"));
    let kept = read.statements[0].reuse;
    assert_eq!(u32::from(kept).count_ones() as usize, theirs.matches(".reuse").count(), "{theirs}");
    assert_eq!(kept & !reuse, 0, "{theirs}");
    let again = &read.statements[0].instruction;
    assert!(again.ignored == 0 && *again == without_ignored(word) || theirs.contains("QNAN"), "{theirs}");
}

/// A text without its white space, of which the disassembler has more in its columns.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

fn without_ignored(word: u64) -> warpdiff_sass::Instruction {
    let Decoded::Legal(instruction) = decode(word) else { panic!("{word:#018x}") };
    warpdiff_sass::Instruction { ignored: 0, ..instruction }
}

/// `nvdisasm` at hand: named by `WARPDIFF_NVDISASM`, or on the path.
fn nvdisasm() -> Option<PathBuf> {
    let named = std::env::var_os("WARPDIFF_NVDISASM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    named.or_else(|| {
        std::env::split_paths(&path).map(|folder| folder.join("nvdisasm")).find(|file| file.is_file())
    })
}

/// A word of a form, in whose register fields stand different registers.
fn specimen(form: &Form) -> Option<u64> {
    let registers = form.operands.iter().filter_map(|operand| match operand {
        OperandField::Register { low, .. } => Some(*low),
        _ => None,
    });
    let word =
        registers.enumerate().fold(form.bits, |word, (index, low)| word | (4 * index as u64 + 4) << low);
    let has_register = form.operands.iter().any(|operand| matches!(operand, OperandField::Register { .. }));
    // Without a guard, and with `PT` where a predicate is read.
    let word = if form.guarded { word | 7 << 16 } else { word };
    let predicates = form.operands.iter().filter_map(|operand| match operand {
        OperandField::PredicateIn { low } => Some(*low),
        _ => None,
    });
    let word = predicates.fold(word, |word, low| word | 7 << low);
    (has_register && matches!(decode(word), Decoded::Legal(_))).then_some(word)
}

#[test]
fn nvdisasm_at_hand_shows_every_form_as_we_do() {
    let Some(tool) = nvdisasm() else {
        eprintln!("no nvdisasm: the committed table is what was compared");
        return;
    };
    // Pairs of halves, and textures read as halves, are from sm_53 on.
    let has_halves =
        |form: &Form| form.traits.subject == Subject::Half || form.fixed_modifiers.contains(&"F16");
    shows_every_form(&tool, "SM53", has_halves);
    shows_every_form(&tool, "SM50", |form| !has_halves(form));
}

/// What `nvdisasm` prints of the chosen forms is what we print.
fn shows_every_form(tool: &Path, machine: &str, chosen: impl Fn(&Form) -> bool) {
    let specimens: Vec<(u64, u8)> = FORMS
        .iter()
        .filter(|form| chosen(form))
        .filter_map(|form| specimen(form))
        .flat_map(|word| [1, 2, 4, 7].map(|reuse| (word, reuse)))
        .collect();
    let bytes: Vec<u8> =
        specimens.iter().flat_map(|(word, reuse)| bundle(*word, *reuse)).flat_map(u64::to_le_bytes).collect();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reuse-{machine}.bin"));
    std::fs::write(&file, bytes).unwrap();
    let output = Command::new(tool).args(["-b", machine, "-ndf"]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listing = String::from_utf8(output.stdout).unwrap();
    let texts: Vec<String> = listing
        .lines()
        .filter_map(|line| line.trim().strip_prefix("/*")?.split_once("*/"))
        .filter(|(address, _)| u32::from_str_radix(address, 16).is_ok_and(|address| address % 32 == 8))
        .map(|(_, text)| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(texts.len(), specimens.len());
    for ((word, reuse), text) in specimens.into_iter().zip(&texts) {
        agrees(word, reuse, text);
    }
}

#[test]
fn a_program_without_a_schedule_keeps_what_its_text_keeps() {
    let program = parse("FADD R0, |R1|.reuse, -R2.reuse; EXIT;").unwrap();
    assert!(program.is_unscheduled());
    let words = program.words();
    let [first, ..] = ControlWord::decode(words[0]).slots;
    // The first and the third place, as nvdisasm shows a sum; the rest of the field is that of the serial schedule.
    assert_eq!((first.reuse, first.stall), (0b101, 15));
    assert_eq!(parse(&program.to_string()).unwrap().words(), words);
    // An annotation that keeps registers is no schedule either.
    let program = parse("LDS R0, [R1] &reuse=9; EXIT;").unwrap();
    assert!(program.is_unscheduled());
    assert_eq!(ControlWord::decode(program.words()[0]).slots[0].reuse, 9);
    assert_eq!(parse(&program.to_string()).unwrap().words(), program.words());
}

#[test]
fn what_cannot_be_kept_is_refused() {
    for (text, message) in [
        ("IADD R0.reuse, R1, R2;", "this operand cannot be kept for reuse"),
        ("F2F.F64.F32 R0, R1.reuse;", "this operand cannot be kept for reuse"),
        ("SHFL.IDX PT, R0, R1.reuse, R2, R3;", "this operand cannot be kept for reuse"),
        ("IADD R0, R1, 0x1.reuse;", "this operand cannot be kept for reuse"),
        ("IADD R0, R1, c[0x0][0x20].reuse;", "this operand cannot be kept for reuse"),
        ("LDS R0, [R1] &reuse=16;", "16 is more than four bits"),
        ("LDS R0, [R1] &reuse=1 &reuse=2;", "`&reuse`: a second annotation of its kind"),
        ("FADD R0, |R1|.H1, R2;", "unexpected `.H1`"),
    ] {
        assert_eq!(parse(text).expect_err(text)[0].message, message, "{text}");
    }
}
