//! A launch that is put to a worker, and what comes of it.

use std::fmt;

use warpdiff_model::{Launch, Observation};

/// The stage at which a launch is rejected whose worker ended by itself, or could not be started.
pub const PROCESS: &str = "process";
/// The stage at which a launch is rejected whose worker broke the protocol.
pub const PROTOCOL: &str = "protocol";
/// A launch to be observed.
#[derive(Clone, Copy)]
pub struct WorkerLaunch<'a> {
    /// The case it belongs to: for the target's own logs.
    pub case: &'a str,
    /// The launch.
    pub launch: &'a Launch,
    /// It is permitted to fault, or did something of the kind before.
    pub may_fault: bool,
    /// It is kept away from other launches: it runs on a worker on which no other kind of launch runs, and nothing is sent
    /// behind it before it is answered.
    pub alone: bool,
}

impl<'a> WorkerLaunch<'a> {
    /// A launch of which nothing bad is known.
    pub fn new(case: &'a str, launch: &'a Launch) -> Self {
        Self { case, launch, may_fault: false, alone: false }
    }
}

/// What became of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The observation.
    pub observation: Observation,
    /// What the worker wrote to its standard error, the last of it, where the worker failed.
    pub said: Option<String>,
}

impl Answer {
    /// Where there is none: that must not happen, and must not go unnoticed.
    pub fn lost() -> Self {
        failed(PROCESS, "warpdiff lost the answer".into(), None)
    }
}

impl Answer {
    /// Whether the worker was lost with the launch, rather than that it answered.
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
        Self { observation, said: None }
    }
}

/// What was done for the launches so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Processes that were started and said `hello`.
    pub processes: usize,
    /// Modules of several programs that were loaded.
    pub modules: usize,
    /// Programs in these modules, all together.
    pub shared: usize,
    /// Programs in the largest of them.
    pub largest: usize,
    /// Modules that could not be loaded.
    pub refused: usize,
    /// Launches that were sent.
    pub launches: usize,
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { processes, modules, shared, largest, refused, launches } = self;
        write!(f, "{launches} launches in {processes} processes")?;
        if *modules > 0 {
            write!(f, ", {shared} programs in {modules} modules of up to {largest}")?;
        }
        if *refused > 0 {
            write!(f, ", {refused} modules refused and split")?;
        }
        Ok(())
    }
}

/// The answer to a launch whose worker failed at this stage.
pub(crate) fn failed(stage: &str, message: String, said: Option<String>) -> Answer {
    Answer { observation: Observation::rejected(stage, message), said }
}
