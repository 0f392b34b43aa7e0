//! `cuModule*`, `cuLibrary*`, `cuFunc*`: modules, libraries, kernels and variables.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int, c_void};

use warpdiff_emulator::device::Loaded;
use warpdiff_ptx::checked::{Function as Kernel, Module as Checked};

use crate::abi::{DevicePointer, Handle};
use crate::boundary::{current, entries, healthy};
use crate::device::{BLOCK_THREADS, SHARED, SHARED_OPT_IN};
use crate::driver::{ContextId, Driver, Function, Module, Object, TextureReference};
use crate::jit::{self, Options};
use crate::launch::planted;
use crate::link::LINKED;
use crate::pointer::{ELF, Out, Terminated, put_elements};
use crate::result::{self, CallResult};

/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
const MAX_DYNAMIC_SHARED: u32 = 8;
/// The context of objects without one: libraries.
const NO_CONTEXT: ContextId = 0;

fn load(driver: &mut Driver, context: ContextId, text: &str, options: &Options) -> CallResult<Handle> {
    let (text, linked) = match text.strip_prefix(LINKED) {
        Some(text) => (text, true),
        None => (text, false),
    };
    let checked = jit::compile(text, linked, options)?;
    injected(&checked, options)?;
    let loaded = driver.device.load(&checked, text, planted()).map_err(|reason| {
        jit::explain(reason, text, options);
        result::ERROR_NOT_SUPPORTED
    })?;
    keep(driver, context, loaded, options)
}

/// Loads a cubin.
fn load_cubin(
    driver: &mut Driver,
    context: ContextId,
    image: &[u8],
    options: &Options,
) -> CallResult<Handle> {
    let cubin = jit::cubin(image, options)?;
    let loaded = driver.device.load_cubin(&cubin, planted()).map_err(|reason| {
        jit::explain_cubin(&reason, options);
        result::ERROR_NOT_SUPPORTED
    })?;
    if let Err(code) = injected(loaded.module(), options) {
        driver.device.unload(&loaded);
        return Err(code);
    }
    keep(driver, context, loaded, options)
}

/// Loads an image: a cubin or PTX text.
fn load_image(
    driver: &mut Driver,
    context: ContextId,
    image: &[u8],
    options: &Options,
) -> CallResult<Handle> {
    if image.starts_with(ELF) {
        return load_cubin(driver, context, image, options);
    }
    load(driver, context, jit::image_text(image, options)?, options)
}

/// Makes a loaded module an object.
fn keep(driver: &mut Driver, context: ContextId, loaded: Loaded, options: &Options) -> CallResult<Handle> {
    if let Err(code) = driver.manage_variables(context, &loaded) {
        driver.device.unload(&loaded);
        return Err(code);
    }
    options.inform(&jit::success());
    let surface_names = loaded.surface_variables();
    let module = Module {
        variables: loaded.variables(),
        bindings: vec![None; surface_names.len()],
        surface_names,
        texture_names: loaded.texture_variables(),
        loaded,
        functions: BTreeMap::new(),
        surface_references: BTreeMap::new(),
        texture_references: BTreeMap::new(),
    };
    Ok(driver.insert(context, Object::Module(Box::new(module))))
}

/// Refuses a module if a fault is injected.
#[cfg(feature = "inject")]
fn injected(checked: &Checked, options: &Options) -> CallResult {
    let kernels = checked.functions.iter().filter(|function| function.entry).map(|function| &function.name);
    let Some(kernel) = crate::inject::refused(kernels) else { return Ok(()) };
    options.complain(&format!("kernel `{kernel}` is refused on demand"));
    Err(result::ERROR_INVALID_PTX)
}

/// Faults are injected only with the feature `inject`.
#[cfg(not(feature = "inject"))]
fn injected(_checked: &Checked, _options: &Options) -> CallResult {
    Ok(())
}

fn unload(driver: &mut Driver, handle: Handle) -> CallResult {
    driver.module(handle)?;
    let Some((_, Object::Module(module))) = driver.objects.remove(&(handle as u64)) else {
        return Err(result::ERROR_INVALID_HANDLE);
    };
    for variable in &module.variables {
        driver.unmanage(variable.address);
    }
    driver.device.unload(&module.loaded);
    let owned = module.functions.values().chain(module.surface_references.values());
    for object in owned.chain(module.texture_references.values()) {
        driver.objects.remove(object);
    }
    Ok(())
}

fn load_file(path: &str) -> CallResult<Vec<u8>> {
    let bytes = std::fs::read(path).map_err(|_| result::ERROR_FILE_NOT_FOUND)?;
    // A text ends where the file does.
    if !bytes.starts_with(ELF) && bytes.contains(&0) {
        return Err(result::ERROR_INVALID_IMAGE);
    }
    Ok(bytes)
}

/// The kernels of a module, by index.
fn kernels(module: &Module) -> Vec<usize> {
    let functions = module.loaded.module().functions.iter().enumerate();
    functions.filter(|(_, f)| f.entry && !f.external).map(|(index, _)| index).collect()
}

/// The handle of a kernel, the same at every call.
fn kernel_handle(driver: &mut Driver, module: Handle, index: usize) -> CallResult<Handle> {
    let owner = driver.module(module)?;
    if let Some(handle) = owner.functions.get(&index) {
        return Ok(*handle as Handle);
    }
    let kernel = owner.loaded.module().functions.get(index).ok_or(result::ERROR_NOT_FOUND)?;
    let name = CString::new(kernel.name.as_str()).map_err(|_| result::ERROR_INVALID_VALUE)?;
    let dynamic_limit = SHARED.saturating_sub(owner.loaded.static_shared());
    let context = driver.objects.get(&(module as u64)).map_or(NO_CONTEXT, |(context, _)| *context);
    let function = Function { module: module as u64, index, name, dynamic_limit };
    let handle = driver.insert(context, Object::Function(function));
    driver.module_mut(module)?.functions.insert(index, handle as u64);
    Ok(handle)
}

fn find_kernel(driver: &mut Driver, module: Handle, name: &str) -> CallResult<Handle> {
    let owner = driver.module(module)?;
    let found = kernels(owner).into_iter().find(|n| owner.loaded.module().functions[*n].name == name);
    kernel_handle(driver, module, found.ok_or(result::ERROR_NOT_FOUND)?)
}

/// The checked kernel of a handle.
pub(crate) fn kernel(driver: &Driver, function: Handle) -> CallResult<&Kernel> {
    let Function { module, index, .. } = driver.function(function)?;
    let module = driver.module(*module as Handle)?;
    module.loaded.module().functions.get(*index).ok_or(result::ERROR_INVALID_HANDLE)
}

fn variable(
    driver: &Driver,
    module: Handle,
    name: &str,
    address: Out<DevicePointer>,
    size: Out<usize>,
) -> CallResult {
    let variables = &driver.module(module)?.variables;
    let found = variables.iter().find(|variable| variable.name == name).ok_or(result::ERROR_NOT_FOUND)?;
    // Either result may be left out.
    address.put_if_wanted(found.address)?;
    size.put_if_wanted(found.size as usize)
}

/// A function attribute (`CUfunction_attribute`).
fn attribute(driver: &Driver, function: Handle, attribute: u32) -> CallResult<c_int> {
    let state = driver.function(function)?;
    let module = driver.module(state.module as Handle)?;
    let kernel = kernel(driver, function)?;
    let checked = module.loaded.module();
    let product = |dimensions: [u32; 3]| dimensions.iter().product::<u32>().min(BLOCK_THREADS);
    Ok(match attribute {
        0 => kernel.required_threads.or(kernel.max_threads).map_or(BLOCK_THREADS, product) as c_int,
        1 => module.loaded.static_shared() as c_int,
        // Constant, local: the emulator does not allocate them per kernel.
        2 | 3 => 0,
        // Registers: not allocated; the least number of a kernel.
        4 => 16,
        5 => (checked.version.0 * 10 + checked.version.1) as c_int,
        6 => checked.target as c_int,
        7 => 0,
        MAX_DYNAMIC_SHARED => state.dynamic_limit as c_int,
        // Carveout: no preference.
        9 => -1,
        // Clusters: none.
        10..=15 => 0,
        _ => return Err(result::ERROR_INVALID_VALUE),
    })
}

fn set_attribute(driver: &mut Driver, function: Handle, attribute: u32, value: c_int) -> CallResult {
    let module = driver.function(function)?.module;
    let fixed = driver.module(module as Handle)?.loaded.static_shared();
    match attribute {
        MAX_DYNAMIC_SHARED => {
            let value = u32::try_from(value).map_err(|_| result::ERROR_INVALID_VALUE)?;
            if value.saturating_add(fixed) > SHARED_OPT_IN {
                return Err(result::ERROR_INVALID_VALUE);
            }
            driver.function_mut(function)?.dynamic_limit = value;
            Ok(())
        }
        9 if (-1..=100).contains(&value) => Ok(()),
        _ => Err(result::ERROR_INVALID_VALUE),
    }
}

fn parameter(
    driver: &Driver,
    function: Handle,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> CallResult {
    let parameter = kernel(driver, function)?.parameters.get(index).ok_or(result::ERROR_INVALID_VALUE)?;
    offset.put(parameter.offset as usize)?;
    // "paramSize: optional".
    size.put_if_wanted(parameter.size as usize)
}

/// Writes the handles of the first `count` kernels.
///
/// # Safety
/// The pointer is null, or valid for `count` writes.
unsafe fn enumerate(driver: &mut Driver, module: Handle, out: *mut Handle, count: u32) -> CallResult {
    if out.is_null() && count > 0 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    let indices = kernels(driver.module(module)?).into_iter().take(count as usize);
    let handles =
        indices.map(|index| kernel_handle(driver, module, index)).collect::<CallResult<Vec<_>>>()?;
    // SAFETY: there is room for `count` handles, as the caller says, and these are no more.
    unsafe { put_elements(out, handles) }
}

/// Loads a program for the current context.
fn load_data(out: Out<Handle>, image: CallResult<&[u8]>, options: &Options) -> CallResult {
    current(|driver, context| {
        out.required()?;
        let module = load_image(driver, context, image?, options)?;
        out.put(module)
    })
}

/// Loads a program for every context.
fn load_library(out: Out<Handle>, image: CallResult<&[u8]>, options: &Options) -> CallResult {
    healthy(|driver| {
        out.required()?;
        let library = load_image(driver, NO_CONTEXT, image?, options)?;
        out.put(library)
    })
}

entries! {
    fn cuModuleLoad(out: Out<Handle>, path: Terminated) {
        current(|_, _| Ok(()))?;
        let file = load_file(path.text()?)?;
        load_data(out, Ok(&file), &Options::default())
    }

    fn cuModuleLoadData(out: Out<Handle>, image: Terminated) {
        load_data(out, image.image(), &Options::default())
    }

    fn cuModuleLoadDataEx(
        out: Out<Handle>,
        image: Terminated,
        count: u32,
        keys: *mut u32,
        values: *mut *mut c_void,
    ) {
        // SAFETY: the client says that there are `count` keys and values; its logs are used during this call only.
        let options = unsafe { Options::read(count, keys, values) }?;
        load_data(out, image.image(), &options)
    }

    fn cuModuleLoadFatBinary(out: Out<Handle>, image: Terminated) {
        load_data(out, image.image(), &Options::default())
    }

    fn cuModuleUnload(module: Handle) {
        current(|driver, _| unload(driver, module))
    }

    fn cuModuleGetLoadingMode(mode: Out<u32>) {
        // CU_MODULE_EAGER_LOADING
        mode.put(1)
    }

    fn cuModuleGetFunction(out: Out<Handle>, module: Handle, name: Terminated) {
        current(|driver, _| {
            out.required()?;
            let handle = find_kernel(driver, module, name.text()?)?;
            out.put(handle)
        })
    }

    fn cuModuleGetFunctionCount(count: Out<u32>, module: Handle) {
        current(|driver, _| count.put(kernels(driver.module(module)?).len() as u32))
    }

    fn cuModuleEnumerateFunctions(out: *mut Handle, count: u32, module: Handle) {
        // SAFETY: the client says that there is room for `count` handles.
        current(|driver, _| unsafe { enumerate(driver, module, out, count) })
    }

    fn cuModuleGetGlobal_v2(address: Out<DevicePointer>, size: Out<usize>, module: Handle, name: Terminated) {
        current(|driver, _| variable(driver, module, name.text()?, address, size))
    }

    fn cuModuleGetSurfRef(out: Out<Handle>, module: Handle, name: Terminated) {
        current(|driver, context| {
            let name = name.text()?;
            let owner = driver.module(module)?;
            let position = owner.surface_names.iter().position(|known| known == name);
            let position = position.ok_or(result::ERROR_NOT_FOUND)?;
            let handle = match owner.surface_references.get(&position) {
                Some(handle) => *handle as Handle,
                None => {
                    let reference = Object::SurfaceReference { module: module as u64, position };
                    let handle = driver.insert(context, reference);
                    driver.module_mut(module)?.surface_references.insert(position, handle as u64);
                    handle
                }
            };
            out.put(handle)
        })
    }

    fn cuModuleGetTexRef(out: Out<Handle>, module: Handle, name: Terminated) {
        current(|driver, context| {
            let name = name.text()?;
            let owner = driver.module(module)?;
            if !owner.texture_names.iter().any(|known| known == name) {
                return Err(result::ERROR_NOT_FOUND);
            }
            let handle = match owner.texture_references.get(name) {
                Some(handle) => *handle as Handle,
                None => {
                    let handle = driver.insert(context, Object::TextureReference(TextureReference::default()));
                    driver.module_mut(module)?.texture_references.insert(name.to_owned(), handle as u64);
                    handle
                }
            };
            out.put(handle)
        })
    }

    fn cuLibraryLoadData(
        out: Out<Handle>,
        image: Terminated,
        keys: *mut u32,
        values: *mut *mut c_void,
        count: u32,
        _library_keys: *mut u32,
        _library_values: *mut *mut c_void,
        _library_count: u32,
    ) {
        // SAFETY: the client says that there are `count` keys and values; its logs are used during this call only.
        let options = unsafe { Options::read(count, keys, values) }?;
        load_library(out, image.image(), &options)
    }

    fn cuLibraryLoadFromFile(
        out: Out<Handle>,
        path: Terminated,
        keys: *mut u32,
        values: *mut *mut c_void,
        count: u32,
        _library_keys: *mut u32,
        _library_values: *mut *mut c_void,
        _library_count: u32,
    ) {
        // SAFETY: the client says that there are `count` keys and values; its logs are used during this call only.
        let options = unsafe { Options::read(count, keys, values) }?;
        let file = load_file(path.text()?)?;
        load_library(out, Ok(&file), &options)
    }

    fn cuLibraryUnload(library: Handle) {
        healthy(|driver| unload(driver, library))
    }

    fn cuLibraryGetModule(out: Out<Handle>, library: Handle) {
        current(|driver, _| {
            driver.module(library)?;
            out.put(library)
        })
    }

    fn cuLibraryGetKernel(out: Out<Handle>, library: Handle, name: Terminated) {
        healthy(|driver| {
            out.required()?;
            let handle = find_kernel(driver, library, name.text()?)?;
            out.put(handle)
        })
    }

    fn cuLibraryGetKernelCount(count: Out<u32>, library: Handle) {
        healthy(|driver| count.put(kernels(driver.module(library)?).len() as u32))
    }

    fn cuLibraryEnumerateKernels(out: *mut Handle, count: u32, library: Handle) {
        // SAFETY: the client says that there is room for `count` handles.
        healthy(|driver| unsafe { enumerate(driver, library, out, count) })
    }

    fn cuLibraryGetGlobal(address: Out<DevicePointer>, size: Out<usize>, library: Handle, name: Terminated) {
        current(|driver, _| variable(driver, library, name.text()?, address, size))
    }

    fn cuKernelGetFunction(out: Out<Handle>, kernel: Handle) {
        current(|driver, _| {
            driver.function(kernel)?;
            out.put(kernel)
        })
    }

    fn cuKernelGetLibrary(out: Out<Handle>, kernel: Handle) {
        healthy(|driver| out.put(driver.function(kernel)?.module as Handle))
    }

    fn cuKernelGetName(out: Out<*const c_char>, kernel: Handle) {
        healthy(|driver| out.put(driver.function(kernel)?.name.as_ptr()))
    }

    fn cuKernelGetAttribute(out: Out<c_int>, number: u32, kernel: Handle, device: c_int) {
        healthy(|driver| match device {
            0 => out.put(attribute(driver, kernel, number)?),
            _ => Err(result::ERROR_INVALID_DEVICE),
        })
    }

    fn cuKernelSetAttribute(number: u32, value: c_int, kernel: Handle, device: c_int) {
        healthy(|driver| match device {
            0 => set_attribute(driver, kernel, number, value),
            _ => Err(result::ERROR_INVALID_DEVICE),
        })
    }

    fn cuKernelGetParamInfo(kernel: Handle, index: usize, offset: Out<usize>, size: Out<usize>) {
        healthy(|driver| parameter(driver, kernel, index, offset, size))
    }

    fn cuFuncGetParamInfo(function: Handle, index: usize, offset: Out<usize>, size: Out<usize>) {
        current(|driver, _| parameter(driver, function, index, offset, size))
    }

    fn cuFuncGetModule(out: Out<Handle>, function: Handle) {
        current(|driver, _| out.put(driver.function(function)?.module as Handle))
    }

    fn cuFuncGetName(out: Out<*const c_char>, function: Handle) {
        current(|driver, _| out.put(driver.function(function)?.name.as_ptr()))
    }

    fn cuFuncGetAttribute(out: Out<c_int>, number: u32, function: Handle) {
        current(|driver, _| out.put(attribute(driver, function, number)?))
    }

    fn cuFuncSetAttribute(function: Handle, number: u32, value: c_int) {
        current(|driver, _| set_attribute(driver, function, number, value))
    }

    fn cuFuncSetCacheConfig(function: Handle, config: u32) {
        current(|driver, _| {
            driver.function(function)?;
            if config <= 3 { Ok(()) } else { Err(result::ERROR_INVALID_VALUE) }
        })
    }

    fn cuFuncSetSharedMemConfig(function: Handle, config: u32) {
        current(|driver, _| {
            driver.function(function)?;
            if config <= 2 { Ok(()) } else { Err(result::ERROR_INVALID_VALUE) }
        })
    }

    fn cuFuncIsLoaded(state: Out<u32>, function: Handle) {
        current(|driver, _| {
            driver.function(function)?;
            // CU_FUNCTION_LOADING_STATE_LOADED
            state.put(1)
        })
    }

    fn cuFuncLoad(function: Handle) {
        current(|driver, _| driver.function(function).map(drop))
    }

    fn cuLibraryGetManaged(
        address: Out<DevicePointer>,
        size: Out<usize>,
        library: Handle,
        name: Terminated,
    ) {
        healthy(|driver| {
            let name = name.text()?;
            let variables = &driver.module(library)?.variables;
            match variables.iter().any(|variable| variable.managed && variable.name == name) {
                true => variable(driver, library, name, address, size),
                false => Err(result::ERROR_NOT_FOUND),
            }
        })
    }
}
