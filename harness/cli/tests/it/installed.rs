//! An installed program: in a folder without a checkout it has its own corpus and goldens, and `export` writes them out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a command did.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run_program(program: &Path, folder: &Path, arguments: &[&str]) -> Ended {
    let mut command = Command::new(program);
    // Under cargo the program would find its sources.
    command.current_dir(folder).args(arguments).env_remove("CARGO_MANIFEST_DIR").env_remove("CI");
    command.env("CUDA_VISIBLE_DEVICES", "").env("NO_COLOR", "1");
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[track_caller]
fn run(folder: &Path, arguments: &[&str], code: i32) -> Ended {
    let ended = run_program(Path::new(env!("CARGO_BIN_EXE_warpdiff")), folder, arguments);
    assert_eq!(ended.code, Some(code), "stdout:\n{}\nstderr:\n{}", ended.out, ended.err);
    ended
}

/// Every file below a folder, by its path.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.file_name().unwrap().to_str().unwrap().starts_with('.') {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_folder_without_a_corpus_uses_the_built_in_one() {
    let folder = tempfile::tempdir().unwrap();
    let ended = run(folder.path(), &["run", "suq/*"], 0);
    assert!(ended.out.ends_with("\ncorpus: built in\n"), "{}", ended.out);
    let goldens = ended.out.lines().find(|line| line.starts_with("goldens: ")).unwrap();
    assert!(goldens.ends_with(" as recorded"), "{goldens}");
    let listed = run(folder.path(), &["list", "suq/*"], 0).out;
    let id = listed.lines().next().unwrap();
    let shown = run(folder.path(), &["show", id], 0).out;
    assert!(shown.lines().nth(1).unwrap().starts_with("  cases/suq/"), "{shown}");
    let compiled = run(folder.path(), &["run", "suq/*", "--against", "compiled"], 0);
    assert!(
        compiled.err.contains("machine code of ptxas ") && compiled.err.contains(", as kept"),
        "{}",
        compiled.err
    );
    let doctor = run(folder.path(), &["doctor"], 0).out;
    assert!(doctor.contains("corpus     built in, "), "{doctor}");
    // A finding names the file and the line, although there is no such file here.
    let wrong =
        run(folder.path(), &["run", "suld/bounds-2d/*", "--against", "emulator+suld.clamp-as-zero"], 1);
    assert!(wrong.out.contains("--> cases/suld/bounds-2d.yaml:"), "{}", wrong.out);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is written");
}

/// The corpus inside the program has its machine code beside it, so that its book has a witness without a checkout.
#[test]
fn an_installed_program_writes_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let ended = run(folder.path(), &["book", "out"], 0);
    assert!(
        ended.out.contains(" pages in out: ") && ended.out.ends_with("; targets: compiled\n"),
        "{}",
        ended.out
    );
    let pages = files(&folder.path().join("out"));
    let text = |name: &str| String::from_utf8(pages[Path::new(name)].clone()).unwrap();
    let shown = text("cases-suld-bounds-2d.html");
    assert!(shown.contains("suld.b.2d clamps to the nearest texel"), "the case stands there");
    assert!(shown.contains("✓ compiled</span>"), "with what the machine code did");
    assert!(text("index.html").contains("suld.clamp.nearest"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is written");
}

#[test]
fn built_in_goldens_are_not_blessed() {
    let folder = tempfile::tempdir().unwrap();
    let ended = run(folder.path(), &["run", "suq/*", "--bless"], 2);
    assert!(ended.err.contains("`warpdiff export DIR` writes"), "{}", ended.err);
}

/// A file that was added after the program was compiled would be missing silently.
#[test]
fn the_built_in_folders_are_those_of_the_checkout() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["export", "deep/out"], 0);
    let out = folder.path().join("deep/out");
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for part in ["cases", "golden/emulator", "golden/compiled"] {
        let (ours, theirs) = (files(&out.join(part)), files(&top.join(part)));
        let (ours_by_name, theirs_by_name): (Vec<_>, Vec<_>) =
            (ours.keys().collect(), theirs.keys().collect());
        assert_eq!(
            ours_by_name, theirs_by_name,
            "{part}: `touch harness/cli/src/main.rs` has it packed again"
        );
        assert!(ours == theirs, "{part}");
        assert!(!ours.is_empty());
    }
    assert_eq!(
        std::fs::read_dir(folder.path().join("deep")).unwrap().count(),
        1,
        "nothing unfinished is left"
    );
    let ended = run(&out, &["run", "suq/*"], 0);
    assert!(!ended.out.contains("corpus: ") && ended.out.contains(" as recorded"), "{}", ended.out);
}

#[test]
fn export_fills_an_empty_folder_and_refuses_another() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["export", "."], 0);
    let mut names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["cases", "golden"]);
    let before = files(folder.path());
    let again = run(folder.path(), &["export", "."], 2);
    assert!(again.err.contains(". is not empty"), "{}", again.err);
    assert!(files(folder.path()) == before);
    std::fs::write(folder.path().join("file"), "").unwrap();
    run(folder.path(), &["export", "file"], 4);
    run(folder.path(), &["export", "file/below"], 4);
}

/// A flipped bit in any of the packed folders is an error that says so, for the commands that need the folder.
#[test]
fn a_damaged_program_file_is_noticed() {
    const MAGIC: &[u8] = b"warpdiff folder 1 ";
    let folder = tempfile::tempdir().unwrap();
    let program = std::fs::read(env!("CARGO_BIN_EXE_warpdiff")).unwrap();
    // The reader of the format has the first words, too; only a packed folder has a digest after them.
    let starts: Vec<usize> = (0..program.len() - 100)
        .filter(|at| program[*at] == b'w' && program[*at..].starts_with(MAGIC))
        .filter(|at| program[at + MAGIC.len()..][..64].iter().all(u8::is_ascii_hexdigit))
        .collect();
    assert_eq!(starts.len(), 3);
    let damaged = folder.path().join("damaged");
    std::fs::copy(env!("CARGO_BIN_EXE_warpdiff"), &damaged).unwrap();
    let mut said = Vec::new();
    for start in starts {
        let mut bytes = program.clone();
        bytes[start + 1000] ^= 0x10;
        std::fs::write(&damaged, bytes).unwrap();
        let ended = run_program(&damaged, folder.path(), &["export", "out"]);
        assert_eq!(ended.code, Some(4), "{}{}", ended.out, ended.err);
        assert!(ended.err.contains("this program file is damaged: its built-in folder `"), "{}", ended.err);
        assert!(!folder.path().join("out").exists(), "all or nothing");
        said.push(ended.err);
    }
    said.sort();
    said.dedup();
    assert_eq!(said.len(), 3, "each names its folder");
}

/// Each command has a page, each shell a script. `man` itself reads them, where it is installed.
#[test]
fn the_manual_is_written() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["export", "--manual", "out"], 0);
    let written = files(&folder.path().join("out"));
    let text = |path: &str| String::from_utf8(written[Path::new(path)].clone()).unwrap();
    let (whole, page) = (text("man/man1/warpdiff.1"), text("man/man1/warpdiff-run.1"));
    assert!(whole.contains(".SH SYNOPSIS") && whole.contains("Exit codes"), "{whole}");
    assert!(page.contains("\\-\\-against"), "{page}");
    for script in ["warpdiff.bash", "_warpdiff", "warpdiff.fish"] {
        assert!(text(&format!("completions/{script}")).contains("selfcheck"), "{script}");
    }
    let commands = run(folder.path(), &["--help"], 0).out;
    let commands = commands.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    // Descriptions go on in lines that are indented further.
    let names = commands.lines().filter_map(|line| {
        line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?.split_whitespace().next()
    });
    for name in names.filter(|name| *name != "help") {
        assert!(written.contains_key(Path::new(&format!("man/man1/warpdiff-{name}.1"))), "{name}");
    }
    if let Ok(man) = Command::new("man")
        .args(["--warnings", "-l"])
        .arg(folder.path().join("out/man/man1/warpdiff-run.1"))
        .output()
    {
        assert!(man.status.success() && man.stderr.is_empty(), "{}", String::from_utf8_lossy(&man.stderr));
    }
}
