//! NVIDIA's Python bindings drive the library, where Python and the package are there.
//!
//! `pip install "cuda-bindings==12.9.*"` brings the package; `WARPDIFF_PYTHON` names the interpreter, `python3` by default.
//! With `WARPDIFF_REQUIRE_PYTHON=1` a missing package is a failure.

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

fn has_bindings() -> bool {
    let found = Command::new(python()).args(["-c", "import cuda.bindings.driver"]).output();
    found.is_ok_and(|output| output.status.success())
}

#[test]
fn nvidias_bindings_drive_it() {
    if !has_bindings() {
        let required = std::env::var_os("WARPDIFF_REQUIRE_PYTHON").is_some_and(|value| value == "1");
        assert!(!required, "`{}` has no package cuda-bindings", python());
        println!("skipped: `{}` has no package cuda-bindings", python());
        eprintln!("skipped: `{}` has no package cuda-bindings", python());
        return;
    }
    // The bindings open `libcuda.so.1`, by that name.
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(built(), folder.path().join("libcuda.so.1")).expect("a link");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cuda_bindings.py");
    let output = Command::new(python())
        .arg(script)
        .env("LD_LIBRARY_PATH", folder.path())
        .output()
        .expect("python runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.ends_with("done\n"), "{out}{err}");
    assert!(out.contains("device: warpdiff reference emulator"), "another libcuda was found: {out}");
}
