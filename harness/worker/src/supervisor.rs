//! Runs many launches on several workers at a time, and replaces those that are lost. `blame` finds the launch that caused a loss;
//! all other launches are run on another worker.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use warpdiff_model::Observation;

use super::command::CommandLine;
use super::dialogue::{Dialogue, Worker};
use super::health::Health;
use super::known_launch;
use super::launch_answer::{Answer, Effort, WorkerLaunch};
use super::limits::Limits;
use super::module::{self, Fitting, Part};
use super::process::{Death, Process, Unusable};
use super::protocol::{Capability, Introduction};
use super::run_end;
use crate::batch::{Batch, Dispatch};
use crate::system::is_from_outside;

/// Limit of starts of a worker that is killed from outside before it says `hello`.
const STARTS: u32 = 25;
/// Failed starts in a row after which a batch is blamed.
const TRIES: u32 = 16;
/// Time for an unneeded worker to end.
pub(super) const FAREWELL: Duration = Duration::from_millis(500);

/// Limit of faulting launches that are run again in modules of their own, of those that are asked together: each costs a process.
const FAULTS: usize = 64;

/// The program as workers rewrite it before loading; `None` for a program that they do not load.
pub type Fit = Box<dyn for<'t> Fn(&'t str) -> Option<Cow<'t, str>> + Send + Sync>;

/// The workers of a command.
pub struct Supervisor {
    command: CommandLine,
    pub(super) limits: Limits,
    /// Idle workers: for usual launches, and for launches that run alone.
    idle: [Mutex<Vec<Worker>>; 2],
    /// Whether workers offer `modules`, once one has said `hello`.
    takes_modules: OnceLock<bool>,
    /// How workers rewrite programs before loading, once that is known; until then programs stay as they are.
    fitting: OnceLock<Fit>,
    effort: Mutex<Effort>,
    pub(super) health: Health,
}

impl Supervisor {
    /// Workers of this command; starts none.
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

    /// Starts a first worker and returns its `hello`.
    ///
    /// # Errors
    /// Why no worker can be started, as a lowercase fragment.
    pub fn prepare(&self) -> Result<Introduction, String> {
        let worker = self.worker(false)?;
        let introduction = worker.introduction.clone();
        self.idle(false).push(worker);
        Ok(introduction)
    }

    /// From now on programs share modules as rewritten by `fitting`; a program for which it returns `None` stands alone. Only the
    /// first call has an effect.
    pub fn share_fitted(&self, fitting: Fit) {
        self.fitting.get_or_init(|| fitting);
    }

    /// Runs launches; the answers are in their order.
    pub fn observe(&self, asked: &[WorkerLaunch<'_>]) -> Vec<Answer> {
        let answers: Vec<OnceLock<Answer>> = asked.iter().map(|_| OnceLock::new()).collect();
        self.observe_all(asked, &|index, answer| drop(answers[index].set(answer)));
        answers.into_iter().map(|answer| answer.into_inner().unwrap_or_else(Answer::lost)).collect()
    }

    /// Runs one launch.
    pub fn observe_one(&self, asked: WorkerLaunch<'_>) -> Answer {
        self.observe(&[asked]).pop().unwrap_or_else(Answer::lost)
    }

    /// Runs launches on up to [`Limits::jobs`] workers. `answered` is called once per launch, with its index and its answer, in any
    /// order and from any thread.
    pub fn observe_all(&self, asked: &[WorkerLaunch<'_>], answered: &(dyn Fn(usize, Answer) + Sync)) {
        if !self.takes_modules.get().copied().unwrap_or_default() {
            return self.dispatch(asked, &vec![None; asked.len()], answered);
        }
        let fitting: Fitting<'_> = self.fitting.get().map_or(&as_it_is, |fit| &**fit);
        let parts = module::parts(asked, fitting);
        let wrong = WrongAmongOthers::default();
        self.dispatch(asked, &parts, &|index, answer| {
            let came_back =
                matches!(answer.observation, Observation::Completed { .. } | Observation::Faulted { .. });
            let is_wrong = came_back && answer.shared_module && asked[index].is_refuted_by(&answer);
            let told = if is_wrong { wrong.keep(index, answer) } else { Some(answer) };
            if let Some(answer) = told {
                answered(index, answer);
            }
        });
        self.observe_apart(asked, wrong.kept(), answered);
    }

    /// Runs the launches of these answers again, each in a module of its own. What is right there and wrong among others is wrong: a module may have
    /// several programs.
    fn observe_apart(
        &self,
        asked: &[WorkerLaunch<'_>],
        wrong: Vec<(usize, Answer)>,
        answered: &(dyn Fn(usize, Answer) + Sync),
    ) {
        if wrong.is_empty() {
            return;
        }
        let again: Vec<WorkerLaunch<'_>> = wrong
            .iter()
            .map(|(index, answer)| {
                let stops = matches!(answer.observation, Observation::Faulted { .. });
                WorkerLaunch { may_fault: stops, alone: stops, ..asked[*index] }
            })
            .collect();
        self.note(|effort| effort.again += again.len());
        self.dispatch(&again, &vec![None; again.len()], &|place, answer| {
            let (index, first) = &wrong[place];
            if again[place].is_refuted_by(&answer) {
                return answered(*index, answer);
            }
            let right_alone = again[place].is_met_by(&answer);
            self.note(|effort| effort.right_alone += usize::from(right_alone));
            answered(*index, Answer { right_alone, ..first.clone() });
        });
    }

    /// Runs launches. `parts` has for each its program, if that may share a module.
    fn dispatch(
        &self,
        asked: &[WorkerLaunch<'_>],
        parts: &[Option<Arc<Part>>],
        answered: &(dyn Fn(usize, Answer) + Sync),
    ) {
        let jobs = self.limits.jobs.max(1);
        let dispatch = Dispatch::new(asked, jobs, parts, answered);
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

    /// Runs batches until none is left.
    fn work(&self, dispatch: &Dispatch<'_>) {
        // It keeps one worker as long as possible: releasing it takes a launch more (`late_replies`).
        let mut mine: Option<(Worker, bool)> = None;
        while let Some(mut batch) = dispatch.next() {
            let mut starts = 0;
            while !batch.launches.is_empty() {
                if run_end::reached().is_some() {
                    dispatch.mark_not_run(&mut batch, run_end::CUT_SHORT);
                    continue;
                }
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
                        // Workers that start only sometimes: another thread may succeed.
                        if starts == TRIES {
                            dispatch.blame_all(&mut batch, &why);
                        }
                    }
                }
            }
        }
        self.release(mine, dispatch);
    }

    /// Keeps a worker for later, if nothing follows its last answer and it can be reused.
    fn release(&self, worker: Option<(Worker, bool)>, dispatch: &Dispatch<'_>) {
        let Some((worker, alone)) = worker else { return };
        let mut nothing = Batch::default();
        if let Some(worker) = Dialogue::new(worker, self, dispatch, &mut nothing).end() {
            self.idle(alone).push(worker);
        }
    }

    /// Whether a worker answers a launch that only stores a number.
    fn answers(&self) -> bool {
        let launch = known_launch::store(64, 8, 7);
        let answered = AtomicBool::new(false);
        let listen = |_, answer: Answer| answered.store(!answer.is_of_a_lost_worker(), Ordering::Relaxed);
        let asked = [WorkerLaunch::new("warpdiff: does the target answer?", &launch)];
        let dispatch = Dispatch::new(&asked, 1, &[None], &listen);
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

    /// Why the target is broken, if its workers were lost one after the other.
    pub fn broken(&self) -> Option<&str> {
        self.health.known()
    }

    /// The work done so far.
    pub fn effort(&self) -> Effort {
        *self.effort.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the counts of the work done.
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
                Err(Unusable { death: Some(Death::Signal(signal)), .. }) if is_from_outside(signal) => {
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

/// Wrong answers of launches whose programs share modules, by index.
#[derive(Default)]
struct WrongAmongOthers {
    kept: Mutex<Vec<(usize, Answer)>>,
    faults: AtomicUsize,
}

impl WrongAmongOthers {
    /// Keeps an answer, or returns it if enough launches fault already.
    fn keep(&self, index: usize, answer: Answer) -> Option<Answer> {
        let is_fault = matches!(answer.observation, Observation::Faulted { .. });
        if is_fault && self.faults.fetch_add(1, Ordering::Relaxed) >= FAULTS {
            return Some(answer);
        }
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push((index, answer));
        None
    }

    /// Those that were kept, in the order of the launches.
    fn kept(self) -> Vec<(usize, Answer)> {
        let mut kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        kept.sort_by_key(|(index, _)| *index);
        kept
    }
}

/// The program unchanged.
fn as_it_is(text: &str) -> Option<Cow<'_, str>> {
    Some(text.into())
}
