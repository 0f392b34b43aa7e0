//! Texel formats of surfaces: a channel type and the number of channels, as CUDA arrays have them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The type of one channel of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelType {
    /// Unsigned integer, 8 bits.
    U8,
    /// Unsigned integer, 16 bits.
    U16,
    /// Unsigned integer, 32 bits.
    U32,
    /// Signed integer, 8 bits.
    S8,
    /// Signed integer, 16 bits.
    S16,
    /// Signed integer, 32 bits.
    S32,
    /// IEEE binary16.
    F16,
    /// IEEE binary32.
    F32,
    /// Unsigned normalised integer, 8 bits: 0..=255 is 0.0..=1.0.
    Unorm8,
    /// Unsigned normalised integer, 16 bits.
    Unorm16,
    /// Signed normalised integer, 8 bits.
    Snorm8,
    /// Signed normalised integer, 16 bits.
    Snorm16,
}

impl ChannelType {
    /// Every channel type with its name in case files.
    pub const ALL: [(ChannelType, &'static str); 12] = [
        (ChannelType::U8, "u8"),
        (ChannelType::U16, "u16"),
        (ChannelType::U32, "u32"),
        (ChannelType::S8, "s8"),
        (ChannelType::S16, "s16"),
        (ChannelType::S32, "s32"),
        (ChannelType::F16, "f16"),
        (ChannelType::F32, "f32"),
        (ChannelType::Unorm8, "unorm8"),
        (ChannelType::Unorm16, "unorm16"),
        (ChannelType::Snorm8, "snorm8"),
        (ChannelType::Snorm16, "snorm16"),
    ];

    /// Size of one channel in bytes: 1, 2 or 4.
    pub fn size(self) -> u32 {
        match self {
            Self::U8 | Self::S8 | Self::Unorm8 | Self::Snorm8 => 1,
            Self::U16 | Self::S16 | Self::F16 | Self::Unorm16 | Self::Snorm16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
        }
    }

    /// The name used in case files: `u32`, `unorm8`, …
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(t, _)| *t == self).map_or("?", |(_, name)| name)
    }
}

/// The format of a texel: `channels` values of one [`ChannelType`], red first, tightly packed.
///
/// Written `u32` (one channel), `u32x2` or `unorm8x4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Type of each channel.
    pub channel: ChannelType,
    /// Number of channels: 1, 2 or 4.
    pub channels: u8,
}

impl Format {
    /// Size of a texel in bytes: 1 to 16.
    pub fn texel_size(self) -> u32 {
        self.channel.size() * u32::from(self.channels)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.channel.name())?;
        if self.channels == 1 { Ok(()) } else { write!(f, "x{}", self.channels) }
    }
}

/// The error of [`Format::from_str`] for an unknown format name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown texel format `{0}`: expected a channel type (u8 u16 u32 s8 s16 s32 f16 f32 unorm8 unorm16 snorm8 snorm16), alone or followed by x2 or x4"
)]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let (name, channels) = match text.strip_suffix("x2") {
            Some(name) => (name, 2),
            None => text.strip_suffix("x4").map_or((text, 1), |name| (name, 4)),
        };
        let known = ChannelType::ALL.iter().find(|(_, n)| *n == name);
        known
            .map(|(channel, _)| Format { channel: *channel, channels })
            .ok_or_else(|| UnknownFormat(text.into()))
    }
}

impl Serialize for Format {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_read_as_it_is_written() {
        for (channel, name) in ChannelType::ALL {
            for (channels, suffix) in [(1, ""), (2, "x2"), (4, "x4")] {
                let format = Format { channel, channels };
                assert_eq!(format.to_string(), format!("{name}{suffix}"));
                assert_eq!(format.to_string().parse(), Ok(format));
            }
        }
        for wrong in ["", "u33", "u32x1", "u32x3", "x4", "u32x2x2", "U32"] {
            assert_eq!(wrong.parse::<Format>(), Err(UnknownFormat(wrong.into())));
        }
    }

    #[test]
    fn texels_are_as_wide_as_their_channels_together() {
        let size = |text: &str| text.parse::<Format>().map(|format| format.texel_size());
        assert_eq!(size("u8"), Ok(1));
        assert_eq!(size("unorm16x2"), Ok(4));
        assert_eq!(size("f16x4"), Ok(8));
        assert_eq!(size("f32x4"), Ok(16));
    }
}
