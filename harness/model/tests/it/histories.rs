//! Logs of attempts: how they lie in a buffer, and that each corruption is found in what a counter leaves.

use warpdiff_model::corruption::Corruption;
use warpdiff_model::history::{Attempt, Attempted, Field, History, Log};
use warpdiff_model::serial::Place;
use warpdiff_model::serialise::Serialisation;

fn log(attempted: Attempted, threads: u32, width: u8) -> Log {
    let fields = match attempted {
        Attempted::CastSpin => vec![Field::Lanes, Field::Compare, Field::New, Field::Answer],
        _ => vec![Field::Compare, Field::New, Field::Answer],
    };
    let last = Some(Place { region: 1, offset: 0 });
    Log { name: "log".into(), region: 0, threads, width, attempted, fields, initial: 0, last }
}

/// Threads that each add 1, one after the other; each fails once before, and says what it found then.
fn counter(attempted: Attempted, threads: u64) -> History {
    let stored = |value: u64| if attempted == Attempted::Cas { value } else { 1 };
    let failed = |value: u64| if attempted == Attempted::Cas { value } else { 0 };
    let attempts = (0..threads).map(|thread| {
        let lanes = 1 << thread;
        let store = Attempt { compare: thread, new: thread + 1, answer: stored(thread), lanes };
        let failure =
            Attempt { compare: thread - u64::from(thread > 0), new: thread, answer: failed(thread), lanes };
        if thread == 0 { vec![store] } else { vec![failure, store] }
    });
    History { attempts: attempts.collect(), last: Some(threads) }
}

fn is_violation(answer: &Serialisation) -> bool {
    matches!(answer, Serialisation::Violates { .. })
}

#[test]
fn histories_are_read_as_they_are_written() {
    for (attempted, width) in [(Attempted::Cas, 4), (Attempted::Cast, 8), (Attempted::CastSpin, 4)] {
        let log = log(attempted, 3, width);
        let history = counter(attempted, 3);
        let mut expected = history.clone();
        if attempted != Attempted::CastSpin {
            expected.attempts.iter_mut().flatten().for_each(|attempt| attempt.lanes = 0);
        }
        let length = 3 * usize::from(width) * (1 + 2 * log.fields.len());
        let bytes = log.write(&history, length).expect("there is room for two attempts");
        assert_eq!(log.read(&bytes, history.last), Ok(expected));
        assert_eq!(log.write(&history, length - 3 * usize::from(width) * log.fields.len()), None);
    }
}

#[test]
fn records_that_are_none_are_refused() {
    let log = log(Attempted::Cas, 2, 4);
    assert_eq!(log.room(2 * 4 * 7), Some(2));
    assert_eq!((log.room(2 * 4 * 8), log.room(2 * 4 * 7 + 1), log.room(0)), (None, None, None));
    let mut bytes = log.write(&counter(Attempted::Cas, 2), 2 * 4 * 7).expect("there is room");
    bytes[0] = 3;
    let error = log.read(&bytes, None).expect_err("there is room for two").to_string();
    assert_eq!(error, "thread 0 logs 3 attempts, and has room for 2");
    bytes[0] = 0;
    let error = log.read(&bytes, None).expect_err("an attempt is there").to_string();
    assert_eq!(error, "thread 0 logs something behind its 0 attempts");
}

#[test]
fn corruptions_of_a_counter_are_found() {
    for (attempted, _) in Attempted::ALL {
        let (log, history) = (log(attempted, 5, 4), counter(attempted, 5));
        assert_eq!(log.check(&history), Serialisation::Serialises, "{attempted:?}");
        let mut applied = 0;
        for (corruption, name) in Corruption::ALL {
            let Some(corrupted) = corruption.apply(&log, &history) else { continue };
            let answer = log.check(&corrupted);
            assert!(is_violation(&answer), "{name} of {attempted:?}: {answer:?}\n{corrupted:#?}");
            applied += 1;
        }
        assert!(applied >= 20, "{applied} of {attempted:?}");
    }
}

#[test]
fn lanes_that_attempt_together_say_the_same_of_each_other() {
    let log = log(Attempted::CastSpin, 2, 4);
    let attempt = |lanes, answer| Attempt { compare: 0, new: 1, answer, lanes };
    let history = |first, second| History { attempts: vec![vec![first], vec![second]], last: Some(1) };
    assert_eq!(log.check(&history(attempt(3, 1), attempt(3, 0))), Serialisation::Serialises);
    assert!(is_violation(&log.check(&history(attempt(3, 1), attempt(2, 0)))), "lane 1 was alone");
    assert!(is_violation(&log.check(&history(attempt(2, 1), attempt(2, 0)))), "not of its own lane");
    assert_eq!(
        log.check(&history(attempt(1, 1), attempt(2, 0))),
        Serialisation::Serialises,
        "apart, the second came later"
    );
    let apart = History { last: Some(0), ..history(attempt(1, 0), attempt(2, 0)) };
    assert!(
        is_violation(&log.check(&apart)),
        "a lone lane does not fail where what it compares with is there"
    );
}
