//! What a misreading does to an instruction: it loses or exchanges modifiers, types, guards, offsets and operands.

use super::operands;
use crate::checked::{Instruction, Modifiers, Operand, Spaces, Subject, Types, Variable};
use crate::vocabulary::{Modifier, Opcode, Space, SpecialRegister, Type};

/// What a misreading may know beside the instruction.
pub(super) struct Around<'m> {
    /// The place of the instruction in its function.
    pub(super) index: u32,
    /// The variables of the module.
    pub(super) variables: &'m [Variable],
}

/// One thing that a misreading does to an instruction.
pub(super) enum Change {
    /// Modifiers are taken for others, or lost.
    Modifiers(&'static [(Modifier, Option<Modifier>)]),
    /// The instruction is taken for one that has this modifier, too.
    Added(Modifier),
    /// Signed types are taken for unsigned ones of their width: all, or the one at this place.
    Unsigned(Option<usize>),
    /// Unsigned types are taken for signed ones.
    Signed,
    /// The last type is taken for this one.
    LastType(Type),
    /// The opcode is taken for another one of this subject.
    Opcode(Opcode, Subject),
    /// The same, with these types.
    Typed(Opcode, Subject, &'static [Type]),
    /// The state space is taken for this one, or for this one where there is none.
    Space(Space),
    /// State spaces are taken for others.
    Spaces(&'static [(Space, Space)]),
    /// A branch to the instruction behind the next one is not executed.
    NotOverOne,
    /// A special register is taken for another one.
    SpecialRegister(SpecialRegister, SpecialRegister),
    /// The operand at this place is this constant.
    Constant(usize, u64),
    /// This constant is an operand more, at this place.
    ConstantAdded(usize, u64),
    /// The operand at this place is lost.
    Dropped(usize),
    /// Constant predicates are inverted.
    LiteralsInverted,
    /// The name of a variable in a window is taken for its generic address.
    NameGeneric,
    /// The bytes behind a register in an address are multiplied by the size of an element.
    OffsetScaled,
    /// Negative bytes behind a register in an address are taken for a positive number of 32 bits.
    OffsetUnsigned,
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

/// The instruction does nothing: `nanosleep` waits, which no program sees.
pub(super) const NOTHING: Change = Change::Opcode(Opcode::Nanosleep, Subject::Control);

impl Change {
    pub(super) fn apply(&self, instruction: &mut Instruction, around: &Around<'_>) {
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
            Self::Added(modifier) => instruction.modifiers.push(*modifier),
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
            Self::Typed(opcode, subject, types) => {
                (instruction.opcode, instruction.subject) = (*opcode, *subject);
                in_spaces(instruction, &[]);
                instruction.types = Types::new();
                types.iter().for_each(|ty| instruction.types.push(*ty));
            }
            Self::Space(space) => in_spaces(instruction, &[*space]),
            Self::Spaces(others) => {
                let other = |space: &Space| others.iter().find(|(one, _)| one == space).map(|(_, it)| *it);
                let changed: Vec<Space> =
                    instruction.spaces.iter().map(|space| other(space).unwrap_or(*space)).collect();
                in_spaces(instruction, &changed);
            }
            Self::NotOverOne => {
                if instruction.operands.first() == Some(&Operand::Label(around.index + 2)) {
                    NOTHING.apply(instruction, around);
                }
            }
            Self::SpecialRegister(one, other) => {
                for operand in &mut instruction.operands {
                    if let Operand::Special { register, .. } = operand
                        && register == one
                    {
                        *register = *other;
                    }
                }
            }
            Self::Constant(place, value) => instruction.operands[*place] = operands::constant(*value),
            Self::ConstantAdded(place, value) => {
                instruction.operands.insert(*place, operands::constant(*value));
            }
            Self::Dropped(place) => {
                instruction.operands.remove(*place);
            }
            Self::LiteralsInverted => instruction.operands.iter_mut().for_each(operands::invert),
            Self::NameGeneric => {
                if let Some(Operand::VariableAddress { variable, .. }) = instruction.operands.get(1) {
                    let space = around.variables[variable.0 as usize].space;
                    if matches!(space, Space::Shared | Space::Local | Space::Const) {
                        Self::Typed(Opcode::Cvta, Subject::Memory, &[Type::U64]).apply(instruction, around);
                        in_spaces(instruction, &[space]);
                    }
                }
            }
            Self::OffsetScaled => {
                let size = instruction.types.first().map_or(1, |ty| i64::from(ty.size()));
                operands::offsets(instruction, |offset| offset.wrapping_mul(size));
            }
            Self::OffsetUnsigned => operands::offsets(instruction, |offset| match offset {
                ..0 => offset & 0xFFFF_FFFF,
                _ => offset,
            }),
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
            Self::NameAlone => instruction.operands.iter_mut().for_each(operands::without_offset),
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
            Self::LayerLast => operands::with_coordinates(instruction, |coordinates, rank| {
                coordinates[..rank].rotate_left(1);
            }),
            Self::LayerIsX => operands::with_coordinates(instruction, |coordinates, _| {
                coordinates[0] = coordinates[1].clone();
            }),
        }
    }
}

fn in_spaces(instruction: &mut Instruction, spaces: &[Space]) {
    instruction.spaces = Spaces::new();
    spaces.iter().for_each(|space| instruction.spaces.push(*space));
}

pub(super) fn retype(instruction: &mut Instruction, of: impl Fn(usize, Type) -> Type) {
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
