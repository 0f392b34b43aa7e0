//! Lookups in textures, and the dimensions of textures and surfaces.
//!
//! The rules of sampling are those of PTX's `tex`, which ptxas compiles to these instructions. A lookup gives what the header and the
//! sampler of the texture say, whatever type the program then reads in the registers. Images have one level of detail here, to which
//! every level is limited, one sample, and no depths to be compared with.

use warpdiff_model::Geometry;
use warpdiff_sass::texture::{self, Dimension, Part};
use warpdiff_sass::{Mnemonic as M, Operand};
use warpdiff_semantics::definedness::Bits;
use warpdiff_semantics::numeric::convert::{Format, float_to_float};
use warpdiff_semantics::numeric::rounding::Rounding;
use warpdiff_semantics::surface::query::Query;
use warpdiff_semantics::texture::Kind;

use super::super::Decode;
use super::Spa;
use crate::image_operation::{Beside, Offsets, QueryObject, SurfaceObject, SurfaceQuery, TextureLookup};
use crate::operation::{Class, Code, Slot};

/// The bits of the index into an array: "u16 in the low half" (Ryujinx, yuzu and Mesa agree, and ptxas limits it to them).
const LAYER: u64 = 0xffff;
/// All bits of a register.
const WORD: u64 = 0xffff_ffff;

impl Spa<'_> {
    /// Lookups in textures, and questions about textures and surfaces.
    pub(super) fn texture(&mut self) -> Decode {
        match self.mnemonic() {
            M::TEX | M::TEXS | M::TLD4 | M::TLD4S | M::TXD => self.lookup(false),
            M::TLD | M::TLDS => self.lookup(true),
            M::TXQ => self.header_query(),
            M::TMML => self.level_query(),
            _ => Err(self.unsupported()),
        }
    }

    /// `TEX`, `TXD` and `TLD4` with coordinates that are floats, `TLD` with integers.
    fn lookup(&mut self, integers: bool) -> Decode {
        let instruction = self.instruction();
        let (Some(dimension), Some(sources)) =
            (texture::dimension(instruction), texture::sources(instruction))
        else {
            return Err(self.unsupported());
        };
        // What they make of a header that has no depths, or no samples, no source says.
        let reasons = [
            (Part::Reference, "a comparison with depths: no texture here has a format of depths"),
            (Part::Sample, "no texture here has several samples"),
        ];
        for (part, why) in reasons {
            if sources.iter().flatten().any(|given| *given == part) {
                return Err(self.unsupported_because(why));
            }
        }
        let geometry = self.texture_geometry(dimension)?;
        let gathered = texture::gathered(instruction);
        if gathered.is_some() && dimension.coordinates != 2 {
            return Err(self.unsupported_because("a gather in other than two dimensions"));
        }
        let coordinates = [Part::X, Part::Y, Part::Z].map(|part| self.part(&sources, part));
        // An array has its index in a register of its own, or that of `TXD` in the lower half of the one with the offsets.
        let word = match dimension.array {
            true => self.part(&sources, Part::Layer).or(self.part(&sources, Part::LayerAndOffset)),
            false => None,
        };
        let layer = word.map(|word| {
            let (mask, layer) = (self.d.constant(Class::Narrow, LAYER), self.d.temporary(Class::Narrow));
            self.d.emit(Code::AndN, layer.index, [word.index, mask.index, 0], 0);
            layer
        });
        let object = self.texture_object(&sources)?;
        // In independent mode the word is two indices: that of the texture and that of the sampler.
        let sampler = self.d.module.texmode_independent.then_some(object);
        let offsets = self.offsets(&sources, gathered.is_some());
        let level = self.part(&sources, Part::Level);
        let beside = Beside {
            offsets,
            gathered,
            levels: match integers {
                true => Vec::new(),
                false => level.into_iter().chain(self.parts(&sources, Part::Derivative)).collect(),
            },
            level: level.filter(|_| integers),
            is_ptx: false,
        };
        let halves = texture::gives_halves(instruction);
        let components = texture::components(instruction);
        let mut registers = vec![None; 4];
        let mut found = Vec::new();
        for component in &components {
            let number = found.len();
            let register = match halves {
                true => Some(self.d.temporary(Class::Narrow)),
                false => texture::results(instruction)[number].and_then(|register| self.stored(register)),
            };
            registers[usize::from(*component)] = register;
            found.push(register);
        }
        let x = self.d.out.lookups.len() as u32;
        let lookup = TextureLookup {
            object,
            sampler,
            geometry,
            coordinates,
            integers,
            names_texel: false,
            layer,
            wanted: halves.then_some(Kind::Float),
            registers,
            is_flattened: true,
            beside,
        };
        self.d.out.lookups.push(lookup);
        self.d.emit(Code::Texture, 0, [0; 3], x);
        if halves {
            self.pack_halves(&found.into_iter().flatten().collect::<Vec<_>>());
        }
        Ok(())
    }

    /// `.F16`: "pairs packed as f16, first in the low half, an odd one with 0 above". How a component that is no binary16 is rounded is
    /// in no source, and it is undefined; so is what becomes of integers.
    fn pack_halves(&mut self, found: &[Slot]) {
        let half = |bits: u64| float_to_float(bits, Format::F32, Format::F16, Rounding::Rn, false, false);
        let defined = move |bits: &Bits| {
            let back = float_to_float(half(bits.value), Format::F16, Format::F32, Rounding::Rn, false, false);
            let is_exact = back == bits.value & WORD && !f32::from_bits(back as u32).is_nan();
            if is_exact && bits.defined & WORD == WORD { 0xFFFF } else { 0 }
        };
        for (pair, register) in found.chunks(2).zip(texture::results(self.instruction())) {
            let Some(slot) = register.and_then(|register| self.stored(register)) else { continue };
            match *pair {
                [low, high] => self.d.lane_partial(
                    slot,
                    &[low, high],
                    move |v| half(v[0]) | half(v[1]) << 16,
                    move |v, _| defined(&v[0]) | defined(&v[1]) << 16,
                ),
                [low] => self.d.lane_partial(
                    slot,
                    &[low],
                    move |v| half(v[0]),
                    move |v, _| defined(&v[0]) | 0xFFFF << 16,
                ),
                _ => {}
            }
        }
    }

    /// The offsets in texels. "Signed 4-bit fields: x 0..3, y 4..7, z 8..11"; of a gather "signed 6-bit at 0, 8, 16", and `.PTP` has "8
    /// such bytes in two words" (yuzu and Ryujinx; ptxas packs so). Those of `TXD` begin at bit 16 (yuzu, Ryujinx, Mesa).
    fn offsets(&mut self, sources: &[Vec<Part>; 2], is_gather: bool) -> Option<Offsets> {
        if let [first, second] = self.parts(sources, Part::Offsets)[..] {
            return Some(Offsets::Four([first, second]));
        }
        if let Some(word) = self.part(sources, Part::Offset) {
            let (stride, width) = if is_gather { (8, 6) } else { (4, 4) };
            return Some(Offsets::One { word, low: 0, stride, width });
        }
        let word = self.part(sources, Part::LayerAndOffset)?;
        let has_offset = self.modifier("offset") != 0;
        has_offset.then_some(Offsets::One { word, low: 16, stride: 4, width: 4 })
    }

    fn texture_geometry(&self, dimension: Dimension) -> Decode<Geometry> {
        match (dimension.array, dimension.coordinates) {
            // "Coordinates are divided by max(|x|, |y|, |z|) in software before TEX", which multiplies by an approximate reciprocal.
            _ if dimension.cube => {
                let why =
                    "the direction of a cube, which an approximate reciprocal leaves open in its last bits";
                Err(self.unsupported_because(why))
            }
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
        self.parts(sources, wanted).first().copied()
    }

    /// The registers that hold a part of the question, in their order.
    fn parts(&mut self, sources: &[Vec<Part>; 2], wanted: Part) -> Vec<Slot> {
        let mut found = Vec::new();
        for (role, parts) in ["Ra", "Rb"].iter().zip(sources) {
            let Some(first) = self.instruction().register(role) else { continue };
            for (place, _) in parts.iter().enumerate().filter(|(_, part)| **part == wanted) {
                found.push(self.read_from(first, place as u8));
            }
        }
        found
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

    /// `TXQ`. Of the dimensions the third is the depth "or the layers", the fourth the number of levels; all are those of the level in
    /// `Ra`, of which there is one here. Of the type "component 2 = samples", and the others are in no source.
    fn header_query(&mut self) -> Decode {
        let name = self.instruction().operands.iter().find_map(|operand| match operand {
            Operand::Word { names, value } => Some(names[usize::from(*value)]),
            _ => None,
        });
        let answers = match name {
            Some("TEX_HEADER_DIMENSION") => [
                Answer::Of(Query::Width),
                Answer::Of(Query::Height),
                Answer::Of(Query::DepthOrLayers),
                Answer::Known(1),
            ],
            Some("TEX_HEADER_TEXTURE_TYPE") => [Answer::Open, Answer::Open, Answer::Known(1), Answer::Open],
            Some("TEX_HEADER_SAMPLER_POS") => {
                return Err(self.unsupported_because("no texture here has several samples"));
            }
            _ => return Err(self.unsupported_because("no source says how the answer is laid out")),
        };
        let Some(sources) = texture::sources(self.instruction()) else { return Err(self.unsupported()) };
        let Some(level) = self.part(&sources, Part::Level) else { return Err(self.unsupported()) };
        self.answer(&sources, answers, level)
    }

    /// `TMML`: "component 0 = raw (unclamped) level, signed 16-bit 8.8; component 1 = clamped" (Mesa's NAK and codegen, and Ryujinx,
    /// agree). A texture here has the level 0 alone, so that the second is 0; the first comes from differences between the threads of
    /// a quad by rules that are in no source. Nor are other components.
    fn level_query(&mut self) -> Decode {
        let Some(dimension) = texture::dimension(self.instruction()) else { return Err(self.unsupported()) };
        self.texture_geometry(dimension)?;
        let Some(sources) = texture::sources(self.instruction()) else { return Err(self.unsupported()) };
        let first = self.d.constant(Class::Narrow, 0);
        self.answer(&sources, [Answer::Open, Answer::Known(0), Answer::Open, Answer::Open], first)
    }

    /// Writes the components that are wanted of the four answers, which hold of level 0.
    fn answer(&mut self, sources: &[Vec<Part>; 2], answers: [Answer; 4], level: Slot) -> Decode {
        let object = self.texture_object(sources)?;
        let components = texture::components(self.instruction());
        let results = texture::results(self.instruction());
        let mut found = Vec::new();
        for (component, register) in components.into_iter().zip(results) {
            let answer = answers[usize::from(component)];
            // Whatever is asked, the handle has to name a texture.
            let query = if let Answer::Of(query) = answer { query } else { Query::Width };
            let destination = self.d.temporary(Class::Narrow);
            let x = self.d.out.queries.len() as u32;
            self.d.out.queries.push(SurfaceQuery { query, of: QueryObject::Texture, object, destination });
            self.d.emit(Code::SurfaceQuery, 0, [0; 3], x);
            found.push((answer, destination, register.and_then(|register| self.stored(register))));
        }
        // A result may lie in the register of the level.
        let limited: Vec<_> = found
            .into_iter()
            .map(|(answer, value, register)| {
                let limited = self.d.temporary(Class::Narrow);
                let compute = move |v: &[u64; 4]| match answer {
                    Answer::Of(_) => v[0],
                    Answer::Known(known) => u64::from(known),
                    Answer::Open => 0,
                };
                let of_first_level = move |v: &[Bits; 4], _| match answer {
                    _ if v[1].value & WORD != 0 || v[1].defined & WORD != WORD => 0,
                    Answer::Of(_) => v[0].defined,
                    Answer::Known(_) => WORD,
                    Answer::Open => 0,
                };
                self.d.lane_partial(limited, &[value, level], compute, of_first_level);
                (limited, register)
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

/// The answer to a question about a header.
#[derive(Clone, Copy)]
enum Answer {
    /// A property of the texture or surface.
    Of(Query),
    /// The same of every texture here.
    Known(u32),
    /// In no source.
    Open,
}
