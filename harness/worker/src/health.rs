//! Whether a target can still be asked. Single launches may take their workers down, and are blamed for it one by one; but a target
//! whose every worker is lost before it finishes anything would only be started again for each launch that is left, in vain.
//!
//! So where many workers in a row are lost and none finished a launch between, one more is asked for nothing but to store a number. If
//! that one answers, whatever it answers, it was the launches, and they go on being asked. If it is lost as well, the target is broken:
//! what is left is not run, and says why; and so are the launches that were to be blamed for those losses.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Workers lost in a row, with no launch finished between, from which on a target is doubted.
const LOSSES: usize = 16;
/// What a worker counts for that does not even say `hello`: it may take long not to.
const START: usize = 4;

/// What is known of how workers of a target end.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// Workers lost since a launch was finished.
    lost: AtomicUsize,
    /// How the last of them was lost.
    last: Mutex<String>,
    /// Held by whoever finds out.
    check: Mutex<()>,
    /// Why nothing more is asked.
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

    /// Why nothing more is to be asked, if so. `answers` asks a worker for the least there is, and says whether it answered; an answer
    /// that is heard here meanwhile ([`Health::finished`]) does as well.
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

    /// Whether a launch was finished since a worker was lost.
    pub(super) fn is_sound(&self) -> bool {
        self.lost.load(Ordering::Relaxed) == 0
    }

    /// Why nothing more is asked, as far as it is known.
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
