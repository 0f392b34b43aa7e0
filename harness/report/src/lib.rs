//! The reports of a run, for people and for programs.
//!
//! * [`summary`] is the table at the end of a run.
//! * [`closing`] is its last line.
//! * [`mismatch`] is one finding, with instruction, rows, coordinates and bytes.
//! * [`drift`] is the comparison with recordings, [`reasons`] why variants have no verdict, [`repeated`] what came of
//!   running failing ones again.
//! * [`json`] is the same as data, [`html`] as a page with pictures.
//! * [`trace`] is one thread's run, instruction by instruction.
//! * [`golden`] keeps allowed outcomes as text, and compares them. [`replace_file`] writes a file as a whole or not at all.

pub mod closing;
pub mod drift;
pub mod golden;
pub mod html;
pub mod json;
pub mod mismatch;
pub mod reasons;
pub mod repeated;
pub mod replace_file;
pub mod summary;
pub mod trace;
