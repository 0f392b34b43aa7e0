//! Explains a wrong program of a compiler where no single deviation reproduces all of it: each step with a wrong result is compiled and run alone, and the
//! deviations that reproduce these results are the explanation.

use std::ops::Range;

use warpdiff_generator::specimen::{Class, Entrance, Register, Shape, Specimen, Step};
use warpdiff_generator::write::SLOT;
use warpdiff_model::allowed::MaskedRegion;
use warpdiff_model::{Deviation, Observation, Permitted, Region, State};
use warpdiff_targets::Target;

use super::trial::{AllowedSlot, PreparedTrial, Trial};

/// Steps of one program that give wrong results of their own. More of them are not looked at.
const STEPS: usize = 6;

/// Runs of a loop that a step is followed through: as many as two loops of generated programs have, one in the other.
const RUNS: usize = 15;

/// Inputs of which each selection is tried as constants.
const INPUTS_SELECTED: usize = 4;

/// The buffer that a program loads its inputs from.
const INPUTS: &str = "in";

/// For each step and thread that is wrong by itself, the deviations of a compiler that reproduce what the step alone gives; `None` if something is wrong that they do
/// not account for.
///
/// The first step with a wrong result is run alone, with what it read under the reference. If it is right alone as it is in the program, wrong as it is there, and a
/// deviation reproduces that, moves of its results take its place, and the program is judged again, until all of it is allowed.
pub(super) fn explained_step_by_step(trial: &Trial, target: &dyn Target) -> Option<Vec<Vec<Deviation>>> {
    let is_of_inputs = |name: &str| name == INPUTS;
    if trial.mismatches.iter().any(|m| m.region.as_ref().is_some_and(|(_, name)| is_of_inputs(name))) {
        return None;
    }
    let mut explained = Vec::new();
    let mut replaced: Option<Trial> = None;
    for _ in 0..STEPS {
        let current = replaced.as_ref().unwrap_or(trial);
        let (slot, _) = current.first_wrong_slot()?;
        let step = *current.places().slots.get(slot)?;
        let slots = slots_of(current, step)?;
        let earlier = explained.len();
        for thread in (0..current.specimen().threads).filter(|thread| current.differs(slots.clone(), *thread))
        {
            explained.extend(alone(current, step, thread, target)?);
        }
        // A step whose result the reference allows, alone, is wrong for another reason.
        if explained.len() == earlier {
            return None;
        }
        let next = judged_again(with_moves(current, step)?, &trial.observation)?;
        if next.raw.is_right() {
            return Some(explained);
        }
        replaced = Some(next);
    }
    None
}

/// The deviations that reproduce what the step alone gives in that thread, for each run in which it is wrong; none if it gives another of several values that are
/// allowed. `None` if it gives something else alone, or no deviation reproduces it. What the compiler knew while it compiled the program is not known, so each selection
/// of what the step reads is tried as constants.
fn alone(current: &Trial, step: usize, thread: u32, target: &dyn Target) -> Option<Vec<Vec<Deviation>>> {
    let slots = slots_of(current, step)?;
    let mut read = |register: Register| current.reference_values_for(register, thread);
    let mut specimen = current.specimen().alone(step, &mut read)?;
    specimen.keep_thread(thread);
    let expected = current.allowed_slots(slots.clone(), thread)?;
    let runs = runs_of(current, step, thread)?;
    if !is_right_after(runs, &specimen, &expected) {
        return None;
    }
    let observed: Vec<&[u8]> = slots.map(|slot| current.result(slot, thread)).collect::<Option<_>>()?;
    ways(&specimen).into_iter().find_map(|specimen| run_by_run(specimen, runs, &observed, target))
}

/// How often a thread does a step under the reference: one that reads what it writes, as in a loop, several times. The others count for once, whatever they do before.
fn runs_of(current: &Trial, step: usize, thread: u32) -> Option<usize> {
    let of = &current.specimen().steps[step];
    if !of.reads().any(|register| of.results.contains(&register)) {
        return Some(1);
    }
    let counting = PreparedTrial::new(current.specimen().counting(step)).ok()?;
    let count = counting.allowed_of_step(step + 1, thread)?;
    let runs = (word(&count.first()?.bytes) as u32).wrapping_sub(Class::B32.initial() as u32) as usize;
    (1..=RUNS).contains(&runs).then_some(runs)
}

/// Whether the step alone gives, after so many runs under the reference, the results that it has in the program. One that reads memory that others write, or what other
/// threads have, does not.
fn is_right_after(runs: usize, alone: &Specimen, expected: &[AllowedSlot]) -> bool {
    let mut alone = alone.clone();
    let last = alone.steps.len() - 1;
    for run in 1..=runs {
        let prepared = PreparedTrial::new(alone.clone()).ok().filter(|one| !one.is_reconditioned());
        let Some(given) = prepared.and_then(|prepared| prepared.allowed_of_step(last, 0)) else {
            return false;
        };
        if run == runs {
            return given == expected;
        }
        let values: Vec<&[u8]> = given.iter().map(|slot| &slot.bytes[..]).collect();
        carry_over(&mut alone, &values);
    }
    false
}

/// The program with each selection of its inputs as constants; of many inputs with all, half of them, and none. First what is the likeliest: all are constants
/// where the program has any.
fn ways(specimen: &Specimen) -> Vec<Specimen> {
    let inputs = specimen.inputs.len();
    let mut ways: Vec<Specimen> = if inputs > INPUTS_SELECTED {
        let entrances = [Entrance::Immediate, Entrance::Mixed, Entrance::Loaded];
        entrances.into_iter().map(|entrance| Specimen { entrance, ..specimen.clone() }).collect()
    } else {
        let selected = |loaded: u32| specimen.with_constants(|place| loaded >> place & 1 == 0);
        (0..1 << inputs).map(selected).collect()
    };
    if specimen.entrance == Entrance::Loaded {
        ways.reverse();
    }
    ways
}

/// The deviations that reproduce each wrong run of a step, which has to give these results in the last of them.
fn run_by_run(
    mut alone: Specimen,
    runs: usize,
    results: &[&[u8]],
    target: &dyn Target,
) -> Option<Vec<Vec<Deviation>>> {
    let last = alone.steps.len() - 1;
    let mut explained = Vec::new();
    for run in 1..=runs {
        let prepared = PreparedTrial::new(alone.clone()).ok().filter(|one| !one.is_reconditioned())?;
        let observation = target.observe(prepared.question());
        let trial = prepared.judged(observation);
        if !trial.raw.is_right() {
            let mut of_run = trial.explained();
            of_run.retain(|deviation| deviation.entry().is_of_a_compiler());
            if of_run.is_empty() {
                return None;
            }
            explained.push(of_run);
        }
        let given =
            slots_of(&trial, last)?.map(|slot| trial.result(slot, 0)).collect::<Option<Vec<&[u8]>>>()?;
        if run == runs {
            return (given == results).then_some(explained);
        }
        carry_over(&mut alone, &given);
    }
    None
}

/// Has the step read what it gave, where it reads what it writes.
fn carry_over(alone: &mut Specimen, given: &[&[u8]]) {
    let Some(step) = alone.steps.last() else { return };
    for (result, bytes) in step.results.iter().zip(given) {
        for input in alone.inputs.iter_mut().filter(|input| input.register == *result) {
            input.values = vec![word(bytes)];
        }
    }
}

/// The slots of the results of a step.
fn slots_of(trial: &Trial, step: usize) -> Option<Range<usize>> {
    let first = trial.places().slots.iter().position(|of| *of == step)?;
    Some(first..first + trial.specimen().steps[step].results.len())
}

/// The program with moves of what was observed in the place of a step; `None` if it does more than give results.
fn with_moves(current: &Trial, step: usize) -> Option<Specimen> {
    let steps = &current.specimen().steps;
    let is_read = steps[step].writes_carry() && steps.get(step + 1).is_some_and(Step::reads_carry);
    if is_read || !gives_results_alone(&steps[step]) {
        return None;
    }
    let of_slot = |slot| {
        let threads = 0..current.specimen().threads;
        threads.map(|thread| current.result(slot, thread).map(word)).collect::<Option<Vec<u64>>>()
    };
    let values = slots_of(current, step)?.map(of_slot).collect::<Option<Vec<_>>>()?;
    let mut moved = current.specimen().with_moves(step, values);
    moved.entrance = Entrance::Loaded;
    Some(moved)
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().take(SLOT).rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Whether a step writes registers and nothing else.
fn gives_results_alone(step: &Step) -> bool {
    match step.shape {
        Shape::Plain
        | Shape::Video(_)
        | Shape::Pack
        | Shape::Call(_)
        | Shape::Load { .. }
        | Shape::TableLoad { .. }
        | Shape::ImageLoad
        | Shape::TextureLoad { .. }
        | Shape::Query { .. }
        | Shape::PointsTo { .. }
        | Shape::Special { .. }
        | Shape::Lanes { .. } => !step.results.is_empty(),
        Shape::Store { .. }
        | Shape::Atomic { .. }
        | Shape::ImageStore
        | Shape::Barrier(_)
        | Shape::Contended { .. }
        | Shape::Window { .. }
        | Shape::Encoded { .. } => false,
    }
}

/// The program under the reference, with what was observed of another that has the same results and loads other inputs.
fn judged_again(specimen: Specimen, observation: &Observation) -> Option<Trial> {
    let Observation::Completed { state } = observation else { return None };
    let prepared = PreparedTrial::new(specimen).ok().filter(|prepared| !prepared.is_reconditioned())?;
    let Permitted::Completed { state: allowed } = &prepared.question().allowed?.outcomes.first()?.permitted
    else {
        return None;
    };
    let held = |MaskedRegion { region, .. }: &MaskedRegion| -> Option<Region> {
        if region.name == INPUTS {
            Some(region.clone())
        } else {
            state.region(region.kind, &region.name).cloned()
        }
    };
    let regions = allowed.regions.iter().map(held).collect::<Option<Vec<_>>>()?;
    Some(prepared.judged(Observation::Completed { state: State { regions } }))
}

#[cfg(test)]
mod tests {
    use warpdiff_generator::flow::{Block, Flow, Within};
    use warpdiff_generator::specimen::{Input, Operand, Space};
    use warpdiff_model::Semantics;
    use warpdiff_targets::Question;

    use super::super::culprit::Symptom;
    use super::*;

    /// A compiler with these deviations, which folds what they do not follow: texts of instructions are replaced.
    struct Folding {
        deviations: &'static [Deviation],
        replaced: &'static [(&'static str, &'static str)],
    }

    impl Target for Folding {
        fn name(&self) -> &str {
            "folding"
        }

        fn is_compiled(&self) -> bool {
            true
        }

        fn observe(&self, question: Question<'_>) -> Observation {
            let launch = &question.planned.launch;
            let program = launch.program.to_string();
            let text = self.replaced.iter().fold(program, |text, (old, new)| text.replace(old, new));
            let compiled = warpdiff_emulator::compile(&text.into()).expect("a program");
            let deviations = self.deviations.iter();
            let semantics = deviations.fold(Semantics::default(), |semantics, one| semantics.with(*one));
            warpdiff_emulator::observe(&compiled.program, launch, &semantics).expect("an observation")
        }
    }

    fn b32(number: u32) -> Register {
        Register { class: Class::B32, number }
    }

    fn b64(number: u32) -> Register {
        Register { class: Class::B64, number }
    }

    fn step(opcode: &'static str, result: Register, sources: &[Register]) -> Step {
        let sources = sources.iter().map(|source| Operand::Register(*source)).collect();
        let (results, shape) = (vec![result], Shape::Plain);
        Step { guard: None, opcode: opcode.into(), results, shape, sources, within: None }
    }

    /// A program of one thread whose inputs are constants.
    fn of_constants(inputs: &[(Register, u64)], steps: Vec<Step>) -> Specimen {
        let mut specimen = warpdiff_generator::specimen(1, 0).expect("a specimen");
        specimen.keep_thread(0);
        specimen.entrance = Entrance::Immediate;
        specimen.blocks.clear();
        let input = |(register, value): &(Register, u64)| Input { register: *register, values: vec![*value] };
        specimen.inputs = inputs.iter().map(input).collect();
        specimen.steps = steps;
        specimen.prune();
        specimen
    }

    fn trial(specimen: &Specimen, target: &Folding) -> Trial {
        let trial = Trial::new(specimen.clone(), target).expect("a program");
        assert!(trial.raw.is_failure());
        trial
    }

    const FOLDED: (&str, &str) = ("brev.b32 %r2, %r0;", "mov.b32 %r2, -4096;");

    /// The bits of 0xfffff in reverse are -4096, which the word of a `vadd` has as 0xf000.
    #[test]
    fn what_a_compiler_does_to_a_constant_is_what_it_does_to_the_step_alone() {
        let steps = vec![
            step("brev.b32", b32(2), &[b32(0)]),
            step("vadd.s32.u32.u32", b32(3), &[b32(1), b32(2)]),
            step("popc.b32", b32(4), &[b32(0)]),
            step("not.b32", b32(5), &[b32(3)]),
        ];
        let specimen = of_constants(&[(b32(0), 0xF_FFFF), (b32(1), 0)], steps);
        let deviations = &[Deviation::PtxasVideoConstant];
        let symptom = |replaced| {
            let target = Folding { deviations, replaced };
            let trial = trial(&specimen, &target);
            assert!(trial.explained().is_empty());
            Symptom::of(&trial, &target)
        };
        let one = symptom(&[FOLDED]);
        assert_eq!(one.explained, [Deviation::PtxasVideoConstant]);
        let cause = one.cause(Some(Deviation::PtxasVideoConstant)).to_string();
        assert_eq!(cause, "vadd: value, reproduced exactly by ptxas.video-constant");
        // What is wrong beside it is not explained by that.
        let two = symptom(&[FOLDED, ("popc.b32 %r4, %r0;", "mov.b32 %r4, 21;")]);
        assert_eq!(two.explained, []);
        assert!(!two.cause(None).to_string().contains("ptxas"));
    }

    /// `bfe.u64` at 256 is wrong, and the `subc` that takes what it gives inverts the borrow that `add.cc` leaves.
    #[test]
    fn several_deviations_of_one_number_are_found_one_after_the_other() {
        let steps = vec![
            step("bfe.u64", b64(3), &[b64(0), b32(1), b32(2)]),
            step("add.cc.u32", b32(4), &[b32(2), b32(2)]),
            step("subc.u64", b64(5), &[b64(3), b64(0)]),
        ];
        let specimen = of_constants(&[(b64(0), 1), (b32(1), 256), (b32(2), 1)], steps);
        let both = &[Deviation::PtxasFieldUnmasked, Deviation::PtxasBorrowInverted];
        let target = Folding { deviations: both, replaced: &[] };
        let trial = trial(&specimen, &target);
        let found = explained_step_by_step(&trial, &target).expect("an explanation");
        assert_eq!(found, both.map(|deviation| vec![deviation]));
    }

    /// `bfe.s32` at a constant position of what no constant is: the compiler does not see that `set` of constants gives one.
    #[test]
    fn what_a_compiler_knows_of_a_step_can_be_a_part_of_what_it_reads() {
        let steps = vec![
            step("set.lt.u32.s32", b32(2), &[b32(0), b32(5)]),
            step("bfe.s32", b32(4), &[b32(2), b32(3), b32(1)]),
        ];
        let specimen = of_constants(&[(b32(0), 5), (b32(1), 1), (b32(3), 63), (b32(5), 0)], steps);
        let replaced = &[("mov.b32 %r0, 0x5;", "mov.b32 %r0, %tid.x;")];
        let target = Folding { deviations: &[Deviation::PtxasHighField], replaced };
        let trial = trial(&specimen, &target);
        let found = explained_step_by_step(&trial, &target).expect("an explanation");
        assert_eq!(found, [[Deviation::PtxasHighField]]);
    }

    /// Three runs of a loop that adds -4096 to what it has.
    #[test]
    fn a_step_that_adds_up_in_a_loop_is_followed_run_by_run() {
        let mut adds = step("vadd.s32.u32.u32", b32(3), &[b32(3), b32(2)]);
        adds.within = Some(Within { block: 0, arm: 0 });
        let steps = vec![step("brev.b32", b32(2), &[b32(0)]), adds];
        let mut specimen = of_constants(&[(b32(0), 0xF_FFFF), (b32(1), 3)], steps);
        let flow = Flow::Loop { count: b32(1), tests_first: false, leaves_at: None };
        specimen.blocks = vec![Block { outer: None, flow }];
        specimen.inputs.push(Input { register: b32(1), values: vec![3] });
        let target = Folding { deviations: &[Deviation::PtxasVideoConstant], replaced: &[FOLDED] };
        let trial = trial(&specimen, &target);
        let found = explained_step_by_step(&trial, &target).expect("an explanation");
        assert_eq!(found, vec![vec![Deviation::PtxasVideoConstant]; 3]);
        // 1.0 as a word, and three times 0xf000.
        assert_eq!(trial.result(1, 0).map(word), Some(0x3F80_0000 + 3 * 0xF000));
    }

    /// The same loop, which the compiler runs once more; the limit of 2^31 - 1 is reached before, so that the right result does not show how often it ran.
    #[test]
    fn a_loop_that_runs_too_often_is_not_explained() {
        let mut adds = step("vadd.s32.s32.u32.sat", b32(3), &[b32(3), b32(2)]);
        adds.within = Some(Within { block: 0, arm: 0 });
        let steps = vec![step("brev.b32", b32(2), &[b32(0)]), adds];
        let mut specimen = of_constants(&[(b32(0), 0xF_FFFF)], steps);
        let flow = Flow::Loop { count: b32(1), tests_first: false, leaves_at: None };
        specimen.blocks = vec![Block { outer: None, flow }];
        specimen.inputs.push(Input { register: b32(1), values: vec![2] });
        let explained = |replaced| {
            let target = Folding { deviations: &[Deviation::PtxasVideoConstant], replaced };
            explained_step_by_step(&trial(&specimen, &target), &target)
        };
        assert_eq!(explained(&[FOLDED]), Some(vec![vec![Deviation::PtxasVideoConstant]; 2]));
        assert_eq!(explained(&[FOLDED, ("mov.b32 %r1, 0x2;", "mov.b32 %r1, 0x3;")]), None);
    }

    /// A load behind a store: alone it reads what was there before.
    #[test]
    fn a_load_that_moves_before_a_store_is_not_explained() {
        let mut specimen = of_constants(
            &[(b32(0), 0xF_FFFF), (b32(1), 5), (b32(9), 0)],
            vec![
                step("brev.b32", b32(2), &[b32(0)]),
                step("vadd.s32.u32.u32", b32(3), &[b32(9), b32(2)]),
                step("add.s32", b32(4), &[b32(1), b32(1)]),
            ],
        );
        let space = Space::Global;
        let store = Step {
            guard: None,
            opcode: "st.global.b32".into(),
            results: Vec::new(),
            shape: Shape::Store { space, offset: 0 },
            sources: vec![Operand::Register(b32(1))],
            within: None,
        };
        let load = Step {
            opcode: "ld.global.b32".into(),
            results: vec![b32(6)],
            shape: Shape::Load { space, offset: 0 },
            sources: Vec::new(),
            ..store.clone()
        };
        specimen.steps.extend([store, load]);
        specimen.memory = vec![7; Specimen::MEMORY_STRIDE];
        let target = |replaced| Folding { deviations: &[Deviation::PtxasVideoConstant], replaced };
        let moved = specimen.write().launch.program;
        let line = moved
            .lines()
            .find(|line| line.contains("ld.global.b32 %r6"))
            .expect("the load")
            .trim()
            .to_owned();
        let line: &'static str = Box::leak(line.into_boxed_str());
        let right = target(&[FOLDED]);
        assert!(explained_step_by_step(&trial(&specimen, &right), &right).is_some());
        let replaced = Box::leak(Box::new([FOLDED, (line, "mov.b32 %r6, 0x7070707;")]));
        let wrong = target(&replaced[..]);
        assert_eq!(explained_step_by_step(&trial(&specimen, &wrong), &wrong), None);
    }
}
