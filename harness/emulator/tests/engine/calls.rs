//! Calls, parameters, frames.

use crate::kernel::Kernel;
use warpdiff_model::FaultClass;

const FACTORIAL: &str = ".func (.param .b32 result) factorial(.param .b32 n)\n{\n.reg .pred %p;\n.reg .b32 %a, %b;\n\
    ld.param.u32 %a, [n]; setp.lt.u32 %p, %a, 2; @%p bra one;\n\
    { .param .b32 next; .param .b32 back; sub.u32 %b, %a, 1; st.param.b32 [next], %b; call (back), factorial, (next);\n\
    ld.param.b32 %b, [back]; }\nmul.lo.u32 %b, %a, %b; st.param.b32 [result], %b; ret;\n\
    one: mov.u32 %b, 1; st.param.b32 [result], %b; ret;\n}\n";

#[test]
fn recursion_keeps_a_frame_per_call() {
    let body = "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %t; call (y), factorial, (x); ld.param.b32 %r1, [y]; } \
                st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 6, 6).outside(FACTORIAL).words(), [1, 1, 2, 6, 24, 120]);
}

/// PTX has no size of a stack: that recursion ends in a fault is likely, and nowhere said.
#[test]
fn endless_recursion_may_fault_or_not_come_back() {
    use warpdiff_model::{Admission, Observation, Permitted, State};
    let outside = ".func forever()\n{\ncall forever;\nret;\n}\n";
    let kernel = || Kernel::new("call forever;", 1, 1).outside(outside);
    let outcome = kernel().run().outcome;
    assert_eq!((outcome.may[0].class, outcome.permitted), (FaultClass::StackOverflow, Permitted::TimedOut));
    let allowed = kernel().allowed();
    let fault = Observation::faulted(FaultClass::StackOverflow);
    assert!(matches!(allowed.admits(&fault), Admission::Conforms { .. }));
    assert!(matches!(allowed.admits(&Observation::timed_out()), Admission::Conforms { .. }));
    let completed = Observation::Completed { state: State { regions: Vec::new() } };
    assert!(matches!(allowed.admits(&completed), Admission::Indeterminate { .. }));
    // As a target, the emulator has a stack of some size, and faults.
    assert_eq!(kernel().untracked().faults()[0].class, FaultClass::StackOverflow);
}

const PAIR: &str = ".func (.param .b32 r) twice(.param .b32 n)\n{ .reg .b32 %a; ld.param.b32 %a, [n]; shl.b32 %a, %a, 1; \
    st.param.b32 [r], %a; ret; }\n.func (.param .b32 r) square(.param .b32 n)\n{ .reg .b32 %a; ld.param.b32 %a, [n]; \
    mul.lo.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }\n.global .align 8 .u64 table[2] = {twice, square};\n";

#[test]
fn lanes_may_call_different_functions() {
    let body = "mov.u64 %d2, table; and.b32 %r2, %t, 1; mul.wide.u32 %d3, %r2, 8; add.s64 %d2, %d2, %d3; \
                ld.global.u64 %d4, [%d2];\n{ .param .b32 x; .param .b32 y; st.param.b32 [x], %t;\n\
                shape: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (y), %d4, (x), shape; ld.param.b32 %r1, [y]; }\n\
                st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 6, 6).outside(PAIR).words(), [0, 1, 4, 9, 8, 25]);
}

#[test]
fn a_call_through_what_is_no_function_faults() {
    let body = "mov.u64 %d4, 64;\n{ .param .b32 x; .param .b32 y; st.param.b32 [x], %t;\n\
                shape: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (y), %d4, (x), shape; }";
    let faults = Kernel::new(body, 1, 1).outside(PAIR).faults();
    assert_eq!(faults[0].class, FaultClass::IllegalInstruction);
}

#[test]
fn each_call_has_its_own_local_memory() {
    // `depth` fills its array with n, recurses, and then reads its own array back.
    let outside = ".func (.param .b32 r) depth(.param .b32 n)\n{\n.local .align 4 .b8 mine[8];\n.reg .pred %p; .reg .b32 %a, %b, %c;\n\
        ld.param.u32 %a, [n]; st.local.u32 [mine+4], %a; mov.u32 %b, 0; setp.eq.u32 %p, %a, 0; @%p bra out;\n\
        { .param .b32 next; .param .b32 back; sub.u32 %c, %a, 1; st.param.b32 [next], %c; call (back), depth, (next); ld.param.b32 %b, [back]; }\n\
        out: ld.local.u32 %c, [mine+4]; mad.lo.u32 %b, %b, 10, %c; st.param.b32 [r], %b; ret;\n}\n";
    let body = "{ .param .b32 x; .param .b32 y; mov.u32 %r2, 3; st.param.b32 [x], %r2; call (y), depth, (x); ld.param.b32 %r1, [y]; } \
                st.global.u32 [%mine], %r1;";
    // depth(0) = 0, depth(1) = 1, depth(2) = 12, depth(3) = 123.
    assert_eq!(Kernel::new(body, 1, 1).outside(outside).words(), [123]);
}
