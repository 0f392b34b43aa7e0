//! A target whose behaviour is driven by the names of the variants: for tests of the status logic, from the command line
//! down to the exit code, without any machine that misbehaves.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use warpdiff_model::{Buffer, Calls, FaultClass, Launch, Observation, Region, RegionKind, Semantics, State};
use warpdiff_targets::{Answer, EmulatorTarget, Question, Target};

/// Answers as the emulator does unless the id of the variant holds one of these words: `mock-flip` (the first byte of the
/// state is inverted), `mock-guard` (a guard band is overwritten), `mock-fault`, `mock-hang`, `mock-crash`, `mock-reject`,
/// `mock-unsupported`, `mock-not-run`, `mock-unchanged` (it completes and changes no buffer, whatever the program is), `mock-short` (a region loses its last byte), `mock-missing` (a region is missing),
/// `mock-every-N` (the first byte is inverted the first time, and every Nth time from there), `mock-passes-N` (it is inverted but for
/// every Nth time), `mock-after-WORD` (it is inverted after a variant with `mock-WORD` in the same batch).
///
/// With `WARPDIFF_MOCK_BATCHES` in the environment it takes batches, and runs one after the other.
#[derive(Debug)]
pub(crate) struct Mock {
    emulator: EmulatorTarget,
    /// How often each variant was asked.
    asked: Mutex<HashMap<String, usize>>,
}

impl Mock {
    /// The mock.
    pub(crate) fn new() -> Self {
        Self { emulator: EmulatorTarget::new(Semantics::default()), asked: Mutex::default() }
    }
}

impl Target for Mock {
    fn name(&self) -> &str {
        "mock"
    }

    fn takes_spa(&self) -> bool {
        true
    }

    /// What the environment says, in place of a device: `driver=570.124.06,sm=90`.
    fn device(&self) -> BTreeMap<String, String> {
        let said = std::env::var("WARPDIFF_MOCK_DEVICE").unwrap_or_default();
        let facts = said.split(',').filter_map(|fact| fact.split_once('='));
        facts.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        self.observe_after(&[], question)
    }

    fn batches(&self) -> bool {
        std::env::var_os("WARPDIFF_MOCK_BATCHES").is_some()
    }

    fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        for (index, question) in questions.iter().enumerate() {
            answered(index, self.observe_after(&questions[..index], *question).into());
        }
    }
}

/// That a launch completed and changed no buffer, whatever its program is.
fn unchanged(launch: &Launch) -> Observation {
    let region = |buffer: &Buffer| Region {
        kind: RegionKind::Buffer,
        name: buffer.name.clone(),
        bytes: buffer.bytes.clone(),
    };
    Observation::Completed { state: State { regions: launch.buffers.iter().map(region).collect() } }
}

impl Mock {
    /// The answer to a launch after others of its batch.
    fn observe_after(&self, before: &[Question<'_>], question: Question<'_>) -> Observation {
        let Some((_, rest)) = question.variant.split_once("mock-") else {
            return self.emulator.observe(question);
        };
        let word: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        let wrong = match word.rsplit_once('-') {
            Some(("every", "")) => self.turn(&question).is_multiple_of(number_in(rest)),
            Some(("passes", "")) => !(self.turn(&question) + 1).is_multiple_of(number_in(rest)),
            Some(("after", other)) => {
                let other = format!("mock-{other}");
                before.iter().any(|question| question.variant.contains(&other))
            }
            _ => false,
        };
        if wrong {
            return alter(self.emulator.observe(question), "flip");
        }
        match word.as_str() {
            "fault" => Observation::Faulted {
                class: FaultClass::OutOfBounds,
                code: 700,
                thread: None,
                state: None,
                calls: Calls::default(),
            },
            "hang" => Observation::timed_out(),
            "crash" => Observation::Crashed { signal: 11 },
            "reject" => Observation::rejected("load", "mock says no"),
            "unchanged" => unchanged(&question.planned.launch),
            "unsupported" => Observation::Unsupported { what: "whatever mock was asked".into() },
            "not-run" => Observation::NotRun { why: "mock was not in the mood".into() },
            word => alter(self.emulator.observe(question), word),
        }
    }
}

impl Mock {
    /// How often the variant was asked before.
    fn turn(&self, question: &Question<'_>) -> usize {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = asked.entry(question.variant.to_owned()).or_default();
        *turn += 1;
        *turn - 1
    }
}

/// The number in `every-3`.
fn number_in(word: &str) -> usize {
    let digits = word.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit);
    digits.collect::<String>().parse().unwrap_or(1)
}

/// Damages the state in the way the word says.
fn alter(mut observation: Observation, word: &str) -> Observation {
    let (Observation::Completed { state } | Observation::Faulted { state: Some(state), .. }) =
        &mut observation
    else {
        return observation;
    };
    match word {
        "flip" => {
            if let Some(byte) = state.regions.iter_mut().find_map(|r| r.bytes.first_mut()) {
                *byte = !*byte;
            }
        }
        "guard" => {
            let guards = |r: &&mut warpdiff_model::Region| r.kind == warpdiff_model::RegionKind::Guard;
            if let Some(byte) = state.regions.iter_mut().find(guards).and_then(|r| r.bytes.last_mut()) {
                *byte = 0;
            }
        }
        "short" => {
            if let Some(region) = state.regions.iter_mut().find(|r| !r.bytes.is_empty()) {
                region.bytes.pop();
            }
        }
        "missing" => {
            state.regions.pop();
        }
        _ => {}
    }
    observation
}
