//! Tables of static initialisers of opaque variables: one member of one variable each, whether it was accepted, and what the
//! assembler kept of it. `docs/tables.md` describes the files.
//!
//! * [`read`] is such a table in memory, and reads it from either shape of its file.
//! * [`write`](mod@write) writes the compact shape.
//! * [`agree`] holds it against the front end and the layout.

pub mod agree;
pub mod read;
pub mod write;
