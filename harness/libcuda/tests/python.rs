//! Clients in Python drive the library, where Python and their packages are there: the scripts of `ci/clients`.
//!
//! `WARPDIFF_PYTHON` names the interpreter, `python3` by default; `ci/clients.sh` says which packages it needs. With
//! `WARPDIFF_REQUIRE_PYTHON=1` a missing package is a failure.

use std::path::PathBuf;
use std::process::Command;

/// The file that cargo built beside this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("the test knows where it is");
    let folder = test.parent().expect("a folder");
    let name = libloading::library_filename("warpdiff_cuda");
    let places = [folder.join(&name), folder.join("..").join(&name)];
    places.into_iter().find(|path| path.exists()).expect("cargo built the library beside the test")
}

fn python() -> String {
    std::env::var("WARPDIFF_PYTHON").unwrap_or_else(|_| "python3".into())
}

/// The exit status of a script that has said why it does not run.
const SKIPPED: i32 = 77;

fn is_required() -> bool {
    std::env::var_os("WARPDIFF_REQUIRE_PYTHON").is_some_and(|value| value == "1")
}

/// Runs a script of `ci/clients` that imports `module`; answers what it printed, or `None` if the module is not there.
fn run(script: &str, module: &str) -> Option<String> {
    let found = Command::new(python()).args(["-c", &format!("import {module}")]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        assert!(!is_required(), "`{}` has no module {module}", python());
        println!("skipped: `{}` has no module {module}", python());
        eprintln!("skipped: `{}` has no module {module}", python());
        return None;
    }
    // Some clients open `libcuda.so.1`, others `libcuda.so`, by that name.
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["libcuda.so", "libcuda.so.1"] {
        std::os::unix::fs::symlink(built(), folder.path().join(name)).expect("a link");
    }
    let script = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../ci/clients")).join(script);
    let output = Command::new(python())
        .arg(script)
        .env("LD_LIBRARY_PATH", folder.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("python runs");
    if output.status.code() == Some(SKIPPED) && !is_required() {
        print!("{}", String::from_utf8_lossy(&output.stdout));
        return None;
    }
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.ends_with("done\n"), "{out}{err}");
    Some(out.into_owned())
}

#[test]
fn nvidias_bindings_drive_it() {
    if let Some(out) = run("cuda_bindings.py", "cuda.bindings.driver") {
        assert!(out.contains("device: warpdiff reference emulator"), "another libcuda was found: {out}");
    }
}

#[test]
fn a_report_is_read_in_python() {
    run("report.py", "cuda.bindings.driver");
}

#[test]
fn numba_drives_it() {
    if let Some(out) = run("numba_kernels.py", "numba.cuda, numba_cuda") {
        assert!(out.contains("warpdiff reference emulator"), "another libcuda was found: {out}");
    }
}

#[test]
fn tinygrad_drives_it() {
    run("tinygrad_operations.py", "tinygrad");
}
