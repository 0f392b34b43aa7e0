//! What a misreading does to operands.

use crate::checked::{AddressBase, Immediate, Instruction, Operand};
use crate::vocabulary::Modifier;

pub(super) fn constant(value: u64) -> Operand {
    Operand::Immediate(Immediate::Integer { bits: value, unsigned: false })
}

/// Inverts a constant as a predicate.
pub(super) fn invert(operand: &mut Operand) {
    if let Operand::Immediate(Immediate::Integer { bits, .. }) = operand {
        *bits = u64::from(*bits == 0);
    }
}

/// Changes the bytes behind registers in addresses.
pub(super) fn offsets(instruction: &mut Instruction, change: impl Fn(i64) -> i64) {
    for operand in &mut instruction.operands {
        if let Operand::Address { base: AddressBase::Register(_), offset, .. } = operand {
            *offset = change(*offset);
        }
    }
}

pub(super) fn without_offset(operand: &mut Operand) {
    match operand {
        Operand::Address { base: AddressBase::Variable(_), offset, .. }
        | Operand::VariableAddress { offset, .. } => *offset = 0,
        _ => {}
    }
}

/// The coordinates of an access to an array of layers, and how many of them count: a1d has the layer and x, a2d y as well.
pub(super) fn with_coordinates(instruction: &mut Instruction, change: impl Fn(&mut [Operand], usize)) {
    let rank = if instruction.has(Modifier::A2d) { 3 } else { 2 };
    for operand in &mut instruction.operands {
        if let Operand::Opaque { coordinates, .. } = operand
            && coordinates.len() >= rank
        {
            change(coordinates, rank);
        }
    }
}
