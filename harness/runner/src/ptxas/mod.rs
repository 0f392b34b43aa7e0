//! NVIDIA's assembler, as a program that is run: it says what is legal PTX, and which bytes variables begin with.
//!
//! * [`assembler`] finds it and runs it on a program.
//! * [`cubin`] reads the initial bytes of variables from what it writes.

pub mod assembler;
pub mod circumstance;
pub mod cubin;
