//! Whether every outcome has the stated value of an output, as it stands: almost all of a table do, and then nothing more is looked at.

use warpdiff_corpus::expectation_list::StatedOutput;
use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_model::allowed::MaskedRegion;
use warpdiff_model::{Outcome, Permitted, RegionKind};

use crate::reference::Unit;

/// The buffer of outputs in every outcome that must have the stated values, where each of its bits has one value or none: a table states
/// hundreds of thousands of outputs, and almost all are found there as they stand.
pub(crate) struct OutputsOfOutcomes<'a>(Vec<&'a MaskedRegion>);

impl<'a> OutputsOfOutcomes<'a> {
    /// Empty where an output has to be looked at in another way.
    pub(crate) fn of(unit: &Unit<'_>, outcomes: impl Iterator<Item = &'a Outcome>) -> Self {
        if unit.memory_after_fault.is_some() {
            return Self(Vec::new());
        }
        let outputs = |outcome: &'a Outcome| {
            let Permitted::Completed { state } = &outcome.permitted else { return None };
            let is_it = |region: &&MaskedRegion| {
                region.region.kind == RegionKind::Buffer && region.region.name == PlannedLaunch::OUTPUTS
            };
            state.regions.iter().find(is_it).filter(|region| region.values.is_empty())
        };
        Self(outcomes.map(outputs).collect::<Option<Vec<_>>>().unwrap_or_default())
    }

    /// Whether every outcome has the stated value of an output, all its stated bits defined.
    pub(crate) fn have(&self, stated: &StatedOutput<'_>) -> bool {
        let Some((value, mask)) = stated.value() else { return false };
        let range = stated.offset()..stated.offset() + value.len();
        let has = |region: &&MaskedRegion| {
            let found = region.region.bytes.get(range.clone()).zip(region.defined.get(range.clone()));
            found.is_some_and(|(bytes, defined)| {
                let bits = value.iter().zip(mask).zip(bytes.iter().zip(defined));
                bits.fold(0, |wrong, ((value, mask), (byte, defined))| {
                    wrong | ((value ^ byte) | !defined) & mask
                }) == 0
            })
        };
        !self.0.is_empty() && self.0.iter().all(has)
    }
}
