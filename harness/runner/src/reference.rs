//! What the specification allows: the reference emulator asked about planned launches.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use warpdiff_emulator::{Options, Program, Schedule};
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Allowed, FaultClass, Outcome, Permitted, Semantics};
use warpdiff_ptx::checked::Module;
use warpdiff_ptx::source::Diagnostic;
use warpdiff_ptx::{Dialect, Rules};

use crate::aftermath;
use crate::plan::{Expected, PlannedLaunch};
use crate::target::Question;

/// A program, checked and decoded.
pub struct Compiled {
    /// Its text.
    pub text: Arc<str>,
    /// What was checked.
    pub checked: Checked,
    /// The same decoded for the emulator.
    pub program: Program,
}

/// A checked program.
pub enum Checked {
    /// A PTX module.
    Ptx(Module),
    /// A program of SPA 5.0.
    Spa(warpdiff_sass::Program),
}

/// Why the reference has no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReferenceError {
    /// The program is wrong. Programs of a corpus are checked when it is loaded, so this is rare.
    #[error("the program is rejected")]
    Rejected(Vec<Diagnostic>),
    /// The program is legal, but the emulator does not run it.
    #[error("{0}")]
    Unsupported(String),
    /// The launch does not fit the program.
    #[error("{0}")]
    Launch(String),
}

/// Checks and decodes a program as ptxas 12.9 would read it: what programs that are to be run are held to.
///
/// # Errors
/// [`ReferenceError::Rejected`] and [`ReferenceError::Unsupported`].
pub fn compile(text: &Arc<str>) -> Result<Compiled, ReferenceError> {
    if warpdiff_sass::is_spa(text) {
        return compile_spa(text);
    }
    let module = warpdiff_ptx::compile(text, &RULES).map_err(refused)?;
    let program = Program::new(&module, text).map_err(|e| ReferenceError::Unsupported(e.to_string()))?;
    Ok(Compiled { text: Arc::clone(text), checked: Checked::Ptx(module), program })
}

/// The rules that a program to be run is held to: those of ptxas 12.9. It takes `.unified` in relocatable objects alone, so that a
/// program with such variables is one that a linker has still to finish.
pub(crate) const RULES: Rules = Rules {
    dialect: Dialect::Ptxas(12, 9),
    max_version: None,
    max_target: None,
    relocatable: false,
    linked: true,
};

/// Checks a program of SPA 5.0.
fn compile_spa(text: &Arc<str>) -> Result<Compiled, ReferenceError> {
    let checked = warpdiff_sass::compile(text, &warpdiff_sass::Header::default()).map_err(refused)?;
    let program = Program::spa(&checked, text).map_err(|e| ReferenceError::Unsupported(e.to_string()))?;
    Ok(Compiled { text: Arc::clone(text), checked: Checked::Spa(checked), program })
}

/// A refusal for nothing but unsupported forms is no rejection.
fn refused(diagnostics: Vec<Diagnostic>) -> ReferenceError {
    match diagnostics.iter().all(|d| d.unsupported) {
        true => {
            let words: Vec<_> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            ReferenceError::Unsupported(words.join("; "))
        }
        false => ReferenceError::Rejected(diagnostics),
    }
}

/// The programs of a variant, each compiled once.
#[derive(Default)]
pub struct Programs(HashMap<Arc<str>, Result<Arc<Compiled>, ReferenceError>>);

impl Programs {
    /// The program of that text.
    ///
    /// # Errors
    /// As [`compile`].
    pub fn get(&mut self, text: &Arc<str>) -> Result<Arc<Compiled>, ReferenceError> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let compiled = compile(text).map(Arc::new);
        self.0.insert(Arc::clone(text), compiled.clone());
        compiled
    }
}

/// A planned launch, taken from the plan or split off it.
pub enum Held<'a> {
    /// As planned.
    Planned(&'a PlannedLaunch),
    /// One row of a planned launch.
    Split(Box<PlannedLaunch>),
}

impl Deref for Held<'_> {
    type Target = PlannedLaunch;

    fn deref(&self) -> &PlannedLaunch {
        match self {
            Self::Planned(planned) => planned,
            Self::Split(split) => split,
        }
    }
}

/// A launch that is judged by itself, with what is allowed.
pub struct Unit<'a> {
    /// The launch.
    pub planned: Held<'a>,
    /// Its program.
    pub compiled: Arc<Compiled>,
    /// What the specification permits, tolerances included.
    pub allowed: Allowed,
    /// The outcomes under further orders of warps and atomics, where expectations ask for them.
    pub orders: Vec<Outcome>,
    /// What memory holds after the fault that the case demands, if it states that, too.
    pub aftermath: Option<MaskedState>,
}

impl Unit<'_> {
    /// Whether the specification lets it end otherwise than by completing.
    pub fn may_stop(&self) -> bool {
        may_stop(&self.allowed)
    }

    /// The question that it is to a target, for a variant of that id.
    pub fn question<'u>(&'u self, variant: &'u str) -> Question<'u> {
        let program = &self.compiled.program;
        Question { variant, planned: &self.planned, program, may_fault: self.may_stop() }
    }

    /// The same, where something went wrong before in its company.
    pub fn suspicion<'u>(&'u self, variant: &'u str) -> Question<'u> {
        Question { may_fault: true, ..self.question(variant) }
    }

    /// One unit per row.
    ///
    /// # Errors
    /// As [`units`].
    pub fn split(&self) -> Result<Vec<Unit<'static>>, ReferenceError> {
        let known = HashMap::from([(Arc::clone(&self.compiled.text), Ok(Arc::clone(&self.compiled)))]);
        split(&self.planned, &mut Programs(known))
    }
}

/// What the specification allows a planned launch to do: one unit, or one per row if rows that share the launch could
/// fault, because a fault of one would take the others with it.
///
/// # Errors
/// If the program or the launch is beyond the reference.
pub fn units<'a>(
    planned: &'a PlannedLaunch,
    programs: &mut Programs,
) -> Result<Vec<Unit<'a>>, ReferenceError> {
    let whole = unit(Held::Planned(planned), programs)?;
    if planned.splittable && planned.rows.len() > 1 && whole.may_stop() {
        return split(planned, programs);
    }
    Ok(vec![whole])
}

/// One unit per row.
fn split(planned: &PlannedLaunch, programs: &mut Programs) -> Result<Vec<Unit<'static>>, ReferenceError> {
    planned.split().into_iter().map(|row| unit(Held::Split(Box::new(row)), programs)).collect()
}

fn unit<'a>(planned: Held<'a>, programs: &mut Programs) -> Result<Unit<'a>, ReferenceError> {
    let compiled = programs.get(&planned.launch.program)?;
    let mut allowed = warpdiff_emulator::allowed(&compiled.program, &planned.launch, &Semantics::default())
        .map_err(|e| ReferenceError::Launch(e.to_string()))?;
    allowed.tolerate(&planned.tolerances);
    allowed.judge_logs(&planned.logs);
    let orders =
        if wants_orders(&planned, &allowed) { orders(&compiled.program, &planned)? } else { Vec::new() };
    let aftermath = aftermath::of(&compiled.program, &planned, &Semantics::default());
    Ok(Unit { planned, compiled, allowed, orders, aftermath })
}

/// Whether the specification lets a launch end otherwise than by completing.
pub fn may_stop(allowed: &Allowed) -> bool {
    allowed.outcomes.iter().any(must_be_split)
}

/// Whether an outcome of a shared launch says nothing of the rows that are innocent.
fn must_be_split(outcome: &Outcome) -> bool {
    !outcome.may.is_empty() || !matches!(outcome.permitted, Permitted::Completed { .. })
}

/// Whether expectations must be shown to hold under other orders: the case says so, or one of them concerns a value that
/// depends on the order.
fn wants_orders(planned: &PlannedLaunch, allowed: &Allowed) -> bool {
    planned.every_order
        || planned.expectations.iter().any(|e| allowed.outcomes.iter().any(|o| unordered(&e.what, o)))
}

/// Whether the expectation concerns bits that depend on the order of atomics.
fn unordered(expected: &Expected, outcome: &Outcome) -> bool {
    let Expected::Bytes { region, name, offset, mask, .. } = expected else { return false };
    let Permitted::Completed { state } = &outcome.permitted else { return false };
    let Some(found) = state.regions.iter().find(|r| r.region.kind == *region && r.region.name == *name)
    else {
        return false;
    };
    let bits = found.unordered.get(*offset..offset + mask.len());
    bits.is_some_and(|bits| bits.iter().zip(mask).any(|(u, m)| u & m != 0))
}

/// Orders besides the usual one under which expectations are shown to hold.
const FURTHER_ORDERS: [Schedule; 4] =
    [Schedule::Reversed, Schedule::Rotated(1), Schedule::Rotated(7), Schedule::Rotated(16)];

fn orders(program: &Program, planned: &PlannedLaunch) -> Result<Vec<Outcome>, ReferenceError> {
    let run = |schedule| {
        let options = Options { tracked: true, schedule };
        warpdiff_emulator::run(program, &planned.launch, &Semantics::default(), &options)
            .map(|run| run.outcome)
            .map_err(|e| ReferenceError::Launch(e.to_string()))
    };
    FURTHER_ORDERS.into_iter().map(run).collect()
}

/// The classes of the faults that an outcome demands.
pub fn must_classes(outcome: &Outcome) -> Vec<FaultClass> {
    let Permitted::Faulted { faults } = &outcome.permitted else { return Vec::new() };
    faults.iter().filter(|f| f.kind == warpdiff_model::FaultKind::Must).map(|f| f.class).collect()
}
