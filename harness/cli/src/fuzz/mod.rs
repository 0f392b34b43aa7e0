//! `warpdiff fuzz`: generated programs on the reference and on a target.
//!
//! * [`Options`] is the command line of it, [`run`] does it.
//! * `trial` runs one program on both.
//! * `without_text` runs programs that no text is written of.
//! * `culprit` finds the instruction that causes a difference, and names the cause.
//! * `campaign` runs many trials and groups what it finds; `progress` says how far it is.
//! * `refute` checks explanations against programs without a difference.
//! * `finding` reduces a program and writes it as a case.
//! * `summary` prints the results.
//! * `statistics` counts forms, and judges no target.

mod campaign;
mod culprit;
mod finding;
mod options;
mod progress;
mod refute;
mod run;
mod statistics;
mod summary;
mod trial;
mod without_text;

pub use campaign::{Campaign, Cause, Ended, Group};
pub use options::{FuzzError, Inputs, Language, Options};
pub use run::run;
