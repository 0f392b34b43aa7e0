//! Whether a run keeps a shadow of its values.

/// Whether the shadow is kept.
pub(crate) trait Tracking {
    /// Whether it is.
    const ON: bool;
    /// Whether a recorder notes the operations of one thread, or a watch what all threads do wrong.
    const TRACED: bool = false;
}

/// With definedness, order and races.
pub(crate) struct Tracked;
/// The same, with a recorder of one thread or a watch.
pub(crate) struct Traced;
/// Values only.
pub(crate) struct Untracked;

impl Tracking for Tracked {
    const ON: bool = true;
}
impl Tracking for Traced {
    const ON: bool = true;
    const TRACED: bool = true;
}
impl Tracking for Untracked {
    const ON: bool = false;
}
