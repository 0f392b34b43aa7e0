//! Placement of variables and registers of a PTX program in memory and register files.

use warpdiff_model::{Choice, Semantics};
use warpdiff_ptx::checked::{Function, FunctionId, Module, Parameter, ShortList, Variable, VariableId};
use warpdiff_ptx::source::Span;
use warpdiff_ptx::stored_numbers::Numbers;
use warpdiff_ptx::unread::Mentions;
use warpdiff_ptx::vocabulary::{Space, Type};
use warpdiff_ptx::written::Written;

use super::members::members_of;
use super::{Decode, Decoder, class_of};
use crate::address_space::{Bank, has_allocation, slots};
use crate::decoded::{
    Decoded, FunctionInfo, ParameterPlace, RegisterNames, Site, Unsupported, VariablePlace,
};
use crate::operation::{BoundUse, Class, Guard, Slot};
use crate::registers::FileSizes;
use warpdiff_semantics::opaque::Named;

/// Most bytes of frame a function may have: the 512 KiB of local memory that a thread can have at all.
const FRAME_LIMIT: u64 = 512 << 10;
/// Most bytes of statically declared shared memory that are laid out.
const SHARED_LIMIT: u64 = 1 << 24;

/// Index of `literal` in the alternatives of [`Choice::AlignBelowNatural`].
const LITERAL: u8 = 1;

/// Placeholder for the current function and instruction before the first one.
static NO_FUNCTION: Function = Function::bare(String::new(), false, true, Span { start: 0, end: 0 });
static NO_INSTRUCTION: warpdiff_ptx::checked::Instruction = warpdiff_ptx::checked::Instruction {
    subject: warpdiff_ptx::checked::Subject::Control,
    guard: None,
    opcode: warpdiff_ptx::vocabulary::Opcode::Trap,
    modifiers: ShortList::new(),
    spaces: ShortList::new(),
    types: ShortList::new(),
    operands: Vec::new(),
    span: Span { start: 0, end: 0 },
};

impl<'m> Decoder<'m> {
    /// A decoder that has laid out the variables.
    pub(super) fn new(
        module: &'m Module,
        text: &'m str,
        semantics: &Semantics,
        first_slot: u32,
    ) -> Decode<Self> {
        let mut out = Decoded { first_slot, ..Decoded::default() };
        out.constants.predicates = vec![false, true];
        out.functions = vec![FunctionInfo::default(); module.functions.len()];
        out.open_alignment = module.variables.iter().any(is_open);
        out.literal_alignment =
            out.open_alignment && semantics.assignment.get(Choice::AlignBelowNatural) == LITERAL;
        place_variables(module, &mut out)?;
        Ok(Decoder {
            module,
            text,
            semantics: *semantics,
            out,
            narrow_constants: Default::default(),
            wide_constants: Default::default(),
            function: &NO_FUNCTION,
            id: FunctionId(0),
            slots: Vec::new(),
            sizes: FileSizes::default(),
            mentions: Mentions::default(),
            numbers: Numbers::default(),
            written: Written::default(),
            carry: None,
            jumps: Vec::new(),
            instruction: &NO_INSTRUCTION,
            mistake: None,
            site: Site { function: 0, instruction: 0 },
            guard: Guard::NONE,
            consults: None,
            bound: BoundUse::None,
        })
    }

    /// Assigns the registers, parameters and results of the current function.
    pub(super) fn enter_function(&mut self) -> Decode {
        self.slots.clear();
        self.sizes = FileSizes::default();
        self.carry = None;
        self.mentions = Mentions::of(self.function, &self.semantics);
        self.numbers = Numbers::of(self.function, &self.semantics);
        self.written = Written::enter(self.module, self.id, &self.semantics);
        self.jumps.clear();
        let mut names = RegisterNames::default();
        for register in &self.function.registers {
            if register.ty == Type::B128 {
                let what = format!("128-bit register `{}`", register.name);
                return Err(Unsupported { span: self.function.span, what });
            }
            let class = class_of(register.ty);
            let (counter, names) = match class {
                Class::Narrow => (&mut self.sizes.narrow, &mut names.narrow),
                Class::Wide => (&mut self.sizes.wide, &mut names.wide),
                Class::Predicate => (&mut self.sizes.predicates, &mut names.predicates),
            };
            self.slots.push(Slot { class, index: *counter });
            *counter += register.vector.max(1);
            names.extend((0..register.vector.max(1)).map(|component| match register.vector {
                0 | 1 => register.name.clone(),
                _ => {
                    let component = ["x", "y", "z", "w"][component as usize & 3];
                    format!("{}.{component}", register.name).as_str().into()
                }
            }));
        }
        let parameters = self.parameter_places(&self.function.parameters)?;
        let returns = self.parameter_places(&self.function.returns)?;
        let info = &mut self.out.functions[self.id.0 as usize];
        info.names = names;
        info.parameters = parameters;
        info.returns = returns;
        Ok(())
    }

    fn parameter_places(&self, parameters: &[Parameter]) -> Decode<Vec<ParameterPlace>> {
        if self.function.entry {
            return Ok(Vec::new());
        }
        let place = |parameter: &Parameter| {
            if let Some(register) = parameter.register {
                return Ok(ParameterPlace::Register(self.register(register)));
            }
            match parameter.variable.map(|id| self.out.variables[id.0 as usize]) {
                Some(VariablePlace::Frame { offset }) => {
                    Ok(ParameterPlace::Frame { offset, size: parameter.size as u32 })
                }
                _ => Err(Unsupported {
                    span: self.function.span,
                    what: format!("parameter `{}` of a function", parameter.name),
                }),
            }
        };
        parameters.iter().map(place).collect()
    }

    /// The place of a variable.
    pub(super) fn place(&self, id: VariableId) -> VariablePlace {
        self.out.variables[id.0 as usize]
    }
}

/// Gives every variable its place.
fn place_variables(module: &Module, out: &mut Decoded) -> Result<(), Unsupported> {
    let mut shared_end = 0u64;
    let mut frames = vec![0u64; module.functions.len()];
    let constants = place_constants(module, out)?;
    for (index, variable) in module.variables.iter().enumerate() {
        let place = match constants[index] {
            Some(place) => place,
            None => place_variable(module, out, index, variable, &mut shared_end, &mut frames)?,
        };
        out.variables.push(place);
    }
    // Dynamic shared memory comes after all static shared memory, aligned for any type.
    out.static_shared = shared_end as u32;
    let shared_end = shared_end.next_multiple_of(16);
    for (index, variable) in module.variables.iter().enumerate() {
        if variable.space == Space::Shared && is_dynamic(variable) {
            out.variables[index] =
                VariablePlace::Shared { offset: shared_end.next_multiple_of(variable.align.max(1)) as u32 };
        }
    }
    for (info, size) in out.functions.iter_mut().zip(frames) {
        info.frame_size = size as u32;
    }
    Ok(())
}

/// Gives `.const` variables their places: in the order of their declarations, each at its alignment. They take the first slots.
fn place_constants(module: &Module, out: &mut Decoded) -> Result<Vec<Option<VariablePlace>>, Unsupported> {
    let mut places = vec![None; module.variables.len()];
    let window = slots::address(out.first_slot as usize);
    let mut end = 0u64;
    for (index, variable) in module.variables.iter().enumerate() {
        if variable.space != Space::Const || variable.ty.is_opaque() {
            continue;
        }
        let offset = place_from(end, variable, out.literal_alignment);
        end = offset.saturating_add(variable.size);
        if end > Bank::SIZE {
            let what =
                format!("more than {} bytes of `.const`, with variable `{}`", Bank::SIZE, variable.name);
            return Err(Unsupported { span: variable.span, what });
        }
        places[index] = Some(VariablePlace::Const { offset: offset as u32, address: window + offset });
        out.globals.push(VariableId(index as u32));
    }
    if !out.globals.is_empty() {
        out.bank = Bank { window, first: out.first_slot, count: out.globals.len() as u32 };
    }
    Ok(places)
}

/// Whether `.align` is below the natural alignment, and what follows from that open.
fn is_open(variable: &Variable) -> bool {
    variable.least_align < variable.align && variable.space != Space::Param && !variable.ty.is_opaque()
}

/// The first place for a variable from `end` on. "The variable will be aligned to an address which is an integer multiple of byte-count"
/// (PTX ISA 5.4.5): taken literally, of nothing more.
fn place_from(end: u64, variable: &Variable, literal: bool) -> u64 {
    let place = end.next_multiple_of(variable.align.max(1));
    if literal && is_open(variable) { place + variable.least_align } else { place }
}

/// Whether it is an `.extern .shared` array without a size.
fn is_dynamic(variable: &Variable) -> bool {
    variable.external && variable.size == 0
}

fn place_variable(
    module: &Module,
    out: &mut Decoded,
    index: usize,
    variable: &Variable,
    shared_end: &mut u64,
    frames: &mut [u64],
) -> Result<VariablePlace, Unsupported> {
    let unsupported =
        |what: &str| Unsupported { span: variable.span, what: format!("{what} `{}`", variable.name) };
    let too_large = || unsupported("the size of variable");
    if variable.ty.is_opaque() {
        if let Some(position) = entry_parameter(module, index) {
            return Ok(VariablePlace::OpaqueParameter(position));
        }
        let named = match variable.ty {
            Type::Surfref => Named::Surface(out.surface_variables.len()),
            Type::Texref => Named::Texture(out.texture_variables.len()),
            _ => Named::Sampler(out.samplers.len()),
        };
        if !variable.dimensions.is_empty() {
            out.reference_arrays.push(named);
        }
        return Ok(match variable.ty {
            Type::Surfref => {
                out.surface_variables.push(variable.name.clone());
                VariablePlace::Surface(out.surface_variables.len() as u32 - 1)
            }
            Type::Texref => {
                out.texture_variables.push(variable.name.clone());
                out.texture_members.push(members_of(variable));
                VariablePlace::Texture(out.texture_variables.len() as u32 - 1)
            }
            _ => {
                out.samplers.push(members_of(variable));
                VariablePlace::Sampler(out.samplers.len() as u32 - 1)
            }
        });
    }
    match variable.space {
        space if has_allocation(space) => {
            let slot = out.globals.len();
            out.globals.push(VariableId(index as u32));
            let start = slots::address(out.first_slot as usize + slot);
            Ok(VariablePlace::Global { address: place_from(start, variable, out.literal_alignment) })
        }
        Space::Shared if is_dynamic(variable) => Ok(VariablePlace::None),
        Space::Shared => {
            let offset = place_from(*shared_end, variable, out.literal_alignment);
            *shared_end =
                offset.checked_add(variable.size).filter(|end| *end <= SHARED_LIMIT).ok_or_else(too_large)?;
            Ok(VariablePlace::Shared { offset: offset as u32 })
        }
        Space::Local | Space::Param => {
            if let Some(parameter) = kernel_parameter(module, index) {
                return Ok(VariablePlace::Parameter { offset: parameter.offset as u32 });
            }
            let Some(function) = variable.scope else {
                return Err(unsupported("module-scope local variable"));
            };
            let end = &mut frames[function.0 as usize];
            let offset = place_from(*end, variable, out.literal_alignment);
            *end =
                offset.checked_add(variable.size).filter(|end| *end <= FRAME_LIMIT).ok_or_else(too_large)?;
            Ok(VariablePlace::Frame { offset: offset as u32 })
        }
        _ => Err(unsupported("the state space of variable")),
    }
}

/// The parameter of a kernel that is this variable.
fn kernel_parameter(module: &Module, variable: usize) -> Option<&Parameter> {
    let id = VariableId(variable as u32);
    module
        .functions
        .iter()
        .filter(|function| function.entry)
        .flat_map(|function| &function.parameters)
        .find(|parameter| parameter.variable == Some(id))
}

/// The position of the kernel parameter that is this variable.
fn entry_parameter(module: &Module, variable: usize) -> Option<u32> {
    let id = Some(VariableId(variable as u32));
    let position =
        |function: &Function| function.parameters.iter().position(|parameter| parameter.variable == id);
    module
        .functions
        .iter()
        .filter(|function| function.entry)
        .find_map(position)
        .map(|position| position as u32)
}
