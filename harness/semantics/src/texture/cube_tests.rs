//! Worked out by hand from the table of the CUDA programming guide that `cube` quotes.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{
    AddressMode, Assignment, ChannelType, Choice, Deviation, FilterMode, Format, Geometry, ReadMode,
    Semantics,
};

use super::axis::Coordinate;
use super::channel::{Channel, Kind};
use super::cube::{Place, is_certain, place};
use super::lookup::{Image, Lookup, lookup};
use super::sampling::Sampling;
use crate::surface::Descriptor;

fn under(direction: [f32; 3], semantics: &Semantics) -> (Option<Place>, bool) {
    let mut consulted = ChoiceSet::default();
    let place = place(direction, semantics, &mut consulted);
    (place, consulted.contains(Choice::TextureCubeTie))
}

#[test]
fn each_face_has_its_own_s_and_t() {
    // Minor coordinates 0.5 and -0.25 of a major one of 1: (0.5 + 1) / 2 = 0.75, (-0.25 + 1) / 2 = 0.375, and with the other sign 0.25 and
    // 0.625.
    for (direction, face, at) in [
        ([1.0, 0.5, -0.25], 0, [0.625, 0.25]),
        ([-1.0, 0.5, -0.25], 1, [0.375, 0.25]),
        ([0.5, 1.0, -0.25], 2, [0.75, 0.375]),
        ([0.5, -1.0, -0.25], 3, [0.75, 0.625]),
        ([0.5, -0.25, 1.0], 4, [0.75, 0.625]),
        ([0.5, -0.25, -1.0], 5, [0.25, 0.625]),
        // The length of the direction is of no consequence.
        ([8.0, 4.0, -2.0], 0, [0.625, 0.25]),
    ] {
        let found = under(direction, &Semantics::default());
        assert_eq!(found, (Some(Place { face, at, is_exact: [true; 2] }), false), "{direction:?}");
    }
}

#[test]
fn deviations_of_faces() {
    let place = |deviation, direction| {
        let (place, _) = under(direction, &Semantics::default().with(deviation));
        place.map(|place| (place.face, place.at))
    };
    // Face 2 is that of y; t is z there, -0.25, at 0.375, or turned at 0.625.
    let up = [0.5, 1.0, -0.25];
    assert_eq!(place(Deviation::TexCubeYExchanged, up), Some((3, [0.75, 0.375])));
    assert_eq!(place(Deviation::TexCubeYExchanged, [1.0, 0.5, -0.25]), Some((0, [0.625, 0.25])));
    assert_eq!(place(Deviation::TexCubeFlipped, up), Some((2, [0.75, 0.625])));
}

#[test]
fn a_quotient_that_is_no_binary32_is_not_exact() {
    let (place, _) = under([3.0, 1.0, 0.0], &Semantics::default());
    // t = -1/3, s = 0.
    assert_eq!(place.expect("a direction").is_exact, [true, false]);
    // 2^-30 + 1 has more bits than a binary32.
    let (place, _) = under([1.0, 2f32.powi(-30), 0.0], &Semantics::default());
    assert_eq!(place.expect("a direction").is_exact, [true, false]);
}

#[test]
fn of_two_axes_the_order_decides() {
    let face = |alternative| {
        let assignment = Assignment::default().with(Choice::TextureCubeTie, alternative);
        let (place, asked) = under([1.0, -1.0, 0.5], &Semantics::default().under(assignment));
        assert!(asked);
        place.expect("a direction").face
    };
    // x-y-z, x-z-y, y-x-z, y-z-x, z-x-y, z-y-x: z is smaller.
    assert_eq!([0, 1, 2, 3, 4, 5].map(face), [0, 0, 3, 3, 0, 3]);
}

#[test]
fn what_is_no_direction_leads_nowhere() {
    for direction in [[0.0, -0.0, 0.0], [f32::NAN, 1.0, 0.0], [f32::INFINITY, 1.0, 0.0], [1e-40, 0.0, 0.0]] {
        assert_eq!(under(direction, &Semantics::default()).0, None, "{direction:?}");
    }
}

/// What filtering gives of the first component, under each reading of the weights; texel (i, j) of every face holds 256 i.
fn filtered(extent: u32, direction: [f32; 3]) -> [Channel; 2] {
    let row = |_| (0..extent).flat_map(|i| (256.0 * i as f32).to_le_bytes());
    let bytes: Vec<u8> = (0..6 * extent).flat_map(row).collect();
    let shape =
        Descriptor { geometry: Geometry::Cube, extent: [extent, extent, 1], layers: 6, texel_size: 4 };
    let image = Image { shape, format: Format { channel: ChannelType::F32, channels: 1 }, bytes: &bytes };
    let sampling = Sampling {
        normalized: true,
        filter: Some(FilterMode::Linear),
        address: [Some(AddressMode::Clamp); 3],
        read: ReadMode::Element,
        border: [0; 4],
        is_separate: false,
    };
    let request = Lookup {
        geometry: Geometry::Cube,
        coordinates: direction.map(Coordinate::Float),
        layer: 0,
        wanted: Kind::Float,
        offsets: [0; 3],
        names_texel: false,
    };
    [0, 1].map(|alternative| {
        let assignment = Assignment::default().with(Choice::TextureWeights, alternative);
        let semantics = Semantics::default().under(assignment);
        lookup(&image, &sampling, &request, &semantics, &mut ChoiceSet::default(), true)[0]
    })
}

#[test]
fn filtering_at_a_place_that_is_not_exact_gives_what_any_place_near_it_does() {
    let number = |channel: Channel| {
        assert_eq!(channel.undefined, 0);
        let bits =
            channel.within.map(|within| (f32::from_bits(within.least), f32::from_bits(within.greatest)));
        (f32::from_bits(channel.bits), bits)
    };
    let both = |direction| filtered(2, direction).map(number);
    // s = -0.1, at 0.45 of two texels, 0.9: less a half that is 0.4, and 102.4 steps of 256, rounded or truncated.
    assert_eq!(both([10.0, 0.0, 1.0]), [(102.0, None); 2]);
    // s = 1/3, at 2/3, 4/3: 0.8333, 213.33 steps. s = -1/3: 42.67, which is 43 or 42, and a value between them would do.
    assert_eq!(both([3.0, 0.0, -1.0]), [(213.0, None); 2]);
    assert_eq!(both([3.0, 0.0, 1.0]), [43.0, 42.0].map(|steps| (steps, Some((42.0, 43.0)))));
    // A bit beside the middle of the face: 128 steps, of which arithmetic that comes out lower and is truncated makes 127.
    assert_eq!(both([1.0, 0.0, 2f32.powi(-30)]), [(128.0, Some((127.0, 128.0))); 2]);
    // A bit beside the middle of the first texel the place may be before it, where what lies beyond the edge counts.
    let undefined = |direction| filtered(2, direction).map(|channel| channel.undefined);
    assert_eq!(undefined([1.0, 0.0, 0.5 - 2f32.powi(-25)]), [u32::MAX; 2]);
    assert_eq!(undefined([1.0, 0.0, 0.9]), [u32::MAX; 2]);
}

/// Of wider faces the places may be more than a step of the weights apart, so that nothing is known of what is filtered but where the place is exact.
#[test]
fn filtered_places_are_certain_on_faces_of_2048_texels() {
    let at = |is_exact| Place { face: 0, at: [0.45, 0.5], is_exact: [is_exact, true] };
    let certain =
        [2048.0, 2049.0].map(|extent| [false, true].map(|exact| is_certain(at(exact), extent, true, false)));
    assert_eq!(certain, [[true, true], [false, true]]);
}
