//! Whether the reference judges the observations that a case states as the case says: a target with these values has to be admitted, or refused.

use warpdiff_corpus::CorpusError;
use warpdiff_corpus::plan::{StatedBytes, StatedObservation};
use warpdiff_model::allowed::Admission;
use warpdiff_model::{Observation, Permitted, State};

use crate::reference::Unit;

/// The stated observations of a launch that the reference judges otherwise.
pub(crate) fn judged_otherwise(unit: &Unit<'_>) -> Vec<CorpusError> {
    let wrong = |stated: &StatedObservation| {
        let message = otherwise(unit, stated)?;
        Some(CorpusError::new(stated.location.clone(), message))
    };
    unit.planned.observations.iter().filter_map(wrong).collect()
}

/// What the reference says instead; `None` if it judges as stated.
fn otherwise(unit: &Unit<'_>, stated: &StatedObservation) -> Option<String> {
    let state = match state(unit, &stated.bytes) {
        Ok(state) => state,
        Err(why) => return Some(why),
    };
    match unit.allowed.admits_listing(&Observation::Completed { state }, 1) {
        Admission::Conforms { .. } if stated.is_admitted => None,
        Admission::Violates { .. } if !stated.is_admitted => None,
        Admission::Conforms { .. } => Some("the reference admits this observation".into()),
        Admission::Violates { mismatches } => {
            let why = mismatches.first().map(|mismatch| format!(": {}", mismatch.detail)).unwrap_or_default();
            Some(format!("the reference refuses this observation{why}"))
        }
        Admission::Indeterminate { why } | Admission::NotJudged { why } => {
            Some(format!("the reference cannot judge this observation: {why}"))
        }
    }
}

/// What a target leaves behind that has these bytes, and else those of the reference. Where the reference completes under no choice it is nothing:
/// a target that completes is refused, whatever it has.
fn state(unit: &Unit<'_>, bytes: &[StatedBytes]) -> Result<State, String> {
    let completed = unit.allowed.outcomes.iter().find_map(|outcome| match &outcome.permitted {
        Permitted::Completed { state } => Some(state),
        _ => None,
    });
    let Some(own) = completed else { return Ok(State::default()) };
    let mut state = State { regions: own.regions.iter().map(|masked| masked.region.clone()).collect() };
    bytes.iter().try_for_each(|stated| write(&mut state, stated))?;
    Ok(state)
}

fn write(state: &mut State, stated: &StatedBytes) -> Result<(), String> {
    let StatedBytes { region, name, offset, bytes, mask } = stated;
    let there = state.regions.iter_mut().find(|known| known.kind == *region && known.name == *name);
    let there = there.and_then(|known| known.bytes.get_mut(*offset..*offset + bytes.len()));
    let there = there.ok_or_else(|| format!("the reference does not show `{name}`"))?;
    for ((there, stated), mask) in there.iter_mut().zip(bytes).zip(mask) {
        *there = *there & !mask | stated & mask;
    }
    Ok(())
}
