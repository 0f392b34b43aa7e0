//! The windows of local and shared memory as SPA 5.0 has them: addresses of 32 bits, errors that do not end a load, cache
//! operators that lose data.

use warpdiff_model::serial::Contenders;
use warpdiff_model::{Choice, Deviation, FaultClass};

use super::reach::{Reach, Request};
use super::turn::{Next, Turn};
use super::warp::Warp;
use super::{Machine, Tracking};
use crate::address_space::{Region, Spot};
use crate::memory_operation::{Access, Address, CacheUse, Misaligned, Place, Window};
use crate::registers::{LANES, Shade, lanes};

/// "Each address window is 16 MB in size."
const WINDOW: u64 = 16 << 20;
/// Bytes of a thread in a line of local memory. "Local addresses coalesce to a single access when the threads of a warp access the
/// same Local per-thread address": a line of 128 bytes holds the same word of 32 threads.
const WORD: u64 = 4;

impl Machine<'_> {
    /// Resolves the place that a lane accesses in a window, or reports its fault.
    pub(super) fn window_spot(
        &mut self,
        turn: &Turn<'_>,
        request: &Request<'_>,
        window: &Window,
        address: u64,
        lane: usize,
    ) -> Reach {
        let size = request.size;
        let aligned = self.aligned(turn, window, address, size, lane);
        let region = match request.address.place {
            Place::Local => Region::Local,
            _ => Region::Shared,
        };
        let length = self.length_of(turn, region, lane);
        // An address that is misaligned may be outside as well, and either error be the one that is reported.
        let address = aligned.unwrap_or(address & !(size - 1));
        // Nothing in the window lies beyond what is allocated, which is no more than the window.
        if address.checked_add(size).is_none_or(|end| end > length) {
            let begins_inside = window.by_first_byte && address < length;
            if !window.silent && !begins_inside {
                let beyond = if address < WINDOW { "" } else { ", outside of the window" };
                let name = if region == Region::Local { "local" } else { "shared" };
                let detail =
                    format!("{size} bytes at {address:#x} of {length} bytes of {name} memory{beyond}");
                self.fault(turn, lane, FaultClass::OutOfBounds, Some(address), &detail);
            }
            return Reach::Nowhere;
        }
        match aligned {
            Some(address) => Reach::At(Spot { region, offset: address as usize }),
            None => Reach::Nowhere,
        }
    }

    /// The address that is accessed; `None` where its misalignment is an error.
    fn aligned(
        &mut self,
        turn: &Turn<'_>,
        window: &Window,
        address: u64,
        size: u64,
        lane: usize,
    ) -> Option<u64> {
        let forced = address & !(size - 1);
        if forced == address {
            return Some(address);
        }
        let detail = format!("address {address:#x} is not a multiple of {size}");
        let fails = match window.misaligned {
            Misaligned::Kept => return Some(address),
            Misaligned::Forced => {
                self.may_fault(turn, lane, FaultClass::Misaligned, Some(address), &detail);
                false
            }
            Misaligned::Fault => true,
            Misaligned::Open => {
                self.consulted.note(Choice::MemoryMisaligned);
                self.semantics.assignment.get(Choice::MemoryMisaligned) == 0
            }
        };
        if fails {
            self.fault(turn, lane, FaultClass::Misaligned, Some(address), &detail);
            return None;
        }
        Some(forced)
    }

    /// Executes `LDL` and `LDS`. "An address outside the window or outside the allocated memory within the window sets Rd to 0 and
    /// causes an error": the thread goes on.
    pub(super) fn window_load<T: Tracking>(
        &mut self,
        turn: &mut Turn<'_>,
        access: &Access,
        window: &Window,
    ) -> Next {
        let request = Request::load(access);
        let first = turn.address(&access.address, turn.mask.trailing_zeros() as usize);
        let mut covered = [None; LANES];
        for lane in lanes(turn.mask) {
            let address = if window.from_first_lane { first } else { turn.address(&access.address, lane) };
            let address = if window.low_of_word { address & !3 } else { address };
            match self.reach_from(turn, &request, address, lane) {
                Reach::At(spot) => {
                    covered[lane] = Some(spot.offset);
                    if self.is_stale(window, turn.warp, lane, spot, request.size) {
                        turn.warp.put_undefined::<T>(&access.registers, lane, turn.pc);
                    } else {
                        self.load_lane::<T>(turn, access, spot, lane);
                    }
                }
                Reach::Behind(..) | Reach::Nowhere => {
                    if !self.semantics.has(Deviation::SpaOutOfBoundsKept) {
                        // "sets Rd to 0"
                        let registers = access.registers.iter().flatten();
                        registers.for_each(|slot| turn.warp.put::<T>(*slot, lane, 0, Shade::CLEAN));
                    }
                }
            }
        }
        turn.warp.refresh::<T>(&access.registers);
        if window.cache == CacheUse::Last {
            self.use_last(turn, &covered, request.size);
        }
        if access.strong.is_some() { Next::Wait } else { Next::Go }
    }

    /// `.CI`: "expected to be used only with invariant data". Local memory holds nothing that the thread has not written itself, so
    /// whatever is defined may be found as it was before.
    fn is_stale(&mut self, window: &Window, w: &Warp, lane: usize, spot: Spot, size: u64) -> bool {
        if window.cache != CacheUse::Inconsistent {
            return false;
        }
        let range = spot.offset..spot.offset + size as usize;
        let written =
            w.local[lane].defined.get(range).is_none_or(|bytes| bytes.iter().any(|byte| *byte != 0));
        if written {
            self.consulted.note(Choice::SpaInconsistent);
        }
        written && self.semantics.assignment.get(Choice::SpaInconsistent) == 1
    }

    /// `.LU`: "if Local address and line is fully covered, load, then invalidate line, otherwise evict first". What is invalidated
    /// may be gone, or have been kept elsewhere.
    fn use_last(&mut self, turn: &mut Turn<'_>, covered: &[Option<usize>; LANES], size: u64) {
        let whole_line =
            turn.mask == u32::MAX && size >= WORD && covered.iter().all(|offset| *offset == covered[0]);
        let lost = if whole_line {
            self.consulted.note(Choice::SpaLastUse);
            self.semantics.assignment.get(Choice::SpaLastUse) == 1
        } else {
            self.semantics.has(Deviation::SpaLastUseAlwaysLost)
        };
        if !lost {
            return;
        }
        self.note_change();
        for lane in lanes(turn.mask) {
            let Some(offset) = covered[lane] else { continue };
            let local = &mut turn.warp.local[lane];
            local.data[offset..offset + size as usize].iter_mut().for_each(|byte| *byte = !*byte);
            local.set_undefined_bytes(offset, size as usize);
        }
    }

    /// The lanes that `.SPIN` selects, and the number of contenders for each one's bank.
    ///
    /// "Threads are put into groups, based on the shared memory bank which contains the address they are trying to update. One
    /// thread from each group is selected to do its ATOMS.CAST; all other threads from that bank will immediately 'fail'." Which
    /// one is not said: here the first in the order of the schedule.
    pub(super) fn spin(&mut self, turn: &Turn<'_>, address: &Address) -> Spin {
        let mut lanes_of = [0u32; BANKS];
        let mut selected = 0;
        let of_warp = self.semantics.has(Deviation::SpaSpinOfWarp);
        for lane in self.lane_order(turn.mask) {
            let bank = if of_warp { 0 } else { bank(turn.address(address, lane)) };
            if lanes_of[bank] == 0 {
                selected |= 1 << lane;
            }
            lanes_of[bank] |= 1 << lane;
        }
        let mut groups = [None; LANES];
        for (bank, contenders) in lanes_of.iter().enumerate().filter(|(_, lanes)| lanes.count_ones() > 1) {
            let group = self.contention.spin(bank);
            let group = Contenders { group, contenders: contenders.count_ones() };
            lanes(*contenders).for_each(|lane| groups[lane] = Some(group));
        }
        self.contention.spun();
        Spin { selected, groups }
    }
}

/// "Shared memory is partitioned into 32 parallel banks of 32 bits."
const BANKS: usize = 32;

fn bank(address: u64) -> usize {
    (address / 4) as usize % BANKS
}

/// The effect of `.SPIN` on the lanes of a warp instruction.
pub(super) struct Spin {
    /// Lanes that attempt.
    pub(super) selected: u32,
    /// The group of contenders of each lane, if it has one.
    pub(super) groups: [Option<Contenders>; LANES],
}
