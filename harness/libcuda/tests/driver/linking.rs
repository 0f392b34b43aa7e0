//! Programs that a linker finishes.

use std::ffi::c_void;

use crate::library::{Cuda, Handle};
use crate::{INVALID_HANDLE, INVALID_PTX, NOT_SUPPORTED, module};

/// A link under way.
fn begin(cuda: &Cuda) -> Handle {
    let mut state: Handle = std::ptr::null_mut();
    let null = std::ptr::null_mut::<c_void>();
    type Create = fn(u32, *mut c_void, *mut c_void, *mut Handle);
    assert_eq!(cuda.call::<Create>("cuLinkCreate_v2")(0, null, null, &mut state), 0);
    state
}

/// The module that a link gives.
fn finish(cuda: &Cuda, state: Handle) -> Handle {
    let (mut image, mut size): (*mut c_void, usize) = (std::ptr::null_mut(), 0);
    let complete = cuda.call::<fn(Handle, *mut *mut c_void, *mut usize)>("cuLinkComplete");
    assert_eq!(complete(state, &mut image, &mut size), 0);
    let mut loaded: Handle = std::ptr::null_mut();
    assert_eq!(cuda.call::<fn(*mut Handle, *const c_void)>("cuModuleLoadData")(&mut loaded, image), 0);
    assert_eq!(cuda.call::<fn(Handle)>("cuLinkDestroy")(state), 0);
    loaded
}

#[test]
fn what_is_linked_can_be_loaded() {
    let cuda = Cuda::new();
    let state = begin(&cuda);
    let text = module(".visible .entry k() { ret; }");
    assert_eq!(cuda.link(state, text.as_bytes()), 0);
    assert_eq!(cuda.link(state, b".version 8.8\n.target sm_90\nnonsense"), INVALID_PTX);
    cuda.kernel(finish(&cuda, state), "k");
    assert_eq!(cuda.call::<fn(Handle)>("cuLinkDestroy")(state), INVALID_HANDLE);
}

/// ptxas takes `.unified` in relocatable objects alone, so that a program with it is refused when it is loaded and taken when it is
/// linked. "Variables with .unified attribute … must be loaded by specifying .unified qualifier" (PTX ISA 5.4.8).
#[test]
fn unified_variables_are_linked() {
    let cuda = Cuda::new();
    let text = module(
        ".visible .global .attribute(.unified(1, 2)) .u32 a[2] = {7, 8};
        .visible .entry k(.param .u64 out)
        {
            .reg .u32 %r;
            .reg .u64 %o;
            ld.param.u64 %o, [out];
            ld.global.u32 %r, [a+4].unified;
            st.global.u32 [%o], %r;
            ret;
        }",
    );
    let image = std::ffi::CString::new(text.as_str()).unwrap();
    let mut alone: Handle = std::ptr::null_mut();
    let load = cuda.call::<fn(*mut Handle, *const c_void)>("cuModuleLoadData");
    assert_eq!(load(&mut alone, image.as_ptr().cast()), INVALID_PTX);
    let state = begin(&cuda);
    assert_eq!(cuda.link(state, text.as_bytes()), 0);
    let kernel = cuda.kernel(finish(&cuda, state), "k");
    let out = cuda.buffer(&[0; 4]);
    assert_eq!(cuda.launch(kernel, 1, &mut [out]), 0);
    assert_eq!(cuda.synchronize(), 0);
    assert_eq!(cuda.read(out, 4), Ok(vec![8, 0, 0, 0]));
}

/// One program is linked alone: what it wants of others is not there.
#[test]
fn nothing_is_taken_from_other_programs() {
    let cuda = Cuda::new();
    let state = begin(&cuda);
    let text = module(".extern .global .u32 a[]; .visible .entry k() { ret; }");
    assert_eq!(cuda.link(state, text.as_bytes()), NOT_SUPPORTED);
    let text = module(".extern .shared .u32 a[]; .visible .entry k() { ret; }");
    assert_eq!(cuda.link(state, text.as_bytes()), 0);
    cuda.kernel(finish(&cuda, state), "k");
}
