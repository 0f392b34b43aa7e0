//! Which instruction wrote each register, as far as a compiler sees it: in the same run of instructions, without a branch or a label
//! between, or as the only one of the function that writes the register. For deviations of compilers, which fold constants and join instructions.
//!
//! * `folded` – what an instruction makes of constants.
//! * `merged` – the constants that ptxas takes registers for behind a branch.
//! * `passed` – the constants that a function is called with, and those that it gives back.

mod folded;
mod merged;
mod passed;

use std::collections::HashMap;

use crate::checked::{CallArgument, Function, FunctionId, Instruction, Module, Operand, RegisterId};
use crate::vocabulary::{Opcode, Type};
use merged::Merged;
use passed::Passed;
use warpdiff_model::{Deviation, Semantics};

/// The deviations that join instructions, or fold constants that registers hold.
const ASKING: [Deviation; 19] = [
    Deviation::PtxasTrueMerged,
    Deviation::PtxasHighField,
    Deviation::PtxasZeroFactor,
    Deviation::PtxasLeastSelects,
    Deviation::PtxasLeastSubtracted,
    Deviation::PtxasUnwrappedSum,
    Deviation::PtxasWideNegation,
    Deviation::PtxasSetIsOne,
    Deviation::PtxasFoldedTie,
    Deviation::PtxasVideoConstant,
    Deviation::PtxasConstantPart,
    Deviation::PtxasSetSigned,
    Deviation::PtxasExtendedSign,
    Deviation::PtxasLimitedNumber,
    Deviation::PtxasNeverNegative,
    Deviation::PtxasNegatedZero,
    Deviation::PtxasClampOrder,
    Deviation::PtxasMovedFlush,
    Deviation::PtxasSignallingKept,
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
    /// What alone in the function writes this register; and what does that from constants.
    only: HashMap<RegisterId, &'m Instruction>,
    constants: HashMap<RegisterId, &'m Instruction>,
    /// The constants that registers hold in all of the function.
    held: HashMap<RegisterId, Constant>,
    passed: Passed,
    /// In their order, what registers hold behind a branch.
    merged: Vec<Merged>,
    starts: Vec<u32>,
}

/// A write of a register.
struct Write<'m> {
    /// Index of the instruction.
    index: u32,
    /// The instruction, if it wrote the register for certain, and as a whole.
    by: Option<&'m Instruction>,
    /// What it wrote, if that is a constant.
    value: Option<Constant>,
}

/// A constant that a register holds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Constant {
    /// Its bits, extended as in the register; those above it count for nothing.
    bits: u64,
    /// Whether it depends on a parameter or on what a call gave back. ptxas finds such constants after it has joined most instructions.
    is_passed: bool,
}

impl Constant {
    /// What stands in the program, as an operand of a type.
    fn written(operand: &Operand, ty: Type) -> Option<Self> {
        let Operand::Immediate(immediate) = operand else { return None };
        Some(Self { bits: folded::bits_of(*immediate, ty), is_passed: false })
    }

    /// What an operand of a type reads of it.
    fn of(self, ty: Type) -> Self {
        Self { bits: self.bits & folded::mask(ty), ..self }
    }
}

impl<'m> Written<'m> {
    /// Before the first instruction of a function of a module.
    pub fn enter(module: &'m Module, id: FunctionId, semantics: &Semantics) -> Self {
        if !ASKING.into_iter().any(|deviation| semantics.has(deviation)) {
            return Self::default();
        }
        let function = &module.functions[id.0 as usize];
        let mut passed = Passed::to(module, id);
        let is_merging = semantics.has(Deviation::PtxasTrueMerged);
        let merged = if is_merging { merged::merged(function, Self::within(function)) } else { Vec::new() };
        Self { held: held(function, &mut passed), passed, merged, ..Self::within(function) }
    }

    /// The same without what calls pass.
    fn within(function: &'m Function) -> Self {
        let only = only(function);
        Self {
            is_asked: true,
            last: HashMap::new(),
            constants: constants(&only),
            only,
            held: held(function, &mut Passed::default()),
            passed: Passed::default(),
            merged: Vec::new(),
            starts: run_starts(function),
        }
    }

    /// Notes that the instruction of this index comes next, whose effects count from the one after it on.
    pub fn reach(&mut self, index: u32) {
        if self.starts.contains(&index) {
            self.last.clear();
            self.passed.forget();
        }
    }

    /// What registers hold in front of the instruction of this index under [`Deviation::PtxasTrueMerged`].
    pub fn merged(&self, index: u32) -> Vec<(RegisterId, u64)> {
        let here = self.merged.iter().filter(|merged| merged.at == index);
        here.map(|merged| (merged.register, merged.bits)).collect()
    }

    /// Notes what an instruction writes.
    pub fn note(&mut self, index: u32, instruction: &'m Instruction) {
        if !self.is_asked {
            return;
        }
        let Some(destination) = instruction.operands.first() else { return };
        if let Some(call) = passed::call(instruction) {
            self.last.clear();
            self.passed.call(call, instruction.guard.is_none());
            for (argument, value) in call.returns.iter().zip(self.passed.results()) {
                if let CallArgument::Register(register) = argument {
                    self.last.insert(*register, Write { index, by: None, value: *value });
                }
            }
            return;
        }
        let by = (instruction.guard.is_none() && is_whole(instruction, destination)).then_some(instruction);
        let values: Vec<(RegisterId, Option<Constant>)> = match by {
            _ if instruction.guard.is_none()
                && instruction.opcode == Opcode::Ld
                && matches!(destination, Operand::Vector(_)) =>
            {
                self.loaded(instruction)
            }
            Some(by) => {
                registers(destination).into_iter().map(|register| (register, self.value(by))).collect()
            }
            // A store writes none of the registers that it names, but to take one for written is safe.
            None => registers(destination).into_iter().map(|register| (register, None)).collect(),
        };
        for (register, value) in values {
            self.last.insert(register, Write { index, by, value });
        }
    }

    /// The registers of a vector that is loaded, and the constants in them.
    fn loaded(&self, instruction: &Instruction) -> Vec<(RegisterId, Option<Constant>)> {
        let Some(Operand::Vector(parts)) = instruction.operands.first() else { return Vec::new() };
        let of = |(element, part): (usize, &'_ Operand)| {
            let value = self.passed.loaded(instruction, element as u64);
            let is_whole = matches!(part, Operand::Register { .. });
            registers(part).into_iter().map(move |register| (register, value.filter(|_| is_whole)))
        };
        parts.iter().enumerate().flat_map(of).collect()
    }

    /// The constant that an instruction writes.
    fn value(&self, by: &Instruction) -> Option<Constant> {
        match by.opcode {
            Opcode::Ld => self.passed.loaded(by, 0),
            _ => folded::result(by, &|operand, ty| self.constant(operand, ty)),
        }
    }

    /// The constant that an operand of a type is, or that the register holds.
    fn constant(&self, operand: &Operand, ty: Type) -> Option<Constant> {
        match operand {
            Operand::Register { id, negated: false } => {
                let known = self.last.get(id).map_or_else(|| self.held.get(id).copied(), |write| write.value);
                known.map(|constant| constant.of(ty))
            }
            other => Constant::written(other, ty),
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

    /// The kind of instruction that wrote what an operand holds, which is as a rule [`Written::definition`]; beyond labels the only one of the function that
    /// writes the register, whose sources may hold something else by now.
    pub fn writer(&self, operand: &Operand) -> Option<&'m Instruction> {
        let Operand::Register { id, negated: false } = operand else { return None };
        match self.last.get(id) {
            Some(_) => self.definition(operand),
            None => self.only.get(id).copied(),
        }
    }

    /// The constant of at most 32 bits that an operand of a type is, or that its register holds: by a `mov`, or because it is computed from constants.
    pub fn word(&self, operand: &Operand, ty: Type) -> Option<u32> {
        self.constant(operand, ty).filter(|constant| !constant.is_passed).map(|constant| constant.bits as u32)
    }

    /// The same of at most 64 bits.
    pub fn bits(&self, operand: &Operand, ty: Type) -> Option<u64> {
        self.constant(operand, ty).filter(|constant| !constant.is_passed).map(|constant| constant.bits)
    }

    /// The same of constants that a function is called with as well, or that one gives back.
    pub fn passed_word(&self, operand: &Operand, ty: Type) -> Option<u32> {
        self.constant(operand, ty).map(|constant| constant.bits as u32)
    }
}

/// How many instructions of a function write each register.
fn writes(function: &Function) -> HashMap<RegisterId, usize> {
    let mut writes: HashMap<RegisterId, usize> = HashMap::new();
    for register in function.body.iter().filter_map(|it| it.operands.first()).flat_map(registers) {
        *writes.entry(register).or_default() += 1;
    }
    writes
}

/// The instructions that write a register which nothing else in the function writes, and which is no parameter of it.
fn only(function: &Function) -> HashMap<RegisterId, &Instruction> {
    let writes = writes(function);
    let is_parameter = |id: &RegisterId| function.parameters.iter().any(|it| it.register == Some(*id));
    let only = |instruction: &'_ Instruction| {
        let Some(destination) = instruction.operands.first() else { return Vec::new() };
        let is_whole = instruction.guard.is_none() && is_whole(instruction, destination);
        let is_single = |id: &RegisterId| is_whole && writes[id] == 1 && !is_parameter(id);
        registers(destination).into_iter().filter(is_single).collect()
    };
    let of = |instruction| only(instruction).into_iter().map(move |id| (id, instruction));
    function.body.iter().flat_map(of).collect()
}

/// Those of constants alone.
fn constants<'m>(only: &HashMap<RegisterId, &'m Instruction>) -> HashMap<RegisterId, &'m Instruction> {
    let is_constant = |by: &Instruction| {
        let sources = by.operands.get(1..).unwrap_or_default();
        sources.iter().all(|source| matches!(source, Operand::Immediate(_)))
    };
    only.iter().filter(|(_, by)| is_constant(by)).map(|(id, by)| (*id, *by)).collect()
}

/// Whether an instruction gives its registers one value each: it has one of them, or loads a vector.
fn is_whole(instruction: &Instruction, destination: &Operand) -> bool {
    match destination {
        Operand::Register { .. } => true,
        Operand::Vector(parts) if instruction.opcode == Opcode::Ld => {
            parts.iter().all(|part| matches!(part, Operand::Register { .. } | Operand::Sink))
        }
        _ => false,
    }
}

/// The constants that registers hold in all of a function: those which one instruction alone writes, from such constants or from what calls pass,
/// and parameters that it does not write.
fn held(function: &Function, passed: &mut Passed) -> HashMap<RegisterId, Constant> {
    let writes = writes(function);
    let mut held = passed.registers().clone();
    held.retain(|register, _| !writes.contains_key(register));
    let starts = run_starts(function);
    for (index, instruction) in function.body.iter().enumerate() {
        if starts.contains(&(index as u32)) {
            passed.forget();
        }
        if let Some(call) = passed::call(instruction) {
            passed.call(call, instruction.guard.is_none());
        }
        let Some(Operand::Register { id, .. }) = instruction.operands.first() else { continue };
        if instruction.guard.is_some() || writes[id] != 1 {
            continue;
        }
        let known = |operand: &Operand, ty: Type| match operand {
            Operand::Register { id, negated: false } => held.get(id).map(|it| it.of(ty)),
            other => Constant::written(other, ty),
        };
        let value = match instruction.opcode {
            Opcode::Ld => passed.loaded(instruction, 0),
            _ => folded::result(instruction, &known),
        };
        held.extend(value.map(|value| (*id, value)));
    }
    passed.forget();
    held
}

/// The registers that an operand names.
fn registers(operand: &Operand) -> Vec<RegisterId> {
    match operand {
        Operand::Register { id, .. } | Operand::Component { id, .. } | Operand::Part { id, .. } => vec![*id],
        Operand::RegisterSum { id, .. } => vec![*id],
        Operand::Vector(parts) => parts.iter().flat_map(registers).collect(),
        Operand::Pair(first, second) => [registers(first), registers(second)].concat(),
        Operand::Call(call) => {
            let register =
                |it: &CallArgument| if let CallArgument::Register(id) = it { Some(*id) } else { None };
            call.returns.iter().filter_map(register).collect()
        }
        _ => Vec::new(),
    }
}
