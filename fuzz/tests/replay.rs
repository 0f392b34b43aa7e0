//! Replays the seed corpus of each target, in a process of its own with 1 GiB of address space: an input that makes it take memory
//! out of proportion fails here.

use std::path::Path;
use std::process::Command;

/// KiB of address space a replay may take.
const ADDRESS_SPACE: &str = "1048576";

fn replay(binary: &str, target: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let files = std::fs::read_dir(&folder).expect("the seed corpus").count();
    assert!(files >= 5, "{} has only {files} files", folder.display());
    let limited = format!("ulimit -v {ADDRESS_SPACE} && exec \"$0\" \"$1\"");
    let output = Command::new("sh").args(["-c", &limited, binary]).arg(&folder).output().expect("sh");
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    assert_eq!(words.trim(), format!("{files} files replayed"));
}

#[test]
fn front_end() {
    replay(env!("CARGO_BIN_EXE_front_end"), "front_end");
}

#[test]
fn case_file() {
    replay(env!("CARGO_BIN_EXE_case_file"), "case_file");
}

#[test]
fn specimen() {
    replay(env!("CARGO_BIN_EXE_specimen"), "specimen");
}

#[test]
fn spa_text() {
    replay(env!("CARGO_BIN_EXE_spa_text"), "spa_text");
}

#[test]
fn machine_words() {
    replay(env!("CARGO_BIN_EXE_machine_words"), "machine_words");
}

#[test]
fn cubin() {
    replay(env!("CARGO_BIN_EXE_cubin"), "cubin");
}

#[test]
fn protocol() {
    replay(env!("CARGO_BIN_EXE_protocol"), "protocol");
}

#[test]
fn recording() {
    replay(env!("CARGO_BIN_EXE_recording"), "recording");
}

#[test]
fn numbers_file() {
    replay(env!("CARGO_BIN_EXE_numbers_file"), "numbers_file");
}

#[test]
fn yaml() {
    replay(env!("CARGO_BIN_EXE_yaml"), "yaml");
}

#[test]
fn a_file_that_is_not_there_is_an_error_and_not_a_pass() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_front_end")).arg("/nonexistent/file").output().expect("the binary");
    assert_eq!(output.status.code(), Some(4));
}
