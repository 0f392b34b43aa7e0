//! Contended loops of 64 lanes that log every attempt: what they log is judged by the serialisation check, which rejects every
//! corruption of it.

use warpdiff_emulator::{Options, Schedule, run};
use warpdiff_model::corruption::Corruption;
use warpdiff_model::history::{Attempted, Field, History, Log};
use warpdiff_model::serial::Place;
use warpdiff_model::serialise::Serialisation;

use super::kernel::Spa;

/// Threads; attempts that each of them has room for; bytes of a record: a number and three words for each attempt.
const THREADS: u32 = 64;
const ROOM: usize = 85;
const RECORD: usize = 4 * (1 + 3 * ROOM);

const SCHEDULES: [Schedule; 4] =
    [Schedule::InOrder, Schedule::Reversed, Schedule::Rotated(5), Schedule::Rotated(17)];

/// Every thread adds 1 to word 0 of shared memory with a loop around `attempt`, which compares with `R4`, stores `R5`, answers in
/// `R0` and sets `P1` where it has to be tried again, and in `R6` what it has to compare with then. An attempt is logged as
/// what it compared with, what it would store, and what it was answered.
fn counting(attempt: &str) -> Spa {
    let body = format!(
        "ISETP.EQ.AND P0, PT, R249, RZ, PT;\n@P0 STS [RZ], RZ;\nBAR.SYNC 0x0;\nMOV R10, RZ;\nLDS R6, [RZ];\nMOV R12, R252;\n\
         MOV R13, R253;\nagain:\nMOV R4, R6;\nIADD R5, R4, 0x1;\n{attempt}\
         STG.E [R12+0x4], R4;\nSTG.E [R12+0x8], R5;\nSTG.E [R12+0xc], R0;\nIADD R12, R12, 0xc;\n\
         IADD R10, R10, 0x1;\n@P1 BRA again;\nSTG.E [R252], R10;\nBAR.SYNC 0x0;\nLDS R0, [RZ];\nSTG.E [R252+{:#x}], R0;\n",
        RECORD
    );
    // A record and the final value are padded to a power of two.
    Spa::threads(&body, THREADS, 512)
}

fn cas() -> Spa {
    counting("ATOMS.CAS R0, [RZ], R4, R5;\nMOV R6, R0;\nISETP.NE.AND P1, PT, R0, R4, PT;\n")
}

fn cast(spin: &str) -> Spa {
    counting(&format!(
        "ATOMS.CAST{spin} R0, [RZ], R4, R5;\nLDS R6, [RZ];\nISETP.EQ.AND P1, PT, R0, RZ, PT;\n"
    ))
}

fn log(attempted: Attempted) -> Log {
    let mut fields = vec![Field::Compare, Field::New, Field::Answer];
    if attempted == Attempted::CastSpin {
        fields.push(Field::Lanes);
    }
    let last = Some(Place { region: 1, offset: 0 });
    Log { name: "log".into(), region: 0, threads: THREADS, width: 4, attempted, fields, initial: 0, last }
}

/// What the threads of a program log under a schedule, and the final value that the first of them sees. The lanes of `.SPIN` are not
/// logged: who has stored leaves the loop, and the others of a warp go round together.
fn history(spa: &Spa, attempted: Attempted, schedule: Schedule) -> History {
    let options = Options { tracked: false, schedule, ..Options::default() };
    let run =
        run(&spa.program(), &spa.launch, &spa.semantics, &options).unwrap_or_else(|error| panic!("{error}"));
    let bytes = &run.memory.regions[0].region.bytes;
    let stride = bytes.len() / THREADS as usize;
    let records: Vec<u8> = bytes.chunks(stride).flat_map(|record| &record[..RECORD]).copied().collect();
    let last = u32::from_le_bytes([bytes[RECORD], bytes[RECORD + 1], bytes[RECORD + 2], bytes[RECORD + 3]]);
    let plain = Log { fields: vec![Field::Compare, Field::New, Field::Answer], ..log(attempted) };
    let mut history = plain.read(&records, Some(u64::from(last))).unwrap_or_else(|error| panic!("{error}"));
    let counts: Vec<usize> = history.attempts.iter().map(Vec::len).collect();
    for (thread, attempts) in history.attempts.iter_mut().enumerate() {
        let warp = thread / 32 * 32;
        for (number, attempt) in attempts.iter_mut().enumerate() {
            let lanes = (0..32).filter(|lane| counts[warp + lane] > number);
            attempt.lanes = lanes.fold(0, |all, lane| all | 1 << lane);
        }
    }
    history
}

/// The loop serialises under every schedule, and no corrupted history of it does.
fn rejects(spa: &Spa, attempted: Attempted, at_least: usize) {
    let log = log(attempted);
    for schedule in SCHEDULES {
        let history = history(spa, attempted, schedule);
        assert_eq!(history.last, Some(u64::from(THREADS)));
        let patient = history.attempts.iter().filter(|attempts| attempts.len() > 1).count();
        assert!(patient > 40, "they contend: {patient}");
        assert_eq!(log.check(&history), Serialisation::Serialises, "{schedule:?}");
        let mut rejected = 0;
        for (corruption, name) in Corruption::ALL {
            let Some(corrupted) = corruption.apply(&log, &history) else { continue };
            let answer = log.check(&corrupted);
            assert!(matches!(answer, Serialisation::Violates { .. }), "{name}, {schedule:?}: {answer:?}");
            rejected += 1;
        }
        assert!(rejected >= at_least, "{rejected} corruptions of {attempted:?}");
    }
}

#[test]
fn compare_and_swap_loops_serialise_and_corrupted_ones_do_not() {
    rejects(&cas(), Attempted::Cas, 21);
}

#[test]
fn compare_and_store_loops_serialise_and_corrupted_ones_do_not() {
    rejects(&cast(""), Attempted::Cast, 20);
}

#[test]
fn selecting_loops_serialise_and_corrupted_ones_do_not() {
    rejects(&cast(".SPIN"), Attempted::CastSpin, 20);
}
