//! The supervisor of workers, called directly: crashes, hangs, lies, limits, and what of it is blamed on which launch.

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
    let target = supervisor(&format!("sh -c 'read hello; echo \"$0\"; cat >/dev/null' '{hello}'"), patient());
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

/// Works with the command of a worker, again and again, until so many of its processes were killed at random moments. The first time nothing
/// kills them: that shows how long a process lives, and so until when it can be killed.
fn while_processes_are_killed(kills: u32, mut work: impl FnMut(&str)) {
    let folder = tempfile::tempdir().unwrap();
    let numbers = folder.path().join("pids");
    std::fs::write(&numbers, "").unwrap();
    let worker = env!("CARGO_BIN_EXE_warpdiff");
    let command = format!("sh -c 'echo $$ >> \"$0\"; exec \"$1\" worker' '{}' '{worker}'", numbers.display());
    let enough = AtomicBool::new(false);
    let begun = Instant::now();
    work(&command);
    let latest = (begun.elapsed().as_millis() as u64).clamp(32, 512);
    std::thread::scope(|scope| {
        let killer = scope.spawn(|| kill_again_and_again(&numbers, kills, latest, &enough));
        while !enough.load(Ordering::Relaxed) {
            assert!(begun.elapsed() < Duration::from_secs(300), "not done after five minutes");
            work(&command);
        }
        assert_eq!(killer.join().unwrap(), kills);
    });
}

/// Kills the newest process of the file, at a random moment until `latest` milliseconds after it appeared, until enough were killed; says how many.
fn kill_again_and_again(numbers: &Path, kills: u32, latest: u64, enough: &AtomicBool) -> u32 {
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
        // xorshift64: Marsaglia, "Xorshift RNGs". The early moments come more often.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(Duration::from_millis(((random >> 11) % latest) >> (random >> 9 & 3)));
        // SAFETY: a system call without pointers; the process was started by this test, and nobody has killed it yet. (If it has
        // ended meanwhile, the call fails: numbers are not given out again so soon.)
        killed += u32::from(unsafe { libc::kill(newest.unwrap(), libc::SIGKILL) } == 0);
    }
    enough.store(true, Ordering::Relaxed);
    killed
}
