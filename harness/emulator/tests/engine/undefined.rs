//! What is undefined, how it spreads, and what must not depend on it.

use crate::kernel::Kernel;

fn defined(body: &str) -> u32 {
    Kernel::new(&format!("{body} st.global.u32 [%mine], %r1;"), 1, 1).defined()[0]
}

#[test]
fn a_register_is_undefined_until_written() {
    assert_eq!(defined(""), 0);
    assert_eq!(defined("mov.u32 %r1, 3;"), u32::MAX);
    assert_eq!(defined("mov.u32 %r1, %r2;"), 0);
}

#[test]
fn masking_defines_bits() {
    // and with 0xff fixes the upper 24 bits to 0; or fixes the ones.
    assert_eq!(defined("and.b32 %r1, %r2, 0xff;"), 0xFFFF_FF00);
    assert_eq!(defined("or.b32 %r1, %r2, 0xff;"), 0x0000_00FF);
    assert_eq!(defined("xor.b32 %r1, %r2, 0xff;"), 0);
}

#[test]
fn shifts_move_definedness() {
    assert_eq!(defined("mov.u32 %r2, 1; shl.b32 %r1, %r3, 8;"), 0xFF);
    assert_eq!(defined("shr.u32 %r1, %r3, 8;"), 0xFF00_0000);
    // The amount is undefined: nothing is known.
    assert_eq!(defined("mov.u32 %r2, 1; shl.b32 %r1, %r2, %r3;") & 1, 0);
}

#[test]
fn sums_are_undefined_from_the_lowest_undefined_bit_up() {
    // Bits 8..16 of the operand are undefined; adding 0x100 may carry out of them, into bit 16 and no further.
    assert_eq!(defined("and.b32 %r2, %r3, 0xff00; add.u32 %r1, %r2, 0x100;"), 0xFFFE_00FF);
    // With ones above, the carry runs through to the top.
    assert_eq!(defined("and.b32 %r2, %r3, 0xff00; add.u32 %r1, %r2, 0xffff0100;"), 0x0000_00FF);
    assert_eq!(defined("and.b32 %r2, %r3, 0xff00; mul.lo.u32 %r1, %r2, 3;") & 0x1FF, 0xFF);
}

#[test]
fn a_comparison_can_be_decided_by_defined_bits() {
    // A number with bit 8 set and an undefined low byte is above 255 whatever the byte is.
    let decided =
        "and.b32 %r2, %r3, 0xff; or.b32 %r2, %r2, 0x100; setp.gt.u32 %p1, %r2, 255; selp.u32 %r1, 1, 2, %p1;";
    assert_eq!(defined(decided), u32::MAX);
    let open = "and.b32 %r2, %r3, 0xff; setp.gt.u32 %p1, %r2, 100; selp.u32 %r1, 1, 3, %p1;";
    // 1 and 3 differ in bit 1 only.
    assert_eq!(defined(open), !2);
}

#[test]
fn undefined_bits_travel_through_memory() {
    let body =
        ".shared .align 4 .b8 s[8];\nand.b32 %r2, %r3, 0xf0; st.shared.u32 [s], %r2; ld.shared.u32 %r1, [s];";
    assert_eq!(defined(body), !0xF0);
    let bytes = ".local .align 4 .b8 l[4];\nmov.u32 %r2, 1; st.local.u8 [l+1], %r2; ld.local.u32 %r1, [l];";
    assert_eq!(defined(bytes), 0xFF00);
}

#[test]
fn shared_memory_is_undefined_at_first_and_global_variables_are_not() {
    assert_eq!(defined(".shared .align 4 .b8 s[4];\nld.shared.u32 %r1, [s];"), 0);
    let kernel = Kernel::new("ld.global.u32 %r1, [g]; st.global.u32 [%mine], %r1;", 1, 1);
    assert_eq!(kernel.outside(".global .align 4 .u32 g;\n").words(), [0]);
}

#[test]
fn division_by_zero_is_undefined() {
    assert_eq!(defined("mov.u32 %r2, 5; mov.u32 %r3, 0; div.u32 %r1, %r2, %r3;"), 0);
}

#[test]
fn the_payload_of_a_nan_is_not_fixed() {
    // inf - inf is a NaN, of which PTX fixes that it is quiet.
    let body = "mov.f32 %f1, 0f7F800000; sub.f32 %f2, %f1, %f1; mov.b32 %r1, %f2;";
    assert_eq!(defined(body), 0x7FC0_0000);
}

#[test]
fn a_nan_whose_payload_is_open_is_still_a_nan() {
    let nan = "mov.f32 %f1, 0f7F800000; sub.f32 %f2, %f1, %f1;";
    let of = |rest: &str| Kernel::new(&format!("{nan} {rest} st.global.u32 [%mine], %r1;"), 1, 1).words()[0];
    assert_eq!(of("setp.neu.f32 %p1, %f2, %f2; selp.u32 %r1, 1, 0, %p1;"), 1);
    assert_eq!(of("setp.eq.f32 %p1, %f2, %f2; selp.u32 %r1, 1, 0, %p1;"), 0);
    assert_eq!(of("testp.notanumber.f32 %p1, %f2; selp.u32 %r1, 1, 0, %p1;"), 1);
    // "If one of the inputs is NaN, the result is the other."
    assert_eq!(of("mov.f32 %f3, 0f3F800000; min.f32 %f4, %f2, %f3; mov.b32 %r1, %f4;"), 0x3F80_0000);
    assert_eq!(of("cvt.rni.s32.f32 %r1, %f2;"), 0);
    assert_eq!(of("cvt.sat.f32.f32 %f4, %f2; mov.b32 %r1, %f4;"), 0);
    // A sum with it is a NaN again, its payload as open.
    let sum = format!("{nan} mov.f32 %f3, 0f3F800000; add.f32 %f4, %f2, %f3; mov.b32 %r1, %f4;");
    assert_eq!(defined(&sum), 0x7FC0_0000);
}

#[test]
fn sign_extension_copies_the_definedness_of_the_sign() {
    let body = ".shared .align 4 .b8 s[4];\nmov.u32 %r2, 1; st.shared.u8 [s], %r2; ld.shared.s16 %r1, [s];";
    assert_eq!(defined(body), 0xFF);
}

#[test]
fn a_lane_that_wrote_does_not_define_the_others() {
    let body = "setp.eq.u32 %p1, %t, 0; @%p1 mov.u32 %r1, 7; st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(body, 3, 3).defined(), [u32::MAX, 0, 0]);
}

#[test]
fn a_branch_on_undefined_bits_is_indeterminate_and_names_the_register() {
    let (place, origin) =
        Kernel::new("setp.eq.u32 %p1, %r7, 0; @%p1 bra end; mov.u32 %r1, 1; end:", 1, 1).indeterminate();
    assert!(place.starts_with("the guard of `@%p1 bra end;`, line "), "{place}");
    assert!(
        origin.starts_with(
            "depends on undefined bits: `%r7`, not written before `setp.eq.u32 %p1, %r7, 0;`, line "
        ),
        "{origin}"
    );
}

#[test]
fn an_address_of_undefined_bits_is_indeterminate_and_names_the_load() {
    let body = ".shared .align 8 .b8 s[8];\nld.shared.u64 %d2, [s]; add.s64 %d3, %d2, %out; ld.global.u32 %r1, [%d3];";
    let (place, origin) = Kernel::new(body, 1, 1).indeterminate();
    assert!(place.starts_with("the address of `ld.global.u32 %r1, [%d3];`, line "), "{place}");
    assert!(
        origin.starts_with("depends on undefined bits: undefined result of `ld.shared.u64 %d2, [s];`, line "),
        "{origin}"
    );
}

#[test]
fn undefined_input_bits_are_undefined() {
    let mut kernel =
        Kernel::new("ld.global.u32 %r1, [%out]; shl.b32 %r1, %r1, 4; st.global.u32 [%out], %r1;", 1, 1);
    kernel.launch.buffers[0].defined = vec![0xFF, 0, 0xFF, 0xFF];
    assert_eq!(kernel.defined(), [0xFFF0_0FFF]);
}

#[test]
fn frames_begin_undefined_at_every_call() {
    // The first call leaves 5 in its register and array; the second must not find them.
    let outside = ".func (.param .b32 r) keep(.param .b32 n)\n{\n.reg .pred %p; .reg .b32 %a, %x;\n.local .align 4 .b8 l[4];\n\
        ld.param.u32 %a, [n]; setp.ne.u32 %p, %a, 0; @%p bra second; mov.u32 %x, 5; st.local.u32 [l], %x;\n\
        second: ld.local.u32 %a, [l]; and.b32 %a, %a, %x; st.param.b32 [r], %a; ret;\n}\n";
    let call = |value: u32| {
        format!(
            "{{ .param .b32 a; .param .b32 b; mov.u32 %r2, {value}; st.param.b32 [a], %r2; call (b), keep, (a); ld.param.b32 %r1, [b]; }}"
        )
    };
    let body = format!("{} st.global.u32 [%out], %r1; {} st.global.u32 [%out+4], %r1;", call(0), call(1));
    assert_eq!(Kernel::new(&body, 1, 2).outside(outside).defined(), [u32::MAX, 0]);
}

#[test]
fn unsynchronised_stores_race() {
    // All four threads store to one word; nothing orders them.
    let body = "st.global.u32 [%out], %t;";
    assert_eq!(Kernel::new(body, 4, 1).defined(), [0]);
    // Different words do not race.
    assert_eq!(Kernel::new("st.global.u32 [%mine], %t;", 4, 4).words(), [0, 1, 2, 3]);
}

#[test]
fn a_barrier_orders_and_its_absence_does_not() {
    let exchange = |sync: &str| {
        let body = format!(
            ".shared .align 4 .b8 s[512];\nmov.u64 %d2, s; mul.wide.u32 %d3, %t, 4; add.s64 %d3, %d3, %d2; st.shared.u32 [%d3], %t; {sync}\n\
             xor.b32 %r2, %t, 64; mul.wide.u32 %d4, %r2, 4; add.s64 %d4, %d4, %d2; ld.shared.u32 %r1, [%d4]; st.global.u32 [%mine], %r1;"
        );
        Kernel::new(&body, 128, 128)
    };
    let expected = (0..128).map(|t| t ^ 64).collect::<Vec<u32>>();
    assert_eq!(exchange("bar.sync 0;").words(), expected);
    assert!(exchange("").defined().iter().all(|mask| *mask == 0));
}

/// That it stores no text says: the reference takes it for a load alone.
#[test]
fn a_compare_and_swap_that_fails_does_not_race_with_a_load() {
    let beside = |compared: u32| {
        let body = format!(
            ".shared .align 4 .b32 s[1];\n.reg .pred %first; setp.eq.u32 %first, %t, 0; @%first st.shared.u32 [s], 7; bar.sync 0;\n\
             mov.u32 %r1, 1; @%first ld.shared.u32 %r1, [s]; @!%first atom.shared.cas.b32 %r2, [s], {compared}, 9; st.global.u32 [%mine], %r1;"
        );
        Kernel::new(&body, 2, 2)
    };
    assert_eq!(beside(8).words(), [7, 1]);
    assert_eq!(beside(7).defined(), [0, u32::MAX]);
}
