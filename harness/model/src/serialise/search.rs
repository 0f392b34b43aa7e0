//! A search for an order that keeps the program order of each thread.
//!
//! What changes nothing, whatever it is found at, is done as soon as it can be: no order is lost by it, because what could
//! follow it later can follow it now. What is left to try is the order of the operations that change the value.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Found, Problem, Step};
use crate::serial::AtomicOp;

/// States that the search visits before it gives up, times their size in words: some tens of megabytes.
const SEARCH_BOUND: usize = 1 << 22;

/// What a thread still has to do: its next step, and the rest. Threads with the same rest are interchangeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Rest {
    op: AtomicOp,
    found: Found,
    joint: Option<u32>,
    /// Index of the rest after it.
    then: Option<u32>,
}

/// What may happen at once: one thread does its next step, or those of a group do theirs.
struct Move {
    /// Which rests go on, and how many threads of each.
    rests: Vec<(usize, u32)>,
    /// What is done to the value; nothing where nobody of a group stores.
    op: Option<AtomicOp>,
    found: Found,
}

impl Move {
    fn steps(&self) -> usize {
        self.rests.iter().map(|(_, count)| *count as usize).sum()
    }

    fn is_possible(&self, counts: &[u32]) -> bool {
        self.rests.iter().all(|(rest, count)| counts[*rest] >= *count)
    }
}

/// A search for an order.
pub(super) struct Search {
    width: u8,
    last: Option<u64>,
    rests: Vec<Rest>,
    moves: Vec<Move>,
    /// Which moves change the value that they find, by that value; and those of which it is not seen what they find.
    by_value: HashMap<u64, Vec<usize>>,
    unseen: Vec<usize>,
    /// The moves that change nothing.
    idle: Vec<usize>,
    /// How many threads stand before each rest at first.
    start: Vec<u32>,
    /// States with several ways on, from which the end cannot be reached.
    failed: HashSet<(Box<[u32]>, u64)>,
    /// Words that may still be looked up or remembered.
    budget: usize,
}

impl Search {
    pub(super) fn new(problem: &Problem) -> Self {
        let mut threads: BTreeMap<u32, Vec<&Step>> = BTreeMap::new();
        problem.steps.iter().for_each(|step| threads.entry(step.thread).or_default().push(step));
        let mut numbers: HashMap<Rest, u32> = HashMap::new();
        let mut rests = Vec::new();
        let mut first = Vec::new();
        let mut joint: BTreeMap<u32, BTreeMap<usize, u32>> = BTreeMap::new();
        for steps in threads.values() {
            let mut then = None;
            for step in steps.iter().rev() {
                let rest = Rest { op: step.op, found: step.found, joint: step.joint, then };
                let number = *numbers.entry(rest).or_insert_with(|| {
                    rests.push(rest);
                    rests.len() as u32 - 1
                });
                if let Some(group) = step.joint {
                    *joint.entry(group).or_default().entry(number as usize).or_default() += 1;
                }
                then = Some(number);
            }
            first.extend(then);
        }
        let mut start = vec![0; rests.len()];
        first.iter().for_each(|rest| start[*rest as usize] += 1);
        let mut search = Self {
            width: problem.width,
            last: problem.last,
            moves: moves(&rests, joint),
            rests,
            by_value: HashMap::new(),
            unseen: Vec::new(),
            idle: Vec::new(),
            start,
            failed: HashSet::new(),
            budget: SEARCH_BOUND,
        };
        search.sort_moves();
        search
    }

    /// Sorts the moves by what has to be there for them.
    fn sort_moves(&mut self) {
        // Those of a thread's later steps have lower numbers: from the back, one pass finds what an idle move makes possible.
        for (index, step) in self.moves.iter().enumerate().rev() {
            match (step.found, step.op) {
                (Found::Unseen, _) => self.unseen.push(index),
                (Found::Value(value), Some(op)) if op.apply(value, self.width) != value => {
                    self.by_value.entry(value).or_default().push(index);
                }
                _ => self.idle.push(index),
            }
        }
    }

    /// The values that some thread's first operation found, and where one is known not to have found some value, others; ascending.
    pub(super) fn first_values(&self) -> Vec<u64> {
        let first =
            || self.rests.iter().zip(&self.start).filter(|(_, count)| **count > 0).map(|(rest, _)| rest);
        let mut values: Vec<u64> = Vec::new();
        for rest in first() {
            match rest.found {
                Found::Value(value) => values.push(value),
                Found::Differs(_) | Found::Anything => values.extend(self.mentioned()),
                Found::Unseen => {}
            }
        }
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The values that are found somewhere, or at the end, and one that is none of those nor compared with.
    fn mentioned(&self) -> Vec<u64> {
        let mut values: Vec<u64> = self.last.into_iter().collect();
        values.extend(self.rests.iter().filter_map(|rest| match rest.found {
            Found::Value(value) | Found::Differs(value) => Some(value),
            Found::Anything | Found::Unseen => None,
        }));
        let other = (0..).find(|value| !values.contains(value));
        values.extend(other);
        values
    }

    /// Whether an operation whose returned value is not seen may come first.
    pub(super) fn may_begin_unseen(&self) -> bool {
        self.rests.iter().zip(&self.start).any(|(rest, count)| rest.found == Found::Unseen && *count > 0)
    }

    /// Whether some order leads from `initial` through every operation; `None` when the search is given up.
    pub(super) fn reaches_end(&mut self, initial: u64) -> Option<bool> {
        let mut counts = self.start.clone();
        let mut left = self.rests_left();
        let first = self.frame(initial, None, &mut counts, &mut left);
        let mut frames = vec![first];
        while let Some(frame) = frames.last_mut() {
            if left == 0 && self.last.is_none_or(|last| last == frame.value) {
                return Some(true);
            }
            if frame.next == 0 && frame.moves.len() > 1 {
                self.budget = self.budget.checked_sub(counts.len() + 2)?;
                if self.failed.contains(&(counts.as_slice().into(), frame.value)) {
                    frame.next = frame.moves.len();
                }
            }
            if let Some(&index) = frame.moves.get(frame.next) {
                frame.next += 1;
                let value = self.moves[index].op.map_or(frame.value, |op| op.apply(frame.value, self.width));
                self.step(&mut counts, index);
                left -= self.moves[index].steps();
                self.budget = self.budget.checked_sub(self.idle.len())?;
                frames.push(self.frame(value, Some(index), &mut counts, &mut left));
                continue;
            }
            let Some(frame) = frames.pop() else { break };
            if frame.moves.len() > 1 {
                self.failed.insert((counts.as_slice().into(), frame.value));
            }
            for index in frame.idled.into_iter().rev().chain(frame.via) {
                self.undo(&mut counts, index);
                left += self.moves[index].steps();
            }
            self.budget = self.budget.checked_sub(1)?;
        }
        Some(false)
    }

    /// Operations that all threads have before them at first.
    fn rests_left(&self) -> usize {
        let length = |rest: usize| {
            std::iter::successors(Some(rest), |r| self.rests[*r].then.map(|t| t as usize)).count()
        };
        self.start
            .iter()
            .enumerate()
            .filter(|(_, n)| **n > 0)
            .map(|(rest, n)| *n as usize * length(rest))
            .sum()
    }

    /// The frame at `value`: everything done that changes nothing, and the moves that can go on from there.
    fn frame(&self, value: u64, via: Option<usize>, counts: &mut [u32], left: &mut usize) -> Frame {
        let mut idled = Vec::new();
        loop {
            let before = idled.len();
            for &index in &self.idle {
                let step = &self.moves[index];
                while step.found.fits(value) && step.is_possible(counts) {
                    self.step(counts, index);
                    *left -= step.steps();
                    idled.push(index);
                }
            }
            if idled.len() == before {
                break;
            }
        }
        let seen = self.by_value.get(&value).map_or(&[][..], Vec::as_slice);
        let possible = |index: &usize| self.moves[*index].is_possible(counts);
        let moves = seen.iter().chain(&self.unseen).copied().filter(possible).collect();
        Frame { value, moves, next: 0, via, idled }
    }

    fn step(&self, counts: &mut [u32], index: usize) {
        for (rest, count) in &self.moves[index].rests {
            counts[*rest] -= count;
            if let Some(then) = self.rests[*rest].then {
                counts[then as usize] += count;
            }
        }
    }

    fn undo(&self, counts: &mut [u32], index: usize) {
        for (rest, count) in &self.moves[index].rests {
            counts[*rest] += count;
            if let Some(then) = self.rests[*rest].then {
                counts[then as usize] -= count;
            }
        }
    }
}

/// A move for each rest that stands alone, and one for each group.
fn moves(rests: &[Rest], joint: BTreeMap<u32, BTreeMap<usize, u32>>) -> Vec<Move> {
    let alone = rests.iter().enumerate().filter(|(_, rest)| rest.joint.is_none());
    let mut moves: Vec<Move> = alone
        .map(|(index, rest)| Move { rests: vec![(index, 1)], op: Some(rest.op), found: rest.found })
        .collect();
    for members in joint.into_values() {
        // Of the one that is selected it is known what it found; if nobody stored, of one that stands for all.
        let known = |found: Found| {
            members.keys().map(|rest| rests[*rest]).find(|rest| match found {
                Found::Value(_) => matches!(rest.found, Found::Value(_)),
                _ => matches!(rest.found, Found::Differs(_)),
            })
        };
        let stores = known(Found::Value(0));
        let found = stores.or_else(|| known(Found::Differs(0))).map_or(Found::Anything, |rest| rest.found);
        let op = stores.map(|rest| rest.op);
        moves.push(Move { rests: members.into_iter().collect(), op, found });
    }
    moves
}

/// A value reached in a search.
struct Frame {
    value: u64,
    /// The moves that may come next.
    moves: Vec<usize>,
    /// Index into `moves` of the next one to try.
    next: usize,
    /// The move that led here.
    via: Option<usize>,
    /// The moves that changed nothing and were done on arrival.
    idled: Vec<usize>,
}
