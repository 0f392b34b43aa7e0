//! `F2F` and `I2F` of SPA 5.0, where they differ from `cvt` of PTX: NaNs and flushed numbers.

use super::convert::{self, Format, Integer, IntegerRounding};
use super::rounding::{Layout, Rounding};
use super::single;

/// "F2F" between types of different size, and the defined bits of the result.
///
/// `.FTZ` has no effect: with a double on either side yuzu says so, and ptxas puts a multiplication beside it; halves made of subnormal
/// singles were compared with GPUs by ZLUDA's authors. A NaN becomes the one NaN of a half or of a single where the other is one of them.
/// From a single to a double ptxas moves the payload up when it folds, from a double to a single it keeps the sign alone; that the hardware
/// does so no source says, so that only a quiet NaN is defined.
#[inline]
pub fn between(bits: u64, from: Format, to: Format, rounding: Rounding, sat: bool) -> (u64, u64) {
    let all = u64::MAX >> (64 - to.layout().width());
    if !from.layout().is_nan(bits) {
        return (convert::float_to_float(bits, from, to, rounding, false, sat), all);
    }
    let quiet = to.layout().infinity() | to.layout().quiet_bit();
    match (from, to) {
        _ if sat && to != Format::F64 => (0, all),
        (Format::F32, Format::F64) => {
            let sign = (bits & Layout::F32.sign()) << 32;
            (sign | quiet | (bits & 0x007f_ffff) << 29, quiet)
        }
        (Format::F64, Format::F32) => ((bits & Layout::F64.sign()) >> 32 | quiet, quiet),
        _ => (to.layout().canonical_nan(), all),
    }
}

/// "F2F" of equal types: rounded to a whole number, or with `None` passed on, and the defined bits of the result. `.FTZ` is of singles.
///
/// A NaN of a double keeps its payload, as in arithmetic; of the others only a quiet NaN is defined.
#[inline]
pub fn within(
    bits: u64,
    format: Format,
    rounding: Option<IntegerRounding>,
    ftz: bool,
    sat: bool,
) -> (u64, u64) {
    let all = u64::MAX >> (64 - format.layout().width());
    let quiet = format.layout().infinity() | format.layout().quiet_bit();
    if format.layout().is_nan(bits) {
        return match format {
            Format::F64 => (bits | quiet, quiet | ((quiet & quiet.wrapping_neg()) - 1)),
            _ if sat => (0, all),
            _ => (format.layout().canonical_nan(), quiet),
        };
    }
    let flushes = ftz && format == Format::F32;
    let bits = if flushes { u64::from(single::flush(bits as u32)) } else { bits };
    let result = match rounding {
        Some(rounding) => convert::float_to_integral(bits, format, rounding, false, false),
        None => bits,
    };
    (if sat && format != Format::F64 { format.layout().saturate(result) } else { result }, all)
}

/// "I2F" of an integer of `from`, whose magnitude or negative is taken within its own type: the least integer stays what it is.
///
/// ptxas makes `I2F.F32.S16 R0, -R1` of `neg.s16` and `cvt.rn.f32.s16`, and `I2F.F32.S32 R0, |R1|` of `abs.s32`.
#[inline]
pub fn integer_to_float(
    value: u64,
    (absolute, negated): (bool, bool),
    from: Integer,
    to: Format,
    rounding: Rounding,
) -> u64 {
    let within = u64::MAX >> (64 - from.width);
    let is_negative = value >> (from.width - 1) & 1 == 1;
    let value = if absolute && is_negative { value.wrapping_neg() & within } else { value };
    let value = if negated { value.wrapping_neg() & within } else { value };
    convert::integer_to_float(value, from, to, rounding, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET32: u64 = 0x7fc0_0000;
    const QUIET64: u64 = 0x7ff8_0000_0000_0000;

    #[test]
    fn nans_between_types() {
        let rn = Rounding::Rn;
        // ptxas folds both of these.
        assert_eq!(
            between(0x7fc1_2345, Format::F32, Format::F64, rn, false),
            (0x7ff8_2468_a000_0000, QUIET64)
        );
        assert_eq!(
            between(0xfff8_2468_a000_0001, Format::F64, Format::F32, rn, false),
            (0xffc0_0000, QUIET32)
        );
        assert_eq!(between(0xff80_0001, Format::F32, Format::F16, rn, false), (0x7fff, 0xffff));
        assert_eq!(between(0xfc01, Format::F16, Format::F32, rn, false), (0x7fff_ffff, 0xffff_ffff));
        assert_eq!(between(0x7f80_0001, Format::F32, Format::F16, rn, true), (0, 0xffff));
        assert_eq!(between(0xff80_0000, Format::F32, Format::F64, rn, false).0, 0xfff0_0000_0000_0000);
    }

    #[test]
    fn subnormal_numbers_between_types() {
        // 2^-149 is far below the least half; rounded up it is the least, 2^-24.
        assert_eq!(between(1, Format::F32, Format::F16, Rounding::Rp, false).0, 1);
        assert_eq!(between(1, Format::F32, Format::F64, Rounding::Rn, false).0, 0x36a0_0000_0000_0000);
        assert_eq!(between(0x0001, Format::F16, Format::F32, Rounding::Rn, false).0, 0x3380_0000);
    }

    #[test]
    fn whole_numbers() {
        let of = |bits, rounding, ftz| within(bits, Format::F32, rounding, ftz, false);
        let all = 0xffff_ffff;
        // -0.25 rounds to -0, 2.5 to 2, 3.5 to 4.
        assert_eq!(of(0xbe80_0000, Some(IntegerRounding::Rni), false), (0x8000_0000, all));
        assert_eq!(of(0x4020_0000, Some(IntegerRounding::Rni), false), (0x4000_0000, all));
        assert_eq!(of(0x4060_0000, Some(IntegerRounding::Rni), false), (0x4080_0000, all));
        // The least subnormal number: 1 above it, but flushed it is 0.
        assert_eq!(of(1, Some(IntegerRounding::Rpi), false), (0x3f80_0000, all));
        assert_eq!(of(1, Some(IntegerRounding::Rpi), true), (0, all));
        assert_eq!(of(1, None, false), (1, all));
        assert_eq!(of(0x8000_0001, None, true), (0x8000_0000, all));
        assert_eq!(of(0xffff_ffff, None, false), (0x7fff_ffff, QUIET32));
        assert_eq!(within(0x4000_0000, Format::F32, None, false, true), (0x3f80_0000, all));
        let (nan, defined) = within(0xfff0_0000_0000_0005, Format::F64, None, false, false);
        assert_eq!((nan, defined), (0xfff8_0000_0000_0005, u64::MAX >> 1));
    }

    #[test]
    fn signs_of_integers() {
        let (s8, s16, s32) = [8, 16, 32].map(|width| Integer { signed: true, width }).into();
        let of = |value, signs, from| integer_to_float(value, signs, from, Format::F32, Rounding::Rn);
        assert_eq!(of(0x8000, (false, true), s16), 0xc700_0000, "-32768 stays");
        assert_eq!(of(0x80, (true, false), s8), 0xc300_0000, "-128 stays");
        assert_eq!(of(0x8000_0000, (true, false), s32), 0xcf00_0000);
        assert_eq!(of(0xffff_fffb, (true, false), s32), 0x40a0_0000);
        assert_eq!(of(0xffff_fffb, (true, true), s32), 0xc0a0_0000);
        assert_eq!(of(5, (false, true), s16), 0xc0a0_0000);
    }
}
