//! Launches on their way to workers, and what is known of their failures so far.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use warpdiff_model::Observation;

use super::launch_answer::{Answer, PROCESS, WorkerLaunch, failed};
use super::module::{self, Fitting, Part};

/// Launches that are sent ahead of one another at most, in a batch of a target whose launches have programs of their own.
const LONGEST: usize = 16;
/// Batches for each worker, where there are enough launches: so that none has much left when the others are done.
const SHARE: usize = 4;

/// Launches that one worker runs, one after the other.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// By their places among what was asked.
    pub(super) launches: VecDeque<usize>,
    /// They may take their worker down: each is sent when the one before it has been answered, and to workers that run nothing else.
    pub(super) alone: bool,
    /// Their programs are given as one module. How often that was in vain because the worker was killed from outside.
    pub(super) module: Option<u8>,
}

impl Batch {
    /// Launches whose programs share a module.
    pub(super) fn of_module(launches: VecDeque<usize>) -> Self {
        Self { launches, alone: false, module: Some(0) }
    }

    /// Takes the second half of it out, as a batch of its own.
    pub(super) fn split(&mut self) -> Self {
        let half = self.launches.len().div_ceil(2);
        Self { launches: self.launches.split_off(half), module: Some(0), ..*self }
    }
}

/// How often a launch has been asked in vain.
#[derive(Debug, Default)]
pub(super) struct FailedAttempts {
    /// Its worker was killed from outside.
    pub(super) killed: AtomicU8,
    /// Its worker failed, and it is not clear that it is to blame.
    pub(super) unclear: AtomicU8,
}

/// The launches of one call, and who waits for the answers.
pub(super) struct Dispatch<'a> {
    pub(super) asked: &'a [WorkerLaunch<'a>],
    pub(super) failed_attempts: Vec<FailedAttempts>,
    /// The programs of those that may share a module.
    pub(super) parts: Vec<Option<Arc<Part>>>,
    answered: &'a (dyn Fn(usize, Answer) + Sync),
    batches: Mutex<VecDeque<Batch>>,
    open: AtomicUsize,
    /// Launches that are blamed for the loss of their workers, as far as it is not known yet whether others fare better.
    blamed: Mutex<Vec<(usize, Answer)>>,
}

impl<'a> Dispatch<'a> {
    /// Batches for so many workers. Where workers take modules, launches share them that can, as `fitting` has their programs.
    pub(super) fn new(
        asked: &'a [WorkerLaunch<'a>],
        jobs: usize,
        modules: Option<Fitting<'_>>,
        answered: &'a (dyn Fn(usize, Answer) + Sync),
    ) -> Self {
        let parts = match modules {
            Some(fitting) => module::parts(asked, fitting),
            None => vec![None; asked.len()],
        };
        let mut batches = module::batches(asked, &parts);
        batches.append(&mut slices(asked, &parts, jobs));
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

    /// A batch for whoever is free next.
    pub(super) fn push(&self, batch: Batch) {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).push_front(batch);
    }

    /// Batches that wait.
    pub(super) fn waiting(&self) -> usize {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Launches without an answer.
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

    /// It is known that the target answers: whoever was blamed until now is rightly blamed.
    pub(super) fn confirm_blame(&self) {
        let blamed = std::mem::take(&mut *self.blamed.lock().unwrap_or_else(PoisonError::into_inner));
        blamed.into_iter().for_each(|(index, answer)| self.answer(index, answer));
    }

    /// Leaves out everything in a batch, because there is nobody left to ask. Nor was there when others were blamed.
    pub(super) fn mark_not_run(&self, batch: &mut Batch, why: &str) {
        let left_out = || Observation::NotRun { why: why.into() }.into();
        let blamed = std::mem::take(&mut *self.blamed.lock().unwrap_or_else(PoisonError::into_inner));
        blamed.into_iter().for_each(|(index, _)| self.answer(index, left_out()));
        batch.launches.drain(..).for_each(|index| self.answer(index, left_out()));
    }

    /// Answers everything in a batch with why no worker can be had.
    pub(super) fn blame_all(&self, batch: &mut Batch, why: &str) {
        batch.launches.drain(..).for_each(|index| self.blame(index, failed(PROCESS, why.into(), None)));
    }
}

/// Batches for so many workers, of launches that share no module: in the order asked, small enough that all workers are busy to
/// the end. Those that are kept away from others come last.
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
