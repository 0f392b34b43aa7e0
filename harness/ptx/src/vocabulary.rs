//! The words of PTX: opcodes, modifiers, scalar types, state spaces, special registers.

use crate::spelling::Spellings;

/// A word of one of the lists below.
pub trait Word: Copy {
    /// The first word of its list: it fills the unused places of a [`crate::checked::ShortList`].
    const FIRST: Self;
}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident: $($variant:ident = $text:literal,)+) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "each variant is the PTX word it is named after; see `text`")]
        pub enum $name { $($variant,)+ }

        impl $name {
            /// Every word with its spelling.
            pub const ALL: &'static [($name, &'static str)] = &[$(($name::$variant, $text),)+];

            /// The spelling in PTX, without the leading dot or percent sign.
            pub fn text(self) -> &'static str {
                Self::ALL[self as usize].1
            }

            /// The word with that spelling.
            pub fn from_text(text: &str) -> Option<Self> {
                // Built at compile time; a `match` on 200 strings would be 200 comparisons per word of the program.
                static SPELLINGS: Spellings<{ $name::ALL.len() }> = Spellings::new([$($text,)+]);
                SPELLINGS.find(text).map(|index| Self::ALL[index].0)
            }
        }

        impl Word for $name {
            const FIRST: Self = Self::ALL[0].0;
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.text()) }
        }
    };
}

words! {
    /// The opcode of an instruction. Every opcode of the PTX ISA up to 9.x is listed; an opcode without a form table in
    /// the checker is reported as "unsupported", never skipped.
    Opcode:
    Abs = "abs", Activemask = "activemask", Add = "add", Addc = "addc", Alloca = "alloca", And = "and",
    Applypriority = "applypriority", Atom = "atom", Bar = "bar", Barrier = "barrier", Bfe = "bfe", Bfi = "bfi",
    Bfind = "bfind", Bmsk = "bmsk", Bra = "bra", Brev = "brev", Brkpt = "brkpt", Brx = "brx", Call = "call",
    Clusterlaunchcontrol = "clusterlaunchcontrol", Clz = "clz", Cnot = "cnot", Copysign = "copysign", Cos = "cos", Cp = "cp", Createpolicy = "createpolicy",
    Cvt = "cvt", Cvta = "cvta", Discard = "discard", Div = "div", Dp2a = "dp2a", Dp4a = "dp4a",
    Elect = "elect", Ex2 = "ex2", Exit = "exit", Fence = "fence", Fma = "fma", Fns = "fns", Getctarank = "getctarank",
    Griddepcontrol = "griddepcontrol", Isspacep = "isspacep", Istypep = "istypep", Ld = "ld", Ldmatrix = "ldmatrix",
    Ldu = "ldu", Lg2 = "lg2", Lop3 = "lop3", Mad = "mad", Mad24 = "mad24", Madc = "madc", Mapa = "mapa",
    Match = "match", Max = "max", Mbarrier = "mbarrier", Membar = "membar", Min = "min", Mma = "mma", Mov = "mov",
    Movmatrix = "movmatrix", Mul = "mul", Mul24 = "mul24", Multimem = "multimem", Nanosleep = "nanosleep",
    Neg = "neg", Not = "not", Or = "or", Pmevent = "pmevent", Popc = "popc", Prefetch = "prefetch",
    Prefetchu = "prefetchu", Prmt = "prmt", Rcp = "rcp", Red = "red", Redux = "redux", Rem = "rem", Ret = "ret",
    Rsqrt = "rsqrt", Sad = "sad", Selp = "selp", Set = "set", Setmaxnreg = "setmaxnreg", Setp = "setp", Shf = "shf",
    Shfl = "shfl", Shl = "shl", Shr = "shr", Sin = "sin", Slct = "slct", Sqrt = "sqrt", St = "st",
    Stackrestore = "stackrestore", Stacksave = "stacksave", Stmatrix = "stmatrix", Sub = "sub", Subc = "subc",
    Suld = "suld", Suq = "suq", Sured = "sured", Sust = "sust", Szext = "szext", Tanh = "tanh", Tcgen05 = "tcgen05",
    Tensormap = "tensormap", Testp = "testp", Tex = "tex", Tld4 = "tld4", Trap = "trap", Txq = "txq",
    Vabsdiff = "vabsdiff", Vabsdiff2 = "vabsdiff2", Vabsdiff4 = "vabsdiff4", Vadd = "vadd", Vadd2 = "vadd2",
    Vadd4 = "vadd4", Vavrg2 = "vavrg2", Vavrg4 = "vavrg4", Vmad = "vmad", Vmax = "vmax", Vmax2 = "vmax2",
    Vmax4 = "vmax4", Vmin = "vmin", Vmin2 = "vmin2", Vmin4 = "vmin4", Vote = "vote", Vset = "vset", Vset2 = "vset2",
    Vset4 = "vset4", Vshl = "vshl", Vshr = "vshr", Vsub = "vsub", Vsub2 = "vsub2", Vsub4 = "vsub4",
    Wgmma = "wgmma", Wmma = "wmma", Xor = "xor",
}

impl Opcode {
    /// Whether it accesses a surface or queries its properties.
    pub fn is_surface(self) -> bool {
        matches!(self, Self::Suld | Self::Sust | Self::Sured | Self::Suq)
    }
}

words! {
    /// A scalar type.
    Type:
    B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64", B128 = "b128",
    U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64",
    S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64",
    F16 = "f16", F16x2 = "f16x2", Bf16 = "bf16", Bf16x2 = "bf16x2", Tf32 = "tf32", F32 = "f32", F64 = "f64",
    Pred = "pred",
    Texref = "texref", Samplerref = "samplerref", Surfref = "surfref",
    // Types of instructions alone: registers hold their values as bits.
    U16x2 = "u16x2", S16x2 = "s16x2", F32x2 = "f32x2",
    E4m3x2 = "e4m3x2", E5m2x2 = "e5m2x2", E2m3x2 = "e2m3x2", E3m2x2 = "e3m2x2", E2m1x2 = "e2m1x2", Ue8m0x2 = "ue8m0x2",
    E4m3x4 = "e4m3x4", E5m2x4 = "e5m2x4", E2m3x4 = "e2m3x4", E3m2x4 = "e3m2x4", E2m1x4 = "e2m1x4",
    // Of the elements that `cvt.pack` makes; nothing holds one of them alone.
    U4 = "u4", S4 = "s4", U2 = "u2", S2 = "s2",
}

impl Type {
    /// Size in bytes: 0 for a predicate; 8 for an opaque type, as for its handle.
    pub fn size(self) -> u32 {
        match self {
            Self::Pred => 0,
            Self::B8 | Self::U8 | Self::S8 | Self::E2m1x2 => 1,
            // Less than a byte, which no operand is.
            Self::U4 | Self::S4 | Self::U2 | Self::S2 => 1,
            Self::B16 | Self::U16 | Self::S16 | Self::F16 | Self::Bf16 => 2,
            Self::E4m3x2 | Self::E5m2x2 | Self::E2m3x2 | Self::E3m2x2 | Self::Ue8m0x2 | Self::E2m1x4 => 2,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 | Self::F16x2 | Self::Bf16x2 | Self::Tf32 => 4,
            Self::U16x2 | Self::S16x2 => 4,
            Self::E4m3x4 | Self::E5m2x4 | Self::E2m3x4 | Self::E3m2x4 => 4,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 | Self::F32x2 => 8,
            Self::Texref | Self::Samplerref | Self::Surfref => 8,
            Self::B128 => 16,
        }
    }

    /// Whether it is `.s8` … `.s64`.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(
            self,
            Self::F16 | Self::F16x2 | Self::Bf16 | Self::Bf16x2 | Self::Tf32 | Self::F32 | Self::F64
        ) || self.is_narrow_float()
            || self == Self::F32x2
    }

    /// Whether it is a tuple of floating-point numbers of 8 bits or fewer.
    fn is_narrow_float(self) -> bool {
        matches!(
            self,
            Self::E4m3x2 | Self::E5m2x2 | Self::E2m3x2 | Self::E3m2x2 | Self::E2m1x2 | Self::Ue8m0x2
        ) || matches!(self, Self::E4m3x4 | Self::E5m2x4 | Self::E2m3x4 | Self::E3m2x4 | Self::E2m1x4)
    }

    /// Whether instructions alone have it: no register or variable is declared with it, and registers of a bit-size type hold its
    /// values.
    pub fn is_of_instructions_alone(self) -> bool {
        matches!(self, Self::Bf16 | Self::Bf16x2 | Self::Tf32 | Self::U16x2 | Self::S16x2 | Self::F32x2)
            || matches!(self, Self::U4 | Self::S4 | Self::U2 | Self::S2)
            || self.is_narrow_float()
    }

    /// Whether it is `.b8` … `.b128`.
    pub fn is_bits(self) -> bool {
        matches!(self, Self::B8 | Self::B16 | Self::B32 | Self::B64 | Self::B128)
    }

    /// Whether it is `.texref`, `.samplerref` or `.surfref`.
    pub fn is_opaque(self) -> bool {
        matches!(self, Self::Texref | Self::Samplerref | Self::Surfref)
    }
}

words! {
    /// A state space.
    Space:
    Reg = "reg", Sreg = "sreg", Const = "const", Global = "global", Local = "local", Param = "param", Shared = "shared",
    Tex = "tex",
}

words! {
    /// A modifier of an instruction that is not a type and not a state space. (`.shared::cta` and other sub-qualified words
    /// are one modifier.) The same word can mean different things in different instructions: `.add`, `.cta`, `.b`.
    Modifier:
    // rounding
    Rn = "rn", Rz = "rz", Rm = "rm", Rp = "rp", Rna = "rna", Rs = "rs", Rni = "rni", Rzi = "rzi", Rmi = "rmi", Rpi = "rpi",
    // arithmetic
    Ftz = "ftz", Sat = "sat", Satfinite = "satfinite", Relu = "relu", Approx = "approx", Full = "full", Cc = "cc", Hi = "hi", Lo = "lo", Wide = "wide",
    Nan = "nan", NaN = "NaN", Po = "po", Shr7 = "shr7", Shr15 = "shr15", Xorsign = "xorsign", Abs = "abs", Noftz = "noftz", Oob = "oob", Pack = "pack",
    // comparison
    Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge", Ls = "ls", Hs = "hs",
    Equ = "equ", Neu = "neu", Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu", Num = "num",
    // boolean and atomic operations
    And = "and", Or = "or", Xor = "xor", Not = "not", Add = "add", Min = "min", Max = "max", Inc = "inc", Dec = "dec", Exch = "exch", Cas = "cas", Popc = "popc",
    // memory
    Ca = "ca", Cg = "cg", Cs = "cs", Cv = "cv", Lu = "lu", Wb = "wb", Wt = "wt", Ci = "ci", Nc = "nc", Volatile = "volatile", Weak = "weak", Relaxed = "relaxed",
    Acquire = "acquire", Release = "release", AcqRel = "acq_rel", Sc = "sc", Cta = "cta", Cluster = "cluster", Gpu = "gpu", Sys = "sys", Gl = "gl", Mmio = "mmio", Unified = "unified",
    To = "to", V2 = "v2", V4 = "v4", V8 = "v8", Async = "async", Bulk = "bulk", CompleteTx = "mbarrier::complete_tx::bytes", Commit = "commit_group", WaitGroup = "wait_group", WaitAll = "wait_all",
    L1EvictNormal = "L1::evict_normal", L1EvictUnchanged = "L1::evict_unchanged", L1EvictFirst = "L1::evict_first", L1EvictLast = "L1::evict_last", L1NoAllocate = "L1::no_allocate",
    L2EvictNormal = "L2::evict_normal", L2EvictFirst = "L2::evict_first", L2EvictLast = "L2::evict_last",
    L2CacheHint = "L2::cache_hint", L2Prefetch64 = "L2::64B", L2Prefetch128 = "L2::128B", L2Prefetch256 = "L2::256B", L1 = "L1", L2 = "L2",
    Proxy = "proxy", Alias = "alias", Tensormap = "tensormap", TensormapGeneric = "tensormap::generic", AsyncGeneric = "async::generic", MbarrierInit = "mbarrier_init",
    RestrictCta = "sync_restrict::shared::cta", RestrictCluster = "sync_restrict::shared::cluster",
    SharedCta = "shared::cta", SharedCluster = "shared::cluster", ParamEntry = "param::entry", ParamFunc = "param::func",
    // surfaces and textures
    B = "b", P = "p", D1 = "1d", D2 = "2d", D3 = "3d", D4 = "4d", D5 = "5d", D1Buffer = "1d_buffer", A1d = "a1d", A2d = "a2d", Cube = "cube", Acube = "acube", D2ms = "2dms", A2dms = "a2dms",
    Trap = "trap", Clamp = "clamp", Zero = "zero",
    Width = "width", Height = "height", Depth = "depth", ChannelDataType = "channel_data_type", ChannelOrder = "channel_order", ArraySize = "array_size", MemoryLayout = "memory_layout",
    NormalizedCoords = "normalized_coords", ForceUnnormalizedCoords = "force_unnormalized_coords", FilterMode = "filter_mode", AddrMode0 = "addr_mode_0", AddrMode1 = "addr_mode_1", AddrMode2 = "addr_mode_2",
    NumMipmapLevels = "num_mipmap_levels", NumSamples = "num_samples", Level = "level", Grad = "grad", Base = "base",
    Green = "g", Alpha = "a",
    // control, votes, shuffles, permutations
    TryCancel = "try_cancel", QueryCancel = "query_cancel", IsCanceled = "is_canceled", MulticastAll = "multicast::cluster::all",
    FirstCtaid = "get_first_ctaid", FirstCtaidX = "get_first_ctaid::x", FirstCtaidY = "get_first_ctaid::y", FirstCtaidZ = "get_first_ctaid::z",
    Mask = "mask", Wait = "wait", Uni = "uni", Idx = "idx", Sync = "sync", Arrive = "arrive", Red = "red", Aligned = "aligned", Warp = "warp",
    All = "all", Any = "any", Ballot = "ballot", Up = "up", Down = "down", Bfly = "bfly",
    F4e = "f4e", B4e = "b4e", Rc8 = "rc8", Ecl = "ecl", Ecr = "ecr", Rc16 = "rc16",
    Wrap = "wrap", Left = "l", Right = "r", Shiftamt = "shiftamt",
    // testp
    Finite = "finite", Infinite = "infinite", Number = "number", Notanumber = "notanumber", Normal = "normal", Subnormal = "subnormal",
}

impl Modifier {
    /// Whether it says which caches an access goes through: no program sees a difference.
    pub fn is_cache_operator(self) -> bool {
        matches!(self, Self::Ca | Self::Cg | Self::Cs | Self::Cv | Self::Lu | Self::Wb | Self::Wt | Self::Ci)
    }

    /// Whether it says what caches are to keep or to fetch: a hint, which no program sees.
    pub fn is_cache_hint(self) -> bool {
        matches!(
            self,
            Self::L1EvictNormal
                | Self::L1EvictUnchanged
                | Self::L1EvictFirst
                | Self::L1EvictLast
                | Self::L1NoAllocate
                | Self::L2EvictNormal
                | Self::L2EvictFirst
                | Self::L2EvictLast
                | Self::L2CacheHint
                | Self::L2Prefetch64
                | Self::L2Prefetch128
                | Self::L2Prefetch256
        )
    }

    /// Whether it says how long the second cache is to keep what is accessed.
    pub(crate) fn is_priority_in_l2(self) -> bool {
        matches!(self, Self::L2EvictNormal | Self::L2EvictFirst | Self::L2EvictLast)
    }
}

words! {
    /// A special register, without its percent sign and component.
    SpecialRegister:
    Tid = "tid", Ntid = "ntid", Ctaid = "ctaid", Nctaid = "nctaid", Laneid = "laneid", Warpid = "warpid", Nwarpid = "nwarpid",
    Smid = "smid", Nsmid = "nsmid", Gridid = "gridid", LanemaskEq = "lanemask_eq", LanemaskLe = "lanemask_le", LanemaskLt = "lanemask_lt",
    LanemaskGe = "lanemask_ge", LanemaskGt = "lanemask_gt", Clock = "clock", ClockHi = "clock_hi", Clock64 = "clock64",
    Globaltimer = "globaltimer", GlobaltimerLo = "globaltimer_lo", GlobaltimerHi = "globaltimer_hi",
    TotalSmemSize = "total_smem_size", DynamicSmemSize = "dynamic_smem_size",
}
