//! What channels are read as, worked out by hand.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{Assignment, ChannelType, Choice, Deviation, ReadMode, Semantics};

use super::channel::{Channel, read};

fn under(stored: u32, channel: ChannelType, mode: ReadMode, semantics: &Semantics) -> (Channel, bool) {
    let mut consulted = ChoiceSet::default();
    let found = read(stored, channel, mode, semantics, &mut consulted);
    (found, consulted.contains(Choice::TextureSignedScale))
}

fn bits(stored: u32, channel: ChannelType, mode: ReadMode) -> u32 {
    let (found, _) = under(stored, channel, mode, &Semantics::default());
    assert_eq!(found.undefined, 0, "{channel:?} {stored:#x}");
    found.bits
}

#[test]
fn integers_are_widened_by_their_sign() {
    let element = |stored, channel| bits(stored, channel, ReadMode::Element);
    assert_eq!(element(0x80, ChannelType::U8), 0x80);
    assert_eq!(element(0x80, ChannelType::S8), 0xFFFF_FF80);
    assert_eq!(element(0x7F, ChannelType::S8), 0x7F);
    assert_eq!(element(0xFFFE, ChannelType::U16), 0xFFFE);
    assert_eq!(element(0xFFFE, ChannelType::S16), 0xFFFF_FFFE);
    assert_eq!(element(0x8000_0001, ChannelType::U32), 0x8000_0001);
    assert_eq!(element(0x8000_0001, ChannelType::S32), 0x8000_0001);
    let zero_extended = Semantics::default().with(Deviation::TexSignedZeroExtended);
    assert_eq!(under(0x80, ChannelType::S8, ReadMode::Element, &zero_extended).0, Channel::known(0x80));
}

#[test]
fn floats_are_what_they_are() {
    let element = |stored, channel| bits(stored, channel, ReadMode::Element);
    assert_eq!(element(0x4049_0FDB, ChannelType::F32), 0x4049_0FDB);
    // binary16 0x3C01 is 1 + 2^-10, and 0x0001 is 2^-24.
    assert_eq!(f32::from_bits(element(0x3C01, ChannelType::F16)), 1.0 + 1.0 / 1024.0);
    assert_eq!(f32::from_bits(element(0x0001, ChannelType::F16)), 2f32.powi(-24));
    assert_eq!(f32::from_bits(element(0xFC00, ChannelType::F16)), f32::NEG_INFINITY);
    let (nan, _) = under(0x7E01, ChannelType::F16, ReadMode::Element, &Semantics::default());
    assert_eq!((nan.undefined, nan.bits & !nan.undefined), (0x803F_FFFF, 0x7FC0_0000));
    let (signalling, _) = under(0x7D01, ChannelType::F16, ReadMode::Element, &Semantics::default());
    assert_eq!(signalling.undefined, 0x807F_FFFF);
}

#[test]
fn the_full_range_of_unsigned_integers_is_0_to_1() {
    let float = |stored, channel, mode| f32::from_bits(bits(stored, channel, mode));
    for (channel, mode) in
        [(ChannelType::U8, ReadMode::NormalizedFloat), (ChannelType::Unorm8, ReadMode::Element)]
    {
        // 51 / 255 = 1 / 5
        assert_eq!([0, 51, 255].map(|stored| float(stored, channel, mode)), [0.0, 0.2, 1.0]);
    }
    for (channel, mode) in
        [(ChannelType::U16, ReadMode::NormalizedFloat), (ChannelType::Unorm16, ReadMode::Element)]
    {
        // 13107 / 65535 = 1 / 5
        assert_eq!([0, 13107, 65535].map(|stored| float(stored, channel, mode)), [0.0, 0.2, 1.0]);
    }
}

#[test]
fn the_full_range_of_signed_integers_is_minus_1_to_1() {
    let at = |stored, alternative| {
        let assignment = Assignment::default().with(Choice::TextureSignedScale, alternative);
        let semantics = Semantics::default().under(assignment);
        let (found, consulted) = under(stored, ChannelType::S8, ReadMode::NormalizedFloat, &semantics);
        (f32::from_bits(found.bits), consulted)
    };
    // Both ends are fixed; between them -127 is -1 of 127, or -253 of 255.
    assert_eq!((at(0x7F, 0), at(0x80, 0)), ((1.0, false), (-1.0, false)));
    assert_eq!((at(0x81, 0), at(0x81, 1)), ((-1.0, true), (-253.0 / 255.0, true)));
    assert_eq!((at(0, 0), at(0, 1)), ((0.0, true), (1.0 / 255.0, true)));
    // SNORM formats are no integers: there is no choice.
    let (found, consulted) = under(0x81, ChannelType::Snorm8, ReadMode::Element, &Semantics::default());
    assert_eq!((f32::from_bits(found.bits), consulted), (-1.0, false));
    assert_eq!(f32::from_bits(bits(0x8000, ChannelType::Snorm16, ReadMode::Element)), -1.0);
}

#[test]
fn deviations_that_read_other_floats() {
    let read = |stored, channel, mode, deviation| {
        f32::from_bits(under(stored, channel, mode, &Semantics::default().with(deviation)).0.bits)
    };
    let (unorm, over) = (ChannelType::Unorm8, Deviation::TexUnormOverPower);
    assert_eq!(read(128, unorm, ReadMode::Element, over), 0.5);
    assert_eq!(read(0x8000, ChannelType::U16, ReadMode::NormalizedFloat, over), 0.5);
    let bits = read(0x3C01, ChannelType::F16, ReadMode::Element, Deviation::TexHalfAsBits).to_bits();
    assert_eq!(bits, 0x3C01);
}
