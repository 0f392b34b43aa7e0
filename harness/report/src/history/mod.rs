//! Results of many nights: what changed when.
//!
//! * [`nights`] reads the files, joins shards, and keeps of each target what it did in each run;
//! * [`changes`] finds the variants whose status changed, together where their histories are equal;
//! * [`text`] is the table for a terminal, [`data`] the same as JSON; [`html::history`](crate::html::history) is the page.

pub mod changes;
pub mod data;
pub mod nights;
pub mod text;
