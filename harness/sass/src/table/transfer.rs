//! Registers from registers, numbers and constants: `MOV`, `MOV32I`, `S2R`, `SEL`.

use super::field::{CONSTANT, IMMEDIATE, PREDICATE, RA, RB, RD, exact};
use crate::form::{Form, OperandField};
use crate::mnemonic::Mnemonic as M;

pub(super) static FORMS: &[Form] = &[
    exact(M::S2R, 0xf0c8 << 48, &[], &[RD, OperandField::SystemRegister], &[]),
    exact(M::MOV, 0x5c98_0780 << 32, &[], &[RD, RB], &[]),
    exact(M::MOV, 0x3898_0780 << 32, &[], &[RD, IMMEDIATE], &[]),
    exact(M::MOV, 0x4c98_0780 << 32, &[], &[RD, CONSTANT], &[]),
    exact(M::MOV32I, 0x0100_0000_0000_f000, &[], &[RD, OperandField::Immediate32 { signed: false }], &[]),
    exact(M::SEL, 0x5ca0 << 48, &[], &[RD, RA, RB, PREDICATE], &[]),
    exact(M::SEL, 0x38a0 << 48, &[], &[RD, RA, IMMEDIATE, PREDICATE], &[]),
    exact(M::SEL, 0x4ca0 << 48, &[], &[RD, RA, CONSTANT, PREDICATE], &[]),
];
