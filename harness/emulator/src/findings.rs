//! The findings of a watched launch so far: one for all that an instruction does of a kind.

use std::cell::Cell;
use std::collections::HashMap;

use crate::address_space::Spot;
use warpdiff_model::finding::{Finding, FindingKind, Findings};

/// What makes two findings one: the kind, the operation, and of a race the earlier one.
pub(crate) type Key = (FindingKind, u32, Option<u32>);

/// The findings of a launch so far.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) findings: Findings,
    /// The first thread of those that execute the current operation: its block, and its number there.
    pub(crate) executing: Option<([u32; 3], u32)>,
    /// The first bytes that nobody has written of those that a function of the device runtime has read, and how many.
    unwritten: Cell<Option<(Spot, usize)>>,
    known: HashMap<Key, usize>,
}

impl Watch {
    /// Notes that a function of the device runtime reads a byte that nobody has written.
    pub(crate) fn read_unwritten(&self, byte: Spot) {
        let first = match self.unwritten.get() {
            Some((first, count)) if first.region == byte.region => {
                (Spot { offset: first.offset.min(byte.offset), ..first }, count + 1)
            }
            Some(first) => first,
            None => (byte, 1),
        };
        self.unwritten.set(Some(first));
    }

    /// What [`Watch::read_unwritten`] has noted since the last call.
    pub(crate) fn take_unwritten(&self) -> Option<(Spot, usize)> {
        self.unwritten.take()
    }

    /// Adds a finding, or counts it with those of its key; it is made only if it is new.
    pub(crate) fn add(&mut self, key: Key, make: impl FnOnce() -> Finding) {
        match self.known.get(&key) {
            Some(&index) => self.findings.list[index].times += 1,
            None if self.findings.list.len() >= Findings::MOST => self.findings.more += 1,
            None => {
                self.known.insert(key, self.findings.list.len());
                self.findings.list.push(make());
            }
        }
    }
}
