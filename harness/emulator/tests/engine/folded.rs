//! What ptxas 12.9 folds into something else, as its deviations have it; by the specification the same programs give what the PTX ISA
//! says. The wrong words are those of the machine code that was read, worked out by hand.

use warpdiff_model::{Deviation, Geometry, Semantics, Surface};

use crate::kernel::Kernel;

/// `%r1` behind a body, by the specification and under a deviation. `%t` is 0, which no compiler knows.
fn both(body: &str, deviation: Deviation) -> (u32, u32) {
    let body = format!("{body} st.global.u32 [%mine], %r1;");
    let under = |semantics| Kernel::new(&body, 1, 1).semantics(semantics).words()[0];
    (under(Semantics::default()), under(Semantics::default().with(deviation)))
}

/// The body gives the first word by the specification, and the second under the deviation.
pub(crate) fn deviates(deviation: Deviation, cases: &[(&str, u32, u32)]) {
    for (body, right, wrong) in cases {
        assert_eq!(both(body, deviation), (*right, *wrong), "{}: {body}", deviation.name());
    }
}

const LEAST: u32 = 0x8000_0000;
pub(crate) const MOST: u32 = 0x7FFF_FFFF;
pub(crate) const ONES: u32 = u32::MAX;

#[test]
fn a_signed_field_at_a_constant_position_above_the_top_bit_is_all_ones() {
    deviates(
        Deviation::PtxasHighField,
        &[
            ("bfe.s32 %r1, %t, 40, 8;", 0, ONES),
            ("mov.b32 %r2, 32; mov.b32 %r3, 1; bfe.s32 %r1, %t, %r2, %r3;", 0, ONES),
            // 296 is 40 modulo 256.
            ("mov.b32 %r2, 296; bfe.s32 %r1, %t, %r2, 8;", 0, ONES),
            ("xor.b32 %r2, %t, 1; bfe.s32 %r1, %r2, 31, 8;", 0, 0),
            ("xor.b32 %r2, %t, 1; bfe.s32 %r1, %r2, 40, 0;", 0, 0),
            ("bfe.s32 %r1, 1, 40, 8;", 0, 0),
            ("xor.b32 %r2, %t, 40; bfe.s32 %r1, %t, %r2, 8;", 0, 0),
            ("bfe.u32 %r1, %t, 40, 8;", 0, 0),
            // What alone in the program writes a register holds behind a label, too.
            (
                "setp.ne.u32 %p1, %t, 0; mov.b32 %r2, 40; @%p1 bra HERE; HERE: bfe.s32 %r1, %t, %r2, 8;",
                0,
                ONES,
            ),
            (
                "setp.ne.u32 %p1, %t, 0; mov.b32 %r2, 7; mov.b32 %r2, 40; @%p1 bra HERE; HERE: bfe.s32 %r1, %t, %r2, 8;",
                0,
                0,
            ),
            // What is computed from constants is one.
            ("mov.b32 %r2, 20; shl.b32 %r2, %r2, 1; bfe.s32 %r1, %t, %r2, 8;", 0, ONES),
        ],
    );
}

#[test]
fn a_product_with_the_constant_zero_adds_the_sign_of_the_other_factor() {
    let minus = "xor.b32 %r2, %t, -5; xor.b32 %r3, %t, 7;";
    let of = |instruction: &str| format!("{minus} {instruction}");
    let second = of("mad.hi.s32 %r1, %r2, 0, %r3;");
    let held = of("and.b32 %r4, %r3, 0; mad.hi.s32 %r1, %r2, %r4, %r3;");
    let first = of("and.b32 %r4, %r3, 0; mad.hi.s32 %r1, %r4, %r2, %r3;");
    let shifted = of("mov.b32 %r4, 0; shr.s32 %r5, %r4, 10; mad.hi.s32 %r1, %r2, %r5, %r3;");
    let positive = of("mad.hi.s32 %r1, %r3, 0, %r3;");
    let unsigned = of("mad.hi.u32 %r1, %r2, 0, %r3;");
    let lower = of("mad.lo.s32 %r1, %r2, 0, %r3;");
    deviates(
        Deviation::PtxasZeroFactor,
        &[
            (&*second, 7, 6),
            (&*held, 7, 6),
            (&*shifted, 7, 6),
            (&*first, 7, 7),
            (&*positive, 7, 7),
            (&*unsigned, 7, 7),
            (&*lower, 7, 7),
            (&*of("add.cc.u32 %r4, %r2, 5; madc.hi.s32 %r1, %r2, 0, %r3;"), 8, 7),
        ],
    );
}

#[test]
fn a_constant_selects_as_the_number_that_its_bits_are() {
    deviates(
        Deviation::PtxasLeastSelects,
        &[
            ("slct.s32.s32 %r1, 3, 4, -2147483648;", 4, 3),
            ("mov.b32 %r2, 0x80000000; slct.b32.s32 %r1, 3, 4, %r2;", 4, 3),
            ("slct.s32.s32 %r1, 3, 4, -2147483647;", 4, 4),
            // A NaN is above and below nothing; infinity is above zero.
            ("slct.s32.s32 %r1, 3, 4, 0x7fffffff;", 3, 4),
            ("slct.s32.s32 %r1, 3, 4, 0x7f800001;", 3, 4),
            ("slct.s32.s32 %r1, 3, 4, 0x7f800000;", 3, 3),
            ("xor.b32 %r2, %t, 0x7fffffff; slct.b32.s32 %r1, 3, 4, %r2;", 3, 3),
            ("xor.b32 %r2, %t, 0x80000000; slct.b32.s32 %r1, 3, 4, %r2;", 4, 4),
            // -0.0 is not below zero.
            ("mov.b32 %f1, 0f80000000; slct.b32.f32 %r1, 3, 4, %f1;", 3, 3),
        ],
    );
}

#[test]
fn the_constant_of_the_least_number_is_added_where_it_should_be_subtracted() {
    deviates(
        Deviation::PtxasLeastSubtracted,
        &[
            // 0 + 2^31 is above the limit; 0 + -2^31 is not.
            ("sub.sat.s32 %r1, %t, -2147483648;", MOST, LEAST),
            ("mov.b32 %r2, 0x80000000; sub.sat.s32 %r1, %t, %r2;", MOST, LEAST),
            ("sub.sat.s32 %r1, -2147483648, %t;", LEAST, LEAST),
            ("xor.b32 %r2, %t, 0x80000000; sub.sat.s32 %r1, %t, %r2;", MOST, MOST),
            ("sub.sat.s32 %r1, %t, 5;", -5i32 as u32, -5i32 as u32),
        ],
    );
}

#[test]
fn minus_one_and_one_behind_a_branch_are_the_first_of_them() {
    let one = 0x3F80_0000;
    let by = "setp.ne.u32 %p1, %t, 0;";
    let zero = "setp.eq.u32 %p1, %t, 0;";
    let case = |set: &str, rest: &str, right: u32, wrong: u32| (format!("{set} {rest}"), right, wrong);
    // `%t` is 0.
    let around = "mov.b32 %r1, 0x3f800000; @!%p1 bra E; mov.b32 %r1, -1; E: xor.b32 %r2, %r1, 0;";
    let diamond = "@%p1 bra T; mov.b32 %r2, -1; bra E; T: mov.b32 %r2, 0x3f800000; E: mov.b32 %r1, %r2;";
    let cases = [
        case(by, around, one, one),
        case(zero, around, ONES, one),
        case(by, diamond, ONES, ONES),
        case(zero, diamond, one, ONES),
        // Constants that are computed, stores in the side, and a value that the side uses itself.
        case(
            zero,
            "mov.b32 %r2, 0x3f800000; @!%p1 bra E; mov.b32 %r3, 0; not.b32 %r2, %r3; add.s32 %r4, %r2, 2; E: xor.b32 %r1, %r2, 0;",
            ONES,
            one,
        ),
        case(
            zero,
            "mov.b32 %r1, 9; mov.b32 %r2, 0x3f800000; @!%p1 bra E; mov.b32 %r2, -1; add.s32 %r1, %r2, 2; E: xor.b32 %r3, %r2, 0;",
            1,
            1,
        ),
        // A comparison of a number with itself that holds whether it is one or not, and one that does not.
        case(
            zero,
            "cvt.rn.f32.u32 %f1, %t; mov.b32 %r2, 0x3f800000; @!%p1 bra E; set.geu.u32.f32 %r2, %f1, %f1; E: xor.b32 %r1, %r2, 0;",
            ONES,
            one,
        ),
        case(
            zero,
            "cvt.rn.f32.u32 %f1, %t; mov.b32 %r2, 0x3f800000; @!%p1 bra E; set.ge.u32.f32 %r2, %f1, %f1; E: xor.b32 %r1, %r2, 0;",
            ONES,
            ONES,
        ),
        // Other words, a guard, three values, a branch in the side, a loop: nothing is merged.
        case(
            zero,
            "mov.b32 %r2, 0x40000000; @!%p1 bra E; mov.b32 %r2, -1; E: xor.b32 %r1, %r2, 0;",
            ONES,
            ONES,
        ),
        case(zero, "mov.b32 %r2, 1; @!%p1 bra E; mov.b32 %r2, -1; E: xor.b32 %r1, %r2, 0;", ONES, ONES),
        case(zero, "mov.b32 %r2, 0x3f800000; @%p1 mov.b32 %r2, -1; xor.b32 %r1, %r2, 0;", ONES, ONES),
        case(
            zero,
            "mov.b32 %r2, 0x3f800000; @!%p1 bra E; @%p1 mov.b32 %r2, -1; E: xor.b32 %r1, %r2, 0;",
            ONES,
            ONES,
        ),
        case(
            zero,
            "mov.b32 %r2, 0x3f800000; @!%p1 bra E; mov.b32 %r2, -1; @%p1 bra G; xor.b32 %r3, %r2, 0; G: E: xor.b32 %r1, %r2, 0;",
            ONES,
            ONES,
        ),
        case(
            zero,
            "mov.b32 %r2, 0x3f800000; A: setp.ne.s32 %p1, %r2, -1; mov.b32 %r2, -1; @%p1 bra A; xor.b32 %r1, %r2, 0;",
            ONES,
            ONES,
        ),
    ];
    for (body, right, wrong) in &cases {
        deviates(Deviation::PtxasTrueMerged, &[(body, *right, *wrong)]);
    }
    let halves = |first: &str, second: &str, of: &str| {
        format!(
            ".reg .b64 %w; {zero} mov.b64 %w, {first}; @!%p1 bra E; mov.b64 %w, {second}; E: mov.b64 {of}, %w;"
        )
    };
    let (upper, lower) = ("{%r2, %r1}", "{%r1, %r2}");
    for (first, second, of, right, wrong) in [
        ("0x3f8000003f800000", "-1", upper, ONES, one),
        ("0x3f800000", "0xffffffff", lower, ONES, one),
        ("0x3f800000", "0xffffffff", upper, 0, 0),
        ("0x53f800000", "0xffffffff", lower, ONES, ONES),
    ] {
        deviates(Deviation::PtxasTrueMerged, &[(&halves(first, second, of), right, wrong)]);
    }
}

#[test]
fn of_two_numbers_the_least_is_negated_where_it_is_the_first() {
    deviates(
        Deviation::PtxasLeastNegated,
        &[
            // 2^31 - 1, 2^31 + 1, and 2^31 - 5.
            ("add.sat.s32 %r1, -2147483648, -1;", LEAST, MOST),
            ("sub.sat.s32 %r1, -2147483648, -1;", LEAST + 1, MOST),
            ("sub.sat.s32 %r1, -2147483648, 5;", LEAST, MOST - 4),
            // 2^31 - 2^31: the negative of the second is itself.
            ("sub.sat.s32 %r1, 0x80000000, 0x80000000;", 0, 0),
            ("add.sat.s32 %r1, 0x80000000, 0x80000000;", LEAST, 0),
            // The least number as the second, in a register, or beside one; another number; a sum that is not limited.
            ("add.sat.s32 %r1, -1, -2147483648;", LEAST, LEAST),
            ("mov.b32 %r2, 0x80000000; add.sat.s32 %r1, %r2, -1;", LEAST, LEAST),
            ("add.sat.s32 %r1, -2147483648, %t;", LEAST, LEAST),
            ("add.sat.s32 %r1, -2147483647, -5;", LEAST, LEAST),
            ("add.s32 %r1, -2147483648, -1;", MOST, MOST),
        ],
    );
}

#[test]
fn a_limited_sum_takes_what_wrapped_before_for_exact() {
    let of = |a: i32, b: i32, rest: &str| format!("xor.b32 %r2, %t, {a}; xor.b32 %r3, %t, {b}; {rest}");
    let (least, most) = (i32::MIN, i32::MAX);
    let case = |a, b, rest: &str, right: u32, wrong: u32| (of(a, b, rest), right, wrong);
    let cases = [
        // -(-2^31) is -2^31.
        case(0, least, "neg.s32 %r4, %r3; add.sat.s32 %r1, %r2, %r4;", LEAST, MOST),
        case(0, least, "neg.s32 %r4, %r3; add.sat.s32 %r1, %r4, %r2;", LEAST, MOST),
        case(0, least, "neg.s32 %r4, %r3; sub.sat.s32 %r1, %r2, %r4;", MOST, LEAST),
        case(0, least, "neg.s32 %r4, %r3; sub.sat.s32 %r1, %r4, %r2;", LEAST, LEAST),
        case(0, least, "sub.s32 %r4, 0, %r3; add.sat.s32 %r1, %r2, %r4;", LEAST, MOST),
        // A term that is taken away again.
        case(0, least, "sub.s32 %r4, %r2, %r3; sub.sat.s32 %r1, %r4, %r2;", LEAST, MOST),
        case(most, 1, "add.s32 %r4, %r2, %r3; sub.sat.s32 %r1, %r4, %r2;", LEAST, 1),
        case(most, 1, "add.s32 %r4, %r2, %r3; sub.sat.s32 %r1, %r4, %r3;", LEAST, MOST),
        case(most, -1, "sub.s32 %r4, %r2, %r3; add.sat.s32 %r1, %r4, %r3;", LEAST, MOST),
        // Constants are added: MOST + 5 is -2^31 + 4, and MOST + 12 above the limit.
        case(most, 0, "add.s32 %r4, %r2, 5; add.sat.s32 %r1, %r4, 7;", LEAST + 11, MOST),
        case(most, 0, "add.s32 %r4, %r2, 5; sub.sat.s32 %r1, %r4, 5;", LEAST, MOST),
        // Three terms are left, a register that is not what it was, a sum that is limited itself, and a guard: nothing is joined.
        case(most, 1, "add.s32 %r4, %r2, %r3; add.sat.s32 %r1, %r4, %t;", LEAST, LEAST),
        case(
            most,
            1,
            "add.s32 %r4, %r2, %r3; xor.b32 %r2, %r2, %t; sub.sat.s32 %r1, %r4, %r2;",
            LEAST,
            LEAST,
        ),
        case(most, 1, "add.sat.s32 %r4, %r2, %r3; sub.sat.s32 %r1, %r4, %r2;", 0, 0),
        case(
            most,
            1,
            "setp.eq.s32 %p1, %t, 0; mov.b32 %r4, 0; @%p1 add.s32 %r4, %r2, %r3; sub.sat.s32 %r1, %r4, %r2;",
            LEAST,
            LEAST,
        ),
    ];
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasUnwrappedSum, &[(&*body, right, wrong)]);
    }
}

#[test]
fn a_folded_sum_between_two_numbers_is_the_one_nearer_to_zero() {
    // 12334818 - 56834576 is -44499758, between the multiples of 4 -44499756 and -44499760, all of 2^-24.
    deviates(
        Deviation::PtxasFoldedTie,
        &[
            ("add.f32 %r1, 0f3F3C36E2, 0fC058CE84;", 0xC029_C0CC, 0xC029_C0CB),
            ("mov.b32 %r2, 0f4058CE84; sub.rn.f32 %r1, 0f3F3C36E2, %r2;", 0xC029_C0CC, 0xC029_C0CB),
            ("xor.b32 %r2, %t, 0xC058CE84; add.f32 %r1, 0f3F3C36E2, %r2;", 0xC029_C0CC, 0xC029_C0CC),
            ("add.rm.f32 %r1, 0f3F3C36E2, 0fC058CE84;", 0xC029_C0CC, 0xC029_C0CC),
            // 1 + 2^-24 is a tie of numbers of one sign: 1. 1 - 3 is none.
            ("add.f32 %r1, 0f3F800000, 0f33800000;", 0x3F80_0000, 0x3F80_0000),
            ("sub.f32 %r1, 0f3F800000, 0f40400000;", 0xC000_0000, 0xC000_0000),
        ],
    );
}

#[test]
fn the_last_element_says_whether_a_vector_of_numbers_is_stored() {
    // 1.5 is 0x3fc00000, and as an integer 1; 0x40490fdb is 3.14, and 7 as a number less than 1.
    let of = |elements: &str| {
        format!(
            "xor.b32 %r2, %t, 7; xor.b32 %r3, %t, 0x40490fdb; add.f32 %r4, 0f3FC00000, %t; mov.b32 %r5, 0;
             st.global.v2.b16 [%mine], {{{elements}}}; ld.global.b32 %r1, [%mine];"
        )
    };
    let cases = [
        (of("%r2, %r4"), 7, 1 << 16),
        (of("%r3, %r4"), 0x0FDB, 1 << 16 | 3),
        (of("%r4, %r3"), 0x0FDB_0000, 0x0FDB_0000),
        (of("0x40490fdb, %r4"), 0x0FDB, 1 << 16 | 3),
        (of("%r4, 7"), 7 << 16, 7 << 16),
    ];
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasFloatStored, &[(&*body, right, wrong)]);
    }
}

#[test]
fn a_stored_double_that_is_no_number_is_limited_to_the_bytes_of_the_store() {
    // F2I of such a double is 0x80000000, as .u32 2^31, and as .s32 -2^31.
    let of = |ty: &str| {
        format!(
            "mov.b64 %d1, 0x7ff8000000001234; add.f64 %d2, %d1, %d1; mov.b32 %r2, 0; st.global.b32 [%mine], %r2;
             st.global.{ty} [%mine], %d2; ld.global.b32 %r1, [%mine];"
        )
    };
    let cases = [
        (of("b8"), 0x34, 0xFF),
        (of("s8"), 0x34, 0x80),
        (of("b16"), 0x1234, 0xFFFF),
        (of("s16"), 0x1234, 0x8000),
        (of("u32"), 0x1234, LEAST),
    ];
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasFloatStored, &[(&*body, right, wrong)]);
    }
}

#[test]
fn a_stored_half_that_was_converted_is_an_integer_in_a_register_of_its_width() {
    let of = |ty: &str, what: &str| {
        format!(
            "xor.b32 %r2, %t, {what}; mov.b32 %r3, 0; st.global.b32 [%mine], %r3;
             cvt.rn.f16.f32 %h1, %r2; st.global.{ty} [%mine], %h1; ld.global.b32 %r1, [%mine];"
        )
    };
    // 300 is 0x5cb0 as a half, -300 0xdcb0, 2.75 0x4180, and the largest half 0x7bff.
    let cases = [
        (of("b8", "0x43960000"), 0xB0, 0xFF),
        (of("u8", "0xc3960000"), 0xB0, 0),
        (of("s8", "0xc3960000"), 0xB0, 0x80),
        (of("b8", "0x40300000"), 0x80, 2),
        (of("s8", "0x477fe000"), 0xFF, 0x7F),
        (of("b8", "0x7f800000"), 0, 0xFF),
        (of("b16", "0x40300000"), 0x4180, 0x4180),
    ];
    let others = [
        // From an integer, and of a half.
        ("cvt.rn.f16.s64 %h1, 3; st.global.b8 [%mine], %h1; ld.global.u8 %r1, [%mine];", 0, 3),
        (
            "mov.b16 %h1, 0x4180; cvt.rpi.f16.f16 %h1, %h1; st.global.b8 [%mine], %h1; ld.global.u8 %r1, [%mine];",
            0,
            3,
        ),
        (
            "cvt.rn.f16.u32 %h1, %t; cvt.rn.f16.u32 %h2, 2; st.global.v2.b8 [%mine], {%h1, %h2}; ld.global.u16 %r1, [%mine];",
            0,
            0x200,
        ),
        // A `mov` keeps the bits, and so does a wider register.
        (
            "cvt.rn.f16.s64 %h1, 1; mov.b16 %h2, %h1; st.global.b8 [%mine], %h2; ld.global.u8 %r1, [%mine];",
            0,
            0,
        ),
        ("cvt.rn.f16.s32 %r2, 1; st.global.b8 [%mine], %r2; ld.global.u8 %r1, [%mine];", 0, 0),
        (
            "cvt.rn.f16.s64 %h1, 1; mov.b16 %h2, 5; st.global.v2.b8 [%mine], {%h1, %h2}; ld.global.u16 %r1, [%mine];",
            0x500,
            0x500,
        ),
    ];
    let cases = cases.iter().map(|(body, right, wrong)| (&**body, *right, *wrong)).chain(others);
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasFloatStored, &[(body, right, wrong)]);
    }
}

#[test]
fn the_absolute_value_of_a_signalling_double_is_quiet() {
    let of = |number: &str| {
        format!(
            "mov.b64 %d1, {number}; abs.f64 %d2, %d1; shr.u64 %d2, %d2, 32; cvt.u32.u64 %r1, %d2; and.b32 %r1, %r1, 0x7fffffff;"
        )
    };
    let cases = [
        (of("0x7ff0000000000001"), 0x7FF0_0000, 0x7FF8_0000),
        (of("0xfff0000000000000"), 0x7FF0_0000, 0x7FF0_0000),
        (of("0xbff0000000000000"), 0x3FF0_0000, 0x3FF0_0000),
    ];
    for (body, right, wrong) in cases {
        deviates(Deviation::PtxasAbsQuiet, &[(&*body, right, wrong)]);
    }
}

/// A row of four texels: 10, 20, 30, 40.
fn image() -> Surface {
    Surface {
        name: "image".into(),
        geometry: Geometry::D1,
        extent: [4, 1, 1],
        layers: 1,
        format: "u32".parse().expect("a format"),
        bytes: [10u32, 20, 30, 40].into_iter().flat_map(u32::to_le_bytes).collect(),
        bound_to: None,
    }
}

#[test]
fn surface_loads_at_constants_beside_one_another_are_clamped_together() {
    let words = |body: &str, semantics| Kernel::new(body, 1, 2).surface(image()).semantics(semantics).words();
    let of = |first: &str, second: &str| {
        format!(
            "suld.b.1d.b32.clamp %r1, [%surface, {{{first}}}]; suld.b.1d.b32.clamp %r2, [%surface, {{{second}}}];
             st.global.v2.b32 [%out], {{%r1, %r2}};"
        )
    };
    let merged = || Semantics::default().with(Deviation::PtxasMergedLoads);
    let body = of("-8", "-4");
    assert_eq!(words(&body, Semantics::default()), [10, 10]);
    assert_eq!(words(&body, merged()), [10, 20]);
    assert_eq!(words(&of("-4", "-8"), merged()), [20, 10]);
    // Held by registers that one `mov` writes; and not aligned together, or not constants.
    assert_eq!(words(&format!("mov.b32 %r3, -8; mov.b32 %r4, -4; {}", of("%r3", "%r4")), merged()), [10, 20]);
    assert_eq!(words(&of("-4", "0"), merged()), [10, 10]);
    assert_eq!(words(&format!("xor.b32 %r3, %t, -8; {}", of("%r3", "-4")), merged()), [10, 10]);
}

#[test]
fn surface_stores_at_constants_beside_one_another_are_clamped_together() {
    let after = |body: &str, semantics| {
        let body = format!("mov.b32 %r1, 50; mov.b32 %r2, 60; {body}");
        let state = Kernel::new(&body, 1, 1).surface(image()).semantics(semantics).state();
        let image = state.regions.iter().find(|region| region.region.name == "image").expect("the surface");
        crate::kernel::words(&image.region.bytes)
    };
    let of = |first: &str, second: &str| {
        format!(
            "sust.b.1d.b32.clamp [%surface, {{{first}}}], {{%r1}}; sust.b.1d.b32.clamp [%surface, {{{second}}}], {{%r2}};"
        )
    };
    let merged = || Semantics::default().with(Deviation::PtxasMergedStores);
    let body = of("-8", "-4");
    assert_eq!(after(&body, Semantics::default()), [60, 20, 30, 40]);
    assert_eq!(after(&body, merged()), [50, 60, 30, 40]);
    // In bounds it is the same, in either order; at one place the later one counts.
    assert_eq!(after(&of("8", "12"), merged()), [10, 20, 50, 60]);
    assert_eq!(after(&of("12", "8"), merged()), [10, 20, 60, 50]);
    assert_eq!(after(&format!("{} {}", of("0", "4"), of("0", "0")), merged()), [60, 60, 30, 40]);
    // Four words, and twice two.
    let four = format!("{} {}", of("-16", "-12"), of("-8", "-4"));
    assert_eq!(after(&four, Semantics::default()), [60, 20, 30, 40]);
    assert_eq!(after(&four, merged()), [50, 60, 50, 60]);
    let pairs = "sust.b.1d.v2.b32.clamp [%surface, {-16}], {%r1, %r2}; sust.b.1d.v2.b32.clamp [%surface, {-8}], {%r2, %r1};";
    assert_eq!(after(pairs, Semantics::default()), [60, 50, 30, 40]);
    assert_eq!(after(pairs, merged()), [50, 60, 60, 50]);
    // What is stored is there when the first part comes, and the whole goes before what stands between; or only when the last one comes.
    let one = "sust.b.1d.b32.clamp [%surface, {4}], {%r3};";
    let between = |what: &str, body: String| {
        format!("mov.b32 %r3, 70; {}", body.replacen("; ", &format!("; {what} "), 1))
    };
    assert_eq!(after(&between(one, of("-8", "-4")), Semantics::default()), [60, 70, 30, 40]);
    assert_eq!(after(&between(one, of("-8", "-4")), merged()), [50, 70, 30, 40]);
    assert_eq!(
        after(&between(&format!("mov.b32 %r2, 61; {one}"), of("-8", "-4")), merged()),
        [50, 61, 30, 40]
    );
    assert_eq!(after(&between("mov.b32 %r1, 7;", of("-8", "-4")), merged()), [50, 60, 30, 40]);
    // Neither there nor there: the deviation leaves them alone, though ptxas keeps a copy.
    assert_eq!(
        after(&between("mov.b32 %r1, 7; mov.b32 %r2, 61;", of("-8", "-4")), merged()),
        [61, 20, 30, 40]
    );
    let merging = "vadd.u32.u32.u32 %r1.b0, %r3, 0, %r1; vadd.u32.u32.u32 %r2.b0, %r3, 0, %r2;";
    assert_eq!(after(&between(merging, of("-8", "-4")), merged()), [70, 20, 30, 40]);
    // Not aligned together, of another clamp mode, under a guard, or not a constant.
    assert_eq!(after(&of("-4", "0"), merged()), [60, 20, 30, 40]);
    assert_eq!(after(&of("-8", "-4").replacen(".clamp", ".zero", 1), merged()), [60, 20, 30, 40]);
    assert_eq!(
        after(&format!("setp.eq.u32 %p2, %t, 0; @%p2 {}", of("-8", "-4")), merged()),
        [60, 20, 30, 40]
    );
    assert_eq!(after(&format!("xor.b32 %r3, %t, -8; {}", of("%r3", "-4")), merged()), [60, 20, 30, 40]);
}

/// Byte 1 of 300 is 1.
#[test]
fn a_part_of_a_constant_that_fits_the_word_is_the_constant() {
    let of = |rest: &str| format!("xor.b32 %r2, %t, 1000; mov.b32 %r3, 300; {rest}");
    for (rest, right, wrong) in [
        ("vadd.u32.u32.u32 %r1, %r2, %r3.b1;", 1001, 1300),
        ("vsub.s32.s32.s32 %r1, %r2, %r3.h1;", 1000, 700),
        ("vshl.u32.u32.u32.clamp %r1, %r2, %r3.b1;", 2000, 0),
        ("vshr.u32.u32.u32.wrap %r1, %r2, %r3.b1;", 500, 0),
        ("vmad.u32.u32.u32 %r1, %r2, %r3.b1, %t;", 1000, 300_000),
        ("vadd.u32.u32.u32 %r1.b0, %r2, %r3.b1, %t;", 0xE9, 0x14),
        // The first source, a constant that does not fit, none at all, all of it, a comparison.
        ("vadd.u32.u32.u32 %r1, %r3.b1, %r2;", 1001, 1001),
        ("mov.b32 %r3, 0x12345; vadd.u32.u32.u32 %r1, %r2, %r3.b1;", 1035, 1035),
        ("xor.b32 %r3, %t, 300; vadd.u32.u32.u32 %r1, %r2, %r3.b1;", 1001, 1001),
        ("vadd.u32.u32.u32 %r1, %r2, %r3;", 1300, 1300),
        ("vset.u32.u32.eq %r1, %t, %r3.b2;", 1, 1),
        ("vmad.u32.u32.u32 %r1, %r2, -%r3, %t;", 0xFFFB_6C20, 0xFFFB_6C20),
    ] {
        deviates(Deviation::PtxasConstantPart, &[(&*of(rest), right, wrong)]);
    }
}

/// -(3 * 3) + 2, and (2^32 - 3) * 3 + 2.
#[test]
fn a_constant_first_factor_takes_the_minus_sign_as_a_word() {
    let of = |rest: &str| format!("xor.b32 %r2, %t, 3; xor.b32 %r3, %t, 2; {rest}");
    for (rest, right, wrong) in [
        ("vmad.u32.u32.u32.shr7 %r1, 3, -%r2, %r3;", ONES, 0x05FF_FFFF),
        ("vmad.u32.u32.u32 %r1, 3, -%r2, %r3;", 0xFFFF_FFF9, 0xFFFF_FFF9),
        ("vmad.s32.s32.s32.shr7 %r1, 3, -%r2, %r3;", ONES, ONES),
        // A half of the factor; zero has no sign.
        ("vmad.u32.u32.u32.shr7 %r1, 3, -%r2.h0, %r3;", ONES, 0x05FF_FFFF),
        ("vmad.u32.u32.u32.shr7 %r1, 0, -%r2, %r3;", 0, 0),
        // A register with a constant, and the other factor.
        ("mov.b32 %r4, 3; vmad.u32.u32.u32.shr7 %r1, %r4, -%r2, %r3;", ONES, ONES),
        ("vmad.u32.u32.u32.shr7 %r1, -%r2, 3, %r3;", ONES, ONES),
    ] {
        deviates(Deviation::PtxasNegatedFactor, &[(&*of(rest), right, wrong)]);
    }
}

/// 2^31 as a word, which `.SAT` limits to the type.
#[test]
fn a_double_that_is_no_number_is_all_ones_of_a_narrow_unsigned_integer() {
    let of = |ty: &str, number: &str| {
        format!(".reg .b16 %n; mov.b64 %d1, {number}; cvt.rzi.{ty}.f64 %n, %d1; cvt.u32.u16 %r1, %n;")
    };
    for (ty, number, right, wrong) in [
        ("u8", "0x7ff8000000000000", 0x80, 0xFF),
        ("sat.u8", "0xfff8000000000000", 0x80, 0xFF),
        ("u16", "0x7ff0000000000001", 0x8000, 0xFFFF),
        ("s16", "0x7ff8000000000000", 0x8000, 0x8000),
        ("u16", "0x4008000000000000", 3, 3),
        ("u16", "0xfff0000000000000", 0, 0),
    ] {
        deviates(Deviation::PtxasNarrowNan, &[(&*of(ty, number), right, wrong)]);
    }
    let single = ".reg .b16 %n; mov.b32 %r2, 0x7fc00000; cvt.rzi.u16.f32 %n, %r2; cvt.u32.u16 %r1, %n;";
    deviates(Deviation::PtxasNarrowNan, &[(single, 0, 0)]);
}

/// The types are those of the result, of the first source and of the second. A field of 16 bits holds -32768 to 32767 as a signed number, and 0
/// to 65535 as an unsigned one; which of both is asked is the sign of the result, and how it is read again that of the second source.
#[test]
fn a_constant_of_a_video_instruction_is_cut_by_the_sign_of_the_result() {
    deviates(
        Deviation::PtxasVideoConstant,
        &[
            // -1 is 0xffffffff, and 0xffff behind the cut; 1 more is 0 and 0x10000.
            ("xor.b32 %r2, %t, 1; vadd.s32.u32.u32 %r1, %r2, -1;", 0, 0x1_0000),
            // |0 - 0xfffff000|, of which a word holds all; |0 - 0xf000|.
            ("vabsdiff.s32.u32.u32 %r1, %t, -4096;", 0xFFFF_F000, 0xF000),
            ("vsub.s32.u32.u32 %r1, %t, -32768;", 0x8000, 0xFFFF_8000),
            ("vmax.s32.u32.u32 %r1, %t, -32768;", 0xFFFF_8000, 0x8000),
            ("mov.b32 %r2, 3; vmad.s32.u32.u32 %r1, %t, -1, %r2;", 3, 3),
            ("xor.b32 %r2, %t, 2; vmad.s32.u32.u32 %r1, %r2, -1, 3;", 1, 0x2_0001),
            // What a `mov` put into a register is a constant, too, and so is its negative.
            ("mov.b32 %r3, 4096; neg.s32 %r2, %r3; vabsdiff.s32.u32.u32 %r1, %t, %r2;", 0xFFFF_F000, 0xF000),
            ("mov.b32 %r2, -4096; vabsdiff.s32.u32.u32 %r1, %t, %r2;", 0xFFFF_F000, 0xF000),
            // 40000 is 0x9c40: with that sign -25536.
            ("vadd.u32.u32.s32 %r1, %t, 40000;", 40000, 0xFFFF_9C40),
            ("vmin.u32.s32.s32 %r1, %t, 40000;", 0, 0xFFFF_9C40),
            // Too long for the field, or of the source's own sign, or no constant of the second source.
            ("vabsdiff.s32.u32.u32 %r1, %t, -32769;", 0xFFFF_7FFF, 0xFFFF_7FFF),
            ("vadd.s32.u32.u32 %r1, %t, 32768;", 32768, 32768),
            ("vadd.u32.u32.s32 %r1, %t, 65536;", 65536, 65536),
            ("vadd.s32.s32.s32 %r1, %t, -4096;", 0xFFFF_F000, 0xFFFF_F000),
            ("vadd.u32.u32.u32 %r1, %t, 40000;", 40000, 40000),
            ("vabsdiff.s32.u32.u32 %r1, -4096, %t;", 0xFFFF_F000, 0xFFFF_F000),
            ("vset.u32.s32.eq %r1, %t, 40000;", 0, 0),
        ],
    );
}

/// 7 is 0x40e00000 as a number, 3 is 0x40400000, and 1 is 0x3f800000, whose own bits are 1065353216 = 0x3f8 * 2^20: 0x4e7e0000.
#[test]
fn what_is_computed_from_constants_is_one() {
    let of = |before: &str| format!("{before} vadd.s32.s32.u32 %r1, %t, %r2;");
    let minus = [
        "mov.b32 %r2, -3; add.s32 %r2, %r2, -1;",
        "mov.b32 %r3, 4; sub.u32 %r2, 0, %r3;",
        "mov.b32 %r3, 3; not.b32 %r2, %r3;",
        "mov.b32 %r3, 0x7ffffffe; shl.b32 %r2, %r3, 1;",
        "mov.b32 %r3, 0x80000000; shr.s32 %r2, %r3, 29;",
        "mov.b32 %r3, 0x55; xor.b32 %r2, %r3, 0xffffffa9; and.b32 %r2, %r2, -4;",
        "mov.b32 %r3, 2; mul.lo.s32 %r2, %r3, -2;",
        "mov.b16 %h1, -4; cvt.s32.s16 %r2, %h1;",
        "mov.b64 %d1, 0x1fffffffc; cvt.u32.u64 %r2, %d1;",
        "mov.b32 %r3, 0x1fffc; cvt.s16.s32 %r2, %r3;",
        // All ones, and 0 or 1 times four of them.
        "set.lo.u32.u32 %r3, 1, 2; shl.b32 %r2, %r3, 2;",
        "set.gt.and.s32.s32 %r3, 1, -2, 1; mul.lo.s32 %r2, %r3, 4;",
        "set.nan.xor.u32.f32 %r3, 0f00000000, 0f00000000, 1; shl.b32 %r2, %r3, 2;",
        "set.neu.or.s32.f64 %r3, 0d7FF8000000000000, 0d0000000000000000, 0; shl.b32 %r2, %r3, 2;",
        "setp.eq.u32 %p1, 3, 3; set.lt.and.s32.s32 %r3, 1, 2, %p1; shl.b32 %r2, %r3, 2;",
        "setp.gt.xor.s32 %p1, 3, 2, 0; set.lt.xor.s32.s32 %r3, 2, 1, %p1; shl.b32 %r2, %r3, 2;",
        "setp.ne.u32 %p1, %t, 0; set.lt.or.s32.s32 %r3, 1, 2, %p1; shl.b32 %r2, %r3, 2;",
        "set.eq.ftz.s32.f32 %r3, 0f00000001, 0f80000002; shl.b32 %r2, %r3, 2;",
        "mov.b32 %r3, -4; min.s32 %r2, %r3, 5;",
        "mov.b32 %r3, -4; max.u32 %r2, %r3, 5;",
        // Each once in the program, behind a label.
        "mov.b32 %r3, -3; sub.s32 %r2, %r3, 1; setp.ne.u32 %p1, %t, 0; @%p1 bra HERE; HERE:",
    ];
    for before in minus {
        deviates(Deviation::PtxasVideoConstant, &[(&*of(before), 0xFFFF_FFFC, 0xFFFC)]);
    }
    let others = [
        "add.s32 %r2, %t, -4;",
        "mov.b32 %r2, -3; @%p1 bra HERE; add.s32 %r2, %r2, -1; bra THERE; HERE: sub.s32 %r2, %r2, 1; THERE:",
        "mov.b32 %r3, -4; cvt.u16.u32 %h1, %t; cvt.u32.u16 %r2, %h1; or.b32 %r2, %r2, %r3;",
    ];
    for before in others {
        let before = format!("setp.ne.u32 %p1, %t, 0; {before}");
        deviates(Deviation::PtxasVideoConstant, &[(&*of(&before), 0xFFFF_FFFC, 0xFFFF_FFFC)]);
    }
}

/// The word that a body behind functions leaves in `%r1`, by the specification and under a deviation.
fn both_with(functions: &str, body: &str, deviation: Deviation) -> (u32, u32) {
    let body = format!("{body} st.global.u32 [%mine], %r1;");
    let under = |semantics| Kernel::new(&body, 1, 1).outside(functions).semantics(semantics).words()[0];
    (under(Semantics::default()), under(Semantics::default().with(deviation)))
}

#[test]
fn a_constant_that_calls_pass_is_one_where_a_function_is_called_once() {
    let function = |param: &str, load: &str| {
        format!(
            ".func (.param .b32 r) f(.param {param}) {{ .reg .b32 %v, %w; .reg .b64 %x; {load} vadd.s32.s32.u32 %w, 0, %v; st.param.b32 [r], %w; }}"
        )
    };
    let plain = function(".b32 a", "ld.param.b32 %v, [a];");
    let call = |stores: &str| {
        format!("{{ .param .b32 a; .param .b32 q; {stores} call (q), f, (a); ld.param.b32 %r1, [q]; }}")
    };
    let once = call("st.param.b32 [a], -4;");
    let (right, wrong) = (0xFFFF_FFFC, 0xFFFC);
    let array = function(".align 8 .b8 a[8]", "ld.param.b32 %v, [a+4];");
    let to_array = |store: &str| {
        once.replace(".param .b32 a;", ".param .align 8 .b8 a[8];").replace("st.param.b32 [a], -4;", store)
    };
    let returned = ".func (.param .b32 r) g() { st.param.b32 [r], -4; }";
    let from = "{ .param .b32 q; call (q), g; ld.param.b32 %r2, [q]; } vadd.s32.s32.u32 %r1, %t, %r2;";
    let another = format!(
        "{plain} .func (.param .b32 r) g(.param .b32 b) {{ .reg .b32 %v; .param .b32 a; .param .b32 q; ld.param.b32 %v, [b];
         st.param.b32 [a], WHAT; call (q), f, (a); ld.param.b32 %v, [q]; st.param.b32 [r], %v; }}"
    );
    let through = once.replace(" f,", " g,");
    let registers = ".func (.reg .b32 r) f(.reg .b32 a) { vadd.s32.s32.u32 r, 0, a; }";
    let cases = [
        (plain.clone(), once.clone(), wrong),
        (plain.clone(), call("mov.b32 %r2, -3; add.s32 %r2, %r2, -1; st.param.b32 [a], %r2;"), wrong),
        (
            plain.clone(),
            format!("setp.ne.u32 %p1, %t, 1; {}", call("st.param.b32 [a], -4; @%p1 bra HERE; HERE:")),
            wrong,
        ),
        (plain.replace("vadd", "mov.b32 %w, %v; vadd").replace("0, %v", "0, %w"), once.clone(), wrong),
        (function(".b32 a", "ld.param.s16 %v, [a];"), call("st.param.b32 [a], 0xfffc;"), wrong),
        (
            function(".b64 a", "ld.param.b64 %x, [a]; cvt.u32.u64 %v, %x;"),
            once.replace(".b32 a", ".b64 a").replace("b32 [a]", "b64 [a]"),
            wrong,
        ),
        (array.clone(), to_array("st.param.b32 [a+4], -4;"), wrong),
        (array.clone(), to_array("st.param.v2.b32 [a], {5, -4};"), wrong),
        (
            array.replace("ld.param.b32 %v, [a+4];", "ld.param.v2.b32 {%w, %v}, [a];"),
            to_array("st.param.b64 [a], 0xfffffffc00000005;"),
            wrong,
        ),
        (returned.to_owned(), from.to_owned(), wrong),
        (returned.to_owned(), format!("{from} {from}"), wrong),
        (another.replace("WHAT", "-4"), through.clone(), wrong),
        (registers.to_owned(), "call (%r1), f, (-4);".to_owned(), wrong),
        // Stored twice, called twice, passed on, given back by one of two ways, or pointed at.
        (plain.clone(), call("st.param.b32 [a], -4; st.param.b32 [a], -4;"), right),
        (plain.clone(), format!("{once} {once}"), right),
        (another.replace("WHAT", "%v"), through, right),
        (returned.replace("st.param", "st.param.b32 [r], -4; st.param"), from.to_owned(), right),
        (plain.clone(), format!("mov.u64 %d1, f; {once}"), right),
        (plain, call("add.s32 %r2, %t, -4; st.param.b32 [a], %r2;"), right),
    ];
    for (functions, body, expected) in cases {
        let found = both_with(&functions, &body, Deviation::PtxasVideoConstant);
        assert_eq!(found, (right, expected), "{functions} {body}");
    }
    // A product with zero is joined before that is known, and what limits a number, too; a field at a position is folded behind it.
    let product = plain_with("mad.hi.s32 %w, -5, %v, 7;");
    let zero = call("st.param.b32 [a], 0;");
    assert_eq!(both_with(&product, &zero, Deviation::PtxasZeroFactor), (7, 7));
    let field = plain_with("bfe.s32 %w, %u, %v, 8;");
    let position = call("st.param.b32 [a], 40;");
    assert_eq!(both_with(&field, &position, Deviation::PtxasHighField), (0, ONES));
    let least = plain_with("sub.sat.s32 %w, %u, %v;");
    let lowest = call("st.param.b32 [a], 0x80000000;");
    assert_eq!(both_with(&least, &lowest, Deviation::PtxasLeastSubtracted), (MOST, LEAST));
    let one =
        plain_with(".reg .pred %q; set.eq.u32.u32 %w, %u, 0; setp.eq.u32 %q, %w, %v; selp.u32 %w, 1, 2, %q;");
    assert_eq!(both_with(&one, &call("st.param.b32 [a], 1;"), Deviation::PtxasSetIsOne), (2, 1));
    let negative =
        plain_with(".reg .pred %q; set.eq.u32.u32 %w, %u, 0; setp.lt.f32 %q, %w, %v; selp.u32 %w, 1, 2, %q;");
    assert_eq!(both_with(&negative, &zero, Deviation::PtxasSetSigned), (2, 2));
}

/// A function of a word.
fn plain_with(body: &str) -> String {
    format!(
        ".func (.param .b32 r) f(.param .b32 a) {{ .reg .b32 %u, %v, %w; mov.u32 %u, %tid.x; ld.param.b32 %v, [a]; {body} st.param.b32 [r], %w; }}"
    )
}

#[test]
fn a_set_that_gives_a_number_converts_its_destination_where_the_guard_is_false() {
    let never = "setp.ne.u32 %p1, %t, 0; mov.b32 %r2, 7;";
    let of = |old: &str, line: &str| format!("{never} mov.b32 %r1, {old}; {line}");
    deviates(
        Deviation::PtxasSetUnguarded,
        &[
            (&*of("7", "@%p1 set.gt.f32.s32 %r1, %r2, 5;"), 7, 0x40E0_0000),
            (&*of("-3", "@%p1 set.gt.f32.u32 %r1, %r2, 5;"), 0xFFFF_FFFD, 0x4040_0000),
            (&*of("0x3f800000", "@%p1 set.gtu.ftz.f32.f32 %r1, %r2, %r2;"), 0x3F80_0000, 0x4E7E_0000),
            // With sources of 16 bits so many are converted: 0xfffd is -3, and the sign is left out.
            (
                &*of("0x7fffd", "{.reg .u16 %n; mov.u16 %n, 1; @%p1 set.eq.f32.u16 %r1, %n, 1;}"),
                0x7_FFFD,
                0x4040_0000,
            ),
            // An integer is extended from its lower half: 0xfffd to -3.
            (
                &*of("0x7fffd", "{.reg .u16 %n; mov.u16 %n, 1; @%p1 set.eq.u32.u16 %r1, %n, 1;}"),
                0x7_FFFD,
                0xFFFF_FFFD,
            ),
            (&*of("0x7fffd", "{.reg .u16 %n; mov.u16 %n, 1; @!%p1 set.eq.u32.u16 %r1, %n, 1;}"), ONES, ONES),
            // Where the guard holds, where there is none, and where the result is an integer of words.
            (&*of("7", "@!%p1 set.gt.f32.s32 %r1, %r2, 5;"), 0x3F80_0000, 0x3F80_0000),
            (&*of("7", "@!%p1 set.lt.f32.s32 %r1, %r2, 5;"), 0, 0),
            (&*of("7", "set.gt.f32.s32 %r1, %r2, 5;"), 0x3F80_0000, 0x3F80_0000),
            (&*of("7", "@%p1 set.gt.u32.s32 %r1, %r2, 5;"), 7, 7),
        ],
    );
}
