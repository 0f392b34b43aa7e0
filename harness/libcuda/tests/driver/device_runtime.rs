//! Functions of the device runtime that a kernel calls: `vprintf`, `__assertfail`, and those that it cannot.

use crate::library::Cuda;
use crate::{INVALID_PTX, NOT_SUPPORTED, load_with_log, module, words};

const ASSERT: u32 = 710;

/// Set where the test runs as a process of its own, whose streams are looked at.
const CHILD: &str = "WARPDIFF_TEST_CHILD";

/// Runs this test again in a process of its own; answers its output and its standard error, or `None` in that process.
fn streams_of(test: &str) -> Option<(String, String)> {
    if std::env::var_os(CHILD).is_some() {
        return None;
    }
    let program = std::env::current_exe().expect("the test knows where it is");
    let name = format!("device_runtime::{test}");
    let output = std::process::Command::new(program)
        .args(["--exact", &name, "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .expect("the test runs again");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{out}{err}");
    Some((out, err))
}

/// What nvcc makes of `int n = printf("%d %s %.2f %lld\n", tid + 7, "hi", 0.5 * tid, -5LL); out[tid] = n;`: the arguments in a local
/// buffer, each at a multiple of its size.
const PRINTS: &str = "
.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 valist);
.global .align 1 .b8 text[17] = {37,100,32,37,115,32,37,46,50,102,32,37,108,108,100,10,0};
.global .align 1 .b8 word[3] = {104,105,0};
.visible .entry prints(.param .u64 out)
{
    .local .align 8 .b8 list[32];
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    .reg .f64 %d<4>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    add.u32 %r1, %r0, 7;
    st.local.u32 [list], %r1;
    mov.u64 %rd1, word;
    cvta.global.u64 %rd1, %rd1;
    st.local.u64 [list+8], %rd1;
    cvt.rn.f64.u32 %d0, %r0;
    mul.f64 %d0, %d0, 0.5;
    st.local.f64 [list+16], %d0;
    mov.u64 %rd2, -5;
    st.local.u64 [list+24], %rd2;
    mov.u64 %rd3, list;
    cvta.local.u64 %rd3, %rd3;
    mov.u64 %rd4, text;
    cvta.global.u64 %rd4, %rd4;
    {
        .param .b64 format;
        .param .b64 arguments;
        .param .b32 result;
        st.param.b64 [format], %rd4;
        st.param.b64 [arguments], %rd3;
        call.uni (result), vprintf, (format, arguments);
        ld.param.b32 %r2, [result];
    }
    mul.wide.u32 %rd5, %r0, 4;
    add.u64 %rd0, %rd0, %rd5;
    st.global.u32 [%rd0], %r2;
    ret;
}
";

#[test]
fn a_kernel_prints_to_the_standard_output() {
    if let Some((out, _)) = streams_of("a_kernel_prints_to_the_standard_output") {
        assert!(out.contains("7 hi 0.00 -5\n8 hi 0.50 -5\n9 hi 1.00 -5\n"), "{out}");
        return;
    }
    let cuda = Cuda::new();
    let kernel = cuda.kernel(cuda.module(&module(PRINTS)), "prints");
    let out = cuda.buffer(&[0; 12]);
    assert_eq!(cuda.launch(kernel, 3, &mut [out]), 0);
    // "printf() returns the number of arguments parsed."
    assert_eq!(cuda.read(out, 12), Ok(words(&[4, 4, 4])));
}

/// What nvcc makes of `assert(tid != 1)`: thread 1 fails, and thread 0 has stored before.
const ASSERTS: &str = "
.extern .func __assertfail (.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);
.global .align 1 .b8 message[9] = {116,105,100,32,33,61,32,49,0};
.global .align 1 .b8 file[5] = {97,46,99,117,0};
.global .align 1 .b8 function[11] = {118,111,105,100,32,107,40,105,110,116,0};
.visible .entry k(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %rd<8>;
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %p, %r0, 1;
    @%p bra fine;
    mov.u64 %rd1, message;
    cvta.global.u64 %rd1, %rd1;
    mov.u64 %rd2, file;
    cvta.global.u64 %rd2, %rd2;
    mov.u64 %rd3, function;
    cvta.global.u64 %rd3, %rd3;
    {
        .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
        st.param.b64 [a], %rd1;
        st.param.b64 [b], %rd2;
        st.param.b32 [c], 17;
        st.param.b64 [d], %rd3;
        st.param.b64 [e], 1;
        call.uni __assertfail, (a, b, c, d, e);
    }
fine:
    ret;
}
";

#[test]
fn a_failed_assertion_is_said_on_the_standard_error_and_ends_the_context() {
    if let Some((_, err)) =
        streams_of("a_failed_assertion_is_said_on_the_standard_error_and_ends_the_context")
    {
        let said = "a.cu:17: void k(int: block: [0,0,0], thread: [1,0,0] Assertion `tid != 1` failed.\n";
        assert!(err.contains(said), "{err}");
        return;
    }
    let cuda = Cuda::new();
    let kernel = cuda.kernel(cuda.module(&module(ASSERTS)), "k");
    assert_eq!(cuda.launch(kernel, 2, &mut [0]), 0);
    assert_eq!(cuda.synchronize(), ASSERT);
    assert_eq!(cuda.synchronize(), ASSERT);
}

/// The driver's compiler is ptxas, which gives up on such a program; "a PTX JIT compilation failed" is 218.
#[test]
fn a_call_of_a_function_that_is_defined_nowhere_is_invalid() {
    let cuda = Cuda::new();
    let declared = |body: &str| module(&format!(".extern .func f();\n.visible .entry k() {{ {body} ret; }}"));
    let (code, log) = load_with_log(&cuda, &declared("call f;"));
    assert_eq!(code, INVALID_PTX, "{log}");
    assert!(log.contains("Unresolved extern function 'f'"), "{log}");
    // Nobody asks for it.
    let kernel = cuda.kernel(cuda.module(&declared("")), "k");
    assert_eq!(cuda.launch(kernel, 1, &mut []), 0);
    assert_eq!(cuda.synchronize(), 0);
}

#[test]
fn a_call_that_a_kernel_cannot_make_is_refused_by_name() {
    let cuda = Cuda::new();
    let text = module(
        ".extern .func (.param .b64 pointer) malloc (.param .b64 size);
        .visible .entry k() { .param .b64 a; .param .b64 b; .reg .b64 %rd; st.param.b64 [a], 8; call.uni (b), malloc, (a); ret; }",
    );
    let (code, log) = load_with_log(&cuda, &text);
    assert_eq!(code, NOT_SUPPORTED, "{log}");
    assert!(log.contains("`malloc`: a kernel has no heap"), "{log}");
    // Another function of that name.
    let text = module(
        ".extern .func (.param .b32 status) vprintf (.param .b32 format, .param .b32 valist);
        .visible .entry k() { .param .b32 a; .param .b32 b; st.param.b32 [a], 8; st.param.b32 [b], 8; call.uni (b), vprintf, (a, b); ret; }",
    );
    let (code, log) = load_with_log(&cuda, &text);
    assert_eq!(code, NOT_SUPPORTED, "{log}");
    assert!(log.contains("`vprintf` with other parameters"), "{log}");
}
