//! Answers of `suq` and `txq` by hand from PTX ISA 9.7.11.4, 9.7.10.5 and the tables of 5.3.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{AddressMode, Choice, Deviation, FilterMode, Format, Geometry, Sampler, Semantics};

use super::address::Descriptor;
use super::query::{Query, answer, sampler_answer};
use crate::texture::sampling::{Members, Sampling};

/// 7 x 5 x 3 texels, 4 layers, as far as the geometry has them.
fn shape(geometry: Geometry) -> Descriptor {
    let (extent, layers) = match geometry {
        Geometry::D1 => ([7, 1, 1], 1),
        Geometry::D2 => ([7, 5, 1], 1),
        Geometry::D3 => ([7, 5, 3], 1),
        Geometry::A1d => ([7, 1, 1], 4),
        Geometry::A2d => ([7, 5, 1], 4),
        Geometry::Cube => ([7, 7, 1], 6),
        Geometry::Acube => ([7, 7, 1], 12),
    };
    Descriptor { geometry, extent, layers, texel_size: 8 }
}

fn asked(
    query: Query,
    geometry: Geometry,
    format: &str,
    taken: Option<Choice>,
) -> (Option<u32>, Vec<Choice>) {
    taking(query, geometry, format, taken.map(|choice| (choice, 1)))
}

fn taking(
    query: Query,
    geometry: Geometry,
    format: &str,
    taken: Option<(Choice, u8)>,
) -> (Option<u32>, Vec<Choice>) {
    let format: Format = format.parse().expect("a format");
    let mut semantics = Semantics::default();
    if let Some((choice, alternative)) = taken {
        semantics = semantics.under(semantics.assignment.with(choice, alternative));
    }
    let mut consulted = ChoiceSet::default();
    let answer = answer(query, &shape(geometry), format, None, &semantics, &mut consulted);
    (answer, consulted.iter().collect())
}

#[test]
fn dimensions_are_in_elements_whatever_a_texel_holds() {
    use Geometry::{A1d, A2d, D1, D2, D3};
    for format in ["u8", "f16x4", "f32x4"] {
        for geometry in [D1, D2, D3, A1d, A2d] {
            assert_eq!(asked(Query::Width, geometry, format, None), (Some(7), vec![]));
        }
        for geometry in [D2, D3, A2d] {
            assert_eq!(asked(Query::Height, geometry, format, None), (Some(5), vec![]));
        }
        assert_eq!(asked(Query::Depth, D3, format, None), (Some(3), vec![]));
    }
}

#[test]
fn a_dimension_that_there_is_not_is_one_zero_or_anything() {
    use Geometry::{A1d, A2d, D1, D2};
    let open = [
        (Query::Height, D1),
        (Query::Height, A1d),
        (Query::Depth, D1),
        (Query::Depth, D2),
        (Query::Depth, A1d),
        (Query::Depth, A2d),
    ];
    for (query, geometry) in open {
        for (alternative, answer) in [(0, Some(1)), (1, Some(0)), (2, None)] {
            let taken = Some((Choice::SuqUnusedDimension, alternative));
            let expected = (answer, vec![Choice::SuqUnusedDimension]);
            assert_eq!(taking(query, geometry, "u8", taken), expected, "{query:?} of {geometry:?}");
        }
    }
}

#[test]
fn array_size_is_zero_for_what_is_no_array() {
    use Geometry::{A1d, A2d, D1, D2, D3};
    for geometry in [D1, D2, D3] {
        assert_eq!(asked(Query::ArraySize, geometry, "u8", None), (Some(0), vec![]));
    }
    for geometry in [A1d, A2d] {
        assert_eq!(asked(Query::ArraySize, geometry, "u8", None), (Some(4), vec![]));
    }
}

#[test]
fn channels_are_the_numbers_of_opencl_or_of_another_language() {
    let table = [
        ("snorm8", 0x10D0),
        ("snorm16", 0x10D1),
        ("unorm8", 0x10D2),
        ("unorm16", 0x10D3),
        ("s8", 0x10D7),
        ("s16", 0x10D8),
        ("s32", 0x10D9),
        ("u8", 0x10DA),
        ("u16", 0x10DB),
        ("u32", 0x10DC),
        ("f16", 0x10DD),
        ("f32", 0x10DE),
    ];
    let consulted = vec![Choice::SuqChannels];
    for (channel, number) in table {
        let (format, two, four) = (channel.to_owned(), format!("{channel}x2"), format!("{channel}x4"));
        for (format, order) in [(format, 0x10B0), (two, 0x10B2), (four, 0x10B5)] {
            let of = |query, taken| asked(query, Geometry::D2, &format, taken);
            assert_eq!(of(Query::ChannelDataType, None), (Some(number), consulted.clone()), "{format}");
            assert_eq!(of(Query::ChannelOrder, None), (Some(order), consulted.clone()), "{format}");
            assert_eq!(of(Query::ChannelDataType, Some(Choice::SuqChannels)), (None, consulted.clone()));
            assert_eq!(of(Query::ChannelOrder, Some(Choice::SuqChannels)), (None, consulted.clone()));
        }
    }
}

#[test]
fn the_layout_is_linear_or_not() {
    let consulted = vec![Choice::SuqMemoryLayout];
    assert_eq!(asked(Query::MemoryLayout, Geometry::D1, "u8", None), (Some(0), consulted.clone()));
    let linear = asked(Query::MemoryLayout, Geometry::D1, "u8", Some(Choice::SuqMemoryLayout));
    assert_eq!(linear, (Some(1), consulted));
}

/// "Integer from enum { nearest, linear }", "Integer from enum { wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border }": the places
/// of the words, or any integer.
#[test]
fn modes_are_the_places_of_their_words_or_anything() {
    use AddressMode::{Border, Clamp, ClampOgl, Mirror, Wrap};
    for (filter, address, expected) in [
        (FilterMode::Nearest, [Wrap, Mirror, ClampOgl], [0, 0, 1, 2]),
        (FilterMode::Linear, [Border, Wrap, Clamp], [1, 4, 0, 3]),
    ] {
        let sampler = Sampler { filter, address, ..Sampler::default() };
        let sampling = Sampling::of(&sampler);
        let members = Members::of_sampler(&sampler);
        let queries =
            [Query::FilterMode, Query::AddressMode(0), Query::AddressMode(1), Query::AddressMode(2)];
        for (query, place) in queries.into_iter().zip(expected) {
            for (alternative, expected) in [(0, Some(place)), (1, None)] {
                let semantics = Semantics::default();
                let semantics = semantics.under(semantics.assignment.with(Choice::TxqModes, alternative));
                let format: Format = "u8".parse().expect("a format");
                let mut consulted = ChoiceSet::default();
                let shape = shape(Geometry::D3);
                let of_texture = answer(query, &shape, format, Some(&sampling), &semantics, &mut consulted);
                assert_eq!(of_texture, expected, "{query:?} of a texture");
                assert_eq!(consulted.iter().collect::<Vec<_>>(), [Choice::TxqModes]);
                let of_sampler = sampler_answer(query, &members, &semantics, &mut consulted);
                assert_eq!(of_sampler, expected, "{query:?} of a sampler");
            }
        }
    }
    // What nobody set has no place.
    let mut consulted = ChoiceSet::default();
    let unset = sampler_answer(Query::FilterMode, &Members::default(), &Semantics::default(), &mut consulted);
    assert_eq!((unset, consulted.iter().count()), (None, 0));
}

/// "For a mipmapped texture, number of levels of details (LOD), 0 otherwise."
#[test]
fn a_texture_without_mipmaps_and_samples_has_zero_of_each() {
    assert_eq!(asked(Query::LevelsOrSamples, Geometry::D2, "u8", None), (Some(0), vec![]));
}

#[test]
fn deviations_answer_otherwise() {
    let asked = |query, geometry, deviation, sampling: Option<&Sampling>| {
        let (format, semantics) = ("u32x2".parse().unwrap(), Semantics::default().with(deviation));
        answer(query, &shape(geometry), format, sampling, &semantics, &mut ChoiceSet::default())
    };
    use Geometry::{A2d, D2, D3};
    // 7 x 5 x 3 texels of 8 bytes, 4 layers.
    assert_eq!(asked(Query::Width, D2, Deviation::SuqWidthInBytes, None), Some(56));
    assert_eq!(asked(Query::Height, D2, Deviation::SuqLastRow, None), Some(4));
    assert_eq!(asked(Query::Depth, D3, Deviation::SuqDepthOne, None), Some(1));
    assert_eq!(asked(Query::ArraySize, A2d, Deviation::SuqLastLayer, None), Some(3));
    assert_eq!(asked(Query::ArraySize, A2d, Deviation::SuqArraySizeOne, None), Some(4));
    assert_eq!(asked(Query::ArraySize, D2, Deviation::SuqArraySizeOne, None), Some(1));
    let sampling = Sampling::of(&Sampler { normalized_coordinates: true, ..Sampler::default() });
    let of_texture = |query, deviation| asked(query, D2, deviation, Some(&sampling));
    assert_eq!(of_texture(Query::Width, Deviation::SuqWidthInBytes), Some(7));
    assert_eq!(of_texture(Query::NormalizedCoordinates, Deviation::TxqNormalizedInverted), Some(0));
    assert_eq!(of_texture(Query::LevelsOrSamples, Deviation::TxqSamplesOne), Some(1));
    let members = Members { force_stated: true, force_unnormalized: true, ..Members::default() };
    let semantics = Semantics::default().with(Deviation::TxqForceInverted);
    let forced = sampler_answer(Query::ForceUnnormalized, &members, &semantics, &mut ChoiceSet::default());
    assert_eq!(forced, Some(0));
}
