//! Which instruction wrote each register, as far as a compiler sees it: in the same run of instructions, without a branch or a label
//! between, or, if it makes a constant, as the only one of the function that writes the register. For deviations of compilers, which fold constants
//! and join instructions.

use std::collections::HashMap;

use crate::checked::{Function, Immediate, Instruction, Operand, RegisterId};
use crate::vocabulary::{Opcode, Type};
use warpdiff_model::{Deviation, Semantics};

/// The deviations that join instructions, or fold constants that registers hold.
const ASKING: [Deviation; 16] = [
    Deviation::PtxasHighField,
    Deviation::PtxasZeroFactor,
    Deviation::PtxasLeastSelects,
    Deviation::PtxasLeastSubtracted,
    Deviation::PtxasUnwrappedSum,
    Deviation::PtxasWideNegation,
    Deviation::PtxasSetIsOne,
    Deviation::PtxasFoldedTie,
    Deviation::PtxasVideoConstant,
    Deviation::PtxasSetSigned,
    Deviation::PtxasExtendedSign,
    Deviation::PtxasLimitedNumber,
    Deviation::PtxasNeverNegative,
    Deviation::PtxasNegatedZero,
    Deviation::PtxasClampOrder,
    Deviation::PtxasMovedFlush,
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
    /// What makes a constant, and alone in the function writes this register.
    constants: HashMap<RegisterId, &'m Instruction>,
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
    pub fn enter(function: &'m Function, semantics: &Semantics) -> Self {
        if !ASKING.into_iter().any(|deviation| semantics.has(deviation)) {
            return Self::default();
        }
        Self {
            is_asked: true,
            last: HashMap::new(),
            constants: constants(function),
            starts: run_starts(function),
        }
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
        let Some(write) = self.last.get(id) else { return self.constants.get(id).copied() };
        let by = write.by?;
        let sources = by.operands.iter().skip(1).flat_map(registers);
        let unchanged = |id| self.last.get(&id).is_none_or(|source| source.index < write.index);
        sources.into_iter().all(unchanged).then_some(by)
    }

    /// The constant of 32 bits that an operand of a type is, or holds by a `mov` before it, by a shift of zero, by `and` with zero or as the negative
    /// of a constant.
    pub fn word(&self, operand: &Operand, ty: Type) -> Option<u32> {
        let (mut operand, mut ty) = (operand, ty);
        // What is left of zero where it is shifted.
        let mut is_shifted = false;
        // A chain of moves ends, because each stands before the one that it feeds.
        loop {
            if let Operand::Immediate(immediate) = operand {
                let value = word_of(*immediate, ty);
                return (!is_shifted || value == 0).then_some(value);
            }
            let by = self.definition(operand)?;
            let zero = |at: usize| {
                let source = by.operands.get(at);
                matches!(source, Some(Operand::Immediate(Immediate::Integer { bits: 0, .. })))
            };
            match by.opcode {
                Opcode::Mov | Opcode::Shl | Opcode::Shr
                    if by.types.first().is_some_and(|ty| ty.size() == 4) =>
                {
                    is_shifted |= by.opcode != Opcode::Mov;
                    (operand, ty) = (by.operands.get(1)?, *by.types.first()?);
                }
                Opcode::And if zero(1) || zero(2) => return Some(0),
                Opcode::Neg if by.types.first() == Some(&Type::S32) => {
                    let value = self.word(by.operands.get(1)?, Type::S32)?.wrapping_neg();
                    return (!is_shifted || value == 0).then_some(value);
                }
                _ => return None,
            }
        }
    }
}

/// The bits of a constant as an operand of a type of at most 32 bits.
fn word_of(immediate: Immediate, ty: Type) -> u32 {
    let bits = match immediate {
        Immediate::Integer { bits, .. } => bits as u32,
        Immediate::Float32(bits) => bits,
        Immediate::Float64(bits) => (f64::from_bits(bits) as f32).to_bits(),
    };
    if ty.size() < 4 { bits & ((1 << (8 * ty.size())) - 1) } else { bits }
}

/// The instructions of constants alone that write a register which nothing else in the function writes.
fn constants(function: &Function) -> HashMap<RegisterId, &Instruction> {
    let mut writes: HashMap<RegisterId, usize> = HashMap::new();
    for instruction in &function.body {
        // What a call gives back stands behind its first operand.
        let named = if instruction.opcode == Opcode::Call { instruction.operands.len() } else { 1 };
        for register in instruction.operands.iter().take(named).flat_map(registers) {
            *writes.entry(register).or_default() += named;
        }
    }
    let only = |instruction: &'_ Instruction| {
        let [Operand::Register { id, .. }, sources @ ..] = &instruction.operands[..] else { return None };
        let is_constant = sources.iter().all(|source| matches!(source, Operand::Immediate(_)));
        (is_constant && instruction.guard.is_none() && writes[id] == 1).then_some(*id)
    };
    function.body.iter().filter_map(|instruction| Some((only(instruction)?, instruction))).collect()
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
