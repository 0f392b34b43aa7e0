//! A folder with a corpus, in which commands are run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::copied_folder::copy;
use crate::results;

/// A copy of a corpus of `tests/data`, with room for goldens beside it.
pub(crate) struct Workplace {
    pub(crate) folder: TempDir,
}

impl Workplace {
    pub(crate) fn new(corpus: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(corpus);
        copy(&source, &folder.path().join("cases"));
        Self { folder }
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside)
    }

    /// The command, run in the folder of the corpus, without what the environment could add.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let program = match arguments.contains(&"mock") {
            true => env!("CARGO_BIN_EXE_warpdiff-misbehaving"),
            false => env!("CARGO_BIN_EXE_warpdiff"),
        };
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).args(arguments).env_remove("CI").env_remove("NO_COLOR");
        command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
        command.env_remove("GITHUB_WORKSPACE");
        // A machine with a device must not judge it in these tests: a driver that sees no device finds none.
        command.env("CUDA_VISIBLE_DEVICES", "");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command(arguments).output().unwrap())
    }

    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.path(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} does not contain {from}");
        std::fs::write(&path, text.replace(from, to)).unwrap();
    }
}

/// How a command ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    pub(crate) fn with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap()
    }

    /// What `run --json` printed.
    pub(crate) fn results(&self) -> serde_json::Value {
        results::read(&self.out)
    }
}
