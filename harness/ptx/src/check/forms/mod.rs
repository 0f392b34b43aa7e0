//! Which forms of which instructions exist: one table per subject, in a notation close to the manual's own. The emulator decodes an
//! instruction in the part that has the subject's name.
//!
//! A [`Row`] says: opcode, words after it, operands, and the PTX version and target that introduced it.
//!
//! **Words**, separated by blanks and in the manual's order: `.a|b` is one of them, required; `?a|b` optional; `!a` required
//! and first even for the assembler, which takes all others in any order; `@set` inside stands for a list of `SETS`.
//!
//! **Operands**, where a number means "of the instruction's first, second … type" and a type's name means itself:
//!
//! | | |
//! |---|---|
//! | `=0` `0` | destination, source of exactly this size |
//! | `=~0` `~0` | the same, wider registers allowed (PTX ISA 9.4.1) |
//! | `%0` | as `~0`, special registers allowed too |
//! | `=v0` `v0` | as `=~0`, `~0`, and with `.v2`/`.v4` a vector |
//! | `=w` `w` | of twice the size of the first type |
//! | `!` | predicate source, `!p` allowed |
//! | `p|q` `=0|p` | predicate destination, with an optional second; destination with an optional predicate |
//! | `[]` `[s]` `[q]` `[t]` | address; surface and coordinates; surface or texture alone; texture and coordinates |
//! | `=s0` `s0` | data of surface instructions |
//! | `=t0` `more` | data of `tex` and `tld4`; a further operand of them that is legal and not run |
//! | `=m0` `m0` | operands of `mov` |
//! | `a` | register of address width, or variable |
//! | `o` | register that may hold a pointer to an opaque variable |
//! | `x` `n` | barrier: a `.u32` up to 15; a `.u32` that is a multiple of the warp size |
//! | `lut` | integer constant, by the text from 0 to 255 |
//! | `imm` `label` `targets` | integer constant, branch target, `.branchtargets` list |
//! | `?` before | optional |
//! | `unsupported` last, or alone | the form is legal, of these operands or of any; this project does not run it |

mod atomic;
mod comparison;
mod control;
mod conversion;
mod float;
mod integer;
mod logic;
mod memory;
pub(super) mod special;
mod surface;
mod texture;
mod warp;

use std::sync::LazyLock;

use crate::ast::WordKind;
use crate::checked::Subject;
use crate::vocabulary::{Opcode, Type};

/// Whose rules a row states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Text and assembler agree.
    Both,
    /// The text alone.
    Text,
    /// The assembler alone.
    Assembler,
}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    opcode: Opcode,
    words: &'static str,
    operands: &'static str,
    /// Ten times the major version plus the minor one.
    version: u32,
    target: u32,
    /// Where it ended: from this version on, not for this target and newer ones.
    until: Option<(u32, u32)>,
    by: By,
    /// Of a row that one of text and assembler alone has: why, as a sentence.
    why: &'static str,
}

/// A row that text and assembler agree on.
const fn row(opcode: Opcode, words: &'static str, operands: &'static str, version: u32, target: u32) -> Row {
    Row { opcode, words, operands, version, target, until: None, by: By::Both, why: "" }
}

impl Row {
    /// The same row, for the text alone, and why.
    const fn text_only(self, why: &'static str) -> Self {
        Row { by: By::Text, why, ..self }
    }

    /// The same row, ended from `version` on for `target` and newer ones.
    const fn until(self, version: u32, target: u32) -> Self {
        Row { until: Some((version, target)), ..self }
    }

    /// The same row, for the assembler alone, and what the text has to say.
    const fn assembler_only(self, why: &'static str) -> Self {
        Row { by: By::Assembler, why, ..self }
    }
}

/// Why a row is the assembler's alone where there is nothing more to say.
const UNLISTED: &str = "ptxas takes this form, which the text does not list";

/// A word that came later than the form it appears in, or needs a newer target.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordGate {
    opcode: Opcode,
    /// As in [`Row::words`], without prefix.
    words: &'static str,
    version: u32,
    target: u32,
    by: By,
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
    ("l2", "L2::64B|L2::128B|L2::256B"),
];

/// Words of the ISA that are in no vocabulary here: a form with one of them is legal somewhere, and not run.
pub(super) const UNMODELLED: &[&str] = &[
    "e4m3",
    "e5m2",
    "e4m3x2",
    "e5m2x2",
    "e2m1",
    "e2m1x2",
    "e2m3",
    "e3m2",
    "e2m3x2",
    "e3m2x2",
    "ue8m0",
    "ue8m0x2",
    "f32x2",
    "u16x2",
    "s16x2",
    "u8x4",
    "s8x4",
    "pack",
    "b1",
    "b4x16",
    "b6x16_p32",
    "b8x16",
    "v8",
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
    "proxy",
    "alias",
    "generic",
    "tensor",
    "tensormap",
    "mbarrier_init",
    "sync_restrict",
    "base_shift",
    "scaled",
    "unicast",
    "multicast",
    "exclusive",
    "samplepos",
    "unified",
    "L2::evict_last",
    "L2::evict_normal",
    "L2::evict_first",
    "L2::evict_unchanged",
    "b32x2",
];

/// A compiled [`Row`].
#[derive(Debug)]
pub(super) struct Form {
    pub(super) subject: Subject,
    pub(super) slots: Vec<Slot>,
    pub(super) operands: Vec<Pattern>,
    pub(super) unsupported: bool,
    pub(super) version: u32,
    pub(super) target: u32,
    pub(super) until: Option<(u32, u32)>,
    pub(super) by: By,
    pub(super) why: &'static str,
}

/// A place for a word.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) words: Vec<WordKind>,
    pub(super) optional: bool,
    pub(super) fixed: bool,
}

impl Slot {
    /// Whether it is a place for a type.
    pub(super) fn is_type(&self) -> bool {
        matches!(self.words.first(), Some(WordKind::Type(_)))
    }
}

/// Which type an operand has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeOf {
    /// The instruction's first, second … type.
    Index(usize),
    /// Twice the size of the first type.
    Wide,
    /// This one.
    Fixed(Type),
}

/// What an operand may be; see the module's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Destination,
    DestinationRelaxed,
    DestinationVector,
    Source,
    SourceRelaxed,
    SourceSpecial,
    SourceVector,
    Predicate,
    PredicatePair,
    DestinationPredicate,
    Address,
    Surface,
    Query,
    Texture,
    TextureDestination,
    TextureExtra,
    SurfaceDestination,
    SurfaceSource,
    MovDestination,
    MovSource,
    SourceAddress,
    SourcePointer,
    BarrierNumber,
    BarrierThreads,
    Immediate,
    /// `lut`
    Table,
    Label,
    Targets,
}

/// A place for an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) role: Role,
    pub(super) ty: TypeOf,
    pub(super) optional: bool,
}

/// A compiled [`WordGate`].
#[derive(Debug)]
pub(super) struct Gate {
    pub(super) words: Vec<WordKind>,
    pub(super) version: u32,
    pub(super) target: u32,
    pub(super) by: By,
}

/// What is known of an opcode.
#[derive(Debug, Default)]
pub(super) struct Family {
    pub(super) forms: Vec<Form>,
    pub(super) gates: Vec<Gate>,
}

/// The forms of an opcode; none if this project knows none.
pub(super) fn family(opcode: Opcode) -> &'static Family {
    static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(compile);
    &FAMILIES[opcode as usize]
}

fn compile() -> Vec<Family> {
    let mut families: Vec<Family> = Opcode::ALL.iter().map(|_| Family::default()).collect();
    let tables = [
        (Subject::Integer, integer::ROWS),
        (Subject::Logic, logic::ROWS),
        (Subject::Comparison, comparison::ROWS),
        (Subject::Float, float::ROWS),
        (Subject::Conversion, conversion::ROWS),
        (Subject::Memory, memory::ROWS),
        (Subject::Memory, atomic::ROWS),
        (Subject::Control, control::ROWS),
        (Subject::Warp, warp::ROWS),
        (Subject::Surface, surface::ROWS),
        (Subject::Texture, texture::ROWS),
    ];
    for (subject, rows) in tables {
        for row in rows {
            families[row.opcode as usize].forms.push(form(subject, row));
        }
    }
    for gate in [surface::GATES, texture::GATES, memory::GATES, atomic::GATES].into_iter().flatten() {
        families[gate.opcode as usize].gates.push(Gate {
            words: alternatives(gate.words),
            version: gate.version,
            target: gate.target,
            by: gate.by,
        });
    }
    families
}

fn form(subject: Subject, row: &Row) -> Form {
    let slots = row.words.split_whitespace().map(slot).collect();
    let (operands, unsupported) = match row.operands.strip_suffix("unsupported") {
        Some(operands) => (operands, true),
        None => (row.operands, false),
    };
    let operands = operands.split_whitespace().map(pattern).collect();
    Form {
        subject,
        slots,
        operands,
        unsupported,
        version: row.version,
        target: row.target,
        until: row.until,
        by: row.by,
        why: row.why,
    }
}

fn slot(notation: &str) -> Slot {
    let (prefix, words) = notation.split_at(1);
    Slot { words: alternatives(words), optional: prefix == "?", fixed: prefix == "!" }
}

fn alternatives(words: &str) -> Vec<WordKind> {
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
        "more" => Some(Role::TextureExtra),
        "a" => Some(Role::SourceAddress),
        "o" => Some(Role::SourcePointer),
        "x" => Some(Role::BarrierNumber),
        "n" => Some(Role::BarrierThreads),
        "imm" => Some(Role::Immediate),
        "lut" => Some(Role::Table),
        "label" => Some(Role::Label),
        "targets" => Some(Role::Targets),
        _ => None,
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
    let prefixes = [
        ("=~", Role::DestinationRelaxed),
        ("=v", Role::DestinationVector),
        ("=m", Role::MovDestination),
        ("~", Role::SourceRelaxed),
        ("%", Role::SourceSpecial),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Reading the tables panics where one is malformed.
    #[test]
    fn tables_compile() {
        let forms: usize = Opcode::ALL.iter().map(|(opcode, _)| family(*opcode).forms.len()).sum();
        assert!(forms > 150);
    }

    #[test]
    fn type_indices_exist() {
        for (opcode, name) in Opcode::ALL {
            for form in &family(*opcode).forms {
                let types = form.slots.iter().filter(|slot| slot.is_type() && !slot.optional).count();
                for pattern in &form.operands {
                    match pattern.ty {
                        TypeOf::Index(index) => assert!(index < types, "{name}: operand of type {index}"),
                        TypeOf::Wide => assert!(types > 0, "{name}"),
                        TypeOf::Fixed(_) => {}
                    }
                }
            }
        }
    }
}
