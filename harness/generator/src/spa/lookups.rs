//! Lookups in textures, and questions about them.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use warpdiff_model::{FilterMode, Geometry};
use warpdiff_sass::form::{Form, OperandField};
use warpdiff_sass::texture::{self as parts, Part};
use warpdiff_sass::{Instruction, Mnemonic as M, Operand as Field, Register as Number, encode};

use super::encoded::{Use, instruction, object_of, result_words, uses};
use super::fields::{drawn, opcode};
use super::legal::{not_drawn, why_not};
use crate::builder::{Builder, weighted};
use crate::image::Reach;
use crate::specimen::{Class, Operand, Picture, Register, Shape, Step};
use crate::texture::{STEPS, grain, layer, place, whole};

/// How often an instruction is drawn.
const ROWS: &[(u32, M)] = &[
    (8, M::TEX),
    (8, M::TEXS),
    (5, M::TLD),
    (8, M::TLDS),
    (8, M::TLD4),
    (3, M::TLD4S),
    (4, M::TXD),
    (3, M::TXQ),
    (3, M::TMML),
];

/// Appends a lookup in the texture, or a question about it.
pub(super) fn lookup(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let picture = builder.picture_by_handle(u)?;
    let mnemonic = weighted(u, ROWS, |(weight, _)| *weight)?.1;
    let possible = forms_for(mnemonic, &picture);
    // Every texture can be looked up by `TEX`.
    let possible = if possible.is_empty() { forms_for(M::TEX, &picture) } else { possible };
    let form = *u.choose(&possible)?;
    let instruction = fitting(u, form, &picture)?;
    let mut sources = Vec::new();
    for one in uses(&instruction) {
        let Use::Row(n) = one else { continue };
        for part in given(&instruction, n) {
            let register = value(builder, u, &instruction, &picture, part)?;
            sources.push(Operand::Register(register));
        }
    }
    let results = (0..result_words(&instruction)).map(|_| builder.result(Class::B32)).collect();
    let opcode = Cow::Owned(opcode(&instruction));
    let shape = Shape::Encoded { before: 0, word: encode(&instruction), object: object_of(&instruction) };
    // Of some answers a part is open: no other step reads them.
    builder.push_keeping(Step { guard: None, opcode, results, shape, sources, within: None }, &[]);
    Ok(())
}

/// The parts of a row of registers that a step gives: all but the handle.
pub(super) fn given(instruction: &Instruction, n: usize) -> Vec<Part> {
    all_parts(instruction, n).into_iter().filter(|part| *part != Part::Handle).collect()
}

/// The parts of a row of registers.
pub(super) fn all_parts(instruction: &Instruction, n: usize) -> Vec<Part> {
    let is_second = match instruction.form.operands[n] {
        OperandField::Register { role, .. } => role == "Rb",
        OperandField::OptionalRb => true,
        _ => false,
    };
    let [first, second] = parts::sources(instruction).unwrap_or_default();
    if is_second { second } else { first }
}

/// The name of the dimension of a texture.
fn dimension(geometry: Geometry) -> &'static str {
    match geometry {
        Geometry::D1 => "1D",
        Geometry::A1d => "ARRAY_1D",
        Geometry::D2 => "2D",
        Geometry::A2d => "ARRAY_2D",
        _ => "3D",
    }
}

/// The forms of an instruction that can look up a texture.
fn forms_for(mnemonic: M, picture: &Picture) -> Vec<&'static Form> {
    let wanted = dimension(picture.image.geometry);
    let is_plane = matches!(picture.image.geometry, Geometry::D2 | Geometry::A2d);
    let (normalized, ..) = picture.sampling();
    let is_right = |form: &&'static Form| {
        let named = form.operands.iter().find_map(|field| match field {
            OperandField::Word { names, .. } if mnemonic != M::TXQ => Some(*names),
            _ => None,
        });
        let has_dimension = named.is_none_or(|names| names.contains(&wanted));
        not_drawn(form).is_none()
            && has_dimension
            && match mnemonic {
                // Integers number texels.
                M::TLD | M::TLDS => !normalized,
                M::TLD4 => is_plane,
                M::TLD4S => wanted == "2D",
                _ => true,
            }
    };
    warpdiff_sass::table::forms_of(mnemonic).iter().copied().filter(is_right).collect()
}

/// An instruction of that form for a texture of that dimension.
fn fitting(u: &mut Unstructured<'_>, form: &'static Form, picture: &Picture) -> Result<Instruction> {
    let mut drawn = drawn(u, form)?;
    let wanted = dimension(picture.image.geometry);
    let second = u.arbitrary::<u8>()? & 1 == 1;
    for (field, operand) in form.operands.iter().zip(&mut drawn.operands) {
        match (field, operand) {
            (OperandField::Word { names, .. }, Field::Word { value, .. }) => {
                *value = names.iter().position(|name| *name == wanted).unwrap_or(0) as u8;
            }
            (OperandField::Register { role: "Rd2", .. }, operand) => {
                *operand = Field::Register(if second { Number(0) } else { Number::RZ });
            }
            (OperandField::Register { .. } | OperandField::OptionalRb, operand) => {
                *operand = Field::Register(Number(0));
            }
            (OperandField::Components, operand) => {
                let value = if second { u.int_in_range(0..=4)? } else { u.int_in_range(0..=7)? };
                *operand = Field::Word { names: &[], value };
            }
            // At least one component.
            (OperandField::Unsigned { width: 4, .. }, operand) => {
                *operand = Field::Immediate(i64::from(u.int_in_range(1..=15)?));
            }
            _ => {}
        }
    }
    if drawn.form.mnemonic == M::TLD4S {
        drawn.operands[0] = Field::Register(Number(0));
    }
    let mut fitting = instruction(encode(&drawn));
    // What no part stands in is not written.
    let unread = |n: &usize| {
        matches!(fitting.form.operands[*n], OperandField::OptionalRb) && all_parts(&fitting, *n).is_empty()
    };
    let unread: Vec<usize> = (0..fitting.operands.len()).filter(unread).collect();
    unread.into_iter().for_each(|n| fitting.operands[n] = Field::Register(Number::RZ));
    debug_assert!(why_not(&fitting).is_none(), "{fitting}");
    Ok(fitting)
}

/// A part of a question: coordinates in, at and beyond the bounds. Derivatives are 0.
fn value(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    instruction: &Instruction,
    picture: &Picture,
    part: Part,
) -> Result<Register> {
    let image = &picture.image;
    let (normalized, filter, _) = picture.sampling();
    let integers = matches!(instruction.form.mnemonic, M::TLD | M::TLDS);
    let grain = grain(image, if integers { FilterMode::Nearest } else { filter });
    let values = builder.values(u, |u| {
        let along = |u: &mut Unstructured<'_>, extent: u32| {
            if integers {
                return Ok(whole(u, extent)? as u32);
            }
            let texels = place(u, extent, grain)? as f32 / STEPS as f32;
            Ok(if normalized { texels / extent as f32 } else { texels }.to_bits())
        };
        Ok(u64::from(match part {
            Part::X => along(u, image.width)?,
            Part::Y => along(u, image.height)?,
            Part::Z => along(u, image.depth)?,
            Part::Layer => layer(u, image.layers)? & 0xffff,
            Part::LayerAndOffset => layer(u, image.layers)? & 0xffff | u.arbitrary::<u32>()? << 16,
            Part::Offset | Part::Offsets => u.arbitrary()?,
            // A texture has one level, whatever is asked of a lookup; of a fetch and of a question only that one is decided.
            Part::Level if !integers && instruction.form.mnemonic != M::TXQ => {
                u.choose(&[0f32, -0.0, 1.0, -2.5, 20.0])?.to_bits()
            }
            Part::Level | Part::Derivative | Part::Handle | Part::Reference | Part::Sample => 0,
        }))
    })?;
    Ok(builder.input(Class::B32, values))
}

impl Builder {
    /// The texture, which the program reaches by its handle.
    fn picture_by_handle(&mut self, u: &mut Unstructured<'_>) -> Result<Picture> {
        self.picture(u)?;
        let picture = self.specimen.picture.as_mut().expect("it has been drawn");
        if picture.image.geometry.is_cube() {
            // The reciprocal that makes a place on a face of a direction is open in its last bits; faces are layers as well.
            picture.image.geometry = Geometry::A2d;
        }
        picture.image.reach = Reach::Handle;
        picture.image.has_members = false;
        if let Some(beside) = picture.beside.take() {
            // The texels are made for the filter of the sampler that counted.
            picture.sampler.filter = beside.filter;
        }
        Ok(picture.clone())
    }
}
