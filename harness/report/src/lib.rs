//! What a person or a program reads about a run.
//!
//! * [`summary`] is the table at the end of a run.
//! * [`closing`] is its last line.
//! * [`mismatch`] is one difference, with instruction, row, coordinates and bytes.
//! * [`recorded`] is what drifted from recordings, [`reasons`] why there is no verdict.
//! * [`json`] is the same as data, [`html`] as a page with pictures.
//! * [`golden`] keeps the reference's answers as text, and tells what changed.

pub mod closing;
pub mod golden;
pub mod html;
pub mod json;
pub mod mismatch;
pub mod reasons;
pub mod recorded;
pub mod summary;
