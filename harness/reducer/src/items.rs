//! Leaves out what stands at module scope, directives of functions, and parameters with their arguments.

use warpdiff_model::Launch;
use warpdiff_ptx::ast::{Declaration, Item};
use warpdiff_ptx::source::Span;

use crate::persistence::{Persistence, take};
use crate::program::Program;
use crate::statements::apply;
use crate::text_edit::TextEdit;

/// Leaves out items.
pub(crate) fn leave_out(launch: &mut Launch, judge: &mut dyn Persistence) {
    let Some(program) = Program::of(launch) else { return };
    *launch = program.printed(launch);
    let text = program.text().len();
    let items = &program.module.items;
    let starts: Vec<usize> = items.iter().map(|item| program.whole_line(start(item)).start).collect();
    let ends = starts.iter().skip(1).copied().chain([text]);
    let ranges = items.iter().zip(starts.iter().zip(ends));
    let gone = ranges.filter(|(item, _)| !is_kept(item, &program, launch));
    let mut changes: Vec<Vec<TextEdit>> =
        gone.map(|(_, (start, end))| vec![TextEdit::deletion(*start..end)]).collect();
    for function in program.functions() {
        let directives = function.directives.iter();
        changes.extend(directives.map(|directive| vec![TextEdit::deletion(directive.span.range())]));
    }
    // Initial values: a variable without one is zero.
    for declaration in items.iter().filter_map(declaration) {
        for declarator in &declaration.declarators {
            let Some(initializer) = &declarator.initializer else { continue };
            let equals = program.text()[..initializer.span.start as usize].rfind('=');
            changes.extend(equals.map(|from| vec![TextEdit::deletion(from..initializer.span.end as usize)]));
        }
    }
    apply(launch, judge, &program, &changes);
}

/// Leaves out parameters of the kernel that nothing reads, with their arguments.
pub(crate) fn leave_out_parameters(launch: &mut Launch, judge: &mut dyn Persistence) {
    for number in (0..launch.arguments.len()).rev() {
        let Some(program) = Program::of(launch) else { return };
        let Some(kernel) = program
            .functions()
            .find(|function| function.entry && program.module.text_of(function.name) == launch.entry)
        else {
            return;
        };
        let parameters = kernel.parameters.as_deref().unwrap_or_default();
        if parameters.len() != launch.arguments.len() {
            return;
        }
        let span = parameters[number].span;
        // With the comma before it, or behind the first one.
        let range = match (number.checked_sub(1), parameters.get(1)) {
            (Some(before), _) => parameters[before].span.end as usize..span.end as usize,
            (None, Some(second)) => span.start as usize..second.span.start as usize,
            (None, None) => span.range(),
        };
        let mut candidate = program.with(launch, std::iter::once(&TextEdit::deletion(range)));
        candidate.arguments.remove(number);
        take(launch, judge, candidate);
    }
}

fn declaration(item: &Item) -> Option<&Declaration> {
    match item {
        Item::Declaration(declaration) => Some(declaration),
        _ => None,
    }
}

/// Whether an item is always needed.
fn is_kept(item: &Item, program: &Program, launch: &Launch) -> bool {
    match item {
        Item::Version { .. } | Item::Target { .. } | Item::AddressSize { .. } => true,
        Item::Function(function) => function.entry && program.module.text_of(function.name) == launch.entry,
        _ => false,
    }
}

/// Where an item begins.
fn start(item: &Item) -> Span {
    match item {
        Item::Version { span, .. }
        | Item::Target { span, .. }
        | Item::AddressSize { span, .. }
        | Item::Alias { span, .. }
        | Item::Raw(span)
        | Item::Section(span) => *span,
        Item::Declaration(declaration) => declaration.span,
        Item::Function(function) => function.span,
    }
}
