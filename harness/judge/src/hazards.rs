//! Hazards: results that scheduled programs of SPA 5.0 use without a wait.

use warpdiff_emulator::Checked;
use warpdiff_emulator::{Hazard, Options};
use warpdiff_model::Semantics;

use crate::reference::Unit;

/// The hazards of a launch under the specification; none for programs without a schedule.
pub fn of(unit: &Unit<'_>) -> Vec<Hazard> {
    let Checked::Spa(program) = &unit.compiled.checked else { return Vec::new() };
    if program.is_unscheduled() {
        return Vec::new();
    }
    let (program, launch) = (&unit.compiled.program, &unit.planned.launch);
    let run = warpdiff_emulator::run(program, launch, &Semantics::default(), &Options::default());
    run.map_or_else(|_| Vec::new(), |run| run.hazards)
}
