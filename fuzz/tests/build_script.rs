//! `.clusterfuzzlite/build.sh` under the environment that OSS-Fuzz and ClusterFuzzLite document. In place of cargo there is a script that notes how it was
//! called and makes files with the names of the targets: what is tried is what the script makes of them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// The names of the targets: their files.
fn targets() -> BTreeSet<String> {
    let files = fs::read_dir(root().join("fuzz/fuzz_targets")).expect("the targets");
    files
        .map(|file| {
            file.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned()
        })
        .collect()
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        for folder in ["src", "out", "work", "bin"] {
            fs::create_dir(place.path(folder)).expect("a folder");
        }
        symlink(root(), place.path("src/warpdiff")).expect("a link");
        let names: Vec<String> = targets().into_iter().collect();
        let cargo = format!(
            "#!/bin/bash -eu\necho \"$@\" > \"$WORK/called\"\nfolder=$WORK/fuzz/x86_64-unknown-linux-gnu/release\nmkdir -p \"$folder\"\nfor name in {}; do touch \"$folder/$name\"; done\n",
            names.join(" ")
        );
        fs::write(place.path("bin/cargo"), cargo).expect("a script");
        fs::set_permissions(place.path("bin/cargo"), fs::Permissions::from_mode(0o755)).expect("its mode");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn build(&self, more: &[(&str, &str)]) -> Output {
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").expect("a path"));
        let mut command = Command::new("bash");
        command
            .arg(root().join(".clusterfuzzlite/build.sh"))
            .env("PATH", path)
            .env_remove("CARGO_BUILD_TARGET")
            .env_remove("TRACE_COMPARES");
        command.env("SRC", self.path("src")).env("OUT", self.path("out")).env("WORK", self.path("work"));
        command.envs(more.iter().copied()).output().expect("bash")
    }
}

#[test]
fn each_target_comes_with_its_limits_words_and_seeds() {
    if Command::new("zip").arg("-v").output().is_err() {
        return eprintln!("skipped: there is no zip");
    }
    let place = Place::new();
    let engine = [
        ("FUZZING_ENGINE", "libfuzzer"),
        ("LIB_FUZZING_ENGINE", "-fsanitize=fuzzer"),
        ("SANITIZER", "address"),
        ("TRACE_COMPARES", "yes"),
    ];
    let output = place.build(&engine);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let called = fs::read_to_string(place.path("work/called")).expect("cargo was called");
    assert!(called.starts_with("fuzz build --release --debug-assertions --sanitizer address "), "{called}");
    for name in targets() {
        assert!(place.path("out").join(&name).is_file(), "{name}");
        let limits = fs::read_to_string(place.path(&format!("out/{name}.options"))).expect("its limits");
        assert!(limits.contains("rss_limit_mb = 1024") && limits.contains("timeout = 5"), "{limits}");
        let seeds = fs::metadata(place.path(&format!("out/{name}_seed_corpus.zip"))).expect("its seeds");
        assert!(seeds.len() > 100, "{name}: {}", seeds.len());
        let words = root().join(format!("fuzz/dictionaries/{name}.dict")).is_file();
        assert_eq!(place.path(&format!("out/{name}.dict")).is_file(), words, "{name}");
    }
    // Those that read cases and programs begin with the corpus.
    let size =
        |name: &str| fs::metadata(place.path(&format!("out/{name}_seed_corpus.zip"))).expect("seeds").len();
    assert!(size("case_file") > 10 * size("yaml"));
    // Each case is a seed: an archive has the names of its files as they are.
    let cases = fs::read(place.path("out/case_file_seed_corpus.zip")).expect("the seeds");
    let has = |name: &[u8]| cases.windows(name.len()).any(|part| part == name);
    assert!(has(b"cases-suld-bounds-1d.yaml-1") && has(b"cases-suld-bounds-1d.yaml-2"));
    assert!(!has(b"requirements.yaml"));
}

#[test]
fn what_cargo_fuzz_cannot_build_is_refused() {
    let place = Place::new();
    let output = place.build(&[("FUZZING_ENGINE", "honggfuzz")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("libfuzzer alone"));
    assert!(!place.path("work/called").exists());
    let output = place.build(&[("SANITIZER", "dataflow")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("SANITIZER=dataflow: unknown"));
    assert!(place.build(&[("SANITIZER", "none"), ("TRACE_COMPARES", "no")]).status.success());
    let called = fs::read_to_string(place.path("work/called")).expect("cargo was called");
    assert!(called.contains("--sanitizer none --no-trace-compares --target"), "{called}");
    let output = place.build(&[("TRACE_COMPARES", "off")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("TRACE_COMPARES=off: expected yes or no"));
    // Rust has no such sanitizer, and coverage is the matter of the compiler's flags.
    for without in ["undefined", "coverage", "none"] {
        assert!(place.build(&[("SANITIZER", without)]).status.success());
        let called = fs::read_to_string(place.path("work/called")).expect("cargo was called");
        assert!(called.contains("--sanitizer none --target"), "{without}: {called}");
    }
}
