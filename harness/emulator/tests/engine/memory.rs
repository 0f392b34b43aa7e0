//! State spaces, widths, generic addresses.

use crate::kernel::{Kernel, result, wide_result};
use warpdiff_model::{Deviation, Semantics};

#[test]
fn widths_extend_as_the_type_says() {
    let shared = ".shared .align 8 .b8 s[16];\nmov.u32 %r9, 0x8081ff7f; st.shared.u32 [s], %r9;";
    assert_eq!(result(&format!("{shared} ld.shared.u8 %r1, [s+1];")), 0xFF);
    assert_eq!(result(&format!("{shared} ld.shared.s8 %r1, [s+1];")), 0xFFFF_FFFF);
    assert_eq!(result(&format!("{shared} ld.shared.s16 %r1, [s+2];")), 0xFFFF_8081);
    assert_eq!(result(&format!("{shared} ld.shared.u16 %r1, [s];")), 0xFF7F);
    assert_eq!(wide_result(&format!("{shared} ld.shared.s32 %d1, [s];")), 0xFFFF_FFFF_8081_FF7F);
    assert_eq!(wide_result(&format!("{shared} ld.shared.u32 %d1, [s];")), 0x8081_FF7F);
    assert_eq!(result(&format!("{shared} ld.shared.s8 %h1, [s+1]; cvt.u32.u16 %r1, %h1;")), 0xFFFF);
}

#[test]
fn vectors_lie_in_ascending_order() {
    let body = ".local .align 16 .b8 l[16];\nmov.u32 %r2, 1; mov.u32 %r3, 2; mov.u32 %r4, 3; mov.u32 %r5, 4; \
                st.local.v4.u32 [l], {%r2, %r3, %r4, %r5}; ld.local.v2.u32 {%r6, %r1}, [l+8];";
    assert_eq!(result(body), 4);
}

#[test]
fn generic_addresses_reach_every_window() {
    let shared = ".shared .align 4 .b8 s[8];\nmov.u64 %d2, s; cvta.shared.u64 %d3, %d2; mov.u32 %r2, 42; \
                  st.u32 [%d3+4], %r2; ld.shared.u32 %r1, [%d2+4];";
    assert_eq!(result(shared), 42);
    let local = ".local .align 4 .b8 l[8];\nmov.u64 %d2, l; cvta.local.u64 %d3, %d2; mov.u32 %r2, 43; \
                 st.u32 [%d3+4], %r2; ld.local.u32 %r1, [%d2+4];";
    assert_eq!(result(local), 43);
    let back = ".shared .align 4 .b8 s[8];\nmov.u64 %d2, s; cvta.shared.u64 %d3, %d2; cvta.to.shared.u64 %d4, %d3; \
                mov.u32 %r2, 44; st.shared.u32 [%d4+4], %r2; ld.shared.u32 %r1, [%d2+4];";
    assert_eq!(result(back), 44);
}

#[test]
fn isspacep_tells_windows_apart() {
    let body = ".shared .align 4 .b8 s[8];\nmov.u64 %d2, s; cvta.shared.u64 %d3, %d2; isspacep.shared %p1, %d3; \
                isspacep.global %p2, %d3; isspacep.global %p3, %out; selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 2, 0, %p2; \
                selp.u32 %r4, 4, 0, %p3; or.b32 %r1, %r2, %r3; or.b32 %r1, %r1, %r4;";
    assert_eq!(result(body), 5);
}

#[test]
fn variables_have_their_initial_contents() {
    let outside = ".global .align 4 .u32 g[3] = {5, 6, 7};\n.const .align 4 .u32 c[2] = {8, 9};\n\
                   .global .align 8 .u64 p = generic(g)+8;\n.global .align 4 .u32 z;\n";
    let body = "ld.global.u32 %r2, [g+4]; ld.const.u32 %r3, [c+4]; ld.global.u64 %d2, [p]; ld.u32 %r4, [%d2]; \
                ld.global.u32 %r5, [z]; mad.lo.u32 %r1, %r2, 100, %r3; mad.lo.u32 %r1, %r1, 100, %r4; \
                add.u32 %r1, %r1, %r5; st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 1, 1).outside(outside).words(), [60907]);
}

#[test]
fn observed_variables_are_part_of_the_state() {
    let mut kernel = Kernel::new("mov.u32 %r1, 7; st.global.u32 [g+4], %r1;", 1, 1)
        .outside(".global .align 4 .u32 g[2] = {3, 4};\n");
    kernel.launch.observed_variables.push("g".into());
    let state = kernel.state();
    let region = state.regions.last().expect("the variable");
    assert_eq!(region.region.name, "g");
    assert_eq!(region.region.bytes, [3, 0, 0, 0, 7, 0, 0, 0]);
}

#[test]
fn guard_bands_are_written_where_a_store_goes_astray() {
    let state = Kernel::new(
        "mov.u32 %r1, 0x11223344; st.global.u32 [%out+4], %r1; st.global.u32 [%out+-4], %r1;",
        1,
        1,
    )
    .state();
    let guard = &state.regions[1].region;
    assert_eq!(guard.bytes.len(), 512);
    assert_eq!(guard.bytes[252..260], [0x44, 0x33, 0x22, 0x11, 0x44, 0x33, 0x22, 0x11]);
    assert!(guard.bytes[..252].iter().chain(&guard.bytes[260..]).all(|byte| *byte == 0xA5));
}

#[test]
fn dynamic_shared_memory_follows_the_static() {
    let outside = ".extern .shared .align 16 .b8 dynamic[];\n.shared .align 4 .b8 fixed[4];\n";
    let body = "mov.u32 %r2, 5; mov.u32 %r3, 6; st.shared.u32 [fixed], %r2; st.shared.u32 [dynamic+12], %r3; \
                ld.shared.u32 %r4, [fixed]; ld.shared.u32 %r5, [dynamic+12]; mad.lo.u32 %r1, %r4, 10, %r5; \
                st.global.u32 [%mine], %r1;";
    let mut kernel = Kernel::new(body, 1, 1).outside(outside);
    kernel.launch.dynamic_shared = 16;
    assert_eq!(kernel.words(), [56]);
}

#[test]
fn deviations_of_loads_and_stores() {
    let signed = ".shared .align 4 .b8 s[4];\nmov.u32 %r2, 0xff; st.shared.u32 [s], %r2; ld.shared.s8 %r1, [s]; st.global.u32 [%mine], %r1;";
    let semantics = Semantics::default().with(Deviation::LdSignedZeroExtended);
    assert_eq!(Kernel::new(signed, 1, 1).semantics(semantics).words(), [0xFF]);
    let guarded = "setp.eq.u32 %p1, %t, 0; mov.u32 %r1, 9; @%p1 st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(guarded, 2, 2).words(), [9, 0]);
    let semantics = Semantics::default().with(Deviation::PredicateIgnoredBySt);
    assert_eq!(Kernel::new(guarded, 2, 2).semantics(semantics).words(), [9, 9]);
}
