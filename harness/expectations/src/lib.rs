//! What is known of targets. Files of expectations: which failures are known, which are flaky, and what is not run. Profiles: what a
//! target does, wherever that shows.
//!
//! * [`mod@file`] reads a file; [`entry`] is one entry of it, [`cause`] the failure that it expects, [`conditions`] the devices and
//!   drivers for which it holds, [`releases`] a range of drivers, [`day`] the day on which it expires.
//! * [`folder`] finds the files that a command names; [`in_force`] picks the entries that hold for one target.
//! * [`results`] reads the results of runs; [`patterns`] finds few patterns that match some variants and not others; [`proposal`] writes
//!   the expectations that results need; [`edit`] changes a file so that it fits results.
//! * [`profile`] reads a profile: the choices a target makes and the deviations it is known to have, wherever they show;
//!   [`profile_text`] writes one.
//! * [`schema`] is the JSON Schema of a file of expectations, [`profile_schema`] that of a profile.
//!
//! The formats are described in `docs/expectations.md` and `docs/profiles.md`.

pub mod cause;
pub mod conditions;
pub mod day;
pub mod edit;
pub mod entry;
pub mod file;
pub mod folder;
pub mod in_force;
pub mod patterns;
pub mod profile;
pub mod profile_schema;
pub mod profile_text;
pub mod proposal;
pub mod releases;
pub mod results;
pub mod schema;
