//! Compare-and-stores, and contenders of which one is selected, against every order of up to six operations.

use std::collections::BTreeMap;

use proptest::prelude::*;
use warpdiff_model::serial::{AtomicOp, Contenders, Location, Operation, Place};
use warpdiff_model::serialise::{Serialisation, check_all};

/// One operation: on which of two locations, by whom, in which group, and what it answered.
#[derive(Clone, Copy, Debug)]
struct Done {
    location: usize,
    thread: u32,
    op: AtomicOp,
    group: Option<u32>,
    answer: u64,
}

/// What was seen: operations, those of a thread in its order, and the initial and final values of both locations.
#[derive(Clone, Debug)]
struct History {
    done: Vec<Done>,
    initial: [u64; 2],
    last: [u64; 2],
}

fn answer(op: AtomicOp, found: u64) -> u64 {
    match op {
        AtomicOp::Cast(compare, _) => u64::from(compare == found),
        _ => found,
    }
}

impl History {
    fn check(&self) -> Vec<Serialisation> {
        let count = |group: u32| self.done.iter().filter(|done| done.group == Some(group)).count() as u32;
        let place = |offset| Some(Place { region: 0, offset });
        let location = |number: usize| Location {
            name: format!("location {number}"),
            width: 4,
            initial: Some(self.initial[number]),
            last: place(1000 + number),
            operations: self
                .done
                .iter()
                .enumerate()
                .filter(|(_, done)| done.location == number)
                .map(|(index, done)| Operation {
                    op: done.op,
                    thread: done.thread,
                    returned: place(index),
                    spin: done.group.map(|group| Contenders { group, contenders: count(group) }),
                })
                .collect(),
        };
        check_all(&[location(0), location(1)], |place, _| match place.offset {
            offset if offset >= 1000 => Some(self.last[offset - 1000]),
            offset => Some(self.done[offset].answer),
        })
    }

    /// Whether some order, and some selection in each group, gives what was seen.
    fn some_order_exists(&self) -> bool {
        self.leads_on(self.initial, &vec![false; self.done.len()])
    }

    /// The operations that come next of their threads.
    fn is_next(&self, index: usize, over: &[bool]) -> bool {
        let thread = self.done[index].thread;
        !over[index] && (0..index).all(|earlier| over[earlier] || self.done[earlier].thread != thread)
    }

    fn leads_on(&self, values: [u64; 2], over: &[bool]) -> bool {
        if over.iter().all(|over| *over) {
            return values == self.last;
        }
        (0..self.done.len()).filter(|index| self.is_next(*index, over)).any(|index| {
            let members: Vec<usize> = match self.done[index].group {
                None => vec![index],
                Some(group) => (0..self.done.len()).filter(|n| self.done[*n].group == Some(group)).collect(),
            };
            // A group happens at once, when all its threads have come to it; here when its first member is looked at.
            members[0] == index
                && members.iter().all(|member| self.is_next(*member, over))
                && members.iter().any(|selected| self.happens(values, over, &members, *selected))
        })
    }

    /// Whether one operation of a group can be done now, the others failing, and the rest can follow.
    fn happens(&self, mut values: [u64; 2], over: &[bool], members: &[usize], selected: usize) -> bool {
        let Done { location, op, .. } = self.done[selected];
        let fits = members.iter().all(|member| {
            let expected = if *member == selected { answer(op, values[location]) } else { 0 };
            self.done[*member].answer == expected
        });
        if !fits {
            return false;
        }
        values[location] = op.apply(values[location], 4);
        let mut over = over.to_vec();
        members.iter().for_each(|member| over[*member] = true);
        self.leads_on(values, &over)
    }
}

/// An event: operations of distinct threads that happen at once, and which of them is selected.
type Event = (Vec<(usize, u32, AtomicOp)>, prop::sample::Index);

fn operation(
    threads: std::ops::Range<u32>,
    locations: usize,
) -> impl Strategy<Value = (usize, u32, AtomicOp)> {
    let small = 0u64..3;
    let op = prop_oneof![
        6 => (small.clone(), small.clone()).prop_map(|(compare, new)| AtomicOp::Cast(compare, new)),
        1 => (small.clone(), small.clone()).prop_map(|(compare, new)| AtomicOp::Cas(compare, new)),
        1 => small.prop_map(AtomicOp::Exch),
    ];
    (0..locations, threads, op)
}

fn event(threads: u32, locations: usize) -> impl Strategy<Value = Event> {
    let members = prop::collection::vec(operation(0..threads, locations), 1..=3);
    (members, any::<prop::sample::Index>())
}

/// A history that a machine could have had, with at most one answer or final value changed. `once`: no thread repeats.
fn history(once: bool, locations: usize) -> impl Strategy<Value = History> {
    let threads = if once { 1 } else { 3 };
    let events = prop::collection::vec(event(threads, locations), 1..=4);
    let change = prop::option::of((any::<prop::sample::Index>(), 0u64..3));
    (events, change, prop::array::uniform2(0u64..3)).prop_map(move |(events, change, initial)| {
        let mut values = initial;
        let mut done: Vec<Done> = Vec::new();
        for (number, (members, selected)) in events.into_iter().enumerate() {
            add_event(&mut done, &mut values, number as u32, members, &selected, once);
        }
        // Listed by thread, in the order of each.
        done.sort_by_key(|done| done.thread);
        let mut history = History { done, initial, last: values };
        if let Some((index, changed)) = change {
            let index = index.index(history.done.len() + 1);
            match history.done.get_mut(index) {
                Some(done) => done.answer = changed,
                None => history.last[0] = changed,
            }
        }
        history
    })
}

fn add_event(
    done: &mut Vec<Done>,
    values: &mut [u64; 2],
    number: u32,
    members: Vec<(usize, u32, AtomicOp)>,
    selected: &prop::sample::Index,
    once: bool,
) {
    let is_cast = |op: &AtomicOp| matches!(op, AtomicOp::Cast(..));
    // One thread takes part once; more than one only with what `.SPIN` is for; no more than six operations in all.
    let mut by_thread: BTreeMap<u32, (usize, AtomicOp)> = BTreeMap::new();
    for (location, thread, op) in members {
        let thread = if once { (done.len() + by_thread.len()) as u32 } else { thread };
        if by_thread.is_empty() || is_cast(&op) && by_thread.values().all(|(_, op)| is_cast(op)) {
            by_thread.entry(thread).or_insert((location, op));
        }
    }
    if done.len() + by_thread.len() > 6 {
        return;
    }
    let group = (by_thread.len() > 1).then_some(number);
    let selected = selected.index(by_thread.len());
    for (index, (thread, (location, op))) in by_thread.into_iter().enumerate() {
        let found = values[location];
        let answer = if index == selected { answer(op, found) } else { 0 };
        if index == selected {
            values[location] = op.apply(found, 4);
        }
        done.push(Done { location, thread, op, group, answer });
    }
}

/// Whether the answers, together, are a pass, a violation, or neither.
fn verdict(answers: &[Serialisation]) -> Option<bool> {
    if answers.iter().any(|answer| matches!(answer, Serialisation::Violates { .. })) {
        return Some(false);
    }
    answers.iter().all(|answer| *answer == Serialisation::Serialises).then_some(true)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// One location, no thread twice: exact.
    #[test]
    fn contenders_agree_with_every_order(history in history(true, 1)) {
        prop_assert_eq!(verdict(&history.check()), Some(history.some_order_exists()));
    }

    /// Threads that repeat: groups happen at once, and program order is kept.
    #[test]
    fn repeated_contenders_agree_with_every_order(history in history(false, 1)) {
        prop_assert_eq!(verdict(&history.check()), Some(history.some_order_exists()));
    }

    /// Groups that reach over two locations of a bank: exact where no thread repeats.
    #[test]
    fn contenders_on_two_locations_agree_with_every_order(history in history(true, 2)) {
        prop_assert_eq!(verdict(&history.check()), Some(history.some_order_exists()));
    }

    /// With threads that repeat it may be left undecided; a violation is one. (An order of its own for each location is all that is
    /// asked for: what a thread does on one is not ordered with what it does on another.)
    #[test]
    fn repeated_contenders_on_two_locations_are_not_accused(history in history(false, 2)) {
        if verdict(&history.check()) == Some(false) {
            prop_assert!(!history.some_order_exists());
        }
    }
}

fn cast(thread: u32, compare: u64, new: u64, group: Option<u32>, answer: u64) -> Done {
    Done { location: 0, thread, op: AtomicOp::Cast(compare, new), group, answer }
}

fn serialises(done: &[Done], initial: u64, last: u64) -> bool {
    let history = History { done: done.to_vec(), initial: [initial, 0], last: [last, 0] };
    verdict(&history.check()).expect("it is decided")
}

// "A failed CAST is a self-loop that needs one visit to a value other than its compare value."
#[test]
fn failed_cast_needs_a_visit_to_another_value() {
    assert!(!serialises(&[cast(0, 5, 6, None, 0)], 5, 5), "nothing but 5 was there");
    assert!(serialises(&[cast(0, 5, 6, None, 0)], 4, 4));
    assert!(
        serialises(&[cast(0, 5, 6, None, 0), cast(1, 5, 6, None, 1)], 5, 6),
        "after the other has stored"
    );
}

#[test]
fn selected_lane_does_not_fail_spuriously() {
    let group = Some(1);
    assert!(!serialises(&[cast(0, 5, 6, group, 0), cast(1, 5, 7, group, 0)], 5, 5));
    assert!(serialises(&[cast(0, 5, 6, group, 0), cast(1, 4, 7, group, 0)], 5, 5), "the second was selected");
    assert!(!serialises(&[cast(0, 5, 5, group, 1), cast(1, 5, 5, group, 1)], 5, 5), "both say they stored");
}
