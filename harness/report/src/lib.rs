//! What a person or a program reads about a run.
//!
//! * [`summary`] is the table at the end of a run.
//! * [`closing`] is its last line.
//! * [`mismatch`] is one difference, with instruction, row, coordinates and bytes.
//! * [`drift`] is what drifted from recordings, [`reasons`] why there is no verdict.
//! * [`json`] is the same as data, [`html`] as a page with pictures.
//! * [`golden`] keeps the reference's answers as text, and tells what changed. [`replace_file`] writes a file as a whole or not at all.

pub mod closing;
pub mod drift;
pub mod golden;
pub mod html;
pub mod json;
pub mod mismatch;
pub mod reasons;
pub mod replace_file;
pub mod summary;
