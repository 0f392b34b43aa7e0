//! Assembler text to programs.
//!
//! * `statement`: programs, and the statements they consist of.
//! * `operand`: operands; `symbol`: addresses among them; `annotation`: what stands behind them.

mod annotation;
mod operand;
mod statement;
mod symbol;

pub(crate) use statement::{Parsed, Parser};
pub use statement::{parse, parse_under};
