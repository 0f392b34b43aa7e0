//! Whether the type and width of a register suit the type of an instruction (PTX ISA 9.2, 9.4 and their Tables 25 to 27).

use super::Checker;
use super::words::Words;
use crate::vocabulary::{Modifier, Opcode, Type};

/// How the width of a register may differ from that of the instruction type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// Exactly as wide.
    Exact,
    /// At least as wide: `ld`, `st`, `cvt` (PTX ISA 9.4.1).
    AtLeast,
}

impl Words {
    /// The width that registers of data in memory have: wider ones than the type's for plain loads and stores (9.4.1), no others for atomic
    /// and asynchronous accesses.
    pub(super) fn data_width(&self) -> Width {
        let exact = matches!(self.opcode, Opcode::Atom | Opcode::Red | Opcode::Clusterlaunchcontrol)
            || self.modifiers.contains(&Modifier::Async);
        if exact { Width::Exact } else { Width::AtLeast }
    }
}

/// Whether a register of type `register` may stand where the instruction has type `instruction`.
///
/// "Bit-size types agree with any type of the same size; signed and unsigned types of the same size agree; for
/// floating-point instruction types the operand's must be the same or a bit-size one." Wider registers: bits take all,
/// integers take bits and integers, floats take bits.
pub(super) fn agrees(instruction: Type, register: Type, width: Width) -> bool {
    if instruction == Type::Pred || register == Type::Pred {
        return instruction == register;
    }
    let (wanted, size) = (instruction.size(), register.size());
    let wide_enough = match width {
        Width::Exact => size == wanted,
        Width::AtLeast => size >= wanted,
    };
    if !wide_enough || register.is_opaque() {
        return false;
    }
    if instruction.is_bits() {
        return true;
    }
    if instruction.is_float() || instruction.is_of_instructions_alone() {
        // Packed and half types live in bit-size registers; a float register never holds another float type.
        return register.is_bits() || register == instruction;
    }
    !register.is_float()
}

impl Checker<'_> {
    /// As [`agrees`]. As observed, the assembler also accepts an `.f16x2` register for an integer instruction, as if it
    /// had a bit-size type.
    pub(super) fn fits(&self, instruction: Type, register: Type, width: Width) -> bool {
        let integer = !instruction.is_float() && instruction != Type::Pred;
        let register =
            if self.by_assembler() && integer && register == Type::F16x2 { Type::B32 } else { register };
        agrees(instruction, register, width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 25 of PTX ISA 9.2: same size.
    #[test]
    fn exact() {
        for (instruction, register, expected) in [
            (Type::B32, Type::F32, true),
            (Type::B32, Type::S32, true),
            (Type::U32, Type::S32, true),
            (Type::S32, Type::B32, true),
            (Type::U32, Type::F32, false),
            (Type::F32, Type::B32, true),
            (Type::F32, Type::U32, false),
            (Type::F64, Type::F64, true),
            (Type::U32, Type::U64, false),
            (Type::U32, Type::U16, false),
            (Type::Pred, Type::Pred, true),
            (Type::B32, Type::Pred, false),
        ] {
            assert_eq!(agrees(instruction, register, Width::Exact), expected, "{instruction} {register}");
        }
    }

    /// Table 27: wider operands.
    #[test]
    fn wider() {
        for (instruction, register, expected) in [
            (Type::B8, Type::F64, true),
            (Type::U8, Type::B32, true),
            (Type::S16, Type::U64, true),
            (Type::U16, Type::F32, false),
            (Type::F32, Type::B64, true),
            (Type::F32, Type::F64, false),
            (Type::F32, Type::S64, false),
            (Type::U64, Type::U32, false),
        ] {
            assert_eq!(agrees(instruction, register, Width::AtLeast), expected, "{instruction} {register}");
        }
    }
}
