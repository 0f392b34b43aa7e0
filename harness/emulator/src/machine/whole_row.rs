//! The commonest accesses of all: the 32 lanes of a warp load or store elements that lie one after the other.

use crate::memory::Allocation;
use crate::registers::LANES;

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

/// The elements of the row at `offset`.
#[inline(always)]
pub(super) fn elements<'a, const N: usize>(
    allocation: &'a Allocation,
    offset: usize,
) -> impl Iterator<Item = &'a [u8; N]> + use<'a, N> {
    allocation.data[offset..offset + LANES * N].as_chunks().0.iter()
}

/// The elements of the row at `offset`, to be stored.
#[inline(always)]
pub(super) fn elements_mut<'a, const N: usize>(
    allocation: &'a mut Allocation,
    offset: usize,
) -> impl Iterator<Item = &'a mut [u8; N]> + use<'a, N> {
    allocation.data[offset..offset + LANES * N].as_chunks_mut().0.iter_mut()
}
