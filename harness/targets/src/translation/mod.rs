//! Translates SPA 5.0 programs to PTX, for targets that take PTX and not SPA 5.0.
//!
//! * [`program`] – translates a program, statement by statement. Registers, predicates and addresses keep their names and values,
//!   so that a launch has the same buffers before and after.
//! * [`equivalent`] – the table of accesses to local and shared memory: their PTX, and the SASS that ptxas makes of it.
//! * `access`, `arithmetic`, `control`, `parameter` – translate the statements.
//! * [`exactness`] – whether the PTX behaves like the program in a given launch.

mod access;
mod arithmetic;
mod control;
pub mod equivalent;
pub mod exactness;
mod parameter;
pub mod program;
mod source;
mod writer;

pub use equivalent::Equivalent;
pub use exactness::{Inexact, inexact};
pub use program::{Translation, Untranslatable, translate};
