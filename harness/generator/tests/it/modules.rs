//! Modules that are made without text are those that the checker makes of the text.

use std::sync::Arc;

use warpdiff_generator::specimen::Shape;
use warpdiff_generator::{Differs, Entrance, Opcodes, Specimen};
use warpdiff_ptx::Rules;
use warpdiff_ptx::checked::{Immediate, Module, Operand, Types};

fn checked(specimen: &Specimen) -> Module {
    let text: Arc<str> = specimen.write().launch.program;
    warpdiff_ptx::compile(&text, &Rules::TO_RUN).expect("generated programs are legal")
}

fn specimens(seed: u64, programs: u64) -> impl Iterator<Item = Specimen> {
    let drawn =
        (0..programs).map(move |index| warpdiff_generator::specimen(seed, index).expect("a specimen"));
    drawn.enumerate().map(|(index, specimen)| {
        let entrances = [Entrance::Loaded, Entrance::Loaded, Entrance::Immediate, Entrance::Mixed];
        specimen.entering(entrances[index % entrances.len()])
    })
}

#[test]
fn every_module_is_the_one_that_the_checker_makes() {
    let mut opcodes = Opcodes::default();
    for specimen in specimens(21, 6000) {
        let learned = opcodes.learn(&specimen, &checked(&specimen));
        assert_eq!(learned, Ok(()), "{}", specimen.write().launch.program);
    }
}

#[test]
fn opcodes_are_learned_once_for_all_programs() {
    let mut opcodes = Opcodes::default();
    let all: Vec<Specimen> = specimens(22, 6000).collect();
    let (first, later) = all.split_at(3000);
    assert!(first.iter().all(|specimen| specimen.module(&opcodes).is_none()), "nothing is known yet");
    for specimen in first {
        opcodes.learn(specimen, &checked(specimen)).expect("the module of the checker");
    }
    // One with functions is always written.
    let calls = |specimen: &&Specimen| specimen.steps.iter().any(|step| matches!(step.shape, Shape::Call(_)));
    let without: Vec<&Specimen> = later.iter().filter(|specimen| !calls(specimen)).collect();
    let made = without.iter().filter(|specimen| specimen.module(&opcodes).is_some()).count();
    assert!(made * 100 > without.len() * 99, "{made} of {}", without.len());
    assert!(without.len() * 10 > later.len() * 9, "{} of {}", without.len(), later.len());
}

#[test]
fn the_launch_is_that_of_the_text() {
    let mut opcodes = Opcodes::default();
    for specimen in specimens(23, 300) {
        let written = specimen.write();
        opcodes.learn(&specimen, &checked(&specimen)).expect("the module of the checker");
        let Some((_, made)) = specimen.module(&opcodes) else { continue };
        assert_eq!(made.places.slots, written.places.slots);
        let mut launch = made.launch;
        launch.program = Arc::clone(&written.launch.program);
        assert_eq!(launch, written.launch);
    }
}

#[test]
fn a_module_that_differs_in_one_literal_or_one_word_is_noticed() {
    let is_literal = |operand: &&mut Operand| matches!(operand, Operand::Immediate(_));
    let (mut literals, mut words) = (0, 0);
    for specimen in specimens(24, 50) {
        let module = checked(&specimen);
        if Opcodes::default().learn(&specimen, &module).is_err() {
            continue;
        }
        let mut other = module.clone();
        let operands = other.functions[0].body.iter_mut().flat_map(|instruction| &mut instruction.operands);
        if let Some(operand) = operands.filter(is_literal).last() {
            *operand = Operand::Immediate(Immediate::Integer { bits: 0x1234_5678_9abc, unsigned: false });
            literals += u32::from(Opcodes::default().learn(&specimen, &other) == Err(Differs));
        }
        // What was learned of an opcode holds for every other program with it.
        let mut other = module;
        let mut opcodes = Opcodes::default();
        opcodes.learn(&specimen, &other).expect("the module of the checker");
        if let Some(instruction) = other.functions[0].body.iter_mut().rev().find(|it| !it.types.is_empty()) {
            instruction.types = Types::new();
            words += u32::from(opcodes.learn(&specimen, &other) == Err(Differs));
        }
    }
    assert!(literals > 20 && words > 20, "{literals}, {words}");
}
