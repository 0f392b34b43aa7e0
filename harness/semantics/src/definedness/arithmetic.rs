//! Undefined bits through sums, products, quotients and conversions of integers.

use super::bitwise::sign_extend;
use super::{Bits, common_prefix, ones};
use crate::numeric::convert::{self, Integer};
use crate::numeric::integer;

/// Whether the bits are all those of a word from one of them on.
pub fn is_all_from_a_bit_on(bits: u64) -> bool {
    bits == (bits & bits.wrapping_neg()).wrapping_neg()
}

/// `add`. Exact: carries can differ only where the least and the greatest sum differ.
#[inline]
pub fn add(a: Bits, b: Bits, width: u32) -> u64 {
    add_carry(a, b, Bits::known(0), width).0
}

/// `addc`: the sum's mask, and whether the carry out is defined. `carry` is one bit. Exact.
#[inline]
pub fn add_carry(a: Bits, b: Bits, carry: Bits, width: u32) -> (u64, bool) {
    let sum = |a: u64, b: u64, carry: u64| u128::from(a) + u128::from(b) + u128::from(carry);
    let least = sum(a.least(width), b.least(width), carry.least(1));
    let greatest = sum(a.greatest(width), b.greatest(width), carry.greatest(1));
    let carries = (least ^ greatest) as u64;
    (a.defined & b.defined & !carries & ones(width), (least ^ greatest) >> width & 1 == 0)
}

/// `sub`. Exact.
#[inline]
pub fn sub(a: Bits, b: Bits, width: u32) -> u64 {
    sub_borrow(a, b, Bits::known(0), width).0
}

/// `subc`: the difference's mask, and whether the borrow out is defined. `borrow` is one bit. Exact.
#[inline]
pub fn sub_borrow(a: Bits, b: Bits, borrow: Bits, width: u32) -> (u64, bool) {
    // a − b − borrow = a + ~b + 1 − borrow, and the borrow out is the complement of that carry.
    let complement = Bits { value: !b.value, ..b };
    add_carry(a, complement, Bits { value: !borrow.value, ..borrow }, width)
}

/// `neg`. Exact.
#[inline]
pub fn neg(a: Bits, width: u32) -> u64 {
    sub(Bits::known(0), a, width)
}

/// Low bits of `a` that are known to be zero.
#[inline]
fn trailing_zeros(a: Bits, width: u32) -> u32 {
    (a.greatest(width)).trailing_zeros().min(width)
}

/// Low bits of `a` that are defined.
#[inline]
fn trailing_defined(a: Bits, width: u32) -> u32 {
    a.defined.trailing_ones().min(width)
}

/// The double-width product: its low bits below where an undefined bit first makes a difference, and the leading bits that
/// the least and the greatest product have in common.
fn product(a: Bits, b: Bits, signed: bool, width: u32) -> u128 {
    let full = u128::MAX >> (128 - 2 * width);
    if a.is_known(width) && b.is_known(width) {
        return full;
    }
    // Changing b from bit k up changes the product by multiples of 2^(k + trailing zeros of a), and the reverse. Beyond
    // their width, operands are extended by known zeros or by the sign, which is above every defined low bit.
    let defined = |x: Bits| if x.is_known(width) { 2 * width } else { trailing_defined(x, width) };
    let low = (defined(a) + trailing_zeros(b, width)).min(defined(b) + trailing_zeros(a, width));
    let low = if low >= 2 * width { full } else { (1 << low) - 1 };
    let ((a_least, a_greatest), (b_least, b_greatest)) = (a.range(signed, width), b.range(signed, width));
    let corner = |a: i128, b: i128| a.wrapping_mul(b);
    if !signed {
        // As 128-bit unsigned numbers; with the top bit set both are, or they differ there.
        return low | common_prefix(corner(a_least, b_least), corner(a_greatest, b_greatest), 2 * width);
    }
    let corners = [
        corner(a_least, b_least),
        corner(a_least, b_greatest),
        corner(a_greatest, b_least),
        corner(a_greatest, b_greatest),
    ];
    let least = corners.into_iter().fold(i128::MAX, i128::min);
    let greatest = corners.into_iter().fold(i128::MIN, i128::max);
    low | common_prefix(least, greatest, 2 * width)
}

/// `mul.lo`.
#[inline]
pub fn mul_lo(a: Bits, b: Bits, width: u32) -> u64 {
    product(a, b, false, width) as u64 & ones(width)
}

/// `mul.wide` on 16 or 32 bits: a mask of 2 × `width` bits.
#[inline]
pub fn mul_wide(a: Bits, b: Bits, signed: bool, width: u32) -> u64 {
    product(a, b, signed, width) as u64 & ones((2 * width).min(64))
}

/// `mul.hi`.
#[inline]
pub fn mul_hi(a: Bits, b: Bits, signed: bool, width: u32) -> u64 {
    (product(a, b, signed, width) >> width) as u64 & ones(width)
}

/// `mul24.lo` and `mul24.hi`: of the 48-bit product the lower or upper 32 bits.
#[inline]
pub fn mul24(a: Bits, b: Bits, signed: bool, high: bool) -> u64 {
    let product = product(a, b, signed, 24) as u64;
    (if high { product >> 16 } else { product }) & ones(32)
}

/// A sum or difference clamped to `.s32`: as without `.sat` if no completion overflows, else the common leading bits.
#[inline]
fn saturated(least: i128, greatest: i128, wrapping: u64) -> u64 {
    let clamp = |x: i128| x.clamp(i32::MIN.into(), i32::MAX.into());
    if clamp(least) == least && clamp(greatest) == greatest {
        return wrapping;
    }
    common_prefix(clamp(least), clamp(greatest), 32) as u64
}

/// `add.sat.s32`.
#[inline]
pub fn add_sat(a: Bits, b: Bits) -> u64 {
    let ((a_least, a_greatest), (b_least, b_greatest)) = (a.range(true, 32), b.range(true, 32));
    saturated(a_least + b_least, a_greatest + b_greatest, add(a, b, 32))
}

/// `sub.sat.s32`.
#[inline]
pub fn sub_sat(a: Bits, b: Bits) -> u64 {
    let ((a_least, a_greatest), (b_least, b_greatest)) = (a.range(true, 32), b.range(true, 32));
    saturated(a_least - b_greatest, a_greatest - b_least, sub(a, b, 32))
}

/// `mad.hi.sat.s32`.
#[inline]
pub fn mad_hi_sat(a: Bits, b: Bits, c: Bits) -> u64 {
    let high = integer::w32::mul_hi_signed(a.value as u32, b.value as u32);
    add_sat(Bits { value: high.into(), defined: mul_hi(a, b, true, 32) }, c)
}

/// `mad24.hi.sat.s32`.
#[inline]
pub fn mad24_hi_sat(a: Bits, b: Bits, c: Bits) -> u64 {
    let high = integer::mul24_hi_signed(a.value as u32, b.value as u32);
    add_sat(Bits { value: high.into(), defined: mul24(a, b, true, true) }, c)
}

/// `div`. Any undefined bit makes all undefined; so does a divisor of zero ("unspecified, machine-specific value") and a quotient
/// that the type cannot hold, which the manual does not specify.
#[inline]
pub fn divide(a: Bits, b: Bits, signed: bool, width: u32) -> u64 {
    let overflows =
        signed && a.value & ones(width) == 1 << (width - 1) && b.value & ones(width) == ones(width);
    if overflows { 0 } else { remainder(a, b, width) }
}

/// `rem`, of either sign. Any undefined bit makes all undefined, and so does a divisor of zero.
#[inline]
pub fn remainder(a: Bits, b: Bits, width: u32) -> u64 {
    let specified = a.is_known(width) && b.is_known(width) && b.value & ones(width) != 0;
    if specified { ones(width) } else { 0 }
}

/// One part of a dot product's operand, extended to 32 bits.
#[inline]
fn part(word: Bits, shift: u32, width: u32, signed: bool) -> Bits {
    let extend = |x: u64| if signed { sign_extend(x, width) } else { x & ones(width) };
    Bits { value: extend(word.value >> shift), defined: !extend(!(word.defined >> shift) & ones(width)) }
}

#[inline]
fn multiply_and_add(sum: Bits, x: Bits, y: Bits) -> Bits {
    let product = Bits { value: x.value.wrapping_mul(y.value), defined: mul_lo(x, y, 32) };
    Bits { value: sum.value.wrapping_add(product.value), defined: add(sum, product, 32) }
}

/// `dp4a`.
#[inline]
pub fn dp4a(a: Bits, b: Bits, c: Bits, a_signed: bool, b_signed: bool) -> u64 {
    let parts = (0..4).map(|i| (part(a, 8 * i, 8, a_signed), part(b, 8 * i, 8, b_signed)));
    parts.fold(c, |sum, (x, y)| multiply_and_add(sum, x, y)).defined & ones(32)
}

/// `dp2a.lo` and `dp2a.hi`.
#[inline]
pub fn dp2a(a: Bits, b: Bits, c: Bits, high: bool, a_signed: bool, b_signed: bool) -> u64 {
    let first = if high { 16 } else { 0 };
    let parts = (0..2).map(|i| (part(a, 16 * i, 16, a_signed), part(b, first + 8 * i, 8, b_signed)));
    parts.fold(c, |sum, (x, y)| multiply_and_add(sum, x, y)).defined & ones(32)
}

/// `cvt` from integer to integer. Exact without `.sat`; with it, the common leading bits if a completion may be clamped.
#[inline]
pub fn convert_integer(a: Bits, from: Integer, to: Integer, sat: bool) -> u64 {
    let (least, greatest) = a.range(from.signed, from.width);
    let clamped = |x: i128| {
        let bits = convert::integer_to_integer(x as u64, from, to, true);
        if to.signed { i128::from(sign_extend(bits, to.width).cast_signed()) } else { bits.into() }
    };
    if sat && (clamped(least) != least || clamped(greatest) != greatest) {
        return common_prefix(clamped(least), clamped(greatest), to.width) as u64;
    }
    let undefined = !a.defined & ones(from.width);
    let moved = if from.signed { sign_extend(undefined, from.width) } else { undefined };
    !moved & ones(to.width)
}
