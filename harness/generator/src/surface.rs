//! `suld.b` and `sust.b` on one and two dimensions, with coordinates in, at and beyond the bounds.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use warpdiff_model::{ChannelType, Format, Geometry};

use crate::build::Builder;
use crate::memory::vector;
use crate::specimen::{Class, Image, Operand, Register, Shape, Side, Step};
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
    ChannelType::F16,
    ChannelType::U32,
    ChannelType::F32,
];

/// Draws an image of a few texels. Rows are often no multiple of 16 bytes, so that accesses straddle their end.
pub(crate) fn image(u: &mut Unstructured<'_>) -> Result<Image> {
    let flat = u.arbitrary::<u8>()? % 3 == 0;
    let width = u.int_in_range(1..=9)?;
    let height = if flat { 1 } else { u.int_in_range(1..=5)? };
    let format = Format { channel: *u.choose(CHANNELS)?, channels: *u.choose(&[1, 2, 4])? };
    let size = (width * height * format.texel_size()) as usize;
    let mut bytes = vec![0; size];
    let (start, step) = (u.arbitrary::<u8>()?, u.arbitrary::<u8>()? | 1);
    for (i, byte) in bytes.iter_mut().enumerate() {
        // An odd step makes 256 neighbours distinct; a byte read from the wrong place shows.
        *byte = start.wrapping_add(step.wrapping_mul(i as u8));
    }
    let geometry = if flat { Geometry::D1 } else { Geometry::D2 };
    Ok(Image { geometry, width, height, format, bytes, reference: u.arbitrary::<u8>()? & 1 == 0 })
}

/// Adds a `suld.b`.
pub(crate) fn load(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let cop = *u.choose(&["", "", ".ca", ".cg", ".cs", ".cv"])?;
    let (access, sources) = access(builder, u, Side::Source)?;
    let results = (0..access.elements).map(|_| builder.result(access.class)).collect();
    let opcode = Cow::Owned(format!("suld.b.{}", access.modifiers(cop)));
    builder.push(Step { guard: None, opcode, results, shape: Shape::ImageLoad, sources });
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
    let guard = if u.arbitrary::<u8>()? % 8 == 0 { Some(builder.guard(u)?) } else { None };
    let opcode = Cow::Owned(format!("sust.b.{}", access.modifiers(cop)));
    builder.push(Step { guard, opcode, results: Vec::new(), shape: Shape::ImageStore, sources });
    Ok(())
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
    let clamp = *u.choose(&["clamp", "clamp", "zero", "trap"])?;
    // A trap ends the program, so that it hides everything else: mostly in bounds.
    let inside = clamp == "trap" && u.arbitrary::<u8>()? % 16 != 0;
    let total = size * elements as u32;
    let mut coordinates = Vec::with_capacity(2);
    let aligned = u.arbitrary::<u8>()? % 64 != 0;
    coordinates.push(column(builder, u, |u| x(u, image.row(), total, inside, aligned))?);
    if image.dimensions() == 2 {
        coordinates.push(column(builder, u, |u| y(u, image.height, inside))?);
    }
    let geometry = if image.dimensions() == 1 { "1d" } else { "2d" };
    let sources = coordinates.into_iter().map(Operand::Register).collect();
    Ok((Access { geometry, ty, class, elements, clamp }, sources))
}

fn column(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    mut draw: impl FnMut(&mut Unstructured<'_>) -> Result<i32>,
) -> Result<Register> {
    let values = (0..builder.threads()).map(|_| Ok(u64::from(draw(u)? as u32))).collect::<Result<_>>()?;
    Ok(builder.input(Class::B32, values))
}

/// A byte coordinate for an access of `size` bytes to rows of `row` bytes: a multiple of `size` when `aligned`.
fn x(u: &mut Unstructured<'_>, row: u32, size: u32, inside: bool, aligned: bool) -> Result<i32> {
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

/// A row coordinate for a surface of that height.
fn y(u: &mut Unstructured<'_>, height: u32, inside: bool) -> Result<i32> {
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
