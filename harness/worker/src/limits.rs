//! What workers may take.

use std::num::NonZero;
use std::thread;
use std::time::Duration;

/// Workers at a time, unless somebody says otherwise: as many as there are processors, up to this. Each worker on a device
/// has a context of its own, which takes memory on both sides.
const JOBS: usize = 16;

/// What workers may take. Time is wall time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its `hello`.
    pub hello: Duration,
    /// From one message about a launch to the next: to `started`, and from there to `observed`.
    pub launch: Duration,
    /// From one message about a module to the next: the time to compile a hundred kernels and more.
    pub module: Duration,
    /// Bytes of address space, where that is limited.
    pub address_space: Option<u64>,
    /// Workers at a time.
    pub jobs: usize,
    /// Seconds of processor time over its whole life, where that is limited. A worker that has used them up is replaced.
    pub processor: Option<u64>,
}

impl Default for Limits {
    /// 30 seconds to start, 20 for a launch, 120 for a module, 16 GiB, one hour of processor time; a worker for each processor.
    fn default() -> Self {
        Self {
            hello: Duration::from_secs(30),
            launch: Duration::from_secs(20),
            module: Duration::from_secs(120),
            address_space: Some(16 << 30),
            processor: Some(3600),
            jobs: thread::available_parallelism().map_or(1, NonZero::get).min(JOBS),
        }
    }
}
