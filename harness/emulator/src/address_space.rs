//! The generic address space: its windows and slots, and the memories that addresses lead to.

use warpdiff_ptx::vocabulary::Space;
pub(crate) use warpdiff_races::contention::Region;

/// The address windows and allocation slots of the generic address space: the upper half of a 64-bit address is the slot.
pub(crate) mod slots {
    /// Shared memory of the block.
    pub(crate) const SHARED: u64 = 1 << 32;
    /// Local memory of the thread.
    pub(crate) const LOCAL: u64 = 2 << 32;
    /// The kernel's parameters.
    pub(crate) const PARAM: u64 = 3 << 32;
    /// First slot of allocations.
    pub(crate) const FIRST: u64 = 4;
    /// Offset of an allocation's data in its slot.
    pub(crate) const DATA: u64 = 16 << 20;
    /// Base address of functions: function `i` has the address `FUNCTIONS + 16 * i`. No allocation reaches it.
    pub(crate) const FUNCTIONS: u64 = 0xFFFF << 32;
    /// Slots an address of 48 bits has, functions excluded.
    pub(crate) const LIMIT: u64 = 0xFFFF;

    /// The windows of shared and local memory in the generic addresses of machine code, which are 32 bits wide there: a driver
    /// chooses them, and constant bank 0 holds them.
    pub(crate) mod spa {
        /// Where the window of shared memory begins.
        pub(crate) const SHARED_WINDOW: u64 = 0x0100_0000;
        /// Where the window of local memory begins.
        pub(crate) const LOCAL_WINDOW: u64 = 0x0200_0000;
    }

    /// The address of the data of the allocation of that index.
    pub(crate) fn address(index: usize) -> u64 {
        (FIRST + index as u64) << 32 | DATA
    }
}

/// The `.const` variables of a module: one behind the other in a window of the generic address space, which is the slot of the
/// first of them. An address in `.const` is an offset from the beginning of the window ("Within each window, a generic address
/// maps to an address in the underlying state space by subtracting the window base from the generic address").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bank {
    /// Generic address of offset 0; 0 in a module without such variables.
    pub(crate) window: u64,
    /// Slot of the first variable, from [`slots::FIRST`].
    pub(crate) first: u32,
    /// Variables.
    pub(crate) count: u32,
}

impl Bank {
    /// "The size is limited, currently to 64 KB which can be used to hold statically-sized constant variables."
    pub(crate) const SIZE: u64 = 64 << 10;

    /// Whether a generic address is in the window.
    pub(crate) fn holds(self, address: u64) -> bool {
        self.count > 0 && address.wrapping_sub(self.window) < Self::SIZE
    }
}

/// A place in memory that a lane may access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    pub(crate) region: Region,
    pub(crate) offset: usize,
}

/// Whether variables of this space have an allocation of their own.
pub(crate) fn has_allocation(space: Space) -> bool {
    matches!(space, Space::Global | Space::Const)
}
