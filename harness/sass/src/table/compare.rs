//! Comparisons and operations on predicates.

use super::field::{
    COMBINATION, CONSTANT, IMMEDIATE, PREDICATE, RA, RB, RC, RD, SIGNED, alternatives, choice, exact,
    extended, flag, marks,
};
use super::kind::{Kind, fixed};
use crate::form::{Form, ModifierField, OperandField};
use crate::mnemonic::{Mnemonic as M, Subject};

const ISET: Kind = fixed(M::ISET, Subject::Arithmetic);
const ISETP: Kind = fixed(M::ISETP, Subject::Arithmetic);
const ICMP: Kind = fixed(M::ICMP, Subject::Arithmetic);
const PSETP: Kind = fixed(M::PSETP, Subject::Arithmetic);

const COMPARISON: ModifierField =
    choice("comparison", 49, 3, &["F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"]);
const FIRST: OperandField = OperandField::PredicateOut { low: 3 };
const SECOND: OperandField = OperandField::PredicateOut { low: 0 };
const SET_PREDICATE: &[ModifierField] = &[COMPARISON, SIGNED, extended(43), COMBINATION];
/// Whether true is 1.0 rather than all bits.
const AS_FLOAT: ModifierField = flag("kind of truth", 44, &["", "BF"]);
const LOGIC: ModifierField = choice("operation", 24, 2, &["AND", "OR", "XOR", "INVALIDBOP3"]);

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
];
