//! Whether the rows of a table can share a launch without one seeing another.

use std::ops::Range;

use warpdiff_ptx::checked::{Instruction, Module, Operand, Subject};
use warpdiff_ptx::vocabulary::{Opcode, Space, SpecialRegister};

use super::program::Program;
use super::reader::{Read, Reader};

/// Whether no row can see another, by the program, which is checked with it; `None`, with the errors noted, if nothing is wrong but what the
/// reference cannot run.
pub(crate) fn rows_are_private(
    reader: &Reader<'_>,
    program: &Program,
    case: &Range<usize>,
) -> Read<Option<bool>> {
    let module = program.compile_if_supported(reader, case)?;
    Ok(module.map(|module| is_private(&module, program)))
}

/// Whether the author's code neither affects another thread nor depends on other threads: no stores outside of a thread's own
/// memory, no atomics, no communication, no reads of the thread's place.
///
/// Decided by the compiled instructions, with functions of the case's declarations, never by their spelling.
fn is_private(module: &Module, program: &Program) -> bool {
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
