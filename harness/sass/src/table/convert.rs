//! Conversions between integers and floating-point numbers, and of floating-point numbers to others.
//!
//! The types are fields of two bits each, for which sizes are named; whether an integer is signed is a bit elsewhere, and so is the
//! size of what an immediate is read as. There is a row for each type of integer and each kind of operand.

use super::field::{CONSTANT, DOUBLE, IMMEDIATE, RB, RD, SINGLE, choice, exact, flag, marks, rounding};
use super::kind::{Kind, slow};
use crate::form::{Form, MarkField, ModifierField, OperandField};
use crate::mnemonic::{Mnemonic as M, Subject};

const I2F: Kind = slow(M::I2F, Subject::Conversion);
const F2I: Kind = slow(M::F2I, Subject::Conversion);
const F2F: Kind = slow(M::F2F, Subject::Conversion);

/// `I2F`, `F2I`, `F2F`: bits 63:48 for a source that is a register, a constant, a number.
const INTEGER_TO_FLOAT: [u64; 3] = [0x5cb8, 0x4cb8, 0x38b8];
const FLOAT_TO_INTEGER: [u64; 3] = [0x5cb0, 0x4cb0, 0x38b0];
const FLOAT_TO_FLOAT: [u64; 3] = [0x5ca8, 0x4ca8, 0x38a8];

const FLUSHED: ModifierField = flag("flushing", 44, &["", "FTZ"]);
const TO_FLOAT: ModifierField = choice("destination type", 8, 2, &["INVALIDFPSRC0", "F16", "F32", "F64"]);
const TO_WHOLE: ModifierField = ModifierField {
    role: "rounding",
    low: 39,
    width: 2,
    names: &["", "FLOOR", "CEIL", "TRUNC"],
    aliases: &[("ROUND", 0)],
    default: Some(0),
};
const TO_UNSIGNED: ModifierField = choice("destination type", 8, 2, &["INVALID0", "U16", "U32", "U64"]);
const TO_SIGNED: ModifierField = choice("destination type", 8, 2, &["INVALID1", "S16", "S32", "S64"]);

/// The marks of every source, and those by which a part of it is named.
const WHOLE: &[MarkField] = marks![0: ConditionCodes @ 47, 1: Negated @ 45, 1: Absolute @ 49];
const HALF: &[MarkField] =
    marks![0: ConditionCodes @ 47, 1: Negated @ 45, 1: Absolute @ 49, 1: UpperHalf @ 42];
const BYTE: &[MarkField] = marks![
    0: ConditionCodes @ 47, 1: Negated @ 45, 1: Absolute @ 49, 1: ByteOne @ 41, 1: ByteTwo @ 42
];
const FLOAT_HALF: &[MarkField] =
    marks![0: ConditionCodes @ 47, 1: Negated @ 45, 1: Absolute @ 49, 1: UpperHalf @ 41];

/// `I2F` of integers of one size: the value of bits 11:10.
const fn integer_to_float(
    size: u64,
    modifiers: &'static [ModifierField],
    marks: &'static [MarkField],
) -> [Form; 3] {
    let [register, constant, number] = INTEGER_TO_FLOAT;
    [
        exact(I2F, register << 48 | size << 10, modifiers, &[RD, RB], marks),
        exact(I2F, constant << 48 | size << 10, modifiers, &[RD, CONSTANT], marks),
        exact(I2F, number << 48 | size << 10, modifiers, &[RD, IMMEDIATE], marks),
    ]
}

pub(super) static OF_BYTES: [Form; 3] =
    integer_to_float(0, &[TO_FLOAT, choice("source type", 13, 1, &["U8", "S8"]), rounding(39)], BYTE);
pub(super) static OF_HALVES: [Form; 3] =
    integer_to_float(1, &[TO_FLOAT, choice("source type", 13, 1, &["U16", "S16"]), rounding(39)], HALF);
pub(super) static OF_WORDS: [Form; 3] =
    integer_to_float(2, &[TO_FLOAT, choice("source type", 13, 1, &["U32", "S32"]), rounding(39)], BYTE);
pub(super) static OF_PAIRS: [Form; 3] =
    integer_to_float(3, &[TO_FLOAT, choice("source type", 13, 1, &["U64", "S64"]), rounding(39)], BYTE);

/// A type that selects the form: it is written, and the bits are the form's.
const fn fixed_type(role: &'static str, names: &'static [&'static str]) -> ModifierField {
    choice(role, 0, 0, names)
}

const OF_FLOAT: ModifierField = choice("source type", 10, 2, &["INVALIDFPSRC0", "F16", "F32", "F64"]);
const OF_HALF: ModifierField = fixed_type("source type", &["F16"]);
const OF_SINGLE: ModifierField = fixed_type("source type", &["F32"]);
const OF_DOUBLE: ModifierField = fixed_type("source type", &["F64"]);

pub(super) static TO_UNSIGNED_INTEGER: [Form; 5] = [
    exact(F2I, FLOAT_TO_INTEGER[0] << 48, &[FLUSHED, TO_UNSIGNED, OF_FLOAT, TO_WHOLE], &[RD, RB], FLOAT_HALF),
    exact(
        F2I,
        FLOAT_TO_INTEGER[1] << 48,
        &[FLUSHED, TO_UNSIGNED, OF_FLOAT, TO_WHOLE],
        &[RD, CONSTANT],
        FLOAT_HALF,
    ),
    exact(
        F2I,
        FLOAT_TO_INTEGER[2] << 48 | 1 << 10,
        &[FLUSHED, TO_UNSIGNED, OF_HALF, TO_WHOLE],
        OF_HALF_NUMBER,
        FLOAT_HALF,
    ),
    exact(
        F2I,
        FLOAT_TO_INTEGER[2] << 48 | 2 << 10,
        &[FLUSHED, TO_UNSIGNED, OF_SINGLE, TO_WHOLE],
        &[RD, SINGLE],
        FLOAT_HALF,
    ),
    exact(
        F2I,
        FLOAT_TO_INTEGER[2] << 48 | 3 << 10,
        &[FLUSHED, TO_UNSIGNED, OF_DOUBLE, TO_WHOLE],
        &[RD, DOUBLE],
        FLOAT_HALF,
    ),
];

pub(super) static TO_SIGNED_INTEGER: [Form; 5] = [
    exact(
        F2I,
        FLOAT_TO_INTEGER[0] << 48 | 1 << 12,
        &[FLUSHED, TO_SIGNED, OF_FLOAT, TO_WHOLE],
        &[RD, RB],
        FLOAT_HALF,
    ),
    exact(
        F2I,
        FLOAT_TO_INTEGER[1] << 48 | 1 << 12,
        &[FLUSHED, TO_SIGNED, OF_FLOAT, TO_WHOLE],
        &[RD, CONSTANT],
        FLOAT_HALF,
    ),
    exact(
        F2I,
        FLOAT_TO_INTEGER[2] << 48 | 1 << 12 | 1 << 10,
        &[FLUSHED, TO_SIGNED, OF_HALF, TO_WHOLE],
        OF_HALF_NUMBER,
        FLOAT_HALF,
    ),
    exact(
        F2I,
        FLOAT_TO_INTEGER[2] << 48 | 1 << 12 | 2 << 10,
        &[FLUSHED, TO_SIGNED, OF_SINGLE, TO_WHOLE],
        &[RD, SINGLE],
        FLOAT_HALF,
    ),
    exact(
        F2I,
        FLOAT_TO_INTEGER[2] << 48 | 1 << 12 | 3 << 10,
        &[FLUSHED, TO_SIGNED, OF_DOUBLE, TO_WHOLE],
        &[RD, DOUBLE],
        FLOAT_HALF,
    ),
];

/// `F2F` of different types, the values of bits 9:8 and 11:10. Between equal types it rounds to a whole number, in another way to
/// write it.
const fn float_to_float(
    destination: u64,
    source: u64,
    modifiers: &'static [ModifierField],
    marks: &'static [MarkField],
    number: &'static [OperandField],
) -> [Form; 3] {
    let types = destination << 8 | source << 10;
    [
        exact(F2F, FLOAT_TO_FLOAT[0] << 48 | types, modifiers, &[RD, RB], marks),
        exact(F2F, FLOAT_TO_FLOAT[1] << 48 | types, modifiers, &[RD, CONSTANT], marks),
        exact(F2F, FLOAT_TO_FLOAT[2] << 48 | types, modifiers, number, marks),
    ]
}

/// The modifiers of `F2F` between two types.
macro_rules! between {
    ($destination:literal, $source:literal) => {
        &[
            FLUSHED,
            fixed_type("destination type", &[$destination]),
            fixed_type("source type", &[$source]),
            rounding(39),
            flag("saturation", 50, &["", "SAT"]),
        ]
    };
}

/// The operands where the source is a number.
const OF_HALF_NUMBER: &[OperandField] = &[RD, OperandField::Half16 { low: 20 }];
const OF_SINGLE_NUMBER: &[OperandField] = &[RD, SINGLE];
const OF_DOUBLE_NUMBER: &[OperandField] = &[RD, DOUBLE];

pub(super) static SINGLE_TO_HALF: [Form; 3] =
    float_to_float(1, 2, between!("F16", "F32"), WHOLE, OF_SINGLE_NUMBER);
pub(super) static DOUBLE_TO_HALF: [Form; 3] =
    float_to_float(1, 3, between!("F16", "F64"), WHOLE, OF_DOUBLE_NUMBER);
pub(super) static HALF_TO_SINGLE: [Form; 3] =
    float_to_float(2, 1, between!("F32", "F16"), FLOAT_HALF, OF_HALF_NUMBER);
pub(super) static DOUBLE_TO_SINGLE: [Form; 3] =
    float_to_float(2, 3, between!("F32", "F64"), WHOLE, OF_DOUBLE_NUMBER);
pub(super) static HALF_TO_DOUBLE: [Form; 3] =
    float_to_float(3, 1, between!("F64", "F16"), FLOAT_HALF, OF_HALF_NUMBER);
pub(super) static SINGLE_TO_DOUBLE: [Form; 3] =
    float_to_float(3, 2, between!("F64", "F32"), WHOLE, OF_SINGLE_NUMBER);

/// How a number becomes a whole one, where bit 42 is set.
const TO_INTEGRAL: ModifierField = choice("whole number", 39, 2, &["ROUND", "FLOOR", "CEIL", "TRUNC"]);
/// Where it is not, the number is passed on. nvdisasm writes `.PASS` for three values of bits 40:39; yuzu has 3 alone, and so has this table:
/// the text of 1 and 2 would come back as 3.
const PASSED: ModifierField = fixed_type("passing", &["PASS"]);
const UNNAMED: ModifierField = ModifierField { default: Some(0), ..fixed_type("passing", &[""]) };
const PASS: u64 = 3 << 39;
/// Bit 42.
const INTEGRAL: u64 = 1 << 42;

/// `F2F` of equal types, the values of bits 9:8 and 11:10: rounding to a whole number, or a copy.
const fn same_float(
    size: u64,
    [integral, passed, copied]: [&'static [ModifierField]; 3],
    marks: &'static [MarkField],
    number: &'static [OperandField],
) -> [Form; 9] {
    let types = size << 8 | size << 10;
    let [register, constant, literal] = FLOAT_TO_FLOAT;
    [
        exact(F2F, register << 48 | types | INTEGRAL, integral, &[RD, RB], marks),
        exact(F2F, constant << 48 | types | INTEGRAL, integral, &[RD, CONSTANT], marks),
        exact(F2F, literal << 48 | types | INTEGRAL, integral, number, marks),
        exact(F2F, register << 48 | types | PASS, passed, &[RD, RB], marks),
        exact(F2F, constant << 48 | types | PASS, passed, &[RD, CONSTANT], marks),
        exact(F2F, literal << 48 | types | PASS, passed, number, marks),
        exact(F2F, register << 48 | types, copied, &[RD, RB], marks),
        exact(F2F, constant << 48 | types, copied, &[RD, CONSTANT], marks),
        exact(F2F, literal << 48 | types, copied, number, marks),
    ]
}

/// The modifiers of `F2F` from a type to itself.
macro_rules! within {
    ($type:literal, $rounding:expr) => {
        &[
            FLUSHED,
            fixed_type("destination type", &[$type]),
            fixed_type("source type", &[$type]),
            $rounding,
            flag("saturation", 50, &["", "SAT"]),
        ]
    };
}

pub(super) static HALF_TO_HALF: [Form; 9] = same_float(
    1,
    [within!("F16", TO_INTEGRAL), within!("F16", PASSED), within!("F16", UNNAMED)],
    FLOAT_HALF,
    OF_HALF_NUMBER,
);
pub(super) static SINGLE_TO_SINGLE: [Form; 9] = same_float(
    2,
    [within!("F32", TO_INTEGRAL), within!("F32", PASSED), within!("F32", UNNAMED)],
    WHOLE,
    OF_SINGLE_NUMBER,
);
pub(super) static DOUBLE_TO_DOUBLE: [Form; 9] = same_float(
    3,
    [within!("F64", TO_INTEGRAL), within!("F64", PASSED), within!("F64", UNNAMED)],
    WHOLE,
    OF_DOUBLE_NUMBER,
);
