//! The face of a cube that a direction leads to, and the place on it.
//!
//! "Of the three coordinates (s, t, r), the coordinate of the largest magnitude (the major axis) selects the cube face. Then, the other two
//! coordinates (the minor axes) are divided by the absolute value of the major axis to produce a new (s, t) coordinate pair" (PTX ISA
//! 9.7.10.3). Which layer is which face, and which way s and t go on it, is a table of the CUDA C++ Programming Guide, "Cubemap Textures":
//!
//! | the largest | face | m | s | t |
//! |---|---|---|---|---|
//! | x, not negative | 0 | x | -z | -y |
//! | x, negative | 1 | -x | z | -y |
//! | y, not negative | 2 | y | x | z |
//! | y, negative | 3 | -y | x | -z |
//! | z, not negative | 4 | z | x | -y |
//! | z, negative | 5 | -z | -x | -y |
//!
//! "The corresponding layer is addressed using coordinates (s/m+1)/2 and (t/m+1)/2". In which arithmetic they are made no text says: a place
//! that is not exact is given where no arithmetic of binary32 would lead to another texel. Where texels are filtered the value is that of any
//! of these places, and of none if one of them reaches beyond the face.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{AddressMode, Choice, Deviation, FilterMode, Geometry, Semantics};

use super::axis::{Coordinate, STEPS};
use super::lookup::{Image, Lookup, layer};
use super::sampling::Sampling;

/// The orders of the alternatives of [`Choice::TextureCubeTie`]: axes by number.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// How far the arithmetic of a place may be off, in parts of the face: a quotient, a sum and a product of binary32, the quotient as a product
/// with a reciprocal.
const DOUBT: f64 = 1.0 / (1 << 20) as f64;

/// The widest face, in texels, along which a doubt on both sides of a place is no more than a step of the weights: 2048.
const WIDEST_FILTERED: f64 = 1.0 / (2.0 * DOUBT * STEPS);

/// A place on a face, each coordinate from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// 0 to 5.
    pub face: u32,
    /// Along s and t.
    pub at: [f64; 2],
    /// Whether they are exact in binary32 at every step.
    pub is_exact: [bool; 2],
}

/// Where a direction leads; `None` if it is none: all zero, infinite or no number.
pub(super) fn place(direction: [f32; 3], semantics: &Semantics, consulted: &mut ChoiceSet) -> Option<Place> {
    if direction.iter().any(|part| !part.is_finite()) {
        return None;
    }
    let largest = direction.iter().fold(0f32, |largest, part| largest.max(part.abs()));
    let is_largest = |axis: usize| direction[axis].abs() == largest;
    if largest == 0.0 || largest.is_subnormal() {
        return None;
    }
    let order = match (0..3).filter(|axis| is_largest(*axis)).count() {
        1 => 0,
        _ => {
            consulted.insert(Choice::TextureCubeTie);
            semantics.assignment.get(Choice::TextureCubeTie)
        }
    };
    let axis = ORDERS[usize::from(order)].into_iter().find(|axis| is_largest(*axis))?;
    let [x, y, z] = direction;
    let is_negative = direction[axis] < 0.0;
    let (face, [s, t]) = match (axis, is_negative) {
        (0, false) => (0, [-z, -y]),
        (0, true) => (1, [z, -y]),
        (1, false) => (2, [x, z]),
        (1, true) => (3, [x, -z]),
        (_, false) => (4, [x, -y]),
        (_, true) => (5, [-x, -y]),
    };
    let face = match face {
        2 | 3 if semantics.has(Deviation::TexCubeYExchanged) => 5 - face,
        _ => face,
    };
    let t = if semantics.has(Deviation::TexCubeFlipped) { -t } else { t };
    let at = [s, t].map(|minor| (f64::from(minor) / f64::from(largest) + 1.0) / 2.0);
    let is_exact = [s, t].map(|minor| {
        let quotient = minor / largest;
        let product = f64::from(quotient) * f64::from(largest) == f64::from(minor);
        product && f64::from(quotient + 1.0) == f64::from(quotient) + 1.0
    });
    Some(Place { face, at, is_exact })
}

/// A lookup of a cube as one of the layer that is the face.
pub(super) struct OnFace<'a> {
    pub image: Image<'a>,
    pub sampling: Sampling,
    pub request: Lookup,
    /// How far each coordinate may be off, where that leads to other weights.
    pub doubt: [f64; 2],
}

/// A lookup of a cube as one of the layer that is the face; `None` if nothing is known of what it gives.
pub(super) fn on_face<'a>(
    image: &Image<'a>,
    sampling: &Sampling,
    request: &Lookup,
    gathers: bool,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Option<OnFace<'a>> {
    let [Coordinate::Float(x), Coordinate::Float(y), Coordinate::Float(z)] = request.coordinates else {
        return None;
    };
    // Coordinates that number texels no text has for a direction.
    if request.geometry != image.shape.geometry || !sampling.normalized {
        return None;
    }
    let place = place([x, y, z], semantics, consulted)?;
    let filter = sampling.filter?;
    let extent = f64::from(image.shape.extent[0]);
    let is_filtered = filter == FilterMode::Linear && !gathers;
    if !is_certain(place, extent, is_filtered, gathers) {
        return None;
    }
    let doubt = place.is_exact.map(|is_exact| if is_filtered && !is_exact { DOUBT } else { 0.0 });
    let mut cubes = image.shape;
    cubes.layers /= Geometry::FACES;
    let cube = layer(cubes, request.layer, semantics, consulted)?;
    let apart = if semantics.has(Deviation::TexAcubeByFace) { 1 } else { Geometry::FACES };
    let mut shape = image.shape;
    shape.geometry = Geometry::A2d;
    // Beyond a face lies the next one, or what the address mode says: no text of PTX or CUDA decides. The very end of a face belongs to it.
    let beside = match sampling.address {
        [Some(AddressMode::Clamp), Some(AddressMode::Clamp), _]
            if filter == FilterMode::Nearest && !gathers =>
        {
            Some(AddressMode::Clamp)
        }
        _ => None,
    };
    let sampling = Sampling { address: [beside; 3], ..*sampling };
    let [s, t] = place.at.map(|at| Coordinate::Float(at as f32));
    let request = Lookup {
        geometry: Geometry::A2d,
        coordinates: [s, t, Coordinate::Float(0.0)],
        layer: apart * cube + place.face,
        ..*request
    };
    Some(OnFace { image: Image { shape, ..*image }, sampling, request, doubt })
}

/// Whether a place leads to the same texels whatever the last bits are that are not exact; of filtered ones, to weights at most a step
/// apart.
pub(super) fn is_certain(place: Place, extent: f64, is_filtered: bool, gathers: bool) -> bool {
    let doubt = DOUBT * extent;
    let shift = if gathers { 0.5 } else { 0.0 };
    place.at.iter().zip(place.is_exact).all(|(at, is_exact)| {
        let texel = at * extent - shift;
        match is_filtered {
            _ if is_exact => true,
            true => extent <= WIDEST_FILTERED,
            false => (texel - doubt).floor() == (texel + doubt).floor(),
        }
    })
}
