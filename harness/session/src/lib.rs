//! A run: variants are put to targets, and the verdicts are collected.
//!
//! * [`prepared_variant`] – a variant on which the reference has answered, put to targets launch by launch.
//! * [`batches`] – many variants at once, for targets that are quicker with many launches.
//! * [`launch_answers`] – what a target did with launches; [`target_verdict`] what it earns by that, [`ptxas_verdicts`] on a question of
//!   legality; [`verdict`] is both with the reference's.
//! * [`session`] – a whole run, on all cores.
//! * [`kept_observations`], [`diagnosis_of_run`] – each explanation, held against everything observed of the instruction; [`causes`]
//!   counts them.
//! * [`agreement`] – several targets: which is the odd one out.
//! * [`known_failures`] – lists of failures that are excused.
//! * [`missing_recordings`] – whether recordings have every launch of the run.
//! * [`characterize`], [`question_answers`] – what a target does where the specification leaves it open.

pub mod agreement;
pub mod batches;
pub mod causes;
pub mod characterize;
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
