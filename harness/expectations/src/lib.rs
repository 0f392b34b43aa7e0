//! Files of expectations: which failures of a target are known, which are flaky, and what is not run.
//!
//! * [`mod@file`] reads a file; [`entry`] is one entry of it, [`cause`] the failure that it expects, [`conditions`] the devices and
//!   drivers for which it holds, [`releases`] a range of drivers, [`day`] the day on which it expires.
//! * [`folder`] finds the files that a command names; [`in_force`] picks the entries that hold for one target.
//! * [`results`] reads the results of runs; [`patterns`] finds few patterns that match some variants and not others; [`proposal`] writes
//!   the expectations that results need; [`edit`] changes a file so that it fits results.
//! * [`schema`] is the JSON Schema of a file.
//!
//! The format is described in `docs/expectations.md`.

pub mod cause;
pub mod conditions;
pub mod day;
pub mod edit;
pub mod entry;
pub mod file;
pub mod folder;
pub mod in_force;
pub mod patterns;
pub mod proposal;
pub mod releases;
pub mod results;
pub mod schema;
