//! The condition codes: four bits that an instruction with `.CC` leaves, and that `.X` and tests read.
//!
//! As a number, the codes are the bits that `P2R` puts into a register: [`ZERO`], [`SIGN`], [`CARRY`], [`OVERFLOW`] from bit 0 up.

use crate::definedness::Bits;

/// Z: the result is zero.
pub const ZERO: u8 = 1;
/// S: the result is negative, as a signed number.
pub const SIGN: u8 = 1 << 1;
/// C: the sum of the words as they are added does not fit 32 bits. After a difference it means that nothing is borrowed.
pub const CARRY: u8 = 1 << 2;
/// V: the result as a signed number does not fit 32 bits.
pub const OVERFLOW: u8 = 1 << 3;

/// Whether a test of five bits holds for the codes; `None` for those of the clip state of graphics, 24 to 29. yuzu's and Ryujinx's
/// decoders agree on every one.
pub fn holds(test: u8, codes: u8) -> Option<bool> {
    let [z, s, c, v] = [ZERO, SIGN, CARRY, OVERFLOW].map(|code| codes & code != 0);
    Some(match test {
        // F, LT, EQ, LE, GT, NE, GE: the order of signed numbers, V being a sign that is wrong.
        0 => false,
        1 => (s && !z) ^ v,
        2 => !s && z,
        3 => s ^ (z || v),
        4 => !(s ^ v) && !z,
        5 => !z,
        6 => !(s ^ v),
        // NUM, NAN: S and Z at once stand for a NaN, for which LTU to GEU hold as well.
        7 => !(s && z),
        8 => s && z,
        9 => s ^ v,
        10 => z,
        11 => (s ^ v) || z,
        12 => !s ^ (v || z),
        13 => s || !z,
        14 => (!s || z) ^ v,
        15 => true,
        // OFF, LO, SFF, LS, HI, SFT, HS, OFT: the codes themselves, and the order of unsigned numbers.
        16 => !v,
        17 => !c,
        18 => !s,
        19 => z || !c,
        20 => c && !z,
        21 => s,
        22 => c,
        23 => v,
        30 => s || z,
        31 => !s && !z,
        _ => return None,
    })
}

/// Whether a test comes out alike for all that the undefined codes may be. `codes` are four bits.
pub fn is_decided(test: u8, codes: Bits) -> bool {
    let undefined = !codes.defined as u8 & 15;
    let possible = (0..16u8).filter(|other| (other ^ codes.value as u8) & !undefined & 15 == 0);
    let mut outcomes = possible.map(|codes| holds(test, codes));
    let first = outcomes.next();
    outcomes.all(|outcome| Some(outcome) == first)
}

/// The codes that a test depends on.
pub fn read_by(test: u8) -> u8 {
    let depends = |code: u8| (0..16u8).any(|codes| holds(test, codes) != holds(test, codes ^ code));
    [ZERO, SIGN, CARRY, OVERFLOW].into_iter().filter(|code| depends(*code)).fold(0, |all, code| all | code)
}

/// C of the sum of two words and a carry. Of a difference, one word is inverted, and the carry 1.
#[inline]
pub fn carries(a: u32, b: u32, carry: bool) -> bool {
    u64::from(a) + u64::from(b) + u64::from(carry) > u64::from(u32::MAX)
}

/// V of the sum of two words and a carry.
#[inline]
pub fn overflows(a: u32, b: u32, carry: bool) -> bool {
    let exact = i64::from(a as i32) + i64::from(b as i32) + i64::from(carry);
    i32::try_from(exact).is_err()
}

/// A comparison of two numbers of 64 bits, by the upper words and the codes of the difference of the lower words (`ISETP.X`, `ISET.X`).
/// `comparison` is the value of the field: F, LT, EQ, LE, GT, NE, GE, T. The formulas are Ryujinx's, which are exact where C means that
/// nothing is borrowed.
#[inline]
pub fn compares_upper(comparison: u8, signed: bool, a: u32, b: u32, codes: u8) -> bool {
    let (z, c) = (codes & ZERO != 0, codes & CARRY != 0);
    let (less, greater) = match signed {
        true => ((a as i32) < b as i32, a as i32 > b as i32),
        false => (a < b, a > b),
    };
    let equal = a == b;
    match comparison {
        0 => false,
        1 => less || equal && !c,
        2 => equal && z,
        3 => less || equal && (!c || z),
        4 => greater || equal && c && !z,
        5 => !(equal && z),
        6 => greater || equal && c,
        _ => true,
    }
}

/// Whether such a comparison is decided by what is defined: the upper words alone decide where they differ.
pub fn upper_is_decided(comparison: u8, signed: bool, [a, b, zero, carry]: &[Bits; 4]) -> bool {
    if matches!(comparison, 0 | 7) {
        return true;
    }
    if !a.is_known(32) || !b.is_known(32) {
        return false;
    }
    let mut outcomes = [0, ZERO, CARRY, ZERO | CARRY]
        .into_iter()
        .filter(|codes| zero.defined & 1 == 0 || (codes & ZERO != 0) == (zero.value & 1 == 1))
        .filter(|codes| carry.defined & 1 == 0 || (codes & CARRY != 0) == (carry.value & 1 == 1))
        .map(|codes| compares_upper(comparison, signed, a.value as u32, b.value as u32, codes));
    let first = outcomes.next();
    outcomes.all(|outcome| Some(outcome) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes of `a - b`, as `IADD RZ.CC, a, -b` leaves them.
    fn of_difference(a: u32, b: u32) -> u8 {
        let result = a.wrapping_sub(b);
        let flag = |holds: bool, code: u8| if holds { code } else { 0 };
        flag(result == 0, ZERO)
            | flag(result >> 31 == 1, SIGN)
            | flag(carries(a, !b, true), CARRY)
            | flag(overflows(a, !b, true), OVERFLOW)
    }

    const WORDS: [u32; 9] =
        [0, 1, 2, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff];

    #[test]
    fn a_carry_of_a_difference_is_no_borrow() {
        // "negated x contributes (~x)+1 as a 33-bit number, so -0 contributes 2^32": C is 1 for b = 0.
        assert!(carries(5, !0, true));
        assert!(carries(0, !0, true));
        assert!(!carries(0, !1, true));
        assert!(carries(0xffff_ffff, 1, false));
        assert!(!carries(0xffff_fffe, 1, false));
        assert!(carries(0xffff_ffff, 0, true));
    }

    #[test]
    fn an_overflow_is_a_signed_result_that_does_not_fit() {
        assert!(overflows(0x7fff_ffff, 1, false));
        assert!(!overflows(0xffff_ffff, 1, false));
        assert!(overflows(0x8000_0000, 0xffff_ffff, false));
        // 0 - (-2^31) is 2^31, and -1 - (-2^31) is 2^31 - 1.
        assert!(overflows(0, !0x8000_0000, true));
        assert!(!overflows(0xffff_ffff, !0x8000_0000, true));
    }

    #[test]
    fn tests_of_a_difference_order_signed_and_unsigned_numbers() {
        for a in WORDS {
            for b in WORDS {
                let codes = of_difference(a, b);
                let holds = |test| holds(test, codes).unwrap();
                let (x, y) = (a as i32, b as i32);
                // LT is (S and not Z) xor V, GE its opposite as long as no result is both zero and wrong.
                let named = [(1, x < y), (3, x <= y), (4, x > y), (6, x >= y), (2, x == y), (5, x != y)];
                for (test, expected) in named {
                    assert_eq!(holds(test), expected, "test {test} of {x} and {y}");
                }
                for (test, expected) in [(17, a < b), (22, a >= b), (19, a <= b), (20, a > b)] {
                    assert_eq!(holds(test), expected, "test {test} of {a} and {b}");
                }
            }
        }
    }

    /// The table of the sixteen combinations for the tests that no difference tells apart, bit `codes` of each number.
    #[test]
    fn tests_of_single_codes() {
        let table =
            |test: u8| (0..16).fold(0u16, |all, codes| all | u16::from(holds(test, codes).unwrap()) << codes);
        assert_eq!(table(0), 0);
        assert_eq!(table(15), 0xffff);
        // Z is set in the odd numbers, S in 2, 3, 6, 7, …, C in 4 to 7 and 12 to 15, V from 8 on.
        assert_eq!((table(10), table(21), table(22), table(23)), (0xaaaa, 0xcccc, 0xf0f0, 0xff00));
        assert_eq!((table(5), table(18), table(17), table(16)), (0x5555, 0x3333, 0x0f0f, 0x00ff));
        assert_eq!((table(8), table(7)), (0x8888, 0x7777), "NAN is S and Z");
        assert_eq!((table(30), table(31)), (0xeeee, 0x1111), "RLE is S or Z");
        assert_eq!((table(13), table(9)), (0xdddd, 0x33cc), "NEU is S or not Z, LTU is S xor V");
        for test in 24..30 {
            assert_eq!(holds(test, 0), None);
        }
    }

    #[test]
    fn a_test_is_decided_where_every_completion_agrees() {
        for test in (0..24).chain([30, 31]) {
            for value in 0..16u64 {
                for defined in 0..16u64 {
                    let completions = (0..16u8).filter(|c| u64::from(*c) & defined == value & defined);
                    let outcomes: Vec<bool> = completions.map(|codes| holds(test, codes).unwrap()).collect();
                    let alike = outcomes.windows(2).all(|pair| pair[0] == pair[1]);
                    assert_eq!(is_decided(test, Bits { value, defined }), alike, "{test} {value} {defined}");
                }
            }
        }
        assert_eq!(
            (read_by(1), read_by(21), read_by(19), read_by(15)),
            (ZERO | SIGN | OVERFLOW, SIGN, ZERO | CARRY, 0)
        );
    }

    #[test]
    fn upper_words_and_codes_compare_whole_numbers() {
        for low_a in WORDS {
            for low_b in WORDS {
                let codes = of_difference(low_a, low_b);
                for a in WORDS {
                    for b in WORDS {
                        let whole = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
                        let (x, y) = (whole(a, low_a), whole(b, low_b));
                        let unsigned = [false, x < y, x == y, x <= y, x > y, x != y, x >= y, true];
                        let (x, y) = (x as i64, y as i64);
                        let signed = [false, x < y, x == y, x <= y, x > y, x != y, x >= y, true];
                        for comparison in 0..8 {
                            let of = |signed| compares_upper(comparison, signed, a, b, codes);
                            assert_eq!(of(false), unsigned[usize::from(comparison)], "{a:x} {b:x} {codes}");
                            assert_eq!(of(true), signed[usize::from(comparison)], "{a:x} {b:x} {codes}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn upper_words_that_differ_need_no_codes() {
        let open = Bits { value: 0, defined: 0 };
        assert!(upper_is_decided(1, false, &[Bits::known(1), Bits::known(2), open, open]));
        assert!(!upper_is_decided(1, false, &[Bits::known(2), Bits::known(2), Bits::known(0), open]));
        // Equality asks Z alone.
        assert!(upper_is_decided(2, false, &[Bits::known(2), Bits::known(2), Bits::known(0), open]));
        assert!(!upper_is_decided(2, false, &[open, Bits::known(2), Bits::known(0), Bits::known(0)]));
        assert!(upper_is_decided(7, false, &[open; 4]));
    }
}
