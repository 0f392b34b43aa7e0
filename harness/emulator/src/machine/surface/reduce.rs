//! `sured`, and `SUATOM` of SPA 5.0: operations on locations of a surface.

use warpdiff_model::{ChannelType, Choice, Deviation, FaultClass, Format, Semantics};
use warpdiff_semantics::surface::Unit;
use warpdiff_semantics::surface::texel::Certainty;

use super::access::Texels;
use crate::address_space::{Region, Spot};
use crate::image_operation::{SurfaceAccess, SurfaceAction};
use crate::machine::atomic::{Attempt, LaneAtomic};
use crate::machine::turn::Turn;
use crate::machine::{Machine, Tracking};
use crate::registers::lanes;
use warpdiff_semantics::atomic::AtomicKind;

impl Machine<'_> {
    /// Reduces a location. Returns the lane's bit if it faults.
    pub(super) fn reduce_texels<T: Tracking>(
        &mut self,
        turn: &mut Turn<'_>,
        access: &SurfaceAccess,
        texels: Texels,
        lane: usize,
    ) -> u32 {
        let returned = self.code.returned(access.action);
        let (surface, start, valid) = match texels {
            Texels::At { surface, start, valid, .. } => (surface, start, valid),
            // What `SUATOM` returns there no source says, but by inference.
            Texels::Nowhere => {
                turn.warp.put_undefined::<T>(&returned, lane, turn.pc);
                return 0;
            }
            Texels::Anywhere(surface) => {
                self.forget_texels::<T>(surface);
                turn.warp.put_undefined::<T>(&returned, lane, turn.pc);
                return 0;
            }
        };
        let size = access.size;
        // Through the format: of any other than one integer of 32 bits no source says what is reduced.
        let is_word = |format: Format| {
            format.channels == 1 && matches!(format.channel, ChannelType::U32 | ChannelType::S32)
        };
        if access.unit == Unit::Texel && !is_word(self.memory.surfaces[surface].format) {
            self.forget_reduced::<T>(turn, (surface, start, valid), lane);
            return 0;
        }
        let memory = &mut self.memory.surfaces[surface].texels;
        // What the part of a reduction that is in bounds does, the text does not say.
        if valid < size || !memory.holds(start as u64, u64::from(size)) {
            let there = valid.min(memory.data.len().saturating_sub(start) as u32);
            self.forget_reduced::<T>(turn, (surface, start, there), lane);
            turn.warp.put_undefined::<T>(&returned, lane, turn.pc);
            return 0;
        }
        let operation = match access.action {
            SurfaceAction::Reduce(operation) => Some(operation),
            SurfaceAction::ReduceByFormat { unsigned, signed } => {
                match signedness(self.memory.surfaces[surface].format.channel, &self.semantics) {
                    Some(true) => Some(signed),
                    Some(false) => Some(unsigned),
                    None => None,
                }
            }
            SurfaceAction::Load
            | SurfaceAction::LoadTexel
            | SurfaceAction::Store
            | SurfaceAction::StoreTexel => return 0,
        };
        let Some(operation) = operation else {
            self.consulted.note(Choice::SuredFormat);
            if self.semantics.assignment.get(Choice::SuredFormat) == 0 {
                self.forget_reduced::<T>(turn, (surface, start, size), lane);
                turn.warp.put_undefined::<T>(&returned, lane, turn.pc);
                return 0;
            }
            let detail =
                format!("the format of surface `{}` has no integers", self.memory.surfaces[surface].name);
            self.fault(turn, lane, FaultClass::InvalidHandle, None, &detail);
            return 1 << lane;
        };
        let code = self.code;
        let spot = Spot { region: Region::Surface(surface as u32), offset: start };
        let atomic = &code.atomics[operation as usize];
        self.atomic_lane::<T>(turn, LaneAtomic { atomic, spot, attempt: Attempt::MADE, lane });
        0
    }

    /// The lanes that reduce under [`Deviation::PtxasReductionUnsigned`]: where a whole warp reduces one sample by its least or greatest
    /// number of 32 bits, that with the least or greatest unsigned one. ptxas 12.9 compiles such a `sured.p` whose coordinates are
    /// uniform to `VOTE.ANY`, `SHFL.DOWN` and `IMNMX.U32`, and to one `SURED`.
    pub(super) fn combined(&self, turn: &Turn<'_>, access: &SurfaceAccess, mask: u32) -> u32 {
        let SurfaceAction::ReduceByFormat { unsigned, .. } = access.action else { return mask };
        let data = access.registers.first().copied().flatten();
        let (Some(data), 4, u32::MAX) = (data, access.size, mask) else { return mask };
        let place = |lane: usize| {
            let coordinates = access.coordinates.map(|slot| turn.warp.word(slot, lane));
            (coordinates, turn.warp.word(access.layer, lane))
        };
        if lanes(mask).any(|lane| place(lane) != place(0)) {
            return mask;
        }
        let number = |lane: &usize| turn.warp.word(Some(data), *lane);
        let chosen = match self.code.atomics[unsigned as usize].kind {
            AtomicKind::MinU => lanes(mask).min_by_key(number),
            AtomicKind::MaxU => lanes(mask).max_by_key(number),
            _ => None,
        };
        chosen.map_or(mask, |lane| 1 << lane)
    }

    /// A reduction wrote something to these bytes: surface, offset and length.
    #[cold]
    fn forget_reduced<T: Tracking>(
        &mut self,
        turn: &Turn<'_>,
        (surface, start, len): (usize, usize, u32),
        lane: usize,
    ) {
        if !T::ON || len == 0 {
            return;
        }
        let memory = &mut self.memory.surfaces[surface].texels;
        if let Some(race) = &mut memory.race {
            // The mask of what raced adds nothing: all of it is undefined.
            let _ = race.write(&mut self.clocks, start, len, turn.thread(lane));
        }
        memory.set_undefined_bytes(start, len as usize);
        memory.mark(start, len as usize, Certainty::Bits);
    }
}

/// "If the surface format contains UINT data, then .u32 is assumed; if the surface format contains SINT data, then .s32 is
/// assumed", for .b64 .u64 and .s64.
fn signedness(channel: ChannelType, semantics: &Semantics) -> Option<bool> {
    use ChannelType::{S8, S16, S32, U8, U16, U32};
    match channel {
        U8 | U16 | U32 => Some(semantics.has(Deviation::SuredPAlwaysSigned)),
        S8 | S16 if semantics.has(Deviation::SuredPNarrowUnsigned) => Some(false),
        S8 | S16 | S32 => Some(true),
        _ => None,
    }
}
