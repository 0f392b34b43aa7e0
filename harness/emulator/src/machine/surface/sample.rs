//! `tex`: what the texture that a lane names gives at its coordinates.

use warpdiff_model::FaultClass;

use crate::doubt::Doubt;
use crate::machine::execute::Next;
use crate::machine::warp::{Group, Warp};
use crate::machine::{BlockState, Machine, Tracking};
use crate::operation::{Slot, TextureLookup};
use crate::registers::{Origin, Shade, lanes};
use warpdiff_semantics::numeric::bound::Interval;
use warpdiff_semantics::texture::{Channel, Coordinate, Image, Lookup, Sampling, Texel, lookup};

impl Machine<'_> {
    pub(in crate::machine) fn texture<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        group: &mut Group,
        mask: u32,
        x: u32,
        pc: u32,
    ) -> Next {
        let code = self.code;
        let asked = &code.lookups[x as usize];
        if T::ON && !self.texture_operands_defined(w, asked, mask, pc) {
            return Next::Regroup;
        }
        let mut failed = 0;
        // Every lane looks up before any register is written: a destination may be a coordinate.
        let mut found: [Texel; 32] = [[Channel::UNKNOWN; 4]; 32];
        for lane in lanes(mask) {
            match self.texel::<T>(w, asked, lane) {
                Some(texel) => found[lane] = texel,
                None if T::ON => {
                    self.names_nothing(w, asked.object, lane, pc);
                    return Next::Regroup;
                }
                None => {
                    let detail = "no texture, or no sampler, has this handle";
                    self.fault(block, w, lane, pc, FaultClass::InvalidHandle, None, detail);
                    failed |= 1 << lane;
                }
            }
        }
        for lane in lanes(mask & !failed) {
            for (component, slot) in found[lane].iter().zip(&asked.registers) {
                let Some(slot) = slot else { continue };
                let row = w.rows.row(*slot);
                w.registers.set(slot.class, row, lane, component.bits.into());
                if T::ON {
                    let varying = component.within.map_or(0, Interval::varying);
                    let undefined = u64::from(component.undefined | varying);
                    let origin = if undefined == 0 { Origin::NONE } else { Origin::made_by(pc) };
                    let doubt = component.within.map_or(Doubt::NONE, Doubt::within);
                    let shade = Shade { undefined, origin, doubt, ..Shade::CLEAN };
                    w.registers.set_shade(slot.class, row, lane, shade);
                }
            }
        }
        self.refresh::<T>(w, &asked.registers);
        self.after_access(block, w, group, failed)
    }

    fn texture_operands_defined(&mut self, w: &Warp, asked: &TextureLookup, mask: u32, pc: u32) -> bool {
        let objects = [Some(asked.object), asked.sampler].into_iter().flatten();
        for object in objects {
            if !self.surface_object_defined(w, object, mask, pc) {
                return false;
            }
        }
        let [x, y, z] = asked.coordinates;
        for (n, slot) in [x, y, z, asked.layer].into_iter().enumerate() {
            let Some(slot) = slot else { continue };
            if w.registers.dirt(slot.class, w.rows.row(slot)) != 0
                && !self.operand_defined(w, slot, mask, pc, "a coordinate", n + 1)
            {
                return false;
            }
        }
        true
    }

    /// What a lane gets; `None` if it names no texture or no sampler.
    fn texel<T: Tracking>(&mut self, w: &Warp, asked: &TextureLookup, lane: usize) -> Option<Texel> {
        let (texture, members) = self.texture_of(w, asked.object, lane)?;
        let mut sampling = Sampling::of(&texture.sampler);
        if let Some(members) = members {
            let said = if asked.sampler.is_some() { members.of_texture_alone() } else { members };
            sampling = sampling.with_initializer(&said, &self.semantics, &mut self.consulted);
        }
        if let Some(sampler) = asked.sampler {
            sampling = sampling.beside(&self.sampler_of(w, sampler, lane)?, &self.semantics);
        }
        let read = |slot: Option<Slot>| {
            slot.map_or(0, |slot| w.registers.get(slot.class, w.rows.row(slot), lane) as u32)
        };
        let coordinates = asked.coordinates.map(|slot| match asked.integers {
            true => Coordinate::Integer(read(slot) as i32),
            false => Coordinate::Float(f32::from_bits(read(slot))),
        });
        let request =
            Lookup { geometry: asked.geometry, coordinates, layer: read(asked.layer), wanted: asked.wanted };
        let memory = self.surfaces.get(texture.array)?;
        let image = Image { shape: memory.descriptor, format: memory.format, bytes: &memory.texels.data };
        Some(lookup(&image, &sampling, &request, &self.semantics, &mut self.consulted, T::ON))
    }
}
