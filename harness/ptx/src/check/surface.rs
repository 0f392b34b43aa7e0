//! Operands of surface instructions: the object, its coordinates, the data (PTX ISA 9.7.11).

use super::agreement::{Width, agrees};
use super::constant::Value;
use super::instruction::Words;
use super::operand::Resolved;
use super::{Checked, Checker};
use crate::ast::{List, Operand as Written};
use crate::checked::{Immediate, OpaqueBase, Operand};
use crate::source::Span;
use crate::vocabulary::{Modifier, Opcode, Type};

impl<'t> Checker<'t> {
    /// `[surface, coordinates]`
    pub(super) fn surface_address(&mut self, words: &Words, operand: &'t Written) -> Checked<Operand> {
        let found = self.resolve(operand)?;
        let Resolved::Bracket(items) = found else {
            return self.misfit(operand.span(), found, "`[surface, coordinates]`");
        };
        let ast = self.ast;
        let [object, coordinates] = ast.operands_of(items) else {
            return self.fail_expected(
                operand.span(),
                format!("{} parts in the brackets", items.len()),
                "`[surface, coordinates]`",
            );
        };
        let object = self.opaque_object(words, object)?;
        let (coordinates, bare) = self.coordinates(words, coordinates)?;
        Ok(Operand::Opaque { object, sampler: None, coordinates, bare })
    }

    /// `[surface]` of `suq`, `[texture]` of `txq`.
    pub(super) fn surface_query(&mut self, words: &Words, operand: &'t Written) -> Checked<Operand> {
        let found = self.resolve(operand)?;
        let Resolved::Bracket(items) = found else {
            return self.misfit(operand.span(), found, "an object in brackets");
        };
        let ast = self.ast;
        let [object] = ast.operands_of(items) else {
            return self.fail_expected(
                operand.span(),
                format!("{} parts in the brackets", items.len()),
                "the object alone",
            );
        };
        let object = self.opaque_object(words, object)?;
        Ok(Operand::Opaque { object, sampler: None, coordinates: Vec::new(), bare: false })
    }

    /// "Operand a is a .surfref variable or .u64 register." The assembler takes `.s64` and `.b64` registers as well.
    fn opaque_object(&mut self, words: &Words, operand: &Written) -> Checked<OpaqueBase> {
        let span = operand.span();
        let wanted = self.object_type(words);
        let expected = format!("a `.{wanted}` variable or a 64-bit integer register, without an offset");
        if let Written::Offset { .. } = operand {
            return self.fail_expected(span, "an offset from an opaque object", expected);
        }
        let found = self.resolve(operand)?;
        match found {
            Resolved::Register { id, ty: Type::U64 | Type::S64 | Type::B64, vector: 1, negated: false } => {
                self.gate(span, "indirect access", 31, 20)?;
                Ok(OpaqueBase::Register(id))
            }
            Resolved::Variable { id, .. } => {
                let variable = &self.out.variables[id.0 as usize];
                let ty = variable.ty;
                if ty == wanted && variable.is_opaque() {
                    return Ok(OpaqueBase::Variable(id));
                }
                self.fail_expected(span, format!("`{}` is of type `.{ty}`", self.text_of(span)), expected)
            }
            _ => self.misfit(span, found, &expected),
        }
    }

    /// `txq` takes sampler members from the texture in unified mode and from the sampler in independent mode.
    fn object_type(&self, words: &Words) -> Type {
        let sampler_member = words.modifiers.iter().any(|modifier| {
            matches!(
                modifier,
                Modifier::FilterMode
                    | Modifier::AddrMode0
                    | Modifier::AddrMode1
                    | Modifier::AddrMode2
                    | Modifier::ForceUnnormalizedCoords
            )
        });
        match words.opcode {
            Opcode::Txq if sampler_member && self.out.texmode_independent => Type::Samplerref,
            Opcode::Txq => Type::Texref,
            _ => Type::Surfref,
        }
    }

    /// "Operand b is a scalar or singleton tuple for 1d surfaces; a two-element vector for 2d surfaces; a four-element vector
    /// for 3d surfaces"; arrays have the index in front. The assembler takes longer tuples and a bare scalar for every
    /// geometry as well.
    fn coordinates(&mut self, words: &Words, operand: &'t Written) -> Checked<(Vec<Operand>, bool)> {
        let needed = coordinate_count(words);
        let found = self.resolve(operand)?;
        let span = operand.span();
        let Resolved::Vector(items) = found else {
            // A vector register is a tuple of its elements.
            if let Resolved::Register { id, ty, vector, negated: false } = found
                && vector > 1
                && is_coordinate(ty)
            {
                self.tuple_size(vector as usize, needed, span)?;
                let elements = (0..vector).map(|component| Operand::Component { id, component }).collect();
                return Ok((elements, false));
            }
            if needed != 1 && !self.by_assembler() {
                return self.fail_expected(span, "one coordinate", format!("a tuple of {needed}"));
            }
            if matches!(found, Resolved::Constant(_)) {
                return self.fail_expected(
                    span,
                    "a constant without braces",
                    "a register, or a tuple in braces",
                );
            }
            return Ok((vec![self.coordinate(operand, found, false)?], true));
        };
        let ast = self.ast;
        let elements = ast.operands_of(items);
        self.tuple_size(elements.len(), needed, span)?;
        // As the assembler has it: in a tuple, a `.b32` element carries `.f32` ones.
        let mut out = Vec::with_capacity(elements.len());
        let mut bits = false;
        for element in elements {
            let found = self.resolve(element)?;
            bits |= matches!(
                found,
                Resolved::Register { ty: Type::B32, .. } | Resolved::Component { ty: Type::B32, .. }
            );
        }
        for element in elements {
            let found = self.resolve(element)?;
            out.push(self.coordinate(element, found, bits && self.by_assembler())?);
        }
        Ok((out, false))
    }

    fn tuple_size(&mut self, given: usize, needed: usize, span: Span) -> Checked<()> {
        let fits =
            if self.by_assembler() { given >= needed && matches!(given, 1 | 2 | 4) } else { given == needed };
        if fits {
            Ok(())
        } else {
            self.fail_expected(span, format!("a tuple of {given}"), format!("a tuple of {needed}"))
        }
    }

    fn coordinate(&mut self, operand: &Written, found: Resolved, float_too: bool) -> Checked<Operand> {
        let by_assembler = self.by_assembler();
        let fits = |ty: Type| is_coordinate(ty) || float_too && ty == Type::F32;
        match found {
            Resolved::Register { id, ty, vector: 1, negated: false } if fits(ty) => {
                Ok(Operand::Register { id, negated: false })
            }
            Resolved::Component { id, component, ty } if fits(ty) => Ok(Operand::Component { id, component }),
            Resolved::Constant(Value::Integer { bits, unsigned }) => {
                Ok(Operand::Immediate(Immediate::Integer { bits, unsigned }))
            }
            Resolved::Special { register, component } if by_assembler => {
                Ok(Operand::Special { register, component })
            }
            Resolved::Variable { id, offset } if by_assembler => {
                Ok(Operand::VariableAddress { variable: id, offset })
            }
            _ => self.misfit(operand.span(), found, "a coordinate of type `.s32`, `.u32` or `.b32`"),
        }
    }

    /// Data: any register that is not a predicate and at least as wide as the type; `sured` with `.u` and `.s` types takes no
    /// floating-point registers.
    pub(super) fn surface_data(
        &mut self,
        words: &Words,
        operand: &'t Written,
        ty: Type,
        destination: bool,
    ) -> Checked<Operand> {
        if ty.size() as usize * words.vector > 16 {
            return self.fail_expected(words.span, "an access of more than 128 bits", "at most 128 bits");
        }
        let found = self.resolve(operand)?;
        match found {
            Resolved::Vector(items) => {
                // Without `.v2` or `.v4` the assembler still takes a tuple: loads fill all of it, stores take the first.
                let fits = items.len() == words.vector
                    || words.vector == 1
                        && self.by_assembler()
                        && words.opcode != Opcode::Sured
                        && matches!(items.len(), 2 | 4);
                if !fits {
                    return self.fail_expected(
                        operand.span(),
                        format!("a tuple of {}", items.len()),
                        format!("{} elements", words.vector),
                    );
                }
                self.surface_elements(words, items, ty, destination, operand.span())
            }
            Resolved::Register { id, ty: register, vector, negated: false }
                if vector as usize == words.vector && agrees(ty, register, Width::AtLeast) =>
            {
                Ok(Operand::Register { id, negated: false })
            }
            _ if words.vector > 1 => self.misfit(
                operand.span(),
                found,
                &format!("a tuple of {} elements for `.{ty}`", words.vector),
            ),
            _ if destination => self.destination(words, operand, ty, Width::AtLeast),
            _ => self.source(operand, ty, Width::AtLeast),
        }
    }

    fn surface_elements(
        &mut self,
        words: &Words,
        items: List,
        ty: Type,
        destination: bool,
        span: Span,
    ) -> Checked<Operand> {
        let elements = self.elements(words, items, ty, destination)?;
        if elements.iter().all(|element| *element == Operand::Sink) {
            return self.fail_expected(span, "a tuple of `_` alone", "at least one register");
        }
        Ok(Operand::Vector(elements))
    }
}

/// Elements of the coordinate tuple of the geometry.
fn coordinate_count(words: &Words) -> usize {
    words
        .modifiers
        .iter()
        .find_map(|modifier| match modifier {
            Modifier::D1 => Some(1),
            Modifier::D2 | Modifier::A1d => Some(2),
            Modifier::D3 | Modifier::A2d => Some(4),
            _ => None,
        })
        .unwrap_or(1)
}

fn is_coordinate(ty: Type) -> bool {
    matches!(ty, Type::B32 | Type::U32 | Type::S32)
}
