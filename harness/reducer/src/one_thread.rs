//! One thread in place of many.

use warpdiff_emulator::trace::Thread;
use warpdiff_model::Launch;
use warpdiff_ptx::ast::{FunctionDirectiveKind, Operand};

use crate::persistence::{Persistence, take_first};
use crate::program::Program;
use crate::text_edit::TextEdit;

/// Threads that are tried, the first ones of the launch.
const THREADS: u64 = 256;

/// Tries each thread alone: the registers that say which thread it is become constants.
pub(crate) fn keep_one_thread(launch: &mut Launch, judge: &mut dyn Persistence) {
    if launch.grid == [1; 3] && launch.block == [1; 3] {
        return;
    }
    let Some(program) = Program::of(launch) else { return };
    let whole = launch.clone();
    let threads = (0..THREADS).map_while(|number| Thread::of_number(&whole, number));
    let alone = |thread: Thread| {
        let edits = places_of_thread(&program, &whole, thread);
        Launch { grid: [1; 3], block: [1; 3], ..program.with(&whole, edits.iter()) }
    };
    take_first(launch, judge, threads.map(alone));
}

/// Makes the grid and the blocks smaller: to one, to half, by one, in each dimension.
pub(crate) fn shrink_grid(launch: &mut Launch, judge: &mut dyn Persistence) {
    for (is_grid, dimension) in [true, false].into_iter().flat_map(|grid| (0..3).map(move |n| (grid, n))) {
        loop {
            let whole = launch.clone();
            let now = if is_grid { whole.grid[dimension] } else { whole.block[dimension] };
            let smaller = [1, now / 2, now - 1].into_iter().filter(|size| (1..now).contains(size));
            let with = |size| {
                let mut candidate = whole.clone();
                let sizes = if is_grid { &mut candidate.grid } else { &mut candidate.block };
                sizes[dimension] = size;
                candidate
            };
            if take_first(launch, judge, smaller.map(with)).is_none() {
                break;
            }
        }
    }
}

/// Constants in place of the registers that depend on the thread and on the size of the launch; no directive that states a size.
fn places_of_thread(program: &Program, launch: &Launch, thread: Thread) -> Vec<TextEdit> {
    let text = |span| program.module.text_of(span);
    let place = thread.linear(launch).map_or(0, |(_, in_block)| in_block);
    let operands = program.instructions().flat_map(|instruction| program.leaves(instruction.operands));
    let constants = operands.filter_map(|operand| {
        let value = match operand {
            Operand::Component { name, component } => {
                let axis = ["x", "y", "z"].iter().position(|axis| text(component).ends_with(axis))?;
                match text(name) {
                    "%tid" => thread.thread[axis],
                    "%ctaid" => thread.block[axis],
                    "%ntid" => launch.block[axis],
                    "%nctaid" => launch.grid[axis],
                    _ => return None,
                }
            }
            Operand::Name(name) => match text(name) {
                "%laneid" => place % 32,
                "%warpid" => place / 32,
                _ => return None,
            },
            _ => return None,
        };
        Some(program.replaced(operand.span(), value.to_string()))
    });
    let directives = program.functions().flat_map(|function| &function.directives);
    let sizes = directives.filter(|directive| {
        matches!(directive.kind, FunctionDirectiveKind::Reqntid | FunctionDirectiveKind::Maxntid)
    });
    constants.chain(sizes.map(|directive| TextEdit::deletion(directive.span.range()))).collect()
}
