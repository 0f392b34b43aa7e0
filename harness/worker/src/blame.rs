//! Who is to blame when a worker is lost, and whether what it ran is asked again.
//!
//! A worker announces each launch (`started`) before it runs it, and has finished with it when it answers (`observed`). So
//! whatever happens between the two is that launch's doing: it alone is blamed, the worker is replaced, and the launches that
//! were waiting behind it run on the new one.
//!
//! | what happens                                   | announced            | not announced                             |
//! |------------------------------------------------|----------------------|-------------------------------------------|
//! | killed from outside (SIGKILL, SIGTERM, …)      | asked again          | asked again                               |
//! | out of processor time (SIGXCPU)                | asked again, then timed out | asked again, then timed out        |
//! | dies of another signal                         | crashed              | asked again alone, then as if announced   |
//! | ends by itself                                 | rejected (`process`) | likewise                                  |
//! | silent for too long                            | timed out            | likewise                                  |
//! | garbage, oversized line, lie, wrong message    | rejected (`protocol`)| likewise                                  |
//!
//! What comes after an answer and before the next launch is announced may be of either. A message with the number of the launch
//! that was answered (a second answer) is its doing: it is rejected (`protocol`). Of anything else that is no proper message both are
//! asked again, each alone; see `late_replies`.
//!
//! "Again" is bounded, so that a launch which kills whatever runs it comes to an end.

use std::sync::atomic::{AtomicU8, Ordering};

use warpdiff_model::Observation;

use super::launch_answer::{Answer, PROCESS, PROTOCOL, failed};
use super::process::Death;
use crate::batch::FailedAttempts;

/// Times a launch is asked whose worker was killed from outside.
pub(super) const KILLED: u8 = 12;
/// Times a launch is asked whose worker ran out of processor time, or failed before it announced the launch.
pub(super) const UNCLEAR: u8 = 2;

/// What went wrong with a worker.
#[derive(Debug)]
pub(super) enum WorkerFailure {
    Death(Death),
    Silence,
    Protocol(String),
}

impl WorkerFailure {
    /// Whether it says nothing of what the worker was doing.
    pub(super) fn is_from_outside(&self) -> bool {
        matches!(self, Self::Death(Death::Signal(signal)) if from_outside(*signal))
    }

    /// Whether it is something that was said, and should not have been.
    pub(super) fn is_of_protocol(&self) -> bool {
        matches!(self, Self::Protocol(_))
    }

    /// Whether the launch with which a worker was lost is asked again: the table above.
    pub(super) fn asks_again(&self, failed_attempts: &FailedAttempts, started: bool) -> bool {
        let again = |count: &AtomicU8, limit: u8| count.fetch_add(1, Ordering::Relaxed) + 1 < limit;
        match self {
            _ if self.is_from_outside() => again(&failed_attempts.killed, KILLED),
            Self::Death(Death::Signal(libc::SIGXCPU)) => again(&failed_attempts.unclear, UNCLEAR),
            _ if !started => again(&failed_attempts.unclear, UNCLEAR),
            _ => false,
        }
    }

    /// What went wrong, in words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Death(death) => death.to_string(),
            Self::Silence => "it sent nothing within the time limit".into(),
            Self::Protocol(why) => why.clone(),
        }
    }

    /// What becomes of a launch that is blamed.
    pub(super) fn answer(&self, said: Option<String>) -> Answer {
        match self {
            Self::Death(Death::Signal(libc::SIGXCPU)) | Self::Silence => {
                Answer { observation: Observation::timed_out(), said }
            }
            Self::Death(Death::Signal(signal)) => {
                Answer { observation: Observation::Crashed { signal: *signal }, said }
            }
            Self::Death(death) => failed(PROCESS, format!("{death} during the launch"), said),
            Self::Protocol(why) => failed(PROTOCOL, why.clone(), said),
        }
    }
}

/// Signals that come from a person, the system or its memory killer rather than from what a process does itself.
pub(super) fn from_outside(signal: i32) -> bool {
    matches!(signal, libc::SIGKILL | libc::SIGTERM | libc::SIGINT | libc::SIGHUP | libc::SIGQUIT)
}
