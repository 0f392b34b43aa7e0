//! Ends of the documented intervals, by hand: each is a distance that the manual states from a result that is known exactly.

use super::*;

const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;
const HALF: u32 = 0x3f00_0000;

fn of(operation: Operation, a: u32, result: u32) -> Permitted {
    permitted(operation, [a.into(), 0, 0, 0], false, result.into())
}

fn between(least: u32, greatest: u32, by: Document) -> Permitted {
    Permitted::Between(Interval { least, greatest, by })
}

#[test]
fn ulps_are_numbers_that_one_steps_over() {
    // 1 ÷ 3 is 0x3eaaaaab.
    let third = of(Operation::Rcp, 0x4040_0000, 0x3eaa_aaab);
    assert_eq!(third, between(0x3eaa_aaaa, 0x3eaa_aaac, Document::Rcp));
    // 2^1 is a power of two: the number before it is half as far as the one behind it.
    assert_eq!(of(Operation::Ex2, ONE, TWO), between(0x3fff_fffe, 0x4000_0002, Document::Ex2));
    let quotient = |operation| permitted(operation, [ONE.into(), 0x4040_0000, 0, 0], false, 0x3eaa_aaab);
    assert_eq!(quotient(Operation::DivApprox), between(0x3eaa_aaa9, 0x3eaa_aaad, Document::DivApprox));
    assert_eq!(quotient(Operation::DivFull), between(0x3eaa_aaa9, 0x3eaa_aaad, Document::DivFull));
}

#[test]
fn relative_errors_of_exact_results() {
    // √4 = 2, and 2 · 2^-23 = 2^-22 is one step above 2 and two below.
    let four = 0x4080_0000;
    assert_eq!(of(Operation::Sqrt, four, TWO), between(0x3fff_fffe, 0x4000_0001, Document::Sqrt));
    // 1 ÷ √4 = 2^-1, and 2^-1 · 2^-22.9 is 1.07 steps of 2^-24 above a half, 2.14 steps of 2^-25 below.
    assert_eq!(of(Operation::Rsqrt, four, HALF), between(0x3eff_fffe, 0x3f00_0001, Document::Rsqrt));
    // log₂ 4 = 2, and 2 · 2^-22 = 2^-21 is two steps above and four below.
    assert_eq!(of(Operation::Lg2, four, TWO), between(0x3fff_fffc, 0x4000_0002, Document::Lg2));
    // tanh of a large number is 1, and 2^-11 is 2^12 steps of 2^-23 above and 2^13 steps of 2^-24 below.
    assert_eq!(of(Operation::Tanh, 0x42c8_0000, ONE), between(ONE - 0x2000, ONE + 0x1000, Document::Tanh));
}

#[test]
fn absolute_errors_of_exact_results() {
    // log₂ 1 = 0 ± 2^-22. At 2 the error is a relative one, and below it is absolute.
    assert_eq!(of(Operation::Lg2, ONE, 0), between(0xb480_0000, 0x3480_0000, Document::Lg2Near));
    assert_eq!(of(Operation::Lg2, TWO, ONE), between(ONE - 4, ONE + 2, Document::Lg2));
    assert_eq!(of(Operation::Lg2, HALF, 0xbf80_0000), between(0xbf80_0002, 0xbf7f_fffc, Document::Lg2));
    // 2^-20.5 is 11.3 steps of 2^-24, 5.66 of 2^-23: around cos 2^-13, which is less than 2^-24 from 1.
    let small = 0x3900_0000;
    assert_eq!(of(Operation::Cos, small, ONE), between(ONE - 11, ONE + 5, Document::Cos));
    // sin 2^-13 is 2^-13 less 2^-41.6. 2^-20.5 is 46340.95 steps of 2^-36 above 2^-13, and 92681.90 steps of 2^-37 below it; the
    // cube is 0.04 of these.
    let Permitted::Between(sine) = of(Operation::Sin, small, small) else { panic!("not bounded") };
    assert_eq!((sine.greatest, sine.by), (small + 46340, Document::Sin));
    assert_eq!(sine.least, small - 92681);
}

#[test]
fn ranges_of_angles() {
    let by = |operation, a: f32| match of(operation, a.to_bits(), 0) {
        Permitted::Between(interval) => Some(interval.by),
        Permitted::Anything(u64::MAX) => None,
        other => panic!("{other:?}"),
    };
    // 2π = 6.2831853, 100π = 314.15927.
    assert_eq!(by(Operation::Sin, 6.2825), Some(Document::Sin));
    assert_eq!(by(Operation::Sin, -6.284), Some(Document::SinFar));
    assert_eq!(by(Operation::Cos, -6.2825), Some(Document::Cos));
    assert_eq!(by(Operation::Cos, 314.159), Some(Document::CosFar));
    assert_eq!(by(Operation::Sin, 314.16), None);
    assert_eq!(by(Operation::Cos, -1e30), None);
}

#[test]
fn the_tables_of_special_inputs_are_exact() {
    let special = [0, SIGN, INFINITY, INFINITY | SIGN, 0x7fff_ffff];
    let unary = [
        Operation::Ex2,
        Operation::Lg2,
        Operation::Sin,
        Operation::Cos,
        Operation::Tanh,
        Operation::Rcp,
        Operation::Sqrt,
        Operation::Rsqrt,
    ];
    for operation in unary {
        for a in special {
            assert_eq!(of(operation, a, 0), Permitted::Exact, "{operation:?} of {a:08x}");
        }
        // With .ftz, subnormal numbers are zeros.
        assert_eq!(permitted(operation, [1, 0, 0, 0], true, 0), Permitted::Exact, "{operation:?}");
    }
    for operation in [Operation::Lg2, Operation::Sqrt, Operation::Rsqrt] {
        assert_eq!(of(operation, 0xbf80_0000, 0x7fff_ffff), Permitted::Exact, "{operation:?} of -1 is a NaN");
    }
    assert_eq!(
        of(Operation::Tanh, 0x8000_0001, 0x8000_0001),
        Permitted::Exact,
        "subnormals are passed through"
    );
    for operation in [Operation::DivApprox, Operation::DivFull] {
        let of = |a: u32, b: u32, result: u32| {
            permitted(operation, [a.into(), b.into(), 0, 0], false, result.into())
        };
        assert_eq!(of(ONE, 0, INFINITY), Permitted::Exact);
        assert_eq!(of(0, ONE, 0), Permitted::Exact);
        assert_eq!(of(ONE, INFINITY, 0), Permitted::Exact);
    }
}

#[test]
fn divisors_beyond_the_range_of_div_approx() {
    let of = |b: u32, ftz| permitted(Operation::DivApprox, [ONE.into(), b.into(), 0, 0], ftz, 0);
    // 2^126 is in the range, the number behind it is not: "it returns a sign-preserving zero".
    assert!(matches!(of(0x7e80_0000, false), Permitted::Between(_)));
    assert_eq!(of(0x7e80_0001, false), Permitted::Exact);
    // 2^-126 is in the range; of smaller ones nothing is said, and with .ftz they are zeros.
    assert!(matches!(of(0x0080_0000, false), Permitted::Between(_)));
    assert_eq!(of(0x007f_ffff, false), Permitted::Anything(u64::MAX));
    assert_eq!(of(0x007f_ffff, true), Permitted::Exact);
}

#[test]
fn results_at_the_ends_of_the_format() {
    // 2^200 is infinity however far off; 2^128 less a little is within two steps of it.
    assert_eq!(of(Operation::Ex2, 0x4348_0000, INFINITY), Permitted::Exact);
    assert_eq!(
        of(Operation::Ex2, 0x42ff_ffff, 0x7f7f_ff4f),
        between(0x7f7f_ff4d, 0x7f7f_ff51, Document::Ex2)
    );
    assert_eq!(of(Operation::Ex2, 0x4300_0000, INFINITY), between(0x7f7f_fffe, INFINITY, Document::Ex2));
    // 2^-126 is the least normal number: with .ftz what is below is zero.
    let least = 0x0080_0000;
    assert_eq!(of(Operation::Ex2, 0xc2fc_0000, least), between(least - 2, least + 2, Document::Ex2));
    let flushed = permitted(Operation::Ex2, [0xc2fc_0000, 0, 0, 0], true, least.into());
    assert_eq!(flushed, between(0, least + 2, Document::Ex2));
    assert_eq!(
        permitted(Operation::Ex2, [0xc2fe_0000, 0, 0, 0], true, 0),
        Permitted::Exact,
        "2^-127 is flushed"
    );
}

/// 1 / 0x7e800001 is just below 2^-126, the subnormal 0x007fffff, which flushes to zero. "The maximum ulp error is 1": the result before it is
/// flushed may be 0x00800000, the least normal number, which stays.
#[test]
fn the_error_is_that_of_the_result_before_it_is_flushed() {
    assert_eq!(
        permitted(Operation::Rcp, [0x7e80_0001, 0, 0, 0], true, 0),
        between(0, 0x0080_0000, Document::Rcp)
    );
    // 1 / 0x7e800000 is 2^-126 itself: one step below is flushed.
    assert_eq!(
        permitted(Operation::Rcp, [0x7e80_0000, 0, 0, 0], true, 0x0080_0000),
        between(0, 0x0080_0001, Document::Rcp)
    );
}

#[test]
fn doubles_have_no_documented_error() {
    let of = |operation, a: f64| permitted(operation, [a.to_bits(), 0, 0, 0], true, 0);
    assert_eq!(of(Operation::Gross64, 3.0), Permitted::Anything(0xffff_ffff_0000_0000));
    assert_eq!(of(Operation::Rsqrt64, 3.0), Permitted::Anything(u64::MAX));
    for special in [0.0, -0.0, f64::INFINITY, f64::NAN] {
        assert_eq!(of(Operation::Gross64, special), Permitted::Exact);
        assert_eq!(of(Operation::Rsqrt64, special), Permitted::Exact);
    }
}

#[test]
fn the_bits_that_vary() {
    let varying = |least, greatest| Interval { least, greatest, by: Document::Rcp }.varying();
    assert_eq!(varying(0x3eaa_aaaa, 0x3eaa_aaac), 0x7);
    assert_eq!(varying(0x3f7f_ffff, 0x3f80_0001), 0x00ff_ffff);
    assert_eq!(varying(0xb480_0000, 0x3480_0000), u32::MAX);
    assert_eq!(varying(0, 1), u32::MAX, "-0 is the same number as +0");
    assert_eq!(varying(ONE, ONE), 0);
}

#[test]
fn signs_of_an_interval() {
    let interval = |least, greatest| Interval { least, greatest, by: Document::Sin };
    assert_eq!(interval(ONE, TWO).negated(), interval(0xc000_0000, 0xbf80_0000));
    assert_eq!(interval(0xc000_0000, 0xbf80_0000).absolute(), interval(ONE, TWO));
    assert_eq!(interval(0xc000_0000, ONE).absolute(), interval(0, TWO));
    assert_eq!(interval(0xbf80_0000, TWO).absolute(), interval(0, TWO));
}
