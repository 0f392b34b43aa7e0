//! When a target is broken: it loses every worker before a launch is finished. Single launches that end their workers are blamed
//! one by one; a broken target would only lose another worker for each remaining launch.
//!
//! After many losses in a row, with no launch finished between, one more worker is given a launch that only stores a number. If it
//! answers anything, the launches are to blame, and the run goes on. If it is lost too, the target is broken: the remaining
//! launches, and those about to be blamed for the losses, are not run, with the reason.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Losses in a row, with no launch finished between, after which the target is checked.
const LOSSES: usize = 16;
/// Losses that a worker counts for which does not say `hello`: waiting for it takes long.
const START: usize = 4;

/// The losses of a target's workers.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// Losses since a launch was finished.
    lost: AtomicUsize,
    /// The last loss, in words.
    last: Mutex<String>,
    /// Locked during the check, so that there is one at a time.
    check: Mutex<()>,
    /// Why the target is broken.
    broken: OnceLock<String>,
}

impl Health {
    /// A launch was finished.
    pub(super) fn finished(&self) {
        self.lost.store(0, Ordering::Relaxed);
    }

    /// A worker was lost.
    pub(super) fn lost(&self, how: String) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = how;
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// A worker could not be started.
    pub(super) fn not_started(&self, why: String) {
        self.lost(why);
        self.lost.fetch_add(START - 1, Ordering::Relaxed);
    }

    /// Why the target is broken, if it is. After too many losses `answers` decides: it runs the simplest launch and returns whether
    /// a worker answered. A launch that finishes meanwhile ([`Health::finished`]) counts as well.
    pub(super) fn broken(&self, answers: impl FnOnce() -> bool) -> Option<&str> {
        if self.broken.get().is_none() && self.is_suspect() {
            let _guard = self.one_check();
            if self.broken.get().is_none() && self.is_suspect() {
                match answers() || !self.is_suspect() {
                    true => self.finished(),
                    false => drop(self.broken.set(self.why())),
                }
            }
        }
        self.known()
    }

    /// Whether a launch was finished after the last loss.
    pub(super) fn is_sound(&self) -> bool {
        self.lost.load(Ordering::Relaxed) == 0
    }

    /// Why the target is broken, if that has been found out.
    pub(super) fn known(&self) -> Option<&str> {
        self.broken.get().map(String::as_str)
    }

    fn is_suspect(&self) -> bool {
        self.lost.load(Ordering::Relaxed) >= LOSSES
    }

    fn one_check(&self) -> MutexGuard<'_, ()> {
        self.check.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn why(&self) -> String {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        format!(
            "broken target: its processes fail one after the other and finish no launch, not even one that only stores a number; the last failure: {last}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(losses: usize) -> Health {
        let health = Health::default();
        (0..losses).for_each(|n| health.lost(format!("loss {n}")));
        health
    }

    #[test]
    fn a_few_losses_are_nothing_to_ask_about() {
        let health = after(LOSSES - 1);
        assert_eq!(health.broken(|| panic!("nobody is to be asked")), None);
        health.finished();
        health.lost("one more".into());
        assert_eq!(health.broken(|| panic!("a launch was finished between")), None);
    }

    #[test]
    fn whoever_answers_in_doubt_begins_anew() {
        let health = after(LOSSES);
        assert_eq!(health.broken(|| true), None);
        health.lost("one more".into());
        assert_eq!(health.broken(|| panic!("it has just answered")), None);
    }

    #[test]
    fn whoever_does_not_is_broken_for_good_and_the_last_loss_says_how() {
        let health = after(LOSSES);
        let why = health.broken(|| {
            health.lost("signal 6".into());
            false
        });
        assert!(
            why.unwrap().starts_with("broken target: ")
                && why.unwrap().ends_with("the last failure: signal 6")
        );
        health.finished();
        assert_eq!(health.broken(|| panic!("it is known")), health.known());
    }

    #[test]
    fn workers_that_do_not_start_are_doubted_earlier() {
        let health = Health::default();
        (0..LOSSES / START).for_each(|_| health.not_started("no licence".into()));
        assert!(health.broken(|| false).unwrap().ends_with("no licence"));
    }
}
