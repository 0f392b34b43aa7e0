//! Deviations of code that ptxas 12.9 makes for sm_50. Each was read from its machine words; `docs/compiled.md` says how.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Ptxas};
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
    /// `bfe.s32` at a constant position from 32 on, of a constant length other than 0, gives all ones.
    PtxasHighField = "ptxas.high-field" {
        is: Value,
        origin: [Ptxas],
        breaks: ["bfe.signed"],
        shown_by: ["bfe .s32"],
        not_generated: Some("positions are seldom constants where inputs are loaded"),
        optional: true,
    }
    /// `mad.hi.s32` with the constant 0 as its second factor adds the sign of the first.
    PtxasZeroFactor = "ptxas.zero-factor" {
        is: Value,
        origin: [Ptxas],
        breaks: ["mad.hi"],
        shown_by: ["mad .hi .s32"],
        not_generated: Some("a factor that is the constant 0 is one of many"),
        optional: true,
    }
    /// `slct` by the constant −2^31 selects its first source.
    PtxasLeastSelects = "ptxas.least-selects" {
        is: Value,
        origin: [Ptxas],
        breaks: ["slct"],
        shown_by: ["slct .s32"],
        not_generated: Some("the constant −2^31 is one of many"),
        optional: true,
    }
    /// `sub.sat.s32` of the constant −2^31 adds it.
    PtxasLeastSubtracted = "ptxas.least-subtracted" {
        is: Value,
        origin: [Ptxas],
        breaks: ["sub.int.sat"],
        shown_by: ["sub .sat .s32"],
        not_generated: Some("the constant −2^31 is one of many"),
        optional: true,
    }
    /// `add.sat.s32` and `sub.sat.s32` of a sum, difference or negative of the same run of instructions, where a term cancels or constants
    /// are added, limit the sum of what is left as if nothing before had wrapped.
    PtxasUnwrappedSum = "ptxas.unwrapped-sum" {
        is: Value,
        origin: [Ptxas],
        breaks: ["add.int.sat", "sub.int.sat"],
        shown_by: ["add|sub .sat .s32"],
        not_generated: Some("a sum of what another instruction summed is rare"),
        optional: true,
    }
    /// What `neg.s16` made of −32768 is 32768 to the extension or the wide product that reads it.
    PtxasWideNegation = "ptxas.wide-negation" {
        is: Value,
        origin: [Ptxas, Project("SemiAnalysisAI/FuzzX ptxas m057, m060")],
        breaks: ["cvt.int.extends", "mul.wide"],
        shown_by: ["cvt|mul|mad .s16"],
        not_generated: Some("an extension of what `neg.s16` wrote is rare"),
        optional: true,
    }
    /// What `set` gives, all ones or 0, is taken for 1 or 0 where it is compared with 1.
    PtxasSetIsOne = "ptxas.set-is-one" {
        is: Value,
        origin: [Ptxas],
        breaks: ["set.int"],
        shown_by: ["set|setp .b32|.u32|.s32"],
        not_generated: Some("a comparison of what `set` wrote with 1 is rare"),
        optional: true,
    }
    /// `add.f32` and `sub.f32` of constants of different signs (of the same, for `sub`) whose exact sum lies halfway between two numbers
    /// give the one nearer to zero.
    PtxasFoldedTie = "ptxas.folded-tie" {
        is: Conversion,
        origin: [Ptxas],
        breaks: ["add.float.rn"],
        shown_by: ["add|sub .f32"],
        not_generated: Some("sums of two constants are rare where inputs are loaded"),
        optional: true,
    }
    /// `abs.f64` makes a signalling NaN quiet.
    PtxasAbsQuiet = "ptxas.abs-quiet" {
        is: Conversion,
        origin: [Ptxas],
        breaks: ["abs.double.nan"],
        shown_by: ["abs .f64"],
        optional: true,
    }
    /// `suld.b.1d.b32` at constants beside one another are one load of all: out of bounds it is as a whole.
    PtxasMergedLoads = "ptxas.merged-loads" {
        is: Clamp,
        origin: [Ptxas],
        breaks: ["suld.clamp.nearest"],
        shown_by: ["suld .1d .b32"],
        not_generated: Some("coordinates are seldom constants where inputs are loaded"),
        optional: true,
    }
    /// A constant as the second source of a scalar video instruction is cut to 16 bits where it fits them as a number of the result's
    /// sign, and extended by its own type, which may have another sign.
    PtxasVideoConstant = "ptxas.video-constant" {
        is: Value,
        origin: [Ptxas],
        breaks: ["video.arithmetic", "vmad", "vshl"],
        shown_by: ["vadd|vsub|vabsdiff|vmin|vmax|vshl|vshr|vmad"],
        optional: true,
    }
    /// `set` with a result `.f32`, or with sources of 16 bits, under a guard that is false converts what its destination holds: the bits (the
    /// lower half for such sources), as a signed number, become a `.f32` without the sign, or a word.
    PtxasSetUnguarded = "ptxas.set-unguarded" {
        is: Value,
        origin: [Ptxas],
        breaks: ["predication"],
        shown_by: ["set .f32|.b16|.u16|.s16 @"],
        optional: true,
    }
    /// `testp` loses its guard.
    PtxasTestpUnguarded = "ptxas.testp-unguarded" {
        is: Value,
        origin: [Ptxas],
        breaks: ["predication"],
        shown_by: ["testp @"],
        optional: true,
    }
    /// `cvt.rm.ftz.f16.f32` and `cvt.rp.ftz.f16.f32` keep subnormal numbers, which round to the half next to zero.
    PtxasHalfUnflushed = "ptxas.half-unflushed" {
        is: Conversion,
        origin: [Ptxas],
        breaks: ["cvt.ftz"],
        shown_by: ["cvt .rm|.rp .ftz .f16"],
        optional: true,
    }
}
