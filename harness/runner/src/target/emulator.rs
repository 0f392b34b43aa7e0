//! The emulator as a target: under the bare specification, or with deviations.

use warpdiff_model::{Observation, Semantics};

use super::{Question, Target};

/// The emulator under given semantics.
#[derive(Clone, Debug)]
pub struct EmulatorTarget {
    name: String,
    semantics: Semantics,
}

impl EmulatorTarget {
    /// The emulator under these semantics; its name lists the deviations.
    pub fn new(semantics: Semantics) -> Self {
        let deviations: Vec<_> = semantics.deviations().map(|d| d.name()).collect();
        let name = if deviations.is_empty() {
            "emulator".into()
        } else {
            format!("emulator+{}", deviations.join(","))
        };
        Self { name, semantics }
    }

    /// What it implements.
    pub fn semantics(&self) -> &Semantics {
        &self.semantics
    }
}

impl Target for EmulatorTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        match warpdiff_emulator::observe(question.program, &question.planned.launch, &self.semantics) {
            Ok(observation) => observation,
            Err(error) => Observation::Rejected { stage: "launch".into(), message: error.to_string() },
        }
    }
}
