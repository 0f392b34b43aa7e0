//! `tex` without and with filtering: textures, samplers, and coordinates in, at and beyond the bounds.
//!
//! A result has to be decided to the last bit, so where texels are filtered they are multiples of `UNIT` and coordinates of a
//! fraction of which the product of the weights is a multiple of 1 / `UNIT`: every sum is an integer that a binary32 holds, in whatever order
//! it is made. Where integers are read as fractions they are the ends of their range, whose quotients are exact. Images with
//! normalised coordinates have a power of two texels in each dimension, so that it does not matter how the two are multiplied.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use warpdiff_model::{AddressMode, ChannelType, FilterMode, Format, Geometry, ReadMode, Sampler};
use warpdiff_ptx::ast::WordKind;
use warpdiff_ptx::vocabulary::{Modifier, Type};

use crate::builder::{Builder, weighted};
use crate::image::Reach;
use crate::seed;
use crate::specimen::{Beside, Class, Coordinate, Image, Operand, Picture, Shape, Step};
use crate::surface;

/// What filtered texels are multiples of: weights have a sixteenth for each of three dimensions.
const UNIT: i32 = 16 * 16 * 16;

/// Channels of a texture that are read from the bytes of a program; those behind them are made of one number, since a large texture would use up all
/// bytes.
const DRAWN: usize = 64;

/// Steps of a coordinate from one texel to the next: finer than the weights of filtering, which have 256.
pub(crate) const STEPS: i64 = 1024;

/// An instruction and what it is right for.
#[derive(Debug)]
struct Lookup {
    weight: u32,
    /// `.dtype`: what channels of these types are read as.
    ty: &'static str,
    channels: &'static [ChannelType],
    read: ReadMode,
    filter: FilterMode,
}

/// The table: `tex` (9.7.10.3) by what it gives.
#[rustfmt::skip]
const LOOKUPS: &[Lookup] = &[
    Lookup { weight: 4, ty: "f32", channels: &[ChannelType::F32, ChannelType::F16], read: ReadMode::Element, filter: FilterMode::Nearest },
    Lookup { weight: 6, ty: "f32", channels: &[ChannelType::F32, ChannelType::F32, ChannelType::F16], read: ReadMode::Element, filter: FilterMode::Linear },
    Lookup { weight: 3, ty: "u32", channels: &[ChannelType::U8, ChannelType::U16, ChannelType::U32], read: ReadMode::Element, filter: FilterMode::Nearest },
    Lookup { weight: 3, ty: "s32", channels: &[ChannelType::S8, ChannelType::S16, ChannelType::S32], read: ReadMode::Element, filter: FilterMode::Nearest },
    Lookup { weight: 1, ty: "f32", channels: &[ChannelType::U8, ChannelType::U16, ChannelType::S8, ChannelType::S16], read: ReadMode::NormalizedFloat, filter: FilterMode::Nearest },
    Lookup { weight: 1, ty: "f32", channels: &[ChannelType::Unorm8, ChannelType::Unorm16, ChannelType::Snorm8, ChannelType::Snorm16], read: ReadMode::Element, filter: FilterMode::Nearest },
];

/// Address modes of a texture with normalised coordinates; of others there are [`EDGES`] alone, since to wrap and to mirror is for these.
const MODES: &[AddressMode] =
    &[AddressMode::Wrap, AddressMode::Wrap, AddressMode::Mirror, AddressMode::Clamp, AddressMode::Border];

/// Address modes of any texture.
const EDGES: &[AddressMode] = &[AddressMode::Clamp, AddressMode::Border];

/// Adds a `tex`.
pub(crate) fn lookup(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let picture = builder.picture(u)?.clone();
    let (normalized, filter, _) = picture.sampling();
    // Integer coordinates number texels.
    let integers = !normalized && u.arbitrary::<u8>()? % 2 == 0;
    let ctype = if integers { "s32" } else { "f32" };
    let grain = grain(&picture.image, filter);
    let mut sources = Vec::with_capacity(4);
    if picture.image.geometry.is_cube() {
        sources = direction(builder, u, &picture.image)?;
    }
    for coordinate in picture.image.coordinates().iter().skip(sources.len()) {
        let extent = picture.image.extent_along(*coordinate);
        let values = builder.values(u, |u| {
            let bits = match coordinate {
                Coordinate::Ignored => u.arbitrary()?,
                Coordinate::Layer => layer(u, extent)?,
                _ if integers => whole(u, extent)? as u32,
                _ => {
                    let texels = place(u, extent, grain)? as f32 / STEPS as f32;
                    if normalized { texels / extent as f32 } else { texels }.to_bits()
                }
            };
            Ok(bits.into())
        })?;
        sources.push(Operand::Register(builder.input(Class::B32, values)));
    }
    let form = weighted(u, FORMS, |form| form.weight)?;
    // A gather is of two dimensions, and of coordinates that are filtered.
    let is_cube = picture.image.geometry.is_cube();
    let is_plane = is_cube || matches!(picture.image.geometry, Geometry::D2 | Geometry::A2d);
    let is_right = match form.words.starts_with("tld4") {
        true => is_plane && !integers,
        // Derivatives beside integers are not run.
        false => !(form.derivatives && integers),
    };
    let form = if is_right { form } else { &FORMS[0] };
    let zero = if integers { 0 } else { u64::from(u.choose(&[0f32, -0.0])?.to_bits()) };
    let vector = picture.image.dimensions();
    if form.level {
        sources.push(Operand::Register(builder.input(Class::B32, vec![zero; builder.threads() as usize])));
    }
    for _ in 0..(if form.derivatives { 2 * vector } else { 0 }) {
        sources.push(Operand::Register(builder.input(Class::B32, vec![0; builder.threads() as usize])));
    }
    let offset = form.offset && !is_cube && u.arbitrary::<u8>()? % 2 == 0;
    for _ in 0..(if offset { vector } else { 0 }) {
        let values = builder.values(u, |u| Ok(u64::from(u.int_in_range(-8..=7)? as u32)))?;
        sources.push(Operand::Register(builder.input(Class::B32, values)));
    }
    let results = (0..4).map(|_| builder.result(Class::B32)).collect();
    let geometry = surface::name(picture.image.geometry);
    let opcode = Cow::Owned(format!("{}.{geometry}.v4.{}.{ctype}", form.words, dtype(&picture)));
    let shape = Shape::TextureLoad { level: form.level, derivatives: form.derivatives, offset };
    builder.push(Step { guard: None, opcode, results, shape, sources, within: None });
    Ok(())
}

/// Why no step has those words.
pub(crate) fn left_out(words: &[WordKind]) -> Option<&'static str> {
    let has_derivatives = words.contains(&WordKind::Modifier(Modifier::Grad));
    let of_integers = words.last() == Some(&WordKind::Type(Type::S32));
    (has_derivatives && of_integers).then_some("derivatives beside integers are not run")
}

/// A direction for each thread, with an index before it or an element that is ignored behind. One coordinate is the largest, a power of two, and
/// the others are sixteenths of it, so that places on a face are exact.
fn direction(builder: &mut Builder, u: &mut Unstructured<'_>, image: &Image) -> Result<Vec<Operand>> {
    let mut columns: [Vec<u64>; 3] = Default::default();
    let mut indices = Vec::new();
    for _ in 0..builder.threads() {
        let roll = u.arbitrary::<u8>()?;
        let magnitude = [0.25f32, 1.0, 2.0, 8.0][usize::from(roll >> 4) % 4];
        let largest = usize::from(roll) % 3;
        for (axis, column) in columns.iter_mut().enumerate() {
            let sixteenths = match axis == largest {
                true => [-16, 16][usize::from(roll >> 3) % 2],
                false => u.int_in_range(-15..=15)?,
            };
            column.push((magnitude * sixteenths as f32 / 16.0).to_bits().into());
        }
        indices.push(layer(u, image.layers / Geometry::FACES)?.into());
    }
    let mut sources: Vec<Operand> =
        columns.into_iter().map(|values| Operand::Register(builder.input(Class::B32, values))).collect();
    if image.geometry == Geometry::Acube {
        sources.insert(0, Operand::Register(builder.input(Class::B32, indices)));
    } else {
        sources.push(sources[0]);
    }
    Ok(sources)
}

/// The words of a lookup, and the operands behind its address.
#[derive(Debug)]
struct Form {
    weight: u32,
    words: &'static str,
    level: bool,
    derivatives: bool,
    offset: bool,
}

/// The table: `tex` (9.7.10.3) and `tld4` (9.7.10.4) by their words. The level is 0 and derivatives are, since of others the text does not say
/// what they give; an offset is drawn for every second one that may have it. The first is right for every texture.
#[rustfmt::skip]
const FORMS: &[Form] = &[
    Form { weight: 6, words: "tex", level: false, derivatives: false, offset: true },
    Form { weight: 6, words: "tex.base", level: false, derivatives: false, offset: true },
    Form { weight: 5, words: "tex.level", level: true, derivatives: false, offset: true },
    Form { weight: 4, words: "tex.grad", level: false, derivatives: true, offset: true },
    Form { weight: 3, words: "tld4.r", level: false, derivatives: false, offset: true },
    Form { weight: 3, words: "tld4.g", level: false, derivatives: false, offset: true },
    Form { weight: 3, words: "tld4.b", level: false, derivatives: false, offset: true },
    Form { weight: 3, words: "tld4.a", level: false, derivatives: false, offset: true },
];

/// Draws a texture.
pub(crate) fn picture(u: &mut Unstructured<'_>) -> Result<Picture> {
    let row = weighted(u, LOOKUPS, |row| row.weight)?;
    let format = Format { channel: *u.choose(row.channels)?, channels: *u.choose(&[1, 2, 4])? };
    let mut image = surface::shaped(u, format)?;
    let normalized_coordinates = u.arbitrary::<u8>()? % 2 == 0;
    if normalized_coordinates {
        for extent in [&mut image.width, &mut image.height, &mut image.depth] {
            *extent = extent.next_power_of_two();
        }
    }
    if normalized_coordinates && u.arbitrary::<u8>()? % 4 == 0 {
        image.geometry = *u.choose(&[Geometry::Cube, Geometry::Acube])?;
        let layers = if image.geometry == Geometry::Cube { 1 } else { 2 } * Geometry::FACES;
        (image.height, image.depth, image.layers) = (image.width, 1, layers);
    }
    image.bytes = texels(u, &image, row)?;
    // A sampler beside it could have coordinates in texels, which a cube has not.
    let may_be_beside = !image.geometry.is_cube();
    let beside = if may_be_beside && u.arbitrary::<u8>()? % 4 == 0 {
        Some(beside(u, normalized_coordinates, row)?)
    } else {
        None
    };
    if beside.is_some() {
        image.reach = Reach::drawn_in_independent_mode(u.arbitrary()?, false);
    }
    let filter = match beside {
        // One that is ignored.
        Some(_) => *u.choose(&[FilterMode::Nearest, FilterMode::Linear])?,
        None => row.filter,
    };
    let modes = if normalized_coordinates { MODES } else { EDGES };
    let address = address(u, modes)?;
    let mut border = [0; 4];
    // The border of integers is a float, too, which is said to be zero alone; so is that of a sampler of its own.
    if row.ty == "f32" && beside.is_none() && u.arbitrary::<u8>()? % 2 == 0 {
        for channel in &mut border {
            *channel = filterable(u)?.to_bits();
        }
    }
    let sampler = Sampler { address, filter, normalized_coordinates, read: row.read, border };
    Ok(Picture { image, sampler, beside })
}

/// A `.samplerref` for a texture with such coordinates.
fn beside(u: &mut Unstructured<'_>, normalized: bool, row: &Lookup) -> Result<Beside> {
    let force_unnormalized = u.arbitrary::<u8>()? % 2 == 0;
    let modes = if normalized && !force_unnormalized { MODES } else { EDGES };
    let reach = Reach::drawn_in_independent_mode(u.arbitrary()?, true);
    Ok(Beside { address: address(u, modes)?, filter: row.filter, force_unnormalized, reach })
}

fn address(u: &mut Unstructured<'_>, modes: &[AddressMode]) -> Result<[AddressMode; 3]> {
    Ok([*u.choose(modes)?, *u.choose(modes)?, *u.choose(modes)?])
}

/// What the channels of a texture are read as.
fn dtype(picture: &Picture) -> &'static str {
    let (channel, read) = (picture.image.format.channel, picture.sampler.read);
    let row = LOOKUPS.iter().find(|row| row.channels.contains(&channel) && row.read == read);
    row.map_or("f32", |row| row.ty)
}

/// Texels, each different from its neighbours where their kind has as many.
fn texels(u: &mut Unstructured<'_>, image: &Image, row: &Lookup) -> Result<Vec<u8>> {
    let size = image.format.channel.size() as usize;
    let mut bytes = image.bytes_in_all();
    let is_fraction = row.ty == "f32" && !matches!(image.format.channel, ChannelType::F32 | ChannelType::F16);
    let draw = |u: &mut Unstructured<'_>, index: usize| -> Result<u32> {
        Ok(match image.format.channel {
            channel if is_fraction => end(u, channel)?,
            ChannelType::F32 if row.filter == FilterMode::Linear => filterable(u)?.to_bits(),
            ChannelType::F16 if row.filter == FilterMode::Linear => half_of(u.arbitrary::<u8>()? % 16),
            // Normal numbers of any fraction: whether others come through unchanged is not said.
            ChannelType::F32 => u.arbitrary::<u32>()? & 0x807F_FFFF | (u.int_in_range(100..=150)? << 23),
            ChannelType::F16 => u.arbitrary::<u32>()? & 0x83FF | (u.int_in_range(1..=30)? << 10),
            _ => u.arbitrary::<u32>()? ^ index as u32,
        })
    };
    let further = u.arbitrary()?;
    for (index, channel) in bytes.chunks_exact_mut(size).enumerate() {
        let mut made = [0; 8];
        let bits = if index < DRAWN {
            draw(u, index)?
        } else {
            seed::fill(&mut made, further, index as u64);
            draw(&mut Unstructured::new(&made), index)?
        };
        channel.copy_from_slice(&bits.to_le_bytes()[..size]);
    }
    Ok(bytes)
}

/// A float of which fractions and sums are exact.
fn filterable(u: &mut Unstructured<'_>) -> Result<f32> {
    Ok((i32::from(u.arbitrary::<i8>()?) * UNIT) as f32)
}

/// The binary16 of `number` times [`UNIT`], up to 15 times.
fn half_of(number: u8) -> u32 {
    let Some(top) = number.checked_ilog2() else { return 0 };
    // UNIT is 2^12, and the bias 15.
    (15 + 12 + top) << 10 | (u32::from(number) << (10 - top)) & 0x3FF
}

/// An end of the range of an integer, or zero.
fn end(u: &mut Unstructured<'_>, channel: ChannelType) -> Result<u32> {
    use ChannelType::{S8, S16, Snorm8, Snorm16};
    let width = 8 * channel.size();
    let greatest = u32::MAX >> (32 - width);
    Ok(match channel {
        // 2^(n-1) - 1, and its negative.
        S8 | S16 | Snorm8 | Snorm16 => {
            *u.choose(&[0, greatest >> 1, (greatest >> 1).wrapping_neg() & greatest])?
        }
        _ => *u.choose(&[0, greatest])?,
    })
}

/// The steps of which a coordinate is a multiple. In one dimension they are finer than the weights, so that it shows how those are
/// rounded; in more the products of the weights have to stay exact.
pub(crate) fn grain(image: &Image, filter: FilterMode) -> i64 {
    match image.geometry {
        Geometry::D1 | Geometry::A1d => 1,
        _ if filter == FilterMode::Nearest => 1,
        _ => STEPS / 16,
    }
}

/// A coordinate along `extent` texels, in steps, a multiple of `grain`.
pub(crate) fn place(u: &mut Unstructured<'_>, extent: u32, grain: i64) -> Result<i64> {
    let last = i64::from(extent) * STEPS;
    let roll = u.arbitrary::<u8>()?;
    let within = i64::from(u.arbitrary::<u32>()?) % last;
    let beside = i64::from(roll >> 3) * STEPS / 16;
    let steps = match roll % 8 {
        0..=3 => within,
        4 => last - 2 * STEPS + beside,
        5 => STEPS / 2 - beside,
        6 => within + last * [-2, -1, 1, 2][usize::from(roll >> 3) % 4],
        // Integers and halves.
        _ => within / (STEPS / 2) * (STEPS / 2),
    };
    Ok(steps.div_euclid(grain) * grain)
}

/// An integer coordinate.
pub(crate) fn whole(u: &mut Unstructured<'_>, extent: u32) -> Result<i32> {
    let roll = u.arbitrary::<u8>()?;
    let extent = extent as i32;
    Ok(match roll % 8 {
        0 => extent + i32::from(roll >> 3) % 2,
        1 => [-1, -2, i32::MIN, i32::MAX][usize::from(roll >> 3) % 4],
        _ => i32::from(roll >> 3) % extent,
    })
}

/// An index into an array: beyond it is no layer that a text names.
pub(crate) fn layer(u: &mut Unstructured<'_>, layers: u32) -> Result<u32> {
    let roll = u.arbitrary::<u8>()?;
    Ok(match roll % 16 {
        0 => [layers, layers + 1, 1 << 31, u32::MAX][usize::from(roll >> 4) % 4],
        _ => u32::from(roll >> 4) % layers,
    })
}

impl Builder {
    /// The texture, drawn when it is first asked for.
    pub(crate) fn picture(&mut self, u: &mut Unstructured<'_>) -> Result<&Picture> {
        let slot = &mut self.specimen.picture;
        if slot.is_none() {
            *slot = Some(picture(u)?);
        }
        Ok(slot.as_ref().expect("filled above"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_filtered_texels_are_the_numbers() {
        // 1 * 4096 is 2^12: exponent 12 + 15 = 27. 15 * 4096 = 61440 = 1.875 * 2^15: exponent 30, fraction 0.875 * 1024.
        let expected = [(0, 0), (1, 27 << 10), (2, 28 << 10), (3, 28 << 10 | 512), (15, 30 << 10 | 896)];
        for (number, bits) in expected {
            assert_eq!(half_of(number), bits, "{number}");
        }
    }

    #[test]
    fn ends_are_exact_fractions() {
        let all = |channel| {
            let mut found: Vec<u32> =
                (0..=255).map(|byte| end(&mut Unstructured::new(&[byte; 4]), channel).unwrap()).collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        assert_eq!(all(ChannelType::Unorm8), [0, 255]);
        assert_eq!(all(ChannelType::U16), [0, 65535]);
        // 127 and -127 as bytes.
        assert_eq!(all(ChannelType::Snorm8), [0, 0x7F, 0x81]);
        assert_eq!(all(ChannelType::S16), [0, 0x7FFF, 0x8001]);
    }

    #[test]
    fn coordinates_are_multiples_of_their_grain_and_reach_beyond_both_ends() {
        let (mut below, mut above, mut inside) = (0, 0, 0);
        for seed in 0..=255_u8 {
            for other in [0, 77, 255] {
                let bytes = [seed, other, seed ^ other, 1, other];
                let steps = place(&mut Unstructured::new(&bytes), 4, 64).unwrap();
                assert_eq!(steps % 64, 0);
                below += u32::from(steps < 0);
                above += u32::from(steps >= 4 * STEPS);
                inside += u32::from((0..4 * STEPS).contains(&steps));
            }
        }
        assert!(below > 20 && above > 20 && inside > 100, "{below} {above} {inside}");
    }
}
