//! The shadow of a memory region: the last accesses to each byte.

mod met;

use super::accessors::{READS, WRITES, is_of_anybody};
use super::clocks::{Clocks, Order, Scope, Strong, StrongKind};
use super::log::{Access, Kind, Log};
use super::releases::Place;
pub use met::Met;

/// What the strong accesses to a byte have in common: their size, a power of two up to 16, plus the position of the byte in
/// them. Strong accesses that overlap without being of one shape are not *morally strong* to each other (PTX ISA 8.7: "If
/// both are memory operations, then they overlap completely").
///
/// It is kept as long as anything may come that is unordered with any of them, also with those that sets have forgotten
/// because later ones stand for them.
type Shape = u8;
/// Accesses of several shapes.
const SEVERAL: Shape = 0x3F;
/// Set when some had `.cta` scope: to those of another CTA they are not morally strong either ("each operation is strong
/// and specifies a scope that includes the thread executing the other").
const NARROW: Shape = 0x80;
/// Set when there were some of several CTAs.
const ACROSS: Shape = 0x40;

/// Bytes of a [`Shadow`] that raced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RacedBytes(Vec<u64>);

impl RacedBytes {
    /// Whether no byte raced.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the byte at `offset` raced.
    pub(crate) fn contains(&self, offset: usize) -> bool {
        self.0.get(offset / 64).is_some_and(|word| word >> (offset % 64) & 1 == 1)
    }

    fn insert(&mut self, offset: usize) {
        if self.0.len() <= offset / 64 {
            self.0.resize(offset / 64 + 1, 0);
        }
        self.0[offset / 64] |= 1 << (offset % 64);
    }
}

/// The earlier accesses to each byte of a memory region that a later one may race with.
///
/// Accesses must lie within it and have at most 32 bytes; bytes beyond its end count as not raced. Each access returns the mask of
/// raced bytes, bit 0 for the byte at `offset`: a read returns undefined values there, and a write leaves undefined values there.
#[derive(Clone, Debug)]
pub struct Shadow {
    number: u32,
    /// Plain writes.
    write: Vec<u32>,
    /// Plain reads, also those before the last plain write: a later write may race with them.
    read: Vec<u32>,
    /// Strong accesses since; empty as long as there are none.
    strong: Vec<u32>,
    /// The shapes of those in `strong`; means nothing where there are none.
    shapes: Vec<Shape>,
    /// Whether there were atomics among them, which go on with the release sequences that they find.
    updated: bool,
    known: RacedBytes,
    late: RacedBytes,
    /// Whether it reports what accesses met, and leaves values defined.
    reports: bool,
    met: Option<Met>,
    /// In a report, which operations accessed the bytes …
    log: Log,
    /// … and the accesses whose operation is not told yet.
    unnamed: Vec<Access>,
}

/// The words of one byte.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Words {
    write: u32,
    read: u32,
    strong: u32,
}

impl Shadow {
    /// The shadow of `len` bytes that no thread has accessed; it reports plain reads of `known` bytes as raced, whatever happened before.
    /// `number` tells the shadows of a launch apart.
    pub fn knowing(number: u32, len: usize, known: RacedBytes) -> Self {
        Self {
            number,
            write: vec![0; len],
            read: vec![0; len],
            strong: Vec::new(),
            shapes: Vec::new(),
            updated: false,
            known,
            late: RacedBytes::default(),
            reports: false,
            met: None,
            log: Log::default(),
            unnamed: Vec::new(),
        }
    }

    /// The shadow of `len` bytes that no thread has accessed, for a report: no byte counts as raced, and [`Shadow::take_met`] tells
    /// what the latest access met.
    pub fn reporting(number: u32, len: usize) -> Self {
        Self { reports: true, ..Self::knowing(number, len, RacedBytes::default()) }
    }

    /// Whether a write raced with an earlier read of a byte not known to race: the value read was considered defined, so the launch
    /// has to be run again with [`Shadow::knowing`] and the bytes of [`Shadow::into_raced`].
    pub fn raced_late(&self) -> bool {
        !self.late.is_empty()
    }

    /// The bytes known before, and those reported by [`Shadow::raced_late`].
    pub fn into_raced(mut self) -> RacedBytes {
        if self.known.0.len() < self.late.0.len() {
            std::mem::swap(&mut self.known, &mut self.late);
        }
        self.known.0.iter_mut().zip(&self.late.0).for_each(|(known, late)| *known |= late);
        self.known
    }

    /// A plain load.
    #[inline(always)]
    pub fn read(&mut self, clocks: &mut Clocks, offset: usize, len: u32, thread: u32) -> u32 {
        match self.known.is_empty() && self.access_alone(clocks, (offset, len), thread, false) {
            true => 0,
            false => self.read_among_others(clocks, (offset, len), thread),
        }
    }

    #[inline(never)]
    fn read_among_others(&mut self, clocks: &mut Clocks, (offset, len): (usize, u32), thread: u32) -> u32 {
        let stamp = clocks.current(thread);
        // Whoever wrote since, unordered with this thread, has cleared its mark.
        if stamp != 0 && all(&self.read, offset, len, |word| word == stamp) {
            return 0;
        }
        self.each(clocks, (offset, len), thread, Kind::READ, Self::read_byte)
    }

    /// A plain store.
    #[inline(always)]
    pub fn write(&mut self, clocks: &mut Clocks, offset: usize, len: u32, thread: u32) -> u32 {
        match self.access_alone(clocks, (offset, len), thread, true) {
            true => 0,
            false => self.write_among_others(clocks, (offset, len), thread),
        }
    }

    #[inline(never)]
    fn write_among_others(&mut self, clocks: &mut Clocks, (offset, len): (usize, u32), thread: u32) -> u32 {
        let stamp = clocks.current(thread);
        let repeats = stamp != 0
            && self.strong.is_empty()
            && all(&self.write, offset, len, |word| word == stamp)
            && all(&self.read, offset, len, |word| word == 0 || word == stamp);
        if repeats {
            return 0;
        }
        let bytes = offset..offset.saturating_add(len as usize).min(self.strong.len());
        if self.strong.get(bytes.clone()).is_some_and(|words| words.iter().any(|word| *word != 0)) {
            clocks.end_releases(self.number, bytes, None);
        }
        let number = self.number;
        self.each(clocks, (offset, len), thread, Kind::WRITE, |clocks, words, stamp| {
            Self::write_byte(number, clocks, words, stamp)
        })
    }

    /// The common case: a plain access to bytes that no other thread has accessed, and that this thread has accessed in its current interval
    /// only. Such an access cannot race. Returns whether it was that case; if not, nothing has changed.
    #[inline(always)]
    fn access_alone(
        &mut self,
        clocks: &mut Clocks,
        (offset, len): (usize, u32),
        thread: u32,
        writes: bool,
    ) -> bool {
        // The sizes of elements are told apart, so that each is one comparison and one store of a vector.
        match len {
            1 => self.access_alone_of::<1>(clocks, offset, thread, writes),
            2 => self.access_alone_of::<2>(clocks, offset, thread, writes),
            4 => self.access_alone_of::<4>(clocks, offset, thread, writes),
            8 => self.access_alone_of::<8>(clocks, offset, thread, writes),
            _ => false,
        }
    }

    #[inline(always)]
    fn access_alone_of<const N: usize>(
        &mut self,
        clocks: &mut Clocks,
        offset: usize,
        thread: u32,
        writes: bool,
    ) -> bool {
        let bytes = offset..offset.wrapping_add(N);
        let (Some(write), Some(read)) = (self.write.get_mut(bytes.clone()), self.read.get_mut(bytes.clone()))
        else {
            return false;
        };
        let (Ok(write), Ok(read)) = (<&mut [u32; N]>::try_from(write), <&mut [u32; N]>::try_from(read))
        else {
            return false;
        };
        if self.reports || !self.strong.is_empty() && self.strong[bytes].iter().any(|word| *word != 0) {
            return false;
        }
        let stamp = clocks.stamp(thread);
        let others = |word: u32| if word == 0 { 0 } else { word ^ stamp };
        let mut differ = 0;
        for n in 0..N {
            differ |= others(write[n]) | others(read[n]);
        }
        if differ != 0 {
            return false;
        }
        *if writes { write } else { read } = [stamp; N];
        true
    }

    /// Whether plain loads of `N` bytes by the 32 threads from `first_thread` on, from places one after the other, repeat what each of these
    /// threads has done in its interval already: [`Shadow::read`] would answer 0 for all, and change nothing.
    #[inline]
    pub fn repeats_reads<const N: usize>(&self, clocks: &Clocks, offset: usize, first_thread: u32) -> bool {
        let Some((reads, stamps)) = row::<N>(&self.read, clocks, offset, first_thread) else { return false };
        let mut differ = [0; N];
        let mut fresh = false;
        for (read, stamp) in reads.iter().zip(stamps) {
            for n in 0..N {
                differ[n] |= read[n] ^ stamp;
            }
            fresh |= *stamp == 0;
        }
        !fresh && differ == [0; N]
    }

    /// The same of plain stores and [`Shadow::write`].
    #[inline]
    pub fn repeats_writes<const N: usize>(&self, clocks: &Clocks, offset: usize, first_thread: u32) -> bool {
        let Some((writes, stamps)) = row::<N>(&self.write, clocks, offset, first_thread) else {
            return false;
        };
        let Some((reads, _)) = row::<N>(&self.read, clocks, offset, first_thread) else { return false };
        let mut differ = [0; N];
        let mut fresh = false;
        for ((write, read), stamp) in writes.iter().zip(reads).zip(stamps) {
            for n in 0..N {
                differ[n] |= write[n] ^ stamp | if read[n] == 0 { 0 } else { read[n] ^ stamp };
            }
            fresh |= *stamp == 0;
        }
        self.strong.is_empty() && !fresh && differ == [0; N]
    }

    /// The same of strong accesses to words and [`Shadow::strong`].
    #[inline]
    pub fn repeats_strong(&self, clocks: &Clocks, offset: usize, first_thread: u32, strong: Strong) -> bool {
        let row = |plane| row::<4>(plane, clocks, offset, first_thread);
        let (Some((words, stamps)), Some((writes, _)), Some((reads, _))) =
            (row(&self.strong), row(&self.write), row(&self.read))
        else {
            return false;
        };
        let narrow = if strong.scope == Scope::Cta { NARROW } else { 0 };
        let shape = [4, 5, 6, 7].map(|shape| shape | narrow);
        let shapes = self.shapes[offset..offset + 32 * 4].as_chunks::<4>().0;
        let does = flags(strong.kind);
        // What else the thread has done there matters to none.
        let seen = !(READS | WRITES) | does;
        let mut differ = 0;
        for ((word, stamp), standing) in words.iter().zip(stamps).zip(shapes) {
            for n in 0..4 {
                differ |= word[n] & seen ^ (stamp | does);
                differ |= u32::from(standing[n] & !ACROSS ^ shape[n]);
            }
            differ |= u32::from(*stamp == 0);
        }
        let own = |words: &[[u32; 4]]| {
            let untouched = words.as_flattened().iter().fold(0, |all, word| all | word) == 0;
            let mut threads = first_thread..;
            let mut is_own = |word: &[u32; 4]| {
                threads.next().is_some_and(|thread| *word == [word[0]; 4] && clocks.is_of(word[0], thread))
            };
            untouched || words.iter().all(&mut is_own)
        };
        strong.order == Order::Relaxed
            && (strong.kind == StrongKind::Update || !self.updated || clocks.has_no_releases())
            && self.known.is_empty()
            && differ == 0
            && own(writes)
            && own(reads)
    }

    /// A strong access: an atomic, or a `.volatile`, `.relaxed` … load or store. A compare-and-swap that fails is
    /// [`StrongKind::Read`]. It races with plain accesses, and with strong ones to which it is not morally strong.
    ///
    /// PTX keeps atomics whole even where they overlap partially (8.10.3, atomicity), but does not otherwise specify a program with
    /// such a race; the resulting values are therefore undefined here.
    #[inline]
    pub fn strong(
        &mut self,
        clocks: &mut Clocks,
        offset: usize,
        len: u32,
        thread: u32,
        strong: Strong,
    ) -> u32 {
        if self.strong.is_empty() {
            self.strong = vec![0; self.write.len()];
            self.shapes = vec![0; self.write.len()];
        }
        if self.strong_alone(clocks, (offset, len), thread, strong) {
            return 0;
        }
        let narrow = if strong.scope == Scope::Cta { NARROW } else { 0 };
        let same_shape = self.have_shape(offset, len, narrow);
        if !same_shape && strong.kind != StrongKind::Read {
            let bytes = offset..offset.saturating_add(len as usize);
            clocks.end_releases(self.number, bytes, Some(Place { shadow: self.number, offset, len }));
        }
        if strong.kind == StrongKind::Update && same_shape && self.is_repeated(clocks, offset, len, thread) {
            // Nor has anything been released here since, and what the thread acquires or releases begins an interval.
            if strong.order != Order::Relaxed {
                clocks.strong(thread, Place { shadow: self.number, offset, len }, strong);
            }
            return 0;
        }
        self.updated |= strong.kind == StrongKind::Update;
        let apart = if same_shape && narrow == 0 {
            self.note_ctas(clocks, offset, len, thread);
            0
        } else if same_shape && self.is_among_one_cta(clocks, offset, len) {
            0
        } else {
            self.fit(clocks, offset, len, thread, strong)
        };
        let (reads, writes) = (strong.kind != StrongKind::Write, strong.kind != StrongKind::Read);
        let (at, kind) = ((offset, len), Kind { strong: Some(strong.scope), reads, writes });
        let raced = apart
            | match strong.kind {
                StrongKind::Read => self.each(clocks, at, thread, kind, Self::strong_byte::<{ READS }>),
                StrongKind::Write => self.each(clocks, at, thread, kind, Self::strong_byte::<{ WRITES }>),
                StrongKind::Update => {
                    self.each(clocks, at, thread, kind, Self::strong_byte::<{ READS | WRITES }>)
                }
            };
        clocks.strong(thread, Place { shadow: self.number, offset, len }, strong);
        raced
    }

    /// As [`Shadow::access_alone`], of a strong access, which may follow strong ones of its thread and its shape too: only a relaxed one, where no thread
    /// has released anything.
    #[inline(always)]
    fn strong_alone(
        &mut self,
        clocks: &mut Clocks,
        (offset, len): (usize, u32),
        thread: u32,
        strong: Strong,
    ) -> bool {
        match len {
            1 => self.strong_alone_of::<1>(clocks, offset, thread, strong),
            2 => self.strong_alone_of::<2>(clocks, offset, thread, strong),
            4 => self.strong_alone_of::<4>(clocks, offset, thread, strong),
            8 => self.strong_alone_of::<8>(clocks, offset, thread, strong),
            16 => self.strong_alone_of::<16>(clocks, offset, thread, strong),
            _ => false,
        }
    }

    #[inline(always)]
    fn strong_alone_of<const N: usize>(
        &mut self,
        clocks: &mut Clocks,
        offset: usize,
        thread: u32,
        strong: Strong,
    ) -> bool {
        let bytes = offset..offset.wrapping_add(N);
        let words =
            |plane: &[u32]| plane.get(bytes.clone()).and_then(|words| <[u32; N]>::try_from(words).ok());
        let (Some(write), Some(read), Some(earlier)) =
            (words(&self.write), words(&self.read), words(&self.strong))
        else {
            return false;
        };
        if self.reports
            || !self.known.is_empty()
            || strong.order != Order::Relaxed
            || !clocks.has_no_releases()
        {
            return false;
        }
        let narrow = if strong.scope == Scope::Cta { NARROW } else { 0 };
        let shape: [Shape; N] = std::array::from_fn(|n| (N + n) as Shape | narrow);
        let stamp = clocks.stamp(thread);
        let others = |word: u32| if word == 0 { 0 } else { word & !(READS | WRITES) ^ stamp };
        let shapes = &mut self.shapes[bytes.clone()];
        let mut differ = 0;
        for n in 0..N {
            // The mark of accesses by other CTAs counts as long as the shape is kept, even after a plain store.
            let reshaped = if earlier[n] == 0 { shapes[n] & ACROSS } else { shapes[n] ^ shape[n] };
            differ |= others(write[n]) | others(read[n]) | others(earlier[n]) | u32::from(reshaped);
        }
        if differ != 0 {
            return false;
        }
        let does = stamp | flags(strong.kind);
        let is_new = earlier.iter().any(|word| word | does != *word);
        if is_new {
            shapes.copy_from_slice(&shape);
            self.strong[bytes].iter_mut().for_each(|word| *word |= does);
            self.updated |= strong.kind == StrongKind::Update;
        }
        true
    }

    /// Whether all accesses in `strong` to a range are accesses to exactly this range, with scopes like this.
    #[inline]
    fn have_shape(&self, offset: usize, len: u32, narrow: Shape) -> bool {
        let Some(shapes) = self.shapes.get(offset..offset.wrapping_add(len as usize)) else { return false };
        (len as Shape..)
            .zip(shapes)
            .fold(true, |all, (shape, standing)| all & (*standing & !ACROSS == shape | narrow))
    }

    /// Whether all accesses to these bytes that may be unordered with another are known to be of one CTA, so that narrow scopes do not
    /// keep them apart.
    #[inline]
    fn is_among_one_cta(&self, clocks: &Clocks, offset: usize, len: u32) -> bool {
        let range = offset..offset + len as usize;
        clocks.is_one_cta(self.number)
            && self.shapes[range.clone()].iter().fold(true, |all, shape| all & (shape & ACROSS == 0))
            && self.strong[range].iter().fold(true, |all, word| all & !is_of_anybody(*word))
    }

    /// Gives the bytes of a strong access its shape beside those that are there; answers which bytes it races in, because
    /// it is not morally strong to an access that it conflicts with.
    #[cold]
    fn fit(&mut self, clocks: &mut Clocks, offset: usize, len: u32, thread: u32, strong: Strong) -> u32 {
        let stamp = clocks.stamp(thread);
        let writes = strong.kind != StrongKind::Read;
        let narrow = if strong.scope == Scope::Cta { NARROW } else { 0 };
        let end = offset.saturating_add(len as usize).min(self.strong.len());
        let mut raced = 0;
        for (bit, index) in (offset..end).enumerate() {
            let (word, standing) = (self.strong[index], self.shapes[index]);
            let own = (len as usize + bit) as Shape;
            // Whether nothing can come any more that is unordered with what is there.
            let over = word == 0 || clocks.is_one_cta(self.number) && clocks.is_over(word, stamp);
            let standing = if over { own } else { standing };
            let differs = standing & SEVERAL != own;
            let across = if clocks.holds_other_ctas(word, stamp) { ACROSS } else { 0 };
            let flags = standing & !SEVERAL | narrow | across;
            self.shapes[index] = flags | if differs { SEVERAL } else { own };
            let scopes_differ = match (flags & NARROW != 0, flags & ACROSS != 0) {
                (false, _) => false,
                (true, false) => clocks.is_unordered_abroad(word, stamp, !writes),
                (true, true) => clocks.is_unordered(word, stamp, !writes),
            };
            if scopes_differ || differs && clocks.is_unordered(word, stamp, !writes) {
                if self.reports {
                    let kind =
                        Kind { strong: Some(strong.scope), reads: strong.kind != StrongKind::Write, writes };
                    self.meet_strong(clocks, index, Access { offset, len, stamp, kind });
                }
                raced |= u32::from(self.note(index, Race::Write { late: writes, value: true })) << bit;
            }
        }
        raced
    }

    /// Notes that several CTAs access the bytes of a strong access that has their shape.
    #[inline]
    fn note_ctas(&mut self, clocks: &mut Clocks, offset: usize, len: u32, thread: u32) {
        if clocks.is_one_cta(self.number) || self.shapes[offset] & ACROSS != 0 {
            return;
        }
        let stamp = clocks.stamp(thread);
        let bytes = offset..offset + len as usize;
        // The bytes of a value usually have the same accesses. Zero is no access, and so of no other block.
        let mut asked = (0, false);
        for (word, shape) in self.strong[bytes.clone()].iter().zip(&mut self.shapes[bytes]) {
            if *word != asked.0 {
                asked = (*word, clocks.holds_other_ctas(*word, stamp));
            }
            *shape |= if asked.1 { ACROSS } else { 0 };
        }
    }

    /// Whether an update of these bytes repeats one of the same interval, and no other thread has accessed them plainly
    /// in between: then there is nothing new to tell.
    #[inline]
    fn is_repeated(&self, clocks: &Clocks, offset: usize, len: u32, thread: u32) -> bool {
        let stamp = clocks.current(thread);
        let own = |plane: &[u32]| {
            let first = plane.get(offset).copied().unwrap_or(0);
            all(plane, offset, len, |word| word == first) && clocks.is_of(first, thread)
        };
        stamp != 0
            && self.known.is_empty()
            && all(&self.strong, offset, len, |word| word == stamp | READS | WRITES)
            && own(&self.write)
            && own(&self.read)
    }

    /// Applies `access` to the words of each byte. `access` answers with the new words and what the byte raced with.
    #[inline]
    fn each(
        &mut self,
        clocks: &mut Clocks,
        (offset, len): (usize, u32),
        thread: u32,
        kind: Kind,
        access: impl Fn(&mut Clocks, Words, u32) -> (Words, Race),
    ) -> u32 {
        let stamp = clocks.stamp(thread);
        let now = Access { offset, len, stamp, kind };
        let end = offset.saturating_add(len as usize).min(self.write.len());
        if offset >= end {
            return 0;
        }
        if self.reports {
            self.unnamed.push(now);
        }
        let before = self.words(offset);
        if self.are_all(offset, end, before) {
            let (after, race) = access(clocks, before, stamp);
            self.set(offset, end, before, after);
            if self.reports {
                self.meet(clocks, offset, before, now, race);
            }
            return self.note_all(offset, end, race);
        }
        let mut raced = 0;
        for (bit, index) in (offset..end).enumerate() {
            let before = self.words(index);
            let (after, race) = access(clocks, before, stamp);
            self.set(index, index + 1, before, after);
            if self.reports {
                self.meet(clocks, index, before, now, race);
            }
            raced |= self.note_all(index, index + 1, race) << bit;
        }
        raced
    }

    #[inline]
    fn words(&self, index: usize) -> Words {
        let strong = self.strong.get(index).copied().unwrap_or(0);
        Words { write: self.write[index], read: self.read[index], strong }
    }

    /// Whether every byte of a range has the same words, as those of a value usually have.
    #[inline]
    fn are_all(&self, offset: usize, end: usize, words: Words) -> bool {
        let len = (end - offset) as u32;
        all(&self.write, offset, len, |word| word == words.write)
            && all(&self.read, offset, len, |word| word == words.read)
            && (self.strong.is_empty() || all(&self.strong, offset, len, |word| word == words.strong))
    }

    #[inline]
    fn set(&mut self, offset: usize, end: usize, before: Words, after: Words) {
        if after.write != before.write {
            self.write[offset..end].fill(after.write);
        }
        if after.read != before.read {
            self.read[offset..end].fill(after.read);
        }
        if after.strong != before.strong {
            self.strong[offset..end].fill(after.strong);
        }
    }

    /// Notes what the bytes of a range raced with; answers which of them have an undefined value.
    #[inline]
    fn note_all(&mut self, offset: usize, end: usize, race: Race) -> u32 {
        if let Race::None | Race::ReadOrdered = race
            && self.known.is_empty()
        {
            return 0;
        }
        let bytes = (offset..end).enumerate();
        bytes.fold(0, |raced, (bit, index)| raced | u32::from(self.note(index, race)) << bit)
    }

    /// Notes what a byte raced with; answers whether its value is undefined.
    fn note(&mut self, index: usize, race: Race) -> bool {
        if self.reports {
            return false;
        }
        let known = self.known.contains(index);
        match race {
            Race::None => false,
            Race::Read => true,
            Race::Write { late, value } => {
                if late && !known {
                    self.late.insert(index);
                }
                value
            }
            Race::ReadOrdered => {
                if known {
                    // Not marked as read, or the next read would be taken for a repetition of an ordered one.
                    self.read[index] = 0;
                }
                known
            }
        }
    }

    fn read_byte(clocks: &mut Clocks, words: Words, stamp: u32) -> (Words, Race) {
        if clocks.is_unordered(words.write, stamp, false) || clocks.is_unordered(words.strong, stamp, true) {
            // A read that raced is not remembered: it took nothing for defined.
            return (words, Race::Read);
        }
        (Words { read: clocks.joined(words.read, stamp), ..words }, Race::ReadOrdered)
    }

    fn write_byte(number: u32, clocks: &mut Clocks, words: Words, stamp: u32) -> (Words, Race) {
        let read = clocks.is_unordered(words.read, stamp, false);
        let strong = clocks.is_unordered(words.strong, stamp, false);
        let value = strong || clocks.is_unordered(words.write, stamp, false);
        // A plain read that comes before this write can still race with a later write of another thread, and its thread took the value as
        // defined. So reads stay, unless a barrier of the launch's only CTA has put every later access behind them. Strong accesses go, and
        // their shapes with them: what is unordered with one of them later is unordered with this write, too. One thing is missed: the value
        // of such a strong read is undefined then. Keeping strong reads would report races that are none, where a thread that has observed
        // the atomics of all others resets their counter: clocks do not know what was observed.
        let is_over = words.read == 0 || clocks.is_one_cta(number) && clocks.is_over(words.read, stamp);
        let after = Words {
            // A read that raced is not remembered, as in `read_byte`.
            read: if read || is_over { 0 } else { words.read },
            strong: if strong { words.strong } else { 0 },
            write: clocks.joined(words.write, stamp),
        };
        let late = read || strong;
        (after, if late || value { Race::Write { late, value } } else { Race::None })
    }

    fn strong_byte<const FLAGS: u32>(clocks: &mut Clocks, words: Words, stamp: u32) -> (Words, Race) {
        let value = clocks.is_unordered(words.write, stamp, false);
        let late = FLAGS & WRITES != 0 && clocks.is_unordered(words.read, stamp, false);
        let after = Words {
            strong: clocks.joined(words.strong, stamp | FLAGS),
            read: if late { 0 } else { words.read },
            ..words
        };
        let ordered = if FLAGS & READS != 0 { Race::ReadOrdered } else { Race::None };
        (after, if late || value { Race::Write { late, value } } else { ordered })
    }
}

/// What an access to a byte raced with.
#[derive(Clone, Copy)]
enum Race {
    /// Nothing, and it only writes.
    None,
    /// Nothing, and it reads.
    ReadOrdered,
    /// A plain read, with a write.
    Read,
    /// A write or strong access.
    Write {
        /// With an earlier read.
        late: bool,
        /// So that the byte's value is undefined.
        value: bool,
    },
}

/// What a strong access does, as its words say it.
#[inline]
fn flags(kind: StrongKind) -> u32 {
    match kind {
        StrongKind::Read => READS,
        StrongKind::Write => WRITES,
        StrongKind::Update => READS | WRITES,
    }
}

/// The words of 32 elements of `N` bytes, one after the other, and the stamps of the 32 threads that access them.
#[inline]
fn row<'a, const N: usize>(
    plane: &'a [u32],
    clocks: &'a Clocks,
    offset: usize,
    first_thread: u32,
) -> Option<(&'a [[u32; N]], &'a [u32])> {
    let words = plane.get(offset..offset.checked_add(32 * N)?)?;
    Some((words.as_chunks().0, clocks.stamps_from(first_thread)?))
}

/// A mask of up to eight bytes, such as those that raced, as a mask of their bits.
#[inline]
pub fn widen(bytes: u32) -> u64 {
    match bytes & 0xFF {
        0 => 0,
        bytes => (0..8).filter(|n| bytes >> n & 1 == 1).fold(0, |bits, n| bits | 0xFF << (8 * n)),
    }
}

/// Whether every word of a range satisfies `test`; false when the range exceeds the plane.
#[inline]
fn all(plane: &[u32], offset: usize, len: u32, test: impl Fn(u32) -> bool) -> bool {
    // Written for the common size so that it becomes one vector comparison.
    match plane.get(offset..offset.wrapping_add(len as usize)) {
        Some([a, b, c, d]) => test(*a) & test(*b) & test(*c) & test(*d),
        Some(words) => words.iter().all(|word| test(*word)),
        None => false,
    }
}
