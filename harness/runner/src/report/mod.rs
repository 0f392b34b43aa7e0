//! What a person, or another program, gets to see.
//!
//! * [`style`] is colours, or none;
//! * [`summary`] is the table at the end of a run.
//! * [`causes`] says which deviations explain how many variants.
//! * [`closing`] is its last line.
//! * [`mismatch`] is one difference, with instruction, row, coordinates and bytes.
//! * [`recorded`] is what drifted from recordings, [`reasons`] why there is no verdict.
//! * [`foreign`] makes words of targets and devices harmless before a person sees them.
//! * [`json`] is the same as data, [`html`] as a page with pictures.

pub mod causes;
pub mod closing;
pub mod foreign;
pub mod html;
pub mod json;
pub mod mismatch;
pub mod reasons;
pub mod recorded;
pub mod style;
pub mod summary;
