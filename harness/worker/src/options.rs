//! Options of every command that puts launches to a target, on the processes in which they run.

use std::time::Duration;

use super::limits::Limits;

/// What the processes of a target may take. Targets without processes have no use for it.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct WorkerOptions {
    /// Time limit of a launch in a worker process, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = Self::default().time_limit, value_parser = clap::value_parser!(u64).range(1..))]
    time_limit: u64,
    /// Worker processes of a target at a time [default: one per processor, at most 16]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Address space of a worker process, in GiB; without effect on CUDA targets, whose drivers reserve more than the machine's memory
    #[arg(long, value_name = "GIB", default_value_t = Self::default().memory_limit, value_parser = clap::value_parser!(u64).range(1..))]
    memory_limit: u64,
}

impl Default for WorkerOptions {
    /// As [`Limits::default`].
    fn default() -> Self {
        let Limits { launch, address_space, .. } = Limits::default();
        let gibibytes = address_space.map_or(u64::MAX, |bytes| bytes >> 30);
        Self { time_limit: launch.as_secs(), jobs: None, memory_limit: gibibytes }
    }
}

impl WorkerOptions {
    /// The limits that they set.
    pub fn limits(self) -> Limits {
        let usual = Limits::default();
        Limits {
            launch: Duration::from_secs(self.time_limit),
            address_space: Some(self.memory_limit.saturating_mul(1 << 30)),
            jobs: self.jobs.map_or(usual.jobs, usize::from),
            ..usual
        }
    }
}
