//! Textures (PTX ISA 9.7.10; CUDA programming guide, "Texture Fetching"): where coordinates lie, and what the sampler does there.

use warpdiff_model::{AddressMode, FilterMode, Geometry};
use warpdiff_semantics::surface::Descriptor;
use warpdiff_semantics::texture::{Coordinate, Lookup, Sampling};

use crate::ruling::{Ruling, Rulings};

/// What decides a lookup. Of a cube the coordinates are a direction, which lies nowhere else.
pub(crate) fn of_lookup(shape: &Descriptor, sampling: &Sampling, lookup: &Lookup) -> Rulings {
    let mut found = Rulings::default();
    let integers = matches!(lookup.coordinates[0], Coordinate::Integer(_));
    found.when(!integers && sampling.filter == Some(FilterMode::Linear), Ruling::TextureFiltered);
    found.when(!integers && sampling.normalized, Ruling::TextureNormalised);
    let dimensions = match lookup.geometry {
        Geometry::D1 | Geometry::A1d => 1,
        Geometry::D2 | Geometry::A2d => 2,
        Geometry::D3 => 3,
        Geometry::Cube | Geometry::Acube => 0,
    };
    let layers = match lookup.geometry {
        Geometry::A1d | Geometry::A2d => shape.layers,
        Geometry::Acube => shape.layers / Geometry::FACES,
        _ => u32::MAX,
    };
    let mut inside = lookup.layer < layers;
    found.when(!inside, Ruling::TextureLayerOut);
    for axis in 0..dimensions {
        let extent = f64::from(shape.extent[axis]);
        let place = match lookup.coordinates[axis] {
            Coordinate::Integer(index) => f64::from(index),
            Coordinate::Float(x) if sampling.normalized => f64::from(x) * extent,
            Coordinate::Float(x) => f64::from(x),
        } + f64::from(lookup.offsets[axis]);
        if place.is_nan() {
            found.insert(Ruling::TextureNan);
            inside = false;
        } else if place < 0.0 || place >= extent {
            found.extend(sampling.address[axis].map(outside).into_iter().collect());
            inside = false;
        }
    }
    found.when(inside, Ruling::TextureInside);
    found
}

/// What an address mode does outside of the image.
fn outside(mode: AddressMode) -> Ruling {
    match mode {
        AddressMode::Wrap => Ruling::TextureWraps,
        AddressMode::Mirror => Ruling::TextureMirrors,
        AddressMode::Clamp | AddressMode::ClampOgl => Ruling::TextureClamps,
        AddressMode::Border => Ruling::TextureBorder,
    }
}
