//! Workers that misbehave on every launch, and on launches drawn by lot in ways drawn by lot: each launch has the observation that its
//! own fault earns, and what is no fault is right.

use std::process::Command;
use std::time::Duration;

use warpdiff_model::{Launch, Observation, RegionKind};
use warpdiff_worker::known_launch;
use warpdiff_worker::launch_answer::{Answer, WorkerLaunch};
use warpdiff_worker::limits::Limits;
use warpdiff_worker::supervisor::Supervisor;

use crate::fault::Fault;

/// Generous enough for a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(120);

/// What `known_launch::store(64, 8, n)` has stored, as far as the observation is one of a launch that completed.
fn is_right(n: usize, observation: &Observation) -> bool {
    known_launch::stored(64, 8, n as u32).missed_by(observation).is_none()
}

/// Whether launch `n` has what docs/protocol.md says of a worker that misbehaves like this ("What warpdiff does when a worker fails").
fn is_earned(fault: Option<Fault>, n: usize, answer: &Answer) -> bool {
    let seen = &answer.observation;
    let crashed = |with| *seen == Observation::Crashed { signal: with };
    let rejected = |at: &str| matches!(seen, Observation::Rejected { stage, .. } if stage == at);
    match fault {
        // Nothing is wrong with launches whose worker answered first, or was only talkative.
        None | Some(Fault::LateCrash | Fault::Leave | Fault::Loud) => is_right(n, seen),
        Some(Fault::Crash | Fault::EarlyCrash | Fault::Orphan | Fault::Chatter) => crashed(libc::SIGABRT),
        Some(Fault::Kill) => crashed(libc::SIGKILL),
        Some(Fault::Hang) => matches!(seen, Observation::TimedOut { .. }),
        Some(Fault::Exit | Fault::Mute) => rejected("process"),
        Some(
            Fault::Garbage
            | Fault::Oversized
            | Fault::Lie
            | Fault::WrongId
            | Fault::Unannounced
            | Fault::Partial
            | Fault::Nested
            | Fault::Twice
            | Fault::Postscript,
        ) => rejected("protocol"),
        Some(Fault::Flip) => {
            let Observation::Completed { state } = seen else { return false };
            // The other bytes of the buffer are 0x11 and stay; the first one comes inverted.
            state.region(RegionKind::Buffer, "out").is_some_and(|r| r.bytes[0] == 0xEE) && !is_right(n, seen)
        }
    }
}

/// Launches one after the other, each with a fault or none, by workers of ours that have them.
fn observe(faults: &[Option<Fault>], time: Duration, jobs: usize) -> Vec<Answer> {
    let mut command = format!("'{}' worker", env!("CARGO_BIN_EXE_warpdiff-misbehaving"));
    for (_, name) in Fault::ALL {
        command += &format!(" --inject '{name}={name} *'");
    }
    let name = |fault: &Option<Fault>| {
        let known = Fault::ALL.iter().find(|(known, _)| Some(*known) == *fault);
        known.map_or("fine", |(_, name)| name)
    };
    let names: Vec<String> =
        faults.iter().enumerate().map(|(n, fault)| format!("{} {n}", name(fault))).collect();
    let launches: Vec<Launch> = (0..faults.len()).map(|n| known_launch::store(64, 8, n as u32)).collect();
    let asked: Vec<_> =
        names.iter().zip(&launches).map(|(name, launch)| WorkerLaunch::new(name, launch)).collect();
    let limits = Limits { launch: time, hello: PATIENCE, jobs, ..Limits::default() };
    Supervisor::new(command.parse().unwrap(), limits).observe(&asked)
}

#[track_caller]
fn are_earned(what: &str, faults: &[Option<Fault>], answers: &[Answer]) {
    assert_eq!(answers.len(), faults.len(), "{what}");
    for (n, (fault, answer)) in faults.iter().zip(answers).enumerate() {
        assert!(is_earned(*fault, n, answer), "{what}, launch {n}, {fault:?}: {answer:?}");
    }
}

#[test]
fn a_target_that_always_misbehaves_in_one_way_has_that_reported_for_every_launch() {
    for (fault, name) in Fault::ALL {
        // One that hangs has to be given up soon; all others have time.
        let time = if fault == Fault::Hang { Duration::from_secs(2) } else { PATIENCE };
        let faults = [Some(fault); 4];
        are_earned(name, &faults, &observe(&faults, time, 2));
    }
}

#[test]
fn past_the_doubt_whether_a_target_is_broken_every_launch_is_still_blamed_for_its_own() {
    // More in a row than it takes to be doubted; it answers when it is asked to store a number.
    let faults: Vec<_> =
        [Fault::Crash, Fault::Exit, Fault::Garbage].into_iter().cycle().take(40).map(Some).collect();
    are_earned("in a row", &faults, &observe(&faults, PATIENCE, 2));
}

#[test]
fn of_launches_that_misbehave_by_lot_each_has_what_it_earns() {
    // A hang takes as long as the time limit, and that is long here.
    let drawn: Vec<_> =
        Fault::ALL.iter().map(|(fault, _)| *fault).filter(|fault| *fault != Fault::Hang).collect();
    for seed in 1..=3_u64 {
        let mut state = seed;
        // Knuth's MMIX generator; its upper bits are the good ones.
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let faults: Vec<_> = (0..120).map(|_| (draw(3) == 0).then(|| drawn[draw(drawn.len())])).collect();
        // Both must be there for the test to say anything.
        assert!(faults.iter().flatten().count() >= 20 && faults.iter().filter(|f| f.is_none()).count() >= 40);
        are_earned(&format!("seed {seed}"), &faults, &observe(&faults, PATIENCE, 3));
    }
}

#[test]
fn the_command_that_people_run_misbehaves_for_nobody() {
    for (arguments, words) in [
        (["run", "--against", "mock"], "unknown target `mock`"),
        (["worker", "--inject", "crash=*"], "unexpected argument '--inject'"),
    ] {
        let ended = Command::new(env!("CARGO_BIN_EXE_warpdiff")).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.code() == Some(2) && said.contains(words), "{arguments:?}: {said}");
    }
}
