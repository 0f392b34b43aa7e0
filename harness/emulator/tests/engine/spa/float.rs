//! Floating point and conversions. Where PTX leaves a NaN open the hardware has one of its own.

use super::kernel::{Spa, set, storing};

const ONE: u32 = 0x3f80_0000;
const NAN: u32 = 0x7fff_ffff;
const INFINITY: u32 = 0x7f80_0000;
const ALL: u32 = u32::MAX;

/// `R0` after an instruction on `R1`, `R2` and `R3`, all bits of which must be defined.
fn of(instruction: &str, a: u32, b: u32, c: u32) -> u32 {
    with(instruction, [a, b, c]).words()[0]
}

/// The defined bits of the same.
fn defined(instruction: &str, a: u32, b: u32, c: u32) -> u32 {
    with(instruction, [a, b, c]).defined()[0]
}

fn with(instruction: &str, [a, b, c]: [u32; 3]) -> Spa {
    let body = set("R0", 0x1234_5678)
        + &set("R1", a)
        + &set("R2", b)
        + &set("R3", c)
        + instruction
        + "\n"
        + &storing(&["R0"]);
    Spa::new(&body, 1)
}

fn bits(value: f32) -> u32 {
    value.to_bits()
}

#[test]
fn single_arithmetic() {
    assert_eq!(of("FADD R0, -R1, |R2|;", bits(1.0), bits(-3.0), 0), bits(2.0));
    assert_eq!(of("FADD R0, -RZ, R1;", 0x8000_0000, 0, 0), 0x8000_0000, "-0 + -0, as `cvt.sat` begins");
    assert_eq!(of("FADD.SAT R0, R1, R2;", bits(0.75), bits(0.5), 0), ONE);
    assert_eq!(of("FADD.SAT R0, R1, R2;", bits(-0.0), bits(-0.0), 0), 0);
    assert_eq!(of("FMUL.RM R0, R1, R2;", bits(-1.0), 0x3f80_0001, 0), 0xbf80_0001);
    assert_eq!(of("FFMA.RP R0, R1, -R2, R3;", ONE, 0x3300_0000, ONE), ONE, "1 - 2^-25 rounded up");
    assert_eq!(of("FFMA.RZ R0, R1, -R2, R3;", ONE, 0x3300_0000, ONE), 0x3f7f_ffff);
    assert_eq!(of("FFMA32I.FTZ R0, -R1, 2, R0;", bits(1.5), 0, 0), bits(f32::from_bits(0x1234_5678) - 3.0));
    assert_eq!(of("FMUL32I R0, R1, -0.5;", bits(3.0), 0, 0), bits(-1.5));
    assert_eq!(of("FADD32I R0, -|R1|, 0.5;", bits(3.0), 0, 0), bits(-2.5));
    // The exact product is below the least normal number.
    assert_eq!(of("FMUL.FTZ R0, R1, R2;", 0x8080_0000, 0x3f7f_ffff, 0), 0x8000_0000);
}

#[test]
fn nans_of_singles_are_one() {
    for nan in [0x7f80_0001, 0xffff_ffff, 0x7fc1_2345] {
        assert_eq!(of("FADD R0, R1, -R2;", nan, ONE, 0), NAN);
        assert_eq!(of("FFMA R0, R2, R2, -R1;", nan, ONE, 0), NAN);
        assert_eq!(of("FMNMX R0, R1, R2, PT;", nan, ONE, 0), ONE);
        assert_eq!(of("FMNMX R0, R1, -R1, !PT;", nan, ONE, 0), NAN);
    }
    assert_eq!(of("FMUL R0, R1, RZ;", INFINITY, 0, 0), NAN);
    assert_eq!(of("FADD R0, R1, -R1;", INFINITY, 0, 0), NAN);
}

#[test]
fn zero_wins_and_scales() {
    assert_eq!(of("FMUL.FMZ R0, R1, R2;", bits(3.0), bits(2.0), 0), bits(6.0));
    // Whether the zero is positive is not known.
    assert_eq!(defined("FMUL.FMZ R0, R1, R2;", 0x8000_0001, NAN, 0), ALL >> 1);
    assert_eq!(of("FFMA.FMZ R0, R1, R2, R3;", 0, INFINITY, bits(7.0)), bits(7.0));
    assert_eq!(of("FMUL.D2 R0, R1, R2;", bits(3.0), bits(5.0), 0), bits(7.5));
    assert_eq!(of("FMUL.M8 R0, R1, R2;", bits(3.0), bits(5.0), 0), bits(120.0));
    assert_eq!(of("FMUL.D8 R0, R1, R2;", bits(-0.0), bits(5.0), 0), bits(-0.0));
    // The factor, or the product? Their answers differ where the scaled factor has no exponent.
    assert_eq!(defined("FMUL.M2 R0, R1, R2;", 0x7f00_0000, bits(0.25), 0), 0);
}

#[test]
fn comparisons_set_registers() {
    let two = bits(2.0);
    assert_eq!(of("FSET.LT.AND R0, R1, R2, PT;", ONE, two, 0), ALL);
    assert_eq!(of("FSET.BF.LT.AND R0, R1, R2, PT;", ONE, two, 0), ONE);
    assert_eq!(of("FSET.GT.AND R0, R1, R2, PT;", ONE, two, 0), 0);
    assert_eq!(of("FSET.LT.AND R0, R1, R2, !PT;", ONE, two, 0), 0);
    assert_eq!(of("FSET.LT.XOR R0, R1, R2, PT;", ONE, two, 0), 0);
    assert_eq!(of("FSET.NE.AND R0, R1, R1, PT;", NAN, 0, 0), 0, "an ordered comparison");
    assert_eq!(of("FSET.NEU.AND R0, R1, R1, PT;", NAN, 0, 0), ALL);
    assert_eq!(of("FSET.NAN.AND R0, R1, R2, PT;", ONE, NAN, 0), ALL);
    assert_eq!(of("FSET.NUM.AND R0, R1, R2, PT;", ONE, NAN, 0), 0);
    assert_eq!(of("FSET.EQ.FTZ.AND R0, R1, R2, PT;", 1, 0x8000_0001, 0), ALL);
    assert_eq!(of("FSET.T.AND R0, R1, R2, PT;", NAN, NAN, 0), ALL);
    assert_eq!(of("FSET.GT.AND R0, |R1|, -R2, PT;", bits(-2.0), ONE, 0), ALL);
    let doubles = |text: &str| of(text, 0, 0xbff0_0000, 0);
    // R2:R3 is 0x00000000bff00000, a tiny number; R1 is not its pair: RZ is zero.
    assert_eq!(doubles("DSET.NEU.AND R0, R2, RZ, PT;"), ALL);
    assert_eq!(doubles("DSET.BF.GT.AND R0, R2, RZ, PT;"), ONE);
    assert_eq!(doubles("DSET.LT.AND R0, |R2|, RZ, PT;"), 0);
}

#[test]
fn choices_by_comparison_with_zero() {
    assert_eq!(of("FCMP.GE R0, R1, R2, R3;", 5, 7, bits(-0.0)), 5);
    assert_eq!(of("FCMP R0, R1, R2, R3;", 5, 7, bits(-0.0)), 7, "greater, when nothing is written");
    assert_eq!(of("FCMP.GTU R0, R1, R2, R3;", 5, 7, NAN), 5);
    assert_eq!(of("FCMP.GT R0, R1, R2, R3;", 5, 7, 1), 5);
    assert_eq!(of("FCMP.GT.FTZ R0, R1, R2, R3;", 5, 7, 1), 7);
    assert_eq!(of("FCMP.LT R0, R1, R2, R3;", 0x7f80_0001, 7, bits(-1.0)), 0x7f80_0001, "as bits");
}

#[test]
fn lanes_of_a_group_of_four_add_with_their_own_signs() {
    let body =
        set("R1", bits(3.0)) + &set("R2", bits(1.0)) + "FSWZADD R0, R1, R2, ZPPNNPPP;\n" + &storing(&["R0"]);
    let spa = Spa::threads(&body, 8, 1);
    // In the order in which they are written: 1, 3 - 1, 1 - 3, 3 + 1.
    let four = [1.0, 2.0, -2.0, 4.0].map(bits);
    assert_eq!(spa.words(), [four, four].concat());
}

#[test]
fn prepared_arguments_are_for_their_function_alone() {
    let stores = |text: &str| with(text, [bits(0.0), 0, 0]);
    // sin 0, cos 0 and 2^0 are special inputs, whose results are exact.
    assert_eq!(stores("RRO.SINCOS R0, R1; MUFU.SIN R0, R0;").words(), [0]);
    assert_eq!(stores("RRO.SINCOS R0, -R1; MUFU.SIN R0, R0;").words(), [0x8000_0000]);
    assert_eq!(stores("RRO.SINCOS R0, R1; MOV R4, R0; MUFU.COS R0, R4;").words(), [ONE]);
    assert_eq!(stores("RRO.EX2 R0, R1; MUFU.EX2 R0, R0;").words(), [ONE]);
    assert_eq!(with("RRO.EX2 R0, R1; MUFU.EX2 R0, R0;", [0xff80_0000, 0, 0]).words(), [0]);
    for undefined in [
        "RRO.SINCOS R0, R1;",
        "RRO.SINCOS R0, R1; FADD R0, R0, R0;",
        "RRO.EX2 R0, R1; MUFU.SIN R0, R0;",
        "RRO.SINCOS R0, R1; MUFU.EX2 R0, R0;",
        "MUFU.SIN R0, R1;",
        "RRO.SINCOS R0, R200; MUFU.SIN R0, R0;",
    ] {
        assert_eq!(stores(undefined).defined(), [0], "{undefined}");
    }
}

#[test]
fn approximations_within_their_bounds() {
    // sin 1 = 0x3f576aa4 within 2^-20.5, which is 11 units of the last place.
    let sine = with("RRO.SINCOS R0, R1; MUFU.SIN R0, R0;", [ONE, 0, 0]);
    let defined = sine.defined()[0];
    assert!(
        defined != ALL && defined & 0xffff_ff00 == 0xffff_ff00 & defined && defined >> 16 == 0xffff,
        "{defined:#x}"
    );
    assert_eq!(sine.words_left()[0], 0x3f57_6aa4);
    // What is computed of it counts as the reference has it, whether saturated or not.
    assert_eq!(of("RRO.SINCOS R0, R1; MUFU.SIN R0, R0; FMUL R0, R0, 2;", ONE, 0, 0), 0x3fd7_6aa4);
    assert_eq!(of("MUFU.RCP.SAT R0, R1; FMUL R0, R0, 2;", bits(0.5), 0, 0), bits(2.0));
    // All of its interval is 1 and above.
    assert_eq!(of("MUFU.RCP.SAT R0, R1;", bits(0.3), 0, 0), ONE);
    assert_eq!(of("MUFU.RCP.SAT R0, R1;", bits(-3.0), 0, 0), 0);
    assert_ne!(with("MUFU.RCP.SAT R0, R1;", [bits(3.0), 0, 0]).defined(), [ALL]);
    assert_eq!(of("MUFU.RCP R0, R1;", 0x8000_0001, 0, 0), 0xff80_0000, "a subnormal number is zero");
    assert_eq!(of("MUFU.RCP R0, R1;", 0x7f00_0000, 0, 0), 0, "so is a subnormal result");
    assert_eq!(of("MUFU.RSQ R0, R1;", bits(-1.0), 0, 0), NAN);
    assert_eq!(of("MUFU.RSQ R0, R1;", 0xffc0_0000, 0, 0), NAN, "as ptxas makes 0 / 0");
    assert_eq!(of("MUFU.LG2 R0, -R1;", bits(-0.0), 0, 0), 0xff80_0000);
}

#[test]
fn approximations_of_upper_words() {
    assert_eq!(of("MUFU.RCP64H R0, R1;", 0, 0, 0), 0x7ff0_0000);
    assert_eq!(of("MUFU.RCP64H R0, -R1;", 0x000f_ffff, 0, 0), 0xfff0_0000, "a subnormal number is zero");
    assert_eq!(of("MUFU.RCP64H R0, R1;", 0xfff0_0000, 0, 0), 0x8000_0000);
    assert_eq!(of("MUFU.RCP64H R0, R1;", 0x7ff8_0000, 0, 0), 0x7fff_ffff);
    assert_eq!(of("MUFU.RSQ64H R0, R1;", 0x7ff0_0000, 0, 0), 0);
    assert_eq!(defined("MUFU.RSQ64H R0, R1;", 0xfff8_0000, 0, 0), ALL >> 1, "of a NaN not the sign");
    // 1 / 3: no error is documented, but what is computed counts.
    assert_eq!(defined("MUFU.RCP64H R0, R1;", 0x4008_0000, 0, 0), 0);
    assert_eq!(of("MUFU.RCP64H R0, R1; IADD R0, R0, RZ;", 0x4008_0000, 0, 0), 0x3fd5_5555);
    assert_eq!(of("MUFU.RSQ64H R0, R1; IADD R0, R0, RZ;", 0x4010_0000, 0, 0), 0x3fe0_0000);
}

/// `R0:R1` after an instruction on the doubles `R2:R3` and `R4:R5`.
fn of_doubles(instruction: &str, a: u64, b: u64) -> Spa {
    let words = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32];
    let sets: String =
        ["R2", "R3", "R4", "R5"].iter().zip(words).map(|(name, word)| set(name, word)).collect();
    Spa::new(&(sets + instruction + "\n" + &storing(&["R0", "R1"])), 2)
}

fn wide(words: &[u32]) -> u64 {
    u64::from(words[1]) << 32 | u64::from(words[0])
}

#[test]
fn nans_of_doubles_come_through() {
    let one = 1f64.to_bits();
    let nan = 0xfff0_0000_0000_0007;
    assert_eq!(wide(&of_doubles("DADD R0, R2, R4;", nan, one).words()), 0xfff8_0000_0000_0007);
    assert_eq!(wide(&of_doubles("DMUL R0, R4, R2;", nan, one).words()), 0xfff8_0000_0000_0007);
    assert_eq!(wide(&of_doubles("DFMA R0, R4, R4, R2;", nan, one).words()), 0xfff8_0000_0000_0007);
    // With a mark the sign is open, with two NaNs the bits in which they differ and the sign.
    assert_eq!(wide(&of_doubles("DADD R0, -R2, R4;", nan, one).defined()), u64::MAX >> 1);
    let other = 0x7ff8_0000_0000_0005;
    assert_eq!(wide(&of_doubles("DADD R0, R2, R4;", nan, other).defined()), 0x7fff_ffff_ffff_fffd);
    // A payload that is undefined stays so: that of a single is.
    let widened = of_doubles("F2F.F64.F32 R2, R3; DADD R0, R2, R4;", 0x7fc0_0001 << 32, one);
    assert_eq!(wide(&widened.defined()), 0x7ff8_0000_0000_0000);
    // An invalid operation: a quiet NaN.
    let infinity = f64::INFINITY.to_bits();
    assert_eq!(wide(&of_doubles("DADD R0, R2, -R2;", infinity, one).defined()), 0x7ff8_0000_0000_0000);
    assert_eq!(wide(&of_doubles("DMNMX R0, R2, R4, PT;", nan, one).words()), one);
    assert_eq!(wide(&of_doubles("DMNMX R0, R2, R4, PT;", nan, other).defined()), 0x7ff8_0000_0000_0000);
    assert_eq!(wide(&of_doubles("DFMA.RP R0, R2, -R4, RZ;", one, one).words()), (-1f64).to_bits());
}

#[test]
fn floats_to_floats() {
    assert_eq!(of("F2F.F32.F32.ROUND R0, R1;", bits(2.5), 0, 0), bits(2.0));
    assert_eq!(of("F2F.F32.F32.FLOOR R0, -R1;", bits(0.25), 0, 0), bits(-1.0));
    assert_eq!(of("F2F.F32.F32.CEIL R0, R1;", bits(-0.25), 0, 0), bits(-0.0));
    assert_eq!(of("F2F.F32.F32.TRUNC.SAT R0, |R1|;", bits(-7.5), 0, 0), ONE);
    assert_eq!(of("F2F.FTZ.F32.F32.CEIL R0, R1;", 1, 0, 0), 0);
    assert_eq!(of("F2F.F32.F32.CEIL R0, R1;", 1, 0, 0), ONE);
    assert_eq!(of("F2F.F32.F32.PASS R0, -R1;", bits(3.5), 0, 0), bits(-3.5));
    assert_eq!(defined("F2F.F32.F32 R0, R1;", NAN, 0, 0), 0x7fc0_0000);
    // A half stands below zeros; the upper half of a register may be the source.
    assert_eq!(of("F2F.F16.F32 R0, R1;", bits(-1.5), 0, 0), 0xbe00);
    assert_eq!(of("F2F.FTZ.F16.F32.RP R0, R1;", 1, 0, 0), 1, "`.FTZ` is void");
    assert_eq!(of("F2F.F16.F32 R0, R1;", 0xff80_0001, 0, 0), 0x7fff);
    assert_eq!(of("F2F.F32.F16 R0, R1.H1;", 0xc000_3c00, 0, 0), bits(-2.0));
    assert_eq!(of("F2F.F32.F16 R0, R1;", 0xfe00, 0, 0), NAN);
    assert_eq!(of("F2F.F16.F16.TRUNC R0, R1;", 0x3e00, 0, 0), 0x3c00);
    assert_eq!(of("F2F.F16.F16 R0, |R1|;", 0xbe00, 0, 0), 0x3e00, "as ptxas makes `abs.f16`");
    assert_eq!(
        wide(&of_doubles("F2F.F64.F32 R0, R2;", u64::from(bits(-2.5)), 0).words()),
        (-2.5f64).to_bits()
    );
    assert_eq!(
        wide(&of_doubles("F2F.F64.F64.FLOOR R0, R2;", (-2.5f64).to_bits(), 0).words()),
        (-3f64).to_bits()
    );
    assert_eq!(
        of_doubles("F2F.F32.F64.RM R0, R2; MOV R1, RZ;", 0.1f64.to_bits(), 0).words(),
        [0x3dcc_cccc, 0]
    );
    let why = with("F2F.FTZ.F16.F16.FLOOR R0, R1;", [0; 3]).unsupported();
    assert!(why.contains("whether subnormal halves are flushed"), "{why}");
}

#[test]
fn integers_and_floats() {
    assert_eq!(of("F2I.S32.F32.TRUNC R0, R1;", bits(-2.75), 0, 0), -2i32 as u32);
    assert_eq!(of("F2I.U32.F32.CEIL R0, R1;", bits(-2.75), 0, 0), 0);
    assert_eq!(of("F2I.S16.F32.TRUNC R0, R1;", bits(-2.75), 0, 0), -2i32 as u32, "fills the register");
    assert_eq!(of("F2I.S16.F32 R0, -R1;", bits(40000.0), 0, 0), -32768i32 as u32);
    assert_eq!(of("F2I.U16.F32 R0, R1;", bits(70000.0), 0, 0), 0xffff);
    assert_eq!(of("F2I.S32.F32 R0, R1;", NAN, 0, 0), 0);
    assert_eq!(of("F2I.FTZ.U32.F32.CEIL R0, R1;", 1, 0, 0), 0);
    assert_eq!(of("F2I.S32.F16.TRUNC R0, R1.H1;", 0xc580_0000, 0, 0), -5i32 as u32);
    assert_eq!(of("I2F.F32.S16 R0, -R1;", 5, 0, 0), bits(-5.0));
    // A number for 64 bits is the upper word: 3 * 2^32.
    assert_eq!(of("I2F.F32.U64 R0, 0x3;", 0, 0, 0), bits(12_884_901_888.0));
    assert_eq!(of("I2F.F32.S16 R0, -R1;", 0x8000, 0, 0), bits(-32768.0));
    assert_eq!(of("I2F.F32.S16 R0, R1.H1;", 0xfffe_0000, 0, 0), bits(-2.0));
    assert_eq!(of("I2F.F32.U8 R0, R1.B3;", 0xfe00_0000, 0, 0), bits(254.0));
    assert_eq!(of("I2F.F32.S8 R0, R1.B1;", 0x0000_fe00, 0, 0), bits(-2.0));
    assert_eq!(of("I2F.F32.S32 R0, |R1|;", 0x8000_0000, 0, 0), bits(-2_147_483_648.0), "stays");
    assert_eq!(of("I2F.F32.U32.RZ R0, R1;", ALL, 0, 0), 0x4f7f_ffff);
    assert_eq!(of("I2F.F16.S16 R0, |R1|;", 0xffff, 0, 0), 0x3c00);
    assert_eq!(wide(&of_doubles("I2F.F64.S64 R0, R2;", -3i64 as u64, 0).words()), (-3f64).to_bits());
    let why = with("I2F.F32.U32 R0, -R1;", [0; 3]).unsupported();
    assert!(why.contains("the sign of an unsigned integer"), "{why}");
}
