//! The limit of a module's `.const` memory, "currently to 64 KB" (PTX ISA 5.1.3). All its variables share one bank.

use std::cmp::Reverse;

use super::{Checked, Checker};
use crate::ast::Item;
use crate::checked::Variable;
use crate::source::Span;
use crate::vocabulary::Space;

/// Bytes.
const LIMIT: u64 = 0x10000;

impl Checker<'_> {
    /// Refuses the first variable that does not fit into the bank.
    pub(super) fn constant_memory(&mut self) -> Checked<()> {
        let mut end = 0u64;
        // As observed: the assembler puts variables that other modules can see before the others.
        let seen = |variable: &Variable| self.by_assembler() && variable.linkage.is_some();
        // An `.extern` one is another module's, unless the assembler makes a definition of it because there is no other.
        let elsewhere = |it: &Variable| it.external && (!self.by_assembler() || self.rules.relocatable);
        let made = |it: &Variable| !self.by_assembler() || it.made.is_some();
        let counts = |it: &&Variable| it.space == Space::Const && !elsewhere(it) && made(it);
        let mut constants: Vec<&Variable> = self.out.variables.iter().filter(counts).collect();
        if self.by_assembler() {
            constants.sort_by_key(|it| it.made);
        }
        let constants = || constants.iter().copied();
        let mut in_order: Vec<_> =
            constants().filter(|it| seen(it)).chain(constants().filter(|it| !seen(it))).collect();
        // Into a relocatable object it puts them by their alignment, so that there are no gaps.
        if self.rules.relocatable {
            in_order.sort_by_key(|variable| Reverse(variable.align));
        }
        let beyond = in_order.into_iter().find_map(|variable| {
            // The text names no order: there is one without gaps, or nearly so.
            let align = if self.by_assembler() { variable.align.max(1) } else { 1 };
            end = end.next_multiple_of(align).saturating_add(variable.size);
            (end > LIMIT).then(|| self.declarator_of(variable))
        });
        match beyond {
            Some(span) => self.fail_expected(
                span,
                format!("{end} bytes of `.const`, with the variables before"),
                format!("at most {LIMIT} in a module"),
            ),
            None => Ok(()),
        }
    }

    /// The declaration of a module variable's name, with its extents.
    fn declarator_of(&self, variable: &Variable) -> Span {
        let declarations = self.ast.items.iter().filter_map(|item| match item {
            Item::Declaration(declaration) => Some(&declaration.declarators),
            _ => None,
        });
        let named = declarations.flatten().find(|declarator| self.text_of(declarator.name) == variable.name);
        named.map_or(variable.span, |declarator| declarator.span)
    }
}
