//! Surfaces: `SULD`, `SUST`, `SURED`, `SUATOM`.
//!
//! `.D` moves raw data, `.P` goes through the surface's format. The handle is a register, or, with bit 51 set, the word of constant
//! bank 0 that a number of 13 bits counts. Fields are what nvdisasm 12.8 shows of words with one bit flipped; Mesa's and
//! Ryujinx's encoders agree.

use super::field::{RB, RD, SIZE, STORE_CACHE, choice, exact, flag};
use super::kind::{Kind, surface};
use crate::form::{Form, ModifierField, OperandField, bits_of};
use crate::mnemonic::{Effect, Mnemonic as M};

const SULD: Kind = surface(M::SULD, Effect::Load);
const SUST: Kind = surface(M::SUST, Effect::Store);
const SURED: Kind = surface(M::SURED, Effect::Reduction);
const SUATOM: Kind = surface(M::SUATOM, Effect::Atomic);

const COORDINATES: OperandField = OperandField::Coordinates;
/// A register with the handle.
const HANDLE: OperandField = OperandField::Register { low: 39, role: "handle" };
/// The number of the word of constant bank 0 with the handle.
pub(super) const BOUND: OperandField = OperandField::Unsigned { low: 36, width: 13 };

/// Whether x counts bytes.
const IN_BYTES: ModifierField = flag("unit of x", 23, &["", "BA"]);
const DIMENSION: ModifierField = choice(
    "dimension",
    33,
    3,
    &["1D", "1D_BUFFER", "1D_ARRAY", "2D", "2D_ARRAY", "3D", "INVALIDSURFACEDIM6", "INVALIDSURFACEDIM7"],
);
/// Of what lies out of bounds: `.IGN` ignores it, nothing written takes what is nearest.
const CLAMP: ModifierField = ModifierField {
    role: "clamp",
    low: 49,
    width: 2,
    names: &["IGN", "", "TRAP", "INVALIDSURFACECLAMP3"],
    aliases: &[("NEAR", 1)],
    default: Some(1),
};
const LOAD_CACHE: ModifierField = ModifierField {
    role: "cache operator",
    low: 24,
    width: 2,
    names: &["", "CG", "CI", "CV"],
    aliases: &[("CA", 0)],
    default: Some(0),
};
const SURFACE_STORE_CACHE: ModifierField = ModifierField { low: 24, ..STORE_CACHE };
const RAW_SIZE: ModifierField = ModifierField { low: 20, ..SIZE };
/// The components that go through the format; all of them when nothing is written.
const MASK: ModifierField = ModifierField {
    role: "components",
    low: 20,
    width: 4,
    names: &["???0", "R", "G", "RG", "B", "RB", "GB", "RGB", "A", "RA", "GA", "RGA", "BA", "RBA", "GBA", ""],
    aliases: &[("RGBA", 15)],
    default: Some(15),
};
const ATOMIC_SIZE: ModifierField = ModifierField {
    role: "type",
    low: 20,
    width: 3,
    names: &["", "S32", "U64", "F32.FTZ.RN", "INVALIDATOMICSIZE4", "S64", "SD32", "SD64"],
    aliases: &[("U32", 0)],
    default: Some(0),
};
const REDUCTION: ModifierField =
    choice("operation", 24, 3, &["ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"]);
const OPERATION: ModifierField = choice(
    "operation",
    29,
    4,
    &[
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
);
/// The field of the operation has to be 0, which a compare-and-swap through the format may break and one of raw data may not.
const CAS_OPERATION: ModifierField = choice(
    "operation",
    29,
    4,
    &[
        "CAS", "???1", "???2", "???3", "???4", "???5", "???6", "???7", "???8", "???9", "???10", "???11",
        "???12", "???13", "???14", "???15",
    ],
);
const RAW_CAS: ModifierField = choice("operation", 30, 0, &["CAS"]);
const ATOM_IN_BYTES: ModifierField = ModifierField { low: 28, ..IN_BYTES };
const ATOM_SIZE: ModifierField = ModifierField { low: 36, ..ATOMIC_SIZE };
const ATOM_SIZE_BOUND: ModifierField = ModifierField { low: 51, ..ATOMIC_SIZE };

/// Bits 36 to 38, 47 and 48 are those of a number that a register leaves over.
const LEFT_BY_REGISTER: u64 = bits_of(36, 3) | bits_of(47, 2);

/// A form with bits that change nothing.
pub(super) const fn ignoring(form: Form, ignored: u64) -> Form {
    Form { mask: form.mask & !ignored, ..form }
}

/// A load, store or reduction, whose handle is a register.
const fn by_register(
    kind: Kind,
    top: u64,
    data: &'static [&'static str],
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
    ignored: u64,
) -> Form {
    let form = Form { fixed_modifiers: data, ..exact(kind, top << 48, modifiers, operands, &[]) };
    ignoring(form, ignored | LEFT_BY_REGISTER)
}

/// The same, whose handle is in constant bank 0.
const fn bound(
    kind: Kind,
    top: u64,
    data: &'static [&'static str],
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
    ignored: u64,
) -> Form {
    let form = Form { fixed_modifiers: data, ..exact(kind, top << 48, modifiers, operands, &[]) };
    ignoring(form, ignored)
}

const RAW: &[&str] = &["D"];
const FORMATTED: &[&str] = &["P"];

const RAW_LOAD: &[ModifierField] = &[IN_BYTES, DIMENSION, LOAD_CACHE, RAW_SIZE, CLAMP];
const FORMATTED_LOAD: &[ModifierField] = &[DIMENSION, LOAD_CACHE, MASK, CLAMP];
const RAW_STORE: &[ModifierField] = &[IN_BYTES, DIMENSION, SURFACE_STORE_CACHE, RAW_SIZE, CLAMP];
const FORMATTED_STORE: &[ModifierField] = &[DIMENSION, SURFACE_STORE_CACHE, MASK, CLAMP];
const RAW_REDUCTION: &[ModifierField] = &[IN_BYTES, DIMENSION, REDUCTION, ATOMIC_SIZE, CLAMP];
const FORMATTED_REDUCTION: &[ModifierField] = &[DIMENSION, REDUCTION, CLAMP];
const FORMATTED_ATOM: &[ModifierField] = &[DIMENSION, OPERATION, CLAMP];
const FORMATTED_CAS: &[ModifierField] = &[DIMENSION, CAS_OPERATION, CLAMP];

/// Bits 32:26 of loads and stores.
const AFTER_CACHE: u64 = bits_of(26, 7);
/// Bits 32:27 of a reduction.
const AFTER_OPERATION: u64 = bits_of(27, 6);
/// The type and the unit, which a reduction through the format has from there.
const TYPE: u64 = bits_of(20, 4);

pub(super) static FORMS: &[Form] = &[
    by_register(SULD, 0xeb10, RAW, RAW_LOAD, &[RD, COORDINATES, HANDLE], AFTER_CACHE),
    bound(SULD, 0xeb18, RAW, RAW_LOAD, &[RD, COORDINATES, BOUND], AFTER_CACHE),
    by_register(SULD, 0xeb00, FORMATTED, FORMATTED_LOAD, &[RD, COORDINATES, HANDLE], AFTER_CACHE),
    bound(SULD, 0xeb08, FORMATTED, FORMATTED_LOAD, &[RD, COORDINATES, BOUND], AFTER_CACHE),
    by_register(SUST, 0xeb30, RAW, RAW_STORE, &[COORDINATES, RD, HANDLE], AFTER_CACHE),
    bound(SUST, 0xeb38, RAW, RAW_STORE, &[COORDINATES, RD, BOUND], AFTER_CACHE),
    by_register(SUST, 0xeb20, FORMATTED, FORMATTED_STORE, &[COORDINATES, RD, HANDLE], AFTER_CACHE),
    bound(SUST, 0xeb28, FORMATTED, FORMATTED_STORE, &[COORDINATES, RD, BOUND], AFTER_CACHE),
    by_register(SURED, 0xeb50, RAW, RAW_REDUCTION, &[COORDINATES, RD, HANDLE], AFTER_OPERATION),
    bound(SURED, 0xeb58, RAW, RAW_REDUCTION, &[COORDINATES, RD, BOUND], AFTER_OPERATION),
    by_register(
        SURED,
        0xeb40,
        FORMATTED,
        FORMATTED_REDUCTION,
        &[COORDINATES, RD, HANDLE],
        AFTER_OPERATION | TYPE,
    ),
    bound(SURED, 0xeb48, FORMATTED, FORMATTED_REDUCTION, &[COORDINATES, RD, BOUND], AFTER_OPERATION | TYPE),
    by_register(
        SUATOM,
        0xea60,
        FORMATTED,
        FORMATTED_ATOM,
        &[RD, COORDINATES, RB, HANDLE],
        bits_of(28, 1) | LEFT_BY_REGISTER,
    ),
    bound(SUATOM, 0xea68, FORMATTED, FORMATTED_ATOM, &[RD, COORDINATES, RB, BOUND], bits_of(28, 1)),
    bound(
        SUATOM,
        0xea70,
        RAW,
        &[ATOM_IN_BYTES, DIMENSION, OPERATION, ATOM_SIZE, CLAMP],
        &[RD, COORDINATES, RB, HANDLE],
        bits_of(47, 2),
    ),
    bound(
        SUATOM,
        0xea00,
        RAW,
        &[ATOM_IN_BYTES, DIMENSION, OPERATION, ATOM_SIZE_BOUND, CLAMP],
        &[RD, COORDINATES, RB, BOUND],
        0,
    ),
    by_register(
        SUATOM,
        0xeac0,
        FORMATTED,
        FORMATTED_CAS,
        &[RD, COORDINATES, RB, HANDLE],
        bits_of(28, 1) | LEFT_BY_REGISTER,
    ),
    bound(SUATOM, 0xeac8, FORMATTED, FORMATTED_CAS, &[RD, COORDINATES, RB, BOUND], bits_of(28, 1)),
    bound(
        SUATOM,
        0xead0,
        RAW,
        &[ATOM_IN_BYTES, DIMENSION, RAW_CAS, ATOM_SIZE, CLAMP],
        &[RD, COORDINATES, RB, HANDLE],
        bits_of(29, 1) | bits_of(47, 2),
    ),
    bound(
        SUATOM,
        0xea80,
        RAW,
        &[ATOM_IN_BYTES, DIMENSION, RAW_CAS, ATOM_SIZE_BOUND, CLAMP],
        &[RD, COORDINATES, RB, BOUND],
        bits_of(29, 1),
    ),
];
