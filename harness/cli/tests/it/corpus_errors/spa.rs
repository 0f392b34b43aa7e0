//! Tables and questions of legality whose body is of SPA 5.0.

use snapbox::{assert_data_eq, str};

use super::errors;

/// A table with this shader, columns, body and row.
fn table(shader: &str, inputs: &str, outputs: &str, body: &str, row: &str) -> String {
    format!(
        "- case: loads\n  sass: {shader}\n  inputs: {inputs}\n  outputs: {outputs}\n  body: {body}\n  rows: [{row}]\n"
    )
}

#[test]
fn a_caret_points_into_the_body() {
    assert_data_eq!(
        errors(&table("{shared: 64}", "{R1: u32}", "{R0: u32}", "LDS.64 R0, [R1 + 0x800000];", "{R1: 0}")),
        str![[r#"
error: offset 8388608 does not fit
 --> cases/test.yaml:5:20
  |
5 |   body: LDS.64 R0, [R1 + 0x800000];
  |                    ^^^^^^^^^^^^^^^ expected a signed offset of 24 bits, -0x800000 to 0x7fffff
"#]]
    );
    assert_data_eq!(
        errors(&table("{shared: 64}", "{R2: u32}", "{R3: u32}", "LDS.64 R1, [R2];", "{R2: 0}")),
        str![[r#"
error: Rd is R1, and its 2 registers are not aligned
 --> cases/test.yaml:5:9
  |
5 |   body: LDS.64 R1, [R2];
  |         ^^^^^^^^^^^^^^^^ expected R2n
"#]]
    );
}

#[test]
fn a_missing_semicolon_is_at_the_end_of_the_body() {
    assert_data_eq!(
        errors(&table("{}", "{R1: u32}", "{R0: u32}", "MOV R0, R1", "{R1: 0}")),
        str![[r#"
error: unexpected end of this text
 --> cases/test.yaml:5:18
  |
5 |   body: MOV R0, R1
  |                  ^ expected `;`
"#]]
    );
}

#[test]
fn columns_are_places() {
    let column =
        |inputs: &str| errors(&table("{registers: 16, shared: 32}", inputs, "{R0: u32}", "NOP;", "{}"));
    for (inputs, message) in [
        ("{x: u32}", "`x` is not a column"),
        ("{R1': u32}", "`R1'` is not a column"),
        ("{R16: u32}", "the shader has only 16 registers"),
        ("{R3: u64}", "a column of 8 bytes is not aligned there"),
        ("{R2: u64, R3: u32}", "this overlaps the column `R2`"),
        ("{shared.30: u32}", "the shader has only 32 bytes of shared memory"),
        ("{shared.2: u32}", "a column of 4 bytes is not aligned there"),
        ("{local.0: u8}", "the shader has only 0 bytes of local memory"),
        ("{P0: u32}", "`P0` to `P6` have the type `pred`, and nothing else has it"),
        ("{R0: pred}", "`P0` to `P6` have the type `pred`, and nothing else has it"),
    ] {
        assert_eq!(errors_of(&column(inputs)), message, "{inputs}");
    }
}

/// The message of the first error.
fn errors_of(shown: &str) -> &str {
    shown.lines().next().unwrap_or_default().trim_start_matches("error: ")
}

#[test]
fn what_a_shader_cannot_be() {
    let first = |text: &str| errors_of(&errors(text)).to_owned();
    let simple = |shader: &str| first(&table(shader, "{R1: u32}", "{R0: u32}", "NOP;", "{R1: 1}"));
    assert_eq!(simple("{registers: 256}"), "`registers` is 256");
    assert_eq!(simple("{memory: 4}"), "unknown key `memory` of `sass`");
    assert_eq!(simple("{shader: vertex}"), "unknown shader `vertex`");
    assert_eq!(
        simple("{registers: 4}"),
        "the harness needs two aligned pairs of registers that are not an input: raise `registers`"
    );
    let graphics = table("{shader: graphics}", "{R1: u32}", "{R0: u32}", "LDS R0, [R1];", "{R1: 1}");
    assert_eq!(first(&graphics), "`LDS` in a shader that has no shared memory");
    let version =
        "- case: a\n  sass: {}\n  isa: 8.0\n  body: NOP;\n  outputs: {R0: u32}\n  rows: [{R0: 1}]\n";
    assert_eq!(first(version), "`isa` is for PTX programs");
    let together = "- case: a\n  sass: {shared: 4}\n  launch: together\n  inputs: {shared.0: u32}\n  body: NOP;\n  rows: [{shared.0: 1}]\n";
    assert_eq!(
        first(together),
        "rows launched together share their memory, so it cannot be an input: let the body store the values"
    );
}

#[test]
fn only_the_text_accepts_or_rejects() {
    let case = |who: &str| {
        format!("- case: a\n  sass: {{}}\n  body: ATOMS.CAST.SPIN.U32 R0, [R4 + 0x18], R4, R6;\n  {who}\n")
    };
    assert_eq!(errors(&case("reject: {spec: does not follow Rb}")), "no error: 1 variants");
    let shown = errors(&case("reject: [ptxas-12.9]"));
    let message = "no assembler takes programs of SPA 5.0: only `spec` and `encoder` accept or reject them";
    assert_eq!(errors_of(&shown), message);
}
