//! Different values, one for each of several threads, in any order: what atomics on a counter return (`returns: permutation`).
//!
//! The order of the threads decides who gets which value; all of them together are fixed. The serialisation check says the same of
//! atomics whose returned values are stored unmodified. This check needs no atomics: the values may have been computed from what one
//! lane of a warp got for all of them, or lie where the returned values point.

use std::collections::BTreeMap;

use crate::allowed::MaskedState;
use crate::{Region, RegionKind};

/// Values in a buffer that may be in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    /// For a person: "output `old`".
    pub subject: String,
    /// Name of the buffer.
    pub buffer: String,
    /// Byte offset of the first value.
    pub offset: usize,
    /// Bytes from one value to the next.
    pub step: usize,
    /// Bytes of a value: 1, 2, 4 or 8.
    pub size: usize,
    /// The number of values.
    pub count: usize,
    /// Whether value N is that of thread N.
    pub of_threads: bool,
}

impl Permutation {
    /// What they are together: "0 to 39 in any order".
    pub fn words(&self) -> String {
        format!("0 to {} in any order", self.count.saturating_sub(1))
    }

    /// The values that a stated permutation has: the numbers from 0 on.
    pub fn stated(&self) -> Vec<u64> {
        (0..self.count as u64).collect()
    }

    /// The byte at which a value begins.
    fn start(&self, number: usize) -> usize {
        self.offset + number * self.step
    }

    /// Whether a byte of the buffer belongs to one of the values.
    fn covers(&self, at: usize) -> bool {
        let Some(within) = at.checked_sub(self.offset) else { return false };
        let step = self.step.max(1);
        within / step < self.count && within % step < self.size
    }

    /// The values in the bytes of the buffer; `None` if it has fewer.
    pub fn values(&self, bytes: &[u8]) -> Option<Vec<u64>> {
        let value = |number: usize| {
            let bytes = bytes.get(self.start(number)..self.start(number) + self.size)?;
            Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
        };
        (0..self.count).map(value).collect()
    }

    /// The region of the buffer in a state, and its index.
    fn region<'s>(&self, state: &'s MaskedState) -> Option<(usize, &'s crate::allowed::MaskedRegion)> {
        let is_it = |region: &Region| region.kind == RegionKind::Buffer && region.name == self.buffer;
        state.regions.iter().enumerate().find(|(_, masked)| is_it(&masked.region))
    }

    /// The values in a permitted state; `Err` says which of them are not fixed, or that the state has no such buffer.
    ///
    /// # Errors
    /// As said, as a lowercase fragment.
    pub fn permitted(&self, state: &MaskedState) -> Result<Vec<u64>, String> {
        let absent = || format!("the launch has no buffer `{}` of this size", self.buffer);
        let (_, masked) = self.region(state).ok_or_else(absent)?;
        let values = self.values(&masked.region.bytes).ok_or_else(absent)?;
        let is_undefined = |number: &usize| {
            let start = self.start(*number);
            masked.defined[start..start + self.size].iter().any(|bits| *bits != 0xFF)
        };
        match (0..self.count).find(is_undefined) {
            Some(number) => Err(format!("bits of the value of {} are undefined", self.owner(state, number))),
            None => Ok(values),
        }
    }

    /// Who has a value: the thread, where it is known, else the element.
    fn owner(&self, state: &MaskedState, number: usize) -> String {
        match self.thread(state, number) {
            Some(thread) => format!("thread {thread}"),
            None => format!("element {number}"),
        }
    }

    /// The thread whose value it is: that of the row, or the one whose atomic returned what is stored there.
    fn thread(&self, state: &MaskedState, number: usize) -> Option<u32> {
        if self.of_threads {
            return u32::try_from(number).ok();
        }
        let (region, _) = self.region(state)?;
        let operations = state.serial.iter().flat_map(|location| &location.operations);
        let start = self.start(number);
        let mut here = operations.filter(|operation| {
            operation.returned.is_some_and(|at| (at.region, at.offset) == (region, start))
        });
        here.next().map(|operation| operation.thread)
    }

    /// How values differ from the wanted ones, if they are not the same in another order: which threads share a value, and which
    /// value nobody has. `state` knows the threads.
    pub fn difference(&self, state: &MaskedState, wanted: &[u64], found: &[u64]) -> Option<String> {
        let mut counts: BTreeMap<u64, i64> = BTreeMap::new();
        wanted.iter().for_each(|value| *counts.entry(*value).or_default() += 1);
        found.iter().for_each(|value| *counts.entry(*value).or_default() -= 1);
        let (surplus, _) = counts.iter().find(|(_, count)| **count < 0)?;
        let holders = (0..found.len()).filter(|number| found[*number] == *surplus);
        let holders: Vec<String> = holders.map(|number| self.owner(state, number)).collect();
        let has = if holders.len() == 1 { "has" } else { "have" };
        let mut words = format!("{} {has} {surplus}", listed(&holders));
        let missing: Vec<u64> = counts.iter().filter(|(_, count)| **count > 0).map(|(v, _)| *v).collect();
        if !missing.is_empty() {
            words += &format!(", and nobody has {}", any_of(&missing));
        }
        Some(words)
    }

    /// How observed bytes of the buffer differ from a permitted state, whose values they must have in some order. A state that leaves
    /// some of them undefined permits any.
    pub(crate) fn check(&self, state: &MaskedState, observed: &[u8]) -> Option<String> {
        let wanted = self.permitted(state).ok()?;
        self.difference(state, &wanted, &self.values(observed)?)
    }
}

impl MaskedState {
    /// Whether a byte belongs to values that may be in any order, but only all of them together.
    pub fn is_permuted(&self, region: usize, at: usize) -> bool {
        let Some(masked) = self.regions.get(region) else { return false };
        let is_here = |one: &&Permutation| {
            masked.region.kind == RegionKind::Buffer && masked.region.name == one.buffer && one.covers(at)
        };
        self.permutations.iter().any(|one| is_here(&one) && one.permitted(self).is_ok())
    }
}

/// Names of a kind, the first three and the number of the rest: "threads 3, 5 and 8", "threads 1, 2, 3 and 9 more".
fn listed(names: &[String]) -> String {
    let kind = |name: &String| name.split(' ').next().unwrap_or_default().to_owned();
    let Some(first) = names.first() else { return String::new() };
    let same = names.len() > 1 && names.iter().all(|name| kind(name) == kind(first));
    let short = |name: &String| match same {
        true => name.split(' ').nth(1).unwrap_or_default().to_owned(),
        false => name.clone(),
    };
    let mut shown: Vec<String> = names.iter().take(3).map(short).collect();
    match names.len() - shown.len() {
        0 => {}
        more => shown.push(format!("{more} more")),
    }
    let last = shown.pop().unwrap_or_default();
    let list = if shown.is_empty() { last } else { format!("{} and {last}", shown.join(", ")) };
    if same { format!("{}s {list}", kind(first)) } else { list }
}

/// Values of which nobody has one: `1`, `1 or 3`, `1, 2, 3 or 4 further values`.
fn any_of(missing: &[u64]) -> String {
    const NAMED: usize = 3;
    let mut words: Vec<String> = missing.iter().take(NAMED).map(u64::to_string).collect();
    match missing.len().saturating_sub(NAMED) {
        0 => {}
        1 => words.push("1 further value".into()),
        more => words.push(format!("{more} further values")),
    }
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} or {last}", first.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allowed::MaskedRegion;
    use crate::serial::{AtomicOp, Location, Operation, Place};
    use crate::serialise::{Serialisation, check_all};

    fn permutation(count: usize, of_threads: bool) -> Permutation {
        let (subject, buffer) = ("output `old`".into(), "out".into());
        Permutation { subject, buffer, offset: 4, step: 8, size: 4, count, of_threads }
    }

    /// A buffer with these values from byte 4 on, 8 bytes apart, and something else between them.
    fn bytes(values: &[u64]) -> Vec<u8> {
        values.iter().flat_map(|v| [&[0xAA; 4][..], &(*v as u32).to_le_bytes()].concat()).collect()
    }

    fn state(values: &[u64]) -> MaskedState {
        let region = Region { kind: RegionKind::Buffer, name: "out".into(), bytes: bytes(values) };
        let (defined, unordered) = (vec![0xFF; region.bytes.len()], vec![0xFF; region.bytes.len()]);
        let masked = MaskedRegion {
            region,
            defined: defined.into(),
            unordered: unordered.into(),
            stride: 8,
            values: Vec::new(),
        };
        let permutations = vec![permutation(values.len(), true)];
        MaskedState { regions: vec![masked], permutations, ..MaskedState::default() }
    }

    fn words(found: &[u64]) -> Option<String> {
        let state = state(&[2, 0, 1, 3]);
        permutation(4, true).check(&state, &bytes(found))
    }

    #[test]
    fn any_order_is_right_and_nothing_else() {
        assert_eq!(words(&[0, 1, 2, 3]), None);
        assert_eq!(words(&[3, 2, 1, 0]), None);
        assert_eq!(words(&[0, 1, 1, 3]).unwrap(), "threads 1 and 2 have 1, and nobody has 2");
        assert_eq!(words(&[0, 0, 0, 3]).unwrap(), "threads 0, 1 and 2 have 0, and nobody has 1 or 2");
        assert_eq!(
            words(&[0, 0, 0, 0]).unwrap(),
            "threads 0, 1, 2 and 1 more have 0, and nobody has 1, 2 or 3"
        );
        assert_eq!(words(&[0, 1, 2, 64]).unwrap(), "thread 3 has 64, and nobody has 3");
        assert_eq!(any_of(&[1, 2, 3, 4]), "1, 2, 3 or 1 further value");
        assert_eq!(any_of(&[1, 2, 3, 4, 9]), "1, 2, 3 or 2 further values");
    }

    #[test]
    fn threads_are_known_by_their_atomics() {
        let mut state = state(&[0, 1, 2, 3]);
        let by_element = permutation(4, false);
        let found = [0, 1, 1, 3];
        let say = |state: &MaskedState| by_element.difference(state, &[0, 1, 2, 3], &found).unwrap();
        assert_eq!(say(&state), "elements 1 and 2 have 1, and nobody has 2");
        let operation = |number: usize, thread: u32| {
            let returned = Some(Place { region: 0, offset: 4 + 8 * number });
            Operation { op: AtomicOp::Add(1), thread, returned, spin: None }
        };
        let operations = vec![operation(1, 40), operation(2, 41)];
        let (name, width, initial, last) = ("m".into(), 4, Some(0), None);
        state.serial.push(Location { name, width, initial, last, operations });
        assert_eq!(say(&state), "threads 40 and 41 have 1, and nobody has 2");
    }

    #[test]
    fn undefined_values_are_not_compared() {
        let mut state = state(&[0, 1, 2, 3]);
        state.regions[0].defined.to_mut()[12] = 0xFE;
        let one = permutation(4, true);
        assert_eq!(one.permitted(&state).unwrap_err(), "bits of the value of thread 1 are undefined");
        assert_eq!(one.check(&state, &bytes(&[9, 9, 9, 9])), None);
        assert!(!state.is_permuted(0, 4));
    }

    #[test]
    fn bytes_between_the_values_are_not_part_of_them() {
        let state = state(&[0, 1]);
        let permuted: Vec<usize> = (0..20).filter(|at| state.is_permuted(0, *at)).collect();
        assert_eq!(permuted, [4, 5, 6, 7, 12, 13, 14, 15]);
    }

    /// For a counter that each of the threads increments once, this check and the serialisation check say the same of every
    /// observation: all 5^4 of four threads, with a value that none of them can get.
    #[test]
    fn for_a_counter_the_serialisation_check_agrees() {
        for code in 0..5_u64.pow(4) {
            let found: Vec<u64> = (0..4).map(|thread| code / 5_u64.pow(thread) % 5).collect();
            let operation = |thread: u32| Operation {
                op: AtomicOp::Add(1),
                thread,
                returned: Some(Place { region: 0, offset: thread as usize }),
                spin: None,
            };
            let location = Location {
                name: "m".into(),
                width: 4,
                initial: Some(0),
                last: None,
                operations: (0..4).map(operation).collect(),
            };
            let answers = check_all(&[location], |place, _| Some(found[place.offset]));
            let serialises = answers == [Serialisation::Serialises];
            assert_eq!(words(&found).is_none(), serialises, "{found:?}: {answers:?}");
        }
    }
}
