//! Surface loads and stores.

use warpdiff_model::FaultClass;

use super::access::widen;
use super::execute::Next;
use super::warp::{Group, Warp};
use super::{BlockState, Machine, Tracking};
use crate::operation::{Class, Slot, SurfaceAccess, SurfaceObject};
use crate::registers::{Origin, Shade, lanes};
use crate::surface::{self, Beyond, Kind, Resolution, SurfaceFault, Unit};

/// The upper half of a surface handle. Only the lower half, the number plus one, is looked at.
pub(crate) const HANDLE_TAG: u64 = 0x8000_0000 << 32;

/// The handle of a surface.
pub(crate) fn handle(index: usize) -> u64 {
    HANDLE_TAG | (index as u64 + 1)
}

/// The bytes of a surface that a lane accesses.
#[derive(Clone, Copy)]
struct Texels {
    /// Which surface; `None` when the access is out of bounds.
    place: Option<(usize, usize)>,
    /// Bytes from the start of the access that are there.
    valid: u32,
    /// What the others are when loaded.
    beyond: Beyond,
}

impl Machine<'_> {
    /// `suld.b` and `sust.b`.
    pub(super) fn surface<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        group: &mut Group,
        mask: u32,
        x: u32,
        pc: u32,
    ) -> Next {
        let code = self.code;
        let access = &code.surfaces[x as usize];
        if T::ON && !self.surface_operands_defined(w, access, mask, pc) {
            return Next::Regroup;
        }
        let mut failed = 0;
        // Every lane's address is found before any register is written: a destination may be a coordinate.
        let mut found = [None; 32];
        for lane in lanes(mask) {
            found[lane] = self.texels(block, w, access, lane, pc);
            failed |= u32::from(found[lane].is_none()) << lane;
        }
        for lane in lanes(mask & !failed) {
            if let Some(texels) = found[lane] {
                if access.store {
                    self.store_texels::<T>(block, w, access, texels, lane);
                } else {
                    self.load_texels::<T>(block, w, access, texels, lane, pc);
                }
            }
        }
        if !access.store {
            self.refresh::<T>(w, &access.registers);
        }
        self.after_access(block, w, group, failed)
    }

    fn surface_operands_defined(&mut self, w: &Warp, access: &SurfaceAccess, mask: u32, pc: u32) -> bool {
        let object = match access.object {
            SurfaceObject::Register(index) => Some(Slot { class: Class::Wide, index }),
            _ => None,
        };
        let slots =
            [object, access.coordinates[0], access.coordinates[1], access.coordinates[2], access.layer];
        for (n, slot) in slots.into_iter().enumerate() {
            let Some(slot) = slot else { continue };
            let what = if n == 0 { "the surface handle" } else { "a coordinate" };
            if w.registers.dirt(slot.class, w.rows.row(slot)) != 0
                && !self.operand_defined(w, slot, mask, pc, what, n)
            {
                return false;
            }
        }
        true
    }

    /// The surface that a lane names.
    fn surface_of(&self, w: &Warp, object: SurfaceObject, lane: usize) -> Option<usize> {
        match object {
            SurfaceObject::Register(index) => {
                let value = w.registers.wide[w.rows.w(index)][lane];
                let number = (value & 0xFFFF_FFFF).checked_sub(1)? as usize;
                self.handles.get(number).copied().flatten()
            }
            SurfaceObject::Variable(number) => self.bindings.get(number as usize).copied().flatten(),
            SurfaceObject::Parameter(position) => {
                self.opaque_parameters.get(position as usize).copied().flatten()
            }
        }
    }

    /// Where a lane's access goes; `None` when it faults.
    fn texels(
        &mut self,
        block: &BlockState,
        w: &Warp,
        access: &SurfaceAccess,
        lane: usize,
        pc: u32,
    ) -> Option<Texels> {
        let Some(index) = self.surface_of(w, access.object, lane) else {
            self.fault(block, w, lane, pc, FaultClass::InvalidHandle, None, "no surface has this handle");
            return None;
        };
        let read = |slot: Option<Slot>| {
            slot.map_or(0, |slot| w.registers.get(slot.class, w.rows.row(slot), lane) as u32)
        };
        let [x, y, z] = access.coordinates.map(|slot| read(slot) as i32);
        let size = access.size * access.registers.len() as u32;
        let request = surface::Access {
            geometry: access.geometry,
            x,
            y,
            z,
            layer: read(access.layer),
            size,
            element: access.size,
            mode: access.clamp,
            unit: Unit::Byte,
        };
        let kind = if access.store { Kind::Store } else { Kind::Load };
        let descriptor = self.surfaces[index].descriptor;
        let at = |offset: u64, valid: u32, beyond| {
            Some(Texels { place: Some((index, offset as usize)), valid, beyond })
        };
        match surface::resolve(&descriptor, &request, kind, &self.semantics, &mut self.consulted) {
            Resolution::Bytes { offset } => at(offset, size, Beyond::Zero),
            Resolution::Partial { offset, len, beyond } => at(offset, len, beyond),
            Resolution::OutOfBounds => Some(Texels { place: None, valid: 0, beyond: Beyond::Zero }),
            Resolution::Trap => {
                self.surface_fault(block, w, lane, pc, FaultClass::SurfaceTrap, index, &request)
            }
            Resolution::Fault(SurfaceFault::Misaligned) => {
                self.surface_fault(block, w, lane, pc, FaultClass::Misaligned, index, &request)
            }
            Resolution::Fault(SurfaceFault::Geometry) => {
                self.surface_fault(block, w, lane, pc, FaultClass::InvalidHandle, index, &request)
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "who faults, where, and why")]
    #[cold]
    fn surface_fault(
        &mut self,
        block: &BlockState,
        w: &Warp,
        lane: usize,
        pc: u32,
        class: FaultClass,
        index: usize,
        request: &surface::Access,
    ) -> Option<Texels> {
        let surface = &self.surfaces[index];
        let shape = surface.descriptor;
        let row = u64::from(shape.extent[0]) * u64::from(shape.texel_size);
        let detail = format!(
            "x = {}, y = {}, z = {}, layer = {} of surface `{}` ({row} bytes x {} x {}, {} layers)",
            request.x,
            request.y,
            request.z,
            request.layer,
            surface.name,
            shape.extent[1],
            shape.extent[2],
            shape.layers
        );
        self.fault(block, w, lane, pc, class, None, &detail);
        None
    }

    fn load_texels<T: Tracking>(
        &mut self,
        block: &BlockState,
        w: &mut Warp,
        access: &SurfaceAccess,
        texels: Texels,
        lane: usize,
        pc: u32,
    ) {
        let count = access.registers.len() as u32;
        let thread = block.thread(w.index, lane);
        for (n, register) in access.registers.iter().enumerate() {
            let position = surface::element_position(n as u32, count, &self.semantics) * access.size;
            let (mut value, mut undefined, mut unordered) = (0u64, 0u64, 0u64);
            for byte in 0..access.size {
                let shift = 8 * byte;
                let Some((index, start)) = texels.place.filter(|_| position + byte < texels.valid) else {
                    if texels.place.is_some() && texels.beyond == Beyond::Undefined {
                        undefined |= 0xFF << shift;
                    }
                    continue;
                };
                let offset = start + (position + byte) as usize;
                let memory = &mut self.surfaces[index].texels;
                if !memory.holds(offset as u64, 1) {
                    continue;
                }
                value |= memory.read(offset, 1) << shift;
                if T::ON {
                    undefined |= memory.undefined(offset, 1) << shift;
                    unordered |= memory.unordered(offset, 1) << shift;
                    if let Some(race) = &mut memory.race {
                        undefined |= widen(race.read(&mut self.clocks, offset, 1, thread)) << shift;
                    }
                }
            }
            let Some(slot) = register else { continue };
            let row = w.rows.row(*slot);
            let value = surface::extend_loaded(value, access.size, &self.semantics);
            w.registers.set(slot.class, row, lane, value);
            if T::ON {
                let origin = if undefined == 0 { Origin::NONE } else { Origin::made_by(pc) };
                w.registers.set_shade(
                    slot.class,
                    row,
                    lane,
                    Shade { undefined, unordered, origin, record: 0 },
                );
            }
        }
    }

    fn store_texels<T: Tracking>(
        &mut self,
        block: &BlockState,
        w: &Warp,
        access: &SurfaceAccess,
        texels: Texels,
        lane: usize,
    ) {
        let Some((index, start)) = texels.place else { return };
        let count = access.registers.len() as u32;
        let thread = block.thread(w.index, lane);
        let memory = &mut self.surfaces[index].texels;
        for (n, register) in access.registers.iter().enumerate() {
            let Some(slot) = register else { continue };
            let row = w.rows.row(*slot);
            let value = w.registers.get(slot.class, row, lane);
            let shade = if T::ON { w.registers.shade(slot.class, row, lane) } else { Shade::CLEAN };
            let position = surface::element_position(n as u32, count, &self.semantics) * access.size;
            for byte in 0..access.size {
                let offset = start + (position + byte) as usize;
                if position + byte >= texels.valid || !memory.holds(offset as u64, 1) {
                    continue;
                }
                let shift = 8 * byte;
                memory.write(offset, 1, value >> shift & 0xFF);
                if T::ON {
                    let mut undefined = shade.undefined >> shift & 0xFF;
                    if let Some(race) = &mut memory.race {
                        undefined |= widen(race.write(&mut self.clocks, offset, 1, thread));
                    }
                    memory.set_undefined(offset, 1, undefined);
                    memory.set_unordered(offset, 1, shade.unordered >> shift & 0xFF);
                }
            }
        }
    }
}
