//! Finds the row of the table for a written instruction, by its modifiers and operands, and the values of its fields.

use std::collections::HashSet;
use std::sync::LazyLock;

use warpdiff_ptx::source::{Diagnostic, Span};

use crate::condition_code;
use crate::float_text::Float;
use crate::form::{Form, Mark, Marks, ModifierField, ONE_PAIR, OperandField, TWO_PAIRS, has_no_meaning};
use crate::instruction::{Guard, Instruction, Operand, Register};
use crate::lexer::error;
use crate::mnemonic::{Mnemonic, Subject};
use crate::reuse::PHASES;
use crate::table::FORMS;
use crate::word::register_after;

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
    Scoreboard(u8),
    Scoreboards(u8),
    ConditionCodes,
    AllPredicates,
    Swizzle(u8),
    Word(&'static str),
}

/// The words that stand for operands.
static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
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
    let mut forms = FORMS.iter().filter(|form| form.mnemonic == mnemonic);
    let is_word =
        |field: &OperandField| matches!(field, OperandField::Word { .. } | OperandField::Components);
    forms.any(|form| form.operands.iter().any(is_word))
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
    let form = FORMS.iter().find(|form| mnemonic == Some(form.mnemonic));
    match form.and_then(|form| form.operands.last()) {
        Some(OperandField::Target) => OperandKind::Target,
        Some(OperandField::Indirect | OperandField::AbsoluteIndirect) => OperandKind::Indirect,
        _ => OperandKind::Usual,
    }
}

/// The instruction that is meant and the operands it keeps for the next one, or why there is none.
pub(crate) fn assemble(
    written: &Written<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Instruction, u8)> {
    let mut parts = parts(written);
    let (name, mnemonic_span) = parts.remove(0);
    let Some(mnemonic) = Mnemonic::from_text(name) else {
        diagnostics.push(error(mnemonic_span, format!("unknown opcode `{name}`"), Some(&mnemonics())));
        return None;
    };
    let phase = phase(mnemonic, &mut parts);
    let named: Vec<&'static Form> = FORMS.iter().copied().filter(|form| form.mnemonic == mnemonic).collect();
    let has_fixed = |form: &&Form| without_fixed(form, &parts).is_some();
    // `CAST.SPIN` before `CAST`, `LDS.U` before `LDS`.
    let fixed =
        named.iter().copied().filter(has_fixed).map(|form| form.fixed_modifiers.len()).max().unwrap_or(0);
    let candidates: Vec<&'static Form> =
        named.into_iter().filter(has_fixed).filter(|form| form.fixed_modifiers.len() == fixed).collect();
    let Some(first) = candidates.first() else {
        diagnostics.push(lacks_modifier(mnemonic, mnemonic_span));
        return None;
    };
    let rest = |form: &Form| without_fixed(form, &parts).unwrap_or_default();
    let before = diagnostics.len();
    // The modifiers depend on the form, and the form on the operands.
    let fitting = candidates.iter().filter_map(|form| {
        let mut wrong = Vec::new();
        let modifiers = modifiers(form, mnemonic_span, &rest(form), &mut wrong);
        let fitted = fit(form, &written.operands, modifiers.as_deref().unwrap_or(&[]))?;
        Some((*form, modifiers, fitted, wrong))
    });
    // One whose modifiers are right, or else the first.
    let mut found = None;
    for candidate in fitting {
        let is_right = candidate.3.is_empty();
        if is_right || found.is_none() {
            found = Some(candidate);
        }
        if is_right {
            break;
        }
    }
    let Some((form, modifiers, Fitted { operands, marks, places }, wrong)) = found else {
        let modifiers = modifiers(first, mnemonic_span, &rest(first), diagnostics);
        if let Some(modifiers) = modifiers {
            explain(first, written, is_wide_pair(first, &modifiers), diagnostics);
        }
        return None;
    };
    diagnostics.extend(wrong);
    for (index, place) in places.iter().enumerate() {
        if let Some((operand, span)) = place.map(|place| written.operands[place]) {
            check_address(operand.value, form.operands[index], span, diagnostics);
            check_number(operand.value, form.operands[index], span, diagnostics);
            if operand.reuse && form.reuse_slot(index).is_none() {
                diagnostics.push(error(span, "this operand cannot be kept for reuse", None));
            }
        }
    }
    if !form.guarded && written.guard != Guard::ALWAYS {
        diagnostics.push(error(mnemonic_span, format!("`{mnemonic}` takes no guard"), None));
    }
    let reuse =
        places.iter().enumerate().filter(|(_, place)| place.is_some_and(|at| written.operands[at].0.reuse));
    let reuse =
        reuse.filter_map(|(index, _)| form.reuse_slot(index)).fold(phase, |set, slot| set | 1 << slot);
    let modifiers = modifiers?;
    let instruction = Instruction { form, guard: written.guard, modifiers, operands, marks, ignored: 0 };
    (diagnostics.len() == before).then_some((instruction, reuse))
}

/// Takes the phase of a texture lookup away from its modifiers: bits of the control field.
fn phase(mnemonic: Mnemonic, parts: &mut Vec<(&str, Span)>) -> u8 {
    if !mnemonic.traits().is_some_and(|traits| traits.subject == Subject::Texture) {
        return 0;
    }
    let of = |part: &str| PHASES.iter().position(|phase| *phase == part && !phase.is_empty());
    let Some(phase) = parts.last().and_then(|(part, _)| of(part)) else { return 0 };
    parts.pop();
    phase as u8
}

/// What is left of some modifiers without those that select the form, wherever these stand; `None` where one is missing.
fn without_fixed<'t>(form: &Form, parts: &[(&'t str, Span)]) -> Option<Vec<(&'t str, Span)>> {
    let mut rest = parts.to_vec();
    for fixed in form.fixed_modifiers {
        rest.remove(rest.iter().position(|part| part.0 == *fixed)?);
    }
    Some(rest)
}

/// `RED` without its `.E`: all its forms have modifiers that select them.
fn lacks_modifier(mnemonic: Mnemonic, span: Span) -> Diagnostic {
    let forms = FORMS.iter().filter(|form| form.mnemonic == mnemonic);
    let mut expected: Vec<String> = forms.map(|form| format!("`{}`", opcode(form))).collect();
    expected.dedup();
    error(span, format!("`{mnemonic}` lacks a modifier"), Some(&expected.join(", ")))
}

/// The instructions that have forms, in the order of the table.
fn mnemonics() -> String {
    let mut names: Vec<&str> = FORMS.iter().map(|form| form.mnemonic.text()).collect();
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(*name));
    names.join(", ")
}

/// Mnemonic and modifiers with the places they stand at.
fn parts<'t>(written: &Written<'t>) -> Vec<(&'t str, Span)> {
    let mut start = written.span.start;
    let place = |part: &'t str| {
        let span = Span { start, end: start + part.len() as u32 };
        start = span.end + 1;
        (part, span)
    };
    written.opcode.split('.').map(place).collect()
}

/// The value of each modifier field: written in any order, or left at the default. Only of the two types of a conversion the
/// destination comes first, since the words of one may be those of the other.
fn modifiers(
    form: &Form,
    mnemonic: Span,
    parts: &[(&str, Span)],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<u8>> {
    let mut values: Vec<Option<u8>> = vec![None; form.modifiers.len()];
    let before = diagnostics.len();
    for (part, span) in &joined(form, parts) {
        let fields = form.modifiers.iter().enumerate();
        let mut knowing = fields.filter_map(|(index, field)| Some((index, field.value_of(part)?)));
        // The same word may belong to two fields (`PSETP.AND.OR`): the first that has no value yet takes it.
        let known = knowing.clone().find(|(index, _)| values[*index].is_none()).or_else(|| knowing.next());
        match known {
            None => {
                let message = format!("unknown modifier `.{part}` of `{}`", opcode(form));
                diagnostics.push(error(*span, message, Some(&spellings(form.modifiers, &values))));
            }
            Some((index, _)) if values[index].is_some() => {
                diagnostics.push(error(
                    *span,
                    format!("a second {}, `.{part}`", form.modifiers[index].role),
                    None,
                ));
            }
            Some((index, value)) => {
                let later = form.modifiers.iter().zip(&values).skip(index + 1);
                let mut later = later.filter(|(field, value)| is_type(field) && value.is_some());
                if let (true, Some((after, _))) = (is_type(&form.modifiers[index]), later.next()) {
                    let role = form.modifiers[index].role;
                    let message = format!("`.{part}`, the {role}, is written too late");
                    diagnostics.push(error(*span, message, Some(&format!("it before the {}", after.role))));
                }
                values[index] = Some(value);
            }
        }
    }
    for (field, value) in form.modifiers.iter().zip(&mut values) {
        *value = value.or(field.default);
        if value.is_none() && diagnostics.len() == before {
            let expected = spellings(std::slice::from_ref(field), &[None]);
            diagnostics.push(error(
                mnemonic,
                format!("`{}` names no {}", opcode(form), field.role),
                Some(&expected),
            ));
        }
    }
    values.into_iter().collect()
}

/// Whether a field is one of the two types of a conversion.
fn is_type(field: &ModifierField) -> bool {
    field.role.ends_with(" type")
}

/// Modifiers in a row that spell one value together (`U.128`) as one.
fn joined(form: &Form, parts: &[(&str, Span)]) -> Vec<(String, Span)> {
    let mut out: Vec<(String, Span)> = Vec::with_capacity(parts.len());
    for (part, span) in parts {
        if let Some((last, last_span)) = out.last_mut() {
            let both = format!("{last}.{part}");
            let begins = |name: &&str| {
                name.strip_prefix(both.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let spells = |field: &ModifierField| {
                field.names.iter().chain(field.aliases.iter().map(|(alias, _)| alias)).any(begins)
            };
            if form.modifiers.iter().any(spells) {
                (*last, *last_span) = (both, last_span.to(*span));
                continue;
            }
        }
        out.push(((*part).to_owned(), *span));
    }
    out
}

fn opcode(form: &Form) -> String {
    let fixed = form.fixed_modifiers.iter().flat_map(|fixed| [".", fixed]);
    std::iter::once(form.mnemonic.text()).chain(fixed).collect()
}

/// What may be written for those fields that have no value yet, for a message.
fn spellings(fields: &[ModifierField], values: &[Option<u8>]) -> String {
    let names = |field: &'static [&'static str]| {
        field.iter().filter(|name| !name.is_empty() && !has_no_meaning(name))
    };
    let mut all: Vec<String> = Vec::new();
    for (field, _) in fields.iter().zip(values).filter(|(_, value)| value.is_none()) {
        all.extend(
            names(field.names)
                .chain(field.aliases.iter().map(|(alias, _)| alias))
                .map(|name| format!("`.{name}`")),
        );
    }
    if all.is_empty() { "no further modifier".to_owned() } else { all.join(", ") }
}

/// Whether the form is a compare-and-swap of 64 bits, where `Rc` is two registers after `Rb`.
fn is_wide_pair(form: &Form, modifiers: &[u8]) -> bool {
    form.has_pair() && modifiers == [1]
}

/// Operands as a form takes them.
struct Fitted {
    operands: Vec<Operand>,
    marks: Vec<Marks>,
    /// Which written operand each is; `None` for one that was left out.
    places: Vec<Option<usize>>,
}

/// A half that is a number: signed where the modifier of bit 49 says so.
fn half_number(form: &Form, modifiers: &[u8], operand: Operand) -> Operand {
    let is_signed = form.modifiers.iter().zip(modifiers).any(|(field, value)| {
        let bit = 49_u8.checked_sub(field.low).filter(|bit| *bit < field.width);
        bit.is_some_and(|bit| value >> bit & 1 == 1)
    });
    match operand {
        Operand::Immediate(value) if is_signed => Operand::Immediate(i64::from(value as i16)),
        Operand::Immediate(value) => Operand::Immediate(i64::from(value as u16)),
        other => other,
    }
}

/// The operands as the form takes them; `None` where their number, kinds or marks differ.
fn fit(form: &Form, written: &[(WrittenOperand, Span)], modifiers: &[u8]) -> Option<Fitted> {
    let mut fitted = Fitted { operands: Vec::new(), marks: Vec::new(), places: Vec::new() };
    let mut next = 0;
    for (index, field) in form.operands.iter().enumerate() {
        let candidate = written.get(next).map(|(operand, _)| *operand);
        let value = candidate.and_then(|operand| value(*field, operand.value, &fitted.operands, modifiers));
        let (value, marks, place) = match (value, candidate) {
            (Some(value), Some(WrittenOperand { value: WrittenValue::Immediate(..0), .. }))
                if *field == OperandField::Magnitude16 =>
            {
                (value, Marks::NONE.with(Mark::Negated), Some(next))
            }
            (Some(value), Some(operand)) => (value, operand.marks, Some(next)),
            _ => (left_out(*field)?, Marks::NONE, None),
        };
        let value = match field {
            OperandField::Immediate16 => half_number(form, modifiers, value),
            _ => value,
        };
        let (possible, necessary) = form.marks_of(index);
        if !marks.within(possible) || !necessary.within(marks) {
            return None;
        }
        next += usize::from(place.is_some());
        fitted.operands.push(value);
        fitted.marks.push(marks);
        fitted.places.push(place);
    }
    (next == written.len() && has_room(form, &fitted.operands)).then_some(fitted)
}

/// The value of an operand that does not stand in the text, where that is possible.
fn left_out(field: OperandField) -> Option<Operand> {
    match field {
        OperandField::OptionalPredicate { .. } => Some(Operand::Predicate { predicate: 7, negated: false }),
        OperandField::ShiftCount { .. } | OperandField::OptionalNumber { .. } => Some(Operand::Immediate(0)),
        OperandField::QuadThreads { .. } => Some(Operand::Immediate(15)),
        OperandField::Condition { .. } => Some(Operand::Condition(condition_code::TRUE)),
        OperandField::OptionalRd | OperandField::OptionalRb => Some(Operand::Register(Register::RZ)),
        OperandField::Scoreboards => Some(Operand::Scoreboards(0)),
        _ => None,
    }
}

/// What a written value is as an operand of some kind. What is of the right kind and out of range is reported by itself.
fn value(
    field: OperandField,
    written: WrittenValue,
    before: &[Operand],
    modifiers: &[u8],
) -> Option<Operand> {
    Some(match (field, written) {
        (
            OperandField::Register { .. } | OperandField::OptionalRd | OperandField::OptionalRb,
            WrittenValue::Register(register),
        ) => Operand::Register(register),
        (OperandField::Coordinates, WrittenValue::Address { base, offset: 0 }) => {
            Operand::Address { base, offset: 0 }
        }
        (OperandField::Word { names, .. }, WrittenValue::Word(word)) => word_among(names, word)?,
        (OperandField::Word { names, .. }, WrittenValue::Immediate(number)) => {
            word_among(names, &number.to_string())?
        }
        (OperandField::Components, WrittenValue::Word(word)) => {
            word_among(ONE_PAIR, word).or_else(|| word_among(TWO_PAIRS, word))?
        }
        (OperandField::Address { .. }, WrittenValue::Address { base, offset }) => {
            Operand::Address { base, offset: offset as i32 }
        }
        (OperandField::Rz, WrittenValue::Register(Register::RZ)) => Operand::Register(Register::RZ),
        (OperandField::RdAgain, WrittenValue::Register(rc)) => match before.first() {
            Some(Operand::Register(rd)) if *rd == rc => Operand::Register(rc),
            _ => return None,
        },
        (OperandField::AfterRb { .. }, WrittenValue::Register(rc)) => match before.last() {
            Some(Operand::Register(rb)) if register_after(*rb, modifiers == [1]) == Some(rc) => {
                Operand::Register(rc)
            }
            _ => return None,
        },
        (OperandField::SystemRegister, WrittenValue::System(number)) => Operand::System(number),
        (
            OperandField::Immediate16
            | OperandField::Immediate20 { .. }
            | OperandField::Immediate32 { .. }
            | OperandField::Unsigned { .. }
            | OperandField::OptionalNumber { .. }
            | OperandField::QuadThreads { .. }
            | OperandField::AbsoluteTarget
            | OperandField::ShiftCount { .. },
            WrittenValue::Immediate(value),
        ) => Operand::Immediate(canonical(field, value)),
        (OperandField::Float20 { is_double }, number) => {
            Operand::Float(Float::nearest(number_of(number)?, is_double))
        }
        (OperandField::Float32, number) => Operand::Float(Float::nearest(number_of(number)?, false)),
        (OperandField::Half10 { .. } | OperandField::Half16 { .. }, number) => {
            Operand::Half(Float::nearest_half(number_of(number)?))
        }
        (OperandField::Swizzle, WrittenValue::Swizzle(signs)) => Operand::Swizzle(signs),
        (
            OperandField::Indirect | OperandField::AbsoluteIndirect,
            WrittenValue::Indirect { base, offset },
        ) => Operand::Indirect { base, offset: i32::try_from(offset).unwrap_or(0) },
        (OperandField::Constant | OperandField::ConstantTarget, WrittenValue::Constant { bank, offset }) => {
            Operand::Constant {
                bank: u8::try_from(bank).unwrap_or(0),
                offset: i32::try_from(offset).unwrap_or(0),
            }
        }
        (OperandField::Condition { .. }, WrittenValue::Condition(test)) => Operand::Condition(test),
        (OperandField::IndexedConstant, WrittenValue::IndexedConstant { bank, base, offset }) => {
            Operand::IndexedConstant {
                bank: u8::try_from(bank).unwrap_or(0),
                base,
                offset: i32::try_from(offset).unwrap_or(0),
            }
        }
        (OperandField::IndexedConstant, WrittenValue::Constant { bank, offset }) => {
            Operand::IndexedConstant {
                bank: u8::try_from(bank).unwrap_or(0),
                base: Register::RZ,
                offset: i32::try_from(offset).unwrap_or(0),
            }
        }
        (
            OperandField::PredicateOut { .. } | OperandField::OptionalPredicate { .. },
            WrittenValue::Predicate { predicate, negated: false },
        ) => Operand::Predicate { predicate, negated: false },
        (OperandField::PredicateIn { .. }, WrittenValue::Predicate { predicate, negated }) => {
            Operand::Predicate { predicate, negated }
        }
        (OperandField::Target, WrittenValue::Target(offset)) => {
            Operand::Target(i32::try_from(offset).unwrap_or(0))
        }
        (OperandField::Target, WrittenValue::Label) => Operand::Target(0),
        (OperandField::Scoreboard, WrittenValue::Scoreboard(barrier)) => Operand::Scoreboard(barrier),
        (OperandField::Scoreboards, WrittenValue::Scoreboards(set)) => Operand::Scoreboards(set),
        (OperandField::ConditionCodes, WrittenValue::ConditionCodes) => Operand::ConditionCodes,
        (OperandField::AllPredicates, WrittenValue::AllPredicates) => Operand::AllPredicates,
        (OperandField::Magnitude16, WrittenValue::Immediate(value)) => {
            Operand::Immediate(i64::from(value.unsigned_abs() as u16))
        }
        _ => return None,
    })
}

/// A word as one of a list.
fn word_among(names: &'static [&'static str], word: &str) -> Option<Operand> {
    let value = names.iter().position(|name| *name == word)?;
    Some(Operand::Word { names, value: value as u8 })
}

/// Whether a scalar form gives as many components as its first operand has room for.
fn has_room(form: &Form, operands: &[Operand]) -> bool {
    match (form.operands.last(), operands.first(), operands.last()) {
        (
            Some(OperandField::Components),
            Some(Operand::Register(second)),
            Some(Operand::Word { names, .. }),
        ) => (*second == Register::RZ) == (*names == ONE_PAIR),
        _ => true,
    }
}

/// A number that a floating-point field takes.
fn number_of(written: WrittenValue) -> Option<f64> {
    match written {
        WrittenValue::Float(value) => Some(value),
        WrittenValue::Immediate(value) => Some(value as f64),
        _ => None,
    }
}

/// Whether the nearest number of a floating-point field's kind is one that the field holds.
fn check_float(value: f64, is_double: bool, is_short: bool, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    let nearest = Float::nearest(value, is_double);
    let dropped = if !is_short {
        0
    } else if is_double {
        (1 << 44) - 1
    } else {
        (1 << 12) - 1
    };
    let is_infinite = nearest.value().is_infinite() && value.is_finite();
    if nearest.bits & dropped != 0 || is_infinite {
        let expected = if is_double {
            "a double of which the upper 20 bits are all"
        } else if is_short {
            "a single of which the upper 20 bits are all"
        } else {
            "a single"
        };
        diagnostics.push(error(span, format!("{value:e} does not fit"), Some(expected)));
    }
}

/// Whether a number is a half, and one that the field holds.
fn check_half(value: f64, is_short: bool, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    let nearest = Float::nearest_half(value);
    let is_exact = value.is_nan() || Float::of_half(nearest).value() == value;
    if !is_exact || is_short && !value.is_nan() && nearest & 0x3f != 0 {
        let expected = if is_short { "a half of which the upper 10 bits are all" } else { "a half" };
        diagnostics.push(error(span, format!("{value:e} does not fit"), Some(expected)));
    }
}

/// A number as it is decoded: its bits are what counts, whichever sign it was written with.
fn canonical(field: OperandField, value: i64) -> i64 {
    match field {
        OperandField::Immediate20 { .. } if (0x8_0000..=0xf_ffff).contains(&value) => value - 0x10_0000,
        OperandField::Immediate32 { signed: true } => i64::from(value as i32),
        OperandField::Immediate32 { signed: false } | OperandField::AbsoluteTarget => i64::from(value as u32),
        _ => value,
    }
}

/// Numbers and constant addresses within their fields.
fn check_number(operand: WrittenValue, field: OperandField, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(value) = number_of(operand) {
        match field {
            OperandField::Float20 { is_double } => {
                return check_float(value, is_double, true, span, diagnostics);
            }
            OperandField::Float32 => return check_float(value, false, false, span, diagnostics),
            OperandField::Half10 { .. } => return check_half(value, true, span, diagnostics),
            OperandField::Half16 { .. } => return check_half(value, false, span, diagnostics),
            _ => {}
        }
    }
    let (value, range) = match (operand, field) {
        (WrittenValue::Indirect { offset, .. }, OperandField::AbsoluteIndirect) => {
            (offset, -0x8000_0000..=0x7fff_ffff)
        }
        (WrittenValue::Indirect { offset, .. }, _) => (offset, -0x80_0000..=0x7f_ffff),
        (WrittenValue::Constant { bank, offset }, OperandField::ConstantTarget) => {
            check_bank(bank, span, diagnostics);
            (offset, -0x8000..=0x7fff)
        }
        (WrittenValue::Immediate(value), OperandField::AbsoluteTarget) => (value, 0..=0xffff_ffff),
        (WrittenValue::Immediate(value), OperandField::Immediate16) => (value, -0x8000..=0xffff),
        (WrittenValue::Immediate(value), OperandField::Magnitude16) => (value, -0xffff..=0xffff),
        (WrittenValue::Immediate(value), OperandField::Immediate20 { signed: true }) => {
            (value, -0x8_0000..=0x7_ffff)
        }
        (WrittenValue::Immediate(value), OperandField::Immediate20 { signed: false }) => {
            (value, -0x8_0000..=0xf_ffff)
        }
        (WrittenValue::Immediate(value), OperandField::Immediate32 { .. }) => {
            (value, -0x8000_0000..=0xffff_ffff)
        }
        (
            WrittenValue::Immediate(value),
            OperandField::Unsigned { width, .. } | OperandField::OptionalNumber { width, .. },
        ) => (value, 0..=(1 << width) - 1),
        (WrittenValue::Immediate(value), OperandField::QuadThreads { .. }) => (value, 0..=15),
        (WrittenValue::Immediate(value), OperandField::ShiftCount { .. }) => (value, 0..=31),
        (WrittenValue::Target(offset), _) => (offset, -0x80_0000..=0x7f_ffff),
        (WrittenValue::IndexedConstant { bank, offset, .. }, _)
        | (WrittenValue::Constant { bank, offset }, OperandField::IndexedConstant) => {
            check_bank(bank, span, diagnostics);
            (offset, -0x8000..=0x7fff)
        }
        (WrittenValue::Constant { bank, offset }, _) => {
            check_bank(bank, span, diagnostics);
            if offset % 4 != 0 {
                diagnostics.push(error(
                    span,
                    format!("constant offset {offset} is not in words"),
                    Some("a multiple of 4"),
                ));
            }
            (offset, -0x8000..=0x7fff)
        }
        _ => return,
    };
    if !range.contains(&value) {
        let expected = format!("{} to {}", range.start(), range.end());
        diagnostics.push(error(span, format!("{value} does not fit"), Some(&expected)));
    }
}

fn check_bank(bank: i64, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    if !(0..32).contains(&bank) {
        diagnostics.push(error(span, format!("there is no constant bank {bank}"), Some("a bank, 0 to 31")));
    }
}

/// Why operands fit no form of an opcode.
fn explain(form: &Form, written: &Written<'_>, wide: bool, diagnostics: &mut Vec<Diagnostic>) {
    let shape = shape(form);
    let most = form.operands.len();
    let fewest = form.operands.iter().filter(|field| left_out(**field).is_none()).count();
    if !(fewest..=most).contains(&written.operands.len()) {
        let count = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
        let message = format!("`{}` takes {count} operands, not {}", opcode(form), written.operands.len());
        diagnostics.push(error(written.span, message, Some(&shape)));
        return;
    }
    for (field, (operand, span)) in form.operands.iter().zip(&written.operands) {
        let is_address = matches!(operand.value, WrittenValue::Address { .. });
        let takes_address = matches!(field, OperandField::Address { .. } | OperandField::Coordinates);
        if is_address != takes_address && fewest == most {
            let message = if is_address {
                "an address where a register is needed"
            } else {
                "no address where one is needed"
            };
            diagnostics.push(error(*span, message, Some(&shape)));
            return;
        }
    }
    for (operand, span) in &written.operands {
        let anywhere = (0..most).fold(Marks::NONE, |all, index| all.and(form.marks_of(index).0));
        if let Some(mark) = MARKS.iter().find(|(mark, _)| operand.marks.has(*mark) && !anywhere.has(*mark)) {
            let message = format!("no operand of `{}` can be written with `{}`", opcode(form), mark.1);
            diagnostics.push(error(*span, message, Some(&shape)));
            return;
        }
    }
    if !form.has_pair() {
        diagnostics.push(error(
            written.span,
            format!("operands of a kind that `{}` does not take", opcode(form)),
            Some(&shape),
        ));
        return;
    }
    // Only the pair of a compare-and-swap is left.
    if let Some((WrittenOperand { value: WrittenValue::Register(rc), .. }, span)) = written.operands.last() {
        let distance = if wide { 2 } else { 1 };
        let message = format!("Rc is {rc}, which does not follow Rb");
        diagnostics.push(error(*span, message, Some(&format!("register Rb+{distance} or RZ"))));
    } else {
        diagnostics.push(error(
            written.span,
            format!("operands of a kind that `{}` does not take", opcode(form)),
            Some(&shape),
        ));
    }
}

/// The marks with how they are written.
const MARKS: [(Mark, &str); 10] = [
    (Mark::Negated, "-"),
    (Mark::Absolute, "||"),
    (Mark::Inverted, "~"),
    (Mark::UpperHalf, ".H1"),
    (Mark::LowerHalf, ".H0"),
    (Mark::ByteOne, ".B1"),
    (Mark::ByteTwo, ".B2"),
    (Mark::ConditionCodes, ".CC"),
    (Mark::Single, ".F32"),
    (Mark::LowerTwice, ".H0_H0"),
];

/// `Rd, [Ra + offset], Rb, Rc`.
fn shape(form: &Form) -> String {
    let name = |field: &OperandField| match field {
        OperandField::Register { role, .. } => *role,
        OperandField::Address { .. } => "[Ra + offset]",
        OperandField::AfterRb { .. } | OperandField::Rz => "Rc",
        OperandField::SystemRegister => "special register",
        OperandField::Immediate16
        | OperandField::Magnitude16
        | OperandField::Immediate20 { .. }
        | OperandField::Immediate32 { .. }
        | OperandField::Float20 { .. }
        | OperandField::Float32
        | OperandField::Half10 { .. }
        | OperandField::Half16 { .. }
        | OperandField::Unsigned { .. } => "number",
        OperandField::RdAgain => "Rd",
        OperandField::Swizzle => "signs",
        OperandField::Indirect | OperandField::AbsoluteIndirect => "Ra {offset}",
        OperandField::ShiftCount { .. } | OperandField::OptionalNumber { .. } => "{number}",
        OperandField::QuadThreads { .. } => "{threads of a quad}",
        OperandField::Condition { .. } => "{CC.test}",
        OperandField::AbsoluteTarget => "address",
        OperandField::OptionalRd => "{Rd}",
        OperandField::OptionalRb => "{Rb}",
        OperandField::Coordinates => "[Ra]",
        OperandField::Word { names: [name], .. } => name,
        OperandField::Word { .. } => "dimension",
        OperandField::Components => "components",
        OperandField::Constant | OperandField::ConstantTarget => "c[bank][offset]",
        OperandField::IndexedConstant => "c[bank][Ra + offset]",
        OperandField::PredicateOut { .. } => "P",
        OperandField::OptionalPredicate { .. } => "{P}",
        OperandField::PredicateIn { .. } => "{!}P",
        OperandField::Target => "label",
        OperandField::Scoreboard => "SB",
        OperandField::Scoreboards => "{barriers}",
        OperandField::ConditionCodes => "CC",
        OperandField::AllPredicates => "PR",
    };
    if form.operands.is_empty() {
        return "nothing behind it".to_owned();
    }
    format!("`{}`", form.operands.iter().map(name).collect::<Vec<_>>().join(", "))
}

/// "ImmS24" with a base register, "ImmU24" without or with `RZ`; "the low 2 bits … must always be zero" where they are not stored.
fn check_address(operand: WrittenValue, field: OperandField, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    let (WrittenValue::Address { base, offset }, OperandField::Address { width, dropped, .. }) =
        (operand, field)
    else {
        return;
    };
    let bits = width + dropped;
    let (range, kind) = match base {
        Register::RZ => (0..=(1 << bits) - 1, "an unsigned"),
        _ => (-(1 << (bits - 1))..=(1_i64 << (bits - 1)) - 1, "a signed"),
    };
    let magnitude = |value: i64| format!("{}{:#x}", if value < 0 { "-" } else { "" }, value.abs());
    let (least, most) = (magnitude(*range.start()), magnitude(*range.end()));
    let expected =
        format!("{kind} offset of {bits} bits, {} to {most}", if least == "0x0" { "0" } else { &least });
    if !range.contains(&offset) {
        diagnostics.push(error(span, format!("offset {offset} does not fit"), Some(&expected)));
    } else if offset & ((1 << dropped) - 1) != 0 {
        let message = format!("offset {offset} has low bits that the encoding does not store");
        diagnostics.push(error(span, message, Some(&format!("a multiple of {}", 1 << dropped))));
    }
}
