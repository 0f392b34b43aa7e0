//! Specimen → a case of the corpus, in the long form: the whole program, launch and data.

use std::fmt::Write as _;

use warpdiff_model::{
    AddressMode, Argument, Buffer, FilterMode, Launch, ReadMode, Sampler, Surface, Texture,
};

/// Writes a launch as a case. `comment` lines go before it; the title must be unique in its file. `expect` is the key of that name, such as
/// `{fault: trap}`.
///
/// Without it no expectation is written: the reference decides, and what a person knows beyond that is theirs to add. A launch that cannot complete
/// needs one.
pub fn text(title: &str, comment: &[String], why: &str, launch: &Launch, expect: Option<&str>) -> String {
    let mut out = String::with_capacity(launch.program.len() * 2);
    for line in comment {
        put(&mut out, format_args!("# {line}\n"));
    }
    put(&mut out, format_args!("- case: {}\n", quoted(title)));
    put(&mut out, format_args!("  why: {}\n", quoted(why)));
    out.push_str("  program: |\n");
    for line in launch.program.lines() {
        if line.is_empty() {
            out.push('\n');
        } else {
            put(&mut out, format_args!("    {line}\n"));
        }
    }
    launch_lines(&mut out, launch);
    if !launch.buffers.is_empty() {
        out.push_str("  buffers:\n");
    }
    launch.buffers.iter().for_each(|buffer| buffer_line(&mut out, buffer));
    if !launch.surfaces.is_empty() {
        out.push_str("  surfaces:\n");
    }
    for surface in &launch.surfaces {
        image_lines(&mut out, surface);
    }
    if !launch.textures.is_empty() {
        out.push_str("  textures:\n");
    }
    for texture in &launch.textures {
        texture_lines(&mut out, texture);
    }
    variable_lines(&mut out, launch);
    if let Some(expect) = expect {
        put(&mut out, format_args!("  expect: {expect}\n"));
    }
    out
}

/// An entry of `buffers`. Where bits of it are undefined, its elements are bytes: a byte without any defined bit is written `undefined`. The
/// format has no word for a byte of which some bits are defined.
fn buffer_line(out: &mut String, buffer: &Buffer) {
    let is_defined = |at: usize| buffer.defined.get(at).is_none_or(|mask| *mask != 0);
    let defined = (0..buffer.bytes.len()).all(is_defined);
    let (ty, size) = if defined && buffer.bytes.len().is_multiple_of(8) { ("b64", 8) } else { ("b8", 1) };
    put(out, format_args!("    {}: {{type: {ty}, ", buffer.name));
    if defined && buffer.bytes.iter().all(|byte| *byte == 0) {
        put(out, format_args!("values: zero, count: {}}}\n", buffer.bytes.len() / size));
        return;
    }
    let value = |(number, bytes)| match is_defined(number * size) {
        true => hexadecimal(bytes),
        false => "undefined".to_owned(),
    };
    let values = buffer.bytes.chunks(size).enumerate().map(value);
    put(out, format_args!("values: [{}]}}\n", values.collect::<Vec<_>>().join(", ")));
}

/// The keys `observe` and `managed`.
fn variable_lines(out: &mut String, launch: &Launch) {
    if !launch.observed_variables.is_empty() {
        put(out, format_args!("  observe: [{}]\n", launch.observed_variables.join(", ")));
    }
    if !launch.host_writes.is_empty() {
        out.push_str("  managed:\n");
    }
    for write in &launch.host_writes {
        let bytes = write.bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        put(out, format_args!("    {}: {{type: u8, values: [{bytes}]}}\n", write.variable));
    }
}

/// An entry of `surfaces`, or of `textures` without its sampler.
fn image_lines(out: &mut String, image: &Surface) {
    let geometry = match image.geometry {
        warpdiff_model::Geometry::D1 => "1d",
        warpdiff_model::Geometry::D2 => "2d",
        warpdiff_model::Geometry::D3 => "3d",
        warpdiff_model::Geometry::A1d => "a1d",
        warpdiff_model::Geometry::A2d => "a2d",
        warpdiff_model::Geometry::Cube => "cube",
        warpdiff_model::Geometry::Acube => "acube",
    };
    let dimensions = match geometry {
        "1d" | "a1d" => 1,
        "2d" | "a2d" | "cube" | "acube" => 2,
        _ => 3,
    };
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let extent = list(&image.extent[..dimensions]);
    put(out, format_args!("    {}:\n      geometry: {geometry}\n      extent: [{extent}]\n", image.name));
    if geometry.starts_with('a') {
        put(out, format_args!("      layers: {}\n", image.layers));
    }
    put(out, format_args!("      format: {}\n", image.format));
    let bytes = image.bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    put(out, format_args!("      bytes: [{bytes}]\n"));
    if let Some(variable) = &image.bound_to {
        put(out, format_args!("      bind: {variable}\n"));
    }
}

/// An entry of `textures`.
fn texture_lines(out: &mut String, texture: &Texture) {
    image_lines(out, &texture.image);
    let Sampler { address, filter, normalized_coordinates, read, border } = texture.sampler;
    let address = address.map(|mode| name(&AddressMode::ALL, mode)).join(", ");
    let coordinates = if normalized_coordinates { "normalized" } else { "texels" };
    let border = border.map(|bits| format!("{bits:#010x}")).join(", ");
    let (filter, read) = (name(&FilterMode::ALL, filter), name(&ReadMode::ALL, read));
    put(out, format_args!("      address: [{address}]\n      filter: {filter}\n"));
    put(
        out,
        format_args!("      coordinates: {coordinates}\n      read: {read}\n      border: [{border}]\n"),
    );
}

/// The name of a mode in case files.
fn name<T: PartialEq>(all: &[(T, &'static str)], mode: T) -> &'static str {
    all.iter().find(|(known, _)| *known == mode).map_or("", |(_, name)| name)
}

fn launch_lines(out: &mut String, launch: &Launch) {
    let list = |numbers: &[u32; 3]| format!("[{}, {}, {}]", numbers[0], numbers[1], numbers[2]);
    put(out, format_args!("  launch:\n    entry: {}\n", launch.entry));
    put(out, format_args!("    grid: {}\n    block: {}\n", list(&launch.grid), list(&launch.block)));
    if launch.dynamic_shared > 0 {
        put(out, format_args!("    shared: {}\n", launch.dynamic_shared));
    }
    put(out, format_args!("    steps: {}\n", launch.step_budget));
    let argument = |argument: &Argument| match argument {
        Argument::Value(bytes) => {
            format!("{{bytes: [{}]}}", bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", "))
        }
        Argument::Buffer { index, offset: 0 } => format!("{{buffer: {}}}", launch.buffers[*index].name),
        Argument::Buffer { index, offset } => {
            format!("{{buffer: {}, offset: {offset}}}", launch.buffers[*index].name)
        }
        Argument::Surface { index } => format!("{{surface: {}}}", launch.surfaces[*index].name),
        Argument::SurfaceReference { index } => format!("{{surfref: {}}}", launch.surfaces[*index].name),
        Argument::Texture { index } => format!("{{texture: {}}}", launch.textures[*index].image.name),
        Argument::TextureReference { index } => {
            format!("{{texref: {}}}", launch.textures[*index].image.name)
        }
        Argument::SamplerReference { index } => {
            format!("{{samplerref: {}}}", launch.textures[*index].image.name)
        }
    };
    let arguments = launch.arguments.iter().map(argument).collect::<Vec<_>>().join(", ");
    put(out, format_args!("    arguments: [{arguments}]\n"));
}

/// Little-endian bytes as a hexadecimal number.
fn hexadecimal(bytes: &[u8]) -> String {
    format!("{:#x}", bytes.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte)))
}

/// A YAML double-quoted scalar.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => put(&mut quoted, format_args!("\\x{:02x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn put(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("writing to a string cannot fail");
}
