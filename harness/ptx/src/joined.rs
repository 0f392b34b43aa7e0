//! Which sums and negatives ptxas joins with the instruction that reads them. For deviations of compilers.

use crate::checked::{Immediate, Instruction, Operand};
use crate::vocabulary::{Modifier, Opcode, Type};

/// A part of a sum: a constant, or what an operand holds, with its sign.
#[derive(Clone, Copy)]
pub enum Term<'m> {
    /// A constant, its sign in it.
    Constant(u32),
    /// What an operand holds.
    Operand {
        /// Whether it is taken away.
        negative: bool,
        /// The operand.
        operand: &'m Operand,
    },
}

/// The two parts that a sum of at most three comes to, the first without a minus: where a register is added and taken away, constants
/// are added, or a negative takes the place of the register that held it. `None` if ptxas leaves the sum as it is.
pub fn simplified<'m>(terms: Vec<Term<'m>>) -> Option<(Term<'m>, Term<'m>)> {
    let mut constant = 0u32;
    let mut left: Vec<(bool, &Operand)> = Vec::new();
    let count = terms.len();
    for term in terms {
        match term {
            Term::Constant(value) => constant = constant.wrapping_add(value),
            Term::Operand { negative, operand } => {
                match left.iter().position(|(sign, other)| *sign != negative && *other == operand) {
                    Some(at) => drop(left.remove(at)),
                    None => left.push((negative, operand)),
                }
            }
        }
    }
    // One term alone is the operand that nothing joined.
    if count < 2 {
        return None;
    }
    left.sort_by_key(|(negative, _)| *negative);
    let of = |(negative, operand)| Term::Operand { negative, operand };
    match (left[..].as_ref(), constant) {
        ([one], constant) => Some((Term::Constant(constant), of(*one))),
        ([(false, first), second], 0) => Some((of((false, *first)), of(*second))),
        _ => None,
    }
}

/// Whether it is a plain sum of 32 bits, which wraps.
pub fn wraps(by: &Instruction) -> bool {
    let is_word = matches!(by.types.first(), Some(Type::S32 | Type::U32 | Type::B32));
    let is_plain = ![Modifier::Sat, Modifier::Cc].iter().any(|word| by.has(*word));
    is_word && is_plain && by.types.len() == 1
}

/// Whether it is `neg.s16`, or what ptxas makes the same: a difference from zero.
pub fn negates_half(by: &Instruction) -> bool {
    let zero = |operand: Option<&Operand>| {
        matches!(operand, Some(Operand::Immediate(Immediate::Integer { bits: 0, .. })))
    };
    let is_half = by.types.first() == Some(&Type::S16);
    is_half && (by.opcode == Opcode::Neg || by.opcode == Opcode::Sub && zero(by.operands.get(1)))
}
