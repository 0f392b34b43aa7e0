//! Functions of the device runtime (PTX Writer's Guide to Interoperability, "System Calls").

use warpdiff_model::FaultClass;

use crate::kernel::Kernel;

const DECLARED: &str = ".extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 valist);
.extern .func __assertfail (.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);
.global .align 1 .b8 said[4] = {37,100,10,0};
.global .align 1 .b8 word[2] = {120,0};
";

/// Prints the number of the thread, and stores what `vprintf` returns.
const PRINTS: &str =
    ".local .align 8 .b8 list[8]; .reg .b64 %f, %l; .param .b64 a; .param .b64 b; .param .b32 c;
st.local.u32 [list], %t;
mov.u64 %l, list; cvta.local.u64 %l, %l; mov.u64 %f, said; cvta.global.u64 %f, %f;
st.param.b64 [a], %f; st.param.b64 [b], %l;
call (c), vprintf, (a, b);
ld.param.b32 %r1, [c]; st.global.u32 [%mine], %r1;";

#[test]
fn text_is_printed_in_the_order_of_threads() {
    let kernel = Kernel::new(PRINTS, 3, 3).outside(DECLARED);
    let run = kernel.run();
    assert_eq!(run.printed.text, b"0\n1\n2\n");
    // No guide of PTX says what is returned; it is the number of arguments.
    assert_eq!(kernel.defined(), [0; 3]);
    let untracked = Kernel::new(PRINTS, 3, 3).outside(DECLARED).untracked();
    assert_eq!(untracked.run().printed, run.printed);
    assert_eq!(untracked.words(), [1; 3]);
}

#[test]
fn a_format_at_an_undefined_address_makes_the_launch_indeterminate() {
    let body = PRINTS.replace("st.param.b64 [a], %f;", ".reg .b64 %none; st.param.b64 [a], %none;");
    let (place, _) = Kernel::new(&body, 1, 1).outside(DECLARED).indeterminate();
    assert!(place.contains("an argument of `call (c), vprintf"), "{place}");
}

#[test]
fn a_format_where_there_is_no_memory_faults() {
    let body = PRINTS.replace("st.param.b64 [a], %f;", "st.param.b64 [a], 16;");
    let faults = Kernel::new(&body, 1, 1).outside(DECLARED).faults();
    assert_eq!((faults.len(), faults[0].class, faults[0].address), (1, FaultClass::OutOfBounds, Some(16)));
    // "If the format string is NULL, -1 is returned."
    let body = PRINTS.replace("st.param.b64 [a], %f;", "st.param.b64 [a], 0;");
    assert_eq!(Kernel::new(&body, 1, 1).outside(DECLARED).untracked().words(), [u32::MAX]);
}

#[test]
fn a_failed_assertion_ends_its_thread_alone() {
    let body = ".reg .b64 %w; .reg .pred %q; .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
st.global.u32 [%mine], 7;
mov.u64 %w, word; cvta.global.u64 %w, %w;
st.param.b64 [a], %w; st.param.b64 [b], %w; st.param.b32 [c], 9; st.param.b64 [d], %w; st.param.b64 [e], 1;
setp.eq.u32 %q, %t, 1;
@%q call __assertfail, (a, b, c, d, e);
st.global.u32 [%mine], 8;";
    let run = Kernel::new(body, 2, 2).outside(DECLARED).run();
    assert_eq!(
        String::from_utf8_lossy(&run.printed.assertions),
        "x:9: x: block: [0,0,0], thread: [1,0,0] Assertion `x` failed.\n"
    );
    let faults = Kernel::new(body, 2, 2).outside(DECLARED).faults();
    assert_eq!(
        (faults.len(), faults[0].class, faults[0].thread),
        (1, FaultClass::Assert, Some([0, 0, 0, 1, 0, 0]))
    );
    let state = run.memory.regions[0].region.bytes.clone();
    assert_eq!(state, [8, 0, 0, 0, 7, 0, 0, 0]);
}
