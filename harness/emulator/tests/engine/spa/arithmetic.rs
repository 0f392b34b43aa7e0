//! Functions of registers, as far as whole programs need them.

use super::kernel::{Spa, set, storing};

/// `R0` after an instruction on `R1`, `R2` and `R3`.
fn of(instruction: &str, a: u32, b: u32, c: u32) -> u32 {
    let body = set("R1", a) + &set("R2", b) + &set("R3", c) + instruction + "\n" + &storing(&["R0"]);
    Spa::new(&body, 1).words()[0]
}

#[test]
fn sums_and_shifts() {
    assert_eq!(of("IADD R0, R1, -R2;", 3, 5, 0), 0xffff_fffe);
    assert_eq!(of("IADD32I R0, R1, -0x1;", 0, 0, 0), 0xffff_ffff);
    assert_eq!(of("IADD3 R0, R1, R2, R3;", 1, 2, 3), 6);
    assert_eq!(of("ISCADD R0, R1, R2, 0x4;", 3, 5, 0), 53);
    assert_eq!(of("SHL R0, R1, R2;", 3, 32, 0), 0);
    assert_eq!(of("SHL.W R0, R1, R2;", 3, 33, 0), 6);
    assert_eq!(of("SHR R0, R1, 0x4;", 0x8000_0010, 0, 0), 0xf800_0001);
    assert_eq!(of("SHR.U32 R0, R1, 0x4;", 0x8000_0010, 0, 0), 0x0800_0001);
}

#[test]
fn carries() {
    // 0xffffffff_ffffffff + 1 in two steps.
    let body = set("R2", 0xffff_ffff)
        + &set("R3", 0x7)
        + "IADD R0.CC, R2, 0x1;\nIADD.X R1, R3, RZ;\n"
        + &storing(&["R0", "R1"]);
    assert_eq!(Spa::new(&body, 2).words(), [0, 8]);
    // 0x8_00000000 - 1: a borrow is a carry that is missing.
    let body = set("R2", 0)
        + &set("R3", 8)
        + &set("R4", 1)
        + "IADD R0.CC, R2, -R4;\nIADD.X R1, R3, -RZ;\n"
        + &storing(&["R0", "R1"]);
    assert_eq!(Spa::new(&body, 2).words(), [0xffff_ffff, 7]);
}

#[test]
fn logic() {
    assert_eq!(of("LOP.AND R0, R1, R2;", 0b1100, 0b1010, 0), 0b1000);
    assert_eq!(of("LOP.OR R0, R1, R2;", 0b1100, 0b1010, 0), 0b1110);
    assert_eq!(of("LOP.XOR R0, R1, R2;", 0b1100, 0b1010, 0), 0b0110);
    assert_eq!(of("LOP.PASS_B R0, R1, R2;", 0b1100, 0b1010, 0), 0b1010);
    assert_eq!(of("LOP.AND R0, R1, ~R2;", 0b1100, 0b1010, 0), 0b0100);
    assert_eq!(of("LOP32I.OR R0, R1, 0xf0000000;", 1, 0, 0), 0xf000_0001);
}

#[test]
fn comparisons_and_selections() {
    let chosen = |compare: &str, a, b| {
        of(&format!("ISETP.{compare} P0, PT, R1, R2, PT;\nSEL R0, R3, RZ, P0;"), a, b, 1)
    };
    assert_eq!([chosen("LT.AND", 0xffff_ffff, 1), chosen("LT.U32.AND", 0xffff_ffff, 1)], [1, 0]);
    assert_eq!(
        [chosen("GE.AND", 1, 1), chosen("GT.AND", 1, 1), chosen("NE.AND", 1, 2), chosen("EQ.AND", 1, 2)],
        [1, 0, 1, 0]
    );
    assert_eq!(of("IMNMX R0, R1, R2, PT;", 0xffff_ffff, 1, 0), 0xffff_ffff, "the lesser");
    assert_eq!(of("IMNMX.U32 R0, R1, R2, !PT;", 0xffff_ffff, 1, 0), 0xffff_ffff, "the greater");
}

// The product of two 32-bit numbers as ptxas computes it on sm_50: 0x00012345 * 0x0006789a, modulo 2^32.
#[test]
fn product_of_three_multiplications() {
    let body = "XMAD R4, R1, R2, RZ;\nXMAD.MRG R5, R1, R2.H1, RZ;\nXMAD.PSL.CBCC R0, R1.H1, R5.H1, R4;";
    assert_eq!(of(body, 0x0001_2345, 0x0006_789a, 0), 0x0001_2345u32.wrapping_mul(0x0006_789a));
    assert_eq!(of(body, 0xdead_beef, 0xcafe_babe, 0), 0xdead_beefu32.wrapping_mul(0xcafe_babe));
    assert_eq!(of("XMAD.S16.S16 R0, R1, R2, R3;", 0xffff, 3, 10), 7, "-1 * 3 + 10");
}
