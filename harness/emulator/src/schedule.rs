//! The schedule of machine code: what an instruction waits for, what it signals, and in which order it is done.

use crate::memory_operation::Address;
use crate::operation::{Guard, Slot};

/// The waits and signals of an instruction of a scheduled program.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// Guard of the instruction; `None` if no lane executes it. All lanes wait.
    pub(crate) guard: Option<Guard>,
    /// The barriers it waits for, a bit each.
    pub(crate) waits: u8,
    /// A barrier and a count: waits for all instructions that signal the barrier except the latest `count`.
    pub(crate) leaving: Option<(u8, u32)>,
    /// Its queue, if it completes in order with the others of the queue. A wait for one instruction is also a wait for the earlier
    /// ones of the queue that are [`covered`](Self::is_covered).
    pub(crate) queue: Option<Queue>,
    /// Whether a wait for the result of a later instruction of its queue is one for its own: it names no barrier, or is an `ATOMS`, which ptxas waits for by
    /// the barrier of the `LDS` behind it.
    pub(crate) is_covered: bool,
    /// Whether it reads its sources in order with other such instructions: those of the memory unit do.
    pub(crate) reads_in_order: bool,
    /// Whether it accesses a surface or a texture: all its sources are part of an address.
    pub(crate) looks_up: bool,
    /// Whether it orders the accesses to memory before it: they have then read their sources.
    pub(crate) drains: bool,
    /// The barrier that is released when its result is written.
    pub(crate) write_barrier: Option<u8>,
    /// The barrier that is released when its sources have been read.
    pub(crate) read_barrier: Option<u8>,
    /// The registers it reads, those of its address included.
    pub(crate) reads: Vec<Slot>,
    /// The registers it writes.
    pub(crate) writes: Vec<Slot>,
    /// The memory it accesses.
    pub(crate) address: Option<Reached>,
    /// The time at which it reads and writes.
    pub(crate) duty: Duty,
}

/// Instructions of one kind that ptxas assumes to complete in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    /// `LD`, `LDG`, `LDL`, `ATOM`, surfaces and textures: all that goes through the first cache.
    Cached,
    /// `LDS`, `ATOMS` and `SHFL`: after an `ATOMS.DEC` or a `SHFL` that names no barrier ptxas 12.9 waits for that of the `LDS` behind it,
    /// and so it does after `ATOMS.INC`, `.MAX`, `.EXCH` and `.CAS` that name one.
    Shared,
    /// Conversions, `MUFU` and the other instructions of the unit for slow functions.
    Slow,
}

/// The memory that an instruction accesses.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    /// The address.
    pub(crate) address: Address,
    /// Bytes.
    pub(crate) size: u32,
    /// The registers of the address as they are written.
    pub(crate) base: Vec<Slot>,
}

/// The time at which an instruction reads its sources and writes its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duty {
    /// Before the next instruction.
    Fixed,
    /// At an unspecified time; barriers signal completion.
    Late,
}
