//! `ci/gpu.sh` ends with the most urgent code of its steps, whatever the other steps ended with, and leaves its report all the same.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use warpdiff_judge::exit_code::Exit;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Stands in for warpdiff: `CODES` has the exit codes of its commands (`record=1 run=3`), all others end with 0. What is recorded is an
/// empty folder, unless `record` is said to leave nothing.
const STAND_IN: &str = r#"#!/usr/bin/env bash
code=0
for entry in $CODES; do
    [[ ${entry%=*} != "$1" ]] || code=${entry#*=}
done
previous=''
for word in "$@"; do
    if [[ $1 == record && $previous == -o && $CODES != *nothing* ]]; then mkdir -p "$word"; fi
    previous=$word
done
echo "$1 ends with $code"
if [[ $code == KILLED ]]; then kill -KILL $$; fi
exit "$code"
"#;

/// How the script ends where the commands end with these codes, and what it leaves.
fn ended(codes: &str) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let (program, report) = (folder.path().join("warpdiff"), folder.path().join("report"));
    std::fs::write(&program, STAND_IN).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = Command::new(top().join("ci/gpu.sh"))
        .arg(&report)
        .env("WARPDIFF", &program)
        .env("CODES", codes)
        .env_remove("TARGET")
        .env_remove("MINUTES")
        .output()
        .unwrap();
    let steps = std::fs::read_to_string(report.join("steps.txt"))
        .unwrap_or_else(|e| panic!("{codes}: {e}: {}", String::from_utf8_lossy(&output.stderr)));
    assert!(report.join("report.txt").is_file() || codes.contains("nothing"), "{codes}: {steps}");
    (output.status.code().unwrap(), steps)
}

#[test]
fn every_code_of_every_step_counts_by_its_urgency() {
    for (codes, expected) in [
        ("", 0),
        ("run=1", 1),
        ("run=3", 3),
        ("run=6", 6),
        ("run=5", 5),
        ("characterize=5", 5),
        ("characterize=5 run=1", 1),
        ("characterize=3 run=6", 3),
        ("record=4 run=1", 4),
        ("probe=4 run=3", 4),
        ("doctor=2 record=4 run=1", 2),
        ("record=5 run=6", 6),
        // None of warpdiff's own codes: it was not run to its end.
        ("probe=101 run=1", 4),
        ("doctor=KILLED", 4),
        // Nothing was recorded.
        ("nothing", 4),
    ] {
        let (code, steps) = ended(codes);
        assert_eq!(code, expected, "{codes}: {steps}");
        assert!(steps.contains(&format!("all: exit {expected}")), "{codes}: {steps}");
    }
}

#[test]
fn the_order_is_the_documented_one() {
    let script = std::fs::read_to_string(top().join("ci/codes.sh")).unwrap();
    assert!(script.contains(&format!("\norder=({})\n", Exit::ORDER.replace(", ", " "))));
}

#[test]
fn wrong_usage_has_its_code() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes"), "").unwrap();
    let script = |target: &str| {
        let output = Command::new(top().join("ci/gpu.sh"))
            .arg(folder.path())
            .env("WARPDIFF", "/bin/true")
            .env("TARGET", target)
            .output()
            .unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = script("emulator");
    assert!(code == 2 && said.contains("TARGET is cuda"), "{code} {said}");
    let (code, said) = script("cuda");
    assert!(code == 2 && said.contains("is not empty"), "{code} {said}");
}
