//! One instruction with the values of its fields, and how it is printed: as `nvdisasm` prints it.

use std::fmt;

use crate::float_text::{Float, SIGNALLING};
use crate::form::{Form, Mark, Marks, OperandField, WHOLE_QUAD};
use crate::mnemonic::{Mnemonic, Subject};
use crate::reuse::PHASES;
use crate::symbol::SymbolAddress;
use crate::{condition_code, surface, system_register, texture};

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
        /// Bytes: −2²³ to 2²³−1 with a base register, 0 to 2²⁴−1 without. Generic accesses have 32 bits, unsigned without a base
        /// register, of which these are the bits.
        offset: i32,
    },
    /// A special register.
    System(u8),
    /// A number.
    Immediate(i64),
    /// A floating-point number.
    Float(Float),
    /// A half, by its bits.
    Half(u16),
    /// The signs of the summands of `FSWZADD`: two bits a lane, the first lane's lowest.
    Swizzle(u8),
    /// A register that holds where control goes, and bytes added to it.
    Indirect {
        /// The register.
        base: Register,
        /// −2²³ to 2²³−1; of `JMX` 32 bits.
        offset: i32,
    },
    /// A word of a constant bank.
    Constant {
        /// 0 to 31.
        bank: u8,
        /// Bytes, a multiple of 4 where the constant is a number.
        offset: i32,
    },
    /// Constant memory by register.
    IndexedConstant {
        /// 0 to 31.
        bank: u8,
        /// `Ra`.
        base: Register,
        /// Bytes, −2¹⁵ to 2¹⁵−1.
        offset: i32,
    },
    /// The branch target: bytes from the word behind the instruction's own, −2²³ to 2²³−1. Words of control fields count.
    /// [`crate::Program::target`] says which statement that is.
    Target(i32),
    /// A test of the condition codes: its number, 0 to 31.
    Condition(u8),
    /// A scoreboard barrier, 0 to 7, of which 0 to 5 exist.
    Scoreboard(u8),
    /// Scoreboard barriers, a bit each.
    Scoreboards(u8),
    /// The condition codes, all at once.
    ConditionCodes,
    /// The predicates, all at once.
    AllPredicates,
    /// A value that is written as a word.
    Word {
        /// The word of each value.
        names: &'static [&'static str],
        /// The value.
        value: u8,
    },
    /// A predicate, read or written.
    Predicate {
        /// 0 to 7; 7 is `PT`.
        predicate: u8,
        /// Whether its opposite is read.
        negated: bool,
    },
}

/// The signs of the summands of `FSWZADD` in a lane, by the value of their two bits: `P` adds, `N` subtracts, `Z` leaves out.
pub(crate) const SWIZZLES: [&str; 4] = ["PP", "NP", "PN", "ZP"];

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
            Operand::System(number) => f.write_str(&system_register::name(number)),
            Operand::Immediate(value) => hexadecimal(f, value),
            Operand::Float(value) => f.write_str(&value.text().0),
            Operand::Half(bits) => f.write_str(&Float::of_half(bits).text().0),
            Operand::Swizzle(signs) => {
                (0..4).rev().try_for_each(|lane| f.write_str(SWIZZLES[usize::from(signs >> (2 * lane) & 3)]))
            }
            Operand::Indirect { base, offset: 0 } => write!(f, "{base}"),
            Operand::Indirect { base, offset } => {
                write!(f, "{base} ")?;
                hexadecimal(f, i64::from(offset))
            }
            Operand::Constant { bank, offset } => {
                write!(f, "c[{bank:#x}][")?;
                hexadecimal(f, i64::from(offset))?;
                f.write_str("]")
            }
            Operand::IndexedConstant { bank, base, offset: 0 } if base != Register::RZ => {
                write!(f, "c[{bank:#x}][{base}]")
            }
            Operand::IndexedConstant { bank, base, offset } => {
                write!(f, "c[{bank:#x}][")?;
                if base != Register::RZ {
                    write!(f, "{base}+")?;
                }
                hexadecimal(f, i64::from(offset))?;
                f.write_str("]")
            }
            // The disassembler prints an address, which a word alone does not have. `.` is where the instruction itself stands.
            Operand::Target(offset) => {
                let distance = i64::from(offset) + 8;
                f.write_str(if distance < 0 { ".-" } else { ".+" })?;
                hexadecimal(f, distance.abs())
            }
            Operand::Condition(test) => write!(f, "CC.{}", condition_code::name(test)),
            Operand::Scoreboard(barrier @ 0..6) => write!(f, "SB{barrier}"),
            Operand::Scoreboard(barrier) => write!(f, "???{barrier}"),
            Operand::Scoreboards(set) => {
                let barriers: Vec<String> = (0..6)
                    .rev()
                    .filter(|barrier| set >> barrier & 1 == 1)
                    .map(|b: u8| b.to_string())
                    .collect();
                write!(f, "{{{}}}", barriers.join(","))
            }
            Operand::ConditionCodes => f.write_str("CC"),
            Operand::AllPredicates => f.write_str("PR"),
            Operand::Word { names, value } => f.write_str(names[usize::from(value)]),
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
    /// The marks of each operand.
    pub marks: Vec<Marks>,
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
            && self.marks == other.marks
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

    /// The spelling of the value of the modifier field with that role, if the form has one.
    pub fn modifier_name(&self, role: &str) -> Option<&'static str> {
        let index = self.form.modifiers.iter().position(|field| field.role == role)?;
        self.form.modifiers[index].names.get(usize::from(self.modifiers[index])).copied()
    }

    /// How many bytes of registers the result has, and each source that is no address: those of an access by its size, of a
    /// conversion by its types, of doubles 8, of all else 4.
    pub fn register_bytes(&self) -> (u32, u32) {
        let bytes = |name: &str| match name {
            "128" | "U.128" => 16,
            _ if name.ends_with("64") => 8,
            _ => 4,
        };
        let of = |role| self.modifier_name(role).map(bytes);
        match (of("size"), of("destination type"), of("source type")) {
            (Some(size), ..) => (size, size),
            (None, Some(result), Some(source)) => (result, source),
            // What a comparison sets is one register.
            _ if self.form.mnemonic == Mnemonic::DSET => (4, 8),
            _ if self.form.traits.doubles => (8, 8),
            _ => (4, 4),
        }
    }

    /// How many registers the operand at this place has; 0 of one that is no register.
    pub fn registers(&self, operand: usize) -> u32 {
        let role = match self.form.operands.get(operand) {
            Some(OperandField::Register { role, .. }) => role,
            Some(OperandField::OptionalRd) => "Rd",
            Some(OperandField::OptionalRb) => "Rb",
            Some(OperandField::AfterRb { .. }) => "Rc",
            Some(OperandField::Coordinates) => return surface::coordinates(self),
            _ => return 0,
        };
        let (result, source) = self.register_bytes();
        match self.form.traits.subject {
            Subject::Surface => surface::registers(self, role),
            Subject::Texture => texture::registers(self, role),
            _ if role == "Rd" => result.div_ceil(4),
            _ => source.div_ceil(4),
        }
    }

    /// The register of the operand with that role (`Rd`, `Rb`, `Rc`), where one is stored.
    pub fn register(&self, wanted: &str) -> Option<Register> {
        self.form.operands.iter().zip(&self.operands).find_map(|(field, operand)| match (field, operand) {
            (OperandField::Register { role, .. }, Operand::Register(register)) if *role == wanted => {
                Some(*register)
            }
            (OperandField::OptionalRd, Operand::Register(register)) if wanted == "Rd" => Some(*register),
            (OperandField::OptionalRb, Operand::Register(register)) if wanted == "Rb" => Some(*register),
            _ => None,
        })
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};", Written { instruction: self, reuse: 0, target: None, exact: false, symbol: None })
    }
}

impl Instruction {
    /// Whether the disassembler puts a space behind the last operand.
    pub(crate) fn ends_spaced(&self) -> bool {
        let plain = self.marks.last() == Some(&Marks::NONE);
        self.operands.last().is_some_and(|operand| plain && is_spaced(*operand))
    }
}

/// An instruction without its `;`, with what stands beside it in a program.
pub(crate) struct Written<'a> {
    pub(crate) instruction: &'a Instruction,
    /// The operands that are kept for the next instruction.
    pub(crate) reuse: u8,
    /// The label in front of where control goes.
    pub(crate) target: Option<&'a str>,
    /// Whether the bits of a NaN are written where its sign does not tell them: `+QNAN.0x7fc12345`.
    pub(crate) exact: bool,
    /// The address that stands in the place of a number.
    pub(crate) symbol: Option<&'a SymbolAddress>,
}

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Instruction { form, guard, modifiers, operands, marks, .. } = self.instruction;
        write!(f, "{guard}{}", form.mnemonic)?;
        for fixed in form.fixed_modifiers {
            write!(f, ".{fixed}")?;
        }
        for (field, value) in form.modifiers.iter().zip(modifiers) {
            match field.names[usize::from(*value)] {
                "" => {}
                name => write!(f, ".{name}")?,
            }
        }
        match PHASES[usize::from(self.reuse & 0b11)] {
            phase if form.has_phase() && !phase.is_empty() => write!(f, ".{phase}")?,
            _ => {}
        }
        let mut separator = " ";
        for (index, ((field, operand), marks)) in form.operands.iter().zip(operands).zip(marks).enumerate() {
            if is_left_out(*field, *operand) {
                continue;
            }
            f.write_str(separator)?;
            separator = if is_spaced(*operand) && *marks == Marks::NONE { " , " } else { ", " };
            let symbol = self.symbol.filter(|_| Some(index) == form.symbol_operand());
            match (operand, self.target, symbol) {
                (Operand::Target(_), Some(label), _) => f.write_str(label)?,
                (Operand::Address { base: Register::RZ, .. }, _, Some(symbol)) => write!(f, "[{symbol}]")?,
                (Operand::Address { base, .. }, _, Some(symbol)) => write!(f, "[{base}+{symbol}]")?,
                (Operand::Constant { .. } | Operand::IndexedConstant { .. }, _, Some(symbol)) => {
                    write!(f, "c[{symbol}]")?
                }
                (_, _, Some(symbol)) => write!(f, "{symbol}")?,
                _ => {
                    let kept = form.reuse_slot(index).is_some_and(|slot| self.reuse >> slot & 1 == 1);
                    let payload = if self.exact { payload(*field, *operand) } else { None };
                    let (operand, marks) = shown(*field, *operand, *marks);
                    marked(f, operand, payload, marks, kept)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether an operand has the value that nothing stands for.
fn is_left_out(field: OperandField, operand: Operand) -> bool {
    match (field, operand) {
        (OperandField::OptionalPredicate { .. }, Operand::Predicate { predicate, .. }) => predicate == 7,
        (
            OperandField::ShiftCount { .. } | OperandField::OptionalNumber { .. },
            Operand::Immediate(count),
        ) => count == 0,
        (OperandField::QuadLanes { .. }, Operand::Immediate(lanes)) => lanes == WHOLE_QUAD,
        (OperandField::Condition { .. }, Operand::Condition(test)) => test == condition_code::TRUE,
        (OperandField::OptionalRd | OperandField::OptionalRb, Operand::Register(register)) => {
            register == Register::RZ
        }
        (OperandField::Scoreboards, Operand::Scoreboards(set)) => set == 0,
        _ => false,
    }
}

/// Whether the disassembler puts a space between an operand and what follows.
fn is_spaced(operand: Operand) -> bool {
    match operand {
        Operand::Float(value) => value.text().1,
        Operand::Half(bits) => Float::of_half(bits).text().1,
        _ => false,
    }
}

/// Some numbers are printed without their sign, and one kind with a sign that is a mark: but for zero, which no sign tells from itself.
fn shown(field: OperandField, operand: Operand, marks: Marks) -> (Operand, Marks) {
    match (field, operand) {
        (OperandField::Immediate20 { signed: false }, Operand::Immediate(value)) => {
            (Operand::Immediate(value & 0xf_ffff), marks)
        }
        (OperandField::Magnitude16, Operand::Immediate(value)) if marks.has(Mark::Negated) && value != 0 => {
            (Operand::Immediate(-value), Marks::NONE)
        }
        _ => (operand, marks),
    }
}

/// The bits of a NaN that are not those which its text is read as.
fn payload(field: OperandField, operand: Operand) -> Option<u64> {
    match operand {
        Operand::Float(float) if float.value().is_nan() => {
            let is_signalling = float.text().0.ends_with("SNAN");
            let sign = float.bits & 1 << 63;
            let read = if is_signalling {
                SIGNALLING | sign
            } else {
                Float::nearest(float.value(), float.is_double).bits
            };
            (read != float.bits).then_some(float.bits)
        }
        Operand::Half(bits) => {
            let value = Float::of_half(bits).value();
            (value.is_nan() && Float::nearest_half(value) & field.bits_of_half() != bits)
                .then_some(u64::from(bits))
        }
        _ => None,
    }
}

/// `-|R1.H1|.reuse`, and of numbers `0x1.NEG`.
fn marked(
    f: &mut fmt::Formatter<'_>,
    operand: Operand,
    payload: Option<u64>,
    marks: Marks,
    kept: bool,
) -> fmt::Result {
    let when = |mark, text| if marks.has(mark) { text } else { "" };
    if matches!(operand, Operand::Immediate(_) | Operand::Float(_) | Operand::Half(_)) {
        let space = if is_spaced(operand) && marks != Marks::NONE { " " } else { "" };
        write!(f, "{operand}")?;
        if let Some(bits) = payload {
            write!(f, ".{bits:#x}")?;
        }
        write!(
            f,
            "{space}{}{}{}{}",
            when(Mark::Negated, ".NEG"),
            when(Mark::Absolute, ".ABS"),
            when(Mark::Inverted, ".INV"),
            part(marks),
        )
    } else {
        write!(
            f,
            "{}{}{}{operand}{}{}{}{}",
            when(Mark::Negated, "-"),
            when(Mark::Inverted, "~"),
            when(Mark::Absolute, "|"),
            part(marks),
            when(Mark::ConditionCodes, ".CC"),
            when(Mark::Absolute, "|"),
            if kept { ".reuse" } else { "" },
        )
    }
}

/// Which part of a source counts.
fn part(marks: Marks) -> &'static str {
    let has = |mark| marks.has(mark);
    match (has(Mark::Single), has(Mark::LowerTwice)) {
        (true, false) => return ".F32",
        (false, true) => return ".H0_H0",
        (true, true) => return ".H1_H1",
        _ => {}
    }
    match (has(Mark::LowerHalf), has(Mark::UpperHalf), has(Mark::ByteOne), has(Mark::ByteTwo)) {
        (true, true, ..) => ".???3",
        (true, false, ..) => ".H0",
        (false, true, ..) => ".H1",
        (_, _, true, true) => ".B3",
        (_, _, true, false) => ".B1",
        (_, _, false, true) => ".B2",
        _ => "",
    }
}
