//! Comparisons and operations on predicates.

use super::field::{
    COMBINATION, CONSTANT, IMMEDIATE, PREDICATE, RA, RB, RB_HIGH, RC, RD, SIGNED, alternatives, choice,
    exact, extended, flag, marks,
};
use super::kind::{Kind, fixed};
use crate::condition_code;
use crate::form::{Form, MarkField, ModifierField, OperandField};
use crate::mnemonic::{Mnemonic as M, Subject};

const ISET: Kind = fixed(M::ISET, Subject::Arithmetic);
const ISETP: Kind = fixed(M::ISETP, Subject::Arithmetic);
const ICMP: Kind = fixed(M::ICMP, Subject::Arithmetic);
const PSET: Kind = fixed(M::PSET, Subject::Predicates);
const CSET: Kind = fixed(M::CSET, Subject::Predicates);
const CSETP: Kind = fixed(M::CSETP, Subject::Predicates);
const P2R: Kind = fixed(M::P2R, Subject::Predicates);
const R2P: Kind = fixed(M::R2P, Subject::Predicates);
const PSETP: Kind = fixed(M::PSETP, Subject::Arithmetic);

const COMPARISON: ModifierField =
    choice("comparison", 49, 3, &["F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"]);
const FIRST: OperandField = OperandField::PredicateOut { low: 3 };
const SECOND: OperandField = OperandField::PredicateOut { low: 0 };
const SET_PREDICATE: &[ModifierField] = &[COMPARISON, SIGNED, extended(43), COMBINATION];
/// Whether true is 1.0 rather than all bits.
const AS_FLOAT: ModifierField = flag("kind of truth", 44, &["", "BF"]);
const LOGIC: ModifierField = choice("operation", 24, 2, &["AND", "OR", "XOR", "INVALIDBOP3"]);

/// What is asked of the condition codes.
const CODE_TEST: ModifierField = choice("test of the condition codes", 8, 5, condition_code::NAMES);
const CODES: OperandField = OperandField::ConditionCodes;
const PREDICATES: OperandField = OperandField::AllPredicates;
/// The byte of a register that holds predicates or condition codes.
const BYTE: ModifierField = ModifierField {
    role: "byte",
    low: 41,
    width: 2,
    names: &["", "B1", "B2", "B3"],
    aliases: &[("B0", 0)],
    default: Some(0),
};
const MASK: OperandField = OperandField::Immediate20 { signed: false };

/// `P2R` and `R2P` of the predicates, and with bit 40 of the condition codes.
pub(super) static OF_CODES: [Form; 6] = [
    exact(P2R, 0x5ce8 << 48, &[BYTE], &[RD, PREDICATES, RA, RB], &[]),
    exact(P2R, 0x4ce8 << 48, &[BYTE], &[RD, PREDICATES, RA, CONSTANT], &[]),
    exact(P2R, 0x38e8 << 48, &[BYTE], &[RD, PREDICATES, RA, IMMEDIATE], &[]),
    exact(P2R, 0x5ce8 << 48 | 1 << 40, &[BYTE], &[RD, CODES, RA, RB], &[]),
    exact(P2R, 0x4ce8 << 48 | 1 << 40, &[BYTE], &[RD, CODES, RA, CONSTANT], &[]),
    exact(P2R, 0x38e8 << 48 | 1 << 40, &[BYTE], &[RD, CODES, RA, IMMEDIATE], &[]),
];
const PART: &[MarkField] = marks![1: ByteOne @ 41, 1: ByteTwo @ 42];
pub(super) static TO_CODES: [Form; 6] = [
    exact(R2P, 0x5cf0 << 48, &[], &[PREDICATES, RA, RB], PART),
    exact(R2P, 0x4cf0 << 48, &[], &[PREDICATES, RA, CONSTANT], PART),
    exact(R2P, 0x38f0 << 48, &[], &[PREDICATES, RA, MASK], PART),
    exact(R2P, 0x5cf0 << 48 | 1 << 40, &[], &[CODES, RA, RB], PART),
    exact(R2P, 0x4cf0 << 48 | 1 << 40, &[], &[CODES, RA, CONSTANT], PART),
    exact(R2P, 0x38f0 << 48 | 1 << 40, &[], &[CODES, RA, MASK], PART),
];

pub(super) static SET: [Form; 3] = alternatives(
    ISET,
    [0x5b50, 0x4b50, 0x3650],
    &[AS_FLOAT, COMPARISON, SIGNED, extended(43), COMBINATION],
    [&[RD, RA, RB, PREDICATE], &[RD, RA, CONSTANT, PREDICATE], &[RD, RA, IMMEDIATE, PREDICATE]],
    marks![0: ConditionCodes @ 47],
);

pub(super) static FORMS: &[Form] = &[
    exact(ISETP, 0x5b60 << 48, SET_PREDICATE, &[FIRST, SECOND, RA, RB, PREDICATE], &[]),
    exact(ISETP, 0x3660 << 48, SET_PREDICATE, &[FIRST, SECOND, RA, IMMEDIATE, PREDICATE], &[]),
    exact(ISETP, 0x4b60 << 48, SET_PREDICATE, &[FIRST, SECOND, RA, CONSTANT, PREDICATE], &[]),
    exact(ICMP, 0x5b40 << 48, &[COMPARISON, SIGNED], &[RD, RA, RB, RC], &[]),
    exact(ICMP, 0x3640 << 48, &[COMPARISON, SIGNED], &[RD, RA, IMMEDIATE, RC], &[]),
    exact(ICMP, 0x5340 << 48, &[COMPARISON, SIGNED], &[RD, RA, RB_HIGH, CONSTANT], &[]),
    exact(ICMP, 0x4b40 << 48, &[COMPARISON, SIGNED], &[RD, RA, CONSTANT, RC], &[]),
    exact(
        PSETP,
        0x5090 << 48,
        &[LOGIC, COMBINATION],
        &[
            FIRST,
            SECOND,
            OperandField::PredicateIn { low: 12 },
            OperandField::PredicateIn { low: 29 },
            PREDICATE,
        ],
        &[],
    ),
    exact(
        PSET,
        0x5088 << 48,
        &[AS_FLOAT, LOGIC, COMBINATION],
        &[RD, OperandField::PredicateIn { low: 12 }, OperandField::PredicateIn { low: 29 }, PREDICATE],
        marks![0: ConditionCodes @ 47],
    ),
    exact(
        CSET,
        0x5098 << 48,
        &[AS_FLOAT, CODE_TEST, COMBINATION],
        &[RD, CODES, PREDICATE],
        marks![0: ConditionCodes @ 47],
    ),
    exact(CSETP, 0x50a0 << 48, &[CODE_TEST, COMBINATION], &[FIRST, SECOND, CODES, PREDICATE], &[]),
];
