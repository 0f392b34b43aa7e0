//! The programs of `docs/findings.md`: each is legal, small and named on the page, and the assembler of this machine takes it, where there is one.

use std::path::{Path, PathBuf};

use warpdiff_ptx::{Dialect, Rules};
use warpdiff_targets::ptxas::assembler::Assembler;

/// Instructions that a program may have.
const MOST: usize = 15;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Name and text of each program, by name.
fn programs() -> Vec<(String, String)> {
    let folder = std::fs::read_dir(root().join("docs/findings")).expect("the folder");
    let program = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).expect("a program"))
    };
    let mut programs: Vec<_> = folder.map(program).collect();
    programs.sort();
    programs
}

#[test]
fn each_program_is_legal_and_small_and_on_the_page() {
    let page = std::fs::read_to_string(root().join("docs/findings.md")).expect("the page");
    let programs = programs();
    assert!(programs.len() >= 15, "{}", programs.len());
    for (name, text) in &programs {
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
        let module = warpdiff_ptx::compile(text, &rules)
            .unwrap_or_else(|errors| panic!("{}", warpdiff_ptx::render(&errors, name, text, false)));
        let instructions: usize = module.functions.iter().map(|function| function.body.len()).sum();
        assert!(instructions <= MOST, "{name}: {instructions}");
        assert!(page.contains(&format!("[{name}](findings/{name}.ptx)")), "{name} is not in the table");
    }
    // And nothing else is.
    let linked = page.matches("](findings/").count();
    assert_eq!(linked, programs.len());
    // Each has a chapter, or shares one.
    for (name, _) in &programs {
        let chapters = page.lines().filter(|line| line.starts_with("### "));
        assert!(
            chapters.flat_map(|line| line[4..].split(", ")).any(|one| one == name),
            "{name} has no chapter"
        );
    }
}

#[test]
fn the_assembler_takes_each_program() {
    let assembler = match Assembler::find(None) {
        Ok(assembler) => assembler,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    for (name, text) in programs() {
        let assembled = assembler.assemble(&text, false);
        let accepted = matches!(assembled, warpdiff_judge::assembled::Assembled::Accepted { .. });
        assert!(accepted, "{name}: {assembled:?}");
    }
}
