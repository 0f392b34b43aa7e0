//! Video instructions: operations on bytes, halves and words of registers, and a second operation on the result.
//!
//! The part of a source is its type and a mark. Its three bits have one meaning for bytes (which of four), another for halves, and
//! one value for the word, so that there is a row for each kind of both sources. A second source that is a number is always a half.

use super::field::{RA, RB, RC, RD, choice, exact, flag, marks};
use super::kind::{Kind, fixed, slow};
use crate::form::{Form, ModifierField, OperandField};
use crate::mnemonic::{Mnemonic as M, Subject};

const VADD: Kind = fixed(M::VADD, Subject::Video);
const VABSDIFF: Kind = fixed(M::VABSDIFF, Subject::Video);
const VABSDIFF4: Kind = fixed(M::VABSDIFF4, Subject::Video);
const VMAD: Kind = fixed(M::VMAD, Subject::Video);
/// Of a word: ptxas waits for its result by a barrier, and nvdisasm shows no `.reuse`.
const VMAD_OF_WORD: Kind = slow(M::VMAD, Subject::Video);
const VMNMX: Kind = fixed(M::VMNMX, Subject::Video);
const VSET: Kind = fixed(M::VSET, Subject::Video);
const VSHL: Kind = fixed(M::VSHL, Subject::Video);
const VSHR: Kind = fixed(M::VSHR, Subject::Video);

/// A second source that is a number, as it is printed: of sums with a sign of its own, of shifts and products without one, of others with
/// one where its type is signed.
const SIGN_AND_NUMBER: OperandField = OperandField::Magnitude16;
const BITS: OperandField = OperandField::Unsigned { low: 20, width: 16 };
const NUMBER: OperandField = OperandField::Immediate16;

/// The values of bits 38:36 that choose the kind of the first source, and those of bits 50 and 30:28 for the second.
const FIRST_HALF: u64 = 0b100 << 36;
const FIRST_WORD: u64 = 0b110 << 36;
const SECOND_BYTE: u64 = 1 << 50;
const SECOND_HALF: u64 = 1 << 50 | 0b100 << 28;
const SECOND_WORD: u64 = 1 << 50 | 0b110 << 28;

const fn first(names: &'static [&'static str]) -> ModifierField {
    choice("first type", 48, 1, names)
}
const fn second(names: &'static [&'static str]) -> ModifierField {
    choice("second type", 49, 1, names)
}
/// Both types where both are as wide as they can be; two signed ones are not written.
const fn both(
    names: &'static [&'static str],
    width: u8,
    alias: &'static [(&'static str, u8)],
) -> ModifierField {
    ModifierField { role: "types", low: 48, width, names, aliases: alias, default: Some((1 << width) - 1) }
}
const FIRST_IS_BYTE: ModifierField = first(&["U8", "S8"]);
const FIRST_IS_HALF: ModifierField = first(&["U16", "S16"]);
const FIRST_IS_WORD: ModifierField = first(&["U32", "S32"]);
const SECOND_IS_BYTE: ModifierField = second(&["U8", "S8"]);
const SECOND_IS_HALF: ModifierField = second(&["U16", "S16"]);
const SECOND_IS_WORD: ModifierField = second(&["U32", "S32"]);
const WORDS: ModifierField = both(&["U32.U32", "S32.U32", "U32.S32", ""], 2, &[("S32.S32", 3)]);
const WORD_AND_NUMBER: ModifierField = both(&["U32.U16", "S32.U16", "U32.S16", ""], 2, &[("S32.S16", 3)]);
/// The amounts of shifts, which are never signed: the bit for that says that they wrap.
const AMOUNT_IS_BYTE: ModifierField = choice("second type", 0, 0, &["U8"]);
const AMOUNT_IS_HALF: ModifierField = choice("second type", 0, 0, &["U16"]);
const AMOUNT_IS_WORD: ModifierField = choice("second type", 0, 0, &["U32"]);
const SHIFTED_WORD: ModifierField = both(&["U32.U32", ""], 1, &[("S32.U32", 1)]);
const SHIFTED_WORD_BY_NUMBER: ModifierField = both(&["U32.U16", ""], 1, &[("S32.U16", 1)]);

const SATURATED: ModifierField = flag("saturation", 55, &["", "SAT"]);
const SECOND_OPERATION: ModifierField = ModifierField {
    role: "second operation",
    low: 51,
    width: 3,
    names: &["MRG_16H", "MRG_16L", "MRG_8B0", "MRG_8B2", "ACC", "MIN", "MAX", ""],
    aliases: &[],
    default: Some(7),
};
const UNSIGNED_RESULT: ModifierField = ModifierField {
    role: "signedness of the result",
    low: 54,
    width: 1,
    names: &["UD", ""],
    aliases: &[],
    default: Some(1),
};
const SIGNED_RESULT: ModifierField = flag("signedness of the result", 54, &["", "SD"]);
const GREATER: ModifierField = flag("extreme", 56, &["", "MX"]);
const WRAPPED: ModifierField = flag("treatment of large shifts", 49, &["", "W"]);
const COMPARISON: ModifierField =
    choice("comparison", 54, 3, &["F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"]);
const SCALE: ModifierField = ModifierField {
    role: "scale",
    low: 51,
    width: 2,
    names: &["", "SHR_7", "SHR_15", "INVALIDVMADSCALE3"],
    aliases: &[],
    default: Some(0),
};
const PLUS_ONE: ModifierField = choice("increment", 0, 0, &["PO"]);

/// The twelve forms of an instruction: three kinds of the first source by four of the second. Types stand between the modifiers
/// `$before` and `$after`; `$marks` are those that every form has.
macro_rules! by_kind {
    (
        $kind:ident / $wide:ident, $bits:expr, number: $operand:ident, $before:tt, $after:tt, $marks:tt,
        types of the second: $byte:ident, $half:ident, $word:ident, $number:ident, of both: $words:ident, $word_and_number:ident
    ) => {
        [
            one!($kind, $bits | SECOND_BYTE, RB, $before, [FIRST_IS_BYTE, $byte], $after, $marks,
                [1: ByteOne @ 36, 1: ByteTwo @ 37, 2: ByteOne @ 28, 2: ByteTwo @ 29]),
            one!($kind, $bits | SECOND_HALF, RB, $before, [FIRST_IS_BYTE, $half], $after, $marks,
                [1: ByteOne @ 36, 1: ByteTwo @ 37, 2: UpperHalf @ 28]),
            one!($wide, $bits | SECOND_WORD, RB, $before, [FIRST_IS_BYTE, $word], $after, $marks,
                [1: ByteOne @ 36, 1: ByteTwo @ 37]),
            one!($kind, $bits, $operand, $before, [FIRST_IS_BYTE, $number], $after, $marks,
                [1: ByteOne @ 36, 1: ByteTwo @ 37]),
            one!($kind, $bits | FIRST_HALF | SECOND_BYTE, RB, $before, [FIRST_IS_HALF, $byte], $after, $marks,
                [1: UpperHalf @ 36, 2: ByteOne @ 28, 2: ByteTwo @ 29]),
            one!($kind, $bits | FIRST_HALF | SECOND_HALF, RB, $before, [FIRST_IS_HALF, $half], $after, $marks,
                [1: UpperHalf @ 36, 2: UpperHalf @ 28]),
            one!($wide, $bits | FIRST_HALF | SECOND_WORD, RB, $before, [FIRST_IS_HALF, $word], $after, $marks,
                [1: UpperHalf @ 36]),
            one!($kind, $bits | FIRST_HALF, $operand, $before, [FIRST_IS_HALF, $number], $after, $marks,
                [1: UpperHalf @ 36]),
            one!($wide, $bits | FIRST_WORD | SECOND_BYTE, RB, $before, [FIRST_IS_WORD, $byte], $after, $marks,
                [2: ByteOne @ 28, 2: ByteTwo @ 29]),
            one!($wide, $bits | FIRST_WORD | SECOND_HALF, RB, $before, [FIRST_IS_WORD, $half], $after, $marks,
                [2: UpperHalf @ 28]),
            one!($wide, $bits | FIRST_WORD | SECOND_WORD, RB, $before, [$words], $after, $marks, []),
            one!($wide, $bits | FIRST_WORD, $operand, $before, [$word_and_number], $after, $marks, []),
        ]
    };
    ($kind:ident / $wide:ident, $bits:expr, number: $operand:ident, $before:tt, $after:tt, $marks:tt) => {
        by_kind!($kind / $wide, $bits, number: $operand, $before, $after, $marks,
            types of the second: SECOND_IS_BYTE, SECOND_IS_HALF, SECOND_IS_WORD, SECOND_IS_HALF,
            of both: WORDS, WORD_AND_NUMBER)
    };
}
macro_rules! shift_by_kind {
    ($kind:ident, $bits:expr) => {
        by_kind!($kind / $kind, $bits, number: BITS, [UNSIGNED_RESULT], [WRAPPED, SATURATED, SECOND_OPERATION], [],
            types of the second: AMOUNT_IS_BYTE, AMOUNT_IS_HALF, AMOUNT_IS_WORD, AMOUNT_IS_HALF,
            of both: SHIFTED_WORD, SHIFTED_WORD_BY_NUMBER)
    };
}
macro_rules! one {
    (
        $kind:ident, $bits:expr, $second:ident, [$($before:expr),*], [$($types:expr),*], [$($after:expr),*], [$($marks:tt)*],
        [$($parts:tt)*]
    ) => {
        exact(
            $kind,
            $bits,
            &[$($before,)* $($types,)* $($after),*],
            &[RD, RA, $second, RC],
            marks![0: ConditionCodes @ 47, $($marks)* $($parts)*],
        )
    };
}

/// Of both negations that of the first source is not here: ptxas 12.9 never emits it, nor both, which are `.PO`.
pub(super) static SUM: [Form; 12] = by_kind!(
    VADD / VADD, 0x2000 << 48, number: SIGN_AND_NUMBER, [UNSIGNED_RESULT], [SATURATED, SECOND_OPERATION], [2: Negated @ 56,]
);
pub(super) static DIFFERENCE: [Form; 12] = by_kind!(VABSDIFF / VABSDIFF, 0x5400 << 48, number: NUMBER, [SIGNED_RESULT], [SATURATED, SECOND_OPERATION], []);
pub(super) static EXTREMUM: [Form; 12] = by_kind!(VMNMX / VMNMX, 0x3a00 << 48, number: NUMBER, [UNSIGNED_RESULT], [GREATER, SATURATED, SECOND_OPERATION], []);
pub(super) static COMPARE: [Form; 12] =
    by_kind!(VSET / VSET, 0x4000 << 48, number: NUMBER, [COMPARISON], [SECOND_OPERATION], []);
pub(super) static SHIFT_LEFT: [Form; 12] = shift_by_kind!(VSHL, 0x5700 << 48);
pub(super) static SHIFT_RIGHT: [Form; 12] = shift_by_kind!(VSHR, 0x5600 << 48);
pub(super) static MULTIPLY_ADD: [Form; 12] =
    by_kind!(VMAD / VMAD_OF_WORD, 0x5f00 << 48, number: BITS, [], [SCALE, SATURATED], [3: Negated @ 53,]);
pub(super) static MULTIPLY_SUBTRACT: [Form; 12] =
    by_kind!(VMAD / VMAD_OF_WORD, 0x5f40 << 48, number: BITS, [], [SCALE, SATURATED], [1: Negated @ 54,]);
pub(super) static MULTIPLY_ADD_PLUS_ONE: [Form; 12] =
    by_kind!(VMAD / VMAD_OF_WORD, 0x5f60 << 48, number: BITS, [], [PLUS_ONE, SCALE, SATURATED], []);

/// Differences of all four bytes, each in its place; other choices and orders of bytes have no row.
pub(super) static DIFFERENCES: [Form; 1] = [exact(
    VABSDIFF4,
    0x5018_0034_4000_0000,
    &[
        flag("signedness of the result", 38, &["", "SD"]),
        both(&["U8.U8", "S8.U8", "U8.S8", ""], 2, &[("S8.S8", 3)]),
        flag("saturation", 50, &["", "SAT"]),
        ModifierField {
            role: "second operation",
            low: 53,
            width: 2,
            names: &["", "ACC", "INVALIDRED2", "INVALIDRED3"],
            aliases: &[],
            default: Some(0),
        },
    ],
    &[RD, RA, RB, RC],
    marks![0: ConditionCodes @ 47],
)];
