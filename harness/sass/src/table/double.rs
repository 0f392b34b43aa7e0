//! Arithmetic on doubles, which are pairs of registers.

use super::field::{
    AS_FLOAT_52, COMBINATION, CONSTANT, DOUBLE, PREDICATE, RA, RB, RB_HIGH, RC, RD, alternatives, choice,
    marks, rounding,
};
use super::kind::{Kind, slow};
use super::single::ORDERS;
use crate::form::{Form, OperandField};
use crate::mnemonic::{Mnemonic as M, Subject};

const DADD: Kind = slow(M::DADD, Subject::Float).of_doubles().keeping_sources();
const DMUL: Kind = slow(M::DMUL, Subject::Float).of_doubles().keeping_sources();
const DFMA: Kind = slow(M::DFMA, Subject::Float).of_doubles().keeping_sources();
const DMNMX: Kind = slow(M::DMNMX, Subject::Float).of_doubles();
const DSETP: Kind = slow(M::DSETP, Subject::Float).of_doubles();
const DSET: Kind = slow(M::DSET, Subject::Float).of_doubles();

const FIRST: OperandField = OperandField::PredicateOut { low: 3 };
const SECOND: OperandField = OperandField::PredicateOut { low: 0 };

pub(super) static ADD: [Form; 3] = alternatives(
    DADD,
    [0x5c70, 0x4c70, 0x3870],
    &[rounding(39)],
    [&[RD, RA, RB], &[RD, RA, CONSTANT], &[RD, RA, DOUBLE]],
    marks![0: ConditionCodes @ 47, 1: Negated @ 48, 1: Absolute @ 46, 2: Negated @ 45, 2: Absolute @ 49],
);

pub(super) static MULTIPLY: [Form; 3] = alternatives(
    DMUL,
    [0x5c80, 0x4c80, 0x3880],
    &[rounding(39)],
    [&[RD, RA, RB], &[RD, RA, CONSTANT], &[RD, RA, DOUBLE]],
    marks![0: ConditionCodes @ 47, 2: Negated @ 48],
);

pub(super) static MULTIPLY_ADD: [Form; 4] = alternatives(
    DFMA,
    [0x5b70, 0x5370, 0x4b70, 0x3670],
    &[rounding(50)],
    [&[RD, RA, RB, RC], &[RD, RA, RB_HIGH, CONSTANT], &[RD, RA, CONSTANT, RC], &[RD, RA, DOUBLE, RC]],
    marks![0: ConditionCodes @ 47, 2: Negated @ 48, 3: Negated @ 49],
);

pub(super) static EXTREMUM: [Form; 3] = alternatives(
    DMNMX,
    [0x5c50, 0x4c50, 0x3850],
    &[],
    [&[RD, RA, RB, PREDICATE], &[RD, RA, CONSTANT, PREDICATE], &[RD, RA, DOUBLE, PREDICATE]],
    marks![0: ConditionCodes @ 47, 1: Negated @ 48, 1: Absolute @ 46, 2: Negated @ 45, 2: Absolute @ 49],
);

pub(super) static COMPARE: [Form; 3] = alternatives(
    DSETP,
    [0x5b80, 0x4b80, 0x3680],
    &[choice("comparison", 48, 4, ORDERS), COMBINATION],
    [
        &[FIRST, SECOND, RA, RB, PREDICATE],
        &[FIRST, SECOND, RA, CONSTANT, PREDICATE],
        &[FIRST, SECOND, RA, DOUBLE, PREDICATE],
    ],
    marks![2: Negated @ 43, 2: Absolute @ 7, 3: Negated @ 6, 3: Absolute @ 44],
);

/// The same in a register of 32 bits.
pub(super) static SET: [Form; 3] = alternatives(
    DSET,
    [0x5900, 0x4900, 0x3200],
    &[AS_FLOAT_52, choice("comparison", 48, 4, ORDERS), COMBINATION],
    [&[RD, RA, RB, PREDICATE], &[RD, RA, CONSTANT, PREDICATE], &[RD, RA, DOUBLE, PREDICATE]],
    marks![0: ConditionCodes @ 47, 1: Negated @ 43, 1: Absolute @ 54, 2: Negated @ 53, 2: Absolute @ 44],
);
