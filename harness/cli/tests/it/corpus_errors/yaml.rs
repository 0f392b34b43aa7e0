//! Text that is no YAML, keys and forms, the matrix, and numbers.

use snapbox::{assert_data_eq, str};

use super::{errors, errors_of_lines};

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
fn a_tab_before_a_key() {
    assert_data_eq!(
        errors("- case: a\n\tcovers: [x]\n"),
        str![[r#"
error: not valid YAML: while scanning a plain scalar, found a tab
 --> cases/test.yaml:2:1
  |
2 |     covers: [x]
  | ^^^^
"#]]
    );
}

#[test]
fn a_key_that_stands_twice() {
    assert_data_eq!(
        errors("- case: a\n  case: b\n"),
        str![[r#"
error: key `case` appears twice
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

#[test]
fn an_unknown_key() {
    let lines = "
  inptus: {x: s32}
";
    assert_data_eq!(
        errors_of_lines(lines),
        str![[r#"
error: unknown key `inptus` of a table case
 --> cases/test.yaml:3:3
  |
3 |   inptus: {x: s32}
  |   ^^^^^^ expected one of `case`, `covers`, `why`, `question`, `isa`, `target`, `matrix`, `exclude`, `limits`, `surfaces`, `textures`, `buffers`, `inputs`, `outputs`, `declarations`, `registers`, `body`, `rows`, `sweep`, `launch`, `tolerance`, `expect`, `observations`
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
  |   ^^^^^^ expected one of `case`, `covers`, `why`, `question`, `isa`, `target`, `matrix`, `exclude`, `limits`, `surfaces`, `textures`, `buffers`, `inputs`, `outputs`, `declarations`, `registers`, `body`, `rows`, `sweep`, `launch`, `tolerance`, `expect`, `observations`
"#]]
    );
}

#[test]
fn no_form() {
    assert_data_eq!(
        errors("- case: adds\n  body: mov.b32 %d, 1;\n"),
        str![[r#"
error: the keys of this case fit no form
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
error: no `matrix` binds `${tpye}`
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
    let lines = "
  matrix:
    a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    b: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    c: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    d: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    e: [0, 1]
";
    assert_data_eq!(
        errors_of_lines(lines),
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
    let lines = "
  matrix: {a: [0, 1]}
  exclude: [{a: 2}]
";
    assert_data_eq!(
        errors_of_lines(lines),
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
error: element 1 of buffer `m` appears twice
 --> cases/test.yaml:6:30
  |
6 |   rows: [{memory: {m: {1: 2, "${i}": 2}}}]
  |                              ^^^^^^
  |
  = note: in the variant `[i=1]`: `${i}` is `1`
"#]]
    );
}

#[test]
fn an_exclusion_of_an_unknown_name() {
    let lines = "
  matrix: {type: [0, 1]}
  exclude: [{tpye: 0}]
";
    assert_data_eq!(
        errors_of_lines(lines),
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
error: the cases of this file need more than 512 MiB of memory
 --> cases/test.yaml:5:92
  |
5 |   rows: [{memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}]
  |                                                                                            ^^^^^^

error: the cases of this file need more than 512 MiB of memory
 --> cases/test.yaml:5:115
  |
5 |   rows: [{memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}, {memory: {m: {0: 0}}}]
  |                                                                                                                   ^^^^^^
"#]]
    );
}
