//! Arithmetic on integers.

use super::field::{
    CONSTANT, IMMEDIATE, PREDICATE, RA, RB, RB_HIGH, RC, RD, SIGNED, alternatives, choice, exact, extended,
    flag, marks,
};
use super::kind::{Kind, fixed, slow};
use crate::form::{Form, MarkField, ModifierField, OperandField, bits_of};
use crate::mnemonic::{Mnemonic as M, Subject};

const IADD: Kind = fixed(M::IADD, Subject::Arithmetic);
const ISCADD: Kind = fixed(M::ISCADD, Subject::Arithmetic);
const IADD32I: Kind = fixed(M::IADD32I, Subject::Arithmetic);
const IADD3: Kind = fixed(M::IADD3, Subject::Arithmetic);
const IMNMX: Kind = fixed(M::IMNMX, Subject::Arithmetic);
const IMUL: Kind = slow(M::IMUL, Subject::Arithmetic);
const IMUL32I: Kind = slow(M::IMUL32I, Subject::Arithmetic);
const XMAD: Kind = fixed(M::XMAD, Subject::Arithmetic);
const LEA: Kind = fixed(M::LEA, Subject::Arithmetic);
const IMAD: Kind = slow(M::IMAD, Subject::Arithmetic);
const IMAD32I: Kind = slow(M::IMAD32I, Subject::Arithmetic);
const ISCADD32I: Kind = fixed(M::ISCADD32I, Subject::Arithmetic);

const SATURATED: ModifierField = flag("saturation", 50, &["", "SAT"]);
const COUNT: OperandField = OperandField::Unsigned { low: 39, width: 5 };

/// Which sum of three is shifted, and which way, before the third is added.
const SHIFTED_SUM: ModifierField = ModifierField {
    role: "shift",
    low: 37,
    width: 2,
    names: &["", "RS", "LS", "???3"],
    aliases: &[],
    default: Some(0),
};

const EXTREME: ModifierField = ModifierField {
    role: "part of a longer number",
    low: 43,
    width: 2,
    names: &["", "XLO", "XMED", "XHI"],
    aliases: &[],
    default: Some(0),
};

const HALVES: ModifierField = ModifierField {
    role: "signedness of the halves",
    low: 48,
    width: 2,
    names: &["", "S16.U16", "U16.S16", "S16.S16"],
    aliases: &[("U16.U16", 0)],
    default: Some(0),
};
const SUMMAND: ModifierField = ModifierField {
    role: "treatment of the summand",
    low: 50,
    width: 3,
    names: &["", "CLO", "CHI", "CSFU", "CBCC", "???5", "???6", "???7"],
    aliases: &[],
    default: Some(0),
};
/// The two bits that are left of it where the second factor is a constant.
const SHORT_SUMMAND: ModifierField =
    ModifierField { width: 2, names: &["", "CLO", "CHI", "CSFU"], ..SUMMAND };

const fn shifted_product(low: u8) -> ModifierField {
    flag("shift of the product", low, &["", "PSL"])
}
const fn merged(low: u8) -> ModifierField {
    flag("merging", low, &["", "MRG"])
}

/// Bit 0 of the value is the sign of the first factor, bit 1 that of the second.
const fn signs(low: u8) -> ModifierField {
    ModifierField {
        role: "signedness of the factors",
        low,
        width: 2,
        names: &["U32.U32", "S32.U32", "U32.S32", ""],
        aliases: &[("S32.S32", 3)],
        default: Some(3),
    }
}
const fn product_part(low: u8) -> ModifierField {
    flag("part of the product", low, &["", "HI"])
}
const PRODUCT: &[ModifierField] = &[signs(40), product_part(39)];
/// Of the bits that belong to no field, 38:28, 46:42 and 50:48 are ignored.
const fn product(top: u64, operands: &'static [OperandField]) -> Form {
    let form = exact(IMUL, top << 48, PRODUCT, operands, marks![0: ConditionCodes @ 47]);
    Form { mask: form.mask & !(bits_of(28, 11) | bits_of(42, 5) | bits_of(48, 3)), ..form }
}

/// `LEA` adds the low part of a shifted number, `LEA.HI` the high part.
const SHIFT_COUNT: OperandField = OperandField::ShiftCount { low: 39 };
const PREDICATE_OUT: OperandField = OperandField::OptionalPredicate { low: 48 };

/// The forms of an instruction whose summands are both negated, which adds one to their sum instead.
const fn plus_one(
    kind: Kind,
    tops: [u64; 3],
    modifiers: &'static [ModifierField],
    operands: [&'static [OperandField]; 3],
) -> [Form; 3] {
    let [register, constant, number] =
        alternatives(kind, tops, modifiers, operands, marks![0: ConditionCodes @ 47]);
    [
        Form { fixed_modifiers: &["PO"], ..register },
        Form { fixed_modifiers: &["PO"], ..constant },
        Form { fixed_modifiers: &["PO"], ..number },
    ]
}

pub(super) static SUM_PLUS_ONE: [Form; 3] = plus_one(
    IADD,
    [0x5c13, 0x4c13, 0x3813],
    &[SATURATED, extended(43)],
    [&[RD, RA, RB], &[RD, RA, CONSTANT], &[RD, RA, IMMEDIATE]],
);

pub(super) static SCALED_SUM_PLUS_ONE: [Form; 3] = plus_one(
    ISCADD,
    [0x5c1b, 0x4c1b, 0x381b],
    &[],
    [&[RD, RA, RB, COUNT], &[RD, RA, CONSTANT, COUNT], &[RD, RA, IMMEDIATE, COUNT]],
);

/// Of the two bits for the signs of factors, that of the second stands apart and selects the form.
const SECOND_UNSIGNED: ModifierField = choice("signedness of the factors", 48, 1, &["U32.U32", "S32.U32"]);
const SECOND_SIGNED: ModifierField = ModifierField {
    role: "signedness of the factors",
    low: 48,
    width: 1,
    names: &["U32.S32", ""],
    aliases: &[("S32.S32", 1)],
    default: Some(1),
};
/// Both the product and the summand negated mean one more than the sum; it is written behind other modifiers.
const PLUS_ONE: ModifierField = choice("increment", 0, 0, &["PO"]);
const NEGATED_SUMMAND: &[MarkField] = marks![0: ConditionCodes @ 47, 3: Negated @ 51];
const NEGATED_PRODUCT: &[MarkField] = marks![0: ConditionCodes @ 47, 1: Negated @ 52];

const fn product_and_sum(
    bits: u64,
    modifiers: &'static [ModifierField],
    marks: &'static [MarkField],
) -> [Form; 4] {
    [
        exact(IMAD, 0x5a00 << 48 | bits, modifiers, &[RD, RA, RB, RC], marks),
        exact(IMAD, 0x5200 << 48 | bits, modifiers, &[RD, RA, RB_HIGH, CONSTANT], marks),
        exact(IMAD, 0x4a00 << 48 | bits, modifiers, &[RD, RA, CONSTANT, RC], marks),
        exact(IMAD, 0x3400 << 48 | bits, modifiers, &[RD, RA, IMMEDIATE, RC], marks),
    ]
}

const UNSIGNED_SECOND: &[ModifierField] = &[SECOND_UNSIGNED, product_part(54), SATURATED, extended(49)];
const SIGNED_SECOND: &[ModifierField] = &[SECOND_SIGNED, product_part(54), SATURATED, extended(49)];

pub(super) static PRODUCT_AND_SUM: [Form; 4] = product_and_sum(0, UNSIGNED_SECOND, NEGATED_SUMMAND);
pub(super) static SIGNED_PRODUCT_AND_SUM: [Form; 4] =
    product_and_sum(1 << 53, SIGNED_SECOND, NEGATED_SUMMAND);
pub(super) static NEGATED_PRODUCT_AND_SUM: [Form; 4] =
    product_and_sum(1 << 52, UNSIGNED_SECOND, NEGATED_PRODUCT);
pub(super) static NEGATED_SIGNED_PRODUCT_AND_SUM: [Form; 4] =
    product_and_sum(1 << 53 | 1 << 52, SIGNED_SECOND, NEGATED_PRODUCT);
pub(super) static PRODUCT_AND_SUM_PLUS_ONE: [Form; 4] = product_and_sum(
    3 << 51,
    &[SECOND_UNSIGNED, product_part(54), PLUS_ONE, SATURATED, extended(49)],
    marks![0: ConditionCodes @ 47],
);
pub(super) static SIGNED_PRODUCT_AND_SUM_PLUS_ONE: [Form; 4] = product_and_sum(
    1 << 53 | 3 << 51,
    &[SECOND_SIGNED, product_part(54), PLUS_ONE, SATURATED, extended(49)],
    marks![0: ConditionCodes @ 47],
);

/// The same with a number of 32 bits, whose summand is what `Rd` held: which factor is signed, and what is negated.
const fn long_product_and_sum(
    bits: u64,
    modifiers: &'static [ModifierField],
    marks: &'static [MarkField],
) -> Form {
    let operands = &[RD, RA, OperandField::Immediate32 { signed: true }, OperandField::RdAgain];
    exact(IMAD32I, 0x1000 << 48 | bits, modifiers, operands, marks)
}

const LONG_UNSIGNED: &[ModifierField] = &[ModifierField { low: 54, ..SECOND_UNSIGNED }, product_part(53)];
const LONG_SIGNED: &[ModifierField] = &[ModifierField { low: 54, ..SECOND_SIGNED }, product_part(53)];
const LONG_SUMMAND: &[MarkField] = marks![0: ConditionCodes @ 52, 3: Negated @ 55];
const LONG_PRODUCT: &[MarkField] = marks![0: ConditionCodes @ 52, 1: Negated @ 56];

/// `IMAD32I`.
pub(super) static LONG_PRODUCT_AND_SUM: [Form; 6] = [
    long_product_and_sum(0, LONG_UNSIGNED, LONG_SUMMAND),
    long_product_and_sum(1 << 57, LONG_SIGNED, LONG_SUMMAND),
    long_product_and_sum(1 << 56, LONG_UNSIGNED, LONG_PRODUCT),
    long_product_and_sum(1 << 57 | 1 << 56, LONG_SIGNED, LONG_PRODUCT),
    long_product_and_sum(
        3 << 55,
        &[ModifierField { low: 54, ..SECOND_UNSIGNED }, product_part(53), PLUS_ONE],
        marks![0: ConditionCodes @ 52],
    ),
    long_product_and_sum(
        1 << 57 | 3 << 55,
        &[ModifierField { low: 54, ..SECOND_SIGNED }, product_part(53), PLUS_ONE],
        marks![0: ConditionCodes @ 52],
    ),
];

pub(super) static FORMS: &[Form] = &[
    exact(
        ISCADD32I,
        0x1400 << 48,
        &[],
        &[RD, RA, OperandField::Immediate32 { signed: true }, OperandField::Unsigned { low: 53, width: 5 }],
        marks![0: ConditionCodes @ 52],
    ),
    exact(
        IADD,
        0x5c10 << 48,
        &[SATURATED, extended(43)],
        &[RD, RA, RB],
        marks![0: ConditionCodes @ 47, 2: Negated @ 48],
    ),
    exact(
        IADD,
        0x3810 << 48,
        &[SATURATED, extended(43)],
        &[RD, RA, IMMEDIATE],
        marks![0: ConditionCodes @ 47, 2: Negated @ 48],
    ),
    exact(
        IADD,
        0x4c10 << 48,
        &[SATURATED, extended(43)],
        &[RD, RA, CONSTANT],
        marks![0: ConditionCodes @ 47, 2: Negated @ 48],
    ),
    exact(
        IADD,
        0x5c12 << 48,
        &[SATURATED, extended(43)],
        &[RD, RA, RB],
        marks![0: ConditionCodes @ 47, 1: Negated @ 49],
    ),
    exact(
        IADD,
        0x3812 << 48,
        &[SATURATED, extended(43)],
        &[RD, RA, IMMEDIATE],
        marks![0: ConditionCodes @ 47, 1: Negated @ 49],
    ),
    exact(
        IADD,
        0x4c12 << 48,
        &[SATURATED, extended(43)],
        &[RD, RA, CONSTANT],
        marks![0: ConditionCodes @ 47, 1: Negated @ 49],
    ),
    exact(
        IADD32I,
        0x1c00 << 48,
        &[flag("saturation", 54, &["", "SAT"]), extended(53)],
        &[RD, RA, OperandField::Immediate32 { signed: true }],
        marks![0: ConditionCodes @ 52, 1: Negated @ 56],
    ),
    exact(
        IADD3,
        0x5cc0 << 48,
        &[SHIFTED_SUM, extended(48)],
        &[RD, RA, RB, RC],
        marks![
            0: ConditionCodes @ 47,
            1: Negated @ 51, 1: LowerHalf @ 35, 1: UpperHalf @ 36,
            2: Negated @ 50, 2: LowerHalf @ 33, 2: UpperHalf @ 34,
            3: Negated @ 49, 3: LowerHalf @ 31, 3: UpperHalf @ 32,
        ],
    ),
    exact(
        IADD3,
        0x38c0 << 48,
        &[extended(48)],
        &[RD, RA, OperandField::Immediate20 { signed: false }, RC],
        marks![0: ConditionCodes @ 47, 1: Negated @ 51, 2: Negated @ 50, 3: Negated @ 49],
    ),
    exact(
        IADD3,
        0x4cc0 << 48,
        &[extended(48)],
        &[RD, RA, CONSTANT, RC],
        marks![0: ConditionCodes @ 47, 1: Negated @ 51, 2: Negated @ 50, 3: Negated @ 49],
    ),
    exact(ISCADD, 0x5c18 << 48, &[], &[RD, RA, RB, COUNT], marks![0: ConditionCodes @ 47, 2: Negated @ 48]),
    exact(
        ISCADD,
        0x3818 << 48,
        &[],
        &[RD, RA, IMMEDIATE, COUNT],
        marks![0: ConditionCodes @ 47, 2: Negated @ 48],
    ),
    exact(
        ISCADD,
        0x4c18 << 48,
        &[],
        &[RD, RA, CONSTANT, COUNT],
        marks![0: ConditionCodes @ 47, 2: Negated @ 48],
    ),
    exact(ISCADD, 0x5c1a << 48, &[], &[RD, RA, RB, COUNT], marks![0: ConditionCodes @ 47, 1: Negated @ 49]),
    exact(
        ISCADD,
        0x381a << 48,
        &[],
        &[RD, RA, IMMEDIATE, COUNT],
        marks![0: ConditionCodes @ 47, 1: Negated @ 49],
    ),
    exact(
        ISCADD,
        0x4c1a << 48,
        &[],
        &[RD, RA, CONSTANT, COUNT],
        marks![0: ConditionCodes @ 47, 1: Negated @ 49],
    ),
    exact(IMNMX, 0x5c20 << 48, &[SIGNED, EXTREME], &[RD, RA, RB, PREDICATE], marks![0: ConditionCodes @ 47]),
    exact(
        IMNMX,
        0x3820 << 48,
        &[SIGNED, EXTREME],
        &[RD, RA, IMMEDIATE, PREDICATE],
        marks![0: ConditionCodes @ 47],
    ),
    exact(
        IMNMX,
        0x4c20 << 48,
        &[SIGNED, EXTREME],
        &[RD, RA, CONSTANT, PREDICATE],
        marks![0: ConditionCodes @ 47],
    ),
    product(0x5c38, &[RD, RA, RB]),
    product(0x4c38, &[RD, RA, CONSTANT]),
    product(0x3838, &[RD, RA, IMMEDIATE]),
    exact(
        IMUL32I,
        0x1f00 << 48,
        &[signs(54), product_part(53)],
        &[RD, RA, OperandField::Immediate32 { signed: true }],
        marks![0: ConditionCodes @ 52],
    ),
    exact(
        XMAD,
        0x5b00 << 48,
        &[HALVES, shifted_product(36), SUMMAND, merged(37), extended(38)],
        &[RD, RA, RB, RC],
        marks![0: ConditionCodes @ 47, 1: UpperHalf @ 53, 2: UpperHalf @ 35],
    ),
    exact(
        XMAD,
        0x3600 << 48,
        &[HALVES, shifted_product(36), SUMMAND, merged(37), extended(38)],
        &[RD, RA, OperandField::Immediate16, RC],
        marks![0: ConditionCodes @ 47, 1: UpperHalf @ 53],
    ),
    exact(
        XMAD,
        0x4e00 << 48,
        &[HALVES, shifted_product(55), SHORT_SUMMAND, merged(56), extended(54)],
        &[RD, RA, CONSTANT, RC],
        marks![0: ConditionCodes @ 47, 1: UpperHalf @ 53, 2: UpperHalf @ 52],
    ),
    exact(
        XMAD,
        0x5100 << 48,
        &[HALVES, SHORT_SUMMAND, extended(54)],
        &[RD, RA, RB_HIGH, CONSTANT],
        marks![0: ConditionCodes @ 47, 1: UpperHalf @ 53, 2: UpperHalf @ 52],
    ),
    exact(
        LEA,
        0x5bd0 << 48,
        &[extended(46)],
        &[PREDICATE_OUT, RD, RA, RB, SHIFT_COUNT],
        marks![1: ConditionCodes @ 47, 2: Negated @ 45],
    ),
    exact(
        LEA,
        0x36d0 << 48,
        &[extended(46)],
        &[PREDICATE_OUT, RD, RA, IMMEDIATE, SHIFT_COUNT],
        marks![1: ConditionCodes @ 47, 2: Negated @ 45],
    ),
    exact(
        LEA,
        0x4bd0 << 48,
        &[extended(46)],
        &[PREDICATE_OUT, RD, RA, CONSTANT, SHIFT_COUNT],
        marks![1: ConditionCodes @ 47, 2: Negated @ 45],
    ),
    Form {
        fixed_modifiers: &["HI"],
        ..exact(
            LEA,
            0x5bd8 << 48,
            &[extended(38)],
            &[PREDICATE_OUT, RD, RA, RB, RC, OperandField::ShiftCount { low: 28 }],
            marks![1: ConditionCodes @ 47, 2: Negated @ 37],
        )
    },
    Form {
        fixed_modifiers: &["HI"],
        ..exact(
            LEA,
            0x1800 << 48,
            &[extended(57)],
            &[PREDICATE_OUT, RD, RA, CONSTANT, RC, OperandField::ShiftCount { low: 51 }],
            marks![1: ConditionCodes @ 47, 2: Negated @ 56],
        )
    },
];
