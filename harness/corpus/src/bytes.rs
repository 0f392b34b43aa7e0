//! How bytes are written in messages and reports: undefined bits marked, partly defined ones spelled out.

use std::fmt::Write;

use warpdiff_model::RegionKind;

/// Bytes in hexadecimal, separated by blanks.
pub fn hex(bytes: &[u8]) -> String {
    let words: Vec<_> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    words.join(" ")
}

/// Bytes in hexadecimal; an undefined nibble is `?`. A byte with a partly defined nibble is written in binary, as in `0b0??1_1111`.
pub fn masked_hex(bytes: &[u8], defined: &[u8]) -> String {
    let words: Vec<_> = bytes.iter().zip(defined).map(|(byte, mask)| masked_byte(*byte, *mask)).collect();
    words.join(" ")
}

fn masked_byte(byte: u8, defined: u8) -> String {
    let nibbles = [(byte >> 4, defined >> 4), (byte & 15, defined & 15)];
    if nibbles.iter().any(|(_, mask)| *mask != 0 && *mask != 15) {
        return masked_bits(byte, defined);
    }
    let mut text = String::with_capacity(2);
    for (nibble, mask) in nibbles {
        let _ = if mask == 0 { write!(text, "?") } else { write!(text, "{nibble:x}") };
    }
    text
}

fn masked_bits(byte: u8, defined: u8) -> String {
    let mut text = String::from("0b");
    for bit in (0..8).rev() {
        text.push(match (defined >> bit & 1, byte >> bit & 1) {
            (0, _) => '?',
            (_, 0) => '0',
            _ => '1',
        });
        if bit == 4 {
            text.push('_');
        }
    }
    text
}

/// The value of up to eight bytes as a number of its type, for people: `d = 11 (0x0000000b)`. `None` if a bit is undefined
/// or the type has no such notation.
pub fn number(bytes: &[u8], ty: &str) -> Option<String> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    let width = bytes.len() as u32 * 8;
    if width == 0 {
        return None;
    }
    let signed = ((bits << (64 - width)) as i64) >> (64 - width);
    match ty {
        "f32" => Some(format!("{:?}", f32::from_bits(bits as u32))),
        "f64" => Some(format!("{:?}", f64::from_bits(bits))),
        "pred" => Some(if bits == 0 { "false".into() } else { "true".into() }),
        _ if ty.starts_with('s') => Some(signed.to_string()),
        _ if ty.starts_with('u') => Some(bits.to_string()),
        _ if ty.starts_with('b') => Some(format!("0x{bits:0digits$x}", digits = bytes.len() * 2)),
        _ => None,
    }
}

/// The kind of a region, in words.
pub fn kind_name(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Buffer => "buffer",
        RegionKind::Guard => "guard band of",
        RegionKind::Surface => "surface",
        RegionKind::Variable => "variable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_nibbles_are_question_marks_and_single_bits_are_spelled_out() {
        assert_eq!(masked_hex(&[0x12, 0x30, 0x00], &[0xFF, 0xF0, 0x00]), "12 3? ??");
        assert_eq!(masked_hex(&[0b0001_1111], &[0b1001_1111]), "0b0??1_1111");
    }

    #[test]
    fn numbers_are_read_little_endian_and_signed_by_type() {
        assert_eq!(number(&[0xFE, 0xFF, 0xFF, 0xFF], "s32").as_deref(), Some("-2"));
        assert_eq!(number(&[0xFE, 0xFF], "u16").as_deref(), Some("65534"));
        assert_eq!(number(&[0, 0, 0x80, 0x3F], "f32").as_deref(), Some("1.0"));
        assert_eq!(number(&[0x0B, 0, 0, 0], "b32").as_deref(), Some("0x0000000b"));
        assert_eq!(number(&[], "b32"), None);
    }
}
