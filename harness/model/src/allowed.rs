//! What the specification permits a launch to do, and the verdict over an observation.

use crate::bound::{Bounded, Derived};
use crate::history::Log;
use crate::semantics::Assignment;
use crate::serial::Location;
use crate::{Fault, Region, RegionKind, Tolerance};

/// A region with what is known of its bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskedRegion {
    /// Kind, name and values; undefined bits are 0.
    pub region: Region,
    /// For each byte the mask of bits that are compared.
    pub defined: Vec<u8>,
    /// For each byte the mask of bits whose value depends on the order of atomics: concrete under the schedule that ran,
    /// compared only through [`MaskedState::serial`].
    pub unordered: Vec<u8>,
    /// Bytes per row of a table case, 0 when undivided (see [`crate::Buffer::stride`]).
    pub stride: u32,
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
    /// Values that need not be those of `regions` but have to be in an interval, by ascending region and offset; none overlaps another.
    pub bounded: Vec<Bounded>,
    /// What undefined bits are that were computed of such values, by ascending region and offset.
    pub derived: Vec<Derived>,
}

impl MaskedState {
    /// Has these logs judged by what they say, and by nothing else: not by the bytes that the schedule here left, nor by the attempts
    /// that were made under it.
    pub fn judge_logs(&mut self, logs: &[Log]) {
        for log in logs {
            if let Some(masked) = self.regions.get_mut(log.region) {
                masked.defined.fill(0xFF);
                masked.unordered.fill(0xFF);
            }
        }
        let is_logged = |region: usize| logs.iter().any(|log| log.region == region);
        self.serial.retain(|location| {
            let mut seen = location.operations.iter().filter_map(|operation| operation.returned);
            !seen.any(|place| is_logged(place.region))
        });
        self.logs = logs.to_vec();
    }

    /// Whether a byte is part of a log, or of the value that one is held to.
    pub fn is_logged(&self, region: usize, offset: usize) -> bool {
        self.logs.iter().any(|log| {
            let last = log.last.filter(|last| last.region == region);
            let after = last
                .is_some_and(|last| (last.offset..last.offset + usize::from(log.width)).contains(&offset));
            log.region == region || after
        })
    }
}

/// What one assignment of the choices permits.
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
        /// What is the matter there, a predicate of `place`: "depends on undefined bits: …", "names no surface (0x0)".
        origin: String,
    },
}

/// One alternative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The choices it was computed under.
    pub assignment: Assignment,
    /// What it permits.
    pub permitted: Permitted,
    /// Faults that may be reported instead ([`crate::FaultKind::May`]).
    pub may: Vec<Fault>,
}

/// Everything the specification permits a launch to do: the union of its outcomes. See [`Allowed::admits`].
#[derive(Clone, Debug, PartialEq)]
pub struct Allowed {
    /// The alternatives, distinct, at least one; the first is the one of the default assignment.
    pub outcomes: Vec<Outcome>,
    /// Where a case says that values need not be exact; see [`Allowed::tolerate`].
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
    /// A misaligned access did neither of what is permitted.
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

/// A difference between what is allowed and what was observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Its class, as far as memory and status tell it: a wrong value in plain data is [`MismatchClass::Value`], which
    /// whoever knows the instruction may refine.
    pub class: MismatchClass,
    /// Kind of region concerned, and its name, if it is one of memory.
    pub region: Option<(RegionKind, String)>,
    /// Byte offset in the region of the first differing byte.
    pub offset: usize,
    /// Row of a table case: offset / stride.
    pub row: Option<usize>,
    /// What was allowed there, of the closest outcome; bits outside `defined` mean nothing.
    pub expected: Vec<u8>,
    /// Mask of the compared bits of `expected`.
    pub defined: Vec<u8>,
    /// What was observed there.
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
        /// The assignments whose outcome it matches as a whole.
        matches: Vec<Assignment>,
    },
    /// The observation is not allowed.
    Violates {
        /// The differences from the closest outcome, first ones first, at most [`Allowed::MISMATCH_LIMIT`].
        mismatches: Vec<Mismatch>,
    },
    /// The specification does not decide.
    Indeterminate {
        /// Why.
        why: String,
    },
    /// There is nothing to judge: unsupported or not run.
    NotJudged {
        /// Why.
        why: String,
    },
}
