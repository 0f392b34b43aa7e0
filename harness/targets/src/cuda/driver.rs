//! The driver library: opened from a path, called through a function table.
//!
//! Only the types of the cudarc crate are used. Its functions panic where a symbol is missing, and return results as a closed enum,
//! so that an unknown code from a newer driver or a drop-in is undefined behaviour. Here results are numbers, and a missing
//! function is an error.
//!
//! All unsafe code of this target is in this file and in its folder:
//! * [`module`] – programs, from text to kernels.
//! * [`memory`] – memory of the device and of the host.
//! * [`image`] – arrays, surface and texture objects.
//! * [`output`] – keeps what the library prints out of the protocol.

use std::cell::RefCell;
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

use cudarc::driver::sys::{
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUarray, CUcontext,
    CUdevice, CUdeviceptr, CUfunction, CUlinkState, CUmodule, CUstream, CUsurfObject, CUsurfref, CUtexObject,
    CUtexref,
};
use libloading::Library;

use super::result::Refusal;

/// Names of the installed library, the one that comes with the driver first: the other may be the toolkit's stub.
const INSTALLED: [&str; 2] = ["libcuda.so.1", "libcuda.so"];
/// Environment variable with the step budget of a launch in thread-instructions, read by our own driver library.
const STEP_BUDGET: &str = "WARPDIFF_CUDA_STEP_BUDGET";

// From cuda.h, where they are macros, or members of enums that are passed as integers here.
const ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: c_int = 75;
const ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: c_int = 76;
const ATTRIBUTE_KERNEL_EXEC_TIMEOUT: c_int = 17;
const ATTRIBUTE_CAN_MAP_HOST_MEMORY: c_int = 19;
const ATTRIBUTE_COMPUTE_MODE: c_int = 20;
const ATTRIBUTE_MANAGED_MEMORY: c_int = 83;

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
    // Of our own library.
    warpdiffFreshDriver();
}

/// Calls a function of the table. Unsafe: the call site guarantees that the arguments are valid.
macro_rules! call {
    ($driver:ident.$name:ident($($argument:expr),* $(,)?)) => {
        match $driver.table.$name {
            None => Err(Refusal::Missing(stringify!($name))),
            Some(function) => $driver.answer(stringify!($name), function($($argument),*)),
        }
    };
}

mod image;
mod memory;
mod module;
pub(crate) mod output;

pub(super) use memory::Mapped;

type CallResult<T = ()> = Result<T, Refusal>;

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

/// Properties of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Device {
    /// Its name: "NVIDIA H200".
    pub(super) name: String,
    /// PCI bus id, as `0000:65:00.0`; empty if unknown.
    pub(super) bus: String,
    /// Compute capability: 90.
    pub(super) capability: u32,
    /// Whether a watchdog stops long kernels, as on a device that drives a display.
    pub(super) watchdog: bool,
    /// Whether it can map host memory.
    pub(super) maps_host: bool,
    /// Whether it has managed memory, which has the same address on host and device.
    pub(super) manages: bool,
    /// `CUcomputemode`: 0 for any number of processes, 3 for one process.
    pub(super) compute_mode: u32,
}

impl Device {
    /// Whether it is the device of our own driver library, which is not hardware.
    pub(super) fn is_emulated(&self) -> bool {
        self.name == "warpdiff reference emulator"
    }
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
    /// CUDA version of the driver: 12090 is 12.9.
    version: u32,
    device: Device,
    /// The number of the device.
    ordinal: u32,
    /// Whether the user has set [`STEP_BUDGET`].
    steps_are_set: bool,
    /// Compiler log of the last program.
    log: RefCell<String>,
    /// Kept open as long as the table is used; last, so that it is dropped last.
    _library: Library,
}

impl Driver {
    /// Opens a library, or the installed one, and makes a context on a device current.
    ///
    /// # Errors
    /// Why there is no library, device or context, as a lowercase fragment.
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
            ordinal,
            steps_are_set: std::env::var_os(STEP_BUDGET).is_some(),
            log: RefCell::default(),
            _library: library,
        };
        let reason = |refusal: Refusal| match refusal {
            Refusal::Missing(name) => {
                format!("the library has no function {name}: it is not a CUDA driver, or it is too old")
            }
            Refusal::Code { call: "cuInit", .. } => format!("no usable device: {refusal}"),
            refusal => refusal.to_string(),
        };
        driver.begin(ordinal).map_err(reason)?;
        Ok(driver)
    }

    fn begin(&mut self, ordinal: u32) -> CallResult {
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
        self.retain(device)?;
        self.is_whole()
    }

    /// Makes the primary context of a device that the library named current.
    fn retain(&self, device: CUdevice) -> CallResult {
        let mut context: CUcontext = null_mut();
        // SAFETY: `context` is a valid place, and the device is one that the library named.
        unsafe { call!(self.cuDevicePrimaryCtxRetain(&mut context, device)) }?;
        // SAFETY: the context was just retained, and is never released: it lives as long as the process.
        unsafe { call!(self.cuCtxSetCurrent(context)) }
    }

    /// After a fault: has our own library begin afresh, as in a new process, and makes a context current. Refused where hardware is,
    /// or what poses as hardware: there only a new process is known to be sound.
    pub(super) fn begin_afresh(&self) -> CallResult {
        if !self.device.is_emulated() {
            return Err(Refusal::Missing("warpdiffFreshDriver"));
        }
        // SAFETY: it takes nothing. The caller does not use objects of the library any more.
        unsafe { call!(self.warpdiffFreshDriver()) }?;
        let mut device: CUdevice = 0;
        // SAFETY: `device` is a valid place; the library had a device of this number before.
        unsafe { call!(self.cuDeviceGet(&mut device, self.ordinal as c_int)) }?;
        self.retain(device)
    }

    /// Makes a new context of the device current, which lives as long as the process.
    pub(super) fn new_context(&self, ordinal: u32) -> CallResult {
        let mut device: CUdevice = 0;
        // SAFETY: `device` is a valid place; an ordinal that is too large is the library's to refuse.
        unsafe { call!(self.cuDeviceGet(&mut device, ordinal as c_int)) }?;
        let mut context: CUcontext = null_mut();
        // SAFETY: `context` is a valid place, the device is one that the library named, and 0 are the usual flags. The new
        // context is current from then on.
        unsafe { call!(self.cuCtxCreate_v2(&mut context, 0, device)) }
    }

    /// Resets the primary context of the device and makes it current again. Its modules and memory are gone.
    pub(super) fn reset(&self, ordinal: u32) -> CallResult {
        let mut device: CUdevice = 0;
        // SAFETY: as for a new context.
        unsafe { call!(self.cuDeviceGet(&mut device, ordinal as c_int)) }?;
        // SAFETY: the device is one that the library named. The caller does not use objects of the context any more.
        unsafe { call!(self.cuDevicePrimaryCtxReset_v2(device)) }?;
        self.retain(device)
    }

    /// Checks for the functions without which no kernel can run.
    fn is_whole(&self) -> CallResult {
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

    fn describe(&self, device: CUdevice) -> CallResult<Device> {
        let attribute = |attribute: c_int| {
            self.number(|driver, out| {
                // SAFETY: `out` is a valid pointer to an int; attribute and device are plain numbers.
                unsafe { call!(driver.cuDeviceGetAttribute(out, attribute, device)) }
            })
        };
        let capability = 10 * attribute(ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?
            + attribute(ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        // A library without the attribute does not have the feature either.
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

    /// A number that a function of the library writes.
    fn number(&self, ask: impl Fn(&Self, *mut c_int) -> CallResult) -> CallResult<u32> {
        let mut value: c_int = 0;
        ask(self, &mut value)?;
        u32::try_from(value)
            .map_err(|_| Refusal::Nonsense(format!("the library returned {value}, expected a count")))
    }

    /// The CUDA version of the driver: 12090 is 12.9.
    pub(super) fn version(&self) -> u32 {
        self.version
    }

    /// The device.
    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    /// Compiler log of the last program.
    pub(super) fn log(&self) -> String {
        self.log.borrow().clone()
    }

    fn answer(&self, call: &'static str, code: u32) -> CallResult {
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

    /// Sets the step budget of launches in our own library, unless the user has set it. Other libraries have none.
    pub(super) fn allow_steps(&self, steps: u64) {
        if !self.device.is_emulated() || self.steps_are_set {
            return;
        }
        // SAFETY: no other thread reads or writes the environment: a worker has one thread, and our library starts none.
        unsafe { std::env::set_var(STEP_BUDGET, steps.to_string()) };
    }

    /// Launches a kernel; does not wait for its end.
    pub(super) fn launch(&self, kernel: &Kernel, shape: Shape, arguments: &mut [Vec<u8>]) -> CallResult {
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

    /// Waits for the end of all launches.
    pub(super) fn synchronize(&self) -> CallResult {
        // SAFETY: it takes nothing.
        unsafe { call!(self.cuCtxSynchronize()) }
    }
}

/// The first of the installed libraries that can be opened, or why none of them can.
fn installed() -> Result<Library, String> {
    let mut tried: Vec<(String, String)> = Vec::new();
    for name in INSTALLED {
        match open(Path::new(name)) {
            Ok(library) => return Ok(library),
            // Usually neither exists: one message for both.
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

/// Opens a library, or returns the reason why not, without the path.
fn open(path: &Path) -> Result<Library, String> {
    // SAFETY: opening a library runs its initialisers. The user named the library to have it run; and this is a process of its
    // own, in which nothing else is going on.
    unsafe { Library::new(path) }.map_err(|error| {
        // The error itself says only that opening failed; why, says its source.
        let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        // The loader's message begins with the given path, unless it found a file of that name elsewhere.
        let own = format!("{}: ", path.display());
        why.strip_prefix(&own).map(str::to_owned).unwrap_or(why)
    })
}
