//! Deviations of arithmetic, bits and conversions.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Ptxas, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "arithmetic", from super::memory::END;
    /// `shl` and `shr` take the amount modulo the width instead of clamping it.
    ShiftAmountMasked = "shift.amount-masked" {
        is: Value,
        origin: [Project("ZLUDA commit f04f0ec6; mesa b872b60e942; yuzu 77ef4fa90")],
        breaks: ["shl.clamps-amount", "shr.clamps-amount"],
        shown_by: ["shl|shr"],
    }
    /// `mad.hi`, `mul.hi` on signed types multiply as unsigned.
    MulHiUnsigned = "mul.hi-unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["mul.hi.signed", "mad.hi"],
        shown_by: ["mul|mad .hi"],
    }
    /// `cvt.rni` rounds halves away from zero.
    CvtRniHalfAway = "cvt.rni-half-away" {
        is: Conversion,
        origin: [Reading],
        breaks: ["cvt.rni"],
        shown_by: ["cvt .rni"],
    }
    /// `fma` rounds the product before it adds.
    FmaUnfused = "fma.unfused" {
        is: Conversion,
        origin: [Reading],
        breaks: ["fma.fused", "mad.float"],
        shown_by: ["fma|mad :float"],
    }
    /// `bfe.s32` zero-extends the field.
    BfeSignedZeroExtended = "bfe.signed-zero-extended" {
        is: Conversion,
        origin: [Project("gpgpu-sim: the first implementation of bfe")],
        breaks: ["bfe.signed"],
        shown_by: ["bfe"],
    }
    /// `min` and `max` of a signalling NaN and a number are a NaN.
    MinMaxSignallingNan = "min-max.signalling-nan" {
        is: Value,
        origin: [Reading],
        breaks: ["min.float.nan", "max.float.nan"],
        shown_by: ["min|max :float"],
    }
    /// `cvt` to a narrower floating-point type drops the low bits of a NaN, so that one without others becomes an infinity.
    CvtNanToInfinity = "cvt.nan-to-infinity" {
        is: Conversion,
        origin: [Reading],
        breaks: ["cvt.float-to-float"],
        shown_by: ["cvt :float"],
    }
    /// CC.CF after `sub` is the carry of the sum with the complement, the opposite of the borrow, and `subc` takes it so: what ptxas makes
    /// of them (`IADD.CC`, `IADD3.X` with the source inverted).
    PtxasBorrowInverted = "ptxas.borrow-inverted" {
        is: Value,
        origin: [Ptxas],
        breaks: ["cc.one-flag"],
        shown_by: ["subc", "sub .cc"],
        not_generated: Some("no generated program has carries"),
    }
}
