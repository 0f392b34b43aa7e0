//! A state of a warp, and whether the warp comes back to it.

use super::warp::{Group, Warp};
use crate::operation::Class;
use crate::registers::{LANES, Narrow, Registers, Wide, lanes};

/// The state of a warp that was looked at.
#[derive(Default)]
pub(crate) struct Seen {
    /// [`Machine::changes`](super::Machine::changes) at that time.
    changes: u64,
    /// The group that ran; `None` if only `changes` is known.
    running: Option<Group>,
    others: Vec<Group>,
    frames: usize,
    scheduling: Scheduling,
    /// The lanes that have ended, and whether lanes have ever parted.
    lanes: (u32, bool),
    registers: SeenRegisters,
    /// Looks since this state was remembered.
    looks: u32,
    /// After this many looks a later state replaces this one. The warp may never return to this one: it may not have been in the loop yet.
    most: u32,
    /// Whether the warp has come back to this state once.
    is_seen_again: bool,
}

/// What decides, besides the groups, which group of a warp runs, and for how long.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Scheduling {
    pub(super) favoured: Option<u32>,
    /// Backward branches, as far as they count.
    pub(super) circles: u32,
    /// The fuel left, if there are other groups. For a group that is alone the end of a slice changes nothing.
    pub(super) fuel: u32,
}

/// The values of all registers, and which of their bits are undefined, unordered and unfixed.
#[derive(Default)]
struct SeenRegisters {
    narrow: Vec<Narrow>,
    wide: Vec<Wide>,
    predicates: Vec<u32>,
    /// The dirt of the registers of each class.
    dirt: [Vec<u8>; 3],
    /// The masks of each live lane, for each register that has dirt.
    masks: Vec<[u64; 3]>,
}

impl Seen {
    /// Looks at the state of a warp. The warp is stalled if it is in this state for the third time. By then a tracked run has noted the races between its accesses, in either
    /// order.
    pub(super) fn look(&mut self, changes: u64, w: &Warp, (group, fuel): (&Group, u32)) -> bool {
        let scheduling = w.scheduling(fuel);
        self.looks += 1;
        if changes != self.changes {
            // Nothing is remembered of a warp that keeps storing.
            (self.changes, self.running) = (changes, None);
        } else if self.running.is_none() {
            self.most = 1;
            self.remember(w, group, scheduling);
        } else if self.is_of(w, group, scheduling) {
            if self.is_seen_again {
                return true;
            }
            (self.is_seen_again, self.most) = (true, self.most + self.looks);
        } else if self.looks >= self.most {
            self.most *= 2;
            self.remember(w, group, scheduling);
        }
        false
    }

    fn remember(&mut self, w: &Warp, group: &Group, scheduling: Scheduling) {
        (self.looks, self.is_seen_again) = (0, false);
        self.running = Some(*group);
        self.others.clone_from(&w.groups);
        self.frames = w.frames.len();
        (self.scheduling, self.lanes) = (scheduling, (w.dead, w.diverged));
        self.registers.copy(&w.registers, w.live());
    }

    fn is_of(&self, w: &Warp, group: &Group, scheduling: Scheduling) -> bool {
        self.running == Some(*group)
            && self.scheduling == scheduling
            && self.lanes == (w.dead, w.diverged)
            && self.frames == w.frames.len()
            && self.others == w.groups
            && self.registers.are(&w.registers, w.live())
    }
}

impl SeenRegisters {
    fn copy(&mut self, registers: &Registers, live: u32) {
        self.narrow.clone_from(&registers.narrow);
        self.wide.clone_from(&registers.wide);
        self.predicates.clone_from(&registers.predicates);
        for (dirt, own) in self.dirt.iter_mut().zip(dirt(registers)) {
            dirt.clone_from(own);
        }
        self.masks.clear();
        self.masks.extend(masks(registers, live));
    }

    /// Whether the registers are as they were in the lanes `live`. The other lanes may hold anything.
    fn are(&self, registers: &Registers, live: u32) -> bool {
        self.predicates.len() == registers.predicates.len()
            && self.predicates.iter().zip(&registers.predicates).all(|(seen, now)| (seen ^ now) & live == 0)
            && are_alike(&self.narrow, &registers.narrow, live)
            && are_alike(&self.wide, &registers.wide, live)
            && self.dirt.iter().zip(dirt(registers)).all(|(dirt, own)| dirt == own)
            && self.masks.iter().copied().eq(masks(registers, live))
    }
}

/// Whether registers hold the same in the lanes `live`.
fn are_alike<V: PartialEq>(seen: &[[V; LANES]], now: &[[V; LANES]], live: u32) -> bool {
    if live == u32::MAX {
        return seen == now;
    }
    let is_alike = |(seen, now): (&[V; LANES], &[V; LANES])| lanes(live).all(|lane| seen[lane] == now[lane]);
    seen.len() == now.len() && seen.iter().zip(now).all(is_alike)
}

/// The dirt of the registers of each class.
fn dirt(registers: &Registers) -> [&Vec<u8>; 3] {
    [&registers.narrow_dirt, &registers.wide_dirt, &registers.predicate_dirt]
}

/// The undefined, unordered and unfixed bits in the lanes `live` of each register that has any in some lane.
fn masks(registers: &Registers, live: u32) -> impl Iterator<Item = [u64; 3]> {
    let classes = [Class::Narrow, Class::Wide, Class::Predicate].into_iter().zip(dirt(registers));
    classes.flat_map(move |(class, dirt)| {
        let dirty = dirt.iter().enumerate().filter(|(_, dirt)| **dirt != 0).map(|(index, _)| index);
        dirty.flat_map(move |index| {
            lanes(live).map(move |lane| {
                let shade = registers.shade(class, index, lane);
                [shade.undefined, shade.unordered, shade.unfixed]
            })
        })
    })
}
