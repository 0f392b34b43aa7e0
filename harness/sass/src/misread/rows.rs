//! One row for each deviation that is a misreading: the instructions it concerns, the test that picks some of them, and the change it makes.

use warpdiff_model::Deviation as D;

use super::change::Change;
use crate::instruction::{Instruction, Operand, Register};
use crate::mnemonic::Mnemonic as M;

/// A deviation as a misreading.
pub(super) struct Row {
    pub(super) deviation: D,
    mnemonics: &'static [M],
    when: fn(&Instruction) -> bool,
    change: Change,
}

impl Row {
    pub(super) fn apply(&self, instruction: &mut Instruction) {
        if self.mnemonics.contains(&instruction.form.mnemonic) && (self.when)(instruction) {
            self.change.apply(instruction);
        }
    }
}

const fn row(deviation: D, mnemonics: &'static [M], when: fn(&Instruction) -> bool, change: Change) -> Row {
    Row { deviation, mnemonics, when, change }
}

const LOADS: &[M] = &[M::LDL, M::LDS];
const ATOMS: &[M] = &[M::ATOMS];
/// What accesses memory at all.
const ACCESSES: &[M] =
    &[M::LDL, M::LDS, M::STL, M::STS, M::ATOMS, M::LDG, M::STG, M::LD, M::ST, M::LDC, M::ATOM, M::RED];
const WINDOWS: &[M] = &[M::LDL, M::LDS, M::STL, M::STS, M::ATOMS];

/// Operations of `ATOMS`, by the values of their field.
const MIN: u8 = 1;
const MAX: u8 = 2;
const INC: u8 = 3;
const DEC: u8 = 4;
const AND: u8 = 5;
const OR: u8 = 6;
const EXCH: u8 = 8;
/// Sizes of `ATOMS`.
const U32: u8 = 0;
const S32: u8 = 1;
const U64: u8 = 2;

pub(super) const ROWS: &[Row] = &[
    row(D::SpaMinMaxSwapped, ATOMS, any, Change::Values("operation", &[(MIN, MAX), (MAX, MIN)])),
    row(D::SpaAndOrSwapped, ATOMS, any, Change::Values("operation", &[(AND, OR), (OR, AND)])),
    row(D::SpaIncDecSwapped, ATOMS, any, Change::Values("operation", &[(INC, DEC), (DEC, INC)])),
    row(D::SpaAtomsSignedByDefault, ATOMS, is_extremum, Change::Values("size", &[(U32, S32)])),
    row(D::SpaAtomsSizeLowBit, ATOMS, is_operation, Change::Values("size", &[(U64, U32)])),
    row(
        D::SpaMinMaxLoopReversed,
        ATOMS,
        |it| is_extremum(it) && it.modifier("size") == Some(S32),
        Change::Idle,
    ),
    row(D::SpaExchDropped, ATOMS, |it| operation(it) == Some(EXCH) && has_no_result(it), Change::Idle),
    row(D::SpaAtomsOpIgnored, ATOMS, |it| matches!(operation(it), Some(INC | DEC | EXCH)), Change::Cleared),
    row(D::SpaCasComparesRc, ATOMS, |it| !is_operation(it), Change::Exchanged(2, 3)),
    row(D::SpaCasOwnField, ATOMS, |it| !is_operation(it), Change::Swap(|_| Register(0))),
    row(
        D::SpaCasWideNext,
        ATOMS,
        |it| !is_operation(it) && it.modifier("size") == Some(1),
        Change::Swap(|b| Register(b.0 + 1)),
    ),
    row(D::SpaAtomsAddressZero, ATOMS, any, Change::Address(|_, _| (Register::RZ, 0))),
    row(D::SpaAtomsOffsetUnscaled, ATOMS, any, Change::Address(|base, offset| (base, offset >> 2))),
    row(
        D::SpaAbsoluteLowHalf,
        WINDOWS,
        any,
        Change::Address(|base, offset| (base, if base == Register::RZ { offset & 0xFFFF } else { offset })),
    ),
    // Of loads the sizes are .U8, .S8, .U16, .S16, .32, .64, .128.
    row(D::SpaNarrowSigned, LOADS, any, Change::Values("size", &[(0, 1), (2, 3)])),
    row(D::SpaWideAsWord, LOADS, any, Change::Values("size", &[(5, 4), (6, 4)])),
    row(D::SpaLdsAsSts, &[M::LDS], any, Change::Stores(M::STS)),
    row(
        D::SpaLoadOffsetInWords,
        LOADS,
        any,
        Change::Address(|base, offset| {
            (base, if base == Register::RZ { offset } else { offset.wrapping_mul(4) })
        }),
    ),
    row(D::SpaCasWideAsWord, ATOMS, |it| !is_operation(it), Change::Values("size", &[(1, U32)])),
    row(D::SpaCasZeroNext, ATOMS, |it| !is_operation(it), Change::SwapOfZero(|b| Register(b.0 + 1))),
    row(D::SpaGuardIgnored, LOADS, any, Change::Unguarded),
    row(D::SpaGuardNegationIgnored, ACCESSES, any, Change::GuardPlain),
];

fn any(_: &Instruction) -> bool {
    true
}

/// The operation of an `ATOMS` that is no compare and swap.
fn operation(instruction: &Instruction) -> Option<u8> {
    instruction.modifier("operation")
}

fn is_operation(instruction: &Instruction) -> bool {
    operation(instruction).is_some()
}

fn is_extremum(instruction: &Instruction) -> bool {
    matches!(operation(instruction), Some(MIN | MAX))
}

fn has_no_result(instruction: &Instruction) -> bool {
    instruction.operands.first() == Some(&Operand::Register(Register::RZ))
}
