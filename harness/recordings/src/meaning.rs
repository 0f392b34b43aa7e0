//! The meaning of a launch: the key by which a recording finds it again. It depends neither on the kernel that the harness
//! writes around a body nor on the layout of rows in buffers. A recording stays attached to its launches
//! when the kernel changes, and not when the case does.
//!
//! A meaning is a hash of the launch's encoding ([`super::encoding`]): of a table its rows and columns, of any other program its
//! entry, shape and arguments.

use warpdiff_corpus::plan::{Column, PlannedLaunch, Row};

use super::encoding::{self, Encoder};

/// Subject of the hash.
const WHAT: &str = "meaning of a launch";
/// Version of the encoding, which is part of the key; a recording with other keys has another format.
const VERSION: u64 = 1;
/// Hexadecimal digits of a meaning: enough to tell versions of one launch of a variant apart.
const DIGITS: usize = 16;

/// The meaning of a launch: `v1-`, then the beginning of a hash in hexadecimal.
pub fn meaning(planned: &PlannedLaunch) -> String {
    let mut digest = digest(planned);
    digest.truncate(DIGITS);
    format!("v{VERSION}-{digest}")
}

fn digest(planned: &PlannedLaunch) -> String {
    let launch = &planned.launch;
    let mut to = Encoder::new(WHAT, VERSION);
    to.list("program", said(planned), |to, part| to.text("part", part));
    to.list("rows", &planned.rows, |to, row: &Row| {
        to.list("inputs", row.inputs.iter().collect::<Vec<_>>(), |to, (name, value)| {
            to.text("input", name);
            to.text("value", value);
        });
    });
    to.list("columns", planned.columns.iter(), |to, Column { name, ty, offset: _, size: _ }| {
        to.text("column", name);
        to.text("type", ty);
    });
    // Buffers divided into rows hold inputs and outputs, in an order that the harness chooses.
    let buffers: Vec<_> = launch.buffers.iter().filter(|buffer| buffer.stride == 0).collect();
    to.list("buffers", buffers, encoding::buffer);
    to.list("surfaces", &launch.surfaces, encoding::surface);
    to.list("textures", &launch.textures, encoding::texture);
    // The harness chooses entry, shape and arguments of a table.
    if planned.rows.is_empty() {
        encoding::start(&mut to, launch);
    }
    to.number("step budget", launch.step_budget);
    to.digest()
}

/// The parts of the program that the case states: text copied from the case, version and target. The whole program where no text
/// was copied.
fn said(planned: &PlannedLaunch) -> Vec<&str> {
    let text = &planned.launch.program;
    if planned.map.is_empty() {
        return vec![text];
    }
    let directives = text.lines().filter(|line| line.starts_with(".version") || line.starts_with(".target"));
    let pieces = planned.map.ranges().map(|range| text.get(range).unwrap_or_default());
    directives.chain(pieces).collect()
}

/// The rows of its case that a launch runs: `row 3`, `rows 0 to 7`, `whole`. It tells launches of a variant with the same meaning
/// apart.
pub fn part(planned: &PlannedLaunch) -> String {
    match planned.rows.as_slice() {
        [] => "whole".into(),
        [row] => format!("row {}", row.index),
        [first, .., last] => format!("rows {} to {}", first.index, last.index),
    }
}
