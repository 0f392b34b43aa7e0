//! What the checker makes of programs. Every expectation is worked out by hand from the PTX ISA; the section is named.

use warpdiff_ptx::checked::{
    AddressBase, CallArgument, Callee, Immediate, Instruction, Module, OpaqueBase, Operand, Relocation,
    RelocationSymbol, VariableId,
};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Space, Type};
use warpdiff_ptx::{Dialect, Rules, compile, render};

const ASSEMBLER: Rules = Rules {
    dialect: Dialect::Ptxas(12, 9),
    max_version: None,
    max_target: None,
    relocatable: false,
    linked: false,
};
const TEXT: Rules =
    Rules { dialect: Dialect::Spec, max_version: None, max_target: None, relocatable: false, linked: false };

fn module_with(rules: &Rules, body: &str) -> Module {
    let text = format!(".version 8.8\n.target sm_90\n.address_size 64\n{body}\n");
    compile(&text, rules)
        .unwrap_or_else(|diagnostics| panic!("{}", render(&diagnostics, "test", &text, false)))
}

fn module(body: &str) -> Module {
    module_with(&ASSEMBLER, body)
}

fn refused(rules: &Rules, body: &str) -> String {
    let text = format!(".version 8.8\n.target sm_90\n.address_size 64\n{body}\n");
    compile(&text, rules).expect_err(body)[0].message.clone()
}

/// The instructions of a kernel with registers of every kind.
fn instructions(body: &str) -> Vec<Instruction> {
    let head = ".global .surfref image; .global .u32 g; .shared .b32 s[4];
.entry k(.param .u64 p) { .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .v2 .b32 %v;\n";
    module(&format!("{head}{body}\n}}")).functions.remove(0).body
}

fn instruction(line: &str) -> Instruction {
    instructions(line).remove(0)
}

fn bytes_of(declaration: &str) -> Vec<u8> {
    module(declaration).variables.pop().expect("a variable").initial
}

/// The value of a constant expression, through a 64-bit initial value.
fn value(expression: &str) -> u64 {
    let bytes = bytes_of(&format!(".global .u64 x = {expression};"));
    u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
}

/// 4.5.5 and the table of 4.5.6: the sign of results.
#[test]
fn integer_constant_expressions() {
    for (expression, expected) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 - 10", (-3i64) as u64),
        ("-7 / 2", (-3i64) as u64),
        // "Remainder (%) interprets the operands as unsigned": 2^64 - 7 is divisible by 3.
        ("-7 % 3", 0),
        // "AND, OR, and XOR perform the usual arithmetic conversions": signed, or unsigned with one operand that is.
        ("(-1 | 1) > 5", 0),
        ("(-1 & -1) >> 63", u64::MAX),
        ("(-1 ^ 0) / 2", 0),
        ("(-1 | 1U) > 5", 1),
        ("(-1 ^ 0U) / 2", i64::MAX as u64),
        ("-8 >> 1", (-4i64) as u64),
        // `U` makes the shift logical.
        ("0x8000000000000000U >> 63", 1),
        // `~` is unsigned for what follows.
        ("~0 >> 60", 15),
        ("(.s64)~0 >> 60", u64::MAX),
        ("(.u64)-1 >> 60", 15),
        // One unsigned operand makes the comparison unsigned.
        ("-1 < 0", 1),
        ("-1 < 0U", 0),
        ("-1 / 2U", i64::MAX as u64),
        ("1 << 4 | 1", 17),
        ("6 & 3 ^ 1", 3),
        ("!0 + !5", 1),
        ("1 && 0 || 1", 1),
        ("1 ? 2 : 3", 2),
        ("0 ? 1 : 0 ? 2 : 3", 3),
        ("WARP_SZ * 2", 64),
        ("0b101 + 010 + 0x10", 29),
        ("10 - 4 - 3", 3),
        ("0x7fffffffffffffff + 1", 1 << 63),
        ("-9223372036854775808", 1 << 63),
        ("1 == 1 != 0", 1),
        ("2 > 1 > 0", 1),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
    // Only the branch taken has to have a value, by the text; the assembler wants both.
    let lazy = ".global .u64 x = 0 ? 1 / 0 : 3;";
    assert_eq!(module_with(&TEXT, lazy).variables[0].initial[0], 3);
    assert_eq!(refused(&ASSEMBLER, lazy), "division by zero in a constant expression");
    for expression in
        ["1 / 0", "1 % 0", "1.0 + 1", "1.5 % 2.0", "~1.0", "1.0 && 2.0", "!1.0", "1 ? 2.0 : 3", "1.0 ? 2 : 3"]
    {
        let message = refused(&ASSEMBLER, &format!(".global .u64 x = {expression};"));
        assert!(!message.is_empty());
    }
    // "The second and third operands are either both integers or both floating-point"; to the assembler integers.
    let floats = ".global .f32 x = 0 ? 1.5 : 2.5;";
    assert_eq!(module_with(&TEXT, floats).variables[0].initial, 2.5f32.to_le_bytes());
    assert_eq!(refused(&ASSEMBLER, floats), "`?:` of floating-point numbers");
}

/// 4.5.5, 4.5.6: `%` gives .s64, `?:` what usual conversions give; the assembler makes `%` unsigned, and `?:` what the branch taken is
/// (observed with ptxas 12.9). A variable has both values.
#[test]
fn the_sign_of_remainders_and_conditionals_is_another_to_the_assembler() {
    for (expression, specified, emitted) in [
        // 2^64 - 8 is below the divisor: as .s64 it is -8.
        ("(-8 % 0xffffffffffffffff) / 2", (-4i64) as u64, i64::MAX as u64 - 3),
        ("((0-8) % 0xffffffffffffffff) > 0", 0, 1),
        ("(-1 % -2) >> 63", 0, 0),
        ("(-3 % -2) >> 63", u64::MAX, 1),
        ("(1 ? -1 : 1U) > 0", 1, 0),
        ("(0 ? 1U : -1) >> 1", i64::MAX as u64, u64::MAX),
    ] {
        let module = module(&format!(".global .u64 x = {expression};"));
        let [variable] = module.variables.as_slice() else { panic!("{expression}") };
        assert_eq!(variable.initial, u64::to_le_bytes(specified), "{expression}");
        if specified == emitted {
            assert!(variable.emitted.is_none() && module.deviations.is_empty(), "{expression}");
            continue;
        }
        let image = variable.emitted.as_ref().unwrap_or_else(|| panic!("{expression} is no deviation"));
        assert_eq!(image.bytes, u64::to_le_bytes(emitted), "{expression}");
        assert_eq!(module.deviations[0].0.name(), "ptxas.expression-sign");
    }
    // Where the sign makes no difference there is no deviation.
    assert!(module(".global .u64 x = (-1 % 10) & 7;").deviations.is_empty());
}

/// 5.4.4: nested lists, "remaining array locations initialized to the default value".
#[test]
fn initial_bytes_of_the_texts_examples() {
    let f = |value: f32| value.to_le_bytes();
    let vals = bytes_of(".const .f32 vals[8] = { 0.33, 0.25, 0.125 };");
    assert_eq!(vals, [f(0.33), f(0.25), f(0.125), f(0.0), f(0.0), f(0.0), f(0.0), f(0.0)].concat());
    let i = |values: &[i32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    assert_eq!(bytes_of(".global .s32 x[3][2] = { {1,2}, {3} };"), i(&[1, 2, 3, 0, 0, 0]));
    // A short list that is not the last one is padded too, "as in C".
    assert_eq!(bytes_of(".global .s32 x[2][2] = { {1}, {3} };"), i(&[1, 0, 3, 0]));
    let offset = module(".global .s32 offset[][2] = { {-1, 0}, {0, -1}, {1, 0}, {0, 1} };");
    assert_eq!(offset.variables[0].dimensions, [4, 2]);
    assert_eq!(offset.variables[0].initial, i(&[-1, 0, 0, -1, 1, 0, 0, 1]));
    let kernel = module(".global .f32 blur_kernel[][3] = {{.05,.1,.05},{.1,.4,.1},{.05,.1,.05}};");
    assert_eq!(kernel.variables[0].size, 36);
    assert_eq!(kernel.variables[0].initial[16..20], f(0.4));
    assert_eq!(bytes_of(".global .u8 bg[4] = {0, 0, 0, 0};"), [0; 4]);
}

/// 5.4.4 and 4.5.2: numbers as elements of a type.
#[test]
fn initial_bytes_of_scalars() {
    assert_eq!(bytes_of(".global .u8 a = 256;"), [0], "integers wrap");
    assert_eq!(bytes_of(".global .s8 a = -129;"), [0x7f]);
    assert_eq!(bytes_of(".global .u16 a = 0x12345;"), [0x45, 0x23]);
    assert_eq!(bytes_of(".global .b32 a = 1.0;"), 1f32.to_le_bytes());
    assert_eq!(bytes_of(".global .b64 a = 1.0;"), 1f64.to_le_bytes());
    assert_eq!(bytes_of(".global .f32 a = 0d3FF8000000000000;"), 1.5f32.to_le_bytes());
    assert_eq!(bytes_of(".global .f32 a = 0f7FC00001;"), 0x7FC0_0001u32.to_le_bytes(), "NaN payloads stay");
    assert_eq!(bytes_of(".global .v2 .u16 a = {1, 2};"), [1, 0, 2, 0]);
    assert_eq!(bytes_of(".global .v2 .u8 a[2] = {{1, 2}, {3, 4}};"), [1, 2, 3, 4]);
    assert!(module(".global .u32 a;").variables[0].initial.is_empty());
    for wrong in [
        ".global .f32 a = 0;",
        ".global .u32 a = 1.0;",
        ".global .u32 a = {1};",
        ".global .u32 a[2] = 1;",
        ".global .u32 a[2][2] = {1, 2, 3, 4};",
        ".global .u32 a[2] = {1, 2, 3};",
        ".global .v2 .u32 a = {1};",
        ".global .u32 a[] = {};",
        ".extern .global .u32 a = 1;",
        ".shared .u32 a = 1;",
        ".global .f32 a = -0f3F800000;",
    ] {
        refused(&ASSEMBLER, wrong);
    }
}

fn relocation(offset: u64, width: u32, shift: u32, generic: bool, addend: i64) -> Relocation {
    Relocation {
        offset,
        width,
        shift,
        symbol: RelocationSymbol::Variable(VariableId(0)),
        generic,
        implicit: false,
        addend,
        fits: true,
    }
}

/// 5.4.4: addresses of variables, `generic()` and `mask()`.
#[test]
fn addresses_as_initial_values() {
    let last = |text: &str| module(text).variables.pop().expect("a variable");
    let plain = last(".const .u32 foo = 42; .global .u32 p1 = foo;");
    assert_eq!(plain.relocations, [relocation(0, 4, 0, false, 0)]);
    let generic = last(
        ".global .u32 bar[] = { 2, 3, 5 }; .global .u64 parr[] = { generic(bar), generic(bar)+4, generic(bar)+8 };",
    );
    assert_eq!(
        generic.relocations,
        [relocation(0, 8, 0, true, 0), relocation(8, 8, 0, true, 4), relocation(16, 8, 0, true, 8)]
    );
    assert_eq!(generic.initial, [0; 24]);
    let masked = last(
        ".global .u32 foo; .global .u8 a[] = {0xff(foo), 0xff00(generic(foo)+4), 0xFF(1000 + 546), 0xFF00(131187)};",
    );
    assert_eq!(masked.relocations, [relocation(0, 1, 0, false, 0), relocation(1, 1, 8, true, 4)]);
    // 1546 is 0x60A, 131187 is 0x20073.
    assert_eq!(masked.initial, [0, 0, 0x0A, 0x00]);
    let table = module(".func f() { ret; } .global .u64 t[2] = {f, f};");
    assert!(matches!(table.variables[0].relocations[1].symbol, RelocationSymbol::Function(id) if id.0 == 0));
    for wrong in [
        ".global .s32 x; .global .s64 p = x;",
        ".shared .u32 x; .global .u64 p = x;",
        ".global .u64 p = later; .global .u32 later;",
        ".global .u32 x; .global .u8 p = x;",
        ".global .u32 x; .global .u64 p = 4+x;",
        ".global .u32 x; .global .u8 p = 0xF0(x);",
    ] {
        refused(&ASSEMBLER, wrong);
    }
    // "Opaque variables may not appear in initializers" (5.3); the assembler lets them.
    let opaque = ".global .surfref s; .global .u64 p = s;";
    refused(&TEXT, opaque);
    assert_eq!(last(opaque).relocations.len(), 1);
}

/// 5.4.2, 5.4.5: natural alignment, raised and never lowered; whole vectors.
#[test]
fn layout_of_variables() {
    let variables = module(
        ".global .align 2 .u64 a; .global .align 16 .u8 b[3]; .global .v4 .b8 c; .shared .u16 d[19][19];",
    )
    .variables;
    let layout: Vec<(u64, u64)> = variables.iter().map(|v| (v.size, v.align)).collect();
    assert_eq!(layout, [(8, 8), (3, 16), (4, 4), (722, 2)]);
}

/// 5.1.6: parameters are laid out in order at their natural alignment.
#[test]
fn layout_of_kernel_parameters() {
    let module = module(
        ".entry k(.param .u8 a, .param .u32 b, .param .u64 c, .param .b8 d[5], .param .align 16 .b8 e[16], .param .surfref f) { ret; }",
    );
    let layout: Vec<(u64, u64)> = module.functions[0].parameters.iter().map(|p| (p.offset, p.size)).collect();
    assert_eq!(layout, [(0, 1), (4, 4), (8, 8), (16, 5), (32, 16), (48, 8)]);
}

/// Names, scopes and labels: a block has its own, and the inner hide the outer.
#[test]
fn scopes() {
    let module = module(
        ".entry k() { .reg .b32 %r<4>;
            mov.u32 %r1, 1;
        again:
            { .reg .b64 %r1; mov.u64 %r1, 2; bra again; again: bra again; }
            mov.u32 %r1, %r03;
            bra again; }",
    );
    let function = &module.functions[0];
    let types: Vec<Type> = function.registers.iter().map(|register| register.ty).collect();
    assert_eq!(types, [Type::B32, Type::B64, Type::B32]);
    let targets: Vec<u32> = function
        .body
        .iter()
        .filter_map(|instruction| match instruction.operands[..] {
            [Operand::Label(index)] => Some(index),
            _ => None,
        })
        .collect();
    // Inside the block its own label, which stands before the third instruction after the first; outside the outer one.
    assert_eq!(targets, [3, 3, 1]);
}

#[test]
fn words_are_sorted_into_modifiers_spaces_and_types() {
    let cvt = instruction("cvt.rn.sat.f32.u32 %f1, %r1;");
    assert_eq!(cvt.modifiers[..], [Modifier::Rn, Modifier::Sat]);
    assert_eq!(cvt.types[..], [Type::F32, Type::U32]);
    let atom = instruction("atom.relaxed.gpu.shared::cta.add.u32 %r1, [s+4], 1;");
    assert_eq!(atom.spaces[..], [Space::Shared]);
    assert!(atom.has(Modifier::SharedCta) && atom.has(Modifier::Add));
    let [_, Operand::Address { base: AddressBase::Variable(_), offset: 4, .. }, Operand::Immediate(_)] =
        atom.operands[..]
    else {
        panic!("{:?}", atom.operands);
    };
    let min = instruction("min.NaN.f32 %f1, %f2, %f3;");
    assert!(min.has(Modifier::Nan));
    let guarded = instruction("@!%p1 ret;");
    assert!(guarded.guard.is_some_and(|guard| guard.negated));
    assert_eq!(guarded.opcode, Opcode::Ret);
}

#[test]
fn operands() {
    let setp = instruction("setp.lt.and.s32 %p0|%p1, %r1, -5, !%p2;");
    assert!(
        matches!(&setp.operands[0], Operand::Pair(a, _) if matches!(**a, Operand::Register { negated: false, .. }))
    );
    let five = Immediate::Integer { bits: (-5i64) as u64, unsigned: false };
    assert_eq!(setp.operands[2], Operand::Immediate(five));
    assert!(matches!(setp.operands[3], Operand::Register { negated: true, .. }));

    let load = instruction("ld.global.v2.u32 {%r1, _}, [%rd1+-8];");
    assert!(matches!(&load.operands[0], Operand::Vector(v) if v.len() == 2 && v[1] == Operand::Sink));
    assert!(matches!(load.operands[1], Operand::Address { base: AddressBase::Register(_), offset: -8, .. }));

    let suld = instruction("suld.b.1d.b32.trap %r1, [image, %r2];");
    let Operand::Opaque { object: OpaqueBase::Variable(VariableId(0)), coordinates, bare: true, .. } =
        &suld.operands[1]
    else {
        panic!("{:?}", suld.operands);
    };
    assert_eq!(coordinates.len(), 1);

    // 4.5.2: a decimal literal is a binary64, converted to the type of the operand.
    let add = instruction("add.f32 %f1, %f2, 0.1;");
    assert_eq!(add.operands[2], Operand::Immediate(Immediate::Float32(0.1f32.to_bits())));
    let component = instruction("mov.u32 %r1, %v.y;");
    assert!(matches!(component.operands[1], Operand::Component { component: 1, .. }));
    let pack = instruction("mov.b64 %rd1, {%r1, 7};");
    assert!(matches!(&pack.operands[1], Operand::Vector(v) if v.len() == 2));
    let address = instruction("mov.u64 %rd1, g+4;");
    assert_eq!(address.operands[1], Operand::VariableAddress { variable: VariableId(1), offset: 4 });
}

/// 9.7.12: direct and indirect calls.
#[test]
fn calls() {
    let module = module(
        ".func (.param .b32 out) f(.param .b32 in, .param .b64 wide);
        .func (.reg .u32 out) g(.reg .u32 in) { mov.u32 out, in; ret; }
        .entry k() { .reg .u32 %r<4>; .reg .u64 %rd;
            { .param .b32 a; .param .b64 b; .param .b32 c; call.uni (c), f, (a, b); }
            call (%r1), g, (5);
            mov.u64 %rd, g;
            proto: .callprototype (.param .b32 _) _ (.param .b32 _);
            call (%r1), %rd, (%r2), proto;
            ret; }
        .func (.param .b32 out) f(.param .b32 in, .param .b64 wide) { ret; }",
    );
    let calls: Vec<_> = module.functions[2]
        .body
        .iter()
        .filter_map(|instruction| match &instruction.operands[..] {
            [Operand::Call(call)] => Some(call),
            _ => None,
        })
        .collect();
    assert!(matches!(calls[0].callee, Callee::Function(id) if module.functions[id.0 as usize].name == "f"));
    assert!(matches!(calls[0].arguments[..], [CallArgument::Variable(_), CallArgument::Variable(_)]));
    assert!(matches!(calls[1].arguments[..], [CallArgument::Immediate(_)]));
    assert!(matches!(calls[2].callee, Callee::Indirect { prototype: 0, .. }));
    assert!(!module.functions[0].external && module.functions[0].parameters[1].variable.is_some());
    refused(&ASSEMBLER, ".func f(.param .b32 a) { ret; } .entry k() { call f; }");
    refused(&ASSEMBLER, ".func f(.param .b32 a) { ret; } .entry k() { .param .b64 x; call f, (x); }");
    refused(&ASSEMBLER, ".entry f() { ret; } .entry k() { call f; }");
    refused(&ASSEMBLER, ".func f() { ret; } .func f() { ret; }");
    refused(&ASSEMBLER, ".func f(.param .b32 a); .func f(.param .b64 a) { ret; }");
}

/// Examples of 9.7.11 as printed. The assembler has no default for the clamp modifier, and takes no `.u32` with `sured.p`.
#[test]
fn surface_examples_by_text_and_by_assembler() {
    let program = |line: &str| {
        format!(
            ".global .surfref surf_A; .global .surfref surf_B; .global .surfref surf_C; .global .surfref surf_D;
            .entry k() {{ .reg .b32 x, y, z, w, idx, s1, s2, s3, s4, r0, r32; .reg .b64 r1, r2; .reg .f32 f1, f2, f3, f4; {line} }}"
        )
    };
    let both = [
        "suld.b.1d.v4.b32.trap {s1,s2,s3,s4}, [surf_B, {x}];",
        "suld.b.3d.v2.b64.trap {r1,r2}, [surf_A, {x,y,z,w}];",
        "sust.p.1d.v4.b32.trap [surf_B, {x}], {f1,f2,f3,f4};",
        "sust.b.3d.v2.b64.trap [surf_A, {x,y,z,w}], {r1,r2};",
        "sured.b.add.2d.u32.trap [surf_A, {x,y}], r32;",
        "sured.b.max.1d.u64.trap [surf_C, {x}], r1;",
        "sured.p.min.1d.b64.trap [surf_D, {x}], r1;",
        "suq.width.b32 r32, [surf_A];",
    ];
    let text_only = [
        "suld.b.a1d.v2.b32 {r0,r32}, [surf_C, {idx,x}];",
        "suld.b.a2d.b32 r0, [surf_D, {idx,x,y,z}];",
        "sust.b.a1d.v2.b64 [surf_C, {idx,x}], {r1,r2};",
        "sust.b.a2d.b32 [surf_D, {idx,x,y,z}], r0;",
        "sured.p.min.1d.u32.trap [surf_B, {x}], r32;",
    ];
    for line in both {
        module_with(&TEXT, &program(line));
        module_with(&ASSEMBLER, &program(line));
    }
    for line in text_only {
        module_with(&TEXT, &program(line));
        refused(&ASSEMBLER, &program(line));
    }
    // Forms that the assembler takes and the text does not list.
    for line in [
        "sust.p.a1d.b32.trap [surf_C, {idx,x}], r0;",
        "sust.p.1d.cg.b32.trap [surf_C, {x}], r0;",
        "suld.b.2d.b32.trap r0, [surf_A, x];",
        "suld.b.trap.b32.2d r0, [surf_A, {x,y}];",
    ] {
        refused(&TEXT, &program(line));
        module_with(&ASSEMBLER, &program(line));
    }
}

/// Notes of 9.7.11.1: forms by version and target.
#[test]
fn gates_of_surface_loads() {
    let verdict = |version: &str, target: u32, form: &str, dialect| {
        let address_size = if version >= "2.3" { ".address_size 64" } else { "" };
        let text = format!(
            ".version {version}\n.target sm_{target}\n{address_size}\n.global .surfref s;\n.entry k() {{ .reg .b32 %r<5>; .reg .u64 %q; {form} }}"
        );
        compile(&text, &Rules { dialect, ..Rules::default() }).is_ok()
    };
    let trap = "suld.b.1d.b32.trap %r0, [s, {%r1}];";
    let zero = "suld.b.1d.b32.zero %r0, [s, {%r1}];";
    let cached = "suld.b.1d.ca.b32.trap %r0, [s, {%r1}];";
    let volume = "suld.b.3d.b32.trap %r0, [s, {%r1,%r2,%r3,%r4}];";
    let indirect = "suld.b.1d.b32.trap %r0, [%q, {%r1}];";
    for dialect in [Dialect::Spec, Dialect::Ptxas(12, 9)] {
        assert!(!verdict("1.4", 13, trap, dialect) && verdict("1.5", 13, trap, dialect));
        assert!(!verdict("1.5", 13, zero, dialect) && verdict("2.0", 20, zero, dialect));
        assert!(!verdict("2.0", 13, cached, dialect) && verdict("2.0", 20, cached, dialect));
        assert!(!verdict("2.3", 20, volume, dialect) && verdict("3.0", 20, volume, dialect));
        assert!(!verdict("3.0", 20, indirect, dialect) && verdict("3.1", 20, indirect, dialect));
        assert!(!verdict("3.1", 13, indirect, dialect));
    }
    // "sm_1x targets support only the .trap clamping modifier": the text says so, the assembler does not mind.
    assert!(!verdict("2.0", 13, zero, Dialect::Spec) && verdict("2.0", 13, zero, Dialect::Ptxas(12, 9)));
}

/// 5.4.4: "array initializers may be incomplete … with remaining array locations initialized to the default value", at every
/// level, "as in C". What ptxas emits for the same lists (observed with 11.8 to 13.5) is the deviation `ptxas.packed-lists`.
#[test]
fn short_lists_leave_gaps_by_the_text_and_none_as_emitted() {
    let text = ".version 8.8\n.target sm_50\n.address_size 64\n\
                .global .u8 a[3][2] = {{1},{2},{3}};\n.global .u8 b[2][2] = {{},{7}};\n.global .s8 c[3][2] = {{1,2},{3}};\n";
    for rules in [TEXT, ASSEMBLER] {
        let module = compile(text, &rules).expect("a legal program");
        let specified: Vec<_> = module.variables.iter().map(|variable| variable.initial.as_slice()).collect();
        assert_eq!(specified, [&[1, 0, 2, 0, 3, 0][..], &[0, 0, 7, 0], &[1, 2, 3, 0, 0, 0]]);
        let emitted = module.variables.iter().map(|v| v.emitted.as_ref().map(|image| image.bytes.as_slice()));
        assert_eq!(emitted.collect::<Vec<_>>(), [Some(&[1, 2, 3, 0, 0, 0][..]), Some(&[7, 0, 0, 0]), None]);
        let at: Vec<_> = module.deviations.iter().map(|(_, span)| &text[span.range()]).collect();
        assert_eq!(at, ["2", "7"], "the first values that stand elsewhere");
    }
}

/// Declared by the text, and made by the assembler where they are named: their order in `.const` is that of their first uses.
#[test]
fn variables_of_a_range_are_made_where_they_are_named() {
    let text = ".version 8.8\n.target sm_90\n.address_size 64\n.const .u32 v<3>, b;\n.global .u64 p[3] = {v2, v0, v2};\n";
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    let module = compile(text, &rules).unwrap();
    let order = |name: &str| module.variables.iter().find(|variable| variable.name == name).unwrap().made;
    assert_eq!(order("v1"), None);
    assert!(order("b") < order("v2") && order("v2") < order("v0") && order("v0") < order("p"));
    let deviations: Vec<_> = module.deviations.iter().map(|(deviation, _)| deviation.name()).collect();
    assert_eq!(deviations, ["ptxas.unnamed-variables"]);
    assert!(compile(text, &Rules::default()).unwrap().deviations.is_empty());
}
