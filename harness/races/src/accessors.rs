//! Sets of accesses to a byte, as one number each.
//!
//! A shadow holds a *word* per byte: 0 for no access, a stamp for one, or the number of a set. Sets are made once and
//! never change, and equal ones are one; a small cache of transitions keeps hashing and allocation out of repeated accesses. Accesses that happen before a new one by the same or another thread leave the
//! set when it enters, so that sets stay as small as the concurrency at their location.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use super::clocks::Clocks;
use super::knowledge::Interval;
use super::numbers::NumberHasher;

/// Set in a stamp of a strong access that writes.
pub(crate) const WRITES: u32 = 1 << 30;
/// Set in a stamp of a strong access that reads.
pub(crate) const READS: u32 = 1 << 29;
/// Set in a word that is the number of a set.
const SET: u32 = 1 << 31;
/// The interval of a stamp.
const STAMP: u32 = READS - 1;

/// Sets of one CTA's threads are exact up to a warp …
const EXACT_IN_CTA: usize = 32;
/// … and those across CTAs up to this; beyond, a set only holds the last epoch of each CTA.
const EXACT_IN_GRID: usize = 256;
/// Maximum number of CTAs in a set; beyond it, the set is [`Set::Unknown`].
const CTAS: usize = 1024;
/// Maximum number of elements of all sets together (64 MiB); beyond it, new sets are [`Set::Unknown`].
const CAPACITY: usize = 1 << 24;
/// Transitions remembered, at first and at most; powers of two. Most launches have few, and to zero a large table takes longer than they do.
const FEW_TRANSITIONS: usize = 1 << 7;
const TRANSITIONS: usize = 1 << 13;

/// Concurrent accesses to a byte.
#[derive(Clone, Debug)]
enum Set {
    /// These, in the order in which they happened.
    Exact(Arc<[u32]>),
    /// Some by threads of these CTAs, up to and including these epochs; sorted by CTA.
    Epochs {
        /// CTA and epoch.
        ctas: Box<[(u32, u32)]>,
        /// Whether any may write.
        writes: bool,
    },
    /// Some by any threads at any time.
    Unknown {
        /// Whether any may write.
        writes: bool,
    },
}

/// A remembered answer.
#[derive(Clone, Copy, Debug, Default)]
struct Transition {
    word: u32,
    /// The entering access; 0 in an empty entry.
    stamp: u32,
    result: u32,
}

/// Every set of a launch.
#[derive(Clone, Debug)]
pub(crate) struct Accessors {
    sets: Vec<Set>,
    /// The words of those that are exact.
    exact: HashMap<Arc<[u32]>, u32, BuildHasherDefault<NumberHasher>>,
    elements: usize,
    /// Empty until the first is remembered: most launches have none.
    transitions: Box<[Transition]>,
    /// Transitions that were not there since the table has had its size.
    missed: usize,
}

impl Default for Accessors {
    fn default() -> Self {
        Self { sets: vec![Set::Unknown { writes: false }, Set::Unknown { writes: true }], ..Self::none() }
    }
}

impl Accessors {
    /// Those of a launch in which nothing is to be ordered.
    pub(crate) fn none() -> Self {
        Self {
            sets: Vec::new(),
            exact: HashMap::default(),
            elements: 0,
            transitions: Box::default(),
            missed: 0,
        }
    }

    /// Where the table has a transition, if it has any.
    #[inline]
    fn slot(&self, word: u32, stamp: u32) -> usize {
        let hash = word.wrapping_mul(0x9e37_79b1) ^ stamp.wrapping_mul(0x85eb_ca6b);
        hash as usize >> 8 & self.transitions.len().wrapping_sub(1)
    }

    /// What has come of a transition.
    #[inline]
    fn known(&self, word: u32, stamp: u32) -> Option<u32> {
        let known = self.transitions.get(self.slot(word, stamp))?;
        (known.word == word && known.stamp == stamp).then_some(known.result)
    }

    fn remember(&mut self, transition: Transition) {
        self.missed += 1;
        let len = self.transitions.len();
        if self.missed > len && len < TRANSITIONS {
            let longer = if len == 0 { FEW_TRANSITIONS } else { 8 * len };
            (self.transitions, self.missed) = (vec![Transition::default(); longer].into(), 0);
        }
        let slot = self.slot(transition.word, transition.stamp);
        self.transitions[slot] = transition;
    }
}

impl Clocks {
    /// Whether some access of `word` is unordered with the current operation of the thread of `stamp`; with `writes`, only accesses
    /// that write count.
    #[inline]
    pub(crate) fn is_unordered(&self, word: u32, stamp: u32, writes: bool) -> bool {
        if word == 0 || word & STAMP == stamp && word & SET == 0 {
            return false;
        }
        let now = self.interval(stamp);
        if word & SET == 0 {
            return counts(word, writes) && !self.is_before(self.interval(word & STAMP), now);
        }
        self.is_set_unordered(word, now, writes, false)
    }

    /// The thread of the latest access of `word` that is unordered with the current operation of the thread of `stamp`, where it is
    /// known; with `writes`, only accesses that write count. `None` if there is no such access.
    pub(crate) fn unordered_thread(&self, word: u32, stamp: u32, writes: bool) -> Option<Option<u32>> {
        if !self.is_unordered(word, stamp, writes) {
            return None;
        }
        if word & SET == 0 {
            return Some(Some(self.interval(word & STAMP).thread));
        }
        let now = self.interval(stamp);
        let Set::Exact(members) = &self.accessors.sets[(word & !SET) as usize] else { return Some(None) };
        let latest = members.iter().rev().find_map(|member| {
            let interval = self.interval(member & STAMP);
            (counts(*member, writes) && !self.is_before(interval, now)).then_some(interval.thread)
        });
        Some(latest)
    }

    /// As [`Clocks::is_unordered`], for accesses by threads of other CTAs only.
    pub(crate) fn is_unordered_abroad(&self, word: u32, stamp: u32, writes: bool) -> bool {
        let now = self.interval(stamp);
        if word & SET != 0 {
            return self.is_set_unordered(word, now, writes, true);
        }
        let earlier = self.interval(word & STAMP);
        word != 0 && counts(word, writes) && earlier.cta != now.cta && !self.is_before(earlier, now)
    }

    /// Whether some access of `word` is of another CTA than that of `stamp`.
    pub(crate) fn holds_other_ctas(&self, word: u32, stamp: u32) -> bool {
        self.any_group(word, |cta, _| cta != self.interval(stamp).cta)
    }

    /// Whether no access of `word` is of the epoch of `stamp`: a barrier of the whole CTA has ended them all, if they are
    /// all of this CTA.
    pub(crate) fn is_over(&self, word: u32, stamp: u32) -> bool {
        let now = self.interval(stamp);
        !self.any_group(word, |cta, epoch| cta != now.cta || epoch >= now.cta_epoch)
    }

    /// Whether `test` holds for the CTA and epoch of some access of `word`, or may.
    fn any_group(&self, word: u32, test: impl Fn(u32, u32) -> bool) -> bool {
        let of = |stamp: u32| {
            let interval = self.interval(stamp & STAMP);
            test(interval.cta, interval.cta_epoch)
        };
        match word {
            0 => false,
            _ if word & SET == 0 => of(word),
            _ => match &self.accessors.sets[(word & !SET) as usize] {
                Set::Exact(members) => members.iter().any(|member| of(*member)),
                Set::Epochs { ctas, .. } => ctas.iter().any(|(cta, epoch)| test(*cta, *epoch)),
                Set::Unknown { .. } => true,
            },
        }
    }

    fn is_set_unordered(&self, word: u32, now: Interval, writes: bool, abroad: bool) -> bool {
        match &self.accessors.sets[(word & !SET) as usize] {
            Set::Exact(members) => {
                for member in members.iter().rev() {
                    let interval = self.interval(member & STAMP);
                    let before = self.is_before(interval, now);
                    if !before && counts(*member, writes) && (!abroad || interval.cta != now.cta) {
                        return true;
                    }
                    // A strong read that comes before the operation has observed the writes that entered before it, so that they come before
                    // the operation as well (causality order, PTX ISA 8.9). This is inexact in two ways. A read that a later one has
                    // replaced is forgotten, and what only that read had observed: this can report a race too many where plain and
                    // strong accesses mix. And earlier strong reads are skipped together with the writes, although nothing observes a
                    // read: a write that races with one of these is missed.
                    if before && member & READS != 0 {
                        return false;
                    }
                }
                false
            }
            Set::Epochs { ctas, writes: any } => {
                let unordered = |(cta, epoch): &(u32, u32)| {
                    (!abroad || *cta != now.cta) && !self.is_epoch_before(*cta, *epoch, now)
                };
                (*any || !writes) && ctas.iter().any(unordered)
            }
            Set::Unknown { writes: any } => *any || !writes,
        }
    }

    /// Whether all accesses of a word are by this thread.
    #[inline]
    pub(crate) fn is_of(&self, word: u32, thread: u32) -> bool {
        word == 0 || word & SET == 0 && self.interval(word & STAMP).thread == thread
    }

    /// The word after the access `stamp` (with its [`READS`] and [`WRITES`]) joins those of `word`. Accesses that happen
    /// before it leave, except that a strong write stays when what enters only reads, and the reverse.
    #[inline]
    pub(crate) fn joined(&mut self, word: u32, stamp: u32) -> u32 {
        if word == 0 || is_same_interval(word, stamp) {
            return word | stamp;
        }
        if let Some(result) = self.accessors.known(word, stamp) {
            return result;
        }
        let result = self.join(word, stamp);
        self.accessors.remember(Transition { word, stamp, result });
        result
    }

    fn join(&mut self, word: u32, stamp: u32) -> u32 {
        if word & SET == 0 {
            return if self.stays(word, stamp) { self.insert_exact(vec![word, stamp]) } else { stamp };
        }
        let now = self.interval(stamp & STAMP);
        match &self.accessors.sets[(word & !SET) as usize] {
            Set::Exact(members) => {
                let (latest, earlier) = members.split_last().unwrap_or((&stamp, &[]));
                let mut kept = Vec::with_capacity(members.len() + 1);
                kept.extend(earlier.iter().copied().filter(|member| self.stays(*member, stamp)));
                match is_same_interval(*latest, stamp) {
                    true => kept.push(latest | stamp),
                    false => {
                        kept.extend(self.stays(*latest, stamp).then_some(*latest));
                        kept.push(stamp);
                    }
                }
                self.insert_exact(kept)
            }
            Set::Epochs { ctas, writes } => {
                let drops = stamp & WRITES != 0 || !writes;
                // Without allocation where the set is the same afterwards, as it is at a contended location.
                let holds = ctas
                    .binary_search_by_key(&now.cta, |(cta, _)| *cta)
                    .is_ok_and(|i| ctas[i].1 >= now.cta_epoch);
                let leaves = |(cta, epoch): &(u32, u32)| drops && self.is_epoch_before(*cta, *epoch, now);
                if holds && (*writes || stamp & WRITES == 0) && !ctas.iter().any(leaves) {
                    return word;
                }
                let mut kept: Vec<(u32, u32)> = ctas.to_vec();
                kept.retain(|entry| !leaves(entry));
                let writes = stamp & WRITES != 0 || (*writes && !kept.is_empty());
                if kept.is_empty() { stamp } else { self.insert_epochs(word, kept, stamp, writes) }
            }
            Set::Unknown { writes } => unknown(*writes || stamp & WRITES != 0),
        }
    }

    /// Whether `member` stays in a set that `stamp` enters.
    fn stays(&self, member: u32, stamp: u32) -> bool {
        // A plain access has neither flag, and its plane holds accesses of one kind only.
        let does_more = member & !stamp & (READS | WRITES) != 0;
        does_more || !self.is_before(self.interval(member & STAMP), self.interval(stamp & STAMP))
    }

    /// The word of a set of these members, the last of which enters.
    fn insert_exact(&mut self, members: Vec<u32>) -> u32 {
        if let [only] = members[..] {
            return only;
        }
        if let Some(word) = self.accessors.exact.get(&members[..]) {
            return *word;
        }
        let cta_of = |m: &u32| self.interval(m & STAMP).cta;
        let first = cta_of(&members[0]);
        let limit = if members.iter().all(|m| cta_of(m) == first) { EXACT_IN_CTA } else { EXACT_IN_GRID };
        if members.len() <= limit && self.accessors.elements < CAPACITY {
            self.accessors.elements += members.len();
            let members: Arc<[u32]> = members.into();
            let word = self.accessors.push(Set::Exact(Arc::clone(&members)));
            self.accessors.exact.insert(members, word);
            return word;
        }
        let writes = members.iter().any(|m| m & WRITES != 0);
        let mut epochs: Vec<(u32, u32)> = Vec::new();
        for member in &members {
            raise(&mut epochs, cta_of(member), self.interval(member & STAMP).cta_epoch);
        }
        self.push_epochs(epochs, writes)
    }

    /// The word of a set of `epochs` (taken from the set `word`) that `stamp` enters.
    fn insert_epochs(&mut self, word: u32, mut epochs: Vec<(u32, u32)>, stamp: u32, writes: bool) -> u32 {
        let entering = self.interval(stamp & STAMP);
        raise(&mut epochs, entering.cta, entering.cta_epoch);
        match &self.accessors.sets[(word & !SET) as usize] {
            Set::Epochs { ctas, writes: before } if **ctas == epochs[..] && *before == writes => word,
            _ => self.push_epochs(epochs, writes),
        }
    }

    fn push_epochs(&mut self, epochs: Vec<(u32, u32)>, writes: bool) -> u32 {
        if epochs.len() > CTAS || self.accessors.elements >= CAPACITY {
            return unknown(writes);
        }
        self.accessors.elements += epochs.len();
        self.accessors.push(Set::Epochs { ctas: epochs.into(), writes })
    }
}

impl Accessors {
    fn push(&mut self, set: Set) -> u32 {
        self.sets.push(set);
        (self.sets.len() - 1) as u32 | SET
    }
}

/// The word of the set that holds nothing in particular.
fn unknown(writes: bool) -> u32 {
    u32::from(writes) | SET
}

/// Whether a word is that of accesses by any threads at any time.
#[inline]
pub(crate) fn is_of_anybody(word: u32) -> bool {
    word & !1 == SET
}

/// Whether `word` is one access of the interval of `stamp`: one directly after the other, the two are one that does what both do.
#[inline]
fn is_same_interval(word: u32, stamp: u32) -> bool {
    (word ^ stamp) & !(READS | WRITES) == 0
}

/// Whether an access matters to a question that is about writes only, or about all.
#[inline]
fn counts(stamp: u32, writes: bool) -> bool {
    !writes || stamp & WRITES != 0
}

/// Raises the epoch of `cta` in a sorted list.
fn raise(epochs: &mut Vec<(u32, u32)>, cta: u32, epoch: u32) {
    match epochs.binary_search_by_key(&cta, |(c, _)| *c) {
        Ok(index) => epochs[index].1 = epochs[index].1.max(epoch),
        Err(index) => epochs.insert(index, (cta, epoch)),
    }
}
