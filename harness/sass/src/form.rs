//! The instruction forms of sm_50 as data: which bits select a form, which fields the other bits are, and how each is spelled.
//!
//! Printing, encoding, decoding and assembling all read this one table. A new instruction is a new row.

/// One form: a mnemonic with the bits that select it and the fields of the rest.
#[derive(Debug)]
pub struct Form {
    /// The opcode as it is spelled, without modifiers.
    pub mnemonic: &'static str,
    /// Modifiers that are part of what selects the form (`U` of `LDS.U`); printed before all others.
    pub fixed_modifiers: &'static [&'static str],
    /// The value of the selecting bits.
    pub bits: u64,
    /// Which bits select the form.
    pub mask: u64,
    /// Modifier fields, in the order they are written.
    pub modifiers: &'static [ModifierField],
    /// Operands, in the order they are written.
    pub operands: &'static [OperandField],
}

/// A field whose values are spelled as modifiers.
#[derive(Debug)]
pub struct ModifierField {
    /// What it chooses, for messages.
    pub role: &'static str,
    /// Position of its lowest bit.
    pub low: u8,
    /// How many bits.
    pub width: u8,
    /// The disassembler's spelling of each value, without the dot; empty where nothing is printed. `INVALID…` marks a value that
    /// has a spelling and no meaning.
    pub names: &'static [&'static str],
    /// Further spellings that an assembler accepts.
    pub aliases: &'static [(&'static str, u8)],
    /// The value meant when nothing is written; `None`: one must be written.
    pub default: Option<u8>,
}

/// How an operand lies in the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandField {
    /// A register number of eight bits; 255 is `RZ`.
    Register {
        /// Position of its lowest bit.
        low: u8,
        /// Its name in the instruction's page, for messages.
        role: &'static str,
    },
    /// `[Ra + offset]`: `Ra` in bits 15:8, a 24-bit byte offset of which the low `dropped` bits are not stored.
    Address {
        /// Position of the lowest stored bit of the offset.
        low: u8,
        /// How many low bits of the offset are not stored: 0, or 2 for offsets in words.
        dropped: u8,
    },
    /// `Rc` of a compare-and-swap that is not stored: the register after the operand `Rb` in bits 27:20; one further when bit 52
    /// (64 bits wide) is set.
    AfterRb,
    /// A register operand that is `RZ` and is not stored.
    Rz,
    /// A register in bits 27:20 whose negative is taken.
    NegatedRegister,
    /// A special register in bits 27:20.
    SystemRegister,
    /// A signed number of 20 bits: bits 38:20, the sign in bit 56.
    Immediate20,
    /// A number of 32 bits in bits 51:20.
    Immediate32 {
        /// Whether it is printed as a signed number.
        signed: bool,
    },
    /// A number of four bits in bits 11:8.
    Barrier,
    /// A word of a constant bank: the bank in bits 38:34, a signed offset in words in bits 33:20.
    Constant,
    /// A predicate that is written, of three bits.
    PredicateOut {
        /// Position of its lowest bit.
        low: u8,
    },
    /// A predicate that is read: bits 41:39, bit 42 negates.
    PredicateIn,
}

/// Where the guard predicate lies in every form: bits 19:16, of which bit 19 negates.
pub const GUARD_LOW: u8 = 16;

/// The bits `low..low + width`.
pub(crate) const fn bits_of(low: u8, width: u8) -> u64 {
    ((1 << width) - 1) << low
}

impl OperandField {
    /// The bits it occupies.
    pub(crate) const fn mask(self) -> u64 {
        match self {
            OperandField::Register { low, .. } => bits_of(low, 8),
            OperandField::Address { low, dropped } => bits_of(8, 8) | bits_of(low, 24 - dropped),
            OperandField::AfterRb | OperandField::Rz => 0,
            OperandField::NegatedRegister | OperandField::SystemRegister => bits_of(20, 8),
            OperandField::Immediate20 => bits_of(20, 19) | bits_of(56, 1),
            OperandField::Immediate32 { .. } => bits_of(20, 32),
            OperandField::Barrier => bits_of(8, 4),
            OperandField::Constant => bits_of(20, 19),
            OperandField::PredicateOut { low } => bits_of(low, 3),
            OperandField::PredicateIn => bits_of(39, 4),
        }
    }
}

impl ModifierField {
    /// Whether a value of the field has a spelling but no meaning.
    pub(crate) fn is_invalid(&self, value: u8) -> bool {
        self.names[usize::from(value)].starts_with("INVALID")
    }

    /// The value that a written modifier (without its dot) means.
    pub(crate) fn value_of(&self, written: &str) -> Option<u8> {
        let named = self.names.iter().position(|name| *name == written && !name.is_empty());
        named
            .filter(|value| !self.is_invalid(*value as u8))
            .map(|value| value as u8)
            .or_else(|| self.aliases.iter().find(|(alias, _)| *alias == written).map(|(_, value)| *value))
    }
}

impl Form {
    /// The bits that neither select the form nor belong to a field: hardware and disassembler ignore them.
    pub fn ignored(&self) -> u64 {
        let mut known = self.mask | bits_of(GUARD_LOW, 4);
        for modifier in self.modifiers {
            known |= bits_of(modifier.low, modifier.width);
        }
        for operand in self.operands {
            known |= operand.mask();
        }
        !known
    }
}

/// The form that a word belongs to.
pub fn form_of(word: u64) -> Option<&'static Form> {
    FORMS.iter().find(|form| word & form.mask == form.bits)
}

const RD: OperandField = OperandField::Register { low: 0, role: "Rd" };
const RB: OperandField = OperandField::Register { low: 20, role: "Rb" };
/// `Rc` where it takes the place of `Rb`, which is then `RZ`.
const RC_ALONE: OperandField = OperandField::Register { low: 20, role: "Rc" };
const ADDRESS: OperandField = OperandField::Address { low: 20, dropped: 0 };
const WORD_ADDRESS: OperandField = OperandField::Address { low: 30, dropped: 2 };

const SIZE_NAMES: &[&str] = &["U8", "S8", "U16", "S16", "", "64", "128", "INVALIDSIZE7"];
/// `.32` is the default and is not printed.
const SIZE: ModifierField = ModifierField {
    role: "size",
    low: 48,
    width: 3,
    names: SIZE_NAMES,
    aliases: &[("32", 4)],
    default: Some(4),
};
/// `LDS.U` is the one place where `.32` is printed.
const SIZE_AFTER_U: ModifierField = ModifierField {
    names: &["U8", "S8", "U16", "S16", "32", "64", "128", "INVALIDSIZE7"],
    aliases: &[],
    ..SIZE
};
/// `.CS` has no encoding: "CS maps to .CA".
const LOAD_CACHE: ModifierField = ModifierField {
    role: "cache operator",
    low: 44,
    width: 2,
    names: &["", "LU", "CI", "CV"],
    aliases: &[("CA", 0), ("CS", 0)],
    default: Some(0),
};
const STORE_CACHE: ModifierField = ModifierField {
    role: "cache operator",
    low: 44,
    width: 2,
    names: &["", "CG", "CS", "WT"],
    aliases: &[("WB", 0)],
    default: Some(0),
};

const ATOMS_OPERATION: ModifierField = ModifierField {
    role: "operation",
    low: 52,
    width: 4,
    names: &[
        "ADD",
        "MIN",
        "MAX",
        "INC",
        "DEC",
        "AND",
        "OR",
        "XOR",
        "EXCH",
        "INVALIDATOMSOP9",
        "INVALIDATOMSOP10",
        "INVALIDATOMSOP11",
        "INVALIDATOMSOP12",
        "INVALIDATOMSOP13",
        "INVALIDATOMSOP14",
        "INVALIDATOMSOP15",
    ],
    aliases: &[],
    default: None,
};
/// The page knows no `.S64`; the encoding does.
const ATOMS_SIZE: ModifierField = ModifierField {
    role: "size",
    low: 28,
    width: 2,
    names: &["", "S32", "U64", "S64"],
    aliases: &[("U32", 0), ("32", 0), ("64", 2)],
    default: Some(0),
};
/// One bit: compare-and-swap needs no signedness.
const CAS_SIZE: ModifierField = ModifierField {
    role: "size",
    low: 52,
    width: 1,
    names: &["", "64"],
    aliases: &[("U32", 0), ("S32", 0), ("32", 0), ("U64", 1)],
    default: Some(0),
};

/// A compare-and-swap: `operation` is bits 55:53, `pair` bits 29:28.
const fn cas(
    fixed_modifiers: &'static [&'static str],
    operation: u64,
    pair: u64,
    operands: &'static [OperandField],
) -> Form {
    Form {
        mnemonic: "ATOMS",
        fixed_modifiers,
        bits: 0xee << 56 | operation << 53 | pair << 28,
        mask: bits_of(53, 11) | bits_of(28, 2),
        modifiers: &[CAS_SIZE],
        operands,
    }
}

/// A load or store of local or shared memory: bits 63:51 select it.
const fn window(
    mnemonic: &'static str,
    top: u64,
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
) -> Form {
    Form { mnemonic, fixed_modifiers: &[], bits: top << 48, mask: bits_of(51, 13), modifiers, operands }
}

const RA: OperandField = OperandField::Register { low: 8, role: "Ra" };

const SHIFT_WRAP: ModifierField = ModifierField {
    role: "treatment of large shifts",
    low: 39,
    width: 1,
    names: &["", "W"],
    aliases: &[],
    default: Some(0),
};
const LOGIC: ModifierField = ModifierField {
    role: "operation",
    low: 41,
    width: 2,
    names: &["AND", "OR", "XOR", "PASS_B"],
    aliases: &[],
    default: None,
};
const COMPARISON: ModifierField = ModifierField {
    role: "comparison",
    low: 49,
    width: 3,
    names: &["F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"],
    aliases: &[],
    default: None,
};
const SIGN: ModifierField = ModifierField {
    role: "signedness",
    low: 48,
    width: 1,
    names: &["U32", ""],
    aliases: &[("S32", 1)],
    default: Some(1),
};
const COMBINATION: ModifierField = ModifierField {
    role: "combination",
    low: 45,
    width: 2,
    names: &["AND", "OR", "XOR", "INVALIDBOP3"],
    aliases: &[],
    default: None,
};
const BARRIER_SCOPE: ModifierField = ModifierField {
    role: "scope",
    low: 8,
    width: 2,
    names: &["CTA", "GL", "SYS", "VC"],
    aliases: &[],
    default: None,
};
const GLOBAL_STORE_CACHE: ModifierField = ModifierField { low: 46, ..STORE_CACHE };
const GLOBAL_LOAD_CACHE: ModifierField =
    ModifierField { low: 46, names: &["", "CG", "CI", "CV"], aliases: &[("CA", 0)], ..LOAD_CACHE };
const GLOBAL_LOAD_SIZE: ModifierField =
    ModifierField { names: &["U8", "S8", "U16", "S16", "", "64", "128", "U.128"], ..SIZE };

/// A form of which every bit outside its fields is fixed. What the disassembler makes of other values of those bits belongs to
/// rows that are not here yet: such words are undecodable rather than misread.
const fn exact(
    mnemonic: &'static str,
    bits: u64,
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
) -> Form {
    let mut fields = bits_of(GUARD_LOW, 4);
    let mut index = 0;
    while index < modifiers.len() {
        fields |= bits_of(modifiers[index].low, modifiers[index].width);
        index += 1;
    }
    index = 0;
    while index < operands.len() {
        fields |= operands[index].mask();
        index += 1;
    }
    Form { mnemonic, fixed_modifiers: &[], bits, mask: !fields, modifiers, operands }
}

/// A load or store of global memory: `.E` (addresses of 64 bits) is bit 45; bit 44 is ignored.
const fn global(
    mnemonic: &'static str,
    bits: u64,
    fixed_modifiers: &'static [&'static str],
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
) -> Form {
    Form { mnemonic, fixed_modifiers, bits, mask: bits_of(51, 13) | bits_of(45, 1), modifiers, operands }
}

const IMMEDIATE: OperandField = OperandField::Immediate20;
const CONSTANT: OperandField = OperandField::Constant;
const PREDICATES: [OperandField; 2] =
    [OperandField::PredicateOut { low: 3 }, OperandField::PredicateOut { low: 0 }];

const PAIR: &[OperandField] = &[RD, WORD_ADDRESS, RB, OperandField::AfterRb];
const PAIR_RC_RZ: &[OperandField] = &[RD, WORD_ADDRESS, RB, OperandField::Rz];
const PAIR_RB_RZ: &[OperandField] = &[RD, WORD_ADDRESS, OperandField::Rz, RC_ALONE];

/// Every form, no two of which share a word.
pub static FORMS: &[Form] = &[
    window("LDL", 0xef40, &[LOAD_CACHE, SIZE], &[RD, ADDRESS]),
    Form { mask: bits_of(51, 13) | bits_of(44, 1), ..window("LDS", 0xef48, &[SIZE], &[RD, ADDRESS]) },
    Form {
        fixed_modifiers: &["U"],
        bits: 0xef48 << 48 | 1 << 44,
        mask: bits_of(51, 13) | bits_of(44, 1),
        ..window("LDS", 0xef48, &[SIZE_AFTER_U], &[RD, ADDRESS])
    },
    window("STL", 0xef50, &[STORE_CACHE, SIZE], &[ADDRESS, RD]),
    window("STS", 0xef58, &[SIZE], &[ADDRESS, RD]),
    Form {
        mnemonic: "ATOMS",
        fixed_modifiers: &[],
        bits: 0xec << 56,
        mask: bits_of(56, 8),
        modifiers: &[ATOMS_OPERATION, ATOMS_SIZE],
        operands: &[RD, WORD_ADDRESS, RB],
    },
    cas(&["CAST"], 0, 0, PAIR),
    cas(&["CAST"], 0, 1, PAIR_RC_RZ),
    cas(&["CAST"], 0, 2, PAIR_RB_RZ),
    cas(&["CAST", "SPIN"], 1, 0, PAIR),
    cas(&["CAST", "SPIN"], 1, 1, PAIR_RC_RZ),
    cas(&["CAST", "SPIN"], 1, 2, PAIR_RB_RZ),
    cas(&["CAS"], 2, 0, PAIR),
    cas(&["CAS"], 2, 1, PAIR_RC_RZ),
    cas(&["CAS"], 2, 2, PAIR_RB_RZ),
    global("LDG", 0xeed0 << 48, &[], &[GLOBAL_LOAD_CACHE, GLOBAL_LOAD_SIZE], &[RD, ADDRESS]),
    global("LDG", 0xeed0_2000 << 32, &["E"], &[GLOBAL_LOAD_CACHE, GLOBAL_LOAD_SIZE], &[RD, ADDRESS]),
    global("STG", 0xeed8 << 48, &[], &[GLOBAL_STORE_CACHE, SIZE], &[ADDRESS, RD]),
    global("STG", 0xeed8_2000 << 32, &["E"], &[GLOBAL_STORE_CACHE, SIZE], &[ADDRESS, RD]),
    exact("S2R", 0xf0c8 << 48, &[], &[RD, OperandField::SystemRegister]),
    exact("MOV", 0x5c98_0780 << 32, &[], &[RD, RB]),
    exact("MOV", 0x3898_0780 << 32, &[], &[RD, IMMEDIATE]),
    exact("MOV", 0x4c98_0780 << 32, &[], &[RD, CONSTANT]),
    exact("MOV32I", 0x0100_0000_0000_f000, &[], &[RD, OperandField::Immediate32 { signed: false }]),
    exact("IADD", 0x5c10 << 48, &[], &[RD, RA, RB]),
    exact("IADD", 0x5c11 << 48, &[], &[RD, RA, OperandField::NegatedRegister]),
    exact("IADD", 0x3810 << 48, &[], &[RD, RA, IMMEDIATE]),
    exact("IADD", 0x4c10 << 48, &[], &[RD, RA, CONSTANT]),
    exact("IADD32I", 0x1c00 << 48, &[], &[RD, RA, OperandField::Immediate32 { signed: true }]),
    exact("SHL", 0x5c48 << 48, &[SHIFT_WRAP], &[RD, RA, RB]),
    exact("SHL", 0x3848 << 48, &[SHIFT_WRAP], &[RD, RA, IMMEDIATE]),
    exact("SHL", 0x4c48 << 48, &[SHIFT_WRAP], &[RD, RA, CONSTANT]),
    exact("LOP", 0x5c47 << 48, &[LOGIC], &[RD, RA, RB]),
    exact("LOP", 0x3847 << 48, &[LOGIC], &[RD, RA, IMMEDIATE]),
    exact("LOP", 0x4c47 << 48, &[LOGIC], &[RD, RA, CONSTANT]),
    exact(
        "ISETP",
        0x5b60 << 48,
        &[COMPARISON, SIGN, COMBINATION],
        &[PREDICATES[0], PREDICATES[1], RA, RB, OperandField::PredicateIn],
    ),
    exact(
        "ISETP",
        0x3660 << 48,
        &[COMPARISON, SIGN, COMBINATION],
        &[PREDICATES[0], PREDICATES[1], RA, IMMEDIATE, OperandField::PredicateIn],
    ),
    exact(
        "ISETP",
        0x4b60 << 48,
        &[COMPARISON, SIGN, COMBINATION],
        &[PREDICATES[0], PREDICATES[1], RA, CONSTANT, OperandField::PredicateIn],
    ),
    Form { fixed_modifiers: &["SYNC"], ..exact("BAR", 0xf0a8_1b80 << 32, &[], &[OperandField::Barrier]) },
    exact("MEMBAR", 0xef98 << 48, &[BARRIER_SCOPE], &[]),
    exact("SYNC", 0xf0f8_0000_0000_000f, &[], &[]),
    exact("EXIT", 0xe300_0000_0000_000f, &[], &[]),
    exact("NOP", 0x50b0_0000_0000_0f00, &[], &[]),
];
