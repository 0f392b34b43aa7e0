//! The classes of faults, and which one satisfies a stated one.

use std::fmt;

/// The class of a fault. The specification speaks at most of a class ("causes an execution trap"); targets add codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultClass {
    /// A surface access out of bounds under `.trap`.
    SurfaceTrap,
    /// A memory access outside every allocation.
    OutOfBounds,
    /// An access whose address is not a multiple of its size.
    Misaligned,
    /// An access to a state space the instruction cannot reach.
    InvalidSpace,
    /// A surface or texture access through something that is no handle, or with a geometry or format it does not have.
    InvalidHandle,
    /// An instruction that is illegal at run time, or a jump to an address without an instruction.
    IllegalInstruction,
    /// The `trap` instruction.
    Trap,
    /// An `assert` of the device runtime.
    Assert,
    /// The call stack or local memory is exhausted.
    StackOverflow,
    /// The target says only that the launch failed.
    Unspecified,
}

impl FaultClass {
    /// Every class with its name in case files and reports.
    pub const ALL: [(FaultClass, &'static str); 10] = [
        (FaultClass::SurfaceTrap, "surface-trap"),
        (FaultClass::OutOfBounds, "out-of-bounds"),
        (FaultClass::Misaligned, "misaligned"),
        (FaultClass::InvalidSpace, "invalid-space"),
        (FaultClass::InvalidHandle, "invalid-handle"),
        (FaultClass::IllegalInstruction, "illegal-instruction"),
        (FaultClass::Trap, "trap"),
        (FaultClass::Assert, "assert"),
        (FaultClass::StackOverflow, "stack-overflow"),
        (FaultClass::Unspecified, "unspecified"),
    ];

    /// The name used in case files and reports.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(class, _)| *class == self).map_or("?", |(_, name)| name)
    }

    /// Whether an observed fault of class `observed` is one that the specification permits where it speaks of `self`.
    ///
    /// The specification says "an execution trap", "the instruction may fault" or that behaviour is undefined, and never
    /// which error the host sees; targets map the same event to different codes (an out-of-range shared atomic was
    /// reported as an illegal address, not as a failed launch). So any execution fault will do for any other. The one
    /// exception is the device runtime's `assert`, which has an error of its own: it neither stands for an execution
    /// fault nor is one.
    ///
    /// | permitted            | satisfied by                 |
    /// |----------------------|------------------------------|
    /// | `assert`             | `assert`                     |
    /// | every other class    | every class but `assert`     |
    pub fn is_satisfied_by(self, observed: FaultClass) -> bool {
        (self == FaultClass::Assert) == (observed == FaultClass::Assert)
    }

    /// The class of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(class, _)| *class)
    }
}

impl fmt::Display for FaultClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether the specification demands a fault or only permits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A conforming target faults.
    Must,
    /// A conforming target may fault or go on.
    May,
}

/// One fault that a launch could report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its class.
    pub class: FaultClass,
    /// Whether the specification demands it.
    pub kind: FaultKind,
    /// Block and thread index of the first thread concerned: `[ctaid.x, .y, .z, tid.x, .y, .z]`.
    pub thread: Option<[u32; 6]>,
    /// Line of the instruction in the program text, from 1.
    pub line: Option<u32>,
    /// The offending address (memory) when there is one.
    pub address: Option<u64>,
    /// A description for a person: "suld.b.2d.b32.trap at x = 16, y = 2 of surface `image` (16 x 3 bytes)".
    pub detail: String,
}
