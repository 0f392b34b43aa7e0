//! Operands of `mov` (PTX ISA 9.7.9): registers, addresses, special registers, packing and unpacking.

use std::fmt::Display;

use super::agreement::Width;
use super::constant::Value;
use super::operand::Resolved;
use super::words::Words;
use super::{Checked, Checker, tuple};
use crate::ast::{Constant, List, Operand as Written};
use crate::checked::{FunctionId, Operand, RegisterId, VariableId};
use crate::source::Span;
use crate::vocabulary::{Space, SpecialRegister, Type};

impl<'t> Checker<'t> {
    pub(super) fn mov_destination(
        &mut self,
        words: &Words,
        operand: &'t Written,
        ty: Type,
    ) -> Checked<Operand> {
        if words.vector > 1 {
            return self.moved_vector(words, operand, ty, true);
        }
        match self.resolve(operand)? {
            Resolved::Vector(items) => self.packed(words, items, operand.span(), ty, true),
            Resolved::Register { id, ty: element, vector, negated: false } if vector > 1 => {
                self.packed_register(id, element, vector, operand.span(), ty)
            }
            _ => self.destination(words, operand, ty, Width::Exact),
        }
    }

    pub(super) fn mov_source(&mut self, words: &Words, operand: &'t Written, ty: Type) -> Checked<Operand> {
        if words.vector > 1 {
            return self.moved_vector(words, operand, ty, false);
        }
        let span = operand.span();
        // A register and an offset: the text has that for variables alone.
        if let Written::Offset { name, offset } = *operand
            && self.by_assembler()
            && let Resolved::Register { id, ty: register, vector: 1, negated: false } = self.name(name)?
        {
            return self.register_sum(id, register, offset, span, ty);
        }
        let found = self.resolve(operand)?;
        match found {
            Resolved::Special { register, component } if special_fits(register, ty) => {
                Ok(Operand::Special { register, component })
            }
            Resolved::Special { .. } => self.misfit(span, found, "`mov` of the special register's own width"),
            Resolved::Variable { id, offset } => {
                self.variable_address(id, offset, matches!(operand, Written::Name(_)), span, ty)
            }
            Resolved::Function(id) => self.function_address(id, found, span, ty),
            Resolved::Vector(items) => self.packed(words, items, span, ty, false),
            Resolved::Register { id, ty: element, vector, negated: false } if vector > 1 => {
                self.packed_register(id, element, vector, span, ty)
            }
            _ => self.source(operand, ty, Width::Exact),
        }
    }

    /// `mov.v2` and `mov.v4`: a tuple of elements of the type, or a vector register of as many ("vector operands are supported by a limited
    /// subset of instructions, which include mov", 6.4.3). `%tid` and the like are vectors of four.
    fn moved_vector(
        &mut self,
        words: &Words,
        operand: &'t Written,
        ty: Type,
        destination: bool,
    ) -> Checked<Operand> {
        let span = operand.span();
        if ty.size() as usize * words.vector > 16 {
            return self.fail_expected(words.span, "a vector of more than 128 bits", "at most 128 bits");
        }
        if words.vector == 4
            && ty.size() == 4
            && !ty.is_float()
            && !destination
            && let Some(register) = whole_vector(self.text_of(span))
        {
            let element = |component| Operand::Special { register, component };
            return Ok(Operand::Vector((0..4).map(element).collect()));
        }
        let found = self.resolve(operand)?;
        let wanted = format_args!("a vector of {} elements of type `.{ty}`", words.vector);
        match found {
            Resolved::Vector(items) if items.len() == words.vector => {
                let written = self.ast.operands_of(items);
                if destination && written.iter().all(|element| matches!(element, Written::Sink(_))) {
                    return self.fail_expected(span, "a tuple of `_` alone", "at least one register");
                }
                if self.by_assembler() {
                    self.assembled_move(written, ty, &wanted, destination)?;
                }
                let mut out = Vec::with_capacity(written.len());
                for element in written {
                    out.push(match element {
                        Written::Sink(_) if destination => Operand::Sink,
                        _ if destination => self.destination(words, element, ty, Width::Exact)?,
                        _ => self.source(element, ty, Width::Exact)?,
                    });
                }
                Ok(Operand::Vector(out))
            }
            Resolved::Register { id, ty: register, vector, negated: false }
                if vector as usize == words.vector && self.fits(ty, register, Width::Exact) =>
            {
                Ok(Operand::Vector(
                    (0..vector).map(|component| Operand::Component { id, component }).collect(),
                ))
            }
            // As observed: integers in a vector register pass for floats of their size.
            Resolved::Register { ty: register, vector, negated: false, .. }
                if self.by_assembler()
                    && vector as usize == words.vector
                    && ty.is_float()
                    && !register.is_float()
                    && register.size() == ty.size() =>
            {
                self.unsupported(span, format!("a vector of `.{register}` in `mov` of `.{ty}`"))
            }
            // As observed: one value passes for all elements of a vector of four bytes each.
            Resolved::Register { ty: register, vector: 1, negated: false, .. }
                if self.by_assembler()
                    && !destination
                    && ty.size() == 4
                    && self.fits(ty, register, Width::Exact) =>
            {
                self.unsupported(span, "one register for all elements of a vector")
            }
            Resolved::Special { register, .. }
                if self.by_assembler() && !destination && ty.size() == 4 && special_fits(register, ty) =>
            {
                self.unsupported(span, "one value for all elements of a vector")
            }
            Resolved::Constant(Value::Integer { .. })
                if self.by_assembler() && !destination && ty.size() == 4 && !ty.is_float() =>
            {
                self.unsupported(span, "one value for all elements of a vector")
            }
            // As observed: so does an address, of two or eight bytes; of four it is one of 32 bits, which there are none of here.
            Resolved::Variable { id, .. }
                if self.by_assembler()
                    && !destination
                    && matches!(ty.size(), 2 | 8)
                    && !ty.is_float()
                    && !self.out.variables[id.0 as usize].ty.is_opaque() =>
            {
                self.unsupported(span, "one address for all elements of a vector")
            }
            _ => self.misfit(span, found, wanted),
        }
    }

    /// As observed: the elements are those of a tuple of data, but none is wider than the type.
    fn assembled_move(
        &mut self,
        elements: &'t [Written],
        ty: Type,
        wanted: &dyn Display,
        destination: bool,
    ) -> Checked<()> {
        let (found, kinds) = self.tuple_elements(elements, wanted)?;
        for (element, found) in elements.iter().zip(&found) {
            let allowed = match found {
                Resolved::Constant(_) => !destination,
                Resolved::Variable { .. } => matches!(element, Written::Name(_)),
                Resolved::Sink => destination || ty.is_bits(),
                _ => true,
            };
            if !allowed || !tuple::are_data(&kinds, ty) {
                return self.misfit(element.span(), *found, wanted);
            }
        }
        if let Some(wide) = kinds.iter().position(|kind| kind.size.is_some_and(|size| size != ty.size())) {
            return self.misfit(elements[wide].span(), found[wide], wanted);
        }
        for (element, found) in elements.iter().zip(found) {
            let runs = match found {
                Resolved::Register { ty: register, .. } | Resolved::Component { ty: register, .. } => {
                    self.fits(ty, register, Width::Exact)
                }
                Resolved::Constant(value) => self.immediate(value, ty).is_some(),
                Resolved::Sink => destination,
                _ => false,
            };
            if !runs {
                let text = self.text_of(element.span());
                return self.unsupported(element.span(), format!("`{text}` as an element of a tuple"));
            }
        }
        Ok(())
    }

    /// `mov.u64 d, %r+8`: as observed, ptxas takes it for the sum of both.
    fn register_sum(
        &mut self,
        id: RegisterId,
        register: Type,
        offset: Constant,
        span: Span,
        ty: Type,
    ) -> Checked<Operand> {
        let (bits, _) = self.evaluate_integer(offset)?;
        if !self.fits(ty, register, Width::Exact) {
            let found = Resolved::Register { id, ty: register, vector: 1, negated: false };
            return self.misfit(span, found, format!("a register for `.{ty}`"));
        }
        if ty.is_float() || ty.size() < 4 {
            return self.unsupported(span, format!("an offset from a register as `.{ty}`"));
        }
        Ok(Operand::RegisterSum { id, offset: bits as i64 })
    }

    /// `mov.u64 d, function`. The assembler accepts narrower types as well.
    fn function_address(
        &mut self,
        id: FunctionId,
        found: Resolved,
        span: Span,
        ty: Type,
    ) -> Checked<Operand> {
        let whole = ty.size() == self.out.address_size / 8;
        if !(is_address(ty, 4) && whole || self.by_assembler() && is_address(ty, 2)) {
            return self.misfit(span, found, "an integer type as wide as an address");
        }
        self.has_an_address(self.text_of(span), span)?;
        if self.out.functions[id.0 as usize].entry {
            self.gate(span, "the address of a kernel", 31, 35)?;
        }
        if !whole {
            return self.unsupported(span, format!("the address of a function as `.{ty}`"));
        }
        Ok(Operand::FunctionAddress(id))
    }

    /// `mov.u64 d, var`, or with an offset. The assembler checks the kind of the variable only where its name stands
    /// alone.
    fn variable_address(
        &mut self,
        id: VariableId,
        offset: i64,
        alone: bool,
        span: Span,
        ty: Type,
    ) -> Checked<Operand> {
        if !is_address(ty, if self.by_assembler() { 2 } else { 4 }) {
            return self.fail_expected(span, format!("an address as `.{ty}`"), "`.u32` or `.u64`");
        }
        let variable = &self.out.variables[id.0 as usize];
        let (space, opaque) = (variable.space, self.is_object(variable));
        if opaque && (alone || !self.by_assembler()) {
            if ty != Type::U64 || offset != 0 {
                return self.fail_expected(
                    span,
                    "the address of an opaque variable",
                    "`mov.u64` of its name alone",
                );
            }
            self.gate(span, "a pointer to an opaque variable", 31, 20)?;
        } else if opaque && (ty.size() < 8 || offset != 0) {
            // Nothing can be done with what it makes.
            return self.unsupported(span, "arithmetic on the address of an opaque variable");
        }
        if space == Space::Param && self.by_assembler() && !self.is_parameter(id) && !self.is_returned(id) {
            return self.fail_expected(
                span,
                format!("the address of `{}`, which holds arguments of a call", self.text_of(span)),
                "a parameter of the function, or a variable in another space",
            );
        }
        if space == Space::Global && ty.size() == 4 && alone {
            self.narrow_addresses(span)?;
        }
        if ty.size() < 4 {
            return self.unsupported(span, format!("an address as `.{ty}`"));
        }
        Ok(Operand::VariableAddress { variable: id, offset })
    }

    /// `mov.b64 d, {a, b}` and the reverse (PTX ISA 9.7.9, mov): 2 or 4 elements whose total width is that of the type.
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
            (Type::B64, 2) | (Type::B128, 4) => Type::B32,
            (Type::B128, 2) => Type::B64,
            (Type::B16 | Type::B32 | Type::B64 | Type::B128, count) => {
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
                    "`mov.b16`, `mov.b32`, `mov.b64` or `mov.b128`",
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

/// The special register of four elements with this name.
fn whole_vector(text: &str) -> Option<SpecialRegister> {
    match text {
        "%tid" => Some(SpecialRegister::Tid),
        "%ntid" => Some(SpecialRegister::Ntid),
        "%ctaid" => Some(SpecialRegister::Ctaid),
        "%nctaid" => Some(SpecialRegister::Nctaid),
        _ => None,
    }
}

/// Whether the type can hold an address of at least `least` bytes.
fn is_address(ty: Type, least: u32) -> bool {
    !ty.is_float() && ty != Type::Pred && ty.size() >= least
}

/// A 64-bit special register needs a 64-bit type; a 32-bit one also fits 16 bits (as old compilers used for `%tid.x`).
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
