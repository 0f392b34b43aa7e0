//! The key `sass`: the resources of the shader.

use warpdiff_sass::{Header, ShaderType};

use crate::reader::{Fields, Read, Reader};

/// The keys of `sass`.
pub(crate) const KEYS: [&str; 4] = ["registers", "shared", "local", "shader"];
/// Default number of registers.
const REGISTERS: u16 = 64;
/// Most bytes of shared or local memory.
const WINDOW: i128 = 1 << 24;

/// Reads the key `sass`.
pub(crate) fn header(reader: &Reader<'_>, fields: &Fields<'_>) -> Read<Header> {
    let fields = reader.fields(fields.required(reader, "sass", "this case")?, "`sass`", &KEYS)?;
    let number = |key: &str, otherwise: u32, most: i128| match fields.get(key) {
        Some(node) => reader.integer(node, &format!("`{key}`"), 0..=most).map(|value| value as u32),
        None => Ok(otherwise),
    };
    let shader = match fields.get("shader") {
        Some(node) => {
            let known = [("compute", ShaderType::Compute), ("graphics", ShaderType::Graphics)];
            reader.one_of(node, "shader", &known)?
        }
        None => ShaderType::Compute,
    };
    Ok(Header {
        registers: number("registers", u32::from(REGISTERS), 255)? as u16,
        shared: number("shared", 0, WINDOW)?,
        local: number("local", 0, WINDOW)?,
        shader,
    })
}
