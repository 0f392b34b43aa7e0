//! Which initialisers a variable may have, and how numbers convert to its type (PTX ISA 5.4.4).

use warpdiff_model::Deviation;

use super::constant::{Arithmetic, Value};
use super::contents::{Contents, Number, Walk};
use super::{Checked, Checker, Dialect};
use crate::ast::{Constant, ConstantValue, ExpressionKind, Initializer, InitializerPart};
use crate::checked::Variable;
use crate::source::Span;
use crate::vocabulary::Type;

/// Largest initial contents in bytes; larger ones would exhaust the memory of the machine.
const INITIAL_LIMIT: u64 = 1 << 28;

impl Checker<'_> {
    /// Sets the initial bytes, the relocations and an omitted first dimension. Missing elements are zero, "as in C", at
    /// every level.
    pub(super) fn initialize(&mut self, variable: &mut Variable, initializer: &Initializer) -> Checked<()> {
        if variable.ty.is_opaque() {
            return self.opaque_initializer(variable, initializer);
        }
        // As observed: the assembler takes lists without values for `.f16`, and lists of values for `.f16x2`.
        let lists = self.by_assembler() && variable.vector == 1;
        let forbidden = match variable.ty {
            Type::F16 => {
                !lists
                    || initializer.parts.iter().any(|part| !is_bracket(part))
                    || variable.dimensions.is_empty()
            }
            Type::F16x2 => !lists,
            Type::Pred => true,
            _ => false,
        };
        if forbidden {
            return self.fail(initializer.span, format!("an initial value of type `.{}`", variable.ty));
        }
        if variable.size > INITIAL_LIMIT {
            return self.unsupported(initializer.span, "initial contents of more than 256 MiB");
        }
        let mut walk = Walk::of(variable);
        let mut contents = Contents::default();
        if variable.ty == Type::F16x2 {
            self.note_deviation(Deviation::PtxasHalfPair, initializer.span);
            contents.part(&walk);
        }
        let mut elements = 0;
        for part in &initializer.parts {
            match *part {
                InitializerPart::Open(span) => self.open_list(&mut walk, span)?,
                InitializerPart::Close(span) => elements = self.close_list(&mut walk, span)?,
                InitializerPart::Value(value) => self.element(variable, &mut contents, &mut walk, value)?,
                InitializerPart::Member { name, value } => {
                    self.named_value(&mut contents, &mut walk, name, value)?;
                }
            }
        }
        self.complete(variable, contents, elements, initializer.span)
    }

    fn open_list(&mut self, walk: &mut Walk, span: Span) -> Checked<()> {
        if walk.is_innermost() {
            return self.fail_expected(
                span,
                "a list where a value stands",
                "as many nested lists as dimensions",
            );
        }
        if !walk.has_room() {
            return self.fail(span, "more elements than the dimension has");
        }
        walk.open();
        Ok(())
    }

    /// Closes a list and returns its number of elements.
    fn close_list(&mut self, walk: &mut Walk, span: Span) -> Checked<u64> {
        let innermost = walk.is_innermost();
        let elements = walk.close();
        if innermost && walk.lacks_components(elements) {
            return self.fail(span, "a vector takes a value for each of its elements");
        }
        Ok(elements)
    }

    /// Checks that a value is allowed here.
    fn enter_element(&mut self, walk: &Walk, constant: Constant) -> Checked<()> {
        if !walk.is_innermost() {
            return self.fail_expected(
                constant.span,
                "a value where a list stands",
                "as many nested lists as dimensions",
            );
        }
        if !walk.has_room() {
            return self.fail(constant.span, "more elements than the dimension has");
        }
        Ok(())
    }

    fn element(
        &mut self,
        variable: &Variable,
        contents: &mut Contents,
        walk: &mut Walk,
        constant: Constant,
    ) -> Checked<()> {
        self.enter_element(walk, constant)?;
        if walk.offset() > INITIAL_LIMIT {
            return self.unsupported(constant.span, "initial contents of more than 256 MiB");
        }
        let value = self.evaluate(constant)?;
        self.gate_mask(constant, value)?;
        if walk.offset() != walk.packed_offset() && contents.part(walk) {
            self.note_deviation(Deviation::PtxasPackedLists, constant.span);
        }
        match value {
            Value::Address(address) => {
                let opaque = self.deviations_of_address(address);
                let relocation = self.relocation(variable, address, constant.span)?;
                contents.relocate(walk, relocation, opaque);
            }
            _ => {
                let mut number = self.number_of(variable.ty, value, constant.span)?;
                if let Some((specified, emitted)) = self.disputed_bits(variable.ty, constant) {
                    number.specified = Some(specified);
                    number.bits = emitted;
                }
                contents.put(walk, number);
            }
        }
        walk.advance_value();
        Ok(())
    }

    /// The bits of an integer expression by the specification and by the assembler, if these give different elements of
    /// type `ty`.
    fn disputed_bits(&mut self, ty: Type, constant: Constant) -> Option<(u64, u64)> {
        let ConstantValue::Expression(_) = constant.value else { return None };
        let by = |arithmetic| match self.value_of(constant, arithmetic) {
            Ok(Value::Integer { bits, .. }) => Some(bits),
            _ => None,
        };
        let (specified, emitted) = (by(Arithmetic::Text)?, by(Arithmetic::Assembler)?);
        let shown = u64::MAX >> (64 - 8 * ty.size().min(8));
        if (specified ^ emitted) & shown == 0 {
            return None;
        }
        self.note_deviation(Deviation::PtxasExpressionSign, constant.span);
        Some((specified, emitted))
    }

    /// `name = number` for a type without members: as observed, the assembler counts it as an element and emits
    /// nothing.
    fn named_value(
        &mut self,
        contents: &mut Contents,
        walk: &mut Walk,
        name: Span,
        value: Constant,
    ) -> Checked<()> {
        if !self.by_assembler() || !is_number(value) {
            return self.fail_expected(name, "a named member", "a value; only opaque types have members");
        }
        if !walk.stands_for_vector() {
            self.enter_element(walk, value)?;
        }
        self.note_deviation(Deviation::PtxasNamedValue, name);
        contents.part(walk);
        contents.leave_open(walk);
        walk.advance();
        Ok(())
    }

    fn complete(
        &mut self,
        variable: &mut Variable,
        contents: Contents,
        elements: u64,
        span: Span,
    ) -> Checked<()> {
        if variable.dimensions.first() == Some(&0) {
            if elements == 0 {
                return self.fail(span, "an array without extent and without elements");
            }
            variable.dimensions[0] = elements;
            let inner: u64 = variable.dimensions[1..].iter().product();
            let size = u64::from(variable.ty.size() * variable.vector)
                .checked_mul(inner)
                .and_then(|s| s.checked_mul(elements));
            match size.filter(|size| *size <= INITIAL_LIMIT) {
                Some(size) => variable.size = size,
                None => return self.unsupported(span, "initial contents of more than 256 MiB"),
            }
        }
        contents.give(variable);
        Ok(())
    }

    /// `mask()` was introduced in PTX 7.1; `mask()` of integers in 7.3 by the specification, in 7.2 by the assembler.
    fn gate_mask(&mut self, constant: Constant, value: Value) -> Checked<()> {
        let ConstantValue::Expression(id) = constant.value else {
            return Ok(());
        };
        let kind = self.ast.expressions.get(id as usize).map(|node| node.kind);
        if !matches!(kind, Some(ExpressionKind::Mask(..))) {
            return Ok(());
        }
        let version = match value {
            Value::Address(_) => 71,
            _ if self.by_assembler() => 72,
            _ => 73,
        };
        self.gate(constant.span, "the mask operator here", version, 10)
    }

    /// A number as an element of type `ty`. Integers wrap; floating-point types accept floating-point literals;
    /// bit-size types accept both. `0f` in eight bytes stays unchanged: "such values retain their exact 32-bit
    /// single-precision value" (4.5.2).
    fn number_of(&mut self, ty: Type, value: Value, span: Span) -> Checked<Number> {
        let number = match (ty, value) {
            // Constants have 64 bits; the text does not say that a negative one is extended.
            (Type::B128, Value::Integer { bits, unsigned }) => {
                let open = if !unsigned && (bits as i64) < 0 { 8..16 } else { 0..0 };
                // As observed: from release 13 on the assembler leaves the upper half to chance.
                let by_chance =
                    if matches!(self.rules.dialect, Dialect::Ptxas(13.., _)) { 8..16 } else { 0..0 };
                Number { open, by_chance, ..Number::known(bits) }
            }
            (_, Value::Integer { bits, .. }) if !ty.is_float() => Number::known(bits),
            (Type::F32 | Type::B32 | Type::F16x2, Value::Float64(number)) => {
                Number::known(u64::from((number as f32).to_bits()))
            }
            (Type::F64 | Type::B64, Value::Float64(number)) => Number::known(number.to_bits()),
            (Type::F32 | Type::B32 | Type::F64 | Type::B64 | Type::F16x2, Value::Float32(bits)) => {
                Number::known(u64::from(bits))
            }
            (Type::F16x2, Value::Integer { bits, .. }) => Number::known(bits),
            (Type::B8 | Type::B16 | Type::B128, Value::Float64(_) | Value::Float32(_)) => {
                self.note_deviation(Deviation::PtxasOddFloat, span);
                let bits = match value {
                    Value::Float64(number) => number.to_bits(),
                    Value::Float32(bits) => u64::from(bits),
                    _ => 0,
                };
                let by_chance = if ty == Type::B128 { 8..16 } else { 0..0 };
                Number { open: 0..u64::from(ty.size()), by_chance, ..Number::known(bits) }
            }
            _ if ty.is_float() => {
                return self.fail_expected(
                    span,
                    format!("an integer as initial value of type `.{ty}`"),
                    "a floating-point literal such as `1.0`",
                );
            }
            _ => {
                return self.fail_expected(
                    span,
                    format!("a floating-point initial value of type `.{ty}`"),
                    "an integer",
                );
            }
        };
        Ok(number)
    }
}

/// Whether the part opens or closes a list.
fn is_bracket(part: &InitializerPart) -> bool {
    matches!(part, InitializerPart::Open(_) | InitializerPart::Close(_))
}

/// Whether the constant is a number, judged by its form alone.
fn is_number(constant: Constant) -> bool {
    !matches!(constant.value, ConstantValue::Expression(_))
}
