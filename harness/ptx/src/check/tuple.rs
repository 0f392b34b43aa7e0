//! Tuples `{a, b}` of surface instructions, `ld` and `st` as the assembler reads them: which elements may be neighbours,
//! and which type the whole tuple has. The specification has no such rules; these are observations of ptxas 12.9.

use std::fmt::Display;

use super::agreement::{Width, agrees};
use super::constant::Value;
use super::operand::Resolved;
use super::words::Words;
use super::{Checked, Checker};
use crate::ast::{List, Operand as Written};
use crate::checked::{Operand, Variable};
use crate::source::Span;
use crate::vocabulary::{SpecialRegister, Type};

/// The kind of value of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Of a bit-size type, or a special register: compatible with every class.
    Untyped,
    Integer,
    Float,
    /// `.f16x2`: compatible with itself, and counts as an integer except in coordinates.
    Packed,
    Predicate,
}

/// An element of a tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) class: Class,
    /// Size in bytes; `None` for a constant that takes the size of its neighbours.
    pub(super) size: Option<u32>,
    /// The type of a register, or `.f32` or `.f64` for a floating-point constant.
    ty: Option<Type>,
    constant: bool,
    /// `%v.x`, `%tid.x`
    component: bool,
}

impl Element {
    /// The operand as an element; `None` if it cannot be one.
    pub(super) fn of(written: &Written, found: Resolved) -> Option<Self> {
        let component = matches!(written, Written::Component { .. });
        let plain = |class, size, ty| Some(Self { class, size, ty, constant: false, component });
        let constant = |class, ty| Some(Self { class, size: None, ty, constant: true, component });
        match found {
            Resolved::Register { ty, vector: 1, negated: false, .. } | Resolved::Component { ty, .. } => {
                plain(class(ty), Some(if ty == Type::Pred { 4 } else { ty.size() }), Some(ty))
            }
            Resolved::Special { register, .. } => {
                let wide = matches!(register, SpecialRegister::Clock64 | SpecialRegister::Globaltimer);
                plain(Class::Untyped, Some(if wide { 8 } else { 4 }), None)
            }
            Resolved::Sink => plain(Class::Untyped, None, None),
            Resolved::Constant(Value::Integer { .. }) => constant(Class::Integer, None),
            Resolved::Constant(Value::Float32(_)) => constant(Class::Float, Some(Type::F32)),
            Resolved::Constant(Value::Float64(_)) => constant(Class::Float, Some(Type::F64)),
            _ => None,
        }
    }

    /// A variable named as an element, with the type of the variable; `None` for an array or a vector.
    pub(super) fn variable(variable: &Variable) -> Option<Self> {
        let ty = variable.ty;
        let scalar = variable.dimensions.is_empty() && variable.vector == 1 && !ty.is_opaque();
        scalar.then(|| Self {
            class: class(ty),
            size: Some(ty.size()),
            ty: Some(ty),
            constant: false,
            component: false,
        })
    }

    fn is_sink(&self) -> bool {
        self.class == Class::Untyped && self.size.is_none()
    }

    /// Whether it is an integer constant, which takes any required size.
    pub(super) fn fits_anywhere(&self) -> bool {
        self.constant && self.class == Class::Integer
    }
}

fn class(ty: Type) -> Class {
    match ty {
        Type::Pred => Class::Predicate,
        Type::F16x2 => Class::Packed,
        _ if ty.is_float() => Class::Float,
        _ if ty.is_bits() => Class::Untyped,
        _ => Class::Integer,
    }
}

/// The first misplaced element, and the reason. Only the classes of neighbours are compared: an untyped element may
/// separate an integer from a floating-point one. Sizes are compared with that of the first element, unless it is a
/// constant.
pub(super) fn misplaced(elements: &[Element]) -> Option<(usize, &'static str)> {
    let size = match elements.first() {
        Some(first) if first.constant => None,
        _ => elements.iter().find_map(|element| element.size),
    };
    let clash = |a: Class, b: Class| a != Class::Untyped && b != Class::Untyped && a != b;
    let constants = elements.iter().any(|element| element.constant);
    // `_` is of no class, and does not part its neighbours either.
    let mut before = Class::Untyped;
    for (index, element) in elements.iter().enumerate() {
        if clash(before, element.class) {
            return Some((index, "elements of different types side by side"));
        }
        if !element.is_sink() {
            before = element.class;
        }
        if size.is_some() && element.size.is_some() && element.size != size {
            return Some((index, "vector elements of different widths"));
        }
        if element.component && constants {
            return Some((index, "a component in one tuple with a constant"));
        }
    }
    None
}

/// Bytes per element of the whole tuple, by the assembler: the size of the first register; if a floating-point constant
/// comes first, the size of the last element of another size. `None` if there is nothing but `_` and constants without a
/// size.
fn size(elements: &[Element]) -> Option<u32> {
    let first = elements.first()?;
    if !first.constant || first.class != Class::Float {
        return elements.iter().find_map(|element| element.size);
    }
    // An integer constant counts as 64 bits wide there.
    let own = |element: &Element| element.size.or(element.ty.map(Type::size)).unwrap_or(8);
    let other = elements.iter().map(own).rfind(|size| *size != own(first));
    Some(other.unwrap_or(own(first)))
}

/// Whether the tuple is one of coordinates: its first element with a size is a 32-bit integer.
pub(super) fn are_coordinates(elements: &[Element]) -> bool {
    let untyped = elements.iter().any(|element| element.class == Class::Untyped);
    // Floating-point elements of different types are none of any type.
    let mixed = elements.windows(2).any(|pair| pair[0].class == Class::Float && pair[0].ty != pair[1].ty);
    let integers = elements.first().is_some_and(|first| first.class == Class::Integer);
    elements.first().is_some_and(Element::fits_anywhere)
        || size(elements) == Some(4) && (untyped || mixed || integers)
}

/// The class of the whole tuple: untyped if an element is, or if floating-point elements of different types are neighbours.
/// `_` does not count; `None` if there is nothing else.
fn kind(elements: &[Element]) -> Option<Class> {
    let mut typed = elements.iter().filter(|element| !element.is_sink());
    let first = typed.next()?;
    let mut before = first;
    let mut untyped = first.class == Class::Untyped;
    for element in typed {
        untyped |= element.class == Class::Untyped || before.class == Class::Float && before.ty != element.ty;
        before = element;
    }
    Some(if untyped { Class::Untyped } else { first.class })
}

/// Whether the tuple holds data of an instruction's type. Registers may be wider, except where
/// * the type is a bit-size one and a floating-point constant comes first;
/// * the type is a floating-point one and the elements are integers.
///
/// Integer types accept no floating-point elements; floating-point types accept only those of their own type. A leading
/// constant takes any required type; a leading integer constant takes a floating-point type only beside a register.
pub(super) fn are_data(elements: &[Element], ty: Type) -> bool {
    let (Some(first), Some(kind)) = (elements.first(), kind(elements)) else { return false };
    let wanted = class(ty);
    if first.fits_anywhere() {
        return wanted != Class::Float || elements.iter().any(|element| !element.constant);
    }
    if kind == Class::Predicate {
        return false;
    }
    let Some(size) = size(elements) else { return first.constant && wanted == Class::Float };
    match (wanted, kind) {
        (Class::Untyped, _) if first.constant => size == ty.size(),
        (Class::Integer, Class::Float) => false,
        (Class::Float, _) if first.constant => true,
        (Class::Float, Class::Float) => elements.iter().find_map(|element| element.ty) == Some(ty),
        (Class::Float, Class::Packed) => false,
        (Class::Float, Class::Integer) => size == ty.size(),
        _ => size >= ty.size(),
    }
}

impl<'t> Checker<'t> {
    /// The elements of a tuple, checked as neighbours.
    pub(super) fn tuple_elements(
        &mut self,
        elements: &'t [Written],
        wanted: &dyn Display,
    ) -> Checked<(Vec<Resolved>, Vec<Element>)> {
        let mut all = (Vec::with_capacity(elements.len()), Vec::with_capacity(elements.len()));
        for element in elements {
            let found = self.resolve(element)?;
            let kind = match found {
                Resolved::Variable { id, .. } => Element::variable(&self.out.variables[id.0 as usize]),
                _ => Element::of(element, found),
            };
            let Some(kind) = kind else {
                return self.misfit(element.span(), found, wanted);
            };
            all.0.push(found);
            all.1.push(kind);
        }
        match misplaced(&all.1) {
            Some((index, message)) => self.fail_expected(elements[index].span(), message, wanted.to_string()),
            None => Ok(all),
        }
    }

    /// A data tuple of a surface instruction, `ld` or `st`.
    pub(super) fn tuple_data(
        &mut self,
        words: &Words,
        items: List,
        ty: Type,
        destination: bool,
        span: Span,
    ) -> Checked<Operand> {
        let written = self.ast.operands_of(items);
        if written.iter().all(|element| matches!(element, Written::Sink(_))) {
            return self.fail_expected(span, "a tuple of `_` alone", "at least one register");
        }
        let is_wide = ty.size() as usize * words.vector > 16;
        if !destination && is_wide && written.iter().any(|element| matches!(element, Written::Sink(_))) {
            return self.unsupported(span, "a store that leaves out an element");
        }
        if self.by_assembler() {
            self.assembled_data(written, ty, destination)?;
        }
        self.elements(words, items, ty, destination).map(Operand::Vector)
    }

    /// Elements that the assembler accepts as a data tuple; their meaning is clear only if each is also valid data by
    /// itself.
    fn assembled_data(&mut self, elements: &'t [Written], ty: Type, destination: bool) -> Checked<()> {
        let wanted = format_args!("registers for `.{ty}`, or wider ones");
        let (found, tuple) = self.tuple_elements(elements, &wanted)?;
        for (element, found) in elements.iter().zip(&found) {
            // As observed: in a tuple the assembler does not ask whether what is named can be written to.
            let constant = matches!(found, Resolved::Constant(_));
            let allowed = if destination { !constant } else { *found != Resolved::Sink };
            if !allowed || !are_data(&tuple, ty) {
                return self.misfit(element.span(), *found, wanted);
            }
        }
        let width = tuple.iter().find_map(|kind| kind.size);
        for ((element, found), kind) in elements.iter().zip(&found).zip(&tuple) {
            let runs = match *found {
                Resolved::Constant(value) => self.immediate(value, ty).is_some(),
                Resolved::Special { .. } | Resolved::Variable { .. } => false,
                Resolved::Register { ty: register, .. } | Resolved::Component { ty: register, .. } => {
                    agrees(ty, register, Width::AtLeast)
                }
                _ => true,
            };
            if !runs || kind.size.is_some() && kind.size != width {
                let text = self.text_of(element.span());
                return self.unsupported(element.span(), format!("`{text}` as an element of a tuple"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn register(class: Class, size: u32, ty: Type) -> Element {
        Element { class, size: Some(size), ty: Some(ty), constant: false, component: false }
    }

    const fn literal(class: Class, ty: Option<Type>) -> Element {
        Element { class, size: None, ty, constant: true, component: false }
    }

    const B32: Element = register(Class::Untyped, 4, Type::B32);
    const S32: Element = register(Class::Integer, 4, Type::S32);
    const F32: Element = register(Class::Float, 4, Type::F32);
    const F64: Element = register(Class::Float, 8, Type::F64);
    const B64: Element = register(Class::Untyped, 8, Type::B64);
    const FIVE: Element = literal(Class::Integer, None);
    const ONE_F32: Element = literal(Class::Float, Some(Type::F32));
    const ONE_F64: Element = literal(Class::Float, Some(Type::F64));
    const PACKED: Element = register(Class::Packed, 4, Type::F16x2);
    const SINK: Element =
        Element { class: Class::Untyped, size: None, ty: None, constant: false, component: false };
    const COMPONENT: Element = Element { component: true, ..S32 };

    /// As ptxas 12.9 answered `suld.b.2d.b32.trap %r1, [surf, {…}]`, or `suld.b.3d` where there are four.
    #[test]
    fn coordinates() {
        let cases: &[(&[Element], bool)] = &[
            (&[S32, B32], true),
            (&[S32, F32], false),
            (&[B32, F32], true),
            (&[F32, F32], false),
            (&[F32, ONE_F64], true),
            (&[F32, ONE_F32], false),
            (&[ONE_F64, F32], true),
            (&[ONE_F64, ONE_F64], false),
            (&[FIVE, B64], true),
            (&[B64, FIVE], false),
            (&[B32, B64], false),
            (&[FIVE, COMPONENT], false),
            (&[S32, B32, B32, F32], true),
            (&[S32, S32, F32, B32], false),
            (&[F32, B32, FIVE, S32], true),
            (&[F32, F32, FIVE, B32], false),
            (&[B32, ONE_F64, B32, S32], true),
            // A constant in front: of whatever width the others are.
            (&[FIVE, B32, S32, B64], true),
            (&[B64, FIVE, B32, B32], false),
            (&[ONE_F64, B64, S32, B64], true),
            (&[ONE_F64, B64, B64, B64], false),
            (&[ONE_F64, ONE_F32], true),
            (&[ONE_F32, ONE_F64], false),
            (&[ONE_F32, B32, B32, B64], false),
            (&[ONE_F32, B32, B32, FIVE], false),
            (&[PACKED, PACKED], false),
            (&[PACKED, B32], true),
            (&[PACKED, S32], false),
        ];
        for (elements, expected) in cases {
            let fits = misplaced(elements).is_none() && are_coordinates(elements);
            assert_eq!(fits, *expected, "{elements:?}");
        }
    }

    /// As ptxas 12.9 answered `sust.b.1d.v2.b32.trap [surf, {%c0}], {…}` (4 bytes) and the same with `.b64`.
    #[test]
    fn data() {
        let cases: &[(&[Element], Type, bool)] = &[
            (&[S32, B32], Type::B32, true),
            (&[B64, B64], Type::B32, true),
            (&[B32, B32], Type::B64, false),
            (&[F32, ONE_F64], Type::B32, true),
            (&[ONE_F64, B64], Type::B32, false),
            (&[ONE_F64, F64], Type::B64, true),
            (&[ONE_F32, ONE_F32], Type::B32, true),
            (&[ONE_F32, ONE_F32], Type::B64, false),
            (&[ONE_F64, ONE_F64], Type::B32, false),
            (&[ONE_F64, ONE_F64], Type::B64, true),
            (&[FIVE, B64], Type::B32, true),
            (&[FIVE, ONE_F32], Type::B32, false),
            (&[S32, ONE_F32], Type::B32, false),
            (&[F32, SINK, S32, B32], Type::B32, false),
            (&[F32, SINK, B32, S32], Type::B32, true),
            (&[ONE_F32, ONE_F64], Type::B32, false),
            (&[ONE_F32, ONE_F64], Type::B64, true),
            (&[ONE_F64, ONE_F32], Type::B32, true),
            (&[ONE_F64, ONE_F32], Type::B64, false),
            (&[ONE_F64, B64, B32, B64], Type::B32, true),
            (&[ONE_F64, B32, B64, FIVE], Type::B32, true),
            (&[FIVE, B32, F64, ONE_F32], Type::B32, true),
        ];
        for (elements, ty, expected) in cases {
            let fits = misplaced(elements).is_none() && are_data(elements, *ty);
            assert_eq!(fits, *expected, "{elements:?} {ty}");
        }
    }
    /// As ptxas 12.9 answered `st.global.v2.TYPE [%rd], {…}`.
    #[test]
    fn stored_data() {
        let cases: &[(&[Element], Type, bool)] = &[
            (&[B32, F32], Type::S32, true),
            (&[F32, F32], Type::S32, false),
            (&[S32, F32], Type::S32, false),
            (&[S32, S32], Type::F32, true),
            (&[B64, B64], Type::F32, true),
            (&[B64, B64], Type::S16, true),
            (&[F64, F64], Type::F32, false),
            (&[F64, ONE_F32], Type::F32, true),
            (&[F32, ONE_F64], Type::S32, true),
            (&[FIVE, FIVE], Type::F32, false),
            (&[FIVE, S32], Type::F64, true),
            (&[FIVE, COMPONENT], Type::S32, false),
            (&[ONE_F32, ONE_F32], Type::S32, false),
            (&[ONE_F32, ONE_F32], Type::F64, true),
            (&[ONE_F32, B64], Type::S32, true),
            (&[ONE_F32, ONE_F64], Type::S16, true),
            (&[ONE_F32, ONE_F64], Type::B16, false),
            (&[SINK, F64], Type::F32, false),
            (&[SINK, B64], Type::F32, true),
            (&[PACKED, PACKED], Type::S32, true),
            (&[PACKED, PACKED], Type::F32, false),
            (&[PACKED, B32], Type::F32, true),
            (&[PACKED, F32], Type::B32, false),
            (&[SINK, SINK], Type::B32, false),
        ];
        for (elements, ty, expected) in cases {
            let fits = misplaced(elements).is_none() && are_data(elements, *ty);
            assert_eq!(fits, *expected, "{elements:?} {ty}");
        }
    }
}
