//! Rows of bit operations: shifts, logic, fields, permutations.

use super::field::{
    CONSTANT, IMMEDIATE, RA, RB, RB_HIGH, RC, RD, SIGNED, alternatives, choice, exact, extended, flag, marks,
};
use super::kind::{Kind, fixed, slow};
use crate::form::{Form, ModifierField, OperandField};
use crate::mnemonic::{Mnemonic as M, Subject};

const FLO: Kind = slow(M::FLO, Subject::Bits);
const BFI: Kind = fixed(M::BFI, Subject::Bits);
const SHL: Kind = fixed(M::SHL, Subject::Arithmetic);
const SHR: Kind = fixed(M::SHR, Subject::Arithmetic);
const BFE: Kind = fixed(M::BFE, Subject::Bits);
const POPC: Kind = slow(M::POPC, Subject::Bits);
const LOP: Kind = fixed(M::LOP, Subject::Arithmetic);
const LOP32I: Kind = fixed(M::LOP32I, Subject::Arithmetic);
const LOP3: Kind = fixed(M::LOP3, Subject::Bits);
const PRMT: Kind = fixed(M::PRMT, Subject::Bits);
const SHF: Kind = fixed(M::SHF, Subject::Bits);

const WRAPPED: ModifierField = flag("treatment of large shifts", 39, &["", "W"]);
const REVERSED: ModifierField = flag("reversal", 40, &["", "BREV"]);
const LOGIC: ModifierField = choice("operation", 41, 2, &["AND", "OR", "XOR", "PASS_B"]);
/// What the predicate says of the result.
const RESULT_TEST: ModifierField = ModifierField {
    role: "test of the result",
    low: 44,
    width: 2,
    names: &["", "T", "Z", "NZ"],
    aliases: &[],
    default: Some(0),
};
const PERMUTATION: ModifierField = ModifierField {
    role: "mode",
    low: 48,
    width: 3,
    names: &["", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16", "INVALIDPMODE7"],
    aliases: &[],
    default: Some(0),
};
const FUNNEL_TYPE: ModifierField = ModifierField {
    role: "type",
    low: 37,
    width: 2,
    names: &["", "INVALIDMAXSHIFT3", "U64", "S64"],
    aliases: &[],
    default: Some(0),
};
const FUNNEL_PART: ModifierField = ModifierField {
    role: "part",
    low: 48,
    width: 2,
    names: &["", "HI", "X", "XHI"],
    aliases: &[],
    default: Some(0),
};
const FUNNEL: &[ModifierField] = &[ModifierField { low: 50, ..WRAPPED }, FUNNEL_TYPE, FUNNEL_PART];
const FUNNEL_COUNT: OperandField = OperandField::Unsigned { low: 20, width: 6 };

/// The truth table of `LOP3`, whose bit `4a + 2b + c` is the result.
const fn truth_table(low: u8) -> OperandField {
    OperandField::Unsigned { low, width: 8 }
}
const PREDICATE_OUT: OperandField = OperandField::OptionalPredicate { low: 48 };

/// The highest bit that differs from the sign; with `.SH` how far left it would have to go.
pub(super) static FIND_LEADING: [Form; 3] = alternatives(
    FLO,
    [0x5c30, 0x4c30, 0x3830],
    &[SIGNED, flag("kind of answer", 41, &["", "SH"])],
    [&[RD, RB], &[RD, CONSTANT], &[RD, IMMEDIATE]],
    marks![0: ConditionCodes @ 47, 1: Inverted @ 40],
);

pub(super) static INSERT: [Form; 4] = alternatives(
    BFI,
    [0x5bf0, 0x53f0, 0x4bf0, 0x36f0],
    &[],
    [&[RD, RA, RB, RC], &[RD, RA, RB_HIGH, CONSTANT], &[RD, RA, CONSTANT, RC], &[RD, RA, IMMEDIATE, RC]],
    marks![0: ConditionCodes @ 47],
);

pub(super) static FORMS: &[Form] = &[
    exact(SHL, 0x5c48 << 48, &[WRAPPED, extended(43)], &[RD, RA, RB], marks![0: ConditionCodes @ 47]),
    exact(SHL, 0x3848 << 48, &[WRAPPED, extended(43)], &[RD, RA, IMMEDIATE], marks![0: ConditionCodes @ 47]),
    exact(SHL, 0x4c48 << 48, &[WRAPPED, extended(43)], &[RD, RA, CONSTANT], marks![0: ConditionCodes @ 47]),
    exact(
        SHR,
        0x5c28 << 48,
        &[SIGNED, WRAPPED, extended(44), REVERSED],
        &[RD, RA, RB],
        marks![0: ConditionCodes @ 47],
    ),
    exact(
        SHR,
        0x3828 << 48,
        &[SIGNED, WRAPPED, extended(44), REVERSED],
        &[RD, RA, IMMEDIATE],
        marks![0: ConditionCodes @ 47],
    ),
    exact(
        SHR,
        0x4c28 << 48,
        &[SIGNED, WRAPPED, extended(44), REVERSED],
        &[RD, RA, CONSTANT],
        marks![0: ConditionCodes @ 47],
    ),
    exact(BFE, 0x5c00 << 48, &[SIGNED, REVERSED], &[RD, RA, RB], marks![0: ConditionCodes @ 47]),
    exact(BFE, 0x3800 << 48, &[SIGNED, REVERSED], &[RD, RA, IMMEDIATE], marks![0: ConditionCodes @ 47]),
    exact(BFE, 0x4c00 << 48, &[SIGNED, REVERSED], &[RD, RA, CONSTANT], marks![0: ConditionCodes @ 47]),
    exact(POPC, 0x5c08 << 48, &[], &[RD, RB], marks![1: Inverted @ 40]),
    exact(POPC, 0x3808 << 48, &[], &[RD, IMMEDIATE], marks![1: Inverted @ 40]),
    exact(POPC, 0x4c08 << 48, &[], &[RD, CONSTANT], marks![1: Inverted @ 40]),
    exact(
        LOP,
        0x5c40 << 48,
        &[LOGIC, extended(43), RESULT_TEST],
        &[PREDICATE_OUT, RD, RA, RB],
        marks![1: ConditionCodes @ 47, 2: Inverted @ 39, 3: Inverted @ 40],
    ),
    exact(
        LOP,
        0x3840 << 48,
        &[LOGIC, extended(43), RESULT_TEST],
        &[PREDICATE_OUT, RD, RA, IMMEDIATE],
        marks![1: ConditionCodes @ 47, 2: Inverted @ 39, 3: Inverted @ 40],
    ),
    exact(
        LOP,
        0x4c40 << 48,
        &[LOGIC, extended(43), RESULT_TEST],
        &[PREDICATE_OUT, RD, RA, CONSTANT],
        marks![1: ConditionCodes @ 47, 2: Inverted @ 39, 3: Inverted @ 40],
    ),
    exact(
        LOP32I,
        0x0400 << 48,
        &[ModifierField { low: 53, ..LOGIC }, extended(57)],
        &[RD, RA, OperandField::Immediate32 { signed: false }],
        marks![0: ConditionCodes @ 52, 1: Inverted @ 55, 2: Inverted @ 56],
    ),
    Form {
        fixed_modifiers: &["LUT"],
        ..exact(
            LOP3,
            0x5be0 << 48,
            &[extended(38), ModifierField { low: 36, ..RESULT_TEST }],
            &[PREDICATE_OUT, RD, RA, RB, RC, truth_table(28)],
            marks![1: ConditionCodes @ 47],
        )
    },
    Form {
        fixed_modifiers: &["LUT"],
        ..exact(
            LOP3,
            0x3c00 << 48,
            &[extended(57)],
            &[RD, RA, IMMEDIATE, RC, truth_table(48)],
            marks![0: ConditionCodes @ 47],
        )
    },
    Form {
        fixed_modifiers: &["LUT"],
        ..exact(
            LOP3,
            0x0200 << 48,
            &[extended(56)],
            &[RD, RA, CONSTANT, RC, truth_table(48)],
            marks![0: ConditionCodes @ 47],
        )
    },
    exact(PRMT, 0x5bc0 << 48, &[PERMUTATION], &[RD, RA, RB, RC], &[]),
    exact(PRMT, 0x53c0 << 48, &[PERMUTATION], &[RD, RA, RB_HIGH, CONSTANT], &[]),
    exact(PRMT, 0x36c0 << 48, &[PERMUTATION], &[RD, RA, IMMEDIATE, RC], &[]),
    exact(PRMT, 0x4bc0 << 48, &[PERMUTATION], &[RD, RA, CONSTANT, RC], &[]),
    Form {
        fixed_modifiers: &["L"],
        ..exact(SHF, 0x5bf8 << 48, FUNNEL, &[RD, RA, RB, RC], marks![0: ConditionCodes @ 47])
    },
    Form {
        fixed_modifiers: &["L"],
        ..exact(SHF, 0x36f8 << 48, FUNNEL, &[RD, RA, FUNNEL_COUNT, RC], marks![0: ConditionCodes @ 47])
    },
    Form {
        fixed_modifiers: &["R"],
        ..exact(SHF, 0x5cf8 << 48, FUNNEL, &[RD, RA, RB, RC], marks![0: ConditionCodes @ 47])
    },
    Form {
        fixed_modifiers: &["R"],
        ..exact(SHF, 0x38f8 << 48, FUNNEL, &[RD, RA, FUNNEL_COUNT, RC], marks![0: ConditionCodes @ 47])
    },
];
