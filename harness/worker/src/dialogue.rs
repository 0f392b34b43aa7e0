//! Runs a batch on one worker, message by message: time limits, unexpected replies, losses.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use warpdiff_model::{Launch, Observation};

use super::blame::{KILLED, WorkerFailure};
use super::late_replies::{LastAnswer, is_about};
use super::launch_answer::{Answer, WorkerLaunch};
use super::limits::LaunchLimit;
use super::module::{self, Module};
use super::outcome;
use super::process::{Heard, Process};
use super::protocol::{
    self, Capability, Introduction, LaunchRequest, ModuleRequest, Observed, Reply, Request,
};
use super::supervisor::Supervisor;
use crate::batch::{Batch, Dispatch};

/// Launches sent and not answered, at most.
const WINDOW: usize = 8;

/// A worker that has said `hello`.
pub(super) struct Worker {
    pub(super) process: Process,
    pub(super) introduction: Introduction,
    pub(super) next_id: u64,
    /// Its last answer, until it is known that no message about that launch follows.
    pub(super) last_answer: Option<LastAnswer>,
}

/// A launch sent and not answered.
struct Sent {
    id: u64,
    index: usize,
}

/// A worker and the batch that it runs.
pub(super) struct Dialogue<'a> {
    pub(super) worker: Worker,
    pub(super) supervisor: &'a Supervisor,
    pub(super) dispatch: &'a Dispatch<'a>,
    pub(super) batch: &'a mut Batch,
    /// The loaded module that the launches refer to, with its number.
    module: Option<(u64, Module)>,
    sent: VecDeque<Sent>,
}

/// Result of loading a module.
enum Load {
    /// It is loaded, or the batch has none.
    Done,
    /// The worker refused it and can go on.
    Refused,
    /// The worker is lost.
    Lost,
}

/// Meaning of a worker's next message.
enum Step {
    /// It announces the launch that is due.
    Begun,
    /// It answers that launch; `true` if the worker then ends.
    Answered(Answer, bool),
    /// It is about the launch answered before.
    Late(Reply),
    /// The worker is lost.
    Failed(WorkerFailure),
}

impl<'a> Dialogue<'a> {
    pub(super) fn new(
        worker: Worker,
        supervisor: &'a Supervisor,
        dispatch: &'a Dispatch<'a>,
        batch: &'a mut Batch,
    ) -> Self {
        Self { worker, supervisor, dispatch, batch, module: None, sent: VecDeque::new() }
    }

    /// Runs the batch. Launches without an answer stay in it when the worker is lost. Returns the worker if it can be reused.
    pub(super) fn run(mut self) -> Option<Worker> {
        if self.batch.module.is_some() && !self.settle() {
            return None;
        }
        self.worker.process.forget_words();
        match self.load() {
            Load::Done => {}
            Load::Refused => return Some(self.worker),
            Load::Lost => return None,
        }
        let mut started = false;
        loop {
            self.send();
            let Some(due) = self.sent.front() else { return Some(self.worker) };
            let (id, index) = (due.id, due.index);
            match self.step(id, index, started) {
                Step::Begun => {
                    started = true;
                    self.deliver();
                }
                Step::Answered(answer, leaving) => {
                    self.sent.pop_front();
                    started = false;
                    self.worker.last_answer = Some(LastAnswer { id, index, answer });
                    if leaving {
                        self.put_back();
                        self.leave();
                        return None;
                    }
                    if self.is_suspect(index) && !self.settle() {
                        self.put_back();
                        return None;
                    }
                }
                Step::Late(reply) => {
                    self.blame_last(&reply);
                    self.put_back();
                    return None;
                }
                Step::Failed(WorkerFailure::RunOver) => {
                    self.deliver();
                    self.put_back();
                    return None;
                }
                Step::Failed(failure) => {
                    let said = self.lost(&failure);
                    self.sent.pop_front();
                    self.put_back();
                    self.suspect_last(&failure);
                    if failure.asks_again(&self.dispatch.failed_attempts[index], started) {
                        self.batch.launches.push_front(index);
                    } else {
                        self.dispatch.blame(index, failure.answer(said, self.limit(index)));
                    }
                    return None;
                }
            }
        }
    }

    /// Counts the worker as lost; returns the end of its standard error.
    pub(super) fn lost(&self, failure: &WorkerFailure) -> Option<String> {
        let said = self.worker.process.last_words();
        // A worker killed from outside says nothing about the target.
        if !failure.is_from_outside() {
            let words = said.as_ref().map(|said| format!("; it said: {said}")).unwrap_or_default();
            self.supervisor.health.lost(failure.words() + &words);
        }
        said
    }

    /// Has the worker load the programs of the batch as one module, if there are several. If that fails, the batch is cut in two,
    /// so that in the end a program that cannot be loaded stands alone.
    fn load(&mut self) -> Load {
        let Some(killed) = self.batch.module else { return Load::Done };
        let module = Module::of(&self.batch.launches, self.dispatch.asked, self.dispatch.parts);
        let Some(module) = module else { return Load::Done };
        let id = self.worker.next_id;
        self.worker.next_id += 1;
        let limit = u64::try_from(self.supervisor.limits.module.as_millis()).unwrap_or(u64::MAX);
        let request = ModuleRequest { id, program: module.text.clone(), time_limit_ms: limit };
        self.worker.process.expect_at_most(outcome::WORDS);
        self.worker.process.send(&Request::Module(Box::new(request)));
        let lost = match self.loaded(id) {
            Ok(None) => {
                let programs = module.programs;
                self.supervisor.note(|effort| {
                    effort.modules += 1;
                    effort.shared += programs;
                    effort.largest = effort.largest.max(programs);
                });
                self.module = Some((id, module));
                return Load::Done;
            }
            Ok(Some(_)) => None,
            Err(failure) => Some(failure),
        };
        if let Some(failure) = &lost {
            self.lost(failure);
        }
        self.supervisor.note(|effort| effort.refused += 1);
        match &lost {
            Some(failure) if failure.is_from_outside() && killed + 1 < KILLED => {
                self.batch.module = Some(killed + 1);
            }
            _ => self.dispatch.push(self.batch.split()),
        }
        if lost.is_some() { Load::Lost } else { Load::Refused }
    }

    /// Waits for the reply to a module: `None` where it is loaded, else the worker's reason for refusing it.
    fn loaded(&mut self, id: u64) -> Result<Option<String>, WorkerFailure> {
        let mut started = false;
        loop {
            match self.worker.process.hear(self.supervisor.limits.module) {
                Heard::Reply(Reply::Started { id: begun }) if begun == id && !started => started = true,
                Heard::Reply(Reply::Loaded { id: loaded, refused }) if loaded == id && started => {
                    return Ok(refused);
                }
                other => return Err(self.failure(other, id, started)),
            }
        }
    }

    /// Waits for the next message about this launch.
    fn step(&mut self, id: u64, index: usize, started: bool) -> Step {
        match self.worker.process.hear(self.limit(index).time) {
            Heard::Reply(Reply::Started { id: begun }) if begun == id && !started => Step::Begun,
            Heard::Reply(reply) if self.is_about_last_answer(&reply) => Step::Late(reply),
            Heard::Reply(Reply::Observed(observed)) if observed.id == id && started => {
                let Observed { mut outcome, leaving, .. } = *observed;
                if let Some(suffix) = self.suffix(index) {
                    outcome.strip_variables(&suffix);
                }
                match outcome::observation(outcome, self.dispatch.asked[index].launch) {
                    Ok(observation) => {
                        self.supervisor.health.finished();
                        self.dispatch.confirm_blame();
                        let shared_module = self.suffix(index).is_some();
                        Step::Answered(Answer { shared_module, ..Answer::from(observation) }, leaving)
                    }
                    Err(why) => Step::Failed(WorkerFailure::Protocol(why)),
                }
            }
            other => {
                // A message with this launch's number shows that the worker is done with the launch before.
                if matches!(&other, Heard::Reply(reply) if is_about(reply, id)) {
                    self.deliver();
                }
                Step::Failed(self.failure(other, id, started))
            }
        }
    }

    /// The failure that an unexpected message, malformed line, end or silence means, where a reply about this launch or module was
    /// due.
    pub(super) fn failure(&self, heard: Heard, id: u64, started: bool) -> WorkerFailure {
        match heard {
            Heard::Reply(reply) => WorkerFailure::Protocol(unexpected(&reply, id, started)),
            Heard::Garbage(why) => WorkerFailure::Protocol(format!("not a message: {why}")),
            Heard::Oversized(limit) => WorkerFailure::Protocol(format!(
                "a line longer than the {limit} bytes that an answer can take"
            )),
            Heard::Ended(death) => WorkerFailure::Death(death),
            Heard::Silence => WorkerFailure::Silence,
            Heard::RunOver => WorkerFailure::RunOver,
        }
    }

    /// Suffix of the names of a launch's program in the module.
    fn suffix(&self, index: usize) -> Option<String> {
        let (_, module) = self.module.as_ref()?;
        module.members.get(&index).map(|member| module::suffix(*member))
    }

    /// The time limit of a launch.
    pub(super) fn limit(&self, index: usize) -> LaunchLimit {
        self.supervisor.limits.of(self.dispatch.asked[index].launch)
    }

    /// The request for a launch.
    fn request(&self, id: u64, index: usize) -> LaunchRequest {
        let WorkerLaunch { case, launch, may_fault, .. } = self.dispatch.asked[index];
        let limit = u64::try_from(self.limit(index).time.as_millis()).unwrap_or(u64::MAX);
        let request = LaunchRequest { may_fault, ..LaunchRequest::new(id, case, launch, limit) }
            .in_dialects(&self.worker.introduction.dialects);
        match (&self.module, self.suffix(index)) {
            (Some((module, _)), Some(suffix)) => request.in_module(*module, &suffix),
            _ => request,
        }
    }

    /// Whether an earlier attempt at the launch failed for an unclear reason.
    fn is_suspect(&self, index: usize) -> bool {
        self.dispatch.failed_attempts[index].unclear.load(Ordering::Relaxed) > 0
    }

    /// Returns the launches without an answer to the front of the batch.
    fn put_back(&mut self) {
        self.sent.drain(..).rev().for_each(|sent| self.batch.launches.push_front(sent.index));
    }

    /// Sends launches of the batch, up to the limit of unanswered ones.
    fn send(&mut self) {
        while let Some(index) = self.batch.launches.front().copied() {
            // A suspect launch runs alone, so that it is to blame for whatever happens to its worker.
            let room = if self.batch.alone || self.is_suspect(index) { 1 } else { WINDOW };
            if self.sent.len() >= room || self.sent.iter().any(|sent| self.is_suspect(sent.index)) {
                return;
            }
            self.batch.launches.pop_front();
            let launch = self.dispatch.asked[index].launch;
            let id = self.worker.next_id;
            let request = Request::Launch(Box::new(self.request(id, index)));
            let line = protocol::line(&request).unwrap_or_default();
            if let Some(what) = beyond(&self.worker.introduction, launch, line.len()) {
                let observation = Observation::Unsupported { what };
                self.dispatch.answer(index, Answer::from(observation));
                continue;
            }
            self.worker.next_id += 1;
            self.supervisor.note(|effort| effort.launches += 1);
            self.sent.push_back(Sent { id, index });
            let open = self
                .sent
                .iter()
                .map(|sent| sent.index)
                .chain(self.worker.last_answer.iter().map(|last| last.index));
            let longest = open.map(|index| outcome::longest(self.dispatch.asked[index].launch)).max();
            self.worker.process.expect_at_most(longest.unwrap_or_default());
            self.worker.process.send_raw(line);
        }
    }
}

/// What a launch needs that the worker does not offer, if anything. `line` is the length of its request in bytes.
pub(super) fn beyond(introduction: &Introduction, launch: &Launch, line: usize) -> Option<String> {
    if warpdiff_sass::is_spa(&launch.program) && !introduction.takes_spa() {
        return Some(format!("the target takes no `{}` programs", protocol::SPA));
    }
    let needed = Capability::needed(launch);
    let missing = needed.into_iter().find(|c| !introduction.capabilities.contains(c));
    let longest = introduction.longest_line.filter(|longest| line as u64 > *longest);
    match (missing, longest) {
        (Some(capability), _) => Some(format!("the target does not offer `{}`", capability.name())),
        (None, Some(longest)) => {
            Some(format!("the launch takes a line of {line} bytes, the target reads at most {longest}"))
        }
        (None, None) => None,
    }
}

fn unexpected(reply: &Reply, id: u64, started: bool) -> String {
    let wanted = if started { "observed" } else { "started" };
    format!("expected `{wanted}` for launch {id}, got {}", called(reply))
}

/// A message in words: its type and its launch or module.
pub(super) fn called(reply: &Reply) -> String {
    match reply {
        Reply::Hello(_) => "`hello`".into(),
        Reply::Started { id } => format!("`started` for launch {id}"),
        Reply::Observed(observed) => format!("`observed` for launch {}", observed.id),
        Reply::Loaded { id, .. } => format!("`loaded` for module {id}"),
        Reply::Refused { message } => format!("`refused` ({message})"),
    }
}
