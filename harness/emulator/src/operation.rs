//! Decoded operations: what the machine executes.
//!
//! A program is one flat vector of [`Op`]s. Operands are indices into the register files of a warp (see [`crate::registers`]):
//! indices below the number of constants are absolute, the others are relative to the frame of the running function. Immediates and
//! special registers are constants, so every source is a register. Data that does not fit into an [`Op`] is in a side table,
//! indexed by [`Op::x`].

use warpdiff_model::Choice;
use warpdiff_model::serial::AtomicOp;
use warpdiff_semantics::definedness::Bits;

use crate::race::{Order, Scope};

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
    /// A product of halves and a sum: `x` is [`crate::machine::XmadMode`].
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
        of: Option<crate::doubt::Reduction>,
    },
    /// The same of the upper word of a double (`MUFU.RCP64H`), for which no error is documented.
    ApproximatesUpperWord {
        /// Whether it is a root: the sign of its result for −0 and NaN is open.
        root: bool,
    },
    /// It is `RRO`.
    Reduces(crate::doubt::Reduction),
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
    /// Sign extension to this number of bits.
    Sign(u32),
}

/// The operation of an atomic, its operands still in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicKind {
    Add,
    MinU,
    MinS,
    MaxU,
    MaxS,
    Inc,
    Dec,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    /// Compare and swap that returns whether it stored.
    Cast,
    AddF32,
    AddF32Flushed,
    AddF64,
    AddF16,
    AddF16x2,
}

impl AtomicKind {
    /// The operation with its operands.
    pub(crate) fn with(self, b: u64, c: u64) -> AtomicOp {
        match self {
            Self::Add => AtomicOp::Add(b),
            Self::MinU => AtomicOp::MinU(b),
            Self::MinS => AtomicOp::MinS(b),
            Self::MaxU => AtomicOp::MaxU(b),
            Self::MaxS => AtomicOp::MaxS(b),
            Self::Inc => AtomicOp::Inc(b),
            Self::Dec => AtomicOp::Dec(b),
            Self::And => AtomicOp::And(b),
            Self::Or => AtomicOp::Or(b),
            Self::Xor => AtomicOp::Xor(b),
            Self::Exch => AtomicOp::Exch(b),
            Self::Cas => AtomicOp::Cas(b, c),
            Self::Cast => AtomicOp::Cast(b, c),
            Self::AddF32 => AtomicOp::AddF32(b as u32),
            Self::AddF32Flushed => AtomicOp::AddF32Flushed(b as u32),
            Self::AddF64 => AtomicOp::AddF64(b),
            Self::AddF16 => AtomicOp::AddF16(b as u16),
            Self::AddF16x2 => AtomicOp::AddF16x2(b as u32),
        }
    }

    /// Whether operations of this kind give the same final value in every order, whatever their operands.
    pub(crate) fn commutes(self) -> bool {
        use AtomicKind::{Add, And, MaxS, MaxU, MinS, MinU, Or, Xor};
        matches!(self, Add | MinU | MinS | MaxU | MaxS | And | Or | Xor)
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

/// The deviation of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicDeviant {
    No,
    IncOffByOne,
    DecIgnoresGreater,
    CasReturnsNew,
    /// A 64-bit atomic as two independent halves.
    Halves,
    /// `CAST` returns the old value instead of whether it stored.
    CastReturnsOld,
    /// If several lanes contend under `.SPIN`, none is selected.
    SpinNoneWins,
    /// All lanes of a warp read the value before the first of them.
    LostUpdate,
}

/// `bar.sync`, `bar.arrive`, `bar.red`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierOp {
    /// Barrier number.
    pub(crate) id: Slot,
    /// Number of threads, if given.
    pub(crate) count: Option<Slot>,
    /// The kind of barrier operation.
    pub(crate) kind: BarrierKind,
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

/// The operation of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollectiveKind {
    VoteAll,
    VoteAny,
    VoteUni,
    Ballot,
    ShuffleUp,
    ShuffleDown,
    ShuffleButterfly,
    ShuffleIndex,
    MatchAny,
    MatchAll,
    ReduceAdd,
    ReduceMinU,
    ReduceMaxU,
    ReduceMinS,
    ReduceMaxS,
    ReduceAnd,
    ReduceOr,
    ReduceXor,
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

/// A surface access.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceAccess {
    /// The action.
    pub(crate) action: SurfaceAction,
    /// The surface.
    pub(crate) object: SurfaceObject,
    /// Shape.
    pub(crate) geometry: warpdiff_model::Geometry,
    /// x, y, z registers (s32); those that the geometry does not have are 0.
    pub(crate) coordinates: [Option<Slot>; 3],
    /// The layer of an array geometry.
    pub(crate) layer: Option<Slot>,
    /// Bytes of an element: 1, 2, 4, 8.
    pub(crate) size: u32,
    /// Elements transferred: 1, 2, 4.
    pub(crate) elements: u32,
    /// One register per element; a load of one element may have any number of registers, which all receive it.
    pub(crate) registers: Vec<Option<Slot>>,
    /// Out-of-bounds behaviour.
    pub(crate) clamp: warpdiff_semantics::surface::OutOfBoundsMode,
    /// The unit of x.
    pub(crate) unit: warpdiff_semantics::surface::Unit,
}

/// The action of a surface access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SurfaceAction {
    /// `suld.b`
    Load,
    /// `SULD.P`: one register per component, R, G, B, A.
    LoadTexel,
    /// `sust.b`
    Store,
    /// `sust.p`
    StoreTexel,
    /// `sured`, and `SUATOM`, which returns what it found: index into [`crate::decoded::Decoded::atomics`] of the operation on the
    /// location.
    Reduce(u32),
    /// `sured.p`: the same for unsigned and for signed data; the format of the surface tells which.
    ReduceByFormat {
        /// On UINT formats.
        unsigned: u32,
        /// On SINT formats.
        signed: u32,
    },
}

impl SurfaceAction {
    /// Whether it changes no texel.
    pub(crate) fn is_load(self) -> bool {
        matches!(self, Self::Load | Self::LoadTexel)
    }

    /// The atomic that a reduction does; of two that the format chooses from the first: their registers are the same.
    pub(crate) fn atomic(self) -> Option<u32> {
        match self {
            Self::Reduce(atomic) | Self::ReduceByFormat { unsigned: atomic, .. } => Some(atomic),
            Self::Load | Self::LoadTexel | Self::Store | Self::StoreTexel => None,
        }
    }
}

/// `suq` or `txq`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceQuery {
    /// The queried property.
    pub(crate) query: warpdiff_semantics::surface::query::Query,
    /// The kind of object.
    pub(crate) of: QueryObject,
    /// The object.
    pub(crate) object: SurfaceObject,
    /// A narrow register.
    pub(crate) destination: Slot,
}

/// The kind of object queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum QueryObject {
    /// A surface.
    Surface,
    /// A texture, with its sampler in unified texture mode.
    Texture,
    /// A sampler of independent texture mode.
    Sampler,
}

/// A lookup in a texture: `tex`, and what machine code has beside it.
#[derive(Clone, Debug)]
pub(crate) struct TextureLookup {
    /// The texture.
    pub(crate) object: SurfaceObject,
    /// The sampler beside it, in independent texture mode.
    pub(crate) sampler: Option<SurfaceObject>,
    /// Shape.
    pub(crate) geometry: warpdiff_model::Geometry,
    /// x, y, z registers; those that the geometry does not have are none.
    pub(crate) coordinates: [Option<Slot>; 3],
    /// Whether coordinates are `.s32`, not `.f32`.
    pub(crate) integers: bool,
    /// The index into an array.
    pub(crate) layer: Option<Slot>,
    /// `.dtype`; `None`: that of the texture.
    pub(crate) wanted: Option<warpdiff_semantics::texture::Kind>,
    /// One per component.
    pub(crate) registers: Vec<Option<Slot>>,
    /// Whether a texture of one dimension may be looked up in two: see [`crate::machine`]'s rule.
    pub(crate) is_flattened: bool,
    /// What machine code has beside the place.
    pub(crate) beside: Beside,
}

/// What a lookup of machine code has beside the place. PTX's has none of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    /// Texels added to the coordinates.
    pub(crate) offsets: Option<Offsets>,
    /// The component of four texels that a gather gives.
    pub(crate) gathered: Option<u8>,
    /// Levels, what is added to them, and derivatives. Each is a float; a NaN chooses no level, so that nothing is known of the result.
    pub(crate) levels: Vec<Slot>,
    /// The number of a level.
    pub(crate) level: Option<Slot>,
}

/// Fields of registers with offsets in texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offsets {
    /// One offset: signed fields of `width` bits, one for each coordinate, `stride` bits apart from bit `low` on.
    One {
        /// The register.
        word: Slot,
        /// The lowest bit of that of x.
        low: u32,
        /// Bits from one to the next.
        stride: u32,
        /// Bits of each.
        width: u32,
    },
    /// Those of four texels, x and y of each: signed fields of six bits, eight bits apart, four in each register.
    Four([Slot; 2]),
}

impl Offsets {
    /// The registers.
    pub(crate) fn slots(self) -> [Option<Slot>; 2] {
        match self {
            Self::One { word, .. } => [Some(word), None],
            Self::Four([first, second]) => [Some(first), Some(second)],
        }
    }
}

impl TextureLookup {
    /// Its registers besides those of the texture, the sampler and the place.
    pub(crate) fn further(&self) -> impl Iterator<Item = Slot> {
        let offsets = self.beside.offsets.map_or([None; 2], Offsets::slots);
        offsets.into_iter().flatten().chain(self.beside.levels.iter().copied()).chain(self.beside.level)
    }
}

/// The operand that names the surface, texture or sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SurfaceObject {
    /// A handle or pointer in a wide register.
    Register(u32),
    /// In machine code: the lower half of one in a narrow register.
    Word(u32),
    /// The handle of a surface variable, by its number.
    Variable(u32),
    /// The handle of a texture variable, by its number.
    TextureVariable(u32),
    /// A variable, by its number among the samplers.
    SamplerVariable(u32),
    /// The kernel parameter of opaque type at this position.
    Parameter(u32),
}

impl SurfaceObject {
    /// The register that holds it, if one does.
    pub(crate) fn slot(self) -> Option<Slot> {
        match self {
            Self::Register(index) => Some(Slot { class: Class::Wide, index }),
            Self::Word(index) => Some(Slot { class: Class::Narrow, index }),
            _ => None,
        }
    }
}
