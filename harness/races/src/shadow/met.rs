//! For a report of races: which earlier access an access raced with.

use super::{Race, Shadow, Words};
use crate::clocks::{Clocks, Scope};
use crate::log::{Access, Kind};

/// The earlier access that an access raced with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// The first byte in which they met.
    pub offset: usize,
    /// The thread of the earlier access, where it is known.
    pub thread: Option<u32>,
    /// Its operation, where it is known.
    pub operation: Option<u32>,
    /// Whether the earlier access wrote.
    pub wrote: bool,
}

impl Shadow {
    /// Tells with which operation the accesses since the last call were made. Answers the earlier access that one of them raced with, if
    /// any did: of the first such access and byte. Always `None` without [`Shadow::reporting`].
    pub fn take_met(&mut self, clocks: &Clocks, operation: u32) -> Option<Met> {
        for access in self.unnamed.drain(..) {
            self.log.add(clocks, self.write.len(), access, operation);
        }
        self.met.take()
    }

    /// Keeps what an access met in a byte. What of the words counts depends on the race: a read races with writes.
    #[cold]
    pub(super) fn meet(&mut self, clocks: &Clocks, index: usize, words: Words, now: Access, race: Race) {
        if self.met.is_some() {
            return;
        }
        let (with_write, with_read) = match race {
            Race::None | Race::ReadOrdered => return,
            Race::Read => (true, false),
            Race::Write { late, value } => (value, late),
        };
        // Strong accesses race with one another only as `fit` says.
        let is_plain = now.kind.strong.is_none();
        let ways: [(bool, u32, bool, Kind); 4] = [
            (with_write, words.write, false, Kind::WRITE),
            (with_write && is_plain, words.strong, true, Kind { strong: Some(Scope::Cta), ..Kind::WRITE }),
            (with_read, words.read, false, Kind::READ),
            (with_read && is_plain, words.strong, false, Kind { strong: Some(Scope::Cta), ..Kind::READ }),
        ];
        let ways = ways.into_iter().filter(|(counts, ..)| *counts);
        let found = ways.filter_map(|(_, word, writes, kind)| {
            let thread = clocks.unordered_thread(word, now.stamp, writes)?;
            let is_such = |other: Kind| {
                other.strong.is_some() == kind.strong.is_some() && (other.writes || !kind.writes)
            };
            let known = thread.and_then(|thread| self.log.operation(clocks, index, (thread, now), is_such));
            if let Some((operation, wrote)) = known {
                let wrote = wrote.unwrap_or(kind.writes);
                return Some(Met { offset: index, thread, operation: Some(operation), wrote });
            }
            if let Some((thread, operation, wrote)) = self.log.racing(clocks, index, now, is_such) {
                return Some(Met { offset: index, thread: Some(thread), operation, wrote });
            }
            let operation = self.log.forgotten(index, is_such).flatten();
            Some(Met { offset: index, thread, operation, wrote: kind.writes })
        });
        let found: Vec<Met> = found.collect();
        let unknown = Met { offset: index, thread: None, operation: None, wrote: with_write };
        let named = found.iter().find(|met| met.operation.is_some()).copied();
        // Whatever the log has that races will do: an access may stand for one of another kind.
        let logged = || {
            let (thread, operation, wrote) = self.log.racing(clocks, index, now, |_| true)?;
            Some(Met { offset: index, thread: Some(thread), operation, wrote })
        };
        self.met = named.or_else(logged).or(found.first().copied()).or(Some(unknown));
    }

    /// Keeps which other strong access a strong one met that is not morally strong to it. None may be, since shapes say too little of scopes.
    #[cold]
    pub(super) fn meet_strong(&mut self, clocks: &Clocks, index: usize, now: Access) {
        if self.met.is_some() {
            return;
        }
        // A plain one, too: it may stand for a strong one of its thread.
        let known = self.log.racing(clocks, index, now, |_| true);
        self.met = match (known, self.log.forgotten(index, |_| true)) {
            (Some((thread, operation, wrote)), _) => {
                Some(Met { offset: index, thread: Some(thread), operation, wrote })
            }
            (None, Some(operation)) => Some(Met { offset: index, thread: None, operation, wrote: true }),
            (None, None) => None,
        };
    }
}
