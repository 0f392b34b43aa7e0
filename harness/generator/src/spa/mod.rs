//! Programs of SPA 5.0, with and without a schedule of their own: accesses to the windows that each thread owns, and every other
//! instruction of the assembler's table that the reference runs.
//!
//! Bytes → specimen:
//!
//! * `build` – which kinds of steps a program has; accesses to the windows of a thread.
//! * `global` – accesses to global memory.
//! * `place` – where accesses go.
//! * `functions` – functions of registers, predicates and constants: a row for each instruction.
//! * `images`, `lookups` – accesses to surfaces, lookups in textures.
//! * `fields` – modifiers, marks and numbers of an instruction.
//! * `legal` – which instructions no program has, and why.
//! * `encoded` – what an instruction needs and yields.
//!
//! Specimen → text:
//!
//! * `write` – the whole program, and accesses to windows.
//! * `registers` – which registers hold what.
//! * `operands` – instructions that are given by their words.
//! * `branches` – blocks, loops and calls.
//! * `schedule` – statements, and which of them wait for which.
//!
//! `census` counts the forms of programs.

mod branches;
mod build;
mod census;
mod encoded;
mod fields;
mod functions;
mod global;
mod images;
mod legal;
mod lookups;
mod operands;
mod place;
mod registers;
mod schedule;
mod write;

pub use build::draw;
pub(crate) use census::{forms, names_of};
pub use legal::{not_drawn, why_not};
pub(crate) use write::program;
