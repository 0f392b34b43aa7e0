//! What an instruction on integers, or a comparison, makes of constants, as a compiler folds it.

use std::cmp::Ordering;

use super::Constant;
use crate::checked::{Immediate, Instruction, Operand};
use crate::vocabulary::{Modifier, Opcode, Type};

/// The bits of a type of at most 64 bits.
pub(super) fn mask(ty: Type) -> u64 {
    match ty.size() {
        bytes @ 1..=7 => (1 << (8 * bytes)) - 1,
        _ => u64::MAX,
    }
}

/// The bits of a constant as an operand of a type.
pub(super) fn bits_of(immediate: Immediate, ty: Type) -> u64 {
    let bits = match immediate {
        Immediate::Integer { bits, .. } => bits,
        Immediate::Float32(bits) if ty == Type::F64 => f64::from(f32::from_bits(bits)).to_bits(),
        Immediate::Float32(bits) => u64::from(bits),
        Immediate::Float64(bits) if ty.size() == 8 => bits,
        Immediate::Float64(bits) => u64::from((f64::from_bits(bits) as f32).to_bits()),
    };
    bits & mask(ty)
}

/// Bits of a type, extended with zeros, as a number.
pub(super) fn extended(bits: u64, ty: Type) -> u64 {
    let free = 64 - 8 * u32::min(ty.size(), 8);
    if ty.is_signed() { ((bits << free) as i64 >> free) as u64 } else { bits }
}

/// Whether a type is one integer, or bits.
fn is_integer(ty: Type) -> bool {
    use Type as T;
    matches!(
        ty,
        T::B8
            | T::B16
            | T::B32
            | T::B64
            | T::U8
            | T::U16
            | T::U32
            | T::U64
            | T::S8
            | T::S16
            | T::S32
            | T::S64
    )
}

/// What an instruction writes, by what its operands are known to hold. Zero stays zero where it is shifted by anything, and under `and`.
pub(super) fn result(
    by: &Instruction,
    known: &impl Fn(&Operand, Type) -> Option<Constant>,
) -> Option<Constant> {
    let ty = *by.types.first()?;
    let operand = |place: usize, ty: Type| known(by.operands.get(place)?, ty);
    let (first, second) = (operand(1, ty), operand(2, ty));
    let zero = [first, second].into_iter().flatten().find(|constant| constant.bits == 0);
    match by.opcode {
        Opcode::Mov if ty.size() >= 4 || is_integer(ty) => return first,
        Opcode::And if zero.is_some() => return zero,
        Opcode::Shl | Opcode::Shr if first.is_some_and(|it| it.bits == 0) => return first,
        Opcode::Set | Opcode::Setp => return truth(by, known),
        _ => {}
    }
    let is_plain = is_integer(ty) && by.modifiers.iter().all(|word| *word == Modifier::Lo);
    if !is_plain {
        return None;
    }
    let a = first.map(|constant| extended(constant.bits, ty));
    let is_passed = [first, second].into_iter().flatten().any(|constant| constant.is_passed);
    let of = |bits: u64, is_passed: bool| Some(Constant { bits: bits & mask(ty), is_passed });
    match by.opcode {
        Opcode::Not => return of(!a?, is_passed),
        Opcode::Neg => return of(a?.wrapping_neg(), is_passed),
        Opcode::Cvt => {
            let from = by.types.get(1).copied().filter(|from| is_integer(*from))?;
            let source = operand(1, from)?;
            // A register that is wider than a signed result has its sign.
            let bits = extended(extended(source.bits, from) & mask(ty), ty);
            return Some(Constant { bits, is_passed: source.is_passed });
        }
        Opcode::Shl | Opcode::Shr => {
            let (a, amount) = (a?, operand(2, Type::U32)?);
            let amount_passed = first?.is_passed || amount.is_passed;
            let (bits, limit) = (amount.bits, 8 * u64::from(ty.size()));
            let shifted = match (by.opcode, bits < limit) {
                (Opcode::Shl, true) => a << bits,
                (Opcode::Shl, false) => 0,
                (_, within) if ty.is_signed() => ((a as i64) >> if within { bits } else { 63 }) as u64,
                (_, true) => a >> bits,
                (_, false) => 0,
            };
            return of(shifted, amount_passed);
        }
        _ => {}
    }
    let (a, b) = (a?, extended(second?.bits, ty));
    let less = if ty.is_signed() { (a as i64) < b as i64 } else { a < b };
    let bits = match by.opcode {
        Opcode::Add => a.wrapping_add(b),
        Opcode::Sub => a.wrapping_sub(b),
        Opcode::Mul if by.has(Modifier::Lo) => a.wrapping_mul(b),
        Opcode::And => a & b,
        Opcode::Or => a | b,
        Opcode::Xor => a ^ b,
        Opcode::Min => {
            if less {
                a
            } else {
                b
            }
        }
        Opcode::Max => {
            if less {
                b
            } else {
                a
            }
        }
        _ => return None,
    };
    of(bits, is_passed)
}

/// What `set` and `setp` write; a predicate is 0 or 1.
fn truth(by: &Instruction, known: &impl Fn(&Operand, Type) -> Option<Constant>) -> Option<Constant> {
    let (to, from) = (*by.types.first()?, *by.types.iter().last()?);
    let operand = |place: usize| known(by.operands.get(place)?, from);
    let (mut holds, mut is_passed) = match with_itself(by, from) {
        Some(holds) => (holds, false),
        None => {
            let (a, b) = (operand(1)?, operand(2)?);
            let order = order(a.bits, b.bits, from, by.has(Modifier::Ftz))?;
            (holds(by, order)?, a.is_passed || b.is_passed)
        }
    };
    if let Some(combined) = by.operands.get(3) {
        let other = known(combined, Type::Pred);
        // What decides alone needs no other.
        if !(by.has(Modifier::And) && !holds || by.has(Modifier::Or) && holds) {
            let other = other?;
            is_passed |= other.is_passed;
            holds = if by.has(Modifier::Xor) { holds != (other.bits != 0) } else { other.bits != 0 };
        }
    }
    let yes = match by.opcode {
        Opcode::Setp => 1,
        _ if to == Type::F32 => u64::from(1f32.to_bits()),
        _ => mask(to),
    };
    Some(Constant { bits: if holds { yes } else { 0 }, is_passed })
}

/// Whether a comparison of a register with itself holds, if it does so for all numbers, and what is none.
fn with_itself(by: &Instruction, ty: Type) -> Option<bool> {
    let is_float = matches!(ty, Type::F32 | Type::F64);
    let [_, Operand::Register { id: a, .. }, Operand::Register { id: b, .. }, ..] = &by.operands[..] else {
        return None;
    };
    if a != b || !(is_float || is_integer(ty)) {
        return None;
    }
    let equal = holds(by, Some(Ordering::Equal))?;
    (!is_float || holds(by, None)? == equal).then_some(equal)
}

/// How two numbers of a type are ordered; inside, `None` if one of them is no number.
fn order(a: u64, b: u64, ty: Type, flushes: bool) -> Option<Option<Ordering>> {
    let single = |bits: u64| {
        let number = f32::from_bits(bits as u32);
        if flushes && number.is_subnormal() { 0.0 } else { number }
    };
    match ty {
        Type::F32 => Some(single(a).partial_cmp(&single(b))),
        Type::F64 => Some(f64::from_bits(a).partial_cmp(&f64::from_bits(b))),
        _ if !is_integer(ty) => None,
        _ if ty.is_signed() => Some(Some((extended(a, ty) as i64).cmp(&(extended(b, ty) as i64)))),
        _ => Some(Some(a.cmp(&b))),
    }
}

/// Whether a comparison holds.
fn holds(by: &Instruction, order: Option<Ordering>) -> Option<bool> {
    use Modifier as M;
    let has = |words: [M; 2]| words.into_iter().any(|word| by.has(word));
    let (less, equal) = (order == Some(Ordering::Less), order == Some(Ordering::Equal));
    let (greater, none) = (order == Some(Ordering::Greater), order.is_none());
    Some(match () {
        () if by.has(M::Eq) => equal,
        () if by.has(M::Ne) => less || greater,
        () if has([M::Lt, M::Lo]) => less,
        () if has([M::Le, M::Ls]) => less || equal,
        () if has([M::Gt, M::Hi]) => greater,
        () if has([M::Ge, M::Hs]) => greater || equal,
        () if by.has(M::Equ) => equal || none,
        () if by.has(M::Neu) => !equal,
        () if by.has(M::Ltu) => less || none,
        () if by.has(M::Leu) => !greater,
        () if by.has(M::Gtu) => greater || none,
        () if by.has(M::Geu) => !less,
        () if by.has(M::Num) => !none,
        () if by.has(M::Nan) => none,
        () => return None,
    })
}
