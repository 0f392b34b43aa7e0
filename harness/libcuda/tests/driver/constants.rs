//! `.const` variables of several modules: each module has a bank of its own.

use std::ffi::{CString, c_void};

use crate::library::{Cuda, Handle};
use crate::{module, words};

/// A module whose kernel stores what it finds in `foo[1]` by its name, by its address in `.const` and by the generic address that it
/// is passed; and the address of the first byte of the bank.
fn program(first: u32) -> String {
    module(&format!(
        ".const .u16 before = 1;
        .visible .const .u32 foo[2] = {{{first}, {}}};
        .global .u64 p = foo+4;
        .visible .entry k(.param .u64 out, .param .u64 generic)
        {{
            .reg .u32 %r;
            .reg .u64 %o, %a;
            ld.param.u64 %o, [out];
            ld.const.u32 %r, [foo+4];
            st.global.u32 [%o], %r;
            ld.global.u64 %a, [p];
            ld.const.u32 %r, [%a];
            st.global.u32 [%o+4], %r;
            ld.param.u64 %a, [generic];
            ld.u32 %r, [%a+4];
            st.global.u32 [%o+8], %r;
            cvta.to.const.u64 %a, %a;
            ld.const.u32 %r, [%a+4];
            st.global.u32 [%o+12], %r;
            ret;
        }}",
        first + 1
    ))
}

/// Address and size of a variable.
fn variable(cuda: &Cuda, module: Handle, name: &str) -> (u64, usize) {
    let name = CString::new(name).unwrap();
    let (mut address, mut size) = (0u64, 0usize);
    let get = cuda.call::<fn(*mut u64, *mut usize, Handle, *const i8)>("cuModuleGetGlobal_v2");
    assert_eq!(get(&mut address, &mut size, module, name.as_ptr().cast()), 0);
    (address, size)
}

/// What the kernel of a module stores.
fn run(cuda: &Cuda, module: Handle, generic: u64) -> Vec<u8> {
    let out = cuda.buffer(&[0; 16]);
    assert_eq!(cuda.launch(cuda.kernel(module, "k"), 1, &mut [out, generic]), 0);
    assert_eq!(cuda.synchronize(), 0);
    cuda.read(out, 16).unwrap()
}

#[test]
fn each_module_has_its_own_bank() {
    let cuda = Cuda::new();
    let modules = [10, 20].map(|first| cuda.module(&program(first)));
    for (module, value) in modules.into_iter().zip([11, 21]) {
        let (address, size) = variable(&cuda, module, "foo");
        assert_eq!((address % 4, size), (0, 8));
        assert_eq!(run(&cuda, module, address), words(&[value; 4]));
    }
    // The host writes constants between launches: of the second module alone.
    let (address, _) = variable(&cuda, modules[1], "foo");
    let copy = cuda.call::<fn(u64, *const c_void, usize)>("cuMemcpyHtoD_v2");
    assert_eq!(copy(address + 4, [99u8, 0, 0, 0].as_ptr().cast(), 4), 0);
    assert_eq!(run(&cuda, modules[1], address), words(&[99; 4]));
    let (first, _) = variable(&cuda, modules[0], "foo");
    assert_eq!(run(&cuda, modules[0], first), words(&[11; 4]));
    // What is unloaded is gone, and its place is used again by what is no constant.
    assert_eq!(cuda.call::<fn(Handle)>("cuModuleUnload")(modules[0]), 0);
    assert!(cuda.read(first, 4).is_err());
    let buffers: Vec<_> = (0..600u32).map(|n| (n, cuda.buffer(&n.to_le_bytes()))).collect();
    for (n, buffer) in buffers {
        assert_eq!(cuda.read(buffer, 4), Ok(n.to_le_bytes().to_vec()));
        assert_eq!(cuda.call::<fn(u64)>("cuMemFree_v2")(buffer), 0);
    }
    assert_eq!(run(&cuda, modules[1], address), words(&[99; 4]));
}
