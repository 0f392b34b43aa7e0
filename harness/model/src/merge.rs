//! Makes one state of those that several runs of a launch have left.

use crate::allowed::{MaskedRegion, MaskedState};
use crate::serial::{Location, Operation};

/// Bytes to which a difference between two orders spreads: the maximum size of a scalar access. Orders are only a sample.
const SPREAD: usize = 8;

impl MaskedState {
    /// Makes the bits undefined in which the state of the other run differs.
    pub fn blur(&mut self, other: &Self) {
        if self.serial != other.serial {
            self.serial.clear();
        }
        self.keep_derived_of(other);
        for (region, other) in self.regions.iter_mut().zip(&other.regions) {
            region.blur(other);
        }
    }

    /// Makes unordered what differs in the state of a run under another order, and drops what serialises in only one of them.
    pub fn disorder(&mut self, other: &Self) {
        self.keep_derived_of(other);
        for (region, other) in self.regions.iter_mut().zip(&other.regions) {
            region.disorder(other);
        }
        self.serial.retain(|location| other.serial.iter().any(|other| same_operations(location, other)));
    }
}

impl MaskedRegion {
    fn blur(&mut self, other: &Self) {
        for index in 0..self.defined.len() {
            let differ = self.region.bytes[index] ^ other.region.bytes[index];
            let mask = self.defined[index] & other.defined[index] & !differ;
            self.defined[index] = mask;
            self.region.bytes[index] &= mask;
            self.unordered[index] = (self.unordered[index] | other.unordered[index]) & mask;
        }
        self.keep_values_of(other);
    }

    fn disorder(&mut self, other: &Self) {
        let len = self.defined.len();
        for start in (0..len).step_by(SPREAD) {
            let range = start..len.min(start + SPREAD);
            let differs = range.clone().any(|index| {
                let both = self.defined[index] & other.defined[index];
                let ordered = both & !self.unordered[index] & !other.unordered[index];
                (self.region.bytes[index] ^ other.region.bytes[index]) & ordered != 0
            });
            for index in range {
                let defined = self.defined[index] & other.defined[index];
                let unordered =
                    if differs { u8::MAX } else { self.unordered[index] | other.unordered[index] };
                self.defined[index] = defined;
                self.region.bytes[index] &= defined;
                self.unordered[index] = unordered & defined;
            }
        }
        self.keep_values_of(other);
    }
}

/// Whether the same operations were done on the same location, whatever the order of the threads.
fn same_operations(a: &Location, b: &Location) -> bool {
    let by_thread = |location: &Location| {
        let mut operations: Vec<Operation> = location.operations.clone();
        operations.sort_by_key(|operation| operation.thread);
        operations
    };
    (&a.name, a.width, a.initial, a.last) == (&b.name, b.width, b.initial, b.last)
        && a.operations.len() == b.operations.len()
        && by_thread(a) == by_thread(b)
}
