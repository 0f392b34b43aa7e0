//! A month of nights in one folder: runs commands as the nightly job and the engineer of the next morning do, and compares what they
//! leave with golden files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use snapbox::Data;
use tempfile::TempDir;

use super::EXPECTATIONS;
use crate::copied_folder::copy;

/// Files that a night leaves, beside what its commands said.
const LEFT: [&str; 3] = ["junit.xml", "summary.md", "expectations/h200.yaml"];
/// Time for something to happen that surely will.
const PATIENCE: Duration = Duration::from_secs(100);

/// The folder of the nightly job: the corpus, its expectations, the results of earlier nights.
pub(crate) struct Month {
    folder: TempDir,
    golden: PathBuf,
}

impl Month {
    /// The first day: the corpus, and the driver library where the loader finds it.
    pub(crate) fn begin(library: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nights");
        copy(&here.join("corpus"), &folder.path().join("cases"));
        for name in ["driver", "expectations", "results"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        // A file that expects nothing yet.
        std::fs::write(folder.path().join("expectations/h200.yaml"), "target: cuda\ndevice: NVIDIA H200\n")
            .unwrap();
        std::os::unix::fs::symlink(library, folder.path().join("driver/libcuda.so.1")).unwrap();
        Self { folder, golden: here.join("golden") }
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside)
    }

    /// One night and the morning after it.
    pub(crate) fn night(&self, date: &str, what: &str, happens: impl FnOnce(&mut Night<'_>)) {
        for file in ["junit.xml", "summary.md"] {
            drop(std::fs::remove_file(self.path(file)));
        }
        let mut night =
            Night { month: self, date: date.into(), device: Vec::new(), said: format!("{date}: {what}\n") };
        happens(&mut night);
        let said = std::mem::take(&mut night.said);
        self.compare(date, "night.txt", Some(said));
        for file in LEFT {
            let text = std::fs::read_to_string(self.path(file)).ok();
            let text = text.map(|text| self.here(&timeless(&text)));
            self.compare(date, file.rsplit('/').next().unwrap(), text);
        }
    }

    /// The text with the folder of this test as `/work`.
    fn here(&self, text: &str) -> String {
        text.replace(&self.folder.path().display().to_string(), "/work")
    }

    /// Compares a file with its golden; `SNAPSHOTS=overwrite` writes it, as for every snapshot of these tests.
    fn compare(&self, date: &str, file: &str, text: Option<String>) {
        let path = self.golden.join(date).join(file);
        let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite");
        let Some(text) = text else {
            if overwrite {
                drop(std::fs::remove_file(&path));
            }
            assert!(!path.exists(), "{date} left no {file}, and has a golden one");
            return;
        };
        if overwrite {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            return;
        }
        let golden = Data::read_from(&path, None).raw();
        snapbox::Assert::new().action_env("SNAPSHOTS").eq(text, golden);
    }
}

/// A night that goes on.
pub(crate) struct Night<'m> {
    month: &'m Month,
    date: String,
    /// What the device does this night: variables of the driver library.
    device: Vec<(&'static str, String)>,
    said: String,
}

impl Night<'_> {
    /// What the device does from now on.
    pub(crate) fn device(&mut self, variable: &'static str, value: &str) {
        self.device.retain(|(known, _)| *known != variable);
        self.device.push((variable, value.into()));
    }

    /// The nightly job: the whole corpus, or a shard of it.
    pub(crate) fn job(&mut self, more: &[&str], code: i32) {
        let results = format!("results/{}.jsonl", self.date);
        let arguments = [&self.job_of(&results)[..], &words(more)].concat();
        self.ends(arguments, true, code);
    }

    /// The arguments of the nightly job.
    fn job_of(&self, results: &str) -> Vec<String> {
        let text = format!(
            "run --against cuda --jobs 1 --no-golden --expectations expectations --results {results} --junit junit.xml --today {}",
            self.date
        );
        words(&text.split(' ').collect::<Vec<_>>())
    }

    /// A shard of the nightly job, with its own results and journal.
    pub(crate) fn shard(&self, number: usize, of: usize, more: &[&str]) -> Vec<String> {
        let mut arguments = self.job_of(&format!("results/{}-{number}.jsonl", self.date));
        arguments.extend(words(&["--shard", &format!("{number}/{of}")]));
        arguments.extend(words(more));
        arguments
    }

    /// What a person runs in the morning.
    pub(crate) fn morning(&mut self, arguments: &[&str], code: i32) -> String {
        self.ends(words(arguments), false, code)
    }

    /// Fits the expectations to the results of the night.
    pub(crate) fn bless(&mut self) {
        let (date, results) = (self.date.clone(), format!("results/{}.jsonl", self.date));
        self.morning(&["expect", "--from", &results, "--bless", EXPECTATIONS, "--today", &date], 0);
    }

    /// Runs a command to its end, in CI or by hand. Returns what it printed.
    pub(crate) fn ends(&mut self, arguments: Vec<String>, ci: bool, code: i32) -> String {
        let output = self.command(&arguments, ci).output().unwrap();
        self.note(&arguments, &output);
        assert_eq!(output.status.code(), Some(code), "{}", self.said);
        if arguments.iter().any(|argument| argument == "--junit") {
            let junit = std::fs::read_to_string(self.month.path("junit.xml")).unwrap();
            let is_red = junit.contains("<failure") || junit.contains("<error");
            assert_eq!(is_red, code != 0, "JUnit and the exit code differ: {}\n{junit}", self.said);
        }
        text(&output.stdout)
    }

    /// Starts a command of the nightly job, waits until its journal has this many answers, and sends it the signal. The device hangs
    /// then, so that no more can come.
    pub(crate) fn ends_by(&mut self, arguments: Vec<String>, journal: &str, answers: usize, signal: i32) {
        let journal = self.month.path(journal);
        let mut child = self.command(&arguments, true).spawn().unwrap();
        let begun = Instant::now();
        // The first line is none of an answer.
        while lines(&journal) < answers + 1 {
            assert!(begun.elapsed() < PATIENCE, "{} lines in the journal", lines(&journal));
            assert!(child.try_wait().unwrap().is_none(), "it ended: {}", text(&ended(child).stderr));
            std::thread::sleep(Duration::from_millis(5));
        }
        // SAFETY: kill takes plain numbers; the child is ours and has not been waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
        let output = ended(child);
        self.note(&arguments, &output);
    }

    fn command(&self, arguments: &[String], ci: bool) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
        let environment = std::env::vars_os().map(|(name, _)| name);
        let ours = |name: &std::ffi::OsString| {
            let name = name.to_string_lossy();
            ["CI", "CUDA_", "GITHUB_", "NVIDIA_", "WARPDIFF_"].iter().any(|prefix| name.starts_with(prefix))
        };
        for name in environment.filter(ours) {
            command.env_remove(name);
        }
        command
            .current_dir(self.month.folder.path())
            .args(arguments)
            .env("LD_LIBRARY_PATH", self.month.path("driver"))
            .env("WARPDIFF_CUDA_NAME", "NVIDIA H200")
            .envs(self.device.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if ci {
            command.env("CI", "true").env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", "summary.md");
        }
        command
    }

    /// Notes a command, how it ended, and what it said: on the standard output what is not the report for a terminal.
    fn note(&mut self, arguments: &[String], output: &Output) {
        let _ = writeln!(self.said, "\n$ warpdiff {}", arguments.join(" "));
        let run = arguments.first().is_some_and(|first| first == "run");
        let out = text(&output.stdout);
        let shown = out.lines().filter(|line| !run || line.starts_with("::"));
        let err = text(&output.stderr);
        for line in shown.chain(err.lines()) {
            let line = self.month.here(&timeless(line));
            if !line.is_empty() {
                let _ = writeln!(self.said, "{}", line.trim_end());
            }
        }
        let _ = match output.status.code() {
            Some(code) => writeln!(self.said, "exit code {code}"),
            None => writeln!(self.said, "killed"),
        };
    }

    /// A person writes a file, or replaces a part of it.
    pub(crate) fn edit(&mut self, file: &str, why: &str, edit: impl FnOnce(String) -> String) {
        let path = self.month.path(file);
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        let after = edit(before.clone());
        assert_ne!(before, after, "nothing was edited in {file}");
        std::fs::write(path, after).unwrap();
        let _ = writeln!(self.said, "\nsomebody edits {file}: {why}");
    }
}

fn ended(child: Child) -> Output {
    child.wait_with_output().unwrap()
}

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn lines(path: &Path) -> usize {
    std::fs::read(path).map_or(0, |text| text.iter().filter(|byte| **byte == b'\n').count())
}

/// `cuda: 12 launches in 2 processes, …`: how many launches a worker was given ahead when it was killed depends on the machine.
fn is_effort(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    words.len() > 3 && words[0] == "cuda:" && words[2] == "launches"
}

/// The text with every time as zero: `time="…"` in JUnit, seconds in a step's summary.
fn timeless(text: &str) -> String {
    let mut shown = String::new();
    let lines = text.split_inclusive('\n').filter(|line| !is_effort(line));
    for line in lines {
        shown.push_str(&seconds(&times(line)));
    }
    shown
}

fn times(line: &str) -> String {
    let mut parts = line.split(" time=\"");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.split_once('"').map_or("", |(_, rest)| rest);
        let _ = write!(shown, " time=\"0.000\"{rest}");
    }
    shown
}

/// `18 rows, 0.3 s, exit code 0`: the number before ` s`.
fn seconds(line: &str) -> String {
    let Some((before, after)) = line.split_once(" s, exit code").or_else(|| line.split_once(" s, shard"))
    else {
        return line.to_owned();
    };
    let rest = &line[before.len()..];
    let before = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    debug_assert!(rest.ends_with(after));
    format!("{before}0.0{rest}")
}
