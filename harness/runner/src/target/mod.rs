//! Targets: what is being judged.
//!
//! * [`Target`] is what the runner asks of one.
//! * [`name`] reads `--against`.
//! * [`emulator`] is the emulator itself, with deviations or without.
//! * [`mock`] behaves as the names of the variants tell it to: for tests of the status logic.

mod emulator;
mod mock;
mod name;

use warpdiff_emulator::Program;
use warpdiff_model::Observation;

use crate::plan::PlannedLaunch;

pub use emulator::EmulatorTarget;
pub use mock::MockTarget;
pub use name::{TargetName, TargetNameError};

/// A launch put to a target.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// Id of the variant it belongs to.
    pub variant: &'a str,
    /// What is to be run.
    pub planned: &'a PlannedLaunch,
    /// Its program, decoded for the emulator. A target of another kind takes the text from the launch.
    pub program: &'a Program,
}

/// Something that runs launches.
pub trait Target: Sync {
    /// Its name, as `--against` writes it.
    fn name(&self) -> &str;

    /// Runs a launch and says what it did. Whatever goes wrong is an observation, too.
    fn observe(&self, question: Question<'_>) -> Observation;
}
