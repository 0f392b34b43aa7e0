//! Deviations of comparisons and selections.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "comparison", from super::conversion::END;
    /// `set` and `setp` on signed types compare as unsigned.
    CompareUnsigned = "set.unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["set.int", "setp.int"],
        shown_by: ["set|setp :signed"],
    }
    /// Unordered comparisons of `set` and `setp` are false where an operand is a NaN.
    SetUnorderedAsOrdered = "set.unordered-as-ordered" {
        is: Value,
        origin: [Project("gpuocelot commit c34268fb")],
        breaks: ["setp.float.unordered"],
        shown_by: ["set|setp .equ|.neu|.ltu|.leu|.gtu|.geu"],
    }
    /// Ordered comparisons of `set` and `setp` are true where an operand is a NaN.
    SetOrderedAsUnordered = "set.ordered-as-unordered" {
        is: Value,
        origin: [Reading],
        breaks: ["setp.float.ordered"],
        shown_by: ["set|setp :float .eq|.ne|.lt|.le|.gt|.ge"],
    }
    /// `.num` and `.nan` of `set` and `setp` are exchanged.
    SetNumNanSwapped = "set.num-nan-swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["setp.float.num"],
        shown_by: ["set|setp .num|.nan"],
    }
    /// `set.ftz` and `setp.ftz` compare subnormal numbers as they are.
    SetFtzIgnored = "set.ftz-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["setp.float.ftz"],
        shown_by: ["set|setp .ftz"],
        not_generated: Some("none of 40,000 generated programs compares subnormal numbers with `.ftz` so that it shows"),
    }
    /// `setp` with `.and` joins its third source by `or`.
    SetpCombinesOr = "setp.combines-or" {
        is: Value,
        origin: [Reading],
        breaks: ["setp.combine"],
        shown_by: ["setp .and"],
    }
    /// `slct` with a control of `.f32` compares its bits as a signed integer, so that -0.0 is less than zero.
    SlctControlInteger = "slct.control-integer" {
        is: Value,
        origin: [Project("gpuocelot commit 73e4df81")],
        breaks: ["slct"],
        shown_by: ["slct .f32"],
    }
    /// `mov.pred` of a constant writes its negation.
    MovLiteralInverted = "mov.predicate-literal-inverted" {
        is: Value,
        origin: [Project("gpgpu-sim commit 8525c81b")],
        breaks: ["constants.predicate"],
        shown_by: ["mov .pred"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `selp` by a negated predicate takes the predicate.
    SelpNegationIgnored = "selp.negation-ignored" {
        is: Value,
        origin: [Project("gpgpu-sim #343, case 1")],
        breaks: ["selp"],
        shown_by: ["selp"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `selp` takes its second source where the predicate is true.
    SelpSwapped = "selp.swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["selp"],
        shown_by: ["selp"],
    }
    /// An unsigned number is compared as a signed one with the constant 0 by `.ge`.
    SetpZeroSigned = "setp.ge-zero-signed" {
        is: Value,
        origin: [Project("SemiAnalysisAI/FuzzX ptxas m047: all ones are not greater than or equal to 0")],
        breaks: ["setp.int"],
        shown_by: ["set|setp .ge|.hs"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `set` writes 1 for true to integers.
    SetTrueIsOne = "set.true-is-one" {
        is: Value,
        origin: [Project("SemiAnalysisAI/FuzzX ptxas m013")],
        breaks: ["set.int"],
        shown_by: ["set .u32|.s32|.b32"],
    }
    /// The second predicate of `setp` is the first.
    SetpSecondIsFirst = "setp.second-is-first" {
        is: Value,
        origin: [Reading],
        breaks: ["setp.combine"],
        shown_by: ["setp"],
    }
    /// `setp` with `.xor` joins its third source by `or`.
    SetpXorAsOr = "setp.xor-as-or" {
        is: Value,
        origin: [Reading],
        breaks: ["setp.combine"],
        shown_by: ["setp .xor"],
    }
    /// `slct` of signed types writes nothing.
    SlctSignedMissing = "slct.signed-missing" {
        is: Value,
        origin: [Project("gpgpu-sim bug 78")],
        breaks: ["slct"],
        shown_by: ["slct :signed"],
    }
    /// `slct` by a NaN takes its first source.
    SlctNanTakesFirst = "slct.nan-takes-first" {
        is: Value,
        origin: [Reading],
        breaks: ["slct"],
        shown_by: ["slct .f32"],
    }
}
