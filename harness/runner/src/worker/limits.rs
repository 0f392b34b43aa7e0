//! What a worker may take.

use std::time::Duration;

/// What a worker may take. Time is wall time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its `hello`.
    pub hello: Duration,
    /// From one message about a launch to the next: to `started`, and from there to `observed`.
    pub launch: Duration,
    /// Bytes of address space, where that is limited.
    pub address_space: Option<u64>,
    /// Seconds of processor time over its whole life, where that is limited. A worker that has used them up is replaced.
    pub processor: Option<u64>,
}

impl Default for Limits {
    /// 30 seconds to start, 20 for a launch, 16 GiB, one hour of processor time.
    fn default() -> Self {
        Self {
            hello: Duration::from_secs(30),
            launch: Duration::from_secs(20),
            address_space: Some(16 << 30),
            processor: Some(3600),
        }
    }
}
