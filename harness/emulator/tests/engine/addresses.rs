//! Addresses: a program goes where they lead, but which numbers they are is not compared.

use crate::kernel::Kernel;

const SHARED: &str = ".shared .align 8 .b8 before[40];\n.shared .align 16 .b8 s[64];\n";

/// The masks of the two words of `%d1` after `body`.
fn compared(body: &str) -> [u32; 2] {
    let mut kernel = Kernel::new(&format!("{body} st.global.u64 [%out], %d1;"), 1, 2)
        .outside(".global .align 4 .u32 g[4];\n");
    kernel.launch.dynamic_shared = 48;
    let defined = kernel.defined();
    [defined[0], defined[1]]
}

/// Nothing in the manual says where a variable or buffer is, beyond its `.align`.
#[test]
fn of_an_address_only_the_alignment_is_compared() {
    assert_eq!(compared(&format!("{SHARED} mov.u64 %d1, s;")), [15, 0]);
    assert_eq!(compared(&format!("{SHARED} mov.u64 %d1, s+4;")), [15, 0]);
    assert_eq!(compared("mov.u64 %d1, g;"), [3, 0]);
    assert_eq!(compared(".local .align 8 .b8 l[8]; mov.u64 %d1, l;"), [7, 0]);
    assert_eq!(compared(&format!("{SHARED} mov.u64 %d2, s; cvta.shared.u64 %d1, %d2;")), [15, 0]);
    assert_eq!(compared("mov.u64 %d1, %out;")[1], 0);
    assert_eq!(compared(&format!("{SHARED} mov.u64 %d2, s; and.b64 %d1, %d2, 15;")), [u32::MAX; 2]);
    assert_eq!(
        compared(&format!("{SHARED} mov.u64 %d2, s; cvt.u32.u64 %r1, %d2; cvt.u64.u32 %d1, %r1;")),
        [15, u32::MAX]
    );
}

#[test]
fn an_address_stays_one_through_memory_and_calls() {
    assert_eq!(
        compared(&format!("{SHARED} mov.u64 %d2, s; st.shared.u64 [s], %d2; ld.shared.u64 %d1, [s];")),
        [15, 0]
    );
    let outside = ".func (.param .b64 r) same(.param .b64 n)\n{ .reg .b64 %a; ld.param.b64 %a, [n]; st.param.b64 [r], %a; ret; }\n";
    let body = format!(
        "{SHARED} mov.u64 %d2, s; mov.u32 %r2, 9; st.shared.u32 [s+4], %r2;\n{{ .param .b64 x; .param .b64 y; st.param.b64 [x], %d2; \
         call (y), same, (x); ld.param.b64 %d3, [y]; }}\nld.shared.u32 %r1, [%d3+4]; st.global.u32 [%out], %r1; st.global.u64 [%out+8], %d3;"
    );
    assert_eq!(Kernel::new(&body, 1, 4).outside(outside).defined(), [u32::MAX, u32::MAX, 15, 0]);
    // The initial value of a pointer is an address, too.
    let kernel = Kernel::new(
        "ld.global.u64 %d1, [p]; ld.global.u32 %r1, [%d1+8]; st.global.u32 [%out], %r1; st.global.u64 [%out+8], %d1;",
        1,
        4,
    );
    let kernel = kernel.outside(".global .align 4 .u32 g[4] = {1, 2, 3, 4};\n.global .align 8 .u64 p = g;\n");
    assert_eq!(kernel.defined(), [u32::MAX, u32::MAX, 0, 0]);
}

#[test]
fn what_is_found_through_an_address_is_compared() {
    // Loops over pointers, a space that an address is asked for, and a branch on an address.
    let sum = format!(
        "{SHARED} mov.u64 %d2, s; add.s64 %d3, %d2, 16; mov.u32 %r1, 0; mov.u32 %r2, 3;\n\
         fill: st.shared.u32 [%d2], %r2; add.u32 %r2, %r2, 1; add.s64 %d2, %d2, 4; setp.lt.u64 %p1, %d2, %d3; @%p1 bra fill;\n\
         back: sub.s64 %d2, %d2, 4; ld.shared.u32 %r3, [%d2]; add.u32 %r1, %r1, %r3; mov.u64 %d4, s; setp.gt.u64 %p1, %d2, %d4; @%p1 bra back;\n\
         st.global.u32 [%out], %r1;"
    );
    assert_eq!(Kernel::new(&sum, 1, 1).words(), [3 + 4 + 5 + 6]);
    let space = format!(
        "{SHARED} mov.u64 %d2, s; cvta.shared.u64 %d1, %d2; isspacep.shared %p1, %d1; isspacep.global %p2, %d1; \
         selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 2, 0, %p2; add.u32 %r1, %r1, %r2; st.global.u32 [%out], %r1;"
    );
    assert_eq!(Kernel::new(&space, 1, 1).words(), [1]);
    // Atomics and stores through an address that was drawn from no order are ordered.
    let body = format!(
        "{SHARED} mov.u64 %d2, s; mov.u32 %r2, 0; st.shared.u32 [%d2], %r2; atom.shared.add.u32 %r1, [%d2], 5; ld.shared.u32 %r1, [%d2]; st.global.u32 [%out], %r1;"
    );
    assert_eq!(Kernel::new(&body, 1, 1).words(), [5]);
}

/// PTX ISA 10 (`%total_smem_size`): "including user-allocated […] memory. Size is in multiples of the shared memory allocation
/// unit size of target architecture", which is 128 or 256 bytes. `%dynamic_smem_size` is what the launch asked for.
#[test]
fn sizes_of_shared_memory() {
    assert_eq!(
        compared(&format!("{SHARED} mov.u32 %r1, %total_smem_size; cvt.u64.u32 %d1, %r1;")),
        [127, u32::MAX]
    );
    let mut kernel = Kernel::new("mov.u32 %r1, %dynamic_smem_size; st.global.u32 [%out], %r1;", 1, 1);
    kernel.launch.dynamic_shared = 48;
    assert_eq!(kernel.words(), [48]);
}
