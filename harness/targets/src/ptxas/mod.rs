//! NVIDIA's assembler, run as a program: it accepts or rejects PTX and gives variables their initial bytes.
//!
//! * [`assembler`] – finds ptxas and runs it on a program.
//! * `cache` – what it made before, kept on disk.
//! * [`circumstance`] – release, directives and options of a call.
//! * [`cubin`] – reads variables and code from its output.
//! * [`PtxasTarget`] – ptxas as a target.

pub mod assembler;
mod cache;
pub mod circumstance;
pub mod cubin;
mod target;

pub use target::PtxasTarget;
