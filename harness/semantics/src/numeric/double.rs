//! Arithmetic of `.f64` on its bits. There is no `.ftz` and no `.sat`.
//!
//! "NaN payloads are supported for double-precision instructions" (PTX ISA 9.7.3): a NaN operand is returned, made quiet. If
//! several operands are NaN, the manual does not specify which: here the first; [`super::nan::defined64`] marks the bits in which
//! they differ as undefined.

use super::rounding::{Layout, Rounding};

const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7ff0_0000_0000_0000;
const QUIET: u64 = 0x0008_0000_0000_0000;
const ONE: u64 = 0x3ff0_0000_0000_0000;

/// The NaN of an invalid operation: the manual names none.
pub const CANONICAL_NAN: u64 = INFINITY | QUIET;

/// Whether it is a NaN.
#[inline(always)]
pub fn is_nan(a: u64) -> bool {
    // A floating-point comparison: SSE2 has no 64-bit integer one, and the loops over lanes would not vectorise.
    f64::from_bits(a).is_nan()
}

/// Subnormal numbers become zero of the same sign (`rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` only).
#[inline(always)]
pub fn flush(a: u64) -> u64 {
    if a & INFINITY == 0 { a & SIGN } else { a }
}

#[inline(always)]
fn propagate2(result: u64, a: u64, b: u64) -> u64 {
    let nan = if is_nan(a) { a | QUIET } else { CANONICAL_NAN };
    let nan = if is_nan(b) & !is_nan(a) { b | QUIET } else { nan };
    if is_nan(result) { nan } else { result }
}

#[inline(always)]
fn propagate3(result: u64, a: u64, b: u64, c: u64) -> u64 {
    let nan = propagate2(CANONICAL_NAN, a, b);
    let nan = if is_nan(c) & !is_nan(a) & !is_nan(b) { c | QUIET } else { nan };
    if is_nan(result) { nan } else { result }
}

/// `a + b`.
#[inline(always)]
pub fn add_rn(a: u64, b: u64) -> u64 {
    propagate2((f64::from_bits(a) + f64::from_bits(b)).to_bits(), a, b)
}

/// `a − b`.
#[inline(always)]
pub fn sub_rn(a: u64, b: u64) -> u64 {
    propagate2((f64::from_bits(a) - f64::from_bits(b)).to_bits(), a, b)
}

/// `a × b`.
#[inline(always)]
pub fn mul_rn(a: u64, b: u64) -> u64 {
    propagate2((f64::from_bits(a) * f64::from_bits(b)).to_bits(), a, b)
}

/// `a ÷ b`.
#[inline(always)]
pub fn div_rn(a: u64, b: u64) -> u64 {
    propagate2((f64::from_bits(a) / f64::from_bits(b)).to_bits(), a, b)
}

/// `a × b + c`, rounded once.
#[inline]
pub fn fma_rn(a: u64, b: u64, c: u64) -> u64 {
    let result = f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
    propagate3(result.to_bits(), a, b, c)
}

/// `add{.rnd}.f64`.
#[inline]
pub fn add(a: u64, b: u64, rounding: Rounding) -> u64 {
    match rounding {
        Rounding::Rn => add_rn(a, b),
        rounding => propagate2(Layout::F64.add(a, b, rounding), a, b),
    }
}

/// `sub{.rnd}.f64`.
#[inline]
pub fn sub(a: u64, b: u64, rounding: Rounding) -> u64 {
    match rounding {
        Rounding::Rn => sub_rn(a, b),
        rounding => propagate2(Layout::F64.add(a, b ^ SIGN, rounding), a, b),
    }
}

/// `mul{.rnd}.f64`.
#[inline]
pub fn mul(a: u64, b: u64, rounding: Rounding) -> u64 {
    match rounding {
        Rounding::Rn => mul_rn(a, b),
        rounding => propagate2(Layout::F64.mul(a, b, rounding), a, b),
    }
}

/// `fma.rnd.f64`, and `mad.rnd.f64`, which is the same.
#[inline]
pub fn fma(a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    match rounding {
        Rounding::Rn => fma_rn(a, b, c),
        rounding => propagate3(Layout::F64.fma(a, b, c, rounding), a, b, c),
    }
}

/// [`fma`] with the product rounded first: the deviation `fma.unfused`.
#[inline]
pub fn fma_unfused(a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    add(mul(a, b, rounding), c, rounding)
}

/// `div.rnd.f64`.
#[inline]
pub fn div(a: u64, b: u64, rounding: Rounding) -> u64 {
    match rounding {
        Rounding::Rn => div_rn(a, b),
        rounding => propagate2(Layout::F64.div(a, b, rounding), a, b),
    }
}

/// `rcp.rnd.f64`.
#[inline]
pub fn rcp(a: u64, rounding: Rounding) -> u64 {
    div(ONE, a, rounding)
}

/// `sqrt.rnd.f64`.
#[inline]
pub fn sqrt(a: u64, rounding: Rounding) -> u64 {
    let root = match rounding {
        Rounding::Rn => f64::from_bits(a).sqrt().to_bits(),
        rounding => Layout::F64.sqrt(a, rounding),
    };
    propagate2(root, a, 0)
}

/// `neg.f64`: "NaN inputs yield an unspecified NaN", here the same with its sign changed.
#[inline(always)]
pub fn neg(a: u64) -> u64 {
    a ^ SIGN
}

/// `abs.f64`: "NaN input is passed through unchanged", future implementations may clear the sign.
#[inline(always)]
pub fn abs(a: u64) -> u64 {
    if is_nan(a) { a } else { a & !SIGN }
}

#[cfg(test)]
#[path = "double_tests.rs"]
mod tests;
