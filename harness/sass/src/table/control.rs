//! Control flow.
//!
//! `SSY`, `PBK`, `PCNT` and `PRET` push where `SYNC`, `BRK`, `CONT` and `RET` go to; they have no guard.

use super::field::{exact, flag};
use super::kind::{Kind, fixed};
use crate::form::{Form, GUARD_LOW, ModifierField, OperandField, bits_of};
use crate::mnemonic::{Mnemonic as M, Subject};

const BRA: Kind = fixed(M::BRA, Subject::Control);
const BRX: Kind = fixed(M::BRX, Subject::Control);
const SSY: Kind = fixed(M::SSY, Subject::Control);
const PBK: Kind = fixed(M::PBK, Subject::Control);
const PCNT: Kind = fixed(M::PCNT, Subject::Control);
const PRET: Kind = fixed(M::PRET, Subject::Control);
const CAL: Kind = fixed(M::CAL, Subject::Control);
const SYNC: Kind = fixed(M::SYNC, Subject::Control);
const BRK: Kind = fixed(M::BRK, Subject::Control);
const CONT: Kind = fixed(M::CONT, Subject::Control);
const RET: Kind = fixed(M::RET, Subject::Control);
const EXIT: Kind = fixed(M::EXIT, Subject::Control);
const NOP: Kind = fixed(M::NOP, Subject::Control);

const TARGET: &[OperandField] = &[OperandField::Target];
/// Whether all lanes are said to go the same way.
const UNIFORM: ModifierField = flag("uniformity", 7, &["", "U"]);

/// A form without a guard, whose bits select it.
const fn unguarded(kind: Kind, bits: u64, operands: &'static [OperandField]) -> Form {
    let form = exact(kind, bits, &[], operands, &[]);
    Form { guarded: false, mask: form.mask | bits_of(GUARD_LOW, 4), ..form }
}

pub(super) static FORMS: &[Form] = &[
    exact(BRA, 0xe240_0000_0000_000f, &[UNIFORM], TARGET, &[]),
    exact(BRX, 0xe250_0000_0000_000f, &[], &[OperandField::Indirect], &[]),
    unguarded(SSY, 0xe290 << 48, TARGET),
    unguarded(PBK, 0xe2a0 << 48, TARGET),
    unguarded(PCNT, 0xe2b0 << 48, TARGET),
    unguarded(PRET, 0xe270_0000_0000_0040, TARGET),
    unguarded(CAL, 0xe260_0000_0000_0040, TARGET),
    exact(SYNC, 0xf0f8_0000_0000_000f, &[], &[], &[]),
    exact(BRK, 0xe340_0000_0000_000f, &[], &[], &[]),
    exact(CONT, 0xe350_0000_0000_000f, &[], &[], &[]),
    exact(RET, 0xe320_0000_0000_000f, &[], &[], &[]),
    exact(EXIT, 0xe300_0000_0000_000f, &[], &[], &[]),
    exact(NOP, 0x50b0_0000_0000_0f00, &[], &[], &[]),
];
