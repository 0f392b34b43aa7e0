//! Texture lookups.

use warpdiff_model::Geometry;
use warpdiff_ptx::checked::Operand;
use warpdiff_ptx::vocabulary::{Opcode, Type};
use warpdiff_semantics::texture::Kind;

use super::{Decode, Decoder};
use crate::image_operation::{Beside, TextureLookup};
use crate::operation::{Class, Code, Slot};

impl Decoder<'_> {
    /// Texture lookups.
    pub(super) fn texture(&mut self) -> Decode {
        match self.instruction.opcode {
            Opcode::Tex => self.lookup(),
            _ => Err(self.unsupported()),
        }
    }

    /// `tex`.
    fn lookup(&mut self) -> Decode {
        let (dtype, ctype) = (self.ty(0)?, self.ty(1)?);
        let geometry = self.geometry()?;
        let Operand::Opaque { object, sampler, coordinates: written, .. } = self.operand(1)? else {
            return Err(self.unsupported_because("this kind of texture operand"));
        };
        let object = self.surface_object(object)?;
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
        };
        let layer = if array { Some(self.texture_coordinate(written, 0, Type::U32)?) } else { None };
        let mut coordinates = [None; 3];
        for (n, coordinate) in coordinates.iter_mut().enumerate().take(rank) {
            *coordinate = Some(self.texture_coordinate(written, n + usize::from(array), ctype)?);
        }
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
            layer,
            wanted,
            registers,
            is_flattened: false,
            beside: Beside::default(),
        };
        self.out.lookups.push(lookup);
        self.emit(Code::Texture, 0, [0; 3], x);
        Ok(())
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
