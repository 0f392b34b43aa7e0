//! Happens-before knowledge of each thread: barriers, fences, releases and acquires.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::accessors::Accessors;
use super::knowledge::{Group, Interval, Knowledge};
use super::releases::{Place, Reach, Released, Releases, note};

/// Threads per warp.
const WARP: u32 = 32;
/// First number of the shadows of shared memory; below are those of memory that every CTA can reach.
pub const SHARED_SHADOWS: u32 = 1 << 24;

/// The `.scope` of a fence or strong access. `.sys` and `.cluster` reach every thread of a launch, as `.gpu` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The threads of the same CTA.
    Cta,
    /// Every thread of the grid.
    Grid,
}

/// The `.sem` of a strong access. `.volatile` is relaxed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `.relaxed`, `.volatile`, and atomics without `.sem`.
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcquireRelease,
}

/// The kind of a strong access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrongKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes: `atom`, `red`, `sured`.
    Update,
}

/// A strong access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strong {
    /// Its kind.
    pub kind: StrongKind,
    /// Its `.sem`.
    pub order: Order,
    /// Its `.scope`.
    pub scope: Scope,
}

/// A thread's knowledge of others.
#[derive(Clone, Debug, Default)]
struct View {
    /// Knowledge from acquires and partial synchronisations.
    known: Option<Arc<Knowledge>>,
    /// Releases observed by strong reads of each place: they become known at the next fence, or at an acquire of that place.
    pending: BTreeMap<Place, Vec<Arc<Released>>>,
    /// Releases that later strong writes to any place make because of earlier fences: at most one per scope.
    fenced: Vec<Arc<Released>>,
    /// Releases that later strong writes to a place make because of earlier releases of the same place: at most one per scope.
    released: BTreeMap<Place, Vec<Arc<Released>>>,
}

/// The views of all threads; there are none until one of them holds something.
#[derive(Clone, Debug)]
struct Views {
    threads: usize,
    of: Vec<View>,
}

impl Views {
    fn new(threads: usize) -> Self {
        Self { threads, of: Vec::new() }
    }

    /// That of a thread, to change it.
    fn at(&mut self, thread: u32) -> &mut View {
        if self.of.is_empty() {
            self.of.resize_with(self.threads, View::default);
        }
        &mut self.of[thread as usize]
    }

    /// What a thread knows, if it knows anything.
    fn known(&self, thread: u32) -> Option<&Arc<Knowledge>> {
        self.of.get(thread as usize)?.known.as_ref()
    }

    /// The releases that a strong write of a thread to a place makes because of what the thread did earlier.
    fn released(&self, thread: u32, at: Place) -> impl Iterator<Item = &Arc<Released>> + Clone {
        self.of.get(thread as usize).into_iter().flat_map(move |view| {
            let here = view.released.get(&at).map_or(&[][..], Vec::as_slice);
            view.fenced.iter().chain(here)
        })
    }
}

/// What happened before the `bar.arrive`s of threads at a barrier that is not complete yet.
#[derive(Clone, Debug, Default)]
pub struct Arrivals(Knowledge);

/// Happens-before knowledge of all threads of a launch.
#[derive(Clone, Debug)]
pub struct Clocks {
    threads_per_cta: u32,
    warps_per_cta: u32,
    /// Of each thread the current interval as an index into [`Clocks::intervals`]; 0 until its first access.
    stamps: Vec<u32>,
    /// Of each thread how many intervals it has begun.
    clocks: Vec<u32>,
    /// Of each thread its CTA and warp: looked up, as divisions would be slower.
    groups: Vec<(u32, u32)>,
    views: Views,
    /// Whether any thread knows anything beyond epochs.
    knowing: bool,
    /// Whether any thread has made anything the content of its later strong writes.
    releasing: bool,
    cta_epochs: Vec<u32>,
    warp_epochs: Vec<u32>,
    /// Every interval in which something was accessed; number 0 is none.
    intervals: Vec<Interval>,
    /// Sets of accesses that shadows refer to.
    pub(crate) accessors: Accessors,
    /// The releases that stand at each place.
    released: Releases,
}

impl Clocks {
    /// Clocks of a launch of `ctas` blocks of `threads_per_cta` threads.
    pub fn new(ctas: u32, threads_per_cta: u32) -> Self {
        let warps_per_cta = threads_per_cta.div_ceil(WARP);
        let threads = ctas as usize * threads_per_cta as usize;
        let none = Interval { thread: u32::MAX, clock: 0, cta: 0, warp: 0, cta_epoch: 0, warp_epoch: 0 };
        let mut groups = Vec::with_capacity(threads);
        for cta in 0..ctas {
            groups.extend((0..threads_per_cta).map(|tid| (cta, cta * warps_per_cta + tid / WARP)));
        }
        Self {
            threads_per_cta,
            warps_per_cta,
            stamps: vec![0; threads],
            clocks: vec![0; threads],
            groups,
            views: Views::new(threads),
            knowing: false,
            releasing: false,
            cta_epochs: vec![0; ctas as usize],
            warp_epochs: vec![0; ctas as usize * warps_per_cta as usize],
            intervals: vec![none],
            accessors: Accessors::default(),
            released: Releases::default(),
        }
    }

    /// Clocks of a launch in which nothing is to be ordered: of one thread, or of one that no [`Shadow`](super::Shadow) watches.
    pub fn none() -> Self {
        Self {
            threads_per_cta: 0,
            warps_per_cta: 0,
            stamps: Vec::new(),
            clocks: Vec::new(),
            groups: Vec::new(),
            views: Views::new(0),
            knowing: false,
            releasing: false,
            cta_epochs: Vec::new(),
            warp_epochs: Vec::new(),
            intervals: Vec::new(),
            accessors: Accessors::none(),
            released: Releases::default(),
        }
    }

    /// Whether they order nothing.
    fn is_none(&self) -> bool {
        self.stamps.is_empty()
    }

    /// Every thread of `cta` that has not exited has arrived at a barrier of the whole CTA: everything that any of them
    /// did before happens before everything that any of them does after.
    pub fn barrier(&mut self, cta: u32) {
        if self.is_none() {
            return;
        }
        self.cta_epochs[cta as usize] += 1;
        let from = cta * self.threads_per_cta;
        let group = from..from + self.threads_per_cta;
        let warps = cta * self.warps_per_cta..(cta + 1) * self.warps_per_cta;
        let common = self.common_knowledge(group.clone()).and_then(|mut knowledge| {
            knowledge.forget_cta(cta, group.clone(), warps);
            (!knowledge.is_empty()).then(|| Arc::new(knowledge))
        });
        self.synchronise(group, common);
    }

    /// `thread` executed `bar.arrive`. What it did before is part of `arrivals`; what it does from now on is not, although it does not
    /// wait until the barrier is complete.
    pub fn arrive(&mut self, arrivals: &mut Arrivals, thread: u32) {
        if self.is_none() {
            return;
        }
        self.add_history(&mut arrivals.0, thread);
        self.next_interval(thread);
    }

    /// A barrier of some threads: what happened before the `arrivals`, and operations of `waiting` before it, happen before operations
    /// of `waiting` after it.
    pub fn barrier_among(&mut self, arrivals: Arrivals, waiting: &[u32]) {
        if self.is_none() {
            return;
        }
        let Arrivals(mut knowledge) = arrivals;
        for &thread in waiting {
            self.add_history(&mut knowledge, thread);
        }
        self.synchronise(waiting.iter().copied(), Some(Arc::new(knowledge)));
    }

    /// The lanes `mask` of warp `warp` of `cta` executed `bar.warp.sync` together.
    pub fn warp_sync(&mut self, cta: u32, warp: u32, mask: u32) {
        if self.is_none() {
            return;
        }
        let first = warp * WARP;
        let lanes = self.threads_per_cta.saturating_sub(first).min(WARP);
        let whole = if lanes == WARP { u32::MAX } else { (1 << lanes) - 1 };
        let from = cta * self.threads_per_cta + first;
        if mask & whole == whole {
            self.warp_epochs[(cta * self.warps_per_cta + warp) as usize] += 1;
            let common = self.common_knowledge(from..from + lanes).map(Arc::new);
            self.synchronise(from..from + lanes, common);
        } else {
            let threads: Vec<u32> =
                (0..lanes).filter(|lane| mask >> lane & 1 == 1).map(|lane| from + lane).collect();
            self.barrier_among(Arrivals::default(), &threads);
        }
    }

    /// `thread` executed `membar`, `fence.acq_rel` or `fence.sc`.
    ///
    /// It acquires the releases observed by earlier strong reads; later strong writes release everything that happened before it.
    pub fn fence(&mut self, thread: u32, scope: Scope) {
        if self.is_none() {
            return;
        }
        self.acquire(thread, scope, None);
        self.release(thread, scope, None);
    }

    /// Ends the release sequences at every place that overlaps `bytes` of a shadow, except at `but`: something that is not morally
    /// strong to reads of these places has written there.
    #[inline]
    pub(crate) fn end_releases(&mut self, shadow: u32, bytes: std::ops::Range<usize>, but: Option<Place>) {
        if self.releasing {
            self.released.end(shadow, bytes, but);
        }
    }

    /// Whether the memory of that shadow can be reached by one CTA only.
    pub(crate) fn is_one_cta(&self, shadow: u32) -> bool {
        self.cta_epochs.len() == 1 || shadow >= SHARED_SHADOWS
    }

    /// The current interval of `thread` as a stamp, 0 when it has accessed nothing in it.
    #[inline]
    pub(crate) fn current(&self, thread: u32) -> u32 {
        self.stamps[thread as usize]
    }

    /// [`Clocks::current`] of the 32 threads from `thread` on, if there are as many.
    #[inline]
    pub(crate) fn stamps_from(&self, thread: u32) -> Option<&[u32]> {
        self.stamps.get(thread as usize..thread as usize + 32)
    }

    /// The current interval of `thread` as a stamp.
    #[inline]
    pub(crate) fn stamp(&mut self, thread: u32) -> u32 {
        let stamp = self.current(thread);
        if stamp != 0 { stamp } else { self.begin_interval(thread) }
    }

    #[cold]
    fn begin_interval(&mut self, thread: u32) -> u32 {
        let (cta, warp) = self.groups[thread as usize];
        let interval = Interval {
            thread,
            clock: self.clocks[thread as usize],
            cta,
            warp,
            cta_epoch: self.cta_epochs[cta as usize],
            warp_epoch: self.warp_epochs[warp as usize],
        };
        let stamp = self.intervals.len() as u32;
        self.intervals.push(interval);
        self.stamps[thread as usize] = stamp;
        stamp
    }

    /// The interval of a stamp.
    #[inline]
    pub(crate) fn interval(&self, stamp: u32) -> Interval {
        self.intervals[stamp as usize]
    }

    /// Whether everything of the interval `earlier` happens before the operations of the thread of `now` in that interval.
    #[inline]
    pub(crate) fn is_before(&self, earlier: Interval, now: Interval) -> bool {
        earlier.thread == now.thread
            || earlier.cta == now.cta && earlier.cta_epoch < now.cta_epoch
            || earlier.warp == now.warp && earlier.warp_epoch < now.warp_epoch
            || self.knowing && self.knows(earlier, now.thread)
    }

    fn knows(&self, earlier: Interval, thread: u32) -> bool {
        self.views.known(thread).is_some_and(|known| known.holds(earlier))
    }

    /// Whether everything that threads of `cta` did in `epoch` and before happens before what happens `now`.
    pub(crate) fn is_epoch_before(&self, cta: u32, epoch: u32, now: Interval) -> bool {
        cta == now.cta && epoch < now.cta_epoch
            || self.views.known(now.thread).is_some_and(|k| k.holds_epoch(Group::Cta(cta), epoch))
    }

    #[inline]
    fn cta_of(&self, thread: u32) -> u32 {
        self.groups[thread as usize].0
    }

    /// Whether no thread has released anything yet: a relaxed access does nothing but access.
    #[inline]
    pub(crate) fn has_no_releases(&self) -> bool {
        !self.releasing
    }

    /// Applies the releases and acquires of a strong access of `thread` to the place `at`.
    #[inline]
    pub(crate) fn strong(&mut self, thread: u32, at: Place, strong: Strong) {
        // What stands released was made so by some thread.
        if !self.releasing && strong.order == Order::Relaxed {
            return;
        }
        self.strong_synchronising(thread, at, strong);
    }

    #[cold]
    fn strong_synchronising(&mut self, thread: u32, at: Place, strong: Strong) {
        let by = Reach { scope: strong.scope, cta: self.cta_of(thread) };
        if strong.kind != StrongKind::Write {
            let seen = self.released.observed(at, by);
            // What the thread itself released it knows.
            let is_own =
                |seen: &Arc<Released>| self.views.released(thread, at).any(|own| Arc::ptr_eq(own, seen));
            if !seen.iter().all(is_own) {
                let pending = self.views.at(thread).pending.entry(at).or_default();
                seen.iter().for_each(|released| note(pending, released));
            }
            if matches!(strong.order, Order::Acquire | Order::AcquireRelease) {
                self.acquire(thread, strong.scope, Some(at));
            }
        }
        if strong.kind == StrongKind::Read {
            return;
        }
        if matches!(strong.order, Order::Release | Order::AcquireRelease) {
            self.release(thread, strong.scope, Some(at));
        }
        // An atomic update goes on with the release sequences that stood there; a strong write that is none ends them.
        let goes_on = strong.kind == StrongKind::Update;
        self.released.write(at, by, goes_on, self.views.released(thread, at));
    }

    /// Makes what `thread` has seen released known to it: at a fence everything, at an acquire of a place what it has seen there.
    fn acquire(&mut self, thread: u32, scope: Scope, at: Option<Place>) {
        let by = Reach { scope, cta: self.cta_of(thread) };
        let view = self.views.at(thread);
        let mut acquired: Vec<Arc<Released>> = Vec::new();
        let mut take = |seen: &mut Vec<Arc<Released>>| {
            seen.retain(|released| {
                let reaches = released.by.is_mutual(by);
                if reaches && !acquired.iter().any(|other| Arc::ptr_eq(other, released)) {
                    acquired.push(Arc::clone(released));
                }
                !reaches
            });
            !seen.is_empty()
        };
        match at {
            None => view.pending.retain(|_, seen| take(seen)),
            Some(at) => {
                if view.pending.get_mut(&at).is_some_and(|seen| !take(seen)) {
                    view.pending.remove(&at);
                }
            }
        }
        if acquired.is_empty() {
            return;
        }
        let mut known = view.known.take().map_or_else(Knowledge::default, Arc::unwrap_or_clone);
        acquired.iter().for_each(|released| known.join(&released.knowledge));
        view.known = Some(Arc::new(known));
        self.knowing = true;
        self.next_interval(thread);
    }

    /// Makes what `thread` has done and knows the content of its later strong writes: after a fence of all, after a release of a place
    /// of those to that place (PTX ISA 8.8, release pattern).
    fn release(&mut self, thread: u32, scope: Scope, at: Option<Place>) {
        let mut knowledge = Knowledge::default();
        self.add_history(&mut knowledge, thread);
        let released = Arc::new(Released { by: Reach { scope, cta: self.cta_of(thread) }, knowledge });
        let view = self.views.at(thread);
        let earlier = match at {
            None => {
                // A fence covers what it follows, wherever that was released.
                view.released.retain(|_, earlier| {
                    earlier.retain(|earlier| earlier.by.scope > scope);
                    !earlier.is_empty()
                });
                &mut view.fenced
            }
            Some(at) => view.released.entry(at).or_default(),
        };
        // A wider one covers a narrower one, not the reverse.
        earlier.retain(|earlier| earlier.by.scope > scope);
        earlier.push(released);
        self.releasing = true;
        self.next_interval(thread);
    }

    /// Adds everything that happened before what `thread` does next.
    fn add_history(&self, knowledge: &mut Knowledge, thread: u32) {
        let (cta, warp) = self.groups[thread as usize];
        knowledge.add_thread(thread, self.clocks[thread as usize]);
        knowledge.add_group(Group::Cta(cta), self.cta_epochs[cta as usize]);
        knowledge.add_group(Group::Warp(warp), self.warp_epochs[warp as usize]);
        if let Some(known) = self.views.known(thread) {
            knowledge.join(known);
        }
    }

    /// What any of `threads` has acquired; `None` when nothing.
    fn common_knowledge(&self, threads: std::ops::Range<u32>) -> Option<Knowledge> {
        if !self.knowing {
            return None;
        }
        let mut common: Option<Knowledge> = None;
        let mut last: Option<&Arc<Knowledge>> = None;
        for known in threads.filter_map(|thread| self.views.known(thread)) {
            // Threads that synchronised together share one.
            if last.is_none_or(|last| !Arc::ptr_eq(last, known)) {
                common.get_or_insert_default().join(known);
            }
            last = Some(known);
        }
        common
    }

    /// Gives every one of `threads` the same knowledge and a new interval.
    fn synchronise(&mut self, threads: impl Iterator<Item = u32>, known: Option<Arc<Knowledge>>) {
        self.knowing |= known.is_some();
        for thread in threads {
            if self.knowing {
                self.views.at(thread).known.clone_from(&known);
            }
            self.next_interval(thread);
        }
    }

    #[inline]
    fn next_interval(&mut self, thread: u32) {
        self.clocks[thread as usize] += 1;
        self.stamps[thread as usize] = 0;
    }
}
