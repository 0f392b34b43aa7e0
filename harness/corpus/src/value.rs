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
            // `.b128`, opaque types, and types of instructions alone.
            _ => return None,
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

    /// Appends the bytes of a value to `bytes`, and the mask of its stated bits to `mask`.
    ///
    /// # Errors
    /// As [`Element::encode`].
    pub(crate) fn append(self, text: &str, bytes: &mut Vec<u8>, mask: &mut Vec<u8>) -> Result<(), String> {
        let size = self.size() as usize;
        bytes.extend_from_slice(&self.bits(text)?.to_le_bytes()[..size]);
        mask.extend_from_slice(&self.mask_bits(text).to_le_bytes()[..size]);
        Ok(())
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
        // A NaN with a sign would be one pattern of many that PTX does not fix.
        let value = text.parse::<f64>().ok().filter(|value| is_number && !value.is_nan());
        let value = value.ok_or("expected a number, `nan`, `inf`, `-inf` or the bits as `0x…`")?;
        // binary32 is parsed by itself: rounding twice, through binary64, could miss the nearest.
        let bits = match self {
            Self::F32 => text.parse().map_or(0, |v: f32| u64::from(v.to_bits())),
            _ => self.nearest(value),
        };
        self.check_precision(&text, value, self.float(bits))?;
        Ok(bits)
    }

    /// The value of these bytes of a floating-point number.
    pub(crate) fn number(self, bytes: &[u8]) -> f64 {
        self.float(bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
    }

    /// The value of these bits. Every value of the narrower types is one of binary64.
    fn float(self, bits: u64) -> f64 {
        match self {
            Self::F16 => f16::from_bits(bits as u16).to_f64(),
            Self::Bf16 => bf16::from_bits(bits as u16).to_f64(),
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }

    /// A number must be exact in the type, be the value that it stands for rounded to as many digits as are written, as programs print it,
    /// or have enough digits to identify one value. What is none of these is another number, which the type does not have.
    fn check_precision(self, text: &str, value: f64, held: f64) -> Result<(), String> {
        let digits = significant(text);
        if held.is_infinite() || (held == 0.0 && !digits.is_empty()) {
            return Err("this type has no such number: it is too large or too small".into());
        }
        let enough = match self {
            Self::F16 => 5,
            Self::Bf16 => 4,
            Self::F32 => 9,
            _ => 17,
        };
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        let written = mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|b| *b == b'0').count();
        // As many digits as programs were told to print, less the zeros at the end: `%.9g`.
        let rounded = || significant(&format!("{held:.*e}", digits.len().saturating_sub(1))) == digits;
        let shortest = || self.shortest(held).is_some_and(|shortest| significant(&shortest) == digits);
        if written >= enough || rounded() || shortest() || (held == value && decimal_is_exact(text, value)) {
            return Ok(());
        }
        let shortest = self.shortest(held).unwrap_or_default();
        Err(format!(
            "this type cannot hold it exactly, the nearest is {shortest}: give that, {enough} digits, or the bits as `0x…`"
        ))
    }

    /// The decimal of these bits for people: the shortest of the value, `NaN`, `inf` or `-inf`.
    pub(crate) fn decimal(self, bits: u64) -> Option<String> {
        let value = self.float(bits);
        if value.is_finite() { self.shortest(value) } else { Some(format!("{value:?}")) }
    }

    /// Whether these bits are a NaN of this type.
    pub(crate) fn is_nan(self, bits: u64) -> bool {
        self.is_float() && self.float(bits).is_nan()
    }

    /// The name of the type: `f32`, `b8`.
    pub(crate) fn name(self) -> &'static str {
        match (self, self.size()) {
            (Self::Bits(_), 1) => "b8",
            (Self::Bits(_), 2) => "b16",
            (Self::Bits(_), 4) => "b32",
            (Self::Bits(_), _) => "b64",
            (Self::Unsigned(_), 1) => "u8",
            (Self::Unsigned(_), 2) => "u16",
            (Self::Unsigned(_), 4) => "u32",
            (Self::Unsigned(_), _) => "u64",
            (Self::Signed(_), 1) => "s8",
            (Self::Signed(_), 2) => "s16",
            (Self::Signed(_), 4) => "s32",
            (Self::Signed(_), _) => "s64",
            (Self::F16, _) => "f16",
            (Self::Bf16, _) => "bf16",
            (Self::F32, _) => "f32",
            (Self::F64, _) => "f64",
            (Self::Predicate, _) => "pred",
        }
    }

    /// The shortest decimal of a value of this type: of those with the fewest digits that are read back as the value, the nearest to it.
    /// `None` where the type is no float.
    pub(crate) fn shortest(self, held: f64) -> Option<String> {
        match self {
            // Rust prints these so.
            Self::F32 => Some(format!("{:?}", held as f32)),
            Self::F64 => Some(format!("{held:?}")),
            // Five digits are enough for binary16, four for bfloat16.
            Self::F16 | Self::Bf16 => (0..5).map(|digits| format!("{held:.digits$e}")).find_map(|text| {
                let read: f64 = text.parse().ok()?;
                (self.nearest(read) == self.nearest(held)).then(|| format!("{read:?}"))
            }),
            _ => None,
        }
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
        self.bytes(self.mask_bits(text))
    }

    fn mask_bits(self, text: &str) -> u64 {
        if self.is_float() && text == "nan" { self.nan_mask() } else { u64::MAX }
    }
}

/// The digits of a decimal numeral from the first to the last that is not zero; none for zero.
fn significant(text: &str) -> String {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
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
    // Most numbers of large files are plain.
    if text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse::<u64>().ok().map(i128::from);
    }
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
        // The binary32 nearest to 0.1 is 0x3dcccccd.
        assert_eq!(Element::F32.encode("0.100000000"), Ok(0x3dcc_cccd_u32.to_le_bytes().to_vec()));
        // Eight digits, and neither what a program prints of that value nor enough for every value.
        assert!(Element::F32.encode("0.10000001").is_ok(), "0x3dccccce");
        // `%.9g` of 0x3e8016ed, without the last of nine digits, a zero: 0.2501749098 is nearer to it than to its neighbours.
        assert_eq!(Element::F32.encode("0.25017491"), Ok(0x3e80_16ed_u32.to_le_bytes().to_vec()));
        let cut_off = Element::F32.encode("0.38366131").unwrap_err();
        assert!(cut_off.contains("the nearest is 0.3836613:"), "{cut_off}");
        assert_eq!(Element::F32.encode("0x7f800000"), Ok(f32::INFINITY.to_le_bytes().to_vec()));
        assert_eq!(Element::F32.encode("16777216"), Ok(16_777_216.0_f32.to_le_bytes().to_vec()));
        assert!(Element::F32.encode("16777217").is_err(), "2^24 + 1 is no binary32");
        assert!(Element::F64.encode("1000000000000000000001e279").is_ok(), "22 digits");
        assert_eq!(Element::F64.encode("5e-1"), Ok(0.5_f64.to_le_bytes().to_vec()));
        assert_eq!(Element::F16.encode("65504"), Ok(vec![0xff, 0x7b]));
        assert!(Element::F32.encode("infinity").is_err());
        assert_eq!(Element::Bf16.encode("1.0"), Ok(vec![0x80, 0x3f]));
    }

    /// What programs print of a value, each type in its own way: Rust, Python's `repr`, NumPy.
    #[test]
    fn the_shortest_decimal_of_a_value_is_that_value() {
        // 0.3836613 is nearer to 0x3ec46f41 than to its neighbours, which are 2^-25 away.
        assert_eq!(Element::F32.encode("0.3836613"), Ok(0x3ec4_6f41_u32.to_le_bytes().to_vec()));
        assert_eq!(Element::F32.encode("0.1"), Ok(0x3dcc_cccd_u32.to_le_bytes().to_vec()));
        assert_eq!(Element::F32.encode("1e-45"), Ok(1_u32.to_le_bytes().to_vec()), "the least subnormal");
        assert_eq!(Element::F64.encode("0.1"), Ok(0x3fb9_9999_9999_999a_u64.to_le_bytes().to_vec()));
        assert_eq!(Element::F64.encode("1e300"), Ok(1e300_f64.to_le_bytes().to_vec()));
        // The binary16 nearest to 0.1 is 0x2e66, of which NumPy prints 0.1; the next is 0.1000366, of which it prints 0.10004.
        assert_eq!(Element::F16.encode("0.1"), Ok(0x2e66_u16.to_le_bytes().to_vec()));
        assert_eq!(Element::F16.encode("0.10004"), Ok(0x2e67_u16.to_le_bytes().to_vec()));
        assert_eq!(Element::F16.encode("6e-8"), Ok(1_u16.to_le_bytes().to_vec()), "2^-24");
        assert_eq!(Element::Bf16.encode("0.1"), Ok(0x3dcd_u16.to_le_bytes().to_vec()));
        let patterns = (0..=0x7F80_0000_u32).step_by(0x0001_2345);
        for bits in patterns.filter(|bits| f32::from_bits(*bits).is_finite()) {
            let text = format!("{:e}", f32::from_bits(bits));
            assert_eq!(Element::F32.encode(&text), Ok(bits.to_le_bytes().to_vec()), "{text}");
        }
        for element in [Element::F16, Element::Bf16] {
            for bits in (0..0x8000_u16).filter(|bits| element.float(u64::from(*bits)).is_finite()) {
                let text = element.shortest(element.float(u64::from(bits))).unwrap();
                assert_eq!(element.encode(&text), Ok(bits.to_le_bytes().to_vec()), "{text}");
            }
        }
    }

    #[test]
    fn a_number_that_the_type_does_not_have_is_refused() {
        for (element, text) in [
            (Element::F16, "65520"),
            (Element::F16, "1e-9"),
            (Element::F32, "1e39"),
            (Element::F32, "9999999999e40"),
            (Element::F32, "1e-60"),
            (Element::F64, "1e400"),
        ] {
            let label = element.encode(text).unwrap_err();
            assert!(label.contains("too large or too small"), "{text}: {label}");
        }
        assert_eq!(Element::F32.encode("0e9"), Ok(vec![0; 4]));
    }

    #[test]
    fn nan_speaks_of_exponent_and_quiet_bit_only() {
        // Of its sign nothing is stated.
        assert!(Element::F32.encode("-nan").is_err() && Element::F32.encode("+nan").is_err());
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
