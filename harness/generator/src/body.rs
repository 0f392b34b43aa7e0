//! The instructions of a specimen of PTX: what loads its inputs and windows, its steps, and what stores the results.

use crate::memory::is_generic;
use warpdiff_ptx::vocabulary::SpecialRegister;

use crate::flow::Within;
use crate::image::{Object, Reach};
use crate::part::{Guard, Helper, Instructions, Parameter, Part, Windows};
use crate::places::{Places, SLOT};
use crate::specimen::{
    Class, Image, Input, Meeting, Pointee, Register, Shape, Side, Space, Specimen, Step, Table, WINDOW,
};

/// Hands on all instructions of the kernel, the final `ret` included.
pub(crate) fn instructions(specimen: &Specimen, out: &mut impl Instructions) -> Places {
    let places = Places { steps: Vec::with_capacity(specimen.steps.len()), slots: Vec::new() };
    let mut body = Body { specimen, out, places, open: Vec::new() };
    body.prologue();
    for step in &specimen.steps {
        body.go_to(step.within);
        body.step(step);
    }
    body.go_to(None);
    body.copy_windows(false);
    body.put("ret", &[]);
    body.places
}

/// The parameters of the kernel, in their order.
pub(crate) fn parameters(specimen: &Specimen) -> impl Iterator<Item = Parameter> {
    let all = Parameter::ALL.into_iter().map(|(parameter, _)| parameter);
    all.filter(|parameter| match parameter {
        Parameter::In => specimen.loaded_inputs().next().is_some(),
        Parameter::Out => specimen.steps.iter().any(|step| !step.results.is_empty()),
        Parameter::Memory => !specimen.memory.is_empty(),
        Parameter::Source | Parameter::Sink | Parameter::Picture | Parameter::Sampler => {
            object_of(*parameter).and_then(|object| reach(specimen, object)).is_some_and(Reach::is_parameter)
        }
        Parameter::Common => !specimen.common.is_empty(),
    })
}

/// The variables that are parameters of the kernel, behind the others, with their numbers.
pub(crate) fn parameter_tables(specimen: &Specimen) -> impl Iterator<Item = (usize, &Table)> {
    specimen.tables.iter().enumerate().filter(|(_, table)| !table.bytes.is_empty())
}

/// Whether threads tell each other by way of shared memory what they have.
pub(crate) fn exchanges(specimen: &Specimen) -> bool {
    let is_exchange = |step: &Step| match step.shape {
        Shape::Barrier(barrier) => !matches!(barrier.meeting, Meeting::Reduce { .. }),
        _ => false,
    };
    specimen.steps.iter().any(is_exchange)
}

/// The object that a parameter is for.
pub(crate) fn object_of(parameter: Parameter) -> Option<Object> {
    match parameter {
        Parameter::Source => Some(Object::Image(Side::Source)),
        Parameter::Sink => Some(Object::Image(Side::Sink)),
        Parameter::Picture => Some(Object::Picture),
        Parameter::Sampler => Some(Object::Sampler),
        Parameter::In | Parameter::Out | Parameter::Memory | Parameter::Common => None,
    }
}

/// How the program reaches that object, if it has one.
pub(crate) fn reach(specimen: &Specimen, object: Object) -> Option<Reach> {
    match object {
        Object::Sampler => specimen.picture.as_ref()?.beside.map(|beside| beside.reach),
        _ => image(specimen, object).map(|image| image.reach),
    }
}

/// Whether a register stands for that object where it is accessed.
fn is_by_register(specimen: &Specimen, object: Object) -> bool {
    reach(specimen, object).is_some_and(Reach::is_by_register)
}

/// Whether the program makes a pointer to that object.
fn has_pointer(specimen: &Specimen, object: Object) -> bool {
    let asks = |step: &Step| step.shape == Shape::PointsTo { pointee: Pointee::Object(object) };
    match reach(specimen, object) {
        Some(Reach::Pointer) => true,
        Some(Reach::Variable | Reach::Parameter) => specimen.steps.iter().any(asks),
        Some(Reach::Handle) | None => false,
    }
}

/// The shape and the texels of that object; a sampler has none.
pub(crate) fn image(specimen: &Specimen, object: Object) -> Option<&Image> {
    match object {
        Object::Image(side) => specimen.image(side),
        Object::Picture => specimen.picture.as_ref().map(|picture| &picture.image),
        Object::Sampler => None,
    }
}

pub(crate) struct Body<'s, I> {
    pub(crate) specimen: &'s Specimen,
    pub(crate) out: &'s mut I,
    places: Places,
    /// The blocks that the next instruction stands in, the outermost first.
    pub(crate) open: Vec<Within>,
}

impl<I: Instructions> Body<'_, I> {
    pub(crate) fn put(&mut self, opcode: &str, operands: &[Part<'_>]) {
        self.out.put(None, opcode, operands);
    }

    fn prologue(&mut self) {
        let specimen = self.specimen;
        self.thread_number();
        let results: usize = specimen.steps.iter().map(|step| step.results.len()).sum();
        self.record(Helper::In, Parameter::In, specimen.loaded_inputs().count() * SLOT);
        self.record(Helper::Out, Parameter::Out, results * SLOT);
        if !specimen.memory.is_empty() {
            self.record(Helper::Memory, Parameter::Memory, Specimen::MEMORY_STRIDE);
        }
        for (object, parameter) in [
            (Object::Image(Side::Source), Parameter::Source),
            (Object::Image(Side::Sink), Parameter::Sink),
            (Object::Picture, Parameter::Picture),
            (Object::Sampler, Parameter::Sampler),
        ] {
            let register = Part::Helper(object.handle());
            if reach(specimen, object) == Some(Reach::Handle) {
                self.put("ld.param.u64", &[register, Part::Parameter(parameter)]);
            } else if has_pointer(specimen, object) {
                self.put("mov.u64", &[register, Part::Pointer(object)]);
            }
        }
        if !specimen.common.is_empty() {
            let common = Part::Helper(Helper::Common);
            self.put("ld.param.u64", &[common, Part::Parameter(Parameter::Common)]);
            self.put("cvta.to.global.u64", &[common, common]);
        }
        if specimen.uses(Space::Shared) {
            let (shared, thread) = (Part::Helper(Helper::Shared), Part::Helper(Helper::InBlock));
            self.put("mov.u64", &[shared, Part::Windows(Windows::Shared)]);
            self.put("mad.wide.u32", &[shared, thread, Part::Integer(WINDOW as i64), shared]);
        }
        if specimen.uses(Space::Local) {
            self.put("mov.u64", &[Part::Helper(Helper::Local), Part::Windows(Windows::Local)]);
        }
        self.generic_addresses();
        self.copy_windows(true);
        for input in specimen.inputs.iter().filter(|input| specimen.entrance.is_immediate(input)) {
            self.constant(input);
        }
        for (slot, input) in specimen.loaded_inputs().enumerate() {
            let (register, at) = (Part::Own(input.register), Part::Address(Helper::In, slot * SLOT));
            match input.register.class {
                Class::Pred => {
                    self.put("ld.global.b32", &[Part::Helper(Helper::Word), at]);
                    self.put("setp.ne.u32", &[register, Part::Helper(Helper::Word), Part::Integer(0)]);
                }
                Class::B16 => self.put("ld.global.b16", &[register, at]),
                Class::B32 => self.put("ld.global.b32", &[register, at]),
                Class::B64 => self.put("ld.global.b64", &[register, at]),
            }
        }
    }

    /// The number of the thread, in its CTA and among all.
    fn thread_number(&mut self) {
        let (thread, in_block) = (Part::Helper(Helper::Thread), Part::Helper(Helper::InBlock));
        self.put("mov.u32", &[in_block, Part::Special(SpecialRegister::Tid, 0)]);
        if self.specimen.ctas == 1 {
            self.put("mov.u32", &[thread, in_block]);
        } else {
            self.put("mov.u32", &[thread, Part::Special(SpecialRegister::Ctaid, 0)]);
            let block = Part::Integer(self.specimen.block().into());
            self.put("mad.lo.u32", &[thread, thread, block, in_block]);
        }
    }

    /// Makes the generic addresses of the windows that steps access by them.
    fn generic_addresses(&mut self) {
        for (space, generic, base, opcode) in [
            (Space::Global, Helper::GenericMemory, Helper::Memory, "cvta.global.u64"),
            (Space::Shared, Helper::GenericShared, Helper::Shared, "cvta.shared.u64"),
            (Space::Local, Helper::GenericLocal, Helper::Local, "cvta.local.u64"),
        ] {
            let is_used = |step: &Step| step.space() == Some(space) && is_generic(&step.opcode);
            if self.specimen.steps.iter().any(is_used) {
                self.put(opcode, &[Part::Helper(generic), Part::Helper(base)]);
            }
        }
    }

    /// Gives an input its value as a constant.
    fn constant(&mut self, input: &Input) {
        let register = Part::Own(input.register);
        let value = input.values.first().copied().unwrap_or_default();
        match input.register.class {
            Class::Pred => {
                let word = Part::Helper(Helper::Word);
                self.put("mov.b32", &[word, Part::Integer((value as u32).into())]);
                self.put("setp.ne.u32", &[register, word, Part::Integer(0)]);
            }
            class => self.put(moving(class), &[register, Part::Bits(value)]),
        }
    }

    /// Loads the address of this thread's record of a buffer.
    fn record(&mut self, address: Helper, parameter: Parameter, stride: usize) {
        if stride > 0 {
            let (address, thread) = (Part::Helper(address), Part::Helper(Helper::Thread));
            self.put("ld.param.u64", &[address, Part::Parameter(parameter)]);
            self.put("cvta.to.global.u64", &[address, address]);
            self.put("mad.wide.u32", &[address, thread, Part::Integer(stride as i64), address]);
        }
    }

    /// Copies the windows of `.shared` and `.local` from or to the buffer `memory`.
    fn copy_windows(&mut self, into: bool) {
        for (space, window, load, store) in [
            (Space::Shared, Helper::Shared, "ld.shared.v2.b64", "st.shared.v2.b64"),
            (Space::Local, Helper::Local, "ld.local.v2.b64", "st.local.v2.b64"),
        ] {
            if !self.specimen.uses(space) {
                continue;
            }
            for offset in (0..WINDOW).step_by(16) {
                let global = Part::Address(Helper::Memory, space as usize * WINDOW + offset);
                let window = Part::Address(window, offset);
                if into {
                    self.put("ld.global.v2.b64", &[Part::Copies, global]);
                    self.put(store, &[window, Part::Copies]);
                } else {
                    self.put(load, &[Part::Copies, window]);
                    self.put("st.global.v2.b64", &[global, Part::Copies]);
                }
            }
        }
    }

    /// Gives a register the value that it has in lanes which run no step that writes it.
    pub(crate) fn initial(&mut self, result: Register) {
        let (register, thread) = (Part::Own(result), Part::Helper(Helper::Thread));
        match result.class {
            Class::Pred => self.put("setp.ne.u32", &[register, thread, thread]),
            class => self.put(moving(class), &[register, Part::Bits(class.initial())]),
        }
    }

    fn step(&mut self, step: &Step) {
        if step.guard.is_some() && step.within.is_none() {
            step.results.iter().for_each(|result| self.initial(*result));
        }
        if matches!(step.shape, Shape::ImageLoad) {
            // That `.zero` writes zero shows only where something else was before.
            for result in &step.results {
                self.put(moving(result.class), &[Part::Own(*result), Part::Integer(-1)]);
            }
        }
        if let Shape::PointsTo { pointee: Pointee::Array(table) } = step.shape {
            self.put("mov.u64", &[Part::Helper(Helper::Array), Part::AddressOf(table)]);
        }
        let place = match step.shape {
            Shape::Call(_) => self.out.call(step, self.places.steps.len()),
            Shape::Barrier(barrier) => self.meet(step, barrier, self.places.steps.len()),
            _ => {
                let operands = self.operands(step);
                self.out.put(Guard::of(step), &step.opcode, &operands)
            }
        };
        self.places.steps.push(place);
        for result in &step.results {
            self.observe(*result);
        }
    }

    fn operands<'p>(&self, step: &'p Step) -> Vec<Part<'p>> {
        let mut parts = Vec::with_capacity(6);
        match step.shape {
            Shape::Plain => return plain(step),
            Shape::Video(operands) => {
                let parts = plain(step).into_iter().zip(operands);
                return parts.map(|(part, taken)| part.taken(taken)).collect();
            }
            Shape::Lanes { negated, masked } => {
                parts.push(Part::pair(&step.results));
                parts.extend(step.sources.iter().map(|source| Part::of(*source).negated(negated)));
                if masked {
                    parts.push(self.members());
                }
            }
            Shape::Query { object } => {
                let by_register = is_by_register(self.specimen, object);
                parts.extend([Part::results(&step.results), Part::Object { object, by_register }]);
            }
            Shape::PointsTo { pointee } => {
                parts.extend([Part::results(&step.results), Part::Helper(pointer(pointee))]);
            }
            Shape::Special { register, component } => {
                parts.extend([Part::results(&step.results), Part::Special(register, component)]);
            }
            Shape::Pack => parts.extend([Part::results(&step.results), Part::data(&step.sources)]),
            Shape::Contended { offset } => {
                parts.extend(step.results.iter().map(|result| Part::Own(*result)));
                parts.push(Part::Address(Helper::Common, offset as usize));
                parts.extend(step.sources.iter().copied().map(Part::of));
            }
            Shape::Call(_) | Shape::Barrier(_) => unreachable!("more than one instruction"),
            Shape::Load { space, offset } => {
                parts.extend([Part::results(&step.results), address(step, space, offset)]);
            }
            Shape::Store { space, offset } => {
                parts.push(address(step, space, offset));
                if step.opcode.starts_with("red") {
                    parts.extend(step.sources.iter().copied().map(Part::of));
                } else {
                    parts.push(Part::data(&step.sources));
                }
            }
            Shape::Atomic { space, offset } => {
                parts.extend([Part::results(&step.results), address(step, space, offset)]);
                parts.extend(step.sources.iter().copied().map(Part::of));
            }
            Shape::ImageLoad => {
                let texel = self.texel(Object::Image(Side::Source), &step.sources);
                parts.extend([Part::results(&step.results), texel]);
            }
            Shape::Window { .. } | Shape::Encoded { .. } => {
                unreachable!("a step of SPA 5.0 in a program of PTX")
            }
            Shape::TextureLoad { level, derivatives, offset } => {
                let image = image(self.specimen, Object::Picture);
                let places = image.map_or(0, |image| image.coordinates().len());
                let dimensions = image.map_or(0, Image::dimensions);
                let (place, mut further) = step.sources.split_at(places);
                parts.extend([Part::results(&step.results), self.texel(Object::Picture, place)]);
                if level {
                    let (one, rest) = further.split_at(1);
                    parts.push(Part::of(one[0]));
                    further = rest;
                }
                for _ in 0..(2 * usize::from(derivatives) + usize::from(offset)) {
                    let (vector, rest) = further.split_at(dimensions);
                    parts.push(Part::Tuple(vector));
                    further = rest;
                }
            }
            Shape::TableLoad { table, offset } => {
                parts.extend([Part::results(&step.results), Part::Table(table, offset)]);
            }
            Shape::ImageStore => {
                let count = self.specimen.sink.as_ref().map_or(1, |image| image.coordinates().len());
                let (coordinates, data) = step.sources.split_at(count);
                parts.extend([self.texel(Object::Image(Side::Sink), coordinates), Part::data(data)]);
            }
        }
        parts
    }

    fn texel<'p>(&self, object: Object, coordinates: &'p [crate::specimen::Operand]) -> Part<'p> {
        let by_register = is_by_register(self.specimen, object);
        let sampler = reach(self.specimen, Object::Sampler).filter(|_| object == Object::Picture);
        let sampler = sampler.map(Reach::is_by_register);
        Part::Texel { object, by_register, sampler, coordinates }
    }

    /// Stores a result to its slot of `out`.
    fn observe(&mut self, result: Register) {
        let (register, at) = (Part::Own(result), Part::Address(Helper::Out, self.places.slots.len() * SLOT));
        match result.class {
            Class::Pred => {
                let word = Part::Helper(Helper::Word);
                self.put("selp.b32", &[word, Part::Integer(1), Part::Integer(0), register]);
                self.put("st.global.b32", &[at, word]);
            }
            Class::B16 => self.put("st.global.b16", &[at, register]),
            Class::B32 => self.put("st.global.b32", &[at, register]),
            Class::B64 => self.put("st.global.b64", &[at, register]),
        }
        self.places.slots.push(self.places.steps.len() - 1);
    }
}

/// The register that holds a pointer.
fn pointer(pointee: Pointee) -> Helper {
    match pointee {
        Pointee::Object(object) => object.handle(),
        Pointee::Array(_) => Helper::Array,
    }
}

/// The operands of an instruction from registers to registers.
pub(crate) fn plain(step: &Step) -> Vec<Part<'_>> {
    let results = if step.results.is_empty() { None } else { Some(Part::pair(&step.results)) };
    results.into_iter().chain(step.sources.iter().copied().map(Part::of)).collect()
}

/// The instruction that moves values of a class; a predicate is moved as a word.
fn moving(class: Class) -> &'static str {
    match class {
        Class::B16 => "mov.b16",
        Class::Pred | Class::B32 => "mov.b32",
        Class::B64 => "mov.b64",
    }
}

/// The address of a place in this thread's window of a space.
fn address(step: &Step, space: Space, offset: u32) -> Part<'static> {
    let base = match (space, is_generic(&step.opcode)) {
        (Space::Global, false) => Helper::Memory,
        (Space::Shared, false) => Helper::Shared,
        (Space::Local, false) => Helper::Local,
        (Space::Global, true) => Helper::GenericMemory,
        (Space::Shared, true) => Helper::GenericShared,
        (Space::Local, true) => Helper::GenericLocal,
    };
    Part::Address(base, offset as usize)
}
