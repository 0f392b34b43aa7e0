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

/// The report of a run of the cases about bounds of one-dimensional surfaces, held against a recording, with its exit code.
fn held(recording: &Path, against: &str) -> (Option<i32>, serde_json::Value) {
    let recorded = recording.to_str().unwrap();
    let (code, out, err) = warpdiff(&[
        "run",
        "suld/bounds-1d*",
        "--no-golden",
        "--json",
        "--against",
        against,
        "--recorded",
        recorded,
    ]);
    (code, serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}")))
}

/// How many targets of a report have this value in a field.
fn count(report: &serde_json::Value, field: &str, value: &str) -> usize {
    let variants = report["variants"].as_array().unwrap();
    variants.iter().filter(|v| v["targets"][0][field] == value).count()
}

#[test]
fn every_verdict_has_two_axes() {
    let folder = tempfile::tempdir().unwrap();
    let (right, wrong) = ("emulator", "emulator+suld.clamp-as-zero");
    let (of_right, of_wrong) = (record(&folder, "right", right), record(&folder, "wrong", wrong));
    let (code, report) = held(&of_right, right);
    let all = report["variants"].as_array().unwrap().len();
    assert_eq!((code, count(&report, "recording", "same")), (Some(0), all));
    assert_eq!(report["recordings"][0].as_str(), of_right.to_str());
    // It conforms, and is not what is recorded: drift, with a code of its own.
    let (code, report) = held(&of_wrong, right);
    let drifted = count(&report, "recording", "drifted");
    assert_eq!((code, count(&report, "specification", "conforms")), (Some(3), all));
    assert!(drifted > 0 && drifted < all, "{drifted}");
    let words = report.to_string();
    assert!(words.contains("buffer out, byte "), "{words}");
    // It violates exactly as is recorded: no drift, and a violation all the same.
    let (code, report) = held(&of_wrong, wrong);
    assert_eq!((code, count(&report, "recording", "same")), (Some(1), all));
    assert_eq!(count(&report, "specification", "violates"), drifted);
    // Both: the violation is the more urgent.
    let (code, report) = held(&of_right, wrong);
    assert_eq!((code, count(&report, "recording", "drifted")), (Some(1), drifted));
}

#[test]
fn what_a_recording_lacks_is_no_failure_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let recording = record(&folder, "r", "emulator");
    let recorded = recording.to_str().unwrap();
    let arguments = ["run", "suld/*", "--no-golden", "--against", "emulator", "--recorded", recorded];
    let (code, out, err) = warpdiff(&arguments);
    assert_eq!(code, Some(0), "{out}{err}");
    let line = out.lines().find(|line| line.starts_with("emulator, recorded in ")).unwrap();
    assert!(line.contains(" as recorded, ") && line.ends_with(" not recorded"), "{line}");
    let (code, _, err) = warpdiff(&["run", "suld/*", "--recorded", folder.path().to_str().unwrap()]);
    assert_eq!(code, Some(4), "{err}");
}

#[test]
fn the_report_names_the_odd_one_out_and_suspects_the_reference() {
    let wrong = "emulator+suld.clamp-as-zero";
    let agreements = |targets: &[&str]| -> Vec<serde_json::Value> {
        let mut arguments = vec!["run", "suld/bounds-1d*", "--no-golden", "--json"];
        targets.iter().for_each(|target| arguments.extend(["--against", target]));
        let (_, out, _) = warpdiff(&arguments);
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        let variants = report["variants"].as_array().unwrap();
        variants.iter().map(|variant| variant["agreement"].clone()).collect()
    };
    let odd = serde_json::json!({"verdict": "odd-one-out", "odd_one_out": wrong});
    let found = agreements(&["emulator", wrong, "emulator"]);
    assert!(found.contains(&odd) && found.contains(&serde_json::json!({"verdict": "all"})), "{found:?}");
    let suspected = serde_json::json!({"verdict": "reference-suspected"});
    assert!(agreements(&[wrong, wrong]).contains(&suspected));
    let split = serde_json::json!({"verdict": "split", "groups": [[wrong, wrong]]});
    assert!(agreements(&[wrong, "emulator", wrong]).contains(&split));
    assert!(agreements(&[wrong]).iter().all(serde_json::Value::is_null));
}
