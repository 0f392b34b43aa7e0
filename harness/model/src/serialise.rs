//! The serialisation check: does some order of the atomics give the values that they returned?
//!
//! For each location and barrier epoch, every operation that returned `o` and computes `f` is an edge `o → f(o)` between
//! values; the observation is right exactly when the edges form an Eulerian trail from the epoch's initial to its final
//! value. That takes linear time and decides the matter when each thread touches the location once and every returned
//! value is seen. A `CAST` that failed is an edge from a value to itself that needs one visit to a value other than the one it
//! compares with. Program order within a thread and operations whose returned value is not visible are further
//! constraints; they need a bounded search, which past its bound answers [`Serialisation::Undecided`].
//!
//! * `trail` – Eulerian trails.
//! * `search` – the search among orders.
//! * `contenders` – operations among which a machine selects one.

mod contenders;
mod search;
mod trail;

use std::collections::HashSet;

use crate::serial::{AtomicOp, Location, Place, width_mask};
use contenders::Groups;
use search::Search;
use trail::Values;

/// The answer of the serialisation check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Serialisation {
    /// Some order gives the observed values.
    Serialises,
    /// No order does.
    Violates {
        /// The reason: "two operations returned 3, one value leads there".
        why: String,
    },
    /// The search was given up.
    Undecided {
        /// The reason.
        why: String,
    },
}

/// Decides for each location whether some order of its operations gives the values that `observed` reads: bytes at a place, little
/// endian; `None` if the place does not exist. Operations of a group ([`crate::serial::Operation::spin`])
/// may be on several of the locations.
pub fn check_all(locations: &[Location], observed: impl Fn(Place, u8) -> Option<u64>) -> Vec<Serialisation> {
    let read: Vec<_> = locations.iter().map(|location| location.observed_steps(&observed)).collect();
    let groups = Groups::of(locations, &read);
    let mut answers = Vec::with_capacity(locations.len());
    for (number, (location, steps)) in locations.iter().zip(read).enumerate() {
        answers.push(match steps {
            Ok((last, steps)) => match groups.applied(number, steps) {
                Ok(steps) => location.decide(last, steps, groups.is_loose(number)),
                Err(answer) => answer,
            },
            Err(why) => Serialisation::Violates { why },
        });
    }
    answers
}

impl Location {
    /// The final value and what each operation was seen to find.
    fn observed_steps(
        &self,
        observed: &impl Fn(Place, u8) -> Option<u64>,
    ) -> Result<(Option<u64>, Vec<Step>), String> {
        let read = |place: Option<Place>, width: u8| {
            let missing = |place: Place| {
                format!("region {} has no {width} bytes at offset {}", place.region, place.offset)
            };
            place.map(|place| observed(place, width).ok_or_else(|| missing(place))).transpose()
        };
        let last = read(self.last, self.width)?;
        let mut steps = Vec::with_capacity(self.operations.len());
        for operation in &self.operations {
            let returned = read(operation.returned, operation.op.returned_width(self.width))?;
            let found = Found::of(operation.op, returned)?;
            steps.push(Step { op: operation.op, thread: operation.thread, found, joint: None });
        }
        Ok((last, steps))
    }

    /// Decides about steps in which nothing is left open but their order. `loose`: they are known to take less than all constraints
    /// into account, so that an order proves nothing.
    fn decide(&self, last: Option<u64>, steps: Vec<Step>, loose: bool) -> Serialisation {
        let whole = Problem { width: self.width, initial: self.initial, last, steps };
        // PTX: for .f16x2 "atomicity is guaranteed separately for each of the individual elements".
        let paired =
            !whole.steps.is_empty() && whole.steps.iter().all(|s| matches!(s.op, AtomicOp::AddF16x2(_)));
        let problems = if paired { vec![whole.half(0), whole.half(16)] } else { vec![whole.canonical()] };
        match worst(problems.iter().map(Problem::decide)) {
            Serialisation::Serialises if loose && problems.iter().any(Problem::repeats_a_thread) => {
                Serialisation::Undecided {
                    why: "threads that repeat contend with others on another location".into(),
                }
            }
            answer => answer,
        }
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

/// What is known of the value that an operation found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Found {
    /// It was this one.
    Value(u64),
    /// Any but this one: a compare-and-swap that says that it did not store.
    Differs(u64),
    /// Anything: the operation did nothing, because another one was selected.
    Anything,
    /// It is not seen.
    Unseen,
}

impl Found {
    /// What a returned value says.
    fn of(op: AtomicOp, returned: Option<u64>) -> Result<Found, String> {
        Ok(match (op, returned) {
            (_, None) => Found::Unseen,
            // "if (M == Rb) { M = Rc; Rd = 1; } else { Rd = 0 }"
            (AtomicOp::Cast(compare, _), Some(1)) => Found::Value(compare),
            (AtomicOp::Cast(compare, _), Some(0)) => Found::Differs(compare),
            (AtomicOp::Cast(..), Some(other)) => {
                return Err(format!("a compare-and-store returned {other:#x}, neither 0 nor 1"));
            }
            (_, Some(value)) => Found::Value(value),
        })
    }

    /// Whether it is so of a value.
    fn fits(self, value: u64) -> bool {
        match self {
            Found::Value(found) => found == value,
            Found::Differs(compare) => compare != value,
            Found::Anything | Found::Unseen => true,
        }
    }

    fn map(self, f: impl Fn(u64) -> u64) -> Found {
        match self {
            Found::Value(value) => Found::Value(f(value)),
            Found::Differs(value) => Found::Differs(f(value)),
            other => other,
        }
    }
}

/// One operation and what it was seen to find.
#[derive(Clone, Debug)]
struct Step {
    op: AtomicOp,
    thread: u32,
    found: Found,
    /// The group of steps that happen at once.
    joint: Option<u32>,
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
        let half = |value: u64| value >> shift & 0xffff;
        let steps = self.steps.iter().map(|step| Step {
            op: match step.op {
                AtomicOp::AddF16x2(b) => AtomicOp::AddF16((b >> shift) as u16),
                op => op,
            },
            found: step.found.map(half),
            ..step.clone()
        });
        let (initial, last) = (self.initial.map(half), self.last.map(half));
        Problem { width: 2, initial, last, steps: steps.collect() }.canonical()
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
        let canonical = |value: u64| {
            let value = value & mask;
            if nan.is_some_and(|is_nan| is_nan(value)) { mask >> 1 } else { value }
        };
        self.initial = self.initial.map(canonical);
        self.last = self.last.map(canonical);
        self.steps.iter_mut().for_each(|step| step.found = step.found.map(canonical));
        self
    }

    fn decide(&self) -> Serialisation {
        if self.steps.iter().all(|step| step.found == Found::Unseen) {
            if self.last.is_none() {
                return Serialisation::Serialises;
            }
            if self.commutes() {
                return self.decide_commuting();
            }
        }
        if self.steps.iter().all(|step| step.found != Found::Unseen) {
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

    /// Whether the edges `found → f(found)` form an Eulerian trail between the ends that are known, which passes what the failed
    /// compare-and-swaps need.
    fn decide_trail(&self) -> Serialisation {
        let mut values = Values::default();
        for step in &self.steps {
            let Found::Value(from) = step.found else { continue };
            values.connect(from, step.op.apply(from, self.width));
        }
        let (initial, last) = (self.initial.map(|v| values.index(v)), self.last.map(|v| values.index(v)));
        if let Err(why) = values.trail(initial, last) {
            return Serialisation::Violates { why };
        }
        for step in &self.steps {
            let Found::Differs(compare) = step.found else { continue };
            if !values.passes_other_than(compare) {
                return Serialisation::Violates {
                    why: format!(
                        "a compare-and-store failed that compares with {compare:#x}, and nothing else was there"
                    ),
                };
            }
        }
        Serialisation::Serialises
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
