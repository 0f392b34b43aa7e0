//! Runs against the driver library, as a user starts them.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use crate::driver_library::library;
use crate::results;

/// What `warpdiff run` does in a folder against the library, with these variables in its environment.
pub(crate) fn run_in(folder: &Path, environment: &[(&str, impl AsRef<OsStr>)], options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpdiff"))
        .current_dir(folder)
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .args(["run", "--no-golden"])
        .args(options)
        .arg(format!("--against=cuda@{}", library().display()))
        .output()
        .expect("warpdiff starts")
}

/// The report of a run with `--json`, and what was said beside it.
pub(crate) fn report_of(output: &Output) -> (serde_json::Value, String) {
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.stdout.is_empty(), "{words}");
    (results::read(&String::from_utf8_lossy(&output.stdout)), words)
}
