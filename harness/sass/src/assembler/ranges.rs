//! Whether numbers, addresses and banks fit their fields.

use warpdiff_ptx::source::{Diagnostic, Span};

use super::written::WrittenValue;
use crate::float_text::Float;
use crate::form::{OperandField, WHOLE_QUAD};
use crate::instruction::Register;
use crate::lexer::error;

/// A number that a floating-point field takes.
pub(super) fn number_of(written: WrittenValue) -> Option<f64> {
    match written {
        WrittenValue::Float(value) => Some(value),
        WrittenValue::Immediate(value) => Some(value as f64),
        _ => None,
    }
}

/// Whether the nearest number of a floating-point field's kind is one that the field holds.
fn check_float(value: f64, is_double: bool, is_short: bool, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    let nearest = Float::nearest(value, is_double);
    let dropped = if !is_short {
        0
    } else if is_double {
        (1 << 44) - 1
    } else {
        (1 << 12) - 1
    };
    let is_infinite = nearest.value().is_infinite() && value.is_finite();
    if nearest.bits & dropped != 0 || is_infinite {
        let expected = if is_double {
            "a double of which the upper 20 bits are all"
        } else if is_short {
            "a single of which the upper 20 bits are all"
        } else {
            "a single"
        };
        diagnostics.push(error(span, format!("{value:e} does not fit"), Some(expected)));
    }
}

/// Whether some bits are a NaN of a floating-point field's kind, and one that the field holds.
fn check_nan(bits: u64, field: OperandField, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    let (infinity, width, dropped) = match field {
        OperandField::Float20 { is_double: true } => (0x7ff0 << 48, 64, 44),
        OperandField::Float20 { is_double: false } => (0x7f80_0000, 32, 12),
        OperandField::Half10 { .. } => (0x7c00, 16, 6),
        OperandField::Half16 { .. } => (0x7c00, 16, 0),
        _ => (0x7f80_0000, 32, 0),
    };
    let magnitude = bits & (u64::MAX >> (65 - width));
    let is_wide = width < 64 && bits >> width != 0;
    if is_wide || magnitude <= infinity || bits & ((1 << dropped) - 1) != 0 {
        let message = format!("{bits:#x} does not fit");
        diagnostics.push(error(span, message, Some("the bits of a NaN that the field holds")));
    }
}

/// Whether a number is a half, and one that the field holds.
fn check_half(value: f64, is_short: bool, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    let nearest = Float::nearest_half(value);
    let is_exact = value.is_nan() || Float::of_half(nearest).value() == value;
    if !is_exact || is_short && !value.is_nan() && nearest & 0x3f != 0 {
        let expected = if is_short { "a half of which the upper 10 bits are all" } else { "a half" };
        diagnostics.push(error(span, format!("{value:e} does not fit"), Some(expected)));
    }
}

/// Numbers and constant addresses within their fields.
pub(super) fn check_number(
    operand: WrittenValue,
    field: OperandField,
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if let Some(value) = number_of(operand) {
        match field {
            OperandField::Float20 { is_double } => {
                return check_float(value, is_double, true, span, diagnostics);
            }
            OperandField::Float32 => return check_float(value, false, false, span, diagnostics),
            OperandField::Half10 { .. } => return check_half(value, true, span, diagnostics),
            OperandField::Half16 { .. } => return check_half(value, false, span, diagnostics),
            _ => {}
        }
    }
    if let WrittenValue::NaN(bits) = operand {
        return check_nan(bits, field, span, diagnostics);
    }
    let (value, range) = match (operand, field) {
        (WrittenValue::Indirect { offset, .. }, OperandField::AbsoluteIndirect) => {
            (offset, -0x8000_0000..=0x7fff_ffff)
        }
        (WrittenValue::Indirect { offset, .. }, _) => (offset, -0x80_0000..=0x7f_ffff),
        (WrittenValue::Constant { bank, offset }, OperandField::ConstantTarget) => {
            check_bank(bank, span, diagnostics);
            (offset, -0x8000..=0x7fff)
        }
        (WrittenValue::Immediate(value), OperandField::AbsoluteTarget) => (value, 0..=0xffff_ffff),
        (WrittenValue::Immediate(value), OperandField::Immediate16) => (value, -0x8000..=0xffff),
        (WrittenValue::Immediate(value), OperandField::Magnitude16) => (value, -0xffff..=0xffff),
        (WrittenValue::Immediate(value), OperandField::Immediate20 { signed: true }) => {
            (value, -0x8_0000..=0x7_ffff)
        }
        (WrittenValue::Immediate(value), OperandField::Immediate20 { signed: false }) => {
            (value, -0x8_0000..=0xf_ffff)
        }
        (WrittenValue::Immediate(value), OperandField::Immediate32 { .. }) => {
            (value, -0x8000_0000..=0xffff_ffff)
        }
        (
            WrittenValue::Immediate(value),
            OperandField::Unsigned { width, .. } | OperandField::OptionalNumber { width, .. },
        ) => (value, 0..=(1 << width) - 1),
        (WrittenValue::Immediate(value), OperandField::QuadLanes { .. }) => (value, 0..=WHOLE_QUAD),
        (WrittenValue::Immediate(value), OperandField::ShiftCount { .. }) => (value, 0..=31),
        (WrittenValue::Target(offset), _) => (offset, -0x80_0000..=0x7f_ffff),
        (WrittenValue::IndexedConstant { bank, offset, .. }, _)
        | (WrittenValue::Constant { bank, offset }, OperandField::IndexedConstant) => {
            check_bank(bank, span, diagnostics);
            (offset, -0x8000..=0x7fff)
        }
        (WrittenValue::Constant { bank, offset }, _) => {
            check_bank(bank, span, diagnostics);
            if offset % 4 != 0 {
                diagnostics.push(error(
                    span,
                    format!("constant offset {offset} is not in words"),
                    Some("a multiple of 4"),
                ));
            }
            (offset, -0x8000..=0x7fff)
        }
        _ => return,
    };
    if !range.contains(&value) {
        let expected = format!("{} to {}", range.start(), range.end());
        diagnostics.push(error(span, format!("{value} does not fit"), Some(&expected)));
    }
}

fn check_bank(bank: i64, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    if !(0..32).contains(&bank) {
        diagnostics.push(error(span, format!("there is no constant bank {bank}"), Some("a bank, 0 to 31")));
    }
}

/// "ImmS24" with a base register, "ImmU24" without or with `RZ`; "the low 2 bits … must always be zero" where they are not stored.
pub(super) fn check_address(
    operand: WrittenValue,
    field: OperandField,
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (WrittenValue::Address { base, offset }, OperandField::Address { width, dropped, .. }) =
        (operand, field)
    else {
        return;
    };
    let bits = width + dropped;
    let (range, kind) = match base {
        Register::RZ => (0..=(1 << bits) - 1, "an unsigned"),
        _ => (-(1 << (bits - 1))..=(1_i64 << (bits - 1)) - 1, "a signed"),
    };
    if !range.contains(&offset) {
        let magnitude = |value: i64| match value {
            0 => "0".to_owned(),
            _ => format!("{}{:#x}", if value < 0 { "-" } else { "" }, value.abs()),
        };
        let (least, most) = (magnitude(*range.start()), magnitude(*range.end()));
        let expected = format!("{kind} offset of {bits} bits, {least} to {most}");
        diagnostics.push(error(span, format!("offset {offset} does not fit"), Some(&expected)));
    } else if offset & ((1 << dropped) - 1) != 0 {
        let message = format!("offset {offset} has low bits that the encoding does not store");
        diagnostics.push(error(span, message, Some(&format!("a multiple of {}", 1 << dropped))));
    }
}
