//! Arithmetic of `.f32` on its bits: `.ftz`, `.sat`, rounding.
//!
//! The `_rn` functions are plain `.rn` without `.ftz` and `.sat`; they have no branches, so a loop over lanes vectorises.
//! Every NaN result is the canonical one: "Single-precision instructions return an unspecified NaN" (PTX ISA 9.7.3);
//! which of its bits a program may rely on is told by [`super::nan`].

use super::rounding::{Layout, Mode, Rounding};

/// The NaN every instruction here returns.
pub const CANONICAL_NAN: u32 = 0x7fff_ffff;

const SIGN: u32 = 0x8000_0000;
/// 2^-126.
const LEAST_NORMAL: u32 = 0x0080_0000;
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;

/// Whether it is a NaN.
#[inline(always)]
pub fn is_nan(a: u32) -> bool {
    a & !SIGN > INFINITY
}

/// Subnormal numbers become zero of the same sign.
#[inline(always)]
pub fn flush(a: u32) -> u32 {
    if a & INFINITY == 0 { a & SIGN } else { a }
}

/// `.sat`: clamps to [+0, 1]; NaN becomes +0.
#[inline(always)]
pub fn saturate(a: u32) -> u32 {
    let clamped = if a > ONE { ONE } else { a };
    // Negative numbers and NaN of either sign.
    if a > INFINITY { 0 } else { clamped }
}

#[inline(always)]
fn canonical(result: f32) -> u32 {
    let bits = result.to_bits();
    if is_nan(bits) { CANONICAL_NAN } else { bits }
}

/// `a + b`.
#[inline(always)]
pub fn add_rn(a: u32, b: u32) -> u32 {
    canonical(f32::from_bits(a) + f32::from_bits(b))
}

/// `a − b`.
#[inline(always)]
pub fn sub_rn(a: u32, b: u32) -> u32 {
    canonical(f32::from_bits(a) - f32::from_bits(b))
}

/// `a × b`.
#[inline(always)]
pub fn mul_rn(a: u32, b: u32) -> u32 {
    canonical(f32::from_bits(a) * f32::from_bits(b))
}

/// `a ÷ b`.
#[inline(always)]
pub fn div_rn(a: u32, b: u32) -> u32 {
    canonical(f32::from_bits(a) / f32::from_bits(b))
}

/// √a.
#[inline(always)]
pub fn sqrt_rn(a: u32) -> u32 {
    canonical(f32::from_bits(a).sqrt())
}

/// `a × b + c`, rounded once.
///
/// The product of two binary32 is exact in binary64. Their sum with `c` is rounded to odd there: the processor's sum is
/// replaced by its odd neighbour on the side of the error that Knuth's two-sum yields. Rounding that to binary32 is then
/// the same as rounding the exact value, because 53 ≥ 24 + 2 (Boldo and Melquiond, "Emulation of FMA and correctly rounded
/// sums: proved algorithms using rounding to odd", 2008). Neither overflow nor underflow can happen in binary64.
#[inline(always)]
pub fn fma_rn(a: u32, b: u32, c: u32) -> u32 {
    let product = f64::from(f32::from_bits(a)) * f64::from(f32::from_bits(b));
    let c = f64::from(f32::from_bits(c));
    let sum = product + c;
    let virtual_c = sum - product;
    let error = (product - (sum - virtual_c)) + (c - virtual_c);
    let bits = sum.to_bits();
    // With an infinity among the operands the error is NaN, and nothing is corrected.
    let inexact = error.abs() > 0.0;
    let outward = (error > 0.0) == (sum > 0.0);
    let correction = if outward { 1u64 } else { u64::MAX };
    let odd = if inexact && bits & 1 == 0 { bits.wrapping_add(correction) } else { bits };
    canonical(f64::from_bits(odd) as f32)
}

impl Mode {
    #[inline(always)]
    fn input(self, a: u32) -> u32 {
        if self.ftz { flush(a) } else { a }
    }

    #[inline(always)]
    fn output(self, result: u32) -> u32 {
        let result = if self.ftz { flush(result) } else { result };
        if self.sat { saturate(result) } else { result }
    }
}

/// The defined bits of a result with `.ftz`. ".ftz flushes subnormal inputs and results": it does not say whether a result counts that is
/// subnormal before it is rounded and the least normal number after. IEEE 754 §7.5 leaves the like open ("tininess"), and ptxas 12.9 folds
/// such a `mul.ftz` to zero. Both differ in one bit. `truncated` is the same result rounded toward zero.
#[inline]
pub fn defined_at_flush(result: u32, truncated: impl FnOnce() -> u32) -> u32 {
    if result & !SIGN == LEAST_NORMAL && truncated() & !SIGN == 0 { !LEAST_NORMAL } else { u32::MAX }
}

/// `add{.rnd}{.ftz}{.sat}.f32`.
#[inline]
pub fn add(a: u32, b: u32, mode: Mode) -> u32 {
    let (a, b) = (mode.input(a), mode.input(b));
    mode.output(match mode.rounding {
        Rounding::Rn => add_rn(a, b),
        rounding => Layout::F32.add(a.into(), b.into(), rounding) as u32,
    })
}

/// `sub{.rnd}{.ftz}{.sat}.f32`.
#[inline]
pub fn sub(a: u32, b: u32, mode: Mode) -> u32 {
    add(a, b ^ SIGN, mode)
}

/// `mul{.rnd}{.ftz}{.sat}.f32`.
#[inline]
pub fn mul(a: u32, b: u32, mode: Mode) -> u32 {
    let (a, b) = (mode.input(a), mode.input(b));
    mode.output(match mode.rounding {
        Rounding::Rn => mul_rn(a, b),
        rounding => Layout::F32.mul(a.into(), b.into(), rounding) as u32,
    })
}

/// `fma.rnd{.ftz}{.sat}.f32`, and `mad.rnd.f32`, which is the same from sm_20 on.
#[inline]
pub fn fma(a: u32, b: u32, c: u32, mode: Mode) -> u32 {
    let (a, b, c) = (mode.input(a), mode.input(b), mode.input(c));
    mode.output(match mode.rounding {
        Rounding::Rn => fma_rn(a, b, c),
        rounding => Layout::F32.fma(a.into(), b.into(), c.into(), rounding) as u32,
    })
}

/// [`fma`] with the product rounded (and flushed) first: the deviation `fma.unfused`.
#[inline]
pub fn fma_unfused(a: u32, b: u32, c: u32, mode: Mode) -> u32 {
    add(mul(a, b, Mode { sat: false, ..mode }), c, mode)
}

/// `div.rnd{.ftz}.f32`.
#[inline]
pub fn div(a: u32, b: u32, mode: Mode) -> u32 {
    let (a, b) = (mode.input(a), mode.input(b));
    mode.output(match mode.rounding {
        Rounding::Rn => div_rn(a, b),
        rounding => Layout::F32.div(a.into(), b.into(), rounding) as u32,
    })
}

/// `rcp.rnd{.ftz}.f32`.
#[inline]
pub fn rcp(a: u32, mode: Mode) -> u32 {
    div(ONE, a, mode)
}

/// `sqrt.rnd{.ftz}.f32`.
#[inline]
pub fn sqrt(a: u32, mode: Mode) -> u32 {
    let a = mode.input(a);
    mode.output(match mode.rounding {
        Rounding::Rn => sqrt_rn(a),
        rounding => Layout::F32.sqrt(a.into(), rounding) as u32,
    })
}

/// `neg{.ftz}.f32`. A NaN keeps its payload ("Future implementations may comply with the IEEE 754 standard by preserving
/// payload and modifying only the sign bit"); until then it is unspecified, see [`super::nan::defined_sign_operation32`].
#[inline(always)]
pub fn neg(a: u32, ftz: bool) -> u32 {
    (if ftz { flush(a) } else { a }) ^ SIGN
}

/// `abs{.ftz}.f32`; NaN as for [`neg`].
#[inline(always)]
pub fn abs(a: u32, ftz: bool) -> u32 {
    (if ftz { flush(a) } else { a }) & !SIGN
}

#[cfg(test)]
#[path = "single_tests.rs"]
mod tests;
