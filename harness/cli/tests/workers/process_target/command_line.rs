//! The command line on targets that are processes: `run`, `worker` and `conform-protocol`.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::every_subject::EVERY_SUBJECT;
use crate::results;

fn warpdiff(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
    command.args(arguments).env_remove("CI").env("NO_COLOR", "1");
    command
}

fn worker(more: &str) -> String {
    let program = match more.contains("--inject") {
        true => env!("CARGO_BIN_EXE_warpdiff-misbehaving"),
        false => env!("CARGO_BIN_EXE_warpdiff"),
    };
    format!("process:'{program}' worker {more}")
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn ended(output: Output, code: i32) -> String {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "stdout:\n{out}\nstderr:\n{err}");
    out + &err
}

/// The status of every variant of a run of every subject.
fn statuses(against: &str) -> BTreeMap<String, String> {
    let corpus = top().join("cases");
    let output = warpdiff(&["run", "--no-golden", "--no-repeat", "--json", "--time-limit", "120"])
        .args(EVERY_SUBJECT)
        .arg("--corpus")
        .arg(corpus)
        .args(["--against", against])
        .output()
        .unwrap();
    assert!(!output.stdout.is_empty(), "{}", text(&output.stderr));
    let report = results::read(&text(&output.stdout));
    let variants = report["variants"].as_array().unwrap().iter();
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    variants.map(|v| (word(&v["id"]), word(&v["targets"][0]["status"]))).collect()
}

#[test]
fn the_emulator_behind_the_protocol_gives_the_verdicts_of_the_emulator() {
    let (behind, itself) = (statuses(&worker("")), statuses("emulator"));
    assert!(itself.len() > 500, "{} variants", itself.len());
    assert_eq!(behind, itself);
}

#[test]
fn a_target_may_take_programs_of_spa_as_machine_words() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/words_only.py");
    let words = format!("process:python3 '{}' '{}'", script.display(), env!("CARGO_BIN_EXE_warpdiff"));
    let of = |against: &str| {
        let output = warpdiff(&["run", "--no-golden", "--json", "spa", "--against", against])
            .arg("--corpus")
            .arg(top().join("cases"))
            .output()
            .unwrap();
        assert!(!output.stdout.is_empty(), "{}", text(&output.stderr));
        let report = results::read(&text(&output.stdout));
        let variants = report["variants"].as_array().unwrap().iter();
        let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let statuses = variants.map(|v| (word(&v["id"]), word(&v["targets"][0]["status"])));
        statuses.collect::<BTreeMap<_, _>>()
    };
    let (by_words, by_text) = (of(&words), of("emulator"));
    let conforms = by_text.values().filter(|status| *status == "conforms").count();
    assert!(conforms > 200, "{conforms} variants conform");
    assert_eq!(by_words, by_text);
}

#[test]
fn of_the_whole_corpus_exactly_the_injected_faults_are_reported() {
    let clean = statuses("emulator");
    let sound_from = |first: usize, subject: &str| {
        let of = clean.iter().filter(|(id, status)| id.starts_with(subject) && *status == "conforms");
        of.map(|(id, _)| id.clone()).skip(first).step_by(7).take(4).collect::<Vec<_>>()
    };
    let sound = |subject: &str| sound_from(0, subject);
    let injected = [
        ("crash", "crashed", sound("arithmetic/")),
        ("exit", "rejected", sound("atomics/")),
        ("garbage", "rejected", sound("control/")),
        ("oversized", "rejected", sound("memory/")),
        ("lie", "rejected", sound("suld/")),
        ("kill", "crashed", sound("sust/").into_iter().take(1).collect()),
        ("early-crash", "crashed", sound("sust/").into_iter().skip(1).collect()),
        ("partial", "rejected", sound("sured/")),
        ("nested", "rejected", sound("suq/")),
        ("mute", "rejected", sound("definedness/").into_iter().take(2).collect()),
        ("unannounced", "rejected", sound_from(3, "arithmetic/")),
        ("wrong-id", "rejected", sound_from(3, "suld/")),
        ("twice", "rejected", sound("compiled/")),
        ("postscript", "rejected", sound_from(3, "atomics/")),
        // What is answered with noise is answered.
        ("loud", "conforms", sound_from(3, "suq/")),
    ];
    let mut arguments = String::new();
    let mut expected = clean;
    for (fault, status, ids) in &injected {
        assert!(!ids.is_empty(), "{fault}");
        for id in ids {
            // `?` of a pattern is not special; only `*` is, and it stands for any text, itself included.
            arguments += &format!("--inject '{fault}=*{}' ", id.replace('\'', "*"));
            expected.insert(id.clone(), (*status).to_owned());
        }
    }
    let seen = statuses(&worker(&arguments));
    let differing: Vec<_> = expected.iter().filter(|(id, status)| seen.get(*id) != Some(*status)).collect();
    assert!(differing.is_empty(), "expected {differing:?}");
    assert_eq!(seen.len(), expected.len());
}

/// A folder with the small corpus of the tests, and a target that can be changed while its name stays.
struct Workplace {
    folder: tempfile::TempDir,
}

impl Workplace {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What `process:./target` is from now on.
    fn target(&self, script: &str) {
        let path = self.path("target");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, more: &[&str]) -> Command {
        let mut command = self.ask("run");
        command.arg("--no-golden").args(more);
        command
    }

    /// A command that puts a few cases to the target.
    fn ask(&self, name: &str) -> Command {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases");
        let mut command = warpdiff(&[name, "basic", "--against", "process:./target", "--corpus"]);
        command.arg(corpus).current_dir(self.folder.path());
        command
    }

    /// Observations in a journal: its lines but the first.
    fn kept(&self, journal: &str) -> usize {
        std::fs::read_to_string(self.path(journal)).map_or(0, |text| text.lines().count().saturating_sub(1))
    }

    /// The launches that were asked since the target is one that notes them in `asked`; not the one after the last, which is there to
    /// hear whether more comes of that.
    fn asked(&self) -> Vec<String> {
        let asked = std::fs::read_to_string(self.path("asked")).unwrap_or_default();
        let launches = asked.lines().filter(|line| line.contains("\"type\":\"launch\""));
        launches
            .filter(|line| !line.contains("\"case\":\"warpdiff: does another answer follow"))
            .map(str::to_owned)
            .collect()
    }

    /// Starts a command whose target hangs in one case, and kills it with SIGKILL when everything else has been answered.
    fn kill_in_the_middle(&self, mut command: Command, total: usize) {
        self.target(&format!("echo $$ >> pids; {MISBEHAVING} --inject 'hang=*clamps[cop=.ca]'"));
        // With a worker for each launch nothing waits behind the one that hangs.
        command.args(["--resume", "journal", "--time-limit", "3600", "--jobs", "64"]);
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_until("all launches but the one that hangs have been answered", || {
            self.kept("journal") == total - 1
        });
        running.kill().unwrap();
        running.wait().unwrap();
        let pids = std::fs::read_to_string(self.path("pids")).unwrap();
        wait_until("the workers are gone", || pids.lines().all(|pid| !is_alive(pid)));
        assert!(pids.lines().count() > 0);
        self.target(&format!("tee -a asked | '{}' worker", env!("CARGO_BIN_EXE_warpdiff")));
    }
}

const EXEC: &str = concat!("exec '", env!("CARGO_BIN_EXE_warpdiff"), "' worker");
const MISBEHAVING: &str = concat!("exec '", env!("CARGO_BIN_EXE_warpdiff-misbehaving"), "' worker");

#[test]
fn what_a_target_said_is_shown_with_its_failure() {
    let place = Workplace::new();
    place.target(&format!("{MISBEHAVING} --inject crash=clamps"));
    let shown = ended(place.run(&[]).output().unwrap(), 1);
    assert!(shown.contains("died of signal 6; the target said: about to crash"), "{shown}");
}

#[test]
fn a_target_that_cannot_be_started_ends_the_run_with_4() {
    let place = Workplace::new();
    place.target("echo out of licences >&2; exit 1");
    let shown = ended(place.run(&[]).output().unwrap(), 4);
    assert!(shown.contains("process:./target: the process ended with code 1"), "{shown}");
    assert!(shown.contains("out of licences"), "{shown}");
}

#[test]
fn what_stands_in_a_journal_is_not_asked_again() {
    let place = Workplace::new();
    place.target(EXEC);
    ended(place.run(&["--resume", "journal"]).output().unwrap(), 0);
    // A target that would crash in every case: it is not asked.
    place.target(&format!("{MISBEHAVING} --inject 'crash=*'"));
    ended(place.run(&["--resume", "journal"]).output().unwrap(), 0);
    ended(place.run(&[]).output().unwrap(), 1);
    std::fs::write(place.path("other"), "my notes\n").unwrap();
    let shown = ended(place.run(&["--resume", "other"]).output().unwrap(), 4);
    assert!(shown.contains("not a journal"), "{shown}");
}

#[test]
fn a_killed_run_goes_on_where_it_was_and_leaves_no_worker_behind() {
    let place = Workplace::new();
    place.target(EXEC);
    ended(place.run(&["--resume", "whole"]).output().unwrap(), 0);
    let total = place.kept("whole");
    assert!(total > 2, "{total} launches");
    place.kill_in_the_middle(place.run(&[]), total);
    ended(place.run(&["--resume", "journal"]).output().unwrap(), 0);
    let asked = place.asked();
    assert!(matches!(asked.as_slice(), [only] if only.contains("clamps[cop=.ca]")), "{asked:?}");
    assert_eq!(place.kept("journal"), total);
}

#[test]
fn a_killed_recording_goes_on_and_is_what_an_undisturbed_one_is() {
    let place = Workplace::new();
    let record = |folder: &str, more: &[&str]| {
        let mut command = place.ask("record");
        command.args(["-o", folder]).args(more);
        command
    };
    place.target(EXEC);
    ended(record("undisturbed", &["--resume", "whole"]).output().unwrap(), 0);
    let total = place.kept("whole");
    place.kill_in_the_middle(record("resumed", &[]), total);
    assert!(!place.path("resumed").exists(), "nothing is recorded before the end");
    ended(record("resumed", &["--resume", "journal"]).output().unwrap(), 0);
    let asked = place.asked();
    assert!(matches!(asked.as_slice(), [only] if only.contains("clamps[cop=.ca]")), "{asked:?}");
    // The manifest has the day beside the hash over everything else.
    let contents = |folder: &str| -> BTreeMap<_, _> {
        let entries = std::fs::read_dir(place.path(folder)).unwrap().map(|entry| entry.unwrap());
        let others = entries.filter(|entry| entry.file_name() != "recording.yaml");
        others.map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap())).collect()
    };
    assert!(!contents("resumed").is_empty());
    assert!(contents("resumed") == contents("undisturbed"));
}

#[test]
fn every_command_that_puts_the_corpus_to_a_target_takes_the_same_options() {
    let place = Workplace::new();
    place.target(EXEC);
    let options =
        ["--jobs", "1", "--memory-limit", "8", "--time-limit", "60", "--fault-budget", "0", "--allow-faults"];
    let output = format!("{}", place.path("recording").display());
    for (name, more) in [("run", &["--no-golden"][..]), ("record", &["-o", &output]), ("characterize", &[])] {
        let shown = ended(place.ask(name).args(options).args(more).output().unwrap(), 0);
        // One worker ran all of it. None of these cases leaves a choice, so that `characterize` has nothing to ask.
        assert!(name == "characterize" || shown.contains(" in 1 processes"), "{name}: {shown}");
    }
}

#[track_caller]
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(120), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process runs; one that has ended and was not waited for does not.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
    state.is_some_and(|state| !matches!(state, "Z" | "X"))
}

fn conform(more: &[&str], target: &str) -> Output {
    warpdiff(&["conform-protocol", "--time-limit", "60", "--against", target]).args(more).output().unwrap()
}

#[test]
fn the_emulator_speaks_the_protocol_and_a_worker_with_faults_does_not() {
    let shown = ended(conform(&[], &worker("")), 0);
    assert!(shown.ends_with("33 passed, 0 failed, 2 skipped\n"), "{shown}");
    let faults = [
        "crash",
        "early-crash",
        "exit",
        "garbage",
        "oversized",
        "lie",
        "wrong-id",
        "flip",
        "late-crash",
        // What a run blames a launch for as well.
        "twice",
        "postscript",
    ];
    for fault in faults {
        let shown = ended(conform(&[], &worker(&format!("--inject {fault}=conform-protocol"))), 1);
        assert!(shown.contains("FAILED"), "{fault}: {shown}");
    }
    let twice = ended(conform(&[], &worker("--inject twice=conform-protocol")), 1);
    assert!(twice.contains("FAILED  a kernel stores a value: after its answer: "), "{twice}");
}

/// A worker that says hello, offers surfaces, and supports nothing.
const NOTHING: &str = r#"exec sed -u -e '/"type":"hello"/{s/.*/{"type":"hello","protocol":1,"name":"n","dialects":["ptx"],"capabilities":["surfaces"]}/;b}' -e '/"program":/{s/.*"id":\([0-9]*\).*/{"type":"started","id":\1}\n{"type":"observed","id":\1,"outcome":{"kind":"unsupported","what":"everything"}}/;b}' -e 's/.*/{"type":"refused","message":"no"}/'"#;

#[test]
fn who_supports_nothing_passes_unless_something_is_required() {
    let place = Workplace::new();
    place.target(NOTHING);
    let ask = |required: &[&str], code: i32| {
        let mut command =
            warpdiff(&["conform-protocol", "--time-limit", "60", "--against", "process:./target"]);
        command.current_dir(place.folder.path());
        for names in required {
            command.args(["--require", names]);
        }
        ended(command.output().unwrap(), code)
    };
    let shown = ask(&[], 0);
    assert!(shown.contains(" 0 failed"), "{shown}");
    let shown = ask(&["ld-st,suld", "textures"], 1);
    assert!(shown.contains("FAILED  `ld-st` is required: unsupported: everything\n"), "{shown}");
    assert!(shown.contains("FAILED  `suld` is required: unsupported: everything\n"), "{shown}");
    assert!(shown.contains("FAILED  `textures` is required: it does not offer `textures`\n"), "{shown}");
    assert!(shown.ends_with(" passed, 3 failed, 28 skipped\n"), "{shown}");
    // The names that there are stand with an unknown one.
    let shown = ask(&["ld-st,sult"], 2);
    for name in ["sult", "ld-st", "faults", "atoms", "suld", "surface-references", "modules", "spa-5.0-words"]
    {
        assert!(shown.contains(name), "{name}: {shown}");
    }
}

#[test]
fn the_emulator_has_what_it_offers_and_a_required_thing_may_be_offered_in_one_way_alone() {
    let all = "ld-st,faults,threads,branches,calls,shared,atoms,suld,sust,sured,suq,tex,txq,surfaces,surface-references,\
               textures,variables,managed,spa-5.0";
    let shown = ended(conform(&["--require", all], &worker("")), 0);
    assert!(shown.ends_with("52 passed, 0 failed, 2 skipped\n"), "{shown}");
    for name in all.split(',') {
        assert!(shown.contains(&format!("ok      `{name}` is required\n")), "{name}: {shown}");
    }
    let shown = ended(conform(&["--require", "modules,spa-5.0-words"], &worker("")), 1);
    assert!(shown.contains("FAILED  `modules` is required: it does not offer `modules`"), "{shown}");
    // Surfaces through handles alone: `suld` is there.
    let place = Workplace::new();
    let worker = env!("CARGO_BIN_EXE_warpdiff");
    place.target(&format!("'{worker}' worker | sed -u 's/\"surface-references\",//'"));
    let mut command =
        warpdiff(&["conform-protocol", "--time-limit", "60", "--require", "suld,suq,sured,sust"]);
    command.args(["--against", "process:./target"]).current_dir(place.folder.path());
    let shown = ended(command.output().unwrap(), 0);
    assert!(shown.contains("it does not offer `surface-references`"), "{shown}");
}

/// A worker that answers each launch with `unsupported` and leaves after it, as a program may whose context is lost.
const LEAVES: &str = r#"while read -r line; do case $line in
*'"type":"hello"'*) echo '{"type":"hello","protocol":1,"name":"l","dialects":["ptx"],"capabilities":["modules"]}' ;;
*'"type":"module"'*) echo '{"type":"started","id":4}'; echo '{"type":"loaded","id":4}' ;;
*'"program":'*|*'"module":'*) id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  echo "{\"type\":\"started\",\"id\":$id}"
  echo "{\"type\":\"observed\",\"id\":$id,\"outcome\":{\"kind\":\"unsupported\",\"what\":\"it\"},\"leaving\":true}"
  exit 0 ;;
*) echo '{"type":"refused","message":"no"}' ;;
esac; done"#;

#[test]
fn a_worker_that_leaves_after_each_answer_and_one_that_reads_short_lines_speak_the_protocol() {
    let place = Workplace::new();
    let ask = |more: &[&str]| {
        let mut command =
            warpdiff(&["conform-protocol", "--time-limit", "60", "--against", "process:./target"]);
        ended(command.args(more).current_dir(place.folder.path()).output().unwrap(), 0)
    };
    place.target(LEAVES);
    let shown = ask(&[]);
    assert!(shown.contains("ok      launches sent at once are answered in order\n"), "{shown}");
    assert!(shown.contains("ok      a module of two programs is loaded, and both run\n"), "{shown}");
    // It ends if a line is longer than it says that it reads.
    let worker = env!("CARGO_BIN_EXE_warpdiff");
    place.target(&format!(
        "while IFS= read -r line; do [ ${{#line}} -lt 1000 ] || exit 9; printf '%s\\n' \"$line\"; done | \
         '{worker}' worker | sed -u 's/\"protocol\":1,/&\"longest_line\":1000,/'"
    ));
    let shown = ask(&[]);
    assert!(shown.contains("it reads lines of at most 1000 bytes, and this takes "), "{shown}");
    assert!(shown.contains("ok      launches sent at once are answered in order\n"), "{shown}");
}

#[test]
fn a_requirement_given_twice_is_checked_once() {
    let shown = ended(conform(&["--require", "ld-st,ld-st", "--require", "ld-st"], &worker("")), 0);
    assert_eq!(shown.matches("`ld-st` is required").count(), 1, "{shown}");
}

/// Of the corpus it conforms in some variants and says of all others that it does not support them. Returns how many conform.
#[track_caller]
fn never_violates(target: &str) -> usize {
    let seen = statuses(target);
    let wrong: Vec<_> =
        seen.iter().filter(|(_, s)| !matches!(s.as_str(), "conforms" | "unsupported" | "not-run")).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    seen.values().filter(|status| *status == "conforms").count()
}

#[test]
fn the_example_in_python_speaks_the_protocol_and_never_violates() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success()) {
        eprintln!("ignored: there is no python3");
        return;
    }
    let example = top().join("harness/process-example/target.py");
    let lines = std::fs::read_to_string(&example).unwrap().lines().count();
    assert!(lines <= 60, "{lines} lines");
    let target = format!("process:python3 '{}'", example.display());
    let shown = ended(conform(&["--require", "faults"], &target), 0);
    assert!(shown.ends_with("13 passed, 0 failed, 23 skipped\n"), "{shown}");
    never_violates(&target);
    // The next step.
    let rows = top().join("harness/process-example/rows.py");
    let lines = std::fs::read_to_string(&rows).unwrap().lines().count();
    assert!(lines <= 130, "{lines} lines");
    let target = format!("process:python3 '{}'", rows.display());
    let shown = ended(conform(&["--require", "ld-st,faults,threads,branches"], &target), 0);
    assert!(shown.contains(" 0 failed"), "{shown}");
    assert!(never_violates(&target) >= 40, "too few of the corpus conform");
}

#[test]
fn the_example_in_rust_speaks_the_protocol_and_never_violates() {
    let lines =
        std::fs::read_to_string(top().join("harness/process-example/worker.rs")).unwrap().lines().count();
    assert!(lines <= 130, "{lines} lines");
    let target = format!("process:'{}'", env!("CARGO_BIN_EXE_warpdiff-example-worker"));
    let shown = ended(conform(&["--require", "faults"], &target), 0);
    assert!(shown.ends_with("13 passed, 0 failed, 23 skipped\n"), "{shown}");
    never_violates(&target);
}
