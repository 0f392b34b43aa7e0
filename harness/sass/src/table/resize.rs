//! Conversions of integers to other integers: `I2I`.
//!
//! Whether the destination is signed stands apart from its size, and what is printed of a part of the source depends on the size of
//! the source: there is a row for each.

use super::field::{CONSTANT, IMMEDIATE, RB, RD, choice, exact, flag, marks};
use super::kind::{Kind, slow};
use crate::form::{Form, MarkField, ModifierField};
use crate::mnemonic::{Mnemonic as M, Subject};

const I2I: Kind = slow(M::I2I, Subject::Conversion);

const UNSIGNED: ModifierField = choice("destination type", 8, 2, &["U8", "U16", "U32", "???6"]);
const SIGNED: ModifierField = choice("destination type", 8, 2, &["S8", "S16", "S32", "???7"]);
const OF_BYTE: ModifierField = choice("source type", 13, 1, &["U8", "S8"]);
const OF_HALF: ModifierField = choice("source type", 13, 1, &["U16", "S16"]);
const OF_WORD: ModifierField = choice("source type", 13, 1, &["U32", "S32"]);
const SATURATED: ModifierField = flag("saturation", 50, &["", "SAT"]);

const BYTE: &[MarkField] = marks![
    0: ConditionCodes @ 47, 1: Negated @ 45, 1: Absolute @ 49, 1: ByteOne @ 41, 1: ByteTwo @ 42
];
const HALF: &[MarkField] =
    marks![0: ConditionCodes @ 47, 1: Negated @ 45, 1: Absolute @ 49, 1: UpperHalf @ 42];
const SIGNED_BIT: u64 = 1 << 12;

/// The forms of one type: `low` are the bits that select it.
const fn of(low: u64, modifiers: &'static [ModifierField], marks: &'static [MarkField]) -> [Form; 3] {
    [
        exact(I2I, 0x5ce0 << 48 | low, modifiers, &[RD, RB], marks),
        exact(I2I, 0x4ce0 << 48 | low, modifiers, &[RD, CONSTANT], marks),
        exact(I2I, 0x38e0 << 48 | low, modifiers, &[RD, IMMEDIATE], marks),
    ]
}

pub(super) static UNSIGNED_OF_BYTE: [Form; 3] = of(0, &[UNSIGNED, OF_BYTE, SATURATED], BYTE);
pub(super) static UNSIGNED_OF_HALF: [Form; 3] = of(1 << 10, &[UNSIGNED, OF_HALF, SATURATED], HALF);
pub(super) static UNSIGNED_OF_WORD: [Form; 3] = of(2 << 10, &[UNSIGNED, OF_WORD, SATURATED], BYTE);
pub(super) static SIGNED_OF_BYTE: [Form; 3] = of(SIGNED_BIT, &[SIGNED, OF_BYTE, SATURATED], BYTE);
pub(super) static SIGNED_OF_HALF: [Form; 3] = of(SIGNED_BIT | 1 << 10, &[SIGNED, OF_HALF, SATURATED], HALF);
pub(super) static SIGNED_OF_WORD: [Form; 3] = of(SIGNED_BIT | 2 << 10, &[SIGNED, OF_WORD, SATURATED], BYTE);
