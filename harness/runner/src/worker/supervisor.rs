//! Many launches on workers that may die.
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
//! "Again" is bounded, so that a launch which kills whatever runs it comes to an end.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use warpdiff_model::{Launch, Observation};

use super::command::CommandLine;
use super::limits::Limits;
use super::process::{Death, Heard, Process, Unusable};
use super::protocol::{Capability, Introduction, LaunchRequest, Observed, Reply, Request};
use super::{answer, protocol};

/// The stage at which a launch is rejected whose worker ended by itself, or could not be started.
pub const PROCESS: &str = "process";
/// The stage at which a launch is rejected whose worker broke the protocol.
pub const PROTOCOL: &str = "protocol";
/// Launches that are sent ahead of the one that runs.
const WINDOW: usize = 8;
/// Times a launch is asked whose worker was killed from outside.
const KILLED: u8 = 12;
/// Times a launch is asked whose worker ran out of processor time, or failed before it announced the launch.
const DOUBTED: u8 = 2;
/// Times a worker is started that is killed from outside before it says `hello`.
const STARTS: u32 = 25;
/// Time to end for a worker that is not needed any more.
const FAREWELL: Duration = Duration::from_millis(500);

/// A launch to be observed.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The case it belongs to: for the target's own logs.
    pub case: &'a str,
    /// The launch.
    pub launch: &'a Launch,
}

/// What became of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The observation.
    pub observation: Observation,
    /// What the worker wrote to its standard error, the last of it, where the worker failed.
    pub said: Option<String>,
}

/// Workers of one command.
pub struct Supervisor {
    command: CommandLine,
    limits: Limits,
    idle: Mutex<Vec<Worker>>,
}

struct Worker {
    process: Process,
    introduction: Introduction,
    next_id: u64,
}

/// The launches of one call.
struct Batch<'a> {
    asked: &'a [Asked<'a>],
    answers: Vec<Option<Answer>>,
    waiting: VecDeque<usize>,
    killed: Vec<u8>,
    doubted: Vec<u8>,
}

/// A launch that was sent.
struct Sent {
    id: u64,
    index: usize,
}

/// What went wrong with a worker.
enum Trouble {
    Death(Death),
    Silence,
    Protocol(String),
}

impl Supervisor {
    /// Workers of this command; none is started yet.
    pub fn new(command: CommandLine, limits: Limits) -> Self {
        Self { command, limits, idle: Mutex::default() }
    }

    /// Starts a first worker, to see whether that is possible.
    ///
    /// # Errors
    /// Why not, as a lowercase fragment.
    pub fn prepare(&self) -> Result<Introduction, String> {
        let worker = self.worker()?;
        let introduction = worker.introduction.clone();
        self.idle().push(worker);
        Ok(introduction)
    }

    /// Observes launches; the answers are in their order.
    pub fn observe(&self, asked: &[Asked<'_>]) -> Vec<Answer> {
        let mut batch = Batch {
            asked,
            answers: vec![None; asked.len()],
            waiting: (0..asked.len()).collect(),
            killed: vec![0; asked.len()],
            doubted: vec![0; asked.len()],
        };
        while !batch.waiting.is_empty() {
            match self.worker() {
                Ok(worker) => {
                    if let Some(worker) = self.serve(worker, &mut batch) {
                        self.idle().push(worker);
                    }
                }
                Err(why) => batch.give_up(&why),
            }
        }
        let missing = || failed(PROCESS, "warpdiff lost the answer".into(), None);
        batch.answers.into_iter().map(|answer| answer.unwrap_or_else(missing)).collect()
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle worker or a new one.
    fn worker(&self) -> Result<Worker, String> {
        if let Some(worker) = self.idle().pop() {
            return Ok(worker);
        }
        for _ in 1..STARTS {
            match Process::greet(self.command.words(), &self.limits) {
                Ok((process, introduction)) => return Ok(Worker { process, introduction, next_id: 1 }),
                Err(Unusable { death: Some(Death::Signal(signal)), .. }) if from_outside(signal) => {
                    thread::sleep(Duration::from_millis(10));
                }
                Err(Unusable { why, .. }) => return Err(why),
            }
        }
        Err("every worker was killed before it said `hello`".into())
    }

    /// Has a worker answer what is waiting. Returns it if it can be used again.
    fn serve(&self, mut worker: Worker, batch: &mut Batch<'_>) -> Option<Worker> {
        let mut sent: VecDeque<Sent> = VecDeque::new();
        let mut started = false;
        worker.process.forget_words();
        let mut until = Instant::now() + self.limits.launch;
        loop {
            self.send(&mut worker, batch, &mut sent);
            let Some(first) = sent.front() else { return Some(worker) };
            let (id, index) = (first.id, first.index);
            let heard = worker.process.hear(until.saturating_duration_since(Instant::now()));
            until = Instant::now() + self.limits.launch;
            let trouble = match heard {
                Heard::Reply(Reply::Started { id: begun }) if begun == id && !started => {
                    started = true;
                    continue;
                }
                Heard::Reply(Reply::Observed(observed)) if observed.id == id && started => {
                    let Observed { outcome, leaving, .. } = *observed;
                    match answer::observation(outcome, batch.asked[index].launch) {
                        Ok(observation) => {
                            batch.answers[index] = Some(Answer { observation, said: None });
                            sent.pop_front();
                            started = false;
                            if leaving {
                                batch.put_back(sent);
                                worker.process.finish(FAREWELL);
                                return None;
                            }
                            continue;
                        }
                        Err(lie) => Trouble::Protocol(lie),
                    }
                }
                Heard::Reply(reply) => Trouble::Protocol(unexpected(&reply, id, started)),
                Heard::Garbage(why) => Trouble::Protocol(format!("no message: {why}")),
                Heard::Oversized(limit) => {
                    Trouble::Protocol(format!("a line longer than the {limit} bytes that an answer can take"))
                }
                Heard::Ended(death) => Trouble::Death(death),
                Heard::Silence => Trouble::Silence,
            };
            sent.pop_front();
            batch.put_back(sent);
            batch.blame(index, &trouble, started, worker.process.last_words());
            return None;
        }
    }

    /// Sends what is waiting, as far ahead as is wise.
    fn send(&self, worker: &mut Worker, batch: &mut Batch<'_>, sent: &mut VecDeque<Sent>) {
        while let Some(index) = batch.waiting.front().copied() {
            // A launch in doubt runs alone, so that what happens to its worker is its doing.
            let alone = |index: usize| batch.doubted[index] > 0;
            let room = if alone(index) { 1 } else { WINDOW };
            if sent.len() >= room || sent.iter().any(|s| alone(s.index)) {
                return;
            }
            batch.waiting.pop_front();
            let Asked { case, launch } = batch.asked[index];
            let limit = u64::try_from(self.limits.launch.as_millis()).unwrap_or(u64::MAX);
            let id = worker.next_id;
            let request = Request::Launch(Box::new(LaunchRequest::new(id, case, launch, limit)));
            let line = protocol::line(&request).unwrap_or_default();
            if let Some(what) = beyond(&worker.introduction, launch, line.len()) {
                let observation = Observation::Unsupported { what };
                batch.answers[index] = Some(Answer { observation, said: None });
                continue;
            }
            worker.next_id += 1;
            sent.push_back(Sent { id, index });
            let longest = sent.iter().map(|s| answer::longest(batch.asked[s.index].launch)).max();
            worker.process.expect_at_most(longest.unwrap_or_default());
            worker.process.send_raw(line);
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        for worker in self.idle().drain(..) {
            worker.process.finish(FAREWELL);
        }
    }
}

impl Batch<'_> {
    /// Launches that were sent and not begun wait again, before all others.
    fn put_back(&mut self, sent: VecDeque<Sent>) {
        sent.into_iter().rev().for_each(|s| self.waiting.push_front(s.index));
    }

    /// Decides what becomes of the launch with which a worker was lost: the table above.
    fn blame(&mut self, index: usize, trouble: &Trouble, started: bool, said: Option<String>) {
        let again = match trouble {
            Trouble::Death(Death::Signal(signal)) if from_outside(*signal) => {
                self.killed[index] += 1;
                self.killed[index] < KILLED
            }
            Trouble::Death(Death::Signal(libc::SIGXCPU)) => {
                self.doubted[index] += 1;
                self.doubted[index] < DOUBTED
            }
            _ if !started => {
                self.doubted[index] += 1;
                self.doubted[index] < DOUBTED
            }
            _ => false,
        };
        if again {
            self.waiting.push_front(index);
            return;
        }
        self.answers[index] = Some(match trouble {
            Trouble::Death(Death::Signal(libc::SIGXCPU)) | Trouble::Silence => {
                Answer { observation: Observation::timed_out(), said }
            }
            Trouble::Death(Death::Signal(signal)) => {
                Answer { observation: Observation::Crashed { signal: *signal }, said }
            }
            Trouble::Death(death) => failed(PROCESS, format!("{death} during the launch"), said),
            Trouble::Protocol(why) => failed(PROTOCOL, why.clone(), said),
        });
    }

    /// Answers everything that waits with why no worker can be had.
    fn give_up(&mut self, why: &str) {
        for index in self.waiting.drain(..) {
            self.answers[index] = Some(failed(PROCESS, why.into(), None));
        }
    }
}

fn failed(stage: &str, message: String, said: Option<String>) -> Answer {
    Answer { observation: Observation::rejected(stage, message), said }
}

/// Signals that come from a person, the system or its memory killer rather than from what a process does itself.
fn from_outside(signal: i32) -> bool {
    matches!(signal, libc::SIGKILL | libc::SIGTERM | libc::SIGINT | libc::SIGHUP | libc::SIGQUIT)
}

/// What of a launch is beyond the worker, if anything.
fn beyond(introduction: &Introduction, launch: &Launch, line: usize) -> Option<String> {
    let needed = Capability::needed(launch);
    let missing = needed.into_iter().find(|c| !introduction.capabilities.contains(c));
    let longest = introduction.longest_line.filter(|longest| line as u64 > *longest);
    match (missing, longest) {
        (Some(capability), _) => Some(format!("the target does not offer `{}`", capability.name())),
        (None, Some(longest)) => {
            Some(format!("a launch of {line} bytes, where the target reads lines of {longest}"))
        }
        (None, None) => None,
    }
}

fn unexpected(reply: &Reply, id: u64, started: bool) -> String {
    let wanted = if started { "observed" } else { "started" };
    let came = match reply {
        Reply::Hello(_) => "`hello`".into(),
        Reply::Started { id } => format!("`started` for launch {id}"),
        Reply::Observed(observed) => format!("`observed` for launch {}", observed.id),
        Reply::Refused { message } => format!("`refused` ({message})"),
    };
    format!("{came} came where `{wanted}` for launch {id} was due")
}
