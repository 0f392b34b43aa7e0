//! The forms of instructions of SPA 5.0, and which of them a program has.
//!
//! Each row of the assembler's table is a form, named after its operands: `IADD R, R, c[]`. Each value of a modifier and each mark of an
//! operand is a form of its own: it is counted in every instruction that has it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use warpdiff_sass::form::{Form, Mark, ONE_PAIR, OperandField, TWO_PAIRS};
use warpdiff_sass::mnemonic::Subject;
use warpdiff_sass::table::FORMS;
use warpdiff_sass::{Decoded, Instruction, Operand, Statement, decode};

use super::fields::{SYSTEM_REGISTERS, plain};
use super::legal::{Reason, not_drawn, why_not};
use crate::census::Counted;
use crate::specimen::Specimen;

/// Every form, counted from zero.
pub(crate) fn forms() -> &'static BTreeMap<String, Counted> {
    static ALL: LazyLock<BTreeMap<String, Counted>> = LazyLock::new(|| {
        let mut all = BTreeMap::new();
        for form in FORMS.iter() {
            let family = family(form.traits.subject);
            for (name, left_out) in possible(form) {
                let counted = all.entry(name).or_insert(Counted { steps: 0, left_out, family });
                counted.left_out = counted.left_out.and(left_out);
            }
        }
        all
    });
    &ALL
}

/// The names of a form, of the values of its modifiers and of its marks, each with the reason why no program has it.
fn possible(form: &'static Form) -> BTreeMap<String, Reason> {
    let mut names = BTreeMap::new();
    let mut add = |name: String, left_out: Reason| {
        let kept: &mut Reason = names.entry(name).or_insert(left_out);
        *kept = kept.and(left_out);
    };
    if let Some(reason) = not_drawn(form) {
        names_of_instruction(&plain(form)).into_iter().for_each(|name| add(name, Some(reason)));
        return names;
    }
    each_choice(form, &mut |instruction| {
        let left_out = why_not(instruction);
        names_of_instruction(instruction).into_iter().for_each(|name| add(name, left_out));
    });
    for instruction in with_each_word(form) {
        let left_out = why_not(&instruction);
        names_of_instruction(&instruction).into_iter().for_each(|name| add(name, left_out));
    }
    names
}

/// The plain instruction of a form with each word that one of its operands may be, and with each special register that is read.
fn with_each_word(form: &'static Form) -> Vec<Instruction> {
    let operands: Vec<Operand> = match decode(form.bits) {
        Decoded::Legal(instruction) | Decoded::Illegal(instruction, _) => instruction.operands,
        Decoded::Undecodable(_) => Vec::new(),
    };
    let with = |place: usize, operand: Operand| {
        let mut instruction = Instruction { operands: operands.clone(), ..plain(form) };
        instruction.operands[place] = operand;
        instruction
    };
    let each = form.operands.iter().enumerate().flat_map(|(place, field)| match *field {
        OperandField::Word { names, width: 1.., .. } => {
            (0..names.len() as u8).map(|value| with(place, Operand::Word { names, value })).collect()
        }
        OperandField::Components => {
            let of = |names: &'static [&'static str], count: u8| {
                (0..count).map(move |value| Operand::Word { names, value })
            };
            of(ONE_PAIR, 8).chain(of(TWO_PAIRS, 5)).map(|word| with(place, word)).collect()
        }
        OperandField::SystemRegister => {
            SYSTEM_REGISTERS.iter().map(|number| with(place, Operand::System(*number))).collect()
        }
        _ => Vec::new(),
    });
    each.collect()
}

/// Every choice of modifiers and marks.
fn each_choice(form: &'static Form, then: &mut dyn FnMut(&Instruction)) {
    let fields: Vec<Vec<u8>> = form
        .modifiers
        .iter()
        .map(|field| (0..field.names.len() as u8).filter(|value| !field.is_invalid(*value)).collect())
        .collect();
    let marks: Vec<_> = form.marks.iter().filter(|mark| form.mask >> mark.bit & 1 == 0).collect();
    let sizes = fields.iter().map(Vec::len).chain(marks.iter().map(|_| 2));
    let sizes: Vec<usize> = sizes.collect();
    let mut digits = vec![0; sizes.len()];
    loop {
        let mut instruction = plain(form);
        for (value, (field, digit)) in instruction.modifiers.iter_mut().zip(fields.iter().zip(&digits)) {
            *value = field[*digit];
        }
        for (mark, digit) in marks.iter().zip(&digits[fields.len()..]) {
            if *digit == 1 {
                instruction.marks[mark.operand] = instruction.marks[mark.operand].with(mark.mark);
            }
        }
        then(&instruction);
        let Some(next) = (0..digits.len()).find(|place| digits[*place] + 1 < sizes[*place]) else { return };
        digits[..next].fill(0);
        digits[next] += 1;
    }
}

/// The names of the forms of the steps of a program, and of the branches around them.
pub(crate) fn names_of(specimen: &Specimen) -> Vec<String> {
    let written = specimen.write();
    let Ok(program) = warpdiff_sass::parse(&written.launch.program) else {
        return vec!["a program that is refused".into()];
    };
    let is_step = |start: usize| written.places.steps.iter().any(|range| range.contains(&start));
    let counts = |statement: &&Statement| {
        let form = statement.instruction.form;
        // Branches and waits stand around steps.
        form.traits.subject == Subject::Control || is_step(statement.span.start as usize)
    };
    let counted = program.statements.iter().filter(counts);
    counted.flat_map(|statement| names_of_instruction(&statement.instruction)).collect()
}

fn names_of_instruction(instruction: &Instruction) -> Vec<String> {
    let Instruction { form, modifiers, marks, operands, .. } = instruction;
    let Form { mnemonic, fixed_modifiers, .. } = form;
    let mut first = mnemonic.to_string();
    fixed_modifiers.iter().for_each(|fixed| first.extend([".", fixed]));
    for (index, field) in form.operands.iter().enumerate() {
        first.push_str(if index == 0 { " " } else { ", " });
        first.push_str(kind(*field));
    }
    let mut names = vec![first];
    for (field, value) in form.modifiers.iter().zip(modifiers) {
        let value = field.names[usize::from(*value)];
        let value = if value.is_empty() { "none" } else { value };
        names.push(format!("{mnemonic}, {}: {value}", field.role));
    }
    for (field, operand) in form.operands.iter().zip(operands) {
        match (field, operand) {
            (
                OperandField::Word { width: 1.., .. } | OperandField::Components,
                Operand::Word { names: words, value },
            ) => {
                names.push(format!("{mnemonic}, word: {}", words[usize::from(*value)]));
            }
            (_, Operand::System(_)) => names.push(format!("{mnemonic}, register: {operand}")),
            _ => {}
        }
    }
    for mark in form.marks.iter().filter(|mark| marks[mark.operand].has(mark.mark)) {
        names.push(format!("{mnemonic}, operand {}: {}", mark.operand + 1, name(mark.mark)));
    }
    names
}

/// What an operand is.
fn kind(field: OperandField) -> &'static str {
    use OperandField as F;
    match field {
        F::Register { .. } | F::OptionalRd | F::OptionalRb | F::RdAgain | F::AfterRb { .. } => "R",
        F::Rz => "RZ",
        F::Address { .. } | F::Coordinates => "[R]",
        F::SystemRegister => "SR",
        F::Immediate20 { .. }
        | F::Immediate16
        | F::Immediate32 { .. }
        | F::Float20 { .. }
        | F::Float32
        | F::Half10 { .. }
        | F::Half16 { .. }
        | F::Unsigned { .. }
        | F::ShiftCount { .. }
        | F::Magnitude16
        | F::OptionalNumber { .. } => "number",
        F::Swizzle | F::QuadLanes { .. } => "lanes",
        F::Indirect | F::AbsoluteIndirect => "target R",
        F::Target | F::AbsoluteTarget => "target",
        F::ConstantTarget => "target c[]",
        F::ConditionCodes => "CC",
        F::AllPredicates => "PR",
        F::Constant => "c[]",
        F::IndexedConstant => "c[R]",
        F::PredicateOut { .. } | F::OptionalPredicate { .. } | F::PredicateIn { .. } => "P",
        F::Condition { .. } => "test",
        F::Scoreboard | F::Scoreboards => "SB",
        // The only word that it may be.
        F::Word { names: [name], .. } => name,
        F::Word { .. } | F::Components => "word",
    }
}

fn name(mark: Mark) -> &'static str {
    match mark {
        Mark::Negated => "negated",
        Mark::Absolute => "absolute",
        Mark::Inverted => "inverted",
        Mark::UpperHalf => "upper half",
        Mark::LowerHalf => "lower half",
        Mark::ByteOne => "byte 1",
        Mark::ByteTwo => "byte 2",
        Mark::ConditionCodes => "with condition codes",
        Mark::Single => "a single",
        Mark::LowerTwice => "lower half twice",
    }
}

fn family(subject: Subject) -> &'static str {
    match subject {
        Subject::Arithmetic => "integers",
        Subject::Bits => "bits",
        Subject::Predicates => "predicates",
        Subject::Video => "video",
        Subject::Float => "floating point",
        Subject::Half => "halves",
        Subject::Conversion => "conversion",
        Subject::Memory => "memory",
        Subject::Atomic => "atomics",
        Subject::Warp => "among threads",
        Subject::Special => "special registers",
        Subject::Surface => "surfaces",
        Subject::Texture => "textures",
        Subject::Control => "control flow",
    }
}
