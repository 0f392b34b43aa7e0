//! Programs of SPA 5.0 as PTX, for targets that take PTX and not SPA 5.0.
//!
//! * [`program`] translates a program statement by statement: registers, predicates and addresses keep their names and values, so that
//!   the same launch has the same buffers before and after.
//! * [`equivalent`] is the table: what each access to local and shared memory becomes, and what ptxas is to make of it.
//! * `access`, `arithmetic`, `control` and `parameter` write the statements.
//! * [`exactness`] says of which launches the PTX means the same as the program it stands for.

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
