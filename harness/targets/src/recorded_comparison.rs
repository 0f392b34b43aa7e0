//! A recording that a target's observations are held against, beside what the specification says of them.

use std::sync::Arc;

use warpdiff_recordings::index::Index;

use super::layered::Layer;

/// A recording that several targets may be held against.
pub struct RecordedComparison(pub Arc<Index>);

impl Layer for RecordedComparison {
    fn recording(&self) -> Option<&Index> {
        Some(&self.0)
    }
}
