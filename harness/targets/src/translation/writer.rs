//! Lines of PTX, with the registers that stand for those of the program.
//!
//! `%R0`, `%R1`, … and `%P0` to `%P6` are the program's own. Each statement may use the others as it likes: nothing is kept in them
//! from one statement to the next, but for `%zero`, `%true`, `%shared` and `%local`.

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
    /// What the kernel is launched with.
    pub(super) parameters: Vec<Parameter>,
    /// The statement at hand.
    pub(super) statement: &'a Statement,
    /// Its number.
    pub(super) number: usize,
    /// `@%P0 `, in front of what the statement does.
    pub(super) guard: String,
    /// Where each `SYNC` and `BRK` goes.
    pub(super) meetings: HashMap<usize, usize>,
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

    /// A line that is executed whatever the guard says: it only fills registers that the program does not have.
    pub(super) fn prepare(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "    {}", line.as_ref());
    }

    /// A line under the statement's guard.
    pub(super) fn act(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "    {}{}", self.guard, line.as_ref());
    }

    /// The guard in front of what a statement does; `None` where it never does it.
    pub(super) fn guard_of(guard: Guard) -> Option<String> {
        match (guard.predicate, guard.negated) {
            (PT, true) => None,
            (PT, false) => Some(String::new()),
            (predicate, negated) => Some(format!("@{}%P{predicate} ", if negated { "!" } else { "" })),
        }
    }

    /// "There is no PTX for it", because of this.
    pub(super) fn untranslatable(&self, why: impl Into<String>) -> Untranslatable {
        Untranslatable { instruction: self.instruction().to_string(), why: why.into() }
    }

    /// "There is no PTX for it", because the instruction, or this form of it, is not among those that are translated.
    pub(super) fn no_translation(&self) -> Untranslatable {
        match self.instruction().form.fixed_modifiers.first() {
            Some(fixed) => self.untranslatable(format!("`.{fixed}` has no PTX equivalent here")),
            None => self.untranslatable("it has no translation yet"),
        }
    }

    /// A register that the program has; neither `RZ` nor what lies beyond its own.
    pub(super) fn own(&self, register: Register) -> Option<String> {
        let exists = u16::from(register.0) < self.header().registers.min(255);
        exists.then(|| format!("%R{}", register.0))
    }

    /// The registers of a value of so many words from `first` on: `RZ` is zeros, as a source.
    pub(super) fn sources(&self, first: Register, words: u8) -> Written<Vec<String>> {
        if first == Register::RZ {
            return Ok(vec!["%zero".to_owned(); usize::from(words)]);
        }
        self.registers(first, words)
    }

    /// The same of a destination: what goes to `RZ` goes to registers that nobody reads.
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
