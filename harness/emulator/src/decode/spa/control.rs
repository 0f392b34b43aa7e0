//! Branches, calls and the end.
//!
//! Where `SYNC`, `BRK`, `CONT` and `RET` go is on a stack of each thread, see [`crate::machine`].

use warpdiff_sass::Guard as Written;
use warpdiff_sass::condition_code::TRUE;
use warpdiff_sass::form::OperandField;
use warpdiff_sass::{Mnemonic as M, Operand, Register};

use super::super::Decode;
use super::Spa;
use crate::memory_operation::{Access, Extend};
use crate::operation::{Class, Code, Guard, Pushed, Slot};

/// Of instructions that push or call, whose target is a distance when they name it themselves. Of `BRA` and `BRX` yuzu says it.
const RELATIVE: &str = "no source says what the target in a constant is counted from";

impl Spa<'_> {
    /// Branches, calls, the end, and instructions without effect.
    pub(super) fn control(&mut self) -> Decode {
        match self.mnemonic() {
            M::BRA | M::JMP if self.is_in_constant() => {
                let base = self.target_in_constant()?;
                self.under_condition()?;
                self.branch_to(base, self.counted_from())
            }
            M::BRA | M::JMP => {
                let target = self.target()?;
                self.under_condition()?;
                self.jump(Code::Branch, 0, target)
            }
            M::BRX | M::JMX => self.indirect(),
            M::SSY => self.push(Pushed::Meeting),
            M::PBK => self.push(Pushed::Break),
            M::PCNT => self.push(Pushed::Continue),
            M::PRET => self.push(Pushed::Return),
            M::CAL | M::JCAL => self.call(),
            M::SYNC => self.pop(Pushed::Meeting),
            M::BRK => self.pop(Pushed::Break),
            M::CONT => self.pop(Pushed::Continue),
            M::RET => self.pop(Pushed::Return),
            M::EXIT => {
                self.under_condition()?;
                self.simple(Code::Exit, 0)
            }
            M::BPT => self.breakpoint(),
            // Caches, waits for scoreboards and triggers of performance counters change no value. The test that a `NOP` may have
            // is of no consequence either.
            // `SAM` makes all threads of a quad run of which one does, until `RAM`, so that they lend it their registers: ptxas looks up
            // with derivatives so. Where all of them run anyway that changes nothing.
            M::SAM => self.simple(Code::WholeQuads, 0),
            M::NOP | M::DEPBAR | M::CCTL | M::CCTLL | M::RAM => self.simple(Code::Nop, 0),
            _ => Err(self.unsupported()),
        }
    }

    pub(super) fn simple(&mut self, code: Code, x: u32) -> Decode {
        self.d.emit(code, 0, [0; 3], x);
        Ok(())
    }

    /// An operation that names a statement.
    fn jump(&mut self, code: Code, a: u32, statement: usize) -> Decode {
        self.d.jumps.push(self.d.out.ops.len());
        self.d.emit(code, 0, [a, 0, 0], statement as u32);
        Ok(())
    }

    /// An entry of the stack with the target that the instruction names.
    fn push(&mut self, kind: Pushed) -> Decode {
        self.only_incrementing()?;
        let target = self.target()?;
        self.jump(Code::Push, kind as u32, target)
    }

    /// To the target of the latest entry of that kind.
    fn pop(&mut self, kind: Pushed) -> Decode {
        self.under_condition()?;
        self.d.emit(Code::Pop, 0, [kind as u32, 0, 0], 0);
        Ok(())
    }

    /// A call returns to the next instruction. Registers are the same on both sides: who keeps which is the compiler's agreement
    /// with itself.
    fn call(&mut self) -> Decode {
        self.only_incrementing()?;
        let next = self.number + 1;
        if next >= self.program.statements.len() {
            return Err(self.unsupported_because("no instruction to return to"));
        }
        if self.mnemonic() == M::JCAL && self.is_in_constant() {
            let base = self.target_in_constant()?;
            self.jump(Code::Push, Pushed::Return as u32, next)?;
            return self.branch_to(base, 0);
        }
        let target = self.target()?;
        self.jump(Code::Push, Pushed::Return as u32, next)?;
        self.jump(Code::Branch, 0, target)
    }

    /// `.NOINC` of `CAL` and `PRET` says something of the address that is pushed; no public source says what.
    fn only_incrementing(&self) -> Decode {
        match self.instruction().modifier_name("increment") {
            Some("NOINC") => Err(self.unsupported_because("a return address that is not incremented")),
            _ => Ok(()),
        }
    }

    /// `BRX Ra offset`: to the register plus the offset from the next instruction; `JMX`: from the beginning of the program.
    fn indirect(&mut self) -> Decode {
        if self.instruction().modifier_name("limit") == Some("LMT") {
            return Err(self.unsupported_because("a limit"));
        }
        let (base, offset) = match self.last_operand()? {
            Operand::Indirect { base, offset } => (base, offset),
            Operand::IndexedConstant { bank, base, offset } => {
                let base = self.indexed_target(bank, base, offset)?;
                self.under_condition()?;
                return self.branch_to(base, self.counted_from());
            }
            _ => return Err(self.unsupported_because("this kind of operand")),
        };
        let base = self.read(base);
        self.under_condition()?;
        self.branch_to(base, self.counted_from().wrapping_add_signed(offset))
    }

    /// Where targets in registers and constants are counted from: "J… forms absolute" (NAK, yuzu and envytools agree), so of `JMP`, `JMX` and
    /// `JCAL` from the beginning of the program; of `BRA` and `BRX` from the word behind the instruction (yuzu).
    fn counted_from(&self) -> u32 {
        match self.mnemonic() {
            M::BRA | M::BRX => warpdiff_sass::bundle::address(self.number) + 8,
            _ => 0,
        }
    }

    /// To the address in a register, plus a number.
    fn branch_to(&mut self, base: Slot, added: u32) -> Decode {
        let added = self.d.constant(Class::Narrow, u64::from(added));
        self.d.emit(Code::BranchToAddress, 0, [base.index, added.index, 0], 0);
        Ok(())
    }

    /// Whether the target stands in a constant.
    fn is_in_constant(&self) -> bool {
        self.instruction().form.operands.last() == Some(&OperandField::ConstantTarget)
    }

    /// The word of the constant that holds where control goes.
    fn target_in_constant(&mut self) -> Decode<Slot> {
        match self.last_operand()? {
            Operand::Constant { bank, offset } => self.bank_word(bank, offset),
            _ => Err(self.unsupported_because("this kind of operand")),
        }
    }

    /// The address at a place of a constant bank that a register counts.
    fn indexed_target(&mut self, bank: u8, base: Register, offset: i32) -> Decode<Slot> {
        let address = self.constant_address(bank, base, offset, 4)?;
        let found = self.d.temporary(Class::Narrow);
        let access = Access {
            address,
            size: 4,
            registers: vec![Some(found)],
            extend: Extend::Zero,
            strong: None,
            window: None,
            unified: false,
        };
        self.access(Code::Load, access);
        Ok(found)
    }

    /// `BPT.TRAP`, which ptxas 12.9 makes of `trap` and of `brkpt`. What the other kinds do without a debugger is in no public source.
    fn breakpoint(&mut self) -> Decode {
        match self.instruction().modifier_name("kind") {
            Some("TRAP") => self.simple(Code::Trap, 0),
            _ => Err(self.unsupported_because("a breakpoint of another kind")),
        }
    }

    fn last_operand(&self) -> Decode<Operand> {
        let last = self.instruction().operands.last().copied();
        last.ok_or_else(|| self.unsupported_because("an operand is missing"))
    }

    /// The statement that the instruction names.
    fn target(&self) -> Decode<usize> {
        if self.is_in_constant() {
            return Err(self.unsupported_because(RELATIVE));
        }
        let target =
            self.program.target(self.number).filter(|target| *target < self.program.statements.len());
        target.ok_or_else(|| self.unsupported_because("a target that is no instruction"))
    }

    /// Executes what follows only where the instruction's test of the condition codes holds, besides its guard.
    fn under_condition(&mut self) -> Decode {
        let Some(Operand::Condition(test)) = self.instruction().operands.first().copied() else {
            return Ok(());
        };
        if test == TRUE {
            return Ok(());
        }
        let holds = self.tested(test)?.index;
        let all = match self.d.guard.predicate() {
            // A guard is a register of the frame, and the outcome may be a constant.
            None => {
                let copy = self.d.temporary(Class::Predicate);
                self.d.emit(Code::MovP, copy.index, [holds, 0, 0], 0);
                copy.index
            }
            Some(predicate) => {
                let both = self.d.temporary(Class::Predicate);
                let guard = match self.d.guard.flip() {
                    0 => predicate,
                    _ => {
                        let opposite = self.d.temporary(Class::Predicate);
                        self.d.emit_unguarded(Code::NotP, opposite.index, [predicate, 0, 0], 0);
                        opposite.index
                    }
                };
                self.d.emit_unguarded(Code::AndP, both.index, [guard, holds, 0], 0);
                both.index
            }
        };
        self.d.guard = Guard::new(all, false);
        Ok(())
    }

    /// A predicate with the outcome of a test of the condition codes, in all lanes.
    fn tested(&mut self, test: u8) -> Decode<Slot> {
        let guard = std::mem::replace(&mut self.d.guard, Guard::NONE);
        let holds = self.cc_test(test);
        self.d.guard = guard;
        // No constant can be a guard.
        let copy = self.d.temporary(Class::Predicate);
        self.d.emit_unguarded(Code::MovP, copy.index, [holds?.index, 0, 0], 0);
        Ok(copy)
    }

    /// The manual does not specify execution past the last instruction. No-ops fill the last bundle.
    pub(super) fn check_end(&mut self) -> Decode {
        let is_filling = |n: &usize| self.program.statements[*n].instruction.form.mnemonic == M::NOP;
        let Some(last) = (0..self.program.statements.len()).rev().find(|n| !is_filling(n)) else {
            return Err(self.unsupported_because("the end of a program that is no `EXIT`"));
        };
        self.statement = &self.program.statements[last];
        let tested = self.instruction().operands.first();
        let always = self.instruction().guard == Written::ALWAYS
            && !matches!(tested, Some(Operand::Condition(test)) if *test != TRUE);
        let leaves = matches!(
            self.mnemonic(),
            M::EXIT | M::BRA | M::JMP | M::BRX | M::JMX | M::SYNC | M::BRK | M::CONT | M::RET
        );
        if always && leaves {
            Ok(())
        } else {
            Err(self.unsupported_because("the end of a program that is no `EXIT`"))
        }
    }
}
