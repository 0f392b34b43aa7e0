//! Expectations by hand from the manual's description of `cvt` (PTX ISA 9.7.9).

use super::*;

const S8: Integer = Integer { signed: true, width: 8 };
const U8: Integer = Integer { signed: false, width: 8 };
const S16: Integer = Integer { signed: true, width: 16 };
const U16: Integer = Integer { signed: false, width: 16 };
const S32: Integer = Integer { signed: true, width: 32 };
const U32: Integer = Integer { signed: false, width: 32 };
const S64: Integer = Integer { signed: true, width: 64 };
const U64: Integer = Integer { signed: false, width: 64 };

fn from_f32(a: f32, to: Integer, rounding: IntegerRounding) -> u64 {
    float_to_integer(a.to_bits().into(), Format::F32, to, rounding, false, NanRule::Current)
}

fn from_f64(a: f64, to: Integer, rounding: IntegerRounding) -> u64 {
    float_to_integer(a.to_bits(), Format::F64, to, rounding, false, NanRule::Current)
}

#[test]
fn integers_are_truncated_or_extended() {
    assert_eq!(integer_to_integer(0x1234_5680, U32, S8, false), 0x80);
    assert_eq!(integer_to_integer(0x80, S8, S32, false), 0xffff_ff80);
    assert_eq!(integer_to_integer(0x80, U8, S32, false), 0x80);
    assert_eq!(integer_to_integer(0x80, S8, U16, false), 0xff80);
    assert_eq!(integer_to_integer(0xffff_ffff, S32, U64, false), u64::MAX);
    assert_eq!(integer_to_integer(0xffff_ffff, U32, S64, false), 0xffff_ffff);
    assert_eq!(
        integer_to_integer(0xffff_ffff_0000_0001, U32, U32, false),
        1,
        "only the type's own bits count"
    );
}

#[test]
fn saturation_limits_to_the_range_of_the_destination() {
    // ".sat limits the result to MININT..MAXINT for the size of the operation."
    assert_eq!(integer_to_integer(300, S32, U8, true), 255);
    assert_eq!(integer_to_integer((-5i32) as u32 as u64, S32, U8, true), 0);
    assert_eq!(integer_to_integer((-500i32) as u32 as u64, S32, S8, true), 0x80);
    assert_eq!(integer_to_integer(0xffff_ffff, U32, S32, true), 0x7fff_ffff);
    assert_eq!(integer_to_integer(u64::MAX, S64, U64, true), 0);
    assert_eq!(integer_to_integer(u64::MAX, U64, S64, true), i64::MAX as u64);
    assert_eq!(integer_to_integer(100, S32, S8, true), 100);
}

#[test]
fn float_to_integer_rounds_as_the_modifier_says() {
    use IntegerRounding::*;
    // value: rni rzi rmi rpi half-away
    let table: [(f32, [i32; 5]); 9] = [
        (0.5, [0, 0, 0, 1, 1]),
        (1.5, [2, 1, 1, 2, 2]),
        (2.5, [2, 2, 2, 3, 3]),
        (-0.5, [0, 0, -1, 0, -1]),
        (-1.5, [-2, -1, -2, -1, -2]),
        (2.25, [2, 2, 2, 3, 2]),
        (-2.75, [-3, -2, -3, -2, -3]),
        (7.0, [7, 7, 7, 7, 7]),
        (16_777_216.0, [16_777_216; 5]),
    ];
    for (value, expected) in table {
        for (rounding, expected) in [Rni, Rzi, Rmi, Rpi, HalfAway].into_iter().zip(expected) {
            let bits = u64::from(expected as u32);
            assert_eq!(from_f32(value, S32, rounding), bits, "{value} {rounding:?}");
            assert_eq!(from_f64(value.into(), S32, rounding), bits, "{value} {rounding:?}");
            assert_eq!(from_f64(value.into(), S64, rounding), expected as i64 as u64, "{value} {rounding:?}");
        }
    }
}

#[test]
fn float_to_integer_clamps_to_the_range() {
    // "For float-to-integer conversions, the result is clamped to the destination range by default"
    let rzi = IntegerRounding::Rzi;
    assert_eq!(from_f32(3e9, S32, rzi), 0x7fff_ffff);
    assert_eq!(from_f32(-3e9, S32, rzi), 0x8000_0000);
    assert_eq!(from_f32(3e9, U32, rzi), 3_000_000_000);
    assert_eq!(from_f32(-1.0, U32, rzi), 0);
    assert_eq!(from_f32(300.0, U8, rzi), 255);
    assert_eq!(from_f32(-300.0, S8, rzi), 0x80);
    assert_eq!(from_f32(70000.0, U16, rzi), 0xffff);
    assert_eq!(from_f32(f32::INFINITY, S64, rzi), i64::MAX as u64);
    assert_eq!(from_f32(f32::NEG_INFINITY, S16, rzi), 0x8000);
    assert_eq!(from_f32(f32::MAX, U64, rzi), u64::MAX);
    assert_eq!(from_f64(1e300, U64, rzi), u64::MAX);
    assert_eq!(from_f64(18_446_744_073_709_549_568.0, U64, rzi), 18_446_744_073_709_549_568);
    assert_eq!(from_f64(-9.3e18, S64, rzi), 1 << 63);
    assert_eq!(from_f32(255.5, U8, IntegerRounding::Rni), 255);
}

#[test]
fn nan_to_integer() {
    // "Zero if source is not .f64 and destination is not .s64, .u64. Otherwise 1 << (BitWidth(dst) - 1)"
    let rzi = IntegerRounding::Rzi;
    for to in [S8, U8, S16, U16, S32, U32] {
        assert_eq!(from_f32(f32::NAN, to, rzi), 0);
        assert_eq!(from_f64(f64::NAN, to, rzi), 1 << (to.width - 1));
        assert!(NanRule::is_settled(Format::F32, to) && !NanRule::is_settled(Format::F64, to));
    }
    for to in [S64, U64] {
        assert_eq!(from_f32(f32::NAN, to, rzi), 1 << 63);
        assert_eq!(from_f64(f64::NAN, to, rzi), 1 << 63);
        assert_eq!(float_to_integer(0x7e00, Format::F16, to, rzi, false, NanRule::Current), 1 << 63);
        assert_eq!(float_to_integer(0x7e00, Format::F16, to, rzi, false, NanRule::Older), 0);
        assert!(!NanRule::is_settled(Format::F32, to));
    }
}

#[test]
fn subnormal_inputs_are_flushed_with_ftz() {
    let convert = |ftz| float_to_integer(1, Format::F32, S32, IntegerRounding::Rpi, ftz, NanRule::Current);
    assert_eq!((convert(false), convert(true)), (1, 0));
    // The modifier "applies only to single precision (.f32) inputs and results".
    assert_eq!(float_to_float(1, Format::F16, Format::F32, Rounding::Rn, true, false), 0x3380_0000);
    assert_eq!(float_to_float(1, Format::F32, Format::F64, Rounding::Rn, true, false), 0);
    let to_f16 = float_to_float(0x3380_0000, Format::F32, Format::F16, Rounding::Rn, true, false);
    assert_eq!(to_f16, 1, "a subnormal half result stays");
    let small = f64::from(f32::from_bits(5)).to_bits();
    assert_eq!(float_to_float(small, Format::F64, Format::F32, Rounding::Rn, false, false), 5);
    assert_eq!(float_to_float(small, Format::F64, Format::F32, Rounding::Rn, true, false), 0);
}

#[test]
fn integer_to_float_rounds() {
    let convert = |bits, from, rounding| integer_to_float(bits, from, Format::F32, rounding, false) as u32;
    // 2^24 + 1 lies halfway between two binary32.
    assert_eq!(convert(16_777_217, S32, Rounding::Rn), 16_777_216f32.to_bits());
    assert_eq!(convert(16_777_217, S32, Rounding::Rp), 16_777_218f32.to_bits());
    assert_eq!(convert(16_777_219, U32, Rounding::Rn), 16_777_220f32.to_bits());
    assert_eq!(convert(16_777_219, U32, Rounding::Rz), 16_777_218f32.to_bits());
    assert_eq!(convert((-16_777_217i32) as u32 as u64, S32, Rounding::Rm), (-16_777_218f32).to_bits());
    assert_eq!(convert(u64::MAX, U64, Rounding::Rn), 18_446_744_073_709_551_616f32.to_bits());
    assert_eq!(convert(0x80, S8, Rounding::Rn), (-128f32).to_bits());
    assert_eq!(convert(0, S64, Rounding::Rm), 0);
    // 65520 and more is infinity in binary16; towards zero it is the largest number.
    assert_eq!(integer_to_float(65520, U32, Format::F16, Rounding::Rn, false), 0x7c00);
    assert_eq!(integer_to_float(65520, U32, Format::F16, Rounding::Rz, false), 0x7bff);
    assert_eq!(integer_to_float(65519, U32, Format::F16, Rounding::Rn, false), 0x7bff);
    assert_eq!(integer_to_float(7, U32, Format::F32, Rounding::Rn, true), u64::from(1f32.to_bits()));
}

#[test]
fn float_to_float_narrows_and_widens() {
    let narrow = |a: f32, rounding| {
        float_to_float(a.to_bits().into(), Format::F32, Format::F16, rounding, false, false)
    };
    assert_eq!(narrow(1.0 / 3.0, Rounding::Rn), 0x3555);
    assert_eq!(narrow(1.0 / 3.0, Rounding::Rp), 0x3556);
    assert_eq!(narrow(-1.0 / 3.0, Rounding::Rm), 0xb556);
    assert_eq!(narrow(1e10, Rounding::Rn), 0x7c00);
    assert_eq!(narrow(1e10, Rounding::Rz), 0x7bff);
    assert_eq!(narrow(-0.0, Rounding::Rn), 0x8000);
    assert_eq!(narrow(f32::NAN, Rounding::Rn), 0x7fff);
    // 2^-25 is a tie between 0 and the smallest binary16.
    assert_eq!(narrow(2f32.powi(-25), Rounding::Rn), 0);
    assert_eq!(narrow(2f32.powi(-25), Rounding::Rp), 1);
    assert_eq!(float_to_float(0x3f81_8000, Format::F32, Format::Bf16, Rounding::Rn, false, false), 0x3f82);
    assert_eq!(float_to_float(0x3f80_8000, Format::F32, Format::Bf16, Rounding::Rn, false, false), 0x3f80);
    assert_eq!(
        float_to_float(0x4049_0fdb, Format::F32, Format::F64, Rounding::Rn, false, false),
        0x4009_21fb_6000_0000
    );
    // ".sat limits the result to the range [0.0, 1.0]. NaN results are flushed to positive zero."
    assert_eq!(
        float_to_float(2.5f32.to_bits().into(), Format::F32, Format::F32, Rounding::Rn, false, true),
        0x3f80_0000
    );
    assert_eq!(float_to_float(0x7fc0_0000, Format::F32, Format::F32, Rounding::Rn, false, true), 0);
}

#[test]
fn rounding_to_integral_values() {
    use IntegerRounding::*;
    let table: [(f32, [f32; 4]); 6] = [
        (0.5, [0.0, 0.0, 0.0, 1.0]),
        (-0.5, [-0.0, -0.0, -1.0, -0.0]),
        (3.5, [4.0, 3.0, 3.0, 4.0]),
        (-7.25, [-7.0, -7.0, -8.0, -7.0]),
        (8_388_607.5, [8_388_608.0, 8_388_607.0, 8_388_607.0, 8_388_608.0]),
        (1e20, [1e20; 4]),
    ];
    for (value, expected) in table {
        for (rounding, expected) in [Rni, Rzi, Rmi, Rpi].into_iter().zip(expected) {
            let result = float_to_integral(value.to_bits().into(), Format::F32, rounding, false, false);
            assert_eq!(result, u64::from(expected.to_bits()), "{value} {rounding:?}");
        }
    }
    assert_eq!(
        float_to_integral(f64::NEG_INFINITY.to_bits(), Format::F64, Rni, false, false),
        f64::NEG_INFINITY.to_bits()
    );
    assert_eq!(float_to_integral(1, Format::F32, Rpi, true, false), 0);
    assert_eq!(float_to_integral(0x3e00, Format::F16, Rni, false, false), 0x4000);
}

#[test]
fn every_binary16_widens_and_comes_back() {
    // An independent implementation: the `half` crate.
    for bits in 0..=u16::MAX {
        let theirs = half::f16::from_bits(bits);
        if theirs.is_nan() {
            continue;
        }
        let wide = float_to_float(bits.into(), Format::F16, Format::F32, Rounding::Rn, false, false) as u32;
        assert_eq!(wide, theirs.to_f32().to_bits(), "{bits:04x}");
        assert_eq!(
            float_to_float(wide.into(), Format::F32, Format::F16, Rounding::Rn, false, false),
            u64::from(bits)
        );
    }
}

#[test]
fn narrowing_to_binary16_agrees_with_an_independent_implementation() {
    // Every 1021st binary32, which visits all exponents and both signs.
    for bits in (0..=u32::MAX).step_by(1021) {
        let theirs = half::f16::from_f32(f32::from_bits(bits));
        let ours = float_to_float(bits.into(), Format::F32, Format::F16, Rounding::Rn, false, false) as u16;
        assert!(ours == theirs.to_bits() || theirs.is_nan() && ours == 0x7fff, "{bits:08x}");
        let theirs = half::bf16::from_f32(f32::from_bits(bits));
        let ours = float_to_float(bits.into(), Format::F32, Format::Bf16, Rounding::Rn, false, false) as u16;
        assert!(ours == theirs.to_bits() || theirs.is_nan() && ours == 0x7fff, "{bits:08x}");
    }
}

#[test]
fn conversions_agree_with_casts() {
    for bits in (0..=u32::MAX).step_by(4099) {
        let wide = u64::from(bits);
        let f32_from = |from| integer_to_float(wide, from, Format::F32, Rounding::Rn, false) as u32;
        assert_eq!((bits as i32 as f32).to_bits(), f32_from(S32));
        assert_eq!((bits as f32).to_bits(), f32_from(U32));
        let to = |to| {
            float_to_integer(wide, Format::F32, to, IntegerRounding::Rzi, false, NanRule::Current) as u32
        };
        // Casts truncate, saturate and take NaN to zero, as PTX has it.
        let float = f32::from_bits(bits);
        assert_eq!(float as i32 as u32, to(S32));
        assert_eq!(float as u32, to(U32));
        let widened = float_to_float(wide, Format::F32, Format::F64, Rounding::Rn, false, false);
        if float.is_nan() {
            assert_eq!(widened, super::super::double::CANONICAL_NAN);
        } else {
            assert_eq!(widened, f64::from(float).to_bits());
        }
        let double = wide << 32 | u64::from(bits.reverse_bits());
        let narrow = float_to_float(double, Format::F64, Format::F32, Rounding::Rn, false, false) as u32;
        assert_eq!(f64_to_f32_rn(double), narrow);
    }
}
