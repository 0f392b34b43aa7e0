//! Logic, moves of bits, signs of floating-point numbers.

use super::*;
use crate::numeric::integer::{self, PrmtMode};
use crate::numeric::rounding::Layout;

#[test]
fn logic_is_exact() {
    binary(Claim::Exact, WIDTH, WIDTH, |a, b| low(and(a, b)), |a, b| a & b);
    binary(Claim::Exact, WIDTH, WIDTH, |a, b| low(or(a, b)), |a, b| a | b);
    binary(Claim::Exact, WIDTH, WIDTH, |a, b| low(xor(a, b)), |a, b| a ^ b);
}

#[test]
fn lop3_is_exact_for_every_table() {
    for table in 0..=255u8 {
        for (a, b, c) in
            patterns(1).flat_map(|a| patterns(1).flat_map(move |b| patterns(1).map(move |c| (a, b, c))))
        {
            let all = completions(a, 1)
                .flat_map(|x| completions(b, 1).flat_map(move |y| completions(c, 1).map(move |z| (x, y, z))));
            let truth = agreed(all.map(|(x, y, z)| u64::from(table) >> (4 * x + 2 * y + z) & 1));
            judge(Claim::Exact, lop3(a, b, c, table) & 1, truth, 1, &(a, b, c, table));
        }
    }
}

#[test]
fn shifts_by_defined_amounts_are_exact() {
    for amount in [0, 1, 2, 3, 4, 5, 100, u32::MAX] {
        let known = Bits::known(amount.into());
        let wide = |x: u64| if amount < 4 { low(x << amount) } else { 0 };
        unary(Claim::Exact, WIDTH, WIDTH, |a| shl(a, known, WIDTH), wide);
        unary(
            Claim::Exact,
            WIDTH,
            WIDTH,
            |a| shr_unsigned(a, known, WIDTH),
            |x| if amount < 4 { x >> amount } else { 0 },
        );
        unary(
            Claim::Exact,
            WIDTH,
            WIDTH,
            |a| shr_signed(a, known, WIDTH),
            |x| low((signed(x) >> amount.min(3)) as u64),
        );
    }
}

#[test]
fn shifts_by_undefined_amounts_are_sound() {
    let clamped = |a: u64, n: u64| if n < 32 { a << n & ones(32) } else { 0 };
    sparse(Claim::Sound, 32, |[a, n]| shl(a, n, 32), |[a, n]| clamped(a, n));
    sparse(Claim::Sound, 32, |[a, n]| shr_unsigned(a, n, 32), |[a, n]| if n < 32 { a >> n } else { 0 });
    let signed = |a: u64, n: u64| u64::from((as_word(a) as i32 >> n.min(31)) as u32);
    sparse(Claim::Sound, 32, |[a, n]| shr_signed(a, n, 32), |[a, n]| signed(a, n));
    let undefined_low_bit = Bits { value: 32, defined: !1 };
    assert_eq!(
        shl(Bits::known(5), undefined_low_bit, 32),
        0xffff_ffff,
        "32 and 33 both shift everything out"
    );
    assert_eq!(shl(Bits::known(5), Bits { value: 0, defined: !1 }, 32), 0);
}

#[test]
fn fields_are_exact_where_their_place_is_defined() {
    for (position, length) in [(0, 0), (0, 32), (3, 5), (30, 8), (31, 1), (40, 4), (5, 255), (256, 4)] {
        let (p, l) = (Bits::known(position), Bits::known(length));
        // The loops of the manual.
        let (at, len) = (position & 0xff, length & 0xff);
        let bit = |a: u64, i: u64| if i < 32 { a >> i & 1 } else { 0 };
        let field = |a: u64| (0..len.min(32)).map(|i| bit(a, at + i) << i).sum::<u64>();
        let sign = move |a: u64| if len == 0 { 0 } else { a >> (at + len - 1).min(31) & 1 };
        let extended = |a: u64| {
            (0..32).map(|i| (if i < len && at + i < 32 { bit(a, at + i) } else { sign(a) }) << i).sum::<u64>()
        };
        let inserted = |a: u64, b: u64| {
            (0..32)
                .map(|i| (if i >= at && i < at + len { bit(a, i - at) } else { bit(b, i) }) << i)
                .sum::<u64>()
        };
        sparse(Claim::Exact, 32, |[a]| bfe_unsigned(a, p, l, 32), |[a]| field(a));
        sparse(Claim::Exact, 32, |[a]| bfe_signed(a, p, l, 32), |[a]| extended(a));
        sparse(Claim::Exact, 32, |[a, b]| bfi(a, b, p, l, 32), |[a, b]| inserted(a, b));
    }
    let a = Bits { value: 0, defined: !(1 << 40) };
    assert_eq!(bfe_unsigned(a, Bits::known(40), Bits::known(2), 64), !1);
    assert_eq!(
        bfe_signed(a, Bits::known(39), Bits::known(2), 64),
        1,
        "the sign is copied, undefined as it is"
    );
    assert_eq!(bfi(a, Bits::known(0), Bits::known(8), Bits::known(41), 64), !(1 << 48));
    let somewhere = Bits { value: 0, defined: !1 };
    assert_eq!(bfe_unsigned(a, somewhere, Bits::known(1), 64), 0);
    assert_eq!(bfi(a, a, Bits::known(1), somewhere, 32), 0);
    let above = Bits { value: 4, defined: 0xff };
    assert_eq!(
        bfe_unsigned(Bits::known(1), above, above, 32),
        0xffff_ffff,
        "only eight bits of the place count"
    );
}

#[test]
fn funnel_shifts_reversals_and_extensions() {
    let both = |l: u64, h: u64| h << 32 | l;
    for amount in [0, 1, 9, 31, 32, 33, 70] {
        let known = Bits::known(amount);
        for wrap in [false, true] {
            let n = if wrap { amount % 32 } else { amount.min(32) };
            sparse(Claim::Exact, 32, |[l, h]| shf_left(l, h, known, wrap), |[l, h]| both(l, h) << n >> 32);
            sparse(
                Claim::Exact,
                32,
                |[l, h]| shf_right(l, h, known, wrap),
                |[l, h]| both(l, h) >> n & ones(32),
            );
            let unsigned = |a: u64| a & ((1 << n) - 1);
            let signed = |a: u64| if n == 0 { 0 } else { (as_word(a) << (32 - n)) as i32 >> (32 - n) };
            sparse(Claim::Exact, 32, |[a]| szext(a, known, false, wrap), |[a]| unsigned(a));
            sparse(Claim::Exact, 32, |[a]| szext(a, known, true, wrap), |[a]| u64::from(signed(a) as u32));
        }
    }
    sparse(Claim::Exact, 32, |[a]| brev(a, 32), |[a]| as_word(a).reverse_bits().into());
    assert_eq!(brev(Bits { value: 0, defined: !1 }, 64), !(1 << 63));
    let wrapped = Bits { value: 4, defined: 0x1f };
    assert_eq!(shf_left(Bits::known(0), Bits::known(0), wrapped, true), 0xffff_ffff);
    assert_eq!(shf_left(Bits::known(0), Bits::known(0), wrapped, false), 0);
}

#[test]
fn permutations() {
    let modes = [
        PrmtMode::Index,
        PrmtMode::F4e,
        PrmtMode::B4e,
        PrmtMode::Rc8,
        PrmtMode::Ecl,
        PrmtMode::Ecr,
        PrmtMode::Rc16,
    ];
    for mode in modes {
        let permute =
            |a: u64, b: u64, s: u64| u64::from(integer::prmt(as_word(a), as_word(b), as_word(s), mode));
        sparse(Claim::Sound, 32, |[a, b, s]| prmt(a, b, s, mode), |[a, b, s]| permute(a, b, s));
        for selector in [0x3210, 0x7654, 0x0b1c, 0xffff] {
            let rule = |[a, b]: [Bits; 2]| prmt(a, b, Bits::known(selector), mode);
            sparse(Claim::Exact, 32, rule, |[a, b]| permute(a, b, selector));
        }
    }
    let selector = Bits { value: 0x3210, defined: !0x10 };
    assert_eq!(prmt(Bits::known(1), Bits::known(2), selector, PrmtMode::Index), 0xffff_00ff);
    assert_eq!(prmt(Bits::known(1), Bits::known(2), selector, PrmtMode::F4e), 0xffff_ffff);
}

#[test]
fn selections_are_exact() {
    for predicate in patterns(1) {
        for a in patterns(3) {
            for b in patterns(3) {
                let sides = |p: u64| completions(if p == 1 { a } else { b }, 3);
                let truth = agreed(completions(predicate, 1).flat_map(sides));
                judge(Claim::Exact, select(predicate, a, b) & 7, truth, 3, &(predicate, a, b));
            }
        }
    }
}

#[test]
fn signs_of_floating_point_numbers() {
    let f32 = Layout::F32;
    let all = 0xffff_ffff;
    // 1.0 with undefined low fraction bits: no NaN, not subnormal.
    let one = Bits { value: 0x3f80_0000, defined: !0xf };
    assert_eq!(float::neg(one, f32, true), all & !0xf);
    assert_eq!(float::abs(one, f32, true), all & !0xf);
    // Infinity with an undefined fraction bit may be NaN: "NaN input yields unspecified NaN".
    let infinity = Bits { value: 0x7f80_0000, defined: !1 };
    assert_eq!(float::neg(infinity, f32, false), 0x7f80_0000);
    assert_eq!(float::abs(infinity, f32, false), 0x7f80_0000);
    // An undefined sign is gone with the absolute value.
    let unsigned = Bits { value: 0x3f80_0000, defined: !0x8000_0000 };
    assert_eq!(float::abs(unsigned, f32, false), all);
    assert_eq!(float::neg(unsigned, f32, false), 0x7fff_ffff);
    // A number that may be subnormal: what .ftz would clear is not certain.
    let small = Bits { value: 0x0000_0003, defined: !0x0080_0000 };
    assert_eq!(float::neg(small, f32, false), all & !0x0080_0000);
    assert_eq!(float::neg(small, f32, true), all & !0x0080_0003);
}
