//! Types of what the specification permits a launch to do, and of the verdict over an observation.

use std::borrow::Cow;
use std::ops::Range;

use crate::bound::{Derived, Interval};
use crate::choice::Assignment;
use crate::history::Log;
use crate::serial::Location;
use crate::{Fault, Permutation, Region, RegionKind, Tolerance};

/// A mask for each byte of a region. Those that are alike everywhere are not allocated: see [`all_ones`] and [`all_zeros`].
pub type Masks = Cow<'static, [u8]>;

/// Longest masks that are not allocated.
const LONGEST_SHARED: usize = 1 << 12;

/// Masks of `len` bytes with every bit set.
pub fn all_ones(len: usize) -> Masks {
    static ONES: [u8; LONGEST_SHARED] = [0xFF; LONGEST_SHARED];
    ONES.get(..len).map_or_else(|| vec![0xFF; len].into(), Cow::Borrowed)
}

/// Masks of `len` bytes with no bit set.
pub fn all_zeros(len: usize) -> Masks {
    static ZEROS: [u8; LONGEST_SHARED] = [0; LONGEST_SHARED];
    ZEROS.get(..len).map_or_else(|| vec![0; len].into(), Cow::Borrowed)
}

/// Whether every byte is `one`. It compares the slice with itself, shifted by a byte: that is many times faster than byte after byte.
pub fn are_all(bytes: &[u8], one: u8) -> bool {
    match bytes {
        [] => true,
        [first, rest @ ..] => *first == one && *rest == bytes[..rest.len()],
    }
}

/// A region, and which of its bits are fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskedRegion {
    /// Kind, name and values; undefined bits are 0, but for those of `values`.
    pub region: Region,
    /// For each byte the mask of bits that are compared.
    pub defined: Masks,
    /// For each byte the mask of bits whose value depends on the order of atomics: concrete under the schedule that ran,
    /// compared only through [`MaskedState::serial`].
    pub unordered: Masks,
    /// Bytes per row of a table case, 0 when undivided (see [`crate::Buffer::stride`]).
    pub stride: u32,
    /// Values that are fixed further than their defined bits say. In ascending order; no two share a byte.
    pub values: Vec<Value>,
}

/// A value in a region that is fixed further than its defined bits say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Byte offset.
    pub offset: usize,
    /// Size in bytes: 1, 2 or 4.
    pub size: usize,
    /// The values that it may have.
    pub permitted: Permits,
}

/// The values that a place may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permits {
    /// One of these; the first is the value in the reference.
    Either([u64; 2]),
    /// Any NaN of the binary format of its size; this is one.
    Nan(u64),
    /// Any number of an interval.
    Between(Interval),
}

impl Value {
    /// Its bytes in the region.
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.size
    }

    /// One of the permitted values.
    pub fn example(&self) -> u64 {
        match self.permitted {
            Permits::Either([first, _]) => first,
            Permits::Nan(nan) => nan,
            Permits::Between(interval) => interval.reference,
        }
    }

    /// Whether the bytes of a region hold a permitted value there.
    pub fn admits(&self, bytes: &[u8]) -> bool {
        let Some(bytes) = bytes.get(self.range()) else { return false };
        let held = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        match self.permitted {
            Permits::Either(either) => either.contains(&held),
            Permits::Nan(_) => is_nan(held, self.size),
            Permits::Between(interval) => interval.covers(held, self.size),
        }
    }

    /// Writes the example into the bytes of a region.
    pub fn put(&self, bytes: &mut [u8]) {
        bytes[self.range()].copy_from_slice(&self.example().to_le_bytes()[..self.size]);
    }

    /// In words: "4c or 4d", "a NaN", "from 0.99999994 to 1.0000001 (…)".
    pub fn words(&self) -> String {
        let hex = |value: u64| {
            let bytes = value.to_le_bytes();
            let bytes: Vec<_> = bytes[..self.size].iter().map(|byte| format!("{byte:02x}")).collect();
            bytes.join(" ")
        };
        match self.permitted {
            Permits::Either([a, b]) => format!("{} or {}", hex(a), hex(b)),
            Permits::Nan(_) => "a NaN".into(),
            Permits::Between(interval) => interval.words(self.size),
        }
    }
}

/// Whether these are the bits of a NaN: of a binary16 in two bytes, of a binary32 in four.
fn is_nan(bits: u64, size: usize) -> bool {
    match size {
        2 => bits & 0x7FFF > 0x7C00,
        4 => bits & 0x7FFF_FFFF > 0x7F80_0000,
        _ => false,
    }
}

impl MaskedRegion {
    /// The values that have bytes in this range.
    pub fn values_in(&self, range: Range<usize>) -> &[Value] {
        let start = self.values.partition_point(|value| value.range().end <= range.start);
        let end = self.values.partition_point(|value| value.offset < range.end);
        self.values.get(start..end).unwrap_or_default()
    }

    /// The value that a byte belongs to.
    pub fn value_at(&self, at: usize) -> Option<&Value> {
        self.values_in(at..at + 1).first()
    }

    /// Keeps the values that another state of this region permits as well and that depend on no order. Of the others only the
    /// defined bits remain.
    pub fn keep_values_of(&mut self, other: &Self) {
        let unordered = &self.unordered;
        let is_ordered = |value: &Value| unordered[value.range()].iter().all(|bits| *bits == 0);
        self.values.retain(|value| is_ordered(value) && other.values.contains(value));
        self.values.iter().for_each(|value| value.put(&mut self.region.bytes));
    }
}

/// The memory that a launch leaves behind, as far as the specification fixes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaskedState {
    /// Regions in the order of [`crate::State::regions`].
    pub regions: Vec<MaskedRegion>,
    /// Locations on which atomics must serialise.
    pub serial: Vec<Location>,
    /// Logs of attempts that must serialise; their bytes are not compared otherwise.
    pub logs: Vec<Log>,
    /// Values that, by the case, may be in any order: together they are those of `regions`.
    pub permutations: Vec<Permutation>,
    /// Undefined bits that were computed from values fixed within a bound only, by ascending region and offset.
    pub derived: Vec<Derived>,
}

impl MaskedState {
    /// Has these logs judged by their content alone: not by the bytes that the schedule of the reference left, nor by the attempts
    /// made under it.
    pub fn judge_logs(&mut self, logs: &[Log]) {
        for log in logs {
            if let Some(masked) = self.regions.get_mut(log.region) {
                masked.defined = all_ones(masked.defined.len());
                masked.unordered = all_ones(masked.unordered.len());
            }
        }
        let is_logged = |region: usize| logs.iter().any(|log| log.region == region);
        self.serial.retain(|location| {
            let mut seen = location.operations.iter().filter_map(|operation| operation.returned);
            !seen.any(|place| is_logged(place.region))
        });
        self.logs = logs.to_vec();
    }

    /// Whether a byte is part of a log, or of the final value that a log is checked against.
    pub fn is_logged(&self, region: usize, offset: usize) -> bool {
        self.logs.iter().any(|log| {
            let last = log.last.filter(|last| last.region == region);
            let after = last
                .is_some_and(|last| (last.offset..last.offset + usize::from(log.width)).contains(&offset));
            log.region == region || after
        })
    }
}

/// The behaviour that one assignment of the choices permits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permitted {
    /// To complete with this state.
    Completed {
        /// The state.
        state: MaskedState,
    },
    /// To fault: it must report a fault of one of these classes. Holds every fault the launch could report.
    Faulted {
        /// The faults, at least one of them with [`crate::FaultKind::Must`].
        faults: Vec<Fault>,
    },
    /// Not to come back: the step budget ran out.
    TimedOut,
    /// The specification does not say: control flow or an address depends on undefined bits, a handle names nothing. A defect of the case.
    Indeterminate {
        /// The instruction concerned, with its line.
        place: String,
        /// The problem there, as a predicate of `place`: "depends on undefined bits: …", "names no surface (0x0)".
        origin: String,
    },
}

/// One alternative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The choices it was computed under.
    pub assignment: Assignment,
    /// The permitted behaviour.
    pub permitted: Permitted,
    /// Faults that may be reported instead ([`crate::FaultKind::May`]).
    pub may: Vec<Fault>,
}

/// Everything the specification permits a launch to do: the union of its outcomes. See [`Allowed::admits`].
#[derive(Clone, Debug, PartialEq)]
pub struct Allowed {
    /// The alternatives, distinct, at least one; the first is the one of the default assignment.
    pub outcomes: Vec<Outcome>,
    /// The values that, by the case, need not be exact; see [`Allowed::tolerate`].
    pub tolerances: Vec<Tolerance>,
}

impl Allowed {
    /// Holds the values that these tolerances name to them, whatever bound is documented ([`MaskedState::tolerate`]).
    pub fn tolerate(&mut self, tolerances: &[Tolerance]) {
        self.tolerances = tolerances.to_vec();
        for outcome in &mut self.outcomes {
            if let Permitted::Completed { state } = &mut outcome.permitted {
                state.tolerate(tolerances);
            }
        }
    }

    /// Has these values judged as values in any order, in every outcome.
    pub fn judge_permutations(&mut self, permutations: &[Permutation]) {
        for outcome in &mut self.outcomes {
            if let Permitted::Completed { state } = &mut outcome.permitted {
                state.permutations = permutations.to_vec();
            }
        }
    }

    /// Has these logs judged in every outcome ([`MaskedState::judge_logs`]).
    pub fn judge_logs(&mut self, logs: &[Log]) {
        for outcome in &mut self.outcomes {
            if let Permitted::Completed { state } = &mut outcome.permitted
                && !logs.is_empty()
            {
                state.judge_logs(logs);
            }
        }
    }
}

/// The class of a mismatch, as reports name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MismatchClass {
    /// A surface access out of bounds went to the wrong place.
    Clamp,
    /// A component the specification leaves unpredictable was relied on, or one it fixes was not written.
    UnpredictableComponent,
    /// A fault missing, surplus or of the wrong class, an access outside its region, or a bound that was not checked.
    OutOfBounds,
    /// Coordinates or an address were read wrongly: their unit, their sign, which of them count.
    Addressing,
    /// A misaligned access did something that is not permitted.
    Alignment,
    /// A value was converted or rounded wrongly.
    Conversion,
    /// Atomics do not serialise, or do another operation.
    Atomicity,
    /// Bytes of a variable are wrong, or the components of an access are not in their order.
    Layout,
    /// A program was accepted or rejected wrongly.
    Legality,
    /// It did not come back.
    Hang,
    /// Its process died.
    Crash,
    /// A wrong value with none of the classes above.
    Value,
}

/// A difference between the permitted and the observed behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Its class, as far as memory and status tell it. A wrong value in plain data is [`MismatchClass::Value`]; a caller that
    /// knows the instruction may refine it.
    pub class: MismatchClass,
    /// Kind of region concerned, and its name, if it is one of memory.
    pub region: Option<(RegionKind, String)>,
    /// Byte offset in the region of the first differing byte.
    pub offset: usize,
    /// Row of a table case: offset / stride.
    pub row: Option<usize>,
    /// The permitted bytes, from the closest outcome; bits outside `defined` mean nothing.
    pub expected: Vec<u8>,
    /// Mask of the compared bits of `expected`.
    pub defined: Vec<u8>,
    /// The observed bytes.
    pub observed: Vec<u8>,
    /// In words: "must fault with surface-trap, but completed".
    pub detail: String,
}

/// The verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The observation is allowed.
    Conforms {
        /// It decided a choice differently in two places.
        inconsistent: bool,
        /// The assignments whose outcome matches the observation as a whole.
        matches: Vec<Assignment>,
    },
    /// The observation is not allowed.
    Violates {
        /// The differences from the closest outcome, first ones first, at most [`Allowed::MISMATCH_LIMIT`].
        mismatches: Vec<Mismatch>,
    },
    /// The specification does not decide.
    Indeterminate {
        /// The reason.
        why: String,
    },
    /// There is nothing to judge: unsupported or not run.
    NotJudged {
        /// The reason.
        why: String,
    },
}
