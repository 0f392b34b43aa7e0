//! Branches, barriers, fences and the end.

use warpdiff_sass::{Mnemonic as M, Operand};

use super::writer::{Writer, Written};

/// The label in front of a statement.
pub(super) fn label(statement: usize) -> String {
    format!("at{statement}")
}

impl Writer<'_> {
    /// Branches, barriers, fences and the end.
    pub(super) fn control(&mut self) -> Written {
        match self.instruction().form.mnemonic {
            M::BAR => {
                if self.instruction().form.fixed_modifiers != ["SYNC"] {
                    return Err(self.untranslatable("a barrier of another kind"));
                }
                let Operand::Immediate(number) = self.operand(0)? else {
                    return Err(self.untranslatable("this kind of operand"));
                };
                self.act(format!("bar.sync {number};"));
            }
            M::MEMBAR => match self.modifier("scope") {
                0 => self.act("membar.cta;"),
                1 => self.act("membar.gl;"),
                2 => self.act("membar.sys;"),
                _ => return Err(self.untranslatable("this scope")),
            },
            M::BRA => {
                let target = self.program.target(self.number);
                let Some(target) = target.filter(|target| *target < self.program.statements.len()) else {
                    return Err(self.untranslatable("the branch target is not an instruction"));
                };
                self.act(format!("bra {};", label(target)));
            }
            M::EXIT => self.act("exit;"),
            M::SYNC | M::BRK => {
                // An unreachable one needs no branch.
                if let Some(target) = self.sync_targets.get(&self.number).copied() {
                    self.act(format!("bra {};", label(target)));
                }
            }
            // PTX needs only branches for control flow, and no waits for scoreboards.
            M::NOP | M::DEPBAR | M::SSY | M::PBK => {}
            _ => return Err(self.no_translation()),
        }
        Ok(())
    }
}
