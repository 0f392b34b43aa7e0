//! Rejects late replies: a worker answers a launch once, and sends no message about it afterwards. An answer is kept back until the
//! worker announces the next launch. After the last launch the worker is sent one more, which only stores a number: when it
//! announces that one, every message about the launch before has been read.

use std::sync::atomic::Ordering;

use super::blame::{UNCLEAR, WorkerFailure};
use super::dialogue::{Dialogue, Worker, beyond, called};
use super::known_launch;
use super::launch_answer::Answer;
use super::outcome;
use super::process::Heard;
use super::protocol::{self, LaunchRequest, Reply, Request};
use super::supervisor::FAREWELL;

/// An answer that another message about its launch may still follow.
pub(super) struct LastAnswer {
    /// Number of the launch.
    pub(super) id: u64,
    /// Index of the launch.
    pub(super) index: usize,
    /// Its answer.
    pub(super) answer: Answer,
}

/// Case name of the launch that is sent after the last one.
const NOTHING_MORE: &str = "warpdiff: does another answer follow the last one?";

impl Dialogue<'_> {
    /// The worker, if nothing follows its last answer and it can be reused.
    pub(super) fn end(mut self) -> Option<Worker> {
        self.settle().then_some(self.worker)
    }

    /// Delivers the last answer: nothing followed it.
    pub(super) fn deliver(&mut self) {
        if let Some(LastAnswer { index, answer, .. }) = self.worker.last_answer.take() {
            self.dispatch.answer(index, answer);
        }
    }

    /// Whether a message is about the launch answered last.
    pub(super) fn is_about_last_answer(&self, reply: &Reply) -> bool {
        self.worker.last_answer.as_ref().is_some_and(|last| is_about(reply, last.id))
    }

    /// Blames the launch answered last for a message after its answer. The worker is lost: it cannot be trusted any more.
    pub(super) fn blame_last(&mut self, reply: &Reply) {
        let Some(LastAnswer { id, .. }) = &self.worker.last_answer else { return };
        let words = match reply {
            Reply::Observed(_) => format!("it answered launch {id} twice"),
            other => format!("it sent {} after it had answered launch {id}", called(other)),
        };
        self.blame_last_for(WorkerFailure::Protocol(words));
    }

    fn blame_last_for(&mut self, failure: WorkerFailure) {
        let said = self.lost(&failure);
        if let Some(LastAnswer { index, .. }) = self.worker.last_answer.take() {
            self.dispatch.blame(index, failure.answer(said, self.limit(index)));
        }
    }

    /// Handles a loss before the due launch was announced. Malformed output may come from the launch answered last: that launch is
    /// run again, alone. After any other loss its answer counts.
    pub(super) fn suspect_last(&mut self, failure: &WorkerFailure) {
        let Some(LastAnswer { index, answer, .. }) = self.worker.last_answer.take() else { return };
        let unclear = &self.dispatch.failed_attempts[index].unclear;
        if failure.is_of_protocol() && unclear.fetch_add(1, Ordering::Relaxed) + 1 < UNCLEAR {
            self.batch.launches.push_front(index);
        } else {
            self.dispatch.answer(index, answer);
        }
    }

    /// Checks that nothing follows the last answer, or blames its launch. Returns whether the worker can be reused.
    pub(super) fn settle(&mut self) -> bool {
        let Some(last) = &self.worker.last_answer else { return true };
        let launch = known_launch::store(64, 8, 7);
        let id = self.worker.next_id;
        let limit = u64::try_from(self.supervisor.limits.launch.as_millis()).unwrap_or(u64::MAX);
        let request = Request::Launch(Box::new(LaunchRequest::new(id, NOTHING_MORE, &launch, limit)));
        let line = protocol::line(&request).unwrap_or_default();
        if beyond(&self.worker.introduction, &launch, line.len()).is_some() {
            self.deliver();
            return true;
        }
        let longest = outcome::longest(self.dispatch.asked[last.index].launch).max(outcome::longest(&launch));
        self.worker.next_id += 1;
        self.worker.process.expect_at_most(longest);
        self.worker.process.send_raw(line);
        let mut started = false;
        loop {
            match self.worker.process.hear(self.supervisor.limits.launch) {
                Heard::Reply(Reply::Started { id: begun }) if begun == id && !started => {
                    started = true;
                    self.deliver();
                }
                Heard::Reply(Reply::Observed(observed)) if observed.id == id && started => {
                    if observed.leaving {
                        self.leave();
                    }
                    return !observed.leaving;
                }
                Heard::Reply(reply) if self.is_about_last_answer(&reply) => {
                    self.blame_last(&reply);
                    return false;
                }
                heard => {
                    // Output that is not about the new launch comes from the launch before.
                    let own = matches!(&heard, Heard::Reply(reply) if is_about(reply, id) || matches!(reply, Reply::Refused { .. }));
                    match self.failure(heard, id, started) {
                        failure @ WorkerFailure::Protocol(_) if !started && !own => {
                            self.blame_last_for(failure)
                        }
                        _ => self.deliver(),
                    }
                    return false;
                }
            }
        }
    }

    /// Waits for the end of a worker that leaves after an answer, and checks that nothing follows the answer.
    pub(super) fn leave(&mut self) {
        self.worker.process.close();
        match self.worker.process.hear(FAREWELL) {
            Heard::Reply(reply) if self.is_about_last_answer(&reply) => self.blame_last(&reply),
            // Replies about launches sent after the last one do not count, nor does the way it ends.
            Heard::Reply(_) | Heard::Ended(_) | Heard::Silence | Heard::RunOver => self.deliver(),
            heard @ (Heard::Garbage(_) | Heard::Oversized(_)) => {
                let failure = self.failure(heard, 0, false);
                self.blame_last_for(failure);
            }
        }
    }
}

/// Whether a message is about the launch or module with this number.
pub(super) fn is_about(reply: &Reply, number: u64) -> bool {
    match reply {
        Reply::Started { id } | Reply::Loaded { id, .. } => *id == number,
        Reply::Observed(observed) => observed.id == number,
        Reply::Hello(_) | Reply::Refused { .. } => false,
    }
}
