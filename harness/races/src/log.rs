//! Which operation accessed each byte, for a report of races: the latest accesses that later ones may race with.
//!
//! Shadows know which access raced with which thread; the log knows the operations. It keeps [`MOST`] accesses to each four bytes. Of
//! those that it forgets it keeps the operation alone, as long as it is the same for all of a kind.

use super::clocks::{Clocks, Scope};
use super::releases::Reach;

/// Bytes that share a list.
const GRANULE: usize = 4;
/// Accesses of a list that are kept with their threads.
const MOST: usize = 16;
/// No entry.
const END: u32 = 0;
/// The stamp of an entry that stands for accesses of threads that are forgotten.
const FORGOTTEN: u32 = 0;

/// An access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// First byte.
    pub(crate) offset: usize,
    /// Number of bytes, at most 32.
    pub(crate) len: u32,
    /// The interval of its thread.
    pub(crate) stamp: u32,
    /// What kind it is.
    pub(crate) kind: Kind,
}

/// What of an access decides what it conflicts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The scope of a strong access; `None` for a plain one.
    pub(crate) strong: Option<Scope>,
    /// Whether it reads.
    pub(crate) reads: bool,
    /// Whether it writes.
    pub(crate) writes: bool,
}

impl Kind {
    /// A plain load.
    pub(crate) const READ: Kind = Kind { strong: None, reads: true, writes: false };
    /// A plain store.
    pub(crate) const WRITE: Kind = Kind { strong: None, reads: false, writes: true };

    /// Whether whatever conflicts with an access of the other kind by the same thread conflicts with one of this kind.
    fn covers(self, other: Kind) -> bool {
        self == other || self == Self::WRITE || self == Self::READ && !other.writes
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    access: Access,
    /// `None` in an entry that stands for several operations.
    op: Option<u32>,
    /// The next older one.
    next: u32,
}

/// The latest accesses to a region of memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    /// Of each granule the latest entry; empty until the first.
    heads: Vec<u32>,
    /// Number 0 is none.
    entries: Vec<Entry>,
    free: Vec<u32>,
}

impl Log {
    /// Adds an access of an operation to memory of `len` bytes.
    pub(crate) fn add(&mut self, clocks: &Clocks, len: usize, access: Access, op: u32) {
        if self.heads.is_empty() {
            self.heads = vec![END; len.div_ceil(GRANULE)];
            self.entries = vec![Entry { access, op: None, next: END }];
        }
        let end = access.offset.saturating_add(access.len as usize).min(len);
        for granule in access.offset / GRANULE..end.div_ceil(GRANULE) {
            self.add_to(clocks, granule, access, op);
        }
    }

    fn add_to(&mut self, clocks: &Clocks, granule: usize, access: Access, op: u32) {
        let (mut previous, mut number) = (END, self.heads[granule]);
        let (mut count, mut oldest) = (0, (END, END));
        while number != END {
            let entry = self.entries[number as usize];
            let is_known = entry.access.stamp != FORGOTTEN;
            if is_known && stands_for(clocks, access, entry.access, granule) {
                self.unlink(granule, previous, number);
            } else {
                if is_known {
                    count += 1;
                    oldest = (previous, number);
                }
                previous = number;
            }
            number = entry.next;
        }
        if count >= MOST {
            let (before, number) = oldest;
            let forgotten = self.entries[number as usize];
            self.unlink(granule, before, number);
            self.forget(granule, forgotten);
        }
        self.push(granule, Entry { access, op: Some(op), next: END });
    }

    fn unlink(&mut self, granule: usize, previous: u32, number: u32) {
        let next = self.entries[number as usize].next;
        match previous {
            END => self.heads[granule] = next,
            _ => self.entries[previous as usize].next = next,
        }
        self.free.push(number);
    }

    fn push(&mut self, granule: usize, entry: Entry) {
        let entry = Entry { next: self.heads[granule], ..entry };
        self.heads[granule] = match self.free.pop() {
            Some(number) => {
                self.entries[number as usize] = entry;
                number
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
    }

    /// Keeps the operation of an entry that leaves a list.
    fn forget(&mut self, granule: usize, entry: Entry) {
        let mut number = self.heads[granule];
        while number != END {
            let other = &mut self.entries[number as usize];
            if other.access.stamp == FORGOTTEN && other.access.kind == entry.access.kind {
                other.op = other.op.filter(|op| Some(*op) == entry.op);
                return;
            }
            number = other.next;
        }
        // It stands for all bytes of the list.
        let access = Access {
            offset: granule * GRANULE,
            len: GRANULE as u32,
            stamp: FORGOTTEN,
            kind: entry.access.kind,
        };
        self.push(granule, Entry { access, ..entry });
    }

    /// The entries of a byte, the latest first.
    fn of(&self, index: usize) -> impl Iterator<Item = Entry> {
        let mut number = self.heads.get(index / GRANULE).copied().unwrap_or(END);
        let entries = std::iter::from_fn(move || {
            let entry = *self.entries.get(number as usize).filter(|_| number != END)?;
            number = entry.next;
            Some(entry)
        });
        entries.filter(move |entry| {
            let Access { offset, len, .. } = entry.access;
            (offset..offset + len as usize).contains(&index)
        })
    }

    /// The operation with which `thread` accessed a byte, unordered with `now`, in the way that `is_such` says; and whether it wrote, where
    /// that is known.
    pub(crate) fn operation(
        &self,
        clocks: &Clocks,
        index: usize,
        (thread, now): (u32, Access),
        is_such: impl Fn(Kind) -> bool,
    ) -> Option<(u32, Option<bool>)> {
        let such = || self.of(index).filter(|entry| is_such(entry.access.kind));
        let is_its = |entry: &Entry| {
            let interval = clocks.interval(entry.access.stamp);
            entry.access.stamp != FORGOTTEN
                && interval.thread == thread
                && !clocks.is_before(interval, clocks.interval(now.stamp))
        };
        match such().find(is_its) {
            Some(entry) => entry.op.map(|op| (op, Some(entry.access.kind.writes))),
            None => self.forgotten(index, is_such)?.map(|op| (op, None)),
        }
    }

    /// Whether accesses to a byte are forgotten that `is_such` admits; and the operation of all of them, if it was one.
    pub(crate) fn forgotten(&self, index: usize, is_such: impl Fn(Kind) -> bool) -> Option<Option<u32>> {
        let stands_for = |entry: &Entry| entry.access.stamp == FORGOTTEN && is_such(entry.access.kind);
        let mut forgotten = self.of(index).filter(stands_for).map(|entry| entry.op);
        let first = forgotten.next()?;
        Some(first.filter(|_| forgotten.all(|op| op == first)))
    }

    /// The latest access to a byte that `now` races with, of those that `is_such` admits: thread, operation, and whether it wrote.
    pub(crate) fn racing(
        &self,
        clocks: &Clocks,
        index: usize,
        now: Access,
        is_such: impl Fn(Kind) -> bool,
    ) -> Option<(u32, Option<u32>, bool)> {
        let races = |entry: &Entry| {
            let earlier = entry.access;
            earlier.stamp != FORGOTTEN
                && is_such(earlier.kind)
                && (earlier.kind.writes || now.kind.writes)
                && !clocks.is_before(clocks.interval(earlier.stamp), clocks.interval(now.stamp))
                && !is_morally_strong(clocks, earlier, now)
        };
        let entry = self.of(index).find(races)?;
        Some((clocks.interval(entry.access.stamp).thread, entry.op, entry.access.kind.writes))
    }
}

/// Whether nothing that comes can race with `earlier` and not with `now`, in the bytes of a granule.
fn stands_for(clocks: &Clocks, now: Access, earlier: Access, granule: usize) -> bool {
    let bytes = |access: Access| {
        let start = access.offset.max(granule * GRANULE);
        let end = (access.offset + access.len as usize).min((granule + 1) * GRANULE);
        (start, end)
    };
    let ((start, end), (other_start, other_end)) = (bytes(now), bytes(earlier));
    let (then, at) = (clocks.interval(earlier.stamp), clocks.interval(now.stamp));
    // Of strong accesses the whole location counts, not only the bytes, and whom they reach.
    let holds = match now.kind.strong {
        Some(_) => (now.offset, now.len) == (earlier.offset, earlier.len) && then.cta == at.cta,
        None => start <= other_start && other_end <= end,
    };
    holds && now.kind.covers(earlier.kind) && clocks.is_before(then, at)
}

fn is_morally_strong(clocks: &Clocks, one: Access, other: Access) -> bool {
    let reach = |access: Access| {
        let cta = clocks.interval(access.stamp).cta;
        access.kind.strong.map(|scope| Reach { scope, cta })
    };
    let (Some(reach_of_one), Some(reach_of_other)) = (reach(one), reach(other)) else { return false };
    reach_of_one.is_mutual(reach_of_other) && (one.offset, one.len) == (other.offset, other.len)
}
