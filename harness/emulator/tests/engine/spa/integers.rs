//! Integer instructions of compiled code: expectations by hand from the rules that decoders of machine code and compiled PTX
//! instructions give.

use super::kernel::{Spa, set, storing};

/// `R0` and `R4` after instructions on `R1`, `R2` and `R3`.
fn both(instructions: &str, a: u32, b: u32, c: u32) -> [u32; 2] {
    let body = set("R1", a) + &set("R2", b) + &set("R3", c) + instructions + "\n" + &storing(&["R0", "R4"]);
    let words = Spa::new(&body, 2).words();
    [words[0], words[1]]
}

fn of(instructions: &str, a: u32, b: u32, c: u32) -> u32 {
    both(&format!("MOV R4, RZ;\n{instructions}"), a, b, c)[0]
}

/// Which bits of `R0` are undefined after instructions on `R1`, `R2` and `R3`.
fn undefined(instructions: &str, a: u32, b: u32, c: u32) -> u32 {
    let body = set("R1", a) + &set("R2", b) + &set("R3", c) + instructions + "\n" + &storing(&["R0"]);
    !Spa::new(&body, 1).defined()[0]
}

/// The condition codes as `P2R` has them, after instructions on `R1`, `R2` and `R3`.
fn codes(instructions: &str, a: u32, b: u32, c: u32) -> u32 {
    of(&format!("{instructions}\nP2R R0, CC, RZ, 0xf;"), a, b, c)
}

const Z: u32 = 1;
const S: u32 = 2;
const C: u32 = 4;
const V: u32 = 8;

#[test]
fn sums_leave_codes() {
    assert_eq!(codes("IADD RZ.CC, R1, R2;", 1, 2, 0), 0);
    assert_eq!(codes("IADD RZ.CC, R1, R2;", 0xffff_ffff, 1, 0), Z | C);
    assert_eq!(codes("IADD RZ.CC, R1, R2;", 0x7fff_ffff, 1, 0), S | V);
    assert_eq!(codes("IADD RZ.CC, R1, R2;", 0x8000_0000, 0x8000_0000, 0), Z | C | V);
    // A difference: C means that nothing is borrowed, also for 0.
    assert_eq!(codes("IADD RZ.CC, R1, -R2;", 5, 0, 0), C);
    assert_eq!(codes("IADD RZ.CC, R1, -R2;", 5, 5, 0), Z | C);
    assert_eq!(codes("IADD RZ.CC, R1, -R2;", 5, 6, 0), S);
    assert_eq!(codes("IADD RZ.CC, -R1, R2;", 6, 5, 0), S);
    assert_eq!(codes("IADD RZ.CC, R1, -R2;", 0x8000_0000, 1, 0), C | V);
    assert_eq!(codes("IADD32I RZ.CC, R1, -0x1;", 1, 0, 0), Z | C);
    assert_eq!(codes("ISCADD RZ.CC, R1, R2, 0x4;", 0x0fff_ffff, 0x10, 0), Z | C);
    // With `.X` the carry comes in: 0xffffffff + 0 + 1.
    assert_eq!(codes("IADD RZ.CC, R1, R2; IADD.X RZ.CC, R1, RZ;", 0xffff_ffff, 1, 0), Z | C);
    assert_eq!(codes("IADD.PO RZ.CC, R1, R2;", 0x7fff_fffe, 1, 0), S | V);
}

#[test]
fn zero_of_a_longer_number_is_defined_where_all_readings_agree() {
    // 0xffffffff + 1 is zero with a carry, and 0xffffffff + 0 + 1 as well: zero by every reading.
    let body = "IADD RZ.CC, R1, R2; IADD.X RZ.CC, R1, R3; CSET.EQU.AND R0, CC, PT;";
    assert_eq!(of(body, 0xffff_ffff, 1, 0), u32::MAX);
    // The lower word is not zero, the upper is: zero by itself, not as a whole.
    assert_eq!(undefined(body, 0xffff_ffff, 2, 0), u32::MAX);
    // The upper word is not zero.
    assert_eq!(of(body, 0xffff_ffff, 1, 5), 0);
}

#[test]
fn limited_sums() {
    assert_eq!(of("IADD.SAT R0, R1, R2;", 0x7fff_ffff, 1, 0), 0x7fff_ffff);
    assert_eq!(of("IADD.SAT R0, R1, R2;", 0x8000_0000, 0xffff_ffff, 0), 0x8000_0000);
    assert_eq!(of("IADD.SAT R0, R1, -R2;", 0x8000_0000, 1, 0), 0x8000_0000);
    // 1 - (-2^31), where the negative of -2^31 does not fit.
    assert_eq!(of("IADD.SAT R0, R1, -R2;", 1, 0x8000_0000, 0), 0x7fff_ffff);
    assert_eq!(of("IADD.SAT R0, -R1, R2;", 7, 5, 0), 0xffff_fffe);
    assert_eq!(of("IADD32I.SAT R0, R1, 0x7fffffff;", 1, 0, 0), 0x7fff_ffff);
}

#[test]
fn sums_of_three_and_scaled_sums() {
    assert_eq!(of("IADD.PO R0, R1, R2;", 5, 6, 0), 12);
    assert_eq!(of("ISCADD.PO R0, R1, R2, 0x2;", 5, 6, 0), 27);
    assert_eq!(of("ISCADD R0, -R1, R2, 0x2;", 5, 6, 0), 14u32.wrapping_neg());
    assert_eq!(of("ISCADD R0, R1, -R2, 0x2;", 5, 6, 0), 14);
    assert_eq!(of("ISCADD32I R0, R1, 0x10, 0x4;", 3, 0, 0), 0x40);
    // The first sum of `.RS` has 33 bits: 0x1fffffffe >> 16 is 0x1ffff.
    assert_eq!(of("IADD3.RS R0, R1, R2, R3;", 0xffff_ffff, 0xffff_ffff, 1), 0x2_0000);
    assert_eq!(of("IADD3.LS R0, R1, R2, R3;", 0x1_0001, 2, 5), 0x3_0005);
    assert_eq!(of("IADD3 R0, R1.H1, -R2.H0, R3;", 0x7_0000, 0xffff_0002, 0), 5);
    // C of the second sum, and no known C where the first one loses a carry.
    assert_eq!(of("IADD3 RZ.CC, R1, RZ, R2; IADD.X R0, RZ, RZ;", 0xffff_ffff, 1, 0), 1);
    assert_eq!(undefined("IADD3 RZ.CC, R1, R2, R3; IADD.X R0, RZ, RZ;", 0xffff_ffff, 1, 0), 1);
}

#[test]
fn sums_of_three_carry_up_to_two_into_the_next_word() {
    // 3 * 0xffffffff is 0x2fffffffd; the upper words are zero, so that the carries are what is left.
    let plus = "IADD3 RZ.CC, R1, R2, R3; IADD3.X R0, RZ, RZ, RZ;";
    assert_eq!(of(plus, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff), 2);
    assert_eq!(of(plus, 0xffff_ffff, 1, 5), 1, "of the first addition alone");
    assert_eq!(of(plus, 1, 2, 0xffff_ffff), 1, "of the second alone");
    assert_eq!(of(plus, 1, 2, 3), 0);
    // {5, 0} + {5, 0xffffffff} - {0, 1}: the lower words are 0xfffffffe with the carry of a difference that borrows nothing.
    let minus = "IADD3 R4.CC, RZ, R1, -R2; IADD3.X R0, R3, R3, -RZ;";
    assert_eq!(both(minus, 0xffff_ffff, 1, 5), [10, 0xffff_fffe]);
    // {5, 0} - {0, 1} + {5, 0} borrows 1, and {5, 0} - {0, 1} - {2, 1} borrows 2 of 2^32 in two steps: 5 - 2 - 1 = 2 above 0xfffffffe.
    assert_eq!(both(minus, 0, 1, 5), [9, 0xffff_ffff]);
    let twice = "MOV32I R5, 0x2; IADD3 R4.CC, -R2, RZ, -R2; IADD3.X R0, -RZ, R3, -R5;";
    assert_eq!(both(twice, 0, 1, 5), [2, 0xffff_fffe]);
    // A zero taken away borrows nothing.
    assert_eq!(both(twice, 0, 0, 5), [3, 0]);
    // What a sum of two leaves, and which code has the carry of the first addition, is not known.
    assert_eq!(undefined("IADD RZ.CC, R1, R2; IADD3.X R0, RZ, RZ, RZ;", 1, 2, 0) & 1, 1);
    let chain = "IADD3 RZ.CC, R1, R1, R1; IADD3.X RZ.CC, R1, R1, R1; IADD3.X R0, RZ, RZ, RZ;";
    // 3 * 0xffffffffffffffff is 2 * 2^64 + …
    assert_eq!(of(chain, 0xffff_ffff, 0, 0), 2);
}

#[test]
fn differences_of_scaled_words_and_products_leave_a_carry() {
    // C: nothing is borrowed.
    assert_eq!(codes("ISCADD RZ.CC, R1, -R2, 0x4;", 1, 16, 0) & (C | Z), C | Z);
    assert_eq!(codes("ISCADD RZ.CC, R1, -R2, 0x4;", 1, 17, 0) & (C | Z), 0);
    assert_eq!(codes("ISCADD RZ.CC, -R1, R2, 0x4;", 1, 17, 0) & (C | Z), C);
    assert_eq!(codes("ISCADD RZ.CC, -R1, R2, 0x4;", 0, 0, 0) & (C | Z), C | Z, "0 - 0");
    assert_eq!(codes("IMAD RZ.CC, R1, R2, -R3;", 3, 5, 15) & (C | Z), C | Z);
    assert_eq!(codes("IMAD RZ.CC, R1, R2, -R3;", 3, 5, 16) & (C | Z), 0);
    assert_eq!(codes("IMAD.HI RZ.CC, R1, R2, -R3;", 0x4000_0000, 8, 2) & (C | Z), C | Z);
    // -2 * 8 is 0xfffffff0, and with 16 a carry.
    assert_eq!(codes("XMAD.U16.S16 RZ.CC, R1, -0x2, R2;", 8, 16, 0) & (C | Z), C | Z);
    assert_eq!(codes("XMAD.U16.S16 RZ.CC, R1, -0x2, R2;", 8, 15, 0) & (C | Z), 0);
}

#[test]
fn addresses_by_shifts() {
    assert_eq!(of("LEA R0, R1, R2, 0x3;", 5, 7, 0), 47);
    assert_eq!(of("LEA R0, -R1, R2, 0x3;", 5, 47, 0), 7);
    // {3, 0x80000001} << 4 has the upper word 0x38.
    assert_eq!(of("LEA.HI R0, R1, R2, R3, 0x4;", 0x8000_0001, 1, 3), 0x39);
    assert_eq!(of("LEA.HI R0, R1, R2, R3;", 0x8000_0001, 1, 3), 4, "without a shift the upper word itself");
    // -{0, 1} << 4 has the upper word 0xffffffff.
    assert_eq!(of("LEA.HI R0, -R1, R2, R3, 0x4;", 1, 1, 0), 0);
    // The predicate of `LEA.HI` says that the upper word is not zero; that of `LEA` is no known one.
    assert_eq!(of("LEA.HI P0, R0, R1, R2, R3; SEL R0, R1, R2, P0;", 7, 5, 0), 7);
    assert_eq!(of("LEA.HI P0, R0, R1, R2, R3; SEL R0, R1, R2, P0;", 7, 0, 0), 0);
    assert_eq!(undefined("LEA P0, R0, R1, R2; SEL R0, R1, R2, P0;", 0, u32::MAX, 0), u32::MAX);
}

#[test]
fn products_and_sums() {
    assert_eq!(of("IMAD R0, R1, R2, R3;", 7, 6, 5), 47);
    assert_eq!(of("IMAD R0, -R1, R2, R3;", 7, 6, 5), 37u32.wrapping_neg());
    assert_eq!(of("IMAD R0, R1, R2, -R3;", 7, 6, 5), 37);
    assert_eq!(of("IMAD.PO R0, R1, R2, R3;", 7, 6, 5), 48);
    // The summand of `IMAD32I` is what its destination held, here R1, R2 or R3: 7, 6 or 5.
    let long = |instruction: &str| of(&format!("{instruction}\nMOV R0, R3;"), 7, 6, 5);
    assert_eq!(long("IMAD32I R3, R1, 0x10000, R3;"), 7 << 16 | 5);
    assert_eq!(long("IMAD32I R3, R1, 0x2, -R3;"), 9);
    assert_eq!(long("IMAD32I R3, -R1, 0x2, R3;"), 9u32.wrapping_neg());
    assert_eq!(long("IMAD32I.PO R3, R1, 0x2, R3;"), 20);
    assert_eq!(long("IMAD32I.U32.U32.HI R3, R1, -0x1, R3;"), 6 + 5);
    assert_eq!(long("IMAD32I.HI R3, R1, -0x1, R3;"), 4);
    assert_eq!(of("IMAD R0, R1, -0x3, R3;", 7, 0, 5), 16u32.wrapping_neg());
    assert_eq!(of("IMAD.U32.U32.HI R0, R1, R2, R3;", 0xffff_ffff, 0xffff_ffff, 1), 0xffff_ffff);
    assert_eq!(of("IMAD.HI R0, R1, R2, R3;", 0xffff_ffff, 0xffff_ffff, 1), 1);
    assert_eq!(of("IMAD.S32.U32.HI R0, R1, R2, R3;", 0xffff_ffff, 0xffff_ffff, 1), 0);
    assert_eq!(of("IMAD.U32.S32.HI R0, R1, R2, R3;", 2, 0x8000_0000, 1), 0);
    assert_eq!(of("IMAD.HI.SAT R0, R1, R2, R3;", 0x8000_0000, 0x8000_0000, 0x7000_0000), 0x7fff_ffff);
    assert_eq!(of("IMAD.HI.SAT R0, R1, R2, R3;", 0x8000_0000, 0x4000_0000, 0x8000_0000), 0x8000_0000);
    // 0xffffffff * 0xffffffff + 0xffffffff, of 64 bits: 0xfffffffe_00000001 + 0xffffffff is 0xffffffff_00000000.
    let wide = "IMAD.U32.U32 R4.CC, R1, R2, R3; IMAD.U32.U32.HI.X R0, R1, R2, RZ;";
    assert_eq!(both(wide, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff), [0xffff_ffff, 0]);
}

#[test]
fn products_of_signed_halves() {
    // The code of ptxas 12.9 for `mul.hi.s32`.
    let body = "XMAD R4, R1, R2, RZ;\nXMAD.U16.S16 R5, R1, R2.H1, RZ;\nXMAD.S16.U16.CHI R6, R1.H1, R2, R4;\n\
                XMAD.S16.S16.CSFU R7, R1.H1, R2.H1, RZ;\nIADD3.RS R0, R6, R5, R7;";
    let words =
        [0, 1, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_0000, 0xffff_ffff, 0x0001_8000, 0xdead_beef];
    for a in words {
        for b in words {
            let exact = (i64::from(a as i32) * i64::from(b as i32)) >> 32;
            assert_eq!(of(body, a, b, 0), exact as u32, "{a:#x} {b:#x}");
        }
    }
    let reason = Spa::new("XMAD.CSFU R0, R1, R2, R3;", 1).unsupported();
    assert!(
        reason.contains("other than two signed upper halves"),
        "the rule is known of one form alone: {reason}"
    );
}

#[test]
fn tests_of_codes() {
    let test = |name: &str, a, b| {
        of(&format!("IADD RZ.CC, R1, -R2; CSETP.{name}.AND P0, P1, CC, PT; SEL R0, R3, RZ, P0;"), a, b, 1)
    };
    assert_eq!([test("LT", 0xffff_ffff, 1), test("LT", 1, 1), test("LT", 0x8000_0000, 1)], [1, 0, 1]);
    assert_eq!(
        [test("LO", 0xffff_ffff, 1), test("LO", 0, 1), test("LS", 1, 1), test("HI", 2, 1)],
        [0, 1, 1, 1]
    );
    assert_eq!([test("SFT", 0, 1), test("OFT", 0x8000_0000, 1), test("NEU", 1, 1)], [1, 1, 0]);
    // The second predicate is the opposite, then combined.
    let second = "IADD RZ.CC, R1, -R2; CSETP.EQ.AND P0, P1, CC, PT; SEL R0, R3, RZ, P1;";
    assert_eq!([of(second, 5, 5, 1), of(second, 5, 6, 1)], [0, 1]);
    assert_eq!(of("IADD RZ.CC, R1, -R2; CSET.BF.GE.AND R0, CC, PT;", 2, 1, 0), 0x3f80_0000);
    assert_eq!(of("IADD RZ.CC, R1, -R2; CSET.GE.AND R0, CC, !PT;", 2, 1, 0), 0);
    // `abs.s64` as ptxas 12.9 compiles it, of -5.
    let magnitude = "I2I.S32.S32 RZ.CC, R2; CSETP.LT.AND P0, PT, CC, PT; IADD R5.CC, RZ, -R1; \
                     IADD.X R6, RZ, -R2; SEL R0, R5, R1, P0; SEL R4, R6, R2, P0;";
    assert_eq!(both(magnitude, 0xffff_fffb, 0xffff_ffff, 0), [5, 0]);
    assert_eq!(both(magnitude, 5, 0x7fff_ffff, 0), [5, 0x7fff_ffff]);
    // Logic leaves S, and no known C.
    assert_eq!(of("LOP.XOR RZ.CC, R1, R2; CSET.SFT.AND R0, CC, PT;", 0x8000_0000, 1, 0), u32::MAX);
    assert_eq!(undefined("LOP.XOR RZ.CC, R1, R2; CSET.HS.AND R0, CC, PT;", 0, 0, 0), u32::MAX);
}

#[test]
fn codes_and_predicates_go_through_registers() {
    // Saved, overwritten, and brought back.
    let body =
        "IADD RZ.CC, R1, R2; P2R R5, CC, RZ, 0xf; IADD RZ.CC, RZ, RZ; R2P CC, R5, 0xf; IADD.X R0, RZ, RZ;";
    assert_eq!([of(body, 0xffff_ffff, 1, 0), of(body, 1, 1, 0)], [1, 0]);
    let body = "ISETP.EQ.AND P0, PT, R1, R2, PT; ISETP.NE.AND P3, PT, R1, R2, PT; P2R.B1 R0, PR, R3, 0x9;";
    assert_eq!(of(body, 1, 1, 0xffff_ffff), 0xffff_f7ff, "bits 8 and 11 are replaced");
    let body =
        "PSETP.AND.AND P0, P1, PT, PT, PT; R2P PR, R1.B2, 0x3; SEL R0, R2, RZ, P0; SEL R4, R2, RZ, P1;";
    assert_eq!(both(body, 0x00fe_0000, 7, 0), [0, 7]);
    // A predicate that the mask leaves out stays.
    let body = "PSETP.AND.AND P0, P1, PT, PT, PT; R2P PR, RZ, 0x2; SEL R0, R2, RZ, P0; SEL R4, R2, RZ, P1;";
    assert_eq!(both(body, 0, 7, 0), [7, 0]);
}

#[test]
fn predicates_combine() {
    // P0 = R1 != 0, P1 = R2 != 0.
    let with = |rest: &str, a, b| {
        let set = "ISETP.NE.AND P0, PT, R1, RZ, PT; ISETP.NE.AND P1, PT, R2, RZ, PT;";
        both(&format!("{set} MOV R4, RZ; {rest}"), a, b, 1)
    };
    // The second result is of the opposite of the first operand: (!P0 and P1), not !(P0 and P1).
    let two = "PSETP.AND.AND P2, P3, P0, P1, PT; SEL R0, R3, RZ, P2; SEL R4, R3, RZ, P3;";
    assert_eq!(
        [with(two, 1, 1), with(two, 0, 1), with(two, 0, 0), with(two, 1, 0)],
        [[1, 0], [0, 1], [0, 0], [0, 0]]
    );
    let one = "PSET.BF.OR.AND R0, P0, !P1, PT;";
    assert_eq!([with(one, 0, 1)[0], with(one, 0, 0)[0]], [0, 0x3f80_0000]);
    assert_eq!(with("PSET.XOR.AND R0, P0, P1, PT;", 1, 0)[0], u32::MAX);
    assert_eq!(with("LOP.AND.NZ P2, R0, R1, R2; SEL R4, R3, RZ, P2;", 4, 2), [0, 0]);
    assert_eq!(with("LOP.AND.Z P2, R0, R1, R2; SEL R4, R3, RZ, P2;", 4, 2), [0, 1]);
    assert_eq!(with("LOP.AND.T P2, R0, R1, R2; SEL R4, R3, RZ, P2;", 4, 4), [4, 1]);
}

#[test]
fn comparisons_of_long_numbers() {
    // {R3, R1} and {R2, R2}: by the difference of the lower words, then the upper ones.
    let long = |compare: &str, a: u64, b: u64| {
        let body = set("R5", a as u32)
            + &set("R6", (a >> 32) as u32)
            + &set("R7", b as u32)
            + &set("R8", (b >> 32) as u32)
            + &format!("IADD RZ.CC, R5, -R7;\nISET.{compare} R0, R6, R8, PT;\n")
            + &storing(&["R0"]);
        Spa::new(&body, 1).words()[0] != 0
    };
    let numbers = [0, 1, 0xffff_ffff, 1 << 32, (1 << 32) + 1, i64::MAX as u64, 1 << 63, u64::MAX];
    for a in numbers {
        for b in numbers {
            assert_eq!(long("LT.U32.X.AND", a, b), a < b, "{a:#x} {b:#x}");
            assert_eq!(long("GE.X.AND", a, b), a as i64 >= b as i64, "{a:#x} {b:#x}");
            assert_eq!(long("GT.X.AND", a, b), a as i64 > b as i64, "{a:#x} {b:#x}");
            assert_eq!(long("LE.U32.X.AND", a, b), a <= b, "{a:#x} {b:#x}");
            assert_eq!(long("EQ.X.AND", a, b), a == b, "{a:#x} {b:#x}");
        }
    }
}

#[test]
fn extremes_of_long_numbers() {
    // `min.s64` and `max.u64` as ptxas 12.9 compiles them.
    let long = |upper: &str, p: &str, a: u64, b: u64| {
        let body = set("R5", a as u32)
            + &set("R6", (a >> 32) as u32)
            + &set("R7", b as u32)
            + &set("R8", (b >> 32) as u32)
            + &format!("IMNMX{upper}.XHI R4.CC, R6, R8, {p};\nIMNMX.U32.XLO R0, R5, R7, {p};\n")
            + &storing(&["R0", "R4"]);
        let words = Spa::new(&body, 2).words();
        u64::from(words[1]) << 32 | u64::from(words[0])
    };
    let numbers = [0, 1, 0x1_ffff_ffff, 1 << 32, (7 << 32) + 1, (7 << 32) + 9, 1 << 63, u64::MAX];
    for a in numbers {
        for b in numbers {
            assert_eq!(long("", "PT", a, b) as i64, (a as i64).min(b as i64), "{a:#x} {b:#x}");
            assert_eq!(long(".U32", "!PT", a, b), a.max(b), "{a:#x} {b:#x}");
        }
    }
}

#[test]
fn integers_change_size() {
    assert_eq!(of("I2I.S32.S16 R0, R1;", 0x1234_8000, 0, 0), 0xffff_8000);
    assert_eq!(of("I2I.U32.U16 R0, R1.H1;", 0x8000_1234, 0, 0), 0x8000);
    assert_eq!(of("I2I.S32.S8 R0, R1.B3;", 0x8000_0000, 0, 0), 0xffff_ff80);
    assert_eq!(of("I2I.U32.S32.SAT R0, R1;", 0xffff_ffff, 0, 0), 0);
    assert_eq!(of("I2I.S32.U32.SAT R0, R1;", 0xffff_ffff, 0, 0), 0x7fff_ffff);
    assert_eq!(of("I2I.U32.U32 R0, -R1;", 1, 0, 0), 0xffff_ffff);
    assert_eq!(of("I2I.S32.S32 R0, -|R1|;", 5, 0, 0), 0xffff_fffb);
    // Of a destination of 8 or 16 bits the rest of the register is undefined.
    assert_eq!(of("I2I.U8.S32.SAT R0, R1; LOP.AND R0, R0, 0xff;", 300, 0, 0), 255);
    assert_eq!(of("I2I.S8.S32.SAT R0, R1; BFE R0, R0, 0x800;", 0xffff_f000, 0, 0), 0xffff_ff80);
    assert_eq!(of("I2I.U16.U32.SAT R0, R1; LOP.AND R0, R0, R2;", 0x1_0000, 0xffff, 0), 0xffff);
    assert_eq!(undefined("I2I.U8.S32.SAT R0, R1;", 300, 0, 0), 0xffff_ff00);
    assert_eq!(undefined("I2I.S16.S16 R0, -R1;", 300, 0, 0), 0xffff_0000);
    // But of an extended byte it is zero: `cvt.u32.u16` of 0xff80 is 0xff80.
    assert_eq!(of("I2I.S16.S8 R0, R1;", 0x80, 0, 0), 0xff80);
}

#[test]
fn bits_in_reverse_and_long_shifts() {
    assert_eq!(of("BFE.U32.BREV R0, R1, 0x2000;", 0x8000_0001, 0, 0), 0x8000_0001);
    assert_eq!(of("BFE.U32.BREV R0, R1, 0x0800;", 0x1200_0000, 0, 0), 0x48);
    assert_eq!(of("SHR.U32.BREV R0, R1, 0x4;", 0x0000_0001, 0, 0), 0x0800_0000);
    assert_eq!(of("FLO.U32 R0, ~R1;", 0xffff_fffe, 0, 0), 0);
    assert_eq!(of("FLO.U32.SH R0, R1;", 0, 0, 0), u32::MAX);
    assert_eq!(of("POPC R0, ~R1;", 0xffff_fff0, 0, 0), 4);
    // `shr.s64` of {R3, R1} by 36, and by 70.
    let right = "SHF.R.S64 R0, R1, R2, R3; SHF.R.S64.HI R4, R1, R2, R3;";
    assert_eq!(both(right, 0, 36, 0x8000_0000), [0xf800_0000, 0xffff_ffff]);
    assert_eq!(both(right, 0, 70, 0x8000_0000), [u32::MAX; 2]);
    assert_eq!(of("SHF.R.U64 R0, R1, R2, R3;", 0, 70, 0x8000_0000), 0);
    assert_eq!(of("SHF.R.W R0, R1, R2, R3;", 0x10, 36, 1), 0x1000_0001);
    assert_eq!(of("SHF.L R0, R1, R2, R3;", 0x8000_0001, 40, 7), 0x8000_0001, "limited to 32");
    assert_eq!(of("SHF.L.U64 R0, R1, R2, R3;", 0x8000_0001, 40, 7), 0x100);
    assert_eq!(of("PRMT.B4E R0, R1, R2, R3;", 0x3322_1100, 1, 0x7766_5544), 0x6677_0011);
    assert_eq!(of("LOP32I.PASS_B R0, RZ, 0x7.INV;", 0, 0, 0), 0xffff_fff8);
}

#[test]
fn video_instructions() {
    assert_eq!(of("VADD.UD.U8.S8 R0, R1.B1, -R2.B3, RZ;", 0x0000_0500, 0xff00_0000, 0), 6, "5 - -1");
    assert_eq!(of("VADD.UD.U32.U32.SAT R0, R1, -R2, RZ;", 5, 6, 0), 0);
    assert_eq!(of("VADD.U16.U16 R0, R1.H1, -0xff, RZ;", 0x5_0000, 0, 0), 250u32.wrapping_neg(), "5 - 255");
    assert_eq!(of("VSHL.UD.U32.U32 R0, R1, R2, RZ;", 0x8000_0000, 33, 0), 0, "nothing is left");
    assert_eq!(of("VADD.SAT R0, R1, R2, RZ;", 0x7fff_ffff, 1, 0), 0x7fff_ffff);
    assert_eq!(of("VADD.SAT.MIN R0, R1, -0xd, R3;", 5, 0, 0xffff_fff0), 0xffff_fff0);
    assert_eq!(of("VADD.U32.U8.MRG_8B2 R0, R1, R2.B1, R3;", 0x100, 0x500, 0xaabb_ccdd), 0xaa05_ccdd);
    assert_eq!(of("VABSDIFF.SD.ACC R0, R1, R2, R3;", 0x8000_0000, 0x7fff_ffff, 2), 1);
    assert_eq!(of("VABSDIFF.U32.U32.ACC R0, R1, R2, R3;", 3, 10, 100), 107);
    // Of a negative and a large unsigned number, as numbers.
    assert_eq!(of("VMNMX.S32.U32 R0, R1, R2, RZ;", 0xffff_ffff, 0xffff_fffe, 0), 0xffff_ffff);
    assert_eq!(of("VMNMX.UD.S32.U32.MX R0, R1, R2, RZ;", 0xffff_ffff, 0xffff_fffe, 0), 0xffff_fffe);
    assert_eq!(of("VSET.LT.S32.U32.ACC R0, R1, R2, R3;", 0xffff_ffff, 0, 9), 10);
    assert_eq!(of("VSHL.SAT R0, R1, R2, RZ;", 0x4000_0000, 2, 0), 0x7fff_ffff);
    assert_eq!(of("VSHL.UD.U32.U32.W R0, R1, R2, RZ;", 3, 33, 0), 6);
    assert_eq!(of("VSHR R0, R1, 0x4, RZ;", 0x8000_0000, 0, 0), 0xf800_0000);
    assert_eq!(of("VSHR.UD.U32.U32 R0, R1, R2, RZ;", 0x8000_0000, 40, 0), 0);
    assert_eq!(of("VMAD.U32.U16.SHR_7 R0, R1, 0x10, R3;", 8, 0, 0x80), 2);
    assert_eq!(of("VMAD.S32.U16.SAT R0, -R1, 0x2, R3;", 0xc000_0000, 0, 1), 0x7fff_ffff);
    assert_eq!(of("VMAD.PO R0, R1, R2, R3;", 3, 4, 5), 18);
    assert_eq!(of("VABSDIFF4.U8.U8.ACC R0, R1, R2, R3;", 0x0102_0304, 0x0403_0201, 1), 9);
    // 5, -1, 127, -128 and -6, 1, -128, 127.
    assert_eq!(of("VABSDIFF4 R0, R1, R2, R3;", 0x807f_ff05, 0x7f80_01fa, 1), 0xffff_020b);
    assert_eq!(of("VABSDIFF4.S8.U8 R0, R1, R2, R3;", 0x807f_ff05, 0x7f80_01fa, 1), 0xff01_02f5);
    assert_eq!(of("VABSDIFF4.SD.S8.U8.SAT R0, R1, R2, R3;", 0x80, 0xff, 1), 0x7f);
    // More than 34 bits, limited: no description says to what.
    assert_eq!(undefined("VSHL.SAT R0, R1, R2, RZ;", 0x4000_0000, 20, 0), u32::MAX);
    // A merge keeps what is defined around it.
    assert_eq!(undefined("VADD.U32.U8.MRG_8B0 R0, R1, R9, R3;", 1, 0, 1), 0xff);
}
