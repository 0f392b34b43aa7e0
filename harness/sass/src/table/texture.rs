//! Textures: `TEX`, `TLD`, `TLD4`, `TXD`, `TMML`, `TXQ` and the forms of scalar operands, `TEXS`, `TLDS`, `TLD4S`.
//!
//! The handle is the word of constant bank 0 that a number of 13 bits counts, or with `.B` in a register, at the end or the
//! beginning of the other operands; a `0x0` then stands in the place of the number. Bits 18:17 of the control field are printed
//! behind the modifiers, `.T` and `.P`: see [`crate::reuse`]. Fields are what nvdisasm 12.8 shows of words with one bit flipped.

use super::field::{RA, RB, RD, choice, exact, flag};
use super::kind::{Kind, fixed, texture};
use super::surface::{BOUND, ignoring};
use crate::form::{Form, ModifierField, OperandField, bits_of};
use crate::mnemonic::{Mnemonic as M, Subject};

const TEX: Kind = texture(M::TEX);
const TEXS: Kind = texture(M::TEXS);
const TLD: Kind = texture(M::TLD);
const TLDS: Kind = texture(M::TLDS);
const TLD4: Kind = texture(M::TLD4);
const TLD4S: Kind = texture(M::TLD4S);
const TXD: Kind = texture(M::TXD);
const TMML: Kind = texture(M::TMML);
const TXQ: Kind = texture(M::TXQ);

const SAM: Kind = fixed(M::SAM, Subject::Control);
const RAM: Kind = fixed(M::RAM, Subject::Control);

const MORE: OperandField = OperandField::OptionalRb;
/// The second pair of results of a scalar form, written in front of the first.
const RD2: OperandField = OperandField::Register { low: 28, role: "Rd2" };
/// The number that stands where the handle is in a register.
const UNBOUND: OperandField = OperandField::Unsigned { low: 36, width: 0 };
const MASK: OperandField = OperandField::Unsigned { low: 31, width: 4 };
const DIMENSION: OperandField = OperandField::Word {
    low: 28,
    width: 3,
    names: &["1D", "ARRAY_1D", "2D", "ARRAY_2D", "3D", "ARRAY_3D", "CUBE", "ARRAY_CUBE"],
};

const NODEP: ModifierField = flag("dependence", 49, &["", "NODEP"]);
const WHOLE_QUAD: ModifierField = flag("derivatives", 35, &["", "NDV"]);
const REFERENCE: ModifierField = flag("comparison", 50, &["", "DC"]);

const fn lod(low: u8) -> ModifierField {
    ModifierField {
        role: "level",
        low,
        width: 3,
        names: &["", "LZ", "LB", "LL", "INVALIDBLOD4", "INVALIDBLOD5", "LBA", "LLA"],
        aliases: &[],
        default: Some(0),
    }
}

const fn offset(low: u8) -> ModifierField {
    flag("offset", low, &["", "AOFFI"])
}

/// The offsets of a gather: none, one, or one for each texel.
const fn offsets(low: u8) -> ModifierField {
    ModifierField {
        role: "offset",
        low,
        width: 2,
        names: &["", "AOFFI", "PTP", "INVALIDBTOFF03"],
        aliases: &[],
        default: Some(0),
    }
}

/// Bits 53:51, a predicate that is `PT` and is not printed.
const NO_PREDICATE: u64 = bits_of(51, 3);
/// The bits of the number that `.B` leaves over.
const LEFT_BY_HANDLE: u64 = bits_of(36, 13);

const fn form(
    kind: Kind,
    bits: u64,
    fixed_modifiers: &'static [&'static str],
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
) -> Form {
    Form { fixed_modifiers, ..exact(kind, bits, modifiers, operands, &[]) }
}

const LOOKUP: &[OperandField] = &[RD, RA, MORE, BOUND, DIMENSION, MASK];
const LOOKUP_BY_REGISTER: &[OperandField] = &[RD, RA, MORE, UNBOUND, DIMENSION, MASK];
/// The derivatives are always written.
const WITH_DERIVATIVES: &[OperandField] = &[RD, RA, RB, BOUND, DIMENSION, MASK];
const WITH_DERIVATIVES_BY_REGISTER: &[OperandField] = &[RD, RA, RB, UNBOUND, DIMENSION, MASK];

const LEVEL: ModifierField = choice("level", 55, 1, &["LZ", "LL"]);
const SAMPLE: ModifierField = flag("sample", 50, &["", "MS"]);
const LIMIT: ModifierField = flag("limit", 54, &["", "CL"]);
const FETCH: &[ModifierField] = &[LEVEL, offset(35), SAMPLE, LIMIT, NODEP];
const SPREAD: &[ModifierField] = &[offset(35), NODEP];
const MEASURE: &[ModifierField] = &[WHOLE_QUAD, NODEP];

/// An instruction that bits 63:52 are enough for.
const fn alone(kind: Kind, top: u64) -> Form {
    let form = exact(kind, top << 48, &[], &[], &[]);
    Form { guarded: false, mask: bits_of(52, 12), ..form }
}

pub(super) static FORMS: &[Form] = &[
    form(TEX, 0xc000 << 48 | NO_PREDICATE, &[], &[lod(55), offset(54), REFERENCE, WHOLE_QUAD, NODEP], LOOKUP),
    ignoring(
        form(
            TEX,
            0xde80 << 48 | NO_PREDICATE,
            &["B"],
            &[lod(37), offset(36), REFERENCE, WHOLE_QUAD, NODEP],
            LOOKUP_BY_REGISTER,
        ),
        bits_of(41, 8),
    ),
    form(TLD, 0xdc00 << 48 | NO_PREDICATE, &[], FETCH, LOOKUP),
    ignoring(form(TLD, 0xdd00 << 48 | NO_PREDICATE, &["B"], FETCH, LOOKUP_BY_REGISTER), LEFT_BY_HANDLE),
    form(TXD, 0xde00 << 48 | NO_PREDICATE, &[], SPREAD, WITH_DERIVATIVES),
    ignoring(
        form(TXD, 0xde40 << 48 | NO_PREDICATE, &["B"], SPREAD, WITH_DERIVATIVES_BY_REGISTER),
        LEFT_BY_HANDLE,
    ),
    ignoring(
        form(TMML, 0xdf58 << 48, &["LOD"], MEASURE, &[RD, RA, BOUND, DIMENSION, MASK]),
        bits_of(20, 8) | bits_of(50, 1),
    ),
    // The active lanes are saved, and those of whole quads with them; then they are restored.
    alone(SAM, 0xe370),
    alone(RAM, 0xe380),
    ignoring(
        form(TMML, 0xdf60 << 48, &["B", "LOD"], MEASURE, &[RD, RA, MORE, UNBOUND, DIMENSION, MASK]),
        LEFT_BY_HANDLE | bits_of(50, 1),
    ),
];

const GATHER: &[ModifierField] = &[offsets(54), REFERENCE, WHOLE_QUAD, NODEP];
const GATHER_BY_REGISTER: &[ModifierField] = &[offsets(36), REFERENCE, WHOLE_QUAD, NODEP];

/// A gather of component `number`, whose name is printed before everything else.
const fn gather(number: u64, component: &'static [&'static str]) -> Form {
    form(TLD4, 0xc800 << 48 | NO_PREDICATE | number << 56, component, GATHER, LOOKUP)
}

const fn gather_by_register(number: u64, component_and_b: &'static [&'static str]) -> Form {
    let bits = 0xdec0 << 48 | NO_PREDICATE | number << 38;
    ignoring(form(TLD4, bits, component_and_b, GATHER_BY_REGISTER, LOOKUP_BY_REGISTER), bits_of(41, 8))
}

/// `TLD4`, and its form of scalar operands.
pub(super) static GATHERS: [Form; 9] = [
    gather(0, &["R"]),
    gather(1, &["G"]),
    gather(2, &["B"]),
    gather(3, &["A"]),
    gather_by_register(0, &["R", "B"]),
    gather_by_register(1, &["G", "B"]),
    gather_by_register(2, &["B", "B"]),
    gather_by_register(3, &["A", "B"]),
    form(
        TLD4S,
        0xdf00 << 48,
        &[],
        &[
            choice("component", 52, 2, &["R", "G", "B", "A"]),
            flag("offset", 51, &["", "AOFFI"]),
            REFERENCE,
            NODEP,
        ],
        &[RD2, RD, RA, RB, BOUND],
    ),
];

/// What is asked of the header of a texture or of a sampler: a number of six bits. nvdisasm has names for some, prints half of some
/// others, and refuses the rest.
const fn query(number: u64, name: &'static [OperandField]) -> Form {
    let bits = 0xdf48 << 48 | number << 22;
    ignoring(form(TXQ, bits, &[], &[NODEP], name), bits_of(20, 2) | bits_of(28, 3) | 1 << 35 | 1 << 50)
}

const fn query_by_register(number: u64, name: &'static [OperandField]) -> Form {
    let bits = 0xdf50 << 48 | number << 22;
    let form = form(TXQ, bits, &["B"], &[NODEP], name);
    ignoring(form, LEFT_BY_HANDLE | bits_of(20, 2) | bits_of(28, 3) | 1 << 35 | 1 << 50)
}

const fn named(names: &'static [&'static str]) -> OperandField {
    OperandField::Word { low: 0, width: 0, names }
}

macro_rules! queries {
    ($($number:literal $name:literal)+) => {
        /// `TXQ`.
        pub(super) static QUERIES: &[Form] = &[
            $(
                query($number, &[RD, RA, named(&[$name]), BOUND, MASK]),
                query_by_register($number, &[RD, RA, named(&[$name]), UNBOUND, MASK]),
            )+
        ];
    };
}

queries! {
    1 "TEX_HEADER_DIMENSION"
    2 "TEX_HEADER_TEXTURE_TYPE"
    5 "TEX_HEADER_SAMPLER_POS"
    6 "3"
    8 "4"
    10 "5"
    12 "6"
    14 "7"
    16 "TEX_SAMPLER_FILTER"
    18 "TEX_SAMPLER_LOD"
    20 "TEX_SAMPLER_WRAP"
    22 "TEX_SAMPLER_BORDER_COLOR"
    24 "12"
    26 "13"
    28 "14"
    30 "15"
    32 "16"
    34 "17"
    36 "18"
    38 "19"
    40 "20"
    42 "21"
    44 "22"
    46 "23"
    48 "24"
    50 "25"
    52 "26"
    54 "27"
    56 "28"
    58 "29"
    60 "30"
    62 "31"
}

/// A form of scalar operands, selected by bits 56:53. That its results are pairs of halves (`.F16`) is bit 59, clear; sm_50 has no
/// such form.
const fn scalar(
    kind: Kind,
    top: u64,
    code: u64,
    modifiers: &'static [&'static str],
    operands: &'static [OperandField],
) -> Form {
    form(kind, top << 48 | code << 53, modifiers, &[NODEP], operands)
}

macro_rules! scalars {
    ($(#[$doc:meta] $list:ident = $kind:ident $top:literal $half:literal {
        $($code:literal $([$($modifier:literal)+])? $dimension:literal)+
    })+) => {
        $(
            #[$doc]
            pub(super) static $list: &[Form] = &[
                $(
                    scalar($kind, $top, $code, &[$($($modifier),+)?], &[
                        RD2, RD, RA, MORE, BOUND, named(&[$dimension]), OperandField::Components,
                    ]),
                    scalar($kind, $half, $code, &["F16", $($($modifier),+)?], &[
                        RD2, RD, RA, MORE, BOUND, named(&[$dimension]), OperandField::Components,
                    ]),
                )+
            ];
        )+
    };
}

scalars! {
    /// `TEXS`.
    SCALAR_LOOKUPS = TEXS 0xd800 0xd000 {
        0 ["LZ"] "1D"
        1 "2D"
        2 ["LZ"] "2D"
        3 ["LL"] "2D"
        4 ["DC"] "2D"
        5 ["LL" "DC"] "2D"
        6 ["LZ" "DC"] "2D"
        7 "ARRAY_2D"
        8 ["LZ"] "ARRAY_2D"
        9 ["LZ" "DC"] "ARRAY_2D"
        10 "3D"
        11 ["LZ"] "3D"
        12 "CUBE"
        13 ["LL"] "CUBE"
    }
    /// `TLDS`.
    SCALAR_FETCHES = TLDS 0xda00 0xd200 {
        0 ["LZ"] "1D"
        1 ["LL"] "1D"
        2 ["LZ"] "2D"
        4 ["LZ" "AOFFI"] "2D"
        5 ["LL"] "2D"
        6 ["LZ" "MS"] "2D"
        7 ["LZ"] "3D"
        8 ["LZ"] "ARRAY_2D"
        12 ["LL" "AOFFI"] "2D"
    }
}
