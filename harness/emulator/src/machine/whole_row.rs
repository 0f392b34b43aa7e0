//! Rows: elements that lie one after the other in memory, one for each of the 32 lanes of a warp.

use crate::memory::Allocation;
use crate::registers::{LANES, Narrow, Wide};

/// Whether each lane has an address of `N` bytes more than the lane before. An address that wraps is out of bounds.
#[inline(always)]
pub(super) fn is_wide_row<const N: usize>(addresses: &Wide) -> bool {
    let mut differ = 0;
    for i in 0..LANES {
        differ |= addresses[i] ^ addresses[0].wrapping_add((i * N) as u64);
    }
    differ == 0
}

/// The same of addresses of 32 bits.
#[inline(always)]
pub(super) fn is_narrow_row<const N: usize>(addresses: &Narrow) -> bool {
    let mut differ = 0;
    for i in 0..LANES {
        differ |= addresses[i] ^ addresses[0].wrapping_add((i * N) as u32);
    }
    differ == 0 && addresses[LANES - 1] >= addresses[0]
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
