//! Surface loads and stores.

use warpdiff_model::Geometry;
use warpdiff_ptx::checked::{OpaqueBase, Operand};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};

use super::{Decode, Decoder};
use crate::operation::{Code, Slot, SurfaceAccess, SurfaceObject};
use crate::program::VariablePlace;
use crate::surface::OutOfBoundsMode;

impl Decoder<'_> {
    /// `suld.b` and `sust.b`.
    pub(super) fn surface(&mut self) -> Decode {
        if !self.has(Modifier::B) {
            return Err(self.unsupported());
        }
        let store = self.instruction.opcode == Opcode::Sust;
        let ty = self.ty(0)?;
        let geometries = [
            (Modifier::D1, Geometry::D1),
            (Modifier::D2, Geometry::D2),
            (Modifier::D3, Geometry::D3),
            (Modifier::A1d, Geometry::A1d),
            (Modifier::A2d, Geometry::A2d),
        ];
        let Some((_, geometry)) = geometries.into_iter().find(|(word, _)| self.has(*word)) else {
            return Err(self.unsupported());
        };
        let clamp = match () {
            () if self.has(Modifier::Clamp) => OutOfBoundsMode::Clamp,
            () if self.has(Modifier::Zero) => OutOfBoundsMode::Zero,
            // "The default is .trap"
            () => OutOfBoundsMode::Trap,
        };
        let (value, opaque) = if store { (1, 0) } else { (0, 1) };
        let Operand::Opaque { object, coordinates: written, .. } = self.operand(opaque)? else {
            return Err(self.unsupported_because("this kind of surface operand"));
        };
        let object = self.surface_object(object)?;
        let (layer, coordinates) = self.coordinates(geometry, written)?;
        let registers = self.surface_elements(self.operand(value)?, ty, store)?;
        let x = self.out.surfaces.len() as u32;
        let size = ty.size();
        self.out.surfaces.push(SurfaceAccess {
            store,
            object,
            geometry,
            coordinates,
            layer,
            size,
            registers,
            clamp,
        });
        self.emit(Code::Surface, 0, [0; 3], x);
        Ok(())
    }

    fn surface_object(&mut self, object: &OpaqueBase) -> Decode<SurfaceObject> {
        match object {
            OpaqueBase::Register(id) => Ok(SurfaceObject::Register(self.register(*id).index)),
            OpaqueBase::Variable(id) => match self.place(*id) {
                VariablePlace::Surface(number) => Ok(SurfaceObject::Variable(number)),
                VariablePlace::OpaqueParameter(position) => Ok(SurfaceObject::Parameter(position)),
                _ => Err(self.unsupported_because("this kind of surface")),
            },
        }
    }

    /// The layer, and x, y, z. Array geometries have the layer first; further elements pad the vector and are ignored.
    fn coordinates(
        &mut self,
        geometry: Geometry,
        written: &[Operand],
    ) -> Decode<(Option<Slot>, [Option<Slot>; 3])> {
        let array = matches!(geometry, Geometry::A1d | Geometry::A2d);
        let count = match geometry {
            Geometry::D1 | Geometry::A1d => 1,
            Geometry::D2 | Geometry::A2d => 2,
            Geometry::D3 => 3,
        };
        let mut slot = |n: usize| {
            written
                .get(n)
                .filter(|operand| **operand != Operand::Sink)
                .map(|operand| self.source_operand(operand, Type::S32))
                .transpose()
        };
        let layer = if array { slot(0)? } else { None };
        let mut coordinates = [None; 3];
        for (n, coordinate) in coordinates.iter_mut().enumerate().take(count) {
            *coordinate = slot(n + usize::from(array))?;
        }
        Ok((layer, coordinates))
    }

    fn surface_elements(&mut self, operand: &Operand, ty: Type, store: bool) -> Decode<Vec<Option<Slot>>> {
        let count = match () {
            () if self.has(Modifier::V2) => 2,
            () if self.has(Modifier::V4) => 4,
            () => 1,
        };
        let parts = match operand {
            Operand::Vector(parts) => parts.clone(),
            Operand::Register { id, .. } if count > 1 => {
                (0..count).map(|component| Operand::Component { id: *id, component }).collect()
            }
            other => vec![other.clone()],
        };
        let element = |decoder: &mut Self, operand: &Operand| match operand {
            Operand::Sink => Ok(None),
            operand if store => decoder.source_any(operand, ty).map(Some),
            operand => decoder.destination_operand(operand, ty).map(Some),
        };
        parts.iter().map(|part| element(self, part)).collect()
    }
}
