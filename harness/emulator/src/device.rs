//! A device: memory, modules and arrays that outlive the launches that use them.
//!
//! A [`warpdiff_model::Launch`] includes its memory and leaves a final state; a driver instead allocates, copies and launches many
//! times. [`Device`] holds the objects that persist between launches, at fixed addresses. Launches run untracked: every bit of
//! memory has some value, as on a real device. Those of a device that watches ([`Device::watching`]) do so too, and tell what they do
//! wrong; the undefined bits of its memory are those that nobody has written.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use warpdiff_model::{Format, Geometry, Semantics, Surface};
use warpdiff_ptx::checked::Module;
use warpdiff_sass::cubin::Cubin;
use warpdiff_semantics::surface::Descriptor;

use crate::address_space::slots;
use crate::decoded::{Decoded, Unsupported, VariablePlace};
use crate::launch::layout::place_variables;
use crate::memory::{Allocation, SurfaceMemory, slot_of};
use crate::program::Program;
pub use warpdiff_semantics::opaque::BoundTexture;
use warpdiff_semantics::opaque::{handle, number};

mod launching;

pub use launching::{Ending, Launched};

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
    slots: Range<usize>,
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

/// The address of the variable that stands for the bank of `.const` variables of a cubin.
fn constant_bank(program: &Program, code: &Decoded) -> Option<u64> {
    let id = program.banks()?.constants?;
    match code.variables[id.0 as usize] {
        VariablePlace::Const { address, .. } => Some(address),
        _ => None,
    }
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
            self.allocations[slot].defined = vec![0; bytes.len()];
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
        memory.defined = Vec::new();
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

    /// Decodes a module and allocates its variables with their initial contents, as the semantics have them. `text` is the source of the module.
    ///
    /// # Errors
    /// The first instruction or declaration that the emulator does not support, or the first variable that does not fit.
    pub fn load(&mut self, module: &Module, text: &str, by: &Semantics) -> Result<Loaded, Unsupported> {
        let first = u32::try_from(self.allocations.len()).unwrap_or(u32::MAX);
        let program = Program::at(module, text, first)?;
        Ok(Loaded { slots: self.place(&program, by)?, programs: vec![program], cubin: None })
    }

    /// Links and decodes the kernels of a cubin, and allocates its variables with their initial contents, as these semantics have them.
    ///
    /// # Errors
    /// The first instruction, relocation or declaration that the emulator does not support, or the first variable that does not fit;
    /// a cubin without kernels.
    pub fn load_cubin(&mut self, cubin: &Cubin, semantics: &Semantics) -> Result<Loaded, Unsupported> {
        let slot = u32::try_from(self.allocations.len()).unwrap_or(u32::MAX);
        let programs = cubin.kernels.iter().map(|kernel| Program::of_cubin_at(cubin, &kernel.name, slot));
        let programs = programs.collect::<Result<Vec<_>, _>>()?;
        // Every kernel is linked with all variables, at the same places.
        let Some(program) = programs.first() else {
            return Err(Unsupported { span: Default::default(), what: "a cubin without kernels".into() });
        };
        let slots = self.place(program, semantics)?;
        let mut module = program.module().clone();
        module.functions = programs.iter().flat_map(|program| program.module().functions.clone()).collect();
        let constants = cubin.variables.iter().filter(|variable| variable.section == ".nv.constant3");
        let constants = constants.map(|it| (it.name.clone(), it.offset, it.size)).collect();
        Ok(Loaded { programs, cubin: Some(Whole { module, constants }), slots })
    }

    /// Allocates the variables of a program, behind all that there is. They lie where [`Loaded::variables`] says, whatever the semantics.
    fn place(&mut self, program: &Program, semantics: &Semantics) -> Result<Range<usize>, Unsupported> {
        let full = |what: String| Unsupported { span: Default::default(), what };
        let variables =
            place_variables(program, &program.decoded(&Semantics::default()), semantics, self.watches)
                .map_err(|error| full(error.to_string()))?;
        let (first, count) = (self.allocations.len(), variables.len());
        self.append(count).ok_or_else(|| full(format!("{count} more variables on a device that is full")))?;
        self.used[first..].fill(true);
        self.allocations.splice(first.., variables);
        Ok(first..first + count)
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
}

/// Bytes that the host writes.
fn written(memory: &mut Allocation, range: Range<usize>) -> Option<&mut [u8]> {
    if let Some(bytes) = memory.defined.get_mut(range.clone()) {
        bytes.fill(0xFF);
    }
    memory.data.get_mut(range)
}

/// What stands where an array was destroyed: it has no handle, so no kernel sees it.
fn no_array() -> SurfaceMemory {
    let format = Format { channel: warpdiff_model::ChannelType::U8, channels: 1 };
    let shape = Shape { geometry: Geometry::D1, extent: [0; 3], layers: 0, format };
    let descriptor = Descriptor::of(&shape.surface());
    SurfaceMemory { name: String::new(), descriptor, format, texels: Allocation::default() }
}
