//! Recordings from outside: what is recorded is replayed, what is altered is refused, and what changed is told.

use crate::results;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

/// The corpus of this repository.
fn whole() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

/// A few files of it, which load quickly, with the requirements that they cover.
fn few() -> &'static Path {
    const FILES: [&str; 6] = [
        "suld/bounds-1d.yaml",
        "suld/open.yaml",
        "sust/open.yaml",
        "surface-examples/forms.yaml",
        "surface-examples/printed.yaml",
        "memory/faults.yaml",
    ];
    static CORPUS: OnceLock<TempDir> = OnceLock::new();
    let folder = CORPUS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        for file in FILES {
            let copy = folder.path().join(file);
            std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
            std::fs::copy(whole().join(file), copy).unwrap();
        }
        // A part of the corpus does not claim to be complete.
        let all = std::fs::read_to_string(whole().join("requirements.yaml")).unwrap();
        let kept = all.replace("complete: true\n", "");
        std::fs::write(folder.path().join("requirements.yaml"), kept).unwrap();
        folder
    });
    folder.path()
}

/// Runs a command on a few files of the corpus: exit code, standard output, standard error.
fn warpdiff(arguments: &[&str]) -> (Option<i32>, String, String) {
    warpdiff_on(few(), arguments)
}

fn warpdiff_on(corpus: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
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
fn files(root: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|e| (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap()));
    let mut found: Vec<_> = named.filter(|(name, _)| name != "recording.yaml").collect();
    found.sort();
    found
}

#[test]
fn a_replay_does_exactly_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let first = record(&folder, "first", "emulator+suld.clamp-as-zero");
    let replayed = format!("recording:{}", first.display());
    let second = record(&folder, "second", &replayed);
    assert!(files(&first).len() >= 2);
    assert!(files(&first) == files(&second));
    // Judged again, it violates what the recorded target violated, and the cause is found again.
    let (code, out, _) = warpdiff(&["run", "suld/bounds-1d*", "--no-golden", "--against", &replayed]);
    assert_eq!(code, Some(1));
    assert!(out.contains("reproduced by suld.clamp-as-zero"), "{out}");
}

/// The whole corpus, on every kind of observation that the emulator makes: completed, faulted, timed out, unsupported.
#[test]
fn replay_equals_record_on_the_whole_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first");
    let (code, out, err) =
        warpdiff_on(&whole(), &["record", "--against", "emulator", "-o", first.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(files(&first).len() <= 7 && files(&first).iter().all(|(_, contents)| contents.len() < 16 << 20));
    // Held against itself it is the same to the last bit, and everything that was judged is judged as before.
    let replayed = format!("recording:{}", first.display());
    let (code, out, err) = warpdiff_on(
        &whole(),
        &[
            "run",
            "--no-golden",
            "--json",
            "--against",
            "emulator",
            "--against",
            &replayed,
            "--recorded",
            first.to_str().unwrap(),
        ],
    );
    assert!(matches!(code, Some(0 | 5)), "{err}");
    let report = results::read(&out);
    let mut launched = 0;
    for variant in report["variants"].as_array().unwrap() {
        let [live, replayed] = [&variant["targets"][0], &variant["targets"][1]];
        if live["recording"].is_null() {
            continue;
        }
        launched += 1;
        assert_eq!(
            (&live["recording"], &replayed["recording"]),
            (&"same".into(), &"same".into()),
            "{variant}"
        );
        assert_eq!(live["status"], replayed["status"], "{variant}");
    }
    assert!(launched >= 600, "{launched}");
}

#[test]
fn an_altered_byte_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = record(&folder, "r", "emulator");
    let replayed = format!("recording:{}", path.display());
    for (name, contents) in files(&path) {
        let mut altered = contents.clone();
        let middle = altered.len() / 2;
        altered[middle] ^= 1;
        std::fs::write(path.join(&name), altered).unwrap();
        let (code, _, err) = warpdiff(&["run", "suld/bounds-1d*", "--no-golden", "--against", &replayed]);
        assert_eq!(code, Some(4));
        assert!(err.contains("the hash does not match"), "{name}: {err}");
        std::fs::write(path.join(&name), contents).unwrap();
    }
}

#[test]
fn a_recording_is_continued_where_it_has_holes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let record = |filter: &[&str], target: &str, name: &str, more: &[&str]| {
        let output = path(name);
        let fixed = ["record", "--against", target, "-o", output.to_str().unwrap()];
        warpdiff(&[&fixed, filter, more].concat())
    };
    let both = ["suld/bounds-1d*", "suld/open*"];
    assert_eq!(record(&both, "emulator", "whole", &[]).0, Some(0));
    assert_eq!(record(&both[..1], "emulator", "grown", &[]).0, Some(0));
    // A recording is not written over by mistake, nor continued on another target.
    let (code, _, err) = record(&both, "emulator", "grown", &[]);
    assert_eq!(code, Some(2));
    assert!(err.contains("--continue"), "{err}");
    let (code, _, err) = record(&both, "emulator+suld.clamp-as-zero", "grown", &["--continue"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("was recorded on another target"), "{err}");
    let (code, out, err) = record(&both, "emulator", "grown", &["--continue"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains(" launches are new, ") && !out.contains(" 0 launches are new"), "{out}");
    assert!(files(&path("whole")) == files(&path("grown")));
    // Nothing is lost of what is not asked about.
    let (code, out, _) = record(&both[1..], "emulator", "grown", &["--continue"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("; 0 launches are new, "), "{out}");
    assert!(files(&path("whole")) == files(&path("grown")));
}

#[test]
fn a_sample_has_one_variant_of_every_case_and_an_end_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let record = |name: &str, more: &[&str]| {
        let output = folder.path().join(name);
        let fixed = ["record", "suld/bounds-1d*", "--against", "emulator", "-o", output.to_str().unwrap()];
        warpdiff(&[&fixed, more].concat())
    };
    let variants = |out: &str| -> usize {
        out.split_once(" launches of ").unwrap().1.split(' ').next().unwrap().parse().unwrap()
    };
    let (code, whole, _) = record("whole", &[]);
    assert_eq!(code, Some(0));
    let (code, sample, _) = record("sample", &["--sample"]);
    assert_eq!(code, Some(0));
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/suld/bounds-1d.yaml"),
    );
    assert_eq!(variants(&sample), text.unwrap().matches("- case: ").count());
    assert!(variants(&sample) < variants(&whole));
    // No time at all: nothing new is asked, and what is there stays.
    let (code, late, _) = record("sample", &["--continue", "--within", "0"]);
    assert_eq!(code, Some(0));
    assert_eq!(variants(&late), variants(&sample));
    assert!(late.contains(" variants were not reached"), "{late}");
}

#[test]
fn what_an_assembler_says_is_recorded_too() {
    let folder = tempfile::tempdir().unwrap();
    // A stand-in that rejects what has the word `sust`, and gives no bytes.
    let script = "#!/bin/sh\ncase $1 in --version) echo 'tools, release 12.9, V12.9.0'; exit;; esac\n\
                  if grep -q sust in.ptx; then echo 'ptxas in.ptx, line 3; error   : no sust here'; exit 255; fi\n\
                  printf '' > out.cubin; exit 254\n";
    let stand_in = folder.path().join("ptxas");
    std::fs::write(&stand_in, script).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&stand_in, executable).unwrap();
    let (live, path) = (format!("ptxas:{}", stand_in.display()), folder.path().join("r"));
    let (code, out, err) =
        warpdiff(&["record", "surface-examples/*", "--against", &live, "-o", path.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("the assembler was asked about "), "{out}");
    let statuses = |target: &str| {
        let (_, out, _) = warpdiff(&[
            "run",
            "surface-examples/*",
            "--no-golden",
            "--json",
            "--against",
            target,
            "--recorded",
            path.to_str().unwrap(),
        ]);
        let report = results::read(&out);
        let variants = report["variants"].as_array().unwrap().clone();
        let asked =
            variants.into_iter().map(|v| v["targets"][0].clone()).filter(|t| !t["recording"].is_null());
        asked.map(|t| (t["status"].to_string(), t["recording"].to_string())).collect::<Vec<_>>()
    };
    let (first, second) = (statuses(&live), statuses(&format!("recording:{}", path.display())));
    assert!(first.len() > 50 && first.iter().all(|(_, recording)| recording == "\"same\""), "{first:?}");
    assert_eq!(first, second);
}

#[test]
fn a_case_that_was_not_recorded_is_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let replayed = format!("recording:{}", record(&folder, "r", "emulator").display());
    let (code, out, err) = warpdiff(&["run", "sust/*", "--no-golden", "--against", &replayed]);
    assert_eq!(code, Some(6));
    assert!(out.contains("none judged") && out.contains(": it has 0 of the "), "{out}");
    assert!(
        err.contains("has none of the ") && err.contains(" launches and programs of this run: "),
        "{err}"
    );
}

/// What is recorded under other keys, or of other cases, must not look like a run in which all is as recorded.
#[test]
fn a_recording_that_has_nothing_of_what_is_asked_fails_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let recording = record(&folder, "r", "emulator");
    let recorded = recording.to_str().unwrap();
    let (code, out, err) =
        warpdiff(&["run", "sust/*", "--no-golden", "--against", "emulator", "--recorded", recorded]);
    assert_eq!(code, Some(6), "{out}");
    assert!(out.contains("all conform, but a recording lacks launches"), "{out}");
    assert!(err.contains("with which emulator is compared, has none of the "), "{err}");
    // A target that violates is the worse news.
    let wrong = "emulator+sust.clamp-as-zero";
    let (code, _, err) =
        warpdiff(&["run", "sust/*", "--no-golden", "--against", wrong, "--recorded", recorded]);
    assert!(matches!(code, Some(1 | 6)) && err.contains("has none of the "), "{err}");
}

#[test]
fn two_recordings_are_told_apart_by_launch_requirement_and_instruction() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (record(&folder, "a", "emulator"), record(&folder, "b", "emulator+suld.clamp-as-zero"));
    let (code, out, _) = warpdiff(&["compare", a.to_str().unwrap(), b.to_str().unwrap()]);
    assert_eq!(code, Some(3));
    assert!(out.contains("changed: suld/bounds-1d/") && out.contains("suld.clamp.nearest"), "{out}");
    let instructions = out.split_once("changed variants by instruction").unwrap().1;
    assert!(instructions.lines().any(|line| line.ends_with("  suld.b.1d.b32.clamp")), "{out}");
    let (code, out, _) = warpdiff(&["compare", a.to_str().unwrap(), a.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    assert!(
        out.contains(" 0 differ in undefined bits only, 0 changed; 0 variants only in A, 0 only in B"),
        "{out}"
    );
}

#[test]
fn several_targets_have_an_odd_one_out_or_a_suspect() {
    let wrong = "emulator+suld.clamp-as-zero";
    let run = |targets: [&str; 2]| {
        let [a, b] = targets;
        warpdiff(&["run", "suld/bounds-1d*", "--no-golden", "--against", a, "--against", b]).1
    };
    assert!(run(["emulator", wrong]).contains("the odd one out is emulator+suld.clamp-as-zero on"));
    assert!(run([wrong, wrong]).contains("the reference is suspect on"));
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
    assert!(!out.is_empty(), "{err}");
    (code, results::read(&out))
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
    assert_eq!(report["run"]["targets"][0]["recording"].as_str(), of_right.to_str());
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
    assert_eq!((code, count(&report, "recording", "turned-wrong")), (Some(1), drifted));
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
    assert!(line.contains(" as recorded, ") && line.contains(" not recorded; it has "), "{line}");
    // The launches are counted as well, for programs to read; and where all have to be there, one that is not fails the run.
    let (code, out, err) = warpdiff(&[&arguments[..], &["--json", "--complete"]].concat());
    assert_eq!(code, Some(6), "{err}");
    assert!(err.contains(" lacks ") && err.contains("(--complete allows none)"), "{err}");
    let report = results::read(&out);
    let target = &report["summary"]["targets"][0];
    let (found, absent) = (&target["compared"]["found"], &target["compared"]["absent"]);
    assert!(found.as_u64().unwrap() > 0 && absent.as_u64().unwrap() > 0, "{found} {absent}");
    assert_eq!(target["replayed"], serde_json::json!({"found": 0, "absent": 0}));
    let (code, _, err) =
        warpdiff(&["run", "suld/*", "--against", "emulator", "--recorded", folder.path().to_str().unwrap()]);
    assert_eq!(code, Some(4), "{err}");
}

#[test]
fn the_report_names_the_odd_one_out_and_suspects_the_reference() {
    let wrong = "emulator+suld.clamp-as-zero";
    let agreements = |targets: &[&str]| -> Vec<serde_json::Value> {
        let mut arguments = vec!["run", "suld/bounds-1d*", "--no-golden", "--json"];
        targets.iter().for_each(|target| arguments.extend(["--against", target]));
        let (_, out, _) = warpdiff(&arguments);
        let report = results::read(&out);
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
