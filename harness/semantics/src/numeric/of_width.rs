//! Operations on integers of a width that is known only when a program is decoded.

use super::convert::sign_extend;
use super::integer::{self, w16, w32, w64};

/// Sum and carry-out, or difference and borrow-out. CC.CF of a subtraction is its borrow.
#[inline]
pub fn add_sub_carry(a: u64, b: u64, carry: u64, mask: u64, subtract: bool) -> (u64, bool) {
    let (a, b, carry) = (u128::from(a & mask), u128::from(b & mask), u128::from(carry & 1));
    if subtract {
        (a.wrapping_sub(b).wrapping_sub(carry) as u64 & mask, a < b + carry)
    } else {
        let sum = a + b + carry;
        (sum as u64 & mask, sum > u128::from(mask))
    }
}

/// A product of two numbers of 24 bits: its lower 32 bits, or with `hi` bits 16 to 47.
#[inline]
pub fn product24(a: u32, b: u32, hi: bool, signed: bool) -> u32 {
    match (hi, signed) {
        (false, false) => integer::mul24_lo_unsigned(a, b),
        (false, true) => integer::mul24_lo_signed(a, b),
        (true, false) => integer::mul24_hi_unsigned(a, b),
        (true, true) => integer::mul24_hi_signed(a, b),
    }
}

/// The low 64 bits of a product of two `width`-bit numbers.
#[inline]
pub fn product(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    if signed {
        sign_extend(a, width).wrapping_mul(sign_extend(b, width))
    } else {
        let mask = u64::MAX >> (64 - width);
        (a & mask).wrapping_mul(b & mask)
    }
}

/// The upper half of a product of two `width`-bit numbers.
#[inline]
pub fn mul_hi(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    match (width, signed) {
        (64, false) => w64::mul_hi_unsigned(a, b),
        (64, true) => w64::mul_hi_signed(a, b),
        _ => product(a, b, width, signed) >> width,
    }
}

/// Calls the function of the width: of unsigned numbers, of signed ones, or of signed ones whose quotient is floored.
macro_rules! of_width {
    ($of_unsigned:ident, $of_signed:ident, $of_floored:ident; $a:ident, $b:ident, $how:expr) => {
        match $how {
            (16, false, _) => u64::from(w16::$of_unsigned($a as u16, $b as u16)),
            (16, true, false) => u64::from(w16::$of_signed($a as u16, $b as u16)),
            (16, true, true) => u64::from(w16::$of_floored($a as u16, $b as u16)),
            (32, false, _) => u64::from(w32::$of_unsigned($a as u32, $b as u32)),
            (32, true, false) => u64::from(w32::$of_signed($a as u32, $b as u32)),
            (32, true, true) => u64::from(w32::$of_floored($a as u32, $b as u32)),
            (_, false, _) => w64::$of_unsigned($a, $b),
            (_, true, false) => w64::$of_signed($a, $b),
            (_, true, true) => w64::$of_floored($a, $b),
        }
    };
}

/// The quotient, towards zero or, if signed and `floored`, towards negative infinity.
#[inline]
pub fn divide(a: u64, b: u64, width: u32, signed: bool, floored: bool) -> u64 {
    of_width!(div_unsigned, div_signed, div_signed_floored; a, b, (width, signed, floored))
}

/// What the quotient leaves.
#[inline]
pub fn remainder(a: u64, b: u64, width: u32, signed: bool, floored: bool) -> u64 {
    of_width!(rem_unsigned, rem_signed, rem_signed_floored; a, b, (width, signed, floored))
}

/// The smaller or larger of two numbers.
#[inline]
pub fn pick(a: u64, b: u64, width: u32, signed: bool, smaller: bool) -> u64 {
    let less = if signed { (sign_extend(a, width) as i64) < sign_extend(b, width) as i64 } else { a < b };
    if less == smaller { a } else { b }
}
