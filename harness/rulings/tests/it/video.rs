//! Scalar video instructions: a, b and c are %r2, %r3 and %r4.

use warpdiff_ptx::vocabulary::Opcode;
use warpdiff_rulings::Ruling::{self, *};

use crate::look::{differing, kernel};

/// The words, an instruction, and all rulings that decide it.
type Example = ([u32; 3], &'static str, &'static [Ruling]);

const MINUS_ONE: u32 = 0xffff_ffff;

/// PTX ISA 9.7.18.
const EXAMPLES: &[Example] = &[
    ([1, 2, 0], "vadd.s32.s32.s32 %r1, %r2, %r3;", &[]),
    // 2^31 is no s32.
    ([0x7fff_ffff, 1, 0], "vadd.s32.s32.s32 %r1, %r2, %r3;", &[IntegerOverflows]),
    ([0x7fff_ffff, 1, 0], "vadd.s32.s32.s32.sat %r1, %r2, %r3;", &[IntegerSaturates]),
    ([5, 5, 0], "vsub.s32.s32.s32 %r1, %r2, %r3;", &[IntegerZero]),
    // Byte 3 is 128, or -128.
    ([0x8000_0000, 5, 0], "vadd.u32.u32.u32 %r1, %r2.b3, %r3.h0;", &[VideoPart]),
    ([0x8000_0000, 5, 0], "vadd.s32.s32.s32 %r1, %r2.b3, %r3.h0;", &[VideoPart, VideoNegative]),
    // |2 - 5| is 5 - 2.
    ([2, 5, 0], "vabsdiff.u32.s32.s32 %r1, %r2, %r3;", &[DifferenceNegated]),
    ([5, 2, 0], "vabsdiff.u32.u32.u32 %r1, %r2, %r3;", &[]),
    ([MINUS_ONE, 3, 0], "vmin.s32.s32.s32 %r1, %r2, %r3;", &[VideoNegative]),
    ([3, 3, 0], "vmax.u32.u32.u32 %r1, %r2, %r3;", &[CompareEqual]),
    // 400 is no byte.
    ([200, 200, 7], "vadd.u32.u32.u32.sat %r1.b0, %r2, %r3, %r4;", &[VideoMerges, IntegerSaturates]),
    ([200, 200, 7], "vadd.u32.u32.u32 %r1.b1, %r2, %r3, %r4;", &[VideoMerges, IntegerOverflows]),
    ([200, 55, 7], "vadd.u32.u32.u32 %r1.b1, %r2, %r3, %r4;", &[VideoMerges]),
    ([1, 2, MINUS_ONE], "vadd.s32.s32.s32.min %r1, %r2, %r3, %r4;", &[VideoThirdTaken]),
    // As unsigned numbers 3 is the lesser one.
    ([1, 2, MINUS_ONE], "vadd.u32.u32.u32.min %r1, %r2, %r3, %r4;", &[]),
    ([1, 2, 9], "vadd.s32.s32.s32.max %r1, %r2, %r3, %r4;", &[VideoThirdTaken]),
    ([1, 2, 3], "vadd.s32.s32.s32.max %r1, %r2, %r3, %r4;", &[]),
    // The first sum is limited to 2^32 - 1; and 3 more go beyond a word.
    ([MINUS_ONE, 1, 3], "vadd.u32.u32.u32.sat.add %r1, %r2, %r3, %r4;", &[IntegerSaturates, IntegerCarries]),
    // Without a limit it is 0.
    ([MINUS_ONE, 1, 3], "vadd.u32.u32.u32.add %r1, %r2, %r3, %r4;", &[IntegerOverflows]),
    ([1, 2, 0], "vset.u32.u32.lt %r1, %r2, %r3;", &[CompareTrue]),
    ([2, 2, 0], "vset.s32.s32.eq %r1, %r2, %r3;", &[CompareTrue, CompareEqual]),
    ([1, 2, 0], "vset.u32.u32.gt %r1, %r2, %r3;", &[CompareFalse, IntegerZero]),
    ([1, 0, 0], "vshl.u32.u32.u32.clamp %r1, %r2, %r3;", &[ShiftByZero]),
    // 2^32 is no word.
    ([1, 32, 0], "vshl.u32.u32.u32.clamp %r1, %r2, %r3;", &[ShiftOver, IntegerOverflows, IntegerZero]),
    // 33 modulo 32 is 1.
    ([1, 33, 0], "vshl.u32.u32.u32.wrap %r1, %r2, %r3;", &[ShiftWraps]),
    // The sign is left.
    ([0x8000_0000, 40, 0], "vshr.s32.s32.u32.clamp %r1, %r2, %r3;", &[ShiftOver, VideoNegative]),
    ([3, 4, 5], "vmad.u32.u32.u32 %r1, %r2, %r3, %r4;", &[]),
    // 17 / 128 is 0, and bits are lost.
    ([3, 4, 5], "vmad.s32.s32.s32.shr7 %r1, %r2, %r3, %r4;", &[ScaledInexact, IntegerZero]),
    // 16 * 8 / 128 is 1.
    ([16, 8, 0], "vmad.s32.s32.s32.shr7 %r1, %r2, %r3, %r4;", &[]),
    // 2^32 - 2 is above 2^31 - 1; without a sign it is a word.
    ([0x7fff_ffff, 2, 0], "vmad.s32.s32.s32.sat %r1, %r2, %r3, %r4;", &[IntegerSaturates]),
    ([0x7fff_ffff, 2, 0], "vmad.u32.u32.u32.sat %r1, %r2, %r3, %r4;", &[]),
    // 1 * -1 + 0 + 1
    ([1, MINUS_ONE, 0], "vmad.s32.s32.s32.po %r1, %r2, %r3, %r4;", &[VideoNegative, IntegerZero]),
    ([5, 1, 5], "vmad.s32.s32.s32 %r1, -%r2, %r3, %r4;", &[IntegerZero]),
];

#[test]
fn what_decides_video_instructions_is_what_the_manual_says() {
    let found = EXAMPLES.iter().filter_map(|([a, b, c], text, expected)| {
        let words = format!("mov.b32 %r2, {a:#x};\nmov.b32 %r3, {b:#x};\nmov.b32 %r4, {c:#x};\n{text}");
        let word = text.split('.').next().unwrap_or_default();
        let opcode = Opcode::from_text(word).expect("an opcode");
        differing(crate::look::all(&kernel("", "", &words), opcode), expected, text)
    });
    let wrong: Vec<String> = found.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
