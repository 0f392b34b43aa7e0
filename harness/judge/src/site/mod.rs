//! The site of a mismatch: the instruction that produced the wrong bytes, as the author wrote it, with its coordinates.
//!
//! * `instruction` is a [`Site`]; [`find`] finds it, and `columns` which output column a byte belongs to.
//! * `surface_operand` reads the surface and the coordinates of an access.
//! * `ptx` and `spa` search programs of the two languages.

mod columns;
mod instruction;
mod ptx;
mod spa;
mod surface_operand;

pub use instruction::{Site, find};
pub(crate) use ptx::elements;
pub use surface_operand::{Coordinate, SurfaceOperand};
