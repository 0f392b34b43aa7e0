//! Branches, barriers, fences and the end.

use warpdiff_sass::condition_code::TRUE;
use warpdiff_sass::{Mnemonic as M, Operand};

use super::writer::{Writer, Written};

/// The label in front of a statement.
pub(super) fn label(statement: usize) -> String {
    format!("at{statement}")
}

impl Writer<'_> {
    /// Branches, barriers, fences and the end.
    pub(super) fn control(&mut self) -> Written {
        let mnemonic = self.instruction().form.mnemonic;
        if mnemonic != M::NOP
            && matches!(self.instruction().operands.first(), Some(Operand::Condition(test)) if *test != TRUE)
        {
            return Err(self.untranslatable("a test of the condition codes"));
        }
        match mnemonic {
            M::BAR => {
                if self.instruction().form.fixed_modifiers != ["SYNC"] {
                    return Err(self.untranslatable("a barrier of another kind"));
                }
                let (Operand::Immediate(number), Operand::Immediate(threads)) =
                    (self.operand(0)?, self.operand(1)?)
                else {
                    return Err(self.untranslatable("this kind of operand"));
                };
                self.act(match threads {
                    0 => format!("bar.sync {number};"),
                    _ => format!("bar.sync {number}, {threads};"),
                });
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
            M::NOP | M::DEPBAR | M::SSY | M::PBK | M::CCTL | M::CCTLL => {}
            _ => return Err(self.no_translation()),
        }
        Ok(())
    }
}
