//! A specimen of PTX as text.

use std::fmt::Write as _;
use std::ops::Range;

use warpdiff_model::{AddressMode, FilterMode};
use warpdiff_ptx::vocabulary::SpecialRegister;

use crate::body;
use crate::image::{Beside, Image, Object, Picture, Reach};
use crate::part::{Guard, Helper, Instructions, Label, Part};
use crate::places::{ENTRY, Places, VERSION};
use crate::specimen::{Class, Operand, Register, Space, Specimen, Step, WINDOW};

/// Appends formatted text; writing to a `String` cannot fail.
macro_rules! put {
    ($writer:expr, $($argument:tt)*) => {
        $writer.text.write_fmt(format_args!($($argument)*)).expect("writing to a string cannot fail")
    };
}

/// The text of a program, and where what stands in it.
pub(crate) fn program(specimen: &Specimen) -> (String, Places) {
    let mut writer = Writer { text: String::with_capacity(4096), in_functions: Vec::new() };
    writer.variables(specimen);
    writer.functions(specimen);
    writer.head(specimen);
    put!(writer, "{{\n");
    writer.declarations(specimen);
    let places = body::instructions(specimen, &mut writer);
    put!(writer, "}}\n");
    (writer.text, places)
}

/// The text of the declarations at module scope alone.
pub(crate) fn declarations(specimen: &Specimen) -> String {
    let mut writer = Writer { text: String::with_capacity(512), in_functions: Vec::new() };
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

/// The word for a filter mode.
fn filter_mode(mode: FilterMode) -> &'static str {
    match mode {
        FilterMode::Nearest => "nearest",
        FilterMode::Linear => "linear",
    }
}

/// The members of a variable's initialiser (5.3.2), which say what the host sets up: whether they or the host would count is open. In
/// independent mode "the fields of the .texref type that describe sampler properties are ignored".
fn members(image: &Image, picture: Option<&Picture>) -> Vec<String> {
    let sizes = [("width", image.width), ("height", image.height), ("depth", image.depth)];
    let mut members: Vec<String> = sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    if image.layers > 1 {
        members.push(format!("array_size = {}", image.layers));
    }
    let Some(picture) = picture else {
        members.push("memory_layout = 0".into());
        return members;
    };
    members.push(format!("normalized_coords = {}", u8::from(picture.sampler.normalized_coordinates)));
    if picture.beside.is_none() {
        members.push(format!("filter_mode = {}", filter_mode(picture.sampler.filter)));
        let modes = picture.sampler.address.iter().enumerate();
        members.extend(modes.map(|(axis, mode)| format!("addr_mode_{axis} = {}", address_mode(*mode))));
    }
    members
}

pub(crate) struct Writer {
    pub(crate) text: String,
    /// Where the instructions of steps stand in functions, by the index of the step.
    pub(crate) in_functions: Vec<(usize, Range<usize>)>,
}

impl Writer {
    /// Everything before the kernel.
    fn variables(&mut self, specimen: &Specimen) {
        let beside = specimen.picture.as_ref().and_then(|picture| picture.beside);
        let mode = if beside.is_some() { ", texmode_independent" } else { "" };
        let (major, minor) = VERSION;
        let target = specimen.target;
        put!(self, ".version {major}.{minor}\n.target sm_{target}{mode}\n.address_size 64\n\n");
        for object in Object::ALL {
            let Some(image) = body::image(specimen, object).filter(|image| image.reach.is_variable()) else {
                continue;
            };
            put!(self, ".global .{} {}", object.ty(), object.name());
            if image.has_members {
                let picture = specimen.picture.as_ref().filter(|_| object == Object::Picture);
                put!(self, " = {{ {} }}", members(image, picture).join(", "));
            }
            put!(self, ";\n");
        }
        if let Some(beside) = beside.filter(|beside| beside.reach.is_variable()) {
            self.sampler(&beside);
        }
        for (number, table) in specimen.tables.iter().enumerate().filter(|(_, table)| table.bytes.is_empty())
        {
            let (space, place, of, ty) = (table.space, table.alignment, table.vector, table.ty);
            put!(self, ".{space} {place}{of}.{ty} table{number}{};\n", table.declarator);
        }
    }

    /// The head of the kernel.
    fn head(&mut self, specimen: &Specimen) {
        put!(self, ".visible .entry {ENTRY}(");
        let mut separator = "";
        for parameter in body::parameters(specimen) {
            match body::object_of(parameter).filter(|of| body::reach(specimen, *of) == Some(Reach::Parameter))
            {
                Some(object) => put!(self, "{separator}.param .{} {}", object.ty(), object.name()),
                None => put!(self, "{separator}.param .u64 {}", parameter.name()),
            }
            separator = ", ";
        }
        for (number, table) in body::parameter_tables(specimen) {
            put!(
                self,
                "{separator}.param {}.{} table{number}{}",
                table.alignment,
                table.ty,
                table.declarator
            );
            separator = ", ";
        }
        put!(self, ")\n");
    }

    fn sampler(&mut self, beside: &Beside) {
        let filter = filter_mode(beside.filter);
        let [x, y, z] = beside.address.map(address_mode);
        let force = u8::from(beside.force_unnormalized);
        put!(
            self,
            ".global .samplerref sampler = {{ addr_mode_0 = {x}, addr_mode_1 = {y}, addr_mode_2 = {z}, filter_mode = {filter}, force_unnormalized_coords = {force} }};\n"
        );
    }

    fn declarations(&mut self, specimen: &Specimen) {
        self.registers(specimen);
        put!(
            self,
            "    .reg .b32 %thread, %word;\n    .reg .b64 %in, %out, %memory, %shared, %local, %generic_memory, %generic_shared, %generic_local, %source, %sink, %picture, %sampler, %array, %copy, %copy2, %common, %exchange;\n    .reg .b32 %count0, %count1, %members, %in_block;\n    .reg .pred %flag;\n"
        );
        if specimen.uses(Space::Shared) {
            put!(self, "    .shared .align 16 .b8 shared_windows[{}];\n", WINDOW * specimen.block() as usize);
        }
        if specimen.uses(Space::Local) {
            put!(self, "    .local .align 16 .b8 local_window[{WINDOW}];\n");
        }
        if body::exchanges(specimen) {
            put!(self, "    .shared .align 16 .b8 exchange[{}];\n", 4 * specimen.block());
        }
    }

    /// Declares the registers of the specimen.
    pub(crate) fn registers(&mut self, specimen: &Specimen) {
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
    }

    pub(crate) fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Own(register) => self.register(register),
            Part::Helper(helper) => self.text.push_str(helper.name()),
            Part::Integer(value) => put!(self, "{value}"),
            Part::Bits(value) => put!(self, "{value:#x}"),
            Part::Not(register) => {
                self.text.push('!');
                self.register(register);
            }
            Part::Piece(register, taken) => {
                self.text.push_str(if taken.negated { "-" } else { "" });
                self.register(register);
                self.text.push_str(taken.portion.suffix());
            }
            Part::Special(register, component) => {
                let has_components = matches!(
                    register,
                    SpecialRegister::Tid
                        | SpecialRegister::Ntid
                        | SpecialRegister::Ctaid
                        | SpecialRegister::Nctaid
                );
                put!(self, "%{register}");
                if has_components {
                    put!(self, ".{}", ["x", "y", "z"][usize::from(component)]);
                }
            }
            Part::Label(label) => self.text.push_str(&label.name()),
            Part::Targets(block) => put!(self, "ARMS{block}"),
            Part::Object { object, by_register } => {
                put!(self, "[{}]", if by_register { object.handle().name() } else { object.name() });
            }
            Part::Address(base, offset) => put!(self, "[{}+{offset}]", base.name()),
            Part::Parameter(parameter) => put!(self, "[{}]", parameter.name()),
            Part::Table(number, offset) => put!(self, "[table{number}+{offset}]"),
            Part::Pointer(object) => self.text.push_str(object.name()),
            Part::AddressOf(number) => put!(self, "table{number}"),
            Part::Windows(windows) => self.text.push_str(windows.name()),
            Part::Copies => put!(self, "{{{}, {}}}", Helper::Copy.name(), Helper::Copy2.name()),
            Part::Tuple(operands) => self.tuple(operands.iter().copied()),
            Part::Pair(one, other) => {
                self.register(one);
                self.text.push('|');
                self.register(other);
            }
            Part::Results(registers) => self.tuple(registers.iter().copied().map(Operand::Register)),
            Part::Texel { object, by_register, sampler, coordinates } => {
                let name = if by_register { object.handle().name() } else { object.name() };
                let (of_sampler, handle) = (Object::Sampler.name(), Object::Sampler.handle().name());
                put!(self, "[{name}, ");
                if let Some(by_register) = sampler {
                    put!(self, "{}, ", if by_register { handle } else { of_sampler });
                }
                self.tuple(coordinates.iter().copied());
                put!(self, "]");
            }
        }
    }

    pub(crate) fn register(&mut self, register: Register) {
        put!(self, "%{}{}", register.class.letter(), register.number);
    }

    /// `@%p ` or `@!%p `
    pub(crate) fn guard(&mut self, guard: Option<Guard>) {
        if let Some(guard) = guard {
            let (Guard::Own(_, sense) | Guard::Flag(sense)) = guard;
            self.text.push_str(if sense { "@" } else { "@!" });
            match guard {
                Guard::Own(register, _) => self.register(register),
                Guard::Flag(_) => self.text.push_str(Helper::Flag.name()),
            }
            self.text.push(' ');
        }
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
    fn put(&mut self, guard: Option<Guard>, opcode: &str, operands: &[Part<'_>]) -> Range<usize> {
        self.text.push_str("    ");
        let begin = self.text.len();
        self.guard(guard);
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

    fn label(&mut self, label: Label) {
        put!(self, "{}:\n", label.name());
    }

    fn targets(&mut self, block: u8, labels: &[Label]) {
        let names: Vec<String> = labels.iter().map(|label| label.name()).collect();
        put!(self, "ARMS{block}: .branchtargets {};\n", names.join(", "));
    }

    fn call(&mut self, step: &Step, index: usize) -> Range<usize> {
        self.write_call(step, index);
        let place = self.in_functions.iter().find(|(of, _)| *of == index);
        place.map(|(_, place)| place.clone()).unwrap_or_default()
    }
}
