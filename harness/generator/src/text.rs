//! A specimen of PTX as text.

use std::fmt::Write as _;
use std::ops::Range;

use warpdiff_model::{AddressMode, FilterMode};

use crate::body;
use crate::part::{Helper, Instructions, Object, Part};
use crate::places::{ENTRY, Places, TARGET, VERSION};
use crate::specimen::{Beside, Class, Operand, Register, Side, Space, Specimen, WINDOW};

/// Appends formatted text; writing to a `String` cannot fail.
macro_rules! put {
    ($writer:expr, $($argument:tt)*) => {
        $writer.text.write_fmt(format_args!($($argument)*)).expect("writing to a string cannot fail")
    };
}

/// The text of a program, and where what stands in it.
pub(crate) fn program(specimen: &Specimen) -> (String, Places) {
    let mut writer = Writer { text: String::with_capacity(4096) };
    writer.variables(specimen);
    writer.head(specimen);
    put!(writer, "{{\n");
    writer.declarations(specimen);
    let places = body::instructions(specimen, &mut writer);
    put!(writer, "}}\n");
    (writer.text, places)
}

/// The text of the declarations at module scope alone.
pub(crate) fn declarations(specimen: &Specimen) -> String {
    let mut writer = Writer { text: String::with_capacity(512) };
    writer.variables(specimen);
    writer.text
}

/// The word for an address mode in an initialiser.
fn address_mode(mode: AddressMode) -> &'static str {
    match mode {
        AddressMode::Wrap => "wrap",
        AddressMode::Mirror => "mirror",
        AddressMode::ClampOgl => "clamp_ogl",
        AddressMode::Clamp => "clamp_to_edge",
        AddressMode::Border => "clamp_to_border",
    }
}

struct Writer {
    text: String,
}

impl Writer {
    /// Everything before the kernel.
    fn variables(&mut self, specimen: &Specimen) {
        let beside = specimen.picture.as_ref().and_then(|picture| picture.beside);
        let mode = if beside.is_some() { ", texmode_independent" } else { "" };
        let (major, minor) = VERSION;
        put!(self, ".version {major}.{minor}\n.target sm_{TARGET}{mode}\n.address_size 64\n\n");
        for side in [Side::Source, Side::Sink] {
            if specimen.image(side).is_some_and(|image| image.reference) {
                put!(self, ".global .surfref {};\n", Object::Image(side).name());
            }
        }
        if specimen.picture.as_ref().is_some_and(|picture| picture.image.reference) {
            put!(self, ".global .texref {};\n", Object::Picture.name());
        }
        if let Some(beside) = beside {
            self.sampler(&beside);
        }
        for (number, table) in specimen.tables.iter().enumerate() {
            let (space, place, of, ty) = (table.space, table.alignment, table.vector, table.ty);
            put!(self, ".{space} {place}{of}.{ty} table{number}{};\n", table.declarator);
        }
    }

    /// The head of the kernel.
    fn head(&mut self, specimen: &Specimen) {
        put!(self, ".visible .entry {ENTRY}(");
        let mut separator = "";
        for parameter in body::parameters(specimen) {
            put!(self, "{separator}.param .u64 {}", parameter.name());
            separator = ", ";
        }
        put!(self, ")\n");
    }

    fn sampler(&mut self, beside: &Beside) {
        let filter = match beside.filter {
            FilterMode::Nearest => "nearest",
            FilterMode::Linear => "linear",
        };
        let [x, y, z] = beside.address.map(address_mode);
        let force = u8::from(beside.force_unnormalized);
        put!(
            self,
            ".global .samplerref sampler = {{ addr_mode_0 = {x}, addr_mode_1 = {y}, addr_mode_2 = {z}, filter_mode = {filter}, force_unnormalized_coords = {force} }};\n"
        );
    }

    fn declarations(&mut self, specimen: &Specimen) {
        let numbers = specimen
            .inputs
            .iter()
            .map(|input| input.register)
            .chain(specimen.steps.iter().flat_map(|step| step.results.iter().copied()));
        let mut counts = [0; 4];
        for register in numbers {
            let count = &mut counts[register.class as usize];
            *count = (register.number + 1).max(*count);
        }
        for (class, ty) in
            [(Class::Pred, "pred"), (Class::B16, "b16"), (Class::B32, "b32"), (Class::B64, "b64")]
        {
            let count = counts[class as usize];
            if count > 0 {
                put!(self, "    .reg .{ty} %{}<{count}>;\n", class.letter());
            }
        }
        put!(
            self,
            "    .reg .b32 %thread, %word;\n    .reg .b64 %in, %out, %memory, %shared, %local, %generic_memory, %generic_shared, %generic_local, %source, %sink, %picture, %copy, %copy2;\n"
        );
        if specimen.uses(Space::Shared) {
            put!(self, "    .shared .align 16 .b8 shared_windows[{}];\n", WINDOW * specimen.threads as usize);
        }
        if specimen.uses(Space::Local) {
            put!(self, "    .local .align 16 .b8 local_window[{WINDOW}];\n");
        }
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Own(register) => self.register(register),
            Part::Helper(helper) => self.text.push_str(helper.name()),
            Part::Integer(value) => put!(self, "{value}"),
            Part::Bits(value) => put!(self, "{value:#x}"),
            Part::ThreadNumber => self.text.push_str("%tid.x"),
            Part::Address(base, offset) => put!(self, "[{}+{offset}]", base.name()),
            Part::Parameter(parameter) => put!(self, "[{}]", parameter.name()),
            Part::Table(number, offset) => put!(self, "[table{number}+{offset}]"),
            Part::Windows(windows) => self.text.push_str(windows.name()),
            Part::Copies => put!(self, "{{{}, {}}}", Helper::Copy.name(), Helper::Copy2.name()),
            Part::Tuple(operands) => self.tuple(operands.iter().copied()),
            Part::Pair(one, other) => {
                self.register(one);
                self.text.push('|');
                self.register(other);
            }
            Part::Results(registers) => self.tuple(registers.iter().copied().map(Operand::Register)),
            Part::Texel { object, by_handle, sampler, coordinates } => {
                let name = if by_handle { object.handle().name() } else { object.name() };
                put!(self, "[{name}{}, ", if sampler { ", sampler" } else { "" });
                self.tuple(coordinates.iter().copied());
                put!(self, "]");
            }
        }
    }

    fn register(&mut self, register: Register) {
        put!(self, "%{}{}", register.class.letter(), register.number);
    }

    /// `{a, b}`
    fn tuple(&mut self, operands: impl Iterator<Item = Operand>) {
        let mut separator = "{";
        for operand in operands {
            self.text.push_str(separator);
            self.part(Part::of(operand));
            separator = ", ";
        }
        self.text.push('}');
    }
}

impl Instructions for Writer {
    fn put(&mut self, guard: Option<(Register, bool)>, opcode: &str, operands: &[Part<'_>]) -> Range<usize> {
        self.text.push_str("    ");
        let begin = self.text.len();
        if let Some((register, sense)) = guard {
            self.text.push_str(if sense { "@" } else { "@!" });
            self.register(register);
            self.text.push(' ');
        }
        self.text.push_str(opcode);
        let mut separator = " ";
        for operand in operands {
            self.text.push_str(separator);
            self.part(*operand);
            separator = ", ";
        }
        self.text.push(';');
        let end = self.text.len();
        self.text.push('\n');
        begin..end
    }
}
