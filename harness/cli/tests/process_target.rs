//! Targets that are processes: what becomes of launches whose worker crashes, hangs, lies or is killed, and of all others.

mod every_subject;
#[path = "../misbehaving/fault.rs"]
mod fault;
mod results;

mod supervision {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use warpdiff_model::{Launch, Observation, RegionKind};
    use warpdiff_worker::known_launch;
    use warpdiff_worker::launch_answer::{Answer, WorkerLaunch};
    use warpdiff_worker::limits::Limits;
    use warpdiff_worker::supervisor::Supervisor;

    use crate::fault::Fault;

    fn supervisor(command: &str, limits: Limits) -> Supervisor {
        Supervisor::new(command.parse().unwrap(), limits)
    }

    /// A worker with a fault in every case that is named after it.
    fn faulty(faults: &[Fault]) -> String {
        let mut command = format!("'{}' worker", env!("CARGO_BIN_EXE_warpdiff-misbehaving"));
        for (_, name) in Fault::ALL.iter().filter(|(fault, _)| faults.contains(fault)) {
            command += &format!(" --inject '{name}={name} *'");
        }
        command
    }

    /// Generous enough for a machine that is busy with other things.
    fn patient() -> Limits {
        Limits { launch: Duration::from_secs(60), hello: Duration::from_secs(120), ..Limits::default() }
    }

    /// Launch `n` of a batch: it stores its number.
    fn launch(n: u32) -> Launch {
        known_launch::store(64, 8, n)
    }

    #[track_caller]
    fn is_right(answer: &Answer, n: u32) {
        let missed = known_launch::stored(64, 8, n).missed_by(&answer.observation);
        assert_eq!(missed, None, "launch {n}: {answer:?}");
    }

    /// Runs a batch in which every fifth launch has the fault, and says what became of those; all others are right.
    #[track_caller]
    fn culprits(fault: Fault, limits: Limits, count: u32) -> Vec<Answer> {
        let name = fault_name(fault);
        let guilty = |n: u32| n % 5 == 2;
        let cases: Vec<_> =
            (0..count).map(|n| if guilty(n) { format!("{name} {n}") } else { format!("fine {n}") }).collect();
        let launches: Vec<_> = (0..count).map(launch).collect();
        let asked: Vec<_> =
            cases.iter().zip(&launches).map(|(case, launch)| WorkerLaunch::new(case, launch)).collect();
        let answers = supervisor(&faulty(&[fault]), limits).observe(&asked);
        assert_eq!(answers.len(), asked.len());
        let (bad, good): (Vec<_>, Vec<_>) = (0..count).zip(answers).partition(|(n, _)| guilty(*n));
        good.iter().for_each(|(n, answer)| is_right(answer, *n));
        bad.into_iter().map(|(_, answer)| answer).collect()
    }

    fn fault_name(fault: Fault) -> &'static str {
        Fault::ALL.iter().find(|(known, _)| *known == fault).unwrap().1
    }

    #[track_caller]
    fn all(answers: &[Answer], are: impl Fn(&Observation) -> bool) {
        assert!(!answers.is_empty());
        for answer in answers {
            assert!(are(&answer.observation), "{answer:?}");
        }
    }

    #[track_caller]
    fn all_rejected(answers: &[Answer], at: &str, words: &str) {
        all(
            answers,
            |observation| matches!(observation, Observation::Rejected { stage, message, .. } if stage == at && message.contains(words)),
        );
    }

    /// Of a patient supervisor: they crash.
    #[track_caller]
    fn all_crash(fault: Fault, signal: i32, count: u32) -> Vec<Answer> {
        let crashed = culprits(fault, patient(), count);
        all(&crashed, |o| *o == Observation::Crashed { signal });
        crashed
    }

    /// Of a patient supervisor: they complete.
    #[track_caller]
    fn all_complete(fault: Fault, count: u32) {
        all(&culprits(fault, patient(), count), |o| matches!(o, Observation::Completed { .. }));
    }

    #[test]
    fn exactly_the_launches_that_crash_are_blamed() {
        let crashed = all_crash(Fault::Crash, libc::SIGABRT, 60);
        assert!(crashed.iter().all(|answer| answer.said.as_deref() == Some("about to crash")), "{crashed:?}");
    }

    #[test]
    fn a_crash_before_the_announcement_is_found_by_running_the_launch_alone() {
        all_crash(Fault::EarlyCrash, libc::SIGABRT, 30);
    }

    #[test]
    fn what_was_answered_before_a_crash_counts() {
        all_complete(Fault::LateCrash, 30);
    }

    #[test]
    fn a_worker_that_ends_by_itself_is_no_crash() {
        all_rejected(&culprits(Fault::Exit, patient(), 30), "process", "ended with code 3");
    }

    #[test]
    fn a_worker_that_leaves_an_heir_with_its_output_is_seen_to_be_dead() {
        all_crash(Fault::Orphan, libc::SIGABRT, 10);
    }

    #[test]
    fn a_hang_is_timed_out_and_costs_nobody_else() {
        let limits = Limits { launch: Duration::from_secs(4), ..patient() };
        let begun = Instant::now();
        all(&culprits(Fault::Hang, limits, 8), |o| matches!(o, Observation::TimedOut { .. }));
        assert!(begun.elapsed() >= Duration::from_secs(4));
    }

    #[test]
    fn what_is_no_answer_is_rejected_and_says_why() {
        let of = |fault| culprits(fault, patient(), 15);
        all_rejected(&of(Fault::Garbage), "protocol", "`Hello, world`");
        all_rejected(&of(Fault::Oversized), "protocol", "longer than");
        all_rejected(&of(Fault::Lie), "protocol", "buffer `out` has 63 bytes, expected 64");
        all_rejected(&of(Fault::WrongId), "protocol", "expected `observed` for launch");
    }

    #[test]
    fn a_broken_message_or_output_is_the_doing_of_the_launch_that_was_announced() {
        let of = |fault| culprits(fault, patient(), 15);
        all_rejected(&of(Fault::Partial), "protocol", "`{\"type\":\"obs`");
        all_rejected(&of(Fault::Nested), "protocol", "not a message: ");
        all_rejected(&of(Fault::Mute), "process", "closed its output");
        all_rejected(&of(Fault::Unannounced), "protocol", "expected `started` for launch");
    }

    #[test]
    fn what_comes_after_an_answer_is_the_doing_of_the_launch_that_was_answered() {
        all_rejected(&culprits(Fault::Twice, patient(), 30), "protocol", "it answered launch ");
        all_rejected(&culprits(Fault::Postscript, patient(), 30), "protocol", "`and one more thing`");
        // The last launch there is: nothing is due after it that would show what else comes.
        for (fault, words) in [(Fault::Twice, "twice"), (Fault::Postscript, "`and one more thing`")] {
            let (name, last) = (format!("{} last", fault_name(fault)), launch(1));
            let target = supervisor(&faulty(&[fault]), patient());
            all_rejected(&target.observe(&[WorkerLaunch::new(&name, &last)]), "protocol", words);
            is_right(&target.observe_one(WorkerLaunch::new("fine", &last)), 1);
        }
    }

    #[test]
    fn who_leaves_after_an_answer_answers_once_as_well() {
        let hello = r#"{"type":"hello","protocol":1,"name":"t","dialects":["ptx"]}"#;
        let started = r#"{"type":"started","id":1}"#;
        let leaves = r#"{"type":"observed","id":1,"outcome":{"kind":"timed-out"},"leaving":true}"#;
        let launch = launch(1);
        for (more, once) in
            [("", true), ("; echo \"$2\"", false), ("; echo bye", false), ("; echo \"$1\"", false)]
        {
            let script = format!("read h; echo \"$0\"; read l; echo \"$1\"; echo \"$2\"{more}");
            let target = supervisor(&format!("sh -c '{script}' '{hello}' '{started}' '{leaves}'"), patient());
            let answer = target.observe_one(WorkerLaunch::new("", &launch));
            match once {
                true => all(&[answer], |o| matches!(o, Observation::TimedOut { .. })),
                false => all_rejected(&[answer], "protocol", ""),
            }
        }
    }

    #[test]
    fn much_noise_hurts_nobody() {
        all_complete(Fault::Loud, 15);
    }

    #[test]
    fn a_wrong_byte_is_an_answer_like_any_other() {
        all(&culprits(Fault::Flip, patient(), 15), |o| {
            let Observation::Completed { state } = o else { return false };
            // 0x11 inverted.
            state.region(RegionKind::Buffer, "out").is_some_and(|r| r.bytes[0] == 0xEE)
        });
    }

    #[test]
    fn the_standard_error_is_bounded_and_its_end_is_kept() {
        let crashed = all_crash(Fault::Chatter, libc::SIGABRT, 5);
        let said = crashed[0].said.as_deref().unwrap();
        assert!(said.len() <= 4096 && said.ends_with("16383"), "{said}");
    }

    #[test]
    fn a_launch_that_gets_every_worker_killed_comes_to_an_end() {
        all_crash(Fault::Kill, libc::SIGKILL, 5);
    }

    #[test]
    fn a_worker_may_leave_after_an_answer() {
        all_complete(Fault::Leave, 30);
    }

    #[test]
    fn what_the_target_does_not_offer_is_not_sent() {
        let known = known_launch::all();
        let surface = known.iter().find(|p| p.launch.surfaces.len() == 1).unwrap();
        let hello = r#"{"type":"hello","protocol":1,"name":"t","dialects":["ptx"],"longest_line":300}"#;
        let target =
            supervisor(&format!("sh -c 'read hello; echo \"$0\"; cat >/dev/null' '{hello}'"), patient());
        let long = launch(1);
        let answers = target.observe(&[WorkerLaunch::new("", &surface.launch), WorkerLaunch::new("", &long)]);
        let what: Vec<_> = answers
            .iter()
            .map(|answer| match &answer.observation {
                Observation::Unsupported { what } => what.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(what[0], "the target does not offer `surfaces`");
        assert!(what[1].ends_with("the target reads at most 300"), "{}", what[1]);
    }

    #[test]
    fn what_is_no_worker_is_said_in_words() {
        let why = |command: &str| supervisor(command, patient()).prepare().unwrap_err();
        assert!(why("/nonexistent/worker").starts_with("cannot start `/nonexistent/worker`: No such file"));
        assert_eq!(why("true"), "the process ended with code 0 before it said `hello`");
        assert_eq!(
            why("sh -c 'echo no licence >&2; exit 9'"),
            "the process ended with code 9 before it said `hello`; it said: no licence"
        );
        let old = r#"{"type":"hello","protocol":7,"name":"t","dialects":["ptx"]}"#;
        assert_eq!(why(&format!("echo '{old}'")), "it speaks protocol version 7, warpdiff speaks version 1");
        let hip = r#"{"type":"hello","protocol":1,"name":"t","dialects":["hip"]}"#;
        assert_eq!(why(&format!("echo '{hip}'")), "it does not take `ptx` programs, only [\"hip\"]");
    }

    #[test]
    fn workers_have_bounds_and_leave_no_core_dumps() {
        let limits = Limits { address_space: Some(1 << 30), processor: Some(77), ..patient() };
        let why =
            supervisor("sh -c 'echo $(ulimit -c) $(ulimit -v) $(ulimit -t)'", limits).prepare().unwrap_err();
        assert!(why.ends_with("`0 1048576 77`"), "{why}");
    }

    #[test]
    fn a_worker_out_of_processor_time_is_replaced_once_and_then_timed_out() {
        let hello = r#"{"type":"hello","protocol":1,"name":"t","dialects":["ptx"]}"#;
        let started = r#"{"type":"started","id":1}"#;
        let script = "sh -c 'read h; echo \"$0\"; read l; echo \"$1\"; while :; do :; done'";
        let limits = Limits { processor: Some(1), ..patient() };
        let target = supervisor(&format!("{script} '{hello}' '{started}'"), limits);
        let launch = launch(1);
        let answers = target.observe(&[WorkerLaunch::new("", &launch)]);
        assert_eq!(answers[0].observation, Observation::timed_out());
    }

    /// A target whose processes are killed again and again, whatever they do, loses no launch and answers all of them.
    #[test]
    fn a_target_killed_at_random_a_hundred_times_loses_nothing() {
        let (mut target, mut asked_for) = (None, 0);
        while_processes_are_killed(100, |command| {
            let target = target.get_or_insert_with(|| supervisor(command, patient()));
            let launches: Vec<_> = (asked_for..asked_for + 20).map(launch).collect();
            let asked: Vec<_> = launches.iter().map(|launch| WorkerLaunch::new("", launch)).collect();
            for (n, answer) in (asked_for..).zip(target.observe(&asked)) {
                is_right(&answer, n);
            }
            asked_for += 20;
        });
    }

    /// The same through `run`, whatever it has to do besides: every variant of a small corpus is judged, again and again.
    #[test]
    fn a_run_whose_processes_are_killed_again_and_again_loses_nothing() {
        let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases");
        let mut runs = 0;
        while_processes_are_killed(20, |command| {
            let output = std::process::Command::new(env!("CARGO_BIN_EXE_warpdiff"))
                .args(["run", "basic", "--no-golden", "--time-limit", "120", "--jobs", "3"])
                .args(["--against", &format!("process:{command}"), "--corpus"])
                .arg(&cases)
                .output()
                .unwrap();
            let shown = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{shown}");
            runs += 1;
        });
        assert!(runs > 0);
    }

    /// Works with the command of a worker, again and again, until so many of its processes were killed at random moments.
    fn while_processes_are_killed(kills: u32, mut work: impl FnMut(&str)) {
        let folder = tempfile::tempdir().unwrap();
        let numbers = folder.path().join("pids");
        std::fs::write(&numbers, "").unwrap();
        let worker = env!("CARGO_BIN_EXE_warpdiff");
        let command =
            format!("sh -c 'echo $$ >> \"$0\"; exec \"$1\" worker' '{}' '{worker}'", numbers.display());
        let enough = AtomicBool::new(false);
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let killer = scope.spawn(|| kill_again_and_again(&numbers, kills, &enough));
            while !enough.load(Ordering::Relaxed) {
                assert!(begun.elapsed() < Duration::from_secs(300), "not done after five minutes");
                work(&command);
            }
            assert_eq!(killer.join().unwrap(), kills);
        });
    }

    /// Kills the newest process of the file, at a random moment after it appeared, until enough were killed; says how many.
    fn kill_again_and_again(numbers: &Path, kills: u32, enough: &AtomicBool) -> u32 {
        let begun = Instant::now();
        let mut random: u64 = 0x9E37_79B9_7F4A_7C15;
        let (mut killed, mut last) = (0, None);
        while killed < kills && begun.elapsed() < Duration::from_secs(300) {
            let newest = std::fs::read_to_string(numbers)
                .unwrap()
                .lines()
                .filter_map(|line| line.parse::<libc::pid_t>().ok())
                .next_back();
            if newest == last || newest.is_none() {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            last = newest;
            // xorshift64: Marsaglia, "Xorshift RNGs". Moments up to 511 ms after the start, the early ones more often.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            std::thread::sleep(Duration::from_millis((random & 511) >> (random >> 9 & 3)));
            // SAFETY: a system call without pointers; the process was started by this test, and nobody has killed it yet. (If it has
            // ended meanwhile, the call fails: numbers are not given out again so soon.)
            killed += u32::from(unsafe { libc::kill(newest.unwrap(), libc::SIGKILL) } == 0);
        }
        enough.store(true, Ordering::Relaxed);
        killed
    }
}

mod command_line {
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Output, Stdio};
    use std::time::{Duration, Instant};

    use super::every_subject::EVERY_SUBJECT;
    use super::results;

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
        let differing: Vec<_> =
            expected.iter().filter(|(id, status)| seen.get(*id) != Some(*status)).collect();
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
            std::fs::read_to_string(self.path(journal))
                .map_or(0, |text| text.lines().count().saturating_sub(1))
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
        let options = [
            "--jobs",
            "1",
            "--memory-limit",
            "8",
            "--time-limit",
            "60",
            "--fault-budget",
            "0",
            "--allow-faults",
        ];
        let output = format!("{}", place.path("recording").display());
        for (name, more) in
            [("run", &["--no-golden"][..]), ("record", &["-o", &output]), ("characterize", &[])]
        {
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
        warpdiff(&["conform-protocol", "--time-limit", "60", "--against", target])
            .args(more)
            .output()
            .unwrap()
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
        for name in
            ["sult", "ld-st", "faults", "atoms", "suld", "surface-references", "modules", "spa-5.0-words"]
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

    /// Of the corpus it conforms in some variants and says of all others that it does not support them. Returns how many conform.
    #[track_caller]
    fn never_violates(target: &str) -> usize {
        let seen = statuses(target);
        let wrong: Vec<_> = seen
            .iter()
            .filter(|(_, s)| !matches!(s.as_str(), "conforms" | "unsupported" | "not-run"))
            .collect();
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
}

mod page {
    use std::path::Path;

    use warpdiff_worker::machine_words::ShaderMessage;
    use warpdiff_worker::protocol::{self, ArgumentMessage, Outcome, Reply, Request, SurfaceMessage};

    fn page() -> String {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.md")).unwrap()
    }

    #[test]
    fn every_example_is_a_message_or_a_part_of_one() {
        let page = page();
        let examples: Vec<_> = page
            .split("```json\n")
            .skip(1)
            .flat_map(|block| block.split("```").next().unwrap().lines())
            .collect();
        assert!(examples.len() >= 15, "{} examples", examples.len());
        for example in examples {
            let read = serde_json::from_str::<Request>(example).is_ok()
                || serde_json::from_str::<Reply>(example).is_ok()
                || serde_json::from_str::<ArgumentMessage>(example).is_ok()
                || serde_json::from_str::<SurfaceMessage>(example).is_ok()
                || serde_json::from_str::<ShaderMessage>(example).is_ok()
                || serde_json::from_str::<Outcome>(example).is_ok();
            assert!(read, "{example}");
        }
    }

    #[test]
    fn every_word_of_the_protocol_is_explained() {
        let page = page();
        let mut words = Vec::new();
        collect(&serde_json::to_value(protocol::schema()).unwrap(), &mut words);
        assert!(words.len() > 40, "{words:?}");
        let missing: Vec<_> = words.iter().filter(|word| !page.contains(word.as_str())).collect();
        assert!(missing.is_empty(), "not on the page: {missing:?}");
    }

    /// The names of fields and the constants of a schema, `request` and `reply` aside.
    fn collect(schema: &serde_json::Value, words: &mut Vec<String>) {
        match schema {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    match (key.as_str(), value) {
                        ("properties", serde_json::Value::Object(fields)) => {
                            words.extend(fields.keys().cloned())
                        }
                        ("const", serde_json::Value::String(word)) => words.push(word.clone()),
                        ("enum", serde_json::Value::Array(all)) => {
                            words.extend(all.iter().filter_map(|w| w.as_str().map(str::to_owned)))
                        }
                        _ => {}
                    }
                    collect(value, words);
                }
            }
            serde_json::Value::Array(all) => all.iter().for_each(|value| collect(value, words)),
            _ => {}
        }
    }
}
