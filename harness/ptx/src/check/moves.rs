//! Operands of `mov` (PTX ISA 9.7.9): registers, addresses, special registers, packing and unpacking.

use super::agreement::Width;
use super::instruction::Words;
use super::operand::Resolved;
use super::{Checked, Checker};
use crate::ast::{List, Operand as Written};
use crate::checked::{Operand, RegisterId, VariableId};
use crate::source::Span;
use crate::vocabulary::{SpecialRegister, Type};

impl<'t> Checker<'t> {
    pub(super) fn mov_destination(
        &mut self,
        words: &Words,
        operand: &'t Written,
        ty: Type,
    ) -> Checked<Operand> {
        match self.resolve(operand)? {
            Resolved::Vector(items) => self.packed(words, items, operand.span(), ty, true),
            Resolved::Register { id, ty: element, vector, negated: false } if vector > 1 => {
                self.packed_register(id, element, vector, operand.span(), ty)
            }
            _ => self.destination(words, operand, ty, Width::Exact),
        }
    }

    pub(super) fn mov_source(&mut self, words: &Words, operand: &'t Written, ty: Type) -> Checked<Operand> {
        let found = self.resolve(operand)?;
        let span = operand.span();
        match found {
            Resolved::Special { register, component } if special_fits(register, ty) => {
                Ok(Operand::Special { register, component })
            }
            Resolved::Special { .. } => self.misfit(span, found, "`mov` of the special register's own width"),
            Resolved::Variable { id, offset } => self.variable_address(id, offset, span, ty),
            Resolved::Function(id) if ty.size() == self.out.address_size / 8 && !ty.is_float() => {
                if self.out.functions[id.0 as usize].entry {
                    self.gate(span, "the address of a kernel", 31, 35)?;
                }
                Ok(Operand::FunctionAddress(id))
            }
            Resolved::Vector(items) => self.packed(words, items, span, ty, false),
            Resolved::Register { id, ty: element, vector, negated: false } if vector > 1 => {
                self.packed_register(id, element, vector, span, ty)
            }
            _ => self.source(operand, ty, Width::Exact),
        }
    }

    /// `mov.u64 d, var+4`.
    pub(super) fn variable_address(
        &mut self,
        id: VariableId,
        offset: i64,
        span: Span,
        ty: Type,
    ) -> Checked<Operand> {
        let opaque = self.out.variables[id.0 as usize].is_opaque();
        if opaque && (ty != Type::U64 || offset != 0) {
            return self.fail_expected(
                span,
                "the address of an opaque variable",
                "`mov.u64` of its name alone",
            );
        }
        if opaque {
            self.gate(span, "a pointer to an opaque variable", 31, 20)?;
        }
        if ty.is_float() || ty == Type::Pred || ty.size() < 4 {
            return self.fail_expected(span, format!("an address as `.{ty}`"), "`.u32` or `.u64`");
        }
        Ok(Operand::VariableAddress { variable: id, offset })
    }

    /// `mov.b64 d, {a, b}` and back (PTX ISA 9.7.9, mov): 2 or 4 elements that together are as wide as the type.
    pub(super) fn packed(
        &mut self,
        words: &Words,
        items: List,
        span: Span,
        ty: Type,
        destination: bool,
    ) -> Checked<Operand> {
        let element = match (ty, items.len()) {
            (Type::B16, 2) | (Type::B32, 4) => Type::B8,
            (Type::B32, 2) | (Type::B64, 4) => Type::B16,
            (Type::B64, 2) => Type::B32,
            (Type::B16 | Type::B32 | Type::B64, count) => {
                return self.fail_expected(
                    span,
                    format!("{count} elements for `.{ty}`"),
                    "2 or 4 elements that together are as wide",
                );
            }
            _ => {
                return self.fail_expected(
                    span,
                    format!("a vector with `mov.{ty}`"),
                    "`mov.b16`, `mov.b32` or `mov.b64`",
                );
            }
        };
        let ast = self.ast;
        let mut out = Vec::with_capacity(items.len());
        for item in ast.operands_of(items) {
            out.push(match item {
                Written::Sink(_) if destination => Operand::Sink,
                _ if destination => self.destination(words, item, element, Width::Exact)?,
                _ => self.source(item, element, Width::Exact)?,
            });
        }
        if out.iter().all(|element| *element == Operand::Sink) {
            return self.fail_expected(span, "a vector of `_` alone", "at least one register");
        }
        Ok(Operand::Vector(out))
    }

    /// A vector register stands for the tuple of its elements.
    pub(super) fn packed_register(
        &mut self,
        id: RegisterId,
        element: Type,
        vector: u32,
        span: Span,
        ty: Type,
    ) -> Checked<Operand> {
        if !ty.is_bits() || element.size() * vector != ty.size() {
            return self.fail_expected(
                span,
                format!("`{}` is of type `.v{vector} .{element}`", self.text_of(span)),
                format!("elements that together are as wide as `.{ty}`"),
            );
        }
        Ok(Operand::Vector((0..vector).map(|component| Operand::Component { id, component }).collect()))
    }
}

/// A 64-bit special register goes into 64 bits, a 32-bit one also into 16 (as old compilers did for `%tid.x`).
fn special_fits(register: SpecialRegister, ty: Type) -> bool {
    if ty.is_float() || ty == Type::Pred {
        return false;
    }
    match register {
        SpecialRegister::Clock64 | SpecialRegister::Globaltimer => ty.size() == 8,
        SpecialRegister::Gridid => ty.size() >= 4,
        _ => matches!(ty.size(), 2 | 4),
    }
}
