//! The fast paths against the integer arithmetic of [`Layout`], which is tested exhaustively on small formats; and the
//! modifiers by hand.

use super::*;

/// Numbers where things happen: zeros, subnormals, powers of two with neighbours, the largest, infinity, NaN.
fn edges() -> Vec<u32> {
    let mut edges = vec![
        0,
        1,
        2,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x00ff_ffff,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7fc0_0001,
    ];
    for exponent in [1u32, 2, 24, 63, 64, 102, 103, 104, 126, 127, 128, 150, 151, 190, 191, 253, 254] {
        for fraction in [0, 1, 0x40_0000, 0x7f_ffff, 0x2a_aaab] {
            edges.push(exponent << 23 | fraction);
        }
    }
    let negative: Vec<u32> = edges.iter().map(|e| e | SIGN).collect();
    edges.extend(negative);
    edges
}

/// A reproducible sequence of bit patterns (xorshift32, Marsaglia 2003).
fn patterns() -> impl Iterator<Item = u32> {
    std::iter::successors(Some(0x9e37_79b9u32), |x| {
        let x = x ^ x << 13;
        let x = x ^ x >> 17;
        Some(x ^ x << 5)
    })
}

fn format_fma(a: u32, b: u32, c: u32) -> u32 {
    Layout::F32.fma(a.into(), b.into(), c.into(), Rounding::Rn) as u32
}

#[test]
fn the_fast_paths_are_exact_on_edges() {
    for a in edges() {
        assert_eq!(sqrt_rn(a), Layout::F32.sqrt(a.into(), Rounding::Rn) as u32, "√{a:08x}");
        for b in edges() {
            let (wide_a, wide_b) = (u64::from(a), u64::from(b));
            assert_eq!(
                add_rn(a, b),
                Layout::F32.add(wide_a, wide_b, Rounding::Rn) as u32,
                "{a:08x} + {b:08x}"
            );
            assert_eq!(
                sub_rn(a, b),
                Layout::F32.add(wide_a, wide_b ^ 0x8000_0000, Rounding::Rn) as u32,
                "{a:08x} - {b:08x}"
            );
            assert_eq!(
                mul_rn(a, b),
                Layout::F32.mul(wide_a, wide_b, Rounding::Rn) as u32,
                "{a:08x} * {b:08x}"
            );
            assert_eq!(
                div_rn(a, b),
                Layout::F32.div(wide_a, wide_b, Rounding::Rn) as u32,
                "{a:08x} / {b:08x}"
            );
            for c in edges() {
                assert_eq!(fma_rn(a, b, c), format_fma(a, b, c), "{a:08x} * {b:08x} + {c:08x}");
            }
        }
    }
}

#[test]
fn fma_is_exact_on_random_numbers_near_cancellation() {
    let mut patterns = patterns();
    for _ in 0..300_000 {
        let (a, b, c) = (patterns.next().unwrap(), patterns.next().unwrap(), patterns.next().unwrap());
        assert_eq!(fma_rn(a, b, c), format_fma(a, b, c), "{a:08x} {b:08x} {c:08x}");
        // c close to −a·b: what is left is the rounding error of the product.
        let near = mul_rn(a, b) ^ SIGN ^ (c & 3);
        assert_eq!(fma_rn(a, b, near), format_fma(a, b, near), "{a:08x} {b:08x} {near:08x}");
    }
}

#[test]
fn fma_against_the_processor() {
    let mut patterns = patterns();
    for _ in 0..100_000 {
        let (a, b, c) = (patterns.next().unwrap(), patterns.next().unwrap(), patterns.next().unwrap());
        let theirs = f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c));
        assert!(fma_rn(a, b, c) == theirs.to_bits() || theirs.is_nan() && fma_rn(a, b, c) == CANONICAL_NAN);
    }
}

#[test]
fn directed_rounding_by_hand() {
    let mode = |rounding| Mode { rounding, ..Mode::PLAIN };
    let bits = f32::to_bits;
    let tiny = bits(2f32.powi(-60));
    // 1 + 2^-60: only upwards does it move; −1 − 2^-60: only downwards.
    assert_eq!(add(ONE, tiny, mode(Rounding::Rn)), ONE);
    assert_eq!(add(ONE, tiny, mode(Rounding::Rz)), ONE);
    assert_eq!(add(ONE, tiny, mode(Rounding::Rm)), ONE);
    assert_eq!(add(ONE, tiny, mode(Rounding::Rp)), ONE + 1);
    assert_eq!(sub(ONE ^ SIGN, tiny, mode(Rounding::Rm)), (ONE + 1) | SIGN);
    assert_eq!(sub(ONE, tiny, mode(Rounding::Rz)), ONE - 1);
    // 1/3 = 0x3eaaaaaa.aaa…
    assert_eq!(rcp(bits(3.0), mode(Rounding::Rn)), 0x3eaa_aaab);
    assert_eq!(rcp(bits(3.0), mode(Rounding::Rz)), 0x3eaa_aaaa);
    assert_eq!(div(bits(-1.0), bits(3.0), mode(Rounding::Rm)), 0xbeaa_aaab);
    // √2 = 0x3fb504f3.3…
    assert_eq!(sqrt(bits(2.0), mode(Rounding::Rn)), 0x3fb5_04f3);
    assert_eq!(sqrt(bits(2.0), mode(Rounding::Rp)), 0x3fb5_04f4);
    // The largest number squared overflows: infinity, or the largest number towards zero (IEEE 754 §7.4).
    assert_eq!(mul(0x7f7f_ffff, 0x7f7f_ffff, mode(Rounding::Rz)), 0x7f7f_ffff);
    assert_eq!(mul(0x7f7f_ffff, 0x7f7f_ffff, mode(Rounding::Rp)), 0x7f80_0000);
    assert_eq!(fma(ONE, ONE, ONE ^ SIGN, mode(Rounding::Rm)), SIGN, "an exact zero sum is −0 towards −∞");
}

#[test]
fn flush_to_zero() {
    let ftz = Mode { ftz: true, ..Mode::PLAIN };
    // subnormal inputs
    assert_eq!(add(0x007f_ffff, 0, ftz), 0);
    assert_eq!(add(0x8000_0001, 0x8000_0001, ftz), 0x8000_0000);
    assert_eq!(mul(0x007f_ffff, 0x7f00_0000, ftz), 0);
    assert_eq!(rcp(0x8000_0001, ftz), 0xff80_0000);
    // subnormal results: 2^-126 − 1.5·2^-126 = −2^-127
    assert_eq!(sub(0x0080_0000, 0x00c0_0000, ftz), 0x8000_0000);
    assert_eq!(sub(0x0080_0000, 0x00c0_0000, Mode::PLAIN), 0x8040_0000);
    assert_eq!(mul(0x0080_0000, 0x3f00_0000, ftz), 0);
    assert_eq!(neg(1, true), SIGN);
    assert_eq!(abs(0x8000_0001, true), 0);
    assert_eq!(abs(0x8000_0001, false), 1);
}

#[test]
fn saturation() {
    let sat = Mode { sat: true, ..Mode::PLAIN };
    let bits = f32::to_bits;
    assert_eq!(add(ONE, ONE, sat), ONE);
    assert_eq!(sub(ONE, bits(3.0), sat), 0);
    assert_eq!(add(INFINITY, INFINITY ^ SIGN, sat), 0, "NaN results are flushed to +0.0f");
    assert_eq!(fma(bits(0.5), bits(0.5), bits(0.25), sat), bits(0.5));
    for a in edges() {
        assert_eq!(u64::from(saturate(a)), Layout::F32.saturate(a.into()), "{a:08x}");
        assert_eq!(u64::from(flush(a)), Layout::F32.flush(a.into()), "{a:08x}");
    }
}

#[test]
fn unfused_differs_from_fused() {
    // (1 + 2^-13)(1 − 2^-13) − 1 = −2^-26; unfused the product, 1 − 2^-26, rounds to 1.
    let (a, b) = (f32::to_bits(1.0 + 2f32.powi(-13)), f32::to_bits(1.0 - 2f32.powi(-13)));
    assert_eq!(fma_rn(a, b, ONE ^ SIGN), (-(2f32.powi(-26))).to_bits());
    assert_eq!(fma_unfused(a, b, ONE ^ SIGN, Mode::PLAIN), 0);
}

#[test]
fn signs() {
    assert_eq!(neg(ONE, false), ONE | SIGN);
}

#[test]
fn what_rounding_makes_the_least_normal_number_may_be_flushed() {
    let ftz = Mode { rounding: Rounding::Rn, ftz: true, sat: false };
    let truncated = Mode { rounding: Rounding::Rz, ..ftz };
    let defined = |a, b| defined_at_flush(mul(a, b, ftz), || mul(a, b, truncated));
    // -2^-126 * (1 - 2^-24) lies halfway between the greatest subnormal and the least normal number: even is the latter.
    assert_eq!(
        (mul(0x8080_0000, 0x3f7f_ffff, ftz), defined(0x8080_0000, 0x3f7f_ffff)),
        (0x8080_0000, 0xff7f_ffff)
    );
    // Exactly 2^-126, and its neighbour above, are no subnormal results in any reading; half of it is one in every reading.
    assert_eq!(defined(0x0080_0000, 0x3f80_0000), u32::MAX);
    assert_eq!(defined(0x0080_0001, 0x3f80_0000), u32::MAX);
    assert_eq!((mul(0x0080_0000, 0x3f00_0000, ftz), defined(0x0080_0000, 0x3f00_0000)), (0, u32::MAX));
}
