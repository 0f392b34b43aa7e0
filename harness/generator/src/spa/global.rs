//! Accesses to global memory by the instructions that programs of windows have not, or with their cache operators.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};

use super::place::{Place, SIZES, operands_of};
use crate::builder::Builder;
use crate::specimen::{Action, Class, Operand, Register, Space, Step};
use crate::values::Value;

/// Sizes of loads from global memory.
const LOAD_SIZES: &[(&str, usize)] = &[
    (".U8", 1),
    (".U8", 1),
    (".S8", 1),
    (".U16", 2),
    (".U16", 2),
    (".S16", 2),
    ("", 4),
    ("", 4),
    (".64", 8),
    (".128", 16),
    (".U.128", 16),
];

/// Accesses to global memory.
const GLOBAL: &[(&str, Action)] = &[
    ("LDG.E", Action::Load),
    ("LDG.E", Action::Load),
    ("LD.E", Action::Load),
    ("LD.E", Action::Load),
    ("STG.E", Action::Store),
    ("ST.E", Action::Store),
    ("ATOM.E", Action::Atomic),
    ("ATOM.E", Action::Atomic),
    ("ATOM.E.EXCH", Action::Atomic),
    ("ATOM.E.CAS", Action::Atomic),
    ("RED.E", Action::Reduction),
    ("RED.E", Action::Reduction),
];

/// Appends an access to global memory.
pub(super) fn global(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    builder.memory(u)?;
    let (name, action) = *u.choose(GLOBAL)?;
    let sizes = match name {
        "ATOM.E" | "RED.E" | "ATOM.E.CAS" | "ATOM.E.EXCH" => return global_atomic(builder, u, name, action),
        "LDG.E" | "LD.E" => LOAD_SIZES,
        _ => SIZES,
    };
    let operator = *u.choose(if action == Action::Load {
        &["", ".CG", ".CI", ".CV"]
    } else {
        &["", ".CG", ".CS", ".WT"]
    })?;
    let (size_name, size) = *u.choose(sizes)?;
    let size_name = if size == 4 { "" } else { size_name };
    let place = Place::draw(u, Space::Global, size, 1)?;
    let (shape, mut sources) = place.shape(builder, u, action)?;
    let mut results = Vec::new();
    let class = if size < 8 { Class::B32 } else { Class::B64 };
    for _ in 0..size.div_ceil(8) {
        match action {
            Action::Load => results.push(builder.result(class)),
            _ => sources.push(Operand::Register(builder.register(
                u,
                class,
                if size < 8 { Value::I32 } else { Value::I64 },
            )?)),
        }
    }
    let opcode = Cow::Owned(format!("{name}{operator}{size_name}"));
    let guard = guard_without_result(builder, u, action)?;
    builder.push(Step { guard, opcode, results, shape, sources, within: None });
    Ok(())
}

/// A guard for some of the accesses that give no result.
fn guard_without_result(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    action: Action,
) -> Result<Option<(Register, bool)>> {
    let has_result = matches!(action, Action::Load | Action::Atomic);
    if has_result || u.arbitrary::<u8>()? % 4 != 0 { Ok(None) } else { builder.guard(u).map(Some) }
}

/// `ATOM` and `RED`.
fn global_atomic(builder: &mut Builder, u: &mut Unstructured<'_>, name: &str, action: Action) -> Result<()> {
    let operation = *u.choose(&["ADD", "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"])?;
    let types: &[(&str, usize)] = match (name, operation) {
        ("ATOM.E.CAS", _) => &[("", 4), (".64", 8)],
        ("ATOM.E.EXCH", _) => &[("", 4), (".S32", 4), (".U64", 8), (".S64", 8)],
        (_, "INC" | "DEC") => &[("", 4)],
        (_, "ADD") => &[("", 4), (".S32", 4), (".U64", 8), (".S64", 8), (".F32.FTZ.RN", 4)],
        _ => &[("", 4), (".S32", 4), (".U64", 8), (".S64", 8)],
    };
    let (ty, size) = *u.choose(types)?;
    let opcode = match name {
        "ATOM.E" | "RED.E" => format!("{name}.{operation}{ty}"),
        _ => format!("{name}{ty}"),
    };
    let place = Place::draw(u, Space::Global, size, 1)?;
    let (shape, mut sources) = place.shape(builder, u, action)?;
    let count = if name == "ATOM.E.CAS" { 2 } else { 1 };
    operands_of(builder, u, &place, count, &mut sources)?;
    let class = if size == 8 { Class::B64 } else { Class::B32 };
    let results = if action == Action::Atomic { vec![builder.result(class)] } else { Vec::new() };
    let guard = guard_without_result(builder, u, action)?;
    builder.push(Step { guard, opcode: Cow::Owned(opcode), results, shape, sources, within: None });
    Ok(())
}
