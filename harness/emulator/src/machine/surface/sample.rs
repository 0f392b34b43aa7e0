//! `tex`: samples the texture that a lane names at its coordinates.

use warpdiff_model::Geometry;
use warpdiff_semantics::numeric::bound::Interval;
use warpdiff_semantics::texture::{Channel, Coordinate, Image, Kind, Lookup, Sampling, Texel, lookup};

use crate::doubt::Doubt;
use crate::machine::turn::{Next, Turn};
use crate::machine::warp::Warp;
use crate::machine::{Machine, Tracking};
use crate::operation::TextureLookup;
use crate::registers::{LANES, Origin, Shade, lanes};

impl Machine<'_> {
    pub(in crate::machine) fn texture<T: Tracking>(&mut self, turn: &mut Turn<'_>) -> Next {
        let code = self.code;
        let asked = &code.lookups[turn.op.x as usize];
        let defined = self.object_defined::<T>(turn, asked.object)
            && asked.sampler.is_none_or(|sampler| self.object_defined::<T>(turn, sampler))
            && self.coordinates_defined::<T>(turn, asked.coordinates, asked.layer);
        if !defined {
            return Next::Regroup;
        }
        // Every lane looks up before any register is written: a destination may be a coordinate.
        let mut found: [Texel; LANES] = [[Channel::UNKNOWN; 4]; LANES];
        let faulted = self.in_each(lanes(turn.mask), turn, |machine, turn, lane| {
            let texel = machine.texel::<T>(turn.warp, asked, lane);
            let detail = "no texture, or no sampler, has this handle";
            found[lane] =
                texel.ok_or_else(|| machine.names_nothing::<T>(turn, asked.object, lane, detail))?;
            Ok(())
        });
        for lane in lanes(faulted.map_or(0, |faulted| turn.mask & !faulted)) {
            for (component, slot) in found[lane].iter().zip(&asked.registers) {
                let Some(slot) = slot else { continue };
                let varying = component.within.map_or(0, Interval::varying);
                let undefined = u64::from(component.undefined | varying);
                let origin = if undefined == 0 { Origin::NONE } else { Origin::made_by(turn.pc) };
                let doubt = component.within.map_or(Doubt::NONE, Doubt::within);
                let shade = Shade { undefined, origin, doubt, ..Shade::CLEAN };
                turn.warp.put::<T>(*slot, lane, component.bits.into(), shade);
            }
        }
        turn.warp.refresh::<T>(&asked.registers);
        self.after_access(turn, faulted)
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
        let coordinates = asked.coordinates.map(|slot| match (w.word(slot, lane), asked.integers) {
            (word, true) => Coordinate::Integer(word as i32),
            (word, false) => Coordinate::Float(f32::from_bits(word)),
        });
        let layer = w.word(asked.layer, lane);
        let memory = self.memory.surfaces.get(texture.array)?;
        let wanted = asked.wanted.unwrap_or(Kind::of(memory.format.channel, sampling.read));
        // What ptxas makes of `tex.1d` is a lookup in two dimensions with 0 as the second coordinate: a header of one dimension has no row
        // but that one, whatever the address mode.
        let is_flat = asked.wanted.is_none()
            && (asked.geometry, memory.descriptor.geometry) == (Geometry::D2, Geometry::D1)
            && w.word(asked.coordinates[1], lane) == 0;
        let geometry = if is_flat { Geometry::D1 } else { asked.geometry };
        let request = Lookup { geometry, coordinates, layer, wanted };
        let image = Image { shape: memory.descriptor, format: memory.format, bytes: &memory.texels.data };
        Some(lookup(&image, &sampling, &request, &self.semantics, &mut self.consulted, T::ON))
    }
}
