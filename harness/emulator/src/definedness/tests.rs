//! Every rule against the enumeration of all completions of its undefined operand bits: at widths of up to five bits for
//! rules with a width, with a few undefined bits at a time for rules of 32 bits. The operations themselves are written
//! here anew, on integers, so that a rule is not tested against the code it goes with.

use super::*;
use crate::numeric::compare::Comparison;
use crate::numeric::convert::{Integer, integer_to_integer};
use crate::numeric::integer::{self, PrmtMode};
use crate::numeric::rounding::Layout;

/// Whether a rule must mark every bit that all completions agree in, or may leave some out.
#[derive(Clone, Copy, PartialEq)]
enum Claim {
    Exact,
    Sound,
}

/// All patterns of defined and undefined bits; the undefined bits of `value` are zero.
fn patterns(width: u32) -> impl Iterator<Item = Bits> + Clone {
    (0..=ones(width)).flat_map(move |defined| {
        (0..=ones(width)).filter(move |value| value & !defined == 0).map(move |value| Bits { value, defined })
    })
}

/// All completions of the low `width` bits.
fn completions(bits: Bits, width: u32) -> impl Iterator<Item = u64> {
    let undefined = !bits.defined & ones(width);
    // The subsets of `undefined`, in descending order (Hacker's Delight): s ↦ (s − 1) & undefined.
    let subsets = std::iter::successors(Some(undefined), move |s| (*s != 0).then(|| (s - 1) & undefined));
    subsets.map(move |s| bits.value & bits.defined & ones(width) | s)
}

/// With the undefined bits of the value set instead of clear: a mask may not depend on them.
fn garbled(bits: Bits) -> Bits {
    Bits { value: bits.value | !bits.defined, ..bits }
}

/// The bits all of `results` agree in.
fn agreed(results: impl Iterator<Item = u64>) -> u64 {
    let (all, any) = results.fold((u64::MAX, 0), |(all, any), result| (all & result, any | result));
    !(all ^ any)
}

fn judge(claim: Claim, mask: u64, truth: u64, out: u32, place: &dyn std::fmt::Debug) {
    assert_eq!(mask & !ones(out), 0, "bits above the result's width are marked: {place:?}");
    assert_eq!(
        mask & !truth,
        0,
        "unsound: {place:x?} marks {mask:b}, completions agree in {:b}",
        truth & ones(out)
    );
    if claim == Claim::Exact {
        assert_eq!(mask, truth & ones(out), "not exact: {place:x?}");
    }
}

fn unary(claim: Claim, width: u32, out: u32, rule: impl Fn(Bits) -> u64, operation: impl Fn(u64) -> u64) {
    for a in patterns(width) {
        let truth = agreed(completions(a, width).map(&operation));
        judge(claim, rule(a), truth, out, &a);
        assert_eq!(rule(a), rule(garbled(a)), "the value of an undefined bit matters: {a:x?}");
    }
}

fn binary(
    claim: Claim,
    width: u32,
    out: u32,
    rule: impl Fn(Bits, Bits) -> u64,
    operation: impl Fn(u64, u64) -> u64,
) {
    for a in patterns(width) {
        for b in patterns(width) {
            let all = completions(a, width).flat_map(|x| completions(b, width).map(move |y| (x, y)));
            let truth = agreed(all.map(|(x, y)| operation(x, y)));
            judge(claim, rule(a, b), truth, out, &(a, b));
            assert_eq!(
                rule(a, b),
                rule(garbled(a), garbled(b)),
                "the value of an undefined bit matters: {a:x?} {b:x?}"
            );
        }
    }
}

/// A reproducible sequence (xorshift64, Marsaglia 2003).
fn random() -> impl FnMut() -> u64 {
    let mut x = 0x9e37_79b9_7f4a_7c15u64;
    move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    }
}

/// Operands of 32 bits with up to six undefined bits among them.
fn sparse<const N: usize>(
    claim: Claim,
    out: u32,
    rule: impl Fn([Bits; N]) -> u64,
    operation: impl Fn([u64; N]) -> u64,
) {
    let mut random = random();
    for round in 0..4000 {
        // Every other round uses small numbers, so that amounts and selectors mean something.
        let mut operands =
            [(); N].map(|()| Bits::known(random() & if round % 2 == 0 { 0x3f } else { 0xffff_ffff }));
        for _ in 0..round % 7 {
            let place = random();
            let bit = if round % 3 == 0 { place >> 8 & 7 } else { place >> 8 & 31 };
            operands[place as usize % N].defined &= !(1 << bit);
        }
        let operands = operands.map(|bits| Bits { value: bits.value & bits.defined, ..bits });
        let mut results = Vec::new();
        complete(&operands, &mut Vec::new(), &mut |values| {
            results.push(operation(std::array::from_fn(|i| values[i])));
        });
        let mask = rule(operands);
        judge(claim, mask, agreed(results.into_iter()), out, &operands);
        assert_eq!(mask, rule(operands.map(garbled)), "the value of an undefined bit matters: {operands:x?}");
    }
}

fn complete(operands: &[Bits], chosen: &mut Vec<u64>, each: &mut impl FnMut(&[u64])) {
    let Some(bits) = operands.get(chosen.len()) else {
        return each(chosen);
    };
    for value in completions(*bits, 32) {
        chosen.push(value);
        complete(operands, chosen, each);
        chosen.pop();
    }
}

const WIDTH: u32 = 4;

fn low(x: u64) -> u64 {
    x & ones(WIDTH)
}

/// The low four bits as a signed number.
fn signed(x: u64) -> i64 {
    let x = low(x) as i64;
    if x < 8 { x } else { x - 16 }
}

fn as_word(x: u64) -> u32 {
    x as u32
}

#[test]
fn logic_is_exact() {
    binary(Claim::Exact, WIDTH, WIDTH, |a, b| low(and(a, b)), |a, b| a & b);
    binary(Claim::Exact, WIDTH, WIDTH, |a, b| low(or(a, b)), |a, b| a | b);
    binary(Claim::Exact, WIDTH, WIDTH, |a, b| low(xor(a, b)), |a, b| a ^ b);
    unary(Claim::Exact, WIDTH, WIDTH, |a| low(not(a)), |a| !a);
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
    assert_eq!(all_or_nothing(&[(whole, 4), (Bits::known(1), 32)], 8), 0xff);
    assert_eq!(all_or_nothing(&[(whole, 5), (Bits::known(1), 32)], 8), 0);
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
fn comparisons_are_exact() {
    use Comparison::*;
    type Holds = fn(i64, i64) -> bool;
    let table: [(Comparison, Holds); 6] = [
        (Eq, |a, b| a == b),
        (Ne, |a, b| a != b),
        (Lt, |a, b| a < b),
        (Le, |a, b| a <= b),
        (Gt, |a, b| a > b),
        (Ge, |a, b| a >= b),
    ];
    for (comparison, holds) in table {
        let rule = |is_signed: bool| move |a, b| u64::from(compare(comparison, is_signed, a, b, WIDTH));
        binary(Claim::Exact, WIDTH, 1, rule(false), |a, b| u64::from(holds(a as i64, b as i64)));
        binary(Claim::Exact, WIDTH, 1, rule(true), |a, b| u64::from(holds(signed(a), signed(b))));
    }
}

#[test]
fn minima_maxima_and_distances_are_sound() {
    binary(Claim::Sound, WIDTH, WIDTH, |a, b| min(a, b, false, WIDTH), |a, b| a.min(b));
    binary(Claim::Sound, WIDTH, WIDTH, |a, b| max(a, b, false, WIDTH), |a, b| a.max(b));
    binary(
        Claim::Sound,
        WIDTH,
        WIDTH,
        |a, b| min(a, b, true, WIDTH),
        |a, b| low(signed(a).min(signed(b)) as u64),
    );
    binary(
        Claim::Sound,
        WIDTH,
        WIDTH,
        |a, b| max(a, b, true, WIDTH),
        |a, b| low(signed(a).max(signed(b)) as u64),
    );
    unary(Claim::Sound, WIDTH, WIDTH, |a| abs(a, WIDTH), |a| low(signed(a).unsigned_abs()));
    for c in [0, 1, 6] {
        let known = Bits::known(c);
        binary(
            Claim::Sound,
            WIDTH,
            WIDTH,
            |a, b| sad(a, b, known, false, WIDTH),
            |a, b| low(c + a.abs_diff(b)),
        );
        binary(
            Claim::Sound,
            WIDTH,
            WIDTH,
            |a, b| sad(a, b, known, true, WIDTH),
            |a, b| low(c + signed(a).abs_diff(signed(b))),
        );
    }
    // What is decided keeps every bit of the winner.
    let small = Bits { value: 0b0001, defined: 0b1011 };
    assert_eq!(max(small, Bits::known(8), false, WIDTH), 0xf);
    assert_eq!(min(small, Bits::known(8), false, WIDTH), 0b1011);
}

#[test]
fn counting_and_finding_bits_is_exact() {
    let width = 5;
    let zeros = |a: u64| if a == 0 { 5 } else { 4 - u64::from(a.ilog2()) };
    let find = |a: u64| if a == 0 { 0xffff_ffff } else { u64::from(a.ilog2()) };
    let amount = |a: u64| if a == 0 { 0xffff_ffff } else { 4 - u64::from(a.ilog2()) };
    let magnitude = |a: u64| if a & 16 != 0 { !a & 31 } else { a };
    unary(Claim::Exact, width, 32, |a| popc(a, width), |a| a.count_ones().into());
    unary(Claim::Exact, width, 32, |a| clz(a, width), zeros);
    unary(Claim::Exact, width, 32, |a| bfind(a, false, false, width), find);
    unary(Claim::Exact, width, 32, |a| bfind(a, false, true, width), amount);
    unary(Claim::Exact, width, 32, |a| bfind(a, true, false, width), |a| find(magnitude(a)));
    unary(Claim::Exact, width, 32, |a| bfind(a, true, true, width), |a| amount(magnitude(a)));
    unary(Claim::Exact, width, width, |a| cnot(a, width), |a| u64::from(a == 0));
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
    assert_eq!(float::copysign(unsigned, one, f32), 0x7fff_fff0);
    assert_eq!(float::copysign(one, unsigned, f32), all);
}
