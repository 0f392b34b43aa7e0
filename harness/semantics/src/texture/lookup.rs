//! A texture lookup with its filtering, over all dimensions of an image.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{ChannelType, Choice, Deviation, FilterMode, Format, Geometry, Semantics};

use super::axis::{Along, Axis, Coordinate, Tap};
use super::channel::{Channel, Kind, read};
use super::cube::on_face;
use super::sampling::Sampling;
use crate::numeric::bound::{self, Document, Interval, towards};
use crate::numeric::rounding::Rounding;
use crate::surface::Descriptor;

/// The four components that `tex` gives.
pub type Texel = [Channel; 4];

/// An image.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    /// Its shape.
    pub shape: Descriptor,
    /// The texel format.
    pub format: Format,
    /// Its texels, tightly packed.
    pub bytes: &'a [u8],
}

/// The lookup that an instruction requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lookup {
    /// Its geometry.
    pub geometry: Geometry,
    /// x, y, z; those that the geometry does not have are ignored.
    pub coordinates: [Coordinate; 3],
    /// The index into an array, unsigned.
    pub layer: u32,
    /// `.dtype`
    pub wanted: Kind,
    /// Texels added to each coordinate.
    pub offsets: [i32; 3],
    /// Whether the instruction is one whose integer coordinates name a texel where it is for each to say (`Choice::TextureIntegerSampler`).
    pub names_texel: bool,
}

/// A texel that a gather takes: of the two neighbours along each axis, the first or the second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// Texels added to x and y.
    pub offset: [i32; 2],
    /// Whether it is the second neighbour along x, and along y.
    pub second: [bool; 2],
}

/// A row of the four texels of a gather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// That of the smaller y.
    First,
    /// That of the greater y.
    Second,
}

impl Gathered {
    /// The neighbours of a gather in their order, all at one offset: the four texels "in counter-clockwise order starting at lower left"
    /// (PTX ISA 9.7.10.4, `tld4`). OpenGL, Vulkan and Direct3D have the order in which the second row is the lower one.
    pub fn around(offset: [i32; 2], lower: Row) -> [Self; 4] {
        let down = lower == Row::Second;
        [[false, down], [true, down], [true, !down], [false, !down]].map(|second| Self { offset, second })
    }

    /// For each texel an offset of its own: the first neighbours there ("selecting the texel T_i0j0", `textureGatherOffsets` of
    /// OpenGL 4.6, to which yuzu and Ryujinx translate `.PTP`).
    pub fn at_offsets(offsets: [[i32; 2]; 4]) -> [Self; 4] {
        offsets.map(|offset| Self { offset, second: [false; 2] })
    }
}

/// One component of four texels; records the choices that decided them in `consulted`. Coordinates are floats, in two dimensions;
/// the filter is of no consequence, since the texels are not weighed.
pub fn gather(
    image: &Image<'_>,
    sampling: &Sampling,
    request: &Lookup,
    (component, gathered): (usize, [Gathered; 4]),
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Texel {
    let mut out = [Channel::UNKNOWN; 4];
    if request.geometry.is_cube() {
        let Some(face) = on_face(image, sampling, request, true, semantics, consulted) else { return out };
        let what = (component, gathered);
        return gather(&face.image, &face.sampling, &face.request, what, semantics, consulted);
    }
    let [Coordinate::Float(x), Coordinate::Float(y), _] = request.coordinates else { return out };
    if request.geometry != image.shape.geometry || rank(request.geometry) != 2 {
        return out;
    }
    let Some(layer) = layer(image.shape, request.layer, semantics, consulted) else { return out };
    let kind = Kind::of(image.format.channel, sampling.read);
    for (value, Gathered { offset, second }) in out.iter_mut().zip(gathered) {
        let mut taps = [Tap::Texel(0); 3];
        for (n, coordinate) in [x, y].into_iter().enumerate() {
            let along = Along {
                extent: image.shape.extent[n],
                normalized: sampling.normalized,
                mode: sampling.address[n],
                filter: FilterMode::Linear,
                offset: offset[n],
            };
            taps[n] = along.neighbours(coordinate, semantics, consulted)[usize::from(second[n])];
        }
        *value = texel(image, sampling, taps, layer, semantics, consulted)[component];
        retype(value, kind, request.wanted, semantics, consulted);
    }
    out
}

/// The coordinates that count: integers may be taken for numbers where a separate sampler filters.
fn coordinates(
    sampling: &Sampling,
    lookup: &Lookup,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> [Coordinate; 3] {
    let integers = matches!(lookup.coordinates[0], Coordinate::Integer(_));
    if !integers || !sampling.is_separate || sampling.filter != Some(FilterMode::Linear) {
        return lookup.coordinates;
    }
    consulted.insert(Choice::TextureIntegerSampler);
    match semantics.assignment.get(Choice::TextureIntegerSampler) {
        0 => return lookup.coordinates,
        2 if lookup.names_texel => return lookup.coordinates,
        _ => {}
    }
    lookup.coordinates.map(|coordinate| match coordinate {
        Coordinate::Integer(number) => Coordinate::Float(number as f32),
        number @ Coordinate::Float(_) => number,
    })
}

/// The components returned by `lookup`; records the choices that decided them in `consulted`. `bounds` enables the error bounds of
/// filtered values.
pub fn lookup(
    image: &Image<'_>,
    sampling: &Sampling,
    lookup: &Lookup,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
    bounds: bool,
) -> Texel {
    let lookup = Lookup { layer: layer_index(image.shape, sampling, lookup.layer, semantics), ..*lookup };
    if !lookup.geometry.is_cube() {
        return in_image(image, sampling, &lookup, [0.0; 2], semantics, consulted, bounds);
    }
    let Some(face) = on_face(image, sampling, &lookup, false, semantics, consulted) else {
        return [Channel::UNKNOWN; 4];
    };
    in_image(&face.image, &face.sampling, &face.request, face.doubt, semantics, consulted, bounds)
}

/// The index of the layer, or of the cube, that a program names.
fn layer_index(shape: Descriptor, sampling: &Sampling, named: u32, semantics: &Semantics) -> u32 {
    if !sampling.normalized || !semantics.has(Deviation::TexLayerNormalised) {
        return named;
    }
    let faces = if shape.geometry.is_cube() { Geometry::FACES } else { 1 };
    named.wrapping_mul(shape.layers / faces)
}

/// The same of an image that is no cube. x and y may be off by `doubt`, which matters where texels are filtered.
fn in_image(
    image: &Image<'_>,
    sampling: &Sampling,
    lookup: &Lookup,
    doubt: [f64; 2],
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
    bounds: bool,
) -> Texel {
    let kind = Kind::of(image.format.channel, sampling.read);
    let rank = rank(lookup.geometry);
    let coordinates = coordinates(sampling, lookup, semantics, consulted);
    let integers = matches!(coordinates[0], Coordinate::Integer(_));
    let filter = if integers { Some(FilterMode::Nearest) } else { sampling.filter };
    // "Linear texture filtering may be done only for textures that are configured to return floating-point data." Of a lookup in
    // another geometry than the image's no text says anything.
    let defined = filter == Some(FilterMode::Nearest) || kind == Kind::Float;
    let (Some(filter), true, true) = (filter, defined, lookup.geometry == image.shape.geometry) else {
        return [Channel::UNKNOWN; 4];
    };
    let axes_under = |sign: f64, semantics: &Semantics, consulted: &mut ChoiceSet| {
        let mut axes = [Axis::one(Tap::Texel(0)); 3];
        for (n, axis) in axes.iter_mut().enumerate().take(rank) {
            let of = if semantics.has(Deviation::TexAddressOfX) { 0 } else { n };
            let along = Along {
                extent: image.shape.extent[n],
                normalized: sampling.normalized,
                mode: sampling.address[of],
                filter,
                offset: lookup.offsets[n],
            };
            let coordinate = match (coordinates[n], doubt.get(n)) {
                (Coordinate::Float(x), Some(doubt)) if sign * doubt != 0.0 => {
                    Coordinate::Float((f64::from(x) + sign * doubt) as f32)
                }
                (coordinate, _) => coordinate,
            };
            *axis = along.at(coordinate, semantics, consulted);
        }
        axes
    };
    let axes = axes_under(0.0, semantics, consulted);
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
    if bounds && filter == FilterMode::Linear {
        // Weights may be rounded along one axis and truncated along another, and so may a place be less along one and more along another.
        let of_cube = doubt != [0.0; 2];
        let mut readings = [axes; 4];
        for (n, reading) in readings.iter_mut().enumerate().take(if of_cube { 4 } else { 2 }) {
            let assignment = semantics.assignment.with(Choice::TextureWeights, n as u8 % 2);
            let sign = if n < 2 { -1.0 } else { 1.0 };
            *reading = axes_under(sign, &semantics.under(assignment), consulted);
        }
        let readings = if of_cube { &readings[..] } else { &readings[..2] };
        bound(&mut out, image, sampling, (readings, of_cube), layer, semantics, consulted);
    }
    for component in &mut out {
        retype(component, kind, lookup.wanted, semantics, consulted);
    }
    out
}

/// Dimensions with a coordinate.
#[inline]
fn rank(geometry: Geometry) -> usize {
    match geometry {
        Geometry::D1 | Geometry::A1d => 1,
        Geometry::D2 | Geometry::A2d => 2,
        Geometry::D3 | Geometry::Cube | Geometry::Acube => 3,
    }
}

/// The layer of an index. Beyond the array it is the last one, as image arrays have it in OpenCL 1.2 (8.4), or anything: no text
/// of PTX or CUDA says.
pub(super) fn layer(
    shape: Descriptor,
    index: u32,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Option<u32> {
    let layers = match shape.geometry {
        Geometry::A1d | Geometry::A2d | Geometry::Acube => shape.layers.max(1),
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
    let size = image.format.channel.size() as usize;
    let z = if semantics.has(Deviation::TexSlicesFold) { 0 } else { z };
    let row = ((u64::from(layer) * depth + z) * height + y) * width;
    let row_size = if semantics.has(Deviation::TexRowsInTexels) { 1 } else { channels * size };
    let apart = if semantics.has(Deviation::TexComponentsInWords) { 4 } else { size };
    for (component, value) in out.iter_mut().enumerate().take(channels) {
        let start = row as usize * row_size + x as usize * channels * size + component * apart;
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
#[inline]
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
    means(image, sampling, axes, layer, semantics, consulted).map(Mean::value)
}

fn means(
    image: &Image<'_>,
    sampling: &Sampling,
    axes: &[Axis; 3],
    layer: u32,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> [Mean; 4] {
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
    means
}

/// Bounds filtered values.
///
/// "α, β, and γ are stored in 9-bit fixed point format with 8 bits of fractional value": whether they are rounded or truncated is not said,
/// and the result between the readings is as good as either. In which arithmetic texels are weighed and added is not said either; it is
/// taken to be binary32 or better, so that where every product and sum is a binary32 there is one result. Of integers read as floats not
/// even that is said, but that the interpolation is "low-precision", for which the weights' steps are the one measure given: such a
/// value may be off by one of them along each axis.
fn bound(
    out: &mut Texel,
    image: &Image<'_>,
    sampling: &Sampling,
    (readings, of_cube): (&[[Axis; 3]], bool),
    layer: u32,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) {
    // The first of equal readings of an axis stands for all of them.
    let ways =
        |n: usize| (0..readings.len()).filter(move |k| (0..*k).all(|j| readings[j][n] != readings[*k][n]));
    let mut spans = [Span::default(); 4];
    // All ways to read each axis: a mean is linear in each weight, so that its extremes are among them.
    for x in ways(0) {
        for y in ways(1) {
            for z in ways(2) {
                let axes = [readings[x][0], readings[y][1], readings[z][2]];
                let means = means(image, sampling, &axes, layer, semantics, consulted);
                spans.iter_mut().zip(means).for_each(|(span, mean)| span.add(mean));
            }
        }
    }
    let coarse = !matches!(image.format.channel, ChannelType::F32 | ChannelType::F16);
    for (component, span) in out.iter_mut().zip(spans) {
        if of_cube && span.unknown {
            *component = Channel::UNKNOWN;
        }
        if component.undefined == 0 {
            let by = if of_cube { Document::FilterCube } else { Document::Filter };
            component.within = span.interval(component.bits, coarse, by);
        }
    }
}

/// The possible range of a weighted mean.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    least: Option<f64>,
    greatest: Option<f64>,
    /// Error bound of the binary32 arithmetic.
    rounding: f64,
    /// Maximum change of the mean if the weight of each axis changes by 1.
    range: f64,
    /// The least and the greatest of the averaged values: the mean stays between them for any non-negative weights that sum to 1.
    parts: Option<(f64, f64)>,
    /// Whether some reading has no mean.
    unknown: bool,
}

impl Span {
    fn add(&mut self, mean: Mean) {
        if mean.unknown {
            self.unknown = true;
            return;
        }
        self.least = Some(self.least.map_or(mean.sum, |least| least.min(mean.sum)));
        self.greatest = Some(self.greatest.map_or(mean.sum, |greatest| greatest.max(mean.sum)));
        self.rounding = self.rounding.max(mean.rounding());
        self.range = self.range.max(mean.range());
        let (least, greatest) = self.parts.unwrap_or((mean.least, mean.greatest));
        self.parts = Some((least.min(mean.least), greatest.max(mean.greatest)));
    }

    /// The interval of the result, which is a binary32 whatever the mean; `None` if it is `bits` alone.
    fn interval(self, bits: u32, coarse: bool, by: Document) -> Option<Interval> {
        let step = if coarse { self.range / 256.0 } else { 0.0 };
        let (bottom, top) = self.parts?;
        let least = (self.least? - step).max(bottom) - self.rounding;
        let greatest = (self.greatest? + step).min(top) + self.rounding;
        let by = if step > 0.0 { Document::FilterIntegers } else { by };
        let lower = [bits, towards(least, Rounding::Rm)].into_iter().min_by_key(|bits| bound::rank(*bits))?;
        let upper =
            [bits, towards(greatest, Rounding::Rp)].into_iter().max_by_key(|bits| bound::rank(*bits))?;
        let is_one = bound::rank(lower) == bound::rank(upper);
        (!is_one).then_some(Interval { least: lower, greatest: upper, by })
    }
}

/// A weighted mean of floats.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    /// Whether some part is negative, or a negative zero.
    signed: bool,
    unknown: bool,
    /// The parts that something is taken of: how many, the least and the greatest, and their magnitudes added.
    parts: u32,
    least: f64,
    greatest: f64,
    magnitudes: f64,
    /// The least power of two that divides all of them, and that which divides all weights; `None` if there is none but zeros.
    grain: Option<i32>,
    weight_grain: i32,
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
        let exact = f64::from(value);
        self.sum += exact * weight;
        self.signed |= value.is_sign_negative();
        if weight > 0.0 {
            let first = self.parts == 0;
            self.least = if first { exact } else { self.least.min(exact) };
            self.greatest = if first { exact } else { self.greatest.max(exact) };
            self.parts += 1;
            self.magnitudes += exact.abs();
            self.grain = [self.grain, grain(exact)].into_iter().flatten().min();
            self.weight_grain = self.weight_grain.min(grain(weight).unwrap_or(0));
        }
    }

    /// How far any order of products and sums in binary32, each rounded up or down, may be from the mean.
    fn rounding(&self) -> f64 {
        let Some(grain) = self.grain else { return 0.0 };
        // All products and sums are multiples of this; if the greatest of them has no more than 24 bits above it, none is rounded.
        let step = f64::from(grain + self.weight_grain).exp2();
        if self.parts < 2 || self.magnitudes <= step * f64::from(1 << 24) {
            return 0.0;
        }
        // Along each axis a difference, a product and a sum, or two products and a sum.
        3.0 * self.axes() * self.magnitudes * f64::from(f32::EPSILON)
    }

    /// How many axes it goes along: the parts are two of each.
    #[inline]
    fn axes(&self) -> f64 {
        f64::from(self.parts.max(1).ilog2())
    }

    /// How far it changes at most if each axis' weight does so by 1.
    #[inline]
    fn range(&self) -> f64 {
        (self.greatest - self.least) * self.axes()
    }

    /// The mean. The sign of a zero that parts of both signs may have made, and whether a subnormal number is one, no text says.
    #[inline]
    fn value(self) -> Channel {
        let value = self.sum as f32;
        if self.unknown || value.is_subnormal() {
            return Channel::UNKNOWN;
        }
        let undefined = if value == 0.0 && self.signed { 1 << 31 } else { 0 };
        Channel { bits: value.to_bits(), undefined, within: None }
    }
}

/// The exponent of the least power of two in a number; `None` of zero.
#[inline]
fn grain(value: f64) -> Option<i32> {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, bits & ((1 << 52) - 1));
    // Texels that are no normal numbers were left out, and weights are none.
    (value != 0.0).then(|| exponent - 1023 - 52 + (fraction | 1 << 52).trailing_zeros() as i32)
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
