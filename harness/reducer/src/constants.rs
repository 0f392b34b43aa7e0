//! Constants in place of computed values.

use warpdiff_model::Launch;
use warpdiff_ptx::ast::{Instruction, Operand};
use warpdiff_ptx::vocabulary::{Opcode, Type};

use crate::observed::{Observed, Seen, SeenLine};
use crate::persistence::Persistence;
use crate::program::Program;
use crate::statements::apply;
use crate::text_edit::TextEdit;

/// Which of several values of a register is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pick {
    /// The one that it always has.
    Only,
    /// Of one that a loop changes: the first.
    First,
    /// The last.
    Last,
}

/// Replaces instructions by moves of the values that the reference found in their results, so that what they read can go. What is not the
/// same everywhere, such as an address, stays.
pub(crate) fn settle_values(launch: &mut Launch, judge: &mut dyn Persistence) {
    for pick in [Pick::Only, Pick::First, Pick::Last] {
        let Some(program) = Program::of(launch) else { return };
        *launch = program.printed(launch);
        let Some(observed) = Observed::of(launch) else { return };
        let change = |instruction: &Instruction| {
            let seen = observed.line(program.line(instruction.span))?;
            let moves = moves(&program, &observed, instruction, seen, pick)?;
            let range = program.whole_line(instruction.span);
            Some(vec![TextEdit { range, text: moves }])
        };
        let changes: Vec<Vec<TextEdit>> = program.instructions().filter_map(change).collect();
        apply(launch, judge, &program, &changes);
    }
}

/// Moves of constants to everything that the instruction writes.
fn moves(
    program: &Program,
    observed: &Observed,
    instruction: &Instruction,
    seen: &SeenLine,
    pick: Pick,
) -> Option<String> {
    if seen.executed == 0 || seen.written.is_empty() || is_constant(program, instruction) {
        return None;
    }
    let varied = seen.written.values().any(|written| !written.same);
    if varied == (pick == Pick::Only) {
        return None;
    }
    let guard = match instruction.guard {
        Some(guard) if seen.skipped > 0 => {
            format!("@{}{} ", if guard.negated { "!" } else { "" }, program.module.text_of(guard.name))
        }
        _ => String::new(),
    };
    let mut written: Vec<(&String, &Seen)> = seen.written.iter().collect();
    written.sort_by_key(|(name, _)| *name);
    let mut moves = String::new();
    for (name, seen) in written {
        let value = if pick == Pick::Last { seen.last } else { seen.first };
        let literal = observed.literal(name, seen, value)?;
        let opcode = match observed.ty(name)? {
            Type::Pred => {
                let holds = if value == 0 { "ne" } else { "eq" };
                moves.push_str(&format!("{guard}setp.{holds}.u32 {name}, 0, 0;\n"));
                continue;
            }
            ty @ (Type::F32 | Type::F64) => ty.text().to_owned(),
            ty => format!("b{}", ty.size() * 8),
        };
        moves.push_str(&format!("{guard}mov.{opcode} {name}, {literal};\n"));
    }
    Some(moves)
}

/// Whether the instruction is such a move already.
fn is_constant(program: &Program, instruction: &Instruction) -> bool {
    let operands = program.leaves(instruction.operands);
    let constants = operands.iter().skip(1).all(|operand| matches!(operand, Operand::Constant(_)));
    matches!(instruction.opcode, Opcode::Mov | Opcode::Setp) && constants
}
