//! Worked out by hand from the formulas of the CUDA programming guide that the module quotes; an axis of four texels.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{AddressMode, Assignment, Choice, Deviation, FilterMode, Semantics};

use super::axis::{Along, Axis, Coordinate, Tap};

const B: Tap = Tap::Border;

fn t(index: u32) -> Tap {
    Tap::Texel(index)
}

fn along(mode: AddressMode, filter: FilterMode, normalized: bool) -> Along {
    Along { extent: 4, normalized, mode: Some(mode), filter, offset: 0 }
}

fn under(along: Along, coordinate: Coordinate, semantics: &Semantics) -> (Axis, Vec<Choice>) {
    let mut consulted = ChoiceSet::default();
    let axis = along.at(coordinate, semantics, &mut consulted);
    (axis, consulted.iter().collect())
}

/// The texel of a coordinate without filtering; no choice may matter.
fn nearest(mode: AddressMode, normalized: bool, x: f32) -> Tap {
    let along = along(mode, FilterMode::Nearest, normalized);
    let (axis, consulted) = under(along, Coordinate::Float(x), &Semantics::default());
    assert!(axis.count == 1 && consulted.is_empty(), "{mode:?} {x}: {axis:?} {consulted:?}");
    axis.taps[0].0
}

/// What linear filtering takes; no choice may matter.
fn linear(mode: AddressMode, normalized: bool, x: f32) -> [(Tap, f64); 2] {
    let along = along(mode, FilterMode::Linear, normalized);
    let (axis, consulted) = under(along, Coordinate::Float(x), &Semantics::default());
    assert!(axis.count == 2 && consulted.is_empty(), "{mode:?} {x}: {axis:?} {consulted:?}");
    axis.taps
}

#[test]
fn without_filtering_the_texel_is_the_floor() {
    use AddressMode::{Border, Clamp, ClampOgl};
    for (x, texel) in [(0.0, 0), (0.984_375, 0), (1.0, 1), (2.75, 2), (3.984_375, 3)] {
        for mode in [Clamp, Border, ClampOgl] {
            assert_eq!(nearest(mode, false, x), t(texel), "{mode:?} {x}");
            assert_eq!(nearest(mode, true, x / 4.0), t(texel), "{mode:?} {x}");
        }
    }
    for (x, edge) in [(-0.5, 0), (-1e30, 0), (f32::NEG_INFINITY, 0), (4.0, 3), (1e30, 3), (f32::INFINITY, 3)]
    {
        assert_eq!(nearest(Clamp, false, x), t(edge), "{x}");
        assert_eq!(nearest(ClampOgl, false, x), t(edge), "{x}");
        assert_eq!(nearest(Border, false, x), B, "{x}");
    }
    assert_eq!(nearest(Clamp, false, f32::NAN), Tap::Unknown);
}

#[test]
fn wrap_takes_the_fraction_and_mirror_turns_it_every_other_time() {
    use AddressMode::{Mirror, Wrap};
    // frac(-0.125) = 0.875, which is 3.5 texels; frac(1.25) = 0.25 is 1; frac(-7) = 0.
    for (x, texel) in [(-0.125, 3), (0.25, 1), (1.25, 1), (1.0, 0), (-7.0, 0), (2.9375, 3)] {
        assert_eq!(nearest(Wrap, true, x), t(texel), "{x}");
    }
    // floor(-0.125) = -1 is odd: 1 - 0.875 = 0.125, half a texel. floor(1.25) is odd: 0.75 is 3. floor(1) is odd: 1 - 0, the
    // far end, which mirrored is the last texel. floor(2.25) is even.
    for (x, texel) in [(-0.125, 0), (0.25, 1), (1.25, 3), (1.0, 3), (2.25, 1), (2.0, 0), (-1.0, 3)] {
        assert_eq!(nearest(Mirror, true, x), t(texel), "{x}");
    }
    assert_eq!(nearest(Wrap, true, f32::INFINITY), Tap::Unknown);
    assert_eq!(nearest(Mirror, true, f32::NEG_INFINITY), Tap::Unknown);
}

#[test]
fn linear_filtering_takes_the_texels_around_the_coordinate_less_a_half() {
    use AddressMode::{Border, Clamp, ClampOgl, Mirror, Wrap};
    for mode in [Clamp, Border, ClampOgl] {
        // 0.5 - 0.5 = 0; 1.25 - 0.5 = 0.75; 3.25 - 0.5 = 2.75.
        assert_eq!(linear(mode, false, 0.5), [(t(0), 1.0), (t(1), 0.0)]);
        assert_eq!(linear(mode, false, 1.25), [(t(0), 0.25), (t(1), 0.75)]);
        assert_eq!(linear(mode, true, 0.8125), [(t(2), 0.25), (t(3), 0.75)]);
    }
    // 0 - 0.5 = -0.5: half of texel -1, half of texel 0.
    assert_eq!(linear(Clamp, false, 0.0), [(t(0), 0.5), (t(0), 0.5)]);
    assert_eq!(linear(Border, false, 0.0), [(B, 0.5), (t(0), 0.5)]);
    assert_eq!(linear(Wrap, true, 0.0), [(t(3), 0.5), (t(0), 0.5)]);
    assert_eq!(linear(Mirror, true, 0.0), [(t(0), 0.5), (t(0), 0.5)]);
    // 1 is 0 again in wrap mode, and 4 in mirror mode: 4 - 0.5 = 3.5, and texel 4 is 3 from the other side.
    assert_eq!(linear(Wrap, true, 1.0), [(t(3), 0.5), (t(0), 0.5)]);
    assert_eq!(linear(Mirror, true, 1.0), [(t(3), 0.5), (t(3), 0.5)]);
    // Clamped to 0 and to 4 first, then half of what lies outside.
    assert_eq!(linear(ClampOgl, false, -7.0), [(B, 0.5), (t(0), 0.5)]);
    assert_eq!(linear(ClampOgl, false, 9.0), [(t(3), 0.5), (B, 0.5)]);
    assert_eq!(linear(Border, false, -2.25), [(B, 0.75), (B, 0.25)]);
}

#[test]
fn weights_have_eight_bits() {
    let along = along(AddressMode::Clamp, FilterMode::Linear, false);
    let at = |x: f32, alternative: u8| {
        let assignment = Assignment::default().with(Choice::TextureWeights, alternative);
        let (axis, consulted) = under(along, Coordinate::Float(x), &Semantics::default().under(assignment));
        (axis.taps, consulted)
    };
    let weights = |steps: f64| [(t(0), 1.0 - steps / 256.0), (t(1), steps / 256.0)];
    // 0.5 + 1/1024 is 128.25 of 256 either way.
    assert_eq!(at(1.0 + 1.0 / 1024.0, 0), (weights(128.0), vec![]));
    // 128.75 is 129 or 128; so is 128.5.
    for x in [1.0 + 3.0 / 1024.0, 1.0 + 1.0 / 512.0] {
        assert_eq!(at(x, 0), (weights(129.0), vec![Choice::TextureWeights]));
        assert_eq!(at(x, 1), (weights(128.0), vec![Choice::TextureWeights]));
    }
    // 255.75 rounds to 256: the whole of the next texel.
    let (taps, _) = at(1.5 - 1.0 / 1024.0, 0);
    assert_eq!(taps[0], (t(1), 1.0));
    assert_eq!(at(1.5 - 1.0 / 1024.0, 1).0, weights(255.0));
    let all_bits = Semantics::default().with(Deviation::TexWeightsUnquantised);
    let (axis, _) = under(along, Coordinate::Float(1.0 + 3.0 / 1024.0), &all_bits);
    assert_eq!(axis.taps[1].1, 0.5 + 3.0 / 1024.0);
}

#[test]
fn half_a_texel_outside_of_a_border_is_mixed_or_not() {
    let along = along(AddressMode::Border, FilterMode::Linear, false);
    let at = |x: f32, alternative: u8| {
        let assignment = Assignment::default().with(Choice::TextureBorderBlend, alternative);
        under(along, Coordinate::Float(x), &Semantics::default().under(assignment))
    };
    // -0.25 - 0.5 = -0.75: three quarters of texel -1, a quarter of texel 0.
    let (mixed, consulted) = at(-0.25, 0);
    assert_eq!((mixed.taps, mixed.count), ([(B, 0.75), (t(0), 0.25)], 2));
    assert_eq!(consulted, [Choice::TextureBorderBlend]);
    assert_eq!(at(-0.25, 1).0, Axis::one(B));
    assert_eq!(at(4.0, 0).0.taps, [(t(3), 0.5), (B, 0.5)]);
    // Inside, or where nothing of the image is near, there is no question.
    assert!(at(0.25, 0).1.is_empty() && at(-0.5, 0).1.is_empty() && at(4.5, 0).1.is_empty());
}

#[test]
fn a_product_that_is_rounded_may_lie_in_the_next_texel() {
    let along = Along { extent: 10, ..along(AddressMode::Clamp, FilterMode::Nearest, true) };
    let at = |x: f32, alternative: u8| {
        let assignment = Assignment::default().with(Choice::TextureScale, alternative);
        let (axis, consulted) = under(along, Coordinate::Float(x), &Semantics::default().under(assignment));
        (axis.taps[0].0, consulted.contains(&Choice::TextureScale))
    };
    // The binary32 next to 0.7 is 0.699999988…; ten times that is below 7 and nearer to 7 than to the binary32 before it.
    assert_eq!((at(0.7, 0), at(0.7, 1)), ((t(6), true), (t(7), true)));
    assert_eq!((at(0.25, 0), at(0.25, 1)), ((t(2), false), (t(2), false)));
}

#[test]
fn wrap_and_mirror_are_for_normalised_coordinates() {
    for mode in [AddressMode::Wrap, AddressMode::Mirror] {
        assert_eq!(nearest(mode, false, 2.5), t(2));
        let along = along(mode, FilterMode::Nearest, false);
        for (alternative, tap) in [(0, t(3)), (1, Tap::Unknown)] {
            let assignment = Assignment::default().with(Choice::TextureWrapTexels, alternative);
            let (axis, consulted) =
                under(along, Coordinate::Float(5.5), &Semantics::default().under(assignment));
            assert_eq!((axis.taps[0].0, consulted), (tap, vec![Choice::TextureWrapTexels]), "{mode:?}");
        }
    }
}

#[test]
fn integer_coordinates_are_numbers_of_texels() {
    let at = |along: Along, x: i32, choice: Choice, alternative: u8| {
        let semantics = Semantics::default().under(Assignment::default().with(choice, alternative));
        let (axis, consulted) = under(along, Coordinate::Integer(x), &semantics);
        assert_eq!(axis.count, 1, "integer coordinates are not filtered");
        (axis.taps[0].0, consulted.contains(&choice))
    };
    use Choice::{TextureIntegerNormalised as Normalised, TextureIntegerOutside as Outside};
    let clamp = along(AddressMode::Clamp, FilterMode::Linear, false);
    assert_eq!(at(clamp, 3, Outside, 0), (t(3), false));
    assert_eq!((at(clamp, -1, Outside, 0), at(clamp, 4, Outside, 0)), ((t(0), true), (t(3), true)));
    assert_eq!(at(clamp, i32::MIN, Outside, 1), (Tap::Zero, true));
    let border = along(AddressMode::Border, FilterMode::Nearest, false);
    assert_eq!(at(border, 4, Outside, 0), (B, true));
    let normalized = along(AddressMode::Clamp, FilterMode::Nearest, true);
    assert_eq!(at(normalized, 2, Normalised, 0), (t(2), true));
    assert_eq!(at(normalized, 2, Normalised, 1), (Tap::Unknown, true));
}

#[test]
fn a_mode_that_nobody_set_matters_outside_alone() {
    let unset = Along { mode: None, ..along(AddressMode::Clamp, FilterMode::Nearest, false) };
    let at = |x| under(unset, Coordinate::Float(x), &Semantics::default()).0.taps[0].0;
    assert_eq!((at(3.5), at(-0.5), at(4.0)), (t(3), Tap::Unknown, Tap::Unknown));
    let nothing = Along { extent: 0, ..unset };
    assert_eq!(under(nothing, Coordinate::Float(0.0), &Semantics::default()).0, Axis::one(Tap::Unknown));
}

#[test]
fn deviations() {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    let cases = [
        (Deviation::TexWrapAsClamp, Wrap, true, 1.25, t(3)),
        (Deviation::TexMirrorAsWrap, Mirror, true, 1.25, t(1)),
        (Deviation::TexBorderAsClamp, Border, false, -1.0, t(0)),
        (Deviation::TexNearestRounds, Clamp, false, 1.75, t(2)),
        (Deviation::TexNormalisedIgnored, Clamp, true, 0.75, t(0)),
    ];
    for (deviation, mode, normalized, x, tap) in cases {
        let along = along(mode, FilterMode::Nearest, normalized);
        let semantics = Semantics::default().with(deviation);
        let (axis, _) = under(along, Coordinate::Float(x), &semantics);
        assert_eq!(axis.taps[0].0, tap, "{deviation:?}");
        let (right, _) = under(along, Coordinate::Float(x), &Semantics::default());
        assert_ne!(right.taps[0].0, tap, "{deviation:?}");
    }
    let along = along(Clamp, FilterMode::Linear, false);
    let offset = Semantics::default().with(Deviation::TexLinearOffset);
    assert_eq!(under(along, Coordinate::Float(1.25), &offset).0.taps, [(t(1), 0.75), (t(2), 0.25)]);
}

/// The texels at the places -64 to 63 of an image that is repeated, or of one that is turned around every other time, written down one
/// after the other.
fn line(mode: AddressMode, extent: u32) -> impl Fn(i32) -> u32 {
    let once: Vec<u32> = (0..extent).collect();
    let back: Vec<u32> = once.iter().rev().copied().collect();
    let pattern = if mode == AddressMode::Mirror { [once, back].concat() } else { once };
    // Place 0 is the first texel of a pattern, and so is that of 20 patterns before it.
    let start = 20 * pattern.len();
    let all: Vec<u32> = pattern.iter().copied().cycle().take(2 * start).collect();
    move |place| all[(start as i32 + place) as usize]
}

#[test]
fn an_offset_leads_to_every_place_of_an_image_that_repeats() {
    for mode in [AddressMode::Wrap, AddressMode::Mirror] {
        for (extent, offset) in (1..=9).flat_map(|extent| (-8..=7).map(move |offset| (extent, offset))) {
            let texel = line(mode, extent);
            for place in -2 * extent as i32..2 * extent as i32 {
                let nearest = Along { extent, offset, ..along(mode, FilterMode::Nearest, true) };
                let at = |within: f32| Coordinate::Float((place as f32 + within) / extent as f32);
                let (axis, consulted) = under(nearest, at(0.5), &Semantics::default());
                assert_eq!(axis.taps[0].0, t(texel(place + offset)), "{mode:?} {extent} {offset} at {place}");
                assert!(consulted.is_empty());
                if !extent.is_power_of_two() {
                    continue;
                }
                // A quarter behind the middle of a texel: three quarters of it and one of the next.
                let linear = Along { filter: FilterMode::Linear, ..nearest };
                let (axis, _) = under(linear, at(0.75), &Semantics::default());
                let weight = |index: u32| -> f64 {
                    axis.taps.iter().filter(|tap| tap.0 == t(index)).map(|tap| tap.1).sum()
                };
                for index in 0..extent {
                    let share = |place: i32, share: f64| if texel(place) == index { share } else { 0.0 };
                    let right = share(place + offset, 0.75) + share(place + offset + 1, 0.25);
                    assert_eq!(weight(index), right, "{mode:?} {extent} {offset} at {place}, texel {index}");
                }
            }
        }
    }
}

#[test]
fn an_offset_is_added_before_the_coordinate_is_mirrored() {
    use AddressMode::{Mirror, Wrap};
    let at = |mode, extent, offset, x| {
        let along = Along { extent, offset, ..along(mode, FilterMode::Nearest, true) };
        under(along, Coordinate::Float(x), &Semantics::default()).0.taps[0].0
    };
    // -0.25 of 4 texels is -1, and 1 with an offset of 2, where nothing is mirrored. -1 with 0 is, to 1, and so is 3 with -4.
    assert_eq!([at(Mirror, 4, 2, -0.25), at(Mirror, 4, 0, -0.25), at(Mirror, 4, -4, 0.75)], [t(1); 3]);
    // Less than 0 by nearly nothing is in the texel before the first one, and with 7 in texel 6, whatever the rounding of the sum.
    assert_eq!([at(Wrap, 8, 0, -1e-20), at(Wrap, 8, 7, -1e-20), at(Wrap, 8, -8, -1e-20)], [t(7), t(6), t(7)]);
    assert_eq!([at(Mirror, 8, 7, -1e-20), at(Mirror, 8, -8, -1e-20)], [t(6), t(7)]);
}

#[test]
fn a_gather_from_where_the_image_is_mirrored_has_two_readings() {
    let at = |mode: AddressMode, offset: i32, x: f32, alternative: u8| {
        let along = Along { extent: 8, offset, ..along(mode, FilterMode::Nearest, true) };
        let assignment = Assignment::default().with(Choice::TextureGatherMirror, alternative);
        let mut consulted = ChoiceSet::default();
        let taps = along.neighbours(x, &Semantics::default().under(assignment), &mut consulted);
        (taps, consulted.contains(Choice::TextureGatherMirror))
    };
    let mirror = |offset, x| [0, 1].map(|alternative| at(AddressMode::Mirror, offset, x, alternative));
    // -0.171875 of 8 texels is -1.375. The coordinate mirrored is 1.375; less a half, 0.875: texels 0 and 1. Not mirrored and less a half
    // it is -1.875: the texels at -2 and -1, which are 1 and 0.
    assert_eq!(mirror(0, -0.171_875), [([t(0), t(1)], true), ([t(1), t(0)], true)]);
    // One further to the left, -2.375: 1.875 or -2.875.
    assert_eq!(mirror(-1, -0.171_875), [([t(1), t(2)], true), ([t(2), t(1)], true)]);
    // In the middle of a texel, at -1.5, they take its neighbours on different sides: 1.5 - 0.5 = 1, or -2.
    assert_eq!(mirror(0, -0.1875), [([t(1), t(2)], true), ([t(1), t(0)], true)]);
    // The end of the image is a texel beside itself; with an offset of 2 nothing is mirrored: 0.625 - 0.5 = 0.125.
    assert_eq!(mirror(1, -0.171_875), [([t(0), t(0)], false); 2]);
    assert_eq!(mirror(2, -0.171_875), [([t(0), t(1)], false); 2]);
    // 8.5 - 0.5 = 8 and 9 are 7 and 6; or 16 - 8.5 = 7.5 is mirrored, 7 and 8, which is 7 from the other side.
    assert_eq!(mirror(0, 1.0625), [([t(7), t(7)], true), ([t(7), t(6)], true)]);
    // What wraps around is not mirrored: -1.375 is 6.625, and 6.125 less a half.
    assert_eq!([0, 1].map(|n| at(AddressMode::Wrap, 0, -0.171_875, n)), [([t(6), t(7)], false); 2]);
}

#[test]
fn deviations_of_places_and_weights() {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    use FilterMode::{Linear, Nearest};
    let taken = |deviation, along: Along, x: f32| {
        under(along, Coordinate::Float(x), &Semantics::default().with(deviation)).0
    };
    let first = |deviation, along: Along, x: f32| taken(deviation, along, x).taps[0].0;
    let plain = along(Border, Nearest, false);
    assert_eq!(first(Deviation::TexNearestTruncates, plain, -0.5), t(0));
    assert_eq!(first(Deviation::TexNearestTruncates, plain, -1.0), B);
    assert_eq!(first(Deviation::TexNearestHalf, plain, 1.25), t(0));
    // -0.25 has the fraction 0.75, texel 3 of four.
    assert_eq!(first(Deviation::TexWrapRemainder, along(Wrap, Nearest, true), -0.25), t(0));
    assert_eq!(first(Deviation::TexWrapRemainder, along(Wrap, Nearest, true), 1.75), t(3));
    let moved = Along { offset: 2, ..along(Clamp, Nearest, false) };
    assert_eq!(first(Deviation::TexOffsetIgnored, moved, 1.0), t(1));
    // At -7 and 9 clamp_ogl mixes the texel at the edge with the border; of the modes beside it one takes that texel alone, the other the border.
    let ogl = along(AddressMode::ClampOgl, Linear, false);
    assert_eq!(taken(Deviation::TexClampOglAsClamp, ogl, 9.0).taps.map(|(tap, _)| tap), [t(3), t(3)]);
    assert_eq!(taken(Deviation::TexClampOglAsBorder, ogl, 9.0).taps.map(|(tap, _)| tap), [B, B]);
    // A gather at 1.25 takes the texels around 0.75: 0 and 1. That it is in is texel 1.
    let from_texel = Semantics::default().with(Deviation::Tld4FromTexel);
    let gathered =
        |semantics| along(Clamp, Linear, false).neighbours(1.25, semantics, &mut ChoiceSet::default());
    assert_eq!((gathered(&Semantics::default()), gathered(&from_texel)), ([t(0), t(1)], [t(1), t(2)]));
    // 1.75 less a half is 1.25: three parts of texel 1 and one of texel 2.
    let linear = along(Clamp, Linear, false);
    assert_eq!(taken(Deviation::TexWeightsSwapped, linear, 1.75).taps, [(t(1), 0.25), (t(2), 0.75)]);
    // 1.5 is mirrored to 0.5, 2.0 of four texels: between texels 1 and 2, or with half a texel added between 2 and 3.
    let mirrored = along(Mirror, Linear, true);
    assert_eq!(taken(Deviation::TexMirrorHalfTexel, mirrored, 1.5).taps, [(t(2), 0.5), (t(3), 0.5)]);
    assert_eq!(taken(Deviation::TexMirrorHalfTexel, mirrored, 0.5).taps, [(t(1), 0.5), (t(2), 0.5)]);
}
