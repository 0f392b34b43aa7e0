//! What a target did with a launch.

use crate::{Calls, FaultClass, State};

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
        /// What the calls around it answered.
        calls: Calls,
    },
    /// It refused the program or the launch.
    Rejected {
        /// Where: `parse`, `load`, `launch`.
        stage: String,
        /// Its words.
        message: String,
        /// What the calls around it answered.
        calls: Calls,
    },
    /// It did not come back in time.
    TimedOut {
        /// What the calls around it answered.
        calls: Calls,
    },
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

impl Observation {
    /// A fault of which no more is known than its class.
    pub fn faulted(class: FaultClass) -> Self {
        Self::Faulted { class, code: 0, thread: None, state: None, calls: Calls::default() }
    }

    /// A refusal at a stage, in the target's words.
    pub fn rejected(stage: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Rejected { stage: stage.into(), message: message.into(), calls: Calls::default() }
    }

    /// Not coming back, of which no more is known.
    pub fn timed_out() -> Self {
        Self::TimedOut { calls: Calls::default() }
    }
}
