//! Singles as the instructions of SPA 5.0 treat them, where PTX says less or another thing: flushed results, `.FMZ`, the scale of `FMUL`,
//! `FCHK`, `FSWZADD`.
//!
//! The rules are those that decoders of games' shaders (yuzu, Ryujinx), Mesa, and constants folded by ptxas agree on. Every NaN result is
//! [`single::CANONICAL_NAN`]: ptxas writes it as a literal for the square root of a negative number.

use super::rounding::{Layout, Mode};
use super::single;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const LEAST_NORMAL: u32 = 0x0080_0000;

/// The result of an operation with `.FTZ`: the exact result is rounded as if exponents had no end, and becomes zero if it is then below
/// the least normal number. ptxas folds `mul.ftz` of 0x80800000 and 0x3f7fffff to −0, although the nearest single is the least normal
/// number. `unflushed` is the result with subnormal numbers, `unbounded` that of [`Layout::F32_UNBOUNDED`].
fn flushed(unflushed: u32, unbounded: impl FnOnce() -> u64) -> u32 {
    let is_least_normal = unflushed & !SIGN == LEAST_NORMAL;
    match is_least_normal && Layout::F32_UNBOUNDED.is_below(unbounded(), Layout::F32) {
        true => unflushed & SIGN,
        false => single::flush(unflushed),
    }
}

fn input(a: u32, mode: Mode) -> u32 {
    if mode.ftz { single::flush(a) } else { a }
}

fn output(result: u32, mode: Mode, unbounded: impl FnOnce() -> u64) -> u32 {
    let result = if mode.ftz { flushed(result, unbounded) } else { result };
    if mode.sat { single::saturate(result) } else { result }
}

/// "FMUL", "FMUL32I".
#[inline]
pub fn mul(a: u32, b: u32, mode: Mode) -> u32 {
    let (a, b) = (input(a, mode), input(b, mode));
    let plain = Mode { rounding: mode.rounding, ..Mode::PLAIN };
    let unbounded = || Layout::F32_UNBOUNDED.mul_of(Layout::F32, a.into(), b.into(), mode.rounding);
    output(single::mul(a, b, plain), mode, unbounded)
}

/// "FFMA", "FFMA32I".
#[inline]
pub fn fma(a: u32, b: u32, c: u32, mode: Mode) -> u32 {
    let (a, b, c) = (input(a, mode), input(b, mode), input(c, mode));
    let plain = Mode { rounding: mode.rounding, ..Mode::PLAIN };
    let operands = [a, b, c].map(u64::from);
    let unbounded = || Layout::F32_UNBOUNDED.fma_of(Layout::F32, operands, mode.rounding);
    output(single::fma(a, b, c, plain), mode, unbounded)
}

/// Whether a factor counts as zero under `.FMZ`.
#[inline]
pub fn is_zero_factor(a: u32) -> bool {
    a & INFINITY == 0
}

/// A factor of `FMUL` multiplied by 2^`steps`; `None` where it is too large or too small for that. There sources differ: yuzu and Ryujinx
/// scale the factor, Mesa the product.
#[inline]
pub fn scaled(a: u32, steps: i32) -> Option<u32> {
    let exponent = (a & INFINITY) >> 23;
    if a << 1 == 0 || a & INFINITY == INFINITY {
        return Some(a);
    }
    let result = exponent as i32 + steps;
    (exponent != 0 && (1..255).contains(&result)).then_some(a & !INFINITY | (result as u32) << 23)
}

/// "FCHK.DIVIDE": whether `a ÷ b` needs the complete division.
///
/// No source has the test of the hardware. The short way that ptxas emits is right where both are normal, `1 ÷ b` is, the quotient
/// neither overflows nor becomes subnormal, and the remainder `a − q × b`, of which the unit is 2^-47 times `a`, is a normal number, so that
/// `.FTZ` does not lose it. This is true in all other cases; the complete division has the same result.
#[inline]
pub fn needs_complete_division(a: u32, b: u32) -> bool {
    let [a, b] = [a, b].map(|x| ((x & INFINITY) >> 23) as i32);
    let short = (50..=254).contains(&a) && (1..=251).contains(&b) && (-124..=125).contains(&(a - b));
    !short
}

/// The lane of "FSWZADD": `signs` are two bits: `a + b`, `b − a`, `a − b`, `b`.
///
/// The names are nvdisasm's: the letters of the two bits are `PP`, `NP`, `PN`, `ZP`. Mesa's `QUADOP` has the same four operations.
#[inline]
pub fn swizzled_sum(signs: u32, a: u32, b: u32, mode: Mode) -> u32 {
    match signs & 3 {
        0 => single::add(a, b, mode),
        1 => single::add(a ^ SIGN, b, mode),
        2 => single::add(a, b ^ SIGN, mode),
        _ => single::add(SIGN, b, mode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::rounding::Rounding;

    const FTZ: Mode = Mode { ftz: true, ..Mode::PLAIN };

    #[test]
    fn a_flushed_product_is_rounded_without_a_least_exponent() {
        // ptxas 12.9 folds these two.
        assert_eq!(mul(0x8080_0000, 0x3f7f_ffff, FTZ), 0x8000_0000);
        assert_eq!(mul(0x3f7f_fffe, 0x0080_0001, FTZ), 0x0080_0000);
        // Without `.FTZ` the first is rounded to even, the least normal number.
        assert_eq!(mul(0x8080_0000, 0x3f7f_ffff, Mode::PLAIN), 0x8080_0000);
        assert_eq!(fma(0x8080_0000, 0x3f7f_ffff, 0x8000_0000, FTZ), 0x8000_0000);
        let up = Mode { rounding: Rounding::Rp, ..FTZ };
        // 2^-126 × (1 − 2^-24) is a number of 24 bits: no rounding takes it to 2^-126.
        assert_eq!(mul(0x0080_0000, 0x3f7f_ffff, up), 0);
        assert_eq!(mul(0x0080_0001, 0x3f7f_fffe, up), 0x0080_0000, "(1 + 2^-23)(1 - 2^-23) rounded up is 1");
    }

    #[test]
    fn subnormal_numbers_are_kept_or_zero() {
        assert_eq!(mul(0x0000_0001, 0x4000_0000, Mode::PLAIN), 2);
        assert_eq!(mul(0x8000_0001, 0x4000_0000, FTZ), 0x8000_0000);
        assert_eq!(fma(0x0080_0000, 0x3f00_0000, 0, FTZ), 0);
        assert_eq!(fma(1, 1, 0x8000_0001, FTZ), 0, "+0 - 0");
    }

    #[test]
    fn scales_are_exact_or_open() {
        assert_eq!(scaled(0x3f80_0000, -1), Some(0x3f00_0000));
        assert_eq!(scaled(0xbf80_0000, 3), Some(0xc100_0000));
        assert_eq!(scaled(0x0080_0000, -1), None);
        assert_eq!(scaled(0x7f00_0000, 1), None);
        assert_eq!(scaled(0x0000_0001, 1), None);
        assert_eq!([scaled(0x8000_0000, -3), scaled(0x7f80_0000, 3)], [Some(0x8000_0000), Some(0x7f80_0000)]);
    }

    #[test]
    fn the_short_division_is_for_plain_numbers() {
        let one = 0x3f80_0000;
        assert!(!needs_complete_division(one, 0x4040_0000));
        for special in [0, SIGN, 1, INFINITY, INFINITY | SIGN, 0x7fff_ffff, 0x7f7f_ffff] {
            assert!(needs_complete_division(one, special), "{special:#x}");
        }
        for special in [0, 1, INFINITY, 0x7fff_ffff, 0x0080_0000] {
            assert!(needs_complete_division(special, one), "{special:#x}");
        }
        // 2^100 ÷ 2^-40 overflows, 2^-70 ÷ 2^60 is subnormal.
        assert!(needs_complete_division(0x7180_0000, 0x2b80_0000));
        assert!(needs_complete_division(0x1c80_0000, 0x5d80_0000));
    }

    #[test]
    fn lanes_add_with_their_own_signs() {
        let (three, one) = (0x4040_0000, 0x3f80_0000);
        let all = [0, 1, 2, 3].map(|signs| swizzled_sum(signs, three, one, Mode::PLAIN));
        assert_eq!(all, [0x4080_0000, 0xc000_0000, 0x4000_0000, one]);
    }
}
