//! What cases become: launches, records, expectations, and the map from programs back to files. Every number here is worked
//! out by hand from the format's description in cases/README.md.

mod loading;
mod numbers;
mod spa;

use std::borrow::Cow;
use std::path::Path;

use warpdiff_corpus::plan::{Expected, Legality, PlannedLaunch, Row, Variant, Work};
use warpdiff_model::{Argument, FaultClass, RegionKind, ToleranceUnit};

/// The variants of a file with this text.
fn variants_of(file: &str, text: &str) -> Vec<Variant> {
    let root = tempfile::tempdir().expect("a temporary folder");
    warpdiff_corpus::load_text_as(Path::new(file), text.to_owned(), root.path())
        .unwrap_or_else(|errors| panic!("{}", errors.render(false)))
}

fn variants(text: &str) -> Vec<Variant> {
    variants_of("suld/test.yaml", text)
}

fn launches(text: &str) -> Vec<PlannedLaunch> {
    match variants(text).remove(0).work {
        // Those that one planned launch stands for, each by itself.
        Work::Launches(launches) => {
            launches.iter().flat_map(|planned| planned.launches()).map(Cow::into_owned).collect()
        }
        _ => panic!("launches expected"),
    }
}

fn legality(text: &str) -> Legality {
    match variants(text).remove(0).work {
        Work::Legality(legality) => legality,
        _ => panic!("a legality case expected"),
    }
}

fn rows(launch: &PlannedLaunch) -> Vec<usize> {
    launch.rows.iter().map(|row| row.index).collect()
}

/// Offset, first alternative and mask of an expectation of bytes.
fn bytes(expected: &Expected) -> (usize, &[u8], &[u8]) {
    match expected {
        Expected::Bytes { offset, alternatives, mask, .. } => (*offset, &alternatives[0], mask),
        other => panic!("bytes expected, not {other:?}"),
    }
}

#[test]
fn ids_name_folder_file_title_and_bindings() {
    let text = "
- case: moves
  matrix: {type: [b32, u32], n: [1, 2]}
  exclude: [{type: u32, n: 1}]
  covers: [mov.copies]
  outputs: {d: b32}
  body: mov.${type} %d, ${n};
  rows: [{d: \"${n}\"}]
";
    let variants = variants(text);
    let ids: Vec<&str> = variants.iter().map(|v| v.id.as_str()).collect();
    assert_eq!(
        ids,
        ["suld/test/moves[type=b32,n=1]", "suld/test/moves[type=b32,n=2]", "suld/test/moves[type=u32,n=2]"]
    );
    assert_eq!(*variants[2].subject, *"suld");
    assert_eq!(*variants[2].covers, ["mov.copies"]);
    assert_eq!(
        variants[2].bindings,
        [("type".to_owned(), "u32".to_owned()), ("n".to_owned(), "2".to_owned())]
    );
}

#[test]
fn a_value_of_the_matrix_may_have_members() {
    let text = "
- case: moves
  matrix: {t: [{name: b16, max: 65535}, {name: b32, max: 0xffffffff}]}
  outputs: {d: \"${t.name}\"}
  body: mov.${t.name} %d, -1;
  rows: [{d: \"${t.max}\"}]
";
    let ids: Vec<String> = variants(text).into_iter().map(|v| v.id).collect();
    assert_eq!(
        ids,
        ["suld/test/moves[t=b16]", "suld/test/moves[t=b32]"],
        "a value with members is shown by its name"
    );
    let ids: Vec<String> = variants(&text.replace("name", "type")).into_iter().map(|v| v.id).collect();
    assert_eq!(
        ids,
        ["suld/test/moves[t.type=b16,t.max=65535]", "suld/test/moves[t.type=b32,t.max=0xffffffff]"]
    );
}

#[test]
fn keys_may_name_the_matrix() {
    let text = "
- case: stores
  matrix: {i: [0, 2]}
  buffers: {m: {type: u8, values: [10, 20, 30]}}
  body: st.global.u8 [%m+${i}], 7;
  rows: [{memory: {m: {\"${i}\": 7}}}]
";
    let offsets: Vec<usize> = variants(text)
        .iter()
        .map(|v| match &v.work {
            Work::Launches(launches) => bytes(&launches[0].expectations.to_vec()[0].what).0,
            _ => panic!("launches expected"),
        })
        .collect();
    assert_eq!(offsets, [0, 2]);
}

#[test]
fn rows_that_only_load_share_a_launch() {
    let text = "
- case: adds
  inputs: {a: u8, b: u32}
  outputs: {lo: u16, d: u64, p: pred}
  body: |
    cvt.u64.u32 %d, %b;
    cvt.u16.u8 %lo, %a;
    setp.ne.u32 %p, %b, 0;
  tolerance: {}
  rows:
    - {a: 255, b: 0x01020304, lo: 255, d: 0x01020304, p: true}
    - {a: 1, b: 0, p: false, d: {any: [0, 7]}}
    - {a: 1, b: 0, lo: undefined}
";
    let launches = launches(text);
    assert_eq!(launches.len(), 1);
    let planned = &launches[0];
    assert_eq!(rows(planned), [0, 1, 2]);
    assert!(planned.splittable);
    let launch = &planned.launch;
    assert_eq!((launch.grid, launch.block), ([1, 1, 1], [3, 1, 1]));
    // Inputs: a at 0, b at its natural 4; 8 bytes a row.
    assert_eq!(launch.buffers[0].name, "in");
    assert_eq!(launch.buffers[0].stride, 8);
    assert_eq!(launch.buffers[0].bytes[..8], [255, 0, 0, 0, 4, 3, 2, 1]);
    // Outputs: lo at 0, d at 8, p at 16; a multiple of the largest, 8: 24 bytes a row.
    assert_eq!(launch.buffers[1].name, "out");
    assert_eq!(launch.buffers[1].stride, 24);
    assert_eq!(launch.buffers[1].bytes.len(), 72);
    let columns: Vec<_> =
        planned.columns.iter().map(|c| (c.name.as_str(), c.ty.as_str(), c.offset, c.size)).collect();
    assert_eq!(columns, [("lo", "u16", 0, 2), ("d", "u64", 8, 8), ("p", "pred", 16, 1)]);
    assert_eq!(launch.arguments[0], Argument::Value(vec![3, 0, 0, 0]));
    assert_eq!(launch.arguments[1], Argument::Buffer { index: 0, offset: 0 });
    assert_eq!(launch.arguments[2], Argument::Buffer { index: 1, offset: 0 });
    let expected = &planned.expectations.to_vec();
    assert_eq!(bytes(&expected[0].what), (0, &[255, 0][..], &[0xff; 2][..]));
    assert_eq!(bytes(&expected[1].what), (8, &[4, 3, 2, 1, 0, 0, 0, 0][..], &[0xff; 8][..]));
    assert_eq!(bytes(&expected[2].what), (16, &[1][..], &[0xff][..]));
    // Row 1 begins at 24, row 2 at 48; outputs come in the order of columns.
    let Expected::Bytes { offset, alternatives, .. } = &expected[3].what else { panic!("bytes") };
    assert_eq!((*offset, alternatives.len(), alternatives[1][0]), (32, 2, 7));
    assert_eq!(bytes(&expected[4].what), (40, &[0][..], &[0xff][..]));
    let undefined = Expected::Undefined { region: RegionKind::Buffer, name: "out".into(), range: 48..50 };
    assert_eq!(expected[5].what, undefined);
    assert_eq!(expected[5].subject.to_string(), "output `lo` of row 2");
    assert_eq!(expected.len(), 6);
}

#[test]
fn a_shared_launch_splits_into_its_rows() {
    let text = "
- case: adds
  inputs: {a: u32}
  outputs: {d: u32}
  body: add.u32 %d, %a, 1;
  rows: [{a: 1, d: 2}, {a: 5, d: 6}, {a: 7, d: undefined}]
";
    let shared = launches(text).remove(0);
    let split = shared.split();
    assert_eq!(split.len(), 3);
    let second = &split[1];
    assert_eq!(rows(second), [1]);
    assert_eq!((second.launch.grid, second.launch.block), ([1; 3], [1; 3]));
    assert_eq!(second.launch.buffers[0].bytes, [5, 0, 0, 0]);
    assert_eq!(second.launch.buffers[1].bytes.len(), 4);
    assert_eq!(second.launch.arguments[0], Argument::Value(vec![1, 0, 0, 0]));
    assert_eq!(second.expectations.len(), 1);
    assert_eq!(bytes(&second.expectations.to_vec()[0].what), (0, &[6, 0, 0, 0][..], &[0xff; 4][..]));
    let undefined = Expected::Undefined { region: RegionKind::Buffer, name: "out".into(), range: 0..4 };
    assert_eq!(split[2].expectations.to_vec()[0].what, undefined);
    assert!(std::sync::Arc::ptr_eq(&shared.launch.program, &second.launch.program));
    assert!(!second.splittable);
    assert_eq!(second.split().len(), 1);
}

#[test]
fn a_row_that_faults_is_launched_apart() {
    let text = "
- case: loads
  inputs: {a: u64}
  outputs: {d: u32}
  body: ld.global.u32 %d, [%a];
  rows: [{a: 0, fault: out-of-bounds}, {a: 4}, {a: 8}, {a: 1, may-fault: misaligned, d: 3}]
";
    let launches = launches(text);
    let all: Vec<Vec<usize>> = launches.iter().map(rows).collect();
    assert_eq!(all, [vec![0], vec![1, 2], vec![3]]);
    assert_eq!(launches[0].expectations.to_vec()[0].what, Expected::Fault(FaultClass::OutOfBounds));
    assert_eq!(launches[2].expectations.to_vec()[1].what, Expected::MayFault(FaultClass::Misaligned));
    assert!(!launches[0].splittable);
}

#[test]
fn rows_launched_apart_are_planned_together_and_keep_what_they_state() {
    let text = "
- case: loads
  buffers: {m: {type: u32, values: [10, 20]}}
  inputs: {a: u64}
  outputs: {c: u32, d: u32}
  body: |
    mov.u32 %c, 1;
    ld.global.u32 %d, [%a];
  rows:
    - {a: 1, fault: out-of-bounds, memory: {m: [10, 20]}}
    - {a: 2, fault: misaligned}
    - {a: 4}
    - {a: 5, may-fault: misaligned, d: 3}
    - {a: 6, may-fault: out-of-bounds, c: 7, d: 4}
";
    let Work::Launches(planned) = variants(text).remove(0).work else { panic!("launches") };
    let all: Vec<_> = planned.iter().map(|planned| (rows(planned), planned.apart)).collect();
    assert_eq!(all, [(vec![0, 1], true), (vec![2], false), (vec![3, 4], true)]);
    let launches = launches(text);
    assert_eq!(launches.iter().map(rows).collect::<Vec<_>>(), [[0], [1], [2], [3], [4]]);
    assert!(launches.iter().all(|one| one.rows.len() == 1 && !one.apart && !one.splittable));
    let stated = |launch: usize| launches[launch].expectations.to_vec().into_iter().map(|stated| stated.what);
    let whole = |expected: &Expected| match expected {
        Expected::Fault(class) | Expected::MayFault(class) => class.to_string(),
        Expected::Bytes { name, .. } => format!("{name} {:?}", bytes(expected)),
        other => panic!("{other:?}"),
    };
    let words: Vec<Vec<String>> =
        (0..5).map(|launch| stated(launch).map(|what| whole(&what)).collect()).collect();
    let four = "[255, 255, 255, 255]";
    let of_out = |offset: usize, value: u8| format!("out ({offset}, [{value}, 0, 0, 0], {four})");
    // Offsets are in the row's own record, of 8 bytes; memory that has no rows is not moved.
    assert_eq!(words[0][0], "out-of-bounds");
    assert_eq!(words[0][1..], [10, 20].map(|n| format!("m ({}, [{n}, 0, 0, 0], {four})", 4 * (n / 10 - 1))));
    assert_eq!(words[1], ["misaligned"]);
    assert_eq!(words[2], [""; 0]);
    assert_eq!(words[3], [of_out(4, 3), "misaligned".into()]);
    assert_eq!(words[4], [of_out(0, 7), of_out(4, 4), "out-of-bounds".into()]);
    let inputs: Vec<_> = launches.iter().map(|one| one.launch.buffers[0].bytes.clone()).collect();
    assert_eq!(inputs, [1_u64, 2, 4, 5, 6].map(|a| a.to_le_bytes().to_vec()));
}

#[test]
fn rows_that_store_have_a_launch_each() {
    let case = |body: &str| {
        let text = format!(
            "
- case: stores
  buffers: {{m: {{type: u32, values: [10, 20, 30]}}}}
  declarations: .shared .u32 s;
  registers: .reg .u32 %t;
  inputs: {{a: u32}}
  outputs: {{d: u32}}
  body: |
    {body}
  rows: [{{a: 1}}, {{a: 2}}]
"
        );
        launches(&text).len()
    };
    assert_eq!(case("ld.global.u32 %d, [%m];"), 1);
    assert_eq!(case("st.global.u32 [%m], %a;"), 2);
    assert_eq!(case("atom.global.add.u32 %d, [%m], %a;"), 2);
    assert_eq!(case("red.global.add.u32 [%m], %a;"), 2);
    assert_eq!(case("st.shared.u32 [s], %a;"), 2);
    assert_eq!(case("// st.global.u32 [%m], %a;"), 1, "decided from instructions, not from the text");
    assert_eq!(case("mov.u32 %d, %tid.x;"), 2, "a thread's place depends on who else is there");
    assert_eq!(case("{ .local .u32 l; st.local.u32 [l], %a; ld.local.u32 %d, [l]; }"), 1);
}

#[test]
fn memory_after_a_row_is_stated_whole_or_in_part() {
    let text = "
- case: stores
  buffers: {m: {type: u16, values: [10, 20, 30]}}
  surfaces: {image: {geometry: 1d, extent: [2], format: u8x2, texels: sequence}}
  body: st.global.u16 [%m+2], 7;
  rows:
    - {memory: {m: [10, 7, 30]}, image: {image: {3: 9}}}
";
    let planned = launches(text).remove(0);
    let expected = &planned.expectations.to_vec();
    assert_eq!(bytes(&expected[0].what), (0, &[10, 0][..], &[0xff; 2][..]));
    assert_eq!(bytes(&expected[1].what), (2, &[7, 0][..], &[0xff; 2][..]));
    assert_eq!(bytes(&expected[2].what), (4, &[30, 0][..], &[0xff; 2][..]));
    assert_eq!(bytes(&expected[3].what), (3, &[9][..], &[0xff][..]));
    assert_eq!(bytes(&expected[4].what), (0, &[0, 1, 2, 3][..], &[0xff, 0xff, 0xff, 0][..]));
    assert_eq!(expected[4].subject.to_string(), "the rest of surface `image` (unchanged)");
    // A launch that stores has bystanders.
    assert!(planned.launch.buffers.iter().any(|b| b.name == "bystander"));
    assert!(planned.launch.surfaces.iter().any(|s| s.name == "bystander"));
}

#[test]
fn elements_left_open_are_not_expected() {
    let text = "
- case: stores
  buffers: {m: {type: u16, values: [10, 20, 30]}}
  body: st.global.u16 [%m+2], 7;
  rows:
    - {memory: {m: [10, ~, undefined]}}
";
    let planned = launches(text).remove(0);
    assert_eq!(planned.expectations.len(), 2);
    let undefined = Expected::Undefined { region: RegionKind::Buffer, name: "m".into(), range: 4..6 };
    assert_eq!(planned.expectations.to_vec()[1].what, undefined);
}

#[test]
fn surfaces_are_bound_as_the_body_names_them() {
    let text = |operand: &str| {
        format!(
            "
- case: loads
  surfaces:
    other: {{geometry: 1d, extent: [2], format: u32}}
    image: {{geometry: 2d, extent: [4, 3], format: u32, texels: sequence}}
  outputs: {{d: b32}}
  body: |
    // other
    suld.b.2d.b32.zero %d, [{operand}, {{0, 0}}];
  rows: [{{d: 0}}]
"
        )
    };
    let direct = launches(&text("image")).remove(0);
    assert_eq!(direct.launch.surfaces[1].bound_to.as_deref(), Some("image"));
    assert_eq!(direct.launch.surfaces[0].bound_to, None, "a comment is no mention");
    assert!(direct.launch.program.contains(".global .surfref image;"));
    assert_eq!(direct.launch.arguments.len(), 2, "rows and out");
    assert_eq!(direct.launch.surfaces[1].bytes[16..20], [4, 0, 0, 0], "texel 4 holds 4");
    let bindless = launches(&text("%image")).remove(0);
    assert_eq!(bindless.launch.surfaces[1].bound_to, None);
    assert!(!bindless.launch.program.contains(".surfref"));
    assert_eq!(bindless.launch.arguments[2], Argument::Surface { index: 1 });
}

#[test]
fn rows_together_are_one_block() {
    let text = "
- case: counts
  launch: together
  buffers: {m: {type: u32, count: 1}}
  outputs: {d: u32}
  body: atom.global.add.u32 %d, [%m], 1;
  rows: [{}, {}, {}]
  expect: {memory: {m: [3]}}
";
    let launches = launches(text);
    assert_eq!(launches.len(), 1);
    assert_eq!((launches[0].launch.grid, launches[0].launch.block), ([1; 3], [3, 1, 1]));
    assert!(!launches[0].splittable);
    assert_eq!(bytes(&launches[0].expectations.to_vec()[0].what), (0, &[3, 0, 0, 0][..], &[0xff; 4][..]));
}

#[test]
fn a_sweep_is_a_product_after_the_rows() {
    let text = "
- case: adds
  inputs: {a: s32, b: s32}
  outputs: {d: s32}
  body: add.s32 %d, %a, %b;
  rows: [{a: 0, b: 0, d: 0}]
  sweep: {a: {from: -4, to: 4, step: 4}, b: [1, 2]}
";
    let planned = launches(text).remove(0);
    let values = |row: &Row| row.inputs.iter().map(|(_, value)| value.to_owned()).collect::<Vec<_>>();
    let inputs: Vec<_> = planned.rows.iter().map(values).collect();
    assert_eq!(
        inputs,
        [["0", "0"], ["-4", "1"], ["-4", "2"], ["0", "1"], ["0", "2"], ["4", "1"], ["4", "2"]]
    );
    assert_eq!(planned.launch.buffers[0].bytes[8..16], [0xfc, 0xff, 0xff, 0xff, 1, 0, 0, 0]);
    assert_eq!(planned.expectations.len(), 1);
}

#[test]
fn many_rows_fill_several_blocks() {
    let text = "
- case: adds
  inputs: {a: s32}
  outputs: {d: s32}
  body: add.s32 %d, %a, 1;
  sweep: {a: {from: 1, to: 300}}
";
    let planned = launches(text).remove(0);
    assert_eq!((planned.launch.grid, planned.launch.block), ([3, 1, 1], [128, 1, 1]));
    assert_eq!(planned.launch.arguments[0], Argument::Value(300_u32.to_le_bytes().to_vec()));
}

#[test]
fn tolerances_name_field_and_unit() {
    let text = "
- case: divides
  inputs: {a: f32}
  outputs: {n: u32, d: f32, e: f64}
  body: mov.f32 %d, %a;
  tolerance: {d: 2ulp, e: {absolute: 1e-6}}
  rows: [{a: 1.0, d: 1.0}, {a: nan, d: nan}]
";
    let planned = launches(text).remove(0);
    let found: Vec<_> =
        planned.tolerances.iter().map(|t| (t.region, t.offset, t.stride, t.size, t.unit)).collect();
    // Region 0 is `in`, 1 is `out`; n at 0, d at 4, e at 8.
    assert_eq!(found, [(1, 4, 16, 4, ToleranceUnit::Ulps(2)), (1, 8, 16, 8, ToleranceUnit::Absolute(1e-6))]);
    // A NaN is expected by exponent and quiet bit only.
    assert_eq!(
        bytes(&planned.expectations.to_vec()[1].what),
        (20, &[0, 0, 0xc0, 0x7f][..], &[0, 0, 0xc0, 0x7f][..])
    );
}

#[test]
fn a_whole_program_is_launched_as_it_says() {
    let text = "
- case: whole
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .global .surfref s;
    .global .u32 v = 5;
    .visible .entry k(.param .u64 out, .param .u64 h, .param .f32 f, .param .align 4 .b8 b[3]) { ret; }
  surfaces: {image: {geometry: 1d, extent: [2], format: u32, bind: s}}
  buffers: {out: {type: u32, count: 2}, scratch: {type: u8, count: 3, undefined: true}}
  launch:
    entry: k
    grid: [2, 3]
    block: [32]
    shared: 16
    steps: 1000
    arguments: [{buffer: out, offset: 4}, {surface: image}, {f32: 1.5}, {bytes: [1, 2, 255]}]
  observe: [v]
  schedules: all
  tolerance: {}
  expect:
    memory: {out: [0, 1]}
    variables: {v: {type: u32, values: [5]}}
    undefined: {memory: {scratch: [2]}}
";
    let planned = launches(text).remove(0);
    let launch = &planned.launch;
    assert_eq!((launch.grid, launch.block), ([2, 3, 1], [32, 1, 1]));
    assert_eq!((launch.dynamic_shared, launch.step_budget), (16, 1000));
    let arguments = [
        Argument::Buffer { index: 0, offset: 4 },
        Argument::Surface { index: 0 },
        Argument::Value(1.5_f32.to_le_bytes().to_vec()),
        Argument::Value(vec![1, 2, 255]),
    ];
    assert_eq!(launch.arguments, arguments);
    assert_eq!(launch.surfaces[0].bound_to.as_deref(), Some("s"));
    assert_eq!(launch.buffers[1].defined, [0, 0, 0]);
    assert_eq!(launch.observed_variables, ["v"]);
    assert!(planned.every_order);
    let kinds: Vec<_> = planned.expectations.iter().map(|e| e.subject.to_string()).collect();
    assert_eq!(
        kinds,
        [
            "element 0 of buffer `out`",
            "element 1 of buffer `out`",
            "element 2 of buffer `scratch`",
            "element 0 of variable `v`"
        ]
    );
}

#[test]
fn programs_map_back_to_the_lines_they_were_copied_from() {
    let text = "
- case: loads
  matrix: {cop: [.ca]}
  surfaces: {image: {geometry: 2d, extent: [4, 3], format: u32}}
  outputs: {d: b32}
  body: |
    // first
    suld.b.2d${cop}.b32.zero %d, [image, {4, 1}];
  rows: [{}]
";
    let planned = launches(text).remove(0);
    let program = &planned.launch.program;
    let place = |words: &str| {
        let start = program.find(words).expect("in the program");
        planned.map.locate(&(start..start + words.len())).map(|l| l.file.text[l.range].to_owned())
    };
    assert_eq!(place("suld.b.2d").as_deref(), Some("suld.b.2d"));
    assert_eq!(place(".ca").as_deref(), Some("${cop}"), "a bound name maps to where it is named");
    assert_eq!(place("[image, {4, 1}]").as_deref(), Some("[image, {4, 1}]"));
    assert_eq!(place("ld.param.u32"), None, "the harness wrote this");
}

#[test]
fn legality_cases_say_who_judges() {
    let text = "
- case: no clamp
  declarations: .global .surfref s;
  registers: .reg .b32 %r;
  body: suld.b.1d.b32 %r, [s, {0}];
  accept: [spec]
  reject: {ptxas-12.9: clamp}
  at: suld.b.1d.b32
";
    let legality = legality(text);
    assert_eq!(legality.accept, ["spec"]);
    assert_eq!(legality.reject, [("ptxas-12.9".to_owned(), "clamp".to_owned())]);
    assert_eq!(legality.at.as_deref(), Some("suld.b.1d.b32"));
    assert!(legality.program.contains(".version 8.0\n.target sm_50\n"));
}

#[test]
fn declared_bytes_may_hold_addresses() {
    let text = "
- case: an address
  isa: 7.1
  target: sm_70
  declare: |
    .global .u32 x = 5;
    .global .u64 p = x;
  bytes: {x: 05 00 00 00, p: ?? ?? ?? ?? ?? ?? ?? ??}
";
    let legality = legality(text);
    assert_eq!(legality.accept, ["ptxas-12.9"], "who must accept when a case does not say");
    assert_eq!(legality.bytes["x"], [Some(5), Some(0), Some(0), Some(0)]);
    assert_eq!(legality.bytes["p"], [None; 8]);
    assert!(legality.program.contains(".version 7.1\n.target sm_70\n"));
}

#[test]
fn covered_requirements_are_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("cases");
    std::fs::create_dir_all(root.join("a")).expect("created");
    let write = |name: &str, text: &str| std::fs::write(root.join(name), text).expect("written");
    write(
        "requirements.yaml",
        "- {id: a.b, kind: must, section: \"1\", text: t}\n- {id: a.c, kind: informative, section: \"1\", text: t}\n",
    );
    write(
        "a/x.yaml",
        "- {case: one, covers: [a.b], matrix: {n: [1, 2]}, body: \"ret; // ${n}\", accept: [spec]}\n",
    );
    let corpus = warpdiff_corpus::load(&root).expect("a corpus without faults");
    assert_eq!(corpus.variants.len(), 2);
    assert_eq!(corpus.files.len(), 1);
    let table = warpdiff_corpus::coverage::table(&corpus);
    assert_eq!(table[0].variants, ["a/x/one[n=1]", "a/x/one[n=2]"]);
    assert!(table[1].variants.is_empty());
    assert!(warpdiff_corpus::coverage::orphans(&corpus).is_empty(), "an informative statement needs no case");
    assert_eq!(corpus.variants[0].location.file.path, Path::new("cases/a/x.yaml"));
}

/// The examples that authors copy from the format's description must load; those with an ellipsis are fragments.
#[test]
fn the_examples_of_the_readme_load() {
    let readme = include_str!("../../../../cases/README.md");
    let blocks = readme.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    let whole: Vec<&str> =
        blocks.filter(|block| block.starts_with("- case:") && !block.contains('…')).collect();
    assert!(whole.len() >= 3, "a table, a legality case, a declaration");
    for block in whole {
        assert!(!variants(block).is_empty(), "{block}");
    }
}

/// Declarations with stated bytes have a second variant: a kernel copies the stated variables, in the order of their names, into
/// a buffer of their sizes together; those that other modules can see are observed as well.
#[test]
fn declared_variables_are_read_back() {
    let text = "
- case: bytes
  declare: |
    .global .u16 b = 0x0201;
    .visible .global .u32 c = 7;
    .const .u8 a[3] = {1, 2};
    .global .u64 p = c;
  bytes: {b: \"01 02\", c: \"07 00 00 00\", a: \"01 02 00\", p: \"?? ?? ?? ?? ?? ?? ?? ??\"}
- case: refused
  declare: .global .u32 a = 1.0;
  reject: [spec]
";
    let variants = variants(text);
    let ids: Vec<&str> = variants.iter().map(|v| v.id.as_str()).collect();
    assert_eq!(ids, ["suld/test/bytes", "suld/test/bytes, read back", "suld/test/refused"]);
    let Work::Launches(launches) = &variants[1].work else { panic!("a launch") };
    let [planned] = launches.as_slice() else { panic!("one launch") };
    assert_eq!(planned.launch.buffers[0].bytes.len(), 3 + 2 + 4 + 8);
    assert_eq!(planned.launch.observed_variables, ["c"]);
    let all = planned.expectations.to_vec();
    let stated: Vec<_> = all.iter().map(|it| bytes(&it.what)).collect();
    let expected: [(usize, &[u8], &[u8]); 5] = [
        (0, &[1, 2, 0], &[0xFF; 3]),
        (3, &[1, 2], &[0xFF; 2]),
        (5, &[7, 0, 0, 0], &[0xFF; 4]),
        (0, &[7, 0, 0, 0], &[0xFF; 4]),
        (9, &[0; 8], &[0; 8]),
    ];
    assert_eq!(stated, expected);
}
