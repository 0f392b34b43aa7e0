//! Recordings from outside: what is recorded is replayed, what is altered is refused, and what changed is told.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Runs a command on the corpus of this repository: exit code, standard output, standard error.
fn warpdiff(arguments: &[&str]) -> (Option<i32>, String, String) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let output = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
        .args(arguments)
        .arg("--corpus")
        .arg(corpus)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A recording of the cases about bounds of one-dimensional surfaces.
fn record(folder: &TempDir, name: &str, target: &str) -> PathBuf {
    let path = folder.path().join(name);
    let (code, out, err) =
        warpdiff(&["record", "suld/bounds-1d*", "--against", target, "-o", path.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{out}{err}");
    path
}

/// The files of a recording with their contents, but for the manifest, which names its target.
fn chapters(root: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().unwrap() != "recording.yaml" {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(root).unwrap().to_path_buf(), text));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_replay_does_exactly_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let first = record(&folder, "first", "emulator+suld.clamp-as-zero");
    let replayed = format!("recording:{}", first.display());
    let second = record(&folder, "second", &replayed);
    assert!(!chapters(&first).is_empty());
    assert_eq!(chapters(&first), chapters(&second));
    // Judged again, it violates what the recorded target violated, and the cause is found again.
    let (code, out, _) = warpdiff(&["run", "suld/bounds-1d*", "--no-golden", "--against", &replayed]);
    assert_eq!(code, Some(1));
    assert!(out.contains("reproduced by suld.clamp-as-zero"), "{out}");
}

#[test]
fn an_altered_byte_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = record(&folder, "r", "emulator");
    let chapter = path.join(&chapters(&path)[0].0);
    let mut bytes = std::fs::read(&chapter).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&chapter, bytes).unwrap();
    let replayed = format!("recording:{}", path.display());
    let (code, _, err) = warpdiff(&["run", "suld/bounds-1d*", "--no-golden", "--against", &replayed]);
    assert_eq!(code, Some(4));
    assert!(err.contains("its hash differs"), "{err}");
}

#[test]
fn a_case_that_was_not_recorded_is_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let replayed = format!("recording:{}", record(&folder, "r", "emulator").display());
    let (code, out, _) = warpdiff(&["run", "sust/*", "--no-golden", "--against", &replayed]);
    assert_eq!(code, Some(5));
    assert!(out.contains("none judged"), "{out}");
}

#[test]
fn two_recordings_are_told_apart_by_launch_and_requirement() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (record(&folder, "a", "emulator"), record(&folder, "b", "emulator+suld.clamp-as-zero"));
    let (code, out, _) = warpdiff(&["compare", a.to_str().unwrap(), b.to_str().unwrap()]);
    assert_eq!(code, Some(3));
    assert!(out.contains("changed: suld/bounds-1d/") && out.contains("suld.clamp.nearest"), "{out}");
    let (code, out, _) = warpdiff(&["compare", a.to_str().unwrap(), a.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    assert!(out.contains(" 0 changed, 0 only in A, 0 only in B"), "{out}");
}

#[test]
fn several_targets_have_an_odd_one_out_or_a_suspect() {
    let wrong = "emulator+suld.clamp-as-zero";
    let run = |targets: [&str; 2]| {
        let [a, b] = targets;
        warpdiff(&["run", "suld/bounds-1d*", "--no-golden", "--against", a, "--against", b]).1
    };
    assert!(run(["emulator", wrong]).contains("the odd one out is emulator+suld.clamp-as-zero on"));
    assert!(run([wrong, wrong]).contains("reference suspected on"));
}

#[test]
fn a_target_is_characterized_by_what_it_chooses() {
    let chosen = "emulator+surface.misaligned=fault,memory.misaligned=masked";
    let (code, out, _) = warpdiff(&["characterize", "--against", chosen]);
    assert_eq!(code, Some(0));
    for line in ["surface.misaligned: fault", "memory.misaligned: masked", "surface.straddle: whole"] {
        assert!(out.lines().any(|found| found == line), "{line} is missing in {out}");
    }
}
