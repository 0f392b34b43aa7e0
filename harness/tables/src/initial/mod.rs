//! Tables of what variables hold at first: programs, and what an assembler emitted for them. `docs/tables.md` describes the
//! files.
//!
//! * [`programs`] is a table in memory.
//! * [`read`] reads both shapes that such a table has as a file; [`write`](mod@write) writes the compact one.
//! * [`agree`] holds every variable against the layout that warpdiff gives it.

pub mod agree;
pub mod programs;
pub mod read;
pub mod write;
