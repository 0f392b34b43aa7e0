//! How values are written in case files (numbers, `nan`, `inf`, bits as `0x…`), and their bytes.

use half::{bf16, f16};
use warpdiff_model::ChannelType;
use warpdiff_ptx::vocabulary::Type;

/// The type of a value in memory: a PTX scalar type or a channel of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// `.bN`, and packed types: bits of that many bytes, also written as signed or unsigned integers or `0f…`/`0d…`.
    Bits(u32),
    /// Unsigned integer of that many bytes.
    Unsigned(u32),
    /// Signed integer of that many bytes.
    Signed(u32),
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// A predicate, kept in a byte as 0 or 1.
    Predicate,
}

impl Element {
    /// The element of a PTX type; `None` for types that hold no plain value (`.b128`, opaque types).
    pub(crate) fn of_type(ty: Type) -> Option<Self> {
        Some(match ty {
            Type::B8 | Type::B16 | Type::B32 | Type::B64 => Self::Bits(ty.size()),
            Type::F16x2 | Type::Bf16x2 | Type::Tf32 => Self::Bits(4),
            Type::U8 | Type::U16 | Type::U32 | Type::U64 => Self::Unsigned(ty.size()),
            Type::S8 | Type::S16 | Type::S32 | Type::S64 => Self::Signed(ty.size()),
            Type::F16 => Self::F16,
            Type::Bf16 => Self::Bf16,
            Type::F32 => Self::F32,
            Type::F64 => Self::F64,
            Type::Pred => Self::Predicate,
            Type::B128 | Type::Texref | Type::Samplerref | Type::Surfref => return None,
        })
    }

    /// The element of a channel. Normalised channels are written as the integers that are stored.
    pub(crate) fn of_channel(channel: ChannelType) -> Self {
        match channel {
            ChannelType::U8 | ChannelType::U16 | ChannelType::U32 => Self::Unsigned(channel.size()),
            ChannelType::Unorm8 | ChannelType::Unorm16 => Self::Unsigned(channel.size()),
            ChannelType::S8 | ChannelType::S16 | ChannelType::S32 => Self::Signed(channel.size()),
            ChannelType::Snorm8 | ChannelType::Snorm16 => Self::Signed(channel.size()),
            ChannelType::F16 => Self::F16,
            ChannelType::F32 => Self::F32,
        }
    }

    /// Size in bytes.
    pub(crate) fn size(self) -> u32 {
        match self {
            Self::Bits(size) | Self::Unsigned(size) | Self::Signed(size) => size,
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
            Self::Predicate => 1,
        }
    }

    /// Whether it is a floating-point number.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// The bytes of element number `index` of a `sequence`: the index converted to this type (integers wrap).
    pub(crate) fn of_sequence(self, index: u64) -> Vec<u8> {
        let bits = match self {
            Self::F16 => u64::from(f16::from_f64(index as f64).to_bits()),
            Self::Bf16 => u64::from(bf16::from_f64(index as f64).to_bits()),
            Self::F32 => u64::from((index as f32).to_bits()),
            Self::F64 => (index as f64).to_bits(),
            Self::Predicate => index & 1,
            Self::Bits(_) | Self::Unsigned(_) | Self::Signed(_) => index,
        };
        self.bytes(bits)
    }

    fn bytes(self, bits: u64) -> Vec<u8> {
        bits.to_le_bytes()[..self.size() as usize].to_vec()
    }

    /// Encodes a value.
    ///
    /// # Errors
    /// The expected value, as the label of a caret.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, String> {
        self.bits(text).map(|bits| self.bytes(bits))
    }

    fn bits(self, text: &str) -> Result<u64, String> {
        match self {
            Self::Predicate => match text {
                "true" | "1" => Ok(1),
                "false" | "0" => Ok(0),
                _ => Err("expected `true` or `false`".into()),
            },
            Self::Bits(size) | Self::Unsigned(size) | Self::Signed(size) => self.integer_bits(size, text),
            Self::F16 | Self::Bf16 | Self::F32 | Self::F64 => self.float_bits(text),
        }
    }

    fn integer_bits(self, size: u32, text: &str) -> Result<u64, String> {
        let width = size * 8;
        if let (Self::Bits(_), Some(result)) = (self, ptx_float(text)) {
            return match result {
                Some((digits, bits)) if digits == width => Ok(bits),
                _ => Err(format!("expected {width} bits: `0f` and 8 or `0d` and 16 hexadecimal digits")),
            };
        }
        let full = (1_i128 << width) - 1;
        let (low, high) = match self {
            Self::Signed(_) => (-(1_i128 << (width - 1)), full >> 1),
            Self::Unsigned(_) => (0, full),
            _ => (-(1_i128 << (width - 1)), full),
        };
        let value = integer(text).ok_or_else(|| format!("expected an integer of {width} bits"))?;
        // Hexadecimal spells bits: it may use the whole width of signed types, too.
        let hexadecimal = text.starts_with("0x") && value <= full;
        if (low..=high).contains(&value) || hexadecimal {
            return Ok((value & full) as u64);
        }
        Err(format!("expected {low} to {high}"))
    }

    fn float_bits(self, text: &str) -> Result<u64, String> {
        if let Some(hexadecimal) = text.strip_prefix("0x") {
            let full = u64::MAX >> (64 - self.size() * 8);
            let bits = digits(hexadecimal, 16)
                .and_then(|digits| u64::from_str_radix(&digits, 16).ok())
                .filter(|bits| *bits <= full);
            return bits.ok_or_else(|| format!("expected at most {} hexadecimal digits", self.size() * 2));
        }
        if let Some(result) = ptx_float(text) {
            return match result {
                Some((digits, bits)) if digits == self.size() * 8 => Ok(bits),
                _ => Err(format!("expected the {} bits of this type", self.size() * 8)),
            };
        }
        match text {
            "nan" => return Ok(self.quiet_nan()),
            "inf" => return Ok(self.nearest(f64::INFINITY)),
            "-inf" => return Ok(self.nearest(f64::NEG_INFINITY)),
            _ => {}
        }
        let text = if is_grouped(text) { text.replace('_', "") } else { text.to_owned() };
        let is_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
        let value = text.parse::<f64>().ok().filter(|_| is_number);
        let value = value.ok_or("expected a number, `nan`, `inf`, `-inf` or the bits as `0x…`")?;
        self.check_precision(&text, value)?;
        // binary32 is parsed by itself: rounding twice, through binary64, could miss the nearest.
        Ok(if self == Self::F32 {
            text.parse().map_or(0, |v: f32| u64::from(v.to_bits()))
        } else {
            self.nearest(value)
        })
    }

    /// A number must be exact in the type or have enough digits to identify one value, because `0.1` alone does not say whether its
    /// author knew that it is rounded.
    fn check_precision(self, text: &str, value: f64) -> Result<(), String> {
        let enough = match self {
            Self::F16 => 5,
            Self::Bf16 => 4,
            Self::F32 => 9,
            _ => 17,
        };
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        let written = mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|b| *b == b'0').count();
        if written >= enough || self.is_exact(text, value) {
            return Ok(());
        }
        Err(format!("this type cannot hold it exactly: give {enough} digits, or the bits as `0x…`"))
    }

    fn is_exact(self, text: &str, value: f64) -> bool {
        let held = match self {
            Self::F16 => f16::from_f64(value).to_f64(),
            Self::Bf16 => bf16::from_f64(value).to_f64(),
            Self::F32 => f64::from(value as f32),
            _ => value,
        };
        held == value && held.is_finite() && decimal_is_exact(text, value)
    }

    fn nearest(self, value: f64) -> u64 {
        match self {
            Self::F16 => u64::from(f16::from_f64(value).to_bits()),
            Self::Bf16 => u64::from(bf16::from_f64(value).to_bits()),
            Self::F32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        }
    }

    fn quiet_nan(self) -> u64 {
        self.nan_mask()
    }

    /// Exponent and quiet bit: what all quiet NaNs share. Used for `nan` as an expectation, because PTX fixes neither the
    /// sign nor the payload of the NaNs that arithmetic makes.
    fn nan_mask(self) -> u64 {
        match self {
            Self::F16 => 0x7e00,
            Self::Bf16 => 0x7fc0,
            Self::F32 => 0x7fc0_0000,
            _ => 0x7ff8_0000_0000_0000,
        }
    }

    /// The mask of stated bits of an expectation.
    pub(crate) fn mask(self, text: &str) -> Vec<u8> {
        let any_nan = self.is_float() && text == "nan";
        self.bytes(if any_nan { self.nan_mask() } else { u64::MAX })
    }
}

/// Whether a decimal numeral is exactly the binary64 it rounds to.
fn decimal_is_exact(text: &str, value: f64) -> bool {
    // Rust prints as many digits as are asked for, exactly; 1,100 hold every binary64.
    let exact = format!("{:.1100}", value.abs());
    let canonical = |whole: &str, fraction: &str| {
        (whole.trim_start_matches('0').to_owned(), fraction.trim_end_matches('0').to_owned())
    };
    let (whole, fraction) = exact.split_once('.').unwrap_or((&exact, ""));
    let Some((written_whole, written_fraction)) = positional(text) else { return false };
    canonical(whole, fraction) == canonical(&written_whole, &written_fraction)
}

/// A decimal numeral without its exponent and sign: digits before and after the point.
fn positional(text: &str) -> Option<(String, String)> {
    let text = text.trim_start_matches(['-', '+']);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().ok().filter(|e: &i32| e.abs() < 2000)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let point = i32::try_from(whole.len()).ok()? + exponent;
    Some(match usize::try_from(point) {
        Err(_) => (String::new(), "0".repeat(point.unsigned_abs() as usize) + &all),
        Ok(point) if point >= all.len() => (format!("{all}{}", "0".repeat(point - all.len())), String::new()),
        Ok(point) => (all[..point].to_owned(), all[point..].to_owned()),
    })
}

/// An integer: decimal, `0x…` or `0b…`, with a sign, `_` between digits. `None` for anything else.
pub(crate) fn integer(text: &str) -> Option<i128> {
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, numeral) = match magnitude.get(..2) {
        Some("0x") => (16, &magnitude[2..]),
        Some("0b") => (2, &magnitude[2..]),
        _ => (10, magnitude),
    };
    let value = i128::from_str_radix(&digits(numeral, radix)?, radix).ok()?;
    Some(if negative { -value } else { value })
}

/// Whether every `_` of a numeral stands between two digits.
fn is_grouped(text: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    text.match_indices('_')
        .all(|(at, _)| is_digit(text[..at].chars().next_back()) && is_digit(text[at + 1..].chars().next()))
}

/// A numeral without the `_` between its digits. `None` where a `_` does not stand between two digits, or for what is no
/// numeral of that base.
fn digits(text: &str, radix: u32) -> Option<String> {
    let group = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_digit(radix));
    text.split('_').all(group).then(|| text.replace('_', ""))
}

/// A PTX floating-point literal: `0f` and 8, or `0d` and 16 hexadecimal digits. `Some(None)` when it begins like one.
fn ptx_float(text: &str) -> Option<Option<(u32, u64)>> {
    let (width, numeral) = match text.get(..2)? {
        "0f" | "0F" => (8, &text[2..]),
        "0d" | "0D" => (16, &text[2..]),
        _ => return None,
    };
    let bits = u64::from_str_radix(numeral, 16).ok().filter(|_| numeral.len() == width);
    Some(bits.map(|bits| (width as u32 * 4, bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn underscores_stand_between_digits() {
        assert_eq!(integer("1_000"), Some(1000));
        assert_eq!(integer("0xff_ff"), Some(0xffff));
        for wrong in ["1__0", "1_", "_1", "0x_1", "1__0_", "0x1_", "0x", "-", "0x+1"] {
            assert_eq!(integer(wrong), None, "{wrong}");
        }
        assert_eq!(Element::F32.encode("1_0.5"), Element::F32.encode("10.5"));
        assert!(Element::F32.encode("1__0.5").is_err());
        assert!(Element::F32.encode("0x+3f80000").is_err());
    }

    #[test]
    fn integers_are_checked_against_their_type() {
        assert_eq!(Element::Signed(4).encode("-4"), Ok(vec![0xfc, 0xff, 0xff, 0xff]));
        assert_eq!(Element::Signed(1).encode("0xff"), Ok(vec![0xff]), "hexadecimal spells bits");
        assert_eq!(Element::Signed(1).encode("128"), Err("expected -128 to 127".into()));
        assert_eq!(Element::Unsigned(2).encode("-1"), Err("expected 0 to 65535".into()));
        assert_eq!(Element::Unsigned(1).encode("0x100"), Err("expected 0 to 255".into()));
        assert_eq!(Element::Bits(2).encode("-1"), Ok(vec![0xff, 0xff]));
        assert_eq!(Element::Bits(8).encode("0xffff_ffff_ffff_ffff"), Ok(vec![0xff; 8]));
        assert_eq!(Element::Unsigned(4).encode("1.5"), Err("expected an integer of 32 bits".into()));
        assert_eq!(Element::Unsigned(4).encode("0x-1"), Err("expected an integer of 32 bits".into()));
    }

    #[test]
    fn bit_types_take_ptx_floats() {
        assert_eq!(Element::Bits(4).encode("0f3F800000"), Ok(vec![0, 0, 0x80, 0x3f]));
        assert_eq!(Element::Bits(8).encode("0d3FF0000000000000"), Ok(vec![0, 0, 0, 0, 0, 0, 0xf0, 0x3f]));
        assert!(Element::Bits(4).encode("0d3FF0000000000000").is_err());
        assert!(Element::Bits(4).encode("0f3F8").is_err());
    }

    #[test]
    fn floats_are_exact_or_have_enough_digits() {
        assert_eq!(Element::F32.encode("1.5"), Ok(1.5_f32.to_le_bytes().to_vec()));
        assert_eq!(Element::F32.encode("-0.0"), Ok((-0.0_f32).to_le_bytes().to_vec()));
        assert!(Element::F32.encode("0.1").is_err());
        // The binary32 nearest to 0.1 is 0x3dcccccd.
        assert_eq!(Element::F32.encode("0.100000000"), Ok(0x3dcc_cccd_u32.to_le_bytes().to_vec()));
        assert_eq!(Element::F32.encode("0x7f800000"), Ok(f32::INFINITY.to_le_bytes().to_vec()));
        assert_eq!(Element::F32.encode("16777216"), Ok(16_777_216.0_f32.to_le_bytes().to_vec()));
        assert!(Element::F32.encode("16777217").is_err(), "2^24 + 1 is no binary32");
        assert!(Element::F64.encode("1e300").is_err(), "5^300 has more than 53 significant bits");
        assert_eq!(Element::F64.encode("5e-1"), Ok(0.5_f64.to_le_bytes().to_vec()));
        assert_eq!(Element::F16.encode("65504"), Ok(vec![0xff, 0x7b]));
        assert!(Element::F32.encode("infinity").is_err());
        assert_eq!(Element::Bf16.encode("1.0"), Ok(vec![0x80, 0x3f]));
    }

    #[test]
    fn nan_speaks_of_exponent_and_quiet_bit_only() {
        assert_eq!(Element::F32.mask("nan"), vec![0, 0, 0xc0, 0x7f]);
        assert_eq!(Element::F32.mask("1.0"), vec![0xff; 4]);
        assert_eq!(Element::Bits(4).mask("0f7fffffff"), vec![0xff; 4]);
    }

    #[test]
    fn sequences_wrap() {
        assert_eq!(Element::Unsigned(1).of_sequence(259), vec![3]);
        assert_eq!(Element::F32.of_sequence(3), 3.0_f32.to_le_bytes().to_vec());
    }
}
