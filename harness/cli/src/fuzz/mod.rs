//! `warpdiff fuzz`: generated programs on the reference and on a target.
//!
//! * [`Options`] is the command line of it, [`run`] does it.
//! * `trial` puts one program to both.
//! * `culprit` finds the instruction that is to blame, and names the cause.
//! * `campaign` runs many trials and groups what it finds.
//! * `refute` holds what explains the programs that differ against those that do not.
//! * `finding` reduces a program and writes it as a case.
//! * `summary` tells a person.

mod campaign;
mod culprit;
mod finding;
mod options;
mod refute;
mod run;
mod summary;
mod trial;

pub use campaign::{Campaign, Cause, Group};
pub use options::{Dialect, FuzzError, Options};
pub use run::run;
