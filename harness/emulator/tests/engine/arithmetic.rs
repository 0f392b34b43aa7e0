//! Arithmetic as PTX ISA chapter 9.7 defines it, through the decoder and the machine.

use crate::kernel::{Kernel, result, wide_result};
use warpdiff_model::{Deviation, Semantics};

#[test]
fn integers_wrap() {
    assert_eq!(result("mov.u32 %r2, 0xffffffff; add.s32 %r1, %r2, 2;"), 1);
    assert_eq!(result("mov.u32 %r2, 3; sub.s32 %r1, %r2, 5;"), 0xFFFF_FFFE);
    assert_eq!(result("mov.u32 %r2, 0x10001; mul.lo.u32 %r1, %r2, %r2;"), 0x0002_0001);
    assert_eq!(wide_result("mov.u64 %d2, -1; add.s64 %d1, %d2, %d2;"), u64::MAX - 1);
}

#[test]
fn saturating_addition_stays_in_range() {
    // add.sat.s32 "limits result to MININT..MAXINT".
    assert_eq!(result("mov.u32 %r2, 0x7fffffff; add.sat.s32 %r1, %r2, 1;"), 0x7FFF_FFFF);
    assert_eq!(result("mov.u32 %r2, 0x80000000; sub.sat.s32 %r1, %r2, 1;"), 0x8000_0000);
}

#[test]
fn products_have_three_parts() {
    // -1 * -1 = 1; 0xffffffff * 0xffffffff = 0xfffffffe_00000001.
    assert_eq!(result("mov.u32 %r2, -1; mul.hi.s32 %r1, %r2, %r2;"), 0);
    assert_eq!(result("mov.u32 %r2, -1; mul.hi.u32 %r1, %r2, %r2;"), 0xFFFF_FFFE);
    assert_eq!(wide_result("mov.u32 %r2, -1; mul.wide.u32 %d1, %r2, %r2;"), 0xFFFF_FFFE_0000_0001);
    assert_eq!(wide_result("mov.u32 %r2, -2; mul.wide.s32 %d1, %r2, 3;"), (-6i64) as u64);
    assert_eq!(wide_result("mov.u32 %r2, -2; mov.u64 %d2, 10; mad.wide.s32 %d1, %r2, 3, %d2;"), 4);
    assert_eq!(result("mov.u32 %r2, 7; mad.lo.s32 %r1, %r2, -3, 22;"), 1);
    assert_eq!(result("mov.u16 %h1, 300; mul.wide.u16 %r1, %h1, %h1;"), 90000);
    assert_eq!(result("mov.u16 %h1, 300; mul.lo.s16 %h2, %h1, %h1; cvt.u32.u16 %r1, %h2;"), 90000 & 0xFFFF);
}

#[test]
fn division_truncates_toward_zero() {
    assert_eq!(result("mov.u32 %r2, -7; div.s32 %r1, %r2, 2;"), (-3i32) as u32);
    assert_eq!(result("mov.u32 %r2, -7; rem.s32 %r1, %r2, 2;"), (-1i32) as u32);
    assert_eq!(result("mov.u32 %r2, -7; div.u32 %r1, %r2, 2;"), 0x7FFF_FFFC);
}

#[test]
fn carries_chain() {
    // 0x00000001_ffffffff + 1 = 0x00000002_00000000; the borrow likewise.
    let sum = "mov.u32 %r2, -1; mov.u32 %r3, 1; add.cc.u32 %r4, %r2, 1; addc.u32 %r1, %r3, 0;";
    assert_eq!(result(sum), 2);
    let difference = "mov.u32 %r2, 0; mov.u32 %r3, 5; sub.cc.u32 %r4, %r2, 1; subc.u32 %r1, %r3, 0;";
    assert_eq!(result(difference), 4);
}

#[test]
fn shifts_clamp_their_amount() {
    // "Shift amounts greater than the register width N are clamped to N."
    assert_eq!(result("mov.u32 %r2, 1; mov.u32 %r3, 32; shl.b32 %r1, %r2, %r3;"), 0);
    assert_eq!(result("mov.u32 %r2, -8; mov.u32 %r3, 40; shr.s32 %r1, %r2, %r3;"), u32::MAX);
    assert_eq!(result("mov.u32 %r2, -8; shr.u32 %r1, %r2, 31;"), 1);
    assert_eq!(wide_result("mov.u64 %d2, 1; shl.b64 %d1, %d2, 63;"), 1 << 63);
}

#[test]
fn bit_fields() {
    // bfe.s32 of bits 4..8 of 0xf0 is -1; bfi inserts at a position.
    assert_eq!(result("mov.u32 %r2, 0xf0; bfe.s32 %r1, %r2, 4, 4;"), u32::MAX);
    assert_eq!(result("mov.u32 %r2, 0xf0; bfe.u32 %r1, %r2, 4, 4;"), 15);
    assert_eq!(result("mov.u32 %r2, 5; mov.u32 %r3, 0xff; bfi.b32 %r1, %r2, %r3, 4, 3;"), 0xDF);
    assert_eq!(result("mov.u32 %r2, 0xf0; popc.b32 %r1, %r2;"), 4);
    assert_eq!(result("mov.u32 %r2, 0xf0; clz.b32 %r1, %r2;"), 24);
    assert_eq!(result("mov.u32 %r2, 0xf0; bfind.u32 %r1, %r2;"), 7);
    assert_eq!(result("mov.u32 %r2, 1; brev.b32 %r1, %r2;"), 1 << 31);
    assert_eq!(
        result("mov.u32 %r2, 0x03020100; mov.u32 %r3, 0x07060504; prmt.b32 %r1, %r2, %r3, 0x7531;"),
        0x0705_0301
    );
    // lop3 0x96 is a ^ b ^ c.
    assert_eq!(
        result("mov.u32 %r2, 12; mov.u32 %r3, 10; mov.u32 %r4, 6; lop3.b32 %r1, %r2, %r3, %r4, 0x96;"),
        0
    );
}

#[test]
fn comparisons_combine() {
    // setp p|q: p = (a < b) and c, q = !(a < b) and c.
    let body = "mov.u32 %r2, -1; setp.ne.u32 %p3, %r2, 0; setp.lt.and.s32 %p1|%p2, %r2, 1, %p3; \
                selp.u32 %r3, 1, 0, %p1; selp.u32 %r4, 2, 0, %p2; or.b32 %r1, %r3, %r4;";
    assert_eq!(result(body), 1);
    assert_eq!(result("mov.u32 %r2, -1; setp.lt.u32 %p1, %r2, 1; selp.u32 %r1, 1, 0, %p1;"), 0);
    assert_eq!(result("mov.u32 %r2, -1; set.lt.u32.s32 %r1, %r2, 1;"), u32::MAX);
    assert_eq!(result("mov.f32 %f1, 0f7FC00000; setp.ltu.f32 %p1, %f1, %f1; selp.u32 %r1, 1, 0, %p1;"), 1);
}

#[test]
fn a_guarded_comparison_may_write_its_own_guard() {
    // p is true; the pair is written as a whole under the old p: q = !(1 < 2) = 0, p = 1.
    let body = "mov.u32 %r2, 1; setp.eq.u32 %p1, %r2, 1; setp.eq.u32 %p2, %r2, 1; \
                @%p1 setp.gt.s32 %p1|%p2, %r2, 2; selp.u32 %r3, 1, 0, %p1; selp.u32 %r4, 2, 0, %p2; or.b32 %r1, %r3, %r4;";
    assert_eq!(result(body), 2);
}

#[test]
fn floats_round_to_nearest_even_and_fuse() {
    let float = |body: &str| f32::from_bits(result(&format!("{body} mov.b32 %r1, %f1;")));
    assert_eq!(float("mov.f32 %f2, 0f3F800000; add.f32 %f1, %f2, 0f40000000;"), 3.0);
    // 1 + 2^-24 is a tie and goes to 1; upward it is the next number.
    assert_eq!(float("mov.f32 %f2, 0f3F800000; add.rn.f32 %f1, %f2, 0f33800000;"), 1.0);
    assert_eq!(
        result("mov.f32 %f2, 0f3F800000; add.rp.f32 %f1, %f2, 0f33800000; mov.b32 %r1, %f1;"),
        0x3F80_0001
    );
    // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24 exactly, when fused.
    let fused =
        "mov.f32 %f2, 0f3F800800; mov.f32 %f3, 0fBF801000; fma.rn.f32 %f1, %f2, %f2, %f3; mov.b32 %r1, %f1;";
    assert_eq!(result(fused), 0x3380_0000);
    assert_eq!(float("mov.f32 %f2, 0f41100000; sqrt.rn.f32 %f1, %f2;"), 3.0);
    assert_eq!(float("mov.f32 %f2, 0f3F000000; cvt.sat.f32.f32 %f1, %f2;"), 0.5);
    let doubles = "mov.f64 %fd1, 0d3FF8000000000000; fma.rn.f64 %fd2, %fd1, %fd1, %fd1; mov.b64 %d1, %fd2;";
    assert_eq!(f64::from_bits(wide_result(doubles)), 3.75);
}

#[test]
fn conversions() {
    assert_eq!(result("mov.f32 %f1, 0fC0200000; cvt.rzi.s32.f32 %r1, %f1;"), (-2i32) as u32);
    // -2.5 to the nearest even is -2; upward -2; downward -3.
    assert_eq!(result("mov.f32 %f1, 0fC0200000; cvt.rni.s32.f32 %r1, %f1;"), (-2i32) as u32);
    assert_eq!(result("mov.f32 %f1, 0fC0200000; cvt.rmi.s32.f32 %r1, %f1;"), (-3i32) as u32);
    assert_eq!(result("mov.u32 %r2, 0x180; cvt.s32.s8 %r1, %r2;"), (-128i32) as u32);
    assert_eq!(result("mov.u32 %r2, 300; cvt.sat.u8.u32 %r1, %r2;"), 255);
    assert_eq!(wide_result("mov.u32 %r2, -5; cvt.s64.s32 %d1, %r2;"), (-5i64) as u64);
    assert_eq!(result("mov.u64 %d2, 0x1234567890; cvt.u32.u64 %r1, %d2;"), 0x3456_7890);
    // 1.5 is 0x3e00 in binary16.
    assert_eq!(result("mov.f32 %f1, 0f3FC00000; cvt.rn.f16.f32 %h1, %f1; cvt.u32.u16 %r1, %h1;"), 0x3E00);
}

#[test]
fn vectors_pack_from_the_low_end() {
    assert_eq!(wide_result("mov.u32 %r2, 1; mov.u32 %r3, 2; mov.b64 %d1, {%r2, %r3};"), 0x2_0000_0001);
    assert_eq!(result("mov.u64 %d2, 0x200000001; mov.b64 {%r2, %r1}, %d2;"), 2);
}

#[test]
fn all_lanes_and_none_beyond() {
    let words = Kernel::new("mul.lo.u32 %r1, %t, %t; st.global.u32 [%mine], %r1;", 33, 34).words();
    let expected = (0..33).map(|t| t * t).chain([0]).collect::<Vec<u32>>();
    assert_eq!(words, expected);
}

#[test]
fn deviations_are_wired() {
    let deviant = |body: &str, deviation| {
        let semantics = Semantics::default().with(deviation);
        Kernel::new(&format!("{body} st.global.u32 [%mine], %r1;"), 1, 1).semantics(semantics).words()[0]
    };
    assert_eq!(
        deviant("mov.u32 %r2, 1; mov.u32 %r3, 33; shl.b32 %r1, %r2, %r3;", Deviation::ShiftAmountMasked),
        2
    );
    assert_eq!(deviant("mov.u32 %r2, -1; mul.hi.s32 %r1, %r2, %r2;", Deviation::MulHiUnsigned), 0xFFFF_FFFE);
    assert_eq!(deviant("mov.u32 %r2, 0xf0; bfe.s32 %r1, %r2, 4, 4;", Deviation::BfeSignedZeroExtended), 15);
    assert_eq!(
        deviant("mov.f32 %f1, 0fC0200000; cvt.rni.s32.f32 %r1, %f1;", Deviation::CvtRniHalfAway),
        (-3i32) as u32
    );
    // The product (1 + 2^-12)^2 rounds to 1 + 2^-11 (its tail 2^-24 is a tie), which leaves 0.
    let fused =
        "mov.f32 %f2, 0f3F800800; mov.f32 %f3, 0fBF801000; fma.rn.f32 %f1, %f2, %f2, %f3; mov.b32 %r1, %f1;";
    assert_eq!(deviant(fused, Deviation::FmaUnfused), 0);
}

/// `%r1` after a video instruction on `%r2`, `%r3` and `%r4`.
fn video(instruction: &str, [a, b, c]: [u32; 3]) -> u32 {
    result(&format!("mov.u32 %r2, {a}; mov.u32 %r3, {b}; mov.u32 %r4, {c}; mov.u32 %r1, {c}; {instruction}"))
}

#[test]
fn video_instructions_read_parts_of_registers() {
    // Byte 1 as a signed number is -127, half 1 of the other as an unsigned one 0x8000.
    assert_eq!(video("vadd.s32.s32.u32 %r1, %r2.b1, %r3.h1;", [0x8100, 0x8000_0000, 0]), 0x8000 - 127);
    assert_eq!(video("vsub.s32.u32.s32 %r1, %r2.b3, %r3.h0;", [0xff00_0000, 0xffff, 0]), 256);
    assert_eq!(video("vabsdiff.u32.s32.u32 %r1, %r2, %r3;", [0xffff_ffff, 1, 0]), 2);
    assert_eq!(video("vmin.s32.u32.s32 %r1, %r2, %r3;", [0xffff_ffff, 0xffff_fffe, 0]), 0xffff_fffe);
    assert_eq!(video("vmax.s32.u32.s32 %r1, %r2, %r3.b0;", [5, 0xff, 0]), 5);
    assert_eq!(video("vset.s32.u32.lt %r1, %r2, %r3;", [0xffff_ffff, 0, 0]), 1);
    assert_eq!(video("vadd.u32.u32.u32 %r1, %r2, 7;", [5, 0, 0]), 12);
}

#[test]
fn video_instructions_limit_merge_and_go_on() {
    assert_eq!(video("vadd.s32.s32.s32.sat %r1, %r2, %r3;", [0x7fff_ffff, 1, 0]), 0x7fff_ffff);
    assert_eq!(video("vsub.u32.u32.u32.sat %r1, %r2, %r3;", [5, 6, 0]), 0);
    assert_eq!(video("vadd.u32.u32.u32.sat.add %r1, %r2, %r3, %r4;", [0xffff_ffff, 1, 3]), 2);
    assert_eq!(video("vadd.s32.s32.s32.min %r1, %r2, %r3, %r4;", [5, 6, 0xffff_ffff]), 0xffff_ffff);
    assert_eq!(video("vadd.u32.s32.s32.min %r1, %r2, %r3, %r4;", [5, 6, 0xffff_ffff]), 11);
    assert_eq!(video("vset.s32.s32.ge.max %r1, %r2, %r3, %r4;", [5, 5, 0]), 1);
    // The limit is that of the part: 300 of a byte, -300 of a signed half is not limited.
    assert_eq!(video("vadd.u32.u32.u32.sat %r1.b2, %r2, %r3, %r4;", [299, 1, 0x1122_3344]), 0x11ff_3344);
    assert_eq!(video("vsub.s32.s32.s32.sat %r1.h1, %r2, %r3, %r4;", [0, 300, 0x1122_3344]), 0xfed4_3344);
    assert_eq!(video("vadd.u32.u32.u32 %r1.b3, %r2, %r3, %r4;", [0x1ff, 1, 0x1122_3344]), 0x0022_3344);
}

#[test]
fn video_shifts_and_products() {
    assert_eq!(video("vshl.u32.u32.u32.clamp %r1, %r2, %r3;", [1, 33, 0]), 0);
    assert_eq!(video("vshl.u32.u32.u32.wrap %r1, %r2, %r3;", [1, 33, 0]), 2);
    assert_eq!(video("vshl.u32.u32.u32.sat.clamp %r1, %r2, %r3;", [3, 31, 0]), 0xffff_ffff);
    assert_eq!(video("vshr.s32.s32.u32.clamp %r1, %r2, %r3.b0;", [0x8000_0000, 0x1_0040, 0]), 0xffff_ffff);
    // -2 * 3 + 10, and its opposite with a summand less.
    assert_eq!(video("vmad.s32.s32.s32 %r1, %r2.b0, %r3, %r4;", [0xfe, 3, 10]), 4);
    assert_eq!(video("vmad.s32.u32.u32 %r1, -%r2, %r3, %r4;", [2, 3, 10]), 4);
    assert_eq!(video("vmad.s32.u32.u32 %r1, -%r2, -%r3.b0, %r4;", [2, 3, 10]), 16);
    assert_eq!(video("vmad.s32.u32.u32 %r1, %r2, %r3, -%r4;", [2, 3, 10]), 0xffff_fffc);
    assert_eq!(video("vmad.u32.u32.u32.po %r1, %r2, %r3, %r4;", [2, 3, 10]), 17);
    assert_eq!(video("vmad.u32.u32.u32.shr7 %r1, %r2, %r3, %r4;", [0x1_0000, 0x1_0000, 0]), 0x0200_0000);
    assert_eq!(
        video("vmad.s32.s32.s32.sat.shr15 %r1, %r2, %r3, %r4;", [0x8000_0000, 0x8000_0000, 0]),
        0x7fff_ffff
    );
}
