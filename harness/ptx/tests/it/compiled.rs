//! Programs as NVIDIA's compiler emits them: parsed, printed, parsed again, checked, and counted against a table made
//! without this parser.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use warpdiff_ptx::ast::{Item, Module, Statement};
use warpdiff_ptx::{Dialect, Rules, compile, parse, print, render};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/compiled")
}

fn programs() -> Vec<(String, String)> {
    let mut programs: Vec<_> = std::fs::read_dir(folder())
        .expect("the folder of compiled kernels")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a readable file"))
        })
        .collect();
    programs.sort();
    assert!(programs.len() >= 24, "{} programs", programs.len());
    programs
}

fn parsed(name: &str, text: &str) -> Module {
    parse(text).unwrap_or_else(|diagnostics| panic!("{}", render(&diagnostics, name, text, false)))
}

#[test]
fn print_then_parse_is_the_same_tree() {
    for (name, text) in programs() {
        let module = parsed(&name, &text);
        let printed = print(&module);
        let again = parsed(&name, &printed);
        assert!(again == module, "{name}: printed text has other tokens");
        assert_eq!(print(&again), printed, "{name}: printing is not a fixpoint");
    }
}

#[test]
fn the_assembler_accepts_them_and_so_do_we() {
    for (name, text) in programs() {
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
        let module = compile(&text, &rules)
            .unwrap_or_else(|diagnostics| panic!("{}", render(&diagnostics, &name, &text, false)));
        let target = if name.contains("sm_50") { 50 } else { 90 };
        assert_eq!((module.version, module.target, module.address_size), ((8, 8), target, 64), "{name}");
        assert!(
            module.functions.iter().any(|function| function.entry && !function.body.is_empty()),
            "{name}"
        );
    }
}

/// `.target sm_90` alone needs PTX 7.8, so 7.5 as the newest version refuses every file, and sm_50 refuses half of them.
#[test]
fn maxima_refuse_newer_programs() {
    for (name, text) in programs() {
        let old = Rules { max_version: Some((7, 5)), ..Rules::default() };
        assert!(compile(&text, &old).is_err(), "{name}");
        let small = Rules { max_target: Some(50), ..Rules::default() };
        assert_eq!(compile(&text, &small).is_err(), name.contains("sm_90"), "{name}");
    }
}

fn forms_of(module: &Module) -> BTreeSet<String> {
    let mut forms = BTreeSet::new();
    for item in &module.items {
        let Item::Function(function) = item else { continue };
        for statement in function.body.iter().flatten() {
            let Statement::Instruction(instruction) = statement else { continue };
            let words = module.words_of(instruction.words);
            let text: String = words.iter().map(|word| module.text_of(word.span)).collect();
            forms.insert(format!("{}{text}", instruction.opcode));
        }
    }
    forms
}

#[test]
fn every_form_of_the_table_is_found_and_no_other() {
    let table = std::fs::read_to_string(folder().join("opcodes.tsv")).expect("the table");
    let mut lines = 0;
    for (name, text) in programs() {
        let line = table.lines().find(|line| line.starts_with(&format!("{name}\t")));
        let columns: Vec<&str> =
            line.unwrap_or_else(|| panic!("{name} is in the table")).split('\t').collect();
        let expected: BTreeSet<String> = columns[2].split(' ').map(str::to_string).collect();
        assert_eq!(forms_of(&parsed(&name, &text)), expected, "{name}");
        lines += 1;
    }
    assert_eq!(lines, table.lines().filter(|line| line.contains(".ptx\t")).count());
}
