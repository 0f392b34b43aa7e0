//! What scheduled programs of SPA 5.0 do not wait for.

use warpdiff_emulator::Checked;
use warpdiff_emulator::{Hazard, Options};
use warpdiff_model::Semantics;

use crate::reference::Unit;

/// What the program of a launch does not wait for, under the specification; nothing of programs that state no schedule.
pub fn of(unit: &Unit<'_>) -> Vec<Hazard> {
    let Checked::Spa(program) = &unit.compiled.checked else { return Vec::new() };
    if program.is_unscheduled() {
        return Vec::new();
    }
    let (program, launch) = (&unit.compiled.program, &unit.planned.launch);
    let run = warpdiff_emulator::run(program, launch, &Semantics::default(), &Options::default());
    run.map_or_else(|_| Vec::new(), |run| run.hazards)
}
