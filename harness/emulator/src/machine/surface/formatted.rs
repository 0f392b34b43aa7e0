//! Executes `sust.p`.

use warpdiff_model::Deviation;
use warpdiff_semantics::surface::texel::{Certainty, convert, is_copied};

use super::access::Texels;
use super::transfer::{Number, write};
use crate::address_space::{Region, Spot};
use crate::machine::recorder::{Touched, note};
use crate::machine::turn::Turn;
use crate::machine::{Machine, Tracking};
use crate::operation::SurfaceAccess;
use crate::registers::Shade;
use crate::trace::AccessKind;

impl Machine<'_> {
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
            let element = if self.semantics.has(Deviation::SustPReversed) {
                channels.min(access.elements).checked_sub(channel + 1)
            } else {
                Some(channel)
            };
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
                    let made = convert(source as u32, format.channel, &self.semantics, &mut self.consulted);
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
                note(&mut self.recorder, thread, AccessKind::Store, touched);
            }
            let memory = &mut self.memory.surfaces[surface].texels;
            let number = Number { offset, size, value: value.into(), shade, certainty };
            write::<T>(memory, &mut self.clocks, thread, number);
        }
    }
}
