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

/// An atomic operation on an integer, of which the value that is there decides more than the new value.
#[derive(Clone, Copy)]
pub(crate) enum Atomic {
    /// It compares and swaps.
    Compare,
    /// "(old >= b) ? 0 : old + 1"
    Increment,
    /// "(old == 0 || old > b) ? b : old - 1"
    Decrement,
    /// A sum.
    Add {
        /// Whether it is one of signed numbers.
        signed: bool,
    },
}

/// What decides an `atom`, `red` or `sured` with these operands, the first of which is the value (of `.cas` the one to compare with).
pub(crate) fn of_atomic(instruction: &Instruction, touched: &Touched, operand: u64) -> Rulings {
    let Some(ty) = instruction.types.first().copied().filter(|ty| !ty.is_float()) else {
        return Rulings::default();
    };
    let atomic = match () {
        () if instruction.has(Modifier::Cas) => Atomic::Compare,
        () if instruction.has(Modifier::Inc) => Atomic::Increment,
        () if instruction.has(Modifier::Dec) => Atomic::Decrement,
        () if instruction.has(Modifier::Add) => Atomic::Add { signed: ty.is_signed() },
        () => return Rulings::default(),
    };
    of_operation(atomic, ty.size(), touched, operand)
}

/// What decides an atomic on a number of so many bytes.
pub(crate) fn of_operation(atomic: Atomic, size: u32, touched: &Touched, operand: u64) -> Rulings {
    let mut found = Rulings::default();
    let Some(before) = touched.before else { return found };
    let [unsigned, signed] = types(size);
    let (old, b) = (value(before, unsigned), value(operand, unsigned));
    match atomic {
        Atomic::Compare => {
            found.insert(if old == b { Ruling::CompareMatches } else { Ruling::CompareFails });
        }
        Atomic::Increment => found.when(old >= b, Ruling::IncrementWraps),
        Atomic::Decrement => found.when(old == 0 || old > b, Ruling::DecrementWraps),
        Atomic::Add { signed: is_signed } => {
            let ty = if is_signed { signed } else { unsigned };
            let (least, greatest) = range(ty);
            let sum = value(before, ty) + value(operand, ty);
            found.when(!(least..=greatest).contains(&sum), Ruling::AtomicCarries);
        }
    }
    found
}

/// The types of that size, without and with a sign.
fn types(size: u32) -> [Type; 2] {
    match size {
        2 => [Type::U16, Type::S16],
        8 => [Type::U64, Type::S64],
        _ => [Type::U32, Type::S32],
    }
}
