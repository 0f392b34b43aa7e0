//! The commonest accesses of all: the 32 lanes of a warp load or store elements that lie one after the other.

use warpdiff_races::Shadow;

use super::Tracking;
use super::warp::Warp;
use crate::address_space::{Region, slots};
use crate::memory::Allocation;
use crate::memory_operation::{Address, Place};
use crate::operation::Class;
use crate::registers::{LANES, Narrow, Wide, lanes};

/// Where the lanes of a warp access elements, all aligned and in bounds of one memory.
#[expect(clippy::large_enum_variant, reason = "it lives on the stack, for one operation")]
pub(super) enum Places {
    /// All 32 lanes, one after the other, from this offset on.
    Row(usize),
    /// At these offsets; those of lanes that access nothing mean nothing.
    Each([u64; LANES]),
}

impl Places {
    /// The offset of each lane's element of `N` bytes.
    #[inline(always)]
    pub(super) fn offsets<const N: usize>(&self) -> [u64; LANES] {
        match self {
            Self::Row(first) => std::array::from_fn(|lane| (first + lane * N) as u64),
            Self::Each(offsets) => *offsets,
        }
    }
}

/// The allocation in global or shared memory in which all lanes of `mask` access elements of `N` bytes, where, and its identity; `None`
/// where it is not one, or an access is out of bounds or misaligned.
#[inline(always)]
pub(super) fn places<'m, const N: usize>(
    globals: &'m mut [Allocation],
    shared: &'m mut Allocation,
    w: &Warp,
    address: &Address,
    mask: u32,
) -> Option<(&'m mut Allocation, Places, Region)> {
    let slot = address.base?;
    let row = w.rows.row(slot);
    let added = address.offset as u64;
    let first = mask.trailing_zeros() as usize;
    let example = w.registers.get(slot.class, row, first).wrapping_add(added);
    let (allocation, origin, region) = memory_at(globals, shared, address.place, example)?;
    let len = allocation.data.len() as u64;
    let is_row = mask == u32::MAX
        && match slot.class {
            Class::Wide => is_wide_row::<N>(&w.registers.wide[row]),
            _ => is_narrow_row::<N>(&w.registers.narrow[row]),
        };
    let offset = example.wrapping_sub(origin);
    if is_row && offset < len && len - offset >= (LANES * N) as u64 && example & (N as u64 - 1) == 0 {
        return Some((allocation, Places::Row(offset as usize), region));
    }
    let last = len.checked_sub(N as u64)?;
    let shift = added.wrapping_sub(origin);
    let mut offsets = [0u64; LANES];
    let mut bad = [false; LANES];
    match slot.class {
        Class::Wide => {
            let base = &w.registers.wide[row];
            for i in 0..LANES {
                offsets[i] = base[i].wrapping_add(shift);
                bad[i] = offsets[i] > last || (offsets[i].wrapping_add(origin)) & (N as u64 - 1) != 0;
            }
        }
        _ => {
            let base = &w.registers.narrow[row];
            for i in 0..LANES {
                offsets[i] = u64::from(base[i]).wrapping_add(shift);
                bad[i] = offsets[i] > last || (offsets[i].wrapping_add(origin)) & (N as u64 - 1) != 0;
            }
        }
    }
    let all_good = if mask == u32::MAX {
        !bad.iter().fold(false, |any, bad| any | bad)
    } else {
        lanes(mask).all(|lane| !bad[lane])
    };
    all_good.then_some((allocation, Places::Each(offsets), region))
}

/// The allocation in global or shared memory in which one lane accesses an element of `N` bytes, and where; `None` as for [`places`].
#[inline(always)]
pub(super) fn place<'m, const N: usize>(
    globals: &'m mut [Allocation],
    shared: &'m mut Allocation,
    w: &Warp,
    address: &Address,
    lane: usize,
) -> Option<(&'m mut Allocation, usize)> {
    let slot = address.base?;
    let at = w.registers.get(slot.class, w.rows.row(slot), lane).wrapping_add(address.offset as u64);
    let (allocation, origin, _) = memory_at(globals, shared, address.place, at)?;
    let offset = at.wrapping_sub(origin);
    let fits = at & (N as u64 - 1) == 0 && allocation.holds(offset, N as u64);
    fits.then_some((allocation, offset as usize))
}

/// The allocation that an address in global or shared memory is in, without a bounds check, the address of its first byte, and its identity.
#[inline(always)]
fn memory_at<'m>(
    globals: &'m mut [Allocation],
    shared: &'m mut Allocation,
    place: Place,
    at: u64,
) -> Option<(&'m mut Allocation, u64, Region)> {
    Some(match place {
        Place::Shared => (shared, 0, Region::Shared),
        Place::Generic if at >> 32 << 32 == slots::SHARED => (shared, slots::SHARED, Region::Shared),
        Place::Flat if at >> 24 << 24 == slots::spa::SHARED_WINDOW => {
            (shared, slots::spa::SHARED_WINDOW, Region::Shared)
        }
        Place::Generic | Place::Flat | Place::Global => {
            let index = (at >> 32).checked_sub(slots::FIRST)?;
            let allocation = globals.get_mut(index as usize).filter(|allocation| !allocation.unified)?;
            let base = allocation.base;
            (allocation, base, Region::Global(index as u32))
        }
        Place::Const | Place::Local | Place::Param | Place::Frame => return None,
    })
}

/// Whether each lane has an address of `N` bytes more than the lane before. An address that wraps is out of bounds.
#[inline(always)]
fn is_wide_row<const N: usize>(addresses: &Wide) -> bool {
    let mut differ = 0;
    for i in 0..LANES {
        differ |= addresses[i] ^ addresses[0].wrapping_add((i * N) as u64);
    }
    differ == 0
}

/// The same of addresses of 32 bits.
#[inline(always)]
fn is_narrow_row<const N: usize>(addresses: &Narrow) -> bool {
    let mut differ = 0;
    for i in 0..LANES {
        differ |= addresses[i] ^ addresses[0].wrapping_add((i * N) as u32);
    }
    differ == 0 && addresses[LANES - 1] >= addresses[0]
}

/// The first offset of a row that all lanes access. In a tracked run the access must add nothing to the shadow as well: every bit of the row
/// is defined, and `repeats` says that the race detector has nothing new to note.
#[inline(always)]
pub(super) fn quiet_row<T: Tracking, const N: usize>(
    allocation: &Allocation,
    places: &Places,
    repeats: impl Fn(&Shadow, usize) -> bool,
) -> Option<usize> {
    let Places::Row(first) = *places else { return None };
    let is_quiet = || {
        is_row_defined::<N>(allocation, first)
            && allocation.race.as_ref().is_none_or(|race| repeats(race, first))
    };
    (!T::ON || is_quiet()).then_some(first)
}

/// Whether every bit of the row at `offset` is defined, and neither depends on an order nor on an address.
#[inline(always)]
pub(super) fn is_row_defined<const N: usize>(allocation: &Allocation, offset: usize) -> bool {
    let defined = &allocation.defined[offset..offset + LANES * N];
    allocation.is_plain() && defined.iter().fold(0xFF, |all, bits| all & bits) == 0xFF
}

/// A register whose lanes are the elements of a row.
pub(super) trait RowRegister {
    /// Takes the row at `offset` of the memory.
    fn load(&mut self, data: &[u8], offset: usize);
    /// Stores itself there.
    fn store(&self, data: &mut [u8], offset: usize);
}

macro_rules! row_register {
    ($register:ty, $lane:ty) => {
        impl RowRegister for $register {
            #[inline(always)]
            fn load(&mut self, data: &[u8], offset: usize) {
                let row = data[offset..offset + size_of::<Self>()].as_chunks().0;
                for (lane, element) in self.iter_mut().zip(row) {
                    *lane = <$lane>::from_le_bytes(*element);
                }
            }

            #[inline(always)]
            fn store(&self, data: &mut [u8], offset: usize) {
                let row = data[offset..offset + size_of::<Self>()].as_chunks_mut().0;
                for (element, lane) in row.iter_mut().zip(self) {
                    *element = lane.to_le_bytes();
                }
            }
        }
    };
}
row_register!(Narrow, u32);
row_register!(Wide, u64);
