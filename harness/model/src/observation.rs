//! The observed behaviour of a target in a launch.

use crate::{Calls, FaultClass, State};

/// The observed behaviour of a target in a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// It ran to its end and left this state.
    Completed {
        /// The memory afterwards.
        state: State,
    },
    /// It reported a fault.
    Faulted {
        /// The class of its code.
        class: FaultClass,
        /// The target's own code (a CUresult, say), 0 when it has none.
        code: u32,
        /// The faulting thread, where the target can tell: `[ctaid.x, .y, .z, tid.x, .y, .z]`.
        thread: Option<[u32; 6]>,
        /// The memory afterwards, where the target can show it.
        state: Option<State>,
        /// The results of the driver calls around the launch.
        calls: Calls,
    },
    /// It refused the program or the launch.
    Rejected {
        /// The stage: `parse`, `load`, `launch`.
        stage: String,
        /// The message of the target.
        message: String,
        /// The results of the driver calls around the launch.
        calls: Calls,
    },
    /// It did not come back in time.
    TimedOut {
        /// The results of the driver calls around the launch.
        calls: Calls,
    },
    /// Its process died.
    Crashed {
        /// The signal that killed it.
        signal: i32,
    },
    /// It cannot do this.
    Unsupported {
        /// The feature that it lacks.
        what: String,
    },
    /// It was not asked.
    NotRun {
        /// The reason.
        why: String,
    },
}

impl Observation {
    /// A fault with its class alone.
    pub fn faulted(class: FaultClass) -> Self {
        Self::Faulted { class, code: 0, thread: None, state: None, calls: Calls::default() }
    }

    /// A refusal at a stage, in the target's words.
    pub fn rejected(stage: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Rejected { stage: stage.into(), message: message.into(), calls: Calls::default() }
    }

    /// A timeout without further information.
    pub fn timed_out() -> Self {
        Self::TimedOut { calls: Calls::default() }
    }
}
