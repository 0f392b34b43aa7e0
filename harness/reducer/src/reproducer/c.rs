//! The driver in C.

use std::fmt::Write as _;

use super::parts::{ArgumentPart, GUARD, Parts, argument, kind_name};

/// The calls, which are the same for every launch.
const DRIVER: &str = include_str!("driver.c");

/// The whole file.
pub(super) fn text(parts: &Parts<'_>) -> String {
    let mut out = String::new();
    let put = |out: &mut String, line: std::fmt::Arguments<'_>| {
        out.write_fmt(line).expect("writing to a string cannot fail");
        out.push('\n');
    };
    for line in parts.head {
        put(&mut out, format_args!("// {}", line.replace(['\\', '\n'], " ")));
    }
    out.push_str(
        "// cc -o reproducer reproducer.c -ldl && ./reproducer [reproducer.ptx]\n\
         // Exit code 0: as the specification has it; 1: wrong; 2: it could not be run. LIBCUDA names another driver library.\n\n\
         #include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n",
    );
    let launch = parts.launch;
    let triple = |n: [u32; 3]| format!("{}, {}, {}", n[0], n[1], n[2]);
    put(&mut out, format_args!("#define KERNEL \"{}\"", launch.entry));
    put(&mut out, format_args!("#define GRID {}", triple(launch.grid)));
    put(&mut out, format_args!("#define BLOCK {}", triple(launch.block)));
    put(&mut out, format_args!("#define SHARED {}", launch.dynamic_shared));
    put(&mut out, format_args!("#define MAY_FAULT {}", u32::from(parts.may_fault)));
    put(
        &mut out,
        format_args!(
            "/* Bytes of 0xa5 before and after each buffer, which the kernel must not change. */\n#define GUARD {GUARD}\n"
        ),
    );

    put(
        &mut out,
        format_args!(
            "static struct buffer {{\n    const char *name;\n    size_t size;\n    const unsigned char *contents;\n    unsigned long long base;\n}} buffers[] = {{"
        ),
    );
    for buffer in &launch.buffers {
        let contents = bytes(&buffer.bytes);
        put(&mut out, format_args!("    {{ \"{}\", {}, {contents}, 0 }},", buffer.name, buffer.bytes.len()));
    }
    put(&mut out, format_args!("    {{ 0 }}\n}};\n#define BUFFERS {}\n", launch.buffers.len()));

    out.push_str(
        "static struct image {\n    const char *name, *bound_to;\n    int is_texture;\n    size_t width, height, depth, row_bytes;\n    int format;\n    \
         unsigned channels, array_flags;\n    const unsigned char *contents;\n    int address[3], filter;\n    unsigned texture_flags;\n    unsigned border[4];\n    \
         void *array;\n    unsigned long long object;\n} images[] = {\n",
    );
    for image in &parts.images {
        let surface = image.surface;
        let bound = surface.bound_to.as_ref().map_or("NULL".to_owned(), |name| format!("\"{name}\""));
        let border = image.border().map(|bits| format!("{bits:#010x}u")).join(", ");
        put(
            &mut out,
            format_args!(
                "    {{ \"{}\", {bound}, {}, {}, {}, {}, {}, {:#04x}, {}, {}, {}, {{ {} }}, {}, {}, {{ {border} }}, NULL, 0 }},",
                surface.name,
                u32::from(image.texture.is_some()),
                surface.extent[0],
                image.height,
                image.depth,
                surface.row_size(),
                image.format,
                surface.format.channels,
                image.flags,
                bytes(&surface.bytes),
                triple(image.address()),
                image.filter(),
                image.texture_flags(),
            ),
        );
    }
    put(&mut out, format_args!("    {{ 0 }}\n}};\n#define IMAGES {}\n", parts.images.len()));

    put(
        &mut out,
        format_args!(
            "/* What the host writes to variables before the launch. */\nstatic const struct {{\n    const char *name;\n    size_t size;\n    const unsigned char *bytes;\n}} writes[] = {{"
        ),
    );
    for write in &launch.host_writes {
        let contents = bytes(&write.bytes);
        put(&mut out, format_args!("    {{ \"{}\", {}, {contents} }},", write.variable, write.bytes.len()));
    }
    put(&mut out, format_args!("    {{ 0 }}\n}};\n#define WRITES {}\n", launch.host_writes.len()));

    put(
        &mut out,
        format_args!(
            "/* 'b': the address of a buffer; 'i': the object of an image; 'v': a value. */\nstatic const struct argument {{\n    char kind;\n    int index;\n    long long offset;\n    const unsigned char *bytes;\n}} arguments[] = {{"
        ),
    );
    for one in &launch.arguments {
        match argument(one, launch) {
            ArgumentPart::Value(value) => {
                put(&mut out, format_args!("    {{ 'v', 0, 0, {} }},", bytes(value)))
            }
            ArgumentPart::Buffer(index, offset) => {
                put(&mut out, format_args!("    {{ 'b', {index}, {offset}, NULL }},"));
            }
            ArgumentPart::Image(index) => put(&mut out, format_args!("    {{ 'i', {index}, 0, NULL }},")),
        }
    }
    put(&mut out, format_args!("    {{ 0 }}\n}};\n#define ARGUMENTS {}\n", launch.arguments.len()));

    let regions = parts.outcomes.first().map_or(0, Vec::len);
    put(
        &mut out,
        format_args!(
            "/* What the kernel has to leave, for each way in which the specification lets it end. Bits that are not defined are not compared. */"
        ),
    );
    put(&mut out, format_args!("#define OUTCOMES {}\n#define REGIONS {regions}", parts.outcomes.len()));
    put(
        &mut out,
        format_args!(
            "static const struct region {{\n    char kind;\n    const char *what, *name;\n    int index;\n    size_t size;\n    const unsigned char *expected, *defined;\n}} regions[OUTCOMES + 1][REGIONS + 1] = {{"
        ),
    );
    for outcome in &parts.outcomes {
        out.push_str("    {\n");
        for region in outcome {
            let what = kind_name(region.kind);
            put(
                &mut out,
                format_args!(
                    "        {{ '{}', \"{what}\", \"{}\", {}, {}, {}, {} }},",
                    &what[..1],
                    region.name,
                    region.index,
                    region.expected.len(),
                    bytes(&region.expected),
                    bytes(&region.defined),
                ),
            );
        }
        out.push_str("        { 0 }\n    },\n");
    }
    out.push_str("    { { 0 } }\n};\n\n");
    out.push_str(DRIVER);
    out
}

/// Bytes as a string literal, in pieces of a length that compilers take. A hexadecimal escape would swallow digits behind it, an octal one
/// of three digits does not.
fn bytes(bytes: &[u8]) -> String {
    let piece =
        |some: &[u8]| format!("\"{}\"", some.iter().map(|byte| format!("\\{byte:03o}")).collect::<String>());
    let pieces: Vec<String> = bytes.chunks(64).map(piece).collect();
    match pieces.is_empty() {
        true => "(const unsigned char *)\"\"".into(),
        false => format!("(const unsigned char *){}", pieces.join("\n        ")),
    }
}
