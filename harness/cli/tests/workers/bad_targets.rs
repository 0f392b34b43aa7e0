//! Targets that are worse than wrong: none of their processes lives long enough to answer, or their words do something to the terminal
//! of whoever reads them.

use crate::results;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use warpdiff_model::{Launch, Observation};
use warpdiff_worker::known_launch;
use warpdiff_worker::launch_answer::{Answer, WorkerLaunch};
use warpdiff_worker::limits::Limits;
use warpdiff_worker::supervisor::Supervisor;

/// Generous enough for a machine that is busy with other things.
fn patient(jobs: usize) -> Limits {
    Limits { launch: Duration::from_secs(60), hello: Duration::from_secs(120), jobs, ..Limits::default() }
}

const WORKER: &str = concat!("'", env!("CARGO_BIN_EXE_warpdiff"), "' worker");
/// One with faults.
const MISBEHAVING: &str = concat!("'", env!("CARGO_BIN_EXE_warpdiff-misbehaving"), "' worker");
/// What a target says to begin with, in the shell.
const HELLO: &str =
    r#"read hello; printf '%s\n' '{"type":"hello","protocol":1,"name":"t","dialects":["ptx"]}'"#;

/// A folder with a target `process:./target`, which is a shell script.
struct Workplace {
    folder: tempfile::TempDir,
}

impl Workplace {
    fn new(script: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(place.path("target"), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(place.path("target"), std::fs::Permissions::from_mode(0o755)).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn warpdiff(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
        command.args(arguments).current_dir(self.folder.path()).env_remove("CI").env("NO_COLOR", "1");
        command.output().unwrap()
    }

    /// A run of all of the small corpus of the tests against the target.
    fn run(&self, more: &[&str]) -> Output {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases");
        let corpus = corpus.to_str().unwrap();
        let run = ["run", "--no-golden", "--jobs", "1", "--against", "process:./target", "--corpus", corpus];
        self.warpdiff(&[&run, more].concat())
    }

    /// A supervisor of so many of these targets at a time.
    fn supervisor(&self, jobs: usize) -> Supervisor {
        let command = format!("'{}'", self.path("target").display());
        Supervisor::new(command.parse().unwrap(), patient(jobs))
    }

    /// How often the target was started, if it notes that.
    fn starts(&self) -> usize {
        std::fs::read_to_string(self.path("starts")).unwrap_or_default().lines().count()
    }
}

/// A script that notes its start beside itself.
fn noted(script: &str) -> String {
    format!("echo $$ >> \"${{0%/*}}/starts\"\n{script}")
}

fn launches(count: u32) -> Vec<Launch> {
    (0..count).map(|n| known_launch::store(64, 8, n)).collect()
}

fn observe(supervisor: &Supervisor, names: &[String], launches: &[Launch]) -> Vec<Answer> {
    let asked: Vec<_> =
        names.iter().zip(launches).map(|(name, launch)| WorkerLaunch::new(name, launch)).collect();
    supervisor.observe(&asked)
}

fn names(count: u32, name: impl Fn(u32) -> String) -> Vec<String> {
    (0..count).map(name).collect()
}

fn is_left_out(answer: &Answer) -> bool {
    matches!(&answer.observation, Observation::NotRun { why } if why.starts_with("broken target: "))
}

#[test]
fn a_target_whose_every_process_dies_is_asked_a_few_times_and_no_more() {
    for jobs in [1, 4] {
        let place = Workplace::new(&noted(&format!("{HELLO}; read launch; echo 'no GPU left' >&2; exit 7")));
        let target = place.supervisor(jobs);
        let answers = observe(&target, &names(400, |n| n.to_string()), &launches(400));
        let left_out = answers.iter().filter(|answer| is_left_out(answer)).count();
        // Nobody is blamed for what happens to all.
        assert_eq!(left_out, 400);
        // Sixteen in a row, the one that was to store a number, twice, and who was on his way when it was noticed.
        assert!(place.starts() <= 18 + jobs, "{} starts", place.starts());
        let why = target.broken().unwrap();
        assert!(
            why.ends_with("the last failure: the process ended with code 7; it said: no GPU left"),
            "{why}"
        );
        // What comes later is not even tried.
        let before = place.starts();
        assert!(observe(&target, &names(3, |n| n.to_string()), &launches(3)).iter().all(is_left_out));
        assert_eq!(place.starts(), before);
    }
}

#[test]
fn a_target_whose_processes_do_not_start_any_more_is_given_up() {
    // The first process answers twice and leaves; no other says hello.
    let once = format!(
        "if test -e \"$0.spent\"; then echo 'licence in use' >&2; exit 1; fi\ntouch \"$0.spent\"\n{MISBEHAVING} --inject 'leave=last'"
    );
    let place = Workplace::new(&noted(&once));
    let target = place.supervisor(1);
    let names = names(300, |n| if n == 1 { "last".into() } else { n.to_string() });
    let answers = observe(&target, &names, &launches(300));
    let (answered, rest) = answers.split_at(2);
    assert!(answered.iter().all(|a| matches!(a.observation, Observation::Completed { .. })), "{answered:?}");
    assert!(rest.iter().all(is_left_out), "{:?}", rest.iter().find(|answer| !is_left_out(answer)));
    assert!(target.broken().unwrap().ends_with("it said: licence in use"));
    assert!(place.starts() <= 8, "{} starts", place.starts());
}

/// As many as it likes in a row: who answers the least there is, is no broken target.
#[test]
fn culprits_in_a_row_do_not_make_a_target_broken() {
    let place = Workplace::new(&format!("exec {MISBEHAVING} --inject 'crash=bad *'"));
    for jobs in [1, 3] {
        let target = place.supervisor(jobs);
        let names = names(80, |n| if (5..65).contains(&n) { format!("bad {n}") } else { n.to_string() });
        let answers = observe(&target, &names, &launches(80));
        for (n, answer) in (0..).zip(&answers) {
            match n {
                5..65 => {
                    assert_eq!(answer.observation, Observation::Crashed { signal: libc::SIGABRT }, "{n}")
                }
                _ => assert_eq!(known_launch::stored(64, 8, n).missed_by(&answer.observation), None, "{n}"),
            }
        }
        assert_eq!(target.broken(), None);
    }
}

/// Sixteen launches and more that take their workers down, with nothing after them to show that others fare better.
#[test]
fn culprits_at_the_end_are_blamed_all_the_same() {
    let place = Workplace::new(&format!("exec {MISBEHAVING} --inject 'crash=bad *'"));
    for count in [3, 40] {
        let answers = observe(&place.supervisor(1), &names(count, |n| format!("bad {n}")), &launches(count));
        let crashed = Observation::Crashed { signal: libc::SIGABRT };
        assert!(answers.iter().all(|answer| answer.observation == crashed), "{answers:?}");
    }
}

#[test]
fn a_run_against_a_broken_target_ends_with_4_and_says_why() {
    let able = HELLO.replace("]}", r#"],"capabilities":["surfaces","surface-references"]}"#);
    let place = Workplace::new(&format!("{able}; read launch; echo 'no GPU left' >&2; exit 7"));
    let output = place.run(&["--json"]);
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{words}");
    assert!(words.contains("process:./target: broken target: ") && words.contains("no GPU left"), "{words}");
    let report = results::read(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(report["summary"]["exit_code"], 4);
    let reason = &report["summary"]["not_judged"][0];
    assert!(reason["why"].as_str().unwrap().starts_with("broken target: "), "{report:#}");
    // Of fifteen variants one is a question of legality.
    assert_eq!(reason["variants"], 14, "{report:#}");
    // What was not run is not taken for run when the run is resumed.
    assert_eq!(place.run(&["--resume", "journal"]).status.code(), Some(4));
    let mended = Workplace::new(&format!("exec {WORKER}"));
    std::fs::copy(mended.path("target"), place.path("target")).unwrap();
    let output = place.run(&["--resume", "journal", "--json"]);
    let report = results::read(&String::from_utf8_lossy(&output.stdout));
    let conforming = report["variants"].as_array().unwrap().iter();
    let conforming = conforming.filter(|variant| variant["targets"][0]["status"] == "conforms").count();
    assert_eq!((conforming, output.status.code()), (14, Some(0)), "{report:#}");
}

/// Clears the screen, names the window, turns the direction, forges a line, goes back to the beginning of one.
const HOSTILE: &str = "evil\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}\u{9b}31m\u{2028}\rall conform";
/// The same within a string of JSON.
const IN_JSON: &str = r"evil\u001b[2J\u001b]0;owned\u0007\u202e\u009b31m\u2028\rall conform";

/// Characters that a terminal, or who sorts out directions, acts upon.
const ACTING: [char; 7] = ['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}', '\u{2028}', '\r', '\u{7f}'];

#[track_caller]
fn is_harmless(bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    assert!(!text.contains(ACTING), "{text:?}");
    text
}

/// A target that answers every launch with this outcome, and calls itself what is hostile.
fn answering(outcome: &str) -> String {
    format!(
        r#"read hello; printf '%s\n' '{{"type":"hello","protocol":1,"name":"{IN_JSON}","dialects":["ptx"]}}'
n=0
while read launch; do
  n=$((n+1))
  printf '%s\n' '{{"type":"started","id":'$n'}}' '{{"type":"observed","id":'$n',"outcome":{outcome}}}'
done"#
    )
}

#[test]
fn what_a_target_says_does_nothing_to_a_terminal_and_is_whole_in_data() {
    let outcomes = [
        (format!(r#"{{"kind":"rejected","stage":"load","message":"{IN_JSON}"}}"#), 1),
        (format!(r#"{{"kind":"unsupported","what":"{IN_JSON}"}}"#), 5),
    ];
    for (outcome, code) in outcomes {
        let place = Workplace::new(&answering(&outcome));
        let output = place.run(&["add wraps", "--html", "page.html"]);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let page = std::fs::read(place.path("page.html")).unwrap();
        for text in [is_harmless(&output.stdout), is_harmless(&page)] {
            assert!(text.contains(r"evil\u{1b}[2J") && text.contains(r"\rall conform"), "{text}");
        }
        is_harmless(&output.stderr);
        let output = place.run(&["add wraps", "--json"]);
        let report = results::read(&is_harmless(&output.stdout));
        let target = &report["variants"][0]["targets"][0];
        let said = target["why"].as_str().or(target["findings"][0]["differences"][0]["detail"].as_str());
        assert!(said.unwrap().contains(HOSTILE), "{target:#}");
        let output =
            place.warpdiff(&["conform-protocol", "--against", "process:./target", "--time-limit", "60"]);
        assert!(is_harmless(&output.stdout).contains(r"it says hello, as `evil\u{1b}[2J"));
    }
}

#[test]
fn neither_do_its_last_words_nor_what_it_writes_instead_of_an_answer() {
    let printed = HOSTILE.replace('\u{1b}', r"\033").replace('\u{7}', r"\007").replace('\r', r"\r");
    let scripts = [
        format!("printf '{printed}' >&2; exit 1"),
        format!("read hello; printf '{printed}\\n'"),
        format!("{HELLO}; read launch; printf '{printed}' >&2; exit 1"),
        format!("{HELLO}; read launch; printf '{printed}\\n'; read wait"),
        format!("printf '{{\"type\":\"refused\",\"message\":\"{IN_JSON}\"}}\\n'; read wait")
            .replace(r"\u", r"\\u")
            .replace(r"\rall", r"\\rall"),
    ];
    for script in scripts {
        let place = Workplace::new(&script);
        let output = place.run(&["add wraps"]);
        let shown = is_harmless(&output.stdout) + &is_harmless(&output.stderr);
        assert!(shown.contains(r"evil\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}"), "{script}: {shown}");
        is_harmless(&place.run(&["add wraps", "--json"]).stdout);
    }
}

/// The file that is written of a finding has the words in a comment, which they must not end.
#[test]
fn the_words_of_a_target_stay_in_the_comment_of_a_finding() {
    let script = answering(&format!(r#"{{"kind":"rejected","stage":"load","message":"{IN_JSON}"}}"#));
    let place =
        Workplace::new(&script.replace("]}", r#"],"capabilities":["surfaces","surface-references"]}"#));
    let output = place.warpdiff(&["fuzz", "--against", "process:./target", "--count", "4", "--out", "found"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let files: Vec<_> = std::fs::read_dir(place.path("found")).unwrap().collect();
    assert!(!files.is_empty());
    for file in files {
        let text = is_harmless(&std::fs::read(file.unwrap().path()).unwrap());
        let comment = text.lines().find(|line| line.contains("evil")).unwrap();
        assert!(comment.starts_with("# ") && comment.contains(r"\rall conform"), "{comment}");
    }
    let skipped = place.warpdiff(&["fuzz", "--against", "cuda:4000", "--count", "3"]);
    let text = is_harmless(&skipped.stdout);
    assert!(text.contains("         3  were not run: no "), "{text}");
}

#[test]
fn the_words_of_a_recording_are_foreign_as_well() {
    let place =
        Workplace::new(&answering(&format!(r#"{{"kind":"rejected","stage":"load","message":"{IN_JSON}"}}"#)));
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases");
    let corpus = corpus.to_str().unwrap();
    let record = |folder: &str| {
        let against = ["--against", "process:./target", "-o", folder, "--corpus", corpus];
        let output = place.warpdiff(&[&["record", "add wraps"], &against[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        is_harmless(&output.stdout);
    };
    record("first");
    let other = Workplace::new(&format!("exec {WORKER}"));
    std::fs::copy(other.path("target"), place.path("target")).unwrap();
    record("second");
    let replayed = place.warpdiff(&[
        "run",
        "add wraps",
        "--no-golden",
        "--against",
        "recording:first",
        "--recorded",
        "second",
        "--corpus",
        corpus,
    ]);
    assert!(is_harmless(&replayed.stdout).contains(r"evil\u{1b}[2J"), "{replayed:?}");
    let compared = place.warpdiff(&["compare", "first", "second", "--corpus", corpus]);
    assert_eq!(compared.status.code(), Some(3), "{compared:?}");
    assert!(is_harmless(&compared.stdout).contains("changed: "), "{compared:?}");
}
