//! The driver in Python, on NVIDIA's package `cuda-bindings`.

use std::fmt::Write as _;

use warpdiff_files::hexadecimal;

use super::parts::{ArgumentPart, GUARD, Parts, argument, kind_name};

/// The calls, which are the same for every launch.
const DRIVER: &str = include_str!("driver.py");

/// The whole file.
pub(super) fn text(parts: &Parts<'_>) -> String {
    let mut out = String::new();
    let put = |out: &mut String, line: std::fmt::Arguments<'_>| {
        out.write_fmt(line).expect("writing to a string cannot fail");
        out.push('\n');
    };
    for line in parts.head {
        put(&mut out, format_args!("# {}", line.replace('\n', " ")));
    }
    out.push_str(
        "# pip install cuda-bindings && python3 reproducer.py [reproducer.ptx]\n\
         # Exit code 0: as the specification has it; 1: wrong; 2: it could not be run.\n\n\
         import ctypes\nimport os\nimport struct\nimport sys\n\nfrom cuda.bindings import driver as cuda\n\n",
    );
    let launch = parts.launch;
    let triple = |n: [u32; 3]| format!("({}, {}, {})", n[0], n[1], n[2]);
    put(&mut out, format_args!("KERNEL = \"{}\"", launch.entry));
    put(&mut out, format_args!("GRID, BLOCK = {}, {}", triple(launch.grid), triple(launch.block)));
    put(&mut out, format_args!("SHARED = {}", launch.dynamic_shared));
    put(&mut out, format_args!("MAY_FAULT = {}", boolean(parts.may_fault)));
    put(
        &mut out,
        format_args!(
            "# Bytes before and after each buffer, which the kernel must not change.\nGUARD = {GUARD}"
        ),
    );
    out.push_str("BUFFERS = [\n");
    for buffer in &launch.buffers {
        put(
            &mut out,
            format_args!("    {{\"name\": \"{}\", \"contents\": {}}},", buffer.name, bytes(&buffer.bytes)),
        );
    }
    out.push_str("]\n# Numbers are those of cuda.h.\nIMAGES = [\n");
    for image in &parts.images {
        let surface = image.surface;
        let bound = surface.bound_to.as_ref().map_or("None".to_owned(), |name| format!("\"{name}\""));
        let border = image.border().map(|bits| format!("{bits:#x}")).join(", ");
        put(
            &mut out,
            format_args!(
                "    {{\n        \"name\": \"{}\", \"bound_to\": {bound}, \"is_texture\": {},\n        \"width\": {}, \"height\": {}, \"depth\": {}, \"row_bytes\": {},\n        \
                 \"format\": {:#x}, \"channels\": {}, \"array_flags\": {},\n        \"address\": {}, \"filter\": {}, \"texture_flags\": {}, \"border\": [{border}],\n        \
                 \"contents\": {},\n    }},",
                surface.name,
                boolean(image.texture.is_some()),
                surface.extent[0],
                image.height,
                image.depth,
                surface.row_size(),
                image.format,
                surface.format.channels,
                image.flags,
                triple(image.address()),
                image.filter(),
                image.texture_flags(),
                bytes(&surface.bytes),
            ),
        );
    }
    out.push_str("]\n# What the host writes to variables before the launch.\nWRITES = [\n");
    for write in &launch.host_writes {
        put(&mut out, format_args!("    (\"{}\", {}),", write.variable, bytes(&write.bytes)));
    }
    out.push_str("]\nARGUMENTS = [\n");
    for one in &launch.arguments {
        match argument(one, launch) {
            ArgumentPart::Value(value) => {
                put(&mut out, format_args!("    (\"value\", 0, 0, {}),", bytes(value)))
            }
            ArgumentPart::Buffer(index, offset) => {
                put(&mut out, format_args!("    (\"buffer\", {index}, {offset}, b\"\"),"));
            }
            ArgumentPart::Image(index) => put(&mut out, format_args!("    (\"image\", {index}, 0, b\"\"),")),
        }
    }
    out.push_str("]\n# What the kernel has to leave, for each way in which the specification lets it end. Bits that are not defined are not compared.\nOUTCOMES = [\n");
    for outcome in &parts.outcomes {
        out.push_str("    [\n");
        for region in outcome {
            put(
                &mut out,
                format_args!(
                    "        {{\n            \"kind\": \"{}\", \"name\": \"{}\", \"index\": {},\n            \"expected\": {},\n            \"defined\": {},\n        }},",
                    kind_name(region.kind),
                    region.name,
                    region.index,
                    bytes(&region.expected),
                    bytes(&region.defined),
                ),
            );
        }
        out.push_str("    ],\n");
    }
    out.push_str("]\n\n");
    out.push_str(DRIVER);
    out
}

fn boolean(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// Bytes as an expression: a run of one byte is short, other bytes are hexadecimal.
fn bytes(bytes: &[u8]) -> String {
    match bytes {
        [first, rest @ ..] if rest.len() > 16 && rest.iter().all(|byte| byte == first) => {
            format!("bytes([{first:#04x}]) * {}", bytes.len())
        }
        _ => {
            format!("bytes.fromhex(\"{}\")", hexadecimal::of(bytes))
        }
    }
}
