//! What targets did with launches.

use warpdiff_judge::reference::Unit;
use warpdiff_targets::Answer;

/// What a target did with a launch.
pub struct LaunchAnswers {
    /// As it was planned.
    pub whole: Answer,
    /// Row by row, after the launch that the rows shared had stopped; empty otherwise.
    pub rows: Vec<(Unit<'static>, Answer)>,
}
