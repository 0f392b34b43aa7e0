//! `min` and `max` of floating-point numbers.
//!
//! PTX ISA 9.7.3.11: a NaN operand is passed over in favour of the other, or with `.NaN` makes the result the canonical
//! NaN; "+0.0 > -0.0"; with `.xorsign.abs` magnitudes are compared and the sign is the exclusive or of both signs.
//! (Canonical is 0x7fffffff for `.f32` and 0x7fff for the 16-bit types, as CUDA's own headers spell `CUDART_NAN_F` and
//! `CUDART_NAN_FP16`.)

use super::rounding::Layout;

/// The modifiers of `min` and `max`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extremum {
    /// `.ftz`: subnormal inputs (and so results) become zero.
    pub ftz: bool,
    /// `.NaN`: NaN if any input is NaN.
    pub nan: bool,
    /// `.xorsign.abs`.
    pub xorsign_abs: bool,
    /// Deviation: NaN if any input is a signalling NaN.
    pub signalling: bool,
}

/// Orders numbers that are not NaN, −0 below +0.
#[inline(always)]
fn order(format: Layout, bits: u64) -> i64 {
    let magnitude = (bits & (format.sign() - 1)) as i64;
    if bits & format.sign() != 0 { !magnitude } else { magnitude }
}

#[inline(always)]
fn extremum(format: Layout, a: u64, b: u64, modifiers: Extremum, largest: bool) -> u64 {
    let (a, b) = if modifiers.ftz { (format.flush(a), format.flush(b)) } else { (a, b) };
    let sign = (a ^ b) & format.sign();
    let magnitude = format.sign() - 1;
    let (a, b) = if modifiers.xorsign_abs { (a & magnitude, b & magnitude) } else { (a, b) };
    let (a_nan, b_nan) = (format.is_nan(a), format.is_nan(b));
    let signals = |bits: u64, is_nan: bool| is_nan && bits & format.quiet_bit() == 0;
    let passes_on = modifiers.nan || modifiers.signalling && (signals(a, a_nan) || signals(b, b_nan));
    if a_nan && b_nan || passes_on && (a_nan || b_nan) {
        return format.canonical_nan();
    }
    let a_wins = b_nan || !a_nan && ((order(format, a) < order(format, b)) != largest);
    let result = if a_wins { a } else { b };
    if modifiers.xorsign_abs { result | sign } else { result }
}

/// `min{.ftz}{.NaN}{.xorsign.abs}.f32`.
#[inline(always)]
pub fn min32(a: u32, b: u32, modifiers: Extremum) -> u32 {
    extremum(Layout::F32, a.into(), b.into(), modifiers, false) as u32
}

/// `max{.ftz}{.NaN}{.xorsign.abs}.f32`.
#[inline(always)]
pub fn max32(a: u32, b: u32, modifiers: Extremum) -> u32 {
    extremum(Layout::F32, a.into(), b.into(), modifiers, true) as u32
}

/// `min.f64`.
#[inline(always)]
pub fn min64(a: u64, b: u64, modifiers: Extremum) -> u64 {
    extremum(Layout::F64, a, b, modifiers, false)
}

/// `max.f64`.
#[inline(always)]
pub fn max64(a: u64, b: u64, modifiers: Extremum) -> u64 {
    extremum(Layout::F64, a, b, modifiers, true)
}

/// `min` on `.f16` or `.bf16`.
#[inline]
pub fn min16(a: u16, b: u16, format: Layout, modifiers: Extremum) -> u16 {
    extremum(format, a.into(), b.into(), modifiers, false) as u16
}

/// `max` on `.f16` or `.bf16`.
#[inline]
pub fn max16(a: u16, b: u16, format: Layout, modifiers: Extremum) -> u16 {
    extremum(format, a.into(), b.into(), modifiers, true) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Extremum = Extremum { ftz: false, nan: false, xorsign_abs: false, signalling: false };
    const NAN: u32 = 0xffc0_1234;

    fn min(a: f32, b: f32) -> u32 {
        min32(a.to_bits(), b.to_bits(), PLAIN)
    }

    fn max(a: f32, b: f32) -> u32 {
        max32(a.to_bits(), b.to_bits(), PLAIN)
    }

    #[test]
    fn numbers_and_zeros() {
        assert_eq!(min(1.0, 2.0), 1f32.to_bits());
        assert_eq!(max(1.0, 2.0), 2f32.to_bits());
        assert_eq!(min(-1.0, -2.0), (-2f32).to_bits());
        assert_eq!(max(f32::NEG_INFINITY, -2.0), (-2f32).to_bits());
        // "If values of both inputs are 0.0, then +0.0 > -0.0."
        for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
            assert_eq!(min(a, b), 0x8000_0000);
            assert_eq!(max(a, b), 0);
        }
        assert_eq!(min64((-0f64).to_bits(), 0, PLAIN), 1 << 63);
        assert_eq!(max64((-3f64).to_bits(), 2f64.to_bits(), PLAIN), 2f64.to_bits());
    }

    #[test]
    fn nan_gives_way_to_a_number_unless_nan_is_asked_for() {
        let one = 1f32.to_bits();
        assert_eq!(min32(NAN, one, PLAIN), one);
        assert_eq!(max32(one, NAN, PLAIN), one);
        assert_eq!(min32(NAN, NAN, PLAIN), 0x7fff_ffff);
        let modifiers = Extremum { nan: true, ..PLAIN };
        assert_eq!(min32(NAN, one, modifiers), 0x7fff_ffff);
        assert_eq!(max32(one, NAN, modifiers), 0x7fff_ffff);
        assert_eq!(min64(f64::NAN.to_bits(), 5, PLAIN), 5);
    }

    #[test]
    fn xorsign_abs() {
        let modifiers = Extremum { xorsign_abs: true, ..PLAIN };
        let bits = f32::to_bits;
        // |−1| < |2|, signs differ
        assert_eq!(min32(bits(-1.0), bits(2.0), modifiers), bits(-1.0));
        assert_eq!(max32(bits(-1.0), bits(2.0), modifiers), bits(-2.0));
        assert_eq!(max32(bits(-1.0), bits(-2.0), modifiers), bits(2.0));
        // The sign of a NaN operand counts, the NaN itself does not.
        assert_eq!(min32(0xffc0_0000, bits(2.0), modifiers), bits(-2.0));
        // "If the result of min is NaN then the .xorsign and .abs modifiers will be ignored."
        assert_eq!(min32(0xffc0_0000, 0x7fc0_0000, modifiers), 0x7fff_ffff);
    }

    #[test]
    fn subnormals_are_flushed_with_ftz_only() {
        assert_eq!(min32(0x0000_0001, 0x3f80_0000, PLAIN), 1);
        assert_eq!(min32(0x0000_0001, 0x3f80_0000, Extremum { ftz: true, ..PLAIN }), 0);
        assert_eq!(max32(0x8000_0001, 0xbf80_0000, Extremum { ftz: true, ..PLAIN }), 0x8000_0000);
    }

    #[test]
    fn half_precision() {
        assert_eq!(max16(0x3c00, 0xbc00, Layout::F16, PLAIN), 0x3c00);
        assert_eq!(min16(0x8000, 0x0000, Layout::BF16, PLAIN), 0x8000);
        assert_eq!(min16(0x7f81, 0x3f80, Layout::BF16, Extremum { nan: true, ..PLAIN }), 0x7fff);
    }

    #[test]
    fn signalling_nans_are_passed_over_like_others() {
        let deviant = Extremum { signalling: true, ..PLAIN };
        for (nan, one) in [(0x7f80_0001, 0x3f80_0000), (0xffbf_ffff, 0x3f80_0000)] {
            assert_eq!((min32(nan, one, PLAIN), max32(one, nan, PLAIN)), (one, one));
            assert_eq!((min32(nan, one, deviant), max32(one, nan, deviant)), (0x7fff_ffff, 0x7fff_ffff));
        }
        assert_eq!(min32(0x7fc0_0000, 0x3f80_0000, deviant), 0x3f80_0000, "a quiet one");
        assert_eq!(max64(0x7ff0_0000_0000_0001, 5, PLAIN), 5);
    }
}
