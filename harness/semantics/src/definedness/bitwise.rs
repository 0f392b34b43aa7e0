//! Undefined bits through logic and through instructions that copy bits. All rules are exact.
//!
//! An instruction that only copies bits or inserts constants is applied to the mask of *undefined* bits: copies of undefined bits
//! are undefined in the result, and inserted constants (zeros) are defined.

use super::{Bits, ones};
use crate::numeric::integer::{self, PrmtMode, w32, w64};

/// `and`: a defined zero on either side is enough.
#[inline]
pub fn and(a: Bits, b: Bits) -> u64 {
    (a.defined & b.defined) | (a.defined & !a.value) | (b.defined & !b.value)
}

/// `or`: a defined one bit in either operand is enough.
#[inline]
pub fn or(a: Bits, b: Bits) -> u64 {
    (a.defined & b.defined) | (a.defined & a.value) | (b.defined & b.value)
}

/// `xor`.
#[inline]
pub fn xor(a: Bits, b: Bits) -> u64 {
    a.defined & b.defined
}

/// `lop3`: per bit, whether all completions pick equal bits of the table.
#[inline]
pub fn lop3(a: Bits, b: Bits, c: Bits, table: u8) -> u64 {
    let can_be =
        |bits: Bits, one: bool| if one { bits.value | !bits.defined } else { !bits.value | !bits.defined };
    let (mut zero, mut one) = (0, 0);
    for row in 0..8u8 {
        let reachable = can_be(a, row & 4 != 0) & can_be(b, row & 2 != 0) & can_be(c, row & 1 != 0);
        if table >> row & 1 == 1 {
            one |= reachable;
        } else {
            zero |= reachable;
        }
    }
    (zero ^ one) & ones(32)
}

/// `selp`, `slct`, a guarded move: with an undefined predicate, the bits in which both operands agree are defined.
#[inline]
pub fn select(predicate: Bits, a: Bits, b: Bits) -> u64 {
    match (predicate.defined & 1, predicate.value & 1) {
        (0, _) => a.defined & b.defined & !(a.value ^ b.value),
        (_, 1) => a.defined,
        _ => b.defined,
    }
}

/// The one amount that all completions of `amount` amount to, if it is one: amounts of `limit` and more are all alike.
#[inline]
fn settled(amount: Bits, limit: u32) -> Option<u32> {
    if amount.is_known(32) {
        return Some((amount.value as u32).min(limit));
    }
    (amount.least(32) >= u64::from(limit)).then_some(limit)
}

/// A shift of the undefined bits by a settled amount; all is undefined otherwise, unless there is only one bit value to shift
/// in and out.
#[inline]
fn shift(a: Bits, amount: Bits, width: u32, move_bits: impl Fn(u64, u32) -> u64) -> u64 {
    match settled(amount, width) {
        Some(amount) => !move_bits(!a.defined & ones(width), amount) & ones(width),
        None => 0,
    }
}

/// `shl`, the 32-bit amount clamped to the width.
#[inline]
pub fn shl(a: Bits, amount: Bits, width: u32) -> u64 {
    shift(a, amount, width, w64::shl)
}

/// `shr.u`, `shr.b`, the 32-bit amount clamped to the width.
#[inline]
pub fn shr_unsigned(a: Bits, amount: Bits, width: u32) -> u64 {
    shift(a, amount, width, w64::shr_unsigned)
}

/// `shr.s`, the 32-bit amount clamped to the width. An undefined sign is copied as such.
#[inline]
pub fn shr_signed(a: Bits, amount: Bits, width: u32) -> u64 {
    shift(a, amount, width, |undefined, amount| w64::shr_signed(sign_extend(undefined, width), amount))
}

/// Copies the sign bit of the low `from` bits of a mask (or value) upwards.
#[inline]
pub fn sign_extend(mask: u64, from: u32) -> u64 {
    crate::numeric::convert::sign_extend(mask, from)
}

/// Whether position and length of a bit field are defined in the eight bits that count.
#[inline]
fn field_is_known(position: Bits, length: Bits) -> bool {
    position.is_known(8) && length.is_known(8)
}

/// `bfe.u` on 32 or 64 bits.
#[inline]
pub fn bfe_unsigned(a: Bits, position: Bits, length: Bits, width: u32) -> u64 {
    if !field_is_known(position, length) {
        return 0;
    }
    let (position, length) = (position.value as u32, length.value as u32);
    !match width {
        32 => w32::bfe_unsigned(!a.defined as u32, position, length).into(),
        _ => w64::bfe_unsigned(!a.defined, position, length),
    } & ones(width)
}

/// `bfe.s` on 32 or 64 bits.
#[inline]
pub fn bfe_signed(a: Bits, position: Bits, length: Bits, width: u32) -> u64 {
    if !field_is_known(position, length) {
        return 0;
    }
    let (position, length) = (position.value as u32, length.value as u32);
    !match width {
        32 => w32::bfe_signed(!a.defined as u32, position, length).into(),
        _ => w64::bfe_signed(!a.defined, position, length),
    } & ones(width)
}

/// `bfi` on 32 or 64 bits: `a` inserted into `b`.
#[inline]
pub fn bfi(a: Bits, b: Bits, position: Bits, length: Bits, width: u32) -> u64 {
    if !field_is_known(position, length) {
        return 0;
    }
    let (position, length) = (position.value as u32, length.value as u32);
    !match width {
        32 => w32::bfi(!a.defined as u32, !b.defined as u32, position, length).into(),
        _ => w64::bfi(!a.defined, !b.defined, position, length),
    } & ones(width)
}

/// `brev` on 32 or 64 bits.
#[inline]
pub fn brev(a: Bits, width: u32) -> u64 {
    (a.defined & ones(width)).reverse_bits() >> (64 - width)
}

/// The amount of `shf`, `bmsk` and `szext`: in `.wrap` five bits count, in `.clamp` all.
#[inline]
fn settled_word_amount(amount: Bits, wrap: bool) -> Option<u32> {
    if wrap { amount.is_known(5).then_some(amount.value as u32 & 31) } else { settled(amount, 32) }
}

/// `shf.l`.
#[inline]
pub fn shf_left(low: Bits, high: Bits, amount: Bits, wrap: bool) -> u64 {
    settled_word_amount(amount, wrap).map_or(0, |amount| {
        (!integer::shf_left(!low.defined as u32, !high.defined as u32, amount, false)).into()
    })
}

/// `shf.r`.
#[inline]
pub fn shf_right(low: Bits, high: Bits, amount: Bits, wrap: bool) -> u64 {
    settled_word_amount(amount, wrap).map_or(0, |amount| {
        (!integer::shf_right(!low.defined as u32, !high.defined as u32, amount, false)).into()
    })
}

/// `szext`.
#[inline]
pub fn szext(a: Bits, amount: Bits, signed: bool, wrap: bool) -> u64 {
    let extend = if signed { integer::szext_signed } else { integer::szext_unsigned };
    settled_word_amount(amount, wrap).map_or(0, |amount| (!extend(!a.defined as u32, amount, false)).into())
}

/// `prmt`: a destination byte is defined like its source byte (or sign), if its part of the selector is.
#[inline]
pub fn prmt(a: Bits, b: Bits, selector: Bits, mode: PrmtMode) -> u64 {
    let moved = !integer::prmt(!a.defined as u32, !b.defined as u32, selector.value as u32, mode);
    let selected = match mode {
        PrmtMode::Index => [0, 4, 8, 12].map(|shift| selector.defined >> shift & 0xf == 0xf),
        _ => [selector.is_known(2); 4],
    };
    let bytes = selected.map(|known| if known { 0xff } else { 0 });
    (moved & u32::from_le_bytes(bytes)).into()
}
