//! Whether the rows of a table can share a launch without one seeing another.

use warpdiff_ptx::checked::{Instruction, Module, Operand, Subject};
use warpdiff_ptx::vocabulary::{Opcode, Space, SpecialRegister};

use super::program::Program;

/// Whether nothing that the author wrote can be seen by another thread or depends on which threads there are: no stores
/// outside a thread's own memory, no atomics, no communication, no questions about the thread's place.
///
/// Decided from the compiled instructions, functions of the case's declarations included, never from the text.
pub(crate) fn is_private(module: &Module, program: &Program) -> bool {
    let bodies = module.functions.iter().flat_map(|function| &function.body);
    let mut authored = bodies.filter(|i| program.is_authored(i.span.start as usize));
    authored.all(|instruction| !communicates(instruction) && !asks_for_place(instruction))
}

fn communicates(instruction: &Instruction) -> bool {
    match instruction.opcode {
        // Local memory and parameters belong to the thread.
        Opcode::St => !instruction.spaces.iter().any(|space| matches!(space, Space::Local | Space::Param)),
        Opcode::Sust | Opcode::Sured | Opcode::Atom | Opcode::Red => true,
        _ => instruction.subject == Subject::Warp,
    }
}

fn asks_for_place(instruction: &Instruction) -> bool {
    instruction.operands.iter().any(names_place)
}

fn names_place(operand: &Operand) -> bool {
    match operand {
        Operand::Special { register, .. } => !matches!(
            register,
            SpecialRegister::Clock
                | SpecialRegister::ClockHi
                | SpecialRegister::Clock64
                | SpecialRegister::Globaltimer
                | SpecialRegister::GlobaltimerLo
                | SpecialRegister::GlobaltimerHi
        ),
        Operand::Vector(parts) => parts.iter().any(names_place),
        Operand::Pair(a, b) => names_place(a) || names_place(b),
        Operand::Opaque { coordinates, .. } => coordinates.iter().any(names_place),
        _ => false,
    }
}
