//! The fields of an instruction: its modifiers, the marks of its operands, and operands that are part of its word.

use arbitrary::{Result, Unstructured};
use warpdiff_sass::form::{Form, ModifierField, OperandField, WHOLE_QUAD};
use warpdiff_sass::table::forms_of;
use warpdiff_sass::{Float, Guard, Instruction, Marks, Mnemonic as M, Operand as Field, Register as Number};

use super::legal::{not_drawn, suit, why_not};
use crate::values::{self, Value};

/// The special registers that a launch decides: the lane, the thread and its block, bytes of shared memory, the least
/// address of the stack, masks of lanes.
pub(super) const SYSTEM_REGISTERS: &[u8] = &[0, 32, 33, 34, 35, 37, 38, 39, 50, 55, 56, 57, 58, 59, 60];

/// Draws of modifiers and marks, until they are legal together.
const TRIES: u32 = 3;

/// The name of what an instruction does: its mnemonic with the modifiers that select the form, and its operation where that follows them.
/// Types, rounding and what is to happen out of bounds are varieties of it.
pub(super) fn opcode(instruction: &Instruction) -> String {
    let form = instruction.form;
    let mut name = form.mnemonic.to_string();
    form.fixed_modifiers.iter().for_each(|fixed| name.extend([".", fixed]));
    if let Some(first) = form.modifiers.first().filter(|first| matches!(first.role, "operation" | "function"))
    {
        match first.names[usize::from(instruction.modifiers[0])] {
            "" => {}
            operation => name.extend([".", operation]),
        }
    }
    name
}

/// Gives the modifier with that role the value of that name, where there is such a one.
pub(super) fn set(instruction: &mut Instruction, role: &str, name: &str) {
    for (field, value) in instruction.form.modifiers.iter().zip(&mut instruction.modifiers) {
        if field.role == role
            && let Some(named) = field.names.iter().position(|known| *known == name)
        {
            *value = named as u8;
        }
    }
}

/// The forms of an instruction that programs have.
pub(super) fn possible(mnemonic: M) -> Vec<&'static Form> {
    let is_possible = |form: &&'static Form| not_drawn(form).is_none() && why_not(&plain(form)).is_none();
    forms_of(mnemonic).iter().copied().filter(is_possible).collect()
}

/// An instruction of that form.
pub(super) fn drawn(u: &mut Unstructured<'_>, form: &'static Form) -> Result<Instruction> {
    let operands = form.operands.iter().map(|field| operand(u, form, *field)).collect::<Result<Vec<_>>>()?;
    let mut instruction = Instruction {
        form,
        guard: Guard::ALWAYS,
        modifiers: vec![0; form.modifiers.len()],
        marks: vec![Marks::NONE; operands.len()],
        operands,
        ignored: 0,
    };
    for _ in 0..TRIES {
        instruction.modifiers =
            form.modifiers.iter().map(|field| modifier(u, field)).collect::<Result<_>>()?;
        instruction.marks = marks(u, form)?;
        suit(&mut instruction);
        if why_not(&instruction).is_none() {
            return Ok(instruction);
        }
    }
    let Instruction { modifiers, marks, .. } = plain(form);
    Ok(Instruction { modifiers, marks, ..instruction })
}

/// An instruction of that form with no mark and no modifier that could be left out.
pub(super) fn plain(form: &'static Form) -> Instruction {
    let default = |field: &ModifierField| field.default.unwrap_or_else(|| first_legal(field));
    Instruction {
        form,
        guard: Guard::ALWAYS,
        modifiers: form.modifiers.iter().map(default).collect(),
        operands: Vec::new(),
        marks: necessary(form),
        ignored: 0,
    }
}

fn first_legal(field: &ModifierField) -> u8 {
    (0..field.names.len() as u8).find(|value| !field.is_invalid(*value)).unwrap_or(0)
}

fn modifier(u: &mut Unstructured<'_>, field: &ModifierField) -> Result<u8> {
    let legal: Vec<u8> = (0..field.names.len() as u8).filter(|value| !field.is_invalid(*value)).collect();
    // Of flags most are not set: what an instruction does plainly goes together with any value of its other fields.
    match field.default {
        Some(default) if legal.len() == 2 && u.arbitrary::<u8>()? < 100 => Ok(default),
        _ => Ok(*u.choose(&legal)?),
    }
}

/// The marks that a form always has.
fn necessary(form: &Form) -> Vec<Marks> {
    let mut marks = vec![Marks::NONE; form.operands.len()];
    for field in form.marks.iter().filter(|field| form.bits >> field.bit & 1 == 1) {
        marks[field.operand] = marks[field.operand].with(field.mark);
    }
    marks
}

fn marks(u: &mut Unstructured<'_>, form: &Form) -> Result<Vec<Marks>> {
    let mut marks = necessary(form);
    for field in form.marks.iter().filter(|field| form.mask >> field.bit & 1 == 0) {
        if u.arbitrary::<u8>()? < 64 {
            marks[field.operand] = marks[field.operand].with(field.mark);
        }
    }
    Ok(marks)
}

/// The value of an operand field: a register or predicate that the program gives, or now and then `RZ` or `PT`.
fn operand(u: &mut Unstructured<'_>, form: &Form, field: OperandField) -> Result<Field> {
    let bits = |u: &mut Unstructured<'_>, width: u8| {
        Ok::<_, arbitrary::Error>(i64::from(u.arbitrary::<u32>()? & ((1_u64 << width) - 1) as u32))
    };
    Ok(match field {
        OperandField::Register { .. } | OperandField::OptionalRd | OperandField::OptionalRb => {
            Field::Register(if u.arbitrary::<u8>()? < 10 { Number::RZ } else { Number(0) })
        }
        OperandField::RdAgain => Field::Register(Number(0)),
        OperandField::PredicateIn { .. } => {
            let negated = u.arbitrary::<u8>()? & 1 == 1;
            Field::Predicate { predicate: if u.arbitrary::<u8>()? < 90 { 7 } else { 0 }, negated }
        }
        OperandField::PredicateOut { .. } | OperandField::OptionalPredicate { .. } => {
            Field::Predicate { predicate: if u.arbitrary::<u8>()? < 90 { 7 } else { 0 }, negated: false }
        }
        OperandField::Immediate20 { .. } if form.operands.contains(&OperandField::AllPredicates) => {
            Field::Immediate(bits(u, 7)?)
        }
        OperandField::Immediate20 { .. } if matches!(form.mnemonic, M::P2R | M::R2P) => {
            Field::Immediate(bits(u, 4)?)
        }
        OperandField::Immediate20 { signed } => {
            let value = values::draw(u, Value::I32)? as u32;
            // The sign stands apart.
            let value = (value << 12) as i32 >> 12;
            Field::Immediate(if signed { i64::from(value) } else { i64::from(value as u32) })
        }
        OperandField::Immediate32 { signed } => {
            let value = values::draw(u, Value::I32)? as u32;
            Field::Immediate(if signed { i64::from(value as i32) } else { i64::from(value) })
        }
        OperandField::Immediate16 | OperandField::Magnitude16 => Field::Immediate(bits(u, 16)?),
        OperandField::Float20 { is_double } => Field::Float(float(u, is_double, true)?),
        OperandField::Float32 => Field::Float(float(u, false, false)?),
        OperandField::Half10 { .. } => Field::Half(half(u)? & 0xffc0),
        OperandField::Half16 { .. } => Field::Half(half(u)?),
        OperandField::Swizzle => Field::Swizzle(u.arbitrary()?),
        // A barrier, and how many threads come to it: all of the block, or the one warp.
        OperandField::Unsigned { width: 8, .. } if form.mnemonic == M::BAR => Field::Immediate(bits(u, 4)?),
        OperandField::OptionalNumber { .. } if form.mnemonic == M::BAR => Field::Immediate(32 * bits(u, 1)?),
        OperandField::Condition { .. } => Field::Condition(bits(u, 5)? as u8),
        OperandField::Unsigned { width, .. } | OperandField::OptionalNumber { width, .. } => {
            Field::Immediate(bits(u, width)?)
        }
        OperandField::ShiftCount { .. } => Field::Immediate(bits(u, 5)?),
        OperandField::QuadLanes { .. } => {
            Field::Immediate(if u.arbitrary::<u8>()? < 128 { WHOLE_QUAD } else { bits(u, 4)? })
        }
        OperandField::Constant => Field::Constant { bank: 0, offset: 0 },
        OperandField::IndexedConstant => {
            // What the register adds is taken off again; the rest says which part of the eight bytes of a constant is read.
            let index = *u.choose(&[0, 8, 16, 0x100, 0x1000, 0x7000])?;
            Field::IndexedConstant { bank: 0, base: Number(0), offset: u.int_in_range(0..=7)? - index }
        }
        OperandField::Coordinates => Field::Address { base: Number(0), offset: 0 },
        OperandField::SystemRegister => Field::System(*u.choose(SYSTEM_REGISTERS)?),
        OperandField::ConditionCodes => Field::ConditionCodes,
        OperandField::AllPredicates => Field::AllPredicates,
        // Every lookup can be of two dimensions, until the texture says how many it has.
        OperandField::Word { names, .. } => {
            let plane = names.iter().position(|name| *name == "2D").unwrap_or(0);
            Field::Word { names, value: plane as u8 }
        }
        // Whoever asks for components chooses them.
        OperandField::Components => Field::Word { names: &[], value: 0 },
        other => unreachable!("no function of registers has {other:?}"),
    })
}

/// A number, of which an instruction may have only the upper 20 bits. The text of a NaN says its sign alone.
fn float(u: &mut Unstructured<'_>, is_double: bool, is_short: bool) -> Result<Float> {
    let (value, dropped, sign, infinity, nan) = match is_double {
        true => (values::draw(u, Value::F64)?, 44, 1 << 63, 0x7ff << 52, 0x7ff8 << 48),
        false => (values::draw(u, Value::F32)?, 12, 1 << 31, 0xff << 23, 0x7fc0 << 16),
    };
    let bits = if is_short { value >> dropped << dropped } else { value };
    let bits = if bits & !sign > infinity { bits & sign | nan } else { bits };
    Ok(Float { bits, is_double })
}

/// The same of a half, whose NaN has all bits.
fn half(u: &mut Unstructured<'_>) -> Result<u16> {
    let bits = values::draw(u, Value::F16)? as u16;
    Ok(if bits & 0x7fff > 0x7c00 { bits | 0x7fff } else { bits })
}
