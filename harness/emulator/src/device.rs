//! A device: memory, modules and arrays that outlive the launches that use them.
//!
//! A [`warpdiff_model::Launch`] includes its memory and leaves a final state; a driver instead allocates, copies and launches many
//! times. [`Device`] holds the objects that persist between launches, at fixed addresses. Launches run untracked: every bit of
//! memory has some value, as on a real device. Those of a device that watches ([`Device::watching`]) do so too, and tell what they do
//! wrong; the undefined bits of its memory are those that nobody has written.

use std::collections::VecDeque;
use std::sync::Arc;

use warpdiff_model::{Argument, Fault, Format, Geometry, Launch, Semantics, Surface};
use warpdiff_ptx::checked::Module;
use warpdiff_sass::cubin::Cubin;
use warpdiff_semantics::surface::Descriptor;

use crate::Schedule;
use crate::address_space::{has_allocation, slots};
use crate::decoded::{Decoded, Unsupported, VariablePlace};
use crate::findings::Findings;
use crate::launch::binder::{Bound, bind_arguments};
use crate::launch::constant_memory::BoundCode;
use crate::launch::descriptors::{Described, Images, TableAddresses};
use crate::launch::layout::place_variables;
use crate::launch::validation::{LaunchError, check_dimensions, check_memory, error, find_kernel, threads};
use crate::machine::{Machine, Printed, Stop, Traced, Untracked};
use crate::memory::{Allocation, Memory, SurfaceMemory, slot_of};
pub use crate::opaque::BoundTexture;
use crate::opaque::{Headers, OpaqueBindings, handle, number};
use crate::program::Program;
use warpdiff_races::{Clocks, Shadow};

/// Number of freed slots, and of freed handles, that are kept before one is reused, so that an access after `free` faults and a
/// stale surface handle is detected.
const QUARANTINE: usize = 256;
/// Bytes that an allocation may have: it must fit in its slot.
pub const ALLOCATION_LIMIT: u64 = 1 << 31;

/// The shape of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Geometry.
    pub geometry: Geometry,
    /// Width, height, depth in texels; unused dimensions are 1.
    pub extent: [u32; 3],
    /// Layers of an array geometry; 1 otherwise.
    pub layers: u32,
    /// Texel format.
    pub format: Format,
}

impl Shape {
    /// A surface of this shape without its texels.
    fn surface(self) -> Surface {
        let Shape { geometry, extent, layers, format } = self;
        Surface { name: String::new(), geometry, extent, layers, format, bytes: Vec::new(), bound_to: None }
    }

    /// Bytes of all texels, tightly packed; `None` when that is no number of 64 bits.
    pub fn size(&self) -> Option<u64> {
        self.extent
            .iter()
            .chain([&self.layers])
            .try_fold(u64::from(self.format.texel_size()), |size, n| size.checked_mul(u64::from(*n)))
    }
}

/// A module on a device.
pub struct Loaded {
    /// The program; of a cubin one for each kernel, and at least one.
    programs: Vec<Program>,
    /// What a cubin has beyond its kernels.
    cubin: Option<Whole>,
    /// Slots of its variables.
    slots: std::ops::Range<usize>,
}

/// A cubin as a whole: each of its kernels is a program of its own.
struct Whole {
    /// Its kernels and variables.
    module: Module,
    /// Its `.const` variables, which share a bank: name, offset and size.
    constants: Vec<(String, u64, u64)>,
}

/// A module-scope variable on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedVariable {
    /// Name.
    pub name: String,
    /// Generic address.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
    /// Whether it has the attribute `.managed`.
    pub managed: bool,
}

impl Loaded {
    fn decoded(&self) -> impl Iterator<Item = Arc<Decoded>> {
        self.programs.iter().map(|program| program.decoded(&Semantics::default()))
    }

    /// The program that has a kernel.
    fn program(&self, entry: &str) -> &Program {
        let has_it =
            |program: &&Program| program.module().functions.iter().any(|function| function.name == entry);
        self.programs.iter().find(has_it).unwrap_or(&self.programs[0])
    }

    /// The module-scope `.global` and `.const` variables.
    pub fn variables(&self) -> Vec<LoadedVariable> {
        let program = &self.programs[0];
        let code = program.decoded(&Semantics::default());
        let places = program.module().variables.iter().zip(&code.variables);
        let variable = |(variable, place): (&warpdiff_ptx::checked::Variable, &VariablePlace)| match place {
            VariablePlace::Global { address } | VariablePlace::Const { address, .. }
                if variable.scope.is_none() =>
            {
                let (name, size, managed) = (variable.name.clone(), variable.size, variable.managed);
                Some(LoadedVariable { name, address: *address, size, managed })
            }
            _ => None,
        };
        let mut all: Vec<LoadedVariable> = places.filter_map(variable).collect();
        if let (Some(whole), Some(bank)) = (&self.cubin, constant_bank(program, &code)) {
            // The bank is no variable of the program; what lies in it is.
            all.retain(|variable| variable.address != bank);
            all.extend(whole.constants.iter().map(|(name, offset, size)| LoadedVariable {
                name: name.clone(),
                address: bank + offset,
                size: *size,
                managed: false,
            }));
        }
        all
    }

    /// The names of the module-scope `.surfref` variables, in the order in which [`Device::launch`] takes their bindings.
    pub fn surface_variables(&self) -> Vec<String> {
        united(self.decoded().map(|code| code.surface_variables.clone()))
    }

    /// The names of the module-scope `.texref` variables, in the order in which [`Device::launch`] takes their bindings.
    pub fn texture_variables(&self) -> Vec<String> {
        united(self.decoded().map(|code| code.texture_variables.clone()))
    }

    /// The checked module; of a cubin its kernels, without instructions, and its variables.
    pub fn module(&self) -> &Module {
        self.cubin.as_ref().map_or(self.programs[0].module(), |whole| &whole.module)
    }

    /// Bytes of statically declared shared memory, of the kernel that has most.
    pub fn static_shared(&self) -> u32 {
        self.decoded().map(|code| code.static_shared).max().unwrap_or(0)
    }
}

/// Each name once, in the order of first appearance.
fn united(lists: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in lists.flatten() {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Of each of these names what the launch binds to it.
fn of_names<T: Copy>(names: &[String], all: &[String], bound: &[Option<T>]) -> Vec<Option<T>> {
    let of = |name: &String| bound.get(all.iter().position(|other| other == name)?).copied().flatten();
    names.iter().map(of).collect()
}

/// The address of the variable that stands for the bank of `.const` variables of a cubin.
fn constant_bank(program: &Program, code: &Decoded) -> Option<u64> {
    let id = program.banks()?.constants?;
    match code.variables[id.0 as usize] {
        VariablePlace::Const { address, .. } => Some(address),
        _ => None,
    }
}

/// The number of the bank of the user's `.const` variables.
const CONSTANTS: u8 = 3;

/// The result of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ran to its end.
    Completed,
    /// The launch faulted; the first fault is the one a device would report. Memory is in its state at the fault.
    Faulted(Vec<Fault>),
    /// Its step budget ran out, or no thread can go on.
    TimedOut,
    /// It did something of which the specification does not say what it does, and ended there.
    Unspecified {
        /// What.
        what: String,
    },
}

/// Memory, modules and arrays.
#[derive(Default)]
pub struct Device {
    /// By slot; a free slot holds an empty allocation.
    allocations: Vec<Allocation>,
    used: Vec<bool>,
    /// Free slots, least recently freed first.
    freed: VecDeque<usize>,
    /// Arrays by number; [`no_array`] replaces a destroyed array.
    arrays: Vec<SurfaceMemory>,
    array_exists: Vec<bool>,
    /// The array of each handle, if it is a surface handle.
    handles: Vec<Option<usize>>,
    /// The texture of each handle, if it is a texture handle.
    textures: Vec<Option<BoundTexture>>,
    /// Unused handles, least recently freed first.
    resting: VecDeque<usize>,
    /// Whether launches are watched.
    watches: bool,
}

/// What a launch did.
#[derive(Clone, Debug)]
pub struct Launched {
    /// How it ended.
    pub ending: Ending,
    /// What it printed.
    pub printed: Printed,
    /// What it did wrong, on a device that watches.
    pub findings: Findings,
}

impl Device {
    /// An empty device.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty device that watches its launches: their findings name races, reads of memory that neither the host nor a kernel has
    /// written, faults and missing waits. Launches have the same results as without, and take longer.
    pub fn watching() -> Self {
        Self { watches: true, ..Self::default() }
    }

    /// Makes `bytes` an allocation and returns its address; `None` if it is too large or there are too many allocations.
    pub fn allocate(&mut self, bytes: Vec<u8>) -> Option<u64> {
        if bytes.len() as u64 >= ALLOCATION_LIMIT {
            return None;
        }
        let slot = if self.freed.len() > QUARANTINE { self.freed.pop_front()? } else { self.append(1)? };
        self.used[slot] = true;
        if self.watches {
            self.allocations[slot].undefined = vec![0xFF; bytes.len()];
        }
        self.allocations[slot].data = bytes;
        Some(slots::address(slot))
    }

    /// `count` new slots; answers the first.
    fn append(&mut self, count: usize) -> Option<usize> {
        let first = self.allocations.len();
        if (first + count) as u64 + slots::FIRST > slots::LIMIT {
            return None;
        }
        for slot in first..first + count {
            self.allocations.push(Allocation { base: slots::address(slot), ..Allocation::default() });
            self.used.push(false);
        }
        Some(first)
    }

    /// Frees the allocation that begins at `address` and returns its bytes; `None` if no allocation begins there.
    pub fn free(&mut self, address: u64) -> Option<Vec<u8>> {
        let (slot, 0) = self.find(address)? else { return None };
        Some(self.release(slot))
    }

    fn release(&mut self, slot: usize) -> Vec<u8> {
        self.used[slot] = false;
        self.freed.push_back(slot);
        let memory = &mut self.allocations[slot];
        memory.base = slots::address(slot);
        memory.constant = false;
        memory.unified = false;
        memory.undefined = Vec::new();
        std::mem::take(&mut memory.data)
    }

    /// The slot of an address and the offset in it; the address may be one past the end.
    fn find(&self, address: u64) -> Option<(usize, usize)> {
        let slot = slot_of(&self.allocations, address).filter(|slot| self.used[*slot])?;
        let memory = &self.allocations[slot];
        let offset = usize::try_from(address.checked_sub(memory.base)?).ok()?;
        (offset <= memory.data.len()).then_some((slot, offset))
    }

    /// First address and size of the allocation or variable that holds `address`.
    pub fn range(&self, address: u64) -> Option<(u64, u64)> {
        let (slot, offset) = self.find(address)?;
        let memory = &self.allocations[slot];
        (offset < memory.data.len().max(1)).then_some((memory.base, memory.data.len() as u64))
    }

    /// `len` bytes at `address`; `None` unless they lie in one allocation.
    pub fn bytes(&self, address: u64, len: usize) -> Option<&[u8]> {
        let (slot, offset) = self.find(address)?;
        self.allocations[slot].data.get(offset..offset.checked_add(len)?)
    }

    /// `len` bytes at `address`, to be written, all of them; the host may write constants, too.
    pub fn bytes_mut(&mut self, address: u64, len: usize) -> Option<&mut [u8]> {
        let (slot, offset) = self.find(address)?;
        written(&mut self.allocations[slot], offset..offset.checked_add(len)?)
    }

    /// Decodes a module and allocates its variables with their initial contents. `text` is the source of the module.
    ///
    /// # Errors
    /// The first instruction or declaration that the emulator does not support, or the first variable that does not fit.
    pub fn load(&mut self, module: &Module, text: &str) -> Result<Loaded, Unsupported> {
        let count = module.variables.iter().filter(|v| !v.ty.is_opaque() && has_allocation(v.space)).count();
        let full = |what: String| Unsupported { span: Default::default(), what };
        let first = self.allocations.len();
        let program = Program::at(module, text, u32::try_from(first).unwrap_or(u32::MAX))?;
        let code = program.decoded(&Semantics::default());
        let variables = place_variables(&program, &code, &Semantics::default(), self.watches)
            .map_err(|error| full(error.to_string()))?;
        if variables.len() != count || self.append(count).is_none() {
            return Err(full(format!("{count} more variables on a device that is full")));
        }
        for (slot, memory) in (first..).zip(variables) {
            self.used[slot] = true;
            self.allocations[slot] = memory;
        }
        Ok(Loaded { programs: vec![program], cubin: None, slots: first..first + count })
    }

    /// Links and decodes the kernels of a cubin, and allocates its variables with their initial contents.
    ///
    /// # Errors
    /// The first instruction, relocation or declaration that the emulator does not support, or the first variable that does not fit;
    /// a cubin without kernels.
    pub fn load_cubin(&mut self, cubin: &Cubin) -> Result<Loaded, Unsupported> {
        let full = |what: String| Unsupported { span: Default::default(), what };
        let first = self.allocations.len();
        let slot = u32::try_from(first).unwrap_or(u32::MAX);
        let programs = cubin.kernels.iter().map(|kernel| Program::of_cubin_at(cubin, &kernel.name, slot));
        let programs = programs.collect::<Result<Vec<_>, _>>()?;
        // Every kernel is linked with all variables, at the same places.
        let Some(program) = programs.first() else { return Err(full("a cubin without kernels".into())) };
        let code = program.decoded(&Semantics::default());
        let variables = place_variables(program, &code, &Semantics::default(), self.watches)
            .map_err(|error| full(error.to_string()))?;
        let count = variables.len();
        if self.append(count).is_none() {
            return Err(full(format!("{count} more variables on a device that is full")));
        }
        for (slot, memory) in (first..).zip(variables) {
            self.used[slot] = true;
            self.allocations[slot] = memory;
        }
        let mut module = program.module().clone();
        module.functions = programs.iter().flat_map(|program| program.module().functions.clone()).collect();
        let constants = cubin.variables.iter().filter(|variable| variable.section == ".nv.constant3");
        let constants = constants.map(|it| (it.name.clone(), it.offset, it.size)).collect();
        Ok(Loaded { programs, cubin: Some(Whole { module, constants }), slots: first..first + count })
    }

    /// Frees the variables of a module.
    pub fn unload(&mut self, module: &Loaded) {
        for slot in module.slots.clone() {
            self.release(slot);
        }
    }

    /// Makes an array of zeros; `None` when it is too large.
    pub fn create_array(&mut self, shape: Shape) -> Option<usize> {
        let size = shape.size().filter(|size| *size < ALLOCATION_LIMIT)?;
        let descriptor = Descriptor::of(&shape.surface());
        let texels = Allocation::uninitialised(usize::try_from(size).ok()?, self.watches);
        let slot = match self.array_exists.iter().position(|exists| !exists) {
            Some(slot) => slot,
            None => {
                self.arrays.push(no_array());
                self.array_exists.push(false);
                self.arrays.len() - 1
            }
        };
        self.arrays[slot] =
            SurfaceMemory { name: format!("array {slot}"), descriptor, format: shape.format, texels };
        self.array_exists[slot] = true;
        Some(slot)
    }

    /// The array of that number, if there is one.
    fn array(&self, number: usize) -> Option<&SurfaceMemory> {
        self.arrays.get(number).filter(|_| self.array_exists[number])
    }

    /// Destroys an array; the handles of its surfaces are handles of nothing from now on.
    pub fn destroy_array(&mut self, array: usize) -> bool {
        if self.array(array).is_none() {
            return false;
        }
        for number in 0..self.handles.len() {
            let texture = self.textures[number].map(|texture| texture.array);
            if self.handles[number].or(texture) == Some(array) {
                self.release_handle(number);
            }
        }
        self.arrays[array] = no_array();
        self.array_exists[array] = false;
        true
    }

    /// The texels of an array, tightly packed: x fastest, then y, then z or layer.
    pub fn texels(&self, array: usize) -> Option<&[u8]> {
        self.array(array).map(|memory| memory.texels.data.as_slice())
    }

    /// `len` bytes of the texels of an array from `start` on, to be written, all of them.
    pub fn texels_mut(&mut self, array: usize, start: usize, len: usize) -> Option<&mut [u8]> {
        self.array(array)?;
        written(&mut self.arrays[array].texels, start..start.checked_add(len)?)
    }

    /// Creates a bindless surface for an array and returns its handle.
    pub fn create_surface(&mut self, array: usize) -> Option<u64> {
        self.array(array)?;
        Some(self.create_handle(Some(array), None))
    }

    /// A handle of a surface or a texture: one that rested long enough, or a new one.
    fn create_handle(&mut self, surface: Option<usize>, texture: Option<BoundTexture>) -> u64 {
        let rested = if self.resting.len() > QUARANTINE { self.resting.pop_front() } else { None };
        let number = rested.unwrap_or_else(|| {
            self.handles.push(None);
            self.textures.push(None);
            self.handles.len() - 1
        });
        (self.handles[number], self.textures[number]) = (surface, texture);
        handle(number)
    }

    /// Makes a handle one of nothing, which rests from now on.
    fn release_handle(&mut self, number: usize) {
        (self.handles[number], self.textures[number]) = (None, None);
        self.resting.push_back(number);
    }

    /// The array of a surface.
    pub fn array_of(&self, surface: u64) -> Option<usize> {
        self.handles.get(number(surface)).copied().flatten()
    }

    /// Destroys a surface, not its array.
    pub fn destroy_surface(&mut self, surface: u64) -> bool {
        let exists = self.array_of(surface).is_some();
        if exists {
            self.release_handle(number(surface));
        }
        exists
    }

    /// Creates a bindless texture for an array and returns its handle.
    pub fn create_texture(&mut self, texture: BoundTexture) -> Option<u64> {
        self.array(texture.array)?;
        Some(self.create_handle(None, Some(texture)))
    }

    /// The array and the sampler of a texture.
    pub fn texture(&self, texture: u64) -> Option<BoundTexture> {
        self.textures.get(number(texture)).copied().flatten()
    }

    /// The index by which [`warpdiff_model::Argument::TextureReference`] and [`warpdiff_model::Argument::SamplerReference`] name a
    /// texture.
    pub fn texture_index(&self, texture: u64) -> Option<usize> {
        self.texture(texture).map(|_| number(texture))
    }

    /// Destroys a texture, not its array.
    pub fn destroy_texture(&mut self, texture: u64) -> bool {
        let exists = self.texture(texture).is_some();
        if exists {
            self.release_handle(number(texture));
        }
        exists
    }

    /// Runs a launch of a loaded module to its end.
    ///
    /// Buffers, surfaces, textures and variables of `launch` must be empty: memory is the device's. A
    /// [`warpdiff_model::Argument::SurfaceReference`] names an array of the device; a texture or sampler reference is an index from
    /// [`Device::texture_index`]. `bindings` has the array bound to each of [`Loaded::surface_variables`], `texture_bindings` the
    /// texture bound to each of [`Loaded::texture_variables`].
    ///
    /// # Errors
    /// Any error a driver would report: an unknown entry, wrong arguments, too large a block.
    pub fn launch(
        &mut self,
        loaded: &Loaded,
        launch: &Launch,
        bindings: Vec<Option<usize>>,
        texture_bindings: Vec<Option<BoundTexture>>,
        semantics: &Semantics,
    ) -> Result<Launched, LaunchError> {
        let brings = [!launch.surfaces.is_empty(), !launch.textures.is_empty(), !launch.buffers.is_empty()];
        let concerns = !launch.observed_variables.is_empty() || !launch.host_writes.is_empty();
        if brings.contains(&true) || concerns {
            return error("a launch on a device brings no memory of its own");
        }
        let program = loaded.program(&launch.entry);
        let code = program.decoded(semantics);
        let bindings = of_names(&code.surface_variables, &loaded.surface_variables(), &bindings);
        let texture_bindings =
            of_names(&code.texture_variables, &loaded.texture_variables(), &texture_bindings);
        let entry = find_kernel(program, &launch.entry)?;
        let function = &program.module().functions[entry];
        check_dimensions(function, &code, launch, program.is_spa())?;
        let watches = self.watches;
        check_memory(entry, &code, launch, watches)?;
        let (mut parameters, opaque_parameters) =
            bind_arguments(function, &code, launch, self.arrays.len(), &self.textures, watches)?;
        let mut headers = Headers::default();
        if program.is_spa() {
            headers = Headers::new([
                self.handles.len(),
                bindings.len(),
                texture_bindings.len(),
                code.samplers.len(),
                opaque_parameters.len(),
            ]);
        }
        // The tables are lent to the machine, not copied: there may be many handles.
        let handles = std::mem::take(&mut self.handles);
        let textures = std::mem::take(&mut self.textures);
        let opaque = OpaqueBindings {
            handles,
            textures,
            bindings,
            texture_bindings,
            parameters: opaque_parameters,
            headers,
        };
        let own = self.allocations.len();
        if let Some(banks) = program.banks() {
            let launch = &self.with_handles(launch, &opaque);
            let formal = &function.parameters;
            let code = &*code;
            let mut tables = TableAddresses::default();
            if banks.reads_tables {
                // They lie behind the memory of the device, for this launch.
                let images = Images::OfDevice(&self.arrays);
                let described = Described { images, opaque: &opaque, samplers: &code.samplers, semantics };
                let independent = program.module().texmode_independent;
                let made = described.tables(&headers, independent, own, watches);
                match made {
                    Ok((memory, addresses)) if own as u64 + slots::FIRST < slots::LIMIT => {
                        self.allocations.push(memory);
                        tables = addresses;
                    }
                    made => {
                        (self.handles, self.textures) = (opaque.handles, opaque.textures);
                        return match made {
                            Err(why) => Err(why),
                            Ok(_) => error("a device that is full has no room for the tables of textures"),
                        };
                    }
                }
            }
            parameters = BoundCode { banks, code, launch, formal, opaque: &opaque, tables }
                .constant_memory(&parameters, watches);
            self.copy_constants(program, code, &mut parameters);
        }
        let mut memory = Memory {
            globals: std::mem::take(&mut self.allocations),
            parameters,
            surfaces: std::mem::take(&mut self.arrays),
        };
        if watches && threads(launch) > 1 {
            report_races(&mut memory);
        }
        let bound = Bound { entry: entry as u32, memory, opaque };
        let mut machine = Machine::new(program, &code, launch, semantics, Schedule::default(), bound);
        if watches {
            machine.watch = Some(Box::default());
            machine.clocks = match threads(launch) {
                1 => Clocks::new(1, 1),
                _ => Clocks::new(launch.grid.iter().product(), launch.block.iter().product()),
            };
            machine.run_grid::<Traced>();
        } else {
            machine.run_grid::<Untracked>();
        }
        let faults = std::mem::take(&mut machine.faults);
        let ending = match machine.stop.take() {
            _ if !faults.is_empty() => Ending::Faulted(faults),
            Some(Stop::TimedOut) => Ending::TimedOut,
            Some(Stop::Indeterminate { place, origin }) => {
                Ending::Unspecified { what: format!("{place} {origin}") }
            }
            None => Ending::Completed,
        };
        let printed = std::mem::take(&mut machine.printed);
        let findings = machine.watch.take().map(|watch| watch.findings).unwrap_or_default();
        self.allocations = machine.memory.globals;
        self.allocations.truncate(own);
        self.arrays = machine.memory.surfaces;
        (self.handles, self.textures) = (machine.opaque.handles, machine.opaque.textures);
        if watches {
            let texels = self.arrays.iter_mut().map(|array| &mut array.texels);
            self.allocations.iter_mut().chain(texels).for_each(Allocation::forget_launch);
        }
        Ok(Launched { ending, printed, findings })
    }
}

impl Device {
    /// A launch of machine code, which names surfaces and textures by headers: an argument that is a handle of one is its header.
    fn with_handles(&self, launch: &Launch, opaque: &OpaqueBindings) -> Launch {
        let exists = |index: usize| {
            opaque.handles.get(index).is_some_and(Option::is_some)
                || opaque.textures.get(index).is_some_and(Option::is_some)
        };
        let mut launch = launch.clone();
        for argument in &mut launch.arguments {
            let Argument::Value(bytes) = &*argument else { continue };
            let Ok(bytes) = <[u8; 8]>::try_from(bytes.as_slice()) else { continue };
            let (value, index) = (u64::from_le_bytes(bytes), number(u64::from_le_bytes(bytes)));
            if exists(index) && handle(index) == value {
                *argument = Argument::Surface { index };
            }
        }
        launch
    }

    /// Copies the user's `.const` variables, which the host may have written since the cubin was loaded, into their bank.
    fn copy_constants(&self, program: &Program, code: &Decoded, memory: &mut Allocation) {
        let Some(address) = constant_bank(program, code) else { return };
        let Some(range) = program.banks().and_then(|banks| banks.range(CONSTANTS)) else { return };
        let (start, end) = (range.start as usize, range.end as usize);
        let Some((slot, 0)) = self.find(address) else { return };
        let variables = &self.allocations[slot].data;
        let length = variables.len().min(end - start);
        memory.data[start..start + length].copy_from_slice(&variables[..length]);
    }
}

/// Bytes that the host writes.
fn written(memory: &mut Allocation, range: std::ops::Range<usize>) -> Option<&mut [u8]> {
    if let Some(bytes) = memory.undefined.get_mut(range.clone()) {
        bytes.fill(0);
    }
    memory.data.get_mut(range)
}

/// Reports races in all memory that a thread can write.
fn report_races(memory: &mut Memory) {
    let texels = memory.surfaces.iter_mut().map(|surface| &mut surface.texels);
    let writable = memory.globals.iter_mut().chain(texels).zip(0u32..);
    for (memory, number) in writable.filter(|(memory, _)| !memory.constant && !memory.data.is_empty()) {
        memory.race = Some(Shadow::reporting(number, memory.data.len()));
    }
}

/// What stands where an array was destroyed: it has no handle, so no kernel sees it.
fn no_array() -> SurfaceMemory {
    let format = Format { channel: warpdiff_model::ChannelType::U8, channels: 1 };
    let shape = Shape { geometry: Geometry::D1, extent: [0; 3], layers: 0, format };
    let descriptor = Descriptor::of(&shape.surface());
    SurfaceMemory { name: String::new(), descriptor, format, texels: Allocation::default() }
}
