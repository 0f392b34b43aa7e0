//! The reducer against properties whose smallest specimen is known.

use warpdiff_generator::Specimen;
use warpdiff_generator::reduce::reduce;
use warpdiff_generator::specimen::{Class, Input, Register};

fn unknown(_: &Specimen, _: Register) -> Option<Vec<u64>> {
    None
}

/// Specimens with a step whose opcode begins so.
fn with(prefix: &'static str) -> impl Iterator<Item = Specimen> {
    (0..4000)
        .map(|index| warpdiff_generator::specimen(5, index).unwrap())
        .filter(move |specimen| specimen.steps.iter().any(|step| step.opcode.starts_with(prefix)))
}

#[test]
fn one_instruction_is_left_of_a_property_of_one_instruction() {
    for prefix in ["mul.hi", "suld", "sust", "atom", "st.", "tex", "ld.const"] {
        let mut tried = 0;
        for specimen in with(prefix).take(20) {
            let mut has = |s: &Specimen| s.steps.iter().any(|step| step.opcode.starts_with(prefix));
            // With the values of registers at hand every step can stand alone.
            let mut zero = |s: &Specimen, _: Register| Some(vec![0; s.threads as usize]);
            let small = reduce(specimen, &mut has, &mut zero);
            assert_eq!(small.steps.len(), 1, "{:?}", small.steps);
            assert_eq!(small.threads, 1);
            let read: Vec<Register> = small.steps[0].reads().collect();
            assert!(
                small.inputs.iter().all(|input| read.contains(&input.register)),
                "no input is left that nothing reads"
            );
            assert!(small.memory.iter().all(|byte| *byte == 0));
            tried += 1;
        }
        assert!(tried > 0, "no specimen has {prefix}");
    }
}

#[test]
fn what_a_step_reads_stays_when_its_value_is_not_known() {
    for specimen in with("add.s32").take(20) {
        let mut has = |s: &Specimen| s.steps.iter().any(|step| step.opcode == "add.s32");
        let small = reduce(specimen, &mut has, &mut unknown);
        let mut known: Vec<u32> = small.inputs.iter().map(|input| input.register.number).collect();
        for step in &small.steps {
            assert!(step.reads().all(|register| known.contains(&register.number)));
            known.extend(step.results.iter().map(|register| register.number));
        }
    }
}

#[test]
fn a_property_of_a_value_keeps_that_value() {
    for specimen in with("shl.b32").take(20) {
        let large = |s: &Specimen| {
            s.steps.iter().any(|step| step.opcode == "shl.b32")
                && s.inputs.iter().any(|input| input.values.iter().any(|v| *v >= 32))
        };
        if !large(&specimen) {
            continue;
        }
        let small = reduce(specimen, &mut { large }, &mut unknown);
        assert!(large(&small));
        assert_eq!(small.threads, 1);
    }
}

/// The inputs become fewer while their values are made simpler.
#[test]
fn an_input_that_nothing_reads_goes_with_the_first_simpler_value() {
    for mut specimen in with("add.").take(20) {
        let unread = Register { class: Class::B32, number: 9999 };
        let values = vec![5; specimen.threads as usize];
        specimen.inputs.insert(0, Input { register: unread, values });
        let (steps, threads) = (specimen.steps.clone(), specimen.threads);
        let mut same = |s: &Specimen| s.steps == steps && s.threads == threads;
        let small = reduce(specimen, &mut same, &mut unknown);
        assert!(small.inputs.iter().all(|input| input.register != unread));
    }
}
