//! The state of the driver between calls: contexts, allocations, modules, handles.

use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;
use std::time::Instant;

use warpdiff_emulator::device::{Device, Loaded, LoadedVariable};
use warpdiff_model::Sampler;

use crate::abi::{Array3dDescriptor, Handle, ResourceDescriptor, TextureDescriptor};
use crate::link::Linker;
use crate::managed::Pages;
use crate::report::Report;
use crate::result::CallResult;
use crate::result::{self, Reach};

/// A context, by its handle as a number.
pub(crate) type ContextId = u64;

/// Bytes of device memory.
pub(crate) const MEMORY: u64 = 4 << 30;

/// A context.
#[derive(Default)]
pub(crate) struct Context {
    /// `CU_CTX_…`
    pub(crate) flags: u32,
    /// Its sticky error.
    pub(crate) error: Option<u32>,
    /// `CUlimit` to value, where set.
    pub(crate) limits: HashMap<u32, usize>,
    /// `CUfunc_cache`.
    pub(crate) cache: u32,
    /// `CUsharedconfig`.
    pub(crate) banks: u32,
}

/// The primary context.
#[derive(Default)]
pub(crate) struct Primary {
    pub(crate) id: Option<ContextId>,
    pub(crate) count: u32,
    pub(crate) flags: u32,
}

/// An allocation of device memory.
pub(crate) struct Allocation {
    pub(crate) context: ContextId,
    pub(crate) size: u64,
}

/// Mapped host memory. The device has a copy of it, which is synchronised before and after all work on the device.
pub(crate) struct HostMemory {
    pub(crate) context: ContextId,
    pub(crate) size: usize,
    /// Address on the device.
    pub(crate) device: u64,
    /// `CU_MEMHOSTALLOC_…` or `CU_MEMHOSTREGISTER_…`.
    pub(crate) flags: u32,
    /// The memory itself, unless the client registered its own.
    pub(crate) owned: Option<Box<[u8]>>,
}

/// A module or library.
pub(crate) struct Module {
    pub(crate) loaded: Loaded,
    pub(crate) variables: Vec<LoadedVariable>,
    /// Names of the `.surfref` variables, in the order of the bindings.
    pub(crate) surface_names: Vec<String>,
    /// Names of the `.texref` variables, in the order of their bindings.
    pub(crate) texture_names: Vec<String>,
    /// For each surface variable the array bound to it, by handle.
    pub(crate) bindings: Vec<Option<u64>>,
    /// Handles of kernels, by index into the functions of the checked module.
    pub(crate) functions: BTreeMap<usize, u64>,
    /// Handles of surface references, by position.
    pub(crate) surface_references: BTreeMap<usize, u64>,
    /// Handles of texture references, by name.
    pub(crate) texture_references: BTreeMap<String, u64>,
}

/// A kernel.
pub(crate) struct Function {
    pub(crate) module: u64,
    /// Index into the functions of the checked module.
    pub(crate) index: usize,
    pub(crate) name: CString,
    /// Dynamic shared memory that launches may ask for, in bytes.
    pub(crate) dynamic_limit: u32,
}

/// An array.
pub(crate) struct Array {
    /// Its number on the emulated device.
    pub(crate) number: usize,
    pub(crate) descriptor: Array3dDescriptor,
    pub(crate) texel_size: usize,
}

/// An event.
pub(crate) struct Event {
    pub(crate) timed: bool,
    pub(crate) recorded: Option<Instant>,
}

/// A stream.
pub(crate) struct Stream {
    pub(crate) flags: u32,
    pub(crate) priority: i32,
}

/// Array and sampler of a texture object.
#[derive(Clone, Copy)]
pub(crate) struct Texture {
    pub(crate) resource: ResourceDescriptor,
    pub(crate) sampler: TextureDescriptor,
}

/// A texture reference: of a module's variable, or of none.
#[derive(Clone, Copy, Default)]
pub(crate) struct TextureReference {
    /// The array bound to it, by handle.
    pub(crate) array: Option<u64>,
    pub(crate) sampler: Sampler,
}

/// The object of a handle.
pub(crate) enum Object {
    Module(Box<Module>),
    Function(Function),
    Array(Array),
    Stream(Stream),
    Event(Event),
    /// A surface variable of a module, by position.
    SurfaceReference {
        module: u64,
        position: usize,
    },
    TextureReference(TextureReference),
    Linker(Linker),
}

/// The driver.
#[derive(Default)]
pub(crate) struct Driver {
    pub(crate) process_error: Option<u32>,
    pub(crate) device: Device,
    pub(crate) contexts: BTreeMap<ContextId, Context>,
    pub(crate) primary: Primary,
    pub(crate) allocations: BTreeMap<u64, Allocation>,
    /// By address on the host.
    pub(crate) host_memory: BTreeMap<usize, HostMemory>,
    /// Managed memory, by its address.
    pub(crate) managed: BTreeMap<u64, Pages>,
    pub(crate) objects: BTreeMap<u64, (ContextId, Object)>,
    /// The array of each surface object.
    pub(crate) surfaces: BTreeMap<u64, (ContextId, ResourceDescriptor)>,
    /// Array and sampler of each texture object, by handle.
    pub(crate) textures: BTreeMap<u64, (ContextId, Texture)>,
    /// Where the findings of launches go, if they are wanted.
    pub(crate) report: Option<Report>,
    handles: u64,
}

macro_rules! lookups {
    ($($(#[$doc:meta])* $get:ident $get_mut:ident $variant:ident $ty:ty)*) => {
        $(
            $(#[$doc])*
            pub(crate) fn $get(&self, handle: Handle) -> CallResult<&$ty> {
                match self.objects.get(&(handle as u64)) {
                    Some((_, Object::$variant(object))) => Ok(object),
                    _ => Err(result::ERROR_INVALID_HANDLE),
                }
            }

            $(#[$doc])*
            pub(crate) fn $get_mut(&mut self, handle: Handle) -> CallResult<&mut $ty> {
                match self.objects.get_mut(&(handle as u64)) {
                    Some((_, Object::$variant(object))) => Ok(object),
                    _ => Err(result::ERROR_INVALID_HANDLE),
                }
            }
        )*
    };
}

impl Driver {
    /// A driver as the environment asks for it.
    pub(crate) fn new() -> Self {
        match Report::wanted() {
            Some(report) => Self { report: Some(report), device: Device::watching(), ..Self::default() },
            None => Self::default(),
        }
    }

    /// Forgets everything but which handles it has given out, so that an old one is that of nothing, and goes on with its report.
    pub(crate) fn renew(&mut self) {
        let report = self.report.take();
        let device = if report.is_some() { Device::watching() } else { Device::default() };
        *self = Self { report, device, handles: self.handles, ..Self::default() };
    }

    lookups! {
        /// The module of a handle.
        module module_mut Module Module
        /// The kernel of a handle.
        function function_mut Function Function
        /// The event of a handle.
        event event_mut Event Event
        /// The texture reference of a handle.
        texture_reference texture_reference_mut TextureReference TextureReference
        /// The link of a handle.
        linker linker_mut Linker Linker
    }

    /// The array of a handle.
    pub(crate) fn array(&self, handle: Handle) -> CallResult<&Array> {
        match self.objects.get(&(handle as u64)) {
            Some((_, Object::Array(array))) => Ok(array),
            _ => Err(result::ERROR_INVALID_HANDLE),
        }
    }

    /// A handle that was never given out.
    pub(crate) fn new_handle(&mut self) -> u64 {
        self.handles += 0x100;
        // Streams 1 and 2 have a meaning of their own; a number that looks like no address shows in a debugger.
        0xCDA0_0000_0000 + self.handles
    }

    /// Stores an object of a context and returns its handle.
    pub(crate) fn insert(&mut self, context: ContextId, object: Object) -> Handle {
        let handle = self.new_handle();
        self.objects.insert(handle, (context, object));
        handle as Handle
    }

    /// A new context.
    pub(crate) fn create_context(&mut self, flags: u32) -> ContextId {
        let id = self.new_handle();
        self.contexts.insert(id, Context { flags, ..Context::default() });
        id
    }

    /// Destroys a context and everything that belongs to it.
    pub(crate) fn destroy_context(&mut self, id: ContextId) -> CallResult {
        self.contexts.remove(&id).ok_or(result::ERROR_INVALID_CONTEXT)?;
        take(&mut self.managed, |pages| pages.context == id);
        for (address, _) in take(&mut self.allocations, |allocation| allocation.context == id) {
            self.device.free(address);
        }
        for (_, memory) in take(&mut self.host_memory, |memory| memory.context == id) {
            self.device.free(memory.device);
        }
        for (surface, _) in take(&mut self.surfaces, |(context, _)| *context == id) {
            self.device.destroy_surface(surface);
        }
        for (texture, _) in take(&mut self.textures, |(context, _)| *context == id) {
            self.device.destroy_texture(texture);
        }
        for (_, (_, object)) in take(&mut self.objects, |(context, _)| *context == id) {
            match object {
                Object::Module(module) => self.device.unload(&module.loaded),
                Object::Array(array) => {
                    self.device.destroy_array(array.number);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Stores the error of a launch in a context.
    pub(crate) fn stick(&mut self, context: ContextId, code: u32) {
        match result::reach(code) {
            Reach::Process => self.process_error = Some(code),
            Reach::Context => {
                if let Some(context) = self.contexts.get_mut(&context) {
                    context.error = Some(code);
                }
            }
        }
    }

    /// Whether a stream may be used: the default ones, or one that was created.
    pub(crate) fn check_stream(&self, stream: Handle) -> CallResult {
        match self.objects.get(&(stream as u64)) {
            Some((_, Object::Stream(_))) => Ok(()),
            _ if (stream as u64) <= 2 => Ok(()),
            _ => Err(result::ERROR_INVALID_HANDLE),
        }
    }

    /// Bytes of device memory in use.
    pub(crate) fn memory_used(&self) -> u64 {
        self.allocations.values().map(|allocation| allocation.size).sum()
    }

    /// Copies mapped host memory, and managed memory, to the device.
    pub(crate) fn host_to_device(&mut self) {
        for (address, pages) in &self.managed {
            let source = pages.bytes();
            if let Some(target) = self.device.bytes_mut(*address, source.len()) {
                target.copy_from_slice(source);
            }
        }
        for (address, memory) in &self.host_memory {
            let Some(target) = self.device.bytes_mut(memory.device, memory.size) else { continue };
            // SAFETY: the client keeps memory that it registered, and we keep what we allocated.
            let source = unsafe { std::slice::from_raw_parts(*address as *const u8, memory.size) };
            target.copy_from_slice(source);
        }
    }

    /// Copies mapped host memory and managed memory back from the device.
    pub(crate) fn device_to_host(&mut self) {
        for (address, pages) in &mut self.managed {
            let Some(source) = self.device.bytes(*address, pages.bytes().len()) else { continue };
            if pages.bytes() != source {
                pages.bytes_mut().copy_from_slice(source);
            }
        }
        for (address, memory) in &self.host_memory {
            let Some(source) = self.device.bytes(memory.device, memory.size) else { continue };
            // SAFETY: the client keeps memory that it registered, for writes too, and we keep what we allocated.
            let target = unsafe { std::slice::from_raw_parts_mut(*address as *mut u8, memory.size) };
            if target != source {
                target.copy_from_slice(source);
            }
        }
    }
}

// SAFETY: the only pointers kept are handles, which are never followed, and addresses of host and managed memory, which are
// numbers.
unsafe impl Send for Driver {}

/// Removes and returns the matching entries of a map.
fn take<K: Ord + Copy, V>(map: &mut BTreeMap<K, V>, fits: impl Fn(&V) -> bool) -> Vec<(K, V)> {
    let keys = map.iter().filter(|(_, value)| fits(value)).map(|(key, _)| *key).collect::<Vec<_>>();
    keys.into_iter().filter_map(|key| map.remove_entry(&key)).collect()
}

/// `size` zeroed bytes; `None` if there is too little memory. Does not touch the pages.
pub(crate) fn zeroed(len: usize) -> Option<Vec<u8>> {
    if len == 0 {
        return Some(Vec::new());
    }
    let layout = std::alloc::Layout::array::<u8>(len).ok()?;
    // SAFETY: the layout has a size other than zero; the vector gets exactly what the allocator gave for it.
    unsafe {
        let pointer = std::alloc::alloc_zeroed(layout);
        (!pointer.is_null()).then(|| Vec::from_raw_parts(pointer, len, len))
    }
}
