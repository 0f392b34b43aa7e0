//! Contended loops of 64 lanes that log every attempt: what they log is judged by the serialisation check.

use warpdiff_emulator::{Options, Schedule, run};
use warpdiff_model::serial::{AtomicOp, Contenders, Location, Operation, Place};
use warpdiff_model::serialise::{Serialisation, check_all};

use super::kernel::Spa;
use crate::kernel::words;

/// Threads, and words of the log of each: a count, nothing, and for each attempt what it compared with and what it was answered.
const THREADS: u32 = 64;
const LOG: usize = 256;

const SCHEDULES: [Schedule; 4] =
    [Schedule::InOrder, Schedule::Reversed, Schedule::Rotated(5), Schedule::Rotated(17)];

/// Every thread adds 1 to word 0 of shared memory with a loop around `attempt`, which compares with `R4`, stores `R5`, answers in
/// `R0` and sets `P1` where it has to be tried again, and in `R6` what it has to compare with then.
fn counting(attempt: &str) -> Spa {
    let body = format!(
        "ISETP.EQ.AND P0, PT, R249, RZ, PT;\n@P0 STS [RZ], RZ;\nBAR.SYNC 0x0;\nMOV R10, RZ;\nLDS R6, [RZ];\n\
         again:\nMOV R4, R6;\nIADD R5, R4, 0x1;\n{attempt}\
         SHL R11, R10, 0x3;\nIADD R12, R252, R11;\nMOV R13, R253;\nSTG.E [R12+0x8], R4;\nSTG.E [R12+0xc], R0;\n\
         IADD R10, R10, 0x1;\n@P1 BRA again;\nSTG.E [R252], R10;\nBAR.SYNC 0x0;\nLDS R0, [RZ];\nSTG.E [R252+0x4], R0;\n"
    );
    Spa::threads(&body, THREADS, LOG)
}

fn cas() -> Spa {
    counting("ATOMS.CAS R0, [RZ], R4, R5;\nMOV R6, R0;\nISETP.NE.AND P1, PT, R0, R4, PT;\n")
}

fn cast_spin() -> Spa {
    counting("ATOMS.CAST.SPIN R0, [RZ], R4, R5;\nLDS R6, [RZ];\nISETP.EQ.AND P1, PT, R0, RZ, PT;\n")
}

/// One attempt: what it compared with, and what it was answered.
type Attempt = (u32, u32);

/// The attempts of each thread, and the final value that the first of them saw.
#[derive(Clone, Debug)]
struct History {
    attempts: Vec<Vec<Attempt>>,
    last: u32,
}

impl History {
    fn of(spa: &Spa, schedule: Schedule) -> History {
        let options = Options { tracked: false, schedule };
        let run = run(&spa.program(), &spa.launch, &spa.semantics, &options)
            .unwrap_or_else(|error| panic!("{error}"));
        let words = words(&run.memory.regions[0].region.bytes);
        let attempts = words.chunks(LOG).map(|log| {
            let pair = |n: usize| (log[2 + 2 * n], log[3 + 2 * n]);
            (0..log[0] as usize).map(pair).collect()
        });
        History { attempts: attempts.collect(), last: words[1] }
    }

    /// The attempts as operations. With `spin`, those with the same number of the lanes of a warp are of one instruction: who has
    /// stored leaves the loop, and the others go round together.
    fn location(&self, spin: bool) -> (Location, Vec<u64>) {
        let mut operations = Vec::new();
        let mut answers = Vec::new();
        for (thread, attempts) in self.attempts.iter().enumerate() {
            for (number, (compare, answer)) in attempts.iter().enumerate() {
                let (b, c) = (u64::from(*compare), u64::from(*compare) + 1);
                let place = Place { region: 0, offset: answers.len() };
                answers.push(u64::from(*answer));
                let op = if spin { AtomicOp::Cast(b, c) } else { AtomicOp::Cas(b, c) };
                let spin = spin.then(|| self.contenders(thread / 32, number)).flatten();
                operations.push(Operation { op, thread: thread as u32, returned: Some(place), spin });
            }
        }
        let last = Some(Place { region: 1, offset: 0 });
        (Location { name: "shared 0x0".into(), width: 4, initial: Some(0), last, operations }, answers)
    }

    fn contenders(&self, warp: usize, number: usize) -> Option<Contenders> {
        let lanes = &self.attempts[32 * warp..32 * (warp + 1)];
        let contenders = lanes.iter().filter(|attempts| attempts.len() > number).count() as u32;
        (contenders > 1).then_some(Contenders { group: (warp * 1000 + number) as u32, contenders })
    }

    fn check(&self, spin: bool) -> Serialisation {
        let (location, answers) = self.location(spin);
        let read = |place: Place, _| {
            Some(if place.region == 1 { u64::from(self.last) } else { answers[place.offset] })
        };
        check_all(&[location], read).remove(0)
    }

    fn violates(&self, spin: bool, what: &str) {
        let answer = self.check(spin);
        assert!(matches!(answer, Serialisation::Violates { .. }), "{what}: {answer:?}");
    }

    /// Changes the attempt of that number (from the end) of a thread.
    fn with(&self, thread: usize, from_end: usize, change: impl FnOnce(&mut Attempt)) -> History {
        let mut other = self.clone();
        let attempts = &mut other.attempts[thread];
        let index = attempts.len() - 1 - from_end;
        change(&mut attempts[index]);
        other
    }
}

/// The threads that had to try more than once.
fn patient(history: &History) -> Vec<usize> {
    (0..history.attempts.len()).filter(|thread| history.attempts[*thread].len() > 1).collect()
}

#[test]
fn compare_and_swap_loops_serialise_and_corrupted_ones_do_not() {
    for schedule in SCHEDULES {
        let history = History::of(&cas(), schedule);
        assert_eq!(history.last, THREADS);
        assert_eq!(history.check(false), Serialisation::Serialises, "{schedule:?}");
    }
    let history = History::of(&cas(), Schedule::InOrder);
    let threads = patient(&history);
    assert!(threads.len() > 40, "they contend");
    for thread in [threads[1], threads[7], threads[20], threads[33]] {
        history
            .with(thread, 0, |attempt| attempt.1 += 1)
            .violates(false, "one addition less, yet the sum is the same");
        history.with(thread, 1, |attempt| attempt.1 = attempt.0).violates(false, "one addition more");
        history.with(thread, 1, |attempt| attempt.1 = 1000).violates(false, "a value that was never there");
        history
            .with(thread, 0, |attempt| *attempt = (THREADS, THREADS))
            .violates(false, "an addition to the last value");
    }
    for last in [0, THREADS - 1, THREADS + 1] {
        History { last, ..history.clone() }.violates(false, "another final value");
    }
    // The thread that added last found 63; it cannot have found 64 before that.
    let latest = threads.iter().copied().find(|thread| history.attempts[*thread].last() == Some(&(63, 63)));
    let latest = latest.expect("somebody was last, and had to try before");
    history
        .with(latest, 1, |attempt| attempt.1 = THREADS)
        .violates(false, "the final value was found before it was there");
}

#[test]
fn compare_and_store_loops_serialise_and_corrupted_ones_do_not() {
    for schedule in SCHEDULES {
        let history = History::of(&cast_spin(), schedule);
        assert_eq!(history.last, THREADS);
        assert_eq!(history.check(true), Serialisation::Serialises, "{schedule:?}");
    }
    let history = History::of(&cast_spin(), Schedule::InOrder);
    let threads = patient(&history);
    assert!(threads.len() > 40, "they contend");
    for thread in [threads[1], threads[7], threads[20], threads[33]] {
        history
            .with(thread, 0, |attempt| attempt.1 = 0)
            .violates(true, "nobody of the group stored, yet the sum is the same");
        history.with(thread, 1, |attempt| attempt.1 = 1).violates(true, "two of a group stored");
        history.with(thread, 0, |attempt| attempt.1 = 2).violates(true, "no truth value");
        history.with(thread, 0, |attempt| attempt.0 += 1).violates(true, "stored from another value");
    }
    for last in [0, THREADS - 1, THREADS + 1] {
        History { last, ..history.clone() }.violates(true, "another final value");
    }
    // That makes 19 with the three final values; a store that nobody attempted is the twentieth.
    let mut surplus = history.clone();
    surplus.attempts[0].push((THREADS, 1));
    surplus.violates(true, "one addition more than the sum has");
}
