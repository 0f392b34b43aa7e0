//! Finds the row of the table for a written instruction, by its modifiers and operands.

use std::collections::HashSet;

use warpdiff_ptx::source::{Diagnostic, Span};

use super::misfit::{explain, is_wide_pair};
use super::modifiers::{modifiers, opcode};
use super::operands::{Fitted, fit, may_fit};
use super::ranges::{check_address, check_number};
use super::written::Written;
use crate::form::Form;
use crate::instruction::{Guard, Instruction};
use crate::lexer::error;
use crate::mnemonic::{Mnemonic, Subject};
use crate::reuse::PHASES;
use crate::table::{FORMS, forms_of};

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
    let mut named = Vec::with_capacity(forms_of(mnemonic).len());
    named.extend(forms_of(mnemonic).iter().copied().filter(|form| has_fixed(form, &parts)));
    // `CAST.SPIN` before `CAST`, `LDS.U` before `LDS`.
    let fixed = named.iter().map(|form| form.fixed_modifiers.len()).max().unwrap_or(0);
    named.retain(|form| form.fixed_modifiers.len() == fixed);
    let Some(first) = named.first().copied() else {
        diagnostics.push(lacks_modifier(mnemonic, mnemonic_span));
        return None;
    };
    let rest = |form: &Form| without_fixed(form, &parts).unwrap_or_default();
    let before = diagnostics.len();
    // The modifiers depend on the form, and the form on the operands.
    let fitting = named.iter().copied().filter(|form| may_fit(form, &written.operands)).filter_map(|form| {
        let mut wrong = Vec::new();
        let modifiers = modifiers(form, mnemonic_span, &rest(form), &mut wrong);
        let fitted = fit(form, &written.operands, modifiers.as_deref().unwrap_or(&[]))?;
        Some((form, modifiers, fitted, wrong))
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

/// Whether some modifiers have those that select the form, each as often as the form has it: whether [`without_fixed`] leaves any.
fn has_fixed(form: &Form, parts: &[(&str, Span)]) -> bool {
    let fixed = form.fixed_modifiers;
    fixed.iter().all(|one| {
        let written = parts.iter().filter(|(part, _)| part == one).count();
        written >= fixed.iter().filter(|other| *other == one).count()
    })
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
    let mut expected: Vec<String> =
        forms_of(mnemonic).iter().map(|form| format!("`{}`", opcode(form))).collect();
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
