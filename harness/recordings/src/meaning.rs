//! What a launch means: inputs, body and launch, but neither the kernel that the harness writes around a body nor how rows
//! are laid out in its buffers. A recording is attached to a launch by this, so that a change of the wrapper does not orphan
//! it, and a change of the case does.
//!
//! A meaning is a hash over what [`super::encoding`] writes of a launch: of a table its rows and columns, of any other program what
//! it is started with.

use warpdiff_corpus::plan::{Column, PlannedLaunch, Row};

use super::encoding::{self, Encoder};

/// What is hashed, as the hash itself has it.
const WHAT: &str = "meaning of a launch";
/// Version of what is hashed and how. It stands in the key as well; a recording under other keys has another format.
const VERSION: u64 = 1;
/// Hexadecimal digits of a meaning: it only has to tell apart what one launch of one variant has meant over time.
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
    to.list("rows", &planned.rows, |to, Row { index: _, inputs, location: _ }| {
        to.list("inputs", inputs, |to, (name, value)| {
            to.text("input", name);
            to.text("value", value);
        });
    });
    to.list("columns", &planned.columns, |to, Column { name, ty, offset: _, size: _ }| {
        to.text("column", name);
        to.text("type", ty);
    });
    // What is divided into rows has the inputs, in an order of the harness's own, and the outputs.
    let buffers: Vec<_> = launch.buffers.iter().filter(|buffer| buffer.stride == 0).collect();
    to.list("buffers", buffers, encoding::buffer);
    to.list("surfaces", &launch.surfaces, encoding::surface);
    to.list("textures", &launch.textures, encoding::texture);
    // Of a table the harness chooses how it is started.
    if planned.rows.is_empty() {
        encoding::start(&mut to, launch);
    }
    to.number("step budget", launch.step_budget);
    to.digest()
}

/// The parts of the program that the case says: what was copied from it, version and target. All of it where nothing was.
fn said(planned: &PlannedLaunch) -> Vec<&str> {
    let text = &planned.launch.program;
    if planned.map.pieces.is_empty() {
        return vec![text];
    }
    let directives = text.lines().filter(|line| line.starts_with(".version") || line.starts_with(".target"));
    let pieces = planned.map.pieces.iter().map(|(range, _)| text.get(range.clone()).unwrap_or_default());
    directives.chain(pieces).collect()
}

/// Which rows of its case a launch runs: what tells launches of a variant apart that mean the same.
pub fn part(planned: &PlannedLaunch) -> String {
    match planned.rows.as_slice() {
        [] => "whole".into(),
        [row] => format!("row {}", row.index),
        [first, .., last] => format!("rows {} to {}", first.index, last.index),
    }
}
