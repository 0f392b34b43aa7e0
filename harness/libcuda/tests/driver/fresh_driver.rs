//! `warpdiffFreshDriver`: after a fault the process begins again, with nothing of what was.

use std::ffi::c_void;

use crate::library::{Cuda, Handle};
use crate::{
    ILLEGAL_ADDRESS, INVALID_CONTEXT, INVALID_HANDLE, LAUNCH_FAILED, NOT_INITIALIZED, module, words,
};

/// Stores 5 at the address in its argument, and does so 16 bytes further.
const STORES: &str = ".visible .entry k(.param .u64 out)
    { .reg .b64 %rd; ld.param.u64 %rd, [out]; st.global.u32 [%rd], 5; st.global.u32 [%rd+16], 6; ret; }";

fn fresh(cuda: &Cuda) -> u32 {
    cuda.call::<fn()>("warpdiffFreshDriver")()
}

fn context(cuda: &Cuda) -> Handle {
    let mut context: Handle = std::ptr::null_mut();
    assert_eq!(cuda.call::<fn(*mut Handle, i32)>("cuDevicePrimaryCtxRetain")(&mut context, 0), 0);
    assert_eq!(cuda.call::<fn(Handle)>("cuCtxSetCurrent")(context), 0);
    context
}

#[test]
fn after_a_fault_a_process_begins_again() {
    let cuda = Cuda::new();
    for _ in 0..3 {
        let kernel = cuda.kernel(cuda.module(&module(STORES)), "k");
        let (small, large) = (cuda.buffer(&[0; 4]), cuda.buffer(&[0; 20]));
        assert_eq!(cuda.launch(kernel, 1, &mut [large]), 0);
        assert_eq!(cuda.read(large, 20).unwrap()[16..], words(&[6]));
        assert_eq!(cuda.launch(kernel, 1, &mut [small]), 0);
        assert_eq!(cuda.synchronize(), ILLEGAL_ADDRESS);
        assert_eq!(cuda.synchronize(), ILLEGAL_ADDRESS);
        assert_eq!(fresh(&cuda), 0);
        // Nothing is current, and what was made is that of nobody.
        assert_eq!(cuda.synchronize(), INVALID_CONTEXT);
        context(&cuda);
        assert_eq!(cuda.launch(kernel, 1, &mut [large]), INVALID_HANDLE);
        assert_ne!(cuda.read(large, 20), Ok(words(&[5, 0, 0, 0, 6])));
        assert_eq!(cuda.synchronize(), 0);
    }
}

#[test]
fn memory_that_a_context_took_with_it_can_be_had_again() {
    let cuda = Cuda::new();
    let kernel = cuda.kernel(cuda.module(&module(".visible .entry k() { trap; }")), "k");
    let free = |cuda: &Cuda| {
        let (mut free, mut total) = (0usize, 0usize);
        assert_eq!(cuda.call::<fn(*mut usize, *mut usize)>("cuMemGetInfo_v2")(&mut free, &mut total), 0);
        free
    };
    let before = free(&cuda);
    cuda.buffer(&[1; 1000]);
    let mut host: *mut c_void = std::ptr::null_mut();
    assert_eq!(cuda.call::<fn(*mut *mut c_void, usize, u32)>("cuMemHostAlloc")(&mut host, 8, 2), 0);
    assert!(free(&cuda) < before);
    assert_eq!((cuda.launch(kernel, 1, &mut []), cuda.synchronize()), (0, LAUNCH_FAILED));
    assert_eq!(fresh(&cuda), 0);
    context(&cuda);
    assert_eq!(free(&cuda), before);
}

#[test]
fn what_never_began_cannot_begin_again() {
    assert_eq!(fresh(&Cuda::uninitialised()), NOT_INITIALIZED);
}
