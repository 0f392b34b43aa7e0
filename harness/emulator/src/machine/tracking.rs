//! Whether a run keeps a shadow of its values.

/// Whether the shadow is kept.
pub(crate) trait Tracking {
    /// Whether it is.
    const ON: bool;
}

/// With definedness, order and races.
pub(crate) struct Tracked;
/// Values only.
pub(crate) struct Untracked;

impl Tracking for Tracked {
    const ON: bool = true;
}
impl Tracking for Untracked {
    const ON: bool = false;
}
