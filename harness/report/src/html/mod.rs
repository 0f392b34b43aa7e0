//! The report of a run as one HTML page without network, fonts and other files.
//!
//! * [`page`] is the whole page: of a run, or of the results of one;
//! * [`history`] is the page of many nights; [`mutants`] the page of what cases notice of deviations;
//! * `causes` is the mismatches by cause, each with an example; `list` all variants, packed; `packed` packs;
//! * `matrix` counts variants by instruction, `coverage` by requirement, `recording` by what is recorded;
//!   `standing` has the marks and words of their statuses;
//! * `mismatch` is one mismatch: instruction, rows and memory; `mismatch_line` is the same from a file of results;
//! * `picture` draws a region of memory: as expected, as observed, and the difference; `texel` writes a texel in the terms of its format;
//! * `policy` forbids the page everything but its own style and script; `base64` is a form of bytes.
//!
//! Templates escape all inserted text. The same run gives the same page.

mod base64;
mod causes;
mod coverage;
pub mod history;
mod list;
mod matrix;
mod mismatch;
mod mismatch_line;
pub mod mutants;
mod packed;
pub mod page;
mod picture;
pub mod policy;
mod recording;
mod sections;
mod texel;
