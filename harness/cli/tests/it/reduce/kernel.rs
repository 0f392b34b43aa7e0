//! A kernel as nvrtc emits it, of any length: arithmetic without end, a loop, branches around rare work, and one load from a surface whose
//! coordinates leave it in some threads.

use std::fmt::Write;

/// A case with a kernel of at least so many lines, launched with 64 threads.
pub(super) fn case(lines: usize) -> String {
    let body: String = program(lines).lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "- case: a kernel as nvrtc emits it\n  program: |\n{body}  launch:\n    entry: mixed\n    grid: [2]\n    block: [32]\n    \
         arguments: [{{buffer: out}}, {{buffer: in}}, {{surface: image}}, {{u32: 50}}]\n  buffers:\n    \
         out: {{type: u32, count: 64}}\n    in: {{type: u32, values: sequence, count: 64}}\n  surfaces:\n    \
         image: {{geometry: 2d, extent: [8, 4], format: u32, texels: sequence}}\n"
    )
}

fn program(lines: usize) -> String {
    let mut text = String::from(HEAD);
    let mut number = 0;
    // The head and the tail have about 60 lines; the load stands in the middle.
    for _ in 0..lines.saturating_sub(60) / 2 {
        number = arithmetic(&mut text, number);
    }
    text.push_str(LOAD);
    for _ in 0..lines.saturating_sub(60) / 2 + 8 {
        number = arithmetic(&mut text, number);
    }
    text.push_str(TAIL);
    text
}

/// An instruction that mixes two of sixteen registers into a third, each time others. Some have a guard.
fn arithmetic(text: &mut String, number: u32) -> u32 {
    let next = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    let register = |shift: u32| 20 + (next >> shift) % 16;
    let (d, a, b) = (register(8), register(13), register(18));
    let line = match (next >> 24) % 9 {
        0 => format!("add.s32 %r{d}, %r{a}, %r{b};"),
        1 => format!("xor.b32 %r{d}, %r{a}, %r{b};"),
        2 => format!("mul.lo.s32 %r{d}, %r{a}, {};", next % 1000),
        3 => format!("mul.hi.s32 %r{d}, %r{a}, %r{b};"),
        4 => format!("shr.s32 %r{d}, %r{a}, {};", next % 31),
        5 => format!("shl.b32 %r{d}, %r{a}, {};", next % 31),
        6 => format!("min.s32 %r{d}, %r{a}, %r{b};"),
        7 => format!("@%p2 sub.s32 %r{d}, %r{a}, %r{b};"),
        _ => format!("selp.b32 %r{d}, %r{a}, %r{b}, %p3;"),
    };
    writeln!(text, "\t{line}").unwrap();
    next
}

const HEAD: &str = "\
//
// Generated in the manner of NVIDIA NVVM Compiler
//
.version 8.0
.target sm_50
.address_size 64

\t// .globl\tmixed
.global .align 4 .b8 unused[16];

.visible .entry mixed(
\t.param .u64 mixed_param_0,
\t.param .u64 mixed_param_1,
\t.param .u64 mixed_param_2,
\t.param .u32 mixed_param_3
)
.maxntid 32, 1, 1
{
\t.reg .pred \t%p<8>;
\t.reg .b32 \t%r<40>;
\t.reg .b64 \t%rd<12>;

\tld.param.u64 \t%rd1, [mixed_param_0];
\tld.param.u64 \t%rd2, [mixed_param_1];
\tld.param.u64 \t%rd3, [mixed_param_2];
\tld.param.u32 \t%r1, [mixed_param_3];
\tmov.u32 \t%r2, %tid.x;
\tmov.u32 \t%r3, %ntid.x;
\tmov.u32 \t%r4, %ctaid.x;
\tmad.lo.s32 \t%r5, %r4, %r3, %r2;
\tsetp.ge.s32 \t%p1, %r5, %r1;
\t@%p1 bra \t$L__BB0_4;
\tcvta.to.global.u64 \t%rd4, %rd2;
\tmul.wide.s32 \t%rd5, %r5, 4;
\tadd.s64 \t%rd6, %rd4, %rd5;
\tld.global.u32 \t%r6, [%rd6];
\tsetp.gt.u32 \t%p2, %r6, 20;
\tsetp.lt.u32 \t%p3, %r6, 40;
\tmov.u32 \t%r7, 0;
\tmov.u32 \t%r20, %r6;
\tmov.u32 \t%r21, %r5;
\tmov.u32 \t%r22, 3;
\tmov.u32 \t%r23, -5;
\tmov.u32 \t%r24, 77;
\tmov.u32 \t%r25, %r6;
\tmov.u32 \t%r26, 1;
\tmov.u32 \t%r27, 2;
\tmov.u32 \t%r28, %r2;
\tmov.u32 \t%r29, %r4;
\tmov.u32 \t%r30, 0;
\tmov.u32 \t%r31, 9;
\tmov.u32 \t%r32, %r6;
\tmov.u32 \t%r33, 11;
\tmov.u32 \t%r34, 12;
\tmov.u32 \t%r35, 13;
\tmov.u32 \t%r36, 0;
$L__BB0_1:
";

const LOAD: &str = "\
\tshl.b32 \t%r10, %r6, 2;
\tadd.s32 \t%r11, %r7, 2;
\tsuld.b.2d.b32.clamp \t%r12, [%rd3, {%r10, %r11}];
\tadd.s32 \t%r20, %r20, %r12;
";

const TAIL: &str = "\
\tsetp.ne.s32 \t%p4, %r7, 1000;
\t@%p4 bra \t$L__BB0_3;
\tst.global.u32 \t[%rd6], %r7;
\tbra.uni \t$L__BB0_4;
$L__BB0_3:
\tadd.s32 \t%r36, %r36, %r12;
\tadd.s32 \t%r7, %r7, 1;
\tsetp.lt.u32 \t%p5, %r7, 4;
\t@%p5 bra \t$L__BB0_1;
\tcvta.to.global.u64 \t%rd7, %rd1;
\tadd.s64 \t%rd8, %rd7, %rd5;
\tadd.s32 \t%r37, %r20, %r36;
\tst.global.u32 \t[%rd8], %r37;
$L__BB0_4:
\tret;
}
";
