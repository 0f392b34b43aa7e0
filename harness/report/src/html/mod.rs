//! The report of a run as one page that needs nothing else: no network, no fonts, no other files.
//!
//! * [`page`](page()) is the whole: verdict, counts, causes, mismatches, what was not judged;
//! * `shown_in_full` decides which mismatches are shown in full, so that a page of thousands stays usable;
//! * `mismatch` is one of them: instruction, rows, and the memory concerned;
//! * `picture` draws a region of memory: as expected, as observed, and the difference;
//! * `texel` writes a texel in the terms of its format;
//! * `policy` forbids the page everything but its own style and script.
//!
//! Markup is written by templates that escape whatever is put into them. The same run gives the same page.

mod mismatch;
mod page;
mod picture;
mod policy;
mod shown_in_full;
mod texel;

pub use page::page;
