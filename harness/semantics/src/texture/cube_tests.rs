//! Worked out by hand from the table of the CUDA programming guide that `cube` quotes.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{Assignment, Choice, Semantics};

use super::cube::{Place, place};

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
        assert_eq!(found, (Some(Place { face, at, is_exact: true }), false), "{direction:?}");
    }
}

#[test]
fn a_quotient_that_is_no_binary32_is_not_exact() {
    let (place, _) = under([3.0, 1.0, 0.0], &Semantics::default());
    assert!(!place.expect("a direction").is_exact);
    // 2^-30 + 1 has more bits than a binary32.
    let (place, _) = under([1.0, 2f32.powi(-30), 0.0], &Semantics::default());
    assert!(!place.expect("a direction").is_exact);
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
