//! The serialisation check: are the values that atomics returned those of some order?
//!
//! For each location and barrier epoch, every operation that returned `o` and computes `f` is an edge `o → f(o)`; the
//! observation is right exactly when the edges form an Eulerian trail from the epoch's initial to its final value.

/// What an atomic operation does to the value it finds. Operands are the low `8 * width` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// `m + b`, modulo 2^width.
    Add(u64),
    /// Unsigned minimum.
    MinU(u64),
    /// Signed minimum.
    MinS(u64),
    /// Unsigned maximum.
    MaxU(u64),
    /// Signed maximum.
    MaxS(u64),
    /// `m >= b ? 0 : m + 1`.
    Inc(u64),
    /// `m == 0 || m > b ? b : m - 1`.
    Dec(u64),
    /// Bitwise and.
    And(u64),
    /// Bitwise or.
    Or(u64),
    /// Bitwise exclusive or.
    Xor(u64),
    /// Exchange.
    Exch(u64),
    /// Compare with the first, store the second if equal.
    Cas(u64, u64),
    /// IEEE binary32 addition, round to nearest even.
    AddF32(u32),
    /// IEEE binary64 addition, round to nearest even.
    AddF64(u64),
    /// Two binary16 additions.
    AddF16x2(u32),
}

/// Where a value can be seen in the observed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index of the region.
    pub region: usize,
    /// Byte offset; the value's width is that of the location.
    pub offset: usize,
}

/// One atomic operation on a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it does.
    pub op: AtomicOp,
    /// Linear index of the thread that did it, over the whole grid.
    pub thread: u32,
    /// Where the value it returned was stored unmodified, if it was.
    pub returned: Option<Place>,
}

/// The atomics on one location within one barrier epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// For a person: "shared 0x10 of block 0, epoch 1".
    pub name: String,
    /// Bytes: 2, 4 or 8.
    pub width: u8,
    /// The value before the epoch, if it is defined.
    pub initial: Option<u64>,
    /// Where the value after the epoch can be seen, if it can.
    pub last: Option<Place>,
    /// The operations; those of one thread in program order.
    pub operations: Vec<Operation>,
}
