//! Expectations by hand from the manual (PTX ISA 9.7.8).

use super::*;

#[test]
fn lop3_computes_the_table() {
    // "ta = 0xF0; tb = 0xCC; tc = 0xAA; immLut = F(ta, tb, tc)"
    let (a, b, c) = (0x1234_5678, 0x9abc_def0, 0x0f0f_3c3c);
    assert_eq!(lop3(a, b, c, 0xf0 & 0xcc & 0xaa), a & b & c);
    assert_eq!(lop3(a, b, c, 0xf0 | 0xcc | 0xaa), a | b | c);
    assert_eq!(lop3(a, b, c, 0xf0 & 0xcc & !0xaa), a & b & !c);
    assert_eq!(lop3(a, b, c, (0xf0 & 0xcc) | (!0xf0u8 & 0xaa)), (a & b) | (!a & c));
    assert_eq!(lop3(a, b, c, 0x00), 0);
    assert_eq!(lop3(a, b, c, 0xff), u32::MAX);
}

#[test]
fn funnel_shifts() {
    // shf.l: "d = (b << n) | (a >> (32-n))", shf.r: "d = (b << (32-n)) | (a >> n)"
    assert_eq!(shf_left(0x8000_0001, 0x0000_00ff, 4, false), 0x0000_0ff8);
    assert_eq!(shf_right(0x8000_0001, 0x0000_00ff, 4, false), 0xf800_0000);
    // .clamp: n = min(c, 32)
    assert_eq!(shf_left(7, 9, 32, false), 7);
    assert_eq!(shf_right(7, 9, 100, false), 9);
    // .wrap: n = c & 0x1f
    assert_eq!(shf_left(7, 9, 32, true), 9);
    assert_eq!(shf_right(7, 9, 33, true), 0x8000_0003);
}

#[test]
fn masks() {
    assert_eq!(bmsk(4, 8, false), 0x0000_0ff0);
    assert_eq!(bmsk(0, 32, false), u32::MAX);
    assert_eq!(bmsk(0, 32, true), 0);
    assert_eq!(bmsk(28, 8, false), 0xf000_0000);
    assert_eq!(bmsk(32, 8, false), 0);
    assert_eq!(bmsk(33, 1, true), 2);
}

#[test]
fn extensions_of_part_of_a_word() {
    assert_eq!(szext_signed(0x0000_00f8, 4, false), 0xffff_fff8);
    assert_eq!(szext_unsigned(0xffff_fff8, 4, false), 8);
    assert_eq!(szext_signed(0xffff_ffff, 0, false), 0);
    assert_eq!(szext_signed(0x8000_0000, 40, false), 0x8000_0000);
    assert_eq!(szext_unsigned(0xffff_ffff, 36, true), 0xf);
}

#[test]
fn finding_the_nth_set_bit() {
    // "Find n-th set bit in mask, starting from base."
    let mask = 0b1010_0110;
    assert_eq!(fns(mask, 0, 1), 1);
    assert_eq!(fns(mask, 0, 3), 5);
    assert_eq!(fns(mask, 0, 5), u32::MAX);
    assert_eq!(fns(mask, 5, 0), 5);
    assert_eq!(fns(mask, 4, 0), u32::MAX);
    assert_eq!(fns(mask, 6, -1), 5);
    assert_eq!(fns(mask, 6, -3), 1);
    assert_eq!(fns(mask, 32, 1), u32::MAX);
    assert_eq!(fns(mask, 0, i32::MIN), u32::MAX);
}
