//! The bounds of a worker process, in words that every system understands.

/// Bounds of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Address space in bytes; `None` for no limit.
    pub address_space: Option<u64>,
    /// Processor time in seconds; `None` for no limit.
    pub processor: Option<u64>,
    /// Size of a file that it writes, in bytes; `None` for no limit.
    pub file_size: Option<u64>,
    /// Whether it may use the network.
    pub network: bool,
}

/// Whether a bound is in force on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The bound.
    pub bound: &'static str,
    /// How it is held, or why it is not.
    pub how: Result<String, String>,
}

impl Held {
    pub(crate) fn new(bound: &'static str, how: Result<&str, String>) -> Self {
        Self { bound, how: how.map(str::to_owned) }
    }
}
