//! What is wrong with a corpus is said with file, line, column and a caret. One test per kind of mistake; each compares the
//! whole message, so that a caret that moves or a hint that vanishes is seen.

use std::path::Path;

use snapbox::{assert_data_eq, str};
use warpdiff::corpus;

/// The errors of a case file with this text, rendered.
fn errors(text: &str) -> String {
    let root = tempfile::tempdir().expect("a temporary folder");
    match corpus::load_text_as(Path::new("cases/test.yaml"), text.to_owned(), root.path()) {
        Ok(variants) => format!("no error: {} variants", variants.len()),
        Err(errors) => errors.render(false),
    }
}

/// The errors of a corpus of these files, rendered.
fn corpus_errors(files: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("cases");
    for (name, text) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        std::fs::write(path, text).expect("written");
    }
    match corpus::load(&root) {
        Ok(corpus) => format!("no error: {} variants", corpus.variants.len()),
        Err(errors) => errors.render(false),
    }
}

// ---- YAML -----------------------------------------------------------------------------------------------------------

#[test]
fn text_that_is_no_yaml() {
    assert_data_eq!(
        errors("- case: [open\n- case: b\n"),
        str![[r#"
error: not valid YAML: illegal placement of ':' indicator
 --> cases/test.yaml:2:7
  |
2 | - case: b
  |       ^
"#]]
    );
}

#[test]
fn a_key_that_stands_twice() {
    assert_data_eq!(
        errors("- case: a\n  case: b\n"),
        str![[r#"
error: key `case` stands here twice
 --> cases/test.yaml:2:3
  |
2 |   case: b
  |   ^^^^
"#]]
    );
}

#[test]
fn a_file_that_is_no_list() {
    assert_data_eq!(
        errors("case: a\n"),
        str![[r#"
error: a corpus file is a map
 --> cases/test.yaml:1:1
  |
1 | case: a
  | ^^^^^^^ expected a list
"#]]
    );
}

#[test]
fn a_second_document() {
    assert_data_eq!(
        errors("- case: a\n---\n- case: b\n"),
        str![[r#"
error: a second YAML document: a corpus file holds one
 --> cases/test.yaml:2:1
  |
2 | ---
  | ^^^
"#]]
    );
}

#[test]
fn a_tag() {
    assert_data_eq!(
        errors("- case: !!binary aGk=\n"),
        str![[r#"
error: unsupported: YAML tags (`!…`)
 --> cases/test.yaml:1:18
  |
1 | - case: !!binary aGk=
  |                  ^^^^
"#]]
    );
}

#[test]
fn aliases_that_multiply() {
    let mut text = String::from("- &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let alias = format!("*a{}", level - 1);
        let aliases = [alias.as_str(); 10].join(", ");
        text.push_str(&format!("- &a{level} [{aliases}]\n"));
    }
    assert_data_eq!(
        errors(&text),
        str![[r#"
error: more than 2000000 values in one file (aliases count for all they stand for)
 --> cases/test.yaml:7:8
  |
7 | - &a6 [*a5, *a5, *a5, *a5, *a5, *a5, *a5, *a5, *a5, *a5]
  |        ^^^
"#]]
    );
}

#[test]
fn an_alias_inside_itself() {
    assert_data_eq!(
        errors("- &a [*a]\n"),
        str![[r#"
error: an alias inside the node it stands for
 --> cases/test.yaml:1:7
  |
1 | - &a [*a]
  |       ^^
"#]]
    );
}

#[test]
fn nesting_without_end() {
    assert_data_eq!(
        errors(&("[".repeat(40) + &"]".repeat(40))),
        str![[r#"
error: nested more than 32 levels deep
 --> cases/test.yaml:1:33
  |
1 | [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
  |                                 ^
"#]]
    );
}

// ---- keys and forms -------------------------------------------------------------------------------------------------

#[test]
fn an_unknown_key() {
    let text = "
- case: adds
  inptus: {x: s32}
  outputs: {d: s32}
  body: mov.b32 %d, 1;
  rows: [{d: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: unknown key `inptus` of a table case
 --> cases/test.yaml:3:3
  |
3 |   inptus: {x: s32}
  |   ^^^^^^ expected one of `case`, `covers`, `why`, `isa`, `target`, `matrix`, `exclude`, `surfaces`, `buffers`, `inputs`, `outputs`, `declarations`, `registers`, `body`, `rows`, `sweep`, `launch`, `tolerance`, `expect`
  |
  = note: did you mean `inputs`?
"#]]
    );
}

#[test]
fn a_key_of_another_form() {
    let text = "
- case: adds
  outputs: {d: s32}
  body: mov.b32 %d, 1;
  rows: [{d: 1}]
  accept: [spec]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: unknown key `accept` of a table case
 --> cases/test.yaml:6:3
  |
6 |   accept: [spec]
  |   ^^^^^^ expected one of `case`, `covers`, `why`, `isa`, `target`, `matrix`, `exclude`, `surfaces`, `buffers`, `inputs`, `outputs`, `declarations`, `registers`, `body`, `rows`, `sweep`, `launch`, `tolerance`, `expect`
"#]]
    );
}

#[test]
fn no_form() {
    assert_data_eq!(
        errors("- case: adds\n  body: mov.b32 %d, 1;\n"),
        str![[r#"
error: this case has no form
 --> cases/test.yaml:1:3
  |
1 | - case: adds
  |   ^^^^^^^^^^ expected `rows` or `sweep`, `program` or `file`, `accept` or `reject`, or `declare`
"#]]
    );
}

#[test]
fn no_title() {
    let text = "- outputs: {d: s32}\n  body: mov.b32 %d, 1;\n  rows: [{d: 1}]\n";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: this case lacks `case`
 --> cases/test.yaml:1:3
  |
1 | - outputs: {d: s32}
  |   ^^^^^^^^^^^^^^^^^
"#]]
    );
}

#[test]
fn a_title_that_stands_twice() {
    let case = "- case: adds\n  outputs: {d: s32}\n  body: mov.b32 %d, 1;\n  rows: [{d: 1}]\n";
    assert_data_eq!(
        errors(&format!("{case}{case}")),
        str![[r#"
error: two cases of this file are called `adds`
 --> cases/test.yaml:5:9
  |
5 | - case: adds
  |         ^^^^
"#]]
    );
}

#[test]
fn a_case_that_is_no_map() {
    assert_data_eq!(
        errors("- adds\n"),
        str![[r#"
error: a case is a single value
 --> cases/test.yaml:1:3
  |
1 | - adds
  |   ^^^^ expected a map
"#]]
    );
}

// ---- matrix ---------------------------------------------------------------------------------------------------------

#[test]
fn an_unbound_name() {
    let text = "
- case: adds
  matrix: {type: [u32, s32]}
  outputs: {d: s32}
  body: mov.${tpye} %d, 1;
  rows: [{d: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: `${tpye}` is bound by no `matrix`
 --> cases/test.yaml:5:13
  |
5 |   body: mov.${tpye} %d, 1;
  |             ^^^^^^^
  |
  = note: did you mean `${type}`?
"#]]
    );
}

#[test]
fn a_name_that_is_not_closed() {
    let text = "
- case: adds
  outputs: {d: s32}
  body: |
    mov.${type %d, 1;
  rows: [{d: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: `${` without a `}`
 --> cases/test.yaml:5:9
  |
5 |     mov.${type %d, 1;
  |         ^^
"#]]
    );
}

#[test]
fn a_matrix_too_large() {
    let text = "
- case: adds
  matrix:
    a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    b: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    c: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    d: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    e: [0, 1]
  outputs: {d: s32}
  body: mov.b32 %d, 1;
  rows: [{d: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: `matrix` makes 20000 variants, more than 10000
 --> cases/test.yaml:4:5
  |
4 |     a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"#]]
    );
}

#[test]
fn an_exclusion_that_excludes_nothing() {
    let text = "
- case: adds
  matrix: {a: [0, 1]}
  exclude: [{a: 2}]
  outputs: {d: s32}
  body: mov.b32 %d, 1;
  rows: [{d: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: this entry of `exclude` excludes nothing
 --> cases/test.yaml:4:13
  |
4 |   exclude: [{a: 2}]
  |             ^^^^^^
"#]]
    );
}

#[test]
fn two_values_of_the_matrix_with_one_name() {
    let text = "
- case: adds
  matrix: {a: [{name: x, v: 1}, {name: x, v: 2}]}
  outputs: {d: s32}
  body: mov.b32 %d, ${a.v};
  rows: [{d: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: two values of this list have the name `x`
 --> cases/test.yaml:3:33
  |
3 |   matrix: {a: [{name: x, v: 1}, {name: x, v: 2}]}
  |                                 ^^^^^^^^^^^^^^^
"#]]
    );
}

#[test]
fn an_element_stated_twice() {
    let text = "
- case: stores
  matrix: {i: [1]}
  buffers: {m: {type: u8, values: [1, 2]}}
  body: st.global.u8 [%m], 7;
  rows: [{memory: {m: {1: 2, \"${i}\": 2}}}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: element 1 of buffer `m` stands here twice
 --> cases/test.yaml:6:30
  |
6 |   rows: [{memory: {m: {1: 2, "${i}": 2}}}]
  |                              ^^^^^^
"#]]
    );
}

#[test]
fn an_exclusion_of_an_unknown_name() {
    let text = "
- case: adds
  matrix: {type: [0, 1]}
  exclude: [{tpye: 0}]
  outputs: {d: s32}
  body: mov.b32 %d, 1;
  rows: [{d: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: `exclude` names `tpye`, which is not in `matrix`
 --> cases/test.yaml:4:14
  |
4 |   exclude: [{tpye: 0}]
  |              ^^^^ expected `type`
  |
  = note: did you mean `type`?
"#]]
    );
}

#[test]
fn texts_without_end() {
    let text = format!(
        "- case: long\n  matrix: {{a: [\"{}\"]}}\n  body: \"{}\"\n  accept: [spec]\n",
        "x".repeat(10_000),
        "${a}".repeat(1_000)
    );
    assert_data_eq!(
        errors(&text).lines().next().unwrap_or_default().to_owned(),
        str!["error: with its names replaced this text is longer than 8 MiB"]
    );
}

#[test]
fn what_stays_the_same_without_end() {
    let text = "
- case: stores
  buffers: {m: {type: u8, count: 60000000}}
  body: ret;
  rows: [{memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: the cases of this file ask for more than 512 MiB of memory
 --> cases/test.yaml:5:92
  |
5 |   rows: [{memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}]
  |                                                                                            ^^^^^^

error: the cases of this file ask for more than 512 MiB of memory
 --> cases/test.yaml:5:115
  |
5 |   rows: [{memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}]
  |                                                                                                                   ^^^^^^
"#]]
    );
}

// ---- columns and rows -----------------------------------------------------------------------------------------------

/// A table with these columns and rows.
fn table(inputs: &str, outputs: &str, rows: &str) -> String {
    format!(
        "- case: adds\n  inputs: {inputs}\n  outputs: {outputs}\n  body: mov.b32 %d, 1;\n  rows: {rows}\n"
    )
}

#[test]
fn a_value_out_of_range() {
    assert_data_eq!(
        errors(&table("{x: u8}", "{d: s32}", "[{x: 255, d: 1}, {x: 256, d: 1}]")),
        str![[r#"
error: input `x` cannot be `256`
 --> cases/test.yaml:5:30
  |
5 |   rows: [{x: 255, d: 1}, {x: 256, d: 1}]
  |                              ^^^ expected 0 to 255
"#]]
    );
}

#[test]
fn a_float_that_is_not_exact() {
    assert_data_eq!(
        errors(&table("{x: f32}", "{d: s32}", "[{x: 0.1, d: 1}]")),
        str![[r#"
error: input `x` cannot be `0.1`
 --> cases/test.yaml:5:14
  |
5 |   rows: [{x: 0.1, d: 1}]
  |              ^^^ this type cannot hold it exactly: give 9 digits, or the bits as `0x…`
"#]]
    );
}

#[test]
fn a_value_of_another_kind() {
    let rows = "[{x: [1], p: 7}, {x: one, p: true}, {x: 1, p: 7}]";
    assert_data_eq!(
        errors(&table("{x: u32, p: pred}", "{d: s32}", rows)),
        str![[r#"
error: input `x` is a list
 --> cases/test.yaml:5:14
  |
5 |   rows: [{x: [1], p: 7}, {x: one, p: true}, {x: 1, p: 7}]
  |              ^^^ expected a single value

error: input `x` cannot be `one`
 --> cases/test.yaml:5:30
  |
5 |   rows: [{x: [1], p: 7}, {x: one, p: true}, {x: 1, p: 7}]
  |                              ^^^ expected an integer of 32 bits

error: input `p` cannot be `7`
 --> cases/test.yaml:5:55
  |
5 |   rows: [{x: [1], p: 7}, {x: one, p: true}, {x: 1, p: 7}]
  |                                                       ^ expected `true` or `false`
"#]]
    );
}

#[test]
fn a_row_with_an_unknown_column() {
    assert_data_eq!(
        errors(&table("{x: u32}", "{d: s32}", "[{x: 1, e: 1}]")),
        str![[r#"
error: unknown key `e` of a row
 --> cases/test.yaml:5:17
  |
5 |   rows: [{x: 1, e: 1}]
  |                 ^ expected one of `x`, `d`, `fault`, `may-fault`, `image`, `memory`
"#]]
    );
}

#[test]
fn a_row_without_an_input() {
    assert_data_eq!(
        errors(&table("{x: u32}", "{d: s32}", "[{d: 1}]")),
        str![[r#"
error: this row lacks the input `x`
 --> cases/test.yaml:5:10
  |
5 |   rows: [{d: 1}]
  |          ^^^^^^
"#]]
    );
}

#[test]
fn an_unknown_type() {
    assert_data_eq!(
        errors(&table("{x: u33}", "{d: s32}", "[{x: 1}]")),
        str![[r#"
error: unknown type of a column `u33`
 --> cases/test.yaml:2:15
  |
2 |   inputs: {x: u33}
  |               ^^^ expected one of `b8`, `b16`, `b32`, `b64`, `u8`, `u16`, `u32`, `u64`, `s8`, `s16`, `s32`, `s64`, `f16`, `f16x2`, `bf16`, `bf16x2`, `tf32`, `f32`, `f64`, `pred`
  |
  = note: did you mean `u32`?
"#]]
    );
}

#[test]
fn columns_that_cannot_be_named_so() {
    assert_data_eq!(
        errors(&table("{tid: u32}", "{d: s32}", "[{tid: 1}]")),
        str![[r#"
error: `tid` cannot name a column
 --> cases/test.yaml:2:12
  |
2 |   inputs: {tid: u32}
  |            ^^^ this is a special register of PTX
"#]]
    );
    assert_data_eq!(
        errors(&table("{_wd_p: u32}", "{d: s32}", "[{_wd_p: 1}]")),
        str![[r#"
error: `_wd_p` cannot name a column
 --> cases/test.yaml:2:12
  |
2 |   inputs: {_wd_p: u32}
  |            ^^^^^ expected a letter, then letters, digits or `_`
"#]]
    );
    assert_data_eq!(
        errors(&table("{fault: u32}", "{d: s32}", "[{}]")),
        str![[r#"
error: a column cannot be called `fault`: that is a key of rows
 --> cases/test.yaml:2:12
  |
2 |   inputs: {fault: u32}
  |            ^^^^^
"#]]
    );
    assert_data_eq!(
        errors(&table("{d: u32}", "{d: s32}", "[{d: 1}]")),
        str![[r#"
error: two things are called `d`
 --> cases/test.yaml:3:13
  |
3 |   outputs: {d: s32}
  |             ^
"#]]
    );
}

#[test]
fn no_rows() {
    assert_data_eq!(
        errors(&table("{x: u32}", "{d: s32}", "[]")),
        str![[r#"
error: a table without rows: give `rows` or `sweep`
 --> cases/test.yaml:1:3
  |
1 | - case: adds
  |   ^^^^^^^^^^
"#]]
    );
}

#[test]
fn an_unknown_fault() {
    assert_data_eq!(
        errors(&table("{x: u32}", "{d: s32}", "[{x: 1, fault: out-of-bound}]")),
        str![[r#"
error: unknown fault class `out-of-bound`
 --> cases/test.yaml:5:24
  |
5 |   rows: [{x: 1, fault: out-of-bound}]
  |                        ^^^^^^^^^^^^ expected one of `surface-trap`, `out-of-bounds`, `misaligned`, `invalid-space`, `invalid-handle`, `illegal-instruction`, `trap`, `assert`, `stack-overflow`, `unspecified`
  |
  = note: did you mean `out-of-bounds`?
"#]]
    );
}

#[test]
fn a_fault_with_an_output() {
    assert_data_eq!(
        errors(&table("{x: u32}", "{d: s32}", "[{x: 1, d: 1, fault: trap}]")),
        str![[r#"
error: a row that must fault has no outputs
 --> cases/test.yaml:5:20
  |
5 |   rows: [{x: 1, d: 1, fault: trap}]
  |                    ^
"#]]
    );
}

#[test]
fn a_sweep_too_large() {
    let text = "
- case: adds
  inputs: {x: u32, y: u32}
  outputs: {d: s32}
  body: mov.b32 %d, 1;
  sweep: {x: {from: 0, to: 99999}, y: {from: 0, to: 99}}
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: 10000000 rows, more than 262144
 --> cases/test.yaml:6:10
  |
6 |   sweep: {x: {from: 0, to: 99999}, y: {from: 0, to: 99}}
  |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"#]]
    );
}

#[test]
fn a_sweep_out_of_range_or_empty_or_incomplete() {
    let text = "
- case: adds
  inputs: {x: u8}
  outputs: {d: s32}
  body: mov.b32 %d, 1;
  sweep: {x: {from: 250, to: 260}}
- case: subtracts
  inputs: {x: u8}
  outputs: {d: s32}
  body: mov.b32 %d, 1;
  sweep: {x: {from: 2, to: 1}}
- case: multiplies
  inputs: {x: u8, y: u8}
  outputs: {d: s32}
  body: mov.b32 %d, 1;
  sweep: {x: [1, 2]}
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: input `x` of `sweep` cannot be 256
 --> cases/test.yaml:6:14
  |
6 |   sweep: {x: {from: 250, to: 260}}
  |              ^^^^^^^^^^^^^^^^^^^^ expected 0 to 255

error: input `x` of `sweep` is empty: it goes from 2 to 1 by 1
  --> cases/test.yaml:11:14
   |
11 |   sweep: {x: {from: 2, to: 1}}
   |              ^^^^^^^^^^^^^^^^

error: `sweep` lacks `y`
  --> cases/test.yaml:16:10
   |
16 |   sweep: {x: [1, 2]}
   |          ^^^^^^^^^^^
"#]]
    );
}

#[test]
fn a_tolerance_where_none_can_be() {
    let text = "
- case: adds
  outputs: {d: s32, e: f32}
  body: mov.b32 %d, 1;
  tolerance: {d: 2ulp}
  rows: [{d: 1}]
- case: subtracts
  outputs: {d: s32, e: f32}
  body: mov.b32 %d, 1;
  tolerance: {e: 2}
  rows: [{d: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: a tolerance is for values of type `f16`, `f32` or `f64`
 --> cases/test.yaml:5:15
  |
5 |   tolerance: {d: 2ulp}
  |               ^

error: `2` is no tolerance
  --> cases/test.yaml:10:18
   |
10 |   tolerance: {e: 2}
   |                  ^ expected `2ulp` or `{absolute: 1e-6}`
"#]]
    );
}

// ---- buffers, surfaces and memory -----------------------------------------------------------------------------------

#[test]
fn an_unknown_format() {
    let text = "
- case: loads
  surfaces:
    image: {geometry: 2d, extent: [4, 3], format: u32x3, texels: sequence}
  outputs: {d: s32}
  body: mov.b32 %d, 1;
  rows: [{d: 1}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: unknown texel format `u32x3`: expected a channel type (u8 u16 u32 s8 s16 s32 f16 f32 unorm8 unorm16 snorm8 snorm16), alone or followed by x2 or x4
 --> cases/test.yaml:4:51
  |
4 |     image: {geometry: 2d, extent: [4, 3], format: u32x3, texels: sequence}
  |                                                   ^^^^^
"#]]
    );
}

#[test]
fn surfaces_of_the_wrong_shape() {
    let text = "
- case: layers of a surface without them
  surfaces: {image: {geometry: 2d, extent: [4, 3], layers: 2, format: u32}}
  body: ret;
  rows: [{}]
- case: an array without layers
  surfaces: {image: {geometry: a2d, extent: [4, 3], format: u32}}
  body: ret;
  rows: [{}]
- case: a dimension missing
  surfaces: {image: {geometry: 3d, extent: [4, 3], format: u32}}
  body: ret;
  rows: [{}]
- case: a dimension too many
  surfaces: {image: {geometry: 1d, extent: [4, 3], format: u32}}
  body: ret;
  rows: [{}]
- case: too large
  surfaces: {image: {geometry: 3d, extent: [4096, 4096, 64], format: u32x4}}
  body: ret;
  rows: [{}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: surface `image` has layers, but its geometry has none
 --> cases/test.yaml:3:60
  |
3 |   surfaces: {image: {geometry: 2d, extent: [4, 3], layers: 2, format: u32}}
  |                                                            ^

error: surface `image` lacks `layers`
 --> cases/test.yaml:7:21
  |
7 |   surfaces: {image: {geometry: a2d, extent: [4, 3], format: u32}}
  |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: `extent` of surface `image` has 2 numbers
  --> cases/test.yaml:11:44
   |
11 |   surfaces: {image: {geometry: 3d, extent: [4, 3], format: u32}}
   |                                            ^^^^^^ this geometry has 3

error: surface `image` has more dimensions than its geometry
  --> cases/test.yaml:15:48
   |
15 |   surfaces: {image: {geometry: 1d, extent: [4, 3], format: u32}}
   |                                                ^ expected 1, or nothing

error: surface `image` has 17179869184 bytes, more than 67108864
  --> cases/test.yaml:19:21
   |
19 |   surfaces: {image: {geometry: 3d, extent: [4096, 4096, 64], format: u32x4}}
   |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"#]]
    );
}

#[test]
fn contents_that_do_not_fit() {
    let text = "
- case: too many
  buffers: {m: {type: u16, count: 2, values: [1, 2, 3]}}
  body: ret;
  rows: [{}]
- case: too wide
  buffers: {m: {type: u16, values: [1, 65536]}}
  body: ret;
  rows: [{}]
- case: how many
  buffers: {m: {type: u16, values: sequence}}
  body: ret;
  rows: [{}]
- case: taken
  buffers: {out: {type: u16, count: 1}}
  body: ret;
  rows: [{}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: 3 values for buffer `m`
 --> cases/test.yaml:3:46
  |
3 |   buffers: {m: {type: u16, count: 2, values: [1, 2, 3]}}
  |                                              ^^^^^^^^^ it has 2 elements

error: element 1 of buffer `m` cannot be `65536`
 --> cases/test.yaml:7:40
  |
7 |   buffers: {m: {type: u16, values: [1, 65536]}}
  |                                        ^^^^^ expected 0 to 65535

error: buffer `m` lacks `count`
  --> cases/test.yaml:11:16
   |
11 |   buffers: {m: {type: u16, values: sequence}}
   |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: the name `out` is taken by the harness
  --> cases/test.yaml:15:13
   |
15 |   buffers: {out: {type: u16, count: 1}}
   |             ^^^
"#]]
    );
}

#[test]
fn memory_that_is_not_there() {
    let text = "
- case: stores
  buffers: {m: {type: u16, count: 2}}
  body: ret;
  rows:
    - {memory: {n: [0, 0]}}
    - {memory: {m: [0, 0, 0]}}
    - {memory: {m: {2: 0}}}
    - {image: {m: [0]}}
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: no buffer is called `n`
 --> cases/test.yaml:6:17
  |
6 |     - {memory: {n: [0, 0]}}
  |                 ^ expected `m`

error: 3 values for buffer `m`
 --> cases/test.yaml:7:20
  |
7 |     - {memory: {m: [0, 0, 0]}}
  |                    ^^^^^^^^^ it has 2 elements

error: `2` is no element of buffer `m`
 --> cases/test.yaml:8:21
  |
8 |     - {memory: {m: {2: 0}}}
  |                     ^ expected an index below 2 or `numbers`

error: no surface is called `m`
 --> cases/test.yaml:9:16
  |
9 |     - {image: {m: [0]}}
  |                ^ nothing of that kind is known here
"#]]
    );
}

#[test]
fn what_rows_together_and_apart_cannot_state() {
    let text = "
- case: stores
  buffers: {m: {type: u16, count: 2}}
  launch: together
  body: ret;
  rows: [{memory: {m: [0, 0]}}]
- case: loads
  buffers: {m: {type: u16, count: 2}}
  body: ret;
  rows: [{}]
  expect: {memory: {m: [0, 0]}}
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: rows that are launched together share one outcome: state it in `expect` of the case
 --> cases/test.yaml:6:11
  |
6 |   rows: [{memory: {m: [0, 0]}}]
  |           ^^^^^^

error: `expect` is for rows launched together: isolated rows state what they leave behind
  --> cases/test.yaml:11:3
   |
11 |   expect: {memory: {m: [0, 0]}}
   |   ^^^^^^
"#]]
    );
}

#[test]
fn memory_without_end() {
    let text = "
- case: loads
  matrix: {a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], b: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}
  buffers: {m: {type: u8, count: 50000000}}
  body: ret;
  rows: [{}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: the cases of this file ask for more than 512 MiB of memory
 --> cases/test.yaml:4:16
  |
4 |   buffers: {m: {type: u8, count: 50000000}}
  |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^
"#]]
    );
}

// ---- whole programs, legality, declarations -------------------------------------------------------------------------

/// A whole program with these further keys.
fn whole(rest: &str) -> String {
    format!(
        "- case: stores
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .global .u32 v;
    .visible .entry kernel(.param .u64 out, .param .u32 n) {{ ret; }}
  buffers: {{out: {{type: u32, count: 4}}}}
{rest}"
    )
}

#[test]
fn an_unknown_entry() {
    assert_data_eq!(
        errors(&whole("  launch: {entry: kernal, arguments: [{buffer: out}, {u32: 1}]}\n")),
        str![[r#"
error: the program has no entry `kernal`
 --> cases/test.yaml:9:19
  |
9 |   launch: {entry: kernal, arguments: [{buffer: out}, {u32: 1}]}
  |                   ^^^^^^ expected `kernel`
  |
  = note: did you mean `kernel`?
"#]]
    );
}

#[test]
fn arguments_that_do_not_fit() {
    assert_data_eq!(
        errors(&whole("  launch: {entry: kernel, arguments: [{buffer: out}]}\n")),
        str![[r#"
error: `arguments` has 1 entries
 --> cases/test.yaml:9:38
  |
9 |   launch: {entry: kernel, arguments: [{buffer: out}]}
  |                                      ^^^^^^^^^^^^^^^ `kernel` has 2 parameters
"#]]
    );
    assert_data_eq!(
        errors(&whole("  launch: {entry: kernel, arguments: [{buffer: out}, {u64: 1}]}\n")),
        str![[r#"
error: argument 1 does not fit parameter `n`
 --> cases/test.yaml:9:38
  |
9 |   launch: {entry: kernel, arguments: [{buffer: out}, {u64: 1}]}
  |                                      ^^^^^^^^^^^^^^^^^^^^^^^^^ expected 4 bytes
"#]]
    );
    assert_data_eq!(
        errors(&whole("  launch: {entry: kernel, arguments: [{buffer: ou}, {u32: 1}]}\n")),
        str![[r#"
error: no buffer is called `ou`
 --> cases/test.yaml:9:48
  |
9 |   launch: {entry: kernel, arguments: [{buffer: ou}, {u32: 1}]}
  |                                                ^^ expected `out`
  |
  = note: did you mean `out`?
"#]]
    );
    assert_data_eq!(
        errors(&whole("  launch: {entry: kernel, arguments: [{bufer: out}, {u32: 1}]}\n")),
        str![[r#"
error: unknown kind of argument `bufer`
 --> cases/test.yaml:9:40
  |
9 |   launch: {entry: kernel, arguments: [{bufer: out}, {u32: 1}]}
  |                                        ^^^^^ expected one of `buffer`, `surface`, `surfref`, `bytes`, `u32`, `s32`, `u64`, `f32`, `f64`
  |
  = note: did you mean `buffer`?
"#]]
    );
}

#[test]
fn variables_that_are_not_observed() {
    let launch = "  launch: {entry: kernel, arguments: [{buffer: out}, {u32: 1}]}\n";
    assert_data_eq!(
        errors(&whole(&format!("{launch}  observe: [w]\n"))),
        str![[r#"
error: the program has no `.global` variable `w`
  --> cases/test.yaml:10:13
   |
10 |   observe: [w]
   |             ^ expected `v`
"#]]
    );
    let expect = "  expect: {variables: {v: {type: u32, values: [1]}}}\n";
    assert_data_eq!(
        errors(&whole(&format!("{launch}{expect}"))),
        str![[r#"
error: `v` is not among the variables of `observe`
  --> cases/test.yaml:10:24
   |
10 |   expect: {variables: {v: {type: u32, values: [1]}}}
   |                        ^ nothing of that kind is known here
"#]]
    );
}

#[test]
fn files_outside_the_corpus() {
    assert_data_eq!(
        errors("- case: reads\n  file: ../secret.ptx\n  launch: {entry: k}\n"),
        str![[r#"
error: `../secret.ptx` is not a plain path below the corpus
 --> cases/test.yaml:2:9
  |
2 |   file: ../secret.ptx
  |         ^^^^^^^^^^^^^
"#]]
    );
    assert_data_eq!(
        errors("- case: reads\n  file: missing.ptx\n  launch: {entry: k}\n"),
        str![[r#"
error: cannot read `missing.ptx`: No such file or directory (os error 2)
 --> cases/test.yaml:2:9
  |
2 |   file: missing.ptx
  |         ^^^^^^^^^^^
"#]]
    );
}

#[test]
fn judges_that_are_none_or_of_two_minds() {
    assert_data_eq!(
        errors("- case: a\n  body: ret;\n  accept: [ptxas]\n"),
        str![[r#"
error: nobody is called `ptxas`
 --> cases/test.yaml:3:12
  |
3 |   accept: [ptxas]
  |            ^^^^^ expected one of `spec`, `ptxas-12.9`
"#]]
    );
    assert_data_eq!(
        errors("- case: a\n  body: ret;\n  accept: [spec]\n  reject: [spec]\n"),
        str![[r#"
error: `spec` cannot both accept and reject
 --> cases/test.yaml:1:3
  |
1 | - case: a
  |   ^^^^^^^
"#]]
    );
    assert_data_eq!(
        errors("- case: a\n  body: ret;\n  reject: [spec]\n  at: nop\n"),
        str![[r#"
error: the program does not contain `nop`
 --> cases/test.yaml:4:7
  |
4 |   at: nop
  |       ^^^
"#]]
    );
}

#[test]
fn bytes_that_are_none() {
    assert_data_eq!(
        errors("- case: a\n  declare: .global .u8 x = 1;\n  bytes: {x: \"01 0g\"}\n"),
        str![[r#"
error: these are not the bytes of a variable
 --> cases/test.yaml:3:14
  |
3 |   bytes: {x: "01 0g"}
  |              ^^^^^^^ expected pairs of hexadecimal digits, or `??` for a part of an address
"#]]
    );
    assert_data_eq!(
        errors("- case: a\n  declare: .global .u8 x = 1;\n"),
        str![[r#"
error: nothing is stated: give `bytes`, `accept` or `reject`
 --> cases/test.yaml:1:3
  |
1 | - case: a
  |   ^^^^^^^
"#]]
    );
}

// ---- faults inside PTX text ------------------------------------------------------------------------------------------

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

// ---- requirements ---------------------------------------------------------------------------------------------------

const CASE: &str = "- case: a\n  covers: [add.wraps]\n  body: ret;\n  accept: [spec]\n";

#[test]
fn an_unknown_requirement() {
    let requirements = "- {id: add.wrap, kind: must, section: \"9.7.1.1\", text: Addition wraps.}\n";
    assert_data_eq!(
        corpus_errors(&[("requirements.yaml", requirements), ("arithmetic/add.yaml", CASE)]),
        str![[r#"
error: unknown requirement `add.wraps`
 --> cases/arithmetic/add.yaml:2:12
  |
2 |   covers: [add.wraps]
  |            ^^^^^^^^^ not in `requirements.yaml`
  |
  = note: did you mean `add.wrap`?
"#]]
    );
}

#[test]
fn a_requirement_nobody_covers() {
    let requirements = "
- {id: add.wraps, kind: must, section: \"9.7.1.1\", text: Addition wraps.}
- {id: sub.wraps, kind: must, section: \"9.7.1.2\", text: Subtraction wraps.}
- {id: add.fast, kind: informative, section: \"9.7.1.1\", text: Addition is fast.}
";
    assert_data_eq!(
        corpus_errors(&[("requirements.yaml", requirements), ("arithmetic/add.yaml", CASE)]),
        str![[r#"
error: no case covers requirement `sub.wraps`
 --> cases/requirements.yaml:3:8
  |
3 | - {id: sub.wraps, kind: must, section: "9.7.1.2", text: Subtraction wraps.}
  |        ^^^^^^^^^
"#]]
    );
}

#[test]
fn requirements_that_are_wrong() {
    let requirements = "
- {id: add.wraps, kind: must, section: \"9.7.1.1\", text: Addition wraps.}
- {id: add.wraps, kind: must, section: \"9.7.1.1\", text: Addition wraps.}
- {id: sub.wraps, kind: shall, section: \"9.7.1.2\", text: Subtraction wraps.}
- {id: mul.wraps, kind: unobservable, section: \"9.7.1.3\", text: Multiplication wraps.}
- {id: div wraps, kind: must, section: \"9.7.1.4\", text: Division wraps.}
- {id: rem.wraps, kind: must, text: The remainder wraps.}
";
    assert_data_eq!(
        corpus_errors(&[("requirements.yaml", requirements), ("arithmetic/add.yaml", CASE)]),
        str![[r#"
error: requirement `add.wraps` stands here twice
 --> cases/requirements.yaml:3:8
  |
3 | - {id: add.wraps, kind: must, section: "9.7.1.1", text: Addition wraps.}
  |        ^^^^^^^^^

error: unknown kind of requirement `shall`
 --> cases/requirements.yaml:4:25
  |
4 | - {id: sub.wraps, kind: shall, section: "9.7.1.2", text: Subtraction wraps.}
  |                         ^^^^^ expected one of `must`, `may`, `undefined`, `legality`, `informative`, `unobservable`

error: `mul.wraps` is unobservable: say `why`
 --> cases/requirements.yaml:5:25
  |
5 | - {id: mul.wraps, kind: unobservable, section: "9.7.1.3", text: Multiplication wraps.}
  |                         ^^^^^^^^^^^^

error: `div wraps` cannot be an id
 --> cases/requirements.yaml:6:8
  |
6 | - {id: div wraps, kind: must, section: "9.7.1.4", text: Division wraps.}
  |        ^^^^^^^^^ expected letters, digits, `.`, `-` or `_`

error: this requirement lacks `section`
 --> cases/requirements.yaml:7:3
  |
7 | - {id: rem.wraps, kind: must, text: The remainder wraps.}
  |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"#]]
    );
}

#[test]
fn a_corpus_that_is_not_there() {
    let errors = corpus::load(Path::new("/nowhere/cases")).expect_err("there is nothing");
    assert_data_eq!(
        errors.render(false),
        str![[r#"
error: cannot read `/nowhere/cases`: No such file or directory (os error 2)
 --> /nowhere/cases:1:1
  |
1 |
  | ^
"#]]
    );
}
