//! Floating-point arithmetic (PTX ISA 9.7.3, 9.7.4): what the operands are, how the result is rounded, what becomes of subnormal numbers.

use warpdiff_ptx::checked::Instruction;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_semantics::numeric::rounding::{Class, Layout, Rounding};

use crate::ruling::{Ruling, Rulings};

/// The layout of a type, and how many numbers a register of it has.
pub(crate) fn layout(ty: Type) -> Option<(Layout, u32)> {
    Some(match ty {
        Type::F16 => (Layout::F16, 1),
        Type::F16x2 => (Layout::F16, 2),
        Type::Bf16 => (Layout::BF16, 1),
        Type::Bf16x2 => (Layout::BF16, 2),
        Type::F32 => (Layout::F32, 1),
        Type::F64 => (Layout::F64, 1),
        _ => return None,
    })
}

/// The value of a finite number, which a binary64 has exactly.
pub(crate) fn number(layout: Layout, bits: u64) -> f64 {
    let exact = layout.unpack(bits).exact;
    let magnitude = exact.significand as f64 * 2f64.powi(exact.exponent);
    if exact.negative { -magnitude } else { magnitude }
}

/// The low bits of a register that a number of a layout has.
fn low(layout: Layout, bits: u64) -> u64 {
    bits & (u64::MAX >> (64 - layout.width()))
}

fn is_subnormal(layout: Layout, bits: u64) -> bool {
    bits & layout.infinity() == 0 && bits & (layout.sign() - 1) != 0
}

/// What decides an instruction on floating-point numbers with these operands; of packed numbers, one of them or the other.
pub(crate) fn rulings(instruction: &Instruction, operands: &[u64], result: u64) -> Rulings {
    let mut found = Rulings::default();
    let Some((layout, count)) = instruction.types.first().and_then(|ty| layout(*ty)) else { return found };
    for part in 0..count {
        let shift = part * layout.width();
        let of = |bits: u64| low(layout, bits >> shift);
        let operands: Vec<u64> = operands.iter().map(|bits| of(*bits)).collect();
        found.extend(of_one(instruction, layout, &operands, of(result)));
    }
    found
}

fn of_one(instruction: &Instruction, layout: Layout, operands: &[u64], result: u64) -> Rulings {
    let mut found = Rulings::default();
    let flushes = instruction.has(Modifier::Ftz);
    let mut used = operands.to_vec();
    for bits in &mut used {
        let subnormal = is_subnormal(layout, *bits);
        found.when(subnormal && flushes, Ruling::FloatFlushedIn);
        found.when(subnormal && !flushes, Ruling::FloatSubnormal);
        if flushes {
            *bits = layout.flush(*bits);
        }
    }
    let classes: Vec<Class> = used.iter().map(|bits| layout.unpack(*bits).class).collect();
    let has = |class: Class| classes.contains(&class);
    found.when(has(Class::Nan), Ruling::FloatNan);
    found.when(has(Class::Infinite), Ruling::FloatInfinite);
    found.when(has(Class::Zero), Ruling::FloatZero);
    let saturates = instruction.has(Modifier::Sat);
    found.when(layout.is_nan(result) && !has(Class::Nan), Ruling::FloatInvalid);
    found.when(is_subnormal(layout, result), Ruling::FloatUnderflows);
    let divisor = match instruction.opcode {
        Opcode::Div => used.get(1),
        Opcode::Rcp => used.first(),
        _ => None,
    };
    found.when(divisor.is_some_and(|bits| layout.unpack(*bits).class == Class::Zero), Ruling::DivisionByZero);
    let is_sum = matches!(instruction.opcode, Opcode::Add | Opcode::Sub);
    let is_zero = layout.unpack(result).class == Class::Zero;
    found.when(is_sum && !saturates && is_zero && !has(Class::Zero), Ruling::FloatCancels);
    let all_finite = !has(Class::Nan) && !has(Class::Infinite);
    let bounds = [Rounding::Rm, Rounding::Rp].map(|way| computed(instruction, layout, &used, way));
    if let ([Some(below), Some(above)], true) = (bounds, all_finite) {
        rounded(&mut found, instruction, layout, &used, (below, above), result);
    }
    found
}

/// What an instruction computes when it is rounded in that way, before `.sat` and the flush of the result; `None` of one that is approximate,
/// or does not round.
fn computed(instruction: &Instruction, layout: Layout, operands: &[u64], way: Rounding) -> Option<u64> {
    if instruction.has(Modifier::Approx) || instruction.has(Modifier::Full) {
        return None;
    }
    Some(match (instruction.opcode, operands) {
        (Opcode::Add, [a, b]) => layout.add(*a, *b, way),
        (Opcode::Sub, [a, b]) => layout.add(*a, *b ^ layout.sign(), way),
        (Opcode::Mul, [a, b]) => layout.mul(*a, *b, way),
        (Opcode::Fma | Opcode::Mad, [a, b, c]) => layout.fma(*a, *b, *c, way),
        (Opcode::Div, [a, b]) => layout.div(*a, *b, way),
        (Opcode::Rcp, [a]) => layout.div(layout.one(), *a, way),
        (Opcode::Sqrt, [a]) => layout.sqrt(*a, way),
        _ => return None,
    })
}

/// How the result lies to the exact one, which is between `below` and `above`.
fn rounded(
    found: &mut Rulings,
    instruction: &Instruction,
    layout: Layout,
    operands: &[u64],
    (below, above): (u64, u64),
    result: u64,
) {
    let is_infinite = |bits: u64| layout.unpack(bits).class == Class::Infinite;
    if layout.is_nan(below) || is_infinite(below) && is_infinite(above) {
        return;
    }
    if is_infinite(below) || is_infinite(above) {
        found.insert(Ruling::FloatOverflows);
    }
    // Zeros of both signs are one number.
    let same = |a: u64, b: u64| a == b || (a | b) & (layout.sign() - 1) == 0;
    let flushed = instruction.has(Modifier::Ftz) && layout.flush(result) == result;
    if flushed && (is_subnormal(layout, below) || is_subnormal(layout, above)) && same(result, 0) {
        return found.insert(Ruling::FloatFlushedOut);
    }
    if !same(result, below) && !same(result, above) {
        return found.when(instruction.has(Modifier::Sat), Ruling::FloatSaturates);
    }
    if same(below, above) {
        return found.insert(Ruling::FloatExact);
    }
    found.insert(if same(result, below) { Ruling::FloatRoundedDown } else { Ruling::FloatRoundedUp });
    found.when(is_tie(instruction, layout, operands, (below, above)), Ruling::FloatTie);
}

/// A number as an integer times a power of two.
type Term = (i128, i32);

/// Whether the exact result is the middle between its neighbours. A square root never is: the square of such a number has one bit more than any
/// number has.
fn is_tie(instruction: &Instruction, layout: Layout, operands: &[u64], (below, above): (u64, u64)) -> bool {
    let is_finite = |bits: u64| matches!(layout.unpack(bits).class, Class::Zero | Class::Finite);
    if !is_finite(below) || !is_finite(above) {
        return false;
    }
    let of = |bits: u64| term(layout, bits);
    // Twice the exact result is the sum of both; of a quotient, twice the dividend is their products with the divisor.
    let mut all = match (instruction.opcode, operands) {
        (Opcode::Add | Opcode::Sub, [a, b]) => {
            let sign = if instruction.opcode == Opcode::Sub { layout.sign() } else { 0 };
            vec![twice(of(*a)), twice(of(b ^ sign))]
        }
        (Opcode::Mul, [a, b]) => vec![twice(times(of(*a), of(*b)))],
        (Opcode::Fma | Opcode::Mad, [a, b, c]) => vec![twice(times(of(*a), of(*b))), twice(of(*c))],
        (Opcode::Div, [a, _]) => vec![twice(of(*a))],
        (Opcode::Rcp, [_]) => vec![twice((1, 0))],
        _ => return false,
    };
    let divisor = match (instruction.opcode, operands) {
        (Opcode::Div, [_, b]) | (Opcode::Rcp, [b]) => of(*b),
        _ => (1, 0),
    };
    all.extend([below, above].map(|bits| times((-divisor.0, divisor.1), of(bits))));
    cancel(all)
}

/// The value of a finite number.
fn term(layout: Layout, bits: u64) -> Term {
    let exact = layout.unpack(bits).exact;
    let magnitude = exact.significand.cast_signed();
    (if exact.negative { -magnitude } else { magnitude }, exact.exponent)
}

fn times(a: Term, b: Term) -> Term {
    (a.0 * b.0, a.1 + b.1)
}

fn twice((number, exponent): Term) -> Term {
    (number, exponent + 1)
}

/// Whether the sum is zero. Once each number is odd, those of the least exponent can cancel with each other alone; their sum has few bits more.
fn cancel(mut terms: Vec<Term>) -> bool {
    loop {
        terms.retain(|(number, _)| *number != 0);
        for (number, exponent) in &mut terms {
            let zeros = number.trailing_zeros();
            (*number, *exponent) = (*number >> zeros, *exponent + zeros.cast_signed());
        }
        let Some(least) = terms.iter().map(|(_, exponent)| *exponent).min() else { return true };
        let (lowest, mut others): (Vec<Term>, Vec<Term>) =
            terms.into_iter().partition(|(_, exponent)| *exponent == least);
        let sum: i128 = lowest.iter().map(|(number, _)| number).sum();
        if sum % 2 != 0 {
            return false;
        }
        others.push((sum, least));
        terms = others;
    }
}
