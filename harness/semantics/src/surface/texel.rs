//! The conversion of a source element to one component of a texel by `sust.p`.
//!
//! PTX ISA 9.7.11.2: "if the surface format contains UNORM, SNORM, or FLOAT data, then .f32 is assumed; if the surface format
//! contains UINT data, then .u32 is assumed; if the surface format contains SINT data, then .s32 is assumed. The source data is
//! then converted from this type to the surface sample format." How, it does not say. Of the languages whose formats these
//! are, OpenCL 1.0 says it in 8.3.1 (the channel types are those of its Table 12), which leaves the choices below:
//!
//! * normalised: `convert_sat_rte(f * (2^n - 1))`, so saturated and to the nearest; an implementation may round otherwise as long as it
//!   stays within 0.6 of the product (8.3.1.1), so that both neighbours are permitted where both are that near. NaN: not fixed;
//! * binary16: "round to nearest even or round to zero", subnormal results "may be flushed to zero";
//! * binary32: all values but NaNs and subnormal ones are preserved;
//! * integers: `convert_sat`; PTX does not say that it saturates, and a plain conversion wraps.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{ChannelType, Choice, Deviation, Semantics};

use crate::numeric::convert::{Format, Integer, float_to_float, integer_to_integer};
use crate::numeric::nan::defined_sign_operation32;
use crate::numeric::rounding::{Layout, Rounding};

/// Information about a texel value beyond its defined bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certainty {
    /// Nothing.
    #[default]
    Bits,
    /// The stored value, or the next larger integer, in its width.
    OrNext,
    /// The stored value, or the next smaller integer, in its width.
    OrPrevious,
    /// It is a NaN.
    Nan,
}

/// A stored component: the low bits, up to the width of the channel type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its bits.
    pub bits: u32,
    /// Those that the text leaves open.
    pub undefined: u32,
    /// Information about the whole value beyond its defined bits.
    pub certainty: Certainty,
}

impl Component {
    #[inline]
    fn defined(bits: u32) -> Self {
        Self { bits, undefined: 0, certainty: Certainty::Bits }
    }

    /// Some NaN with these bits, whatever the undefined ones are.
    #[inline]
    fn nan(bits: u32, undefined: u32) -> Self {
        Self { bits, undefined, certainty: Certainty::Nan }
    }
}

/// Whether a source element goes into the component bit by bit, whatever its value.
#[inline]
pub fn is_copied(channel: ChannelType) -> bool {
    matches!(channel, ChannelType::U32 | ChannelType::S32)
}

/// The component that a source element becomes; notes in `consulted` the choices that decided it.
#[inline]
pub fn convert(
    source: u32,
    channel: ChannelType,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Component {
    if let Some(bits) = mistaken(source, channel, semantics) {
        return Component::defined(bits);
    }
    let source = source_as_read(source, channel, semantics);
    let mut choose = |choice: Choice| {
        consulted.insert(choice);
        semantics.assignment.get(choice)
    };
    match channel {
        ChannelType::U32 | ChannelType::S32 => Component::defined(source),
        ChannelType::U8 => Component::defined(integer(source, false, 8, choose)),
        ChannelType::U16 => Component::defined(integer(source, false, 16, choose)),
        ChannelType::S8 => Component::defined(integer(source, true, 8, choose)),
        ChannelType::S16 => Component::defined(integer(source, true, 16, choose)),
        ChannelType::F32 => single(source, choose),
        ChannelType::F16 => half(source, choose),
        ChannelType::Unorm8 | ChannelType::Unorm16 | ChannelType::Snorm8 | ChannelType::Snorm16 => {
            let is_signed = matches!(channel, ChannelType::Snorm8 | ChannelType::Snorm16);
            let truncates = semantics.has(Deviation::SustPTruncates)
                || is_signed && semantics.has(Deviation::SustPSnormTruncates);
            normalised(source, channel, truncates, &mut choose)
        }
    }
}

/// What deviations store, where they differ otherwise than by reading the source as another type.
fn mistaken(source: u32, channel: ChannelType, semantics: &Semantics) -> Option<u32> {
    if semantics.is_specification() {
        return None;
    }
    let limited = |signed: bool| {
        let (whole, width) = (Integer { signed, width: 32 }, 8 * channel.size());
        integer_to_integer(source.into(), whole, Integer { signed: !signed, width }, true) as u32
    };
    match channel {
        ChannelType::U8 | ChannelType::U16 if semantics.has(Deviation::SustPUintSigned) => {
            Some(limited(true))
        }
        ChannelType::S8 | ChannelType::S16 if semantics.has(Deviation::SustPSintUnsigned) => {
            Some(limited(false))
        }
        ChannelType::F16 => mistaken_half(source, semantics),
        ChannelType::Unorm8 | ChannelType::Unorm16 | ChannelType::Snorm8 | ChannelType::Snorm16 => {
            mistaken_normalised(source, channel, semantics)
        }
        _ => None,
    }
}

/// The bits of a source as deviations take them.
#[inline]
fn source_as_read(source: u32, channel: ChannelType, semantics: &Semantics) -> u32 {
    if semantics.is_specification() || !matches!(channel, ChannelType::F16 | ChannelType::F32) {
        return source;
    }
    match source {
        _ if semantics.has(Deviation::SustPFloatFromInteger) => (source as i32 as f32).to_bits(),
        0x8000_0000 if semantics.has(Deviation::SustPZeroUnsigned) => 0,
        _ => source,
    }
}

/// A binary16 as deviations store it, where they differ.
fn mistaken_half(source: u32, semantics: &Semantics) -> Option<u32> {
    let sign = source >> 16 & 0x8000;
    if f32::from_bits(source).is_nan() && semantics.has(Deviation::SustPHalfNan) {
        return Some(sign | 0x7C00);
    }
    if f32::from_bits(source).is_infinite() && semantics.has(Deviation::SustPHalfInfinityLost) {
        return Some(sign | 0x7BFF);
    }
    if !semantics.has(Deviation::SustPHalfTiesUp) || !f32::from_bits(source).is_finite() {
        return None;
    }
    let to =
        |rounding| float_to_float(source.into(), Format::F32, Format::F16, rounding, false, false) as u32;
    let (down, nearest) = (to(Rounding::Rz), to(Rounding::Rn));
    let wide = |half: u32| {
        f32::from_bits(
            float_to_float(half.into(), Format::F16, Format::F32, Rounding::Rn, false, false) as u32
        )
    };
    let away = down + 1;
    let is_tie = f64::from(wide(down)) + f64::from(wide(away)) == 2.0 * f64::from(f32::from_bits(source));
    (is_tie && nearest == down && down & 0x7FFF < 0x7BFF).then_some(away)
}

/// A normalised integer as deviations store it, where they differ.
fn mistaken_normalised(source: u32, channel: ChannelType, semantics: &Semantics) -> Option<u32> {
    let value = f32::from_bits(source);
    if value.is_nan() {
        return None;
    }
    let is_signed = matches!(channel, ChannelType::Snorm8 | ChannelType::Snorm16);
    let width = 8 * channel.size();
    let mask = (1u32 << width) - 1;
    let greatest = f64::from(if is_signed { mask >> 1 } else { mask });
    let scaled = f64::from(value) * greatest;
    if is_signed && semantics.has(Deviation::SustPSnormAsSint) {
        let whole = Integer { signed: true, width: 32 };
        return Some(integer_to_integer(source.into(), whole, Integer { signed: true, width }, true) as u32);
    }
    if is_signed && semantics.has(Deviation::SustPScaledTwice) {
        return Some((scaled * greatest).round_ties_even().clamp(-greatest, greatest) as i64 as u32 & mask);
    }
    if semantics.has(Deviation::SustPScalePower) {
        let least = if is_signed { -greatest } else { 0.0 };
        let product = f64::from(value) * (greatest + 1.0);
        return Some(product.round_ties_even().clamp(least, greatest) as i64 as u32 & mask);
    }
    let is_beyond = scaled > greatest || scaled < if is_signed { -greatest } else { 0.0 };
    (is_beyond && semantics.has(Deviation::SustPUnlimited))
        .then(|| scaled.round_ties_even() as i64 as u32 & mask)
}

/// `.u32` or `.s32` to an integer of fewer bits.
fn integer(source: u32, signed: bool, width: u32, mut choose: impl FnMut(Choice) -> u8) -> u32 {
    let (from, to) = (Integer { signed, width: 32 }, Integer { signed, width });
    let of = |saturated| integer_to_integer(source.into(), from, to, saturated) as u32;
    let (saturated, wrapped) = (of(true), of(false));
    if saturated == wrapped {
        return saturated;
    }
    if choose(Choice::SustIntegerRange) == 0 { saturated } else { wrapped }
}

fn single(source: u32, mut choose: impl FnMut(Choice) -> u8) -> Component {
    let value = f32::from_bits(source);
    if value.is_subnormal() && choose(Choice::SustSingleSubnormal) != 0 {
        return Component::defined(source & 0x8000_0000);
    }
    // Copied or converted, a NaN is some NaN, and a quiet one quiet.
    match !defined_sign_operation32(source) {
        0 => Component::defined(source),
        undefined => Component::nan(source, undefined),
    }
}

/// 2^-14.
const LEAST_NORMAL_HALF: f32 = 6.103_515_6e-5;
/// Index of `kept` in the alternatives of [`Choice::SustHalfSubnormal`].
const KEPT: u8 = 0;
/// Index of `flushed`, after rounding, in the alternatives of [`Choice::SustHalfSubnormal`].
const FLUSHED: u8 = 1;

fn half(source: u32, mut choose: impl FnMut(Choice) -> u8) -> Component {
    let rounded =
        |rounding| float_to_float(source.into(), Format::F32, Format::F16, rounding, false, false) as u32;
    if f32::from_bits(source).is_nan() {
        let quiet = if source & 0x0040_0000 != 0 { Layout::F16.quiet_bit() } else { 0 };
        let certain = (Layout::F16.infinity() | quiet) as u32;
        return Component::nan(rounded(Rounding::Rn), !certain & 0xFFFF);
    }
    let (nearest, toward_zero) = (rounded(Rounding::Rn), rounded(Rounding::Rz));
    let bits =
        if nearest == toward_zero || choose(Choice::SustHalfRounding) == 0 { nearest } else { toward_zero };
    let is_tiny = f32::from_bits(source).abs() < LEAST_NORMAL_HALF;
    if is_tiny && bits & 0x7FFF != 0 {
        // What rounds up to the least normal number is subnormal before rounding alone.
        let is_subnormal = bits & 0x7C00 == 0;
        let is_flushed = match choose(Choice::SustHalfSubnormal) {
            KEPT => false,
            FLUSHED => is_subnormal,
            _ => true,
        };
        if is_flushed {
            return Component::defined(bits & 0x8000);
        }
    }
    Component::defined(bits)
}

/// Indices in the alternatives of [`Choice::SustNormalised`]: within 0.6, however it is rounded.
const WITHIN: u8 = 0;
/// The exact product to nearest even.
const NEAREST_EVEN: u8 = 1;
/// The binary32 product to nearest even.
const PRODUCT_NEAREST_EVEN: u8 = 2;

/// `.f32` to a normalised integer: 0.0..=1.0 becomes 0..=2^n - 1, or -1.0..=1.0 becomes -(2^(n-1) - 1)..=2^(n-1) - 1.
fn normalised(
    source: u32,
    channel: ChannelType,
    truncates: bool,
    choose: &mut dyn FnMut(Choice) -> u8,
) -> Component {
    let signed = matches!(channel, ChannelType::Snorm8 | ChannelType::Snorm16);
    let width = 8 * channel.size();
    let mask = (1u32 << width) - 1;
    let value = f32::from_bits(source);
    if value.is_nan() {
        return Component { bits: 0, undefined: mask, certainty: Certainty::Bits };
    }
    let greatest = if signed { mask >> 1 } else { mask };
    let one = i64::from(greatest);
    let least = if signed { -one - 1 } else { 0 };
    let saturated = |integral: f64| integral.clamp(-2f64 * f64::from(greatest), f64::from(greatest)) as i64;
    // A significand of 24 bits times one of 16 is exact in binary64; 2^16 - 1 is exact in binary32.
    let product = f64::from(value) * f64::from(greatest);
    let nearest = saturated(if truncates { product.trunc() } else { product.round_ties_even() });
    let other = if product > nearest as f64 { nearest + 1 } else { nearest - 1 };
    let limited = |integer: i64| integer.clamp(least, one);
    if !truncates && (other as f64 - product).abs() <= 0.6 && limited(nearest) != limited(other) {
        let single = value * greatest as f32;
        let rounded = match choose(Choice::SustNormalised) {
            WITHIN => {
                let (bits, both) = (nearest as u32 & mask, (nearest ^ other) as u32 & mask);
                let certainty = if other > nearest { Certainty::OrNext } else { Certainty::OrPrevious };
                return Component { bits, undefined: both, certainty };
            }
            NEAREST_EVEN => nearest,
            PRODUCT_NEAREST_EVEN => saturated(f64::from(single).round_ties_even()),
            _ => saturated(f64::from((single + 0.5f32.copysign(single)).trunc())),
        };
        return Component::defined(limited(rounded) as u32 & mask);
    }
    // What is below -1 becomes -1, or the least integer where it is as low as that.
    let result = match limited(nearest) {
        below if below < -one && choose(Choice::SustSnormBelow) == 0 => -one,
        result => result,
    };
    Component::defined(result as u32 & mask)
}
