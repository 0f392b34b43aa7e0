//! Operands of surface instructions: the object, its coordinates, the data (PTX ISA 9.7.11).

use super::agreement::Width;
use super::constant::Value;
use super::operand::Resolved;
use super::words::Words;
use super::{Checked, Checker, tuple};
use crate::ast::Operand as Written;
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
                parts_in_brackets(items.len()),
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
            return self.fail_expected(operand.span(), parts_in_brackets(items.len()), "the object alone");
        };
        let object = self.opaque_object(words, object)?;
        Ok(Operand::Opaque { object, sampler: None, coordinates: Vec::new(), bare: false })
    }

    /// "Operand a is a .surfref variable or .u64 register." The assembler accepts `.s64` and `.b64` registers as well.
    fn opaque_object(&mut self, words: &Words, operand: &Written) -> Checked<OpaqueBase> {
        self.object_of(words, operand, self.object_type(words))
    }

    /// An object of type `wanted`: its variable, or a register that holds its handle or a pointer to it.
    pub(super) fn object_of(
        &mut self,
        words: &Words,
        operand: &Written,
        wanted: Type,
    ) -> Checked<OpaqueBase> {
        let span = operand.span();
        let expected = format_args!("a `.{wanted}` variable or a 64-bit integer register, without an offset");
        if let Written::Offset { .. } = operand {
            return self.fail_expected(span, "an offset from an opaque object", expected.to_string());
        }
        let found = self.resolve(operand)?;
        match found {
            Resolved::Register { id, ty: Type::U64 | Type::S64 | Type::B64, vector: 1, negated: false } => {
                // "Indirect access to textures is supported only in unified texture mode" (5.3).
                if !self.by_assembler() && wanted == Type::Texref && self.out.texmode_independent {
                    let found = "indirect access in independent texture mode";
                    return self.fail_expected(span, found, "a `.texref` variable");
                }
                // As observed: the assembler does not ask for a version where `txq` reads through a pointer in independent
                // texture mode.
                let exempt =
                    self.by_assembler() && words.opcode == Opcode::Txq && self.out.texmode_independent;
                if words.opcode == Opcode::Tex && self.out.texmode_independent {
                    self.indirect_in_independent_mode(span)?;
                } else if !exempt {
                    self.gate(span, "indirect access", 31, 20)?;
                }
                Ok(OpaqueBase::Register(id))
            }
            Resolved::Variable { id, .. } => {
                let variable = &self.out.variables[id.0 as usize];
                let ty = variable.ty;
                // As observed: in independent texture mode the assembler reads this member of anything.
                let anything = words.opcode == Opcode::Txq
                    && words.modifiers.contains(&Modifier::MemoryLayout)
                    && self.out.texmode_independent;
                if (ty == wanted || anything) && variable.is_opaque() {
                    return Ok(OpaqueBase::Variable(id));
                }
                if ty.is_opaque() && !variable.is_opaque() {
                    let found = format!("`{}` is an array of type `.{ty}`", self.text_of(span));
                    return self.fail_expected(span, found, expected.to_string());
                }
                self.fail_expected(
                    span,
                    format!("`{}` is of type `.{ty}`", self.text_of(span)),
                    expected.to_string(),
                )
            }
            _ => self.misfit(span, found, expected),
        }
    }

    /// `txq` queries sampler members of the texture in unified mode and of the sampler in independent mode.
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
            // The member that only a sampler has.
            Opcode::Txq if words.modifiers.contains(&Modifier::ForceUnnormalizedCoords) => Type::Samplerref,
            Opcode::Txq if sampler_member && self.out.texmode_independent => Type::Samplerref,
            Opcode::Txq | Opcode::Tex => Type::Texref,
            _ => Type::Surfref,
        }
    }

    /// "Operand b is a scalar or singleton tuple for 1d surfaces; a two-element vector for 2d surfaces; a four-element
    /// vector for 3d surfaces"; arrays have the index first. The assembler also accepts longer tuples and a bare scalar
    /// for every geometry.
    fn coordinates(&mut self, words: &Words, operand: &'t Written) -> Checked<(Vec<Operand>, bool)> {
        let needed = coordinate_count(words);
        let span = operand.span();
        if self.by_assembler() && matches!(operand, Written::Component { .. }) {
            return self.fail_expected(
                span,
                "a component without braces",
                format!("a tuple of {}, or a register", assembler_sizes(needed)),
            );
        }
        let found = self.resolve(operand)?;
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
                let failed = self.fail_expected(span, "one coordinate", format!("a tuple of {needed}"));
                let note = "ptxas takes a bare register for every geometry; the coordinates it does not give are arbitrary";
                self.explain("", note);
                return failed;
            }
            if matches!(found, Resolved::Constant(_)) {
                return self.fail_expected(
                    span,
                    "a constant without braces",
                    "a register, or a tuple in braces",
                );
            }
            return Ok((vec![self.coordinate(operand, found)?], true));
        };
        let ast = self.ast;
        let elements = ast.operands_of(items);
        self.tuple_size(elements.len(), needed, span)?;
        if self.by_assembler() {
            return Ok((self.assembled_coordinates(elements, span)?, false));
        }
        let mut out = Vec::with_capacity(elements.len());
        for element in elements {
            let found = self.resolve(element)?;
            out.push(self.coordinate(element, found)?);
        }
        Ok((out, false))
    }

    /// Elements that the assembler accepts as a tuple of coordinates; only some of them have a clear meaning.
    fn assembled_coordinates(&mut self, elements: &'t [Written], span: Span) -> Checked<Vec<Operand>> {
        let wanted = "coordinates of type `.s32`, `.u32` or `.b32`";
        let (found, tuple) = self.tuple_elements(elements, &wanted)?;
        if let Some(sink) = elements.iter().find(|element| matches!(element, Written::Sink(_))) {
            return self.misfit(sink.span(), Resolved::Sink, wanted);
        }
        if !tuple::are_coordinates(&tuple) {
            let first = elements.first().map_or(span, Written::span);
            return self.misfit(first, found[0], wanted);
        }
        let mut out = Vec::with_capacity(elements.len());
        for ((element, found), kind) in elements.iter().zip(found).zip(tuple) {
            let runs = kind.size.is_none_or(|size| size == 4) && kind.class != tuple::Class::Predicate;
            out.push(match found {
                Resolved::Register { id, .. } if runs => Operand::Register { id, negated: false },
                Resolved::Component { id, component, .. } if runs => Operand::Component { id, component },
                Resolved::Constant(Value::Integer { bits, unsigned }) => {
                    Operand::Immediate(Immediate::Integer { bits, unsigned })
                }
                Resolved::Special { register, component } if runs => Operand::Special { register, component },
                Resolved::Variable { id, offset } => Operand::VariableAddress { variable: id, offset },
                _ => {
                    let text = self.text_of(element.span());
                    return self.unsupported(element.span(), format!("`{text}` as a coordinate"));
                }
            });
        }
        Ok(out)
    }

    pub(super) fn tuple_size(&mut self, given: usize, needed: usize, span: Span) -> Checked<()> {
        let fits =
            if self.by_assembler() { given >= needed && matches!(given, 1 | 2 | 4) } else { given == needed };
        if fits {
            Ok(())
        } else {
            let wanted = if self.by_assembler() {
                format!("a tuple of {}, or a register", assembler_sizes(needed))
            } else {
                format!("a tuple of {needed}")
            };
            let failed = self.fail_expected(span, format!("a tuple of {given}"), wanted);
            if given > needed && matches!(given, 2 | 4) {
                self.explain("", "ptxas takes a longer tuple of 2 or 4 and ignores the extra elements");
            } else if given == 3 && needed < 3 {
                self.explain(
                    "",
                    "ptxas takes no tuple of 3 either, but one of 4, and ignores the extra element",
                );
            }
            failed
        }
    }

    /// A coordinate by the specification, or one without braces, where the assembler accepts only whole registers.
    fn coordinate(&mut self, operand: &Written, found: Resolved) -> Checked<Operand> {
        match found {
            Resolved::Register { id, ty, vector: 1, negated: false } if is_coordinate(ty) => {
                Ok(Operand::Register { id, negated: false })
            }
            Resolved::Component { id, component, ty } if is_coordinate(ty) && !self.by_assembler() => {
                Ok(Operand::Component { id, component })
            }
            Resolved::Constant(Value::Integer { bits, unsigned }) => {
                Ok(Operand::Immediate(Immediate::Integer { bits, unsigned }))
            }
            _ => self.misfit(operand.span(), found, "a coordinate of type `.s32`, `.u32` or `.b32`"),
        }
    }

    /// Data: any register that is not a predicate and is at least as wide as the type; `sured` with `.u` and `.s` types
    /// accepts no floating-point registers.
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
        let span = operand.span();
        match found {
            Resolved::Vector(items) => {
                let reduction = words.opcode == Opcode::Sured;
                // Without `.v2` or `.v4` the assembler still takes a tuple: loads fill all of it, stores take the first.
                let longer = words.vector == 1 && self.by_assembler() && matches!(items.len(), 2 | 4);
                // There is no tuple of eight: `.v8` stands with a single operand alone.
                let eight = words.vector == 8;
                if reduction || eight || items.len() != words.vector && !longer {
                    return self.fail_expected(
                        span,
                        format!("a tuple of {}", items.len()),
                        if reduction || eight {
                            "a register".into()
                        } else {
                            format!("{} elements", words.vector)
                        },
                    );
                }
                self.tuple_data(words, items, ty, destination, span)
            }
            Resolved::Register { id, ty: register, vector, negated: false }
                if vector as usize == words.vector && self.fits(ty, register, Width::AtLeast) =>
            {
                Ok(Operand::Register { id, negated: false })
            }
            _ if self.by_assembler() && self.stands_for_tuple(words, found, ty, destination) => {
                self.unsupported(span, format!("`{}` in place of a tuple or a register", self.text_of(span)))
            }
            _ if words.vector > 1 => {
                self.misfit(span, found, format!("a tuple of {} elements for `.{ty}`", words.vector))
            }
            _ if destination => self.destination(words, operand, ty, Width::AtLeast),
            _ => self.source(operand, ty, Width::AtLeast),
        }
    }

    /// As observed of the assembler: without `.v2` or `.v4`, a vector register counts as one register of its whole
    /// size. With them, `sust` accepts a constant, or a register at least as wide as one element. (The assembler
    /// crashes if the register is no wider.)
    fn stands_for_tuple(&self, words: &Words, found: Resolved, ty: Type, destination: bool) -> bool {
        match found {
            Resolved::Register { ty: element, vector, negated: false, .. } if vector > 1 => {
                let reduction = words.opcode == Opcode::Sured;
                words.vector == 1 && !reduction && element.size() * vector >= ty.size()
            }
            Resolved::Register { ty: element, negated: false, .. }
            | Resolved::Component { ty: element, .. } => {
                words.vector > 1 && !destination && self.fits(ty, element, Width::AtLeast)
            }
            Resolved::Constant(value) => {
                words.vector > 1 && !destination && self.immediate(value, ty).is_some()
            }
            _ => false,
        }
    }
}

/// The number of operands between brackets, in words.
pub(super) fn parts_in_brackets(count: usize) -> String {
    match count {
        0 => "nothing in the brackets".to_string(),
        1 => "one part in the brackets".to_string(),
        _ => format!("{count} parts in the brackets"),
    }
}

/// Tuple sizes that the assembler accepts for `needed` coordinates.
const fn assembler_sizes(needed: usize) -> &'static str {
    match needed {
        1 => "1, 2 or 4",
        2 => "2 or 4",
        _ => "4",
    }
}

/// Elements of the coordinate tuple of the geometry.
pub(super) fn coordinate_count(words: &Words) -> usize {
    words
        .modifiers
        .iter()
        .find_map(|modifier| match modifier {
            Modifier::D1 | Modifier::D1Buffer | Modifier::D4 => Some(1),
            Modifier::D2 | Modifier::A1d | Modifier::D5 => Some(2),
            Modifier::D3 | Modifier::A2d | Modifier::Cube | Modifier::Acube => Some(4),
            Modifier::D2ms | Modifier::A2dms => Some(4),
            _ => None,
        })
        .unwrap_or(1)
}

fn is_coordinate(ty: Type) -> bool {
    matches!(ty, Type::B32 | Type::U32 | Type::S32)
}
