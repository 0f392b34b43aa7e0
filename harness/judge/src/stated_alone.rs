//! Judges a launch that the reference cannot run by what its case states, and by nothing else.
//!
//! What the case leaves open stays open: a bit that it does not state, an undefined one, a guard band. Nothing says that the program is legal
//! either, so a target that rejects it is neither right nor wrong.

use std::sync::Arc;

use warpdiff_corpus::byte_strings::EcoBytes;
use warpdiff_corpus::plan::{Expected, PlannedLaunch};
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{
    Admission, Allowed, FaultClass, Mismatch, MismatchClass, Observation, RegionKind, State,
};

use crate::judgement::{is_between, is_nan};
use crate::memory_after_fault;
use crate::stated_bytes;

/// What the verdict says where a case states nothing that could be compared.
pub const NOTHING: &str =
    "nothing judged it: the reference cannot run the program, and the case states nothing of this launch";

/// Whether the case states that the launch may or must end in another way than completing.
pub fn may_stop(planned: &PlannedLaunch) -> bool {
    let stops =
        |what: &Expected| matches!(what, Expected::Fault(_) | Expected::MayFault(_) | Expected::TimedOut);
    planned.expectations.others().any(|expectation| stops(&expectation.what))
}

/// Whether what a target did is what the case states. Indeterminate if the case states nothing that it could contradict.
pub fn admission(planned: &PlannedLaunch, observation: &Observation) -> Admission {
    let stated = Ending::of(planned);
    match observation {
        Observation::Completed { state } => match stated.demanded() {
            Some(demanded) => violation(MismatchClass::Value, format!("{demanded}, but completed")),
            None => completed(planned, state),
        },
        Observation::Faulted { class, state, .. } => {
            let permitted = stated.must.iter().chain(&stated.may);
            if permitted.into_iter().any(|stated| stated.is_satisfied_by(*class)) {
                let shown = state.iter().flat_map(|state| memory_after_fault::mismatches(planned, state));
                return verdict(shown.collect());
            }
            match stated.demanded() {
                Some(demanded) => {
                    violation(MismatchClass::OutOfBounds, format!("{demanded}, but faulted: {class}"))
                }
                None if states_values(planned) => {
                    violation(MismatchClass::OutOfBounds, format!("must complete, but faulted: {class}"))
                }
                None => undecided(NOTHING),
            }
        }
        Observation::TimedOut { .. } if stated.times_out => verdict(Vec::new()),
        Observation::TimedOut { .. } if stated.demanded().is_some() || states_values(planned) => {
            violation(MismatchClass::Hang, "it did not come back in time".into())
        }
        Observation::TimedOut { .. } => undecided(NOTHING),
        Observation::Rejected { stage, message, .. } => undecided(&format!(
            "rejected at {stage}, and the reference cannot say whether the program is legal: {message}"
        )),
        // Of these the model says the same whatever is allowed.
        Observation::Crashed { .. } | Observation::Unsupported { .. } | Observation::NotRun { .. } => {
            Allowed { outcomes: Vec::new(), tolerances: Vec::new() }.admits(observation)
        }
    }
}

/// The endings that a case states.
#[derive(Default)]
struct Ending {
    must: Vec<FaultClass>,
    may: Vec<FaultClass>,
    times_out: bool,
}

impl Ending {
    fn of(planned: &PlannedLaunch) -> Self {
        let mut ending = Self::default();
        for expectation in planned.expectations.others() {
            match expectation.what {
                Expected::Fault(class) => ending.must.push(class),
                Expected::MayFault(class) => ending.may.push(class),
                Expected::TimedOut => ending.times_out = true,
                Expected::Bytes { .. }
                | Expected::Undefined { .. }
                | Expected::Nan { .. }
                | Expected::Between { .. }
                | Expected::Permutation(_) => {}
            }
        }
        ending
    }

    /// The ending that it has to have, in words, if it must not complete.
    fn demanded(&self) -> Option<String> {
        match (self.must.first(), self.times_out) {
            (Some(class), _) => Some(format!("must fault with {class}")),
            (None, true) => Some("must not come back".into()),
            (None, false) => None,
        }
    }
}

/// Whether the case states values that a launch has when it completes.
fn states_values(planned: &PlannedLaunch) -> bool {
    stated_bytes::stated(planned).next().is_some()
        || numbers(planned).next().is_some()
        || !planned.permutations().is_empty()
}

/// A number of which a case states no single value.
struct StatedNumber {
    region: RegionKind,
    name: Arc<str>,
    range: std::ops::Range<usize>,
    /// The least and the greatest; `None` of a NaN.
    ends: Option<[EcoBytes; 2]>,
}

impl StatedNumber {
    fn admits(&self, shown: &[u8]) -> bool {
        self.ends
            .as_ref()
            .map_or_else(|| is_nan(shown), |[least, greatest]| is_between([least, greatest], shown))
    }

    fn words(&self) -> String {
        let what = if self.ends.is_some() { "a number of a range" } else { "a NaN" };
        format!("{what} is stated at byte {}", self.range.start)
    }
}

/// The numbers that the case states to be NaNs, or of a range.
fn numbers(planned: &PlannedLaunch) -> impl Iterator<Item = StatedNumber> {
    planned.expectations.iter().filter_map(|expectation| match &expectation.what {
        Expected::Nan { region, name, range } => {
            let (name, range) = (Arc::clone(name), range.clone());
            Some(StatedNumber { region: *region, name, range, ends: None })
        }
        Expected::Between { region, name, offset, ends } => {
            let (name, range) = (Arc::clone(name), *offset..*offset + ends[0].len());
            Some(StatedNumber { region: *region, name, range, ends: Some(ends.clone()) })
        }
        _ => None,
    })
}

fn completed(planned: &PlannedLaunch, state: &State) -> Admission {
    let mut mismatches = stated_bytes::mismatches(planned, state, "what the case states");
    let mut compared = stated_bytes::stated(planned).any(|stated| stated.is_shown(state));
    for number in numbers(planned) {
        let region = state.region(number.region, &number.name);
        let Some(shown) = region.and_then(|region| region.bytes.get(number.range.clone())) else { continue };
        compared = true;
        if !number.admits(shown) && mismatches.len() < Allowed::MISMATCH_LIMIT {
            let at = Some((number.region, number.name.to_string()));
            mismatches.push(wordy(MismatchClass::Value, at, number.words()));
        }
    }
    for one in planned.permutations() {
        let region = state.region(RegionKind::Buffer, &one.buffer);
        let Some(found) = region.and_then(|region| one.values(&region.bytes)) else { continue };
        compared = true;
        // Without a run of the reference nobody knows which thread has which element of a buffer.
        if let Some(why) = one.difference(&MaskedState::default(), &one.stated(), &found)
            && mismatches.len() < Allowed::MISMATCH_LIMIT
        {
            mismatches.push(wordy(MismatchClass::Atomicity, None, format!("{}: {why}", one.subject)));
        }
    }
    if compared { verdict(mismatches) } else { undecided(NOTHING) }
}

fn verdict(mismatches: Vec<Mismatch>) -> Admission {
    if mismatches.is_empty() {
        return Admission::Conforms { inconsistent: false, matches: Vec::new() };
    }
    Admission::Violates { mismatches }
}

fn undecided(why: &str) -> Admission {
    Admission::Indeterminate { why: why.to_owned() }
}

fn violation(class: MismatchClass, detail: String) -> Admission {
    Admission::Violates { mismatches: vec![wordy(class, None, detail)] }
}

fn wordy(class: MismatchClass, region: Option<(RegionKind, String)>, detail: String) -> Mismatch {
    let none = Vec::new;
    Mismatch {
        class,
        region,
        offset: 0,
        row: None,
        expected: none(),
        defined: none(),
        observed: none(),
        detail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_range_and_nans() {
        let stated = |ends: Option<[f32; 2]>| StatedNumber {
            region: RegionKind::Buffer,
            name: "out".into(),
            range: 0..4,
            ends: ends.map(|ends| ends.map(|end| EcoBytes::from(&end.to_le_bytes()[..]))),
        };
        let admits = |ends, shown: f32| stated(ends).admits(&shown.to_le_bytes());
        let range = Some([-0.0, 2.5]);
        for (shown, is_right) in
            [(0.0, true), (-0.0, true), (2.5, true), (2.500_000_2, false), (-1e-40, false), (f32::NAN, false)]
        {
            assert_eq!(admits(range, shown), is_right, "{shown}");
        }
        assert!(admits(None, f32::NAN) && !admits(None, 1.0), "a NaN");
    }
}
