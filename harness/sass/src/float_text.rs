//! Floating-point numbers as the disassembler writes them and as an assembler reads them.

/// Magnitudes from here on are written with an exponent, whole or not.
const LARGE: f64 = 1e9;
/// Significant digits of the others.
const DIGITS: usize = 20;
/// Decimals of those with an exponent for their size.
const DECIMALS: usize = 20;

/// The bit of a double that tells quiet NaNs from signalling ones. Of singles the disassembler tells none apart.
const QUIET: u64 = 1 << 51;
/// The bits of a signalling NaN that is written without its own.
pub(crate) const SIGNALLING: u64 = 0x7ff4 << 48;

/// A number of a floating-point field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Float {
    /// Its bits: of a double 64, of a single the lower 32.
    pub bits: u64,
    /// Whether it is a double.
    pub is_double: bool,
}

impl Float {
    /// The single or double that is nearest to a number; a NaN keeps its sign.
    pub(crate) fn nearest(value: f64, is_double: bool) -> Float {
        let bits = match (value.is_nan(), is_double) {
            (true, true) => 0x7ff8 << 48 | u64::from(value.is_sign_negative()) << 63,
            (true, false) => 0x7fc0 << 16 | u64::from(value.is_sign_negative()) << 31,
            (false, true) => value.to_bits(),
            (false, false) => u64::from((value as f32).to_bits()),
        };
        Float { bits, is_double }
    }

    /// A half as the single of the same value, of which a NaN keeps its sign.
    pub(crate) fn of_half(bits: u16) -> Float {
        let sign = u64::from(bits >> 15) << 31;
        let (exponent, fraction) = (i32::from(bits >> 10 & 31), bits & 0x3ff);
        let magnitude = match (exponent, fraction) {
            (31, 0) => 0x7f80_0000,
            (31, _) => 0x7fc0_0000,
            (0, _) => u64::from((f32::from(fraction) * 2f32.powi(-24)).to_bits()),
            _ => u64::from((f32::from(fraction | 0x400) * 2f32.powi(exponent - 25)).to_bits()),
        };
        Float { bits: sign | magnitude, is_double: false }
    }

    /// The half that is nearest to a number; a NaN keeps its sign.
    pub(crate) fn nearest_half(value: f64) -> u16 {
        let sign = u16::from(value.is_sign_negative()) << 15;
        let magnitude = value.abs();
        if magnitude.is_nan() {
            return sign | 0x7fff;
        }
        if magnitude >= 65520.0 {
            return sign | 0x7c00;
        }
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
        let units = (magnitude * 2f64.powi(10 - exponent)).round_ties_even();
        sign | (((exponent + 14) << 10) + units as i32) as u16
    }

    /// Its value, a single widened; of a NaN the sign counts.
    pub fn value(self) -> f64 {
        if self.is_double { f64::from_bits(self.bits) } else { f64::from(f32::from_bits(self.bits as u32)) }
    }

    /// As it is written, and whether the disassembler puts a space behind it when more follows.
    pub(crate) fn text(self) -> (String, bool) {
        let value = self.value();
        let sign = if value.is_sign_negative() { '-' } else { '+' };
        match value {
            _ if self.is_double && value.is_nan() && self.bits & QUIET == 0 => (format!("{sign}SNAN"), true),
            _ if value.is_nan() => (format!("{sign}QNAN"), true),
            _ if value.is_infinite() => (format!("{sign}INF"), true),
            0.0 if sign == '-' => ("-0.0".to_owned(), true),
            _ if value.abs() >= LARGE => (with_exponent(&format!("{value:.DECIMALS$e}")), false),
            _ => (shortened(value), false),
        }
    }
}

/// `1.5e-7` with an exponent of two digits at least and its sign, as C has it.
fn with_exponent(text: &str) -> String {
    let Some((mantissa, exponent)) = text.split_once('e') else { return text.to_owned() };
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// What C writes for `%.20g`: 20 significant digits, of which zeros at the end are left out.
fn shortened(value: f64) -> String {
    let scientific = format!("{value:.*e}", DIGITS - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let without_zeros = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match exponent.parse::<i32>() {
        Ok(exponent @ -4..20) => {
            without_zeros(&format!("{value:.*}", (DIGITS as i32 - 1 - exponent) as usize))
        }
        _ => with_exponent(&format!("{}e{exponent}", without_zeros(mantissa))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As nvdisasm 12.4 prints them in `FADD32I` and `DADD`.
    #[test]
    fn numbers_are_written_as_nvdisasm_writes_them() {
        for (bits, text) in [
            (0x0000_0000, "0"),
            (0x8000_0000, "-0.0"),
            (0x3f80_0000, "1"),
            (0x4b80_0000, "16777216"),
            (0x4e6e_6b27, "999999936"),
            (0x4e6e_6b28, "1.00000000000000000000e+09"),
            (0x4f00_0000, "2.14748364800000000000e+09"),
            (0xdf80_0000, "-1.84467440737095516160e+19"),
            (0x3a83_126f, "0.0010000000474974513054"),
            (0x38d1_b1b9, "9.9990000308025628328e-05"),
            (0x0000_0001, "1.4012984643248170709e-45"),
            (0x7f7f_ffff, "3.40282346638528859812e+38"),
            (0x7f80_0000, "+INF"),
            (0xff80_0000, "-INF"),
            (0x7fa0_0000, "+QNAN"),
        ] {
            assert_eq!(Float { bits, is_double: false }.text().0, text, "{bits:#x}");
        }
        let double = |value: f64| Float::nearest(value, true).text().0;
        assert_eq!(double(1.52587890625e-5), "1.52587890625e-05");
        assert_eq!(double(-0.5), "-0.5");
        let nan = |bits| Float { bits, is_double: true }.text().0;
        assert_eq!((nan(0x7ff8 << 48).as_str(), nan(0xfff7 << 48).as_str()), ("+QNAN", "-SNAN"));
        assert_eq!(double(f64::from_bits(0x7e37_e000_0000_0000)), "9.99307343616098917486e+299");
    }

    #[test]
    fn every_half_is_the_nearest_to_its_own_text() {
        for bits in 0..=u16::MAX {
            let text = Float::of_half(bits).text().0;
            let is_nan = bits & 0x7fff > 0x7c00;
            if is_nan {
                assert_eq!(text, if bits >> 15 == 1 { "-QNAN" } else { "+QNAN" });
            } else if bits & 0x7fff != 0x7c00 {
                assert_eq!(Float::nearest_half(text.parse().unwrap()), bits, "{text}");
            }
        }
        for (value, bits) in [(65519.9, 0x7bff), (65520.0, 0x7c00), (2f64.powi(-25), 0), (-0.0, 0x8000)] {
            assert_eq!(Float::nearest_half(value), bits, "{value}");
        }
    }

    #[test]
    fn the_nearest_single_is_its_own_text() {
        for bits in [0x3eaa_aaab_u64, 0x4640_e6b6, 0x006c_e3ee, 0xc000_0000] {
            let text = Float { bits, is_double: false }.text().0;
            assert_eq!(Float::nearest(text.parse().unwrap(), false).bits, bits, "{text}");
        }
    }
}
