//! A launch for a worker, and its answer.

use std::fmt;

use warpdiff_model::{Admission, Allowed, Launch, Observation};

use super::limits::LaunchLimit;

/// Rejection stage of a launch whose worker ended by itself or could not be started.
pub const PROCESS: &str = "process";
/// Rejection stage of a launch whose worker broke the protocol.
pub const PROTOCOL: &str = "protocol";

/// A launch for a worker.
#[derive(Clone, Copy)]
pub struct WorkerLaunch<'a> {
    /// The case it belongs to: for the target's own logs.
    pub case: &'a str,
    /// The launch.
    pub launch: &'a Launch,
    /// It may fault, or ended abnormally before.
    pub may_fault: bool,
    /// It runs alone: on a worker for such launches only, and nothing is sent behind it before its answer.
    pub alone: bool,
    /// What it may do, if that is known: where several programs shared a module, a launch that does something else is asked for again, in a
    /// module of its own.
    pub allowed: Option<&'a Allowed>,
}

impl<'a> WorkerLaunch<'a> {
    /// A launch that cannot fault.
    pub fn new(case: &'a str, launch: &'a Launch) -> Self {
        Self { case, launch, may_fault: false, alone: false, allowed: None }
    }

    /// Whether the answer is something that it may not do.
    pub(crate) fn is_refuted_by(&self, answer: &Answer) -> bool {
        matches!(self.admission(answer), Some(Admission::Violates { .. }))
    }

    /// Whether the answer is something that it may do.
    pub(crate) fn is_met_by(&self, answer: &Answer) -> bool {
        matches!(self.admission(answer), Some(Admission::Conforms { .. }))
    }

    fn admission(&self, answer: &Answer) -> Option<Admission> {
        self.allowed.map(|allowed| allowed.admits_listing(&answer.observation, 0))
    }
}

/// The answer to a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The observation.
    pub observation: Observation,
    /// The end of the worker's standard error, where the worker failed.
    pub said: Option<String>,
    /// For a launch that took too long: the time limit, and who sets it.
    pub limit: Option<LaunchLimit>,
    /// Whether the program shared a module with others.
    pub shared_module: bool,
    /// It is wrong, and was given where the program shared a module. Asked for again in a module of its own, the launch was right.
    pub right_alone: bool,
}

impl Answer {
    /// Stands for a missing answer, which is a defect of warpdiff.
    pub fn lost() -> Self {
        failed(PROCESS, "warpdiff lost the answer".into(), None)
    }
}

impl Answer {
    /// Whether the worker was lost without an answer.
    pub(crate) fn is_of_a_lost_worker(&self) -> bool {
        match &self.observation {
            Observation::Crashed { .. } | Observation::TimedOut { .. } => true,
            Observation::Rejected { stage, .. } => matches!(stage.as_str(), PROCESS | PROTOCOL),
            _ => false,
        }
    }
}

impl From<Observation> for Answer {
    fn from(observation: Observation) -> Self {
        Self { observation, said: None, limit: None, shared_module: false, right_alone: false }
    }
}

/// Counts of the work done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Processes started that said `hello`.
    pub processes: usize,
    /// Modules of several programs that were loaded.
    pub modules: usize,
    /// Programs in all these modules.
    pub shared: usize,
    /// Programs in the largest of these modules.
    pub largest: usize,
    /// Modules that could not be loaded and were split.
    pub refused: usize,
    /// Launches that were sent.
    pub launches: usize,
    /// Of these, launches that were sent again in a module of their own: what they did in one of several programs was wrong.
    pub again: usize,
    /// Of these, launches that were right then.
    pub right_alone: usize,
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { processes, modules, shared, largest, refused, launches, again, right_alone } = self;
        write!(f, "{launches} launches in {processes} processes")?;
        if *modules > 0 {
            write!(f, ", {shared} programs in {modules} modules of up to {largest}")?;
        }
        if *refused > 0 {
            write!(f, ", {refused} modules refused and split")?;
        }
        if *again > 0 {
            write!(f, ", {again} wrong launches again in modules of their own")?;
        }
        if *right_alone > 0 {
            write!(f, " ({right_alone} right there)")?;
        }
        Ok(())
    }
}

/// The answer to a launch whose worker failed at this stage.
pub(crate) fn failed(stage: &str, message: String, said: Option<String>) -> Answer {
    Answer { said, ..Answer::from(Observation::rejected(stage, message)) }
}
