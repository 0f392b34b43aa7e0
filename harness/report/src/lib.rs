//! The reports of a run, for people and for programs.
//!
//! * [`terminal`] is what a person reads in a terminal, with these parts:
//!   [`summary`] the table of counts, [`closing`] the last line, [`mismatch`] one finding, with instruction, rows, coordinates and bytes,
//!   [`drift`] the comparison with recordings, [`reasons`] why variants have no verdict, [`repeated`] what came of running
//!   failing ones again.
//! * [`results`] is the same as data, a line for each variant; [`html`] is a page with pictures.
//! * [`history`] is what changed from night to night.
//! * [`junit`] and [`github`] say it to CI services.
//! * [`roadmap`] is the order in which features unlock the corpus, for authors of emulators.
//! * [`mutants`] is what cases notice of each deviation.
//! * [`trace`] is one thread's run, instruction by instruction.
//! * [`standing`] has marks and words for statuses, on pages.
//! * [`golden`] keeps allowed outcomes as text, and compares them. [`replace_file`] writes a file as a whole or not at all.

pub mod closing;
pub mod drift;
pub mod github;
pub mod golden;
pub mod history;
pub mod html;
pub mod junit;
pub mod mismatch;
pub mod mutants;
pub mod reasons;
pub mod repeated;
pub mod replace_file;
pub mod results;
pub mod roadmap;
pub mod standing;
pub mod summary;
pub mod terminal;
pub mod trace;
