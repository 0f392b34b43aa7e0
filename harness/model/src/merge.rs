//! Makes one outcome, or one state, of those of several runs of a launch.

use crate::allowed::{MaskedRegion, MaskedState, Outcome, Permitted};
use crate::serial::{Location, Operation};

/// Bytes to which a difference between two orders spreads: the maximum size of a scalar access. Orders are only a sample.
const SPREAD: usize = 8;

impl Outcome {
    /// Whether another outcome permits the same, whatever the choices it was computed under.
    pub fn permits_the_same(&self, other: &Self) -> bool {
        self.permitted == other.permitted && self.may == other.may
    }

    /// Takes in another outcome if both complete: of the states `join` makes one, and either's faults may be reported. Answers whether both do.
    pub fn join(&mut self, other: &Self, join: impl FnOnce(&mut MaskedState, &MaskedState)) -> bool {
        let (Permitted::Completed { state }, Permitted::Completed { state: of_other }) =
            (&mut self.permitted, &other.permitted)
        else {
            return false;
        };
        join(state, of_other);
        let others = other.may.iter().filter(|fault| !self.may.contains(fault)).cloned();
        self.may.extend(others.collect::<Vec<_>>());
        true
    }

    /// The outcomes with all completed states made one, in which bits that differ are undefined.
    pub fn merged(outcomes: Vec<Self>) -> Vec<Self> {
        let mut result: Vec<Self> = Vec::new();
        for outcome in outcomes {
            if !result.iter_mut().any(|known| known.join(&outcome, MaskedState::blur)) {
                result.push(outcome);
            }
        }
        result
    }
}

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
        if self.is_alike(other) {
            return;
        }
        let (defined, unordered) = (self.defined.to_mut(), self.unordered.to_mut());
        for index in 0..defined.len() {
            let differ = self.region.bytes[index] ^ other.region.bytes[index];
            let mask = defined[index] & other.defined[index] & !differ;
            defined[index] = mask;
            self.region.bytes[index] &= mask;
            unordered[index] = (unordered[index] | other.unordered[index]) & mask;
        }
        self.keep_values_of(other);
    }

    fn disorder(&mut self, other: &Self) {
        if self.is_alike(other) {
            return;
        }
        let (defined, unordered) = (self.defined.to_mut(), self.unordered.to_mut());
        let len = defined.len();
        for start in (0..len).step_by(SPREAD) {
            let range = start..len.min(start + SPREAD);
            let differs = range.clone().any(|index| {
                let both = defined[index] & other.defined[index];
                let ordered = both & !unordered[index] & !other.unordered[index];
                (self.region.bytes[index] ^ other.region.bytes[index]) & ordered != 0
            });
            for index in range {
                let mask = defined[index] & other.defined[index];
                let either = if differs { u8::MAX } else { unordered[index] | other.unordered[index] };
                defined[index] = mask;
                self.region.bytes[index] &= mask;
                unordered[index] = either & mask;
            }
        }
        self.keep_values_of(other);
    }

    /// Whether merging with another state would change nothing. Undefined bits are 0 in both states, and unordered bits are defined. So equal
    /// bytes and masks suffice, if there are no values.
    fn is_alike(&self, other: &Self) -> bool {
        self.values.is_empty()
            && self.region.bytes == other.region.bytes
            && self.defined == other.defined
            && self.unordered == other.unordered
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
