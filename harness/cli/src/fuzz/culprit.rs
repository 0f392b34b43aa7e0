//! The instruction that causes a difference, and the name of the cause.

use std::fmt;

use warpdiff_generator::reduce::leaves_image;
use warpdiff_generator::specimen::{Action, Shape, Step};
use warpdiff_generator::write::SLOT;
use warpdiff_judge::mismatch_class::class_name;
use warpdiff_model::{Deviation, Mismatch, MismatchClass, Observation, RegionKind};
use warpdiff_targets::Target;

use super::explanations::explanations;
use super::step_by_step::explained_step_by_step;
use super::trial::Trial;

/// Behind an instruction that differs only together with others.
const AFTER_OTHERS: &str = " after others";

/// The cause of a difference; programs are grouped by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cause {
    /// The instruction, without irrelevant modifiers: `suld.b.clamp`, `ld.s8`; with `after others` where it differs only together with
    /// those before it. Empty if none is known.
    pub instruction: String,
    /// The class of the deviation, or else of the difference.
    pub class: MismatchClass,
    /// The deviation that reproduces it, the first of the catalogue if several do.
    pub deviation: Option<Deviation>,
    /// The deviations that reproduce it together with that one, if none does alone.
    pub others: Vec<Deviation>,
    /// Whether only bits differ that the target's engine finds undefined, where no deviation reproduces it.
    pub undefined: bool,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instruction =
            if self.instruction.is_empty() { "several instructions" } else { &self.instruction };
        write!(f, "{instruction}: {}", class_name(self.class))?;
        match (self.deviation, &self.others[..]) {
            (Some(one), [others @ .., last]) => {
                write!(f, ", reproduced exactly by {}", one.name())?;
                others.iter().try_for_each(|other| write!(f, ", {}", other.name()))?;
                write!(f, " and {} together", last.name())
            }
            (Some(deviation), []) => write!(f, ", reproduced exactly by {}", deviation.name()),
            _ if self.undefined => f.write_str(", in bits that the machine code leaves undefined"),
            _ => Ok(()),
        }
    }
}

/// The symptom of one violating trial, before it is compared with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symptom {
    /// Opcode of the instruction that causes it, if it is a single one; else of the last one that can have written the first wrong
    /// byte, if one can.
    opcode: Option<String>,
    /// Whether that instruction differs by itself.
    alone: bool,
    class: MismatchClass,
    /// Deviations that reproduce it.
    pub(super) explained: Vec<Deviation>,
    /// Where none does: some of a compiler that reproduce it together.
    pub(super) together: Vec<Deviation>,
    /// Whether only bits differ that the target's engine finds undefined.
    undefined: bool,
    /// Which deviations were tried.
    pub(super) tried: Tried,
}

/// Which deviations were tried on a program that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    /// This many of the deviations that explain other programs: those that were found first.
    First(usize),
    /// The whole catalogue.
    All,
}

impl Symptom {
    /// The symptom of a trial that violates, explained by the whole catalogue.
    pub(super) fn of(trial: &Trial, target: &dyn Target) -> Self {
        let mut symptom = Self::unexplained(trial, target);
        symptom.explain(trial, target);
        symptom
    }

    /// What is seen of a trial that violates, before deviations are tried on it.
    pub(super) fn unexplained(trial: &Trial, target: &dyn Target) -> Self {
        let culprit = culprit(trial, target);
        let step = culprit.or_else(|| writers(trial).last().copied());
        Self {
            opcode: step.map(|index| trial.specimen().steps[index].opcode.to_string()),
            alone: culprit.is_some(),
            class: class(trial, culprit),
            explained: Vec::new(),
            together: Vec::new(),
            undefined: trial.is_of_undefined_bits(target),
            tried: Tried::First(0),
        }
    }

    /// Tries the whole catalogue. `trial` is the one that this is the symptom of.
    pub(super) fn explain(&mut self, trial: &Trial, target: &dyn Target) {
        self.tried = Tried::All;
        self.explained = trial.explained();
        let is_of_compiler = |deviation: &Deviation| deviation.entry().is_of_a_compiler();
        if !target.is_compiled() || self.explained.iter().any(is_of_compiler) {
            return;
        }
        let by = ByCompiler::of(trial, target);
        if !by.alternatives.is_empty() || !by.together.is_empty() {
            (self.explained, self.together) = (by.alternatives, by.together);
        }
    }

    /// The operation that causes the difference, such as `suld.b`. Empty if none is known.
    pub(super) fn operation(&self) -> String {
        self.opcode.as_deref().map(operation).unwrap_or_default()
    }

    /// The cause, given the deviation that explains it. Explained symptoms are grouped by operation only, others by all relevant
    /// modifiers.
    pub(super) fn cause(&self, deviation: Option<Deviation>) -> Cause {
        if let (None, [one, others @ ..]) = (deviation, &self.together[..]) {
            let (instruction, class) = (String::new(), one.class());
            return Cause {
                instruction,
                class,
                deviation: Some(*one),
                others: others.to_vec(),
                undefined: false,
            };
        }
        let instruction = match (&self.opcode, deviation) {
            (None, _) => String::new(),
            (Some(opcode), Some(_)) if self.alone => operation(opcode),
            (Some(_), Some(_)) => String::new(),
            (Some(opcode), None) if self.alone => family(opcode, self.class),
            (Some(opcode), None) => format!("{}{AFTER_OTHERS}", family(opcode, self.class)),
        };
        let undefined = self.undefined && deviation.is_none();
        let class = deviation.map_or(self.class, Deviation::class);
        Cause { instruction, class, deviation, others: Vec::new(), undefined }
    }
}

/// The step that causes the difference: one that can have written the first wrong byte and differs alone, or any that differs
/// alone.
fn culprit(trial: &Trial, target: &dyn Target) -> Option<usize> {
    if trial.specimen().steps.len() == 1 {
        return Some(0);
    }
    let writers = writers(trial);
    let others = (0..trial.specimen().steps.len()).filter(|step| !writers.contains(step));
    writers.iter().copied().chain(others).find(|step| differs_alone(trial, *step, target))
}

/// The steps that can have written the first wrong byte.
fn writers(trial: &Trial) -> Vec<usize> {
    match trial.mismatches.first().map(|m| (&m.region, m.offset)) {
        Some((Some((kind, name)), offset)) => trial.places().writers(trial.specimen(), *kind, name, offset),
        _ => Vec::new(),
    }
}

/// Whether a step alone, given what it read, still shows a difference.
fn differs_alone(trial: &Trial, index: usize, target: &dyn Target) -> bool {
    let alone = trial.specimen().alone(index, &mut |register| trial.reference_values(register));
    alone.and_then(|specimen| Trial::new(specimen, target).ok()).is_some_and(|t| t.raw.is_failure())
}

/// How the deviations of a compiler explain a wrong program.
#[derive(Default)]
struct ByCompiler {
    /// The deviations that each alone explain everything that is wrong.
    alternatives: Vec<Deviation>,
    /// If there is no such deviation: several that explain everything together.
    together: Vec<Deviation>,
}

impl ByCompiler {
    fn of(trial: &Trial, target: &dyn Target) -> Self {
        if let Some(pair) = trial.explained_together() {
            return Self { together: pair.into(), ..Self::default() };
        }
        let Some(of_steps) = explained_step_by_step(trial, target) else { return Self::default() };
        let is_of_all = |deviation: &Deviation| of_steps.iter().all(|of_one| of_one.contains(deviation));
        let alternatives: Vec<Deviation> = Deviation::all().filter(is_of_all).collect();
        let together = if alternatives.is_empty() { explanations(&of_steps) } else { Vec::new() };
        Self { alternatives, together }
    }
}

/// The deviations of a compiler that explain what is wrong, each alone.
pub(super) fn explained_by_compiler(trial: &Trial, target: &dyn Target) -> Vec<Deviation> {
    if target.is_compiled() { ByCompiler::of(trial, target).alternatives } else { Vec::new() }
}

/// The class of the difference.
fn class(trial: &Trial, culprit: Option<usize>) -> MismatchClass {
    match &trial.observation {
        Observation::TimedOut { .. } => return MismatchClass::Hang,
        Observation::Crashed { .. } => return MismatchClass::Crash,
        Observation::Rejected { .. } => return MismatchClass::Legality,
        _ => {}
    }
    let region = trial.mismatches.first().and_then(|m| m.region.as_ref());
    if matches!(region, Some((RegionKind::Guard, _))) {
        return MismatchClass::OutOfBounds;
    }
    let Some(index) = culprit else { return MismatchClass::Value };
    let step = &trial.specimen().steps[index];
    match step.shape {
        Shape::ImageLoad | Shape::ImageStore if leaves_image(trial.specimen(), index) => MismatchClass::Clamp,
        Shape::Atomic { .. } => MismatchClass::Atomicity,
        _ if is_atomic(&step.opcode) => MismatchClass::Atomicity,
        _ if region.is_none() => MismatchClass::OutOfBounds,
        _ if converts(step) && !loaded_wrong(step, &trial.mismatches) => MismatchClass::Conversion,
        _ => MismatchClass::Value,
    }
}

/// Whether an opcode that no shape tells is that of an operation that reads and writes at once.
fn is_atomic(opcode: &str) -> bool {
    let name = opcode.split('.').next().unwrap_or_default();
    matches!(name, "red" | "ATOM" | "ATOMS" | "RED" | "SUATOM" | "SURED")
}

/// Whether a load into a wider register has wrong loaded bytes, and not only a wrong extension: that is no conversion. Results have
/// slots of their own, so the offset of a byte is its index in the register.
fn loaded_wrong(step: &Step, mismatches: &[Mismatch]) -> bool {
    let Some(element) = element(step) else { return false };
    let in_results = |m: &&Mismatch| {
        m.region.as_ref().is_some_and(|(kind, name)| *kind == RegionKind::Buffer && name == "out")
    };
    mismatches.iter().find(in_results).is_some_and(|first| first.offset % SLOT * 8 < element)
}

/// Bits of one element of a load. `None` for other steps.
fn element(step: &Step) -> Option<usize> {
    let bits =
        |ty: &str| ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse::<usize>().unwrap_or(0);
    match step.shape {
        Shape::Load { .. } | Shape::TableLoad { .. } | Shape::ImageLoad => {
            step.opcode.split('.').filter(|part| part.starts_with(['b', 's', 'u', 'f'])).map(bits).max()
        }
        Shape::Window { action: Action::Load, .. } => {
            let size =
                |bits: usize| [".U", ".S"].iter().any(|sign| step.opcode.ends_with(&format!("{sign}{bits}")));
            [8, 16].into_iter().find(|bits| size(*bits))
        }
        _ => None,
    }
}

/// Whether a step converts or rounds: `cvt`, floating-point arithmetic, a load into a wider register, a formatted store.
fn converts(step: &Step) -> bool {
    let ty = step.opcode.rsplit('.').next().unwrap_or_default();
    match step.shape {
        Shape::Plain => step.opcode.starts_with("cvt.") || ty.starts_with('f'),
        Shape::Load { .. } | Shape::TableLoad { .. } | Shape::ImageLoad => {
            let register = step.results.first().map_or(0, |r| r.class.size() * 8);
            element(step).is_some_and(|element| element > 0 && element < register)
        }
        Shape::Window { action: Action::Load, .. } => element(step).is_some(),
        Shape::ImageStore => step.opcode.starts_with("sust.p."),
        Shape::Encoded { .. } => {
            ["F2F", "F2I", "I2F", "I2I", "SULD.P", "SUST.P"].iter().any(|name| step.opcode.starts_with(name))
        }
        _ => false,
    }
}

/// Modifiers that say where, how or in which order an access is made, not what it does.
const BESIDE: &[&str] = &[
    "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "v2", "v4", "v8", "1d", "2d", "3d", "a1d", "a2d", "cube",
    "acube", "global", "shared", "local", "const", "param", "weak", "volatile", "mmio", "relaxed", "acquire",
    "release", "acq_rel", "sc", "cta", "cluster", "gpu", "sys",
];

/// Modifiers that say on which type, how rounded, or what to do out of bounds.
const VARIETY: &[&str] =
    &["rn", "rz", "rm", "rp", "rna", "ftz", "noftz", "sat", "satfinite", "relu", "clamp", "zero", "trap"];

/// Whether a modifier is beside the point: `.global`, `.shared::cta`, `.L2::128B`.
fn is_beside(part: &str) -> bool {
    BESIDE.contains(&part) || part.contains("::")
}

/// Whether a modifier is a type: a letter or two and a number of bits; in SPA 5.0 a capital one, or none.
fn is_type(part: &str) -> bool {
    let bits = part.strip_prefix(['b', 's', 'u', 'f', 'S', 'U']).unwrap_or(part);
    !bits.is_empty() && bits.bytes().all(|b| b.is_ascii_digit() || b == b'x')
}

/// The opcode without modifiers that are irrelevant to the cause, and without the type for wrong clamping.
fn family(opcode: &str, class: MismatchClass) -> String {
    let parts = opcode.split('.').filter(|part| !is_beside(part));
    let parts = parts.filter(|part| class != MismatchClass::Clamp || !is_type(part));
    parts.collect::<Vec<_>>().join(".")
}

/// The operation of an opcode, without types: `suld.b`, `mul.hi`, `atom.inc`.
fn operation(opcode: &str) -> String {
    let matters = |part: &&str| !is_beside(part) && !VARIETY.contains(part) && !is_type(part);
    opcode.split('.').filter(matters).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use warpdiff_generator::specimen::{Class, Register, Space};

    use super::*;

    #[test]
    fn a_family_leaves_out_what_does_not_matter() {
        assert_eq!(family("suld.b.2d.ca.v2.b16.clamp", MismatchClass::Clamp), "suld.b.clamp");
        assert_eq!(family("suld.b.2d.ca.v2.b16.clamp", MismatchClass::Value), "suld.b.b16.clamp");
        assert_eq!(family("mul.hi.s32", MismatchClass::Value), "mul.hi.s32");
    }

    #[test]
    fn an_operation_leaves_out_types_and_rounding_too() {
        let expected = [
            ("suld.b.2d.ca.v2.b16.clamp", "suld.b"),
            ("mul.hi.s32", "mul.hi"),
            ("atom.global.inc.u32", "atom.inc"),
            ("atom.acq_rel.gpu.shared::cta.inc.u32", "atom.inc"),
            ("ld.relaxed.sys.global.L1::no_allocate.L2::128B.v8.b32", "ld"),
            ("cvt.rni.s32.f16", "cvt.rni"),
            ("fma.rn.ftz.f16x2", "fma"),
            ("st.shared.v2.s16", "st"),
            ("LDS.U.128", "LDS.U"),
            ("ATOMS.CAST.SPIN.U64", "ATOMS.CAST.SPIN"),
        ];
        for (opcode, name) in expected {
            assert_eq!(operation(opcode), name);
        }
    }

    #[test]
    fn a_load_into_a_wider_register_converts_wherever_it_loads_from() {
        let shapes =
            [Shape::Load { space: Space::Global, offset: 0 }, Shape::TableLoad { table: 0, offset: 3 }];
        for shape in shapes {
            for (opcode, expected) in [("ld.global.s8", true), ("ld.global.b32", false)] {
                let results = vec![Register { class: Class::B32, number: 0 }];
                let step = Step {
                    guard: None,
                    opcode: opcode.into(),
                    results,
                    shape,
                    sources: Vec::new(),
                    within: None,
                };
                assert_eq!(converts(&step), expected, "{opcode} as {shape:?}");
            }
        }
    }

    #[test]
    fn a_load_of_other_bytes_converts_nothing() {
        let results = vec![Register { class: Class::B32, number: 0 }];
        let shape = Shape::ImageLoad;
        let opcode = "suld.b.3d.b8.clamp".into();
        let step = Step { guard: None, opcode, results, shape, sources: Vec::new(), within: None };
        let at = |offset| Mismatch {
            class: MismatchClass::Value,
            region: Some((RegionKind::Buffer, "out".into())),
            offset,
            row: None,
            expected: vec![1],
            defined: vec![0xFF],
            observed: vec![2],
            detail: String::new(),
        };
        // Slots are of eight bytes, of which a load of one byte fills the first and extends it over three more.
        assert!(loaded_wrong(&step, &[at(16)]) && !loaded_wrong(&step, &[at(17)]));
    }

    #[test]
    fn a_cause_reads_as_a_sentence() {
        let cause = Cause {
            instruction: "suld.b.clamp".into(),
            class: MismatchClass::Clamp,
            deviation: Some(Deviation::SuldClampAsZero),
            others: Vec::new(),
            undefined: false,
        };
        assert_eq!(
            cause.to_string(),
            "suld.b.clamp: clamp behaviour, reproduced exactly by suld.clamp-as-zero"
        );
        let both = Cause { others: vec![Deviation::SuldB8SignExtended], ..cause.clone() };
        assert!(
            both.to_string().ends_with("by suld.clamp-as-zero and suld.b8-sign-extended together"),
            "{both}"
        );
        let three = Cause { others: vec![Deviation::SuldB8SignExtended, Deviation::CvtNanIsLeast], ..both };
        let names = "by suld.clamp-as-zero, suld.b8-sign-extended and cvt.nan-is-least together";
        assert!(three.to_string().ends_with(names), "{three}");
        let undefined = Cause { deviation: None, undefined: true, ..cause };
        assert_eq!(
            undefined.to_string(),
            "suld.b.clamp: clamp behaviour, in bits that the machine code leaves undefined"
        );
    }
}
