//! The limit of a kernel's shared memory. As observed, the assembler refuses a kernel whose variables take more than 48 KiB; a
//! module variable counts if the kernel, or a function that it calls, names it.

use std::collections::HashSet;

use super::{Checked, Checker};
use crate::checked::{AddressBase, CallArgument, Callee, FunctionId, Operand, VariableId};
use crate::source::Span;
use crate::vocabulary::Space;

/// Bytes.
const LIMIT: u64 = 0xC000;

/// The variables and functions that a kernel reaches.
#[derive(Default)]
struct Reached {
    variables: HashSet<VariableId>,
    functions: HashSet<FunctionId>,
    /// Functions whose bodies are not yet visited.
    open: Vec<FunctionId>,
}

impl Checker<'_> {
    /// Refuses a kernel that takes more shared memory than the limit.
    pub(super) fn shared_memory(&mut self, kernel: FunctionId, name: Span) -> Checked<()> {
        // Of a relocatable object the linker asks.
        let asks = self.by_assembler() && !self.rules.relocatable;
        if !asks || !self.out.variables.iter().any(|variable| variable.space == Space::Shared) {
            return Ok(());
        }
        let mut reached = Reached::default();
        reached.function(kernel);
        while let Some(id) = reached.open.pop() {
            for instruction in &self.out.functions[id.0 as usize].body {
                instruction.operands.iter().for_each(|operand| reached.operand(operand));
            }
        }
        let counts = |(index, scope): (usize, Option<FunctionId>)| match scope {
            Some(function) => reached.functions.contains(&function),
            None => reached.variables.contains(&VariableId(index as u32)),
        };
        let mut size = 0u64;
        for (index, variable) in self.out.variables.iter().enumerate() {
            if variable.space == Space::Shared && counts((index, variable.scope)) {
                size = size.next_multiple_of(variable.align.max(1)).saturating_add(variable.size);
            }
        }
        if size > LIMIT {
            let message = format!("`{}` with {size} bytes of `.shared`", self.text_of(name));
            return self.fail_expected(name, message, format!("at most {LIMIT}"));
        }
        Ok(())
    }
}

impl Reached {
    fn function(&mut self, id: FunctionId) {
        if self.functions.insert(id) {
            self.open.push(id);
        }
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Vector(elements) => elements.iter().for_each(|element| self.operand(element)),
            Operand::Pair(first, second) => {
                self.operand(first);
                self.operand(second);
            }
            Operand::Address { base: AddressBase::Variable(id), .. }
            | Operand::VariableAddress { variable: id, .. } => {
                self.variables.insert(*id);
            }
            Operand::Opaque { coordinates, .. } => coordinates.iter().for_each(|it| self.operand(it)),
            Operand::FunctionAddress(id) => self.function(*id),
            Operand::Call(call) => {
                if let Callee::Function(id) = call.callee {
                    self.function(id);
                }
                for argument in &call.arguments {
                    if let CallArgument::Variable(id) = argument {
                        self.variables.insert(*id);
                    }
                }
            }
            _ => {}
        }
    }
}
