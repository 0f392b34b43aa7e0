//! Local and shared memory: `LDL`, `LDS`, `STL`, `STS`, `ATOMS`.

use super::field::{ADDRESS, RB, RD, SIZE, STORE_CACHE};
use super::kind::{Kind, atomic, load, store};
use crate::form::{Form, ModifierField, OperandField, bits_of};
use crate::mnemonic::{Effect, Mnemonic as M, Space};

const ATOMS: Kind = atomic(M::ATOMS, Effect::Atomic, Space::Shared);
const LDL: Kind = load(M::LDL, Space::Local);
const LDS: Kind = load(M::LDS, Space::Shared);
const STL: Kind = store(M::STL, Space::Local);
const STS: Kind = store(M::STS, Space::Shared);

/// `Rc` where it takes the place of `Rb`, which is then `RZ`.
const RC_ALONE: OperandField = OperandField::Register { low: 20, role: "Rc" };
const WORD_ADDRESS: OperandField = OperandField::Address { low: 30, width: 22, dropped: 2 };

/// `LDS.U` is the one place where `.32` is printed.
const SIZE_AFTER_U: ModifierField = ModifierField {
    names: &["U8", "S8", "U16", "S16", "32", "64", "128", "INVALIDSIZE7"],
    aliases: &[],
    ..SIZE
};
/// `.CS` has no encoding: "CS maps to .CA".
const LOAD_CACHE: ModifierField = ModifierField {
    role: "cache operator",
    low: 44,
    width: 2,
    names: &["", "LU", "CI", "CV"],
    aliases: &[("CA", 0), ("CS", 0)],
    default: Some(0),
};
const ATOMS_OPERATION: ModifierField = ModifierField {
    role: "operation",
    low: 52,
    width: 4,
    names: &[
        "ADD",
        "MIN",
        "MAX",
        "INC",
        "DEC",
        "AND",
        "OR",
        "XOR",
        "EXCH",
        "INVALIDATOMSOP9",
        "INVALIDATOMSOP10",
        "INVALIDATOMSOP11",
        "INVALIDATOMSOP12",
        "INVALIDATOMSOP13",
        "INVALIDATOMSOP14",
        "INVALIDATOMSOP15",
    ],
    aliases: &[],
    default: None,
};
/// The page knows no `.S64`; the encoding does.
const ATOMS_SIZE: ModifierField = ModifierField {
    role: "size",
    low: 28,
    width: 2,
    names: &["", "S32", "U64", "S64"],
    aliases: &[("U32", 0), ("32", 0), ("64", 2)],
    default: Some(0),
};
/// One bit: compare-and-swap needs no signedness.
const CAS_SIZE: ModifierField = ModifierField {
    role: "size",
    low: 52,
    width: 1,
    names: &["", "64"],
    aliases: &[("U32", 0), ("S32", 0), ("32", 0), ("U64", 1)],
    default: Some(0),
};

/// A compare-and-swap: `operation` is bits 55:53, `pair` bits 29:28.
const fn cas(
    fixed_modifiers: &'static [&'static str],
    operation: u64,
    pair: u64,
    operands: &'static [OperandField],
) -> Form {
    Form {
        mnemonic: ATOMS.mnemonic,
        traits: ATOMS.traits,
        fixed_modifiers,
        bits: 0xee << 56 | operation << 53 | pair << 28,
        mask: bits_of(53, 11) | bits_of(28, 2),
        modifiers: &[CAS_SIZE],
        operands,
        marks: &[],
        guarded: true,
    }
}

/// A load or store of local or shared memory: bits 63:51 select it.
const fn window(
    kind: Kind,
    top: u64,
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
) -> Form {
    Form {
        mnemonic: kind.mnemonic,
        traits: kind.traits,
        fixed_modifiers: &[],
        bits: top << 48,
        mask: bits_of(51, 13),
        modifiers,
        operands,
        marks: &[],
        guarded: true,
    }
}

const PAIR: &[OperandField] = &[RD, WORD_ADDRESS, RB, OperandField::AfterRb { wide: 52 }];
const PAIR_RC_RZ: &[OperandField] = &[RD, WORD_ADDRESS, RB, OperandField::Rz];
const PAIR_RB_RZ: &[OperandField] = &[RD, WORD_ADDRESS, OperandField::Rz, RC_ALONE];

pub(super) static FORMS: &[Form] = &[
    window(LDL, 0xef40, &[LOAD_CACHE, SIZE], &[RD, ADDRESS]),
    Form { mask: bits_of(51, 13) | bits_of(44, 1), ..window(LDS, 0xef48, &[SIZE], &[RD, ADDRESS]) },
    Form {
        fixed_modifiers: &["U"],
        bits: 0xef48 << 48 | 1 << 44,
        mask: bits_of(51, 13) | bits_of(44, 1),
        ..window(LDS, 0xef48, &[SIZE_AFTER_U], &[RD, ADDRESS])
    },
    window(STL, 0xef50, &[STORE_CACHE, SIZE], &[ADDRESS, RD]),
    window(STS, 0xef58, &[SIZE], &[ADDRESS, RD]),
    Form {
        mnemonic: ATOMS.mnemonic,
        traits: ATOMS.traits,
        fixed_modifiers: &[],
        bits: 0xec << 56,
        mask: bits_of(56, 8),
        modifiers: &[ATOMS_OPERATION, ATOMS_SIZE],
        operands: &[RD, WORD_ADDRESS, RB],
        marks: &[],
        guarded: true,
    },
    cas(&["CAST"], 0, 0, PAIR),
    cas(&["CAST"], 0, 1, PAIR_RC_RZ),
    cas(&["CAST"], 0, 2, PAIR_RB_RZ),
    cas(&["CAST", "SPIN"], 1, 0, PAIR),
    cas(&["CAST", "SPIN"], 1, 1, PAIR_RC_RZ),
    cas(&["CAST", "SPIN"], 1, 2, PAIR_RB_RZ),
    cas(&["CAS"], 2, 0, PAIR),
    cas(&["CAS"], 2, 1, PAIR_RC_RZ),
    cas(&["CAS"], 2, 2, PAIR_RB_RZ),
];
