//! Operands of `tex` and `tld4`: texture, sampler, coordinates and the four-element destination (PTX ISA 9.7.10.3, 9.7.10.4); those behind
//! them are in `texture_options`.
//!
//! In unified texture mode a texture includes its sampler; in independent mode the sampler is a separate operand (5.3).
//! Assembler behaviour that the specification does not describe was observed with ptxas 12.9.

use std::fmt::Display;

use super::agreement::Width;
use super::operand::Resolved;
use super::surface::{coordinate_count, parts_in_brackets};
use super::words::Words;
use super::{Checked, Checker, tuple};
use crate::ast::Operand as Written;
use crate::checked::{Operand, VariableId};
use crate::source::Span;
use crate::vocabulary::{Modifier, Type};

/// The allowed operands for an array index, in messages.
const LAYER: &str = "a register for `.u32` or an integer constant, the index into the array";

impl<'t> Checker<'t> {
    /// `[texture, coordinates]`, in independent texture mode `[texture, sampler, coordinates]`.
    pub(super) fn texture_address(&mut self, words: &Words, operand: &'t Written) -> Checked<Operand> {
        let span = operand.span();
        let independent = self.out.texmode_independent;
        let shape =
            if independent { "`[texture, sampler, coordinates]`" } else { "`[texture, coordinates]`" };
        let found = self.resolve(operand)?;
        let Resolved::Bracket(items) = found else { return self.misfit(span, found, shape) };
        let ast = self.ast;
        let (texture, sampler, coordinates) = match (ast.operands_of(items), independent) {
            ([texture, coordinates], false) => (texture, None, coordinates),
            ([texture, sampler, coordinates], true) => (texture, Some(sampler), coordinates),
            ([_, second, _], false) => return self.sampler_in_unified_mode(second, shape),
            ([_, _], true) => {
                let failed = self.fail_expected(span, "no sampler in independent texture mode", shape);
                self.explain("", "the sampler members of a `.texref` are disabled in this mode");
                return failed;
            }
            (other, _) => return self.fail_expected(span, parts_in_brackets(other.len()), shape),
        };
        let object = self.object_of(words, texture, Type::Texref)?;
        let sampler = match sampler {
            Some(sampler) => Some(self.object_of(words, sampler, Type::Samplerref)?),
            None => None,
        };
        // As observed: behind a sampler, what is no tuple is a syntax error.
        if self.by_assembler()
            && sampler.is_some()
            && !matches!(self.resolve(coordinates)?, Resolved::Vector(_))
        {
            let what = "coordinates without braces behind a sampler";
            return self.fail_expected(coordinates.span(), what, "a tuple in braces");
        }
        let (coordinates, bare) = self.texture_coordinates(words, coordinates)?;
        Ok(Operand::Opaque { object, sampler, coordinates, bare })
    }

    /// As observed, the assembler ignores the texture mode where a register or a texture stands for the sampler. The
    /// specification gives that operand no meaning.
    fn sampler_in_unified_mode<T>(&mut self, sampler: &Written, shape: &str) -> Checked<T> {
        let span = sampler.span();
        let what = "a sampler in unified texture mode";
        if self.by_assembler() {
            let object = self.resolve(sampler)?;
            let texture = |id: VariableId| self.out.variables[id.0 as usize].ty == Type::Texref;
            match object {
                Resolved::Register { ty: Type::B64 | Type::U64 | Type::S64, vector: 1, .. } => {
                    return self.unsupported(span, what);
                }
                Resolved::Variable { id, offset: 0 } if texture(id) => return self.unsupported(span, what),
                _ => {}
            }
        }
        let failed = self.fail_expected(span, what, shape);
        self.explain("", "only `.target …, texmode_independent` has samplers apart from textures");
        failed
    }

    /// "Indirect access to textures is supported only in unified texture mode" (5.3). As observed, the assembler supports it in
    /// the other mode too, from PTX 4.3 and sm_30 on.
    pub(super) fn indirect_in_independent_mode(&mut self, span: Span) -> Checked<()> {
        if self.by_assembler() {
            return self.gate(span, "indirect access in independent texture mode", 43, 30);
        }
        let failed = self.fail_expected(span, "indirect access in independent texture mode", "a variable");
        self.explain("", "ptxas takes pointers in this mode as well, from PTX 4.3 and sm_30 on");
        failed
    }

    /// "Operand c is a scalar or singleton tuple for 1d textures; is a two-element vector for 2d textures; and is a
    /// four-element vector for 3d textures, where the fourth element is ignored"; an array has its index first, and
    /// `.a2d` has a fourth element that is ignored.
    fn texture_coordinates(&mut self, words: &Words, operand: &'t Written) -> Checked<(Vec<Operand>, bool)> {
        let needed = coordinate_count(words);
        let (array, ty) = (is_array(words), coordinate_type(words));
        let found = self.resolve(operand)?;
        let span = operand.span();
        match found {
            Resolved::Vector(items) => {
                let ast = self.ast;
                let elements = ast.operands_of(items);
                self.tuple_size(elements.len(), needed, span)?;
                if self.by_assembler() {
                    self.assembled_tuple(elements, array, ty)?;
                }
                let mut out = Vec::with_capacity(elements.len());
                for (n, element) in elements.iter().enumerate() {
                    out.push(self.texture_coordinate(element, ty, array && n == 0)?);
                }
                Ok((out, false))
            }
            // A vector register is a tuple of its elements; of an array, "a bit-size type vector".
            Resolved::Register { id, ty: register, vector, negated: false }
                if vector > 1 && self.fits(ty, register, Width::Exact) && (!array || register.is_bits()) =>
            {
                self.tuple_size(vector as usize, needed, span)?;
                Ok(((0..vector).map(|component| Operand::Component { id, component }).collect(), false))
            }
            _ if needed != 1 && !self.by_assembler() => {
                let failed = self.fail_expected(span, "one coordinate", format!("a tuple of {needed}"));
                let note = "ptxas takes a bare register for every geometry; the coordinates it does not give are arbitrary";
                self.explain("", note);
                failed
            }
            Resolved::Register { id, ty: register, vector: 1, negated: false }
                if self.fits(ty, register, Width::Exact) =>
            {
                Ok((vec![Operand::Register { id, negated: false }], true))
            }
            Resolved::Constant(_) => {
                self.fail_expected(span, "a constant without braces", "a register, or a tuple in braces")
            }
            _ => self.misfit(span, found, coordinate_wanted(ty)),
        }
    }

    /// One element: an array index or a coordinate. The assembler checks the types of a tuple as a whole, not one by
    /// one: any 32-bit register may be a coordinate, whatever its type.
    fn texture_coordinate(&mut self, element: &Written, ty: Type, layer: bool) -> Checked<Operand> {
        let found = self.resolve(element)?;
        let ty = if layer { Type::U32 } else { ty };
        let loose = self.by_assembler() && !layer;
        let fits = |checker: &Self, register: Type| {
            checker.fits(ty, register, Width::Exact)
                || loose && register != Type::Pred && register.size() == 4
        };
        match found {
            Resolved::Register { id, ty: register, vector: 1, negated: false } if fits(self, register) => {
                Ok(Operand::Register { id, negated: false })
            }
            Resolved::Component { id, component, ty: register } if fits(self, register) => {
                Ok(Operand::Component { id, component })
            }
            Resolved::Special { register, component } if self.by_assembler() => {
                Ok(Operand::Special { register, component })
            }
            Resolved::Constant(value) => match self.immediate(value, ty) {
                Some(immediate) => Ok(Operand::Immediate(immediate)),
                None if loose => {
                    let text = self.text_of(element.span());
                    self.unsupported(element.span(), format!("`{text}` as a coordinate of type `.{ty}`"))
                }
                None => self.misfit(element.span(), found, wanted(ty, layer)),
            },
            _ => self.misfit(element.span(), found, wanted(ty, layer)),
        }
    }

    /// As observed: an array index must not be of a floating-point type; neighbours among the other elements, or in a
    /// tuple without an index, must be of one kind; and the tuple as a whole must not be of the wrong kind.
    fn assembled_tuple(&mut self, elements: &'t [Written], array: bool, ty: Type) -> Checked<()> {
        let wanted_text = coordinate_wanted(ty);
        let rest = if array { &elements[1..] } else { elements };
        let (found, kinds) = self.tuple_elements(rest, &wanted_text)?;
        let first = rest.first().zip(found.first());
        let Some((first, first_found)) = first else { return Ok(()) };
        let wrong = if ty.is_float() {
            kinds.iter().all(tuple::Element::fits_anywhere)
        } else {
            !array
                && kinds.iter().all(|kind| kind.class == tuple::Class::Float)
                && !tuple::are_coordinates(&kinds)
                || array && self.is_float_tuple(elements)?
        };
        if wrong || kinds.iter().any(|kind| kind.size.is_some_and(|size| size != 4)) {
            return self.misfit(first.span(), *first_found, wanted_text);
        }
        Ok(())
    }

    fn is_float_tuple(&mut self, elements: &'t [Written]) -> Checked<bool> {
        for element in elements {
            let found = self.resolve(element)?;
            let float = tuple::Element::of(element, found).is_some_and(|it| it.class == tuple::Class::Float);
            if !float {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// "The instruction returns … a four-element vector", of 32 bits each.
    pub(super) fn texture_data(&mut self, words: &Words, operand: &'t Written, ty: Type) -> Checked<Operand> {
        let found = self.resolve(operand)?;
        let span = operand.span();
        let wanted = format_args!("a tuple of {} elements for `.{ty}`", words.vector);
        match found {
            Resolved::Vector(items) if items.len() == words.vector => {
                let ast = self.ast;
                let elements = ast.operands_of(items);
                if elements.iter().all(|element| matches!(element, Written::Sink(_))) {
                    return self.fail_expected(span, "a tuple of `_` alone", "at least one register");
                }
                if self.by_assembler() {
                    self.assembled_destination(elements, ty, &wanted)?;
                }
                let mut out = Vec::with_capacity(elements.len());
                for element in elements {
                    out.push(self.texture_element(words, element, ty)?);
                }
                Ok(Operand::Vector(out))
            }
            Resolved::Register { id, ty: register, vector, negated: false }
                if vector as usize == words.vector && self.fits(ty, register, Width::Exact) =>
            {
                Ok(Operand::Register { id, negated: false })
            }
            Resolved::Pair(_) => self.unsupported(span, "the residency predicate of `tex`"),
            Resolved::Vector(items) => {
                self.fail_expected(span, format!("a tuple of {}", items.len()), wanted.to_string())
            }
            _ => self.misfit(span, found, wanted),
        }
    }

    fn texture_element(&mut self, words: &Words, element: &Written, ty: Type) -> Checked<Operand> {
        if let Written::Sink(span) = element {
            // As observed, of halves and not of pairs of them.
            if ty == Type::F16x2 && self.by_assembler() {
                return self.fail_expected(*span, "`_` here", "a register for each pair of halves");
            }
            return Ok(Operand::Sink);
        }
        // The assembler looks at the tuple as a whole.
        let ty = match ty {
            Type::F16 if self.by_assembler() => Type::B16,
            _ if self.by_assembler() => Type::B32,
            _ => ty,
        };
        self.destination(words, element, ty, Width::Exact)
    }

    /// As observed: neighbours are of one kind, each has 32 bits, and they are not all floating-point where integers
    /// are required.
    fn assembled_destination(
        &mut self,
        elements: &'t [Written],
        ty: Type,
        wanted: &dyn Display,
    ) -> Checked<()> {
        let (found, kinds) = self.tuple_elements(elements, wanted)?;
        let written = kinds.iter().zip(&found).filter(|(_, found)| **found != Resolved::Sink);
        let floats = written.clone().all(|(kind, _)| kind.class == tuple::Class::Float);
        let wrong = !ty.is_float() && floats;
        if let (true, Some(first), Some(found)) = (wrong, elements.first(), found.first()) {
            return self.misfit(first.span(), *found, wanted);
        }
        Ok(())
    }
}

/// Whether the geometry is an array.
fn is_array(words: &Words) -> bool {
    let is_array = |modifier: &Modifier| {
        matches!(modifier, Modifier::A1d | Modifier::A2d | Modifier::Acube | Modifier::D5)
    };
    words.modifiers.iter().any(is_array)
}

/// `.ctype`
pub(super) fn coordinate_type(words: &Words) -> Type {
    words.types.get(1).copied().unwrap_or(Type::F32)
}

fn wanted(ty: Type, layer: bool) -> String {
    if layer { LAYER.to_string() } else { coordinate_wanted(ty) }
}

fn coordinate_wanted(ty: Type) -> String {
    let constant = if ty.is_float() { "a floating-point" } else { "an integer" };
    format!("a coordinate: a register for `.{ty}` or {constant} constant")
}
