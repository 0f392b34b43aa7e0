//! Targets: what is being judged.
//!
//! * [`Target`] is what the runner asks of one.
//! * `name` reads `--against`.
//! * `emulator` is the emulator itself, with deviations or without.
//! * `cuda` is a device, or a drop-in for the driver library, through the CUDA driver API.
//! * `process` is any program that speaks the worker protocol.
//! * `ptxas` is NVIDIA's assembler, which accepts and rejects but runs nothing.
//! * `recorded` is a recording that is judged again.
//! * `layered` is any of them with something before it: `budgeted` leaves out launches that may fault, where faults are dear or hurt
//!   others; `journalled` keeps what a target answered, for a run that goes on; `recorder` keeps it for a recording; `recorded_comparison` is a
//!   recording that it is held against; `through_ptx` gives PTX in the place of programs of SPA 5.0.
//! * `registered` is a target that a program brings along: tests do.

mod budgeted;
mod cuda;
mod emulator;
pub mod fault_budget;
mod journalled;
mod layered;
mod name;
mod process;
pub mod ptxas;
mod recorded;
mod recorded_comparison;
mod recorder;
mod registered;
mod through_ptx;
pub mod translation;

use std::collections::BTreeMap;

use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_emulator::Program;
use warpdiff_judge::assembled::Assembled;
use warpdiff_judge::reference::Unit;
use warpdiff_model::Observation;
use warpdiff_recordings::index::Index;

pub use budgeted::{Exposure, FaultBudget};
pub use cuda::{Answers, CudaName, CudaTarget, Presence, Probe, presence, serve as serve_cuda};
pub use emulator::EmulatorTarget;
pub use journalled::Journalled;
pub use layered::{Layer, Layered};
pub use name::{TargetName, TargetNameError};
pub use process::ProcessTarget;
pub use ptxas::PtxasTarget;
pub use recorded::RecordedTarget;
pub use recorded_comparison::RecordedComparison;
pub use recorder::{Captured, CapturedLaunch, Recorder};
pub use registered::{Registered, register};
pub use through_ptx::ThroughPtx;

pub use warpdiff_worker::launch_answer::{Answer, Effort};

/// A launch put to a target.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// Id of the variant it belongs to.
    pub variant: &'a str,
    /// What is to be run.
    pub planned: &'a PlannedLaunch,
    /// Its program, decoded for the emulator. A target of another kind takes the text from the launch.
    pub program: &'a Program,
    /// It may fault, or was seen to end otherwise than it should: a target whose process would not survive that keeps it away
    /// from other launches.
    pub may_fault: bool,
}

impl<'a> Question<'a> {
    /// The question that a unit is, for a variant of that id.
    pub fn of(unit: &'a Unit<'_>, variant: &'a str) -> Self {
        let program = &unit.compiled.program;
        Self { variant, planned: &unit.planned, program, may_fault: unit.may_stop() }
    }

    /// The same, where something went wrong before in its company.
    pub fn suspicion(unit: &'a Unit<'_>, variant: &'a str) -> Self {
        Self { may_fault: true, ..Self::of(unit, variant) }
    }
}

/// Something that runs launches.
pub trait Target: Send + Sync {
    /// Its name, as `--against` writes it.
    fn name(&self) -> &str;

    /// Makes ready to run launches.
    ///
    /// # Errors
    /// Why that is not possible, as a lowercase fragment.
    fn prepare(&self) -> Result<(), String> {
        Ok(())
    }

    /// What there is to say of it before a run: what was found, or why all of it will be skipped.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Runs a launch and says what it did. Whatever goes wrong is an observation, too.
    fn observe(&self, question: Question<'_>) -> Observation;

    /// Whether it takes programs of SPA 5.0 as they are. One that does not is given PTX that means the same, where there is such.
    fn takes_spa(&self) -> bool {
        false
    }

    /// Whether it claims to do what SPA 5.0 says, and so is judged by that. What any other does with such programs is characterised.
    fn claims_spa(&self) -> bool {
        self.takes_spa()
    }

    /// What the target makes of a program that is not to be run, with the dialect that cases call it by: for assemblers.
    fn assemble(&self, _program: &str) -> Option<(String, Assembled)> {
        None
    }

    /// What it is, for recordings: device, driver, release, each by name.
    fn device(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// What is recorded of it, where its observations are held against that.
    fn recording(&self) -> Option<&Index> {
        None
    }

    /// Whether it is a recording, which may lack what it is asked.
    fn replays(&self) -> bool {
        false
    }

    /// What faults cost, and whether they should be caused at all.
    fn exposure(&self) -> Exposure {
        Exposure::default()
    }

    /// Whether it is quicker when it is given many launches at once.
    fn batches(&self) -> bool {
        false
    }

    /// What was done so far for the launches, where that is many to one: processes, modules.
    fn effort(&self) -> Option<Effort> {
        None
    }

    /// Why nothing more is asked of it, if it broke down for good.
    fn broken(&self) -> Option<String> {
        None
    }

    /// Runs many launches. `answered` is called once for each of them, as soon as it has its answer, in any order and from
    /// any thread, with its place among the questions.
    fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        for (index, question) in questions.iter().enumerate() {
            answered(index, self.observe(*question).into());
        }
    }
}
