//! Saturating sums, 24-bit products and dot products of 32-bit words.

/// `add.sat.s32`: "limits result to MININT..MAXINT (no overflow)".
#[inline(always)]
pub fn add_sat(a: u32, b: u32) -> u32 {
    (a as i32).saturating_add(b as i32) as u32
}

/// `sub.sat.s32`.
#[inline(always)]
pub fn sub_sat(a: u32, b: u32) -> u32 {
    (a as i32).saturating_sub(b as i32) as u32
}

/// The 48-bit product of the low 24 bits of `a` and `b`, unsigned.
#[inline(always)]
pub fn mul24_unsigned(a: u32, b: u32) -> u64 {
    u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)
}

/// The 48-bit product of the low 24 bits of `a` and `b`, signed, sign-extended to 64 bits.
#[inline(always)]
pub fn mul24_signed(a: u32, b: u32) -> u64 {
    let extend = |x: u32| i64::from((x << 8) as i32 >> 8);
    (extend(a) * extend(b)) as u64
}

/// `mul24.lo.u32`: "low 32-bits of the 48-bit result".
#[inline(always)]
pub fn mul24_lo_unsigned(a: u32, b: u32) -> u32 {
    mul24_unsigned(a, b) as u32
}

/// `mul24.lo.s32`.
#[inline(always)]
pub fn mul24_lo_signed(a: u32, b: u32) -> u32 {
    mul24_signed(a, b) as u32
}

/// `mul24.hi.u32`: "high 32-bits of the 48-bit result".
#[inline(always)]
pub fn mul24_hi_unsigned(a: u32, b: u32) -> u32 {
    (mul24_unsigned(a, b) >> 16) as u32
}

/// `mul24.hi.s32`.
#[inline(always)]
pub fn mul24_hi_signed(a: u32, b: u32) -> u32 {
    (mul24_signed(a, b) >> 16) as u32
}

#[inline(always)]
fn part(word: u32, shift: u32, bits: u32, signed: bool) -> u32 {
    let top = word << (32 - bits - shift);
    if signed { (top as i32 >> (32 - bits)) as u32 } else { top >> (32 - bits) }
}

/// `dp4a.atype.btype`: `c` plus the dot product of four bytes, modulo 2³².
#[inline(always)]
pub fn dp4a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..4).fold(c, |sum, i| {
        let (x, y) = (part(a, 8 * i, 8, a_signed), part(b, 8 * i, 8, b_signed));
        sum.wrapping_add(x.wrapping_mul(y))
    })
}

/// `dp2a.mode.atype.btype`: `c` plus the dot product of the two halfwords of `a` with the lower (`.lo`) or upper (`.hi`)
/// two bytes of `b`, modulo 2³².
#[inline(always)]
pub fn dp2a(a: u32, b: u32, c: u32, high: bool, a_signed: bool, b_signed: bool) -> u32 {
    (0..2).fold(c, |sum, i| {
        let (x, y) = (part(a, 16 * i, 16, a_signed), part(b, 16 * u32::from(high) + 8 * i, 8, b_signed));
        sum.wrapping_add(x.wrapping_mul(y))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saturation() {
        assert_eq!(add_sat(0x7fff_ffff, 1), 0x7fff_ffff);
        assert_eq!(add_sat(0x8000_0000, 0xffff_ffff), 0x8000_0000);
        assert_eq!(add_sat(2, 3), 5);
        assert_eq!(sub_sat(0x8000_0000, 1), 0x8000_0000);
        assert_eq!(sub_sat(0x7fff_ffff, 0xffff_ffff), 0x7fff_ffff);
    }

    #[test]
    fn products_of_24_bits() {
        // 0xffffff² = 0xfffffe000001; bits above 24 do not count.
        assert_eq!(mul24_lo_unsigned(0xffff_ffff, 0x00ff_ffff), 0xfe00_0001);
        assert_eq!(mul24_hi_unsigned(0xffff_ffff, 0x00ff_ffff), 0xffff_fe00);
        // (−1) × 3 = −3 in 48 bits
        assert_eq!(mul24_lo_signed(0x00ff_ffff, 3), 0xffff_fffd);
        assert_eq!(mul24_hi_signed(0x00ff_ffff, 3), 0xffff_ffff);
        // (−2^23)² = 2^46
        assert_eq!(mul24_hi_signed(0x0080_0000, 0x0080_0000), 0x4000_0000);
    }

    #[test]
    fn dot_products() {
        // bytes 1 2 3 4 · 5 6 7 8 = 5 + 12 + 21 + 32 = 70
        assert_eq!(dp4a(0x0403_0201, 0x0807_0605, 100, false, false), 170);
        // −1 · 255 = −255 with a signed and b unsigned; 255 · 255 = 65025; −1 · −1 = 1
        assert_eq!(dp4a(0xff, 0xff, 0, true, false), 255u32.wrapping_neg());
        assert_eq!(dp4a(0xff, 0xff, 0, false, false), 65025);
        assert_eq!(dp4a(0xff, 0xff, 0, true, true), 1);
        // halfwords 3, −2 · bytes: lo 5, 6 → 15 − 12 = 3; hi 7, 8 → 21 − 16 = 5
        assert_eq!(dp2a(0xfffe_0003, 0x0807_0605, 0, false, true, false), 3);
        assert_eq!(dp2a(0xfffe_0003, 0x0807_0605, 0, true, true, false), 5);
    }
}
