//! Accesses through the format of a surface: `sust.p`, and `SULD.P` of SPA 5.0.

use warpdiff_model::{ChannelType, Choice, Deviation, Format, ReadMode};
use warpdiff_semantics::surface::component_source;
use warpdiff_semantics::surface::texel::{Certainty, convert, is_copied};
use warpdiff_semantics::texture::{Kind, read_channel};

use super::access::Texels;
use super::transfer::{COHERENT, Number, read, write};
use crate::address_space::{Region, Spot};
use crate::image_operation::SurfaceAccess;
use crate::machine::recorder::{Touched, note};
use crate::machine::turn::Turn;
use crate::machine::{Machine, Tracking};
use crate::registers::{Origin, Shade};
use crate::trace::AccessKind;
use warpdiff_semantics::definedness::doubt::Doubt;

impl Machine<'_> {
    /// `SULD.P`: "absent components: 0 for RGB, 1 for A" (Mesa's NAK). Out of bounds colours are 0; alpha is 1 by NAK, and 0 if the rule of
    /// raw loads holds, so that it is open. How a component becomes a number of 32 bits is the rule of textures: of a normalised format
    /// or halves a float, of integers themselves.
    pub(super) fn load_formatted<T: Tracking>(
        &mut self,
        turn: &mut Turn<'_>,
        access: &SurfaceAccess,
        texels: Texels,
        lane: usize,
    ) {
        let thread = turn.thread(lane);
        for (component, register) in access.registers.iter().enumerate() {
            let Some(slot) = register else { continue };
            let (value, shade) = match texels {
                Texels::At { surface, start, valid, .. } => {
                    self.component::<T>((surface, start, valid), component as u32, thread)
                }
                Texels::Nowhere if component < 3 => (0, Shade::CLEAN),
                Texels::Nowhere | Texels::Anywhere(_) => (0, Shade { undefined: u64::MAX, ..Shade::CLEAN }),
            };
            if T::TRACED
                && let Texels::At { surface, start, .. } = texels
            {
                let size = self.memory.surfaces[surface].format.channel.size() as usize;
                let spot = Spot { region: Region::Surface(surface as u32), offset: start + component * size };
                let touched = Touched { place: spot, size, value: value.into(), shade, before: None };
                note((&mut self.recorder, self.onlooker), thread, AccessKind::Load, touched);
            }
            let undefined = shade.undefined & u64::from(u32::MAX);
            let origin = if undefined == 0 { Origin::NONE } else { Origin::made_by(turn.pc) };
            turn.warp.put::<T>(*slot, lane, value.into(), Shade { undefined, origin, ..shade });
        }
    }

    /// A component of the texel that begins at `start`, `valid` bytes of which are there.
    fn component<T: Tracking>(
        &mut self,
        (surface, start, valid): (usize, usize, u32),
        component: u32,
        thread: u32,
    ) -> (u32, Shade) {
        let Format { channel, channels } = self.memory.surfaces[surface].format;
        if component >= u32::from(channels) {
            let one = match Kind::of(channel, ReadMode::Element) {
                Kind::Float => 1f32.to_bits(),
                Kind::Unsigned | Kind::Signed => 1,
            };
            return (if component == 3 { one } else { 0 }, Shade::CLEAN);
        }
        let size = channel.size();
        let from = start + (component * size) as usize;
        let memory = &mut self.memory.surfaces[surface].texels;
        if (component + 1) * size > valid || !memory.holds(from as u64, size.into()) {
            return (0, Shade { undefined: u64::MAX, ..Shade::CLEAN });
        }
        let (stored, mut shade) = read::<T>(memory, &mut self.clocks, from, size, thread);
        if T::ON {
            let written = memory.stored(from, size as usize);
            if written != 0 {
                self.consulted.note(Choice::SurfaceReadAfterWrite);
            }
            if self.semantics.assignment.get(Choice::SurfaceReadAfterWrite) != COHERENT {
                shade.undefined |= written;
                shade.doubt = if written == 0 { shade.doubt } else { Doubt::NONE };
            }
        }
        let number = self.consulted.noting(|choices| {
            read_channel(stored as u32, channel, ReadMode::Element, &self.semantics, choices)
        });
        let is_whole = matches!(channel, ChannelType::U32 | ChannelType::S32 | ChannelType::F32);
        if is_whole {
            return (number.bits, shade);
        }
        // What is converted, or extended by its sign, mixes all bits of its source.
        let spread = |bits: u64| match (bits, channel) {
            (bits, ChannelType::U8 | ChannelType::U16) => bits,
            (0, _) => 0,
            _ => u64::MAX,
        };
        let undefined = spread(shade.undefined | shade.unfixed) | u64::from(number.undefined);
        (number.bits, Shade { undefined, unordered: spread(shade.unordered), ..Shade::CLEAN })
    }

    /// "The source vector elements are interpreted left-to-right as R, G, B, and A surface components. […] Source elements that
    /// do not occur in the surface sample are ignored. Surface sample components that do not occur in the source vector will be
    /// written with an unpredictable value."
    pub(super) fn store_formatted<T: Tracking>(
        &mut self,
        turn: &Turn<'_>,
        access: &SurfaceAccess,
        texels: Texels,
        lane: usize,
    ) {
        let (surface, start, valid) = match texels {
            Texels::At { surface, start, valid, .. } => (surface, start, valid),
            Texels::Nowhere => return,
            Texels::Anywhere(surface) => return self.forget_texels::<T>(surface),
        };
        let thread = turn.thread(lane);
        let format = self.memory.surfaces[surface].format;
        let (size, channels) = (format.channel.size(), u32::from(format.channels));
        for channel in 0..channels {
            let element = component_source(channel, channels, access.elements, &self.semantics);
            let slot = element.and_then(|element| access.registers.get(element as usize).copied().flatten());
            let position = channel * size;
            let offset = start + position as usize;
            if position + size > valid
                || !self.memory.surfaces[surface].texels.holds(offset as u64, size.into())
            {
                continue;
            }
            let (value, shade, certainty) = match slot {
                Some(slot) => {
                    let (source, shade) = turn.warp.shaded::<T>(slot, lane);
                    let made = self
                        .consulted
                        .noting(|choices| convert(source as u32, format.channel, &self.semantics, choices));
                    // A conversion mixes all bits of its source.
                    let spread = |bits: u64| match bits as u32 {
                        bits if is_copied(format.channel) => u64::from(bits),
                        0 => 0,
                        _ => u64::MAX,
                    };
                    let spread_over = spread(shade.undefined | shade.unfixed | shade.unordered);
                    let certainty = if spread_over == 0 { made.certainty } else { Certainty::Bits };
                    let undefined = u64::from(made.undefined) | spread(shade.undefined | shade.unfixed);
                    let shade = Shade { undefined, unordered: spread(shade.unordered), ..Shade::CLEAN };
                    (made.bits, shade, certainty)
                }
                // Unpredictable; what was there is as good as anything.
                None => {
                    let before = self.memory.surfaces[surface].texels.read(offset, size as usize) as u32;
                    let zeroed = self.semantics.has(Deviation::SustPMissingZeroed);
                    let undefined = Shade { undefined: u64::MAX, ..Shade::CLEAN };
                    (if zeroed { 0 } else { before }, undefined, Certainty::Bits)
                }
            };
            if T::TRACED {
                let spot = Spot { region: Region::Surface(surface as u32), offset };
                let touched =
                    Touched { place: spot, size: size as usize, value: value.into(), shade, before: None };
                note((&mut self.recorder, self.onlooker), thread, AccessKind::Store, touched);
            }
            let memory = &mut self.memory.surfaces[surface].texels;
            let number = Number { offset, size, value: value.into(), shade, certainty };
            write::<T>(memory, &mut self.clocks, thread, number);
        }
    }
}
