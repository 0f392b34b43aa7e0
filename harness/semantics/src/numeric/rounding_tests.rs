//! The oracle: every number of a tiny format is an integer multiple of its smallest unit, so exact results are rationals
//! of small integers, and rounding is a search through all numbers of the format. Nothing is shared with the code under
//! test but the format's definition.

use std::cmp::Ordering;

use super::{Layout, Mode, Rounding};

const MODES: [Rounding; 4] = [Rounding::Rn, Rounding::Rz, Rounding::Rm, Rounding::Rp];

const TINY: Layout = Layout { exponent_bits: 2, fraction_bits: 2 };
const SMALL: Layout = Layout { exponent_bits: 3, fraction_bits: 2 };
const MEDIUM: Layout = Layout { exponent_bits: 3, fraction_bits: 4 };

/// The magnitude of finite `bits` in smallest units, read off the definition: subnormals count up from 0, and every
/// binade has twice the step of the one below.
fn units(format: Layout, bits: u64) -> i128 {
    let magnitude = bits & (format.sign() - 1);
    let (field, fraction) = (magnitude >> format.fraction_bits, magnitude % (1 << format.fraction_bits));
    match field {
        0 => i128::from(fraction),
        _ => i128::from(fraction + (1 << format.fraction_bits)) * (1 << (field - 1)),
    }
}

fn negative(format: Layout, bits: u64) -> bool {
    bits & format.sign() != 0
}

fn signed_units(format: Layout, bits: u64) -> i128 {
    if negative(format, bits) { -units(format, bits) } else { units(format, bits) }
}

/// Rounds a nonzero magnitude, known only through how it compares with `n / 2` smallest units.
fn search(format: Layout, minus: bool, rounding: Rounding, compare: impl Fn(i128) -> Ordering) -> u64 {
    let sign = if minus { format.sign() } else { 0 };
    // The encoding of infinity, read as a number, is the next power of two: where rounding to nearest overflows.
    let lower =
        (0..format.infinity()).rev().find(|v| compare(2 * units(format, *v)) != Ordering::Less).unwrap();
    if compare(2 * units(format, lower)) == Ordering::Equal {
        return sign | lower;
    }
    let upper = lower + 1;
    let up = match (rounding, compare(units(format, lower) + units(format, upper))) {
        (Rounding::Rn, Ordering::Greater) => true,
        (Rounding::Rn, Ordering::Less) => false,
        (Rounding::Rn, Ordering::Equal) => upper % 2 == 0,
        (Rounding::Rz, _) => false,
        (Rounding::Rm, _) => minus,
        (Rounding::Rp, _) => !minus,
    };
    sign | if up { upper } else { lower }
}

/// Rounds `numerator / denominator` smallest units; `zero` is the result if that is zero.
fn rounded(format: Layout, numerator: i128, denominator: i128, zero: u64, rounding: Rounding) -> u64 {
    if numerator == 0 {
        return zero;
    }
    let minus = (numerator < 0) != (denominator < 0);
    let (n, d) = (numerator.abs(), denominator.abs());
    search(format, minus, rounding, |half_units| (2 * n).cmp(&(half_units * d)))
}

fn is_infinite(format: Layout, bits: u64) -> bool {
    bits & (format.sign() - 1) == format.infinity()
}

fn is_zero(format: Layout, bits: u64) -> bool {
    bits & (format.sign() - 1) == 0
}

/// The sign rule of an exact zero sum, IEEE 754 §6.3.
fn zero_sum(format: Layout, a_negative: bool, b_negative: bool, rounding: Rounding) -> u64 {
    let minus = if a_negative == b_negative { a_negative } else { rounding == Rounding::Rm };
    if minus { format.sign() } else { 0 }
}

fn oracle_fma(format: Layout, a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    let nan = format.canonical_nan();
    if [a, b, c].iter().any(|v| format.is_nan(*v)) {
        return nan;
    }
    let product_sign = (a ^ b) & format.sign();
    if is_infinite(format, a) || is_infinite(format, b) {
        if is_zero(format, a) || is_zero(format, b) {
            return nan;
        }
        let product = product_sign | format.infinity();
        return if is_infinite(format, c) && c != product { nan } else { product };
    }
    if is_infinite(format, c) {
        return c;
    }
    // a × b is in squared smallest units; in smallest units it is that over 2^-lowest_unit.
    let scale = 1 << -format.lowest_unit();
    let numerator = signed_units(format, a) * signed_units(format, b) + signed_units(format, c) * scale;
    let both_zero = (is_zero(format, a) || is_zero(format, b)) && is_zero(format, c);
    let zero = if both_zero || numerator == 0 {
        zero_sum(format, product_sign != 0, negative(format, c), rounding)
    } else {
        0
    };
    rounded(format, numerator, scale, zero, rounding)
}

fn oracle_add(format: Layout, a: u64, b: u64, rounding: Rounding) -> u64 {
    oracle_fma(format, a, format.one(), b, rounding)
}

fn oracle_mul(format: Layout, a: u64, b: u64, rounding: Rounding) -> u64 {
    // Adding a zero of the product's own sign changes nothing.
    oracle_fma(format, a, b, (a ^ b) & format.sign(), rounding)
}

fn oracle_div(format: Layout, a: u64, b: u64, rounding: Rounding) -> u64 {
    let sign = (a ^ b) & format.sign();
    let undefined =
        (is_zero(format, a) && is_zero(format, b)) || (is_infinite(format, a) && is_infinite(format, b));
    if format.is_nan(a) || format.is_nan(b) || undefined {
        return format.canonical_nan();
    }
    if is_infinite(format, a) || is_zero(format, b) {
        return sign | format.infinity();
    }
    if is_infinite(format, b) {
        return sign;
    }
    let scale = 1 << -format.lowest_unit();
    rounded(format, signed_units(format, a) * scale, signed_units(format, b), sign, rounding)
}

fn oracle_sqrt(format: Layout, a: u64, rounding: Rounding) -> u64 {
    if is_zero(format, a) {
        return a;
    }
    if format.is_nan(a) || negative(format, a) {
        return format.canonical_nan();
    }
    if is_infinite(format, a) {
        return a;
    }
    // root = √(units · 2^lowest) in smallest units: root² = units · 2^-lowest, so (2 root)² = 4 · units · 2^-lowest.
    let square = 4 * units(format, a) * (1 << -format.lowest_unit());
    search(format, false, rounding, |half_units| square.cmp(&(half_units * half_units)))
}

fn all(format: Layout) -> impl Iterator<Item = u64> {
    0..1 << format.width()
}

#[test]
fn addition_multiplication_and_division_are_right_for_every_pair_of_small_numbers() {
    for format in [TINY, SMALL, MEDIUM] {
        for rounding in MODES {
            for a in all(format) {
                for b in all(format) {
                    let place = (format, rounding, a, b);
                    assert_eq!(
                        format.add(a, b, rounding),
                        oracle_add(format, a, b, rounding),
                        "add {place:?}"
                    );
                    assert_eq!(
                        format.mul(a, b, rounding),
                        oracle_mul(format, a, b, rounding),
                        "mul {place:?}"
                    );
                    assert_eq!(
                        format.div(a, b, rounding),
                        oracle_div(format, a, b, rounding),
                        "div {place:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn fma_is_right_for_every_triple_of_small_numbers() {
    for format in [TINY, SMALL] {
        for rounding in MODES {
            for a in all(format) {
                for b in all(format) {
                    for c in all(format) {
                        let (ours, oracle) =
                            (format.fma(a, b, c, rounding), oracle_fma(format, a, b, c, rounding));
                        assert_eq!(ours, oracle, "{format:?} {rounding:?} {a:x} {b:x} {c:x}");
                    }
                }
            }
        }
    }
}

#[test]
fn square_roots_are_right_for_every_small_number() {
    for format in [TINY, SMALL, MEDIUM, Layout { exponent_bits: 4, fraction_bits: 7 }] {
        for rounding in MODES {
            for a in all(format) {
                assert_eq!(
                    format.sqrt(a, rounding),
                    oracle_sqrt(format, a, rounding),
                    "{format:?} {rounding:?} {a:x}"
                );
            }
        }
    }
}

#[test]
fn the_formats_are_those_of_ieee_754() {
    // IEEE 754-2019 table 3.5; bfloat16 is the upper half of a binary32.
    assert_eq!([Layout::F16, Layout::BF16, Layout::F32, Layout::F64].map(Layout::width), [16, 16, 32, 64]);
    assert_eq!(Layout::F16.one(), 0x3c00);
    assert_eq!(Layout::BF16.one(), 0x3f80);
    assert_eq!(Layout::F32.one(), u64::from(1f32.to_bits()));
    assert_eq!(Layout::F64.one(), 1f64.to_bits());
    assert_eq!(Layout::F64.infinity(), f64::INFINITY.to_bits());
    assert_eq!(Layout::F32.canonical_nan(), 0x7fff_ffff);
    assert_eq!(Layout::F16.canonical_nan(), 0x7fff);
    assert!(Layout::F32.is_nan(0xff80_0001) && !Layout::F32.is_nan(0xff80_0000));
}

#[test]
fn flushing_saturating_and_relu() {
    let f32 = Layout::F32;
    // .ftz "flushes subnormal inputs and results to sign-preserving zero"
    assert_eq!(f32.flush(0x007f_ffff), 0);
    assert_eq!(f32.flush(0x8000_0001), 0x8000_0000);
    assert_eq!(f32.flush(0x0080_0000), 0x0080_0000);
    // .sat "clamps the result to [0.0, 1.0]. NaN results are flushed to +0.0f."
    assert_eq!(f32.saturate(0x7fc0_0000), 0);
    assert_eq!(f32.saturate(0xffc0_0000), 0);
    assert_eq!(f32.saturate(2f32.to_bits().into()), 0x3f80_0000);
    assert_eq!(f32.saturate((-2f32).to_bits().into()), 0);
    assert_eq!(f32.saturate(0.25f32.to_bits().into()), u64::from(0.25f32.to_bits()));
    assert_eq!(f32.saturate(f32.infinity()), 0x3f80_0000);
    // .relu "clamps the result to 0 if negative. NaN results are converted to canonical NaN."
    assert_eq!(Layout::F16.relu(0xbc00), 0);
    assert_eq!(Layout::F16.relu(0x3c00), 0x3c00);
    assert_eq!(Layout::F16.relu(0xfe00), 0x7fff);
}

#[test]
fn plain_is_the_default_mode() {
    assert!(Mode::default().is_plain());
    assert!(!Mode { ftz: true, ..Mode::PLAIN }.is_plain());
}
