//! Managed memory: host and device reach it by one address.

use std::ffi::{CString, c_void};

use crate::library::{Cuda, Handle};
use crate::{INVALID_VALUE, module};

/// `CUDA_ERROR_OUT_OF_MEMORY`
const OUT_OF_MEMORY: u32 = 2;
/// `CU_POINTER_ATTRIBUTE_IS_MANAGED`
const IS_MANAGED: u32 = 8;

const PROGRAM: &str = "
.visible .global .attribute(.managed) .u32 counter = 40;
.visible .global .u32 plain = 1;
.visible .entry add(.param .u64 to)
{
    .reg .u32 %r;
    .reg .u64 %a;
    ld.global.u32 %r, [counter];
    add.u32 %r, %r, 2;
    st.global.u32 [counter], %r;
    ld.param.u64 %a, [to];
    red.global.add.u32 [%a], %r;
    ret;
}
";

fn variable(cuda: &Cuda, module: Handle, name: &str) -> u64 {
    let name = CString::new(name).unwrap();
    let (mut address, mut size) = (0u64, 0usize);
    let get = cuda.call::<fn(*mut u64, *mut usize, Handle, *const i8)>("cuModuleGetGlobal_v2");
    assert_eq!(get(&mut address, &mut size, module, name.as_ptr().cast()), 0);
    assert_eq!(size, 4);
    address
}

fn is_managed(cuda: &Cuda, address: u64) -> bool {
    let mut found = 2u8;
    let get = cuda.call::<fn(*mut c_void, u32, u64)>("cuPointerGetAttribute");
    assert_eq!(get((&raw mut found).cast(), IS_MANAGED, address), 0);
    found == 1
}

/// Whether something of the process is at an address.
fn is_mapped(address: u64) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let ranges = maps.lines().filter_map(|line| line.split(' ').next()?.split_once('-'));
    let number = |text: &str| u64::from_str_radix(text, 16).unwrap();
    ranges
        .map(|(start, end)| (number(start), number(end)))
        .any(|(start, end)| (start..end).contains(&address))
}

/// One test, because two copies of the library have the same addresses, of which a process has one.
#[test]
fn host_and_device_reach_managed_memory_by_one_address() {
    let cuda = Cuda::new();
    let loaded = cuda.module(&module(PROGRAM));
    let (counter, plain) = (variable(&cuda, loaded, "counter"), variable(&cuda, loaded, "plain"));
    assert!(is_managed(&cuda, counter) && !is_managed(&cuda, plain));
    let mut allocated = 0u64;
    let allocate = cuda.call::<fn(*mut u64, usize, u32)>("cuMemAllocManaged");
    assert_eq!(allocate(&mut allocated, 8192, 1), 0);
    assert_eq!(allocate(&mut allocated, 8192, 0), INVALID_VALUE);
    assert!(
        is_managed(&cuda, allocated)
            && is_mapped(counter)
            && is_mapped(allocated + 8191)
            && !is_mapped(plain)
    );
    let (held, sum) = (counter as *mut u32, allocated as *mut u32);
    // SAFETY: managed memory is the host's while nothing runs.
    let read = |pointer: *mut u32| unsafe { pointer.read_volatile() };
    // SAFETY: as above.
    let write = |pointer: *mut u32, value: u32| unsafe { pointer.write_volatile(value) };
    assert_eq!((read(held), read(sum)), (40, 0));
    write(held, 7);
    write(sum, 100);
    let kernel = cuda.kernel(loaded, "add");
    assert_eq!(cuda.launch(kernel, 1, &mut [allocated]), 0);
    assert_eq!(cuda.synchronize(), 0);
    assert_eq!((read(held), read(sum)), (9, 109));
    // Copies see it as the host does.
    assert_eq!(cuda.read(counter, 4), Ok(vec![9, 0, 0, 0]));
    let copy = cuda.call::<fn(u64, *const c_void, usize)>("cuMemcpyHtoD_v2");
    assert_eq!(copy(counter, [1u8, 1, 0, 0].as_ptr().cast(), 4), 0);
    assert_eq!(read(held), 257);
    write(held, 3);
    assert_eq!(cuda.read(counter, 4), Ok(vec![3, 0, 0, 0]));
    assert_eq!(cuda.call::<fn(u64, u32, usize)>("cuMemsetD32_v2")(counter, 5, 1), 0);
    assert_eq!(read(held), 5);

    // Another library would have it at the same address, where there is no place: nothing is loaded, and nothing taken away.
    let second = Cuda::new();
    let image = CString::new(module(PROGRAM)).unwrap();
    let mut refused: Handle = std::ptr::null_mut();
    let load = second.call::<fn(*mut Handle, *const c_void)>("cuModuleLoadData");
    assert_eq!(load(&mut refused, image.as_ptr().cast()), OUT_OF_MEMORY);
    assert_eq!(read(held), 5);

    // What is freed, or unloaded, the host cannot reach any more.
    assert_eq!(cuda.call::<fn(u64)>("cuMemFree_v2")(allocated), 0);
    assert!(!is_mapped(allocated) && is_mapped(counter));
    assert_eq!(cuda.call::<fn(Handle)>("cuModuleUnload")(loaded), 0);
    assert!(!is_mapped(counter));
    let again = cuda.module(&module(PROGRAM));
    assert!(is_mapped(variable(&cuda, again, "counter")));
    let mut context: Handle = std::ptr::null_mut();
    assert_eq!(cuda.call::<fn(*mut Handle)>("cuCtxGetCurrent")(&mut context), 0);
    let counter = variable(&cuda, again, "counter");
    assert_eq!(cuda.call::<fn(Handle)>("cuCtxDestroy_v2")(context), 0);
    assert!(!is_mapped(counter));
}
