//! Integer arithmetic, shifts and bit fields (PTX ISA 9.7.1, 9.7.8).

use warpdiff_ptx::checked::Instruction;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};

use crate::ruling::{Ruling, Rulings};

/// The value of the low bits of a register as a number of that type.
pub(crate) fn value(bits: u64, ty: Type) -> i128 {
    let width = 8 * ty.size().clamp(1, 8);
    let kept = bits & (u64::MAX >> (64 - width));
    match ty.is_signed() {
        true => i128::from((kept << (64 - width)).cast_signed() >> (64 - width)),
        false => i128::from(kept),
    }
}

/// The least and the greatest value of a type.
pub(crate) fn range(ty: Type) -> (i128, i128) {
    let width = 8 * ty.size().clamp(1, 8);
    match ty.is_signed() {
        true => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => (0, (1 << width) - 1),
    }
}

/// What decides an instruction on integers with these operands.
pub(crate) fn rulings(instruction: &Instruction, operands: &[u64], result: u64) -> Rulings {
    let mut found = Rulings::default();
    let Some(ty) = instruction.types.first().copied().filter(|ty| !ty.is_float()) else { return found };
    let of = |n: usize| operands.get(n).map_or(0, |bits| value(*bits, ty));
    let exact = match instruction.opcode {
        Opcode::Add => Some(of(0) + of(1)),
        Opcode::Sub => Some(of(0) - of(1)),
        Opcode::Mul if instruction.has(Modifier::Lo) => of(0).checked_mul(of(1)),
        // The machine subtracts it from zero.
        Opcode::Neg => operands.last().map(|bits| -value(*bits, ty)),
        Opcode::Abs => Some(of(0).abs()),
        Opcode::Div | Opcode::Rem => {
            divides(&mut found, of(0), of(1));
            (instruction.opcode == Opcode::Div).then(|| of(0).checked_div(of(1))).flatten()
        }
        Opcode::Shl | Opcode::Shr => {
            let amount = operands.get(1).copied().unwrap_or(0) & u64::from(u32::MAX);
            found.when(amount == 0, Ruling::ShiftByZero);
            // "Shift amounts greater than the register width N are clamped to N." At N nothing of the source is left already.
            found.when(amount >= u64::from(8 * ty.size()), Ruling::ShiftOver);
            None
        }
        Opcode::Bfe => {
            field(&mut found, ty, operands.get(1), operands.get(2));
            None
        }
        Opcode::Bfi => {
            field(&mut found, ty, operands.get(2), operands.get(3));
            None
        }
        _ => None,
    };
    if let Some(exact) = exact {
        let (least, greatest) = range(ty);
        let fits = (least..=greatest).contains(&exact);
        let saturates = instruction.has(Modifier::Sat);
        found.when(!fits && saturates, Ruling::IntegerSaturates);
        found.when(!fits && !saturates, Ruling::IntegerOverflows);
    }
    found.when(value(result, ty) == 0, Ruling::IntegerZero);
    found
}

/// "Division by zero yields an unspecified, machine-specific value."
fn divides(found: &mut Rulings, dividend: i128, divisor: i128) {
    found.when(divisor == 0, Ruling::DivisionByZero);
    if divisor != 0 {
        found.when(dividend % divisor != 0, Ruling::DivisionInexact);
        found.when(dividend != 0 && (dividend < 0) != (divisor < 0), Ruling::DivisionNegative);
    }
}

/// `pos` and `len` of a bit field are "restricted to the 8-bit value range 0..255".
fn field(found: &mut Rulings, ty: Type, position: Option<&u64>, length: Option<&u64>) {
    let [position, length] = [position, length].map(|bits| bits.copied().unwrap_or(0) & 0xff);
    found.when(length == 0, Ruling::FieldEmpty);
    found.when(length > 0 && position + length > u64::from(8 * ty.size()), Ruling::FieldBeyond);
}
