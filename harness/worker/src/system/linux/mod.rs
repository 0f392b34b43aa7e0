//! Workers on Linux: bounded, without network and new privileges, killed with all their descendants, dead when warpdiff is.
//!
//! `start` starts and ends them; `isolation` is what they may not, `cgroup` limits and finds their processes, `descendants` finds those
//! that have none, `system_calls` confines workers of our own emulator.

mod cgroup;
mod descendants;
mod isolation;
mod start;
mod system_calls;

pub use start::{Group, VARIABLES, begin_worker_of, holds, start};
pub use system_calls::confine_emulator;
