//! The kernel written around the body of a case.
//!
//! A table becomes a kernel in which one thread runs one row: it loads the row's record of inputs into registers, runs the
//! body, and stores the outputs into the row's record of the buffer `out`. Everything the harness names begins with `_wd_`,
//! which no name of a case may.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use warpdiff_ptx::vocabulary::Type;

use super::program::{Program, Writer};
use super::reader::{Read, Reader};
use super::text::Text;
use crate::plan::Column;

/// Name of the kernel's entry.
pub(crate) const ENTRY: &str = "_wd_case";

/// The parts of a module that a case gives.
#[derive(Debug)]
pub(crate) struct Source {
    /// `.version`: "8.0".
    pub(crate) isa: String,
    /// `.target`: "sm_50".
    pub(crate) target: String,
    /// Module-scope text.
    pub(crate) declarations: Option<Text>,
    /// `.reg` lines.
    pub(crate) registers: Option<Text>,
    /// The instructions.
    pub(crate) body: Option<Text>,
}

impl Source {
    fn head(&self) -> Writer {
        let mut writer = Writer::default();
        writer.push(&format!(".version {}\n.target {}\n.address_size 64\n\n", self.isa, self.target));
        writer
    }

    /// The names that the author's text mentions, with their `%`.
    pub(crate) fn mentions(&self) -> BTreeSet<String> {
        let texts = [&self.declarations, &self.registers, &self.body];
        texts.into_iter().flatten().flat_map(|text| identifiers(&text.string)).collect()
    }

    /// A module of declarations only.
    pub(crate) fn module(&self, reader: &Reader<'_>, case: &Range<usize>) -> Read<Program> {
        let mut writer = self.head();
        if let Some(text) = &self.declarations {
            writer.copy(reader, text, "");
        }
        writer.finish(reader, case)
    }

    /// The declarations, and a kernel of the harness's own after them.
    pub(crate) fn with_kernel(
        &self,
        reader: &Reader<'_>,
        case: &Range<usize>,
        kernel: &str,
    ) -> Read<Program> {
        let mut writer = self.head();
        if let Some(text) = &self.declarations {
            writer.copy(reader, text, "");
        }
        writer.push(kernel);
        writer.finish(reader, case)
    }

    /// The body in a kernel without parameters.
    pub(crate) fn plain_kernel(&self, reader: &Reader<'_>, case: &Range<usize>) -> Read<Program> {
        let mut writer = self.head();
        if let Some(text) = &self.declarations {
            writer.copy(reader, text, "");
            writer.push("\n");
        }
        writer.push(&format!(".visible .entry {ENTRY}()\n{{\n"));
        for text in [&self.registers, &self.body].into_iter().flatten() {
            writer.copy(reader, text, "    ");
        }
        writer.push("    ret;\n}\n");
        writer.finish(reader, case)
    }
}

/// What a table's kernel has besides the author's text.
#[derive(Debug, Default)]
pub(crate) struct KernelFrame<'a> {
    /// Input columns; offsets are those in the record of inputs.
    pub(crate) inputs: &'a [(Column, Type)],
    /// Bytes from one record of inputs to the next.
    pub(crate) input_stride: u32,
    /// Output columns; offsets are those in the record of outputs.
    pub(crate) outputs: &'a [(Column, Type)],
    /// Bytes from one record of outputs to the next.
    pub(crate) output_stride: u32,
    /// Buffers whose address is a parameter.
    pub(crate) buffers: Vec<&'a str>,
    /// Surfaces, then textures, whose handle is a parameter.
    pub(crate) handles: Vec<&'a str>,
    /// Surfaces that are module-scope variables.
    pub(crate) references: Vec<&'a str>,
    /// Textures that are module-scope variables.
    pub(crate) texture_references: Vec<&'a str>,
}

impl KernelFrame<'_> {
    /// The whole program.
    pub(crate) fn program(&self, reader: &Reader<'_>, source: &Source, case: &Range<usize>) -> Read<Program> {
        let mut writer = source.head();
        for name in &self.references {
            writer.push(&format!(".global .surfref {name};\n"));
        }
        for name in &self.texture_references {
            writer.push(&format!(".global .texref {name};\n"));
        }
        if let Some(text) = &source.declarations {
            writer.copy(reader, text, "");
        }
        let references = !self.references.is_empty() || !self.texture_references.is_empty();
        if references || source.declarations.is_some() {
            writer.push("\n");
        }
        writer.push(&format!(".visible .entry {ENTRY}(\n{}\n)\n{{\n", self.parameters()));
        writer.push(&self.registers());
        if let Some(text) = &source.registers {
            writer.copy(reader, text, "    ");
        }
        writer.push(&self.prologue());
        writer.push("\n    // the body of the case\n");
        if let Some(text) = &source.body {
            writer.copy(reader, text, "    ");
        }
        writer.push(&self.epilogue());
        writer.push("    ret;\n}\n");
        writer.finish(reader, case)
    }

    fn parameters(&self) -> String {
        let mut lines = vec!["    .param .u32 _wd_rows".to_owned()];
        let records = [("in", self.inputs.is_empty()), ("out", self.outputs.is_empty())];
        let records = records.into_iter().filter(|(_, empty)| !empty).map(|(name, _)| name);
        for name in records.chain(self.buffers.iter().copied()).chain(self.handles.iter().copied()) {
            lines.push(format!("    .param .u64 _wd_{name}"));
        }
        lines.join(",\n")
    }

    fn registers(&self) -> String {
        let mut text = String::from("    .reg .pred %_wd_p;\n    .reg .u16 %_wd_h;\n");
        text.push_str("    .reg .u32 %_wd_row, %_wd_t;\n    .reg .u64 %_wd_a;\n");
        for (column, ty) in self.inputs.iter().chain(self.outputs) {
            let _ = writeln!(text, "    .reg .{} %{};", register_type(*ty), column.name);
        }
        for name in self.buffers.iter().chain(&self.handles) {
            let _ = writeln!(text, "    .reg .u64 %{name};");
        }
        text
    }

    /// Finds the thread's row and loads everything the body uses.
    fn prologue(&self) -> String {
        let mut text = String::from(
            "
    // one thread per row
    mov.u32 %_wd_row, %ctaid.x;
    mov.u32 %_wd_t, %ntid.x;
    mul.lo.u32 %_wd_row, %_wd_row, %_wd_t;
    mov.u32 %_wd_t, %tid.x;
    add.u32 %_wd_row, %_wd_row, %_wd_t;
    ld.param.u32 %_wd_t, [_wd_rows];
    setp.ge.u32 %_wd_p, %_wd_row, %_wd_t;
    @%_wd_p exit;
",
        );
        if !self.inputs.is_empty() {
            text.push_str("\n    // the inputs of this row\n");
            text.push_str(&record("in", self.input_stride));
        }
        for (column, ty) in self.inputs {
            load(&mut text, column, *ty);
        }
        for name in &self.buffers {
            let _ = writeln!(text, "    ld.param.u64 %{name}, [_wd_{name}];");
            let _ = writeln!(text, "    cvta.to.global.u64 %{name}, %{name};");
        }
        for name in &self.handles {
            let _ = writeln!(text, "    ld.param.u64 %{name}, [_wd_{name}];");
        }
        text
    }

    fn epilogue(&self) -> String {
        let mut text = String::new();
        if !self.outputs.is_empty() {
            text.push_str("\n    // the outputs of this row\n");
            text.push_str(&record("out", self.output_stride));
        }
        for (column, ty) in self.outputs {
            store(&mut text, column, *ty);
        }
        text
    }
}

/// Makes `%_wd_a` the address of the row's record in a buffer of records.
fn record(buffer: &str, stride: u32) -> String {
    format!(
        "    ld.param.u64 %_wd_a, [_wd_{buffer}];
    cvta.to.global.u64 %_wd_a, %_wd_a;
    mad.wide.u32 %_wd_a, %_wd_row, {stride}, %_wd_a;
"
    )
}

fn load(text: &mut String, column: &Column, ty: Type) {
    let (name, offset) = (&column.name, column.offset);
    let _ = if ty == Type::Pred {
        writeln!(text, "    ld.global.u8 %_wd_h, [%_wd_a+{offset}];\n    setp.ne.u16 %{name}, %_wd_h, 0;")
    } else {
        // An 8-bit load into its 16-bit register extends by the sign for `.s8` and with zeros otherwise (9.7.9.8, ld).
        writeln!(text, "    ld.global.{} %{name}, [%_wd_a+{offset}];", memory_type(ty))
    };
}

fn store(text: &mut String, column: &Column, ty: Type) {
    let (name, offset) = (&column.name, column.offset);
    let _ = if ty == Type::Pred {
        writeln!(text, "    selp.u16 %_wd_h, 1, 0, %{name};\n    st.global.u8 [%_wd_a+{offset}], %_wd_h;")
    } else {
        writeln!(text, "    st.global.{} [%_wd_a+{offset}], %{name};", memory_type(ty))
    };
}

/// The type a column's register is declared with. There are no 8-bit registers to compute in, and `.f16` registers need a
/// newer target than `.b16` ones, which every instruction on `.f16` takes as well.
fn register_type(ty: Type) -> &'static str {
    match ty {
        Type::B8 => "b16",
        Type::U8 => "u16",
        Type::S8 => "s16",
        _ => memory_type(ty),
    }
}

/// The type a column is loaded and stored with.
fn memory_type(ty: Type) -> &'static str {
    match ty {
        Type::F16 | Type::Bf16 => "b16",
        Type::F16x2 | Type::Bf16x2 | Type::Tf32 => "b32",
        _ => ty.text(),
    }
}

/// The identifiers of a PTX text, with their `%`; what follows a dot (modifiers, directives) and comments are left out.
fn identifiers(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let mut found = Vec::new();
    let mut rest = text;
    let mut after_dot = false;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if is_part(first) {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            if !after_dot && !first.is_ascii_digit() {
                found.push(rest[..end].to_owned());
            }
            end
        } else {
            first.len_utf8()
        };
        after_dot = first == '.';
        rest = &rest[length..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_leave_out_modifiers_and_comments() {
        let text = "suld.b.2d.zero %d, [image, {%x, 4}]; // other\n/* more */ $L: @%p bra $L;";
        assert_eq!(identifiers(text), ["suld", "%d", "image", "%x", "$L", "%p", "bra", "$L"]);
    }
}
