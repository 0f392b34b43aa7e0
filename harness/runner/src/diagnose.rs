//! Explains a mismatch: which known deviation, applied to the reference, does exactly what was observed?

use warpdiff_model::{Admission, Deviation, Observation, Semantics};

use crate::aftermath;
use crate::concern::may_show;
use crate::reference::Unit;

/// Every deviation under which the observation would be right, bit for bit, in the catalogue's order.
///
/// The deviation is applied to the whole reference, choices and masks included, and the observation is judged against
/// the result: so an undefined bit does not hide an explanation, and a partial one does not count.
pub fn reproducing(unit: &Unit<'_>, observation: &Observation) -> Vec<Deviation> {
    if !matches!(
        observation,
        Observation::Completed { .. } | Observation::Faulted { .. } | Observation::TimedOut { .. }
    ) {
        return Vec::new();
    }
    let all = Deviation::ALL.iter().map(|(deviation, ..)| *deviation);
    // What is about none of its instructions changes nothing of what is allowed, and the observation is not.
    let concerned = all.filter(|deviation| may_show(*deviation, &unit.compiled.checked));
    concerned
        .filter(|deviation| reproduces(unit, observation, Semantics::default().with(*deviation)))
        .collect()
}

/// Explains the mismatches of one variant, launch by launch.
///
/// Its launches differ in their inputs only, so what explained one mostly explains the next: as long as some deviation explains all
/// so far, only such deviations are tried. The first launch for which none of them will do is tried with the whole catalogue, and so
/// is every launch after it.
#[derive(Default)]
pub struct Diagnosis {
    /// What explains every launch so far; `None` before the first.
    common: Option<Vec<Deviation>>,
}

impl Diagnosis {
    /// Deviations under which the observation would be right, as [`reproducing`] finds them: those that explain every launch so far,
    /// or else all.
    pub fn explain(&mut self, unit: &Unit<'_>, observation: &Observation) -> Vec<Deviation> {
        if let Some(common) = &mut self.common {
            common.retain(|deviation| reproduces(unit, observation, Semantics::default().with(*deviation)));
            if !common.is_empty() {
                return common.clone();
            }
        }
        let all = reproducing(unit, observation);
        self.common.get_or_insert_with(|| all.clone());
        all
    }
}

/// Whether the observation is allowed under these semantics.
pub fn reproduces(unit: &Unit<'_>, observation: &Observation, semantics: Semantics) -> bool {
    let launch = &unit.planned.launch;
    let Ok(mut allowed) = warpdiff_emulator::allowed(&unit.compiled.program, launch, &semantics) else {
        return false;
    };
    allowed.tolerate(&unit.planned.tolerances);
    if !matches!(allowed.admits(observation), Admission::Conforms { .. }) {
        return false;
    }
    let Observation::Faulted { state: Some(state), .. } = observation else { return true };
    let after = aftermath::of(&unit.compiled.program, &unit.planned, &semantics);
    after.is_none_or(|memory| aftermath::is_like(&unit.planned, &memory, state))
}
