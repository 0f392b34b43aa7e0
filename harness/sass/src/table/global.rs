//! Global, generic and constant memory: `LDG`, `STG`, `ATOM`, `RED`, `LD`, `ST`, `LDC`.

use super::field::{ADDRESS, RB, RD, SIZE, STORE_CACHE, choice, exact};
use super::kind::{Kind, atomic, load, store};
use crate::form::{Form, ModifierField, OperandField, bits_of};
use crate::mnemonic::{Effect, Mnemonic as M, Space};

const LDG: Kind = load(M::LDG, Space::Global);
const STG: Kind = store(M::STG, Space::Global);
const ATOM: Kind = atomic(M::ATOM, Effect::Atomic, Space::Global);
const RED: Kind = atomic(M::RED, Effect::Reduction, Space::Global);
const LD: Kind = load(M::LD, Space::Generic);
const ST: Kind = store(M::ST, Space::Generic);
const LDC: Kind = load(M::LDC, Space::Constant);

const STORE: ModifierField = ModifierField { low: 46, ..STORE_CACHE };
const LOAD: ModifierField = ModifierField {
    role: "cache operator",
    low: 46,
    width: 2,
    names: &["", "CG", "CI", "CV"],
    aliases: &[("CA", 0)],
    default: Some(0),
};
const LOAD_SIZE: ModifierField =
    ModifierField { names: &["U8", "S8", "U16", "S16", "", "64", "128", "U.128"], ..SIZE };

/// A load or store of global memory: `.E` (addresses of 64 bits) is bit 45; bit 44 is ignored.
const fn global(
    kind: Kind,
    bits: u64,
    fixed_modifiers: &'static [&'static str],
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
) -> Form {
    Form {
        mnemonic: kind.mnemonic,
        traits: kind.traits,
        fixed_modifiers,
        bits,
        mask: bits_of(51, 13) | bits_of(45, 1),
        modifiers,
        operands,
        marks: &[],
        guarded: true,
    }
}

/// The offset of `ATOM` and `RED` has 20 bits.
const SHORT_ADDRESS: OperandField = OperandField::Address { low: 28, width: 20, dropped: 0 };
const ATOM_SIZE: ModifierField = ModifierField {
    role: "size",
    low: 49,
    width: 3,
    names: &["", "S32", "U64", "F32.FTZ.RN", "U128", "S64", "INVALIDATOMICSIZE6", "INVALIDATOMICSIZE7"],
    aliases: &[("U32", 0)],
    default: Some(0),
};
/// The operations below 8.
const OPERATION: ModifierField =
    choice("operation", 23, 3, &["ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"]);

/// `ATOM` of an operation below 8: bits 55:52.
const fn atomic_of(fixed_modifiers: &'static [&'static str], top: u64) -> Form {
    let modifiers = &[ModifierField { low: 52, ..OPERATION }, ATOM_SIZE];
    Form { fixed_modifiers, ..exact(ATOM, top << 48, modifiers, &[RD, SHORT_ADDRESS, RB], &[]) }
}

/// `ATOM` of one operation, which `top` names.
const fn exchange(fixed_modifiers: &'static [&'static str], top: u64) -> Form {
    Form { fixed_modifiers, ..exact(ATOM, top << 48, &[ATOM_SIZE], &[RD, SHORT_ADDRESS, RB], &[]) }
}

/// One bit: compare-and-swap needs no signedness.
const CAS_SIZE: &[ModifierField] = &[ModifierField {
    role: "size",
    low: 49,
    width: 1,
    names: &["", "64"],
    aliases: &[("U32", 0), ("S32", 0), ("32", 0), ("U64", 1)],
    default: Some(0),
}];
/// `Rc` where it takes the place of `Rb`, which is then `RZ`.
const RC_ALONE: OperandField = OperandField::Register { low: 20, role: "Rc" };

/// `ATOM.CAS`; `pair`, bits 51:50, says which of both values are in registers.
const fn swap(fixed_modifiers: &'static [&'static str], top: u64, pair: u64) -> Form {
    let operands: &[OperandField] = match pair {
        0 => &[RD, SHORT_ADDRESS, RB, OperandField::AfterRb { wide: 49 }],
        1 => &[RD, SHORT_ADDRESS, RB, OperandField::Rz],
        _ => &[RD, SHORT_ADDRESS, OperandField::Rz, RC_ALONE],
    };
    Form { fixed_modifiers, ..exact(ATOM, top << 48 | pair << 50, CAS_SIZE, operands, &[]) }
}

const fn reduction(fixed_modifiers: &'static [&'static str], top: u64) -> Form {
    let modifiers = &[OPERATION, ModifierField { low: 20, ..ATOM_SIZE }];
    Form { fixed_modifiers, ..exact(RED, top << 48, modifiers, &[SHORT_ADDRESS, RD], &[]) }
}

/// The offset of generic accesses has 32 bits.
const LONG_ADDRESS: OperandField = OperandField::Address { low: 20, width: 32, dropped: 0 };
const GENERIC_PREDICATE: OperandField = OperandField::OptionalPredicate { low: 58 };
const GENERIC_LOAD: &[ModifierField] =
    &[ModifierField { low: 56, ..LOAD }, ModifierField { low: 53, ..LOAD_SIZE }];
const GENERIC_STORE: &[ModifierField] =
    &[ModifierField { low: 56, ..STORE_CACHE }, ModifierField { low: 53, ..SIZE }];

const CONSTANT_SIZE: ModifierField =
    ModifierField { names: &["U8", "S8", "U16", "S16", "", "64", "INVALIDSIZE6", "INVALIDSIZE7"], ..SIZE };
const INDEXING: ModifierField = ModifierField {
    role: "indexing mode",
    low: 44,
    width: 2,
    names: &["", "IL", "IS", "ISL"],
    aliases: &[],
    default: Some(0),
};

pub(super) static FORMS: &[Form] = &[
    global(LDG, 0xeed0 << 48, &[], &[LOAD, LOAD_SIZE], &[RD, ADDRESS]),
    global(LDG, 0xeed0_2000 << 32, &["E"], &[LOAD, LOAD_SIZE], &[RD, ADDRESS]),
    global(STG, 0xeed8 << 48, &[], &[STORE, SIZE], &[ADDRESS, RD]),
    global(STG, 0xeed8_2000 << 32, &["E"], &[STORE, SIZE], &[ADDRESS, RD]),
    atomic_of(&[], 0xed00),
    atomic_of(&["E"], 0xed01),
    exchange(&["EXCH"], 0xed80),
    exchange(&["E", "EXCH"], 0xed81),
    exchange(&["SAFEADD"], 0xeda0),
    exchange(&["E", "SAFEADD"], 0xeda1),
    swap(&["CAS"], 0xeef0, 0),
    swap(&["CAS"], 0xeef0, 1),
    swap(&["CAS"], 0xeef0, 2),
    swap(&["E", "CAS"], 0xeef1, 0),
    swap(&["E", "CAS"], 0xeef1, 1),
    swap(&["E", "CAS"], 0xeef1, 2),
    reduction(&[], 0xebf8),
    reduction(&["E"], 0xebf9),
    exact(LD, 0x8000 << 48, GENERIC_LOAD, &[RD, LONG_ADDRESS, GENERIC_PREDICATE], &[]),
    Form {
        fixed_modifiers: &["E"],
        ..exact(LD, 0x8010 << 48, GENERIC_LOAD, &[RD, LONG_ADDRESS, GENERIC_PREDICATE], &[])
    },
    exact(ST, 0xa000 << 48, GENERIC_STORE, &[LONG_ADDRESS, RD, GENERIC_PREDICATE], &[]),
    Form {
        fixed_modifiers: &["E"],
        ..exact(ST, 0xa010 << 48, GENERIC_STORE, &[LONG_ADDRESS, RD, GENERIC_PREDICATE], &[])
    },
    exact(LDC, 0xef90 << 48, &[CONSTANT_SIZE, INDEXING], &[RD, OperandField::IndexedConstant], &[]),
];
