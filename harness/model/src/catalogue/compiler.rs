//! Deviations of code that ptxas 12.9 makes for sm_50. Each was read from its machine words; `docs/compiled.md` says how.

use super::deviation::Deviation;
use super::entry::Origin::Ptxas;
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "compiler", from super::texture::END;
    /// `sured.p.min` and `.max` of a whole warp on one sample combine its data as unsigned numbers, whatever the format, and reduce the
    /// sample by the result.
    PtxasReductionUnsigned = "ptxas.reduction-unsigned" {
        is: Conversion,
        origin: [Ptxas],
        breaks: ["sured.p.sign.s32"],
        shown_by: ["sured .p .min|.max .b32"],
        not_generated: Some("the threads of a generated program reduce samples of their own"),
        optional: true,
    }
    /// `bfe` and `bfi` of 64 bits take positions and lengths as they are, not their low eight bits.
    PtxasFieldUnmasked = "ptxas.field-unmasked" {
        is: Value,
        origin: [Ptxas],
        breaks: ["bfe", "bfi"],
        shown_by: ["bfe|bfi .b64|.u64|.s64"],
        optional: true,
    }
    /// `fns` with the offset −2^31 gives 0.
    PtxasLowestOffset = "ptxas.lowest-offset" {
        is: Value,
        origin: [Ptxas],
        breaks: ["fns.none"],
        shown_by: ["fns"],
        optional: true,
    }
    /// A narrower store of a register that an instruction on floating-point numbers wrote in the same run of instructions without a
    /// branch converts the number to an integer instead of storing its low bits.
    PtxasFloatStored = "ptxas.float-stored" {
        is: Conversion,
        origin: [Ptxas],
        breaks: ["st.narrow", "sust.wide-register"],
        shown_by: ["st|sust .b8|.u8|.s8|.b16|.u16|.s16|.b32|.u32|.s32"],
        optional: true,
    }
    /// `istypep` of a pointer to an array of references is false.
    PtxasArrayUnmarked = "ptxas.array-unmarked" {
        is: Value,
        origin: [Ptxas],
        breaks: ["istypep"],
        shown_by: ["istypep"],
        not_generated: Some("no generated program has arrays of references"),
    }
    /// A local array is kept in registers: a load at an offset that is none of an element finds no register, and leaves its result
    /// undefined.
    PtxasArrayInRegisters = "ptxas.array-in-registers" {
        is: Alignment,
        origin: [Ptxas],
        breaks: ["memory.misaligned"],
        shown_by: ["ld .local"],
        not_generated: Some("generated programs access their arrays within bounds, and aligned"),
        optional: true,
    }
}
