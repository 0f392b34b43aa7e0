//! The layer that compares a target's observations with a recording, beside the specification.

use std::sync::Arc;

use warpdiff_recordings::index::Index;

use super::layered::Layer;

/// A recording to compare with, which several targets may share.
pub struct RecordedComparison(pub Arc<Index>);

impl Layer for RecordedComparison {
    fn recording(&self) -> Option<&Index> {
        Some(&self.0)
    }
}
