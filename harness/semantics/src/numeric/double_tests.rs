//! The fast paths against the integer arithmetic of [`Layout`], and the NaN rule by hand.

use super::*;

fn edges() -> Vec<u64> {
    let mut edges = vec![0, 1, 0x000f_ffff_ffff_ffff, 0x0010_0000_0000_0000, 0x7fef_ffff_ffff_ffff, INFINITY];
    for exponent in [1u64, 53, 511, 969, 970, 1022, 1023, 1024, 1075, 1076, 1535, 2045, 2046] {
        for fraction in [0, 1, 0x8_0000_0000_0000, 0xf_ffff_ffff_ffff, 0x5_5555_5555_5555] {
            edges.push(exponent << 52 | fraction);
        }
    }
    let negative: Vec<u64> = edges.iter().map(|e| e | SIGN).collect();
    edges.extend(negative);
    edges
}

fn patterns() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(0x9e37_79b9_7f4a_7c15u64), |x| {
        let x = x ^ x << 13;
        let x = x ^ x >> 7;
        Some(x ^ x << 17)
    })
}

#[test]
fn the_processor_and_the_integer_arithmetic_agree_on_edges() {
    let rn = Rounding::Rn;
    for a in edges() {
        assert_eq!(sqrt(a, rn), Layout::F64.sqrt(a, rn), "√{a:016x}");
        for b in edges() {
            assert_eq!(add_rn(a, b), Layout::F64.add(a, b, rn), "{a:016x} + {b:016x}");
            assert_eq!(sub_rn(a, b), Layout::F64.add(a, b ^ SIGN, rn), "{a:016x} - {b:016x}");
            assert_eq!(mul_rn(a, b), Layout::F64.mul(a, b, rn), "{a:016x} * {b:016x}");
            assert_eq!(div_rn(a, b), Layout::F64.div(a, b, rn), "{a:016x} / {b:016x}");
        }
    }
}

#[test]
fn the_processor_and_the_integer_arithmetic_agree_on_fma() {
    let rn = Rounding::Rn;
    let edges = edges();
    for a in edges.iter().step_by(3) {
        for b in edges.iter().step_by(2) {
            for c in &edges {
                assert_eq!(
                    fma_rn(*a, *b, *c),
                    Layout::F64.fma(*a, *b, *c, rn),
                    "{a:016x} * {b:016x} + {c:016x}"
                );
            }
        }
    }
    let mut patterns = patterns().filter(|x| !is_nan(*x));
    for _ in 0..100_000 {
        let (a, b, c) = (patterns.next().unwrap(), patterns.next().unwrap(), patterns.next().unwrap());
        assert_eq!(fma_rn(a, b, c), Layout::F64.fma(a, b, c, rn));
        let near = mul_rn(a, b) ^ SIGN ^ (c & 3);
        if !is_nan(near) {
            assert_eq!(fma_rn(a, b, near), Layout::F64.fma(a, b, near, rn));
        }
    }
}

#[test]
fn directed_rounding_by_hand() {
    let (one, tiny) = (1f64.to_bits(), 2f64.powi(-200).to_bits());
    assert_eq!(add(one, tiny, Rounding::Rp), one + 1);
    assert_eq!(add(one, tiny, Rounding::Rm), one);
    assert_eq!(sub(one, tiny, Rounding::Rz), one - 1);
    assert_eq!(rcp(3f64.to_bits(), Rounding::Rn), 0x3fd5_5555_5555_5555);
    assert_eq!(rcp(3f64.to_bits(), Rounding::Rp), 0x3fd5_5555_5555_5556);
    assert_eq!(div((-1f64).to_bits(), 3f64.to_bits(), Rounding::Rm), 0xbfd5_5555_5555_5556);
    assert_eq!(sqrt(2f64.to_bits(), Rounding::Rm), 0x3ff6_a09e_667f_3bcc);
    assert_eq!(sqrt(2f64.to_bits(), Rounding::Rp), 0x3ff6_a09e_667f_3bcd);
    assert_eq!(mul(INFINITY - 1, 2f64.to_bits(), Rounding::Rm), INFINITY - 1);
    assert_eq!(fma(one, one, one | SIGN, Rounding::Rm), SIGN);
}

#[test]
fn nan_payloads_are_passed_on() {
    let (signalling, quiet) = (0x7ff0_0000_0000_0123, 0xfff8_0000_0000_0456);
    let one = 1f64.to_bits();
    for rounding in [Rounding::Rn, Rounding::Rz] {
        assert_eq!(add(signalling, one, rounding), 0x7ff8_0000_0000_0123);
        assert_eq!(sub(one, quiet, rounding), quiet);
        assert_eq!(mul(quiet, signalling, rounding), quiet);
        assert_eq!(fma(one, one, quiet, rounding), quiet);
        assert_eq!(sqrt(quiet, rounding), quiet);
        assert_eq!(div(0, 0, rounding), CANONICAL_NAN);
        assert_eq!(add(INFINITY, INFINITY | SIGN, rounding), CANONICAL_NAN);
        assert_eq!(sqrt(one | SIGN, rounding), CANONICAL_NAN);
    }
    // "For abs.f64, NaN input is passed through unchanged."
    assert_eq!(abs(quiet), quiet);
    assert_eq!(abs((-2f64).to_bits()), 2f64.to_bits());
    assert_eq!(neg(one), one | SIGN);
}

#[test]
fn unfused_differs_from_fused() {
    let (a, b) = ((1.0 + 2f64.powi(-30)).to_bits(), (1.0 - 2f64.powi(-30)).to_bits());
    assert_eq!(fma(a, b, (-1f64).to_bits(), Rounding::Rn), (-(2f64.powi(-60))).to_bits());
    assert_eq!(fma_unfused(a, b, (-1f64).to_bits(), Rounding::Rn), 0);
}
