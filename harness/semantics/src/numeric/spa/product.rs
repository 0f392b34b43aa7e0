//! Products and sums: `XMAD`, `IMAD`, and the shifted sum of `IADD3.RS`.

/// A half of a word, extended.
#[inline]
pub fn half(word: u32, upper: bool, signed: bool) -> u32 {
    let bits = if upper { word >> 16 } else { word & 0xffff };
    if signed { bits as u16 as i16 as u32 } else { bits }
}

/// What `XMAD.CSFU` takes from its summand: 2¹⁶ for each factor that is negative as a whole where the lower half of the other is not
/// zero.
///
/// It is the rule that makes exact the one use which ptxas 12.9 has for it, `XMAD.S16.S16.CSFU` of two upper halves in products of
/// signed words: with it no pair of about 100,000 differs. The descriptions of envytools and Ryujinx fail there.
#[inline]
pub fn sign_fix(a: u32, b: u32) -> u32 {
    let fix = |negative: u32, other: u32| u32::from(negative >> 31 == 1 && other & 0xffff != 0) << 16;
    fix(a, b) + fix(b, a)
}

/// `IADD3.RS`: the upper half of the sum of two words, which has 33 bits, and a third word. Only with 33 bits is the sequence exact
/// by which ptxas 12.9 computes `mul.hi.u32`.
#[inline]
pub fn upper_half_sum(a: u32, b: u32, c: u32) -> u32 {
    let sum = u64::from(a) + u64::from(b);
    ((sum >> 16) as u32).wrapping_add(c)
}

/// The upper word of a product, each factor signed or not.
#[inline]
pub fn upper_word(a: u32, b: u32, signed: [bool; 2]) -> u32 {
    let wide = |word: u32, signed: bool| if signed { i128::from(word as i32) } else { i128::from(word) };
    ((wide(a, signed[0]) * wide(b, signed[1])) >> 32) as u32
}

/// A sum or difference of signed words that is limited to a signed word.
#[inline]
pub fn limited(exact: i64) -> u32 {
    exact.clamp(i32::MIN.into(), i32::MAX.into()) as i32 as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [u32; 18] = [
        0,
        1,
        2,
        0x7fff,
        0x8000,
        0x8001,
        0xffff,
        0x1_0000,
        0x1_0001,
        0x7fff_0000,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0x8000_8000,
        0xffff_0000,
        0xffff_0001,
        0xffff_8000,
        0xffff_ffff,
    ];

    /// The sequence of ptxas 12.9 for `mul.hi.u32`: the products of the halves, `XMAD.CHI`, `IADD3.RS`.
    #[test]
    fn the_upper_word_of_an_unsigned_product_by_halves() {
        for a in WORDS {
            for b in WORDS {
                let part = |upper_a, upper_b| half(a, upper_a, false).wrapping_mul(half(b, upper_b, false));
                let low = part(false, false);
                let one_high = part(false, true);
                let both_high = part(true, true);
                let chi = part(true, false).wrapping_add(low >> 16);
                let result = upper_half_sum(chi, one_high, both_high);
                assert_eq!(result, ((u64::from(a) * u64::from(b)) >> 32) as u32, "{a:x} {b:x}");
            }
        }
    }

    /// Its sequence for `mul.hi.s32`: the last product is `XMAD.S16.S16.CSFU` of the upper halves.
    #[test]
    fn the_upper_word_of_a_signed_product_by_halves() {
        for a in WORDS {
            for b in WORDS {
                let low = half(a, false, false).wrapping_mul(half(b, false, false));
                // XMAD.U16.S16 R, A, B.H1: the signed half times the lower one.
                let one_high = half(a, false, false).wrapping_mul(half(b, true, true));
                let other_high =
                    half(a, true, true).wrapping_mul(half(b, false, false)).wrapping_add(low >> 16);
                let both = half(a, true, true).wrapping_mul(half(b, true, true)).wrapping_sub(sign_fix(a, b));
                let result = upper_half_sum(other_high, one_high, both);
                let exact = ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32;
                assert_eq!(result, exact, "{a:x} {b:x}");
                assert_eq!(upper_word(a, b, [true, true]), exact);
            }
        }
    }

    #[test]
    fn products_of_one_signed_factor() {
        // -1 * 0xffffffff = -0xffffffff = 0xffffffff_00000001.
        assert_eq!(upper_word(0xffff_ffff, 0xffff_ffff, [true, false]), 0xffff_ffff);
        assert_eq!(upper_word(0xffff_ffff, 0xffff_ffff, [false, false]), 0xffff_fffe);
        assert_eq!(upper_word(2, 0x8000_0000, [false, true]), 0xffff_ffff);
        assert_eq!(limited(1 << 31), 0x7fff_ffff);
        assert_eq!(limited(-(1 << 31) - 1), 0x8000_0000);
    }
}
