//! The catalogue of deviations: every named way to depart from the specification, in one list.
//!
//! A file for each family holds its entries; [`entry`] says what an entry states, [`deviation`] is the number by which the rest of
//! the workspace means one, and `list` all of them together. `docs/deviations.md` tells how to add an entry.

mod arithmetic;
mod atomics;
pub mod deviation;
pub mod entry;
mod list;
mod memory;
mod spa;
mod surface;
mod texture;
mod variables;
