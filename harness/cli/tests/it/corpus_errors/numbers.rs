//! Files of values: what is wrong in one is shown there, what does not fit the region at the case.

use snapbox::{assert_data_eq, str};

use super::{corpus_errors, errors};

/// The errors of a case whose buffer of two `u32` holds `memory` afterwards, beside a file `m.txt` and a file `m.bin` with these contents.
fn stating(memory: &str, file: &str) -> String {
    let case = format!(
        "- case: stores\n  buffers: {{m: {{type: u32, count: 2}}}}\n  body: ret;\n  rows:\n    - {{memory: {{m: {memory}}}}}\n"
    );
    corpus_errors(&[("a/b.yaml", &case), ("m.txt", file), ("m.bin", file)])
}

/// The errors of a case whose region begins with `{numbers: m.txt}`.
fn beginning(region: &str, file: &str) -> String {
    let case = format!("- case: reads\n  {region}\n  body: ret;\n  rows: [{{}}]\n");
    corpus_errors(&[("a/b.yaml", &case), ("m.txt", file)])
}

#[test]
fn a_word_that_is_no_value() {
    assert_data_eq!(
        stating("{numbers: m.txt}", "1 # one\n  undefind\n"),
        str![[r#"
error: buffer `m` cannot hold `undefind`
 --> cases/m.txt:2:3
  |
2 |   undefind
  |   ^^^^^^^^ expected an integer of 32 bits
"#]]
    );
    assert_data_eq!(
        stating("{numbers: m.txt}", "1 {any: [1, -2]}\n"),
        str![[r#"
error: buffer `m` cannot hold `{any: [1, -2]}`
 --> cases/m.txt:1:3
  |
1 | 1 {any: [1, -2]}
  |   ^^^^^^^^^^^^^^ expected 0 to 4294967295
"#]]
    );
    assert_data_eq!(
        stating("{numbers: m.txt}", "1 {any: [1,\n2]}\n"),
        str![[r#"
error: buffer `m` cannot hold `{any: [1,`
 --> cases/m.txt:1:3
  |
1 | 1 {any: [1,
  |   ^^^^^^^^^ expected `{any: [a, b]}` on one line
"#]]
    );
    assert_data_eq!(
        stating("{numbers: m.txt}", "1\n{any: []} # which?\n"),
        str![[r#"
error: buffer `m` cannot hold `{any: []}`
 --> cases/m.txt:2:1
  |
2 | {any: []} # which?
  | ^^^^^^^^^ `any` needs an alternative: expected `{any: [a, b]}`
"#]]
    );
    for list in ["[1,,2]", "[,]", "[ , 1]"] {
        let error = stating("{numbers: m.txt}", &format!("1 {{any: {list}}}\n"));
        assert!(error.contains("^ expected a value before each comma"), "{error}");
    }
    // The loader accepts what YAML does: the reference does not run here.
    assert_eq!(stating("{numbers: m.txt}", "1 {any: [1, 2,]}\n"), "no error: 1 variants");
    assert!(stating("{numbers: m.txt}", "1 {all: [1]}\n").contains("expected `{any: [a, b]}`"));
    assert!(stating("{numbers: m.txt}", "1 any-nan\n").contains("expected an integer"), "no float");
}

#[test]
fn a_range_of_values_has_two_ends() {
    let of_float = |stated: &str| {
        errors(&format!(
            "- case: a\n  why: w\n  inputs: {{x: f32}}\n  outputs: {{d: f32}}\n  body: ex2.approx.f32 %d, %x;\n  rows: [{{x: 1.0, d: {stated}}}]\n"
        ))
    };
    assert_data_eq!(
        of_float("{between: [1.5]}"),
        str![[r#"
error: `between` needs two numbers, the least and the greatest
 --> cases/test.yaml:6:32
  |
6 |   rows: [{x: 1.0, d: {between: [1.5]}}]
  |                                ^^^^^
"#]]
    );
    assert_data_eq!(
        of_float("{between: [2.5, 1.5]}"),
        str![[r#"
error: the least number of `between` comes first
 --> cases/test.yaml:6:32
  |
6 |   rows: [{x: 1.0, d: {between: [2.5, 1.5]}}]
  |                                ^^^^^^^^^^
"#]]
    );
    assert_data_eq!(
        of_float("{between: [1.5, nan]}"),
        str![[r#"
error: `between` needs two numbers, the least and the greatest
 --> cases/test.yaml:6:38
  |
6 |   rows: [{x: 1.0, d: {between: [1.5, nan]}}]
  |                                      ^^^
"#]]
    );
    assert_data_eq!(
        of_float("{between: [1.5, 2.5], any: [2.0]}"),
        str![[r#"
error: unknown key `any` of output `d`
 --> cases/test.yaml:6:44
  |
6 |   rows: [{x: 1.0, d: {between: [1.5, 2.5], any: [2.0]}}]
  |                                            ^^^ expected `between`
"#]]
    );
    assert_data_eq!(
        stating("[{between: [1, 2]}, ~]", ""),
        str![[r#"
error: element 0 of buffer `m` cannot have a range of values
 --> cases/a/b.yaml:5:21
  |
5 |     - {memory: {m: [{between: [1, 2]}, ~]}}
  |                     ^^^^^^^^^^^^^^^^^ only a floating-point number is specified within a bound
"#]]
    );
}

#[test]
fn another_number_of_elements() {
    assert_data_eq!(
        stating("{numbers: m.txt, 1: 5}", "1 2 ~\n"),
        str![[r#"
error: 3 values for buffer `m`
 --> cases/a/b.yaml:5:20
  |
5 |     - {memory: {m: {numbers: m.txt, 1: 5}}}
  |                    ^^^^^^^^^^^^^^^^^^^^^^ it has 2 elements
"#]]
    );
    assert_data_eq!(
        stating("{numbers: m.bin}", "twelve bytes"),
        str![[r#"
error: 3 values for buffer `m`
 --> cases/a/b.yaml:5:20
  |
5 |     - {memory: {m: {numbers: m.bin}}}
  |                    ^^^^^^^^^^^^^^^^ it has 2 elements
"#]]
    );
    assert_data_eq!(
        stating("{numbers: m.bin}", "thirteen byte"),
        str![[r#"
error: `m.bin` has 13 bytes
 --> cases/a/b.yaml:5:30
  |
5 |     - {memory: {m: {numbers: m.bin}}}
  |                              ^^^^^ an element of buffer `m` has 4
"#]]
    );
    assert!(stating("{numbers: n.bin}", "").contains("cannot read `n.bin`"));
}

#[test]
fn elements_beside_a_file_that_are_not_there() {
    assert_data_eq!(
        stating("{numbers: m.txt, 2: 5}", "1 2\n"),
        str![[r#"
error: `2` is not an element of buffer `m`
 --> cases/a/b.yaml:5:37
  |
5 |     - {memory: {m: {numbers: m.txt, 2: 5}}}
  |                                     ^ expected an index below 2 or `numbers`
"#]]
    );
    assert_data_eq!(
        stating("{numbers: m.txt, 1: 5, 0x1: 6}", "1 2\n"),
        str![[r#"
error: element 1 of buffer `m` appears twice
 --> cases/a/b.yaml:5:43
  |
5 |     - {memory: {m: {numbers: m.txt, 1: 5, 0x1: 6}}}
  |                                           ^^^
"#]]
    );
}

#[test]
fn a_launch_begins_with_values() {
    let buffer = "buffers: {m: {type: u32, values: {numbers: m.txt}}}";
    assert_data_eq!(
        beginning(buffer, "1 {any: [1, 2]}\n"),
        str![[r#"
error: element 1 of buffer `m` has no single value
 --> cases/m.txt:1:3
  |
1 | 1 {any: [1, 2]}
  |   ^^^^^^^^^^^^^ expected a value: the launch begins with it
"#]]
    );
    assert!(beginning(buffer, "1 ~\n").contains("element 1 of buffer `m` has no single value"));
    let surface = "surfaces: {s: {geometry: 1d, extent: [2], format: u32, texels: {numbers: m.txt}}}";
    assert_data_eq!(
        beginning(surface, "1 undefined\n"),
        str![[r#"
error: element 1 of surface `s` cannot be `undefined`
 --> cases/m.txt:1:3
  |
1 | 1 undefined
  |   ^^^^^^^^^ only elements of buffers can
"#]]
    );
}
