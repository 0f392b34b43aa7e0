//! The instruction to blame for a difference, and the name of the cause.

use std::fmt;

use warpdiff_generator::reduce::leaves_image;
use warpdiff_generator::specimen::{Shape, Step};
use warpdiff_model::{Deviation, MismatchClass, Observation, RegionKind};

use super::trial::Trial;
use crate::cause::class_name;
use crate::target::Target;

/// Why programs differ: what they are grouped by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cause {
    /// The instruction, without modifiers that do not matter: `suld.b.clamp`, `ld.s8`. Empty when no single one is to blame.
    pub instruction: String,
    /// The class of the difference.
    pub class: MismatchClass,
    /// The deviation that does exactly the same, the first of the catalogue if several do.
    pub deviation: Option<Deviation>,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instruction = if self.instruction.is_empty() { "several instructions" } else { &self.instruction };
        write!(f, "{instruction}: {}", class_name(self.class))?;
        match self.deviation {
            Some(deviation) => write!(f, ", exactly {}", deviation.name()),
            None => Ok(()),
        }
    }
}

/// The cause of a trial that violates.
pub(super) fn cause(trial: &Trial, target: &dyn Target) -> Cause {
    let deviation = trial.explained().first().copied();
    let culprit = culprit(trial, target);
    let class = class(trial, culprit);
    let instruction = culprit.map_or_else(String::new, |index| family(&trial.specimen.steps[index], class));
    Cause { instruction, class, deviation }
}

/// The step to blame: the only one that can have written the first wrong byte, or else the only one that differs alone.
pub(super) fn culprit(trial: &Trial, target: &dyn Target) -> Option<usize> {
    if trial.specimen.steps.len() == 1 {
        return Some(0);
    }
    let all = || (0..trial.specimen.steps.len()).collect();
    let candidates = match trial.mismatches.first().map(|m| (&m.region, m.offset)) {
        Some((Some((kind, name)), offset)) => {
            let writers = trial.written.writers(&trial.specimen, *kind, name, offset);
            if writers.is_empty() { all() } else { writers }
        }
        _ => all(),
    };
    match candidates.as_slice() {
        [only] => Some(*only),
        several => several.iter().copied().find(|index| differs_alone(trial, *index, target)),
    }
}

/// Whether a step alone, given what it read, still shows a difference.
fn differs_alone(trial: &Trial, index: usize, target: &dyn Target) -> bool {
    let alone = trial.specimen.alone(index, &mut |register| trial.reference_values(register));
    alone.and_then(|specimen| Trial::new(specimen, target).ok()).is_some_and(|t| t.raw.is_failure())
}

/// The class of the difference.
fn class(trial: &Trial, culprit: Option<usize>) -> MismatchClass {
    match &trial.observation {
        Observation::TimedOut => return MismatchClass::Hang,
        Observation::Crashed { .. } => return MismatchClass::Crash,
        Observation::Rejected { .. } => return MismatchClass::Legality,
        _ => {}
    }
    let region = trial.mismatches.first().and_then(|m| m.region.as_ref());
    if matches!(region, Some((RegionKind::Guard, _))) {
        return MismatchClass::OutOfBounds;
    }
    let Some(index) = culprit else { return MismatchClass::Value };
    let step = &trial.specimen.steps[index];
    match step.shape {
        Shape::ImageLoad | Shape::ImageStore if leaves_image(&trial.specimen, index) => MismatchClass::Clamp,
        Shape::Atomic { .. } => MismatchClass::Atomicity,
        _ if step.opcode.starts_with("red.") => MismatchClass::Atomicity,
        _ if region.is_none() => MismatchClass::OutOfBounds,
        _ if converts(step) => MismatchClass::Conversion,
        _ => MismatchClass::Value,
    }
}

/// Whether a step converts or rounds: `cvt`, floating-point arithmetic, a load into a wider register.
fn converts(step: &Step) -> bool {
    let ty = step.opcode.rsplit('.').next().unwrap_or_default();
    let bits = |ty: &str| ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse::<usize>().unwrap_or(0);
    match step.shape {
        Shape::Plain => step.opcode.starts_with("cvt.") || ty.starts_with('f'),
        Shape::Load { .. } | Shape::ImageLoad => {
            let element = step.opcode.split('.').filter(|part| part.starts_with(['b', 's', 'u', 'f'])).map(bits).max();
            let register = step.results.first().map_or(0, |r| r.class.size() * 8);
            element.is_some_and(|element| element > 0 && element < register)
        }
        _ => false,
    }
}

/// The opcode without what does not matter to the cause: cache operators, vectors, geometry, the state space; and the type, where the
/// difference is one of clamping.
fn family(step: &Step, class: MismatchClass) -> String {
    const BESIDE: &[&str] = &[
        "ca", "cg", "cs", "cv", "wb", "wt", "v2", "v4", "1d", "2d", "global", "shared", "local",
    ];
    let sized = |part: &&str| matches!(*part, "b8" | "b16" | "b32" | "b64");
    let parts = step.opcode.split('.').filter(|part| !BESIDE.contains(part));
    let parts = parts.filter(|part| class != MismatchClass::Clamp || !sized(part));
    parts.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn step(opcode: &'static str, shape: Shape) -> Step {
        Step { guard: None, opcode: Cow::Borrowed(opcode), results: Vec::new(), shape, sources: Vec::new() }
    }

    #[test]
    fn a_family_leaves_out_what_does_not_matter() {
        let load = step("suld.b.2d.ca.v2.b16.clamp", Shape::ImageLoad);
        assert_eq!(family(&load, MismatchClass::Clamp), "suld.b.clamp");
        assert_eq!(family(&load, MismatchClass::Value), "suld.b.b16.clamp");
        assert_eq!(family(&step("mul.hi.s32", Shape::Plain), MismatchClass::Value), "mul.hi.s32");
    }

    #[test]
    fn a_cause_reads_as_a_sentence() {
        let cause = Cause {
            instruction: "suld.b.clamp".into(),
            class: MismatchClass::Clamp,
            deviation: Some(Deviation::SuldClampAsZero),
        };
        assert_eq!(cause.to_string(), "suld.b.clamp: clamp behaviour, exactly suld.clamp-as-zero");
    }
}
