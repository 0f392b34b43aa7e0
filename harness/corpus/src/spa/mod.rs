//! Cases of SPA 5.0: a table whose columns are registers, predicates and bytes of shared and local memory.
//!
//! * `header` reads the resources of the shader, `column_place` the register or memory of a column, `address` the registers with
//!   addresses of buffers.
//! * `kernel` writes the program around a body, `table` makes its launches.

mod address;
mod column_place;
mod header;
mod kernel;
mod table;

pub use column_place::without_prime;
pub(crate) use header::{KEYS as HEADER_KEYS, header};
pub(crate) use kernel::plain;
pub(crate) use table::{KEYS, launches};
