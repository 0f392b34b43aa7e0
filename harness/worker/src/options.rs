//! Command line options for worker processes.

use std::time::Duration;

use super::limits::Limits;

/// Limits of worker processes. Targets without worker processes ignore them.
#[derive(Clone, Debug, clap::Args)]
pub struct WorkerOptions {
    /// Time limit of a launch in a worker process, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = Self::default().time_limit, value_parser = clap::value_parser!(u64).range(1..))]
    time_limit: u64,
    /// The most seconds that a case may state for its launches in place of --time-limit (`limits: {seconds: 60}`) [default: what it
    /// states]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    case_limit: Option<u64>,
    /// Worker processes of a target at a time [default: one per processor, at most 16]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Address space of a worker process, in GiB; without effect on CUDA targets, whose drivers reserve more than the machine's
    /// memory
    #[arg(long, value_name = "GIB", default_value_t = Self::default().memory_limit, value_parser = clap::value_parser!(u64).range(1..))]
    memory_limit: u64,
    /// Size of a file that a worker process writes, in GiB
    #[arg(long, value_name = "GIB", default_value_t = Self::default().file_limit, value_parser = clap::value_parser!(u64).range(1..))]
    file_limit: u64,
    /// Let worker processes use the network
    #[arg(long)]
    allow_network: bool,
    /// Pass a variable of the environment to worker processes, beside PATH, HOME, TMPDIR, LANG, LD_LIBRARY_PATH, CUDA_*, NVIDIA_* and
    /// WARPDIFF_*; `*` at the end of a name is any ending
    #[arg(long, value_name = "NAME")]
    pass_env: Vec<String>,
}

impl Default for WorkerOptions {
    /// As [`Limits::default`].
    fn default() -> Self {
        let Limits { launch, address_space, file_size, network, .. } = Limits::default();
        let gibibytes = |limit: Option<u64>| limit.map_or(u64::MAX, |bytes| bytes >> 30);
        Self {
            time_limit: launch.as_secs(),
            case_limit: None,
            jobs: None,
            memory_limit: gibibytes(address_space),
            file_limit: gibibytes(file_size),
            allow_network: network,
            pass_env: Vec::new(),
        }
    }
}

impl WorkerOptions {
    /// The limits that they set.
    pub fn limits(&self) -> Limits {
        let usual = Limits::default();
        Limits {
            launch: Duration::from_secs(self.time_limit),
            case: self.case_limit.map(Duration::from_secs),
            address_space: Some(self.memory_limit.saturating_mul(1 << 30)),
            file_size: Some(self.file_limit.saturating_mul(1 << 30)),
            network: self.allow_network,
            // Once for a command line; the names are needed until the end.
            passed: self.pass_env.clone().leak(),
            jobs: self.jobs.map_or(usual.jobs, usize::from),
            ..usual
        }
    }
}
