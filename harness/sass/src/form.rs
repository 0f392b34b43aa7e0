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
];
