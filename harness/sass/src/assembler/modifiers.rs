//! The values of modifier fields: written in any order, some of several words, or left at the default.

use std::borrow::Cow;

use warpdiff_ptx::source::{Diagnostic, Span};

use crate::form::{Form, ModifierField, has_no_meaning};
use crate::lexer::error;

/// The value of each modifier field: written in any order, or left at the default. Only of the two types of a conversion the
/// destination comes first, since the words of one may be those of the other.
pub(super) fn modifiers(
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
fn joined<'t>(form: &Form, parts: &[(&'t str, Span)]) -> Vec<(Cow<'t, str>, Span)> {
    let mut out: Vec<(Cow<'t, str>, Span)> = Vec::with_capacity(parts.len());
    for (part, span) in parts {
        if let Some((last, last_span)) = out.last_mut() {
            let after =
                |name: &&'static str| name.strip_prefix(&**last)?.strip_prefix('.')?.strip_prefix(part);
            let begins = |name: &&'static str| {
                after(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let spells = |field: &ModifierField| {
                field.names.iter().chain(field.aliases.iter().map(|(alias, _)| alias)).any(begins)
            };
            if form.modifiers.iter().any(spells) {
                *last = format!("{last}.{part}").into();
                *last_span = last_span.to(*span);
                continue;
            }
        }
        out.push((Cow::Borrowed(part), *span));
    }
    out
}

pub(super) fn opcode(form: &Form) -> String {
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
