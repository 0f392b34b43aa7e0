//! Blocks of instructions, threads that meet, calls, and the mixes that have more of them.

use std::collections::BTreeSet;

use warpdiff_generator::flow::Flow;
use warpdiff_generator::reduce::reduce;
use warpdiff_generator::specimen::{Meeting, Register, Shape};
use warpdiff_generator::{Mix, NEWEST_TARGET, Specimen};
use warpdiff_ptx::Rules;

fn of_mix(mix: Mix, programs: u64) -> impl Iterator<Item = Specimen> {
    (0..programs)
        .map(move |index| warpdiff_generator::specimen_of(31, index, NEWEST_TARGET, mix).expect("a specimen"))
}

/// The number of words of its program that are this one.
fn words(specimen: &Specimen, word: &str) -> usize {
    specimen.write().launch.program.split_whitespace().filter(|other| *other == word).count()
}

#[test]
fn the_steps_of_a_block_follow_each_other_arm_by_arm() {
    for specimen in of_mix(Mix::ControlFlow, 2000) {
        let mut closed = BTreeSet::new();
        let mut last = None;
        for step in &specimen.steps {
            if let (Some(now), Some(before)) = (step.within, last)
                && now != before
            {
                let outer =
                    |place: warpdiff_generator::flow::Within| specimen.blocks[usize::from(place.block)].outer;
                // Within the one before, or around it, it is not over.
                let (now, before): (warpdiff_generator::flow::Within, warpdiff_generator::flow::Within) =
                    (now, before);
                if now.block == before.block {
                    assert!(now.arm > before.arm, "{now:?} behind {before:?}");
                } else if outer(now).map(|place| place.block) != Some(before.block) {
                    closed.insert(before.block);
                }
            }
            if let Some(now) = step.within {
                assert!(!closed.contains(&now.block), "block {} again", now.block);
            }
            last = step.within;
        }
    }
}

#[test]
fn every_kind_of_block_meeting_and_call_occurs() {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for mix in [Mix::All, Mix::ControlFlow, Mix::Contended] {
        for specimen in of_mix(mix, 3000) {
            seen.insert(format!("{} CTAs", specimen.ctas));
            for step in &specimen.steps {
                let block = step.within.map(|place| (place, specimen.blocks[usize::from(place.block)]));
                if let Some((place, block)) = block {
                    let depth = if block.outer.is_some() { " within" } else { "" };
                    seen.insert(match block.flow {
                        Flow::Condition { .. } => format!("condition {}{depth}", place.arm),
                        Flow::Index { .. } => format!("index {}{depth}", place.arm),
                        Flow::Loop { tests_first, leaves_at, .. } => {
                            format!("loop {tests_first} {}{depth}", leaves_at.is_some())
                        }
                    });
                }
                match step.shape {
                    Shape::Call(passing) => {
                        _ = seen.insert(format!("call {} {}", passing.together, passing.indirect))
                    }
                    Shape::Barrier(barrier) => {
                        let meeting = match barrier.meeting {
                            Meeting::Exchange { .. } => "exchange",
                            Meeting::HandOver { .. } => "hand over",
                            Meeting::Reduce { .. } => "reduce",
                        };
                        seen.insert(format!("{meeting} {}", barrier.counted));
                    }
                    Shape::Contended { .. } => _ = seen.insert("contended".to_owned()),
                    Shape::Lanes { .. } if step.within.is_some() => {
                        _ = seen.insert("lanes within".to_owned())
                    }
                    _ => {}
                }
                // It is carried from one run of a loop to the next.
                if step.reads().any(|read| step.results.contains(&read)) {
                    seen.insert("carried".to_owned());
                }
            }
        }
    }
    let expected = [
        "1 CTAs",
        "2 CTAs",
        "condition 0",
        "condition 1",
        "condition 0 within",
        "index 0",
        "index 3",
        "index 1 within",
        "loop true false",
        "loop true true",
        "loop false false",
        "loop false true",
        "loop true false within",
        "call false false",
        "call false true",
        "call true false",
        "call true true",
        "exchange true",
        "exchange false",
        "hand over true",
        "reduce true",
        "reduce false",
        "contended",
        "lanes within",
        "carried",
    ];
    for what in expected {
        assert!(seen.contains(what), "no program has {what}: {seen:?}");
    }
}

#[test]
fn programs_of_every_mix_are_legal() {
    for (mix, name) in Mix::ALL {
        for (index, specimen) in of_mix(mix, 300).enumerate() {
            let text = specimen.write().launch.program;
            if let Err(errors) = warpdiff_ptx::compile(&text, &Rules::TO_RUN) {
                let errors = warpdiff_ptx::render(&errors, "generated.ptx", &text, false);
                panic!("program {index} of {name}: {errors}");
            }
        }
    }
}

/// Each mix has what it is named after in at least so many of a hundred programs.
#[test]
fn a_mix_has_more_of_what_it_is_named_after() {
    type Has = fn(&Specimen) -> bool;
    let is_of_surface = |specimen: &Specimen| {
        specimen
            .steps
            .iter()
            .any(|step| step.side().is_some() || matches!(step.shape, Shape::TextureLoad { .. }))
    };
    let expected: [(Mix, usize, Has); 4] = [
        (Mix::Surfaces, 90, is_of_surface),
        (Mix::ControlFlow, 75, |specimen| specimen.steps.iter().any(|step| step.within.is_some())),
        (Mix::Contended, 80, |specimen| {
            specimen
                .steps
                .iter()
                .any(|step| matches!(step.shape, Shape::Contended { .. } | Shape::Barrier(_)))
        }),
        (Mix::Float, 75, |specimen| {
            let words = |opcode: &str| opcode.split('.').any(|word| word.starts_with('f') && word.len() > 2);
            specimen.steps.iter().any(|step| words(&step.opcode))
        }),
    ];
    for (mix, least, has) in expected {
        let of_hundred = |mix| of_mix(mix, 400).filter(has).count() / 4;
        let (here, elsewhere) = (of_hundred(mix), of_hundred(Mix::All));
        assert!(here >= least && here > elsewhere, "{}: {here}, elsewhere {elsewhere}", mix.name());
    }
    // The step that faults is the last one of all programs that have one.
    assert!(of_mix(Mix::OneFault, 200).all(|specimen| {
        let last = specimen.steps.last().expect("a step");
        let is_off = matches!(last.shape, Shape::Store { offset, .. } if offset % 8 != 0);
        last.opcode.ends_with("trap") || is_off
    }));
}

#[test]
fn a_block_that_does_not_matter_is_left_out() {
    let unknown = |_: &Specimen, _: Register| None;
    let mut tried = 0;
    for specimen in
        of_mix(Mix::ControlFlow, 300).filter(|it| words(it, "brx.idx") + words(it, "bra") > 0).take(20)
    {
        // Without the values of registers, steps do not stand alone.
        let opcode = specimen.steps.last().expect("a step").opcode.clone();
        let mut has = |s: &Specimen| s.steps.iter().any(|step| step.opcode == opcode);
        let small = reduce(specimen, &mut has, &mut |s, r| unknown(s, r));
        assert!(small.steps.iter().all(|step| step.within.is_none()), "{:?}", small.steps);
        assert_eq!(words(&small, "bra") + words(&small, "brx.idx"), 0);
        tried += 1;
    }
    assert!(tried > 10);
}
