//! Corruptions of histories: changes after which no order explains the logs of the threads. They test the check itself.

use crate::history::{Attempt, Attempted, History, Log};

/// A change of a history. It supposes that the location, like a counter, never holds a value twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Corruption {
    /// The final value of the location is its initial value.
    LastIsInitial,
    /// The final value is the one that the last but one successful attempt stored.
    LastButOneIsLast,
    /// The final value is one that no thread stored.
    LastIsForeign,
    /// The attempt that stored first says that it failed.
    FirstStoreDenied,
    /// The attempt that stored last says that it failed.
    LastStoreDenied,
    /// An attempt that stored between these two says that it failed.
    MiddleStoreDenied,
    /// The attempt that stored first is not logged.
    FirstStoreMissing,
    /// An attempt that stored in the middle is not logged.
    MiddleStoreMissing,
    /// An attempt that stored is logged twice.
    StoreTwice,
    /// A thread that is done stores once more.
    StoreInvented,
    /// A thread logs nothing at all.
    ThreadSilent,
    /// An attempt that failed says that it stored.
    FailureAsStore,
    /// An attempt that stored says that it compared with another value, and found that.
    StoreFromForeign,
    /// An attempt that stored says that it stored another value.
    StoreOfForeign,
    /// Two threads stored from the same value.
    SameValueTwice,
    /// The values that two attempts stored are exchanged.
    NewExchanged,
    /// An attempt has an impossible answer: a value that was never there, or no truth value.
    AnswerForeign,
    /// The last answer has a bit more.
    AnswerBit,
    /// An attempt that failed compared with the initial value, before any thread stored.
    FailureBeforeAnyStore,
    /// A thread that waited stored first, and is said to have failed afterwards with a value that no thread had stored before.
    FinalValueFoundTooEarly,
    /// The attempts of a thread are in the opposite order.
    ThreadReversed,
    /// Two of the lanes that attempted together stored.
    TwoSelected,
    /// None of the lanes that attempted together stored, although the location held the value that they compared with.
    NoneSelected,
    /// An attempt says that its own lane was not among those that made it.
    OwnLaneMissing,
    /// An attempt and one of another lane disagree on whether they were made together.
    LaneMiscounted,
}

impl Corruption {
    /// Every kind, with its name.
    pub const ALL: [(Self, &'static str); 25] = [
        (Self::LastIsInitial, "last-is-initial"),
        (Self::LastButOneIsLast, "last-but-one-is-last"),
        (Self::LastIsForeign, "last-is-foreign"),
        (Self::FirstStoreDenied, "first-store-denied"),
        (Self::LastStoreDenied, "last-store-denied"),
        (Self::MiddleStoreDenied, "middle-store-denied"),
        (Self::FirstStoreMissing, "first-store-missing"),
        (Self::MiddleStoreMissing, "middle-store-missing"),
        (Self::StoreTwice, "store-twice"),
        (Self::StoreInvented, "store-invented"),
        (Self::ThreadSilent, "thread-silent"),
        (Self::FailureAsStore, "failure-as-store"),
        (Self::StoreFromForeign, "store-from-foreign"),
        (Self::StoreOfForeign, "store-of-foreign"),
        (Self::SameValueTwice, "same-value-twice"),
        (Self::NewExchanged, "new-exchanged"),
        (Self::AnswerForeign, "answer-foreign"),
        (Self::AnswerBit, "answer-bit"),
        (Self::FailureBeforeAnyStore, "failure-before-any-store"),
        (Self::FinalValueFoundTooEarly, "final-value-found-too-early"),
        (Self::ThreadReversed, "thread-reversed"),
        (Self::TwoSelected, "two-selected"),
        (Self::NoneSelected, "none-selected"),
        (Self::OwnLaneMissing, "own-lane-missing"),
        (Self::LaneMiscounted, "lane-miscounted"),
    ];

    /// The history with this change; `None` if it cannot be made: no attempt failed, or the attempts are of another kind.
    pub fn apply(self, log: &Log, history: &History) -> Option<History> {
        let mut changed = history.clone();
        Change { log, history: &mut changed }.make(self)?;
        (changed != *history).then_some(changed)
    }
}

/// Thread and number of an attempt.
type At = (usize, usize);

struct Change<'a> {
    log: &'a Log,
    history: &'a mut History,
}

impl Change<'_> {
    fn make(&mut self, corruption: Corruption) -> Option<()> {
        use Corruption as C;
        // Of a location that nobody looks at afterwards little can be said, and of one that nobody changed.
        if self.history.last.is_none() || self.stores().is_empty() {
            return None;
        }
        match corruption {
            C::LastIsInitial | C::LastButOneIsLast | C::LastIsForeign => self.last(corruption),
            C::FirstStoreDenied => self.deny(0),
            C::LastStoreDenied => self.deny(self.stores().len() - 1),
            C::MiddleStoreDenied => self.deny(self.stores().len() / 2),
            C::FirstStoreMissing => self.drop_store(0),
            C::MiddleStoreMissing => self.drop_store(self.stores().len() / 2),
            C::StoreTwice => {
                let (thread, number) = *self.stores().get(1)?;
                let attempt = self.history.attempts[thread][number];
                self.history.attempts[thread].insert(number, Attempt { lanes: own(thread), ..attempt });
                Some(())
            }
            C::StoreInvented => self.invent(),
            C::ThreadSilent => {
                let (thread, _) = *self.stores().get(self.stores().len() / 2)?;
                // Without the lanes that attempted with it, the log would contradict itself for another reason.
                self.alone(thread).then(|| self.history.attempts[thread].clear())
            }
            C::FailureAsStore => {
                let changes = |at: &At| self.attempt(*at).new != self.attempt(*at).compare;
                let at = self.failures().into_iter().find(changes)?;
                let stored = self.stored_answer(self.attempt(at));
                self.at(at).answer = stored;
                Some(())
            }
            C::StoreFromForeign => {
                let (at, foreign) = (*self.stores().get(1)?, self.foreign());
                self.at(at).compare = foreign;
                let stored = self.stored_answer(self.attempt(at));
                self.at(at).answer = stored;
                Some(())
            }
            C::StoreOfForeign => {
                let (at, foreign) = (*self.stores().get(1)?, self.foreign());
                self.at(at).new = foreign;
                Some(())
            }
            C::SameValueTwice => {
                let (first, second) = (*self.stores().first()?, *self.stores().get(1)?);
                let Attempt { compare, new, .. } = self.attempt(first);
                (self.at(second).compare, self.at(second).new) = (compare, new);
                let stored = self.stored_answer(self.attempt(second));
                self.at(second).answer = stored;
                Some(())
            }
            C::NewExchanged => {
                let (first, second) = (*self.stores().first()?, *self.stores().get(1)?);
                let (a, b) = (self.attempt(first).new, self.attempt(second).new);
                (self.at(first).new, self.at(second).new) = (b, a);
                Some(())
            }
            C::AnswerForeign => {
                let at = self.failures().first().or(self.stores().last()).copied()?;
                let foreign = if self.log.attempted == Attempted::Cas { self.foreign() } else { 2 };
                self.at(at).answer = foreign;
                Some(())
            }
            C::AnswerBit => {
                let at = *self.stores().last()?;
                self.at(at).answer |= 1 << (u32::from(self.log.width) * 8 - 1);
                Some(())
            }
            C::FailureBeforeAnyStore => self.fail_before_any_store(),
            C::FinalValueFoundTooEarly => self.find_last_too_early(),
            C::ThreadReversed => self.reverse(),
            C::TwoSelected | C::NoneSelected | C::OwnLaneMissing | C::LaneMiscounted => {
                self.lanes(corruption)
            }
        }
    }

    fn attempt(&self, (thread, number): At) -> Attempt {
        self.history.attempts[thread][number]
    }

    fn at(&mut self, (thread, number): At) -> &mut Attempt {
        &mut self.history.attempts[thread][number]
    }

    fn all(&self) -> Vec<At> {
        let attempts = self.history.attempts.iter().enumerate();
        attempts
            .flat_map(|(thread, attempts)| (0..attempts.len()).map(move |number| (thread, number)))
            .collect()
    }

    /// The attempts that stored something else than was there, in the order in which they did.
    fn stores(&self) -> Vec<At> {
        let changes = |at: &At| {
            let attempt = self.attempt(*at);
            self.log.stored(&attempt) && attempt.new != attempt.compare
        };
        let mut left: Vec<At> = self.all().into_iter().filter(changes).collect();
        let mut order = Vec::with_capacity(left.len());
        let mut value = self.log.initial;
        while let Some(next) = left.iter().position(|at| self.attempt(*at).compare == value) {
            let at = left.swap_remove(next);
            value = self.attempt(at).new;
            order.push(at);
        }
        order
    }

    fn failures(&self) -> Vec<At> {
        self.all().into_iter().filter(|at| !self.log.stored(&self.attempt(*at))).collect()
    }

    /// A value that the location never holds, and nobody asks for.
    fn foreign(&self) -> u64 {
        let known = |value: u64| {
            self.all()
                .iter()
                .map(|at| self.attempt(*at))
                .any(|a| [a.compare, a.new, a.answer].contains(&value))
        };
        (0x5a00_0000..).find(|value| !known(*value)).unwrap_or_default()
    }

    /// What an attempt is answered that stores.
    fn stored_answer(&self, attempt: Attempt) -> u64 {
        if self.log.attempted == Attempted::Cas { attempt.compare } else { 1 }
    }

    fn last(&mut self, corruption: Corruption) -> Option<()> {
        let stores = self.stores();
        self.history.last = Some(match corruption {
            Corruption::LastIsInitial => self.log.initial,
            Corruption::LastButOneIsLast => self.attempt(*stores.last()?).compare,
            _ => self.foreign(),
        });
        Some(())
    }

    fn deny(&mut self, number: usize) -> Option<()> {
        let at = *self.stores().get(number)?;
        let new = self.attempt(at).new;
        self.at(at).answer = if self.log.attempted == Attempted::Cas { new } else { 0 };
        Some(())
    }

    fn drop_store(&mut self, number: usize) -> Option<()> {
        let (thread, index) = *self.stores().get(number)?;
        if self.alone(thread) {
            self.history.attempts[thread].remove(index);
        }
        Some(())
    }

    /// Whether no other lane says that it attempted with this thread.
    fn alone(&self, thread: usize) -> bool {
        self.log.attempted != Attempted::CastSpin
            || self.history.attempts[thread].iter().all(|attempt| attempt.lanes.is_power_of_two())
    }

    fn invent(&mut self) -> Option<()> {
        let (thread, number) = *self.stores().last()?;
        let compare = self.attempt((thread, number)).new;
        let mut attempt = Attempt { compare, new: compare.wrapping_add(1), answer: 0, lanes: own(thread) };
        attempt.answer = self.stored_answer(attempt);
        self.history.attempts[thread].push(attempt);
        Some(())
    }

    fn fail_before_any_store(&mut self) -> Option<()> {
        // The thread that stored first cannot have failed before with what was there at first: nobody had stored.
        let (thread, number) = *self.stores().first()?;
        let compare = self.log.initial;
        let found = self.attempt((thread, number)).new;
        let answer = if self.log.attempted == Attempted::Cas { found } else { 0 };
        let attempt = Attempt { compare, new: found, answer, lanes: own(thread) };
        self.history.attempts[thread].insert(0, attempt);
        Some(())
    }

    fn find_last_too_early(&mut self) -> Option<()> {
        let (thread, number) = *self.stores().last()?;
        let attempt = self.attempt((thread, number));
        // Before it stored it, the thread that stored the last value found it.
        let early = match self.log.attempted {
            Attempted::Cas => Attempt { compare: self.foreign(), answer: attempt.new, ..attempt },
            _ => Attempt { compare: attempt.new, answer: 1, ..attempt },
        };
        self.history.attempts[thread].insert(number, Attempt { lanes: own(thread), ..early });
        Some(())
    }

    fn reverse(&mut self) -> Option<()> {
        // That a compare-and-store failed says little of when.
        let found = |attempts: &&mut Vec<Attempt>| {
            attempts.first().zip(attempts.last()).is_some_and(|(first, last)| first.answer != last.answer)
        };
        if self.log.attempted != Attempted::Cas {
            return None;
        }
        self.history.attempts.iter_mut().find(found)?.reverse();
        Some(())
    }

    fn lanes(&mut self, corruption: Corruption) -> Option<()> {
        if self.log.attempted != Attempted::CastSpin {
            return None;
        }
        let together = |at: &At| self.attempt(*at).lanes.count_ones() > 1;
        let at = match corruption {
            Corruption::TwoSelected => self.all().into_iter().find(|at| {
                together(at)
                    && !self.log.stored(&self.attempt(*at))
                    && self.neighbours(*at).iter().any(|other| self.log.stored(&self.attempt(*other)))
            })?,
            Corruption::NoneSelected => {
                // All of them compared with what was there: whoever is selected stores.
                let same = |at: &At| {
                    self.neighbours(*at)
                        .iter()
                        .all(|other| self.attempt(*other).compare == self.attempt(*at).compare)
                };
                self.stores().into_iter().find(|at| together(at) && same(at))?
            }
            _ => self.all().into_iter().find(together)?,
        };
        let (thread, _) = at;
        let attempt = self.at(at);
        match corruption {
            Corruption::TwoSelected => attempt.answer = 1,
            Corruption::NoneSelected => attempt.answer = 0,
            Corruption::OwnLaneMissing => attempt.lanes &= !own(thread),
            _ => {
                let other = (0..u32::BITS).find(|lane| 1 << lane != own(thread))?;
                attempt.lanes ^= 1 << other;
            }
        }
        Some(())
    }

    /// The attempts of the other lanes that attempted together with this one.
    fn neighbours(&self, (thread, number): At) -> Vec<At> {
        let lanes = self.attempt((thread, number)).lanes;
        let before = |thread: usize, number: usize| {
            self.history.attempts[thread][..number].iter().filter(|attempt| attempt.lanes == lanes).count()
        };
        let times = before(thread, number);
        let of_warp = |at: &At| at.0 / 32 == thread / 32 && at.0 != thread;
        let same = |at: &At| self.attempt(*at).lanes == lanes && before(at.0, at.1) == times;
        self.all().into_iter().filter(|at| of_warp(at) && same(at)).collect()
    }
}

/// The lane of a thread, alone.
fn own(thread: usize) -> u32 {
    1 << (thread % 32)
}
