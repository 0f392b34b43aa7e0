//! Branches, barriers, fences and the end.

use std::collections::HashMap;

use warpdiff_sass::Guard as Written;
use warpdiff_sass::Operand;

use super::super::Decode;
use super::Spa;
use crate::operation::{BarrierKind, BarrierOp, Class, Code};
use crate::program::Unsupported;

/// What pushed an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pushed {
    /// `SSY`, for `SYNC`.
    Meeting,
    /// `PBK`, for `BRK`.
    Break,
}

/// The addresses that have been pushed and not taken back, the latest last.
type Stack = Vec<(Pushed, usize)>;

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

    /// Finds out where each `SYNC` and `BRK` goes: what they take back is the same on every way that leads to them.
    pub(super) fn find_meetings(&mut self) -> Decode {
        let mut seen: HashMap<usize, Stack> = HashMap::new();
        let mut ways = vec![(0usize, Stack::new())];
        while let Some((number, stack)) = ways.pop() {
            let Some(statement) = self.program.statements.get(number) else { continue };
            (self.number, self.statement) = (number, statement);
            if let Some(known) = seen.get(&number) {
                if *known != stack {
                    return Err(
                        self.unsupported_because("a place that is reached with different `SSY` or `PBK`")
                    );
                }
                continue;
            }
            seen.insert(number, stack.clone());
            self.follow(number, stack, &mut ways)?;
        }
        Ok(())
    }

    /// Adds the ways that lead on from a statement.
    fn follow(
        &mut self,
        number: usize,
        mut stack: Stack,
        ways: &mut Vec<(usize, Stack)>,
    ) -> Result<(), Unsupported> {
        let instruction = self.instruction();
        let always = instruction.guard == Written::ALWAYS;
        let mnemonic = instruction.form.mnemonic;
        let goes_on = match mnemonic {
            "SSY" => {
                stack.push((Pushed::Meeting, self.target()?));
                true
            }
            "PBK" => {
                stack.push((Pushed::Break, self.target()?));
                true
            }
            "SYNC" | "BRK" => {
                let wanted = if mnemonic == "SYNC" { Pushed::Meeting } else { Pushed::Break };
                let (rest, target) = taken(&stack, wanted).ok_or_else(|| {
                    self.unsupported_because("without the `SSY` or `PBK` that says where it goes")
                })?;
                self.meetings.insert(number, target);
                ways.push((target, rest));
                !always
            }
            "BRA" => {
                ways.push((self.target()?, stack.clone()));
                !always
            }
            "EXIT" => !always,
            _ => true,
        };
        if goes_on {
            ways.push((number + 1, stack));
        }
        Ok(())
    }
}

/// What is left when an address of that kind has been taken back, and the address. A break leaves whatever was pushed after it.
fn taken(stack: &Stack, wanted: Pushed) -> Option<(Stack, usize)> {
    let at = match wanted {
        Pushed::Meeting => stack.len().checked_sub(1)?,
        Pushed::Break => stack.iter().rposition(|(kind, _)| *kind == wanted)?,
    };
    let (kind, target) = stack[at];
    (kind == wanted).then(|| (stack[..at].to_vec(), target))
}
