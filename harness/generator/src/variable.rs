//! Module-scope variables with initialisers, and loads of their elements.
//!
//! Lists are short at their end alone, where the text and NVIDIA's assembler agree about what follows; expressions are those of
//! which both make the same.

use std::borrow::Cow;
use std::fmt::Write as _;

use arbitrary::{Result, Unstructured};

use crate::builder::Builder;
use crate::specimen::{Class, Shape, Step, Table};
use crate::values::{self, Value};

/// Most variables of a specimen.
const MOST: usize = 4;

/// A type of variable.
#[derive(Debug)]
struct Type {
    name: &'static str,
    size: u32,
    /// What an element is like.
    value: Value,
    /// Registers that an element is loaded to.
    classes: &'static [Class],
}

/// The table: fundamental types with an initialiser (5.4.4).
#[rustfmt::skip]
const TYPES: &[Type] = &[
    Type { name: "u8", size: 1, value: Value::I16, classes: &[Class::B16, Class::B32, Class::B64] },
    Type { name: "s8", size: 1, value: Value::I16, classes: &[Class::B16, Class::B32, Class::B64] },
    Type { name: "b8", size: 1, value: Value::I16, classes: &[Class::B16, Class::B32, Class::B64] },
    Type { name: "u16", size: 2, value: Value::I16, classes: &[Class::B16, Class::B32, Class::B64] },
    Type { name: "s16", size: 2, value: Value::I16, classes: &[Class::B16, Class::B32, Class::B64] },
    Type { name: "b16", size: 2, value: Value::I16, classes: &[Class::B16, Class::B32, Class::B64] },
    Type { name: "u32", size: 4, value: Value::I32, classes: &[Class::B32, Class::B64] },
    Type { name: "s32", size: 4, value: Value::I32, classes: &[Class::B32, Class::B64] },
    Type { name: "b32", size: 4, value: Value::I32, classes: &[Class::B32, Class::B64] },
    Type { name: "u64", size: 8, value: Value::I64, classes: &[Class::B64] },
    Type { name: "s64", size: 8, value: Value::I64, classes: &[Class::B64] },
    Type { name: "b64", size: 8, value: Value::I64, classes: &[Class::B64] },
    Type { name: "f32", size: 4, value: Value::F32, classes: &[Class::B32] },
    Type { name: "f64", size: 8, value: Value::F64, classes: &[Class::B64] },
];

/// Shapes: what stands in front of the type, the dimensions. A first dimension that is left out is written as 0.
const SHAPES: &[(&str, &[u32])] = &[
    ("", &[]),
    ("", &[3]),
    ("", &[5]),
    ("", &[0]),
    ("", &[2, 3]),
    ("", &[0, 2]),
    ("", &[2, 2, 2]),
    (".v2 ", &[2]),
    (".v4 ", &[4]),
    (".v2 ", &[3, 2]),
];

/// Extents of arrays of opaque variables.
const OPAQUE_EXTENTS: &[&[u32]] = &[&[1], &[2], &[3], &[2, 2]];

/// Adds a load of an element of a variable, which may be a new one.
pub(crate) fn load(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let tables = builder.tables().iter().enumerate();
    let is_loaded = |table: &Table| table.space != "param" && !table.is_opaque();
    let mut known = tables.filter(|(_, table)| is_loaded(table)).map(|(index, _)| index);
    let index = match known.nth(u.choose_index(MOST)?) {
        Some(index) => index,
        None => {
            let table = table(u)?;
            builder.add_table(table)
        }
    };
    let table = &builder.tables()[index];
    let ty = TYPES.iter().find(|ty| ty.name == table.ty).unwrap_or(&TYPES[0]);
    let (space, name) = (table.space, ty.name);
    let offset = ty.size * u.choose_index(table.elements as usize)? as u32;
    let class = *u.choose(ty.classes)?;
    let opcode = Cow::Owned(format!("ld.{space}.{name}"));
    let results = vec![builder.result(class)];
    let shape = Shape::TableLoad { table: index as u32, offset };
    builder.push(Step { guard: None, opcode, results, shape, sources: Vec::new(), within: None });
    Ok(())
}

/// An array of opaque variables with that name of its type: a new one, or one that is there. Its name is no object, and its elements have none: a
/// pointer to it is one to its first element, which nothing is bound to.
pub(crate) fn opaque_array(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    ty: &'static str,
    members: &[&str],
) -> Result<u32> {
    let known = builder.tables().iter().position(|table| table.ty == ty);
    if let Some(index) = known {
        return Ok(index as u32);
    }
    let extents = *u.choose(OPAQUE_EXTENTS)?;
    let mut declarator: String = extents.iter().map(|extent| format!("[{extent}]")).collect();
    let elements = extents.iter().product();
    if let ([_], true) = (extents, u.arbitrary::<u8>()? % 2 == 0) {
        let lists: Vec<String> =
            (0..elements).map(|_| Ok(format!("{{{}}}", u.choose(members)?))).collect::<Result<_>>()?;
        put(&mut declarator, format!(" = {{{}}}", lists.join(", ")));
    }
    let (space, alignment, vector) = ("global", "", "");
    let table = Table { space, alignment, vector, ty, declarator, elements, bytes: Vec::new() };
    Ok(builder.add_table(table) as u32)
}

/// Draws a variable.
fn table(u: &mut Unstructured<'_>) -> Result<Table> {
    let ty = u.choose(TYPES)?;
    let space = *u.choose(&["global", "const"])?;
    let (vector, dimensions) = *u.choose(SHAPES)?;
    // `.v4` of 64 bits does not exist: a vector has at most 128.
    let (vector, dimensions) =
        if vector == ".v4 " && ty.size == 8 { (".v2 ", &[2][..]) } else { (vector, dimensions) };
    let alignment = *u.choose(&["", "", ".align 8 ", ".align 16 ", ".align 64 "])?;
    let first = if dimensions.first() == Some(&0) { u.int_in_range(1..=4)? } else { 0 };
    let extents: Vec<u32> = dimensions.iter().map(|n| if *n == 0 { first } else { *n }).collect();
    let is_vector = !vector.is_empty();
    let mut declarator = String::new();
    let written = dimensions.len() - usize::from(is_vector);
    for extent in &dimensions[..written] {
        put(&mut declarator, if *extent == 0 { "[]".into() } else { format!("[{extent}]") });
    }
    // Some have no initialiser, and are zero.
    let is_unsized = dimensions.first() == Some(&0);
    if is_unsized || u.arbitrary::<u8>()? % 8 != 0 {
        declarator.push_str(" = ");
        // A vector takes all of its elements, and a first dimension that is left out is as long as its list.
        let shortest = if is_unsized || is_vector || extents.is_empty() { u8::MAX } else { u.arbitrary()? };
        list(u, &mut declarator, ty, &extents, shortest < 128)?;
    }
    let elements = extents.iter().product();
    Ok(Table { space, alignment, vector, ty: ty.name, declarator, elements, bytes: Vec::new() })
}

/// Writes the value of what has these extents; where it may be `short`, its last list is, and nothing follows it.
fn list(u: &mut Unstructured<'_>, out: &mut String, ty: &Type, extents: &[u32], short: bool) -> Result<()> {
    let Some((extent, inner)) = extents.split_first() else { return value(u, out, ty) };
    let count = if short { u.int_in_range(1..=*extent)? } else { *extent };
    out.push('{');
    for index in 0..count {
        if index > 0 {
            out.push_str(", ");
        }
        list(u, out, ty, inner, short && index + 1 == count)?;
    }
    out.push('}');
    Ok(())
}

/// Writes an element.
fn value(u: &mut Unstructured<'_>, out: &mut String, ty: &Type) -> Result<()> {
    let bits = values::draw(u, ty.value)?;
    let width = ty.size * 8;
    let text = match ty.value {
        Value::F32 => format!("0f{bits:08x}"),
        Value::F64 => format!("0d{bits:016x}"),
        _ => {
            // Beyond the type: a value wraps to it.
            let small = (bits & 0x3F) as i64;
            match u.arbitrary::<u8>()? % 8 {
                0 => format!("{}", sign_extended(bits, width)),
                1 => format!("{bits:#x}"),
                2 => format!("0{bits:o}"),
                3 => format!("{bits:#b}U"),
                4 => format!("~{small}"),
                5 => format!("{small} << {} | 3", small % 40),
                6 => format!("{small} > 20 ? {small} * 3 : -{small}"),
                _ => format!("0xff00({bits:#x})"),
            }
        }
    };
    out.push_str(&text);
    Ok(())
}

/// The low bits as a signed number.
fn sign_extended(bits: u64, width: u32) -> i64 {
    ((bits << (64 - width)) as i64) >> (64 - width)
}

fn put(out: &mut String, text: String) {
    out.write_str(&text).expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen::Language;

    /// A parameter of the kernel and an array of opaque variables have no elements to load; behind the last byte everything that is drawn is the
    /// first of its kind.
    #[test]
    fn behind_the_last_byte_a_variable_is_loaded_all_the_same() {
        let mut builder = Builder::new(Language::Ptx, 1);
        let table = |space, ty| Table {
            space,
            alignment: "",
            vector: "",
            ty,
            declarator: "[2]".into(),
            elements: 2,
            bytes: Vec::new(),
        };
        builder.add_table(table("param", "b8"));
        builder.add_table(table("global", "texref"));
        load(&mut builder, &mut Unstructured::new(&[])).unwrap();
        load(&mut builder, &mut Unstructured::new(&[])).unwrap();
        let loaded: Vec<Shape> = builder.finish().steps.iter().map(|step| step.shape).collect();
        assert_eq!(loaded, [Shape::TableLoad { table: 2, offset: 0 }; 2]);
    }
}
