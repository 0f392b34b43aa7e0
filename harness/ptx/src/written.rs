//! Which instruction wrote each register, as far as a compiler sees it: in the same run of instructions, without a branch or a label
//! between. For deviations of compilers, which fold constants and join instructions.

use std::collections::HashMap;

use crate::checked::{Function, Instruction, Operand, RegisterId};
use crate::vocabulary::Opcode;
use warpdiff_model::{Deviation, Semantics};

/// The deviations that join instructions, or fold constants that registers hold.
const ASKING: [Deviation; 9] = [
    Deviation::PtxasHighField,
    Deviation::PtxasZeroFactor,
    Deviation::PtxasLeastSelects,
    Deviation::PtxasLeastSubtracted,
    Deviation::PtxasUnwrappedSum,
    Deviation::PtxasWideNegation,
    Deviation::PtxasSetIsOne,
    Deviation::PtxasFoldedTie,
    Deviation::PtxasVideoConstant,
];

/// The instructions that a branch leads to, by their indices.
pub fn run_starts(function: &Function) -> Vec<u32> {
    let mut starts: Vec<u32> = function.branch_targets.iter().flatten().copied().collect();
    for operand in function.body.iter().flat_map(|instruction| &instruction.operands) {
        if let Operand::Label(target) = operand {
            starts.push(*target);
        }
    }
    starts
}

/// The last write of each register in the run of instructions that is being decoded.
#[derive(Default)]
pub struct Written<'m> {
    /// Whether the semantics ask for it.
    is_asked: bool,
    last: HashMap<RegisterId, Write<'m>>,
    starts: Vec<u32>,
}

/// A write of a register.
struct Write<'m> {
    /// Index of the instruction.
    index: u32,
    /// The instruction, if it wrote the register for certain, and as a whole.
    by: Option<&'m Instruction>,
}

impl<'m> Written<'m> {
    /// Before the first instruction of a function.
    pub fn enter(function: &Function, semantics: &Semantics) -> Self {
        if !ASKING.into_iter().any(|deviation| semantics.has(deviation)) {
            return Self::default();
        }
        Self { is_asked: true, last: HashMap::new(), starts: run_starts(function) }
    }

    /// Notes that the instruction of this index comes next, whose effects count from the one after it on.
    pub fn reach(&mut self, index: u32) {
        if self.starts.contains(&index) {
            self.last.clear();
        }
    }

    /// Notes what an instruction writes.
    pub fn note(&mut self, index: u32, instruction: &'m Instruction) {
        if !self.is_asked {
            return;
        }
        if instruction.opcode == Opcode::Call {
            self.last.clear();
        }
        let Some(destination) = instruction.operands.first() else { return };
        let by = match (destination, instruction.guard) {
            (Operand::Register { .. }, None) => Some(instruction),
            _ => None,
        };
        // A store writes none of the registers that it names, but to take one for written is safe.
        for register in registers(destination) {
            self.last.insert(register, Write { index, by });
        }
    }

    /// The instruction that wrote what an operand holds, if the registers that it read still hold what it read.
    pub fn definition(&self, operand: &Operand) -> Option<&'m Instruction> {
        let Operand::Register { id, negated: false } = operand else { return None };
        let write = self.last.get(id)?;
        let by = write.by?;
        let sources = by.operands.iter().skip(1).flat_map(registers);
        let unchanged = |id| self.last.get(&id).is_none_or(|source| source.index < write.index);
        sources.into_iter().all(unchanged).then_some(by)
    }
}

/// The registers that an operand names.
fn registers(operand: &Operand) -> Vec<RegisterId> {
    match operand {
        Operand::Register { id, .. } | Operand::Component { id, .. } | Operand::Part { id, .. } => vec![*id],
        Operand::RegisterSum { id, .. } => vec![*id],
        Operand::Vector(parts) => parts.iter().flat_map(registers).collect(),
        Operand::Pair(first, second) => [registers(first), registers(second)].concat(),
        _ => Vec::new(),
    }
}
