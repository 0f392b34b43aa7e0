//! What a person is told about typical mistakes: the place, what is wrong, what was expected.

use warpdiff_ptx::source::line_column;
use warpdiff_ptx::{Dialect, Rules, compile, compile_variables, render};

/// A module with one line of the test in a kernel, on line 8.
fn kernel(line: &str) -> String {
    format!(
        ".version 8.8
.target sm_90
.address_size 64
.global .surfref image;
.global .u32 counter;
.visible .entry k(.param .u64 p) {{
    .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<4>; .reg .b16 %h<4>; .reg .pred %p<4>; .reg .v2 .b32 %v; .shared .b32 s[4];
{line}
    ret;
}}
"
    )
}

/// Each line with the text the caret stands under, the message and what was expected.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    (
        "suld.b.2d.b32.clmp %r1, [image, {%r2, %r3}];",
        ".clmp",
        "unknown modifier `.clmp` of `suld`",
        "`.trap`, `.clamp` or `.zero`",
    ),
    (
        "suld.b.2d.b32 %r1, [image, {%r2, %r3}];",
        "suld.b.2d.b32",
        "`suld.b.2d.b32` lacks a modifier",
        "`.trap`, `.clamp` or `.zero`",
    ),
    (
        "suld.b.2d.u32.clamp %r1, [image, {%r2, %r3}];",
        ".u32",
        "`.u32` does not fit here in `suld`",
        "`.ca`, `.cg`, `.cs`, `.cv`, `.v2`, `.v4`, `.b8`, `.b16`, `.b32` or `.b64`",
    ),
    ("suld.b.2d.b32.clamp %r1, [image, {%r2}];", "{%r2}", "a tuple of 1", "a tuple of 2 or 4, or a register"),
    ("suld.b.1d.b32.clamp %r1, [image];", "[image]", "one part in the brackets", "`[surface, coordinates]`"),
    (
        "suld.b.1d.b32.trap.clamp %r1, [image, {%r2}];",
        ".clamp",
        "`.clamp` does not fit here in `suld`",
        "one of `.trap` and `.clamp` alone",
    ),
    ("suld.b.5d.b32.trap %r1, [image, {%r2}];", "{%r2}", "a tuple of 1", "a tuple of 2 or 4, or a register"),
    (
        "suld.b.2d.b32.clamp %r1, [counter, {%r2, %r3}];",
        "counter",
        "`counter` is of type `.u32`",
        "a `.surfref` variable or a 64-bit integer register, without an offset",
    ),
    (
        "suld.b.2d.v4.b64.trap {%rd0,%rd1,%rd2,%rd3}, [image, {%r2, %r3}];",
        "suld.b.2d.v4.b64.trap",
        "an access of more than 128 bits",
        "at most 128 bits",
    ),
    (
        "sured.b.add.1d.s64.trap [image, {%r1}], %rd1;",
        ".s64",
        "`.s64` does not fit here in `sured`",
        "`.u32`, `.s32` or `.u64`",
    ),
    ("add.s33 %r1, %r2, %r3;", ".s33", "unknown type `.s33` of `add`", ""),
    (
        "add.s32 %r1, %f1, %r3;",
        "%f1",
        "`%f1` is of type `.f32`",
        "a register for `.s32` or an integer constant",
    ),
    (
        "add.s32 %r1, %h1, %r3;",
        "%h1",
        "`%h1` is of type `.b16`",
        "a register for `.s32` or an integer constant",
    ),
    (
        "add.f32 %f1, %f2, 1;",
        "1;",
        "integer constant `1` here",
        "a register for `.f32` or a floating-point constant",
    ),
    ("add.s32 %r1, %r2;", "add.s32", "`add.s32` with 2 operands", "3 operands"),
    ("add.s32 %r1, %r2, %r3, %r4;", "%r4", "`add.s32` with 4 operands", "3 operands"),
    (
        "add.s32 %r1, %r2, %tid.x;",
        "%tid.x",
        "special register `%tid.x` here",
        "a register for `.s32` or an integer constant",
    ),
    ("add.s32 5, %r2, %r3;", "5,", "integer constant `5` here", "a register for `.s32`"),
    ("mul.s32 %r1, %r2, %r3;", "mul.s32", "`mul.s32` lacks a modifier", "`.hi` or `.lo`"),
    (
        "cvt.f32.s32 %f1, %r1;",
        "cvt.f32.s32",
        "`cvt.f32.s32` lacks a modifier",
        "`.rn`, `.rz`, `.rm` or `.rp`",
    ),
    ("setp.eq.s32 %r1, %r2, %r3;", "%r1,", "`%r1` is of type `.b32`", "a register for `.pred`"),
    (
        "setp.eq.and.s32 %p1, %r2, %r3;",
        "setp.eq.and.s32",
        "a boolean operator without a predicate to combine with",
        "a third source operand",
    ),
    ("@%r1 bra end;", "%r1", "`%r1` is of type `.b32`", "a `.pred` register"),
    ("bra nowhere;", "nowhere", "no label `nowhere`", "a label of this function"),
    ("add.s32 %r1, %r8, %r3;", "%r8", "`%r8` is not declared", ""),
    ("ld.shared.u32 %r1, [counter];", "counter", "`counter` is in `.global`", "a `.shared` variable"),
    (
        "ld.global.u32 %r1, [%f1];",
        "%f1",
        "`%f1` is of type `.f32`",
        "a 32-bit or 64-bit integer register, a variable or a constant",
    ),
    (
        "ld.global.u32 %r1, [%rd1-4];",
        "-",
        "unexpected `-`",
        "`+` and a constant, which may be negative: `+-4`",
    ),
    (
        "ld.global.v2.u32 %r1, [%rd1];",
        "%r1",
        "`%r1` is of type `.b32`",
        "a vector of 2 elements of type `.u32`",
    ),
    (
        "{ .param .b32 passed; @%p1 st.param.b32 [passed], %r1; }",
        "%p1",
        "a guard before `st` of `passed`, which is passed in a call",
        "the instruction without a guard",
    ),
    (
        "{ .param .b32 passed; @!%p1 ld.param.b32 %r1, [passed]; }",
        "%p1",
        "a guard before `ld` of `passed`, which is passed in a call",
        "the instruction without a guard",
    ),
    (
        "st.param.u64 [p], %rd1;",
        "p]",
        "`p` is a parameter, which cannot be written",
        "a return parameter or a local `.param` variable",
    ),
    (
        "atom.global.add.s64 %rd1, [%rd2], 1;",
        ".s64",
        "`.s64` does not fit here in `atom`",
        "`.u32`, `.s32`, `.u64`, `.f32`, `.f64`, `.noftz`, `.v2`, `.v4` or `.L2::cache_hint`",
    ),
    ("atom.shared.inc.s32 %r1, [s], 1;", ".s32", "`.s32` does not fit here in `atom`", "`.u32`"),
    (
        "mov.b64 %rd1, {%r1, %r2, %r3};",
        "{%r1, %r2, %r3}",
        "3 elements for `.b64`",
        "2 or 4 elements that together are as wide",
    ),
    ("mov.u32 %r1, 08;", "08", "malformed integer literal", ""),
    ("mov.f32 %f1, 0f3F8;", "0f3F8", "a `0f` literal has exactly 8 hexadecimal digits", ""),
    ("mov.u32 %r1, 1/0;", "1/0", "division by zero in a constant expression", ""),
    ("bar.sync 16;", "16", "barrier number `16`", "a barrier number from 0 to 15"),
    (
        "vote.all.pred %p1, %p2;",
        "vote.all.pred",
        "`vote.all.pred` on sm_70 and newer, from PTX 6.4 on",
        "the form with `.sync`",
    ),
    ("call nothing;", "nothing", "`nothing` is not declared", ""),
    ("mvo.u32 %r1, %r2;", "mvo", "unknown opcode `mvo`", "an opcode of the PTX ISA"),
    ("add.s32 %r1 %r2, %r3;", "%r2", "unexpected `%r2`", "`,` or `;`"),
    (".reg .u33 %x;", ".u33", "unknown type `.u33`", "a type such as `.u32`, `.b64` or `.f32`"),
    (".reg .b32 %r1;", "%r1", "`%r1` is already declared in line 7", ""),
    (".shared .u32 x = 1;", "1;", "an initial value in `.shared`", "`.global` or `.const`"),
    (".shared .u32 x[];", "x[]", "an array without extent", "an extent, an initial value or `.extern`"),
    ("/* no end", "/", "comment without its `*/`", "an instruction, a declaration or a label"),
];

fn assembler() -> Rules {
    Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() }
}

#[test]
fn each_mistake_is_named_at_its_place() {
    for (line, under, message, expected) in MISTAKES {
        let text = kernel(line);
        let diagnostics = compile(&text, &assembler()).expect_err(line);
        let first = &diagnostics[0];
        assert_eq!(first.message, *message, "{line}");
        if !expected.is_empty() {
            assert_eq!(first.expected.as_deref(), Some(*expected), "{line}");
        }
        let column = line.find(under).expect("the text under the caret is in the line") as u32 + 1;
        let place = line_column(&text, first.span.start);
        assert_eq!((place.line, place.column), (8, column), "{line}");
        assert!(!first.unsupported, "{line}");
    }
}

#[test]
fn rendered_with_file_line_column_and_caret() {
    let text = kernel("    suld.b.2d.b32.clmp %r1, [image, {%r2, %r3}];");
    let diagnostics = compile(&text, &assembler()).expect_err("a typo");
    let expected = "\
error: unknown modifier `.clmp` of `suld`
 --> mine.ptx:8:18
  |
8 |     suld.b.2d.b32.clmp %r1, [image, {%r2, %r3}];
  |                  ^^^^^ expected `.trap`, `.clamp` or `.zero`
";
    assert_eq!(render(&diagnostics, "mine.ptx", &text, false), expected);
    assert!(
        render(&diagnostics, "mine.ptx", &text, true).contains("\u{1b}["),
        "colours are escape sequences"
    );
}

#[test]
fn several_errors_at_once() {
    let text = kernel("add.s32 %r1, %f1, 1;\nadd.f32 %f1, %f2, 1;\nbra nowhere;");
    let diagnostics = compile(&text, &assembler()).expect_err("three mistakes");
    let lines: Vec<u32> = diagnostics.iter().map(|d| line_column(&text, d.span.start).line).collect();
    assert_eq!(lines, [8, 9, 10]);
}

/// A forgotten semicolon costs one error, not the rest of the file.
#[test]
fn the_parser_goes_on_after_an_error() {
    let text = kernel("add.s32 %r1, %r2, %r3\nmvo.u32 %r1, %r2;\nadd.s32 %r1, %r2, %r3;\nfoo;");
    let diagnostics = compile(&text, &assembler()).expect_err("three mistakes");
    let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, ["unexpected `mvo`", "unknown opcode `mvo`", "unknown opcode `foo`"]);
}

/// Legal PTX that is not run says so, and is not called wrong.
#[test]
fn unsupported_is_not_an_error_of_the_program() {
    for line in [
        "tex.2d.v4.f16.f32 {%h0,%h1,%h2,%h3}, [%rd0, {%f2, %f3}];",
        "cp.async.ca.shared.global [s], [%rd0], 16;",
        "mov.u32 %r1, %envreg3;",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [s];",
    ] {
        let diagnostics = compile(&kernel(line), &assembler()).expect_err(line);
        assert!(diagnostics.iter().all(|d| d.unsupported), "{line}: {diagnostics:?}");
    }
    let text = kernel("elect.sync %r1|%p1, -1;");
    let shown = render(&compile(&text, &assembler()).expect_err("unsupported"), "mine.ptx", &text, false);
    assert!(shown.starts_with("error: unsupported: `elect.sync`\n --> mine.ptx:8:1\n"), "{shown}");
}

/// What is legal and not run is told by its name, at its place, and by nothing else: ptxas 12.9 accepts each of these.
#[test]
fn what_is_not_run_is_named() {
    for (line, name) in [
        (
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r2}, {%f0,%f1,%f2,%f3};",
            "`mma`",
        ),
        (
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
            "`mma`",
        ),
        ("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd0];", "`wmma`"),
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [s];", "`ldmatrix`"),
        ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [s], {%r1};", "`stmatrix`"),
        ("cp.async.ca.shared.global [s], [%rd0], 16;", "`cp`"),
        ("cp.async.wait_all;", "`cp`"),
        ("cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1;", "`cvt.rn.satfinite.e4m3x2.f32`"),
        ("cvt.rn.f16x2.e4m3x2 %r0, %h0;", "`cvt.rn.f16x2.e4m3x2`"),
        ("cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r0;", "`cvt.rn.satfinite.e5m2x2.f16x2`"),
        ("cvt.rn.bf16.f32 %h0, %f0;", "`cvt.rn.bf16.f32`"),
        ("cvt.rn.bf16x2.f32 %r0, %f0, %f1;", "`cvt.rn.bf16x2.f32`"),
        ("cvt.rn.f16x2.f32 %r0, %f0, %f1;", "`cvt.rn.f16x2.f32`"),
        ("cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;", "`cvt.pack.sat.u8.s32.b32`"),
        ("fma.rn.bf16 %h0, %h1, %h2, %h3;", "`fma.rn.bf16`"),
        ("fma.rn.bf16x2 %r0, %r1, %r2, %r3;", "`fma.rn.bf16x2`"),
        ("max.bf16 %h0, %h1, %h2;", "`max.bf16`"),
        ("red.global.add.noftz.bf16 [%rd0], %h0;", "`red.global.add.noftz.bf16`"),
        ("vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", "`vabsdiff4`"),
        ("vadd2.s32.s32.s32 %r0, %r1, %r2, %r3;", "`vadd2`"),
        ("vset4.u32.u32.eq %r0, %r1, %r2, %r3;", "`vset4`"),
        ("tex.2d.v4.f16.f32 {%h0,%h1,%h2,%h3}, [%rd0, {%f2, %f3}];", "`tex.2d.v4.f16.f32`"),
        ("tex.2dms.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%rd0, {%r0,%r1,%r2,%r3}];", "`tex.2dms.v4.f32.s32`"),
        ("tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f0,%f1}], %f2;", "a depth to compare with in `tex`"),
        (
            "tld4.g.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f0,%f1}], %f2;",
            "a depth to compare with in `tld4`",
        ),
        ("mov.b128 %q0, %q1;", "`mov.b128`"),
        ("mov.b128 {%rd0, %rd1}, %q1;", "`mov.b128`"),
        ("ld.relaxed.gpu.global.b128 %q0, [%rd1];", "`ld.relaxed.gpu.global.b128`"),
        ("fma.rn.oob.relu.bf16x2 %r0, %r1, %r2, %r3;", "`fma.rn.oob.relu.bf16x2`"),
        ("set.eq.bf16.bf16 %h0, %h1, %h2;", "`set.eq.bf16.bf16`"),
        ("atom.shared::cluster.add.u32 %r0, [s], 1;", "`atom.shared::cluster.add.u32`"),
        (
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [s], {%r0,%r1}, [%r2];",
            "`st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32`",
        ),
        (
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [s], %r1, [%r2];",
            "`red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32`",
        ),
        ("fence.proxy.async;", "`fence.proxy.async`"),
    ] {
        let text = kernel(&format!(".reg .b128 %q<2>; {line}"));
        for rules in [assembler(), Rules::default()] {
            let diagnostics = compile(&text, &rules).expect_err(line);
            assert!(diagnostics.iter().all(|d| d.unsupported), "{line}: {diagnostics:?}");
            assert_eq!(diagnostics.len(), 1, "{line}: {diagnostics:?}");
            assert!(diagnostics[0].message.contains(name), "{line}: {}", diagnostics[0].message);
            let shown = render(&diagnostics, "mine.ptx", &text, false);
            assert!(shown.starts_with("error: unsupported: ") && shown.contains('^'), "{shown}");
        }
    }
}

/// The same of what only the newest targets have.
#[test]
fn what_only_the_newest_targets_have_is_named() {
    for (line, name) in [
        ("fence.acquire.cta;", "`fence.acquire.cta`"),
        (
            "fence.release.sync_restrict::shared::cta.cluster;",
            "`fence.release.sync_restrict::shared::cta.cluster`",
        ),
        ("max.ftz.NaN.abs.f32 %f0, %f1, %f2, 0f00000000;", "`max.ftz.NaN.abs.f32`"),
        ("add.rz.sat.f32.bf16 %f0, %h0, %f1;", "`add.rz.sat.f32.bf16`"),
        ("fma.rn.f32.f16 %f0, %h0, %h1, %f1;", "`fma.rn.f32.f16`"),
        ("add.rn.ftz.f32x2 %rd0, %rd1, %rd2;", "`add.rn.ftz.f32x2`"),
        ("cvt.rs.relu.f16x2.f32 %r0, %f0, %f1, %r1;", "`cvt.rs.relu.f16x2.f32`"),
        ("cvt.rs.satfinite.e2m1x4.f32 %h0, {%f0, %f1, %f2, %f3}, %r1;", "`cvt.rs.satfinite.e2m1x4.f32`"),
        ("cvt.rn.f16x2.e2m3x2 %r0, %h0;", "`cvt.rn.f16x2.e2m3x2`"),
        ("redux.sync.min.abs.f32 %f0, %f1, -1;", "`redux.sync.min.abs.f32`"),
        ("st.bulk.weak.shared::cta [%rd0], 64, 0;", "`st.bulk.weak.shared::cta`"),
        ("st.async.mmio.release.sys.global.u8 [%rd0], 1;", "`st.async.mmio.release.sys.global.u8`"),
        (
            "red.async.mmio.release.sys.global.add.u64 [%rd0], 1;",
            "`red.async.mmio.release.sys.global.add.u64`",
        ),
        (
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p0, %q0;",
            "`clusterlaunchcontrol.query_cancel.is_canceled.pred.b128`",
        ),
    ] {
        let text = format!(
            ".version 8.8\n.target sm_100a\n.address_size 64\n.entry k() {{ .reg .pred %p<2>; .reg .b16 %h<2>; .reg .b32 %r<4>; \
             .reg .f32 %f<4>; .reg .b64 %rd<4>; .reg .b128 %q<2>;\n{line}\n}}"
        );
        for rules in [assembler(), Rules::default()] {
            let diagnostics = compile(&text, &rules).expect_err(line);
            assert!(diagnostics.iter().all(|d| d.unsupported && !d.unchecked), "{line}: {diagnostics:?}");
            assert_eq!(diagnostics.len(), 1, "{line}: {diagnostics:?}");
            assert_eq!(diagnostics[0].message, name, "{line}");
            assert_eq!(line_column(&text, diagnostics[0].span.start).line, 5, "{line}");
        }
    }
}

/// What is not run is checked all the same: each of these is wrong, and its caret is where the mistake is.
#[test]
fn mistakes_in_what_is_not_run_are_mistakes() {
    for (line, message, at) in [
        ("add.bf16 %h0, %h1, %r3;", "`%r3` is of type `.b32`", "%r3"),
        ("add.bf16 %h0, %h1;", "`add.bf16` with 2 operands", "add.bf16"),
        ("add.bf16.sat %h0, %h1, %h2;", "`.sat` does not fit here in `add`", ".sat"),
        ("mov.b128 %q0, %rd0;", "`%rd0` is of type `.b64`", "%rd0"),
        ("elect.sync %r0, -1;", "`%r0` is of type `.b32`", "%r0"),
        ("min.f32 %f0, %f1, %f2, %f3;", "`min.f32` needs sm_100", "min.f32"),
        ("min.f32 %f0, %f1;", "`min.f32` with 2 operands", "min.f32"),
        ("st.bulk [%rd0], 64, 0;", "`st.bulk` needs sm_100", "st.bulk"),
        ("fence.acquire.cta %r0;", "`fence.acquire.cta` with 1 operand", "%r0"),
        ("tex.2d.v4.f16.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f2, %f3}];", "`%f0` is of type `.f32`", "%f0"),
    ] {
        let text = kernel(&format!(".reg .b128 %q<2>; {line}"));
        let diagnostics = compile(&text, &assembler()).expect_err(line);
        assert_eq!(diagnostics.len(), 1, "{line}: {diagnostics:?}");
        assert!(!diagnostics[0].unsupported, "{line}: {diagnostics:?}");
        assert_eq!(diagnostics[0].message, message, "{line}");
        assert!(text[diagnostics[0].span.start as usize..].starts_with(at), "{line}: {diagnostics:?}");
    }
    // A target without the letter that the form asks for.
    let text =
        ".version 8.8\n.target sm_100\n.entry k() { .reg .f32 %f<2>; redux.sync.min.f32 %f0, %f1, -1; }";
    let diagnostics = compile(text, &assembler()).expect_err("sm_100");
    assert_eq!(diagnostics[0].message, "`redux.sync.min.f32` for sm_100");
    let expected = "`.target sm_100a`, `sm_100f`, `sm_103a`, `sm_103f`";
    assert_eq!(diagnostics[0].expected.as_deref(), Some(expected));
}

/// "This directive cannot be specified on an .entry function"; ptxas 12.9 does not parse it there.
#[test]
fn a_kernel_returns() {
    let text = |head: &str| format!(".version 8.8\n.target sm_90\n.address_size 64\n{head} {{ trap; }}\n");
    for rules in [assembler(), Rules::default()] {
        assert!(compile(&text(".func f() .noreturn"), &rules).is_ok());
        let diagnostics = compile(&text(".entry k() .noreturn"), &rules).expect_err("a kernel");
        assert_eq!(diagnostics[0].message, "`.noreturn` of a kernel");
    }
}

/// "PTX restricts functions to a single return value" (7.1.1). ptxas 11.8, 12.4 and 12.9 take several in `.reg`, with a warning, and none in `.param`:
/// "Multiple return parameters require .register state space".
#[test]
fn a_function_has_one_return_parameter() {
    let of = |returns: &str| {
        format!(".version 8.8\n.target sm_90\n.address_size 64\n.func ({returns}) f() {{ trap; }}\n")
    };
    for one in [".reg .b32 r", ".param .b32 r", ".param .b8 r[8]"] {
        assert!(compile(&of(one), &Rules::default()).is_ok(), "{one}");
        assert!(compile(&of(one), &assembler()).is_ok(), "{one}");
    }
    let refused = |returns: &str, rules: &Rules| {
        let text = of(returns);
        let diagnostics = compile(&text, rules).expect_err("several");
        assert_eq!(line_column(&text, diagnostics[0].span.start).line, 4);
        assert_eq!(diagnostics[0].message, "2 return parameters");
    };
    refused(".param .b32 r, .param .b32 q", &Rules::default());
    refused(".param .b32 r, .param .b32 q", &assembler());
    refused(".reg .b32 r, .param .b32 q", &assembler());
    refused(".reg .b32 r, .reg .b32 q", &Rules::default());
    assert!(compile(&of(".reg .b32 r, .reg .b32 q"), &assembler()).is_ok());
}

/// What is not run brings no error with it: a function that `.alias` defines counts as defined.
#[test]
fn an_alias_defines_what_it_names() {
    let text = ".version 8.8\n.target sm_90\n.address_size 64\n.func g();\n.func f() { ret; }\n.alias g, f;\n\
                .entry k() { call g; ret; }\n";
    for rules in [assembler(), Rules::default()] {
        let diagnostics = compile(text, &rules).expect_err("an alias");
        assert!(diagnostics.iter().all(|d| d.unsupported), "{diagnostics:?}");
        assert_eq!(diagnostics[0].message, "`.alias`");
    }
}

/// What ptxas reads as a sum, and the text does not have.
#[test]
fn an_offset_from_a_register_is_for_the_assembler() {
    let text = kernel("mov.b64 %rd1, %rd2+8;\nmov.u32 %r1, %r2+-4;");
    assert!(compile(&text, &assembler()).is_ok());
    let diagnostics = compile(&text, &Rules::default()).expect_err("an offset");
    assert_eq!(diagnostics[0].message, "an offset from what has no address");
}

#[test]
fn heads_of_modules() {
    for (text, message) in [
        ("", "module does not start with `.version`"),
        (".target sm_90\n", "module does not start with `.version`"),
        (".version 8.8\n", "module without `.target`"),
        (".version 8.9\n.target sm_90\n", "PTX version 8.9 is not known"),
        (".version 8.8\n.target sm_99\n", "unknown target `sm_99`"),
        (".version 7.0\n.target sm_90\n", "`sm_90` needs PTX 7.8"),
        (".version 8.8\n.target sm_90, texmode_unified, texmode_independent\n", "both texture modes at once"),
        (".version 8.8\n.target sm_90\n.address_size 16\n", "address size of 16 bits"),
        (".version 8.8\n.target sm_90\n.version 8.8\n", "`.version` here"),
        (".version 8.8\n.global .u32 a;\n.target sm_90\n", "`.target` here"),
        (".version 8.8\n.target sm_90\n.global .u32 a;\n.target sm_90\n", "`.target` here"),
        (".version 8.8\n.address_size 64\n.target sm_90\n", "`.address_size` here"),
        (".version 8.8\n.target sm_90\n.address_size 64\n.address_size 64\n", "`.address_size` here"),
        (".version 8.8\n.target sm_90\n.local .u32 x;\n", "`.local` at module scope"),
        (".version 8.8\n.target sm_90\n.entry k() { {\n", "body that does not end"),
    ] {
        let diagnostics = compile(text, &assembler()).expect_err(text);
        assert_eq!(diagnostics[0].message, message, "{text}");
    }
}

/// ptxas 12.9 takes targets one behind another; by the text further ones may stand anywhere (11.1.2).
#[test]
fn further_targets() {
    let text =
        |between: &str| format!(".version 8.8\n.target sm_90\n{between}.target sm_90\n.address_size 64\n");
    assert!(compile(&text(""), &assembler()).is_ok());
    assert!(compile(&text(""), &Rules::default()).is_ok());
    assert!(compile(&text(".global .u32 a;\n"), &assembler()).is_err());
    assert!(compile(&text(".global .u32 a;\n"), &Rules::default()).is_ok());
}

/// ptxas 12.9: "Parsing error near ';'", in bodies and between items. The text does not speak of it.
#[test]
fn the_assembler_takes_no_statement_of_nothing() {
    let head = ".version 8.8\n.target sm_90\n.address_size 64\n";
    for (text, offset) in [
        (".global .u32 a;;", 15),
        (".entry k() { ret; };", 19),
        (".entry k() { ; ret; }", 13),
        (".entry k() { { ; } ret; }", 15),
    ] {
        let text = format!("{head}{text}\n");
        assert!(compile(&text, &Rules::default()).is_ok(), "{text}");
        let diagnostics = compile(&text, &assembler()).expect_err(&text);
        assert_eq!(diagnostics[0].message, "a semicolon that ends nothing");
        assert_eq!(diagnostics[0].span.start as usize, head.len() + offset, "{text}");
    }
}

/// As observed with ptxas 12.9: a whole program has its `.const` variables in the order of their declarations, with gaps; a
/// relocatable object by their alignment.
#[test]
fn constant_memory_with_and_without_gaps() {
    let text = ".version 8.8\n.target sm_90\n.address_size 64\n\
                .const .u8 a; .const .u32 b[16383]; .const .u8 c;\n";
    let relocatable = Rules { relocatable: true, ..assembler() };
    assert!(compile(text, &relocatable).is_ok());
    assert!(compile(text, &Rules::default()).is_ok());
    assert_eq!(&text[compile(text, &assembler()).expect_err("65537 bytes")[0].span.range()], "c");
    let more = text.replace(".u8 c", ".u8 c[4]");
    assert!(compile(&more, &relocatable).is_err());
}

/// As observed with ptxas 12.9: more than 48 KiB of `.shared` are refused, but not with `--compile-only`.
#[test]
fn shared_memory_of_relocatable_objects() {
    let text = kernel(".shared .u8 more[49153]; mov.b64 %rd1, more;");
    assert!(compile(&text, &assembler()).is_err());
    assert!(compile(&text, &Rules { relocatable: true, ..assembler() }).is_ok());
}

/// One misspelt opcode does not hide what is wrong with other instructions.
#[test]
fn unknown_opcodes_and_the_rest_are_told_together() {
    let text = kernel("adx.s32 %r1, %r2, %r3;\nmov.u32 %r1, %nobody;\nbar.sync 16;\nsubb.u32 %r1, 1, 2;");
    let diagnostics = compile(&text, &assembler()).expect_err("four faults");
    let at: Vec<&str> = diagnostics.iter().map(|d| &text[d.span.range()]).collect();
    assert_eq!(at, ["adx", "%nobody", "16", "subb"]);
    // What is no instruction at all may hide a declaration: then the rest is not judged.
    let text = kernel("adx.s32 %r1, %r2, %r3;\n.reg .b32 ;\nbar.sync 16;");
    let diagnostics = compile(&text, &assembler()).expect_err("a parse error");
    assert_eq!(diagnostics.len(), 2, "{diagnostics:?}");
}

/// PTX ISA 9.7.8.6, lop3: immLut is "an integer constant in the range from 0 to 255". ptxas 12.9 accepts 256 (`forms.tsv`).
#[test]
fn a_look_up_table_beyond_eight_bits_is_refused_by_the_text_alone() {
    let text = kernel("lop3.b32 %r1, %r2, %r3, %r4, 256;");
    let diagnostics = compile(&text, &Rules::default()).expect_err("nine bits");
    assert_eq!(diagnostics[0].message, "look-up table `256`");
    assert_eq!(&text[diagnostics[0].span.range()], "256");
    assert!(compile(&text, &assembler()).is_ok());
    assert!(compile(&text.replace("256", "255"), &Rules::default()).is_ok());
}

/// The text counts the elements of a vector, the assembler those of a scalar alone: it takes `.z` of a vector of two.
#[test]
fn elements_that_a_vector_has_not() {
    let first = |line: &str, rules: &Rules| compile(&kernel(line), rules).expect_err(line).remove(0);
    let text = Rules::default();
    let missing = "mov.u32 %r1, %v.z;";
    assert_eq!(first(missing, &text).message, "`%v` has 2 elements");
    assert!(first(missing, &assembler()).unsupported, "accepted, and not run");
    for rules in [text, assembler()] {
        let scalar = first("mov.u32 %r1, %r2.x;", &rules);
        assert!(!scalar.unsupported && scalar.message == "`%r2` is no vector", "{}", scalar.message);
    }
}

/// A program is not legal because what is wrong with it stands behind much that is not supported.
#[test]
fn what_is_not_supported_hides_nothing() {
    let text = kernel(&format!("{}add.u32 %r1, %f1, %r2;", "cp.async.wait_all;\n".repeat(300)));
    for dialect in [Dialect::Spec, Dialect::Ptxas(12, 9)] {
        let diagnostics = compile(&text, &Rules { dialect, ..Rules::default() }).unwrap_err();
        assert_eq!(diagnostics.len(), 50);
        let wrong: Vec<_> = diagnostics.iter().filter(|it| !it.unsupported).collect();
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert_eq!(&text[wrong[0].span.range()], "%f1");
    }
}

/// By the text, which has registers and `.local` variables at module scope in its examples (5.4.1), they are held to the same rules there
/// as elsewhere.
#[test]
fn registers_and_local_variables_at_module_scope() {
    let head = ".version 8.8\n.target sm_50\n.address_size 64\n";
    for (declarations, at) in [
        (".reg .texref t;", ".texref"),
        (".local .texref t;", ".texref"),
        (".local .pred p;", ".pred"),
        (".reg .u32 a = 5;", "5"),
        (".reg .u32 a[4];", "[4]"),
        (".local .align 3 .u32 b;", ".align 3"),
        (".local .v4 .f64 x;", ".f64"),
        (".reg .v4 .f64 x;", ".f64"),
        (".local .u16 k[];", "k[]"),
        (".local .u8 k = 4;", "4"),
        (".local .attribute(.managed) .u32 m;", ".managed"),
        (".extern .reg .u32 a;", ".extern"),
        (".reg .u32 a, b, a;", "a;"),
        (".global .u32 a; .local .u32 a;", "a;"),
        (".reg .u32 _;", "_"),
    ] {
        let text = format!("{head}{declarations}\n");
        let diagnostics = compile(&text, &Rules::default()).unwrap_err();
        let wrong: Vec<_> = diagnostics.iter().filter(|it| !it.unsupported).collect();
        assert_eq!(wrong.len(), 1, "{declarations}: {diagnostics:?}");
        assert!(text[wrong[0].span.range().start..].starts_with(at), "{declarations}: {wrong:?}");
    }
    let uses = ".reg .s32 i, %r<4>; .reg .v4 .f32 accel; .local .u16 kernel[19][19];\n\
                .entry k() { mov.s32 i, %r3; mov.f32 accel.x, accel.w; st.local.u16 [kernel], 1; ret; }\n\
                .entry l() { .reg .s32 j; mov.s32 j, i; mov.s32 %r3, j; mov.s32 %r2, %r3; ret; }\n";
    let text = format!("{head}{uses}");
    let diagnostics = compile(&text, &Rules::default()).unwrap_err();
    assert!(diagnostics.iter().all(|it| it.unsupported), "{diagnostics:?}");
    let (module, unsupported) = compile_variables(&text, &Rules::default()).unwrap();
    assert_eq!(unsupported.len(), 3);
    // "a total of 722 bytes" (5.4.3).
    assert_eq!(module.variables.iter().map(|it| it.size).collect::<Vec<_>>(), [722]);
}
