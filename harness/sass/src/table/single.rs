//! Arithmetic on singles.

use super::field::{
    AS_FLOAT_52, COMBINATION, CONSTANT, PREDICATE, RA, RB, RB_HIGH, RC, RD, SINGLE, alternatives, choice,
    exact, flag, marks, rounding,
};
use super::kind::{Kind, fixed, slow};
use crate::form::{Form, ModifierField, OperandField, bits_of};
use crate::mnemonic::{Mnemonic as M, Subject};

const FADD: Kind = fixed(M::FADD, Subject::Float);
const FMUL: Kind = fixed(M::FMUL, Subject::Float);
const FFMA: Kind = fixed(M::FFMA, Subject::Float);
const FMNMX: Kind = fixed(M::FMNMX, Subject::Float);
const FSETP: Kind = fixed(M::FSETP, Subject::Float);
const FSET: Kind = fixed(M::FSET, Subject::Float);
const FCMP: Kind = fixed(M::FCMP, Subject::Float);
const FFMA32I: Kind = fixed(M::FFMA32I, Subject::Float);
const FSWZADD: Kind = fixed(M::FSWZADD, Subject::Float);
const FCHK: Kind = fixed(M::FCHK, Subject::Float);
const RRO: Kind = fixed(M::RRO, Subject::Float);
const FADD32I: Kind = fixed(M::FADD32I, Subject::Float);
const FMUL32I: Kind = fixed(M::FMUL32I, Subject::Float);
const MUFU: Kind = slow(M::MUFU, Subject::Float);

/// Subnormal numbers count as zero.
const fn flushed(low: u8) -> ModifierField {
    flag("flushing", low, &["", "FTZ"])
}
/// The same, and zero times anything is zero.
const fn multiply_flushed(low: u8) -> ModifierField {
    ModifierField {
        role: "flushing",
        low,
        width: 2,
        names: &["", "FTZ", "FMZ", "INVALIDFMZ3"],
        aliases: &[],
        default: Some(0),
    }
}
/// The result is brought between 0 and 1.
const fn saturated(low: u8) -> ModifierField {
    flag("saturation", low, &["", "SAT"])
}
const SCALE: ModifierField = ModifierField {
    role: "scale",
    low: 41,
    width: 3,
    names: &["", "D2", "D4", "D8", "M8", "M4", "M2", "INVALIDSCALE37"],
    aliases: &[],
    default: Some(0),
};
const COMPARISON: ModifierField = choice("comparison", 48, 4, ORDERS);
/// The comparisons of floating-point numbers: those with a `U` hold of what is not ordered, too.
pub(super) const ORDERS: &[&str] =
    &["F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"];
const FUNCTION: ModifierField = choice(
    "function",
    20,
    4,
    &[
        "COS",
        "SIN",
        "EX2",
        "LG2",
        "RCP",
        "RSQ",
        "RCP64H",
        "RSQ64H",
        // From sm_52 on: `nvdisasm -b SM50` has no name for it.
        "SQRT",
        "INVALIDMUFUOPCODE9",
        "INVALIDMUFUOPCODEA",
        "INVALIDMUFUOPCODEB",
        "INVALIDMUFUOPCODEC",
        "INVALIDMUFUOPCODED",
        "INVALIDMUFUOPCODEE",
        "INVALIDMUFUOPCODEF",
    ],
);

const FIRST: OperandField = OperandField::PredicateOut { low: 3 };
const SECOND: OperandField = OperandField::PredicateOut { low: 0 };

pub(super) static ADD: [Form; 3] = alternatives(
    FADD,
    [0x5c58, 0x4c58, 0x3858],
    &[flushed(44), rounding(39), saturated(50)],
    [&[RD, RA, RB], &[RD, RA, CONSTANT], &[RD, RA, SINGLE]],
    marks![0: ConditionCodes @ 47, 1: Negated @ 48, 1: Absolute @ 46, 2: Negated @ 45, 2: Absolute @ 49],
);

pub(super) static MULTIPLY: [Form; 3] = alternatives(
    FMUL,
    [0x5c68, 0x4c68, 0x3868],
    &[multiply_flushed(44), SCALE, rounding(39), saturated(50)],
    [&[RD, RA, RB], &[RD, RA, CONSTANT], &[RD, RA, SINGLE]],
    marks![0: ConditionCodes @ 47, 2: Negated @ 48],
);

pub(super) static MULTIPLY_ADD: [Form; 4] = alternatives(
    FFMA,
    [0x5980, 0x5180, 0x4980, 0x3280],
    &[multiply_flushed(53), rounding(51), saturated(50)],
    [&[RD, RA, RB, RC], &[RD, RA, RB_HIGH, CONSTANT], &[RD, RA, CONSTANT, RC], &[RD, RA, SINGLE, RC]],
    marks![0: ConditionCodes @ 47, 2: Negated @ 48, 3: Negated @ 49],
);

pub(super) static EXTREMUM: [Form; 3] = alternatives(
    FMNMX,
    [0x5c60, 0x4c60, 0x3860],
    &[flushed(44)],
    [&[RD, RA, RB, PREDICATE], &[RD, RA, CONSTANT, PREDICATE], &[RD, RA, SINGLE, PREDICATE]],
    marks![0: ConditionCodes @ 47, 1: Negated @ 48, 1: Absolute @ 46, 2: Negated @ 45, 2: Absolute @ 49],
);

pub(super) static COMPARE: [Form; 3] = alternatives(
    FSETP,
    [0x5bb0, 0x4bb0, 0x36b0],
    &[COMPARISON, flushed(47), COMBINATION],
    [
        &[FIRST, SECOND, RA, RB, PREDICATE],
        &[FIRST, SECOND, RA, CONSTANT, PREDICATE],
        &[FIRST, SECOND, RA, SINGLE, PREDICATE],
    ],
    marks![2: Negated @ 43, 2: Absolute @ 7, 3: Negated @ 6, 3: Absolute @ 44],
);

pub(super) static SET: [Form; 3] = alternatives(
    FSET,
    [0x5800, 0x4800, 0x3000],
    &[AS_FLOAT_52, COMPARISON, flushed(55), COMBINATION],
    [&[RD, RA, RB, PREDICATE], &[RD, RA, CONSTANT, PREDICATE], &[RD, RA, SINGLE, PREDICATE]],
    marks![0: ConditionCodes @ 47, 1: Negated @ 43, 1: Absolute @ 54, 2: Negated @ 53, 2: Absolute @ 44],
);

/// `FCMP` alone leaves the comparison `GT` out.
const WITH_ZERO: ModifierField = ModifierField {
    role: "comparison",
    low: 48,
    width: 4,
    names: &[
        "F", "LT", "EQ", "LE", "", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T",
    ],
    aliases: &[("GT", 4)],
    default: Some(4),
};
pub(super) static CHOOSE: [Form; 4] = alternatives(
    FCMP,
    [0x5ba0, 0x53a0, 0x4ba0, 0x36a0],
    &[WITH_ZERO, flushed(47)],
    [&[RD, RA, RB, RC], &[RD, RA, RB_HIGH, CONSTANT], &[RD, RA, CONSTANT, RC], &[RD, RA, SINGLE, RC]],
    &[],
);

const CHECKED: &[ModifierField] = &[choice("check", 39, 1, &["DIVIDE", "INVALIDCHKMODE1"])];
/// Whether a division needs the long way. Bits 7:6 and 2:0, where others have marks and a second predicate, are ignored.
const fn check(top: u64, operands: &'static [OperandField]) -> Form {
    let form = exact(
        FCHK,
        top << 48,
        CHECKED,
        operands,
        marks![1: Negated @ 48, 1: Absolute @ 46, 2: Negated @ 45, 2: Absolute @ 49],
    );
    Form { mask: form.mask & !(bits_of(0, 3) | bits_of(6, 2)), ..form }
}
pub(super) static CHECK: [Form; 3] = [
    check(0x5c88, &[FIRST, RA, RB]),
    check(0x4c88, &[FIRST, RA, CONSTANT]),
    check(0x3888, &[FIRST, RA, SINGLE]),
];

/// The argument of `MUFU` brought into its range.
pub(super) static REDUCE: [Form; 3] = alternatives(
    RRO,
    [0x5c90, 0x4c90, 0x3890],
    &[choice("function", 39, 1, &["SINCOS", "EX2"])],
    [&[RD, RB], &[RD, CONSTANT], &[RD, SINGLE]],
    marks![1: Negated @ 45, 1: Absolute @ 49],
);

pub(super) static FORMS: &[Form] = &[
    exact(
        FADD32I,
        0x0800 << 48,
        &[flushed(55)],
        &[RD, RA, OperandField::Float32],
        marks![
            0: ConditionCodes @ 52, 1: Negated @ 56, 1: Absolute @ 54, 2: Negated @ 53, 2: Absolute @ 57
        ],
    ),
    exact(
        FMUL32I,
        0x1e00 << 48,
        &[multiply_flushed(53), saturated(55)],
        &[RD, RA, OperandField::Float32],
        marks![0: ConditionCodes @ 52],
    ),
    exact(
        FFMA32I,
        0x0c00 << 48,
        &[multiply_flushed(53), saturated(55)],
        &[RD, RA, OperandField::Float32, OperandField::RdAgain],
        marks![0: ConditionCodes @ 52, 1: Negated @ 56, 3: Negated @ 57],
    ),
    exact(
        FSWZADD,
        0x50f8 << 48,
        &[flushed(44), rounding(39), flag("derivative", 38, &["", "NDV"])],
        &[RD, RA, RB, OperandField::Swizzle],
        marks![0: ConditionCodes @ 47],
    ),
    exact(
        MUFU,
        0x5080 << 48,
        &[FUNCTION, saturated(50)],
        &[RD, RA],
        marks![1: Negated @ 48, 1: Absolute @ 46],
    ),
];
