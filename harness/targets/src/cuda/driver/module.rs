//! Modules: compiles, links and loads them; finds kernels, variables and references.

use std::ffi::{CStr, CString, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

use cudarc::driver::sys::{CUfunction, CUlinkState, CUmodule, CUsurfref, CUtexref};
use warpdiff_model::{AddressMode, Sampler};

use super::{CallResult, DevicePointer, Driver, Kernel, Module};
use crate::cuda::array::Array;
use crate::cuda::result::Refusal;
use crate::cuda::texture;

/// Bytes of each log of the driver's compiler.
const LOG: usize = 16 << 10;
// From cuda.h, where they are members of enums that are passed as integers here.
const FUNCTION_MAX_DYNAMIC_SHARED: c_int = 8;
const JIT_INFO_LOG_BUFFER: c_uint = 3;
const JIT_INFO_LOG_BUFFER_SIZE: c_uint = 4;
const JIT_ERROR_LOG_BUFFER: c_uint = 5;
const JIT_ERROR_LOG_BUFFER_SIZE: c_uint = 6;
const JIT_OPTIMIZATION_LEVEL: c_uint = 7;
const JIT_INPUT_PTX: c_uint = 1;

impl Driver {
    /// Compiles and loads a program. [`Driver::log`] then has the compiler's log.
    pub(in crate::cuda) fn load(&self, text: &str, level: Option<u8>) -> CallResult<Module> {
        let image =
            CString::new(text).map_err(|_| Refusal::Nonsense("the program contains a zero byte".into()))?;
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

    /// Compiles a program for linking, links it alone, and loads the result. [`Driver::log`] then has the log of compiler and
    /// linker.
    pub(in crate::cuda) fn link(&self, text: &str, level: Option<u8>) -> CallResult<Module> {
        let input =
            CString::new(text).map_err(|_| Refusal::Nonsense("the program contains a zero byte".into()))?;
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

    /// Links one program and loads the result.
    fn linked(&self, state: CUlinkState, input: &CStr) -> CallResult<CUmodule> {
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

    /// Loads a cubin.
    pub(in crate::cuda) fn load_binary(&self, cubin: &[u8]) -> CallResult<Module> {
        let mut module: CUmodule = null_mut();
        // SAFETY: `module` is a valid place; the image is an ELF file, whose head says how long it is. No options.
        unsafe {
            call!(self.cuModuleLoadDataEx(&mut module, cubin.as_ptr().cast(), 0, null_mut(), null_mut()))
        }?;
        loaded_module(module)
    }

    /// Unloads a module. Kernels of it must not be launched any more.
    pub(in crate::cuda) fn unload(&self, module: Module) -> CallResult {
        // SAFETY: the module was loaded by this driver. A stale kernel of it is the library's to refuse.
        unsafe { call!(self.cuModuleUnload(module.0)) }
    }

    /// A kernel whose parameters have these sizes.
    pub(in crate::cuda) fn kernel(
        &self,
        module: Module,
        name: &str,
        parameters: Vec<usize>,
    ) -> CallResult<Kernel> {
        let name = c_name(name)?;
        let mut function: CUfunction = null_mut();
        // SAFETY: `function` is a valid place, the module is loaded, and the name ends with a zero byte.
        unsafe { call!(self.cuModuleGetFunction(&mut function, module.0, name.as_ptr())) }?;
        Ok(Kernel { function, parameters })
    }

    /// Address and size of a variable.
    pub(in crate::cuda) fn variable(&self, module: Module, name: &str) -> CallResult<(DevicePointer, usize)> {
        let name = c_name(name)?;
        let (mut address, mut size) = (0, 0);
        // SAFETY: both places are valid, the module is loaded, and the name ends with a zero byte.
        unsafe { call!(self.cuModuleGetGlobal_v2(&mut address, &mut size, module.0, name.as_ptr())) }?;
        Ok((address, size))
    }

    /// Binds a module-scope `.surfref` to an array.
    pub(in crate::cuda) fn bind(&self, module: Module, name: &str, array: Array) -> CallResult {
        let name = c_name(name)?;
        let mut reference: CUsurfref = null_mut();
        // SAFETY: `reference` is a valid place, the module is loaded, and the name ends with a zero byte.
        unsafe { call!(self.cuModuleGetSurfRef(&mut reference, module.0, name.as_ptr())) }?;
        // SAFETY: the reference was just given, the array was made by this driver, and the flags must be 0.
        unsafe { call!(self.cuSurfRefSetArray(reference, array.handle, 0)) }
    }

    /// Binds a module-scope `.texref` to an array, with a sampler.
    pub(in crate::cuda) fn bind_texture(
        &self,
        module: Module,
        name: &str,
        array: Array,
        sampler: &Sampler,
    ) -> CallResult {
        let name = c_name(name)?;
        let described = texture::descriptor(sampler);
        let mut reference: CUtexref = null_mut();
        // SAFETY: `reference` is a valid place, the module is loaded, and the name ends with a zero byte.
        unsafe { call!(self.cuModuleGetTexRef(&mut reference, module.0, name.as_ptr())) }?;
        // Settings of a reference take effect at its next binding, so the array comes last.
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

    /// Allows a kernel this many bytes of dynamic shared memory, beyond the default limit.
    pub(in crate::cuda) fn allow_shared(&self, kernel: &Kernel, bytes: u32) -> CallResult {
        let bytes = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        // SAFETY: the function was given by this driver; the rest are numbers.
        unsafe { call!(self.cuFuncSetAttribute(kernel.function, FUNCTION_MAX_DYNAMIC_SHARED, bytes)) }
    }
}

/// Options of the driver's compiler: log buffers and optimisation level.
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

    /// The logs, errors first.
    fn said(&self) -> String {
        let text = |log: &[u8]| {
            let text = CStr::from_bytes_until_nul(log).map(|text| text.to_string_lossy().trim().to_string());
            text.unwrap_or_default()
        };
        let logs = [text(&self.error[..]), text(&self.info[..])];
        logs.into_iter().filter(|log| !log.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

fn loaded_module(module: CUmodule) -> CallResult<Module> {
    match module.is_null() {
        true => Err(Refusal::Nonsense("the library reports success but returns no module".into())),
        false => Ok(Module(module)),
    }
}

fn c_name(name: &str) -> CallResult<CString> {
    CString::new(name).map_err(|_| Refusal::Nonsense("a name contains a zero byte".into()))
}
