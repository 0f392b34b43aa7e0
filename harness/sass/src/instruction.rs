//! One instruction: a form with the values of its fields, printed as `nvdisasm` prints it.

use std::fmt;

use crate::form::{Form, OperandField};
use crate::system_register;

/// A general register: 0 to 254, or [`Register::RZ`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u8);

impl Register {
    /// Reads zero, ignores writes.
    pub const RZ: Register = Register(255);
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Register::RZ { f.write_str("RZ") } else { write!(f, "R{}", self.0) }
    }
}

/// A predicate that guards an instruction: `@P0`, `@!P0`. Predicate 7 is `PT`, always true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// 0 to 7.
    pub predicate: u8,
    /// Whether the instruction is executed where the predicate is false.
    pub negated: bool,
}

impl Guard {
    /// No guard written: `@PT`.
    pub const ALWAYS: Guard = Guard { predicate: 7, negated: false };
}

impl fmt::Display for Guard {
    /// `@!P3 ` with the space behind it; nothing for [`Guard::ALWAYS`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (*self, self.negated) {
            (Guard::ALWAYS, _) => Ok(()),
            (Guard { predicate: 7, .. }, _) => f.write_str("@!PT "),
            (Guard { predicate, .. }, negated) => {
                write!(f, "@{}P{predicate} ", if negated { "!" } else { "" })
            }
        }
    }
}

/// An operand's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// A register of a pair that does not exist: past `R254`, or `RZ` where a pair begins.
    OutOfRange,
    /// An address in a 16 MB window.
    Address {
        /// `Ra`; [`Register::RZ`] when it is omitted.
        base: Register,
        /// Bytes: −2²³ to 2²³−1 with a base register, 0 to 2²⁴−1 without.
        offset: i32,
    },
    /// The negative of a register.
    Negated(Register),
    /// A special register.
    System(u8),
    /// A number.
    Immediate(i64),
    /// A word of a constant bank.
    Constant {
        /// 0 to 31.
        bank: u8,
        /// Bytes, a multiple of 4.
        offset: i32,
    },
    /// A predicate, read or written.
    Predicate {
        /// 0 to 7; 7 is `PT`.
        predicate: u8,
        /// Whether its opposite is read.
        negated: bool,
    },
}

/// A number as the disassembler prints it: hexadecimal, with a minus sign.
fn hexadecimal(f: &mut fmt::Formatter<'_>, value: i64) -> fmt::Result {
    write!(f, "{}{:#x}", if value < 0 { "-" } else { "" }, value.unsigned_abs())
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Operand::Register(register) => register.fmt(f),
            Operand::OutOfRange => f.write_str("???255"),
            Operand::Address { base, offset: 0 } => write!(f, "[{base}]"),
            Operand::Address { base: Register::RZ, offset } => write!(f, "[{offset:#x}]"),
            Operand::Address { base, offset } => {
                write!(f, "[{base}+")?;
                hexadecimal(f, i64::from(offset))?;
                f.write_str("]")
            }
            Operand::Negated(register) => write!(f, "-{register}"),
            Operand::System(number) => f.write_str(&system_register::name(number)),
            Operand::Immediate(value) => hexadecimal(f, value),
            Operand::Constant { bank, offset } => {
                write!(f, "c[{bank:#x}][")?;
                hexadecimal(f, i64::from(offset))?;
                f.write_str("]")
            }
            Operand::Predicate { predicate, negated } => {
                f.write_str(if negated { "!" } else { "" })?;
                if predicate == 7 { f.write_str("PT") } else { write!(f, "P{predicate}") }
            }
        }
    }
}

/// A decoded or assembled instruction, without its control field.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Its row of the table.
    pub form: &'static Form,
    /// Its guard.
    pub guard: Guard,
    /// A value for each of the form's modifier fields.
    pub modifiers: Vec<u8>,
    /// A value for each of the form's operands.
    pub operands: Vec<Operand>,
    /// The bits of the word that belong to no field; 0 in every instruction an assembler writes.
    pub ignored: u64,
}

impl PartialEq for Instruction {
    fn eq(&self, other: &Self) -> bool {
        // Rows are compared by identity: no two share a word.
        std::ptr::eq(self.form, other.form)
            && self.guard == other.guard
            && self.modifiers == other.modifiers
            && self.operands == other.operands
            && self.ignored == other.ignored
    }
}

impl Eq for Instruction {}

impl Instruction {
    /// The value of the modifier field with that role, where the form has one.
    pub fn modifier(&self, role: &str) -> Option<u8> {
        let index = self.form.modifiers.iter().position(|field| field.role == role)?;
        Some(self.modifiers[index])
    }

    /// The register of the operand with that role (`Rd`, `Rb`, `Rc`), where one is stored.
    pub fn register(&self, wanted: &str) -> Option<Register> {
        self.form.operands.iter().zip(&self.operands).find_map(|(field, operand)| match (field, operand) {
            (OperandField::Register { role, .. }, Operand::Register(register)) if *role == wanted => {
                Some(*register)
            }
            _ => None,
        })
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.guard, self.form.mnemonic)?;
        for fixed in self.form.fixed_modifiers {
            write!(f, ".{fixed}")?;
        }
        for (field, value) in self.form.modifiers.iter().zip(&self.modifiers) {
            match field.names[usize::from(*value)] {
                "" => {}
                name => write!(f, ".{name}")?,
            }
        }
        for (index, operand) in self.operands.iter().enumerate() {
            write!(f, "{} {operand}", if index == 0 { "" } else { "," })?;
        }
        f.write_str(";")
    }
}
