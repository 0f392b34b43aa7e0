//! The names of the instructions of sm_50, and the types of their properties that hold for every form. The properties of
//! each instruction are with its forms in [`crate::table`].

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

/// The subject of an instruction: the part of the emulator that decodes it, and of the translation to PTX that writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Functions of registers: moves, sums, products, shifts, logic, comparisons of integers.
    Arithmetic,
    /// Bit fields, counts, permutations, funnel shifts.
    Bits,
    /// Operations on predicates and on the condition codes.
    Predicates,
    /// Operations on parts of registers, with a second one on their result.
    Video,
    /// Functions of singles and doubles.
    Float,
    /// Functions of pairs of halves.
    Half,
    /// Conversions to and from floating-point numbers.
    Conversion,
    /// Loads and stores.
    Memory,
    /// Operations that read and write memory at once.
    Atomic,
    /// Operations among the lanes of a warp or the warps of a block.
    Warp,
    /// Registers that describe the thread, the launch and the processor.
    Special,
    /// Accesses to surfaces.
    Surface,
    /// Lookups in textures, and questions about textures and surfaces.
    Texture,
    /// Branches, the end, and instructions without effect.
    Control,
}

/// The time at which an instruction has read its sources and written its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// After a number of cycles that is the same for all instructions of this kind.
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
    /// The texels of a surface.
    Surface,
    /// The texels and the header of a texture.
    Texture,
}

/// The effect of an instruction on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It reads.
    Load,
    /// It writes; the operand that is called `Rd` is the stored value.
    Store,
    /// It reads and writes, and returns the value that it read.
    Atomic,
    /// It reads and writes, and returns nothing; the operand that is called `Rd` is a source.
    Reduction,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The effect.
    pub effect: Effect,
    /// The memory.
    pub space: Space,
}

impl Access {
    /// Whether the instruction has no result: its register operands are all sources.
    pub const fn is_store(self) -> bool {
        matches!(self.effect, Effect::Store | Effect::Reduction)
    }

    /// Whether it changes memory.
    pub const fn writes(self) -> bool {
        !matches!(self.effect, Effect::Load)
    }
}

/// The properties of an instruction that hold for every form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Its subject.
    pub subject: Subject,
    /// The time at which it is done.
    pub timing: Timing,
    /// The memory it accesses.
    pub access: Option<Access>,
    /// Whether its operands are doubles, which are pairs of registers.
    pub doubles: bool,
    /// Whether its sources can be kept for the next instruction: `.reuse`.
    pub keeps_sources: bool,
}

macro_rules! names {
    ($($name:ident,)+) => {
        /// The name of an instruction of sm_50. One that the table has no form of is known and unsupported.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each variant is the opcode that is spelled like it")]
        pub enum Mnemonic { $($name,)+ }

        impl Mnemonic {
            const ALL: &'static [(Mnemonic, &'static str)] = &[$((Mnemonic::$name, stringify!($name)),)+];
        }
    };
}

names! {
    ATOM, ATOMS, B2R, BAR, BFE, BFI, BPT, BRA, BRK, BRX, CAL, CCTL, CCTLL, CONT, CS2R, CSET, CSETP, DADD, DEPBAR, DFMA,
    DMNMX, DMUL, DSET, DSETP, EXIT, F2F, F2I, FADD, FADD32I, FCHK, FCMP, FFMA, FFMA32I, FLO, FMNMX, FMUL,
    FMUL32I, FSET, FSETP, FSWZADD, HADD2, HADD2_32I, HFMA2, HFMA2_32I, HMUL2, HMUL2_32I, HSET2, HSETP2, I2F, I2I, IADD, IADD3, IADD32I, ICMP, IDP, IMAD,
    IMAD32I, IMADSP, IMNMX, IMUL, IMUL32I, ISCADD, ISCADD32I, ISET, ISETP, JCAL, JMP, JMX, KIL, LD, LDC, LDG, LDL,
    LDS, LEA, LONGJMP, LOP, LOP3, LOP32I, MEMBAR, MOV, MOV32I, MUFU, NOP, P2R, PBK, PCNT, PEXIT, PLONGJMP, POPC,
    PRET, PRMT, PSET, PSETP, R2P, RED, RAM, RET, RRO, S2R, SAM, SEL, SHF, SHFL, SHL, SHR, SSY, ST, STG, STL, STS, SUATOM, SULD,
    SURED, SUST, SYNC, TEX, TEXS, TLD, TLD4, TLD4S, TLDS, TMML, TXD, TXQ, VABSDIFF, VABSDIFF4, VADD, VMAD, VMNMX, VOTE, VSET, VSHL, VSHR, XMAD,
}

/// The mnemonics by their names: a program names one for each of its instructions.
static BY_NAME: LazyLock<HashMap<&'static str, Mnemonic, RandomState>> =
    LazyLock::new(|| Mnemonic::ALL.iter().map(|(mnemonic, name)| (*name, *mnemonic)).collect());

impl Mnemonic {
    /// How many there are.
    pub(crate) const COUNT: usize = Mnemonic::ALL.len();

    /// The name as it is written.
    pub const fn text(self) -> &'static str {
        Mnemonic::ALL[self as usize].1
    }

    /// The instruction of that name.
    pub fn from_text(text: &str) -> Option<Mnemonic> {
        BY_NAME.get(text).copied()
    }
}

impl fmt::Display for Mnemonic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
