//! `check` and `layout`.

use super::workplace::Workplace;

#[test]
fn check_puts_the_answers_side_by_side() {
    let place = Workplace::new("cases");
    let program = |body: &str| {
        format!(
            ".version 8.0\n.target sm_50\n.address_size 64\n.global .surfref image;\n.visible .entry k()\n{{\n\t.reg .b32 %d, %x;\n\t{body}\n\tret;\n}}\n"
        )
    };
    std::fs::write(place.path("good.ptx"), program("suld.b.1d.b32.clamp %d, [image, {%x}];")).unwrap();
    std::fs::write(place.path("bad.ptx"), program("suld.b.1d.b32.clmp %d, [image, {%x}];")).unwrap();
    std::fs::write(place.path("open.ptx"), program("suld.b.a1d.b32 %d, [image, {%x, %x}];")).unwrap();
    let ended = place.run(&["check", "good.ptx"]).with(0);
    assert!(ended.out.contains("spec       accepts\nptxas-12.9 accepts"), "{}", ended.out);
    let ended = place.run(&["check", "bad.ptx"]).with(1);
    assert!(ended.out.contains("bad.ptx:8:"), "{}", ended.out);
    assert!(ended.out.contains("spec and ptxas-12.9 say:") || ended.out.contains("clmp"), "{}", ended.out);
    // The text prints examples of arrays without a clamp modifier, the assembler wants one.
    let ended = place.run(&["check", "open.ptx"]).with(1);
    assert!(ended.out.contains("spec       accepts\nptxas-12.9 rejects"), "{}", ended.out);
    place.run(&["check", "open.ptx", "--as", "spec"]).with(0);
    place.run(&["check", "good.ptx", "--isa", "7.8"]).with(1);
    place.run(&["check", "good.ptx", "--target", "sm_90", "--isa", "8.0"]).with(0);
    place.run(&["check", "nowhere.ptx"]).with(2);
    place.run(&["check", "good.ptx", "--as", "nobody"]).with(2);
}

#[test]
fn layout_says_where_variables_lie_and_what_they_hold() {
    let place = Workplace::new("cases");
    let head = ".version 8.8\n.target sm_50\n.address_size 64\n";
    let text = format!(
        "{head}.const .u32 c = 42;\n.global .u8 a[2][2] = {{{{1}},{{2}}}};\n.global .u64 p = generic(c)+4;\n"
    );
    std::fs::write(place.path("v.ptx"), text).unwrap();
    let ended = place.run(&["layout", "v.ptx"]).with(0);
    assert!(ended.out.contains("size 4      a: .u8[2][2]\n    01 00 02 00\n"), "{}", ended.out);
    assert!(ended.out.contains("+0, 8 bytes: the generic address of c+4"), "{}", ended.out);
    let ended = place.run(&["layout", "v.ptx", "--as", "ptxas-12.9", "--json"]).with(0);
    let json: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(json[0]["offset"], 0);
    assert_eq!(json[1]["bytes"], "01020000");
    assert_eq!(json[2]["addresses"][0]["symbol"], "c");
    std::fs::write(place.path("w.ptx"), format!("{head}.global .u32 a = {{1;\n")).unwrap();
    place.run(&["layout", "w.ptx"]).with(2);
}

/// "Variables that hold addresses should be of type .u8 or .u32 or .u64" (5.4.4), and 32 bits hold no address of 64: that is flagged
/// whatever else the program has. An attribute that ptxas wants an object for that is still to be linked is taken for one.
#[test]
fn check_warns_beside_what_is_not_run_and_knows_relocatable_objects() {
    let place = Workplace::new("cases");
    let head = ".version 8.8\n.target sm_90\n.address_size 64\n";
    let wide = ".global .u32 x;\n.global .u32 p = generic(x);\n.entry k() { cp.async.wait_all; ret; }\n";
    std::fs::write(place.path("wide.ptx"), format!("{head}{wide}")).unwrap();
    let ended = place.run(&["check", "wide.ptx"]).with(0);
    assert!(ended.out.contains("accepts (warpdiff does not run it)"), "{}", ended.out);
    assert!(ended.out.contains("warning: ptxas.wide-address"), "{}", ended.out);
    assert!(ended.out.contains("wide.ptx:5:18"), "{}", ended.out);
    let unified = ".global .attribute(.unified(19,95)) .f32 f;\n";
    std::fs::write(place.path("unified.ptx"), format!("{head}{unified}")).unwrap();
    place.run(&["check", "unified.ptx", "--as", "ptxas-12.9"]).with(1);
    place.run(&["check", "unified.ptx", "--as", "ptxas-12.9", "--relocatable"]).with(0);
}

/// What warpdiff does not run says nothing of where variables lie; a declaration that it does not take is another matter.
#[test]
fn layout_needs_no_instruction_to_be_supported() {
    let place = Workplace::new("cases");
    let head = ".version 8.8\n.target sm_90\n.address_size 64\n";
    let kernel = ".entry k() { .shared .u8 b[3]; cp.async.wait_all; ret; }";
    std::fs::write(place.path("v.ptx"), format!("{head}{kernel}\n.global .u16 a = 7;\n")).unwrap();
    let ended = place.run(&["layout", "v.ptx"]).with(0);
    assert!(ended.out.contains("k/b: .u8[3]\n"), "{}", ended.out);
    assert!(ended.out.contains("a: .u16\n    07 00\n"), "{}", ended.out);
    assert!(ended.out.contains("warning: unsupported: instruction `cp`"), "{}", ended.out);
    std::fs::write(place.path("w.ptx"), format!("{head}{kernel}\n.alias a, b;\n")).unwrap();
    let ended = place.run(&["layout", "w.ptx"]).with(2);
    assert!(ended.err.contains("spec accepts, but warpdiff does not lay out, w.ptx"), "{}", ended.err);
    std::fs::write(place.path("x.ptx"), format!("{head}{kernel}\n.global .f16 a = 1.0;\n")).unwrap();
    let ended = place.run(&["layout", "x.ptx"]).with(2);
    assert!(ended.err.contains("spec rejects x.ptx"), "{}", ended.err);
}

#[test]
fn check_compares_a_table_with_the_front_end() {
    let place = Workplace::new("cases");
    let table = "id\tsource\t12.9:8.8:sm_50\t12.9:1.4:sm_13\tmessages\n\
                 plain\t.global .u32 a;\tA\tA\t\n\
                 late\t.global .surfref s;\tA\tR\tFeature\n\
                 crash\t.global\t-\tR\t\n";
    std::fs::write(place.path("good.tsv"), table).unwrap();
    std::fs::write(place.path("wrong.tsv"), table.replace("s;\tA\tR", "s;\tR\tR")).unwrap();
    std::fs::write(place.path("broken.tsv"), table.replace("-\tR", "-\tQ")).unwrap();
    let ended = place.run(&["check", "--table", "good.tsv"]).with(0);
    assert!(ended.out.contains("good.tsv: 5 of 5 answers are the same; 1 skipped"), "{}", ended.out);
    let ended = place.run(&["check", "--table", "good.tsv", "wrong.tsv"]).with(1);
    assert!(ended.out.contains("differs: late (wrong.tsv:3)"), "{}", ended.out);
    assert!(ended.out.contains("12.9:8.8:sm_50: the table rejects, warpdiff accepts"), "{}", ended.out);
    let ended = place.run(&["check", "--table", "wrong.tsv", "--json"]).with(1);
    let json: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(json[0]["compared"], 5);
    assert_eq!(json[0]["same"], 4);
    assert_eq!(json[0]["differences"][0]["id"], "late");
    let ended = place.run(&["check", "--table", "broken.tsv"]).with(2);
    assert!(ended.err.contains("broken.tsv: line 4: `Q` is not an answer"), "{}", ended.err);
    place.run(&["check", "--table", "good.tsv", "--compact", "compact.tsv"]).with(0);
    let ended = place.run(&["check", "--table", "compact.tsv", "--every", "2"]).with(0);
    assert!(ended.out.contains("compact.tsv: 3 of 3 answers are the same; 1 skipped"), "{}", ended.out);
    place.run(&["check", "--table", "good.tsv", "--against", "emulator"]).with(2);
    place.run(&["check", "--table", "good.tsv", "--against", "ptxas:/no/ptxas"]).with(4);
    place.run(&["check", "--table", "nowhere.tsv"]).with(2);
    for (command, other, table) in [
        ("check", "layout", "initial/variables"),
        ("check", "layout", "initial/opaque-members"),
        ("layout", "check", "sass/lowering"),
    ] {
        let path = format!("{}/../../golden/ptxas/{table}.tsv", env!("CARGO_MANIFEST_DIR"));
        let ended = place.run(&[command, "--table", &path]).with(2);
        assert!(ended.err.ends_with(&format!(": `warpdiff {other} --table` takes it\n")), "{}", ended.err);
    }
    place.run(&["check"]).with(2);
}

/// A stand-in for ptxas that crashes on what says so and rejects the rest.
#[cfg(unix)]
#[test]
fn check_writes_a_table_with_the_answers_of_an_assembler() {
    use std::os::unix::fs::PermissionsExt;
    let place = Workplace::new("cases");
    let script = "#!/bin/sh\ncase $1 in --version) echo 'tools, release 12.9, V12.9.1'; exit;; esac\n\
                  if grep -q crash in.ptx; then kill -SEGV $$; fi\nexit 255\n";
    std::fs::write(place.path("ptxas"), script).unwrap();
    std::fs::set_permissions(place.path("ptxas"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let table = "# by hand\ncircumstance\t12.9:8.8:sm_50\ncircumstance\t11.8:7.8:sm_50\n\
                 id\tframe\tsource\tanswers\none\t-\tplain\tAA\ntwo\t-\tcrash\tRR\nthree\t-\tx\tRA\n";
    std::fs::write(place.path("t.tsv"), table).unwrap();
    let against = format!("ptxas:{}", place.path("ptxas").display());
    let asked = ["check", "--table", "t.tsv", "--against", &against];
    let ended = place.run(&asked).with(1);
    assert!(ended.out.contains("12.9:8.8:sm_50: the table accepts, ptxas V12.9.1 rejects"), "{}", ended.out);
    assert!(
        ended.out.contains("the table rejects, ptxas V12.9.1 crashes on: ptxas crashed"),
        "{}",
        ended.out
    );
    let ended = place.run(&[&asked[..], &["-o", "t.tsv"]].concat()).with(0);
    assert!(ended.out.contains("1 of 3 answers are the same; 3 skipped"), "{}", ended.out);
    let written = std::fs::read_to_string(place.path("t.tsv")).unwrap();
    let expected = table
        .replace("\tAA", "\tRA")
        .replace("crash\tRR", "crash\t-R")
        .replace("hand\n", "hand\n# Answers of ptxas V12.9.1 as it gave them when it was asked again.\n");
    assert_eq!(written, expected);
    // Asked again, it says the same.
    place.run(&[&asked[..], &["--output", "t.tsv"]].concat()).with(0);
    assert_eq!(std::fs::read_to_string(place.path("t.tsv")).unwrap(), expected);
    place.run(&["check", "--table", "t.tsv", "-o", "t.tsv"]).with(2);
    place.run(&[&asked[..], &["-o", "t.tsv", "--every", "2"]].concat()).with(2);
    place.run(&["check", "--table", "t.tsv", "t.tsv", "--against", &against, "-o", "t.tsv"]).with(2);
}
