//! Accesses to surfaces, with coordinates in, at and beyond the bounds.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use warpdiff_model::Geometry;
use warpdiff_sass::{Instruction, Mnemonic as M, Operand as Field, Register as Number, encode};

use super::encoded::{Use, object_of, result_words, uses};
use super::fields::{drawn, opcode, possible, set};
use super::legal::why_not;
use crate::builder::{Builder, weighted};
use crate::image::Reach;
use crate::specimen::{Class, Image, Operand, Register, Shape, Side, Step};
use crate::surface::{column, row, x};
use crate::values::Value;

/// How often an instruction is drawn.
const ROWS: &[(u32, M)] = &[(4, M::SULD), (4, M::SUST), (3, M::SURED), (4, M::SUATOM)];

/// Appends an access to a surface.
pub(super) fn image(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let mnemonic = weighted(u, ROWS, |(weight, _)| *weight)?.1;
    let form = *u.choose(&possible(mnemonic))?;
    let mut instruction = drawn(u, form)?;
    let side = if mnemonic == M::SULD { Side::Source } else { Side::Sink };
    if side == Side::Sink {
        // What threads that store to the same texel leave there is open.
        builder.single_thread();
    }
    builder.image(u, side)?;
    let image = builder.by_handle(side);
    fit(&mut instruction, &image);
    let sources = sources(builder, u, &mut instruction, &image)?;
    let results: Vec<Register> =
        (0..result_words(&instruction)).map(|_| builder.result(Class::B32)).collect();
    let opcode = Cow::Owned(opcode(&instruction));
    let shape = Shape::Encoded { before: 0, word: encode(&instruction), object: object_of(&instruction) };
    let guard =
        if results.is_empty() && u.arbitrary::<u8>()? % 4 == 0 { Some(builder.guard(u)?) } else { None };
    builder.push(Step { guard, opcode, results, shape, sources, within: None });
    Ok(())
}

/// Has an access fit its image: in its dimension, and with an operation that the format decides.
fn fit(instruction: &mut Instruction, image: &Image) {
    let dimension = match image.geometry {
        Geometry::D1 => "1D",
        Geometry::D2 => "2D",
        Geometry::D3 => "3D",
        Geometry::A1d => "1D_ARRAY",
        _ => "2D_ARRAY",
    };
    set(instruction, "dimension", dimension);
    let is_ordered = matches!(instruction.modifier_name("operation"), Some("MIN" | "MAX"));
    let by_format = instruction.form.fixed_modifiers.contains(&"P")
        || matches!(instruction.modifier_name("type"), Some("SD32" | "SD64"));
    if is_ordered && by_format && !image.has_integers() {
        // Which of two samples without integers is less is not decided.
        set(instruction, "operation", "ADD");
    }
    debug_assert!(why_not(instruction).is_none(), "{instruction}");
}

/// The sources of an access. What traps ends the program, so that it hides everything else: mostly in bounds.
fn sources(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    instruction: &mut Instruction,
    image: &Image,
) -> Result<Vec<Operand>> {
    let traps = instruction.modifier_name("clamp") == Some("TRAP");
    let inside = builder.mix().is_inside() || traps && u.arbitrary::<u8>()? % 16 != 0;
    for operand in &mut instruction.operands {
        if matches!(operand, Field::Register(_)) {
            *operand = Field::Register(Number(0));
        }
    }
    let mut sources = Vec::new();
    for one in uses(instruction).into_iter().filter(|one| !one.is_result()) {
        let Use::Row(n) = one else { continue };
        let count = instruction.registers(n);
        match instruction.operands[n] {
            Field::Address { .. } => {
                for place in 0..count {
                    let number = coordinate(builder, u, instruction, image, place, inside)?;
                    sources.push(Operand::Register(number));
                }
            }
            _ => {
                for _ in 0..count {
                    let value = stored(instruction, image);
                    sources.push(Operand::Register(builder.register(u, Class::B32, value)?));
                }
            }
        }
    }
    Ok(sources)
}

/// What a register of data holds.
fn stored(instruction: &Instruction, image: &Image) -> Value {
    let is_formatted =
        instruction.form.fixed_modifiers.contains(&"P") && instruction.form.mnemonic == M::SUST;
    match instruction.modifier_name("type") {
        Some("F32.FTZ.RN") => Value::F32,
        _ if is_formatted && !image.has_integers() => Value::F32,
        _ => Value::I32,
    }
}

/// Coordinate number `place` of an access: x, y and z, and the layer behind them.
fn coordinate(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    instruction: &Instruction,
    image: &Image,
    place: u32,
    inside: bool,
) -> Result<Register> {
    let is_array = matches!(image.geometry, Geometry::A1d | Geometry::A2d);
    let is_layer = is_array && place + 1 == if image.geometry == Geometry::A1d { 2 } else { 3 };
    let size = size(instruction);
    let is_inside = builder.mix().is_inside();
    column(builder, u, |u| match place {
        _ if is_layer => row(u, image.layers, inside),
        0 if instruction.form.fixed_modifiers.contains(&"P") => x(u, image.width, 1, inside, true),
        0 if instruction.modifier("unit of x") == Some(1) => {
            let is_aligned = is_inside || u.arbitrary::<u8>()? % 32 != 0;
            x(u, image.row(), size, inside, is_aligned)
        }
        0 => {
            // Of texels, of which an access may take several.
            let texels = (size / image.format.texel_size()).max(1);
            let is_aligned = is_inside || u.arbitrary::<u8>()? % 32 != 0;
            x(u, image.width, texels, inside, is_aligned)
        }
        1 => row(u, image.height, inside),
        _ => row(u, image.depth, inside),
    })
}

/// Bytes of an access to raw data.
fn size(instruction: &Instruction) -> u32 {
    match instruction.modifier_name("size").or(instruction.modifier_name("type")) {
        Some("U8" | "S8") => 1,
        Some("U16" | "S16") => 2,
        Some("64" | "U64" | "S64" | "SD64") => 8,
        Some("128") => 16,
        _ => 4,
    }
}

impl Builder {
    /// The image on that side, which the program reaches by its handle.
    fn by_handle(&mut self, side: Side) -> Image {
        let slot = match side {
            Side::Source => &mut self.specimen.source,
            Side::Sink => &mut self.specimen.sink,
        };
        let image = slot.as_mut().expect("it has been drawn");
        image.reach = Reach::Handle;
        image.has_members = false;
        image.clone()
    }
}
