//! `cuLink*`: links one PTX program. There is no machine code: the result is that program, to be loaded as an image.

use std::ffi::{CString, c_char, c_void};

use warpdiff_ptx::checked::{Module, Variable};
use warpdiff_ptx::vocabulary::Space;

use crate::abi::Handle;
use crate::boundary::{current, entries};
use crate::driver::{Driver, Object};
use crate::jit::{self, Options};
use crate::pointer::{Out, Terminated, host_bytes};
use crate::remark::unsupported;
use crate::result::{self, CallResult};

/// `CU_JIT_INPUT_PTX`
const INPUT_PTX: u32 = 1;

/// Prefix of a linked program, so that loading accepts features that need a linker.
pub(crate) const LINKED: &str = "// finished by cuLinkComplete\n";

/// A link in progress.
pub(crate) struct Linker {
    options: Options,
    /// The programs added.
    programs: Vec<CString>,
}

/// Adds a program, which must be right by itself.
fn add(driver: &mut Driver, state: Handle, kind: u32, bytes: &[u8]) -> CallResult {
    let linker = driver.linker_mut(state)?;
    if kind != INPUT_PTX {
        return unsupported(&format!("linking of inputs of kind {kind}"));
    }
    let program = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = std::str::from_utf8(program).map_err(|_| result::ERROR_INVALID_IMAGE)?;
    let module = jit::compile(text, true, &linker.options)?;
    if let Some(name) = wanted(&module) {
        return unsupported(&format!("linking of `{name}`, which another program defines"));
    }
    let image = format!("{LINKED}{text}");
    linker.programs.push(CString::new(image).map_err(|_| result::ERROR_INVALID_IMAGE)?);
    Ok(())
}

/// An external variable of a program, except `.shared` ones, which the launch sizes.
fn wanted(module: &Module) -> Option<&str> {
    let wanted = |variable: &&Variable| variable.external && variable.space != Space::Shared;
    module.variables.iter().find(wanted).map(|variable| variable.name.as_str())
}

entries! {
    fn cuLinkCreate_v2(count: u32, keys: *mut u32, values: *mut *mut c_void, out: Out<Handle>) {
        // SAFETY: the client says that there are `count` keys and values, and keeps its logs until it calls `cuLinkDestroy`.
        let options = unsafe { Options::read(count, keys, values) }?;
        current(|driver, context| {
            out.required()?;
            let linker = Linker { options, programs: Vec::new() };
            let handle = driver.insert(context, Object::Linker(linker));
            out.put(handle)
        })
    }

    fn cuLinkAddData_v2(
        state: Handle,
        kind: u32,
        data: *const c_void,
        size: usize,
        _name: *const c_char,
        _count: u32,
        _keys: *mut u32,
        _values: *mut *mut c_void,
    ) {
        current(|driver, _| {
            // SAFETY: the client says that the program has `size` bytes.
            let bytes = unsafe { host_bytes(data.cast(), size) }?;
            add(driver, state, kind, &bytes)
        })
    }

    fn cuLinkAddFile_v2(
        state: Handle,
        kind: u32,
        path: Terminated,
        _count: u32,
        _keys: *mut u32,
        _values: *mut *mut c_void,
    ) {
        current(|driver, _| {
            let bytes = std::fs::read(path.text()?).map_err(|_| result::ERROR_FILE_NOT_FOUND)?;
            add(driver, state, kind, &bytes)
        })
    }

    fn cuLinkComplete(state: Handle, image: Out<*const c_void>, size: Out<usize>) {
        current(|driver, _| {
            let linker = driver.linker(state)?;
            match linker.programs.as_slice() {
                [] => Err(result::ERROR_INVALID_VALUE),
                [program] => {
                    image.put(program.as_ptr().cast())?;
                    let len = program.as_bytes_with_nul().len();
                    size.put_if_wanted(len)
                }
                _ => unsupported("linking of several programs"),
            }
        })
    }

    fn cuLinkDestroy(state: Handle) {
        current(|driver, _| {
            driver.linker(state)?;
            driver.objects.remove(&(state as u64));
            Ok(())
        })
    }
}
