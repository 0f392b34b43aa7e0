//! Binds the arguments of a launch to parameters, and names to variables.

use std::borrow::Cow;

use warpdiff_model::{Argument, Deviation, Launch, Semantics, Surface, Texture};
use warpdiff_ptx::checked::{Function, Parameter};
use warpdiff_ptx::vocabulary::Type;
use warpdiff_semantics::texture::sampling::Members;

use super::constant_memory::BoundCode;
use super::descriptors::{Described, Images, TableAddresses};
use super::layout::{
    KnownRaces, buffer_address, parameters_of, place_buffer, place_surfaces, place_variables, watch_races,
    write_from_host,
};
use super::validation::{
    LaunchError, check_dimensions, check_index, check_memory, check_observed, error, find_kernel, threads,
};
use crate::decoded::Decoded;
use crate::memory::{Allocation, Memory};
use crate::program::Program;
use warpdiff_semantics::opaque::{BoundTexture, Headers, OpaqueArgument, OpaqueBindings, handle};

/// The implementation-dependent bits of a buffer address: all but the alignment bits for any type.
const BUFFER_ADDRESS: u64 = !15;
/// A launch that has been checked, and its initial memory.
pub(crate) struct Bound {
    /// The function launched.
    pub(crate) entry: u32,
    pub(crate) memory: Memory,
    pub(crate) opaque: OpaqueBindings,
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
    let entry = find_kernel(program, &launch.entry)?;
    let mut function = Cow::Borrowed(&program.module().functions[entry]);
    if program.is_spa() && !program.is_of_cubin() {
        function.to_mut().parameters = parameters_of(&launch.arguments);
    }
    let function = &*function;
    check_dimensions(function, code, launch, program.is_spa())?;
    check_memory(entry, code, launch, tracked)?;
    let textures = textures(launch);
    let surfaces = launch.surfaces.len();
    let (mut parameters, mut opaque_parameters) =
        bind_arguments(function, code, launch, surfaces, &textures[surfaces..], tracked)?;
    let mut globals = place_variables(program, code, semantics, tracked)?;
    for write in &launch.host_writes {
        write_from_host(program, code, &mut globals, write)?;
    }
    for (index, buffer) in launch.buffers.iter().enumerate() {
        globals.push(place_buffer(buffer, code.globals.len() + index, tracked)?);
    }
    let images = launch.textures.iter().map(|texture| &texture.image);
    let is_strict = !program.is_of_cubin();
    let texture_bindings = bind_references("texture", &code.texture_variables, images, is_strict)?;
    let of_image = |index: Option<usize>| textures[launch.surfaces.len() + index?];
    let texture_bindings = texture_bindings.into_iter().map(of_image).collect();
    let mut bindings =
        bind_references("surface", &code.surface_variables, launch.surfaces.iter(), is_strict)?;
    if semantics.has(Deviation::SurfaceFirstReference) {
        mix_up_references(&mut bindings, &mut opaque_parameters);
    }
    let headers = Headers::new([
        textures.len(),
        bindings.len(),
        code.texture_variables.len(),
        code.samplers.len(),
        opaque_parameters.len(),
    ]);
    let handles = (0..launch.surfaces.len()).map(Some).collect();
    let opaque = OpaqueBindings {
        handles,
        textures,
        bindings,
        texture_bindings,
        parameters: opaque_parameters,
        headers,
    };
    if let Some(banks) = program.banks() {
        let mut tables = TableAddresses::default();
        if banks.reads_tables {
            let images = Images::OfLaunch(launch);
            let described = Described { images, opaque: &opaque, samplers: &code.samplers, semantics };
            let independent = program.module().texmode_independent;
            let (memory, addresses) = described.tables(&headers, independent, globals.len(), tracked)?;
            globals.push(memory);
            tables = addresses;
        }
        let bound = BoundCode { banks, code, launch, formal: &function.parameters, opaque: &opaque, tables };
        parameters = bound.constant_memory(&parameters, tracked);
    }
    let mut surfaces = place_surfaces(launch, tracked)?;
    if tracked && code.reads_back_surfaces() {
        surfaces[..launch.surfaces.len()].iter_mut().for_each(|surface| surface.texels.watch_stores());
    }
    let mut memory = Memory { globals, parameters, surfaces };
    if tracked && threads(launch) > 1 {
        watch_races(&mut memory, launch.surfaces.len(), code, races);
    }
    check_observed(program, launch)?;
    Ok(Bound { entry: entry as u32, memory, opaque })
}

/// The parameter block, and the bindings of opaque parameters by position. `surfaces` is the number of surfaces; `textures` are
/// those that arguments name by index.
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
        let pointer: [u8; 8];
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
            Argument::Value(bytes) => bytes.as_slice(),
            Argument::Buffer { index, offset } => {
                check_index(*index, launch.buffers.len(), "buffer")?;
                pointer = buffer_address(code, *index).wrapping_add(*offset as u64).to_le_bytes();
                &pointer
            }
            Argument::Surface { index } => {
                check_index(*index, launch.surfaces.len(), "surface")?;
                pointer = handle(*index).to_le_bytes();
                &pointer
            }
            Argument::Texture { index } => {
                check_index(*index, launch.textures.len(), "texture")?;
                pointer = handle(launch.surfaces.len() + *index).to_le_bytes();
                &pointer
            }
        };
        if bytes.len() as u64 != parameter.size {
            return error(format!(
                "argument {n} has not the {} bytes of `{}`",
                parameter.size, parameter.name
            ));
        }
        let start = parameter.offset as usize;
        if tracked && matches!(argument, Argument::Buffer { .. }) {
            parameters.set_unfixed(start, bytes.len(), BUFFER_ADDRESS);
        }
        if tracked && matches!(argument, Argument::Surface { .. } | Argument::Texture { .. }) {
            parameters.set_unordered(start, bytes.len(), u64::MAX);
        }
        parameters.data[start..start + bytes.len()].copy_from_slice(bytes);
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

/// For each handle the texture it is of.
fn textures(launch: &Launch) -> Vec<Option<BoundTexture>> {
    let first = launch.surfaces.len();
    let texture = |(index, texture): (usize, &Texture)| {
        Some(BoundTexture { array: first + index, sampler: texture.sampler })
    };
    let surfaces = std::iter::repeat_n(None, first);
    surfaces.chain(launch.textures.iter().enumerate().map(texture)).collect()
}

/// For each of the opaque `variables` of a module, which are surfaces or textures, the position of the image bound to it. Unless it
/// `is_strict`, an image may be bound to a variable that does not exist: a compiler drops those that nothing uses.
fn bind_references<'l>(
    noun: &str,
    variables: &[String],
    images: impl Iterator<Item = &'l Surface>,
    is_strict: bool,
) -> Result<Vec<Option<usize>>, LaunchError> {
    let mut bindings = vec![None; variables.len()];
    for (index, image) in images.enumerate() {
        let Some(name) = &image.bound_to else { continue };
        let Some(number) = variables.iter().position(|variable| variable == name) else {
            if !is_strict {
                continue;
            }
            return error(format!("the module has no {noun} variable `{name}`"));
        };
        if bindings[number].replace(index).is_some() {
            return error(format!("two {noun}s are bound to `{name}`"));
        }
    }
    Ok(bindings)
}

/// [`Deviation::SurfaceFirstReference`]: each variable, and each parameter, is the first that has a surface.
pub(crate) fn mix_up_references(bindings: &mut [Option<usize>], parameters: &mut [Option<OpaqueArgument>]) {
    let first = bindings.iter().flatten().next().copied();
    bindings.iter_mut().flatten().for_each(|bound| *bound = first.unwrap_or(*bound));
    let is_surface = |argument: &&mut OpaqueArgument| matches!(argument, OpaqueArgument::Surface(_));
    let mut surfaces = parameters.iter_mut().flatten().filter(is_surface);
    if let Some(first) = surfaces.next() {
        let first = *first;
        surfaces.for_each(|argument| *argument = first);
    }
}
