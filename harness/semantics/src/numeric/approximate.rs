//! The approximate instructions: `ex2 lg2 sin cos tanh rcp sqrt rsqrt div.approx div.full`.
//!
//! Each result is the mathematical one, computed in binary64 with errors far below an ULP of binary32 and rounded to nearest; the
//! tables of special inputs are the manual's. [`super::bound`] gives the permitted error. Only the basic operations of binary64 are
//! used, never the platform's mathematical library, so that every machine gives the same result.

use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, TAU};

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
pub fn ex2(a: u32, ftz: bool) -> u32 {
    apply(a, ftz, exp2)
}

/// `lg2.approx{.ftz}.f32`: log₂ a; −∞ for ±0, NaN below.
#[inline]
pub fn lg2(a: u32, ftz: bool) -> u32 {
    apply(a, ftz, log2)
}

/// `sin.approx{.ftz}.f32`, the angle in radians.
#[inline]
pub fn sin(a: u32, ftz: bool) -> u32 {
    // The sign of zero is kept, "-0.0 → -0.0", and sin x = x where x³/6 is below its ULP.
    apply(a, ftz, |x| if x.abs() < 1e-12 { x } else { turned(x, 0) })
}

/// `cos.approx{.ftz}.f32`, the angle in radians.
#[inline]
pub fn cos(a: u32, ftz: bool) -> u32 {
    apply(a, ftz, |x| turned(x, 1))
}

/// `tanh.approx.f32`: "subnormal inputs get passed through".
#[inline]
pub fn tanh(a: u32) -> u32 {
    apply(a, false, hyperbolic_tangent)
}

/// `rcp.approx{.ftz}.f32`: 1 ÷ a.
#[inline]
pub fn rcp(a: u32, ftz: bool) -> u32 {
    single::rcp(a, Mode { ftz, ..Mode::PLAIN })
}

/// `sqrt.approx{.ftz}.f32`.
#[inline]
pub fn sqrt(a: u32, ftz: bool) -> u32 {
    single::sqrt(a, Mode { ftz, ..Mode::PLAIN })
}

/// `rsqrt.approx{.ftz}.f32`: 1 ÷ √a; ∞ with the sign of a zero.
#[inline]
pub fn rsqrt(a: u32, ftz: bool) -> u32 {
    apply(a, ftz, |x| 1.0 / x.sqrt())
}

/// `div.approx{.ftz}.f32`: `a × (1 ÷ b)`. The manual specifies for 2^126 < |b| < 2^128: "if a is infinity, div.approx.f32 returns
/// NaN, otherwise it returns a sign-preserving zero".
#[inline]
pub fn div(a: u32, b: u32, ftz: bool) -> u32 {
    let magnitude = b & !SIGN;
    if magnitude > 0x7e80_0000 && magnitude < INFINITY && !single::is_nan(a) {
        return if a & !SIGN == INFINITY { single::CANONICAL_NAN } else { (a ^ b) & SIGN };
    }
    div_full(a, b, ftz)
}

/// `div.full{.ftz}.f32`: "full-range approximation".
#[inline]
pub fn div_full(a: u32, b: u32, ftz: bool) -> u32 {
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
pub fn rcp64_ftz(a: u64) -> u64 {
    upper_word(a, |x| 1.0 / x)
}

/// `rsqrt.approx.ftz.f64`.
#[inline]
pub fn rsqrt64_ftz(a: u64) -> u64 {
    upper_word(a, |x| 1.0 / x.sqrt())
}

/// `rsqrt.approx.f64`. A NaN operand is passed on.
#[inline]
pub fn rsqrt64(a: u64) -> u64 {
    let root = double::sqrt(a, Rounding::Rn);
    double::rcp(root, Rounding::Rn)
}

/// 2^x. Relative error below 2^-50 for the arguments of binary32.
pub(super) fn exp2(x: f64) -> f64 {
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
#[inline]
fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// log₂ x. Absolute error below 2^-50 near 1 and relative error below 2^-48 elsewhere, for the arguments of binary32.
pub(super) fn log2(x: f64) -> f64 {
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
pub(super) fn turned(x: f64, quarters: i64) -> f64 {
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
pub(super) fn hyperbolic_tangent(x: f64) -> f64 {
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

#[cfg(test)]
#[path = "approximate_tests.rs"]
mod tests;
