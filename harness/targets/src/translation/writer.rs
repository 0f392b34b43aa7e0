//! Writes lines of PTX.
//!
//! `%R0`, `%R1`, … and `%P0` to `%P6` are the program's registers. The others are temporary: no statement relies on their values
//! from an earlier one, except `%zero`, `%true`, `%shared` and `%local`.

use std::collections::HashMap;
use std::fmt::Write;

use warpdiff_sass::{Guard, Header, Instruction, Program, Register, Statement};

use super::parameter::Parameter;
use super::program::Untranslatable;

/// The predicate that is always true.
pub(super) const PT: u8 = 7;

/// The text so far, and the statement at hand.
pub(super) struct Writer<'a> {
    pub(super) program: &'a Program,
    /// The parameters of the kernel.
    pub(super) parameters: Vec<Parameter>,
    /// The statement at hand.
    pub(super) statement: &'a Statement,
    /// Its number.
    pub(super) number: usize,
    /// Guard of the statement, such as `@%P0 `.
    pub(super) guard: String,
    /// Target of each `SYNC` and `BRK`.
    pub(super) sync_targets: HashMap<usize, usize>,
    pub(super) text: String,
}

pub(super) type Written<T = ()> = Result<T, Untranslatable>;

impl<'a> Writer<'a> {
    pub(super) fn header(&self) -> &'a Header {
        &self.program.header
    }

    pub(super) fn instruction(&self) -> &'a Instruction {
        &self.statement.instruction
    }

    /// Writes an unguarded line, which may set only temporary registers.
    pub(super) fn prepare(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "    {}", line.as_ref());
    }

    /// Writes a line under the statement's guard.
    pub(super) fn act(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "    {}{}", self.guard, line.as_ref());
    }

    /// The text of a guard; `None` for a guard that is never true.
    pub(super) fn guard_of(guard: Guard) -> Option<String> {
        match (guard.predicate, guard.negated) {
            (PT, true) => None,
            (PT, false) => Some(String::new()),
            (predicate, negated) => Some(format!("@{}%P{predicate} ", if negated { "!" } else { "" })),
        }
    }

    /// The error for the statement at hand.
    pub(super) fn untranslatable(&self, why: impl Into<String>) -> Untranslatable {
        Untranslatable { instruction: self.instruction().to_string(), why: why.into() }
    }

    /// The error for an instruction, or a form of it, that is not translated.
    pub(super) fn no_translation(&self) -> Untranslatable {
        match self.instruction().form.fixed_modifiers.first() {
            Some(fixed) => self.untranslatable(format!("`.{fixed}` has no PTX equivalent here")),
            None => self.untranslatable("it has no translation yet"),
        }
    }

    /// The name of a register that the program has; `None` for `RZ` and for registers beyond its count.
    pub(super) fn own(&self, register: Register) -> Option<String> {
        let exists = u16::from(register.0) < self.header().registers.min(255);
        exists.then(|| format!("%R{}", register.0))
    }

    /// The source registers of a value of `words` words from `first` on; `RZ` reads as zeros.
    pub(super) fn sources(&self, first: Register, words: u8) -> Written<Vec<String>> {
        if first == Register::RZ {
            return Ok(vec!["%zero".to_owned(); usize::from(words)]);
        }
        self.registers(first, words)
    }

    /// The destination registers of such a value; `RZ` stands for registers that are never read.
    pub(super) fn destinations(&self, first: Register, words: u8) -> Written<Vec<String>> {
        if first == Register::RZ {
            return Ok((0..words).map(|n| format!("%unread{n}")).collect());
        }
        self.registers(first, words)
    }

    fn registers(&self, first: Register, words: u8) -> Written<Vec<String>> {
        let all = (0..words).map(|n| self.own(Register(first.0.checked_add(n)?)));
        let all: Option<Vec<String>> = all.collect();
        all.ok_or_else(|| self.untranslatable("a register that the program does not have"))
    }
}
