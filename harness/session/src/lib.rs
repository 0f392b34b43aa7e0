//! A run: variants run on targets, and the verdicts are collected.
//!
//! * [`prepared_variant`] – a variant with the reference's answer, ready to run on targets launch by launch.
//! * [`batches`] – many variants at once, for targets that are quicker with many launches.
//! * [`launch_answers`] – the answers of a target; [`target_verdict`] – the verdict on them, [`ptxas_verdicts`] on legality cases;
//!   [`verdict`] – the verdicts of all targets and of the reference.
//! * [`session`] – a whole run, on all cores.
//! * [`kept_observations`], [`diagnosis_of_run`] – explanations, checked against everything observed of the instruction;
//!   `compiler_deviations` – those of targets whose programs went through ptxas; [`causes`]
//!   counts them.
//! * [`agreement`] – which of several targets differs.
//! * [`known_failures`] – lists of failures that are excused.
//! * [`missing_recordings`] – whether recordings have every launch of the run.
//! * [`characterize`], [`question_answers`] – the alternatives that a target takes, and its answers to questions of cases.

pub mod agreement;
pub mod batches;
pub mod causes;
pub mod characterize;
mod compiler_deviations;
pub mod diagnosis_of_run;
pub mod kept_observations;
pub mod known_failures;
pub mod launch_answers;
pub mod missing_recordings;
pub mod prepared_variant;
pub mod ptxas_verdicts;
pub mod question_answers;
pub mod session;
pub mod target_verdict;
pub mod verdict;
