//! Specimen → text and launch; of PTX here, of SPA 5.0 in [`crate::spa`].
//!
//! Each thread has a record of 8-byte slots in the buffer `in` (one per input column) and in the buffer `out` (one per result),
//! and [`WINDOW`] bytes per state space in the buffer `memory`. Windows of `.shared` and `.local` are filled from `memory`
//! before the first step and copied back after the last one.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use warpdiff_model::{AddressMode, Argument, Buffer, FilterMode, Launch, RegionKind, Surface, Texture};

use crate::specimen::{
    Action, Beside, Class, Image, Input, Language, Operand, Register, Shape, Side, Space, Specimen, Step,
    WINDOW,
};

/// Bytes of a slot of the buffers `in` and `out`.
pub const SLOT: usize = 8;

/// Thread-instructions after which a specimen counts as timed out: straight-line code of a few hundred instructions never gets there.
const STEP_BUDGET: u64 = 1 << 16;

/// Name of the kernel.
pub const ENTRY: &str = "specimen";

/// A specimen as a target takes it.
#[derive(Clone, Debug)]
pub struct Written {
    /// The launch, with the program text.
    pub launch: Launch,
    /// For each slot of `out` the index of the step that writes it.
    pub slots: Vec<usize>,
    /// For each step the range of the program text that holds its instruction.
    pub steps: Vec<Range<usize>>,
}

impl Written {
    /// The steps that can have written a byte of the state: the last one is the likeliest culprit for memory, a single one is
    /// certain.
    pub fn writers(&self, specimen: &Specimen, kind: RegionKind, name: &str, offset: usize) -> Vec<usize> {
        let steps = specimen.steps.iter().enumerate();
        match (kind, name) {
            (RegionKind::Buffer, "out") if !self.slots.is_empty() => {
                self.slots.get(offset % (self.slots.len() * SLOT) / SLOT).copied().into_iter().collect()
            }
            (RegionKind::Buffer, "memory") => {
                let within = offset % Specimen::MEMORY_STRIDE;
                let (space, at) = (Space::ALL[within / WINDOW], within % WINDOW);
                steps.filter(|(_, step)| writes_window(step, space, at)).map(|(i, _)| i).collect()
            }
            (RegionKind::Surface, _) => {
                steps.filter(|(_, step)| step.shape == Shape::ImageStore).map(|(i, _)| i).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Whether a step may change byte `at` of the window of `space`. Widths are not looked at: no access is wider than 16 bytes.
fn writes_window(step: &Step, space: Space, at: usize) -> bool {
    match step.shape {
        Shape::Store { space: s, offset } | Shape::Atomic { space: s, offset } => {
            let offset = offset as usize;
            s == space && (offset..offset + 16).contains(&at)
        }
        // Where it goes is in a register.
        Shape::Window { space: s, action: Action::Store | Action::Atomic, .. } => s == space,
        _ => false,
    }
}

impl Specimen {
    /// Writes the program and the launch.
    pub fn write(&self) -> Written {
        let (text, steps, slots) = match self.language {
            Language::Ptx => {
                let mut writer =
                    Writer { text: String::with_capacity(4096), steps: Vec::new(), slots: Vec::new() };
                writer.module(self);
                (writer.text, writer.steps, writer.slots)
            }
            Language::Spa { scheduled } => crate::spa::program(self, scheduled),
        };
        let mut launch = Launch::new(Arc::from(text), ENTRY);
        launch.block = [self.threads, 1, 1];
        launch.step_budget = STEP_BUDGET;
        self.bind(&mut launch, slots.len());
        Written { launch, slots, steps }
    }

    fn bind(&self, launch: &mut Launch, slots: usize) {
        let threads = self.threads as usize;
        let columns = self.loaded_inputs().count();
        let mut input = Vec::with_capacity(threads * columns * SLOT);
        for thread in 0..threads {
            for column in self.loaded_inputs() {
                input.extend_from_slice(&column.values[thread].to_le_bytes());
            }
        }
        let buffers = [
            ("in", input, columns * SLOT),
            ("out", vec![0; threads * slots * SLOT], slots * SLOT),
            ("memory", self.memory.clone(), Self::MEMORY_STRIDE),
        ];
        for (name, bytes, stride) in buffers {
            if bytes.is_empty() {
                continue;
            }
            launch.arguments.push(Argument::Buffer { index: launch.buffers.len(), offset: 0 });
            let mut buffer = Buffer::new(name, bytes);
            // An access of a specimen never leaves its window by more than a window.
            buffer.guard = WINDOW as u32;
            buffer.stride = stride as u32;
            launch.buffers.push(buffer);
        }
        for side in [Side::Source, Side::Sink] {
            let Some(image) = self.image(side) else { continue };
            if !image.reference {
                launch.arguments.push(Argument::Surface { index: launch.surfaces.len() });
            }
            launch.surfaces.push(surface(image, image_name(side)));
        }
        if let Some(picture) = &self.picture {
            if !picture.image.reference {
                launch.arguments.push(Argument::Texture { index: launch.textures.len() });
            }
            let image = surface(&picture.image, PICTURE);
            launch.textures.push(Texture { image, sampler: picture.sampler });
        }
    }
}

/// The name of the texture in the launch, and of the `.texref` or the register with its handle.
const PICTURE: &str = "picture";

/// The name of an image in the launch, and of the `.surfref` or the register with its handle.
fn image_name(side: Side) -> &'static str {
    match side {
        Side::Source => "source",
        Side::Sink => "sink",
    }
}

fn surface(image: &Image, name: &str) -> Surface {
    Surface {
        name: name.into(),
        geometry: image.geometry,
        extent: [image.width, image.height, image.depth],
        layers: image.layers,
        format: image.format,
        bytes: image.bytes.clone(),
        bound_to: image.reference.then(|| name.into()),
    }
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
    steps: Vec<Range<usize>>,
    slots: Vec<usize>,
}

/// Appends formatted text; writing to a `String` cannot fail.
macro_rules! put {
    ($writer:expr, $($argument:tt)*) => {
        $writer.text.write_fmt(format_args!($($argument)*)).expect("writing to a string cannot fail")
    };
}

impl Writer {
    fn module(&mut self, specimen: &Specimen) {
        let beside = specimen.picture.as_ref().and_then(|picture| picture.beside);
        let mode = if beside.is_some() { ", texmode_independent" } else { "" };
        put!(self, ".version 8.1\n.target sm_75{mode}\n.address_size 64\n\n");
        for side in [Side::Source, Side::Sink] {
            if specimen.image(side).is_some_and(|image| image.reference) {
                put!(self, ".global .surfref {};\n", image_name(side));
            }
        }
        if specimen.picture.as_ref().is_some_and(|picture| picture.image.reference) {
            put!(self, ".global .texref {PICTURE};\n");
        }
        if let Some(beside) = beside {
            self.sampler(&beside);
        }
        for (number, table) in specimen.tables.iter().enumerate() {
            let (space, place, of, ty) = (table.space, table.alignment, table.vector, table.ty);
            put!(self, ".{space} {place}{of}.{ty} table{number}{};\n", table.declarator);
        }
        self.parameters(specimen);
        put!(self, "{{\n");
        self.declarations(specimen);
        self.prologue(specimen);
        for step in &specimen.steps {
            self.step(specimen, step);
        }
        self.epilogue(specimen);
        put!(self, "    ret;\n}}\n");
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

    fn parameters(&mut self, specimen: &Specimen) {
        let results = specimen.steps.iter().any(|step| !step.results.is_empty());
        let handle = |side: Side| specimen.image(side).is_some_and(|image| !image.reference);
        let parameters = [
            ("in_address", specimen.loaded_inputs().next().is_some()),
            ("out_address", results),
            ("memory_address", !specimen.memory.is_empty()),
            ("source_handle", handle(Side::Source)),
            ("sink_handle", handle(Side::Sink)),
            ("picture_handle", specimen.picture.as_ref().is_some_and(|picture| !picture.image.reference)),
        ];
        put!(self, ".visible .entry {ENTRY}(");
        let mut separator = "";
        for (name, _) in parameters.iter().filter(|(_, present)| *present) {
            put!(self, "{separator}.param .u64 {name}");
            separator = ", ";
        }
        put!(self, ")\n");
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
            "    .reg .b32 %thread, %word;\n    .reg .b64 %in, %out, %memory, %shared, %local, %source, %sink, %picture, %copy, %copy2;\n"
        );
        if specimen.uses(Space::Shared) {
            put!(self, "    .shared .align 16 .b8 shared_windows[{}];\n", WINDOW * specimen.threads as usize);
        }
        if specimen.uses(Space::Local) {
            put!(self, "    .local .align 16 .b8 local_window[{WINDOW}];\n");
        }
    }

    fn prologue(&mut self, specimen: &Specimen) {
        put!(self, "    mov.u32 %thread, %tid.x;\n");
        let results: usize = specimen.steps.iter().map(|step| step.results.len()).sum();
        self.record("in", specimen.loaded_inputs().count() * SLOT);
        self.record("out", results * SLOT);
        if !specimen.memory.is_empty() {
            self.record("memory", Specimen::MEMORY_STRIDE);
        }
        for side in [Side::Source, Side::Sink] {
            if specimen.image(side).is_some_and(|image| !image.reference) {
                put!(self, "    ld.param.u64 %{0}, [{0}_handle];\n", image_name(side));
            }
        }
        if specimen.picture.as_ref().is_some_and(|picture| !picture.image.reference) {
            put!(self, "    ld.param.u64 %{PICTURE}, [{PICTURE}_handle];\n");
        }
        if specimen.uses(Space::Shared) {
            put!(
                self,
                "    mov.u64 %shared, shared_windows;\n    mad.wide.u32 %shared, %thread, {WINDOW}, %shared;\n"
            );
        }
        if specimen.uses(Space::Local) {
            put!(self, "    mov.u64 %local, local_window;\n");
        }
        self.copy_windows(specimen, true);
        for input in specimen.inputs.iter().filter(|input| specimen.entrance.is_immediate(input)) {
            self.constant(input);
        }
        for (slot, input) in specimen.loaded_inputs().enumerate() {
            let (register, offset) = (input.register, slot * SLOT);
            match register.class {
                Class::Pred => {
                    put!(self, "    ld.global.b32 %word, [%in+{offset}];\n    setp.ne.u32 ");
                    self.register(register);
                    put!(self, ", %word, 0;\n");
                }
                class => {
                    put!(self, "    ld.global.b{} ", class.size() * 8);
                    self.register(register);
                    put!(self, ", [%in+{offset}];\n");
                }
            }
        }
    }

    /// Gives an input its value as a constant.
    fn constant(&mut self, input: &Input) {
        let (register, value) = (input.register, input.values.first().copied().unwrap_or_default());
        match register.class {
            Class::Pred => {
                put!(self, "    mov.b32 %word, {};\n    setp.ne.u32 ", value as u32);
                self.register(register);
                put!(self, ", %word, 0;\n");
            }
            class => {
                put!(self, "    mov.b{} ", class.size() * 8);
                self.register(register);
                put!(self, ", {value:#x};\n");
            }
        }
    }

    /// Loads the address of this thread's record of a buffer.
    fn record(&mut self, name: &str, stride: usize) {
        if stride > 0 {
            put!(
                self,
                "    ld.param.u64 %{name}, [{name}_address];\n    cvta.to.global.u64 %{name}, %{name};\n"
            );
            put!(self, "    mad.wide.u32 %{name}, %thread, {stride}, %{name};\n");
        }
    }

    /// Copies the windows of `.shared` and `.local` from or to the buffer `memory`.
    fn copy_windows(&mut self, specimen: &Specimen, into: bool) {
        for space in [Space::Shared, Space::Local] {
            if !specimen.uses(space) {
                continue;
            }
            for offset in (0..WINDOW).step_by(16) {
                let (name, global) = (space.name(), space as usize * WINDOW + offset);
                if into {
                    put!(
                        self,
                        "    ld.global.v2.b64 {{%copy, %copy2}}, [%memory+{global}];\n    st.{name}.v2.b64 [%{name}+{offset}], {{%copy, %copy2}};\n"
                    );
                } else {
                    put!(
                        self,
                        "    ld.{name}.v2.b64 {{%copy, %copy2}}, [%{name}+{offset}];\n    st.global.v2.b64 [%memory+{global}], {{%copy, %copy2}};\n"
                    );
                }
            }
        }
    }

    fn epilogue(&mut self, specimen: &Specimen) {
        self.copy_windows(specimen, false);
    }

    fn step(&mut self, specimen: &Specimen, step: &Step) {
        if matches!(step.shape, Shape::ImageLoad) {
            // That `.zero` writes zero shows only where something else was before.
            for result in &step.results {
                put!(self, "    mov.b{} ", result.class.size() * 8);
                self.register(*result);
                put!(self, ", -1;\n");
            }
        }
        put!(self, "    ");
        let begin = self.text.len();
        if let Some((register, sense)) = step.guard {
            put!(self, "@{}", if sense { "" } else { "!" });
            self.register(register);
            put!(self, " ");
        }
        put!(self, "{} ", step.opcode);
        self.operands(specimen, step);
        put!(self, ";");
        self.steps.push(begin..self.text.len());
        put!(self, "\n");
        for result in &step.results {
            self.observe(*result);
        }
    }

    fn operands(&mut self, specimen: &Specimen, step: &Step) {
        match step.shape {
            Shape::Plain => {
                self.tuple_of_registers(&step.results);
                self.rest(&step.sources);
            }
            Shape::Load { space, offset } => {
                self.tuple_of_registers(&step.results);
                put!(self, ", ");
                self.address(space, offset);
            }
            Shape::Store { space, offset } => {
                self.address(space, offset);
                if step.opcode.starts_with("red") {
                    self.rest(&step.sources);
                } else {
                    put!(self, ", ");
                    self.tuple(&step.sources);
                }
            }
            Shape::Atomic { space, offset } => {
                self.tuple_of_registers(&step.results);
                put!(self, ", ");
                self.address(space, offset);
                self.rest(&step.sources);
            }
            Shape::ImageLoad => {
                self.tuple_of_registers(&step.results);
                put!(self, ", ");
                self.image(specimen, Side::Source, &step.sources);
            }
            Shape::Window { .. } => unreachable!("a step of SPA 5.0 in a program of PTX"),
            Shape::TextureLoad { level, derivatives, offset } => {
                self.tuple_of_registers(&step.results);
                let picture = specimen.picture.as_ref();
                let is_handle = picture.is_some_and(|picture| !picture.image.reference);
                let has_sampler = picture.is_some_and(|picture| picture.beside.is_some());
                let (sigil, sampler) =
                    (if is_handle { "%" } else { "" }, if has_sampler { ", sampler" } else { "" });
                put!(self, ", [{sigil}{PICTURE}{sampler}, ");
                let image = picture.map(|picture| &picture.image);
                let places = image.map_or(0, |image| image.coordinates().len());
                let dimensions = image.map_or(0, Image::dimensions);
                let (place, mut further) = step.sources.split_at(places);
                self.braced(place);
                put!(self, "]");
                if level {
                    put!(self, ", ");
                    let (one, rest) = further.split_at(1);
                    self.operand(one[0]);
                    further = rest;
                }
                for _ in 0..(2 * usize::from(derivatives) + usize::from(offset)) {
                    put!(self, ", ");
                    let (vector, rest) = further.split_at(dimensions);
                    self.braced(vector);
                    further = rest;
                }
            }
            Shape::TableLoad { table, offset } => {
                self.tuple_of_registers(&step.results);
                put!(self, ", [table{table}+{offset}]");
            }
            Shape::ImageStore => {
                let count = specimen.sink.as_ref().map_or(1, |image| image.coordinates().len());
                let (coordinates, data) = step.sources.split_at(count);
                self.image(specimen, Side::Sink, coordinates);
                put!(self, ", ");
                self.tuple(data);
            }
        }
    }

    fn register(&mut self, register: Register) {
        put!(self, "%{}{}", register.class.letter(), register.number);
    }

    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Register(register) => self.register(register),
            Operand::Immediate(value) => put!(self, "{value}"),
        }
    }

    /// `, a, b, …`
    fn rest(&mut self, operands: &[Operand]) {
        for operand in operands {
            put!(self, ", ");
            self.operand(*operand);
        }
    }

    /// `a` or `{a, b}`
    fn tuple(&mut self, operands: &[Operand]) {
        if let [single] = operands {
            return self.operand(*single);
        }
        self.braced(operands);
    }

    fn braced(&mut self, operands: &[Operand]) {
        put!(self, "{{");
        for (i, operand) in operands.iter().enumerate() {
            put!(self, "{}", if i == 0 { "" } else { ", " });
            self.operand(*operand);
        }
        put!(self, "}}");
    }

    fn tuple_of_registers(&mut self, registers: &[Register]) {
        let operands: Vec<Operand> = registers.iter().map(|r| Operand::Register(*r)).collect();
        self.tuple(&operands);
    }

    fn address(&mut self, space: Space, offset: u32) {
        let base = if space == Space::Global { "memory" } else { space.name() };
        put!(self, "[%{base}+{offset}]");
    }

    fn image(&mut self, specimen: &Specimen, side: Side, coordinates: &[Operand]) {
        let reference = specimen.image(side).is_some_and(|image| image.reference);
        put!(self, "[{}{}, ", if reference { "" } else { "%" }, image_name(side));
        self.braced(coordinates);
        put!(self, "]");
    }

    /// Stores a result to its slot of `out`.
    fn observe(&mut self, result: Register) {
        let offset = self.slots.len() * SLOT;
        if result.class == Class::Pred {
            put!(self, "    selp.b32 %word, 1, 0, ");
            self.register(result);
            put!(self, ";\n    st.global.b32 [%out+{offset}], %word;\n");
        } else {
            put!(self, "    st.global.b{} [%out+{offset}], ", result.class.size() * 8);
            self.register(result);
            put!(self, ";\n");
        }
        self.slots.push(self.steps.len() - 1);
    }
}
