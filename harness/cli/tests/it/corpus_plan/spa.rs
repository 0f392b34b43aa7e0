//! What tables of SPA 5.0 become. The programs are written out by hand from the format's description in cases/README.md.

use std::path::Path;

use warpdiff_corpus::plan::{PlannedLaunch, Variant, Work};
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::Argument;

use super::launches;

fn variants(text: &str) -> Vec<Variant> {
    super::variants_of("spa/test.yaml", text)
}

#[test]
fn a_table_becomes_a_program_around_its_body() {
    let launches = launches(
        "
- case: loads
  sass: {registers: 20, shared: 32, local: 8}
  inputs: {R2: u64, R4: s8, P1: pred, shared.16: u32}
  outputs: {R0: u32, P2: pred, local.4: u16}
  body: |
    LDS.U.32 R0, [R4 + 16];
    EXIT;
  rows:
    - {R2: 1, R4: -1, P1: true, shared.16: 5, R0: 5}
    - {R2: 2, R4: 0, P1: false, shared.16: 6, P2: true, local.4: undefined}
",
    );
    // Records: R2 at 0, R4 at 8, P1 at 9, shared.16 at 12: 16 bytes. R0 at 0, P2 at 4, local.4 at 6: 8 bytes.
    let expected = "\
.spa 5.0
.shader compute
.registers 20
.shared 32
.local 8

// the inputs of this row
    S2R R18, SR_TID.X;
    SHL R18, R18, 0x4;
    IADD R18.CC, R18, c[0x0][0x148];
    IADD.X R19, RZ, c[0x0][0x14c];
    LDG.E.64 R2, [R18+0x0];
    LDG.E.S8 R4, [R18+0x8];
    LDG.E.U8 R16, [R18+0x9];
    ISETP.NE.AND P1, PT, R16, RZ, PT;
    LDG.E R16, [R18+0xc];
    STS [0x10], R16;

// the body of the case
    LDS.U.32 R0, [R4 + 16];
    EXIT;

// the outputs of this row
    S2R R18, SR_TID.X;
    SHL R18, R18, 0x3;
    IADD R18.CC, R18, c[0x0][0x150];
    IADD.X R19, RZ, c[0x0][0x154];
    STG.E [R18+0x0], R0;
    SEL R16, RZ, 0x1, !P2;
    STG.E.U8 [R18+0x4], R16;
    LDL.U16 R16, [0x4];
    STG.E.U16 [R18+0x6], R16;
    EXIT;
";
    // The rows have shared memory: each has a launch of its own.
    assert_eq!(launches.len(), 2);
    assert_eq!(&*launches[0].launch.program, expected);
    let launch = &launches[1].launch;
    assert_eq!((launch.block, launch.grid), ([1, 1, 1], [1, 1, 1]));
    assert_eq!(
        launch.arguments,
        [
            Argument::Value(vec![1, 0, 0, 0]),
            Argument::Buffer { index: 0, offset: 0 },
            Argument::Buffer { index: 1, offset: 0 },
        ]
    );
    assert_eq!(launch.buffers[0].bytes, [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0]);
    assert_eq!(launch.buffers[1].bytes, [0; 8]);
    assert_eq!(launches[1].expectations.len(), 2);
}

#[test]
fn the_harness_keeps_out_of_a_schedule() {
    // The body uses barriers 5 and 4: the harness waits for its own loads by 3.
    let launches = launches(
        "
- case: waits
  sass: {registers: 8, shared: 4}
  inputs: {R1: u32}
  outputs: {R0: u32}
  body: |
    LDS R0, [R1] &wr=5 &rd=4 ?WAIT2;
    NOP &req={5};
  rows: [{R1: 0}]
",
    );
    let expected = "\
// the inputs of this row
    S2R R6, SR_TID.X &req={3} &wr=3 ?WAIT15;
    SHL R6, R6, 0x2 &req={3} ?WAIT15;
    IADD R6.CC, R6, c[0x0][0x148] &req={3} ?WAIT15;
    IADD.X R7, RZ, c[0x0][0x14c] &req={3} ?WAIT15;
    LDG.E R1, [R6+0x0] &req={3} &wr=3 ?WAIT15;
    NOP &req={3} ?WAIT15;

// the body of the case
    LDS R0, [R1] &wr=5 &rd=4 ?WAIT2;
    NOP &req={5};

// the outputs of this row
    S2R R6, SR_TID.X &req={3} &wr=3 ?WAIT15;
    SHL R6, R6, 0x2 &req={3} ?WAIT15;
    IADD R6.CC, R6, c[0x0][0x150] &req={3} ?WAIT15;
    IADD.X R7, RZ, c[0x0][0x154] &req={3} ?WAIT15;
    STG.E [R6+0x0], R0 &req={3} &rd=3 ?WAIT15;
    EXIT &req={3} ?WAIT15;
";
    assert!(launches[0].launch.program.ends_with(expected), "{}", launches[0].launch.program);
}

#[test]
fn rows_share_launches_where_they_cannot_meet() {
    let case = |body: &str, together: &str| {
        launches(&format!(
            "
- case: moves
  sass: {{shared: 64, local: 64}}
{together}
  inputs: {{R1: u32}}
  outputs: {{R0: u32}}
  body: {body}
  sweep: {{R1: {{from: 0, to: 199}}}}
"
        ))
    };
    let rows = |planned: &[PlannedLaunch]| -> Vec<usize> { planned.iter().map(|p| p.rows.len()).collect() };
    assert_eq!(rows(&case("LDL R0, [R1];", "")), [128, 72]);
    assert_eq!(rows(&case("LDS R0, [R1];", "")).len(), 200);
    assert_eq!(rows(&case("S2R R0, SR_TID.X;", "")).len(), 200);
    let together = case("ATOMS.ADD R0, [0x0], R1;", "  launch: together");
    assert_eq!((rows(&together), together[0].launch.block), (vec![200], [200, 1, 1]));
}

#[test]
fn rows_that_meet_wait_for_each_other_before_memory_is_read() {
    let launches = launches(
        "
- case: adds
  sass: {registers: 8, shared: 4}
  launch: together
  outputs: {shared.0: u32}
  body: ATOMS.ADD RZ, [0x0], R0;
  rows: [{}, {}]
",
    );
    let program = &launches[0].launch.program;
    let epilogue = "// the outputs of this row\n    BAR.SYNC 0x0;\n    S2R R6, SR_TID.X;\n";
    assert!(program.contains(epilogue), "{program}");
    // Without inputs the buffer of outputs is the second parameter.
    assert!(program.contains("IADD R6.CC, R6, c[0x0][0x148];"), "{program}");
    assert!(program.contains("LDS R4, [0x0];\n    STG.E [R6+0x0], R4;"), "{program}");
}

#[test]
fn the_text_rejects_its_own_last_example() {
    let case = |register: &str, who: &str| {
        let text = format!(
            "- case: a\n  sass: {{}}\n  body: ATOMS.CAST.SPIN.U32 R0, [R4 + 0x18], R4, {register};\n  {who}\n"
        );
        let Work::Legality(legality) = variants(&text).remove(0).work else { panic!("legality expected") };
        warpdiff_judge::legality::verdict(&legality).raw
    };
    assert_eq!(case("R6", "reject: {spec: does not follow Rb}"), Raw::Conforms);
    assert_eq!(case("R6", "accept: [spec]"), Raw::Contradicted);
    assert_eq!(case("R5", "accept: [spec]"), Raw::Conforms);
    assert_eq!(case("R5", "reject: [spec]"), Raw::Contradicted);
}

// The sum is undefined because nobody waits for barrier 0: the error at the stated 6 says so.
#[test]
fn a_contradiction_names_what_nobody_waits_for() {
    let variants = variants(
        "
- case: a
  sass: {shared: 8}
  inputs: {shared.4: u32}
  outputs: {R1: u32}
  body: |
    LDS R0, [0x4] &wr=0;
    IADD R1, R0, 0x1;
  rows:
    - {shared.4: 5, R1: 6}
",
    );
    let session = warpdiff_session::session::run(&variants.iter().collect::<Vec<_>>(), &[], &|| ());
    let verdict = &session.verdicts[0].reference;
    assert_eq!(verdict.raw, Raw::Contradicted);
    let notes = &verdict.problems[0].notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with("`IADD R1, R0, 0x1;`, line "), "{notes:?}");
    assert!(
        notes[0].contains(" reads `R0` without waiting for barrier 0, with which `LDS R0, [0x4] &wr=0;`"),
        "{notes:?}"
    );
}

/// What is wrong with a corpus file.
fn refusal(text: &str) -> String {
    let root = tempfile::tempdir().expect("a temporary folder");
    match warpdiff_corpus::load_text_as(Path::new("spa/test.yaml"), text.to_owned(), root.path()) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(errors) => errors.render(false),
    }
}

#[test]
fn buffers_have_their_addresses_in_registers() {
    let launches = launches(
        "
- case: stores
  sass: {registers: 16}
  buffers: {first: {type: u32, values: [1, 2]}, second: {type: u8, count: 8, values: zero}}
  addresses: {R6: second, R4: first}
  inputs: {R0: u32}
  body: STG.E [R4], R0;
  rows:
    - {R0: 1, memory: {first: [1, 2]}}
    - {R0: 3}
",
    );
    // Parameters: the number of rows, `in`, then the addresses in their order.
    let expected = "
// the addresses of buffers
    MOV R6, c[0x0][0x150];
    MOV R7, c[0x0][0x154];
    MOV R4, c[0x0][0x158];
    MOV R5, c[0x0][0x15c];

// the body of the case
    STG.E [R4], R0;
";
    // A body that stores has a launch for each row, with buffers of its own.
    assert_eq!(launches.len(), 2);
    let launch = &launches[1].launch;
    assert!(launch.program.contains(expected), "{}", launch.program);
    let names: Vec<&str> = launch.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    assert_eq!(names, ["in", "first", "second"]);
    let expected = [1, 2].map(|index| Argument::Buffer { index, offset: 0 });
    assert_eq!(launch.arguments[2..], [expected[1].clone(), expected[0].clone()]);
}

#[test]
fn a_whole_program_is_a_launch() {
    let launches = launches(
        "
- case: stores
  sass: {registers: 8, shared: 4}
  program: |
    MOV R0, c[0x0][0x148];
    EXIT;
  buffers: {out: {type: u32, values: [0]}}
  launch: {grid: [2, 3], block: [4], arguments: [{buffer: out, offset: 4}, {u32: 7}]}
",
    );
    let launch = &launches[0].launch;
    let expected =
        ".spa 5.0\n.shader compute\n.registers 8\n.shared 4\n.local 0\n\nMOV R0, c[0x0][0x148];\nEXIT;\n";
    assert_eq!(&*launch.program, expected);
    assert_eq!((launch.grid, launch.block), ([2, 3, 1], [4, 1, 1]));
    let expected = [Argument::Buffer { index: 0, offset: 4 }, Argument::Value(vec![7, 0, 0, 0])];
    assert_eq!(launch.arguments, expected);
    // What stands in the program needs no `sass`.
    let own = super::launches("\n- case: own\n  program: |\n    .spa 5.0\n    EXIT;\n  launch: {}\n");
    assert_eq!(&*own[0].launch.program, ".spa 5.0\nEXIT;\n");
}

#[test]
fn what_a_program_of_spa_cannot_have_is_refused_where_it_stands() {
    let table =
        |keys: &str| format!("\n- case: x\n  sass: {{registers: 8}}\n{keys}  body: EXIT;\n  rows: [{{}}]\n");
    let buffer = "  buffers: {place: {type: u32, values: [0]}}\n";
    let whole = |keys: &str| format!("\n- case: x\n  program: |\n    .spa 5.0\n    EXIT;\n{keys}");
    for (text, message) in [
        (table(buffer), "no register holds the address of `place`: name one in `addresses`"),
        (
            table(&format!("{buffer}  addresses: {{R5: place}}\n")),
            "`R5` is not the lower of two registers for an address",
        ),
        (
            table(&format!("{buffer}  addresses: {{R8: place}}\n")),
            "`R8` is not the lower of two registers for an address",
        ),
        (table(&format!("{buffer}  addresses: {{P0: place}}\n")), "`P0` is not a register"),
        (table(&format!("{buffer}  addresses: {{R4: put}}\n")), "no buffer is called `put`"),
        (table("  buffers: {out: {type: u32, values: [0]}}\n"), "the name `out` is reserved for the harness"),
        (
            whole("  sass: {registers: 8}\n  launch: {}\n"),
            "`sass` is for instructions alone: this program has directives of its own",
        ),
        (whole("  launch: {shared: 4}\n"), "a program of SPA 5.0 states its shared memory in its header"),
        (whole("  launch: {}\n  observe: [x]\n"), "a program of SPA 5.0 has no `observe`"),
        (whole("  launch: {arguments: [{surface: s}]}\n"), "no surface is called `s`"),
        (
            whole(
                "  surfaces: {s: {bind: v, geometry: 1d, extent: [1], format: u8, texels: zero}}\n  launch: {}\n",
            ),
            "a program of SPA 5.0 has no variable `v`",
        ),
        (whole(""), "this case lacks `launch`"),
        (
            "\n- case: x\n  sass: {registers: 8}\n  program: LDX R0;\n  launch: {}\n".to_owned(),
            "unknown opcode `LDX`",
        ),
    ] {
        let said = refusal(&text);
        assert!(said.contains(message) && said.contains("spa/test.yaml:"), "{message}:\n{said}");
    }
}
