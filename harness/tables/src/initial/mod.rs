//! Tables of initial bytes: programs and the variables that an assembler emitted for them. `docs/tables.md` describes the files.
//!
//! * [`programs`] is a table in memory.
//! * [`read`] reads both shapes that such a table has as a file; [`write`](mod@write) writes the compact one.
//! * [`agree`] compares every variable with warpdiff's layout.

pub mod agree;
pub mod programs;
pub mod read;
pub mod write;
