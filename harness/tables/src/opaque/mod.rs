//! Tables of static initialisers of opaque variables. A row has one member of one variable, whether the assembler accepts it, and
//! its trace in the object. `docs/tables.md` describes the files.
//!
//! * [`read`] – a table in memory, read from either file shape; [`write`](mod@write) – writes the compact shape.
//! * [`agree`] – compares a table with the front end and the layout.

pub mod agree;
pub mod read;
pub mod write;
