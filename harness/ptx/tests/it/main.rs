//! The tests of the crate from outside: what it takes and refuses, held against NVIDIA's assembler, and what it says of it.

mod assembler;
mod checked;
mod compiled;
mod errors;
mod malformed_declarations;
mod misread;
mod printing;
mod ptxas_deviations;
mod robustness;
mod unified;
