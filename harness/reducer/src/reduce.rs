//! The passes in their order.

use warpdiff_model::Launch;

use crate::persistence::{Persistence, take};
use crate::program::Program;
use crate::{constants, data, items, names, one_thread, operands, resources, spa, statements};

/// Rounds of all passes at most. Few programs need more than three.
const ROUNDS: usize = 8;

/// The smallest launch that the passes find with the property, which the launch itself must have.
///
/// A program that cannot be read stays as it is; only what the launch has beside it shrinks.
pub fn reduce(mut launch: Launch, judge: &mut dyn Persistence) -> Launch {
    if let Some(program) = Program::of(&launch) {
        let printed = program.printed(&launch);
        take(&mut launch, judge, printed);
    }
    for _ in 0..ROUNDS {
        let before = launch.clone();
        one_thread::keep_one_thread(&mut launch, judge);
        one_thread::shrink_grid(&mut launch, judge);
        reduce_program(&mut launch, judge);
        spa::reduce_program(&mut launch, judge);
        items::leave_out(&mut launch, judge);
        items::leave_out_parameters(&mut launch, judge);
        resources::leave_out(&mut launch, judge);
        data::shrink(&mut launch, judge);
        operands::shrink_constants(&mut launch, judge);
        if launch == before {
            break;
        }
    }
    names::renumber(&mut launch, judge);
    launch.program = format!("{}\n", launch.program.trim_end()).into();
    launch
}

fn reduce_program(launch: &mut Launch, judge: &mut dyn Persistence) {
    statements::straighten(launch, judge);
    constants::settle_values(launch, judge);
    statements::leave_out(launch, judge);
    statements::drop_guards(launch, judge);
    operands::inline_values(launch, judge);
    operands::forward_sources(launch, judge);
    statements::leave_out(launch, judge);
}
