//! Whether the PTX that stands for a program of SPA 5.0 means the same in a launch: the reference says what the program does there.

use std::fmt;

use warpdiff_emulator::{Options, Program};
use warpdiff_model::{Deviation, FaultClass, Launch, Outcome, Permitted, Semantics};

use super::equivalent::Unlike;
use super::program::Translation;

/// Why PTX does not mean the same in a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inexact {
    /// The reason, the same for all launches that it holds for.
    pub why: String,
    /// What it is about in this one, where there is more to say.
    pub detail: Option<String>,
}

impl fmt::Display for Inexact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)?;
        self.detail.as_ref().map_or(Ok(()), |detail| write!(f, ": {detail}"))
    }
}

/// Why the PTX does not mean the same in this launch; `None` where it does. `program` is the one of SPA 5.0.
///
/// * SPA 5.0 says what an access does that is out of bounds or not aligned. PTX leaves the first open, and both where it faults. So the
///   reference must not permit a fault.
/// * The choices of SPA 5.0 are about what PTX does not have: none may make a difference.
/// * PTX has no scoreboards: nothing may be used before it is waited for.
/// * Every thread attempts a compare-and-swap of PTX: that `.SPIN` selects one must make no difference.
pub fn inexact(translation: &Translation, program: &Program, launch: &Launch) -> Option<Inexact> {
    let run = |semantics: &Semantics| warpdiff_emulator::allowed(program, launch, semantics).ok();
    let because = |why: String| Some(Inexact { why, detail: None });
    // A launch that cannot begin is refused by whoever is asked.
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

/// The class of an outcome that is, or may be, a fault, and what is at fault.
fn fault(outcome: &Outcome) -> Option<(FaultClass, String)> {
    let must = match &outcome.permitted {
        Permitted::Faulted { faults } => faults.first(),
        _ => None,
    };
    let fault = must.or(outcome.may.first())?;
    let line = fault.line.map(|line| format!("line {line}: ")).unwrap_or_default();
    Some((fault.class, format!("{line}{}", fault.detail)))
}
