//! What a launch means: inputs, body and launch, but neither the kernel that the harness writes around a body nor how rows
//! are laid out in its buffers. A recording is attached to a launch by this, so that a change of the wrapper does not orphan
//! it, and a change of the case does.

use sha2::{Digest, Sha256};

use crate::plan::PlannedLaunch;
use crate::recording::hex_digest;

/// Hexadecimal digits of a meaning: it only has to tell apart what one launch of one variant has meant over time.
const DIGITS: usize = 16;

/// The beginning of a hash over the meaning of a launch, in hexadecimal.
pub fn meaning(planned: &PlannedLaunch) -> String {
    let launch = &planned.launch;
    let mut hasher = Sha256::new();
    let mut put = |bytes: &[u8]| {
        // With its length before it, so that no two lists of fields run together to the same bytes.
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    program(planned, &mut put);
    for row in &planned.rows {
        for (name, value) in &row.inputs {
            put(name.as_bytes());
            put(value.as_bytes());
        }
    }
    for column in &planned.columns {
        put(column.name.as_bytes());
        put(column.ty.as_bytes());
    }
    for buffer in launch.buffers.iter().filter(|b| b.stride == 0) {
        put(buffer.name.as_bytes());
        put(&buffer.bytes);
        put(&buffer.defined);
    }
    for surface in &launch.surfaces {
        put(surface.name.as_bytes());
        let shape = (surface.geometry, surface.extent, surface.layers, surface.format, &surface.bound_to);
        put(format!("{shape:?}").as_bytes());
        put(&surface.bytes);
    }
    for warpdiff_model::Texture { image, sampler } in &launch.textures {
        put(image.name.as_bytes());
        let shape = (image.geometry, image.extent, image.layers, image.format, &image.bound_to, sampler);
        put(format!("{shape:?}").as_bytes());
        put(&image.bytes);
    }
    // What else a whole program is launched with; the harness chooses it for a table.
    if planned.columns.is_empty() {
        put(format!("{:?}", (&launch.entry, launch.grid, launch.block, &launch.arguments)).as_bytes());
        put(format!("{:?}", (launch.dynamic_shared, &launch.observed_variables)).as_bytes());
        for write in &launch.host_writes {
            put(write.variable.as_bytes());
            put(&write.bytes);
        }
    }
    put(&launch.step_budget.to_le_bytes());
    let mut meaning = hex_digest(hasher);
    meaning.truncate(DIGITS);
    meaning
}

/// The parts of the program that the case says: what was copied from it, version and target. All of it where nothing was.
fn program(planned: &PlannedLaunch, put: &mut impl FnMut(&[u8])) {
    let text = &planned.launch.program;
    if planned.map.pieces.is_empty() {
        return put(text.as_bytes());
    }
    let directive = |line: &&str| line.starts_with(".version") || line.starts_with(".target");
    text.lines().filter(directive).for_each(|line| put(line.as_bytes()));
    for (range, _) in &planned.map.pieces {
        put(text.get(range.clone()).unwrap_or_default().as_bytes());
    }
}

/// Which rows of its case a launch runs: what tells launches of a variant apart that mean the same.
pub fn part(planned: &PlannedLaunch) -> String {
    match planned.rows.as_slice() {
        [] => "whole".into(),
        [row] => format!("row {}", row.index),
        [first, .., last] => format!("rows {} to {}", first.index, last.index),
    }
}
