//! Sums, products, quotients, conversions.

use super::*;
use crate::numeric::convert::{Integer, integer_to_integer};

#[test]
fn sums_and_differences_are_exact() {
    binary(Claim::Exact, WIDTH, WIDTH, |a, b| add(a, b, WIDTH), |a, b| low(a + b));
    binary(Claim::Exact, WIDTH, WIDTH, |a, b| sub(a, b, WIDTH), |a, b| low(a.wrapping_sub(b)));
    unary(Claim::Exact, 6, 6, |a| neg(a, 6), |a| a.wrapping_neg() & 63);
}

#[test]
fn carries_are_exact() {
    for carry in patterns(1) {
        let with = |(mask, carry): (u64, bool)| mask | u64::from(carry) << 3;
        for a in patterns(3) {
            for b in patterns(3) {
                let all = || {
                    completions(a, 3).flat_map(|x| {
                        completions(b, 3).flat_map(move |y| completions(carry, 1).map(move |c| (x, y, c)))
                    })
                };
                let truth = agreed(all().map(|(x, y, c)| x + y + c));
                judge(Claim::Exact, with(add_carry(a, b, carry, 3)), truth, 4, &(a, b, carry));
                // Bit 3 of the difference is the borrow.
                let truth = agreed(all().map(|(x, y, c)| x.wrapping_sub(y).wrapping_sub(c)));
                judge(Claim::Exact, with(sub_borrow(a, b, carry, 3)), truth, 4, &(a, b, carry));
            }
        }
    }
}

#[test]
fn products_are_sound() {
    binary(Claim::Sound, WIDTH, WIDTH, |a, b| mul_lo(a, b, WIDTH), |a, b| low(a * b));
    binary(Claim::Sound, WIDTH, 8, |a, b| mul_wide(a, b, false, WIDTH), |a, b| a * b);
    binary(
        Claim::Sound,
        WIDTH,
        8,
        |a, b| mul_wide(a, b, true, WIDTH),
        |a, b| (signed(a) * signed(b)) as u64 & 0xff,
    );
    binary(Claim::Sound, WIDTH, WIDTH, |a, b| mul_hi(a, b, false, WIDTH), |a, b| low((a * b) >> 4));
    binary(
        Claim::Sound,
        WIDTH,
        WIDTH,
        |a, b| mul_hi(a, b, true, WIDTH),
        |a, b| low(((signed(a) * signed(b)) >> 4) as u64),
    );
}

#[test]
fn products_lose_nothing_below_the_lowest_undefined_bit() {
    // 0b?01 × 0b100: the undefined bit 2 times 4 is bit 4.
    let a = Bits { value: 0b001, defined: !0b100 };
    assert_eq!(mul_lo(a, Bits::known(4), 32), 0xffff_ffff & !0xf0 | 0xef & mul_lo(a, Bits::known(4), 32));
    assert_eq!(mul_lo(a, Bits::known(4), 32) & 0xf, 0xf);
    assert_eq!(mul_lo(a, Bits::known(0), 32), 0xffff_ffff, "times zero is zero");
    let full = Bits { value: 0, defined: 0 };
    assert_eq!(mul_lo(full, Bits::known(8), 32) & 0xff, 7);
    assert_eq!(mul_wide(full, Bits::known(1), false, 32), 0xffff_ffff_0000_0000);
    // The widest cases of the interval arithmetic.
    let top = Bits { value: 1 << 63, defined: 1 << 63 };
    assert_eq!(mul_hi(full, full, false, 64), 0);
    assert_eq!(mul_hi(full, full, true, 64), 0);
    assert_eq!(
        mul_hi(top, Bits::known(2), false, 64),
        u64::MAX,
        "the product is at least 2^64 and below 2^65"
    );
}

#[test]
fn saturating_and_24_bit_products_are_sound() {
    let to_signed = |x: u64| i64::from(as_word(x) as i32);
    let clamp = |x: i64| u64::from(x.clamp(i32::MIN.into(), i32::MAX.into()) as u32);
    sparse(Claim::Sound, 32, |[a, b]| add_sat(a, b), |[a, b]| clamp(to_signed(a) + to_signed(b)));
    sparse(Claim::Sound, 32, |[a, b]| sub_sat(a, b), |[a, b]| clamp(to_signed(a) - to_signed(b)));
    let high = |a: u64, b: u64| (to_signed(a) * to_signed(b)) >> 32;
    sparse(Claim::Sound, 32, |[a, b, c]| mad_hi_sat(a, b, c), |[a, b, c]| clamp(high(a, b) + to_signed(c)));
    let low24 = |x: u64| ((as_word(x) << 8) as i32 >> 8) as i64;
    sparse(
        Claim::Sound,
        32,
        |[a, b]| mul24(a, b, true, true),
        |[a, b]| ((low24(a) * low24(b)) >> 16) as u64 & ones(32),
    );
    sparse(
        Claim::Sound,
        32,
        |[a, b]| mul24(a, b, true, false),
        |[a, b]| (low24(a) * low24(b)) as u64 & ones(32),
    );
    sparse(
        Claim::Sound,
        32,
        |[a, b]| mul24(a, b, false, true),
        |[a, b]| ((a & 0xff_ffff) * (b & 0xff_ffff)) >> 16,
    );
    let mad = |a: u64, b: u64, c: u64| clamp(i64::from(((low24(a) * low24(b)) >> 16) as i32) + to_signed(c));
    sparse(Claim::Sound, 32, |[a, b, c]| mad24_hi_sat(a, b, c), |[a, b, c]| mad(a, b, c));
    for (x, y) in [(false, false), (true, false), (false, true), (true, true)] {
        let byte = |word: u64, i: u32, signed: bool| {
            let byte = (word >> (8 * i)) as u8;
            if signed { i64::from(byte as i8) } else { byte.into() }
        };
        let half = |word: u64, i: u32, signed: bool| {
            let half = (word >> (16 * i)) as u16;
            if signed { i64::from(half as i16) } else { half.into() }
        };
        let dot4 =
            |a, b, c: u64| c.wrapping_add((0..4).map(|i| byte(a, i, x) * byte(b, i, y)).sum::<i64>() as u64);
        sparse(Claim::Sound, 32, |[a, b, c]| dp4a(a, b, c, x, y), |[a, b, c]| dot4(a, b, c) & ones(32));
        let dot2 = |a, b, c: u64| {
            c.wrapping_add((0..2).map(|i| half(a, i, x) * byte(b, i + 2, y)).sum::<i64>() as u64)
        };
        sparse(Claim::Sound, 32, |[a, b, c]| dp2a(a, b, c, true, x, y), |[a, b, c]| dot2(a, b, c) & ones(32));
    }
}

#[test]
fn quotients_are_defined_only_if_all_is() {
    let whole = Bits { value: 6, defined: 0xf };
    assert_eq!(divide(whole, Bits::known(2), false, WIDTH), 0xf);
    assert_eq!(
        divide(whole, Bits::known(0), false, WIDTH),
        0,
        "division by zero yields an unspecified value"
    );
    assert_eq!(remainder(whole, Bits::known(0), WIDTH), 0);
    assert_eq!(divide(Bits { value: 6, defined: 0xe }, Bits::known(2), true, WIDTH), 0);
    assert_eq!(
        divide(Bits::known(8), Bits::known(15), true, WIDTH),
        0,
        "-8 / -1 is not a number of four bits"
    );
    assert_eq!(divide(Bits::known(8), Bits::known(15), false, WIDTH), 0xf);
    assert_eq!(remainder(Bits::known(8), Bits::known(15), WIDTH), 0xf);
}

#[test]
fn conversions_of_integers() {
    let types = [false, true].map(|signed| [8, 16, 32].map(|width| Integer { signed, width }));
    for from in types.as_flattened() {
        for to in types.as_flattened() {
            for sat in [false, true] {
                let claim = if sat { Claim::Sound } else { Claim::Exact };
                let rule = |[a]: [Bits; 1]| convert_integer(a, *from, *to, sat);
                sparse(claim, to.width, rule, |[a]| integer_to_integer(a, *from, *to, sat));
            }
        }
    }
    let (s8, u64s) = (Integer { signed: true, width: 8 }, Integer { signed: false, width: 64 });
    let unknown_sign = Bits { value: 5, defined: !0x80 };
    assert_eq!(convert_integer(unknown_sign, s8, u64s, false), 0x7f);
    assert_eq!(sign_extend(0x80, 8), 0xffff_ffff_ffff_ff80);
}
