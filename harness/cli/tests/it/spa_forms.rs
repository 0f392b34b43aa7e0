//! The instructions of SPA 5.0 that generated programs have are those that the reference runs: it runs every program, and what the
//! generator leaves out for lack of a source it refuses.

use std::collections::BTreeMap;

use warpdiff_emulator::{Options, Program, run};
use warpdiff_generator::spa::{not_drawn, why_not};
use warpdiff_model::Semantics;
use warpdiff_sass::form::{Form, OperandField, WHOLE_QUAD};
use warpdiff_sass::mnemonic::Subject;
use warpdiff_sass::{
    Decoded, Guard, Header, Instruction, Mnemonic as M, Operand, Register, compile, decode, encode, table,
};

#[test]
fn the_reference_runs_every_program_and_finds_no_wait_missing() {
    for index in 0..3000 {
        let launch = warpdiff_generator::spa_specimen(29, index).expect("a specimen").write().launch;
        let text = &*launch.program;
        let checked = compile(text, &Header::default()).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        let program = Program::spa(&checked, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let run = run(&program, &launch, &Semantics::default(), &Options::default()).expect("it fits");
        assert_eq!(run.hazards, [], "{index}: {text}");
    }
}

/// An instruction of that form with registers, predicates and constants that exist.
fn plain(form: &'static Form) -> Instruction {
    let instruction = match decode(form.bits) {
        Decoded::Legal(instruction) | Decoded::Illegal(instruction, _) => instruction,
        Decoded::Undecodable(word) => panic!("{word:#x} is no word"),
    };
    let place = |(n, (field, operand)): (usize, (&OperandField, &Operand))| match field {
        OperandField::Constant => Operand::Constant { bank: 0, offset: 0x140 },
        OperandField::QuadLanes { .. } => Operand::Immediate(WHOLE_QUAD),
        OperandField::Register { .. } => Operand::Register(Register(8 * (n as u8 + 1))),
        OperandField::OptionalRd => Operand::Register(Register(8)),
        OperandField::RdAgain => Operand::Register(Register(8)),
        OperandField::PredicateOut { .. } | OperandField::OptionalPredicate { .. } => {
            Operand::Predicate { predicate: 4, negated: false }
        }
        _ => *operand,
    };
    let operands = form.operands.iter().zip(&instruction.operands).enumerate().map(place).collect();
    Instruction { guard: Guard::ALWAYS, operands, ..instruction }
}

/// Why the reference does not run an instruction.
fn refusal(instruction: &Instruction) -> Option<String> {
    let Decoded::Legal(instruction) = decode(encode(instruction)) else { return Some("illegal".into()) };
    let text = format!(".spa 5.0\n.registers 64\n    {instruction}\n    EXIT;\n");
    let checked = match compile(&text, &Header::default()) {
        Ok(checked) => checked,
        Err(errors) => return Some(format!("{instruction} {}", errors[0].message)),
    };
    Program::spa(&checked, &text).err().map(|error| error.to_string())
}

/// Every choice of the modifiers and marks of a form, where there are not too many: else each with the plain ones beside it, and pairs.
fn choices(form: &'static Form) -> Vec<Instruction> {
    let values = form.modifiers.iter().enumerate().map(|(place, field)| {
        let legal = (0..field.names.len() as u8).filter(|value| !field.is_invalid(*value));
        legal.map(|value| Choice::Modifier(place, value)).collect::<Vec<_>>()
    });
    let free = form.marks.iter().enumerate().filter(|(_, mark)| form.mask >> mark.bit & 1 == 0);
    let marks = free.map(|(place, _)| vec![Choice::None, Choice::Mark(place)]);
    let mut all = vec![plain(form)];
    for column in values.chain(marks) {
        all = column.iter().flat_map(|choice| all.iter().map(|one| choice.made(one))).collect();
        // Some hundreds of a form are enough: every third, fifth and so on of more.
        let step = all.len() / 600 + 1;
        all = all.into_iter().step_by(step | 1).collect();
    }
    all
}

#[derive(Clone, Copy)]
enum Choice {
    None,
    Modifier(usize, u8),
    Mark(usize),
}

impl Choice {
    fn made(self, instruction: &Instruction) -> Instruction {
        let mut made = instruction.clone();
        match self {
            Choice::None => {}
            Choice::Modifier(place, value) => made.modifiers[place] = value,
            Choice::Mark(place) => {
                let mark = made.form.marks[place];
                made.marks[mark.operand] = made.marks[mark.operand].with(mark.mark);
            }
        }
        made
    }
}

/// The subjects whose instructions stand alone: neither addresses nor targets nor handles.
const ALONE: [Subject; 7] = [
    Subject::Arithmetic,
    Subject::Bits,
    Subject::Predicates,
    Subject::Video,
    Subject::Float,
    Subject::Half,
    Subject::Conversion,
];

/// The reference refuses each instruction that the generator leaves out, and the generator leaves out each one that the reference refuses.
#[test]
fn what_no_program_has_is_what_the_reference_refuses() {
    let mut differ: BTreeMap<String, (String, Option<&str>, Option<String>)> = BTreeMap::new();
    let mut seen = [0; 2];
    for form in table::FORMS.iter().filter(|form| ALONE.contains(&form.traits.subject)) {
        for instruction in choices(form) {
            let (ours, theirs) = (not_drawn(form).or_else(|| why_not(&instruction)), refusal(&instruction));
            seen[usize::from(theirs.is_some())] += 1;
            if ours.is_some() != theirs.is_some() {
                let key = format!("{} {:?}", form.mnemonic, ours.is_some());
                differ.insert(key, (instruction.to_string(), ours, theirs));
            }
        }
    }
    assert!(differ.is_empty(), "{differ:#?}");
    assert!(seen.iter().all(|count| *count > 5000), "{seen:?}");
}

/// The forms that the reference runs and no program has: what they do shows nothing in a generated program, or cannot stand in one.
const RUN_AND_LEFT_OUT: [M; 20] = [
    M::ATOM,
    M::BAR,
    M::BPT,
    M::BRA,
    M::BRX,
    M::CCTL,
    M::CCTLL,
    M::JCAL,
    M::JMP,
    M::JMX,
    M::LD,
    M::LDG,
    M::RAM,
    M::RED,
    M::SAM,
    M::ST,
    M::STG,
    M::TEX,
    M::TLD,
    M::TXQ,
];

/// Of the other subjects each form that no program has is refused, but for those of a list; what programs have, the test above runs.
#[test]
fn whole_forms_that_are_left_out_are_refused_or_listed() {
    for form in table::FORMS.iter().filter(|form| !ALONE.contains(&form.traits.subject)) {
        let Some(reason) = not_drawn(form) else { continue };
        let is_run = refusal(&plain(form)).is_none();
        assert!(!is_run || RUN_AND_LEFT_OUT.contains(&form.mnemonic), "{}: {reason}", form.mnemonic);
    }
}
