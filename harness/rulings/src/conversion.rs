//! `cvt` of one number (PTX ISA 9.7.9): whether the destination has the value of the source, and where it lies if not.

use std::cmp::Ordering;

use warpdiff_ptx::checked::Instruction;
use warpdiff_ptx::vocabulary::{Opcode, Type};
use warpdiff_semantics::numeric::rounding::{Class, Layout};

use crate::float::{layout, number};
use crate::integer::{range, value};
use crate::ruling::{Ruling, Rulings};

/// A number of either kind. Infinite ones are the infinite binary64s.
#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// `None`: it is NaN, or of a type that has several numbers.
    fn read(bits: u64, ty: Type) -> Option<Self> {
        if !ty.is_float() {
            return Some(Self::Integer(value(bits, ty)));
        }
        let (layout, 1) = layout(ty)? else { return None };
        let bits = bits & (u64::MAX >> (64 - layout.width()));
        let number = match layout.unpack(bits).class {
            Class::Nan => return None,
            Class::Infinite if bits & layout.sign() != 0 => f64::NEG_INFINITY,
            Class::Infinite => f64::INFINITY,
            Class::Zero | Class::Finite => number(layout, bits),
        };
        Some(Self::Float(number))
    }

    fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(&b),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
            (Self::Float(a), Self::Integer(b)) => float_and_integer(a, b),
            (Self::Integer(a), Self::Float(b)) => float_and_integer(b, a).reverse(),
        }
    }
}

/// A binary64 beside an integer of at most 65 bits, exactly.
fn float_and_integer(a: f64, b: i128) -> Ordering {
    if a.abs() >= 2f64.powi(100) {
        return if a < 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    let whole = a.trunc();
    (whole as i128).cmp(&b).then_with(|| (a - whole).partial_cmp(&0.0).unwrap_or(Ordering::Equal))
}

/// The least and the greatest finite number of a type.
fn bounds(ty: Type) -> Option<(Number, Number)> {
    if !ty.is_float() {
        let (least, greatest) = range(ty);
        return Some((Number::Integer(least), Number::Integer(greatest)));
    }
    let (layout, 1) = layout(ty)? else { return None };
    let greatest = number(layout, layout.infinity() - 1);
    Some((Number::Float(-greatest), Number::Float(greatest)))
}

/// What decides a conversion of that source.
pub(crate) fn rulings(instruction: &Instruction, operands: &[u64], result: u64) -> Rulings {
    let mut found = Rulings::default();
    let ([to, from], [source], Opcode::Cvt) = (&instruction.types[..], operands, instruction.opcode) else {
        return found;
    };
    let is_one = |ty: Type| !ty.is_float() || layout(ty).is_some_and(|(_, count)| count == 1);
    if !is_one(*to) || !is_one(*from) {
        return found;
    }
    let Some(given) = Number::read(*source, *from) else {
        found.insert(Ruling::ConvertNan);
        return found;
    };
    if let Some((layout, _)) = layout(*from) {
        let bits = source & (u64::MAX >> (64 - layout.width()));
        let is_subnormal = |layout: Layout| bits & layout.infinity() == 0 && bits & (layout.sign() - 1) != 0;
        found.when(is_subnormal(layout), Ruling::FloatSubnormal);
    }
    let Some((least, greatest)) = bounds(*to) else { return found };
    found.when(given.order(least) == Ordering::Less, Ruling::ConvertLow);
    found.when(given.order(greatest) == Ordering::Greater, Ruling::ConvertHigh);
    if let Some(made) = Number::read(result, *to) {
        found.insert(match made.order(given) {
            Ordering::Less => Ruling::ConvertDown,
            Ordering::Equal => Ruling::ConvertExact,
            Ordering::Greater => Ruling::ConvertUp,
        });
    }
    found
}
