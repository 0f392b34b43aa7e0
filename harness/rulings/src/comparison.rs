//! Comparisons (PTX ISA 9.7.5, 9.7.6): `set`, `setp`, `min`, `max`.

use warpdiff_ptx::checked::Instruction;
use warpdiff_ptx::vocabulary::{Opcode, Type};
use warpdiff_semantics::numeric::rounding::Class;

use crate::float::layout;
use crate::integer::value;
use crate::ruling::{Ruling, Rulings};

/// What decides a comparison of two operands; `result` is that of a comparison, and of no use for `min` and `max`.
pub(crate) fn rulings(instruction: &Instruction, operands: &[u64], result: u64) -> Rulings {
    let mut found = Rulings::default();
    let is_truth = matches!(instruction.opcode, Opcode::Set | Opcode::Setp);
    if !is_truth && !matches!(instruction.opcode, Opcode::Min | Opcode::Max) {
        return found;
    }
    // `set.dtype.stype` compares numbers of its second type.
    let (Some(ty), [a, b, ..]) = (instruction.types.last().copied(), operands) else { return found };
    found.when(is_truth && result != 0, Ruling::CompareTrue);
    found.when(is_truth && result == 0, Ruling::CompareFalse);
    match compared(*a, *b, ty) {
        Some(true) => found.insert(Ruling::CompareEqual),
        Some(false) => {}
        None => found.insert(Ruling::CompareUnordered),
    }
    found
}

/// Whether two numbers are equal; `None` if one of them is NaN. Packed ones are compared as they are.
fn compared(a: u64, b: u64, ty: Type) -> Option<bool> {
    let Some((layout, 1)) = layout(ty) else { return Some(value(a, ty) == value(b, ty)) };
    let [a, b] = [a, b].map(|bits| bits & (u64::MAX >> (64 - layout.width())));
    if layout.is_nan(a) || layout.is_nan(b) {
        return None;
    }
    let is_zero = |bits: u64| layout.unpack(bits).class == Class::Zero;
    Some(a == b || is_zero(a) && is_zero(b))
}
