//! What workers need of the operating system, one module for each: `linux`, `macos` and `windows`.
//!
//! Each has the same items. `start` starts a worker bounded by [`Bounds`]; its `Group` kills it with all its descendants, as far as
//! the system permits. `has_ended`, `signal_of`, `is_out_of_time` and `is_from_outside` read how it ended. `begin_worker_of` bounds a
//! worker that is this program; `confine_emulator` is for one that only computes. `holds` says what of all this is in force on this
//! machine. `VARIABLES` are names of the environment that programs need on this system.

mod bounds;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod macos;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use bounds::{Bounds, Held};
#[cfg(target_os = "linux")]
pub use linux::{Group, VARIABLES, begin_worker_of, confine_emulator, holds, start};
#[cfg(all(unix, not(target_os = "linux")))]
pub use macos::{Group, VARIABLES, begin_worker_of, confine_emulator, holds, start};
#[cfg(unix)]
pub use unix::{has_ended, is_from_outside, is_out_of_time, signal_of};
#[cfg(windows)]
pub use windows::{
    Group, VARIABLES, begin_worker_of, confine_emulator, has_ended, holds, is_from_outside, is_out_of_time,
    signal_of, start,
};
