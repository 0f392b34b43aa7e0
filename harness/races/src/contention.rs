//! Detects and records contended atomics.
//!
//! The result of a strong access is *unordered* if another thread writes to the same location (as atomics do) and nothing orders
//! the two: in the same barrier epoch of a block, or in another block at any time. The first of two contenders cannot know of the
//! second, so a launch is run again with the findings of the first run ([`Knowledge`]). Runs are deterministic, so the second run
//! meets the same operations. Only contended operations are recorded.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use warpdiff_model::serial::{AtomicOp, Contenders};
use warpdiff_semantics::atomic::AtomicKind;
use warpdiff_semantics::onlooker::Memory;

use crate::NumberHasher;

/// Most operations recorded per launch. Beyond it returned values are still unordered, but not checked to serialise.
const RECORD_LIMIT: usize = 1 << 20;

/// Marks the number of a record that of the upper half of its value, where each half is in a register of its own.
pub const HIGH_HALF: u32 = 1 << 31;

/// The memory that an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Region {
    /// A global or constant allocation, by index.
    Global(u32),
    /// The shared memory of the block.
    Shared,
    /// The local memory of the thread.
    Local,
    /// The kernel's parameters.
    Param,
    /// The texels of a surface, by index. No address refers to it.
    Surface(u32),
}

impl Region {
    /// The kind of memory as an onlooker is told it, and the number among those of the kind.
    pub fn memory(self) -> (Memory, u32) {
        match self {
            Self::Global(index) => (Memory::Global, index),
            Self::Shared => (Memory::Shared, 0),
            Self::Local => (Memory::Local, 0),
            Self::Param => (Memory::Constant, 0),
            Self::Surface(index) => (Memory::Surface, index),
        }
    }
}

/// A location: memory and byte offset. For shared memory the block is part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The memory.
    pub region: Region,
    /// The block, for shared memory; 0 otherwise.
    pub block: u32,
    /// Byte offset.
    pub offset: u64,
}

/// Atomics on a location with no order between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupKey {
    /// The location.
    pub location: Location,
    /// The block and its epoch; `None` when several blocks are concerned, then it is the whole launch.
    pub epoch: Option<(u32, u32)>,
}

/// The contended groups found by earlier runs of the launch, with their properties.
pub type Knowledge = HashMap<GroupKey, Contended, BuildHasherDefault<NumberHasher>>;

/// Properties of a contended group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contended {
    /// Its final value depends on the order.
    pub order_matters: bool,
    /// Strong loads or stores take part, or atomics of several widths, so that one order of atomics does not explain its values.
    pub mixed: bool,
    /// `.SPIN` selects one of several lanes for the operation. The lanes need not share a location: a thread alone on its location
    /// also contends.
    pub selected: bool,
}

impl Contended {
    fn join(&mut self, other: Contended) {
        self.order_matters |= other.order_matters;
        self.mixed |= other.mixed;
        self.selected |= other.selected;
    }
}

/// Kind of access to a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// A strong load.
    Load,
    /// A strong store.
    Store,
    /// An atomic.
    Atomic,
}

/// Words of a page of [`Stamps`].
const PAGE: usize = 64;

/// The threads that touched each word of a memory, by pages that are there once a word of theirs has been touched: shared memory may be
/// large, and a launch touches little of it.
#[derive(Clone, Default)]
pub struct Stamps(Vec<Option<Box<[Touched; PAGE]>>>);

impl Stamps {
    /// Those of a word, if its page is there.
    #[inline]
    fn get(&self, word: usize) -> Option<&Touched> {
        Some(&self.0.get(word / PAGE)?.as_ref()?[word % PAGE])
    }

    /// Those of a word.
    fn at(&mut self, word: usize) -> &mut Touched {
        let page = word / PAGE;
        if self.0.len() <= page {
            self.0.resize_with(page + 1, || None);
        }
        &mut self.0[page].get_or_insert_with(|| Box::new([Touched::default(); PAGE]))[word % PAGE]
    }

    /// Whether `test` holds for each of the 32 words from `first` on; false if the pages of some are not there.
    #[inline]
    fn all_of_row(&self, first: usize, mut test: impl FnMut(&Touched) -> bool) -> bool {
        let (page, start) = (first / PAGE, first % PAGE);
        let of = |page: usize| self.0.get(page).and_then(Option::as_ref);
        let in_first = (PAGE - start).min(32);
        let Some(words) = of(page) else { return false };
        if !words[start..start + in_first].iter().all(&mut test) {
            return false;
        }
        in_first == 32 || of(page + 1).is_some_and(|words| words[..32 - in_first].iter().all(test))
    }
}

/// Nobody; 1 more than a thread or block; or several.
type Who = u32;
const SEVERAL: Who = u32::MAX;

/// The threads that touched a word: in the current epoch of the block that touched it last, and in the whole launch.
///
/// Keeping the epoch of only one block loses nothing: once several blocks touch a word and one of them writes, they contend in the
/// launch as a whole.
#[derive(Clone, Copy, Default)]
struct Touched {
    /// The block of this epoch, and the epoch.
    block: Who,
    epoch: u32,
    /// Threads that loaded in the epoch, and that stored or did atomics.
    readers: Who,
    writers: Who,
    /// Blocks that did so in the launch.
    reading: Who,
    writing: Who,
    /// Whether there were stores in the epoch, and in the launch.
    store: bool,
    stored: bool,
    /// Whether in some epoch the final value depended on the order.
    disputed: bool,
    /// One bit for each byte of the word: whether the contention as it is now has been noted of the location that begins there.
    noted: u8,
}

impl Touched {
    /// Whether a touch of this kind by `thread` of `block` would add nothing, and contends with nothing.
    #[inline]
    fn is_repeated(&self, (thread, block, epoch): (Who, Who, u32), touch: Touch) -> bool {
        let reads_alone = ((self.readers == 0) | (self.readers == thread))
            & ((self.reading == 0) | (self.reading == block));
        let writes_alone = ((self.writers == 0) | (self.writers == thread))
            & ((self.writing == 0) | (self.writing == block));
        let (threads, blocks) = match touch {
            Touch::Load => (self.readers, self.reading),
            Touch::Store | Touch::Atomic => (self.writers, self.writing),
        };
        let has_done_so =
            (threads == thread) & (blocks == block) & (touch != Touch::Store || self.store & self.stored);
        // Without a branch for each: 32 lanes are asked one after the other.
        has_done_so & reads_alone & writes_alone & (self.block == block) & (self.epoch == epoch)
    }

    /// Whether nobody has touched the word but this thread, so that its touch contends with nothing.
    #[inline]
    fn is_of_nobody_else(&self, (thread, block, _): (Who, Who, u32)) -> bool {
        let by = |who: Who, one: Who| (who == 0) | (who == one);
        by(self.readers, thread)
            & by(self.writers, thread)
            & by(self.reading, block)
            & by(self.writing, block)
    }

    /// Adds a touch.
    fn add(&mut self, (thread, block, epoch): (Who, Who, u32), touch: Touch) {
        if (self.block, self.epoch) != (block, epoch) {
            *self = Touched { block, epoch, readers: 0, writers: 0, store: false, ..*self };
        }
        let (threads, blocks) = match touch {
            Touch::Load => (&mut self.readers, &mut self.reading),
            Touch::Store | Touch::Atomic => (&mut self.writers, &mut self.writing),
        };
        join(threads, thread);
        join(blocks, block);
        self.store |= touch == Touch::Store;
        self.stored |= touch == Touch::Store;
        self.disputed |= self.store && self.writers == SEVERAL;
    }

    /// Whether blocks contend, or else threads of the block; and how.
    fn contention(&self) -> Option<(bool, Contended)> {
        if conflict(self.writing, self.reading) {
            let order_matters = self.disputed || self.stored && self.writing == SEVERAL;
            Some((
                true,
                Contended { order_matters, mixed: self.stored || self.reading != 0, selected: false },
            ))
        } else if conflict(self.writers, self.readers) {
            let order_matters = self.store && self.writers == SEVERAL;
            Some((
                false,
                Contended { order_matters, mixed: self.store || self.readers != 0, selected: false },
            ))
        } else {
            None
        }
    }
}

/// The words of some bytes.
fn words(location: Location, size: usize) -> impl Iterator<Item = u64> {
    location.offset / 4..(location.offset + size as u64).div_ceil(4)
}

fn join(who: &mut Who, one: Who) {
    if *who != one {
        *who = if *who == 0 { one } else { SEVERAL };
    }
}

/// Whether one of the writers is another than one of the writers or readers.
fn conflict(writers: Who, readers: Who) -> bool {
    writers == SEVERAL || writers != 0 && readers != 0 && readers != writers
}

/// Thread and time of an atomic.
#[derive(Clone, Copy, Debug)]
pub struct Actor {
    /// Linear number of the thread in the grid.
    pub thread: u32,
    /// Linear number of its block.
    pub block: u32,
    /// The block's barrier epoch.
    pub epoch: u32,
}

/// The recorded operations of a group.
pub struct Group {
    /// The key of the group.
    pub key: GroupKey,
    /// Bytes.
    pub width: u8,
    /// Value before the first one, if defined and ordered.
    pub initial: Option<u64>,
    /// Value after the last one.
    pub last: u64,
    /// The operations, in the order of this run.
    pub operations: Vec<Done>,
    /// Position among all groups of the launch of its latest operation.
    pub latest: u64,
    /// The first operation's kind, and the operand of `inc` and `dec`.
    kind: (AtomicKind, u64),
    /// Observed properties: operations of different kinds, or of one kind whose final value depends on the order; and operations of
    /// several widths.
    shown: Contended,
    /// Whether something else has been stored there since the latest operation.
    interrupted: bool,
}

/// One recorded operation.
pub struct Done {
    /// The operation.
    pub op: AtomicOp,
    /// The executing thread.
    pub thread: u32,
    /// Global allocation and offset where the returned value was stored unmodified.
    pub stored: Option<(u32, u64)>,
    /// The same of its upper half, if the two are in registers of their own.
    pub high: Option<(u32, u64)>,
    /// Whether they are.
    pub split: bool,
    /// The group of lanes from which `.SPIN` selects one, if the thread is in such a group.
    pub spin: Option<Contenders>,
}

impl Done {
    /// The place where the complete returned value was stored.
    pub fn seen(&self) -> Option<(u32, u64)> {
        self.stored.filter(|(memory, offset)| !self.split || self.high == Some((*memory, offset + 4)))
    }
}

/// What was found of a location and the block and epoch of an access to it.
#[derive(Clone, Copy)]
struct Asked {
    place: (Location, u32, u32),
    found: Option<(GroupKey, Contended)>,
}

/// The bookkeeping of one run.
#[derive(Default)]
pub struct Contention {
    known: Knowledge,
    /// What of that was asked for last.
    asked: Option<Asked>,
    found: Knowledge,
    index: HashMap<GroupKey, usize, BuildHasherDefault<NumberHasher>>,
    /// The groups whose operations were recorded, in the order of their first.
    pub groups: Vec<Group>,
    /// The group of the last operation recorded, by its index.
    recorded: usize,
    /// Group and operation per record, indexed by record number minus one.
    records: Vec<(u32, u32)>,
    /// The record whose value a place in memory holds.
    stored: HashMap<(u32, u64), u32, BuildHasherDefault<NumberHasher>>,
    clock: u64,
    /// Groups of lanes that `.SPIN` has made so far.
    spins: u32,
    /// The words where lanes selected by `.SPIN` contend (memory, block and number), and their index in [`Contention::groups`].
    selected: HashMap<(Region, u32, u64), usize, BuildHasherDefault<NumberHasher>>,
}

impl Contention {
    /// Creates the bookkeeping of a run that uses the findings of earlier runs.
    pub fn new(known: Knowledge) -> Self {
        Self { known, ..Self::default() }
    }

    /// Whether no earlier run found anything.
    #[inline]
    pub fn knows_nothing(&self) -> bool {
        self.known.is_empty()
    }

    /// Notes a strong access to a location. Returns its group if the group is known to be contended: the result of the access is
    /// then unordered.
    #[inline]
    pub fn touch(
        &mut self,
        stamps: &mut Stamps,
        location: Location,
        actor: Actor,
        touch: Touch,
    ) -> Option<GroupKey> {
        let who = (actor.thread + 1, actor.block + 1, actor.epoch);
        let word = (location.offset / 4) as usize;
        if self.known.is_empty() && stamps.get(word).is_some_and(|word| word.is_repeated(who, touch)) {
            return None;
        }
        self.touch_anew(stamps, location, actor, touch)
    }

    /// Whether accesses to words by the 32 threads from that of `first` on, at places one after the other, repeat what these threads
    /// did last: [`Contention::touch`] would answer `None` for all, and change nothing.
    #[inline]
    pub fn repeats_row(&self, stamps: &Stamps, offset: usize, first: Actor, touch: Touch) -> bool {
        let mut threads = first.thread + 1..;
        let repeated = |word: &Touched| {
            let thread = threads.next().unwrap_or_default();
            word.is_repeated((thread, first.block + 1, first.epoch), touch)
        };
        self.known.is_empty() && stamps.all_of_row(offset / 4, repeated)
    }

    /// [`Contention::touch`], when it is not the repetition of the last one. Where nobody else has touched the word, it only adds this touch.
    fn touch_anew(
        &mut self,
        stamps: &mut Stamps,
        location: Location,
        actor: Actor,
        touch: Touch,
    ) -> Option<GroupKey> {
        let word = stamps.at((location.offset / 4) as usize);
        let who = (actor.thread + 1, actor.block + 1, actor.epoch);
        if self.known.is_empty() && word.is_of_nobody_else(who) {
            word.add(who, touch);
            return None;
        }
        let before = (word.contention(), word.block, word.epoch);
        word.add(who, touch);
        let contention = word.contention();
        if before != (contention, word.block, word.epoch) {
            word.noted = 0;
        }
        let bit = 1 << (location.offset % 4);
        if let Some((whole, how)) = contention
            && word.noted & bit == 0
        {
            word.noted |= bit;
            let epoch = (!whole).then_some((actor.block, actor.epoch));
            self.found.entry(GroupKey { location, epoch }).or_default().join(how);
        }
        if self.known.is_empty() { None } else { self.known_group(location, actor) }
    }

    /// Notes an access that takes effect only if its lane is selected among several. Returns its group, as [`Contention::touch`].
    pub fn contend(&mut self, stamps: &mut Stamps, location: Location, actor: Actor) -> Option<GroupKey> {
        let key = GroupKey { location, epoch: Some((actor.block, actor.epoch)) };
        self.found.entry(key).or_default().join(Contended {
            order_matters: true,
            mixed: false,
            selected: true,
        });
        self.touch(stamps, location, actor, Touch::Atomic)
    }

    /// Whether [`Contention::change`] has anything to note.
    #[inline]
    pub fn watches_changes(&self) -> bool {
        !self.selected.is_empty()
    }

    /// Notes a store or an atomic to `size` bytes. Lanes from which `.SPIN` selects one contend even where each has its own
    /// location. One order of atomics does not explain the values there if the thread also stores between its atomics, or if its
    /// atomics differ in width or place.
    #[inline]
    pub fn change(&mut self, location: Location, size: usize, actor: Actor, touch: Touch) {
        if self.watches_changes() {
            self.interrupt(location, size, actor, touch);
        }
    }

    fn interrupt(&mut self, location: Location, size: usize, actor: Actor, touch: Touch) {
        for word in words(location, size) {
            let Some(index) = self.selected.get(&(location.region, location.block, word)) else { continue };
            let group = &mut self.groups[*index];
            let is_of_group =
                touch == Touch::Atomic && (group.key.location, usize::from(group.width)) == (location, size);
            group.interrupted |= !is_of_group && group.key.epoch == Some((actor.block, actor.epoch));
        }
    }

    /// What is known of the access of a lane to a location: lanes of a warp mostly access the same.
    fn known_group(&mut self, location: Location, Actor { block, epoch, .. }: Actor) -> Option<GroupKey> {
        let place = (location, block, epoch);
        if self.asked.is_none_or(|asked| asked.place != place) {
            let keys = [None, Some((block, epoch))].map(|epoch| GroupKey { location, epoch });
            let found = keys.into_iter().find_map(|key| Some((key, *self.known.get(&key)?)));
            self.asked = Some(Asked { place, found });
        }
        let (key, _) = self.asked?.found?;
        Some(key)
    }

    /// The group number of a bank for the executing instruction.
    pub fn spin(&self, bank: usize) -> u32 {
        self.spins.wrapping_add(bank as u32)
    }

    /// An instruction with `.SPIN` has made its groups.
    pub fn spun(&mut self) {
        self.spins = self.spins.wrapping_add(32);
    }

    /// The known properties of a group.
    pub fn contended(&self, key: &GroupKey) -> Contended {
        if let Some(Asked { found: Some((asked, contended)), .. }) = &self.asked
            && asked == key
        {
            return *contended;
        }
        self.known.get(key).copied().unwrap_or_default()
    }

    /// Records an operation of a known group. Returns its number, or 0 if the record is full.
    pub fn record(
        &mut self,
        key: GroupKey,
        width: u8,
        kind: AtomicKind,
        done: Done,
        (before, after): (Option<u64>, u64),
    ) -> u32 {
        let operand = match done.op {
            AtomicOp::Inc(b) | AtomicOp::Dec(b) => b,
            _ => 0,
        };
        let index = match self.groups.get(self.recorded) {
            Some(group) if group.key == key => self.recorded,
            _ => {
                let groups = &mut self.groups;
                *self.index.entry(key).or_insert_with(|| {
                    groups.push(Group {
                        key,
                        width,
                        initial: before,
                        last: after,
                        operations: Vec::new(),
                        latest: 0,
                        kind: (kind, operand),
                        shown: Contended::default(),
                        interrupted: false,
                    });
                    groups.len() - 1
                })
            }
        };
        self.recorded = index;
        if self.contended(&key).selected {
            let Location { region, block, .. } = key.location;
            let of_group = |word| ((region, block, word), index);
            self.selected.extend(words(key.location, usize::from(width)).map(of_group));
        }
        self.clock += 1;
        let group = &mut self.groups[index];
        group.last = after;
        group.latest = self.clock;
        let same = group.kind == (kind, operand) && group.width == width;
        let commutes = kind.commutes() || matches!(kind, AtomicKind::Inc | AtomicKind::Dec);
        let mixed = group.width != width || group.interrupted;
        group.shown.join(Contended { order_matters: !same || !commutes, mixed, selected: false });
        group.interrupted = false;
        if self.records.len() >= RECORD_LIMIT {
            return 0;
        }
        self.records.push((index as u32, group.operations.len() as u32));
        group.operations.push(done);
        self.records.len() as u32
    }

    /// Whether everything was recorded.
    pub fn complete(&self) -> bool {
        self.records.len() < RECORD_LIMIT
    }

    /// The value of record `record` (0 for none) was stored unmodified at a place in global memory; whatever value of
    /// another record the place held is gone.
    #[inline]
    pub fn stored(&mut self, record: u32, place: (u32, u64)) {
        if !self.records.is_empty() {
            self.keep_place(record, place);
        }
    }

    fn keep_place(&mut self, record: u32, place: (u32, u64)) {
        if let Some(old) = self.stored.remove(&place) {
            *self.place_of(old) = None;
        }
        if record != 0 {
            *self.place_of(record) = Some(place);
            self.stored.insert(place, record);
        }
    }

    /// Where the value of a record is, or its upper half.
    fn place_of(&mut self, record: u32) -> &mut Option<(u32, u64)> {
        let (group, operation) = self.records[(record & !HIGH_HALF) as usize - 1];
        let done = &mut self.groups[group as usize].operations[operation as usize];
        if record & HIGH_HALF == 0 { &mut done.stored } else { &mut done.high }
    }

    /// The findings that this run started with.
    pub fn knowledge(&self) -> &Knowledge {
        &self.known
    }

    /// The same.
    pub fn into_knowledge(self) -> Knowledge {
        self.known
    }

    /// Whether this run found all that it started with again, and nothing else: then it began with what runs from nothing would have learned.
    pub fn found_what_it_knew(&self) -> bool {
        let found_again = |(key, known): (&GroupKey, &Contended)| {
            let shown = self.index.get(key).map(|index| self.groups[*index].shown).unwrap_or_default();
            self.found.get(key).is_some_and(|found| {
                let mut found = *found;
                found.join(shown);
                found == *known
            })
        };
        self.found.len() == self.known.len() && self.known.iter().all(found_again)
    }

    /// The findings of this run beyond those it started with; `None` if there are none.
    pub fn learned(&self) -> Option<Knowledge> {
        let mut knowledge = self.known.clone();
        for (key, how) in &self.found {
            knowledge.entry(*key).or_default().join(*how);
        }
        for group in &self.groups {
            knowledge.entry(group.key).or_default().join(group.shown);
        }
        (knowledge != self.known).then_some(knowledge)
    }
}
