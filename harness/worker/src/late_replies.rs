//! What comes of a launch after its answer. There should be nothing: a worker answers a launch once. So the answer is held until the
//! worker announces the next launch. Where there is no next one, it is asked to store a number: by the time it announces that, nothing
//! more can come of the launch before, however late it is read.

use std::sync::atomic::Ordering;

use super::blame::{UNCLEAR, WorkerFailure};
use super::dialogue::{Dialogue, Worker, beyond, called};
use super::launch_answer::Answer;
use super::outcome;
use super::probe;
use super::process::Heard;
use super::protocol::{self, LaunchRequest, Reply, Request};
use super::supervisor::FAREWELL;

/// An answer of which more may come.
pub(super) struct LastAnswer {
    /// Number of the launch.
    pub(super) id: u64,
    /// Its place among what was asked.
    pub(super) index: usize,
    /// Its answer.
    pub(super) answer: Answer,
}

/// What the launch is called that is sent to see whether more comes of the one before.
const NOTHING_MORE: &str = "warpdiff: does another answer follow the last one?";

impl Dialogue<'_> {
    /// The worker, if it can be used again once nothing more comes of what it answered last.
    pub(super) fn end(mut self) -> Option<Worker> {
        self.settle().then_some(self.worker)
    }

    /// Nothing more came of the launch that was answered last: its answer stands.
    pub(super) fn deliver(&mut self) {
        if let Some(LastAnswer { index, answer, .. }) = self.worker.last_answer.take() {
            self.dispatch.answer(index, answer);
        }
    }

    /// Whether a message is about the launch that was answered last.
    pub(super) fn is_about_last_answer(&self, reply: &Reply) -> bool {
        self.worker.last_answer.as_ref().is_some_and(|last| is_about(reply, last.id))
    }

    /// Blames the launch that was answered last for a message that came after its answer. The worker is lost: nobody knows what else
    /// it will say.
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
            self.dispatch.blame(index, failure.answer(said));
        }
    }

    /// The worker is lost before it announced the launch that is due. What it said that is no message may be of the launch before as
    /// well: that is asked again, too, alone. Any other end comes after an answer that counts.
    pub(super) fn suspect_last(&mut self, failure: &WorkerFailure) {
        let Some(LastAnswer { index, answer, .. }) = self.worker.last_answer.take() else { return };
        let unclear = &self.dispatch.failed_attempts[index].unclear;
        if failure.is_of_protocol() && unclear.fetch_add(1, Ordering::Relaxed) + 1 < UNCLEAR {
            self.batch.launches.push_front(index);
        } else {
            self.dispatch.answer(index, answer);
        }
    }

    /// Makes sure that nothing more comes of the launch that was answered last, or blames it. Whether the worker can be used again.
    pub(super) fn settle(&mut self) -> bool {
        let Some(last) = &self.worker.last_answer else { return true };
        let launch = probe::store(64, 8, 7);
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
                    // What is neither an end nor about the number came of the launch before.
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

    /// Lets a worker end that leaves after an answer, and hears whether more comes of that.
    pub(super) fn leave(&mut self) {
        self.worker.process.close();
        match self.worker.process.hear(FAREWELL) {
            Heard::Reply(reply) if self.is_about_last_answer(&reply) => self.blame_last(&reply),
            // What it says of launches that were on their way to it counts as little as that it ends now.
            Heard::Reply(_) | Heard::Ended(_) | Heard::Silence => self.deliver(),
            heard @ (Heard::Garbage(_) | Heard::Oversized(_)) => {
                let failure = self.failure(heard, 0, false);
                self.blame_last_for(failure);
            }
        }
    }
}

/// Whether a message is about the launch or module of that number.
pub(super) fn is_about(reply: &Reply, number: u64) -> bool {
    match reply {
        Reply::Started { id } | Reply::Loaded { id, .. } => *id == number,
        Reply::Observed(observed) => observed.id == number,
        Reply::Hello(_) | Reply::Refused { .. } => false,
    }
}
