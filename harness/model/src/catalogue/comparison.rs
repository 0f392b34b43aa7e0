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
}
