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
    /// A narrower store of a register with as many bits as the floating-point number, of 16, 32 or 64, that an instruction wrote there in the
    /// same run of instructions without a branch converts the number to an integer instead of storing its low bits.
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
    /// `mad.hi.s32` and `madc.hi.s32` with the constant 0 as their second factor add the sign of the first.
    PtxasZeroFactor = "ptxas.zero-factor" {
        is: Value,
        origin: [Ptxas],
        breaks: ["mad.hi"],
        shown_by: ["mad|madc .hi .s32"],
        not_generated: Some("a factor that is the constant 0 is one of many"),
        optional: true,
    }
    /// `slct` by a constant word takes that for a number: −2^31, which is −0.0, selects the first source, and what is a NaN the second.
    PtxasLeastSelects = "ptxas.least-selects" {
        is: Value,
        origin: [Ptxas],
        breaks: ["slct"],
        shown_by: ["slct .s32"],
        not_generated: Some("constants where inputs are loaded are rare"),
        optional: true,
    }
    /// A register to which one side of a branch gives the word −1 and the other 1.0 has the one that is first in the text behind both: each is what a
    /// `set` gives for true.
    PtxasTrueMerged = "ptxas.true-merged" {
        is: Value,
        origin: [Ptxas],
        breaks: ["bra"],
        shown_by: ["bra @"],
        not_generated: Some("-1 and 1.0 as the two values of a register are rare where inputs are loaded"),
        optional: true,
    }
    /// `add.sat.s32` and `sub.sat.s32` of two numbers, of which −2^31 is the first, take 2^31 in its place.
    PtxasLeastNegated = "ptxas.least-negated" {
        is: Value,
        origin: [Ptxas],
        breaks: ["add.int.sat", "sub.int.sat"],
        shown_by: ["add|sub .sat"],
        not_generated: Some("sums of two numbers are rare, and one of a billion numbers is −2^31"),
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
    /// What `set` gives, all ones, 1.0 or 0, is taken for 1 or 0 where it is compared with 1 or 1.0.
    PtxasSetIsOne = "ptxas.set-is-one" {
        is: Value,
        origin: [Ptxas],
        breaks: ["set.int"],
        shown_by: ["set|setp .b32|.u32|.s32|.f32"],
        not_generated: Some("a comparison of what `set` wrote with 1 is rare"),
        optional: true,
    }
    /// All ones that `set` gives are taken for −1 where they are compared with zero, unsigned or as `.f32`.
    PtxasSetSigned = "ptxas.set-signed" {
        is: Value,
        origin: [Ptxas],
        breaks: ["set.int"],
        shown_by: ["set|setp .u32|.f32"],
        not_generated: Some("a comparison of what `set` wrote with 0 is rare"),
        optional: true,
    }
    /// `cvt` of `.u32` to `.f32` or `.f16`, or with `.sat`, of a number of 8 or 16 bits that was extended with its sign converts the signed number.
    PtxasExtendedSign = "ptxas.extended-sign" {
        is: Conversion,
        origin: [Ptxas],
        breaks: ["cvt.int-to-float", "cvt.int.sat"],
        shown_by: ["cvt .u32"],
        not_generated: Some("a conversion of what another instruction extended is rare"),
        optional: true,
    }
    /// An integer that an instruction with `.sat` wrote is taken for a number from 0 to 1 where one limits it to that.
    PtxasLimitedNumber = "ptxas.limited-number" {
        is: Value,
        origin: [Ptxas],
        breaks: ["cvt.float.sat"],
        shown_by: ["cvt|min|max|mul .f32"],
        not_generated: Some("an integer as a number is rare"),
        optional: true,
    }
    /// Comparisons take an absolute value, a square and a power for not negative, whether it is −2^31 or NaN; the remainder of one is unsigned.
    PtxasNeverNegative = "ptxas.never-negative" {
        is: Value,
        origin: [Ptxas],
        breaks: ["setp.float.ordered"],
        shown_by: ["setp|set .f32|.s32", "rem .s32"],
        not_generated: Some("a comparison of an absolute value with zero is rare"),
        optional: true,
    }
    /// `setp.s32` of a negative and zero, and `slct` by a negative, compare the number itself, in the other direction: −2^31 is its own negative.
    PtxasNegatedZero = "ptxas.negated-zero" {
        is: Value,
        origin: [Ptxas],
        breaks: ["setp.int", "slct"],
        shown_by: ["setp|slct .s32"],
        not_generated: Some("a comparison of a negative with zero is rare"),
        optional: true,
    }
    /// `max.f32` with zero of what `min.f32` with 1.0 gave is zero of a NaN.
    PtxasClampOrder = "ptxas.clamp-order" {
        is: Conversion,
        origin: [Ptxas],
        breaks: ["min.float.nan"],
        shown_by: ["max .f32"],
        not_generated: Some("bounds of 1 and 0, one after the other, are rare"),
        optional: true,
    }
    /// `setp.ftz.f32` of what `set` gave and zero flushes the sources of that `set`.
    PtxasMovedFlush = "ptxas.moved-flush" {
        is: Value,
        origin: [Ptxas],
        breaks: ["setp.float.ftz"],
        shown_by: ["setp .ftz .f32"],
        not_generated: Some("a comparison of what `set` wrote with 0 is rare"),
        optional: true,
    }
    /// What changes no number leaves a signalling NaN as it is: `cvt.f32.f32`, the lesser or greater of a number and itself, the product with one.
    PtxasSignallingKept = "ptxas.signalling-kept" {
        is: Conversion,
        origin: [Ptxas],
        breaks: ["min.float.nan", "max.float.nan"],
        shown_by: ["cvt|min|max|mul .f32|.f64"],
        not_generated: Some("a number beside itself is rare"),
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
    /// `sust.b.1d.b32` at constants beside one another are one store of all: out of bounds it is as a whole.
    PtxasMergedStores = "ptxas.merged-stores" {
        is: Clamp,
        origin: [Ptxas],
        breaks: ["sust.clamp.nearest"],
        shown_by: ["sust .1d .b32"],
        not_generated: Some("coordinates are seldom constants where inputs are loaded"),
        optional: true,
    }
    /// `cvt` of an `.f64` that is no number to `.u8` and `.u16` gives all ones: 2^31 as a word, and that is more than the type holds.
    PtxasNarrowNan = "ptxas.narrow-nan" {
        is: Conversion,
        origin: [Ptxas],
        breaks: ["cvt.nan"],
        shown_by: ["cvt .u8|.u16 .f64"],
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
    /// A byte or half of a constant as the second source of a scalar video instruction is the constant: it is put into the machine word, where there
    /// is no room for the part, if it fits 16 bits.
    PtxasConstantPart = "ptxas.constant-part" {
        is: Value,
        origin: [Ptxas],
        breaks: ["video.arithmetic", "vmad", "vshl"],
        shown_by: ["vadd|vsub|vabsdiff|vmin|vmax|vshl|vshr|vmad"],
        not_generated: Some("a register with a constant as the second source is rare where inputs are loaded"),
        optional: true,
    }
    /// A constant as the first factor of a `vmad` takes the minus sign of the second, and stays a number without sign where its type has none.
    PtxasNegatedFactor = "ptxas.negated-factor" {
        is: Value,
        origin: [Ptxas],
        breaks: ["vmad"],
        shown_by: ["vmad"],
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
