//! What a person, or another program, gets to see.
//!
//! * [`style`] is colours, or none;
//! * [`summary`] is the table at the end of a run.
//! * [`causes`] says which deviations explain how many variants.
//! * [`closing`] is its last line.
//! * [`mismatch`] is one difference, with instruction, row, coordinates and bytes.
//! * [`recorded`] is what drifted from recordings.
//! * [`json`] is the same as data, [`html`] as a page with pictures.

pub mod causes;
pub mod closing;
pub mod html;
pub mod json;
pub mod mismatch;
pub mod recorded;
pub mod style;
pub mod summary;
