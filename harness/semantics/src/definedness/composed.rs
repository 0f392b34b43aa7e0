//! What an operation computes that takes more than an operator, and the rules of those that are made of several.

use super::{Bits, float};
use crate::definedness;
use crate::numeric::rounding::Layout;
use crate::numeric::spa::bits::{Funnel, funnel_amount};

/// Floating-point operands: the first `count` must be defined, or known to be NaNs; then `result` is what is defined, else nothing.
pub fn float_rule(operands: &[Bits; 4], count: usize, format: Layout, result: u64) -> u64 {
    let mut settled = operands.iter().take(count).map(|bits| float::operand(*bits, format));
    if settled.all(|bits| bits.is_known(format.width())) { result } else { 0 }
}

/// Whether the operands' bits within `masks` are all defined; then `result` is what is defined, else nothing.
pub fn all_or_nothing(operands: &[Bits; 4], masks: [u64; 4], result: u64) -> u64 {
    let whole = operands.iter().zip(masks).all(|(bits, mask)| bits.defined & mask == mask);
    if whole { result } else { 0 }
}

/// The amount of a funnel shift, if all that it may be shift alike: of one that wraps the upper bits do not count, and those that are
/// limited are alike beyond the limit.
pub fn settled_amount(amount: Bits, kind: Funnel, wraps: bool) -> Option<u32> {
    const WORD: u64 = u32::MAX as u64;
    let width = if kind == Funnel::Word { 32 } else { 64 };
    let least = (amount.value & amount.defined) as u32;
    let counting = if wraps { u64::from(width - 1) } else { WORD };
    let is_settled = amount.defined & counting == counting || !wraps && least >= width;
    is_settled.then(|| funnel_amount(least, kind, wraps))
}

/// `mad.lo`: the rule of a product, then that of a sum.
pub fn mad_rule(v: &[Bits; 4], width: u32) -> u64 {
    let product =
        Bits { value: v[0].value.wrapping_mul(v[1].value), defined: definedness::mul_lo(v[0], v[1], width) };
    definedness::add(product, v[2], width)
}

/// The sum of three words: the rule of the first two, then that of their sum and the third.
pub fn sum_of_three_rule(v: &[Bits; 4]) -> u64 {
    let first = (v[0].value as u32).wrapping_add(v[1].value as u32);
    let first = Bits { value: first.into(), defined: definedness::add(v[0], v[1], 32) };
    definedness::add(first, v[2], 32)
}

/// A word shifted left and added to another: the rule of the shift, then that of the sum.
pub fn shifted_sum_rule(v: &[Bits; 4]) -> u64 {
    let shifted = shl32(v[0].value as u32, v[1].value as u32);
    let shifted = Bits { value: shifted.into(), defined: definedness::shl(v[0], v[1], 32) };
    definedness::add(shifted, v[2], 32)
}

/// `mad.wide` of 32-bit factors.
pub fn mad_wide_rule(v: &[Bits; 4], signed: bool) -> u64 {
    let (a, b) = (v[0].value as u32, v[1].value as u32);
    let value = if signed { mul_wide_signed(a, b) } else { u64::from(a) * u64::from(b) };
    definedness::add(Bits { value, defined: definedness::mul_wide(v[0], v[1], signed, 32) }, v[2], 64)
}

/// `mul.wide.s32`.
#[inline(always)]
pub fn mul_wide_signed(a: u32, b: u32) -> u64 {
    (i64::from(a as i32) * i64::from(b as i32)) as u64
}

/// "Shift amounts greater than the register width N are clamped to N."
#[inline(always)]
pub fn shl32(a: u32, amount: u32) -> u32 {
    if amount > 31 { 0 } else { a << (amount & 31) }
}

/// The same to the right.
#[inline(always)]
pub fn shr32(a: u32, amount: u32) -> u32 {
    if amount > 31 { 0 } else { a >> (amount & 31) }
}

/// [`shl32`] of 64 bits.
#[inline(always)]
pub fn shl64(a: u64, amount: u32) -> u64 {
    if amount > 63 { 0 } else { a << (amount & 63) }
}

/// [`shr32`] of 64 bits.
#[inline(always)]
pub fn shr64(a: u64, amount: u32) -> u64 {
    if amount > 63 { 0 } else { a >> (amount & 63) }
}
