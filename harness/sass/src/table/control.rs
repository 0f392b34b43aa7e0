//! Rows of control flow: branches, `SSY`, `SYNC`, `EXIT`.
//!
//! `SSY`, `PBK`, `PCNT` and `PRET` push where `SYNC`, `BRK`, `CONT` and `RET` go to, and `CAL` pushes where it returns to; these have no
//! guard. Where control goes is an offset from the next word; with bit 5 set it stands in a constant.

use super::field::{exact, flag};
use super::kind::{Kind, fixed};
use crate::form::{Form, GUARD_LOW, ModifierField, OperandField, bits_of};
use crate::mnemonic::{Mnemonic as M, Subject};

const BRA: Kind = fixed(M::BRA, Subject::Control);
const BRX: Kind = fixed(M::BRX, Subject::Control);
const JMP: Kind = fixed(M::JMP, Subject::Control);
const JMX: Kind = fixed(M::JMX, Subject::Control);
const SSY: Kind = fixed(M::SSY, Subject::Control);
const PBK: Kind = fixed(M::PBK, Subject::Control);
const PCNT: Kind = fixed(M::PCNT, Subject::Control);
const PRET: Kind = fixed(M::PRET, Subject::Control);
const PEXIT: Kind = fixed(M::PEXIT, Subject::Control);
const CAL: Kind = fixed(M::CAL, Subject::Control);
const JCAL: Kind = fixed(M::JCAL, Subject::Control);
const SYNC: Kind = fixed(M::SYNC, Subject::Control);
const BRK: Kind = fixed(M::BRK, Subject::Control);
const CONT: Kind = fixed(M::CONT, Subject::Control);
const RET: Kind = fixed(M::RET, Subject::Control);
const LONGJMP: Kind = fixed(M::LONGJMP, Subject::Control);
const KIL: Kind = fixed(M::KIL, Subject::Control);
const EXIT: Kind = fixed(M::EXIT, Subject::Control);
const BPT: Kind = fixed(M::BPT, Subject::Control);
const NOP: Kind = fixed(M::NOP, Subject::Control);

/// The test of the condition codes that, together with the guard, says whether control goes there.
const CONDITION: OperandField = OperandField::Condition { low: 0 };
const TARGET: &[OperandField] = &[OperandField::Target];
const CONSTANT: &[OperandField] = &[OperandField::ConstantTarget];
const TESTED: &[OperandField] = &[CONDITION];
/// Whether all lanes are said to go the same way.
const UNIFORM: ModifierField = flag("uniformity", 7, &["", "U"]);
const LIMIT: ModifierField = flag("limit", 6, &["", "LMT"]);
/// The bit that says that the return address is the next instruction is set where nothing is written.
const INCREMENT: &[ModifierField] = &[ModifierField {
    role: "increment",
    low: 6,
    width: 1,
    names: &["NOINC", ""],
    aliases: &[("INC", 1)],
    default: Some(1),
}];
const KEEP: &[ModifierField] = &[flag("reference count", 5, &["", "KEEPREFCOUNT"])];
const BREAKPOINT: &[ModifierField] = &[ModifierField {
    role: "kind",
    low: 6,
    width: 3,
    names: &["DRAIN_ILLEGAL", "CAL", "PAUSE", "TRAP", "INT", "DRAIN", "???6", "???7"],
    aliases: &[],
    default: None,
}];
const TRIGGER: &[ModifierField] = &[flag("trigger", 13, &["", "TRIG"])];

/// A form without a guard, whose bits select it.
const fn unguarded(
    kind: Kind,
    bits: u64,
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
) -> Form {
    let form = exact(kind, bits, modifiers, operands, &[]);
    Form { guarded: false, mask: form.mask | bits_of(GUARD_LOW, 4), ..form }
}

/// The bit that says that where control goes stands in a constant.
const IN_CONSTANT: u64 = 1 << 5;

pub(super) static FORMS: &[Form] = &[
    exact(BRA, 0xe240 << 48, &[UNIFORM, LIMIT], &[CONDITION, OperandField::Target], &[]),
    exact(
        BRA,
        0xe240 << 48 | IN_CONSTANT,
        &[UNIFORM, LIMIT],
        &[CONDITION, OperandField::ConstantTarget],
        &[],
    ),
    exact(JMP, 0xe210 << 48, &[UNIFORM, LIMIT], &[CONDITION, OperandField::AbsoluteTarget], &[]),
    exact(
        JMP,
        0xe210 << 48 | IN_CONSTANT,
        &[UNIFORM, LIMIT],
        &[CONDITION, OperandField::ConstantTarget],
        &[],
    ),
    exact(BRX, 0xe250 << 48, &[LIMIT], &[CONDITION, OperandField::Indirect], &[]),
    exact(BRX, 0xe250 << 48 | IN_CONSTANT, &[LIMIT], &[CONDITION, OperandField::IndexedConstant], &[]),
    exact(JMX, 0xe200 << 48, &[LIMIT], &[CONDITION, OperandField::AbsoluteIndirect], &[]),
    exact(JMX, 0xe200 << 48 | IN_CONSTANT, &[LIMIT], &[CONDITION, OperandField::IndexedConstant], &[]),
    unguarded(SSY, 0xe290 << 48, &[], TARGET),
    unguarded(SSY, 0xe290 << 48 | IN_CONSTANT, &[], CONSTANT),
    unguarded(PBK, 0xe2a0 << 48, &[], TARGET),
    unguarded(PBK, 0xe2a0 << 48 | IN_CONSTANT, &[], CONSTANT),
    unguarded(PCNT, 0xe2b0 << 48, &[], TARGET),
    unguarded(PCNT, 0xe2b0 << 48 | IN_CONSTANT, &[], CONSTANT),
    unguarded(PRET, 0xe270 << 48, INCREMENT, TARGET),
    unguarded(PRET, 0xe270 << 48 | IN_CONSTANT, INCREMENT, CONSTANT),
    unguarded(PEXIT, 0xe230 << 48, &[], TARGET),
    unguarded(CAL, 0xe260 << 48, INCREMENT, TARGET),
    unguarded(CAL, 0xe260 << 48 | IN_CONSTANT, INCREMENT, CONSTANT),
    unguarded(JCAL, 0xe220 << 48, INCREMENT, &[OperandField::AbsoluteTarget]),
    unguarded(JCAL, 0xe220 << 48 | IN_CONSTANT, INCREMENT, CONSTANT),
    exact(SYNC, 0xf0f8 << 48, &[], TESTED, &[]),
    exact(BRK, 0xe340 << 48, &[], TESTED, &[]),
    exact(CONT, 0xe350 << 48, &[], TESTED, &[]),
    exact(RET, 0xe320 << 48, &[], TESTED, &[]),
    exact(LONGJMP, 0xe310 << 48, &[], TESTED, &[]),
    exact(KIL, 0xe330 << 48, &[], TESTED, &[]),
    exact(EXIT, 0xe300 << 48, KEEP, TESTED, &[]),
    unguarded(BPT, 0xe3a0 << 48, BREAKPOINT, &[OperandField::OptionalNumber { low: 20, width: 20 }]),
    exact(
        NOP,
        0x50b0 << 48,
        TRIGGER,
        &[OperandField::Condition { low: 8 }, OperandField::OptionalNumber { low: 20, width: 16 }],
        &[],
    ),
];
