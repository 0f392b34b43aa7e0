//! Conversions by hand. UNORM of n bits has 2^n - 1 steps from 0 to 1, SNORM 2^(n-1) - 1 from 0 to 1 and as many below.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{ChannelType, Choice, Deviation, Semantics};

use super::texel::Certainty;
use super::texel::{Component, convert};

/// A conversion under a choice, and which choices it consulted.
fn under(source: u32, channel: ChannelType, taken: Option<(Choice, u8)>) -> (Component, Vec<Choice>) {
    let mut semantics = Semantics::default();
    if let Some((choice, alternative)) = taken {
        semantics = semantics.under(semantics.assignment.with(choice, alternative));
    }
    let mut consulted = ChoiceSet::default();
    let component = convert(source, channel, &semantics, &mut consulted);
    (component, consulted.iter().collect())
}

/// The bits of a conversion that is decided.
fn settled(source: u32, channel: ChannelType) -> u32 {
    let (component, consulted) = under(source, channel, None);
    assert_eq!((component.undefined, consulted), (0, vec![]), "{source:#x} to {channel:?}");
    component.bits
}

/// The bits under both alternatives of a choice, the only one consulted.
fn open(source: u32, channel: ChannelType, choice: Choice) -> [u32; 2] {
    [0, 1].map(|alternative| {
        let (component, consulted) = under(source, channel, Some((choice, alternative)));
        assert_eq!((component.undefined, consulted), (0, vec![choice]), "{source:#x} to {channel:?}");
        component.bits
    })
}

fn f(value: f32) -> u32 {
    value.to_bits()
}

#[test]
fn integers_in_range_keep_their_value() {
    use ChannelType::{S8, S16, S32, U8, U16, U32};
    for (source, channel, bits) in [
        (0, U8, 0),
        (255, U8, 255),
        (65535, U16, 65535),
        (u32::MAX, U32, u32::MAX),
        (127, S8, 127),
        (-128i32 as u32, S8, 0x80),
        (-1i32 as u32, S8, 0xFF),
        (32767, S16, 32767),
        (-32768i32 as u32, S16, 0x8000),
        (0x8000_0000, S32, 0x8000_0000),
    ] {
        assert_eq!(settled(source, channel), bits);
    }
}

#[test]
fn integers_out_of_range_saturate_or_wrap() {
    use ChannelType::{S8, S16, U8, U16};
    for (source, channel, both) in [
        (256, U8, [255, 0]),
        (0x1234, U8, [255, 0x34]),
        // The source of an unsigned format is .u32: what looks negative is large.
        (u32::MAX - 1, U8, [255, 254]),
        (65537, U16, [65535, 1]),
        (128, S8, [127, 0x80]),
        (-129i32 as u32, S8, [0x80, 0x7F]),
        (0x0001_0000, S16, [32767, 0]),
        (0x8000_0000, S16, [0x8000, 0]),
    ] {
        assert_eq!(open(source, channel, Choice::SustIntegerRange), both, "{source:#x} to {channel:?}");
    }
}

#[test]
fn normalised_formats_go_to_the_nearest_step() {
    use ChannelType::{Snorm8, Snorm16, Unorm8, Unorm16};
    for (value, channel, bits) in [
        (0.0, Unorm8, 0),
        (-0.0, Unorm8, 0),
        (1.0, Unorm8, 255),
        // 0.25 * 255 = 63.75, 0.75 * 255 = 191.25
        (0.25, Unorm8, 64),
        (0.75, Unorm8, 191),
        (1.0, Unorm16, 65535),
        (0.25, Unorm16, 16384),
        (1.0, Snorm8, 127),
        (-1.0, Snorm8, 0x81),
        // 31.75
        (0.25, Snorm8, 32),
        (-0.25, Snorm8, 0xE0),
        (1.0, Snorm16, 32767),
        (-1.0, Snorm16, 0x8001),
        // 1e-40 is nearest to 0
        (1e-40, Unorm16, 0),
    ] {
        assert_eq!(settled(f(value), channel), bits, "{value} to {channel:?}");
    }
}

#[test]
fn normalised_formats_saturate() {
    use ChannelType::{Snorm8, Snorm16, Unorm8, Unorm16};
    for above in [1.0 + f32::EPSILON, 2.0, 1e30, f32::INFINITY] {
        assert_eq!(settled(f(above), Unorm8), 255);
        assert_eq!(settled(f(above), Unorm16), 65535);
        assert_eq!(settled(f(above), Snorm8), 127);
        assert_eq!(settled(f(above), Snorm16), 32767);
    }
    for below in [-1e-3, -1.0, -1e30, f32::NEG_INFINITY] {
        assert_eq!(settled(f(below), Unorm8), 0);
        assert_eq!(settled(f(below), Unorm16), 0);
    }
    // -1.003 * 127 = -127.38 is nearest to -127; -1.01 * 127 = -128.27 is below what -1 is.
    assert_eq!(settled(f(-1.003), Snorm8), 0x81);
    for below in [-1.01, -2.0, -1e30, f32::NEG_INFINITY] {
        assert_eq!(open(f(below), Snorm8, Choice::SustSnormBelow), [0x81, 0x80], "{below}");
        assert_eq!(open(f(below), Snorm16, Choice::SustSnormBelow), [0x8001, 0x8000], "{below}");
    }
}

/// What is permitted however the product is rounded, and what it is under each named way to round: nearest even, nearest even of the
/// binary32 product, and 0.5 added to that in binary32 and truncated.
fn rounded(source: u32, channel: ChannelType) -> ([u32; 2], [u32; 3]) {
    let (within, consulted) = under(source, channel, None);
    assert_eq!(consulted, [Choice::SustNormalised], "{source:#x} to {channel:?}");
    let mask = (1u32 << (8 * channel.size())) - 1;
    let other = match within.certainty {
        Certainty::OrNext => within.bits.wrapping_add(1) & mask,
        Certainty::OrPrevious => within.bits.wrapping_sub(1) & mask,
        Certainty::Nan | Certainty::Bits => panic!("{source:#x} to {channel:?}: {within:?}"),
    };
    assert_eq!(within.undefined, within.bits ^ other, "the bits that the two do not share");
    let named = [1, 2, 3].map(|alternative| {
        let (component, _) = under(source, channel, Some((Choice::SustNormalised, alternative)));
        assert_eq!((component.undefined, component.certainty), (0, Certainty::Bits));
        component.bits
    });
    ([within.bits, other], named)
}

/// The nearest integer and the one beyond the product are permitted where both are within 0.6 of it.
#[test]
fn normalised_formats_have_both_neighbours_within_six_tenths_of_a_step() {
    use ChannelType::{Snorm8, Snorm16, Unorm8, Unorm16};
    // The binary32 nearest to 0.5 / 255 times 255 is 1/2 + 127 * 2^-32, which is above one half and rounds to 1. The binary32 nearest to
    // that, where they are 2^-24 apart, is one half, a tie, and rounds to 0; with 0.5 added it is 1.
    assert_eq!(rounded(f(0.5 / 255.0), Unorm8), ([1, 0], [1, 0, 1]));
    // The next number below: the exact product 0.49999997 rounds to 0; with 0.5 added in binary32 it is 1.
    assert_eq!(rounded(0x3b00_8080, Unorm8), ([0, 1], [0, 0, 1]));
    // 127.5: to even, and up, is 128.
    assert_eq!(rounded(f(0.5), Unorm8), ([128, 127], [128, 128, 128]));
    // 32767.5, 63.5, -63.5, 16383.5
    assert_eq!(rounded(f(0.5), Unorm16), ([32768, 32767], [32768; 3]));
    assert_eq!(rounded(f(0.5), Snorm8), ([64, 63], [64; 3]));
    assert_eq!(rounded(f(-0.5), Snorm8), ([0xC0, 0xC1], [0xC0; 3]));
    assert_eq!(rounded(f(-0.5), Snorm16), ([0xC000, 0xC001], [0xC000; 3]));
    // 0.45 is within 0.55 of 1, and 0.55 within 0.55 of 0.
    assert_eq!(rounded(f(0.45 / 255.0), Unorm8), ([0, 1], [0; 3]));
    assert_eq!(rounded(f(0.55 / 255.0), Unorm8), ([1, 0], [1; 3]));
    // -0.45 of SNORM: 0 and -1. The bits of the two have nothing in common.
    assert_eq!(rounded(f(-0.45 / 127.0), Snorm8), ([0, 0xFF], [0; 3]));
    // -127.45 is within 0.55 of -128, which SNORM has.
    assert_eq!(rounded(f(-127.45 / 127.0), Snorm8), ([0x81, 0x80], [0x81; 3]));
    // 0.39 and 0.61 are not, nor is what saturation makes the same: 255.45, -0.45 of UNORM.
    for (value, bits) in [(0.39 / 255.0, 0), (0.61 / 255.0, 1), (255.45 / 255.0, 255), (-0.45 / 255.0, 0)] {
        assert_eq!(settled(f(value), Unorm8), bits, "{value}");
    }
}

#[test]
fn nan_as_a_normalised_integer_is_anything() {
    for nan in [0x7FC0_0000, 0xFFFF_FFFF, 0x7F80_0001] {
        assert_eq!(under(nan, ChannelType::Unorm8, None).0.undefined, 0xFF);
        assert_eq!(under(nan, ChannelType::Snorm16, None).0.undefined, 0xFFFF);
    }
}

#[test]
fn singles_are_preserved_but_for_nans_and_subnormals() {
    for value in [0.0, -0.0, 1.5, -1e38, f32::MIN_POSITIVE, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(settled(f(value), ChannelType::F32), f(value));
    }
    assert_eq!(open(0x8000_0001, ChannelType::F32, Choice::SustSingleSubnormal), [0x8000_0001, 0x8000_0000]);
    // Some NaN: exponent, and the quiet bit of a quiet one. That of a signalling one is a NaN all the same, and not infinity.
    assert_eq!(under(0x7F80_1234, ChannelType::F32, None).0.certainty, Certainty::Nan);
    assert_eq!(under(0x7F80_0001, ChannelType::F16, None).0.certainty, Certainty::Nan);
    assert_eq!(under(0x7FC0_1234, ChannelType::F32, None).0.undefined, 0x803F_FFFF);
    assert_eq!(under(0x7F80_1234, ChannelType::F32, None).0.undefined, 0x807F_FFFF);
}

/// binary16: 1 is 0x3C00, one unit there 2^-10; the largest number 65504 is 0x7BFF; the least subnormal 2^-24 is 1.
#[test]
fn halves() {
    for (value, bits) in
        [(0.0, 0), (-0.0, 0x8000), (1.0, 0x3C00), (-2.0, 0xC000), (65504.0, 0x7BFF), (f32::INFINITY, 0x7C00)]
    {
        assert_eq!(settled(f(value), ChannelType::F16), bits, "{value}");
    }
    let unit = 2f32.powi(-10);
    for (value, nearest_and_toward_zero) in [
        // A tie to even below, one to even above, and three quarters of a unit.
        (1.0 + 0.5 * unit, None),
        (1.0 + 1.5 * unit, Some([0x3C02, 0x3C01])),
        (-1.0 - 0.75 * unit, Some([0xBC01, 0xBC00])),
        // 65520 is halfway to 65536, which there is not.
        (65519.0, None),
        (65520.0, Some([0x7C00, 0x7BFF])),
        (-1e10, Some([0xFC00, 0xFBFF])),
    ] {
        match nearest_and_toward_zero {
            None => {
                assert_eq!(settled(f(value), ChannelType::F16), if value > 2.0 { 0x7BFF } else { 0x3C00 })
            }
            Some(both) => {
                assert_eq!(open(f(value), ChannelType::F16, Choice::SustHalfRounding), both, "{value}")
            }
        }
    }
    let subnormal = |value: f32| {
        [0, 1, 2].map(|alternative| {
            let taken = Some((Choice::SustHalfSubnormal, alternative));
            let (component, consulted) = under(f(value), ChannelType::F16, taken);
            assert_eq!(component.undefined, 0);
            (component.bits, consulted)
        })
    };
    let flush = vec![Choice::SustHalfSubnormal];
    assert_eq!(subnormal(2f32.powi(-24)), [(1, flush.clone()), (0, flush.clone()), (0, flush.clone())]);
    let greatest = [0x83FF, 0x8000, 0x8000].map(|bits| (bits, flush.clone()));
    assert_eq!(subnormal(-1023.0 * 2f32.powi(-24)), greatest);
    // Three quarters of a unit above the greatest subnormal number: rounded to nearest it is normal, and was not before.
    let both = vec![Choice::SustHalfRounding, Choice::SustHalfSubnormal];
    let almost_normal = [0x0400, 0x0400, 0].map(|bits| (bits, both.clone()));
    assert_eq!(subnormal(1023.75 * 2f32.powi(-24)), almost_normal);
    assert_eq!(settled(f(2f32.powi(-14)), ChannelType::F16), 0x0400);
    // Less than half the least subnormal is zero under every reading.
    assert_eq!(settled(f(2f32.powi(-26)), ChannelType::F16), 0);
    assert_eq!(under(0x7FC0_0000, ChannelType::F16, None).0.undefined, 0x81FF);
    assert_eq!(under(0x7F80_0001, ChannelType::F16, None).0.undefined, 0x83FF);
}

#[test]
fn deviation_that_truncates() {
    let semantics = Semantics::default().with(Deviation::SustPTruncates);
    let of = |value, channel| convert(f(value), channel, &semantics, &mut ChoiceSet::default()).bits;
    assert_eq!(of(0.5, ChannelType::Unorm8), 127);
    assert_eq!(of(0.25, ChannelType::Unorm8), 63);
    assert_eq!(of(-0.5, ChannelType::Snorm8), 0xC1);
    assert_eq!(of(1.0, ChannelType::Unorm16), 65535);
}

#[test]
fn deviations_that_take_the_source_for_another_type() {
    let stored = |deviation, source: u32, channel| {
        let semantics = Semantics::default().with(deviation);
        convert(source, channel, &semantics, &mut ChoiceSet::default()).bits
    };
    use ChannelType as C;
    assert_eq!(stored(Deviation::SustPUintSigned, 0x8000_0000, C::U8), 0);
    assert_eq!(stored(Deviation::SustPUintSigned, 0x7FFF_FFFF, C::U16), 0xFFFF);
    assert_eq!(stored(Deviation::SustPSintUnsigned, u32::MAX, C::S8), 0x7F);
    assert_eq!(stored(Deviation::SustPSintUnsigned, 5, C::S16), 5);
    assert_eq!(stored(Deviation::SustPFloatFromInteger, 3, C::F32), f(3.0));
    assert_eq!(stored(Deviation::SustPFloatFromInteger, -2i32 as u32, C::F16), 0xC000);
    assert_eq!(stored(Deviation::SustPHalfNan, f(-f32::NAN), C::F16), 0xFC00);
    assert_eq!(stored(Deviation::SustPZeroUnsigned, f(-0.0), C::F16), 0);
    assert_eq!(stored(Deviation::SustPZeroUnsigned, f(-0.0), C::F32), 0);
    assert_eq!(stored(Deviation::SustPZeroUnsigned, f(-1.0), C::F32), f(-1.0));
    // 0.75 of 256 and of 128; 1.0 is limited.
    assert_eq!(stored(Deviation::SustPScalePower, f(0.75), C::Unorm8), 192);
    assert_eq!(stored(Deviation::SustPScalePower, f(0.75), C::Snorm8), 96);
    assert_eq!(stored(Deviation::SustPScalePower, f(1.0), C::Unorm8), 255);
}
