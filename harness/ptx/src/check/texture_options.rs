//! Operands of `tex` and `tld4` behind the address: a level, derivatives, offsets in texels, and what depths are compared with (PTX ISA
//! 9.7.10.3, 9.7.10.4).
//!
//! Assembler behaviour that the specification does not describe was observed with ptxas 12.9.

use super::agreement::Width;
use super::forms::{Form, Role};
use super::operand::Resolved;
use super::texture::coordinate_type;
use super::words::Words;
use super::{Checked, Checker, tuple};
use crate::ast::Operand as Written;
use crate::checked::Operand;
use crate::vocabulary::{Modifier, Type};

/// The PTX version and target that introduced offsets and depths.
const OPTIONS: (u32, u32) = (43, 30);

impl<'t> Checker<'t> {
    /// "tex.level requires an additional 32-bit scalar argument, lod … The type of lod follows .ctype". As observed, the assembler takes a tuple
    /// of one, too, in which an integer passes for a float, and a vector register.
    pub(super) fn texture_level(&mut self, words: &Words, operand: &'t Written) -> Checked<Operand> {
        let ty = coordinate_type(words);
        if let (Resolved::Vector(items), true) = (self.resolve(operand)?, self.by_assembler())
            && let [one] = self.ast.operands_of(items)
        {
            let integer = match self.resolve(one)? {
                Resolved::Register { ty: register, vector: 1, negated: false, .. } => {
                    matches!(register, Type::S32 | Type::U32)
                }
                _ => false,
            };
            if integer && ty.is_float() {
                return self.unsupported(one.span(), "an integer for a level of `.f32`");
            }
            return self.source(one, ty, Width::Exact);
        }
        match self.resolve(operand)? {
            Resolved::Register { ty: register, vector, .. }
                if vector > 1 && self.by_assembler() && self.fits(ty, register, Width::Exact) =>
            {
                self.unsupported(operand.span(), "a vector for a level")
            }
            _ => self.source(operand, ty, Width::Exact),
        }
    }

    /// "tex.grad requires two .f32 vectors, dPdx and dPdy …. The vectors are singletons for 1d and a1d textures; are two-element vectors for
    /// 2d and a2d textures; and are four-element vectors for 3d, cube and acube textures, where the fourth element is ignored".
    pub(super) fn texture_gradient(&mut self, words: &Words, operand: &'t Written) -> Checked<Operand> {
        let needed = elements(words);
        let wanted = format!("derivatives: a tuple of {needed} for `.f32`");
        let span = operand.span();
        match self.resolve(operand)? {
            Resolved::Vector(items) if items.len() == needed => {
                let ast = self.ast;
                let parts = ast.operands_of(items).iter();
                let parts: Checked<Vec<Operand>> =
                    parts.map(|part| self.source(part, Type::F32, Width::Exact)).collect();
                parts.map(Operand::Vector)
            }
            Resolved::Vector(items) => {
                self.fail_expected(span, format!("a tuple of {}", items.len()), wanted)
            }
            Resolved::Register { id, ty, vector, negated: false }
                if vector as usize == needed && vector > 1 && self.fits(Type::F32, ty, Width::Exact) =>
            {
                let component = |component| Operand::Component { id, component };
                Ok(Operand::Vector((0..vector).map(component).collect()))
            }
            found => self.misfit(span, found, &wanted),
        }
    }

    /// "Operand e is a vector of .s32 values that specifies coordinate offset …. Operand e is a singleton tuple for 1d textures; is a two
    /// element vector for 2d textures; and is four-element vector for 3d textures, where the fourth element is ignored". A depth may stand
    /// here, too, where no offset does.
    pub(super) fn texture_offset(&mut self, words: &Words, operand: &'t Written) -> Checked<Operand> {
        let needed = elements(words);
        let wanted = format!("offsets: a tuple of {needed} for `.s32`");
        let span = operand.span();
        match self.resolve(operand)? {
            Resolved::Vector(items) => {
                self.tuple_size(items.len(), needed, span)?;
                self.gate(span, "an offset in texels", OPTIONS.0, OPTIONS.1)?;
                let ast = self.ast;
                let parts = ast.operands_of(items);
                if self.by_assembler() {
                    self.assembled_offsets(parts, &wanted)?;
                }
                let offsets: Checked<Vec<Operand>> =
                    parts.iter().map(|part| self.source(part, Type::S32, Width::Exact)).collect();
                offsets.map(Operand::Vector)
            }
            Resolved::Register { id, ty, vector, negated: false }
                if vector as usize == needed && vector > 1 && self.fits(Type::S32, ty, Width::Exact) =>
            {
                self.gate(span, "an offset in texels", OPTIONS.0, OPTIONS.1)?;
                let component = |component| Operand::Component { id, component };
                Ok(Operand::Vector((0..vector).map(component).collect()))
            }
            found if self.by_assembler() && is_bare_offset(found) => {
                self.unsupported(span, "an offset in texels without braces")
            }
            Resolved::Register { ty: Type::B32, vector: 1, negated: false, .. }
                if self.by_assembler() && coordinate_type(words) == Type::S32 =>
            {
                self.gate(span, "an offset in texels", OPTIONS.0, OPTIONS.1)?;
                self.unsupported(span, "an offset in texels without braces")
            }
            found if takes_depth(words) => match found {
                Resolved::Register { vector: 1, .. } | Resolved::Component { .. } | Resolved::Constant(_) => {
                    self.texture_depth(words, operand)
                }
                _ => self.misfit(span, found, format!("{wanted}, or a depth for `.f32`")),
            },
            found => self.misfit(span, found, &wanted),
        }
    }

    /// As observed: of integers and untyped elements of 32 bits; any constant is one.
    fn assembled_offsets(&mut self, parts: &'t [Written], wanted: &str) -> Checked<()> {
        let (found, kinds) = self.tuple_elements(parts, &wanted)?;
        for ((part, found), kind) in parts.iter().zip(found).zip(&kinds) {
            let fits =
                !matches!(kind.class, tuple::Class::Float | tuple::Class::Predicate | tuple::Class::Packed)
                    && kind.size.is_none_or(|size| size == 4)
                    && found != Resolved::Sink;
            if !fits {
                return self.misfit(part.span(), found, wanted);
            }
            if matches!(found, Resolved::Special { .. } | Resolved::Variable { .. }) {
                let text = self.text_of(part.span());
                return self.unsupported(part.span(), format!("`{text}` as an offset in texels"));
            }
        }
        Ok(())
    }

    /// "f, a .f32 scalar value that specifies depth compare value for depth textures". No texture here is one, and in which way a depth is
    /// compared no text says.
    pub(super) fn texture_depth(&mut self, words: &Words, operand: &'t Written) -> Checked<Operand> {
        let span = operand.span();
        if let found @ Resolved::Vector(_) = self.resolve(operand)? {
            if words.modifiers.iter().any(|word| matches!(word, Modifier::Cube | Modifier::Acube)) {
                return self.fail_expected(span, "an offset in a cubemap", "a depth to compare with");
            }
            return self.misfit(span, found, "a depth to compare with, for `.f32`");
        }
        // As observed: at every version an integer passes where no offset may stand.
        let found = self.resolve(operand)?;
        let of_cube = words.modifiers.iter().any(|word| matches!(word, Modifier::Cube | Modifier::Acube));
        if of_cube && self.by_assembler() && is_bare_offset(found) {
            return self.unsupported(span, "an integer for a depth to compare with");
        }
        self.source(operand, Type::F32, Width::Exact)?;
        self.gate(span, "a depth to compare with", OPTIONS.0, OPTIONS.1)?;
        let opcode = words.opcode.text();
        self.unsupported(span, format!("a depth to compare with in `{opcode}`: no texture here holds depths"))
    }

    /// An offset and a depth stand in this order.
    pub(super) fn texture_options(&mut self, form: &Form, operands: &'t [Written]) -> Checked<()> {
        let last = form.operands.last().is_some_and(|pattern| pattern.role == Role::TextureDepth);
        let [.., offset, depth] = operands else { return Ok(()) };
        if !last || operands.len() < form.operands.len() {
            return Ok(());
        }
        match self.resolve(offset)? {
            // As observed: an offset without braces may be followed by a depth.
            found if self.by_assembler() && is_offset_before_depth(found) => Ok(()),
            Resolved::Register { vector: 1, .. } | Resolved::Component { .. } | Resolved::Constant(_)
                if form.operands.iter().any(|pattern| pattern.role == Role::TextureOffset) =>
            {
                let wanted = "an offset before the depth, or nothing after it";
                self.fail_expected(depth.span(), "an operand after the depth", wanted)
            }
            _ => Ok(()),
        }
    }
}

/// Elements of offsets and derivatives: those of the coordinates without the index into an array.
fn elements(words: &Words) -> usize {
    let found = words.modifiers.iter().find_map(|modifier| match modifier {
        Modifier::D1 | Modifier::A1d | Modifier::D5 => Some(1),
        Modifier::D2 | Modifier::A2d | Modifier::D2ms | Modifier::A2dms => Some(2),
        Modifier::D3 | Modifier::Cube | Modifier::Acube => Some(4),
        _ => None,
    });
    found.unwrap_or(1)
}

/// Whether a depth may stand behind: "when using depth compare operand, the elements in texture coordinate vector c have .f32 type", and it
/// "is not supported for 3d textures".
fn takes_depth(words: &Words) -> bool {
    coordinate_type(words) == Type::F32 && !words.modifiers.contains(&Modifier::D3)
}

/// As observed: before a depth an untyped register without braces passes, too.
fn is_offset_before_depth(found: Resolved) -> bool {
    is_bare_offset(found)
        || matches!(found, Resolved::Register { ty: Type::B32, vector: 1, negated: false, .. })
}

/// As observed: an integer without braces passes for an offset of any geometry, at every version.
fn is_bare_offset(found: Resolved) -> bool {
    match found {
        Resolved::Register { ty, vector: 1, negated: false, .. } | Resolved::Component { ty, .. } => {
            matches!(ty, Type::S32 | Type::U32)
        }
        Resolved::Constant(value) => matches!(value, super::constant::Value::Integer { .. }),
        _ => false,
    }
}
