//! Functions of registers, predicates, condition codes and constants: every form of the assembler's table, with every modifier and mark.
//!
//! A row is an instruction with its weight. What its sources are follows from its form: singles, doubles, halves, amounts of shifts.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use warpdiff_sass::form::{Form, OperandField};
use warpdiff_sass::mnemonic::Subject;
use warpdiff_sass::table::forms_of;
use warpdiff_sass::{Instruction, Mark, Mnemonic as M, Operand as Field, Register as Number, encode};

use super::encoded::{self, Use, continues, uses, uses_before};
use super::fields::{drawn, opcode, plain, possible};
use crate::builder::{Builder, weighted};
use crate::mix::Mix;
use crate::specimen::{Class, Operand, Register, Shape, Step};
use crate::values::{self, Value};

/// How often an instruction is drawn.
pub(super) const ROWS: &[(u32, M)] = &[
    (4, M::B2R),
    (8, M::BAR),
    (8, M::BFE),
    (8, M::BFI),
    (4, M::CS2R),
    (10, M::CSET),
    (10, M::CSETP),
    (8, M::DADD),
    (8, M::DFMA),
    (6, M::DMNMX),
    (8, M::DMUL),
    (6, M::DSET),
    (6, M::DSETP),
    (20, M::F2F),
    (20, M::F2I),
    (8, M::FADD),
    (4, M::FADD32I),
    (4, M::FCHK),
    (8, M::FCMP),
    (10, M::FFMA),
    (4, M::FFMA32I),
    (8, M::FLO),
    (6, M::FMNMX),
    (8, M::FMUL),
    (4, M::FMUL32I),
    (6, M::FSET),
    (6, M::FSETP),
    (4, M::FSWZADD),
    (10, M::HADD2),
    (4, M::HADD2_32I),
    (12, M::HFMA2),
    (4, M::HFMA2_32I),
    (10, M::HMUL2),
    (4, M::HMUL2_32I),
    (10, M::HSET2),
    (10, M::HSETP2),
    (20, M::I2F),
    (20, M::I2I),
    (20, M::IADD),
    (20, M::IADD3),
    (4, M::IADD32I),
    (6, M::ICMP),
    (24, M::IMAD),
    (8, M::IMAD32I),
    (10, M::IMNMX),
    (8, M::IMUL),
    (4, M::IMUL32I),
    (20, M::ISCADD),
    (4, M::ISCADD32I),
    (8, M::ISET),
    (8, M::ISETP),
    (8, M::LDC),
    (14, M::LEA),
    (12, M::LOP),
    (8, M::LOP3),
    (4, M::LOP32I),
    (8, M::MOV),
    (4, M::MEMBAR),
    (4, M::MOV32I),
    (6, M::MUFU),
    (10, M::P2R),
    (4, M::NOP),
    (8, M::POPC),
    (8, M::PRMT),
    (4, M::PSET),
    (4, M::PSETP),
    (10, M::R2P),
    (4, M::S2R),
    (6, M::SEL),
    (12, M::SHF),
    (8, M::SHFL),
    (8, M::SHL),
    (8, M::SHR),
    (30, M::VABSDIFF),
    (3, M::VABSDIFF4),
    (30, M::VADD),
    (30, M::VMAD),
    (30, M::VMNMX),
    (30, M::VSET),
    (24, M::VSHL),
    (24, M::VSHR),
    (4, M::VOTE),
    (14, M::XMAD),
];

/// Instructions of all lanes of a warp.
const TOGETHER: &[M] = &[M::B2R, M::BAR, M::FSWZADD, M::SHFL, M::VOTE];

/// Appends a function of registers.
pub(super) fn function(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let of_floats = builder.mix() == Mix::Float;
    let weight =
        |(weight, mnemonic): &(u32, M)| if of_floats && !is_of_floats(*mnemonic) { 0 } else { *weight };
    let mut mnemonic = weighted(u, ROWS, weight)?.1;
    let is_together = builder.path().is_empty() && builder.is_whole();
    if TOGETHER.contains(&mnemonic) && !is_together {
        // No source says which lanes of a block come to an instruction together.
        mnemonic = M::MOV;
    }
    let form = *u.choose(&possible(mnemonic))?;
    let instruction = drawn(u, form)?;
    let argument = match reduction(&instruction) {
        Some(kind) => range_reduction(builder, u, kind)?,
        None => None,
    };
    push(builder, u, &instruction, argument)?;
    Ok(())
}

/// Whether an instruction computes with numbers of floating point, or converts them.
fn is_of_floats(mnemonic: M) -> bool {
    let subject = mnemonic.traits().map(|traits| traits.subject);
    matches!(subject, Some(Subject::Float | Subject::Half | Subject::Conversion))
}

/// The instructions that have PTX, with nothing that has none: neither condition codes nor marks.
const PLAIN: &[M] = &[
    M::IADD,
    M::IADD3,
    M::IMNMX,
    M::IMUL,
    M::ISETP,
    M::LOP,
    M::MOV,
    M::PSETP,
    M::SEL,
    M::SHL,
    M::SHR,
    M::XMAD,
];

/// Appends a function of registers that has PTX.
pub(super) fn plain_function(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let mnemonic = *u.choose(PLAIN)?;
    let form = *u.choose(forms_of(mnemonic))?;
    let mut instruction = drawn(u, form)?;
    let Instruction { modifiers, marks, .. } = plain(form);
    for ((field, value), default) in form.modifiers.iter().zip(&mut instruction.modifiers).zip(modifiers) {
        let has_no_ptx = match field.role {
            "extension" | "saturation" | "shift" | "reversal" | "test of the result" => true,
            "part of a longer number" => true,
            "treatment of the summand" => field.names[usize::from(*value)] == "CSFU",
            _ => false,
        };
        if has_no_ptx {
            *value = default;
        }
    }
    instruction.marks = marks;
    push(builder, u, &instruction, None)?;
    Ok(())
}

/// What prepares the argument of an approximation, by the value of the modifier of `RRO`.
fn reduction(instruction: &Instruction) -> Option<u8> {
    match (instruction.form.mnemonic, instruction.modifier("function")) {
        (M::MUFU, Some(0 | 1)) => Some(0),
        (M::MUFU, Some(2)) => Some(1),
        _ => None,
    }
}

/// Appends a step that prepares an argument, and answers its result. No source says in what form that is, so that no other step reads it.
fn range_reduction(builder: &mut Builder, u: &mut Unstructured<'_>, kind: u8) -> Result<Option<Register>> {
    let form = *u.choose(forms_of(M::RRO))?;
    let mut instruction = drawn(u, form)?;
    for (field, value) in form.modifiers.iter().zip(&mut instruction.modifiers) {
        if field.role == "function" {
            *value = kind;
        }
    }
    // It has a result in any case: the argument.
    instruction.operands[0] = Field::Register(Number(0));
    push(builder, u, &instruction, None)
}

/// Appends an instruction, and answers its first result, if it has one. `argument` is the first source, if it is given.
fn push(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    instruction: &Instruction,
    argument: Option<Register>,
) -> Result<Option<Register>> {
    // As it is read again from its word.
    let instruction = encoded::instruction(encode(instruction));
    let before = match instruction.form.mnemonic {
        M::B2R => Some(reduction_at_barrier(u)?),
        _ => continues(&instruction).then(|| beginning(&instruction)),
    };
    let (mut sources, mut results, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let is_open = matches!(instruction.form.mnemonic, M::B2R | M::LEA | M::MUFU | M::RRO);
    for (one, uses) in
        before.iter().map(|one| (one, uses_before(one))).chain([(&instruction, uses(&instruction))])
    {
        for usage in uses.iter().copied().filter(|usage| !usage.is_result()) {
            source(builder, u, one, usage, &mut sources)?;
        }
        for usage in uses.into_iter().filter(|usage| usage.is_result()) {
            let result = builder.result(class_of(one, usage));
            results.push(result);
            // Of condition codes some are undefined, and of the results of these instructions.
            if usage != Use::CodesAfter && !is_open {
                kept.push(result);
            }
        }
    }
    if let (Some(argument), Some(first)) = (argument, sources.first_mut()) {
        *first = Operand::Register(argument);
    }
    let first = results.first().copied();
    let shape = Shape::Encoded {
        before: before.as_ref().map_or(0, encode),
        word: encode(&instruction),
        object: None,
    };
    let opcode = Cow::Owned(opcode(&instruction));
    builder.push_keeping(Step { guard: None, opcode, results, shape, sources, within: None }, &kept);
    Ok(first)
}

/// `BAR.RED`, whose result `B2R.RESULT` reads.
fn reduction_at_barrier(u: &mut Unstructured<'_>) -> Result<Instruction> {
    let forms: Vec<&'static Form> =
        possible(M::BAR).into_iter().filter(|form| form.fixed_modifiers == ["RED"]).collect();
    let form = *u.choose(&forms)?;
    drawn(u, form)
}

/// The instruction that leaves behind what this one goes on with: with `.CC`, and without what asks for one before it.
fn beginning(instruction: &Instruction) -> Instruction {
    let mut first = instruction.clone();
    for (field, value) in first.form.modifiers.iter().zip(&mut first.modifiers) {
        match field.role {
            "extension" => *value = 0,
            "part of a longer number" => *value = 3,
            _ => {}
        }
    }
    first.marks[0] = first.marks[0].with(Mark::ConditionCodes);
    first
}

/// The class of what an instruction writes.
fn class_of(instruction: &Instruction, one: Use) -> Class {
    match one {
        Use::Result(n) if instruction.registers(n) == 2 => Class::B64,
        Use::Verdict(_) => Class::Pred,
        _ => Class::B32,
    }
}

/// Appends a source of an instruction to those before it.
fn source(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    instruction: &Instruction,
    one: Use,
    sources: &mut Vec<Operand>,
) -> Result<()> {
    let register = |builder: &mut Builder, u: &mut Unstructured<'_>, class, value| {
        builder.register(u, class, value).map(Operand::Register)
    };
    let source = match one {
        Use::Source(n) => {
            let (class, value) = value_of(instruction, n);
            if matches!(value, Value::Barrier | Value::Warp) {
                // The same for all threads.
                let values = vec![values::draw(u, value)?; builder.threads() as usize];
                Operand::Register(builder.input(class, values))
            } else {
                register(builder, u, class, value)?
            }
        }
        Use::Constant(n) => Operand::Immediate(values::draw(u, value_of(instruction, n).1)? as i64),
        Use::Test(_) => register(builder, u, Class::Pred, Value::Truth)?,
        Use::Before => {
            let wide = instruction.registers(0) == 2;
            let (class, value) = if wide { (Class::B64, Value::I64) } else { (Class::B32, Value::I32) };
            register(builder, u, class, value)?
        }
        Use::Codes | Use::Predicates => {
            let values = builder.values(u, |u| Ok(u64::from(u.arbitrary::<u8>()? & 0x7f)))?;
            Operand::Register(builder.input(Class::B32, values))
        }
        Use::Indexed(n) => {
            let Field::IndexedConstant { offset, .. } = instruction.operands[n] else { return Ok(()) };
            // The constant, or a part of it that the offset leaves behind.
            let index = u64::from((offset.rem_euclid(8) - offset) as u32);
            let index = builder.input(Class::B32, vec![index; builder.threads() as usize]);
            sources.push(Operand::Register(index));
            Operand::Immediate(values::draw(u, Value::I64)? as i64)
        }
        _ => unreachable!("{one:?} is no source of a function of registers"),
    };
    sources.push(source);
    Ok(())
}

/// What a source of an instruction is.
fn value_of(instruction: &Instruction, n: usize) -> (Class, Value) {
    let is_wide = match instruction.operands[n] {
        Field::Constant { .. } => instruction.register_bytes().1 == 8,
        _ => instruction.registers(n) == 2,
    };
    let role = match instruction.form.operands[n] {
        OperandField::Register { role, .. } => role,
        _ => "",
    };
    let narrow = match (instruction.form.traits.subject, instruction.form.mnemonic) {
        (_, M::SHL | M::SHR | M::SHF) if role != "Ra" && role != "Rc" => Value::Amount,
        (_, M::BFE) if role != "Ra" => Value::Span,
        (_, M::BFI) if n == 2 => Value::Span,
        (_, M::BAR) if role == "Ra" => Value::Barrier,
        (_, M::BAR) => Value::Warp,
        (_, M::SHFL) if role == "Rb" => Value::Lane,
        (_, M::SHFL) if role == "Rc" => Value::Segment,
        (Subject::Float, _) => {
            if is_wide {
                Value::F64
            } else {
                Value::F32
            }
        }
        (Subject::Half, _)
            if instruction.marks[n].has(Mark::Single)
                || matches!(instruction.operands[n], Field::Constant { .. }) =>
        {
            Value::F32
        }
        (Subject::Half, _) => Value::F16x2,
        (Subject::Conversion, _) => match instruction.modifier_name("source type") {
            Some("F16") => Value::F16x2,
            Some("F32") => Value::F32,
            Some("F64") => Value::F64,
            _ => {
                if is_wide {
                    Value::I64
                } else {
                    Value::I32
                }
            }
        },
        _ => Value::I32,
    };
    (if is_wide { Class::B64 } else { Class::B32 }, narrow)
}
