//! What a person, or another program, gets to see.
//!
//! * [`style`]: colours, or none.
//! * [`summary`]: the table at the end of a run.
//! * [`mismatch`]: one difference, with instruction, row, coordinates and bytes.
//! * [`json`]: the same as data.

pub mod json;
pub mod mismatch;
pub mod style;
pub mod summary;
