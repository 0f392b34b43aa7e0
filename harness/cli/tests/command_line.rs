//! The command line from outside: what it prints, and how it ends.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use snapbox::{assert_data_eq, str};
use tempfile::TempDir;

/// A copy of a corpus of `tests/data`, with room for goldens beside it.
struct Workplace {
    folder: TempDir,
}

impl Workplace {
    fn new(corpus: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(corpus);
        copy(&source, &folder.path().join("cases"));
        Self { folder }
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside)
    }

    /// The command, run in the folder of the corpus, without what the environment could add.
    fn command(&self, arguments: &[&str]) -> Command {
        let program = match arguments.contains(&"mock") {
            true => env!("CARGO_BIN_EXE_warpdiff-misbehaving"),
            false => env!("CARGO_BIN_EXE_warpdiff"),
        };
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).args(arguments).env_remove("CI").env_remove("NO_COLOR");
        // A machine with a device must not judge it in these tests: a driver that sees no device finds none.
        command.env("CUDA_VISIBLE_DEVICES", "");
        command
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command(arguments).output().unwrap())
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.path(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} does not contain {from}");
        std::fs::write(&path, text.replace(from, to)).unwrap();
    }
}

/// How a command ended.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ended {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    fn with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

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
    let json: serde_json::Value = serde_json::from_str(&place.run(&["run", "--json"]).with(0).out).unwrap();
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
what differs in emulator+suld.clamp-as-zero
      1  clamp behaviour, reproduced by suld.clamp-as-zero
goldens: none recorded (--bless records them)
1 violate (1 variants, [..])

"#]]
    );
}

/// Both clamping and wrapping are permitted, and the reversed components come closer to what wraps: the report says so, and never that
/// this is the one thing expected.
#[test]
fn of_several_permitted_outcomes_the_nearest_is_shown_and_called_that() {
    let place = Workplace::new("alternatives");
    let ended = place.run(&["run", "--against", "emulator+sust.p-reversed"]).with(1);
    let words = "expected, if sust.p.integer-range=wrapped (the nearest of 2 permitted outcomes):";
    assert!(ended.out.contains(words), "{}", ended.out);
    let report = place.run(&["run", "--json", "--against", "emulator+sust.p-reversed"]).with(1).json();
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
        assert_eq!(ended.json()["variants"][0]["targets"][0]["status"], status, "{name}");
        assert_eq!(ended.json()["exit_code"], code, "{name}");
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
fn reports_are_as_their_schema_says_and_errors_are_json_too() {
    let place = Workplace::new("cases");
    let schema = place.run(&["schema", "report"]).with(0).json();
    let ended = place.run(&["run", "--json", "--against", "emulator+suld.clamp-as-zero"]).with(1);
    required(&schema, &schema, &ended.json(), "report");
    place.edit("cases/basic/add.yaml", "add.u32 %d, %a, %b;", "addd.u32 %d, %a, %b;");
    let ended = place.run(&["run", "--json"]).with(2);
    assert!(ended.json()["error"].as_str().unwrap().contains("cases/basic/add.yaml:5:9"), "{}", ended.out);
    assert_eq!(ended.json()["exit_code"], 2);
}

#[test]
fn options_that_mean_nothing_are_wrong_usage() {
    let place = Workplace::new("cases");
    std::fs::write(place.path("known.txt"), "mock | hung | hang | none | *no-such-case\n").unwrap();
    place.run(&["run", "--known", "known.txt"]).with(2);
    let ended = place.run(&["run", "--known", "known.txt", "--against", "mock"]).with(2);
    assert!(ended.err.contains("no variant of the corpus matches `*no-such-case`"), "{}", ended.err);
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

#[test]
fn a_corpus_is_never_guessed() {
    let place = Workplace::new("cases");
    let elsewhere = tempfile::tempdir().unwrap();
    let mut command = place.command(&["run"]);
    command.current_dir(elsewhere.path()).env_remove("CARGO_MANIFEST_DIR");
    let ended = Ended::of(command.output().unwrap()).with(2);
    assert!(ended.err.contains("--corpus"), "{}", ended.err);
}

#[test]
fn a_target_that_cannot_be_spoken_to_is_no_finding_of_fuzz() {
    let place = Workplace::new("cases");
    place.run(&["fuzz", "--against", "process:/bin/true", "--count", "3"]).with(4);
    assert!(!place.path("fuzz-findings").exists());
}

#[test]
fn a_known_failure_is_excused_until_it_is_gone() {
    let place = Workplace::new("cases");
    std::fs::write(place.path("known.txt"), "# mock\nmock | hung | hang | none | mock/*mock-hang\n").unwrap();
    let known = ["--against", "mock", "--known", "known.txt"];
    place.run(&[&["run", "mock-hang"], &known[..]].concat()).with(0);
    place.run(&[&["run", "mock-crash"], &known[..]].concat()).with(1);
    std::fs::write(place.path("known.txt"), "mock | hung | hang | none | *add wraps\n").unwrap();
    place.run(&[&["run", "add wraps"], &known[..]].concat()).with(6);
    std::fs::write(place.path("known.txt"), "mock | crashed | crash | none | *mock-hang\n").unwrap();
    place.run(&[&["run", "mock-hang"], &known[..]].concat()).with(1);
}

#[test]
fn a_known_failure_excuses_its_target_and_its_cause_alone() {
    let place = Workplace::new("cases");
    let known = |text: &str| std::fs::write(place.path("known.txt"), text).unwrap();
    let run = |target: &str| place.run(&["run", "suld clamps", "--against", target, "--known", "known.txt"]);
    let zero = "emulator+suld.clamp-as-zero";
    let entry = format!("{zero} | violates | clamp behaviour | suld.clamp-as-zero | *suld clamps*\n");
    known(&entry);
    run(zero).with(0);
    // Another target does the same: nobody said that of it.
    known(&entry.replacen(zero, "emulator", 1));
    run(zero).with(1);
    known(&entry.replacen(zero, "emulator*", 1));
    run(zero).with(0);
    // Another cause at the same place is another failure, and the message says so.
    known(&entry.replacen("| suld.clamp-as-zero |", "| none |", 1));
    let ended = run(zero).with(1);
    let words = "known here is a different failure: known.txt:1:1: violates, clamp behaviour, reproduced by no known deviation";
    assert!(
        ended.out.contains(words) && ended.out.contains("reproduced exactly by suld.clamp-as-zero"),
        "{}",
        ended.out
    );
    known(&entry.replacen("| suld.clamp-as-zero |", "| sust.clamp-as-zero |", 1));
    run(zero).with(1);
    // Reports say both.
    let report = place
        .run(&["run", "suld clamps", "--json", "--against", zero, "--known", "known.txt"])
        .with(1)
        .json();
    let mut targets = report["variants"].as_array().unwrap().iter().map(|v| &v["targets"][0]);
    let target = targets.find(|target| target["status"] == "violates").unwrap();
    assert_eq!(target["settled"], "other-failure");
    assert!(target["known"][0].as_str().unwrap().contains("sust.clamp-as-zero"), "{target}");
    // An entry beside one that fits has nothing to excuse: it is out of date.
    known(&format!("{entry}{zero} | violates | value | none | *suld clamps*\n"));
    let ended = run(zero).with(6);
    assert!(ended.out.contains("known failure gone: known.txt:2:1: violates, value"), "{}", ended.out);
    // A target that did not run the variant says nothing of whether the failure is gone.
    known("mock | violates | value | none | *mock-unsupported\n");
    let ended = place.run(&["run", "mock-unsupported", "--against", "mock", "--known", "known.txt"]).with(5);
    assert!(!ended.out.contains("known failure gone"), "{}", ended.out);
}

#[test]
fn a_list_of_known_failures_that_is_none_is_refused_with_the_place() {
    let place = Workplace::new("cases");
    std::fs::write(place.path("known.txt"), "# old\nviolates *mock-flip\n").unwrap();
    let ended = place.run(&["run", "--against", "mock", "--known", "known.txt"]).with(2);
    assert!(
        ended.err.contains("known.txt:2:1") && ended.err.contains("an entry in the old format"),
        "{}",
        ended.err
    );
    assert!(
        ended.err.contains("expected `TARGET | STATUS | CLASS | DEVIATIONS | VARIANTS`"),
        "{}",
        ended.err
    );
}

#[test]
fn goldens_are_blessed_compared_and_orphaned() {
    let place = Workplace::new("cases");
    place.run(&["run", "--bless"]).with(0);
    let golden = place.path("golden/emulator/basic/add.golden");
    assert!(std::fs::read_to_string(&golden).unwrap().contains("8 ?? ") || golden.is_file());
    let ended = place.run(&["run"]).with(0);
    assert!(ended.out.contains("goldens: 15 as recorded"), "{}", ended.out);

    // The reference decides what is left out: another input shows as a difference of the golden alone.
    place.edit("cases/basic/add.yaml", "{a: 7, b: 8}", "{a: 7, b: 9}");
    let ended = place.run(&["run"]).with(6);
    assert!(ended.out.contains("golden differs: basic/add/add wraps"), "{}", ended.out);
    assert!(ended.out.contains("-            8 0f 00 00 00"), "{}", ended.out);
    assert!(ended.out.contains("+            8 10 00 00 00"), "{}", ended.out);
    place.run(&["run", "--no-golden"]).with(0);
    place.run(&["run", "--bless"]).with(0);

    place.edit("cases/basic/add.yaml", "case: add wraps", "case: add wraps around");
    let ended = place.run(&["run"]).with(6);
    assert!(
        ended.out.contains("golden without a case: basic/add.golden: basic/add/add wraps"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("1 not recorded, 1 without a case"), "{}", ended.out);
    place.run(&["run", "--bless"]).with(0);
    place.run(&["run"]).with(0);

    let text = std::fs::read_to_string(&golden).unwrap();
    std::fs::write(&golden, text.replace("completes", "faults")).unwrap();
    let ended = place.run(&["run"]).with(6);
    assert!(ended.out.contains("the content hash does not match"), "{}", ended.out);
}

/// The files below a folder, with their contents.
fn contents(folder: &Path) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            found.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn a_bless_of_a_part_or_of_another_corpus_removes_nothing() {
    let place = Workplace::new("cases");
    place.run(&["run", "--bless"]).with(0);
    let goldens = place.path("golden/emulator");
    // Entries of no case, a file of no corpus file, and one that cannot be used: nothing that a partial run may judge.
    place.edit("cases/basic/add.yaml", "case: add wraps", "case: add wraps around");
    std::fs::copy(goldens.join("basic/suld.golden"), goldens.join("elsewhere.golden")).unwrap();
    std::fs::write(goldens.join("basic/suld.golden"), "<<<<<<< conflict").unwrap();
    let before = contents(&goldens);
    let ended = place.run(&["run", "--bless", "mock-hang"]).with(6);
    assert!(!ended.out.contains("golden removed"), "{}", ended.out);
    assert_eq!(contents(&goldens), before);

    // A corpus of another name beside it, which has one of the files.
    copy(&place.path("cases"), &place.path("others"));
    std::fs::remove_dir_all(place.path("others/mock")).unwrap();
    let ended = place.run(&["run", "--bless", "--corpus", "others"]).with(6);
    assert!(!ended.out.contains("no case has"), "{}", ended.out);
    let after = contents(&goldens);
    assert!(before.keys().all(|path| after.contains_key(path)));
    assert_eq!(after[&goldens.join("elsewhere.golden")], before[&goldens.join("elsewhere.golden")]);

    // All of the corpus they belong to: what is in excess goes, and is named.
    let ended = place.run(&["run", "--bless"]).with(0);
    for words in [
        "golden removed: basic/add.golden: basic/add/add wraps, which no case has",
        "golden removed: elsewhere.golden: basic/suld/suld clamps[cop=.ca], which belongs to basic/suld.golden",
    ] {
        assert!(ended.out.contains(words), "{words} is missing:\n{}", ended.out);
    }
    assert!(!goldens.join("elsewhere.golden").exists());
}

#[test]
fn goldens_that_were_named_or_whose_files_are_lost_have_to_be_there() {
    let place = Workplace::new("cases");
    place.run(&["run"]).with(0);
    place.run(&["run", "--golden", "nowhere"]).with(6);
    std::fs::create_dir_all(place.path("golden/emulator")).unwrap();
    place.run(&["run"]).with(6);
    place.run(&["run", "--no-golden"]).with(0);
}

#[test]
fn goldens_mark_undefined_bits() {
    let place = Workplace::new("cases");
    place.run(&["run", "--bless", "an unwritten register"]).with(0);
    let golden = std::fs::read_to_string(place.path("golden/emulator/basic/add.golden")).unwrap();
    // 0xff & 0xf0 = 0xf0; the low nibble comes from a register that was never written.
    assert!(golden.contains("0 f? 00 00 00"), "{golden}");
}

#[test]
fn ci_never_blesses() {
    let place = Workplace::new("cases");
    for value in ["true", "yes"] {
        let ended = Ended::of(place.command(&["run", "--bless"]).env("CI", value).output().unwrap()).with(2);
        assert!(ended.err.contains("never by CI"), "{}", ended.err);
    }
    assert!(!place.path("golden").exists());
}

#[test]
fn what_cannot_be_written_ends_with_4() {
    let place = Workplace::new("cases");
    std::fs::write(place.path("occupied"), "a file, not a folder").unwrap();
    place.run(&["run", "--bless", "--golden", "occupied/emulator"]).with(4);
}

/// Killed with half of a golden written, the writer leaves the old golden as it was, and nothing that a later run takes for
/// one.
#[test]
fn a_killed_bless_leaves_the_old_golden_intact() {
    let place = Workplace::new("cases");
    place.run(&["run", "--bless"]).with(0);
    let golden = place.path("golden/emulator/basic/add.golden");
    let old = std::fs::read(&golden).unwrap();
    place.edit("cases/basic/add.yaml", "{a: 7, b: 8}", "{a: 7, b: 9}");

    let marker = place.path("half-written");
    let mut child =
        place.command(&["run", "--bless"]).env("WARPDIFF_TEST_PAUSE_IN_BLESS", &marker).spawn().unwrap();
    let begun = Instant::now();
    while !marker.exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the writer never got half-way");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    assert_eq!(std::fs::read(&golden).unwrap(), old);
    let left = || std::fs::read_dir(golden.parent().unwrap()).unwrap().count();
    assert_eq!(left(), 3, "two goldens and the unfinished one");
    place.run(&["run"]).with(6);
    place.run(&["run", "--bless"]).with(0);
    assert_eq!(left(), 2, "a later bless tidies up");
    place.run(&["run"]).with(0);
}

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

#[test]
fn the_selfcheck_of_a_sound_judge_has_no_wrong_verdicts() {
    let ended = Workplace::new("cases").run(&["selfcheck"]).with(0);
    for kind in
        ["bits of buffers", "bits of bystanders", "bits of guard bands", "undefined bits", "fault classes"]
    {
        assert!(ended.out.contains(kind), "{kind} is missing:\n{}", ended.out);
    }
    assert!(ended.out.contains("no wrong verdicts"), "{}", ended.out);
}

#[test]
fn show_has_program_inputs_expectations_and_what_is_allowed() {
    let place = Workplace::new("cases");
    let ended = place.run(&["show", "suld clamps[cop=.ca]"]).with(0);
    for words in [
        "basic/suld/suld clamps[cop=.ca]\n",
        "cop = .ca",
        "suld.clamp  must (9.7.11.1): clamp loads data",
        "suld.b.2d.ca.b32.clamp %d, [image, {%x, %y}];",
        "row 1: x = 16, y = 2",
        "0b 00 00 00",
    ] {
        assert!(ended.out.contains(words), "{words} is missing:\n{}", ended.out);
    }
    let ended = place.run(&["show", "an unwritten register"]).with(0);
    assert!(ended.out.contains("f? 00 00 00"), "{}", ended.out);
    place.run(&["show", "no such case"]).with(2);
}

#[test]
fn colours_are_for_terminals_and_on_request() {
    let place = Workplace::new("cases");
    assert!(!place.run(&["run"]).with(0).out.contains('\u{1b}'));
    assert!(place.run(&["run", "--color", "always"]).with(0).out.contains('\u{1b}'));
}

#[test]
fn lists_coverage_schema_doctor_and_completions_answer() {
    let place = Workplace::new("cases");
    let ended = place.run(&["list", "suld"]).with(0);
    assert_eq!(ended.out.lines().count(), 3, "{}", ended.out);
    assert_eq!(place.run(&["list", "--json"]).with(0).json().as_array().unwrap().len(), 15);
    let ended = place.run(&["coverage"]).with(0);
    assert!(ended.out.contains("4 of 4 requirements are covered"), "{}", ended.out);
    for of in ["cases", "requirements", "report"] {
        assert!(place.run(&["schema", of]).with(0).json().is_object(), "{of}");
    }
    let ended = place.run(&["doctor"]).with(0);
    for what in ["emulator", "corpus", "processor", "driver", "libcuda", "ptxas"] {
        assert!(ended.out.contains(what), "{what} is missing:\n{}", ended.out);
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.run(&["completions", shell]).with(0).out.contains("selfcheck"), "{shell}");
    }
}

#[test]
fn the_catalogue_of_deviations_is_listed() {
    let place = Workplace::new("cases");
    let part = place.run(&["deviations", "spa.cas*", "tex.layer-wraps"]).with(0);
    assert_data_eq!(
        part.out,
        str![[r#"
spa (2 deviations)

  spa.cas-compares-rc
    `ATOMS.CAS` and `.CAST` compare with Rc and store Rb.
    class         atomicity
    origin        a reading
    breaks        spa.atoms.cas.compares-rb
    shown by      ATOMS .CAS|.CAST

  spa.cast-returns-old
    `ATOMS.CAST` returns the value it found.
    class         atomicity
    origin        a reading
    breaks        spa.atoms.cast
    shown by      ATOMS .CAST

texture (1 deviation)

  tex.layer-wraps
    The layer of `tex` outside of the array wraps around: permitted, since no text says which layer
    it is.
    class         addressing
    origin        a reading
    permitted by  tex.array.outside
    shown by      tex

"#]]
    );
    let all = place.run(&["deviations"]).with(0).out;
    for arguments in [&["run", "--against", "emulator+?"][..], &["fuzz", "--against=emulator:ptx+?"]] {
        assert_eq!(place.run(arguments).with(0).out, all);
    }
    let none = place.run(&["deviations", "spa.cass"]).with(2);
    assert_eq!(none.err, "error: no deviation matches `spa.cass`; `warpdiff deviations` lists them\n");
}

/// The page says what each key is, and each has a value somewhere.
#[test]
fn the_catalogue_as_json_has_the_keys_of_its_page() {
    let listed = Workplace::new("cases").run(&["deviations", "--json"]).with(0).json();
    let entries = listed.as_array().unwrap();
    assert_eq!(entries.len(), warpdiff_model::Deviation::COUNT);
    let keys: std::collections::BTreeSet<_> =
        entries.iter().flat_map(|entry| entry.as_object().unwrap().keys().cloned()).collect();
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deviations.md"))
            .unwrap();
    let (_, table) = page.split_once("## The list as JSON").unwrap();
    let documented = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    assert_eq!(keys, documented.map(|(key, _)| key.to_owned()).collect());
    let of = |id: &str| entries.iter().find(|entry| entry["id"] == id).unwrap();
    assert_eq!(of("atom.inc-off-by-one")["dialects"], serde_json::json!(["ptx", "spa"]));
    assert_eq!(of("ptxas.odd-float")["runs"], false);
    assert_eq!(
        of("ptxas.wide-address")["origins"][0],
        serde_json::json!({"kind": "ptxas", "source": "ptxas 12.9"})
    );
}
