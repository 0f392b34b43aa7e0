//! A run: variants run on targets, and the verdicts are collected.
//!
//! * [`prepared_variant`] – a variant with the reference's answer, ready to run on targets launch by launch.
//! * [`batches`] – many variants at once, for targets that are quicker with many launches.
//! * [`launch_answers`] – the answers of a target; [`target_verdict`] – the verdict on them, [`ptxas_verdicts`] on legality cases,
//!   `unsupported_verdict` on launches that the reference cannot run (`asked_launch` asks them);
//!   [`verdict`] – the verdicts of all targets and of the reference.
//! * [`session`] – a whole run, on all cores; [`watch`] follows it, and ends it early.
//! * [`diagnosis`] – what a target does instead, over a whole run. [`diagnosis_of_run`] finds it from [`kept_observations`]: `screening` says
//!   what explains each wrong variant by itself, `family_diagnosis` which of that, or which `pairs`, fit everything observed of a family
//!   of instructions (`judged_variant`, `judged_run`), `choices_taken` with which alternatives of choices, [`pattern`] what the wrong rows have in
//!   common (`seen_rows`) where nothing fits; `compiler_deviations` is for targets whose programs went through ptxas. [`telling_apart`] finds
//!   the case that would decide between two explanations. [`causes`] counts variants by cause.
//! * [`agreement`] – which of several targets differs.
//! * [`shards`] – which variants a part of a run has.
//! * [`expected`] – applies expectations: which failures are known, and which entries are out of date. [`notice`] – what it
//!   says of those.
//! * `profile_judgement` – holds what a target did against its profile, [`profiled`] – the result on a variant; `profile_notices` says
//!   what of the profile does not hold.
//! * [`pass_rate`] – what repeated runs show of how often a launch passes; [`repetition`] – runs failing variants
//!   again, [`repeated`] – what came of it.
//! * [`missing_recordings`] – whether recordings have every launch of the run.
//! * [`mutants`] – which cases notice which deviations, by what they state or by what the reference computes.
//! * [`characterize`], [`question_answers`] – the alternatives that a target takes, and its answers to questions of cases.

pub mod agreement;
mod asked_launch;
pub mod batches;
pub mod causes;
pub mod characterize;
mod choices_taken;
mod compiler_deviations;
pub mod diagnosis;
pub mod diagnosis_of_run;
pub mod expected;
mod family_diagnosis;
mod judged_run;
mod judged_variant;
pub mod kept_observations;
pub mod launch_answers;
pub mod missing_recordings;
pub mod mutants;
pub mod notice;
mod one_cause;
mod pairs;
pub mod pass_rate;
pub mod pattern;
pub mod prepared_variant;
mod profile_judgement;
mod profile_notices;
pub mod profiled;
pub mod ptxas_verdicts;
pub mod question_answers;
pub mod repeated;
pub mod repetition;
mod replays;
mod screening;
mod seen_rows;
pub mod session;
pub mod shards;
pub mod target_verdict;
pub mod telling_apart;
mod unsupported_verdict;
pub mod verdict;
pub mod watch;
