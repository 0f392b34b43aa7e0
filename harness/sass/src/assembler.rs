//! One written instruction to a row of the table with values: the row is found by its modifiers and operands.

use warpdiff_ptx::source::{Diagnostic, Span};

use crate::form::{FORMS, Form, ModifierField, OperandField};
use crate::instruction::{Guard, Instruction, Operand, Register};
use crate::lexer::error;
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

/// An operand as it is written: not yet known to fit a field.
#[derive(Clone, Copy)]
pub(crate) enum WrittenOperand {
    Register(Register),
    Address { base: Register, offset: i64 },
    Negated(Register),
    System(u8),
    Immediate(i64),
    Constant { bank: i64, offset: i64 },
    Predicate { predicate: u8, negated: bool },
}

/// Opcodes of sm_50 that compilers emit around memory instructions and that have no row yet.
const NOT_YET: &[&str] = &[
    "BRA", "BRK", "BFE", "CAL", "DEPBAR", "FADD", "FFMA", "FMUL", "I2F", "I2I", "IADD3", "ICMP", "ISCADD",
    "LD", "LDC", "LEA", "LOP32I", "PBK", "POPC", "PRMT", "RED", "RET", "SEL", "SHFL", "SHR", "SSY", "ST",
    "VOTE", "XMAD",
];

/// Whether an opcode with its modifiers exists and has no row in the table. Its operands may be of kinds unknown here too.
pub(crate) fn has_no_row_yet(opcode: &str) -> bool {
    opcode.split('.').next().is_some_and(|mnemonic| NOT_YET.contains(&mnemonic))
}

/// The instruction that is meant, or why there is none.
pub(crate) fn assemble(written: &Written<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<Instruction> {
    let mut parts = parts(written);
    let (mnemonic, mnemonic_span) = parts.remove(0);
    let named: Vec<&'static Form> = FORMS.iter().filter(|form| form.mnemonic == mnemonic).collect();
    if named.is_empty() {
        diagnostics.push(error(mnemonic_span, format!("unknown opcode `{mnemonic}`"), Some(&mnemonics())));
        return None;
    }
    let starts_with = |form: &Form| {
        form.fixed_modifiers.len() <= parts.len()
            && form.fixed_modifiers.iter().zip(&parts).all(|(fixed, part)| *fixed == part.0)
    };
    // `CAST.SPIN` before `CAST`, `LDS.U` before `LDS`.
    let fixed = named
        .iter()
        .filter(|form| starts_with(form))
        .map(|form| form.fixed_modifiers.len())
        .max()
        .unwrap_or(0);
    let candidates: Vec<&'static Form> =
        named.into_iter().filter(|form| form.fixed_modifiers.len() == fixed && starts_with(form)).collect();
    let form = *candidates.first()?;
    let before = diagnostics.len();
    let modifiers = modifiers(form, mnemonic_span, &parts[fixed..], diagnostics);
    let wide = modifiers.as_ref().is_some_and(|values| is_wide_pair(form, values));
    let found = candidates.iter().find_map(|form| Some((*form, fit(form, &written.operands, wide)?)));
    if found.is_none() && diagnostics.len() == before {
        explain(form, written, wide, diagnostics);
    }
    let (form, operands) = found?;
    for ((operand, span), field) in written.operands.iter().zip(form.operands) {
        check_address(*operand, *field, *span, diagnostics);
        check_number(*operand, *field, *span, diagnostics);
    }
    let modifiers = modifiers?;
    (diagnostics.len() == before).then_some(Instruction {
        form,
        guard: written.guard,
        modifiers,
        operands,
        ignored: 0,
    })
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

fn mnemonics() -> String {
    let mut names: Vec<&str> = FORMS.iter().map(|form| form.mnemonic).collect();
    names.dedup();
    names.join(", ")
}

/// The value of each modifier field: written in the order of the table, or left at the default.
fn modifiers(
    form: &Form,
    mnemonic: Span,
    parts: &[(&str, Span)],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<u8>> {
    let mut values: Vec<Option<u8>> = vec![None; form.modifiers.len()];
    let mut next = 0;
    let before = diagnostics.len();
    for (part, span) in &joined(form, parts) {
        let known =
            form.modifiers.iter().enumerate().find_map(|(index, field)| Some((index, field.value_of(part)?)));
        match known {
            None => {
                let message = format!("unknown modifier `.{part}` of `{}`", opcode(form));
                diagnostics.push(error(*span, message, Some(&spellings(&form.modifiers[next..]))));
            }
            Some((index, _)) if values[index].is_some() => {
                diagnostics.push(error(
                    *span,
                    format!("a second {}, `.{part}`", form.modifiers[index].role),
                    None,
                ));
            }
            Some((index, _)) if index < next => {
                let message = format!("`.{part}`, the {}, is written too late", form.modifiers[index].role);
                let expected = format!("it before the {}", form.modifiers[next - 1].role);
                diagnostics.push(error(*span, message, Some(&expected)));
            }
            Some((index, value)) => {
                values[index] = Some(value);
                next = index + 1;
            }
        }
    }
    for (field, value) in form.modifiers.iter().zip(&mut values) {
        *value = value.or(field.default);
        if value.is_none() && diagnostics.len() == before {
            let expected = spellings(std::slice::from_ref(field));
            diagnostics.push(error(
                mnemonic,
                format!("`{}` names no {}", opcode(form), field.role),
                Some(&expected),
            ));
        }
    }
    values.into_iter().collect()
}

/// Two modifiers in a row that spell one value together (`U.128`) as one.
fn joined(form: &Form, parts: &[(&str, Span)]) -> Vec<(String, Span)> {
    let mut out: Vec<(String, Span)> = Vec::with_capacity(parts.len());
    for (part, span) in parts {
        if let Some((last, last_span)) = out.last_mut() {
            let both = format!("{last}.{part}");
            if form.modifiers.iter().any(|field| field.names.contains(&both.as_str())) {
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
    std::iter::once(form.mnemonic).chain(fixed).collect()
}

/// What may be written for some fields, for a message.
fn spellings(fields: &[ModifierField]) -> String {
    let names = |field: &'static [&'static str]| {
        field.iter().filter(|name| !name.is_empty() && !name.starts_with("INVALID"))
    };
    let mut all: Vec<String> = Vec::new();
    for field in fields {
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
    form.operands.contains(&OperandField::AfterRb) && modifiers == [1]
}

/// The operands as the form takes them; `None` where their number or kinds differ.
fn fit(form: &Form, written: &[(WrittenOperand, Span)], wide: bool) -> Option<Vec<Operand>> {
    if written.len() != form.operands.len() {
        return None;
    }
    let mut fitted: Vec<Operand> = Vec::with_capacity(written.len());
    for (field, (operand, _)) in form.operands.iter().zip(written) {
        let operand = match (*field, *operand) {
            (OperandField::Register { .. }, WrittenOperand::Register(register)) => {
                Operand::Register(register)
            }
            (OperandField::Address { .. }, WrittenOperand::Address { base, offset }) => {
                // Out of range is reported by itself.
                Operand::Address { base, offset: i32::try_from(offset).unwrap_or(0) }
            }
            (OperandField::Rz, WrittenOperand::Register(Register::RZ)) => Operand::Register(Register::RZ),
            (OperandField::AfterRb, WrittenOperand::Register(rc)) => match fitted.last() {
                Some(Operand::Register(rb)) if register_after(*rb, wide) == Some(rc) => Operand::Register(rc),
                _ => return None,
            },
            (OperandField::NegatedRegister, WrittenOperand::Negated(register)) => Operand::Negated(register),
            (OperandField::SystemRegister, WrittenOperand::System(number)) => Operand::System(number),
            (
                OperandField::Immediate20 | OperandField::Immediate32 { .. } | OperandField::Barrier,
                WrittenOperand::Immediate(value),
            ) => Operand::Immediate(canonical(*field, value)),
            (OperandField::Constant, WrittenOperand::Constant { bank, offset }) => Operand::Constant {
                // Out of range is reported by itself.
                bank: u8::try_from(bank).unwrap_or(0),
                offset: i32::try_from(offset).unwrap_or(0),
            },
            (OperandField::PredicateOut { .. }, WrittenOperand::Predicate { predicate, negated: false }) => {
                Operand::Predicate { predicate, negated: false }
            }
            (OperandField::PredicateIn, WrittenOperand::Predicate { predicate, negated }) => {
                Operand::Predicate { predicate, negated }
            }
            _ => return None,
        };
        fitted.push(operand);
    }
    Some(fitted)
}

/// A number of 32 bits as it is decoded: its bits are what counts, whichever sign it was written with.
fn canonical(field: OperandField, value: i64) -> i64 {
    match field {
        OperandField::Immediate32 { signed: true } => i64::from(value as i32),
        OperandField::Immediate32 { signed: false } => i64::from(value as u32),
        _ => value,
    }
}

/// Numbers and constant addresses within their fields.
fn check_number(operand: WrittenOperand, field: OperandField, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    let (value, range) = match (operand, field) {
        (WrittenOperand::Immediate(value), OperandField::Immediate20) => (value, -0x8_0000..=0x7_ffff),
        (WrittenOperand::Immediate(value), OperandField::Immediate32 { .. }) => {
            (value, -0x8000_0000..=0xffff_ffff)
        }
        (WrittenOperand::Immediate(value), OperandField::Barrier) => (value, 0..=15),
        (WrittenOperand::Constant { bank, offset }, _) => {
            if !(0..32).contains(&bank) {
                diagnostics.push(error(
                    span,
                    format!("there is no constant bank {bank}"),
                    Some("a bank, 0 to 31"),
                ));
            }
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

/// Why operands fit no form of an opcode.
fn explain(form: &Form, written: &Written<'_>, wide: bool, diagnostics: &mut Vec<Diagnostic>) {
    let shape = shape(form);
    if written.operands.len() != form.operands.len() {
        let message = format!(
            "`{}` takes {} operands, not {}",
            opcode(form),
            form.operands.len(),
            written.operands.len()
        );
        diagnostics.push(error(written.span, message, Some(&shape)));
        return;
    }
    for (field, (operand, span)) in form.operands.iter().zip(&written.operands) {
        let is_address = matches!(operand, WrittenOperand::Address { .. });
        if is_address != matches!(field, OperandField::Address { .. }) {
            let message = if is_address {
                "an address where a register is needed"
            } else {
                "a register where an address is needed"
            };
            diagnostics.push(error(*span, message, Some(&shape)));
            return;
        }
    }
    if !form.operands.contains(&OperandField::AfterRb) {
        diagnostics.push(error(
            written.span,
            format!("operands of a kind that `{}` does not take", opcode(form)),
            Some(&shape),
        ));
        return;
    }
    // Only the pair of a compare-and-swap is left.
    if let Some((WrittenOperand::Register(rc), span)) = written.operands.last() {
        let distance = if wide { 2 } else { 1 };
        let message = format!("Rc is {rc}, which does not follow Rb");
        diagnostics.push(error(*span, message, Some(&format!("register Rb+{distance} or RZ"))));
    }
}

/// `Rd, [Ra + offset], Rb, Rc`.
fn shape(form: &Form) -> String {
    let name = |field: &OperandField| match field {
        OperandField::Register { role, .. } => *role,
        OperandField::Address { .. } => "[Ra + offset]",
        OperandField::AfterRb | OperandField::Rz => "Rc",
        OperandField::NegatedRegister => "-Rb",
        OperandField::SystemRegister => "special register",
        OperandField::Immediate20 | OperandField::Immediate32 { .. } | OperandField::Barrier => "number",
        OperandField::Constant => "c[bank][offset]",
        OperandField::PredicateOut { .. } => "P",
        OperandField::PredicateIn => "{!}P",
    };
    format!("`{}`", form.operands.iter().map(name).collect::<Vec<_>>().join(", "))
}

/// "ImmS24" with a base register, "ImmU24" without or with `RZ`; "the low 2 bits … must always be zero" where they are not stored.
fn check_address(
    operand: WrittenOperand,
    field: OperandField,
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (WrittenOperand::Address { base, offset }, OperandField::Address { dropped, .. }) = (operand, field)
    else {
        return;
    };
    let (range, expected) = if base == Register::RZ {
        (0..=0xff_ffff, "an unsigned offset of 24 bits, 0 to 0xffffff")
    } else {
        (-0x80_0000..=0x7f_ffff, "a signed offset of 24 bits, -0x800000 to 0x7fffff")
    };
    if !range.contains(&offset) {
        diagnostics.push(error(span, format!("offset {offset} does not fit"), Some(expected)));
    } else if offset & ((1 << dropped) - 1) != 0 {
        let message = format!("offset {offset} has low bits that the encoding does not store");
        diagnostics.push(error(span, message, Some(&format!("a multiple of {}", 1 << dropped))));
    }
}
