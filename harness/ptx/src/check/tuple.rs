//! Tuples `{a, b}` of surface instructions as the assembler reads them: which elements may stand side by side, and what the
//! whole is taken for. The text has no such rules; these are observations of ptxas 12.9.

use super::constant::Value;
use super::operand::Resolved;
use crate::ast::Operand as Written;
use crate::checked::Variable;
use crate::vocabulary::{SpecialRegister, Type};

/// What kind of value an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Of a bit-size type, or a special register: goes with everything.
    Untyped,
    Integer,
    Float,
    Predicate,
}

/// An element of a tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) class: Class,
    /// Bytes; a constant has as many as its neighbours.
    pub(super) size: Option<u32>,
    /// `.f32` or `.f64` of a floating-point constant, the type of a register.
    ty: Option<Type>,
    constant: bool,
    /// `%v.x`, `%tid.x`
    component: bool,
}

impl Element {
    /// What the operand is as an element; `None` if it cannot be one.
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

    /// A variable by its name, which has the type of what it names; `None` for an array or a vector, which has none.
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

    /// Whether it is an integer constant, which takes the size of whatever is wanted.
    pub(super) fn fits_anywhere(&self) -> bool {
        self.constant && self.class == Class::Integer
    }
}

fn class(ty: Type) -> Class {
    match ty {
        Type::Pred => Class::Predicate,
        _ if ty.is_float() => Class::Float,
        _ if ty.is_bits() => Class::Untyped,
        _ => Class::Integer,
    }
}

/// The first element that cannot stand where it does, and why. Only neighbours are compared for their class: an untyped
/// element between an integer and a floating-point one reconciles them. Sizes are compared with that of the first element, unless
/// it is a constant.
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

/// Bytes of an element of the whole tuple, as the assembler has it: those of the first register; where a floating-point constant
/// comes first, those of the last element that is not of its size. `None` if there is nothing but `_` and constants of no size.
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

/// Whether the tuple is one of coordinates: 32-bit integers, by its first element of any size.
pub(super) fn are_coordinates(elements: &[Element]) -> bool {
    let untyped = elements.iter().any(|element| element.class == Class::Untyped);
    // Floating-point elements of different types are none of any type.
    let mixed = elements.windows(2).any(|pair| pair[0].class == Class::Float && pair[0].ty != pair[1].ty);
    let integers = elements.first().is_some_and(|first| first.class == Class::Integer);
    elements.first().is_some_and(Element::fits_anywhere)
        || size(elements) == Some(4) && (untyped || mixed || integers)
}

/// Whether the tuple holds data of a bit-size type of so many bytes. A register may be wider; where a floating-point
/// constant comes first, it may not.
pub(super) fn are_data(elements: &[Element], bytes: u32) -> bool {
    let Some(first) = elements.first() else { return false };
    if first.fits_anywhere() {
        return true;
    }
    if elements.iter().all(|it| it.class == Class::Predicate || it.size.is_none() && !it.constant) {
        return false;
    }
    match size(elements) {
        Some(size) if first.constant => size == bytes,
        Some(size) => size >= bytes,
        None => false,
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
        ];
        for (elements, expected) in cases {
            let fits = misplaced(elements).is_none() && are_coordinates(elements);
            assert_eq!(fits, *expected, "{elements:?}");
        }
    }

    /// As ptxas 12.9 answered `sust.b.1d.v2.b32.trap [surf, {%c0}], {…}` (4 bytes) and the same with `.b64`.
    #[test]
    fn data() {
        let cases: &[(&[Element], u32, bool)] = &[
            (&[S32, B32], 4, true),
            (&[B64, B64], 4, true),
            (&[B32, B32], 8, false),
            (&[F32, ONE_F64], 4, true),
            (&[ONE_F64, B64], 4, false),
            (&[ONE_F64, F64], 8, true),
            (&[ONE_F32, ONE_F32], 4, true),
            (&[ONE_F32, ONE_F32], 8, false),
            (&[ONE_F64, ONE_F64], 4, false),
            (&[ONE_F64, ONE_F64], 8, true),
            (&[FIVE, B64], 4, true),
            (&[FIVE, ONE_F32], 4, false),
            (&[S32, ONE_F32], 4, false),
            (&[F32, SINK, S32, B32], 4, false),
            (&[F32, SINK, B32, S32], 4, true),
            (&[ONE_F32, ONE_F64], 4, false),
            (&[ONE_F32, ONE_F64], 8, true),
            (&[ONE_F64, ONE_F32], 4, true),
            (&[ONE_F64, ONE_F32], 8, false),
            (&[ONE_F64, B64, B32, B64], 4, true),
            (&[ONE_F64, B32, B64, FIVE], 4, true),
            (&[FIVE, B32, F64, ONE_F32], 4, true),
        ];
        for (elements, bytes, expected) in cases {
            let fits = misplaced(elements).is_none() && are_data(elements, *bytes);
            assert_eq!(fits, *expected, "{elements:?} {bytes}");
        }
    }
}
