//! Queries of surfaces, textures and samplers, and `istypep`, which asks for the type of the variable behind a pointer.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use warpdiff_model::Geometry;

use crate::builder::Builder;
use crate::image::Reach;
use crate::specimen::{Class, Shape, Side, Step};

/// The table: what is asked of a surface.
const OF_SURFACES: &[&str] =
    &["width", "height", "depth", "channel_data_type", "channel_order", "array_size", "memory_layout"];
/// What is asked of a texture.
const OF_TEXTURES: &[&str] = &[
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "array_size",
    "num_mipmap_levels",
    "num_samples",
];
/// What is asked of the sampler that a texture has.
const OF_SAMPLERS: &[&str] =
    &["normalized_coords", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"];

/// The table: types that `istypep` asks for, and whether it is asked of a handle of a texture or a surface: what it answers of one of its own
/// type, which no variable of the program is, is open.
const POINTED_TO: &[(&str, [bool; 2])] = &[
    ("istypep.texref", [false, true]),
    ("istypep.surfref", [true, false]),
    ("istypep.samplerref", [true, true]),
];

/// Adds a query.
pub(crate) fn query(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let roll = u.arbitrary::<u8>()?;
    let texture = roll.is_multiple_of(2);
    if roll >> 1 < 32 {
        return points_to(builder, u, texture);
    }
    let (opcode, words, geometry) = if texture {
        let picture = builder.picture(u)?;
        // Beside a sampler of its own, a texture has none.
        let has_sampler = picture.beside.is_none();
        let geometry = picture.image.geometry;
        let of_sampler = has_sampler && u.arbitrary::<u8>()? % 2 == 0;
        ("txq", if of_sampler { OF_SAMPLERS } else { OF_TEXTURES }, geometry)
    } else {
        ("suq", OF_SURFACES, builder.image(u, Side::Source)?.geometry)
    };
    let mut word = *u.choose(words)?;
    // What an object does not have is not said to be anything.
    let has = match word {
        "height" => !matches!(geometry, Geometry::D1 | Geometry::A1d),
        "depth" => geometry == Geometry::D3,
        "array_size" => matches!(geometry, Geometry::A1d | Geometry::A2d | Geometry::Acube),
        _ => true,
    };
    if !has {
        word = "width";
    }
    let opcode = Cow::Owned(format!("{opcode}.{word}.b32"));
    let results = vec![builder.result(Class::B32)];
    let shape = Shape::Query { texture };
    builder.push(Step { guard: None, opcode, results, shape, sources: Vec::new(), within: None });
    Ok(())
}

/// Adds an `istypep` of the texture, or of the image that is loaded from.
fn points_to(builder: &mut Builder, u: &mut Unstructured<'_>, texture: bool) -> Result<()> {
    let image = if texture { &builder.picture(u)?.image } else { builder.image(u, Side::Source)? };
    let is_handle = image.reach == Reach::Handle;
    let may = |of: &[bool; 2]| !is_handle || of[usize::from(!texture)];
    let asked: Vec<&str> = POINTED_TO.iter().filter(|(_, of)| may(of)).map(|(opcode, _)| *opcode).collect();
    let opcode = Cow::Borrowed(*u.choose(&asked)?);
    let results = vec![builder.result(Class::Pred)];
    let shape = Shape::PointsTo { texture };
    builder.push(Step { guard: None, opcode, results, shape, sources: Vec::new(), within: None });
    Ok(())
}
