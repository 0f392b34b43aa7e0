//! The command `warpdiff`: runs a corpus of cases and generated programs on the reference emulator and on targets, and names each
//! semantic difference. The binary is a thin shell around [`commands::main`].
//!
//! * [`commands`] – the command line, one file a command.
//! * [`mod@fuzz`] – generated programs, put to the reference and to a target.

pub mod commands;
pub mod fuzz;
