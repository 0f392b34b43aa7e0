//! Many launches on workers that may die: several workers side by side, each with a batch, replaced when they are lost.
//! Who is to blame then, `blame` says; nobody else is hurt, and no launch is lost.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use super::blame::from_outside;
use super::command::CommandLine;
use super::dialogue::{Dialogue, Worker};
use super::health::Health;
use super::launch_answer::{Answer, Effort, WorkerLaunch};
use super::limits::Limits;
use super::module::Fitting;
use super::probe;
use super::process::{Death, Process, Unusable};
use super::protocol::{Capability, Introduction};
use crate::batch::{Batch, Dispatch};

/// Times a worker is started that is killed from outside before it says `hello`.
const STARTS: u32 = 25;
/// Times in a row that a worker cannot be started for a batch, from which on the batch is given up.
const TRIES: u32 = 16;
/// Time to end for a worker that is not needed any more.
pub(super) const FAREWELL: Duration = Duration::from_millis(500);

/// What workers make of a program before they load it; `None` of one that they do not load.
pub type Fit = Box<dyn for<'t> Fn(&'t str) -> Option<Cow<'t, str>> + Send + Sync>;

/// Workers of one command.
pub struct Supervisor {
    command: CommandLine,
    pub(super) limits: Limits,
    /// Those that wait for launches of the usual kind, and those for launches that run alone.
    idle: [Mutex<Vec<Worker>>; 2],
    /// Whether workers take several programs as one module, once one has said so.
    takes_modules: OnceLock<bool>,
    /// What workers make of a program before they load it, once that is known; nothing otherwise.
    fitting: OnceLock<Fit>,
    effort: Mutex<Effort>,
    pub(super) health: Health,
}

impl Supervisor {
    /// Workers of this command; none is started yet.
    pub fn new(command: CommandLine, limits: Limits) -> Self {
        Self {
            command,
            limits,
            idle: Default::default(),
            takes_modules: OnceLock::new(),
            fitting: OnceLock::new(),
            effort: Mutex::default(),
            health: Health::default(),
        }
    }

    /// Starts a first worker, to see whether that is possible.
    ///
    /// # Errors
    /// Why not, as a lowercase fragment.
    pub fn prepare(&self) -> Result<Introduction, String> {
        let worker = self.worker(false)?;
        let introduction = worker.introduction.clone();
        self.idle(false).push(worker);
        Ok(introduction)
    }

    /// From now on programs share modules as `fitting` has them, not as they are written; of which it has nothing, those stand
    /// alone. Only the first call has an effect.
    pub fn share_fitted(&self, fitting: Fit) {
        self.fitting.get_or_init(|| fitting);
    }

    /// Observes launches; the answers are in their order.
    pub fn observe(&self, asked: &[WorkerLaunch<'_>]) -> Vec<Answer> {
        let answers: Vec<OnceLock<Answer>> = asked.iter().map(|_| OnceLock::new()).collect();
        self.observe_all(asked, &|index, answer| drop(answers[index].set(answer)));
        answers.into_iter().map(|answer| answer.into_inner().unwrap_or_else(Answer::lost)).collect()
    }

    /// Observes one launch.
    pub fn observe_one(&self, asked: WorkerLaunch<'_>) -> Answer {
        self.observe(&[asked]).pop().unwrap_or_else(Answer::lost)
    }

    /// Observes launches on as many workers as there may be at a time. `answered` is called once for each of them as soon as
    /// it has its answer, in any order and from any thread, with its place among what was asked.
    pub fn observe_all(&self, asked: &[WorkerLaunch<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        let jobs = self.limits.jobs.max(1);
        let modules = self.takes_modules.get().copied().unwrap_or_default();
        let fitting: Fitting<'_> = self.fitting.get().map_or(&as_it_is, |fit| &**fit);
        let dispatch = Dispatch::new(asked, jobs, modules.then_some(fitting), answered);
        let threads = jobs.min(dispatch.waiting());
        match threads {
            0 | 1 => self.work(&dispatch),
            _ => thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(|| self.work(&dispatch))))),
        }
        match self.health.known() {
            Some(why) => dispatch.mark_not_run(&mut Batch::default(), why),
            None => dispatch.confirm_blame(),
        }
        debug_assert_eq!(dispatch.open(), 0, "every launch has its answer");
    }

    /// Does batches until there are no more.
    fn work(&self, dispatch: &Dispatch<'_>) {
        // It stays with one worker as far as it can: more may come of what that answered last.
        let mut mine: Option<(Worker, bool)> = None;
        while let Some(mut batch) = dispatch.next() {
            let mut starts = 0;
            while !batch.launches.is_empty() {
                match self.health.broken(|| self.answers()) {
                    Some(why) => {
                        dispatch.mark_not_run(&mut batch, why);
                        continue;
                    }
                    None if self.health.is_sound() => dispatch.confirm_blame(),
                    None => {}
                }
                let worker = match mine.take() {
                    Some((worker, alone)) if alone == batch.alone => Ok(worker),
                    other => {
                        self.release(other, dispatch);
                        self.worker(batch.alone)
                    }
                };
                match worker {
                    Ok(worker) => {
                        let worker = Dialogue::new(worker, self, dispatch, &mut batch).run();
                        mine = worker.map(|worker| (worker, batch.alone));
                    }
                    Err(why) => {
                        starts += 1;
                        self.health.not_started(why.clone());
                        // Workers that start now and then only: somebody else may have more luck.
                        if starts == TRIES {
                            dispatch.blame_all(&mut batch, &why);
                        }
                    }
                }
            }
        }
        self.release(mine, dispatch);
    }

    /// Keeps a worker for later, if it can be used again once it is known that no more comes of what it answered last.
    fn release(&self, worker: Option<(Worker, bool)>, dispatch: &Dispatch<'_>) {
        let Some((worker, alone)) = worker else { return };
        let mut nothing = Batch::default();
        if let Some(worker) = Dialogue::new(worker, self, dispatch, &mut nothing).end() {
            self.idle(alone).push(worker);
        }
    }

    /// Whether a worker answers a launch that only stores a number.
    fn answers(&self) -> bool {
        let launch = probe::store(64, 8, 7);
        let answered = AtomicBool::new(false);
        let listen = |_, answer: Answer| answered.store(!answer.is_of_a_lost_worker(), Ordering::Relaxed);
        let asked = [WorkerLaunch::new("warpdiff: does the target answer?", &launch)];
        let dispatch = Dispatch::new(&asked, 1, None, &listen);
        while let Some(mut batch) = dispatch.next() {
            while !batch.launches.is_empty() {
                match self.worker(false) {
                    Ok(worker) => {
                        let worker = Dialogue::new(worker, self, &dispatch, &mut batch).run();
                        self.release(worker.map(|worker| (worker, false)), &dispatch);
                    }
                    Err(why) => {
                        self.health.not_started(why.clone());
                        dispatch.blame_all(&mut batch, &why);
                    }
                }
            }
        }
        dispatch.confirm_blame();
        drop(dispatch);
        answered.into_inner()
    }

    /// Why nothing more is asked, if the workers were lost one after the other.
    pub fn broken(&self) -> Option<&str> {
        self.health.known()
    }

    /// What was done so far.
    pub fn effort(&self) -> Effort {
        *self.effort.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what was done.
    pub(super) fn note(&self, what: impl FnOnce(&mut Effort)) {
        what(&mut self.effort.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn idle(&self, alone: bool) -> std::sync::MutexGuard<'_, Vec<Worker>> {
        self.idle[usize::from(alone)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle worker or a new one.
    fn worker(&self, alone: bool) -> Result<Worker, String> {
        if let Some(worker) = self.idle(alone).pop() {
            return Ok(worker);
        }
        for _ in 1..STARTS {
            match Process::greet(&self.command, &self.limits) {
                Ok((process, introduction)) => {
                    let modules = introduction.capabilities.contains(&Capability::Modules);
                    self.takes_modules.get_or_init(|| modules);
                    self.note(|effort| effort.processes += 1);
                    return Ok(Worker { process, introduction, next_id: 1, last_answer: None });
                }
                Err(Unusable { death: Some(Death::Signal(signal)), .. }) if from_outside(signal) => {
                    thread::sleep(Duration::from_millis(10));
                }
                Err(Unusable { why, .. }) => return Err(why),
            }
        }
        Err("every worker was killed before it said `hello`".into())
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        for alone in [false, true] {
            let workers: Vec<Worker> = self.idle(alone).drain(..).collect();
            for worker in workers {
                worker.process.finish(FAREWELL);
            }
        }
    }
}

/// A program that workers load as it is written.
fn as_it_is(text: &str) -> Option<Cow<'_, str>> {
    Some(text.into())
}
