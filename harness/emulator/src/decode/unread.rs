//! Registers that nothing reads: what a compiler may delete or narrow because of them, [`Deviation::PtxasDeadLoads`] and
//! [`Deviation::PtxasNarrowedLoads`].

use std::collections::HashMap;

use warpdiff_model::{Deviation, Semantics};
use warpdiff_ptx::checked::{AddressBase, CallArgument, Callee, Function, OpaqueBase, Operand, RegisterId};

/// How often a function mentions each register, components of vectors apart. One that is mentioned once is not read.
#[derive(Default)]
pub(super) struct Mentions(HashMap<(RegisterId, Option<u32>), u32>);

impl Mentions {
    /// Counts, if the semantics ask for it.
    pub(super) fn of(function: &Function, semantics: &Semantics) -> Self {
        let mut mentions = Self::default();
        let asked = [Deviation::PtxasDeadLoads, Deviation::PtxasNarrowedLoads];
        if asked.into_iter().any(|deviation| semantics.has(deviation)) {
            for instruction in &function.body {
                if let Some(guard) = &instruction.guard {
                    mentions.count(guard.register, None);
                }
                instruction.operands.iter().for_each(|operand| mentions.operand(operand));
            }
        }
        mentions
    }

    /// Whether nothing reads what an instruction writes to this operand.
    pub(super) fn is_unread(&self, operand: &Operand) -> bool {
        let once = |key| self.0.get(&key).is_some_and(|count| *count == 1);
        match operand {
            Operand::Sink => true,
            Operand::Register { id, .. } => once((*id, None)),
            Operand::Component { id, component } => {
                once((*id, Some(*component))) && !self.0.contains_key(&(*id, None))
            }
            _ => false,
        }
    }

    fn count(&mut self, id: RegisterId, component: Option<u32>) {
        *self.0.entry((id, component)).or_default() += 1;
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Register { id, .. } | Operand::Part { id, .. } => self.count(*id, None),
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
