//! Comparisons and what is built on them; all rules with a width at the widths of registers.

use super::*;
use crate::numeric::compare::Comparison;

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
fn rules_hold_at_the_widths_of_registers() {
    for width in [16, 32, 64] {
        let mask = ones(width);
        let signed = |x: u64| i128::from(sign_extend(x, width).cast_signed());
        let wide = u128::from;
        sparse_at(width, Claim::Exact, width, |[a, b]| add(a, b, width), |[a, b]| a.wrapping_add(b) & mask);
        sparse_at(width, Claim::Exact, width, |[a, b]| sub(a, b, width), |[a, b]| a.wrapping_sub(b) & mask);
        let carry = |[a, b]: [Bits; 2]| u64::from(add_carry(a, b, Bits::known(1), width).1);
        sparse_at(width, Claim::Exact, 1, carry, |[a, b]| ((wide(a) + wide(b) + 1) >> width) as u64);
        let borrow = |[a, b]: [Bits; 2]| u64::from(sub_borrow(a, b, Bits::known(1), width).1);
        sparse_at(width, Claim::Exact, 1, borrow, |[a, b]| u64::from(a <= b));
        sparse_at(
            width,
            Claim::Sound,
            width,
            |[a, b]| mul_lo(a, b, width),
            |[a, b]| a.wrapping_mul(b) & mask,
        );
        let high = |[a, b]: [u64; 2]| ((wide(a) * wide(b)) >> width) as u64;
        sparse_at(width, Claim::Sound, width, |[a, b]| mul_hi(a, b, false, width), high);
        let high = |[a, b]: [u64; 2]| ((signed(a) * signed(b)) >> width) as u64 & mask;
        sparse_at(width, Claim::Sound, width, |[a, b]| mul_hi(a, b, true, width), high);
        sparse_at(width, Claim::Sound, width, |[a, b]| min(a, b, false, width), |[a, b]| a.min(b));
        let most = |[a, b]: [u64; 2]| signed(a).max(signed(b)) as u64 & mask;
        sparse_at(width, Claim::Sound, width, |[a, b]| max(a, b, true, width), most);
        sparse_at(
            width,
            Claim::Sound,
            width,
            |[a]| abs(a, width),
            |[a]| signed(a).unsigned_abs() as u64 & mask,
        );
        let distance = |[a, b, c]: [u64; 3]| c.wrapping_add(signed(a).abs_diff(signed(b)) as u64) & mask;
        sparse_at(width, Claim::Sound, width, |[a, b, c]| sad(a, b, c, true, width), distance);
        sparse_at(width, Claim::Exact, 32, |[a]| popc(a, width), |[a]| a.count_ones().into());
        let zeros = |[a]: [u64; 1]| u64::from(a.leading_zeros() + width - 64);
        sparse_at(width, Claim::Exact, 32, |[a]| clz(a, width), zeros);
        let less = |[a, b]: [Bits; 2]| u64::from(compare(Comparison::Lt, true, a, b, width));
        sparse_at(width, Claim::Exact, 1, less, |[a, b]| u64::from(signed(a) < signed(b)));
        let shifted = |[a, n]: [u64; 2]| if n < width.into() { a << n & mask } else { 0 };
        sparse_at(width.min(32), Claim::Sound, width, |[a, n]| shl(a, n, width), shifted);
        if width < 64 {
            let product = |[a, b]: [u64; 2]| (signed(a) * signed(b)) as u64 & ones(2 * width);
            sparse_at(width, Claim::Sound, 2 * width, |[a, b]| mul_wide(a, b, true, width), product);
        }
    }
}
