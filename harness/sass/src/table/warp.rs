//! Operations among lanes and warps: votes, shuffles, barriers, fences.

use super::field::{PREDICATE, RA, RB, RC, RD, choice, exact};
use super::kind::{Kind, fixed, open};
use crate::form::{Form, ModifierField, OperandField, bits_of};
use crate::mnemonic::{Mnemonic as M, Subject};

const VOTE: Kind = fixed(M::VOTE, Subject::Warp);
const SHFL: Kind = open(M::SHFL, Subject::Warp);
const BAR: Kind = fixed(M::BAR, Subject::Warp);
const B2R: Kind = open(M::B2R, Subject::Warp);
const MEMBAR: Kind = fixed(M::MEMBAR, Subject::Warp);
const DEPBAR: Kind = fixed(M::DEPBAR, Subject::Control);

const VOTE_KIND: ModifierField = choice("kind", 48, 2, &["ALL", "ANY", "EQ", "INVALIDVMODE3"]);
const SHUFFLE: &[ModifierField] = &[choice("kind", 30, 2, &["IDX", "UP", "DOWN", "BFLY"])];
const SHUFFLE_OUT: OperandField = OperandField::PredicateOut { low: 48 };
const LANE: OperandField = OperandField::Unsigned { low: 20, width: 5 };
const SEGMENT: OperandField = OperandField::Unsigned { low: 34, width: 13 };
const SCOPE: ModifierField = choice("scope", 8, 2, &["CTA", "GL", "SYS", "VC"]);
/// Which caches forget what they hold.
const FORGOTTEN: ModifierField = ModifierField {
    role: "invalidation",
    low: 0,
    width: 2,
    names: &["", "IVALLD", "IVALLT", "IVALLTD"],
    aliases: &[],
    default: Some(0),
};

const REDUCTION: &[ModifierField] = &[choice("reduction", 35, 2, &["POPC", "AND", "OR", "INVALIDBARMODE3"])];
const NUMBER: OperandField = OperandField::Unsigned { low: 8, width: 8 };
/// The number of threads; 0, all of the block, is not written but for `BAR.ARV` and `BAR.SCAN`.
const THREADS: OperandField = OperandField::OptionalNumber { low: 20, width: 12 };
const THREADS_ALWAYS: OperandField = OperandField::Unsigned { low: 20, width: 12 };
/// The barrier is a number, the number of threads is one.
const NUMBER_GIVEN: u64 = 1 << 44;
const THREADS_GIVEN: u64 = 1 << 43;
/// Only a reduction reads a predicate; the others have `PT` there.
const NO_PREDICATE: u64 = 7 << 39;

/// A barrier, which may be in a register, as may the number of threads.
const fn barrier(name: &'static [&'static str], operation: u64, operands: &'static [OperandField]) -> Form {
    let mut bits = 0xf0a8 << 48 | operation << 32;
    bits |= match operands[0] {
        OperandField::Unsigned { .. } => NUMBER_GIVEN,
        _ => 0,
    };
    bits |= match operands[1] {
        OperandField::OptionalNumber { .. } | OperandField::Unsigned { .. } => THREADS_GIVEN,
        _ => 0,
    };
    let (predicate, modifiers) = match (operation, operands.len()) {
        (2, _) => (0, REDUCTION),
        (_, 2) => (NO_PREDICATE, &[] as &[ModifierField]),
        _ => (0, &[] as &[ModifierField]),
    };
    Form { fixed_modifiers: name, ..exact(BAR, bits | predicate, modifiers, operands, &[]) }
}

pub(super) static BARRIERS: [Form; 16] = [
    barrier(&["SYNC"], 0, &[NUMBER, THREADS]),
    barrier(&["SYNC"], 0, &[NUMBER, RB]),
    barrier(&["SYNC"], 0, &[RA, THREADS]),
    barrier(&["SYNC"], 0, &[RA, RB]),
    barrier(&["ARV"], 1, &[NUMBER, THREADS_ALWAYS]),
    barrier(&["ARV"], 1, &[NUMBER, RB]),
    barrier(&["ARV"], 1, &[RA, THREADS_ALWAYS]),
    barrier(&["ARV"], 1, &[RA, RB]),
    barrier(&["RED"], 2, &[NUMBER, THREADS, PREDICATE]),
    barrier(&["RED"], 2, &[NUMBER, RB, PREDICATE]),
    barrier(&["RED"], 2, &[RA, THREADS, PREDICATE]),
    barrier(&["RED"], 2, &[RA, RB, PREDICATE]),
    barrier(&["SCAN"], 3, &[NUMBER, THREADS_ALWAYS, PREDICATE]),
    barrier(&["SCAN"], 3, &[NUMBER, RB, PREDICATE]),
    barrier(&["SCAN"], 3, &[RA, THREADS_ALWAYS, PREDICATE]),
    barrier(&["SCAN"], 3, &[RA, RB, PREDICATE]),
];

pub(super) static FORMS: &[Form] = &[
    exact(
        VOTE,
        0x50d8 << 48,
        &[VOTE_KIND],
        &[OperandField::OptionalRd, OperandField::PredicateOut { low: 45 }, PREDICATE],
        &[],
    ),
    exact(SHFL, 0xef10 << 48, SHUFFLE, &[SHUFFLE_OUT, RD, RA, RB, RC], &[]),
    exact(SHFL, 0xef10_0000_1000_0000, SHUFFLE, &[SHUFFLE_OUT, RD, RA, LANE, RC], &[]),
    exact(SHFL, 0xef10_0000_2000_0000, SHUFFLE, &[SHUFFLE_OUT, RD, RA, RB, SEGMENT], &[]),
    exact(SHFL, 0xef10_0000_3000_0000, SHUFFLE, &[SHUFFLE_OUT, RD, RA, LANE, SEGMENT], &[]),
    exact(B2R, 0xf0b8 << 48, &[], &[RD, NUMBER], &[]),
    // ptxas sets bits 15:8, which mean nothing here.
    Form {
        fixed_modifiers: &["RESULT"],
        ..exact(
            B2R,
            0xf0b8_0001 << 32 | bits_of(8, 8),
            &[],
            &[RD, OperandField::OptionalPredicate { low: 45 }],
            &[],
        )
    },
    Form { fixed_modifiers: &["WARP"], ..exact(B2R, 0xf0b8_0002 << 32 | bits_of(8, 8), &[], &[RD], &[]) },
    exact(MEMBAR, 0xef98 << 48, &[SCOPE, FORGOTTEN], &[], &[]),
    exact(DEPBAR, 0xf0f0 << 48, &[], &[OperandField::Scoreboards], &[]),
    Form {
        fixed_modifiers: &["LE"],
        ..exact(
            DEPBAR,
            0xf0f0_0000_2000_0000,
            &[],
            &[
                OperandField::Scoreboard,
                OperandField::Unsigned { low: 20, width: 6 },
                OperandField::Scoreboards,
            ],
            &[],
        )
    },
];
