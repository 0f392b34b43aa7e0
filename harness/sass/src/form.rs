//! The shape of an instruction form: the bits that select it, the fields in the other bits, and their spellings.
//!
//! Printing, encoding, decoding and assembling all read the rows in [`crate::table`]. A new instruction is a new row.

use crate::mnemonic::{Mnemonic, Traits};

/// The threads of a quad where all of them write their result.
pub const WHOLE_QUAD: i64 = 15;

/// One form: a mnemonic with the bits that select it and the fields of the rest.
#[derive(Debug)]
pub struct Form {
    /// The instruction it is a form of.
    pub mnemonic: Mnemonic,
    /// The traits of that instruction, which hold for every form.
    pub traits: Traits,
    /// Modifiers that help to select the form (`U` of `LDS.U`); printed before all others.
    pub fixed_modifiers: &'static [&'static str],
    /// The value of the selecting bits.
    pub bits: u64,
    /// Which bits select the form.
    pub mask: u64,
    /// Modifier fields, in the order they are written.
    pub modifiers: &'static [ModifierField],
    /// Operands, in the order they are written.
    pub operands: &'static [OperandField],
    /// The marks that the operands may have.
    pub marks: &'static [MarkField],
    /// Whether bits 19:16 are a guard; where they are not, they select the form.
    pub guarded: bool,
}

/// A bit that does something to an operand: negates a source, takes its upper half.
#[derive(Clone, Copy, Debug)]
pub struct MarkField {
    /// The operand, counted from 0 as written.
    pub operand: usize,
    /// The mark.
    pub mark: Mark,
    /// Position of the bit. One that selects the form is a mark that is always there.
    pub bit: u8,
}

/// A mark of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// `-R1`: the negative of a source.
    Negated,
    /// `|R1|`: the magnitude of a source; taken before it is negated.
    Absolute,
    /// `~R1`: all bits of a source inverted.
    Inverted,
    /// `R1.H1`: the upper 16 bits of a source; the lower ones, or all, without.
    UpperHalf,
    /// `R1.H0`: the lower 16 bits of a source; all bits count without it. With [`Mark::UpperHalf`] it means nothing.
    LowerHalf,
    /// `R1.B1`: bits 15:8 of a source; with [`Mark::ByteTwo`] bits 31:24, `R1.B3`.
    ByteOne,
    /// `R1.B2`: bits 23:16 of a source.
    ByteTwo,
    /// `R1.CC`: the condition codes are written beside the destination.
    ConditionCodes,
    /// `R1.F32`: a single in place of a pair of halves; with [`Mark::LowerTwice`] the upper half twice, `R1.H1_H1`.
    Single,
    /// `R1.H0_H0`: the lower of two halves twice.
    LowerTwice,
}

/// The marks of one operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks(u16);

impl Marks {
    /// None.
    pub const NONE: Marks = Marks(0);

    /// Whether a mark is among them.
    pub const fn has(self, mark: Mark) -> bool {
        self.0 >> (mark as u16) & 1 == 1
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, mark: Mark) -> Marks {
        Marks(self.0 | 1 << (mark as u16))
    }

    /// These and others.
    pub(crate) const fn and(self, others: Marks) -> Marks {
        Marks(self.0 | others.0)
    }

    /// Whether all of these are among others.
    pub(crate) const fn within(self, others: Marks) -> bool {
        self.0 & !others.0 == 0
    }
}

/// A field whose values are spelled as modifiers.
#[derive(Debug)]
pub struct ModifierField {
    /// Its role, for messages.
    pub role: &'static str,
    /// Position of its lowest bit.
    pub low: u8,
    /// Its number of bits.
    pub width: u8,
    /// The disassembler's spelling of each value, without the dot; empty where nothing is printed. `INVALID…` marks a value that
    /// has a spelling and no meaning.
    pub names: &'static [&'static str],
    /// Further spellings that an assembler accepts.
    pub aliases: &'static [(&'static str, u8)],
    /// The value meant when nothing is written; `None`: one must be written.
    pub default: Option<u8>,
}

/// The encoding of an operand in the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandField {
    /// A register number of eight bits; 255 is `RZ`.
    Register {
        /// Position of its lowest bit.
        low: u8,
        /// Its name in the instruction's page, for messages.
        role: &'static str,
    },
    /// A destination `Rd` in bits 7:0 that stands in the text only when it is not `RZ`.
    OptionalRd,
    /// `[Ra + offset]`: `Ra` in bits 15:8, a byte offset of which the low `dropped` bits are not stored; signed, and unsigned
    /// where there is no `Ra`.
    Address {
        /// Position of the lowest stored bit of the offset.
        low: u8,
        /// The number of stored bits of the offset.
        width: u8,
        /// The number of low bits of the offset that are not stored: 0, or 2 for offsets in words.
        dropped: u8,
    },
    /// `Rc` of a compare-and-swap that is not stored: the register after the operand `Rb` in bits 27:20; one further when the bit
    /// `wide` (64 bits wide) is set.
    AfterRb {
        /// Position of that bit.
        wide: u8,
    },
    /// A register operand that is `RZ` and is not stored.
    Rz,
    /// A special register in bits 27:20.
    SystemRegister,
    /// A signed number of 20 bits: bits 38:20, the sign in bit 56.
    Immediate20 {
        /// Whether it is printed as a signed number.
        signed: bool,
    },
    /// A number of 16 bits in bits 35:20, signed where bit 49 is set (a signed second source of `XMAD`, `VMNMX`).
    Immediate16,
    /// A floating-point number of which only the upper 20 bits are stored: bits 38:20, the sign in bit 56.
    Float20 {
        /// Whether it is a double; else it is a single.
        is_double: bool,
    },
    /// A single in bits 51:20.
    Float32,
    /// A half of which only the upper ten bits are stored: nine from `low` upward, and the sign.
    Half10 {
        /// Position of the lowest of the nine bits.
        low: u8,
        /// Position of the sign.
        sign: u8,
    },
    /// A half in 16 bits.
    Half16 {
        /// Position of its lowest bit.
        low: u8,
    },
    /// The destination once more, as the last source: no bits of its own.
    RdAgain,
    /// The signs of the summands of `FSWZADD` in each lane of a group of four: two bits a lane, the first lane's in bits 29:28. It is
    /// written from the last lane to the first, two letters a lane.
    Swizzle,
    /// `R2 -0x10`: a register in bits 15:8 that holds where control goes, and a signed offset in bytes in bits 43:20.
    Indirect,
    /// A number of 32 bits in bits 51:20.
    Immediate32 {
        /// Whether it is printed as a signed number.
        signed: bool,
    },
    /// An unsigned number.
    Unsigned {
        /// Position of its lowest bit.
        low: u8,
        /// The number of bits.
        width: u8,
    },
    /// An unsigned number of five bits that is written behind all others unless it is 0.
    ShiftCount {
        /// Position of its lowest bit.
        low: u8,
    },
    /// A number of 16 bits in bits 35:20, with a mark where it is negated: it is printed with a minus sign.
    Magnitude16,
    /// The condition codes, all at once: `CC`.
    ConditionCodes,
    /// The predicates, all at once: `PR`.
    AllPredicates,
    /// A word of a constant bank: the bank in bits 38:34, a signed offset in words in bits 33:20.
    Constant,
    /// Constant memory by register: the bank in bits 40:36, a signed offset in bytes in bits 35:20, `Ra` in bits 15:8.
    IndexedConstant,
    /// A predicate of three bits that is written.
    PredicateOut {
        /// Position of its lowest bit.
        low: u8,
    },
    /// The same, standing in the text only when it is not `PT`. Generic accesses read it.
    OptionalPredicate {
        /// Position of its lowest bit.
        low: u8,
    },
    /// A predicate that is read: three bits, and one above them that negates.
    PredicateIn {
        /// Position of its lowest bit.
        low: u8,
    },
    /// A test of the condition codes, of five bits, that stands in the text in front of all others unless it is `CC.T`, which
    /// always holds.
    Condition {
        /// Position of its lowest bit.
        low: u8,
    },
    /// An unsigned number that is written unless it is 0.
    OptionalNumber {
        /// Position of its lowest bit.
        low: u8,
        /// The number of bits.
        width: u8,
    },
    /// The threads of each quad that write their result, a bit each; written unless it is all four.
    QuadLanes {
        /// Position of its lowest bit.
        low: u8,
    },
    /// The constant that holds where control goes: the bank in bits 40:36, a signed offset in bytes in bits 35:20.
    ConstantTarget,
    /// An absolute branch target: 32 bits in bits 51:20.
    AbsoluteTarget,
    /// `R2 -0x10`: a register in bits 15:8 that holds where control goes, and a signed offset in bytes in bits 51:20.
    AbsoluteIndirect,
    /// The branch target: a signed offset in bytes from the word behind this one, in bits 43:20.
    Target,
    /// A scoreboard barrier, in bits 28:26: `SB0` to `SB5`.
    Scoreboard,
    /// Scoreboard barriers, a bit each in bits 5:0: `{3,0}`. Nothing stands in the text for none.
    Scoreboards,
    /// `[R4]`: the first of the registers with the coordinates of a surface, in bits 15:8.
    Coordinates,
    /// A source `Rb` in bits 27:20 that stands in the text only when it is not `RZ`.
    OptionalRb,
    /// A value that is written as a word, as the dimension of a texture is.
    Word {
        /// Position of its lowest bit.
        low: u8,
        /// The number of bits; 0 where the form has one value only.
        width: u8,
        /// The word of each value.
        names: &'static [&'static str],
    },
    /// The components that a scalar form gives, in bits 52:50: one or two of them where the first operand is `RZ`, else more.
    Components,
}

/// The components that go to one pair of registers.
pub const ONE_PAIR: &[&str] = &["R", "G", "B", "A", "RG", "RA", "GA", "BA"];
/// The components that go to two pairs of registers.
pub const TWO_PAIRS: &[&str] = &["RGB", "RGA", "RBA", "GBA", "RGBA", "INVALID5", "INVALID6", "INVALID7"];

/// The position of the guard predicate in every form: bits 19:16, where bit 19 negates.
pub const GUARD_LOW: u8 = 16;

/// The bits `low..low + width`.
pub(crate) const fn bits_of(low: u8, width: u8) -> u64 {
    ((1 << width) - 1) << low
}

impl OperandField {
    /// The bits of a half that it holds: all, or the upper ten.
    pub(crate) const fn bits_of_half(self) -> u16 {
        if matches!(self, OperandField::Half10 { .. }) { 0xffc0 } else { 0xffff }
    }

    /// The bits it occupies.
    pub(crate) const fn mask(self) -> u64 {
        match self {
            OperandField::Register { low, .. } => bits_of(low, 8),
            OperandField::Address { low, width, .. } => bits_of(8, 8) | bits_of(low, width),
            OperandField::OptionalRd => bits_of(0, 8),
            OperandField::AfterRb { .. }
            | OperandField::Rz
            | OperandField::RdAgain
            | OperandField::ConditionCodes
            | OperandField::AllPredicates => 0,
            OperandField::SystemRegister => bits_of(20, 8),
            OperandField::Immediate16 | OperandField::Magnitude16 => bits_of(20, 16),
            OperandField::Immediate20 { .. } => bits_of(20, 19) | bits_of(56, 1),
            OperandField::Float20 { .. } => bits_of(20, 19) | bits_of(56, 1),
            OperandField::Indirect => bits_of(8, 8) | bits_of(20, 24),
            OperandField::Immediate32 { .. } | OperandField::Float32 => bits_of(20, 32),
            OperandField::Half10 { low, sign } => bits_of(low, 9) | bits_of(sign, 1),
            OperandField::Half16 { low } => bits_of(low, 16),
            OperandField::Swizzle => bits_of(28, 8),
            OperandField::Unsigned { low, width } => bits_of(low, width),
            OperandField::ShiftCount { low } => bits_of(low, 5),
            OperandField::Constant => bits_of(20, 19),
            OperandField::IndexedConstant => bits_of(8, 8) | bits_of(20, 21),
            OperandField::PredicateOut { low } => bits_of(low, 3),
            OperandField::OptionalPredicate { low } => bits_of(low, 3),
            OperandField::PredicateIn { low } => bits_of(low, 4),
            OperandField::Target => bits_of(20, 24),
            OperandField::Condition { low } => bits_of(low, 5),
            OperandField::OptionalNumber { low, width } => bits_of(low, width),
            OperandField::QuadLanes { low } => bits_of(low, 4),
            OperandField::ConstantTarget => bits_of(20, 21),
            OperandField::AbsoluteTarget => bits_of(20, 32),
            OperandField::AbsoluteIndirect => bits_of(8, 8) | bits_of(20, 32),
            OperandField::Scoreboard => bits_of(26, 3),
            OperandField::Scoreboards => bits_of(0, 6),
            OperandField::Coordinates => bits_of(8, 8),
            OperandField::OptionalRb => bits_of(20, 8),
            OperandField::Word { low, width, .. } => bits_of(low, width),
            OperandField::Components => bits_of(50, 3),
        }
    }
}

/// Whether a spelling is one the disassembler has for what means nothing.
pub(crate) fn has_no_meaning(name: &str) -> bool {
    name.starts_with("INVALID") || name.starts_with("???")
}

impl ModifierField {
    /// Whether a value of the field has a spelling but no meaning.
    pub fn is_invalid(&self, value: u8) -> bool {
        has_no_meaning(self.names[usize::from(value)])
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
        !(self.mask | self.fields())
    }

    /// The bits of its fields, those of the guard among them.
    pub(crate) const fn fields(&self) -> u64 {
        let mut fields = if self.guarded { bits_of(GUARD_LOW, 4) } else { 0 };
        let mut index = 0;
        while index < self.modifiers.len() {
            fields |= bits_of(self.modifiers[index].low, self.modifiers[index].width);
            index += 1;
        }
        index = 0;
        while index < self.operands.len() {
            fields |= self.operands[index].mask();
            index += 1;
        }
        index = 0;
        while index < self.marks.len() {
            fields |= bits_of(self.marks[index].bit, 1);
            index += 1;
        }
        fields
    }

    /// Whether `Rc` is the register after `Rb`.
    pub(crate) fn has_pair(&self) -> bool {
        self.operands.iter().any(|field| matches!(field, OperandField::AfterRb { .. }))
    }

    /// The marks that an operand can have and those that it must have.
    pub(crate) fn marks_of(&self, operand: usize) -> (Marks, Marks) {
        let mut possible = Marks::NONE;
        let mut necessary = Marks::NONE;
        for field in self.marks.iter().filter(|field| field.operand == operand) {
            possible = possible.with(field.mark);
            if self.bits >> field.bit & 1 == 1 {
                necessary = necessary.with(field.mark);
            }
        }
        (possible, necessary)
    }
}
