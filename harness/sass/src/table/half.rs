//! Arithmetic on pairs of halves. These instructions exist from sm_53 on: `nvdisasm -b SM50` refuses their words, `-b SM53` prints them.

use super::field::{CONSTANT, PREDICATE, RA, RB, RB_HIGH, RC, RD, choice, exact, flag, marks};
use super::kind::{Kind, fixed};
use super::single::ORDERS;
use crate::form::{Form, MarkField, ModifierField, OperandField};
use crate::mnemonic::{Mnemonic as M, Subject};

const HADD2: Kind = fixed(M::HADD2, Subject::Half);
const HADD2_32I: Kind = fixed(M::HADD2_32I, Subject::Half);
const HMUL2: Kind = fixed(M::HMUL2, Subject::Half);
const HMUL2_32I: Kind = fixed(M::HMUL2_32I, Subject::Half);
const HFMA2: Kind = fixed(M::HFMA2, Subject::Half);
const HFMA2_32I: Kind = fixed(M::HFMA2_32I, Subject::Half);
const HSET2: Kind = fixed(M::HSET2, Subject::Half);
const HSETP2: Kind = fixed(M::HSETP2, Subject::Half);

/// A pair of numbers: the upper half is written first.
const UPPER: OperandField = OperandField::Half10 { low: 30, sign: 56 };
const LOWER: OperandField = OperandField::Half10 { low: 20, sign: 29 };
const WHOLE_UPPER: OperandField = OperandField::Half16 { low: 36 };
const WHOLE_LOWER: OperandField = OperandField::Half16 { low: 20 };

const FIRST: OperandField = OperandField::PredicateOut { low: 3 };
const SECOND: OperandField = OperandField::PredicateOut { low: 0 };

/// The place of the result: both halves, a single, or one half beside the other half of the destination.
const PLACE: ModifierField = ModifierField {
    role: "place of the result",
    low: 49,
    width: 2,
    names: &["", "F32", "MRG_H0", "MRG_H1"],
    aliases: &[],
    default: Some(0),
};

const fn flushed(low: u8) -> ModifierField {
    flag("flushing", low, &["", "FTZ"])
}

/// The same, and zero times anything is zero.
const fn multiply_flushed(low: u8) -> ModifierField {
    ModifierField { names: &["", "FTZ", "FMZ", "INVALID"], width: 2, ..flushed(low) }
}

/// Of some forms nvdisasm writes the value without meaning in another way.
const fn fused_flushed(low: u8) -> ModifierField {
    ModifierField { names: &["", "FTZ", "FMZ", "INVALIDFMZ3"], ..multiply_flushed(low) }
}

const fn saturated(low: u8) -> ModifierField {
    flag("saturation", low, &["", "SAT"])
}

const fn comparison(low: u8) -> ModifierField {
    choice("comparison", low, 4, ORDERS)
}

/// Whether true is 1.0 rather than all bits.
const fn truth(low: u8) -> ModifierField {
    flag("kind of truth", low, &["", "BF"])
}

/// Whether both halves must compare so.
const fn both(low: u8) -> ModifierField {
    flag("union of the halves", low, &["", "H_AND"])
}

const SET_COMBINATION: ModifierField = choice("combination", 45, 2, &["AND", "OR", "XOR", "???3"]);
const TEST_COMBINATION: ModifierField = choice("combination", 45, 2, &["AND", "OR", "XOR", "INVALIDBOP3"]);

const fn row(
    kind: Kind,
    top: u64,
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
    marks: &'static [MarkField],
) -> Form {
    exact(kind, top << 48, modifiers, operands, marks)
}

pub(super) static FORMS: &[Form] = &[
    row(
        HADD2,
        0x5d10,
        &[PLACE, flushed(39), saturated(32)],
        &[RD, RA, RB],
        marks![
            1: Negated @ 43, 1: Absolute @ 44, 1: Single @ 47, 1: LowerTwice @ 48,
            2: Negated @ 31, 2: Absolute @ 30, 2: Single @ 28, 2: LowerTwice @ 29,
        ],
    ),
    row(
        HADD2,
        0x7a00,
        &[PLACE, flushed(39), saturated(52)],
        &[RD, RA, UPPER, LOWER],
        marks![1: Negated @ 43, 1: Absolute @ 44, 1: Single @ 47, 1: LowerTwice @ 48],
    ),
    row(
        HADD2,
        0x7a80,
        &[PLACE, flushed(39), saturated(52)],
        &[RD, RA, CONSTANT],
        marks![
            1: Negated @ 43, 1: Absolute @ 44, 1: Single @ 47, 1: LowerTwice @ 48,
            2: Negated @ 56, 2: Absolute @ 54,
        ],
    ),
    row(
        HADD2_32I,
        0x2c00,
        &[flushed(55), saturated(52)],
        &[RD, RA, WHOLE_UPPER, WHOLE_LOWER],
        marks![1: Negated @ 56, 1: Single @ 53, 1: LowerTwice @ 54],
    ),
    row(
        HMUL2,
        0x5d08,
        &[PLACE, multiply_flushed(39), saturated(32)],
        &[RD, RA, RB],
        marks![
            1: Absolute @ 44, 1: Single @ 47, 1: LowerTwice @ 48,
            2: Negated @ 31, 2: Absolute @ 30, 2: Single @ 28, 2: LowerTwice @ 29,
        ],
    ),
    row(
        HMUL2,
        0x7800,
        &[PLACE, multiply_flushed(39), saturated(52)],
        &[RD, RA, UPPER, LOWER],
        marks![1: Negated @ 43, 1: Absolute @ 44, 1: Single @ 47, 1: LowerTwice @ 48],
    ),
    row(
        HMUL2,
        0x7880,
        &[PLACE, multiply_flushed(39), saturated(52)],
        &[RD, RA, CONSTANT],
        marks![
            1: Absolute @ 44, 1: Single @ 47, 1: LowerTwice @ 48, 2: Negated @ 43, 2: Absolute @ 54,
        ],
    ),
    row(
        HMUL2_32I,
        0x2a00,
        &[multiply_flushed(55), saturated(52)],
        &[RD, RA, WHOLE_UPPER, WHOLE_LOWER],
        marks![1: Single @ 53, 1: LowerTwice @ 54],
    ),
    row(
        HFMA2,
        0x5d00,
        &[PLACE, multiply_flushed(37), saturated(32)],
        &[RD, RA, RB, RC],
        marks![
            1: Single @ 47, 1: LowerTwice @ 48, 2: Negated @ 31, 2: Single @ 28, 2: LowerTwice @ 29,
            3: Negated @ 30, 3: Single @ 35, 3: LowerTwice @ 36,
        ],
    ),
    row(
        HFMA2,
        0x7000,
        &[PLACE, multiply_flushed(57), saturated(52)],
        &[RD, RA, UPPER, LOWER, RC],
        marks![
            1: Single @ 47, 1: LowerTwice @ 48, 4: Negated @ 51, 4: Single @ 53, 4: LowerTwice @ 54,
        ],
    ),
    row(
        HFMA2,
        0x7080,
        &[PLACE, multiply_flushed(57), saturated(52)],
        &[RD, RA, CONSTANT, RC],
        marks![
            1: Single @ 47, 1: LowerTwice @ 48, 2: Negated @ 56,
            3: Negated @ 51, 3: Single @ 53, 3: LowerTwice @ 54,
        ],
    ),
    row(
        HFMA2,
        0x6080,
        &[PLACE, fused_flushed(57), saturated(52)],
        &[RD, RA, RB_HIGH, CONSTANT],
        marks![
            1: Single @ 47, 1: LowerTwice @ 48, 2: Negated @ 56, 2: Single @ 53, 2: LowerTwice @ 54,
            3: Negated @ 51,
        ],
    ),
    row(
        HFMA2_32I,
        0x2800,
        &[fused_flushed(55)],
        &[RD, RA, WHOLE_UPPER, WHOLE_LOWER, OperandField::RdAgain],
        marks![1: Single @ 53, 1: LowerTwice @ 54, 4: Negated @ 52],
    ),
    row(
        HSET2,
        0x5d18,
        &[truth(49), comparison(35), flushed(50), SET_COMBINATION],
        &[RD, RA, RB, PREDICATE],
        marks![
            1: Negated @ 43, 1: Absolute @ 44, 1: Single @ 47, 1: LowerTwice @ 48,
            2: Negated @ 31, 2: Absolute @ 30, 2: Single @ 28, 2: LowerTwice @ 29,
        ],
    ),
    row(
        HSET2,
        0x7c00,
        &[truth(53), comparison(49), flushed(54), SET_COMBINATION],
        &[RD, RA, UPPER, LOWER, PREDICATE],
        marks![1: Negated @ 43, 1: Absolute @ 44, 1: Single @ 47, 1: LowerTwice @ 48],
    ),
    row(
        HSET2,
        0x7c80,
        &[truth(53), comparison(49), flushed(54), SET_COMBINATION],
        &[RD, RA, CONSTANT, PREDICATE],
        marks![
            1: Negated @ 43, 1: Absolute @ 44, 1: Single @ 47, 1: LowerTwice @ 48, 2: Negated @ 56,
        ],
    ),
    row(
        HSETP2,
        0x5d20,
        &[comparison(35), both(49), flushed(6), TEST_COMBINATION],
        &[FIRST, SECOND, RA, RB, PREDICATE],
        marks![
            2: Negated @ 43, 2: Absolute @ 44, 2: Single @ 47, 2: LowerTwice @ 48,
            3: Negated @ 31, 3: Absolute @ 30, 3: Single @ 28, 3: LowerTwice @ 29,
        ],
    ),
    row(
        HSETP2,
        0x7e00,
        &[comparison(49), both(53), flushed(6), TEST_COMBINATION],
        &[FIRST, SECOND, RA, UPPER, LOWER, PREDICATE],
        marks![2: Negated @ 43, 2: Absolute @ 44, 2: Single @ 47, 2: LowerTwice @ 48],
    ),
    row(
        HSETP2,
        0x7e80,
        &[comparison(49), both(53), flushed(6), TEST_COMBINATION],
        &[FIRST, SECOND, RA, CONSTANT, PREDICATE],
        marks![
            2: Negated @ 43, 2: Absolute @ 44, 2: Single @ 47, 2: LowerTwice @ 48,
            3: Negated @ 56, 3: Absolute @ 54,
        ],
    ),
];
