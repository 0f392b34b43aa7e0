//! Columns, rows and sweeps.

use snapbox::{assert_data_eq, str};

use super::errors;

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
        errors(&table("{x: f32}", "{d: s32}", "[{x: 16777217, d: 1}]")),
        str![[r#"
error: input `x` cannot be `16777217`
 --> cases/test.yaml:5:14
  |
5 |   rows: [{x: 16777217, d: 1}]
  |              ^^^^^^^^ this type cannot hold it exactly, the nearest is 16777216.0: give that, 9 digits, or the bits as `0x…`
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
fn a_misspelt_undefined() {
    assert_data_eq!(
        errors(&table("{x: u32}", "{d: s32}", "[{x: 1, d: undefned}]")),
        str![[r#"
error: output `d` cannot be `undefned`
 --> cases/test.yaml:5:20
  |
5 |   rows: [{x: 1, d: undefned}]
  |                    ^^^^^^^^ expected an integer of 32 bits
  |
  = note: did you mean `undefined`?
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

error: `2` is not a tolerance
  --> cases/test.yaml:10:18
   |
10 |   tolerance: {e: 2}
   |                  ^ expected `2ulp` or `{absolute: 1e-6}`
"#]]
    );
}

/// Both ends of a range belong to it, so that the steps must lead there.
#[test]
fn a_sweep_whose_steps_miss_its_end() {
    let text = "
- case: c
  inputs: {x: s32}
  outputs: {d: s32}
  body: mov.b32 %d, %x;
  sweep: {x: {from: 0, to: 5, step: 2}}
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: input `x` of `sweep` has both ends, but 5 is not 0 and a number of steps of 2
 --> cases/test.yaml:6:14
  |
6 |   sweep: {x: {from: 0, to: 5, step: 2}}
  |              ^^^^^^^^^^^^^^^^^^^^^^^^^ the last step is at 4
"#]]
    );
}
