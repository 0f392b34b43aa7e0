//! Whole programs, legality and declarations.

use snapbox::{assert_data_eq, str};

use super::errors;

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
  |                                        ^^^^^ expected one of `buffer`, `surface`, `surfref`, `texture`, `texref`, `samplerref`, `bytes`, `u32`, `s32`, `u64`, `f32`, `f64`
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
   |                        ^ none is defined here
"#]]
    );
}

#[test]
fn variables_that_the_host_cannot_write() {
    let launch = "  launch: {entry: kernel, arguments: [{buffer: out}, {u32: 1}]}\n";
    assert_data_eq!(
        errors(&whole(&format!("{launch}  managed: {{v: {{type: u32, values: [1]}}}}\n"))),
        str![[r#"
error: the program has no `.managed` variable `v`
  --> cases/test.yaml:10:13
   |
10 |   managed: {v: {type: u32, values: [1]}}
   |             ^ none is defined here
"#]]
    );
    let managed = |write: &str| {
        let case = whole(&format!("{launch}  managed: {{v: {write}}}\n"));
        errors(&case.replace(".global .u32 v", ".global .attribute(.managed) .u32 v"))
    };
    for (write, message) in [
        ("{type: u32}", "lacks `values`"),
        ("{values: [1]}", "lacks `type`"),
        ("{type: u32, values: [1, 2]}", "2 values for variable `v`"),
        ("{type: u64, values: [1]}", "variable `v` has 4 bytes, not a whole number of elements"),
        ("{type: u32, values: [-1]}", "element 0 of variable `v` cannot be `-1`"),
        ("{type: u32, values: [1], count: 1}", "unknown key `count`"),
    ] {
        let found = managed(write);
        assert!(found.contains(message), "{write}: {found}");
    }
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
error: unknown dialect `ptxas`
 --> cases/test.yaml:3:12
  |
3 |   accept: [ptxas]
  |            ^^^^^ expected one of `spec`, `ptxas-12.9`, `encoder`
"#]]
    );
    assert_data_eq!(
        errors("- case: a\n  body: ret;\n  accept: [encoder]\n"),
        str![[r#"
error: `encoder` is for SPA 5.0: only `spec` and assemblers such as `ptxas-12.9` accept or reject programs of PTX
 --> cases/test.yaml:3:3
  |
3 |   accept: [encoder]
  |   ^^^^^^
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
fn braces_and_comments_that_end_elsewhere() {
    assert_data_eq!(
        errors("- case: a\n  covers: []\n  body: ret; }\n  accept: [spec]\n"),
        str![[r#"
error: unbalanced `}`
 --> cases/test.yaml:3:14
  |
3 |   body: ret; }
  |              ^
"#]]
    );
    assert_data_eq!(
        errors("- case: a\n  covers: []\n  declare: .global .u32 x; /* no end\n  accept: [spec]\n"),
        str![[r#"
error: a comment without its `*/`
 --> cases/test.yaml:3:28
  |
3 |   declare: .global .u32 x; /* no end
  |                            ^^
"#]]
    );
    // What somebody is to reject may be wrong in any way.
    assert_data_eq!(
        errors("- case: a\n  covers: []\n  body: ret; }\n  reject: [spec]\n"),
        "no error: 1 variants"
    );
}

#[test]
fn bytes_that_are_none() {
    assert_data_eq!(
        errors("- case: a\n  declare: .global .u8 x = 1;\n  bytes: {x: \"01 0g\"}\n"),
        str![[r#"
error: not the bytes of a variable
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
