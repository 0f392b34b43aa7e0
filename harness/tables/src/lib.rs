//! Truth tables of assemblers: programs and the answers of assemblers. `docs/tables.md` describes the files.
//!
//! * [`verdicts`] – a table in memory; [`read`] – reads its three file shapes; [`write`](mod@write) – writes the compact one.
//! * [`agree`] – compares a table with warpdiff's front end or an assembler; [`agreement`] – counts and differences of that.
//! * [`words`] – tables of machine words; [`lowering`] – tables of the SASS for PTX statements; [`comparison`] – the result for any
//!   table.
//! * [`initial`] – tables of the initial bytes of variables.
//! * [`opaque`] – tables of static initialisers of opaque variables.

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
