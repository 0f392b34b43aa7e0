//! A texel on the page: its channels in the terms of its format.

use warpdiff_corpus::bytes::{float, masked_hex};
use warpdiff_model::{ChannelType, Format};

/// Which bits of a channel are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Every bit is compared.
    All,
    /// Some bits are.
    Some,
    /// None is.
    None,
}

/// A channel as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Channel {
    /// Its value: a number, or bits if only some are compared.
    pub(super) value: String,
    /// The stored bits, if the value does not determine them.
    pub(super) bits: Option<String>,
    /// Which of its bits are compared.
    pub(super) known: Known,
}

/// The channels of a texel, red first. Bits outside of `mask` are not shown.
pub(super) fn channels(format: Format, bytes: &[u8], mask: &[u8]) -> Vec<Channel> {
    let size = format.channel.size() as usize;
    let each = bytes.chunks(size).zip(mask.chunks(size));
    each.map(|(bytes, mask)| channel(format.channel, bytes, mask)).collect()
}

/// A byte of a buffer.
pub(super) fn byte(bytes: &[u8], mask: &[u8]) -> Channel {
    Channel { value: masked_hex(bytes, mask), bits: None, known: known(mask) }
}

fn known(mask: &[u8]) -> Known {
    if mask.iter().all(|m| *m == 0xFF) {
        Known::All
    } else if mask.iter().all(|m| *m == 0) {
        Known::None
    } else {
        Known::Some
    }
}

fn channel(ty: ChannelType, bytes: &[u8], mask: &[u8]) -> Channel {
    match known(mask) {
        Known::None => Channel { value: "?".into(), bits: None, known: Known::None },
        // Bytes in memory order, as everywhere in reports.
        Known::Some => Channel { value: masked_hex(bytes, mask), bits: None, known: Known::Some },
        Known::All => {
            let (value, bits) = number(ty, bytes);
            Channel { value, bits, known: Known::All }
        }
    }
}

/// The value of a channel, and its stored bits if it is a floating-point number, or several have that value or it is rounded.
fn number(ty: ChannelType, bytes: &[u8]) -> (String, Option<String>) {
    let raw = bytes.iter().rev().fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
    let signed = match bytes.len() {
        1 => i32::from(raw as u8 as i8),
        2 => i32::from(raw as u16 as i16),
        _ => raw.cast_signed(),
    };
    match ty {
        ChannelType::U8 | ChannelType::U16 | ChannelType::U32 => (raw.to_string(), None),
        ChannelType::S8 | ChannelType::S16 | ChannelType::S32 => (signed.to_string(), None),
        ChannelType::F16 | ChannelType::F32 => match float(bytes, ty.name()) {
            Some((decimal, bits)) => (decimal, Some(bits)),
            None => (raw.to_string(), None),
        },
        ChannelType::Unorm8 => (format!("{:.3}", f64::from(raw) / 255.0), Some(raw.to_string())),
        ChannelType::Unorm16 => (format!("{:.5}", f64::from(raw) / 65535.0), Some(raw.to_string())),
        // The least two codes both mean minus one.
        ChannelType::Snorm8 => (format!("{:.3}", normalised(signed, 127)), Some(signed.to_string())),
        ChannelType::Snorm16 => (format!("{:.5}", normalised(signed, 32767)), Some(signed.to_string())),
    }
}

fn normalised(code: i32, most: i32) -> f64 {
    (f64::from(code) / f64::from(most)).max(-1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(format: &str, bytes: &[u8]) -> Vec<(String, Option<String>)> {
        let all = vec![0xFF; bytes.len()];
        let channels = channels(format.parse().unwrap(), bytes, &all);
        channels.into_iter().map(|c| (c.value, c.bits)).collect()
    }

    #[test]
    fn values_are_those_of_the_format() {
        let one = |format: &str, bytes: &[u8]| shown(format, bytes)[0].clone();
        assert_eq!(one("u32", &[0xFF; 4]), ("4294967295".into(), None));
        assert_eq!(one("s16", &[0xFE, 0xFF]), ("-2".into(), None));
        assert_eq!(one("s8", &[0x80]), ("-128".into(), None));
        // 0x3C00 is 1.0 and 0x7E00 a quiet NaN in binary16; 0x3F800000 is 1.0 in binary32.
        assert_eq!(one("f16", &[0x00, 0x3C]), ("1.0".into(), Some("0x3c00".into())));
        assert_eq!(one("f16", &[0x00, 0x7E]), ("NaN".into(), Some("0x7e00".into())));
        assert_eq!(one("f32", &[0, 0, 0x80, 0xBF]), ("-1.0".into(), Some("0xbf800000".into())));
        // 128 of 255, and -128 as well as -127 of 127.
        assert_eq!(one("unorm8", &[128]), ("0.502".into(), Some("128".into())));
        assert_eq!(one("snorm8", &[0x80]), ("-1.000".into(), Some("-128".into())));
        assert_eq!(one("snorm8", &[0x81]), ("-1.000".into(), Some("-127".into())));
        assert_eq!(one("unorm16", &[0xFF, 0xFF]), ("1.00000".into(), Some("65535".into())));
        assert_eq!(shown("u8x4", &[1, 2, 3, 4]).len(), 4);
    }

    #[test]
    fn what_is_not_compared_is_not_shown() {
        let texel = channels("u16x2".parse().unwrap(), &[0x34, 0x12, 0xFF, 0xFF], &[0xFF, 0xF0, 0, 0]);
        assert_eq!((texel[0].value.as_str(), texel[0].known), ("34 1?", Known::Some));
        assert_eq!((texel[1].value.as_str(), texel[1].known), ("?", Known::None));
    }
}
