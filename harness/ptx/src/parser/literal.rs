//! The value of a literal.

use crate::ast::ConstantValue;
use crate::lexer::{Kind, Token};

/// The value of a number token (PTX ISA 4.5.1 and 4.5.2), or what is wrong with it.
pub(super) fn value(token: Token, text: &str) -> Result<ConstantValue, &'static str> {
    match token.kind {
        Kind::Integer => integer(text),
        Kind::Decimal => match text.parse::<f64>() {
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

/// "Integer constants are 64 bits in size and are either signed or unsigned … hexadecimal, octal, binary, decimal; a `U`
/// suffix makes it unsigned; a decimal that does not fit a signed 64-bit integer is unsigned" (PTX ISA 4.5.1).
fn integer(text: &str) -> Result<ConstantValue, &'static str> {
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
    let mut bits = 0u64;
    for byte in digits {
        let Some(digit) = (*byte as char).to_digit(radix) else { return Err("malformed integer literal") };
        let next = bits.checked_mul(u64::from(radix)).and_then(|b| b.checked_add(u64::from(digit)));
        let Some(next) = next else { return Err("integer literal of more than 64 bits") };
        bits = next;
    }
    Ok(ConstantValue::Integer { bits, unsigned: suffix || bits > i64::MAX as u64 })
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

    #[test]
    fn malformed() {
        for text in ["08", "0x", "0b2", "12abc", "18446744073709551616", "0f3F8", "0d3FF", "1u", "1.5x"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn floats() {
        assert_eq!(read("0f3F800000"), Ok(ConstantValue::Float32(0x3F80_0000)));
        assert_eq!(read("0d3FF0000000000000"), Ok(ConstantValue::Float64(1f64.to_bits())));
        assert_eq!(read("1.5e2"), Ok(ConstantValue::Float64(150f64.to_bits())));
        assert_eq!(read(".05"), Ok(ConstantValue::Float64(0.05f64.to_bits())));
    }
}
