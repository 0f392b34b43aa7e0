//! Operations among lanes and warps: votes, shuffles, barriers, fences.

use super::field::{PREDICATE, RA, RB, RC, RD, choice, exact};
use super::kind::{Kind, fixed, open};
use crate::form::{Form, ModifierField, OperandField};
use crate::mnemonic::{Mnemonic as M, Subject};

const VOTE: Kind = fixed(M::VOTE, Subject::Warp);
const SHFL: Kind = open(M::SHFL, Subject::Warp);
const BAR: Kind = fixed(M::BAR, Subject::Warp);
const MEMBAR: Kind = fixed(M::MEMBAR, Subject::Warp);
const DEPBAR: Kind = fixed(M::DEPBAR, Subject::Control);

const VOTE_KIND: ModifierField = choice("kind", 48, 2, &["ALL", "ANY", "EQ", "INVALIDVMODE3"]);
const SHUFFLE: &[ModifierField] = &[choice("kind", 30, 2, &["IDX", "UP", "DOWN", "BFLY"])];
const SHUFFLE_OUT: OperandField = OperandField::PredicateOut { low: 48 };
const LANE: OperandField = OperandField::Unsigned { low: 20, width: 5 };
const SEGMENT: OperandField = OperandField::Unsigned { low: 34, width: 13 };
const SCOPE: ModifierField = choice("scope", 8, 2, &["CTA", "GL", "SYS", "VC"]);

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
    Form {
        fixed_modifiers: &["SYNC"],
        ..exact(BAR, 0xf0a8_1b80 << 32, &[], &[OperandField::Unsigned { low: 8, width: 4 }], &[])
    },
    exact(MEMBAR, 0xef98 << 48, &[SCOPE], &[], &[]),
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
