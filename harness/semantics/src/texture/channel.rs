//! The value that a texture reads from a stored channel: integer, normalised float, half.
//!
//! Floating-point and normalised formats are read as floats; integers as they are, widened by their sign, or as floats whose
//! "full range … is mapped to [0.0, 1.0] for unsigned integer type and [-1.0, 1.0] for signed integer type" (CUDA C++ Programming
//! Guide, "Texture Memory"). SNORM formats are D3D's: of two encodings of -1.0 both are read so.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{ChannelType, Choice, Deviation, ReadMode, Semantics};

use crate::numeric::bound::Interval;
use crate::numeric::convert::{Format, float_to_float};
use crate::numeric::rounding::{Layout, Rounding};

/// The type as which the channels of a texture are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Floats.
    Float,
    /// Unsigned integers.
    Unsigned,
    /// Signed integers.
    Signed,
}

impl Kind {
    /// What channels of this type are read as.
    #[inline]
    pub fn of(channel: ChannelType, read: ReadMode) -> Self {
        match channel {
            _ if read == ReadMode::NormalizedFloat && read.suits(channel) => Self::Float,
            ChannelType::U8 | ChannelType::U16 | ChannelType::U32 => Self::Unsigned,
            ChannelType::S8 | ChannelType::S16 | ChannelType::S32 => Self::Signed,
            _ => Self::Float,
        }
    }
}

/// A channel that was read: 32 bits, a float or an integer, and which of them are not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channel {
    /// The bits.
    pub bits: u32,
    /// Those that no text fixes.
    pub undefined: u32,
    /// The interval of a filtered float that is specified only within a bound.
    pub within: Option<Interval>,
}

impl Channel {
    /// An unknown channel.
    pub const UNKNOWN: Channel = Channel { bits: 0, undefined: u32::MAX, within: None };

    /// A fully known channel.
    #[inline]
    pub fn known(bits: u32) -> Self {
        Self { bits, undefined: 0, within: None }
    }
}

/// Reads a channel from the low bits of `stored`, up to the width of its type.
pub fn read(
    stored: u32,
    channel: ChannelType,
    read: ReadMode,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Channel {
    let width = 8 * channel.size();
    let signed = || {
        if semantics.has(Deviation::TexSignedZeroExtended) {
            return i64::from(stored);
        }
        i64::from((stored << (32 - width)) as i32 >> (32 - width))
    };
    if Kind::of(channel, read) == Kind::Signed {
        return Channel::known(signed() as u32);
    }
    // 2^n - 1, or 2^(n-1) - 1 beside the sign.
    let greatest = |bits: u32| f64::from((1u64 << bits) as f32 - 1.0);
    let full = greatest(width) + f64::from(u8::from(semantics.has(Deviation::TexUnormOverPower)));
    let float = |value: f64| Channel::known((value as f32).to_bits());
    match channel {
        ChannelType::F32 => Channel::known(stored),
        ChannelType::F16 if semantics.has(Deviation::TexHalfAsBits) => Channel::known(stored),
        ChannelType::F16 => half(stored),
        ChannelType::Unorm8 | ChannelType::Unorm16 => float(f64::from(stored) / full),
        ChannelType::Snorm8 | ChannelType::Snorm16 => {
            let value = signed() as f64 / greatest(width - 1);
            float(if semantics.has(Deviation::TexSnormBelow) { value } else { value.max(-1.0) })
        }
        ChannelType::U8 | ChannelType::U16 if read == ReadMode::NormalizedFloat => {
            float(f64::from(stored) / full)
        }
        ChannelType::S8 | ChannelType::S16 => {
            let value = signed() as f64;
            let limited = (value / greatest(width - 1)).max(-1.0) as f32;
            let even = ((2.0 * value + 1.0) / greatest(width)) as f32;
            if limited == even {
                return Channel::known(limited.to_bits());
            }
            consulted.insert(Choice::TextureSignedScale);
            let limits = semantics.assignment.get(Choice::TextureSignedScale) == 0;
            Channel::known(if limits { limited } else { even }.to_bits())
        }
        ChannelType::U8 | ChannelType::U16 | ChannelType::U32 | ChannelType::S32 => Channel::known(stored),
    }
}

/// A binary16 is a binary32 as well. Of a NaN the payload may change, and a signalling one may become quiet.
#[inline]
fn half(stored: u32) -> Channel {
    let wide = float_to_float(stored.into(), Format::F16, Format::F32, Rounding::Rn, false, false) as u32;
    if !f32::from_bits(wide).is_nan() {
        return Channel::known(wide);
    }
    let quiet = if u64::from(stored) & Layout::F16.quiet_bit() != 0 { 0x0040_0000 } else { 0 };
    Channel { bits: wide, undefined: !(0x7F80_0000 | quiet), within: None }
}
