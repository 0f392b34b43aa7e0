//! Batches: which launches go to a worker together, how many, in which order, and how often each is tried.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use warpdiff_model::Observation;

use super::launch_answer::{Answer, PROCESS, WorkerLaunch, failed};
use super::module::{self, Part};

/// Limit of launches in a batch, where each launch has a program of its own.
const LONGEST: usize = 16;
/// Batches per worker, where there are enough launches, so that all workers finish at about the same time.
const SHARE: usize = 4;

/// Launches that one worker runs, one after the other.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Indices into [`Dispatch::asked`].
    pub(super) launches: VecDeque<usize>,
    /// They may end their worker: each is sent after the answer to the one before, and to workers that run no other launches.
    pub(super) alone: bool,
    /// `Some` if their programs are sent as one module: the number of attempts that failed because the worker was killed from
    /// outside.
    pub(super) module: Option<u8>,
}

impl Batch {
    /// Launches whose programs share a module.
    pub(super) fn of_module(launches: VecDeque<usize>) -> Self {
        Self { launches, alone: false, module: Some(0) }
    }

    /// Removes the second half of the launches and returns it as a batch.
    pub(super) fn split(&mut self) -> Self {
        let half = self.launches.len().div_ceil(2);
        Self { launches: self.launches.split_off(half), module: Some(0), ..*self }
    }
}

/// Failed attempts at a launch.
#[derive(Debug, Default)]
pub(super) struct FailedAttempts {
    /// Attempts whose worker was killed from outside.
    pub(super) killed: AtomicU8,
    /// Attempts whose worker failed, where the launch may not be the cause.
    pub(super) unclear: AtomicU8,
}

/// The launches of one call, and the callback for their answers.
pub(super) struct Dispatch<'a> {
    pub(super) asked: &'a [WorkerLaunch<'a>],
    pub(super) failed_attempts: Vec<FailedAttempts>,
    /// For each launch its program, if that may share a module.
    pub(super) parts: &'a [Option<Arc<Part>>],
    answered: &'a (dyn Fn(usize, Answer) + Sync),
    batches: Mutex<VecDeque<Batch>>,
    open: AtomicUsize,
    /// Launches blamed for the loss of their workers, until it is known whether the target still answers others.
    blamed: Mutex<Vec<(usize, Answer)>>,
}

impl<'a> Dispatch<'a> {
    /// Batches for `jobs` workers. `parts` has for each launch its program, if that may share a module.
    pub(super) fn new(
        asked: &'a [WorkerLaunch<'a>],
        jobs: usize,
        parts: &'a [Option<Arc<Part>>],
        answered: &'a (dyn Fn(usize, Answer) + Sync),
    ) -> Self {
        let mut batches = module::batches(asked, parts);
        batches.append(&mut slices(asked, parts, jobs));
        let failed_attempts = asked.iter().map(|_| FailedAttempts::default()).collect();
        let open = AtomicUsize::new(asked.len());
        Self {
            asked,
            failed_attempts,
            parts,
            answered,
            batches: Mutex::new(batches),
            open,
            blamed: Mutex::default(),
        }
    }

    /// The next batch.
    pub(super) fn next(&self) -> Option<Batch> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Queues a batch before all others.
    pub(super) fn push(&self, batch: Batch) {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).push_front(batch);
    }

    /// Number of queued batches.
    pub(super) fn waiting(&self) -> usize {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Number of launches without an answer.
    pub(super) fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    pub(super) fn answer(&self, index: usize, answer: Answer) {
        self.open.fetch_sub(1, Ordering::Relaxed);
        (self.answered)(index, answer);
    }

    /// Blames a launch for the loss of its worker, unless it turns out that every worker is lost.
    pub(super) fn blame(&self, index: usize, answer: Answer) {
        self.blamed.lock().unwrap_or_else(PoisonError::into_inner).push((index, answer));
    }

    /// The target still answers: every blame so far is final.
    pub(super) fn confirm_blame(&self) {
        let blamed = std::mem::take(&mut *self.blamed.lock().unwrap_or_else(PoisonError::into_inner));
        blamed.into_iter().for_each(|(index, answer)| self.answer(index, answer));
    }

    /// Marks the batch's remaining launches not-run: no worker is left. Launches already blamed are not-run too.
    pub(super) fn mark_not_run(&self, batch: &mut Batch, why: &str) {
        let left_out = || Observation::NotRun { why: why.into() }.into();
        let blamed = std::mem::take(&mut *self.blamed.lock().unwrap_or_else(PoisonError::into_inner));
        blamed.into_iter().for_each(|(index, _)| self.answer(index, left_out()));
        batch.launches.drain(..).for_each(|index| self.answer(index, left_out()));
    }

    /// Blames every launch of the batch, with the reason why no worker can be started.
    pub(super) fn blame_all(&self, batch: &mut Batch, why: &str) {
        batch.launches.drain(..).for_each(|index| self.blame(index, failed(PROCESS, why.into(), None)));
    }
}

/// Batches for `jobs` workers, of the launches that share no module, in their order. Launches that run alone come last.
fn slices(asked: &[WorkerLaunch<'_>], parts: &[Option<Arc<Part>>], jobs: usize) -> VecDeque<Batch> {
    let left = (0..asked.len()).filter(|index| parts[*index].is_none());
    let (alone, others): (Vec<usize>, Vec<usize>) = left.partition(|index| asked[*index].alone);
    let size = (others.len() / (jobs * SHARE).max(1)).clamp(1, LONGEST);
    let batch = |launches: &[usize], alone| Batch {
        launches: launches.iter().copied().collect(),
        alone,
        module: None,
    };
    let together = others.chunks(size).map(|slice| batch(slice, false));
    together.chain(alone.chunks(1).map(|slice| batch(slice, true))).collect()
}
