//! NVIDIA's assembler, as a program that is run: it says what is legal PTX, and which bytes variables begin with.
//!
//! * [`assembler`] finds it and runs it on a program.
//! * [`circumstance`] is what it is asked under: release, directives, options.
//! * [`PtxasTarget`] is it as a target.
//! * [`cubin`] reads the initial bytes of variables from what it writes.

pub mod assembler;
pub mod circumstance;
pub mod cubin;
mod target;

pub use target::PtxasTarget;
