//! A specimen of PTX as the module that the checker makes of its text, without that text.
//!
//! Words of an opcode are read as the parser reads them. Which of the tables of forms an opcode belongs to is not said here a second time:
//! it is learned from modules that were checked. Variables with initial values are left to the checker: their declarations alone are
//! written and checked.

use std::collections::HashMap;
use std::ops::Range;

use ecow::EcoString;
use foldhash::fast::RandomState;
use warpdiff_ptx::Rules;
use warpdiff_ptx::ast::WordKind;
use warpdiff_ptx::checked::{
    AddressBase, Function, FunctionId, Guard as ModuleGuard, Immediate, Instruction, Modifiers, Module,
    OpaqueBase, Operand, Parameter as ModuleParameter, Register as ModuleRegister, RegisterId, Spaces,
    Subject, Types, Variable, VariableId,
};
use warpdiff_ptx::source::Span;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Space as ModuleSpace, Type};

use crate::body;
use crate::image::{Object, Reach};
use crate::part::{EachOpcode, Guard, Helper, Instructions, Label, Part, Windows};
use crate::places::{ENTRY, Places, VERSION};
use crate::specimen::{self, Class, Language, Register, Shape, Space, Specimen, Step, WINDOW};

/// What specimens whose text was checked taught of opcodes.
#[derive(Clone, Debug, Default)]
pub struct Opcodes {
    /// The subject of an opcode with a first type, by the number of the opcode; few types each.
    subjects: Vec<Vec<(Option<Type>, Subject)>>,
    /// The words of opcodes that were read before, by their texts. To read them again, word by word, takes ten times as long.
    words: HashMap<Box<str>, Words, RandomState>,
}

impl Opcodes {
    /// Learns the opcodes of a specimen from the module that the checker made of its text.
    ///
    /// # Errors
    /// If the module is another one than is made from now on of that specimen.
    pub fn learn(&mut self, specimen: &Specimen, checked: &Module) -> Result<(), Differs> {
        if !is_made(specimen) {
            return Ok(());
        }
        for instruction in checked.functions.iter().flat_map(|function| &function.body) {
            let (opcode, ty) = (instruction.opcode, instruction.types.first().copied());
            if self.subject(opcode, ty).is_none() {
                let number = opcode as usize;
                self.subjects.resize_with(self.subjects.len().max(number + 1), Vec::new);
                self.subjects[number].push((ty, instruction.subject));
            }
        }
        let read = |_, opcode: &str| {
            if !self.words.contains_key(opcode)
                && let Some(words) = Words::read(opcode)
            {
                self.words.insert(opcode.into(), words);
            }
        };
        body::instructions(specimen, &mut EachOpcode(read));
        match self.module(specimen) {
            Some((module, _)) if same(&module, checked) => Ok(()),
            _ => Err(Differs),
        }
    }

    fn subject(&self, opcode: Opcode, ty: Option<Type>) -> Option<Subject> {
        let known = self.subjects.get(opcode as usize)?;
        known.iter().find(|(of, _)| *of == ty).map(|(_, subject)| *subject)
    }

    /// The module of a specimen, whose instructions stand at their indices; `None` where it has to be written as text and checked, to
    /// learn its opcodes.
    pub(crate) fn module(&self, specimen: &Specimen) -> Option<(Module, Places)> {
        if !is_made(specimen) {
            return None;
        }
        let mut maker = Maker::new(self, specimen)?;
        let places = body::instructions(specimen, &mut maker);
        (!maker.lacks).then(|| (maker.module(), places))
    }
}

/// Whether modules are made of such a specimen. One with functions is written.
fn is_made(specimen: &Specimen) -> bool {
    let calls = |step: &Step| matches!(step.shape, Shape::Call(_));
    specimen.language == Language::Ptx && !specimen.steps.iter().any(calls)
}

/// The module made without text is another one than the module that the checker made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differs;

/// Whether two modules are the same but for positions in a text.
fn same(ours: &Module, checked: &Module) -> bool {
    let mut checked = checked.clone();
    checked.variables.iter_mut().for_each(|variable| variable.span = Span::default());
    checked.deviations.iter_mut().for_each(|(_, span)| *span = Span::default());
    for function in &mut checked.functions {
        function.span = Span::default();
        function.body.iter_mut().enumerate().for_each(|(index, instruction)| instruction.span = place(index));
    }
    *ours == checked
}

/// A module in the making.
struct Maker<'o> {
    opcodes: &'o Opcodes,
    /// Without the kernel.
    module: Module,
    parameters: Vec<ModuleParameter>,
    /// Where the bytes of the parameters end.
    parameters_end: u64,
    registers: Vec<ModuleRegister>,
    /// The registers of the specimen by their numbers, made at their first use.
    own: Vec<Option<RegisterId>>,
    body: Vec<Instruction>,
    /// Labels by their numbers, with the instructions that they stand before.
    labels: Vec<(Label, u32)>,
    /// Of each list of targets, the block it is of and its labels.
    targets: Vec<(u8, Vec<Label>)>,
    /// See [`Variable::made`].
    made: u32,
    /// Whether there is something of which only the checker knows what it makes.
    lacks: bool,
}

/// The kernel, which is the only function.
const KERNEL: FunctionId = FunctionId(0);

impl<'o> Maker<'o> {
    /// `None` if the checker refuses the declarations.
    fn new(opcodes: &'o Opcodes, specimen: &Specimen) -> Option<Self> {
        let registers = Helper::ALL.iter().map(|(_, name, ty)| register(name, *ty)).collect();
        let inputs = specimen.inputs.iter().map(|input| &input.register);
        let results = specimen.steps.iter().flat_map(|step| &step.results);
        let count = inputs.chain(results).map(|register| register.number as usize + 1).max().unwrap_or(0);
        let has_members = |object: &Object| {
            body::image(specimen, *object).is_some_and(|image| image.reach.is_variable() && image.has_members)
        };
        let has_values = specimen.tables.iter().any(|table| table.bytes.is_empty())
            || specimen.picture.as_ref().is_some_and(|picture| picture.beside.is_some())
            || Object::ALL.iter().any(has_members);
        let module = if has_values { checked_declarations(specimen)? } else { bare_module(specimen.target) };
        let mut maker = Maker {
            opcodes,
            made: module.variables.iter().filter_map(|variable| variable.made).max().unwrap_or(0),
            module,
            parameters: Vec::with_capacity(6),
            parameters_end: 0,
            registers,
            own: vec![None; count],
            body: Vec::with_capacity(64),
            labels: Vec::new(),
            targets: Vec::new(),
            lacks: false,
        };
        if !has_values {
            maker.objects(specimen);
        }
        maker.declarations(specimen);
        Some(maker)
    }

    fn module(self) -> Module {
        let bare = Function::bare(ENTRY.to_owned(), true, false, Span::default());
        let Self { module, parameters, registers, mut body, labels, targets, .. } = self;
        let place =
            |wanted: &Label| labels.iter().find(|(label, _)| label == wanted).map_or(0, |(_, at)| *at);
        // A branch was given the number of its label's first mention.
        for operand in body.iter_mut().flat_map(|instruction| &mut instruction.operands) {
            if let Operand::Label(number) = operand {
                *number = labels[*number as usize].1;
            }
        }
        let branch_targets = targets.iter().map(|(_, list)| list.iter().map(place).collect()).collect();
        Module { functions: vec![Function { parameters, registers, body, branch_targets, ..bare }], ..module }
    }

    /// The number of a label, which is made at its first mention.
    fn label_number(&mut self, wanted: Label) -> usize {
        self.labels.iter().position(|(label, _)| *label == wanted).unwrap_or_else(|| {
            self.labels.push((wanted, 0));
            self.labels.len() - 1
        })
    }

    /// Declares the images and the texture that are reached by name.
    fn objects(&mut self, specimen: &Specimen) {
        for object in Object::ALL {
            if body::reach(specimen, object).is_some_and(Reach::is_variable) {
                self.variable(object.name(), ModuleSpace::Global, object.ty(), None);
            }
        }
    }

    fn declarations(&mut self, specimen: &Specimen) {
        for parameter in body::parameters(specimen) {
            match body::object_of(parameter).filter(|of| body::reach(specimen, *of) == Some(Reach::Parameter))
            {
                Some(object) => self.parameter(object.name(), object.ty(), None),
                None => self.parameter(parameter.name(), Type::U64, None),
            }
        }
        for (number, table) in body::parameter_tables(specimen) {
            self.parameter(&format!("table{number}"), Type::U8, Some(table.bytes.len() as u64));
        }
        if specimen.uses(Space::Shared) {
            let bytes = WINDOW * specimen.block() as usize;
            self.variable(Windows::Shared.name(), ModuleSpace::Shared, Type::B8, Some(bytes as u64));
        }
        if specimen.uses(Space::Local) {
            self.variable(Windows::Local.name(), ModuleSpace::Local, Type::B8, Some(WINDOW as u64));
        }
        if body::exchanges(specimen) {
            let bytes = 4 * u64::from(specimen.block());
            self.variable(Windows::Exchange.name(), ModuleSpace::Shared, Type::B8, Some(bytes));
        }
    }

    /// Declares a parameter, or an array of that many bytes which is aligned to 16. One of opaque type has no bytes.
    fn parameter(&mut self, name: &str, ty: Type, array: Option<u64>) {
        let variable = self.variable(name, ModuleSpace::Param, ty, array);
        let Variable { size, align, .. } = self.module.variables[variable.0 as usize];
        let offset = self.parameters_end.next_multiple_of(align);
        if !ty.is_opaque() {
            self.parameters_end = offset + size;
        }
        self.parameters.push(ModuleParameter {
            name: name.to_owned(),
            variable: Some(variable),
            register: None,
            ty,
            size,
            align,
            offset,
        });
    }

    /// Declares a variable, or an array of that many bytes which is aligned to 16.
    fn variable(&mut self, name: &str, space: ModuleSpace, ty: Type, array: Option<u64>) -> VariableId {
        // An object of opaque type is one of words.
        let natural = if ty.is_opaque() { 4 } else { ty.size().into() };
        let align = if array.is_some() { 16 } else { natural };
        // The checker counts a declaration twice, before its initial value and behind it; a parameter has none.
        self.made += if space == ModuleSpace::Param { 1 } else { 2 };
        let id = VariableId(self.module.variables.len() as u32);
        let size = array.unwrap_or(ty.size().into());
        self.module.variables.push(Variable {
            dimensions: array.into_iter().collect(),
            scope: (space != ModuleSpace::Global).then_some(KERNEL),
            made: Some(self.made),
            ..Variable::plain(name, space, ty, size, align)
        });
        id
    }

    /// The variable of that name. There are few of them.
    fn declared(&mut self, name: &str) -> VariableId {
        let place = self.module.variables.iter().position(|variable| variable.name == name);
        self.lacks |= place.is_none();
        VariableId(place.unwrap_or_default() as u32)
    }

    fn own(&mut self, Register { class, number }: Register) -> RegisterId {
        if let Some(id) = self.own[number as usize] {
            return id;
        }
        let ty = match class {
            Class::Pred => Type::Pred,
            Class::B16 => Type::B16,
            Class::B32 => Type::B32,
            Class::B64 => Type::B64,
        };
        let id = RegisterId(self.registers.len() as u32);
        self.registers.push(ModuleRegister { name: own_name(class, number), ty, vector: 1 });
        self.own[number as usize] = Some(id);
        id
    }

    fn operand(&mut self, part: Part<'_>) -> Operand {
        let of_memory =
            |base, offset: usize| Operand::Address { base, offset: offset as i64, unified: false };
        match part {
            Part::Own(register) => Operand::Register { id: self.own(register), negated: false },
            Part::Helper(helper) => Operand::Register { id: id(helper), negated: false },
            // A literal is unsigned where its digits fit no signed integer; the minus sign is not one of them.
            Part::Integer(value) => integer(value as u64, value == i64::MIN),
            Part::Bits(bits) => integer(bits, bits > i64::MAX as u64),
            Part::Not(register) => Operand::Register { id: self.own(register), negated: true },
            Part::Piece(register, taken) => {
                let (low, width) = taken.portion.bits();
                Operand::Part { id: self.own(register), low, width, negated: taken.negated }
            }
            Part::Special(register, component) => Operand::Special { register, component: component.into() },
            Part::Label(label) => Operand::Label(self.label_number(label) as u32),
            Part::Targets(block) => {
                let list = self.targets.iter().position(|(of, _)| *of == block);
                Operand::BranchTargets(list.unwrap_or_default() as u32)
            }
            Part::Object { object, by_register } => {
                let object = self.object(object, by_register);
                Operand::Opaque { object, sampler: None, coordinates: Vec::new(), bare: false }
            }
            Part::Address(base, offset) => of_memory(AddressBase::Register(id(base)), offset),
            Part::Parameter(parameter) => {
                of_memory(AddressBase::Variable(self.declared(parameter.name())), 0)
            }
            Part::Table(number, offset) => {
                of_memory(AddressBase::Variable(self.declared(&format!("table{number}"))), offset as usize)
            }
            Part::Pointer(object) => {
                Operand::VariableAddress { variable: self.declared(object.name()), offset: 0 }
            }
            Part::AddressOf(number) => {
                let variable = self.declared(&format!("table{number}"));
                Operand::VariableAddress { variable, offset: 0 }
            }
            Part::Windows(windows) => {
                Operand::VariableAddress { variable: self.declared(windows.name()), offset: 0 }
            }
            Part::Copies => {
                let both = [Helper::Copy, Helper::Copy2];
                Operand::Vector(both.map(|half| Operand::Register { id: id(half), negated: false }).into())
            }
            Part::Tuple(operands) => Operand::Vector(self.elements(operands)),
            Part::Pair(one, other) => {
                let [one, other] = [one, other].map(|register| Box::new(self.operand(Part::Own(register))));
                Operand::Pair(one, other)
            }
            Part::Results(registers) => {
                let elements = registers.iter().map(|register| self.operand(Part::Own(*register)));
                Operand::Vector(elements.collect())
            }
            Part::Texel { object, by_register, sampler, coordinates } => {
                let object = self.object(object, by_register);
                let sampler = sampler.map(|by_register| self.object(Object::Sampler, by_register));
                let coordinates = self.elements(coordinates);
                Operand::Opaque { object, sampler, coordinates, bare: false }
            }
        }
    }

    fn object(&mut self, object: Object, by_register: bool) -> OpaqueBase {
        match by_register {
            true => OpaqueBase::Register(id(object.handle())),
            false => OpaqueBase::Variable(self.declared(object.name())),
        }
    }

    fn elements(&mut self, operands: &[specimen::Operand]) -> Vec<Operand> {
        operands.iter().map(|operand| self.operand(Part::of(*operand))).collect()
    }
}

/// The words of an opcode.
#[derive(Clone, Copy, Debug)]
struct Words {
    opcode: Opcode,
    modifiers: Modifiers,
    spaces: Spaces,
    types: Types,
}

impl Words {
    /// Reads them; `None` if there is one of which the checker makes something else.
    fn read(text: &str) -> Option<Self> {
        let mut words = text.split('.');
        let opcode = Opcode::from_text(words.next()?)?;
        let (modifiers, spaces, types) = (Modifiers::new(), Spaces::new(), Types::new());
        let mut read = Self { opcode, modifiers, spaces, types };
        for word in words {
            match WordKind::from_text(word) {
                WordKind::Type(ty) => read.types.push(ty),
                WordKind::Space(space) => read.spaces.push(space),
                WordKind::Modifier(modifier) => {
                    match modifier {
                        Modifier::SharedCta | Modifier::SharedCluster => {
                            read.spaces.push(ModuleSpace::Shared)
                        }
                        Modifier::ParamEntry | Modifier::ParamFunc => read.spaces.push(ModuleSpace::Param),
                        _ => {}
                    }
                    read.modifiers.push(if modifier == Modifier::NaN { Modifier::Nan } else { modifier });
                }
                WordKind::Other => return None,
            }
        }
        Some(read)
    }
}

impl Instructions for Maker<'_> {
    fn put(&mut self, guard: Option<Guard>, opcode: &str, operands: &[Part<'_>]) -> Range<usize> {
        let Some(words) = self.opcodes.words.get(opcode).copied().or_else(|| Words::read(opcode)) else {
            self.lacks = true;
            return 0..0;
        };
        let Some(subject) = self.opcodes.subject(words.opcode, words.types.first().copied()) else {
            self.lacks = true;
            return 0..0;
        };
        let guard = guard.map(|guard| match guard {
            Guard::Own(register, sense) => ModuleGuard { register: self.own(register), negated: !sense },
            Guard::Flag(sense) => ModuleGuard { register: id(Helper::Flag), negated: !sense },
        });
        let operands = operands.iter().map(|operand| self.operand(*operand)).collect();
        let Words { opcode, modifiers, spaces, types } = words;
        let span = place(self.body.len());
        self.body.push(Instruction { subject, guard, opcode, modifiers, spaces, types, operands, span });
        0..0
    }

    fn label(&mut self, label: Label) {
        let number = self.label_number(label);
        self.labels[number].1 = self.body.len() as u32;
    }

    fn targets(&mut self, block: u8, labels: &[Label]) {
        self.targets.push((block, labels.to_vec()));
    }

    fn call(&mut self, _: &Step, _: usize) -> Range<usize> {
        self.lacks = true;
        0..0
    }
}

/// The module before its first declaration.
fn bare_module(target: u32) -> Module {
    Module {
        version: VERSION,
        target,
        texmode_independent: false,
        address_size: 64,
        variables: Vec::with_capacity(8),
        functions: Vec::new(),
        deviations: Vec::new(),
    }
}

/// The declarations at module scope, as the checker makes them of their text. They stand nowhere, as all that is made here.
fn checked_declarations(specimen: &Specimen) -> Option<Module> {
    let mut module = warpdiff_ptx::compile(&crate::text::declarations(specimen), &Rules::TO_RUN).ok()?;
    module.variables.iter_mut().for_each(|variable| variable.span = Span::default());
    module.deviations.iter_mut().for_each(|(_, span)| *span = Span::default());
    Some(module)
}

/// Where an instruction is said to stand: decoders tell instructions apart by that.
fn place(index: usize) -> Span {
    Span { start: index as u32, end: index as u32 }
}

/// Helpers are declared one by one, before a register of a range is used.
fn id(helper: Helper) -> RegisterId {
    RegisterId(helper as u32)
}

/// The name of a register of the specimen, as in `%r12`. It is written digit by digit, since `format!` takes several times as long.
fn own_name(class: Class, number: u32) -> EcoString {
    let mut digits = [0; 10];
    let (mut left, mut first) = (number, digits.len());
    loop {
        first -= 1;
        digits[first] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    let mut name = EcoString::from("%");
    name.push(class.letter());
    digits[first..].iter().for_each(|digit| name.push(char::from(*digit)));
    name
}

fn register(name: &str, ty: Type) -> ModuleRegister {
    ModuleRegister { name: name.into(), ty, vector: 1 }
}

fn integer(bits: u64, unsigned: bool) -> Operand {
    Operand::Immediate(Immediate::Integer { bits, unsigned })
}
