//! The report of a run as one HTML page without network, fonts and other files.
//!
//! * [`page`](page()) is the whole page: verdict, counts, causes, mismatches, unjudged variants;
//! * `shown_in_full` chooses the mismatches that are shown in full, so that a page of thousands stays usable;
//! * `mismatch` is one mismatch: instruction, rows and memory;
//! * `picture` draws a region of memory: as expected, as observed, and the difference;
//! * `texel` writes a texel in the terms of its format;
//! * `policy` forbids the page everything but its own style and script.
//!
//! Templates escape all inserted text. The same run gives the same page.

mod mismatch;
mod page;
mod picture;
mod policy;
mod shown_in_full;
mod texel;

pub use page::page;
