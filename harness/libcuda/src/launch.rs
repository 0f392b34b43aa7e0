//! `cuLaunchKernel`: checks a launch, runs it, and keeps the errors of a context that faulted.

use std::borrow::Cow;
use std::ffi::c_void;
use std::io::Write;
use std::sync::{Arc, OnceLock};

use warpdiff_emulator::Printed;
use warpdiff_emulator::device::{BoundTexture, Ending, Launched};
use warpdiff_model::{Argument, Deviation, Fault, FaultClass, Launch, Semantics};
use warpdiff_ptx::vocabulary::Type;

use crate::abi::{Handle, LaunchAttribute, LaunchConfig};
use crate::boundary::{current, entries};
use crate::device::{BLOCK_THREADS, SHARED_OPT_IN};
use crate::driver::{ContextId, Driver};
use crate::module::kernel;
use crate::pointer::{In, element, host_bytes};
use crate::remark::{report, say, unsupported};
use crate::result::{self, CallResult};

/// `CU_LAUNCH_PARAM_END`, `CU_LAUNCH_PARAM_BUFFER_POINTER` and `CU_LAUNCH_PARAM_BUFFER_SIZE`, as pointers.
const PARAM_END: usize = 0;
const PARAM_BUFFER: usize = 1;
const PARAM_SIZE: usize = 2;
/// Bytes of the handle of an object.
const HANDLE: usize = 8;

/// Thread-instructions after which a launch has timed out, unless `WARPDIFF_CUDA_STEP_BUDGET` says otherwise.
const STEP_BUDGET: u64 = 1 << 30;

/// The shape of a launch.
struct Geometry {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
}

/// The result code for a fault. CUDA documents 700 and 714 to 718 by these names, and 710 for
/// `assert`; `trap` and the traps of surface accesses have none of their own and are unspecified launch failures.
fn code(class: FaultClass) -> u32 {
    match class {
        FaultClass::OutOfBounds => result::ERROR_ILLEGAL_ADDRESS,
        FaultClass::Misaligned => result::ERROR_MISALIGNED_ADDRESS,
        FaultClass::InvalidSpace => result::ERROR_INVALID_ADDRESS_SPACE,
        FaultClass::IllegalInstruction => result::ERROR_ILLEGAL_INSTRUCTION,
        FaultClass::StackOverflow => result::ERROR_HARDWARE_STACK_ERROR,
        FaultClass::Assert => result::ERROR_ASSERT,
        FaultClass::Trap | FaultClass::SurfaceTrap | FaultClass::InvalidHandle | FaultClass::Unspecified => {
            result::ERROR_LAUNCH_FAILED
        }
    }
}

/// The arguments of a launch, from an array of pointers to them.
///
/// # Safety
/// `pointers` is null, or has for each parameter of the kernel a pointer to as many bytes as the parameter has, or to a handle.
unsafe fn arguments(
    driver: &Driver,
    function: Handle,
    pointers: *mut *mut c_void,
) -> CallResult<Vec<Argument>> {
    let parameters = &kernel(driver, function)?.parameters;
    let mut arguments = Vec::with_capacity(parameters.len());
    for (n, parameter) in parameters.iter().enumerate() {
        // SAFETY: there is a pointer for parameter `n`, as the caller says.
        let pointer = unsafe { element(pointers, n) }?.cast::<u8>();
        arguments.push(if parameter.ty.is_opaque() {
            // An opaque parameter has no bytes; the argument is the handle of an object to bind to it.
            // SAFETY: the pointer is one to a handle, as the caller says.
            opaque(driver, parameter.ty, unsafe { element(pointer.cast::<u64>(), 0) }?)?
        } else {
            // SAFETY: the pointer is one to the bytes of the parameter, as the caller says.
            Argument::Value(unsafe { host_bytes(pointer, parameter.size as usize) }?)
        });
    }
    Ok(arguments)
}

fn opaque(driver: &Driver, ty: Type, handle: u64) -> CallResult<Argument> {
    if ty == Type::Surfref {
        let index = driver.device.array_of(handle).ok_or(result::ERROR_INVALID_HANDLE)?;
        return Ok(Argument::SurfaceReference { index });
    }
    let index = driver.device.texture_index(handle).ok_or(result::ERROR_INVALID_HANDLE)?;
    match ty {
        Type::Samplerref => Ok(Argument::SamplerReference { index }),
        _ => Ok(Argument::TextureReference { index }),
    }
}

/// The arguments of a launch, from `extra`: a buffer laid out as the parameters are. Those of opaque type have no bytes among them;
/// their handles, of eight bytes each, follow behind the others in the order of the parameters.
///
/// # Safety
/// `extra` is null, or a list of pairs that ends with `CU_LAUNCH_PARAM_END`: of `CU_LAUNCH_PARAM_BUFFER_POINTER` and a buffer, and
/// of `CU_LAUNCH_PARAM_BUFFER_SIZE` and a pointer to the number of its bytes.
unsafe fn packed_arguments(
    driver: &Driver,
    function: Handle,
    extra: *mut *mut c_void,
) -> CallResult<Vec<Argument>> {
    let (mut buffer, mut size) = (std::ptr::null::<u8>(), 0usize);
    for n in (0..).step_by(2) {
        // SAFETY: no key before this one was the end, so the list has another.
        let key = unsafe { element(extra, n) }? as usize;
        if key == PARAM_END {
            break;
        }
        // SAFETY: a key that is not the end has a value.
        let value = unsafe { element(extra, n + 1) }?;
        match key {
            PARAM_BUFFER => buffer = value.cast(),
            // SAFETY: the value of this key is a pointer to a size, as the caller says.
            PARAM_SIZE => size = unsafe { element(value.cast::<usize>(), 0) }?,
            _ => return Err(result::ERROR_INVALID_VALUE),
        }
    }
    // SAFETY: the buffer has as many bytes as the list says.
    let bytes = unsafe { host_bytes(buffer, size) }?;
    let parameters = &kernel(driver, function)?.parameters;
    let plain = parameters.iter().filter(|parameter| !parameter.ty.is_opaque());
    let end = plain.map(|parameter| parameter.offset + parameter.size).max().unwrap_or(0);
    let mut next = (end as usize).next_multiple_of(HANDLE);
    let part = |start: usize, size: usize| {
        bytes.get(start..start.saturating_add(size)).ok_or(result::ERROR_INVALID_VALUE)
    };
    let mut value = |parameter: &warpdiff_ptx::checked::Parameter| {
        if !parameter.ty.is_opaque() {
            let slice = part(parameter.offset as usize, parameter.size as usize)?;
            return Ok(Argument::Value(slice.to_vec()));
        }
        let start = next;
        next += HANDLE;
        let handle = part(start, HANDLE)?.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
        opaque(driver, parameter.ty, handle)
    };
    parameters.iter().map(&mut value).collect()
}

/// Checks the limits of a launch that have their own result codes.
fn check(driver: &Driver, function: Handle, geometry: &Geometry) -> CallResult {
    let kernel = kernel(driver, function)?;
    let state = driver.function(function)?;
    let Geometry { grid, block, shared } = geometry;
    let threads = block.iter().map(|n| u64::from(*n)).product::<u64>();
    let zero = grid.contains(&0) || block.contains(&0);
    if zero || threads > u64::from(BLOCK_THREADS) || block[2] > 64 || *shared > state.dynamic_limit {
        return Err(result::ERROR_INVALID_VALUE);
    }
    if grid[0] > i32::MAX as u32 || grid[1] > 65535 || grid[2] > 65535 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    let fixed = driver.module(state.module as Handle)?.loaded.static_shared();
    if fixed.saturating_add(*shared) > SHARED_OPT_IN {
        return Err(result::ERROR_LAUNCH_OUT_OF_RESOURCES);
    }
    let most = kernel.max_threads.map(|most| most.iter().map(|n| u64::from(*n)).product::<u64>());
    let required = kernel.required_threads.is_some_and(|required| required != *block);
    if required || most.is_some_and(|most| threads > most) {
        return Err(result::ERROR_INVALID_VALUE);
    }
    Ok(())
}

fn step_budget() -> u64 {
    let Ok(value) = std::env::var("WARPDIFF_CUDA_STEP_BUDGET") else { return STEP_BUDGET };
    value.parse().unwrap_or_else(|_| {
        report(&format!(
            "WARPDIFF_CUDA_STEP_BUDGET={value} is ignored: expected a number of thread-instructions"
        ));
        STEP_BUDGET
    })
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == "1")
}

/// The texture bound to each texture variable of a module.
fn bound_textures(driver: &Driver, module: &crate::driver::Module) -> Vec<Option<BoundTexture>> {
    let bound = |name: &String| {
        let reference = driver.texture_reference(*module.texture_references.get(name)? as Handle).ok()?;
        let array = driver.array(reference.array? as Handle).ok()?.number;
        Some(BoundTexture { array, sampler: reference.sampler })
    };
    module.texture_names.iter().map(bound).collect()
}

/// Runs a kernel. Its error is sticky; the next call returns it, as after an asynchronous launch. With `CUDA_LAUNCH_BLOCKING=1`
/// this call returns it.
fn run(
    driver: &mut Driver,
    context: ContextId,
    function: Handle,
    geometry: Geometry,
    arguments: Vec<Argument>,
) -> CallResult {
    let state = driver.function(function)?;
    let entry = kernel(driver, function)?.name.clone();
    let owner = state.module;
    let launch = Launch {
        grid: geometry.grid,
        block: geometry.block,
        dynamic_shared: geometry.shared,
        arguments,
        step_budget: step_budget(),
        ..Launch::new(Arc::from(""), entry)
    };
    let bound = |binding: &Option<u64>| {
        let array = driver.array((*binding)? as Handle).ok()?;
        Some(array.number)
    };
    let bindings = driver.module(owner as Handle)?.bindings.iter().map(bound).collect();
    let textures = bound_textures(driver, driver.module(owner as Handle)?);
    driver.host_to_device();
    let Some((_, crate::driver::Object::Module(module))) = driver.objects.get(&owner) else {
        return Err(result::ERROR_INVALID_HANDLE);
    };
    let struck = struck(&launch);
    let launched = driver.device.launch(&module.loaded, &launch, bindings, textures, &struck.semantics());
    driver.device_to_host();
    let Launched { ending, printed, findings } = launched.map_err(|error| {
        // `check` has refused everything that a device refuses.
        report(&format!("a launch of `{}` is not supported: {error}", launch.entry));
        result::ERROR_NOT_SUPPORTED
    })?;
    print(&printed);
    let own = match ending {
        Ending::Completed => None,
        Ending::Faulted(faults) => {
            explain(&faults);
            Some(faults.first().map_or(result::ERROR_LAUNCH_FAILED, |fault| code(fault.class)))
        }
        Ending::TimedOut => Some(result::ERROR_LAUNCH_TIMEOUT),
        Ending::Unspecified { what } => {
            report(&format!(
                "a launch of `{}` does what PTX leaves undefined, and ended there: {what}",
                launch.entry
            ));
            Some(result::ERROR_LAUNCH_FAILED)
        }
    };
    if let Some(report) = &mut driver.report {
        report.launch(&launch, own.unwrap_or(result::SUCCESS), &findings);
    }
    let injected =
        if own == Some(result::ERROR_LAUNCH_TIMEOUT) { None } else { struck.code(driver, &launch) };
    let Some(code) = injected.or(own) else { return Ok(()) };
    driver.stick(context, code);
    if is_set("CUDA_LAUNCH_BLOCKING") { Err(code) } else { Ok(()) }
}

/// Prints what a kernel has printed, as CUDA does: text to the standard output, failed assertions to the standard error. A stream
/// that the client has closed gets nothing.
fn print(printed: &Printed) {
    let Printed { text, assertions, cut } = printed;
    if !text.is_empty() {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(text).and_then(|()| out.flush());
    }
    if !assertions.is_empty() {
        let _ = std::io::stderr().write_all(assertions);
    }
    if *cut {
        say(&"a kernel printed more than is kept of a launch; the rest is lost");
    }
}

/// The specification, or what deviates from it as `WARPDIFF_CUDA_DEVIATIONS` says: a list of deviations, separated by commas. With
/// one a client shows that it finds the mistakes of a driver.
pub(crate) fn planted() -> &'static Semantics {
    static SEMANTICS: OnceLock<Semantics> = OnceLock::new();
    SEMANTICS.get_or_init(|| {
        let list = std::env::var("WARPDIFF_CUDA_DEVIATIONS").unwrap_or_default();
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.fold(Semantics::default(), |semantics, name| match Deviation::from_name(name) {
            Some(deviation) => semantics.with(deviation),
            None => {
                report(&format!(
                    "WARPDIFF_CUDA_DEVIATIONS: `{name}` is ignored: no such deviation; `warpdiff deviations` lists them"
                ));
                semantics
            }
        })
    })
}

/// What is injected into a launch; always nothing without the feature `inject`.
#[derive(Clone, Copy, Debug)]
struct Struck {
    #[cfg(feature = "inject")]
    by: Option<crate::inject::Injected>,
}

#[cfg(feature = "inject")]
fn struck(launch: &Launch) -> Struck {
    Struck { by: crate::inject::due(&launch.entry) }
}

#[cfg(not(feature = "inject"))]
fn struck(_launch: &Launch) -> Struck {
    Struck {}
}

#[cfg(feature = "inject")]
impl Struck {
    /// How the device behaves in this launch.
    fn semantics(self) -> Cow<'static, Semantics> {
        match self.by {
            Some(crate::inject::Injected::Deviation(deviation)) => Cow::Owned((*planted()).with(deviation)),
            _ => Cow::Borrowed(planted()),
        }
    }

    /// The result code of the fault, if any, of a launch that ran to its end.
    fn code(self, driver: &mut Driver, launch: &Launch) -> Option<u32> {
        match self.by {
            Some(crate::inject::Injected::Fault(fault)) => {
                crate::inject::strike(driver, fault, &launch.arguments)
            }
            _ => None,
        }
    }
}

#[cfg(not(feature = "inject"))]
impl Struck {
    fn semantics(self) -> Cow<'static, Semantics> {
        Cow::Borrowed(planted())
    }

    fn code(self, _driver: &mut Driver, _launch: &Launch) -> Option<u32> {
        None
    }
}

/// Prints faults if `WARPDIFF_CUDA_EXPLAIN=1`.
fn explain(faults: &[Fault]) {
    if !is_set("WARPDIFF_CUDA_EXPLAIN") {
        return;
    }
    for fault in faults {
        let line = fault.line.unwrap_or(0);
        say(&format_args!("{} in line {line}: {}", fault.class, fault.detail));
    }
}

/// Launches a kernel with its arguments in one of two forms: `pointers` to them, or packed in a buffer (`extra`).
///
/// # Safety
/// `pointers` is as [`arguments`] asks for it, `extra` as [`packed_arguments`] does.
unsafe fn launch(
    function: Handle,
    geometry: Geometry,
    stream: Handle,
    pointers: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CallResult {
    current(|driver, context| {
        driver.check_stream(stream)?;
        driver.function(function)?;
        check(driver, function, &geometry)?;
        let arguments = match (pointers.is_null(), extra.is_null()) {
            (false, false) => return Err(result::ERROR_INVALID_VALUE),
            // SAFETY: `pointers` is as the caller says.
            (_, true) => unsafe { arguments(driver, function, pointers) }?,
            // SAFETY: `extra` is as the caller says.
            (true, false) => unsafe { packed_arguments(driver, function, extra) }?,
        };
        run(driver, context, function, geometry, arguments)
    })
}

/// Checks the attributes of a launch. Attributes that order or place kernels have no effect, as launches are synchronous.
///
/// # Safety
/// The configuration has as many attributes as it says.
unsafe fn check_attributes(config: &LaunchConfig) -> CallResult {
    for n in 0..config.attribute_count as usize {
        // SAFETY: `n` is below the number of attributes.
        let attribute: LaunchAttribute = unsafe { element(config.attributes, n) }?;
        match attribute.id {
            // CU_LAUNCH_ATTRIBUTE_COOPERATIVE
            2 if attribute.word(0) != 0 => return unsupported("a cooperative launch"),
            // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            4 if [0, 1, 2].map(|n| attribute.word(n)) != [1, 1, 1] => {
                return unsupported("a launch with clusters");
            }
            0..=18 => {}
            id => return unsupported(&format!("the launch attribute {id}")),
        }
    }
    Ok(())
}

entries! {
    fn cuLaunchKernel(
        function: Handle,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: Handle,
        pointers: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) {
        let geometry = Geometry { grid: [grid_x, grid_y, grid_z], block: [block_x, block_y, block_z], shared };
        // SAFETY: the client gives the arguments of this kernel, in the one form or the other.
        unsafe { launch(function, geometry, stream, pointers, extra) }
    }

    fn cuLaunchKernelEx(
        config: In<LaunchConfig>,
        function: Handle,
        pointers: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) {
        let config = config.get()?;
        // SAFETY: the client says how many attributes there are.
        unsafe { check_attributes(&config) }?;
        let geometry = Geometry { grid: config.grid, block: config.block, shared: config.shared };
        // SAFETY: the client gives the arguments of this kernel, in the one form or the other.
        unsafe { launch(function, geometry, config.stream, pointers, extra) }
    }
}
