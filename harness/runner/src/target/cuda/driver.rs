//! The driver library: opened from a path, called through a table of our own.
//!
//! Of the cudarc crate only the types are used. Its functions panic where a symbol is missing, and return results as a
//! closed enum, for which a code that it does not know, from a newer driver or a drop-in, is undefined behaviour. Here
//! results are numbers, and a missing function is an error like any other.
//!
//! Everything unsafe of this target stands in this file.

use std::cell::RefCell;
use std::error::Error;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::ptr::{null, null_mut};

use cudarc::driver::sys::{
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC_st__bindgen_ty_1,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1, CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5,
    CUDA_TEXTURE_DESC, CUarray, CUcontext, CUdevice, CUdeviceptr, CUfunction, CUlinkState, CUmodule,
    CUresourcetype, CUstream, CUsurfObject, CUsurfref, CUtexObject, CUtexref,
};
use libloading::Library;
use warpdiff_model::{AddressMode, Sampler, Surface};

use super::array::{ARRAY3D_SURFACE_LDST, Array};
use super::result::Refusal;
use super::texture;

/// Names of the installed library, the one that comes with the driver first: the other may be the toolkit's stub.
const INSTALLED: [&str; 2] = ["libcuda.so.1", "libcuda.so"];
/// What our own library reads at each launch: thread-instructions that it may take.
const STEP_BUDGET: &str = "WARPDIFF_CUDA_STEP_BUDGET";
/// Bytes of each log of the driver's compiler.
const LOG: usize = 16 << 10;

// From cuda.h, where they are macros, or members of enums that are passed as integers here.
const ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: c_int = 75;
const ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: c_int = 76;
const ATTRIBUTE_KERNEL_EXEC_TIMEOUT: c_int = 17;
const ATTRIBUTE_CAN_MAP_HOST_MEMORY: c_int = 19;
const ATTRIBUTE_COMPUTE_MODE: c_int = 20;
const ATTRIBUTE_MANAGED_MEMORY: c_int = 83;
/// `CU_MEMHOSTALLOC_DEVICEMAP`
const HOST_ALLOC_DEVICE_MAP: c_uint = 2;
const FUNCTION_MAX_DYNAMIC_SHARED: c_int = 8;
const JIT_INFO_LOG_BUFFER: c_uint = 3;
const JIT_INFO_LOG_BUFFER_SIZE: c_uint = 4;
const JIT_ERROR_LOG_BUFFER: c_uint = 5;
const JIT_ERROR_LOG_BUFFER_SIZE: c_uint = 6;
const JIT_OPTIMIZATION_LEVEL: c_uint = 7;
const JIT_INPUT_PTX: c_uint = 1;

macro_rules! table {
    ($($name:ident($($ty:ty),* $(,)?);)*) => {
        /// The functions of the library, by their names in it.
        #[expect(non_snake_case, reason = "the names of the API")]
        struct Table {
            $($name: Option<unsafe extern "C" fn($($ty),*) -> u32>,)*
        }

        impl Table {
            fn of(library: &Library) -> Self {
                // SAFETY: the types are those of cuda.h, with every enum as the integer it is. The library outlives the
                // table: both are fields of `Driver`, and nothing takes a function out of it.
                unsafe { Self { $($name: library.get(concat!(stringify!($name), "\0").as_bytes()).ok().and_then(|s| *s),)* } }
            }
        }
    };
}

table! {
    cuInit(c_uint);
    cuDriverGetVersion(*mut c_int);
    cuGetErrorName(u32, *mut *const c_char);
    cuGetErrorString(u32, *mut *const c_char);
    cuDeviceGetCount(*mut c_int);
    cuDeviceGet(*mut CUdevice, c_int);
    cuDeviceGetName(*mut c_char, c_int, CUdevice);
    cuDeviceGetPCIBusId(*mut c_char, c_int, CUdevice);
    cuDeviceGetAttribute(*mut c_int, c_int, CUdevice);
    cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    cuDevicePrimaryCtxReset_v2(CUdevice);
    cuCtxCreate_v2(*mut CUcontext, c_uint, CUdevice);
    cuCtxSetCurrent(CUcontext);
    cuCtxSynchronize();
    cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut c_uint, *mut *mut c_void);
    cuModuleUnload(CUmodule);
    cuLinkCreate_v2(c_uint, *mut c_uint, *mut *mut c_void, *mut CUlinkState);
    cuLinkAddData_v2(
        CUlinkState, c_uint, *const c_void, usize, *const c_char, c_uint, *mut c_uint, *mut *mut c_void,
    );
    cuLinkComplete(CUlinkState, *mut *const c_void, *mut usize);
    cuLinkDestroy(CUlinkState);
    cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    cuModuleGetGlobal_v2(*mut CUdeviceptr, *mut usize, CUmodule, *const c_char);
    cuModuleGetSurfRef(*mut CUsurfref, CUmodule, *const c_char);
    cuSurfRefSetArray(CUsurfref, CUarray, c_uint);
    cuModuleGetTexRef(*mut CUtexref, CUmodule, *const c_char);
    cuTexRefSetArray(CUtexref, CUarray, c_uint);
    cuTexRefSetAddressMode(CUtexref, c_int, c_uint);
    cuTexRefSetFilterMode(CUtexref, c_uint);
    cuTexRefSetFlags(CUtexref, c_uint);
    cuTexRefSetBorderColor(CUtexref, *mut f32);
    cuFuncSetAttribute(CUfunction, c_int, c_int);
    cuMemAlloc_v2(*mut CUdeviceptr, usize);
    cuMemFree_v2(CUdeviceptr);
    cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
    cuMemHostGetDevicePointer_v2(*mut CUdeviceptr, *mut c_void, c_uint);
    cuMemFreeHost(*mut c_void);
    cuMemcpyHtoD_v2(CUdeviceptr, *const c_void, usize);
    cuMemcpyDtoH_v2(*mut c_void, CUdeviceptr, usize);
    cuMemcpy3D_v2(*const CUDA_MEMCPY3D);
    cuArray3DCreate_v2(*mut CUarray, *const CUDA_ARRAY3D_DESCRIPTOR);
    cuArrayDestroy(CUarray);
    cuSurfObjectCreate(*mut CUsurfObject, *const CUDA_RESOURCE_DESC);
    cuSurfObjectDestroy(CUsurfObject);
    cuTexObjectCreate(*mut CUtexObject, *const CUDA_RESOURCE_DESC, *const CUDA_TEXTURE_DESC, *const c_void);
    cuTexObjectDestroy(CUtexObject);
    cuLaunchKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void,
    );
}

/// Calls a function of the table; must stand in `unsafe`, for whose arguments the call site answers.
macro_rules! call {
    ($driver:ident.$name:ident($($argument:expr),* $(,)?)) => {
        match $driver.table.$name {
            None => Err(Refusal::Missing(stringify!($name))),
            Some(function) => $driver.answer(stringify!($name), function($($argument),*)),
        }
    };
}

type Answer<T = ()> = Result<T, Refusal>;

/// A loaded module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Module(CUmodule);

/// A kernel, with the sizes of its parameters in bytes.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    function: CUfunction,
    parameters: Vec<usize>,
}

/// An address of device memory.
pub(super) type DevicePointer = u64;

/// What a device tells of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Device {
    /// Its name: "NVIDIA H200".
    pub(super) name: String,
    /// Where it is plugged in, `0000:65:00.0`; empty if it does not tell.
    pub(super) bus: String,
    /// Compute capability: 90.
    pub(super) capability: u32,
    /// Whether kernels that run long are stopped, as where a display hangs on the device.
    pub(super) watchdog: bool,
    /// Whether it can work on memory of the host in place.
    pub(super) maps_host: bool,
    /// Whether it has managed memory, which the host reaches by the same address.
    pub(super) manages: bool,
    /// `CUcomputemode`: 0 where any number of processes may use it, 3 where only one may.
    pub(super) compute_mode: u32,
}

impl Device {
    /// Whether it is the one of our own driver library, behind which there is no hardware.
    pub(super) fn is_emulated(&self) -> bool {
        self.name == "warpdiff reference emulator"
    }
}

/// Memory of the host that the device works on in place, so that what was stored there is seen even after a fault.
#[derive(Debug)]
pub(super) struct Mapped {
    host: *mut u8,
    bytes: usize,
    /// Its address on the device.
    pub(super) device: DevicePointer,
}

/// Memory that host and device reach by the same address: a `.managed` variable of a loaded module. Where the library says that
/// there is such memory and the host cannot reach it, this process dies of it, and is known to have died of this launch.
#[derive(Debug)]
pub(super) struct Managed {
    host: *mut u8,
    bytes: usize,
}

/// Shape of a launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Blocks.
    pub(super) grid: [u32; 3],
    /// Threads of a block.
    pub(super) block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub(super) shared: u32,
}

/// A driver library with a current context. It belongs to the thread that opened it.
pub(super) struct Driver {
    table: Table,
    /// Of the CUDA driver: 12090 is 12.9.
    version: u32,
    device: Device,
    /// Whether the user has set [`STEP_BUDGET`].
    steps_are_set: bool,
    /// What the compiler said of the last program.
    log: RefCell<String>,
    /// Kept open as long as the table is used; last, so that it is dropped last.
    _library: Library,
}

impl Driver {
    /// Opens a library, or the installed one, and makes a context on a device current.
    ///
    /// # Errors
    /// Why that is not possible, as a lowercase fragment.
    pub(super) fn open(path: Option<&Path>, ordinal: u32) -> Result<Self, String> {
        let library = match path {
            Some(path) => library(path)?,
            None => installed()?,
        };
        let device = Device::default();
        let table = Table::of(&library);
        let mut driver = Self {
            table,
            version: 0,
            device,
            steps_are_set: std::env::var_os(STEP_BUDGET).is_some(),
            log: RefCell::default(),
            _library: library,
        };
        let reason = |refusal: Refusal| match refusal {
            Refusal::Missing(name) => {
                format!("the library has no function {name}: it is no CUDA driver, or too old a one")
            }
            Refusal::Code { call: "cuInit", .. } => format!("no usable device: {refusal}"),
            refusal => refusal.to_string(),
        };
        driver.begin(ordinal).map_err(reason)?;
        Ok(driver)
    }

    fn begin(&mut self, ordinal: u32) -> Answer {
        // SAFETY: cuInit takes flags, which must be 0.
        unsafe { call!(self.cuInit(0)) }?;
        self.version = self.number(|driver, out| {
            // SAFETY: `out` is a valid pointer to an int.
            unsafe { call!(driver.cuDriverGetVersion(out)) }
        })?;
        let count = self.number(|driver, out| {
            // SAFETY: `out` is a valid pointer to an int.
            unsafe { call!(driver.cuDeviceGetCount(out)) }
        })?;
        if ordinal >= count {
            let there = match count {
                0 => "there is no CUDA device".into(),
                1 => "there is 1 device".into(),
                _ => format!("there are {count} devices"),
            };
            return Err(Refusal::Nonsense(format!("no device {ordinal}: {there}")));
        }
        let mut device: CUdevice = 0;
        // SAFETY: `device` is a valid place; the ordinal is below the count.
        unsafe { call!(self.cuDeviceGet(&mut device, ordinal as c_int)) }?;
        self.device = self.describe(device)?;
        let mut context: CUcontext = null_mut();
        // SAFETY: `context` is a valid place, and the device is one that the library named.
        unsafe { call!(self.cuDevicePrimaryCtxRetain(&mut context, device)) }?;
        // SAFETY: the context was just retained, and is never released: it lives as long as the process.
        unsafe { call!(self.cuCtxSetCurrent(context)) }?;
        self.is_whole()
    }

    /// Makes another context of the device current, a new one, which lives as long as the process.
    pub(super) fn new_context(&self, ordinal: u32) -> Answer {
        let mut device: CUdevice = 0;
        // SAFETY: `device` is a valid place; an ordinal that is too large is the library's to refuse.
        unsafe { call!(self.cuDeviceGet(&mut device, ordinal as c_int)) }?;
        let mut context: CUcontext = null_mut();
        // SAFETY: `context` is a valid place, the device is one that the library named, and 0 are the usual flags. The new
        // context is current from then on.
        unsafe { call!(self.cuCtxCreate_v2(&mut context, 0, device)) }
    }

    /// Resets the context that the driver keeps for the device, and makes it current again. Modules and memory of it are gone.
    pub(super) fn reset(&self, ordinal: u32) -> Answer {
        let mut device: CUdevice = 0;
        // SAFETY: as for a new context.
        unsafe { call!(self.cuDeviceGet(&mut device, ordinal as c_int)) }?;
        // SAFETY: the device is one that the library named. What lived in the context is not used any more by who resets it.
        unsafe { call!(self.cuDevicePrimaryCtxReset_v2(device)) }?;
        let mut context: CUcontext = null_mut();
        // SAFETY: `context` is a valid place, and the device is one that the library named.
        unsafe { call!(self.cuDevicePrimaryCtxRetain(&mut context, device)) }?;
        // SAFETY: the context was just retained, and is never released.
        unsafe { call!(self.cuCtxSetCurrent(context)) }
    }

    /// A library without these could run nothing.
    fn is_whole(&self) -> Answer {
        let table = &self.table;
        let needed = [
            (table.cuMemAlloc_v2.is_some(), "cuMemAlloc_v2"),
            (table.cuMemFree_v2.is_some(), "cuMemFree_v2"),
            (table.cuMemcpyHtoD_v2.is_some(), "cuMemcpyHtoD_v2"),
            (table.cuMemcpyDtoH_v2.is_some(), "cuMemcpyDtoH_v2"),
            (table.cuModuleLoadDataEx.is_some(), "cuModuleLoadDataEx"),
            (table.cuModuleUnload.is_some(), "cuModuleUnload"),
            (table.cuModuleGetFunction.is_some(), "cuModuleGetFunction"),
            (table.cuLaunchKernel.is_some(), "cuLaunchKernel"),
            (table.cuCtxSynchronize.is_some(), "cuCtxSynchronize"),
        ];
        needed.iter().find(|(there, _)| !there).map_or(Ok(()), |(_, name)| Err(Refusal::Missing(name)))
    }

    fn describe(&self, device: CUdevice) -> Answer<Device> {
        let attribute = |attribute: c_int| {
            self.number(|driver, out| {
                // SAFETY: `out` is a valid pointer to an int; attribute and device are plain numbers.
                unsafe { call!(driver.cuDeviceGetAttribute(out, attribute, device)) }
            })
        };
        let capability = 10 * attribute(ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?
            + attribute(ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        // A library that does not know an attribute does not have what it tells of either.
        let known = |number| attribute(number).unwrap_or_default();
        let watchdog = known(ATTRIBUTE_KERNEL_EXEC_TIMEOUT) != 0;
        let maps_host = known(ATTRIBUTE_CAN_MAP_HOST_MEMORY) != 0;
        let manages = known(ATTRIBUTE_MANAGED_MEMORY) != 0;
        let compute_mode = known(ATTRIBUTE_COMPUTE_MODE);
        let mut name = [0u8; 256];
        // SAFETY: the buffer has the length that is passed, less the last byte, which stays zero.
        unsafe { call!(self.cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as c_int - 1, device)) }?;
        let mut bus = [0u8; 32];
        // SAFETY: as above. A library without the function has told nothing.
        let _ = unsafe {
            call!(self.cuDeviceGetPCIBusId(bus.as_mut_ptr().cast(), bus.len() as c_int - 1, device))
        };
        let text = |bytes: &[u8]| {
            let text = CStr::from_bytes_until_nul(bytes).map(|text| text.to_string_lossy().into_owned());
            text.unwrap_or_default()
        };
        let (name, bus) = (text(&name), text(&bus));
        Ok(Device { name, bus, capability, watchdog, maps_host, manages, compute_mode })
    }

    /// A small number that a function writes.
    fn number(&self, ask: impl Fn(&Self, *mut c_int) -> Answer) -> Answer<u32> {
        let mut value: c_int = 0;
        ask(self, &mut value)?;
        u32::try_from(value)
            .map_err(|_| Refusal::Nonsense(format!("the library answered {value} where a count was due")))
    }

    /// The CUDA version of the driver: 12090 is 12.9.
    pub(super) fn version(&self) -> u32 {
        self.version
    }

    /// The device.
    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    /// What the compiler said of the last program.
    pub(super) fn log(&self) -> String {
        self.log.borrow().clone()
    }

    fn answer(&self, call: &'static str, code: u32) -> Answer {
        if code == 0 {
            return Ok(());
        }
        Err(Refusal::Code { call, code, words: self.words(code) })
    }

    /// The library's name and description of a code.
    fn words(&self, code: u32) -> String {
        let ask = |function: Option<unsafe extern "C" fn(u32, *mut *const c_char) -> u32>| {
            let mut text: *const c_char = null();
            // SAFETY: `text` is a valid place. On success it points to a constant string of the library, or is null.
            let text = unsafe {
                match function?(code, &mut text) {
                    0 if !text.is_null() => CStr::from_ptr(text),
                    _ => return None,
                }
            };
            Some(text.to_string_lossy().into_owned())
        };
        let found = [ask(self.table.cuGetErrorName), ask(self.table.cuGetErrorString)];
        found.into_iter().flatten().collect::<Vec<_>>().join(": ")
    }

    /// Compiles and loads a program. [`Driver::log`] then has what the compiler said.
    pub(super) fn load(&self, text: &str, level: Option<u8>) -> Answer<Module> {
        let image =
            CString::new(text).map_err(|_| Refusal::Nonsense("the program holds a zero byte".into()))?;
        let mut options = JitOptions::new(level);
        let mut module: CUmodule = null_mut();
        // SAFETY: `module` is a valid place; the image ends with a zero byte; the options live through the call.
        let loaded = unsafe {
            call!(self.cuModuleLoadDataEx(
                &mut module,
                image.as_ptr().cast(),
                options.count(),
                options.keys.as_mut_ptr(),
                options.values.as_mut_ptr()
            ))
        };
        *self.log.borrow_mut() = options.said();
        loaded?;
        loaded_module(module)
    }

    /// Compiles a program as one that is to be linked, links it alone, and loads what that gives. [`Driver::log`] then has what
    /// compiler and linker said.
    pub(super) fn link(&self, text: &str, level: Option<u8>) -> Answer<Module> {
        let input =
            CString::new(text).map_err(|_| Refusal::Nonsense("the program holds a zero byte".into()))?;
        let mut options = JitOptions::new(level);
        let mut state: CUlinkState = null_mut();
        // SAFETY: `state` is a valid place; the options live until the link is destroyed below.
        unsafe {
            call!(self.cuLinkCreate_v2(
                options.count(),
                options.keys.as_mut_ptr(),
                options.values.as_mut_ptr(),
                &mut state
            ))
        }?;
        let linked = self.linked(state, &input);
        // SAFETY: the link was begun above; what it gave is loaded by now, and nothing else refers to it.
        let ended = unsafe { call!(self.cuLinkDestroy(state)) };
        *self.log.borrow_mut() = options.said();
        let module = linked?;
        ended?;
        loaded_module(module)
    }

    /// The module that a link of one program gives.
    fn linked(&self, state: CUlinkState, input: &CStr) -> Answer<CUmodule> {
        let bytes = input.to_bytes_with_nul();
        // SAFETY: the link was begun; the program has that many bytes with the zero at its end, and no options of its own.
        unsafe {
            call!(self.cuLinkAddData_v2(
                state,
                JIT_INPUT_PTX,
                bytes.as_ptr().cast(),
                bytes.len(),
                c"program".as_ptr(),
                0,
                null_mut(),
                null_mut()
            ))
        }?;
        let (mut image, mut size) = (null(), 0);
        // SAFETY: both places are valid.
        unsafe { call!(self.cuLinkComplete(state, &mut image, &mut size)) }?;
        let mut module: CUmodule = null_mut();
        // SAFETY: `module` is a valid place; the image is the library's own, and lives until the link is destroyed. No options.
        unsafe { call!(self.cuModuleLoadDataEx(&mut module, image, 0, null_mut(), null_mut())) }?;
        Ok(module)
    }

    /// Unloads a module. Kernels of it must not be launched any more.
    pub(super) fn unload(&self, module: Module) -> Answer {
        // SAFETY: the module was loaded by this driver. A stale kernel of it is the library's to refuse.
        unsafe { call!(self.cuModuleUnload(module.0)) }
    }

    /// A kernel whose parameters have these sizes.
    pub(super) fn kernel(&self, module: Module, name: &str, parameters: Vec<usize>) -> Answer<Kernel> {
        let name = c_name(name)?;
        let mut function: CUfunction = null_mut();
        // SAFETY: `function` is a valid place, the module is loaded, and the name ends with a zero byte.
        unsafe { call!(self.cuModuleGetFunction(&mut function, module.0, name.as_ptr())) }?;
        Ok(Kernel { function, parameters })
    }

    /// Address and size of a variable.
    pub(super) fn variable(&self, module: Module, name: &str) -> Answer<(DevicePointer, usize)> {
        let name = c_name(name)?;
        let (mut address, mut size) = (0, 0);
        // SAFETY: both places are valid, the module is loaded, and the name ends with a zero byte.
        unsafe { call!(self.cuModuleGetGlobal_v2(&mut address, &mut size, module.0, name.as_ptr())) }?;
        Ok((address, size))
    }

    /// Binds a module-scope `.surfref` to an array.
    pub(super) fn bind(&self, module: Module, name: &str, array: Array) -> Answer {
        let name = c_name(name)?;
        let mut reference: CUsurfref = null_mut();
        // SAFETY: `reference` is a valid place, the module is loaded, and the name ends with a zero byte.
        unsafe { call!(self.cuModuleGetSurfRef(&mut reference, module.0, name.as_ptr())) }?;
        // SAFETY: the reference was just given, the array was made by this driver, and the flags must be 0.
        unsafe { call!(self.cuSurfRefSetArray(reference, array.handle, 0)) }
    }

    /// Lets a kernel have so many bytes of dynamic shared memory, beyond what every kernel may have.
    pub(super) fn allow_shared(&self, kernel: &Kernel, bytes: u32) -> Answer {
        let bytes = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        // SAFETY: the function was given by this driver; the rest are numbers.
        unsafe { call!(self.cuFuncSetAttribute(kernel.function, FUNCTION_MAX_DYNAMIC_SHARED, bytes)) }
    }

    /// Allocates device memory, aligned to at least 256 bytes.
    pub(super) fn allocate(&self, bytes: usize) -> Answer<DevicePointer> {
        let mut address: CUdeviceptr = 0;
        // SAFETY: `address` is a valid place.
        unsafe { call!(self.cuMemAlloc_v2(&mut address, bytes)) }?;
        Ok(address)
    }

    /// Frees what [`Driver::allocate`] gave.
    pub(super) fn free(&self, address: DevicePointer) -> Answer {
        // SAFETY: device memory cannot be reached from here but by calls, which the library checks.
        unsafe { call!(self.cuMemFree_v2(address)) }
    }

    /// Allocates memory of the host that the device works on in place.
    pub(super) fn map(&self, bytes: usize) -> Answer<Mapped> {
        let mut host: *mut c_void = null_mut();
        // SAFETY: `host` is a valid place; the rest are numbers.
        unsafe { call!(self.cuMemHostAlloc(&mut host, bytes, HOST_ALLOC_DEVICE_MAP)) }?;
        if host.is_null() {
            return Err(Refusal::Nonsense("cuMemHostAlloc succeeded without memory".into()));
        }
        let mut mapped = Mapped { host: host.cast(), bytes, device: 0 };
        // SAFETY: the place is valid, and the memory was just allocated.
        let found = unsafe { call!(self.cuMemHostGetDevicePointer_v2(&mut mapped.device, host, 0)) };
        match found {
            Ok(()) => Ok(mapped),
            Err(refusal) => {
                let _ = self.unmap(&mapped);
                Err(refusal)
            }
        }
    }

    /// Frees what [`Driver::map`] gave, which must not be used any more.
    pub(super) fn unmap(&self, mapped: &Mapped) -> Answer {
        // SAFETY: the memory was given by `cuMemHostAlloc`, and `Mapped` lends nothing out of it.
        unsafe { call!(self.cuMemFreeHost(mapped.host.cast())) }
    }

    /// Writes device memory.
    pub(super) fn upload(&self, address: DevicePointer, bytes: &[u8]) -> Answer {
        // SAFETY: the slice is readable for its length; the address is the library's to check.
        unsafe { call!(self.cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len())) }
    }

    /// Reads device memory.
    pub(super) fn download(&self, address: DevicePointer, bytes: usize) -> Answer<Vec<u8>> {
        let mut read = vec![0u8; bytes];
        // SAFETY: the vector is writable for its length; the address is the library's to check.
        unsafe { call!(self.cuMemcpyDtoH_v2(read.as_mut_ptr().cast(), address, bytes)) }?;
        Ok(read)
    }

    /// The memory of a `.managed` variable of a module, of so many bytes, as the host reaches it.
    pub(super) fn managed(&self, module: Module, name: &str, bytes: usize) -> Answer<Managed> {
        let (address, size) = self.variable(module, name)?;
        if size != bytes {
            return Err(Refusal::of_size(name, size));
        }
        if address == 0 {
            return Err(Refusal::Nonsense(format!("cuModuleGetGlobal gives `{name}` no address")));
        }
        Ok(Managed { host: address as *mut u8, bytes })
    }

    /// Makes an array of a surface's shape and format, without contents.
    pub(super) fn array(&self, surface: &Surface) -> Answer<Array> {
        let (mut array, descriptor) = Array::of(surface);
        // SAFETY: the place is valid, and the descriptor lives through the call.
        unsafe { call!(self.cuArray3DCreate_v2(&mut array.handle, &descriptor)) }?;
        Ok(array)
    }

    /// An array of the same shape without the flag that surfaces want.
    pub(super) fn array_without_stores(&self, surface: &Surface) -> Answer<Array> {
        let (mut array, described) = Array::of(surface);
        let descriptor =
            CUDA_ARRAY3D_DESCRIPTOR { Flags: described.Flags & !ARRAY3D_SURFACE_LDST, ..described };
        // SAFETY: the place is valid, and the descriptor lives through the call.
        unsafe { call!(self.cuArray3DCreate_v2(&mut array.handle, &descriptor)) }?;
        Ok(array)
    }

    /// Destroys an array.
    pub(super) fn destroy(&self, array: Array) -> Answer {
        // SAFETY: the array was made by this driver.
        unsafe { call!(self.cuArrayDestroy(array.handle)) }
    }

    /// Fills an array with packed texels.
    pub(super) fn fill(&self, array: Array, texels: &[u8]) -> Answer {
        let size = array.size();
        if texels.len() != size {
            return Err(Refusal::Nonsense(format!("a surface of {size} bytes is given {}", texels.len())));
        }
        let copy = CUDA_MEMCPY3D { srcHost: texels.as_ptr().cast(), ..array.copy(true) };
        // SAFETY: the descriptor lives through the call; the texels are as many as it says, as was just checked.
        unsafe { call!(self.cuMemcpy3D_v2(&copy)) }
    }

    /// The packed texels of an array.
    pub(super) fn texels(&self, array: Array) -> Answer<Vec<u8>> {
        let mut texels = vec![0u8; array.size()];
        let copy = CUDA_MEMCPY3D { dstHost: texels.as_mut_ptr().cast(), ..array.copy(false) };
        // SAFETY: the descriptor lives through the call; the vector has room for as many texels as it says.
        unsafe { call!(self.cuMemcpy3D_v2(&copy)) }?;
        Ok(texels)
    }

    /// Makes a surface object of an array: the bindless handle.
    pub(super) fn surface(&self, array: Array) -> Answer<u64> {
        let descriptor = resource(array);
        let mut surface: CUsurfObject = 0;
        // SAFETY: `surface` is a valid place, and the descriptor, of an array of this driver, lives through the call.
        unsafe { call!(self.cuSurfObjectCreate(&mut surface, &descriptor)) }?;
        Ok(surface)
    }

    /// Makes a texture object of an array: the bindless handle.
    pub(super) fn texture(&self, array: Array, sampler: &Sampler) -> Answer<u64> {
        let (descriptor, sampler) = (resource(array), texture::descriptor(sampler));
        let mut texture: CUtexObject = 0;
        // SAFETY: `texture` is a valid place; both descriptors live through the call, and a view may be left out.
        unsafe { call!(self.cuTexObjectCreate(&mut texture, &descriptor, &sampler, null())) }?;
        Ok(texture)
    }

    /// Destroys a texture object.
    pub(super) fn destroy_texture(&self, texture: u64) -> Answer {
        // SAFETY: a handle is a number, which the library checks.
        unsafe { call!(self.cuTexObjectDestroy(texture)) }
    }

    /// Binds a module-scope `.texref` to an array, with a sampler.
    pub(super) fn bind_texture(&self, module: Module, name: &str, array: Array, sampler: &Sampler) -> Answer {
        let name = c_name(name)?;
        let described = texture::descriptor(sampler);
        let mut reference: CUtexref = null_mut();
        // SAFETY: `reference` is a valid place, the module is loaded, and the name ends with a zero byte.
        unsafe { call!(self.cuModuleGetTexRef(&mut reference, module.0, name.as_ptr())) }?;
        // What a reference is set to holds from the next time that it is bound, so the array comes last.
        for (dimension, mode) in (0..).zip(described.addressMode) {
            // SAFETY: the reference was just given; numbers the library checks.
            unsafe { call!(self.cuTexRefSetAddressMode(reference, dimension, mode as c_uint)) }?;
        }
        // SAFETY: as above.
        unsafe { call!(self.cuTexRefSetFilterMode(reference, described.filterMode as c_uint)) }?;
        // SAFETY: as above.
        unsafe { call!(self.cuTexRefSetFlags(reference, described.flags)) }?;
        // A reference of a module that stays keeps the colour of an earlier launch: it is set wherever it can be seen.
        if sampler.address.contains(&AddressMode::Border) {
            let mut border = described.borderColor;
            // SAFETY: as above; there are the four floats that it reads.
            unsafe { call!(self.cuTexRefSetBorderColor(reference, border.as_mut_ptr())) }?;
        }
        // SAFETY: as above, and the array was made by this driver.
        unsafe { call!(self.cuTexRefSetArray(reference, array.handle, texture::OVERRIDE_FORMAT)) }
    }

    /// Destroys a surface object.
    pub(super) fn destroy_surface(&self, surface: u64) -> Answer {
        // SAFETY: a handle is a number, which the library checks.
        unsafe { call!(self.cuSurfObjectDestroy(surface)) }
    }

    /// Lets launches take so many thread-instructions, where instructions are counted: by our own library, unless its user has
    /// said so himself.
    pub(super) fn allow_steps(&self, steps: u64) {
        if !self.device.is_emulated() || self.steps_are_set {
            return;
        }
        // SAFETY: no other thread reads or writes the environment: a worker has one thread, and our library starts none.
        unsafe { std::env::set_var(STEP_BUDGET, steps.to_string()) };
    }

    /// Launches a kernel; it may still run when this returns.
    pub(super) fn launch(&self, kernel: &Kernel, shape: Shape, arguments: &mut [Vec<u8>]) -> Answer {
        let given = arguments.iter().map(Vec::len);
        if !given.eq(kernel.parameters.iter().copied()) {
            return Err(Refusal::Nonsense("the arguments do not fit the parameters".into()));
        }
        let mut pointers: Vec<*mut c_void> = arguments.iter_mut().map(|a| a.as_mut_ptr().cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
        // SAFETY: the function was given by this driver. There is a pointer for each parameter, to as many bytes as the
        // parameter has, which the library copies before it returns.
        unsafe {
            call!(self.cuLaunchKernel(
                kernel.function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                shape.shared,
                null_mut(),
                pointers.as_mut_ptr(),
                null_mut()
            ))
        }
    }

    /// Waits until everything has run.
    pub(super) fn synchronize(&self) -> Answer {
        // SAFETY: it takes nothing.
        unsafe { call!(self.cuCtxSynchronize()) }
    }
}

/// Options of the driver's compiler: where it writes its logs, and how much it optimises.
struct JitOptions {
    keys: Vec<c_uint>,
    /// For each key a number, or a buffer below.
    values: Vec<*mut c_void>,
    info: Box<[u8; LOG]>,
    error: Box<[u8; LOG]>,
}

impl JitOptions {
    fn new(level: Option<u8>) -> Self {
        let (mut info, mut error) = (Box::new([0; LOG]), Box::new([0; LOG]));
        let mut keys = vec![
            JIT_INFO_LOG_BUFFER,
            JIT_INFO_LOG_BUFFER_SIZE,
            JIT_ERROR_LOG_BUFFER,
            JIT_ERROR_LOG_BUFFER_SIZE,
        ];
        // The last byte of a log is never the library's, so that there is always an end.
        let room = (LOG - 1) as *mut c_void;
        let mut values = vec![info.as_mut_ptr().cast(), room, error.as_mut_ptr().cast(), room];
        if let Some(level) = level {
            keys.push(JIT_OPTIMIZATION_LEVEL);
            values.push(usize::from(level) as *mut c_void);
        }
        Self { keys, values, info, error }
    }

    fn count(&self) -> c_uint {
        self.keys.len() as c_uint
    }

    /// What stands in the logs, errors first.
    fn said(&self) -> String {
        let text = |log: &[u8]| {
            let text = CStr::from_bytes_until_nul(log).map(|text| text.to_string_lossy().trim().to_string());
            text.unwrap_or_default()
        };
        let logs = [text(&self.error[..]), text(&self.info[..])];
        logs.into_iter().filter(|log| !log.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

fn loaded_module(module: CUmodule) -> Answer<Module> {
    match module.is_null() {
        true => Err(Refusal::Nonsense("the library loaded a program without giving a module".into())),
        false => Ok(Module(module)),
    }
}

impl Mapped {
    /// Writes the beginning of it. Nothing may run on the device.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let count = bytes.len().min(self.bytes);
        // SAFETY: there are that many bytes at both, and memory of the library does not overlap with the slice.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.host, count) };
    }

    /// A copy of all of it. Nothing may run on the device.
    pub(super) fn read(&self) -> Vec<u8> {
        // SAFETY: the memory has that many bytes, all of which `cuMemHostAlloc` or a kernel has written, and nobody writes
        // while the device is idle.
        unsafe { std::slice::from_raw_parts(self.host, self.bytes) }.to_vec()
    }
}

impl Managed {
    /// Writes all of it. Nothing may run on the device.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let count = bytes.len().min(self.bytes);
        // SAFETY: the library says that the variable has that many bytes; memory of the library does not overlap with the slice.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.host, count) };
    }

    /// A copy of all of it. Nothing may run on the device.
    pub(super) fn read(&self) -> Vec<u8> {
        // SAFETY: as above. All of it was initialised when the module was loaded, and nobody writes while the device is idle.
        unsafe { std::slice::from_raw_parts(self.host, self.bytes) }.to_vec()
    }
}

/// The first of the installed libraries that can be opened, or why none of them can.
fn installed() -> Result<Library, String> {
    let mut tried: Vec<(String, String)> = Vec::new();
    for name in INSTALLED {
        match open(Path::new(name)) {
            Ok(library) => return Ok(library),
            // Most often neither is there, which need not be said twice.
            Err(why) => match tried.iter_mut().find(|(_, known)| *known == why) {
                Some((names, _)) => *names += &format!(" or {name}"),
                None => tried.push((name.into(), why)),
            },
        }
    }
    let tried: Vec<_> = tried.iter().map(|(names, why)| format!("cannot open {names}: {why}")).collect();
    Err(format!("no CUDA driver: {}", tried.join("; ")))
}

fn library(path: &Path) -> Result<Library, String> {
    open(path).map_err(|why| format!("cannot open {}: {why}", path.display()))
}

/// Opens a library, or says why that is not possible, without the path that was given.
fn open(path: &Path) -> Result<Library, String> {
    // SAFETY: opening a library runs its initialisers. Whoever names a library wants it run; and this is a process of its
    // own, in which nothing else is going on.
    unsafe { Library::new(path) }.map_err(|error| {
        // The error itself says only that opening failed; why, says its source.
        let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        // The loader begins with the path that it was given, unless it found a file of that name elsewhere.
        let own = format!("{}: ", path.display());
        why.strip_prefix(&own).map(str::to_owned).unwrap_or(why)
    })
}

fn c_name(name: &str) -> Answer<CString> {
    CString::new(name).map_err(|_| Refusal::Nonsense("a name holds a zero byte".into()))
}

/// Takes the standard output for the protocol alone: what the library, or a kernel through `vprintf`, writes there from now
/// on goes to the standard error.
///
/// # Errors
/// If descriptors cannot be duplicated.
pub(super) fn claim_output() -> io::Result<File> {
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both are the standard descriptors of this process; nothing of Rust's owns them.
    if unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(output))
}

/// An array as what a surface or texture object is made of.
fn resource(array: Array) -> CUDA_RESOURCE_DESC {
    let nothing = CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 { reserved: [0; 32] };
    // The whole union is zero first: a library may look at all of it.
    let mut resource = CUDA_RESOURCE_DESC_st__bindgen_ty_1 { reserved: nothing };
    resource.array = CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: array.handle };
    CUDA_RESOURCE_DESC { resType: CUresourcetype::CU_RESOURCE_TYPE_ARRAY, res: resource, flags: 0 }
}
