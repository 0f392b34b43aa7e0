//! What a misreading does to an instruction: it loses or exchanges modifiers, types, guards, offsets and operands.

use crate::checked::{AddressBase, Instruction, Modifiers, Operand, Subject, Types};
use crate::vocabulary::{Modifier, Opcode, Type};

/// One thing that a misreading does to an instruction.
pub(super) enum Change {
    /// Modifiers are taken for others, or lost.
    Modifiers(&'static [(Modifier, Option<Modifier>)]),
    /// Signed types are taken for unsigned ones of their width: all, or the one at this place.
    Unsigned(Option<usize>),
    /// Unsigned types are taken for signed ones.
    Signed,
    /// The last type is taken for this one.
    LastType(Type),
    /// The opcode is taken for another one of this subject.
    Opcode(Opcode, Subject),
    /// The guard is lost: the instruction is executed always.
    Unguarded,
    /// `@!p` is taken for `@p`.
    GuardPlain,
    /// `!p` among the operands is taken for `p`.
    OperandsPlain,
    /// The bytes behind the name of a variable are lost.
    NameAlone,
    /// Two operands are exchanged.
    Exchanged(usize, usize),
    /// The elements of vectors stand in reverse order.
    Reversed,
    /// Of the coordinates the first, the layer, is taken for the last.
    LayerLast,
    /// The layer is read where x stands.
    LayerIsX,
}

impl Change {
    pub(super) fn apply(&self, instruction: &mut Instruction) {
        match self {
            Self::Modifiers(words) => {
                let mut changed = Modifiers::new();
                for modifier in instruction.modifiers.iter() {
                    match words.iter().find(|(word, _)| word == modifier) {
                        None => changed.push(*modifier),
                        Some((_, Some(other))) => changed.push(*other),
                        Some((_, None)) => {}
                    }
                }
                instruction.modifiers = changed;
            }
            Self::Unsigned(place) => {
                retype(instruction, |index, ty| match place {
                    Some(place) if *place != index => ty,
                    _ => unsigned(ty),
                });
            }
            Self::Signed => retype(instruction, |_, ty| signed(ty)),
            Self::LastType(last) => {
                let count = instruction.types.len();
                retype(instruction, |index, ty| if index + 1 == count { *last } else { ty });
            }
            Self::Opcode(opcode, subject) => {
                (instruction.opcode, instruction.subject) = (*opcode, *subject);
            }
            Self::Unguarded => instruction.guard = None,
            Self::GuardPlain => {
                if let Some(guard) = &mut instruction.guard {
                    guard.negated = false;
                }
            }
            Self::OperandsPlain => {
                for operand in &mut instruction.operands {
                    if let Operand::Register { negated, .. } = operand {
                        *negated = false;
                    }
                }
            }
            Self::NameAlone => instruction.operands.iter_mut().for_each(without_offset),
            Self::Exchanged(one, other) => {
                if (*one).max(*other) < instruction.operands.len() {
                    instruction.operands.swap(*one, *other);
                }
            }
            Self::Reversed => {
                for operand in &mut instruction.operands {
                    if let Operand::Vector(parts) = operand {
                        parts.reverse();
                    }
                }
            }
            Self::LayerLast => with_coordinates(instruction, |coordinates, rank| {
                coordinates[..rank].rotate_left(1);
            }),
            Self::LayerIsX => with_coordinates(instruction, |coordinates, _| {
                coordinates[0] = coordinates[1].clone();
            }),
        }
    }
}

fn retype(instruction: &mut Instruction, of: impl Fn(usize, Type) -> Type) {
    let mut changed = Types::new();
    instruction.types.iter().enumerate().for_each(|(index, ty)| changed.push(of(index, *ty)));
    instruction.types = changed;
}

/// The signed types with the unsigned ones of their width.
const SIGNS: [(Type, Type); 4] =
    [(Type::S8, Type::U8), (Type::S16, Type::U16), (Type::S32, Type::U32), (Type::S64, Type::U64)];

fn unsigned(ty: Type) -> Type {
    SIGNS.iter().find(|(signed, _)| *signed == ty).map_or(ty, |(_, unsigned)| *unsigned)
}

fn signed(ty: Type) -> Type {
    SIGNS.iter().find(|(_, unsigned)| *unsigned == ty).map_or(ty, |(signed, _)| *signed)
}

fn without_offset(operand: &mut Operand) {
    match operand {
        Operand::Address { base: AddressBase::Variable(_), offset, .. }
        | Operand::VariableAddress { offset, .. } => *offset = 0,
        _ => {}
    }
}

/// The coordinates of an access to an array of layers, and how many of them count: a1d has the layer and x, a2d y as well.
fn with_coordinates(instruction: &mut Instruction, change: impl Fn(&mut [Operand], usize)) {
    let rank = if instruction.has(Modifier::A2d) { 3 } else { 2 };
    for operand in &mut instruction.operands {
        if let Operand::Opaque { coordinates, .. } = operand
            && coordinates.len() >= rank
        {
            change(coordinates, rank);
        }
    }
}
