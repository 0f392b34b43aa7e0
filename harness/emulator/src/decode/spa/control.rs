//! Branches, barriers, fences and the end.

use warpdiff_sass::Guard as Written;
use warpdiff_sass::{NoWay, Operand};

use super::super::Decode;
use super::Spa;
use crate::operation::{BarrierKind, BarrierOp, Class, Code};

impl Spa<'_> {
    /// Branches, barriers, fences and the end.
    pub(super) fn control(&mut self) -> Decode {
        match self.instruction().form.mnemonic {
            "BAR" => self.barrier(),
            // `.CTA`, `.GL`, `.SYS`: for the block, the device, the system.
            "MEMBAR" => match self.modifier("scope") {
                scope @ 0..=2 => self.simple(Code::Fence, u32::from(scope)),
                _ => Err(self.unsupported()),
            },
            "BRA" => {
                let target = self.target()?;
                self.jump(target)
            }
            "SYNC" | "BRK" => match self.meetings.get(&self.number).copied() {
                Some(target) => self.jump(target),
                // Nothing leads here.
                None => self.simple(Code::Nop, 0),
            },
            "EXIT" => self.simple(Code::Exit, 0),
            // Where lanes meet again the machine finds out by itself: `SSY` and `PBK` only say where `SYNC` and `BRK` go.
            _ => self.simple(Code::Nop, 0),
        }
    }

    fn simple(&mut self, code: Code, x: u32) -> Decode {
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

    fn barrier(&mut self) -> Decode {
        let Operand::Immediate(number) = self.operand(0)? else {
            return Err(self.unsupported_because("this kind of operand"));
        };
        let id = self.d.constant(Class::Narrow, number as u64);
        let x = self.d.out.barriers.len() as u32;
        self.d.out.barriers.push(BarrierOp { id, count: None, kind: BarrierKind::Sync });
        self.simple(Code::Barrier, x)
    }

    /// No page says what lies behind the last instruction. Instructions that do nothing fill the last bundle.
    pub(super) fn check_end(&mut self) -> Decode {
        let is_filling = |n: &usize| self.program.statements[*n].instruction.form.mnemonic == "NOP";
        let Some(last) = (0..self.program.statements.len()).rev().find(|n| !is_filling(n)) else {
            return Err(self.unsupported_because("the end of a program that is no `EXIT`"));
        };
        self.statement = &self.program.statements[last];
        let always = self.instruction().guard == Written::ALWAYS;
        let leaves = matches!(self.instruction().form.mnemonic, "EXIT" | "BRA" | "SYNC" | "BRK");
        if always && leaves {
            Ok(())
        } else {
            Err(self.unsupported_because("the end of a program that is no `EXIT`"))
        }
    }

    /// Finds out where each `SYNC` and `BRK` goes.
    pub(super) fn find_meetings(&mut self) -> Decode {
        match self.program.meetings() {
            Ok(meetings) => {
                self.meetings = meetings;
                Ok(())
            }
            Err(NoWay { statement, why }) => {
                self.statement = &self.program.statements[statement];
                Err(self.unsupported_because(why))
            }
        }
    }
}
