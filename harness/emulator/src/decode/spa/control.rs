//! Branches and the end.

use warpdiff_sass::Guard as Written;
use warpdiff_sass::{Mnemonic as M, NoSyncTarget};

use super::super::Decode;
use super::Spa;
use crate::operation::Code;

impl Spa<'_> {
    /// Branches, program end and no-ops.
    pub(super) fn control(&mut self) -> Decode {
        match self.mnemonic() {
            M::BRA => {
                let target = self.target()?;
                self.jump(target)
            }
            M::SYNC | M::BRK => match self.sync_targets.get(&self.number).copied() {
                Some(target) => self.jump(target),
                // Nothing leads here.
                None => self.simple(Code::Nop, 0),
            },
            M::EXIT => self.simple(Code::Exit, 0),
            // Where lanes meet again the machine finds out by itself: `SSY` and `PBK` only say where `SYNC` and `BRK` go.
            M::SSY | M::PBK | M::NOP | M::DEPBAR => self.simple(Code::Nop, 0),
            _ => Err(self.unsupported()),
        }
    }

    pub(super) fn simple(&mut self, code: Code, x: u32) -> Decode {
        self.d.emit(code, 0, [0; 3], x);
        Ok(())
    }

    fn jump(&mut self, statement: usize) -> Decode {
        self.d.jumps.push(self.d.out.ops.len());
        self.simple(Code::Branch, statement as u32)
    }

    /// The statement that the instruction names.
    fn target(&self) -> Decode<usize> {
        let target =
            self.program.target(self.number).filter(|target| *target < self.program.statements.len());
        target.ok_or_else(|| self.unsupported_because("a target that is no instruction"))
    }

    /// The manual does not specify execution past the last instruction. No-ops fill the last bundle.
    pub(super) fn check_end(&mut self) -> Decode {
        let is_filling = |n: &usize| self.program.statements[*n].instruction.form.mnemonic == M::NOP;
        let Some(last) = (0..self.program.statements.len()).rev().find(|n| !is_filling(n)) else {
            return Err(self.unsupported_because("the end of a program that is no `EXIT`"));
        };
        self.statement = &self.program.statements[last];
        let always = self.instruction().guard == Written::ALWAYS;
        let leaves = matches!(self.mnemonic(), M::EXIT | M::BRA | M::SYNC | M::BRK);
        if always && leaves {
            Ok(())
        } else {
            Err(self.unsupported_because("the end of a program that is no `EXIT`"))
        }
    }

    /// Finds out where each `SYNC` and `BRK` goes.
    pub(super) fn find_meetings(&mut self) -> Decode {
        match self.program.sync_targets() {
            Ok(sync_targets) => {
                self.sync_targets = sync_targets;
                Ok(())
            }
            Err(NoSyncTarget { statement, why }) => {
                self.statement = &self.program.statements[statement];
                Err(self.unsupported_because(why))
            }
        }
    }
}
