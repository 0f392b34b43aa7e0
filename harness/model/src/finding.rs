//! What a launch did wrong: races, reads of unwritten memory, faults and missing waits. Each has its instruction and its thread.

use std::fmt;

use crate::{FaultClass, Thread};

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FindingKind {
    /// Two threads access a byte, one of them writes, and nothing orders them.
    Race(Hazards),
    /// Memory is read that nobody has written since it was allocated.
    UninitialisedRead,
    /// A branch, an address or an operand like it depends on bits that nobody has written.
    UndefinedUse,
    /// A thread ended because of a fault, or may do so on a device.
    Fault {
        /// Its class.
        class: FaultClass,
        /// Whether PTX leaves open that it is one.
        may: bool,
    },
    /// Machine code reads or writes a register before an earlier instruction has done with it.
    MissingWait,
    /// What the instruction does is not specified.
    Unspecified,
    /// An aligned barrier is executed by some threads of a warp and not by the others.
    DivergentBarrier,
    /// A thread waits at a barrier for threads that never come.
    Deadlock,
}

/// Which of two accesses that race came first, in the order of this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hazards {
    /// A read of what the other thread has written.
    ReadAfterWrite,
    /// A write of what the other thread has read.
    WriteAfterRead,
    /// A write of what the other thread has written.
    WriteAfterWrite,
}

impl Hazards {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadAfterWrite => "read-after-write",
            Self::WriteAfterRead => "write-after-read",
            Self::WriteAfterWrite => "write-after-write",
        }
    }
}

impl FindingKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Race(_) => "race",
            Self::UninitialisedRead => "uninitialised-read",
            Self::UndefinedUse => "undefined-use",
            Self::Fault { class, .. } => class.name(),
            Self::MissingWait => "missing-wait",
            Self::Unspecified => "unspecified",
            Self::DivergentBarrier => "divergent-barrier",
            Self::Deadlock => "deadlock",
        }
    }
}

/// An instruction of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line of the program's text, or of the listing of machine code; 0 if it has none.
    pub line: u32,
    /// Its text.
    pub instruction: String,
}

/// A piece of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// `global`, `shared`, `local`, `const`, `param` or `texels`.
    pub space: &'static str,
    /// In global and constant memory the generic address, else the offset in the block's, the thread's or the array's memory.
    pub address: u64,
    /// Bytes.
    pub size: u32,
    /// The variable or array, if it has a name.
    pub name: Option<String>,
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { space, address, size, name } = self;
        let bytes = if *size == 1 { "byte" } else { "bytes" };
        match name {
            Some(name) => write!(f, "{size} {bytes} at {address:#x} of `{name}` ({space})"),
            None => write!(f, "{size} {bytes} at {address:#x} of {space} memory"),
        }
    }
}

/// The earlier of two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// Whether it wrote.
    pub wrote: bool,
    /// Its thread, where it is known.
    pub thread: Option<Thread>,
    /// Its instruction. `None` if more accesses were made to the memory than are remembered one by one, and not all by one instruction.
    pub place: Option<Place>,
}

/// What an instruction did wrong, in some thread for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The instruction.
    pub place: Place,
    /// The first thread.
    pub thread: Option<Thread>,
    /// The memory concerned.
    pub piece: Option<Piece>,
    /// Of a race: the earlier access.
    pub earlier: Option<Earlier>,
    /// More, in words; may be empty.
    pub detail: String,
    /// How often this instruction did so.
    pub times: u64,
}

/// Everything that was found in a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// One entry for each kind and instruction, and of a race for each pair of instructions; in the order in which they were met.
    pub list: Vec<Finding>,
    /// Findings beyond [`Findings::MOST`], which are only counted.
    pub more: u64,
}

impl Findings {
    /// Entries that are kept.
    pub const MOST: usize = 1000;
}
