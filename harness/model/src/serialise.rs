//! The serialisation check: are the values that atomics returned those of some order?
//!
//! For each location and barrier epoch, every operation that returned `o` and computes `f` is an edge `o → f(o)` between
//! values; the observation is right exactly when the edges form an Eulerian trail from the epoch's initial to its final
//! value. That takes linear time and decides the matter when each thread touches the location once and every returned
//! value is seen. Program order within a thread and operations whose returned value is not seen are further
//! constraints; they take a bounded search, which past its bound answers [`Serialisation::Undecided`].

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::serial::{AtomicOp, Location, Operation, Place, width_mask};

/// Whether atomics were seen to serialise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Serialisation {
    /// Some order gives what was observed.
    Serialises,
    /// None does.
    Violates {
        /// Why: "two operations returned 3, one value leads there".
        why: String,
    },
    /// The search was given up.
    Undecided {
        /// Why.
        why: String,
    },
}

/// States that the search visits before it gives up, times their size in words: some tens of megabytes.
const SEARCH_BOUND: usize = 1 << 22;

impl Location {
    /// Decides whether some order of the operations gives the values that `observed` finds at a place: its `width`
    /// bytes, little endian; `None` when the place does not exist.
    pub fn check(&self, observed: impl Fn(Place) -> Option<u64>) -> Serialisation {
        match self.observed_problems(&observed) {
            Ok(problems) => worst(problems.iter().map(Problem::decide)),
            Err(place) => Serialisation::Violates {
                why: format!(
                    "region {} has no {} bytes at offset {}",
                    place.region, self.width, place.offset
                ),
            },
        }
    }

    /// The questions that this location asks: one, or one for each half of a pair that is not atomic as a whole.
    fn observed_problems(&self, observed: &impl Fn(Place) -> Option<u64>) -> Result<Vec<Problem>, Place> {
        let read = |place: Option<Place>| place.map(|place| observed(place).ok_or(place)).transpose();
        let last = read(self.last)?;
        let mut steps = Vec::with_capacity(self.operations.len());
        for Operation { op, thread, returned } in &self.operations {
            steps.push(Step { op: *op, thread: *thread, returned: read(*returned)? });
        }
        let whole = Problem { width: self.width, initial: self.initial, last, steps };
        // PTX: for .f16x2 "atomicity is guaranteed separately for each of the individual elements".
        let paired =
            !whole.steps.is_empty() && whole.steps.iter().all(|s| matches!(s.op, AtomicOp::AddF16x2(_)));
        Ok(if paired { vec![whole.half(0), whole.half(16)] } else { vec![whole.canonical()] })
    }
}

/// The answer that stands for several: a violation, else undecided, else that all serialise.
fn worst(answers: impl Iterator<Item = Serialisation>) -> Serialisation {
    let rank = |answer: &Serialisation| match answer {
        Serialisation::Serialises => 0,
        Serialisation::Undecided { .. } => 1,
        Serialisation::Violates { .. } => 2,
    };
    answers.max_by_key(rank).unwrap_or(Serialisation::Serialises)
}

/// One operation and what it was seen to return.
#[derive(Clone, Debug)]
struct Step {
    op: AtomicOp,
    thread: u32,
    returned: Option<u64>,
}

/// Operations on one value.
#[derive(Clone, Debug)]
struct Problem {
    width: u8,
    initial: Option<u64>,
    last: Option<u64>,
    steps: Vec<Step>,
}

impl Problem {
    /// The question about one half of a pair of binary16 values.
    fn half(&self, shift: u32) -> Problem {
        let half = |value: Option<u64>| value.map(|v| v >> shift & 0xffff);
        let steps = self.steps.iter().map(|step| Step {
            op: match step.op {
                AtomicOp::AddF16x2(b) => AtomicOp::AddF16((b >> shift) as u16),
                op => op,
            },
            thread: step.thread,
            returned: half(step.returned),
        });
        Problem { width: 2, initial: half(self.initial), last: half(self.last), steps: steps.collect() }
            .canonical()
    }

    /// With values cut to the width, and every NaN the same where operations are floating-point: PTX does not fix the
    /// payload.
    fn canonical(mut self) -> Problem {
        let nan: Option<fn(u64) -> bool> = match self.steps.first().map(|s| s.op) {
            Some(AtomicOp::AddF32(_) | AtomicOp::AddF32Flushed(_)) => {
                Some(|v| f32::from_bits(v as u32).is_nan())
            }
            Some(AtomicOp::AddF64(_)) => Some(|v| f64::from_bits(v).is_nan()),
            Some(AtomicOp::AddF16(_)) => Some(|v| v & 0x7fff > 0x7c00),
            _ => None,
        };
        let mask = width_mask(self.width);
        let canonical = |value: &mut Option<u64>| {
            if let Some(v) = value {
                *v &= mask;
                if nan.is_some_and(|is_nan| is_nan(*v)) {
                    *v = mask >> 1;
                }
            }
        };
        canonical(&mut self.initial);
        canonical(&mut self.last);
        self.steps.iter_mut().for_each(|step| canonical(&mut step.returned));
        self
    }

    fn decide(&self) -> Serialisation {
        if self.steps.iter().all(|step| step.returned.is_none()) {
            if self.last.is_none() {
                return Serialisation::Serialises;
            }
            if self.commutes() {
                return self.decide_commuting();
            }
        }
        if self.steps.iter().all(|step| step.returned.is_some()) {
            let trail = self.decide_trail();
            if trail != Serialisation::Serialises || !self.repeats_a_thread() {
                return trail;
            }
        }
        self.decide_by_search()
    }

    /// Whether every order of the operations gives the same final value.
    fn commutes(&self) -> bool {
        let Some(Step { op: first, .. }) = self.steps.first() else { return true };
        if self.steps.iter().all(|step| step.op == *first) {
            return true;
        }
        let kind = std::mem::discriminant(first);
        let same_kind = self.steps.iter().all(|step| std::mem::discriminant(&step.op) == kind);
        use AtomicOp::{Add, And, MaxS, MaxU, MinS, MinU, Or, Xor};
        same_kind && matches!(first, Add(_) | And(_) | Or(_) | Xor(_) | MinU(_) | MinS(_) | MaxU(_) | MaxS(_))
    }

    fn decide_commuting(&self) -> Serialisation {
        let (Some(initial), Some(last)) = (self.initial, self.last) else { return Serialisation::Serialises };
        let expected = self.steps.iter().fold(initial, |value, step| step.op.apply(value, self.width));
        if expected == last {
            return Serialisation::Serialises;
        }
        let count = self.steps.len();
        Serialisation::Violates {
            why: format!("{count} operations lead from {initial:#x} to {expected:#x}, not {last:#x}"),
        }
    }

    fn repeats_a_thread(&self) -> bool {
        let mut seen = HashSet::with_capacity(self.steps.len());
        self.steps.iter().any(|step| !seen.insert(step.thread))
    }

    /// Whether the edges `returned → f(returned)` form an Eulerian trail between the ends that are known.
    fn decide_trail(&self) -> Serialisation {
        let mut values = Values::default();
        for step in &self.steps {
            let Some(from) = step.returned else { continue };
            values.connect(from, step.op.apply(from, self.width));
        }
        let (initial, last) = (self.initial.map(|v| values.index(v)), self.last.map(|v| values.index(v)));
        match values.trail(initial, last) {
            Ok(()) => Serialisation::Serialises,
            Err(why) => Serialisation::Violates { why },
        }
    }

    /// Tries the orders that program order permits, remembering what was tried.
    fn decide_by_search(&self) -> Serialisation {
        let mut search = Search::new(self);
        let starts = match self.initial {
            Some(initial) => vec![initial],
            // An initial value that is undefined is the one that the first operation returned, if that is seen.
            None => search.first_values(),
        };
        match starts.iter().try_fold(false, |found, start| Some(found || search.reaches_end(*start)?)) {
            Some(true) => Serialisation::Serialises,
            Some(false) if self.initial.is_none() && search.may_begin_unseen() => Serialisation::Undecided {
                why: "the initial value is undefined, and so may be what was found first".into(),
            },
            Some(false) => {
                let count = self.steps.len();
                Serialisation::Violates {
                    why: format!("no order of the {count} operations gives the returned values"),
                }
            }
            None => Serialisation::Undecided {
                why: format!("the search among the orders of {} operations was given up", self.steps.len()),
            },
        }
    }
}

/// Values as vertices, operations as edges.
#[derive(Default)]
struct Values {
    index: HashMap<u64, usize>,
    value: Vec<u64>,
    /// Edges out, and in.
    degree: Vec<(u64, u64)>,
    /// Union-find over connected vertices.
    parent: Vec<usize>,
}

impl Values {
    fn index(&mut self, value: u64) -> usize {
        *self.index.entry(value).or_insert_with(|| {
            self.value.push(value);
            self.degree.push((0, 0));
            self.parent.push(self.parent.len());
            self.parent.len() - 1
        })
    }

    fn connect(&mut self, from: u64, to: u64) {
        let (from, to) = (self.index(from), self.index(to));
        self.degree[from].0 += 1;
        self.degree[to].1 += 1;
        let (a, b) = (self.root(from), self.root(to));
        self.parent[a] = b;
    }

    fn root(&mut self, mut vertex: usize) -> usize {
        while self.parent[vertex] != vertex {
            self.parent[vertex] = self.parent[self.parent[vertex]];
            vertex = self.parent[vertex];
        }
        vertex
    }

    /// Whether all edges form one trail, from `initial` and to `last` where those are given.
    fn trail(&mut self, initial: Option<usize>, last: Option<usize>) -> Result<(), String> {
        let Some(edge) = (0..self.value.len()).find(|v| self.degree[*v].0 > 0) else {
            return match (initial, last) {
                (Some(a), Some(b)) if a != b => {
                    Err(format!("nothing changed {:#x}, but {:#x} was found", self.value[a], self.value[b]))
                }
                _ => Ok(()),
            };
        };
        let component = self.root(edge);
        if let Some(other) =
            (0..self.value.len()).find(|v| self.degree[*v] != (0, 0) && self.root(*v) != component)
        {
            return Err(format!(
                "no operation leads from {:#x} to {:#x}",
                self.value[edge], self.value[other]
            ));
        }
        let ends = self.ends()?;
        self.fits(initial, ends.map(|(start, _)| start), component, "begin", "initial")?;
        self.fits(last, ends.map(|(_, end)| end), component, "end", "final")?;
        match (ends, initial, last) {
            (None, Some(a), Some(b)) if a != b => Err(format!(
                "the operations lead from {:#x} back to it, but {:#x} was found at the end",
                self.value[a], self.value[b]
            )),
            _ => Ok(()),
        }
    }

    /// The two vertices at which a trail has to begin and end; `None` when it is closed.
    fn ends(&self) -> Result<Option<(usize, usize)>, String> {
        let (mut start, mut end) = (None, None);
        for (vertex, (out, into)) in self.degree.iter().enumerate() {
            let value = self.value[vertex];
            let slot = match (*out, *into) {
                (out, into) if out == into => continue,
                (out, into) if out == into + 1 => &mut start,
                (out, into) if into == out + 1 => &mut end,
                _ => {
                    return Err(format!(
                        "{value:#x} was returned {out} times, and {into} operations lead to it"
                    ));
                }
            };
            if slot.replace(vertex).is_some() {
                return Err(format!("{value:#x} was returned {out} times, and {into} operations lead to it"));
            }
        }
        Ok(start.zip(end))
    }

    /// Whether a known end is where the trail has it.
    fn fits(
        &mut self,
        known: Option<usize>,
        required: Option<usize>,
        component: usize,
        verb: &str,
        name: &str,
    ) -> Result<(), String> {
        let Some(known) = known else { return Ok(()) };
        match required {
            Some(required) if required != known => Err(format!(
                "the operations {verb} with {:#x}, but the {name} value is {:#x}",
                self.value[required], self.value[known]
            )),
            None if self.root(known) != component => {
                Err(format!("no operation returned the {name} value {:#x} or leads to it", self.value[known]))
            }
            _ => Ok(()),
        }
    }
}

/// What a thread still has to do: its next step, and the rest. Threads with the same rest are interchangeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Rest {
    op: AtomicOp,
    returned: Option<u64>,
    /// Index of the rest after it.
    then: Option<u32>,
}

/// A search for an order.
struct Search {
    width: u8,
    last: Option<u64>,
    rests: Vec<Rest>,
    /// Which rests begin with an operation that returned a value, by that value; and those whose value is not seen.
    by_value: HashMap<u64, Vec<usize>>,
    unseen: Vec<usize>,
    /// How many threads stand before each rest at first.
    start: Vec<u32>,
    /// States with several ways on, from which the end cannot be reached.
    failed: HashSet<(Box<[u32]>, u64)>,
    /// Words that may still be looked up or remembered.
    budget: usize,
}

impl Search {
    fn new(problem: &Problem) -> Self {
        let mut threads: BTreeMap<u32, Vec<&Step>> = BTreeMap::new();
        problem.steps.iter().for_each(|step| threads.entry(step.thread).or_default().push(step));
        let mut numbers: HashMap<Rest, u32> = HashMap::new();
        let mut rests = Vec::new();
        let mut first = Vec::new();
        for steps in threads.values() {
            let mut then = None;
            for step in steps.iter().rev() {
                let rest = Rest { op: step.op, returned: step.returned, then };
                then = Some(*numbers.entry(rest).or_insert_with(|| {
                    rests.push(rest);
                    rests.len() as u32 - 1
                }));
            }
            first.extend(then);
        }
        let mut start = vec![0; rests.len()];
        first.iter().for_each(|rest| start[*rest as usize] += 1);
        let (mut by_value, mut unseen) = (HashMap::<u64, Vec<usize>>::new(), Vec::new());
        for (index, rest) in rests.iter().enumerate() {
            rest.returned.map_or(&mut unseen, |value| by_value.entry(value).or_default()).push(index);
        }
        let (width, last) = (problem.width, problem.last);
        Self { width, last, rests, by_value, unseen, start, failed: HashSet::new(), budget: SEARCH_BOUND }
    }

    /// The values that some thread's first operation returned, ascending.
    fn first_values(&self) -> Vec<u64> {
        let first = self.rests.iter().zip(&self.start).filter(|(_, count)| **count > 0);
        let mut values: Vec<u64> = first.filter_map(|(rest, _)| rest.returned).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Whether an operation whose returned value is not seen may come first.
    fn may_begin_unseen(&self) -> bool {
        self.unseen.iter().any(|rest| self.start[*rest] > 0)
    }

    /// Whether some order leads from `initial` through every operation; `None` when the search is given up.
    fn reaches_end(&mut self, initial: u64) -> Option<bool> {
        let mut counts = self.start.clone();
        let mut left = self.rests_left();
        let mut frames = vec![self.frame(initial, None, &counts)];
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
            if let Some(&rest) = frame.moves.get(frame.next) {
                frame.next += 1;
                let value = self.rests[rest].op.apply(frame.value, self.width);
                self.step(&mut counts, rest);
                left -= 1;
                frames.push(self.frame(value, Some(rest), &counts));
                continue;
            }
            if frame.moves.len() > 1 {
                self.failed.insert((counts.as_slice().into(), frame.value));
            }
            if let Some(rest) = frame.via {
                self.undo(&mut counts, rest);
                left += 1;
            }
            frames.pop();
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

    /// The frame at `value`, with the rests that can go on from there.
    fn frame(&self, value: u64, via: Option<usize>, counts: &[u32]) -> Frame {
        let seen = self.by_value.get(&value).map_or(&[][..], Vec::as_slice);
        let moves = seen.iter().chain(&self.unseen).copied().filter(|rest| counts[*rest] > 0).collect();
        Frame { value, moves, next: 0, via }
    }

    fn step(&self, counts: &mut [u32], rest: usize) {
        counts[rest] -= 1;
        if let Some(then) = self.rests[rest].then {
            counts[then as usize] += 1;
        }
    }

    fn undo(&self, counts: &mut [u32], rest: usize) {
        counts[rest] += 1;
        if let Some(then) = self.rests[rest].then {
            counts[then as usize] -= 1;
        }
    }
}

/// A value reached in a search.
struct Frame {
    value: u64,
    /// The rests whose first operation may come next.
    moves: Vec<usize>,
    /// Index into `moves` of the next one to try.
    next: usize,
    /// The rest that led here.
    via: Option<usize>,
}
