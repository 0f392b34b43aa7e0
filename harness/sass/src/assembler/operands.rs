//! Whether written operands are of the kinds that a row of the table takes, and what they are as such.

use warpdiff_ptx::source::Span;

use super::ranges::number_of;
use super::written::{WrittenOperand, WrittenValue};
use crate::condition_code;
use crate::float_text::Float;
use crate::form::{Form, Mark, Marks, ONE_PAIR, OperandField, TWO_PAIRS, WHOLE_QUAD};
use crate::instruction::{Operand, Register};
use crate::word::register_after;

/// Operands as a form takes them.
pub(super) struct Fitted {
    pub(super) operands: Vec<Operand>,
    pub(super) marks: Vec<Marks>,
    /// Which written operand each is; `None` for one that was left out.
    pub(super) places: Vec<Option<usize>>,
}

/// A half that is a number: signed where the modifier of bit 49 says so.
fn half_number(form: &Form, modifiers: &[u8], operand: Operand) -> Operand {
    let is_signed = form.modifiers.iter().zip(modifiers).any(|(field, value)| {
        let bit = 49_u8.checked_sub(field.low).filter(|bit| *bit < field.width);
        bit.is_some_and(|bit| value >> bit & 1 == 1)
    });
    match operand {
        Operand::Immediate(value) if is_signed => Operand::Immediate(i64::from(value as i16)),
        Operand::Immediate(value) => Operand::Immediate(i64::from(value as u16)),
        other => other,
    }
}

/// Whether [`fit`] may give something, whatever the modifiers are. Of a form without optional operands each operand has to be of a kind that its
/// field takes: most forms of an instruction are told apart by that, before anybody asks what their modifiers mean. Of others only the number
/// of the operands is looked at.
pub(super) fn may_fit(form: &Form, written: &[(WrittenOperand, Span)]) -> bool {
    let takes = |(field, (operand, _)): (&OperandField, &(WrittenOperand, Span))| {
        depends_on_others(*field) || value(*field, operand.value, &[], &[]).is_some()
    };
    let is_optional = |field: &OperandField| left_out(*field).is_some();
    written.len() <= form.operands.len()
        && (form.operands.iter().any(is_optional)
            || written.len() == form.operands.len() && form.operands.iter().zip(written).all(takes))
}

/// Whether an operand is one that other operands or the modifiers have a say in.
fn depends_on_others(field: OperandField) -> bool {
    matches!(field, OperandField::RdAgain | OperandField::AfterRb { .. })
}

/// The operands as the form takes them; `None` where their number, kinds or marks differ.
pub(super) fn fit(form: &Form, written: &[(WrittenOperand, Span)], modifiers: &[u8]) -> Option<Fitted> {
    let count = form.operands.len();
    let mut fitted = Fitted {
        operands: Vec::with_capacity(count),
        marks: Vec::with_capacity(count),
        places: Vec::with_capacity(count),
    };
    let mut next = 0;
    for (index, field) in form.operands.iter().enumerate() {
        let candidate = written.get(next).map(|(operand, _)| *operand);
        let value = candidate.and_then(|operand| value(*field, operand.value, &fitted.operands, modifiers));
        let (value, marks, place) = match (value, candidate) {
            (Some(value), Some(WrittenOperand { value: WrittenValue::Immediate(..0), .. }))
                if *field == OperandField::Magnitude16 =>
            {
                (value, Marks::NONE.with(Mark::Negated), Some(next))
            }
            (Some(value), Some(operand)) => (value, operand.marks, Some(next)),
            _ => (left_out(*field)?, Marks::NONE, None),
        };
        let value = match field {
            OperandField::Immediate16 => half_number(form, modifiers, value),
            _ => value,
        };
        let (possible, necessary) = form.marks_of(index);
        if !marks.within(possible) || !necessary.within(marks) {
            return None;
        }
        next += usize::from(place.is_some());
        fitted.operands.push(value);
        fitted.marks.push(marks);
        fitted.places.push(place);
    }
    (next == written.len() && has_room(form, &fitted.operands)).then_some(fitted)
}

/// The value of an operand that does not stand in the text, where that is possible.
pub(super) fn left_out(field: OperandField) -> Option<Operand> {
    match field {
        OperandField::OptionalPredicate { .. } => Some(Operand::Predicate { predicate: 7, negated: false }),
        OperandField::ShiftCount { .. } | OperandField::OptionalNumber { .. } => Some(Operand::Immediate(0)),
        OperandField::QuadLanes { .. } => Some(Operand::Immediate(WHOLE_QUAD)),
        OperandField::Condition { .. } => Some(Operand::Condition(condition_code::TRUE)),
        OperandField::OptionalRd | OperandField::OptionalRb => Some(Operand::Register(Register::RZ)),
        OperandField::Scoreboards => Some(Operand::Scoreboards(0)),
        _ => None,
    }
}

/// What a written value is as an operand of some kind. What is of the right kind and out of range is reported by itself.
fn value(
    field: OperandField,
    written: WrittenValue,
    before: &[Operand],
    modifiers: &[u8],
) -> Option<Operand> {
    Some(match (field, written) {
        (
            OperandField::Register { .. } | OperandField::OptionalRd | OperandField::OptionalRb,
            WrittenValue::Register(register),
        ) => Operand::Register(register),
        (OperandField::Coordinates, WrittenValue::Address { base, offset: 0 }) => {
            Operand::Address { base, offset: 0 }
        }
        (OperandField::Word { names, .. }, WrittenValue::Word(word)) => word_among(names, word)?,
        (OperandField::Word { names, .. }, WrittenValue::Immediate(number)) => {
            word_among(names, &number.to_string())?
        }
        (OperandField::Components, WrittenValue::Word(word)) => {
            word_among(ONE_PAIR, word).or_else(|| word_among(TWO_PAIRS, word))?
        }
        (OperandField::Address { .. }, WrittenValue::Address { base, offset }) => {
            Operand::Address { base, offset: offset as i32 }
        }
        (OperandField::Rz, WrittenValue::Register(Register::RZ)) => Operand::Register(Register::RZ),
        (OperandField::RdAgain, WrittenValue::Register(rc)) => match before.first() {
            Some(Operand::Register(rd)) if *rd == rc => Operand::Register(rc),
            _ => return None,
        },
        (OperandField::AfterRb { .. }, WrittenValue::Register(rc)) => match before.last() {
            Some(Operand::Register(rb)) if register_after(*rb, modifiers == [1]) == Some(rc) => {
                Operand::Register(rc)
            }
            _ => return None,
        },
        (OperandField::SystemRegister, WrittenValue::System(number)) => Operand::System(number),
        (
            OperandField::Immediate16
            | OperandField::Immediate20 { .. }
            | OperandField::Immediate32 { .. }
            | OperandField::Unsigned { .. }
            | OperandField::OptionalNumber { .. }
            | OperandField::QuadLanes { .. }
            | OperandField::AbsoluteTarget
            | OperandField::ShiftCount { .. },
            WrittenValue::Immediate(value),
        ) => Operand::Immediate(canonical(field, value)),
        (
            OperandField::Immediate20 { .. }
            | OperandField::Immediate32 { .. }
            | OperandField::Unsigned { width: 13.., .. }
            | OperandField::AbsoluteTarget,
            WrittenValue::Symbol,
        ) => Operand::Immediate(0),
        (OperandField::Float20 { is_double }, WrittenValue::NaN(bits)) => {
            Operand::Float(Float { bits, is_double })
        }
        (OperandField::Float32, WrittenValue::NaN(bits)) => Operand::Float(Float { bits, is_double: false }),
        (OperandField::Half10 { .. } | OperandField::Half16 { .. }, WrittenValue::NaN(bits)) => {
            Operand::Half(bits as u16)
        }
        (OperandField::Float20 { is_double }, number) => {
            Operand::Float(Float::nearest(number_of(number)?, is_double))
        }
        (OperandField::Float32, number) => Operand::Float(Float::nearest(number_of(number)?, false)),
        (OperandField::Half10 { .. } | OperandField::Half16 { .. }, number) => {
            // A NaN without stated bits has all of them set, and the field keeps those it has room for. Any other number that does not fit is refused.
            let bits = Float::nearest_half(number_of(number)?);
            Operand::Half(bits & field.bits_of_half())
        }
        (OperandField::Swizzle, WrittenValue::Swizzle(signs)) => Operand::Swizzle(signs),
        (
            OperandField::Indirect | OperandField::AbsoluteIndirect,
            WrittenValue::Indirect { base, offset },
        ) => Operand::Indirect { base, offset: i32::try_from(offset).unwrap_or(0) },
        (OperandField::Constant | OperandField::ConstantTarget, WrittenValue::Constant { bank, offset }) => {
            Operand::Constant {
                bank: u8::try_from(bank).unwrap_or(0),
                offset: i32::try_from(offset).unwrap_or(0),
            }
        }
        (OperandField::Condition { .. }, WrittenValue::Condition(test)) => Operand::Condition(test),
        (OperandField::IndexedConstant, WrittenValue::IndexedConstant { bank, base, offset }) => {
            Operand::IndexedConstant {
                bank: u8::try_from(bank).unwrap_or(0),
                base,
                offset: i32::try_from(offset).unwrap_or(0),
            }
        }
        (OperandField::IndexedConstant, WrittenValue::Constant { bank, offset }) => {
            Operand::IndexedConstant {
                bank: u8::try_from(bank).unwrap_or(0),
                base: Register::RZ,
                offset: i32::try_from(offset).unwrap_or(0),
            }
        }
        (
            OperandField::PredicateOut { .. } | OperandField::OptionalPredicate { .. },
            WrittenValue::Predicate { predicate, negated: false },
        ) => Operand::Predicate { predicate, negated: false },
        (OperandField::PredicateIn { .. }, WrittenValue::Predicate { predicate, negated }) => {
            Operand::Predicate { predicate, negated }
        }
        (OperandField::Target, WrittenValue::Target(offset)) => {
            Operand::Target(i32::try_from(offset).unwrap_or(0))
        }
        (OperandField::Target, WrittenValue::Label) => Operand::Target(0),
        (OperandField::Scoreboard, WrittenValue::Scoreboard(barrier)) => Operand::Scoreboard(barrier),
        (OperandField::Scoreboards, WrittenValue::Scoreboards(set)) => Operand::Scoreboards(set),
        (OperandField::ConditionCodes, WrittenValue::ConditionCodes) => Operand::ConditionCodes,
        (OperandField::AllPredicates, WrittenValue::AllPredicates) => Operand::AllPredicates,
        (OperandField::Magnitude16, WrittenValue::Immediate(value)) => {
            Operand::Immediate(i64::from(value.unsigned_abs() as u16))
        }
        _ => return None,
    })
}

/// A word as one of a list.
fn word_among(names: &'static [&'static str], word: &str) -> Option<Operand> {
    let value = names.iter().position(|name| *name == word)?;
    Some(Operand::Word { names, value: value as u8 })
}

/// Whether a scalar form gives as many components as its first operand has room for.
fn has_room(form: &Form, operands: &[Operand]) -> bool {
    match (form.operands.last(), operands.first(), operands.last()) {
        (
            Some(OperandField::Components),
            Some(Operand::Register(second)),
            Some(Operand::Word { names, .. }),
        ) => (*second == Register::RZ) == (*names == ONE_PAIR),
        _ => true,
    }
}

/// A number as it is decoded: its bits are what counts, whichever sign it was written with.
fn canonical(field: OperandField, value: i64) -> i64 {
    match field {
        OperandField::Immediate20 { .. } if (0x8_0000..=0xf_ffff).contains(&value) => value - 0x10_0000,
        OperandField::Immediate32 { signed: true } => i64::from(value as i32),
        OperandField::Immediate32 { signed: false } | OperandField::AbsoluteTarget => i64::from(value as u32),
        _ => value,
    }
}
