//! Registers from registers, numbers and constants: `MOV`, `MOV32I`, `S2R`, `CS2R`, `SEL`.

use super::field::{CONSTANT, IMMEDIATE, PREDICATE, RA, RB, RD, exact};
use super::kind::{Kind, fixed, open};
use crate::form::{Form, OperandField};
use crate::mnemonic::{Mnemonic as M, Subject};

const S2R: Kind = open(M::S2R, Subject::Special);
/// ptxas 12.9 waits six cycles for its result and names no barrier.
const CS2R: Kind = fixed(M::CS2R, Subject::Special);
const MOV: Kind = fixed(M::MOV, Subject::Arithmetic);
const MOV32I: Kind = fixed(M::MOV32I, Subject::Arithmetic);
const SEL: Kind = fixed(M::SEL, Subject::Arithmetic);

pub(super) static FORMS: &[Form] = &[
    exact(S2R, 0xf0c8 << 48, &[], &[RD, OperandField::SystemRegister], &[]),
    exact(CS2R, 0x50c8 << 48, &[], &[RD, OperandField::SystemRegister], &[]),
    exact(MOV, 0x5c98 << 48, &[], &[RD, RB, OperandField::QuadLanes { low: 39 }], &[]),
    exact(MOV, 0x3898 << 48, &[], &[RD, IMMEDIATE, OperandField::QuadLanes { low: 39 }], &[]),
    exact(MOV, 0x4c98 << 48, &[], &[RD, CONSTANT, OperandField::QuadLanes { low: 39 }], &[]),
    exact(
        MOV32I,
        0x0100 << 48,
        &[],
        &[RD, OperandField::Immediate32 { signed: false }, OperandField::QuadLanes { low: 12 }],
        &[],
    ),
    exact(SEL, 0x5ca0 << 48, &[], &[RD, RA, RB, PREDICATE], &[]),
    exact(SEL, 0x38a0 << 48, &[], &[RD, RA, IMMEDIATE, PREDICATE], &[]),
    exact(SEL, 0x4ca0 << 48, &[], &[RD, RA, CONSTANT, PREDICATE], &[]),
];
