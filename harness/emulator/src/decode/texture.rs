//! Texture lookups.

use warpdiff_model::Geometry;
use warpdiff_ptx::checked::{OpaqueBase, Operand};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_semantics::texture::Kind;

use super::{Decode, Decoder};
use crate::image_operation::{Beside, Offsets, TextureLookup};
use crate::operation::{Class, Code, Slot};

impl Decoder<'_> {
    /// Texture lookups.
    pub(super) fn texture(&mut self) -> Decode {
        match self.instruction.opcode {
            Opcode::Tex | Opcode::Tld4 => self.lookup(),
            _ => Err(self.unsupported()),
        }
    }

    /// `tex` and `tld4`.
    fn lookup(&mut self) -> Decode {
        let (dtype, ctype) = (self.ty(0)?, self.ty(1)?);
        let geometry = self.geometry()?;
        let Operand::Opaque { object, sampler, coordinates: written, .. } = self.operand(1)? else {
            return Err(self.unsupported_because("this kind of texture operand"));
        };
        let object = self.surface_object(object)?;
        let named = *sampler;
        let sampler = match sampler {
            Some(sampler) => Some(self.surface_object(sampler)?),
            None => None,
        };
        let wanted = match dtype {
            Type::F32 => Kind::Float,
            Type::U32 => Kind::Unsigned,
            Type::S32 => Kind::Signed,
            _ => return Err(self.unsupported()),
        };
        // An array has its index first; what is over pads the vector and is ignored.
        let (array, rank) = match geometry {
            Geometry::D1 => (false, 1),
            Geometry::D2 => (false, 2),
            Geometry::D3 => (false, 3),
            Geometry::A1d => (true, 1),
            Geometry::A2d => (true, 2),
            Geometry::Cube => (false, 3),
            Geometry::Acube => (true, 3),
        };
        let layer = if array { Some(self.texture_coordinate(written, 0, Type::U32)?) } else { None };
        let mut coordinates = [None; 3];
        for (n, coordinate) in coordinates.iter_mut().enumerate().take(rank) {
            *coordinate = Some(self.texture_coordinate(written, n + usize::from(array), ctype)?);
        }
        let beside = self.beside_the_place(ctype, rank)?;
        let registers = self.texture_destinations(self.operand(0)?, dtype)?;
        let x = self.out.lookups.len() as u32;
        let integers = ctype == Type::S32;
        let wanted = Some(wanted);
        let lookup = TextureLookup {
            object,
            sampler,
            geometry,
            coordinates,
            integers,
            names_texel: self.names_texel(geometry, rank, named),
            layer,
            wanted,
            registers,
            is_flattened: false,
            beside,
        };
        self.out.lookups.push(lookup);
        self.emit(Code::Texture, 0, [0; 3], x);
        Ok(())
    }

    /// Whether ptxas takes the texel that integer coordinates name, by `TLD`, whatever the sampler beside the texture does: with a level; along
    /// a line; and where the sampler is named, and its initialiser states an address mode, and for the directions of the lookup the same for each or none at
    /// all. Otherwise it makes numbers of them, for `TEX` (11.8, 12.4 and 12.9, for sm_50 and sm_80).
    fn names_texel(&self, geometry: Geometry, rank: usize, sampler: Option<OpaqueBase>) -> bool {
        if self.has(Modifier::Level) || geometry == Geometry::D1 {
            return true;
        }
        let Some(OpaqueBase::Variable(variable)) = sampler else { return false };
        let members = &self.module.variables[variable.0 as usize].members;
        let modes = ["addr_mode_0", "addr_mode_1", "addr_mode_2"]
            .map(|name| members.iter().find(|member| member.name == name).map(|member| member.value));
        let is_one = modes[..rank].iter().all(|mode| *mode == modes[0]);
        is_one && modes.iter().any(Option::is_some)
    }

    /// The operands behind the address: a level or derivatives, and offsets; of `tld4` the component. Nothing depends on the level of `.base`,
    /// which is the first.
    fn beside_the_place(&mut self, ctype: Type, rank: usize) -> Decode<Beside> {
        let mut beside = Beside { is_ptx: true, ..Beside::default() };
        let mut further = self.instruction.operands.get(2..).unwrap_or(&[]).iter();
        if self.has(Modifier::Level) {
            let Some(level) = further.next() else { return Err(self.unsupported()) };
            let level = self.source_operand(level, ctype)?;
            match ctype {
                Type::S32 => beside.level = Some(level),
                _ => beside.levels.push(level),
            }
        }
        if self.has(Modifier::Grad) {
            // ptxas 12.9 takes the integers for the bits of floats, `TXD` having no others; the text has them for numbers of texels.
            if ctype == Type::S32 {
                return Err(self.unsupported_because("derivatives of integer coordinates"));
            }
            for _ in 0..2 {
                let Some(Operand::Vector(parts)) = further.next() else { return Err(self.unsupported()) };
                // The fourth element is ignored.
                for part in parts.iter().take(rank) {
                    let derivative = self.source_operand(part, Type::F32)?;
                    beside.levels.push(derivative);
                }
            }
        }
        match further.next() {
            None => {}
            Some(Operand::Vector(parts)) => {
                let mut words = [None; 3];
                for (word, part) in words.iter_mut().zip(parts.iter().take(rank)) {
                    *word = Some(self.source_operand(part, Type::S32)?);
                }
                beside.offsets = Some(Offsets::Words(words));
            }
            Some(_) => return Err(self.unsupported_because("a depth to compare with")),
        }
        let components = [Modifier::Right, Modifier::Green, Modifier::B, Modifier::Alpha];
        if self.instruction.opcode == Opcode::Tld4 {
            beside.gathered = components.iter().position(|word| self.has(*word)).map(|n| n as u8);
        }
        Ok(beside)
    }

    /// Element `n` of the coordinates.
    fn texture_coordinate(&mut self, written: &[Operand], n: usize, ty: Type) -> Decode<Slot> {
        match written.get(n) {
            Some(operand) => self.source_operand(operand, ty),
            // ptxas takes a bare scalar for every geometry. What the others are then, nothing says: a register that is
            // never written.
            None => Ok(self.temporary(Class::Narrow)),
        }
    }

    fn texture_destinations(&mut self, operand: &Operand, ty: Type) -> Decode<Vec<Option<Slot>>> {
        let parts = match operand {
            Operand::Vector(parts) => parts.clone(),
            Operand::Register { id, .. } => {
                (0..4).map(|component| Operand::Component { id: *id, component }).collect()
            }
            _ => return Err(self.unsupported_because("this kind of destination")),
        };
        let one = |decoder: &mut Self, operand: &Operand| match operand {
            Operand::Sink => Ok(None),
            operand => decoder.destination_operand(operand, ty).map(Some),
        };
        parts.iter().map(|part| one(self, part)).collect()
    }
}
