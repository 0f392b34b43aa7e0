//! What ptxas 12.9 makes of an instruction by the instruction that wrote its source, as its deviations have it; by the specification the same programs give what
//! the PTX ISA says. The wrong words are those of the machine code that was read, worked out by hand.

use warpdiff_model::Deviation;

use crate::folded::{MOST, ONES, deviates};

#[test]
fn a_negative_of_16_bits_is_not_limited_to_them_where_it_is_extended() {
    let of = |rest: &str| format!("xor.b32 %r2, %t, 0x8000; cvt.u16.u32 %h1, %r2; neg.s16 %h2, %h1; {rest}");
    let cases = [
        (of("cvt.s32.s16 %r1, %h2;"), -32768i32 as u32, 32768),
        (of("cvt.s64.s16 %d1, %h2; cvt.u32.u64 %r1, %d1;"), -32768i32 as u32, 32768),
        // -32768 * -32768 is 2^30, and 32768 * -32768 its negative.
        (of("mul.wide.s16 %r1, %h1, %h2;"), 1 << 30, (1u32 << 30).wrapping_neg()),
        (of("mad.wide.s16 %r1, %h2, %h1, 5;"), (1 << 30) + 5, (1u32 << 30).wrapping_neg() + 5),
        (of("cvt.u32.u16 %r1, %h2;"), 32768, 32768),
        (of("cvt.s32.s16 %r1, %h1;"), -32768i32 as u32, -32768i32 as u32),
    ];
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasWideNegation, &[(&*body, right, wrong)]);
    }
    let five = "mov.b16 %h1, 5; neg.s16 %h2, %h1; cvt.s32.s16 %r1, %h2;";
    deviates(Deviation::PtxasWideNegation, &[(five, -5i32 as u32, -5i32 as u32)]);
}

#[test]
fn the_all_ones_of_a_set_pass_for_the_number_one() {
    let of = |rest: &str| format!("set.lt.u32.s32 %r2, %t, 5; {rest}");
    let choice = "selp.b32 %r1, 7, 8, %p1;";
    let cases = [
        (of("set.eq.u32.u32 %r1, %r2, 1;"), 0, ONES),
        (of("set.ne.s32.s32 %r1, 1, %r2;"), ONES, 0),
        (of(&format!("setp.eq.u32 %p1, %r2, 1; {choice}")), 8, 7),
        (of(&format!("setp.eq.u32 %p1, %r2, -1; {choice}")), 7, 7),
        (of(&format!("setp.lt.s32 %p1, %r2, 1; {choice}")), 7, 7),
        (
            format!("setp.eq.u32 %p2, %t, 0; selp.b32 %r2, -1, 0, %p2; setp.eq.u32 %p1, %r2, 1; {choice}"),
            8,
            7,
        ),
        (format!("setp.eq.u32 %p2, %t, 0; selp.b32 %r2, 1, 0, %p2; setp.eq.u32 %p1, %r2, 1; {choice}"), 7, 7),
    ];
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasSetIsOne, &[(&*body, right, wrong)]);
    }
}

#[test]
fn the_all_ones_and_the_1_0_of_a_set_pass_for_one_of_either_kind() {
    let of = |set: &str, test: &str| format!("{set} %r2, %t, 5; setp.{test}; selp.b32 %r1, 7, 8, %p1;");
    let (word, number) = ("set.lt.u32.s32", "set.lt.f32.s32");
    let cases = [
        (of(number, "eq.s32 %p1, %r2, 1"), 8, 7),
        (of(number, "ne.u32 %p1, 1, %r2"), 7, 8),
        // All ones are a NaN.
        (of(word, "eq.f32 %p1, %r2, 0f3F800000"), 8, 7),
        (of(word, "neu.f32 %p1, 0f3F800000, %r2"), 7, 8),
        (of(word, "equ.f32 %p1, %r2, 0f3F800000"), 7, 7),
        (of(number, "eq.f32 %p1, %r2, 0f3F800000"), 7, 7),
        (of(number, "eq.s32 %p1, %r2, 0x3F800000"), 7, 7),
        (of(word, "eq.f32 %p1, %r2, 0f40000000"), 8, 8),
    ];
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasSetIsOne, &[(&*body, right, wrong)]);
    }
}

/// All ones are 2^32 - 1 without a sign, and a NaN as a number; under the deviation -1 each time.
#[test]
fn the_all_ones_of_a_set_are_minus_one_beside_zero() {
    let of = |test: &str| format!("set.lt.u32.s32 %r2, %t, 5; setp.{test}; selp.b32 %r1, 7, 8, %p1;");
    let cases = [
        ("gt.u32 %p1, %r2, 0", 7, 8),
        ("hs.u32 %p1, 0, %r2", 8, 7),
        ("lt.f32 %p1, %r2, 0f00000000", 8, 7),
        ("gt.f32 %p1, 0f80000000, %r2", 8, 7),
        ("geu.f32 %p1, %r2, 0f00000000", 7, 8),
        ("ne.f32 %p1, %r2, 0f00000000", 8, 7),
        ("nan.f32 %p1, %r2, 0f00000000", 7, 8),
        ("num.f32 %p1, 0f00000000, %r2", 8, 7),
        ("neu.f32 %p1, %r2, 0f00000000", 7, 7),
        ("lt.s32 %p1, %r2, 0", 7, 7),
        ("gt.u32 %p1, %r2, 1", 7, 7),
        ("lt.f32 %p1, %r2, 0f3F800000", 8, 8),
    ];
    for (test, right, wrong) in cases {
        deviates(Deviation::PtxasSetSigned, &[(&*of(test), right, wrong)]);
    }
    let chosen =
        "setp.eq.u32 %p2, %t, 0; selp.b32 %r2, 0, -1, %p2; setp.lt.u32 %p1, 0, %r2; selp.b32 %r1, 7, 8, %p1;";
    deviates(Deviation::PtxasSetSigned, &[(chosen, 8, 8)]);
    let number = "set.lt.f32.s32 %r2, %t, 5; setp.gt.u32 %p1, %r2, 0; selp.b32 %r1, 7, 8, %p1;";
    deviates(Deviation::PtxasSetSigned, &[(number, 7, 7)]);
}

/// -1 of 8 or 16 bits is 2^32 - 1 without a sign: 0x4f800000 as a number, 0xff limited to a byte.
#[test]
fn a_conversion_behind_an_extension_takes_the_signed_number() {
    let of = |first: &str, second: &str| {
        format!(".shared .align 4 .b8 room[4]; xor.b32 %r3, %t, 0xFFFF; {first} {second}")
    };
    let (minus, two) = (0xBF80_0000, 0x4F80_0000);
    let (byte, half) = ("cvt.s32.s8 %r2, %r3;", "cvt.s32.s16 %r2, %r3;");
    let (number, limit) = ("cvt.rn.f32.u32 %r1, %r2;", "cvt.sat.u8.u32 %r1, %r2;");
    let cases = [
        (of(half, number), two, minus),
        (of(byte, "cvt.rz.sat.f32.u32 %r1, %r2;"), 0x3F80_0000, 0),
        (of("bfe.s32 %r2, %r3, 8, 8;", limit), 255, 0),
        (of("bfe.s32 %r2, %r3, 4, 8;", limit), 255, 255),
        (of("bfe.u32 %r2, %r3, 8, 8;", limit), 255, 255),
        (of("cvt.sat.s8.s32 %r2, -7;", limit), 255, 0),
        (of("cvt.u16.u32 %h1, %r3; set.lt.u32.u16 %r2, 5, %h1;", number), two, minus),
        (of("set.lt.u32.u32 %r2, 5, %r3;", number), two, two),
        (of("cvt.u32.u16 %r2, %r3;", number), 0x477F_FF00, 0x477F_FF00),
        (of(half, "cvt.rn.f32.s32 %r1, %r2;"), minus, minus),
        (of(half, "cvt.u8.u32 %r1, %r2;"), 255, 255),
        // Beyond a label, as what alone writes a register.
        (of(half, "setp.ne.u32 %p1, %t, 0; @%p1 bra HERE; HERE: cvt.rn.f32.u32 %r1, %r2;"), two, minus),
        (
            of(
                half,
                "setp.ne.u32 %p1, %t, 0; @%p1 bra HERE; mov.u32 %r2, %r3; HERE: cvt.rn.f32.u32 %r1, %r2;",
            ),
            0x477F_FF00,
            0x477F_FF00,
        ),
        // A vector is loaded as one number; a number alone is not.
        (of("st.shared.u32 [room], %r3; ld.shared.v2.s8 {%r4, %r2}, [room];", number), two, minus),
        (
            of("st.shared.u32 [room], %r3; ld.shared.v2.u8 {%r4, %r2}, [room];", number),
            0x437F_0000,
            0x437F_0000,
        ),
        (of("st.shared.u32 [room], %r3; ld.shared.s8 %r2, [room];", number), two, two),
        // 2^32 - 1 is 0x41efffffffe00000, exactly.
        (
            of(half, ".reg .b64 %l1; cvt.rn.f64.u32 %l1, %r2; mov.b64 {%r4, %r1}, %l1;"),
            0x41EF_FFFF,
            0x41EF_FFFF,
        ),
    ];
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasExtendedSign, &[(&*body, right, wrong)]);
    }
}

/// What an instruction read may have changed behind a label: the negative of -2^31 is that of the first round, and the register holds 1 by then.
#[test]
fn sources_are_not_taken_from_beyond_a_label() {
    let body = "xor.b32 %r2, %t, 0x80000000; mov.u32 %r4, 0; neg.s32 %r3, %r2; AGAIN: setp.lt.s32 %p1, %r3, 0; \
                selp.b32 %r1, 1, 2, %p1; mov.u32 %r2, 1; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 2; @%p2 bra AGAIN;";
    deviates(Deviation::PtxasNegatedZero, &[(body, 1, 1)]);
}

/// A signalling NaN and its quiet bit: IEEE 754 (6.2) has it set in what an operation gives.
#[test]
fn what_changes_no_number_leaves_a_signalling_nan_as_it_is() {
    let of = |body: &str| format!("xor.b32 %r2, %t, 0x7F800001; {body} and.b32 %r1, %r3, 0x7FC00000;");
    let (quiet, signalling) = (0x7FC0_0000, 0x7F80_0000);
    let kept = [
        "min.f32 %r3, %r2, %r2;",
        "max.f32 %r3, %r2, %r2;",
        "mul.f32 %r3, %r2, 0f3F800000;",
        "mul.rn.f32 %r3, 0f3F800000, %r2;",
        "cvt.f32.f32 %r3, %r2;",
        "min.f32 %r3, 0f7F800001, 0f7F800001;",
        "mov.b32 %r4, 0f7F800001; max.f32 %r3, %r4, 0f7F800001;",
    ];
    for body in kept {
        deviates(Deviation::PtxasSignallingKept, &[(&*of(body), quiet, signalling)]);
    }
    let computed = [
        "min.f32 %r3, %r2, 0f7F800002;",
        "min.ftz.f32 %r3, %r2, %r2;",
        "mul.rz.f32 %r3, %r2, 0f3F800000;",
        "mul.f32 %r3, %r2, 0f40000000;",
        "add.f32 %r3, %r2, 0f80000000;",
        "cvt.ftz.f32.f32 %r3, %r2;",
        "cvt.rni.f32.f32 %r3, %r2;",
    ];
    for body in computed {
        deviates(Deviation::PtxasSignallingKept, &[(&*of(body), quiet, quiet)]);
    }
    // The upper half of a double.
    let of = |body: &str| {
        format!(
            ".reg .b64 %l<3>; xor.b32 %r2, %t, 0x7FF00000; mov.b64 %l1, {{1, %r2}}; {body} mov.b64 {{%r3, %r4}}, %l2; and.b32 %r1, %r4, 0x7FF80000;"
        )
    };
    for body in ["cvt.f64.f64 %l2, %l1;", "min.f64 %l2, %l1, %l1;", "mul.f64 %l2, %l1, 0d3FF0000000000000;"] {
        deviates(Deviation::PtxasSignallingKept, &[(&*of(body), 0x7FF8_0000, 0x7FF0_0000)]);
    }
}

/// 0x40000000 is 2.0, 0x7fffffff is a NaN, and 0xc0000000 is -2.0.
#[test]
fn a_limited_integer_passes_for_a_limited_number() {
    let of = |bits: u32, second: &str| format!("xor.b32 %r3, %t, {bits}; add.sat.s32 %r2, %r3, 0; {second}");
    let (two, nan, minus) = (0x4000_0000, MOST, 0xC000_0000);
    let cases = [
        (of(two, "cvt.sat.f32.f32 %r1, %r2;"), 0x3F80_0000, two),
        (of(nan, "max.f32 %r1, %r2, 0f00000000;"), 0, nan),
        (of(minus, "max.f32 %r1, 0fBF800000, %r2;"), 0xBF80_0000, minus),
        (of(nan, "min.f32 %r1, %r2, 0f3F800000;"), 0x3F80_0000, nan),
        (of(two, "mul.sat.f32 %r1, 0f3F800000, %r2;"), 0x3F80_0000, two),
        // `FADD.FTZ.SAT`.
        (of(two, "max.ftz.f32 %r1, %r2, 0f00000000;"), two, 0x3F80_0000),
        (of(two, "min.f32 %r1, %r2, 0f3F000000;"), 0x3F00_0000, 0x3F00_0000),
        (of(two, "max.f32 %r1, %r2, 0f3F800000;"), two, two),
        (of(two, "cvt.rzi.sat.f32.f32 %r1, %r2;"), 0x3F80_0000, 0x3F80_0000),
        (of(two, "add.sat.f32 %r1, %r2, 0f80000000;"), 0x3F80_0000, 0x3F80_0000),
    ];
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasLimitedNumber, &[(&*body, right, wrong)]);
    }
    let wraps = "xor.b32 %r3, %t, 0x40000000; add.s32 %r2, %r3, 0; cvt.sat.f32.f32 %r1, %r2;";
    deviates(Deviation::PtxasLimitedNumber, &[(wraps, 0x3F80_0000, 0x3F80_0000)]);
}

#[test]
fn an_absolute_value_passes_for_not_negative_where_it_is_no_number() {
    let of = |first: &str, test: &str| {
        format!("xor.b32 %r3, %t, 0x7FC00000; {first} setp.{test}; selp.b32 %r1, 7, 8, %p1;")
    };
    let (absolute, square) = ("abs.f32 %r2, %r3;", "mul.f32 %r2, %r3, %r3;");
    let cases = [
        (of(absolute, "ge.f32 %p1, %r2, 0f00000000"), 8, 7),
        (of(square, "le.f32 %p1, 0f00000000, %r2"), 8, 7),
        (of("ex2.approx.f32 %r2, %r3;", "ge.ftz.f32 %p1, %r2, 0f80000000"), 8, 7),
        (of("abs.f32 %r2, %r3; add.f32 %r2, %r2, 0f3F800000;", "ge.f32 %p1, %r2, 0f00000000"), 8, 8),
        (of("abs.f32 %r4, %r3; add.f32 %r2, %r4, 0f3F800000;", "gt.f32 %p1, %r2, 0fBF800000"), 8, 7),
        (of(absolute, "gt.f32 %p1, %r2, 0f00000000"), 8, 8),
        (of(absolute, "ge.f32 %p1, %r2, 0f3F800000"), 8, 8),
        (of("abs.ftz.f32 %r2, %r3;", "ge.f32 %p1, %r2, 0f00000000"), 8, 8),
        (of("mul.rn.f32 %r2, %r3, %r3;", "ge.f32 %p1, %r2, 0f00000000"), 8, 8),
        (of("mul.f32 %r2, %r3, %t;", "ge.f32 %p1, %r2, 0f00000000"), 8, 8),
        (of(absolute, "ge.and.f32 %p1, %r2, 0f00000000, %p1"), 8, 8),
        (of(absolute, "lt.f32 %p1, %r2, 0f00000000"), 8, 8),
    ];
    for (body, right, wrong) in cases {
        let body = format!("setp.eq.u32 %p1, %t, 0; {body}");
        deviates(Deviation::PtxasNeverNegative, &[(&*body, right, wrong)]);
    }
    let least = "xor.b32 %r3, %t, 0x80000000; abs.s32 %r2, %r3;";
    let choice = "selp.b32 %r1, 7, 8, %p1;";
    deviates(
        Deviation::PtxasNeverNegative,
        &[
            (&*format!("{least} setp.lt.s32 %p1, %r2, 0; {choice}"), 7, 8),
            (&*format!("{least} setp.le.s32 %p1, 0, %r2; {choice}"), 8, 7),
            (&*format!("{least} setp.le.s32 %p1, %r2, 0; {choice}"), 7, 7),
            (&*format!("{least} setp.lt.s32 %p1, %r2, -1; {choice}"), 7, 7),
            // 2^31 is 2 more than a multiple of 3.
            (&*format!("{least} rem.s32 %r1, %r2, 3;"), -2i32 as u32, 2),
            (&*format!("{least} rem.s32 %r1, %r2, 4;"), 0, 0),
        ],
    );
}

#[test]
fn the_negative_of_the_least_number_passes_for_positive_beside_zero() {
    let of = |first: &str, rest: &str| format!("xor.b32 %r3, %t, 0x80000000; {first} {rest}");
    let test = |test: &str| format!("setp.{test}; selp.b32 %r1, 7, 8, %p1;");
    let negatives = ["neg.s32 %r2, %r3;", "sub.s32 %r2, 0, %r3;", "mul.lo.s32 %r2, %r3, -1;"];
    for first in negatives {
        let cases = [
            (of(first, &test("lt.s32 %p1, %r2, 0")), 7, 8),
            (of(first, &test("le.s32 %p1, 0, %r2")), 8, 7),
            (of(first, "slct.b32.s32 %r1, 7, 8, %r2;"), 8, 7),
            (of(first, &test("eq.s32 %p1, %r2, 0")), 8, 8),
            (of(first, &test("lt.s32 %p1, %r2, 1")), 7, 7),
            (of(first, &test("lt.u32 %p1, %r2, 1")), 8, 8),
            (of(first, &test("lt.and.s32 %p1, %r2, 0, !%p2")), 7, 7),
        ];
        for (body, right, wrong) in cases {
            let body = format!("setp.ne.u32 %p2, %t, 0; {body}");
            deviates(Deviation::PtxasNegatedZero, &[(&*body, right, wrong)]);
        }
    }
    let limited = "xor.b32 %r3, %t, 0x80000000; sub.sat.s32 %r2, 0, %r3; slct.b32.s32 %r1, 7, 8, %r2;";
    deviates(Deviation::PtxasNegatedZero, &[(limited, 7, 7)]);
}

#[test]
fn the_lesser_of_one_and_the_greater_of_zero_are_a_limit() {
    let of = |bits: u32, first: &str, second: &str| {
        format!("xor.b32 %r3, %t, {bits}; {first} %r2, %r3, {second};")
    };
    let (nan, one) = (0x7FC0_0000, 0x3F80_0000);
    let cases = [
        (of(nan, "min.f32", "0f3F800000; max.f32 %r1, %r2, 0f00000000"), one, 0),
        (of(nan, "min.f32", "0f3F800000; max.f32 %r1, 0f80000000, %r2"), one, 0),
        // A subnormal number is flushed either way.
        (of(1, "min.f32", "0f3F800000; max.ftz.f32 %r1, %r2, 0f00000000"), 0, 0),
        (of(nan, "max.f32", "0f00000000; min.f32 %r1, %r2, 0f3F800000"), 0, 0),
        (of(nan, "min.f32", "0f3F800000; max.f32 %r1, %r2, 0fBF800000"), one, one),
        (of(nan, "min.f32", "0f40000000; max.f32 %r1, %r2, 0f00000000"), 0x4000_0000, 0x4000_0000),
    ];
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasClampOrder, &[(&*body, right, wrong)]);
    }
}

/// 0 is below 1 in units of 2^-149; flushed both are zero.
#[test]
fn the_flush_of_a_comparison_moves_into_the_one_before() {
    let of = |set: &str, test: &str| {
        format!("xor.b32 %r3, %t, 1; set.{set} %r2, %t, %r3; setp.{test}; selp.b32 %r1, 7, 8, %p1;")
    };
    let cases = [
        (of("lt.f32.f32", "ne.ftz.f32 %p1, %r2, 0f00000000"), 7, 8),
        (of("lt.f32.f32", "equ.ftz.f32 %p1, 0f80000000, %r2"), 8, 7),
        (of("geu.f32.f32", "neu.ftz.f32 %p1, %r2, 0f00000000"), 8, 7),
        (of("lt.f32.f32", "ne.f32 %p1, %r2, 0f00000000"), 7, 7),
        (of("lt.f32.f32", "ne.ftz.f32 %p1, %r2, 0f3F800000"), 8, 8),
        (of("lt.f32.s32", "ne.ftz.f32 %p1, %r2, 0f00000000"), 7, 7),
    ];
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasMovedFlush, &[(&*body, right, wrong)]);
    }
}
