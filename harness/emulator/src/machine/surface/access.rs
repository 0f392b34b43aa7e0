//! Where a lane's surface access goes, and what it does there.

use warpdiff_model::FaultClass;

use crate::machine::execute::Next;
use crate::machine::warp::{Group, Warp};
use crate::machine::{BlockState, Machine, Tracking};
use crate::operation::{Class, Slot, SurfaceAccess, SurfaceAction, SurfaceObject};
use crate::registers::{UNDEFINED, lanes};
use warpdiff_semantics::surface::texel::Certainty;
use warpdiff_semantics::surface::{self, Beyond, Kind, Resolution, SurfaceFault, Unit};

/// The bytes of a surface that a lane accesses.
#[derive(Clone, Copy)]
pub(super) enum Texels {
    /// These.
    At {
        /// Which surface.
        surface: usize,
        /// Byte offset of the access.
        start: usize,
        /// Bytes from there on that are in bounds.
        valid: u32,
        /// What becomes of the others.
        beyond: Beyond,
    },
    /// None: the access is out of bounds.
    Nowhere,
    /// Any of this surface: the text does not say which.
    Anywhere(usize),
}

impl Machine<'_> {
    /// `suld`, `sust` and `sured`.
    pub(in crate::machine) fn surface<T: Tracking>(
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
        let mut found = [Texels::Nowhere; 32];
        for lane in lanes(mask) {
            match self.texels::<T>(block, w, access, lane, pc) {
                Some(texels) => found[lane] = texels,
                None => failed |= 1 << lane,
            }
        }
        if self.stop.is_some() {
            return Next::Regroup;
        }
        match access.action {
            SurfaceAction::Load => {
                for lane in lanes(mask & !failed) {
                    self.load_texels::<T>(block, w, access, found[lane], lane, pc);
                }
                self.refresh::<T>(w, &access.registers);
            }
            SurfaceAction::Store => {
                for lane in lanes(mask & !failed) {
                    self.store_texels::<T>(block, w, access, found[lane], lane);
                }
            }
            SurfaceAction::StoreTexel => {
                for lane in lanes(mask & !failed) {
                    self.store_formatted::<T>(block, w, access, found[lane], lane);
                }
            }
            SurfaceAction::Reduce(_) | SurfaceAction::ReduceByFormat { .. } => {
                for lane in self.lane_order(mask & !failed) {
                    failed |= self.reduce_texels::<T>(block, w, access, found[lane], lane, pc);
                }
            }
        }
        self.after_access(block, w, group, failed)
    }

    fn surface_operands_defined(&mut self, w: &Warp, access: &SurfaceAccess, mask: u32, pc: u32) -> bool {
        if !self.surface_object_defined(w, access.object, mask, pc) {
            return false;
        }
        let [x, y, z] = access.coordinates;
        for (n, slot) in [x, y, z, access.layer].into_iter().enumerate() {
            let Some(slot) = slot else { continue };
            if w.registers.dirt(slot.class, w.rows.row(slot)) != 0
                && !self.operand_defined(w, slot, mask, pc, "a coordinate", n + 1)
            {
                return false;
            }
        }
        true
    }

    /// Whether the handle is defined. That it is unordered, as every handle is, means nothing here.
    pub(super) fn surface_object_defined(
        &mut self,
        w: &Warp,
        object: SurfaceObject,
        mask: u32,
        pc: u32,
    ) -> bool {
        let SurfaceObject::Register(index) = object else { return true };
        let slot = Slot { class: Class::Wide, index };
        if w.registers.dirt(slot.class, w.rows.row(slot)) & UNDEFINED == 0 {
            return true;
        }
        self.operand_defined(w, slot, mask, pc, "the surface handle", 0)
    }

    /// Where a lane's access goes; `None` when it faults.
    fn texels<T: Tracking>(
        &mut self,
        block: &BlockState,
        w: &Warp,
        access: &SurfaceAccess,
        lane: usize,
        pc: u32,
    ) -> Option<Texels> {
        let Some(surface) = self.surface_of(w, access.object, lane) else {
            if T::ON {
                self.names_nothing(w, access.object, lane, pc);
            }
            self.fault(block, w, lane, pc, FaultClass::InvalidHandle, None, "no surface has this handle");
            return None;
        };
        let read = |slot: Option<Slot>| {
            slot.map_or(0, |slot| w.registers.get(slot.class, w.rows.row(slot), lane) as u32)
        };
        let [x, y, z] = access.coordinates.map(|slot| read(slot) as i32);
        let descriptor = self.surfaces[surface].descriptor;
        let size = match access.unit {
            Unit::Texel => descriptor.texel_size,
            Unit::Byte | Unit::Element => access.size * access.elements,
        };
        let request = surface::Access {
            geometry: access.geometry,
            x,
            y,
            z,
            layer: read(access.layer),
            size,
            element: access.size,
            mode: access.clamp,
            unit: access.unit,
        };
        let kind = match access.action {
            SurfaceAction::Load => Kind::Load,
            SurfaceAction::Store | SurfaceAction::StoreTexel => Kind::Store,
            SurfaceAction::Reduce(_) | SurfaceAction::ReduceByFormat { .. } => Kind::Reduce,
        };
        let at = |offset: u64, valid: u32, beyond| {
            Some(Texels::At { surface, start: offset as usize, valid, beyond })
        };
        let class = match surface::resolve(&descriptor, &request, kind, &self.semantics, &mut self.consulted)
        {
            Resolution::Bytes { offset } => return at(offset, size, Beyond::Zero),
            Resolution::Partial { offset, len, beyond } => return at(offset, len, beyond),
            Resolution::OutOfBounds => return Some(Texels::Nowhere),
            Resolution::Anywhere => return Some(Texels::Anywhere(surface)),
            Resolution::Trap => FaultClass::SurfaceTrap,
            Resolution::Fault(SurfaceFault::Misaligned) => FaultClass::Misaligned,
            Resolution::Fault(SurfaceFault::Geometry) => FaultClass::InvalidHandle,
        };
        self.surface_fault(block, w, lane, pc, class, surface, &request);
        None
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
    ) {
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
    }

    /// Makes every texel of a surface undefined.
    #[cold]
    pub(super) fn forget_texels<T: Tracking>(&mut self, surface: usize) {
        if T::ON {
            let texels = &mut self.surfaces[surface].texels;
            texels.set_undefined_bytes(0, texels.data.len());
            texels.mark(0, texels.data.len(), Certainty::Bits);
        }
    }
}
