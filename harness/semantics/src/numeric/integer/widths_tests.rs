//! Expectations by hand from the integer and bit-field sections of the manual (PTX ISA 9.7.1, 9.7.8).

use super::{w16, w32, w64};

#[test]
fn upper_halves_of_products() {
    assert_eq!(w32::mul_hi_unsigned(0xffff_ffff, 0xffff_ffff), 0xffff_fffe);
    assert_eq!(w32::mul_hi_signed(0xffff_ffff, 0xffff_ffff), 0);
    assert_eq!(w32::mul_hi_signed(0x8000_0000, 2), 0xffff_ffff);
    assert_eq!(w16::mul_hi_unsigned(0xffff, 0xffff), 0xfffe);
    assert_eq!(w16::mul_hi_signed(0x8000, 0x8000), 0x4000);
    assert_eq!(w64::mul_hi_unsigned(1 << 63, 4), 2);
    assert_eq!(w64::mul_hi_signed(1 << 63, 4), u64::MAX - 1);
}

#[test]
fn sums_of_absolute_differences() {
    // d = c + ((a<b) ? b-a : a-b)
    assert_eq!(w32::sad_unsigned(1, 0xffff_ffff, 10), 8);
    assert_eq!(w32::sad_signed(1, 0xffff_ffff, 10), 12);
    assert_eq!(w16::sad_signed(0x8000, 0x7fff, 1), 0);
}

#[test]
fn division_and_remainder() {
    assert_eq!(w32::div_signed((-7i32) as u32, 2), (-3i32) as u32);
    assert_eq!(w32::rem_signed((-7i32) as u32, 2), (-1i32) as u32);
    assert_eq!(w32::div_signed_floored((-7i32) as u32, 2), (-4i32) as u32);
    assert_eq!(w32::rem_signed_floored((-7i32) as u32, 2), 1);
    assert_eq!(w32::div_signed_floored(7, (-2i32) as u32), (-4i32) as u32);
    assert_eq!(w32::rem_signed_floored(7, (-2i32) as u32), (-1i32) as u32);
    assert_eq!(w32::rem_signed_floored((-7i32) as u32, (-2i32) as u32), (-1i32) as u32);
    assert_eq!(w32::rem_signed_floored((-8i32) as u32, 2), 0);
    assert_eq!(w32::div_unsigned(0xffff_fff9, 2), 0x7fff_fffc);
    // None of these may panic, whatever they give.
    for a in [0, 1, 0x8000_0000] {
        for b in [0, 0xffff_ffff] {
            let _ = (
                w32::div_signed(a, b),
                w32::rem_signed(a, b),
                w32::div_unsigned(a, b),
                w32::rem_unsigned(a, b),
            );
            let _ = (w32::div_signed_floored(a, b), w32::rem_signed_floored(a, b));
        }
    }
    assert_eq!(w32::rem_signed(0x8000_0000, 0xffff_ffff), 0);
}

#[test]
fn floored_division_keeps_its_identity() {
    for a in -40i16..40 {
        for b in (-9i16..10).filter(|b| *b != 0) {
            let (q, r) =
                (w16::div_signed_floored(a as u16, b as u16), w16::rem_signed_floored(a as u16, b as u16));
            let (q, r) = (q as i16, r as i16);
            assert_eq!(q * b + r, a);
            assert!(r == 0 || (r < 0) == (b < 0) && r.abs() < b.abs(), "{a} {b}: {q} {r}");
        }
    }
}

#[test]
fn counting_and_finding_bits() {
    assert_eq!(w32::popc(0xf0f0_0001), 9);
    assert_eq!(w64::clz(0), 64);
    assert_eq!(w32::clz(0x0001_0000), 15);
    assert_eq!(w32::bfind_unsigned(0, false), 0xffff_ffff);
    assert_eq!(w32::bfind_unsigned(0x0001_0000, false), 16);
    assert_eq!(w32::bfind_unsigned(0x0001_0000, true), 15);
    // "for signed integers, bfind returns the position of the most significant 0 for negative inputs"
    assert_eq!(w32::bfind_signed(0xffff_fffe, false), 0);
    assert_eq!(w32::bfind_signed(0xffff_ffff, false), 0xffff_ffff);
    assert_eq!(w32::bfind_signed(0xffff_ffff, true), 0xffff_ffff);
    assert_eq!(w64::bfind_signed(0xbfff_ffff_ffff_ffff, true), 1);
}

#[test]
fn shifts_clamp_their_amount() {
    for amount in [32, 33, 64, 0x8000_0000, u32::MAX] {
        assert_eq!(w32::shl(0xffff_ffff, amount), 0);
        assert_eq!(w32::shr_unsigned(0xffff_ffff, amount), 0);
        assert_eq!(w32::shr_signed(0x8000_0000, amount), 0xffff_ffff);
        assert_eq!(w32::shr_signed(0x7fff_ffff, amount), 0);
    }
    assert_eq!(w32::shl(1, 31), 0x8000_0000);
    assert_eq!(w16::shl(1, 16), 0);
    assert_eq!(w16::shr_signed(0x8000, 3), 0xf000);
    assert_eq!(w64::shl(1, 32), 1 << 32);
}

/// The loop of the manual, `bfe`, word for word.
fn bfe_by_the_manual(a: u32, pos: u32, len: u32, signed: bool) -> u32 {
    let msb = 31;
    let (pos, len) = (pos & 0xff, len & 0xff);
    let sbit = if !signed || len == 0 { 0 } else { a >> (pos + len - 1).min(msb) & 1 };
    let mut d = 0;
    for i in 0..=msb {
        let bit = if i < len && pos + i <= msb { a >> (pos + i) & 1 } else { sbit };
        d |= bit << i;
    }
    d
}

/// The loop of the manual, `bfi`, word for word.
fn bfi_by_the_manual(a: u32, b: u32, pos: u32, len: u32) -> u32 {
    let msb = 31;
    let (pos, len) = (pos & 0xff, len & 0xff);
    let mut f = b;
    for i in 0..len {
        if pos + i <= msb {
            f = f & !(1 << (pos + i)) | (a >> i.min(31) & 1 & u32::from(i <= msb)) << (pos + i);
        }
    }
    f
}

#[test]
fn bit_fields_follow_the_loops_of_the_manual() {
    for a in [0x8765_4321, 0x7fff_fffe, 0xa5a5_5a5a, 0xffff_ffff] {
        for position in (0..40).chain([128, 255, 256, 259]) {
            for length in (0..40).chain([128, 255, 256, 260]) {
                let place = (a, position, length);
                assert_eq!(
                    w32::bfe_unsigned(a, position, length),
                    bfe_by_the_manual(a, position, length, false),
                    "{place:x?}"
                );
                assert_eq!(
                    w32::bfe_signed(a, position, length),
                    bfe_by_the_manual(a, position, length, true),
                    "{place:x?}"
                );
                let expected = bfi_by_the_manual(a, 0x0ff0_55aa, position, length);
                assert_eq!(w32::bfi(a, 0x0ff0_55aa, position, length), expected, "{place:x?}");
            }
        }
    }
    assert_eq!(w64::bfe_signed(0x0000_0080_0000_0000, 32, 8), 0xffff_ffff_ffff_ff80);
    assert_eq!(w64::bfi(0xff, 0, 60, 8), 0xf << 60);
}
