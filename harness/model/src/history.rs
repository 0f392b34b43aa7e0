//! Histories: the logs that threads keep of the atomics that they attempt in a loop, and the check that some order gives them.
//!
//! The order of the threads decides how often a loop around a compare-and-swap repeats, and what it compares with. A target is
//! therefore not held to the log of the reference: its own log lists the attempts, and they have to serialise.

use std::collections::BTreeMap;
use std::fmt;

use crate::serial::{AtomicOp, Contenders, Location, Operation, Place, width_mask};
use crate::serialise::{Serialisation, check_all};

/// Threads of a warp.
const WARP: usize = 32;

/// The operation that threads attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempted {
    /// Compare and swap: the answer is the value found.
    Cas,
    /// Compare and store: the answer is 1 if it was equal, else 0.
    Cast,
    /// The same, but among the lanes of a warp that attempt together one is selected and the others fail.
    CastSpin,
}

impl Attempted {
    /// Every one, with the name it has in cases.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Cas, "cas"), (Self::Cast, "cast"), (Self::CastSpin, "cast.spin")];
}

/// A field of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The value that it compared with.
    Compare,
    /// The value that it would store.
    New,
    /// The answer that it got.
    Answer,
    /// The lanes of its warp that attempted together with it, itself among them, a bit each.
    Lanes,
}

impl Field {
    /// Every field, with the name it has in cases.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Compare, "compare"), (Self::New, "new"), (Self::Answer, "answer"), (Self::Lanes, "lanes")];
}

/// The layout of a buffer that logs the attempts on one location.
///
/// The threads have equal shares of it. The record of a thread begins with the number of its attempts, in 4 bytes, or in 8 if the
/// location has 8; the fields of each attempt follow, each as wide as the location. The rest of the record is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Name of the buffer.
    pub name: String,
    /// Index of its region.
    pub region: usize,
    /// The number of threads that log.
    pub threads: u32,
    /// Bytes of the location: 4 or 8.
    pub width: u8,
    /// The operation that they attempt.
    pub attempted: Attempted,
    /// The fields of an attempt: compare, new and answer among them, each once.
    pub fields: Vec<Field>,
    /// The value of the location before the first attempt.
    pub initial: u64,
    /// The place of its value after the last attempt, if the observed state shows it.
    pub last: Option<Place>,
}

/// One attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The value that it compared with.
    pub compare: u64,
    /// The value that it would store.
    pub new: u64,
    /// The answer that it got.
    pub answer: u64,
    /// The lanes that attempted together with it; 0 if the log does not hold them.
    pub lanes: u32,
}

/// The content of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The attempts of each thread, in their order.
    pub attempts: Vec<Vec<Attempt>>,
    /// The final value of the location, if it is known.
    pub last: Option<u64>,
}

/// The reason why a log cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLog(String);

impl fmt::Display for BadLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Log {
    /// Bytes of an attempt.
    fn attempt_size(&self) -> usize {
        self.fields.len() * usize::from(self.width)
    }

    /// The number of attempts per thread that a buffer of `length` bytes holds; `None` if it is not divided evenly, or
    /// the rest of a record is no whole number of attempts.
    pub fn room(&self, length: usize) -> Option<usize> {
        let threads = self.threads as usize;
        let record = length.checked_div(threads).filter(|record| record * threads == length)?;
        let rest = record.checked_sub(usize::from(self.width))?;
        rest.is_multiple_of(self.attempt_size().max(1)).then(|| rest / self.attempt_size().max(1))
    }

    /// Reads the content of a buffer.
    ///
    /// # Errors
    /// If a record holds more attempts than there is room for, or anything behind its last one.
    pub fn read(&self, bytes: &[u8], last: Option<u64>) -> Result<History, BadLog> {
        let room =
            self.room(bytes.len()).ok_or_else(|| BadLog("the buffer is not divided into records".into()))?;
        let width = usize::from(self.width);
        let record = width + room * self.attempt_size();
        let thread = |(number, bytes): (usize, &[u8])| {
            let (count, attempts) = bytes.split_at(width);
            let count = little_endian(count);
            let Some(count) = usize::try_from(count).ok().filter(|count| *count <= room) else {
                return Err(BadLog(format!(
                    "thread {number} logs {count} attempts, and has room for {room}"
                )));
            };
            let (logged, rest) = attempts.split_at(count * self.attempt_size());
            if rest.iter().any(|byte| *byte != 0) {
                return Err(BadLog(format!("thread {number} logs something behind its {count} attempts")));
            }
            Ok(logged.chunks_exact(self.attempt_size()).map(|bytes| self.attempt(bytes)).collect())
        };
        let attempts = bytes.chunks_exact(record.max(1)).enumerate().map(thread).collect::<Result<_, _>>()?;
        Ok(History { attempts, last })
    }

    fn attempt(&self, bytes: &[u8]) -> Attempt {
        let mut attempt = Attempt { compare: 0, new: 0, answer: 0, lanes: 0 };
        for (field, bytes) in self.fields.iter().zip(bytes.chunks_exact(usize::from(self.width))) {
            let value = little_endian(bytes);
            match field {
                Field::Compare => attempt.compare = value,
                Field::New => attempt.new = value,
                Field::Answer => attempt.answer = value,
                Field::Lanes => attempt.lanes = value as u32,
            }
        }
        attempt
    }

    /// The bytes of a history, for a buffer of `length` bytes; `None` if it has no room for it.
    pub fn write(&self, history: &History, length: usize) -> Option<Vec<u8>> {
        let (room, width) = (self.room(length)?, usize::from(self.width));
        let record = width + room * self.attempt_size();
        if history.attempts.len() != self.threads as usize {
            return None;
        }
        let mut bytes = vec![0; length];
        for (attempts, bytes) in history.attempts.iter().zip(bytes.chunks_exact_mut(record)) {
            if attempts.len() > room {
                return None;
            }
            let fields = attempts.iter().flat_map(|attempt| {
                self.fields.iter().map(|field| match field {
                    Field::Compare => attempt.compare,
                    Field::New => attempt.new,
                    Field::Answer => attempt.answer,
                    Field::Lanes => u64::from(attempt.lanes),
                })
            });
            let values = std::iter::once(attempts.len() as u64).chain(fields);
            for (value, bytes) in values.zip(bytes.chunks_exact_mut(width)) {
                bytes.copy_from_slice(&value.to_le_bytes()[..width]);
            }
        }
        Some(bytes)
    }

    /// Checks whether some order of the attempts, with those of each thread in its order, gives the history.
    pub fn check(&self, history: &History) -> Serialisation {
        let groups = match self.groups(history) {
            Ok(groups) => groups,
            Err(why) => return Serialisation::Violates { why },
        };
        let mask = width_mask(self.width);
        let mut answers = Vec::new();
        let mut operations = Vec::new();
        for (thread, attempts) in history.attempts.iter().enumerate() {
            for (number, attempt) in attempts.iter().enumerate() {
                let (compare, new) = (attempt.compare & mask, attempt.new & mask);
                let op = match self.attempted {
                    Attempted::Cas => AtomicOp::Cas(compare, new),
                    Attempted::Cast | Attempted::CastSpin => AtomicOp::Cast(compare, new),
                };
                let returned = Some(Place { region: 0, offset: answers.len() });
                let spin = groups.get(&(thread, number)).copied();
                answers.push(attempt.answer);
                operations.push(Operation { op, thread: thread as u32, returned, spin });
            }
        }
        let last = history.last.map(|_| Place { region: 1, offset: 0 });
        let initial = Some(self.initial & mask);
        let location = Location { name: self.name.clone(), width: self.width, initial, last, operations };
        let read = |place: Place, _| match place.region {
            0 => answers.get(place.offset).copied(),
            _ => history.last,
        };
        let mut decided = check_all(&[location], read);
        decided.pop().unwrap_or(Serialisation::Serialises)
    }

    /// For attempts that had contenders the group of them: those of the other lanes that say that they were of the same lanes, as many
    /// times before.
    fn groups(&self, history: &History) -> Result<BTreeMap<(usize, usize), Contenders>, String> {
        let mut groups = BTreeMap::new();
        if self.attempted != Attempted::CastSpin {
            return Ok(groups);
        }
        // By warp, lanes, and how often these lanes have attempted together before: who did.
        let mut members: BTreeMap<(usize, u32, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for (thread, attempts) in history.attempts.iter().enumerate() {
            let mut before: BTreeMap<u32, usize> = BTreeMap::new();
            for (number, attempt) in attempts.iter().enumerate() {
                let lane = thread % WARP;
                if attempt.lanes >> lane & 1 == 0 {
                    return Err(format!("attempt {number} of thread {thread} is not of its own lane {lane}"));
                }
                let times = before.entry(attempt.lanes).or_default();
                members.entry((thread / WARP, attempt.lanes, *times)).or_default().push((thread, number));
                *times += 1;
            }
        }
        for (group, ((warp, lanes, _), members)) in members.into_iter().enumerate() {
            let contenders = lanes.count_ones();
            if members.len() as u32 != contenders {
                let count = members.len();
                return Err(format!(
                    "of the lanes {lanes:#x} of warp {warp}, which attempted together, {count} log it"
                ));
            }
            let contenders = Contenders { group: group as u32, contenders };
            if contenders.contenders > 1 {
                groups.extend(members.into_iter().map(|member| (member, contenders)));
            }
        }
        Ok(groups)
    }

    /// Whether an attempt stored.
    pub fn stored(&self, attempt: &Attempt) -> bool {
        match self.attempted {
            Attempted::Cas => attempt.answer == attempt.compare,
            Attempted::Cast | Attempted::CastSpin => attempt.answer == 1,
        }
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
