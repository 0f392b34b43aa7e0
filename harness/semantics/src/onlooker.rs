//! What a machine tells an onlooker of a run: each operation with its operands, and what was asked of the rules for it.
//!
//! The machine calls these in runs that are looked on alone; all others are compiled without. Of one operation it tells first what its lanes
//! access, and then that it was executed.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{Fault, Format};

use crate::surface::{Access, Descriptor, Resolution};
use crate::texture::{Lookup, Sampling};

/// The values of a register in the 32 lanes of a warp; of lanes that take no part anything.
pub type Row = [u64; 32];

/// An operation that a group of lanes of a warp executed.
#[derive(Clone, Copy, Debug)]
pub struct Executed<'e> {
    /// The function, and the instruction in its body; of machine code the statement.
    pub site: (u32, u32),
    /// Whether the instruction is this operation alone.
    pub is_alone: bool,
    /// The number of the warp's first thread in the grid.
    pub warp: u32,
    /// The lanes that have not ended.
    pub live: u32,
    /// The lanes that are here together.
    pub active: u32,
    /// Those of them whose guard lets them execute it.
    pub mask: u32,
    /// The values before: of the operands in their order, or of an access first what it stores, then what it is reached with.
    pub sources: &'e [Row],
    /// The values after, of the registers that it writes.
    pub results: &'e [Row],
    /// The lanes with a result that has undefined bits.
    pub undefined: u32,
    /// Whether the lanes wait for others before they go on.
    pub waits: bool,
    /// The choices that were consulted.
    pub consulted: ChoiceSet,
    /// The faults that it must report.
    pub faults: &'e [Fault],
    /// The faults that it may report.
    pub may_faults: &'e [Fault],
}

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Buffers and variables.
    Global,
    /// That of the block.
    Shared,
    /// That of the thread.
    Local,
    /// Parameters, and the banks of machine code.
    Constant,
    /// Texels.
    Surface,
}

/// An access of a thread to an element of memory.
#[derive(Clone, Copy, Debug)]
pub struct Touched {
    /// Number of the thread in the grid.
    pub thread: u32,
    /// The kind of memory.
    pub memory: Memory,
    /// Where: the number of the variable or buffer, and the offset in it.
    pub place: (u32, usize),
    /// The value that is loaded or stored; of an atomic the new one.
    pub value: u64,
    /// Of an atomic: the value before.
    pub before: Option<u64>,
}

/// Looks on while a machine runs a launch.
pub trait Onlooker {
    /// A run begins. The machine may run a launch several times until it knows what it should: the last run counts.
    fn begins(&self);
    /// A thread accesses memory.
    fn touched(&self, touched: Touched);
    /// A lane accesses a surface with texels of that format.
    fn surface(&self, lane: usize, shape: (&Descriptor, Format), access: &Access, resolution: Resolution);
    /// A lane looks a texture up.
    fn texture(&self, lane: usize, shape: &Descriptor, sampling: &Sampling, lookup: &Lookup);
    /// Lanes have executed an operation.
    fn executed(&self, executed: &Executed<'_>);
}
