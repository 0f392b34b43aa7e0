//! The library as a client sees it: opened by path, called through its symbols.

mod constants;
mod cubins;
mod device_runtime;
mod fresh_driver;
#[cfg(feature = "inject")]
mod inject;
mod library;
mod linking;
mod managed;
mod report;
mod surfaces;
mod textures;

use std::ffi::{CStr, CString, c_char, c_void};

use library::{Cuda, Handle};

// The codes of `cuda.h`, stated again: a wrong number in the library would not be seen through its own constant.
const INVALID_VALUE: u32 = 1;
const NOT_INITIALIZED: u32 = 3;
const INVALID_CONTEXT: u32 = 201;
const INVALID_PTX: u32 = 218;
const UNSUPPORTED_PTX_VERSION: u32 = 222;
const INVALID_HANDLE: u32 = 400;
const NOT_FOUND: u32 = 500;
const ILLEGAL_ADDRESS: u32 = 700;
const LAUNCH_TIMEOUT: u32 = 702;
const MISALIGNED_ADDRESS: u32 = 716;
const LAUNCH_FAILED: u32 = 719;
const NOT_SUPPORTED: u32 = 801;

/// A module around kernels.
fn module(body: &str) -> String {
    format!(".version 8.8\n.target sm_90\n.address_size 64\n{body}")
}

const ADD: &str = "
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd0, [a];
    ld.param.u64 %rd1, [b];
    ld.param.u64 %rd2, [c];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd3, %r0, 4;
    add.u64 %rd0, %rd0, %rd3;
    add.u64 %rd1, %rd1, %rd3;
    add.u64 %rd2, %rd2, %rd3;
    ld.global.u32 %r1, [%rd0];
    ld.global.u32 %r2, [%rd1];
    add.u32 %r3, %r1, %r2;
    st.global.u32 [%rd2], %r3;
    ret;
}
";

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn vectors_are_added() {
    let cuda = Cuda::new();
    let kernel = cuda.kernel(cuda.module(&module(ADD)), "add");
    let a = cuda.buffer(&words(&[1, 2, 3, u32::MAX]));
    let b = cuda.buffer(&words(&[10, 20, 30, 1]));
    let c = cuda.buffer(&[0; 16]);
    assert_eq!(cuda.launch(kernel, 4, &mut [a, b, c]), 0);
    assert_eq!(cuda.synchronize(), 0);
    // Sums modulo 2³².
    assert_eq!(cuda.read(c, 16), Ok(words(&[11, 22, 33, 0])));
    // What was written by one launch is what the next one reads.
    assert_eq!(cuda.launch(kernel, 4, &mut [c, c, c]), 0);
    assert_eq!(cuda.read(c, 16), Ok(words(&[22, 44, 66, 0])));
}

#[test]
fn packed_arguments_lie_at_the_offsets_of_the_parameters() {
    let cuda = Cuda::new();
    // A byte, then eight bytes at the next multiple of eight.
    let text = module(
        ".visible .entry k(.param .u8 small, .param .u64 out)
        { .reg .b32 %r; .reg .b64 %rd; ld.param.u8 %r, [small]; ld.param.u64 %rd, [out]; st.global.u32 [%rd], %r; ret; }",
    );
    let kernel = cuda.kernel(cuda.module(&text), "k");
    let out = cuda.buffer(&[0; 4]);
    let mut packed = [7u64.to_le_bytes(), out.to_le_bytes()].concat();
    let mut len = packed.len();
    let size = &raw mut len;
    let mut extra: [*mut c_void; 5] = [
        std::ptr::without_provenance_mut(1),
        packed.as_mut_ptr().cast(),
        std::ptr::without_provenance_mut(2),
        size.cast(),
        std::ptr::null_mut(),
    ];
    assert_eq!(cuda.launch_packed(kernel, &mut extra), 0);
    assert_eq!(cuda.read(out, 4), Ok(words(&[7])));
    // SAFETY: it points to `len`.
    unsafe { size.write(15) };
    assert_eq!(cuda.launch_packed(kernel, &mut extra), INVALID_VALUE);
}

#[test]
fn module_variables_persist_and_modules_do_not_share_them() {
    let cuda = Cuda::new();
    let text = module(
        ".visible .global .u32 count = 40;
        .visible .entry k() { .reg .b32 %r; ld.global.u32 %r, [count]; add.u32 %r, %r, 1; st.global.u32 [count], %r; ret; }",
    );
    let modules = [cuda.module(&text), cuda.module(&text)];
    let get = cuda.call::<fn(*mut u64, *mut usize, Handle, *const c_char)>("cuModuleGetGlobal_v2");
    let addresses = modules.map(|loaded| {
        let (mut address, mut size) = (0, 0);
        assert_eq!(get(&mut address, &mut size, loaded, c"count".as_ptr()), 0);
        assert_eq!(size, 4);
        address
    });
    let kernel = cuda.kernel(modules[1], "k");
    assert_eq!(cuda.launch(kernel, 1, &mut []), 0);
    assert_eq!(cuda.launch(kernel, 1, &mut []), 0);
    assert_eq!(cuda.read(addresses[0], 4), Ok(words(&[40])));
    assert_eq!(cuda.read(addresses[1], 4), Ok(words(&[42])));
}

#[test]
fn a_trap_sticks() {
    let cuda = Cuda::new();
    let loaded = cuda.module(&module(
        ".visible .entry stop(.param .u64 out)
        { .reg .b64 %rd; ld.param.u64 %rd, [out]; st.global.u32 [%rd], 5; trap; }",
    ));
    let kernel = cuda.kernel(loaded, "stop");
    let out = cuda.buffer(&[0; 4]);
    // The launch itself is asynchronous.
    assert_eq!(cuda.launch(kernel, 1, &mut [out]), 0);
    assert_eq!(cuda.synchronize(), LAUNCH_FAILED);
    assert_eq!(cuda.synchronize(), LAUNCH_FAILED);
    assert_eq!(cuda.read(out, 4), Err(LAUNCH_FAILED));
    assert_eq!(cuda.launch(kernel, 1, &mut [out]), LAUNCH_FAILED);
    assert_eq!(cuda.call::<fn(u64)>("cuMemFree_v2")(out), LAUNCH_FAILED);
    // "To continue using CUDA, the process must be terminated and relaunched": a new context does not help.
    let mut context: Handle = std::ptr::null_mut();
    assert_eq!(cuda.call::<fn(*mut Handle, u32, i32)>("cuCtxCreate_v2")(&mut context, 0, 0), LAUNCH_FAILED);
    // What needs no context still answers.
    let mut count = 0;
    assert_eq!(cuda.call::<fn(*mut i32)>("cuDeviceGetCount")(&mut count), 0);
    assert_eq!(count, 1);
}

#[test]
fn faults_have_the_codes_that_cuda_documents() {
    let store = |address: &str| {
        module(&format!(
            ".visible .entry k(.param .u64 out)
            {{ .reg .b64 %rd; ld.param.u64 %rd, [out]; st.global.u32 [%rd+{address}], 5; ret; }}"
        ))
    };
    // A buffer of eight bytes: one word past its end, and a word that begins in the middle of one.
    for (offset, code) in [("8", ILLEGAL_ADDRESS), ("2", MISALIGNED_ADDRESS), ("4", 0)] {
        let cuda = Cuda::new();
        let kernel = cuda.kernel(cuda.module(&store(offset)), "k");
        let out = cuda.buffer(&[0; 8]);
        assert_eq!(cuda.launch(kernel, 1, &mut [out]), 0);
        assert_eq!(cuda.synchronize(), code, "at offset {offset}");
    }
    let cuda = Cuda::new();
    let kernel = cuda.kernel(cuda.module(&store("0")), "k");
    let out = cuda.buffer(&[0; 8]);
    assert_eq!(cuda.call::<fn(u64)>("cuMemFree_v2")(out), 0);
    assert_eq!(cuda.launch(kernel, 1, &mut [out]), 0);
    assert_eq!(cuda.synchronize(), ILLEGAL_ADDRESS, "after it was freed");
}

#[test]
fn what_was_stored_before_a_fault_is_in_mapped_host_memory() {
    let cuda = Cuda::new();
    let loaded = cuda.module(&module(
        ".visible .entry stop(.param .u64 out)
        { .reg .b64 %rd; ld.param.u64 %rd, [out]; st.global.u32 [%rd+4], 5; trap; }",
    ));
    let kernel = cuda.kernel(loaded, "stop");
    let mut host: *mut c_void = std::ptr::null_mut();
    assert_eq!(cuda.call::<fn(*mut *mut c_void, usize, u32)>("cuMemHostAlloc")(&mut host, 8, 2), 0);
    let mut device = 0u64;
    let pointer = cuda.call::<fn(*mut u64, *mut c_void, u32)>("cuMemHostGetDevicePointer_v2");
    assert_eq!(pointer(&mut device, host, 0), 0);
    // SAFETY: eight bytes were allocated.
    unsafe { host.cast::<[u32; 2]>().write([1, 2]) };
    assert_eq!(cuda.launch(kernel, 1, &mut [device]), 0);
    assert_eq!(cuda.synchronize(), LAUNCH_FAILED);
    // SAFETY: as above.
    assert_eq!(unsafe { host.cast::<[u32; 2]>().read() }, [1, 5]);
}

/// The launch has the usual budget, and whoever mistyped theirs reads why it times out late.
#[test]
fn a_step_budget_that_is_no_number_is_ignored_and_said() {
    const BUDGET: &str = "WARPDIFF_CUDA_STEP_BUDGET";
    if std::env::var_os(BUDGET).is_none() {
        let test = std::env::current_exe().expect("the test knows where it is");
        let mut again = std::process::Command::new(test);
        let again =
            again.args(["--exact", "a_step_budget_that_is_no_number_is_ignored_and_said", "--nocapture"]);
        let output = again.env(BUDGET, "1e6").output().expect("the test runs again");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && out.contains("1 passed"), "{out}{err}");
        let said = "WARPDIFF_CUDA_STEP_BUDGET=1e6 is ignored: expected a number of thread-instructions";
        assert!(err.contains(said), "{err}");
        return;
    }
    let cuda = Cuda::new();
    let kernel = cuda.kernel(cuda.module(&module(".visible .entry k() { ret; }")), "k");
    assert_eq!(cuda.launch(kernel, 1, &mut []), 0);
    assert_eq!(cuda.synchronize(), 0);
}

/// The budget is read from the environment, which is safe to set for a process of its own only.
#[test]
fn an_endless_loop_times_out() {
    const BUDGET: &str = "WARPDIFF_CUDA_STEP_BUDGET";
    if std::env::var_os(BUDGET).is_none() {
        let test = std::env::current_exe().expect("the test knows where it is");
        let mut again = std::process::Command::new(test);
        let again = again.args(["--exact", "an_endless_loop_times_out"]).env(BUDGET, "100000").output();
        let output = again.expect("the test runs again");
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && out.contains("1 passed"), "{out}");
        return;
    }
    let cuda = Cuda::new();
    let kernel = cuda.kernel(cuda.module(&module(".visible .entry k() { L: bra L; }")), "k");
    assert_eq!(cuda.launch(kernel, 1, &mut []), 0);
    assert_eq!(cuda.synchronize(), LAUNCH_TIMEOUT);
}

/// Loads a program with an error log and answers the code and the log.
fn load_with_log(cuda: &Cuda, text: &str) -> (u32, String) {
    let image = CString::new(text).expect("no NUL");
    let mut log = vec![0u8; 4096];
    // CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
    let mut keys = [5u32, 6];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), log.len() as *mut c_void];
    let mut loaded: Handle = std::ptr::null_mut();
    type Load = fn(*mut Handle, *const c_void, u32, *mut u32, *mut *mut c_void);
    let load = cuda.call::<Load>("cuModuleLoadDataEx");
    let code = load(&mut loaded, image.as_ptr().cast(), 2, keys.as_mut_ptr(), values.as_mut_ptr());
    let written = values[1] as usize;
    let text = CStr::from_bytes_until_nul(&log).expect("a NUL").to_str().expect("text").to_owned();
    let expected = if text.is_empty() { 0 } else { text.len() + 1 };
    assert_eq!(written, expected, "the size of the log counts its NUL");
    (code, text)
}

#[test]
fn the_log_shows_what_is_wrong_and_where() {
    let cuda = Cuda::new();
    let (code, log) = load_with_log(&cuda, &module(".visible .entry k() { retrun; }"));
    assert_eq!(code, INVALID_PTX);
    assert!(log.contains("unknown opcode `retrun`"), "{log}");
    assert!(log.contains("<ptx>:4:23"), "{log}");
    assert!(log.contains("^^^^^^"), "{log}");
    assert_eq!(load_with_log(&cuda, &module(".visible .entry k() { ret; }")), (0, String::new()));
    let newer = module("").replace("8.8", "9.0");
    assert_eq!(load_with_log(&cuda, &newer).0, UNSUPPORTED_PTX_VERSION);
    let newer = module("").replace("sm_90", "sm_100");
    assert_eq!(load_with_log(&cuda, &newer).0, INVALID_PTX);
}

#[test]
fn what_cannot_be_sampled_is_refused_by_name() {
    let cuda = Cuda::new();
    let (code, log) = load_with_log(
        &cuda,
        &module(
            ".global .texref image;
            .visible .entry k() { .reg .f32 %f<4>; tex.1d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [image, {%f0}], %f1; ret; }",
        ),
    );
    assert_eq!(code, NOT_SUPPORTED, "{log}");
    assert!(log.contains("unsupported") && log.contains("tex"), "{log}");
}

/// What is legal PTX, as ptxas 12.9 says, and not run: 801, also where other errors follow from it.
#[test]
fn what_is_not_run_is_not_called_invalid() {
    let cuda = Cuda::new();
    let instructions = [
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r0,%r1}, {%f0,%f1,%f2,%f3};",
        "barrier.cluster.arrive.aligned;",
        "barrier.cluster.wait.acquire.aligned;",
        "red.global.v4.f32.add [%rd0], {%f0,%f1,%f2,%f3};",
        "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.add.u32 [%r0], %r1, [%r2];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r0], %r1, [%r2];",
        "tanh.approx.bf16x2 %r0, %r1;",
        "ex2.approx.ftz.bf16x2 %r0, %r1;",
        "cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1;",
        "cp.async.ca.shared.global [%r0], [%rd0], 16;",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%r0];",
        "vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;",
        // A real error beside it, as a follow-on error would be.
        "wgmma.fence.sync.aligned; mov.u32 %undeclared, 1;",
    ];
    for instruction in instructions {
        let text = module(&format!(
            ".visible .entry k() {{ .reg .b16 %h<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .f32 %f<4>; {instruction} ret; }}"
        ));
        let (code, log) = load_with_log(&cuda, &text);
        assert_eq!(code, NOT_SUPPORTED, "{instruction}\n{log}");
    }
    // More errors than are listed do not hide it.
    let wrong = "mov.u32 %undeclared, 1; ".repeat(100);
    let text = module(&format!(".visible .entry k() {{ {wrong} wgmma.fence.sync.aligned; ret; }}"));
    assert_eq!(load_with_log(&cuda, &text).0, NOT_SUPPORTED);
    let text = module(&format!(".visible .entry k() {{ {wrong} ret; }}"));
    assert_eq!(load_with_log(&cuda, &text).0, INVALID_PTX);
}

#[test]
fn nothing_works_before_its_time() {
    let cuda = Cuda::uninitialised();
    let mut count = 0;
    assert_eq!(cuda.call::<fn(*mut i32)>("cuDeviceGetCount")(&mut count), NOT_INITIALIZED);
    let mut version = 0;
    assert_eq!(cuda.call::<fn(*mut i32)>("cuDriverGetVersion")(&mut version), 0);
    assert_eq!(version, 12090);
    assert_eq!(cuda.call::<fn(u32)>("cuInit")(1), INVALID_VALUE);
    assert_eq!(cuda.call::<fn(u32)>("cuInit")(0), 0);
    assert_eq!(cuda.synchronize(), INVALID_CONTEXT);
    assert_eq!(cuda.call::<fn(*mut i32)>("cuDeviceGetCount")(std::ptr::null_mut()), INVALID_VALUE);
}

#[test]
fn contexts_stack() {
    let cuda = Cuda::uninitialised();
    assert_eq!(cuda.call::<fn(u32)>("cuInit")(0), 0);
    let create = cuda.call::<fn(*mut Handle, u32, i32)>("cuCtxCreate_v2");
    let current = || {
        let mut context: Handle = std::ptr::null_mut();
        assert_eq!(cuda.call::<fn(*mut Handle)>("cuCtxGetCurrent")(&mut context), 0);
        context
    };
    let (mut first, mut second): (Handle, Handle) = (std::ptr::null_mut(), std::ptr::null_mut());
    assert_eq!(create(&mut first, 0, 0), 0);
    assert_eq!(create(&mut second, 0, 0), 0);
    assert_eq!(create(&mut second, 0, 1), 101, "there is one device");
    assert_eq!(current(), second);
    let mut popped: Handle = std::ptr::null_mut();
    assert_eq!(cuda.call::<fn(*mut Handle)>("cuCtxPopCurrent_v2")(&mut popped), 0);
    assert_eq!((popped, current()), (second, first));
    assert_eq!(cuda.call::<fn(Handle)>("cuCtxPushCurrent_v2")(second), 0);
    assert_eq!(cuda.call::<fn(Handle)>("cuCtxDestroy_v2")(second), 0);
    assert_eq!(current(), first);
    assert_eq!(cuda.call::<fn(Handle)>("cuCtxSetCurrent")(second), INVALID_CONTEXT);
    assert_eq!(cuda.call::<fn(Handle)>("cuCtxSetCurrent")(std::ptr::null_mut()), 0);
    assert!(current().is_null());
}

#[test]
fn entry_points_are_found_by_name_and_version() {
    let cuda = Cuda::new();
    type Get = fn(*const c_char, *mut *mut c_void, i32, u64, *mut u32);
    let get = cuda.call::<Get>("cuGetProcAddress_v2");
    let find = |name: &CStr, version: i32| {
        let (mut address, mut status): (*mut c_void, u32) = (std::ptr::null_mut(), 9);
        assert_eq!(get(name.as_ptr(), &mut address, version, 0, &mut status), 0);
        (address, status)
    };
    let symbol = |name: &str| cuda.address(name);
    assert_eq!(find(c"cuCtxCreate", 3020), (symbol("cuCtxCreate_v2"), 0));
    assert_eq!(find(c"cuCtxCreate", 12040), (symbol("cuCtxCreate_v3"), 0));
    assert_eq!(find(c"cuCtxCreate", 12090), (symbol("cuCtxCreate_v4"), 0));
    assert_eq!(find(c"cuInit", 12090), (symbol("cuInit"), 0));
    // Found, not served.
    assert_eq!(find(c"cuGraphCreate", 12090), (symbol("cuGraphCreate"), 0));
    assert_eq!(find(c"cuCtxCreate", 2000), (std::ptr::null_mut(), 2));
    assert_eq!(find(c"cuNonsense", 12090), (std::ptr::null_mut(), 1));
    // The manual: "CUDA_SUCCESS and set the returned pfn to NULL if … the driver symbol is invalid"; the status is optional.
    assert_eq!(find(c"", 0), (std::ptr::null_mut(), 1));
    let mut address: *mut c_void = std::ptr::without_provenance_mut(1);
    assert_eq!(get(c"cuNonsense".as_ptr(), &mut address, 12090, 0, std::ptr::null_mut()), 0);
    assert!(address.is_null());
    // Introduced by CUDA 2.0, 11.2 and 4.0; older versions had none. The first `cuMemAlloc` took addresses of 32 bits.
    assert_eq!(find(c"cuInit", 2000), (symbol("cuInit"), 0));
    assert_eq!(find(c"cuInit", 1000), (std::ptr::null_mut(), 2));
    assert_eq!(find(c"cuMemAllocAsync", 11010), (std::ptr::null_mut(), 2));
    assert_eq!(find(c"cuMemAllocAsync", 11020), (symbol("cuMemAllocAsync"), 0));
    assert_eq!(find(c"cuLaunchKernel", 3020), (std::ptr::null_mut(), 2));
    assert_eq!(find(c"cuLaunchKernel", 4000), (symbol("cuLaunchKernel"), 0));
    assert_eq!(find(c"cuMemAlloc", 2000), (std::ptr::null_mut(), 2));
    // The function of CUDA 11.3, without a status, returns an error.
    let oldest = cuda.call::<fn(*const c_char, *mut *mut c_void, i32, u64)>("cuGetProcAddress");
    assert_eq!(oldest(c"cuNonsense".as_ptr(), &mut address, 12090, 0), NOT_FOUND);
    assert_eq!(oldest(c"cuInit".as_ptr(), &mut address, 2000, 0), 0);
    assert_eq!(address, symbol("cuInit"));
    // The manual: "If the specified CUDA version is greater than the driver version, the API will return CUDA_ERROR_INVALID_VALUE". Flags
    // are 0, 1 (legacy stream) and 2 (a default stream per thread).
    let mut status = 9;
    for (version, flags, expected) in [
        (12090, 1, 0),
        (12090, 2, 0),
        (12090, 3, INVALID_VALUE),
        (12091, 0, INVALID_VALUE),
        (13000, 0, INVALID_VALUE),
    ] {
        let code = get(c"cuInit".as_ptr(), &mut address, version, flags, &mut status);
        assert_eq!(code, expected, "version {version}, flags {flags}");
        assert_eq!(oldest(c"cuInit".as_ptr(), &mut address, version, flags), expected);
    }
}

#[test]
fn what_is_not_served_says_so() {
    let cuda = Cuda::new();
    let mut graph: Handle = std::ptr::null_mut();
    assert_eq!(cuda.call::<fn(*mut Handle, u32)>("cuGraphCreate")(&mut graph, 0), NOT_SUPPORTED);
    let mut name: *const c_char = std::ptr::null();
    assert_eq!(cuda.call::<fn(u32, *mut *const c_char)>("cuGetErrorName")(NOT_SUPPORTED, &mut name), 0);
    // SAFETY: a string of the library.
    assert_eq!(unsafe { CStr::from_ptr(name) }, c"CUDA_ERROR_NOT_SUPPORTED");
    assert_eq!(cuda.call::<fn(u32, *mut *const c_char)>("cuGetErrorName")(4242, &mut name), INVALID_VALUE);
    assert!(name.is_null());
}

#[test]
fn fills_and_copies_stay_inside_allocations() {
    let cuda = Cuda::new();
    let buffer = cuda.buffer(&[0; 8]);
    assert_eq!(cuda.call::<fn(u64, u16, usize)>("cuMemsetD16_v2")(buffer + 2, 0x1234, 2), 0);
    assert_eq!(cuda.read(buffer, 8), Ok(vec![0, 0, 0x34, 0x12, 0x34, 0x12, 0, 0]));
    assert_eq!(cuda.call::<fn(u64, u16, usize)>("cuMemsetD16_v2")(buffer + 2, 1, 4), INVALID_VALUE);
    assert_eq!(cuda.call::<fn(u64, u16, usize)>("cuMemsetD16_v2")(buffer + 1, 1, 1), INVALID_VALUE);
    assert_eq!(cuda.read(buffer, 9), Err(INVALID_VALUE));
    assert_eq!(cuda.read(buffer + 8, 1), Err(INVALID_VALUE));
    assert_eq!(cuda.call::<fn(u64)>("cuMemFree_v2")(buffer + 1), INVALID_VALUE);
    assert_eq!(cuda.call::<fn(u64)>("cuMemFree_v2")(buffer), 0);
    assert_eq!(cuda.call::<fn(u64)>("cuMemFree_v2")(buffer), INVALID_VALUE);
}

#[test]
fn a_context_takes_its_memory_with_it() {
    let cuda = Cuda::new();
    let free = || {
        let (mut free, mut total) = (0usize, 0usize);
        assert_eq!(cuda.call::<fn(*mut usize, *mut usize)>("cuMemGetInfo_v2")(&mut free, &mut total), 0);
        (free, total)
    };
    let (before, total) = free();
    assert_eq!(before, total);
    let mut second: Handle = std::ptr::null_mut();
    assert_eq!(cuda.call::<fn(*mut Handle, u32, i32)>("cuCtxCreate_v2")(&mut second, 0, 0), 0);
    cuda.buffer(&[0; 4096]);
    assert_eq!(free(), (total - 4096, total));
    assert_eq!(cuda.call::<fn(Handle)>("cuCtxDestroy_v2")(second), 0);
    assert_eq!(free(), (total, total));
    // More than there is.
    let mut address = 0u64;
    assert_eq!(cuda.call::<fn(*mut u64, usize)>("cuMemAlloc_v2")(&mut address, total + 1), 2);
    assert_eq!(cuda.call::<fn(*mut u64, usize)>("cuMemAlloc_v2")(&mut address, 0), INVALID_VALUE);
}
