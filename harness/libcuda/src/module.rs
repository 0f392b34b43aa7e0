//! Modules, libraries, kernels and variables.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int, c_void};

use warpdiff_ptx::checked::{Function as Kernel, Module as Checked};

use crate::abi::{DevicePointer, Handle};
use crate::boundary::{Answer, current, entries, healthy, put, text};
use crate::device::{BLOCK_THREADS, SHARED, SHARED_OPT_IN};
use crate::driver::{ContextId, Driver, Function, Module, Object, TextureReference};
use crate::jit::{self, Options};
use crate::link::LINKED;
use crate::result;

/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
const MAX_DYNAMIC_SHARED: u32 = 8;
/// The context of what belongs to none: libraries.
const NO_CONTEXT: ContextId = 0;

fn load(driver: &mut Driver, context: ContextId, text: &str, options: &Options) -> Answer<Handle> {
    let (text, linked) = match text.strip_prefix(LINKED) {
        Some(text) => (text, true),
        None => (text, false),
    };
    let checked = jit::compile(text, linked, options)?;
    injected(&checked, options)?;
    let loaded = driver.device.load(&checked, text).map_err(|reason| {
        jit::explain(reason, text, options);
        result::ERROR_NOT_SUPPORTED
    })?;
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

/// Refuses a module on demand.
#[cfg(feature = "inject")]
fn injected(checked: &Checked, options: &Options) -> Answer {
    let kernels = checked.functions.iter().filter(|function| function.entry).map(|function| &function.name);
    let Some(kernel) = crate::inject::refused(kernels) else { return Ok(()) };
    options.complain(&format!("kernel `{kernel}` is refused on demand"));
    Err(result::ERROR_INVALID_PTX)
}

/// Modules are refused on demand only with the feature `inject`.
#[cfg(not(feature = "inject"))]
fn injected(_checked: &Checked, _options: &Options) -> Answer {
    Ok(())
}

fn unload(driver: &mut Driver, handle: Handle) -> Answer {
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

fn load_file(path: &str) -> Answer<CString> {
    let bytes = std::fs::read(path).map_err(|_| result::ERROR_FILE_NOT_FOUND)?;
    CString::new(bytes).map_err(|_| result::ERROR_INVALID_IMAGE)
}

/// The kernels of a module, by index.
fn kernels(module: &Module) -> Vec<usize> {
    let functions = module.loaded.module().functions.iter().enumerate();
    functions.filter(|(_, f)| f.entry && !f.external).map(|(index, _)| index).collect()
}

/// The handle of a kernel: always the same one.
fn kernel_handle(driver: &mut Driver, module: Handle, index: usize) -> Answer<Handle> {
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

fn find_kernel(driver: &mut Driver, module: Handle, name: &str) -> Answer<Handle> {
    let owner = driver.module(module)?;
    let found = kernels(owner).into_iter().find(|n| owner.loaded.module().functions[*n].name == name);
    kernel_handle(driver, module, found.ok_or(result::ERROR_NOT_FOUND)?)
}

/// The checked kernel of a handle.
pub(crate) fn kernel(driver: &Driver, function: Handle) -> Answer<&Kernel> {
    let Function { module, index, .. } = driver.function(function)?;
    let module = driver.module(*module as Handle)?;
    module.loaded.module().functions.get(*index).ok_or(result::ERROR_INVALID_HANDLE)
}

/// # Safety
/// The pointers are null or valid for writes.
unsafe fn variable(
    driver: &Driver,
    module: Handle,
    name: &str,
    address: *mut DevicePointer,
    size: *mut usize,
) -> Answer {
    let variables = &driver.module(module)?.variables;
    let found = variables.iter().find(|variable| variable.name == name).ok_or(result::ERROR_NOT_FOUND)?;
    // Either result may be left out.
    if !address.is_null() {
        // SAFETY: the caller's.
        unsafe { put(address, found.address) }?;
    }
    // SAFETY: the caller's.
    if size.is_null() { Ok(()) } else { unsafe { put(size, found.size as usize) } }
}

/// A function attribute (`CUfunction_attribute`).
fn attribute(driver: &Driver, function: Handle, attribute: u32) -> Answer<c_int> {
    let state = driver.function(function)?;
    let module = driver.module(state.module as Handle)?;
    let kernel = kernel(driver, function)?;
    let checked = module.loaded.module();
    let product = |dimensions: [u32; 3]| dimensions.iter().product::<u32>().min(BLOCK_THREADS);
    Ok(match attribute {
        0 => kernel.required_threads.or(kernel.max_threads).map_or(BLOCK_THREADS, product) as c_int,
        1 => module.loaded.static_shared() as c_int,
        // Constant, local: what the emulator uses of them is not a kernel's own.
        2 | 3 => 0,
        // Registers: there is no allocation of them; the least that a kernel can have.
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

fn set_attribute(driver: &mut Driver, function: Handle, attribute: u32, value: c_int) -> Answer {
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

/// # Safety
/// The pointers are null or valid for writes.
unsafe fn parameter(
    driver: &Driver,
    function: Handle,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> Answer {
    let parameter = kernel(driver, function)?.parameters.get(index).ok_or(result::ERROR_INVALID_VALUE)?;
    // SAFETY: the caller's.
    unsafe { put(offset, parameter.offset as usize) }?;
    // SAFETY: the caller's. "paramSize: optional".
    if size.is_null() { Ok(()) } else { unsafe { put(size, parameter.size as usize) } }
}

/// Writes the handles of the first `count` kernels.
///
/// # Safety
/// The pointer is null or valid for `count` writes.
unsafe fn enumerate(driver: &mut Driver, module: Handle, out: *mut Handle, count: u32) -> Answer {
    if out.is_null() && count > 0 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    for (n, index) in kernels(driver.module(module)?).into_iter().take(count as usize).enumerate() {
        let handle = kernel_handle(driver, module, index)?;
        // SAFETY: the caller's.
        unsafe { put(out.add(n), handle) }?;
    }
    Ok(())
}

/// Loads a program for the current context.
///
/// # Safety
/// As the entry points that call it.
unsafe fn load_data(out: *mut Handle, image: *const c_void, options: &Options) -> Answer {
    current(|driver, context| {
        if out.is_null() {
            return Err(result::ERROR_INVALID_VALUE);
        }
        // SAFETY: the caller's.
        let text = unsafe { jit::image_text(image, options) }?;
        let module = load(driver, context, text, options)?;
        // SAFETY: checked above.
        unsafe { put(out, module) }
    })
}

/// Loads a program for every context.
///
/// # Safety
/// As the entry points that call it.
unsafe fn load_library(out: *mut Handle, image: *const c_void, options: &Options) -> Answer {
    healthy(|driver| {
        if out.is_null() {
            return Err(result::ERROR_INVALID_VALUE);
        }
        // SAFETY: the caller's.
        let text = unsafe { jit::image_text(image, options) }?;
        let library = load(driver, NO_CONTEXT, text, options)?;
        // SAFETY: checked above.
        unsafe { put(out, library) }
    })
}

entries! {
    fn cuModuleLoad(out: *mut Handle, path: *const c_char) {
        current(|_, _| Ok(()))?;
        let file = load_file(unsafe { text(path) }?)?;
        unsafe { load_data(out, file.as_ptr().cast(), &Options::default()) }
    }

    fn cuModuleLoadData(out: *mut Handle, image: *const c_void) {
        unsafe { load_data(out, image, &Options::default()) }
    }

    fn cuModuleLoadDataEx(
        out: *mut Handle,
        image: *const c_void,
        count: u32,
        keys: *mut u32,
        values: *mut *mut c_void,
    ) {
        let options = unsafe { Options::read(count, keys, values) }?;
        unsafe { load_data(out, image, &options) }
    }

    fn cuModuleLoadFatBinary(out: *mut Handle, image: *const c_void) {
        unsafe { load_data(out, image, &Options::default()) }
    }

    fn cuModuleUnload(module: Handle) {
        current(|driver, _| unload(driver, module))
    }

    fn cuModuleGetLoadingMode(mode: *mut u32) {
        // CU_MODULE_EAGER_LOADING
        unsafe { put(mode, 1) }
    }

    fn cuModuleGetFunction(out: *mut Handle, module: Handle, name: *const c_char) {
        current(|driver, _| {
            if out.is_null() {
                return Err(result::ERROR_INVALID_VALUE);
            }
            let handle = find_kernel(driver, module, unsafe { text(name) }?)?;
            unsafe { put(out, handle) }
        })
    }

    fn cuModuleGetFunctionCount(count: *mut u32, module: Handle) {
        current(|driver, _| unsafe { put(count, kernels(driver.module(module)?).len() as u32) })
    }

    fn cuModuleEnumerateFunctions(out: *mut Handle, count: u32, module: Handle) {
        current(|driver, _| unsafe { enumerate(driver, module, out, count) })
    }

    fn cuModuleGetGlobal_v2(address: *mut DevicePointer, size: *mut usize, module: Handle, name: *const c_char) {
        current(|driver, _| unsafe { variable(driver, module, text(name)?, address, size) })
    }

    fn cuModuleGetSurfRef(out: *mut Handle, module: Handle, name: *const c_char) {
        current(|driver, context| {
            let name = unsafe { text(name) }?;
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
            unsafe { put(out, handle) }
        })
    }

    fn cuModuleGetTexRef(out: *mut Handle, module: Handle, name: *const c_char) {
        current(|driver, context| {
            let name = unsafe { text(name) }?;
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
            unsafe { put(out, handle) }
        })
    }

    fn cuLibraryLoadData(
        out: *mut Handle,
        image: *const c_void,
        keys: *mut u32,
        values: *mut *mut c_void,
        count: u32,
        _library_keys: *mut u32,
        _library_values: *mut *mut c_void,
        _library_count: u32,
    ) {
        let options = unsafe { Options::read(count, keys, values) }?;
        unsafe { load_library(out, image, &options) }
    }

    fn cuLibraryLoadFromFile(
        out: *mut Handle,
        path: *const c_char,
        keys: *mut u32,
        values: *mut *mut c_void,
        count: u32,
        _library_keys: *mut u32,
        _library_values: *mut *mut c_void,
        _library_count: u32,
    ) {
        let options = unsafe { Options::read(count, keys, values) }?;
        let file = load_file(unsafe { text(path) }?)?;
        unsafe { load_library(out, file.as_ptr().cast(), &options) }
    }

    fn cuLibraryUnload(library: Handle) {
        healthy(|driver| unload(driver, library))
    }

    fn cuLibraryGetModule(out: *mut Handle, library: Handle) {
        current(|driver, _| {
            driver.module(library)?;
            unsafe { put(out, library) }
        })
    }

    fn cuLibraryGetKernel(out: *mut Handle, library: Handle, name: *const c_char) {
        healthy(|driver| {
            if out.is_null() {
                return Err(result::ERROR_INVALID_VALUE);
            }
            let handle = find_kernel(driver, library, unsafe { text(name) }?)?;
            unsafe { put(out, handle) }
        })
    }

    fn cuLibraryGetKernelCount(count: *mut u32, library: Handle) {
        healthy(|driver| unsafe { put(count, kernels(driver.module(library)?).len() as u32) })
    }

    fn cuLibraryEnumerateKernels(out: *mut Handle, count: u32, library: Handle) {
        healthy(|driver| unsafe { enumerate(driver, library, out, count) })
    }

    fn cuLibraryGetGlobal(address: *mut DevicePointer, size: *mut usize, library: Handle, name: *const c_char) {
        current(|driver, _| unsafe { variable(driver, library, text(name)?, address, size) })
    }

    fn cuKernelGetFunction(out: *mut Handle, kernel: Handle) {
        current(|driver, _| {
            driver.function(kernel)?;
            unsafe { put(out, kernel) }
        })
    }

    fn cuKernelGetLibrary(out: *mut Handle, kernel: Handle) {
        healthy(|driver| unsafe { put(out, driver.function(kernel)?.module as Handle) })
    }

    fn cuKernelGetName(out: *mut *const c_char, kernel: Handle) {
        healthy(|driver| unsafe { put(out, driver.function(kernel)?.name.as_ptr()) })
    }

    fn cuKernelGetAttribute(out: *mut c_int, number: u32, kernel: Handle, device: c_int) {
        healthy(|driver| match device {
            0 => unsafe { put(out, attribute(driver, kernel, number)?) },
            _ => Err(result::ERROR_INVALID_DEVICE),
        })
    }

    fn cuKernelSetAttribute(number: u32, value: c_int, kernel: Handle, device: c_int) {
        healthy(|driver| match device {
            0 => set_attribute(driver, kernel, number, value),
            _ => Err(result::ERROR_INVALID_DEVICE),
        })
    }

    fn cuKernelGetParamInfo(kernel: Handle, index: usize, offset: *mut usize, size: *mut usize) {
        healthy(|driver| unsafe { parameter(driver, kernel, index, offset, size) })
    }

    fn cuFuncGetParamInfo(function: Handle, index: usize, offset: *mut usize, size: *mut usize) {
        current(|driver, _| unsafe { parameter(driver, function, index, offset, size) })
    }

    fn cuFuncGetModule(out: *mut Handle, function: Handle) {
        current(|driver, _| unsafe { put(out, driver.function(function)?.module as Handle) })
    }

    fn cuFuncGetName(out: *mut *const c_char, function: Handle) {
        current(|driver, _| unsafe { put(out, driver.function(function)?.name.as_ptr()) })
    }

    fn cuFuncGetAttribute(out: *mut c_int, number: u32, function: Handle) {
        current(|driver, _| unsafe { put(out, attribute(driver, function, number)?) })
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

    fn cuFuncIsLoaded(state: *mut u32, function: Handle) {
        current(|driver, _| {
            driver.function(function)?;
            // CU_FUNCTION_LOADING_STATE_LOADED
            unsafe { put(state, 1) }
        })
    }

    fn cuFuncLoad(function: Handle) {
        current(|driver, _| driver.function(function).map(drop))
    }

    fn cuLibraryGetManaged(
        address: *mut DevicePointer,
        size: *mut usize,
        library: Handle,
        name: *const c_char,
    ) {
        healthy(|driver| {
            let name = unsafe { text(name) }?;
            let variables = &driver.module(library)?.variables;
            match variables.iter().any(|variable| variable.managed && variable.name == name) {
                true => unsafe { variable(driver, library, name, address, size) },
                false => Err(result::ERROR_NOT_FOUND),
            }
        })
    }
}
