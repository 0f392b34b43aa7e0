//! Decides whether a PTX translation behaves like its SPA 5.0 program in a launch, by running the program on the reference.

use std::fmt;

use warpdiff_emulator::{Options, Program};
use warpdiff_model::{Deviation, FaultClass, Launch, Outcome, Permitted, Semantics};

use super::equivalent::Unlike;
use super::program::Translation;

/// Why a translation is not exact in a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inexact {
    /// The reason, in the same words for every launch it applies to.
    pub why: String,
    /// Details for this launch, if there are any.
    pub detail: Option<String>,
}

impl fmt::Display for Inexact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)?;
        self.detail.as_ref().map_or(Ok(()), |detail| write!(f, ": {detail}"))
    }
}

/// Why the translation is not exact in this launch; `None` if it is. `program` is the SPA 5.0 program.
///
/// * SPA 5.0 defines out-of-bounds and misaligned accesses, PTX does not. So the reference must not permit a fault.
/// * PTX does not have the choices of SPA 5.0, so no choice may affect the result.
/// * PTX has no scoreboards, so no register may be used before it is waited for.
/// * In PTX every thread attempts a compare-and-swap, so the selection by `.SPIN` must not affect the result.
pub fn inexact(translation: &Translation, program: &Program, launch: &Launch) -> Option<Inexact> {
    let run = |semantics: &Semantics| warpdiff_emulator::allowed(program, launch, semantics).ok();
    let because = |why: String| Some(Inexact { why, detail: None });
    // A launch that cannot begin is refused by every target.
    let allowed = run(&Semantics::default())?;
    if let Some((class, detail)) = allowed.outcomes.iter().find_map(fault) {
        let why = format!("SPA 5.0 defines the effect of this access ({class}), PTX does not");
        return Some(Inexact { why, detail: Some(detail) });
    }
    if allowed.outcomes.len() > 1 {
        let of_caches = [Unlike::LastUse, Unlike::Inconsistent];
        let unlike = of_caches.iter().find(|unlike| translation.unlike.contains(unlike));
        return because(unlike.map_or_else(
            || "the result depends on a choice of SPA 5.0 that PTX does not have".into(),
            ToString::to_string,
        ));
    }
    if translation.unlike.contains(&Unlike::Spin) {
        let ignored = run(&Semantics::default().with(Deviation::SpaSpinIgnored))?;
        if ignored != allowed {
            return because(Unlike::Spin.to_string());
        }
    }
    let run = warpdiff_emulator::run(program, launch, &Semantics::default(), &Options::default()).ok()?;
    let hazard = run.hazards.first()?;
    let why = "the program uses a register that it has not waited for; PTX has no scoreboards".into();
    Some(Inexact { why, detail: Some(hazard.to_string()) })
}

/// The fault class of an outcome that is or may be a fault, and its details.
fn fault(outcome: &Outcome) -> Option<(FaultClass, String)> {
    let must = match &outcome.permitted {
        Permitted::Faulted { faults } => faults.first(),
        _ => None,
    };
    let fault = must.or(outcome.may.first())?;
    let line = fault.line.map(|line| format!("line {line}: ")).unwrap_or_default();
    Some((fault.class, format!("{line}{}", fault.detail)))
}
