//! What comes of a launch after its answer. There should be nothing: a worker answers a launch once. So the answer is held until the
//! worker announces the next launch. Where there is no next one, it is asked to store a number: by the time it announces that, nothing
//! more can come of the launch before, however late it is read.

use std::sync::atomic::Ordering;

use super::answer;
use super::blame::{DOUBTED, Trouble};
use super::dialogue::{Dialogue, Worker, beyond, called};
use super::launch_answer::Answer;
use super::probe;
use super::process::Heard;
use super::protocol::{self, LaunchRequest, Reply, Request};
use super::supervisor::FAREWELL;

/// An answer of which more may come.
pub(super) struct Held {
    /// Number of the launch.
    pub(super) id: u64,
    /// Its place among what was asked.
    pub(super) index: usize,
    /// Its answer.
    pub(super) answer: Answer,
}

/// What the launch is called that is sent to see whether more comes of the one before.
const NOTHING_MORE: &str = "whether anything comes after the last answer";

impl Dialogue<'_> {
    /// The worker, if it can be used again once nothing more comes of what it answered last.
    pub(super) fn end(mut self) -> Option<Worker> {
        self.settle().then_some(self.worker)
    }

    /// Nothing more came of the launch that was answered last: its answer stands.
    pub(super) fn deliver(&mut self) {
        if let Some(Held { index, answer, .. }) = self.worker.held.take() {
            self.dispatch.answer(index, answer);
        }
    }

    /// Whether a message is about the launch that was answered last.
    pub(super) fn is_of_held(&self, reply: &Reply) -> bool {
        self.worker.held.as_ref().is_some_and(|held| is_about(reply, held.id))
    }

    /// Blames the launch that was answered last for a message that came after its answer. The worker is lost: nobody knows what else
    /// it will say.
    pub(super) fn blame_held(&mut self, reply: &Reply) {
        let Some(Held { id, .. }) = &self.worker.held else { return };
        let words = match reply {
            Reply::Observed(_) => format!("it answered launch {id} twice"),
            other => format!("{} came after launch {id} had been answered", called(other)),
        };
        self.blame_held_for(Trouble::Protocol(words));
    }

    fn blame_held_for(&mut self, trouble: Trouble) {
        let said = self.lost(&trouble);
        if let Some(Held { index, .. }) = self.worker.held.take() {
            self.dispatch.blame(index, trouble.answer(said));
        }
    }

    /// The worker is lost before it announced the launch that is due. What it said that is no message may be of the launch before as
    /// well: that is asked again, too, alone. Any other end comes after an answer that counts.
    pub(super) fn doubt_held(&mut self, trouble: &Trouble) {
        let Some(Held { index, answer, .. }) = self.worker.held.take() else { return };
        let doubted = &self.dispatch.tries[index].doubted;
        if trouble.is_of_protocol() && doubted.fetch_add(1, Ordering::Relaxed) + 1 < DOUBTED {
            self.batch.launches.push_front(index);
        } else {
            self.dispatch.answer(index, answer);
        }
    }

    /// Makes sure that nothing more comes of the launch that was answered last, or blames it. Whether the worker can be used again.
    pub(super) fn settle(&mut self) -> bool {
        let Some(held) = &self.worker.held else { return true };
        let launch = probe::store(64, 8, 7);
        let id = self.worker.next_id;
        let limit = u64::try_from(self.supervisor.limits.launch.as_millis()).unwrap_or(u64::MAX);
        let request = Request::Launch(Box::new(LaunchRequest::new(id, NOTHING_MORE, &launch, limit)));
        let line = protocol::line(&request).unwrap_or_default();
        if beyond(&self.worker.introduction, &launch, line.len()).is_some() {
            self.deliver();
            return true;
        }
        let longest = answer::longest(self.dispatch.asked[held.index].launch).max(answer::longest(&launch));
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
                Heard::Reply(reply) if self.is_of_held(&reply) => {
                    self.blame_held(&reply);
                    return false;
                }
                heard => {
                    // What is neither an end nor about the number came of the launch before.
                    let own = matches!(&heard, Heard::Reply(reply) if is_about(reply, id) || matches!(reply, Reply::Refused { .. }));
                    match self.trouble(heard, id, started) {
                        trouble @ Trouble::Protocol(_) if !started && !own => self.blame_held_for(trouble),
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
            Heard::Reply(reply) if self.is_of_held(&reply) => self.blame_held(&reply),
            // What it says of launches that were on their way to it counts as little as that it ends now.
            Heard::Reply(_) | Heard::Ended(_) | Heard::Silence => self.deliver(),
            heard @ (Heard::Garbage(_) | Heard::Oversized(_)) => {
                let trouble = self.trouble(heard, 0, false);
                self.blame_held_for(trouble);
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
