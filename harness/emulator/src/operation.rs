//! Decoded operations: what the machine executes.
//!
//! A program is one flat vector of [`Op`]s. Operands are indices into the register files of a warp (see [`crate::registers`]):
//! indices below the number of constants are absolute, the others are relative to the frame of the running function. Immediates and
//! special registers are constants, so every source is a register. Data that does not fit into an [`Op`] is in a side table,
//! indexed by [`Op::x`].

use warpdiff_model::Choice;
use warpdiff_semantics::collective::CollectiveKind;
use warpdiff_semantics::definedness::Bits;

/// The register file of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// 32 bits and narrower; the bits above the type's width are zero.
    Narrow,
    /// 64 bits.
    Wide,
    /// Predicates.
    Predicate,
}

/// A register operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    /// The register file.
    pub(crate) class: Class,
    /// Index in it.
    pub(crate) index: u32,
}

/// The guard of an operation: none, or a predicate register and its sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guard(u32);

impl Guard {
    /// Always executes.
    pub(crate) const NONE: Guard = Guard(u32::MAX);

    /// `@p` or `@!p`.
    pub(crate) fn new(predicate: u32, negated: bool) -> Self {
        Guard(predicate << 1 | u32::from(negated))
    }

    /// The predicate register, if there is a guard.
    pub(crate) fn predicate(self) -> Option<u32> {
        (self != Self::NONE).then_some(self.0 >> 1)
    }

    /// All ones for `@!p`, else zero: to be xor-ed onto the predicate's lane mask.
    pub(crate) fn flip(self) -> u32 {
        0u32.wrapping_sub(self.0 & 1)
    }
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    /// The operation code.
    pub(crate) code: Code,
    /// The lanes that execute it.
    pub(crate) guard: Guard,
    /// Destination.
    pub(crate) d: u32,
    /// First source.
    pub(crate) a: u32,
    /// Second source.
    pub(crate) b: u32,
    /// Third source.
    pub(crate) c: u32,
    /// Branch target, or index into the side table of the code.
    pub(crate) x: u32,
}

/// What an operation does. Names: what, then N (narrow) or W (wide) or P (predicates) for the register file; a comparison
/// writes a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Code {
    MovN,
    AddN,
    SubN,
    MulN,
    MadN,
    /// The sum of three.
    Add3N,
    /// `a` shifted left by `b`, plus `c`.
    ShlAddN,
    /// The sum of `a`, `b` and the predicate `c`; and, a predicate, what is carried out of it.
    AddCarryN,
    CarryN,
    /// A product of halves and a sum: `x` is [`warpdiff_semantics::xmad::XmadMode`].
    XmadN,
    AndN,
    OrN,
    XorN,
    NotN,
    ShlN,
    ShrUN,
    ShrSN,
    MinUN,
    MaxUN,
    MinSN,
    MaxSN,
    SelN,
    MovW,
    AddW,
    SubW,
    MulW,
    MadW,
    AndW,
    OrW,
    XorW,
    NotW,
    ShlW,
    ShrUW,
    ShrSW,
    SelW,
    /// 32 × 32 → 64 bits.
    MulWideU,
    MulWideS,
    MadWideU,
    MadWideS,
    /// Zero extension, sign extension and truncation between the files.
    ZextNW,
    SextNW,
    TruncWN,
    EqN,
    NeN,
    LtUN,
    LeUN,
    LtSN,
    LeSN,
    EqW,
    NeW,
    LtUW,
    LeUW,
    LtSW,
    LeSW,
    AddF32,
    SubF32,
    MulF32,
    FmaF32,
    AddF64,
    SubF64,
    MulF64,
    FmaF64,
    MovP,
    AndP,
    OrP,
    XorP,
    NotP,
    /// Any other function of registers: `x` in [`crate::decoded::Decoded::lanes`].
    Lane,
    /// Memory: `x` in `accesses`.
    Load,
    Store,
    /// `x` in `atomics`.
    Atomic,
    /// `x` in `surfaces`.
    Surface,
    /// `x` in `queries`.
    SurfaceQuery,
    /// `tex`: `x` in `lookups`.
    Texture,
    /// `istypep`: `a` is the pointer, `d` a predicate, `x` is [`QueryObject`] as u32.
    PointsTo,
    /// `membar`, `fence`: `x` is 0 for the block, 1 for the device, 2 for the system.
    Fence,
    /// `x` is the target.
    Branch,
    /// Machine code: to the instruction at the address in register `a`, plus the constant in register `b`.
    BranchToAddress,
    /// Machine code: pushes an entry of the kind `a` ([`Pushed`] as u32) with the target `x`.
    Push,
    /// Machine code: takes back the latest entry of the kind `a` and all above it, and goes to its target.
    Pop,
    /// `a` is the index register, `x` in `tables`.
    BranchTable,
    /// `x` in `calls`.
    Call,
    Return,
    Exit,
    Trap,
    /// `x` in `barriers`.
    Barrier,
    /// `bar.warp.sync`: `a` is the member mask.
    WarpBarrier,
    /// Vote, shuffle, match, redux: `x` in `collectives`.
    Collective,
    ActiveMask,
    /// `SAM`: where one thread of a quad executes it, the other three have to execute it too.
    WholeQuads,
    /// The address of a frame variable: `x` bytes into the frame, plus the frame's base; `d` is wide. `a` is the logarithm of
    /// the variable's alignment.
    FrameAddress,
    /// A special register whose value is unpredictable: `x` is [`Volatile`] as u32; `d` is narrow or wide.
    Volatile,
    /// Before an instruction of a scheduled program: waits; `x` in `schedules`.
    Await,
    /// After such an instruction: records the operations it starts.
    Signal,
    Nop,
}

impl Code {
    /// The classes of the sources `a`, `b`, `c` of a code that has its operands in the operation itself.
    pub(crate) fn sources(self) -> &'static [Class] {
        use Class::{Narrow as N, Predicate as P, Wide as W};
        use Code as C;
        match self {
            C::MovN | C::NotN | C::ZextNW | C::SextNW | C::BranchTable | C::WarpBarrier => &[N],
            C::BranchToAddress => &[N, N],
            C::AddN | C::SubN | C::MulN | C::AndN | C::OrN | C::XorN | C::ShlN | C::ShrUN | C::ShrSN => {
                &[N, N]
            }
            C::MinUN | C::MaxUN | C::MinSN | C::MaxSN | C::MulWideU | C::MulWideS => &[N, N],
            C::EqN | C::NeN | C::LtUN | C::LeUN | C::LtSN | C::LeSN | C::AddF32 | C::SubF32 | C::MulF32 => {
                &[N, N]
            }
            C::MadN | C::FmaF32 | C::Add3N | C::ShlAddN | C::XmadN => &[N, N, N],
            C::SelN | C::AddCarryN | C::CarryN => &[N, N, P],
            C::MovW | C::NotW | C::TruncWN | C::PointsTo => &[W],
            C::AddW | C::SubW | C::MulW | C::AndW | C::OrW | C::XorW => &[W, W],
            C::EqW | C::NeW | C::LtUW | C::LeUW | C::LtSW | C::LeSW | C::AddF64 | C::SubF64 | C::MulF64 => {
                &[W, W]
            }
            C::ShlW | C::ShrUW | C::ShrSW => &[W, N],
            C::MadW | C::FmaF64 => &[W, W, W],
            C::SelW => &[W, W, P],
            C::MadWideU | C::MadWideS => &[N, N, W],
            C::MovP | C::NotP => &[P],
            C::AndP | C::OrP | C::XorP => &[P, P],
            _ => &[],
        }
    }
}

/// The kinds of entries of the stack of machine code, which say where control goes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Pushed {
    /// `SSY`, for `SYNC`.
    Meeting,
    /// `PBK`, for `BRK`.
    Break,
    /// `PCNT`, for `CONT`.
    Continue,
    /// `CAL` and `PRET`, for `RET`.
    Return,
}

/// `x` of the operations on binary32 that leave no bit of a NaN undefined.
pub(crate) const SETTLED_NAN: u32 = 1;

/// Special registers whose value is unspecified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Volatile {
    Clock,
    ClockHigh,
    Clock64,
    WarpId,
    SmId,
    /// `SR_VIRTID`: the number of the multiprocessor in bits 28:20, that of the warp in bits 13:8.
    VirtualId,
    /// `SR_VIRTCFG`: how many multiprocessors there are in bits 28:20.
    VirtualConfiguration,
}

/// A pure function of at most four registers.
pub(crate) struct LaneOp {
    /// Sources, in the order the functions take them.
    pub(crate) sources: Vec<Slot>,
    /// Destination.
    pub(crate) destination: Slot,
    /// The value.
    pub(crate) compute: Compute,
    /// The rule for its defined bits.
    pub(crate) rule: Rule,
    /// Whether the rule has to be asked even when all sources are defined.
    pub(crate) always: bool,
    /// Whether it computes a value rather than moves, selects or tests one: a value computed from a handle is undefined.
    pub(crate) computes: bool,
    /// Whether its result is fixed although an address is not: it asks which space the address is in.
    pub(crate) of_addresses: bool,
    /// The choice that decides its value, and the source values for which it does.
    pub(crate) consults: Option<Consults>,
    /// Its effect on a bound of its result or source.
    pub(crate) bound: BoundUse,
}

/// Effect of a function of registers on bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BoundUse {
    /// None: a value computed from a bounded value is undefined.
    #[default]
    None,
    /// It is an approximation, whose result is bounded.
    Approximates {
        /// The approximation.
        operation: warpdiff_semantics::numeric::bound::Operation,
        /// Whether it flushes subnormal numbers.
        ftz: bool,
    },
    /// It is an approximation of SPA 5.0, which flushes. Values computed from its result count as the reference's: the code of
    /// ptxas corrects the error of a reciprocal, also in integer divisions, and the rules of undefined bits cannot detect this.
    ApproximatesOpenly {
        /// The approximation.
        operation: warpdiff_semantics::numeric::bound::Operation,
        /// What `RRO` must have made of its argument; of any other the result is undefined.
        of: Option<warpdiff_semantics::definedness::doubt::Reduction>,
    },
    /// The same of the upper word of a double (`MUFU.RCP64H`), for which no error is documented.
    ApproximatesUpperWord {
        /// Whether it is a root: the sign of its result for −0 and NaN is open.
        root: bool,
    },
    /// It is `RRO`.
    Reduces(warpdiff_semantics::definedness::doubt::Reduction),
    /// It clamps a binary32 to [+0, 1], and its interval.
    Saturates,
    /// It negates a binary32, and its interval.
    Negates,
    /// It takes the absolute value of a binary32.
    TakesAbsolute,
}

/// A choice, and the values of the sources for which it decides the result.
pub(crate) type Consults = (Choice, Box<dyn Fn(&[u64; 4]) -> bool + Send + Sync>);

/// A value from the values of the sources.
pub(crate) type Compute = Box<dyn Fn(&[u64; 4]) -> u64 + Send + Sync>;
/// The defined bits of a value from the sources and the value.
pub(crate) type Rule = Box<dyn Fn(&[Bits; 4], u64) -> u64 + Send + Sync>;

/// `bar.sync`, `bar.arrive`, `bar.red`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierOp {
    /// Barrier number.
    pub(crate) id: Slot,
    /// Number of threads, if given.
    pub(crate) count: Option<Slot>,
    /// The kind of barrier operation.
    pub(crate) kind: BarrierKind,
    /// Whether all threads of a warp must execute it.
    pub(crate) aligned: bool,
}

/// The kind of a barrier operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    /// Waits.
    Sync,
    /// Does not wait.
    Arrive,
    /// Waits and reduces a predicate.
    Reduce {
        /// The reduction.
        how: Reduction,
        /// Source predicate, and whether it is negated.
        source: u32,
        /// `!p`.
        negated: bool,
        /// Result: a predicate, or a narrow register for the count.
        destination: Slot,
    },
}

/// The reduction of `bar.red`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    And,
    Or,
    Count,
}

/// An operation in which the lanes of a warp exchange values.
#[derive(Clone, Debug)]
pub(crate) struct Collective {
    /// The operation.
    pub(crate) kind: CollectiveKind,
    /// Destination, absent for `_`.
    pub(crate) destination: Option<Slot>,
    /// The predicate destination of `shfl` and `match.all`.
    pub(crate) predicate: Option<u32>,
    /// The value.
    pub(crate) source: Slot,
    /// `!p` of a vote.
    pub(crate) negated: bool,
    /// Lane operand and clamp-and-segment operand of `shfl`.
    pub(crate) lane: Option<(Slot, Slot)>,
    /// Member mask of the `.sync` forms.
    pub(crate) members: Option<Slot>,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Whom.
    pub(crate) callee: CallTarget,
    /// Copies into the callee's frame.
    pub(crate) arguments: Vec<Transfer>,
    /// Copies out of it.
    pub(crate) returns: Vec<Transfer>,
}

/// Whom a call calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CallTarget {
    /// Index into [`crate::decoded::Decoded::functions`].
    Function(u32),
    /// The wide register with the function's address.
    Indirect(u32),
    /// A function of the device runtime.
    System(SystemCall),
}

/// A function of the device runtime, which a program only declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemCall {
    /// `vprintf`: a format and a list of its arguments.
    Print,
    /// `__assertfail`: a message, a file, a line, a function, and the size of a character.
    AssertFail,
}

impl SystemCall {
    /// Most arguments of one.
    pub(crate) const MOST: usize = 5;

    /// The function of that name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "vprintf" => Some(Self::Print),
            "__assertfail" => Some(Self::AssertFail),
            _ => None,
        }
    }

    /// The bytes of its parameters and of its results.
    pub(crate) fn signature(self) -> (&'static [u64], &'static [u64]) {
        match self {
            Self::Print => (&[8, 8], &[4]),
            Self::AssertFail => (&[8, 8, 4, 8, 8], &[]),
        }
    }
}

/// An argument or return value on the caller's side. The callee's side is the parameter of the same position.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Transfer {
    /// Bytes of the caller's frame.
    Frame {
        /// Offset in the frame.
        offset: u32,
        /// Size.
        size: u32,
    },
    /// A register of the caller.
    Register(Slot),
}
