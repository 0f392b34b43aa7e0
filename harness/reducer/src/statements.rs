//! Leaves out statements, whole blocks of them, branches and guards.

use warpdiff_model::Launch;
use warpdiff_ptx::ast::{Instruction, Statement};
use warpdiff_ptx::source::Span;
use warpdiff_ptx::vocabulary::Opcode;

use crate::most::apply_most;
use crate::observed::Observed;
use crate::persistence::Persistence;
use crate::program::Program;
use crate::text_edit::TextEdit;

/// Applies as many of these changes of a program as persist.
pub(crate) fn apply(
    launch: &mut Launch,
    judge: &mut dyn Persistence,
    program: &Program,
    changes: &[Vec<TextEdit>],
) -> bool {
    let whole = launch.clone();
    let build = |some: &[usize]| Some(program.with(&whole, some.iter().flat_map(|number| &changes[*number])));
    apply_most(launch, judge, changes.len(), &build)
}

/// Leaves out what no thread executes, and makes branches that always go one way do so without a condition.
pub(crate) fn straighten(launch: &mut Launch, judge: &mut dyn Persistence) {
    let Some(program) = Program::of(launch) else { return };
    *launch = program.printed(launch);
    let Some(observed) = Observed::of(launch) else { return };
    let change = |instruction: &Instruction| {
        let line = program.whole_line(instruction.span);
        let Some(seen) = observed.line(program.line(instruction.span)) else {
            return Some(vec![TextEdit::deletion(line)]);
        };
        if seen.executed == 0 || instruction.opcode == Opcode::Bra && seen.taken == 0 {
            return Some(vec![TextEdit::deletion(line)]);
        }
        instruction.guard?;
        let guard = instruction.span.start as usize..instruction.opcode_span.start as usize;
        let always = seen.skipped == 0 && (instruction.opcode != Opcode::Bra || seen.taken == seen.executed);
        always.then(|| vec![TextEdit::deletion(guard)])
    };
    let changes: Vec<Vec<TextEdit>> = program.instructions().filter_map(change).collect();
    apply(launch, judge, &program, &changes);
}

/// Leaves out statements: instructions, labels, declarations, blocks from brace to brace, and braces alone.
pub(crate) fn leave_out(launch: &mut Launch, judge: &mut dyn Persistence) -> bool {
    let Some(program) = Program::of(launch) else { return false };
    *launch = program.printed(launch);
    let blocks = blocks(&program);
    let mut whole: Vec<Vec<TextEdit>> = blocks
        .iter()
        .map(|[open, close]| {
            let (open, close) = (program.whole_line(*open), program.whole_line(*close));
            vec![TextEdit::deletion(open.start..close.end)]
        })
        .collect();
    let braces = blocks
        .iter()
        .map(|pair| pair.iter().map(|brace| TextEdit::deletion(program.whole_line(*brace))).collect());
    let statements = program
        .functions()
        .flat_map(|function| function.body.iter().flatten())
        .filter_map(place)
        .map(|span| vec![TextEdit::deletion(program.whole_line(span))]);
    whole.extend(statements);
    whole.extend(braces);
    apply(launch, judge, &program, &whole)
}

/// Leaves out guards: the instruction is always executed, or never.
pub(crate) fn drop_guards(launch: &mut Launch, judge: &mut dyn Persistence) {
    let Some(program) = Program::of(launch) else { return };
    *launch = program.printed(launch);
    let guards =
        program.instructions().filter(|instruction| instruction.guard.is_some()).map(|instruction| {
            let guard = instruction.span.start as usize..instruction.opcode_span.start as usize;
            vec![TextEdit::deletion(guard)]
        });
    let guards: Vec<Vec<TextEdit>> = guards.collect();
    apply(launch, judge, &program, &guards);
}

/// Where a statement that is no brace stands.
fn place(statement: &Statement) -> Option<Span> {
    match statement {
        Statement::Open(_) | Statement::Close(_) => None,
        Statement::Label(span) | Statement::Raw(span) => Some(*span),
        Statement::Instruction(instruction) => Some(instruction.span),
        Statement::Declaration(declaration) => Some(declaration.span),
        Statement::BranchTargets { label, .. } | Statement::CallTargets { label, .. } => Some(*label),
        Statement::CallPrototype(prototype) => Some(prototype.label),
    }
}

/// The braces of each block, outer blocks first.
fn blocks(program: &Program) -> Vec<[Span; 2]> {
    let mut blocks = Vec::new();
    for function in program.functions() {
        let mut open = Vec::new();
        for statement in function.body.iter().flatten() {
            match statement {
                Statement::Open(span) => open.push(*span),
                Statement::Close(span) => blocks.extend(open.pop().map(|start| [start, *span])),
                _ => {}
            }
        }
    }
    blocks.sort_by_key(|[start, _]| start.start);
    blocks
}
