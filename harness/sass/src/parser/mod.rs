//! Assembler text to programs.
//!
//! * `statement`: programs, and the statements they consist of.
//! * `operand`: operands; `annotation`: what stands behind them.

mod annotation;
mod operand;
mod statement;

pub(crate) use statement::{Parsed, Parser};
pub use statement::{parse, parse_under};
