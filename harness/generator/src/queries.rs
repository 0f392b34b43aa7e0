//! Queries of surfaces, textures and samplers, and `istypep`, which asks for the type of the variable behind a pointer.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use warpdiff_model::Geometry;

use crate::builder::Builder;
use crate::image::{Object, Reach};
use crate::specimen::{Class, Pointee, Shape, Side, Step};
use crate::variable;

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
    "normalized_coords",
];
/// What is asked of the sampler that a texture has: "in unified mode, sampler attributes are also accessed via a .texref argument, and in independent
/// mode sampler attributes are accessed via a separate .samplerref argument" (9.7.10.5).
const OF_SAMPLERS: &[&str] = &["filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"];
/// What only a sampler beside a texture has.
const OF_SAMPLERS_BESIDE: &str = "force_unnormalized_coords";

/// The table: types that `istypep` asks for, and whether it is asked of a handle of a texture or a surface: what it answers of one of its own
/// type, which no variable of the program is, is open.
const POINTED_TO: &[(&str, [bool; 2])] = &[
    ("istypep.texref", [false, true]),
    ("istypep.surfref", [true, false]),
    ("istypep.samplerref", [true, true]),
];

/// The table: arrays of opaque variables by their type, with lists of members that an element may have.
const ARRAYS: &[(&str, &[&str])] = &[
    ("texref", &["", "width = 4", "normalized_coords = 1, height = 2"]),
    ("surfref", &["", "width = 4", "memory_layout = 0, array_size = 3"]),
    ("samplerref", &["", "filter_mode = linear", "addr_mode_0 = wrap, force_unnormalized_coords = 1"]),
];

/// Adds a query.
pub(crate) fn query(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let roll = u.arbitrary::<u8>()?;
    let texture = roll.is_multiple_of(2);
    match roll >> 1 {
        0..32 => return points_to_object(builder, u, texture),
        32..40 => return points_to_array(builder, u),
        _ => {}
    }
    let (object, word) = match texture {
        true => of_texture(builder, u)?,
        false => (Object::Image(Side::Source), *u.choose(OF_SURFACES)?),
    };
    let (opcode, image) = match object {
        Object::Image(side) => ("suq", builder.image(u, side)?),
        Object::Picture | Object::Sampler => ("txq", &builder.picture(u)?.image),
    };
    let word = if has(image.geometry, word) { word } else { "width" };
    let opcode = Cow::Owned(format!("{opcode}.{word}.b32"));
    push(builder, opcode, Class::B32, Shape::Query { object });
    Ok(())
}

/// What is asked of the texture, or of the sampler beside it.
fn of_texture(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<(Object, &'static str)> {
    let is_independent = builder.picture(u)?.beside.is_some();
    let roll = u.arbitrary::<u8>()?;
    if !roll.is_multiple_of(2) {
        return Ok((Object::Picture, *u.choose(OF_TEXTURES)?));
    }
    let word = *u.choose(OF_SAMPLERS)?;
    Ok(match (is_independent, (roll >> 1).is_multiple_of(4)) {
        (false, _) => (Object::Picture, word),
        (true, false) => (Object::Sampler, word),
        (true, true) => (Object::Sampler, OF_SAMPLERS_BESIDE),
    })
}

/// Whether what has this geometry has what is asked for: what an object does not have is not said to be anything.
fn has(geometry: Geometry, word: &str) -> bool {
    match word {
        "height" => !matches!(geometry, Geometry::D1 | Geometry::A1d),
        "depth" => geometry == Geometry::D3,
        "array_size" => matches!(geometry, Geometry::A1d | Geometry::A2d | Geometry::Acube),
        _ => true,
    }
}

/// Adds an `istypep` of the texture or the sampler beside it, or of the image that is loaded from.
fn points_to_object(builder: &mut Builder, u: &mut Unstructured<'_>, texture: bool) -> Result<()> {
    let (image, beside) = match texture {
        true => {
            let picture = builder.picture(u)?;
            (&picture.image, picture.beside)
        }
        false => (builder.image(u, Side::Source)?, None),
    };
    let is_handle = image.reach == Reach::Handle;
    let object = match (texture, beside) {
        (false, _) => Object::Image(Side::Source),
        (true, Some(_)) if u.arbitrary::<u8>()? % 2 == 0 => Object::Sampler,
        (true, _) => Object::Picture,
    };
    let may = |of: &[bool; 2]| !is_handle || of[usize::from(!texture)];
    let asked: Vec<&str> = POINTED_TO.iter().filter(|(_, of)| may(of)).map(|(opcode, _)| *opcode).collect();
    let opcode = Cow::Borrowed(*u.choose(&asked)?);
    push(builder, opcode, Class::Pred, Shape::PointsTo { pointee: Pointee::Object(object) });
    Ok(())
}

/// Adds an `istypep` of an array of opaque variables.
fn points_to_array(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let (ty, members) = *u.choose(ARRAYS)?;
    let pointee = Pointee::Array(variable::opaque_array(builder, u, ty, members)?);
    let (opcode, _) = *u.choose(POINTED_TO)?;
    push(builder, Cow::Borrowed(opcode), Class::Pred, Shape::PointsTo { pointee });
    Ok(())
}

fn push(builder: &mut Builder, opcode: Cow<'static, str>, class: Class, shape: Shape) {
    let results = vec![builder.result(class)];
    builder.push(Step { guard: None, opcode, results, shape, sources: Vec::new(), within: None });
}
