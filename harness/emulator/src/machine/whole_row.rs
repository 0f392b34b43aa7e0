//! The commonest accesses of all: the 32 lanes of a warp load or store elements that lie one after the other.

use warpdiff_races::Shadow;

use super::Tracking;
use crate::memory::Allocation;
use crate::registers::{LANES, Narrow, Wide};

/// The first offset of a row that all lanes access: the elements of `N` bytes at these offsets lie one after the other. In a tracked run
/// the access must add nothing to the shadow as well: every bit of the row is defined, and `repeats` says that the race detector has
/// nothing new to note.
#[inline(always)]
pub(super) fn quiet_row<T: Tracking, const N: usize>(
    allocation: &Allocation,
    offsets: &[u64; LANES],
    mask: u32,
    repeats: impl Fn(&Shadow, usize) -> bool,
) -> Option<usize> {
    let first = offsets[0] as usize;
    let is_quiet = || {
        is_row_defined::<N>(allocation, first)
            && allocation.race.as_ref().is_none_or(|race| repeats(race, first))
    };
    (mask == u32::MAX && is_row::<N>(offsets) && (!T::ON || is_quiet())).then_some(first)
}

/// Whether the elements of `N` bytes at these offsets lie one after the other.
#[inline(always)]
pub(super) fn is_row<const N: usize>(offsets: &[u64; LANES]) -> bool {
    let mut differ = 0;
    for i in 0..LANES {
        differ |= offsets[i] ^ offsets[0].wrapping_add((i * N) as u64);
    }
    differ == 0
}

/// Whether every bit of the row at `offset` is defined, and neither depends on an order nor on an address.
#[inline(always)]
pub(super) fn is_row_defined<const N: usize>(allocation: &Allocation, offset: usize) -> bool {
    let undefined = &allocation.undefined[offset..offset + LANES * N];
    allocation.is_plain() && undefined.iter().fold(0, |all, bits| all | bits) == 0
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
