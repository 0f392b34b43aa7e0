//! `tex` and `tld4`: samples the texture that a lane names at its coordinates, or gathers its texels. A texture here has one level.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{Choice, Geometry, Semantics};
use warpdiff_semantics::numeric::bound::Interval;
use warpdiff_semantics::texture::{
    Channel, Coordinate, Gathered, Image, Kind, Lookup, Row, Sampling, Texel, gather, lookup,
};

use crate::image_operation::{Beside, Offsets, TextureLookup};
use crate::machine::turn::{Next, Turn};
use crate::machine::warp::Warp;
use crate::machine::{Machine, Tracking};
use crate::operation::Slot;
use crate::registers::{LANES, Origin, Shade, lanes};
use warpdiff_semantics::definedness::doubt::Doubt;

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
            sampling =
                self.consulted.noting(|choices| sampling.with_initializer(&said, &self.semantics, choices));
        }
        if let Some(sampler) = asked.sampler {
            sampling = sampling.beside(&self.sampler_of(w, sampler, lane)?, &self.semantics);
        }
        let coordinates = asked.coordinates.map(|slot| match (w.word(slot, lane), asked.integers) {
            (word, true) => Coordinate::Integer(word as i32),
            (word, false) => Coordinate::Float(f32::from_bits(word)),
        });
        let layer = w.word(asked.layer, lane);
        let lower = asked.beside.gathered.map_or(Row::Second, |_| self.lower_row(asked));
        let memory = self.memory.surfaces.get(texture.array)?;
        let wanted = asked.wanted.unwrap_or(Kind::of(memory.format.channel, sampling.read));
        let Some(offsets) = offsets_of::<T>(w, asked, lane) else { return Some([Channel::UNKNOWN; 4]) };
        match level_of::<T>(w, asked, lane) {
            Level::First => {}
            Level::Unknown => return Some([Channel::UNKNOWN; 4]),
            Level::Another => {
                self.consulted.note(Choice::TextureLevel);
                if self.semantics.assignment.get(Choice::TextureLevel) != 0 {
                    return Some([Channel::UNKNOWN; 4]);
                }
            }
        }
        // What ptxas makes of `tex.1d` is a lookup in two dimensions with 0 as the second coordinate: a header of one dimension has no row
        // but that one, whatever the address mode, nor an offset from it: ptxas leaves in its field what the word of the first one has there.
        let is_flat = asked.is_flattened
            && (asked.geometry, memory.descriptor.geometry) == (Geometry::D2, Geometry::D1)
            && w.word(asked.coordinates[1], lane) == 0;
        let geometry = if is_flat { Geometry::D1 } else { asked.geometry };
        let names_texel = asked.names_texel;
        let request = Lookup { geometry, coordinates, layer, wanted, offsets: offsets[0], names_texel };
        if let (true, Some(onlooker)) = (T::TRACED, self.onlooker) {
            onlooker.texture(lane, &memory.descriptor, &sampling, &request);
        }
        let image = Image { shape: memory.descriptor, format: memory.format, bytes: &memory.texels.data };
        let of_plane = |offset: [i32; 3]| [offset[0], offset[1]];
        let gathered = match asked.beside.offsets {
            Some(Offsets::Four(_)) => Gathered::at_offsets(offsets.map(of_plane)),
            _ => Gathered::around(of_plane(offsets[0]), lower),
        };
        let under = |semantics: &Semantics, choices: &mut ChoiceSet| match asked.beside.gathered {
            None => lookup(&image, &sampling, &request, semantics, choices, T::ON),
            Some(component) => {
                gather(&image, &sampling, &request, (usize::from(component), gathered), semantics, choices)
            }
        };
        let mut choices = ChoiceSet::default();
        let found = under(&self.semantics, &mut choices);
        let rule = |semantics: &Semantics, choices: &mut ChoiceSet| {
            let texel = under(semantics, choices);
            // A component that no register receives cannot change the run.
            let is_kept = |component: usize| matches!(asked.registers.get(component), Some(Some(_)));
            [0, 1, 2, 3].map(|component| is_kept(component).then_some(texel[component]))
        };
        self.consulted.weigh(choices, &self.semantics, rule);
        Some(found)
    }

    /// Which row of the four texels of a gather is the lower one: "lower left" (PTX ISA 9.7.10.4) does not say in which direction y grows.
    /// That of machine code has "the host API's gather order" (Ryujinx, yuzu).
    fn lower_row(&mut self, asked: &TextureLookup) -> Row {
        if !asked.beside.is_ptx {
            return Row::Second;
        }
        self.consulted.note(Choice::TextureGatherOrder);
        if self.semantics.assignment.get(Choice::TextureGatherOrder) == 0 { Row::Second } else { Row::First }
    }
}

/// The level that a lane asks for.
enum Level {
    /// That which every texture has.
    First,
    /// One that no texture here has.
    Another,
    /// None, or none that a text names.
    Unknown,
}

/// The bits of a register in a lane if those of `mask` are defined.
fn known<T: Tracking>(w: &Warp, slot: Slot, lane: usize, mask: u32) -> Option<u32> {
    let (value, shade) = w.shaded::<T>(slot, lane);
    ((shade.undefined | shade.unfixed) & u64::from(mask) == 0).then_some(value as u32)
}

/// A signed field.
fn signed(word: u32, low: u32, width: u32) -> i32 {
    (word << (32 - low - width)) as i32 >> (32 - width)
}

/// The offsets of four texels; those of a lookup are the first. `None` if they are not defined, or none that there may be.
fn offsets_of<T: Tracking>(w: &Warp, asked: &TextureLookup, lane: usize) -> Option<[[i32; 3]; 4]> {
    let mut out = [[0; 3]; 4];
    match asked.beside.offsets {
        None => {}
        Some(Offsets::Words(words)) => {
            for (offset, word) in out[0].iter_mut().zip(words) {
                let Some(word) = word else { continue };
                let number = known::<T>(w, word, lane, u32::MAX)? as i32;
                // "Offset value is in the range of -8 to +7": of others nothing is said.
                *offset = Some(number).filter(|number| (-8..=7).contains(number))?;
            }
        }
        Some(Offsets::One { word, low, stride, width }) => {
            for (n, offset) in out[0].iter_mut().enumerate() {
                // A coordinate that there is not has no offset.
                if asked.coordinates[n].is_some() {
                    let low = low + n as u32 * stride;
                    let field = ((1 << width) - 1) << low;
                    *offset = signed(known::<T>(w, word, lane, field)?, low, width);
                }
            }
        }
        Some(Offsets::Four(words)) => {
            for (texel, offset) in out.iter_mut().enumerate() {
                let word = known::<T>(w, words[texel / 2], lane, 0x3F3F << (16 * (texel % 2)))?;
                let low = 16 * (texel as u32 % 2);
                *offset = [signed(word, low, 6), signed(word, low + 8, 6), 0];
            }
        }
    }
    Some(out)
}

/// The level that a lane asks for.
///
/// In machine code a level, or what derivatives make one, is limited to those of the texture, and so is a sum with what is added
/// ("clamped", OpenGL 4.6, 8.14.1), but for a NaN; a number of another level names none. PTX has "the LOD to fetch from" and "the partials",
/// and says neither what a level is that the texture does not have, nor which one derivatives make: where all are 0 it is the first.
fn level_of<T: Tracking>(w: &Warp, asked: &TextureLookup, lane: usize) -> Level {
    let Beside { levels, level, is_ptx, .. } = &asked.beside;
    let mut is_first = true;
    for slot in levels {
        match known::<T>(w, *slot, lane, u32::MAX).map(f32::from_bits) {
            Some(number) if !number.is_nan() => is_first &= number == 0.0,
            _ => return Level::Unknown,
        }
    }
    match level.map(|slot| known::<T>(w, slot, lane, u32::MAX)) {
        Some(None) => return Level::Unknown,
        Some(Some(number)) => is_first &= number == 0,
        None => is_first |= !is_ptx,
    }
    match (is_first, is_ptx) {
        (true, _) => Level::First,
        (false, true) => Level::Another,
        (false, false) => Level::Unknown,
    }
}
