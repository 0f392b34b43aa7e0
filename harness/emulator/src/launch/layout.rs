//! Placement and initial contents of parameters, variables, buffers and surfaces.

use std::ops::Range;

use warpdiff_model::{Argument, Buffer, Deviation, HostWrite, Launch, Semantics, Surface};
use warpdiff_ptx::checked::{Parameter, Relocation, RelocationSymbol, Variable, VariableId};
use warpdiff_ptx::misread::initial as misread;
use warpdiff_ptx::vocabulary::{Space, Type};
use warpdiff_semantics::surface::Descriptor;

use super::validation::{LaunchError, check_buffer, check_surface, check_variable, error};
use crate::address_space::slots;
use crate::decoded::{Decoded, VariablePlace};
use crate::memory::{Allocation, Memory, SurfaceMemory};
use crate::program::Program;
use warpdiff_races::{RacedBytes, Shadow};

/// What is known from earlier runs of the same launch of bytes that race late.
#[derive(Default)]
pub(crate) struct KnownRaces {
    /// Per allocation, variables then buffers.
    pub(crate) globals: Vec<Option<RacedBytes>>,
    /// Per surface.
    pub(crate) surfaces: Vec<Option<RacedBytes>>,
    /// Per block.
    pub(crate) shared: Vec<Option<RacedBytes>>,
}

/// The parameters that a program of SPA 5.0, which declares none, has for these arguments.
pub(super) fn parameters_of(arguments: &[Argument]) -> Vec<Parameter> {
    let mut end = 0u64;
    let parameter = |argument: &Argument| {
        let size = match argument {
            Argument::Value(bytes) => bytes.len() as u64,
            _ => 8,
        };
        let align = size.next_power_of_two().clamp(1, 8);
        let offset = end.next_multiple_of(align);
        end = offset + size;
        let (name, ty) = (String::new(), Type::B8);
        Parameter { name, variable: None, register: None, ty, size, align, offset }
    };
    arguments.iter().map(parameter).collect()
}

/// The generic address of the data of a buffer.
pub(super) fn buffer_address(code: &Decoded, index: usize) -> u64 {
    slots::address(code.globals.len() + index)
}

/// A buffer between its guards, in its slot.
pub(super) fn place_buffer(buffer: &Buffer, slot: usize, tracked: bool) -> Result<Allocation, LaunchError> {
    let guard = buffer.guard as usize;
    check_buffer(buffer, slot)?;
    let mut data = vec![Buffer::GUARD_BYTE; buffer.bytes.len() + 2 * guard];
    data[guard..guard + buffer.bytes.len()].copy_from_slice(&buffer.bytes);
    let mut memory = Allocation::holding(data, tracked);
    if tracked && !buffer.defined.is_empty() {
        let defined = memory.defined[guard..].iter_mut().zip(&buffer.defined);
        defined.for_each(|(byte, bits)| *byte = *bits);
    }
    memory.base = slots::address(slot) - u64::from(buffer.guard);
    Ok(memory)
}

/// The surfaces of a launch, then the images of its textures.
pub(super) fn place_surfaces(launch: &Launch, tracked: bool) -> Result<Vec<SurfaceMemory>, LaunchError> {
    let place = |surface: &Surface| {
        check_surface(surface)?;
        Ok(SurfaceMemory {
            name: surface.name.clone(),
            descriptor: Descriptor::of(surface),
            format: surface.format,
            texels: Allocation::holding(surface.bytes.clone(), tracked),
        })
    };
    launch.surfaces.iter().chain(launch.textures.iter().map(|texture| &texture.image)).map(place).collect()
}

/// The variables of a module with their initial contents, in slot order.
pub(crate) fn place_variables(
    program: &Program,
    code: &Decoded,
    semantics: &Semantics,
    tracked: bool,
) -> Result<Vec<Allocation>, LaunchError> {
    let variables = &program.module().variables;
    let place = |(slot, id): (usize, &warpdiff_ptx::checked::VariableId)| {
        let variable = &variables[id.0 as usize];
        check_variable(variable)?;
        // "Variables in .global and .const without an initializer are initialized to zero."
        let mut memory = Allocation::zeroed(variable.size as usize, tracked);
        let misread =
            (!program.is_spa()).then(|| misread::initial(program.module(), *id, program.text(), semantics));
        let (bytes, relocations, undefined) = match misread.iter().flatten().next() {
            Some(misread) => (&misread.bytes[..], &misread.relocations[..], &[][..]),
            None => initial(variable, semantics),
        };
        let len = bytes.len().min(memory.data.len());
        memory.data[..len].copy_from_slice(&bytes[..len]);
        for range in undefined {
            memory.set_undefined_bytes(range.start as usize, (range.end - range.start) as usize);
        }
        let element = variable.ty.size();
        relocate(&mut memory, element, relocations, code, semantics, tracked);
        memory.base = match code.variables[id.0 as usize] {
            VariablePlace::Const { address, .. } | VariablePlace::Global { address } => address,
            _ => slots::address(code.first_slot as usize + slot),
        };
        memory.constant = variable.space == Space::Const;
        memory.unified = variable.unified;
        Ok(memory)
    };
    code.globals.iter().enumerate().map(place).collect()
}

/// "Host and other devices in the system can reference the variable directly": what the host wrote is what the kernel finds.
pub(super) fn write_from_host(
    program: &Program,
    code: &Decoded,
    globals: &mut [Allocation],
    write: &HostWrite,
) -> Result<(), LaunchError> {
    let HostWrite { variable: name, bytes } = write;
    let variables = &program.module().variables;
    let declared = |id: &VariableId| {
        let variable = &variables[id.0 as usize];
        variable.scope.is_none() && variable.managed && variable.name == *name
    };
    let Some(slot) = code.globals.iter().position(declared) else {
        return error(format!("the module has no `.managed` variable `{name}`"));
    };
    let memory = &mut globals[slot];
    if memory.data.len() != bytes.len() {
        return error(format!("the host writes {} bytes to `{name}` of {}", bytes.len(), memory.data.len()));
    }
    memory.data.copy_from_slice(bytes);
    memory.defined.fill(0xFF);
    memory.unfixed.clear();
    Ok(())
}

/// What a variable holds at first: by the text, or as the assembler emits it.
fn initial<'v>(
    variable: &'v Variable,
    semantics: &Semantics,
) -> (&'v [u8], &'v [Relocation], &'v [Range<u64>]) {
    let as_emitted = [Deviation::PtxasPackedLists, Deviation::PtxasExpressionSign];
    let deviates = as_emitted
        .iter()
        .any(|deviation| variable.deviations.contains(deviation) && semantics.has(*deviation));
    match &variable.emitted {
        Some(image) if deviates => (&image.bytes, &image.relocations, &image.undefined),
        _ => (&variable.initial, &variable.relocations, &variable.undefined),
    }
}

/// Writes addresses into the initial contents of a variable, whose elements have so many bytes.
fn relocate(
    memory: &mut Allocation,
    element: u32,
    relocations: &[Relocation],
    code: &Decoded,
    semantics: &Semantics,
    tracked: bool,
) {
    let is_generic = |generic: bool| match generic {
        true => !semantics.has(Deviation::InitGenericIgnored),
        false => semantics.has(Deviation::InitConstGeneric),
    };
    for relocation in relocations {
        let Relocation { offset, width, shift, symbol, generic, implicit, addend, fits } = *relocation;
        let ignored = implicit && semantics.has(Deviation::InitImplicitGenericIgnored);
        let address = match symbol {
            RelocationSymbol::Function(id) => Decoded::function_address(id),
            // "By default, the resulting address is the offset in the variable's state space."
            RelocationSymbol::Variable(id) => match code.variables[id.0 as usize] {
                VariablePlace::Const { offset, .. } if !is_generic(generic) => u64::from(offset),
                VariablePlace::Const { address, .. } => address,
                // A generic address is one in `.global` "unless it falls within the window" of another space.
                VariablePlace::Global { address } if ignored => address - (slots::FIRST << 32),
                VariablePlace::Global { address } => address,
                _ => 0,
            },
        };
        let value = address.wrapping_add(addend as u64) >> shift.min(63);
        let bytes = value.to_le_bytes();
        let wide = !fits && semantics.has(Deviation::PtxasWideAddress);
        let start = (offset as usize).min(memory.data.len());
        // With mask() it is one byte.
        let unmasked = width == 1 && semantics.has(Deviation::InitMaskKeepsUpper);
        let width = if unmasked { element } else { width };
        let width = if wide { 8 } else { (width as usize).min(8) }.min(memory.data.len() - start);
        memory.data[start..start + width].copy_from_slice(&bytes[..width]);
        if tracked {
            if wide {
                memory.set_undefined(start, width, 0);
            }
            memory.set_unfixed(start, width, u64::MAX);
        }
    }
}

/// Enables race tracking for all memory that a thread can write: images of textures it cannot, and surfaces not by every program.
pub(super) fn watch_races(memory: &mut Memory, surfaces: usize, code: &Decoded, races: &mut KnownRaces) {
    let shadow = |number: usize, memory: &Allocation, known: Option<&mut Option<RacedBytes>>| {
        let known = known.and_then(Option::take).unwrap_or_default();
        Some(Box::new(Shadow::knowing(number as u32, memory.data.len(), known)))
    };
    for (number, memory) in memory.globals.iter_mut().enumerate().filter(|(_, memory)| !memory.constant) {
        memory.race = shadow(number, memory, races.globals.get_mut(number));
    }
    let first = memory.globals.len();
    let surfaces = if code.changes_surfaces() { surfaces } else { 0 };
    for (number, surface) in memory.surfaces[..surfaces].iter_mut().enumerate() {
        surface.texels.race = shadow(first + number, &surface.texels, races.surfaces.get_mut(number));
    }
}
