//! Truth tables of assemblers: programs, and who accepted them. `docs/tables.md` describes the files.
//!
//! * [`verdicts`] is a table in memory: questions, each a program put to one assembler, with its answer.
//! * [`read`] reads the three shapes that such a table has as a file; [`write`](mod@write) writes the compact one.
//! * [`words`] and [`lowering`] are tables of machine words, and of the instructions that PTX becomes; [`comparison`] is the answer to any.
//! * [`initial`] has the tables of what variables hold at first.
//! * [`opaque`] has those of static initialisers of opaque variables.
//! * [`agree`] puts every question to the front end of warpdiff, or to an assembler, and lists what differs; [`agreement`] is how much that is.

pub mod agree;
pub mod agreement;
pub mod comparison;
pub mod initial;
pub mod lowering;
pub mod opaque;
pub mod read;
pub mod verdicts;
pub mod words;
pub mod write;
