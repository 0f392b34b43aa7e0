//! The short way through most operands: a register, named and nothing else, that fits its role.

use super::Checker;
use super::agreement::{Width, agrees};
use super::forms::{Pattern, Role};
use super::operand::operand_type;
use super::scope::{Found, Symbol};
use super::words::Words;
use crate::ast::Operand as Written;
use crate::checked::RegisterId;

impl Checker<'_> {
    /// The register that an operand names, if that is all there is to it: a register without elements, in a role that takes one of its
    /// type. Most operands are such registers; all others take the long way, [`Self::operand`], which answers the same for these.
    pub(super) fn plain_register(
        &mut self,
        pattern: &Pattern,
        words: &Words,
        operand: &Written,
    ) -> Option<RegisterId> {
        let Written::Name(name) = *operand else { return None };
        let width = match pattern.role {
            Role::Destination | Role::Source | Role::Predicate => Width::Exact,
            Role::DestinationRelaxed | Role::SourceRelaxed | Role::SourceSpecial => Width::AtLeast,
            Role::MovDestination | Role::MovSource if words.vector == 1 => Width::Exact,
            Role::DestinationVector | Role::SourceVector if words.vector == 1 => words.data_width(),
            _ => return None,
        };
        if self.packed_registers {
            return None;
        }
        let (id, ty, vector) = match self.scopes.look_up(self.text_of(name))? {
            Found::Symbol(Symbol::Register(id)) => {
                let (ty, vector) = self.register(id);
                (id, ty, vector)
            }
            Found::Fresh(fresh) if fresh.range.vector == 1 => {
                let id = self.new_register(self.text_of(name), fresh.range.ty, 1);
                self.scopes.remember(fresh, id);
                (id, fresh.range.ty, 1)
            }
            _ => return None,
        };
        (vector == 1 && agrees(operand_type(pattern.ty, words), ty, width)).then_some(id)
    }
}
