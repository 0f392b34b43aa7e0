//! NVIDIA's compiler as a target: ptxas makes machine code for sm_50 of a program, and the emulator runs that.
//!
//! * [`name`] – reads `--against compiled…`.
//! * [`words`] – the machine code of the corpus, kept for machines without ptxas.
//! * [`target`] – the target.
//! * [`compile`] – calls ptxas, on many programs at once where it can.
//! * [`contents`] – what the code does with several contents of what it leaves undefined.
//! * [`batch`] – many programs as one module.

mod batch;
mod compile;
mod contents;
mod name;
mod target;
mod words;

pub use name::{CompiledName, Level};
pub use target::CompiledTarget;
pub use words::{Drift, Kept, MachineWords};
