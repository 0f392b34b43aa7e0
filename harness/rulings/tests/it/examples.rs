//! Arithmetic: operands are literals, so that each line shows what decides it.

use warpdiff_ptx::vocabulary::Opcode;
use warpdiff_rulings::Ruling;
use warpdiff_rulings::Ruling::*;

use crate::look::{decide, differing, kernel};

/// An instruction, and all rulings that decide it.
type Example = (&'static str, &'static [Ruling]);

/// PTX ISA 9.7.1 and 9.7.8.
const INTEGERS: &[Example] = &[
    ("add.s32 %r1, 2, 3;", &[]),
    // 2^31 - 1 + 1 is no s32; as u32 it is.
    ("add.s32 %r1, 0x7fffffff, 1;", &[IntegerOverflows]),
    ("add.u32 %r1, 0x7fffffff, 1;", &[]),
    ("add.u32 %r1, 0xffffffff, 1;", &[IntegerOverflows, IntegerZero]),
    // "limits result to MININT..MAXINT"
    ("add.sat.s32 %r1, 0x7fffffff, 1;", &[IntegerSaturates]),
    ("sub.sat.s32 %r1, 5, 5;", &[IntegerZero]),
    ("mul.lo.u32 %r1, 0x10000, 0x10001;", &[IntegerOverflows]),
    ("mul.lo.u32 %r1, 0xffff, 0xffff;", &[]),
    // The negative of the least number is none.
    ("neg.s32 %r1, 0x80000000;", &[IntegerOverflows]),
    ("abs.s32 %r1, -5;", &[]),
    ("div.s32 %r1, 6, 3;", &[]),
    ("div.s32 %r1, 7, -2;", &[DivisionInexact, DivisionNegative]),
    ("div.u32 %r1, 7, 0;", &[DivisionByZero, Undefined]),
    // -2^31 / -1 = 2^31, which is no s32; what there is instead the manual does not say.
    ("div.s32 %r1, 0x80000000, -1;", &[IntegerOverflows, Undefined]),
    ("rem.u32 %r1, 6, 3;", &[IntegerZero]),
    ("shl.b32 %r1, 1, 0;", &[ShiftByZero]),
    ("shl.b32 %r1, 1, 31;", &[]),
    ("shl.b32 %r1, 1, 32;", &[ShiftOver, IntegerZero]),
    ("shr.s32 %r1, -1, 40;", &[ShiftOver]),
    ("bfe.u32 %r1, 0xff, 4, 0;", &[FieldEmpty, IntegerZero]),
    ("bfe.u32 %r1, 0xf0000000, 28, 8;", &[FieldBeyond]),
    ("bfi.b32 %r1, 1, 2, 30, 2;", &[]),
];

/// PTX ISA 9.7.3: 0f3f800000 is 1, 0f00000001 the least subnormal number, 0f7f7fffff the greatest number.
const FLOATS: &[Example] = &[
    ("add.rn.f32 %f1, 0f3f800000, 0f3f800000;", &[FloatExact]),
    // 1 + 2^-24 lies in the middle between 1 and 1 + 2^-23; to even is down.
    ("add.rn.f32 %f1, 0f3f800000, 0f33800000;", &[FloatRoundedDown, FloatTie]),
    // 1 + 2^-23 + 2^-24 as well; to even is up.
    ("add.rn.f32 %f1, 0f3f800001, 0f33800000;", &[FloatRoundedUp, FloatTie]),
    // 1 + 2^-25 is nearer to 1.
    ("add.rn.f32 %f1, 0f3f800000, 0f33000000;", &[FloatRoundedDown]),
    ("add.rp.f32 %f1, 0f3f800000, 0f33000000;", &[FloatRoundedUp]),
    ("sub.rn.f32 %f1, 0f3f800000, 0f3f800000;", &[FloatExact, FloatCancels]),
    ("add.rn.f32 %f1, 0f00000000, 0f3f800000;", &[FloatExact, FloatZero]),
    ("mul.rn.f32 %f1, 0f7f7fffff, 0f40000000;", &[FloatOverflows, FloatRoundedUp]),
    // Towards zero it is the greatest number.
    ("mul.rz.f32 %f1, 0f7f7fffff, 0f40000000;", &[FloatOverflows, FloatRoundedDown]),
    ("mul.rn.f32 %f1, 0f00000001, 0f3f800000;", &[FloatExact, FloatSubnormal, FloatUnderflows]),
    // ".ftz: subnormal inputs and results to sign-preserving zero"
    ("mul.rn.ftz.f32 %f1, 0f00000001, 0f3f800000;", &[FloatExact, FloatFlushedIn, FloatZero]),
    // 2^-126 / 2 is subnormal.
    ("mul.rn.ftz.f32 %f1, 0f00800000, 0f3f000000;", &[FloatFlushedOut]),
    ("add.rn.sat.f32 %f1, 0f3f800000, 0f3f800000;", &[FloatSaturates]),
    ("add.rn.f32 %f1, 0f7f800000, 0fff800000;", &[FloatInfinite, FloatInvalid, Undefined]),
    ("add.rn.f32 %f1, 0f7f800000, 0f3f800000;", &[FloatInfinite]),
    ("add.rn.f32 %f1, 0f7fc00000, 0f3f800000;", &[FloatNan, Undefined]),
    ("div.rn.f32 %f1, 0f3f800000, 0f00000000;", &[DivisionByZero, FloatZero]),
    // 1/3 is nearer to the number above it: its significand is 101…011 rounded up.
    ("div.rn.f32 %f1, 0f3f800000, 0f40400000;", &[FloatRoundedUp]),
    ("sqrt.rn.f32 %f1, 0f40800000;", &[FloatExact]),
    ("sqrt.rn.f32 %f1, 0fbf800000;", &[FloatInvalid, Undefined]),
    // 1 + 2^-53 lies in the middle between 1 and 1 + 2^-52.
    (
        "fma.rn.f64 %g1, 0d3ff0000000000000, 0d3ff0000000000000, 0d3ca0000000000000;",
        &[FloatRoundedDown, FloatTie],
    ),
    ("add.rn.f64 %g1, 0d3ff0000000000001, 0d3ca0000000000000;", &[FloatRoundedUp, FloatTie]),
    // 1 + 2^-52 - 2^-53 is 1 + 2^-53 again.
    ("sub.rn.f64 %g1, 0d3ff0000000000001, 0d3ca0000000000000;", &[FloatRoundedDown, FloatTie]),
    ("add.rn.f64 %g1, 0d3ff0000000000000, 0d3c90000000000000;", &[FloatRoundedDown]),
    // (1 + 2^-52) * 1.5 = 1.5 + 2^-52 + 2^-53; to even is up.
    ("mul.rn.f64 %g1, 0d3ff0000000000001, 0d3ff8000000000000;", &[FloatRoundedUp, FloatTie]),
    // And 2^-1074 more is no middle.
    (
        "fma.rn.f64 %g1, 0d3ff0000000000001, 0d3ff8000000000000, 0d0000000000000001;",
        &[FloatRoundedUp, FloatSubnormal],
    ),
    // Half of the least number lies between it and zero, 1.5 of it between it and its double.
    (
        "div.rn.f64 %g1, 0d0000000000000001, 0d4000000000000000;",
        &[FloatRoundedDown, FloatTie, FloatSubnormal],
    ),
    (
        "div.rn.f64 %g1, 0d0000000000000003, 0d4000000000000000;",
        &[FloatRoundedUp, FloatTie, FloatSubnormal, FloatUnderflows],
    ),
    // The reciprocal of 3 * 2^1021 is 2^53 / 3 units of 2^-1074: two thirds of a unit above an integer. That of 2^1023 is exact.
    ("rcp.rn.f64 %g1, 0d7fd8000000000000;", &[FloatRoundedUp, FloatUnderflows]),
    ("rcp.rn.f64 %g1, 0d7fe0000000000000;", &[FloatExact, FloatUnderflows]),
    // The same with fewer bits: (1 + 2^-23) * 1.5, and with 2^-149 more.
    ("mul.rn.f32 %f1, 0f3f800001, 0f3fc00000;", &[FloatRoundedUp, FloatTie]),
    ("fma.rn.f32 %f1, 0f3f800001, 0f3fc00000, 0f00000001;", &[FloatRoundedUp, FloatSubnormal]),
    ("sqrt.rn.f64 %g1, 0d4000000000000000;", &[FloatRoundedUp]),
];

/// PTX ISA 9.7.9, `cvt`.
const CONVERSIONS: &[Example] = &[
    ("cvt.rzi.s32.f32 %r1, 0f40400000;", &[ConvertExact]),
    // 2.5 and -2.5 towards zero.
    ("cvt.rzi.s32.f32 %r1, 0f40200000;", &[ConvertDown]),
    ("cvt.rzi.s32.f32 %r1, 0fc0200000;", &[ConvertUp]),
    // 2^31 is above, and becomes 2^31 - 1.
    ("cvt.rzi.s32.f32 %r1, 0f4f000000;", &[ConvertHigh, ConvertDown]),
    ("cvt.rzi.u32.f32 %r1, 0fbf800000;", &[ConvertLow, ConvertUp]),
    ("cvt.rzi.s32.f32 %r1, 0f7fc00000;", &[ConvertNan]),
    // 2^24 + 1 has 25 bits; to even is down.
    ("cvt.rn.f32.u32 %f1, 16777217;", &[ConvertDown]),
    ("cvt.rn.f32.f64 %f1, 0d3ff0000000000000;", &[ConvertExact]),
    ("cvt.f64.f32 %g1, 0f00000001;", &[ConvertExact, FloatSubnormal]),
];

/// PTX ISA 9.7.5 and 9.7.6.
const COMPARISONS: &[Example] = &[
    ("setp.lt.s32 %p1, 1, 2;", &[CompareTrue]),
    ("setp.lt.s32 %p1, 2, 2;", &[CompareFalse, CompareEqual]),
    // -1 is less as a signed number alone.
    ("setp.lt.u32 %p1, 0xffffffff, 0;", &[CompareFalse]),
    ("setp.eq.f32 %p1, 0f00000000, 0f80000000;", &[CompareTrue, CompareEqual]),
    ("setp.equ.f32 %p1, 0f7fc00000, 0f00000000;", &[CompareTrue, CompareUnordered]),
    ("setp.eq.f32 %p1, 0f7fc00000, 0f00000000;", &[CompareFalse, CompareUnordered]),
];

fn opcode(example: &str) -> Opcode {
    let word = example.split('.').next().unwrap_or_default();
    Opcode::from_text(word).expect("an opcode")
}

#[test]
fn what_decides_arithmetic_is_what_the_manual_says() {
    let all = [INTEGERS, FLOATS, CONVERSIONS, COMPARISONS].concat();
    let found = |text: &str| crate::look::all(&kernel("", "", text), opcode(text));
    let wrong: Vec<String> =
        all.iter().filter_map(|(text, expected)| differing(found(text), expected, text)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_guard_that_is_off_decides_alone() {
    let launch = kernel("", "", "setp.eq.u32 %p1, 1, 2;\n@%p1 add.s32 %r1, 0x7fffffff, 1;");
    decide(&launch, Opcode::Add, &[GuardOff]);
}
