//! How bytes are written in messages and reports: undefined bits marked, partly defined ones spelled out.

use warpdiff_model::RegionKind;

use crate::value::Element;

/// Bytes in hexadecimal, separated by blanks.
pub fn hex(bytes: &[u8]) -> String {
    masked(bytes.iter().map(|byte| (*byte, 0xFF)))
}

/// Bytes in hexadecimal; an undefined nibble is `?`. A byte with a partly defined nibble is written in binary, as in `0b0??1_1111`.
pub fn masked_hex(bytes: &[u8], defined: &[u8]) -> String {
    masked(bytes.iter().copied().zip(defined.iter().copied()))
}

/// Bytes with their defined bits. Every variant of a run is written so: digit by digit, without a string for each.
fn masked(bytes: impl ExactSizeIterator<Item = (u8, u8)>) -> String {
    let mut text = String::with_capacity(3 * bytes.len());
    for (byte, defined) in bytes {
        if !text.is_empty() {
            text.push(' ');
        }
        let nibbles = [(byte >> 4, defined >> 4), (byte & 15, defined & 15)];
        if nibbles.iter().any(|(_, mask)| *mask != 0 && *mask != 15) {
            put_masked_bits(&mut text, byte, defined);
            continue;
        }
        for (nibble, mask) in nibbles {
            text.push(if mask == 0 { '?' } else { char::from(b"0123456789abcdef"[usize::from(nibble)]) });
        }
    }
    text
}

fn put_masked_bits(text: &mut String, byte: u8, defined: u8) {
    text.push_str("0b");
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
}

/// The value of up to eight bytes as a number of its type, for people: `11`, `0x0000000b`, and a floating-point number as the shortest
/// decimal of its value with its bits, `1.5 (0x3fc00000)`. `None` if the type has no such notation.
pub fn number(bytes: &[u8], ty: &str) -> Option<String> {
    decoded(bytes, ty).map(|number| number.words)
}

/// A value in two notations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// For people: `11`, `1.5 (0x3fc00000)`.
    pub words: String,
    /// As a case states exactly this value: `11`, `1.5`, but `0x7fc00001` of a NaN.
    pub stated: String,
}

/// As [`number`], and as a case states it.
pub fn decoded(bytes: &[u8], ty: &str) -> Option<Number> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    let width = bytes.len() as u32 * 8;
    if width == 0 {
        return None;
    }
    let signed = ((bits << (64 - width)) as i64) >> (64 - width);
    match ty {
        "f16x2" | "bf16x2" => {
            let half = |bits: u64| element(&ty[..ty.len() - 2])?.decimal(bits & 0xFFFF);
            let stated = digits(bits, bytes.len());
            Some(Number { words: format!("{{{}, {}}} ({stated})", half(bits)?, half(bits >> 16)?), stated })
        }
        _ if is_float(ty) => {
            let (decimal, digits) = float(bytes, ty)?;
            let words = format!("{decimal} ({digits})");
            // `nan` stands for any quiet one.
            let stated = if element(ty)?.is_nan(bits) { digits } else { decimal };
            Some(Number { words, stated })
        }
        _ => {
            let words = match ty {
                "pred" => (bits != 0).to_string(),
                _ if ty.starts_with('s') => signed.to_string(),
                _ if ty.starts_with('u') => bits.to_string(),
                _ if ty.starts_with('b') => digits(bits, bytes.len()),
                _ => return None,
            };
            Some(Number { stated: words.clone(), words })
        }
    }
}

/// A floating-point number as the shortest decimal of its value, and its bits. `None` if it is none of this type.
pub fn float(bytes: &[u8], ty: &str) -> Option<(String, String)> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    Some((element(ty)?.decimal(bits)?, digits(bits, bytes.len())))
}

/// The bits of a value of so many bytes.
fn digits(bits: u64, size: usize) -> String {
    format!("0x{bits:0digits$x}", digits = 2 * size)
}

/// The floating-point type of that name, which is no pair.
fn element(ty: &str) -> Option<Element> {
    match ty {
        "f16" => Some(Element::F16),
        "bf16" => Some(Element::Bf16),
        "f32" | "tf32" => Some(Element::F32),
        "f64" => Some(Element::F64),
        _ => None,
    }
}

/// Whether values of a type are floating-point numbers, whose bits are shown beside them.
pub fn is_float(ty: &str) -> bool {
    float_size(ty).is_some()
}

/// Bytes of a value of a floating-point type; `None` for other types.
pub fn float_size(ty: &str) -> Option<usize> {
    match ty {
        "f16" | "bf16" => Some(2),
        "f32" | "tf32" | "f16x2" | "bf16x2" => Some(4),
        "f64" => Some(8),
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
        assert_eq!(number(&[128], "unorm8").as_deref(), Some("128"), "the integer that is stored");
        assert_eq!(number(&[0x80], "snorm8").as_deref(), Some("-128"));
        assert_eq!(number(&[0x0B, 0, 0, 0], "b32").as_deref(), Some("0x0000000b"));
        assert_eq!(number(&[], "b32"), None);
    }

    /// The values of IEEE 754, and of bfloat16, the upper half of binary32.
    #[test]
    fn floating_point_numbers_have_their_bits_beside_them() {
        let shown = |bytes: &[u8], ty: &str| number(bytes, ty).unwrap();
        assert_eq!(shown(&[0, 0, 0x80, 0x3F], "f32"), "1.0 (0x3f800000)");
        assert_eq!(shown(&[0x41, 0x6F, 0xC4, 0x3E], "f32"), "0.3836613 (0x3ec46f41)");
        assert_eq!(shown(&[1, 0, 0xC0, 0x7F], "f32"), "NaN (0x7fc00001)");
        assert_eq!(shown(&[0, 0, 0x80, 0xFF], "f32"), "-inf (0xff800000)");
        assert_eq!(shown(&[0x00, 0xBC], "f16"), "-1.0 (0xbc00)");
        assert_eq!(shown(&[0x66, 0x2E], "f16"), "0.1 (0x2e66)");
        assert_eq!(shown(&[0x80, 0x3F], "bf16"), "1.0 (0x3f80)");
        assert_eq!(shown(&[0, 0, 0, 0, 0, 0, 0, 0x80], "f64"), "-0.0 (0x8000000000000000)");
        assert_eq!(shown(&[0x00, 0x3C, 0x00, 0x40], "f16x2"), "{1.0, 2.0} (0x40003c00)");
    }

    /// What a message advises to write into a case has to mean that value there.
    #[test]
    fn a_value_is_stated_exactly() {
        let stated = |bytes: &[u8], ty: &str| decoded(bytes, ty).unwrap().stated;
        assert_eq!(stated(&[0, 0, 0xC0, 0x3F], "f32"), "1.5");
        assert_eq!(stated(&[0, 0, 0x80, 0xFF], "f32"), "-inf");
        assert_eq!(stated(&[1, 0, 0xC0, 0x7F], "f32"), "0x7fc00001", "`nan` would be any quiet one");
        assert_eq!(stated(&[0x00, 0x3C, 0x00, 0x40], "f16x2"), "0x40003c00");
        assert_eq!(stated(&[0xFE, 0xFF], "s16"), "-2");
        assert_eq!(stated(&[0x0B, 0, 0, 0], "b32"), "0x0000000b");
    }
}
