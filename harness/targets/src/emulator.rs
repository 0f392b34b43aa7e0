//! The emulator as a target: under the bare specification, or with deviations.

use warpdiff_model::{Choice, Observation, Semantics};

use super::{Question, Target};

/// The emulator under given semantics.
#[derive(Clone, Debug)]
pub struct EmulatorTarget {
    name: String,
    semantics: Semantics,
    /// Whether it takes SPA 5.0 programs.
    takes_spa: bool,
}

impl EmulatorTarget {
    /// Name of the emulator for PTX alone, without deviations.
    pub(super) const PTX_ALONE: &str = "emulator:ptx";

    /// The emulator under these semantics. Its name lists the deviations and the choices that differ from the default.
    pub fn new(semantics: Semantics) -> Self {
        let deviations = semantics.deviations().map(|d| d.name().to_string());
        let additions: Vec<_> = deviations.chain(choices(&semantics)).collect();
        let name = match additions.as_slice() {
            [] => "emulator".into(),
            additions => format!("emulator+{}", additions.join(",")),
        };
        Self { name, semantics, takes_spa: true }
    }

    /// The same for PTX alone, `emulator:ptx`: SPA 5.0 programs are translated for it, as for a device.
    pub fn of_ptx(semantics: Semantics) -> Self {
        let both = Self::new(semantics);
        let name = both.name.replacen("emulator", Self::PTX_ALONE, 1);
        Self { name, takes_spa: false, ..both }
    }

    /// The semantics it implements.
    pub fn semantics(&self) -> &Semantics {
        &self.semantics
    }
}

/// The choices that differ from the default: `surface.misaligned=fault`.
fn choices(semantics: &Semantics) -> impl Iterator<Item = String> {
    let assignment = semantics.assignment;
    Choice::ALL.iter().filter(move |info| assignment.get(info.choice) != 0).map(move |info| {
        let taken = usize::from(assignment.get(info.choice));
        format!("{}={}", info.name, info.alternatives.get(taken).unwrap_or(&"?"))
    })
}

impl Target for EmulatorTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn takes_spa(&self) -> bool {
        self.takes_spa
    }

    /// It runs what was checked and decoded.
    fn reads_text(&self) -> bool {
        false
    }

    /// Its answers do not depend on anything but the launch.
    fn is_deterministic(&self) -> bool {
        true
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        let Some(program) = question.program else {
            return Observation::Unsupported { what: "the emulator does not run this program".into() };
        };
        match warpdiff_emulator::observe(program, &question.planned.launch, &self.semantics) {
            Ok(observation) => observation,
            Err(error) => Observation::rejected("launch", error.to_string()),
        }
    }
}
