//! An instruction as assembler text has it, before a row of the table is found for it.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use warpdiff_ptx::source::Span;

use crate::form::{Marks, ONE_PAIR, OperandField, TWO_PAIRS, has_no_meaning};
use crate::instruction::{Guard, Register};
use crate::mnemonic::Mnemonic;
use crate::table::{FORMS, forms_of};

/// An instruction as it is written.
pub(crate) struct Written<'t> {
    /// Mnemonic and modifiers, with their dots.
    pub(crate) opcode: &'t str,
    /// Where that stands.
    pub(crate) span: Span,
    pub(crate) guard: Guard,
    pub(crate) operands: Vec<(WrittenOperand, Span)>,
}

/// An operand as it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenOperand {
    /// What it is.
    pub(crate) value: WrittenValue,
    /// What is done to it.
    pub(crate) marks: Marks,
    /// Whether its register is kept for the next instruction.
    pub(crate) reuse: bool,
}

/// The value of an operand: not yet known to fit a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WrittenValue {
    Register(Register),
    Address {
        base: Register,
        offset: i64,
    },
    System(u8),
    Immediate(i64),
    Float(f64),
    /// The bits of a number that is none.
    NaN(u64),
    Indirect {
        base: Register,
        offset: i64,
    },
    Constant {
        bank: i64,
        offset: i64,
    },
    IndexedConstant {
        bank: i64,
        base: Register,
        offset: i64,
    },
    Predicate {
        predicate: u8,
        negated: bool,
    },
    Target(i64),
    /// A test of the condition codes.
    Condition(u8),
    /// A target whose place is not known yet.
    Label,
    /// The address of a symbol, which a loader fills in.
    Symbol,
    Scoreboard(u8),
    Scoreboards(u8),
    ConditionCodes,
    AllPredicates,
    Swizzle(u8),
    Word(&'static str),
}

/// The words that stand for operands.
static WORDS: LazyLock<HashSet<&'static str, RandomState>> = LazyLock::new(|| {
    let fields = FORMS.iter().flat_map(|form| form.operands);
    let words = fields.flat_map(|field| match field {
        OperandField::Word { names, .. } => *names,
        _ => &[],
    });
    let components = ONE_PAIR.iter().chain(TWO_PAIRS);
    words.chain(components).filter(|name| !has_no_meaning(name)).copied().collect()
});

/// Whether words stand for operands of an instruction.
pub(crate) fn takes_words(mnemonic: Mnemonic) -> bool {
    let is_word =
        |field: &OperandField| matches!(field, OperandField::Word { .. } | OperandField::Components);
    forms_of(mnemonic).iter().any(|form| form.operands.iter().any(is_word))
}

/// The word that stands for an operand, if a text is one.
pub(crate) fn word(text: &str) -> Option<&'static str> {
    WORDS.get(text).copied()
}

/// How the operands of an opcode are written.
pub(crate) enum OperandKind {
    /// Where control goes, behind a test of the condition codes if there is one.
    Target,
    /// What holds where control goes, behind such a test.
    Indirect,
    /// Any number, with commas between them.
    Usual,
}

/// How the operands of an opcode are written.
pub(crate) fn operand_kind(opcode: &str) -> OperandKind {
    let mnemonic = opcode.split('.').next().and_then(Mnemonic::from_text);
    let form = mnemonic.and_then(|mnemonic| forms_of(mnemonic).first());
    match form.and_then(|form| form.operands.last()) {
        Some(OperandField::Target) => OperandKind::Target,
        Some(OperandField::Indirect | OperandField::AbsoluteIndirect) => OperandKind::Indirect,
        _ => OperandKind::Usual,
    }
}
