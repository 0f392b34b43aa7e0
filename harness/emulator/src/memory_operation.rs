//! Operations on memory: their addresses, windows and sizes; loads, stores and atomics.

use crate::operation::Slot;
use warpdiff_races::{Order, Scope};
use warpdiff_semantics::atomic::{AtomicDeviant, AtomicKind};

/// A state space as the machine distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The whole generic address space.
    Generic,
    /// The same, as machine code addresses it: shared and local memory are windows of 16 MiB below 4 GiB, all else is global.
    Flat,
    /// `.global` and `.const`: generic addresses that must not be in a window.
    Global,
    /// `.const`.
    Const,
    /// Offsets into the shared memory of the block.
    Shared,
    /// Offsets into the local memory of the thread.
    Local,
    /// Offsets into the parameter block of the kernel.
    Param,
    /// Offsets into the current frame of the thread (`.param` and `.local` variables named directly).
    Frame,
}

/// The address of a memory operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    /// Space.
    pub(crate) place: Place,
    /// Base register, if any.
    pub(crate) base: Option<Slot>,
    /// Bytes added.
    pub(crate) offset: i64,
}

/// A load or store.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The address.
    pub(crate) address: Address,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub(crate) size: u32,
    /// Registers, one per element; `None` for `_`. Sources of a store, destinations of a load.
    pub(crate) registers: Vec<Option<Slot>>,
    /// Extension of an element to its register.
    pub(crate) extend: Extend,
    /// Order and scope of a strong access; `None` for a plain one.
    pub(crate) strong: Option<(Order, Scope)>,
    /// The rules of SPA 5.0 for local and shared memory, where they hold.
    pub(crate) window: Option<Window>,
    /// Whether it is a load with `.unified`.
    pub(crate) unified: bool,
}

/// SPA 5.0 rules for an access to the window of local or shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    /// Treatment of a misaligned address.
    pub(crate) misaligned: Misaligned,
    /// The cache operator of a load.
    pub(crate) cache: CacheUse,
    /// Deviation: no error for accesses out of bounds.
    pub(crate) silent: bool,
    /// Deviation: no error for an access whose first byte is in bounds.
    pub(crate) by_first_byte: bool,
    /// Deviation: the address of the first lane is that of all.
    pub(crate) from_first_lane: bool,
    /// Deviation: the low bits of the address, which name a part of a word, are lost.
    pub(crate) low_of_word: bool,
}

impl Window {
    /// Whether a load that is aligned and in bounds gives what memory holds at each lane's address.
    pub(crate) fn loads_plainly(&self) -> bool {
        self.cache == CacheUse::Plain && !self.from_first_lane
    }
}

/// Treatment of a misaligned address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Misaligned {
    /// `LDL`, `LDS`: "forced to align to access size and can optionally raise an error".
    #[default]
    Forced,
    /// `ATOMS`: "Misaligned addresses cause a misaligned address error".
    Fault,
    /// `STL`, `STS`: their page is not given; either of both.
    Open,
    /// Deviation: the bytes at that address.
    Kept,
}

/// The cache operators of `LDL` that can be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CacheUse {
    /// Any other.
    #[default]
    Plain,
    /// `.LU`: "if Local address and line is fully covered, load, then invalidate line".
    Last,
    /// `.CI`: "expected to be used only with invariant data".
    Inconsistent,
}

/// Extension of a loaded element to a register value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extend {
    /// Zero extension.
    Zero,
    /// Sign extension to this number of bits, more than the element has.
    Sign(u32),
}

impl Extend {
    /// Sign extension of an element of `size` bytes to this number of bits. An element that fills them is stored as it is.
    pub(crate) fn sign(size: u32, bits: u32) -> Self {
        if 8 * size < bits { Self::Sign(bits) } else { Self::Zero }
    }
}

/// An `atom` or `red`.
#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    /// The address.
    pub(crate) address: Address,
    /// Bytes: 2, 4 or 8.
    pub(crate) size: u32,
    /// The operation.
    pub(crate) kind: AtomicKind,
    /// Destination of the old value.
    pub(crate) destination: Option<Destination>,
    /// Operand.
    pub(crate) b: Slot,
    /// The new value of a compare and swap.
    pub(crate) c: Option<Slot>,
    /// Its order and scope.
    pub(crate) strong: (Order, Scope),
    /// Deviations wired in.
    pub(crate) deviant: AtomicDeviant,
    /// The rules of SPA 5.0, where they hold.
    pub(crate) window: Option<Window>,
    /// `.SPIN`: selects one of the lanes whose addresses are in the same bank.
    pub(crate) spin: bool,
}

/// Destination of an atomic's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// A register of its size.
    One(Slot),
    /// 64 bits in two narrow registers.
    Pair {
        /// Bits 31:0.
        low: Slot,
        /// Bits 63:32.
        high: Slot,
    },
}

impl Destination {
    /// Its registers.
    pub(crate) fn slots(self) -> [Option<Slot>; 2] {
        match self {
            Self::One(slot) => [Some(slot), None],
            Self::Pair { low, high } => [Some(low), Some(high)],
        }
    }
}
