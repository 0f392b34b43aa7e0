//! `suld.b` and `sust.b`: bytes between registers and texels.

use warpdiff_model::{Choice, Deviation};
use warpdiff_semantics::surface::texel::Certainty;
use warpdiff_semantics::surface::{self, Beyond};

use super::access::Texels;
use crate::address_space::{Region, Spot};
use crate::image_operation::SurfaceAccess;
use crate::machine::recorder::{Touched, note};
use crate::machine::turn::Turn;
use crate::machine::{Machine, Tracking};
use crate::memory::Allocation;
use crate::registers::{Origin, Shade, all_bits};
use crate::trace::AccessKind;
use warpdiff_races::{Clocks, widen};
use warpdiff_semantics::definedness::doubt::Doubt;

impl Machine<'_> {
    pub(super) fn load_texels<T: Tracking>(
        &mut self,
        turn: &mut Turn<'_>,
        access: &SurfaceAccess,
        texels: Texels,
        lane: usize,
    ) {
        let thread = turn.thread(lane);
        let mut read_back = false;
        // Where each element is clamped by itself, it may have been loaded from any place in the reach of the nearest ones. `None`: it
        // was loaded from its own place.
        let nearest = match texels {
            Texels::At { start, valid, beyond: Beyond::Nearest { reach, moved: true }, .. }
                if T::ON && access.elements > 1 && valid < access.size * access.elements =>
            {
                let reach = self.reach_beyond(reach);
                let end = start + valid as usize;
                (reach > 0).then(|| end.saturating_sub(reach as usize)..end)
            }
            _ => None,
        };
        for (n, register) in access.registers.iter().enumerate() {
            // A tuple without `.v2` or `.v4` receives the one element in each of its registers.
            let element = (n as u32).min(access.elements - 1);
            let position = surface::element_position(element, access.elements, &self.semantics) * access.size;
            let (value, shade) = match texels {
                Texels::At { surface, start, valid, beyond } => {
                    let memory = &mut self.memory.surfaces[surface].texels;
                    let clocks = &mut self.clocks;
                    let from = start + position as usize;
                    let size = access.size;
                    let valid = valid.saturating_sub(position).min(size);
                    let (value, mut shade) = if valid == size && memory.holds(from as u64, u64::from(size)) {
                        read::<T>(memory, clocks, from, size, thread)
                    } else {
                        read_partly::<T>(memory, clocks, from, (size, valid, beyond), thread)
                    };
                    let place = from..from + size as usize;
                    if nearest.as_ref().is_some_and(|nearest| place.end > nearest.start && place != *nearest)
                    {
                        shade = Shade { undefined: u64::MAX, doubt: Doubt::NONE, ..shade };
                    }
                    if T::ON {
                        let stored = memory.stored(from, valid as usize);
                        read_back |= stored != 0;
                        if self.semantics.assignment.get(Choice::SurfaceReadAfterWrite) != COHERENT {
                            shade.undefined |= stored;
                            shade.doubt = if stored == 0 { shade.doubt } else { Doubt::NONE };
                        }
                    }
                    (value, shade)
                }
                Texels::Nowhere if self.keeps_destination(n) => continue,
                Texels::Nowhere => (0, Shade::CLEAN),
                Texels::Anywhere(_) => (0, Shade { undefined: u64::MAX, ..Shade::CLEAN }),
            };
            if T::TRACED
                && let Texels::At { surface, start, .. } = texels
            {
                let spot =
                    Spot { region: Region::Surface(surface as u32), offset: start + position as usize };
                let touched = Touched { place: spot, size: access.size as usize, value, shade, before: None };
                note((&mut self.recorder, self.onlooker), thread, AccessKind::Load, touched);
            }
            let Some(slot) = register else { continue };
            let value = surface::extend_loaded(value, access.size, &self.semantics);
            let undefined = shade.undefined & all_bits(slot.class);
            let origin = if undefined == 0 { Origin::NONE } else { Origin::made_by(turn.pc) };
            turn.warp.put::<T>(*slot, lane, value, Shade { undefined, origin, ..shade });
        }
        if read_back {
            self.consulted.note(Choice::SurfaceReadAfterWrite);
        }
    }

    /// Whether register `n` of a load keeps what it held where it should become zero: a deviation.
    fn keeps_destination(&self, n: usize) -> bool {
        self.semantics.has(Deviation::SuldZeroKeepsDestination)
            || n > 0 && self.semantics.has(Deviation::SuldZeroFirstElement)
    }

    pub(super) fn store_texels<T: Tracking>(
        &mut self,
        turn: &Turn<'_>,
        access: &SurfaceAccess,
        texels: Texels,
        lane: usize,
    ) {
        let (surface, start, valid, beyond) = match texels {
            Texels::At { surface, start, valid, beyond } => (surface, start, valid, beyond),
            Texels::Nowhere => return,
            Texels::Anywhere(surface) => return self.forget_texels::<T>(surface),
        };
        if self.semantics.has(Deviation::SustWholeTexel) {
            self.clear_texel(surface, start);
        }
        let thread = turn.thread(lane);
        let reach = match beyond {
            Beyond::Nearest { reach, .. } if valid < access.size * access.elements => {
                self.reach_beyond(reach)
            }
            _ => 0,
        };
        let end = start + valid as usize;
        let memory = &mut self.memory.surfaces[surface].texels;
        // A deviation may have led to a row that the surface does not have.
        let is_there =
            end.checked_sub(reach as usize).is_some_and(|from| memory.holds(from as u64, reach.into()));
        let reach = if is_there { reach } else { 0 };
        for (n, register) in access.registers.iter().enumerate() {
            let Some(slot) = register else { continue };
            let (value, shade) = turn.warp.shaded::<T>(*slot, lane);
            let position =
                surface::element_position(n as u32, access.elements, &self.semantics) * access.size;
            let offset = start + position as usize;
            let size = access.size;
            let number = |offset: usize| Number { offset, size, value, shade, certainty: Certainty::Bits };
            if T::TRACED {
                let there = valid.saturating_sub(position).min(size) as usize;
                let spot = Spot { region: Region::Surface(surface as u32), offset };
                let touched = Touched { place: spot, size: there, value, shade, before: None };
                note((&mut self.recorder, self.onlooker), thread, AccessKind::Store, touched);
            }
            if position + size <= valid && memory.holds(offset as u64, u64::from(size)) {
                write::<T>(memory, &mut self.clocks, thread, number(offset));
                continue;
            }
            if position >= valid && reach > 0 && size <= reach {
                write::<T>(memory, &mut self.clocks, thread, number(end - size as usize));
                continue;
            }
            for byte in 0..size {
                let offset = offset + byte as usize;
                if position + byte >= valid || !memory.holds(offset as u64, 1) {
                    continue;
                }
                let shift = 8 * byte;
                let shade = Shade {
                    undefined: shade.undefined >> shift,
                    unordered: shade.unordered >> shift,
                    unfixed: shade.unfixed >> shift,
                    doubt: shade.doubt.of_part(),
                    ..shade
                };
                let part = Number { size: 1, value: value >> shift, shade, ..number(offset) };
                write::<T>(memory, &mut self.clocks, thread, part);
            }
        }
        // Which of the parts that meet there is the last, and where exactly each of them goes, is open.
        if T::ON && reach > 0 {
            let (from, len) = (end - reach as usize, reach as usize);
            memory.set_undefined_bytes(from, len);
            memory.mark(from, len, Certainty::Bits);
        }
    }

    /// Makes the texel zero in which an access begins: a deviation.
    #[cold]
    fn clear_texel(&mut self, surface: usize, start: usize) {
        let memory = &mut self.memory.surfaces[surface];
        let size = memory.descriptor.texel_size as usize;
        let from = start - start % size;
        if let Some(texel) = memory.texels.data.get_mut(from..from + size) {
            texel.fill(0);
        }
    }

    /// How many bytes before the end of the row the parts of a clamped store may go that lie beyond it; 0 if they are dropped.
    #[cold]
    fn reach_beyond(&mut self, reach: u32) -> u32 {
        self.consulted.note(Choice::SurfaceClampBeyond);
        if self.semantics.assignment.get(Choice::SurfaceClampBeyond) == DROPPED { 0 } else { reach }
    }
}

/// Index of `coherent` in the alternatives of [`Choice::SurfaceReadAfterWrite`].
pub(super) const COHERENT: u8 = 0;
/// Index of `dropped` in the alternatives of [`Choice::SurfaceClampBeyond`].
const DROPPED: u8 = 0;

/// Loads a number of `size` bytes, all of them in the memory, and its shadow.
#[inline]
pub(super) fn read<T: Tracking>(
    memory: &mut Allocation,
    clocks: &mut Clocks,
    offset: usize,
    size: u32,
    thread: u32,
) -> (u64, Shade) {
    let len = size as usize;
    let value = memory.read(offset, len);
    if !T::ON {
        return (value, Shade::CLEAN);
    }
    let stored = memory.undefined(offset, len);
    let raced = memory.race.as_mut().map_or(0, |race| widen(race.read(clocks, offset, size, thread)));
    let undefined = stored | raced;
    let doubt = if raced == 0 { memory.doubt(offset, len, stored) } else { Doubt::NONE };
    (value, Shade { undefined, unordered: memory.unordered(offset, len), doubt, ..Shade::CLEAN })
}

/// Value of a padding byte of a row; visible only if definedness is ignored.
const PADDING: u64 = 0xEE;

/// Loads a number of which only the first `valid` bytes are there.
#[cold]
fn read_partly<T: Tracking>(
    memory: &mut Allocation,
    clocks: &mut Clocks,
    offset: usize,
    (size, valid, beyond): (u32, u32, Beyond),
    thread: u32,
) -> (u64, Shade) {
    let (mut value, mut shade) = (0, Shade::CLEAN);
    for byte in 0..size {
        let shift = 8 * byte;
        let offset = offset + byte as usize;
        if byte >= valid {
            shade.undefined |= if beyond == Beyond::Zero { 0 } else { 0xFF << shift };
            value |= if beyond == Beyond::Padding { PADDING << shift } else { 0 };
        } else if memory.holds(offset as u64, 1) {
            let (part, of_part) = read::<T>(memory, clocks, offset, 1, thread);
            value |= part << shift;
            shade.undefined |= of_part.undefined << shift;
            shade.unordered |= of_part.unordered << shift;
        }
    }
    (value, shade)
}

/// A number to be stored in texels.
pub(super) struct Number {
    pub(super) offset: usize,
    /// Bytes; all of them are in the memory.
    pub(super) size: u32,
    /// The value to store, in the low bits.
    pub(super) value: u64,
    pub(super) shade: Shade,
    /// Further information about the value.
    pub(super) certainty: Certainty,
}

/// Stores a number with its shadow and its other tracked properties.
#[inline]
pub(super) fn write<T: Tracking>(memory: &mut Allocation, clocks: &mut Clocks, thread: u32, number: Number) {
    let Number { offset, size, value, shade, certainty } = number;
    let len = size as usize;
    memory.write(offset, len, value);
    if T::ON {
        let raced = memory.race.as_mut().map_or(0, |race| widen(race.write(clocks, offset, size, thread)));
        memory.set_undefined(offset, len, shade.undefined | shade.unfixed | raced);
        memory.set_unordered(offset, len, shade.unordered);
        if shade.unfixed | raced == 0 {
            memory.set_doubt(offset, len, shade.doubt);
        }
        memory.mark(offset, len, if raced == 0 { certainty } else { Certainty::Bits });
    }
}
