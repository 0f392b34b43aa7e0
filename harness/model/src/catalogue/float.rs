//! Deviations of floating-point arithmetic.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "arithmetic", from super::arithmetic::END;
    /// `fma` rounds the product before it adds.
    FmaUnfused = "fma.unfused" {
        is: Conversion,
        origin: [Reading],
        breaks: ["fma.fused", "mad.float"],
        shown_by: ["fma|mad :float"],
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
    /// `add` and `sub` of floats round to nearest whatever their rounding modifier.
    AddRoundingIgnored = "add.rounding-ignored" {
        is: Conversion,
        origin: [Project("gpgpu-sim #343, case 3: .rm and .rp are not done")],
        breaks: ["add.float.rz", "add.float.rm", "add.float.rp"],
        shown_by: ["add|sub :float .rz|.rm|.rp"],
    }
    /// `mul` of floats rounds to nearest whatever its rounding modifier.
    MulRoundingIgnored = "mul.rounding-ignored" {
        is: Conversion,
        origin: [Project("gpgpu-sim #343, case 3: .rm and .rp are not done")],
        breaks: ["mul.float.rz", "mul.float.rm", "mul.float.rp"],
        shown_by: ["mul :float .rz|.rm|.rp"],
    }
    /// `div` of floats rounds to nearest whatever its rounding modifier.
    DivRoundingIgnored = "div.rounding-ignored" {
        is: Conversion,
        origin: [Project("vosen/ZLUDA #416")],
        breaks: ["div.float.directed"],
        shown_by: ["div :float .rz|.rm|.rp"],
    }
    /// `rcp` rounds to nearest whatever its rounding modifier.
    RcpRoundingIgnored = "rcp.rounding-ignored" {
        is: Conversion,
        origin: [Reading],
        breaks: ["rcp.directed"],
        shown_by: ["rcp .rz|.rm|.rp"],
    }
    /// `sqrt` rounds to nearest whatever its rounding modifier.
    SqrtRoundingIgnored = "sqrt.rounding-ignored" {
        is: Conversion,
        origin: [Reading],
        breaks: ["sqrt.directed"],
        shown_by: ["sqrt .rz|.rm|.rp"],
    }
    /// `add`, `sub`, `mul`, `fma` and `mad` with `.ftz` keep subnormal numbers.
    FloatFtzIgnored = "float.ftz-ignored" {
        is: Conversion,
        origin: [Reading],
        breaks: ["float.ftz"],
        shown_by: ["add|sub|mul|fma|mad .ftz"],
    }
    /// `add`, `sub`, `mul`, `fma` and `mad` of floats with `.sat` do not limit their result.
    FloatSatIgnored = "float.sat-ignored" {
        is: Conversion,
        origin: [Reading],
        breaks: ["float.sat"],
        shown_by: ["add|sub|mul|fma|mad :float .sat"],
    }
    /// `min.NaN` and `max.NaN` of a NaN and a number are the number.
    MinMaxNanIgnored = "min-max.nan-modifier-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["min.float.nan-modifier"],
        shown_by: ["min|max .nan"],
    }
    /// `min` and `max` of a NaN and a number are a NaN without `.NaN`, too.
    MinMaxNanPasses = "min-max.nan-passes" {
        is: Value,
        origin: [Reading],
        breaks: ["min.float.nan", "max.float.nan"],
        shown_by: ["min|max :float"],
    }
    /// `min` and `max` of zeros of either sign are the first of them.
    MinMaxZerosEqual = "min-max.zeros-equal" {
        is: Value,
        origin: [Reading],
        breaks: ["min.float.zeros"],
        shown_by: ["min|max .f32"],
        not_generated: Some("none of 40,000 generated programs takes the lesser or greater of two zeros of different sign"),
    }
    /// `copysign` takes the sign of its second operand and the value of its first.
    CopysignSwapped = "copysign.swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["copysign"],
        shown_by: ["copysign"],
    }
    /// `mul.rn` of floats rounds towards zero.
    MulTruncates = "mul.rn-truncates" {
        is: Value,
        origin: [Reading],
        breaks: ["mul.float.rn"],
        shown_by: ["mul .rn :float"],
    }
    /// `div.rn` rounds towards zero.
    DivTruncates = "div.rn-truncates" {
        is: Value,
        origin: [Reading],
        breaks: ["div.float.rn"],
        shown_by: ["div .rn"],
    }
    /// `rcp.rn` rounds towards zero.
    RcpTruncates = "rcp.rn-truncates" {
        is: Value,
        origin: [Reading],
        breaks: ["rcp.rn"],
        shown_by: ["rcp .rn"],
    }
    /// `sqrt.rn` rounds towards zero.
    SqrtTruncates = "sqrt.rn-truncates" {
        is: Value,
        origin: [Reading],
        breaks: ["sqrt.rn"],
        shown_by: ["sqrt .rn"],
    }
    /// A sum of opposite numbers in `.f32` is +0 under `.rm`, too.
    AddZeroPositive = "add.zero-positive" {
        is: Value,
        origin: [Reading],
        breaks: ["add.float.zero-sign"],
        shown_by: ["add|sub .rm :float"],
    }
    /// Sums and products of `.f32` flush subnormal numbers without `.ftz`.
    FloatSubnormalsFlushed = "float.subnormals-flushed" {
        is: Value,
        origin: [Reading],
        breaks: ["float.subnormal.kept"],
        shown_by: ["add|sub|mul|fma|mad :float"],
    }
    /// Sums and products of `.f16` and `.f16x2` flush subnormal numbers without `.ftz`.
    HalfSubnormalsFlushed = "half.subnormals-flushed" {
        is: Value,
        origin: [Reading],
        breaks: ["add.f16", "mul.f16"],
        shown_by: ["add|sub|mul|fma :float"],
    }
    /// `testp.number` is false for infinities.
    TestpNumberFinite = "testp.number-finite" {
        is: Value,
        origin: [Reading],
        breaks: ["testp"],
        shown_by: ["testp .number"],
    }
    /// `testp.normal` is true for zeros and subnormal numbers.
    TestpNormalFinite = "testp.normal-finite" {
        is: Value,
        origin: [Reading],
        breaks: ["testp"],
        shown_by: ["testp .normal"],
    }
    /// `rcp.approx` of a zero is the greatest finite number with its sign.
    RcpZeroLargest = "rcp.zero-is-largest" {
        is: Value,
        origin: [Reading],
        breaks: ["rcp.approx.special"],
        shown_by: ["rcp .approx"],
        not_generated: Some("none of 24,000 generated programs takes the reciprocal of a zero"),
    }
    /// `rsqrt.approx`, `sqrt.approx` and `lg2.approx` take -0 for a negative number: the result is NaN.
    RootMinusZero = "approx.minus-zero-negative" {
        is: Value,
        origin: [Reading],
        breaks: ["rsqrt.approx.special", "sqrt.approx.special", "lg2.approx.special"],
        shown_by: ["rsqrt|sqrt|lg2 .approx"],
        not_generated: Some("none of 24,000 generated programs takes the root or the logarithm of -0"),
    }
    /// `ex2.approx` of minus infinity is NaN.
    Ex2MinusInfinity = "ex2.minus-infinity-nan" {
        is: Value,
        origin: [Reading],
        breaks: ["ex2.approx.special"],
        shown_by: ["ex2 .approx"],
        not_generated: Some("none of 24,000 generated programs takes the power of minus infinity"),
    }
}
