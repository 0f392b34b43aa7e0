//! Operands of one shape alone: a destination with its predicate, a tuple of four, a register of bits, one constant.

use super::agreement::Width;
use super::constant::Value;
use super::operand::Resolved;
use super::words::Words;
use super::{Checked, Checker};
use crate::ast::Operand as Written;
use crate::checked::{Immediate, Operand};
use crate::vocabulary::Type;

impl<'t> Checker<'t> {
    /// `%r|%p` or `_|%p`: a destination with its predicate, which cannot be left out.
    pub(super) fn pair_with_predicate(
        &mut self,
        words: &Words,
        operand: &Written,
        ty: Type,
    ) -> Checked<Operand> {
        let found = self.resolve(operand)?;
        let Resolved::Pair(items) = found else {
            return self.misfit(operand.span(), found, "a destination and a predicate, as in `%r|%p`");
        };
        let ast = self.ast;
        let [first, second] = ast.operands_of(items) else {
            return self.fail(operand.span(), "a pair of two");
        };
        let first = match first {
            Written::Sink(_) => Operand::Sink,
            _ => self.destination(words, first, ty, Width::Exact)?,
        };
        let second = self.destination(words, second, Type::Pred, Width::Exact)?;
        Ok(Operand::Pair(Box::new(first), Box::new(second)))
    }

    /// `{a, b, c, d}` of an instruction without `.v4`.
    pub(super) fn four_sources(&mut self, words: &Words, operand: &'t Written, ty: Type) -> Checked<Operand> {
        match self.resolve(operand)? {
            Resolved::Vector(items) if items.len() == 4 => {
                self.elements(words, items, ty, false).map(Operand::Vector)
            }
            found => self.misfit(operand.span(), found, format_args!("a tuple of 4 elements for `.{ty}`")),
        }
    }

    /// A register of 32 bits, declared as nothing but bits.
    pub(super) fn bits_register(&mut self, operand: &Written) -> Checked<Operand> {
        match self.resolve(operand)? {
            Resolved::Register { id, ty: Type::B32, vector: 1, negated } => {
                Ok(Operand::Register { id, negated })
            }
            found => self.misfit(operand.span(), found, "a `.b32` register"),
        }
    }

    /// The constant of that value.
    pub(super) fn exactly(&mut self, operand: &Written, value: u64) -> Checked<Operand> {
        match self.resolve(operand)? {
            Resolved::Constant(Value::Integer { bits, unsigned }) if bits == value => {
                Ok(Operand::Immediate(Immediate::Integer { bits, unsigned }))
            }
            found => self.misfit(operand.span(), found, format_args!("the constant {value}")),
        }
    }
}
