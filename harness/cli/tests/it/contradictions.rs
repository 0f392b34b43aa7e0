//! What the reference contradicts is an error of the corpus, and what it does not contradict is none: for each kind of
//! expectation one that holds and one that does not. Each is derived from the PTX manual, not from what the emulator says.

mod races;

use std::path::Path;

use warpdiff_judge::reference_verdict::ReferenceVerdict;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_session::prepared_variant::verdict;

/// The verdict of the reference on the only variant of a case with these keys.
#[track_caller]
fn reference(keys: &str) -> ReferenceVerdict {
    reference_with(keys, &[])
}

/// The same beside files with these contents.
#[track_caller]
fn reference_with(keys: &str, files: &[(&str, &[u8])]) -> ReferenceVerdict {
    let folder = tempfile::tempdir().unwrap();
    for (name, contents) in files {
        std::fs::write(folder.path().join(name), contents).unwrap();
    }
    let case = format!("- case: c\n  covers: []{keys}");
    let variants = warpdiff_corpus::load_text_as(Path::new("cases/a/b.yaml"), case, folder.path())
        .unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    verdict(&variants[0], &[]).reference
}

/// The status of that verdict, and its first problem.
#[track_caller]
fn judged(keys: &str) -> (Raw, String) {
    let reference = reference(keys);
    let words = reference.problems.first().map(|p| p.render(false)).unwrap_or_default();
    (reference.raw, words)
}

/// Holds the first, contradicts the second with these words.
#[track_caller]
fn holds_and_contradicts(case: &str, right: &str, wrong: &str, words: &str) {
    let (raw, problem) = judged(&case.replace("${expected}", right));
    assert_eq!(raw, Raw::Conforms, "{right}: {problem}");
    let (raw, problem) = judged(&case.replace("${expected}", wrong));
    assert_eq!(raw, Raw::Contradicted, "{wrong}");
    assert!(problem.contains(words), "{wrong}: {problem}");
}

#[test]
fn a_value() {
    // add: "Performs addition and writes the resulting value into a destination register."
    let case = "
  inputs: {a: s32}
  outputs: {d: s32}
  body: add.s32 %d, %a, 1;
  rows: [{a: -3, ${expected}}]
";
    holds_and_contradicts(case, "d: -2", "d: 2", "the reference has fe ff ff ff, -2");
    holds_and_contradicts(
        case,
        "d: -2",
        "d: undefined",
        "the reference defines every bit there: fe ff ff ff",
    );
    holds_and_contradicts(case, "d: -2", "fault: trap", "the reference completes");
    holds_and_contradicts(case, "d: -2", "may-fault: misaligned", "permits no such fault");
}

#[test]
fn an_undefined_value() {
    // A register that was never written holds no particular value; `and` with 0x0f leaves four of its bits open.
    let case = "
  inputs: {a: b32}
  outputs: {d: b32}
  registers: .reg .b32 %never;
  body: and.b32 %d, %never, %a;
  rows: [{a: 0x0f, ${expected}}]
";
    holds_and_contradicts(case, "d: undefined", "d: 0", "leaves bits undefined there: 0? 00 00 00");
}

#[test]
fn a_value_or_an_undefined_one() {
    // channel_data_type is a number of the source language; OpenCL's for an unsigned byte is 0x10DA (table 12), another language may
    // have any.
    let case = "
  surfaces: {img: {geometry: 2d, extent: [4, 3], format: u8}}
  outputs: {d: b32, w: b32}
  body: |
    suq.channel_data_type.b32 %d, [img];
    suq.width.b32 %w, [img];
  rows: [{${expected}}]
";
    let right = "d: {any: [0x10DA, undefined]}, w: 4";
    let never = "no alternative of the reference gives d7 10 00 00";
    holds_and_contradicts(
        case,
        right,
        "d: {any: [0x10D7, undefined]}",
        "the reference has da 10 00 00, 0x000010da",
    );
    holds_and_contradicts(case, right, "d: {any: [0x10DA, 0x10D7, undefined]}", never);
    holds_and_contradicts(case, right, "d: 0x10DA", "leaves bits undefined there");
    let defined = "no alternative of the reference leaves bits undefined there";
    holds_and_contradicts(case, "d: {any: [undefined]}, w: 4", "w: {any: [4, undefined]}", defined);
}

#[test]
fn an_undefined_value_where_it_does_not_fault() {
    // A misaligned address "may proceed by silently masking off low-order address bits […] or the instruction may fault" (9.7.11.1): the
    // load is of texel 0. An access of another geometry faults or loads anything.
    let case = "
  surfaces: {img: {geometry: 1d, extent: [4], format: u32, texels: sequence}}
  inputs: {x: s32}
  outputs: {d: b32}
  body: suld.b.${geometry}.b32.zero %d, [img, {%x${more}}];
  rows: [{x: 1, may-fault: ${class}, d: ${expected}}]
";
    let other =
        case.replace("${geometry}", "2d").replace("${more}", ", 0").replace("${class}", "invalid-handle");
    holds_and_contradicts(&other, "undefined", "0", "leaves bits undefined there");
    let misaligned =
        case.replace("${geometry}", "1d").replace("${more}", "").replace("${class}", "misaligned");
    holds_and_contradicts(&misaligned, "0", "undefined", "defines every bit there: 00 00 00 00");
}

#[test]
fn a_value_where_the_reference_always_faults() {
    // ATOMS: "Misaligned addresses cause a misaligned address error": there is no value beside it.
    let case = "
  sass: {shared: 8}
  inputs: {R1: u32, R4: u32, shared.0: u64}
  outputs: {R0: u32}
  body: ATOMS.ADD R0, [R1], R4;
  rows: [{R1: 1, R4: 1, shared.0: 0, ${expected}}]
";
    holds_and_contradicts(case, "fault: misaligned", "may-fault: misaligned, R0: 0", "under every choice");
}

#[test]
fn two_readings_that_agree_here() {
    // Whether the quotient -7 / 2 is cut to -3 or floored to -4 is open; its sign is not.
    let case = "
  inputs: {a: s32}
  outputs: {q: s32, s: s32}
  body: |
    div.s32 %q, %a, 2;
    shr.s32 %s, %q, 31;
  rows: [{a: -7, q: {any: [-3, -4]}, ${expected}}]
";
    let never = "no alternative of the reference gives 00 00 00 00";
    holds_and_contradicts(case, "s: {any: [-1, -1]}", "s: {any: [-1, 0]}", never);
}

#[test]
fn a_fault() {
    // trap: "Abort execution and generate an interrupt to the host CPU."
    let case = "
  inputs: {a: u32}
  outputs: {d: u32}
  body: |
    mov.u32 %d, %a;
    trap;
  rows: [{a: 1, ${expected}}]
";
    holds_and_contradicts(case, "fault: trap", "fault: misaligned", "the reference faults with trap");
    holds_and_contradicts(case, "fault: trap", "d: 1", "the reference faults with trap");
}

#[test]
fn a_tolerance() {
    // sqrt.approx.f32 has a maximum relative error of 2^-23: 2.0 is within one unit in the last place of the root of 4,
    // 2.5 is not.
    let case = "
  inputs: {a: f32}
  outputs: {d: f32}
  body: sqrt.approx.f32 %d, %a;
  tolerance: {d: 2ulp}
  rows: [{a: 4.0, ${expected}}]
";
    holds_and_contradicts(case, "d: 2.0", "d: 2.5", "the reference has 00 00 00 40, 2.0 (0x40000000)");
    // 2.5 is 0x40200000; two steps towards 2.0 lies 0x401ffffe, 2.5 - 2 * 2^-22.
    let allowed = "the tolerance of 2 ulps allows 2.4999995 (0x401ffffe) at the nearest";
    holds_and_contradicts(case, "d: 2.0", "d: 2.5", allowed);
}

#[test]
fn what_a_case_states_may_be_off_by_the_bound() {
    // 1 / 3 is 0x3eaaaaab, and `rcp.approx.f32` is within one ulp of it.
    let case = |stated: &str, tolerance: &str| {
        format!(
            "\n  inputs: {{a: f32}}\n  outputs: {{d: f32}}\n  body: rcp.approx.f32 %d, %a;\n  rows: [{{a: 3.0, d: \"{stated}\"}}]\n{tolerance}"
        )
    };
    for stated in ["0x3eaaaaaa", "0x3eaaaaab", "0x3eaaaaac"] {
        assert_eq!(judged(&case(stated, "")).0, Raw::Conforms, "{stated}");
    }
    for stated in ["0x3eaaaaa9", "0x3eaaaaad"] {
        assert_eq!(judged(&case(stated, "")).0, Raw::Contradicted, "{stated}");
        assert_eq!(judged(&case(stated, "  tolerance: {d: 2ulp}\n")).0, Raw::Conforms, "{stated}");
    }
    assert_eq!(judged(&case("0x3eaaaaac", "  tolerance: {d: 0ulp}\n")).0, Raw::Contradicted);
}

#[test]
fn a_value_computed_of_an_approximation_asks_for_a_tolerance() {
    let case = |tolerance: &str| {
        format!(
            "\n  inputs: {{a: f32}}\n  outputs: {{d: f32}}\n  registers: .reg .f32 %r;\n  body: \"rcp.approx.f32 %r, %a; mul.f32 %d, %r, %a;\"\n  rows: [{{a: 3.0, d: 1.0}}]\n{tolerance}"
        )
    };
    let (raw, words) = judged(&case(""));
    assert_eq!(raw, Raw::Contradicted);
    assert!(words.contains("state a `tolerance:`"), "{words}");
    assert_eq!(judged(&case("  tolerance: {d: 2ulp}\n")).0, Raw::Conforms);
}

#[test]
fn memory_after_the_row() {
    // st.global.b32 of 7 at byte 4 of the buffer: element 1 is 7, everything else unchanged.
    let case = "
  buffers: {mem: {type: u32, values: [1, 2, 3]}}
  inputs: {v: u32}
  outputs: {}
  body: st.global.b32 [%mem+4], %v;
  rows: [{v: 7, ${expected}}]
";
    holds_and_contradicts(case, "memory: {mem: [1, 7, 3]}", "memory: {mem: [1, 2, 3]}", "the reference has");
    holds_and_contradicts(case, "memory: {mem: {1: 7}}", "memory: {mem: {0: 7}}", "the reference has");
}

/// A launch of one thread that copies nothing: `m` is the ramp 0.0, 1.0, … with which it begins.
fn ramp(count: usize, stated: &str) -> String {
    format!(
        "
  buffers: {{m: {{type: f32, values: sequence, count: {count}}}}}
  inputs: {{v: f32}}
  outputs: {{}}
  body: st.global.f32 [%m+8], %v;
  rows: [{{v: 2.5, memory: {{m: {stated}}}}}]
"
    )
}

/// Element 2 becomes 2.5 = 0x40200000, everything else stays: i is exact in binary32 below 2^24.
#[test]
fn a_file_of_values_is_contradicted_element_by_element() {
    let count = 20_000;
    let values = |wrong: &[(usize, &str)]| {
        let value = |i: usize| match wrong.iter().find(|(at, _)| *at == i) {
            Some((_, word)) => (*word).to_owned(),
            None if i == 2 => "2.5".to_owned(),
            None => format!("{i}.0"),
        };
        (0..count).map(|i| value(i) + "\n").collect::<String>()
    };
    let case = ramp(count, "{numbers: m.txt}");
    let judged = |wrong: &[(usize, &str)]| {
        let reference = reference_with(&case, &[("m.txt", values(wrong).as_bytes())]);
        let words = reference.problems.first().map(|problem| problem.render(false)).unwrap_or_default();
        (reference.raw, words)
    };
    assert_eq!(judged(&[]), (Raw::Conforms, String::new()));
    // What leaves an element open, states that it is one of two, or is beside the file, holds.
    assert_eq!(judged(&[(7, "~"), (8, "{any: [8.0]}")]).0, Raw::Conforms);
    let (raw, words) = judged(&[(19_999, "1.5")]);
    assert_eq!(raw, Raw::Contradicted);
    assert!(words.contains("contradicts buffer `m`"), "{words}");
    assert!(words.contains("the reference has another value in 1 of 20000 elements"), "{words}");
    // 19999.0 is 0x469c3e00: 19999 = 0x4e1f, of 15 bits, so the exponent is 127 + 14 = 0x8d.
    let note = "m.txt:20000:1): expected 1.5 (0x3fc00000), the reference has 19999.0 (0x469c3e00)";
    assert!(words.contains("element 19999 (") && words.contains(note), "{words}");
    assert!(words.lines().count() < 20, "{words}");
    let many: Vec<(usize, &str)> = (100..10_100).map(|at| (at, "0.5")).collect();
    let (_, words) = judged(&many);
    assert!(
        words.contains("in 10000 of 20000 elements") && words.contains("… and 9992 more elements"),
        "{words}"
    );
    assert!(words.lines().count() < 20, "{words}");
    // `nan` leaves sign and payload open, so that its bits say nothing to a reader.
    let (_, words) = judged(&[(4, "nan")]);
    let note = "m.txt:5:1): expected a quiet NaN, the reference has 4.0 (0x40800000)";
    assert!(words.contains(note), "{words}");
    // An undefined one points into the file.
    let (_, words) = judged(&[(5, "undefined")]);
    assert!(
        words.contains("m.txt:6:1")
            && words.contains("the reference defines every bit there: 00 00 a0 40, 5.0 (0x40a00000)"),
        "{words}"
    );
}

#[test]
fn elements_beside_a_file_hold_or_not_by_themselves() {
    let file: Vec<u8> = [0.0_f32, 1.0, 2.0, 3.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let judged = |stated: &str| {
        let reference = reference_with(&ramp(4, stated), &[("m.bin", &file)]);
        (reference.raw, reference.problems.first().map(|p| p.render(false)).unwrap_or_default())
    };
    assert_eq!(judged("{numbers: m.bin, 2: 2.5}").0, Raw::Conforms);
    assert_eq!(judged("{numbers: m.bin, 2: ~}").0, Raw::Conforms);
    let (raw, words) = judged("{numbers: m.bin}");
    assert_eq!(raw, Raw::Contradicted);
    assert!(
        words.contains("m.bin, byte 8): expected 2.0 (0x40000000), the reference has 2.5 (0x40200000)"),
        "{words}"
    );
    let (raw, words) = judged("{numbers: m.bin, 2: 2.25}");
    assert_eq!(raw, Raw::Contradicted);
    assert!(
        words.contains("contradicts element 2 of buffer `m`") && words.contains("2.5 (0x40200000)"),
        "{words}"
    );
}

/// Only the case's tolerance makes the file right: 2.5 and 2.5000002 are neighbours, 0x40200000 and 0x40200001.
#[test]
fn a_tolerance_holds_for_each_element_of_a_file() {
    let case = "
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry k(.param .u64 m) {
        .reg .u64 %a;
        ld.param.u64 %a, [m];
        st.global.f32 [%a], 0f40200000;
        ret;
    }
  launch: {entry: k, arguments: [{buffer: m}]}
  buffers: {m: {type: f32, count: 3}}
  expect: {memory: {m: {numbers: m.txt}}}
";
    let judged =
        |more: &str, file: &str| reference_with(&format!("{case}{more}"), &[("m.txt", file.as_bytes())]).raw;
    assert_eq!(judged("", "2.5000002 ~ 0.0"), Raw::Contradicted);
    assert_eq!(judged("  tolerance: {m: 1ulp}\n", "2.5000002 ~ 0.0"), Raw::Conforms);
    assert_eq!(judged("  tolerance: {m: 1ulp}\n", "2.5000005 ~ 0.0"), Raw::Contradicted);
}

/// Of a 3 by 2 surface with two layers and two channels a layer has 12 elements, a row 6: layer 1, row 1, texel 2, channel 1 is element
/// 12 + 6 + 4 + 1 = 23. 1.0 as binary16 is 0x3c00, 0.5 is 0x3800.
#[test]
fn elements_of_a_surface_are_named_by_their_coordinates() {
    let case = "
  surfaces: {img: {geometry: a2d, extent: [3, 2], layers: 2, format: f16x2, texels: zero}}
  inputs: {v: b32}
  outputs: {}
  body: sust.b.a2d.b32.trap [img, {1, 8, 1, 1}], %v;
  rows: [{v: 0x3c000000, image: {img: ${expected}}}]
";
    let list = |last: &str| format!("[{}, {last}]", ["0.0"; 23].join(", "));
    let words = "element 23 is at x = 2, y = 1, layer = 1, channel 1";
    holds_and_contradicts(case, &list("1.0"), &list("0.5"), words);
    holds_and_contradicts(case, &list("1.0"), &list("0.5"), "the reference has 00 3c, 1.0 (0x3c00)");
    let words = "element 23 at x = 2, y = 1, layer = 1, channel 1: expected 0.0 (0x0000), the reference has 1.0 (0x3c00)";
    holds_and_contradicts(case, "{23: 1.0}", "{22: 0.0}", words);
}

#[test]
fn what_holds_under_one_order_only() {
    // Four threads increment: the old values are 0 to 3 in some order, and which thread gets which is open; the sum is not.
    let case = "
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry k(.param .u64 counter, .param .u64 seen)
    {
      .reg .u64 %c, %s;
      .reg .u32 %t, %old;
      ld.param.u64 %c, [counter];
      ld.param.u64 %s, [seen];
      mov.u32 %t, %tid.x;
      mad.wide.u32 %s, %t, 4, %s;
      atom.global.add.u32 %old, [%c], 1;
      st.global.u32 [%s], %old;
      ret;
    }
  launch: {entry: k, block: [4, 1, 1], arguments: [{buffer: counter}, {buffer: seen}]}
  buffers:
    counter: {type: u32, values: [0]}
    seen: {type: u32, values: [9, 9, 9, 9]}
  expect: {memory: {${expected}}}
";
    holds_and_contradicts(case, "counter: [4]", "seen: [0, 1, 2, 3]", "the reference has");
}

#[test]
fn not_coming_back() {
    let case = "
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry k()
    {
      .reg .u32 %n;
    again:
      add.u32 %n, %n, 1;
      ${branch}
      ret;
    }
  launch: {entry: k, steps: 1000}
  expect: {timed-out: true}
";
    let (raw, problem) = judged(&case.replace("${branch}", "bra again;"));
    assert_eq!(raw, Raw::Conforms, "{problem}");
    let (raw, problem) = judged(&case.replace("${branch}", ""));
    assert_eq!(raw, Raw::Contradicted);
    assert!(problem.contains("the reference completes"), "{problem}");
}

#[test]
fn initial_bytes_are_contradicted_at_the_variable() {
    // "Variables … may be initialized"; 2 in a .u32 is 02 00 00 00, little endian.
    let case = "
  declare: .global .u32 a = 1; .global .u32 b = 2;
  bytes:
    a: 01 00 00 00
    b: 03 00 00 00
";
    let (raw, problem) = judged(case);
    assert_eq!(raw, Raw::Contradicted);
    assert!(
        problem.contains("cases/a/b.yaml:6:5") && problem.contains("the reference has 02 00 00 00"),
        "{problem}"
    );
}

#[test]
fn a_fault_is_said_once_however_much_was_expected_of_memory() {
    // An access to address 0 is to no memory at all.
    let case = "
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry k() {
        .reg .b64 %a;
        .reg .b32 %r;
        mov.u64 %a, 0;
        ld.global.b32 %r, [%a];
        ret;
    }
  launch: {entry: k}
  buffers: {out: {type: u32, values: [0]}, other: {type: u8, values: [0]}}
  expect: {memory: {out: [1], other: [1]}}
";
    let problems = reference(case).problems;
    assert_eq!(problems.len(), 1, "{:?}", problems.iter().map(|p| p.render(false)).collect::<Vec<_>>());
    assert!(problems[0].label.starts_with("the reference faults with"), "{}", problems[0].label);
}

/// Sixty-four thousand rows, each with its sum stated: the work grows with the rows, not with their square, which would take minutes here.
#[test]
fn each_of_very_many_stated_rows_is_held_against_the_reference() {
    let rows = 64_000;
    let case = |wrong: Option<u32>| {
        let stated = |row: u32| if wrong == Some(row) { 0 } else { row + 1 };
        let rows: String = (0..rows).map(|row| format!("    - {{a: {row}, d: {}}}\n", stated(row))).collect();
        format!(
            "
  inputs: {{a: u32}}
  outputs: {{d: u32}}
  body: add.u32 %d, %a, 1;
  rows:
{rows}"
        )
    };
    assert_eq!(judged(&case(None)).0, Raw::Conforms);
    let (raw, problem) = judged(&case(Some(rows - 1)));
    assert_eq!(raw, Raw::Contradicted);
    assert!(problem.contains("output `d` of row 63999") && problem.contains("64000"), "{problem}");
}

#[test]
fn a_whole_program_that_states_nothing_has_to_complete() {
    // "trap: Abort execution and generate an interrupt to the host CPU."
    let case = "
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry kernel() {
        ${body}
        ret;
    }
  launch: {entry: kernel, steps: 1000}
";
    let stating_nothing = |body: &str| judged(&case.replace("${body}", body));
    let (raw, problem) = stating_nothing("");
    assert_eq!(raw, Raw::Conforms, "{problem}");
    for (body, words) in [("trap;", "faults with"), ("again: bra again;", "does not finish")] {
        let (raw, problem) = stating_nothing(body);
        assert_eq!(raw, Raw::Contradicted, "{body}");
        assert!(
            problem.contains("without `expect` must complete") && problem.contains(words),
            "{body}: {problem}"
        );
    }
    // Stated, the same is a case like any other.
    let (raw, problem) = judged(&(case.replace("${body}", "trap;") + "  expect: {fault: trap}\n"));
    assert_eq!(raw, Raw::Conforms, "{problem}");
}

#[test]
fn one_of_two_roundings() {
    // sust.p to UNORM: 0.5 * 255 = 127.5 is 0.5 of a step from 127 and from 128, and OpenCL 1.0, 8.3.1.1, permits what is within 0.6. Which
    // it is is open, that it is one of the two is not. 0.25 * 255 = 63.75 has one integer within 0.6.
    let case = "
  surfaces: {img: {geometry: 1d, extent: [1], format: unorm8}}
  inputs: {v: f32}
  body: sust.p.1d.b32.trap [img, {0}], %v;
  rows: [{v: 0.5, image: {img: [${expected}]}}]
";
    holds_and_contradicts(case, "{any: [127, 128]}", "128", "the reference has 7f");
    holds_and_contradicts(case, "{any: [128, 127]}", "127", "the reference has 80");
    holds_and_contradicts(
        case,
        "{any: [127, 128]}",
        "{any: [126, 127, 128]}",
        "no alternative of the reference gives 7e",
    );
    holds_and_contradicts(
        case,
        "{any: [127, 128]}",
        "undefined",
        "the reference permits only 80 or 7f there",
    );
    holds_and_contradicts(
        &case.replace("v: 0.5", "v: 0.25"),
        "64",
        "{any: [63, 64]}",
        "no alternative of the reference gives 3f",
    );
}

#[test]
fn a_nan_of_any_kind() {
    // A signalling NaN converted to the format is a NaN, quiet or not; 2.0 is none.
    let case = "
  surfaces: {img: {geometry: 1d, extent: [1], format: f16}}
  inputs: {v: b32}
  body: sust.p.1d.b32.trap [img, {0}], %v;
  rows: [{v: 0x7f800001, image: {img: [${expected}]}}]
";
    holds_and_contradicts(case, "any-nan", "0x7c00", "leaves bits undefined there");
    holds_and_contradicts(
        &case.replace("0x7f800001", "0x40000000"),
        "2.0",
        "any-nan",
        "the reference has 00 40, which need not be a NaN",
    );
}

#[test]
fn a_documented_bound() {
    // Integers read as floats are filtered with "low precision", for which the weights' steps of 1/256 are the one measure. Of 0 and 1 a quarter is 0.25.
    let case = "
  textures: {img: {geometry: 1d, extent: [2], format: u8, texels: [0, 255], filter: linear, read: normalized-float}}
  inputs: {x: f32}
  outputs: {d: f32}
  body: tex.1d.v4.f32.f32 {%d, _, _, _}, [img, {%x}];
  rows: [{x: 0.75, d: ${expected}}]
";
    let right = "{between: [0.24609375, 0.25390625]}";
    let permits = "the reference permits what lies between 00 00 7c 3e, 0.24609375 (0x3e7c0000) and 00 00 82 3e, 0.25390625";
    // Both ends are permitted, so that neither a narrower nor a wider range is the bound.
    holds_and_contradicts(case, right, "{between: [0.24609375, 0.25390622]}", permits);
    holds_and_contradicts(case, "0.24609375", "{between: [0.246, 0.25390625]}", permits);
    holds_and_contradicts(case, "0.25390625", "{between: [0.25, 0.25]}", permits);
    // At the centre of texel 0 nothing is taken of the other one, and zero is the same number with either sign.
    let (only, centre) = ("the reference permits only 00 00 00 00", case.replace("0.75", "0.5"));
    holds_and_contradicts(&centre, "0.0", "{between: [-0.0, 0.0]}", only);
    // Between integers that are read as integers nothing is specified.
    let integers = case.replace("normalized-float", "element");
    let open = "the reference leaves bits undefined there";
    holds_and_contradicts(&integers, "undefined", right, open);
}

/// Nothing here knows the modifiers and operands of `mma` and `vabsdiff4`, so a statement about their legality is not judged here.
#[test]
fn the_legality_of_what_nobody_checks_is_not_known() {
    for instruction in ["mma.nonsense;", "vabsdiff4.foo.bar x;", "vabsdiff4.u32.u32.u32.add x, x;"] {
        for stated in ["accept: [spec, ptxas-12.9]", "reject: [spec]", "reject: {ptxas-12.9: mma}"] {
            let (raw, words) =
                judged(&format!("\n  registers: .reg .b32 x;\n  body: {instruction}\n  {stated}\n"));
            assert_eq!(raw, Raw::Unsupported, "{instruction} {stated}: {words}");
            assert!(words.contains("unsupported: instruction `"), "{words}");
            assert!(words.contains("b.yaml:4:9"), "the place of the instruction: {words}");
        }
    }
    // What is wrong for another reason is wrong whatever stands beside it.
    let beside = "
  registers: .reg .b32 x;
  body: |
    vabsdiff4.u32.u32.u32.add x, x, x, x;
    add.u32 x, x;
  ${expected}
";
    holds_and_contradicts(
        beside,
        "reject: [spec, ptxas-12.9]",
        "accept: [spec]",
        "should accept this program, but rejects it",
    );
    // Legal and not run is legal: the operands of this form are checked.
    let checked = "\n  registers: .reg .b32 x;\n  body: ${instruction}\n  accept: [spec]\n";
    let (raw, words) = judged(&checked.replace("${instruction}", "add.u32 x, x, x;"));
    assert_eq!(raw, Raw::Conforms, "{words}");
}

/// 5 as a little-endian word is 05 00 00 00, whatever the function beside the variable does.
#[test]
fn bytes_of_declarations_beside_what_nobody_checks() {
    let case = "
  declare: |
    .global .u32 x = 5;
    .func f() { .reg .b32 r; vabsdiff4.u32.u32.u32.add r, r, r, r; ret; }
  bytes: {x: ${expected}}
";
    let (raw, words) = judged(&case.replace("${expected}", "05 00 00 00"));
    assert_eq!(raw, Raw::Unsupported, "{words}");
    assert!(words.contains("unsupported: instruction `vabsdiff4`"), "{words}");
    let (raw, words) = judged(&case.replace("${expected}", "06 00 00 00"));
    assert_eq!(raw, Raw::Contradicted, "{words}");
    assert!(words.contains("the reference has 05 00 00 00"), "{words}");
}

/// -7 / 2 rounds to -3 or to -4, which is left to the machine; so the remainder is -7 + 6 = -1 or -7 + 8 = 1.
#[test]
fn one_of_two_permitted_values_is_not_called_wrong() {
    let case = "
  inputs: {a: s32, b: s32}
  outputs: {d: s32}
  body: rem.s32 %d, %a, %b;
  rows: [{a: -7, b: 2, ${expected}}]
";
    for one in ["d: -1", "d: 1"] {
        let (raw, words) = judged(&case.replace("${expected}", one));
        assert_eq!(raw, Raw::Contradicted, "{one}: {words}");
        assert!(words.contains("the specification leaves open what happens here"), "{one}: {words}");
        assert!(words.contains("ff ff ff ff, -1") && words.contains("01 00 00 00, 1"), "{one}: {words}");
        assert!(words.contains("div.negative=toward-zero"), "the choice is named: {words}");
        assert!(words.contains("1]}` states all of them"), "{one}: {words}");
    }
    // Where nothing is open, nothing is said of choices.
    let (_, words) = judged(&case.replace("-7", "7").replace("${expected}", "d: 2"));
    assert!(words.contains("the reference has 01 00 00 00") && !words.contains("leaves open"), "{words}");
}

/// 6.4.1 leaves it to the machine whether a misaligned address is masked or faults. Byte 6 masked to a multiple of 4 is byte 4.
#[test]
fn a_forgotten_may_fault() {
    let case = "
  buffers: {m: {type: u32, values: [10, 11, 12]}}
  inputs: {at: u32}
  outputs: {d: u32}
  registers: .reg .u64 %a;
  body: |
    mad.wide.u32 %a, %at, 1, %m;
    ld.global.u32 %d, [%a];
  rows: [{at: 6, ${expected}}]
";
    holds_and_contradicts(
        case,
        "d: 11, may-fault: misaligned",
        "d: 11",
        "`may-fault: misaligned` beside the value states both",
    );
    let (_, words) = judged(&case.replace("${expected}", "fault: misaligned"));
    assert!(words.contains("`may-fault: misaligned`") && words.contains("the launch completes"), "{words}");
}

/// Two threads exchange: the second finds what the first left, whichever is first. PTX ISA, atom: "loads the original value at location a into destination register d".
#[test]
fn observations_that_are_judged_otherwise() {
    let case = "
  buffers: {m: {type: u32, values: [9]}}
  inputs: {v: u32}
  outputs: {d: u32}
  body: atom.global.exch.b32 %d, [%m], %v;
  launch: together
  rows: [{v: 1}, {v: 2}]
  observations: ${stated}
";
    let stating = |stated: &str| judged(&case.replace("${stated}", stated));
    for right in [
        "{admitted: [{outputs: {d: [9, 1]}}]}",
        "{admitted: [{outputs: {d: [2, 9]}, memory: {m: [1]}}]}",
        "{refused: [{outputs: {d: [9, 9]}}]}",
        "{refused: [{outputs: {d: [2, 9]}, memory: {m: [2]}}]}",
    ] {
        let (raw, words) = stating(right);
        assert_eq!(raw, Raw::Conforms, "{right}: {words}");
    }
    for (wrong, message) in [
        ("{refused: [{outputs: {d: [2, 9]}, memory: {m: [1]}}]}", "the reference admits this observation"),
        ("{admitted: [{outputs: {d: [9, 9]}}]}", "the reference refuses this observation: "),
        ("{admitted: [{memory: {m: [3]}}]}", "the reference refuses this observation: "),
    ] {
        let (raw, words) = stating(wrong);
        assert_eq!(raw, Raw::Contradicted, "{wrong}");
        assert!(words.contains(message) && words.contains("b.yaml:9:"), "{words}");
    }
}
