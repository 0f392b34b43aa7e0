//! `mov`: of registers, of vectors into a register and back, and of special registers.

use std::borrow::Cow;
use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use warpdiff_ptx::ast::WordKind;
use warpdiff_ptx::forms::{forms_to_run, needed_target};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, SpecialRegister, Type};

use crate::builder::Builder;
use crate::forms::{choices, text};
use crate::specimen::{Class, Operand, Shape, Step};
use crate::values::Value;

/// The table: special registers that have one value for a program, with the number of their components.
const SPECIAL: &[(SpecialRegister, u8)] = &[
    (SpecialRegister::Tid, 3),
    (SpecialRegister::Ntid, 3),
    (SpecialRegister::Ctaid, 3),
    (SpecialRegister::Nctaid, 3),
    (SpecialRegister::Laneid, 1),
    (SpecialRegister::LanemaskEq, 1),
    (SpecialRegister::LanemaskLe, 1),
    (SpecialRegister::LanemaskLt, 1),
    (SpecialRegister::LanemaskGe, 1),
    (SpecialRegister::LanemaskGt, 1),
];

/// A form of `mov`.
#[derive(Debug)]
pub(crate) struct Form {
    text: String,
    ty: Type,
    /// Elements on either side.
    elements: usize,
}

/// The forms of `mov` that a target has.
pub(crate) fn of_target(target: u32) -> Vec<Form> {
    let mut texts = BTreeSet::new();
    let mut all = Vec::new();
    for (opcode, row) in forms_to_run().filter(|(opcode, _)| *opcode == Opcode::Mov) {
        for words in choices(row) {
            let text = text(opcode, &words);
            let ty = words.iter().find_map(|word| match word {
                WordKind::Type(ty) => Some(*ty),
                _ => None,
            });
            let Some(ty) = ty else { continue };
            let elements = match words.first() {
                Some(WordKind::Modifier(Modifier::V2)) => 2,
                Some(WordKind::Modifier(Modifier::V4)) => 4,
                _ => 1,
            };
            let is_wide = elements * ty.size() as usize > 16;
            if needed_target(opcode, row, &words) <= target && !is_wide && texts.insert(text.clone()) {
                all.push(Form { text, ty, elements });
            }
        }
    }
    all
}

/// Why no step is a move of those words.
pub(crate) fn left_out(words: &[WordKind]) -> Option<&'static str> {
    let is_wide = words.contains(&WordKind::Modifier(Modifier::V4))
        && words.iter().any(|word| matches!(word, WordKind::Type(ty) if ty.size() == 8));
    is_wide.then_some("a vector has at most 128 bits")
}

/// The class of the registers that hold a type, and what they hold.
fn held(ty: Type) -> (Class, Value) {
    match ty {
        Type::Pred => (Class::Pred, Value::Truth),
        Type::F32 => (Class::B32, Value::F32),
        Type::F64 => (Class::B64, Value::F64),
        _ => match ty.size() {
            0..=2 => (Class::B16, Value::I16),
            4 => (Class::B32, Value::I32),
            _ => (Class::B64, Value::I64),
        },
    }
}

/// Adds a `mov`.
pub(crate) fn step(builder: &mut Builder, u: &mut Unstructured<'_>, forms: &'static [Form]) -> Result<()> {
    let form = u.choose(forms)?;
    let (class, value) = held(form.ty);
    let roll = u.arbitrary::<u8>()?;
    let mut shape = if form.elements == 1 { Shape::Plain } else { Shape::Pack };
    let (mut to, mut from) = (vec![class; form.elements], vec![(class, value); form.elements]);
    let is_bits = matches!(form.ty, Type::B32 | Type::B64);
    match roll % 4 {
        0 if form.ty == Type::U32 && form.elements == 1 => {
            let (register, components) = *u.choose(SPECIAL)?;
            shape = Shape::Special { register, component: u.int_in_range(0..=components - 1)? };
            from.clear();
        }
        half @ 0..=2 if is_bits && form.elements == 1 => {
            let parts = if form.ty == Type::B64 && half == 1 { 4 } else { 2 };
            let part = held(if form.ty == Type::B64 && parts == 2 { Type::B32 } else { Type::B16 });
            shape = Shape::Pack;
            match (roll >> 2) % 2 {
                0 => from = vec![part; parts],
                _ => to = vec![part.0; parts],
            }
        }
        _ => {}
    }
    let sources = from
        .into_iter()
        .map(|(class, value)| Ok(Operand::Register(builder.register(u, class, value)?)))
        .collect::<Result<_>>()?;
    let results = to.into_iter().map(|class| builder.result(class)).collect();
    let opcode = Cow::Borrowed(form.text.as_str());
    builder.push(Step { guard: None, opcode, results, shape, sources, within: None });
    Ok(())
}
