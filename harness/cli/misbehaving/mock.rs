//! A target whose behaviour is driven by the names of the variants: for tests of the status logic, from the command line
//! down to the exit code, without any machine that misbehaves.

use std::collections::BTreeMap;

use warpdiff_model::{Calls, FaultClass, Observation, Semantics};
use warpdiff_targets::{EmulatorTarget, Question, Target};

/// Answers as the emulator does unless the id of the variant holds one of these words: `mock-flip` (the first byte of the
/// state is inverted), `mock-guard` (a guard band is overwritten), `mock-fault`, `mock-hang`, `mock-crash`, `mock-reject`,
/// `mock-unsupported`, `mock-not-run`, `mock-short` (a region loses its last byte), `mock-missing` (a region is missing).
#[derive(Clone, Debug)]
pub(crate) struct Mock {
    emulator: EmulatorTarget,
}

impl Mock {
    /// The mock.
    pub(crate) fn new() -> Self {
        Self { emulator: EmulatorTarget::new(Semantics::default()) }
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
        let Some((_, rest)) = question.variant.split_once("mock-") else {
            return self.emulator.observe(question);
        };
        let word: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
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
            "unsupported" => Observation::Unsupported { what: "whatever mock was asked".into() },
            "not-run" => Observation::NotRun { why: "mock was not in the mood".into() },
            word => alter(self.emulator.observe(question), word),
        }
    }
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
