//! The answers of a target to a launch and to its rows.

use warpdiff_judge::reference::Unit;
use warpdiff_targets::Answer;

/// The answers of a target to a launch.
pub struct LaunchAnswers {
    /// The answer to the whole launch.
    pub whole: Answer,
    /// The answers to single rows, if the launch that they shared stopped; empty otherwise.
    pub rows: Vec<(Unit<'static>, Answer)>,
}
