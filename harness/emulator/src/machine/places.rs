//! Where the lanes of a turn access memory, in the common case: all in bounds of one memory, so that nothing faults.

use super::turn::Turn;
use super::whole_row::{is_narrow_row, is_wide_row};
use crate::address_space::{Region, slots};
use crate::memory::Memory;
use crate::memory_operation::{Address, Place};
use crate::operation::Class;
use crate::registers::{LANES, lanes};

/// The memory in which all 32 lanes access an element of `N` bytes each, one after the other, and where the first is. `None` as for [`places`], and
/// for memory that is neither shared nor global.
#[inline(always)]
pub(super) fn row<const N: usize>(
    memory: &Memory,
    turn: &Turn<'_>,
    address: &Address,
) -> Option<(Region, usize)> {
    let slot = address.base.filter(|_| turn.mask == u32::MAX)?;
    let (w, row) = (&*turn.warp, turn.warp.rows.row(slot));
    let is_row = match slot.class {
        Class::Wide => is_wide_row::<N>(&w.registers.wide[row]),
        _ => is_narrow_row::<N>(&w.registers.narrow[row]),
    };
    if !is_row {
        return None;
    }
    let first = turn.address(address, 0);
    let Found { region, origin, len } = memory_at(memory, turn, address.place, first)?;
    let offset = first.wrapping_sub(origin);
    let fits = offset < len && len - offset >= (LANES * N) as u64 && first & (N as u64 - 1) == 0;
    let is_of_all = matches!(region, Region::Shared | Region::Global(_));
    (fits && is_of_all).then_some((region, offset as usize))
}

/// The memory in which each lane of a turn accesses `count` elements of `N` bytes, and where; the offsets of lanes that access nothing mean nothing.
/// It is the thread's own local memory, or one that all lanes share. `None` where it is not one, or an access is out of bounds or misaligned, and for
/// memory with rules of its own.
pub(super) fn places<const N: usize>(
    memory: &Memory,
    turn: &Turn<'_>,
    address: &Address,
    count: usize,
) -> Option<(Region, [u64; LANES])> {
    let (w, mask) = (&*turn.warp, turn.mask);
    let first = mask.trailing_zeros() as usize;
    let example = turn.address(address, first);
    let Found { region, origin, len } = memory_at(memory, turn, address.place, example)?;
    let size = (N * count) as u64;
    let last = len.checked_sub(size)?;
    let offset = example.wrapping_sub(origin);
    let Some(slot) = address.base else {
        let fits = offset <= last && example & (size - 1) == 0;
        return fits.then_some((region, [offset; LANES]));
    };
    let row = w.rows.row(slot);
    // What is added to the register is the same in all lanes.
    let shift = offset.wrapping_sub(w.registers.get(slot.class, row, first));
    let mut offsets = [0u64; LANES];
    let mut is_bad = false;
    let mut put = |lane: usize, base: u64| {
        let offset = base.wrapping_add(shift);
        offsets[lane] = offset;
        is_bad |= (offset > last) | (offset.wrapping_add(origin) & (size - 1) != 0);
    };
    match slot.class {
        Class::Wide => {
            let base = &w.registers.wide[row];
            lanes(mask).for_each(|lane| put(lane, base[lane]));
        }
        _ => {
            let base = &w.registers.narrow[row];
            lanes(mask).for_each(|lane| put(lane, base[lane].into()));
        }
    }
    (!is_bad).then_some((region, offsets))
}

/// The same of one lane.
#[inline(always)]
pub(super) fn place(
    memory: &Memory,
    turn: &Turn<'_>,
    address: &Address,
    size: usize,
    lane: usize,
) -> Option<(Region, usize)> {
    let at = turn.address(address, lane);
    let Found { region, origin, len } = memory_at(memory, turn, address.place, at)?;
    let (offset, size) = (at.wrapping_sub(origin), size as u64);
    let fits = at & (size - 1) == 0 && offset.checked_add(size).is_some_and(|end| end <= len);
    fits.then_some((region, offset as usize))
}

/// A memory that an address is in, without a bounds check.
struct Found {
    region: Region,
    /// The address of its first byte.
    origin: u64,
    /// Its bytes; of local memory, those that every lane of the turn has.
    len: u64,
}

/// The memory that an address is in.
#[inline(always)]
fn memory_at(memory: &Memory, turn: &Turn<'_>, place: Place, at: u64) -> Option<Found> {
    let shared = |origin| Found { region: Region::Shared, origin, len: turn.block.shared.data.len() as u64 };
    let local = |origin| {
        let of_lane = |lane: usize| turn.warp.local[lane].data.len();
        let len = lanes(turn.mask).map(of_lane).min().unwrap_or(0) as u64;
        Found { region: Region::Local, origin, len }
    };
    Some(match place {
        Place::Shared => shared(0),
        Place::Generic if at >> 32 << 32 == slots::SHARED => shared(slots::SHARED),
        Place::Generic if at >> 32 << 32 == slots::LOCAL => local(slots::LOCAL),
        Place::Flat if at >> 24 << 24 == slots::spa::SHARED_WINDOW => shared(slots::spa::SHARED_WINDOW),
        Place::Flat if at >> 24 << 24 == slots::spa::LOCAL_WINDOW => local(slots::spa::LOCAL_WINDOW),
        Place::Generic | Place::Flat | Place::Global => {
            let index = (at >> 32).checked_sub(slots::FIRST)?;
            let allocation = memory.globals.get(index as usize).filter(|memory| !memory.unified)?;
            let (origin, len) = (allocation.base, allocation.data.len() as u64);
            Found { region: Region::Global(index as u32), origin, len }
        }
        Place::Local | Place::Frame => local(0),
        Place::Param => {
            let len = memory.parameters.data.len() as u64;
            Found { region: Region::Param, origin: 0, len }
        }
        Place::Const => return None,
    })
}
