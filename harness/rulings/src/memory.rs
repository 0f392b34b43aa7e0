//! Memory and atomics (PTX ISA 9.7.9, 9.7.13): which memory an address is in, and what an atomic finds there.

use warpdiff_ptx::checked::Instruction;
use warpdiff_ptx::vocabulary::{Modifier, Type};
use warpdiff_semantics::onlooker::{Memory, Touched};

use crate::integer::{range, value};
use crate::ruling::{Ruling, Rulings};

/// What decides an access, whatever the instruction.
pub(crate) fn of_access(touched: &Touched) -> Rulings {
    let mut found = Rulings::default();
    match touched.memory {
        Memory::Global => found.insert(Ruling::MemoryGlobal),
        Memory::Shared => found.insert(Ruling::MemoryShared),
        Memory::Local => found.insert(Ruling::MemoryLocal),
        Memory::Constant => found.insert(Ruling::MemoryConstant),
        Memory::Surface => {}
    }
    if let Some(before) = touched.before {
        found.when(before == touched.value, Ruling::AtomicKeeps);
        found.when(before != touched.value, Ruling::AtomicChanges);
    }
    found
}

/// What decides an `atom`, `red` or `sured` with these operands, the first of which is the value (of `.cas` the one to compare with).
pub(crate) fn of_atomic(instruction: &Instruction, touched: &Touched, operand: u64) -> Rulings {
    let mut found = Rulings::default();
    let (Some(before), Some(ty)) = (touched.before, instruction.types.first().copied()) else { return found };
    if ty.is_float() {
        return found;
    }
    let unsigned = |bits: u64| value(bits, unsigned_of(ty));
    let (old, b) = (unsigned(before), unsigned(operand));
    if instruction.has(Modifier::Cas) {
        found.when(old == b, Ruling::CompareMatches);
        found.when(old != b, Ruling::CompareFails);
    } else if instruction.has(Modifier::Inc) {
        found.when(old >= b, Ruling::IncrementWraps);
    } else if instruction.has(Modifier::Dec) {
        found.when(old == 0 || old > b, Ruling::DecrementWraps);
    } else if instruction.has(Modifier::Add) {
        let (least, greatest) = range(ty);
        let sum = value(before, ty) + value(operand, ty);
        found.when(!(least..=greatest).contains(&sum), Ruling::AtomicCarries);
    }
    found
}

/// The unsigned type of the same size.
fn unsigned_of(ty: Type) -> Type {
    match ty.size() {
        2 => Type::U16,
        8 => Type::U64,
        _ => Type::U32,
    }
}
