//! Bit-field instructions of 32-bit words: `lop3`, `shf`, `bmsk`, `szext`, `fns`.

use super::w32;

/// `lop3.b32`: bit `4a + 2b + c` of the table for every bit position.
#[inline(always)]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    // The sum of minterms; a constant table leaves only its own terms.
    let term = |index: u8, minterm: u32| if table >> index & 1 == 1 { minterm } else { 0 };
    term(0, !a & !b & !c)
        | term(1, !a & !b & c)
        | term(2, !a & b & !c)
        | term(3, !a & b & c)
        | term(4, a & !b & !c)
        | term(5, a & !b & c)
        | term(6, a & b & !c)
        | term(7, a & b & c)
}

/// The amount of `shf`: `.wrap` takes it modulo 32, `.clamp` limits it to 32.
#[inline(always)]
pub fn shf_amount(amount: u32, wrap: bool) -> u32 {
    if wrap { amount & 31 } else { amount.min(32) }
}

/// `shf.l`: the upper word of `high:low` shifted left.
#[inline(always)]
pub fn shf_left(low: u32, high: u32, amount: u32, wrap: bool) -> u32 {
    let both = u64::from(high) << 32 | u64::from(low);
    ((both << shf_amount(amount, wrap)) >> 32) as u32
}

/// `shf.r`: the lower word of `high:low` shifted right.
#[inline(always)]
pub fn shf_right(low: u32, high: u32, amount: u32, wrap: bool) -> u32 {
    let both = u64::from(high) << 32 | u64::from(low);
    (both >> shf_amount(amount, wrap)) as u32
}

/// `bmsk`: `width` ones from bit `position` up. `.wrap` takes both modulo 32, `.clamp` limits both to 32.
#[inline(always)]
pub fn bmsk(position: u32, width: u32, wrap: bool) -> u32 {
    let (position, width) = (shf_amount(position, wrap), shf_amount(width, wrap));
    w32::shl(!w32::shl(u32::MAX, width), position)
}

/// `szext.u32`: the low `width` bits, zero-extended; `.wrap` takes the width modulo 32, `.clamp` limits it to 32.
#[inline(always)]
pub fn szext_unsigned(a: u32, width: u32, wrap: bool) -> u32 {
    a & !w32::shl(u32::MAX, shf_amount(width, wrap))
}

/// `szext.s32`: the low `width` bits, sign-extended; zero for no bits.
#[inline(always)]
pub fn szext_signed(a: u32, width: u32, wrap: bool) -> u32 {
    let width = shf_amount(width, wrap);
    if width == 0 { 0 } else { w32::shr_signed(a << (32 - width), 32 - width) }
}

/// `fns.b32`: the position of the `offset`-th set bit of `mask` counted from `base`, upwards if positive, downwards if
/// negative; for 0 the base itself if it is set. 0xffffffff if there is none, and for a `base` above 31, which the text leaves
/// undefined.
#[inline]
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return u32::MAX;
    }
    let (mut position, step) = (base as i32, if offset < 0 { -1 } else { 1 });
    if offset == 0 {
        return if mask >> base & 1 == 1 { base } else { u32::MAX };
    }
    let mut wanted = offset.unsigned_abs();
    while (0..32).contains(&position) {
        if mask >> position & 1 == 1 {
            wanted -= 1;
            if wanted == 0 {
                return position as u32;
            }
        }
        position += step;
    }
    u32::MAX
}

#[cfg(test)]
#[path = "field32_tests.rs"]
mod tests;
