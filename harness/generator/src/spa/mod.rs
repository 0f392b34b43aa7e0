//! Programs of SPA 5.0: loads, stores and atomics on the windows that each thread owns, with and without a schedule of their own.
//!
//! * `build` – bytes → specimen.
//! * `write` – specimen → text.
//! * `schedule` – statements, and which of them wait for which.

mod build;
mod schedule;
mod write;

pub use build::draw;
pub(crate) use write::program;
