//! The catalogue of deviations: every named way to depart from the specification, in one list.
//!
//! Each family has a file with its entries; [`entry`] defines an entry, and [`deviation`] is the number by which the rest of
//! the workspace means one; `list` puts the families together. `docs/deviations.md` tells how to add an entry.

mod arithmetic;
mod atomics;
mod comparison;
mod compiler;
mod control;
mod conversion;
pub mod deviation;
pub mod entry;
mod float;
mod list;
mod memory;
mod spa;
mod surface;
mod surface_values;
mod texture;
mod variables;
mod warp;
