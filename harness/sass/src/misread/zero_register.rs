//! `RZ` as a register like others, [`Deviation::SpaRzWritten`]: the accesses to windows behind one that has written it read what that
//! wrote. Before it, and in other instructions, it reads zero, as no program would work otherwise.

use warpdiff_model::{Deviation, Semantics};

use crate::instruction::{Instruction, Operand, Register};
use crate::mnemonic::Mnemonic as M;
use crate::program::Program;

/// The registers of the widest result.
const WIDEST: u16 = 4;

/// Gives `RZ` a register, if these semantics have it so.
pub(super) fn misread(program: &mut Program, semantics: &Semantics) {
    let first = program.header.registers.next_multiple_of(WIDEST);
    // A program that has all registers has none for it.
    let Some(register) = u8::try_from(first).ok().filter(|first| *first <= 254 - WIDEST as u8) else {
        return;
    };
    if !semantics.has(Deviation::SpaRzWritten) {
        return;
    }
    let writes = |instruction: &Instruction| {
        matches!(instruction.form.mnemonic, M::LDL | M::LDS | M::ATOMS)
            && instruction.operands.first() == Some(&Operand::Register(Register::RZ))
    };
    let Some(written) = program.statements.iter().position(|it| writes(&it.instruction)) else { return };
    program.header.registers = first + WIDEST;
    program.statements[written].instruction.operands[0] = Operand::Register(Register(register));
    for statement in &mut program.statements[written + 1..] {
        let instruction = &mut statement.instruction;
        if !matches!(instruction.form.mnemonic, M::LDL | M::LDS | M::STL | M::STS | M::ATOMS) {
            continue;
        }
        for operand in &mut instruction.operands {
            if let Operand::Register(base) | Operand::Address { base, .. } = operand
                && *base == Register::RZ
            {
                *base = Register(register);
            }
        }
    }
}
