//! From a written instruction to a row of the table with the values of its fields.
//!
//! * `written`: an instruction as the text has it.
//! * `row`: the row that is meant.
//! * `modifiers`, `operands`: the values of its fields; `ranges`: whether numbers fit them.
//! * `misfit`: the message where no row fits.

mod misfit;
mod modifiers;
mod operands;
mod ranges;
mod row;
mod written;

pub(crate) use row::assemble;
pub(crate) use written::{
    OperandKind, Written, WrittenOperand, WrittenValue, operand_kind, takes_words, word,
};
