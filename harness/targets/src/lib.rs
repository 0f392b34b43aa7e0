//! Targets: the implementations that are judged. [`Target`] is their interface.
//!
//! * `name` – reads `--against`.
//! * `emulator` – the emulator, with or without deviations.
//! * `cuda` – a device, or a drop-in driver library, through the CUDA driver API.
//! * `compiled` – NVIDIA's compiler, and the emulator for the machine code that it makes.
//! * `process` – a program that speaks the worker protocol.
//! * `ptxas` – NVIDIA's assembler, which accepts or rejects programs and runs nothing.
//! * `recording` – a recording that is judged again.
//! * `layered` – any target behind a layer: `budgeted` leaves out launches that may fault, `nothing_runs` all; `journalled` stores answers, so that a
//!   killed run can go on; `recorder` stores them for a recording; `recorded_comparison` compares them with a recording;
//!   `through_ptx` translates SPA 5.0 programs to PTX ([`translation`]).
//! * `registered` – a target that the running program adds, as tests do.

mod budgeted;
mod compiled;
mod cuda;
mod emulator;
pub mod fault_budget;
mod fit;
mod journalled;
mod layered;
mod name;
mod nothing_runs;
mod process;
pub mod ptxas;
mod recorded_comparison;
mod recorder;
mod recording;
mod registered;
mod through_ptx;
pub mod translation;

use std::collections::BTreeMap;

use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_emulator::Program;
use warpdiff_judge::assembled::Assembled;
use warpdiff_judge::machine_code::MachineCode;
use warpdiff_judge::reference::Unit;
use warpdiff_judge::stated_alone;
use warpdiff_model::{Allowed, Observation};
use warpdiff_recordings::index::Index;

pub use budgeted::{Exposure, FaultBudget};
pub use compiled::{CompiledName, CompiledTarget, Drift, Kept, Level, MachineWords};
pub use cuda::{
    Answers, CudaName, CudaTarget, NO_WORKERS as NO_CUDA_WORKERS, Presence, Probe, presence,
    serve as serve_cuda,
};
pub use emulator::EmulatorTarget;
pub use journalled::Journalled;
pub use layered::{Layer, Layered};
pub use name::{TargetName, TargetNameError, same_implementation};
pub use nothing_runs::NothingRuns;
pub use process::ProcessTarget;
pub use ptxas::PtxasTarget;
pub use recorded_comparison::RecordedComparison;
pub use recorder::{Captured, CapturedLaunch, Recorder};
pub use recording::RecordedTarget;
pub use registered::{Registered, register};
pub use through_ptx::ThroughPtx;

pub use warpdiff_worker::launch_answer::{Answer, Effort};

/// A launch for a target.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// Id of the variant it belongs to.
    pub variant: &'a str,
    /// The launch.
    pub planned: &'a PlannedLaunch,
    /// Its program, decoded for the emulator; `None` if the emulator cannot run it. Other targets take the text from the launch.
    pub program: Option<&'a Program>,
    /// What the launch may do, if that is known.
    pub allowed: Option<&'a Allowed>,
    /// It may fault, or ended abnormally before: a target whose process does not survive a fault runs it alone.
    pub may_fault: bool,
    /// It was put before in this run: the target itself has to answer, and the answer is kept nowhere.
    pub again: bool,
}

impl<'a> Question<'a> {
    /// The question for a unit of the variant with this id.
    pub fn of(unit: &'a Unit<'_>, variant: &'a str) -> Self {
        let (program, allowed) = (Some(&unit.compiled.program), Some(&unit.allowed));
        Self { variant, planned: &unit.planned, program, allowed, may_fault: unit.may_stop(), again: false }
    }

    /// The question for a launch of the variant with this id that the reference cannot run.
    pub fn of_unsupported(planned: &'a PlannedLaunch, variant: &'a str) -> Self {
        let may_fault = stated_alone::may_stop(planned);
        Self { variant, planned, program: None, allowed: None, may_fault, again: false }
    }

    /// The same, after a failure in a launch beside it.
    pub fn suspicion(unit: &'a Unit<'_>, variant: &'a str) -> Self {
        Self { may_fault: true, ..Self::of(unit, variant) }
    }

    /// The same, put again.
    #[must_use]
    pub fn again(self) -> Self {
        Self { again: true, ..self }
    }
}

/// Something that runs launches.
pub trait Target: Send + Sync {
    /// Its name, as `--against` writes it.
    fn name(&self) -> &str;

    /// Prepares the target to run launches.
    ///
    /// # Errors
    /// Why it cannot run launches, as a lowercase fragment.
    fn prepare(&self) -> Result<(), String> {
        Ok(())
    }

    /// A remark before a run: the device found, or why all launches will be skipped.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Runs a launch. A failure is an observation, too.
    fn observe(&self, question: Question<'_>) -> Observation;

    /// The same where undefined bits count as what the machine happens to hold, for a target that inverts them so that they show. `None`
    /// for other targets.
    fn observe_as_held(&self, _question: Question<'_>) -> Option<Observation> {
        None
    }

    /// Whether it takes SPA 5.0 programs. A target that does not is given their PTX translation, where there is one.
    fn takes_spa(&self) -> bool {
        false
    }

    /// Whether it claims SPA 5.0 and is judged by it. Other targets are characterised.
    fn claims_spa(&self) -> bool {
        self.takes_spa()
    }

    /// Whether it may look at the text of a program. One that does not takes programs that were never written as text.
    fn reads_text(&self) -> bool {
        true
    }

    /// Whether its programs go through ptxas, which may depart from the specification in some of them.
    fn is_compiled(&self) -> bool {
        false
    }

    /// The number of the newest architecture whose programs it takes, as in `sm_75`; `None` if it takes all, or it is not known.
    fn newest_architecture(&self) -> Option<u32> {
        None
    }

    /// For assemblers: the answer to a program, with the dialect's name as cases have it. `None` for other targets.
    fn assemble(&self, _program: &str) -> Option<(String, Assembled)> {
        None
    }

    /// Facts about the target for recordings: device, driver, release, each by name.
    fn device(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// The recording that its observations are compared with, if any.
    fn recording(&self) -> Option<&Index> {
        None
    }

    /// Whether it is a recording, which may lack launches.
    fn replays(&self) -> bool {
        false
    }

    /// The fault budget, and whether launches that may fault should be run at all.
    fn exposure(&self) -> Exposure {
        Exposure::default()
    }

    /// Whether one more launch that may fault can be run beside those of the run. Takes it from the fault budget.
    fn may_fault_again(&self) -> bool {
        true
    }

    /// Whether it surely answers a launch the same each time.
    fn is_deterministic(&self) -> bool {
        false
    }

    /// The machine words that it made of a line of a kernel of a program, for reports; `None` if it runs no machine code that it
    /// knows, or has no line table.
    fn machine_code(&self, _program: &str, _entry: &str, _line: u32) -> Option<MachineCode> {
        None
    }

    /// Whether many launches at a time run faster.
    fn batches(&self) -> bool {
        false
    }

    /// Counts of processes and modules so far, for targets that run launches in worker processes.
    fn effort(&self) -> Option<Effort> {
        None
    }

    /// Why it can run no further launch, if it is broken.
    fn broken(&self) -> Option<String> {
        None
    }

    /// Runs many launches. `answered` is called once per launch, with its index and its answer, in any order and from any thread.
    fn observe_all(&self, questions: &[Question<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        for (index, question) in questions.iter().enumerate() {
            answered(index, self.observe(*question).into());
        }
    }
}
