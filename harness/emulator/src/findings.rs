//! The findings of a watched launch so far: one for all that an instruction does of a kind.

use std::collections::HashMap;

use warpdiff_model::finding::{Finding, FindingKind, Findings};

/// What makes two findings one: the kind, the operation, and of a race the earlier one.
pub(crate) type Key = (FindingKind, u32, Option<u32>);

/// The findings of a launch so far.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) findings: Findings,
    known: HashMap<Key, usize>,
}

impl Watch {
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
