//! A batch put to one worker, message by message.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use warpdiff_model::{Launch, Observation};

use super::blame::{KILLED, WorkerFailure};
use super::late_replies::{LastAnswer, is_about};
use super::launch_answer::{Answer, WorkerLaunch};
use super::module::{self, Module};
use super::outcome;
use super::process::{Heard, Process};
use super::protocol::{
    self, Capability, Introduction, LaunchRequest, ModuleRequest, Observed, Reply, Request,
};
use super::supervisor::Supervisor;
use crate::batch::{Batch, Dispatch};

/// Launches that are sent ahead of the one that runs.
const WINDOW: usize = 8;

/// A worker that has said `hello`.
pub(super) struct Worker {
    pub(super) process: Process,
    pub(super) introduction: Introduction,
    pub(super) next_id: u64,
    /// The launch that it answered last, as long as more may come of that.
    pub(super) last_answer: Option<LastAnswer>,
}

/// A launch that was sent.
struct Sent {
    id: u64,
    index: usize,
}

/// A worker with what it has to do.
pub(super) struct Dialogue<'a> {
    pub(super) worker: Worker,
    pub(super) supervisor: &'a Supervisor,
    pub(super) dispatch: &'a Dispatch<'a>,
    pub(super) batch: &'a mut Batch,
    /// The module that launches are of, with its number.
    module: Option<(u64, Module)>,
    sent: VecDeque<Sent>,
}

/// What became of a module.
enum Load {
    /// It is loaded, or there is none.
    Done,
    /// It cannot be loaded; the worker is well.
    Refused,
    /// The worker is lost.
    Lost,
}

/// What a worker's next message came to.
enum Step {
    /// The launch that is due was announced.
    Begun,
    /// It was answered; `true` if the worker leaves.
    Answered(Answer, bool),
    /// More came of the launch before it.
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

    /// Has the worker answer the batch. What is left of it when the worker is lost stays in it. Returns the worker if it
    /// can be used again.
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
                Step::Failed(failure) => {
                    let said = self.lost(&failure);
                    self.sent.pop_front();
                    self.put_back();
                    self.suspect_last(&failure);
                    if failure.asks_again(&self.dispatch.failed_attempts[index], started) {
                        self.batch.launches.push_front(index);
                    } else {
                        self.dispatch.blame(index, failure.answer(said));
                    }
                    return None;
                }
            }
        }
    }

    /// Notes that the worker is lost. Answers what it said.
    pub(super) fn lost(&self, failure: &WorkerFailure) -> Option<String> {
        let said = self.worker.process.last_words();
        // Who kills workers from outside says nothing of the target.
        if !failure.is_from_outside() {
            let words = said.as_ref().map(|said| format!("; it said: {said}")).unwrap_or_default();
            self.supervisor.health.lost(failure.words() + &words);
        }
        said
    }

    /// Has the worker compile the programs of the batch as one module, if there are several. If that cannot be done, the batch
    /// is cut in two, so that in the end nobody suffers from a neighbour.
    fn load(&mut self) -> Load {
        let Some(killed) = self.batch.module else { return Load::Done };
        let module = Module::of(&self.batch.launches, self.dispatch.asked, &self.dispatch.parts);
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

    /// Waits until a module is loaded, or says why it is refused.
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

    /// Waits for the next message, which should be about this launch.
    fn step(&mut self, id: u64, index: usize, started: bool) -> Step {
        match self.worker.process.hear(self.supervisor.limits.launch) {
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
                        Step::Answered(Answer { observation, said: None }, leaving)
                    }
                    Err(lie) => Step::Failed(WorkerFailure::Protocol(lie)),
                }
            }
            other => {
                // What has the number of the launch that is due says nothing of the one before.
                if matches!(&other, Heard::Reply(reply) if is_about(reply, id)) {
                    self.deliver();
                }
                Step::Failed(self.failure(other, id, started))
            }
        }
    }

    /// What is wrong with what was heard where something else about this launch or module was due.
    pub(super) fn failure(&self, heard: Heard, id: u64, started: bool) -> WorkerFailure {
        match heard {
            Heard::Reply(reply) => WorkerFailure::Protocol(unexpected(&reply, id, started)),
            Heard::Garbage(why) => WorkerFailure::Protocol(format!("not a message: {why}")),
            Heard::Oversized(limit) => WorkerFailure::Protocol(format!(
                "a line longer than the {limit} bytes that an answer can take"
            )),
            Heard::Ended(death) => WorkerFailure::Death(death),
            Heard::Silence => WorkerFailure::Silence,
        }
    }

    /// What the names of a launch's program end with in the module.
    fn suffix(&self, index: usize) -> Option<String> {
        let (_, module) = self.module.as_ref()?;
        module.members.get(&index).map(|member| module::suffix(*member))
    }

    /// The request for a launch.
    fn request(&self, id: u64, index: usize) -> LaunchRequest {
        let WorkerLaunch { case, launch, may_fault, .. } = self.dispatch.asked[index];
        let limit = u64::try_from(self.supervisor.limits.launch.as_millis()).unwrap_or(u64::MAX);
        let request = LaunchRequest { may_fault, ..LaunchRequest::new(id, case, launch, limit) }
            .in_dialects(&self.worker.introduction.dialects);
        match (&self.module, self.suffix(index)) {
            (Some((module, _)), Some(suffix)) => request.in_module(*module, &suffix),
            _ => request,
        }
    }

    /// Whether something happened with a launch that may not be its doing.
    fn is_suspect(&self, index: usize) -> bool {
        self.dispatch.failed_attempts[index].unclear.load(Ordering::Relaxed) > 0
    }

    /// Launches that were sent and not begun wait again, before all others.
    fn put_back(&mut self) {
        self.sent.drain(..).rev().for_each(|sent| self.batch.launches.push_front(sent.index));
    }

    /// Sends what is waiting, as far ahead as is wise.
    fn send(&mut self) {
        while let Some(index) = self.batch.launches.front().copied() {
            // A launch in doubt runs alone, so that what happens to its worker is its doing.
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
                self.dispatch.answer(index, Answer { observation, said: None });
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

/// What of a launch is beyond the worker, if anything.
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

/// What a message is called: its type, and what it is about.
pub(super) fn called(reply: &Reply) -> String {
    match reply {
        Reply::Hello(_) => "`hello`".into(),
        Reply::Started { id } => format!("`started` for launch {id}"),
        Reply::Observed(observed) => format!("`observed` for launch {}", observed.id),
        Reply::Loaded { id, .. } => format!("`loaded` for module {id}"),
        Reply::Refused { message } => format!("`refused` ({message})"),
    }
}
