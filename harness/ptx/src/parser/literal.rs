//! The value of a literal: decimal, hexadecimal, octal and binary integers, and floating-point numbers.

use crate::ast::ConstantValue;
use crate::lexer::{Kind, Token};

/// The value of a number token (PTX ISA 4.5.1 and 4.5.2), or an error message.
pub(super) fn value(token: Token, text: &str) -> Result<ConstantValue, &'static str> {
    match token.kind {
        Kind::Integer => integer(text).map(|(value, _)| value),
        Kind::Decimal => match text.parse::<f64>() {
            // What a double cannot hold at all, the assembler refuses as "Constant overflow": too large or too small.
            Ok(number) if number.is_infinite() || number == 0.0 && has_digits(text) => {
                Err("floating-point literal beyond the range of a double")
            }
            Ok(number) => Ok(ConstantValue::Float64(number.to_bits())),
            Err(_) => Err("malformed floating-point literal"),
        },
        Kind::Hex32 => match (text.len(), u32::from_str_radix(&text[2..], 16)) {
            (10, Ok(bits)) => Ok(ConstantValue::Float32(bits)),
            _ => Err("a `0f` literal has exactly 8 hexadecimal digits"),
        },
        Kind::Hex64 => match (text.len(), u64::from_str_radix(&text[2..], 16)) {
            (18, Ok(bits)) => Ok(ConstantValue::Float64(bits)),
            _ => Err("a `0d` literal has exactly 16 hexadecimal digits"),
        },
        _ => Err("not a number"),
    }
}

/// The value of an integer literal of decimal digits alone, as most literals are; `None` for every other one.
#[inline]
pub(super) fn plain(text: &str) -> Option<u64> {
    /// So many digits fit 63 bits.
    const SHORT: usize = 18;
    let bytes = text.as_bytes();
    if bytes.len() > SHORT || bytes.len() > 1 && bytes[0] == b'0' {
        return None;
    }
    bytes.iter().try_fold(0u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| value * 10 + u64::from(digit))
    })
}

/// Whether a decimal literal has a digit other than zero before its exponent.
fn has_digits(text: &str) -> bool {
    text.split(['e', 'E']).next().is_some_and(|digits| digits.bytes().any(|byte| matches!(byte, b'1'..=b'9')))
}

/// Whether an integer literal has more than 64 bits. Its value is the low 64 bits, and only the assembler accepts it.
pub(super) fn is_long(text: &str) -> bool {
    integer(text).is_ok_and(|(_, long)| long)
}

/// Whether a decimal literal is a subnormal number, which the assembler refuses as "Constant overflow".
pub(super) fn is_subnormal(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_subnormal)
}

/// "Integer constants are 64 bits in size and are either signed or unsigned … hexadecimal, octal, binary, decimal; a `U`
/// suffix makes it unsigned; a decimal that does not fit a signed 64-bit integer is unsigned" (PTX ISA 4.5.1).
fn integer(text: &str) -> Result<(ConstantValue, bool), &'static str> {
    let (body, suffix) = match text.strip_suffix('U') {
        Some(body) => (body, true),
        None => (text, false),
    };
    let bytes = body.as_bytes();
    let (digits, radix) = match bytes {
        [b'0', b'x' | b'X', ..] => (&bytes[2..], 16),
        [b'0', b'b' | b'B', ..] => (&bytes[2..], 2),
        [b'0', _, ..] => (&bytes[1..], 8),
        _ => (bytes, 10),
    };
    if digits.is_empty() {
        return Err("malformed integer literal");
    }
    let (mut bits, mut long) = (0u64, false);
    for byte in digits {
        let Some(digit) = (*byte as char).to_digit(radix) else {
            return Err("malformed integer literal");
        };
        long |= bits.checked_mul(u64::from(radix)).and_then(|b| b.checked_add(u64::from(digit))).is_none();
        bits = bits.wrapping_mul(u64::from(radix)).wrapping_add(u64::from(digit));
    }
    Ok((ConstantValue::Integer { bits, unsigned: suffix || bits > i64::MAX as u64 }, long))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::Lexer;

    fn read(text: &str) -> Result<ConstantValue, &'static str> {
        value(Lexer::new(text).next(), text)
    }

    #[test]
    fn bases_and_signs() {
        let signed = |bits| Ok(ConstantValue::Integer { bits, unsigned: false });
        let unsigned = |bits| Ok(ConstantValue::Integer { bits, unsigned: true });
        assert_eq!(read("42"), signed(42));
        assert_eq!(read("0x2A"), signed(42));
        assert_eq!(read("052"), signed(42));
        assert_eq!(read("0b101010"), signed(42));
        assert_eq!(read("42U"), unsigned(42));
        assert_eq!(read("0"), signed(0));
        assert_eq!(read("0xFFFFFFFFFFFFFFFF"), unsigned(u64::MAX));
        assert_eq!(read("9223372036854775807"), signed(i64::MAX as u64));
        assert_eq!(read("9223372036854775808"), unsigned(1 << 63));
    }

    /// What is read the short way is read the same the long way, and the short way takes nothing else.
    #[test]
    fn plain_literals() {
        for text in ["0", "7", "10", "42", "999999999999999999", "123456789012345678"] {
            let value = plain(text).map(|bits| ConstantValue::Integer { bits, unsigned: false });
            assert_eq!(value, read(text).ok(), "{text}");
            assert!(!is_long(text));
        }
        for text in ["00", "052", "42U", "0x2A", "1000000000000000000", "12abc", "9223372036854775808"] {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn malformed() {
        for text in ["08", "0x", "0b2", "12abc", "1e400", "1e-400", "0f3F8", "0d3FF", "1u", "1.5x"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn more_than_64_bits() {
        assert!(is_long("18446744073709551616") && is_long("0x1FFFFFFFFFFFFFFFF"));
        assert!(!is_long("18446744073709551615") && !is_long("0x00FFFFFFFFFFFFFFFF") && !is_long("08"));
        assert_eq!(read("18446744073709551617"), Ok(ConstantValue::Integer { bits: 1, unsigned: false }));
    }

    #[test]
    fn floats() {
        assert_eq!(read("0f3F800000"), Ok(ConstantValue::Float32(0x3F80_0000)));
        assert_eq!(read("0d3FF0000000000000"), Ok(ConstantValue::Float64(1f64.to_bits())));
        assert_eq!(read("1.5e2"), Ok(ConstantValue::Float64(150f64.to_bits())));
        assert_eq!(read(".05"), Ok(ConstantValue::Float64(0.05f64.to_bits())));
    }
}
