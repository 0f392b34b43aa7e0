//! Limits of workers and their defaults: time, memory, number.

use std::fmt;
use std::num::NonZero;
use std::thread;
use std::time::Duration;

use warpdiff_model::Launch;

/// Limit of the default number of workers, which is the number of processors. Each worker on a device has a context, which takes
/// memory on host and device.
const JOBS: usize = 16;

/// Limits of the workers of a target. Durations are wall time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its `hello`.
    pub hello: Duration,
    /// From one message about a launch to the next: to `started`, and from there to `observed`.
    pub launch: Duration,
    /// The most that a case may state for its launches in place of `launch`; `None` for no limit.
    pub case: Option<Duration>,
    /// From one message about a module to the next: it compiles a hundred kernels and more.
    pub module: Duration,
    /// Address space of a worker in bytes; `None` for no limit.
    pub address_space: Option<u64>,
    /// Workers at a time.
    pub jobs: usize,
    /// Size of a file that a worker writes, in bytes; `None` for no limit.
    pub file_size: Option<u64>,
    /// Whether workers may use the network.
    pub network: bool,
    /// Names of the environment that workers get beside the usual ones; `*` at the end of a name is any ending.
    pub passed: &'static [String],
    /// Processor time of a worker over its whole life, in seconds; `None` for no limit. A worker that has used it up is replaced.
    pub processor: Option<u64>,
}

/// The time limit of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchLimit {
    /// The limit.
    pub time: Duration,
    /// Who sets it.
    pub by: LimitSource,
}

/// Who sets the time limit of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitSource {
    /// The command line, for all launches.
    Usual,
    /// The case.
    Case,
    /// The command line, because the case states more.
    MostOfACase,
}

impl fmt::Display for LaunchLimit {
    /// `10 s (limits of the case)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = match self.by {
            LimitSource::Usual => "--time-limit",
            LimitSource::Case => "`limits` of the case",
            LimitSource::MostOfACase => "--case-limit, below the `limits` of the case",
        };
        write!(f, "{} s ({by})", self.time.as_secs_f64())
    }
}

impl Limits {
    /// The time limit of a launch.
    pub fn of(&self, launch: &Launch) -> LaunchLimit {
        match (launch.time_limit, self.case) {
            (None, _) => LaunchLimit { time: self.launch, by: LimitSource::Usual },
            (Some(stated), Some(most)) if stated > most => {
                LaunchLimit { time: most, by: LimitSource::MostOfACase }
            }
            (Some(stated), _) => LaunchLimit { time: stated, by: LimitSource::Case },
        }
    }
}

impl Default for Limits {
    /// 30 seconds to start, 20 for a launch, 120 for a module, 16 GiB of address space, files of 1 GiB, one hour of processor time, no network; a worker for
    /// each processor.
    fn default() -> Self {
        Self {
            hello: Duration::from_secs(30),
            launch: Duration::from_secs(20),
            case: None,
            module: Duration::from_secs(120),
            address_space: Some(16 << 30),
            processor: Some(3600),
            file_size: Some(1 << 30),
            network: false,
            passed: &[],
            jobs: thread::available_parallelism().map_or(1, NonZero::get).min(JOBS),
        }
    }
}
