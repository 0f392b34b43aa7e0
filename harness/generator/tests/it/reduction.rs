//! The reducer against properties whose smallest specimen is known.

use warpdiff_generator::Specimen;
use warpdiff_generator::reduce::reduce;
use warpdiff_generator::specimen::{Class, Input, Portion, Register, Shape, Taken};

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

/// Of an instruction with parts of registers those stay that the property is about, and the word that a part of the result is merged with goes with it.
#[test]
fn operands_are_taken_whole_where_a_part_does_not_matter() {
    let parts = |specimen: &Specimen| -> Vec<[Taken; 4]> {
        let of_step = |shape| if let Shape::Video(operands) = shape { Some(operands) } else { None };
        specimen.steps.iter().filter_map(|step| of_step(step.shape)).collect()
    };
    let with_parts =
        || with("v").filter(|specimen| parts(specimen).iter().any(|it| it[0] != Taken::default()));
    assert!(with_parts().take(20).count() == 20);
    for specimen in with_parts().take(20) {
        let mut is_video = |s: &Specimen| {
            s.steps.iter().any(|step| step.opcode.starts_with('v') && !step.opcode.starts_with("vote"))
        };
        let mut zero = |s: &Specimen, _: Register| Some(vec![0; s.threads as usize]);
        let small = reduce(specimen.clone(), &mut is_video, &mut zero);
        assert_eq!(small.steps[0].shape, Shape::Plain, "{:?}", small.steps);
        let has_second = ["add", "min", "max"].iter().any(|word| small.steps[0].opcode.ends_with(word));
        let sources = if has_second || small.steps[0].opcode.starts_with("vmad") { 3 } else { 2 };
        assert_eq!(small.steps[0].sources.len(), sources, "{:?}", small.steps);

        let mut is_merged = |s: &Specimen| parts(s).iter().any(|it| it[0].portion != Portion::Whole);
        let small = reduce(specimen, &mut is_merged, &mut zero);
        assert!(parts(&small)[0][1..].iter().all(|taken| *taken == Taken::default()), "{:?}", small.steps);
        assert_eq!(small.steps[0].sources.len(), 3, "{:?}", small.steps);
    }
}

#[test]
fn what_a_step_reads_stays_when_its_value_is_not_known() {
    for specimen in with("add.s32").take(20) {
        let mut has = |s: &Specimen| s.steps.iter().any(|step| step.opcode == "add.s32");
        let small = reduce(specimen, &mut has, &mut unknown);
        let mut known: Vec<u32> = small.inputs.iter().map(|input| input.register.number).collect();
        for step in &small.steps {
            // In a loop a step may read what it gave in the run before.
            let again = |register: &Register| step.within.is_some() && step.results.contains(register);
            let mut read = step.reads().filter(|register| !again(register));
            assert!(read.all(|register| known.contains(&register.number)), "{small:?}");
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
