//! The code that ptxas 12.9 emits for sm_50 where the hardware has an approximation only: it corrects the error of `MUFU`, so that its results
//! are exact. Loads, constants of bank 2 and the calls of the slow way are taken out, and products of integers are one instruction; the operands
//! are such that the short way is right.

use super::kernel::{Spa, set, storing};

/// Numbers that look random, always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 ^ self.0 >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// A single with an exponent between −20 and 20.
    fn single(&mut self) -> f32 {
        let bits = self.next();
        let exponent = 107 + (bits >> 32) % 41;
        f32::from_bits((bits & 0x807f_ffff) as u32 | (exponent as u32) << 23)
    }

    /// A double with an exponent between −20 and 20.
    fn double(&mut self) -> f64 {
        let (bits, exponent) = (self.next(), 1003 + self.next() % 41);
        f64::from_bits(bits & 0x800f_ffff_ffff_ffff | exponent << 52)
    }
}

/// The words that a body leaves in these registers, all bits of which must be defined.
fn left(body: &str, registers: &[&str]) -> Vec<u32> {
    Spa::new(&(body.to_owned() + "\n" + &storing(registers)), registers.len()).words()
}

fn set_double(low: &str, high: &str, value: f64) -> String {
    let bits = value.to_bits();
    set(low, bits as u32) + &set(high, (bits >> 32) as u32)
}

fn double(words: &[u32]) -> f64 {
    f64::from_bits(u64::from(words[1]) << 32 | u64::from(words[0]))
}

/// `div.rn.f32`: the quotient, and whether the slow way would have been called.
fn quotient(a: f32, b: f32) -> (f32, bool) {
    let body = set("R0", a.to_bits())
        + &set("R5", b.to_bits())
        + &set("R20", 1f32.to_bits())
        + "MUFU.RCP R4, R5;
           FCHK.DIVIDE P0, R0, R5;
           FFMA R6, R5, -R4, R20;
           FFMA R6, R4, R6, R4;
           FFMA R7, R0, R6, RZ;
           FFMA R4, R5, -R7, R0;
           FFMA R4, R6, R4, R7;
           SEL R8, RZ, 0x1, !P0;";
    let words = left(&body, &["R4", "R8"]);
    (f32::from_bits(words[0]), words[1] == 1)
}

#[test]
fn quotients_of_singles_are_exact() {
    let mut numbers = Numbers(1);
    for _ in 0..150 {
        let (a, b) = (numbers.single(), numbers.single());
        assert_eq!(quotient(a, b), (a / b, false), "{a:e} / {b:e}");
    }
    // Quotients next to a tie: numbers of 24 bits by 3, and the greatest significands.
    for (a, b) in [(1.0, 3.0), (16_777_215.0, 16_777_213.0), (0.999_999_94, 1.000_000_1), (5.0, -7.0)] {
        assert_eq!(quotient(a, b), (a / b, false), "{a:e} / {b:e}");
    }
    for (a, b) in
        [(1.0, 0.0), (f32::NAN, 1.0), (1.0, f32::INFINITY), (1e-40, 1.0), (1e30, 1e-30), (1e-30, 1e30)]
    {
        assert!(quotient(a, b).1, "{a:e} / {b:e} goes the slow way");
    }
}

#[test]
fn the_ends_of_the_short_way_are_exact() {
    // The least numerator and quotient, the greatest denominator, of the short way.
    let power = |n: i32| 2f32.powi(n);
    for (a, b) in [
        (power(-77) * 1.000_000_1, 1.999_999_9),
        (power(-77), power(47) * 1.5),
        (power(124) * 1.3, power(124) * 1.7),
        (power(100) * 1.999_999_9, power(-24) * 1.1),
    ] {
        assert_eq!(quotient(a, b), (a / b, false), "{a:e} / {b:e}");
    }
}

#[test]
fn reciprocals_and_roots_of_singles_are_exact() {
    let mut numbers = Numbers(2);
    for _ in 0..100 {
        let x = numbers.single();
        let reciprocal = set("R0", x.to_bits())
            + "MOV32I R20, 0xbf800000;
               MUFU.RCP R5, R0;
               FFMA R4, R0, R5, R20;
               FADD.FTZ R4, -R4, -RZ;
               FFMA R4, R5, R4, R5;";
        assert_eq!(left(&reciprocal, &["R4"]), [(1.0 / x).to_bits()], "1 / {x:e}");
        let x = x.abs();
        let root = set("R0", x.to_bits())
            + "MUFU.RSQ R5, R0;
               FMUL.FTZ R6, R0, R5;
               FMUL.FTZ R5, R5, 0.5;
               FFMA R0, R6, -R6, R0;
               FFMA R0, R0, R5, R6;";
        assert_eq!(left(&root, &["R0"]), [x.sqrt().to_bits()], "sqrt {x:e}");
    }
}

#[test]
fn quotients_and_roots_of_doubles_are_exact() {
    let mut numbers = Numbers(3);
    for _ in 0..60 {
        let (a, b) = (numbers.double(), numbers.double());
        let quotient = set_double("R8", "R9", a)
            + &set_double("R6", "R7", b)
            + &set_double("R20", "R21", 1.0)
            + "MOV32I R4, 0x1;
               MUFU.RCP64H R5, R7;
               DFMA R10, R6, -R4, R20;
               DFMA R10, R10, R10, R10;
               DFMA R4, R4, R10, R4;
               DFMA R10, R6, -R4, R20;
               DFMA R10, R4, R10, R4;
               DMUL R4, R8, R10;
               DFMA R12, R6, -R4, R8;
               DFMA R4, R10, R12, R4;
               FSET.GEU.AND R10, |R9|, 6.5827683646048100446e-37, PT;
               FFMA R0, RZ, R7, R5;
               FSET.GT.AND R0, |R0|, 1.469367938527859385e-39, PT;
               LOP.AND R0, R10, R0;";
        let words = left(&quotient, &["R4", "R5", "R0", "R0"]);
        assert_eq!((double(&words), words[2]), (a / b, u32::MAX), "{a:e} / {b:e}");
        let a = a.abs();
        let root = set_double("R4", "R5", a)
            + &set_double("R20", "R21", 1.0)
            + "MUFU.RSQ64H R7, R5;
               IADD32I R6, R5, -0x3500000;
               DMUL R10, R6, R6;
               DFMA R8, R4, -R10, R20;
               MOV32I R10, 0x0;
               MOV32I R11, 0x3fe00000;
               DFMA R12, R8, 0.375, R10;
               DMUL R8, R6, R8;
               DFMA R10, R12, R8, R6;
               DMUL R14, R4, R10;
               IADD32I R17, R11, -0x100000;
               MOV R16, R10;
               DFMA R8, R14, -R14, R4;
               DFMA R12, R8, R16, R14;";
        assert_eq!(double(&left(&root, &["R12", "R13"])), a.sqrt(), "sqrt {a:e}");
    }
}

#[test]
fn quotients_of_integers_are_exact() {
    let mut numbers = Numbers(4);
    let mut cases =
        vec![(u32::MAX, 1), (u32::MAX, u32::MAX), (0, 7), (7, 8), (u32::MAX, 2), (1 << 31, 3), (5, 1 << 31)];
    for _ in 0..80 {
        let (a, b) = (numbers.next(), numbers.next());
        cases.push((a as u32 >> (a >> 59), (b as u32 >> (b >> 59)).max(1)));
    }
    for (a, b) in cases {
        let body = set("R0", a)
            + &set("R5", b)
            + "I2F.F32.U32.RP R4, R5;
               MUFU.RCP R4, R4;
               IADD32I R6, R4, 0xffffffe;
               F2I.FTZ.U32.F32.TRUNC R6, R6;
               IMUL.U32.U32 R7, R6, R5;
               IADD R12, -R7, RZ;
               IMUL.U32.U32.HI R7, R6, R12;
               IADD R7, R7, R6;
               IMUL.U32.U32.HI R4, R7, R0;
               IMUL.U32.U32 R8, R4, R5;
               IADD R0, R0, -R8;
               ISETP.GE.U32.AND P0, PT, R0, R5, PT;
               @P0 IADD R0, -R5, R0;
               @P0 IADD32I R4, R4, 0x1;
               ISETP.GE.U32.AND P1, PT, R0, R5, PT;
               @P1 IADD32I R4, R4, 0x1;";
        assert_eq!(left(&body, &["R4"]), [a / b], "{a} / {b}");
    }
}
