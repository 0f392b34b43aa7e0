//! Surface loads, stores, reductions and queries.

use warpdiff_model::{Deviation, Geometry};
use warpdiff_ptx::checked::{OpaqueBase, Operand};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_semantics::surface::query::Query;
use warpdiff_semantics::surface::{OutOfBoundsMode, Unit};

use super::merged_surface::MergedStore;
use super::{Decode, Decoder};
use crate::decoded::VariablePlace;
use crate::image_operation::{QueryObject, SurfaceAccess, SurfaceAction, SurfaceObject, SurfaceQuery};
use crate::memory_operation::{Address, Atomic, Place};
use crate::operation::{Class, Code, Slot};
use warpdiff_races::{Order, Scope};
use warpdiff_semantics::atomic::{AtomicDeviant, AtomicKind};

impl Decoder<'_> {
    /// Surface loads, stores, reductions and queries.
    pub(super) fn surface(&mut self) -> Decode {
        match self.instruction.opcode {
            Opcode::Suld | Opcode::Sust | Opcode::Sured => self.surface_access(),
            Opcode::Suq | Opcode::Txq => self.surface_query(),
            Opcode::Istypep => self.points_to(),
            _ => Err(self.unsupported()),
        }
    }

    /// `suld`, `sust` and `sured`.
    fn surface_access(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let geometry = self.geometry()?;
        let clamp = match () {
            () if self.has(Modifier::Clamp) => OutOfBoundsMode::Clamp,
            () if self.has(Modifier::Zero) => OutOfBoundsMode::Zero,
            // The grammar has no form without; examples of the text have, and .trap is what PTX 1.x knew alone.
            () => OutOfBoundsMode::Trap,
        };
        let load = self.instruction.opcode == Opcode::Suld;
        let (value, opaque) = if load { (0, 1) } else { (1, 0) };
        let Operand::Opaque { object, coordinates: written, .. } = self.operand(opaque)? else {
            return Err(self.unsupported_because("this kind of surface operand"));
        };
        let object = self.surface_object(object)?;
        let (layer, mut coordinates) = self.coordinates(geometry, written)?;
        if load && self.deviates(Deviation::PtxasDeadLoads) && self.is_unread(value)? {
            self.emit(Code::Nop, 0, [0; 3], 0);
            return Ok(());
        }
        let mut elements = self.vector_length();
        let mut registers = self.surface_elements(self.operand(value)?, elements, ty, load)?;
        match self.merged_store() {
            Some(MergedStore::Elsewhere) => {
                self.emit(Code::Nop, 0, [0; 3], 0);
                return Ok(());
            }
            Some(MergedStore::Whole { x, words, data }) => {
                coordinates[0] = Some(self.constant(Class::Narrow, u64::from(x)));
                let parts = data.into_iter().map(|data| self.surface_elements(data, elements, ty, load));
                registers = parts.collect::<Decode<Vec<_>>>()?.concat();
                elements = words;
            }
            None => {}
        }
        if !load {
            // As ptxas makes it: of a tuple without `.v2` or `.v4` the first element is stored.
            registers.truncate(elements as usize);
        }
        if load && let Some(merged) = self.merged_load() {
            coordinates[0] = Some(self.constant(Class::Narrow, u64::from(merged.x)));
            elements = merged.words;
            let mut of_whole = vec![None; merged.before as usize];
            of_whole.append(&mut registers);
            of_whole.resize(elements as usize, None);
            registers = of_whole;
        }
        let action = self.surface_action(ty, registers.first().copied().flatten())?;
        let unit = match action {
            _ if !self.has(Modifier::P) => Unit::Byte,
            SurfaceAction::StoreTexel => Unit::Texel,
            _ => Unit::Element,
        };
        let x = self.out.surfaces.len() as u32;
        let size = ty.size();
        self.out.surfaces.push(SurfaceAccess {
            action,
            object,
            geometry,
            coordinates,
            layer,
            size,
            elements,
            registers,
            clamp,
            unit,
        });
        self.emit(Code::Surface, 0, [0; 3], x);
        Ok(())
    }

    /// Whether nothing reads what the instruction writes to operand `n`.
    fn is_unread(&self, n: usize) -> Decode<bool> {
        Ok(match self.operand(n)? {
            Operand::Vector(parts) => parts.iter().all(|part| self.mentions.is_unread(part)),
            other => self.mentions.is_unread(other),
        })
    }

    pub(super) fn geometry(&self) -> Decode<Geometry> {
        let geometries = [
            (Modifier::D1, Geometry::D1),
            (Modifier::D2, Geometry::D2),
            (Modifier::D3, Geometry::D3),
            (Modifier::A1d, Geometry::A1d),
            (Modifier::A2d, Geometry::A2d),
            (Modifier::Cube, Geometry::Cube),
            (Modifier::Acube, Geometry::Acube),
        ];
        let found = geometries.into_iter().find(|(word, _)| self.has(*word));
        found.map(|(_, geometry)| geometry).ok_or_else(|| self.unsupported())
    }

    fn vector_length(&self) -> u32 {
        match () {
            () if self.has(Modifier::V2) => 2,
            () if self.has(Modifier::V4) => 4,
            () => 1,
        }
    }

    /// What the instruction does; `data` is its first element.
    fn surface_action(&mut self, ty: Type, data: Option<Slot>) -> Decode<SurfaceAction> {
        let formatted = self.has(Modifier::P);
        match self.instruction.opcode {
            Opcode::Suld if ty.size() == 4 && self.deviates(Deviation::SuldByFormat) => {
                Ok(SurfaceAction::LoadTexel)
            }
            Opcode::Suld if !formatted => Ok(SurfaceAction::Load),
            Opcode::Sust if ty.size() == 4 && self.deviates(Deviation::SustByFormat) => {
                Ok(SurfaceAction::StoreTexel)
            }
            Opcode::Sust if !formatted => Ok(SurfaceAction::Store),
            Opcode::Sust => Ok(SurfaceAction::StoreTexel),
            Opcode::Sured => {
                let Some(data) = data else { return Err(self.unsupported_because("no data")) };
                let is_extremum = self.has(Modifier::Min) || self.has(Modifier::Max);
                let by_format = match formatted {
                    true => matches!(ty, Type::B32 | Type::B64),
                    false => is_extremum && self.deviates(Deviation::SuredBByFormat),
                };
                let unsigned = self.reduction(ty, data, !formatted && !by_format && ty.is_signed())?;
                if !by_format {
                    return Ok(SurfaceAction::Reduce(unsigned));
                }
                // Only a minimum or maximum depends on the sign, but what any of them makes of a format without integers is not said.
                let signed = self.reduction(ty, data, !self.deviates(Deviation::SuredPSignFromOpcode))?;
                Ok(SurfaceAction::ReduceByFormat { unsigned, signed })
            }
            _ => Err(self.unsupported()),
        }
    }

    /// The update of a location that a `sured` does, as an atomic without a result; its address is the surface access's.
    fn reduction(&mut self, ty: Type, b: Slot, signed: bool) -> Decode<u32> {
        use AtomicKind as K;
        let kinds = [
            (Modifier::Add, K::Add),
            (Modifier::Min, if signed { K::MinS } else { K::MinU }),
            (Modifier::Max, if signed { K::MaxS } else { K::MaxU }),
            (Modifier::And, K::And),
            (Modifier::Or, K::Or),
        ];
        let found = kinds.into_iter().find(|(word, _)| self.has(*word));
        let kind = found.map(|(_, kind)| kind).ok_or_else(|| self.unsupported())?;
        let size = ty.size();
        let deviant = match size {
            8 if self.deviates(Deviation::SuredWideAsHalves) => AtomicDeviant::Halves,
            _ => AtomicDeviant::No,
        };
        self.out.atomics.push(Atomic {
            address: Address { place: Place::Global, base: None, offset: 0 },
            size,
            kind,
            destination: None,
            b,
            c: None,
            strong: (Order::Relaxed, Scope::Grid),
            deviant,
            window: None,
            spin: false,
        });
        Ok(self.out.atomics.len() as u32 - 1)
    }

    pub(super) fn surface_object(&mut self, object: &OpaqueBase) -> Decode<SurfaceObject> {
        match object {
            OpaqueBase::Register(id) => Ok(SurfaceObject::Register(self.register(*id).index)),
            OpaqueBase::Variable(id) => match self.place(*id) {
                VariablePlace::Surface(number) => Ok(SurfaceObject::Variable(number)),
                VariablePlace::Texture(number) => Ok(SurfaceObject::TextureVariable(number)),
                VariablePlace::Sampler(number) => Ok(SurfaceObject::SamplerVariable(number)),
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
        let (array, mut places): (bool, Vec<usize>) = match geometry {
            Geometry::D1 => (false, vec![0]),
            Geometry::D2 => (false, vec![0, 1]),
            Geometry::D3 => (false, vec![0, 1, 2]),
            Geometry::A1d => (true, vec![1]),
            Geometry::A2d => (true, vec![1, 2]),
            Geometry::Cube | Geometry::Acube => return Err(self.unsupported()),
        };
        if self.deviates(Deviation::SurfaceFourthCoordinate)
            && matches!(geometry, Geometry::D3 | Geometry::A2d)
            && let Some(last) = places.last_mut()
        {
            *last = 3;
        }
        let layer = if array { Some(self.coordinate(written, 0)?) } else { None };
        let mut coordinates = [None; 3];
        for (coordinate, place) in coordinates.iter_mut().zip(places) {
            *coordinate = Some(self.coordinate(written, place)?);
        }
        Ok((layer, coordinates))
    }

    /// Element `n` of the coordinates.
    fn coordinate(&mut self, written: &[Operand], n: usize) -> Decode<Slot> {
        match written.get(n) {
            Some(operand) => self.source_operand(operand, Type::S32),
            // ptxas takes a bare scalar for every geometry. What the others are then, nothing says: a register that is
            // never written.
            None => Ok(self.temporary(Class::Narrow)),
        }
    }

    fn surface_elements(
        &mut self,
        operand: &Operand,
        count: u32,
        ty: Type,
        load: bool,
    ) -> Decode<Vec<Option<Slot>>> {
        let parts = match operand {
            Operand::Vector(parts) => parts.clone(),
            Operand::Register { id, .. } if count > 1 => {
                (0..count).map(|component| Operand::Component { id: *id, component }).collect()
            }
            other => vec![other.clone()],
        };
        let element = |decoder: &mut Self, operand: &Operand| match operand {
            Operand::Sink => Ok(None),
            operand if load => decoder.destination_operand(operand, ty).map(Some),
            operand if decoder.has(Modifier::B) => decoder.stored(operand, ty).map(Some),
            operand => decoder.source_any(operand, ty).map(Some),
        };
        parts.iter().map(|part| element(self, part)).collect()
    }

    /// `istypep`
    fn points_to(&mut self) -> Decode {
        let of = match self.ty(0)? {
            Type::Surfref => QueryObject::Surface,
            Type::Texref => QueryObject::Texture,
            Type::Samplerref => QueryObject::Sampler,
            _ => return Err(self.unsupported()),
        };
        let (p, a) = (self.destination(0, Type::Pred)?, self.source(1, Type::U64)?);
        self.emit(Code::PointsTo, p.index, [a.index, 0, 0], of as u32);
        Ok(())
    }

    /// `suq` and `txq`.
    fn surface_query(&mut self) -> Decode {
        let queries = [
            (Modifier::Width, Query::Width),
            (Modifier::Height, Query::Height),
            (Modifier::Depth, Query::Depth),
            (Modifier::ChannelDataType, Query::ChannelDataType),
            (Modifier::ChannelOrder, Query::ChannelOrder),
            (Modifier::ArraySize, Query::ArraySize),
            (Modifier::MemoryLayout, Query::MemoryLayout),
            (Modifier::NormalizedCoords, Query::NormalizedCoordinates),
            (Modifier::FilterMode, Query::FilterMode),
            (Modifier::AddrMode0, Query::AddressMode(0)),
            (Modifier::AddrMode1, Query::AddressMode(1)),
            (Modifier::AddrMode2, Query::AddressMode(2)),
            (Modifier::ForceUnnormalizedCoords, Query::ForceUnnormalized),
            (Modifier::NumMipmapLevels, Query::LevelsOrSamples),
            (Modifier::NumSamples, Query::LevelsOrSamples),
        ];
        let found = queries.into_iter().find(|(word, _)| self.has(*word));
        let Some((_, query)) = found else { return Err(self.unsupported()) };
        let Operand::Opaque { object, .. } = self.operand(1)? else {
            return Err(self.unsupported_because("this kind of surface operand"));
        };
        let object = self.surface_object(object)?;
        let destination = self.destination(0, Type::B32)?;
        let x = self.out.queries.len() as u32;
        // "In unified mode, sampler attributes are also accessed via a .texref argument, and in independent mode sampler attributes
        // are accessed via a separate .samplerref argument."
        let independent = self.module.texmode_independent;
        let of = match (self.instruction.opcode, query) {
            (Opcode::Suq, _) => QueryObject::Surface,
            (_, Query::ForceUnnormalized) => QueryObject::Sampler,
            (_, Query::FilterMode | Query::AddressMode(_)) if independent => QueryObject::Sampler,
            _ => QueryObject::Texture,
        };
        self.out.queries.push(SurfaceQuery { query, of, object, destination });
        self.emit(Code::SurfaceQuery, 0, [0; 3], x);
        Ok(())
    }
}
