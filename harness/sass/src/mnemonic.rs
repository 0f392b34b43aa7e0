//! The instructions of sm_50 by name, one row each: what several places ask of an instruction, whatever its form.

use std::fmt;

/// What an instruction is about: the part of the emulator that decodes it, and of the translation to PTX that writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Functions of registers: moves, sums, products, shifts, logic, comparisons of integers.
    Arithmetic,
    /// Bit fields, counts, permutations, funnel shifts.
    Bits,
    /// Functions of singles and doubles.
    Float,
    /// Conversions to and from floating-point numbers.
    Conversion,
    /// Loads and stores.
    Memory,
    /// Operations that read and write memory at once.
    Atomic,
    /// What the lanes of a warp and the warps of a block do together.
    Warp,
    /// Branches, the end, and what does nothing.
    Control,
}

/// When an instruction has read its sources and written its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// After a number of cycles that is the same for all of this kind.
    Fixed,
    /// In a unit of its own, later than others: a barrier says when, or a stall of 13 cycles is enough.
    Slow,
    /// At no time that could be stated: only a barrier says when.
    Open,
}

/// A memory, as an instruction names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The thread's own.
    Local,
    /// The block's.
    Shared,
    /// The device's.
    Global,
    /// Any of the three, by its address.
    Generic,
    /// The constant banks.
    Constant,
}

/// What an instruction does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It reads.
    Load,
    /// It writes; the operand that is called `Rd` is what it writes.
    Store,
    /// It reads and writes, and returns what it read.
    Atomic,
    /// It reads and writes, and returns nothing; the operand that is called `Rd` is a source.
    Reduction,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// What is done.
    pub effect: Effect,
    /// To which memory.
    pub space: Space,
}

impl Access {
    /// Whether the instruction has no result: its register operands are all sources.
    pub const fn is_store(self) -> bool {
        matches!(self.effect, Effect::Store | Effect::Reduction)
    }

    /// Whether memory is changed.
    pub const fn writes(self) -> bool {
        !matches!(self.effect, Effect::Load)
    }
}

/// What is known of an instruction whatever its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// What it is about.
    pub subject: Subject,
    /// When it is done.
    pub timing: Timing,
    /// The memory it accesses.
    pub access: Option<Access>,
    /// Whether its operands are doubles, which are pairs of registers.
    pub doubles: bool,
    /// Whether its sources can be kept for the next instruction: `.reuse`.
    pub keeps_sources: bool,
}

const fn fixed(subject: Subject) -> Traits {
    Traits { subject, timing: Timing::Fixed, access: None, doubles: false, keeps_sources: true }
}

/// Those with units of their own get their sources by another way: nvdisasm shows no `.reuse` of them.
const fn slow(subject: Subject) -> Traits {
    Traits { timing: Timing::Slow, keeps_sources: false, ..fixed(subject) }
}

const fn open(subject: Subject) -> Traits {
    Traits { timing: Timing::Open, ..slow(subject) }
}

const fn access(subject: Subject, effect: Effect, space: Space) -> Traits {
    Traits { access: Some(Access { effect, space }), ..open(subject) }
}

const fn load(space: Space) -> Traits {
    access(Subject::Memory, Effect::Load, space)
}

const fn store(space: Space) -> Traits {
    access(Subject::Memory, Effect::Store, space)
}

/// On doubles.
const fn of_doubles(traits: Traits) -> Traits {
    Traits { doubles: true, ..traits }
}

/// Slow, and nvdisasm shows `.reuse` all the same.
const fn keeping_sources(traits: Traits) -> Traits {
    Traits { keeps_sources: true, ..traits }
}

macro_rules! mnemonics {
    ($($name:ident: $traits:expr;)+) => {
        /// The name of an instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each variant is the opcode that is spelled like it")]
        pub enum Mnemonic { $($name,)+ }

        impl Mnemonic {
            /// All of them, in the order in which messages list them.
            pub const ALL: &'static [Mnemonic] = &[$(Mnemonic::$name,)+];
            const NAMES: &'static [&'static str] = &[$(stringify!($name),)+];
            const TRAITS: &'static [Traits] = &[$($traits,)+];
        }
    };
}

mnemonics! {
    LDL: load(Space::Local);
    LDS: load(Space::Shared);
    STL: store(Space::Local);
    STS: store(Space::Shared);
    ATOMS: access(Subject::Atomic, Effect::Atomic, Space::Shared);
    LDG: load(Space::Global);
    STG: store(Space::Global);
    ATOM: access(Subject::Atomic, Effect::Atomic, Space::Global);
    RED: access(Subject::Atomic, Effect::Reduction, Space::Global);
    LD: load(Space::Generic);
    ST: store(Space::Generic);
    LDC: load(Space::Constant);
    S2R: open(Subject::Arithmetic);
    MOV: fixed(Subject::Arithmetic);
    MOV32I: fixed(Subject::Arithmetic);
    SEL: fixed(Subject::Arithmetic);
    IADD: fixed(Subject::Arithmetic);
    IADD32I: fixed(Subject::Arithmetic);
    IADD3: fixed(Subject::Arithmetic);
    ISCADD: fixed(Subject::Arithmetic);
    IMNMX: fixed(Subject::Arithmetic);
    XMAD: fixed(Subject::Arithmetic);
    LEA: fixed(Subject::Arithmetic);
    I2I: slow(Subject::Bits);
    SHL: fixed(Subject::Arithmetic);
    SHR: fixed(Subject::Arithmetic);
    BFE: fixed(Subject::Bits);
    POPC: slow(Subject::Bits);
    LOP: fixed(Subject::Arithmetic);
    LOP32I: fixed(Subject::Arithmetic);
    LOP3: fixed(Subject::Bits);
    PRMT: fixed(Subject::Bits);
    SHF: fixed(Subject::Bits);
    FLO: slow(Subject::Bits);
    BFI: fixed(Subject::Bits);
    ISETP: fixed(Subject::Arithmetic);
    ICMP: fixed(Subject::Arithmetic);
    PSETP: fixed(Subject::Arithmetic);
    ISET: fixed(Subject::Arithmetic);
    FADD32I: fixed(Subject::Float);
    FMUL32I: fixed(Subject::Float);
    MUFU: slow(Subject::Float);
    FADD: fixed(Subject::Float);
    FMUL: fixed(Subject::Float);
    FFMA: fixed(Subject::Float);
    FMNMX: fixed(Subject::Float);
    FSETP: fixed(Subject::Float);
    FCHK: fixed(Subject::Float);
    RRO: fixed(Subject::Float);
    DADD: keeping_sources(of_doubles(slow(Subject::Float)));
    DMUL: keeping_sources(of_doubles(slow(Subject::Float)));
    DFMA: keeping_sources(of_doubles(slow(Subject::Float)));
    DMNMX: of_doubles(slow(Subject::Float));
    DSETP: of_doubles(slow(Subject::Float));
    I2F: slow(Subject::Conversion);
    F2I: slow(Subject::Conversion);
    F2F: slow(Subject::Conversion);
    VOTE: fixed(Subject::Warp);
    SHFL: open(Subject::Warp);
    BAR: fixed(Subject::Warp);
    MEMBAR: fixed(Subject::Warp);
    DEPBAR: fixed(Subject::Control);
    BRA: fixed(Subject::Control);
    BRX: fixed(Subject::Control);
    SSY: fixed(Subject::Control);
    PBK: fixed(Subject::Control);
    PCNT: fixed(Subject::Control);
    PRET: fixed(Subject::Control);
    CAL: fixed(Subject::Control);
    SYNC: fixed(Subject::Control);
    BRK: fixed(Subject::Control);
    CONT: fixed(Subject::Control);
    RET: fixed(Subject::Control);
    EXIT: fixed(Subject::Control);
    NOP: fixed(Subject::Control);
}

/// Opcodes of sm_50 that compilers emit and that have no row yet.
const NOT_YET: &[&str] = &[
    "DSET", "FCMP", "FFMA32I", "FSET", "FSWZADD", "HADD2", "HFMA2", "HMUL2", "IDP", "IMAD", "IMADSP", "IMUL",
    "JCAL", "JMP", "JMX", "LONGJMP", "P2R", "PEXIT", "PLONGJMP", "R2P", "SULD", "SURED", "SUST", "TEX",
    "TEXS", "TLD", "TLD4", "TXQ", "VABSDIFF", "VADD", "VMAD", "VMNMX", "VSHL", "VSHR",
];

/// Whether an instruction of that name exists and has no row here. Its operands may be of kinds unknown here too.
pub(crate) fn has_no_row_yet(name: &str) -> bool {
    NOT_YET.contains(&name)
}

impl Mnemonic {
    /// The name as it is written.
    pub const fn text(self) -> &'static str {
        Mnemonic::NAMES[self as usize]
    }

    /// The instruction of that name.
    pub fn from_text(text: &str) -> Option<Mnemonic> {
        Mnemonic::ALL.iter().copied().find(|mnemonic| mnemonic.text() == text)
    }

    /// What is known of the instruction whatever its form.
    pub const fn traits(self) -> Traits {
        Mnemonic::TRAITS[self as usize]
    }
}

impl fmt::Display for Mnemonic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
