//! Faults inside PTX text, with carets in the corpus file.

use snapbox::{assert_data_eq, str};

use super::{corpus_errors, errors};

#[test]
fn a_typo_in_a_block_scalar() {
    let text = "
- case: loads
  surfaces: {image: {geometry: 2d, extent: [4, 3], format: u32}}
  inputs: {x: s32, y: s32}
  outputs: {d: b32}
  body: |
    // the first line is right
    add.s32 %x, %x, 1;
      suld.b.2d.b32.clmp %d, [image, {%x, %y}];
  rows: [{x: 1, y: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: unknown modifier `.clmp` of `suld`
 --> cases/test.yaml:9:20
  |
9 |       suld.b.2d.b32.clmp %d, [image, {%x, %y}];
  |                    ^^^^^ expected `.trap`, `.clamp` or `.zero`
"#]]
    );
}

#[test]
fn several_typos_in_one_body() {
    let text = "
- case: adds
  inputs: {x: s32}
  outputs: {d: s32}
  body: |
    add.s32 %d, %e, 1;
    mul.s33 %d, %x, 1;
  rows: [{x: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: `%e` is not declared
 --> cases/test.yaml:6:17
  |
6 |     add.s32 %d, %e, 1;
  |                 ^^

error: unknown [..] `.s33` of `mul`
 --> cases/test.yaml:7:8
  |
7 |     mul.s33 %d, %x, 1;
  |        ^^^^ expected `.hi`[..]
"#]]
    );
}

#[test]
fn a_typo_in_every_style_of_scalar() {
    let case = |title: &str, body: &str| {
        format!("- case: {title}\n  outputs: {{d: s32}}\n  body: {body}\n  rows: [{{d: 1}}]\n")
    };
    let text = [
        case("plain", "mov.b32 %d, 1; movv.b32 %d, 1;"),
        case("plain over two lines", "mov.b32 %d, 1;\n    movv.b32 %d, 1;"),
        case("single quotes", "'mov.b32 %d, 1; movv.b32 %d, 1;'"),
        case("double quotes", "\"mov.b32 %d, 1; movv.b32 %d, 1;\""),
        case("folded", ">-\n    mov.b32 %d, 1;\n    movv.b32 %d, 1;"),
        case("literal with an indent", "|2\n      mov.b32 %d, 1;\n      movv.b32 %d, 1;"),
        case("escapes", "\"mov.b32 %d, 1;\\n movv.b32 %d, 1;\""),
    ]
    .concat();
    assert_data_eq!(
        errors(&text),
        str![[r#"
error: unknown opcode `movv`
 --> cases/test.yaml:3:24
  |
3 |   body: mov.b32 %d, 1; movv.b32 %d, 1;
  |                        ^^^^ expected an opcode of the PTX ISA

error: unknown opcode `movv`
 --> cases/test.yaml:8:5
  |
8 |     movv.b32 %d, 1;
  |     ^^^^ expected an opcode of the PTX ISA

error: unknown opcode `movv`
  --> cases/test.yaml:12:25
   |
12 |   body: 'mov.b32 %d, 1; movv.b32 %d, 1;'
   |                         ^^^^ expected an opcode of the PTX ISA

error: unknown opcode `movv`
  --> cases/test.yaml:16:25
   |
16 |   body: "mov.b32 %d, 1; movv.b32 %d, 1;"
   |                         ^^^^ expected an opcode of the PTX ISA

error: unknown opcode `movv`
  --> cases/test.yaml:22:5
   |
22 |     movv.b32 %d, 1;
   |     ^^^^ expected an opcode of the PTX ISA

error: unknown opcode `movv`
  --> cases/test.yaml:28:7
   |
28 |       movv.b32 %d, 1;
   |       ^^^^ expected an opcode of the PTX ISA

error: unknown opcode `movv`
  --> cases/test.yaml:32:27
   |
32 |   body: "mov.b32 %d, 1;/n movv.b32 %d, 1;"
   |                           ^^^^ expected an opcode of the PTX ISA
"#]]
    );
}

#[test]
fn a_typo_in_a_value_of_the_matrix() {
    let text = "
- case: moves
  matrix: {type: [b32, b33]}
  outputs: {d: s32}
  body: |
    mov.b32 %d, 2;
    mov.${type} %d, 1;
  rows: [{d: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: unknown [..] `.b33` of `mov`
 --> cases/test.yaml:7:8
  |
7 |     mov.${type} %d, 1;
  |        ^^^^^^^^ expected `.b16`[..]
  |
  = note: only in the variant `[type=b33]`: `${type}` is `b33`
"#]]
    );
}

#[test]
fn a_semicolon_missing_at_the_end() {
    assert_data_eq!(
        errors("- case: moves\n  outputs: {d: s32}\n  body: mov.b32 %d, 1\n  rows: [{d: 1}]\n"),
        str![[r#"
error: unexpected end of this text
 --> cases/test.yaml:3:21
  |
3 |   body: mov.b32 %d, 1
  |                     ^ expected `,` or `;`
"#]]
    );
}

#[test]
fn registers_and_declarations_that_are_wrong() {
    let text = "
- case: twice
  outputs: {d: s32}
  registers: .reg .b32 %d;
  body: mov.b32 %d, 1;
  rows: [{d: 1}]
- case: unknown type
  outputs: {d: s32}
  declarations: |
    .global .u32 ok;
    .global .u33 v;
  body: mov.b32 %d, 1;
  rows: [{d: 1}]
- case: unknown register
  outputs: {d: s32}
  body: mov.b32 %d, %e;
  rows: [{d: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: `%d` is already declared in line 14
 --> cases/test.yaml:4:24
  |
4 |   registers: .reg .b32 %d;
  |                        ^^
  |
  = note: line 14 of the program: .reg .s32 %d;

error: unknown type `.u33`
  --> cases/test.yaml:11:13
   |
11 |     .global .u33 v;
   |             ^^^^ expected a type such as `.u32`, `.b64` or `.f32`

error: `%e` is not declared
  --> cases/test.yaml:16:21
   |
16 |   body: mov.b32 %d, %e;
   |                     ^^
"#]]
    );
}

#[test]
fn a_typo_in_a_whole_program_and_in_a_file() {
    let program = "
- case: whole
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry kernel() { rett; }
  launch: {entry: kernel}
";
    assert_data_eq!(
        errors(program),
        str![[r#"
error: unknown opcode `rett`
 --> cases/test.yaml:7:32
  |
7 |     .visible .entry kernel() { rett; }
  |                                ^^^^ expected an opcode of the PTX ISA
"#]]
    );
    let case = "- {case: file, file: kernels/k.ptx, launch: {entry: kernel}}\n";
    let file = ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry kernel() { rett; }\n";
    assert_data_eq!(
        corpus_errors(&[("a/b.yaml", case), ("kernels/k.ptx", file)]),
        str![[r#"
error: unknown opcode `rett`
 --> cases/kernels/k.ptx:4:28
  |
4 | .visible .entry kernel() { rett; }
  |                            ^^^^ expected an opcode of the PTX ISA
"#]]
    );
}

#[test]
fn carets_count_characters_and_survive_windows_line_ends() {
    let text = "- case: größer, with é\r\n  outputs: {d: s32}\r\n  body: |\r\n    // é\r\n    mov.b32 /* é */ %d, %e;\r\n  rows: [{d: 1}]\r\n";
    let rendered = errors(text);
    let place = rendered.lines().nth(1).unwrap_or_default().trim().to_owned();
    assert_data_eq!(place, str!["--> cases/test.yaml:5:25"]);
}

#[test]
fn a_byte_order_mark_moves_nothing() {
    let rendered = errors("\u{feff}- case: a\n  casse: b\n  body: ret;\n  accept: [spec]\n");
    let place = rendered.lines().nth(1).unwrap_or_default().trim().to_owned();
    assert_data_eq!(place, str!["--> cases/test.yaml:2:3"]);
}

#[test]
fn numbers_that_are_none() {
    let case = "
- case: reads
  buffers: {m: {type: u8, values: {numbers: m.txt}}}
  body: ret;
  rows: [{}]
";
    assert_data_eq!(
        corpus_errors(&[("a/b.yaml", case), ("m.txt", "1 2\n3 256 # too wide\n")]),
        str![[r#"
error: buffer `m` cannot hold `256`
 --> cases/m.txt:2:3
  |
2 | 3 256 # too wide
  |   ^^^ expected 0 to 255
"#]]
    );
}
