//! `ld`, `st`, `atom` and `red` on the window of memory that each thread owns.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};

use crate::builder::Builder;
use crate::specimen::{Class, Operand, Register, Shape, Space, Step, WINDOW};
use crate::values::Value;

/// Types of a load or store: name in PTX, size in bytes, what a stored value looks like.
const TYPES: &[(&str, usize, Value)] = &[
    ("s8", 1, Value::I16),
    ("u8", 1, Value::I16),
    ("b8", 1, Value::I16),
    ("s16", 2, Value::I16),
    ("u16", 2, Value::I16),
    ("b16", 2, Value::I16),
    ("s32", 4, Value::I32),
    ("u32", 4, Value::I32),
    ("b32", 4, Value::I32),
    ("f32", 4, Value::F32),
    ("s64", 8, Value::I64),
    ("u64", 8, Value::I64),
    ("b64", 8, Value::I64),
    ("f64", 8, Value::F64),
];

/// An atomic operation that returns the old value.
#[derive(Debug)]
struct Atomic {
    weight: u32,
    /// Operation and type: any of them.
    operations: &'static [&'static str],
    class: Class,
    operand: Value,
    /// Number of operands after the address.
    operands: usize,
    /// Whether `red` has it too.
    red: bool,
}

const fn atomic(
    weight: u32,
    operations: &'static [&'static str],
    class: Class,
    operand: Value,
    red: bool,
) -> Atomic {
    Atomic { weight, operations, class, operand, operands: 1, red }
}

/// The table: atomics on `.global` and `.shared` (9.7.13).
const ATOMICS: &[Atomic] = &[
    atomic(2, &["add.u32", "add.s32", "and.b32", "or.b32", "xor.b32"], Class::B32, Value::I32, true),
    atomic(3, &["min.s32", "max.s32", "min.u32", "max.u32"], Class::B32, Value::I32, true),
    atomic(4, &["inc.u32", "dec.u32"], Class::B32, Value::I32, true),
    atomic(1, &["exch.b32"], Class::B32, Value::I32, false),
    Atomic { operands: 2, ..atomic(3, &["cas.b32"], Class::B32, Value::I32, false) },
    atomic(1, &["add.u64", "and.b64", "or.b64", "xor.b64"], Class::B64, Value::I64, true),
    atomic(2, &["min.s64", "max.s64", "min.u64", "max.u64"], Class::B64, Value::I64, true),
    atomic(1, &["exch.b64"], Class::B64, Value::I64, false),
    Atomic { operands: 2, ..atomic(1, &["cas.b64"], Class::B64, Value::I64, false) },
    Atomic { operands: 2, ..atomic(1, &["cas.b16"], Class::B16, Value::I16, false) },
    atomic(1, &["add.f32"], Class::B32, Value::F32, true),
    atomic(1, &["add.f64"], Class::B64, Value::F64, true),
];

/// Adds a load.
pub(crate) fn load(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let access = Access::draw(u)?;
    let cop = cache_operator(u, access.space, &["", ".ca", ".cg", ".cs", ".cv"])?;
    let class = access.register_class(u)?;
    let results = (0..access.elements).map(|_| builder.result(class)).collect();
    let opcode = format!("ld{cop}.{}{}.{}", access.space.name(), vector(access.elements), access.ty);
    let shape = Shape::Load { space: access.space, offset: access.offset };
    builder.push(Step { guard: None, opcode: Cow::Owned(opcode), results, shape, sources: Vec::new() });
    Ok(())
}

/// Adds a store, half of the time under a predicate.
pub(crate) fn store(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let access = Access::draw(u)?;
    let cop = cache_operator(u, access.space, &["", ".wb", ".cg", ".cs", ".wt"])?;
    let class = access.register_class(u)?;
    let guard = if u.arbitrary::<u8>()? & 1 == 0 { None } else { Some(builder.guard(u)?) };
    let sources = (0..access.elements)
        .map(|_| Ok(Operand::Register(builder.register(u, class, access.value)?)))
        .collect::<Result<_>>()?;
    let opcode = format!("st{cop}.{}{}.{}", access.space.name(), vector(access.elements), access.ty);
    let shape = Shape::Store { space: access.space, offset: access.offset };
    builder.push(Step { guard, opcode: Cow::Owned(opcode), results: Vec::new(), shape, sources });
    Ok(())
}

/// Adds an atomic operation or a reduction.
pub(crate) fn atomic_operation(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let form = crate::builder::weighted(u, ATOMICS, |form| form.weight)?;
    let operation = *u.choose(form.operations)?;
    let space = *u.choose(&[Space::Global, Space::Shared])?;
    let size = form.class.size();
    let offset = size * u.choose_index(WINDOW / size)?;
    let sources = (0..form.operands)
        .map(|_| Ok(Operand::Register(near_memory(builder, u, form, space, offset)?)))
        .collect::<Result<_>>()?;
    let offset = offset as u32;
    let reduce = form.red && u.arbitrary::<u8>()? % 4 == 0;
    let guard = if reduce && u.arbitrary::<u8>()? % 2 == 0 { Some(builder.guard(u)?) } else { None };
    let step = if reduce {
        let opcode = Cow::Owned(format!("red.{}.{operation}", space.name()));
        Step { guard, opcode, results: Vec::new(), shape: Shape::Store { space, offset }, sources }
    } else {
        let opcode = Cow::Owned(format!("atom.{}.{operation}", space.name()));
        let results = vec![builder.result(form.class)];
        Step { guard, opcode, results, shape: Shape::Atomic { space, offset }, sources }
    };
    builder.push(step);
    Ok(())
}

/// An operand that often equals what the location held at first, or lies one beside it: that is where `inc`, `dec` and `cas` are
/// interesting.
fn near_memory(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    form: &Atomic,
    space: Space,
    offset: usize,
) -> Result<Register> {
    let roll = u.arbitrary::<u8>()?;
    if roll % 2 == 1 {
        return builder.register(u, form.class, form.operand);
    }
    let delta = [0, 0, 1, u64::MAX][usize::from(roll >> 1) % 4];
    let size = form.class.size();
    let values = builder.window_values(u, space, offset, size)?;
    let mask = u64::MAX >> (64 - 8 * size);
    Ok(builder.input(form.class, values.iter().map(|v| v.wrapping_add(delta) & mask).collect()))
}

/// Where a load or store goes.
struct Access {
    space: Space,
    ty: &'static str,
    size: usize,
    value: Value,
    elements: usize,
    offset: u32,
}

impl Access {
    fn draw(u: &mut Unstructured<'_>) -> Result<Self> {
        let space = *u.choose(&Space::ALL)?;
        let (ty, size, value) = *u.choose(TYPES)?;
        let elements = [1, 1, 1, 1, 2, 2, 4, 4][usize::from(u.arbitrary::<u8>()?) % 8];
        // A vector has at most 128 bits (5.4.2).
        let elements = if size * elements > 16 { 16 / size } else { elements };
        let total = size * elements;
        let offset = (total * u.choose_index(WINDOW / total)?) as u32;
        Ok(Self { space, ty, size, value, elements, offset })
    }

    /// A class at least as wide as the type (9.4.1): the value is extended to it. Floating-point types have to fit exactly.
    fn register_class(&self, u: &mut Unstructured<'_>) -> Result<Class> {
        let classes: &[Class] = match (self.size, self.ty.starts_with('f')) {
            (4, true) => &[Class::B32],
            (1 | 2, _) => &[Class::B16, Class::B32, Class::B64],
            (4, false) => &[Class::B32, Class::B64],
            _ => &[Class::B64],
        };
        Ok(*u.choose(classes)?)
    }
}

/// A cache operator now and then. `.local` takes `.ca` and the like too, but not `.cv`-style volatility, so it gets none.
fn cache_operator(
    u: &mut Unstructured<'_>,
    space: Space,
    operators: &[&'static str],
) -> Result<&'static str> {
    let roll = usize::from(u.arbitrary::<u8>()?);
    Ok(if space == Space::Global && roll < 128 { operators[roll % operators.len()] } else { "" })
}

/// `.v2`, `.v4` or nothing.
pub(crate) fn vector(elements: usize) -> &'static str {
    match elements {
        2 => ".v2",
        4 => ".v4",
        _ => "",
    }
}
