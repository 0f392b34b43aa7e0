//! Lookups in textures, and the dimensions of textures and surfaces.
//!
//! The rules of sampling are those of PTX's `tex`, which ptxas compiles to these instructions. A lookup gives what the header and the
//! sampler of the texture say, whatever type the program then reads in the registers. Images have one level of detail here, one sample,
//! and no reference to be compared with.

use warpdiff_model::Geometry;
use warpdiff_sass::texture::{self, Dimension, Part};
use warpdiff_sass::{Mnemonic as M, Operand};
use warpdiff_semantics::surface::query::Query;

use super::super::Decode;
use super::Spa;
use crate::operation::{Class, Code, QueryObject, Slot, SurfaceObject, SurfaceQuery, TextureLookup};

/// The bits of the index into an array: "u16 in the low half" (Ryujinx, yuzu and Mesa agree, and ptxas limits it to them).
const LAYER: u64 = 0xffff;
/// All bits of a register.
const WORD: u64 = 0xffff_ffff;

impl Spa<'_> {
    /// Lookups in textures, and questions about textures and surfaces.
    pub(super) fn texture(&mut self) -> Decode {
        match self.mnemonic() {
            M::TEX | M::TEXS => self.lookup(false),
            M::TLD | M::TLDS => self.lookup(true),
            M::TXQ => self.header_query(),
            M::TLD4 | M::TLD4S => Err(self.unsupported_because("gathers of texels")),
            M::TXD => Err(self.unsupported_because("lookups with derivatives")),
            _ => Err(self.unsupported_because("the level that a lookup would take")),
        }
    }

    /// `TEX` with coordinates that are floats, `TLD` with integers.
    fn lookup(&mut self, integers: bool) -> Decode {
        let instruction = self.instruction();
        let (Some(dimension), Some(sources)) =
            (texture::dimension(instruction), texture::sources(instruction))
        else {
            return Err(self.unsupported());
        };
        if texture::gives_halves(instruction) {
            return Err(self.unsupported_because("results that are halves"));
        }
        let reasons = [
            (Part::Level, "textures have one level here"),
            (Part::Offset, "offsets of texels"),
            (Part::Reference, "comparisons of texels"),
            (Part::Sample, "textures have one sample here"),
        ];
        for (part, why) in reasons {
            if sources.iter().flatten().any(|given| *given == part) {
                return Err(self.unsupported_because(why));
            }
        }
        let geometry = self.texture_geometry(dimension)?;
        let coordinates = [Part::X, Part::Y, Part::Z].map(|part| self.part(&sources, part));
        let layer = self.part(&sources, Part::Layer).map(|word| {
            let (mask, layer) = (self.d.constant(Class::Narrow, LAYER), self.d.temporary(Class::Narrow));
            self.d.emit(Code::AndN, layer.index, [word.index, mask.index, 0], 0);
            layer
        });
        let object = self.texture_object(&sources)?;
        // In independent mode the word is two indices: that of the texture and that of the sampler.
        let sampler = self.d.module.texmode_independent.then_some(object);
        let mut registers = vec![None; 4];
        let results = texture::results(instruction);
        for (component, register) in texture::components(instruction).into_iter().zip(results) {
            registers[usize::from(component)] = register.and_then(|register| self.stored(register));
        }
        let x = self.d.out.lookups.len() as u32;
        let lookup = TextureLookup {
            object,
            sampler,
            geometry,
            coordinates,
            integers,
            layer,
            wanted: None,
            registers,
        };
        self.d.out.lookups.push(lookup);
        self.d.emit(Code::Texture, 0, [0; 3], x);
        Ok(())
    }

    fn texture_geometry(&self, dimension: Dimension) -> Decode<Geometry> {
        match (dimension.array, dimension.coordinates) {
            _ if dimension.cube => Err(self.unsupported_because("cubes")),
            (false, 1) => Ok(Geometry::D1),
            (false, 2) => Ok(Geometry::D2),
            (false, _) => Ok(Geometry::D3),
            (true, 1) => Ok(Geometry::A1d),
            (true, 2) => Ok(Geometry::A2d),
            (true, _) => Err(self.unsupported_because("arrays of three dimensions")),
        }
    }

    /// The register that holds a part of the question.
    fn part(&mut self, sources: &[Vec<Part>; 2], wanted: Part) -> Option<Slot> {
        ["Ra", "Rb"].iter().zip(sources).find_map(|(role, parts)| {
            let place = parts.iter().position(|part| *part == wanted)?;
            let first = self.instruction().register(role)?;
            Some(self.read_from(first, place as u8))
        })
    }

    /// The texture: a handle in a register, or in the word of constant bank 0 that a number counts.
    fn texture_object(&mut self, sources: &[Vec<Part>; 2]) -> Decode<SurfaceObject> {
        if let Some(handle) = self.part(sources, Part::Handle) {
            return Ok(SurfaceObject::Word(handle.index));
        }
        // Of the operands that are numbers it is the first.
        let operands = &self.instruction().operands;
        match operands.iter().position(|operand| matches!(operand, Operand::Immediate(_))) {
            Some(n) => self.handle(n),
            None => Err(self.unsupported()),
        }
    }

    /// `TXQ`: what ptxas makes of `suq` and `txq` of a width, height or depth. Of the dimensions the third is the depth "or the layers";
    /// all are those of the level in `Ra`, of which there is one here.
    fn header_query(&mut self) -> Decode {
        let asks_dimensions = self.instruction().operands.iter().any(|operand| match operand {
            Operand::Word { names, value } => names[usize::from(*value)] == "TEX_HEADER_DIMENSION",
            _ => false,
        });
        if !asks_dimensions {
            return Err(self.unsupported_because("what is asked of the header"));
        }
        let Some(sources) = texture::sources(self.instruction()) else { return Err(self.unsupported()) };
        let object = self.texture_object(&sources)?;
        let level = self.part(&sources, Part::Level);
        let components = texture::components(self.instruction());
        let results = texture::results(self.instruction());
        let mut found = Vec::new();
        for (component, register) in components.into_iter().zip(results) {
            let query = match component {
                0 => Query::Width,
                1 => Query::Height,
                2 => Query::DepthOrLayers,
                _ => return Err(self.unsupported_because("the number of levels in a header")),
            };
            let destination = self.d.temporary(Class::Narrow);
            let x = self.d.out.queries.len() as u32;
            self.d.out.queries.push(SurfaceQuery { query, of: QueryObject::Texture, object, destination });
            self.d.emit(Code::SurfaceQuery, 0, [0; 3], x);
            found.push((destination, register.and_then(|register| self.stored(register))));
        }
        let Some(level) = level else { return Err(self.unsupported()) };
        // A result may lie in the register of the level.
        let limited: Vec<_> = found
            .into_iter()
            .map(|(value, register)| {
                let answer = self.d.temporary(Class::Narrow);
                let is_first = move |v: &[warpdiff_semantics::definedness::Bits; 4], _| {
                    let level = v[1];
                    if level.value & WORD == 0 && level.defined & WORD == WORD { v[0].defined } else { 0 }
                };
                self.d.lane_partial(answer, &[value, level], |v| v[0], is_first);
                (answer, register)
            })
            .collect();
        for (answer, register) in limited {
            if let Some(register) = register {
                self.d.emit(Code::MovN, register.index, [answer.index, 0, 0], 0);
            }
        }
        Ok(())
    }
}
