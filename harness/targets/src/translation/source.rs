//! Operands as they are used.

use warpdiff_sass::form::OperandField;
use warpdiff_sass::{Mark, Marks, Operand, Register};

use super::writer::{PT, Writer, Written};

impl Writer<'_> {
    pub(super) fn operand(&self, n: usize) -> Written<Operand> {
        let operand = self.instruction().operands.get(n).copied();
        operand.ok_or_else(|| self.untranslatable("an operand is missing"))
    }

    /// Operand `n`, a register.
    pub(super) fn register(&self, n: usize) -> Written<Register> {
        match self.operand(n)? {
            Operand::Register(register) => Ok(register),
            _ => Err(self.untranslatable("a register that does not exist")),
        }
    }

    pub(super) fn marks(&self, n: usize) -> Marks {
        self.instruction().marks.get(n).copied().unwrap_or_default()
    }

    /// The value of a modifier field; 0 where the form has none.
    pub(super) fn modifier(&self, role: &str) -> u8 {
        self.instruction().modifier(role).unwrap_or(0)
    }

    pub(super) fn is_fixed(&self, modifier: &str) -> bool {
        self.instruction().form.fixed_modifiers.contains(&modifier)
    }

    /// Refuses every modifier that has not one of these roles and is not at its default.
    pub(super) fn only(&self, roles: &[&str]) -> Written {
        let instruction = self.instruction();
        let mut fields = instruction.form.modifiers.iter().zip(&instruction.modifiers);
        let other =
            fields.find(|(field, value)| !roles.contains(&field.role) && field.default != Some(**value));
        match other {
            Some((field, value)) => {
                let name = field.names.get(usize::from(*value)).copied().unwrap_or_default();
                Err(self.untranslatable(format!("`.{name}` has no PTX equivalent here")))
            }
            None => Ok(()),
        }
    }

    /// The number of the operand `Rd`.
    fn destination_number(&self) -> Written<usize> {
        let is_rd = |field: &OperandField| match field {
            OperandField::Register { role, .. } => *role == "Rd",
            field => *field == OperandField::OptionalRd,
        };
        let number = self.instruction().form.operands.iter().position(is_rd);
        number.ok_or_else(|| self.untranslatable("an operand is missing"))
    }

    /// `Rd` of 32 bits.
    pub(super) fn destination(&self) -> Written<String> {
        let n = self.destination_number()?;
        if self.marks(n).has(Mark::ConditionCodes) {
            return Err(self.untranslatable("condition codes"));
        }
        self.destination_of(n)
    }

    /// Operand `n`, a destination of 32 bits, whatever its marks.
    pub(super) fn destination_of(&self, n: usize) -> Written<String> {
        let register = self.register(n)?;
        Ok(self.destinations(register, 1)?.remove(0))
    }

    /// Operand `n`, a source of 32 bits, whatever its marks.
    pub(super) fn unmarked(&mut self, n: usize) -> Written<String> {
        match self.operand(n)? {
            Operand::Register(register) => Ok(self.sources(register, 1)?.remove(0)),
            Operand::Immediate(value) => Ok(immediate(value)),
            Operand::Constant { bank: 0, offset } => {
                let into = format!("%source{n}");
                self.launch_constant(offset, &into)?;
                Ok(into)
            }
            Operand::Constant { .. } | Operand::IndexedConstant { .. } => {
                Err(self.untranslatable("constant memory beside the arguments"))
            }
            _ => Err(self.untranslatable("this kind of operand")),
        }
    }

    /// Operand `n`, a source of 32 bits, inverted or negated where it is marked so.
    pub(super) fn source(&mut self, n: usize) -> Written<String> {
        let value = self.unmarked(n)?;
        let marks = self.marks(n);
        let parts = [Mark::Absolute, Mark::UpperHalf, Mark::LowerHalf, Mark::ByteOne, Mark::ByteTwo];
        if parts.into_iter().any(|mark| marks.has(mark)) {
            return Err(self.untranslatable("a magnitude or a part"));
        }
        let into = format!("%source{n}");
        match (marks.has(Mark::Inverted), marks.has(Mark::Negated)) {
            (false, false) => return Ok(value),
            (true, true) => return Err(self.untranslatable("a source that is inverted and negated")),
            (true, false) => self.prepare(format!("not.b32 {into}, {value};")),
            (false, true) => self.prepare(format!("sub.u32 {into}, %zero, {value};")),
        }
        Ok(into)
    }

    /// Operand `n`, a predicate that is read: its register, and whether its opposite is meant.
    pub(super) fn predicate(&self, n: usize) -> Written<(String, bool)> {
        match self.operand(n)? {
            Operand::Predicate { predicate: PT, negated } => Ok(("%true".to_owned(), negated)),
            Operand::Predicate { predicate, negated } => Ok((format!("%P{predicate}"), negated)),
            _ => Err(self.untranslatable("this kind of operand")),
        }
    }

    /// Operand `n`, a predicate that is written; `None` for `PT`.
    pub(super) fn predicate_destination(&self, n: usize) -> Written<Option<String>> {
        match self.operand(n)? {
            Operand::Predicate { predicate: PT, .. } => Ok(None),
            Operand::Predicate { predicate, .. } => Ok(Some(format!("%P{predicate}"))),
            _ => Err(self.untranslatable("this kind of operand")),
        }
    }
}

/// A number of 32 bits: signed, since what has no sign takes either.
fn immediate(value: i64) -> String {
    (value as i32).to_string()
}
