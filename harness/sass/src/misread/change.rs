//! What a misreading does to an instruction.

use crate::form::{Form, OperandField, WHOLE_QUAD};
use crate::instruction::{Guard, Instruction, Operand, Register};
use crate::mnemonic::Mnemonic;
use crate::table::FORMS;

/// One thing that a misreading does to an instruction.
pub(super) enum Change {
    /// Values of the modifier field with this role are taken for others.
    Values(&'static str, &'static [(u8, u8)]),
    /// The guard is lost: the instruction is executed always.
    Unguarded,
    /// `@!P` is taken for `@P`.
    GuardPlain,
    /// The address is another one.
    Address(fn(Register, i32) -> (Register, i32)),
    /// Two operands are exchanged.
    Exchanged(usize, usize),
    /// The swap value of a compare and swap is in another register than the one behind `Rb`, which this is.
    Swap(fn(Register) -> Register),
    /// The same where the swap value is zero, which `RZ` stands for.
    SwapOfZero(fn(Register) -> Register),
    /// Nothing is changed in memory: `.OR` with zero.
    Idle,
    /// Nothing is done but that `Rd` becomes 0.
    Cleared,
    /// A load is taken for the store to the same window.
    Stores(Mnemonic),
}

/// `.OR` among the operations of `ATOMS`.
const OR: u8 = 6;

impl Change {
    pub(super) fn apply(&self, instruction: &mut Instruction) {
        match self {
            Self::Values(role, values) => with_field(instruction, role, |value| {
                values.iter().find(|(from, _)| from == value).map_or(*value, |(_, to)| *to)
            }),
            Self::Unguarded => instruction.guard = Guard::ALWAYS,
            // `@!PT` never executes, whatever is made of negations.
            Self::GuardPlain if instruction.guard.predicate != Guard::ALWAYS.predicate => {
                instruction.guard.negated = false;
            }
            Self::GuardPlain => {}
            Self::Address(change) => {
                for operand in &mut instruction.operands {
                    if let Operand::Address { base, offset } = operand {
                        (*base, *offset) = change(*base, *offset);
                    }
                }
            }
            Self::Exchanged(one, other) => instruction.operands.swap(*one, *other),
            Self::Swap(change) => {
                if let (Some(Operand::Register(b)), Some(Operand::Register(c))) =
                    (instruction.operands.get(2).copied(), instruction.operands.get_mut(3))
                    && *c != Register::RZ
                {
                    *c = change(b);
                }
            }
            Self::SwapOfZero(change) => {
                if let (Some(Operand::Register(b)), Some(Operand::Register(c))) =
                    (instruction.operands.get(2).copied(), instruction.operands.get_mut(3))
                    && *c == Register::RZ
                    && b != Register::RZ
                {
                    *c = change(b);
                }
            }
            Self::Idle => {
                with_field(instruction, "operation", |_| OR);
                instruction.operands[2] = Operand::Register(Register::RZ);
            }
            Self::Cleared => cleared(instruction),
            Self::Stores(store) => stored(instruction, *store),
        }
    }
}

fn with_field(instruction: &mut Instruction, role: &str, value: impl Fn(&u8) -> u8) {
    let fields = instruction.form.modifiers.iter().zip(&mut instruction.modifiers);
    for (_, there) in fields.filter(|(field, _)| field.role == role) {
        *there = value(there);
    }
}

/// Makes it the move of `RZ` to `Rd`.
fn cleared(instruction: &mut Instruction) {
    let moves = |form: &&Form| {
        form.mnemonic == Mnemonic::MOV && matches!(form.operands[1], OperandField::Register { .. })
    };
    let Some(form) = FORMS.iter().copied().find(moves) else { return };
    instruction.form = form;
    instruction.modifiers.clear();
    instruction.operands[1..]
        .copy_from_slice(&[Operand::Register(Register::RZ), Operand::Immediate(WHOLE_QUAD)]);
}

/// Makes it the store of its destination.
fn stored(instruction: &mut Instruction, store: Mnemonic) {
    let Some(form) = FORMS.iter().copied().find(|form| form.mnemonic == store) else { return };
    let size = instruction.modifier("size").unwrap_or_default();
    instruction.form = form;
    instruction.modifiers =
        form.modifiers.iter().map(|field| if field.role == "size" { size } else { 0 }).collect();
    instruction.operands.reverse();
}
