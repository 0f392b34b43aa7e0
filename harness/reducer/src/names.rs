//! Declarations of registers without what nothing uses, and registers with small numbers.

use std::collections::{BTreeMap, BTreeSet};

use warpdiff_model::Launch;
use warpdiff_ptx::ast::{Declaration, Declarator, Statement};
use warpdiff_ptx::source::Span;
use warpdiff_ptx::vocabulary::Space;

use crate::persistence::{Persistence, take};
use crate::program::{Program, name_of};
use crate::text_edit::TextEdit;

/// Gives registers declared as `%r<99>` the numbers from 1 on, and declares as many as there are.
pub(crate) fn renumber(launch: &mut Launch, judge: &mut dyn Persistence) {
    let Some(program) = Program::of(launch) else { return };
    let text = |span: Span| program.module.text_of(span);
    let declared: Vec<(&Declaration, &Declarator)> = registers(&program);
    let names: Vec<Span> = program
        .instructions()
        .flat_map(|instruction| {
            let guard = instruction.guard.map(|guard| guard.name);
            let operands = program.leaves(instruction.operands);
            guard.into_iter().chain(operands.into_iter().filter_map(|operand| name_of(&operand)))
        })
        .collect();
    let mut edits = Vec::new();
    let mut prefixes = BTreeSet::new();
    let mut unused = Vec::new();
    for (declaration, declarator) in &declared {
        let prefix = text(declarator.name);
        let used: Vec<Span> = match declarator.count {
            Some(_) => names.iter().copied().filter(|name| is_numbered(text(*name), prefix)).collect(),
            None => names.iter().copied().filter(|name| text(*name) == prefix).collect(),
        };
        // One prefix in several scopes.
        if !prefixes.insert(prefix) {
            return;
        }
        if used.is_empty() {
            unused.push(*declarator);
            continue;
        }
        // The edit of a declaration with several registers would cover that of one of them.
        let Some(count) = declarator.count.filter(|_| declaration.declarators.len() == 1) else { continue };
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for name in used {
            let next = numbers.len() + 1;
            let number = *numbers.entry(text(name)).or_insert(next);
            edits.push(program.replaced(name, format!("{prefix}{number}")));
        }
        edits.push(program.replaced(count.span, (numbers.len() + 1).to_string()));
    }
    edits.extend(declared.iter().filter_map(|(declaration, _)| without(&program, declaration, &unused)));
    let candidate = program.with(launch, edits.iter());
    take(launch, judge, candidate);
}

/// A declaration without the unused of its registers; `None` if it has none of them.
fn without(program: &Program, declaration: &Declaration, unused: &[&Declarator]) -> Option<TextEdit> {
    let is_unused = |declarator: &Declarator| unused.iter().any(|other| other.name == declarator.name);
    let (first, last) = (declaration.declarators.first()?, declaration.declarators.last()?);
    if !declaration.declarators.iter().any(is_unused) {
        return None;
    }
    let kept = declaration.declarators.iter().filter(|declarator| !is_unused(declarator));
    let kept: Vec<&str> = kept.map(|declarator| program.module.text_of(declarator.span)).collect();
    Some(match kept.is_empty() {
        true => TextEdit::deletion(program.whole_line(declaration.span)),
        false => {
            let range = first.span.start as usize..last.span.end as usize;
            TextEdit { range, text: kept.join(", ") }
        }
    })
}

/// The declared registers of all functions.
fn registers(program: &Program) -> Vec<(&Declaration, &Declarator)> {
    let statements = program.functions().flat_map(|function| function.body.iter().flatten());
    let declarations = statements.filter_map(|statement| match statement {
        Statement::Declaration(declaration) if declaration.space == Space::Reg => Some(&**declaration),
        _ => None,
    });
    declarations.flat_map(|of| of.declarators.iter().map(move |declarator| (of, declarator))).collect()
}

/// Whether it is one of the registers `prefix<N>`.
fn is_numbered(name: &str, prefix: &str) -> bool {
    let number = name.strip_prefix(prefix);
    number.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
}
