//! What a target did with a launch.

use crate::{FaultClass, State};

/// What a target did with a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// It ran to its end and left this state.
    Completed {
        /// The memory afterwards.
        state: State,
    },
    /// It reported a fault.
    Faulted {
        /// The class its code maps to.
        class: FaultClass,
        /// The target's own code (a CUresult, say), 0 when it has none.
        code: u32,
        /// The faulting thread, where the target can tell: `[ctaid.x, .y, .z, tid.x, .y, .z]`.
        thread: Option<[u32; 6]>,
        /// The memory afterwards, where the target can show it.
        state: Option<State>,
    },
    /// It refused the program or the launch.
    Rejected {
        /// Where: `parse`, `load`, `launch`.
        stage: String,
        /// Its words.
        message: String,
    },
    /// It did not come back in time.
    TimedOut,
    /// Its process died.
    Crashed {
        /// The signal that killed it.
        signal: i32,
    },
    /// It cannot do this.
    Unsupported {
        /// What it cannot do.
        what: String,
    },
    /// It was not asked.
    NotRun {
        /// Why not.
        why: String,
    },
}
