//! The manual's tables of special inputs, exact values by hand, and accuracy against the platform's mathematical library
//! (an independent implementation) within a quarter of a binary32 ULP before rounding.

use std::f64::consts::PI;

use super::*;

const NAN: u32 = 0x7fff_ffff;
const MINUS_INFINITY: u32 = 0xff80_0000;

fn bits(value: f32) -> u32 {
    value.to_bits()
}

#[test]
fn the_tables_of_special_inputs() {
    // rows of the manual: −Inf, −0, +0, +Inf, NaN
    let inputs = [MINUS_INFINITY, SIGN, 0, INFINITY, 0xffc0_0000];
    let one = bits(1.0);
    type Row = (&'static str, fn(u32) -> u32, [u32; 5]);
    let table: [Row; 8] = [
        ("ex2", |a| ex2(a, false), [0, one, one, INFINITY, NAN]),
        ("lg2", |a| lg2(a, false), [NAN, MINUS_INFINITY, MINUS_INFINITY, INFINITY, NAN]),
        ("sin", |a| sin(a, false), [NAN, SIGN, 0, NAN, NAN]),
        ("cos", |a| cos(a, false), [NAN, one, one, NAN, NAN]),
        ("tanh", tanh, [bits(-1.0), SIGN, 0, one, NAN]),
        ("rcp", |a| rcp(a, false), [SIGN, MINUS_INFINITY, INFINITY, 0, NAN]),
        ("sqrt", |a| sqrt(a, false), [NAN, SIGN, 0, INFINITY, NAN]),
        ("rsqrt", |a| rsqrt(a, false), [NAN, MINUS_INFINITY, INFINITY, 0, NAN]),
    ];
    for (name, function, expected) in table {
        for (input, expected) in inputs.into_iter().zip(expected) {
            assert_eq!(function(input), expected, "{name}({input:08x})");
        }
    }
    for negative in [lg2(bits(-1.0), false), sqrt(bits(-1.0), false), rsqrt(bits(-1.0), false)] {
        assert_eq!(negative, NAN, "of a negative normal number");
    }
}

#[test]
fn exact_values() {
    assert_eq!(ex2(bits(10.0), false), bits(1024.0));
    assert_eq!(ex2(bits(-149.0), false), 1);
    assert_eq!(ex2(bits(-151.0), false), 0);
    assert_eq!(ex2(bits(128.0), false), INFINITY);
    assert_eq!(ex2(bits(-126.0), false), 0x0080_0000);
    assert_eq!(lg2(bits(1.0), false), 0);
    assert_eq!(lg2(bits(1024.0), false), bits(10.0));
    assert_eq!(lg2(1, false), bits(-149.0));
    assert_eq!(rsqrt(bits(4.0), false), bits(0.5));
    assert_eq!(rsqrt(bits(0.0625), false), bits(4.0));
    assert_eq!(tanh(1), 1, "subnormal inputs get passed through");
    assert_eq!(div_full(bits(6.0), bits(3.0), false), bits(2.0));
    assert_eq!(div(bits(6.0), bits(3.0), false), bits(2.0));
}

#[test]
fn subnormals_are_flushed_with_ftz() {
    assert_eq!(lg2(1, true), MINUS_INFINITY);
    assert_eq!(ex2(bits(-127.0), true), 0);
    assert_eq!(ex2(bits(-127.0), false), 0x0040_0000);
    assert_eq!(sin(0x8000_0001, true), SIGN);
    assert_eq!(sin(0x8000_0001, false), 0x8000_0001);
    assert_eq!(cos(1, true), bits(1.0));
    assert_eq!(rsqrt(0x8000_0001, true), MINUS_INFINITY);
    assert_eq!(rcp(1, true), INFINITY);
    assert_eq!(sqrt(0x8000_0001, true), SIGN);
}

#[test]
fn division_by_very_large_numbers() {
    // "For 2^126 < |b| < 2^128, if a is infinity, div.approx.f32 returns NaN, otherwise it returns a sign-preserving zero."
    let huge = 0x7e80_0001;
    assert_eq!(div(bits(-1.0), huge, false), SIGN);
    assert_eq!(div(0x7f7f_ffff, huge | SIGN, false), SIGN);
    assert_eq!(div(INFINITY, huge, false), NAN);
    assert_eq!(div(0x7e80_0000, 0x7e80_0000, false), bits(1.0), "2^126 itself divides");
    assert_eq!(div_full(0x7f7f_ffff, 0x7f7f_ffff, false), bits(1.0));
    assert_eq!(div(bits(1.0), INFINITY, false), 0);
}

#[test]
fn the_64_bit_approximations() {
    // The tables of rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64, upper words.
    let table: [(u64, u64, u64); 7] = [
        (0xfff0_0000, 0x8000_0000, 0x7fff_ffff),
        (0x8000_0001, 0xfff0_0000, 0xfff0_0000),
        (0x8000_0000, 0xfff0_0000, 0xfff0_0000),
        (0x0000_0000, 0x7ff0_0000, 0x7ff0_0000),
        (0x0000_0001, 0x7ff0_0000, 0x7ff0_0000),
        (0x7ff0_0000, 0x0000_0000, 0x0000_0000),
        (0xfff8_0000, 0x7fff_ffff, 0x7fff_ffff),
    ];
    for (input, reciprocal, root) in table {
        assert_eq!(rcp64_ftz(input << 32 | 0x1234), reciprocal << 32, "rcp {input:08x}");
        assert_eq!(rsqrt64_ftz(input << 32), root << 32, "rsqrt {input:08x}");
    }
    assert_eq!(rcp64_ftz(4f64.to_bits() | 0xffff), 0.25f64.to_bits());
    assert_eq!(rsqrt64_ftz(4f64.to_bits()), 0.5f64.to_bits());
    assert_eq!(rsqrt64(16f64.to_bits()), 0.25f64.to_bits());
    assert_eq!(rsqrt64(0x7ff0_0000_0000_0001), 0x7ff8_0000_0000_0001, "NaN payloads are supported");
    assert_eq!(rsqrt64((-0f64).to_bits()), f64::NEG_INFINITY.to_bits());
}

/// Largest relative distance of `ours` from `theirs` over a range of arguments.
fn distance(ours: impl Fn(f64) -> f64, theirs: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let steps = 20_000;
    let arguments = (0..=steps).map(|i| from + (to - from) * f64::from(i) / f64::from(steps));
    arguments.map(|x| ((ours(x) - theirs(x)) / theirs(x)).abs()).fold(0.0, f64::max)
}

#[test]
fn accuracy() {
    assert!(distance(exp2, f64::exp2, -150.0, 128.0) < 1e-14);
    assert!(distance(log2, f64::log2, 1.1, 1e6) < 1e-14);
    assert!(distance(log2, f64::log2, 1e-40, 0.9) < 1e-14);
    assert!(distance(log2, f64::log2, 1.0 + 1e-7, 1.2) < 1e-14);
    assert!(distance(hyperbolic_tangent, f64::tanh, 1e-3, 20.0) < 1e-14);
    for i in -10_000..10_000 {
        let x = f64::from(i) * PI / 100.0 + 0.01;
        assert!((turned(x, 0) - x.sin()).abs() < 1e-12, "sin {x}");
        assert!((turned(x, 1) - x.cos()).abs() < 1e-12, "cos {x}");
    }
    for huge in [1e10, 3e38, -7e30] {
        assert!(turned(huge, 0).abs() <= 1.0 && turned(huge, 1).abs() <= 1.0);
    }
}
