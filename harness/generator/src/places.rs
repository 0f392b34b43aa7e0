//! Where in its text the steps of a program stand, and where in memory their results.

use std::ops::Range;

use warpdiff_model::RegionKind;

use crate::specimen::{Action, Shape, Side, Space, Specimen, Step, WINDOW};

/// Bytes of a slot of the buffers `in` and `out`.
pub const SLOT: usize = 8;

/// The PTX version of programs: the first that has every word of the forms that are generated.
pub(crate) const VERSION: (u32, u32) = (8, 3);

/// The target of programs: the first that has every form that is generated. Targets of other architectures are given programs for theirs, where
/// that is sound.
pub const TARGET: u32 = 90;

/// Name of the kernel.
pub const ENTRY: &str = "specimen";

/// Where the steps stand in the text, and their results in the buffer `out`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// For each slot of `out` the index of the step that writes it.
    pub slots: Vec<usize>,
    /// For each step the range of the program text that holds its instruction; empty where there is no text.
    pub steps: Vec<Range<usize>>,
}

impl Places {
    /// The steps that can have written a byte of the state: the last one is the likeliest culprit for memory, a single one is
    /// certain.
    pub fn writers(&self, specimen: &Specimen, kind: RegionKind, name: &str, offset: usize) -> Vec<usize> {
        let steps = specimen.steps.iter().enumerate();
        match (kind, name) {
            (RegionKind::Buffer, "out") if !self.slots.is_empty() => {
                self.slots.get(offset % (self.slots.len() * SLOT) / SLOT).copied().into_iter().collect()
            }
            (RegionKind::Buffer, "memory") => {
                let within = offset % Specimen::MEMORY_STRIDE;
                let (space, at) = (Space::ALL[within / WINDOW], within % WINDOW);
                steps.filter(|(_, step)| writes_window(step, space, at)).map(|(i, _)| i).collect()
            }
            (RegionKind::Buffer, "common") => {
                let is_there = |step: &Step| matches!(step.shape, Shape::Contended { offset: at } if at as usize == offset / 8 * 8);
                steps.filter(|(_, step)| is_there(step)).map(|(i, _)| i).collect()
            }
            (RegionKind::Surface, _) => {
                steps.filter(|(_, step)| writes_image(step)).map(|(i, _)| i).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Whether a step stores to an image.
fn writes_image(step: &Step) -> bool {
    step.shape == Shape::ImageStore || step.side() == Some(Side::Sink)
}

/// Whether a step may change byte `at` of the window of `space`. Widths are not looked at: no access is wider than 16 bytes.
fn writes_window(step: &Step, space: Space, at: usize) -> bool {
    match step.shape {
        Shape::Store { space: s, offset } | Shape::Atomic { space: s, offset } => {
            let offset = offset as usize;
            s == space && (offset..offset + 16).contains(&at)
        }
        // Where it goes is in a register.
        Shape::Window { space: s, action, .. } => s == space && action != Action::Load,
        _ => false,
    }
}
