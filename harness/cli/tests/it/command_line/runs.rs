//! `run`: what it prints, and how it ends.

use snapbox::{assert_data_eq, str};

use super::workplace::Workplace;

#[test]
fn without_a_target_the_reference_is_held_against_the_expectations() {
    let ended = Workplace::new("cases").run(&["run"]).with(0);
    assert_data_eq!(
        ended.out,
        str![[r#"
reference  variants     rows     conforms
basic             5       11            5
mock             10       10           10
total            15       21           15
goldens: none recorded (--bless records them)
all conform (15 variants, [..])

"#]]
    );
}

/// A forgotten `expect` must not look like a checked case: the report, `show` and the JSON say that only the reference decided.
#[test]
fn a_whole_program_that_states_nothing_is_reported() {
    let place = Workplace::new("cases");
    let case = "\
- case: forgotten
  covers: []
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry kernel() {
        ret;
    }
  launch: {entry: kernel}
";
    std::fs::write(place.path("cases/basic/forgotten.yaml"), case).unwrap();
    let id = "basic/forgotten/forgotten";
    let said =
        format!("1 variants state no `expect`: the reference alone decides what is allowed\n    {id}\n");
    let out = place.run(&["run"]).with(0).out;
    assert!(out.contains(&said), "{out}");
    let shown = place.run(&["show", id]).with(0).out;
    assert!(shown.contains("expectations\n  none: the reference alone decides what is allowed\n"), "{shown}");
    let json = place.run(&["run", "--json"]).with(0).results();
    let alone = |variant: &&serde_json::Value| variant["reference"]["decided_alone"] == true;
    let alone: Vec<_> = json["variants"].as_array().unwrap().iter().filter(alone).collect();
    assert!(alone.len() == 1 && alone[0]["id"] == id, "{alone:?}");
}

/// What took how long goes to the standard error: the report is the same each time, but for the seconds in its last line.
#[test]
fn timings_count_the_rows() {
    let place = Workplace::new("cases");
    let ended = place.run(&["run", "suld clamps[cop=.ca]", "--timings"]).with(0);
    assert!(ended.err.contains("judged 3 rows in ") && ended.err.contains(" rows/s), "), "{}", ended.err);
    assert!(!ended.out.contains("rows/s"), "{}", ended.out);
    assert!(!place.run(&["run", "suld clamps[cop=.ca]"]).with(0).err.contains("rows/s"));
}

#[test]
fn a_deviation_is_named_with_instruction_row_coordinates_and_bytes() {
    let place = Workplace::new("cases");
    let ended =
        place.run(&["run", "suld clamps[cop=.ca]", "--against", "emulator+suld.clamp-as-zero"]).with(1);
    assert_data_eq!(
        ended.out,
        str![[r#"
what differs in emulator+suld.clamp-as-zero
      1  clamp behaviour, reproduced by suld.clamp-as-zero

what emulator+suld.clamp-as-zero does instead
  suld.b, 1 wrong variant: `suld` with `.clamp` loads zero out of bounds, as `.zero` does (suld.clamp-as-zero)
    surface.mode-ignored fits as well, and claims more

violates: basic/suld/suld clamps[cop=.ca]
  against emulator+suld.clamp-as-zero: clamp behaviour, reproduced exactly by suld.clamp-as-zero
  line [..] | suld.b.2d.ca.b32.clamp %d, [image, {%x, %y}];
       --> cases/basic/suld.yaml:8:9
  row 1: x = 16, y = 2  (cases/basic/suld.yaml:11:[..])
    at x = 16, y = 2 of `image` (rows of 16 bytes, 3 rows)
    output `d`, buffer `out`, byte 4..8
      expected 0b 00 00 00  = 0x0000000b
      observed 00 00 00 00  = 0x00000000

emulator+suld.clamp-as-zero  variants     rows     conforms     violates
basic                               1        3            ·            1
total                               1        3            ·            1
goldens: none recorded (--bless records them)
1 violate (1 variants, [..])

"#]]
    );
}

/// The causes come first, a line each, then one example of each: the mock flips bits in two variants, and does other things in others.
#[test]
fn causes_come_before_one_example_of_each() {
    let place = Workplace::new("cases");
    let run = |more: &[&str]| {
        let mock = ["run", "--no-golden", "--no-repeat", "--against", "mock"];
        place.run(&[&mock, more].concat()).with(1).out
    };
    let out = run(&[]);
    let (causes, examples) = out.split_once("\n\n").unwrap();
    let mut lines = causes.lines();
    assert_eq!(lines.next(), Some("what differs in mock"));
    let causes: Vec<&str> = lines.map(|line| line.trim_start().split_once("  ").unwrap().1).collect();
    assert!(causes.contains(&"hang, reproduced by no known deviation"), "{causes:?}");
    assert!(causes.len() > 3, "{causes:?}");
    let shown = |out: &str| out.matches("\n  against mock: ").count();
    assert_eq!(shown(examples), causes.len(), "{examples}");
    let hidden = " more variants of these causes (--show N prints N of each)";
    assert_eq!(examples.contains(hidden), shown(&run(&["--show", "100"])) > causes.len(), "{examples}");
    assert_eq!(shown(&run(&["--show", "0"])), 0);
}

/// A failure that expectations cover is counted and no example; the line says that it is known.
#[test]
fn known_causes_are_marked_and_have_no_example() {
    let place = Workplace::new("cases");
    let known = "target: mock\nfails:\n  - variants: 'mock/*mock-hang'\n    cause: {class: hang, deviation: none}\n    reason: known\n";
    std::fs::write(place.path("expected.yaml"), known).unwrap();
    let mock = ["run", "--no-golden", "--against", "mock", "mock-hang", "--expectations", "expected.yaml"];
    let out = place.run(&mock).with(0).out;
    assert!(out.starts_with("what differs in mock\n      1  hang"), "{out}");
    assert!(out.contains("reproduced by no known deviation (known)\n"), "{out}");
    assert!(!out.contains("against mock"), "{out}");
}

/// Both clamping and wrapping are permitted, and the reversed components come closer to what wraps: the report says so, and never that
/// this is the one thing expected.
#[test]
fn of_several_permitted_outcomes_the_nearest_is_shown_and_called_that() {
    let place = Workplace::new("alternatives");
    let ended = place.run(&["run", "--against", "emulator+sust.p-reversed"]).with(1);
    let words = "expected, if sust.p.integer-range=wrapped (the nearest of 2 permitted outcomes):";
    assert!(ended.out.contains(words), "{}", ended.out);
    let report = place.run(&["run", "--json", "--against", "emulator+sust.p-reversed"]).with(1).results();
    let finding = &report["variants"][0]["targets"][0]["findings"][0];
    assert_eq!(finding["nearest"]["under"][0], "sust.p.integer-range=wrapped", "{finding}");
    assert_eq!(finding["nearest"]["of"], 2, "{finding}");
}

#[test]
fn a_device_that_is_not_there_is_skipped_and_that_is_said() {
    let place = Workplace::new("cases");
    // An ordinal that no machine has, so that this is so on a machine with devices as well.
    let ended = place.run(&["run", "--against", "cuda:4000", "basic"]).with(5);
    assert!(ended.err.contains("cuda:4000: skipped: no "), "{}", ended.err);
    assert!(ended.out.contains("none judged (5 variants"), "{}", ended.out);
    let (title, reason) =
        ended.out.split_once("without a verdict: cuda:4000\n      4  not run: no ").unwrap();
    assert!(title.contains("not judged") && reason.contains('\n'), "{}", ended.out);
}

#[test]
fn wrong_usage_and_a_wrong_corpus_end_with_2() {
    let place = Workplace::new("cases");
    let ended = place.run(&["run", "--against", "emulator+suld.clamp-as-zer"]).with(2);
    assert!(ended.err.contains("did you mean `suld.clamp-as-zero`?"), "{}", ended.err);
    let ended = place.run(&["run", "--against", "cudda"]).with(2);
    assert!(ended.err.contains("unknown target `cudda`"), "{}", ended.err);
    let ended = place.run(&["run", "no such case"]).with(2);
    assert!(ended.err.contains("no variant matches `no such case`"), "{}", ended.err);
    place.run(&["run", "--no-such-option"]).with(2);
    place.run(&["run", "--corpus", "nowhere"]).with(2);
    place.edit("cases/basic/add.yaml", "add.u32 %d, %a, %b;", "addd.u32 %d, %a, %b;");
    let ended = place.run(&["run"]).with(2);
    assert!(ended.err.contains("cases/basic/add.yaml:5:9"), "{}", ended.err);
}

#[test]
fn an_expectation_the_reference_contradicts_has_a_caret() {
    let ended = Workplace::new("wrong").run(&["run"]).with(2);
    assert!(ended.out.contains("cases/basic/add.yaml:8:"), "{}", ended.out);
    assert!(ended.out.contains("the reference has 04 00 00 00"), "{}", ended.out);
    assert!(ended.out.contains("1 have corpus errors"), "{}", ended.out);
}

#[test]
fn a_case_that_depends_on_undefined_bits_is_undecided() {
    let ended = Workplace::new("open").run(&["run"]).with(5);
    assert!(ended.out.contains("depends on undefined bits"), "{}", ended.out);
    assert!(ended.out.contains("1 are undecided"), "{}", ended.out);
}

#[test]
fn what_a_target_does_decides_how_the_run_ends() {
    let place = Workplace::new("cases");
    let table = [
        ("mock-flip", 1, "violates"),
        ("mock-guard", 1, "violates"),
        ("mock-fault", 1, "violates"),
        ("mock-short", 1, "violates"),
        ("mock-missing", 1, "violates"),
        ("mock-hang", 1, "hung"),
        ("mock-crash", 1, "crashed"),
        ("mock-reject", 1, "rejected"),
        ("mock-unsupported", 5, "unsupported"),
        ("mock-not-run", 5, "not-run"),
        ("add wraps", 0, "conforms"),
    ];
    for (name, code, status) in table {
        let ended = place.run(&["run", name, "--against", "mock", "--json"]).with(code);
        let results = ended.results();
        assert_eq!(results["variants"][0]["targets"][0]["status"], status, "{name}");
        assert_eq!(results["summary"]["exit_code"], code, "{name}");
    }
}

#[test]
fn what_was_not_judged_is_never_called_conforming() {
    let place = Workplace::new("cases");
    let ended = place.run(&["run", "mock-not-run", "add wraps", "--against", "mock"]).with(5);
    assert!(ended.out.contains("1 conform, 1 not judged"), "{}", ended.out);
    std::fs::remove_dir_all(place.path("cases/mock")).unwrap();
    std::fs::remove_dir_all(place.path("cases/basic")).unwrap();
    std::fs::write(place.path("cases/requirements.yaml"), "[]\n").unwrap();
    let ended = place.run(&["run"]).with(2);
    assert!(ended.err.contains("no cases found in"), "{}", ended.err);
}

/// Every field that the schema requires is there, at every level.
fn required(schema: &serde_json::Value, root: &serde_json::Value, value: &serde_json::Value, at: &str) {
    if let Some(name) = schema["$ref"].as_str() {
        let inner = root.pointer(name.trim_start_matches('#')).unwrap();
        return required(inner, root, value, at);
    }
    for one in schema["anyOf"].as_array().into_iter().flatten().filter(|_| !value.is_null()) {
        if one["type"] != "null" {
            required(one, root, value, at);
        }
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{at} has no {name}");
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            required(inner, root, value, &format!("{at}.{name}"));
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        required(&schema["items"], root, item, &format!("{at}[{index}]"));
    }
}

#[test]
fn results_are_as_their_schema_says_and_errors_are_json_too() {
    let place = Workplace::new("cases");
    let schema = place.run(&["schema", "results"]).with(0).json();
    let ended = place.run(&["run", "--json", "--against", "emulator+suld.clamp-as-zero"]).with(1);
    for line in ended.out.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let kinds = schema["oneOf"].as_array().unwrap().iter();
        let mut of_kind = kinds.filter(|kind| kind["properties"]["line"]["const"] == line["line"]);
        required(of_kind.next().unwrap(), &schema, &line, "line");
    }
    place.edit("cases/basic/add.yaml", "add.u32 %d, %a, %b;", "addd.u32 %d, %a, %b;");
    let ended = place.run(&["run", "--json"]).with(2);
    assert!(ended.json()["error"].as_str().unwrap().contains("cases/basic/add.yaml:5:9"), "{}", ended.out);
    assert_eq!(ended.json()["exit_code"], 2);
}

#[test]
fn options_that_mean_nothing_are_wrong_usage() {
    let place = Workplace::new("cases");
    place.run(&["run", "--memory-limit", "0"]).with(2);
    for command in ["run", "record", "characterize", "conform-protocol"] {
        place.run(&[command, "--against", "process:true", "--time-limit", "0"]).with(2);
    }
    place.run(&["fuzz", "--against", "emulator", "--count", "0"]).with(2);
    let last = u64::MAX.to_string();
    let ended = place.run(&["fuzz", "--against", "emulator", "--first", &last, "--count", "2"]).with(2);
    assert!(ended.err.contains("fewer than 2 programs follow"), "{}", ended.err);
    place.run(&["fuzz", "--against", "emulator", "--first", &last, "--count", "1"]).with(0);
    let ended = place.run(&["coverage", "no-such-requirement"]).with(2);
    assert!(ended.err.contains("no requirement matches `no-such-requirement`"), "{}", ended.err);
}

/// A pipe of which nobody reads the other end.
#[cfg(unix)]
fn broken_pipe() -> std::io::PipeWriter {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer
}

#[cfg(unix)]
#[test]
fn who_stops_listening_does_no_harm() {
    let place = Workplace::new("cases");
    let deaf = |arguments: &[&str], code: i32| {
        let status = place.command(arguments).stdout(broken_pipe()).stderr(broken_pipe()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    };
    deaf(&["run"], 0);
    deaf(&["run", "mock-flip", "--against", "mock"], 1);
    deaf(&["list"], 0);
    deaf(&["coverage"], 0);
    deaf(&["doctor"], 0);
    deaf(&["run", "--against", "nonsense"], 2);
    // A target that remarks that it is not there.
    deaf(&["run", "--against", "cuda:4000"], 5);
    deaf(&["fuzz", "--against", "emulator", "--count", "3"], 0);
}

/// A folder that is named has to be there. Where none is named and none is found, `tests/it/installed.rs` shows which corpus runs.
#[test]
fn a_corpus_that_is_named_is_never_replaced_by_another() {
    let place = Workplace::new("cases");
    let ended = place.run(&["run", "--corpus", "nowhere"]).with(2);
    assert!(ended.err.contains("folder nowhere does not exist"), "{}", ended.err);
}

#[test]
fn a_target_that_cannot_be_spoken_to_is_no_finding_of_fuzz() {
    let place = Workplace::new("cases");
    place.run(&["fuzz", "--against", "process:/bin/true", "--count", "3"]).with(4);
    assert!(!place.path("fuzz-findings").exists());
}
