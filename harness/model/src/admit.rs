//! Whether an observation is permitted: the comparison of all regions and faults with every allowed outcome.

use std::collections::HashSet;

use crate::allowed::{Admission, Allowed, MaskedState, Mismatch, MismatchClass, Outcome, Permitted};
use crate::calls::{Calls, named};
use crate::compare::{Comparison, wordy};
use crate::{Assignment, FaultClass, FaultKind, Observation, State};

impl Allowed {
    /// Mismatches that a verdict lists at most.
    pub const MISMATCH_LIMIT: usize = 16;

    /// Judges an observation against the union of the outcomes.
    ///
    /// * An observation of `NotRun` or `Unsupported` is not judged.
    /// * A crash and a rejection are never allowed: a launch is legal PTX, and no specification lets a process die.
    /// * If any outcome is indeterminate, so is the verdict, whatever was observed: the specification does not define the
    ///   case, which is a defect of the case and never a pass.
    /// * A fault is allowed if some outcome must or may fault with a class that it satisfies
    ///   ([`FaultClass::is_satisfied_by`]). The state after a fault is not compared.
    /// * A completed launch is allowed if some outcome completes with that state: every defined, ordered bit equal,
    ///   values within their tolerance, atomics serialised. If none does as a whole, but each row of each region (a
    ///   region that is not divided counts as one row) is that of some outcome, the target decided a choice
    ///   differently in two places: it conforms and is inconsistent.
    /// * If the check of atomics is undecided, and no other outcome conforms, the verdict is indeterminate.
    /// * A timeout is allowed if some outcome is a timeout. If every outcome is, an observation that came back is
    ///   indeterminate: the reference ran out of steps and cannot predict a longer run.
    pub fn admits(&self, observation: &Observation) -> Admission {
        self.admits_listing(observation, Self::MISMATCH_LIMIT)
    }

    /// As [`Allowed::admits`], with at most `limit` mismatches of a state: none at all where the verdict alone is asked for, since listing
    /// them takes longer than the verdict.
    pub fn admits_listing(&self, observation: &Observation, limit: usize) -> Admission {
        match observation {
            Observation::Unsupported { what } => {
                return Admission::NotJudged { why: format!("unsupported: {what}") };
            }
            Observation::NotRun { why } => return Admission::NotJudged { why: why.clone() },
            Observation::Crashed { signal } => {
                return violation(MismatchClass::Crash, format!("the process died of signal {signal}"));
            }
            Observation::Rejected { stage, message, .. } => {
                return violation(MismatchClass::Legality, format!("rejected at {stage}: {message}"));
            }
            Observation::Completed { .. } | Observation::Faulted { .. } | Observation::TimedOut { .. } => {}
        }
        if let Some(why) = self.indeterminate() {
            return Admission::Indeterminate { why };
        }
        match observation {
            Observation::Completed { state } => self.admits_completed(state, limit),
            Observation::Faulted { class, code, calls, .. } => {
                self.admits_fault(*class, &shown(*code, calls))
            }
            _ => self.admits_timeout(),
        }
    }

    /// Why nothing can be judged, if so.
    fn indeterminate(&self) -> Option<String> {
        if self.outcomes.is_empty() {
            return Some("no outcome is known to be allowed".into());
        }
        self.outcomes.iter().find_map(|outcome| match &outcome.permitted {
            Permitted::Indeterminate { place, origin } => Some(format!("{place}, {origin}")),
            Permitted::Completed { state } => malformed(state),
            Permitted::Faulted { faults } if faults.is_empty() => {
                Some("a fault is demanded, but not which".into())
            }
            Permitted::Faulted { .. } | Permitted::TimedOut => None,
        })
    }

    /// That nothing is known beyond the step budget.
    fn exhausted(&self) -> Option<Admission> {
        let all = self.outcomes.iter().all(|outcome| outcome.permitted == Permitted::TimedOut);
        all.then(|| Admission::Indeterminate {
            why: "the reference ran out of steps, the target came back".into(),
        })
    }

    /// `code`: the target's own code, as [`shown`].
    fn admits_fault(&self, observed: FaultClass, code: &str) -> Admission {
        let matches = self.assignments(|outcome| {
            let must = match &outcome.permitted {
                Permitted::Faulted { faults } => faults.as_slice(),
                _ => &[],
            };
            must.iter().chain(&outcome.may).any(|fault| fault.class.is_satisfied_by(observed))
        });
        if !matches.is_empty() {
            return Admission::Conforms { inconsistent: false, matches };
        }
        if let Some(indeterminate) = self.exhausted() {
            return indeterminate;
        }
        let detail = match &self.outcomes[0].permitted {
            Permitted::Faulted { faults } => {
                let class = faults[0].class;
                format!("must fault with {class} ({}), but faulted: {observed}{code}", faults[0].detail)
            }
            Permitted::TimedOut => format!("must not come back, but faulted: {observed}{code}"),
            _ => format!("must complete, but faulted: {observed}{code}"),
        };
        let class = if observed == FaultClass::Misaligned {
            MismatchClass::Alignment
        } else {
            MismatchClass::OutOfBounds
        };
        violation(class, detail)
    }

    fn admits_timeout(&self) -> Admission {
        let matches = self.assignments(|outcome| outcome.permitted == Permitted::TimedOut);
        if matches.is_empty() {
            return violation(MismatchClass::Hang, "it did not come back in time".into());
        }
        Admission::Conforms { inconsistent: false, matches }
    }

    fn assignments(&self, admits: impl Fn(&Outcome) -> bool) -> Vec<Assignment> {
        self.outcomes.iter().filter(|outcome| admits(outcome)).map(|outcome| outcome.assignment).collect()
    }

    fn admits_completed(&self, observed: &State, limit: usize) -> Admission {
        let mut judged: Vec<Judged<'_>> = Vec::with_capacity(self.outcomes.len());
        for outcome in &self.outcomes {
            if let Permitted::Completed { state } = &outcome.permitted {
                let comparison = Comparison::new(state, observed, &self.tolerances);
                judged.push(Judged { assignment: outcome.assignment, state, comparison });
            }
        }
        let Some(closest) = judged.iter().min_by_key(|j| j.comparison.distance()) else {
            return self.exhausted().unwrap_or_else(|| violation_of(self.demanded()));
        };
        let whole = judged.iter().filter(|j| j.conforms());
        let matches: Vec<Assignment> = whole.map(|j| j.assignment).collect();
        if !matches.is_empty() {
            return Admission::Conforms { inconsistent: false, matches };
        }
        // What speaks for a pass, were its atomics decided, is neither a pass nor a violation.
        let undecided = judged.iter().find(|j| j.comparison.bytes_agree() && j.comparison.serial.is_empty());
        if let Some(why) = undecided.and_then(|j| j.comparison.undecided.clone()) {
            return Admission::Indeterminate { why };
        }
        if is_mixture(&judged) {
            let serial = judged.iter().filter(|j| j.comparison.serial.is_empty());
            return match serial.clone().find(|j| j.comparison.undecided.is_none()).or(serial.clone().next()) {
                Some(Judged { comparison: Comparison { undecided: Some(why), .. }, .. }) => {
                    Admission::Indeterminate { why: why.clone() }
                }
                Some(_) => Admission::Conforms { inconsistent: true, matches },
                None => violation_of(closest.mismatches(observed, limit)),
            };
        }
        violation_of(closest.mismatches(observed, limit))
    }

    /// That something else than completing was demanded.
    fn demanded(&self) -> Vec<Mismatch> {
        let demanded = self.outcomes.iter().map(|outcome| match &outcome.permitted {
            Permitted::Faulted { faults } => {
                let fault = faults.iter().find(|f| f.kind == FaultKind::Must).unwrap_or(&faults[0]);
                let class = match fault.class {
                    FaultClass::Misaligned => MismatchClass::Alignment,
                    _ => MismatchClass::OutOfBounds,
                };
                wordy(class, format!("must fault with {}, but completed: {}", fault.class, fault.detail))
            }
            _ => wordy(MismatchClass::Value, "must not come back, but completed".into()),
        });
        demanded.take(1).collect()
    }
}

/// A target's own code beside the class it maps to: with its name where it came from the calls of a driver API; nothing where
/// there is none.
fn shown(code: u32, calls: &Calls) -> String {
    match (code, calls.is_empty()) {
        (0, _) => String::new(),
        (code, true) => format!(" (code {code})"),
        (code, false) => format!(" ({})", named(code)),
    }
}

/// An outcome that completes, compared with an observation.
struct Judged<'a> {
    assignment: Assignment,
    state: &'a MaskedState,
    comparison: Comparison,
}

impl Judged<'_> {
    fn conforms(&self) -> bool {
        self.comparison.bytes_agree()
            && self.comparison.serial.is_empty()
            && self.comparison.undecided.is_none()
    }

    fn mismatches(&self, observed: &State, limit: usize) -> Vec<Mismatch> {
        self.comparison.mismatches(self.state, observed, limit)
    }
}

fn violation(class: MismatchClass, detail: String) -> Admission {
    violation_of(vec![wordy(class, detail)])
}

fn violation_of(mismatches: Vec<Mismatch>) -> Admission {
    Admission::Violates { mismatches }
}

/// What is wrong with the masks of a permitted state, if anything: judging by them would let differences pass.
fn malformed(state: &MaskedState) -> Option<String> {
    let wrong = state.regions.iter().find(|masked| {
        let len = masked.region.bytes.len();
        masked.defined.len() != len || masked.unordered.len() != len
    })?;
    Some(format!("the masks of region `{}` are not of its size", wrong.region.name))
}

/// Whether each row of each region is that of some outcome, although no outcome is that of all.
fn is_mixture(judged: &[Judged<'_>]) -> bool {
    let Some((first, others)) = judged.split_first() else { return false };
    if others.is_empty()
        || judged.iter().any(|j| !j.comparison.malformed.is_empty() || !same_shape(j.state, first.state))
    {
        return false;
    }
    (0..first.state.regions.len()).all(|region| {
        // A row fails when it differs in every outcome: those of the first that every other has too.
        let mut failing = rows(first, region);
        others.iter().for_each(|other| {
            let rows = rows(other, region);
            failing.retain(|row| rows.contains(row));
        });
        failing.is_empty()
    })
}

/// The rows in which a region differs.
fn rows(judged: &Judged<'_>, region: usize) -> HashSet<usize> {
    let stride = judged.state.regions[region].stride as usize;
    judged.comparison.runs[region].iter().map(|run| run.start.checked_div(stride).unwrap_or(0)).collect()
}

/// Whether two outcomes of a launch divide the same memory in the same way.
fn same_shape(a: &MaskedState, b: &MaskedState) -> bool {
    a.regions.len() == b.regions.len()
        && a.regions.iter().zip(&b.regions).all(|(a, b)| {
            (a.region.kind, &a.region.name, a.stride) == (b.region.kind, &b.region.name, b.stride)
                && a.region.bytes.len() == b.region.bytes.len()
        })
}
