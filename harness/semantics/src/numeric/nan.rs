//! The specified bits of a NaN result.
//!
//! PTX ISA 9.7.3: "NaN payloads are supported for double-precision instructions […]. Single-precision instructions return
//! an unspecified NaN." So that a result is a NaN is certain, which one often is not. A mask of defined bits can say the
//! first (exponent and quiet bit) and leave the rest open; that the quiet bit is set follows from IEEE 754 §6.2, with
//! which the instructions comply. The sign of a NaN is never certain (IEEE 754 §6.3).
//!
//! Every function takes a result computed from defined operands and answers the mask of its defined bits: all ones unless
//! the result is a NaN.

use super::half::Kind;
use super::rounding::Layout;
use super::{double, single};

const QUIET_NAN32: u32 = 0x7fc0_0000;
const QUIET_NAN64: u64 = 0x7ff8_0000_0000_0000;
const PAYLOAD64: u64 = 0x0007_ffff_ffff_ffff;
const SIGN64: u64 = 1 << 63;

/// A result of `.f32` arithmetic.
#[inline(always)]
pub fn defined32(result: u32) -> u32 {
    if single::is_nan(result) { QUIET_NAN32 } else { u32::MAX }
}

/// A result of `.f16` or `.bf16` arithmetic; the manual does not specify its NaN, so it is treated like `.f32`.
#[inline]
pub fn defined16(result: u16, kind: Kind) -> u16 {
    let format = kind.layout();
    let quiet_nan = (format.infinity() | format.quiet_bit()) as u16;
    if format.is_nan(result.into()) { quiet_nan } else { u16::MAX }
}

/// A result of `.f64` arithmetic on `inputs`: the payload of a NaN operand is preserved; if several are NaN, only the bits they
/// have in common are defined.
#[inline]
pub fn defined64(result: u64, inputs: &[u64]) -> u64 {
    if !double::is_nan(result) {
        return u64::MAX;
    }
    let mut nans = inputs.iter().filter(|input| double::is_nan(**input));
    let Some(first) = nans.next() else {
        return QUIET_NAN64;
    };
    let agreed = nans.fold(PAYLOAD64, |agreed, nan| agreed & !(first ^ nan));
    QUIET_NAN64 | agreed
}

/// A result of `neg.f32` or `abs.f32`: "NaN input yields unspecified NaN". Whether a signalling one becomes quiet is open
/// too ("Future implementations may comply with the IEEE 754 standard by preserving payload").
#[inline(always)]
pub fn defined_sign_operation32(result: u32) -> u32 {
    if single::is_nan(result) { 0x7f80_0000 | result & 0x0040_0000 } else { u32::MAX }
}

/// A result of `neg` or `abs` on `.f16` or `.bf16`: as for `.f32`.
#[inline]
pub fn defined_sign_operation16(result: u16, kind: Kind) -> u16 {
    let format = kind.layout();
    let quiet = u64::from(result) & format.quiet_bit();
    if format.is_nan(result.into()) { (format.infinity() | quiet) as u16 } else { u16::MAX }
}

/// A result of `neg.f64`: "NaN inputs yield an unspecified NaN".
#[inline]
pub fn defined_neg64(result: u64) -> u64 {
    let quiet = result & Layout::F64.quiet_bit();
    if double::is_nan(result) { Layout::F64.infinity() | quiet } else { u64::MAX }
}

/// A result of `abs.f64`: "NaN input is passed through unchanged. Future implementations may (modify) only the sign bit."
#[inline]
pub fn defined_abs64(result: u64) -> u64 {
    if double::is_nan(result) { !SIGN64 } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_precision_nans_are_unspecified_but_quiet_nans() {
        assert_eq!(defined32(0x7fff_ffff), 0x7fc0_0000);
        assert_eq!(defined32(0x7f80_0000), u32::MAX, "infinity is a result like any other");
        assert_eq!(defined_sign_operation32(0xffc0_0001), 0x7fc0_0000);
        assert_eq!(defined_sign_operation32(0xff80_0001), 0x7f80_0000);
    }

    #[test]
    fn double_precision_payloads_are_passed_on() {
        let (one, other) = (0x7ff8_0000_0000_0003, 0xfff8_0000_0000_0005);
        assert_eq!(defined64(one, &[one, 0]), 0x7fff_ffff_ffff_ffff);
        assert_eq!(defined64(one, &[one, other]), 0x7fff_ffff_ffff_fff9);
        assert_eq!(defined64(double::CANONICAL_NAN, &[0, 0]), 0x7ff8_0000_0000_0000);
        assert_eq!(defined64(0, &[0, 0]), u64::MAX);
        assert_eq!(defined_abs64(other), 0x7fff_ffff_ffff_ffff);
        assert_eq!(defined_neg64(other), 0x7ff8_0000_0000_0000);
    }

    #[test]
    fn half_precision_nans() {
        assert_eq!(defined16(0x7fff, Kind::F16), 0x7e00);
        assert_eq!(defined16(0x7fff, Kind::Bf16), 0x7fc0);
        assert_eq!(defined16(0x7c00, Kind::F16), u16::MAX);
        assert_eq!(defined_sign_operation16(0xfc01, Kind::F16), 0x7c00);
    }
}
