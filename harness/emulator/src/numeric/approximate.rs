//! The approximate instructions: `ex2 lg2 sin cos tanh rcp sqrt rsqrt div.approx div.full`.
//!
//! Each result is the mathematical one, computed in binary64 with errors far below an ULP of binary32 and rounded to
//! nearest; the tables of special inputs are the manual's. How far a target may be from it is [`error_bound`]. Only the
//! basic operations of binary64 are used, never the platform's mathematical library, so that every machine gives the same.

use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, PI, TAU};

use warpdiff_model::ToleranceUnit;

use super::half::Kind;
use super::rounding::{Mode, Rounding};
use super::{convert, double, single};

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;

/// Takes an input apart from flushing, and the result back to binary32.
#[inline]
fn apply(a: u32, ftz: bool, function: impl Fn(f64) -> f64) -> u32 {
    let a = if ftz { single::flush(a) } else { a };
    let result = convert::f64_to_f32_rn(function(f64::from(f32::from_bits(a))).to_bits());
    if ftz { single::flush(result) } else { result }
}

/// `ex2.approx{.ftz}.f32`: 2^a.
#[inline]
pub(crate) fn ex2(a: u32, ftz: bool) -> u32 {
    apply(a, ftz, exp2)
}

/// `lg2.approx{.ftz}.f32`: log₂ a; −∞ for ±0, NaN below.
#[inline]
pub(crate) fn lg2(a: u32, ftz: bool) -> u32 {
    apply(a, ftz, log2)
}

/// `sin.approx{.ftz}.f32`, the angle in radians.
#[inline]
pub(crate) fn sin(a: u32, ftz: bool) -> u32 {
    // The sign of zero is kept, "-0.0 → -0.0", and sin x = x where x³/6 is below its ULP.
    apply(a, ftz, |x| if x.abs() < 1e-12 { x } else { turned(x, 0) })
}

/// `cos.approx{.ftz}.f32`, the angle in radians.
#[inline]
pub(crate) fn cos(a: u32, ftz: bool) -> u32 {
    apply(a, ftz, |x| turned(x, 1))
}

/// `tanh.approx.f32`: "subnormal inputs get passed through".
#[inline]
pub(crate) fn tanh(a: u32) -> u32 {
    apply(a, false, hyperbolic_tangent)
}

/// `rcp.approx{.ftz}.f32`: 1 ÷ a.
#[inline]
pub(crate) fn rcp(a: u32, ftz: bool) -> u32 {
    single::rcp(a, Mode { ftz, ..Mode::PLAIN })
}

/// `sqrt.approx{.ftz}.f32`.
#[inline]
pub(crate) fn sqrt(a: u32, ftz: bool) -> u32 {
    single::sqrt(a, Mode { ftz, ..Mode::PLAIN })
}

/// `rsqrt.approx{.ftz}.f32`: 1 ÷ √a; ∞ with the sign of a zero.
#[inline]
pub(crate) fn rsqrt(a: u32, ftz: bool) -> u32 {
    apply(a, ftz, |x| 1.0 / x.sqrt())
}

/// `div.approx{.ftz}.f32`: `a × (1 ÷ b)`, of which the manual says for 2^126 < |b| < 2^128: "if a is infinity,
/// div.approx.f32 returns NaN, otherwise it returns a sign-preserving zero".
#[inline]
pub(crate) fn div(a: u32, b: u32, ftz: bool) -> u32 {
    let magnitude = b & !SIGN;
    if magnitude > 0x7e80_0000 && magnitude < INFINITY && !single::is_nan(a) {
        return if a & !SIGN == INFINITY { single::CANONICAL_NAN } else { (a ^ b) & SIGN };
    }
    div_full(a, b, ftz)
}

/// `div.full{.ftz}.f32`: "full-range approximation".
#[inline]
pub(crate) fn div_full(a: u32, b: u32, ftz: bool) -> u32 {
    single::div(a, b, Mode { ftz, ..Mode::PLAIN })
}

/// The NaN of the two 64-bit approximations: "Input NaNs map to a canonical NaN with encoding 0x7fffffff00000000".
const CANONICAL_NAN64: u64 = 0x7fff_ffff_0000_0000;

/// What both 64-bit approximations have in common: only the upper word of input and result counts, subnormals are zero.
#[inline]
fn upper_word(a: u64, function: impl Fn(f64) -> f64) -> u64 {
    const UPPER: u64 = 0xffff_ffff_0000_0000;
    let a = double::flush(a & UPPER);
    let result = double::flush(function(f64::from_bits(a)).to_bits());
    if double::is_nan(result) { CANONICAL_NAN64 } else { result & UPPER }
}

/// `rcp.approx.ftz.f64`: a "gross approximation" from the upper 32 bits.
#[inline]
pub(crate) fn rcp64_ftz(a: u64) -> u64 {
    upper_word(a, |x| 1.0 / x)
}

/// `rsqrt.approx.ftz.f64`.
#[inline]
pub(crate) fn rsqrt64_ftz(a: u64) -> u64 {
    upper_word(a, |x| 1.0 / x.sqrt())
}

/// `rsqrt.approx.f64`. A NaN operand is passed on.
#[inline]
pub(crate) fn rsqrt64(a: u64) -> u64 {
    let root = double::sqrt(a, Rounding::Rn);
    double::rcp(root, Rounding::Rn)
}

/// `ex2.approx.atype` and `ex2.approx.ftz.btype`: on `.f16`, and on `.bf16`, which flushes.
#[inline]
pub(crate) fn ex2_half(a: u16, kind: Kind) -> u16 {
    half(a, kind, kind == Kind::Bf16, exp2)
}

/// `tanh.approx` on `.f16` or `.bf16`.
#[inline]
pub(crate) fn tanh_half(a: u16, kind: Kind) -> u16 {
    half(a, kind, false, hyperbolic_tangent)
}

fn half(a: u16, kind: Kind, ftz: bool, function: impl Fn(f64) -> f64) -> u16 {
    let (layout, format) = (kind.layout(), convert::Format::from(kind));
    let a = if ftz { layout.flush(a.into()) } else { a.into() };
    let wide = convert::float_to_float(a, format, convert::Format::F64, Rounding::Rn, false, false);
    let result = function(f64::from_bits(wide)).to_bits();
    let narrow = convert::float_to_float(result, convert::Format::F64, format, Rounding::Rn, false, false);
    (if ftz { layout.flush(narrow) } else { narrow }) as u16
}

/// 2^x. Relative error below 2^-50 for the arguments of binary32.
fn exp2(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    // Beyond, binary32 overflows or rounds to zero whatever the value.
    let x = x.clamp(-1000.0, 1000.0);
    let whole = (x + if x < 0.0 { -0.5 } else { 0.5 }) as i64;
    let fraction = (x - whole as f64) * LN_2;
    // Taylor; |fraction| ≤ ln 2 ÷ 2, so the first term left out is below 2^-60.
    let series = (1..=14).rev().fold(1.0, |sum, n| 1.0 + fraction / f64::from(n) * sum);
    series * power_of_two(whole)
}

/// 2^n for −1022 ≤ n ≤ 1023.
fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// log₂ x. Absolute error below 2^-50 near 1 and relative error below 2^-48 elsewhere, for the arguments of binary32.
fn log2(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return x;
    }
    // A binary32, even a subnormal one, is a normal binary64: x = m · 2^e with √½ < m ≤ √2.
    let bits = x.to_bits();
    let (mut exponent, mut mantissa) =
        ((bits >> 52) as i64 - 1023, bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    if f64::from_bits(mantissa) > std::f64::consts::SQRT_2 {
        mantissa -= 1 << 52;
        exponent += 1;
    }
    // ln m = 2 artanh s with s = (m − 1) ÷ (m + 1), |s| < 0.172: the first term left out is below 2^-68.
    let m = f64::from_bits(mantissa);
    let s = (m - 1.0) / (m + 1.0);
    let series = (0..=12).rev().fold(0.0, |sum, k| sum * s * s + 1.0 / f64::from(2 * k + 1));
    exponent as f64 + 2.0 * s * series * LOG2_E
}

/// sin x for `quarters` = 0, cos x for 1. NaN for infinity. Absolute error below 2^-40 in ±100π.
fn turned(x: f64, quarters: i64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    // The remainder is exact, and for 50 turns the error of TAU itself adds up to 2^-46; farther out the manual promises
    // nothing ("only best effort is provided").
    let angle = x % TAU;
    let turns = (angle / FRAC_PI_2 + if angle < 0.0 { -0.5 } else { 0.5 }) as i64;
    let rest = angle - turns as f64 * FRAC_PI_2;
    let (square, quarter) = (rest * rest, (turns + quarters).rem_euclid(4));
    // Taylor; |rest| ≤ π ÷ 4, so the first terms left out are below 2^-60.
    let sine = (1..=9).rev().fold(1.0, |sum, n| 1.0 - square / f64::from(2 * n * (2 * n + 1)) * sum) * rest;
    let cosine = (1..=9).rev().fold(1.0, |sum, n| 1.0 - square / f64::from(2 * n * (2 * n - 1)) * sum);
    match quarter {
        0 => sine,
        1 => cosine,
        2 => -sine,
        _ => -cosine,
    }
}

/// tanh x. Relative error below 2^-45.
fn hyperbolic_tangent(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < 1.0 {
        // Lambert's continued fraction x ÷ (1 + x² ÷ (3 + x² ÷ (5 + …))); a subnormal or zero x comes through unchanged.
        let tail = (1..=12).rev().fold(25.0, |tail, n| f64::from(2 * n - 1) + x * x / tail);
        return x / tail;
    }
    let small = exp2(-2.0 * magnitude.min(100.0) * LOG2_E);
    let result = (1.0 - small) / (1.0 + small);
    // A comparison would be false for NaN, which has to come through.
    if x.is_nan() { x } else { result.copysign(x) }
}

/// An approximate instruction whose error the manual bounds: each variant is the one of that name, on `.f32` unless it
/// says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Ex2,
    Lg2,
    Sin,
    Cos,
    Tanh,
    Rcp,
    Sqrt,
    Rsqrt,
    DivApprox,
    DivFull,
    Ex2F16,
    Ex2Bf16,
    TanhF16,
    TanhBf16,
}

/// A documented maximum error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    /// In units in the last place of the result.
    Ulps(u64),
    /// Absolute.
    Absolute(f64),
    /// Relative to the mathematical result, of which a format with `precision` bits of significand holds the rounding.
    Relative {
        /// The error.
        error: f64,
        /// Bits of significand: 24 for `.f32`, 11 for `.f16`, 8 for `.bf16`.
        precision: u32,
    },
    /// The manual promises nothing: the result is any value of its type.
    None,
}

impl Bound {
    /// How far an observed result may be from the emulator's, which is the correctly rounded one; `None` if anywhere.
    pub(crate) fn tolerance(self) -> Option<ToleranceUnit> {
        match self {
            Self::Ulps(ulps) => Some(ToleranceUnit::Ulps(ulps)),
            Self::Absolute(distance) => Some(ToleranceUnit::Absolute(distance)),
            // An ULP is at least 2^-precision of the number; the emulator's own rounding adds at most one.
            Self::Relative { error, precision } => {
                let ulps = (error * power_of_two(precision.into())).ceil() as u64;
                Some(ToleranceUnit::Ulps(ulps + 1))
            }
            Self::None => None,
        }
    }
}

/// The maximum error that the manual documents (PTX ISA 9.7.3 and 9.7.4), which for some operations depends on the
/// `input` (for a division: the divisor).
pub(crate) fn error_bound(operation: Operation, input: f64) -> Bound {
    let relative = |error, precision| Bound::Relative { error, precision };
    let magnitude = input.abs();
    match operation {
        // "The maximum ulp error is 2 ulp from correctly rounded result across the full range of inputs."
        Operation::Ex2 => Bound::Ulps(2),
        // "maximum absolute error is 2^-22 when the input operand is in the range (0.5, 2). For positive finite inputs
        // outside of this interval, maximum relative error is 2^-22."
        Operation::Lg2 if input > 0.5 && input < 2.0 => Bound::Absolute(exp2(-22.0)),
        Operation::Lg2 => relative(exp2(-22.0), 24),
        // "[-2pi .. 2pi]: 2^-20.5, [-100pi .. +100pi]: 2^-14.7. Outside […] only best effort is provided."
        Operation::Sin | Operation::Cos if magnitude <= 2.0 * PI => Bound::Absolute(exp2(-20.5)),
        Operation::Sin | Operation::Cos if magnitude <= 100.0 * PI => Bound::Absolute(exp2(-14.7)),
        Operation::Sin | Operation::Cos if magnitude.is_finite() => Bound::None,
        // Infinity and NaN give NaN, by the table.
        Operation::Sin | Operation::Cos => Bound::Ulps(0),
        // "The maximum relative error over the entire floating point range is 2^-11."
        Operation::Tanh => relative(exp2(-11.0), 24),
        // "The maximum ulp error is 1 across the full range of inputs."
        Operation::Rcp => Bound::Ulps(1),
        // "The maximum relative error over the entire positive finite floating-point range is 2^-23", "2^-22.9".
        Operation::Sqrt => relative(exp2(-23.0), 24),
        Operation::Rsqrt => relative(exp2(-22.9), 24),
        // "For |b| in [2^-126, 2^126], the maximum ulp error is 2." Above, the result is given; of subnormal divisors
        // nothing is said.
        Operation::DivApprox if magnitude > 0.0 && magnitude < f64::from(f32::MIN_POSITIVE) => Bound::None,
        Operation::DivApprox => Bound::Ulps(2),
        // "The maximum ulp error is 2 across the full range of inputs."
        Operation::DivFull => Bound::Ulps(2),
        // "The maximum relative error for .f16 type is 2^-9.9. The maximum relative error for .bf16 type is 2^-7."
        Operation::Ex2F16 => relative(exp2(-9.9), 11),
        Operation::Ex2Bf16 => relative(exp2(-7.0), 8),
        // "The maximum absolute error for .f16 type is 2^-10.987. The maximum absolute error for .bf16 type is 2^-8."
        Operation::TanhF16 => Bound::Absolute(exp2(-10.987)),
        Operation::TanhBf16 => Bound::Absolute(exp2(-8.0)),
    }
}

#[cfg(test)]
#[path = "approximate_tests.rs"]
mod tests;
