//! Bit positions of the fields that many forms share: registers, constants, immediates, predicates.

use super::kind::{Kind, fixed};
use crate::form::{Form, MarkField, ModifierField, OperandField};
use crate::mnemonic::{Mnemonic, Subject};

pub(super) const RD: OperandField = OperandField::Register { low: 0, role: "Rd" };
pub(super) const RA: OperandField = OperandField::Register { low: 8, role: "Ra" };
pub(super) const RB: OperandField = OperandField::Register { low: 20, role: "Rb" };
pub(super) const RC: OperandField = OperandField::Register { low: 39, role: "Rc" };
/// `Rb` in the place of `Rc`, which is then a constant.
pub(super) const RB_HIGH: OperandField = OperandField::Register { low: 39, role: "Rb" };
pub(super) const IMMEDIATE: OperandField = OperandField::Immediate20 { signed: true };
pub(super) const SINGLE: OperandField = OperandField::Float20 { is_double: false };
pub(super) const DOUBLE: OperandField = OperandField::Float20 { is_double: true };
pub(super) const CONSTANT: OperandField = OperandField::Constant;
pub(super) const ADDRESS: OperandField = OperandField::Address { low: 20, width: 24, dropped: 0 };
/// The predicate that most instructions read.
pub(super) const PREDICATE: OperandField = OperandField::PredicateIn { low: 39 };

const SIZE_NAMES: &[&str] = &["U8", "S8", "U16", "S16", "", "64", "128", "INVALIDSIZE7"];
/// `.32` is the default and is not printed.
pub(super) const SIZE: ModifierField = ModifierField {
    role: "size",
    low: 48,
    width: 3,
    names: SIZE_NAMES,
    aliases: &[("32", 4)],
    default: Some(4),
};
pub(super) const STORE_CACHE: ModifierField = ModifierField {
    role: "cache operator",
    low: 44,
    width: 2,
    names: &["", "CG", "CS", "WT"],
    aliases: &[("WB", 0)],
    default: Some(0),
};

/// A modifier that is written or not: one bit.
pub(super) const fn flag(role: &'static str, low: u8, names: &'static [&'static str]) -> ModifierField {
    ModifierField { role, low, width: 1, names, aliases: &[], default: Some(0) }
}

/// One of some modifiers that has to be written.
pub(super) const fn choice(
    role: &'static str,
    low: u8,
    width: u8,
    names: &'static [&'static str],
) -> ModifierField {
    ModifierField { role, low, width, names, aliases: &[], default: None }
}

/// The carry of a longer number comes in.
pub(super) const fn extended(low: u8) -> ModifierField {
    flag("extension", low, &["", "X"])
}

/// Signedness where it is one bit and signed is what is meant when nothing is written.
pub(super) const SIGNED: ModifierField = ModifierField {
    role: "signedness",
    low: 48,
    width: 1,
    names: &["U32", ""],
    aliases: &[("S32", 1)],
    default: Some(1),
};

/// How a result that lies between two numbers is rounded: two bits; to the nearest when nothing is written.
pub(super) const fn rounding(low: u8) -> ModifierField {
    ModifierField {
        role: "rounding",
        low,
        width: 2,
        names: &["", "RM", "RP", "RZ"],
        aliases: &[("RN", 0)],
        default: Some(0),
    }
}

/// Whether true is 1.0 rather than all bits, where `FSET` and `DSET` say so.
pub(super) const AS_FLOAT_52: ModifierField = flag("kind of truth", 52, &["", "BF"]);

/// How a predicate is made of the comparison and the predicate that is read.
pub(super) const COMBINATION: ModifierField =
    choice("combination", 45, 2, &["AND", "OR", "XOR", "INVALIDBOP3"]);

/// A form of which every bit outside its fields is fixed. What the disassembler makes of other values of those bits belongs to
/// rows that are not here yet: such words are undecodable rather than misread.
pub(super) const fn exact(
    kind: Kind,
    bits: u64,
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
    marks: &'static [MarkField],
) -> Form {
    let form = Form {
        mnemonic: kind.mnemonic,
        traits: kind.traits,
        fixed_modifiers: &[],
        bits,
        mask: 0,
        modifiers,
        operands,
        marks,
        guarded: true,
    };
    let mut selecting = !form.fields();
    // A mark whose bit is set is one that is always there.
    let mut index = 0;
    while index < marks.len() {
        selecting |= bits & (1 << marks[index].bit);
        index += 1;
    }
    Form { mask: selecting, ..form }
}

/// What an array of forms holds before it is filled.
const NOTHING: Kind = fixed(Mnemonic::NOP, Subject::Control);

/// Forms of one instruction that differ in what one of their operands is: a register, a constant, a number. `tops` are bits 63:48.
pub(super) const fn alternatives<const N: usize>(
    kind: Kind,
    tops: [u64; N],
    modifiers: &'static [ModifierField],
    operands: [&'static [OperandField]; N],
    marks: &'static [MarkField],
) -> [Form; N] {
    let mut forms = [const { exact(NOTHING, 0, &[], &[], &[]) }; N];
    let mut index = 0;
    while index < N {
        forms[index] = exact(kind, tops[index] << 48, modifiers, operands[index], marks);
        index += 1;
    }
    forms
}

/// The marks of a form, as `operand: mark @ bit`.
macro_rules! marks {
    ($($operand:literal: $mark:ident @ $bit:literal),* $(,)?) => {
        &[$($crate::form::MarkField { operand: $operand, mark: $crate::form::Mark::$mark, bit: $bit }),*]
    };
}
pub(super) use marks;
