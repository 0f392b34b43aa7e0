//! Machine words: packs the fields of an instruction into 64 bits and back, losing no bit.

use std::fmt;

use crate::float_text::Float;
use crate::form::{Form, GUARD_LOW, Mark, Marks, ONE_PAIR, OperandField, TWO_PAIRS, bits_of, has_no_meaning};
use crate::instruction::{Guard, Instruction, Operand, Register};
use crate::table::form_of;

/// The meaning of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// An instruction that the encoding defines. [`crate::check()`] decides whether its page allows it.
    Legal(Instruction),
    /// `nvdisasm` prints it, with `INVALID…` or `???` where a field has no meaning.
    Illegal(Instruction, IllegalField),
    /// A word that matches no form in the table: the word itself.
    Undecodable(u64),
}

/// A field of a word whose value means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalField {
    /// The role of the field.
    pub role: &'static str,
    /// Position of its lowest bit.
    pub low: u8,
    /// Its number of bits.
    pub width: u8,
    /// Its value.
    pub value: u8,
}

impl fmt::Display for IllegalField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let high = self.low + self.width - 1;
        write!(f, "the {} in bits {high}:{} cannot be {}", self.role, self.low, self.value)
    }
}

impl std::error::Error for IllegalField {}

fn field(word: u64, low: u8, width: u8) -> u64 {
    (word & bits_of(low, width)) >> low
}

fn register(word: u64, low: u8) -> Register {
    Register(field(word, low, 8) as u8)
}

/// The register that follows `Rb` in a pair; `None` past `R254`.
pub(crate) fn register_after(rb: Register, wide: bool) -> Option<Register> {
    rb.0.checked_add(if wide { 2 } else { 1 }).map(Register).filter(|rc| *rc != Register::RZ)
}

/// The value of an operand of a word.
fn operand(kind: OperandField, word: u64) -> Operand {
    match kind {
        OperandField::Register { low, .. } => Operand::Register(register(word, low)),
        OperandField::OptionalRd => Operand::Register(register(word, 0)),
        OperandField::OptionalRb => Operand::Register(register(word, 20)),
        OperandField::Coordinates => Operand::Address { base: register(word, 8), offset: 0 },
        OperandField::Word { low, width, names } => {
            Operand::Word { names, value: field(word, low, width) as u8 }
        }
        OperandField::Components => {
            let names = if register(word, 28) == Register::RZ { ONE_PAIR } else { TWO_PAIRS };
            Operand::Word { names, value: field(word, 50, 3) as u8 }
        }
        OperandField::Rz => Operand::Register(Register::RZ),
        OperandField::AfterRb { wide } => register_after(register(word, 20), field(word, wide, 1) == 1)
            .map_or(Operand::OutOfRange, Operand::Register),
        OperandField::SystemRegister => Operand::System(field(word, 20, 8) as u8),
        OperandField::Immediate16 => {
            let bits = field(word, 20, 16) as u16;
            let is_signed = field(word, 49, 1) == 1;
            Operand::Immediate(if is_signed { i64::from(bits as i16) } else { i64::from(bits) })
        }
        OperandField::Immediate20 { .. } => {
            let sign = field(word, 56, 1) as i64;
            Operand::Immediate(field(word, 20, 19) as i64 - (sign << 19))
        }
        OperandField::Float20 { is_double } => {
            let upper = field(word, 20, 19) | field(word, 56, 1) << 19;
            Operand::Float(Float { bits: upper << if is_double { 44 } else { 12 }, is_double })
        }
        OperandField::Float32 => Operand::Float(Float { bits: field(word, 20, 32), is_double: false }),
        OperandField::Half10 { low, sign } => {
            Operand::Half((field(word, low, 9) << 6 | field(word, sign, 1) << 15) as u16)
        }
        OperandField::Half16 { low } => Operand::Half(field(word, low, 16) as u16),
        OperandField::RdAgain => Operand::Register(register(word, 0)),
        OperandField::Swizzle => Operand::Swizzle(field(word, 28, 8) as u8),
        OperandField::Indirect => {
            Operand::Indirect { base: register(word, 8), offset: signed(field(word, 20, 24), 24) }
        }
        OperandField::Immediate32 { signed } => {
            let bits = field(word, 20, 32) as u32;
            Operand::Immediate(if signed { i64::from(bits as i32) } else { i64::from(bits) })
        }
        OperandField::Unsigned { low, width } => Operand::Immediate(field(word, low, width) as i64),
        OperandField::Magnitude16 => Operand::Immediate(field(word, 20, 16) as i64),
        OperandField::ConditionCodes => Operand::ConditionCodes,
        OperandField::AllPredicates => Operand::AllPredicates,
        OperandField::ShiftCount { low } => Operand::Immediate(field(word, low, 5) as i64),
        OperandField::Constant => {
            // Sign-extended from 14 bits, in words.
            let offset = ((field(word, 20, 14) as i32) << 18 >> 18) * 4;
            Operand::Constant { bank: field(word, 34, 5) as u8, offset }
        }
        OperandField::IndexedConstant => Operand::IndexedConstant {
            bank: field(word, 36, 5) as u8,
            base: register(word, 8),
            offset: i32::from(field(word, 20, 16) as i16),
        },
        OperandField::PredicateOut { low } | OperandField::OptionalPredicate { low } => {
            Operand::Predicate { predicate: field(word, low, 3) as u8, negated: false }
        }
        OperandField::PredicateIn { low } => {
            Operand::Predicate { predicate: field(word, low, 3) as u8, negated: field(word, low + 3, 1) == 1 }
        }
        OperandField::Target => Operand::Target(signed(field(word, 20, 24), 24)),
        OperandField::Condition { low } => Operand::Condition(field(word, low, 5) as u8),
        OperandField::OptionalNumber { low, width } => Operand::Immediate(field(word, low, width) as i64),
        OperandField::QuadLanes { low } => Operand::Immediate(field(word, low, 4) as i64),
        OperandField::ConstantTarget => Operand::Constant {
            bank: field(word, 36, 5) as u8,
            offset: i32::from(field(word, 20, 16) as i16),
        },
        OperandField::AbsoluteTarget => Operand::Immediate(field(word, 20, 32) as i64),
        OperandField::AbsoluteIndirect => {
            Operand::Indirect { base: register(word, 8), offset: field(word, 20, 32) as u32 as i32 }
        }
        OperandField::Scoreboard => Operand::Scoreboard(field(word, 26, 3) as u8),
        OperandField::Scoreboards => Operand::Scoreboards(field(word, 0, 6) as u8),
        OperandField::Address { low, width, dropped } => {
            let base = register(word, 8);
            let stored = field(word, low, width);
            // Zero-extended without a base register, sign-extended with one.
            let offset = if base == Register::RZ { stored as i32 } else { signed(stored, width) };
            Operand::Address { base, offset: offset << dropped }
        }
    }
}

/// A number of `width` bits, at most 32, with its sign.
fn signed(bits: u64, width: u8) -> i32 {
    (bits as i32) << (32 - width) >> (32 - width)
}

/// What a word does to each of its operands.
fn marks(form: &Form, word: u64) -> Vec<Marks> {
    let mut marks = vec![Marks::NONE; form.operands.len()];
    for mark in form.marks.iter().filter(|mark| field(word, mark.bit, 1) == 1) {
        marks[mark.operand] = marks[mark.operand].with(mark.mark);
    }
    marks
}

/// Decodes a word. Every word has an answer, and [`Decoded::encode`] gives the word back.
pub fn decode(word: u64) -> Decoded {
    let Some(form) = form_of(word) else { return Decoded::Undecodable(word) };
    let mut operands: Vec<Operand> = form.operands.iter().map(|kind| operand(*kind, word)).collect();
    for (index, kind) in form.operands.iter().enumerate() {
        // `RZ` begins no pair, and is not what the encoding for `Rc` alone is for.
        let at = match kind {
            OperandField::AfterRb { .. } => index - 1,
            OperandField::Register { role: "Rc", low: 20 } => index,
            _ => continue,
        };
        if operands[at] == Operand::Register(Register::RZ) {
            operands[at] = Operand::OutOfRange;
        }
    }
    let instruction = Instruction {
        form,
        guard: if form.guarded {
            Guard { predicate: field(word, GUARD_LOW, 3) as u8, negated: field(word, GUARD_LOW + 3, 1) == 1 }
        } else {
            Guard::ALWAYS
        },
        modifiers: form.modifiers.iter().map(|m| field(word, m.low, m.width) as u8).collect(),
        operands,
        marks: marks(form, word),
        ignored: word & form.ignored(),
    };
    match illegal_field(&instruction, word) {
        Some(illegal) => Decoded::Illegal(instruction, illegal),
        None => Decoded::Legal(instruction),
    }
}

fn illegal_field(instruction: &Instruction, word: u64) -> Option<IllegalField> {
    let modifiers = instruction.form.modifiers.iter().zip(&instruction.modifiers);
    let modifier = modifiers
        .filter(|(field, value)| field.is_invalid(**value))
        .map(|(field, value)| IllegalField {
            role: field.role,
            low: field.low,
            width: field.width,
            value: *value,
        })
        .next();
    let scoreboard = instruction.operands.iter().find_map(|operand| match operand {
        Operand::Scoreboard(value @ 6..) => {
            Some(IllegalField { role: "scoreboard barrier", low: 26, width: 3, value: *value })
        }
        _ => None,
    });
    let components = instruction.operands.iter().find_map(|operand| match operand {
        Operand::Word { names, value } if has_no_meaning(names[usize::from(*value)]) => {
            Some(IllegalField { role: "choice of components", low: 50, width: 3, value: *value })
        }
        _ => None,
    });
    let half = illegal_half(instruction, word);
    let pair = instruction.operands.contains(&Operand::OutOfRange).then(|| IllegalField {
        role: if instruction.form.has_pair() { "register Rb, which Rc follows," } else { "register Rc" },
        low: 20,
        width: 8,
        value: register(word, 20).0,
    });
    modifier.or(scoreboard).or(components).or(half).or(pair)
}

/// Both halves of a source at once.
fn illegal_half(instruction: &Instruction, word: u64) -> Option<IllegalField> {
    let both = |marks: &Marks| marks.has(Mark::LowerHalf) && marks.has(Mark::UpperHalf);
    let operand = instruction.marks.iter().position(both)?;
    let mut marks = instruction.form.marks.iter();
    let lower = marks.find(|mark| mark.operand == operand && mark.mark == Mark::LowerHalf)?;
    Some(IllegalField { role: "half", low: lower.bit, width: 2, value: field(word, lower.bit, 2) as u8 })
}

/// The word of an instruction. Fields that hold more than their bits are cut: [`crate::parse()`] makes none.
pub fn encode(instruction: &Instruction) -> u64 {
    let form = instruction.form;
    let guard = u64::from(instruction.guard.predicate) | u64::from(instruction.guard.negated) << 3;
    let mut word = form.bits | instruction.ignored & form.ignored();
    if form.guarded {
        word |= (guard << GUARD_LOW) & bits_of(GUARD_LOW, 4);
    }
    for mark in form.marks.iter().filter(|mark| instruction.marks[mark.operand].has(mark.mark)) {
        word |= 1 << mark.bit;
    }
    for (field, value) in form.modifiers.iter().zip(&instruction.modifiers) {
        word |= (u64::from(*value) << field.low) & bits_of(field.low, field.width);
    }
    for (kind, operand) in form.operands.iter().zip(&instruction.operands) {
        word |= match (*kind, *operand) {
            (OperandField::Register { low, .. }, Operand::Register(register)) => u64::from(register.0) << low,
            (OperandField::OptionalRd, Operand::Register(register)) => u64::from(register.0),
            (OperandField::OptionalRb, Operand::Register(register)) => u64::from(register.0) << 20,
            (OperandField::Coordinates, Operand::Address { base, .. }) => u64::from(base.0) << 8,
            (OperandField::Word { low, width, .. }, Operand::Word { value, .. }) => {
                u64::from(value) << low & bits_of(low, width)
            }
            (OperandField::Components, Operand::Word { value, .. }) => u64::from(value & 7) << 50,
            (OperandField::Register { low, .. }, Operand::OutOfRange) => u64::from(Register::RZ.0) << low,
            (OperandField::Address { low, width, dropped }, Operand::Address { base, offset }) => {
                let stored = u64::from(offset as u32 >> dropped) << low & bits_of(low, width);
                u64::from(base.0) << 8 | stored
            }
            (OperandField::SystemRegister, Operand::System(number)) => u64::from(number) << 20,
            (OperandField::Immediate16 | OperandField::Magnitude16, Operand::Immediate(value)) => {
                u64::from(value as u16) << 20
            }
            (OperandField::Immediate20 { .. }, Operand::Immediate(value)) => {
                (value as u64 & 0x7_ffff) << 20 | u64::from(value < 0) << 56
            }
            (OperandField::Float20 { is_double }, Operand::Float(Float { bits, .. })) => {
                let upper = bits >> if is_double { 44 } else { 12 };
                (upper & 0x7_ffff) << 20 | (upper >> 19 & 1) << 56
            }
            (OperandField::Float32, Operand::Float(Float { bits, .. })) => (bits & 0xffff_ffff) << 20,
            (OperandField::Half10 { low, sign }, Operand::Half(bits)) => {
                (u64::from(bits) >> 6 & 0x1ff) << low | (u64::from(bits) >> 15) << sign
            }
            (OperandField::Half16 { low }, Operand::Half(bits)) => u64::from(bits) << low,
            (OperandField::Swizzle, Operand::Swizzle(signs)) => u64::from(signs) << 28,
            (OperandField::Indirect, Operand::Indirect { base, offset }) => {
                u64::from(base.0) << 8 | u64::from(offset as u32) << 20 & bits_of(20, 24)
            }
            (OperandField::Immediate32 { .. }, Operand::Immediate(value)) => u64::from(value as u32) << 20,
            (OperandField::Unsigned { low, width }, Operand::Immediate(value)) => {
                (value as u64) << low & bits_of(low, width)
            }
            (OperandField::ShiftCount { low }, Operand::Immediate(value)) => (value as u64 & 31) << low,
            (OperandField::Constant, Operand::Constant { bank, offset }) => {
                ((offset / 4) as u64 & 0x3fff) << 20 | (u64::from(bank) & 31) << 34
            }
            (OperandField::IndexedConstant, Operand::IndexedConstant { bank, base, offset }) => {
                u64::from(base.0) << 8 | u64::from(offset as u16) << 20 | (u64::from(bank) & 31) << 36
            }
            (
                OperandField::PredicateOut { low } | OperandField::OptionalPredicate { low },
                Operand::Predicate { predicate, .. },
            ) => (u64::from(predicate) & 7) << low,
            (OperandField::PredicateIn { low }, Operand::Predicate { predicate, negated }) => {
                (u64::from(predicate) & 7) << low | u64::from(negated) << (low + 3)
            }
            (OperandField::Target, Operand::Target(offset)) => {
                u64::from(offset as u32) << 20 & bits_of(20, 24)
            }
            (OperandField::Condition { low }, Operand::Condition(test)) => (u64::from(test) & 31) << low,
            (OperandField::OptionalNumber { low, width }, Operand::Immediate(value)) => {
                (value as u64) << low & bits_of(low, width)
            }
            (OperandField::QuadLanes { low }, Operand::Immediate(value)) => (value as u64 & 15) << low,
            (OperandField::ConstantTarget, Operand::Constant { bank, offset }) => {
                u64::from(offset as u16) << 20 | (u64::from(bank) & 31) << 36
            }
            (OperandField::AbsoluteTarget, Operand::Immediate(value)) => u64::from(value as u32) << 20,
            (OperandField::AbsoluteIndirect, Operand::Indirect { base, offset }) => {
                u64::from(base.0) << 8 | u64::from(offset as u32) << 20
            }
            (OperandField::Scoreboard, Operand::Scoreboard(barrier)) => (u64::from(barrier) & 7) << 26,
            (OperandField::Scoreboards, Operand::Scoreboards(set)) => u64::from(set) & 63,
            _ => 0,
        };
    }
    word
}

impl Decoded {
    /// The word it came from.
    pub fn encode(&self) -> u64 {
        match self {
            Decoded::Legal(instruction) | Decoded::Illegal(instruction, _) => encode(instruction),
            Decoded::Undecodable(word) => *word,
        }
    }

    /// The text that `nvdisasm` prints, white space folded; `None` for an undecodable word.
    pub fn text(&self) -> Option<String> {
        match self {
            Decoded::Legal(instruction) | Decoded::Illegal(instruction, _) => Some(instruction.to_string()),
            Decoded::Undecodable(_) => None,
        }
    }
}
