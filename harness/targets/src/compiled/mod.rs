//! NVIDIA's compiler as a target: ptxas makes machine code for sm_50 of a program, and the emulator runs that.
//!
//! * [`name`] – reads `--against compiled…`.
//! * [`words`] – the machine code of the corpus, kept for machines without ptxas.
//! * [`target`] – the target.

mod name;
mod target;
mod words;

pub use name::{CompiledName, Level};
pub use target::CompiledTarget;
pub use words::{Drift, Kept, MachineWords};
