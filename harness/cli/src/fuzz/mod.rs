//! `warpdiff fuzz`: generated programs on the reference and on a target.
//!
//! * [`Options`] is the command line of it, [`run`] does it.
//! * `trial` runs one program on both.
//! * `without_text` runs programs that no text is written of.
//! * `culprit` finds the instruction that causes a difference, and names the cause.
//! * `step_by_step` says what a compiler's deviations do to the steps of a program that none of them reproduces as a whole.
//! * `campaign` runs many trials and groups what it finds; `progress` says how far it is.
//! * `explainer` tries deviations on the programs that differ; `explanations` are the few deviations that explain many programs; `refute` checks explanations against programs without a difference.
//! * `finding` reduces a program and writes it as a case.
//! * `summary` prints the results.
//! * `programs` are those of a seed, or those that a `guide` makes of a corpus that grows in a `corpus_folder`.
//! * `statistics` counts forms, and judges no target.

mod campaign;
mod corpus_folder;
mod culprit;
mod explainer;
mod explanations;
mod finding;
mod guide;
mod options;
mod programs;
mod progress;
mod refute;
mod run;
mod statistics;
mod step_by_step;
mod summary;
mod trial;
mod without_text;

pub use campaign::{Campaign, Cause, Ended, Group};
pub use guide::Covered;
pub use options::{FuzzError, Inputs, Language, Options};
pub use run::run;
