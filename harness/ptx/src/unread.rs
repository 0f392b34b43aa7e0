//! Registers that nothing reads: what a compiler may delete or narrow because of them, [`Deviation::PtxasDeadLoads`] and
//! [`Deviation::PtxasNarrowedLoads`].

use std::collections::HashMap;

use crate::checked::{
    AddressBase, CallArgument, Callee, Function, Instruction, OpaqueBase, Operand, RegisterId,
};
use crate::vocabulary::Opcode;
use warpdiff_model::{Deviation, Semantics};

/// How often a function mentions each register, components of vectors apart. One that is mentioned as the result of loads alone is not
/// read.
#[derive(Default)]
pub struct Mentions {
    counts: HashMap<Place, u32>,
    /// Of these the mentions as the result of a load.
    loaded: HashMap<Place, u32>,
    /// Of these the mentions as the source of a conversion from 64 to at most 32 bits, which reads the lower half.
    lower: HashMap<Place, u32>,
}

/// A register, or a component of a vector register.
type Place = (RegisterId, Option<u32>);

impl Mentions {
    /// Counts, if the semantics ask for it.
    pub fn of(function: &Function, semantics: &Semantics) -> Self {
        let mut mentions = Self::default();
        let asked = [Deviation::PtxasDeadLoads, Deviation::PtxasNarrowedLoads];
        if !asked.into_iter().any(|deviation| semantics.has(deviation)) {
            return mentions;
        }
        for instruction in &function.body {
            if let Some(guard) = &instruction.guard {
                mentions.count(guard.register, None);
            }
            instruction.operands.iter().for_each(|operand| mentions.operand(operand));
            if matches!(instruction.opcode, Opcode::Ld | Opcode::Suld) {
                let mut loaded = Self::default();
                instruction.operands.first().into_iter().for_each(|operand| loaded.operand(operand));
                for (place, count) in loaded.counts {
                    *mentions.loaded.entry(place).or_default() += count;
                }
            }
            if let Some(id) = cut(instruction) {
                *mentions.lower.entry((id, None)).or_default() += 1;
            }
        }
        mentions
    }

    /// Whether nothing reads what a load writes to this operand.
    pub fn is_unread(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Sink => true,
            Operand::Register { id, .. } => self.other((*id, None)) == 0,
            Operand::Component { id, component } => {
                self.other((*id, Some(*component))) == 0 && !self.counts.contains_key(&(*id, None))
            }
            _ => false,
        }
    }

    /// Whether of what a load writes to this operand the lower 32 bits alone are read.
    pub fn is_half_read(&self, operand: &Operand) -> bool {
        let Operand::Register { id, .. } = operand else { return false };
        let lower = self.lower.get(&(*id, None)).copied().unwrap_or_default();
        lower > 0 && self.other((*id, None)) == lower
    }

    /// Mentions of a register other than as the result of a load.
    fn other(&self, place: Place) -> u32 {
        let of = |counts: &HashMap<Place, u32>| counts.get(&place).copied().unwrap_or_default();
        of(&self.counts) - of(&self.loaded)
    }

    fn count(&mut self, id: RegisterId, component: Option<u32>) {
        *self.counts.entry((id, component)).or_default() += 1;
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Register { id, .. } | Operand::Part { id, .. } | Operand::RegisterSum { id, .. } => {
                self.count(*id, None);
            }
            Operand::Component { id, component } => self.count(*id, Some(*component)),
            Operand::Vector(parts) => parts.iter().for_each(|part| self.operand(part)),
            Operand::Pair(first, second) => {
                self.operand(first);
                self.operand(second);
            }
            Operand::Address { base: AddressBase::Register(id), .. } => self.count(*id, None),
            Operand::Opaque { object, sampler, coordinates, .. } => {
                for base in [Some(object), sampler.as_ref()].into_iter().flatten() {
                    if let OpaqueBase::Register(id) = base {
                        self.count(*id, None);
                    }
                }
                coordinates.iter().for_each(|coordinate| self.operand(coordinate));
            }
            Operand::Call(call) => {
                if let Callee::Indirect { register, .. } = call.callee {
                    self.count(register, None);
                }
                for argument in call.returns.iter().chain(&call.arguments) {
                    if let CallArgument::Register(id) = argument {
                        // What a call returns counts as read: the callee has effects.
                        self.count(*id, None);
                        self.count(*id, None);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The register of which a conversion takes the lower half alone: `cvt.u32.u64`.
fn cut(instruction: &Instruction) -> Option<RegisterId> {
    let [to, from] = instruction.types[..] else { return None };
    let cuts = instruction.opcode == Opcode::Cvt
        && instruction.modifiers.is_empty()
        && !to.is_float()
        && !from.is_float()
        && to.size() <= 4
        && from.size() == 8;
    match instruction.operands.get(1) {
        Some(Operand::Register { id, .. }) if cuts => Some(*id),
        _ => None,
    }
}
