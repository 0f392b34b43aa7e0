//! Operands of video instructions: bytes and halves of registers, and minus signs.

use super::agreement::Width;
use super::operand::Resolved;
use super::words::Words;
use super::{Checked, Checker};
use crate::ast::Operand as Written;
use crate::checked::Operand;
use crate::source::Span;
use crate::vocabulary::{Modifier, Type};

impl<'t> Checker<'t> {
    /// A destination, whole or a part.
    pub(super) fn part_destination(
        &mut self,
        words: &Words,
        operand: &'t Written,
        ty: Type,
    ) -> Checked<Operand> {
        match *operand {
            Written::Component { name, component } => self.part(name, Some(component), ty, false),
            _ => self.destination(words, operand, ty, Width::Exact),
        }
    }

    /// A source, whole or a part, with a minus sign where `signs` allows it.
    pub(super) fn part_source(&mut self, operand: &'t Written, ty: Type, signs: bool) -> Checked<Operand> {
        match *operand {
            Written::Component { name, component } => self.part(name, Some(component), ty, false),
            Written::Minus { name, component } if signs => self.part(name, component, ty, true),
            _ => self.source(operand, ty, Width::Exact),
        }
    }

    /// A source without parts, with a minus sign.
    pub(super) fn signed_source(&mut self, operand: &'t Written, ty: Type) -> Checked<Operand> {
        match *operand {
            Written::Minus { name, component: None } => self.part(name, None, ty, true),
            _ => self.source(operand, ty, Width::Exact),
        }
    }

    fn part(&mut self, name: Span, part: Option<Span>, ty: Type, negated: bool) -> Checked<Operand> {
        let (low, width) = match part.map(|part| (part, &self.text_of(part)[1..])) {
            None => (0, 32),
            Some((_, "b0")) => (0, 8),
            Some((_, "b1")) => (8, 8),
            Some((_, "b2")) => (16, 8),
            Some((_, "b3")) => (24, 8),
            Some((_, "h0")) => (0, 16),
            Some((_, "h1")) => (16, 16),
            Some((span, other)) => {
                let what = format!("unknown part `.{other}`");
                return self.fail_expected(span, what, "`.b0` to `.b3`, `.h0` or `.h1`");
            }
        };
        match self.name(name)? {
            Resolved::Register { id, ty: register, vector: 1, negated: false }
                if self.fits(ty, register, Width::Exact) =>
            {
                Ok(Operand::Part { id, low, width, negated })
            }
            found => self.misfit(name, found, format!("a register for `.{ty}`")),
        }
    }

    /// The third source is what a part of the destination is merged with, or that of the second operation: it comes with one of them.
    pub(super) fn merged_operand(&mut self, words: &Words, operands: &[Operand]) -> Checked<()> {
        let second = [Modifier::Add, Modifier::Min, Modifier::Max];
        if words.modifiers.iter().any(|modifier| second.contains(modifier)) {
            return Ok(());
        }
        match (operands.first(), operands.len()) {
            (Some(Operand::Part { .. }), 3) => self.fail_expected(
                words.span,
                "a part of the destination without a word to merge it with",
                "a third source operand",
            ),
            // The assembler takes it and leaves it out.
            (Some(Operand::Register { .. }), 4) if !self.by_assembler() => self.fail_expected(
                words.span,
                "a third source operand for nothing",
                "a part of the destination, or `.add`, `.min` or `.max`",
            ),
            _ => Ok(()),
        }
    }
}
