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
    match (same(below, above), same(result, below)) {
        (true, _) => found.insert(Ruling::FloatExact),
        (false, true) => found.insert(Ruling::FloatRoundedDown),
        (false, false) => found.insert(Ruling::FloatRoundedUp),
    }
    found.when(is_tie(instruction, layout, operands, (below, above)), Ruling::FloatTie);
}

/// Whether the exact result is the middle between its neighbours. It then has one bit more than they, and a binary64 has it, so that no result
/// of binary64 itself is known to be one.
fn is_tie(instruction: &Instruction, layout: Layout, operands: &[u64], (below, above): (u64, u64)) -> bool {
    let is_finite = |bits: u64| matches!(layout.unpack(bits).class, Class::Zero | Class::Finite);
    if below == above || layout == Layout::F64 || !is_finite(below) || !is_finite(above) {
        return false;
    }
    let wide: Vec<u64> = operands.iter().map(|bits| number(layout, *bits).to_bits()).collect();
    let [least, greatest] =
        [Rounding::Rm, Rounding::Rp].map(|way| computed(instruction, Layout::F64, &wide, way));
    let middle = (number(layout, below) + number(layout, above)) / 2.0;
    least == greatest && least == Some(middle.to_bits())
}
