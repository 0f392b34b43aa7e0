//! Where control goes.
//!
//! `SSY`, `PBK`, `PCNT` and `PRET` push where `SYNC`, `BRK`, `CONT` and `RET` go to; they have no guard.

use super::field::{exact, flag};
use crate::form::{Form, GUARD_LOW, ModifierField, OperandField, bits_of};
use crate::mnemonic::Mnemonic as M;

const TARGET: &[OperandField] = &[OperandField::Target];
/// Whether all lanes are said to go the same way.
const UNIFORM: ModifierField = flag("uniformity", 7, &["", "U"]);

/// A form without a guard, whose bits select it.
const fn unguarded(mnemonic: M, bits: u64, operands: &'static [OperandField]) -> Form {
    let form = exact(mnemonic, bits, &[], operands, &[]);
    Form { guarded: false, mask: form.mask | bits_of(GUARD_LOW, 4), ..form }
}

pub(super) static FORMS: &[Form] = &[
    exact(M::BRA, 0xe240_0000_0000_000f, &[UNIFORM], TARGET, &[]),
    exact(M::BRX, 0xe250_0000_0000_000f, &[], &[OperandField::Indirect], &[]),
    unguarded(M::SSY, 0xe290 << 48, TARGET),
    unguarded(M::PBK, 0xe2a0 << 48, TARGET),
    unguarded(M::PCNT, 0xe2b0 << 48, TARGET),
    unguarded(M::PRET, 0xe270_0000_0000_0040, TARGET),
    unguarded(M::CAL, 0xe260_0000_0000_0040, TARGET),
    exact(M::SYNC, 0xf0f8_0000_0000_000f, &[], &[], &[]),
    exact(M::BRK, 0xe340_0000_0000_000f, &[], &[], &[]),
    exact(M::CONT, 0xe350_0000_0000_000f, &[], &[], &[]),
    exact(M::RET, 0xe320_0000_0000_000f, &[], &[], &[]),
    exact(M::EXIT, 0xe300_0000_0000_000f, &[], &[], &[]),
    exact(M::NOP, 0x50b0_0000_0000_0f00, &[], &[], &[]),
];
