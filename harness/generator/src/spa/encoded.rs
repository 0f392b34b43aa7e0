//! What an encoded instruction needs and yields: its operands in the order of a step's sources and results.
//!
//! The word of a step has register 0 and predicate 0 where the program gives one; `RZ` and `PT` stay what they are.

use warpdiff_sass::form::{OperandField, WHOLE_QUAD};
use warpdiff_sass::mnemonic::{Access, Subject};
use warpdiff_sass::{Decoded, Instruction, Mark, Mnemonic as M, Operand, Register, decode};

use crate::specimen::{Object, Side};

/// How an instruction uses an operand, or a state beside its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It reads a register, or a pair.
    Source(usize),
    /// It reads several registers in a row, each a source of 32 bits.
    Row(usize),
    /// It writes a register, or a pair.
    Result(usize),
    /// It writes several registers in a row, each a result of 32 bits.
    Results(usize),
    /// It reads the handle of an image: no source, since the program knows it.
    Handle(usize),
    /// It reads a constant: a parameter of the kernel.
    Constant(usize),
    /// It reads a constant by a register: two sources, the register and the constant.
    Indexed(usize),
    /// It reads a predicate.
    Test(usize),
    /// It writes a predicate.
    Verdict(usize),
    /// It reads what the register of its result held.
    Before,
    /// It reads the condition codes: a word of four bits.
    Codes,
    /// It writes the condition codes.
    CodesAfter,
    /// It reads all predicates: a word of seven bits.
    Predicates,
    /// It writes all predicates.
    PredicatesAfter,
}

impl Use {
    /// Whether it is a result of the step; else it is a source, or the program gives it.
    pub(super) fn is_result(self) -> bool {
        matches!(
            self,
            Self::Result(_) | Self::Results(_) | Self::Verdict(_) | Self::CodesAfter | Self::PredicatesAfter
        )
    }
}

/// The instruction of a word that a step has.
///
/// # Panics
/// If the word is none: a defect of the generator.
pub(super) fn instruction(word: u64) -> Instruction {
    match decode(word) {
        Decoded::Legal(instruction) => instruction,
        other => panic!("a step has the word of an instruction, not {other:?}"),
    }
}

/// The image or the texture that an instruction accesses.
pub(super) fn object_of(instruction: &Instruction) -> Option<Object> {
    let traits = instruction.form.traits;
    let side = match traits.access {
        Some(access) if traits.subject == Subject::Surface && access.writes() => Side::Sink,
        _ if traits.subject == Subject::Surface => Side::Source,
        _ if traits.subject == Subject::Texture => return Some(Object::Picture),
        _ => return None,
    };
    Some(Object::Image(side))
}

/// The words of an encoded step, in their order.
pub(super) fn words(before: u64, word: u64) -> impl Iterator<Item = u64> {
    [before, word].into_iter().filter(|word| *word != 0)
}

/// What an instruction uses: sources and results in the order of a step.
pub(super) fn uses(instruction: &Instruction) -> Vec<Use> {
    let operands = instruction.form.operands.iter().zip(&instruction.operands).enumerate();
    let mut uses: Vec<Use> =
        operands.filter_map(|(n, (field, operand))| of_operand(instruction, n, *field, *operand)).collect();
    if let [OperandField::Register { role: "Rd2", .. }, OperandField::Register { role: "Rd", .. }, ..] =
        instruction.form.operands
        && let [Use::Results(0), Use::Results(1), ..] = uses[..]
    {
        // The second pair of results, of which there may be one, follows the first.
        uses.swap(0, 1);
    }
    if reads_result(instruction) {
        uses.push(Use::Before);
    }
    if instruction.form.mnemonic == M::R2P && instruction.operands.contains(&Operand::AllPredicates) {
        // Its mask may leave some as they are.
        uses.extend([Use::Predicates, Use::PredicatesAfter]);
    }
    if reads_codes(instruction) {
        uses.push(Use::Codes);
    }
    if writes_codes(instruction) {
        uses.push(Use::CodesAfter);
    }
    uses
}

/// What an instruction uses that another one follows directly. Its condition codes are no result: only that one reads them.
pub(super) fn uses_before(instruction: &Instruction) -> Vec<Use> {
    uses(instruction).into_iter().filter(|usage| *usage != Use::CodesAfter).collect()
}

/// The registers of 32 bits that an access to an image or a texture writes.
pub(super) fn result_words(instruction: &Instruction) -> u32 {
    let words = |usage| match usage {
        Use::Results(n) => instruction.registers(n),
        _ => 0,
    };
    uses(instruction).into_iter().map(words).sum()
}

fn of_operand(instruction: &Instruction, n: usize, field: OperandField, operand: Operand) -> Option<Use> {
    let role = match field {
        OperandField::Register { role, .. } => role,
        OperandField::OptionalRd => "Rd",
        _ => "",
    };
    let is_store = instruction.form.traits.access.is_some_and(Access::is_store);
    let is_image = matches!(instruction.form.traits.subject, Subject::Surface | Subject::Texture);
    let is_row = is_image || instruction.registers(n) > 2;
    Some(match (field, operand) {
        (OperandField::RdAgain, _) | (_, Operand::Register(Register::RZ)) => return None,
        (OperandField::Register { role: "handle", .. }, _) => Use::Handle(n),
        (OperandField::Unsigned { width: 13, .. }, _) if is_image => Use::Handle(n),
        (OperandField::Coordinates, _) => Use::Row(n),
        (_, Operand::Register(_)) => match (matches!(role, "Rd" | "Rd2") && !is_store, is_row) {
            (true, false) => Use::Result(n),
            (true, true) => Use::Results(n),
            (false, false) => Use::Source(n),
            (false, true) => Use::Row(n),
        },
        (_, Operand::Constant { .. }) => Use::Constant(n),
        (_, Operand::IndexedConstant { .. }) => Use::Indexed(n),
        (_, Operand::Predicate { predicate: 7, .. }) => return None,
        (OperandField::PredicateIn { .. }, Operand::Predicate { .. }) => Use::Test(n),
        (_, Operand::Predicate { .. }) => Use::Verdict(n),
        (_, Operand::AllPredicates) if instruction.form.mnemonic == M::P2R => Use::Predicates,
        _ => return None,
    })
}

/// Whether what its result held before is a source: as a summand, or where it leaves a part of it.
fn reads_result(instruction: &Instruction) -> bool {
    let mut fields = instruction.form.operands.iter().zip(&instruction.operands);
    let is_again = |(field, operand): (&OperandField, &Operand)| match field {
        OperandField::RdAgain => *operand != Operand::Register(Register::RZ),
        OperandField::QuadLanes { .. } => *operand != Operand::Immediate(WHOLE_QUAD),
        _ => false,
    };
    fields.any(is_again) || instruction.modifier("place of the result").is_some_and(|place| place >= 2)
}

/// Whether it reads the condition codes that the instruction before need not have written.
fn reads_codes(instruction: &Instruction) -> bool {
    let is_extended = instruction.modifier("extension").unwrap_or(0) != 0;
    let is_written = writes_only_codes(instruction);
    is_extended && !continues(instruction)
        || instruction.operands.contains(&Operand::ConditionCodes)
        || is_written
}

/// Whether it goes on where the same instruction with `.CC` has left more than the condition codes.
pub(super) fn continues(instruction: &Instruction) -> bool {
    match instruction.form.mnemonic {
        M::IADD3 => instruction.modifier("extension").unwrap_or(0) != 0,
        M::IMNMX => matches!(instruction.modifier("part of a longer number"), Some(1 | 2)),
        _ => false,
    }
}

/// Whether it is `R2P CC`, which leaves the codes that its mask does not name.
fn writes_only_codes(instruction: &Instruction) -> bool {
    instruction.form.mnemonic == M::R2P && instruction.operands.contains(&Operand::ConditionCodes)
}

fn writes_codes(instruction: &Instruction) -> bool {
    instruction.marks.iter().any(|marks| marks.has(Mark::ConditionCodes)) || writes_only_codes(instruction)
}
