//! `suld`, `sust` and `sured`, with coordinates in, at and beyond the bounds.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use warpdiff_model::{ChannelType, Format, Geometry};
use warpdiff_ptx::ast::WordKind;
use warpdiff_ptx::vocabulary::{Modifier, Type};

use crate::builder::Builder;
use crate::image::Reach;
use crate::memory::vector;
use crate::mix::Mix;
use crate::specimen::{Class, Coordinate, Image, Operand, Register, Shape, Side, Step};
use crate::values::Value;

/// Element sizes in bytes with their type in PTX, the classes of register that can hold one, and what is stored.
const ELEMENTS: &[(u32, &str, &[Class])] = &[
    (1, "b8", &[Class::B16, Class::B32, Class::B64]),
    (2, "b16", &[Class::B16, Class::B32, Class::B64]),
    (4, "b32", &[Class::B32, Class::B64]),
    (8, "b64", &[Class::B64]),
];

const CHANNELS: &[ChannelType] = &[
    ChannelType::U8,
    ChannelType::S8,
    ChannelType::U16,
    ChannelType::S16,
    ChannelType::F16,
    ChannelType::U32,
    ChannelType::S32,
    ChannelType::F32,
    ChannelType::Unorm8,
    ChannelType::Snorm8,
    ChannelType::Unorm16,
    ChannelType::Snorm16,
];

/// Geometries, the common ones more often.
const GEOMETRIES: &[Geometry] = &[
    Geometry::D1,
    Geometry::D1,
    Geometry::D2,
    Geometry::D2,
    Geometry::D2,
    Geometry::D3,
    Geometry::D3,
    Geometry::A1d,
    Geometry::A2d,
];

/// Reductions: the words of the operation and type, and the size of the latter.
const REDUCTIONS: &[(&str, &str, u32)] = &[
    ("b.add", "u32", 4),
    ("b.add", "s32", 4),
    ("b.add", "u64", 8),
    ("b.min", "u32", 4),
    ("b.min", "s32", 4),
    ("b.min", "u64", 8),
    ("b.min", "s64", 8),
    ("b.max", "u32", 4),
    ("b.max", "s32", 4),
    ("b.max", "u64", 8),
    ("b.max", "s64", 8),
    ("b.and", "b32", 4),
    ("b.or", "b32", 4),
    ("p.add", "b32", 4),
    ("p.and", "b32", 4),
    ("p.or", "b32", 4),
    // Twice, since what is no integer makes others of them.
    ("p.min", "b32", 4),
    ("p.max", "b32", 4),
    ("p.min", "b64", 8),
    ("p.max", "b64", 8),
    ("p.min", "b32", 4),
    ("p.max", "b32", 4),
    ("p.min", "b64", 8),
    ("p.max", "b64", 8),
];

/// Draws an image of a few texels, whose rows are a multiple of so many bytes. Often they are none of 16 bytes, so that accesses straddle their
/// end.
pub(crate) fn image(u: &mut Unstructured<'_>, unit: u32) -> Result<Image> {
    let format = Format { channel: *u.choose(CHANNELS)?, channels: *u.choose(&[1, 2, 4])? };
    let mut image = shaped(u, format)?;
    image.width = image.width.next_multiple_of(unit.div_ceil(format.texel_size()));
    let mut bytes = image.bytes_in_all();
    let (start, step) = (u.arbitrary::<u8>()?, u.arbitrary::<u8>()? | 1);
    for (i, byte) in bytes.iter_mut().enumerate() {
        // An odd step makes 256 neighbours distinct; a byte read from the wrong place shows.
        *byte = start.wrapping_add(step.wrapping_mul(i as u8));
    }
    image.bytes = bytes;
    Ok(image)
}

/// Draws the shape of an image of a few texels, which are still missing.
pub(crate) fn shaped(u: &mut Unstructured<'_>, format: Format) -> Result<Image> {
    let geometry = *u.choose(GEOMETRIES)?;
    let width = u.int_in_range(1..=9)?;
    let mut more = |has: bool| if has { u.int_in_range(1..=4) } else { Ok(1) };
    let height = more(matches!(geometry, Geometry::D2 | Geometry::D3 | Geometry::A2d))?;
    let depth = more(geometry == Geometry::D3)?;
    let layers = more(matches!(geometry, Geometry::A1d | Geometry::A2d))?;
    let roll = u.arbitrary::<u8>()?;
    let (reach, has_members) = (Reach::drawn(roll), roll >> 5 == 0);
    Ok(Image { geometry, width, height, depth, layers, format, bytes: Vec::new(), reach, has_members })
}

/// Why no step has those words.
pub(crate) fn left_out(words: &[WordKind]) -> Option<&'static str> {
    let four_of_64 = [WordKind::Modifier(Modifier::V4), WordKind::Type(Type::B64)];
    four_of_64.iter().all(|word| words.contains(word)).then_some("an access has at most 128 bits")
}

/// Adds a `suld.b`.
pub(crate) fn load(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let cop = *u.choose(&["", "", ".ca", ".cg", ".cs", ".cv"])?;
    let (access, sources) = access(builder, u, Side::Source)?;
    let results = (0..access.elements).map(|_| builder.result(access.class)).collect();
    let opcode = Cow::Owned(format!("suld.b.{}", access.modifiers(cop)));
    builder.push(Step { guard: None, opcode, results, shape: Shape::ImageLoad, sources, within: None });
    Ok(())
}

/// Adds a `sust.b`.
pub(crate) fn store(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    builder.single_thread();
    let cop = *u.choose(&["", "", ".wb", ".cg", ".cs", ".wt"])?;
    let (access, mut sources) = access(builder, u, Side::Sink)?;
    for _ in 0..access.elements {
        let value = match access.class {
            Class::B16 => Value::I16,
            Class::B64 => Value::I64,
            Class::B32 | Class::Pred => Value::I32,
        };
        sources.push(Operand::Register(builder.register(u, access.class, value)?));
    }
    push_store(builder, u, format!("sust.b.{}", access.modifiers(cop)), sources)
}

/// Adds a `sust.p`.
pub(crate) fn store_texel(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    builder.single_thread();
    let image = builder.image(u, Side::Sink)?.clone();
    let (clamp, inside) = mode(builder, u)?;
    let mut sources = coordinates(builder, u, &image, inside, |u| x(u, image.width, 1, inside, true))?;
    // Of channels that are not stored, the text does not say what they hold.
    let elements = if builder.mix() == Mix::NoUndefined { 4 } else { *u.choose(&[1, 2, 4, 4])? };
    let value = match image.format.channel {
        ChannelType::U8 | ChannelType::U16 | ChannelType::U32 => Value::I32,
        ChannelType::S8 | ChannelType::S16 | ChannelType::S32 => Value::I32,
        _ => Value::F32,
    };
    for _ in 0..elements {
        sources.push(Operand::Register(builder.register(u, Class::B32, value)?));
    }
    let opcode = format!("sust.p.{}{}.b32.{clamp}", name(image.geometry), vector(elements));
    push_store(builder, u, opcode, sources)
}

/// Adds a `sured`, or where the image is an array, which it does not reduce, a `sust.b`.
pub(crate) fn reduce(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    builder.single_thread();
    let image = builder.image(u, Side::Sink)?.clone();
    if matches!(image.geometry, Geometry::A1d | Geometry::A2d) {
        return store(builder, u);
    }
    let integers = image.has_integers();
    let (words, ty, size) = *u.choose(REDUCTIONS)?;
    // Which of two samples without integers is less is not decided.
    let ordered = words == "p.min" || words == "p.max";
    let words = if ordered && !integers { words.replace('p', "b") } else { words.to_owned() };
    let ty = if ordered && !integers { ty.replace('b', "u") } else { ty.to_owned() };
    let (clamp, inside) = mode(builder, u)?;
    let aligned = builder.mix().is_inside() || u.arbitrary::<u8>()? % 32 != 0;
    let sample = words.starts_with('p');
    let row = image.row();
    let draw = |u: &mut Unstructured<'_>| match sample {
        true => x(u, row / size, 1, inside, true),
        false => x(u, row, size, inside, aligned),
    };
    let mut sources = coordinates(builder, u, &image, inside, draw)?;
    let (class, value) = if size == 8 { (Class::B64, Value::I64) } else { (Class::B32, Value::I32) };
    sources.push(Operand::Register(builder.register(u, class, value)?));
    push_store(builder, u, format!("sured.{words}.{}.{ty}.{clamp}", name(image.geometry)), sources)
}

/// A `.trap` access of four bytes with some coordinate beyond the image, of the first thread.
pub(crate) fn beyond(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    store: bool,
) -> Result<(String, Vec<Operand>)> {
    builder.single_thread();
    let image = builder.image(u, if store { Side::Sink } else { Side::Source })?.clone();
    let places: Vec<Coordinate> =
        image.coordinates().iter().copied().filter(|place| *place != Coordinate::Ignored).collect();
    let out = *u.choose(&places)?;
    let mut sources = Vec::new();
    for place in image.coordinates() {
        let extent =
            if *place == Coordinate::X { image.row().div_ceil(4) } else { image.extent_along(*place) } as i32;
        let beyond = [extent, -1, i32::MIN, extent + 1][u.choose_index(4)?];
        let number = if *place == out { beyond } else { u.int_in_range(0..=extent - 1)? };
        let number = if *place == Coordinate::X { number.wrapping_mul(4) } else { number };
        sources.push(Operand::Register(builder.input(Class::B32, vec![u64::from(number as u32)])));
    }
    let geometry = name(image.geometry);
    if store {
        sources.push(Operand::Register(builder.register(u, Class::B32, Value::I32)?));
    }
    Ok((format!("{}.{geometry}.b32.trap", if store { "sust.b" } else { "suld.b" }), sources))
}

fn push_store(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    opcode: String,
    sources: Vec<Operand>,
) -> Result<()> {
    let guard = if u.arbitrary::<u8>()? % 8 == 0 { Some(builder.guard(u)?) } else { None };
    let opcode = Cow::Owned(opcode);
    builder.push(Step {
        guard,
        opcode,
        results: Vec::new(),
        shape: Shape::ImageStore,
        sources,
        within: None,
    });
    Ok(())
}

/// The word for a geometry.
pub(crate) fn name(geometry: Geometry) -> &'static str {
    match geometry {
        Geometry::D1 => "1d",
        Geometry::D2 => "2d",
        Geometry::D3 => "3d",
        Geometry::A1d => "a1d",
        Geometry::A2d => "a2d",
        Geometry::Cube => "cube",
        Geometry::Acube => "acube",
    }
}

/// What happens out of bounds, and whether coordinates have to be inside.
fn mode(builder: &Builder, u: &mut Unstructured<'_>) -> Result<(&'static str, bool)> {
    let clamp = *u.choose(&["clamp", "clamp", "zero", "trap"])?;
    // A trap ends the program, so that it hides everything else: mostly in bounds.
    let inside = builder.mix().is_inside() || clamp == "trap" && u.arbitrary::<u8>()? % 16 != 0;
    Ok((clamp, inside))
}

/// The static part of an access.
struct Access {
    geometry: &'static str,
    ty: &'static str,
    class: Class,
    elements: usize,
    clamp: &'static str,
}

impl Access {
    fn modifiers(&self, cop: &str) -> String {
        format!("{}{cop}{}.{}.{}", self.geometry, vector(self.elements), self.ty, self.clamp)
    }
}

/// Draws an access with its coordinates.
fn access(builder: &mut Builder, u: &mut Unstructured<'_>, side: Side) -> Result<(Access, Vec<Operand>)> {
    let image = builder.image(u, side)?.clone();
    let (size, ty, classes) = *u.choose(ELEMENTS)?;
    let class = *u.choose(classes)?;
    let elements = [1, 1, 1, 2, 2, 4][u.choose_index(6)?];
    // `.v4.b64` does not exist: an access has at most 128 bits.
    let elements = if size as usize * elements > 16 { 2 } else { elements };
    let (clamp, inside) = mode(builder, u)?;
    let total = size * elements as u32;
    let aligned = builder.mix().is_inside() || u.arbitrary::<u8>()? % 32 != 0;
    let sources = coordinates(builder, u, &image, inside, |u| x(u, image.row(), total, inside, aligned))?;
    Ok((Access { geometry: name(image.geometry), ty, class, elements, clamp }, sources))
}

/// Draws the coordinates of an access to `image`, x with `draw_x`.
fn coordinates(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    image: &Image,
    inside: bool,
    mut draw_x: impl FnMut(&mut Unstructured<'_>) -> Result<i32>,
) -> Result<Vec<Operand>> {
    let mut drawn = Vec::with_capacity(4);
    for coordinate in image.coordinates() {
        let register = column(builder, u, |u| match coordinate {
            Coordinate::X => draw_x(u),
            Coordinate::Y => row(u, image.height, inside),
            Coordinate::Z => row(u, image.depth, inside),
            Coordinate::Layer => row(u, image.layers, inside),
            Coordinate::Ignored => u.arbitrary(),
        })?;
        drawn.push(Operand::Register(register));
    }
    Ok(drawn)
}

pub(crate) fn column(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    mut draw: impl FnMut(&mut Unstructured<'_>) -> Result<i32>,
) -> Result<Register> {
    let values = builder.values(u, |u| Ok(u64::from(draw(u)? as u32)))?;
    Ok(builder.input(Class::B32, values))
}

/// A coordinate for an access of `size` units to rows of `row` units, bytes or samples: a multiple of `size` when `aligned`.
pub(crate) fn x(u: &mut Unstructured<'_>, row: u32, size: u32, inside: bool, aligned: bool) -> Result<i32> {
    let (row, size) = (row as i32, size as i32);
    // Number of places where the whole access lies within the row.
    let places = row / size;
    let roll = u.arbitrary::<u8>()?;
    let place = i32::from(roll >> 3) % places.max(1);
    let x = match roll % 8 {
        _ if inside => place * size,
        0..=2 => place * size,
        // At the end: the last that fits, the one that straddles or is the first beyond, one further.
        3 => (places - 1 + i32::from(roll >> 3) % 3) * size,
        4 => -size * (1 + i32::from(roll >> 3) % 2),
        5 => row * 2 / size * size,
        6 => [i32::MIN, i32::MAX / size * size, i32::MIN + size, 1 << 20][usize::from(roll >> 3) % 4],
        _ => (u.arbitrary::<i32>()? >> (roll >> 3)) / size * size,
    };
    Ok(if aligned { x } else { x.wrapping_add(i32::from(roll >> 4) % size) })
}

/// A coordinate of a row, slice or layer, of which there are `height`.
pub(crate) fn row(u: &mut Unstructured<'_>, height: u32, inside: bool) -> Result<i32> {
    let height = height as i32;
    let roll = u.arbitrary::<u8>()?;
    let within = i32::from(roll >> 3) % height;
    Ok(match roll % 8 {
        _ if inside => within,
        0..=3 => within,
        4 => height + i32::from(roll >> 3) % 2,
        5 => -1 - i32::from(roll >> 3) % 2,
        6 => [i32::MIN, i32::MAX, height * 2 + 1, 1 << 16][usize::from(roll >> 3) % 4],
        _ => u.arbitrary::<i32>()? >> (roll >> 3),
    })
}

impl Builder {
    /// The image on that side, drawn when it is first asked for.
    pub(crate) fn image(&mut self, u: &mut Unstructured<'_>, side: Side) -> Result<&Image> {
        // Every access fits and is aligned, where it has to.
        let unit = if self.mix().is_inside() { 16 } else { 1 };
        let slot = match side {
            Side::Source => &mut self.specimen.source,
            Side::Sink => &mut self.specimen.sink,
        };
        if slot.is_none() {
            *slot = Some(image(u, unit)?);
        }
        Ok(slot.as_ref().expect("filled above"))
    }
}
