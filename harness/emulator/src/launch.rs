//! From a launch to the memory it starts with.

use std::borrow::Cow;
use std::ops::Range;

use thiserror::Error;
use warpdiff_model::{Argument, Buffer, Deviation, HostWrite, Launch, Semantics, Surface, Texture};
use warpdiff_ptx::checked::{Function, Parameter, Relocation, RelocationSymbol, Variable, VariableId};
use warpdiff_ptx::vocabulary::{Space, Type};

use crate::machine::surface::handle::handle;
use crate::machine::{BoundTexture, OpaqueArgument, SurfaceMemory, grid::new_shadow};
use crate::memory::Allocation;
use crate::program::{Decoded, Program, VariablePlace, slots};
use crate::race::RacedBytes;
use crate::registers::LANES;
use crate::surface::Descriptor;
use crate::texture::sampling::Members;

/// Threads of a block, at most.
const THREADS_LIMIT: u64 = 1024;
/// Threads of a launch that can be emulated.
const GRID_LIMIT: u64 = 1 << 24;
/// Shared memory of a block, at most: 227 KiB, what any device offers.
pub(crate) const SHARED_LIMIT: u64 = 227 << 10;

/// The bits of the address of a buffer that are not the same everywhere: all but those of an alignment for any type.
const BUFFER_ADDRESS: u64 = !15;
/// The same for a program of SPA 5.0: its window. "The allocated per-CTA Shared sizes are set by the driver."
const SHARED_WINDOW: u64 = 16 << 20;
/// Bytes of registers and local memory, shadows included, that the blocks begun may take together; one block always may
/// up to as much.
pub(crate) const BLOCK_MEMORY_LIMIT: u64 = 1 << 30;

/// A launch that cannot begin: a lowercase fragment that says why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct LaunchError(pub(crate) String);

pub(crate) fn error<T>(message: impl Into<String>) -> Result<T, LaunchError> {
    Err(LaunchError(message.into()))
}

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

/// A launch that has been checked, and its initial memory.
pub(crate) struct Bound {
    /// The function launched.
    pub(crate) entry: u32,
    pub(crate) globals: Vec<Allocation>,
    pub(crate) parameters: Allocation,
    /// Those of the launch, then the images of its textures.
    pub(crate) surfaces: Vec<SurfaceMemory>,
    pub(crate) bindings: Vec<Option<usize>>,
    /// For each handle the texture it is of; those of surfaces come first.
    pub(crate) textures: Vec<Option<BoundTexture>>,
    pub(crate) texture_bindings: Vec<Option<BoundTexture>>,
    pub(crate) opaque_parameters: Vec<Option<OpaqueArgument>>,
}

/// Checks a launch against its program and lays out its memory.
///
/// # Errors
/// Whatever a driver would refuse: an unknown entry, wrong arguments, too large a block.
pub(crate) fn bind(
    program: &Program,
    code: &Decoded,
    launch: &Launch,
    semantics: &Semantics,
    tracked: bool,
    races: &mut KnownRaces,
) -> Result<Bound, LaunchError> {
    let module = program.module();
    let is_kernel = |f: &Function| (f.name == launch.entry || program.is_spa()) && f.entry && !f.external;
    let Some(entry) = module.functions.iter().position(is_kernel) else {
        return error(format!("no kernel is called `{}`", launch.entry));
    };
    let mut function = Cow::Borrowed(&module.functions[entry]);
    if program.is_spa() {
        function.to_mut().parameters = parameters_of(&launch.arguments);
    }
    let function = &*function;
    let most_shared = if program.is_spa() { SHARED_WINDOW } else { SHARED_LIMIT };
    check_dimensions(function, code, launch, most_shared)?;
    check_memory(entry, code, launch, tracked)?;
    let several = threads(launch) > 1;
    let textures = textures(launch);
    let surfaces = launch.surfaces.len();
    let (mut parameters, mut opaque_parameters) =
        bind_arguments(function, code, launch, surfaces, &textures[surfaces..], tracked)?;
    if program.is_spa() {
        make_constant_bank(&mut parameters, &function.parameters, tracked);
    }
    let mut globals = bind_variables(program, code, semantics, tracked)?;
    for write in &launch.host_writes {
        write_from_host(program, code, &mut globals, write)?;
    }
    for (index, buffer) in launch.buffers.iter().enumerate() {
        globals.push(bind_buffer(buffer, code.globals.len() + index, tracked)?);
    }
    let mut surfaces = bind_surfaces(launch, tracked)?;
    if tracked && code.reads_back_surfaces() {
        surfaces[..launch.surfaces.len()].iter_mut().for_each(|surface| surface.texels.watch_stores());
    }
    if tracked && several {
        for (number, memory) in globals.iter_mut().enumerate() {
            if !memory.constant {
                let known = races.globals.get_mut(number).and_then(Option::take);
                memory.race = Some(new_shadow(number as u32, memory.data.len(), known));
            }
        }
        let first = globals.len();
        for (number, surface) in surfaces.iter_mut().enumerate() {
            let known = races.surfaces.get_mut(number).and_then(Option::take);
            surface.texels.race = Some(new_shadow((first + number) as u32, surface.texels.data.len(), known));
        }
    }
    let images = launch.textures.iter().map(|texture| &texture.image);
    let texture_bindings = bind_references("texture", &code.texture_variables, images)?;
    let of_image = |index: Option<usize>| textures[launch.surfaces.len() + index?];
    let texture_bindings = texture_bindings.into_iter().map(of_image).collect();
    let mut bindings = bind_references("surface", &code.surface_variables, launch.surfaces.iter())?;
    if semantics.has(Deviation::SurfaceFirstReference) {
        mix_up_references(&mut bindings, &mut opaque_parameters);
    }
    check_observed(program, launch)?;
    Ok(Bound {
        entry: entry as u32,
        globals,
        parameters,
        surfaces,
        bindings,
        textures,
        texture_bindings,
        opaque_parameters,
    })
}

/// Threads of the whole launch.
pub(crate) fn threads(launch: &Launch) -> u64 {
    launch.grid.iter().chain(&launch.block).fold(1u64, |all, n| all.saturating_mul(u64::from(*n)))
}

pub(crate) fn check_dimensions(
    function: &Function,
    code: &Decoded,
    launch: &Launch,
    most_shared: u64,
) -> Result<(), LaunchError> {
    let [bx, by, bz] = launch.block;
    if launch.grid.contains(&0) || launch.block.contains(&0) {
        return error("a dimension of the grid or block is zero");
    }
    let block = u64::from(bx) * u64::from(by) * u64::from(bz);
    if block > THREADS_LIMIT || bz > 64 {
        return error(format!("a block of {bx} x {by} x {bz} threads is too large"));
    }
    let [gx, gy, gz] = launch.grid;
    if gx > i32::MAX as u32 || gy > 65535 || gz > 65535 {
        return error(format!("a grid of {gx} x {gy} x {gz} blocks is too large"));
    }
    if threads(launch) > GRID_LIMIT {
        return error(format!("more than {GRID_LIMIT} threads cannot be emulated"));
    }
    if function.required_threads.is_some_and(|required| required != launch.block) {
        return error("the block is not the one that `.reqntid` requires");
    }
    let most = function.max_threads.map(|most| most.iter().map(|n| u64::from(*n)).product::<u64>());
    if most.is_some_and(|most| block > most) {
        return error("the block has more threads than `.maxntid` allows");
    }
    let shared = code.shared_size(launch.dynamic_shared);
    if shared > most_shared {
        return error(format!("{shared} bytes of shared memory are too many"));
    }
    Ok(())
}

/// Bytes that registers and local memory of a block take, as far as it is known before it runs.
pub(crate) fn block_memory(entry: usize, code: &Decoded, launch: &Launch, tracked: bool) -> u64 {
    let info = &code.functions[entry];
    let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
    let registers = code.constants.sizes().plus(info.registers).bytes(tracked);
    let local = u64::from(info.frame_size) * if tracked { 2 } else { 1 };
    threads.div_ceil(LANES as u64) * registers + threads * local
}

pub(crate) fn check_memory(
    entry: usize,
    code: &Decoded,
    launch: &Launch,
    tracked: bool,
) -> Result<(), LaunchError> {
    let needed = block_memory(entry, code, launch, tracked);
    if needed > BLOCK_MEMORY_LIMIT {
        let (needed, most) = (needed.div_ceil(1 << 20), BLOCK_MEMORY_LIMIT >> 20);
        return error(format!(
            "registers and local memory of a block of {} threads take {needed} MiB, more than {most} MiB",
            launch.block.iter().map(|n| u64::from(*n)).product::<u64>()
        ));
    }
    Ok(())
}

/// The parameters that a program of SPA 5.0, which declares none, has for these arguments.
fn parameters_of(arguments: &[Argument]) -> Vec<Parameter> {
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

/// The parameters as they lie in a constant bank, which is read by words: whole words, of which the bytes that belong to no
/// parameter hold anything.
fn make_constant_bank(bank: &mut Allocation, parameters: &[Parameter], tracked: bool) {
    let words = bank.data.len().next_multiple_of(4);
    bank.data.resize(words, 0);
    if tracked {
        bank.undefined.resize(words, 0xFF);
    }
    for plane in [&mut bank.unordered, &mut bank.unfixed] {
        if !plane.is_empty() {
            plane.resize(words, 0);
        }
    }
    let mut end = 0;
    for parameter in parameters {
        let start = parameter.offset as usize;
        bank.set_undefined_bytes(end, start - end);
        end = start + parameter.size as usize;
    }
}

/// The parameter block, and what is bound to opaque parameters by position. There are `surfaces` surfaces, and `textures` are those
/// that arguments name by index.
pub(crate) fn bind_arguments(
    function: &Function,
    code: &Decoded,
    launch: &Launch,
    surfaces: usize,
    textures: &[Option<BoundTexture>],
    tracked: bool,
) -> Result<(Allocation, Vec<Option<OpaqueArgument>>), LaunchError> {
    let formal = &function.parameters;
    if formal.len() != launch.arguments.len() {
        return error(format!(
            "`{}` takes {} arguments, not {}",
            function.name,
            formal.len(),
            launch.arguments.len()
        ));
    }
    let end = formal.iter().filter(|p| !p.ty.is_opaque()).map(|p| p.offset + p.size).max().unwrap_or(0);
    let mut parameters = Allocation::zeroed(end as usize, tracked);
    let mut opaque = vec![None; formal.len()];
    for (n, (parameter, argument)) in formal.iter().zip(&launch.arguments).enumerate() {
        let value = |size: usize, bits: u64| {
            (size as u64 == parameter.size).then(|| bits.to_le_bytes()[..size].to_vec())
        };
        let bytes = match argument {
            _ if parameter.ty.is_opaque() => {
                opaque[n] = Some(bind_opaque(parameter, argument, n, surfaces, textures)?);
                continue;
            }
            Argument::SurfaceReference { .. }
            | Argument::TextureReference { .. }
            | Argument::SamplerReference { .. } => {
                return error(format!("argument {n} is a reference, `{}` is not", parameter.name));
            }
            Argument::Value(bytes) => (bytes.len() as u64 == parameter.size).then(|| bytes.clone()),
            Argument::Buffer { index, offset } => {
                check_index(*index, launch.buffers.len(), "buffer")?;
                value(8, buffer_address(code, *index).wrapping_add(*offset as u64))
            }
            Argument::Surface { index } => {
                check_index(*index, launch.surfaces.len(), "surface")?;
                value(8, handle(*index))
            }
            Argument::Texture { index } => {
                check_index(*index, launch.textures.len(), "texture")?;
                value(8, handle(launch.surfaces.len() + *index))
            }
        };
        let Some(bytes) = bytes else {
            return error(format!(
                "argument {n} has not the {} bytes of `{}`",
                parameter.size, parameter.name
            ));
        };
        let start = parameter.offset as usize;
        if tracked && matches!(argument, Argument::Buffer { .. }) {
            parameters.set_unfixed(start, bytes.len(), BUFFER_ADDRESS);
        }
        if tracked && matches!(argument, Argument::Surface { .. } | Argument::Texture { .. }) {
            parameters.set_unordered(start, bytes.len(), u64::MAX);
        }
        parameters.data[start..start + bytes.len()].copy_from_slice(&bytes);
    }
    Ok((parameters, opaque))
}

/// What argument `n` binds to a kernel parameter of opaque type.
fn bind_opaque(
    parameter: &Parameter,
    argument: &Argument,
    n: usize,
    surfaces: usize,
    textures: &[Option<BoundTexture>],
) -> Result<OpaqueArgument, LaunchError> {
    let texture = |index: usize| {
        check_index(index, textures.len(), "texture")?;
        match textures[index] {
            Some(texture) => Ok(texture),
            None => error(format!("texture {index} does not exist")),
        }
    };
    match (parameter.ty, argument) {
        (Type::Surfref, Argument::SurfaceReference { index }) => {
            check_index(*index, surfaces, "surface")?;
            Ok(OpaqueArgument::Surface(*index))
        }
        (Type::Texref, Argument::TextureReference { index }) => Ok(OpaqueArgument::Texture(texture(*index)?)),
        (Type::Samplerref, Argument::SamplerReference { index }) => {
            Ok(OpaqueArgument::Sampler(Members::of_sampler(&texture(*index)?.sampler)))
        }
        (ty, _) => {
            let what = match ty {
                Type::Texref => "texture",
                Type::Samplerref => "sampler",
                _ => "surface",
            };
            error(format!("argument {n} must be a {what} reference: `{}` is a `.{ty}`", parameter.name))
        }
    }
}

fn check_index(index: usize, len: usize, what: &str) -> Result<(), LaunchError> {
    if index < len { Ok(()) } else { error(format!("{what} {index} of {len}")) }
}

/// The generic address of the data of a buffer.
fn buffer_address(code: &Decoded, index: usize) -> u64 {
    slots::address(code.globals.len() + index)
}

fn bind_buffer(buffer: &Buffer, slot: usize, tracked: bool) -> Result<Allocation, LaunchError> {
    let guard = buffer.guard as usize;
    if u64::from(buffer.guard) >= slots::DATA || buffer.bytes.len() as u64 >= 1 << 31 {
        return error(format!("buffer `{}` is too large", buffer.name));
    }
    if !buffer.defined.is_empty() && buffer.defined.len() != buffer.bytes.len() {
        return error(format!("the mask of buffer `{}` has not its size", buffer.name));
    }
    if slot as u64 + slots::FIRST >= slots::LIMIT {
        return error("too many buffers");
    }
    let mut memory = Allocation::zeroed(buffer.bytes.len() + 2 * guard, tracked);
    memory.data.fill(Buffer::GUARD_BYTE);
    memory.data[guard..guard + buffer.bytes.len()].copy_from_slice(&buffer.bytes);
    if tracked && !buffer.defined.is_empty() {
        for (undefined, defined) in memory.undefined[guard..].iter_mut().zip(&buffer.defined) {
            *undefined = !defined;
        }
    }
    memory.base = slots::address(slot) - u64::from(buffer.guard);
    Ok(memory)
}

/// The surfaces of a launch, then the images of its textures.
fn bind_surfaces(launch: &Launch, tracked: bool) -> Result<Vec<SurfaceMemory>, LaunchError> {
    let bind = |surface: &Surface| {
        if surface.bytes.len() as u64 != surface.size() {
            return error(format!(
                "surface `{}` has not the {} bytes of its shape",
                surface.name,
                surface.size()
            ));
        }
        let mut texels = Allocation::zeroed(surface.bytes.len(), tracked);
        texels.data.copy_from_slice(&surface.bytes);
        Ok(SurfaceMemory {
            name: surface.name.clone(),
            descriptor: Descriptor::of(surface),
            format: surface.format,
            texels,
        })
    };
    launch.surfaces.iter().chain(launch.textures.iter().map(|texture| &texture.image)).map(bind).collect()
}

/// For each handle the texture it is of.
fn textures(launch: &Launch) -> Vec<Option<BoundTexture>> {
    let first = launch.surfaces.len();
    let texture = |(index, texture): (usize, &Texture)| {
        Some(BoundTexture { array: first + index, sampler: texture.sampler })
    };
    let surfaces = std::iter::repeat_n(None, first);
    surfaces.chain(launch.textures.iter().enumerate().map(texture)).collect()
}

/// For each of the opaque `variables` of a module, which are surfaces or textures, the position of the image bound to it.
fn bind_references<'l>(
    noun: &str,
    variables: &[String],
    images: impl Iterator<Item = &'l Surface>,
) -> Result<Vec<Option<usize>>, LaunchError> {
    let mut bindings = vec![None; variables.len()];
    for (index, image) in images.enumerate() {
        let Some(name) = &image.bound_to else { continue };
        let Some(number) = variables.iter().position(|variable| variable == name) else {
            return error(format!("the module has no {noun} variable `{name}`"));
        };
        if bindings[number].replace(index).is_some() {
            return error(format!("two {noun}s are bound to `{name}`"));
        }
    }
    Ok(bindings)
}

/// [`Deviation::SurfaceFirstReference`]: each variable, and each parameter, is the first that has a surface.
fn mix_up_references(bindings: &mut [Option<usize>], parameters: &mut [Option<OpaqueArgument>]) {
    let first = bindings.iter().flatten().next().copied();
    bindings.iter_mut().flatten().for_each(|bound| *bound = first.unwrap_or(*bound));
    let is_surface = |argument: &&mut OpaqueArgument| matches!(argument, OpaqueArgument::Surface(_));
    let mut surfaces = parameters.iter_mut().flatten().filter(is_surface);
    if let Some(first) = surfaces.next() {
        let first = *first;
        surfaces.for_each(|argument| *argument = first);
    }
}

/// The variables of a module with their initial contents, in slot order.
pub(crate) fn bind_variables(
    program: &Program,
    code: &Decoded,
    semantics: &Semantics,
    tracked: bool,
) -> Result<Vec<Allocation>, LaunchError> {
    let variables = &program.module().variables;
    let bind = |(slot, id): (usize, &warpdiff_ptx::checked::VariableId)| {
        let variable = &variables[id.0 as usize];
        if variable.size >= 1 << 31 {
            return error(format!("variable `{}` is too large", variable.name));
        }
        // "Variables in .global and .const without an initializer are initialized to zero."
        let mut memory = Allocation::zeroed(variable.size as usize, tracked);
        let (bytes, relocations, undefined) = initial(variable, semantics);
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
    code.globals.iter().enumerate().map(bind).collect()
}

/// "Host and other devices in the system can reference the variable directly": what the host wrote is what the kernel finds.
fn write_from_host(
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
    memory.undefined.fill(0);
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

fn check_observed(program: &Program, launch: &Launch) -> Result<(), LaunchError> {
    let known = |name: &String| {
        let variables = &program.module().variables;
        variables
            .iter()
            .any(|v| v.scope.is_none() && v.space == Space::Global && v.name == *name && !v.ty.is_opaque())
    };
    match launch.observed_variables.iter().find(|name| !known(name)) {
        Some(name) => error(format!("the module has no global variable `{name}`")),
        None => Ok(()),
    }
}
