//! The notation of a row in a table of forms, and the form compiled from it.
//!
//! A [`Row`] gives the opcode, the words after it, the operands, and the PTX version and target that introduced the form.
//!
//! **Words** are separated by blanks, in the manual's order: `.a|b` is one required word, `?a|b` an optional one; `!a` is
//! required and stands at its place even for the assembler, which accepts all other words in any order; `@set` stands for a
//! list of `SETS`.
//!
//! **Operands**: a number means "of the instruction's first, second … type"; the name of a type means that type:
//!
//! | | |
//! |---|---|
//! | `=0` `0` | destination, source of exactly this size |
//! | `=~0` `~0` | the same, wider registers allowed (PTX ISA 9.4.1) |
//! | `%0` | as `~0`, special registers allowed too |
//! | `=v0` `v0` | as `=~0`, `~0`, and with `.v2`/`.v4` a vector |
//! | `=w` `w` | twice the size of the first type |
//! | `!` | predicate source, `!p` allowed |
//! | `p|q` `=0|p` | predicate destination, with an optional second; destination with an optional predicate |
//! | `=0&p` | destination and predicate, both required; the first may be `_` |
//! | `4x0` | a tuple of four sources |
//! | `bits` | a register of a bit-size type of 32 bits |
//! | `[]` `[s]` `[q]` `[t]` | address; surface and coordinates; surface or texture alone; texture and coordinates |
//! | `=s0` `s0` | data of surface instructions |
//! | `=t0` | data of `tex` and `tld4` |
//! | `lod` `grad` `off` `depth` | behind their address: a level, derivatives, offsets in texels, what depths are compared with |
//! | `=m0` `m0` | operands of `mov` |
//! | `=k0` `k0` | destination and source of video instructions: a byte or a half of the register may be named |
//! | `-0` `-k0` | the same and a source, with a minus sign allowed |
//! | `a` | register of address width, or variable |
//! | `o` | register that may hold a pointer to an opaque variable |
//! | `x` `n` | barrier: a `.u32` up to 15; a `.u32` that is a multiple of the warp size |
//! | `lut` `#128` | integer constant, by the specification from 0 to 255; the constant 128 |
//! | `imm` `label` `targets` | integer constant, branch target, `.branchtargets` list |
//! | `?` before | optional |
//! | `unsupported` last | the form is legal with these operands, alone: with none; this project does not run it |

use crate::ast::WordKind;
use crate::checked::Subject;
use crate::vocabulary::{Opcode, Type};
use crate::word_kind::WordSet;

/// The authority that accepts a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum By {
    /// Specification and assembler agree.
    Both,
    /// The specification alone.
    Text,
    /// The assembler alone.
    Assembler,
}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Row {
    pub(super) opcode: Opcode,
    pub(super) words: &'static str,
    pub(super) operands: &'static str,
    /// Ten times the major version plus the minor one.
    pub(super) version: u32,
    pub(super) target: u32,
    /// End of support: version and target from which on the form is illegal.
    pub(super) until: Option<(u32, u32)>,
    /// The targets that have the form, by number and letter, where a newer one need not have it: `100a 103a`. Empty: all from `target` on.
    pub(super) only: &'static str,
    pub(super) by: By,
    /// For a row that only one authority accepts: the reason, as a sentence.
    pub(super) why: &'static str,
}

/// A row that specification and assembler agree on.
pub(super) const fn row(
    opcode: Opcode,
    words: &'static str,
    operands: &'static str,
    version: u32,
    target: u32,
) -> Row {
    Row { opcode, words, operands, version, target, until: None, only: "", by: By::Both, why: "" }
}

impl Row {
    /// The same row, for the specification alone, with the reason.
    pub(super) const fn text_only(self, why: &'static str) -> Self {
        Row { by: By::Text, why, ..self }
    }

    /// The same row, illegal from `version` on for `target` and newer ones.
    pub(super) const fn until(self, version: u32, target: u32) -> Self {
        Row { until: Some((version, target)), ..self }
    }

    /// The same row, for the named targets alone: those with a letter behind their number.
    pub(super) const fn only_on(self, only: &'static str) -> Self {
        Row { only, ..self }
    }

    /// The same row, for the assembler alone, with the position of the specification.
    pub(super) const fn assembler_only(self, why: &'static str) -> Self {
        Row { by: By::Assembler, why, ..self }
    }
}

/// The reason of a row for the assembler alone that needs no further explanation.
pub(super) const UNLISTED: &str = "ptxas takes this form, which the text does not list";

/// A word introduced later than its form, or one that needs a newer target.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct WordGate {
    pub(super) opcode: Opcode,
    /// As in [`Row::words`], without prefix.
    pub(super) words: &'static str,
    pub(super) version: u32,
    pub(super) target: u32,
    pub(super) by: By,
}

/// Names for lists of words used in many rows.
const SETS: &[(&str, &str)] = &[
    ("i", "u16|u32|u64|s16|s32|s64"),
    ("i8", "u8|u16|u32|u64|s8|s16|s32|s64"),
    ("rnd", "rn|rz|rm|rp"),
    ("irnd", "rni|rzi|rmi|rpi"),
    ("cmp", "eq|ne|lt|le|gt|ge"),
    ("cmpu", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"),
    ("cmpf", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
    ("bool", "and|or|xor"),
    ("scope", "cta|cluster|gpu|sys"),
    ("mem", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"),
    ("evict", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"),
    ("evict2", "L2::evict_normal|L2::evict_first|L2::evict_last"),
    ("l2", "L2::64B|L2::128B|L2::256B"),
];

/// ISA words outside the vocabulary of this project: a form with one of them may be legal, but is not run.
pub(in crate::check) const UNMODELLED: &[&str] = &[
    "e4m3",
    "e5m2",
    "e2m1",
    "e2m3",
    "e3m2",
    "ue8m0",
    "u8x4",
    "s8x4",
    "b1",
    "b4x16",
    "b6x16_p32",
    "b8x16",
    "row",
    "col",
    "trans",
    "expect_tx",
    "init",
    "inval",
    "test_wait",
    "try_wait",
    "complete_tx",
    "noinc",
    "tensor",
    "base_shift",
    "scaled",
    "unicast",
    "multicast",
    "exclusive",
    "samplepos",
    "b32x2",
];

/// A row of a table of forms: the words behind an opcode, and the operands.
#[derive(Debug)]
pub struct Form {
    /// The subject of the table.
    pub subject: Subject,
    /// The positions of words, in the manual's order.
    pub slots: Vec<Slot>,
    /// The words of all slots.
    pub(in crate::check) words: WordSet,
    /// The positions of operands.
    pub operands: Vec<Pattern>,
    /// How many of the operands are not optional.
    pub(in crate::check) required: usize,
    pub(in crate::check) unsupported: bool,
    /// The PTX version that introduced it: ten times the major one plus the minor one.
    pub version: u32,
    /// The number of the first target that has it.
    pub target: u32,
    pub(in crate::check) until: Option<(u32, u32)>,
    pub(in crate::check) only: &'static str,
    pub(in crate::check) by: By,
    pub(in crate::check) why: &'static str,
}

impl Form {
    /// Whether this project runs it, and NVIDIA's assembler takes it for every target from the first on.
    pub(super) fn runs_everywhere(&self) -> bool {
        self.by != By::Text && !self.unsupported && self.until.is_none() && self.only.is_empty()
    }

    /// Whether it takes so many operands.
    pub(in crate::check) fn takes(&self, operands: usize) -> bool {
        (self.required..=self.operands.len()).contains(&operands)
    }
}

/// A position for a word.
#[derive(Debug)]
pub struct Slot {
    /// In the order in which a message lists them.
    pub words: Vec<WordKind>,
    /// The same words.
    pub(in crate::check) set: WordSet,
    /// Whether it may be left out.
    pub optional: bool,
    pub(in crate::check) fixed: bool,
}

impl Slot {
    /// Whether it is a position for a type.
    pub fn is_type(&self) -> bool {
        matches!(self.words.first(), Some(WordKind::Type(_)))
    }
}

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeOf {
    /// The instruction's first, second … type.
    Index(usize),
    /// Twice the size of the first type.
    Wide,
    /// A fixed type.
    Fixed(Type),
}

/// The role of an operand; see the module's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `=0`
    Destination,
    /// `=~0`
    DestinationRelaxed,
    /// `=v0`
    DestinationVector,
    /// `0`
    Source,
    /// `~0`
    SourceRelaxed,
    /// `%0`
    SourceSpecial,
    /// `v0`
    SourceVector,
    /// `!`
    Predicate,
    /// `p|q`
    PredicatePair,
    /// `=0|p`
    DestinationPredicate,
    /// `=0&p`
    DestinationAndPredicate,
    /// `4x0`
    SourceFour,
    /// `bits`
    SourceBits,
    /// `[]`
    Address,
    /// `[s]`
    Surface,
    /// `[q]`
    Query,
    /// `[t]`
    Texture,
    /// `=t0`
    TextureDestination,
    /// `lod`
    TextureLevel,
    /// `grad`
    TextureGradient,
    /// `off`
    TextureOffset,
    /// `depth`
    TextureDepth,
    /// `=s0`
    SurfaceDestination,
    /// `s0`
    SurfaceSource,
    /// `=m0`
    MovDestination,
    /// `m0`
    MovSource,
    /// `=k0`
    PartDestination,
    /// `k0`
    PartSource,
    /// `-k0`
    SignedPartSource,
    /// `-0`
    SignedSource,
    /// `a`
    SourceAddress,
    /// `o`
    SourcePointer,
    /// `x`
    BarrierNumber,
    /// `n`
    BarrierThreads,
    /// `imm`
    Immediate,
    /// `lut`
    Table,
    /// `#128`: the constant of that value.
    Exactly(u64),
    /// `label`
    Label,
    /// `targets`
    Targets,
}

/// A position for an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// What stands there.
    pub role: Role,
    /// Of which type.
    pub ty: TypeOf,
    /// Whether it may be left out.
    pub optional: bool,
}

/// A compiled [`WordGate`].
#[derive(Debug)]
pub(in crate::check) struct Gate {
    pub(in crate::check) words: WordSet,
    pub(in crate::check) version: u32,
    pub(in crate::check) target: u32,
    pub(in crate::check) by: By,
}

pub(super) fn form(subject: Subject, row: &Row) -> Form {
    let slots: Vec<Slot> = row.words.split_whitespace().map(slot).collect();
    let (operands, unsupported) = match row.operands.strip_suffix("unsupported") {
        Some(operands) => (operands, true),
        None => (row.operands, false),
    };
    let operands: Vec<Pattern> = operands.split_whitespace().map(pattern).collect();
    Form {
        subject,
        words: slots.iter().flat_map(|slot| slot.words.iter().copied()).collect(),
        slots,
        required: operands.iter().filter(|pattern| !pattern.optional).count(),
        operands,
        unsupported,
        version: row.version,
        target: row.target,
        until: row.until,
        only: row.only,
        by: row.by,
        why: row.why,
    }
}

fn slot(notation: &str) -> Slot {
    let (prefix, words) = notation.split_at(1);
    let words = alternatives(words);
    let set = words.iter().copied().collect();
    Slot { words, set, optional: prefix == "?", fixed: prefix == "!" }
}

pub(super) fn alternatives(words: &str) -> Vec<WordKind> {
    let mut list = Vec::new();
    for word in words.split('|') {
        if let Some(set) = word.strip_prefix('@') {
            let (_, words) =
                SETS.iter().find(|(name, _)| *name == set).expect("a set of the table is defined");
            list.extend(alternatives(words));
        } else {
            let kind = WordKind::from_text(word);
            assert!(kind != WordKind::Other, "`{word}` of a form table is in the vocabulary");
            list.push(kind);
        }
    }
    list
}

fn pattern(notation: &str) -> Pattern {
    let (notation, optional) = match notation.strip_prefix('?') {
        Some(rest) => (rest, true),
        None => (notation, false),
    };
    let whole = match notation {
        "!" => Some(Role::Predicate),
        "p|q" => Some(Role::PredicatePair),
        "[]" => Some(Role::Address),
        "[s]" => Some(Role::Surface),
        "[q]" => Some(Role::Query),
        "[t]" => Some(Role::Texture),
        "lod" => Some(Role::TextureLevel),
        "grad" => Some(Role::TextureGradient),
        "off" => Some(Role::TextureOffset),
        "depth" => Some(Role::TextureDepth),
        "a" => Some(Role::SourceAddress),
        "o" => Some(Role::SourcePointer),
        "x" => Some(Role::BarrierNumber),
        "n" => Some(Role::BarrierThreads),
        "imm" => Some(Role::Immediate),
        "lut" => Some(Role::Table),
        "bits" => Some(Role::SourceBits),
        "label" => Some(Role::Label),
        "targets" => Some(Role::Targets),
        _ => notation.strip_prefix('#').map(|value| Role::Exactly(value.parse().expect("a number"))),
    };
    if let Some(role) = whole {
        return Pattern { role, ty: TypeOf::Fixed(Type::Pred), optional };
    }
    let (role, ty) = typed(notation);
    let ty = match ty {
        "w" => TypeOf::Wide,
        _ => match ty.parse() {
            Ok(index) => TypeOf::Index(index),
            Err(_) => TypeOf::Fixed(Type::from_text(ty).expect("an operand of a form table has a type")),
        },
    };
    Pattern { role, ty, optional }
}

fn typed(notation: &str) -> (Role, &str) {
    if let Some(ty) = notation.strip_suffix("|p") {
        return (Role::DestinationPredicate, ty.strip_prefix('=').unwrap_or(ty));
    }
    if let Some(ty) = notation.strip_suffix("&p") {
        return (Role::DestinationAndPredicate, ty.strip_prefix('=').unwrap_or(ty));
    }
    let prefixes = [
        ("4x", Role::SourceFour),
        ("=~", Role::DestinationRelaxed),
        ("=v", Role::DestinationVector),
        ("=m", Role::MovDestination),
        ("~", Role::SourceRelaxed),
        ("%", Role::SourceSpecial),
        ("=k", Role::PartDestination),
        ("k", Role::PartSource),
        ("-k", Role::SignedPartSource),
        ("-", Role::SignedSource),
        ("v", Role::SourceVector),
        ("m", Role::MovSource),
    ];
    for (prefix, role) in prefixes {
        if let Some(ty) = notation.strip_prefix(prefix) {
            return (role, ty);
        }
    }
    // `s0` is surface data and `s32` a type: surface data is always of the first type.
    match notation {
        "=s0" => (Role::SurfaceDestination, "0"),
        "=t0" => (Role::TextureDestination, "0"),
        "s0" => (Role::SurfaceSource, "0"),
        _ => match notation.strip_prefix('=') {
            Some(ty) => (Role::Destination, ty),
            None => (Role::Source, notation),
        },
    }
}
