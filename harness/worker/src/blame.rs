//! Finds the launch to blame when a worker is lost, and decides which launches are run again.
//!
//! A worker announces each launch (`started`) before it runs it, and is done with it when it answers (`observed`). A failure
//! between the two is blamed on that launch alone; the worker is replaced, and the launches behind it run on the new worker.
//!
//! | the worker                                     | launch announced     | launch not announced                      |
//! |------------------------------------------------|----------------------|-------------------------------------------|
//! | killed from outside (SIGKILL, SIGTERM, …)      | run again            | run again                                 |
//! | out of processor time (SIGXCPU)                | run again, then timed out | run again, then timed out            |
//! | dies of another signal                         | crashed              | run again alone, then as if announced     |
//! | ends by itself                                 | rejected (`process`) | likewise                                  |
//! | silent for too long                            | timed out            | likewise                                  |
//! | malformed, oversized, untrue or wrong message  | rejected (`protocol`)| likewise                                  |
//!
//! Output between an answer and the next announcement may belong to either launch. A message with the number of the answered launch
//! (a second answer) is blamed on that launch: it is rejected (`protocol`). After any other malformed output both launches are run
//! again, each alone; see `late_replies`.
//!
//! The number of attempts is bounded, so that a launch which kills every worker comes to an end.

use std::sync::atomic::{AtomicU8, Ordering};

use warpdiff_model::Observation;

use super::launch_answer::{Answer, PROCESS, PROTOCOL, failed};
use super::limits::LaunchLimit;
use super::process::Death;
use super::run_end;
use crate::batch::FailedAttempts;
use crate::system::{is_from_outside, is_out_of_time};

/// Limit of attempts at a launch whose worker is killed from outside.
pub(super) const KILLED: u8 = 12;
/// Limit of attempts at a launch whose worker runs out of processor time, or fails before it announces the launch.
pub(super) const UNCLEAR: u8 = 2;

/// Why a worker is lost.
#[derive(Debug)]
pub(super) enum WorkerFailure {
    Death(Death),
    Silence,
    Protocol(String),
    /// It is not needed any more.
    RunOver,
}

impl WorkerFailure {
    /// Whether the cause lies outside the worker.
    pub(super) fn is_from_outside(&self) -> bool {
        match self {
            Self::Death(Death::Signal(signal)) => is_from_outside(*signal),
            Self::RunOver => true,
            _ => false,
        }
    }

    /// Whether the worker sent something that the protocol does not permit.
    pub(super) fn is_of_protocol(&self) -> bool {
        matches!(self, Self::Protocol(_))
    }

    /// Whether the launch is run again, by the table above; counts the attempt.
    pub(super) fn asks_again(&self, failed_attempts: &FailedAttempts, started: bool) -> bool {
        let again = |count: &AtomicU8, limit: u8| count.fetch_add(1, Ordering::Relaxed) + 1 < limit;
        match self {
            _ if self.is_from_outside() => again(&failed_attempts.killed, KILLED),
            Self::Death(Death::Signal(signal)) if is_out_of_time(*signal) => {
                again(&failed_attempts.unclear, UNCLEAR)
            }
            _ if !started => again(&failed_attempts.unclear, UNCLEAR),
            _ => false,
        }
    }

    /// The failure in words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Death(death) => death.to_string(),
            Self::Silence => "it sent nothing within the time limit".into(),
            Self::Protocol(why) => why.clone(),
            Self::RunOver => run_end::CUT_SHORT.into(),
        }
    }

    /// The answer to a launch that is blamed for the failure.
    /// `limit` is the time limit of the launch.
    pub(super) fn answer(&self, said: Option<String>, limit: LaunchLimit) -> Answer {
        match self {
            Self::Silence => Answer { said, limit: Some(limit), ..Answer::from(Observation::timed_out()) },
            Self::Death(Death::Signal(signal)) if is_out_of_time(*signal) => {
                Answer { said, ..Answer::from(Observation::timed_out()) }
            }
            Self::Death(Death::Signal(signal)) => {
                Answer { said, ..Answer::from(Observation::Crashed { signal: *signal }) }
            }
            Self::Death(death) => failed(PROCESS, format!("{death} during the launch"), said),
            Self::Protocol(why) => failed(PROTOCOL, why.clone(), said),
            Self::RunOver => Observation::NotRun { why: run_end::CUT_SHORT.into() }.into(),
        }
    }
}
