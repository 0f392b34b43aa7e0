//! The command `warpdiff`.
//!
//! * [`command_line`] – the parser and [`command_line::main`]. `shared_options` and `failure` are what all commands share.
//! * `commands` – one file for each command; [`mod@fuzz`] – the command `fuzz`.
//! * `corpus_root` finds the corpus; `target_options` opens targets, with budgets and journals; `recording_to_compare` chooses the
//!   recording that a target is compared with; `goldens` compares a run with the goldens, or blesses it.
//! * `reduced_case` writes a mismatch as a case; `kept_findings` keeps one for each signature; `reproducer_files` writes
//!   programs that need no warpdiff.
//! * `kept_sound_files` keeps which case files were read without an error.
//! * `expectation_options` reads the expectations of a run, `profiles` the profiles of its targets; `live_results` writes results while a run goes on; `signals` ends a run early;
//!   `shard_options` chooses a part of it; `ci_reports` writes what CI services read,
//!   with paths from the root of the `repository`.
//! * `telling_cases` finds cases that would decide between explanations of a run.
//! * `standard_output` and `progress` print; `elf_machine` says whether a library can be loaded here.

mod ci_reports;
pub mod command_line;
mod commands;
mod corpus_root;
mod elf_machine;
mod expectation_options;
mod failure;
pub mod fuzz;
mod goldens;
mod kept_findings;
mod kept_sound_files;
mod live_results;
mod profiles;
mod progress;
mod recording_to_compare;
mod reduced_case;
mod repository;
mod reproducer_files;
mod shard_options;
mod shared_options;
mod signals;
mod standard_output;
mod target_options;
mod telling_cases;
