//! A whole lookup: all dimensions of an image, filtered.

use warpdiff_model::semantics::ChoiceSet;
use warpdiff_model::{Choice, Deviation, FilterMode, Format, Geometry, Semantics};

use super::axis::{Along, Axis, Coordinate, Tap};
use super::channel::{Channel, Kind, read};
use super::sampling::Sampling;
use crate::surface::Descriptor;

/// The four components that `tex` gives.
pub(crate) type Texel = [Channel; 4];

/// An image.
#[derive(Clone, Copy)]
pub(crate) struct Image<'a> {
    /// Its shape.
    pub(crate) shape: Descriptor,
    /// What a texel holds.
    pub(crate) format: Format,
    /// Its texels, tightly packed.
    pub(crate) bytes: &'a [u8],
}

/// What an instruction asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lookup {
    /// Its geometry.
    pub(crate) geometry: Geometry,
    /// x, y, z; those that the geometry does not have are ignored.
    pub(crate) coordinates: [Coordinate; 3],
    /// The index into an array, unsigned.
    pub(crate) layer: u32,
    /// `.dtype`
    pub(crate) wanted: Kind,
}

/// The components that `lookup` gives; notes in `consulted` the choices that decided them.
pub(crate) fn lookup(
    image: &Image<'_>,
    sampling: &Sampling,
    lookup: &Lookup,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Texel {
    let kind = Kind::of(image.format.channel, sampling.read);
    let rank = rank(lookup.geometry);
    let integers = matches!(lookup.coordinates[0], Coordinate::Integer(_));
    let filter = if integers { Some(FilterMode::Nearest) } else { sampling.filter };
    // "Linear texture filtering may be done only for textures that are configured to return floating-point data." Of a lookup in
    // another geometry than the image's no text says anything.
    let defined = filter == Some(FilterMode::Nearest) || kind == Kind::Float;
    let (Some(filter), true, true) = (filter, defined, lookup.geometry == image.shape.geometry) else {
        return [Channel::UNKNOWN; 4];
    };
    let mut axes = [Axis::one(Tap::Texel(0)); 3];
    for (n, axis) in axes.iter_mut().enumerate().take(rank) {
        let of = if semantics.has(Deviation::TexAddressOfX) { 0 } else { n };
        let along = Along {
            extent: image.shape.extent[n],
            normalized: sampling.normalized,
            mode: sampling.address[of],
            filter,
        };
        *axis = along.at(lookup.coordinates[n], semantics, consulted);
    }
    let Some(layer) = layer(image.shape, lookup.layer, semantics, consulted) else {
        return [Channel::UNKNOWN; 4];
    };
    let mut out = match filter {
        FilterMode::Nearest => {
            let taps = axes.map(|axis| axis.taps[0].0);
            texel(image, sampling, taps, layer, semantics, consulted)
        }
        FilterMode::Linear => filtered(image, sampling, &axes, layer, semantics, consulted),
    };
    for component in &mut out {
        retype(component, kind, lookup.wanted, semantics, consulted);
    }
    out
}

/// Dimensions with a coordinate.
fn rank(geometry: Geometry) -> usize {
    match geometry {
        Geometry::D1 | Geometry::A1d => 1,
        Geometry::D2 | Geometry::A2d => 2,
        Geometry::D3 => 3,
    }
}

/// The layer of an index. Beyond the array it is the last one, as image arrays have it in OpenCL 1.2 (8.4), or anything: no text
/// of PTX or CUDA says.
fn layer(shape: Descriptor, index: u32, semantics: &Semantics, consulted: &mut ChoiceSet) -> Option<u32> {
    let layers = match shape.geometry {
        Geometry::A1d | Geometry::A2d => shape.layers.max(1),
        _ => return Some(0),
    };
    if index < layers {
        return Some(index);
    }
    if semantics.has(Deviation::TexLayerWraps) {
        return Some(index % layers);
    }
    consulted.insert(Choice::TextureLayer);
    (semantics.assignment.get(Choice::TextureLayer) == 0).then_some(layers - 1)
}

/// The texel that the taps of the axes name.
fn texel(
    image: &Image<'_>,
    sampling: &Sampling,
    taps: [Tap; 3],
    layer: u32,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Texel {
    let kind = Kind::of(image.format.channel, sampling.read);
    if taps.contains(&Tap::Unknown) {
        return [Channel::UNKNOWN; 4];
    }
    let channels = usize::from(image.format.channels);
    let mut out = [Channel::UNKNOWN; 4];
    for (component, value) in out.iter_mut().enumerate().skip(channels) {
        *value = missing(component, kind, semantics, consulted);
    }
    if taps.contains(&Tap::Zero) || taps.contains(&Tap::Border) {
        let color = if taps.contains(&Tap::Zero) { [0; 4] } else { sampling.border };
        for (component, value) in out.iter_mut().enumerate() {
            *value = outside(color[component], *value, component < channels, kind);
        }
        return out;
    }
    let [x, y, z] = taps.map(|tap| if let Tap::Texel(index) = tap { u64::from(index) } else { 0 });
    let [width, height, depth] = image.shape.extent.map(u64::from);
    let texel = ((u64::from(layer) * depth + z) * height + y) * width + x;
    let size = image.format.channel.size() as usize;
    for (component, value) in out.iter_mut().enumerate().take(channels) {
        let start = texel as usize * channels * size + component * size;
        let Some(bytes) = image.bytes.get(start..start + size) else { return [Channel::UNKNOWN; 4] };
        let stored = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
        *value = read(stored, image.format.channel, sampling.read, semantics, consulted);
    }
    out
}

/// A component that texels do not have: of (0, 0, 0, 1), as `read_image` of OpenCL 1.0 has it (6.11.8), whose formats these are, or
/// anything: no text of PTX or CUDA says.
fn missing(component: usize, kind: Kind, semantics: &Semantics, consulted: &mut ChoiceSet) -> Channel {
    consulted.insert(Choice::TextureComponents);
    if semantics.assignment.get(Choice::TextureComponents) != 0 {
        return Channel::UNKNOWN;
    }
    let is_w = component == 3 && !semantics.has(Deviation::TexMissingWZero);
    Channel::known(match (is_w, kind) {
        (false, _) => 0,
        (true, Kind::Float) => 1f32.to_bits(),
        (true, _) => 1,
    })
}

/// A component of the border, a float. What a float is as an integer is not said, but of zero; nor whether a component that texels
/// do not have is the border's.
fn outside(color: u32, missing: Channel, present: bool, kind: Kind) -> Channel {
    let value = match kind {
        Kind::Float => Channel::known(color),
        _ if color << 1 == 0 => Channel::known(0),
        _ => Channel::UNKNOWN,
    };
    if present || value == missing { value } else { Channel::UNKNOWN }
}

/// The weighted mean of the texels around the coordinates.
fn filtered(
    image: &Image<'_>,
    sampling: &Sampling,
    axes: &[Axis; 3],
    layer: u32,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Texel {
    let mut means = [Mean::default(); 4];
    let [x, y, z] = axes;
    for (z, wz) in &z.taps[..z.count] {
        for (y, wy) in &y.taps[..y.count] {
            for (x, wx) in &x.taps[..x.count] {
                let found = texel(image, sampling, [*x, *y, *z], layer, semantics, consulted);
                for (mean, channel) in means.iter_mut().zip(found) {
                    mean.add(channel, wx * wy * wz);
                }
            }
        }
    }
    means.map(Mean::value)
}

/// A weighted mean of floats.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    /// Whether some part is negative, or a negative zero.
    signed: bool,
    unknown: bool,
}

impl Mean {
    fn add(&mut self, channel: Channel, weight: f64) {
        let value = f32::from_bits(channel.bits);
        if channel.undefined != 0 || !value.is_finite() || value.is_subnormal() {
            // Nothing times infinity is no number; a part that takes nothing else needs no value, if it has one.
            self.unknown |= weight > 0.0 || !value.is_finite();
            return;
        }
        // A weight has 24 bits at most, as a binary32 has.
        self.sum += f64::from(value) * weight;
        self.signed |= value.is_sign_negative();
    }

    /// The mean. The sign of a zero that parts of both signs may have made, and whether a subnormal number is one, no text says.
    fn value(self) -> Channel {
        let value = self.sum as f32;
        if self.unknown || value.is_subnormal() {
            return Channel::UNKNOWN;
        }
        Channel { bits: value.to_bits(), undefined: if value == 0.0 && self.signed { 1 << 31 } else { 0 } }
    }
}

/// `.dtype` is the type of the destination: no text says that it converts. An integer that is the same number in both types is
/// that number.
fn retype(
    component: &mut Channel,
    kind: Kind,
    wanted: Kind,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) {
    let negative = component.bits >> 31 == 1;
    let agrees = match (kind, wanted) {
        (Kind::Float, Kind::Float) => true,
        (Kind::Float, _) | (_, Kind::Float) => false,
        (kind, wanted) => kind == wanted || !negative,
    };
    if agrees || component.undefined == u32::MAX {
        return;
    }
    consulted.insert(Choice::TextureType);
    if semantics.assignment.get(Choice::TextureType) != 0 {
        *component = Channel::UNKNOWN;
    }
}
