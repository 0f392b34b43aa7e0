//! Scalar video instructions (PTX ISA 9.7.18): parts of the sources, the exact result and the range of the destination, the second operation.

use warpdiff_ptx::checked::{Instruction, Operand};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};

use crate::ruling::{Ruling, Rulings};

/// All of a word.
const WORD: (u32, u32) = (0, 32);

/// The lowest bit and the number of bits of an operand.
fn place(operand: Option<&Operand>) -> (u32, u32) {
    match operand {
        Some(Operand::Part { low, width, .. }) => (*low, *width),
        _ => WORD,
    }
}

fn is_negated(operand: Option<&Operand>) -> bool {
    matches!(operand, Some(Operand::Part { negated: true, .. }))
}

/// "Extract and sign- or zero-extend byte, half-word, or word values."
fn part((low, width): (u32, u32), bits: u64, ty: Type) -> i64 {
    let kept = (bits >> low) & ((1 << width) - 1);
    let is_negative = ty.is_signed() && kept >> (width - 1) & 1 == 1;
    kept.cast_signed() - if is_negative { 1 << width } else { 0 }
}

/// What decides a video instruction with these operands: the words a and b, and c where there is one.
pub(crate) fn rulings(instruction: &Instruction, operands: &[u64], result: u64) -> Rulings {
    let mut found = Rulings::default();
    let [a, b, rest @ ..] = operands else { return found };
    let c = rest.first().copied().unwrap_or(0);
    // `vset` has the types of its sources alone; its result is a number without a sign.
    let (to, types) = match (instruction.opcode, &instruction.types[..]) {
        (Opcode::Vset, [a, b, ..]) => (Type::U32, [*a, *b]),
        (_, [to, a, b, ..]) => (*to, [*a, *b]),
        _ => return found,
    };
    let places = [1, 2].map(|n| place(instruction.operands.get(n)));
    let [a, b] = [(0, *a), (1, *b)].map(|(n, bits)| part(places[n], bits, types[n]));
    found.when(places.iter().any(|place| *place != WORD), Ruling::VideoPart);
    found.when(a < 0 || b < 0, Ruling::VideoNegative);
    found.when(result & u64::from(u32::MAX) == 0, Ruling::IntegerZero);
    if instruction.opcode == Opcode::Vmad {
        product(&mut found, instruction, types, [a, b], c);
        return found;
    }
    let Some(exact) = first(&mut found, instruction, a, b) else { return found };
    let into = place(instruction.operands.first());
    let (least, greatest) = range(to.is_signed(), into.1);
    let word = match instruction.has(Modifier::Sat) {
        true => exact.clamp(least, greatest),
        false => part(WORD, exact.cast_unsigned(), to),
    };
    second(&mut found, instruction, word, (into, to), c);
    limited(&mut found, instruction, exact.into(), (least.into(), greatest.into()));
    found
}

/// The least and the greatest number of so many bits.
fn range(signed: bool, width: u32) -> (i64, i64) {
    match signed {
        true => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => (0, (1 << width) - 1),
    }
}

/// ".sat: clamp the result to the range of the destination."
fn limited(found: &mut Rulings, instruction: &Instruction, exact: i128, (least, greatest): (i128, i128)) {
    let fits = (least..=greatest).contains(&exact);
    let saturates = instruction.has(Modifier::Sat);
    found.when(!fits && saturates, Ruling::IntegerSaturates);
    found.when(!fits && !saturates, Ruling::IntegerOverflows);
}

/// The exact result of the first operation, with what decides it; `None` of one that has no result before it is limited.
fn first(found: &mut Rulings, instruction: &Instruction, a: i64, b: i64) -> Option<i64> {
    Some(match instruction.opcode {
        Opcode::Vadd => a + b,
        Opcode::Vsub => a - b,
        Opcode::Vabsdiff => {
            found.when(a < b, Ruling::DifferenceNegated);
            (a - b).abs()
        }
        Opcode::Vmin | Opcode::Vmax => {
            found.when(a == b, Ruling::CompareEqual);
            if instruction.opcode == Opcode::Vmin { a.min(b) } else { a.max(b) }
        }
        Opcode::Vset => {
            let holds = holds(instruction, a, b)?;
            found.insert(if holds { Ruling::CompareTrue } else { Ruling::CompareFalse });
            found.when(a == b, Ruling::CompareEqual);
            holds.into()
        }
        Opcode::Vshl | Opcode::Vshr => shifted(found, instruction, a, b)?,
        _ => return None,
    })
}

/// ".clamp: if (tb > 32) tb = 32; .wrap: tb = tb & 0x1f". The amount is `u32`.
fn shifted(found: &mut Rulings, instruction: &Instruction, a: i64, amount: i64) -> Option<i64> {
    found.when(amount == 0, Ruling::ShiftByZero);
    let wraps = instruction.has(Modifier::Wrap);
    found.when(amount > 31 && wraps, Ruling::ShiftWraps);
    found.when(amount > 31 && !wraps, Ruling::ShiftOver);
    let amount = if wraps { amount & 31 } else { amount.min(32) };
    match instruction.opcode {
        // Of a result that 64 bits do not hold it is beyond every range.
        Opcode::Vshl => Some(a.saturating_mul(1 << amount)),
        _ => Some(a >> amount),
    }
}

fn holds(instruction: &Instruction, a: i64, b: i64) -> Option<bool> {
    let all = [
        (Modifier::Eq, a == b),
        (Modifier::Ne, a != b),
        (Modifier::Lt, a < b),
        (Modifier::Le, a <= b),
        (Modifier::Gt, a > b),
        (Modifier::Ge, a >= b),
    ];
    all.iter().find(|(word, _)| instruction.has(*word)).map(|(_, holds)| *holds)
}

/// The second operation on the first result, a number of the destination's type.
fn second(
    found: &mut Rulings,
    instruction: &Instruction,
    first: i64,
    (into, to): ((u32, u32), Type),
    c: u64,
) {
    let c = part(WORD, c, to);
    if into != WORD {
        found.insert(Ruling::VideoMerges);
    } else if instruction.has(Modifier::Min) {
        found.when(c < first, Ruling::VideoThirdTaken);
    } else if instruction.has(Modifier::Max) {
        found.when(c > first, Ruling::VideoThirdTaken);
    } else if instruction.has(Modifier::Add) {
        let (least, greatest) = range(to.is_signed(), 32);
        found.when(!(least..=greatest).contains(&(first + c)), Ruling::IntegerCarries);
    }
}

/// `vmad`: "(a/b)-sign … the final result is signed" where a factor is or anything is negated.
fn product(found: &mut Rulings, instruction: &Instruction, types: [Type; 2], [a, b]: [i64; 2], c: u64) {
    let negated = [1, 2, 3].map(|n| is_negated(instruction.operands.get(n)));
    let (is_negated, summand_negated) = (negated[0] != negated[1], negated[2]);
    let signed = types.iter().any(|ty| ty.is_signed()) || is_negated || summand_negated;
    let c = i128::from(part(WORD, c, if signed { Type::S32 } else { Type::U32 }));
    let product = i128::from(a) * i128::from(b);
    let sum = if is_negated { -product } else { product }
        + if summand_negated { -c } else { c }
        + i128::from(instruction.has(Modifier::Po));
    let scale =
        if instruction.has(Modifier::Shr7) { 7 } else { 15 * u32::from(instruction.has(Modifier::Shr15)) };
    found.when(sum & ((1 << scale) - 1) != 0, Ruling::ScaledInexact);
    let (least, greatest) = range(signed, 32);
    limited(found, instruction, sum >> scale, (least.into(), greatest.into()));
}
