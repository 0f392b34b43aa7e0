//! Cases of SPA 5.0: a table whose columns are registers, predicates and bytes of shared and local memory.
//!
//! * `header` reads what the shader has; `column_place` reads what a column is, `address` where addresses of buffers are.
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
